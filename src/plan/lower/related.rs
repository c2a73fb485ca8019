//! Joins tables whose values are only compared with each other.
//!
//! In `number(A, N), number(B, M), M < N`, where nothing else asks for the numbers, one table of `A` and `B` has the answers, as if the
//! rules named a relation for it.

use super::Lowering;
use super::emit::occurrences_in;
use super::goals::{Arg, G, Var};
use super::joins::{MAX_COLUMNS, Relation, join, join_where, joined_name};
use super::patterns::variables;
use super::sums::answer;

/// The most pairs of rows that are compared for a table.
const MAX_PAIRS: usize = 200_000;

/// Goals of a conjunction that can be one table.
pub(super) struct Related {
    /// The places of one or two tables.
    tables: Vec<usize>,
    /// The places of what compares their values, and of what says that two of their columns differ.
    tests: Vec<usize>,
    /// The variables that are compared.
    compared: Vec<Var>,
    /// Those of them that other goals give a number, each with all that it can be.
    pub outer: Vec<Relation>,
}

impl Lowering<'_> {
    /// Puts one table in the place of those whose values are compared and of the comparisons, where no other goal asks for the
    /// values. `counts` says how often each variable occurs in the whole clause.
    pub(super) fn relate_tables(&mut self, goals: &mut Vec<G>, counts: &mut [usize]) {
        let mut at = 0;
        while at < goals.len() {
            let related = self.related(goals, at, counts, Vec::new());
            let joined =
                related.and_then(|all| Some((self.compared_rows(goals, &all, counts)?, all)));
            let Some((joined, related)) = joined else {
                at += 1;
                continue;
            };
            self.relate(goals, counts, related, joined);
            at = 0;
        }
    }

    /// Puts the table with these rows in the place of what is related.
    pub(super) fn relate(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut [usize],
        related: Related,
        joined: Relation,
    ) {
        let first = goals[related.tables[0]].clone();
        let names: Vec<String> =
            related.tables.iter().map(|place| self.table_of(&goals[*place])).collect();
        let mut places = [related.tables, related.tests].concat();
        places.sort_unstable();
        for place in places.iter().rev() {
            goals.remove(*place).each_var(&mut |v| counts[v] -= 1);
        }
        let table = self.joined_table(&joined_name(&names), joined.columns.len(), joined.rows);
        let made = G::Functor(table, joined.columns.into_iter().map(Arg::Var).collect());
        made.each_var(&mut |v| counts[v] += 1);
        self.put_in_place(&made, &first);
        goals.insert(places[0], made);
    }

    /// The tables and comparisons about the variables of a comparison, and about those that other comparisons name with them.
    /// Those of `outer` may be asked for by other goals too.
    pub(super) fn related(
        &self,
        goals: &[G],
        at: usize,
        counts: &[usize],
        outer: Vec<Relation>,
    ) -> Option<Related> {
        let is_test = |goal: &G| matches!(goal, G::Compare(..)) && self.is_static(goal);
        if !is_test(&goals[at]) {
            return None;
        }
        let (mut compared, mut tests) = (Vec::new(), vec![at]);
        let mut next = 0;
        while let Some(test) = tests.get(next) {
            compared.extend(variables(&goals[*test..=*test]));
            let about = |goal: &G| compared.iter().any(|v| occurrences_in(goal, *v) > 0);
            let more = (0..goals.len())
                .filter(|i| !tests.contains(i) && is_test(&goals[*i]) && about(&goals[*i]));
            let more: Vec<usize> = more.collect();
            tests.extend(more);
            next += 1;
        }
        compared.sort_unstable();
        compared.dedup();
        let about = |goal: &G| compared.iter().any(|v| occurrences_in(goal, *v) > 0);
        let tables: Vec<usize> =
            (0..goals.len()).filter(|i| goals[*i].table().is_some() && about(&goals[*i])).collect();
        let inside = |v: Var| -> usize {
            tables.iter().chain(&tests).map(|place| occurrences_in(&goals[*place], v)).sum()
        };
        let known = |v: &Var| tables.iter().any(|place| occurrences_in(&goals[*place], *v) > 0);
        let only =
            compared.iter().all(|v| gives(&outer, *v) || inside(*v) == counts[*v] && known(v));
        let fits = only && (1..=2).contains(&tables.len());
        // what is said to differ is left out of the table
        tests.extend(
            (0..goals.len())
                .filter(|place| differ(&goals[*place]).is_some_and(|pair| pair.iter().all(known))),
        );
        fits.then_some(Related { tables, tests, compared, outer })
    }

    /// The rows of the tables for which the comparisons hold, without what is compared; `None` where they are too many.
    pub(super) fn compared_rows(
        &self,
        goals: &[G],
        related: &Related,
        counts: &[usize],
    ) -> Option<Relation> {
        let Related { tables, tests, compared, outer } = related;
        let mut first = self.relation(&goals[tables[0]])?;
        for given in outer {
            first = join(&first, given)?;
        }
        let second = match tables.get(1) {
            Some(place) => self.relation(&goals[*place])?,
            None => Relation { columns: Vec::new(), rows: vec![Default::default()] },
        };
        if first.rows.len().saturating_mul(second.rows.len()) > MAX_PAIRS {
            return None;
        }
        let all = join_where(&first, &second, |columns, row| {
            let value = |v: Var| columns.iter().position(|c| *c == v).map(|at| row[at]);
            tests.iter().all(|place| match differ(&goals[*place]) {
                Some([a, b]) => value(a) != value(b),
                None => answer(&goals[*place], &value).is_some(),
            })
        })?;
        let inside = |v: Var| -> usize {
            tables.iter().chain(tests).map(|place| occurrences_in(&goals[*place], v)).sum()
        };
        let wanted = |v: Var| !compared.contains(&v) && counts[v] > inside(v);
        let all = all.project(|v| gives(outer, v) || wanted(v));
        (1..=MAX_COLUMNS).contains(&all.columns.len()).then_some(all)
    }
}

/// Whether a variable is a column of one of these relations.
pub(super) fn gives(relations: &[Relation], v: Var) -> bool {
    relations.iter().any(|relation| relation.columns.contains(&v))
}

/// The two variables that a goal says to be different.
pub(super) fn differ(goal: &G) -> Option<[Var; 2]> {
    let G::Not(inner) = goal else { return None };
    match inner[..] {
        [G::Same(Arg::Var(a), Arg::Var(b))] => Some([a, b]),
        _ => None,
    }
}
