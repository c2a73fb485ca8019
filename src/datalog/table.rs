//! The answers of one relation: distinct rows in order of discovery, with indexes made on demand.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::program::Value;

/// One answer.
pub type Row = SmallVec<[Value; 4]>;

/// Distinct rows of one arity.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: IndexSet<Row, FxBuildHasher>,
    indexes: Vec<Index>,
}

/// Rows by the values of some columns. Covers the first `covered` rows and is extended when asked.
#[derive(Debug, Clone)]
struct Index {
    columns: SmallVec<[usize; 4]>,
    covered: usize,
    map: FxHashMap<Row, Vec<u32>>,
}

impl Table {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row; false when it was there.
    pub fn insert(&mut self, row: Row) -> bool {
        self.rows.insert(row)
    }

    pub fn contains(&self, row: &Row) -> bool {
        self.rows.contains(row)
    }

    pub fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// All rows in order of discovery.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.rows.iter()
    }

    /// The values of one column, each once, in order of discovery.
    pub fn column(&self, column: usize) -> Vec<Value> {
        let values: IndexSet<Value, FxBuildHasher> = self.rows.iter().map(|r| r[column]).collect();
        values.into_iter().collect()
    }

    /// Numbers of the rows that have `key` in `columns` (ascending), in order of discovery.
    pub(super) fn matching(&mut self, columns: &[usize], key: &Row) -> Vec<u32> {
        let at = match self.indexes.iter().position(|i| i.columns.as_slice() == columns) {
            Some(at) => at,
            None => {
                let columns = SmallVec::from_slice(columns);
                self.indexes.push(Index { columns, covered: 0, map: FxHashMap::default() });
                self.indexes.len() - 1
            }
        };
        let index = &mut self.indexes[at];
        for number in index.covered..self.rows.len() {
            let row = &self.rows[number];
            let key: Row = index.columns.iter().map(|c| row[*c]).collect();
            index.map.entry(key).or_default().push(number as u32);
        }
        index.covered = self.rows.len();
        index.map.get(key).cloned().unwrap_or_default()
    }

    /// Puts the rows into an order.
    pub(super) fn sort(&mut self, mut order: impl FnMut(&Row, &Row) -> std::cmp::Ordering) {
        self.rows.sort_by(|a, b| order(a, b));
        self.indexes = Vec::new();
    }

    /// Drops the indexes once evaluation is over.
    pub(super) fn freeze(&mut self) {
        self.indexes = Vec::new();
    }
}
