//! Clauses of which at most one can hold for the same arguments in the same position.
//!
//! The goals of both are combined, with their arguments unified, and a contradiction is searched
//! for: one cell of the state with two values, as in `at(P, king)` and `at(P, rook)`; a number, or the
//! result of one calculation, in two intervals; a goal of one that the other negates; static relations that have no rows in
//! common. What a static relation determines by equal arguments is equal in both: `half(P, C)` and
//! `half(Q, C), Q \= P` cannot both hold where each site is in one half. A list is empty or has a first item,
//! and equal lists have equal items. Aggregates that ask the same have one result. Goals of other forms are ignored, which
//! can only hide contradictions. Two recursions of which at most one holds are found by induction.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{ClauseId, Comparison, FluentId, Kind, Program, RelationId};

use super::super::ops::Argument;
use super::forms::{
    by_names, form, form_of_other, mapped, rename, shifted, stateless, without_places,
};
use super::goals::{Arg, Expr, G, Var, Vars};
use super::joins::{Relation, join};
use super::tables::TableRef;
use super::{Code, Lowering, occurrences};

/// The most goals that a clause's conditions are divided into.
const MAX_GOALS: usize = 64;

/// What must hold before a clause's first update.
#[derive(Debug, Clone)]
pub(super) struct Conditions {
    /// The head's arguments; `None` for one that is neither a variable nor a constant.
    head: Vec<Option<Arg>>,
    goals: Vec<G>,
    /// How often each variable occurs in the whole clause.
    totals: Vec<usize>,
}

impl Conditions {
    /// The facts of a clause with the goals `before` its first update and the goals `after`;
    /// `head_vars` are the variables of its head.
    pub(super) fn new(
        head: Vec<Option<Arg>>,
        goals: &[G],
        others: &[G],
        head_vars: &[Var],
        vars: &Vars,
    ) -> Conditions {
        let mut totals = occurrences(goals, vars);
        totals.iter_mut().zip(occurrences(others, vars)).for_each(|(n, more)| *n += more);
        head_vars.iter().for_each(|v| totals[*v] += 1);
        let mut open: Vec<G> = goals.iter().rev().cloned().collect();
        let mut goals = Vec::new();
        while let Some(goal) = open.pop() {
            let room = goals.len() + open.len() < MAX_GOALS;
            match (divided(&goal, &mut totals), goal) {
                (Some(ways), _) if room => open.extend(ways),
                // its first answer is an answer
                (None, G::Once(inner)) if room => open.extend(inner.into_iter().rev()),
                (_, goal) => goals.push(goal),
            }
        }
        Conditions { head, goals, totals }
    }

    /// What must hold.
    pub(super) fn goals(&self) -> &[G] {
        &self.goals
    }

    /// The facts with further goals that follow from them.
    pub(super) fn with(mut self, implied: Vec<G>) -> Conditions {
        self.goals.extend(implied);
        self
    }

    /// The facts without the goals that read the state.
    pub(super) fn stateless(&self) -> Conditions {
        let goals = self.goals.iter().filter(|g| stateless(g)).cloned().collect();
        Conditions { goals, ..self.clone() }
    }
}

/// A negation of a disjunction as a negation of each of its branches, with local variables of its
/// own.
fn divided(goal: &G, totals: &mut Vec<usize>) -> Option<Vec<G>> {
    let G::Not(inner) = goal else { return None };
    let (place, branches) = inner.iter().enumerate().find_map(|(place, goal)| match goal {
        G::Or(branches) => Some((place, branches)),
        _ => None,
    })?;
    let local = locals(goal, totals);
    let mut ways = Vec::new();
    for branch in branches {
        let (before, after) = (&inner[..place], &inner[place + 1..]);
        let mut way = G::Not([before, branch.as_slice(), after].concat());
        let mut renamed: FxHashMap<Var, Var> = FxHashMap::default();
        way.each_var(&mut |v| {
            if local.contains(&v) {
                let new = *renamed.entry(v).or_insert_with(|| {
                    totals.push(0);
                    totals.len() - 1
                });
                totals[new] += 1;
            }
        });
        rename(&mut way, &|v| renamed.get(&v).copied().unwrap_or(v));
        ways.push(way);
    }
    Some(ways)
}

/// The variables that occur in one goal only, by how often each occurs in the whole.
fn locals(goal: &G, totals: &[usize]) -> FxHashSet<Var> {
    let mut inside: FxHashMap<Var, usize> = FxHashMap::default();
    goal.each_var(&mut |v| *inside.entry(v).or_default() += 1);
    inside.retain(|v, count| *count == totals[*v]);
    inside.into_keys().collect()
}

