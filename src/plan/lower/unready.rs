//! The message for a clause that has no order in which each goal finds the values that it needs.

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Goal, GoalKind, Program, VariableId, half_bound};
use crate::source::Span;

use super::Lowering;

/// A variable that one branch of a goal binds and another does not.
struct Open {
    name: String,
    branches: Span,
    /// Where the value is needed.
    needed: Span,
}

impl Lowering<'_> {
    /// Reports a clause without an order in which all goals have their values.
    pub(super) fn unready(&mut self, clause: &Clause) {
        let fault = match open(self.program, clause) {
            Some(open) => Diagnostic::error(
                "unordered",
                format!(
                    "`{}` gets a value in one branch of `;` only, and is needed here",
                    open.name
                ),
            )
            .at(open.needed, format!("needs a value of `{}`", open.name))
            .at(open.branches, "not every branch gives one")
            .hint(format!("give `{}` a value in each branch, or in a goal before", open.name)),
            None => Diagnostic::error(
                "unordered",
                "no order of these goals gives each of them its values",
            )
            .at(clause.span, "in this clause")
            .hint("put the goals that say what the variables may be first"),
        };
        self.faults.push(fault);
    }
}

/// The first such variable of the clause, or of one that it calls.
fn open(program: &Program, clause: &Clause) -> Option<Open> {
    let mut called = Vec::new();
    clause.body.walk(&mut |goal| {
        if let GoalKind::Call(id, _) = &goal.kind {
            called.extend(&program.relation(*id).clauses);
        }
    });
    let callees = called.into_iter().map(|id| program.clause(id));
    std::iter::once(clause).chain(callees).find_map(open_in)
}

fn open_in(clause: &Clause) -> Option<Open> {
    (0..clause.variables.len() as u32).find_map(|number| {
        let variable = VariableId(number);
        let branches = half_bound(clause, variable)?;
        let needed = needed(clause, branches, variable)?;
        Some(Open { name: clause.variables[number as usize].name.clone(), branches, needed })
    })
}

/// The goal after the branches that contains the variable, or the head; `None` where a goal before
/// them contains it already.
fn needed(clause: &Clause, branches: Span, variable: VariableId) -> Option<Span> {
    let speaks = |goal: &&Goal| {
        let mut found = false;
        goal.each_variable(&mut |v| found |= v == variable);
        found
    };
    let goals = clause.body.conjuncts();
    let inside = |g: &Goal| g.span.start <= branches.start && branches.end <= g.span.end;
    let at = goals.iter().position(inside)?;
    if goals[..at].iter().any(|g| speaks(&g)) {
        return None;
    }
    let behind = goals[at + 1..].iter().find(speaks).map(|g| g.span);
    let mut head = false;
    clause.head.iter().for_each(|t| t.each_variable(&mut |v| head |= v == variable));
    behind.or(head.then_some(clause.head_span))
}
