//! Perft: the number of sequences of moves to a depth. Finished games are not extended, chance
//! events are moves.

use super::machine::{Machine, bits};
use super::segments::{Moves, Pick};

/// How perft is to be run.
pub struct Perft<'a> {
    /// Make every move of the last ply too, instead of counting the bits.
    pub make_leaves: bool,
    /// Asked now and then; true stops the count, and the result is then incomplete.
    pub interrupted: &'a dyn Fn() -> bool,
    /// Was it stopped?
    pub stopped: bool,
    nodes: u64,
    /// The positions that machine code has left to the machine.
    pub(super) left_positions: u64,
}

impl<'a> Perft<'a> {
    pub fn new(interrupted: &'a dyn Fn() -> bool) -> Perft<'a> {
        Perft { make_leaves: false, interrupted, stopped: false, nodes: 0, left_positions: 0 }
    }
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Counts from the state at work, which is put back.
    pub(super) fn count(&mut self, depth: u32, work: &mut Perft<'_>) -> Result<u64, ()> {
        if depth == 0 {
            return Ok(1);
        }
        match self.native_perft(depth, work) {
            Some(counted) => counted,
            None => self.count_position(depth, work),
        }
    }

    /// Counts from the state at work, whose moves the interpreter generates.
    pub(super) fn count_position(&mut self, depth: u32, work: &mut Perft<'_>) -> Result<u64, ()> {
        work.nodes += 1;
        if work.nodes.is_multiple_of(256) && (work.interrupted)() {
            work.stopped = true;
        }
        self.tick(32)?;
        if work.stopped || self.end()?.is_some() {
            return Ok(0);
        }
        let mut moves = self.spare.pop().unwrap_or_default();
        let counted = self.count_moves(depth, work, &mut moves);
        self.spare.push(moves);
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
        let mut saved = self.saved.pop().unwrap_or_default();
        saved.clone_from(&self.state);
        let counted = self.count_played(depth, work, moves, &saved);
        self.saved.push(saved);
        counted
    }

    /// Plays each candidate, which also tells whether it is legal.
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
                self.mover = mover;
                if self.apply(moves, pick, false)? {
                    total += self.count(depth - 1, work)?;
                }
                self.state.copy_from_slice(saved);
                self.version += 1;
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
