//! A plan as text: what `ludex show plan` prints.

use std::fmt::Write;

use crate::program::Program;

use super::layout::Cells;
use super::ops::{Answer, Body, MoveClause, Rank, Risk};
use super::tree::print_block;
use super::{Plan, Recursion, Untabled};

/// The layout of the state, the tables, and every block with its instructions.
pub fn print_plan(plan: &Plan, program: &Program) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "state: {} words, sets of {} words, {} bit tables, {} indexes, {} constants",
        plan.layout.len,
        plan.layout.words,
        plan.rows.len(),
        plan.indexes.len(),
        plan.universes.constants()
    );
    for place in &plan.layout.places {
        let cells = match place.cells {
            Cells::Word(word) => format!("word {word}"),
            Cells::Packed { first, shift } => {
                format!("{} cells of {} bits from word {first}", place.size, 1 << shift)
            }
            Cells::None => "no cells".to_string(),
        };
        let planes = match place.planes {
            Some(planes) => {
                format!(", planes from word {}, defined at {}", planes.first, planes.defined)
            }
            None => String::new(),
        };
        let slices: String = (place.slices.iter())
            .map(|s| format!(", slices over key {} from word {}", s.key + 1, s.first))
            .collect();
        let _ = writeln!(out, "  {}: {cells}{planes}{slices}", place.name);
    }
    for (i, index) in plan.indexes.iter().enumerate() {
        let kind = if index.functional { "functional" } else { "many" };
        let _ = writeln!(
            out,
            "index {i}: {} ({kind}, {} rows)",
            index.name,
            index.starts.last().unwrap_or(&0)
        );
    }
    for (i, rows) in plan.rows.iter().enumerate() {
        let _ = writeln!(
            out,
            "bits {i}: {} ({} words, {:.1} on average)",
            rows.name,
            rows.bits.len(),
            rows.average
        );
    }
    for (title, clauses) in [("move", &plan.moves), ("chance", &plan.chance)] {
        for clause in clauses {
            move_clause(&mut out, plan, program, title, clause);
        }
    }
    for end in &plan.ends {
        let _ = writeln!(out, "\nend {:?} {}", end.kind, place_of(program, &end.body));
        print_block(&mut out, plan, end.body.start, 1);
    }
    for (i, procedure) in plan.procedures.iter().enumerate() {
        let recursion = match &procedure.recursion {
            Recursion::None => String::new(),
            Recursion::Plain => ", recursive".to_string(),
            Recursion::Flood { .. } => ", a flood".to_string(),
            Recursion::Tabled { untabled: Untabled::Ends, .. } => ", along a line".to_string(),
            Recursion::Tabled { untabled: Untabled::Tried, .. } => {
                ", as written or, where that takes too long, a table".to_string()
            }
            Recursion::Tabled { .. } => ", a table".to_string(),
        };
        let arguments: Vec<String> =
            procedure.arguments.iter().map(|a| format!("{a:?}").to_lowercase()).collect();
        let answer = match procedure.answer {
            Answer::Test => "a test",
            Answer::Set => "a set",
            Answer::Tuples => "tuples",
        };
        let _ = writeln!(
            out,
            "\nprocedure {i}: {} as {answer} ({}){recursion}",
            procedure.name,
            arguments.join(", ")
        );
        for (number, body) in procedure.clauses.iter().enumerate() {
            let seed = match &procedure.recursion {
                Recursion::Flood { seeds, .. } if seeds[number] => ", first",
                Recursion::Flood { .. } => ", each round with what is new in s0",
                _ => "",
            };
            let _ = writeln!(out, "  {}{seed}", place_of(program, body));
            print_block(&mut out, plan, body.start, 2);
        }
    }
    out
}

fn place_of(program: &Program, body: &Body) -> String {
    let clause = program.clause(body.clause);
    format!(
        "{} ({} registers, {} sets)",
        program.sources.place(clause.span),
        body.registers,
        body.sets
    )
}

fn move_clause(out: &mut String, plan: &Plan, program: &Program, title: &str, clause: &MoveClause) {
    let (name, arity) = &plan.functors[clause.functor as usize];
    let mut notes = Vec::new();
    if clause.branching {
        notes.push("branching");
    } else if clause.updates {
        notes.push("candidates behind updates");
    }
    if clause.all_ways {
        notes.push("all ways taken");
    }
    if clause.tested {
        notes.push("tested");
    }
    match clause.risk {
        Risk::Never => {}
        Risk::Outside(_) => notes.push("risky outside of some values"),
        Risk::Always => notes.push("risky"),
    }
    if clause.repeats {
        notes.push("told apart");
    }
    let rank = match clause.rank {
        Rank::Fixed(rank) => rank.to_string(),
        Rank::Computed(procedure) => format!("by procedure {procedure}"),
    };
    let _ = writeln!(
        out,
        "\n{title} {name}/{arity} {}, rank {rank}{}",
        place_of(program, &clause.generate),
        notes.iter().map(|note| format!(", {note}")).collect::<String>()
    );
    let _ = writeln!(out, "  generate");
    print_block(out, plan, clause.generate.start, 2);
    if let Some(apply) = clause.apply {
        let _ = writeln!(out, "  apply");
        print_block(out, plan, apply, 2);
    }
}
