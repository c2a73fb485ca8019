//! Updates of the state, and how they are undone.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::goals::{Evaluator as _, Terms as _};
use crate::program::{Clause, Expression, FluentId, Goal, GoalKind, Value, VariableId};
use crate::source::Span;

use super::facts::IN_SET;
use super::run::{Answer, Flow, Next, Run, Stop};
use crate::goals::Environment;

/// The state before an update.
#[derive(Debug)]
pub(crate) struct Undo {
    /// A fluent's value for some keys.
    entry: Option<(FluentId, Vec<Value>, Option<Value>)>,
    turned: bool,
    version: u64,
}

/// The most values of a domain that a fault lists.
const LISTED: usize = 16;

impl<'r> Run<'r> {
    /// Makes an update, runs the continuation, and undoes the update.
    pub(crate) fn update(
        &mut self,
        goal: &Goal,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let mark = self.undo.len();
        if self.make(goal, env)? {
            next(self, env)?;
        }
        self.restore(mark);
        ControlFlow::Continue(())
    }

    /// `after(A, G)`: continues in the position before A for each answer of G in the position that A
    /// makes.
    pub(crate) fn after(
        &mut self,
        (action, then, shared): (&Goal, &Goal, &[VariableId]),
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let (mark, bindings) = (self.undo.len(), env.mark());
        // there is no second answer where all that it tells is given
        let one = shared.iter().all(|v| env.get(*v).is_some());
        let mut done = false;
        let real = (self.state.clone(), self.turned, self.version);
        let flow = self.goal(action, env, &mut |run, env| {
            run.goal(then, env, &mut |run, env| {
                let state = std::mem::replace(&mut run.state, real.0.clone());
                let turned = std::mem::replace(&mut run.turned, real.1);
                let (undo, version) = (run.undo.split_off(mark), run.version);
                run.return_to(real.2);
                next(run, env)?;
                if one {
                    done = true;
                    return ControlFlow::Break(Stop::Enough);
                }
                run.undo_to(mark);
                run.undo.extend(undo);
                (run.state, run.turned, run.version) = (state, turned, version);
                ControlFlow::Continue(())
            })
        });
        if done && matches!(flow, ControlFlow::Break(Stop::Enough)) {
            env.undo(bindings);
            return ControlFlow::Continue(());
        }
        flow
    }

    /// Makes an update; false where it reads a map that has no value.
    fn make(&mut self, goal: &Goal, env: &Environment) -> Answer<bool> {
        let span = goal.span;
        let (fluent, keys, value) = match &goal.kind {
            GoalKind::Assign(fluent, keys, value) => {
                let keys = self.keys(*fluent, keys, span, env)?;
                let value = self.need(value, env, span)?;
                (*fluent, keys, Some(self.allowed(*fluent, value, span, env)?))
            }
            GoalKind::AssignNumber(fluent, keys, expression) => {
                let Some(value) = self.calculated(expression, span, env)? else {
                    return ControlFlow::Continue(false);
                };
                let keys = self.keys(*fluent, keys, span, env)?;
                (*fluent, keys, Some(self.allowed(*fluent, value, span, env)?))
            }
            GoalKind::Clear(fluent, keys) => {
                let initial = self.reference.domain(*fluent).initial;
                (*fluent, self.keys(*fluent, keys, span, env)?, initial)
            }
            GoalKind::Set(fluent, keys) => {
                (*fluent, self.keys(*fluent, keys, span, env)?, Some(IN_SET))
            }
            _ => {
                self.changing(None);
                self.turned = true;
                return ControlFlow::Continue(true);
            }
        };
        self.put(fluent, keys, value);
        ControlFlow::Continue(true)
    }

