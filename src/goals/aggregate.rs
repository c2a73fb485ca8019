//! Aggregates, which need all answers of a goal.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::program::{Aggregate, ArithmeticOp, Goal, Term, Value, VariableId};
use crate::source::Span;

use super::terms::Terms;
use super::{Answer, Environment, Evaluator};

/// The values of some variables in each answer; variables of inner goals may be unbound.
type Bindings = IndexSet<Vec<Option<Value>>, FxBuildHasher>;

/// Aggregates.
pub trait Aggregates: Evaluator {
    /// The result of an aggregate; `None` for the greatest or least of no values.
    ///
    /// # Errors
    /// A value that is no number, a sum that is too large, a fault of the goal.
    fn aggregate(
        &mut self,
        kind: Aggregate,
        template: &Term,
        goal: &Goal,
        span: Span,
        env: &mut Environment,
    ) -> Answer<Option<Value>, Self::Fault> {
        let locals = locals(goal, env);
        let mut bindings = Bindings::default();
        let mut found: IndexSet<Value, FxBuildHasher> = IndexSet::default();
        let (mut sum, mut list, mut kept) = (0i64, Vec::new(), 0);
        let flow = self.goal(goal, env, &mut |run, env| {
            run.spend(1, env)?;
            let value = run.need(template, env, span)?;
            let new = match (kind, value) {
                (Aggregate::Count, _) => found.insert(value),
                (Aggregate::Findall, _) => {
                    list.push(value);
                    true
                }
                (_, Value::Constant(_)) => {
                    return ControlFlow::Break(run.no_number(value, span, env));
                }
                (Aggregate::Max | Aggregate::Min, _) => found.insert(value),
                (Aggregate::Sum, Value::Integer(n)) => {
                    let new = bindings.insert(locals.iter().map(|v| env.get(*v)).collect());
                    if new {
                        sum = match ArithmeticOp::Add.apply(&[sum, n]) {
                            Some(sum) => sum,
                            None => {
                                let text = format!("{sum} + {n}");
                                return ControlFlow::Break(run.arithmetic(&text, span, env));
                            }
                        };
                    }
                    new
                }
            };
            if new {
                kept += 1;
                run.hold(1, env)?;
            }
            ControlFlow::Continue(())
        });
        self.release(kept);
        flow?;
        ControlFlow::Continue(match kind {
            Aggregate::Count => Some(Value::Integer(found.len() as i64)),
            Aggregate::Sum => Some(Value::Integer(sum)),
            Aggregate::Max => found.into_iter().max(),
            Aggregate::Min => found.into_iter().min(),
            Aggregate::Findall => Some(self.list(&list)),
        })
    }
}

impl<E: Evaluator> Aggregates for E {}

/// The unbound variables that tell answers of a goal apart, each once.
pub fn locals(goal: &Goal, env: &Environment) -> Vec<VariableId> {
    let mut locals = Vec::new();
    goal.each_told(&mut |v| {
        if env.get(v).is_none() && !locals.contains(&v) {
            locals.push(v);
        }
    });
    locals
}
