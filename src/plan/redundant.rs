//! Goals that say of a variable what a call says already.
//!
//! In `direction(D), run(D, A, B)` every answer of `run` has a direction in its place, so the first goal only says in which order
//! to look for them: a run for each direction, where one set for all of them may do. The planner goes through the directions
//! where that is better.

use crate::datalog::Tables;
use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Kind, Program, RelationId, Term, VariableId,
};
use crate::types::Types;

use super::closures::Rewritten;
use super::first_answers::order_matters;
use super::specialise::in_order_where;

/// Leaves such goals out of the clauses whose goals may be run in any order.
pub(super) fn leave_out(
    program: &mut Program,
    tables: &Tables,
    types: &Types,
    before: &mut Rewritten,
) {
    let matters = |clause: &Clause| order_matters(program, tables, clause);
    let ordered = in_order_where(program, types, &matters);
    let held: Vec<ClauseId> = program.relations.iter().flat_map(|r| r.clauses.clone()).collect();
    for id in held {
        let clause = program.clause(id);
        // updates need the values of variables that goals behind them give too
        let kind = program.relation(clause.relation).kind;
        if kind != Kind::Derived || ordered.contains(&clause.relation) {
            continue;
        }
        let goals = clause.body.conjuncts();
        if types.may_raise_in(&clause.body, program) {
            continue;
        }
        let is_said = |goal: &&Goal| {
            said_of(program, goal)
                .is_some_and(|said| goals.iter().any(|other| implies(program, types, other, said)))
        };
        if !goals.iter().any(|goal| is_said(&goal)) {
            continue;
        }
        let rest: Vec<Goal> = goals.iter().filter(|goal| !is_said(goal)).cloned().collect();
        let body = clause.body.clone();
        if (id.0 as usize) < before.written() {
            before.keep(program, id, &body);
        }
        program.clauses[id.0 as usize].body = Goal::new(GoalKind::And(rest), body.span);
    }
}

/// The set of constants in which a goal says that a variable is.
fn said_of(program: &Program, goal: &Goal) -> Option<(RelationId, VariableId)> {
    let GoalKind::Call(set, args) = &goal.kind else { return None };
    let relation = program.relation(*set);
    let listed = relation.kind == Kind::Static && !relation.needs_bound.contains(&true);
    match &args[..] {
        [Term::Variable(variable)] if listed => Some((*set, *variable)),
        _ => None,
    }
}

/// Whether every answer of a recursion has a value of the set in the place of the variable.
fn implies(
    program: &Program,
    types: &Types,
    goal: &Goal,
    (set, variable): (RelationId, VariableId),
) -> bool {
    let GoalKind::Call(id, args) = &goal.kind else { return false };
    let relation = program.relation(*id);
    relation.kind == Kind::Derived
        && relation.recursive
        // it gives the value itself, whatever other goals need
        && !relation.needs_bound.contains(&true)
        && args.iter().enumerate().any(|(at, arg)| {
            *arg == Term::Variable(variable)
                && types.column(*id, at).is_within(types.column(set, 0))
        })
}
