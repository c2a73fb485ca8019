//! The reference evaluator: plain, obviously right, slow.
//!
//! It runs the checked clauses from left to right with backtracking on a state made of maps, as the
//! language is defined. It answers questions and runs examples, and the compiled
//! engine is compared with it. It uses the program, the tables of its static relations and the state,
//! and nothing else.
//!
//! `run.rs` is the control of goals; `calls.rs`, `collect.rs`, `updates.rs` and `tabling.rs` are
//! the goals that need more than a line; `moves.rs` finds the moves and how a game ends.
//! `query.rs`, `example.rs` and `present.rs` are questions from outside, `position.rs` and `listed.rs`
//! read and write positions as text, `names.rs` finds the other names of moves, and `records.rs` says how games are
//! written for other programs. The explanations of `explain/` run on it.

pub(crate) mod calls;
mod collect;
mod cover;
mod domain;
mod example;
pub(crate) mod facts;
pub(crate) mod fault;
mod listed;
mod lookup;
pub(crate) mod moves;
mod names;
mod observe;
mod opening;
mod position;
pub(crate) mod present;
mod query;
mod records;
mod relaxed;
pub(crate) mod run;
mod tabling;
#[cfg(test)]
mod tests;
mod unread;
mod updates;

pub use cover::Coverage;
pub use example::{ExampleResult, Reload};
pub use facts::{Facts, IN_SET, Map, Position};
pub use fault::{QueryError, RuleError};
pub use listed::{Lists, Turn, lists_text};
pub use moves::Outcome;
pub use names::{Alias, distinct};
pub use observe::{Observer, Trace, Unobserved};
pub use opening::open;
pub use present::{Prompts, Sight};
pub use query::Bindings;
pub use records::RecordTag;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{Budget, FluentId, FluentShape, Program, Question, RelationId, Value, Values};
use crate::syntax::{Term, print_term};

use domain::FluentDomain;
use lookup::Lookup;
use run::{Answer, Run, Stop};

/// A game in the reference evaluator, cheap to clone. It does not change while it is played; positions are
/// [`Facts`].
#[derive(Debug, Clone)]
pub struct Reference {
    pub(crate) program: Arc<Program>,
    pub(crate) values: Arc<Values>,
    domains: Arc<[FluentDomain]>,
    /// The component of the dependency graph of each relation.
    components: Arc<[usize]>,
    /// The tables of the static relations.
    pub(crate) lookup: Arc<Lookup>,
    budget: Budget,
    empty: Facts,
    judge: Option<Judge>,
}

/// What finds further faults of a question, such as values that no argument of a goal can have.
#[derive(Clone)]
struct Judge(Arc<Judging>);

type Judging = dyn Fn(&Question) -> Vec<Diagnostic> + Send + Sync;

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Judge")
    }
}

impl Reference {
    /// A game from its program and the tables of that program.
    pub fn new(program: Arc<Program>, tables: Arc<Tables>) -> Reference {
        let domains = domain::domains(&program, &tables);
        let mut components = vec![0; program.relations.len()];
        for (number, component) in program.graph.components.iter().enumerate() {
            for id in component {
                components[id.0 as usize] = number;
            }
        }
        Reference {
            values: Arc::new(program.values.clone()),
            empty: domain::empty(&program, &domains),
            domains: domains.into(),
            components: components.into(),
            lookup: Arc::new(Lookup::new(tables)),
            budget: Budget::REFERENCE,
            judge: None,
            program,
        }
    }

    /// Examines each question before it is answered; one with faults is not.
    #[must_use]
    pub fn judged_by(
        mut self,
        judge: impl Fn(&Question) -> Vec<Diagnostic> + Send + Sync + 'static,
    ) -> Reference {
        self.judge = Some(Judge(Arc::new(judge)));
        self
    }

