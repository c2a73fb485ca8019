//! One question to the reference evaluator: goals are run ([`Evaluator`]) on a state that updates change
//! and backtracking restores.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::goals::{self, Environment, Evaluator, Terms as _};
use crate::program::{
    Budget, Clause, ClauseId, FluentId, Goal, GoalKind, Program, RelationId, Term, UNWOUND, Value,
    Values, call_text,
};
use crate::source::Span;

use super::Reference;
use super::facts::{Facts, Map, Position};
use super::fault::{BUDGET, RuleError};
use super::lookup::Lookup;
use super::moves::Choices;
use super::observe::{Observer, Trace};
use super::tabling::{Fixpoint, Known};
use super::updates::Undo;

pub(crate) type Stop = goals::Stop<RuleError>;
/// A result, or the reason to stop.
pub(crate) type Answer<T> = goals::Answer<T, RuleError>;
/// `Continue` means backtracking for more answers.
pub(crate) type Flow = Answer<()>;
/// The continuation of a goal, called for each answer.
pub(crate) type Next<'n, 'r> = goals::Next<'n, Run<'r>>;

/// Goals recurse: the stack is extended where fewer bytes than this are left.
const RED_ZONE: usize = 512 << 10;
/// The number of bytes by which the stack is extended.
const STACK: usize = 8 << 20;

/// Runs what may be nested deep, on a stack that is extended where it is short.
pub(super) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK, run)
}

/// The depth to which proofs are unfolded.
pub(crate) const MOST_DEPTH: usize = 24;

/// The number of steps between two checks for an interruption.
const LISTEN: u64 = 256;

