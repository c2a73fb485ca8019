//! Tables of calculations with a value that only static goals say.
//!
//! In `member(S, [-1, 1]), U is X + S` the step is used nowhere else: a table of `S`, `X` and `U`
//! is joined with the goals about the step like any other, and `U` is a row of bits for each `X`.

use crate::program::Constant;

use super::super::universe::CONSTANTS;
use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::patterns::numbers;
use super::{Code, Lowering};

/// The most rows of a table.
const MAX_ROWS: usize = 4096;

impl Lowering<'_> {
    /// Replaces the calculations of a conjunction that can be tables. `counts` says how often each
    /// variable occurs in the whole clause.
    pub(super) fn tabulate(&mut self, goals: &mut [G], counts: &[usize], vars: &Vars) {
        for at in 0..goals.len() {
            if self.leads_between_keys(goals, at, vars) {
                if let Some(made) = self.calculated(&goals[at], goals, vars) {
                    self.replace(&mut goals[at], made);
                }
                continue;
            }
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
            self.replace(&mut goals[at], made);
            for goal in goals
                .iter_mut()
                .filter(|goal| matches!(goal, G::Member(Arg::Var(v), _) if *v == step))
            {
                self.list_as_table(goal);
            }
        }
    }

    /// Replaces the static goals that are no tables and have one of these variables, or others that occur in static
    /// goals alone.
    pub(super) fn tabulate_goals(
        &mut self,
        goals: &mut [G],
        of: &[Var],
        counts: &[usize],
        vars: &Vars,
    ) {
        let mut of = of.to_vec();
        loop {
            let before = of.len();
            for at in 0..goals.len() {
                if self.tabulate_goal(&mut goals[at], &of, vars) {
                    let mut met = Vec::new();
                    goals[at].each_var(&mut |v| met.push(v));
                    let fixed = |v: &Var| {
                        let inside = goals.iter().filter(|goal| self.is_static(goal));
                        inside.map(|goal| occurrences_in(goal, *v)).sum::<usize>() == counts[*v]
                    };
                    let more: Vec<Var> = met.into_iter().filter(fixed).collect();
                    of.extend(more);
                }
            }
            if of.len() == before {
                return;
            }
        }
    }

    fn tabulate_goal(&mut self, goal: &mut G, of: &[Var], vars: &Vars) -> bool {
        if !self.is_static(goal) {
            return false;
        }
        let mut columns: Vec<Var> = Vec::new();
        goal.each_var(&mut |v| {
            if !columns.contains(&v) {
                columns.push(v);
            }
        });
        if !columns.iter().any(|v| of.contains(v)) {
            return false;
        }
        if matches!(goal, G::Member(..)) {
            return self.list_as_table(goal);
        }
        let Some(made) = self.calculated(goal, &[], vars) else { return false };
        self.replace(goal, made);
        true
    }

    /// Puts a table in the place of a goal.
    fn replace(&mut self, goal: &mut G, made: G) {
        self.put_in_place(&made, goal);
        *goal = made;
    }

    /// Whether a goal calculates a key of the state, or a site, from another one.
    fn leads_between_keys(&self, goals: &[G], at: usize, vars: &Vars) -> bool {
        let G::Is(Arg::Var(result), e, _) = &goals[at] else { return false };
        let is_key = |v: Var| self.settable(v, vars).is_some() && used_as_key(goals, v);
        let mut from_key = false;
        e.each_var(&mut |v| from_key |= v != *result && is_key(v));
        from_key && !contains(e, *result) && is_key(*result) && self.is_static(&goals[at])
    }

    /// A table for a calculation, a comparison or a range, over the values that tables among the other goals leave for its
    /// variables; `None` where they are not integers, or too many.
    fn calculated(&mut self, goal: &G, goals: &[G], vars: &Vars) -> Option<G> {
        let result = match goal {
            G::Is(Arg::Var(v), e, _) if !contains(e, *v) => Some(*v),
            G::Is(..) | G::Compare(..) | G::In(..) => None,
            _ => return None,
        };
        let mut columns: Vec<Var> = Vec::new();
        goal.each_var(&mut |v| {
            if !columns.contains(&v) && Some(v) != result {
                columns.push(v);
            }
        });
        let values: Vec<Vec<Code>> =
            columns.iter().map(|v| self.integers_of(*v, goals, vars)).collect::<Option<_>>()?;
        let mut rows = combinations(&values)?;
        rows.retain_mut(|row| {
            let value = |v: Var| columns.iter().position(|c| *c == v).map(|at| row[at]);
            let Some(answer) = answer(goal, &value) else { return false };
            row.extend(result.map(|_| answer));
            let bounds = result.and_then(|v| numbers(v, vars));
            bounds.is_none_or(|(lo, hi)| lo <= answer && answer <= hi)
        });
        columns.extend(result);
        let table = self.joined_table("calculated", columns.len(), rows);
        Some(G::Functor(table, columns.into_iter().map(Arg::Var).collect()))
    }

    /// The integers that a variable may be: those of a table among the goals, or else those between its bounds.
    fn integers_of(&self, var: Var, goals: &[G], vars: &Vars) -> Option<Vec<Code>> {
        let (lo, hi) = numbers(var, vars)?;
        if let Some(mut values) = goals.iter().find_map(|goal| self.table_values(goal, var)) {
            values.sort_unstable();
            return Some(values);
        }
        let len = usize::try_from(hi.checked_sub(lo)?).ok()?;
        (len < MAX_ROWS).then(|| (lo..=hi).collect())
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
                _ => self.table_values(goal, step)?,
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

    pub(super) fn items_of(&self, list: Code) -> Option<Vec<Code>> {
        match self.program.values.get(self.universes.value(list).constant()?) {
            Constant::List(items) => Some(items.iter().map(|v| self.universes.code(*v)).collect()),
            _ => None,
        }
    }

    /// Makes a table of `member(S, [-1, 1])`; whether the goal is one.
    fn list_as_table(&mut self, goal: &mut G) -> bool {
        let G::Member(Arg::Var(v), Arg::Const(list)) = goal else { return false };
        let (v, Some(mut items)) = (*v, self.items_of(*list)) else { return false };
        items.sort_unstable();
        items.dedup();
        let made = self.one_of(v, items);
        self.replace(goal, made);
        true
    }
}

