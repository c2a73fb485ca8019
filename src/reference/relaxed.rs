//! Runs that do not depend on the position: tests of the state are assumed to hold.

use std::ops::ControlFlow;

use crate::goals::{Environment, Terms as _};
use crate::program::{Goal, GoalKind, Kind, Term};

use super::run::{Answer, Run};

impl<'r> Run<'r> {
    /// Whether a goal is assumed to hold while the position does not matter.
    pub(crate) fn assumed(&mut self, goal: &Goal, env: &Environment) -> Answer<bool> {
        let valued = |run: &mut Run<'r>, args: &[Term]| -> Answer<bool> {
            for arg in args {
                if run.value(arg, env)?.is_none() {
                    return ControlFlow::Continue(false);
                }
            }
            ControlFlow::Continue(true)
        };
        match &goal.kind {
            GoalKind::Call(id, args) => {
                let relation = self.program.relations.get(id.0 as usize);
                match relation.map(|r| r.kind) {
                    Some(Kind::Fluent(_)) => {
                        let known = valued(self, args)?;
                        ControlFlow::Continue(known && self.readable(goal, env)?)
                    }
                    _ => ControlFlow::Continue(false),
                }
            }
            GoalKind::Aggregate(_, _, _, result) => {
                let known = self.value(result, env)?.is_some();
                ControlFlow::Continue(known && self.depends_on_state(goal))
            }
            GoalKind::After(_, _, shared) => {
                let known = shared.iter().all(|v| env.get(*v).is_some());
                ControlFlow::Continue(known && self.depends_on_state(goal))
            }
            GoalKind::Not(_)
            | GoalKind::Forall(..)
            | GoalKind::Compare(..)
            | GoalKind::Legal(_)
            | GoalKind::Stuck
            | GoalKind::Repeated(_)
            | GoalKind::RepeatedBoard(_) => ControlFlow::Continue(self.depends_on_state(goal)),
            _ => ControlFlow::Continue(false),
        }
    }

    /// Whether the known keys with which a goal reads the state belong to their domains.
    pub(crate) fn readable(&mut self, goal: &Goal, env: &Environment) -> Answer<bool> {
        let GoalKind::Call(id, args) = &goal.kind else { return ControlFlow::Continue(true) };
        let relation = self.program.relations.get(id.0 as usize);
        let Some(Kind::Fluent(fluent)) = relation.map(|r| r.kind) else {
            return ControlFlow::Continue(true);
        };
        let mut keys = Vec::new();
        for key in args.iter().take(self.program.fluent(fluent).keys.len()) {
            match self.value(key, env)? {
                Some(value) => keys.push(value),
                None => return ControlFlow::Continue(true),
            }
        }
        ControlFlow::Continue(self.reference.domain(fluent).wrong_key(&keys).is_none())
    }

    /// Whether the goal could hold in another position.
    pub(crate) fn depends_on_state(&self, goal: &Goal) -> bool {
        let mut depends = false;
        goal.walk(&mut |g| {
            depends |= match &g.kind {
                GoalKind::Call(id, _) => {
                    let relation = self.program.relations.get(id.0 as usize);
                    relation.is_none_or(|r| r.kind != Kind::Static)
                }
                _ => g.looks_around() || g.expressions().iter().any(|e| reads_state(e)),
            };
        });
        depends
    }
}

fn reads_state(expression: &crate::program::Expression) -> bool {
    use crate::program::Expression::{Fluent, Operation};
    match expression {
        Fluent(..) => true,
        Operation(_, args) => args.iter().any(reads_state),
        _ => false,
    }
}
