//! In which order moves are tried: what they take, what has refuted a position before, and what classes of moves
//! have cost.

use crate::engine::{Candidate, Game};
use crate::plan::Place;

use super::super::evaluation::Evaluation;
use super::{End, SCALE, Search};

/// Slots of the history of moves.
const HISTORY: usize = 1 << 14;
/// The greatest amount of a slot of the history.
const MOST_HISTORY: i32 = 8_000_000;
/// How often a class of moves must have been made before what it costs is known.
const KNOWN: u32 = 16;
/// The number of moves that are selected one at a time, as most positions are refuted by one of the first. The rest
/// is sorted at once.
const LOOKED_FOR: usize = 6;

/// A class of moves: how often one was made, and how often it cost pieces.
#[derive(Debug, Clone, Copy)]
struct Class {
    made: u32,
    costly: u32,
    /// The share of those that cost pieces; 1 where too few are known.
    share: f32,
}

/// What was learned of moves in the search.
pub(super) struct Learned {
    /// By clause, and whether the target is occupied.
    classes: Vec<Class>,
    /// Over all classes.
    made: u32,
    costly: u32,
    /// By player and key, how often a move has refuted a position, the deeper the more.
    history: Vec<i32>,
    /// By ply, the last two moves that have refuted a position.
    killers: Vec<[u64; 2]>,
    /// By key of a move, what has refuted it.
    answers: Vec<u64>,
}

impl Learned {
    pub fn new(clauses: usize, plies: usize) -> Learned {
        let unknown = Class { made: 0, costly: 0, share: 1.0 };
        Learned {
            classes: vec![unknown; clauses * 2],
            made: 0,
            costly: 0,
            history: vec![0; HISTORY],
            killers: vec![[0; 2]; plies],
            answers: vec![0; HISTORY],
        }
    }

    /// The share of the moves of its class that cost pieces; 1 where too few are known.
    pub fn costs(&self, clause: u16, occupied: bool) -> f32 {
        self.classes.get(usize::from(clause) * 2 + usize::from(occupied)).map_or(1.0, |c| c.share)
    }

    pub fn count(&mut self, clause: u16, occupied: bool, costly: bool) {
        self.made += 1;
        self.costly += u32::from(costly);
        let at = usize::from(clause) * 2 + usize::from(occupied);
        let Some(class) = self.classes.get_mut(at) else { return };
        class.made += 1;
        class.costly += u32::from(costly);
        if class.made >= KNOWN {
            class.share = class.costly as f32 / class.made as f32;
        }
    }

    /// Whether most moves cost pieces, so that nothing can be quiet.
    pub fn is_restless(&self) -> bool {
        self.costly * 5 > self.made * 2
    }

    fn slot(player: usize, key: u64) -> usize {
        (key ^ (player as u64) << 7) as usize % HISTORY
    }

    pub fn history(&self, player: usize, key: u64) -> i32 {
        self.history[Learned::slot(player, key)]
    }

    /// A move has refuted a position, those of `others` that were tried before have not.
    pub fn remember(
        &mut self,
        (player, ply, depth): (usize, usize, i16),
        before: Option<u64>,
        key: u64,
        others: &[(i32, Candidate)],
    ) {
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != key
        {
            *killers = [key, killers[0]];
        }
        if let Some(before) = before {
            self.answers[before as usize % HISTORY] = key;
        }
        let amount = i32::from(depth) * i32::from(depth);
        let slot = &mut self.history[Learned::slot(player, key)];
        *slot += amount;
        let full = *slot > MOST_HISTORY;
        for (_, other) in others {
            let slot = &mut self.history[Learned::slot(player, other.key)];
            *slot = (*slot - amount).max(-MOST_HISTORY);
        }
        if full {
            self.fade();
        }
    }

    /// What was learned long ago counts less.
    pub fn fade(&mut self) {
        self.history.iter_mut().for_each(|count| *count /= 2);
    }

    /// How a quiet move is ranked: by what it has refuted here, as an answer to this move, and elsewhere.
    fn quiet(&self, player: usize, ply: usize, before: Option<u64>, key: u64) -> i32 {
        let killer = self.killers.get(ply).is_some_and(|killers| killers.contains(&key));
        let answer = before.is_some_and(|before| self.answers[before as usize % HISTORY] == key);
        i32::from(killer) * 10_000_000 + i32::from(answer) * 5_000_000 + self.history(player, key)
    }
}

