//! Moves made and unmade in place, for searches: no terms, and no copy of a position but the words that
//! are needed to come back.
//!
//! A walk stands at a position. [`Walk::look`] says whether the game is over there and otherwise
//! generates the candidates, which are numbered; [`Walk::make`] plays one, [`Walk::unmake`] comes back.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::plan::{Code, LISTS, Plan};
use crate::program::FluentId;
use crate::syntax::Term;

use super::bits::bits;
use super::fault::Fault;
use super::game::{Game, State};
use super::machine::{Machine, Tuple};
use super::segments::{Moves, Pick};
use super::telling::Telling;

/// What there is to do in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The game is over; one bit per player, set for the winners. No bit stands for a draw.
    Over(u8),
    /// A chance event is due.
    Chance,
    /// The player to move has these candidates, of which some may turn out not to be legal. Where none
    /// is, the game is drawn.
    Moves,
}

/// The winners of a game, one bit each; none where all players of several win, as that is no better for one than for another.
pub fn drawn_if_shared(winners: u8, players: usize) -> u8 {
    if players > 1 && winners.count_ones() as usize == players { 0 } else { winners }
}

/// A candidate of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pick: Pick,
    /// Identifies the move in any position: a hash of its clause and its values.
    pub key: u64,
    /// The clause that generates it: an index.
    pub clause: u16,
    /// The code of its last variable, such as the target; `None` where it has no such variable.
    pub last: Option<Code>,
}

/// Which candidates are listed.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// By clause, whether candidates are wanted whose target is free, and whether those whose target is
    /// occupied. What has no target counts as free.
    pub clauses: Vec<[bool; 2]>,
    /// The code of the first cell of the map that tells whether a target is occupied, and the first word of
    /// its occupied cells and how many words there are.
    pub occupied: Option<(Code, usize, usize)>,
}

/// A walk through the positions of a game.
pub trait Walk {
    /// Examines the position and generates its candidates: [`Walk::over`] and [`Walk::generate`].
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn look(&mut self) -> Result<Look, Fault> {
        match self.over()? {
            Some(winners) => Ok(Look::Over(winners)),
            None => self.generate(),
        }
    }
    /// Generates the candidates of a position of which [`Walk::over`] has said that no end clause holds.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn generate(&mut self) -> Result<Look, Fault>;
    /// The winners where an end clause holds, as in [`Look::Over`]; whether there is a legal move is not
    /// examined.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn over(&mut self) -> Result<Option<u8>, Fault>;
    /// Appends the candidates that have been generated.
    fn candidates(&self, into: &mut Vec<Candidate>);
    /// Appends those that are wanted; whether these are all.
    fn candidates_among(&self, wanted: &Wanted, into: &mut Vec<Candidate>) -> bool;
    /// Plays a candidate of the position; false where it is not legal, and the position is as before.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn make(&mut self, candidate: Candidate) -> Result<bool, Fault>;
    /// Takes the last move back.
    fn unmake(&mut self);
    /// Goes to another position, without a history: the words of the plan's layout. The moves made so far
    /// are forgotten.
    fn go(&mut self, words: &[u64]);
    /// The weight of a chance event.
    ///
    /// # Errors
    /// A rule error.
    fn weight(&mut self, candidate: Candidate) -> Result<i64, Fault>;
    /// A hash of the position with the player to move and what else decides who wins, without its history.
    fn hash(&self) -> u64;
    /// The index of the player to move.
    fn turn(&self) -> usize;
    /// The words of the position, by the plan's layout.
    fn words(&self) -> &[u64];
    /// The words of the position before the last move; those of the current one where none was made.
    fn words_before(&self) -> &[u64];
    /// `value(P, N)` of each player; empty where the rules do not define it.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn values(&mut self) -> Result<Vec<Option<i64>>, Fault>;
    /// `score(P, N)` of each player; empty where the rules do not define it.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    fn scores(&mut self) -> Result<Vec<Option<i64>>, Fault>;
    /// The term of a candidate of the position.
    fn term(&self, candidate: Candidate) -> Term;
    /// The position.
    fn state(&mut self) -> State;
    /// How many candidates the player to move has here, and how many the last other player had on the way
    /// here; `None` where they have not been generated.
    fn choices(&self) -> [Option<u64>; 2];
    /// How many candidates the player to move had when he moved last on the way here.
    fn choices_before(&self) -> Option<u64>;
    /// How many moves lead here from where the walk began.
    fn depth(&self) -> usize;
    /// Takes back all moves to where the walk began.
    fn rewind(&mut self) {
        while self.depth() > 0 {
            self.unmake();
        }
    }
}

