//! Warnings about likely mistakes that the tables and the domains show, one check per file.
//!
//! They examine the clauses of the game's own file, since included files serve other games as well.
//! Clauses that depend on an option that a player may set are left out, since they are meant to
//! differ.

mod counters;
mod dead;
mod ends;
mod first;
mod heads;
mod numbers;
mod outside;
mod positions;
mod texts;
mod uncalled;
mod unused;
mod words;

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, ClauseId, FluentId, FluentShape, Optional, Program, Value};
use crate::source::FileId;

use super::{Domain, Types};

pub use dead::check_dead;
pub use texts::check_texts;

/// A program, with the results of the inference.
struct Checked<'p> {
    program: &'p Program,
    types: &'p Types,
    optional: Optional,
}

/// The warnings about likely mistakes.
pub fn check(program: &Program, types: &Types) -> Vec<Diagnostic> {
    let facts = Checked { program, types, optional: Optional::of(program) };
    let mut warnings = Vec::new();
    outside::check(&facts, &mut warnings);
    unused::check(&facts, &mut warnings);
    uncalled::check(&facts, &mut warnings);
    ends::check(&facts, &mut warnings);
    first::check(&facts, &mut warnings);
    heads::check(&facts, &mut warnings);
    counters::check(&facts, &mut warnings);
    numbers::check(&facts, &mut warnings);
    positions::check(&facts, &mut warnings);
    words::check(&facts, &mut warnings);
    warnings.sort_by_key(|d| d.labels.first().map(|l| l.span.start));
    warnings.dedup();
    warnings
}

/// Whether a value belongs to a domain.
fn holds(domain: &Domain, value: Value) -> bool {
    match value {
        Value::Integer(n) => domain.integers.is_some_and(|(lo, hi)| lo <= n && n <= hi),
        Value::Constant(id) => domain.constants.contains(id),
    }
}

impl<'p> Checked<'p> {
    /// That a clause has no effect, and why.
    fn idle(&self, clause: &Clause, text: String) -> Diagnostic {
        let name = &self.program.relation(clause.relation).name;
        Diagnostic::warning("never-fires", text)
            .at(clause.head_span, format!("so this clause of `{name}` has no effect"))
    }

    /// The clauses of the game's own file that are the same under all options.
    fn clauses(&self) -> impl Iterator<Item = (ClauseId, &'p Clause)> {
        self.own_clauses().filter(|(_, c)| !self.optional.clause(self.program, c))
    }

    /// The clauses of the game's own file.
    fn own_clauses(&self) -> impl Iterator<Item = (ClauseId, &'p Clause)> {
        let all = self.program.clauses.iter().enumerate().map(|(i, c)| (ClauseId(i as u32), c));
        all.filter(|(_, c)| c.span.file == FileId(0))
    }

    /// Whether the domains of a fluent are the same under all options.
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