/// The two cannot both hold.
struct Contradiction;

impl Lowering<'_> {
    /// Whether at most one of the two holds for the same arguments. `given` says, by its number,
    /// whether an argument is known to be the same in both.
    pub(super) fn exclusive(
        &mut self,
        a: &Conditions,
        b: &Conditions,
        given: impl Fn(usize) -> bool,
    ) -> bool {
        let same = (0..a.head.len().min(b.head.len())).filter(|i| given(*i)).map(|i| (i, i));
        let Some(mut pair) = Pair::with(a, b, same) else { return true };
        self.contradictory(&mut pair) || self.calls_exclude(&pair)
    }

    /// Whether the goals of a pair contradict each other.
    fn contradictory(&self, pair: &mut Pair) -> bool {
        loop {
            let found = pair.close().and_then(|()| self.determine(pair));
            let (Ok(news), Ok(more)) = (found, self.match_lists(pair)) else {
                return true;
            };
            if !news && !more {
                return pair.denied() || !self.consistent(pair);
            }
        }
    }

    /// Whether two recursive relations are asked for the same, of which at most one can hold.
    fn calls_exclude(&mut self, pair: &Pair) -> bool {
        let calls = pair.recursive_calls(self.program);
        calls.iter().enumerate().any(|(i, (a, of_a))| {
            calls[..i].iter().any(|(b, of_b)| {
                let places = |x: usize| (0..of_b.len()).map(move |y| (x, y));
                let same: Vec<(usize, usize)> = (0..of_a.len())
                    .flat_map(places)
                    .filter(|(x, y)| of_a[*x] == of_b[*y])
                    .collect();
                a != b && !same.is_empty() && self.excluded_by_induction(*a, *b, &same)
            })
        })
    }

    /// Whether at most one of two recursive relations holds for equal arguments at these places: each two of their clauses
    /// contradict each other, or both go on with equal arguments there.
    fn excluded_by_induction(
        &mut self,
        a: RelationId,
        b: RelationId,
        same: &[(usize, usize)],
    ) -> bool {
        let program = self.program;
        let mut of = |id: RelationId| -> Vec<Conditions> {
            let relation = program.relation(id);
            let arguments = vec![Argument::Input; relation.arity];
            let alive: Vec<ClauseId> =
                relation.clauses.iter().copied().filter(|clause| self.is_alive(*clause)).collect();
            alive.into_iter().map(|clause| self.facts_of(clause, &arguments).0).collect()
        };
        let (of_a, of_b) = (of(a), of(b));
        of_a.iter().all(|x| {
            of_b.iter().all(|y| {
                let Some(mut pair) = Pair::with(x, y, same.iter().copied()) else { return true };
                if self.contradictory(&mut pair) {
                    return true;
                }
                let calls = pair.recursive_calls(program);
                let asked = |id: RelationId| calls.iter().filter(move |(other, _)| *other == id);
                asked(a).any(|(_, of_a)| {
                    asked(b).any(|(_, of_b)| same.iter().all(|(x, y)| of_a[*x] == of_b[*y]))
                })
            })
        })
    }

    /// Equates what static relations determine by arguments that are equal; true where something
    /// was not known to be equal.
    fn determine(&self, pair: &mut Pair) -> Result<bool, Contradiction> {
        let facts: Vec<(RelationId, Vec<Arg>)> = (pair.goals.iter())
            .filter_map(|goal| match pair.resolved(goal) {
                G::Static(id, args) => Some((id, args)),
                _ => None,
            })
            .collect();
        let mut news = false;
        for (i, (id, a)) in facts.iter().enumerate() {
            news |= self.only_value(*id, a, pair)?;
            for (_, b) in facts[..i].iter().filter(|(other, _)| other == id) {
                let table = TableRef::Relation(*id);
                let (equal, other): (Vec<usize>, Vec<usize>) =
                    (0..a.len()).partition(|column| a[*column] == b[*column]);
                if equal.is_empty() || other.is_empty() {
                    continue;
                }
                let keys = self.projected_count(table, Vec::new(), equal.clone());
                for column in other {
                    let with: Vec<usize> = equal.iter().copied().chain([column]).collect();
                    if self.projected_count(table, Vec::new(), with) == keys {
                        news |= pair.unify(a[column], b[column])?;
                    }
                }
            }
        }
        Ok(news)
    }

    /// Equates an argument with the only value that it has beside the constants among the others.
    fn only_value(
        &self,
        id: RelationId,
        args: &[Arg],
        pair: &mut Pair,
    ) -> Result<bool, Contradiction> {
        let constant = |(column, arg): (usize, &Arg)| match arg {
            Arg::Const(code) => Some((column, *code)),
            Arg::Var(_) => None,
        };
        let fixed: Vec<(usize, Code)> = args.iter().enumerate().filter_map(constant).collect();
        let mut news = false;
        if fixed.is_empty() {
            return Ok(news);
        }
        for (column, arg) in args.iter().enumerate() {
            let rows = match arg {
                Arg::Var(_) => self.projected(TableRef::Relation(id), &fixed, &[column]),
                Arg::Const(_) => continue,
            };
            if let [row] = rows.as_slice() {
                news |= pair.unify(*arg, Arg::Const(row[0]))?;
            }
        }
        Ok(news)
    }

    /// Equates the items of equal lists; true where some were not known to be equal.
    fn match_lists(&self, pair: &mut Pair) -> Result<bool, Contradiction> {
        let lists: Vec<(Arg, Vec<Arg>, bool)> = (pair.goals.iter())
            .filter_map(|goal| match pair.resolved(goal) {
                G::List(whole, items, tail) => Some((whole, items, tail.is_some())),
                _ => None,
            })
            .collect();
        let mut news = false;
        for (i, (whole, items, open)) in lists.iter().enumerate() {
            let known = match whole {
                Arg::Const(code) => self
                    .items_of(*code)
                    .map(|codes| (codes.into_iter().map(Arg::Const).collect::<Vec<Arg>>(), false)),
                Arg::Var(_) => None,
            };
            let before = lists[..i].iter().filter(|(other, ..)| other == whole);
            let others = before.map(|(_, items, open)| (items.clone(), *open));
            for (other, other_open) in others.chain(known) {
                if items.len() > other.len() && !other_open || other.len() > items.len() && !open {
                    return Err(Contradiction);
                }
                for (x, y) in items.iter().zip(&other) {
                    news |= pair.unify(*x, *y)?;
                }
            }
        }
        Ok(news)
    }

    /// Whether the static goals have a common row.
    fn consistent(&self, pair: &Pair) -> bool {
        let Ok(ranges) = pair.ranges() else { return false };
        let mut all: Vec<Relation> = Vec::new();
        for goal in &pair.goals {
            let Some(mut relation) = self.relation(&pair.resolved(goal)) else { continue };
            let columns = &relation.columns;
            relation.rows.retain(|row| {
                row.iter().zip(columns).all(|(code, v)| {
                    ranges.get(v).is_none_or(|(lo, hi)| (*lo..=*hi).contains(code))
                })
            });
            if relation.rows.is_empty() {
                return false;
            }
            all.push(relation);
        }
        // columns that no other relation has say no more than that there are rows
        let columns: Vec<Vec<Var>> = all.iter().map(|relation| relation.columns.clone()).collect();
        let elsewhere = |at: usize, v: Var| {
            (0..columns.len()).any(|other| other != at && columns[other].contains(&v))
        };
        all = (all.into_iter().enumerate())
            .map(|(at, relation)| relation.project(|v| elsewhere(at, v)))
            .collect();
        while let Some((i, j)) = neighbours(&all) {
            let (b, a) = (all.remove(j), all.remove(i));
            let joined = join(&a, &b).unwrap_or(if a.rows.len() <= b.rows.len() { a } else { b });
            let joined = joined.project(|v| all.iter().any(|other| other.columns.contains(&v)));
            if joined.rows.is_empty() {
                return false;
            }
            all.push(joined);
        }
        true
    }
}

