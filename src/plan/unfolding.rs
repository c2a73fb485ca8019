//! Relations that call each other in turn, made one recursion.
//!
//! `free(A, N) :- N > 0, empty(A), M is N - 1, next(A, M)` with `next(_, 0)` and `next(A, N) :- N > 0, step(A, B), free(B, N)` has
//! the same answers with the clauses of `next` in place of its call. That is a recursion of one relation, which can be a flood or
//! go along a line (unfolding: Tamaki and Sato, "Unfold/Fold Transformation of Logic Programs", 1984).

use rustc_hash::FxHashMap;

use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Program, RelationId, Term, Variable, VariableId, reconnect,
    rename_goal, rename_term,
};
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::recursions::in_any_order;
use super::specialise::in_order;

/// The most relations of a recursion.
const MOST_RELATIONS: usize = 4;
/// The most clauses that a relation gets.
const MOST_CLAUSES: usize = 16;

/// Unfolds the relations of each recursion that do not call themselves.
pub(super) fn recursions(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    let several = |c: &&Vec<RelationId>| (2..=MOST_RELATIONS).contains(&c.len());
    let components: Vec<Vec<RelationId>> =
        program.graph.components.iter().filter(several).cloned().collect();
    if components.is_empty() {
        return;
    }
    // a relation that is no recursion any more gives its answers in the order of its clauses
    let ordered = in_order(program, types);
    let mut changed = false;
    for mut rest in components {
        // goals of rule errors and of first answers are run in the order in which they are written
        if !rest.iter().all(|id| in_any_order(program, types, *id)) {
            continue;
        }
        let component = rest.clone();
        while rest.len() > 1
            && let Some(at) = rest.iter().position(|id| {
                let order_matters = ordered.contains(id) && !only_within(program, &component, *id);
                !order_matters && leads_on(program, &rest, *id)
            })
        {
            let id = rest.remove(at);
            if !std::mem::replace(&mut changed, true) {
                before.keep_graph(program);
            }
            rest.iter().for_each(|caller| unfold(program, types, before, *caller, id));
        }
    }
    if changed {
        reconnect(program);
    }
}

/// Whether a relation is called by those of its recursion alone, which give their answers in the standard order.
fn only_within(program: &Program, component: &[RelationId], id: RelationId) -> bool {
    let mut callers = program.clauses.iter().filter(|clause| clause.calls_of(id) > 0);
    callers.all(|clause| component.contains(&clause.relation))
}

/// Whether a relation calls others of its recursion and not itself, and they call it as goals of their clauses and not within
/// other goals.
fn leads_on(program: &Program, component: &[RelationId], id: RelationId) -> bool {
    let own = &program.relation(id).clauses;
    if own.iter().any(|clause| program.clause(*clause).calls_of(id) > 0) {
        return false;
    }
    component.iter().filter(|other| **other != id).all(|other| {
        let clauses = &program.relation(*other).clauses;
        let mut made = 0;
        clauses.iter().all(|clause| {
            let clause = program.clause(*clause);
            let within = called_by_goals(clause, id).count();
            made += own.len().saturating_pow(within as u32);
            made <= MOST_CLAUSES && within == clause.calls_of(id)
        })
    })
}

/// The places of the calls of a relation among the goals of a clause.
fn called_by_goals(clause: &Clause, id: RelationId) -> impl Iterator<Item = usize> {
    let goals = clause.body.conjuncts().iter().enumerate();
    goals
        .filter(move |(_, goal)| matches!(goal.kind, GoalKind::Call(called, _) if called == id))
        .map(|(at, _)| at)
}

/// Puts the clauses of a relation in place of its calls by another one.
fn unfold(
    program: &mut Program,
    types: &mut Types,
    before: &mut Rewritten,
    caller: RelationId,
    id: RelationId,
) {
    let written = program.relation(caller).clauses.clone();
    let mut pending: Vec<ClauseId> = written.iter().rev().copied().collect();
    let mut made = Vec::new();
    while let Some(clause) = pending.pop() {
        let Some(at) = called_by_goals(program.clause(clause), id).next() else {
            made.push(clause);
            continue;
        };
        for inner in program.relation(id).clauses.clone().into_iter().rev() {
            let (unfolded, domains) = with(program, types, (clause, at), inner);
            pending.push(ClauseId(program.clauses.len() as u32));
            before.stands_for(clause);
            program.clauses.push(unfolded);
            types.variables.push(domains);
        }
    }
    if made != written {
        before.replace(program, caller, made);
    }
}

/// A clause with the goals of another one in place of the call at this place, and the domains of its variables.
fn with(
    program: &Program,
    types: &Types,
    (clause, at): (ClauseId, usize),
    inner: ClauseId,
) -> (Clause, Vec<Domain>) {
    let mut made = program.clause(clause).clone();
    let mut domains = types.variables[clause.0 as usize].clone();
    let goals = made.body.conjuncts().to_vec();
    let (own, fresh) = in_place(&goals[at], program.clause(inner), &mut made.variables);
    domains.extend(fresh.iter().map(|v| types.variables[inner.0 as usize][v.0 as usize].clone()));
    let all = goals[..at].iter().cloned().chain(own).chain(goals[at + 1..].to_vec());
    made.body = Goal::new(GoalKind::And(all.collect()), made.body.span);
    (made, domains)
}

/// The goals of a clause with the arguments of this call of its relation. Its other variables are added to those of the
/// caller's clause; they are returned as they are numbered in the clause itself.
pub(super) fn in_place(
    call: &Goal,
    clause: &Clause,
    variables: &mut Vec<Variable>,
) -> (Vec<Goal>, Vec<VariableId>) {
    let GoalKind::Call(_, args) = &call.kind else { return (vec![call.clone()], Vec::new()) };
    let mut names: FxHashMap<VariableId, VariableId> = FxHashMap::default();
    let mut equal: Vec<(Term, Term)> = Vec::new();
    for (term, arg) in clause.head.iter().zip(args) {
        match (term, arg) {
            (Term::Variable(own), Term::Variable(given)) if !names.contains_key(own) => {
                names.insert(*own, *given);
            }
            _ => equal.push((arg.clone(), term.clone())),
        }
    }
    let mut fresh = Vec::new();
    for (i, variable) in clause.variables.iter().enumerate() {
        let own = VariableId(i as u32);
        names.entry(own).or_insert_with(|| {
            fresh.push(own);
            variables.push(variable.clone());
            VariableId(variables.len() as u32 - 1)
        });
    }
    let equal = equal.into_iter().map(|(arg, mut term)| {
        rename_term(&mut term, &names);
        Goal::new(GoalKind::Unify(arg, term), call.span)
    });
    let own = clause.body.conjuncts().iter().map(|goal| {
        let mut goal = goal.clone();
        rename_goal(&mut goal, &names);
        goal
    });
    (equal.chain(own).collect(), fresh)
}
