//! What can go wrong when rules are run or a question is asked, as diagnostics.

use std::fmt;

use crate::diagnostic::Diagnostic;

/// The code of work that is too much.
pub(super) const BUDGET: &str = "play-budget";
/// The code of what is not a fault.
const INTERRUPTED: &str = "interrupted";

/// An error of the rules, met while they were run. The position is as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError(Box<Diagnostic>);

impl RuleError {
    pub fn new(diagnostic: Diagnostic) -> RuleError {
        RuleError(Box::new(diagnostic))
    }

    /// No fault of the rules: the run was interrupted ([`super::Limits::interrupted`]).
    pub(super) fn interrupted() -> RuleError {
        RuleError::new(Diagnostic::error(INTERRUPTED, "interrupted"))
    }

    /// Was the question broken off from outside?
    pub fn is_interrupted(&self) -> bool {
        self.0.code == INTERRUPTED
    }

    /// Was the work more than it may be?
    pub(super) fn is_budget(&self) -> bool {
        self.0.code == BUDGET
    }

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

/// Why a question has no answer, not even "no".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryError {
    /// The question itself is wrong.
    Question(Vec<Diagnostic>),
    /// The rules are.
    Rule(RuleError),
}

impl QueryError {
    /// What is wrong, in either case.
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
