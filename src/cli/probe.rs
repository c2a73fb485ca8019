//! `ludex probe`: the value of a position that was solved before.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::referee::{Evaluator, Position, Referee, Stop, interrupt};
use crate::solve::{Probe, Value};
use crate::ui::arguments::{GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::{open, signals, solutions, start, tables};

/// Shows what a position comes to, and each of its moves, from values that `ludex solve` has kept.
#[derive(Debug, Args)]
pub struct ProbeArguments {
    #[command(flatten)]
    game: GameArguments,

    #[command(flatten)]
    start: StartArguments,

    /// The folder with the values, where `solve` was given one.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ProbeArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    referee.values = match &arguments.store {
        None => solutions::known(&game),
        Some(folder) => {
            let probe =
                Probe::open(&game, &solutions::identity(&game), folder, &interrupt::interrupted);
            vec![probe.map_err(|trouble| referee.unsolved(trouble))?]
        }
    };
    if referee.values.is_empty() {
        return Err(Stop::Failed(
            "no values of this game are kept; `ludex solve` with the same game and options finds them"
                .to_string(),
        ));
    }
    let position = start::position(&mut referee, &arguments.start)?;
    let turn = referee.name(referee.turn(&position));
    let Position::Compiled(state) = &position else { return Ok(()) };
    let Some(own) = referee.exact(state)? else {
        return Err(Stop::Failed(
            "the position has no value: it cannot be reached from where a solution begins, or is not solved \
             yet"
            .to_string(),
        ));
    };
    let mut rows = Vec::new();
    if referee.outcome(&position)?.is_none() {
        let facts = referee.facts(&position);
        for (mv, next) in referee.successors(&position)? {
            let same = referee.turn(&next) == referee.turn(&position);
            let Position::Compiled(after) = &next else { continue };
            let known = referee.exact(after)?.map(|value| value.before(same));
            rows.push((referee.notation(&facts, &mv)?, known));
        }
    }
    rows.sort_by_key(|(_, known)| -known.map_or(i32::MIN + 1, Value::rank));
    if arguments.json {
        let moves = rows.iter().map(
            |(mv, known)| json!({ "move": mv, "value": known.map(|value| value.to_string()) }),
        );
        return console.json(&json!({
            "game": game.program.title,
            "to_move": turn,
            "value": own.to_string(),
            "moves": moves.collect::<Vec<_>>(),
        }));
    }
    console.line(format!("{turn} to move: {own}"))?;
    let shown = |known: &Option<Value>| known.map_or("not known".to_string(), |v| v.to_string());
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(mv, known)| vec![mv.clone(), shown(known)]).collect();
    console.text(tables::plain(&rows, &[], console.width()))
}
