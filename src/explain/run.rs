//! Runs goals from left to right with backtracking, on a state that updates change and
//! backtracking restores.
//!
//! The continuation of a goal is a closure: an answer is a call of it, and backtracking is its
//! return. A goal undoes its bindings and updates after its continuation has returned. Where the
//! run stops because one answer is enough, nothing is undone, so the caller finds bindings and
//! state as they were at that answer.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, ClauseId, FluentId, Goal, GoalKind, Program, Term, Value, Values};
use crate::source::Span;

use super::Reference;
use super::facts::{Facts, Map, Position};
use super::fault::{BUDGET, RuleError};
use super::lookup::Lookup;
use super::moves::Choices;
use super::observe::{Observer, Trace};
use super::tabling::{Fixpoint, Known};
use super::terms::Environment;
use super::updates::Undo;

/// Why a run stops early.
#[derive(Debug)]
pub(super) enum Stop {
    /// One answer was enough.
    Enough,
    Fault(RuleError),
}

/// A result, or the reason to stop.
pub(super) type Answer<T> = ControlFlow<Stop, T>;
/// `Continue` means backtracking for more answers.
pub(super) type Flow = Answer<()>;
/// The continuation of a goal, called for each answer.
pub(super) type Next<'n, 'r> = &'n mut dyn FnMut(&mut Run<'r>, &mut Environment) -> Flow;

/// Goals recurse: the stack is extended where fewer bytes than this are left.
const RED_ZONE: usize = 512 << 10;
/// The number of bytes by which the stack is extended.
const STACK: usize = 8 << 20;

/// The number of steps between two checks for an interruption.
const LISTEN: u64 = 256;

/// Limits on the work of one question.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Goals tried, rows examined, items of lists built.
    pub steps: u64,
    /// Nested calls.
    pub depth: usize,
    /// Stored answers of recursive relations.
    pub answers: usize,
    /// Called now and then; where it returns true the question ends.
    pub interrupted: Option<fn() -> bool>,
    /// The time at which the question ends as if it were interrupted.
    pub until: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        let (steps, depth, answers) = (50_000_000, 10_000, 1_000_000);
        Limits { steps, depth, answers, interrupted: None, until: None }
    }
}

/// The evaluation of one question on one position.
pub(super) struct Run<'r> {
    pub reference: &'r Reference,
    pub program: &'r Program,
    pub question: Option<&'r Clause>,
    /// The constants of the program and of the question, and those made by the run.
    pub values: Values,
    /// The tables, extended by rows that the program does not ask for.
    pub lookup: Arc<Lookup>,
    pub state: Vec<Arc<Map>>,
    pub past: Arc<Vec<Position>>,
    /// The current move has determined the next turn.
    pub turned: bool,
    pub undo: Vec<Undo>,
    /// A number for the content of the state: equal numbers mean equal content.
    pub version: u64,
    pub versions: u64,
    pub fixpoints: Vec<Fixpoint>,
    pub known: Known,
    /// The current number of stored answers and tables of recursive relations.
    pub kept: usize,
    pub choices: FxHashMap<u64, Rc<Choices>>,
    observer: Option<&'r mut dyn Observer>,
    /// Tests of the state are assumed to hold, to find what could be true in another position.
    pub relaxed: bool,
    pub limits: Limits,
    /// The depth to which explanations unfold proofs.
    pub unfolds: usize,
    pub steps: u64,
    pub nesting: usize,
}

impl<'r> Run<'r> {
    pub fn new(reference: &'r Reference, facts: &Facts) -> Run<'r> {
        Run {
            reference,
            program: &reference.program,
            question: None,
            values: Values::over(reference.values.clone()),
            lookup: reference.lookup.clone(),
            state: facts.maps.clone(),
            past: facts.past.clone(),
            turned: false,
            undo: Vec::new(),
            version: 0,
            versions: 0,
            fixpoints: Vec::new(),
            known: Known::default(),
            kept: 0,
            choices: FxHashMap::default(),
            observer: None,
            relaxed: false,
            limits: reference.limits,
            unfolds: super::why::MOST_DEPTH,
            steps: 0,
            nesting: 0,
        }
    }

    /// A run for a question, whose constants may be new.
    pub fn asking(
        reference: &'r Reference,
        facts: &Facts,
        question: &'r crate::program::Question,
    ) -> Run<'r> {
        let values = Values::over(question.values.clone());
        Run { question: Some(&question.clause), values, ..Run::new(reference, facts) }
    }

