//! Joins static goals that share a variable used nowhere else into one table.
//!
//! In `ahead(Me, Dir), step(Dir, A, B)` the direction is used nowhere else: one table of `Me`, `A`
//! and `B` answers both goals at once, as a row of bits or through an index.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::plan::rows::{Codes, firsts, picked};

use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars, constants_in};
use super::patterns::variables;
use super::related::differ;
use super::tables::TableRef;
use super::{Code, Lowering};

/// The most rows and columns of a joined table.
const MAX_ROWS: usize = 20_000;
pub(super) const MAX_COLUMNS: usize = 4;
/// The most columns of a table that is joined on, so that fewer are left.
const MAX_PARTED: usize = 6;

/// Rows over variables.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub columns: Vec<Var>,
    pub rows: Vec<Codes>,
}

impl Relation {
    /// The distinct rows of some columns.
    pub(super) fn project(self, keep: impl Fn(Var) -> bool) -> Relation {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|c| keep(self.columns[*c])).collect();
        if kept.len() == self.columns.len() { self } else { self.distinct_in(&kept) }
    }

    /// The distinct rows.
    pub(super) fn distinct(&self) -> Relation {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.distinct_in(&all)
    }

    /// The distinct rows of the columns at these places.
    fn distinct_in(&self, kept: &[usize]) -> Relation {
        let codes: Vec<Code> =
            self.rows.iter().flat_map(|row| kept.iter().map(|c| row[*c])).collect();
        let (width, len) = (kept.len(), self.rows.len());
        let row = |n: usize| Codes::from_slice(&codes[n * width..(n + 1) * width]);
        let rows = firsts(width, len, &codes).into_iter().map(row).collect();
        Relation { columns: kept.iter().map(|c| self.columns[*c]).collect(), rows }
    }
}

