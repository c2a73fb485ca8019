//! Seeded random numbers for players and playouts: the same seed gives the same game on any machine.

use std::hash::{BuildHasher, Hasher};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A generator with a seed (xoshiro256++).
#[derive(Debug, Clone)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn seeded(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The generator of one ply of a game: it does not depend on what was drawn before, so a game
    /// that is resumed or whose moves are taken back goes on in the same way.
    pub fn for_ply(seed: u64, ply: u64) -> Random {
        Random::seeded(seed ^ ply.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A seed that differs from run to run.
    pub fn fresh_seed() -> u64 {
        // kept short, since people type it
        std::collections::hash_map::RandomState::new().build_hasher().finish() >> 32
    }

    /// A number from 0 up to, not including, `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.0.random_range(0..end) }
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.random_range(0..=u64::MAX)
    }

    /// An index drawn by weight; `None` where all weights are 0 or less.
    pub fn weighted(&mut self, weights: &[i64]) -> Option<usize> {
        let total: u64 = weights.iter().map(|w| (*w).max(0) as u64).sum();
        let mut at = (total > 0).then(|| self.below(total))?;
        for (i, weight) in weights.iter().enumerate() {
            let weight = (*weight).max(0) as u64;
            if at < weight {
                return Some(i);
            }
            at -= weight;
        }
        None
    }
}
