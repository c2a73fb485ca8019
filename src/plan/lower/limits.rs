//! Denials that there is something less, as comparisons with the least.
//!
//! `choices(C, K), \+ (choices(_, M), M < K)` asks of each `C` whether some other has less. The least `M` is the same
//! for all of them, so it is found once, and `K` is compared with it.

use crate::program::{Aggregate, Comparison};

use super::super::domains::Abstract;
use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::patterns::numbers;
use super::{Lowering, occurrences_among};
use crate::program::FluentId;

/// Greater numbers are not compared with.
const MOST: i64 = 1 << 40;

impl Lowering<'_> {
    /// Replaces such denials of a conjunction, in front of its updates. `given` are the variables that others use.
    pub(super) fn compare_with_least(
        &mut self,
        goals: &mut Vec<G>,
        given: &[Var],
        vars: &mut Vars,
    ) {
        let totals = occurrences_among(goals, given, vars);
        for goal in goals.iter_mut() {
            let body = match goal {
                G::Not(body) | G::Aggregate(_, _, body, ..) => body,
                _ => continue,
            };
            let inside = |v: Var| body.iter().map(|goal| occurrences_in(goal, v)).sum::<usize>();
            let outside: Vec<Var> = (0..totals.len()).filter(|v| totals[*v] > inside(*v)).collect();
            self.compare_with_least(body, &outside, vars);
        }
        let mut at = 0;
        while at < goals.len() && !self.acts(&goals[at]) {
            let replaced = self.least(goals, at, given, vars);
            let (Some([least, comparison]), denial) = (replaced, goals[at].clone()) else {
                at += 1;
                continue;
            };
            self.put_in_place(&least, &denial);
            self.put_in_place(&comparison, &denial);
            goals[at] = comparison;
            // it is found before the loops, whether or not the goals may be put in another order
            let turn = |goal: &G| matches!(goal, G::Read(FluentId::TURN, ..));
            let first = goals.iter().position(turn).map_or(0, |turn| turn + 1);
            goals.insert(first.min(at), least);
            at += 2;
        }
    }

    fn least(&self, goals: &[G], at: usize, given: &[Var], vars: &mut Vars) -> Option<[G; 2]> {
        let G::Not(inner) = &goals[at] else { return None };
        // what holds for all is denied of none
        let inner: Vec<G> = (inner.iter())
            .map(|goal| match goal {
                G::Not(denied) => match denied.as_slice() {
                    [G::Compare(op, a, b, span)] => {
                        G::Compare(op.denied(), a.clone(), b.clone(), *span)
                    }
                    _ => goal.clone(),
                },
                goal => goal.clone(),
            })
            .collect();
        let compares = |goal: &&G| matches!(goal, G::Compare(_, Expr::Arg(_), Expr::Arg(_), _));
        let mut compared = inner.iter().filter(compares);
        let (compare, None) = (compared.next()?, compared.next()) else { return None };
        let G::Compare(op, Expr::Arg(Arg::Var(a)), Expr::Arg(Arg::Var(b)), span) = compare else {
            return None;
        };
        let rest: Vec<G> = inner.iter().filter(|goal| *goal != compare).cloned().collect();
        let within = |v: Var| rest.iter().any(|goal| occurrences_in(goal, v) > 0);
        let (inside, outside, op) = match (within(*a), within(*b)) {
            (true, false) => (*a, *b, *op),
            (false, true) => (*b, *a, op.mirrored()),
            _ => return None,
        };
        let least = match op {
            Comparison::Less | Comparison::LessOrEqual => true,
            Comparison::Greater | Comparison::GreaterOrEqual => false,
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        // what costs no more than a look at the state is compared as it is written
        let costly = |goal: &G| matches!(goal, G::Aggregate(..) | G::Call(..));
        if !rest.iter().any(costly) || rest.iter().any(|goal| self.raises(goal)) {
            return None;
        }
        let totals = occurrences_among(goals, given, vars);
        let of_turn = |v: Var| {
            goals.iter().any(
                |goal| matches!(goal, G::Read(FluentId::TURN, _, Some(Arg::Var(w))) if *w == v),
            )
        };
        let mut apart = true;
        rest.iter().for_each(|goal| {
            goal.each_var(&mut |v| {
                apart &= totals[v] == occurrences_in(&goals[at], v) || of_turn(v);
            });
        });
        let others = goals.iter().enumerate().filter(|(other, _)| *other != at);
        let known = others.map(|(_, goal)| occurrences_in(goal, outside)).any(|times| times > 0)
            || given.contains(&outside);
        let ((lo, hi), (low, high)) = (numbers(inside, vars)?, numbers(outside, vars)?);
        let fits = [lo, hi, low, high].iter().all(|n| n.abs() < MOST);
        if !apart || !known || !fits {
            return None;
        }
        // where there is none, each number passes the comparison
        let none = if least { hi.max(high) + 1 } else { lo.min(low) - 1 };
        let range = Abstract {
            integers: Some((lo.min(none), hi.max(none))),
            ..vars.all[inside].domain.clone()
        };
        let (found, limit) = (vars.fresh(range.clone()), vars.fresh(range));
        let (kind, value) = (if least { Aggregate::Min } else { Aggregate::Max }, Arg::Var(inside));
        let most = G::Aggregate(kind, value, rest, Arg::Var(found), *span, Vec::new());
        let choice = G::If(
            vec![most],
            vec![G::Same(Arg::Var(limit), Arg::Var(found))],
            vec![G::Same(Arg::Var(limit), Arg::Const(none))],
        );
        let (limit, number) = (Expr::Arg(Arg::Var(limit)), Expr::Arg(Arg::Var(outside)));
        Some([choice, G::Compare(op.denied(), limit, number, *span)])
    }
}
