//! The public interface of the engine: a machine, specialised for the size of the game's sets, that
//! answers questions about any position of the game.

use std::time::Instant;

use crate::plan::{Code, HeadTerm, LISTS};
use crate::program::{Budget, EndKind};
use crate::source::Span;
use crate::syntax::{Term, TermKind};

use super::fault::{Fault, FaultKind};
use super::game::{Fact, Game, Move, Outcome, State, ToMove};
use super::machine::Machine;
use super::native::NativeRuns;
use super::perft::Perft;
use super::play::EndHit;
use super::playout::{PlayoutOptions, Playouts};
use super::probes::Probes;
use super::segments::{Moves, Pick, SAVED, saved_items, with_width};
use super::walk::{Walk, Way};

/// The interface of every specialisation of the machine.
trait Engine: Send {
    fn legal_moves(&mut self, game: &Game, state: &State) -> Result<Vec<Move>, Fault>;
    fn play(&mut self, game: &Game, state: &State, mv: &Term) -> Result<Option<State>, Fault>;
    fn successors(&mut self, game: &Game, state: &State) -> Result<Vec<(Move, State)>, Fault>;
    fn outcome(&mut self, game: &Game, state: &State) -> Result<Option<Outcome>, Fault>;
    fn numbers(&mut self, state: &State, procedure: u32) -> Result<Vec<Option<i64>>, Fault>;
    fn perft(&mut self, state: &State, depth: u32, work: &mut Perft<'_>) -> Result<u64, Fault>;
    fn playouts(
        &mut self,
        state: &State,
        options: &mut PlayoutOptions<'_>,
    ) -> Result<Playouts, Fault>;
    fn hashes(&mut self, state: &State) -> (u64, u64);
    fn walk<'a>(&'a mut self, game: &'a Game, state: &State) -> Box<dyn Walk + 'a>;
    fn native_runs(&self) -> NativeRuns;
    fn build(&mut self, facts: &[Fact]) -> Result<State, Fact>;
    fn opening(&mut self) -> State;
    fn set_budget(&mut self, budget: Budget);
    fn set_until(&mut self, until: Option<Instant>);
    fn set_undisturbed(&mut self, undisturbed: bool);
}

/// How a plan is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// Interpreted at first; compiled to machine code when there is much work.
    #[default]
    Adaptive,
    /// Always interpreted.
    Interpreted,
    /// Compiled to machine code at the first position, where there is a code generator for this
    /// processor.
    Native,
    /// As `Native`, with a check of each access to memory: one outside its object ends the process. Slow;
    /// for tests of the code generator.
    Checked,
}

/// A machine for one game. Make one per thread and keep it: it allocates little once its buffers have
/// grown.
pub struct Session<'g> {
    game: &'g Game,
    engine: Box<dyn Engine + 'g>,
}