/// One position on the way: its candidates, and its words while a later one is current.
struct Room<const W: usize> {
    moves: Box<Moves<W>>,
    saved: Vec<u64>,
    /// The player to move, where the candidates are those of this position.
    chooser: Option<usize>,
}

pub(super) struct Way<'m, 'p, const W: usize> {
    pub machine: &'m mut Machine<'p, W>,
    pub game: &'m Game,
    rooms: Vec<Room<W>>,
    depth: usize,
    /// What tells one position from another, in words that machine code keeps current; it does not keep the hash
    /// of the state.
    telling: &'m Telling,
    /// By coded turn, the index of the player.
    players: Vec<usize>,
}

/// By coded turn, the index of the player: values are coded in the order of their universe.
fn players(plan: &Plan) -> Vec<usize> {
    let Some(axis) = &plan.layout.place(FluentId::TURN).value else { return vec![0] };
    let index = |coded: usize| {
        let code = axis.code(coded - 1);
        plan.players.iter().position(|player| *player == code).unwrap_or(0)
    };
    std::iter::once(0).chain((1..=axis.len).map(index)).collect()
}

impl<'m, 'p, const W: usize> Way<'m, 'p, W> {
    pub fn new(machine: &'m mut Machine<'p, W>, game: &'m Game, state: &State) -> Way<'m, 'p, W> {
        machine.at(state);
        let telling = game.telling();
        let players = players(machine.plan);
        let mut way = Way { machine, game, rooms: Vec::new(), depth: 0, telling, players };
        way.room();
        way
    }

    fn room(&mut self) {
        if self.rooms.len() <= self.depth {
            self.rooms.push(Room { moves: Box::default(), saved: Vec::new(), chooser: None });
        }
    }

    fn seen(&mut self) -> Result<Look, ()> {
        self.machine.refuel();
        self.rooms[self.depth].chooser = None;
        let mut moves = std::mem::take(&mut self.rooms[self.depth].moves);
        let looked = self.generated(&mut moves);
        let chooser = (looked == Ok(Look::Moves)).then(|| self.turn());
        self.rooms[self.depth].moves = moves;
        self.rooms[self.depth].chooser = chooser;
        looked
    }

    fn generated(&mut self, moves: &mut Box<Moves<W>>) -> Result<Look, ()> {
        self.machine.next_moves(moves)?;
        if moves.chance {
            return Ok(Look::Chance);
        }
        self.machine.settle(moves)?;
        // a position without a candidate to which no clause applies is a draw
        Ok(if moves.total == 0 { Look::Over(0) } else { Look::Moves })
    }

