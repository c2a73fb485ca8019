//! `:- scratch seen(point).` declares a part of the state that is empty between moves: each clause of a move or
//! chance event that can change it clears it at its end.

use indexmap::IndexSet;

use crate::diagnostic::Diagnostic;

use super::{
    ClauseId, Fluent, FluentId, FluentShape, Goal, GoalKind, Program, RelationId, Term, Variable,
    VariableId,
};

/// Adds the goals that clear scratch state to the clauses of moves and chance events, and reports clauses that
/// could read it between moves only.
pub(super) fn clear_at_end(program: &mut Program) -> Vec<Diagnostic> {
    if !program.fluents.iter().any(|fluent| fluent.scratch) {
        return Vec::new();
    }
    let events: Vec<RelationId> =
        ["move", "chance"].iter().filter_map(|name| program.find_relation(name, 1)).collect();
    let mut during: IndexSet<RelationId> = IndexSet::new();
    for event in &events {
        for id in program.relation(*event).clauses.clone() {
            let reached = reached(program, id);
            let changed = changed(program, id, &reached);
            during.extend(reached);
            for fluent in changed {
                append(program, id, fluent);
            }
        }
    }
    let mut faults = opened(program);
    for clause in &program.clauses {
        if during.contains(&clause.relation) || events.contains(&clause.relation) {
            continue;
        }
        clause.body.walk(&mut |goal| {
            let Some(fluent) = read(program, goal) else { return };
            faults.push(
                Diagnostic::warning("scratch-read", format!("`{}` is empty here", fluent.name))
                    .at(goal.span, "this is asked between moves only")
                    .at(fluent.span, "scratch state is cleared at the end of each move")
                    .hint("declare it with `:- state` to keep it from move to move"),
            );
        });
    }
    faults
}

/// The scratch state that a goal reads.
fn read<'p>(program: &'p Program, goal: &Goal) -> Option<&'p Fluent> {
    let GoalKind::Call(id, _) = &goal.kind else { return None };
    program.fluents.iter().find(|fluent| fluent.scratch && fluent.relation == *id)
}

/// Reports openings of scratch state.
fn opened(program: &Program) -> Vec<Diagnostic> {
    let scratch = program.fluents.iter().filter(|fluent| fluent.scratch);
    let openings = scratch.flat_map(|fluent| {
        program.relation(fluent.init).clauses.iter().map(move |id| (fluent, *id))
    });
    let fault = |(fluent, id): (&Fluent, ClauseId)| {
        Diagnostic::error("scratch-form", format!("`{}` is empty before each move", fluent.name))
            .at(program.clause(id).head_span, "it has no opening")
            .at(fluent.span, "declared as scratch state here")
            .hint("declare it with `:- state` to keep it from move to move")
    };
    openings.map(fault).collect()
}

/// The relations that the body of a clause uses.
fn reached(program: &Program, id: ClauseId) -> IndexSet<RelationId> {
    let mut found = IndexSet::new();
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        program.clause(id).body.walk(&mut |goal| {
            if let GoalKind::Call(relation, _) = &goal.kind
                && found.insert(*relation)
            {
                pending.extend(&program.relation(*relation).clauses);
            }
        });
    }
    found
}

/// The scratch state that a clause, or a relation that it uses, updates.
fn changed(program: &Program, id: ClauseId, reached: &IndexSet<RelationId>) -> IndexSet<FluentId> {
    let used = reached.iter().flat_map(|relation| program.relation(*relation).clauses.iter());
    let mut found = IndexSet::new();
    for id in std::iter::once(&id).chain(used) {
        program.clause(*id).body.walk(&mut |goal| {
            let updated = goal.updated().map(|(fluent, _)| fluent);
            found.extend(updated.filter(|fluent| program.fluent(*fluent).scratch));
        });
    }
    found
}

/// Appends a goal that clears a fluent to the body of a clause.
fn append(program: &mut Program, id: ClauseId, fluent: FluentId) {
    let declared = program.fluent(fluent);
    let (relation, keys, span) = (declared.relation, declared.keys.len(), declared.span);
    let values = usize::from(matches!(declared.shape, FluentShape::Map { .. }));
    let clause = &mut program.clauses[id.0 as usize];
    let mut terms: Vec<Term> = (0..keys + values)
        .map(|_| {
            let name = format!("_{}", clause.variables.len() + 1);
            clause.variables.push(Variable { name, span });
            Term::Variable(VariableId(clause.variables.len() as u32 - 1))
        })
        .collect();
    let goal = |kind: GoalKind| Goal::new(kind, span);
    let read = goal(GoalKind::Call(relation, terms.clone()));
    terms.truncate(keys);
    let clear = goal(GoalKind::Clear(fluent, terms));
    let end = match keys {
        0 => clear,
        _ => goal(GoalKind::Each(Box::new(read), Box::new(clear))),
    };
    let body = std::mem::replace(&mut clause.body, Goal::new(GoalKind::True, clause.span));
    let at = body.span;
    let mut goals = match body.kind {
        GoalKind::And(goals) => goals,
        GoalKind::True => Vec::new(),
        kind => vec![Goal::new(kind, at)],
    };
    goals.push(end);
    clause.body = Goal::new(GoalKind::And(goals), at);
}
