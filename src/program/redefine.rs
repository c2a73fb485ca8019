//! `redefine`: clauses that are said anew, in the place of those that they replace.

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax::{Clause, Term};

use super::directives::StateDeclaration;
use super::load::Loader;

/// Items with their places in the text; several may have one place.
#[derive(Debug)]
pub(super) struct Placed<T> {
    items: Vec<(usize, T)>,
    next: usize,
}

impl<T> Default for Placed<T> {
    fn default() -> Placed<T> {
        Placed { items: Vec::new(), next: 0 }
    }
}

impl<T> Placed<T> {
    /// Adds an item at a place, or behind all others.
    fn add(&mut self, place: Option<usize>, item: T) {
        self.items.push((place.unwrap_or(self.next), item));
        self.next += 1;
    }

    /// Drops what fits; gives the first place.
    fn take(&mut self, fits: impl Fn(&T) -> bool) -> Option<usize> {
        self.items.extract_if(.., |(_, item)| fits(item)).map(|(place, _)| place).min()
    }

    /// The items in the order of their places.
    pub fn in_order(mut self) -> Vec<T> {
        self.items.sort_by_key(|(place, _)| *place);
        self.items.into_iter().map(|(_, item)| item).collect()
    }
}

/// A `redefine`: what its file says of a name stands at these places.
#[derive(Debug)]
pub(super) struct Redefined {
    head: (String, usize),
    pub file: FileId,
    clause: Option<usize>,
    state: Option<usize>,
}

impl Loader<'_> {
    /// Drops what the files read so far say of these names, but not what this file says. What it
    /// says of them from now on takes the place of what is dropped.
    pub(super) fn redefine(&mut self, names: &[(String, usize, Span)], file: FileId) {
        for (name, arity, span) in names {
            let state = self
                .states
                .take(|s| s.span.file != file && s.name == *name && s.keys.len() == *arity);
            let clause = self.clauses.take(|clause| {
                let Some((head, args)) = clause.head.as_ref().and_then(Term::functor) else {
                    return false;
                };
                let initial = state.is_some()
                    && head == "init"
                    && matches!(args, [t] if t.functor().is_some_and(|(n, _)| n == name));
                clause.span.file != file && (head == name && args.len() == *arity || initial)
            });
            if state.is_none() && clause.is_none() {
                self.fault(
                    Diagnostic::error(
                        "unknown-redefine",
                        format!("nothing read so far speaks of `{name}/{arity}`"),
                    )
                    .at(*span, "there is nothing to redefine")
                    .hint("put it after the `variant_of` or `include` whose clauses it replaces"),
                );
            }
            if state.is_some() || clause.is_some() {
                self.out.unread.redefined.push((name.clone(), *span));
            }
            self.redefined.push(Redefined { head: (name.clone(), *arity), file, clause, state });
        }
    }

    fn redefined(&self, file: FileId, name: &str, arity: usize) -> Option<&Redefined> {
        let same = |r: &&Redefined| r.file == file && r.head.0 == name && r.head.1 == arity;
        self.redefined.iter().rev().find(same)
    }

    /// Adds a clause behind all others, or where those stood that it replaces.
    pub(super) fn add_clause(&mut self, clause: Clause) {
        let functor = clause.head.as_ref().and_then(Term::functor);
        let place = functor.and_then(|(name, args)| {
            self.redefined(clause.span.file, name, args.len()).and_then(|r| r.clause)
        });
        self.clauses.add(place, clause);
    }

    /// The same for a part of the state.
    pub(super) fn add_state(&mut self, state: StateDeclaration) {
        let redefined = self.redefined(state.span.file, &state.name, state.keys.len());
        let place = redefined.and_then(|r| r.state);
        self.states.add(place, state);
    }
}
