//! A position as the features are read from it.

use crate::engine::{Fault, Walk};
use crate::program::MOST_PLAYERS;

use super::features::Reader;

/// The difference of values that counts as 1: so much is worth three quarters of what a win is.
pub(super) const LEAD: f32 = 20.0;

/// By player, what the rules say in `value/2` that a position is worth, divided by twenty; 0 where they say
/// nothing.
pub type Values = [f32; MOST_PLAYERS];

/// The values where the rules say none, or where these do not count.
pub const NO_VALUES: Values = [0.0; MOST_PLAYERS];

/// These values of the rules, as features.
pub fn scaled(values: &[Option<i64>]) -> Values {
    let mut scaled = NO_VALUES;
    for (own, value) in scaled.iter_mut().zip(values) {
        *own = value.unwrap_or(0) as f32 / LEAD;
    }
    scaled
}

/// A position as the features are read from it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The words of the state.
    pub words: &'a [u64],
    /// The index of the player to move.
    pub turn: usize,
    /// How many moves he has, and how many the last other player had, as far as it is known.
    pub choices: [Option<u64>; 2],
    /// The values of the rules, where they count.
    pub values: Values,
}

impl<'a> View<'a> {
    /// Where a walk stands, without the values of the rules.
    pub fn rough(walk: &'a dyn Walk) -> View<'a> {
        let (words, turn, choices) = (walk.words(), walk.turn(), walk.choices());
        View { words, turn, choices, values: NO_VALUES }
    }

    /// Where a walk stands.
    ///
    /// # Errors
    /// A rule error in the values, or the end of the time.
    pub fn of(walk: &'a mut dyn Walk, reader: &Reader) -> Result<View<'a>, Fault> {
        let values = reader.values(walk)?;
        Ok(View { values, ..View::rough(walk) })
    }
}
