//! `forall` over a few constants as one goal for each of them.
//!
//! `forall(between(1, 4, N), (…, at(B, P)))` asks for the same as its goal for 1, for 2, for 3 and for 4. These can be
//! evaluated on whole sets, which a loop over the numbers inside of a negation cannot.

use super::forms::mapped;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::{Code, Lowering, occurrences_among};

/// The most constants.
const MAX_CONSTANTS: usize = 8;
/// The most goals for each of them.
const MAX_GOALS: usize = 8;

impl Lowering<'_> {
    /// Replaces each `\+ (enumerate(N), \+ goals)` of a body, and of the goals inside of it, where that is possible.
    /// `fixed` are the variables that the goals around these use.
    pub(super) fn unroll(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &mut Vars) {
        if !goals.iter().any(has_forall) {
            return;
        }
        let totals = occurrences_among(goals, fixed, vars);
        self.unroll_within(goals, &totals, vars);
    }

    fn unroll_within(&mut self, goals: &mut Vec<G>, totals: &[usize], vars: &mut Vars) {
        let mut acts = false;
        for mut goal in std::mem::take(goals) {
            // behind an update a choice is more than a test
            acts |= self.acts(&goal);
            if !acts && let Some(unrolled) = self.unrolled(&goal, totals, vars) {
                unrolled.iter().for_each(|made| self.put_in_place(made, &goal));
                goals.extend(unrolled);
                continue;
            }
            let before = goal.clone();
            let mut inside = |part: &mut Vec<G>| self.unroll_within(part, totals, vars);
            match &mut goal {
                G::Not(inner) | G::Aggregate(_, _, inner, ..) => inside(inner),
                G::Or(branches) => branches.iter_mut().for_each(inside),
                _ => {}
            }
            if goal != before {
                self.put_in_place(&goal, &before);
            }
            goals.push(goal);
        }
    }

    /// The goals for all constants.
    fn unrolled(&self, goal: &G, totals: &[usize], vars: &mut Vars) -> Option<Vec<G>> {
        let G::Not(all) = goal else { return None };
        let [first, G::Not(inner)] = &all[..] else { return None };
        let (counter, codes) = self.few(first)?;
        let plain = |goal: &G| {
            matches!(
                goal,
                G::Static(..)
                    | G::Functor(..)
                    | G::Read(..)
                    | G::Same(..)
                    | G::Is(..)
                    | G::Compare(..)
            )
        };
        if inner.len() > MAX_GOALS || !inner.iter().all(plain) || self.raises(goal) {
            return None;
        }
        // what only the negation has is another value for each constant
        let mut inside = vec![0; totals.len()];
        goal.each_var(&mut |v| inside[v] += 1);
        let own = |v: Var| inside[v] == totals[v];
        let calculates = inner.iter().any(|goal| matches!(goal, G::Is(..)));
        let gives = |goal: &G, v: Var| match goal {
            G::Is(x, ..) | G::Read(_, _, Some(x)) => *x == Arg::Var(v),
            _ => self.pattern(goal).is_some_and(|(_, whole, _)| whole == v),
        };
        // of one that has several values each would be an answer of its own
        let mut several = false;
        for goal in inner {
            goal.each_var(&mut |v| {
                several |= own(v) && v != counter && !inner.iter().any(|goal| gives(goal, v));
            });
        }
        if !own(counter) || !calculates || several {
            return None;
        }
        let mut made = Vec::new();
        for code in codes {
            let mut names: Vec<(Var, Var)> = Vec::new();
            for goal in inner {
                let renamed = mapped(goal, &mut |arg| match arg {
                    Arg::Var(v) if v == counter => Arg::Const(code),
                    Arg::Var(v) if own(v) => {
                        let known = names.iter().find(|(old, _)| *old == v).map(|(_, new)| *new);
                        Arg::Var(known.unwrap_or_else(|| {
                            let new = vars.fresh(vars.all[v].domain.clone());
                            names.push((v, new));
                            new
                        }))
                    }
                    other => other,
                });
                made.push(renamed?);
            }
        }
        Some(made)
    }

    /// A variable and the few constants that a goal gives it.
    fn few(&self, goal: &G) -> Option<(Var, Vec<Code>)> {
        let (v, codes) = match goal {
            G::In(Arg::Var(v), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _) => {
                let len = usize::try_from(hi.checked_sub(*lo)?).ok()?;
                (*v, (len < MAX_CONSTANTS).then(|| (*lo..=*hi).collect())?)
            }
            G::Member(Arg::Var(v), Arg::Const(list)) => (*v, self.items_of(*list)?),
            _ => return None,
        };
        (codes.len() <= MAX_CONSTANTS).then_some((v, codes))
    }
}

fn has_forall(goal: &G) -> bool {
    match goal {
        G::Not(inner) => matches!(&inner[..], [_, G::Not(_)]) || inner.iter().any(has_forall),
        G::Aggregate(_, _, inner, ..) => inner.iter().any(has_forall),
        G::Or(branches) => branches.iter().flatten().any(has_forall),
        _ => false,
    }
}
