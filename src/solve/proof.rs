//! The value of one position by search alone: alpha-beta to the ends of games with a table of what is
//! proven, for games with more positions than can be stored.
//!
//! What is proven of a position rests on ends of games and on positions proven before, so it holds
//! whatever else can be reached. Where a line comes back to a position on its own way, its value would
//! depend on the way, and the search gives up.

use rustc_hash::FxHashSet;

use crate::engine::{Candidate, Game, Look, Session, Walk};
use crate::search::evaluation::Evaluation;
use crate::search::features::View;
use crate::syntax::Term;

use super::codec::Cell;
use super::crew::Trouble;
use super::expand::Numbering;

/// What a finished game is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stake {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    #[default]
    Outcome,
    /// The difference of the scores.
    Margin,
}

/// What a search has proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    /// The value for the player to move.
    pub value: i32,
    /// A move that reaches it; `None` where the game is over, or every move does.
    pub best: Option<Term>,
    /// The positions that were searched.
    pub positions: u64,
}

/// What is known of a position: its value lies between the bounds.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: u64,
    lower: i16,
    upper: i16,
    /// A part of the key of the move that was best.
    best: u32,
}

/// The greatest value.
const MOST: i32 = 30_000;
/// The positions between two looks at the clock.
const SLICE: u64 = 1_024;
/// The entries of a table at first.
const FIRST: usize = 1 << 12;
/// The slots of the history of moves.
const SLOTS: usize = 1 << 14;

/// A search for the value of a position.
struct Search<'s> {
    walk: Box<dyn Walk + 's>,
    numbering: &'s Numbering,
    evaluation: Option<&'s Evaluation>,
    stake: Stake,
    table: Vec<Entry>,
    /// How many entries hold something, and the most entries that the table may have.
    filled: usize,
    most: usize,
    /// The keys of the positions on the way to the current one.
    path: FxHashSet<u64>,
    /// How often a move has been good, by the player who makes it.
    history: [Vec<u32>; 2],
    positions: u64,
    stop: &'s dyn Fn() -> bool,
    cells: Vec<Cell>,
    spare: Vec<Cell>,
}

/// A move of a position with what is known of where it leads.
struct Step {
    candidate: Candidate,
    order: i64,
}

/// Proves the value of a position with a table of at most `memory` bytes.
///
/// # Errors
/// A rule error, an interruption, or a game in which positions come again.
pub fn prove(
    game: &Game,
    numbering: &Numbering,
    evaluation: Option<&Evaluation>,
    (start, stake, memory): (&[u64], Stake, u64),
    stop: &dyn Fn() -> bool,
    told: &mut dyn FnMut(u64, i32, i32),
) -> Result<Proven, Trouble> {
    let mut session = Session::new(game);
    let opening = session.opening();
    let entries = (memory / size_of::<Entry>() as u64).max(FIRST as u64);
    let mut search = Search {
        walk: session.walk(&opening),
        numbering,
        evaluation,
        stake,
        table: vec![Entry::default(); FIRST],
        filled: 0,
        most: 1 << entries.ilog2(),
        path: FxHashSet::default(),
        history: [vec![0; SLOTS], vec![0; SLOTS]],
        positions: 0,
        stop,
        cells: Vec::new(),
        spare: Vec::new(),
    };
    search.walk.go(start);
    if let Some(value) = search.ended()? {
        return Ok(Proven { value, best: None, positions: 1 });
    }
    let (mut lower, mut upper) = match stake {
        Stake::Outcome => (-1, 1),
        Stake::Margin => (-MOST, MOST),
    };
    // narrow windows from the value that seems likely: each says on which side of it the value is
    let mut guess = match stake {
        Stake::Outcome => 1,
        Stake::Margin => 0,
    };
    let mut best = None;
    while lower < upper {
        told(search.positions, lower, upper);
        let beta = guess.max(lower + 1);
        let (value, key) = search.node(beta - 1, beta)?;
        if value < beta {
            upper = value;
        } else {
            lower = value;
            best = key.or(best);
        }
        guess = value;
    }
    let mut walk = search.walk;
    walk.go(start);
    walk.look()?;
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let found = list.into_iter().find(|candidate| Some(candidate.key) == best);
    let best = found.map(|candidate| walk.term(candidate));
    Ok(Proven { value: lower, best, positions: search.positions })
}

