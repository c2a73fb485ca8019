//! `games/race/breakthrough.ludex` by hand: a byte a row, and the board is turned upside down
//! after each move, so that who is to move always goes to higher bits.

use super::{Position, Step, Winners, nth, pieces, site};

const NOT_FIRST_COLUMN: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST_COLUMN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const LAST_ROW: u64 = 0xff << 56;

#[derive(Clone, Copy)]
pub struct Breakthrough {
    mine: u64,
    theirs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

/// Where pieces can go: straight ahead, and aslant to lower and to higher columns; and how many
/// can.
#[derive(Clone, Copy)]
pub struct Moves {
    ahead: u64,
    lower: u64,
    higher: u64,
    counts: [u32; 3],
}

impl Position for Breakthrough {
    type Moves = Moves;

    fn opening() -> Breakthrough {
        Breakthrough { mine: 0xffff, theirs: 0xffff << 48, turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> Moves {
        let ahead = (self.mine << 8) & !(self.mine | self.theirs);
        let lower = ((self.mine & NOT_FIRST_COLUMN) << 7) & !self.mine;
        let higher = ((self.mine & NOT_LAST_COLUMN) << 9) & !self.mine;
        let counts = [ahead.count_ones(), lower.count_ones(), higher.count_ones()];
        Moves { ahead, lower, higher, counts }
    }

    #[inline]
    fn count(moves: &Moves) -> u32 {
        moves.counts[0] + moves.counts[1] + moves.counts[2]
    }

    #[inline]
    fn play(&mut self, moves: &Moves, number: u32) -> Step {
        let [ahead, lower, _] = moves.counts;
        let (set, number, step) = if number < ahead {
            (moves.ahead, number, 8)
        } else if number < ahead + lower {
            (moves.lower, number - ahead, 7)
        } else {
            (moves.higher, number - ahead - lower, 9)
        };
        let to = nth(set, number);
        self.mine ^= to | (to >> step);
        self.theirs &= !to;
        if self.mine & LAST_ROW != 0 || self.theirs == 0 {
            return Step::Over(1 << self.turn);
        }
        (self.mine, self.theirs) = (self.theirs.swap_bytes(), self.mine.swap_bytes());
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut sets = [self.mine, self.theirs];
        sets.rotate_left(self.turn);
        let row = |bit: usize| if self.turn == 0 { bit / 8 } else { 7 - bit / 8 };
        pieces(sets, self.turn, |bit| site(bit % 8, row(bit) + 1))
    }

    fn stuck(&self) -> Winners {
        0
    }
}
