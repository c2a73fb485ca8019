//! The prompt: questions, moves, explanations, and changes of the rules while playing.
//!
//! `entry.rs` classifies entries, `assistant.rs` supports typing, `commands.rs` lists and
//! dispatches the commands, and each further file has a group of them. A `Sitting` is a game that
//! is open; `others.rs` makes the moves of players that no person plays, and `leave.rs` ends it. When its rules change it ends with the start of the next sitting, and `run` continues
//! with that.

mod assistant;
mod commands;
mod edit;
mod entry;
mod help;
mod keys;
mod leave;
mod others;
mod pages;
mod play;
mod profile;
mod prompt;
mod query;
mod rules;
mod saved;
mod setup;
mod sitting;
mod switch;
mod trace;
mod watch;
mod why;

pub use prompt::in_short;

use std::path::PathBuf;

use crate::engine::Game;
use crate::program::LoadRequest;
use crate::record::Trial;
use crate::referee::{Evaluator, Stop};
use crate::search::{Limits, Player};
use crate::ui::console::{ColorChoice, Console};
use crate::ui::seats::Seat;
use crate::ui::signals;

use commands::After;
use prompt::Prompt;
use rules::{Opened, Rules};
use sitting::Sitting;
use switch::{Begin, Opening};

/// Runs a command of the command line, given as words.
pub(crate) type RunCommand = fn(&[&str], &Console) -> Result<(), Stop>;

/// A game that `ludex play` begins.
pub(crate) struct Table {
    pub request: LoadRequest,
    pub game: Game,
    /// Who plays for each player in order.
    pub seats: Vec<Seat>,
    /// A saved game to go on with, and its file.
    pub resumed: Option<(Trial, PathBuf)>,
    /// Where the game is saved.
    pub file: Option<PathBuf>,
    pub seed: Option<u64>,
    pub limits: Limits,
    /// How many threads the computer thinks with.
    pub threads: usize,
    /// How the computer plays.
    pub player: Player,
    pub evaluator: Evaluator,
}

/// The names of the commands, without their colon.
pub fn commands() -> Vec<&'static str> {
    commands::COMMANDS.iter().map(|command| command.word).collect()
}

/// Opens the prompt on the terminal of this process, with a game if one is given, and returns the exit code.
/// The commands of the command line are no part of it.
pub fn open(game: Option<LoadRequest>, seed: Option<u64>) -> u8 {
    let console = Console::new(ColorChoice::Auto);
    let no_command: RunCommand = |words, _| {
        let word = words.first().copied().unwrap_or_default();
        Err(Stop::Failed(format!(
            "`{word}` is a command of the command line, which is not built in"
        )))
    };
    let result = run(game, seed, no_command, &console).and_then(|()| console.flush());
    // a signal that ends the program is the reason, whatever it has interrupted
    if let Some(code) = signals::ending() {
        return code;
    }
    match result {
        Ok(()) => 0,
        Err(stop) => console.report(stop),
    }
}

/// Opens the prompt, with a game if one is given.
///
/// # Errors
/// A game that cannot be opened, or the end of a pipe of which a line has failed.
pub(crate) fn run(
    request: Option<LoadRequest>,
    seed: Option<u64>,
    run_command: RunCommand,
    console: &Console,
) -> Result<(), Stop> {
    let mut prompt = Prompt::new(console, run_command)?;
    prompt.seed = seed;
    let first = match request {
        Some(request) => Some(Opening::fresh(Rules::new(request).load()?)),
        None => None,
    };
    finish(prompt, first)
}

/// Opens the prompt with a game begun.
///
/// # Errors
/// A rule error, a saved game that does not fit the rules, or the end of a pipe of which a line has
/// failed.
pub(crate) fn play(table: Table, run_command: RunCommand, console: &Console) -> Result<(), Stop> {
    let mut prompt = Prompt::new(console, run_command)?;
    prompt.plays = true;
    prompt.seed = table.seed;
    prompt.limits = table.limits;
    prompt.threads = table.threads;
    prompt.player = table.player;
    prompt.evaluator = table.evaluator;
    let opened = Opened { rules: Rules::new(table.request), game: table.game };
    let begin = match table.resumed {
        Some((trial, file)) => Begin::Saved(Box::new(trial), file),
        None => Begin::Fresh,
    };
    let first = Opening { opened, begin, seats: Some(table.seats), file: table.file };
    finish(prompt, Some(first))
}

fn finish(mut prompt: Prompt<'_>, first: Option<Opening>) -> Result<(), Stop> {
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
            Some(Opening { opened, begin, seats, file }) => {
                Sitting::open(&opened, begin, seats, file, prompt)?.run(prompt)?
            }
            None => prompt.lobby()?,
        };
        match after {
            After::Open(opening) => next = Some(*opening),
            After::Leave | After::Stay => return Ok(()),
        }
    }
}
