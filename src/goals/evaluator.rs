//! The goals that every evaluator answers alike.

use std::ops::ControlFlow;

use crate::program::{FluentId, Goal, GoalKind, RelationId, Term, Value, Values};
use crate::source::Span;

use super::aggregate::Aggregates as _;
use super::terms::Terms as _;
use super::{Answer, Environment, Next, Stop, builtins, found};

/// Runs goals from left to right with backtracking.
///
/// The continuation of a goal is a closure: an answer is a call of it, and backtracking is its
/// return. A goal undoes its bindings and updates after its continuation has returned. Where the
/// run stops because one answer is enough, nothing is undone, so the caller finds bindings and
/// state as they were at that answer.
pub trait Evaluator: Sized {
    /// What stops a run although more answers are wanted.
    type Fault;

    /// Steps that an item of a list or compound costs when it is built.
    const ITEM: u64;

    /// The constants.
    fn values(&self) -> &Values;
    /// The constants, to add new ones.
    fn values_mut(&mut self) -> &mut Values;
    /// The list of these items.
    fn list(&mut self, items: &[Value]) -> Value;
    /// The list of these items, which are the last of another one; `None` where it can be no value.
    fn rest(&mut self, items: &[Value]) -> Option<Value>;

    /// Counts steps.
    ///
    /// # Errors
    /// Where the budget is spent or the run is interrupted.
    fn spend(&mut self, steps: u64, env: &Environment) -> Answer<(), Self::Fault>;
    /// Counts answers that are kept until all have been found.
    ///
    /// # Errors
    /// Where too many are kept.
    fn hold(&mut self, answers: usize, env: &Environment) -> Answer<(), Self::Fault>;
    /// Gives answers free.
    fn release(&mut self, answers: usize);
    /// A value is missing.
    fn unbound(&self, span: Span, env: &Environment) -> Stop<Self::Fault>;
    /// A calculation, written in `text`, has no value.
    fn arithmetic(&self, text: &str, span: Span, env: &Environment) -> Stop<Self::Fault>;
    /// A compound is nested too deep.
    fn too_deep(&self, env: &Environment) -> Stop<Self::Fault>;

    /// Answers a call of a relation; `goal` is the whole goal.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn call(
        &mut self,
        relation: RelationId,
        args: &[Term],
        goal: &Goal,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault>;

    /// Runs a goal that reads or changes the state.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn of_state(
        &mut self,
        goal: &Goal,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault>;

    /// The value of a map of the state at these keys.
    fn read(&self, fluent: FluentId, keys: &[Value]) -> Option<Value>;

    /// The updates made so far, for [`Self::restore`].
    fn updates(&self) -> usize;
    /// Undoes the updates since then.
    fn restore(&mut self, updates: usize);

