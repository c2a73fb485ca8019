//! `ludex play`: a game in the terminal, at the prompt of `src/repl/`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::program::Origin;
use crate::record::Trial;
use crate::referee::Stop;
use crate::repl::{self, Table};
use crate::search::{Limits, POSITIONS, Player, Strength};
use crate::ui::arguments::{EngineChoice, GameArguments, OptionArguments, strength};
use crate::ui::console::Console;
use crate::ui::seats::{self, Seat};
use crate::ui::{open, saved};

/// Plays a game in the terminal.
///
/// This is the prompt of `ludex repl` with a game begun: moves are typed in the game's notation or as
/// terms, and `help` lists the commands. Ctrl-C ends a thought of the computer, which plays the best move
/// that it has found so far. A game that is left is saved if something was played.
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

    /// Searches N positions for each move of the computer; a random game counts as fifty. The moves are then
    /// the same on any machine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How well the computer plays, from 1 to 10.
    #[arg(long, value_name = "LEVEL", value_parser = strength, conflicts_with = "nodes")]
    strength: Option<Strength>,

    /// How many threads search for a move of the computer, where `alphabeta` or `montecarlo` suits the game.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: u16,

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
    let (request, game, resumed) = match &arguments.resume {
        Some(file) => {
            let trial = saved::read(file)?;
            same_game(arguments, &trial)?;
            let game = saved::game(&trial, file, console)?;
            (trial.request(), game, Some((trial, file.clone())))
        }
        None => {
            let name = arguments.game.clone().unwrap_or_default();
            let options = arguments.options.clone();
            let request = GameArguments { game: name, options }.request();
            let game = open::game(&request)?;
            (request, game, None)
        }
    };
    let players = seats::players(&game);
    let seats = match (&arguments.players, &resumed) {
        (Some(given), _) => seats::fill(given, &players)?,
        (None, Some((trial, file))) => saved::seats(trial, &game, file)?,
        (None, None) => seats::fill(&[Seat::Human], &players)?,
    };
    if let Some(path) = &arguments.save
        && arguments.resume.as_ref() != Some(path)
        && path.symlink_metadata().is_ok()
    {
        let text =
            format!("`{}` exists; give another name, or go on with it by --resume", path.display());
        return Err(Stop::Usage(text));
    }
    let table = Table {
        request,
        game,
        seats,
        resumed,
        file: arguments.save.clone(),
        seed: arguments.seed,
        limits,
        threads: usize::from(arguments.threads),
        player: arguments.strength.map_or(Player::Auto, Player::Level),
        evaluator: arguments.engine.into(),
    };
    repl::play(table, super::within, console)
}

fn limits(arguments: &PlayArguments) -> Result<Limits, Stop> {
    let time = match arguments.time {
        Some(seconds) if seconds.is_finite() && (0.0..=86_400.0).contains(&seconds) => {
            Some(Duration::from_secs_f64(seconds))
        }
        Some(_) => return Err(Stop::Usage("--time takes seconds from 0 to 86400".to_string())),
        None if arguments.nodes.is_some() || arguments.strength.is_some() => None,
        None => Some(TIME),
    };
    Ok(Limits { time, playouts: arguments.nodes.map(|nodes| nodes.div_ceil(POSITIONS)) })
}

/// A game that is named together with a saved one must be the same.
fn same_game(arguments: &PlayArguments, trial: &Trial) -> Result<(), Stop> {
    let Some(name) = &arguments.game else { return Ok(()) };
    let same = match Origin::of(name) {
        Origin::Path(path) => trial.path.is_some() && path.canonicalize().ok() == trial.path,
        _ => trial.path.is_none() && *name == trial.game,
    };
    if same {
        return Ok(());
    }
    Err(Stop::Usage(format!("the saved game is one of `{}`, not of `{name}`", trial.game)))
}
