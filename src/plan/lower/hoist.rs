//! Moves goals of a move's clause before an update, where they read nothing that it writes.
//!
//! That does not change the result: no goal before them is a rule error, and moves have no order.
//! The choices of the move are then candidates, and none of them need be played to find the others.
//!
//! A goal that asks for sites without a piece may be moved before an update that puts one down, if the site is another one: behind
//! `at(C) := X` the goals `loose(R), \+ at(R, _)` have the answers that `loose(R), \+ at(R, _), R \= C` have before it
//! (`across.rs`).
//!
//! Goals that only test what an update leads to are no choices: `at(A) := Me, adjacent(A, B), at(B, Me)`
//! is played once for each `A`. They stay together, or are moved together.

use crate::program::{Goal, GoalKind, Kind, RelationId};

use super::super::ops::Operand;
use super::conjuncts::{test_of, tested};
use super::effects::Fluents;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::links::Links;
use super::moves::is_local;
use super::order::{BlockState, Want};
use super::patterns::variables;
use super::{Lowering, occurrences};

impl Lowering<'_> {
    /// Moves choices before the update, with what they need; static goals in any case, with what tests their values.
    /// `counts` is how often each variable occurs in the clause.
    pub(super) fn hoist(&self, before: &mut Vec<G>, after: &mut Vec<G>, counts: &[usize]) {
        let all = (before.clone(), after.clone());
        let given = variables(before);
        // a test of what is known before is made of the move that is played, if it needs values of its own
        let narrows = |goal: &G| {
            let (mut own, mut new) = (false, false);
            goal.each_var(&mut |v| match is_local(goal, v, counts) {
                true => own = true,
                false => new |= !given.contains(&v),
            });
            new || !own || !matches!(goal, G::Not(_))
        };
        if !self.hoist_where(before, after, narrows) {
            let is_static = |goal: &G| {
                let mut goals = tested(goal).unwrap_or(std::slice::from_ref(goal)).iter();
                goals.all(|goal| matches!(goal, G::Static(..) | G::Functor(..)))
            };
            (*before, *after) = all.clone();
            // what narrows the choices of static goals goes with them
            self.hoist_where(before, after, |goal| {
                let mut new = is_static(goal);
                goal.each_var(&mut |v| new |= !given.contains(&v));
                new && narrows(goal)
            });
            let mut known = variables(before);
            let one_way = after.iter().all(|goal| {
                let one = self.goes_one_way(goal, &known) || self.is_one_each(goal, &known);
                goal.each_var(&mut |v| known.push(v));
                one
            });
            if !one_way {
                // choices stay behind the update in any case, each next to what narrows it
                (*before, *after) = all;
                let known = variables(before);
                self.hoist_where(before, after, |goal| {
                    let mut tests = is_static(goal);
                    goal.each_var(&mut |v| tests &= known.contains(&v));
                    tests
                });
            }
        }
    }

    /// Puts the goals between two updates that have variables of their own, and bind none that the head or another goal
    /// has, in tests.
    pub(super) fn group_tests(
        &mut self,
        before: &[G],
        after: &mut Vec<G>,
        head: &[Var],
        vars: &Vars,
    ) {
        let mut counts = occurrences(&[before, after].concat(), vars);
        head.iter().for_each(|v| counts[*v] += 1);
        let mut known = variables(before);
        let (mut grouped, mut rest) = (Vec::new(), std::mem::take(after).into_iter().peekable());
        while let Some(goal) = rest.next() {
            if self.stands_apart(&goal) {
                goal.each_var(&mut |v| known.push(v));
                grouped.push(goal);
                continue;
            }
            let mut between = vec![goal];
            while let Some(goal) = rest.next_if(|goal| !self.stands_apart(goal)) {
                between.push(goal);
            }
            let inside = occurrences(&between, vars);
            let needed = (0..vars.all.len()).filter(|v| inside[*v] < counts[*v]).collect();
            let new = variables(&between);
            let want = Want { needed, ..Want::default() };
            grouped.extend(self.with_tests(between, &known, &want, vars));
            known.extend(new);
        }
        *after = grouped;
    }

    /// Whether goals after this one are not done before it.
    fn stands_apart(&self, goal: &G) -> bool {
        self.acts(goal) || self.raises(goal) || self.chooses(goal, &|_| true)
    }

    /// The goals, with those that are tests of several answers as one goal each.
    fn with_tests(&mut self, goals: Vec<G>, known: &[Var], want: &Want, vars: &Vars) -> Vec<G> {
        let mut context = BlockState::new(vars);
        known.iter().for_each(|v| context.bound[*v] = Some(Operand::Const(0)));
        let links = Links::new(&goals, &context, want);
        let mut made: Vec<(usize, G)> = Vec::new();
        let mut seen = vec![false; goals.len()];
        for start in 0..goals.len() {
            if seen[start] || self.goes_one_way(&goals[start], known) {
                continue;
            }
            let Some(places) = links.test_with(start, &goals, &context, want) else { continue };
            places.iter().for_each(|place| seen[*place] = true);
            let inner: Vec<G> = places.iter().map(|place| goals[*place].clone()).collect();
            let test = test_of(inner);
            self.put_in_place(&test, &goals[start]);
            made.push((places[places.len() - 1], test));
        }
        let mut all = Vec::new();
        for (i, goal) in goals.into_iter().enumerate() {
            match made.iter().position(|(at, _)| *at == i) {
                Some(at) => all.push(made.swap_remove(at).1),
                None if seen[i] => {}
                None => all.push(goal),
            }
        }
        all
    }

    /// Moves the goals that may be moved; true where there was a choice among them.
    fn hoist_where(
        &self,
        before: &mut Vec<G>,
        after: &mut Vec<G>,
        wanted: impl Fn(&G) -> bool,
    ) -> bool {
        let (mut i, mut chosen) = (0, false);
        let mut written = Fluents::default();
        let mut passed: Vec<G> = Vec::new();
        let given = variables(before);
        // a goal that may be a rule error stays before those after it
        while i < after.len() && !self.raises(&after[i]) {
            let mut inside = Vec::new();
            before.iter().for_each(|g| g.each_var(&mut |v| inside.push(v)));
            let mut earlier = Vec::new();
            after[..i].iter().for_each(|g| g.each_var(&mut |v| earlier.push(v)));
            let mut known = true;
            after[i].each_var(&mut |v| known &= inside.contains(&v) || !earlier.contains(&v));
            let mut read = Fluents::default();
            self.add_reads(&after[i], &mut read);
            let across =
                match known && wanted(&after[i]) && self.is_movable(&after[i], &inside, &given) {
                    true if !read.meets(&written) => Some(vec![after[i].clone()]),
                    true => self.across(&after[i], &passed, &inside),
                    false => None,
                };
            if let Some(across) = across {
                chosen |= chooses(&after[i], &inside);
                after.remove(i);
                for goal in across {
                    match tested(&goal) {
                        Some(goals) => before.extend_from_slice(goals),
                        None => before.push(goal),
                    }
                }
            } else {
                self.add_writes(&after[i], &mut written);
                passed.push(after[i].clone());
                i += 1;
            }
        }
        chosen
    }

    /// Whether a goal can be run where these variables are bound, of which some were `given` before goals were moved. A
    /// relation that only tests may be expensive, and is better left to the move that is played; but one that only looks
    /// things up leaves fewer of the choices that were moved.
    fn is_movable(&self, goal: &G, known: &[Var], given: &[Var]) -> bool {
        let has = |arg: &Arg| is_known(arg, known);
        let calculates = |e: &Expr| {
            let mut all = true;
            e.each_var(&mut |v| all &= known.contains(&v));
            all
        };
        if let Some(goals) = tested(goal) {
            let mut known = known.to_vec();
            return goals.iter().all(|goal| {
                let movable = self.is_movable(goal, &known, given);
                goal.each_var(&mut |v| known.push(v));
                movable
            });
        }
        match goal {
            G::Static(..) | G::Functor(..) | G::Read(..) => true,
            G::Same(a, b) => has(a) || has(b),
            G::Compare(_, a, b, _) | G::In(_, a, b, _) => calculates(a) && calculates(b),
            G::Is(_, e, _) => calculates(e),
            G::Member(_, list) => has(list),
            // what it knows alone are values of its own
            G::Not(inner) if inner.iter().all(looks_up) => true,
            G::Not(inner) => {
                let mut all = inner.iter().all(|g| self.is_movable(g, known, given));
                goal.each_var(&mut |v| all &= known.contains(&v));
                all
            }
            G::Call(id, args) if !self.acts(goal) && !self.call_chooses(*id) => {
                let needs = &self.program.relation(*id).needs_bound;
                needs.iter().zip(args).all(|(needed, arg)| !needed || has(arg))
                    && (!args.iter().all(has)
                        || !args.iter().all(|arg| is_known(arg, given)) && self.only_looks_up(*id))
            }
            _ => false,
        }
    }

    /// Whether the clauses of a relation only look into tables and the state.
    fn only_looks_up(&self, id: RelationId) -> bool {
        let looks_up = |goal: &Goal| match &goal.kind {
            GoalKind::Call(id, _) => {
                matches!(self.program.relation(*id).kind, Kind::Static | Kind::Fluent(_))
            }
            GoalKind::Unify(..) | GoalKind::Differ(..) | GoalKind::Compare(..) => true,
            _ => false,
        };
        self.program.relation(id).clauses.iter().all(|clause| {
            let goals = self.program.clause(*clause).body.conjuncts();
            goals.iter().all(|goal| match &goal.kind {
                GoalKind::Not(inner) => inner.conjuncts().iter().all(looks_up),
                _ => looks_up(goal),
            })
        })
    }
}

/// Whether a goal other than a static one may have several answers.
fn chooses(goal: &G, known: &[Var]) -> bool {
    match goal {
        G::Member(x, _) | G::In(x, ..) => !is_known(x, known),
        G::Read(_, keys, _) => !keys.iter().all(|key| is_known(key, known)),
        G::Call(_, args) => !args.iter().all(|arg| is_known(arg, known)),
        _ => false,
    }
}

/// Whether a goal only looks into tables and the state.
pub(super) fn looks_up(goal: &G) -> bool {
    match goal {
        G::Static(..) | G::Functor(..) | G::Read(..) | G::Same(..) => true,
        G::Not(inner) => inner.iter().all(looks_up),
        _ => false,
    }
}

pub(super) fn is_known(arg: &Arg, known: &[Var]) -> bool {
    match arg {
        Arg::Var(v) => known.contains(v),
        Arg::Const(_) => true,
    }
}
