//! Calls that have one answer at most.
//!
//! `onward(C, D, E) :- at(C, mirror(S)), turned(S, D, E)` and `onward(C, D, D) :- \+ at(C, _)` exclude each other, and
//! each gives one direction `E`. So the direction is a value to go on with, not a set of values to go through.

use crate::program::{ClauseId, Kind, RelationId};

use super::super::ops::Argument;
use super::Lowering;
use super::conditions::Conditions;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;

/// The most clauses of such a relation.
const MOST_CLAUSES: usize = 4;

impl Lowering<'_> {
    /// Whether a relation of a few simple clauses has one answer at most for each combination of the arguments that are
    /// known: at most one clause holds, and it determines the other arguments.
    pub(super) fn is_single(&mut self, id: RelationId, known: &[bool]) -> bool {
        if !self.is_simple(id) || !known.contains(&true) {
            return false;
        }
        let key = (id, known.to_vec());
        if let Some(single) = self.known.single.get(&key) {
            return *single;
        }
        let arguments: Vec<Argument> = (known.iter())
            .map(|known| if *known { Argument::Input } else { Argument::Output })
            .collect();
        let clauses: Vec<ClauseId> = self.program.relation(id).clauses.clone();
        let alive: Vec<ClauseId> =
            clauses.into_iter().filter(|clause| self.is_alive(*clause)).collect();
        let of: Vec<Conditions> =
            alive.iter().map(|clause| self.facts_of(*clause, &arguments).0).collect();
        let single = of.iter().all(|clause| self.determines_head(clause, known))
            && (0..of.len()).all(|i| {
                (0..i).all(|j| self.exclusive(&of[i], &of[j], |argument| known[argument]))
            });
        self.known.single.insert(key, single);
        single
    }

    /// Whether a relation has a few clauses that ask for no more than holds in the position.
    pub(super) fn is_simple(&self, id: RelationId) -> bool {
        let relation = self.program.relation(id);
        relation.kind == Kind::Derived
            && !relation.recursive
            && !relation.supposes
            && !relation.chooses
            && !self.types.raises[id.0 as usize]
            && relation.clauses.len() <= MOST_CLAUSES
    }

    /// Whether goals that only look things up determine the arguments of the head by those that are known.
    fn determines_head(&mut self, clause: &Conditions, known: &[bool]) -> bool {
        let looks_up = |goal: &G| {
            matches!(
                goal,
                G::Static(..)
                    | G::Functor(..)
                    | G::Read(..)
                    | G::Same(..)
                    | G::Is(..)
                    | G::Compare(..)
                    | G::Not(_)
            )
        };
        let calls = |goal: &G| matches!(goal, G::Not(inner) if inner.iter().any(|g| !looks_up(g)));
        if clause.goals().iter().any(|goal| !looks_up(goal) || calls(goal)) {
            return false;
        }
        let mut vars = Vars::default();
        clause.totals.iter().for_each(|_| _ = vars.fresh(super::super::domains::Abstract::top()));
        let mut context = BlockState::new(&vars);
        context.totals.clone_from(&clause.totals);
        let variable = |arg: &Option<Arg>| match arg {
            Some(Arg::Var(v)) => Some(*v),
            _ => None,
        };
        let given = clause.head.iter().zip(known).filter(|(_, known)| **known);
        let from: Vec<Var> = given.filter_map(|(arg, _)| variable(arg)).collect();
        let fixed = self.determined_by(clause.goals(), &from, &context);
        clause.head.iter().filter_map(variable).all(|v| fixed.contains(&v))
    }
}