impl Lowering<'_> {
    /// Joins what can be joined in a conjunction and the conjunctions inside it. `counts` says how
    /// often each variable occurs in the whole clause, its head included.
    ///
    /// A goal that may be a rule error keeps its place, and so do goals whose first answer binds
    /// variables of the goals after them. `known` are the variables that are bound before.
    pub(super) fn join_statics(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut Vec<usize>,
        known: &[Var],
        vars: &mut Vars,
    ) {
        self.join_within(goals, counts, known, &[], vars);
    }

    /// The same for a conjunction inside of others, whose tables are `around`.
    fn join_within(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut Vec<usize>,
        known: &[Var],
        around: &[G],
        vars: &mut Vars,
    ) {
        let (before, mut known) = (known, known.to_vec());
        // what an update needs must be known before it, so its goals keep their variables
        let acts = goals.iter().any(|goal| self.acts(goal));
        let own = goals.iter().filter(|goal| !acts && goal.table().is_some());
        let tables: Vec<G> = around.iter().chain(own).cloned().collect();
        let mut chosen = false;
        for goal in goals.iter_mut() {
            let whole = &*goal;
            chosen |= self
                .chooses(whole, &|v| !known.contains(&v) && counts[v] > occurrences_in(whole, v));
            let mut mentioned = Vec::new();
            goal.each_var(&mut |v| mentioned.push(v));
            let in_any_order = match &*goal {
                G::Each(answers, action, _) => {
                    let open: Vec<Var> = super::patterns::variables(answers)
                        .into_iter()
                        .filter(|v| !known.contains(v))
                        .collect();
                    let commutes = self.commutes(action, &open);
                    commutes.then(|| self.repeats_harmlessly(action, &open))
                }
                _ => None,
            };
            let mut join = |part: &mut Vec<G>, counts: &mut Vec<usize>| {
                self.join_within(part, counts, &known, &tables, vars);
            };
            match goal {
                G::Once(inner) if gives_values(inner, counts, &known) => {}
                // all variables tell its answers apart
                G::Aggregate(crate::program::Aggregate::Sum, ..) => {}
                G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => {
                    join(inner, counts);
                }
                G::Or(branches) => branches.iter_mut().for_each(|b| join(b, counts)),
                G::If(c, t, e) => {
                    if !gives_values(c, counts, &known) {
                        join(c, counts);
                    }
                    [t, e].into_iter().for_each(|part| join(part, counts));
                }
                G::Each(answers, action, told) => {
                    // the answers may be ordered, over all of the variables
                    if let Some(harmless) = in_any_order {
                        if harmless {
                            told.retain(|v| action.iter().any(|g| occurrences_in(g, *v) > 0));
                        }
                        told.iter().for_each(|v| counts[*v] += 1);
                        join(answers, counts);
                        told.iter().for_each(|v| counts[*v] -= 1);
                    }
                    join(action, counts);
                }
                _ => {}
            }
            known.extend(mentioned);
        }
        if chosen || goals.iter().any(|goal| self.raises(goal)) {
            return;
        }
        self.drop_duplicates(goals, counts);
        let whole = (goals.clone(), counts.clone());
        let parted = match acts {
            true => Vec::new(),
            false => self.part_patterns(goals, counts, around, vars),
        };
        if !parted.is_empty() {
            self.tabulate_goals(goals, &parted, counts, vars);
            self.join_tables(goals, counts, &parted);
            self.absorb_tables(goals, counts);
            self.narrow_tables(goals);
            let wide = |goal: &G| matches!(goal, G::Functor(_, args) if args.len() > MAX_COLUMNS);
            if parted.iter().any(|v| counts[*v] > 0) || goals.iter().any(wide) {
                // they are not all in tables that are small
                (*goals, *counts) = whole;
                counts.resize(vars.all.len(), 0);
            }
        }
        self.tabulate(goals, counts, vars);
        self.drop_ranges(goals, counts, vars);
        self.join_members(goals, counts, before);
        self.relate_tables(goals, counts);
        if !acts {
            self.relate_to_outer(goals, counts, around, before, vars);
            self.subtract_tables(goals, counts);
        }
        self.join_tables(goals, counts, &[]);
    }

    /// Leaves one of several equal static goals.
    fn drop_duplicates(&self, goals: &mut Vec<G>, counts: &mut [usize]) {
        let mut at = 0;
        while at < goals.len() {
            let again = matches!(goals[at], G::Static(..)) && goals[..at].contains(&goals[at]);
            match again {
                true => goals.remove(at).each_var(&mut |v| counts[v] -= 1),
                false => at += 1,
            }
        }
    }

    /// Leaves out ranges of sites that are numbers, where a table has no others. A range of other numbers stays, as the
    /// table is sooner asked for each of them.
    fn drop_ranges(&self, goals: &mut Vec<G>, counts: &mut [usize], vars: &Vars) {
        let said = |goal: &G| match goal {
            G::In(Arg::Var(v), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _)
                if self.settable(*v, vars).is_some() =>
            {
                let within = |other: &G| {
                    let values = self.table_values(other, *v);
                    values.is_some_and(|all| all.iter().all(|value| (lo..=hi).contains(&value)))
                };
                goals.iter().any(within)
            }
            _ => false,
        };
        let mut known: Vec<usize> = (0..goals.len()).filter(|at| said(&goals[*at])).collect();
        while let Some(at) = known.pop() {
            goals.remove(at).each_var(&mut |v| counts[v] -= 1);
        }
    }

    /// Joins the tables that share a variable which no other goal asks for. Those of `parted` are to be joined away in any
    /// case, so the table may be wider until others are.
    fn join_tables(&mut self, goals: &mut Vec<G>, counts: &mut [usize], parted: &[Var]) {
        let mut tried: FxHashSet<Var> = FxHashSet::default();
        let mut failed: FxHashSet<BTreeSet<usize>> = FxHashSet::default();
        while let Some((var, places)) = shared(goals, counts, &tried) {
            tried.insert(var);
            let most = if parted.contains(&var) { MAX_PARTED } else { MAX_COLUMNS };
            let found =
                self.joined(goals, &places, counts, most).map(|joined| (places.clone(), joined));
            let found = found.or_else(|| {
                let places = with_neighbours(goals, &places, counts);
                let all: BTreeSet<usize> = places.iter().copied().collect();
                let new = all.len() > 2 && failed.insert(all);
                let joined = new.then(|| self.joined(goals, &places, counts, most))?;
                joined.map(|joined| (places, joined))
            });
            let Some((places, joined)) = found else { continue };
            // what was too large may fit now
            tried.clear();
            failed.clear();
            self.put_joined(goals, counts, places, joined);
        }
    }

    /// Puts the goal about a join in the place of the first of the goals that it joins.
    fn put_joined(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut [usize],
        mut places: Vec<usize>,
        joined: G,
    ) {
        let begin = places[0];
        let first = goals[begin].clone();
        places.sort_unstable();
        for place in places.iter().rev() {
            goals.remove(*place).each_var(&mut |v| counts[v] -= 1);
        }
        joined.each_var(&mut |v| counts[v] += 1);
        self.put_in_place(&joined, &first);
        goals.insert(begin.min(goals.len()), joined);
    }

    /// Leaves out of each table the rows that a negated goal about several of its variables denies. What is denied of one
    /// variable is a set.
    fn subtract_tables(&mut self, goals: &mut Vec<G>, counts: &mut [usize]) {
        let mut at = 0;
        while at < goals.len() {
            let places = self.table_denied(goals, at, counts).map(|table| vec![table, at]);
            let found = places.and_then(|places| {
                Some((self.joined(goals, &places, counts, MAX_COLUMNS)?, places))
            });
            match found {
                Some((joined, places)) => {
                    self.put_joined(goals, counts, places, joined);
                    at = 0;
                }
                None => at += 1,
            }
        }
    }

    /// The place of a table that has all variables of a negation, two or more.
    fn table_denied(&self, goals: &[G], at: usize, counts: &[usize]) -> Option<usize> {
        let negation = &goals[at];
        if !matches!(negation, G::Not(_)) || !asks_table(negation) {
            return None;
        }
        let mut shared = variables(std::slice::from_ref(negation));
        shared.retain(|v| occurrences_in(negation, *v) < counts[*v]);
        shared.sort_unstable();
        shared.dedup();
        let has_all = |goal: &G| shared.iter().all(|v| occurrences_in(goal, *v) > 0);
        let fits = |goal: &G| shared.len() > 1 && goal.table().is_some() && has_all(goal);
        goals.iter().position(fits)
    }

    /// Joins each table with those that have no other columns.
    fn absorb_tables(&mut self, goals: &mut Vec<G>, counts: &mut [usize]) {
        while let Some((at, part)) = self.absorbing(goals) {
            let Some(joined) = self.both(goals, at, part) else { return };
            self.replace_table(goals, at, part, joined);
            goals.remove(part).each_var(&mut |v| counts[v] -= 1);
        }
    }

    /// Leaves only those rows of joined tables that agree with the relations about some of their columns. These stay, as
    /// they may have few rows to begin with.
    fn narrow_tables(&mut self, goals: &mut [G]) {
        for at in 0..goals.len() {
            for part in 0..goals.len() {
                let Some(columns) = self.table_columns(&goals[at]) else { break };
                let G::Static(_, args) = &goals[part] else { continue };
                let about = |arg: &Arg| match arg {
                    Arg::Var(v) => columns.contains(v),
                    Arg::Const(_) => true,
                };
                let before = self.relation(&goals[at]).map_or(0, |all| all.rows.len());
                if args.iter().all(about)
                    && let Some(joined) = self.both(goals, at, part)
                    && joined.rows.len() < before
                {
                    self.replace_table(goals, at, part, joined);
                }
            }
        }
    }

    /// The join of the tables of two goals.
    fn both(&self, goals: &[G], at: usize, part: usize) -> Option<Relation> {
        join(&self.relation(&goals[at])?, &self.relation(&goals[part])?)
    }

    /// Puts a goal about the join of two tables in the place of the first.
    fn replace_table(&mut self, goals: &mut [G], at: usize, part: usize, joined: Relation) {
        let name = joined_name(&[self.table_of(&goals[at]), self.table_of(&goals[part])]);
        let table = self.joined_table(&name, joined.columns.len(), joined.rows);
        let made = G::Functor(table, joined.columns.into_iter().map(Arg::Var).collect());
        self.put_in_place(&made, &goals[at].clone());
        goals[at] = made;
    }

    /// The places of two tables, of which the first has all columns of the second.
    fn absorbing(&self, goals: &[G]) -> Option<(usize, usize)> {
        let columns: Vec<Option<Vec<Var>>> =
            goals.iter().map(|goal| self.table_columns(goal)).collect();
        let has_all = |at: usize, part: usize| match (&columns[at], &columns[part]) {
            (Some(all), Some(some)) => at != part && some.iter().all(|v| all.contains(v)),
            _ => false,
        };
        (0..goals.len())
            .find_map(|at| (0..goals.len()).find(|part| has_all(at, *part)).map(|part| (at, part)))
    }

    /// The columns of a joined table, where they are variables.
    fn table_columns(&self, goal: &G) -> Option<Vec<Var>> {
        let G::Functor(table, args) = goal else { return None };
        let variable = |arg: &Arg| match arg {
            Arg::Var(v) => Some(*v),
            Arg::Const(_) => None,
        };
        let columns: Option<Vec<Var>> = args.iter().map(variable).collect();
        columns.filter(|_| !self.is_constructor(*table))
    }

    /// `line(L), member(C, L)` asks for the lines through a known site, or for the sites of all
    /// lines: one table of the list and its item answers both. Where other goals test the list, and
    /// none of them speaks of the item, the items are those of the lists that pass.
    fn join_members(&mut self, goals: &mut Vec<G>, counts: &mut [usize], known: &[Var]) {
        let mut at = 0;
        while at < goals.len() {
            let within = |v| goals.iter().map(|goal| occurrences_in(goal, v)).sum::<usize>();
            if let G::Member(Arg::Var(item), list @ Arg::Var(l)) = goals[at]
                && (known.contains(&item) || within(item) > 1 || within(l) == 2)
                && let Some(place) = goals.iter().position(|g| {
                    matches!(g, G::Static(_, args) | G::Functor(_, args) if args.contains(&list))
                })
                && let Some(joined) = self.joined_members(&goals[place], &goals[at], l)
            {
                let name = format!("{} ⋈ member", self.table_of(&goals[place]));
                let lists = goals[place].clone();
                for place in [place.max(at), place.min(at)] {
                    goals[place].each_var(&mut |v| counts[v] -= 1);
                    goals.remove(place);
                }
                joined.columns.iter().for_each(|v| counts[*v] += 1);
                let table = self.joined_table(&name, joined.columns.len(), joined.rows);
                let args = joined.columns.into_iter().map(Arg::Var).collect();
                at = place.min(at);
                let goal = G::Functor(table, args);
                self.put_in_place(&goal, &lists);
                goals.insert(at, goal);
            }
            at += 1;
        }
    }

    fn joined_members(&self, lists: &G, member: &G, list: Var) -> Option<Relation> {
        let lists = self.relation(lists)?;
        let column = lists.columns.iter().position(|v| *v == list)?;
        let G::Member(Arg::Var(item), _) = member else { return None };
        if lists.columns.contains(item) || lists.columns.len() >= MAX_COLUMNS {
            return None;
        }
        let named: FxHashSet<Code> = lists.rows.iter().map(|row| row[column]).collect();
        let rows = self.table_rows(TableRef::Members);
        let rows = rows.iter().filter(|r| named.contains(&r[1])).map(Codes::from_slice);
        join(&lists, &Relation { columns: vec![*item, list], rows: rows.collect() })
    }

    /// The name of the table that a goal asks.
    pub(super) fn table_of(&self, goal: &G) -> String {
        match goal {
            G::Static(id, _) => self.program.relation(*id).name.clone(),
            G::Functor(at, _) => self.table_name(TableRef::Functor(*at)),
            G::Not(inner) => {
                inner.iter().map(|goal| format!("\\+ {}", self.table_of(goal))).collect()
            }
            _ => String::new(),
        }
    }

    /// The goal about the join of these goals without the variables that no other goal asks for; `None` where its table would
    /// be too large. It is remembered, as one clause is lowered in several forms.
    fn joined(
        &mut self,
        goals: &[G],
        places: &[usize],
        counts: &[usize],
        most: usize,
    ) -> Option<G> {
        let part: Vec<G> = places.iter().map(|place| goals[*place].clone()).collect();
        let mut counted = Vec::new();
        part.iter().for_each(|goal| goal.each_var(&mut |v| counted.push(counts[v])));
        let key = (part, counted, most);
        if let Some(known) = self.known.joins.get(&key) {
            return known.clone();
        }
        let joined = self.joined_rows(&key.0, counts, most).map(|rows| {
            let name: Vec<String> = key.0.iter().map(|goal| self.table_of(goal)).collect();
            let table = self.joined_table(&joined_name(&name), rows.columns.len(), rows.rows);
            G::Functor(table, rows.columns.into_iter().map(Arg::Var).collect())
        });
        self.known.joins.insert(key, joined.clone());
        joined
    }

    fn joined_rows(&self, goals: &[G], counts: &[usize], most: usize) -> Option<Relation> {
        let denied = |goal: &&G| matches!(goal, G::Not(_));
        let mut positive = goals.iter().filter(|goal| !denied(goal));
        let mut all = self.relation(positive.next()?)?;
        for goal in positive {
            all = join(&all, &self.relation(goal)?)?;
        }
        for goal in goals.iter().filter(denied) {
            all = self.without(all, goal, counts)?;
        }
        let inside = |v: Var| -> usize { goals.iter().map(|goal| occurrences_in(goal, v)).sum() };
        let all = all.project(|v| counts[v] > inside(v));
        (1..=most).contains(&all.columns.len()).then_some(all)
    }

    /// The rows for which a negated goal about a table holds; `None` where it asks for values that they do not have.
    fn without(&self, mut all: Relation, negation: &G, counts: &[usize]) -> Option<Relation> {
        if let Some(pair) = differ(negation) {
            let place = |v: Var| all.columns.iter().position(|column| *column == v);
            let [Some(a), Some(b)] = pair.map(place) else { return None };
            all.rows.retain(|row| row[a] != row[b]);
            return Some(all);
        }
        let G::Not(inner) = negation else { return None };
        let [goal] = inner.as_slice() else { return None };
        let denied = self.relation(goal)?;
        let has = |v: Var| all.columns.contains(&v);
        let mut open = denied.columns.iter().filter(|v| !has(**v));
        if !open.all(|v| counts[*v] == occurrences_in(negation, *v)) {
            return None;
        }
        let denied = denied.project(has);
        let places: Option<Vec<usize>> = (denied.columns.iter())
            .map(|v| all.columns.iter().position(|column| column == v))
            .collect();
        let (places, rows): (_, FxHashSet<Codes>) = (places?, denied.rows.into_iter().collect());
        all.rows.retain(|row| !rows.contains(&picked(row, &places)));
        Some(all)
    }

    /// The distinct values that a goal's table has for a variable; `None` where it is no table or does not have the variable.
    pub(super) fn table_values(&self, goal: &G, var: Var) -> Option<Vec<Code>> {
        let (table, args) = goal.table()?;
        let at = args.iter().position(|arg| *arg == Arg::Var(var))?;
        let rows = self.table_rows(table);
        let fits = fitting(args);
        let values: Vec<Code> = rows.iter().filter(|row| fits(row)).map(|row| row[at]).collect();
        Some(firsts(1, values.len(), &values).into_iter().map(|n| values[n]).collect())
    }

    /// Whether a goal is about a table of which at most this many rows match its constants.
    pub(super) fn is_short(&self, goal: &G, most: usize) -> bool {
        goal.table().is_some_and(|(table, args)| {
            let (rows, fits) = (self.table_rows(table), fitting(args));
            rows.iter().filter(|row| fits(row)).take(most + 1).count() <= most
        })
    }

    /// The rows of a goal's table that match its constants, over its variables.
    pub(super) fn relation(&self, goal: &G) -> Option<Relation> {
        let (table, args) = goal.table()?;
        let mut columns: Vec<Var> = Vec::new();
        for arg in args {
            if let Arg::Var(v) = arg
                && !columns.contains(v)
            {
                columns.push(*v);
            }
        }
        // the columns are in the order in which the variables come first
        let places: Vec<usize> = (columns.iter())
            .filter_map(|v| args.iter().position(|arg| *arg == Arg::Var(*v)))
            .collect();
        let (rows, fits) = (self.table_rows(table), fitting(args));
        let rows = rows.iter().filter(|row| fits(row));
        let rows = rows.map(|row| picked(row, &places)).collect();
        Some(Relation { columns, rows })
    }
}

