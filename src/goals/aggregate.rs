//! Aggregates, which need all answers of a goal.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::program::{
    Aggregate, ArithmeticOp, Goal, GoalKind, RelationId, Term, Value, VariableId,
};
use crate::source::Span;

use super::terms::Terms;
use super::{Answer, Environment, Evaluator, Stop, found};

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
                (Aggregate::Count | Aggregate::Groups(_), _) => found.insert(value),
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
            Aggregate::Groups(beside) => {
                Some(Value::Integer(self.groups(found.into_iter().collect(), beside, span, env)?))
            }
        })
    }

    /// How many groups some values form, where those beside each other, either way, are of one group.
    ///
    /// # Errors
    /// A fault of the relation that says what is beside what.
    fn groups(
        &mut self,
        mut apart: Vec<Value>,
        beside: RelationId,
        span: Span,
        env: &mut Environment,
    ) -> Answer<i64, Self::Fault> {
        let mut groups = 0;
        while let Some(first) = apart.pop() {
            groups += 1;
            let mut open = vec![first];
            while let Some(site) = open.pop() {
                let mut at = 0;
                while let Some(other) = apart.get(at).copied() {
                    let touch = self.relates(beside, site, other, span, env)?
                        || self.relates(beside, other, site, span, env)?;
                    match touch {
                        true => open.push(apart.swap_remove(at)),
                        false => at += 1,
                    }
                }
            }
        }
        ControlFlow::Continue(groups)
    }

    /// Whether a relation holds of two values.
    ///
    /// # Errors
    /// A fault of the relation.
    fn relates(
        &mut self,
        relation: RelationId,
        a: Value,
        b: Value,
        span: Span,
        env: &mut Environment,
    ) -> Answer<bool, Self::Fault> {
        let args = vec![Term::Constant(a), Term::Constant(b)];
        let goal = Goal::new(GoalKind::Call(relation, args), span);
        found(self.goal(&goal, env, &mut |_, _| ControlFlow::Break(Stop::Enough)))
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
