//! Perft: the number of sequences of moves to a depth. Finished games are not extended, chance
//! events are moves.

use super::machine::Machine;
use super::segments::Moves;

/// How perft is to be run.
pub struct Perft<'a> {
    /// Make every move of the last ply too, instead of counting the bits.
    pub make_leaves: bool,
    /// Asked now and then; true stops the count, and the result is then incomplete.
    pub interrupted: &'a dyn Fn() -> bool,
    /// Was it stopped?
    pub stopped: bool,
    nodes: u64,
}

impl<'a> Perft<'a> {
    pub fn new(interrupted: &'a dyn Fn() -> bool) -> Perft<'a> {
        Perft { make_leaves: false, interrupted, stopped: false, nodes: 0 }
    }
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Counts from the state at work, which is put back.
    pub(super) fn count(&mut self, depth: u32, work: &mut Perft<'_>) -> Result<u64, ()> {
        if depth == 0 {
            return Ok(1);
        }
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
        self.keep_legal(moves)?;
        if depth == 1 && !work.make_leaves {
            return Ok(moves.total);
        }
        let saved = self.state.clone();
        let mut total = 0;
        for pick in moves.picks() {
            if self.play(moves, pick)? {
                total += self.count(depth - 1, work)?;
            }
            self.forget();
            self.state.copy_from_slice(&saved);
            self.version += 1;
            if work.stopped {
                break;
            }
        }
        Ok(total)
    }
}
