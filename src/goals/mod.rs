//! How goals are answered: from left to right with backtracking, wherever the facts come from.
//!
//! Static evaluation and the reference evaluator both run goals this way. They say what a call of a
//! relation answers, how goals that read or change the state are run, and what a budget allows
//! ([`Evaluator`]); conjunctions, conditions, negations, comparisons, arithmetic, aggregates and terms
//! are the same for both.

mod aggregate;
mod builtins;
mod evaluator;
mod terms;

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::program::{ClauseId, Value, VariableId};

pub use aggregate::{Aggregates, locals};
pub use evaluator::Evaluator;
pub use terms::Terms;

/// One answer of a relation: a value for each argument.
pub type Row = SmallVec<[Value; 4]>;

/// Why a run stops early.
#[derive(Debug)]
pub enum Stop<F> {
    /// One answer was enough.
    Enough,
    /// A rule error, a budget that is spent, or an interruption.
    Fault(F),
}

/// A result, or the reason to stop.
pub type Answer<T, F> = ControlFlow<Stop<F>, T>;

/// The continuation of a goal, called for each answer. `Continue` means backtracking for more.
pub type Next<'n, E> =
    &'n mut dyn FnMut(&mut E, &mut Environment) -> Answer<(), <E as Evaluator>::Fault>;

/// Whether a run stopped because an answer was enough.
///
/// # Errors
/// The fault that stopped it.
pub fn found<F>(flow: Answer<(), F>) -> Answer<bool, F> {
    match flow {
        ControlFlow::Continue(()) => ControlFlow::Continue(false),
        ControlFlow::Break(Stop::Enough) => ControlFlow::Continue(true),
        ControlFlow::Break(fault) => ControlFlow::Break(fault),
    }
}

/// The bindings of one clause's variables, and the order in which they were made.
#[derive(Debug)]
pub struct Environment {
    /// The clause; `None` for a question.
    pub clause: Option<ClauseId>,
    /// The number of nested calls that lead to the clause.
    pub depth: usize,
    /// The values of the variables, by their numbers.
    pub slots: Vec<Option<Value>>,
    trail: Vec<VariableId>,
}

impl Environment {
    /// Bindings of a clause with this many variables, none of which has a value.
    pub fn new(clause: Option<ClauseId>, depth: usize, variables: usize) -> Environment {
        Environment { clause, depth, slots: vec![None; variables], trail: Vec::new() }
    }

    /// The value of a variable.
    #[inline]
    pub fn get(&self, variable: VariableId) -> Option<Value> {
        self.slots[variable.0 as usize]
    }

    /// Gives a variable a value.
    #[inline]
    pub fn bind(&mut self, variable: VariableId, value: Value) {
        self.slots[variable.0 as usize] = Some(value);
        self.trail.push(variable);
    }

    /// The bindings made so far, for [`Self::undo`].
    #[inline]
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes the bindings made since the mark.
    #[inline]
    pub fn undo(&mut self, mark: usize) {
        for variable in &self.trail[mark..] {
            self.slots[variable.0 as usize] = None;
        }
        self.trail.truncate(mark);
    }
}
