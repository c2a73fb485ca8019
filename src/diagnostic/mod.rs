//! One type for everything that can be wrong with a rule file, a move or a saved game.
//!
//! A diagnostic is data: a stable code, a message, the places that it refers to, and hints that say
//! what to write. `report.rs` turns it into text and is the only user of miette.

mod json;
#[cfg(feature = "repl")]
mod report;

pub use json::to_json;
#[cfg(feature = "repl")]
pub use report::{in_brief, render, render_all};

use crate::source::Span;

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice: the file can be played.
    Warning,
    /// The file cannot be played, or the request cannot be carried out.
    Error,
}

/// A place in a rule file and a note about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The note, in the style of a message.
    pub text: String,
}

/// A fault, its place and what to do about it. Messages are in lower case, without a full stop, with
/// names in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code, which does not change between versions, e.g. `unknown-relation`. `ludex explain` prints the
    /// page of each.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// The places, the primary one first; empty for faults that have none.
    pub labels: Vec<Label>,
    /// What to write instead, one sentence each.
    pub hints: Vec<String>,
}

/// What the stages return on failure: at least one error, in file order.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// An error without places and hints.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// A warning without places and hints.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Adds a place; the first added is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Diagnostic {
        self.hints.push(text.into());
        self
    }

    /// Whether this is an error and not a warning.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// `a`, `a and b` or `a, b and c` for a `last` of `and`.
pub fn listed(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., end] => format!("{} {last} {end}", front.join(", ")),
    }
}

/// The candidate nearest to `name` by edit distance, if it differs in at most a third of the letters (at
/// least one letter, at most three) and has something in common with it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0 => 0,
        length => (length / 3).clamp(1, 3),
    };
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(name, c), c))
        .filter(|(distance, _)| *distance <= limit)
        .filter(|(distance, c)| *distance < name.chars().count().max(c.chars().count()))
        .min()
        .map(|(_, c)| c)
}

/// The Damerau–Levenshtein distance: how many letters have to be inserted, deleted, changed or swapped
/// with their neighbour to turn one text into the other.
pub fn distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}
