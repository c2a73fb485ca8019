//! Patterns such as `p(X, Y)`, which tell constants by their arguments: one look-up for all patterns that are
//! equal, and goals about the arguments as goals about the constants.
//!
//! A constant and its arguments determine each other. In `at(p(X, Y), P), up(P, D), V is Y + D, \+ at(p(X, V), _)` the
//! static goals therefore say which pairs of sites belong together, whatever else their columns and rows are asked for:
//! they are given variables of their own and become one table of `P` and two sites (`joins.rs`), as if the rule
//! file had named the sites.

use super::Lowering;
use super::emit::occurrences_in;
use super::forms::{by_names, rename, stateless};
use super::goals::{Arg, G, Var, Vars};

/// A pattern of keys of the state.
struct Pattern {
    /// Its place among the goals, or behind them for one that stands around them.
    place: usize,
    table: usize,
    whole: Var,
    arguments: Vec<Var>,
    goal: G,
}

/// What the static goals of a conjunction are about.
struct Parting {
    patterns: Vec<Pattern>,
    /// How many of the patterns, the first ones, stand in the conjunction itself.
    own: usize,
    /// The places of the goals.
    parts: Vec<usize>,
    /// The arguments of patterns that the goals calculate.
    results: Vec<Var>,
}

/// The look-ups that are added, each with the goal for which it stands, and their variables.
struct Made {
    goals: Vec<(G, G)>,
    fresh: Vec<Var>,
}

impl Made {
    fn variable(&mut self, like: Var, vars: &mut Vars) -> Var {
        let new = vars.fresh(vars.all[like].domain.clone());
        self.fresh.push(new);
        new
    }

    /// Adds a look-up of a pattern's constant, in which some arguments have these names.
    fn look_up(&mut self, pattern: &Pattern, names: &[(Var, Var)], vars: &mut Vars) {
        let mut all = names.to_vec();
        for v in &pattern.arguments {
            if !names.iter().any(|(old, _)| old == v) {
                all.push((*v, self.variable(*v, vars)));
            }
        }
        let new = by_names(&all);
        let mut copy = pattern.goal.clone();
        rename(&mut copy, &new);
        self.goals.push((copy, pattern.goal.clone()));
    }
}