impl Search<'_> {
    /// The value of the current position for the player to move, where the game is over; generates the
    /// candidates otherwise.
    fn ended(&mut self) -> Result<Option<i32>, Trouble> {
        let turn = self.walk.turn();
        let winners = match self.walk.look()? {
            Look::Moves => return Ok(None),
            Look::Over(winners) => winners,
            Look::Chance => {
                return Err(Trouble::Refused(
                    "chance events follow from the position: it has an expected value, not an exact one"
                        .to_string(),
                ));
            }
        };
        self.worth(turn, winners).map(Some)
    }

    fn worth(&mut self, turn: usize, winners: u8) -> Result<i32, Trouble> {
        if self.stake == Stake::Margin {
            let scores = self.walk.scores()?;
            let of = |player: usize| scores.get(player).copied().flatten();
            let own = of(turn);
            let others = (0..scores.len()).filter(|player| *player != turn).filter_map(of).max();
            return match (own, others) {
                (Some(own), Some(others)) => {
                    Ok((own - others).clamp(-i64::from(MOST), i64::from(MOST)) as i32)
                }
                (Some(own), None) => Ok(own.clamp(-i64::from(MOST), i64::from(MOST)) as i32),
                _ => Err(Trouble::Refused("the game has no scores".to_string())),
            };
        }
        let (own, other) = (winners & (1 << turn) != 0, winners & !(1 << turn) != 0);
        Ok(i32::from(own) - i32::from(other))
    }

    /// A hash of the current position, the same for those that are alike by symmetry.
    fn key(&mut self) -> u64 {
        self.numbering.codec.read(self.walk.words(), &mut self.cells);
        self.numbering.canonical(&mut self.cells, &mut self.spare);
        let mut hash = 0x9E37_79B9_7F4A_7C15u64;
        for cell in &self.cells {
            hash = (hash ^ u64::from(*cell)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
            hash ^= hash >> 32;
        }
        hash | 1
    }

    fn entry(&self, key: u64) -> Option<Entry> {
        let entry = self.table[self.slot(key)];
        (entry.key == key).then_some(entry)
    }

    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 20) as usize & (self.table.len() - 1)
    }

    /// The value of the current position within the window, whose game is not over, with the key of the
    /// move that reaches it.
    fn node(&mut self, alpha: i32, beta: i32) -> Result<(i32, Option<u64>), Trouble> {
        self.positions += 1;
        if self.positions.is_multiple_of(SLICE) && (self.stop)() {
            return Err(Trouble::Interrupted);
        }
        let key = self.key();
        let known = self.entry(key);
        if let Some(entry) = known {
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if lower >= beta {
                return Ok((lower, None));
            }
            if upper <= alpha {
                return Ok((upper, None));
            }
        }
        let best_before = known.map_or(0, |entry| entry.best);
        if !self.path.insert(key) {
            return Err(Trouble::Refused(
                "positions come again in this game: --method induction solves it where they can all be stored"
                    .to_string(),
            ));
        }
        let found = self.moves(alpha, beta, best_before);
        self.path.remove(&key);
        let (value, best) = found?;
        self.learn(key, value, alpha, beta, best);
        Ok((value, best))
    }

    /// Makes the table twice as large.
    fn grow(&mut self) {
        let larger = vec![Entry::default(); self.table.len() * 2];
        let before = std::mem::replace(&mut self.table, larger);
        self.filled = 0;
        for entry in before {
            if entry.key != 0 {
                let slot = self.slot(entry.key);
                self.filled += usize::from(self.table[slot].key == 0);
                self.table[slot] = entry;
            }
        }
    }

    /// Notes what was found out about a position.
    fn learn(&mut self, key: u64, value: i32, alpha: i32, beta: i32, best: Option<u64>) {
        if self.filled * 2 > self.table.len() && self.table.len() < self.most {
            self.grow();
        }
        let slot = self.slot(key);
        let entry = &mut self.table[slot];
        if entry.key != key {
            self.filled += usize::from(entry.key == 0);
            let (lower, upper) = (-MOST as i16, MOST as i16);
            *entry = Entry { key, lower, upper, best: 0 };
        }
        if value > alpha {
            entry.lower = entry.lower.max(value as i16);
        }
        if value < beta {
            entry.upper = entry.upper.min(value as i16);
        }
        if let Some(best) = best {
            entry.best = best as u32;
        }
    }

    /// Searches the moves of the current position.
    fn moves(
        &mut self,
        alpha: i32,
        beta: i32,
        best_before: u32,
    ) -> Result<(i32, Option<u64>), Trouble> {
        let turn = self.walk.turn();
        let mut list: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut list);
        let mut steps: Vec<Step> = Vec::with_capacity(list.len());
        let (mut value, mut best) = (-MOST - 1, None);
        // ends, and positions that are known well enough, come first
        for candidate in list {
            if !self.walk.make(candidate)? {
                continue;
            }
            let same = self.walk.turn() == turn;
            let sign = if same { 1 } else { -1 };
            let known = match self.walk.over()? {
                Some(winners) => {
                    let there = self.walk.turn();
                    Some(sign * self.worth(there, winners)?)
                }
                None => {
                    let child = self.key();
                    match self.entry(child) {
                        Some(entry) if same && i32::from(entry.lower) >= beta => {
                            Some(i32::from(entry.lower))
                        }
                        Some(entry) if !same && -i32::from(entry.upper) >= beta => {
                            Some(-i32::from(entry.upper))
                        }
                        _ => None,
                    }
                }
            };
            let ended = known.is_some();
            if let Some(known) = known
                && known > value
            {
                (value, best) = (known, Some(candidate.key));
            }
            let judged = match (ended, self.evaluation) {
                (false, Some(evaluation)) => {
                    (evaluation.of(View::of(&*self.walk), turn) * 100.0) as i64
                }
                _ => 0,
            };
            self.walk.unmake();
            if value >= beta {
                return Ok((value, best));
            }
            if !ended {
                let slot = candidate.key as usize % SLOTS;
                let order = judged * 64
                    + i64::from(self.history[turn & 1][slot].min(1 << 20))
                    + if candidate.key as u32 == best_before { 1 << 40 } else { 0 };
                steps.push(Step { candidate, order });
            }
        }
        if steps.is_empty() && value < -MOST {
            // no candidate is legal, which is a draw
            return Ok((self.worth(turn, 0)?, None));
        }
        steps.sort_by_key(|step| -step.order);
        for (number, step) in steps.iter().enumerate() {
            let candidate = step.candidate;
            if !self.walk.make(candidate)? {
                continue;
            }
            let same = self.walk.turn() == turn;
            let found = self.after(same, alpha.max(value), beta);
            self.walk.unmake();
            let found = found?;
            if found > value {
                (value, best) = (found, Some(candidate.key));
            }
            if value >= beta {
                let slot = candidate.key as usize % SLOTS;
                self.history[turn & 1][slot] += 1 + number as u32;
                break;
            }
        }
        Ok((value, best))
    }

    /// The value of the position after a move, for the player who made it.
    fn after(&mut self, same: bool, alpha: i32, beta: i32) -> Result<i32, Trouble> {
        let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
        let value = match self.ended()? {
            Some(value) => value,
            None => self.node(low, high)?.0,
        };
        Ok(if same { value } else { -value })
    }
}
