//! The answers of one relation: distinct rows in order of discovery, with indexes made on demand.
//!
//! Rows are stored one after the other, one word per value, so a relation of a million answers takes
//! some ten megabytes. Row numbers are looked up in a hash table with open addressing.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::goals::Row;
use crate::program::{ConstantId, Value};

/// Numbers of rows, of which there are most often few.
pub(super) type Numbers = SmallVec<[u32; 8]>;

/// A row as it is stored.
type Words = SmallVec<[i64; 4]>;

/// A set of values is a row of bits where it takes no more words than this, or than there are rows.
const FEW_WORDS: u64 = 1024;

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
    /// The values of each column, each once, where they have been asked for since the last row was added.
    different: OnceLock<Vec<Vec<Value>>>,
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
        self.insert_words(&packed_all(row))
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
        self.different.take();
        self.places[place] = self.len as u32;
        self.words.extend_from_slice(words);
        self.len += 1;
        true
    }

    /// Whether there is such a row.
    pub fn contains(&self, row: &[Value]) -> bool {
        self.contains_words(&packed_all(row))
    }

    /// The same for a row as it is stored.
    pub(super) fn contains_words(&self, words: &[i64]) -> bool {
        !self.is_empty() && self.places[self.place(words)] != FREE
    }

    /// The place of a row's number in the hash table, or the free place where it belongs.
    #[inline]
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
    #[inline]
    pub(super) fn words_of(&self, number: usize) -> &[i64] {
        &self.words[number * self.arity..(number + 1) * self.arity]
    }

    /// The row with this number, counted from 0.
    pub fn row(&self, number: usize) -> Row {
        let mut row = Row::new();
        self.words_of(number).iter().for_each(|word| row.push(unpacked(*word)));
        row
    }

    /// The value of one column in the row with this number.
    #[inline]
    pub(super) fn at(&self, number: usize, column: usize) -> Value {
        unpacked(self.words[number * self.arity + column])
    }

    /// All rows in order of discovery.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row> {
        (0..self.len).map(|number| self.row(number))
    }

    /// The values of one column, each once, in order of discovery.
    pub fn column(&self, column: usize) -> Vec<Value> {
        let all = self
            .different
            .get_or_init(|| (0..self.arity).map(|column| self.different_in(column)).collect());
        all[column].clone()
    }

    fn different_in(&self, column: usize) -> Vec<Value> {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        let rows = || self.words.chunks_exact(self.arity);
        for row in rows() {
            (least, most) = (least.min(row[column]), most.max(row[column]));
        }
        if self.is_empty() {
            return Vec::new();
        }
        let range = most.abs_diff(least) / 64;
        let mut values = Vec::new();
        if range > (self.len as u64).max(FEW_WORDS) {
            let mut met = FxHashSet::default();
            for row in rows() {
                if met.insert(row[column]) {
                    values.push(unpacked(row[column]));
                }
            }
            return values;
        }
        let mut met = vec![0u64; range as usize + 1];
        for row in rows() {
            let bit = row[column].abs_diff(least);
            let (at, bit) = ((bit / 64) as usize, 1 << (bit % 64));
            if met[at] & bit == 0 {
                met[at] |= bit;
                values.push(unpacked(row[column]));
            }
        }
        values
    }

    /// The numbers of the rows within a range of numbers that have `key` in `columns` (ascending), in
    /// order of discovery.
    pub(super) fn matching(
        &mut self,
        columns: &[usize],
        key: &[Value],
        range: Range<usize>,
    ) -> Numbers {
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
            let mut key = Words::new();
            index.columns.iter().for_each(|column| key.push(row[*column]));
            index.map.entry(key).or_default().push(number as u32);
        }
        index.covered = self.len;
        let key = packed_all(key);
        let all = index.map.get(&key).map_or(&[][..], Vec::as_slice);
        let place = |number: usize| all.partition_point(|row| (*row as usize) < number);
        Numbers::from_slice(&all[place(range.start)..place(range.end)])
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
#[inline]
fn packed(value: Value) -> i64 {
    match value {
        Value::Integer(n) => n << 1,
        Value::Constant(id) => i64::from(id.0) << 1 | 1,
    }
}

/// A row as it is stored.
#[inline]
pub(super) fn packed_all(row: &[Value]) -> Words {
    let mut words = Words::new();
    row.iter().for_each(|value| words.push(packed(*value)));
    words
}

#[inline]
fn unpacked(word: i64) -> Value {
    match word & 1 {
        0 => Value::Integer(word >> 1),
        _ => Value::Constant(ConstantId((word >> 1) as u32)),
    }
}
