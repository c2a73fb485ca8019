//! Alternatives as clauses: recursions within a choice or a disjunction, and clauses that are a disjunction.
//!
//! `land(D, A, C) :- step(D, A, B), ( marker(B) -> land(D, B, C) ; empty(B), C = B )` has the same answers as the clauses
//! `land(D, A, C) :- step(D, A, B), marker(B), land(D, B, C)` and `land(D, A, C) :- step(D, A, B), \+ marker(B), empty(B), C = B`.
//! A recursion whose calls are goals of its clauses can be a flood or go along a line, and `run(A, B) :- one(A, B) ; two(A, B)` is a set
//! where each of its clauses is one.

use rustc_hash::FxHashSet;

use crate::datalog::Tables;
use crate::program::{
    Clause, ClauseId, FluentShape, Goal, GoalKind, Kind, Program, RelationId, Term, VariableId,
    reconnect,
};
use crate::types::Types;

use super::closures::Rewritten;
use super::lines::{gives, mentions};
use super::recursions::in_any_order;

/// The most clauses that a relation gets.
const MOST_CLAUSES: usize = 16;

/// Gives recursions a clause for each alternative within which they call themselves, and other relations one for each branch of a
/// disjunction that is a whole clause.
pub(super) fn split(
    program: &mut Program,
    tables: &Tables,
    types: &mut Types,
    before: &mut Rewritten,
) {
    let apart = (0..program.relations.len() as u32).map(RelationId);
    let apart = apart.filter(|id| !program.relation(*id).recursive).map(|id| vec![id]);
    let components: Vec<Vec<RelationId>> =
        program.graph.components.iter().cloned().chain(apart).collect();
    let mut changed = false;
    for component in components {
        if !component.iter().all(|id| in_any_order(program, types, *id)) {
            continue;
        }
        for id in &component {
            let Some(made) = clauses((program, tables), &component, *id) else { continue };
            if !std::mem::replace(&mut changed, true) {
                before.keep_graph(program);
            }
            let mut all = Vec::new();
            for (written, bodies) in made {
                let Some(bodies) = bodies else {
                    all.push(written);
                    continue;
                };
                for body in bodies {
                    all.push(ClauseId(program.clauses.len() as u32));
                    before.stands_for(written);
                    let clause = Clause { body, ..program.clause(written).clone() };
                    program.clauses.push(clause);
                    types.variables.push(types.variables[written.0 as usize].clone());
                }
            }
            before.replace(program, *id, all);
        }
    }
    if changed {
        reconnect(program);
    }
}

/// The clauses of a relation, those that are split with the bodies that they get; `None` where none is, or where they are too many.
fn clauses(
    (program, tables): (&Program, &Tables),
    component: &[RelationId],
    id: RelationId,
) -> Option<Vec<(ClauseId, Option<Vec<Goal>>)>> {
    let (mut all, mut any, mut count) = (Vec::new(), false, 0);
    for id in &program.relation(id).clauses {
        let clause = program.clause(*id);
        let mut pending = vec![clause.body.clone()];
        let mut bodies = Vec::new();
        while let Some(body) = pending.pop() {
            if pending.len() + bodies.len() > MOST_CLAUSES {
                return None;
            }
            match alternatives((program, tables), component, clause, &body) {
                Some(split) => pending.extend(split.into_iter().rev()),
                None => bodies.push(body),
            }
        }
        count += bodies.len();
        let split = bodies.len() != 1 || bodies[0] != clause.body;
        any |= split;
        all.push((*id, split.then_some(bodies)));
    }
    (any && count <= MOST_CLAUSES).then_some(all)
}

