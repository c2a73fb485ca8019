//! The message for a clause that has no order in which each goal finds the values that it needs.

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Goal, GoalKind, Program, VariableId};
use crate::source::Span;

use super::Lowering;

/// A variable that one way through a goal gives a value and another does not.
struct Open {
    name: String,
    branches: Span,
    /// Where the value is needed.
    needed: Span,
}

impl Lowering<'_> {
    /// Reports a clause whose goals never all get their values.
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
    let mut found = None;
    clause.body.walk(&mut |goal| {
        let branches: Vec<Vec<&Goal>> = match &goal.kind {
            GoalKind::Or(branches) => branches.iter().map(|b| vec![b]).collect(),
            GoalKind::If(c, t, e) => vec![vec![c, t], vec![e]],
            _ => return,
        };
        let gives = |branch: &Vec<&Goal>, v| branch.iter().any(|g| speaks(g, v));
        for number in 0..clause.variables.len() as u32 {
            let v = VariableId(number);
            let some = branches.iter().any(|b| gives(b, v));
            if found.is_some() || !some || branches.iter().all(|b| gives(b, v)) {
                continue;
            }
            let needed = needed(clause, goal, v);
            found = needed.map(|needed| Open {
                name: clause.variables[number as usize].name.clone(),
                branches: goal.span,
                needed,
            });
        }
    });
    found
}

fn speaks(goal: &Goal, v: VariableId) -> bool {
    let mut found = false;
    goal.each_variable(&mut |w| found |= v == w);
    found
}

/// The goal behind the branches that speaks of the variable, or the head; `None` where a goal
/// before them does already.
fn needed(clause: &Clause, branches: &Goal, v: VariableId) -> Option<Span> {
    let goals = clause.body.conjuncts();
    let at = goals
        .iter()
        .position(|g| g.span.start <= branches.span.start && branches.span.end <= g.span.end)?;
    if goals[..at].iter().any(|g| speaks(g, v)) {
        return None;
    }
    let behind = goals[at + 1..].iter().find(|g| speaks(g, v)).map(|g| g.span);
    let mut head = false;
    clause.head.iter().for_each(|t| t.each_variable(&mut |w| head |= v == w));
    behind.or(head.then_some(clause.head_span))
}