/// Two relations with a common column, the smallest first.
fn neighbours(all: &[Relation]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            let size = a.rows.len().saturating_mul(b.rows.len());
            let joined = a.columns.iter().any(|v| b.columns.contains(v));
            if joined && best.is_none_or(|(least, ..)| size < least) {
                best = Some((size, i, j));
            }
        }
    }
    best.map(|(_, i, j)| (i, j))
}

/// The goals of two clauses. The variables of the second are numbered after those of the first.
struct Pair {
    goals: Vec<G>,
    /// The aggregates among them, which have equal results where they ask the same.
    aggregates: Vec<G>,
    totals: Vec<usize>,
    /// The argument that each variable is known to equal; the variable itself where nothing is
    /// known.
    same: Vec<Arg>,
}

impl Pair {
    /// The goals of two clauses whose arguments at these places are the same; `None` where they cannot be.
    fn with(
        a: &Conditions,
        b: &Conditions,
        same: impl Iterator<Item = (usize, usize)>,
    ) -> Option<Pair> {
        let mut pair = Pair::of(a, b);
        for (i, j) in same {
            let (Some(x), Some(y)) = (a.head[i], b.head[j]) else { continue };
            pair.unify(x, shifted(y, a.totals.len())).ok()?;
        }
        Some(pair)
    }

