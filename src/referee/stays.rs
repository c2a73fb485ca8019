//! Whether what stands on the board stays on its site, and whether it stays on the board, by the clauses of the rules.

use rustc_hash::FxHashSet;

use crate::program::{Clause, FluentId, FluentShape, GoalKind, Kind, Program, Term, VariableId};

use super::Referee;

/// Whether no move takes what stands on one site to another: no clause stores on a site what it has read there or elsewhere, or
/// empties a site that its head names. False where it is not known, as for numbers, which say nothing of what goes where.
pub(super) fn stays(referee: &Referee<'_>) -> bool {
    let Some(fluent) = referee.rules.contents_fluent() else { return false };
    let program = &referee.game.program;
    program.clauses.iter().all(|clause| leaves_in_place(program, clause, fluent))
}

/// Whether no move takes anything off the board: no clause empties a site. False where it is not known, as where a value stands for
/// what is not there.
pub(super) fn keeps(referee: &Referee<'_>) -> bool {
    let Some(fluent) = referee.rules.contents_fluent() else { return false };
    let program = &referee.game.program;
    let partial = matches!(program.fluent(fluent).shape, FluentShape::Map { initial: None, .. });
    let mut counted_or_emptied = false;
    for clause in &program.clauses {
        clause.body.walk_here(&mut |goal| {
            counted_or_emptied |= matches!(
                &goal.kind,
                GoalKind::AssignNumber(id, ..) | GoalKind::Clear(id, _) if *id == fluent
            );
        });
    }
    partial && !counted_or_emptied
}

fn leaves_in_place(program: &Program, clause: &Clause, fluent: FluentId) -> bool {
    let variables = |terms: &[Term], to: &mut FxHashSet<VariableId>| {
        terms.iter().for_each(|term| {
            term.each_variable(&mut |v| {
                to.insert(v);
            })
        });
    };
    let (mut named, mut read, mut stored, mut known) = Default::default();
    let mut emptied = FxHashSet::default();
    variables(&clause.head, &mut named);
    let mut counted = false;
    // what is tried in an `after` is no move
    clause.body.walk_here(&mut |goal| match &goal.kind {
        GoalKind::Call(id, terms) => match program.relation(*id).kind {
            Kind::Fluent(id) if id == fluent => {
                variables(terms.last().map_or(&[], std::slice::from_ref), &mut read);
            }
            // the player to move
            Kind::Fluent(_) if terms.len() == 1 => variables(terms, &mut known),
            Kind::Action => variables(terms, &mut stored),
            Kind::Derived => variables(terms, &mut read),
            _ => {}
        },
        GoalKind::Assign(id, _, value) if *id == fluent => {
            variables(std::slice::from_ref(value), &mut stored);
        }
        GoalKind::AssignNumber(id, ..) if *id == fluent => counted = true,
        GoalKind::Clear(id, keys) if *id == fluent => variables(keys, &mut emptied),
        _ => {}
    });
    let moved = |v: &VariableId| read.contains(v) && !known.contains(v);
    !counted && named.is_disjoint(&emptied) && !stored.iter().any(moved)
}