    /// Sets the budget for the work of one question; exceeding them is a rule error.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Reference {
        self.budget = budget;
        self
    }

    /// Sets the time at which questions end as if they were interrupted.
    pub fn set_until(&mut self, until: Option<Instant>) {
        self.budget.until = until;
    }

    /// The program of the game.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn domain(&self, fluent: FluentId) -> &FluentDomain {
        &self.domains[fluent.0 as usize]
    }

    fn component(&self, relation: RelationId) -> usize {
        self.components[relation.0 as usize]
    }

    /// The opening position: initial values, the facts of the `init` clauses, and the first player's
    /// turn.
    pub fn opening(&self) -> Facts {
        domain::opening(&self.program, &self.lookup.tables, &self.domains, &self.empty)
    }

    /// The position with only the declared initial values and the first player's turn.
    pub fn empty(&self) -> Facts {
        self.empty.clone()
    }

    /// A position from facts and the positions before it, oldest first. A fact is a fluent, its keys and
    /// its value, which is `None` for an element of a set.
    pub fn position(
        &self,
        entries: impl IntoIterator<Item = (FluentId, Vec<Value>, Option<Value>)>,
        past: &[Facts],
    ) -> Facts {
        let maps = self.empty.maps.iter().map(|_| Arc::default()).collect();
        let past = past.iter().map(|facts| Position::of(&self.program, &facts.maps)).collect();
        let mut facts = Facts { maps, past: Arc::new(past) };
        for (fluent, keys, value) in entries {
            facts.set(fluent, &keys, Some(value.unwrap_or(IN_SET)));
        }
        facts
    }

    /// The facts of a position, as [`Reference::position`] takes them.
    pub fn entries<'f>(
        &'f self,
        facts: &'f Facts,
    ) -> impl Iterator<Item = (FluentId, Vec<Value>, Option<Value>)> + 'f {
        self.program.fluents.iter().enumerate().flat_map(move |(i, fluent)| {
            let id = FluentId(i as u32);
            let set = matches!(fluent.shape, FluentShape::Set);
            facts.iter(id).map(move |(keys, value)| (id, keys.to_vec(), (!set).then_some(value)))
        })
    }

    /// The same position with other positions before it, oldest first.
    pub fn with_past(&self, facts: &Facts, past: &[Facts]) -> Facts {
        let past = past.iter().map(|facts| Position::of(&self.program, &facts.maps)).collect();
        Facts { maps: facts.maps.clone(), past: Arc::new(past) }
    }

    /// The legal moves of the player to move, each once, in the order of their text; none while a chance
    /// event is due. Whether the game is over is not examined.
    ///
    /// # Errors
    /// A rule error.
    pub fn legal_moves(&self, facts: &Facts) -> Result<Vec<Term>, RuleError> {
        let mut run = Run::new(self, facts);
        let choices = settle(run.choices())?;
        let mut moves: Vec<Term> = match choices.chance {
            true => Vec::new(),
            false => choices.all.iter().map(|s| run.values.to_term(s.mv)).collect(),
        };
        moves.sort_by_cached_key(print_term);
        Ok(moves)
    }

    /// The chance events with their weights, each once, in the order of their text; none where a
    /// player is to move.
    ///
    /// # Errors
    /// A rule error.
    pub fn chance_events(&self, facts: &Facts) -> Result<Vec<(Term, i64)>, RuleError> {
        let mut run = Run::new(self, facts);
        let choices = settle(run.choices())?;
        let mut events = Vec::new();
        for event in choices.all.iter().filter(|_| choices.chance) {
            let weight = settle(run.weight_of(event.mv))?;
            events.push((run.values.to_term(event.mv), weight));
        }
        events.sort_by_cached_key(|(event, _)| print_term(event));
        Ok(events)
    }

    /// The position after a move or chance event; `None` where it is not legal.
    ///
    /// # Errors
    /// A rule error.
    pub fn play(&self, facts: &Facts, mv: &Term) -> Result<Option<Facts>, RuleError> {
        let mut run = Run::new(self, facts);
        let Some(mv) = run.values.from_term(mv) else { return Ok(None) };
        let choices = settle(run.choices())?;
        Ok(choices.all.iter().find(|s| s.mv == mv).map(|s| s.facts.clone()))
    }

    /// Every legal move or chance event with the resulting position, in the order in which they are
    /// found.
    ///
    /// # Errors
    /// A rule error.
    pub fn successors(&self, facts: &Facts) -> Result<Vec<(Term, Facts)>, RuleError> {
        let mut run = Run::new(self, facts);
        let choices = settle(run.choices())?;
        Ok(choices.all.iter().map(|s| (run.values.to_term(s.mv), s.facts.clone())).collect())
    }

    /// How the game has ended; `None` while it goes on.
    ///
    /// # Errors
    /// A rule error.
    pub fn outcome(&self, facts: &Facts) -> Result<Option<Outcome>, RuleError> {
        settle(Run::new(self, facts).outcome())
    }

    /// The number of sequences of exactly `depth` moves and chance events.
    ///
    /// # Errors
    /// A rule error.
    pub fn perft(&self, facts: &Facts, depth: u32) -> Result<u64, RuleError> {
        if depth == 0 {
            return Ok(1);
        }
        let mut run = Run::new(self, facts);
        if settle(run.end())?.is_some() {
            return Ok(0);
        }
        let choices = settle(run.choices())?;
        if depth == 1 {
            return Ok(choices.all.len() as u64);
        }
        let mut count = 0;
        for successor in &choices.all {
            count += self.perft(&successor.facts, depth - 1)?;
        }
        Ok(count)
    }
}

/// The result of a run that was not stopped after an answer.
pub(crate) fn settle<T>(answer: Answer<T>) -> Result<T, RuleError> {
    match answer {
        ControlFlow::Continue(result) => Ok(result),
        ControlFlow::Break(Stop::Fault(error)) => Err(error),
        ControlFlow::Break(Stop::Enough) => Err(RuleError::new(Diagnostic::error(
            "internal",
            "the reference evaluator was broken off: this is a fault of the program, not the rules",
        ))),
    }
}
