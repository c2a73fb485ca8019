//! Moves that cost pieces are followed beyond the last ply until none is left.

use crate::engine::{Candidate, Fault, Look, Walk};

use super::order::Ranked;
use super::{End, INFINITE, Search};

/// How many plies of quiescence there are at most.
pub(super) const MOST_QUIET: i16 = 8;
/// The plies after which a position counts as settled.
const SETTLING: i16 = 4;
/// What a capture may bring besides the worth of what is captured.
const DELTA: i32 = 60;
/// A class of moves of which a lesser share costs pieces is quiet.
pub(super) const QUIET: f32 = 0.02;
/// A class of moves of which a greater share costs pieces leaves no choice.
pub(super) const FORCED: f32 = 0.9;

/// What is done where a search has gone.
type Tell<'a> = &'a mut dyn FnMut(&mut dyn Walk) -> Result<(), Fault>;

impl Search<'_> {
    /// Follows moves that cost pieces.
    pub(super) fn quiesce(&mut self, depth: i16, mut alpha: i32, beta: i32) -> Result<i32, End> {
        let mine = self.mine();
        let sign = if mine { 1 } else { -1 };
        // most positions are too good for the other side without a move
        let (rough, margin) = self.rough_estimate()?;
        if !self.learned.may_force() && sign * rough - margin >= beta {
            return Ok(sign * rough - margin);
        }
        let restless = self.learned.is_restless();
        if restless && margin == 0 {
            return Ok(sign * rough);
        }
        let ply = self.walk.depth();
        if let Some(value) = self.generated(ply)? {
            return Ok(value);
        }
        let still = sign * self.estimate()?;
        if restless {
            return Ok(still);
        }
        if let Some(line) = self.line.get_mut(ply) {
            line.clear();
        }
        let (mut list, forced) = self.costly();
        if !forced && still >= beta {
            self.spare.push(list);
            return Ok(still);
        }
        let mut best = if forced { -INFINITE } else { still };
        alpha = alpha.max(best);
        let mut stopped = Ok(());
        let mut at = 0;
        while alpha < beta
            && let Some(candidate) = list.next(at)
        {
            at += 1;
            if !forced && self.is_hopeless(&candidate, still, alpha) {
                continue;
            }
            let step = (|| {
                let Some(costly) = self.make(candidate)? else { return Ok(None) };
                if !costly && !forced {
                    self.walk.unmake();
                    return Ok(None);
                }
                let same = self.mine() == mine;
                let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
                let value = self.value(depth - 1, low, high)?;
                self.walk.unmake();
                Ok::<Option<i32>, End>(Some(if same { value } else { -value }))
            })();
            match step {
                Err(end) => {
                    stopped = Err(end);
                    break;
                }
                Ok(Some(value)) => {
                    if value > best && value > alpha {
                        self.extend(ply, candidate.key);
                    }
                    best = best.max(value);
                    alpha = alpha.max(value);
                }
                Ok(None) => {}
            }
        }
        self.spare.push(list);
        stopped?;
        Ok(if best == -INFINITE { still } else { best })
    }

    /// The candidates that may cost pieces, with their ranks, and whether all do, so that one of them must be
    /// made.
    fn costly(&mut self) -> (Ranked, bool) {
        let mut list = self.list();
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        let mut forced = self.walk.candidates_among(&self.learned.wanted, &mut plain);
        self.work += plain.len() as u64;
        for candidate in &plain {
            let target = self.target(candidate);
            let share = self.learned.costs(candidate.clause, target.is_some());
            forced &= share > FORCED;
            if share < QUIET {
                continue;
            }
            let rank = (share * 100_000_000.0) as i32 + target.unwrap_or(0).min(5_000) * 20_000;
            list.push(rank, *candidate);
        }
        self.plain = plain;
        (list, forced)
    }

    /// Whether a capture leaves the side to move behind all the same (delta pruning).
    fn is_hopeless(&self, candidate: &Candidate, still: i32, alpha: i32) -> bool {
        self.target(candidate).is_some_and(|worth| still + worth + worth / 2 + DELTA <= alpha)
    }

    /// Goes to the position in which the moves that cost pieces have come to an end, if both sides choose
    /// well among them, calls `tell` there, and comes back. The position must have been looked at.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    pub fn settled(&mut self, tell: Tell<'_>) -> Result<(), Fault> {
        let from = self.walk.depth();
        let line = match self.quiesce(SETTLING - MOST_QUIET, -INFINITE, INFINITE) {
            Ok(_) => self.line.get(from).cloned().unwrap_or_default(),
            Err(End::Fault(fault)) => return Err(fault),
            Err(End::Limit) => Vec::new(),
        };
        let mut list: Vec<Candidate> = Vec::new();
        for key in line {
            list.clear();
            self.walk.candidates(&mut list);
            let Some(candidate) = list.iter().find(|candidate| candidate.key == key) else { break };
            if !self.walk.make(*candidate)? {
                break;
            }
            if self.walk.look()? != Look::Moves {
                // the end has no estimate
                self.walk.unmake();
                break;
            }
        }
        tell(self.walk)?;
        while self.walk.depth() > from {
            self.walk.unmake();
        }
        Ok(())
    }
}
