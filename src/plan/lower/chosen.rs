//! Calls of actions whose clauses exclude each other, as conditionals: where
//! `reward(C) :- full(C), taking := 2.` and `reward(C) :- \+ full(C).` are the clauses, the call is
//! `( full(C) -> taking := 2 ; true )`.
//!
//! At most one clause can be chosen by the goals before its first update, so none is tried after another one, and what
//! is updated behind the choice leads to no other answer.

use crate::program::{ClauseId, Kind, RelationId};

use super::super::ops::Argument;
use super::conditions::Conditions;
use super::emit::occurrences_in;
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
    fn is_test(&self, outer: usize) -> bool {
        let mut named: Vec<Var> = Vec::new();
        self.tests.iter().for_each(|goal| goal.each_var(&mut |v| named.push(v)));
        named.retain(|v| *v >= outer);
        !named.iter().any(|v| self.rest.iter().any(|goal| occurrences_in(goal, *v) > 0))
    }
}

impl Lowering<'_> {
    /// A call of an action whose arguments are known, as a choice among its clauses; `None` where they are not known to
    /// exclude each other, or where a goal in front of the updates may be a rule error, which all clauses would find.
    pub(super) fn chosen(
        &mut self,
        id: RelationId,
        args: &[Arg],
        context: &mut BlockState,
        vars: &mut Vars,
    ) -> Option<G> {
        if id == FLOOD {
            return None;
        }
        let relation = self.program.relation(id);
        let action = relation.kind == Kind::Action && !relation.recursive && !relation.supposes;
        if !action || !args.iter().all(|arg| context.is_bound(*arg)) || !self.excluding(id) {
            return None;
        }
        let (outer, mut all) = (vars.all.len(), vars.clone());
        let bodies = self.bodies_of(id, args, &mut all)?;
        let clauses = self.alive_clauses(id).into_iter().zip(bodies).map(|(id, mut tests)| {
            let split = tests.iter().position(|goal| self.acts(goal)).unwrap_or(tests.len());
            let rest = tests.split_off(split);
            Parted { id, tests, rest }
        });
        // what is chosen last may be found in several ways
        let (mut clauses, last): (Vec<Parted>, Vec<Parted>) =
            clauses.partition(|clause| clause.is_test(outer));
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
        let known: Vec<Var> = args.iter().copied().filter_map(var).collect();
        for clause in &mut clauses {
            self.prepare(clause, &known, &mut all);
        }
        let Parted { mut tests, rest, .. } = clauses.pop()?;
        tests.extend(rest);
        let mut choice = tests;
        for Parted { tests, rest, .. } in clauses.into_iter().rev() {
            choice = vec![G::If(tests, rest, choice)];
        }
        let choice = choice.pop()?;
        let inside = occurrences(std::slice::from_ref(&choice), &all);
        let from = context.totals.len();
        context.totals.extend_from_slice(inside.get(from..).unwrap_or_default());
        context.bound.resize(all.all.len(), None);
        *vars = all;
        Some(choice)
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
