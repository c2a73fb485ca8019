//! Rule errors of play that all evaluators report in the same words.

use crate::diagnostic::Diagnostic;

use super::{ClauseId, GoalKind, Program};

/// The most calls that are looked through for one that comes back, where calls are nested too deep.
pub(crate) const UNWOUND: usize = 256;

/// A call as text: `name(a, b)`, or `name` alone.
pub(crate) fn call_text(name: &str, arguments: &[String]) -> String {
    match arguments.is_empty() {
        true => name.to_string(),
        false => format!("{name}({})", arguments.join(", ")),
    }
}

impl Program {
    /// The rule error where chance events are possible and none has a weight above 0. `clause` is
    /// the clause of one of them.
    pub fn no_weight(&self, clause: Option<ClauseId>) -> Diagnostic {
        let mut d = Diagnostic::error("no-weight", "no event has a weight above 0");
        if let Some(clause) = clause {
            d = d.at(self.clause(clause).head_span, "events of this clause are possible");
        }
        let weight = self.special.weight.and_then(|id| self.relation(id).clauses.first());
        if let Some(weight) = weight {
            d = d.at(self.clause(*weight).head_span, "the weights are given here");
        }
        d.hint("give an event a weight above 0, or test in the `chance` clause whether one is due")
    }

    /// The rule error where actions call themselves too often, with the innermost call as text and the clauses of its
    /// relation. The call `comes_back` where it is inside one with the same arguments.
    pub fn endless(
        &self,
        call: &str,
        mut clauses: impl Iterator<Item = ClauseId>,
        comes_back: bool,
    ) -> Diagnostic {
        let recursive = |id: &ClauseId| {
            let relation = self.clause(*id).relation;
            let component = self.graph.component_of(relation);
            let mut found = false;
            self.clause(*id).body.walk(&mut |goal| {
                found |= matches!(goal.kind, GoalKind::Call(called, _)
                    if component.contains(&called));
            });
            found
        };
        let clause = clauses.find(recursive).map(|id| self.clause(id).span);
        let (message, label, hint) = match comes_back {
            true => (
                format!("`{call}` comes back to the same call without end"),
                "this clause goes on to a call that has led here before",
                "keep a list of what was visited and go on to what is not in it, or take away what each call uses up",
            ),
            false => (
                "a rule calls itself too often inside itself, perhaps without end".to_string(),
                "this clause goes on without end",
                "a recursive rule needs a clause that ends the recursion, and each call has to come nearer to it",
            ),
        };
        let d = Diagnostic::error("play-budget", message);
        let d = match clause {
            Some(span) => d.at(span, label),
            None => d,
        };
        d.hint(hint)
    }

    /// The rule error where `shown`, an answer of `rank/2`, `weight/2`, `score/2` or `value/2`, is
    /// not a number.
    pub fn no_number(&self, relation: &str, shown: &str) -> Diagnostic {
        let d = Diagnostic::error("not-a-number", format!("`{shown}` is no number"));
        let d = match self.find_relation(relation, 2).map(|id| self.relation(id)) {
            Some(relation) => d.at(relation.span, format!("an answer of `{}`", relation.name)),
            None => d,
        };
        d.hint(format!("the last argument of `{relation}/2` is a number"))
    }
}
