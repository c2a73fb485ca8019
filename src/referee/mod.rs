//! A game being played: positions, moves and answers, on the compiled engine or the
//! reference evaluator.
//!
//! `naming` names the legal moves. `typed`, with `ways`, `shorthand`, `chains`, `plainer`, `placings`, `places`, `remarks`, `kinds`,
//! `captures`, `takers`, `phrases`, `pieces`, `renamed`, `wording`, `synonyms`, `headings`, `leaps`, `movers`, `rows`, `same_site`, `by_ends` and `by_numbers`, reads them as they are written; `values`, `made`,
//! `events` and `meant` make moves that are not legal of what a text names, and `likeliest`, `nearest` and `of_site`
//! choose among them. `miss`, `misread`, `unread`, `kind_words`, `rule_words`, `strange` and `several` say why a text is no move, and `both_moved` which legal move it may mean; `in_turn` reads two moves of one turn, `parts` a move and what is said behind it.
//! `asked` answers questions, with `asks`, `counts`, `follows`, `movable` and `standing`.
//! `line` reads positions and lines of moves, `questions` reads goals, `reasons` says why, and `showing` draws positions.

mod alone;
pub mod asked;
mod asks;
mod beside;
mod both_moved;
mod by_ends;
mod by_numbers;
mod captures;
mod chains;
mod computer;
mod counts;
mod events;
mod follows;
mod headings;
pub mod in_turn;
pub mod interrupt;
mod kind_words;
mod kinds;
pub mod knowledge;
mod known;
mod leaps;
mod likeliest;
pub mod line;
mod made;
pub mod meant;
pub mod misread;
pub mod miss;
mod movable;
mod movers;
pub mod naming;
mod nearest;
mod neighbours;
mod of_site;
mod owners;
mod parts;
mod phrases;
mod pieces;
mod places;
mod placings;
mod plainer;
mod positions;
pub mod questions;
pub mod reasons;
pub mod remarks;
mod renamed;
mod rows;
pub mod rule_words;
pub mod same_site;
pub mod several;
pub mod shorthand;
mod showing;
pub mod spoken_of;
mod standing;
mod stays;
mod steps;
mod stop;
mod strange;
mod synonyms;
mod takers;
pub mod typed;
mod unread;
pub mod values;
pub mod ways;
mod wording;

pub use computer::{Thought, drawn_for};
pub use knowledge::memory;
pub use stop::Stop;

use std::sync::Arc;
use std::time::Instant;

use crate::diagnostic::Diagnostic;
use crate::engine::{Budget, Execution, Fault, FaultKind, Game, Outcome, Session, State};
use crate::program::Value;
use crate::reference::{Facts, Reference, RuleError};
use crate::render::View;
use crate::search::Memory;
use crate::solve::Probe;
use crate::source::Sources;
use crate::syntax::Term;

/// A position in the representation of the engine in use.
#[derive(Debug, Clone)]
pub enum Position {
    Compiled(State),
    Plain(Facts),
}

/// The legal moves or chance events of a position.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// They are chance events.
    pub chance: bool,
    /// The moves or events, each with its weight, which is 1 for a move.
    pub all: Vec<(Term, i64)>,
}

/// The move that led to a position.
#[derive(Debug, Clone, Copy)]
pub struct Last<'a> {
    pub before: &'a Position,
    pub mv: &'a Term,
}

/// The implementation that applies the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evaluator {
    /// The compiled engine.
    #[default]
    Compiled,
    /// The compiled engine without machine code.
    Interpreted,
    /// The reference evaluator, slow and simple.
    Reference,
}

/// A game, and the engine that applies its rules.
pub struct Referee<'g> {
    pub game: &'g Game,
    /// The reference evaluator, which answers questions whichever engine plays.
    pub rules: Reference,
    pub session: Session<'g>,
    pub view: Arc<View>,
    engine: Evaluator,
    until: Option<Instant>,
    /// What the computer has found out about the game.
    pub memory: Option<Memory>,
    /// Exact values that were found before.
    pub values: Vec<Probe>,
    /// How many threads the computer thinks with.
    pub threads: usize,
    /// Where it returns true, questions end.
    interrupted: fn() -> bool,
}

