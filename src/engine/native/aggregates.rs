//! Goals that ask for all answers of others: rows, `forall/2` and aggregates.

use std::mem::offset_of;

use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::universe::MAX_INTEGER;
use crate::plan::{BlockId, Op, Operand, Reg};
use crate::program::Aggregate;

use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Region, Running, Succeed, Unsupported};

impl Function<'_, '_, '_> {
    /// Whether a set contains one of these constant sets.
    pub fn any_row(
        &mut self,
        (masks, count): (u32, u32),
        whole: &[Value],
        through: Option<u32>,
        found: Block,
        none: Block,
    ) {
        if count as usize * self.w <= 12 {
            for number in masks..masks + count {
                let row = self.mask(number);
                let out = self.sticks_out(&row, whole);
                self.require(out, found);
            }
            self.jump(none);
        } else {
            let (every, fresh) = (self.b.create_block(), self.b.create_block());
            let all = self.read_context(offset_of!(Context, all_changed));
            match through {
                Some(_) => self.fork(all, every, fresh),
                None => {
                    self.jump(every);
                }
            }
            self.b.switch_to_block(every);
            let first = masks as usize * self.w;
            let end = first + count as usize * self.w;
            let memory = self.module.tables.keep(self.plan.masks[first..end].to_vec());
            let (from, to) = (self.c(0), self.c(i64::from(count)));
            self.look_through(memory, from, to, whole, found, none);
            self.b.switch_to_block(fresh);
            match through {
                None => self.jump(none),
                Some(through) => {
                    let (starts, bits) = self.plan.through[through as usize].parts();
                    let starts: Vec<u64> = starts.iter().map(|s| u64::from(*s)).collect();
                    let (starts, bits) =
                        (self.module.tables.keep(starts), self.module.tables.keep(bits.to_vec()));
                    let changed = self.read_context(offset_of!(Context, changed));
                    let sites: Vec<Value> = (0..self.w)
                        .map(|i| {
                            let word = self.load(Region::Changed, changed, i * 8);
                            self.and(word, whole[i])
                        })
                        .collect();
                    let (site, header) = self.each(&sites, None, none);
                    let address = self.row_address(starts, site, 1);
                    let (from, to) = (self.load_table(address, 0), self.load_table(address, 8));
                    self.look_through(bits, from, to, whole, found, header);
                }
            }
        }
    }

    /// Searches a table for a set that is contained in `whole`.
    fn look_through(
        &mut self,
        memory: i64,
        from: Value,
        to: Value,
        whole: &[Value],
        found: Block,
        none: Block,
    ) {
        let to = self.variable_of(to);
        let (here, header) = self.numbers(from, to, None, none);
        let address = self.row_address(memory, here, self.w);
        let row: Vec<Value> = (0..self.w).map(|i| self.load_table(address, i * 8)).collect();
        let out = self.sticks_out(&row, whole);
        self.fork(out, header, found);
    }

    // answers

    /// Whether the answers of a block that yields may come twice. Those of a single loop over a set
    /// do not, where the element is one of the values that tell answers apart.
    fn may_repeat(&self, goal: BlockId) -> bool {
        let line = self.plan.blocks.line(goal);
        let Some(Op::Yield { distinct, .. }) = line.last() else { return true };
        let mut loops = line.iter().filter(|op| op.uses().next.is_some());
        match (loops.next(), loops.next()) {
            (None, _) => false,
            (Some(Op::Each { dst, .. }), None) => !distinct.contains(&Operand::Reg(*dst)),
            _ => true,
        }
    }

    /// The most codes that tell the answers of a block apart.
    fn distinct_of(&self, goal: BlockId) -> usize {
        let mut most = 0;
        self.plan.blocks.each(goal, &mut |_, op, _| {
            if let Op::Yield { distinct, .. } = op {
                most = most.max(distinct.len());
            }
        });
        most
    }

    /// Whether what is behind a call in a block is another function, to which a value that grows here is not passed.
    fn goes_on_elsewhere(&self, body: BlockId) -> bool {
        let mut elsewhere = false;
        self.plan.blocks.each(body, &mut |_, op, _| {
            if let Op::Call { procedure, .. } = op {
                let called = &self.plan.procedures[*procedure as usize];
                elsewhere |= called.action || called.supposes;
            }
        });
        elsewhere
    }

    pub fn for_each(
        &mut self,
        goal: BlockId,
        registers: &[Reg],
        action: BlockId,
        env: &Env,
        fail: Block,
    ) -> Emitted {
        let before = self.in_use();
        let collected = self.collected(registers.len(), self.may_repeat(goal))?;
        let (filled, done) = (self.b.create_block(), self.b.create_block());
        let inner = Env { collect: Some(collected), running: None, ..env.inner(Succeed::None) };
        self.block(goal, inner, filled)?;
        self.b.switch_to_block(filled);
        let mut inner = env.clone();
        let trailing = std::mem::replace(&mut self.trailing, false);
        let header = self.each_answer(collected, registers, &mut inner, done)?;
        self.trailing = trailing;
        inner.succeed = Succeed::To(header);
        self.block(action, inner, fail)?;
        self.b.switch_to_block(done);
        self.release_since(before);
        Ok(())
    }

    pub fn aggregate(
        &mut self,
        kind: Aggregate,
        body: BlockId,
        env: &Env,
        fail: Block,
    ) -> Emitted<Number> {
        let repeats = self.may_repeat(body);
        let start = match kind {
            Aggregate::Max => i64::MIN,
            Aggregate::Min => i64::MAX,
            Aggregate::Sum | Aggregate::Count => 0,
            _ => return Err(Unsupported("a list of answers")),
        };
        let (start, none) = (self.c(start), self.c(0));
        let (result, some) = (self.variable_of(start), self.variable_of(none));
        let running = Running { kind, result, some };
        let filled = self.b.create_block();
        let compares = matches!(kind, Aggregate::Max | Aggregate::Min);
        if (compares || !repeats) && !self.goes_on_elsewhere(body) {
            let inner = Env { collect: None, running: Some(running), ..env.inner(Succeed::None) };
            self.block(body, inner, filled)?;
            self.b.switch_to_block(filled);
        } else {
            let distinct = self.distinct_of(body);
            let before = self.in_use();
            let collected = self.collected(distinct, true)?;
            let inner = Env { collect: Some(collected), running: None, ..env.inner(Succeed::None) };
            self.block(body, inner, filled)?;
            self.b.switch_to_block(filled);
            if kind == Aggregate::Count {
                let value = self.b.use_var(collected.count);
                self.release_since(before);
                return Ok(Number { value, lo: 0, hi: MAX_INTEGER });
            }
            let done = self.b.create_block();
            let (here, header) = self.numbers(none, collected.count, None, done);
            let base = self.base_of(collected);
            let bytes = self.times(here, collected.width as i64 * 8);
            let address = self.answer_address(collected, base, bytes);
            let value = self.load(Region::Answers, address, 0);
            self.add_answer(running, Number { value, lo: i64::MIN, hi: i64::MAX });
            self.jump(header);
            self.b.switch_to_block(done);
            self.release_since(before);
        }
        let value = self.b.use_var(result);
        Ok(match kind {
            Aggregate::Count => Number { value, lo: 0, hi: MAX_INTEGER },
            Aggregate::Sum => Number { value, lo: -MAX_INTEGER, hi: MAX_INTEGER },
            _ => {
                let some = self.b.use_var(some);
                self.require(some, fail);
                Number { value, lo: i64::MIN, hi: i64::MAX }
            }
        })
    }

    /// Adds an answer to an aggregate. A sum stays in the range of integers at each step.
    pub fn add_answer(&mut self, running: Running, item: Number) {
        let before = self.b.use_var(running.result);
        let next = match running.kind {
            Aggregate::Max => self.b.ins().smax(before, item.value),
            Aggregate::Min => self.b.ins().smin(before, item.value),
            Aggregate::Sum => {
                self.bail_unless_integer(item);
                let value = self.add(before, item.value);
                self.bail_unless_integer(Number { value, lo: i64::MIN, hi: i64::MAX });
                value
            }
            _ => self.plus(before, 1),
        };
        self.b.def_var(running.result, next);
        if matches!(running.kind, Aggregate::Max | Aggregate::Min) {
            let some = self.c(1);
            self.b.def_var(running.some, some);
        }
    }
}
