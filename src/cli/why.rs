//! `ludex why`: why a move is legal or not, why a goal holds or not.

use clap::Args;

use crate::referee::reasons::{answer, explain, to_json, unfolded};
use crate::referee::{Evaluator, Referee, Stop};
use crate::render::fit;
use crate::ui::arguments::{GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::start;

/// The depth to which `--long` unfolds.
const DEPTH: usize = 3;

/// Explains why a move is legal or not, or why a goal holds or not, from the text of the rules.
#[derive(Debug, Args)]
pub struct WhyArguments {
    #[command(flatten)]
    game: GameArguments,

    /// A move in the game's notation or as a term, or a goal: `win(white)`, `over`, `at(a1, X)`.
    #[arg(value_name = "MOVE_OR_GOAL")]
    what: String,

    #[command(flatten)]
    start: StartArguments,

    /// Draws the board with the sites that matter, and shows the clauses and their goals.
    #[arg(long)]
    long: bool,

    /// The depth to which goals are unfolded; 3 with `--long`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    depth: Option<u64>,

    /// Prints JSON.
    #[arg(long, conflicts_with = "long")]
    json: bool,
}

pub fn run(arguments: &WhyArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let (before, position) = start::line(&mut referee, &arguments.start)?;
    let facts = referee.facts_after(&position, &before);
    let told = explain(&mut referee, &position, &facts, &arguments.what)?;
    if arguments.json {
        return console.json(&to_json(&referee, &facts, &told)?);
    }
    let depth = match (arguments.depth, arguments.long) {
        (Some(depth), _) => usize::try_from(depth).unwrap_or(DEPTH),
        (None, true) => DEPTH,
        (None, false) => 0,
    };
    if depth > 0 {
        console.text(referee.marked(&facts, &told.sites, console.width())?)?;
    }
    for line in answer(&referee, &facts, &told)? {
        console.line(fit(&line, console.width(), 2))?;
    }
    if depth > 0 && !told.lines.is_empty() {
        console.line("")?;
        console.text(unfolded(&told, depth, console.width()))?;
        let deeper = told.depth();
        if deeper > depth {
            console.line(format!("`--depth {deeper}` unfolds all of it"))?;
        }
    }
    Ok(())
}