impl Lowering<'_> {
    /// Leaves one look-up for all equal patterns of a body and of the goals inside of it. `fixed` are the variables
    /// that the goals around these use, `given` those of them that are bound.
    pub(super) fn merge_patterns(
        &mut self,
        goals: &mut Vec<G>,
        fixed: &[Var],
        given: &[Var],
        vars: &Vars,
    ) {
        let any = |goal: &G| self.has_pattern(goal);
        if !goals.iter().any(any) {
            return;
        }
        let mut totals = super::occurrences(goals, vars);
        fixed.iter().for_each(|v| totals[*v] += 1);
        self.merge_within(goals, &[], given, &mut totals, vars);
    }

    fn has_pattern(&self, goal: &G) -> bool {
        let any = |goals: &[G]| goals.iter().any(|goal| self.has_pattern(goal));
        match goal {
            G::Functor(table, _) => self.is_constructor(*table),
            G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => any(inner),
            G::Or(branches) => branches.iter().any(|branch| any(branch)),
            G::If(c, t, e) => any(c) || any(t) || any(e),
            G::Each(a, b, _) => any(a) || any(b),
            _ => false,
        }
    }

    /// A pattern's table, the variable of the constant and its arguments.
    pub(super) fn pattern<'g>(&self, goal: &'g G) -> Option<(usize, Var, &'g [Arg])> {
        match goal {
            G::Functor(table, args) if self.is_constructor(*table) => match args.split_first()? {
                (Arg::Var(whole), inner) if !inner.is_empty() => Some((*table, *whole, inner)),
                _ => None,
            },
            _ => None,
        }
    }

    fn merge_within(
        &mut self,
        goals: &mut Vec<G>,
        around: &[G],
        given: &[Var],
        totals: &mut [usize],
        vars: &Vars,
    ) {
        let (mut around, mut seen) = (around.to_vec(), given.to_vec());
        let mut at = 0;
        while at < goals.len() {
            if let Some((table, whole, inner)) = self.pattern(&goals[at]) {
                let known = around.iter().filter_map(|goal| self.pattern(goal));
                let mut same = known.filter(|(other, _, args)| *other == table && *args == inner);
                if let Some((_, first, _)) = same.next() {
                    let here = |v: Var| goals.iter().map(|g| occurrences_in(g, v)).sum::<usize>();
                    // one that is used around these goals keeps its name
                    let names = [(whole, first), (first, whole)];
                    let mut free = names.into_iter().filter(|(old, _)| here(*old) == totals[*old]);
                    if first == whole {
                        goals.remove(at);
                        continue;
                    }
                    if let Some((old, kept)) = free.next() {
                        goals.remove(at);
                        totals[kept] += std::mem::take(&mut totals[old]);
                        let new = |v: Var| if v == old { kept } else { v };
                        self.rename_all(goals, &new);
                        self.rename_all(&mut around, &new);
                        continue;
                    }
                } else {
                    around.push(goals[at].clone());
                }
            }
            if let Some(lifted) = self.lifted(goals, at, &seen, totals, vars) {
                goals.insert(at, lifted);
                continue;
            }
            let before = goals[at].clone();
            let mut merge = |part: &mut Vec<G>, more: &[Var]| {
                let given = [&seen, more].concat();
                self.merge_within(part, &around, &given, totals, vars);
            };
            match &mut goals[at] {
                G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => merge(inner, &[]),
                G::Or(branches) => branches.iter_mut().for_each(|branch| merge(branch, &[])),
                G::If(condition, then, otherwise) => {
                    let met = variables(condition);
                    merge(condition, &[]);
                    merge(then, &met);
                    merge(otherwise, &[]);
                }
                G::Each(answers, action, told) => {
                    self.keys_among_answers(answers, action, told, &seen, vars);
                    let met = variables(answers);
                    let mut merge = |part: &mut Vec<G>, more: &[Var]| {
                        let given = [&seen, more].concat();
                        self.merge_within(part, &around, &given, totals, vars);
                    };
                    merge(answers, &[]);
                    merge(action, &met);
                }
                _ => {}
            }
            if goals[at] != before {
                self.put_in_place(&goals[at].clone(), &before);
            }
            if binds(&goals[at]) {
                goals[at].each_var(&mut |v| seen.push(v));
            }
            at += 1;
        }
    }

    pub(super) fn rename_all(&mut self, goals: &mut [G], new: &dyn Fn(Var) -> Var) {
        for goal in goals {
            let before = goal.clone();
            rename(goal, new);
            self.put_in_place(&goal.clone(), &before);
        }
    }

    /// A pattern of `seen` variables that stands inside of a goal, to be looked up before it: where that never
    /// fails, it is taken out of the goal; where it stands behind the goal as well, it is taken from there.
    fn lifted(
        &self,
        goals: &mut Vec<G>,
        at: usize,
        seen: &[Var],
        totals: &[usize],
        vars: &Vars,
    ) -> Option<G> {
        let known = |args: &[Arg]| {
            args.iter()
                .all(|arg| matches!(arg, Arg::Const(_)) || is_var(arg, |v| seen.contains(&v)))
        };
        let parts: Vec<&Vec<G>> = match &goals[at] {
            G::Not(inner) | G::Aggregate(_, _, inner, ..) => vec![inner],
            G::Or(branches) => branches.iter().collect(),
            G::If(condition, then, otherwise) => vec![condition, then, otherwise],
            _ => return None,
        };
        let found = parts.into_iter().enumerate().find_map(|(part, inner)| {
            let place = inner.iter().position(|goal| {
                let Some((_, whole, args)) = self.pattern(goal) else { return false };
                let here: usize = inner.iter().map(|g| occurrences_in(g, whole)).sum();
                known(args) && !seen.contains(&whole) && here == totals[whole]
            })?;
            Some((part, place, inner[place].clone()))
        });
        let (part, place, goal) = found?;
        let (table, _, args) = self.pattern(&goal)?;
        let same = |other: &G| self.pattern(other).is_some_and(|(t, _, a)| t == table && a == args);
        if let Some(behind) = goals[at..].iter().position(same) {
            let between = &goals[at..at + behind];
            // a rule error comes before what fails
            return (!between.iter().any(|goal| self.raises(goal)))
                .then(|| goals.remove(at + behind));
        }
        if !self.always_made(table, args, vars) {
            return None;
        }
        let inner = match &mut goals[at] {
            G::Not(inner) | G::Aggregate(_, _, inner, ..) => inner,
            G::Or(branches) => &mut branches[part],
            G::If(condition, then, otherwise) => match part {
                0 => condition,
                1 => then,
                _ => otherwise,
            },
            _ => return None,
        };
        Some(inner.remove(place))
    }

    /// Looks up the constants that the updates of an `each` are about with its answers, which these constants then tell
    /// apart instead of their arguments.
    fn keys_among_answers(
        &self,
        answers: &mut Vec<G>,
        action: &mut Vec<G>,
        told: &mut Vec<Var>,
        given: &[Var],
        vars: &Vars,
    ) {
        let mut known = given.to_vec();
        answers
            .iter()
            .filter(|goal| binds(goal))
            .for_each(|goal| goal.each_var(&mut |v| known.push(v)));
        let mut at = 0;
        while at < action.len() {
            let Some((table, whole, inner)) = self.pattern(&action[at]) else {
                at += 1;
                continue;
            };
            let inner = inner.to_vec();
            let parts: Vec<Var> = inner.iter().filter_map(var_of).collect();
            let made = !known.contains(&whole)
                && parts.iter().all(|v| known.contains(v))
                && parts.iter().any(|v| told.contains(v))
                && self.always_made(table, &inner, vars);
            if !made {
                at += 1;
                continue;
            }
            answers.push(action.remove(at));
            known.push(whole);
            told.push(whole);
            told.retain(|v| !parts.contains(v) || action.iter().any(|g| occurrences_in(g, *v) > 0));
        }
    }

    /// Whether there is a constant for all values of the arguments of a pattern.
    fn always_made(&self, table: usize, args: &[Arg], vars: &Vars) -> bool {
        let mut product = 1usize;
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let twice = args[..i].contains(arg);
            let range = match arg {
                Arg::Const(code) => Some((*code, *code)),
                Arg::Var(v) if !twice => self.run_of(*v, vars),
                Arg::Var(_) => None,
            };
            let Some((lo, hi)) = range else { return false };
            let Ok(len) = usize::try_from(hi - lo + 1) else { return false };
            product = product.saturating_mul(len);
            ranges.push((lo, hi));
        }
        let rows = self.table_rows(super::tables::TableRef::Functor(table));
        let fits = |row: &[i64]| {
            ranges.iter().zip(&row[1..]).all(|((lo, hi), code)| (lo..=hi).contains(&code))
        };
        rows.iter().filter(|row| fits(row)).count() == product
    }

    /// The codes that a variable may have, where they are one run: integers, or constants of one universe.
    fn run_of(&self, var: Var, vars: &Vars) -> Option<(i64, i64)> {
        if let Some(bounds) = numbers(var, vars) {
            return Some(bounds);
        }
        let domain = &vars.all[var].domain;
        let universe = self.universes.get(vars.universe(var)?);
        let constants = !domain.top && !domain.lists && domain.integers.is_none();
        constants.then(|| (universe.base, universe.base + universe.len as i64 - 1))
    }

    /// Makes the static goals about the arguments of patterns of keys of the state joinable, and returns the variables
    /// that are to be joined away. As a constant determines its arguments, each of these goals gets look-ups of its
    /// own; only what a calculation results in is shared. The patterns themselves are left for other goals and the
    /// head. `around` are those of the conjunctions around this one.
    pub(super) fn part_patterns(
        &mut self,
        goals: &mut Vec<G>,
        counts: &mut Vec<usize>,
        around: &[G],
        vars: &mut Vars,
    ) -> Vec<Var> {
        let Some(parting) = self.parting(goals, counts, around, vars) else { return Vec::new() };
        let Parting { patterns, own, parts, results } = parting;
        let mut made = Made { goals: Vec::new(), fresh: Vec::new() };
        // the results under names of their own, where others use them as well
        let shared: Vec<(Var, Var)> =
            (results.iter()).map(|v| (*v, made.variable(*v, vars))).collect();
        let result = |v: Var| shared.iter().find(|(old, _)| *old == v).map(|(_, new)| *new);
        for at in parts {
            let goal = goals[at].clone();
            // what others result in is looked up like other arguments
            let own =
                |(v, _): &&(Var, Var)| matches!(goal, G::Is(Arg::Var(result), ..) if result == *v);
            let mut names: Vec<(Var, Var)> = shared.iter().filter(own).copied().collect();
            for pattern in &patterns {
                let uses = |v: &Var| {
                    occurrences_in(&goal, *v) > 0 && !names.iter().any(|(old, _)| old == v)
                };
                let new: Vec<Var> = pattern.arguments.iter().copied().filter(uses).collect();
                if new.is_empty() {
                    continue;
                }
                names.extend(new.iter().map(|v| (*v, made.variable(*v, vars))));
                made.look_up(pattern, &names, vars);
            }
            counts.resize(vars.all.len(), 0);
            let new = by_names(&names);
            self.rename_one(&mut goals[at], &new, counts);
        }
        let mut first: Vec<(Var, usize)> = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let results: Vec<(Var, Var)> = (pattern.arguments.iter())
                .filter_map(|v| result(*v).map(|new| (*v, new)))
                .collect();
            if !results.is_empty() {
                made.look_up(pattern, &results, vars);
            }
            for v in pattern.arguments.iter().filter(|v| result(**v).is_none()) {
                // an argument that two patterns share
                match first.iter().find(|(other, _)| other == v).copied() {
                    Some((_, other)) if other < own || number < own => {
                        let equal = [(*v, made.variable(*v, vars))];
                        made.look_up(&patterns[other], &equal, vars);
                        made.look_up(pattern, &equal, vars);
                    }
                    Some(_) => {}
                    None => first.push((*v, number)),
                }
            }
        }
        // an argument that several patterns have is left in the first of them, or in one around these goals
        counts.resize(vars.all.len(), 0);
        let mut given: Vec<Var> =
            patterns[own..].iter().flat_map(|pattern| pattern.arguments.clone()).collect();
        for pattern in &patterns[..own] {
            let mut again: Vec<(Var, Var)> = Vec::new();
            for v in &pattern.arguments {
                match given.contains(v) {
                    true => again.push((*v, vars.fresh(vars.all[*v].domain.clone()))),
                    false => given.push(*v),
                }
            }
            counts.resize(vars.all.len(), 0);
            let other = by_names(&again);
            self.rename_one(&mut goals[pattern.place], &other, counts);
        }
        for (goal, of) in made.goals {
            goal.each_var(&mut |v| counts[v] += 1);
            self.put_in_place(&goal, &of);
            goals.push(goal);
        }
        // a pattern whose arguments no other goal uses is said by its copies
        let unused: Vec<usize> = (patterns[..own].iter())
            .filter(|pattern| pattern.arguments.iter().all(|v| counts[*v] == 1))
            .filter(|pattern| goals.iter().any(|goal| self.is_copy(goal, pattern)))
            .map(|pattern| pattern.place)
            .collect();
        for place in unused.into_iter().rev() {
            goals.remove(place).each_var(&mut |v| counts[v] -= 1);
        }
        made.fresh
    }

    fn is_copy(&self, goal: &G, pattern: &Pattern) -> bool {
        *goal != pattern.goal
            && self
                .pattern(goal)
                .is_some_and(|(table, whole, _)| (table, whole) == (pattern.table, pattern.whole))
    }

    /// The patterns of keys whose arguments static goals of a conjunction are about; `None` where these are joined as
    /// they are.
    fn parting(&self, goals: &[G], counts: &[usize], around: &[G], vars: &Vars) -> Option<Parting> {
        let is_part = |goal: &G| self.is_static(goal) && self.pattern(goal).is_none();
        let calculates = |goal: &G| matches!(goal, G::Is(..) | G::Compare(..) | G::In(..));
        let calculations = || goals.iter().filter(|goal| is_part(goal) && calculates(goal));
        let calculated = |v: Var| calculations().any(|goal| occurrences_in(goal, v) > 0);
        let mut patterns = Vec::new();
        for (place, goal) in goals.iter().chain(around).enumerate() {
            let Some((table, whole, inner)) = self.pattern(goal) else { continue };
            let arguments: Vec<Var> = inner.iter().filter_map(var_of).collect();
            let twice = (0..arguments.len()).any(|i| arguments[..i].contains(&arguments[i]));
            // a constant that no goal asks for is looked up last, where goals ask for its arguments
            let asked = |v: Var| {
                let of_state = |goal: &&G| !self.is_static(goal);
                goals.iter().filter(of_state).any(|goal| occurrences_in(goal, v) > 0)
            };
            let last = place < goals.len() && !asked(whole) && arguments.iter().any(|v| asked(*v));
            // other constants, such as pieces, lead to others by values that are few
            if !twice
                && !last
                && (self.is_key(whole, vars) || arguments.iter().any(|v| calculated(*v)))
            {
                patterns.push(Pattern { place, table, whole, arguments, goal: goal.clone() });
            }
        }
        let own = patterns.iter().filter(|pattern| pattern.place < goals.len()).count();
        let mut all = patterns.iter().flat_map(|pattern| &pattern.arguments);
        let parts: Vec<usize> = (0..goals.len())
            .filter(|i| is_part(&goals[*i]))
            .filter(|i| all.clone().any(|v| occurrences_in(&goals[*i], *v) > 0))
            .collect();
        let inside = |v: Var| -> usize {
            let own = |goal: &&G| is_part(goal) || self.pattern(goal).is_some();
            goals.iter().filter(own).map(|goal| occurrences_in(goal, v)).sum()
        };
        let used = |v: Var| parts.iter().any(|i| occurrences_in(&goals[*i], v) > 0);
        let apart = |v: &Var| used(*v) && (calculated(*v) || counts[*v] > inside(*v));
        // another site of the same column or row as one around these goals
        let met = |v: &Var| patterns[own..].iter().any(|pattern| pattern.arguments.contains(v));
        let mate = |pattern: &Pattern| {
            pattern.arguments.iter().any(met)
                && pattern.arguments.iter().any(|v| !met(v))
                && pattern.arguments.iter().all(|v| met(v) || counts[*v] == 1)
        };
        if !all.any(apart) && !patterns[..own].iter().any(mate) {
            return None;
        }
        let mut results: Vec<Var> = Vec::new();
        for goal in goals {
            if let G::Is(Arg::Var(v), ..) = goal
                && is_part(goal)
                && patterns.iter().any(|pattern| pattern.arguments.contains(v))
                && !results.contains(v)
            {
                results.push(*v);
            }
        }
        Some(Parting { patterns, own, parts, results })
    }

    /// Whether the values of a variable are keys of the state.
    pub(super) fn is_key(&self, var: Var, vars: &Vars) -> bool {
        let universe = vars.universe(var);
        let mut keys = self.layout.places.iter().flat_map(|place| &place.keys);
        universe.is_some() && keys.any(|axis| axis.universe == universe)
    }

    pub(super) fn rename_one(
        &mut self,
        goal: &mut G,
        new: &dyn Fn(Var) -> Var,
        counts: &mut [usize],
    ) {
        let before = goal.clone();
        goal.each_var(&mut |v| counts[v] -= 1);
        rename(goal, new);
        goal.each_var(&mut |v| counts[v] += 1);
        self.put_in_place(&goal.clone(), &before);
    }

    /// Whether a goal does not depend on the state, so that it may be a table.
    pub(super) fn is_static(&self, goal: &G) -> bool {
        match goal {
            G::Static(..) | G::Functor(..) => true,
            G::Is(..) | G::Compare(..) | G::In(..) => stateless(goal) && !self.raises(goal),
            G::Member(Arg::Var(_), Arg::Const(_)) => true,
            _ => false,
        }
    }
}

