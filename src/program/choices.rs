//! Relations whose answers depend on which arguments a call binds: in them, or in a relation that
//! they use, `once` or a condition keeps the first answer over an unbound argument.

use super::{Clause, Goal, GoalKind, Kind, Program, RelationId, Term, VariableId};

/// Marks the relations of a component that make choices; those that it calls are marked already.
/// True where one was not marked before.
pub(super) fn mark(program: &mut Program, component: &[RelationId]) -> bool {
    let mut marked = false;
    loop {
        let chooses = |id: &&RelationId| {
            let relation = program.relation(**id);
            !relation.chooses
                && !matches!(relation.kind, Kind::Fluent(_))
                && relation.clauses.iter().any(|c| in_clause(program, program.clause(*c)))
        };
        let Some(id) = component.iter().find(chooses) else { break };
        program.relations[id.0 as usize].chooses = true;
        marked = true;
    }
    marked
}

/// Whether a clause makes a choice over an argument that its callers need not bind.
pub(crate) fn in_clause(program: &Program, clause: &Clause) -> bool {
    let needs = &program.relation(clause.relation).needs_bound;
    let mut open = Vec::new();
    for (term, needed) in clause.head.iter().zip(needs) {
        term.each_variable(&mut |v| {
            if !needed {
                open.push(v);
            }
        });
    }
    in_goals(program, clause.body.conjuncts(), &mut open)
}

/// Whether one of these goals chooses; the variables that they bind are closed.
fn in_goals(program: &Program, goals: &[Goal], open: &mut Vec<VariableId>) -> bool {
    goals.iter().any(|goal| {
        if let GoalKind::After(action, then, _) = &goal.kind {
            return in_goals(program, action.conjuncts(), open)
                || in_goals(program, then.conjuncts(), open);
        }
        let chooses = in_goal(program, goal, open);
        let mut close = |v: VariableId| open.retain(|other| *other != v);
        match &goal.kind {
            GoalKind::Aggregate(_, _, _, result) => result.each_variable(&mut close),
            GoalKind::Call(..) | GoalKind::Unify(..) | GoalKind::Is(..) | GoalKind::In(..) => {
                goal.each_variable(&mut close);
            }
            _ => {}
        }
        chooses
    })
}

fn in_goal(program: &Program, goal: &Goal, open: &[VariableId]) -> bool {
    let within = |goal: &Goal| {
        let mut within = false;
        for goal in goal.conjuncts() {
            // a test gives no value
            if !matches!(goal.kind, GoalKind::Compare(..) | GoalKind::Not(_) | GoalKind::Differ(..))
            {
                goal.each_variable(&mut |v| within |= open.contains(&v));
            }
        }
        within
    };
    match &goal.kind {
        GoalKind::Once(inner) => within(inner),
        GoalKind::If(c, t, e) => {
            within(c) || in_goal(program, t, open) || in_goal(program, e, open)
        }
        GoalKind::And(goals) | GoalKind::Or(goals) => {
            goals.iter().any(|g| in_goal(program, g, open))
        }
        GoalKind::After(action, then, _) => {
            in_goal(program, action, open) || in_goal(program, then, open)
        }
        GoalKind::Call(id, args) => {
            let given = |term: &Term| {
                let mut given = false;
                term.each_variable(&mut |v| given |= open.contains(&v));
                given
            };
            program.relation(*id).chooses && args.iter().any(given)
        }
        _ => false,
    }
}