    /// The calls of recursive relations, each with its arguments.
    fn recursive_calls(&self, program: &Program) -> Vec<(RelationId, Vec<Arg>)> {
        let called = |goal: &G| match self.resolved(goal) {
            G::Call(id, args) => {
                let relation = program.relation(id);
                let recursive = relation.recursive && relation.kind == Kind::Derived;
                (recursive && !relation.supposes).then_some((id, args))
            }
            _ => None,
        };
        self.goals.iter().filter_map(called).collect()
    }

    fn of(a: &Conditions, b: &Conditions) -> Pair {
        let totals = [a.totals.as_slice(), b.totals.as_slice()].concat();
        let same = (0..totals.len()).map(Arg::Var).collect();
        let mut pair = Pair { goals: Vec::new(), aggregates: Vec::new(), totals, same };
        let reads = &mut Vec::new();
        for (facts, by) in [(a, 0), (b, a.totals.len())] {
            for goal in &facts.goals {
                if matches!(goal, G::Aggregate(..)) {
                    let mut goal = goal.clone();
                    rename(&mut goal, &|v| v + by);
                    pair.aggregates.push(goal);
                }
                let Some(goal) = mapped(goal, &mut |x| shifted(x, by)) else { continue };
                let other = pair.without_reads(goal.clone(), reads);
                let named = pair.with_names(other.clone(), reads);
                reads.extend((named != other).then_some(named));
                reads.extend((other != goal).then_some(other));
                pair.goals.push(goal);
            }
        }
        pair.goals.append(reads);
        pair
    }

    /// The goal, with its reads of the state turned into goals of their own.
    fn without_reads(&mut self, goal: G, reads: &mut Vec<G>) -> G {
        match goal {
            G::Compare(op, a, b, span) => {
                let a = self.without_read(a, reads);
                G::Compare(op, a, self.without_read(b, reads), span)
            }
            G::Is(x, e, span) => G::Is(x, self.without_read(e, reads), span),
            other => other,
        }
    }

    fn without_read(&mut self, e: Expr, reads: &mut Vec<G>) -> Expr {
        match e {
            Expr::Read(fluent, keys) => {
                let value = Arg::Var(self.same.len());
                self.same.push(value);
                self.totals.push(2);
                reads.push(G::Read(fluent, keys, Some(value)));
                Expr::Arg(value)
            }
            Expr::Op(op, args) => {
                Expr::Op(op, args.into_iter().map(|e| self.without_read(e, reads)).collect())
            }
            arg @ Expr::Arg(_) => arg,
        }
    }

    /// The goal, with each calculation that it compares turned into a goal of its own. Equal
    /// calculations have equal results, so comparisons of them are comparisons of one number.
    fn with_names(&mut self, goal: G, named: &mut Vec<G>) -> G {
        let mut name = |e: Expr, span| match e {
            Expr::Op(..) => {
                let value = Arg::Var(self.same.len());
                self.same.push(value);
                self.totals.push(2);
                named.push(G::Is(value, e, span));
                Expr::Arg(value)
            }
            other => other,
        };
        match goal {
            G::Compare(op, a, b, span) => {
                let a = name(a, span);
                G::Compare(op, a, name(b, span), span)
            }
            other => other,
        }
    }

    fn find(&self, mut arg: Arg) -> Arg {
        while let Arg::Var(v) = arg {
            if self.same[v] == arg {
                break;
            }
            arg = self.same[v];
        }
        arg
    }

    /// Equates two arguments; true where they were not known to be equal.
    fn unify(&mut self, a: Arg, b: Arg) -> Result<bool, Contradiction> {
        match (self.find(a), self.find(b)) {
            (a, b) if a == b => Ok(false),
            (Arg::Var(v), other) | (other, Arg::Var(v)) => {
                self.same[v] = other;
                Ok(true)
            }
            (Arg::Const(_), Arg::Const(_)) => Err(Contradiction),
        }
    }

    fn resolved(&self, goal: &G) -> G {
        mapped(goal, &mut |x| self.find(x)).unwrap_or(G::Stuck)
    }

