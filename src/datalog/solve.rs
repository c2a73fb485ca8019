//! Answers one goal after another with backtracking, over the tables made so far.
//!
//! Variables are slots of an environment with a trail. The continuation of a goal is a closure, so
//! an answer is a call and backtracking is a return. Relations that need bound arguments have no
//! table; their clauses are resolved top-down when called (`calls.rs`).

use std::ops::{ControlFlow, Range};

use crate::goals::{self, Answer, Environment, Evaluator, Row, Stop, Terms as _};
use crate::program::{
    Budget, ClauseId, FluentId, Goal, GoalKind, Kind, Program, RelationId, Term, Value, Values,
};
use crate::source::Span;

use super::Demand;
use super::calls::{Call, Calls};
use super::table::{Numbers, Table, packed_all};

/// Why evaluation stopped.
#[derive(Debug)]
pub(super) enum Limit {
    Budget {
        clause: ClauseId,
        facts: usize,
    },
    Depth {
        clause: ClauseId,
    },
    /// A call is asked for by its own evaluation.
    Again {
        clause: ClauseId,
        call: Call,
    },
    Arithmetic {
        clause: ClauseId,
        span: Span,
        text: String,
    },
    Unbound {
        clause: ClauseId,
        span: Span,
        text: String,
    },
    Interrupted {
        clause: ClauseId,
    },
}

impl Limit {
    pub(super) fn clause(&self) -> ClauseId {
        match self {
            Limit::Budget { clause, .. }
            | Limit::Depth { clause }
            | Limit::Again { clause, .. }
            | Limit::Arithmetic { clause, .. }
            | Limit::Unbound { clause, .. }
            | Limit::Interrupted { clause } => *clause,
        }
    }
}

/// Some columns of a table.
type Columns = smallvec::SmallVec<[usize; 4]>;

/// The number of steps between two checks for an interruption.
const LISTEN: u64 = 1024;

/// `Continue` means backtracking for more answers.
pub(super) type Flow = Answer<(), Limit>;
pub(super) type Next<'n, 'p> = goals::Next<'n, Solver<'p>>;

pub(super) struct Solver<'p> {
    pub(super) program: &'p Program,
    pub(super) values: &'p mut Values,
    pub(super) tables: Vec<Table>,
    /// The rows that the last round added, for the relations of the current component.
    pub(super) delta: Vec<(RelationId, Range<usize>)>,
    /// The recursive call of the current clause that reads only the delta.
    focus: Option<*const Goal>,
    /// Rows that are not demanded are not stored.
    demand: &'p Demand,
    pub(super) budget: Budget,
    steps: u64,
    facts: usize,
    /// The relations to which [`Budget::growing`] applies.
    growing: Vec<RelationId>,
    /// How many answers are being held until all have been found.
    held: usize,
    pub(super) depth: usize,
    pub(super) calls: Calls<'p>,
}

impl<'p> Solver<'p> {
    pub(super) fn new(
        program: &'p Program,
        values: &'p mut Values,
        demand: &'p Demand,
        budget: Budget,
    ) -> Solver<'p> {
        let tables = program.relations.iter().map(|r| Table::new(r.arity)).collect();
        let growing = match budget.growing < budget.answers {
            true => program.growing().into_iter().map(|(relation, _)| relation).collect(),
            false => Vec::new(),
        };
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
            growing,
            held: 0,
            depth: 0,
            calls: Calls::default(),
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
        let mut environment = Environment::new(Some(id), 0, clause.variables.len());
        let mut found = Table::new(clause.head.len());
        let known = self.tables[clause.relation.0 as usize].len();
        let most = match self.growing.contains(&clause.relation) {
            true => self.budget.growing,
            false => self.budget.answers,
        };
        let flow = self.goal(&clause.body, &mut environment, &mut |solver, env| {
            let mut row = Row::new();
            for term in &clause.head {
                row.push(solver.need(term, env, clause.head_span)?);
            }
            let table = &solver.tables[clause.relation.0 as usize];
            let words = packed_all(&row);
            if solver.demand.holds(clause.relation, &row) && !table.contains_words(&words) {
                found.insert_words(&words);
                let facts = found.len() + solver.facts;
                if facts > solver.budget.answers || found.len() + known > most {
                    let limit = Limit::Budget { clause: id, facts: solver.facts };
                    return ControlFlow::Break(Stop::Fault(limit));
                }
            }
            ControlFlow::Continue(())
        });
        self.focus = None;
        if let ControlFlow::Break(Stop::Fault(limit)) = flow {
            return Err(limit);
        }
        let table = clause.relation.0 as usize;
        if self.tables[table].is_empty() {
            self.facts += found.len();
            self.tables[table] = found;
            return Ok(());
        }
        for (i, number) in (1u64..).zip(0..found.len()) {
            if i.is_multiple_of(LISTEN) && self.interrupted() {
                return Err(Limit::Interrupted { clause: id });
            }
            self.facts += usize::from(self.tables[table].insert_words(found.words_of(number)));
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
        self.budget.is_over()
    }
}

