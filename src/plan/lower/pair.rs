//! The goals of two clauses together, and what follows from them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Aggregate, ArithmeticOp, Comparison, FluentId, Kind, Program, RelationId};

use super::super::universe::Code;
use super::conditions::{Conditions, locals};
use super::forms::{by_names, form, form_of_other, mapped, rename, shifted, without_places};
use super::goals::{Arg, Expr, G, Var, Vars};
use super::sums::number;
use crate::source::Span;

/// The most goals that are tried to find what a negation denies. Beyond them a contradiction may be missed.
const MOST_TRIED: usize = 20_000;

/// The two cannot both hold.
pub(super) struct Contradiction;

/// The goals of two clauses. The variables of the second are numbered after those of the first.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) goals: Vec<G>,
    /// The places of goals whose alternatives are among the goals.
    opened: Vec<usize>,
    /// The aggregates among them, which have equal results where they ask the same.
    aggregates: Vec<G>,
    /// What is asked for its first answer only, with the variables to which that gives values.
    firsts: Vec<(Vec<G>, Vec<Var>)>,
    totals: Vec<usize>,
    /// The argument that each variable is known to equal; the variable itself where nothing is
    /// known.
    same: Vec<Arg>,
}

impl Pair {
    /// The goals of two clauses whose arguments at these places are the same; `None` where they cannot be.
    pub(super) fn with(
        a: &Conditions,
        b: &Conditions,
        same: impl Iterator<Item = (usize, usize)>,
    ) -> Option<Pair> {
        let mut pair = Pair {
            goals: Vec::new(),
            opened: Vec::new(),
            aggregates: Vec::new(),
            firsts: Vec::new(),
            totals: Vec::new(),
            same: Vec::new(),
        };
        pair.add(a, 0);
        let by = pair.totals.len();
        pair.add(b, by);
        for (i, j) in same {
            let (Some(x), Some(y)) = (a.head[i], b.head[j]) else { continue };
            pair.unify(x, shifted(y, by)).ok()?;
        }
        Some(pair)
    }

