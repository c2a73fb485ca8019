//! Tries candidates one after the other: those that are not legal are removed from their segments.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Switch;

use crate::plan::Reg;

use super::super::segments::{Segment, with_width};
use super::calls::FOUND;
use super::context::Context;
use super::function::{Emitted, Function, Region};
use super::playout::segment;
use super::unit::Role;

impl Function<'_, '_, '_> {
    /// Tries the candidates of all segments whose clauses may refuse one or be a rule error; of the
    /// other clauses too, where `all` is not 0. The state is in [`Context::before`] as well, and is
    /// put back behind each candidate. Segments that have been tried are marked; those of clauses
    /// without a native form are left as they are.
    pub fn trials(&mut self, all: Value) -> Emitted {
        let plan = self.plan;
        let mut tried = Vec::new();
        for (number, clause) in (0..).zip(&plan.moves) {
            let role = Role::Apply { chance: false, clause: number };
            if clause.apply.is_some() && self.unit.size(role).is_ok() {
                tried.push(number);
            }
        }
        let at = self.new_variable();
        let first = self.read_context(offset_of!(Context, segments));
        self.b.def_var(at, first);
        let [look, within, fresh, next, done] = [(); 5].map(|()| self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let segment = self.b.use_var(at);
        let end = self.read_context(offset_of!(Context, segment));
        let over = self.compare(IntCC::UnsignedGreaterThanOrEqual, segment, end);
        self.fork(over, done, within);

        self.b.switch_to_block(within);
        self.check_segment(segment, end);
        let known = self.load_part(segment, segment!(self.tried), types::I32);
        self.fork(known, next, fresh);
        self.b.switch_to_block(fresh);
        let clause = self.load_part(segment, segment!(self.clause), types::I16);
        let mut switch = Switch::new();
        let blocks: Vec<Block> = tried.iter().map(|_| self.b.create_block()).collect();
        for (number, block) in tried.iter().zip(&blocks) {
            switch.set_entry(u128::from(*number), *block);
        }
        switch.emit(&mut self.b, clause, next);
        for (number, block) in tried.iter().zip(&blocks) {
            self.b.switch_to_block(*block);
            let clause = &plan.moves[*number as usize];
            if !clause.tested && !clause.risky {
                self.require(all, next);
            }
            self.try_segment(*number, segment)?;
            let one = self.c(1);
            self.store_part(segment!(self.tried), one, segment);
            self.jump(next);
        }

        self.b.switch_to_block(next);
        let size = with_width!(self.w, W => size_of::<Segment<W>>());
        let behind = self.plus(segment, size as i64);
        self.b.def_var(at, behind);
        self.jump(look);
        self.b.switch_to_block(done);
        let found = self.c(FOUND);
        self.give_back(found);
        Ok(())
    }

    /// Tries the candidates of one segment.
    fn try_segment(&mut self, clause: u16, segment: Value) -> Emitted {
        let [word, rest, bits] = [(); 3].map(|()| self.new_variable());
        let none = self.c(0);
        self.b.def_var(word, none);
        let [read, single, set, candidates, next, try_it, done] =
            [(); 7].map(|()| self.b.create_block());
        let last = self.load_part(segment, segment!(self.last), types::I16);
        let alone = self.compare_with(IntCC::Equal, last, i64::from(Reg::MAX));
        self.fork(alone, single, read);
        self.b.switch_to_block(single);
        // a single candidate has no bit of its own
        let count = self.load_part(segment, segment!(self.count), types::I32);
        self.b.def_var(rest, count);
        let behind = self.c(self.w as i64 - 1);
        self.b.def_var(word, behind);
        self.b.def_var(bits, none);
        self.jump(candidates);

        self.b.switch_to_block(read);
        let number = self.b.use_var(word);
        let bytes = self.times(number, 8);
        let address = self.add(segment, bytes);
        let end = self.read_context(offset_of!(Context, segment));
        self.check_segment(address, end);
        let content = self.load(Region::Moves, address, segment!(self.set));
        self.b.def_var(rest, content);
        let base = self.shift_left(number, 6);
        self.b.def_var(bits, base);
        self.jump(candidates);

        self.b.switch_to_block(candidates);
        let left = self.b.use_var(rest);
        self.fork(left, try_it, next);
        self.b.switch_to_block(next);
        let number = self.b.use_var(word);
        let number = self.plus(number, 1);
        self.b.def_var(word, number);
        let more = self.compare_with(IntCC::UnsignedLessThan, number, self.w as i64);
        self.fork(more, set, done);
        self.b.switch_to_block(set);
        self.jump(read);

        self.b.switch_to_block(try_it);
        let bit = self.b.ins().ctz(left);
        let lower = self.plus(left, -1);
        let others = self.and(left, lower);
        self.b.def_var(rest, others);
        let base = self.b.use_var(bits);
        let bit = self.add(base, bit);
        let registers = self.registers_of(segment);
        let (made, refused) = (self.b.create_block(), self.b.create_block());
        self.unit.leaves |= !self.unit.is_sure(Role::Apply { chance: false, clause });
        let left = self.left;
        self.make(clause, registers, bit, [made, refused, left])?;
        self.b.switch_to_block(made);
        self.undo_candidate();
        self.jump(candidates);
        self.b.switch_to_block(refused);
        self.undo_candidate();
        self.remove_candidate(segment, bit);
        self.jump(candidates);
        self.b.switch_to_block(done);
        Ok(())
    }

    fn undo_candidate(&mut self) {
        self.copy_state(false);
        let none = self.c(0);
        self.write_context(offset_of!(Context, lists_len), none);
    }
}
