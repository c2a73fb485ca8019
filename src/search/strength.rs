//! Levels of strength from 1 to 10, for opponents of every age.
//!
//! A level has a limit of positions for each move, and a share of moves that are drawn at random. Fewer
//! positions alone do not make a weak player where threats are near, as in games of rows; random moves
//! alone make one that plays well and then throws the game away. The weaker half has both.

use super::Limits;

/// A level of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strength(u8);

/// By level: how many of a hundred moves are drawn at random, and the playouts of the others, each of which counts
/// as many as [`POSITIONS`](super::POSITIONS).
const LEVELS: [(u64, u64); 10] = [
    (92, 2),
    (72, 2),
    (52, 6),
    (36, 10),
    (23, 20),
    (13, 40),
    (6, 100),
    (2, 250),
    (0, 700),
    (0, 2800),
];

impl Strength {
    /// The weakest and the strongest level.
    pub const RANGE: std::ops::RangeInclusive<u8> = 1..=LEVELS.len() as u8;

    /// The level with this number.
    pub fn new(level: u8) -> Option<Strength> {
        Self::RANGE.contains(&level).then_some(Strength(level))
    }

    /// The number.
    pub fn level(self) -> u8 {
        self.0
    }

    fn row(self) -> (u64, u64) {
        LEVELS[usize::from(self.0 - 1)]
    }

    /// How many of a hundred moves are drawn at random.
    pub fn slips(self) -> u64 {
        self.row().0
    }

    /// The limits of a move, within those of the caller.
    pub fn limits(self, within: Limits) -> Limits {
        let own = self.row().1;
        Limits { playouts: Some(within.playouts.map_or(own, |n| n.min(own))), ..within }
    }
}
