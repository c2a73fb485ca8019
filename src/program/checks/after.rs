//! What stands in `after(A, G)`: A updates something, and G does not ask how often the position has
//! occurred, since a position that is only supposed has no place in the game.
//!
//! Wrong: `win(P) :- player(P), after(empty(a1), at(a1, P)).`, where the first part updates nothing.

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::program::{Goal, GoalKind, Program, RelationId};
use crate::source::Span;

use super::updates;

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    program.clauses.iter().for_each(|clause| goal(program, &clause.body, diagnostics));
}

/// Checks the hypotheses of a goal that is no part of the program, e.g. of a question.
pub(in crate::program) fn of_question(
    program: &Program,
    body: &Goal,
    diagnostics: &mut Vec<Diagnostic>,
) {
    body.walk_here(&mut |g| {
        if matches!(g.kind, GoalKind::After(..)) {
            updates::place(program, g, None, diagnostics);
        }
    });
    goal(program, body, diagnostics);
}

fn goal(program: &Program, whole: &Goal, diagnostics: &mut Vec<Diagnostic>) {
    whole.walk(&mut |goal| {
        let GoalKind::After(action, _, _) = &goal.kind else { return };
        let mut updates = false;
        action.walk_here(&mut |g| updates |= updates::acts(program, g));
        let form = |message: &str| Diagnostic::error("after-form", message);
        if !updates {
            diagnostics.push(
                form("the first part of `after` updates nothing")
                    .at(action.span, "no update here")
                    .hint("write the goals alone: they speak of the position as it is"),
            );
        }
        if let Some(span) = compares_positions(program, goal) {
            diagnostics.push(
                form("`repeated` cannot be asked of a position that is only supposed")
                    .at(goal.span, "in this goal")
                    .at(span, "asked here")
                    .hint("ask it of the position itself, or in the move behind its updates"),
            );
        }
    });
}

/// Where a goal, or a relation that it uses, asks how often the position has occurred.
fn compares_positions(program: &Program, from: &Goal) -> Option<Span> {
    let mut seen: FxHashSet<RelationId> = FxHashSet::default();
    let mut waiting: Vec<&Goal> = vec![from];
    while let Some(goal) = waiting.pop() {
        let (mut found, mut called) = (None, Vec::new());
        goal.walk(&mut |g| match &g.kind {
            GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_) => found = found.or(Some(g.span)),
            GoalKind::Call(id, _) => called.push(*id),
            GoalKind::Legal(_) | GoalKind::Stuck => {
                let special = program.special;
                let asked = [special.moves, special.chance, special.rank];
                called.extend(asked.into_iter().flatten());
            }
            _ => {}
        });
        if found.is_some() {
            return found;
        }
        let relations = called.into_iter().filter(|id| seen.insert(*id));
        let relations = relations.filter_map(|id| program.relations.get(id.0 as usize));
        let clauses = relations.flat_map(|relation| relation.clauses.iter());
        waiting.extend(
            clauses.filter_map(|id| program.clauses.get(id.0 as usize)).map(|clause| &clause.body),
        );
    }
    None
}