impl<'g> Session<'g> {
    /// An adaptive session.
    pub fn new(game: &'g Game) -> Session<'g> {
        Session::with(game, Execution::Adaptive)
    }

    /// A session that runs the plan in the given way. The results do not depend on it.
    pub fn with(game: &'g Game, execution: Execution) -> Session<'g> {
        let engine: Box<dyn Engine + 'g> =
            with_width!(game.plan.layout.words, W => Box::new(Machine::<W>::of(game, execution)));
        Session { game, engine }
    }

    /// An interpreted session whose plan has probes.
    pub(super) fn probed(game: &'g Game, probes: &'g Probes) -> Session<'g> {
        let engine: Box<dyn Engine + 'g> = with_width!(game.plan.layout.words, W => {
            let mut machine = Machine::<W>::of(game, Execution::Interpreted);
            machine.probes = Some(probes);
            Box::new(machine)
        });
        Session { game, engine }
    }

    /// The game that the session plays.
    pub fn game(&self) -> &'g Game {
        self.game
    }

    /// Sets the limits on the work of one question; exceeding them is a fault.
    pub fn set_budget(&mut self, budget: Budget) {
        self.engine.set_budget(budget);
    }

    /// Sets the time at which questions end with [`FaultKind::Interrupted`].
    pub fn set_until(&mut self, until: Option<Instant>) {
        self.engine.set_until(until);
    }

    /// Sets whether questions are asked as if nothing interrupted them: the short ones that tell what an interrupted
    /// search has found.
    pub fn set_undisturbed(&mut self, undisturbed: bool) {
        self.engine.set_undisturbed(undisturbed);
    }

    /// The opening position.
    pub fn opening(&mut self) -> State {
        self.engine.opening()
    }

    /// A position with exactly these facts; all other cells are undefined.
    ///
    /// # Errors
    /// The first fact that has no place in the state.
    pub fn build(&mut self, facts: &[Fact]) -> Result<State, Fact> {
        self.engine.build(facts)
    }

    /// The legal moves, or the chance events where one is due. Whether the game is over is not
    /// examined.
    ///
    /// # Errors
    /// A rule error.
    pub fn legal_moves(&mut self, state: &State) -> Result<Vec<Move>, Fault> {
        self.engine.legal_moves(self.game, state)
    }

    /// The position after a move or chance event; `None` where it is not legal.
    ///
    /// # Errors
    /// A rule error.
    pub fn play(&mut self, state: &State, mv: &Term) -> Result<Option<State>, Fault> {
        self.engine.play(self.game, state, mv)
    }

    /// The legal moves or chance events with the resulting positions, in the order of
    /// [`Session::legal_moves`].
    ///
    /// # Errors
    /// A rule error.
    pub fn successors(&mut self, state: &State) -> Result<Vec<(Move, State)>, Fault> {
        self.engine.successors(self.game, state)
    }

    /// How the game has ended; `None` while it goes on.
    ///
    /// # Errors
    /// A rule error.
    pub fn outcome(&mut self, state: &State) -> Result<Option<Outcome>, Fault> {
        self.engine.outcome(self.game, state)
    }

    /// Who is to move in a position that is not over.
    ///
    /// # Errors
    /// A rule error.
    pub fn to_move(&mut self, state: &State) -> Result<ToMove, Fault> {
        let chance = self.legal_moves(state)?.first().is_some_and(|m| m.chance);
        Ok(if chance { ToMove::Nature } else { ToMove::Player(self.game.turn(state)) })
    }

    /// `value(P, N)` of each player in order; `None` where the rules do not define it.
    ///
    /// # Errors
    /// A rule error.
    pub fn values(&mut self, state: &State) -> Result<Vec<Option<i64>>, Fault> {
        match self.game.plan.value {
            Some(procedure) => self.engine.numbers(state, procedure),
            None => Ok(vec![None; self.game.plan.players.len()]),
        }
    }

    /// The number of sequences of exactly `depth` moves and chance events; incomplete where `work.stopped`.
    ///
    /// # Errors
    /// A rule error.
    pub fn perft(&mut self, state: &State, depth: u32, work: &mut Perft<'_>) -> Result<u64, Fault> {
        self.engine.perft(state, depth, work)
    }

    /// Uniform random playouts from a position.
    ///
    /// # Errors
    /// A rule error.
    pub fn playouts(
        &mut self,
        state: &State,
        options: &mut PlayoutOptions<'_>,
    ) -> Result<Playouts, Fault> {
        self.engine.playouts(state, options)
    }

    /// A walk from a position, for a search.
    pub fn walk(&mut self, state: &State) -> Box<dyn Walk + '_> {
        self.engine.walk(self.game, state)
    }

    /// How often machine code has been run in this session.
    pub fn native_runs(&self) -> NativeRuns {
        self.engine.native_runs()
    }

    /// The incremental hash of a position, and the hash computed from the whole state. They are equal.
    pub fn hashes(&mut self, state: &State) -> (u64, u64) {
        self.engine.hashes(state)
    }
}

