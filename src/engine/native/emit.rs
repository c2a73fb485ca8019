//! What functions are made of: numbers, jumps, memory and calls.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_module::{FuncId, Module};

use crate::plan::{Operand, Reg};

use super::context::Context;
use super::function::{Env, FRAME, Function, Number, Region};

impl Function<'_, '_, '_> {
    pub fn c(&mut self, n: i64) -> Value {
        self.b.ins().iconst(types::I64, n)
    }

    pub fn exactly(&mut self, n: i64) -> Number {
        Number { value: self.c(n), lo: n, hi: n }
    }

    pub fn number(&mut self, x: Operand, env: &Env) -> Number {
        match x {
            Operand::Const(code) => self.exactly(code),
            Operand::Reg(reg) => {
                let at = env.registers + reg as usize;
                match env.known.get(at).copied().flatten() {
                    Some((lo, hi)) if lo == hi => self.exactly(lo),
                    known => {
                        let (lo, hi) = known.unwrap_or((i64::MIN, i64::MAX));
                        Number { value: self.b.use_var(self.registers[at]), lo, hi }
                    }
                }
            }
        }
    }

    pub fn put(&mut self, reg: Reg, number: Number, env: &mut Env) {
        let at = env.registers + reg as usize;
        self.b.def_var(self.registers[at], number.value);
        if env.known.len() <= at {
            env.known.resize(at + 1, None);
        }
        let known = number.lo != i64::MIN || number.hi != i64::MAX;
        env.known[at] = known.then_some((number.lo, number.hi));
    }

    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().iadd(a, b)
    }

    pub fn plus(&mut self, a: Value, n: i64) -> Value {
        if n == 0 {
            return a;
        }
        let n = self.c(n);
        self.b.ins().iadd(a, n)
    }

    pub fn times(&mut self, a: Value, n: i64) -> Value {
        match n {
            1 => a,
            n if n > 0 && n & (n - 1) == 0 => {
                let shift = self.c(i64::from(n.trailing_zeros()));
                self.b.ins().ishl(a, shift)
            }
            _ => {
                let n = self.c(n);
                self.b.ins().imul(a, n)
            }
        }
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().band(a, b)
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    pub fn and_not(&mut self, a: Value, b: Value) -> Value {
        let b = self.b.ins().bnot(b);
        self.b.ins().band(a, b)
    }

    pub fn shift_left(&mut self, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().ishl(a, n)
    }

    pub fn shift_right(&mut self, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().ushr(a, n)
    }

    pub fn compare(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.b.ins().icmp(cc, a, b)
    }

    pub fn compare_with(&mut self, cc: IntCC, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().icmp(cc, a, n)
    }

    // flow

    pub fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    pub fn fork(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.b.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Continues where the condition holds.
    pub fn require(&mut self, condition: Value, fail: Block) {
        let next = self.b.create_block();
        self.fork(condition, next, fail);
        self.b.switch_to_block(next);
    }

    /// Continues where the condition does not hold.
    pub fn refuse(&mut self, condition: Value, fail: Block) {
        let next = self.b.create_block();
        self.fork(condition, fail, next);
        self.b.switch_to_block(next);
    }

    /// Continues where the condition holds or, where `negate`, does not hold.
    pub fn test(&mut self, condition: Value, negate: bool, fail: Block) {
        if negate { self.refuse(condition, fail) } else { self.require(condition, fail) }
    }

    /// Continues after a search with an answer, or without.
    pub fn go_on(&mut self, found: Block, none: Block, negate: bool, fail: Block) {
        let (next, other) = if negate { (none, found) } else { (found, none) };
        self.b.switch_to_block(other);
        self.jump(fail);
        self.b.switch_to_block(next);
    }

    /// Leaves the work to the interpreter where the condition holds.
    pub fn bail_if(&mut self, condition: Value) {
        self.module.may_bail = true;
        let left = self.exits.bail;
        self.refuse(condition, left);
    }

    /// Returns to the caller, with the count of steps.
    pub fn give_back(&mut self, status: Value) {
        self.tell_steps();
        self.b.ins().return_(&[status]);
    }

    /// Stores the count of steps for callees and callers.
    pub fn tell_steps(&mut self) {
        // most functions have no loops
        if self.stepped {
            let left = self.b.use_var(self.steps);
            self.write_context(offset_of!(Context, steps), left);
        }
    }

    /// Loads the count of steps after a call.
    pub fn take_steps(&mut self) {
        let left = self.read_context(offset_of!(Context, steps));
        self.b.def_var(self.steps, left);
    }

    /// Counts a step of a loop.
    pub fn step(&mut self) {
        self.stepped = true;
        let steps = self.b.use_var(self.steps);
        let rest = self.plus(steps, -1);
        self.b.def_var(self.steps, rest);
        let none = self.compare_with(IntCC::SignedLessThanOrEqual, rest, 0);
        self.bail_if(none);
    }

    // memory

    pub fn flags(&self, region: Region) -> MemFlagsData {
        MemFlagsData::trusted().with_alias_region(Some(self.regions[region as usize]))
    }

    /// The flags of a read from a static table. It must not be moved before the tests in front of
    /// it, which exclude addresses outside the table.
    pub fn table_flags() -> MemFlagsData {
        MemFlagsData::trusted().with_readonly()
    }

    pub fn load(&mut self, region: Region, address: Value, offset: usize) -> Value {
        self.check(region, address, offset, 8);
        self.load_unchecked(region, address, offset)
    }

    pub fn load_unchecked(&mut self, region: Region, address: Value, offset: usize) -> Value {
        let flags = self.flags(region);
        self.b.ins().load(types::I64, flags, address, offset as i32)
    }

    pub fn store(&mut self, region: Region, value: Value, address: Value, offset: usize) {
        self.check(region, address, offset, 8);
        let flags = self.flags(region);
        self.b.ins().store(flags, value, address, offset as i32);
    }

    /// Reads a cell of 8, 16 or 32 bits.
    pub fn load_narrow(&mut self, shift: u32, address: Value, offset: usize) -> Value {
        self.check(Region::State, address, offset, 1 << (shift - 3));
        let flags = self.flags(Region::State);
        match shift {
            3 => self.b.ins().uload8(types::I64, flags, address, offset as i32),
            4 => self.b.ins().uload16(types::I64, flags, address, offset as i32),
            _ => self.b.ins().uload32(flags, address, offset as i32),
        }
    }

    pub fn store_narrow(&mut self, shift: u32, value: Value, address: Value, offset: usize) {
        self.check(Region::State, address, offset, 1 << (shift - 3));
        let flags = self.flags(Region::State);
        match shift {
            3 => self.b.ins().istore8(flags, value, address, offset as i32),
            4 => self.b.ins().istore16(flags, value, address, offset as i32),
            _ => self.b.ins().istore32(flags, value, address, offset as i32),
        };
    }

    /// Reads a word of a static table, at an offset from an address of [`Function::row_address`].
    pub fn load_table(&mut self, address: Value, offset: usize) -> Value {
        self.check_table(address, offset);
        self.b.ins().load(types::I64, Self::table_flags(), address, offset as i32)
    }

    pub fn read_context(&mut self, offset: usize) -> Value {
        self.load(Region::Context, self.context, offset)
    }

    pub fn write_context(&mut self, offset: usize, value: Value) {
        self.store(Region::Context, value, self.context, offset);
    }

    pub fn slot(&mut self, words: usize) -> StackSlot {
        let bytes = words.max(1) * 8;
        self.slots += bytes;
        // a function with larger slots is abandoned
        let size = bytes.min(FRAME) as u32;
        self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3))
    }

    pub fn slot_address(&mut self, slot: StackSlot) -> Value {
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    // calls

    pub fn call(&mut self, function: FuncId, arguments: &[Value]) -> Value {
        let function = self.module.jit.declare_func_in_func(function, self.b.func);
        self.calls = true;
        self.tell_steps();
        let call = self.b.ins().call(function, arguments);
        self.take_steps();
        self.b.inst_results(call)[0]
    }

    pub fn call_address(&mut self, address: Value, arguments: &[Value]) -> Value {
        let signature = self.module.signature(arguments.len());
        let signature = self.b.import_signature(signature);
        let call = self.b.ins().call_indirect(signature, address, arguments);
        self.b.inst_results(call)[0]
    }

    pub fn call_helper(&mut self, helper: usize, arguments: &[Value]) -> Value {
        let address = self.c(helper as i64);
        self.call_address(address, arguments)
    }

    pub fn address_of(&mut self, function: FuncId) -> Value {
        let function = self.module.jit.declare_func_in_func(function, self.b.func);
        self.b.ins().func_addr(types::I64, function)
    }
}