    /// Sets the depth to which explanations unfold proofs.
    pub fn unfolding(mut self, depth: usize) -> Run<'r> {
        self.unfolds = depth;
        self
    }

    pub fn observed(mut self, observer: &'r mut dyn Observer) -> Run<'r> {
        self.observer = Some(observer);
        self
    }

    /// The clause that an environment belongs to; the question has none in the program.
    pub fn clause_of(&self, env: &Environment) -> Option<&'r Clause> {
        env.clause.map(|id| self.program.clause(id)).or(self.question)
    }

    /// Runs a goal and passes each answer to the continuation.
    pub fn goal(&mut self, goal: &Goal, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        self.spend(1, env)?;
        if self.observer.is_none() {
            return stacker::maybe_grow(RED_ZONE, STACK, || self.kind(goal, env, next));
        }
        self.tell(goal, env, |observer, trace| observer.enter(trace));
        let mut answered = |run: &mut Run<'r>, env: &mut Environment| {
            run.tell(goal, env, |observer, trace| observer.answer(trace));
            next(run, env)
        };
        stacker::maybe_grow(RED_ZONE, STACK, || self.kind(goal, env, &mut answered))?;
        self.tell(goal, env, |observer, trace| observer.fail(trace));
        ControlFlow::Continue(())
    }

    /// Reports to the observer that a clause has made its move.
    pub fn tell_made(&mut self, clause: ClauseId, facts: &Facts) {
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.made(clause, facts);
        }
    }

    fn tell(
        &mut self,
        goal: &Goal,
        env: &Environment,
        event: impl FnOnce(&mut dyn Observer, &Trace<'_>),
    ) {
        let clause = self.clause_of(env);
        if let (Some(observer), Some(clause)) = (self.observer.as_deref_mut(), clause) {
            let (id, bindings, depth) = (env.clause, env.slots.as_slice(), env.depth);
            let (values, state, past) = (&self.values, self.state.as_slice(), &self.past);
            event(observer, &Trace { id, clause, goal, bindings, depth, values, state, past });
        }
    }

    fn kind(&mut self, goal: &Goal, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        let span = goal.span;
        if self.relaxed && self.assumed(goal, env)? {
            return next(self, env);
        }
        match &goal.kind {
            GoalKind::True => next(self, env),
            GoalKind::Fail => ControlFlow::Continue(()),
            GoalKind::Call(relation, args) => self.call(*relation, args, env, next),
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
                let (mark, state) = (env.mark(), self.undo.len());
                if self.first(inner, env)? {
                    next(self, env)?;
                }
                env.undo(mark);
                self.restore(state);
                ControlFlow::Continue(())
            }
            GoalKind::Not(inner) => {
                let found = self.holds(inner, env)?;
                if found { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Forall(all, hold) => {
                if self.forall(all, hold, env)? {
                    next(self, env)
                } else {
                    ControlFlow::Continue(())
                }
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
            GoalKind::BuiltIn(built_in, args) => self.built_in(*built_in, args, span, env, next),
            GoalKind::Aggregate(kind, template, inner, result) => {
                match self.aggregate(*kind, template, inner, span, env)? {
                    Some(value) => self.unify(result, value, env, next),
                    None => ControlFlow::Continue(()),
                }
            }
            GoalKind::Each(all, action) => self.each(all, action, env, next),
            GoalKind::Legal(term) => self.legal(term, env, next),
            GoalKind::Stuck => {
                if self.stuck()? {
                    next(self, env)
                } else {
                    ControlFlow::Continue(())
                }
            }
            GoalKind::Repeated(n) => self.repeated(n, false, span, env, next),
            GoalKind::RepeatedBoard(n) => self.repeated(n, true, span, env, next),
            GoalKind::Assign(..)
            | GoalKind::AssignNumber(..)
            | GoalKind::Clear(..)
            | GoalKind::Set(..)
            | GoalKind::Again => self.update(goal, env, next),
        }
    }

    fn all(&mut self, goals: &[Goal], env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        match goals {
            [] => next(self, env),
            [last] => self.goal(last, env, next),
            [first, rest @ ..] => self.goal(first, env, &mut |run, env| run.all(rest, env, next)),
        }
    }

    /// Runs a goal to its first answer, whose bindings and state are kept.
    pub fn first(&mut self, goal: &Goal, env: &mut Environment) -> Answer<bool> {
        found(self.goal(goal, env, &mut |_, _| ControlFlow::Break(Stop::Enough)))
    }

    /// Whether a goal has an answer. Bindings and state are restored.
    pub fn holds(&mut self, goal: &Goal, env: &mut Environment) -> Answer<bool> {
        let (mark, state) = (env.mark(), self.undo.len());
        let found = self.first(goal, env)?;
        env.undo(mark);
        self.restore(state);
        ControlFlow::Continue(found)
    }

    fn forall(&mut self, all: &Goal, hold: &Goal, env: &mut Environment) -> Answer<bool> {
        let mark = env.mark();
        let broken = found(self.goal(all, env, &mut |run, env| {
            if run.holds(hold, env)? {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(Stop::Enough)
            }
        }))?;
        env.undo(mark);
        ControlFlow::Continue(!broken)
    }

    pub fn unify(
        &mut self,
        term: &Term,
        value: Value,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let mark = env.mark();
        if self.matches(term, value, env) {
            next(self, env)?;
        }
        env.undo(mark);
        ControlFlow::Continue(())
    }

    fn between(
        &mut self,
        x: &Term,
        lo: i64,
        hi: i64,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
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

    /// Counts steps; stops where a limit is exceeded or the run is interrupted.
    pub fn spend(&mut self, steps: u64, env: &Environment) -> Flow {
        let before = self.steps / LISTEN;
        self.steps = self.steps.saturating_add(steps);
        if self.steps / LISTEN > before
            && (self.limits.interrupted.is_some_and(|interrupted| interrupted())
                || self.limits.until.is_some_and(|until| Instant::now() >= until))
        {
            return ControlFlow::Break(Stop::Fault(RuleError::interrupted()));
        }
        if self.steps > self.limits.steps || self.values.are_too_many() {
            let fault = Diagnostic::error(BUDGET, "the rules ask for too many steps")
                .hint("look for goals that combine everything with everything");
            return ControlFlow::Break(self.fault(fault, env));
        }
        ControlFlow::Continue(())
    }

    /// Runs a nested call.
    pub fn nested(&mut self, env: &Environment, call: impl FnOnce(&mut Run<'r>) -> Flow) -> Flow {
        if self.nesting >= self.limits.depth {
            return ControlFlow::Break(self.too_deep(env));
        }
        self.nesting += 1;
        let flow = call(self);
        self.nesting -= 1;
        flow
    }

    /// A rule error in the current clause, with the values of its variables.
    pub fn fault(&self, mut fault: Diagnostic, env: &Environment) -> Stop {
        if let Some(clause) = self.clause_of(env) {
            let named = clause.variables.iter().zip(&env.slots);
            let bound: Vec<String> = named
                .filter(|(variable, _)| !variable.name.starts_with('_'))
                .filter_map(|(v, value)| {
                    value.map(|x| format!("{} = {}", v.name, self.values.show(x)))
                })
                .collect();
            let whole = if env.clause.is_some() { "in this clause" } else { "asked here" };
            let text = match bound.is_empty() {
                true => whole.to_string(),
                false => format!("{whole}, with {}", bound.join(", ")),
            };
            fault = fault.at(clause.span, text);
        }
        Stop::Fault(RuleError::new(fault))
    }

    pub fn unbound(&self, span: Span, env: &Environment) -> Stop {
        let fault = Diagnostic::error("unbound-variable", "a value is missing here")
            .at(span, "not bound when this goal is reached")
            .hint("put a goal before it that gives the value");
        self.fault(fault, env)
    }

    pub fn arithmetic(&self, text: &str, span: Span, env: &Environment) -> Stop {
        let fault = Diagnostic::error("arithmetic", format!("`{text}` has no value"))
            .at(span, "calculated here")
            .hint("`/` must be exact (`//` rounds), and nothing is divided by 0");
        self.fault(fault, env)
    }

    pub fn too_deep(&self, env: &Environment) -> Stop {
        let fault = Diagnostic::error("play-budget", "a rule calls itself without end")
            .hint("a recursive rule needs a clause that ends the recursion");
        self.fault(fault, env)
    }

    /// The value of a fluent at bound keys.
    pub fn read_one(&self, fluent: FluentId, keys: &[Value]) -> Option<Value> {
        self.state[fluent.0 as usize].get(keys).copied()
    }
}

/// Whether the run stopped because an answer was enough.
pub(super) fn found(flow: Flow) -> Answer<bool> {
    match flow {
        ControlFlow::Continue(()) => ControlFlow::Continue(false),
        ControlFlow::Break(Stop::Enough) => ControlFlow::Continue(true),
        ControlFlow::Break(fault) => ControlFlow::Break(fault),
    }
}
