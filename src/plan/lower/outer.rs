//! Comparisons with a number that other goals give.
//!
//! In `site(A, X, Y), \+ (site(B, X, V), V < Y, empty(B))` the site `A` tells its column and row. The negation asks for these
//! under names of its own, `site(A, U, W)`, and is then about two sites: one table of `A` and `B` has the answers of the
//! comparison (`related.rs`). In `level(L), site(B, _, V), V =< L` the number comes from the state. It is a column of
//! the table of `B`, where it has few values.

use super::Lowering;
use super::emit::occurrences_in;
use super::forms::{by_names, rename};
use super::goals::{Arg, G, Var, Vars, constants_in};
use super::joins::Relation;
use super::patterns::{numbers, variables};
use super::related::{Related, gives};

/// The most values of a number that is a column.
const MAX_VALUES: i64 = 64;
/// The most rows of a table with such a column.
const MAX_ROWS: usize = 4096;

/// A conjunction that has been given one more table.
struct Tabled {
    goals: Vec<G>,
    counts: Vec<usize>,
    related: Related,
    rows: Relation,
}

impl Lowering<'_> {
    /// Makes tables of the comparisons of a conjunction with numbers that the goals of `around`, or others beside the
    /// tables, give. `known` are the variables that are bound before.
    pub(super) fn relate_to_outer(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut Vec<usize>,
        around: &[G],
        known: &[Var],
        vars: &mut Vars,
    ) {
        let mut at = 0;
        while at < goals.len() {
            let outside = self.numbers_outside(goals, counts, at);
            let tabled = self.by_key(goals, counts, (at, &outside), around, known, vars);
            match tabled.or_else(|| self.by_number(goals, counts, (at, &outside), known, vars)) {
                Some(tabled) => {
                    (*goals, *counts) = (tabled.goals, tabled.counts);
                    self.relate(goals, counts, tabled.related, tabled.rows);
                    at = 0;
                }
                None => at += 1,
            }
        }
    }

    /// The numbers of a comparison that goals other than tables and tests of the conjunction speak of.
    fn numbers_outside(&self, goals: &[G], counts: &[usize], at: usize) -> Vec<Var> {
        if !matches!(goals[at], G::Compare(..)) || !self.is_static(&goals[at]) {
            return Vec::new();
        }
        let said = |v: Var| -> usize {
            let own = goals.iter().filter(|goal| self.is_static(goal));
            own.map(|goal| occurrences_in(goal, v)).sum()
        };
        let mut outside = variables(&goals[at..=at]);
        outside.sort_unstable();
        outside.dedup();
        outside.retain(|v| said(*v) < counts[*v]);
        outside
    }

    /// Asks for the numbers from outside by the key that has them in a table around the conjunction.
    fn by_key(
        &mut self,
        goals: &[G],
        counts: &[usize],
        (at, outside): (usize, &[Var]),
        around: &[G],
        known: &[Var],
        vars: &mut Vars,
    ) -> Option<Tabled> {
        let (table, key) = outside.iter().find_map(|v| {
            around.iter().find_map(|goal| Some((goal, self.key_of(goal, *v, counts, vars)?)))
        })?;
        let before = vars.all.len();
        let names: Vec<(Var, Var)> = (variables(std::slice::from_ref(table)).into_iter())
            .filter(|v| *v != key)
            .map(|v| (v, vars.fresh(vars.all[v].domain.clone())))
            .collect();
        let (new, mut goals, mut counts) = (by_names(&names), goals.to_vec(), counts.to_vec());
        counts.resize(vars.all.len(), 0);
        for goal in &mut goals {
            if self.is_static(goal) {
                self.rename_one(goal, &new, &mut counts);
            }
        }
        let mut copy = table.clone();
        rename(&mut copy, &new);
        copy.each_var(&mut |v| counts[v] += 1);
        self.put_in_place(&copy, table);
        goals.push(copy);
        let tabled = self.tabled(goals, counts, at, Vec::new(), known, vars);
        if tabled.is_none() {
            vars.all.truncate(before);
        }
        tabled
    }

    /// The variable of a table's goal whose value determines the whole row with the number `v`, where other goals ask for it.
    fn key_of(&self, goal: &G, v: Var, counts: &[usize], vars: &Vars) -> Option<Var> {
        let (table, args) = goal.table()?;
        if !args.contains(&Arg::Var(v)) {
            return None;
        }
        let fixed = constants_in(args);
        let all: Vec<usize> = (0..args.len()).filter(|i| matches!(args[*i], Arg::Var(_))).collect();
        all.iter().find_map(|column| {
            let Arg::Var(key) = args[*column] else { return None };
            let asked = key != v && counts[key] > occurrences_in(goal, key);
            let one = || {
                self.projected_count(table, fixed.clone(), vec![*column])
                    == self.projected_count(table, fixed.clone(), all.clone())
            };
            (asked && self.settable(key, vars).is_some() && one()).then_some(key)
        })
    }

    /// Makes the numbers from outside columns of the table.
    fn by_number(
        &mut self,
        goals: &[G],
        counts: &[usize],
        (at, outside): (usize, &[Var]),
        known: &[Var],
        vars: &Vars,
    ) -> Option<Tabled> {
        if outside.is_empty() {
            return None;
        }
        let values = |v: &Var| -> Option<Relation> {
            let (lo, hi) = numbers(*v, vars)?;
            let few = hi.checked_sub(lo)? < MAX_VALUES;
            let rows = || (lo..=hi).map(|n| std::iter::once(n).collect()).collect();
            few.then(|| Relation { columns: vec![*v], rows: rows() })
        };
        let outer = outside.iter().map(values).collect::<Option<Vec<_>>>()?;
        let tabled = self.tabled(goals.to_vec(), counts.to_vec(), at, outer, known, vars)?;
        (tabled.rows.rows.len() <= MAX_ROWS).then_some(tabled)
    }

    /// The conjunction with its table; `None` where no site that is open is led to by it.
    fn tabled(
        &self,
        goals: Vec<G>,
        counts: Vec<usize>,
        at: usize,
        outer: Vec<Relation>,
        known: &[Var],
        vars: &Vars,
    ) -> Option<Tabled> {
        let related = self.related(&goals, at, &counts, outer)?;
        let rows = self.compared_rows(&goals, &related, &counts)?;
        let is_open = |v: &Var| !known.contains(v) && !gives(&related.outer, *v);
        let led = |v: &Var| is_open(v) && self.settable(*v, vars).is_some();
        rows.columns.iter().any(led).then_some(Tabled { goals, counts, related, rows })
    }
}
