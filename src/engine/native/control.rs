//! Blocks of instructions as native code.
//!
//! A generator becomes a loop around its body; a test that fails jumps to the head of the loop
//! around it. Where several ways meet, a variable records the loop to which control returns.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{BlockId, Code, Op, OpId, Operand, Recursion, Reg, Set};

use super::function::{Answers, Emitted, Env, Function, Join, Number, Succeed, Unsupported, Words};
use super::loops::constant_rows;

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
                Op::Yield { template, .. } if let Some(running) = env.running => {
                    let item = self.number(*template, &env);
                    self.add_answer(running, item);
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
}