    /// The keys of an update; a key outside its domain is a rule error.
    fn keys(
        &mut self,
        fluent: FluentId,
        keys: &[crate::program::Term],
        span: Span,
        env: &Environment,
    ) -> Answer<Vec<Value>> {
        let keys = self.needed(keys, env, span)?;
        match self.reference.domain(fluent).wrong_key(&keys) {
            Some(key) => ControlFlow::Break(self.outside("key", fluent, key, span, env)),
            None => ControlFlow::Continue(keys),
        }
    }

    /// The value of an update's right side. The value of a single map need not be a number.
    fn calculated(
        &mut self,
        expression: &Expression,
        span: Span,
        env: &Environment,
    ) -> Answer<Option<Value>> {
        if let Expression::Fluent(fluent, keys) = expression {
            let keys = self.needed(keys, env, span)?;
            return ControlFlow::Continue(self.read(*fluent, &keys));
        }
        let number = self.number(expression, env, span)?;
        ControlFlow::Continue(number.map(Value::Integer))
    }

    fn allowed(
        &self,
        fluent: FluentId,
        value: Value,
        span: Span,
        env: &Environment,
    ) -> Answer<Value> {
        if self.reference.domain(fluent).allows(value) {
            ControlFlow::Continue(value)
        } else {
            ControlFlow::Break(self.outside("value", fluent, value, span, env))
        }
    }

    fn outside(
        &self,
        what: &str,
        fluent: FluentId,
        value: Value,
        span: Span,
        env: &Environment,
    ) -> super::run::Stop {
        let declared = self.program.fluent(fluent);
        let shown = self.values.show(value);
        let mut fault = Diagnostic::error(
            "value-outside-domain",
            format!("`{shown}` is no {what} of `{}`", declared.name),
        )
        .at(span, format!("updated with the {what} `{shown}` here"));
        if declared.span != Span::NONE {
            fault = fault.at(declared.span, "declared here");
        }
        let domain = self.reference.domain(fluent);
        // an update in a clause calls for a change of the rules, one in a typed position for another value
        let inside = |clause: &Clause| {
            let of = clause.span;
            of.file == span.file && of.start <= span.start && span.end <= of.end
        };
        let fault = match self.program.clauses.iter().any(inside) {
            true => fault.hint("declare a larger domain, or test the value before the update"),
            false => {
                let all: Vec<Value> = match what {
                    "key" => domain.fitting_keys(&[value]).take(LISTED + 1).collect(),
                    _ => domain.values().take(LISTED + 1).collect(),
                };
                let more = if all.len() > LISTED { ", …" } else { "" };
                let listed = self.values.show_all(&all[..all.len().min(LISTED)]);
                fault.hint(format!("it takes {listed}{more}"))
            }
        };
        self.fault(fault, env)
    }

    /// Writes or removes a value, which must belong to its domain.
    pub(crate) fn put(&mut self, fluent: FluentId, keys: Vec<Value>, value: Option<Value>) {
        let before = self.read(fluent, &keys);
        self.changing(Some((fluent, keys.clone(), before)));
        if fluent == FluentId::TURN {
            self.turned = true;
        }
        self.write(fluent, keys, value);
    }

    fn write(&mut self, fluent: FluentId, keys: Vec<Value>, value: Option<Value>) {
        let map = Arc::make_mut(&mut self.state[fluent.0 as usize]);
        match value {
            Some(value) => map.insert(keys, value),
            None => map.remove(&keys),
        };
    }

    /// Records a value that is about to change, and gives the state a new version.
    fn changing(&mut self, entry: Option<(FluentId, Vec<Value>, Option<Value>)>) {
        self.undo.push(Undo { entry, turned: self.turned, version: self.version });
        self.renew();
    }

    /// Gives the state an unused version.
    pub(crate) fn renew(&mut self) {
        self.versions += 1;
        self.version = self.versions;
    }

    /// Undoes the updates made since the mark.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let Some(undo) = self.undo.pop() else { return };
            self.turned = undo.turned;
            self.return_to(undo.version);
            if let Some((fluent, keys, before)) = undo.entry {
                self.write(fluent, keys, before);
            }
        }
    }
}