impl Evaluator for Solver<'_> {
    type Fault = Limit;

    const ITEM: u64 = 1;

    fn values(&self) -> &Values {
        self.values
    }

    fn values_mut(&mut self) -> &mut Values {
        self.values
    }

    fn list(&mut self, items: &[Value]) -> Value {
        self.values.list_and_rests(items)
    }

    fn rest(&mut self, items: &[Value]) -> Option<Value> {
        self.values.find_list(items)
    }

    fn spend(&mut self, steps: u64, env: &Environment) -> Flow {
        let before = self.steps / LISTEN;
        self.steps += steps;
        let clause = env.clause.unwrap_or(ClauseId(0));
        if self.steps / LISTEN > before && self.budget.is_over() {
            return ControlFlow::Break(Stop::Fault(Limit::Interrupted { clause }));
        }
        if self.steps > self.budget.steps || self.values.are_too_many() {
            return ControlFlow::Break(Stop::Fault(Limit::Budget { clause, facts: self.facts }));
        }
        ControlFlow::Continue(())
    }

    fn hold(&mut self, answers: usize, env: &Environment) -> Flow {
        self.held += answers;
        if self.held > self.budget.answers {
            return ControlFlow::Break(self.too_deep(env));
        }
        ControlFlow::Continue(())
    }

    fn release(&mut self, answers: usize) {
        self.held -= answers;
    }

    fn unbound(&self, span: Span, env: &Environment) -> Stop<Limit> {
        let text = self.program.sources.text(span).to_string();
        let clause = env.clause.unwrap_or(ClauseId(0));
        Stop::Fault(Limit::Unbound { clause, span, text })
    }

    fn arithmetic(&self, text: &str, span: Span, env: &Environment) -> Stop<Limit> {
        let clause = env.clause.unwrap_or(ClauseId(0));
        Stop::Fault(Limit::Arithmetic { clause, span, text: text.to_string() })
    }

    fn too_deep(&self, env: &Environment) -> Stop<Limit> {
        let clause = env.clause.unwrap_or(ClauseId(0));
        Stop::Fault(Limit::Budget { clause, facts: self.facts })
    }

    // a static clause has no goals of the state

    fn of_state(&mut self, _: &Goal, _: &mut Environment, _: goals::Next<'_, Self>) -> Flow {
        ControlFlow::Continue(())
    }

    fn read(&self, _: FluentId, _: &[Value]) -> Option<Value> {
        None
    }

    fn updates(&self) -> usize {
        0
    }

    fn restore(&mut self, _: usize) {}

    fn call(
        &mut self,
        relation: RelationId,
        args: &[Term],
        goal: &Goal,
        env: &mut Environment,
        next: goals::Next<'_, Self>,
    ) -> Flow {
        if self.program.relation(relation).kind != Kind::Static {
            return self.on_demand(relation, args, env, next);
        }
        let (mut columns, mut open): (Columns, Columns) = (Columns::new(), Columns::new());
        let mut key = Row::new();
        for (i, term) in args.iter().enumerate() {
            match self.value(term, env)? {
                Some(value) => {
                    columns.push(i);
                    key.push(value);
                }
                None => open.push(i),
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
        let rows: Numbers = match columns.is_empty() {
            true => range.map(|row| row as u32).collect(),
            false => table.matching(&columns, &key, range),
        };
        for number in rows {
            self.spend(1, env)?;
            let mark = env.mark();
            let fits = open.iter().all(|column| {
                let value = self.tables[relation.0 as usize].at(number as usize, *column);
                self.matches(&args[*column], value, env)
            });
            if fits {
                next(self, env)?;
            }
            env.undo(mark);
        }
        ControlFlow::Continue(())
    }
}
