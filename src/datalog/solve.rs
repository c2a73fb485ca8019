//! Answers one goal after another with backtracking, over the tables made so far.
//!
//! Variables are slots of an environment with a trail. The continuation of a goal is a closure, so
//! an answer is a call and backtracking is a return. Relations that need bound arguments have no
//! table; their clauses are resolved top-down when called.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::program::{
    Aggregate, ArithmeticOp, BuiltIn, ClauseId, Constant, Expression, Goal, GoalKind, Kind,
    Program, RelationId, Term, Value, Values, VariableId,
};
use crate::source::Span;

use super::table::{Row, Table};
use super::{Budget, Demand, builtins};

/// Why evaluation stopped.
#[derive(Debug)]
pub(super) enum Limit {
    Budget { clause: ClauseId, facts: usize },
    Depth { clause: ClauseId },
    Arithmetic { clause: ClauseId, span: Span, text: String },
    Unbound { clause: ClauseId, span: Span, text: String },
    Interrupted { clause: ClauseId },
}

impl Limit {
    pub(super) fn clause(&self) -> ClauseId {
        match self {
            Limit::Budget { clause, .. }
            | Limit::Depth { clause }
            | Limit::Arithmetic { clause, .. }
            | Limit::Unbound { clause, .. }
            | Limit::Interrupted { clause } => *clause,
        }
    }
}

/// The number of steps between two checks for an interruption.
const LISTEN: u64 = 1024;

/// `Break(None)`: enough answers; `Break(Some)`: stopped by a limit.
pub(super) type Flow = ControlFlow<Option<Limit>>;

/// The bindings of one clause's variables.
#[derive(Debug, Default)]
pub(super) struct Environment {
    clause: Option<ClauseId>,
    slots: Vec<Option<Value>>,
    trail: Vec<VariableId>,
}

impl Environment {
    fn get(&self, variable: VariableId) -> Option<Value> {
        self.slots[variable.0 as usize]
    }

    fn bind(&mut self, variable: VariableId, value: Value) {
        self.slots[variable.0 as usize] = Some(value);
        self.trail.push(variable);
    }

    fn undo(&mut self, mark: usize) {
        for variable in self.trail.drain(mark..) {
            self.slots[variable.0 as usize] = None;
        }
    }

    fn mark(&self) -> usize {
        self.trail.len()
    }
}

type Next<'n, 'p> = &'n mut dyn FnMut(&mut Solver<'p>, &mut Environment) -> Flow;

pub(super) struct Solver<'p> {
    program: &'p Program,
    pub(super) values: &'p mut Values,
    pub(super) tables: Vec<Table>,
    /// The rows that the last round added, for the relations of the current component.
    pub(super) delta: Vec<(RelationId, Range<usize>)>,
    /// The recursive call of the current clause that reads only the delta.
    focus: Option<*const Goal>,
    /// Rows that are not demanded are not stored.
    demand: &'p Demand,
    budget: Budget,
    steps: u64,
    facts: usize,
    /// How many answers are being held until all have been found.
    held: usize,
    depth: usize,
}