/// The first map with keys that has planes: where the pieces are.
pub(super) struct Board<'a> {
    place: &'a Place,
    /// The cells of a plane.
    cells: usize,
    /// By value and cell, what a piece is worth, to whomever it belongs.
    worth: Vec<i32>,
}

impl<'a> Board<'a> {
    pub fn of(game: &'a Game, evaluation: &Evaluation, me: usize) -> Option<Board<'a>> {
        let fits = |place: &&Place| place.planes.is_some() && place.value.is_some() && !place.aside;
        let layout = &game.plan.layout;
        let place = layout.places.iter().find(fits)?;
        let cells = layout.words * 64;
        let mut worth = Vec::new();
        for value in 0..place.value.as_ref()?.len {
            let first = place.planes?.first as usize + value * layout.words;
            let weights = evaluation.plane(first, cells, me)?;
            worth.extend(weights.iter().map(|weight| (weight.abs() * SCALE) as i32));
        }
        Some(Board { place, cells, worth })
    }

    /// What stands on the target of a move is worth; `None` where it is empty.
    pub fn target(&self, words: &[u64], candidate: &Candidate) -> Option<i32> {
        let cell = candidate.last.and_then(|code| self.place.keys[0].index(code))?;
        let coded = self.place.coded(words, cell);
        (coded > 0).then(|| self.worth[(coded - 1) * self.cells + cell])
    }
}

/// Candidates with their ranks.
pub(super) type Ranked = Vec<(i32, Candidate)>;

/// Brings the next candidate to its place: those before it have been tried.
pub(super) fn next(list: &mut Ranked, at: usize) -> Option<Candidate> {
    if at < LOOKED_FOR {
        let rest = list.get(at..)?;
        let best = rest.iter().enumerate().max_by_key(|(i, (rank, _))| (*rank, usize::MAX - i))?.0;
        list.swap(at, at + best);
    } else if at == LOOKED_FOR {
        list.get_mut(at..)?.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    }
    list.get(at).map(|(_, candidate)| *candidate)
}

impl Search<'_> {
    /// The candidates of the position, and a list for those that are ranked.
    pub(super) fn candidates(&mut self) -> (Ranked, Vec<Candidate>) {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        self.walk.candidates(&mut plain);
        self.work += plain.len() as u64;
        (list, plain)
    }

    /// The candidates of the position with their ranks, the higher the more promising.
    pub(super) fn ranked(&mut self, ply: usize, best: u64) -> Ranked {
        let (mut list, plain) = self.candidates();
        let (player, before) = (self.walk.turn(), self.before_of(ply));
        let words = self.walk.words();
        for candidate in &plain {
            let rank = if candidate.key == best {
                i32::MAX
            } else {
                let target = self.board.as_ref().and_then(|board| board.target(words, candidate));
                let costly = self.learned.costs(candidate.clause, target.is_some());
                (costly * 100_000_000.0) as i32
                    + target.unwrap_or(0).min(5_000) * 20_000
                    + self.learned.quiet(player, ply, before, candidate.key)
            };
            list.push((rank, *candidate));
        }
        self.plain = plain;
        list
    }

    /// The key of the move that leads to a ply.
    pub(super) fn before_of(&self, ply: usize) -> Option<u64> {
        ply.checked_sub(1).and_then(|ply| self.played.get(ply)).copied()
    }

    /// What stands on the target of a move is worth.
    pub(super) fn target(&self, candidate: &Candidate) -> Option<i32> {
        self.board.as_ref().and_then(|board| board.target(self.walk.words(), candidate))
    }

    /// Plays a candidate, and learns what its class costs. `None` where it is not legal.
    pub(super) fn make(&mut self, candidate: Candidate) -> Result<Option<bool>, End> {
        let occupied = self.target(&candidate).is_some();
        let ply = self.walk.depth();
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.extend_from_slice(self.walk.words());
        let made = self.walk.make(candidate);
        let costly =
            matches!(made, Ok(true)) && self.evaluation.reader.loses(&before, self.walk.words());
        self.before = before;
        if !made? {
            return Ok(None);
        }
        self.learned.count(candidate.clause, occupied, costly);
        if let Some(slot) = self.played.get_mut(ply) {
            *slot = candidate.key;
        }
        Ok(Some(costly))
    }
}