/// The bodies that take the place of one in which an alternative calls a relation of the recursion.
fn alternatives(
    (program, tables): (&Program, &Tables),
    component: &[RelationId],
    clause: &Clause,
    body: &Goal,
) -> Option<Vec<Goal>> {
    let goals = body.conjuncts();
    let recursive = program.relation(clause.relation).recursive;
    if let ([Goal { kind: GoalKind::Or(branches), .. }], false) = (goals, recursive) {
        return Some(branches.clone());
    }
    let calls = |goal: &Goal| {
        let mut calls = false;
        goal.walk(&mut |goal| {
            calls |= matches!(&goal.kind, GoalKind::Call(called, _) if component.contains(called));
        });
        calls
    };
    let (at, branches) = goals.iter().enumerate().find_map(|(at, goal)| {
        let branches: Vec<Vec<Goal>> = match &goal.kind {
            GoalKind::Or(branches) if calls(goal) => {
                branches.iter().map(|branch| branch.conjuncts().to_vec()).collect()
            }
            GoalKind::If(test, then, otherwise) if calls(goal) && !calls(test) => {
                let first = first_answer((program, tables), clause, (goals, at), (test, then));
                let denied = Goal::new(GoalKind::Not(test.clone()), test.span);
                let yes = first.into_iter().chain(then.conjuncts().iter().cloned()).collect();
                let no = std::iter::once(denied).chain(otherwise.conjuncts().iter().cloned());
                vec![yes, no.collect()]
            }
            _ => return None,
        };
        Some((at, branches))
    })?;
    let fails = |branch: &Vec<Goal>| branch.iter().any(|goal| goal.kind == GoalKind::Fail);
    let whole = |branch: Vec<Goal>| {
        let all = goals[..at].iter().cloned().chain(branch).chain(goals[at + 1..].to_vec());
        Goal::new(GoalKind::And(all.collect()), body.span)
    };
    Some(branches.into_iter().filter(|branch| !fails(branch)).map(whole).collect())
}

/// The condition of a choice as goals of a clause: where others use what it gives, its first answer only.
fn first_answer(
    (program, tables): (&Program, &Tables),
    clause: &Clause,
    (goals, at): (&[Goal], usize),
    (test, then): (&Goal, &Goal),
) -> Vec<Goal> {
    let known = |v: VariableId| {
        clause.head.iter().any(|term| {
            let mut found = false;
            term.each_variable(&mut |other| found |= other == v);
            found
        }) || goals[..at].iter().any(|goal| gives(goal, v))
    };
    let used = |v: VariableId| {
        let elsewhere = goals.iter().enumerate().any(|(i, goal)| i != at && mentions(goal, v));
        elsewhere || mentions(then, v)
    };
    let mut open: Vec<VariableId> = Vec::new();
    test.each_variable(&mut |v| open.extend((used(v) && !known(v)).then_some(v)));
    let tests = test.conjuncts();
    let one = tests.iter().enumerate().all(|(i, goal)| {
        let gives_none = !open.iter().any(|v| mentions(goal, *v));
        let before = |v: VariableId| known(v) || tests[..i].iter().any(|goal| gives(goal, v));
        let one = gives_none || gives_one(program, tables, goal, before);
        open.retain(|v| !gives(goal, *v));
        one
    });
    match one && open.is_empty() {
        true => test.conjuncts().to_vec(),
        false => vec![Goal::new(GoalKind::Once(Box::new(test.clone())), test.span)],
    }
}

/// Whether a goal reads the value of a map, or a table that has one row at most, where these variables are known.
fn gives_one(
    program: &Program,
    tables: &Tables,
    goal: &Goal,
    known: impl Fn(VariableId) -> bool,
) -> bool {
    let GoalKind::Call(id, args) = &goal.kind else { return false };
    let is_known = |term: &Term| match term {
        Term::Variable(v) => known(*v),
        Term::Constant(_) => true,
        _ => false,
    };
    match program.relation(*id).kind {
        Kind::Fluent(fluent) => {
            let map = matches!(program.fluent(fluent).shape, FluentShape::Map { .. });
            map && args.split_last().is_some_and(|(_, keys)| keys.iter().all(is_known))
        }
        Kind::Static => {
            let table = tables.get(*id);
            let given: Vec<usize> = (0..args.len()).filter(|at| is_known(&args[*at])).collect();
            let mut seen = FxHashSet::default();
            table.rows().all(|row| seen.insert(given.iter().map(|at| row[*at]).collect::<Vec<_>>()))
        }
        _ => false,
    }
}
