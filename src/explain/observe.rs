//! A hook into evaluation: what was tried, and what came of it.
//!
//! The events are those of a Prolog tracer (Byrd's boxes): a goal is entered once, answers any
//! number of times, and fails when it has no more answers. Whatever happens between an answer of
//! a goal and its next event is done on that answer's account. A goal that is asked for its first
//! answer only, e.g. in a negation, may not come to its failure.

use std::sync::Arc;

use crate::program::{Clause, ClauseId, Goal, Value, Values};

use super::facts::{Facts, Map, Position};

/// A goal of a clause with the bindings of the moment.
#[derive(Debug, Clone, Copy)]
pub struct Trace<'e> {
    /// `None` for the question's own goals.
    pub id: Option<ClauseId>,
    pub clause: &'e Clause,
    pub goal: &'e Goal,
    /// The value of each of the clause's variables.
    pub bindings: &'e [Option<Value>],
    /// How many calls lead to the clause.
    pub depth: usize,
    /// Knows the constants in `bindings`, those made by the clause included.
    pub values: &'e Values,
    pub(super) state: &'e [Arc<Map>],
    pub(super) past: &'e Arc<Vec<Position>>,
}

impl Trace<'_> {
    /// The position as it is at this moment, updates that were made on the way included.
    pub fn facts(&self) -> Facts {
        Facts { maps: self.state.to_vec(), past: Arc::clone(self.past) }
    }
}

/// Is told what the evaluator does. Every method does nothing unless it is written anew.
pub trait Observer {
    /// A goal is tried.
    fn enter(&mut self, _trace: &Trace<'_>) {}

    /// It holds, with these bindings; what comes after it is tried now.
    fn answer(&mut self, _trace: &Trace<'_>) {}

    /// It has no (more) answers.
    fn fail(&mut self, _trace: &Trace<'_>) {}

    /// A clause has made its move, which leads to this position.
    fn made(&mut self, _clause: ClauseId, _facts: &Facts) {}
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
