//! Calls that have one answer at most.
//!
//! So has `higher(P)` where an argument has few values of which only one is possible (`functional.rs`).
//!
//! `onward(C, D, E) :- at(C, mirror(S)), turned(S, D, E)` and `onward(C, D, D) :- \+ at(C, _)` exclude each other, and
//! each gives one direction `E`. So the direction is a value to go on with, not a set of values to go through.

use crate::program::{Kind, RelationId};

use super::Lowering;
use super::conditions::Conditions;
use super::functional::arguments_of;
use super::goals::{Arg, G, Scope, Var, Vars};
use super::hoist::looks_up;
use super::order::BlockState;

/// The most clauses of a relation that are looked at together.
pub(super) const MOST_CLAUSES: usize = 4;

impl Lowering<'_> {
    /// Whether a relation of a few simple clauses has one answer at most for each combination of the arguments that are
    /// known: at most one clause holds, and it determines the other arguments.
    pub(super) fn is_single(&mut self, id: RelationId, known: &[bool]) -> bool {
        let few = self.program.relation(id).clauses.len() <= MOST_CLAUSES;
        if !few || !self.is_simple(id) {
            return false;
        }
        let key = (id, known.to_vec());
        if let Some(single) = self.known.single.get(&key) {
            return *single;
        }
        let (arguments, alive) = (arguments_of(known), self.alive_clauses(id));
        let given = known.contains(&true) && {
            let of: Vec<Conditions> =
                alive.iter().map(|clause| self.facts_of(*clause, &arguments).0).collect();
            of.iter().all(|clause| self.determines_head(clause, known))
                && self.all_exclusive(&of, |argument| known[argument])
        };
        let single = given
            || self.have_one_value(id, &alive, &arguments)
            || self.has_one_best(&alive, &arguments);
        self.known.single.insert(key, single);
        single
    }

    /// Whether a call behind these goals, in a clause of an action, is of a relation with one best answer, such as the row with the
    /// fewest points. To find it takes a loop; what is updated behind it would be done for each of its answers.
    pub(super) fn is_best(
        &mut self,
        scope: &Scope,
        id: RelationId,
        args: &[Arg],
        before: &[G],
    ) -> bool {
        let caller = self.program.clause(scope.clause).relation;
        let acts = Some(caller) != self.program.special.moves
            && Some(caller) != self.program.special.chance
            && self.program.relation(caller).kind == Kind::Action;
        let is_given = |arg: &Arg| match arg {
            Arg::Const(_) => true,
            arg => before.iter().any(|goal| match goal {
                G::Static(_, args) | G::Functor(_, args) | G::Call(_, args) => args.contains(arg),
                G::Read(_, keys, value) => keys.contains(arg) || *value == Some(*arg),
                G::Is(result, ..) => result == arg,
                _ => false,
            }),
        };
        let known: Vec<bool> = args.iter().map(is_given).collect();
        if !acts && !before.iter().any(|goal| self.acts(goal))
            || !known.contains(&false)
            || !self.is_simple(id)
        {
            return false;
        }
        let key = (id, known.clone());
        if let Some(best) = self.known.best.get(&key) {
            return *best;
        }
        let alive = self.alive_clauses(id);
        let best = self.has_one_best(&alive, &arguments_of(&known));
        self.known.best.insert(key, best);
        best
    }

    /// Whether a relation asks only for what holds in the position, without recursion or rule errors.
    pub(super) fn is_simple(&self, id: RelationId) -> bool {
        let relation = self.program.relation(id);
        relation.kind == Kind::Derived
            && !relation.recursive
            && !relation.supposes
            && !relation.chooses
            && !self.types.raises[id.0 as usize]
    }

    /// Whether goals that only look things up determine the arguments of the head by those that are known.
    fn determines_head(&mut self, clause: &Conditions, known: &[bool]) -> bool {
        if !clause.goals().iter().all(asks_no_relation) {
            return false;
        }
        let mut context = BlockState::new(&Vars::unknown(clause.totals.len()));
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

/// Whether a goal looks things up or calculates.
fn asks_no_relation(goal: &G) -> bool {
    match goal {
        G::Is(..) | G::Compare(..) => true,
        G::Not(inner) => inner.iter().all(asks_no_relation),
        goal => looks_up(goal),
    }
}
