//! `games/merels/nerenchi.ludex` by hand: a byte a ring, of which the even bits are corners and the
//! odd ones the midpoints between them.

use super::{Position, Step, Winners, nth, pieces, site};

const POINTS: u32 = 0xff_ffff;
const MIDPOINTS: u32 = 0xaa_aaaa;
/// For each point the other two points of the lines through it: across the rings, and along the
/// sides of its ring. A midpoint is on one side only, which stands twice.
const LINES: [[u32; 3]; 24] = lines();

const fn lines() -> [[u32; 3]; 24] {
    let mut all = [[0; 3]; 24];
    let mut point = 0;
    while point < 24 {
        let (ring, spot) = (point / 8, point % 8);
        let across = (0x01_0101 << spot) & !(1 << point);
        all[point] = if spot % 2 == 0 {
            [across, pair(ring, spot + 1, spot + 2), pair(ring, spot + 6, spot + 7)]
        } else {
            [across, pair(ring, spot + 1, spot + 7), pair(ring, spot + 1, spot + 7)]
        };
        point += 1;
    }
    all
}

const fn pair(ring: usize, a: usize, b: usize) -> u32 {
    1 << (8 * ring + a % 8) | 1 << (8 * ring + b % 8)
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

impl Nerenchi {
    #[inline]
    fn makes_line(&self, point: u32) -> bool {
        let mine = self.counters[self.turn];
        LINES[point as usize].iter().any(|line| mine & line == *line)
    }

    #[inline]
    fn place(&mut self, point: u32) -> Step {
        self.counters[self.turn] |= 1 << point;
        self.hand[self.turn] -= 1;
        let placed = (self.counters[0] | self.counters[1]).count_ones();
        if self.hand[self.turn] == 0 || placed >= 22 {
            self.phase = Phase::Moving;
            self.turn ^= 1;
        } else if !self.makes_line(point) {
            self.turn ^= 1;
        }
        Step::On
    }

    #[inline]
    fn slide(&mut self, from: u32, to: u32) -> Step {
        self.counters[self.turn] ^= 1 << from | 1 << to;
        if self.makes_line(to) {
            self.phase = Phase::Taking;
        } else {
            self.turn ^= 1;
        }
        Step::On
    }

    #[inline]
    fn take(&mut self, point: u32) -> Step {
        let theirs = &mut self.counters[self.turn ^ 1];
        *theirs &= !(1 << point);
        if theirs.count_ones() <= 2 {
            return Step::Over(1 << self.turn);
        }
        self.phase = Phase::Moving;
        self.turn ^= 1;
        Step::On
    }
}

impl Position for Nerenchi {
    /// While moving, where counters can go: on and back around the rings, and outwards and inwards,
    /// 32 bits each. In the other phases the first has the points.
    type Moves = [u64; 2];

    fn opening() -> Nerenchi {
        Nerenchi { counters: [0; 2], hand: [12; 2], turn: 0, phase: Phase::Placing }
    }

    #[inline]
    fn candidates(&self) -> [u64; 2] {
        let empty = POINTS & !(self.counters[0] | self.counters[1]);
        match self.phase {
            Phase::Placing => [u64::from(empty), 0],
            Phase::Taking => [u64::from(self.counters[self.turn ^ 1]), 0],
            Phase::Moving => {
                let mine = self.counters[self.turn];
                let on = (mine << 1) & 0xfe_fefe | (mine >> 7) & 0x01_0101;
                let back = (mine >> 1) & 0x7f_7f7f | (mine << 7) & 0x80_8080;
                let two = |a: u32, b: u32| u64::from(a & empty) | u64::from(b & empty) << 32;
                let middle = mine & MIDPOINTS;
                [two(on, back), two(middle << 8, middle >> 8)]
            }
        }
    }

    #[inline]
    fn count(moves: &[u64; 2]) -> u32 {
        moves[0].count_ones() + moves[1].count_ones()
    }

    #[inline]
    fn play(&mut self, moves: &[u64; 2], number: u32) -> Step {
        match self.phase {
            Phase::Placing => self.place(nth(moves[0], number).trailing_zeros()),
            Phase::Taking => self.take(nth(moves[0], number).trailing_zeros()),
            Phase::Moving => {
                let along = moves[0].count_ones();
                if number < along {
                    let bit = nth(moves[0], number).trailing_zeros();
                    let to = bit % 32;
                    let (ring, spot) = (to & !7, to & 7);
                    let from = ring + if bit < 32 { (spot + 7) % 8 } else { (spot + 1) % 8 };
                    self.slide(from, to)
                } else {
                    let bit = nth(moves[1], number - along).trailing_zeros();
                    let to = bit % 32;
                    self.slide(if bit < 32 { to - 8 } else { to + 8 }, to)
                }
            }
        }
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
