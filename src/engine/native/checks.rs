//! The checking mode: a call before each access to memory, which ends the process where the access
//! is outside its object.
//!
//! The object of an access is determined without the ranges of numbers on which the code itself
//! relies: a table has the size recorded by [`Tables`](super::tables::Tables), the state that of
//! the plan, and the areas that the machine provides are described by the [`Context`].

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, SigRef, Value, types};
use rustc_hash::FxHashMap;

use super::context::Context;
use super::function::{Function, Region};

/// The first address that an access may touch, and the end of the memory.
#[derive(Debug, Clone, Copy)]
enum Limits {
    Room(Value, usize),
    Between(Value, Value),
}

/// The state of the checking mode for the function being compiled.
#[derive(Default)]
pub(super) struct Checks {
    pub on: bool,
    limits: FxHashMap<Value, Limits>,
    /// Static tables by an address inside.
    tables: FxHashMap<Value, i64>,
    signature: Option<SigRef>,
}

impl Checks {
    pub fn new(on: bool) -> Checks {
        Checks { on, ..Checks::default() }
    }

    /// Records that an address lies in a region of `bytes` bytes that begins at `first`.
    pub fn room(&mut self, address: Value, first: Value, bytes: usize) {
        if self.on {
            self.limits.insert(address, Limits::Room(first, bytes));
        }
    }

    /// An address between two others.
    pub fn between(&mut self, address: Value, first: Value, end: Value) {
        self.limits.insert(address, Limits::Between(first, end));
    }

    /// An address in a static table.
    pub fn table(&mut self, address: Value, memory: i64) {
        if self.on {
            self.tables.insert(address, memory);
        }
    }
}

impl Function<'_, '_, '_> {
    /// Checks an access of `bytes` bytes.
    pub fn check(&mut self, region: Region, address: Value, offset: usize, bytes: i64) {
        if !self.checks.on {
            return;
        }
        let known = self.checks.limits.get(&address).copied();
        let limits = match region {
            Region::State => Limits::Room(self.state, (self.plan.opening.len() + 2) * 8),
            Region::Before => {
                self.room_at(offset_of!(Context, before), (self.plan.opening.len() + 2) * 8)
            }
            Region::Context => Limits::Room(self.context, Context::SHARED),
            Region::Changed => self.room_at(offset_of!(Context, changed), self.w * 8),
            Region::Trail => self.room_at(offset_of!(Context, trail), Context::TRAIL_ROOM * 16),
            Region::Lists => self.room_at(offset_of!(Context, lists), Context::LIST_ROOM * 16),
            Region::Numbers => {
                let first = self.word_of_context(offset_of!(Context, numbers));
                Limits::Between(first, self.word_of_context(offset_of!(Context, numbers_end)))
            }
            Region::Frames => {
                let here = self.b.ins().get_stack_pointer(types::I64);
                Limits::Between(here, self.word_of_context(offset_of!(Context, entry)))
            }
            Region::Moves | Region::Answers => known.expect("limits of an address"),
        };
        let (first, end) = match limits {
            Limits::Room(first, bytes) => (first, self.plus(first, bytes as i64)),
            Limits::Between(first, end) => (first, end),
        };
        self.call_check(&format!("{region:?}"), address, offset, bytes, (first, end));
    }

    /// Checks that a word is in the static table for which its address was computed.
    pub fn check_table(&mut self, address: Value, offset: usize) {
        if !self.checks.on {
            return;
        }
        let memory = *self.checks.tables.get(&address).expect("the table of an address");
        let end = memory + self.module.tables.bytes(memory) as i64;
        let limits = (self.c(memory), self.c(end));
        self.call_check("Table", address, offset, 8, limits);
    }

    /// The candidates' segments that this function writes from `segment` on.
    pub fn check_segment(&mut self, segment: Value, end: Value) {
        if self.checks.on {
            let first = self.word_of_context(offset_of!(Context, segments));
            self.checks.between(segment, first, end);
        }
    }

    /// The candidates' registers that this function writes from `into` on.
    pub fn check_kept(&mut self, into: Value, memory: Value) {
        if self.checks.on {
            let end = self.word_of_context(offset_of!(Context, kept_end));
            self.checks.between(into, memory, end);
        }
    }

    fn word_of_context(&mut self, offset: usize) -> Value {
        self.load_unchecked(Region::Context, self.context, offset)
    }

    fn room_at(&mut self, pointer: usize, bytes: usize) -> Limits {
        Limits::Room(self.word_of_context(pointer), bytes)
    }

    fn call_check(
        &mut self,
        region: &str,
        address: Value,
        offset: usize,
        bytes: i64,
        (first, end): (Value, Value),
    ) {
        let op = self.module.at.map(|id| self.plan.blocks.op(id));
        let site = format!("{:?}: {op:?}: {region}", self.kind);
        let site = self.module.tables.site(site);
        let signature = match self.checks.signature {
            Some(signature) => signature,
            None => {
                let signature = self.module.signature(5);
                self.b.import_signature(signature)
            }
        };
        self.checks.signature = Some(signature);
        let address = self.plus(address, offset as i64);
        let (bytes, site) = (self.c(bytes), self.c(site));
        let helper = self.c(self.module.helpers.check as i64);
        let arguments = [address, bytes, first, end, site];
        self.b.ins().call_indirect(signature, helper, &arguments);
    }
}

/// Whether an access leaves the memory between two addresses.
pub(super) fn leaves(address: u64, bytes: u64, first: u64, end: u64) -> bool {
    address < first || address.checked_add(bytes).is_none_or(|behind| behind > end)
}

/// Ends the process, since memory may have been damaged.
pub(super) fn violated(what: &str) -> ! {
    eprintln!("machine code is not memory-safe: {what}");
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::leaves;

    #[test]
    fn accesses_stay_within() {
        assert!(!leaves(8, 8, 8, 24));
        assert!(!leaves(16, 8, 8, 24));
        assert!(leaves(0, 8, 8, 24));
        assert!(leaves(17, 8, 8, 24));
        assert!(leaves(u64::MAX, 8, 8, 24));
        assert!(leaves(8, 8, 8, 8));
    }
}
