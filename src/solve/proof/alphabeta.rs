//! Alpha-beta to the ends of games: what decided other positions is tried first. It is the better one of both
//! methods where play is long and most moves keep the balance.

use crate::engine::Candidate;
use crate::search::view::View;

use super::super::crew::Trouble;
use super::table::{Key, MOST};
use super::{ROOM, Reached, STACK, Search};

/// The slots of the history of moves.
const SLOTS: usize = 1 << 14;
/// What puts the move that was best before in front of all others.
const BEFORE: i64 = 1 << 40;

/// How often a move has been good, by the player who makes it.
pub(super) struct History([Vec<u32>; 2]);

impl Default for History {
    fn default() -> History {
        History([vec![0; SLOTS], vec![0; SLOTS]])
    }
}

impl History {
    fn slot(&mut self, player: usize, candidate: Candidate) -> &mut u32 {
        &mut self.0[player & 1][candidate.key as usize % SLOTS]
    }
}

/// A move of a position with the key of where it leads.
struct Step {
    candidate: Candidate,
    key: Key,
    order: i64,
}

impl Search<'_> {
    /// The value of the current position for the player to move within the window, whose game is not over, with the
    /// key of the move that reaches it.
    pub(super) fn node(
        &mut self,
        key: Key,
        alpha: i32,
        beta: i32,
    ) -> Result<(i32, Option<u64>), Trouble> {
        self.count()?;
        let known = self.table.get(key);
        if let Some(entry) = known {
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if lower >= beta {
                return Ok((lower, None));
            }
            if upper <= alpha {
                return Ok((upper, None));
            }
        }
        self.enter(key)?;
        let best_before = known.map_or(0, |entry| entry.best);
        let found = stacker::maybe_grow(ROOM, STACK, || self.moves(alpha, beta, best_before));
        self.path.remove(&key);
        let (value, best) = found?;
        let entry = self.table.entry(key);
        if value > alpha {
            entry.settle(value, true);
        }
        if value < beta {
            entry.settle(value + 1, false);
        }
        if let Some(best) = best {
            entry.best = best as u16;
        }
        Ok((value, best))
    }

    /// Searches the moves of the current position.
    fn moves(
        &mut self,
        alpha: i32,
        beta: i32,
        best_before: u16,
    ) -> Result<(i32, Option<u64>), Trouble> {
        let turn = self.walk.turn();
        let list = self.candidates()?;
        let mut steps: Vec<Step> = Vec::with_capacity(list.len());
        let (mut value, mut best) = (-MOST - 1, None);
        // ends, and positions that are known well enough, come first
        for candidate in list {
            let Some(Reached { same, key, end }) = self.reach(candidate, turn)? else { continue };
            let known = end.or_else(|| match self.table.get(key) {
                Some(entry) if same && i32::from(entry.lower) >= beta => {
                    Some(i32::from(entry.lower))
                }
                Some(entry) if !same && -i32::from(entry.upper) >= beta => {
                    Some(-i32::from(entry.upper))
                }
                _ => None,
            });
            if let Some(known) = known
                && known > value
            {
                (value, best) = (known, Some(candidate.key));
            }
            let judged = match (known, self.evaluation) {
                (None, Some(evaluation)) => {
                    (evaluation.of(View::rough(&*self.walk), turn) * 100.0) as i64
                }
                _ => 0,
            };
            self.walk.unmake();
            if value >= beta {
                return Ok((value, best));
            }
            if known.is_none() {
                let often = i64::from(*self.history.slot(turn, candidate)).min(1 << 20);
                let before = if candidate.key as u16 == best_before { BEFORE } else { 0 };
                steps.push(Step { candidate, key, order: judged * 64 + often + before });
            }
        }
        if steps.is_empty() && value < -MOST {
            // no candidate is legal, which is a draw
            return Ok((self.worth(turn, 0)?, None));
        }
        steps.sort_by_key(|step| -step.order);
        for (number, step) in steps.iter().enumerate() {
            if !self.walk.make(step.candidate)? {
                continue;
            }
            let same = self.walk.turn() == turn;
            let least = alpha.max(value);
            let (low, high) = if same { (least, beta) } else { (-beta, -least) };
            let found = self.node(step.key, low, high);
            self.walk.unmake();
            let (found, _) = found?;
            let found = if same { found } else { -found };
            if found > value {
                (value, best) = (found, Some(step.candidate.key));
            }
            if value >= beta {
                *self.history.slot(turn, step.candidate) += 1 + number as u32;
                break;
            }
        }
        Ok((value, best))
    }
}
