//! Perft: the number of sequences of moves of a given length. Finished games are not extended, and chance
//! events count as moves.

use super::bits::bits;
use super::machine::Machine;
use super::segments::{Moves, Pick};

/// The options of a perft count, and whether it was stopped.
pub struct Perft<'a> {
    /// The moves of the last ply are made too, instead of counting their bits.
    pub make_leaves: bool,
    /// Called now and then; where it returns true the count stops, and its result is incomplete.
    pub interrupted: &'a dyn Fn() -> bool,
    /// The count was stopped.
    pub stopped: bool,
    nodes: u64,
    /// The positions that machine code has left to the machine.
    pub(super) left_positions: u64,
}

impl<'a> Perft<'a> {
    /// A count that does not make the moves of the last ply.
    pub fn new(interrupted: &'a dyn Fn() -> bool) -> Perft<'a> {
        Perft { make_leaves: false, interrupted, stopped: false, nodes: 0, left_positions: 0 }
    }
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Counts from the current state, which is restored afterwards.
    pub(super) fn count(&mut self, depth: u32, work: &mut Perft<'_>) -> Result<u64, ()> {
        if depth == 0 {
            return Ok(1);
        }
        match self.native_perft(depth, work) {
            Some(counted) => counted,
            None => self.count_position(depth, work),
        }
    }

    /// Counts from the current state, whose moves the interpreter generates.
    pub(super) fn count_position(&mut self, depth: u32, work: &mut Perft<'_>) -> Result<u64, ()> {
        work.nodes += 1;
        if work.nodes.is_multiple_of(256) && (work.interrupted)() {
            work.stopped = true;
        }
        self.tick(32)?;
        if work.stopped || self.end()?.is_some() {
            return Ok(0);
        }
        let mut moves = self.room.spare.pop().unwrap_or_default();
        let counted = self.count_moves(depth, work, &mut moves);
        self.room.spare.push(moves);
        counted
    }

    fn count_moves(
        &mut self,
        depth: u32,
        work: &mut Perft<'_>,
        moves: &mut Box<Moves<W>>,
    ) -> Result<u64, ()> {
        self.next_moves(moves)?;
        if !moves.chance {
            self.settle(moves)?;
        }
        if depth == 1 {
            self.try_candidates(moves, work.make_leaves)?;
            return Ok(moves.total);
        }
        let mut saved = self.room.saved.pop().unwrap_or_default();
        saved.clone_from(&self.now.state);
        let counted = self.count_played(depth, work, moves, &saved);
        self.room.saved.push(saved);
        counted
    }

    /// Plays each candidate, which also shows whether it is legal.
    fn count_played(
        &mut self,
        depth: u32,
        work: &mut Perft<'_>,
        moves: &Moves<W>,
        saved: &[u64],
    ) -> Result<u64, ()> {
        let mut total = 0;
        self.remember();
        let mover = self.turn_at_work();
        for (number, segment) in moves.segments.iter().enumerate() {
            // a single candidate has no bit of its own
            let mut candidates = segment.set;
            if segment.last().is_none() {
                candidates = [0; W];
                candidates[0] = u64::from(segment.count > 0);
            }
            for bit in bits(candidates) {
                let pick = Pick { segment: number as u32, bit: bit as u32 };
                self.refuel();
                self.making.mover = mover;
                if self.apply(moves, pick, false)? {
                    total += self.count(depth - 1, work)?;
                }
                self.now.state.copy_from_slice(saved);
                self.now.version += 1;
                if work.stopped {
                    self.forget();
                    return Ok(total);
                }
            }
        }
        self.forget();
        Ok(total)
    }
}
