//! An end that can never hold: a comparison that no position can make true, or a goal whose
//! variables have no value in common.
//!
//! Wrong: `win(P) :- hand(P) > 12.` where the hand holds 0..12.

use crate::diagnostic::Diagnostic;
use crate::program::{ClauseId, Comparison, Expression, Goal, GoalKind, Kind};

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let ends: Vec<ClauseId> = facts.program.ends.iter().map(|(_, id)| *id).collect();
    for (id, clause) in facts.clauses().filter(|(id, _)| ends.contains(id)) {
        let never = clause.body.conjuncts().iter().find_map(|goal| {
            let why = never(facts, id, goal)?;
            Some((goal, why))
        });
        let Some((goal, why)) = never else { continue };
        warnings.push(
            Diagnostic::warning("never-fires", "this end can never hold")
                .at(goal.span, why)
                .at(clause.head_span, "so the game never ends by this clause")
                .hint("correct the goal, or take the clause out"),
        );
    }
}

/// The reason why a goal holds in no position.
fn never(facts: &Checked<'_>, id: ClauseId, goal: &Goal) -> Option<String> {
    match &goal.kind {
        GoalKind::Compare(op, a, b) => {
            let (x, y) = (interval(facts, id, a)?, interval(facts, id, b)?);
            let sides = format!("{}..{} on the left, {}..{} on the right", x.0, x.1, y.0, y.1);
            (!possible(*op, x, y)).then_some(sides)
        }
        GoalKind::Call(relation, _) => {
            let kind = facts.program.relation(*relation).kind;
            let columns = &facts.types.columns[relation.0 as usize];
            let none = kind == Kind::Derived && columns.iter().any(|column| column.is_empty());
            none.then(|| {
                format!(
                    "`{}` has no answer in any position",
                    facts.program.relation(*relation).name
                )
            })
        }
        _ => None,
    }
}

/// The interval of an expression; `None` where it depends on options or is not known.
fn interval(facts: &Checked<'_>, id: ClauseId, e: &Expression) -> Option<(i64, i64)> {
    match e {
        Expression::Integer(n) => Some((*n, *n)),
        Expression::Fluent(fluent, _) => {
            let value = facts.types.fluent(*fluent).last()?;
            value.integers.filter(|_| value.is_number() && facts.fixed(*fluent))
        }
        Expression::Variable(v) => {
            // a variable that a fluent binds has the domain of that fluent
            let mut read = None;
            facts.program.clause(id).body.walk(&mut |goal| {
                if let GoalKind::Call(relation, args) = &goal.kind
                    && let Kind::Fluent(fluent) = facts.program.relation(*relation).kind
                    && args.last() == Some(&crate::program::Term::Variable(*v))
                    && facts.fixed(fluent)
                {
                    read = facts.types.fluent(fluent).last().filter(|d| d.is_number());
                }
            });
            read.and_then(|domain| domain.integers)
        }
        Expression::Operation(..) => None,
    }
}

fn possible(op: Comparison, (a, b): (i64, i64), (c, d): (i64, i64)) -> bool {
    match op {
        Comparison::Less => a < d,
        Comparison::LessOrEqual => a <= d,
        Comparison::Greater => b > c,
        Comparison::GreaterOrEqual => b >= c,
        Comparison::Equal => a <= d && c <= b,
        Comparison::NotEqual => !(a == b && c == d && a == c),
    }
}