fn contains(e: &Expr, var: Var) -> bool {
    let mut found = false;
    e.each_var(&mut |v| found |= v == var);
    found
}

/// Whether a variable is the only key of something that is read, the only argument of a static goal, in a range, or given to a
/// call.
fn used_as_key(goals: &[G], var: Var) -> bool {
    let is_var = |arg: &Arg| *arg == Arg::Var(var);
    goals.iter().any(|goal| match goal {
        G::Read(_, keys, _) => matches!(&keys[..], [key] if is_var(key)),
        G::Static(_, args) => matches!(&args[..], [only] if is_var(only)),
        G::In(x, Expr::Arg(Arg::Const(_)), Expr::Arg(Arg::Const(_)), _) => is_var(x),
        G::Call(_, args) => args.iter().any(is_var),
        G::Not(inner) | G::Once(inner) => used_as_key(inner, var),
        G::Or(branches) => branches.iter().any(|branch| used_as_key(branch, var)),
        G::If(c, t, e) => [c, t, e].into_iter().any(|part| used_as_key(part, var)),
        _ => false,
    })
}

/// All combinations of one value of each; `None` where they are too many.
fn combinations(values: &[Vec<Code>]) -> Option<Vec<Vec<Code>>> {
    let mut rows = vec![Vec::new()];
    for all in values {
        if all.len().saturating_mul(rows.len()) > MAX_ROWS {
            return None;
        }
        let with = |row: &Vec<Code>, n: &Code| [row.as_slice(), &[*n]].concat();
        rows = rows.iter().flat_map(|row| all.iter().map(move |n| with(row, n))).collect();
    }
    Some(rows)
}

/// The result of a calculation, 0 for a comparison that holds; `None` where the goal does not hold.
pub(super) fn answer(goal: &G, value: &dyn Fn(Var) -> Option<Code>) -> Option<Code> {
    match goal {
        G::Is(x, e, _) => {
            let n = number(e, value)?;
            integer(*x, value).is_none_or(|known| known == n).then_some(n)
        }
        G::Compare(op, a, b, _) => op.holds(number(a, value)?, number(b, value)?).then_some(0),
        G::In(x, lo, hi, _) => {
            let (lo, x, hi) = (number(lo, value)?, integer(*x, value)?, number(hi, value)?);
            (lo <= x && x <= hi).then_some(0)
        }
        _ => None,
    }
}

/// The result of a calculation in which variables have these values; `None` where one has none, or there is no result.
pub(super) fn number(e: &Expr, value: &dyn Fn(Var) -> Option<Code>) -> Option<Code> {
    match e {
        Expr::Arg(arg) => integer(*arg, value),
        Expr::Read(..) => None,
        Expr::Op(op, inner) => {
            let inner: Option<Vec<Code>> = inner.iter().map(|e| number(e, value)).collect();
            op.apply(&inner?)
        }
    }
}

fn integer(arg: Arg, value: &dyn Fn(Var) -> Option<Code>) -> Option<Code> {
    match arg {
        Arg::Var(v) => value(v),
        Arg::Const(code) => (code < CONSTANTS).then_some(code),
    }
}
