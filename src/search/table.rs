//! What the search has found out about positions, in a table of bounded size.

use std::sync::atomic::{AtomicU64, Ordering};

/// How a stored value bounds the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// An entry of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The low half of the key of the best move; 0 where none is known.
    pub best: u32,
    /// The value for the side to move.
    pub value: i32,
    /// How many plies below the position were searched.
    pub depth: i16,
    /// What the value says.
    pub bound: Bound,
}

/// Values are stored with this added, so that they are not negative.
const OFFSET: i32 = 1 << 20;
/// The greatest depth that is stored.
const DEEPEST: i16 = 127;
/// The number of ages that are told apart.
const AGES: u8 = 4;
/// How many plies of depth an age less outweighs where an entry is replaced.
const AGEING: i16 = 4;

impl Entry {
    /// The bits of an entry; never 0.
    fn packed(self, age: u8) -> u64 {
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::Lower => 2,
            Bound::Upper => 3,
        };
        let value = (self.value + OFFSET).clamp(0, 2 * OFFSET - 1) as u64;
        let depth = self.depth.clamp(0, DEEPEST) as u64;
        u64::from(self.best) << 32 | value << 11 | depth << 4 | bound << 2 | u64::from(age)
    }

    fn unpacked(bits: u64) -> Option<Entry> {
        let bound = match bits >> 2 & 3 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        };
        Some(Entry {
            best: (bits >> 32) as u32,
            value: (bits >> 11 & 0x1f_ffff) as i32 - OFFSET,
            depth: (bits >> 4 & 0x7f) as i16,
            bound,
        })
    }
}

/// The bits of an entry, and the hash of its position mixed with them: two threads that write at once leave an
/// entry that fits no position.
#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    bits: AtomicU64,
}

/// The entries among which one is replaced: a line of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

impl Slot {
    fn read(&self) -> (u64, u64) {
        let bits = self.bits.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ bits, bits)
    }

    fn write(&self, hash: u64, bits: u64) {
        self.bits.store(bits, Ordering::Relaxed);
        self.check.store(hash ^ bits, Ordering::Relaxed);
    }
}

/// A table of at most 2^20 entries (16 MB), which grows with what it is given. Of the entries of a bucket the one
/// that is the least deep is replaced, and an older one rather than a later one. Threads may share it.
#[derive(Debug)]
pub struct Table {
    buckets: Vec<Bucket>,
    /// The binary logarithm of the number of buckets.
    size: u32,
    stored: usize,
    /// Counts the searches.
    age: u8,
}

/// The binary logarithms of the least and the greatest number of buckets.
const SIZES: (u32, u32) = (10, 18);

impl Default for Table {
    fn default() -> Table {
        Table { buckets: buckets(SIZES.0), size: SIZES.0, stored: 0, age: 0 }
    }
}

impl Clone for Table {
    fn clone(&self) -> Table {
        let copy = Table { buckets: buckets(self.size), ..*self };
        for (from, to) in self.buckets.iter().zip(&copy.buckets) {
            for (from, to) in from.0.iter().zip(&to.0) {
                let (hash, bits) = from.read();
                to.write(hash, bits);
            }
        }
        copy
    }
}

fn buckets(size: u32) -> Vec<Bucket> {
    std::iter::repeat_with(Bucket::default).take(1 << size).collect()
}

impl Table {
    fn bucket(&self, hash: u64) -> &[Slot; 4] {
        &self.buckets[(hash >> (64 - self.size)) as usize].0
    }

    /// What is known about a position.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<Entry> {
        let found = self.bucket(hash).iter().map(Slot::read).find(|(of, _)| *of == hash);
        found.and_then(|(_, bits)| Entry::unpacked(bits))
    }

    /// Stores what was found about a position. Where no move is given, the one that is known stays.
    pub fn put(&mut self, hash: u64, entry: Entry) {
        self.stored += 1;
        if self.stored > 4 * self.buckets.len() && self.size < SIZES.1 {
            self.grow();
        }
        self.store(hash, entry, self.age);
    }

    fn store(&self, hash: u64, mut entry: Entry, age: u8) {
        let mut replaced = (i16::MAX, 0);
        let bucket = self.bucket(hash);
        for (number, slot) in bucket.iter().enumerate() {
            let (of, bits) = slot.read();
            let Some(old) = Entry::unpacked(bits) else {
                if replaced.0 > -1000 {
                    replaced = (-1000, number);
                }
                continue;
            };
            if of == hash {
                if entry.best == 0 {
                    entry.best = old.best;
                }
                replaced.1 = number;
                break;
            }
            let past = (AGES + age - (bits & 3) as u8) % AGES;
            let worth = old.depth - i16::from(past) * AGEING;
            if worth < replaced.0 {
                replaced = (worth, number);
            }
        }
        bucket[replaced.1].write(hash, entry.packed(age));
    }

    /// Begins another search: what is known so far is older.
    pub fn begin(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn grow(&mut self) {
        self.size += 2;
        let old = std::mem::replace(&mut self.buckets, buckets(self.size));
        self.stored = 0;
        for (hash, bits) in old.iter().flat_map(|bucket| &bucket.0).map(Slot::read) {
            if let Some(entry) = Entry::unpacked(bits) {
                self.store(hash, entry, (bits & 3) as u8);
            }
        }
    }
}
