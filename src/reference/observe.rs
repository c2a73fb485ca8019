//! A hook into evaluation: the goals that are tried, and their results.
//!
//! The events are those of a Prolog tracer (Byrd's box model): a goal is entered once, has any number
//! of answers, and fails when it has no more. Everything between an answer of a goal and its next
//! event is a consequence of that answer. A goal of which only the first answer is needed, e.g. in a
//! negation, may have no event of failure.

use std::sync::Arc;

use crate::program::{Clause, ClauseId, Goal, Value, Values};

use super::facts::{Facts, Map, Position};

/// A goal of a clause, with the current bindings.
#[derive(Debug, Clone, Copy)]
pub struct Trace<'e> {
    /// The clause's id; `None` for goals of the question itself.
    pub id: Option<ClauseId>,
    /// The clause that contains the goal.
    pub clause: &'e Clause,
    /// The goal.
    pub goal: &'e Goal,
    /// The value of each variable of the clause; `None` where it is not bound.
    pub bindings: &'e [Option<Value>],
    /// The number of nested calls that lead to the clause.
    pub depth: usize,
    /// The constants, those made by the clause included.
    pub values: &'e Values,
    pub(crate) state: &'e [Arc<Map>],
    pub(crate) past: &'e Arc<Vec<Position>>,
}

impl Trace<'_> {
    /// The current position, with the updates made so far.
    pub fn facts(&self) -> Facts {
        Facts { maps: self.state.to_vec(), past: Arc::clone(self.past) }
    }
}

/// Receives the events of an evaluation. The default of every method does nothing.
pub trait Observer {
    /// A goal is tried.
    fn enter(&mut self, _trace: &Trace<'_>) {}

    /// It holds, with these bindings; the goals after it are tried next.
    fn answer(&mut self, _trace: &Trace<'_>) {}

    /// It has no (more) answers.
    fn fail(&mut self, _trace: &Trace<'_>) {}

    /// A clause has made its move, which leads to this position.
    fn made(&mut self, _clause: ClauseId, _facts: &Facts) {}
}

/// An observer that ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
