//! Static tables as native code reads them: with one more row, which stands for all keys that
//! have none, so that no read needs a branch.

use rustc_hash::FxHashMap;

use crate::plan::{Address, Code, Images, Index, Rows};

/// What an index gives for a key without a row.
pub(super) const NONE: Code = Code::MIN;

/// Tables at fixed addresses.
#[derive(Default)]
pub(super) struct Tables {
    memory: Vec<Box<[u64]>>,
    rows: FxHashMap<u32, i64>,
    firsts: FxHashMap<u32, Firsts>,
    runs: FxHashMap<u32, Runs>,
    images: FxHashMap<u32, Option<i64>>,
}

/// The first row of each key of an index: `width` codes, or at least one.
#[derive(Clone)]
pub(super) struct Firsts {
    pub address: i64,
    /// Every key has a row.
    pub full: bool,
    /// The least and the greatest code of each column.
    pub ranges: Vec<(Code, Code)>,
}

/// All rows of an index by key.
#[derive(Clone)]
pub(super) struct Runs {
    /// Where the rows of each key begin; one more than keys.
    pub starts: i64,
    pub codes: i64,
    pub ranges: Vec<(Code, Code)>,
}

/// How many keys an address space has; `None` where it is no product of ranges.
pub(super) fn keys(address: &Address) -> Option<usize> {
    match address {
        Address::Dense(ranges) => Some(ranges.iter().map(|r| r.len).product()),
        Address::Hashed(_) => None,
    }
}

impl Tables {
    pub fn keep(&mut self, words: Vec<u64>) -> i64 {
        let words = words.into_boxed_slice();
        let address = words.as_ptr() as i64;
        self.memory.push(words);
        address
    }

    /// Bits by key, an empty set behind the last.
    pub fn rows(&mut self, number: u32, rows: &Rows) -> i64 {
        if let Some(address) = self.rows.get(&number) {
            return *address;
        }
        let mut words = rows.bits.clone();
        words.extend(std::iter::repeat_n(0, rows.words));
        let address = self.keep(words);
        self.rows.insert(number, address);
        address
    }

    pub fn firsts(&mut self, number: u32, index: &Index, keys: usize) -> Firsts {
        if let Some(firsts) = self.firsts.get(&number) {
            return firsts.clone();
        }
        let width = index.width.max(1);
        let mut words = vec![NONE as u64; (keys + 1) * width];
        let mut full = true;
        for key in 0..keys {
            let (Some(from), Some(to)) = (index.starts.get(key), index.starts.get(key + 1)) else {
                full = false;
                continue;
            };
            if from == to {
                full = false;
            } else if index.width == 0 {
                words[key] = 0;
            } else {
                let row = index.row(*from as usize);
                row.iter().enumerate().for_each(|(i, c)| words[key * width + i] = *c as u64);
            }
        }
        let firsts = Firsts { address: self.keep(words), full, ranges: ranges(index) };
        self.firsts.insert(number, firsts.clone());
        firsts
    }

    pub fn runs(&mut self, number: u32, index: &Index, keys: usize) -> Runs {
        if let Some(runs) = self.runs.get(&number) {
            return runs.clone();
        }
        let last = index.starts.last().copied().unwrap_or(0);
        let starts: Vec<u64> =
            (0..keys + 2).map(|k| u64::from(index.starts.get(k).copied().unwrap_or(last))).collect();
        let codes: Vec<u64> = index.rows.iter().map(|c| *c as u64).collect();
        let runs = Runs { starts: self.keep(starts), codes: self.keep(codes), ranges: ranges(index) };
        self.runs.insert(number, runs.clone());
        runs
    }

    /// For a relation of at most one shift per key: its mask and shift, by key. `None` where a key
    /// has more.
    pub fn shifts(&mut self, number: u32, images: &Images, words: usize) -> Option<i64> {
        if let Some(known) = self.images.get(&number) {
            return *known;
        }
        let keys = images.keys();
        let single = (0..keys).all(|k| images.shifts(k).len() <= 1);
        let address = single.then(|| {
            let mut table = Vec::with_capacity((keys + 1) * (words + 1));
            for key in 0..=keys {
                let first = (key < keys).then(|| images.shifts(key).next()).flatten();
                match first {
                    Some((shift, mask)) => {
                        table.extend_from_slice(mask);
                        table.push(i64::from(shift) as u64);
                    }
                    None => table.extend(std::iter::repeat_n(0, words + 1)),
                }
            }
            self.keep(table)
        });
        self.images.insert(number, address);
        address
    }
}

fn ranges(index: &Index) -> Vec<(Code, Code)> {
    (0..index.width)
        .map(|column| {
            let codes = || index.rows.iter().skip(column).step_by(index.width);
            (codes().min().copied().unwrap_or(0), codes().max().copied().unwrap_or(0))
        })
        .collect()
}
