//! `games/alignment/tic_tac_toe.ludex` by hand: nine bits for each player.

use super::{Position, Step, Winners, nth, pieces, site};

const BOARD: u64 = 0o777;
const LINES: [u64; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

#[derive(Clone, Copy)]
pub struct TicTacToe {
    mine: u64,
    theirs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

impl Position for TicTacToe {
    type Moves = u64;

    fn opening() -> TicTacToe {
        TicTacToe { mine: 0, theirs: 0, turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> u64 {
        BOARD & !(self.mine | self.theirs)
    }

    #[inline]
    fn count(moves: &u64) -> u32 {
        moves.count_ones()
    }

    #[inline]
    fn play(&mut self, moves: &u64, number: u32) -> Step {
        self.mine |= nth(*moves, number);
        if LINES.iter().any(|line| self.mine & line == *line) {
            return Step::Over(1 << self.turn);
        }
        std::mem::swap(&mut self.mine, &mut self.theirs);
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut sets = [self.mine, self.theirs];
        sets.rotate_left(self.turn);
        pieces(sets, self.turn, |bit| site(bit % 3, bit / 3 + 1))
    }

    fn stuck(&self) -> Winners {
        0
    }
}
