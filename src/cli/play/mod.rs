//! `ludex play`: a game in the terminal.
//!
//! `game.rs` is the game in progress, `person.rs` the turns of people, `seats.rs` the assignment of
//! players to people and the computer.

mod game;
mod person;
pub(crate) mod seats;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::engine::{Game, Random};
use crate::record::Trial;
use crate::search::Limits;

use super::replay;
use crate::referee::Referee;
use crate::referee::Stop;
use crate::ui::arguments::{EngineChoice, GameArguments, OptionArguments, origin};
use crate::ui::console::Console;
use crate::ui::input::Input;
use crate::ui::open;
use crate::ui::signals;

use game::Going;
use seats::Seat;

/// Plays a game in the terminal.
///
/// Moves are typed in the game's notation or as terms; `help` lists what else can be typed.
#[derive(Debug, Args)]
pub struct PlayArguments {
    /// A shipped game's name, or the path of a rule file: it contains a `/` or ends in `.ludex`.
    #[arg(value_name = "GAME", required_unless_present = "resume")]
    game: Option<String>,

    #[command(flatten)]
    options: OptionArguments,

    /// Who plays for each player in order; the computer plays for the rest.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SEATS")]
    players: Option<Vec<Seat>>,

    /// The computer's time for a move, in seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<f64>,

    /// The number of playouts the computer makes for a move.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    strength: Option<u64>,

    /// The seed of chance events and of the computer's choices.
    #[arg(long)]
    seed: Option<u64>,

    /// Continues a saved game.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["options", "seed"])]
    resume: Option<PathBuf>,

    /// Saves the game in this file when it ends or is left.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// The implementation that applies the rules.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineChoice,
}

/// The computer's default time for a move.
const TIME: Duration = Duration::from_millis(1000);

pub fn run(arguments: &PlayArguments, console: &Console) -> Result<(), Stop> {
    let limits = limits(arguments)?;
    let (game, mut trial, file) = match &arguments.resume {
        Some(file) => {
            let trial = replay::read(file)?;
            same_game(arguments, &trial)?;
            let game = replay::game(&trial, file, console)?;
            (game, trial, Some(file.clone()))
        }
        None => {
            let (game, trial) = fresh(arguments)?;
            (game, trial, None)
        }
    };
    let seats = match (&arguments.players, &file) {
        (Some(given), _) => seats::fill(given, game.program.players.len())?,
        (None, Some(file)) => replay::seats(&trial, &game, file)?,
        (None, None) => seats::fill(&[Seat::Human], game.program.players.len())?,
    };
    trial.players = seats.iter().map(|seat| seat.word().to_string()).collect();
    if let Some(path) = &arguments.save
        && file.as_ref() != Some(path)
        && path.symlink_metadata().is_ok()
    {
        let text =
            format!("`{}` exists; give another name, or go on with it by --resume", path.display());
        return Err(Stop::Usage(text));
    }
    signals::catch_at_prompt();
    let mut referee = Referee::new(&game, arguments.engine.into());
    let moves = match &file {
        Some(file) => replay::steps(&mut referee, &trial, file)?,
        None => Vec::new(),
    };
    let opening = replay::opening(&mut referee, &trial)?;
    let mut going = Going {
        referee,
        console,
        trial,
        steps: moves,
        opening,
        seats,
        limits,
        input: Input::new(console)?,
        file: arguments.save.clone().or(file),
        saved: None,
        events: Vec::new(),
    };
    going.play()
}

fn limits(arguments: &PlayArguments) -> Result<Limits, Stop> {
    let time = match arguments.time {
        Some(seconds) if seconds.is_finite() && (0.0..=86_400.0).contains(&seconds) => {
            Some(Duration::from_secs_f64(seconds))
        }
        Some(_) => return Err(Stop::Usage("--time takes seconds from 0 to 86400".to_string())),
        None if arguments.strength.is_some() => None,
        None => Some(TIME),
    };
    Ok(Limits { time, playouts: arguments.strength })
}

/// A new game and its record.
fn fresh(arguments: &PlayArguments) -> Result<(Game, Trial), Stop> {
    let name = arguments.game.clone().unwrap_or_default();
    let request = GameArguments { game: name, options: arguments.options.clone() }.request();
    let game = open::game(&request)?;
    let seed = arguments.seed.unwrap_or_else(Random::fresh_seed);
    let trial = open::trial(&request, &game, seed);
    Ok((game, trial))
}

/// A game that is named together with a saved one must be the same.
fn same_game(arguments: &PlayArguments, trial: &Trial) -> Result<(), Stop> {
    let Some(name) = &arguments.game else { return Ok(()) };
    let same = match origin(name) {
        crate::program::Origin::Path(path) => {
            trial.path.is_some() && path.canonicalize().ok() == trial.path
        }
        _ => trial.path.is_none() && *name == trial.game,
    };
    if same {
        return Ok(());
    }
    Err(Stop::Usage(format!("the saved game is one of `{}`, not of `{name}`", trial.game)))
}