impl<'p, const W: usize> Machine<'p, W> {
    fn of(game: &'p Game, execution: Execution) -> Machine<'p, W> {
        let mut machine = Machine::new(&game.plan);
        if execution != Execution::Interpreted {
            let checked = execution == Execution::Checked;
            machine.use_code(&game.code, checked || execution == Execution::Native, checked);
        }
        machine
    }

    pub(super) fn at(&mut self, state: &State) {
        self.load(&state.words, &state.history);
    }

    pub(super) fn snapshot(&mut self) -> State {
        self.freshen_hash();
        State {
            words: self.now.state.clone().into_boxed_slice(),
            history: self.now.history.entries().to_vec(),
        }
    }

    /// Takes the fault that stopped a run.
    pub(super) fn take_fault(&mut self) -> Fault {
        let unknown = Fault {
            kind: FaultKind::Steps,
            clause: self.making.clause,
            chance: self.making.chance,
        };
        self.fault.take().map_or(unknown, |f| *f)
    }

    pub(super) fn term(&self, game: &Game, moves: &Moves<W>, pick: Pick) -> Term {
        let segment = &moves.segments[pick.segment as usize];
        let clause = &self.clauses(moves.chance)[segment.clause as usize];
        let (name, _) = &self.plan.functors[clause.functor as usize];
        let args: Vec<Term> =
            clause.head.iter().map(|t| self.argument_term(game, moves, pick, t)).collect();
        if args.is_empty() {
            Term::new(TermKind::Atom(name.clone()), Span::NONE)
        } else {
            Term::new(TermKind::Compound(name.clone(), args), Span::NONE)
        }
    }

    fn argument_term(&self, game: &Game, moves: &Moves<W>, pick: Pick, term: &HeadTerm) -> Term {
        match term {
            HeadTerm::Operand(x) => self.code_term(game, moves, self.operand_of(moves, pick, *x)),
            HeadTerm::List(items, tail) => {
                let mut all: Vec<Term> =
                    items.iter().map(|t| self.argument_term(game, moves, pick, t)).collect();
                if let Some(tail) = tail
                    && let TermKind::List(rest, _) =
                        self.argument_term(game, moves, pick, tail).kind
                {
                    all.extend(rest);
                }
                Term::new(TermKind::List(all, None), Span::NONE)
            }
            HeadTerm::Compound(name, args) => {
                let args = args.iter().map(|t| self.argument_term(game, moves, pick, t)).collect();
                Term::new(TermKind::Compound(name.clone(), args), Span::NONE)
            }
        }
    }

    fn code_term(&self, game: &Game, moves: &Moves<W>, code: Code) -> Term {
        let items: Option<Vec<Code>> = if code >= SAVED {
            Some(saved_items(moves, code).to_vec())
        } else if code >= LISTS {
            self.items(code).map(|t| t.to_vec())
        } else if code == self.plan.empty_list {
            Some(Vec::new())
        } else {
            None
        };
        match items {
            Some(items) => {
                let items = items.into_iter().map(|c| self.code_term(game, moves, c)).collect();
                Term::new(TermKind::List(items, None), Span::NONE)
            }
            None => game.program.values.to_term(self.plan.universes.value(code)),
        }
    }

    /// A candidate as a move; its position must be the current one.
    fn described(&mut self, game: &Game, moves: &Moves<W>, pick: Pick) -> Result<Move, Fault> {
        let weight = match moves.chance {
            true => self.weight(moves, pick).map_err(|()| self.take_fault())?,
            false => 1,
        };
        let number = moves.segments[pick.segment as usize].clause;
        let clause = self.clauses(moves.chance)[number as usize].clause;
        Ok(Move { term: self.term(game, moves, pick), chance: moves.chance, weight, clause })
    }

    fn outcome_of(&mut self, game: &Game, hit: EndHit) -> Result<Outcome, ()> {
        let players = &game.program.players;
        let named = |named: bool| {
            players
                .iter()
                .enumerate()
                .filter(|(i, _)| (hit.players >> i & 1 == 1) == named)
                .map(|(_, p)| *p)
                .collect::<Vec<_>>()
        };
        let clause = hit.kind.and_then(|_| game.program.ends.get(hit.number)).map(|(_, id)| *id);
        let scores = match self.plan.score {
            Some(procedure) => Some(self.numbers(procedure, "score")?),
            None => None,
        };
        let winners = match hit.kind {
            Some(EndKind::Win) => named(true),
            Some(EndKind::Lose) => named(false),
            Some(EndKind::Over) if players.len() > 1 => best(players, scores.as_deref()),
            _ => Vec::new(),
        };
        Ok(Outcome { kind: hit.kind, clause, winners, scores })
    }
}

/// The player who alone has the highest score; empty where several have it.
fn best(
    players: &[crate::program::Value],
    scores: Option<&[Option<i64>]>,
) -> Vec<crate::program::Value> {
    let Some(scores) = scores else { return Vec::new() };
    let top = scores.iter().flatten().max();
    let all: Vec<_> = players
        .iter()
        .zip(scores)
        .filter(|(_, s)| s.is_some() && s.as_ref() == top)
        .map(|(p, _)| *p)
        .collect();
    if all.len() == 1 { all } else { Vec::new() }
}

impl<'p, const W: usize> Engine for Machine<'p, W> {
    fn legal_moves(&mut self, game: &Game, state: &State) -> Result<Vec<Move>, Fault> {
        self.at(state);
        let mut moves = Box::default();
        if self.legal(&mut moves).is_err() {
            return Err(self.take_fault());
        }
        moves.picks().into_iter().map(|pick| self.described(game, &moves, pick)).collect()
    }

