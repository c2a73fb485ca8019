//! `games/flipping/reversi.ludex` by hand: a byte a row, and discs are followed in one direction
//! after the other.

use super::{Position, Step, Winners, nth, pieces, site};

const ALL: u64 = !0;
const NOT_FIRST_COLUMN: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST_COLUMN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// How far a square's neighbour is, and the squares that are a neighbour in this direction.
const DIRECTIONS: [(i32, u64); 8] = [
    (8, ALL),
    (-8, ALL),
    (1, NOT_FIRST_COLUMN),
    (-1, NOT_LAST_COLUMN),
    (9, NOT_FIRST_COLUMN),
    (-9, NOT_LAST_COLUMN),
    (7, NOT_LAST_COLUMN),
    (-7, NOT_FIRST_COLUMN),
];

#[derive(Clone, Copy)]
pub struct Reversi {
    mine: u64,
    theirs: u64,
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

/// The neighbours of a set's squares in a direction.
#[inline]
fn next(set: u64, (step, reached): (i32, u64)) -> u64 {
    let moved = if step > 0 { set << step } else { set >> -step };
    moved & reached
}

/// The squares of `through` that are next to `from` in a direction, and next to those, and so on.
#[inline]
fn run(from: u64, through: u64, direction: (i32, u64)) -> u64 {
    let mut run = next(from, direction) & through;
    for _ in 0..5 {
        run |= next(run, direction) & through;
    }
    run
}

/// Where discs of `mine` enclose some of `theirs`.
#[inline]
fn places(mine: u64, theirs: u64) -> u64 {
    let mut ends = 0;
    for direction in DIRECTIONS {
        ends |= next(run(mine, theirs, direction), direction);
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
            for direction in DIRECTIONS {
                let run = run(place, self.theirs, direction);
                if next(run, direction) & self.mine != 0 {
                    turned |= run;
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
