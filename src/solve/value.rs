//! What a position is worth.

use std::fmt;

/// The value of a position for the player to move, if both players play as well as can be: with the
/// number of plies to the end, where it is won or lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u16);

/// Win, draw or loss: a value without its distance to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wdl {
    /// The player to move loses.
    Loss,
    /// Neither can force a win.
    Draw,
    /// The player to move wins.
    Win,
}

impl Value {
    /// A draw.
    pub const DRAW: Value = Value(0);
    /// The greatest number of plies.
    pub const MOST_PLIES: u16 = 32_766;

    /// A win in this number of plies.
    pub fn won(plies: u16) -> Value {
        Value(2 * plies.min(Value::MOST_PLIES) + 1)
    }

    /// A loss in this number of plies.
    pub fn lost(plies: u16) -> Value {
        Value(2 * plies.min(Value::MOST_PLIES) + 2)
    }

    /// What the game comes to, for the player to move.
    pub fn outcome(self) -> Wdl {
        match self.0 {
            0 => Wdl::Draw,
            n if n % 2 == 1 => Wdl::Win,
            _ => Wdl::Loss,
        }
    }

    /// How many plies it takes; 0 for a draw.
    pub fn plies(self) -> u16 {
        self.0.saturating_sub(1) / 2
    }

    /// The number by which it is stored.
    pub fn code(self) -> u16 {
        self.0
    }

    /// The value that is stored by a number.
    pub fn of_code(code: u16) -> Value {
        Value(code)
    }

    /// The value of a position for the player who moves to it; `same` says that he is also to move there.
    #[must_use]
    pub fn before(self, same: bool) -> Value {
        match (self.outcome(), same) {
            (Wdl::Draw, _) => Value::DRAW,
            (Wdl::Win, true) | (Wdl::Loss, false) => Value::won(self.plies() + 1),
            (Wdl::Loss, true) | (Wdl::Win, false) => Value::lost(self.plies() + 1),
        }
    }

    /// Orders values by how good they are: quick wins first, slow losses before quick ones.
    pub fn rank(self) -> i32 {
        match self.outcome() {
            Wdl::Win => 100_000 - i32::from(self.plies()),
            Wdl::Draw => 0,
            Wdl::Loss => -100_000 + i32::from(self.plies()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = |f: &mut fmt::Formatter<'_>, verb| match self.plies() {
            0 => write!(f, "has {}", if verb == "wins" { "won" } else { "lost" }),
            1 => write!(f, "{verb} at once"),
            n => write!(f, "{verb} in {n} plies"),
        };
        match self.outcome() {
            Wdl::Draw => write!(f, "draw"),
            Wdl::Win => plies(f, "wins"),
            Wdl::Loss => plies(f, "loses"),
        }
    }
}
