//! Recursions that have answers only where their other clauses have some.
//!
//! In `path(D, A, B) :- step(D, A, B), empty(B)` and `path(D, A, C) :- path(D, A, B), step(D, B, C), empty(C)` the
//! second clause goes on from an answer for the same `D` and `A`. Where nothing asks for the last argument, as in
//! `\+ path(D, A, _)`, the first clause says whether there is an answer.

use crate::program::{Clause, GoalKind, Kind, RelationId, Term};

use super::Lowering;
use super::goals::{Arg, G, Vars};
use super::occurrences_among;
use super::plainer::{each_body, told_apart};
use super::procedures::FLOOD;

/// The most clauses that are put in the place of a call, and the most goals of one.
const MAX_CLAUSES: usize = 3;
const MAX_GOALS: usize = 8;

impl Lowering<'_> {
    /// Puts the clauses that begin such recursions in the place of calls. `given` are the variables that others use.
    pub(super) fn begin_only(&mut self, goals: &mut Vec<G>, given: &[usize], vars: &mut Vars) {
        let mut counts = occurrences_among(goals, given, vars);
        told_apart(goals, &mut counts);
        self.begin_within(goals, &counts, vars);
    }

    fn begin_within(&mut self, goals: &mut Vec<G>, counts: &[usize], vars: &mut Vars) {
        let mut at = 0;
        while at < goals.len() {
            let Some(mut bodies) = self.beginnings(&goals[at], counts, vars) else {
                each_body(&mut goals[at], &mut |body| self.begin_within(body, counts, vars));
                at += 1;
                continue;
            };
            let call = goals[at].clone();
            let begun = match bodies.len() {
                1 => bodies.remove(0),
                _ => vec![G::Or(bodies)],
            };
            begun.iter().for_each(|goal| self.put_in_place(goal, &call));
            let next = at + begun.len();
            goals.splice(at..=at, begun);
            at = next;
        }
    }

    /// The bodies of the clauses that begin a recursion, where a call leaves open what the others add.
    fn beginnings(&mut self, goal: &G, counts: &[usize], vars: &mut Vars) -> Option<Vec<Vec<G>>> {
        let G::Call(id, args) = goal else { return None };
        if *id == FLOOD {
            return None;
        }
        let relation = self.program.relation(*id);
        if !relation.recursive
            || relation.kind != Kind::Derived
            || relation.supposes
            || relation.chooses
            || self.types.raises[id.0 as usize]
        {
            return None;
        }
        let open: Vec<bool> = args
            .iter()
            .map(|arg| matches!(arg, Arg::Var(v) if counts.get(*v) == Some(&1)))
            .collect();
        if !open.contains(&true) {
            return None;
        }
        let clauses = self.alive_clauses(*id);
        let (added, begun): (Vec<_>, Vec<_>) = clauses
            .into_iter()
            .partition(|clause| goes_on(self.program.clause(*clause), *id, &open));
        let component = self.program.graph.component_of(*id);
        let short = |clause: &Clause| {
            let mut calls = false;
            clause.body.walk(&mut |goal| {
                calls |= matches!(&goal.kind, GoalKind::Call(id, _) if component.contains(id));
            });
            !calls && clause.body.conjuncts().len() <= MAX_GOALS
        };
        if added.is_empty()
            || !(1..=MAX_CLAUSES).contains(&begun.len())
            || !begun.iter().all(|clause| short(self.program.clause(*clause)))
        {
            return None;
        }
        let args = args.clone();
        Some(begun.iter().map(|clause| self.body_with((0, None), *clause, &args, vars)).collect())
    }
}

/// Whether a clause asks its own relation for what it answers itself, but for the open arguments.
fn goes_on(clause: &Clause, id: RelationId, open: &[bool]) -> bool {
    let same = |(at, term): (usize, &Term)| open[at] || clause.head.get(at) == Some(term);
    clause.body.conjuncts().iter().any(|goal| match &goal.kind {
        GoalKind::Call(called, args) => *called == id && args.iter().enumerate().all(same),
        _ => false,
    })
}
