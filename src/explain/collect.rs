//! Goals that need all answers of another goal: aggregates and `each`.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::program::{Aggregate, ArithmeticOp, Goal, Term, Value, VariableId};
use crate::source::Span;

use super::run::{Answer, Flow, Next, Run};
use super::terms::Environment;

/// The values of some variables in each answer; variables of inner goals may be unbound.
type Bindings = IndexSet<Vec<Option<Value>>, FxBuildHasher>;

impl<'r> Run<'r> {
    /// The result of an aggregate; `None` for the greatest or least of no values.
    pub(super) fn aggregate(
        &mut self,
        kind: Aggregate,
        template: &Term,
        goal: &Goal,
        span: Span,
        env: &mut Environment,
    ) -> Answer<Option<Value>> {
        let locals = locals(goal, env);
        let mut bindings = Bindings::default();
        let mut found: IndexSet<Value, FxBuildHasher> = IndexSet::default();
        let mut sum = 0i64;
        let mut list = Vec::new();
        self.goal(goal, env, &mut |run, env| {
            run.spend(1, env)?;
            run.room(found.len() + list.len() + bindings.len(), env)?;
            let value = run.need(template, env, span)?;
            match (kind, value) {
                (Aggregate::Count, _) => drop(found.insert(value)),
                (Aggregate::Findall, _) => list.push(value),
                (_, Value::Constant(_)) => {
                    return ControlFlow::Break(run.no_number(value, span, env));
                }
                (Aggregate::Max | Aggregate::Min, _) => drop(found.insert(value)),
                (Aggregate::Sum, Value::Integer(n)) => {
                    if bindings.insert(locals.iter().map(|v| env.get(*v)).collect()) {
                        sum = match ArithmeticOp::Add.apply(&[sum, n]) {
                            Some(sum) => sum,
                            None => {
                                let text = format!("{sum} + {n}");
                                return ControlFlow::Break(run.arithmetic(&text, span, env));
                            }
                        };
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(match kind {
            Aggregate::Count => Some(Value::Integer(found.len() as i64)),
            Aggregate::Sum => Some(Value::Integer(sum)),
            Aggregate::Max => found.into_iter().max(),
            Aggregate::Min => found.into_iter().min(),
            Aggregate::Findall => Some(self.values.list(&list)),
        })
    }

    /// `each(goal, action)`: finds all answers of the goal first, then runs the action for one
    /// after another.
    pub(super) fn each(
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

/// The unbound variables of a goal, each once.
pub(super) fn locals(goal: &Goal, env: &Environment) -> Vec<VariableId> {
    let mut locals = Vec::new();
    goal.each_variable(&mut |v| {
        if env.get(v).is_none() && !locals.contains(&v) {
            locals.push(v);
        }
    });
    locals
}
