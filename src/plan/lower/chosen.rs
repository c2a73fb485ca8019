//! Calls of actions whose clauses exclude each other, as conditionals: where
//! `reward(C) :- full(C), taking := 2.` and `reward(C) :- \+ full(C).` are the clauses, the call is
//! `( full(C) -> taking := 2 ; true )`.
//!
//! At most one clause can be chosen by the goals before its first update, so none is tried after another one, and what
//! is updated behind the choice leads to no other answer. Goals with which all clauses begin are asked once, in front of the
//! choice.

use rustc_hash::FxHashMap;

use crate::program::{ClauseId, Kind, RelationId};

use super::super::ops::Argument;
use super::conditions::Conditions;
use super::emit::occurrences_in;
use super::forms::{form, form_of_other, rename};
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::procedures::{FLOOD, var};
use super::{Lowering, occurrences};

/// The most clauses that a call chooses among.
const MOST_CLAUSES: usize = 4;

/// A clause: the goals before its first update, and the others.
struct Parted {
    id: ClauseId,
    tests: Vec<G>,
    rest: Vec<G>,
}

impl Parted {
    /// Whether no variable that only the tests bind is used behind them, so that their first answer stands for all.
    fn is_test(&self, outer: usize, shared: &[Var]) -> bool {
        let mut named: Vec<Var> = Vec::new();
        self.tests.iter().for_each(|goal| goal.each_var(&mut |v| named.push(v)));
        named.retain(|v| *v >= outer && !shared.contains(v));
        !named.iter().any(|v| self.rest.iter().any(|goal| occurrences_in(goal, *v) > 0))
    }
}

impl Lowering<'_> {
    /// A call of an action whose arguments are known, as goals of which the last is a choice among its clauses; `None` where
    /// they are not known to exclude each other, or where a goal in front of the updates may be a rule error, which all clauses
    /// would find.
    pub(super) fn chosen(
        &mut self,
        id: RelationId,
        args: &[Arg],
        ordered: bool,
        context: &mut BlockState,
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        if id == FLOOD {
            return None;
        }
        let relation = self.program.relation(id);
        let action = relation.kind == Kind::Action && !relation.recursive && !relation.supposes;
        if !action || !args.iter().all(|arg| context.is_bound(*arg)) {
            return None;
        }
        let excluding = self.excluding(id);
        // of others, one of two contraries may be chosen for each answer of what they begin with
        if !excluding && (ordered || self.alive_clauses(id).len() != 2) {
            return None;
        }
        let (outer, mut all) = (vars.all.len(), vars.clone());
        let bodies = self.bodies_of(id, args, &mut all)?;
        let clauses = self.alive_clauses(id).into_iter().zip(bodies).map(|(id, mut tests)| {
            let split = tests.iter().position(|goal| self.acts(goal)).unwrap_or(tests.len());
            let rest = tests.split_off(split);
            Parted { id, tests, rest }
        });
        let mut clauses: Vec<Parted> = clauses.collect();
        let mut goals = shared(&mut clauses, outer);
        let mut known: Vec<Var> = args.iter().copied().filter_map(var).collect();
        goals.iter().for_each(|goal| goal.each_var(&mut |v| known.push(v)));
        let raises = |clause: &Parted| clause.tests.iter().any(|goal| self.raises(goal));
        if !excluding {
            let quiet = !goals.iter().any(|goal| self.raises(goal)) && !clauses.iter().any(raises);
            if !quiet || !make_contrary(&mut clauses, outer, &known) {
                return None;
            }
        }
        // what is chosen last may be found in several ways
        let (mut clauses, last): (Vec<Parted>, Vec<Parted>) =
            clauses.into_iter().partition(|clause| clause.is_test(outer, &known));
        if last.len() > 1 {
            return None;
        }
        // where one clause denies the other, its tests hold if those of the other do not
        if let [one, other] = clauses.as_mut_slice() {
            if self.denies(other.id, one.id) {
                other.tests.clear();
            } else if self.denies(one.id, other.id) {
                one.tests.clear();
                std::mem::swap(one, other);
            }
        }
        clauses.extend(last);
        for clause in &mut clauses {
            self.prepare(clause, &known, &mut all);
        }
        let Parted { mut tests, rest, .. } = clauses.pop()?;
        let mut wanted: Vec<Var> = Vec::new();
        rest.iter().for_each(|goal| goal.each_var(&mut |v| wanted.push(v)));
        wanted.retain(|v| *v >= outer && !known.contains(v));
        wanted.retain(|v| tests.iter().any(|goal| occurrences_in(goal, *v) > 0));
        wanted.sort_unstable();
        wanted.dedup();
        let open = !wanted.is_empty() && !tests.iter().any(|goal| matches!(goal, G::Once(_)));
        if open && self.has_one_of_few((&tests, &rest), (&wanted, &known), &all) {
            tests = vec![G::Once(tests)];
        }
        tests.extend(rest);
        let mut choice = tests;
        for Parted { tests, rest, .. } in clauses.into_iter().rev() {
            choice = vec![G::If(tests, rest, choice)];
        }
        goals.push(choice.pop()?);
        let inside = occurrences(&goals, &all);
        let from = context.totals.len();
        context.totals.extend_from_slice(inside.get(from..).unwrap_or_default());
        context.bound.resize(all.all.len(), None);
        *vars = all;
        Some(goals)
    }

    /// Goals in the forms in which they are lowered best. `given` has the variables that occur elsewhere too, and `bound` those
    /// of them that are known before.
    pub(super) fn prepare_tests(
        &mut self,
        goals: &mut Vec<G>,
        given: &[Var],
        bound: &[Var],
        vars: &mut Vars,
    ) {
        self.begin_only(goals, given, vars);
        self.make_plainer(goals, given, vars);
        self.unroll(goals, given, vars);
        self.count_all(goals, given, vars);
        self.tabulate_lists(goals, given, vars);
        self.merge_patterns(goals, given, bound, vars);
        self.ask_of_wholes(goals, given, vars);
        self.ask_needed(goals, given, vars);
    }

    /// Makes the tests of a clause ready for lowering, as those of a clause that is compiled by itself.
    fn prepare(&mut self, clause: &mut Parted, known: &[Var], vars: &mut Vars) {
        let mut given = known.to_vec();
        clause.rest.iter().for_each(|goal| goal.each_var(&mut |v| given.push(v)));
        self.prepare_tests(&mut clause.tests, &given, known, vars);
        let mut counts = occurrences(&clause.tests, vars);
        given.iter().for_each(|v| counts[*v] += 1);
        self.join_statics(&mut clause.tests, &mut counts, known, vars);
    }

    /// Whether at most one of the few clauses of an action can hold where its arguments are known, and no goal in front of
    /// its updates may be a rule error.
    fn excluding(&mut self, id: RelationId) -> bool {
        if let Some(known) = self.calls.excluding.get(&id) {
            return *known;
        }
        let clauses = self.alive_clauses(id);
        let exclude = (2..=MOST_CLAUSES).contains(&clauses.len()) && {
            let arguments = vec![Argument::Input; self.program.relation(id).arity];
            let facts: Vec<Conditions> =
                clauses.iter().map(|clause| self.facts_of(*clause, &arguments).0).collect();
            !self.any_raises(&facts) && self.all_exclusive(&facts, |_| true)
        };
        self.calls.excluding.insert(id, exclude);
        exclude
    }
}

