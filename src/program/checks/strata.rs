//! A relation may not depend on its own negation, or on an aggregate of itself: such a set of
//! clauses has no definite meaning. The cycle is shown clause by clause.
//!
//! Wrong: `safe(P) :- \+ unsafe(P).  unsafe(P) :- adjacent(P, Q), \+ safe(Q).`

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::program::{Dependency, GoalKind, Program, RelationId};
use crate::source::Span;

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for component in &program.graph.components {
        let negative = component.iter().find_map(|from| {
            program
                .graph
                .calls(*from)
                .find(|(to, d)| d.negative && component.contains(to))
                .map(|(to, d)| (*from, to, *d))
        });
        if let Some((from, to, span)) = committed(program, component)
            && negative.is_none()
        {
            let name = program.relation(from).indicator();
            diagnostics.push(
                Diagnostic::error(
                    "unstratified",
                    format!("`{name}` depends on a first answer of itself"),
                )
                .at(span, format!("needs all of `{}` first", program.relation(to).indicator()))
                .hint("`once` of a relation cannot stand in its own definition"),
            );
        }
        let Some((from, to, edge)) = negative else { continue };
        let special = program.special;
        let moves =
            special.moves == Some(to) || special.chance == Some(to) || special.rank == Some(to);
        let supposed = !moves && inside_after(program, &edge);
        let name = program.relation(from).indicator();
        let mut d = match supposed {
            true => Diagnostic::error(
                "after-recursion",
                format!("`{name}` depends on itself inside of `after`"),
            ),
            false => Diagnostic::error(
                "unstratified",
                format!("`{name}` depends on its own negation or aggregate"),
            ),
        }
        .at(edge.span, format!("needs all of `{}` first", program.relation(to).indicator()));
        let mut steps = vec![name];
        for (at, next) in path(program, component, to, from) {
            steps.push(program.relation(at).indicator());
            d = d.at(next.span, format!("`{}` uses this", program.relation(at).indicator()));
        }
        steps.push(program.relation(from).indicator());
        d = d.hint(format!("the cycle is {}", steps.join(" -> ")));
        d = if moves {
            d.hint("`legal` and `stuck` cannot stand in `move`, `chance`, `rank` or what they use")
        } else if supposed {
            d.hint("`after` speaks of another position: define what is asked there on its own")
        } else {
            d.hint("define one of them without the other")
        };
        diagnostics.push(d);
    }
}

/// Whether a call stands inside of an `after`.
fn inside_after(program: &Program, edge: &Dependency) -> bool {
    let mut inside = false;
    program.clause(edge.clause).body.walk(&mut |goal| {
        if let GoalKind::After(..) = goal.kind {
            goal.walk(&mut |g| inside |= g.span == edge.span && !std::ptr::eq(g, goal));
        }
    });
    inside
}

/// Finds `once` of a relation within its own recursion: its first answer may change while the
/// relation grows.
fn committed(
    program: &Program,
    component: &[RelationId],
) -> Option<(RelationId, RelationId, Span)> {
    let derived = |id: RelationId| program.relation(id).kind != crate::program::Kind::Action;
    for id in component.iter().filter(|id| derived(**id)) {
        for clause in &program.relation(*id).clauses {
            let mut found = None;
            program.clause(*clause).body.walk(&mut |goal| {
                let GoalKind::Once(inner) = &goal.kind else { return };
                inner.walk(&mut |g| {
                    if let GoalKind::Call(to, _) = &g.kind
                        && component.contains(to)
                        && program.relation(*id).recursive
                    {
                        found = Some((*id, *to, g.span));
                    }
                });
            });
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The calls on a shortest path from one relation to another within a component.
fn path(
    program: &Program,
    component: &[RelationId],
    from: RelationId,
    to: RelationId,
) -> Vec<(RelationId, Dependency)> {
    let mut came: FxHashMap<RelationId, (RelationId, Dependency)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            break;
        }
        for (next, d) in program.graph.calls(at) {
            if component.contains(&next) && next != from && !came.contains_key(&next) {
                came.insert(next, (at, *d));
                queue.push_back(next);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = to;
    while at != from {
        let Some((previous, d)) = came.get(&at) else { break };
        steps.push((*previous, *d));
        at = *previous;
    }
    steps.reverse();
    steps
}
