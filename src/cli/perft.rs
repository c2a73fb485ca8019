//! `ludex perft`: the number of sequences of moves, depth by depth.

use clap::Args;
use serde_json::json;

use crate::engine::Perft;
use crate::referee::interrupt;

use crate::referee::naming;
use crate::referee::{Position, Referee, Stop};
use crate::ui::arguments::{EngineChoice, GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::progress::Progress;
use crate::ui::signals;
use crate::ui::start;

/// Counts the sequences of moves of each length, one line `DEPTH COUNT` per length.
///
/// Finished games are not extended, and chance events count as moves.
#[derive(Debug, Args)]
pub struct PerftArguments {
    #[command(flatten)]
    game: GameArguments,

    /// The greatest depth.
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(..=10_000))]
    depth: u32,

    /// Counts the sequences of the greatest depth for each first move.
    #[arg(long)]
    divide: bool,

    /// Makes the moves of the last ply too, instead of only counting them.
    #[arg(long)]
    no_bulk: bool,

    #[command(flatten)]
    start: StartArguments,

    /// The implementation that applies the rules.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineChoice,

    /// Prints JSON, one object per line.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &PerftArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    let mut referee = Referee::new(&game, arguments.engine.into());
    let position = start::position(&mut referee, &arguments.start)?;
    if arguments.divide {
        return divide(arguments, &mut referee, &position, console);
    }
    // a depth of 0 is the position itself
    for depth in arguments.depth.min(1)..=arguments.depth {
        let count = count(&mut referee, &position, depth, !arguments.no_bulk)?;
        console.line(match arguments.json {
            true => json!({ "depth": depth, "count": count }).to_string(),
            false => format!("{depth} {count}"),
        })?;
        console.flush()?;
        // there are no longer sequences
        if count == 0 {
            break;
        }
    }
    Ok(())
}

fn divide(
    arguments: &PerftArguments,
    referee: &mut Referee<'_>,
    position: &Position,
    console: &Console,
) -> Result<(), Stop> {
    let depth = arguments.depth;
    let mut total = u64::from(depth == 0);
    if let Some(below) = depth.checked_sub(1)
        && referee.outcome(position)?.is_none()
    {
        let choices = referee.choices(position)?;
        for named in naming::names(referee, position, &choices)? {
            let Some(next) = referee.play(position, &named.term)? else { continue };
            let count = count(referee, &next, below, !arguments.no_bulk)?;
            total += count;
            console.line(match arguments.json {
                true => json!({
                    "move": named.text, "notation": named.notation, "depth": below, "count": count
                })
                .to_string(),
                false => format!("{} {count}", named.notation),
            })?;
            console.flush()?;
        }
    }
    console.line(match arguments.json {
        true => json!({ "depth": depth, "count": total }).to_string(),
        false => format!("{depth} {total}"),
    })
}

/// The number of sequences of `depth` moves.
///
/// # Errors
/// A rule error, or Ctrl-C.
pub fn count(
    referee: &mut Referee<'_>,
    position: &Position,
    depth: u32,
    bulk: bool,
) -> Result<u64, Stop> {
    // the last plies are counted in one call, the first ones move by move with a progress bar
    if depth < 3 {
        return whole(referee, position, depth, bulk);
    }
    if referee.outcome(position)?.is_some() {
        return Ok(0);
    }
    let next = referee.successors(position)?;
    let bar = Progress::new(next.len() as u64, format!("depth {depth}"));
    let mut total = 0;
    for (_, next) in &next {
        total += whole(referee, next, depth - 1, bulk)?;
        bar.step();
    }
    Ok(total)
}

fn whole(
    referee: &mut Referee<'_>,
    position: &Position,
    depth: u32,
    bulk: bool,
) -> Result<u64, Stop> {
    if interrupt::interrupted() {
        return Err(Stop::Interrupted);
    }
    match position {
        Position::Compiled(state) => {
            let mut work = Perft::new(&interrupt::interrupted);
            work.make_leaves = !bulk;
            let counted = referee.session.perft(state, depth, &mut work);
            if work.stopped {
                return Err(Stop::Interrupted);
            }
            counted.map_err(|fault| referee.fault(&fault))
        }
        Position::Plain(_) if depth == 0 => Ok(1),
        Position::Plain(_) => {
            if referee.outcome(position)?.is_some() {
                return Ok(0);
            }
            let next = referee.successors(position)?;
            if depth == 1 && bulk {
                return Ok(next.len() as u64);
            }
            let mut total = 0;
            for (_, next) in &next {
                total += whole(referee, next, depth - 1, bulk)?;
            }
            Ok(total)
        }
    }
}
