//! Finds the rows of a static relation's table by the values of some of its columns.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::datalog::{Row, Table};
use crate::program::{RelationId, Value};

/// Row numbers by the values of the indexed columns.
type Index = FxHashMap<Row, Vec<u32>>;

/// The columns of a relation, as bits.
type Columns = (RelationId, u64);

/// Indexes of tables, made when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    indexes: Mutex<FxHashMap<Columns, Arc<Index>>>,
}

impl Lookup {
    /// The rows that have these values in the columns where one is given.
    pub fn rows(&self, relation: RelationId, table: &Table, given: &[Option<Value>]) -> Vec<u32> {
        let indexed = |column: usize| column < 64 && given[column].is_some();
        let columns = (0..given.len()).filter(|c| indexed(*c)).fold(0u64, |all, c| all | 1 << c);
        if columns == 0 {
            return (0..table.len() as u32).collect();
        }
        let key: Row = given.iter().take(64).filter_map(|v| *v).collect();
        let index = {
            let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
            let made = indexes.entry((relation, columns));
            made.or_insert_with(|| Arc::new(index(table, columns))).clone()
        };
        index.get(&key).cloned().unwrap_or_default()
    }
}

fn index(table: &Table, columns: u64) -> Index {
    let mut index = Index::default();
    for (number, row) in table.rows().enumerate() {
        let key = |(column, value): (usize, &Value)| {
            (column < 64 && columns >> column & 1 == 1).then_some(*value)
        };
        let key: Row = row.iter().enumerate().filter_map(key).collect();
        index.entry(key).or_default().push(number as u32);
    }
    index
}
