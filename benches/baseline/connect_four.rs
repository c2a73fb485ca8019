//! `games/alignment/connect_four.ludex` by hand: seven bits a column, of which the highest stays
//! empty, so that a line never runs from one column's top into the next one's floor.

use super::{Position, Step, Winners, nth, pieces, site};

/// The lowest square of each column, and all squares.
const FLOOR: u64 = 0x0408_1020_4081;
const BOARD: u64 = FLOOR * 0b11_1111;

#[derive(Clone, Copy)]
pub struct ConnectFour {
    mine: u64,
    discs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

impl Position for ConnectFour {
    /// The squares on which a disc can fall.
    type Moves = u64;

    fn opening() -> ConnectFour {
        ConnectFour { mine: 0, discs: 0, turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> u64 {
        // a one added at the floor is carried past the discs of its column
        (self.discs + FLOOR) & BOARD
    }

    #[inline]
    fn count(moves: &u64) -> u32 {
        moves.count_ones()
    }

    #[inline]
    fn play(&mut self, moves: &u64, number: u32) -> Step {
        let square = nth(*moves, number);
        self.discs |= square;
        self.mine |= square;
        for step in [1, 6, 7, 8] {
            let pairs = self.mine & (self.mine >> step);
            if pairs & (pairs >> (2 * step)) != 0 {
                return Step::Over(1 << self.turn);
            }
        }
        self.mine ^= self.discs;
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut sets = [self.mine, self.discs ^ self.mine];
        sets.rotate_left(self.turn);
        pieces(sets, self.turn, |bit| site(bit / 7, bit % 7 + 1))
    }

    fn stuck(&self) -> Winners {
        0
    }
}