    /// Equates the values of each cell of the state, and the results of equal calculations.
    fn close(&mut self) -> Result<(), Contradiction> {
        loop {
            let mut news = false;
            let mut read: FxHashMap<(FluentId, Vec<Arg>), Arg> = FxHashMap::default();
            let mut made: Vec<(Expr, Arg)> = Vec::new();
            for i in 0..self.goals.len() {
                match self.resolved(&self.goals[i]) {
                    G::Fail => return Err(Contradiction),
                    G::Same(a, b) | G::Is(a, Expr::Arg(b), _) => news |= self.unify(a, b)?,
                    G::Read(fluent, keys, Some(value)) => {
                        let first = *read.entry((fluent, keys)).or_insert(value);
                        news |= self.unify(first, value)?;
                    }
                    G::Is(x, e, _) => match made.iter().find(|(known, _)| *known == e) {
                        Some((_, first)) => news |= self.unify(*first, x)?,
                        None => made.push((e, x)),
                    },
                    _ => {}
                }
            }
            news |= self.match_aggregates()?;
            if !news {
                return Ok(());
            }
        }
    }

    /// Equates the results of aggregates that ask the same.
    fn match_aggregates(&mut self) -> Result<bool, Contradiction> {
        let asked: Vec<Option<(G, Arg)>> =
            self.aggregates.iter().map(|goal| self.question(goal)).collect();
        let mut news = false;
        for (i, one) in asked.iter().enumerate() {
            let Some((question, result)) = one else { continue };
            let first = asked[..i].iter().flatten().find(|(earlier, _)| earlier == question);
            if let Some((_, earlier)) = first {
                news |= self.unify(*earlier, *result)?;
            }
        }
        Ok(news)
    }

    /// An aggregate without its result and its place, with its own variables numbered in their order and the others
    /// by what they are known to equal, and its result.
    fn question(&self, aggregate: &G) -> Option<(G, Arg)> {
        let G::Aggregate(of, template, inner, result, span, told) = aggregate else { return None };
        let of_result = Arg::Const(0);
        let mut goal = G::Aggregate(*of, *template, inner.clone(), of_result, *span, told.clone());
        let own = locals(aggregate, &self.totals);
        let mut names: Vec<(Var, Var)> = Vec::new();
        let mut fixed = true;
        goal.each_var(&mut |v| {
            if names.iter().any(|(old, _)| *old == v) {
                return;
            }
            let new = match self.find(Arg::Var(v)) {
                _ if own.contains(&v) => self.totals.len() + names.len(),
                Arg::Var(other) => other,
                Arg::Const(_) => {
                    fixed = false;
                    v
                }
            };
            names.push((v, new));
        });
        rename(&mut goal, &by_names(&names));
        fixed.then(|| (without_places(goal), *result))
    }

    /// The integers that comparisons leave for each variable.
    fn ranges(&self) -> Result<FxHashMap<Var, (Code, Code)>, Contradiction> {
        const LESS: u8 = 1;
        const EQUAL: u8 = 2;
        const GREATER: u8 = 4;
        let mut ranges: FxHashMap<Var, (Code, Code)> = FxHashMap::default();
        let mut orders: FxHashMap<(Var, Var), u8> = FxHashMap::default();
        let mut excluded: Vec<(Var, Code)> = Vec::new();
        for goal in &self.goals {
            let (op, a, b) = match self.resolved(goal) {
                G::Compare(op, Expr::Arg(a), Expr::Arg(b), _) => (op, a, b),
                G::In(Arg::Var(v), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _) => {
                    within(&mut ranges, v, lo, hi)?;
                    continue;
                }
                G::In(Arg::Const(n), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _)
                    if !(lo..=hi).contains(&n) =>
                {
                    return Err(Contradiction);
                }
                _ => continue,
            };
            let allowed = match op {
                Comparison::Less => LESS,
                Comparison::LessOrEqual => LESS | EQUAL,
                Comparison::Greater => GREATER,
                Comparison::GreaterOrEqual => GREATER | EQUAL,
                Comparison::Equal => EQUAL,
                Comparison::NotEqual => LESS | GREATER,
            };
            let flipped = allowed & EQUAL | (allowed & LESS) << 2 | (allowed & GREATER) >> 2;
            let (v, allowed, bound) = match (a, b) {
                (Arg::Const(a), Arg::Const(b)) if op.holds(a, b) => continue,
                (Arg::Const(_), Arg::Const(_)) => return Err(Contradiction),
                (Arg::Var(v), Arg::Const(c)) => (v, allowed, c),
                (Arg::Const(c), Arg::Var(v)) => (v, flipped, c),
                (Arg::Var(v), Arg::Var(w)) => {
                    let (key, allowed) = if v <= w { ((v, w), allowed) } else { ((w, v), flipped) };
                    let left = orders.entry(key).or_insert(LESS | EQUAL | GREATER);
                    *left &= if v == w { allowed & EQUAL } else { allowed };
                    if *left == 0 {
                        return Err(Contradiction);
                    }
                    continue;
                }
            };
            let (lo, hi) = match allowed {
                LESS => (Code::MIN, bound - 1),
                EQUAL => (bound, bound),
                GREATER => (bound + 1, Code::MAX),
                _ if allowed == LESS | EQUAL => (Code::MIN, bound),
                _ if allowed == GREATER | EQUAL => (bound, Code::MAX),
                _ => {
                    excluded.push((v, bound));
                    continue;
                }
            };
            within(&mut ranges, v, lo, hi)?;
        }
        for (v, range) in &mut ranges {
            let is_excluded = |n: Code| excluded.contains(&(*v, n));
            while range.0 <= range.1 && is_excluded(range.0) {
                range.0 += 1;
            }
            while range.0 <= range.1 && is_excluded(range.1) {
                range.1 -= 1;
            }
            if range.0 > range.1 {
                return Err(Contradiction);
            }
        }
        Ok(ranges)
    }

