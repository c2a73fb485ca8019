//! `games/flipping/reversi.ludex` by hand: discs are followed in all directions by shifts of whole
//! boards, as most Othello programs do.

use super::{Position, Step, Winners, nth, pieces, site};

/// Discs to follow upright, and those to follow sideways or aslant: a disc on the first or last
/// column is never enclosed there, and without it no shift runs round the edge.
const ALL: u64 = !0;
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// Distances between neighbours, each for two opposite directions.
const AXES: [(u32, u64); 4] = [(8, ALL), (1, INNER), (7, INNER), (9, INNER)];

#[derive(Clone, Copy)]
pub struct Reversi {
    mine: u64,
    theirs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

/// The runs of `through` next to `from` to higher and to lower bits, up to six long.
#[inline]
fn runs(from: u64, through: u64, step: u32) -> (u64, u64) {
    let mut up = through & (from << step);
    up |= through & (up << step);
    let mut down = through & (from >> step);
    down |= through & (down >> step);
    let pairs_up = through & (through << step);
    let pairs_down = pairs_up >> step;
    for _ in 0..2 {
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
    }
    (up, down)
}

/// Where discs of `mine` enclose some of `theirs`.
#[inline]
fn places(mine: u64, theirs: u64) -> u64 {
    let mut ends = 0;
    for (step, inner) in AXES {
        let (up, down) = runs(mine, theirs & inner, step);
        ends |= (up << step) | (down >> step);
    }
    ends & !(mine | theirs)
}

impl Position for Reversi {
    /// Places for a disc; none where a player has to pass, and that is one move.
    type Moves = (u64, u32);

    fn opening() -> Reversi {
        Reversi { mine: 0x0000_0008_1000_0000, theirs: 0x0000_0010_0800_0000, turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> (u64, u32) {
        let places_of_mine = places(self.mine, self.theirs);
        match places_of_mine {
            0 => (0, u32::from(places(self.theirs, self.mine) != 0)),
            _ => (places_of_mine, places_of_mine.count_ones()),
        }
    }

    #[inline]
    fn count(moves: &(u64, u32)) -> u32 {
        moves.1
    }

    #[inline]
    fn play(&mut self, moves: &(u64, u32), number: u32) -> Step {
        if moves.0 != 0 {
            let place = nth(moves.0, number);
            let mut turned = place;
            for (step, inner) in AXES {
                let (up, down) = runs(place, self.theirs & inner, step);
                if (up << step) & self.mine != 0 {
                    turned |= up;
                }
                if (down >> step) & self.mine != 0 {
                    turned |= down;
                }
            }
            self.mine |= turned;
            self.theirs &= !turned;
        }
        std::mem::swap(&mut self.mine, &mut self.theirs);
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut sets = [self.mine, self.theirs];
        sets.rotate_left(self.turn);
        pieces(sets, self.turn, |bit| site(bit % 8, bit / 8 + 1))
    }

    fn stuck(&self) -> Winners {
        match self.mine.count_ones().cmp(&self.theirs.count_ones()) {
            std::cmp::Ordering::Greater => 1 << self.turn,
            std::cmp::Ordering::Less => 2 >> self.turn,
            std::cmp::Ordering::Equal => 0,
        }
    }
}
