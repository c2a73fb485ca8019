//! Static relations, functors and list members as rows of bits and indexes, made when first needed.

use std::rc::Rc;

use crate::program::{Constant, RelationId, Value};

use super::super::domains::Abstract;
use super::super::rows::{Codes, Index, Rows, firsts, until};
use super::super::universe::{Code, UniverseId};
use super::Lowering;
use super::goals::{Arg, G, Var};

/// All constants of one functor, the constant first, then its arguments; or a join of other tables.
pub(in crate::plan) struct FunctorTable {
    name: String,
    arity: usize,
    rows: Rc<Coded>,
    pub(super) domain: Abstract,
}

/// Rows of codes, one after the other.
#[derive(Debug, PartialEq)]
pub(super) struct Coded {
    width: usize,
    len: usize,
    codes: Vec<Code>,
}

impl Coded {
    fn of<R: IntoIterator<Item = Code>>(width: usize, rows: impl Iterator<Item = R>) -> Coded {
        let (mut len, mut codes) = (0, Vec::new());
        for row in rows {
            codes.extend(row);
            len += 1;
        }
        Coded { width, len, codes }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Code]> {
        (0..self.len).map(|n| &self.codes[n * self.width..(n + 1) * self.width])
    }
}

/// A table that goals can be answered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TableRef {
    Relation(RelationId),
    Functor(usize),
    /// Lists and their members.
    Members,
}

/// A table, its key columns and its other columns (or the one whose set is wanted).
pub(super) type TableKey = (TableRef, Vec<usize>, Vec<usize>, Option<UniverseId>);

/// A table, the columns that have constants, and the columns whose different rows are counted.
pub(super) type CountKey = (TableRef, Vec<(usize, Code)>, Vec<usize>);

/// The most words of a bit table.
const MAX_ROW_WORDS: usize = 1 << 20;

