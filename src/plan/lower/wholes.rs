//! Goals about all arguments of a pattern, made goals about the constant that has them.
//!
//! In `\+ hole(X, Y), \+ (column(P, X), row(P, Y))` both negations are about the site of `X` and `Y`. With the pattern looked up
//! inside of it, `\+ (column(P, U), row(P, V), site(S, U, V))`, the second one denies a set of sites, which is gathered once, as the
//! first one does. Likewise `count(f(X, Y), …)` counts sites: a constant and its arguments determine each other.

use crate::program::Aggregate;

use super::emit::occurrences_in;
use super::forms::{by_names, rename};
use super::goals::{Arg, G, Var, Vars};
use super::patterns::variables;
use super::{Lowering, occurrences_among};

impl Lowering<'_> {
    /// Makes such goals of a body, and of the goals inside of it. `fixed` are the variables that the goals around these use.
    pub(super) fn ask_of_wholes(&mut self, goals: &mut [G], fixed: &[Var], vars: &mut Vars) {
        if self.made.functors.is_empty() {
            return;
        }
        let totals = occurrences_among(goals, fixed, vars);
        self.ask_within(goals, &[], &totals, vars);
    }

    fn ask_within(&mut self, goals: &mut [G], around: &[G], totals: &[usize], vars: &mut Vars) {
        let mut around = around.to_vec();
        for goal in goals {
            if self.pattern(goal).is_some() {
                around.push(goal.clone());
                continue;
            }
            let before = goal.clone();
            if let Some(made) = self.denied_of_whole(goal, &around, totals, vars) {
                *goal = made;
            } else if let Some(made) = self.counted_by_whole(goal, totals) {
                *goal = made;
            } else {
                let mut ask = |part: &mut Vec<G>| self.ask_within(part, &around, totals, vars);
                match goal {
                    G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => ask(inner),
                    G::Or(branches) => branches.iter_mut().for_each(ask),
                    G::If(condition, then, otherwise) => {
                        [condition, then, otherwise].into_iter().for_each(ask);
                    }
                    G::Each(answers, action, _) => [answers, action].into_iter().for_each(ask),
                    _ => {}
                }
            }
            if *goal != before {
                self.put_in_place(&goal.clone(), &before);
            }
        }
    }

    /// The negation of goals about the arguments of a pattern, and about nothing else outside, as one about the constant.
    fn denied_of_whole(
        &self,
        goal: &G,
        around: &[G],
        totals: &[usize],
        vars: &mut Vars,
    ) -> Option<G> {
        let G::Not(inner) = goal else { return None };
        let reads = |goal: &G| matches!(goal, G::Read(..));
        let plain = inner.iter().all(|goal| reads(goal) || self.is_static(goal));
        if !plain || !inner.iter().any(reads) || self.raises(goal) {
            return None;
        }
        let mut outside = variables(inner);
        outside.retain(|v| totals[*v] > occurrences_in(goal, *v));
        outside.sort_unstable();
        outside.dedup();
        let (pattern, arguments) = around.iter().find_map(|pattern| {
            let (_, whole, arguments) = self.pattern(pattern)?;
            let arguments = distinct(arguments)?;
            let same = arguments.len() == outside.len()
                && arguments.iter().all(|v| outside.contains(v))
                && self.is_key(whole, vars);
            (same && arguments.len() > 1).then_some((pattern, arguments))
        })?;
        let names: Vec<(Var, Var)> =
            arguments.iter().map(|v| (*v, vars.fresh(vars.all[*v].domain.clone()))).collect();
        let new = by_names(&names);
        let mut inner = inner.clone();
        inner.push(pattern.clone());
        inner.iter_mut().for_each(|goal| rename(goal, &new));
        Some(G::Not(inner))
    }

    /// A count of the combinations of a pattern's arguments, as one of its constants.
    fn counted_by_whole(&self, goal: &G, totals: &[usize]) -> Option<G> {
        let G::Aggregate(Aggregate::Count, Arg::Const(_), inner, number, span, told) = goal else {
            return None;
        };
        let found = inner.iter().find_map(|pattern| {
            let (_, whole, arguments) = self.pattern(pattern)?;
            let arguments = distinct(arguments)?;
            let own = totals[whole] == occurrences_in(goal, whole) && !told.contains(&whole);
            let all = arguments.len() == told.len() && arguments.iter().all(|v| told.contains(v));
            (own && all).then_some(whole)
        })?;
        Some(G::Aggregate(
            Aggregate::Count,
            Arg::Var(found),
            inner.clone(),
            *number,
            *span,
            Vec::new(),
        ))
    }
}

/// The arguments of a pattern, where they are different variables.
fn distinct(arguments: &[Arg]) -> Option<Vec<Var>> {
    let mut all = Vec::new();
    for arg in arguments {
        match arg {
            Arg::Var(v) if !all.contains(v) => all.push(*v),
            _ => return None,
        }
    }
    Some(all)
}
