//! Tests of the element from which a flood begins, that most often make the flood superfluous.
//!
//! In `alive(P) :- chain(P, Q), adjacent(Q, R), empty(R).` with `chain(P, P) :- at(P, _).` the chain
//! of P has P itself. So a stone with an empty point beside it is alive, and who asks for those that
//! are not alive need not look at it: where P is the variable of a set, these leave it together.

use crate::program::{Clause, Kind, RelationId, Term};

use super::super::ops::Argument;
use super::forms::{rename, rename_apart};
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::{Lowering, occurrences};

impl Lowering<'_> {
    /// Adds to each negation of a flood and tests of its elements, at any depth, the negation of the
    /// same tests for the element that the flood begins with. `outside` are the variables that the
    /// goals around these use.
    pub(super) fn deny_seeds(&mut self, goals: &mut Vec<G>, outside: &[Var], vars: &mut Vars) {
        let mut totals = occurrences(goals, vars);
        outside.iter().for_each(|v| totals[*v] += 1);
        self.deny_within(goals, &totals, vars);
    }

    fn deny_within(&mut self, goals: &mut Vec<G>, totals: &[usize], vars: &mut Vars) {
        for mut goal in std::mem::take(goals) {
            let original = goal.clone();
            match &mut goal {
                G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => {
                    self.deny_within(inner, totals, vars);
                }
                G::Or(branches) => {
                    branches.iter_mut().for_each(|branch| self.deny_within(branch, totals, vars));
                }
                G::If(condition, then, otherwise) => {
                    for part in [condition, then, otherwise] {
                        self.deny_within(part, totals, vars);
                    }
                }
                G::Each(answers, action, _) => {
                    self.deny_within(answers, totals, vars);
                    self.deny_within(action, totals, vars);
                }
                _ => {}
            }
            if goal != original {
                self.put_in_place(&goal, &original);
            }
            if let G::Not(inner) = &goal
                && let Some(seed) = self.denied_seed(inner, totals, vars)
            {
                self.put_in_place(&seed, &goal);
                goals.push(seed);
            }
            goals.push(goal);
        }
    }

    /// The negation of the tests for the first element of a flood, with local variables of its own.
    fn denied_seed(&mut self, inner: &[G], totals: &[usize], vars: &mut Vars) -> Option<G> {
        let (call, from, to) = self.flood_among(inner)?;
        let used = |v: Var| {
            let mut uses = 0;
            inner.iter().for_each(|g| g.each_var(&mut |other| uses += usize::from(other == v)));
            uses
        };
        let within = |v: Var| totals.get(v).is_none_or(|total| *total <= used(v));
        if !within(to) || within(from) {
            return None;
        }
        let mut seed = self.for_first(inner, (call, from, to), vars)?;
        rename_apart(&mut seed, &|v| v != from && within(v), vars);
        Some(G::Not(seed))
    }

    /// The tests of a flood's elements for the one that it begins with, where that one is known.
    pub(super) fn by_seed(
        &mut self,
        goals: &[G],
        context: &mut BlockState,
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        let (call, from, to) = self.flood_among(goals)?;
        let bound = |v: Var| context.bound.get(v).copied().flatten().is_some();
        if !bound(from) || bound(to) {
            return None;
        }
        let first = self.for_first(goals, (call, from, to), vars)?;
        let uses = occurrences(&first, vars);
        context.bound.resize(vars.all.len(), None);
        context.totals.extend_from_slice(&uses[context.totals.len()..]);
        Some(first)
    }

    /// The only call among goals, if it is a flood: its place, its first element and its target.
    /// The other goals are cheap tests, which do not use the first element.
    fn flood_among(&self, goals: &[G]) -> Option<(usize, Var, Var)> {
        let mut found = None;
        for (i, goal) in goals.iter().enumerate() {
            match goal {
                G::Call(id, args) if found.is_none() => {
                    let (from, to) = self.reflexive(*id)?;
                    let (Arg::Var(from), Arg::Var(to)) = (args[from], args[to]) else {
                        return None;
                    };
                    found = Some((i, from, to));
                }
                goal if is_cheap(goal) => {}
                _ => return None,
            }
        }
        let (call, from, to) = found?;
        let mut others = goals.iter().enumerate().filter(|(i, _)| *i != call);
        let uses = |goal: &G, of: Var| {
            let mut uses = false;
            goal.each_var(&mut |v| uses |= v == of);
            uses
        };
        let apart = others.clone().all(|(_, goal)| !uses(goal, from));
        (from != to && apart && others.any(|(_, goal)| uses(goal, to))).then_some((call, from, to))
    }

    /// The goals with what the call begins with in place of the call and its answers.
    fn for_first(
        &mut self,
        goals: &[G],
        (call, from, to): (usize, Var, Var),
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        let G::Call(id, args) = &goals[call] else { return None };
        let program = self.program;
        let clauses = program.relation(*id).clauses.iter();
        let reflexive = clauses.copied().find(|id| equal_in_head(program.clause(*id)).is_some())?;
        let mut first = self.body_with((0, None), reflexive, args, vars);
        if !first.iter().all(is_cheap) {
            return None;
        }
        first.iter().for_each(|goal| self.put_in_place(goal, &goals[call]));
        let rest = goals.iter().enumerate().filter(|(i, _)| *i != call);
        first.extend(rest.map(|(_, goal)| goal.clone()));
        for goal in &mut first {
            let before = goal.clone();
            rename(goal, &|v| if v == to { from } else { v });
            self.put_in_place(goal, &before);
        }
        first.retain(|goal| !matches!(goal, G::Same(a, b) if a == b));
        Some(first)
    }

    /// The first element of a flood and its target, where a clause makes these arguments equal.
    fn reflexive(&self, id: RelationId) -> Option<(usize, usize)> {
        let relation = self.program.relations.get(id.0 as usize)?;
        if !relation.recursive || relation.kind != Kind::Derived {
            return None;
        }
        let (from, to) =
            relation.clauses.iter().find_map(|id| equal_in_head(self.program.clause(*id)))?;
        let way = |target: usize| -> Vec<Argument> {
            (0..relation.arity)
                .map(|i| if i == target { Argument::Target } else { Argument::Input })
                .collect()
        };
        match (self.floods(id, &way(to)), self.floods(id, &way(from))) {
            (true, _) => Some((from, to)),
            (false, true) => Some((to, from)),
            (false, false) => None,
        }
    }
}

/// Two arguments of a clause's head that are one variable.
fn equal_in_head(clause: &Clause) -> Option<(usize, usize)> {
    let variable = |i: &usize| matches!(clause.head[*i], Term::Variable(_));
    (0..clause.head.len()).filter(variable).find_map(|first| {
        let mut behind = first + 1..clause.head.len();
        behind.find(|at| clause.head[*at] == clause.head[first]).map(|at| (first, at))
    })
}

/// Tests of the state and of tables, without calls.
fn is_cheap(goal: &G) -> bool {
    match goal {
        G::Static(..) | G::Functor(..) | G::Read(..) | G::Same(..) => true,
        G::Not(inner) => inner.iter().all(is_cheap),
        _ => false,
    }
}