impl Lowering<'_> {
    pub(super) fn functor_table(&mut self, name: &str, arity: usize) -> usize {
        if let Some(at) = self.made.functors.iter().position(|f| f.name == name && f.arity == arity)
        {
            return at;
        }
        let mut rows = Vec::new();
        let mut universes: Vec<UniverseId> = Vec::new();
        for (id, constant) in self.program.values.iter() {
            if let Constant::Compound(n, args) = constant
                && **n == *name
                && args.len() == arity
            {
                let mut row = vec![self.universes.code(Value::Constant(id))];
                row.extend(args.iter().map(|a| self.universes.code(*a)));
                rows.push(row);
                let universe = self.universes.of(id);
                if let Err(at) = universes.binary_search(&universe) {
                    universes.insert(at, universe);
                }
            }
        }
        let rows = Rc::new(Coded::of(arity + 1, rows.into_iter()));
        let domain = Abstract { universes, ..Abstract::default() };
        self.made.functors.push(FunctorTable { name: name.to_string(), arity, rows, domain });
        self.made.functors.len() - 1
    }

    /// Whether a table is that of the constants of a functor, which are told apart by their arguments.
    pub(super) fn is_constructor(&self, table: usize) -> bool {
        let functor = &self.made.functors[table];
        functor.rows.width == functor.arity + 1
    }

    /// A join of other tables; a table that was made before is reused.
    pub(super) fn joined_table<R: IntoIterator<Item = Code>>(
        &mut self,
        name: &str,
        arity: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> usize {
        let rows = Rc::new(Coded::of(arity, rows.into_iter()));
        let known = |f: &FunctorTable| f.name == name && f.rows == rows;
        if let Some(at) = self.made.functors.iter().position(known) {
            return at;
        }
        let domain = Abstract::default();
        self.made.functors.push(FunctorTable { name: name.to_string(), arity, rows, domain });
        self.made.functors.len() - 1
    }

    /// The goal that a variable has one of these values.
    pub(super) fn one_of(&mut self, var: Var, values: Vec<Code>) -> G {
        let rows = values.into_iter().map(|code| [code]);
        G::Functor(self.joined_table("values", 1, rows), vec![Arg::Var(var)])
    }

    /// The rows of a table as codes. They are cached, because the order of a conjunction is chosen
    /// by examining the tables of all its goals before each goal that is emitted.
    pub(super) fn table_rows(&self, table: TableRef) -> Rc<Coded> {
        if let Some(known) = self.known.tables.borrow().get(&table) {
            return known.clone();
        }
        let rows = self.coded_rows(table);
        self.known.tables.borrow_mut().insert(table, rows.clone());
        rows
    }

    fn coded_rows(&self, table: TableRef) -> Rc<Coded> {
        let code = |value: &Value| self.universes.code(*value);
        Rc::new(match table {
            TableRef::Relation(id) => {
                let rows = until(self.stopped, self.tables.get(id).rows());
                let arity = self.program.relation(id).arity;
                Coded::of(arity, rows.map(|row| row.into_iter().map(|v| code(&v))))
            }
            TableRef::Functor(at) => return self.made.functors[at].rows.clone(),
            TableRef::Members => {
                let lists =
                    self.program.values.iter().filter_map(|(id, constant)| match constant {
                        Constant::List(items) => Some((code(&Value::Constant(id)), items)),
                        _ => None,
                    });
                Coded::of(
                    2,
                    lists.flat_map(|(list, items)| items.iter().map(move |v| [code(v), list])),
                )
            }
        })
    }

    /// The codes of one column in the rows that have these constants.
    pub(super) fn codes_with(
        &self,
        table: TableRef,
        fixed: &[(usize, Code)],
        column: usize,
    ) -> Vec<Code> {
        let rows = self.table_rows(table);
        let rows = until(self.stopped, rows.iter()).filter(|row| fits(row, fixed));
        rows.map(|row| row[column]).collect()
    }

    /// The different rows of the columns `outs` among those that have these constants.
    pub(super) fn projected(
        &self,
        table: TableRef,
        fixed: &[(usize, Code)],
        outs: &[usize],
    ) -> Vec<Codes> {
        let (codes, firsts) = self.firsts_of(table, fixed, outs);
        let row = |n: usize| Codes::from_slice(&codes[n * outs.len()..(n + 1) * outs.len()]);
        firsts.into_iter().map(row).collect()
    }

    /// The columns `outs` of the rows that have these constants, one after the other, and the numbers of those that differ
    /// from all before.
    fn firsts_of(
        &self,
        table: TableRef,
        fixed: &[(usize, Code)],
        outs: &[usize],
    ) -> (Vec<Code>, Vec<usize>) {
        let (mut codes, mut len) = (Vec::new(), 0);
        for row in until(self.stopped, self.table_rows(table).iter()) {
            if fits(row, fixed) {
                outs.iter().for_each(|c| codes.push(row[*c]));
                len += 1;
            }
        }
        let firsts = firsts(outs.len(), len, &codes);
        (codes, firsts)
    }

    /// How many different rows these columns have.
    pub(super) fn count_projected(
        &self,
        table: TableRef,
        fixed: &[(usize, Code)],
        outs: &[usize],
    ) -> usize {
        if self.are_distinct(
            table,
            fixed.iter().map(|(column, _)| *column).chain(outs.iter().copied()),
        ) {
            let all = self.table_rows(table);
            return until(self.stopped, all.iter()).filter(|row| fits(row, fixed)).count();
        }
        self.firsts_of(table, fixed, outs).1.len()
    }

    /// Whether the rows of a table differ in these columns, because they are all that it has.
    fn are_distinct(&self, table: TableRef, columns: impl Iterator<Item = usize> + Clone) -> bool {
        let width = match table {
            TableRef::Relation(id) => self.program.relation(id).arity,
            TableRef::Functor(at) if self.is_constructor(at) => self.made.functors[at].rows.width,
            TableRef::Functor(_) | TableRef::Members => return false,
        };
        (0..width).all(|column| columns.clone().any(|c| c == column))
    }

    pub(super) fn table_name(&self, table: TableRef) -> String {
        match table {
            TableRef::Relation(id) => self.program.relation(id).name.clone(),
            TableRef::Functor(at) => self.made.functors[at].name.clone(),
            TableRef::Members => "member".to_string(),
        }
    }

    /// For each combination of `keys`, the set of values of the column `target`; `None` where it
    /// would be too large.
    pub(super) fn bit_rows(
        &mut self,
        table: TableRef,
        keys: &[usize],
        target: usize,
        universe: UniverseId,
    ) -> Option<u32> {
        let cache = (table, keys.to_vec(), vec![target], Some(universe));
        if let Some(known) = self.known.rows.get(&cache) {
            return *known;
        }
        let table_rows = self.table_rows(table);
        let (name, rows) = (self.table_name(table), until(self.stopped, table_rows.iter()));
        let columns = (keys, target);
        let made = Rows::build(name, &self.universes, columns, universe, rows, MAX_ROW_WORDS);
        let made = made.map(|rows| {
            self.made.rows.push(rows);
            self.made.rows.len() as u32 - 1
        });
        self.known.rows.insert(cache, made);
        made
    }

    /// For each combination of `keys`, the distinct rows of the columns `outs`.
    pub(super) fn index(&mut self, table: TableRef, keys: &[usize], outs: &[usize]) -> u32 {
        let cache = (table, keys.to_vec(), outs.to_vec(), None);
        if let Some(known) = self.known.indexes.get(&cache) {
            return *known;
        }
        let table_rows = self.table_rows(table);
        let rows = until(self.stopped, table_rows.iter());
        let distinct = self.are_distinct(table, keys.iter().chain(outs).copied());
        let index = Index::build(self.table_name(table), (keys, outs), rows, distinct);
        self.made.indexes.push(index);
        let at = self.made.indexes.len() as u32 - 1;
        self.known.indexes.insert(cache, at);
        at
    }
}

fn fits(row: &[Code], fixed: &[(usize, Code)]) -> bool {
    fixed.iter().all(|(column, code)| row[*column] == *code)
}
