//! One type for everything that can be wrong with a rule file, a move or a saved game.
//!
//! A diagnostic is data: a stable code, a message, the places it speaks of, and hints that say
//! what to write. `report.rs` turns it into text and is the only user of miette.

mod report;

pub use report::{render, render_all, to_json};

use crate::source::Span;

/// How bad it is. A file with errors cannot be played; warnings are advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Warning,
    Error,
}

/// A place in a rule file with what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// Something wrong, where, and what to do. Messages are lowercase, without a full stop, with
/// names in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word, e.g. `unknown-relation`; `ludex explain` knows each.
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// The first is the primary place; may be empty for faults that have none.
    pub labels: Vec<Label>,
    pub hints: Vec<String>,
}

/// What the stages return on failure: at least one error, in file order.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            hints: Vec::new(),
        }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Adds a place; the first added is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Diagnostic {
        self.hints.push(text.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The candidate nearest to `name` by edit distance, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(name, c), c))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, c)| c)
}

/// How many letters are to be put in, left out, changed or swapped to make one text of the other.
pub fn distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}
