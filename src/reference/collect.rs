//! `each`, which needs all answers of a goal.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::goals::Evaluator as _;
use crate::goals::locals;
use crate::program::{Goal, Value};

use super::run::{Flow, Next, Run};
use crate::goals::Environment;

/// The values of some variables in each answer; variables of inner goals may be unbound.
type Bindings = IndexSet<Vec<Option<Value>>, FxBuildHasher>;

impl<'r> Run<'r> {
    /// `each(goal, action)`: finds all answers of the goal first, then runs the action for one
    /// after another.
    pub(crate) fn each(
        &mut self,
        goal: &Goal,
        action: &Goal,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let locals = locals(goal, env);
        let mut answers = Bindings::default();
        self.goal(goal, env, &mut |run, env| {
            run.spend(1, env)?;
            run.room(answers.len(), env)?;
            answers.insert(locals.iter().map(|v| env.get(*v)).collect());
            ControlFlow::Continue(())
        })?;
        let state = self.undo.len();
        for answer in answers {
            let mark = env.mark();
            for (variable, value) in locals.iter().zip(answer) {
                if let Some(value) = value {
                    env.bind(*variable, value);
                }
            }
            let done = self.first(action, env)?;
            env.undo(mark);
            if !done {
                self.restore(state);
                return ControlFlow::Continue(());
            }
        }
        next(self, env)?;
        self.restore(state);
        ControlFlow::Continue(())
    }
}
