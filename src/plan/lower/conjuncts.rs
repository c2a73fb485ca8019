//! What the goals of a conjunction have in common.

use super::goals::{G, Var};
use super::order::{BlockState, Want};

/// A test that goals have a common answer: they are denied twice.
pub(super) fn test_of(goals: Vec<G>) -> G {
    G::Not(vec![G::Not(goals)])
}

/// The goals of such a test.
pub(super) fn tested(goal: &G) -> Option<&[G]> {
    match goal {
        G::Not(denied) => match denied.as_slice() {
            [G::Not(goals)] => Some(goals),
            _ => None,
        },
        _ => None,
    }
}

/// Unbound variables that are not needed after these goals and occur more than once.
pub(super) fn locals(goals: &[G], context: &BlockState, want: &Want) -> Vec<Var> {
    let mut found = Vec::new();
    for goal in goals {
        each_open(goal, context, &mut |v| {
            if context.bound[v].is_none() && !want.wants(v) && !found.contains(&v) {
                found.push(v);
            }
        });
    }
    found
}

/// Calls `visit` for each variable of a goal but those that are local to a negation or aggregate.
pub(super) fn each_open(goal: &G, context: &BlockState, visit: &mut dyn FnMut(Var)) {
    match goal {
        G::Not(_) | G::Aggregate(..) => {}
        G::Or(branches) => {
            return branches.iter().flatten().for_each(|g| each_open(g, context, visit));
        }
        G::If(c, t, e) => {
            return c.iter().chain(t).chain(e).for_each(|g| each_open(g, context, visit));
        }
        G::Once(inner) => return inner.iter().for_each(|g| each_open(g, context, visit)),
        _ => return goal.each_var(visit),
    }
    let mut counts: Vec<(Var, usize)> = Vec::new();
    goal.each_var(&mut |v| match counts.iter_mut().find(|(w, _)| *w == v) {
        Some((_, n)) => *n += 1,
        None => counts.push((v, 1)),
    });
    for (v, count) in counts {
        if context.totals[v] > count {
            visit(v);
        }
    }
}

pub(super) fn occurs_elsewhere(goals: &[G], at: usize, var: Var) -> bool {
    goals.iter().enumerate().any(|(i, g)| {
        let mut found = false;
        if i != at {
            g.each_var(&mut |v| found |= v == var);
        }
        found
    })
}

/// By variable, in how many of the goals it occurs.
pub(super) fn holders(goals: &[G]) -> Vec<u32> {
    let (mut holders, mut last) = (Vec::new(), Vec::new());
    for (at, goal) in goals.iter().enumerate() {
        goal.each_var(&mut |v| {
            if v >= holders.len() {
                holders.resize(v + 1, 0);
                last.resize(v + 1, usize::MAX);
            }
            if std::mem::replace(&mut last[v], at) != at {
                holders[v] += 1;
            }
        });
    }
    holders
}

/// Removes the goals at these ascending places.
pub(super) fn take(goals: &mut Vec<G>, places: &[usize]) -> Vec<G> {
    let mut taken: Vec<G> = places.iter().rev().map(|i| goals.remove(*i)).collect();
    taken.reverse();
    taken
}
