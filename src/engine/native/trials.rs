//! Tries candidates one after the other: those that are not legal are removed from their segments.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Switch;

use crate::plan::{MoveClause, Reg, Risk};

use super::super::segments::{Segment, with_width};
use super::calls::FOUND;
use super::context::Context;
use super::function::{Emitted, Function, Region};
use super::module::FunctionKind;
use super::playout::segment;

impl Function<'_, '_, '_> {
    /// Tries the candidates of all segments whose clauses may refuse one or be a rule error; of the
    /// other clauses too, where `all` is not 0. A copy of the state is in [`Context::before`], and
    /// the state is restored after each candidate. Segments that have been tried are marked; those
    /// of clauses without a native form are left as they are.
    pub fn trials(&mut self, all: Value) -> Emitted {
        let plan = self.plan;
        let native = self.native_clauses(|_| true);
        let lists = self.read_context(offset_of!(Context, lists_len));
        let first = self.read_context(offset_of!(Context, segments));
        let end = self.read_context(offset_of!(Context, segment));
        self.each_segment(first, end, |f, segment, next| {
            let known = f.load_part(segment, segment!(f.tried), types::I32);
            f.refuse(known, next);
            f.by_clause(segment, &native, next, |f, number| {
                let clause = &plan.moves[number as usize];
                if !clause.tested {
                    let risky = f.is_risky(clause)?;
                    let wanted = f.or(all, risky);
                    f.require(wanted, next);
                }
                f.each_candidate(segment, end, |f, bit, more| {
                    let registers = f.registers_of(segment);
                    let (made, refused) = (f.b.create_block(), f.b.create_block());
                    f.module.may_bail |=
                        !f.module.is_sure(FunctionKind::Apply { chance: false, clause: number });
                    let left = f.exits.bail;
                    f.make(number, registers, bit, [made, refused, left])?;
                    f.b.switch_to_block(made);
                    f.undo_candidate(lists);
                    f.jump(more);
                    f.b.switch_to_block(refused);
                    f.undo_candidate(lists);
                    f.remove_candidate(segment, bit);
                    f.jump(more);
                    Ok(())
                })?;
                let one = f.c(1);
                f.store_part(segment!(f.tried), one, segment);
                f.jump(next);
                Ok(())
            })
        })?;
        let found = self.c(FOUND);
        self.give_back(found);
        Ok(())
    }

    /// Whether a candidate is legal; candidates before it that are not are removed. All tested
    /// clauses must have a native form.
    pub fn any_legal(&mut self) -> Emitted {
        let tested = self.native_clauses(|clause| clause.tested);
        let found = self.b.create_block();
        let lists = self.read_context(offset_of!(Context, lists_len));
        let first = self.read_context(offset_of!(Context, segments));
        let end = self.read_context(offset_of!(Context, segment));
        self.copy_state(true);
        self.remember_for_trials();
        self.each_segment(first, end, |f, segment, next| {
            let count = f.load_part(segment, segment!(f.count), types::I32);
            f.require(count, next);
            let known = f.load_part(segment, segment!(f.tried), types::I32);
            f.refuse(known, found);
            f.by_clause(segment, &tested, found, |f, number| {
                f.each_candidate(segment, end, |f, bit, more| {
                    let registers = f.registers_of(segment);
                    let [made, refused, left] = [(); 3].map(|()| f.b.create_block());
                    f.make(number, registers, bit, [made, refused, left])?;
                    if !f.module.is_sure(FunctionKind::Apply { chance: false, clause: number }) {
                        f.b.switch_to_block(left);
                        f.undo_candidate(lists);
                        f.forget_after_trials();
                        f.module.may_bail = true;
                        let left = f.exits.bail;
                        f.jump(left);
                    }
                    f.b.switch_to_block(made);
                    f.undo_candidate(lists);
                    f.jump(found);
                    f.b.switch_to_block(refused);
                    f.undo_candidate(lists);
                    f.remove_candidate(segment, bit);
                    f.jump(more);
                    Ok(())
                })?;
                f.jump(next);
                Ok(())
            })
        })?;
        self.forget_after_trials();
        let none = self.c(0);
        self.give_back(none);
        self.b.switch_to_block(found);
        self.forget_after_trials();
        let found = self.c(FOUND);
        self.give_back(found);
        Ok(())
    }

    /// The clauses of moves whose candidates native code plays, among those that are wanted.
    pub fn native_clauses(&self, wanted: impl Fn(&MoveClause) -> bool) -> Vec<u16> {
        let clauses = (0..).zip(&self.plan.moves);
        let native = clauses.filter(|(number, clause)| {
            let kind = FunctionKind::Apply { chance: false, clause: *number };
            clause.apply.is_some() && wanted(clause) && self.module.size(kind).is_ok()
        });
        native.map(|(number, _)| number).collect()
    }

    /// Not 0 where the updates of a clause may be a rule error.
    pub fn is_risky(&mut self, clause: &MoveClause) -> Emitted<Value> {
        let safe = match &clause.risk {
            _ if clause.all_ways => return Ok(self.c(1)),
            Risk::Never => return Ok(self.c(0)),
            Risk::Always => return Ok(self.c(1)),
            Risk::Outside(safe) => safe,
        };
        let mut risky = self.c(0);
        for safe in safe {
            let word = self.word_of(safe.fluent)?;
            let coded = self.load(Region::State, self.state, word * 8);
            let above = self.plus(coded, -(safe.from as i64));
            let len = (safe.to - safe.from) as i64;
            let outside = self.compare_with(IntCC::UnsignedGreaterThan, above, len);
            let outside = self.b.ins().uextend(types::I64, outside);
            risky = self.or(risky, outside);
        }
        Ok(risky)
    }

    /// Emits a loop over the segments between two addresses. The body ends each of its ways with a
    /// jump, to the block that it is given or elsewhere.
    pub fn each_segment(
        &mut self,
        first: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Emitted,
    ) -> Emitted {
        let at = self.new_variable();
        self.b.def_var(at, first);
        let [look, within, next, done] = [(); 4].map(|()| self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let segment = self.b.use_var(at);
        let over = self.compare(IntCC::UnsignedGreaterThanOrEqual, segment, end);
        self.fork(over, done, within);
        self.b.switch_to_block(within);
        self.check_segment(segment, end);
        body(self, segment, next)?;
        self.b.switch_to_block(next);
        let size = with_width!(self.w, W => size_of::<Segment<W>>());
        let behind = self.plus(segment, size as i64);
        self.b.def_var(at, behind);
        self.jump(look);
        self.b.switch_to_block(done);
        Ok(())
    }

    /// Branches by a segment's clause: to `body` for the listed ones, and to `other`.
    pub fn by_clause(
        &mut self,
        segment: Value,
        clauses: &[u16],
        other: Block,
        mut body: impl FnMut(&mut Self, u16) -> Emitted,
    ) -> Emitted {
        if clauses.len() == 1 && self.plan.moves.len() == 1 {
            return body(self, 0);
        }
        let clause = self.load_part(segment, segment!(self.clause), types::I16);
        let mut switch = Switch::new();
        let blocks: Vec<Block> = clauses.iter().map(|_| self.b.create_block()).collect();
        for (number, block) in clauses.iter().zip(&blocks) {
            switch.set_entry(u128::from(*number), *block);
        }
        switch.emit(&mut self.b, clause, other);
        for (number, block) in clauses.iter().zip(&blocks) {
            self.b.switch_to_block(*block);
            body(self, *number)?;
        }
        Ok(())
    }

    /// Emits a loop over the candidates of a segment, by their bits. The body ends each of its ways
    /// with a jump, to the block that it is given or elsewhere. `end` is the end of all segments.
    pub fn each_candidate(
        &mut self,
        segment: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Emitted,
    ) -> Emitted {
        let [word, rest, bits] = [(); 3].map(|()| self.new_variable());
        let none = self.c(0);
        self.b.def_var(word, none);
        let [read, single, candidates, next, each, done] = [(); 6].map(|()| self.b.create_block());
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
        self.check_segment(address, end);
        let content = self.load(Region::Moves, address, segment!(self.set));
        self.b.def_var(rest, content);
        let base = self.shift_left(number, 6);
        self.b.def_var(bits, base);
        self.jump(candidates);

        self.b.switch_to_block(candidates);
        let left = self.b.use_var(rest);
        self.fork(left, each, next);
        self.b.switch_to_block(next);
        let number = self.b.use_var(word);
        let number = self.plus(number, 1);
        self.b.def_var(word, number);
        let more = self.compare_with(IntCC::UnsignedLessThan, number, self.w as i64);
        self.fork(more, read, done);

        self.b.switch_to_block(each);
        let bit = self.b.ins().ctz(left);
        let lower = self.plus(left, -1);
        let others = self.and(left, lower);
        self.b.def_var(rest, others);
        let base = self.b.use_var(bits);
        let bit = self.add(base, bit);
        body(self, bit, candidates)?;
        self.b.switch_to_block(done);
        Ok(())
    }

    /// Restores the state and the lists before the candidate.
    pub fn undo_candidate(&mut self, lists: Value) {
        self.copy_state(false);
        self.write_context(offset_of!(Context, lists_len), lists);
    }
}