/// The bounds of a variable that has integer values only.
pub(super) fn numbers(var: Var, vars: &Vars) -> Option<(i64, i64)> {
    let domain = &vars.all[var].domain;
    domain.integers.filter(|_| !domain.top && !domain.lists && domain.universes.is_empty())
}

fn is_var(arg: &Arg, holds: impl Fn(Var) -> bool) -> bool {
    matches!(arg, Arg::Var(v) if holds(*v))
}

fn var_of(arg: &Arg) -> Option<Var> {
    match arg {
        Arg::Var(v) => Some(*v),
        Arg::Const(_) => None,
    }
}

pub(super) fn variables(goals: &[G]) -> Vec<Var> {
    let mut met = Vec::new();
    goals.iter().for_each(|goal| goal.each_var(&mut |v| met.push(v)));
    met
}

/// Whether all variables of a goal have values after it.
fn binds(goal: &G) -> bool {
    match goal {
        G::Static(..)
        | G::Functor(..)
        | G::Read(..)
        | G::Call(..)
        | G::Is(..)
        | G::In(..)
        | G::Compare(..)
        | G::Member(..)
        | G::Length(..)
        | G::List(..)
        | G::LegalMove(_)
        | G::Legal(_) => true,
        G::Once(inner) => inner.iter().all(binds),
        _ => false,
    }
}
