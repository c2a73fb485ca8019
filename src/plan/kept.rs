//! Values that each step of a recursion keeps, asked of the site that it begins with.
//!
//! In `group(C, D) :- group(C, B), adjacent(B, D), at(B, P), at(D, P)` with `group(C, C)` each step keeps what `at` holds. So the
//! clause may ask for `at(C, P)`, which is the same in all rounds of the flood: a round moves a whole set then. The two goals may
//! stand in a relation of their own, `same(B, D)`.
//!
//! With the recursive call last, `group(A, D) :- at(A, P), adjacent(A, B), at(B, P), group(B, D)`, the site that is the same in all rounds
//! is `D`. Where calls give `A` and ask for `D`, the clause may not look at `D`. As the group of a stone is the same from either end, the
//! recursive call is put first then.

use rustc_hash::FxHashMap;

use crate::program::{
    Clause, ClauseId, FluentShape, Goal, GoalKind, Kind, Program, RelationId, Term, VariableId,
    rename_goal,
};

use super::recursions::goes_on;
use super::unfolding::in_place;

/// The clauses of a recursion that ask what a map holds at the last site reached, made to ask what it holds at the first one,
/// where that is the same.
pub(super) fn clauses(program: &Program, id: RelationId) -> Vec<(ClauseId, Clause)> {
    let arity = program.relation(id).arity;
    let pairs = (0..arity).flat_map(|fixed| (0..arity).map(move |moving| (fixed, moving)));
    let found = pairs
        .filter(|(fixed, moving)| fixed != moving)
        .filter_map(|columns| Some((columns, steps_between(program, id, columns)?)))
        .map(|(columns, steps)| (columns, with_kept(program, id, columns, steps)))
        .find(|(_, made)| !made.is_empty());
    match found {
        Some((columns, _)) if asked_from_the_end(program, id, columns) => {
            turned(program, id, columns).unwrap_or_default()
        }
        Some((_, made)) => made,
        None => Vec::new(),
    }
}

/// The clauses with the recursive call first, `group(A, D) :- group(A, B), at(B, P), adjacent(B, D), at(D, P)`, of a recursion that
/// leads from the last site to the first and whose first clause asks of a site only what each step says of both of its sites.
fn turned(
    program: &Program,
    id: RelationId,
    (fixed, moving): (usize, usize),
) -> Option<Vec<(ClauseId, Clause)>> {
    let steps = steps_between(program, id, (fixed, moving))?;
    let kept = steps.iter().map(|(_, step)| kept_in(program, step, id, (fixed, moving)));
    let kept: Vec<Vec<Kept>> = kept.collect::<Option<_>>()?;
    let begins = program.relation(id).clauses.iter().map(|clause| program.clause(*clause));
    for begin in begins.filter(|clause| !goes_on(clause, id)) {
        let occurrences = begin.occurrences();
        let said = |goal: &Goal| match &goal.kind {
            GoalKind::Call(map, args) => match &args[..] {
                [site, Term::Variable(value)] => {
                    *site == begin.head[fixed]
                        && occurrences[value.0 as usize] == 1
                        && kept.iter().all(|kept| kept.iter().any(|kept| kept.map == *map))
                }
                _ => false,
            },
            _ => false,
        };
        if !begin.body.conjuncts().iter().all(said) {
            return None;
        }
    }
    let steps: Option<Vec<(ClauseId, Clause)>> = (steps.into_iter())
        .map(|(clause, step)| Some((clause, turned_step(step, id, (fixed, moving))?)))
        .collect();
    Some(with_kept(program, id, (moving, fixed), steps?))
}

