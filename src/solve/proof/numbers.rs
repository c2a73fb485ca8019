//! Depth-first proof-number search (Nagai 2002): the way through the game goes to where the fewest positions seem
//! to be left to decide. It proves long forced wins in few positions, whatever the order of the moves.
//!
//! A way back up is taken a little later than the numbers say, so that it does not leave and enter the same
//! positions all the time (Pawlewicz, Lew 2007). Where two ways lead to one position, it is counted twice.

use crate::engine::Candidate;
use crate::search::view::View;

use super::super::crew::Trouble;
use super::table::{Key, NEVER};
use super::{ROOM, Reached, STACK, Search};

/// How much a position that is worth nothing seems harder to win than one that is won nearly.
const DOUBT: f32 = 40.0;
/// The greatest number of a statement that is open.
const HARD: u32 = NEVER / 4;

/// A move, with how hard it is to prove that it reaches what is wanted, and that it does not.
struct Way {
    candidate: Candidate,
    key: Key,
    /// The same player is to move behind it.
    same: bool,
    /// The game is over behind it.
    ended: bool,
    proof: u32,
    disproof: u32,
}

/// What is found of a position: both numbers, and the key of a move that reaches what is wanted.
pub(super) struct Found {
    pub proof: u32,
    pub disproof: u32,
    pub best: Option<u64>,
}

impl Search<'_> {
    /// Asks whether the value of the current position, whose game is not over, is at least `wanted`, until one of the
    /// numbers reaches its limit.
    pub(super) fn ask(
        &mut self,
        key: Key,
        wanted: i32,
        limits: (u32, u32),
    ) -> Result<Found, Trouble> {
        self.count()?;
        self.enter(key)?;
        let found = stacker::maybe_grow(ROOM, STACK, || self.among(wanted, limits));
        self.path.remove(&key);
        let found = found?;
        let entry = self.table.entry(key);
        match (found.proof, found.disproof) {
            (0, _) => entry.settle(wanted, true),
            (_, 0) => entry.settle(wanted, false),
            (proof, disproof) => {
                (entry.asked, entry.proof, entry.disproof) = (wanted as i16, proof, disproof);
            }
        }
        Ok(found)
    }

    /// Works on the moves of the current position, the one that seems easiest first.
    fn among(&mut self, wanted: i32, limits: (u32, u32)) -> Result<Found, Trouble> {
        let mut ways = self.ways(wanted)?;
        if ways.is_empty() {
            // no candidate is legal, which is a draw
            let reached = self.worth(self.walk.turn(), 0)? >= wanted;
            let (proof, disproof) = if reached { (0, NEVER) } else { (NEVER, 0) };
            return Ok(Found { proof, disproof, best: None });
        }
        loop {
            for way in ways.iter_mut().filter(|way| !way.ended) {
                // other ways may have led there since
                if let Some((proof, disproof)) = self.known(way.key, way.same, wanted) {
                    (way.proof, way.disproof) = (proof, disproof);
                }
            }
            let (mut easiest, mut second, mut left) = (0, NEVER, 0u32);
            for (i, way) in ways.iter().enumerate() {
                left = left.saturating_add(way.disproof);
                if i > 0 && way.proof < ways[easiest].proof {
                    second = ways[easiest].proof;
                    easiest = i;
                } else if i > 0 {
                    second = second.min(way.proof);
                }
            }
            let best = &ways[easiest];
            let proof = best.proof;
            let disproof = match proof {
                0 => NEVER,
                _ if left > 0 => left.min(HARD),
                _ => 0,
            };
            if proof == 0 || disproof == 0 || proof >= limits.0 || disproof >= limits.1 {
                let best = (proof == 0).then_some(best.candidate.key);
                return Ok(Found { proof, disproof, best });
            }
            let near = second.saturating_add(second / 4).saturating_add(1).min(HARD);
            let proofs = limits.0.min(near);
            let disproofs = (limits.1 - disproof).saturating_add(best.disproof);
            let (candidate, key, same) = (best.candidate, best.key, best.same);
            if !self.walk.make(candidate)? {
                return Err(Trouble::Refused("a move is not legal any more".to_string()));
            }
            let found = match same {
                true => self.ask(key, wanted, (proofs, disproofs)),
                false => self.ask(key, 1 - wanted, (disproofs, proofs)),
            };
            self.walk.unmake();
            let found = found?;
            let way = &mut ways[easiest];
            (way.proof, way.disproof) = match same {
                true => (found.proof, found.disproof),
                false => (found.disproof, found.proof),
            };
        }
    }

    /// What is known of a position for the player before the move that leads there.
    fn known(&self, key: Key, same: bool, wanted: i32) -> Option<(u32, u32)> {
        let entry = self.table.get(key)?;
        match same {
            true => entry.numbers(wanted),
            false => entry.numbers(1 - wanted).map(|(proof, disproof)| (disproof, proof)),
        }
    }

    /// The moves of the current position; those up to the first one that reaches what is wanted.
    fn ways(&mut self, wanted: i32) -> Result<Vec<Way>, Trouble> {
        let turn = self.walk.turn();
        let list = self.candidates()?;
        let mut ways = Vec::with_capacity(list.len());
        for candidate in list {
            let Some(Reached { same, key, end }) = self.reach(candidate, turn)? else { continue };
            let (proof, disproof) = match end {
                Some(value) if value >= wanted => (0, NEVER),
                Some(_) => (NEVER, 0),
                None => match self.known(key, same, wanted) {
                    Some(known) => known,
                    None => self.seeming(turn),
                },
            };
            self.walk.unmake();
            ways.push(Way { candidate, key, same, ended: end.is_some(), proof, disproof });
            if proof == 0 {
                break;
            }
        }
        Ok(ways)
    }

    /// How hard it seems to prove that the current position is good for a player, and that it is not.
    fn seeming(&self, player: usize) -> (u32, u32) {
        let Some(evaluation) = self.evaluation else { return (1, 1) };
        // how many moves there are is known of some positions only
        let view = View { choices: [None; 2], ..View::rough(&*self.walk) };
        let share = 1.0 / (1.0 + (-evaluation.of(view, player) / 2.0).exp());
        ((1.0 + DOUBT * (1.0 - share)) as u32, (1.0 + DOUBT * share) as u32)
    }
}
