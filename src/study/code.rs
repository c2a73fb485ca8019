//! `ludex show code`: the functions of a game's machine code, why others are interpreted, and what
//! machine code asks the interpreter for.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::engine::{Execution, FunctionKind, FunctionReport, Game, Lack, PlayoutOptions, Session};
use crate::plan::{Body, OpId};
use crate::referee::interrupt;

use crate::referee::Stop;
use crate::ui::console::Console;

/// Random games in which the functions are tried, their longest, and the most time for them.
const TRIED: u64 = 100;
const TRIED_PLIES: u64 = 200;
const TRIED_TIME: Duration = Duration::from_secs(2);

/// Prints each function with its task, where it is left to the interpreter the reason, and the goals
/// whose answers it asks the interpreter for.
pub fn show(game: &Game, as_json: bool, console: &Console) -> Result<(), Stop> {
    let Some(report) = game.code.report(&game.plan, &interrupt::interrupted) else {
        return Err(match interrupt::interrupted() {
            true => Stop::Interrupted,
            false => Stop::Failed("there is no code generator for this machine".to_string()),
        });
    };
    let lacks = |lack: &Lack| lack.text(&game.plan);
    if as_json {
        let all = report.functions.iter().map(|function| {
            json!({
                "function": purpose(game, function),
                "at": place(game, function),
                "interpreted": function.lacks.as_ref().map(lacks),
                "asks_interpreter": asks(game, function),
            })
        });
        let functions = all.collect::<Vec<_>>();
        return console.json(&json!({ "functions": functions, "given_up": tried(game) }));
    }
    for function in &report.functions {
        let place = place(game, function);
        let place = if place.is_empty() { place } else { format!(" ({place})") };
        let is = if function.lacks.is_some() { "interpreted " } else { "machine code" };
        console.line(format!("{is}  {}{place}", purpose(game, function)))?;
        if let Some(lack) = &function.lacks {
            console.line(format!("              because of {}", lacks(lack)))?;
        }
        for goal in asks(game, function) {
            console.line(format!("              asks the interpreter for {goal}"))?;
        }
    }
    let left = report.left().count();
    console.line(format!("{} functions, {left} of them interpreted", report.functions.len()))?;
    match tried(game) {
        0 => Ok(()),
        n => console.line(given_up(n)),
    }
}

/// That functions have bailed out too often.
pub fn given_up(functions: u64) -> String {
    let (which, are) = match functions {
        1 => ("1 function of machine code".to_string(), "is"),
        n => (format!("{n} functions of machine code"), "are"),
    };
    format!("{which} bailed out too often in random games and {are} interpreted from then on")
}

/// How many functions bail out too often in some random games.
fn tried(game: &Game) -> u64 {
    let mut session = Session::with(game, Execution::Native);
    session.set_until(Some(Instant::now() + TRIED_TIME));
    let opening = session.opening();
    let mut options = PlayoutOptions {
        seed: 1,
        max_plies: TRIED_PLIES,
        go_on: &mut |counts| counts.games < TRIED,
        finished: None,
        seen: None,
    };
    // what the games come to does not matter here
    let _ = session.playouts(&opening, &mut options);
    session.native_runs().given_up
}

/// The goals whose answers a function asks the interpreter for, each with its place.
fn asks(game: &Game, function: &FunctionReport) -> Vec<String> {
    let sources = &game.program.sources;
    let goal = |id: &OpId| {
        let goal = game.plan.written.get(game.plan.blocks.written(*id));
        goal.map_or_else(String::new, |goal| {
            let text: Vec<&str> = sources.text(goal.span).split_whitespace().collect();
            format!("`{}` ({})", text.join(" "), sources.place(goal.span))
        })
    };
    function.asks.iter().map(goal).collect()
}

pub fn purpose(game: &Game, function: &FunctionReport) -> String {
    let clause = |chance: bool, number: u16| {
        let functor = game.plan.clauses(chance)[number as usize].functor;
        let (name, arity) = &game.plan.functors[functor as usize];
        format!("{} {name}/{arity}", if chance { "chance" } else { "move" })
    };
    let relation = |number: u32| &game.plan.procedures[number as usize].name;
    let text = match function.kind {
        FunctionKind::Ends { whole: true } => {
            "the end, with the candidates of a position".to_string()
        }
        FunctionKind::Ends { whole: false } => "the end".to_string(),
        FunctionKind::Moves => "the candidates of all clauses".to_string(),
        FunctionKind::Playout => "random moves to the end of the game".to_string(),
        FunctionKind::Trials => "candidates that are tried".to_string(),
        FunctionKind::AnyLegal => "whether a candidate is legal".to_string(),
        FunctionKind::Perft => "perft".to_string(),
        FunctionKind::Generate { chance, clause: n } => {
            format!("{}: candidates", clause(chance, n))
        }
        FunctionKind::Apply { chance, clause: n } => format!("{}: play", clause(chance, n)),
        FunctionKind::Number { chance, clause: n } => {
            format!("{}: {}", clause(chance, n), if chance { "weight" } else { "rank" })
        }
        FunctionKind::Sum(n) => format!("{} of a player", relation(n)),
        FunctionKind::Test(n) => format!("test of {}", relation(n)),
        FunctionKind::Tuples(n) => format!("answers of {}", relation(n)),
        FunctionKind::Gather(n) => format!("set of {}", relation(n)),
        FunctionKind::Action { procedure, .. } => format!("action {}", relation(procedure)),
    };
    if function.continues { format!("{text}, behind a call") } else { text }
}

/// The place in the rules of what the function implements.
pub fn place(game: &Game, function: &FunctionReport) -> String {
    let of = |body: &Body| game.program.sources.place(game.program.clause(body.clause).span);
    match function.kind {
        FunctionKind::Ends { .. } | FunctionKind::Moves | FunctionKind::Playout => String::new(),
        FunctionKind::Trials | FunctionKind::AnyLegal | FunctionKind::Perft => String::new(),
        FunctionKind::Generate { chance, clause }
        | FunctionKind::Apply { chance, clause }
        | FunctionKind::Number { chance, clause } => {
            of(&game.plan.clauses(chance)[clause as usize].generate)
        }
        FunctionKind::Test(procedure)
        | FunctionKind::Sum(procedure)
        | FunctionKind::Tuples(procedure)
        | FunctionKind::Gather(procedure)
        | FunctionKind::Action { procedure, .. } => {
            game.plan.procedures[procedure as usize].clauses.first().map_or_else(String::new, of)
        }
    }
}
