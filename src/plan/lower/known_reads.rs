//! A map is read once where its value is known without it: of two reads with the same keys, between which nothing
//! updates the map, the second only compares values. `mine(A), at(A, X)` then needs no lookup for X, which is the
//! player to move. Where the first read itself gives the value, the second is left to guide the order of goals.

use crate::program::FluentId;

use super::Lowering;
use super::goals::{Arg, G};

impl Lowering<'_> {
    /// Replaces reads of a conjunction that repeat an earlier one.
    pub(super) fn reuse_reads(&self, goals: &mut [G]) {
        let mut known: Vec<(FluentId, Vec<Arg>, Arg)> = Vec::new();
        let mut given: Vec<Arg> = Vec::new();
        for goal in goals {
            if let G::Read(fluent, keys, Some(value)) = goal {
                let first = known.iter().find(|(f, k, _)| f == fluent && k == keys);
                match first.map(|(.., value)| *value) {
                    Some(first) if matches!(first, Arg::Const(_)) || given.contains(&first) => {
                        *goal = G::Same(first, *value);
                    }
                    Some(_) => {}
                    None => known.push((*fluent, keys.clone(), *value)),
                }
                if let G::Read(_, keys, Some(value)) = goal
                    && keys.is_empty()
                {
                    given.push(*value);
                }
                continue;
            }
            match goal {
                G::Assign(fluent, ..)
                | G::AssignNumber(fluent, ..)
                | G::Clear(fluent, ..)
                | G::Set(fluent, ..) => known.retain(|(read, ..)| read != fluent),
                goal if self.acts(goal) => known.clear(),
                _ => {}
            }
        }
    }
}
