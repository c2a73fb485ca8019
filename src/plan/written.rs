//! The goals of the rule file that instructions come from.
//!
//! A goal that stands inside another one, or in a relation that is put in place of its call, knows
//! the goal around it. So the goals of a clause are a tree, and what a goal costs is what its
//! instructions and those of the goals inside cost.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::program::ClauseId;
use crate::source::Span;

/// Index into [`WrittenGoals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WrittenId(pub u32);

impl WrittenId {
    /// Of what is written before any clause is begun.
    pub const NONE: WrittenId = WrittenId(u32::MAX);
}

/// A goal where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Written {
    /// The clause that it stands in.
    pub clause: ClauseId,
    /// Its text; that of the head for a clause as a whole.
    pub span: Span,
    /// The goal around it, or the call in whose place its clause is; `None` for a clause as a whole.
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

    /// All goals in the order in which they were met: each behind the one around it.
    pub fn iter(&self) -> impl Iterator<Item = (WrittenId, &Written)> {
        (0..).map(WrittenId).zip(&self.0)
    }

    /// A goal and those around it, the innermost first.
    pub fn around(&self, id: WrittenId) -> impl Iterator<Item = WrittenId> {
        std::iter::successors(self.get(id).map(|_| id), |id| self.get(*id)?.within)
    }
}
