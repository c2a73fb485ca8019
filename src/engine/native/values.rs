//! Instructions that neither loop nor end a block: values, tests, updates, aggregates.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::universe::MAX_INTEGER;
use crate::plan::{LISTS, Op, OpId, Operand, Reg, Set};
use crate::program::Comparison;

use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Succeed, Unsupported};
use super::module::FunctionKind;
use super::tables::NONE;

/// Narrows the range of the left side of a comparison of integers that holds.
fn narrow(left: Operand, op: Comparison, a: Number, b: Number, env: &mut Env) {
    let Operand::Reg(reg) = left else { return };
    let (lo, hi) = (a.lo.max(-MAX_INTEGER), a.hi.min(MAX_INTEGER));
    let (least, most) = (b.lo.max(-MAX_INTEGER), b.hi.min(MAX_INTEGER));
    let (lo, hi) = match op {
        Comparison::Less => (lo, hi.min(most - 1)),
        Comparison::LessOrEqual => (lo, hi.min(most)),
        Comparison::Greater => (lo.max(least + 1), hi),
        Comparison::GreaterOrEqual => (lo.max(least), hi),
        Comparison::Equal => (lo.max(least), hi.min(most)),
        Comparison::NotEqual => (lo, hi),
    };
    let at = env.registers + reg as usize;
    if lo <= hi && at < env.known.len() {
        env.known[at] = Some((lo, hi));
    }
}