/// A rule error as the reason to stop.
pub fn rule_error(sources: &Sources, diagnostic: Diagnostic) -> Stop {
    Stop::Diagnosed { sources: sources.clone(), diagnostics: vec![diagnostic], code: 1 }
}

impl<'g> Referee<'g> {
    pub fn new(game: &'g Game, engine: Evaluator) -> Referee<'g> {
        let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables))
            .with_budget(Budget::REFERENCE.interrupted_by(interrupt::interrupted));
        let budget = Budget::PLAY.interrupted_by(interrupt::interrupted);
        Referee::of(game, engine, (rules, budget), Arc::new(View::new(game)))
            .interrupted_by(interrupt::interrupted)
    }

    /// A referee with parts that are there already: the reference evaluator, the budget of the compiled
    /// engine, the view. Nothing interrupts it but its budgets.
    pub fn of(
        game: &'g Game,
        engine: Evaluator,
        (rules, budget): (Reference, Budget),
        view: Arc<View>,
    ) -> Referee<'g> {
        let execution = match engine {
            Evaluator::Interpreted => Execution::Interpreted,
            _ => Execution::Adaptive,
        };
        let mut session = Session::with(game, execution);
        session.set_budget(budget);
        Referee {
            game,
            rules,
            session,
            view,
            engine,
            until: budget.until,
            memory: None,
            values: Vec::new(),
            threads: 1,
            interrupted: || false,
        }
    }

    fn interrupted_by(self, interrupted: fn() -> bool) -> Referee<'g> {
        Referee { interrupted, ..self }
    }

    /// The budget with what ends this referee's questions.
    pub fn within(&self, budget: Budget) -> Budget {
        Budget { until: self.until, ..budget.interrupted_by(self.interrupted) }
    }

    /// Sets the time at which questions end as if they were interrupted.
    pub fn set_until(&mut self, until: Option<Instant>) {
        self.session.set_until(until);
        self.rules.set_until(until);
        self.until = until;
    }

    /// Whether the time of [`Referee::set_until`] is over, or the work is interrupted.
    pub fn is_over(&self) -> bool {
        (self.interrupted)() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// A rule error of the compiled engine as the reason to stop.
    pub fn fault(&self, fault: &Fault) -> Stop {
        if fault.kind == FaultKind::Interrupted {
            return Stop::Interrupted;
        }
        let diagnostic = fault.diagnostic(&self.game.plan, &self.game.program);
        rule_error(&self.game.program.sources, diagnostic)
    }

    /// The diagnostic for a position without legal moves to which no end clause applies.
    pub fn uncovered(&self) -> Diagnostic {
        let program = &self.game.program;
        let fault = Diagnostic::warning(
            "uncovered-end",
            "a position has no legal move, and no clause says how the game ends there",
        );
        let fault = match program.ends.last() {
            Some((_, id)) => {
                fault.at(program.clause(*id).head_span, "the last clause that ends it")
            }
            None => fault,
        };
        fault.hint(
            "it counts as a draw: write `draw :- stuck.`, or e.g. `lose(P) :- stuck, turn(P).`",
        )
    }

    /// A rule error as the reason to stop.
    pub fn stopped(&self, error: RuleError) -> Stop {
        if error.is_interrupted() {
            return Stop::Interrupted;
        }
        rule_error(&self.game.program.sources, error.into())
    }

    pub fn opening(&mut self) -> Position {
        match self.engine {
            Evaluator::Compiled | Evaluator::Interpreted => {
                Position::Compiled(self.session.opening())
            }
            Evaluator::Reference => Position::Plain(self.rules.opening()),
        }
    }

    pub fn turn(&self, position: &Position) -> Value {
        match position {
            Position::Compiled(state) => self.game.turn(state),
            Position::Plain(facts) => facts.turn().unwrap_or(Value::Integer(0)),
        }
    }

    pub fn ply(&self, position: &Position) -> i64 {
        match position {
            Position::Compiled(state) => self.game.ply(state),
            Position::Plain(facts) => facts.ply(),
        }
    }

    /// A player's name.
    pub fn name(&self, player: Value) -> String {
        self.game.program.values.show(player)
    }

    /// The legal moves or the chance events.
    ///
    /// # Errors
    /// A rule error.
    pub fn choices(&mut self, position: &Position) -> Result<Choices, Stop> {
        match position {
            Position::Compiled(state) => {
                let moves = self.session.legal_moves(state).map_err(|f| self.fault(&f))?;
                let chance = moves.first().is_some_and(|m| m.chance);
                Ok(Choices { chance, all: moves.into_iter().map(|m| (m.term, m.weight)).collect() })
            }
            Position::Plain(facts) => {
                let events = self.rules.chance_events(facts).map_err(|e| self.stopped(e))?;
                if !events.is_empty() {
                    return Ok(Choices { chance: true, all: events });
                }
                let moves = self.rules.legal_moves(facts).map_err(|e| self.stopped(e))?;
                Ok(Choices { chance: false, all: moves.into_iter().map(|m| (m, 1)).collect() })
            }
        }
    }

    /// The position after a move; `None` where it is not legal.
    ///
    /// # Errors
    /// A rule error.
    pub fn play(&mut self, position: &Position, mv: &Term) -> Result<Option<Position>, Stop> {
        match position {
            Position::Compiled(state) => {
                let next = self.session.play(state, mv).map_err(|f| self.fault(&f))?;
                Ok(next.map(Position::Compiled))
            }
            Position::Plain(facts) => {
                let next = self.rules.play(facts, mv).map_err(|e| self.stopped(e))?;
                Ok(next.map(Position::Plain))
            }
        }
    }

    /// The position after a move that may be written in another form, and the legal move itself; `None` where
    /// it is not legal, or the form can mean several moves.
    ///
    /// # Errors
    /// A rule error.
    pub fn play_form(
        &mut self,
        position: &Position,
        form: &Term,
    ) -> Result<Option<(Term, Position)>, Stop> {
        if let Some(next) = self.play(position, form)? {
            return Ok(Some((form.clone(), next)));
        }
        let meant = self.rules.meant(&self.facts(position), form).map_err(|e| self.stopped(e))?;
        let [mv] = meant.as_slice() else { return Ok(None) };
        Ok(self.play(position, mv)?.map(|next| (mv.clone(), next)))
    }

    /// Every move or chance event with the resulting position.
    ///
    /// # Errors
    /// A rule error.
    pub fn successors(&mut self, position: &Position) -> Result<Vec<(Term, Position)>, Stop> {
        match position {
            Position::Compiled(state) => {
                let next = self.session.successors(state).map_err(|f| self.fault(&f))?;
                Ok(next.into_iter().map(|(m, s)| (m.term, Position::Compiled(s))).collect())
            }
            Position::Plain(facts) => {
                let next = self.rules.successors(facts).map_err(|e| self.stopped(e))?;
                Ok(next.into_iter().map(|(m, f)| (m, Position::Plain(f))).collect())
            }
        }
    }

    /// How the game has ended; `None` while it goes on.
    ///
    /// # Errors
    /// A rule error.
    pub fn outcome(&mut self, position: &Position) -> Result<Option<Outcome>, Stop> {
        match position {
            Position::Compiled(state) => self.session.outcome(state).map_err(|f| self.fault(&f)),
            Position::Plain(facts) => {
                let outcome = self.rules.outcome(facts).map_err(|e| self.stopped(e))?;
                Ok(outcome.map(|o| Outcome {
                    kind: o.kind,
                    clause: o.clause,
                    winners: o.winners,
                    scores: o.scores,
                }))
            }
        }
    }

    /// A move in the game's notation.
    ///
    /// # Errors
    /// A rule error.
    pub fn notation(&self, facts: &Facts, mv: &Term) -> Result<String, Stop> {
        self.rules.notation(facts, mv).map_err(|e| self.stopped(e))
    }
}
