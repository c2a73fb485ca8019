//! A count that is to be as large as it can be, as a condition on all that is counted.
//!
//! `size(K, N), count(B, (covers(K, A, B), empty(B)), N)` asks whether all sites that a piece covers are empty, where no piece covers
//! more sites than its size says: `\+ (covers(K, A, B), \+ empty(B))` for those `K` and `A` that cover as many. That is a set
//! of sites `A`, which a count inside of a loop over these is not.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::plan::rows::Codes;
use crate::program::Aggregate;

use super::emit::occurrences_in;
use super::goals::{Arg, G, Var, Vars};
use super::joins::{Relation, join};
use super::{Code, Lowering, occurrences_among};

/// Where there are fewer groups of elements, each is counted.
const MIN_GROUPS: usize = 16;

impl Lowering<'_> {
    /// Replaces such counts, and aggregates that are only compared (`compared.rs`), before the first update of a body and in
    /// the goals inside of it. `fixed` are the variables that the goals around these use.
    pub(super) fn count_all(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &mut Vars) {
        let mut totals = occurrences_among(goals, fixed, vars);
        self.count_all_within(goals, &mut totals, vars);
    }

    fn count_all_within(&mut self, goals: &mut Vec<G>, totals: &mut Vec<usize>, vars: &mut Vars) {
        let mut at = 0;
        while at < goals.len() && !self.acts(&goals[at]) {
            let before = goals[at].clone();
            if let Some(made) = self.counted_by_element(&goals[at], totals, vars) {
                self.put_in_place(&made, &before);
                let mut change = |goal: &G, by: &dyn Fn(usize) -> usize| {
                    goal.each_var(&mut |v| totals[v] = by(totals[v]));
                };
                change(&before, &|n| n.saturating_sub(1));
                change(&made, &|n| n + 1);
                goals[at] = made;
                continue;
            }
            if let Some((made, comparison)) = self.compared(goals, at, totals, vars) {
                made.iter().for_each(|goal| self.put_in_place(goal, &before));
                goals.splice(at..=at, made.iter().cloned());
                if let Some(place) = comparison {
                    goals.remove(if place > at { place + made.len() - 1 } else { place });
                    at -= usize::from(place < at);
                }
                continue;
            }
            if let Some(made) = self.all_counted(goals, at, totals) {
                made.iter().for_each(|goal| self.put_in_place(goal, &before));
                let more = made.len();
                goals.splice(at..=at, made);
                at += more;
                continue;
            }
            match &mut goals[at] {
                G::Not(inner) | G::Aggregate(_, _, inner, ..) => {
                    self.count_all_within(inner, totals, vars);
                }
                G::Or(branches) => {
                    for branch in branches {
                        self.count_all_within(branch, totals, vars);
                    }
                }
                _ => {}
            }
            if goals[at] != before {
                self.put_in_place(&goals[at].clone(), &before);
            }
            at += 1;
        }
    }

    /// A count of elements that a set can have, in place of what a table says of each of them: `count(L, at(T, L, _), N)` where
    /// the pairs `T`, `L` are sites, each `L` being that of one site for a given `T`.
    fn counted_by_element(&self, whole: &G, totals: &[usize], vars: &Vars) -> Option<G> {
        let G::Aggregate(Aggregate::Count, Arg::Var(counted), inner, number, span, told) = whole
        else {
            return None;
        };
        let known = |v: Var| totals[v] > occurrences_in(whole, v);
        let used = |v: Var| inner.iter().map(|goal| occurrences_in(goal, v)).sum::<usize>();
        if !told.is_empty() || known(*counted) || *number == Arg::Var(*counted) {
            return None;
        }
        let table = inner.iter().find(|goal| {
            goal.table().is_some() && occurrences_in(goal, *counted) == used(*counted)
        })?;
        let rows = self.relation(table)?;
        let of_sets = |v: Var| vars.universe(v).is_some_and(|u| self.universes.get(u).settable);
        let element = rows.columns.iter().copied().find(|v| {
            // whether with what is known the one tells the other
            let one = |a: Var, b: Var| {
                let both = rows.clone().project(|v| v == a || v == b || known(v));
                let alone = rows.clone().project(|v| v == a || known(v));
                both.distinct().rows.len() == alone.distinct().rows.len()
            };
            *v != *counted
                && of_sets(*v)
                && !of_sets(*counted)
                && !known(*v)
                && used(*v) > occurrences_in(table, *v)
                && one(*v, *counted)
                && one(*counted, *v)
        })?;
        let (inner, told) = (inner.clone(), told.clone());
        Some(G::Aggregate(Aggregate::Count, Arg::Var(element), inner, *number, *span, told))
    }

    /// The goals for a count of what a table has and tests allow.
    fn all_counted(&mut self, goals: &[G], at: usize, totals: &[usize]) -> Option<Vec<G>> {
        let whole = &goals[at];
        let G::Aggregate(Aggregate::Count, Arg::Var(counted), inner, number, _, told) = whole
        else {
            return None;
        };
        let (counted, number) = (*counted, *number);
        let known = |v: Var| totals[v] > occurrences_in(whole, v);
        if !told.is_empty() || known(counted) || self.raises(whole) {
            return None;
        }
        let has = |goal: &&G| goal.table().is_some() && occurrences_in(goal, counted) > 0;
        let table = inner.iter().find(has)?;
        let tests: Vec<G> = inner.iter().filter(|goal| *goal != table).cloned().collect();
        // what the table and the tests have in common is one value for all that is counted
        let mut apart = !tests.is_empty();
        table.each_var(&mut |v| {
            apart &= v == counted || known(v) || tests.iter().all(|t| occurrences_in(t, v) == 0);
        });
        if !apart {
            return None;
        }
        let rows = self.relation(table)?.project(|v| v == counted || known(v));
        let groups = groups(rows, counted).filter(|groups| groups.rows.len() >= MIN_GROUPS)?;
        let full = self.full(goals, groups, number)?;
        let made = self.joined_table(&self.table_of(table), full.columns.len(), full.rows);
        let full = G::Functor(made, full.columns.into_iter().map(Arg::Var).collect());
        Some(vec![full, G::Not(vec![table.clone(), G::Not(tests)])])
    }

    /// Those of the groups that have as many elements as are asked for; `None` where one may have more.
    fn full(&self, goals: &[G], groups: Relation, number: Arg) -> Option<Relation> {
        let found = groups.columns.len() - 1;
        let (all, wanted) = match number {
            Arg::Const(_) => (groups, None),
            Arg::Var(number) if groups.columns.contains(&number) => return None,
            Arg::Var(number) => {
                // a goal that says how many there may be of each
                let says = |goal: &&G| goal.table().is_some() && occurrences_in(goal, number) > 0;
                let said = self.relation(goals.iter().find(says)?)?;
                let said = said.project(|v| v == number || groups.columns.contains(&v));
                let place = |all: &Relation| all.columns.iter().position(|v| *v == number);
                let at = place(&said)?;
                // nothing is found where there are none
                if said.rows.iter().any(|row| row[at] < 1) {
                    return None;
                }
                let all = join(&groups, &said)?;
                let wanted = place(&all);
                (all, wanted)
            }
        };
        let wanted = |row: &[Code]| match (wanted, number) {
            (Some(at), _) => row[at],
            (None, Arg::Const(code)) => code,
            (None, Arg::Var(_)) => 0,
        };
        let Relation { columns, mut rows } = all;
        if rows.iter().any(|row| row[found] > wanted(row) || wanted(row) < 1) {
            return None;
        }
        rows.retain(|row| row[found] == wanted(row));
        let full = Relation { columns, rows }.project(|v| v != FOUND);
        (!full.columns.is_empty()).then_some(full)
    }
}

/// The column of the numbers of elements.
const FOUND: Var = Var::MAX;

/// For the values of the other columns, how many of `counted` there are.
fn groups(rows: Relation, counted: Var) -> Option<Relation> {
    let Relation { mut columns, rows } = rows;
    let at = columns.iter().position(|v| *v == counted)?;
    let mut groups: IndexMap<Codes, FxHashSet<Code>, FxBuildHasher> = IndexMap::default();
    for mut row in rows {
        let element = row.remove(at);
        groups.entry(row).or_default().insert(element);
    }
    columns.remove(at);
    columns.push(FOUND);
    let rows = groups.into_iter().map(|(mut key, found)| {
        key.push(found.len() as Code);
        key
    });
    Some(Relation { columns, rows: rows.collect() })
}
