//! What the search has found out about positions, in a table of bounded size.

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
    hash: u64,
    /// The key of the best move; 0 where none is known.
    pub best: u64,
    /// The value for the side to move.
    pub value: i32,
    /// How many plies below the position were searched.
    pub depth: i16,
    /// What the value says.
    pub bound: Bound,
}

const EMPTY: Entry = Entry { hash: 0, best: 0, value: 0, depth: -1, bound: Bound::Upper };

/// A table of at most 2^20 entries (24 MB), which grows with what it is given. Of two entries the deeper
/// stays in the first place of a pair, and the later one in the second.
#[derive(Debug, Clone)]
pub struct Table {
    entries: Vec<Entry>,
    /// The binary logarithm of the number of entries.
    size: u32,
    stored: usize,
}

/// The binary logarithms of the least and the greatest number of entries.
const SIZES: (u32, u32) = (12, 20);

impl Default for Table {
    fn default() -> Table {
        Table { entries: vec![EMPTY; 1 << SIZES.0], size: SIZES.0, stored: 0 }
    }
}

impl Table {
    fn place(&self, hash: u64) -> usize {
        (hash >> (64 - self.size)) as usize & !1
    }

    /// What is known about a position.
    pub fn get(&self, hash: u64) -> Option<Entry> {
        let at = self.place(hash);
        self.entries[at..at + 2].iter().find(|e| e.depth >= 0 && e.hash == hash).copied()
    }

    /// Stores what was found about a position.
    pub fn put(&mut self, hash: u64, depth: i16, value: i32, bound: Bound, best: u64) {
        self.stored += 1;
        if self.stored > self.entries.len() && self.size < SIZES.1 {
            self.grow();
        }
        let at = self.place(hash);
        let first = &self.entries[at];
        let replaced = first.hash == hash || first.depth <= depth;
        if replaced && first.hash != hash && first.depth >= 0 {
            self.entries[at + 1] = self.entries[at];
        }
        let at = if replaced { at } else { at + 1 };
        let best =
            if best == 0 && self.entries[at].hash == hash { self.entries[at].best } else { best };
        self.entries[at] = Entry { hash, best, value, depth, bound };
    }

    fn grow(&mut self) {
        self.size += 2;
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; 1 << self.size]);
        self.stored = 0;
        for entry in old.iter().filter(|entry| entry.depth >= 0) {
            self.put(entry.hash, entry.depth, entry.value, entry.bound, entry.best);
        }
    }
}
