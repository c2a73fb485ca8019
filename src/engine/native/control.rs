//! Blocks of instructions as native code.
//!
//! A generator becomes a loop around its body; a test that fails jumps to the head of the loop
//! around it. Where several ways meet, a variable records the loop to which control returns.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Variable;

use crate::plan::{BlockId, Cells, Code, Index, Op, OpId, Operand, Recursion, Reg, Set};

use crate::program::FluentId;

use super::context::Context;
use super::function::{
    Answers, Emitted, Env, Function, Join, Number, Region, Succeed, Unsupported, Words,
};
use super::module::FunctionKind;

/// The most rounds of nested loops that are unrolled, and the most instructions of one round.
const ROUNDS: usize = 8;
const BODY: usize = 24;

impl Function<'_, '_, '_> {
    /// Compiles a block and what follows it; `fail` is where control returns after the last answer.
    pub fn block(&mut self, start: BlockId, env: Env, fail: Block) -> Emitted {
        self.deeper()?;
        let outer = (self.module.at, self.exits.bail, self.trailing);
        self.instructions(start, env, fail)?;
        (self.module.at, self.exits.bail, self.trailing) = outer;
        self.shallower();
        Ok(())
    }

    fn instructions(&mut self, start: BlockId, mut env: Env, mut fail: Block) -> Emitted {
        let plan = self.plan;
        let mut next = OpId::first(start);
        loop {
            self.within_bounds()?;
            self.module.at = Some(next);
            self.module.reached.insert(next);
            let op = plan.blocks.op(next);
            next.number += 1;
            if env.supposes.is_some() {
                fail = self.begin_supposing(op, &mut env, fail)?;
            }
            if let Some(found) = env.guard
                && self.guarded(op, &env, found, fail)?
            {
                return Ok(());
            }
            match op {
                Op::Each { set: Set::Mask(mask), base, dst, orbit: None, body }
                    if self.unrolls(*body, *dst, self.held(*mask).count()) =>
                {
                    let codes: Vec<[Code; 1]> =
                        self.held(*mask).map(|i| [base + i as Code]).collect();
                    return self.unrolled(&codes, &[*dst], *body, &env, fail);
                }
                Op::Each { set, base, dst, orbit, body } => {
                    let mut words = self.set(set, &env)?;
                    if let Op::Call { procedure, inputs, .. } = &plan.blocks[*body][0]
                        && plan.procedures[*procedure as usize].action
                        && let Some(ways) =
                            self.ways(*procedure, inputs, (*dst, *base), &words, &env)?
                    {
                        words = ways;
                    }
                    let orbit = orbit.map(|set| self.first_of(set, &env));
                    let (index, header) = self.each(&words, orbit, fail);
                    let number = self.element_of(index, *base);
                    self.put(*dst, number, &mut env);
                    (next, fail) = (OpId::first(*body), header);
                }
                Op::Rows { index, keys, outs, body }
                    if let Some(rows) = constant_rows(&plan.indexes[*index as usize], keys)
                        && outs.iter().any(|dst| self.unrolls(*body, *dst, rows.len())) =>
                {
                    return self.unrolled(&rows, outs, *body, &env, fail);
                }
                Op::Rows { index, keys, outs, body } => {
                    fail = self.rows(*index, keys, outs, &mut env, fail)?;
                    next = OpId::first(*body);
                }
                Op::Integers { dst, lo: Operand::Const(lo), hi: Operand::Const(hi), body }
                    if self.unrolls(*body, *dst, (hi - lo + 1).max(0) as usize) =>
                {
                    let codes: Vec<[Code; 1]> = (*lo..=*hi).map(|code| [code]).collect();
                    return self.unrolled(&codes, &[*dst], *body, &env, fail);
                }
                Op::Integers { dst, lo, hi, body } => {
                    let (lo, hi) = (self.number(*lo, &env), self.number(*hi, &env));
                    let (value, header) = self.integers(lo, hi, fail);
                    let number = Number { value, lo: lo.lo, hi: hi.hi };
                    self.put(*dst, number, &mut env);
                    (next, fail) = (OpId::first(*body), header);
                }
                Op::Keys { fluent, outs, body } => {
                    fail = self.keys(*fluent, outs, &mut env, fail)?;
                    next = OpId::first(*body);
                }
                Op::Members { dst, list, body } => {
                    fail = self.members(*list, *dst, &mut env, fail);
                    next = OpId::first(*body);
                }
                Op::Legal { outs, body, .. } => {
                    let answers = self.ask(outs.len(), &env)?;
                    fail = self.each_answer(answers, outs, &mut env, fail)?;
                    next = OpId::first(*body);
                }
                Op::Branch { ways, rest } => {
                    let mark = self.mark();
                    let join = self.join();
                    for (i, way) in ways.iter().enumerate() {
                        let last = i + 1 == ways.len() && !self.trailing;
                        let after = if last { fail } else { self.b.create_block() };
                        self.block(*way, Env { join: Some(join), ..env.clone() }, after)?;
                        if !last {
                            self.b.switch_to_block(after);
                            self.undo(mark);
                        }
                    }
                    if self.trailing {
                        self.jump(fail);
                    }
                    match (self.meet(join), rest) {
                        (Some(back), Some(rest)) => (next, fail) = (OpId::first(*rest), back),
                        _ => return Ok(()),
                    }
                }
                Op::If { condition, then, otherwise, rest } => {
                    let (found, none) = (self.b.create_block(), self.b.create_block());
                    let inner = env.inner(Succeed::To(found));
                    self.block(*condition, inner, none)?;
                    let join = self.join();
                    for (way, block) in [(then, found), (otherwise, none)] {
                        self.b.switch_to_block(block);
                        self.block(*way, Env { join: Some(join), ..env.clone() }, fail)?;
                    }
                    match self.meet(join) {
                        Some(back) => (next, fail) = (OpId::first(*rest), back),
                        None => return Ok(()),
                    }
                }
                Op::Continue { rest } => match env.join {
                    Some(join) => {
                        self.end_way(join, fail);
                        return Ok(());
                    }
                    // the way began in another function
                    None => next = OpId::first(*rest),
                },
                Op::Round { body } => next = OpId::first(*body),
                Op::Exists { body, negate } => {
                    let (found, none) = (self.b.create_block(), self.b.create_block());
                    let inner = env.inner(Succeed::To(found));
                    self.block(*body, inner, none)?;
                    self.go_on(found, none, *negate, fail);
                }
                Op::Once { body } => {
                    let found = self.b.create_block();
                    let inner = env.inner(Succeed::To(found));
                    self.block(*body, inner, fail)?;
                    self.b.switch_to_block(found);
                }
                Op::Call { procedure, inputs, outs, body } => {
                    match self.call_procedure(*procedure, inputs, outs, *body, &mut env, fail)? {
                        Some(header) => (next, fail) = (OpId::first(*body), header),
                        None => return Ok(()),
                    }
                }
                Op::ForEach { goal, registers, action } => {
                    self.for_each(*goal, registers, *action, &env, fail)?;
                }
                Op::Fail => {
                    self.jump(fail);
                    return Ok(());
                }
                Op::Succeed => return self.succeed(&env),
                Op::Emit { set } => {
                    let words = self.set(set, &env)?;
                    self.gather_words(&words, &env)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::EmitOne { x, base } => {
                    let x = self.number(*x, &env);
                    let (index, outside) = self.index_in_set(x, *base);
                    if let Some(outside) = outside {
                        self.refuse(outside, fail);
                    }
                    let words: Vec<Value> = (0..self.w).map(|i| self.bit_in(index, i)).collect();
                    self.gather_words(&words, &env)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::EmitImage { images, keys, source, filters } => {
                    let source = self.set(source, &env)?;
                    let image = match env.ray {
                        Some(whole) => {
                            let mut onto: Words = (0..self.w).map(|_| self.c(-1)).collect();
                            self.filter(&mut onto, filters, &env)?;
                            let first = self.set_at(whole);
                            self.ray(*images, keys, [&first, &source, &onto], &env)?
                        }
                        None => {
                            let mut image = self.image(*images, keys, &source, &env)?;
                            self.filter(&mut image, filters, &env)?;
                            image
                        }
                    };
                    self.gather_words(&image, &env)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::EmitJoint { joints, sets } => {
                    let targets = self.joint(*joints, sets, &env)?;
                    self.gather_words(&targets, &env)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::Yield { template, distinct } => {
                    let collected =
                        env.collect.ok_or(Unsupported("an aggregate's answer outside of one"))?;
                    let mut codes = vec![self.number(*template, &env)];
                    codes.extend(distinct.iter().map(|x| self.number(*x, &env)));
                    self.push_answer(collected, &codes, fail)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::Return { outs } => return self.give_answer(outs, &env, fail),
                Op::Segment { set, base, dst } => {
                    let words = self.set(set, &env)?;
                    self.push_segment(Some((&words, *base, *dst)), Reg::MAX, &env, fail)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::SegmentImage { images, keys, source, filters, from, to } => {
                    let source = self.set(source, &env)?;
                    let (mut image, shift, header) =
                        self.shifted_in_turn(*images, keys, &source, &env, fail)?;
                    self.filter(&mut image, filters, &env)?;
                    // the distance from a target to its origin
                    let apart = self.c(from.1 - to.1);
                    let apart = self.b.ins().isub(apart, shift);
                    let number = Number { value: apart, lo: i64::MIN, hi: i64::MAX };
                    self.put(from.0, number, &mut env);
                    self.push_segment(Some((&image, to.1, to.0)), from.0, &env, header)?;
                    self.jump(header);
                    return Ok(());
                }
                Op::Single => {
                    self.push_segment(None, Reg::MAX, &env, fail)?;
                    self.jump(fail);
                    return Ok(());
                }
                Op::Commit => return self.commit(&env, fail),
                Op::Cut => fail = env.cut.unwrap_or(fail),
                other => {
                    if self.pair(other, next, &env, fail)? {
                        next.number += 1;
                    } else {
                        self.plain(other, &mut env, fail)?;
                    }
                }
            }
        }
    }

    /// Ends a guard where updates begin; false before.
    fn guarded(&mut self, op: &Op, env: &Env, found: Block, fail: Block) -> Emitted<bool> {
        match op {
            Op::Call { procedure, inputs, .. }
                if !self.plan.procedures[*procedure as usize].action
                    && !self.plan.procedures[*procedure as usize].supposes
                    && self.plan.procedures[*procedure as usize].recursion == Recursion::None =>
            {
                let inputs: Vec<Number> = inputs.iter().map(|x| self.number(*x, env)).collect();
                self.alternatives(*procedure, &inputs, fail, |env| {
                    env.succeed = Succeed::To(found);
                    env.answers = Answers::First(found);
                })?;
            }
            Op::Call { .. }
            | Op::Branch { .. }
            | Op::If { .. }
            | Op::Once { .. }
            | Op::ForEach { .. }
            | Op::Assign { .. }
            | Op::Clear { .. }
            | Op::Set { .. }
            | Op::Again
            | Op::MakeList { .. }
            | Op::Return { .. } => self.jump(found),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn succeed(&mut self, env: &Env) -> Emitted {
        match env.succeed {
            Succeed::To(block) => self.jump(block),
            Succeed::Caller => {
                let frame =
                    self.link.frame.ok_or(Unsupported("answers without a caller to go on in"))?;
                self.spill_to(frame, env);
                let enough = self.c(super::calls::ENOUGH);
                self.give_back(enough);
            }
            Succeed::None => return Err(Unsupported("a success that nobody waits for")),
        }
        Ok(())
    }

    // joins

    fn join(&mut self) -> usize {
        let (block, resume) = (self.b.create_block(), self.new_variable());
        self.joins.push(Join { block, resume, fails: Vec::new() });
        self.joins.len() - 1
    }

    /// Ends a way after which control returns to `fail`.
    fn end_way(&mut self, join: usize, fail: Block) {
        let Join { block, resume, fails } = &mut self.joins[join];
        let (block, resume) = (*block, *resume);
        let number = fails.iter().position(|f| *f == fail).unwrap_or_else(|| {
            fails.push(fail);
            fails.len() - 1
        });
        let number = self.c(number as i64);
        self.b.def_var(resume, number);
        self.jump(block);
    }

    /// Continues where the ways meet, and returns the block to which control returns from there.
    /// `None` where no way arrives.
    fn meet(&mut self, join: usize) -> Option<Block> {
        self.joins.truncate(join + 1);
        let join = self.joins.pop()?;
        let back = match join.fails.as_slice() {
            [] => return None,
            [one] => *one,
            several => {
                let back = self.b.create_block();
                self.b.switch_to_block(back);
                let resume = self.b.use_var(join.resume);
                for (i, fail) in several.iter().enumerate().skip(1) {
                    let here = self.compare_with(IntCC::Equal, resume, i as i64);
                    self.refuse(here, *fail);
                }
                self.jump(several[0]);
                back
            }
        };
        self.b.switch_to_block(join.block);
        Some(back)
    }

    // loops

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

    fn variable_of(&mut self, value: Value) -> Variable {
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
    fn held(&self, mask: u32) -> impl Iterator<Item = usize> + '_ {
        let words = &self.plan.masks[mask as usize * self.w..][..self.w];
        (0..self.w * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1)
    }

    /// Whether a loop over `rounds` constants is unrolled. That pays where the constant determines
    /// the shift of a set.
    fn unrolls(&self, body: BlockId, dst: Reg, rounds: usize) -> bool {
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
    fn unrolled(
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

    fn integers(&mut self, lo: Number, hi: Number, fail: Block) -> (Value, Block) {
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
    fn keys(
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

    fn rows(
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
        let (next, to) = (self.variable_of(from), self.variable_of(to));
        let mark = self.mark();
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        let number = self.b.use_var(next);
        let to = self.b.use_var(to);
        let done = self.compare(IntCC::Equal, number, to);
        self.refuse(done, fail);
        let after = self.plus(number, 1);
        self.b.def_var(next, after);
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

    // results of blocks

    /// A candidate move, or one for each element of a set; the register `origin` follows from the
    /// element.
    fn push_segment(
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
        let clauses = if chance { &self.plan.chance } else { &self.plan.moves };
        let kept = clauses[clause as usize].kept as usize;
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

    /// The end of a move: it has been played or, where moves are enumerated whole, it is recorded.
    fn commit(&mut self, env: &Env, fail: Block) -> Emitted {
        match self.kind {
            FunctionKind::Apply { chance, .. } => {
                self.finish_move(chance)?;
                match self.played {
                    Some(played) => self.jump(played),
                    None => {
                        let made = self.c(super::calls::FOUND);
                        self.give_back(made);
                    }
                }
                Ok(())
            }
            FunctionKind::Generate { chance, clause } => {
                let clauses = if chance { &self.plan.chance } else { &self.plan.moves };
                let clause = &clauses[clause as usize];
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

/// The rows of an index for constant keys.
fn constant_rows<'p>(table: &'p Index, keys: &[Operand]) -> Option<Vec<&'p [Code]>> {
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