impl Function<'_, '_, '_> {
    /// Compiles two instructions that are cheaper together: a gathered set of which only one
    /// element is tested, or whether there is any. False where they are not such a pair.
    pub fn pair(&mut self, op: &Op, next: OpId, env: &Env, fail: Block) -> Emitted<bool> {
        match (op, &self.plan.blocks[next.block][next.number as usize..]) {
            // the block ends there, so nothing else reads the set
            (
                Op::Gather { dst, body },
                [Op::NonEmpty { set: Set::Reg(set), negate }, Op::Succeed],
            ) if dst == set => {
                let (found, none) = (self.b.create_block(), self.b.create_block());
                let inner = Env { some: Some(found), ..env.inner(Succeed::None) };
                self.block(*body, inner, none)?;
                self.go_on(found, none, *negate, fail);
                Ok(true)
            }
            (
                Op::GatherCall { dst, procedure, inputs },
                [Op::In { x, base, set: Set::Reg(set), negate: false }, ..],
            ) if dst == set => {
                let plan = self.plan;
                let Some((address, keys, memory)) = self.module.tables.bounds(*procedure, plan)
                else {
                    return Ok(false);
                };
                let keys: Vec<Operand> = keys.iter().map(|i| inputs[*i]).collect();
                let at = self.address(&address, &keys, env)?;
                let row = self.row_address(memory, at.value, self.w);
                let words: Vec<Value> = (0..self.w).map(|i| self.load_table(row, i * 8)).collect();
                let x = self.number(*x, env);
                let (index, outside) = self.index_in_set(x, *base);
                if let Some(outside) = outside {
                    self.refuse(outside, fail);
                }
                let within = self.holds_bit(&words, index);
                self.require(within, fail);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Compiles an instruction after which its block continues, or fails.
    pub fn plain(&mut self, op: &Op, env: &mut Env, fail: Block) -> Emitted {
        match op {
            Op::Load { dst, set } => {
                let words = self.set(set, env)?;
                let first = self.first_of(*dst, env);
                self.put_set(first, &words);
            }
            Op::And { dst, set } | Op::AndNot { dst, set } => {
                let other = self.set(set, env)?;
                let first = self.first_of(*dst, env);
                let mut mine = self.set_at(first);
                for (word, other) in mine.iter_mut().zip(&other) {
                    *word = match op {
                        Op::And { .. } => self.and(*word, *other),
                        _ => self.and_not(*word, *other),
                    };
                }
                self.put_set(first, &mine);
            }
            Op::Remove { dst, base, x } => {
                let x = self.number(*x, env);
                let (index, outside) = self.index_in_set(x, *base);
                let first = self.first_of(*dst, env);
                let mut words = self.set_at(first);
                for (i, word) in words.iter_mut().enumerate() {
                    let mut bit = self.bit_in(index, i);
                    if let Some(outside) = outside {
                        let zero = self.c(0);
                        bit = self.b.ins().select(outside, zero, bit);
                    }
                    *word = self.and_not(*word, bit);
                }
                self.put_set(first, &words);
            }
            Op::Gather { dst, body } => {
                let into = self.new_set();
                let nothing = self.zero();
                self.put_set(into, &nothing);
                let done = self.b.create_block();
                let inner = Env { emit: Some(into), ..env.inner(Succeed::None) };
                self.block(*body, inner, done)?;
                self.b.switch_to_block(done);
                let words = self.set_at(into);
                let first = self.first_of(*dst, env);
                self.put_set(first, &words);
            }
            Op::GatherCall { dst, procedure, inputs } => {
                let words = self.gather_call(*procedure, inputs, env)?;
                let first = self.first_of(*dst, env);
                self.put_set(first, &words);
            }
            Op::Copy { dst, x } => {
                let number = self.number(*x, env);
                self.put(*dst, number, env);
            }
            Op::Read { dst, fluent, keys } => {
                let number = self.read(*fluent, keys, env, fail)?;
                self.put(*dst, number, env);
            }
            Op::Find { index, keys, outs } => self.find(*index, keys, outs, env, fail)?,
            Op::Has { index, keys, negate } => {
                let table = &self.plan.indexes[*index as usize];
                let count = self.index_keys(*index);
                let at = self.address(&table.address, keys, env)?;
                let firsts = self.module.tables.firsts(*index, table, count);
                let address = self.row_address(firsts.address, at.value, table.width.max(1));
                let first = self.load_table(address, 0);
                let some = self.compare_with(IntCC::NotEqual, first, NONE);
                self.test(some, *negate, fail);
            }
            Op::Calculate { dst, op, a, b, .. } => {
                let (a, b) = (self.number(*a, env), self.number(*b, env));
                let number = self.calculate(*op, a, b);
                self.put(*dst, number, env);
            }
            Op::Count { dst, set } => {
                let words = self.set(set, env)?;
                let value = self.count(&words);
                let hi = self.w as i64 * 64;
                self.put(*dst, Number { value, lo: 0, hi }, env);
            }
            Op::Collect { dst, kind, body, .. } => {
                let number = self.aggregate(*kind, *body, env, fail)?;
                self.put(*dst, number, env);
            }
            Op::In { x, base, set, negate } => {
                let x = self.number(*x, env);
                let (index, outside) = self.index_in_set(x, *base);
                let mut inside = self.contains(set, index, env)?;
                if let Some(outside) = outside {
                    let within = self.b.ins().bxor_imm_u(outside, 1);
                    inside = self.and(inside, within);
                }
                self.test(inside, *negate, fail);
            }
            Op::NonEmpty { set, negate } => {
                let words = self.set(set, env)?;
                let some = self.any(&words);
                self.test(some, *negate, fail);
            }
            Op::Subset { part, whole, negate } => {
                let (part, whole) = (self.set(part, env)?, self.set(whole, env)?);
                let out = self.sticks_out(&part, &whole);
                self.test(out, !*negate, fail);
            }
            Op::AnyRow { masks, count, whole, through, guarded, negate } => {
                let whole = self.set(whole, env)?;
                let (found, none) = (self.b.create_block(), self.b.create_block());
                self.any_row((*masks, *count), &whole, *through, found, none);
                if *guarded {
                    let on = self.b.create_block();
                    self.b.switch_to_block(found);
                    let all = self.read_context(offset_of!(Context, all_changed));
                    let outlived = self.b.ins().bor_imm_u(all, 2);
                    self.write_context(offset_of!(Context, all_changed), outlived);
                    self.jump(on);
                    self.go_on(on, none, *negate, fail);
                } else {
                    self.go_on(found, none, *negate, fail);
                }
            }
            Op::Holds { fluent, keys, value, negate } => {
                let held = self.holds(*fluent, keys, *value, env)?;
                self.test(held, *negate, fail);
            }
            Op::Defined { fluent, keys, negate } => {
                let held = self.holds(*fluent, keys, None, env)?;
                self.test(held, *negate, fail);
            }
            Op::Same { a, b, negate } => {
                let (a, b) = (self.number(*a, env), self.number(*b, env));
                let same = self.equal(a, b);
                self.test(same, *negate, fail);
            }
            Op::Compare { op, a: left, b: right, .. } => {
                let (a, b) = (self.number(*left, env), self.number(*right, env));
                self.bail_unless_integer(a);
                self.bail_unless_integer(b);
                let cc = match op {
                    Comparison::Less => IntCC::SignedLessThan,
                    Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
                    Comparison::Greater => IntCC::SignedGreaterThan,
                    Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
                    Comparison::Equal => IntCC::Equal,
                    Comparison::NotEqual => IntCC::NotEqual,
                };
                let holds = self.compare(cc, a.value, b.value);
                self.require(holds, fail);
                narrow(*left, *op, a, b, env);
            }
            Op::Between { x, lo, hi } => {
                let (x, lo, hi) =
                    (self.number(*x, env), self.number(*lo, env), self.number(*hi, env));
                let above = self.compare(IntCC::SignedLessThanOrEqual, lo.value, x.value);
                let below = self.compare(IntCC::SignedLessThanOrEqual, x.value, hi.value);
                let both = self.and(above, below);
                self.require(both, fail);
            }
            Op::InList { x, list } => {
                let x = self.number(*x, env);
                self.in_list(x, *list, env, fail);
            }
            Op::IsEmpty { x } => {
                let x = self.number(*x, env);
                let empty = self.compare_with(IntCC::Equal, x.value, self.plan.empty_list);
                self.require(empty, fail);
            }
            Op::Test { procedure, inputs, negate } => {
                self.test_procedure(*procedure, inputs, *negate, env, fail)?;
            }
            Op::Repeated { times, board } => {
                let times = self.number(*times, env);
                let machine = self.read_context(offset_of!(Context, machine));
                let board = self.c(i64::from(*board));
                let helper = self.module.helpers.repeated;
                let status = self.call_helper(helper, &[machine, times.value, board]);
                let enough = self.compare_with(IntCC::NotEqual, status, 0);
                self.require(enough, fail);
            }
            Op::SomeLegal { .. } => {
                let answers = self.ask(0, env)?;
                let found = self.b.use_var(answers.count);
                self.require(found, fail);
            }
            Op::Stuck => match self.kind {
                FunctionKind::Ends { whole: true } => self.stuck(fail)?,
                FunctionKind::Ends { whole: false } => self.ask_stuck(env, fail)?,
                // who calls the function is known when it runs
                _ => {
                    let (make, ask, on) =
                        (self.b.create_block(), self.b.create_block(), self.b.create_block());
                    let makes = self.read_context(offset_of!(Context, makes_moves));
                    self.fork(makes, make, ask);
                    self.b.switch_to_block(make);
                    self.stuck(fail)?;
                    self.jump(on);
                    self.b.switch_to_block(ask);
                    self.ask_stuck(env, fail)?;
                    self.jump(on);
                    self.b.switch_to_block(on);
                }
            },
            Op::Assign { fluent, keys, value, .. } => {
                self.update(*fluent, keys, Some(*value), env)?;
            }
            Op::Clear { fluent, keys, .. } => self.update(*fluent, keys, None, env)?,
            Op::Set { fluent, keys, on, .. } => self.update_set(*fluent, keys, *on, env)?,
            Op::Again => {
                let one = self.c(1);
                self.write_word(self.turned_word(), one);
            }
            Op::MakeList { dst, items, tail } => {
                let list = self.make_list(items, *tail, env);
                self.put(*dst, list, env);
            }
            Op::Length { dst, list } => {
                let list = self.number(*list, env);
                let number = self.length(list, fail);
                self.put(*dst, number, env);
            }
            Op::TakeList { list, head, tail } => {
                let list = self.number(*list, env);
                let (first, rest) = self.parts(list, fail);
                self.put(*head, first, env);
                self.put(*tail, rest, env);
            }
            // the ends of blocks and what goes through answers
            _ => return Err(Unsupported("an instruction without a native form here")),
        }
        Ok(())
    }

    fn find(
        &mut self,
        index: u32,
        keys: &[Operand],
        outs: &[Reg],
        env: &mut Env,
        fail: Block,
    ) -> Emitted {
        let table = &self.plan.indexes[index as usize];
        let count = self.index_keys(index);
        let at = self.address(&table.address, keys, env)?;
        let firsts = self.module.tables.firsts(index, table, count);
        if let Some(n) = at.constant() {
            let row = table.starts.get(n as usize).zip(table.starts.get(n as usize + 1));
            match row.filter(|(from, to)| from < to) {
                Some((from, _)) => {
                    for (out, code) in outs.iter().zip(table.row(*from as usize)) {
                        self.give(*out, *code, env);
                    }
                }
                None => {
                    let never = self.c(0);
                    self.require(never, fail);
                    outs.iter().for_each(|out| self.give(*out, 0, env));
                }
            }
            return Ok(());
        }
        let address = self.row_address(firsts.address, at.value, table.width.max(1));
        let first = self.load_table(address, 0);
        if !(firsts.full && at.hi < count as i64) {
            let some = self.compare_with(IntCC::NotEqual, first, NONE);
            self.require(some, fail);
        }
        for (i, out) in outs.iter().enumerate() {
            let value = if i == 0 { first } else { self.load_table(address, i * 8) };
            let (lo, hi) = firsts.ranges.get(i).copied().unwrap_or((i64::MIN, i64::MAX));
            self.put(*out, Number { value, lo, hi }, env);
        }
        Ok(())
    }

    /// Bails out where a value is a list that was built.
    pub fn bail_if_list(&mut self, x: Number) {
        if x.hi >= LISTS && self.module.builds_lists {
            let list = self.compare_with(IntCC::SignedGreaterThanOrEqual, x.value, LISTS);
            self.bail_if(list);
        }
    }

    /// Whether two values are equal. Where they differ and one is a list that was built, they may be equal item
    /// by item.
    pub fn equal(&mut self, a: Number, b: Number) -> Value {
        let same = self.compare(IntCC::Equal, a.value, b.value);
        if a.hi.max(b.hi) < LISTS || !self.module.builds_lists || self.differs_from_lists(a, b) {
            return same;
        }
        let answer = self.new_variable();
        let wide = self.b.ins().uextend(cranelift_codegen::ir::types::I64, same);
        self.b.def_var(answer, wide);
        let greater = self.b.ins().smax(a.value, b.value);
        let lists = self.compare_with(IntCC::SignedGreaterThanOrEqual, greater, LISTS);
        let other = self.b.ins().bxor_imm_u(same, 1);
        let unsure = self.and(lists, other);
        let (compare, done) = (self.b.create_block(), self.b.create_block());
        self.fork(unsure, compare, done);
        self.b.switch_to_block(compare);
        let context = self.context;
        let items = self.call_helper(self.module.helpers.equal_lists, &[context, a.value, b.value]);
        let unknown = self.compare_with(IntCC::SignedLessThan, items, 0);
        self.bail_if(unknown);
        self.b.def_var(answer, items);
        self.jump(done);
        self.b.switch_to_block(done);
        let answer = self.b.use_var(answer);
        self.compare_with(IntCC::NotEqual, answer, 0)
    }

    /// Whether one value is a constant that no list that was built is equal to: the empty list, or no list.
    fn differs_from_lists(&self, a: Number, b: Number) -> bool {
        [a, b].into_iter().any(|x| {
            let items = self.plan.lists.get(&x.lo);
            x.lo == x.hi && items.is_none_or(|items| items.is_empty())
        })
    }
}
