//! Goals that say less than they seem to, in forms that are sets.
//!
//! `at(D, Q), Q \= P`, where nothing else asks for Q, speaks of the sites that hold something else than P: `at(D, _), \+ at(D, P)`.
//! That is a set, and no site has to be looked up for its Q. In `forall(adjacent(A, B), blocked(A, B))` with
//! `blocked(A, B) :- adjacent(A, B), at(B, _)` what is denied says again what holds around it, which is left out. `height(C) > 0`,
//! where no height is less than 0, denies that the height is 0.

use crate::program::Comparison;

use super::super::universe::CONSTANTS;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::{Code, Lowering, occurrences_among};

impl Lowering<'_> {
    /// Replaces goals of a clause by plainer ones. `given` are the variables of its head.
    pub(super) fn make_plainer(&mut self, goals: &mut [G], given: &[Var], vars: &mut Vars) {
        let mut counts = occurrences_among(goals, given, vars);
        told_apart(goals, &mut counts);
        self.deny_value(goals, &counts, vars);
        goals.iter_mut().for_each(|goal| self.read_bounds(goal, vars));
        goals.iter_mut().for_each(|goal| self.say_once(goal, &[]));
    }

    /// Takes out comparisons of constants that hold; whether one does not, in front of any goal that may be a rule error.
    pub(super) fn compare_constants(&self, goals: &mut Vec<G>) -> bool {
        let constants: Vec<(Arg, Code)> = (goals.iter())
            .filter_map(|goal| match goal {
                G::Same(v, Arg::Const(code)) | G::Same(Arg::Const(code), v) => Some((*v, *code)),
                _ => None,
            })
            .collect();
        let value = |e: &Expr| match e {
            Expr::Arg(Arg::Const(code)) => Some(*code),
            Expr::Arg(v) => constants.iter().find(|(same, _)| same == v).map(|(_, code)| *code),
            _ => None,
        };
        let compared = |goal: &G| match goal {
            G::Compare(op, a, b, _) => {
                let (a, b) = value(a).zip(value(b)).filter(|(a, b)| a.max(b) < &CONSTANTS)?;
                Some(op.holds(a, b))
            }
            _ => None,
        };
        goals.retain(|goal| compared(goal) != Some(true));
        let never = goals.iter().position(|goal| compared(goal) == Some(false));
        never.is_some_and(|at| !goals[..at].iter().any(|goal| self.raises(goal)))
    }

    /// A value that is only asked to be another one than a given value.
    fn deny_value(&mut self, goals: &mut [G], counts: &[usize], vars: &mut Vars) {
        let (mut reads, mut compounds): (Vec<G>, Vec<G>) = (Vec::new(), Vec::new());
        for goal in goals {
            if self.acts(goal) {
                reads.clear();
            }
            if let G::Read(fluent, ..) = goal {
                // without planes the keys that hold a value would have to be gathered
                let place = self.layout.place(*fluent);
                if place.planes.is_some() || !place.slices.is_empty() {
                    reads.push(goal.clone());
                }
                continue;
            }
            if matches!(goal, G::Functor(..)) {
                compounds.push(goal.clone());
                continue;
            }
            let denied = other_value(goal, &reads, counts)
                .or_else(|| other_argument(goal, &reads, &compounds, counts, vars));
            if let Some(denied) = denied {
                self.put_in_place(&denied, goal);
                *goal = denied;
                continue;
            }
            each_body(goal, &mut |body| self.deny_value(body, counts, vars));
        }
    }

    /// Comparisons of what a map holds with the least or the greatest number that it can hold.
    fn read_bounds(&mut self, goal: &mut G, vars: &Vars) {
        match self.held_bound(goal, vars) {
            Some(plain) => {
                self.put_in_place(&plain, goal);
                *goal = plain;
            }
            None => each_body(goal, &mut |body| {
                body.iter_mut().for_each(|goal| self.read_bounds(goal, vars));
            }),
        }
    }

    /// The goal that a map holds a number, or does not, for a comparison that only this one passes or fails.
    fn held_bound(&self, goal: &G, vars: &Vars) -> Option<G> {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let G::Compare(op, a, b, _) = goal else { return None };
        let (fluent, keys, op, n) = match (a, b) {
            (Expr::Read(fluent, keys), Expr::Arg(Arg::Const(n))) => (*fluent, keys, *op, *n),
            (Expr::Arg(Arg::Const(n)), Expr::Read(fluent, keys)) => {
                (*fluent, keys, op.mirrored(), *n)
            }
            _ => return None,
        };
        let place = self.layout.place(fluent);
        let value = place.value.as_ref().filter(|axis| axis.listed.is_none() && axis.len > 1)?;
        let (least, most) = (value.base, value.base + value.len as Code - 1);
        let has_sets = place.planes.is_some() || !place.slices.is_empty();
        if keys.is_empty() || !has_sets || !(least..=most).contains(&n) || most >= CONSTANTS {
            return None;
        }
        let (holds, n) = match op {
            Equal => (true, n),
            NotEqual => (false, n),
            Less if n == least + 1 => (true, least),
            Less if n == most => (false, most),
            LessOrEqual if n == least => (true, least),
            LessOrEqual if n == most - 1 => (false, most),
            Greater if n == most - 1 => (true, most),
            Greater if n == least => (false, least),
            GreaterOrEqual if n == most => (true, most),
            GreaterOrEqual if n == least + 1 => (false, least),
            _ => return None,
        };
        let held = G::Read(fluent, keys.clone(), Some(Arg::Const(n)));
        // of what is no key nothing is held, and no comparison passes
        let always = place.initial.is_some() && self.keys_fit(fluent, keys, vars);
        if holds { Some(held) } else { always.then(|| G::Not(vec![held])) }
    }

    /// Leaves out of denials what the goals around them say. `around` is what the goal is said with.
    fn say_once(&self, goal: &mut G, around: &[G]) {
        let G::Not(inner) = goal else {
            return each_body(goal, &mut |body| {
                body.iter_mut().for_each(|goal| self.say_once(goal, &[]));
            });
        };
        let said = |goal: &G| around.contains(goal);
        if !inner.iter().all(said) {
            inner.retain(|goal| !said(goal));
        }
        let mut around = around.to_vec();
        for goal in inner {
            match goal {
                G::Static(..) | G::Functor(..) | G::Read(..) | G::Call(..) => {
                    around.push(goal.clone())
                }
                goal => self.say_once(goal, &around),
            }
        }
    }
}