/// A step from the site that a call gives to the one that the recursion goes on from, as a step from the last site reached.
fn turned_step(
    mut step: Clause,
    id: RelationId,
    (fixed, moving): (usize, usize),
) -> Option<Clause> {
    let occurrences = step.occurrences();
    let (first, last) = (step.head[moving].clone(), step.head[fixed].clone());
    let (Term::Variable(from), Term::Variable(end)) = (&first, &last) else { return None };
    if from == end || occurrences[end.0 as usize] != 2 {
        return None;
    }
    let mut goals = step.body.conjuncts().to_vec();
    let mut names = FxHashMap::default();
    for goal in &goals {
        if let GoalKind::Call(called, args) = &goal.kind
            && *called == id
        {
            let Term::Variable(next) = args[moving] else { return None };
            let same = |column: usize| {
                column == fixed || column == moving || args[column] == step.head[column]
            };
            if next == *from || next == *end || !(0..args.len()).all(same) {
                return None;
            }
            names.extend([(*from, next), (next, *end)]);
        }
    }
    for goal in &mut goals {
        match &mut goal.kind {
            GoalKind::Call(called, args) if *called == id => {
                args[fixed] = args[moving].clone();
                args[moving] = first.clone();
            }
            _ => rename_goal(goal, &names),
        }
    }
    step.body = Goal::new(GoalKind::And(goals), step.body.span);
    Some(step)
}

/// Whether a call is more likely to have a value for the site to which the recursion leads than for the one at which it begins.
fn asked_from_the_end(program: &Program, id: RelationId, (fixed, moving): (usize, usize)) -> bool {
    let own = &program.relation(id).clauses;
    program.relations.iter().flat_map(|relation| &relation.clauses).any(|caller| {
        let clause = program.clause(*caller);
        let mut known: Vec<VariableId> = Vec::new();
        clause.head.iter().for_each(|term| term.each_variable(&mut |v| known.push(v)));
        !own.contains(caller) && asks_for(&clause.body, id, (fixed, moving), &known)
    })
}

/// Whether a call in a goal has a likelier value for the second of these arguments than for the first one. Variables that are
/// known from around the goal are the likeliest to have one, then those that other goals beside the call contain.
fn asks_for(
    goal: &Goal,
    id: RelationId,
    (first, second): (usize, usize),
    known: &[VariableId],
) -> bool {
    let goals = goal.conjuncts();
    goals.iter().enumerate().any(|(at, goal)| match &goal.kind {
        GoalKind::Call(called, args) if *called == id => {
            let occurs = |v: VariableId| {
                let mut others = goals.iter().enumerate().filter(|(other, _)| *other != at);
                others.any(|(_, other)| {
                    let mut occurs = false;
                    other.each_variable(&mut |w| occurs |= w == v);
                    occurs
                })
            };
            let likely = |term: &Term| match term {
                Term::Variable(v) if known.contains(v) => 2,
                Term::Variable(v) => i32::from(occurs(*v)),
                _ => 2,
            };
            likely(&args[first]) < likely(&args[second])
        }
        _ => {
            let mut known = known.to_vec();
            for (_, other) in goals.iter().enumerate().filter(|(other, _)| *other != at) {
                other.each_variable(&mut |v| known.push(v));
            }
            let mut inner = goal.children().into_iter();
            inner.any(|child| asks_for(child, id, (first, second), &known))
        }
    })
}

/// The steps of a recursion that leads from the site in the first of these columns to that in the second, and begins with these
/// being one; with the goals of relations of one clause in place of their calls.
fn steps_between(
    program: &Program,
    id: RelationId,
    (fixed, moving): (usize, usize),
) -> Option<Vec<(ClauseId, Clause)>> {
    let mut steps = Vec::new();
    for clause in &program.relation(id).clauses {
        let written = program.clause(*clause);
        let (first, last) = (&written.head[fixed], &written.head[moving]);
        match goes_on(written, id) {
            true => steps.push((*clause, unfolded(program, written))),
            false if matches!(first, Term::Variable(_)) && first == last => {}
            false => return None,
        }
    }
    Some(steps)
}

/// The clauses for these steps of a recursion, which ask of the site in the first of these columns what each step keeps.
fn with_kept(
    program: &Program,
    id: RelationId,
    (fixed, moving): (usize, usize),
    all: Vec<(ClauseId, Clause)>,
) -> Vec<(ClauseId, Clause)> {
    let mut steps: Vec<(ClauseId, Clause, Vec<Kept>)> = Vec::new();
    for (clause, step) in all {
        let Some(kept) = kept_in(program, &step, id, (fixed, moving)) else { return Vec::new() };
        steps.push((clause, step, kept));
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
