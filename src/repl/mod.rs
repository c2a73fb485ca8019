//! The prompt: questions, moves, explanations, and changes of the rules while playing.
//!
//! `entry.rs` classifies entries, `assistant.rs` supports typing, `commands.rs` lists and
//! dispatches the commands, and each further file has a group of them. A `Sitting` is a game that
//! is open. When its rules change it ends with the start of the next sitting, and [`run`] continues
//! with that.

mod assistant;
mod commands;
mod edit;
mod entry;
mod help;
mod keys;
mod play;
mod profile;
mod prompt;
mod query;
mod rules;
mod saved;
mod setup;
mod sitting;
pub(crate) mod state_file;
mod switch;
mod trace;
mod watch;
mod why;

use crate::program::LoadRequest;
use crate::referee::Stop;
use crate::ui::console::Console;

use commands::After;
use prompt::Prompt;
use rules::Rules;
use sitting::Sitting;
use switch::Opening;

/// The names of the commands, without their colon.
pub fn commands() -> Vec<&'static str> {
    commands::COMMANDS.iter().map(|command| command.word).collect()
}

/// Opens the prompt, with a game if one is given.
///
/// # Errors
/// A game that cannot be opened, or the end of a pipe of which a line has failed.
pub fn run(request: Option<LoadRequest>, seed: Option<u64>, console: &Console) -> Result<(), Stop> {
    let mut prompt = Prompt::new(console)?;
    prompt.seed = seed;
    let first = match request {
        Some(request) => Some(Opening::fresh(Rules::new(request).load()?)),
        None => None,
    };
    let end = rounds(&mut prompt, first);
    prompt.keep_history();
    end?;
    prompt.failure()
}

/// Runs one sitting after the other.
fn rounds(prompt: &mut Prompt<'_>, mut next: Option<Opening>) -> Result<(), Stop> {
    prompt.greet(next.as_ref())?;
    loop {
        let after = match next.take() {
            Some(Opening { opened, begin }) => {
                Sitting::open(&opened, begin, prompt)?.run(prompt)?
            }
            None => prompt.lobby()?,
        };
        match after {
            After::Open(opening) => next = Some(*opening),
            After::Leave | After::Stay => return Ok(()),
        }
    }
}
