//! Rule errors met while rules are run.

use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::program::{ClauseId, Program};

/// The diagnostic code of an interruption, which is not a fault.
const INTERRUPTED: &str = "interrupted";

/// A rule error met in play. The position is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The move or chance clause that was being run: an index into [`Plan::moves`] or [`Plan::chance`].
    pub clause: u16,
    /// The clause is one of chance events.
    pub chance: bool,
}

/// The kind of a [`Fault`]; `source` is an index into [`Plan::sources`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// An update with a key or value outside the fluent's domain.
    Domain {
        /// The update.
        source: u32,
        /// The name of the fluent.
        fluent: String,
        /// The key or value as text.
        shown: String,
        /// It is a key and not a value.
        key: bool,
    },
    /// Overflow, division by zero, or arithmetic with a value that is not a number.
    Arithmetic {
        /// The calculation.
        source: u32,
    },
    /// No fault of the rules: the run was interrupted, or its time is over ([`super::Budget`]).
    Interrupted,
    /// Too many steps.
    Steps,
    /// Calls nested too deep.
    Depth {
        /// The innermost call of an action that occurs in what was unwound, as an index into [`Plan::procedures`]
        /// and as text.
        call: Option<(u32, String)>,
        /// It is inside a call with the same arguments.
        comes_back: bool,
    },
    /// Too many moves in one position.
    Moves,
    /// No chance event has a weight above 0.
    Weightless,
    /// A rank, weight, score or value that is not a number.
    NoNumber {
        /// `rank`, `weight`, `score` or `value`.
        relation: &'static str,
        /// The value as text.
        shown: String,
    },
    /// One move leads to two different states.
    Ambiguous {
        /// The move as text.
        shown: String,
        /// The clause of the second state.
        other: ClauseId,
        /// The clause of the first state.
        first: ClauseId,
    },
}

impl Fault {
    /// The fault as a diagnostic about the rule file.
    pub fn diagnostic(&self, plan: &Plan, program: &Program) -> Diagnostic {
        let clauses = plan.clauses(self.chance);
        let clause = clauses.get(self.clause as usize).map(|c| program.clause(c.clause).span);
        let place = |source: u32| plan.sources.get(source as usize).copied();
        let d = match &self.kind {
            FaultKind::Domain { source, fluent, shown, key } => {
                let what = if *key { "key" } else { "value" };
                let mut d = Diagnostic::error(
                    "value-outside-domain",
                    format!("`{shown}` is no {what} of `{fluent}`"),
                );
                if let Some(span) = place(*source) {
                    d = d.at(span, format!("updated with the {what} `{shown}` here"));
                }
                if let Some(f) = program.fluents.iter().find(|f| f.name == *fluent) {
                    d = d.at(f.span, "declared here");
                }
                d.hint("declare a larger domain, or test the value before the update")
            }
            FaultKind::Arithmetic { source } => {
                let mut d = Diagnostic::error("arithmetic", "this calculation has no value");
                if let Some(span) = place(*source) {
                    d = d.at(span, "calculated here");
                }
                d.hint("numbers have 60 bits; `/` must be exact (`//` rounds), and nothing is divided by 0")
            }
            FaultKind::Steps => {
                Diagnostic::error("play-budget", "the rules ask for too many steps in one position")
                    .hint("look for goals that combine everything with everything")
            }
            FaultKind::Depth { call, comes_back } => {
                let (number, call) = match call {
                    Some((number, call)) => (Some(*number as usize), call.as_str()),
                    None => (None, ""),
                };
                let bodies = number.and_then(|n| plan.procedures.get(n)).map(|p| &p.clauses);
                let clauses = bodies.into_iter().flatten().map(|body| body.clause);
                program.endless(call, clauses, *comes_back)
            }
            FaultKind::Moves => Diagnostic::error("play-budget", "the position has too many moves")
                .hint(
                    "look for a move clause whose goals leave a choice that the rules do not give",
                ),
            FaultKind::Interrupted => return Diagnostic::error(INTERRUPTED, "interrupted"),
            FaultKind::Weightless => {
                return program.no_weight(clauses.get(self.clause as usize).map(|c| c.clause));
            }
            FaultKind::NoNumber { relation, shown } => return program.no_number(relation, shown),
            FaultKind::Ambiguous { shown, other, first } => {
                let d = Diagnostic::error(
                    "ambiguous-move",
                    format!("the move `{shown}` leads to two different positions"),
                )
                .at(program.clause(*first).span, "by this clause");
                let d = match first == other {
                    true => d,
                    false => d.at(program.clause(*other).span, "and by this one"),
                };
                return d.hint("put what tells them apart into the move, e.g. another argument");
            }
        };
        match clause {
            Some(span) if d.labels.iter().all(|l| l.span != span) => d.at(span, "in this clause"),
            _ => d,
        }
    }
}
