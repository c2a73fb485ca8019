//! The answers of one relation: distinct rows in order of discovery, with indexes made on demand.
//!
//! Rows are stored one after the other, one word per value, so a relation of a million answers takes
//! some ten megabytes. Row numbers are looked up in a hash table with open addressing.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::goals::Row;
use crate::program::{ConstantId, Value};

/// A row as it is stored.
type Words = SmallVec<[i64; 4]>;

/// Marks a free place in [`Table::places`].
const FREE: u32 = u32::MAX;

/// The answers of one relation: distinct rows in order of discovery.
#[derive(Debug, Clone, Default)]
pub struct Table {
    arity: usize,
    len: usize,
    words: Vec<i64>,
    /// The hash table of row numbers; its length is a power of two, and it is never full.
    places: Vec<u32>,
    indexes: Vec<Index>,
}

/// Rows by the values of some columns. It covers the first `covered` rows and is extended when used.
#[derive(Debug, Clone)]
struct Index {
    columns: SmallVec<[usize; 4]>,
    covered: usize,
    map: FxHashMap<Words, Vec<u32>>,
}

impl Table {
    pub(super) fn new(arity: usize) -> Table {
        Table { arity, ..Table::default() }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a row; false where it was there already.
    pub fn insert(&mut self, row: &[Value]) -> bool {
        self.insert_words(&row.iter().map(|v| packed(*v)).collect::<Words>())
    }

    /// The same for a row as it is stored.
    pub(super) fn insert_words(&mut self, words: &[i64]) -> bool {
        if (self.len + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        let place = self.place(words);
        if self.places[place] != FREE {
            return false;
        }
        self.places[place] = self.len as u32;
        self.words.extend_from_slice(words);
        self.len += 1;
        true
    }

    /// Whether there is such a row.
    pub fn contains(&self, row: &[Value]) -> bool {
        if self.is_empty() {
            return false;
        }
        let words: Words = row.iter().map(|v| packed(*v)).collect();
        self.places[self.place(&words)] != FREE
    }

    /// The place of a row's number in the hash table, or the free place where it belongs.
    fn place(&self, words: &[i64]) -> usize {
        let mask = self.places.len() - 1;
        let mut hasher = FxBuildHasher.build_hasher();
        words.iter().for_each(|word| hasher.write_i64(*word));
        let mut place = hasher.finish() as usize & mask;
        while self.places[place] != FREE && self.words_of(self.places[place] as usize) != words {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.places = vec![FREE; (self.places.len() * 2).max(8)];
        for number in 0..self.len {
            let place = self.place(self.words_of(number));
            self.places[place] = number as u32;
        }
    }

    /// The row with this number, as it is stored.
    pub(super) fn words_of(&self, number: usize) -> &[i64] {
        &self.words[number * self.arity..(number + 1) * self.arity]
    }

    /// The row with this number, counted from 0.
    pub fn row(&self, number: usize) -> Row {
        self.words_of(number).iter().map(|word| unpacked(*word)).collect()
    }

    /// All rows in order of discovery.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row> {
        (0..self.len).map(|number| self.row(number))
    }

    /// The values of one column, each once, in order of discovery.
    pub fn column(&self, column: usize) -> Vec<Value> {
        let words = (0..self.len).map(|number| self.words_of(number)[column]);
        let words: IndexSet<i64, FxBuildHasher> = words.collect();
        words.into_iter().map(unpacked).collect()
    }

    /// The numbers of the rows within a range of numbers that have `key` in `columns` (ascending), in
    /// order of discovery.
    pub(super) fn matching(
        &mut self,
        columns: &[usize],
        key: &[Value],
        range: Range<usize>,
    ) -> Vec<u32> {
        let at = match self.indexes.iter().position(|i| i.columns.as_slice() == columns) {
            Some(at) => at,
            None => {
                let columns = SmallVec::from_slice(columns);
                self.indexes.push(Index { columns, covered: 0, map: FxHashMap::default() });
                self.indexes.len() - 1
            }
        };
        let index = &mut self.indexes[at];
        for number in index.covered..self.len {
            let row = &self.words[number * self.arity..(number + 1) * self.arity];
            let key: Words = index.columns.iter().map(|c| row[*c]).collect();
            index.map.entry(key).or_default().push(number as u32);
        }
        index.covered = self.len;
        let key: Words = key.iter().map(|v| packed(*v)).collect();
        let all = index.map.get(&key).map_or(&[][..], Vec::as_slice);
        let place = |number: usize| all.partition_point(|row| (*row as usize) < number);
        all[place(range.start)..place(range.end)].to_vec()
    }

    /// Sorts the rows.
    pub(super) fn sort(&mut self, mut order: impl FnMut(&Row, &Row) -> std::cmp::Ordering) {
        let rows: Vec<Row> = self.rows().collect();
        let mut numbers: Vec<usize> = (0..self.len).collect();
        numbers.sort_by(|a, b| order(&rows[*a], &rows[*b]));
        let mut sorted = Table::new(self.arity);
        for number in numbers {
            sorted.insert_words(self.words_of(number));
        }
        *self = sorted;
    }

    /// Drops the indexes, which are not needed after evaluation.
    pub(super) fn freeze(&mut self) {
        self.indexes = Vec::new();
        self.words.shrink_to_fit();
    }
}

/// A value as a word. Integers have 60 bits, so the lowest bit can mark constants.
fn packed(value: Value) -> i64 {
    match value {
        Value::Integer(n) => n << 1,
        Value::Constant(id) => i64::from(id.0) << 1 | 1,
    }
}

fn unpacked(word: i64) -> Value {
    match word & 1 {
        0 => Value::Integer(word >> 1),
        _ => Value::Constant(ConstantId((word >> 1) as u32)),
    }
}
