//! `ludex completions`: completion scripts for shells.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::referee::Stop;
use crate::ui::console::Console;

/// Writes the completions for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(arguments: &CompletionsArguments, console: &Console) -> Result<(), Stop> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut super::command(), "ludex", &mut text);
    console.text(String::from_utf8_lossy(&text))
}
