//! In which order moves are tried: by what they take, and by what was learned of them.

use crate::engine::{Candidate, Game};
use crate::plan::{Code, Place};

use super::super::evaluation::Evaluation;
use super::learned::Context;
use super::{End, SCALE, Search};

/// The number of moves that are selected one at a time, as most positions are refuted by one of the first. The rest
/// is sorted at once.
const LOOKED_FOR: usize = 6;

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
            let context = self.context(ply);
            let words = self.walk.words();
            list.ranks.resize(at, 0);
            for candidate in &list.candidates[at..] {
                let target = self.board.as_ref().and_then(|board| board.target(words, candidate));
                let costly = self.learned.costs(candidate.clause, target.is_some());
                list.ranks.push(
                    (costly * 100_000_000.0) as i32
                        + target.unwrap_or(0).min(5_000) * 20_000
                        + self.learned.rank(&context, candidate.key),
                );
            }
        }
        list.next(at)
    }

    /// Where the moves of the current position are made.
    pub(super) fn context(&self, ply: usize) -> Context {
        let before = |plies: usize| ply.checked_sub(plies).and_then(|at| self.played.get(at));
        let before = [before(1).copied(), before(2).copied()];
        Context { player: self.walk.turn(), ply, before }
    }

    /// What stands on the target of a move is worth.
    pub(super) fn target(&self, candidate: &Candidate) -> Option<i32> {
        self.board.as_ref().and_then(|board| board.target(self.walk.words(), candidate))
    }

    /// Takes account of the last move or chance event; whether it cost pieces.
    pub(super) fn follow(&mut self) -> bool {
        let (before, after) = (self.walk.words_before(), self.walk.words());
        let ply = self.walk.depth();
        let gained = self.evaluation.difference(before, after, self.me);
        let last = ply.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or(0);
        if let Some(slot) = self.sums.get_mut(ply) {
            *slot = last + gained;
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
