//! Rule errors of play that all evaluators report in the same words.

use crate::diagnostic::Diagnostic;

use super::{ClauseId, Program};

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
