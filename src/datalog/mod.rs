//! A small bottom-up evaluator of static relations; it knows nothing of games.
//!
//! Components of the dependency graph are taken dependencies first. A recursive component is
//! evaluated semi-naively (Bancilhon 1986): each round joins what the last round found with
//! everything known, once for each recursive call of each clause. Budgets turn a runaway into a
//! diagnostic that names the clause.

mod builtins;
mod solve;
mod table;

pub use builtins::answers as built_in_answers;
pub use table::{Row, Table};

use crate::diagnostic::Diagnostic;
use crate::program::{ClauseId, Kind, Program, RelationId};

use solve::{Limit, Solver};

/// The tables of all static relations; empty for relations of another kind.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    tables: Vec<Table>,
}

impl Tables {
    pub fn get(&self, relation: RelationId) -> &Table {
        &self.tables[relation.0 as usize]
    }
}

/// How much work static evaluation may do before it is called endless.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Facts of all tables together.
    pub facts: usize,
    /// Goals tried, and items of lists and compounds built.
    pub steps: u64,
    /// Calls inside calls of relations that are evaluated on demand.
    pub depth: usize,
    /// Asked now and then; true breaks the evaluation off.
    pub interrupted: Option<fn() -> bool>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { facts: 2_000_000, steps: 60_000_000, depth: 5_000, interrupted: None }
    }
}

/// Evaluates every static relation of the program. New constants are interned in its values.
///
/// # Errors
/// A diagnostic that names the clause: a budget is used up, arithmetic has no result, or a goal
/// that needs bound values met an unbound one. None where it was interrupted.
pub fn evaluate(program: &mut Program, budget: Budget) -> Result<Tables, Vec<Diagnostic>> {
    let mut values = std::mem::take(&mut program.values);
    values.intern_rests();
    let mut solver = Solver::new(program, &mut values, budget);
    let mut failed = None;
    for component in &program.graph.components {
        let statics: Vec<RelationId> = component
            .iter()
            .copied()
            .filter(|id| program.relation(*id).kind == Kind::Static)
            .collect();
        if let Err(limit) = component_fixpoint(&mut solver, program, &statics) {
            failed = Some(limit);
            break;
        }
    }
    let mut tables = std::mem::take(&mut solver.tables);
    drop(solver);
    program.values = values;
    if let Some(limit) = failed {
        return Err(report(program, &limit).into_iter().collect());
    }
    tables.iter_mut().for_each(Table::freeze);
    Ok(Tables { tables })
}

fn component_fixpoint(
    solver: &mut Solver<'_>,
    program: &Program,
    component: &[RelationId],
) -> Result<(), Limit> {
    let clauses: Vec<ClauseId> =
        component.iter().flat_map(|id| program.relation(*id).clauses.iter().copied()).collect();
    let recursive = |id: ClauseId| {
        program
            .graph
            .calls(program.clause(id).relation)
            .any(|(to, d)| d.clause == id && component.contains(&to))
    };
    for id in clauses.iter().filter(|id| !recursive(**id)) {
        solver.clause(*id, None)?;
    }
    let loops: Vec<ClauseId> = clauses.into_iter().filter(|id| recursive(*id)).collect();
    if loops.is_empty() {
        return Ok(());
    }
    let mut from: Vec<usize> = vec![0; component.len()];
    loop {
        let to: Vec<usize> =
            component.iter().map(|id| solver.tables[id.0 as usize].len()).collect();
        if from == to {
            component.iter().for_each(|id| solver.sort(*id));
            return Ok(());
        }
        solver.delta =
            component.iter().zip(from.iter().zip(&to)).map(|(id, (a, b))| (*id, *a..*b)).collect();
        for id in &loops {
            for occurrence in 0..solver.occurrences(*id) {
                solver.clause(*id, Some(occurrence))?;
            }
        }
        from = to;
    }
}

fn report(program: &Program, limit: &Limit) -> Option<Diagnostic> {
    let clause = program.clause(limit.clause());
    let name = program.relation(clause.relation).indicator();
    Some(match limit {
        Limit::Interrupted { .. } => return None,
        Limit::Budget { facts, .. } => Diagnostic::error(
            "static-budget",
            format!("the evaluation of `{name}` does not seem to end"),
        )
        .at(clause.span, format!("stopped here, with {facts} facts"))
        .hint("bound what grows in it: a number, e.g. `N =< 10`, a list or a compound"),
        Limit::Depth { .. } => {
            Diagnostic::error("static-budget", format!("`{name}` calls itself without end"))
                .at(clause.span, "stopped here")
                .hint("a recursive relation needs a clause that ends the recursion")
        }
        Limit::Arithmetic { span, text, .. } => Diagnostic::error(
            "arithmetic",
            format!("`{text}` has no value"),
        )
        .at(*span, "calculated here, at load")
        .hint("numbers have 60 bits; `/` must be exact (`//` rounds), and nothing is divided by 0"),
        Limit::Unbound { span, text, .. } => {
            Diagnostic::error("unbound-variable", format!("a value is missing in `{text}`"))
                .at(*span, "not bound when this goal is reached")
                .hint("put a goal before it that gives the value")
        }
    })
}
