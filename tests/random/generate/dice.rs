//! Seeded random choices. Only 64-bit numbers are drawn, so that a seed gives the same text on
//! every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number below `n`, or 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..(n as u64).max(1)) as usize
    }

    /// A number of a range, both ends included.
    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1).max(1) as usize) as i64
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// The index of a weight, drawn by it.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut drawn = self.below(weights.iter().sum());
        for (i, weight) in weights.iter().enumerate() {
            if drawn < *weight {
                return i;
            }
            drawn -= weight;
        }
        0
    }

    /// So many different elements, in their order; all where there are fewer.
    pub fn some<T: Clone>(&mut self, all: &[T], n: usize) -> Vec<T> {
        let mut left: Vec<usize> = (0..all.len()).collect();
        while left.len() > n {
            let at = self.below(left.len());
            left.remove(at);
        }
        left.into_iter().map(|i| all[i].clone()).collect()
    }
}
