//! What each argument and variable can hold, inferred from tables and declarations.
//!
//! An abstract interpretation over the whole program: values flow from the heads of clauses to
//! the goals that call them, and from callers to the arguments that a relation needs bound, until
//! nothing changes. Intervals that keep growing are widened. A compound that a clause of play
//! builds is a value like any other: its instances over the domains of its arguments are interned
//! here, so that every stage after this one has a constant for each.
//!
//! `domain.rs` is the lattice, `infer.rs` the fixpoint, `goals.rs` what one goal says, `terms.rs`
//! terms and their instances, `numbers.rs` intervals of expressions and which of them may be a
//! rule error, `faults.rs` what is wrong, `checks/` what is most likely a slip.

pub mod checks;
mod domain;
mod faults;
mod goals;
mod infer;
mod numbers;
mod terms;

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::program::{ClauseId, FluentId, RelationId, VariableId};
use crate::source::Span;

pub use domain::{ALL, Constants, Domain};
pub use infer::{check_clause, infer};

/// What was inferred.
#[derive(Debug, Clone, Default)]
pub struct Types {
    /// For each relation, each argument in its answers.
    pub columns: Vec<Vec<Domain>>,
    /// For each clause, each variable.
    pub variables: Vec<Vec<Domain>>,
    /// For each fluent, each key and, for a map, the value last.
    pub fluents: Vec<Vec<Domain>>,
    /// For each functor of a move or chance event, its arguments.
    pub moves: Vec<(String, Vec<Domain>)>,
    /// The items of lists that a move builds.
    pub items: Domain,
    /// Goals that may be a rule error, by their places.
    pub may_raise: FxHashSet<Span>,
    /// For each relation: may an answer of it be a rule error?
    pub raises: Vec<bool>,
    pub faults: Vec<Diagnostic>,
    forms: domain::Forms,
}

impl Types {
    pub fn variable(&self, clause: ClauseId, variable: VariableId) -> &Domain {
        &self.variables[clause.0 as usize][variable.0 as usize]
    }

    pub fn column(&self, relation: RelationId, column: usize) -> &Domain {
        &self.columns[relation.0 as usize][column]
    }

    /// The keys of a fluent and, for a map, its value last.
    pub fn fluent(&self, fluent: FluentId) -> &[Domain] {
        &self.fluents[fluent.0 as usize]
    }
}
