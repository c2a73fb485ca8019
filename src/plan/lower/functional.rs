//! Relations that have one answer at most for each combination of the arguments that are given, as `next_active(P, Q)` has
//! where the clauses exclude each other and each follows `next_player`. A loop over the set of such answers is none.
//!
//! A recursion is assumed to have one answer where its clauses call it: the first derivation of a second one would have to end
//! with another clause, or with another answer of a shorter derivation.

use crate::program::{ClauseId, Kind, RelationId, Value};

use super::super::ops::Argument;
use super::conditions::Conditions;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::procedures::FLOOD;
use super::{Code, Lowering, occurrences_among};

/// The most clauses of such a relation.
const MOST_CLAUSES: usize = 8;
/// The most values of an output of which only one is possible.
const MOST_VALUES: usize = 4;

impl Lowering<'_> {
    /// Whether a procedure of a relation has one answer at most.
    pub(super) fn gives_one_answer(&mut self, number: usize) -> bool {
        let reserved = &self.calls.reserved[number];
        let plain = reserved.form.is_none() && reserved.backwards.is_none();
        let (relation, arguments) = (reserved.relation, reserved.arguments.clone());
        plain && self.is_functional(relation, &arguments)
    }

    /// Whether a relation has one answer at most where these arguments are known.
    pub(super) fn has_one_answer_with(&mut self, id: RelationId, known: &[bool]) -> bool {
        self.is_functional(id, &arguments_of(known))
    }

    /// Whether a relation has one answer at most for the arguments that are inputs.
    fn is_functional(&mut self, id: RelationId, arguments: &[Argument]) -> bool {
        let relation = self.program.relation(id);
        // an answer over all values of an argument is none of one combination
        let whole = arguments.iter().all(|a| *a != Argument::Ignored);
        let plain = relation.kind == Kind::Derived && !relation.chooses && !relation.supposes;
        let alive: Vec<ClauseId> = self.alive_clauses(id);
        if !whole || !plain || alive.len() > MOST_CLAUSES {
            return false;
        }
        arguments.contains(&Argument::Input) && self.functional(&alive, arguments).is_some()
            || self.have_one_value(id, &alive, arguments)
            || self.has_one_best(&alive, arguments)
    }

    /// Whether the only clause that can hold denies that there is a better answer, as `cheapest(R)` does.
    pub(super) fn has_one_best(&mut self, clauses: &[ClauseId], arguments: &[Argument]) -> bool {
        let [clause] = clauses else { return false };
        // what a call stands for may be no goal that can be compared, such as a sum
        let scope = self.scope_of_calls(*clause);
        let facts = self.facts_within(scope, arguments).0;
        self.has_one_least(&facts, |i| arguments.get(i) == Some(&Argument::Input))
    }

    /// Whether an output of these clauses can have one of its few values only, and determines the others then.
    pub(super) fn have_one_value(
        &mut self,
        id: RelationId,
        clauses: &[ClauseId],
        arguments: &[Argument],
    ) -> bool {
        let outputs = (0..arguments.len()).filter(|i| arguments[*i] != Argument::Input);
        outputs.into_iter().any(|at| self.has_one_value(id, clauses, arguments, at))
    }

    /// The conditions of these clauses, if at most one of them holds and determines the other arguments by the inputs.
    fn functional(
        &mut self,
        clauses: &[ClauseId],
        arguments: &[Argument],
    ) -> Option<Vec<Conditions>> {
        if !clauses.iter().all(|clause| self.determines_outputs(*clause, arguments)) {
            return None;
        }
        let facts: Vec<Conditions> =
            clauses.iter().map(|clause| self.facts_of(*clause, arguments).0).collect();
        let given = |i: usize| arguments.get(i) == Some(&Argument::Input);
        self.all_exclusive(&facts, given).then_some(facts)
    }

    /// Whether an output can have one of its few values only, and determines the others then: `higher(P)`, where only one of two
    /// players can have bid more than the other one.
    fn has_one_value(
        &mut self,
        id: RelationId,
        clauses: &[ClauseId],
        arguments: &[Argument],
        at: usize,
    ) -> bool {
        let domain = &self.types.columns[id.0 as usize][at];
        let constants = &domain.constants;
        if domain.top || domain.lists || domain.integers.is_some() {
            return false;
        }
        let values: Vec<Code> =
            constants.iter().map(|id| self.universes.code(Value::Constant(id))).collect();
        if !(2..=MOST_VALUES).contains(&values.len()) {
            return false;
        }
        let mut with = arguments.to_vec();
        with[at] = Argument::Input;
        let Some(facts) = self.functional(clauses, &with) else { return false };
        let given = |i: usize| arguments.get(i) == Some(&Argument::Input);
        self.are_apart(&facts, at, &values, given)
    }

    /// Whether goals that do not determine these variables by those that are known have one answer at most for them.
    pub(super) fn has_one_of_few(
        &mut self,
        (goals, others): (&[G], &[G]),
        (wanted, known): (&[Var], &[Var]),
        vars: &Vars,
    ) -> bool {
        let head_vars = [known, wanted].concat();
        let head = head_vars.iter().map(|v| Some(Arg::Var(*v))).collect();
        let facts = Conditions::new(head, goals, others, &head_vars, vars);
        let mut context = BlockState::new(vars);
        context.totals = facts.totals.clone();
        context.bound.resize(context.totals.len(), None);
        let fixes = |lowering: &mut Self, from: &[Var]| {
            let fixed = lowering.determined_by(goals, from, &context);
            wanted.iter().all(|v| fixed.contains(v))
        };
        if fixes(self, known) {
            return false;
        }
        if self.has_one_least(&facts, |i| i < known.len()) {
            return true;
        }
        wanted.iter().zip(known.len()..).any(|(v, at)| {
            let Some(universe) = vars.universe(*v).map(|id| self.universes.get(id)) else {
                return false;
            };
            let values: Vec<Code> =
                (universe.base..).take(universe.len.min(MOST_VALUES + 1)).collect();
            let given = |i: usize| i < known.len();
            (2..=MOST_VALUES).contains(&values.len())
                && fixes(self, &[known, &[*v]].concat())
                && self.are_apart(std::slice::from_ref(&facts), at, &values, given)
        })
    }

    /// Whether of two different values of an argument at most one is possible.
    fn are_apart(
        &mut self,
        facts: &[Conditions],
        at: usize,
        values: &[Code],
        given: impl Fn(usize) -> bool + Copy,
    ) -> bool {
        let of_value = |facts: &Conditions, value: Code| {
            let same = facts.head[at].map(|arg| G::Same(arg, Arg::Const(value)));
            same.map(|same| facts.clone().with(vec![same]))
        };
        let pairs = (0..values.len()).flat_map(|v| (0..v).map(move |w| (v, w)));
        pairs.into_iter().all(|(v, w)| {
            facts.iter().all(|one| {
                facts.iter().all(|other| {
                    let pair = of_value(one, values[v]).zip(of_value(other, values[w]));
                    pair.is_some_and(|(one, other)| self.exclusive(&one, &other, given))
                })
            })
        })
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
                let given: Vec<bool> = args.iter().map(has).collect();
                let one = match *called == clause.relation {
                    true => (0..args.len()).all(|i| !is_input(i) || given[i]),
                    false => *called != FLOOD && self.is_single(*called, &given),
                };
                if one {
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

/// The arguments of a call of which these are known.
pub(super) fn arguments_of(known: &[bool]) -> Vec<Argument> {
    let of = |known: &bool| if *known { Argument::Input } else { Argument::Output };
    known.iter().map(of).collect()
}
