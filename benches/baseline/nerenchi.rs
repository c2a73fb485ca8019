//! `games/merels/nerenchi.ludex` by hand: a byte a ring, of which the even bits are corners and the
//! odd ones the midpoints between them.

use super::{List, Position, Step, Winners, pieces, site};

const POINTS: u32 = 0xff_ffff;
/// The lines across the rings, and the sides of the rings.
const LINES: [u32; 20] = lines();
/// Points that are next to each other.
const PAIRS: [u32; 32] = pairs();

const fn lines() -> [u32; 20] {
    let mut all = [0; 20];
    let mut i = 0;
    while i < 8 {
        all[i] = 0x01_0101 << i;
        i += 1;
    }
    while i < 20 {
        let (ring, spot) = (i / 4 - 2, i % 4 * 2);
        all[i] = (1 << spot | 2 << spot | 1 << ((spot + 2) % 8)) << (8 * ring);
        i += 1;
    }
    all
}

const fn pairs() -> [u32; 32] {
    let mut all = [0; 32];
    let mut i = 0;
    while i < 24 {
        let (ring, spot) = (i / 8, i % 8);
        all[i] = (1 << spot | 1 << ((spot + 1) % 8)) << (8 * ring);
        i += 1;
    }
    while i < 32 {
        let midpoint = 2 * (i - 24) + 1;
        all[i] = 0x0101 << midpoint;
        i += 1;
    }
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Placing,
    Moving,
    /// A nerenchi was made by a move: a counter of the opponent's is to be taken.
    Taking,
}

#[derive(Clone, Copy)]
pub struct Nerenchi {
    counters: [u32; 2],
    hand: [u32; 2],
    /// Whose turn it is: 0 or 1.
    turn: usize,
    phase: Phase,
}

impl Position for Nerenchi {
    /// Points; or, in moving, [`PAIRS`] of a counter and an empty point.
    type Moves = List<usize, 32>;

    fn opening() -> Nerenchi {
        Nerenchi { counters: [0; 2], hand: [12; 2], turn: 0, phase: Phase::Placing }
    }

    #[inline]
    fn candidates(&self) -> List<usize, 32> {
        let empty = POINTS & !(self.counters[0] | self.counters[1]);
        let mut set: u32 = match self.phase {
            Phase::Placing => empty,
            Phase::Taking => self.counters[self.turn ^ 1],
            Phase::Moving => {
                let mine = self.counters[self.turn];
                let open = |pair: u32| (mine & pair != 0) & (empty & pair != 0);
                (0..32).map(|number| u32::from(open(PAIRS[number])) << number).sum()
            }
        };
        let mut moves = List::new();
        while set != 0 {
            moves.add(set.trailing_zeros() as usize);
            set &= set - 1;
        }
        moves
    }

    #[inline]
    fn count(moves: &List<usize, 32>) -> u32 {
        moves.count()
    }

    #[inline]
    fn play(&mut self, moves: &List<usize, 32>, number: u32) -> Step {
        let drawn = moves.get(number);
        let change = match self.phase {
            Phase::Moving => PAIRS[drawn],
            _ => 1 << drawn,
        };
        if self.phase == Phase::Taking {
            let theirs = &mut self.counters[self.turn ^ 1];
            *theirs ^= change;
            if theirs.count_ones() <= 2 {
                return Step::Over(1 << self.turn);
            }
            self.phase = Phase::Moving;
            self.turn ^= 1;
            return Step::On;
        }
        let mine = self.counters[self.turn] ^ change;
        self.counters[self.turn] = mine;
        let made = LINES.iter().any(|line| mine & line == *line && change & line != 0);
        if self.phase == Phase::Moving {
            if made {
                self.phase = Phase::Taking;
            } else {
                self.turn ^= 1;
            }
            return Step::On;
        }
        self.hand[self.turn] -= 1;
        let placed = (self.counters[0] | self.counters[1]).count_ones();
        if self.hand[self.turn] == 0 || placed >= 22 {
            self.phase = Phase::Moving;
            self.turn ^= 1;
        } else if !made {
            self.turn ^= 1;
        }
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        // the points of a ring in units of its distance from the middle, moved by one
        const RING: [(usize, usize); 8] =
            [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
        pieces(self.counters.map(u64::from), self.turn, |point| {
            let ((x, y), away) = (RING[point % 8], 3 - point / 8);
            site(3 + away * x - away, 4 + away * y - away)
        })
    }

    fn stuck(&self) -> Winners {
        2 >> self.turn
    }
}
