//! Seeded random numbers for players and playouts: the same seed gives the same game on any machine.

use std::convert::Infallible;
use std::hash::{BuildHasher, Hasher};

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A generator with a seed (xoshiro256++).
#[derive(Debug, Clone)]
pub struct Random<G = Xoshiro256PlusPlus>(G);

/// A generator that makes its numbers in advance, so that machine code can read them from memory.
/// The numbers are the same as those of the underlying generator.
#[derive(Debug, Clone)]
pub(super) struct Ahead {
    generator: Xoshiro256PlusPlus,
    numbers: [u64; Ahead::ROOM],
    /// The numbers before this index have been used.
    taken: usize,
}

impl Random {
    /// The generator with this seed.
    pub fn seeded(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The generator of one ply of a game. It does not depend on earlier draws, so a game that is resumed
    /// or whose moves are taken back continues in the same way.
    pub fn for_ply(seed: u64, ply: u64) -> Random {
        Random::seeded(seed ^ ply.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A seed that differs from run to run.
    pub fn fresh_seed() -> u64 {
        // 32 bits, since people type it
        std::collections::hash_map::RandomState::new().build_hasher().finish() >> 32
    }
}

impl<G: Rng> Random<G> {
    /// A number from 0 up to, not including, `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.0.random_range(0..end) }
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.random_range(0..=u64::MAX)
    }

    /// Puts the items in any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        items.shuffle(&mut self.0);
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

impl Random<Ahead> {
    pub(super) fn ahead(seed: u64) -> Random<Ahead> {
        let Random(generator) = Random::seeded(seed);
        Random(Ahead { generator, numbers: [0; Ahead::ROOM], taken: Ahead::ROOM })
    }

    /// The numbers that have not been used yet: at least half of [`Ahead::ROOM`].
    pub(super) fn numbers(&mut self) -> &[u64] {
        if self.0.taken > Ahead::ROOM / 2 {
            self.0.refill();
        }
        &self.0.numbers[self.0.taken..]
    }

    /// Marks the first `count` of them as used.
    pub(super) fn take(&mut self, count: usize) {
        self.0.taken += count;
    }
}

impl Ahead {
    const ROOM: usize = 128;

    fn refill(&mut self) {
        self.numbers.copy_within(self.taken.., 0);
        let Ahead { generator, numbers, taken } = self;
        numbers[Ahead::ROOM - *taken..].fill_with(|| generator.next_u64());
        *taken = 0;
    }
}

impl TryRng for Ahead {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        if self.taken == Ahead::ROOM {
            self.refill();
        }
        let number = self.numbers[self.taken];
        self.taken += 1;
        Ok(number)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let number = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&number[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_made_in_advance_are_the_same() {
        let (mut plain, mut ahead) = (Random::seeded(7), Random::ahead(7));
        for round in 0..1000 {
            assert_eq!(ahead.below(round), plain.below(round));
            let taken: Vec<u64> = ahead.numbers()[..round as usize % 60].to_vec();
            ahead.take(taken.len());
            assert!(taken.iter().all(|number| *number == plain.number()));
        }
    }
}
