//! `ludex review`: the mistakes of a saved game.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::referee::{Evaluator, Referee, Stop, Thought, interrupt};
use crate::study::review::{Judged, Mark, review, summaries};
use crate::ui::arguments::{limits, seconds};
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::saved::{game, opening, read, steps};
use crate::ui::{seats, signals, solutions, tables};

use super::tournament::Kind;

/// Marks the mistakes of a saved game, with the better moves and a summary for each player.
///
/// A move that loses 5 % of the expected points is an inaccuracy (?!), one that loses 10 % a mistake (?), one that
/// loses 20 % a blunder (??). Ctrl-C tells of the moves that are judged so far.
#[derive(Debug, Args)]
pub struct ReviewArguments {
    /// The saved game.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The positions that each search looks at; up to three searches judge a move. A random game counts as fifty
    /// positions.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// The time of each search in seconds, in place of a number of positions.
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "nodes")]
    time: Option<f64>,

    /// Who judges.
    #[arg(long, value_enum, default_value = "auto")]
    player: Kind,

    /// The seed of random games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Tells of all moves, not only of mistakes.
    #[arg(long)]
    all: bool,

    /// Prints JSON, which tells of all moves.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ReviewArguments, console: &Console) -> Result<(), Stop> {
    let trial = read(&arguments.file)?;
    let game = game(&trial, &arguments.file, console)?;
    signals::catch();
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    referee.values = solutions::known(&game);
    let steps = steps(&mut referee, &trial, &arguments.file)?;
    let first = opening(&mut referee, &trial)?;
    let nodes = arguments.time.is_none().then_some(arguments.nodes);
    let thought = Thought {
        player: arguments.player.player(),
        limits: limits(nodes, arguments.time.unwrap_or(0.0)),
        seed: arguments.seed,
    };
    let progress = Progress::new(steps.len() as u64, "moves");
    let judged = review(&mut referee, &first, &steps, thought, &mut |_| progress.step())?;
    drop(progress);
    let players = seats::players(&game);
    let alone = players.len() == 1;
    let told = summaries(&players, &judged);
    if arguments.json {
        console.json(&json!({
            "game": game.program.title,
            "moves": judged.iter().map(|of| of.data(alone)).collect::<Vec<_>>(),
            "players": told.iter().map(|of| of.data()).collect::<Vec<_>>(),
            "complete": !interrupt::interrupted(),
        }))?;
    } else {
        let of_interest = |of: &&Judged| {
            arguments.all || !of.mark.sign().is_empty() || (alone && of.loss() >= 0.5)
        };
        let rows: Vec<Vec<String>> =
            judged.iter().filter(of_interest).map(|of| row(of, alone)).collect();
        match rows.is_empty() {
            true => console.line("no mistakes")?,
            false => console.text(tables::plain(&rows, &[], console.width()))?,
        }
        console.line("")?;
        let mut rows = vec![heading(alone)];
        rows.extend(told.iter().map(|of| {
            let accuracy = of.accuracy.map_or("–".to_string(), |n| format!("{n:.1} %"));
            let count = |n: usize| n.to_string();
            match alone {
                true => vec![of.player.clone(), count(of.moves), format!("{:.1}", of.loss)],
                false => vec![
                    of.player.clone(),
                    count(of.moves),
                    count(of.inaccuracies),
                    count(of.mistakes),
                    count(of.blunders),
                    format!("{:.1} %", of.loss * 100.0),
                    accuracy,
                ],
            }
        }));
        console.text(tables::plain(&rows, &[1, 2, 3, 4, 5, 6], console.width()))?;
    }
    if interrupt::interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
}

fn heading(alone: bool) -> Vec<String> {
    let words: &[&str] = match alone {
        true => &["", "moves", "mean loss"],
        false => &["", "moves", "?!", "?", "??", "mean loss", "accuracy"],
    };
    words.iter().map(ToString::to_string).collect()
}

/// A move, what it costs, and what was better.
fn row(of: &Judged, alone: bool) -> Vec<String> {
    let name = format!("{}. {}: {}{}", of.number, of.player, of.notation, of.mark.sign());
    let loss = match (of.mark, alone) {
        (Mark::Forced, _) => "forced".to_string(),
        (Mark::Best, _) => "best".to_string(),
        (_, true) => format!("score {:.1} instead of {:.1}", of.played, of.best),
        (_, false) => {
            let [played, best] = [of.played, of.best].map(|share| share * 100.0);
            format!("{played:.0} % instead of {best:.0} %")
        }
    };
    let better = match of.line.split_first() {
        Some((first, rest)) if of.loss() > 0.0 => {
            format!("better {first} {}", rest.join(" ")).trim_end().to_string()
        }
        _ => String::new(),
    };
    vec![name, loss, better]
}
