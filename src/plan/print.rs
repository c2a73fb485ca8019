//! A plan as text: what `ludex show plan` prints.

use std::fmt::Write;

use crate::program::Program;

use super::layout::Cells;
use super::ops::{Block, MoveClause};
use super::{Plan, Recursion};

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
        let _ = writeln!(out, "  {}: {cells}{planes}", place.name);
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
        let _ = writeln!(out, "\nend {:?} {}", end.kind, place_of(program, &end.block));
        block(&mut out, plan, end.block.start);
    }
    for (i, procedure) in plan.procedures.iter().enumerate() {
        let recursion = match &procedure.recursion {
            Recursion::None => String::new(),
            other => format!(", {other:?}"),
        };
        let _ = writeln!(
            out,
            "\nprocedure {i}: {} {:?} {:?}{recursion}",
            procedure.name, procedure.answer, procedure.arguments
        );
        for b in &procedure.blocks {
            let _ = writeln!(out, "  {}", place_of(program, b));
            block(&mut out, plan, b.start);
        }
    }
    let _ = writeln!(out, "\ncode");
    for (pc, op) in plan.code.iter().enumerate() {
        let _ = writeln!(out, "{pc:5}  {op:?}");
    }
    out
}

fn place_of(program: &Program, block: &Block) -> String {
    let clause = program.clause(block.clause);
    format!(
        "{} ({} registers, {} sets)",
        program.sources.place(clause.span),
        block.registers,
        block.sets
    )
}

fn move_clause(out: &mut String, plan: &Plan, program: &Program, title: &str, clause: &MoveClause) {
    let (name, arity) = &plan.functors[clause.functor as usize];
    let mut notes = Vec::new();
    if clause.branching {
        notes.push("branching");
    }
    if clause.tested {
        notes.push("tested");
    }
    if clause.risky {
        notes.push("risky");
    }
    if clause.repeats {
        notes.push("told apart");
    }
    let _ = writeln!(
        out,
        "\n{title} {name}/{arity} {} rank {:?} {}",
        place_of(program, &clause.generate),
        clause.rank,
        notes.join(", ")
    );
    let _ = writeln!(out, "  generate");
    block(out, plan, clause.generate.start);
    if let Some(apply) = clause.apply {
        let _ = writeln!(out, "  apply");
        block(out, plan, apply);
    }
}

/// The instructions from a block's start to its terminal one.
fn block(out: &mut String, plan: &Plan, start: u32) {
    for (pc, op) in plan.code.iter().enumerate().skip(start as usize) {
        let _ = writeln!(out, "    {pc:5}  {op:?}");
        if op.is_terminal() {
            break;
        }
    }
}