    /// Appends the candidates of a segment, or those of this set where it has one.
    #[inline]
    fn listed(&self, number: usize, set: [u64; W], into: &mut Vec<Candidate>) {
        let moves = &self.rooms[self.depth].moves;
        let segment = &moves.segments[number];
        let last = segment.last();
        if segment.count == 0 || last.is_some() && set == [0; W] {
            return;
        }
        let clause = &self.machine.clauses(moves.chance)[segment.clause as usize];
        let from = segment.registers as usize;
        let mut hasher = FxHasher::default();
        hasher.write_u16(segment.clause);
        let pick = Pick { segment: number as u32, bit: 0 };
        // a move that was played to find it has more values than it names
        if clause.branching && last.is_none() {
            let named = self.machine.key_of(moves, pick, clause);
            named.iter().for_each(|code| hasher.write_i64(*code));
        } else {
            let registers = &moves.registers[from..from + clause.kept as usize];
            let others = registers.iter().enumerate().filter(|(i, _)| segment.last as usize != *i);
            others.for_each(|(_, code)| self.hash_value(moves, *code, &mut hasher));
        }
        let common = hasher.finish();
        let candidate = |bit: usize, key: u64, last: Option<Code>| {
            let pick = Pick { segment: number as u32, bit: bit as u32 };
            Candidate { pick, key, clause: segment.clause, last }
        };
        match last {
            None => into.push(candidate(0, common, None)),
            Some((_, base)) => {
                for bit in bits(set) {
                    let key = common ^ super::machine::key(base as u64 ^ 0x5bd1, bit + 1);
                    into.push(candidate(bit, key, Some(base + bit as Code)));
                }
            }
        }
    }

    /// Adds a value to a hash. The place of a list depends on who has made it, and on the candidates before, so it is its
    /// items that count.
    #[inline]
    fn hash_value(&self, moves: &Moves<W>, code: Code, hasher: &mut FxHasher) {
        let plan = self.machine.plan;
        if code < LISTS && code != plan.empty_list && !plan.lists.contains_key(&code) {
            return hasher.write_i64(code);
        }
        let mut items = Tuple::new();
        self.machine.flatten_code(moves, code, &mut items);
        items.iter().for_each(|item| hasher.write_i64(*item));
    }

    fn numbers(
        &mut self,
        procedure: Option<u32>,
        name: &'static str,
    ) -> Result<Vec<Option<i64>>, Fault> {
        match procedure {
            Some(procedure) => {
                // errors that no answer needs are not looked for, as in playouts
                self.machine.refuel();
                self.machine.strict = false;
                let numbers = self.machine.numbers(procedure, name);
                self.machine.strict = true;
                numbers.map_err(|()| self.machine.take_fault())
            }
            None => Ok(Vec::new()),
        }
    }
}

impl<const W: usize> Walk for Way<'_, '_, W> {
    fn generate(&mut self) -> Result<Look, Fault> {
        // errors of moves that are not made are not looked for, as in playouts
        self.machine.strict = false;
        let looked = self.seen();
        self.machine.strict = true;
        looked.map_err(|()| self.machine.take_fault())
    }

    fn over(&mut self) -> Result<Option<u8>, Fault> {
        self.machine.refuel();
        self.machine.strict = false;
        self.rooms[self.depth].chooser = None;
        let over = match self.machine.end() {
            Ok(Some(hit)) => {
                let players = self.machine.plan.players.len();
                self.machine.winners(hit).map(|winners| Some(drawn_if_shared(winners, players)))
            }
            Ok(None) => Ok(None),
            Err(()) => Err(()),
        };
        self.machine.strict = true;
        over.map_err(|()| self.machine.take_fault())
    }

    fn candidates(&self, into: &mut Vec<Candidate>) {
        let moves = &self.rooms[self.depth].moves;
        for (number, segment) in moves.segments.iter().enumerate() {
            self.listed(number, segment.set, into);
        }
    }

    fn candidates_among(&self, wanted: &Wanted, into: &mut Vec<Candidate>) -> bool {
        let moves = &self.rooms[self.depth].moves;
        let mut all = true;
        for (number, segment) in moves.segments.iter().enumerate() {
            let clause = wanted.clauses.get(segment.clause as usize);
            let mut set = segment.set;
            match (clause.copied().unwrap_or([true; 2]), segment.last(), wanted.occupied) {
                ([true, true], ..) => {}
                ([free, occupied], Some((_, base)), Some((first, start, words)))
                    if free != occupied && base == first =>
                {
                    for (i, word) in set.iter_mut().enumerate() {
                        let held = if i < words { self.words()[start + i] } else { 0 };
                        *word &= if occupied { held } else { !held };
                    }
                    all &= set == segment.set;
                }
                // which targets are occupied is not known here
                ([free, occupied], Some(_), Some(_)) if free != occupied => {}
                ([true, _], ..) => {}
                ([false, _], ..) => {
                    all &= segment.count == 0;
                    continue;
                }
            }
            self.listed(number, set, into);
        }
        all
    }

