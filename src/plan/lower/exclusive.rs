//! Clauses of which at most one can hold for the same arguments in the same position.
//!
//! The goals of both are combined, with their arguments unified, and a contradiction is searched
//! for: one cell of the state with two values, as in `at(P, king)` and `at(P, rook)`; a number, or the
//! result of one calculation, in two intervals; a goal of one that the other negates; static relations that have no rows in
//! common. What a static relation, or the form of a compound, determines by equal arguments is equal in both: `half(P, C)` and
//! `half(Q, C), Q \= P` cannot both hold where each site is in one half. A list is empty or has a first item,
//! and equal lists have equal items. Aggregates that ask the same have one result. Goals of other forms are ignored, which
//! can only hide contradictions. Two recursions of which at most one holds are found by induction. Where
//! no contradiction is found, one is looked for with each clause of the relations that are called.

use crate::program::{Kind, RelationId};

use super::super::ops::Argument;
use super::conditions::Conditions;
use super::goals::{Arg, G, Var, Vars};
use super::joins::{Relation, join};
use super::pair::{Contradiction, Pair};
use super::single::MOST_CLAUSES;
use super::tables::TableRef;
use super::{Code, Lowering};

/// The most cases of two clauses that are told apart.
const MOST_CASES: usize = 16;

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
        let Some(pair) = Pair::with(a, b, same) else { return true };
        self.never(pair, &mut Self::calls_exclude)
    }

    /// Whether a clause has one answer at most for the arguments that are `given`, because it denies that there is one with a less
    /// or a greater number: of two answers, no number that negations compare can be the less one, and numbers that are equal
    /// in both make the answers equal.
    pub(super) fn has_one_least(
        &mut self,
        facts: &Conditions,
        given: impl Fn(usize) -> bool,
    ) -> bool {
        let compared = facts.compared();
        if compared.is_empty() {
            return false;
        }
        let by = facts.totals.len();
        let same = (0..facts.head.len()).filter(|i| given(*i)).map(|i| (i, i));
        let Some(mut pair) = Pair::with(facts, facts, same) else { return true };
        let var = |arg: &Option<Arg>| if let Some(Arg::Var(v)) = arg { Some(*v) } else { None };
        let wanted: Vec<Var> = facts.head.iter().filter_map(var).collect();
        for v in compared {
            if self.contradictory(&mut pair) || wanted.iter().all(|v| pair.are_equal(*v, v + by)) {
                return true;
            }
            let mut less = pair.clone();
            less.set_less(v, v + by);
            let Ok(_) = pair.unify(Arg::Var(v), Arg::Var(v + by)) else { return true };
            if !self.never(less, &mut Self::calls_exclude) {
                return false;
            }
        }
        self.contradictory(&mut pair) || wanted.iter().all(|v| pair.are_equal(*v, v + by))
    }

    /// Whether the goals of a pair contradict each other, or are `settled`, with each clause of the relations that they
    /// call.
    fn never(&mut self, pair: Pair, settled: &mut dyn FnMut(&mut Self, &Pair) -> bool) -> bool {
        let mut left = MOST_CASES;
        self.never_in(pair, &mut left, settled)
    }

    /// The same, where no more cases than are `left` are looked at.
    fn never_in(
        &mut self,
        mut pair: Pair,
        left: &mut usize,
        settled: &mut dyn FnMut(&mut Self, &Pair) -> bool,
    ) -> bool {
        if self.contradictory(&mut pair) || settled(self, &pair) {
            return true;
        }
        let Some(ways) = pair.open(|goal, vars| self.ways_of_call(goal, vars)) else {
            return false;
        };
        let Some(fewer) = left.checked_sub(ways.len()) else { return false };
        *left = fewer;
        ways.into_iter().all(|way| self.never_in(way, left, settled))
    }

    /// The goals that a call stands for, with each clause of its relation.
    fn ways_of_call(&mut self, goal: &G, vars: &mut Vars) -> Option<Vec<Vec<G>>> {
        let G::Call(id, args) = goal else { return None };
        let relation = self.program.relation(*id);
        let few = relation.clauses.len() <= MOST_CLAUSES && relation.kind == Kind::Derived;
        few.then(|| self.bodies_of(*id, args, vars)).flatten()
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
            let arguments = vec![Argument::Input; program.relation(id).arity];
            let alive = self.alive_clauses(id).into_iter();
            alive.map(|clause| self.facts_of(clause, &arguments).0).collect()
        };
        let (of_a, of_b) = (of(a), of(b));
        let goes_on = &mut |_: &mut Self, pair: &Pair| {
            let calls = pair.recursive_calls(program);
            let asked = |id: RelationId| calls.iter().filter(move |(other, _)| *other == id);
            asked(a).any(|(_, of_a)| {
                asked(b).any(|(_, of_b)| same.iter().all(|(x, y)| of_a[*x] == of_b[*y]))
            })
        };
        of_a.iter().all(|x| {
            of_b.iter().all(|y| {
                let pair = Pair::with(x, y, same.iter().copied());
                pair.is_none_or(|pair| self.never(pair, goes_on))
            })
        })
    }

    /// Equates what static relations and compounds determine by arguments that are equal; true where something
    /// was not known to be equal.
    fn determine(&self, pair: &mut Pair) -> Result<bool, Contradiction> {
        let asked = |goal: &G| {
            let goal = pair.resolved(goal);
            goal.table().map(|(table, args)| (table, args.to_vec()))
        };
        let facts: Vec<(TableRef, Vec<Arg>)> = pair.goals.iter().filter_map(asked).collect();
        let mut news = false;
        for (i, (table, a)) in facts.iter().enumerate() {
            let table = *table;
            news |= self.only_value(table, a, pair)?;
            for (_, b) in facts[..i].iter().filter(|(other, _)| *other == table) {
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
        table: TableRef,
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
                Arg::Var(_) => self.projected(table, &fixed, &[column]),
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
