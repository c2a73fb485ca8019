//! A counter that changes by one with every move, and that nothing tests, leaves its domain
//! eventually, which is a rule error.
//!
//! Wrong: `move(wait) :- quiet += 1.` with `:- state quiet -> 0..80 = 0.` and no `quiet(80)` in an
//! end or in the move.

use crate::diagnostic::Diagnostic;
use crate::program::{
    ArithmeticOp, Clause, Expression, FluentId, Goal, GoalKind, Kind, RelationId,
};

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let tested = tested(facts);
    if tested[FluentId::PLY.0 as usize] {
        return;
    }
    for (_, clause) in facts.clauses() {
        for goal in clause.body.conjuncts() {
            let Some((fluent, up)) = step(goal) else { continue };
            let declared = facts.program.fluent(fluent);
            let Some((lo, hi)) = facts.types.fluent(fluent).last().and_then(|d| d.integers) else {
                continue;
            };
            if tested[fluent.0 as usize] || !goes_on(facts, clause) {
                continue;
            }
            let (name, bound) = (&declared.name, if up { hi } else { lo });
            let keys = if declared.keys.is_empty() { "" } else { "(…)" };
            let sign = if up { "<" } else { ">" };
            warnings.push(
                Diagnostic::warning(
                    "unbounded-count",
                    format!("nothing keeps `{name}` from leaving {lo}..{hi}"),
                )
                .at(goal.span, format!("a rule error when it is {bound}"))
                .at(declared.span, "declared here")
                .hint(format!(
                    "test it, `{name}{keys} {sign} {bound}`, or end the game: `draw :- {name}({}{bound}).`",
                    if keys.is_empty() { "" } else { "_, " }
                )),
            );
        }
    }
}

/// The fluent of `n += 1` or `n -= 1`, and whether it is incremented.
fn step(goal: &Goal) -> Option<(FluentId, bool)> {
    let GoalKind::AssignNumber(fluent, keys, Expression::Operation(op, args)) = &goal.kind else {
        return None;
    };
    let up = match op {
        ArithmeticOp::Add => true,
        ArithmeticOp::Subtract => false,
        _ => return None,
    };
    match args.as_slice() {
        [Expression::Fluent(read, same), Expression::Integer(1)]
            if read == fluent && same == keys =>
        {
            Some((*fluent, up))
        }
        _ => None,
    }
}

/// Whether a clause can be run any number of times. Where pieces are only placed or only removed,
/// it cannot.
fn goes_on(facts: &Checked<'_>, clause: &Clause) -> bool {
    let (mut put, mut taken, mut calls) = (0, 0, false);
    clause.body.walk_here(&mut |goal| match &goal.kind {
        GoalKind::Assign(_, keys, _) | GoalKind::Set(_, keys) if !keys.is_empty() => put += 1,
        GoalKind::AssignNumber(_, keys, _) if !keys.is_empty() => put += 1,
        GoalKind::Clear(_, keys) if !keys.is_empty() => taken += 1,
        GoalKind::Call(id, _) => calls |= facts.program.relation(*id).kind == Kind::Action,
        GoalKind::Each(..) => calls = true,
        _ => {}
    });
    put == taken && !calls
}

/// For each fluent, whether moves, chance events or ends read it.
fn tested(facts: &Checked<'_>) -> Vec<bool> {
    let program = facts.program;
    let mut tested = vec![false; program.fluents.len()];
    let mut reached = vec![false; program.relations.len()];
    let mut open: Vec<RelationId> =
        [program.special.moves, program.special.chance].into_iter().flatten().collect();
    open.extend(program.ends.iter().map(|(_, clause)| program.clause(*clause).relation));
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut reached[id.0 as usize], true) {
            continue;
        }
        if let Kind::Fluent(fluent) = program.relation(id).kind {
            tested[fluent.0 as usize] = true;
        }
        for clause in &program.relation(id).clauses {
            program.clause(*clause).body.walk(&mut |goal| {
                if let GoalKind::Call(to, _) = &goal.kind {
                    open.push(*to);
                }
                if !goal.is_update() {
                    goal.expressions().into_iter().for_each(|e| read(e, &mut tested));
                }
            });
        }
    }
    tested
}

fn read(e: &Expression, tested: &mut [bool]) {
    match e {
        Expression::Fluent(fluent, _) => tested[fluent.0 as usize] = true,
        Expression::Operation(_, args) => args.iter().for_each(|a| read(a, tested)),
        Expression::Integer(_) | Expression::Variable(_) => {}
    }
}
