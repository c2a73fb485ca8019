//! Where a block ends: candidates are noted, and moves have been made.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Value};

use crate::plan::{Code, Operand, Reg};

use super::context::Context;
use super::function::{Emitted, Env, Function, Region, Unsupported};
use super::module::FunctionKind;

impl Function<'_, '_, '_> {
    /// A candidate move, or one for each element of a set; the register `origin` follows from the
    /// element.
    pub fn push_segment(
        &mut self,
        set: Option<(&[Value], Code, Reg)>,
        origin: Reg,
        env: &Env,
        fail: Block,
    ) -> Emitted {
        use super::super::segments::{Segment, with_width};
        let FunctionKind::Generate { chance, clause } = self.kind else {
            return Err(Unsupported("candidates outside of a move"));
        };
        let (at, kept_count, total) =
            self.segment.ok_or(Unsupported("candidates outside of a move"))?;
        let kept = self.plan.clauses(chance)[clause as usize].kept as usize;
        let (words, count) = match set {
            Some((words, ..)) => {
                let count = self.count(words);
                let some = self.compare_with(IntCC::NotEqual, count, 0);
                self.require(some, fail);
                (words.to_vec(), count)
            }
            None => (self.zero().to_vec(), self.c(1)),
        };
        let segment = self.b.use_var(at);
        let end = self.read_context(offset_of!(Context, segments_end));
        let full = self.compare(IntCC::UnsignedGreaterThanOrEqual, segment, end);
        self.bail_if(full);
        self.check_segment(segment, end);
        let registers = self.b.use_var(kept_count);
        let (last, base) = match set {
            Some((_, base, dst)) => (i64::from(dst), base),
            None => (i64::from(Reg::MAX), 0),
        };
        macro_rules! offsets {
            ($field:ident) => {
                with_width!(self.w, W => offset_of!(Segment<W>, $field))
            };
        }
        for (i, word) in words.iter().enumerate() {
            self.store(Region::Moves, *word, segment, offsets!(set) + i * 8);
        }
        let zero = self.c(0);
        for i in self.w..with_width!(self.w, W => W) {
            self.store(Region::Moves, zero, segment, offsets!(set) + i * 8);
        }
        let base = self.c(base);
        self.store(Region::Moves, base, segment, offsets!(base));
        // the narrow fields are adjacent: count and registers, then result, clause and last
        let high = self.shift_left(registers, 32);
        let pair = self.or(count, high);
        self.store(Region::Moves, pair, segment, offsets!(count));
        let rest = u32::MAX as i64 | i64::from(clause) << 32 | last << 48;
        let rest = self.c(rest);
        self.store(Region::Moves, rest, segment, offsets!(result));
        let untried = self.c(i64::from(origin) << 32);
        self.store(Region::Moves, untried, segment, offsets!(tried));
        let size = with_width!(self.w, W => size_of::<Segment<W>>());
        let next = self.plus(segment, size as i64);
        self.b.def_var(at, next);
        self.note_kept(env, kept);
        if kept > 0 {
            let memory = self.read_context(offset_of!(Context, kept));
            let bytes = self.times(registers, 8);
            let into = self.add(memory, bytes);
            self.check_kept(into, memory);
            for i in 0..kept {
                let number = self.number(Operand::Reg(i as Reg), env);
                self.store(Region::Moves, number.value, into, i * 8);
            }
            let more = self.plus(registers, kept as i64);
            self.b.def_var(kept_count, more);
        }
        let before = self.b.use_var(total);
        let after = self.add(before, count);
        self.b.def_var(total, after);
        Ok(())
    }

    /// Records what is known of the registers of a candidate, for playing it.
    fn note_kept(&mut self, env: &Env, kept: usize) {
        let known = |i: usize| env.known.get(env.registers + i).copied().flatten();
        let ranges =
            self.module.kept.entry(self.kind).or_insert_with(|| (0..kept).map(known).collect());
        for (i, range) in ranges.iter_mut().enumerate() {
            *range = match (*range, known(i)) {
                (Some((lo, hi)), Some((l, h))) => Some((lo.min(l), hi.max(h))),
                _ => None,
            };
        }
    }

    /// Continues where a move has been played, or tells the caller so.
    pub fn give_played(&mut self) {
        match self.played {
            Some(played) => self.jump(played),
            None => {
                let made = self.c(super::calls::FOUND);
                self.give_back(made);
            }
        }
    }

    /// The end of a move: it has been played or, where moves are enumerated whole, it is recorded.
    pub fn commit(&mut self, env: &Env, fail: Block) -> Emitted {
        match self.kind {
            FunctionKind::Apply { chance, clause }
                if self.plan.clauses(chance)[clause as usize].all_ways =>
            {
                let (helper, context) = (self.module.helpers.keep_way, self.context);
                let by_chance = self.c(i64::from(chance));
                let status = self.call_helper(helper, &[context, by_chance]);
                let wrong = self.compare_with(IntCC::NotEqual, status, 0);
                self.bail_if(wrong);
                self.jump(fail);
                Ok(())
            }
            FunctionKind::Apply { chance, .. } => {
                self.finish_move(chance)?;
                self.give_played();
                Ok(())
            }
            FunctionKind::Generate { chance, clause } => {
                let clause = &self.plan.clauses(chance)[clause as usize];
                self.compare_rank(clause, env, fail)?;
                let kept = clause.kept as usize;
                let slot = self.slot(kept);
                let frame = self.slot_address(slot);
                for i in 0..kept {
                    let value = self.number(Operand::Reg(i as Reg), env).value;
                    self.store(Region::Frames, value, frame, i * 8);
                }
                let helper = self.module.helpers.record;
                let context = self.context;
                let status = self.call_helper(helper, &[context, frame]);
                let wrong = self.compare_with(IntCC::NotEqual, status, 0);
                self.bail_if(wrong);
                self.jump(fail);
                Ok(())
            }
            _ => Err(Unsupported("candidates of several ways that end in no answer")),
        }
    }
}
