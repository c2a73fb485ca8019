//! Values that each step of a recursion keeps, asked of the site that it begins with.
//!
//! In `group(C, D) :- group(C, B), adjacent(B, D), at(B, P), at(D, P)` with `group(C, C)` each step keeps what `at` holds. So the
//! clause may ask for `at(C, P)`, which is the same in all rounds of the flood: a round moves a whole set then. The two goals may
//! stand in a relation of their own, `same(B, D)`.

use crate::program::{
    Clause, ClauseId, FluentShape, Goal, GoalKind, Kind, Program, RelationId, Term,
};

use super::recursions::goes_on;
use super::unfolding::in_place;

/// The clauses of a recursion that ask what a map holds at the last site reached, made to ask what it holds at the first one,
/// where that is the same.
pub(super) fn clauses(program: &Program, id: RelationId) -> Vec<(ClauseId, Clause)> {
    let arity = program.relation(id).arity;
    let pairs = (0..arity).flat_map(|fixed| (0..arity).map(move |moving| (fixed, moving)));
    let made = pairs.filter(|(fixed, moving)| fixed != moving);
    made.map(|columns| kept_between(program, id, columns))
        .find(|c| !c.is_empty())
        .unwrap_or_default()
}

/// The clauses for a recursion that leads from the site in the first of these columns to that in the second.
fn kept_between(
    program: &Program,
    id: RelationId,
    (fixed, moving): (usize, usize),
) -> Vec<(ClauseId, Clause)> {
    let mut steps: Vec<(ClauseId, Clause, Vec<Kept>)> = Vec::new();
    for clause in &program.relation(id).clauses {
        let written = program.clause(*clause);
        let (first, last) = (&written.head[fixed], &written.head[moving]);
        if !goes_on(written, id) {
            if !matches!(first, Term::Variable(_)) || first != last {
                return Vec::new();
            }
            continue;
        }
        let step = unfolded(program, written);
        let Some(kept) = kept_in(program, &step, id, (fixed, moving)) else { return Vec::new() };
        steps.push((*clause, step, kept));
    }
    let maps = |kept: &[Kept]| kept.iter().map(|kept| kept.map).collect::<Vec<_>>();
    let mut common = steps.first().map(|(.., kept)| maps(kept)).unwrap_or_default();
    for (.., kept) in &steps {
        common.retain(|map| maps(kept).contains(map));
    }
    if common.is_empty() {
        return Vec::new();
    }
    for (_, clause, kept) in &mut steps {
        let first = clause.head[fixed].clone();
        let mut goals = clause.body.conjuncts().to_vec();
        for Kept { map, at, value } in kept.drain(..).filter(|kept| common.contains(&kept.map)) {
            goals[at].kind = GoalKind::Call(map, vec![first.clone(), value]);
        }
        clause.body = Goal::new(GoalKind::And(goals), clause.body.span);
    }
    steps.into_iter().map(|(id, clause, _)| (id, clause)).collect()
}

/// A goal that asks what a map holds at a site, where a step keeps it.
struct Kept {
    map: RelationId,
    /// The place of the goal in the body of its clause.
    at: usize,
    value: Term,
}

fn kept_in(
    program: &Program,
    clause: &Clause,
    id: RelationId,
    (fixed, moving): (usize, usize),
) -> Option<Vec<Kept>> {
    let goals = clause.body.conjuncts();
    let mut calls = goals.iter().filter_map(|goal| match &goal.kind {
        GoalKind::Call(called, args) if *called == id => Some(args),
        _ => None,
    });
    let (first, last) = (&clause.head[fixed], &clause.head[moving]);
    let before = match (calls.next(), calls.next()) {
        (Some(args), None) if args[fixed] == *first => &args[moving],
        _ => return None,
    };
    let held = |goal: &Goal, site: &Term| match &goal.kind {
        GoalKind::Call(map, args) => match &args[..] {
            [key, value] if key == site && is_map(program, *map) => Some((*map, value.clone())),
            _ => None,
        },
        _ => None,
    };
    let after: Vec<(RelationId, Term)> = goals.iter().filter_map(|goal| held(goal, last)).collect();
    let kept = goals.iter().enumerate().filter_map(|(at, goal)| {
        let (map, value) = held(goal, before).filter(|held| after.contains(held))?;
        let simple = matches!(value, Term::Variable(_) | Term::Constant(_));
        simple.then_some(Kept { map, at, value })
    });
    Some(kept.collect())
}

/// A clause with the goals of relations of one clause in place of the calls of these.
fn unfolded(program: &Program, clause: &Clause) -> Clause {
    let mut made = clause.clone();
    let mut goals = Vec::new();
    for goal in clause.body.conjuncts() {
        match only_clause(program, goal) {
            Some(only) => goals.extend(in_place(goal, only, &mut made.variables).0),
            None => goals.push(goal.clone()),
        }
    }
    made.body = Goal::new(GoalKind::And(goals), clause.body.span);
    made
}

/// The only clause of a relation that is called, where its goals are calls.
fn only_clause<'p>(program: &'p Program, goal: &Goal) -> Option<&'p Clause> {
    let GoalKind::Call(id, _) = &goal.kind else { return None };
    let relation = program.relation(*id);
    let (Kind::Derived, [only]) = (relation.kind, &relation.clauses[..]) else { return None };
    let clause = program.clause(*only);
    let calls = clause.body.conjuncts().iter().all(|g| matches!(g.kind, GoalKind::Call(..)));
    (calls && !relation.recursive && !relation.chooses).then_some(clause)
}

/// Whether a relation is a map of the state, which holds one value at each key.
fn is_map(program: &Program, relation: RelationId) -> bool {
    let Kind::Fluent(fluent) = program.relation(relation).kind else { return false };
    matches!(program.fluent(fluent).shape, FluentShape::Map { .. })
}