    /// Runs a goal and passes each answer to the continuation.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn goal(
        &mut self,
        goal: &Goal,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        self.spend(1, env)?;
        self.kind(goal, env, next)
    }

    /// Runs a goal by its kind.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn kind(
        &mut self,
        goal: &Goal,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        let span = goal.span;
        match &goal.kind {
            GoalKind::True => next(self, env),
            GoalKind::Fail => ControlFlow::Continue(()),
            GoalKind::Call(relation, args) => self.call(*relation, args, goal, env, next),
            GoalKind::And(goals) => self.all(goals, env, next),
            GoalKind::Or(goals) => {
                for branch in goals {
                    self.goal(branch, env, next)?;
                }
                ControlFlow::Continue(())
            }
            GoalKind::If(condition, then, otherwise) => {
                let mark = env.mark();
                let branch = if self.first(condition, env)? { then } else { otherwise };
                self.goal(branch, env, next)?;
                env.undo(mark);
                ControlFlow::Continue(())
            }
            GoalKind::Once(inner) => {
                let (mark, updates) = (env.mark(), self.updates());
                if self.first(inner, env)? {
                    next(self, env)?;
                }
                env.undo(mark);
                self.restore(updates);
                ControlFlow::Continue(())
            }
            GoalKind::Not(inner) => {
                let found = self.holds(inner, env)?;
                if found { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Forall(all, hold) => {
                let holds = self.forall(all, hold, env)?;
                if holds { next(self, env) } else { ControlFlow::Continue(()) }
            }
            GoalKind::Unify(a, b) => match (self.value(a, env)?, self.value(b, env)?) {
                (Some(value), _) => self.unify(b, value, env, next),
                (None, Some(value)) => self.unify(a, value, env, next),
                (None, None) => ControlFlow::Break(self.unbound(span, env)),
            },
            GoalKind::Differ(a, b) => {
                let mark = env.mark();
                let same = match (self.value(a, env)?, self.value(b, env)?) {
                    (Some(value), _) => self.matches(b, value, env),
                    (None, Some(value)) => self.matches(a, value, env),
                    (None, None) => return ControlFlow::Break(self.unbound(span, env)),
                };
                env.undo(mark);
                if same { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Compare(op, a, b) => {
                // where one side has no value, the other is not calculated
                let Some(a) = self.number(a, env, span)? else { return ControlFlow::Continue(()) };
                match self.number(b, env, span)? {
                    Some(b) if op.holds(a, b) => next(self, env),
                    _ => ControlFlow::Continue(()),
                }
            }
            GoalKind::Is(x, e) => match self.number(e, env, span)? {
                Some(n) => self.unify(x, Value::Integer(n), env, next),
                None => ControlFlow::Continue(()),
            },
            GoalKind::In(x, lo, hi) => {
                let Some(lo) = self.number(lo, env, span)? else {
                    return ControlFlow::Continue(());
                };
                match self.number(hi, env, span)? {
                    Some(hi) => self.between(x, lo, hi, env, next),
                    None => ControlFlow::Continue(()),
                }
            }
            GoalKind::BuiltIn(built_in, args) => {
                let mut given = Vec::with_capacity(args.len());
                for term in args {
                    given.push(self.value(term, env)?);
                }
                let Some(rows) = builtins::answers(*built_in, &given, self.values_mut()) else {
                    return ControlFlow::Break(self.unbound(span, env));
                };
                self.spend(1 + rows.len() as u64, env)?;
                for row in rows {
                    self.pass(args, &row, env, next)?;
                }
                ControlFlow::Continue(())
            }
            GoalKind::Aggregate(kind, template, inner, result) => {
                match self.aggregate(*kind, template, inner, span, env)? {
                    Some(value) => self.unify(result, value, env, next),
                    None => ControlFlow::Continue(()),
                }
            }
            GoalKind::Each(..)
            | GoalKind::After(..)
            | GoalKind::Legal(..)
            | GoalKind::Stuck
            | GoalKind::Repeated(..)
            | GoalKind::RepeatedBoard(..)
            | GoalKind::Assign(..)
            | GoalKind::AssignNumber(..)
            | GoalKind::Clear(..)
            | GoalKind::Set(..)
            | GoalKind::Again => self.of_state(goal, env, next),
        }
    }

    /// Runs goals one after the other.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn all(
        &mut self,
        goals: &[Goal],
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        match goals {
            [] => next(self, env),
            [last] => self.goal(last, env, next),
            [first, rest @ ..] => self.goal(first, env, &mut |run, env| run.all(rest, env, next)),
        }
    }

    /// Runs a goal to its first answer, whose bindings and state are kept.
    ///
    /// # Errors
    /// A fault.
    fn first(&mut self, goal: &Goal, env: &mut Environment) -> Answer<bool, Self::Fault> {
        found(self.goal(goal, env, &mut |_, _| ControlFlow::Break(Stop::Enough)))
    }

    /// Whether a goal has an answer. Bindings and state are restored.
    ///
    /// # Errors
    /// A fault.
    fn holds(&mut self, goal: &Goal, env: &mut Environment) -> Answer<bool, Self::Fault> {
        let (mark, updates) = (env.mark(), self.updates());
        let found = self.first(goal, env)?;
        env.undo(mark);
        self.restore(updates);
        ControlFlow::Continue(found)
    }

    /// Whether `hold` has an answer for each answer of `all`.
    ///
    /// # Errors
    /// A fault.
    fn forall(
        &mut self,
        all: &Goal,
        hold: &Goal,
        env: &mut Environment,
    ) -> Answer<bool, Self::Fault> {
        let mark = env.mark();
        let broken = found(self.goal(all, env, &mut |run, env| {
            let holds = run.holds(hold, env)?;
            if holds { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Enough) }
        }))?;
        env.undo(mark);
        ControlFlow::Continue(!broken)
    }

    /// Continues where a term can be this value.
    ///
    /// # Errors
    /// The stop of the continuation.
    fn unify(
        &mut self,
        term: &Term,
        value: Value,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        let mark = env.mark();
        if self.matches(term, value, env) {
            next(self, env)?;
        }
        env.undo(mark);
        ControlFlow::Continue(())
    }

    /// Continues where the arguments of a call can be these values.
    ///
    /// # Errors
    /// The stop of the continuation.
    fn pass(
        &mut self,
        args: &[Term],
        row: &[Value],
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        let mark = env.mark();
        if args.iter().zip(row).all(|(term, value)| self.matches(term, *value, env)) {
            next(self, env)?;
        }
        env.undo(mark);
        ControlFlow::Continue(())
    }

    /// Continues with each number of an interval that a term can be.
    ///
    /// # Errors
    /// A fault, or the stop of the continuation.
    fn between(
        &mut self,
        x: &Term,
        lo: i64,
        hi: i64,
        env: &mut Environment,
        next: Next<'_, Self>,
    ) -> Answer<(), Self::Fault> {
        match self.value(x, env)? {
            Some(Value::Integer(n)) if lo <= n && n <= hi => next(self, env),
            Some(_) => ControlFlow::Continue(()),
            None => {
                for n in lo..=hi {
                    self.spend(1, env)?;
                    self.unify(x, Value::Integer(n), env, next)?;
                }
                ControlFlow::Continue(())
            }
        }
    }
}