    /// Whether one clause requires what the other negates.
    fn denied(&self) -> bool {
        self.goals.iter().any(|goal| match goal {
            G::Not(inner) => {
                let locals = locals(goal, &self.totals);
                self.holds(inner, &Locals { locals, values: FxHashMap::default() })
            }
            _ => false,
        })
    }

    /// Whether these goals follow from the goals of the clauses, for some values of the local
    /// variables.
    fn holds(&self, goals: &[G], locals: &Locals) -> bool {
        let Some((first, rest)) = goals.split_first() else { return true };
        if let G::Same(a, b) = first {
            let mut with = locals.clone();
            return with.matches(self, &[*a], &[*b]) && self.holds(rest, &with);
        }
        let Some((form, wanted)) = form(first) else { return false };
        self.goals.iter().any(|goal| {
            let mut with = locals.clone();
            let fits = form_of_other(goal, &form).is_some_and(|have| {
                with.matches(self, &wanted, &have)
                    && (!matches!(goal, G::Not(_)) || self.renames(first, goal, &wanted, &have))
            });
            fits && self.holds(rest, &with)
        })
    }

    /// For two negations of one form, whether the local variables of the first correspond to
    /// distinct local variables of the second.
    fn renames(&self, first: &G, second: &G, wanted: &[Arg], have: &[Arg]) -> bool {
        let (outside, inside) = (locals(first, &self.totals), locals(second, &self.totals));
        let mut pairs: Vec<(Arg, Arg)> = Vec::new();
        for (x, y) in wanted.iter().zip(have) {
            let local =
                |arg: &Arg, set: &FxHashSet<Var>| matches!(arg, Arg::Var(v) if set.contains(v));
            match (local(x, &outside), local(y, &inside)) {
                (true, true) if pairs.iter().all(|(a, b)| (a == x) == (b == y)) => {
                    pairs.push((*x, *y));
                }
                (false, false) => {}
                _ => return false,
            }
        }
        true
    }
}

/// The variables that are local to a negation, and what they were matched with.
#[derive(Clone)]
struct Locals {
    locals: FxHashSet<Var>,
    values: FxHashMap<Var, Arg>,
}

impl Locals {
    fn matches(&mut self, pair: &Pair, wanted: &[Arg], have: &[Arg]) -> bool {
        wanted.len() == have.len()
            && wanted.iter().zip(have).all(|(x, y)| {
                let y = pair.find(*y);
                match x {
                    Arg::Var(v) if self.locals.contains(v) => {
                        *self.values.entry(*v).or_insert(y) == y
                    }
                    _ => pair.find(*x) == y,
                }
            })
    }
}

fn within(
    ranges: &mut FxHashMap<Var, (Code, Code)>,
    v: Var,
    lo: Code,
    hi: Code,
) -> Result<(), Contradiction> {
    let range = ranges.entry(v).or_insert((Code::MIN, Code::MAX));
    *range = (range.0.max(lo), range.1.min(hi));
    if range.0 <= range.1 { Ok(()) } else { Err(Contradiction) }
}
