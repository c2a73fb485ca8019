//! Relations whose answers depend on which arguments a call gives: somewhere below, `once` or a
//! condition keeps the first answer over an argument without a value.

use super::{Clause, Goal, GoalKind, Kind, Program, RelationId, Term, VariableId};

/// For each relation: does a clause keep the first answer over an argument that its caller may
/// leave without a value?
pub fn choosing(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.relations.len()];
    for component in &program.graph.components {
        loop {
            let chooses = |id: &&RelationId| {
                let relation = program.relation(**id);
                !found[id.0 as usize]
                    && relation.kind == Kind::Derived
                    && relation
                        .clauses
                        .iter()
                        .any(|c| in_clause(program, program.clause(*c), &found))
            };
            let Some(id) = component.iter().find(chooses) else { break };
            found[id.0 as usize] = true;
        }
    }
    found
}

fn in_clause(program: &Program, clause: &Clause, found: &[bool]) -> bool {
    let needs = &program.relation(clause.relation).needs_bound;
    let mut open = Vec::new();
    for (term, needed) in clause.head.iter().zip(needs) {
        term.each_variable(&mut |v| {
            if !needed {
                open.push(v);
            }
        });
    }
    clause.body.conjuncts().iter().any(|goal| {
        let chooses = in_goal(goal, &open, found);
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

fn in_goal(goal: &Goal, open: &[VariableId], found: &[bool]) -> bool {
    let within = |goal: &Goal| {
        let mut within = false;
        for goal in goal.conjuncts() {
            // what only tests gives no value
            if !matches!(goal.kind, GoalKind::Compare(..) | GoalKind::Not(_) | GoalKind::Differ(..))
            {
                goal.each_variable(&mut |v| within |= open.contains(&v));
            }
        }
        within
    };
    match &goal.kind {
        GoalKind::Once(inner) => within(inner),
        GoalKind::If(c, t, e) => within(c) || in_goal(t, open, found) || in_goal(e, open, found),
        GoalKind::And(goals) | GoalKind::Or(goals) => goals.iter().any(|g| in_goal(g, open, found)),
        GoalKind::Call(id, args) => {
            let given = |term: &Term| {
                let mut given = false;
                term.each_variable(&mut |v| given |= open.contains(&v));
                given
            };
            found[id.0 as usize] && args.iter().any(given)
        }
        _ => false,
    }
}