    /// The calls of recursive relations, each with its arguments.
    pub(super) fn recursive_calls(&self, program: &Program) -> Vec<(RelationId, Vec<Arg>)> {
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

    /// Adds goals whose variables are numbered from `by` on.
    fn add(&mut self, facts: &Conditions, by: usize) {
        for (v, count) in (by..).zip(&facts.totals) {
            match self.totals.get_mut(v) {
                Some(total) => *total += count,
                None => {
                    self.totals.push(*count);
                    self.same.push(Arg::Var(v));
                }
            }
        }
        for (goals, given) in facts.firsts() {
            let mut goals = goals.clone();
            goals.iter_mut().for_each(|goal| rename(goal, &|v| v + by));
            self.firsts.push((goals, given.iter().map(|v| v + by).collect()));
        }
        let reads = &mut Vec::new();
        for goal in facts.goals() {
            if let G::Aggregate(kind, _, inner, ..) = goal {
                // there is something of which there is a least or a greatest
                if matches!(kind, Aggregate::Max | Aggregate::Min) {
                    let found =
                        inner.iter().filter_map(|goal| mapped(goal, &mut |x| shifted(x, by)));
                    self.goals.extend(found);
                }
                let mut goal = goal.clone();
                rename(&mut goal, &|v| v + by);
                self.aggregates.push(goal);
            }
            let Some(goal) = mapped(goal, &mut |x| shifted(x, by)) else { continue };
            let other = self.without_reads(goal.clone(), reads);
            let named = self.with_names(other.clone(), reads);
            reads.extend((named != other).then_some(named));
            reads.extend((other != goal).then_some(other));
            self.goals.push(goal);
        }
        self.goals.append(reads);
    }

    /// The first goal that is not opened of which `ways` gives alternatives: the pair with each of them. `ways` gives new
    /// variables numbers that none of `Vars` has.
    pub(super) fn open(
        &self,
        mut ways: impl FnMut(&G, &mut Vars) -> Option<Vec<Vec<G>>>,
    ) -> Option<Vec<Pair>> {
        let mut vars = Vars::unknown(self.totals.len());
        let mut closed = (0..self.goals.len()).filter(|at| !self.opened.contains(at));
        let (at, ways) =
            closed.find_map(|at| Some((at, ways(&self.resolved(&self.goals[at]), &mut vars)?)))?;
        let with = |way: &Vec<G>| {
            let mut pair = self.clone();
            pair.opened.push(at);
            pair.add(&Conditions::new(Vec::new(), way, &[], &[], &vars), 0);
            pair
        };
        Some(ways.iter().map(with).collect())
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
    pub(super) fn unify(&mut self, a: Arg, b: Arg) -> Result<bool, Contradiction> {
        match (self.find(a), self.find(b)) {
            (a, b) if a == b => Ok(false),
            (Arg::Var(v), other) | (other, Arg::Var(v)) => {
                self.same[v] = other;
                Ok(true)
            }
            (Arg::Const(_), Arg::Const(_)) => Err(Contradiction),
        }
    }

    pub(super) fn resolved(&self, goal: &G) -> G {
        mapped(goal, &mut |x| self.find(x)).unwrap_or(G::Stuck)
    }

    /// Equates the values of each cell of the state, and the results of equal calculations.
    pub(super) fn close(&mut self) -> Result<(), Contradiction> {
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
                    G::Compare(Comparison::Equal, Expr::Arg(a), Expr::Arg(b), _) => {
                        news |= self.unify(a, b)?;
                    }
                    G::Is(x, e, _) if difference(&e).is_some_and(|(a, b)| a == b) => {
                        news |= self.unify(x, Arg::Const(0))?;
                    }
                    G::Is(x, e, _) if let Some(n) = number(&e, &|_| None) => {
                        news |= self.unify(x, Arg::Const(n))?;
                    }
                    G::Is(x, e, _) => match made.iter().find(|(known, _)| *known == e) {
                        Some((_, first)) => news |= self.unify(*first, x)?,
                        None => made.push((e, x)),
                    },
                    _ => {}
                }
            }
            news |= self.match_aggregates()?;
            news |= self.match_firsts()?;
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

    /// Equates what the first answers of the same goals give.
    fn match_firsts(&mut self) -> Result<bool, Contradiction> {
        let asked: Vec<Option<(Vec<G>, Vec<Var>)>> = (self.firsts.iter())
            .map(|(goals, given)| {
                let mut names: Vec<Var> = Vec::new();
                let mut named = |arg| match arg {
                    Arg::Var(v) if given.contains(&v) => {
                        let at = names.iter().position(|known| *known == v);
                        let at = at.unwrap_or_else(|| {
                            names.push(v);
                            names.len() - 1
                        });
                        Arg::Var(self.same.len() + at)
                    }
                    other => self.find(other),
                };
                let goals = goals.iter().map(|goal| mapped(goal, &mut named).map(without_places));
                goals.collect::<Option<Vec<G>>>().map(|goals| (goals, names))
            })
            .collect();
        let mut news = false;
        for (i, one) in asked.iter().enumerate() {
            let Some((question, given)) = one else { continue };
            let first = asked[..i].iter().flatten().find(|(earlier, _)| earlier == question);
            let Some((_, earlier)) = first else { continue };
            for (v, w) in earlier.iter().zip(given) {
                news |= self.unify(Arg::Var(*v), Arg::Var(*w))?;
            }
        }
        Ok(news)
    }

    /// Adds that one number is less than another one, in all ways to say so.
    pub(super) fn set_less(&mut self, v: Var, w: Var) {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let pairs =
            [(v, w, [Less, LessOrEqual, NotEqual]), (w, v, [Greater, GreaterOrEqual, NotEqual])];
        for (a, b, ops) in pairs {
            let (a, b) = (Expr::Arg(Arg::Var(a)), Expr::Arg(Arg::Var(b)));
            let said = ops.map(|op| G::Compare(op, a.clone(), b.clone(), Span::NONE));
            self.goals.extend(said);
        }
    }

    /// Whether two variables are known to be equal.
    pub(super) fn are_equal(&self, v: Var, w: Var) -> bool {
        self.find(Arg::Var(v)) == self.find(Arg::Var(w))
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
    pub(super) fn ranges(&self) -> Result<FxHashMap<Var, (Code, Code)>, Contradiction> {
        const LESS: u8 = 1;
        const EQUAL: u8 = 2;
        const GREATER: u8 = 4;
        let mut ranges: FxHashMap<Var, (Code, Code)> = FxHashMap::default();
        let mut orders: FxHashMap<(Var, Var), u8> = FxHashMap::default();
        let mut excluded: Vec<(Var, Code)> = Vec::new();
        let all: Vec<G> = self.goals.iter().map(|goal| self.resolved(goal)).collect();
        let compared = all.iter().filter_map(|goal| of_difference(goal, &all));
        let compared: Vec<G> = compared.collect();
        for goal in all.iter().chain(&compared) {
            let (op, a, b) = match goal {
                G::Compare(op, Expr::Arg(a), Expr::Arg(b), _) => (*op, *a, *b),
                G::In(Arg::Var(v), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _) => {
                    within(&mut ranges, *v, *lo, *hi)?;
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
    pub(super) fn denied(&self) -> bool {
        let mut left = MOST_TRIED;
        self.goals.iter().any(|goal| match goal {
            G::Not(inner) => {
                let locals = locals(goal, &self.totals);
                self.holds(inner, &Locals { locals, values: FxHashMap::default() }, &mut left)
            }
            _ => false,
        })
    }

    /// Whether these goals follow from the goals of the clauses, for some values of the local
    /// variables, where no more goals than are `left` have to be tried.
    fn holds(&self, goals: &[G], locals: &Locals, left: &mut usize) -> bool {
        let Some((first, rest)) = goals.split_first() else { return true };
        if let G::Same(a, b) = first {
            let mut with = locals.clone();
            return with.matches(self, &[*a], &[*b]) && self.holds(rest, &with, left);
        }
        let Some((form, wanted)) = form(first) else { return false };
        self.goals.iter().any(|goal| {
            let Some(fewer) = left.checked_sub(1) else { return false };
            *left = fewer;
            let mut with = locals.clone();
            let fits = form_of_other(goal, &form).is_some_and(|have| {
                with.matches(self, &wanted, &have)
                    && (!matches!(goal, G::Not(_)) || self.renames(first, goal, &wanted, &have))
            });
            fits && self.holds(rest, &with, left)
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

/// The two numbers whose difference this is.
fn difference(e: &Expr) -> Option<(Arg, Arg)> {
    match e {
        Expr::Op(ArithmeticOp::Subtract, args) => match args.as_slice() {
            [Expr::Arg(a), Expr::Arg(b)] => Some((*a, *b)),
            _ => None,
        },
        _ => None,
    }
}

/// How two numbers compare, by a goal that compares their difference with 0 or 1.
fn of_difference(goal: &G, all: &[G]) -> Option<G> {
    let G::Compare(op, Expr::Arg(Arg::Var(v)), Expr::Arg(Arg::Const(bound)), span) = goal else {
        return None;
    };
    let op = match (op, bound) {
        (op, 0) => *op,
        (Comparison::GreaterOrEqual, 1) => Comparison::Greater,
        (Comparison::Less, 1) => Comparison::LessOrEqual,
        _ => return None,
    };
    let calculated = all.iter().find_map(|goal| match goal {
        G::Is(Arg::Var(x), e, _) if x == v => difference(e),
        _ => None,
    });
    calculated.map(|(a, b)| G::Compare(op, Expr::Arg(a), Expr::Arg(b), *span))
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
