//! Ranks, weights, scores, values, measures and the urgency of advice are numbers.
//!
//! Wrong: `rank(jump(K), K) :- kind(K).` where the kinds are names.

use crate::diagnostic::Diagnostic;
use crate::program::{Term, Value};

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let special = facts.program.special;
    let raised = [special.rank, special.weight, special.score, special.value];
    let left_out = [special.advice, special.measure];
    for (id, clause) in facts.clauses() {
        let relation = facts.program.relation(clause.relation);
        let then = match Some(clause.relation) {
            asked if raised.contains(&asked) => "a rule error in play",
            asked if left_out.contains(&asked) => "it is left out",
            _ => continue,
        };
        let name = &relation.name;
        let shown = match &clause.head[1] {
            Term::Constant(Value::Integer(_)) => continue,
            Term::Constant(value) => facts.program.values.show(*value),
            Term::Variable(v) => {
                let domain = facts.types.variable(id, *v);
                let number = domain.top || domain.integers.is_some() || domain.is_empty();
                let Some(one) = domain.constants.iter().next().filter(|_| !number) else {
                    continue;
                };
                facts.program.values.show(Value::Constant(one))
            }
            Term::Compound(..) | Term::List(..) => "it".to_string(),
        };
        warnings.push(
            Diagnostic::warning("not-a-number", format!("`{shown}` is no number"))
                .at(clause.head_span, format!("an answer of `{name}`: {then}"))
                .hint(match relation.arity {
                    2 => format!("the last argument of `{name}/2` is a number"),
                    arity => format!("the second argument of `{name}/{arity}` is a number"),
                }),
        );
    }
}
