//! Recursive derived relations as least fixpoints.
//!
//! Each call, identified by the given values, has a table of answers that starts empty. Calls of
//! the same component that are met during evaluation get tables of their own. All are evaluated
//! repeatedly until none grows (naive iteration); the result does not depend on the order. It is
//! kept as long as the state is the same.

use std::ops::ControlFlow;
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::datalog::Row;
use crate::diagnostic::Diagnostic;
use crate::goals::Evaluator as _;
use crate::program::{RelationId, Value};

use super::calls::Take;
use super::run::{Flow, Run};
use crate::goals::Environment;

/// A relation and the values that a call gives.
type Pattern = (RelationId, Vec<Option<Value>>);
type Rows = IndexSet<Row, FxBuildHasher>;

/// The most values of a call for which it is tried whether a call without them is known.
const MOST_DROPPED: usize = 4;

/// The calls of one component that are being evaluated together.
#[derive(Debug)]
pub(crate) struct Fixpoint {
    component: usize,
    version: u64,
    tables: IndexMap<Pattern, Rows, FxBuildHasher>,
    grown: bool,
}

/// Finished tables, for the current state and for those to which backtracking may return.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Versions ascend.
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    version: u64,
    tables: FxHashMap<Pattern, Rc<Rows>>,
}

impl Known {
    /// The table of a call, or that of a more general call, which has all its answers. With `exact`
    /// only the former, because the answers depend on the given values.
    fn get(&self, version: u64, pattern: &Pattern, exact: bool) -> Option<Rc<Rows>> {
        let layer = self.layers.last().filter(|layer| layer.version == version)?;
        if exact {
            return layer.tables.get(pattern).cloned();
        }
        let (relation, given) = pattern;
        let bound: Vec<usize> = (0..given.len()).filter(|i| given[*i].is_some()).collect();
        let dropped = 0u32..1 << bound.len().min(MOST_DROPPED);
        dropped.into_iter().find_map(|dropped| {
            let mut less = given.clone();
            for (bit, at) in bound.iter().take(MOST_DROPPED).enumerate() {
                if dropped >> bit & 1 == 1 {
                    less[*at] = None;
                }
            }
            layer.tables.get(&(*relation, less)).cloned()
        })
    }

    fn insert(&mut self, version: u64, pattern: Pattern, rows: Rows) {
        if self.layers.last().is_none_or(|layer| layer.version != version) {
            self.layers.push(Layer { version, tables: FxHashMap::default() });
        }
        if let Some(layer) = self.layers.last_mut() {
            layer.tables.insert(pattern, Rc::new(rows));
        }
    }

    /// Drops the tables of later versions than this one, which never return.
    pub fn back_to(&mut self, version: u64) -> usize {
        let mut dropped = 0;
        while let Some(layer) = self.layers.pop_if(|layer| layer.version > version) {
            dropped += layer.tables.values().map(|rows| rows.len() + 1).sum::<usize>();
        }
        dropped
    }
}

impl<'r> Run<'r> {
    pub(crate) fn tabled_rows(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let pattern: Pattern = (relation, given.to_vec());
        let exact = self.reference.program.relation(relation).chooses;
        if let Some(rows) = self.known.get(self.version, &pattern, exact) {
            return self.hand_out(&rows, given, caller, take);
        }
        let component = self.reference.component(relation);
        let version = self.version;
        let at_work =
            self.fixpoints.iter().position(|f| f.component == component && f.version == version);
        if let Some(at) = at_work {
            return self.read_growing(at, pattern, caller, take);
        }
        self.work_out(component, pattern.clone(), caller)?;
        let rows = self.known.get(version, &pattern, exact).unwrap_or_default();
        self.hand_out(&rows, given, caller, take)
    }

    fn hand_out(
        &mut self,
        rows: &Rows,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        if let Some(row) = given.iter().copied().collect::<Option<Row>>() {
            return if rows.contains(&row) { take(self, &row) } else { ControlFlow::Continue(()) };
        }
        for row in rows {
            self.spend(1, caller)?;
            if given.iter().zip(row).all(|(given, value)| given.is_none_or(|v| v == *value)) {
                take(self, row)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Reads a table that is being evaluated, answers that are found meanwhile included. A new
    /// table is empty until it is evaluated.
    fn read_growing(
        &mut self,
        at: usize,
        pattern: Pattern,
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let table = match self.fixpoints[at].tables.get_index_of(&pattern) {
            Some(table) => table,
            None => {
                self.keep(caller)?;
                self.fixpoints[at].grown = true;
                self.fixpoints[at].tables.insert_full(pattern, Rows::default()).0
            }
        };
        let mut number = 0;
        while let Some(row) = self.fixpoints[at].tables[table].get_index(number).cloned() {
            self.spend(1, caller)?;
            take(self, &row)?;
            number += 1;
        }
        ControlFlow::Continue(())
    }

    fn work_out(&mut self, component: usize, pattern: Pattern, caller: &Environment) -> Flow {
        self.keep(caller)?;
        let at = self.fixpoints.len();
        let version = self.version;
        let mut tables = IndexMap::default();
        tables.insert(pattern, Rows::default());
        self.fixpoints.push(Fixpoint { component, version, tables, grown: true });
        while self.fixpoints[at].grown {
            self.fixpoints[at].grown = false;
            let mut table = 0;
            while table < self.fixpoints[at].tables.len() {
                self.grow(at, table, caller)?;
                table += 1;
            }
            // answers travel against the direction of the calls: in reverse order fewer rounds are
            // needed
            for table in (0..self.fixpoints[at].tables.len()).rev() {
                self.grow(at, table, caller)?;
            }
        }
        if let Some(fixpoint) = self.fixpoints.pop() {
            for (pattern, mut rows) in fixpoint.tables {
                rows.sort_by(|a, b| self.values.compare_rows(a, b));
                self.known.insert(version, pattern, rows);
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs the clauses for one table once.
    fn grow(&mut self, at: usize, table: usize, caller: &Environment) -> Flow {
        let Some((pattern, _)) = self.fixpoints[at].tables.get_index(table) else {
            return ControlFlow::Continue(());
        };
        let (relation, given) = pattern.clone();
        let program = self.program;
        for id in &program.relation(relation).clauses {
            self.clause(*id, &given, caller, &mut |run, row| {
                if run.fixpoints[at].tables[table].insert(row.clone()) {
                    run.fixpoints[at].grown = true;
                    run.keep(&Environment::new(Some(*id), 0, 0))?;
                }
                ControlFlow::Continue(())
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Counts a stored answer or table; stops where there are too many.
    pub(crate) fn keep(&mut self, env: &Environment) -> Flow {
        self.kept += 1;
        self.room(self.kept, env)
    }

    /// Stops where this number of answers exceeds the limit.
    pub(crate) fn room(&self, answers: usize, env: &Environment) -> Flow {
        if answers > self.budget.answers {
            let fault = Diagnostic::error("play-budget", "there are too many answers to keep")
                .hint("bound what grows: a number, a list or a compound");
            return ControlFlow::Break(self.fault(fault, env));
        }
        ControlFlow::Continue(())
    }

    /// Returns to an earlier version of the state.
    pub(crate) fn return_to(&mut self, version: u64) {
        self.version = version;
        self.kept = self.kept.saturating_sub(self.known.back_to(version));
    }
}
