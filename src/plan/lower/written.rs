//! Blocks under construction, and the goals that their instructions come from.
//!
//! Goals are moved, copied and merged before their instructions are emitted, so each is identified
//! by its content: the goals of a clause have variables of their own. Of two equal goals of a
//! clause the first counts.

use crate::program::ClauseId;
use crate::source::Span;

use super::super::ops::Op;
use super::super::written::{Written, WrittenId};
use super::Lowering;
use super::goals::{G, Scope};

/// A block under construction: its instructions in the order in which they run. The instructions
/// after a generator or a choice are moved to blocks of their own when the block is placed.
#[derive(Debug, Clone)]
pub(super) struct Builder {
    pub ops: Vec<Op>,
    /// The goal that each instruction comes from.
    pub written: Vec<WrittenId>,
    /// The goal of the instructions to come.
    at: WrittenId,
}

impl Builder {
    pub(super) fn push(&mut self, op: Op) {
        self.ops.push(op);
        self.written.push(self.at);
    }

    /// Adds an instruction that comes from a goal of its own.
    pub(super) fn push_for(&mut self, goal: WrittenId, op: Op) {
        self.ops.push(op);
        self.written.push(goal);
    }

    /// Adds the first instructions of another block with their goals.
    pub(super) fn push_first(&mut self, count: usize, of: &Builder) {
        self.ops.extend_from_slice(&of.ops[..count]);
        self.written.extend_from_slice(&of.written[..count]);
    }

    pub(super) fn append(&mut self, other: Builder) {
        self.ops.extend(other.ops);
        self.written.extend(other.written);
    }

    /// Replaces the last instruction.
    pub(super) fn replace_last(&mut self, op: Op) {
        if let Some(last) = self.ops.last_mut() {
            *last = op;
        }
    }

    /// Adds an instruction at a place.
    pub(super) fn insert(&mut self, place: usize, op: Op) {
        self.ops.insert(place, op);
        self.written.insert(place, self.at);
    }

    /// Moves the last instruction before the `around` instructions that precede it.
    pub(super) fn move_last_before(&mut self, around: usize) {
        let from = self.ops.len() - 1 - around;
        self.ops[from..].rotate_right(1);
        self.written[from..].rotate_right(1);
    }

    /// Removes and returns the instructions from a place on.
    pub(super) fn split_off(&mut self, at: usize) -> Builder {
        let (ops, written) = (self.ops.split_off(at), self.written.split_off(at));
        Builder { ops, written, at: self.at }
    }
}

impl Lowering<'_> {
    /// A new block, for the current goal.
    pub(super) fn builder(&self) -> Builder {
        Builder { ops: Vec::new(), written: Vec::new(), at: self.ops.at }
    }

    /// Begins a clause: the places of the goals of its scope are recorded until the next clause
    /// begins.
    pub(super) fn begin(&mut self, clause: ClauseId) -> Scope {
        self.ops.places.clear();
        let span = self.program.clause(clause).head_span;
        self.ops.at = self.ops.written.id(Written {
            clause: self.rewritten.as_written(clause),
            span,
            within: None,
        });
        let mut scope = self.scope(clause);
        scope.within = Some(self.ops.at);
        scope
    }

    /// Enters a goal: the goals of this scope are inside it until [`Lowering::leave`].
    pub(super) fn go_into(&mut self, scope: &mut Scope, span: Span) -> Option<WrittenId> {
        let outer = scope.within;
        scope.within = outer.map(|outer| {
            let clause = self.rewritten.as_written(scope.clause);
            self.ops.written.id(Written { clause, span, within: Some(outer) })
        });
        outer
    }

    /// Leaves a goal, which was replaced by these.
    pub(super) fn leave(&mut self, scope: &mut Scope, outer: Option<WrittenId>, goals: &[G]) {
        if let Some(id) = std::mem::replace(&mut scope.within, outer) {
            for goal in goals {
                self.ops.places.entry(goal.clone()).or_insert(id);
            }
        }
    }

    /// The place of a goal; that of the current goal where it has none of its own.
    pub(super) fn place_of(&self, goal: &G) -> WrittenId {
        self.ops.places.get(goal).copied().unwrap_or(self.ops.at)
    }

    /// Gives a goal the place of another one.
    pub(super) fn put_in_place(&mut self, goal: &G, of: &G) {
        let id = self.place_of(of);
        self.ops.places.entry(goal.clone()).or_insert(id);
    }

    /// Emits the instructions of a goal.
    pub(super) fn writing<T>(
        &mut self,
        goal: WrittenId,
        out: &mut Builder,
        write: impl FnOnce(&mut Self, &mut Builder) -> T,
    ) -> T {
        let outer =
            (std::mem::replace(&mut self.ops.at, goal), std::mem::replace(&mut out.at, goal));
        let written = write(self, out);
        (self.ops.at, out.at) = outer;
        written
    }
}
