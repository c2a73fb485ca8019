//! Recursive relations as least fixpoints.
//!
//! Each call of a recursive relation, identified by its inputs, has a table of answers. The tables
//! of one component of mutually recursive procedures are filled together: a table is evaluated
//! again when a table that it has read has grown. Its clauses then run once for each call of the
//! component, which reads the new answers alone, while the other calls read all (semi-naive
//! evaluation, see Abiteboul, Hull and Vianu, "Foundations of Databases", 1995, chapter 13). A
//! component that another one calls is finished first. Finished tables are kept as long as the
//! position and its state are the same.

use std::ptr;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::plan::{Op, OpId, Recursion, Rerun};

use super::machine::{Machine, Tuple};

#[derive(Debug, Default)]
pub(super) struct Tabling {
    /// By procedure and inputs.
    tables: IndexMap<(u32, Tuple), Table, FxBuildHasher>,
    /// The components that are being evaluated, the innermost last.
    fixpoints: Vec<Fixpoint>,
    /// How many answers of a table have been read, by the reading table, the call in its clauses,
    /// and the table read.
    read: FxHashMap<(usize, OpId, usize), Read>,
    runs: u64,
    /// The state that the tables belong to, the version of the position, and the player who makes the move.
    state: Vec<u64>,
    version: u64,
    mover: usize,
}

#[derive(Debug, Default)]
struct Table {
    answers: IndexSet<Tuple, FxBuildHasher>,
    /// The tables that have read this one.
    readers: Vec<usize>,
    waits: bool,
    begun: bool,
    finished: bool,
}

/// How many answers were read before a run of the clauses of a table, and during it.
#[derive(Debug, Default)]
struct Read {
    before: usize,
    now: usize,
    run: u64,
}

#[derive(Debug)]
struct Fixpoint {
    component: u32,
    /// The table that is being evaluated, and the call in its clauses that reads new answers only.
    current: usize,
    fresh: Option<OpId>,
    /// The number of the run of its clauses. Other components may be evaluated within it.
    run: u64,
    /// The tables to evaluate, the last first, so that answers travel against the direction of the
    /// calls.
    waiting: Vec<usize>,
    members: Vec<usize>,
}

impl Tabling {
    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub(super) fn clear(&mut self) {
        if !self.is_empty() {
            self.tables.clear();
            self.fixpoints.clear();
            self.read.clear();
        }
    }

    /// The tables belong to a position that has another version now.
    pub(super) fn renumber(&mut self, before: u64, now: u64) {
        if self.version == before {
            self.version = now;
        }
    }

    /// Schedules a table to be evaluated again.
    fn wake(&mut self, table: usize) {
        if !std::mem::replace(&mut self.tables[table].waits, true)
            && let Some(fixpoint) = self.fixpoints.last_mut()
        {
            fixpoint.waiting.push(table);
        }
    }
}

