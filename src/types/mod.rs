//! The values that each argument and variable can have, inferred from tables and declarations.
//!
//! An abstract interpretation over the whole program: values flow from the heads of clauses to
//! the goals that call them, and from callers to the arguments that a relation needs bound, until
//! nothing changes. Intervals that keep growing are widened. A compound that a clause of play
//! builds is a value like any other: its instances over the domains of its arguments are interned
//! here, so that every stage after this one has a constant for each.
//!
//! `domain.rs` is the lattice, `infer.rs` the fixpoint, `goals.rs` the effect of one goal, `terms.rs`
//! terms and their instances, `numbers.rs` intervals of expressions and whether they may be a
//! rule error. `declared.rs` checks the declared domains, `faults.rs` reports errors, and `checks/` warns about likely mistakes.

pub mod checks;
mod declared;
mod domain;
mod faults;
mod goals;
mod infer;
mod numbers;
mod terms;

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::program::{ClauseId, FluentId, Goal, GoalKind, Program, RelationId, VariableId};
use crate::source::Span;

pub use declared::check_state;
pub use domain::{ALL, Constants, Domain};
pub use infer::{check_clause, infer};

/// The result of the inference.
#[derive(Debug, Clone, Default)]
pub struct Types {
    /// For each relation, its arguments in its answers.
    pub columns: Vec<Vec<Domain>>,
    /// For each clause, its variables.
    pub variables: Vec<Vec<Domain>>,
    /// For each fluent, its keys and, for a map, its value last.
    pub fluents: Vec<Vec<Domain>>,
    /// For each functor of a move or chance event, its arguments.
    pub moves: Vec<(String, Vec<Domain>)>,
    /// The items of all lists that moves build.
    pub items: Domain,
    /// The places of the goals that may be a rule error.
    pub may_raise: FxHashSet<Span>,
    /// For each relation, whether a call of it may be a rule error.
    pub raises: Vec<bool>,
    /// The errors and warnings found by the inference.
    pub faults: Vec<Diagnostic>,
    forms: domain::Forms,
}

impl Types {
    /// The domain of a variable of a clause.
    pub fn variable(&self, clause: ClauseId, variable: VariableId) -> &Domain {
        &self.variables[clause.0 as usize][variable.0 as usize]
    }

    /// The domain of an argument of a relation, counted from 0.
    pub fn column(&self, relation: RelationId, column: usize) -> &Domain {
        &self.columns[relation.0 as usize][column]
    }

    /// Whether a goal, or one inside of it, may be a rule error.
    pub(crate) fn may_raise_in(&self, body: &Goal, program: &Program) -> bool {
        let mut raises = false;
        let special = program.special;
        let relation = |id: RelationId| self.raises[id.0 as usize];
        body.walk(&mut |goal| {
            raises |= self.may_raise.contains(&goal.span);
            match &goal.kind {
                GoalKind::Call(id, _) => raises |= relation(*id),
                GoalKind::Legal(_) | GoalKind::Stuck => {
                    let asked = [special.moves, special.chance, special.rank];
                    raises |= asked.into_iter().flatten().any(relation);
                }
                _ => {}
            }
        });
        raises
    }

    /// The domains of the keys of a fluent and, for a map, of its value last.
    pub fn fluent(&self, fluent: FluentId) -> &[Domain] {
        &self.fluents[fluent.0 as usize]
    }
}
