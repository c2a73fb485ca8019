//! `ludex repl`: the prompt, which is implemented in `src/repl/`.

use clap::Args;

use crate::program::{LoadRequest, Origin};
use crate::repl;

use crate::referee::Stop;
use crate::ui::arguments::OptionArguments;
use crate::ui::console::Console;

/// Opens the prompt: ask, play, explain and change the rules.
///
/// Moves and commands are typed as they are, and questions end with a full stop; `help` explains more.
/// Lines can come from a pipe too; then only the answers are printed.
#[derive(Debug, Default, Args)]
pub struct ReplArguments {
    /// A shipped game's name, or the path of a rule file: it contains a `/` or ends in `.ludex`.
    #[arg(value_name = "GAME")]
    game: Option<String>,

    #[command(flatten)]
    options: OptionArguments,

    /// The seed of chance events, random moves and the computer's choices.
    #[arg(long)]
    seed: Option<u64>,
}

pub fn run(arguments: &ReplArguments, console: &Console) -> Result<(), Stop> {
    let options = arguments.options.options.clone();
    let request = match &arguments.game {
        Some(game) => Some(LoadRequest { options, ..LoadRequest::new(Origin::of(game)) }),
        None if options.is_empty() => None,
        None => {
            let text = "options belong to a game: name it, e.g. `ludex repl GAME -o NAME=VALUE`";
            return Err(Stop::Usage(text.to_string()));
        }
    };
    repl::run(request, arguments.seed, super::within, console)
}