/// A test of a row: whether it has the constants of these arguments, and one value for each variable.
fn fitting(args: &[Arg]) -> impl Fn(&[Code]) -> bool {
    let constants = constants_in(args);
    let mut same: Vec<(usize, usize)> = Vec::new();
    for (i, arg) in args.iter().enumerate().filter(|(_, arg)| matches!(arg, Arg::Var(_))) {
        let first = args[..i].iter().position(|before| before == arg);
        same.extend(first.map(|before| (i, before)));
    }
    move |row| {
        constants.iter().all(|(i, code)| row[*i] == *code)
            && same.iter().all(|(i, before)| row[*i] == row[*before])
    }
}

/// The name of a join of tables; one of many parts names each of them once.
pub(super) fn joined_name(tables: &[String]) -> String {
    let all: Vec<&str> = tables.iter().flat_map(|table| table.split(" ⋈ ")).collect();
    let mut parts: Vec<&str> = Vec::new();
    for part in &all {
        if all.len() <= MAX_COLUMNS || !parts.contains(part) {
            parts.push(part);
        }
    }
    parts.join(" ⋈ ")
}

/// Whether these goals have unbound variables that also occur outside them.
fn gives_values(part: &[G], counts: &[usize], known: &[Var]) -> bool {
    let mut found: FxHashMap<Var, usize> = FxHashMap::default();
    part.iter().for_each(|g| g.each_var(&mut |v| *found.entry(v).or_default() += 1));
    found.into_iter().any(|(v, n)| n != counts[v] && !known.contains(&v))
}

