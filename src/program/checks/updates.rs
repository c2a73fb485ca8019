//! Updates are not allowed where a goal is only tested: in a negation, `forall`, an aggregate, the
//! condition of a conditional, the first part of `each`, or the second part of `after`. Goals that are evaluated at load are
//! not allowed in clauses that are run in play.

use crate::diagnostic::Diagnostic;
use crate::program::{Aggregate, Goal, GoalKind, Kind, Program};

/// The part of `forall` where other languages, and `each` in this one, act.
const REQUIRED: &str = "`forall`, which only tests";
/// The part of `after` that only asks.
const SUPPOSED: &str = "the second part of `after`";

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for clause in &program.clauses {
        place(program, &clause.body, None, diagnostics);
        if reaches_play(program.relation(clause.relation).kind) {
            clause.body.walk(&mut |goal| static_only(goal, diagnostics));
        }
    }
}

fn reaches_play(kind: Kind) -> bool {
    kind == Kind::Action
}

/// Whether a goal is an update or a call of an action.
pub(crate) fn acts(program: &Program, goal: &Goal) -> bool {
    match &goal.kind {
        GoalKind::Call(id, _) => program.relation(*id).kind == Kind::Action,
        _ => goal.is_update(),
    }
}

pub(super) fn place(
    program: &Program,
    goal: &Goal,
    inside: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let acts = acts(program, goal);
    if let (true, Some(place)) = (acts, inside) {
        let what = match &goal.kind {
            GoalKind::Call(id, _) => format!("`{}` updates the state", program.relation(*id).name),
            _ => "this updates the state".to_string(),
        };
        diagnostics.push(
            Diagnostic::error("misplaced-update", format!("an update cannot stand in {place}"))
                .at(goal.span, what)
                .hint(match place {
                    REQUIRED => {
                        "write `each` in place of `forall`: `each(G, A)` does A for every answer of G"
                    }
                    SUPPOSED => "write it in the first part: what follows there sees its result",
                    _ => {
                        "move it behind, into the clause itself; a test after an update is allowed"
                    }
                }),
        );
        return;
    }
    let mut go = |g: &Goal, inner: Option<&str>| place(program, g, inner, diagnostics);
    match &goal.kind {
        GoalKind::Not(g) => go(g, Some("a negation")),
        GoalKind::Forall(a, b) => {
            go(a, Some("`forall`"));
            go(b, Some(REQUIRED));
        }
        GoalKind::Aggregate(kind, _, g, _) => go(g, Some(&format!("`{}`", kind.name()))),
        GoalKind::If(c, a, b) => {
            go(c, Some("the condition of `->`"));
            go(a, inside);
            go(b, inside);
        }
        GoalKind::After(a, b, _) => {
            go(a, None);
            go(b, Some(SUPPOSED));
        }
        GoalKind::Each(a, b) => {
            go(a, Some("the first part of `each`"));
            go(b, inside);
        }
        _ => goal.children().into_iter().for_each(|g| go(g, inside)),
    }
}

fn static_only(goal: &Goal, diagnostics: &mut Vec<Diagnostic>) {
    let name = match &goal.kind {
        GoalKind::BuiltIn(built_in, _) if built_in.static_only() => built_in.name(),
        GoalKind::Aggregate(Aggregate::Findall, ..) => "findall",
        _ => return,
    };
    diagnostics.push(
        Diagnostic::error("static-only", format!("`{name}` cannot be used in play"))
            .at(goal.span, "this clause is run in play")
            .hint("put it into a relation of its own that does not depend on the state"),
    );
}
