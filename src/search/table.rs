//! What the search has found out about positions, in a table of bounded size. It is plain words where one thread
//! searches, and atomic ones where several do.

use std::sync::Arc;
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

impl Bound {
    /// What a value says that a search between two bounds has found.
    pub fn of(value: i32, alpha: i32, beta: i32) -> Bound {
        match value {
            _ if value >= beta => Bound::Lower,
            _ if value > alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }

    /// Whether a stored value with this bound is the answer of a search between two bounds.
    #[inline]
    pub fn answers(self, value: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        }
    }
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

/// The hash of a position, and the bits of what is known about it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Slot {
    hash: u64,
    bits: u64,
}

/// The entries among which one is replaced: a line of the processor's cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

impl Bucket {
    #[inline]
    fn store(&mut self, hash: u64, mut entry: Entry, age: u8) {
        let worth = |slot: &Slot| match Entry::unpacked(slot.bits) {
            Some(_) if slot.hash == hash => i16::MIN,
            None => i16::MIN + 1,
            Some(old) => {
                let past = (AGES + age - (slot.bits & 3) as u8) % AGES;
                old.depth - i16::from(past) * AGEING
            }
        };
        let Some(replaced) = self.0.iter_mut().min_by_key(|slot| worth(slot)) else { return };
        if entry.best == 0
            && replaced.hash == hash
            && let Some(old) = Entry::unpacked(replaced.bits)
        {
            entry.best = old.best;
        }
        *replaced = Slot { hash, bits: entry.packed(age) };
    }
}

/// The same for several threads. A hash is stored with its bits added (exclusive or), so that of two halves that do not
/// belong together none is read (Hyatt 2002).
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shelf([[AtomicU64; 2]; 4]);

impl Shelf {
    fn slot(&self, at: usize) -> Slot {
        let [hash, bits] = &self.0[at];
        let bits = bits.load(Ordering::Relaxed);
        Slot { hash: hash.load(Ordering::Relaxed) ^ bits, bits }
    }

    fn set(&self, at: usize, slot: Slot) {
        let [hash, bits] = &self.0[at];
        hash.store(slot.hash ^ slot.bits, Ordering::Relaxed);
        bits.store(slot.bits, Ordering::Relaxed);
    }

    fn slots(&self) -> [Slot; 4] {
        std::array::from_fn(|at| self.slot(at))
    }
}

/// A table of at most 2^20 entries (16 MB), which grows with what it is given. Of the entries of a bucket the one
/// that is the least deep is replaced, and an older one rather than a later one.
#[derive(Debug, Clone)]
pub struct Table {
    buckets: Vec<Bucket>,
    /// The buckets while several threads search; clones of the table have them in common.
    shared: Option<Arc<[Shelf]>>,
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
        Table {
            buckets: vec![Bucket::default(); 1 << SIZES.0],
            size: SIZES.0,
            stored: 0,
            age: 0,
            shared: None,
        }
    }
}

impl Table {
    fn at(&self, hash: u64) -> usize {
        (hash >> (64 - self.size)) as usize
    }

    /// What is known about a position.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<Entry> {
        if self.shared.is_some() {
            return self.get_shared(hash);
        }
        let found = self.buckets[self.at(hash)].0.iter().find(|slot| slot.hash == hash);
        found.and_then(|slot| Entry::unpacked(slot.bits))
    }

    #[cold]
    fn get_shared(&self, hash: u64) -> Option<Entry> {
        let slots = self.shared.as_ref()?[self.at(hash)].slots();
        let found = slots.iter().find(|slot| slot.hash == hash);
        found.and_then(|slot| Entry::unpacked(slot.bits))
    }

    /// Stores what was found about a position. Where no move is given, the one that is known stays.
    pub fn put(&mut self, hash: u64, entry: Entry) {
        if self.shared.is_some() {
            self.put_shared(hash, entry);
            return;
        }
        self.stored += 1;
        if self.stored > 4 * self.buckets.len() && self.size < SIZES.1 {
            self.grow();
        }
        self.store(hash, entry, self.age);
    }

    #[cold]
    fn put_shared(&self, hash: u64, entry: Entry) {
        let Some(shared) = &self.shared else { return };
        let shelf = &shared[self.at(hash)];
        let mut bucket = Bucket(shelf.slots());
        let before = bucket;
        bucket.store(hash, entry, self.age);
        for (at, slot) in bucket.0.iter().enumerate() {
            if *slot != before.0[at] {
                shelf.set(at, *slot);
            }
        }
    }

    fn store(&mut self, hash: u64, entry: Entry, age: u8) {
        let at = self.at(hash);
        self.buckets[at].store(hash, entry, age);
    }

    /// Makes the table one that several threads may use at a time, each its own clone.
    pub fn share(&mut self) {
        while self.size < SIZES.1 {
            self.grow();
        }
        let shelf = |bucket: Bucket| {
            let shelf = Shelf::default();
            for (at, slot) in bucket.0.into_iter().enumerate() {
                shelf.set(at, slot);
            }
            shelf
        };
        self.shared = Some(std::mem::take(&mut self.buckets).into_iter().map(shelf).collect());
    }

    /// Makes a table that was shared one of plain words again.
    pub fn unshare(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.buckets = shared.iter().map(|shelf| Bucket(shelf.slots())).collect();
        }
    }

    /// Begins another search: what is known so far is older.
    pub fn begin(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn grow(&mut self) {
        self.size += 2;
        let old = std::mem::replace(&mut self.buckets, vec![Bucket::default(); 1 << self.size]);
        self.stored = 0;
        for slot in old.iter().flat_map(|bucket| &bucket.0) {
            if let Some(entry) = Entry::unpacked(slot.bits) {
                self.store(slot.hash, entry, (slot.bits & 3) as u8);
            }
        }
    }
}