/// The evaluation of one question on one position.
pub(crate) struct Run<'r> {
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
    pub budget: Budget,
    /// The depth to which explanations unfold proofs.
    pub unfolds: usize,
    pub steps: u64,
    pub nesting: usize,
    /// The calls that were left, innermost first, since calls were nested too deep.
    pub unwound: Option<Vec<(RelationId, Vec<Option<Value>>)>>,
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
            budget: reference.budget,
            unfolds: MOST_DEPTH,
            steps: 0,
            nesting: 0,
            unwound: None,
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

    /// Runs a goal, or assumes that it holds.
    fn relaxed_kind(&mut self, goal: &Goal, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        if self.relaxed && self.assumed(goal, env)? {
            return next(self, env);
        }
        self.kind(goal, env, next)
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

    /// Runs a nested call.
    pub fn nested(&mut self, env: &Environment, call: impl FnOnce(&mut Run<'r>) -> Flow) -> Flow {
        if self.nesting >= self.budget.depth {
            self.unwound = Some(Vec::new());
            return ControlFlow::Break(self.too_deep(env));
        }
        self.nesting += 1;
        let flow = call(self);
        self.nesting -= 1;
        flow
    }

    /// Notes a call that was left because calls are nested too deep; the fault tells the first that is inside the
    /// same call.
    #[cold]
    pub fn unwind(&mut self, stop: Stop, id: ClauseId, given: &[Option<Value>]) -> Stop {
        let (Some(mut calls), Stop::Fault(error)) = (self.unwound.take(), &stop) else {
            return stop;
        };
        let relation = self.program.clause(id).relation;
        let call = (relation, given.to_vec());
        let comes_back = calls.contains(&call);
        if !comes_back && !calls.is_empty() {
            calls.push(call);
            self.unwound = (calls.len() < UNWOUND).then_some(calls);
            return stop;
        }
        let shown = |x: &Option<Value>| x.map_or("_".to_string(), |x| self.values.show(x));
        let shown: Vec<String> = given.iter().map(shown).collect();
        let text = call_text(&self.program.relation(relation).name, &shown);
        let clauses = self.program.relation(relation).clauses.iter().copied();
        let fault = self.program.endless(&text, clauses, comes_back);
        if !comes_back {
            calls.push(call);
            self.unwound = Some(calls);
        }
        let fault = match error.diagnostic().labels.last() {
            Some(label) if !comes_back && fault.labels.iter().all(|l| l.span != label.span) => {
                fault.at(label.span, label.text.clone())
            }
            _ => fault,
        };
        Stop::Fault(RuleError::new(fault))
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
}

impl<'r> Evaluator for Run<'r> {
    type Fault = RuleError;

    /// More than for a goal, since what is built takes memory.
    const ITEM: u64 = 4;

    fn values(&self) -> &Values {
        &self.values
    }

    fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    fn list(&mut self, items: &[Value]) -> Value {
        self.values.list(items)
    }

    fn rest(&mut self, items: &[Value]) -> Option<Value> {
        Some(self.values.list(items))
    }

    fn goal(&mut self, goal: &Goal, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        self.spend(1, env)?;
        if self.observer.is_none() {
            return with_stack(|| self.relaxed_kind(goal, env, next));
        }
        self.tell(goal, env, |observer, trace| observer.enter(trace));
        let mut answered = |run: &mut Run<'r>, env: &mut Environment| {
            run.tell(goal, env, |observer, trace| observer.answer(trace));
            next(run, env)
        };
        with_stack(|| self.relaxed_kind(goal, env, &mut answered))?;
        self.tell(goal, env, |observer, trace| observer.fail(trace));
        ControlFlow::Continue(())
    }

    fn spend(&mut self, steps: u64, env: &Environment) -> Flow {
        let before = self.steps / LISTEN;
        self.steps = self.steps.saturating_add(steps);
        if self.steps / LISTEN > before && self.budget.is_over() {
            return ControlFlow::Break(Stop::Fault(RuleError::interrupted()));
        }
        if self.steps > self.budget.steps || self.values.are_too_many() {
            let fault = Diagnostic::error(BUDGET, "the rules ask for too many steps")
                .hint("look for goals that combine everything with everything");
            return ControlFlow::Break(self.fault(fault, env));
        }
        ControlFlow::Continue(())
    }

    fn hold(&mut self, answers: usize, env: &Environment) -> Flow {
        self.kept += answers;
        self.room(self.kept, env)
    }

    fn release(&mut self, answers: usize) {
        self.kept = self.kept.saturating_sub(answers);
    }

    fn unbound(&self, span: Span, env: &Environment) -> Stop {
        let fault = Diagnostic::error("unbound-variable", "a value is missing here")
            .at(span, "not bound when this goal is reached")
            .hint("put a goal before it that gives the value");
        self.fault(fault, env)
    }

    fn arithmetic(&self, text: &str, span: Span, env: &Environment) -> Stop {
        let fault = Diagnostic::error("arithmetic", format!("`{text}` has no value"))
            .at(span, "calculated here")
            .hint("`/` must be exact (`//` rounds), and nothing is divided by 0");
        self.fault(fault, env)
    }

    fn too_deep(&self, env: &Environment) -> Stop {
        self.fault(self.program.endless("", std::iter::empty(), false), env)
    }

    fn call(
        &mut self,
        relation: RelationId,
        args: &[Term],
        _: &Goal,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let mut given = Vec::with_capacity(args.len());
        for term in args {
            given.push(self.value(term, env)?);
        }
        // the caller's bindings are not needed below: errors there are about the called clauses
        let caller = Environment::new(env.clause, env.depth, 0);
        self.rows(relation, &given, &caller, &mut |run, row| run.pass(args, row, env, next))
    }

    fn of_state(&mut self, goal: &Goal, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        match &goal.kind {
            GoalKind::Each(all, action) => self.each(all, action, env, next),
            GoalKind::After(action, then, shared) => self.after((action, then, shared), env, next),
            GoalKind::Legal(term) => self.legal(term, env, next),
            GoalKind::Stuck => {
                let stuck = self.stuck()?;
                if stuck { next(self, env) } else { ControlFlow::Continue(()) }
            }
            GoalKind::Repeated(n) => self.repeated(n, false, goal.span, env, next),
            GoalKind::RepeatedBoard(n) => self.repeated(n, true, goal.span, env, next),
            _ => self.update(goal, env, next),
        }
    }

    fn read(&self, fluent: FluentId, keys: &[Value]) -> Option<Value> {
        self.state[fluent.0 as usize].get(keys).copied()
    }

    fn updates(&self) -> usize {
        self.undo.len()
    }

    fn restore(&mut self, updates: usize) {
        self.undo_to(updates);
    }
}
