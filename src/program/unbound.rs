//! Variables without a value: the messages, which tell a variable that no goal binds from one that
//! only some branches of a `;` bind.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::{Clause, Goal, GoalKind, VariableId};

/// A goal needs a value that its variable does not have yet.
pub(super) fn in_goal(clause: &Clause, variable: VariableId, user: &str, span: Span) -> Diagnostic {
    let name = &clause.variables[variable.0 as usize].name;
    let message = format!("`{name}` has no value yet where {user} needs it");
    let d = Diagnostic::error("unbound-variable", message)
        .at(span, format!("`{name}` is not bound before this goal"));
    match half_bound(clause, variable).filter(|branches| branches.start < span.start) {
        Some(branches) => in_branches(d, name, branches),
        None => d.hint(format!(
            "put a goal before it that says what `{name}` may be, e.g. `cell({name})`"
        )),
    }
}

/// A head gives a variable that the body does not bind.
pub(super) fn in_head(clause: &Clause, variable: VariableId, relation: &str) -> Diagnostic {
    let variable_of = &clause.variables[variable.0 as usize];
    let name = &variable_of.name;
    if let Some(branches) = half_bound(clause, variable) {
        let message = format!("`{name}` in the head of `{relation}` is not always bound");
        let d = Diagnostic::error("unbound-variable", message)
            .at(variable_of.span, "needs a value in every branch");
        return in_branches(d, name, branches);
    }
    let message = format!("`{name}` in the head of `{relation}` is never bound");
    Diagnostic::error("unbound-variable", message)
        .at(variable_of.span, "no goal of the body gives it a value")
        .hint(format!("add a goal that says what `{name}` may be, e.g. `cell({name})`"))
}

fn in_branches(d: Diagnostic, name: &str, branches: Span) -> Diagnostic {
    d.at(branches, format!("only some of these branches give `{name}` a value"))
        .hint(format!("give `{name}` a value in each branch, or in a goal before them"))
}

/// The first goal with branches of which some speak of the variable and others do not.
pub fn half_bound(clause: &Clause, variable: VariableId) -> Option<Span> {
    let speaks = |goal: &Goal| {
        let mut found = false;
        goal.each_variable(&mut |v| found |= v == variable);
        found
    };
    let mut found = None;
    clause.body.walk(&mut |goal| {
        let branches: Vec<bool> = match &goal.kind {
            GoalKind::Or(branches) => branches.iter().map(speaks).collect(),
            GoalKind::If(c, t, e) if e.kind != GoalKind::Fail => {
                vec![speaks(c) || speaks(t), speaks(e)]
            }
            _ => return,
        };
        if branches.contains(&true) && branches.contains(&false) {
            found = found.or(Some(goal.span));
        }
    });
    found
}
