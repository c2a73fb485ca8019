//! Rule errors and errors of questions, as diagnostics.

use std::fmt;

use crate::diagnostic::Diagnostic;

/// The diagnostic code of exceeded limits.
pub(crate) const BUDGET: &str = "play-budget";
/// The diagnostic code of an interruption, which is not a fault.
const INTERRUPTED: &str = "interrupted";

/// An error of the rules, met while they were run. The position is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError(Box<Diagnostic>);

impl RuleError {
    /// A rule error with this diagnostic.
    pub fn new(diagnostic: Diagnostic) -> RuleError {
        RuleError(Box::new(diagnostic))
    }

    /// No fault of the rules: the run was interrupted ([`crate::program::Budget::interrupted`]).
    pub(crate) fn interrupted() -> RuleError {
        RuleError::new(Diagnostic::error(INTERRUPTED, "interrupted"))
    }

    /// Whether the run was interrupted from outside.
    pub fn is_interrupted(&self) -> bool {
        self.0.code == INTERRUPTED
    }

    /// Whether a limit was exceeded.
    pub(crate) fn is_budget(&self) -> bool {
        self.0.code == BUDGET
    }

    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.0
    }
}

impl From<RuleError> for Diagnostic {
    fn from(error: RuleError) -> Diagnostic {
        *error.0
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for RuleError {}

/// Why a question could not be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryError {
    /// The question itself has errors.
    Question(Vec<Diagnostic>),
    /// A rule error was met.
    Rule(RuleError),
}

impl QueryError {
    /// The errors, in either case.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        match self {
            QueryError::Question(faults) => faults,
            QueryError::Rule(error) => vec![error.into()],
        }
    }
}

impl From<RuleError> for QueryError {
    fn from(error: RuleError) -> QueryError {
        QueryError::Rule(error)
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Question(faults) => match faults.first() {
                Some(fault) => f.write_str(&fault.message),
                None => f.write_str("the question is wrong"),
            },
            QueryError::Rule(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for QueryError {}