/// Whether a goal asks for the rows of a table, or denies one, or that two variables are equal.
fn asks_table(goal: &G) -> bool {
    match goal {
        G::Static(..) | G::Functor(..) => true,
        G::Not(inner) => {
            differ(goal).is_some() || matches!(inner.as_slice(), [G::Static(..) | G::Functor(..)])
        }
        _ => false,
    }
}

/// A variable that occurs only in static goals of this conjunction, and in more than one, with
/// their places.
fn shared(goals: &[G], counts: &[usize], tried: &FxHashSet<Var>) -> Option<(Var, Vec<usize>)> {
    let mut seen: FxHashMap<Var, (usize, Vec<usize>)> = FxHashMap::default();
    let mut order = Vec::new();
    for (place, goal) in goals.iter().enumerate().filter(|(_, g)| asks_table(g)) {
        goal.each_var(&mut |v| {
            let (count, places) = seen.entry(v).or_insert_with(|| {
                order.push(v);
                (0, Vec::new())
            });
            *count += 1;
            if places.last() != Some(&place) {
                places.push(place);
            }
        });
    }
    order.into_iter().find_map(|v| {
        let (count, places) = seen.remove(&v)?;
        (count == counts[v] && places.len() > 1 && !tried.contains(&v)).then_some((v, places))
    })
}

