//! The goals of the rule file from which instructions come.
//!
//! A goal inside another one, or in an inlined relation, refers to the goal around it. So the goals
//! of a clause form a tree, and the cost of a goal is that of its instructions and of the goals
//! inside it.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::program::ClauseId;
use crate::source::Span;

/// Index into [`WrittenGoals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WrittenId(pub u32);

impl WrittenId {
    /// The goal of instructions made outside any clause.
    pub const NONE: WrittenId = WrittenId(u32::MAX);
}

/// A goal at its place in the rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Written {
    /// The clause that contains it.
    pub clause: ClauseId,
    /// The goal; the head for a clause as a whole.
    pub span: Span,
    /// The goal around it, or the inlined call of its clause; `None` for a clause as a whole.
    pub within: Option<WrittenId>,
}

/// All goals that instructions come from, each once.
#[derive(Debug, Clone, Default)]
pub struct WrittenGoals(IndexSet<Written, FxBuildHasher>);

impl WrittenGoals {
    pub(super) fn id(&mut self, goal: Written) -> WrittenId {
        WrittenId(self.0.insert_full(goal).0 as u32)
    }

    /// A goal; `None` for [`WrittenId::NONE`].
    pub fn get(&self, id: WrittenId) -> Option<&Written> {
        self.0.get_index(id.0 as usize)
    }

    /// All goals in the order in which they were added: each after the one around it.
    pub fn iter(&self) -> impl Iterator<Item = (WrittenId, &Written)> {
        (0..).map(WrittenId).zip(&self.0)
    }

    /// A goal and those around it, the innermost first.
    pub fn around(&self, id: WrittenId) -> impl Iterator<Item = WrittenId> {
        std::iter::successors(self.get(id).map(|_| id), |id| self.get(*id)?.within)
    }
}
