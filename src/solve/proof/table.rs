//! What is proven of positions, and how hard others seem, in a table of bounded size.

/// The greatest value of a position; bounds beyond it say nothing.
pub(super) const MOST: i32 = 30_000;
/// The number of a statement that is refuted.
pub(super) const NEVER: u32 = u32::MAX;
/// The entries of a table at first.
const FIRST: usize = 1 << 12;
/// The neighbouring entries among which a position is looked for.
const BUCKET: usize = 4;

/// What tells a position from all others.
///
/// It is Σ aᵢ·xᵢ mod 2¹²⁸ over the cells xᵢ of the position with random numbers aᵢ of 128 bits, with the last bit
/// set. Two positions whose cells hold values below 2ᵛ have the same key with a probability of at most
/// 2^(v-127) (multilinear hashing; Carter, Wegman 1979). So some two of n positions do with one of at most
/// n²·2^(v-128): below 2⁻⁵⁸ for the 2³² positions of the largest table and 64 values.
pub(super) type Key = u128;

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    key: [u64; 2],
    /// Its value for the player to move lies between these, both included.
    pub lower: i16,
    pub upper: i16,
    /// The least value of which the two numbers below speak.
    pub asked: i16,
    /// A part of the key of the move that was best.
    pub best: u16,
    /// How many positions have to be decided at least before the value is known to reach `asked`, and before it
    /// is known not to; both 0 where nothing is known.
    pub proof: u32,
    pub disproof: u32,
}

const EMPTY: Entry = Entry {
    key: [0; 2],
    lower: -MOST as i16,
    upper: MOST as i16,
    asked: 0,
    best: 0,
    proof: 0,
    disproof: 0,
};

impl Entry {
    /// Whether the value is at least this: known, or not known yet.
    pub fn reaches(&self, value: i32) -> Option<bool> {
        match () {
            () if i32::from(self.lower) >= value => Some(true),
            () if i32::from(self.upper) < value => Some(false),
            () => None,
        }
    }

    /// The proof and the disproof number of the statement that the value is at least this.
    pub fn numbers(&self, value: i32) -> Option<(u32, u32)> {
        match self.reaches(value) {
            Some(true) => Some((0, NEVER)),
            Some(false) => Some((NEVER, 0)),
            None => (i32::from(self.asked) == value && self.proof > 0)
                .then_some((self.proof, self.disproof)),
        }
    }

    /// Notes that the value is at least this, or less.
    pub fn settle(&mut self, value: i32, reached: bool) {
        match reached {
            true => self.lower = self.lower.max(value as i16),
            false => self.upper = self.upper.min(value as i16 - 1),
        }
    }
}

/// A table that grows with what it is given, up to its limit. A position without room replaces another one.
pub(super) struct Table {
    entries: Vec<Entry>,
    /// How many hold something.
    filled: usize,
    /// The most entries.
    most: usize,
}

impl Table {
    /// A table of at most this number of bytes, those included that it takes to grow.
    pub fn new(memory: u64) -> Table {
        // while it grows, there is another one of half its size
        let entries = memory / 3 * 2 / size_of::<Entry>() as u64;
        let most = 1 << entries.max(FIRST as u64).ilog2();
        Table { entries: vec![EMPTY; FIRST], filled: 0, most }
    }

    fn bucket(&self, key: Key) -> usize {
        ((key >> 64) as u64 >> (64 - self.entries.len().ilog2())) as usize & !(BUCKET - 1)
    }

    /// What is known of a position.
    pub fn get(&self, key: Key) -> Option<Entry> {
        let (at, key) = (self.bucket(key), halves(key));
        self.entries[at..at + BUCKET].iter().find(|entry| entry.key == key).copied()
    }

    /// The entry of a position, which is made where there is none.
    pub fn entry(&mut self, key: Key) -> &mut Entry {
        if self.filled * 2 > self.entries.len() && self.entries.len() < self.most {
            self.grow();
        }
        self.place(key)
    }

    fn place(&mut self, key: Key) -> &mut Entry {
        let (at, own) = (self.bucket(key), halves(key));
        let bucket = &self.entries[at..at + BUCKET];
        let there = bucket.iter().position(|entry| entry.key == own);
        let free = || bucket.iter().position(|entry| entry.key == [0; 2]);
        let at = at + there.or_else(free).unwrap_or(own[0] as usize >> 1 & (BUCKET - 1));
        let entry = &mut self.entries[at];
        if entry.key != own {
            self.filled += usize::from(entry.key == [0; 2]);
            *entry = Entry { key: own, ..EMPTY };
        }
        entry
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.entries.len() * 2];
        let before = std::mem::replace(&mut self.entries, larger);
        self.filled = 0;
        for entry in before.into_iter().filter(|entry| entry.key != [0; 2]) {
            let [low, high] = entry.key.map(Key::from);
            *self.place(high << 64 | low) = entry;
        }
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
    }
}

fn halves(key: Key) -> [u64; 2] {
    [key as u64, (key >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Random;

    #[test]
    fn positions_that_agree_in_half_of_the_key_are_told_apart() {
        let mut table = Table::new(1 << 20);
        let keys = [(7u128 << 64) | 3, (7u128 << 64) | 5, (9u128 << 64) | 3];
        for (value, key) in keys.into_iter().enumerate() {
            table.entry(key).settle(value as i32, true);
        }
        for (value, key) in keys.into_iter().enumerate() {
            assert_eq!(table.get(key).map(|entry| entry.lower), Some(value as i16));
        }
        assert_eq!(table.get((7 << 64) | 7), None);
    }

    #[test]
    fn it_grows_within_its_memory_and_forgets_beyond() {
        let memory = 1 << 20;
        let mut table = Table::new(memory);
        let mut random = Random::seeded(1);
        let keys: Vec<Key> = (0..100_000)
            .map(|_| Key::from(random.number()) << 64 | Key::from(random.number() | 1))
            .collect();
        for (i, key) in keys.iter().enumerate() {
            table.entry(*key).settle((i % 100) as i32, true);
            // with the smaller one that is copied
            assert!(table.bytes() as u64 * 3 / 2 <= memory);
        }
        let known = keys.iter().enumerate().filter_map(|(i, key)| Some((i, table.get(*key)?)));
        let known: Vec<(usize, Entry)> = known.collect();
        assert!(known.iter().all(|(i, entry)| i32::from(entry.lower) == (i % 100) as i32));
        assert!(known.len() > 10_000 && known.len() < keys.len());
    }
}
