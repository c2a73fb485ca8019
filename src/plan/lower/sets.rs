//! Goals evaluated on whole sets.
//!
//! A goal is *simple* for a variable when, all its other variables being bound, the values of the
//! variable are a plane of the state or a row of a table. Other goals are gathered: their
//! instructions are run with the variable as target, and the sets that they emit are united.

use crate::program::FluentId;

use super::super::domains::Abstract;
use super::super::ops::{Op, Operand, Set};
use super::super::universe::UniverseId;
use super::super::written::WrittenId;
use super::conjuncts::take;
use super::generators::SHIFTED;
use super::goals::{Arg, G, Var, Vars};
use super::links::Links;
use super::order::{BlockState, Want};
use super::tables::TableRef;
use super::{Builder, Lowering};

/// A positive goal of more than one part is gathered where the alternative is to test more
/// elements than this.
pub(super) const TEST_UP_TO: f64 = 6.0;

/// The depth to which sets are gathered inside the gathering of others; beyond it the values are
/// found one by one. Each level repeats the choice of the order for all remaining goals, so a
/// clause with some hundred of them would take minutes.
pub(super) const NESTING: usize = 8;

impl Lowering<'_> {
    /// The universe that contains all values of a domain. That of the integers contains the keys of
    /// the state only.
    pub(super) fn universe_of(&self, domain: &Abstract) -> Option<UniverseId> {
        let universe = domain.universe()?;
        self.holds(universe, self.universes.get(universe).len, domain).then_some(universe)
    }

    /// The universe whose sets have room for all values of a domain; integers may exceed its last
    /// element.
    pub(super) fn settable_of(&self, domain: &Abstract) -> Option<UniverseId> {
        let universe = domain.universe()?;
        let fits = self.universes.get(universe).settable
            && self.holds(universe, self.universes.words * 64, domain);
        fits.then_some(universe)
    }

    fn holds(&self, universe: UniverseId, len: usize, domain: &Abstract) -> bool {
        let base = self.universes.get(universe).base;
        domain.integers.is_none_or(|(lo, hi)| base <= lo && hi < base + len as i64)
    }

    /// The settable universe of an unbound variable.
    pub(super) fn settable(&self, var: Var, vars: &Vars) -> Option<UniverseId> {
        self.settable_of(&vars.all[var].domain)
    }

    /// Whether an argument is a variable that occurs nowhere else in the clause.
    pub(super) fn wildcard(&self, arg: Arg, context: &BlockState) -> bool {
        matches!(arg, Arg::Var(v) if context.bound[v].is_none() && context.totals[v] <= 1)
    }

    /// How many elements a constant set has.
    pub(super) fn mask_size(&self, mask: u32) -> f64 {
        let words = self.universes.words;
        let mask = &self.made.masks[mask as usize * words..][..words];
        mask.iter().map(|word| f64::from(word.count_ones())).sum()
    }

    /// About how many values of a variable a goal allows, where it can give them as a set.
    pub(super) fn set_size(
        &mut self,
        goal: &G,
        var: Var,
        context: &BlockState,
        vars: &Vars,
    ) -> Option<f64> {
        let universe = self.settable(var, vars)?;
        let len = self.universes.get(universe).len as f64;
        match self.simple(goal, var, context, vars)? {
            Set::Row { rows, .. } => Some(self.made.rows[rows as usize].average),
            Set::Mask(mask) => Some(self.mask_size(mask)),
            Set::Reg(_) => Some(len / 8.0),
            Set::PlaneOf { fluent, .. } => {
                let values = self.layout.place(fluent).value.as_ref().map_or(1, |v| v.len);
                Some(len / (values + 1) as f64)
            }
            Set::Slice { fluent, value: Some(_), .. } => {
                Some(len / self.layout.place(fluent).slice_planes() as f64)
            }
            Set::Plane(_) | Set::Slice { .. } => Some(len / 3.0),
        }
    }

    /// The set of a variable's values by one goal.
    pub(super) fn simple(
        &mut self,
        goal: &G,
        var: Var,
        context: &BlockState,
        vars: &Vars,
    ) -> Option<Set> {
        let universe = self.settable(var, vars)?;
        match goal {
            G::Static(id, args) => {
                self.simple_table(TableRef::Relation(*id), args, var, universe, context)
            }
            G::Functor(at, args) => {
                self.simple_table(TableRef::Functor(*at), args, var, universe, context)
            }
            G::Member(x, list) => {
                let list_known = context.is_bound(*list);
                let known = match list {
                    Arg::Var(v) => !vars.all[*v].domain.lists && !vars.all[*v].domain.top,
                    Arg::Const(_) => true,
                };
                if *x != Arg::Var(var) || !list_known || !known {
                    return None;
                }
                self.simple_table(TableRef::Members, &[*x, *list], var, universe, context)
            }
            G::Read(fluent, keys, value) if keys.len() > 1 => self
                .slice(*fluent, keys, *value, var, context)
                .filter(|(of, _)| *of == universe)
                .map(|(_, set)| set),
            G::Read(fluent, keys, value) => {
                if keys.as_slice() != [Arg::Var(var)] || *value == Some(Arg::Var(var)) {
                    return None;
                }
                let place = self.layout.place(*fluent);
                let planes = place.planes?;
                if place.keys[0].universe != Some(universe) {
                    return None;
                }
                match value {
                    None => Some(Set::Plane(planes.defined)),
                    Some(value) => match context.operand(*value) {
                        Some(Operand::Const(code)) => {
                            let words = self.layout.words as u32;
                            match place.value.as_ref().and_then(|axis| axis.index(code)) {
                                Some(index) => {
                                    Some(Set::Plane(planes.first + index as u32 * words))
                                }
                                None => {
                                    let none = self.mask(universe, std::iter::empty());
                                    Some(Set::Mask(none))
                                }
                            }
                        }
                        Some(value) => Some(Set::PlaneOf { fluent: *fluent, value }),
                        None if self.wildcard(*value, context) => Some(Set::Plane(planes.defined)),
                        None => None,
                    },
                }
            }
            G::Call(id, args) if *id == super::procedures::FLOOD => {
                (args.as_slice() == [Arg::Var(var)]).then_some(Set::Reg(0))
            }
            _ => None,
        }
    }

    /// The slice of a map or set of several keys, of which only this one has no value yet, and its
    /// universe.
    pub(super) fn slice(
        &self,
        fluent: FluentId,
        keys: &[Arg],
        value: Option<Arg>,
        var: Var,
        context: &BlockState,
    ) -> Option<(UniverseId, Set)> {
        let all = &self.layout.place(fluent).slices;
        let number = all.iter().position(|slices| keys[slices.key] == Arg::Var(var))?;
        let slices = &all[number];
        if value == Some(Arg::Var(var)) {
            return None;
        }
        let others = keys.iter().enumerate().filter(|(i, _)| *i != slices.key);
        let others: Option<Box<[Operand]>> = others.map(|(_, key)| context.operand(*key)).collect();
        let value = match value {
            Some(value) if self.wildcard(value, context) => None,
            Some(value) => Some(context.operand(value)?),
            None => None,
        };
        Some((slices.universe, Set::Slice { fluent, slices: number, others: others?, value }))
    }

    fn simple_table(
        &mut self,
        table: TableRef,
        args: &[Arg],
        var: Var,
        universe: UniverseId,
        context: &BlockState,
    ) -> Option<Set> {
        let target = args.iter().position(|a| *a == Arg::Var(var))?;
        if args.iter().filter(|a| **a == Arg::Var(var)).count() > 1 {
            return None;
        }
        let mut columns = Vec::new();
        let mut keys = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            if i == target || self.wildcard(*arg, context) {
                continue;
            }
            columns.push(i);
            keys.push(context.operand(*arg)?);
        }
        let constants: Option<Vec<i64>> = keys
            .iter()
            .map(|k| match k {
                Operand::Const(code) => Some(*code),
                Operand::Reg(_) => None,
            })
            .collect();
        if let Some(constants) = constants {
            let fixed: Vec<(usize, i64)> = columns.into_iter().zip(constants).collect();
            let codes = self.codes_with(table, &fixed, target);
            let mask = self.mask(universe, codes.into_iter());
            return Some(Set::Mask(mask));
        }
        let rows = self.bit_rows(table, &columns, target, universe)?;
        Some(Set::Row { rows, keys: keys.into_boxed_slice() })
    }

    /// A single set operation instead of a block, where that is all that a test is.
    pub(super) fn simple_exists(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        negate: bool,
    ) -> Option<Op> {
        // forall(member(C, L), at(C, P)): no element of the first is outside the second
        if let [first, G::Not(inner)] = goals
            && let [second] = inner.as_slice()
            && let Some(var) = only_open(first, context)
            && let Some(part) = self.simple(first, var, context, vars)
            && let Some(whole) = self.simple(second, var, context, vars)
        {
            // "some element is outside" is the negation of "all are inside"
            return Some(Op::Subset { part, whole, negate: !negate });
        }
        None
    }

    /// The goals of which none may hold where `\+ (first, \+ (test, test))` is to hold: each test apart,
    /// where it is a set of the same values as the first goal.
    pub(super) fn tests_apart(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
    ) -> Option<Vec<Vec<G>>> {
        let [first, G::Not(tests)] = goals else { return None };
        let var = only_open(first, context)?;
        self.simple(first, var, context, vars)?;
        if tests.len() < 2 {
            return None;
        }
        let mut all = Vec::new();
        for test in tests {
            let denied = match test {
                G::Not(inner) if self.simple_negation(test, var, context, vars).is_some() => {
                    inner[0].clone()
                }
                _ => {
                    self.simple(test, var, context, vars)?;
                    G::Not(vec![test.clone()])
                }
            };
            all.push(vec![first.clone(), denied]);
        }
        Some(all)
    }

    /// Folds every goal into one set of the target; `None` (and nothing emitted) where one of them
    /// cannot be folded.
    pub(super) fn fold_all(
        &mut self,
        goals: &[G],
        target: Var,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        let (saved, blocks) = (context.clone(), self.ops.blocks.len());
        let mut rest = goals.to_vec();
        let mut written = out.clone();
        let want =
            Want { needed: Vec::new(), target: Some(target), sensitive: false, ..Want::default() };
        let set = self.fold_some(&mut rest, target, context, vars, &want, &mut written);
        if let Some((set, _)) = set
            && rest.is_empty()
        {
            *out = written;
            return Some(set);
        }
        *context = saved;
        context.bound.resize(vars.all.len(), None);
        self.ops.blocks.truncate(blocks);
        None
    }

    /// The set of a variable from all goals that can give or narrow it, which are removed from
    /// `goals`, and the place of the goal that the set begins with. `None` where no goal gives the
    /// set.
    pub(super) fn fold_some(
        &mut self,
        goals: &mut Vec<G>,
        var: Var,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Option<(Set, WrittenId)> {
        // a rule error behind a test is none where the test fails
        if goals.iter().skip(1).any(|goal| self.raises(goal)) {
            return None;
        }
        let universe = self.settable(var, vars)?;
        let mut positive: Vec<(f64, Set, WrittenId)> = Vec::new();
        let mut negative: Vec<(Set, WrittenId)> = Vec::new();
        let mut without: Vec<(Operand, WrittenId)> = Vec::new();
        // the goal that leaves the fewest values and says nothing of any other variable
        let mut within: Option<(f64, G)> = None;
        let mut i = 0;
        while i < goals.len() {
            let place = self.place_of(&goals[i]);
            if let Some(set) = self.simple(&goals[i], var, context, vars) {
                let size = self.set_size(&goals[i], var, context, vars).unwrap_or(0.0);
                let fewer = within.as_ref().is_none_or(|(least, _)| size < *least);
                if fewer && only_open(&goals[i], context) == Some(var) {
                    within = Some((size, goals[i].clone()));
                }
                positive.push((size, set, place));
            } else if let Some(set) = self.simple_negation(&goals[i], var, context, vars) {
                negative.push((set, place));
            } else if let Some(x) = excluded(&goals[i], var, context) {
                without.push((x, place));
            } else {
                i += 1;
                continue;
            }
            goals.remove(i);
        }
        let least = positive.iter().map(|(size, ..)| *size).fold(f64::INFINITY, f64::min);
        // where nothing else is asked, one of the values is enough
        let asked = want.needed.is_empty() && want.target.is_none() && !want.sensitive;
        // so small sets cost no more as a whole; but one element of what a call gives has been found soon
        let called = goals.iter().any(|goal| calls(goal) && mentions(goal, var));
        let shifted = !asked || self.universes.words <= SHIFTED && !called;
        let mut gathered: Vec<(Vec<G>, bool)> = Vec::new();
        let mut i = 0;
        let mut links = Links::new(goals, context, want);
        // The other goals of a component that was refused would give the same component again. A
        // negation is examined on its own.
        let mut refused = vec![false; goals.len()];
        while i < goals.len() {
            if refused[i] {
                i += 1;
                continue;
            }
            let places = match &goals[i] {
                G::Not(_) => vec![i],
                _ => links.component_for(i, Some(var)),
            };
            let has = places.iter().any(|p| mentions(&goals[*p], var));
            // testing one element of a recursion or a flood costs as much as all of it
            let costly = places.iter().any(|p| self.is_costly(&goals[*p], context));
            let about = has
                && match costly {
                    true => self.only_unbound(goals, &places, var, context, want, vars),
                    false => {
                        let alone =
                            |p: &usize| self.only_unbound(goals, &[*p], var, context, want, vars);
                        places.iter().all(alone)
                            || shifted
                                && self.only_unbound(goals, &places, var, context, want, vars)
                                && self.leads_from_set(goals, &places, var, context, vars)
                    }
                };
            let whole =
                places.len() == goals.len() && positive.is_empty() && want.target == Some(var);
            let negated = matches!(goals[i], G::Not(_));
            // a procedure's set is expensive: it is better to test the elements of a plane one by
            // one
            let calls = places.iter().any(|p| calls(&goals[*p]));
            let size = self.universes.get(universe).len as f64;
            let goal = match &goals[i] {
                G::Not(inner) if inner.len() == 1 => &inner[0],
                goal => goal,
            };
            let flood = match (goal, places.as_slice()) {
                (G::Call(id, args), [_]) => {
                    let target = self.flood_target(*id, args, context);
                    target.is_some_and(|target| args[target] == Arg::Var(var))
                        || self.leads_to_flood(*id, args, var, context)
                }
                _ => false,
            };
            let least_worth = match (flood || costly, calls) {
                (true, _) => 1.0,
                (false, true) => size * 0.4,
                (false, false) => TEST_UP_TO,
            };
            // a set that is the same in every round of the surrounding loops is made before them
            let once = negated && fixed(&goals[i], var, context) && loops(out) > 0;
            let worth_alone = about && least > least_worth;
            let spares = has
                && !whole
                && !negated
                && !worth_alone
                && self.only_unbound(goals, &places, var, context, want, vars)
                && self.spares_floods((goals.as_slice(), &places), (var, least), context, vars);
            let about = about || spares;
            let worth = (least > least_worth || once || spares)
                && !(negated
                    && positive.is_empty()
                    && gathered.iter().all(|(_, negated)| *negated))
                && context.nesting < NESTING;
            let apart = places.len() == 1 && closed(&goals[i]);
            // a goal that keeps a first answer does so for each value of the variable
            let commits = places.iter().any(|p| match &goals[*p] {
                G::Not(inner) => {
                    inner.iter().any(|g| self.supposes(g) || self.chooses(g, &|v| v == var))
                }
                goal => self.commits(goal),
            });
            let endless = places.iter().any(|p| self.endless(&goals[*p], context, vars));
            // what an element says of others, beside itself, is read for one element after the other
            let told = places.iter().any(|p| {
                let value = self.one_of_many(&goals[*p], var, context);
                value.is_some_and(|value| {
                    let mut others = places.iter().filter(|other| *other != p);
                    others.any(|p| mentions(&goals[*p], var) && mentions(&goals[*p], value))
                })
            });
            if commits || endless || !about || (whole && !apart) || !worth || told {
                for place in places {
                    refused[place] |= !matches!(goals[place], G::Not(_));
                }
                i += 1;
                continue;
            }
            let taken = take(goals, &places);
            gathered.push((taken, negated));
            links = Links::new(goals, context, want);
            refused = vec![false; goals.len()];
            i = 0;
        }
        let mut sets: Vec<(Set, bool, WrittenId)> = Vec::new();
        let alone = asked && goals.is_empty() && gathered.len() == 1 && !positive.is_empty();
        for (part, negated) in gathered {
            let mut body = match (&part[0], negated) {
                (G::Not(inner), true) => inner.clone(),
                _ => part.clone(),
            };
            // what says of the element only what it is not may hold outside of the universe
            let says = |g: &G| mentions(g, var) && !matches!(g, G::Not(_));
            if negated
                && !body.iter().any(says)
                && let Some((_, goal)) = &within
            {
                body.push(goal.clone());
            }
            let apart = negated && body.iter().all(|goal| fixed(goal, var, context));
            let around = if apart { loops(out) } else { 0 };
            // of what another set leaves, few values may be left to test
            let narrowed = positive.is_empty() && !negated && sets.iter().any(|(_, n, _)| !n);
            if narrowed && self.tests_suffice(&part, var, out, context, vars) {
                goals.extend(part);
                continue;
            }
            let place = self.place_of(&part[0]);
            let (before, without_set) = (self.before(), out.clone());
            let gathered = self.writing(place, out, |lowering, out| {
                if negated && !body.iter().any(says) {
                    return None;
                }
                lowering.gather(body, var, universe, context, vars, out)
            });
            match gathered {
                Some(_) if alone && !negated && self.goes_through(out) => {
                    self.take_back(&before);
                    *out = without_set;
                    goals.extend(part);
                }
                Some(set) => {
                    out.move_last_before(around);
                    sets.push((set, negated, place));
                }
                None => goals.extend(part),
            }
        }
        positive.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut parts = positive.into_iter().map(|(_, s, at)| (s, at)).collect::<Vec<_>>();
        parts.extend(sets.iter().filter(|(_, n, _)| !n).map(|(s, _, at)| (s.clone(), *at)));
        negative.extend(sets.into_iter().filter(|(_, n, _)| *n).map(|(s, _, at)| (s, at)));
        if parts.is_empty() {
            return None;
        }
        let (first, place) = parts.remove(0);
        if parts.is_empty() && negative.is_empty() && without.is_empty() {
            return Some((first, place));
        }
        let dst = match first {
            Set::Reg(reg) if reg > 0 => reg,
            other => {
                let dst = context.set();
                out.push_for(place, Op::Load { dst, set: other });
                dst
            }
        };
        parts.into_iter().for_each(|(set, at)| out.push_for(at, Op::And { dst, set }));
        negative.into_iter().for_each(|(set, at)| out.push_for(at, Op::AndNot { dst, set }));
        let base = self.universes.get(universe).base;
        without.into_iter().for_each(|(x, at)| out.push_for(at, Op::Remove { dst, base, x }));
        Some((Set::Reg(dst), place))
    }

    /// Whether the goals at these places are the image of a set, or the image of one: a table leads from the values of one other
    /// variable, and the other goals give or leave out sets of these, or lead to them in the same way.
    fn leads_from_set(
        &mut self,
        goals: &[G],
        places: &[usize],
        var: Var,
        context: &BlockState,
        vars: &Vars,
    ) -> bool {
        let mut rest: Vec<&G> = places.iter().map(|p| &goals[*p]).collect();
        let mut to = var;
        loop {
            let (leading, others): (Vec<&G>, Vec<&G>) =
                rest.into_iter().partition(|goal| mentions(goal, to));
            let mut open = Vec::new();
            for goal in leading {
                let set = to != var
                    && (self.simple(goal, to, context, vars).is_some()
                        || self.simple_negation(goal, to, context, vars).is_some());
                if set {
                    continue;
                }
                if goal.table().is_none() {
                    return false;
                }
                goal.each_var(&mut |v| {
                    if v != to && context.bound[v].is_none() && !open.contains(&v) {
                        open.push(v);
                    }
                });
            }
            match *open.as_slice() {
                [] => return to != var && others.is_empty(),
                [from] => (to, rest) = (from, others),
                _ => return false,
            }
        }
    }

    pub(super) fn simple_negation(
        &mut self,
        goal: &G,
        var: Var,
        context: &BlockState,
        vars: &Vars,
    ) -> Option<Set> {
        match goal {
            G::Not(inner) => match inner.as_slice() {
                [only] => self.simple(only, var, context, vars),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether the values of a variable that a goal gives depend on the state only.
fn fixed(goal: &G, var: Var, context: &BlockState) -> bool {
    let mut fixed = true;
    goal.each_var(&mut |v| {
        fixed &= v == var || !matches!(context.bound[v], Some(Operand::Reg(_)));
    });
    fixed
}

/// The number of nested loops at the end of a block.
fn loops(out: &Builder) -> usize {
    out.ops.iter().rev().take_while(|op| matches!(op, Op::Each { .. })).count()
}

/// `X \= Y` with Y bound.
fn excluded(goal: &G, var: Var, context: &BlockState) -> Option<Operand> {
    match goal {
        G::Not(inner) => match inner.as_slice() {
            [G::Same(a, b)] if *a == Arg::Var(var) => context.operand(*b),
            [G::Same(a, b)] if *b == Arg::Var(var) => context.operand(*a),
            _ => None,
        },
        _ => None,
    }
}

/// The open variable of a goal that has no other.
pub(super) fn only_open(goal: &G, context: &BlockState) -> Option<Var> {
    let mut open = Vec::new();
    goal.each_var(&mut |v| {
        if context.bound[v].is_none() && !open.contains(&v) {
            open.push(v);
        }
    });
    match open.as_slice() {
        [var] => Some(*var),
        _ => None,
    }
}

pub(super) fn mentions(goal: &G, var: Var) -> bool {
    let mut found = false;
    goal.each_var(&mut |v| found |= v == var);
    found
}

/// Whether the instructions of a goal call a procedure.
pub(super) fn calls(goal: &G) -> bool {
    match goal {
        G::Call(..) => true,
        G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => inner.iter().any(calls),
        G::Or(branches) => branches.iter().flatten().any(calls),
        G::If(c, t, e) => c.iter().chain(t).chain(e).any(calls),
        _ => false,
    }
}

/// Whether a goal can be gathered even if it is the only one: it is split inside.
pub(super) fn closed(goal: &G) -> bool {
    matches!(goal, G::Or(_) | G::Call(..))
}
