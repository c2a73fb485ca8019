//! Compounds in the heads of recursive clauses and in their recursive calls, as goals of their own.
//!
//! `closed(p(X, Y)) :- …, closed(p(U, V))` is `closed(A) :- A = p(X, Y), …, B = p(U, V), closed(B)`: a recursion from one site to
//! another, which can be a flood.

use crate::program::{
    Clause, Goal, GoalKind, Program, RelationId, Term, Value, Values, Variable, VariableId,
};
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::recursions::in_any_order;

/// Gives the compounds variables. Where goals are run in the order in which they are written, it is the clause as it was that
/// is run.
pub(super) fn flatten(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    for at in 0..program.relations.len() {
        let (id, relation) = (RelationId(at as u32), &program.relations[at]);
        if !relation.recursive || !in_any_order(program, types, id) {
            continue;
        }
        for clause in relation.clauses.clone() {
            let written = program.clause(clause);
            let is_compound = |term: &Term| matches!(term, Term::Compound(..));
            let mut any = written.head.iter().any(is_compound);
            for goal in written.body.conjuncts() {
                if let GoalKind::Call(called, args) = &goal.kind {
                    any |= *called == id && args.iter().any(is_compound);
                }
            }
            if any {
                let domains = &mut types.variables[clause.0 as usize];
                let mut flat = flattened(written, id, &types.columns[at], domains);
                // what a caller gives may be anything
                if !relation.needs_bound.contains(&true) {
                    drop_unused(&mut flat, domains, &program.values);
                }
                before.flatten(
                    clause,
                    std::mem::replace(&mut program.clauses[clause.0 as usize], flat),
                );
            }
        }
    }
}

/// The clause with variables in place of the compounds in its calls of a recursion with these columns, and in its head where it
/// is a clause of that recursion.
pub(super) fn flattened(
    clause: &Clause,
    id: RelationId,
    columns: &[Domain],
    domains: &mut Vec<Domain>,
) -> Clause {
    let mut made = clause.clone();
    // an argument that a call passes on stays the same variable
    let mut known: Vec<(Term, Term)> = Vec::new();
    let mut named =
        |terms: &mut Vec<Term>, variables: &mut Vec<Variable>, goals: &mut Vec<Goal>, at: &Goal| {
            for (term, column) in terms.iter_mut().zip(columns) {
                if !matches!(term, Term::Compound(..)) {
                    continue;
                }
                if let Some((_, variable)) = known.iter().find(|(compound, _)| compound == term) {
                    *term = variable.clone();
                    continue;
                }
                let fresh = Term::Variable(VariableId(variables.len() as u32));
                variables.push(Variable { name: "_".to_string(), span: at.span });
                domains.push(column.clone());
                let compound = std::mem::replace(term, fresh.clone());
                known.push((compound.clone(), fresh.clone()));
                goals.push(Goal::new(GoalKind::Unify(fresh, compound), at.span));
            }
        };
    let mut goals = Vec::new();
    let whole = Goal::new(GoalKind::True, clause.head_span);
    if clause.relation == id {
        named(&mut made.head, &mut made.variables, &mut goals, &whole);
    }
    for mut goal in clause.body.conjuncts().iter().cloned() {
        let at = goal.clone();
        if let GoalKind::Call(called, args) = &mut goal.kind
            && *called == id
        {
            named(args, &mut made.variables, &mut goals, &at);
        }
        goals.push(goal);
    }
    made.body = Goal::new(GoalKind::And(goals), clause.body.span);
    made
}

/// Leaves out what says no more of a variable than its domain does: a compound that is passed on whole.
fn drop_unused(clause: &mut Clause, domains: &[Domain], values: &Values) {
    let counts = clause.occurrences();
    let GoalKind::And(goals) = &mut clause.body.kind else { return };
    goals.retain(|goal| {
        let GoalKind::Unify(Term::Variable(whole), Term::Compound(name, parts)) = &goal.kind else {
            return true;
        };
        let apart = |part: &Term| matches!(part, Term::Variable(v) if counts[v.0 as usize] == 1);
        let Domain { top, integers, constants, lists, moves, .. } = &domains[whole.0 as usize];
        let known = !(*top || integers.is_some() || *lists || *moves);
        let same = |id| {
            values
                .functor(Value::Constant(id))
                .is_some_and(|(own, all)| own == name && all.len() == parts.len())
        };
        !(known && parts.iter().all(apart) && constants.iter().all(same))
    });
}
