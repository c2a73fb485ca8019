//! Images of whole sets under a static relation.
//!
//! On a regular board a step in one direction changes the index of a site by the same number nearly
//! everywhere: the image of a set is that set, masked and shifted. A relation is split into such
//! shifts once; the steps of all pieces then cost as much as the step of one.

use std::collections::BTreeMap;

use super::rows::{Address, KeyRange, elements};
use super::universe::Code;

/// A relation with more different shifts than this is evaluated element by element.
const MAX_SHIFTS: usize = 40;

/// For each combination of keys, the shifts that make up the relation.
#[derive(Debug, Clone)]
pub struct Images {
    /// The relation's name, for `ludex show plan`.
    pub name: String,
    address: Address,
    /// The shifts of key number n are those numbered from `starts[n]` to `starts[n + 1]`.
    starts: Vec<u32>,
    shifts: Vec<i32>,
    /// For each shift, the sites that it moves: one set after the other.
    masks: Vec<u64>,
}

impl Images {
    /// Builds the shifts from triples of keys, index of the source and index of the target. `keys` are the
    /// intervals of the key columns, and `words` is the length of a set. `None` where some keys have more
    /// than 40 shifts.
    pub fn build(
        name: &str,
        words: usize,
        keys: Vec<KeyRange>,
        triples: &[(Vec<Code>, usize, usize)],
    ) -> Option<Images> {
        let address = Address::Dense(keys);
        let mut all: Vec<BTreeMap<i32, Vec<u64>>> = vec![BTreeMap::new(); address.len().max(1)];
        for (key, source, target) in triples {
            let at = address.find(|i| key[i])?;
            let mask =
                all[at].entry(*target as i32 - *source as i32).or_insert_with(|| vec![0; words]);
            mask[source / 64] |= 1 << (source % 64);
        }
        if all.iter().any(|shifts| shifts.len() > MAX_SHIFTS) {
            return None;
        }
        let (mut starts, mut shifts, mut masks) = (vec![0], Vec::new(), Vec::new());
        for group in all {
            for (shift, mask) in group {
                shifts.push(shift);
                masks.extend(mask);
            }
            starts.push(shifts.len() as u32);
        }
        Some(Images { name: name.to_string(), address, starts, shifts, masks })
    }

    /// The numbers of the combinations of keys.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// How many combinations of keys are numbered.
    pub fn keys(&self) -> usize {
        self.starts.len() - 1
    }

    /// The shifts of key number n, each with the set of sites that it moves.
    pub fn shifts(&self, n: usize) -> impl ExactSizeIterator<Item = (i32, &[u64])> {
        let (from, to) = (self.starts[n] as usize, self.starts[n + 1] as usize);
        let words = self.masks.len() / self.shifts.len().max(1);
        (from..to).map(move |i| (self.shifts[i], &self.masks[i * words..(i + 1) * words]))
    }

    /// Whether the relation has no keys and is symmetric.
    pub(super) fn is_symmetric(&self, words: usize) -> bool {
        let mut pairs = rustc_hash::FxHashSet::default();
        for (shift, mask) in self.shifts.iter().zip(self.masks.chunks_exact(words)) {
            pairs.extend(elements(mask).map(|i| (i as i64, i as i64 + i64::from(*shift))));
        }
        self.starts.len() == 2 && pairs.iter().all(|(a, b)| pairs.contains(&(*b, *a)))
    }

    /// Everything that some element of the set is related to; empty where no row has the keys.
    #[inline]
    pub fn of<const W: usize>(&self, set: &[u64; W], key: impl Fn(usize) -> Code) -> [u64; W] {
        match self.address.find(key) {
            Some(at) => self.of_key(set, at),
            None => [0; W],
        }
    }

    /// The elements of a set that are also in `mask`, each index moved by `shift`.
    #[inline]
    pub fn moved<const W: usize>(set: &[u64; W], shift: i32, mask: &[u64]) -> [u64; W] {
        let (mut moved, mut image) = ([0; W], [0; W]);
        let masked = set.iter().zip(mask).map(|(word, mask)| word & mask);
        moved.iter_mut().zip(masked).for_each(|(to, word)| *to = word);
        let (words, bits) = ((shift.unsigned_abs() / 64) as usize, shift.unsigned_abs() % 64);
        if shift >= 0 {
            for i in words..W {
                image[i] |= moved[i - words] << bits;
                if bits > 0 && i > words {
                    image[i] |= moved[i - words - 1] >> (64 - bits);
                }
            }
        } else {
            for i in words..W {
                image[i - words] |= moved[i] >> bits;
                if bits > 0 && i + 1 < W {
                    image[i - words] |= moved[i + 1] << (64 - bits);
                }
            }
        }
        image
    }

    /// The number of a combination of keys, of which `key` gives each column. `None` where no row has it.
    #[inline]
    pub fn find(&self, key: impl Fn(usize) -> Code) -> Option<usize> {
        self.address.find(key)
    }

    /// [`Images::of`] for a set of any number of words.
    pub fn of_words(&self, set: &[u64], key: impl Fn(usize) -> Code) -> Vec<u64> {
        let mut image = vec![0; set.len()];
        let Some(at) = self.address.find(key) else { return image };
        for (shift, mask) in self.shifts(at) {
            let moves = |i: &usize| (set[i / 64] & mask[i / 64]) >> (i % 64) & 1 == 1;
            for index in (0..set.len() * 64).filter(moves) {
                let to = (index as i64 + i64::from(shift)) as usize;
                image[to / 64] |= 1 << (to % 64);
            }
        }
        image
    }

    /// [`Images::of`] for the keys with number `at`.
    #[inline]
    pub fn of_key<const W: usize>(&self, set: &[u64; W], at: usize) -> [u64; W] {
        let mut image = [0; W];
        for (shift, mask) in self.shifts(at) {
            let moved = Images::moved(set, shift, mask);
            (0..W).for_each(|i| image[i] |= moved[i]);
        }
        image
    }
}
