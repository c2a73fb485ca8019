//! Calls of relations that have no table: their clauses are resolved top-down.
//!
//! A recursion that comes back to the same call, as `reach(A, C) :- reach(A, B), step(B, C)` does, would never end so. Its
//! answers are gathered round by round then: within its own evaluation it has those of the rounds before
//! (naive iteration of a tabled call; Tamaki, Sato 1986).

use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::goals::{Answer, Environment, Evaluator as _, Row, Stop, Terms as _};
use crate::program::{ClauseId, RelationId, Term, Value};

use super::solve::{Flow, Limit, Next, Solver};

/// A relation and the arguments that are given.
pub(super) type Call = (RelationId, Vec<Option<Value>>);

type Rows = IndexSet<Row, FxBuildHasher>;

/// The calls of recursive relations that are being evaluated.
#[derive(Debug, Default)]
pub(super) struct Calls<'p> {
    /// Those that are resolved top-down.
    running: FxHashSet<Call>,
    /// Those that are evaluated round by round, those that others ask for behind these.
    rounds: Vec<Rounds<'p>>,
}

/// The evaluation, round by round, of a call and of those that it asks for among the relations that call each other.
#[derive(Debug, Default)]
struct Rounds<'p> {
    members: &'p [RelationId],
    round: u32,
    /// The answers of each call so far, and the last round in which it was evaluated.
    answers: FxHashMap<Call, (Rows, u32)>,
    /// An answer was found in this round, or none has begun.
    grows: bool,
}

impl<'p> Solver<'p> {
    /// The answers of a call of a relation that has no table.
    pub(super) fn on_demand(
        &mut self,
        relation: RelationId,
        args: &[Term],
        env: &mut Environment,
        next: Next<'_, 'p>,
    ) -> Flow {
        let clause = env.clause.unwrap_or(ClauseId(0));
        if self.depth > self.budget.depth {
            return ControlFlow::Break(Stop::Fault(Limit::Depth { clause }));
        }
        let mut given = Vec::new();
        for term in args {
            given.push(self.value(term, env)?);
        }
        let call = (relation, given);
        let mut seen = Rows::default();
        if !self.program.relation(relation).recursive {
            return self.resolve(&call, args, env, &mut seen, next);
        }
        let rounds = &self.calls.rounds;
        if let Some(at) = rounds.iter().rposition(|rounds| rounds.members.contains(&relation)) {
            self.visit(at, &call)?;
            let rows = self.found(at, &call);
            return self.answer(rows.iter(), args, env, next);
        }
        if !self.calls.running.insert(call.clone()) {
            return ControlFlow::Break(Stop::Fault(Limit::Again { clause, call }));
        }
        let (mark, depth) = (env.mark(), self.depth);
        // what comes after an answer is no part of the evaluation
        let flow = self.resolve(&call, args, env, &mut seen, &mut |solver, env| {
            solver.calls.running.remove(&call);
            let flow = next(solver, env);
            solver.calls.running.insert(call.clone());
            flow
        });
        self.calls.running.remove(&call);
        match flow {
            ControlFlow::Break(Stop::Fault(Limit::Again { call: again, .. })) if again == call => {}
            flow => return flow,
        }
        env.undo(mark);
        self.depth = depth;
        let rows = self.in_rounds(&call, env)?;
        self.answer(rows.difference(&seen), args, env, next)
    }

    /// Resolves the clauses for a call. Each answer is told once, and is among those that were `seen` then.
    fn resolve(
        &mut self,
        (relation, given): &Call,
        args: &[Term],
        env: &mut Environment,
        seen: &mut Rows,
        next: Next<'_, 'p>,
    ) -> Flow {
        let program = self.program;
        let mut held = 0;
        for id in &program.relation(*relation).clauses {
            let flow = self.resolve_clause(*id, given, &mut |solver, inner, row| {
                if !seen.insert(row.clone()) {
                    return ControlFlow::Continue(());
                }
                held += 1;
                solver.hold(1, inner)?;
                solver.answer(std::iter::once(&row), args, env, next)
            });
            if flow.is_break() {
                self.release(held);
            }
            flow?;
        }
        self.release(held);
        ControlFlow::Continue(())
    }

    /// Calls `found` with each answer of a clause.
    fn resolve_clause(
        &mut self,
        id: ClauseId,
        given: &[Option<Value>],
        found: &mut dyn FnMut(&mut Solver<'p>, &Environment, Row) -> Flow,
    ) -> Flow {
        let clause = self.program.clause(id);
        let mut inner = Environment::new(Some(id), 0, clause.variables.len());
        let mut heads = clause.head.iter().zip(given);
        if !heads.all(|(term, value)| value.is_none_or(|v| self.matches(term, v, &mut inner))) {
            return ControlFlow::Continue(());
        }
        self.depth += 1;
        let flow = stacker::maybe_grow(128 << 10, 4 << 20, || {
            self.goal(&clause.body, &mut inner, &mut |solver, inner| {
                let mut row = Row::new();
                for term in &clause.head {
                    row.push(solver.need(term, inner, clause.head_span)?);
                }
                found(solver, inner, row)
            })
        });
        self.depth -= 1;
        flow
    }

    /// All answers of a call that its own evaluation asks for.
    fn in_rounds(&mut self, call: &Call, env: &Environment) -> Answer<Rows, Limit> {
        let members = self.program.graph.component_of(call.0);
        let at = self.calls.rounds.len();
        self.calls.rounds.push(Rounds { members, grows: true, ..Rounds::default() });
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() && std::mem::replace(&mut self.calls.rounds[at].grows, false) {
            self.calls.rounds[at].round += 1;
            flow = self.visit(at, call);
            if flow.is_continue() {
                flow = self.spend(1, env);
            }
        }
        let rows = self.found(at, call);
        let made = self.calls.rounds.pop().unwrap_or_default();
        self.release(made.answers.values().map(|(rows, _)| rows.len()).sum());
        flow?;
        ControlFlow::Continue(rows)
    }

    /// The answers of a call so far.
    fn found(&self, at: usize, call: &Call) -> Rows {
        let answers = self.calls.rounds[at].answers.get(call);
        answers.map(|(rows, _)| rows.clone()).unwrap_or_default()
    }

    /// Finds the answers of the clauses for a call, unless they were asked in this round.
    fn visit(&mut self, at: usize, call: &Call) -> Flow {
        let program = self.program;
        let rounds = &mut self.calls.rounds[at];
        let (_, last) = rounds.answers.entry(call.clone()).or_default();
        if std::mem::replace(last, rounds.round) != rounds.round {
            for id in &program.relation(call.0).clauses {
                self.resolve_clause(*id, &call.1, &mut |solver, inner, row| {
                    let rounds = &mut solver.calls.rounds[at];
                    let rows = rounds.answers.get_mut(call).map(|(rows, _)| rows);
                    match rows.is_some_and(|rows| rows.insert(row)) {
                        true => {
                            rounds.grows = true;
                            solver.hold(1, inner)
                        }
                        false => ControlFlow::Continue(()),
                    }
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Goes on with each of these rows as an answer of a call.
    fn answer<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r Row>,
        args: &[Term],
        env: &mut Environment,
        next: Next<'_, 'p>,
    ) -> Flow {
        for row in rows {
            let mark = env.mark();
            let fits = args.iter().zip(row).all(|(term, value)| self.matches(term, *value, env));
            if fits {
                next(self, env)?;
            }
            env.undo(mark);
        }
        ControlFlow::Continue(())
    }
}
