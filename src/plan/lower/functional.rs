//! Relations that have one answer at most for each combination of the arguments that are given, as `next_active(P, Q)` has
//! where the clauses exclude each other and each follows `next_player`. A loop over the set of such answers is none.
//!
//! A recursion is assumed to have one answer where its clauses call it: the first derivation of a second one would have to end
//! with another clause, or with another answer of a shorter derivation.

use crate::program::{ClauseId, Kind, RelationId};

use super::super::ops::{Answer, Argument};
use super::conditions::Conditions;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::{Lowering, occurrences_among};

/// The most clauses of such a relation.
const MOST_CLAUSES: usize = 8;

impl Lowering<'_> {
    /// Whether a procedure answers by a set of one element at most.
    pub(super) fn gives_one_element(&mut self, number: usize) -> bool {
        self.calls.reserved[number].answer == Answer::Set && self.gives_one_answer(number)
    }

    /// Whether a procedure of a relation has one answer at most.
    pub(super) fn gives_one_answer(&mut self, number: usize) -> bool {
        let reserved = &self.calls.reserved[number];
        let plain = reserved.form.is_none() && reserved.backwards.is_none();
        let (relation, arguments) = (reserved.relation, reserved.arguments.clone());
        plain && self.is_functional(relation, &arguments)
    }

    /// Whether a relation has one answer at most for the arguments that are inputs.
    fn is_functional(&mut self, id: RelationId, arguments: &[Argument]) -> bool {
        let relation = self.program.relation(id);
        // an answer over all values of an argument is none of one combination
        let whole = arguments.iter().all(|a| *a != Argument::Ignored);
        let plain = relation.kind == Kind::Derived && !relation.chooses && !relation.supposes;
        if !whole || !plain || !arguments.contains(&Argument::Input) {
            return false;
        }
        let alive: Vec<ClauseId> = self.alive_clauses(id);
        if alive.len() > MOST_CLAUSES
            || !alive.iter().all(|clause| self.determines_outputs(*clause, arguments))
        {
            return false;
        }
        let facts: Vec<Conditions> =
            alive.iter().map(|clause| self.facts_of(*clause, arguments).0).collect();
        let given = |i: usize| arguments.get(i) == Some(&Argument::Input);
        (0..facts.len()).all(|i| (0..i).all(|j| self.exclusive(&facts[i], &facts[j], given)))
    }

    /// Whether a clause determines its other arguments by the inputs.
    fn determines_outputs(&mut self, id: ClauseId, arguments: &[Argument]) -> bool {
        let program = self.program;
        let clause = program.clause(id);
        let (mut vars, mut scope, mut goals) = (Vars::default(), self.scope(id), Vec::new());
        let head: Vec<Arg> = (clause.head.iter())
            .map(|term| self.arg(&mut scope, term, &mut vars, &mut goals))
            .collect();
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        let var = |arg: &Arg| if let Arg::Var(v) = arg { Some(*v) } else { None };
        let is_input = |i: usize| arguments.get(i) == Some(&Argument::Input);
        let wanted: Vec<Var> = head.iter().filter_map(var).collect();
        let mut known: Vec<Var> =
            (0..head.len()).filter(|i| is_input(*i)).filter_map(|i| var(&head[i])).collect();
        let mut context = BlockState::new(&vars);
        context.totals = occurrences_among(&goals, &wanted, &vars);
        loop {
            known = self.determined_by(&goals, &known, &context);
            let before = known.len();
            for goal in &goals {
                let G::Call(called, args) = goal else { continue };
                let has = |arg: &Arg| var(arg).is_none_or(|v| known.contains(&v));
                let asked = (0..args.len()).all(|i| !is_input(i) || has(&args[i]));
                if *called == clause.relation && asked {
                    let open = args.iter().filter_map(var).filter(|v| !known.contains(v));
                    known.extend(open.collect::<Vec<_>>());
                }
            }
            if known.len() == before {
                break;
            }
        }
        wanted.iter().all(|v| known.contains(v))
    }
}