/// The denial that a map holds a value, where a goal denies that the value found by one of the reads is that one.
fn other_value(goal: &G, reads: &[G], counts: &[usize]) -> Option<G> {
    let G::Not(inner) = goal else { return None };
    let [G::Same(a, b)] = inner[..] else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(value, other)| {
        let Arg::Var(v) = value else { return None };
        reads.iter().filter(|_| counts[v] == 2 && other != value).find_map(|read| match read {
            G::Read(fluent, keys, Some(found)) if *found == value && !keys.is_empty() => {
                Some(G::Not(vec![G::Read(*fluent, keys.clone(), Some(other))]))
            }
            _ => None,
        })
    })
}

/// The denial that a map holds a compound with this argument, where a goal denies that the argument of the compound
/// found by one of the reads is that one: `at(A, man(P, Old)), H \= Old` is `at(A, man(P, _)), \+ at(A, man(P, H))`.
fn other_argument(
    goal: &G,
    reads: &[G],
    compounds: &[G],
    counts: &[usize],
    vars: &mut Vars,
) -> Option<G> {
    let G::Not(inner) = goal else { return None };
    let [G::Same(a, b)] = inner[..] else { return None };
    let once_more = |arg: &Arg| matches!(arg, Arg::Var(v) if counts.get(*v) == Some(&2));
    let twice = [(a, b), (b, a)];
    // of a constant the tables know which compounds have another one
    let known = |arg: &Arg| matches!(arg, Arg::Const(_));
    let mut found = (twice.into_iter())
        .filter(|(value, other)| once_more(value) && other != value && !known(other));
    found.find_map(|(value, other)| {
        compounds.iter().find_map(|compound| {
            let G::Functor(table, args) = compound else { return None };
            let (whole, parts) = args.split_first().filter(|(whole, _)| once_more(whole))?;
            let at = parts.iter().position(|part| *part == value)?;
            let held = |read: &&G| matches!(read, G::Read(_, keys, Some(found)) if found == whole && !keys.is_empty());
            let G::Read(fluent, keys, _) = reads.iter().find(held)? else { return None };
            let Arg::Var(v) = *whole else { return None };
            let whole = Arg::Var(vars.fresh(vars.all[v].domain.clone()));
            let mut args = vec![whole];
            args.extend_from_slice(parts);
            args[at + 1] = other;
            let read = G::Read(*fluent, keys.clone(), Some(whole));
            Some(G::Not(vec![G::Functor(*table, args), read]))
        })
    })
}

/// Counts variables by which answers are told apart once more.
pub(super) fn told_apart(goals: &[G], counts: &mut [usize]) {
    for goal in goals {
        match goal {
            G::Aggregate(_, _, body, _, _, told) => {
                told.iter().for_each(|v| counts[*v] += 1);
                told_apart(body, counts);
            }
            G::Each(answers, action, told) => {
                told.iter().for_each(|v| counts[*v] += 1);
                told_apart(answers, counts);
                told_apart(action, counts);
            }
            G::Not(inner) | G::Once(inner) => told_apart(inner, counts),
            G::Or(branches) => branches.iter().for_each(|branch| told_apart(branch, counts)),
            G::If(condition, then, otherwise) => {
                [condition, then, otherwise]
                    .into_iter()
                    .for_each(|goals| told_apart(goals, counts));
            }
            _ => {}
        }
    }
}

/// Calls `change` for each conjunction inside a goal.
pub(super) fn each_body(goal: &mut G, change: &mut dyn FnMut(&mut Vec<G>)) {
    match goal {
        G::Not(body) | G::Once(body) | G::Aggregate(_, _, body, ..) => change(body),
        G::Or(branches) => branches.iter_mut().for_each(change),
        G::If(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(change);
        }
        G::Each(answers, action, _) => [answers, action].into_iter().for_each(change),
        _ => {}
    }
}