    fn successors(&mut self, game: &Game, state: &State) -> Result<Vec<(Move, State)>, Fault> {
        self.at(state);
        let mut moves = Box::default();
        if self.legal(&mut moves).is_err() {
            return Err(self.take_fault());
        }
        let mut all = Vec::new();
        for pick in moves.picks() {
            self.at(state);
            let mv = self.described(game, &moves, pick)?;
            match Machine::play(self, &moves, pick) {
                Ok(true) => all.push((mv, self.snapshot())),
                Ok(false) => {}
                Err(()) => return Err(self.take_fault()),
            }
        }
        Ok(all)
    }

    fn play(&mut self, game: &Game, state: &State, mv: &Term) -> Result<Option<State>, Fault> {
        self.at(state);
        let mut moves = Box::default();
        if self.legal(&mut moves).is_err() {
            return Err(self.take_fault());
        }
        let found = moves.picks().into_iter().find(|pick| self.term(game, &moves, *pick) == *mv);
        let Some(pick) = found else { return Ok(None) };
        match Machine::play(self, &moves, pick) {
            Ok(true) => Ok(Some(self.snapshot())),
            Ok(false) => Ok(None),
            Err(()) => Err(self.take_fault()),
        }
    }

    fn outcome(&mut self, game: &Game, state: &State) -> Result<Option<Outcome>, Fault> {
        self.at(state);
        let found = self.finished().and_then(|hit| match hit {
            Some(hit) => self.outcome_of(game, hit).map(Some),
            None => Ok(None),
        });
        found.map_err(|()| self.take_fault())
    }

    fn numbers(&mut self, state: &State, procedure: u32) -> Result<Vec<Option<i64>>, Fault> {
        self.at(state);
        Machine::numbers(self, procedure, "value").map_err(|()| self.take_fault())
    }

    fn perft(&mut self, state: &State, depth: u32, work: &mut Perft<'_>) -> Result<u64, Fault> {
        self.at(state);
        self.count(depth, work).or_else(|()| match self.take_fault() {
            Fault { kind: FaultKind::Interrupted, .. } => {
                work.stopped = true;
                Ok(0)
            }
            fault => Err(fault),
        })
    }

    fn playouts(
        &mut self,
        state: &State,
        options: &mut PlayoutOptions<'_>,
    ) -> Result<Playouts, Fault> {
        self.run_playouts(state, options).map_err(|()| self.take_fault())
    }

    fn walk<'a>(&'a mut self, game: &'a Game, state: &State) -> Box<dyn Walk + 'a> {
        Box::new(Way::new(self, game, state))
    }

    fn native_runs(&self) -> NativeRuns {
        self.native_counts()
    }

    fn hashes(&mut self, state: &State) -> (u64, u64) {
        self.at(state);
        (self.hash(), self.full_hash())
    }

    fn build(&mut self, facts: &[Fact]) -> Result<State, Fact> {
        self.blank();
        for fact in facts {
            if !self.put_fact(fact) {
                return Err(fact.clone());
            }
        }
        self.now.history.set(&[]);
        Ok(self.snapshot())
    }

    fn opening(&mut self) -> State {
        Machine::<W>::new(self.plan).snapshot()
    }

    fn set_budget(&mut self, budget: Budget) {
        self.fuel.budget = budget;
        self.refuel();
    }

    fn set_until(&mut self, until: Option<Instant>) {
        self.fuel.budget.until = until;
    }

    fn set_undisturbed(&mut self, undisturbed: bool) {
        self.fuel.undisturbed = undisturbed;
    }
}

impl<'p, const W: usize> Machine<'p, W> {
    /// A state in which nothing is defined.
    fn blank(&mut self) {
        self.now.state.iter_mut().for_each(|w| *w = 0);
        self.clear();
        self.now.version += 1;
    }

    /// Writes a fact into the current state; false where it has no place there.
    fn put_fact(&mut self, fact: &Fact) -> bool {
        let place = self.plan.layout.place(fact.fluent);
        let mut cell = 0;
        for (axis, key) in place.axes().iter().zip(&fact.keys) {
            let Some(index) = self.plan.universes.try_code(*key).and_then(|c| axis.index(c)) else {
                return false;
            };
            cell = cell * axis.len + index;
        }
        let coded = match (fact.value, &place.value) {
            (None, None) => Some(1),
            (Some(value), Some(axis)) => {
                self.plan.universes.try_code(value).and_then(|c| axis.index(c)).map(|i| i + 1)
            }
            _ => None,
        };
        match coded {
            Some(coded) if fact.keys.len() == place.axes().len() => {
                self.assign(fact.fluent, cell, coded);
                true
            }
            _ => false,
        }
    }
}
