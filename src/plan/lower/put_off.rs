//! Calculations that need not be made to choose a move, as what is done after the choice.
//!
//! In `clash(X, Y) :- X in 1..6, Y in 1..6, better(X, Y, L), ( L =:= 0 -> … ; … )` the result `L` follows from the
//! move, and only its updates need it. It is calculated for the move that is played, so that the candidates are a set.
//! A relation of which exactly one clause holds for any arguments, as where they compare the same numbers, is a
//! calculation too: the call is a conditional.

use crate::program::{Comparison, Kind, RelationId};

use super::Lowering;
use super::emit::occurrences_in;
use super::forms::stateless;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::patterns::variables;
use super::procedures::FLOOD;

/// The most clauses of a relation that is a calculation.
const MOST_CLAUSES: usize = 4;

impl Lowering<'_> {
    /// Moves calculations from the goals before the first update behind them, where they calculate with what the
    /// head of the clause has, and only the goals from the first update on need the result.
    pub(super) fn put_off(
        &mut self,
        before: &mut Vec<G>,
        after: &mut Vec<G>,
        head_vars: &[Var],
        vars: &mut Vars,
    ) {
        if after.is_empty() {
            return;
        }
        let known = calculated(before, head_vars);
        for at in (0..before.len()).rev() {
            let open = match &before[at] {
                G::Is(Arg::Var(result), ..) if head_vars.contains(result) => continue,
                G::Is(Arg::Var(result), ..) => vec![*result],
                goal => {
                    let mut open = variables(std::slice::from_ref(goal));
                    open.retain(|v| !known.contains(v));
                    open.sort_unstable();
                    open.dedup();
                    open
                }
            };
            let needed_before = |v: &Var| {
                let others = before.iter().enumerate().filter(|(other, _)| *other != at);
                others.map(|(_, goal)| occurrences_in(goal, *v)).any(|times| times > 0)
            };
            if open.is_empty() || open.iter().any(needed_before) {
                continue;
            }
            let goal = match &before[at] {
                G::Call(id, args) => {
                    let (id, args) = (*id, args.clone());
                    let mut with = vars.clone();
                    let Some(goal) = self.as_conditional(id, &args, &mut with) else { continue };
                    *vars = with;
                    goal
                }
                goal => goal.clone(),
            };
            let follows = |v: &Var| open.contains(v) || known.contains(v);
            let all = variables(std::slice::from_ref(&goal)).iter().all(follows);
            if all && self.gives(std::slice::from_ref(&goal), &open) {
                before.remove(at);
                after.insert(0, goal);
            }
        }
    }

    /// Whether goals calculate these variables, each once, from others alone, and always can.
    fn gives(&self, goals: &[G], open: &[Var]) -> bool {
        let mut given: Vec<Var> = Vec::new();
        let all = goals.iter().all(|goal| {
            let (result, from) = match goal {
                G::Same(Arg::Var(v), value) => (*v, G::Same(Arg::Const(0), *value)),
                G::Is(Arg::Var(v), value, span) => (*v, G::Is(Arg::Const(0), value.clone(), *span)),
                G::If(tests, then, otherwise) if goals.len() == 1 => {
                    let test =
                        |goal: &G| stateless(goal) && !self.raises(goal) && !mentions(goal, open);
                    given.extend_from_slice(open);
                    return tests.iter().all(test)
                        && self.gives(then, open)
                        && self.gives(otherwise, open);
                }
                _ => return false,
            };
            let once = open.contains(&result) && !given.contains(&result);
            given.push(result);
            once && stateless(goal) && !self.raises(goal) && !mentions(&from, open)
        });
        all && open.iter().all(|v| given.contains(v))
    }

    /// A call of a relation of which exactly one clause holds, as a conditional. `None` where that is not known.
    fn as_conditional(&mut self, id: RelationId, args: &[Arg], vars: &mut Vars) -> Option<G> {
        if id == FLOOD {
            return None;
        }
        let relation = self.program.relation(id);
        let clauses = self.alive_clauses(id);
        if relation.kind != Kind::Derived
            || relation.recursive
            || relation.supposes
            || self.types.raises[id.0 as usize]
            || clauses.len() != relation.clauses.len()
            || !(2..=MOST_CLAUSES).contains(&clauses.len())
        {
            return None;
        }
        let given: Vec<bool> = relation.needs_bound.clone();
        let results: Vec<Var> = args
            .iter()
            .zip(&given)
            .filter_map(|(arg, given)| match arg {
                Arg::Var(v) if !given => Some(*v),
                _ => None,
            })
            .collect();
        let of_result = |goal: &G| match goal {
            G::Same(Arg::Var(v), _) | G::Is(Arg::Var(v), ..) => results.contains(v),
            _ => false,
        };
        let bodies = self.bodies_of(id, args, vars)?;
        let parts: Vec<(Vec<G>, Vec<G>)> =
            bodies.into_iter().map(|body| body.into_iter().partition(|g| !of_result(g))).collect();
        let tests: Vec<&[G]> = parts.iter().map(|(tests, _)| tests.as_slice()).collect();
        if !in_all_orders(&tests) && !are_contrary(&tests) {
            return None;
        }
        let mut parts = parts.into_iter().rev();
        let (_, last) = parts.next()?;
        let choice =
            parts.fold(last, |otherwise, (tests, results)| vec![G::If(tests, results, otherwise)]);
        choice.into_iter().next()
    }
}

