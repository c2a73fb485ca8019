//! `ludex profile`: where the time of a game's plan goes, by clause and goal of the rule file.

use std::time::Duration;

use clap::Args;

use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::study::profile::{self, Request};
use crate::ui::arguments::{GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::signals;
use crate::ui::start;

/// Plays random games and shows which clauses and goals of the rules take the time, and why.
///
/// The plan is interpreted, each goal's runs and answers are counted, and its time is sampled.
#[derive(Debug, Args)]
pub struct ProfileArguments {
    #[command(flatten)]
    game: GameArguments,

    /// How long it may take, in seconds; a third of it is spent on measuring the speed without
    /// counting.
    #[arg(long, value_name = "S", default_value_t = 3.0, allow_negative_numbers = true,
        value_parser = crate::ui::arguments::seconds)]
    seconds: f64,

    /// Stops after N games, if not earlier.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,

    /// Stops a game that is not over after N plies.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_plies: u64,

    /// The seed of the random games; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    start: StartArguments,

    /// Shows all clauses, not only the 20 most expensive ones.
    #[arg(long)]
    all: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ProfileArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    let mut referee = Referee::new(&game, Evaluator::Interpreted);
    let Position::Compiled(from) = start::position(&mut referee, &arguments.start)? else {
        return Ok(());
    };
    let request = Request {
        from: &from,
        seed: arguments.seed,
        max_plies: arguments.max_plies,
        playouts: arguments.playouts,
        time: Duration::from_secs_f64(arguments.seconds),
    };
    profile::profile(&referee, &request, (arguments.all, arguments.json), console)
}
