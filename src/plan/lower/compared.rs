//! Aggregates of which a comparison asks only whether an answer is large or small enough.
//!
//! `count(D, liberty(C, D), N), N > 0` asks whether there is an answer, and `max(N, run(A, D, N), L), L >= 5` whether
//! there is one of at least five. As a test of answers it ends at the first of them, and it can be done for a
//! set of sites at once.

use crate::program::{Aggregate, Comparison};
use crate::source::Span;

use super::super::universe::CONSTANTS;
use super::conjuncts::test_of;
use super::emit::occurrences_in;
use super::forms::by_names;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::patterns::{numbers, variables};
use super::{Code, Lowering};

impl Lowering<'_> {
    /// The goals for an aggregate of a conjunction, and the place of the comparison that they stand for as well.
    pub(super) fn compared(
        &mut self,
        goals: &[G],
        at: usize,
        totals: &mut Vec<usize>,
        vars: &mut Vars,
    ) -> Option<(Vec<G>, Option<usize>)> {
        let G::Aggregate(kind, template, inner, result, ..) = &goals[at] else { return None };
        if self.raises(&goals[at]) {
            return None;
        }
        let number = match result {
            Arg::Const(0) if *kind == Aggregate::Count => {
                return Some((vec![G::Not(inner.clone())], None));
            }
            Arg::Var(number) if totals[*number] == 2 => *number,
            _ => return None,
        };
        let place =
            (0..goals.len()).find(|i| *i != at && occurrences_in(&goals[*i], number) > 0)?;
        let (op, bound) = limit(&goals[place], number)?;
        let between = &goals[at.min(place)..=at.max(place)];
        if between.iter().any(|goal| self.raises(goal) || self.acts(goal)) {
            return None;
        }
        let made = match kind {
            Aggregate::Count => match (op, bound) {
                (Comparison::Greater | Comparison::NotEqual, 0)
                | (Comparison::GreaterOrEqual, 1) => vec![test_of(inner.clone())],
                (Comparison::Equal | Comparison::LessOrEqual, 0) | (Comparison::Less, 1) => {
                    vec![G::Not(inner.clone())]
                }
                _ => return None,
            },
            Aggregate::Max | Aggregate::Min => {
                let Arg::Var(element) = *template else { return None };
                numbers(element, vars)?;
                if totals[element] > occurrences_in(&goals[at], element) {
                    return None;
                }
                let with = |op: Comparison| {
                    let sides = [Arg::Var(element), Arg::Const(bound)].map(Expr::Arg);
                    let [element, bound] = sides;
                    [inner.as_slice(), &[G::Compare(op, element, bound, Span::NONE)]].concat()
                };
                let one_is_enough = match op {
                    Comparison::Greater | Comparison::GreaterOrEqual => *kind == Aggregate::Max,
                    Comparison::Less | Comparison::LessOrEqual => *kind == Aggregate::Min,
                    Comparison::Equal | Comparison::NotEqual => return None,
                };
                match one_is_enough {
                    true => vec![test_of(with(op))],
                    false => {
                        let beyond = with(op.denied());
                        vec![
                            test_of(inner.clone()),
                            G::Not(self.renamed_apart(beyond, totals, vars)),
                        ]
                    }
                }
            }
            _ => return None,
        };
        Some((made, Some(place)))
    }

    /// The goals with variables of their own in place of those that occur nowhere else.
    fn renamed_apart(
        &mut self,
        mut goals: Vec<G>,
        totals: &mut Vec<usize>,
        vars: &mut Vars,
    ) -> Vec<G> {
        let mut own: Vec<(Var, Var)> = Vec::new();
        for v in variables(&goals) {
            let inside: usize = goals.iter().map(|goal| occurrences_in(goal, v)).sum();
            // the comparison is one occurrence more
            if totals[v] <= inside {
                own.push((v, vars.fresh(vars.all[v].domain.clone())));
                totals.push(inside);
            }
        }
        let new = by_names(&own);
        self.rename_all(&mut goals, &new);
        goals
    }
}

/// What a goal asks of a number that it compares with a constant.
fn limit(goal: &G, number: Var) -> Option<(Comparison, Code)> {
    let integer = |code: Code| (code < CONSTANTS).then_some(code);
    let (op, a, b) = match goal {
        G::Compare(op, Expr::Arg(a), Expr::Arg(b), _) => (*op, *a, *b),
        G::Same(a, b) => (Comparison::Equal, *a, *b),
        _ => return None,
    };
    match (a, b) {
        (Arg::Var(v), Arg::Const(bound)) if v == number => Some((op, integer(bound)?)),
        (Arg::Const(bound), Arg::Var(v)) if v == number => Some((op.mirrored(), integer(bound)?)),
        _ => None,
    }
}
