//! Sets of ranks.

use rustc_hash::FxHashSet;

/// A set that grows: a hash table, or a bit for each rank once that is smaller.
#[derive(Debug, Clone)]
pub enum Growing {
    /// The ranks.
    Table(FxHashSet<u64>),
    /// A bit for each rank, and how many are set.
    Bits(Vec<u64>, u64),
}

/// The bytes that a rank takes in a hash table, about.
const TABLE_BYTES: u64 = 16;

impl Growing {
    /// An empty set of ranks below `size`.
    pub fn new(size: u64) -> Growing {
        match size {
            0..=4_096 => Growing::Bits(vec![0; size.div_ceil(64) as usize], 0),
            _ => Growing::Table(FxHashSet::default()),
        }
    }

    /// Adds a rank below `size`; false where it is there already.
    pub fn insert(&mut self, rank: u64, size: u64) -> bool {
        match self {
            Growing::Table(table) => {
                let new = table.insert(rank);
                if new && table.len() as u64 * TABLE_BYTES * 8 > size {
                    let mut bits = vec![0u64; size.div_ceil(64) as usize];
                    table.iter().for_each(|rank| bits[(rank / 64) as usize] |= 1 << (rank % 64));
                    *self = Growing::Bits(bits, table.len() as u64);
                }
                new
            }
            Growing::Bits(bits, count) => {
                let (word, bit) = (&mut bits[(rank / 64) as usize], 1 << (rank % 64));
                let new = *word & bit == 0;
                *word |= bit;
                *count += u64::from(new);
                new
            }
        }
    }

    /// The bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        match self {
            Growing::Table(table) => table.capacity() as u64 * 9,
            Growing::Bits(bits, _) => bits.len() as u64 * 8,
        }
    }

    /// The ranks in ascending order.
    pub fn sorted(&self) -> Vec<u64> {
        match self {
            Growing::Bits(bits, count) => {
                let mut sorted = Vec::with_capacity(*count as usize);
                for (w, word) in bits.iter().enumerate() {
                    sorted.extend(ones(*word).map(|bit| w as u64 * 64 + bit));
                }
                sorted
            }
            Growing::Table(table) => {
                let mut sorted: Vec<u64> = table.iter().copied().collect();
                sorted.sort_unstable();
                sorted
            }
        }
    }

    /// The same ranks, in the smaller of the two fixed forms.
    pub fn fixed(self) -> Ranks {
        match self {
            Growing::Bits(bits, count) if bits.len() as u64 <= count => Ranks::of_bits(bits),
            other => Ranks::Sorted(other.sorted()),
        }
    }
}

/// The numbers of the bits that are set.
fn ones(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = u64::from(word.trailing_zeros());
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}

/// The words of a bitmap for which there is one sum.
pub(super) const BLOCK: usize = 8;

/// A fixed set, whose ranks are numbered in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ranks {
    /// The ranks in ascending order.
    Sorted(Vec<u64>),
    /// A bit for each rank, and how many are set before each block of words.
    Bits(Vec<u64>, Vec<u64>),
}

impl Ranks {
    /// The set of a bitmap.
    pub fn of_bits(bits: Vec<u64>) -> Ranks {
        let (mut sums, mut sum) = (Vec::with_capacity(bits.len() / BLOCK + 1), 0);
        for block in bits.chunks(BLOCK) {
            sums.push(sum);
            sum += block.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        sums.push(sum);
        Ranks::Bits(bits, sums)
    }

    /// How many ranks it has.
    pub fn len(&self) -> usize {
        match self {
            Ranks::Sorted(sorted) => sorted.len(),
            Ranks::Bits(_, sums) => sums.last().map_or(0, |sum| *sum as usize),
        }
    }

    /// The number of a rank; `None` where it is not in the set.
    pub fn number(&self, rank: u64) -> Option<usize> {
        match self {
            Ranks::Sorted(sorted) => sorted.binary_search(&rank).ok(),
            Ranks::Bits(bits, sums) => {
                let (word, bit) = ((rank / 64) as usize, 1u64 << (rank % 64));
                if bits.get(word)? & bit == 0 {
                    return None;
                }
                let block = word / BLOCK;
                let before = bits[block * BLOCK..word].iter().map(|w| w.count_ones()).sum::<u32>();
                let own = (bits[word] & (bit - 1)).count_ones();
                Some(sums[block] as usize + (before + own) as usize)
            }
        }
    }

    /// The ranks with the numbers of a range, in ascending order.
    pub fn range(&self, range: std::ops::Range<usize>) -> Vec<u64> {
        match self {
            Ranks::Sorted(sorted) => sorted[range].to_vec(),
            Ranks::Bits(bits, sums) => {
                let block =
                    sums.partition_point(|sum| *sum <= range.start as u64).saturating_sub(1);
                let mut number = sums[block] as usize;
                let mut ranks = Vec::with_capacity(range.len());
                for (word, own) in bits.iter().enumerate().skip(block * BLOCK) {
                    for bit in ones(*own) {
                        if number >= range.end {
                            return ranks;
                        }
                        if number >= range.start {
                            ranks.push(word as u64 * 64 + bit);
                        }
                        number += 1;
                    }
                }
                ranks
            }
        }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        match self {
            Ranks::Sorted(sorted) => sorted.len() * 8,
            Ranks::Bits(bits, sums) => (bits.len() + sums.len()) * 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_number_alike() {
        for (size, step) in [(3_000u64, 7), (100_000, 1_999), (20_000, 3)] {
            let mut growing = Growing::new(size);
            let ranks: Vec<u64> = (0..size).rev().filter(|rank| rank * rank % step < 2).collect();
            for rank in &ranks {
                assert!(growing.insert(*rank, size));
                assert!(!growing.insert(*rank, size));
            }
            let fixed = growing.fixed();
            let sorted: Vec<u64> = ranks.iter().rev().copied().collect();
            assert_eq!(fixed.len(), sorted.len());
            for (number, rank) in sorted.iter().enumerate() {
                assert_eq!(fixed.number(*rank), Some(number));
            }
            assert_eq!(fixed.number(size - 1).is_some(), sorted.contains(&(size - 1)));
            for range in [0..sorted.len(), 3..5, sorted.len() / 2..sorted.len() - 1] {
                assert_eq!(fixed.range(range.clone()), &sorted[range]);
            }
        }
    }
}