    fn make(&mut self, candidate: Candidate) -> Result<bool, Fault> {
        self.machine.refuel();
        let moves = std::mem::take(&mut self.rooms[self.depth].moves);
        let mut saved = std::mem::take(&mut self.rooms[self.depth].saved);
        saved.clone_from(&self.machine.now.state);
        self.machine.remember();
        self.machine.making.mover = self.machine.turn_at_work();
        let made = match self.machine.tick(32) {
            Ok(()) => self.machine.apply(&moves, candidate.pick, false),
            Err(()) => Err(()),
        };
        if made != Ok(true) {
            self.machine.now.state.copy_from_slice(&saved);
            self.machine.now.version += 1;
            self.machine.forget();
        }
        self.rooms[self.depth].moves = moves;
        self.rooms[self.depth].saved = saved;
        match made {
            Ok(true) => {
                self.depth += 1;
                self.room();
                self.rooms[self.depth].chooser = None;
                Ok(true)
            }
            Ok(false) => Ok(false),
            Err(()) => Err(self.machine.take_fault()),
        }
    }

    fn unmake(&mut self) {
        if self.depth == 0 {
            return;
        }
        self.depth -= 1;
        self.machine.now.state.copy_from_slice(&self.rooms[self.depth].saved);
        self.machine.now.version += 1;
        self.machine.forget();
    }

    fn go(&mut self, words: &[u64]) {
        self.depth = 0;
        self.rooms[0].chooser = None;
        self.machine.stand(words);
    }

    fn weight(&mut self, candidate: Candidate) -> Result<i64, Fault> {
        let moves = std::mem::take(&mut self.rooms[self.depth].moves);
        let weight = self.machine.weight(&moves, candidate.pick);
        self.rooms[self.depth].moves = moves;
        weight.map_err(|()| self.machine.take_fault())
    }

    fn hash(&self) -> u64 {
        self.telling.hash(&self.machine.now.state)
    }

    fn turn(&self) -> usize {
        self.players.get(self.machine.turn_at_work()).copied().unwrap_or(0)
    }

    fn words(&self) -> &[u64] {
        &self.machine.now.state
    }

    fn words_before(&self) -> &[u64] {
        match self.depth.checked_sub(1) {
            Some(before) => &self.rooms[before].saved,
            None => &self.machine.now.state,
        }
    }

    fn values(&mut self) -> Result<Vec<Option<i64>>, Fault> {
        self.numbers(self.machine.plan.value, "value")
    }

    fn scores(&mut self) -> Result<Vec<Option<i64>>, Fault> {
        self.numbers(self.machine.plan.score, "score")
    }

    fn term(&self, candidate: Candidate) -> Term {
        self.machine.term(self.game, &self.rooms[self.depth].moves, candidate.pick)
    }

    fn state(&mut self) -> State {
        self.machine.snapshot()
    }

    fn choices(&self) -> [Option<u64>; 2] {
        let turn = self.turn();
        let rooms = &self.rooms[..=self.depth];
        let of = |room: &Room<W>| room.chooser.map(|_| room.moves.total);
        let other = rooms.iter().rev().find(|room| room.chooser.is_some_and(|who| who != turn));
        [rooms.last().and_then(of), other.and_then(of)]
    }

    fn choices_before(&self) -> Option<u64> {
        let turn = self.turn();
        let rooms = self.rooms[..self.depth].iter().rev();
        rooms.filter(|room| room.chooser == Some(turn)).map(|room| room.moves.total).next()
    }

    fn depth(&self) -> usize {
        self.depth
    }
}