impl<const W: usize> Machine<'_, W> {
    /// The answers of a recursive relation, or those found so far where it is being evaluated.
    pub(super) fn tabled(
        &mut self,
        number: u32,
        given: &Tuple,
        component: u32,
        asks: Option<&Op>,
    ) -> Option<Vec<Tuple>> {
        if self.stacks.tabling.fixpoints.is_empty() {
            self.renew();
        }
        let reader = match self.stacks.tabling.fixpoints.last() {
            Some(fixpoint) if fixpoint.component == component => {
                let is = |id: &OpId| asks.is_some_and(|op| ptr::eq(op, self.plan.blocks.op(*id)));
                Some((fixpoint.current, fixpoint.fresh.filter(is), fixpoint.run))
            }
            _ => None,
        };
        let key = (number, given.clone());
        let table = match self.stacks.tabling.tables.get_index_of(&key) {
            Some(table) => table,
            None => {
                // a table takes more memory than an answer
                if self.spend_many(32) {
                    return None;
                }
                let (table, _) = self.stacks.tabling.tables.insert_full(key, Table::default());
                if reader.is_none() {
                    self.stacks.tabling.fixpoints.push(Fixpoint {
                        component,
                        current: table,
                        fresh: None,
                        run: 0,
                        waiting: Vec::new(),
                        members: Vec::new(),
                    });
                }
                if let Some(fixpoint) = self.stacks.tabling.fixpoints.last_mut() {
                    fixpoint.members.push(table);
                }
                self.stacks.tabling.wake(table);
                if reader.is_none() && self.work_out().is_none() {
                    // what a rule error has left unfinished must not answer the next question
                    self.stacks.tabling.clear();
                    return None;
                }
                table
            }
        };
        let known = &mut self.stacks.tabling.tables[table];
        let mut from = 0;
        if let Some((reader, fresh, run)) = reader
            && !known.finished
        {
            if !known.readers.contains(&reader) {
                known.readers.push(reader);
            }
            if let Some(call) = fresh {
                let read = self.stacks.tabling.read.entry((reader, call, table)).or_default();
                if read.run != run {
                    *read = Read { before: read.now, now: known.answers.len(), run };
                }
                from = read.before;
            }
        }
        let answers: Vec<Tuple> = known.answers.iter().skip(from).cloned().collect();
        if self.spend_many(answers.len() as u64 / 8) { None } else { Some(answers) }
    }

    /// Drops the tables of another state.
    fn renew(&mut self) {
        let words = self.plan.layout.len;
        let same = self.stacks.tabling.version == self.now.version
            && self.stacks.tabling.mover == self.making.mover
            && self.stacks.tabling.state.as_slice() == &self.now.state[..words];
        if !same {
            self.stacks.tabling.clear();
            self.stacks.tabling.version = self.now.version;
            self.stacks.tabling.mover = self.making.mover;
            self.stacks.tabling.state.clear();
            self.stacks.tabling.state.extend_from_slice(&self.now.state[..words]);
        }
    }

    /// Evaluates the tables of the innermost component. `None` on a fault.
    fn work_out(&mut self) -> Option<()> {
        loop {
            let fixpoint = self.stacks.tabling.fixpoints.last_mut()?;
            let Some(table) = fixpoint.waiting.pop() else { break };
            fixpoint.current = table;
            self.stacks.tabling.tables[table].waits = false;
            self.grow(table)?;
        }
        let tabling = &mut self.stacks.tabling;
        for table in tabling.fixpoints.pop()?.members {
            let Some(((procedure, _), table)) = tabling.tables.get_index_mut(table) else {
                continue;
            };
            // In which order answers of several tables are found depends on the table asked first.
            if !self.facts.closures[*procedure as usize] {
                table.answers.sort_unstable();
            }
            table.finished = true;
        }
        Some(())
    }

    /// Runs the clauses for one table once.
    fn grow(&mut self, table: usize) -> Option<()> {
        let ((number, inputs), own) = self.stacks.tabling.tables.get_index_mut(table)?;
        let procedure = &self.plan.procedures[*number as usize];
        let inputs = inputs.clone();
        let Recursion::Tabled { reruns, .. } = &procedure.recursion else { return Some(()) };
        let again = std::mem::replace(&mut own.begun, true);
        let tabling = &mut self.stacks.tabling;
        tabling.runs += 1;
        if let Some(fixpoint) = tabling.fixpoints.last_mut() {
            fixpoint.run = tabling.runs;
        }
        let mut runs: Vec<(usize, Option<OpId>)> = Vec::new();
        for (clause, rerun) in reruns.iter().enumerate() {
            match rerun {
                Rerun::NewAnswers(calls) => {
                    // all answers are new in the first run
                    let calls = if again { calls } else { &calls[..1] };
                    runs.extend(calls.iter().map(|call| (clause, Some(*call))));
                }
                Rerun::Never if again => {}
                Rerun::Never | Rerun::AllAnswers => runs.push((clause, None)),
            }
        }
        let found = self.evaluate(procedure, &inputs, runs.into_iter(), |machine, fresh| {
            if let Some(fixpoint) = machine.stacks.tabling.fixpoints.last_mut() {
                fixpoint.fresh = fresh;
            }
        })?;
        if self.spend_many(2 * found.len() as u64) {
            return None;
        }
        let own = &mut self.stacks.tabling.tables[table];
        let before = own.answers.len();
        own.answers.extend(found);
        if own.answers.len() > before {
            let readers = own.readers.clone();
            readers.into_iter().for_each(|reader| self.stacks.tabling.wake(reader));
        }
        Some(())
    }
}
