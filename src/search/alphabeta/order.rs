//! In which order moves are tried: what they take, what has refuted a position before, and what classes of moves
//! have cost.

use crate::engine::{Candidate, Game, Wanted};
use crate::plan::{Code, Place};

use super::super::evaluation::Evaluation;
use super::quiet::{FORCED, QUIET};
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
    /// The classes that are not quiet.
    pub wanted: Wanted,
    /// How many classes leave no choice.
    forcing: u32,
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
    pub fn new(clauses: usize, plies: usize, occupied: Option<(Code, usize, usize)>) -> Learned {
        let unknown = Class { made: 0, costly: 0, share: 1.0 };
        Learned {
            classes: vec![unknown; clauses * 2],
            wanted: Wanted { clauses: vec![[true; 2]; clauses], occupied },
            forcing: 0,
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
            self.forcing -= u32::from(class.made > KNOWN && class.share > FORCED);
            class.share = class.costly as f32 / class.made as f32;
            self.forcing += u32::from(class.share > FORCED);
            self.wanted.clauses[usize::from(clause)][usize::from(occupied)] = class.share >= QUIET;
        }
    }

    /// Whether there is a class of moves that leave no choice.
    pub fn may_force(&self) -> bool {
        self.forcing > 0
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
        others: &[Candidate],
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
        for other in others {
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
    /// The first word of the cells that are occupied.
    defined: usize,
    /// By value and cell, what a piece is worth, to whomever it belongs.
    worth: Vec<i32>,
}

impl<'a> Board<'a> {
    pub fn of(game: &'a Game, evaluation: &Evaluation, me: usize) -> Option<Board<'a>> {
        let fits = |place: &&Place| place.planes.is_some() && place.value.is_some() && !place.aside;
        let layout = &game.plan.layout;
        let place = layout.places.iter().find(fits)?;
        let (cells, planes) = (layout.words * 64, place.planes?);
        let mut worth = Vec::new();
        for value in 0..place.value.as_ref()?.len {
            let first = planes.first as usize + value * layout.words;
            let weights = evaluation.plane(first, cells, me)?;
            worth.extend(weights.iter().map(|weight| (weight.abs() * SCALE) as i32));
        }
        Some(Board { place, cells, defined: planes.defined as usize, worth })
    }

    /// The code of the first cell, the first word of the cells that are occupied, and how many words there are.
    pub fn occupied(&self) -> Option<(Code, usize, usize)> {
        let key = self.place.keys.first().filter(|key| key.listed.is_none())?;
        Some((key.base, self.defined, self.cells / 64))
    }

    /// What stands on the target of a move is worth; `None` where it is empty.
    pub fn target(&self, words: &[u64], candidate: &Candidate) -> Option<i32> {
        let cell = candidate.last.and_then(|code| self.place.keys[0].index(code))?;
        // in most cases it is empty
        if words[self.defined + cell / 64] >> (cell % 64) & 1 == 0 {
            return None;
        }
        let coded = self.place.coded(words, cell);
        (coded > 0).then(|| self.worth[(coded - 1) * self.cells + cell])
    }
}

/// Candidates with their ranks.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    candidates: Vec<Candidate>,
    /// Their ranks, apart from them so that the greatest is found at once.
    ranks: Vec<i32>,
    sorted: Vec<(i32, Candidate)>,
    /// How many at the beginning are tried as they stand, before the others are ranked.
    first: usize,
    ranked: bool,
}

impl Ranked {
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Those that were tried, of which there are this many.
    pub fn tried(&self, count: usize) -> &[Candidate] {
        &self.candidates[..count]
    }

    pub fn clear(&mut self) {
        self.candidates.clear();
        self.ranks.clear();
        (self.first, self.ranked) = (0, true);
    }

    pub fn push(&mut self, rank: i32, candidate: Candidate) {
        self.candidates.push(candidate);
        self.ranks.push(rank);
    }

    /// Brings the next candidate to its place: those before it have been tried.
    pub fn next(&mut self, at: usize) -> Option<Candidate> {
        let first = *self.candidates.get(at)?;
        match at {
            _ if at < self.first => return Some(first),
            LOOKED_FOR => self.sort(at),
            _ if at < LOOKED_FOR => {
                let (mut best, mut top) = (at, self.ranks[at]);
                for (i, rank) in self.ranks.iter().enumerate().skip(at + 1) {
                    if *rank > top {
                        (best, top) = (i, *rank);
                    }
                }
                self.candidates.swap(at, best);
                self.ranks.swap(at, best);
            }
            _ => {}
        }
        Some(self.candidates[at])
    }

    /// Sorts the candidates from a place on, the highest rank first.
    fn sort(&mut self, from: usize) {
        self.sorted.clear();
        let ranks = self.ranks[from..].iter().copied();
        self.sorted.extend(ranks.zip(self.candidates[from..].iter().copied()));
        self.sorted.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        for (i, (rank, candidate)) in self.sorted.iter().enumerate() {
            self.ranks[from + i] = *rank;
            self.candidates[from + i] = *candidate;
        }
    }
}

impl Search<'_> {
    /// An empty list for candidates.
    pub(super) fn list(&mut self) -> Ranked {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        list
    }

    /// The candidates of the position without ranks, the best one that is known at the beginning: it refutes most
    /// positions, so that the others need none. `best` is the low half of its key, or 0.
    pub(super) fn listed(&mut self, best: u32) -> Ranked {
        let mut list = self.list();
        self.walk.candidates(&mut list.candidates);
        self.work += list.len() as u64;
        list.ranked = false;
        if best != 0
            && let Some(at) = list.candidates.iter().position(|c| c.key as u32 == best)
        {
            list.candidates.swap(0, at);
            list.first = 1;
        }
        list
    }

    /// The next candidate of a list that [`Search::listed`] has made.
    pub(super) fn next(&mut self, list: &mut Ranked, at: usize, ply: usize) -> Option<Candidate> {
        if at >= list.first && !list.ranked {
            list.ranked = true;
            let (player, before) = (self.walk.turn(), self.before_of(ply));
            let words = self.walk.words();
            list.ranks.resize(at, 0);
            for candidate in &list.candidates[at..] {
                let target = self.board.as_ref().and_then(|board| board.target(words, candidate));
                let costly = self.learned.costs(candidate.clause, target.is_some());
                list.ranks.push(
                    (costly * 100_000_000.0) as i32
                        + target.unwrap_or(0).min(5_000) * 20_000
                        + self.learned.quiet(player, ply, before, candidate.key),
                );
            }
        }
        list.next(at)
    }

    /// The key of the move that leads to a ply.
    pub(super) fn before_of(&self, ply: usize) -> Option<u64> {
        ply.checked_sub(1).and_then(|ply| self.played.get(ply)).copied()
    }

    /// What stands on the target of a move is worth.
    pub(super) fn target(&self, candidate: &Candidate) -> Option<i32> {
        self.board.as_ref().and_then(|board| board.target(self.walk.words(), candidate))
    }

    /// Takes account of the last move or chance event; whether it cost pieces.
    pub(super) fn follow(&mut self) -> bool {
        let (before, after) = (self.walk.words_before(), self.walk.words());
        let ply = self.walk.depth();
        if let Some([last, slot]) =
            ply.checked_sub(1).and_then(|last| self.sums.get_mut(last..=ply))
        {
            *slot = self.evaluation.after(last, before, after, self.me);
        }
        self.evaluation.reader.loses(before, after)
    }

    /// Plays a candidate, and learns what its class costs. `None` where it is not legal.
    pub(super) fn make(&mut self, candidate: Candidate) -> Result<Option<bool>, End> {
        let occupied = self.target(&candidate).is_some();
        let ply = self.walk.depth();
        if !self.walk.make(candidate)? {
            return Ok(None);
        }
        let costly = self.follow();
        self.learned.count(candidate.clause, occupied, costly);
        if let Some(slot) = self.played.get_mut(ply) {
            *slot = candidate.key;
        }
        Ok(Some(costly))
    }
}
