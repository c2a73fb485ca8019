//! The tables of static relations, and their rows by the values of some columns.
//!
//! The tables have the rows that the rules ask for. Where a question or an explanation asks for
//! more, the run evaluates these and continues with tables of its own.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::datalog::{Row, Table, Tables};
use crate::program::{Budget, RelationId, Value};

use super::fault::RuleError;
use super::run::{Answer, Run, Stop};

/// Row numbers by the values of the indexed columns.
type Index = FxHashMap<Row, Vec<u32>>;

/// The columns of a relation, as bits.
type Columns = (RelationId, u64);

/// Tables with their indexes, which are made when they are first used.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub tables: Arc<Tables>,
    indexes: Mutex<FxHashMap<Columns, Arc<Index>>>,
}

impl Lookup {
    pub fn new(tables: Arc<Tables>) -> Lookup {
        Lookup { tables, indexes: Mutex::default() }
    }

    /// The rows that have these values in the columns where one is given.
    pub fn rows(&self, relation: RelationId, given: &[Option<Value>]) -> Vec<u32> {
        let table = self.tables.get(relation);
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

impl Run<'_> {
    /// Tables that have all rows of a static relation with these values.
    pub(crate) fn lookup(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
    ) -> Answer<Arc<Lookup>> {
        if !self.lookup.tables.covers(relation, given) {
            let Budget { interrupted, until, .. } = self.budget;
            let budget = Budget { interrupted, until, ..Budget::STATIC };
            let tables = &self.lookup.tables;
            match tables.covering(self.program, &mut self.values, relation, given, budget) {
                Ok(tables) => self.lookup = Arc::new(Lookup::new(Arc::new(tables))),
                Err(mut faults) => {
                    let fault = faults.pop().map_or_else(RuleError::interrupted, RuleError::new);
                    return ControlFlow::Break(Stop::Fault(fault));
                }
            }
        }
        ControlFlow::Continue(Arc::clone(&self.lookup))
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