/// The places of tables and of all those that share a variable with one of them which no other goal asks for, each next
/// to one with which it shares a variable.
fn with_neighbours(goals: &[G], places: &[usize], counts: &[usize]) -> Vec<usize> {
    let all: Vec<usize> = (0..goals.len()).filter(|place| asks_table(&goals[*place])).collect();
    let inside = |v: Var| -> usize { all.iter().map(|p| occurrences_in(&goals[*p], v)).sum() };
    let mut met = places.to_vec();
    let mut at = 0;
    while at < met.len() {
        goals[met[at]].each_var(&mut |v| {
            if inside(v) == counts[v] {
                let shares = |p: &usize| occurrences_in(&goals[*p], v) > 0 && !met.contains(p);
                let more: Vec<usize> = all.iter().copied().filter(shares).collect();
                met.extend(more);
            }
        });
        at += 1;
    }
    met
}

/// The natural join; `None` where it is too large.
pub(super) fn join(a: &Relation, b: &Relation) -> Option<Relation> {
    join_where(a, b, |_, _| true)
}

/// The rows of the natural join for which a test of the columns and the row holds; `None` where they are too many.
pub(super) fn join_where(
    a: &Relation,
    b: &Relation,
    holds: impl Fn(&[Var], &[Code]) -> bool,
) -> Option<Relation> {
    let (ours, theirs): (Vec<usize>, Vec<usize>) = (0..a.columns.len())
        .filter_map(|i| Some((i, b.columns.iter().position(|v| *v == a.columns[i])?)))
        .unzip();
    let extra: Vec<usize> = (0..b.columns.len()).filter(|j| !theirs.contains(j)).collect();
    let mut by_key: FxHashMap<Codes, SmallVec<[&Codes; 2]>> = FxHashMap::default();
    for row in &b.rows {
        by_key.entry(picked(row, &theirs)).or_default().push(row);
    }
    let mut columns = a.columns.clone();
    columns.extend(extra.iter().map(|j| b.columns[*j]));
    let mut rows = Vec::new();
    for row in &a.rows {
        for other in by_key.get(&picked(row, &ours)).into_iter().flatten() {
            let mut whole = row.clone();
            extra.iter().for_each(|j| whole.push(other[*j]));
            if holds(&columns, &whole) {
                rows.push(whole);
            }
            if rows.len() > MAX_ROWS {
                return None;
            }
        }
    }
    Some(Relation { columns, rows })
}
