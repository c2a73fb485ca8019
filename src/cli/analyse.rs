//! `ludex analyse`: the best moves of a position, with the lines that are expected.

use clap::Args;
use serde_json::json;

use crate::referee::{Choices, Evaluator, Position, Referee, Stop, Thought};
use crate::syntax::print_term;
use crate::ui::arguments::{GameArguments, StartArguments, limits, seconds};
use crate::ui::console::Console;
use crate::ui::{open, signals, solutions, start, tables, thinking};

use super::tournament::Kind;

/// Shows the best moves of a position by the computer's judgement, with the lines that it expects.
#[derive(Debug, Args)]
pub struct AnalyseArguments {
    #[command(flatten)]
    game: GameArguments,

    #[command(flatten)]
    start: StartArguments,

    /// How many moves to show.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    lines: u16,

    /// How long to think, in seconds.
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    time: f64,

    /// Searches N positions in place of a time; the result is then the same on any machine. A random game
    /// counts as fifty positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Who thinks.
    #[arg(long, value_enum, default_value = "auto")]
    player: Kind,

    /// How many threads search, where the player is `alphabeta` or `montecarlo`. With more than one the result may differ
    /// from run to run.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: u16,

    /// The seed of playouts, otherwise 1. The chance events that are due are drawn by it too, as the prompt and `ludex play`
    /// do.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &AnalyseArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    arguments.player.fits(&game)?;
    signals::catch();
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    referee.values = solutions::known(&game);
    referee.threads = usize::from(arguments.threads);
    let position = start::track_by(&mut referee, &arguments.start, arguments.seed)?.position;
    if let Some(outcome) = referee.outcome(&position)? {
        let result = referee.result(&outcome);
        return Err(Stop::Failed(format!("the game is over: {result}")));
    }
    let choices = referee.choices(&position)?;
    if choices.chance {
        let event = choices.all.first().map(|(event, _)| event);
        let facts = referee.facts(&position);
        let event = event.map(|event| referee.notation(&facts, event)).transpose()?;
        let after: Vec<&str> =
            arguments.start.after.as_deref().into_iter().chain(event.as_deref()).collect();
        return Err(Stop::Failed(format!(
            "chance decides here: let --seed draw what happens, such as --seed 1, or add it to --after, such as --after \"{}\"",
            after.join(" ")
        )));
    }
    let limits = limits(arguments.nodes, arguments.time);
    let thought =
        Thought { player: arguments.player.player(), limits, seed: arguments.seed.unwrap_or(1) };
    let wanted = usize::from(arguments.lines);
    let found = thinking::shown(&game, &position, |listener| {
        referee.analyse(&position, &choices, thought, wanted, listener)
    })?;
    let mut lines = Vec::with_capacity(found.len());
    for choice in &found {
        lines.push(referee.expected_line(&position, choice)?);
    }
    if arguments.json {
        let moves = found.iter().zip(&lines).map(|(choice, line)| {
            json!({
                "move": print_term(&choice.term),
                "notation": line.first(),
                "line": line,
                "expected": choice.expected,
                "score": choice.score,
                "reason": choice.reason,
                "work": choice.playouts,
            })
        });
        return console.json(&json!({
            "game": game.program.title,
            "to_move": referee.name(referee.turn(&position)),
            "moves": moves.collect::<Vec<_>>(),
        }));
    }
    console.line(heading(&referee, &position, &choices))?;
    let rows: Vec<Vec<String>> = found
        .iter()
        .zip(&lines)
        .map(|(choice, line)| vec![line[0].clone(), choice.reason.clone(), line[1..].join(" ")])
        .collect();
    console.text(tables::plain(&rows, &[], console.width()))
}

fn heading(referee: &Referee<'_>, position: &Position, choices: &Choices) -> String {
    let turn = referee.name(referee.turn(position));
    let count = choices.all.len();
    format!("{turn} to move, {count} move{}", if count == 1 { "" } else { "s" })
}
