//! `games/alignment/connect_four.ludex` by hand: seven bits a column, of which the highest stays
//! empty, so that a line never runs from one column's top into the next one's floor.

use super::{List, Position, Step, Winners, pieces, site};

/// The lowest square of the first column, and all squares.
const FLOOR: u64 = 1;
const BOARD: u64 = 0b11_1111 * 0x0408_1020_4081;

#[derive(Clone, Copy)]
pub struct ConnectFour {
    mine: u64,
    theirs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

impl Position for ConnectFour {
    /// The squares on which a disc can fall.
    type Moves = List<u64, 7>;

    fn opening() -> ConnectFour {
        ConnectFour { mine: 0, theirs: 0, turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> List<u64, 7> {
        let discs = self.mine | self.theirs;
        let mut moves = List::new();
        for column in [0, 7, 14, 21, 28, 35, 42] {
            // a one added at the floor is carried past the discs of the column
            let square = (discs + (FLOOR << column)) & !discs;
            moves.add_if(square & BOARD != 0, square);
        }
        moves
    }

    #[inline]
    fn count(moves: &List<u64, 7>) -> u32 {
        moves.count()
    }

    #[inline]
    fn play(&mut self, moves: &List<u64, 7>, number: u32) -> Step {
        let square = moves.get(number);
        self.mine |= square;
        for step in [1, 6, 7, 8] {
            let (mut up, mut down, mut count) = (square << step, square >> step, 1);
            while self.mine & up != 0 {
                up <<= step;
                count += 1;
            }
            while self.mine & down != 0 {
                down >>= step;
                count += 1;
            }
            if count >= 4 {
                return Step::Over(1 << self.turn);
            }
        }
        std::mem::swap(&mut self.mine, &mut self.theirs);
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut sets = [self.mine, self.theirs];
        sets.rotate_left(self.turn);
        pieces(sets, self.turn, |bit| site(bit / 7, bit % 7 + 1))
    }

    fn stuck(&self) -> Winners {
        0
    }
}