/// The variables of the head, and those that goals calculate from them.
fn calculated(goals: &[G], head_vars: &[Var]) -> Vec<Var> {
    let mut known = head_vars.to_vec();
    for goal in goals {
        let G::Is(Arg::Var(result), value, span) = goal else { continue };
        let mut all = true;
        let value = G::Is(Arg::Const(0), value.clone(), *span);
        value.each_var(&mut |v| all &= known.contains(&v));
        if all && stateless(goal) {
            known.push(*result);
        }
    }
    known
}

fn mentions(goal: &G, variables: &[Var]) -> bool {
    variables.iter().any(|v| occurrences_in(goal, *v) > 0)
}

/// Whether each clause has one test, all compare the same two numbers, and exactly one holds whichever is greater.
fn in_all_orders(clauses: &[&[G]]) -> bool {
    let Some([G::Compare(_, first, second, _)]) = clauses.first() else { return false };
    let orders = |tests: &[G]| -> Option<[bool; 3]> {
        let [G::Compare(op, a, b, _)] = tests else { return None };
        let op = match () {
            () if (a, b) == (first, second) => *op,
            () if (a, b) == (second, first) => op.mirrored(),
            () => return None,
        };
        Some(match op {
            Comparison::Less => [true, false, false],
            Comparison::LessOrEqual => [true, true, false],
            Comparison::Greater => [false, false, true],
            Comparison::GreaterOrEqual => [false, true, true],
            Comparison::Equal => [false, true, false],
            Comparison::NotEqual => [true, false, true],
        })
    };
    let all: Option<Vec<[bool; 3]>> = clauses.iter().map(|tests| orders(tests)).collect();
    all.is_some_and(|all| (0..3).all(|order| all.iter().filter(|o| o[order]).count() == 1))
}

/// Whether there are two clauses, and one asks for the denial of what the other one asks for.
fn are_contrary(clauses: &[&[G]]) -> bool {
    let denies =
        |one: &[G], other: &[G]| matches!(one, [G::Not(denied)] if denied.as_slice() == other);
    matches!(clauses, [one, other] if denies(one, other) || denies(other, one))
}

/// Whether a goal is a condition on what is known, and both its branches give a variable a known value.
pub(super) fn gives_one_value(goal: &G, context: &BlockState) -> bool {
    let G::If(condition, then, otherwise) = goal else { return false };
    let known = |v: Var| context.bound[v].is_some() || context.totals[v] <= occurrences_in(goal, v);
    let mut all = true;
    condition.iter().for_each(|goal| goal.each_var(&mut |v| all &= known(v)));
    let found = |v: Var| condition.iter().any(|goal| occurrences_in(goal, v) > 0);
    let given = |branch: &[G]| match branch {
        [G::Same(Arg::Var(result), value)] => {
            let value_known = match value {
                Arg::Var(v) => context.bound[*v].is_some() || found(*v),
                Arg::Const(_) => true,
            };
            (value_known && context.bound[*result].is_none()).then_some(*result)
        }
        _ => None,
    };
    all && given(then).is_some() && given(then) == given(otherwise)
}
