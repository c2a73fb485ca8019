//! Tables of calculations with a value that only static goals say.
//!
//! In `member(S, [-1, 1]), U is X + S` the step is used nowhere else: a table of `S`, `X` and `U`
//! is joined with the goals about the step like any other, and `U` is a row of bits for each `X`.

use crate::program::Constant;

use super::super::universe::CONSTANTS;
use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::{Code, Lowering};

/// The most rows of a table.
const MAX_ROWS: usize = 4096;

impl Lowering<'_> {
    /// Replaces the calculations of a conjunction that can be tables. `counts` says how often each
    /// variable occurs in the whole clause.
    pub(super) fn tabulate(&mut self, goals: &mut [G], counts: &[usize], vars: &Vars) {
        for at in 0..goals.len() {
            let G::Is(Arg::Var(result), Expr::Op(op, inner), _) = &goals[at] else { continue };
            let [Expr::Arg(Arg::Var(a)), Expr::Arg(Arg::Var(b))] = inner[..] else { continue };
            let (op, result) = (*op, *result);
            if a == b || a == result || b == result || self.raises(&goals[at]) {
                continue;
            }
            let values = |step: Var| self.values_said(goals, at, step, counts);
            let (step, other, steps) = match (values(a), values(b)) {
                (Some(steps), _) => (a, b, steps),
                (None, Some(steps)) => (b, a, steps),
                (None, None) => continue,
            };
            let (Some((lo, hi)), Some((least, most))) =
                (numbers(other, vars), numbers(result, vars))
            else {
                continue;
            };
            let sizes = hi.checked_sub(lo).and_then(|n| usize::try_from(n).ok());
            if sizes.is_none_or(|n| n.saturating_mul(steps.len()) > MAX_ROWS) {
                continue;
            }
            let mut rows = Vec::new();
            for known in lo..=hi {
                for step_value in &steps {
                    let pair = if step == a { [*step_value, known] } else { [known, *step_value] };
                    let sum = op.apply(&pair).filter(|n| (least..=most).contains(n));
                    rows.extend(sum.map(|n| vec![*step_value, known, n]));
                }
            }
            let table = self.joined_table("calculated", 3, rows);
            let made = G::Functor(table, [step, other, result].map(Arg::Var).to_vec());
            self.put_in_place(&made, &goals[at].clone());
            goals[at] = made;
            self.list_as_table(goals, step);
        }
    }

    /// The values of a variable that occurs in one calculation and in static goals alone; `None`
    /// for any other.
    fn values_said(
        &self,
        goals: &[G],
        at: usize,
        step: Var,
        counts: &[usize],
    ) -> Option<Vec<Code>> {
        let mut found = occurrences_in(&goals[at], step);
        let mut values: Option<Vec<Code>> = None;
        for goal in goals.iter().filter(|goal| occurrences_in(goal, step) > 0) {
            let said = match goal {
                G::Is(..) => continue,
                G::Member(Arg::Var(_), Arg::Const(list)) => self.items_of(*list)?,
                _ => {
                    let relation = self.relation(goal)?.project(|v| v == step);
                    relation.rows.into_iter().map(|row| row[0]).collect()
                }
            };
            found += occurrences_in(goal, step);
            values.get_or_insert(said);
        }
        let mut values = values.filter(|_| found == counts[step])?;
        values.sort_unstable();
        values.dedup();
        // a single value is a constant of the calculation
        (values.len() > 1 && values.iter().all(|code| *code < CONSTANTS)).then_some(values)
    }

    fn items_of(&self, list: Code) -> Option<Vec<Code>> {
        match self.program.values.get(self.universes.value(list).constant()?) {
            Constant::List(items) => Some(items.iter().map(|v| self.universes.code(*v)).collect()),
            _ => None,
        }
    }

    /// `member(S, [-1, 1])` as a static goal.
    fn list_as_table(&mut self, goals: &mut [G], step: Var) {
        for goal in goals {
            let G::Member(Arg::Var(v), Arg::Const(list)) = goal else { continue };
            let (true, Some(mut items)) = (*v == step, self.items_of(*list)) else { continue };
            items.sort_unstable();
            items.dedup();
            let made = self.one_of(step, items);
            self.put_in_place(&made, &goal.clone());
            *goal = made;
        }
    }
}

/// The bounds of a variable that has integer values only.
fn numbers(var: Var, vars: &Vars) -> Option<(i64, i64)> {
    let domain = &vars.all[var].domain;
    domain.integers.filter(|_| !domain.top && !domain.lists && domain.universes.is_empty())
}
