//! What is most likely a slip, and can be seen by the domains alone: warnings, one check a file.
//!
//! They look at the clauses of the game's own file: included files serve other games as well. What
//! depends on an option that a player may set is left out: it is meant to differ.

mod counters;
mod ends;
mod first;
mod numbers;
mod outside;
mod uncalled;
mod unused;

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, ClauseId, FluentId, FluentShape, Optional, Program};
use crate::source::FileId;

use super::Types;

/// A program with what is known of it.
struct Facts<'p> {
    program: &'p Program,
    types: &'p Types,
    optional: Optional,
}

/// Warnings for what is most likely a slip.
pub fn check(program: &Program, types: &Types) -> Vec<Diagnostic> {
    let facts = Facts { program, types, optional: Optional::of(program) };
    let mut warnings = Vec::new();
    outside::check(&facts, &mut warnings);
    unused::check(&facts, &mut warnings);
    uncalled::check(&facts, &mut warnings);
    ends::check(&facts, &mut warnings);
    first::check(&facts, &mut warnings);
    counters::check(&facts, &mut warnings);
    numbers::check(&facts, &mut warnings);
    warnings.sort_by_key(|d| d.labels.first().map(|l| l.span.start));
    warnings.dedup();
    warnings
}

impl<'p> Facts<'p> {
    /// The clauses of the game's own file that are the same under all options.
    fn clauses(&self) -> impl Iterator<Item = (ClauseId, &'p Clause)> {
        self.own_clauses().filter(|(_, c)| !self.optional.clause(self.program, c))
    }

    /// The clauses of the game's own file.
    fn own_clauses(&self) -> impl Iterator<Item = (ClauseId, &'p Clause)> {
        let all = self.program.clauses.iter().enumerate().map(|(i, c)| (ClauseId(i as u32), c));
        all.filter(|(_, c)| c.span.file == FileId(0))
    }

    /// Is the domain of a key or value the same under all options?
    fn fixed(&self, fluent: FluentId) -> bool {
        let declared = self.program.fluent(fluent);
        let value = match &declared.shape {
            FluentShape::Map { value, value_span, .. } => Some((value, *value_span)),
            FluentShape::Set => None,
        };
        let keys = declared.keys.iter().zip(declared.key_spans.iter().copied());
        keys.chain(value).all(|(spec, span)| match spec {
            crate::program::DomainSpec::Relation(id) => !self.optional.relation(*id),
            crate::program::DomainSpec::Range(..) => {
                !self.program.sources.text(span).contains("option")
            }
            crate::program::DomainSpec::Values(_) => true,
        })
    }
}
