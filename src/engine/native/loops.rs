//! Loops over the elements of a set, integers, keys and rows.
//!
//! A loop over constants may be unrolled.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Variable;

use crate::plan::{BlockId, Cells, Code, Index, Op, Operand, Reg};
use crate::program::FluentId;

use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Region, Unsupported};

/// The most rounds of nested loops that are unrolled, and the most instructions of one round.
const ROUNDS: usize = 8;
const BODY: usize = 24;

impl Function<'_, '_, '_> {
    // Control returns to the head of a loop in one of several meeting ways from where they meet. So
    // values from before the loop must be in variables: values of one way are not available in
    // another.

    /// The length of the trail, where updates are undone.
    pub fn mark(&mut self) -> Option<Variable> {
        self.trailing.then(|| {
            let len = self.read_context(offset_of!(Context, trail_len));
            self.variable_of(len)
        })
    }

    pub fn variable_of(&mut self, value: Value) -> Variable {
        let variable = self.new_variable();
        self.b.def_var(variable, value);
        variable
    }

    /// Restores the state at a mark.
    pub fn undo(&mut self, mark: Option<Variable>) {
        let Some(mark) = mark else { return };
        let mark = self.b.use_var(mark);
        let len = self.read_context(offset_of!(Context, trail_len));
        let (put_back, go_on) = (self.b.create_block(), self.b.create_block());
        let same = self.compare(IntCC::Equal, len, mark);
        self.fork(same, go_on, put_back);
        self.b.switch_to_block(put_back);
        let helper = self.module.helpers.undo;
        let context = self.context;
        self.call_helper(helper, &[context, mark]);
        self.jump(go_on);
        self.b.switch_to_block(go_on);
    }

    /// A loop over the elements of a set; the builder is left in its body. Returns the index of an
    /// element and the head of the loop. Elements of the set variables from `orbit` on are skipped
    /// after a round.
    pub fn each(&mut self, words: &[Value], orbit: Option<usize>, fail: Block) -> (Value, Block) {
        if let Some(orbit) = orbit {
            let nothing = self.zero();
            self.put_set(orbit, &nothing);
        }
        let rest: Vec<Variable> = words.iter().map(|_| self.new_variable()).collect();
        for (variable, word) in rest.iter().zip(words) {
            self.b.def_var(*variable, *word);
        }
        let mark = self.mark();
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        if let Some(orbit) = orbit {
            for (i, variable) in rest.iter().enumerate() {
                let left = self.b.use_var(*variable);
                let done = self.b.use_var(self.sets[orbit + i]);
                let others = self.and_not(left, done);
                self.b.def_var(*variable, others);
            }
        }
        let index = self.next_element(&rest, fail);
        self.step();
        (index, header)
    }

    /// The indexes of a constant set.
    pub fn held(&self, mask: u32) -> impl Iterator<Item = usize> + '_ {
        let words = &self.plan.masks[mask as usize * self.w..][..self.w];
        (0..self.w * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1)
    }

    /// Whether a loop over `rounds` constants is unrolled. That pays where the constant determines
    /// the shift of a set.
    pub fn unrolls(&self, body: BlockId, dst: Reg, rounds: usize) -> bool {
        if self.trailing || rounds == 0 || self.copies * rounds > ROUNDS {
            return false;
        }
        let (mut moves, mut plain, mut count) = (false, true, 0);
        self.plan.blocks.each(body, &mut |_, op, _| {
            count += 1;
            let uses = op.uses();
            moves |= uses.reads.contains(&Operand::Reg(dst))
                && matches!(
                    op,
                    Op::GatherCall { .. } | Op::EmitImage { .. } | Op::SegmentImage { .. }
                );
            plain &= !matches!(op, Op::Call { .. } | Op::ForEach { .. } | Op::Once { .. });
        });
        moves && plain && count <= BODY
    }

    /// Compiles the body of a generator once for each of its rows of values.
    pub fn unrolled(
        &mut self,
        rows: &[impl AsRef<[Code]>],
        outs: &[Reg],
        body: BlockId,
        env: &Env,
        fail: Block,
    ) -> Emitted {
        let around = self.copies;
        self.copies *= rows.len();
        for row in rows {
            let next = self.b.create_block();
            let mut env = env.clone();
            for (dst, code) in outs.iter().zip(row.as_ref()) {
                self.give(*dst, *code, &mut env);
            }
            self.step();
            self.block(body, env, next)?;
            self.b.switch_to_block(next);
        }
        self.copies = around;
        self.jump(fail);
        Ok(())
    }

    /// A loop over the numbers from one on that are less than another one; the builder is left in its body. Returns the number and
    /// the head of the loop, which restores the state at the mark; `done` follows the last number.
    pub fn numbers(
        &mut self,
        from: Value,
        to: Variable,
        mark: Option<Variable>,
        done: Block,
    ) -> (Value, Block) {
        let next = self.variable_of(from);
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        let (here, to) = (self.b.use_var(next), self.b.use_var(to));
        let over = self.compare(IntCC::Equal, here, to);
        self.refuse(over, done);
        let after = self.plus(here, 1);
        self.b.def_var(next, after);
        (here, header)
    }

    pub fn integers(&mut self, lo: Number, hi: Number, fail: Block) -> (Value, Block) {
        let (next, last) = (self.variable_of(lo.value), self.variable_of(hi.value));
        let mark = self.mark();
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        let value = self.b.use_var(next);
        let last = self.b.use_var(last);
        let over = self.compare(IntCC::SignedGreaterThan, value, last);
        self.refuse(over, fail);
        let after = self.plus(value, 1);
        self.b.def_var(next, after);
        self.step();
        (value, header)
    }

    /// A loop over the keys for which a map has a value, or that a set contains. Returns its head.
    pub fn keys(
        &mut self,
        fluent: FluentId,
        outs: &[Reg],
        env: &mut Env,
        fail: Block,
    ) -> Emitted<Block> {
        let place = self.plan.layout.place(fluent);
        let Cells::Packed { first, shift } = place.cells else {
            return Err(Unsupported("keys that are not packed"));
        };
        if place.keys.iter().any(|axis| axis.listed.is_some()) {
            return Err(Unsupported("keys that are listed"));
        }
        let zero = self.c(0);
        let at = self.variable_of(zero);
        let held = self.held_cells(zero, first, shift);
        let rest = self.variable_of(held);
        let mark = self.mark();
        let [header, look, take, next, load] = [(); 5].map(|()| self.b.create_block());
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        self.jump(look);
        self.b.switch_to_block(look);
        let word = self.b.use_var(rest);
        self.fork(word, take, next);
        self.b.switch_to_block(next);
        let number = self.b.use_var(at);
        let after = self.plus(number, 1);
        let over = self.compare_with(IntCC::Equal, after, place.cell_words() as i64);
        self.fork(over, fail, load);
        self.b.switch_to_block(load);
        self.b.def_var(at, after);
        let held = self.held_cells(after, first, shift);
        self.b.def_var(rest, held);
        self.jump(look);
        self.b.switch_to_block(take);
        let word = self.b.use_var(rest);
        let bit = self.b.ins().ctz(word);
        let less = self.plus(word, -1);
        let without = self.and(word, less);
        self.b.def_var(rest, without);
        let number = self.b.use_var(at);
        let before = self.shift_left(number, i64::from(6 - shift));
        let inside = self.shift_right(bit, i64::from(shift));
        let mut cell = self.add(before, inside);
        self.step();
        for (i, (axis, out)) in place.keys.iter().zip(outs).enumerate().rev() {
            let mut index = cell;
            if i > 0 {
                cell = self.divided(cell, place.size as u64, axis.len as u64);
                let below = self.times(cell, axis.len as i64);
                index = self.b.ins().isub(index, below);
            }
            let last = axis.base + axis.len as Code - 1;
            let number = Number { value: self.plus(index, axis.base), lo: axis.base, hi: last };
            self.put(*out, number, env);
        }
        Ok(header)
    }

    /// The cells of a word of the state that are not 0, as one bit each.
    fn held_cells(&mut self, word: Value, first: u32, shift: u32) -> Value {
        let bytes = self.times(word, 8);
        let address = self.add(self.state, bytes);
        let mut any = self.load(Region::State, address, first as usize * 8);
        let mut bits = 1 << shift;
        while bits > 1 {
            bits /= 2;
            let moved = self.shift_right(any, bits);
            any = self.or(any, moved);
        }
        let lowest = self.c(Cells::lowest(shift) as i64);
        if shift == 0 { any } else { self.and(any, lowest) }
    }

    /// A number below `size` divided by another.
    fn divided(&mut self, cell: Value, size: u64, by: u64) -> Value {
        // with 2^bits > size * by, and a factor that is more than 2^bits / by by at most 1, the
        // quotient is too large by less than 1 / by
        let bits = 64 - (size * by).leading_zeros();
        let scaled = self.times(cell, ((1u64 << bits) / by + 1) as i64);
        self.shift_right(scaled, i64::from(bits))
    }

    pub fn rows(
        &mut self,
        index: u32,
        keys: &[Operand],
        outs: &[Reg],
        env: &mut Env,
        fail: Block,
    ) -> Emitted<Block> {
        let table = &self.plan.indexes[index as usize];
        let count = self.index_keys(index);
        let at = self.address(&table.address, keys, env)?;
        let runs = self.module.tables.runs(index, table, count);
        let address = self.row_address(runs.starts, at.value, 1);
        let (from, to) = (self.load_table(address, 0), self.load_table(address, 8));
        let (to, mark) = (self.variable_of(to), self.mark());
        let (number, header) = self.numbers(from, to, mark, fail);
        self.step();
        let address = self.row_address(runs.codes, number, table.width);
        for (i, out) in outs.iter().enumerate() {
            let value = self.load_table(address, i * 8);
            let (lo, hi) = runs.ranges.get(i).copied().unwrap_or((i64::MIN, i64::MAX));
            // a loaded code is not a constant, even where all are the same
            self.put(*out, Number { value, lo, hi }, env);
        }
        Ok(header)
    }
}

/// The rows of an index for constant keys.
pub(super) fn constant_rows<'p>(table: &'p Index, keys: &[Operand]) -> Option<Vec<&'p [Code]>> {
    let code = |key: &Operand| match key {
        Operand::Const(code) => Some(*code),
        Operand::Reg(_) => None,
    };
    let keys: Vec<Code> = keys.iter().map(code).collect::<Option<_>>()?;
    let (from, to) = match table.address.find(|i| keys[i]) {
        Some(at) => (table.starts[at] as usize, table.starts[at + 1] as usize),
        None => (0, 0),
    };
    Some((from..to).map(|row| &table.rows[row * table.width..(row + 1) * table.width]).collect())
}
