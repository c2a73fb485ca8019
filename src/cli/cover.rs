//! `ludex cover`: which clauses of a rule file never take part in play.

use clap::Args;

use crate::coverage::{self, GOALS, POSITIONS};
use crate::referee::Stop;
use crate::study::cover::{self, Request};
use crate::ui::arguments::GameArguments;
use crate::ui::console::Console;
use crate::ui::open;

/// Plays random games and guided lines, and lists the clauses that never held and those that only
/// repeat an earlier one.
///
/// The positions of the file's examples are examined too.
#[derive(Debug, Args)]
pub struct CoverArguments {
    #[command(flatten)]
    game: GameArguments,

    /// The number of random games.
    #[arg(long, value_name = "N", default_value_t = 100)]
    playouts: usize,

    /// The number of positions of these games, spread evenly, in which the clauses are examined.
    #[arg(long, value_name = "N", default_value_t = POSITIONS)]
    positions: usize,

    /// Stops after N million goals and prints what was found so far.
    #[arg(long, value_name = "N", default_value_t = GOALS)]
    goals: u64,

    /// Stops after S seconds and prints what was found so far, which depends on the machine.
    #[arg(long, value_name = "S", value_parser = crate::ui::arguments::seconds)]
    seconds: Option<f64>,

    /// The seed of the random games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Lists the clauses of included files too.
    #[arg(long)]
    all: bool,

    /// Prints the source with the clauses marked that never held (`-`) or are shadowed (`=`).
    #[arg(long, conflicts_with = "json")]
    source: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &CoverArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let request = Request {
        games: coverage::Request {
            playouts: arguments.playouts,
            positions: arguments.positions,
            goals: arguments.goals,
            seed: arguments.seed,
            all: arguments.all,
        },
        seconds: arguments.seconds,
        source: arguments.source,
        json: arguments.json,
    };
    cover::cover(&game, &request, console)
}