impl<'p> Solver<'p> {
    pub(super) fn new(
        program: &'p Program,
        values: &'p mut Values,
        demand: &'p Demand,
        budget: Budget,
    ) -> Solver<'p> {
        let tables = program.relations.iter().map(|r| Table::new(r.arity)).collect();
        Solver {
            program,
            values,
            tables,
            delta: Vec::new(),
            focus: None,
            demand,
            budget,
            steps: 0,
            facts: 0,
            held: 0,
            depth: 0,
        }
    }

    /// The recursive calls of a clause, in the order of the text.
    fn recursive_calls(&self, id: ClauseId) -> Vec<*const Goal> {
        let mut calls = Vec::new();
        self.program.clause(id).body.walk(&mut |goal| {
            if let GoalKind::Call(relation, _) = &goal.kind
                && self.delta.iter().any(|(r, _)| r == relation)
            {
                calls.push(std::ptr::from_ref(goal));
            }
        });
        calls
    }

    pub(super) fn occurrences(&self, id: ClauseId) -> usize {
        self.recursive_calls(id).len()
    }

    /// Adds the answers of a clause to its table; `occurrence` is the recursive call that reads
    /// only the delta.
    pub(super) fn clause(&mut self, id: ClauseId, occurrence: Option<usize>) -> Result<(), Limit> {
        let clause = self.program.clause(id);
        self.focus = occurrence.map(|o| self.recursive_calls(id)[o]);
        let mut environment = Environment {
            clause: Some(id),
            slots: vec![None; clause.variables.len()],
            trail: Vec::new(),
        };
        let mut found = Table::new(clause.head.len());
        let flow = self.goal(&clause.body, &mut environment, &mut |solver, env| {
            let mut row = Row::new();
            for term in &clause.head {
                row.push(solver.need(term, env, clause.head_span)?);
            }
            let table = &solver.tables[clause.relation.0 as usize];
            if solver.demand.holds(clause.relation, &row) && !table.contains(&row) {
                found.insert(&row);
                if found.len() + solver.facts > solver.budget.facts {
                    return ControlFlow::Break(Some(Limit::Budget {
                        clause: id,
                        facts: solver.facts,
                    }));
                }
            }
            ControlFlow::Continue(())
        });
        self.focus = None;
        if let ControlFlow::Break(Some(limit)) = flow {
            return Err(limit);
        }
        for (i, row) in (1u64..).zip(found.rows()) {
            if i.is_multiple_of(LISTEN) && self.interrupted() {
                return Err(Limit::Interrupted { clause: id });
            }
            self.facts += usize::from(self.tables[clause.relation.0 as usize].insert(&row));
        }
        Ok(())
    }

    /// Sorts the answers of a recursive relation, which are found round by round, by the standard
    /// order of terms.
    pub(super) fn sort(&mut self, relation: RelationId) {
        let values = &*self.values;
        self.tables[relation.0 as usize].sort(|a, b| values.compare_rows(a, b));
    }

    fn interrupted(&self) -> bool {
        self.budget.interrupted.is_some_and(|interrupted| interrupted())
            || self.budget.until.is_some_and(|until| Instant::now() >= until)
    }

    pub(super) fn step(&mut self, cost: u64, env: &Environment) -> Flow {
        let before = self.steps / LISTEN;
        self.steps += cost;
        let clause = env.clause.unwrap_or(ClauseId(0));
        if self.steps / LISTEN > before && self.interrupted() {
            return ControlFlow::Break(Some(Limit::Interrupted { clause }));
        }
        if self.steps > self.budget.steps
            || self.held > self.budget.facts
            || self.values.are_too_many()
        {
            return ControlFlow::Break(Some(Limit::Budget { clause, facts: self.facts }));
        }
        ControlFlow::Continue(())
    }

    fn goal(&mut self, goal: &'p Goal, env: &mut Environment, next: Next<'_, 'p>) -> Flow {
        self.step(1, env)?;
        match &goal.kind {
            GoalKind::True => next(self, env),
            GoalKind::And(goals) => self.all(goals, env, next),
            GoalKind::Or(goals) => {
                for branch in goals {
                    let mark = env.mark();
                    self.goal(branch, env, next)?;
                    env.undo(mark);
                }
                ControlFlow::Continue(())
            }
            GoalKind::If(condition, then, otherwise) => {
                let mark = env.mark();
                let branch = if self.first(condition, env)? { then } else { otherwise };
                let flow = self.goal(branch, env, next);
                env.undo(mark);
                flow
            }
            GoalKind::Once(inner) => {
                let mark = env.mark();
                if self.first(inner, env)? {
                    next(self, env)?;
                }
                env.undo(mark);
                ControlFlow::Continue(())
            }
            GoalKind::Not(inner) => {
                let mark = env.mark();
                let found = self.first(inner, env)?;
                env.undo(mark);
                if found { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Forall(all, hold) => {
                let mut broken = false;
                let flow = self.goal(all, env, &mut |solver, env| {
                    let mark = env.mark();
                    let holds = solver.first(hold, env)?;
                    env.undo(mark);
                    if holds {
                        return ControlFlow::Continue(());
                    }
                    broken = true;
                    ControlFlow::Break(None)
                });
                stop_only(flow)?;
                if broken { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Aggregate(kind, template, inner, result) => {
                let Some(value) = self.aggregate(*kind, template, inner, env, goal.span)? else {
                    return ControlFlow::Continue(());
                };
                self.unify(result, value, env, next)
            }
            GoalKind::Unify(a, b) => match (self.value(a, env)?, self.value(b, env)?) {
                (Some(value), _) => self.unify(b, value, env, next),
                (None, Some(value)) => self.unify(a, value, env, next),
                (None, None) => self.unbound(goal.span, env),
            },
            GoalKind::Differ(a, b) => {
                let mark = env.mark();
                let same = match (self.value(a, env)?, self.value(b, env)?) {
                    (Some(value), _) => self.matches(b, value, env),
                    (None, Some(value)) => self.matches(a, value, env),
                    (None, None) => return self.unbound(goal.span, env),
                };
                env.undo(mark);
                if same { ControlFlow::Continue(()) } else { next(self, env) }
            }
            GoalKind::Compare(op, a, b) => {
                let (a, b) = (self.number(a, env, goal.span)?, self.number(b, env, goal.span)?);
                if op.holds(a, b) { next(self, env) } else { ControlFlow::Continue(()) }
            }
            GoalKind::Is(x, e) => {
                let value = Value::Integer(self.number(e, env, goal.span)?);
                self.unify(x, value, env, next)
            }
            GoalKind::In(x, lo, hi) => {
                let (lo, hi) = (self.number(lo, env, goal.span)?, self.number(hi, env, goal.span)?);
                match self.value(x, env)? {
                    Some(Value::Integer(n)) if lo <= n && n <= hi => next(self, env),
                    Some(_) => ControlFlow::Continue(()),
                    None => {
                        for n in lo..=hi {
                            self.step(1, env)?;
                            self.unify(x, Value::Integer(n), env, next)?;
                        }
                        ControlFlow::Continue(())
                    }
                }
            }
            GoalKind::BuiltIn(built_in, args) => {
                self.built_in(*built_in, args, env, goal.span, next)
            }
            GoalKind::Call(relation, args) => self.call(*relation, args, goal, env, next),
            // a static clause has no goals that read the state
            _ => ControlFlow::Continue(()),
        }
    }

    fn all(&mut self, goals: &'p [Goal], env: &mut Environment, next: Next<'_, 'p>) -> Flow {
        match goals {
            [] => next(self, env),
            [last] => self.goal(last, env, next),
            [first, rest @ ..] => {
                self.goal(first, env, &mut |solver, env| solver.all(rest, env, next))
            }
        }
    }

    /// Leaves the bindings of the first answer in place; the caller undoes them.
    fn first(&mut self, goal: &'p Goal, env: &mut Environment) -> ControlFlow<Option<Limit>, bool> {
        let mut kept = None;
        let mark = env.mark();
        let flow = self.goal(goal, env, &mut |_, env| {
            kept = Some(env.trail[mark..].iter().map(|v| (*v, env.get(*v))).collect::<Vec<_>>());
            ControlFlow::Break(None)
        });
        stop_only(flow)?;
        env.undo(mark);
        let Some(kept) = kept else { return ControlFlow::Continue(false) };
        for (variable, value) in kept {
            if let Some(value) = value {
                env.bind(variable, value);
            }
        }
        ControlFlow::Continue(true)
    }

    fn call(
        &mut self,
        relation: RelationId,
        args: &'p [Term],
        goal: &'p Goal,
        env: &mut Environment,
        next: Next<'_, 'p>,
    ) -> Flow {
        if self.program.relation(relation).kind != Kind::Static {
            return self.on_demand(relation, args, env, next);
        }
        let mut columns: smallvec::SmallVec<[usize; 4]> = smallvec::SmallVec::new();
        let mut key = Row::new();
        for (i, term) in args.iter().enumerate() {
            if let Some(value) = self.value(term, env)? {
                columns.push(i);
                key.push(value);
            }
        }
        let range = match self.focus == Some(std::ptr::from_ref(goal)) {
            true => self.delta.iter().find(|(r, _)| *r == relation).map(|(_, range)| range.clone()),
            false => None,
        };
        let table = &mut self.tables[relation.0 as usize];
        if columns.len() == args.len() && range.is_none() {
            return if table.contains(&key) { next(self, env) } else { ControlFlow::Continue(()) };
        }
        let range = range.unwrap_or(0..table.len());
        let rows: Vec<u32> = match columns.is_empty() {
            true => range.map(|row| row as u32).collect(),
            false => table.matching(&columns, &key, range),
        };
        for number in rows {
            self.step(1, env)?;
            let mark = env.mark();
            let row = self.tables[relation.0 as usize].row(number as usize);
            let fits = args
                .iter()
                .enumerate()
                .all(|(i, term)| columns.contains(&i) || self.matches(term, row[i], env));
            if fits {
                next(self, env)?;
            }
            env.undo(mark);
        }
        ControlFlow::Continue(())
    }

    /// Resolves the clauses of a relation that has no table.
    fn on_demand(
        &mut self,
        relation: RelationId,
        args: &'p [Term],
        env: &mut Environment,
        next: Next<'_, 'p>,
    ) -> Flow {
        if self.depth > self.budget.depth {
            return ControlFlow::Break(Some(Limit::Depth {
                clause: env.clause.unwrap_or(ClauseId(0)),
            }));
        }
        let mut given = Vec::new();
        for term in args {
            given.push(self.value(term, env)?);
        }
        let program = self.program;
        let held = self.held;
        let mut seen: FxHashSet<Row> = FxHashSet::default();
        for id in &program.relation(relation).clauses {
            let clause = program.clause(*id);
            let mut inner = Environment {
                clause: Some(*id),
                slots: vec![None; clause.variables.len()],
                trail: Vec::new(),
            };
            let fits = clause
                .head
                .iter()
                .zip(&given)
                .all(|(term, value)| value.is_none_or(|v| self.matches(term, v, &mut inner)));
            if !fits {
                continue;
            }
            self.depth += 1;
            let flow = stacker::maybe_grow(128 << 10, 4 << 20, || {
                self.goal(&clause.body, &mut inner, &mut |solver, inner| {
                    let mut row = Row::new();
                    for term in &clause.head {
                        row.push(solver.need(term, inner, clause.head_span)?);
                    }
                    if !seen.insert(row.clone()) {
                        return ControlFlow::Continue(());
                    }
                    solver.held += 1;
                    let mark = env.mark();
                    let fits = args
                        .iter()
                        .zip(&row)
                        .all(|(term, value)| solver.matches(term, *value, env));
                    if fits {
                        next(solver, env)?;
                    }
                    env.undo(mark);
                    ControlFlow::Continue(())
                })
            });
            self.depth -= 1;
            if flow.is_break() {
                self.held = held;
            }
            flow?;
        }
        self.held = held;
        ControlFlow::Continue(())
    }

    fn aggregate(
        &mut self,
        kind: Aggregate,
        template: &'p Term,
        inner: &'p Goal,
        env: &mut Environment,
        span: Span,
    ) -> ControlFlow<Option<Limit>, Option<Value>> {
        let mut locals = Vec::new();
        inner.each_variable(&mut |v| {
            if env.get(v).is_none() && !locals.contains(&v) {
                locals.push(v);
            }
        });
        let held = self.held;
        let mut seen: FxHashSet<Vec<Option<Value>>> = FxHashSet::default();
        let mut found: Vec<Value> = Vec::new();
        let flow = self.goal(inner, env, &mut |solver, env| {
            let value = solver.need(template, env, span)?;
            if matches!(kind, Aggregate::Sum | Aggregate::Max | Aggregate::Min)
                && value.integer().is_none()
            {
                let text = solver.values.show(value);
                return solver.arithmetic(span, &text, env);
            }
            let key = match kind {
                Aggregate::Sum => locals.iter().map(|v| env.get(*v)).collect(),
                Aggregate::Findall => {
                    found.push(value);
                    solver.held += 1;
                    return ControlFlow::Continue(());
                }
                _ => vec![Some(value)],
            };
            if seen.insert(key) {
                found.push(value);
                solver.held += 1;
            }
            ControlFlow::Continue(())
        });
        stop_only(flow)?;
        self.held = held;
        self.step(found.len() as u64, env)?;
        let numbers = || found.iter().filter_map(|v| v.integer());
        ControlFlow::Continue(match kind {
            Aggregate::Count => Some(Value::Integer(found.len() as i64)),
            Aggregate::Sum => {
                match numbers().try_fold(0i64, |sum, n| ArithmeticOp::Add.apply(&[sum, n])) {
                    Some(sum) => Some(Value::Integer(sum)),
                    None => return self.arithmetic(span, "sum", env),
                }
            }
            Aggregate::Max => numbers().max().map(Value::Integer),
            Aggregate::Min => numbers().min().map(Value::Integer),
            Aggregate::Findall => Some(self.values.list_and_rests(&found)),
        })
    }

    fn built_in(
        &mut self,
        built_in: BuiltIn,
        args: &'p [Term],
        env: &mut Environment,
        span: Span,
        next: Next<'_, 'p>,
    ) -> Flow {
        let mut given = Vec::new();
        for term in args {
            given.push(self.value(term, env)?);
        }
        let Some(answers) = builtins::answers(built_in, &given, self.values) else {
            return self.unbound(span, env);
        };
        self.step(1 + answers.len() as u64, env)?;
        for answer in answers {
            let mark = env.mark();
            if args.iter().zip(&answer).all(|(term, value)| self.matches(term, *value, env)) {
                next(self, env)?;
            }
            env.undo(mark);
        }
        ControlFlow::Continue(())
    }

    fn unify(
        &mut self,
        term: &Term,
        value: Value,
        env: &mut Environment,
        next: Next<'_, 'p>,
    ) -> Flow {
        let mark = env.mark();
        if self.matches(term, value, env) {
            next(self, env)?;
        }
        env.undo(mark);
        ControlFlow::Continue(())
    }

    /// Binds the variables of `term` so that it becomes `value`; the caller undoes them.
    fn matches(&self, term: &Term, value: Value, env: &mut Environment) -> bool {
        match term {
            Term::Constant(constant) => *constant == value,
            Term::Variable(v) => match env.get(*v) {
                Some(bound) => bound == value,
                None => {
                    env.bind(*v, value);
                    true
                }
            },
            Term::Compound(name, args) => match self.values.functor(value) {
                Some((functor, items)) if functor == name && items.len() == args.len() => {
                    args.iter().zip(items).all(|(t, v)| self.matches(t, *v, env))
                }
                _ => false,
            },
            Term::List(items, tail) => {
                let Some(all) = self.values.items(value) else { return false };
                if all.len() < items.len() || (tail.is_none() && all.len() != items.len()) {
                    return false;
                }
                let (front, back) = all.split_at(items.len());
                if !items.iter().zip(front).all(|(t, v)| self.matches(t, *v, env)) {
                    return false;
                }
                match tail {
                    None => true,
                    Some(tail) => match self.values.find(&Constant::List(back.into())) {
                        Some(rest) => self.matches(tail, rest, env),
                        None => false,
                    },
                }
            }
        }
    }

    /// The value of a term; `None` where a variable is unbound.
    fn value(
        &mut self,
        term: &Term,
        env: &Environment,
    ) -> ControlFlow<Option<Limit>, Option<Value>> {
        ControlFlow::Continue(match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => env.get(*v),
            Term::Compound(name, args) => {
                let mut items = Row::new();
                for arg in args {
                    match self.value(arg, env)? {
                        Some(value) => items.push(value),
                        None => return ControlFlow::Continue(None),
                    }
                }
                self.step(items.len() as u64, env)?;
                let value = self.values.compound(name, &items);
                if self.values.depth(value) > builtins::MAX_DEPTH {
                    return ControlFlow::Break(Some(Limit::Budget {
                        clause: env.clause.unwrap_or(ClauseId(0)),
                        facts: self.facts,
                    }));
                }
                Some(value)
            }
            Term::List(items, tail) => {
                let mut all = Vec::with_capacity(items.len());
                for item in items {
                    match self.value(item, env)? {
                        Some(value) => all.push(value),
                        None => return ControlFlow::Continue(None),
                    }
                }
                if let Some(tail) = tail {
                    let Some(value) = self.value(tail, env)? else {
                        return ControlFlow::Continue(None);
                    };
                    let Some(rest) = self.values.items(value) else {
                        return ControlFlow::Continue(None);
                    };
                    all.extend_from_slice(rest);
                }
                self.step(all.len() as u64, env)?;
                Some(self.values.list_and_rests(&all))
            }
        })
    }

    fn need(
        &mut self,
        term: &Term,
        env: &Environment,
        span: Span,
    ) -> ControlFlow<Option<Limit>, Value> {
        match self.value(term, env)? {
            Some(value) => ControlFlow::Continue(value),
            None => self.unbound(span, env),
        }
    }

    fn number(
        &mut self,
        e: &Expression,
        env: &Environment,
        span: Span,
    ) -> ControlFlow<Option<Limit>, i64> {
        match e {
            Expression::Integer(n) => ControlFlow::Continue(*n),
            Expression::Variable(v) => match env.get(*v) {
                Some(Value::Integer(n)) => ControlFlow::Continue(n),
                Some(value) => {
                    let text = self.values.show(value);
                    self.arithmetic(span, &text, env)
                }
                None => self.unbound(span, env),
            },
            Expression::Fluent(..) => self.unbound(span, env),
            Expression::Operation(op, args) => {
                let mut numbers: smallvec::SmallVec<[i64; 2]> = smallvec::SmallVec::new();
                for arg in args {
                    numbers.push(self.number(arg, env, span)?);
                }
                match op.apply(&numbers) {
                    Some(n) => ControlFlow::Continue(n),
                    None => {
                        let shown: Vec<String> = numbers.iter().map(i64::to_string).collect();
                        let text = shown.join(&format!(" {} ", op.name()));
                        self.arithmetic(span, &text, env)
                    }
                }
            }
        }
    }

    fn unbound<T>(&self, span: Span, env: &Environment) -> ControlFlow<Option<Limit>, T> {
        let text = self.program.sources.text(span).to_string();
        ControlFlow::Break(Some(Limit::Unbound {
            clause: env.clause.unwrap_or(ClauseId(0)),
            span,
            text,
        }))
    }

    fn arithmetic<T>(
        &self,
        span: Span,
        text: &str,
        env: &Environment,
    ) -> ControlFlow<Option<Limit>, T> {
        let clause = env.clause.unwrap_or(ClauseId(0));
        ControlFlow::Break(Some(Limit::Arithmetic { clause, span, text: text.to_string() }))
    }
}

/// Ends a stop that an inner goal requested; passes on a limit.
fn stop_only(flow: Flow) -> Flow {
    match flow {
        ControlFlow::Break(Some(limit)) => ControlFlow::Break(Some(limit)),
        _ => ControlFlow::Continue(()),
    }
}
