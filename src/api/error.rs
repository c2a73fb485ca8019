//! What can go wrong, as types.

use std::fmt;

use crate::diagnostic::Diagnostic;
use crate::pipeline::Failure;
use crate::referee::Stop;
use crate::source::Sources;

use super::position::{Move, Outcome};

/// Why a call failed. The position and the game are as they were before it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such game or option, or the option has no such value.
    #[error("{0}")]
    Request(Faults),
    /// The rule file has errors, or its rules met one while they were run.
    #[error("{0}")]
    Rules(Faults),
    /// The move is not legal: the reason, in the sentences of `ludex why`.
    #[error("{reason}")]
    Illegal {
        /// The reason.
        reason: String,
    },
    /// The text can mean several moves.
    #[error("{message}")]
    Ambiguous {
        /// What is wrong, with the moves.
        message: String,
        /// The moves; any of them can be played.
        candidates: Vec<Move>,
    },
    /// The game is over, so no move can be played.
    #[error("the game is over: {0}")]
    Over(Outcome),
    /// The question or position is written wrongly, or does not fit the rules.
    #[error("{0}")]
    Question(Faults),
    /// The call took more than its [`Limits`](crate::Limits) allow.
    #[error("{0}")]
    Limit(String),
}

impl Error {
    /// The kind of error as a word: `request`, `rules`, `illegal`, `ambiguous`, `over`, `question`, `limit`.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Request(_) => "request",
            Error::Rules(_) => "rules",
            Error::Illegal { .. } => "illegal",
            Error::Ambiguous { .. } => "ambiguous",
            Error::Over(_) => "over",
            Error::Question(_) => "question",
            Error::Limit(_) => "limit",
        }
    }

    /// The faults, where it has any.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Error::Request(faults) | Error::Rules(faults) | Error::Question(faults) => &faults.0,
            _ => &[],
        }
    }

    /// A fault of the question that has no place.
    pub(super) fn question(message: impl Into<String>) -> Error {
        Error::Question(Faults(vec![Fault::plain("question", message)]))
    }

    /// What stopped a question; `rules`: what stops it is a fault of the rules, not of the question.
    pub(super) fn of(stop: Stop, rules: bool) -> Error {
        match stop {
            Stop::Interrupted => Error::Limit("the time is over".to_string()),
            Stop::Usage(text) | Stop::Failed(text) => Error::question(text),
            // these end a command, which nothing beneath this library does
            Stop::Closed | Stop::Told(_) => Error::question("the question was broken off"),
            Stop::Diagnosed { sources, diagnostics, .. } => {
                if let Some(spent) = diagnostics.iter().find(|d| is_budget(d)) {
                    return Error::Limit(spent.message.clone());
                }
                let faults = Faults::of(&sources, &diagnostics);
                if rules { Error::Rules(faults) } else { Error::Question(faults) }
            }
        }
    }

    /// Why a game could not be loaded.
    pub(super) fn loading(failure: &Failure) -> Error {
        let Failure { sources, diagnostics, request_faults, interrupted } = failure;
        if *interrupted {
            return Error::Limit("the time is over".to_string());
        }
        if let Some(spent) = diagnostics.iter().find(|d| is_budget(d)) {
            return Error::Limit(spent.message.clone());
        }
        match diagnostics.iter().any(Diagnostic::is_error) {
            true => Error::Rules(Faults::of(sources, diagnostics)),
            false => Error::Request(Faults::of(sources, request_faults)),
        }
    }
}

fn is_budget(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && matches!(diagnostic.code, "play-budget" | "static-budget")
}

/// Faults of a rule file, a request or a question, in the order of the text. Displayed as lines: each fault with its
/// place, and its label and hints indented below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(pub(super) Vec<Fault>);

impl Faults {
    pub(super) fn of(sources: &Sources, diagnostics: &[Diagnostic]) -> Faults {
        Faults(diagnostics.iter().map(|d| Fault::of(sources, d)).collect())
    }

    /// The faults, warnings included.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{fault}")?;
            for hint in fault.label.iter().chain(&fault.hints) {
                write!(f, "\n  {hint}")?;
            }
        }
        Ok(())
    }
}

/// One fault. `ludex explain CODE` tells more of it, except of the code `question`, which means that a text
/// is empty, too long or out of bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The code, which does not change between versions.
    pub code: &'static str,
    /// It is an error; otherwise a warning.
    pub is_error: bool,
    /// What is wrong, in one line.
    pub message: String,
    /// The name of the file, where the fault has a place.
    pub file: Option<String>,
    /// The line and the column where it begins, from 1, the column in characters.
    pub place: Option<(usize, usize)>,
    /// What is wrong at that place, in a few words.
    pub label: Option<String>,
    /// What to write instead, one sentence each.
    pub hints: Vec<String>,
}

impl Fault {
    fn of(sources: &Sources, diagnostic: &Diagnostic) -> Fault {
        let first = diagnostic.labels.first();
        let span = first.map(|label| label.span);
        let file = span.and_then(|span| sources.get(span.file));
        Fault {
            code: diagnostic.code,
            is_error: diagnostic.is_error(),
            message: diagnostic.message.clone(),
            file: file.map(|file| file.name.clone()),
            place: file.and(span).map(|span| sources.line_column(span)),
            label: first.map(|label| label.text.clone()).filter(|text| !text.is_empty()),
            hints: diagnostic.hints.clone(),
        }
    }

    pub(super) fn plain(code: &'static str, message: impl Into<String>) -> Fault {
        let message = message.into();
        let (file, place, label) = (None, None, None);
        Fault { code, is_error: true, message, file, place, label, hints: Vec::new() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(file), Some((line, column))) = (&self.file, self.place) {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        let severity = if self.is_error { "" } else { "warning: " };
        write!(f, "{severity}{}", self.message)
    }
}