/// The goals with which all clauses begin, taken from them: variables that the clauses have for themselves are those of the first
/// one then.
fn shared(clauses: &mut [Parted], outer: usize) -> Vec<G> {
    let Some((first, others)) = clauses.split_first_mut() else { return Vec::new() };
    let mut names: Vec<FxHashMap<Var, Var>> = vec![FxHashMap::default(); others.len()];
    let mut count = 0;
    while let Some(goal) = first.tests.get(count) {
        let alike = others.iter().zip(&names).map(|(other, names)| {
            let names = names.clone();
            other.tests.get(count).and_then(|other| matched(goal, other, outer, names))
        });
        let Some(all) = alike.collect::<Option<Vec<_>>>() else { break };
        names = all;
        count += 1;
    }
    for (other, names) in others.iter_mut().zip(&names) {
        other.tests.drain(..count);
        let new = |v: Var| names.get(&v).copied().unwrap_or(v);
        other.tests.iter_mut().chain(&mut other.rest).for_each(|goal| rename(goal, &new));
    }
    first.tests.drain(..count).collect()
}

/// Whether one of two clauses begins with the denial of the tests with which the other one begins; further tests of it are put
/// behind the choice then. `known` are the variables that both have.
fn make_contrary(clauses: &mut [Parted], outer: usize, known: &[Var]) -> bool {
    let [one, other] = clauses else { return false };
    let denying = |clause: &Parted| matches!(clause.tests.first(), Some(G::Not(_)));
    let (denying, asking) = if denying(one) { (one, other) } else { (other, one) };
    let Some(G::Not(denied)) = denying.tests.first() else { return false };
    let mut names: FxHashMap<Var, Var> = known.iter().map(|v| (*v, *v)).collect();
    if denied.is_empty() || denied.len() > asking.tests.len() {
        return false;
    }
    for (test, denied) in asking.tests.iter().zip(denied) {
        match matched(test, denied, outer, std::mem::take(&mut names)) {
            Some(all) => names = all,
            None => return false,
        }
    }
    let further = denying.tests.split_off(1);
    denying.rest.splice(0..0, further);
    true
}

/// The variables from `outer` on of one goal by those of another one that asks the same; `None` where they ask something else.
fn matched(
    one: &G,
    other: &G,
    outer: usize,
    mut names: FxHashMap<Var, Var>,
) -> Option<FxHashMap<Var, Var>> {
    let (alike, args) = form(one)?;
    let others = form_of_other(other, &alike)?;
    for (one, other) in args.into_iter().zip(others) {
        match (one, other) {
            (Arg::Var(v), Arg::Var(w)) if v >= outer && w >= outer => {
                let known = names.get(&w).copied();
                if known.is_none() && names.values().any(|taken| *taken == v) {
                    return None;
                }
                if *names.entry(w).or_insert(v) != v {
                    return None;
                }
            }
            (one, other) if one == other => {}
            _ => return None,
        }
    }
    Some(names)
}
