//! `ludex man`: manual pages, generated from the help of the command line.

use clap::Args;
use clap_mangen::Man;

use crate::referee::Stop;
use crate::ui::console::Console;

/// Writes the manual page, e.g. for `ludex man | man -l -`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The command to document; without it the whole program.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub fn run(arguments: &ManArguments, console: &Console) -> Result<(), Stop> {
    let mut whole = super::command();
    whole.build();
    let page = match &arguments.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(found) => found.clone(),
            None => return Err(Stop::Usage(format!("there is no command `{name}`"))),
        },
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    console.text(String::from_utf8_lossy(&text))
}
