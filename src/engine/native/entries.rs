//! How native functions begin: those of ends, of candidates and of the moves that these stand for.

use std::mem::offset_of;

use cranelift_codegen::ir::{Block, Value};

use crate::plan::{Op, Operand, Reg};

use super::calls::FOUND;
use super::context::Context;
use super::function::{Answers, Emitted, Env, Function, Number, Region, Succeed, Unsupported};
use super::module::FunctionKind;
use super::ranks::numbering;

impl Function<'_, '_, '_> {
    /// Gives a number back, unless there is none.
    fn give_number(&mut self, (number, none): (Value, Value), exit: Block) {
        self.refuse(none, exit);
        self.write_context(offset_of!(Context, answer), number);
        let found = self.c(FOUND);
        self.give_back(found);
    }

    /// Compiles a whole function for its kind.
    pub fn begin(&mut self, parameters: &[Value]) -> Emitted {
        let exit = self.exits.exit;
        match self.kind {
            FunctionKind::Ends { .. } => self.ends(exit),
            FunctionKind::Moves => self.moves(exit),
            FunctionKind::Playout => self.playout(),
            FunctionKind::Trials => self.trials(parameters[1]),
            FunctionKind::AnyLegal => self.any_legal(),
            FunctionKind::Perft => self.perft(parameters[1], parameters[2]),
            FunctionKind::Generate { chance, clause } => self.generate(chance, clause, exit),
            FunctionKind::Apply { chance, clause } => {
                self.apply(chance, clause, parameters[1], parameters[2], exit)
            }
            FunctionKind::Number { chance, clause } => {
                let procedure = numbering(self.plan, chance, clause)
                    .ok_or(Unsupported("a number that is not calculated"))?;
                let env = self.candidate(chance, clause, parameters[1], parameters[2]);
                let clause = &self.plan.clauses(chance)[clause as usize];
                let found = self.greatest(procedure, clause, &env)?;
                self.give_number(found, exit);
                Ok(())
            }
            FunctionKind::Sum(procedure) => {
                let found = self.sum(procedure, parameters[1])?;
                self.give_number(found, exit);
                Ok(())
            }
            FunctionKind::Test(procedure) => {
                self.count_own_call(procedure);
                let inputs = self.inputs(&parameters[1..]);
                let found = self.b.create_block();
                self.alternatives(procedure, &inputs, exit, |env| {
                    env.succeed = Succeed::To(found);
                })?;
                self.b.switch_to_block(found);
                let yes = self.c(FOUND);
                self.give_back(yes);
                Ok(())
            }
            FunctionKind::Tuples(procedure) => {
                self.count_own_call(procedure);
                let outs = self.plan.procedures[procedure as usize].outs();
                let collected = self.collected_for_caller(parameters[1], outs);
                let inputs = self.inputs(&parameters[2..]);
                self.collect_answers(procedure, &inputs, collected)?;
                let count = self.b.use_var(collected.count);
                self.give_back(count);
                Ok(())
            }
            FunctionKind::Gather(procedure) => {
                self.count_own_call(procedure);
                let inputs = self.inputs(&parameters[1..]);
                let words = self.gather_inline(procedure, &inputs)?;
                for (i, word) in words.iter().enumerate() {
                    self.write_context(offset_of!(Context, answer) + i * 8, *word);
                }
                self.jump(exit);
                Ok(())
            }
            FunctionKind::Action { procedure, .. } => {
                self.link.continuation = Some((parameters[1], parameters[2]));
                let nested = self.nested();
                self.count_call();
                let rounds = self.new_variable();
                self.b.def_var(rounds, nested[1]);
                self.link.rounds = Some(rounds);
                let given: Vec<_> = parameters[3..].iter().map(|_| self.new_variable()).collect();
                for (variable, value) in given.iter().zip(&parameters[3..]) {
                    self.b.def_var(*variable, *value);
                }
                let again = self.b.create_block();
                self.jump(again);
                self.b.switch_to_block(again);
                let values: Vec<Value> = given.iter().map(|v| self.b.use_var(*v)).collect();
                let inputs = self.inputs(&values);
                self.link.again = (!self.trailing).then_some((again, given));
                let (back, mark) = (self.b.create_block(), self.mark());
                let plan = self.plan;
                for clause in &plan.procedures[procedure as usize].clauses {
                    let next = self.b.create_block();
                    let mut env = self.enter(clause, &inputs);
                    env.answers = Answers::Stream;
                    env.cut = (!self.trailing).then_some(back);
                    self.block(clause.start, env, next)?;
                    self.b.switch_to_block(next);
                    self.undo(mark);
                }
                self.jump(back);
                self.b.switch_to_block(back);
                self.bail_calls(nested);
                self.jump(exit);
                Ok(())
            }
        }
    }

    /// The candidates of a clause.
    pub fn generate(&mut self, chance: bool, clause: u16, exit: Block) -> Emitted {
        let clause = &self.plan.clauses(chance)[clause as usize];
        let body = &clause.generate;
        let kept = (clause.kept as usize).max(body.registers as usize);
        if !clause.branching {
            self.open_candidates();
        }
        let env = self.window(kept, body.sets as usize);
        let mark = self.mark();
        let done = self.b.create_block();
        self.block(body.start, env, done)?;
        self.b.switch_to_block(done);
        self.undo(mark);
        self.jump(exit);
        Ok(())
    }

    /// Plays a candidate of a clause, given by its registers and the bit of its last variable;
    /// continues at `exit` where it is not legal.
    pub fn apply(
        &mut self,
        chance: bool,
        number: u16,
        registers: Value,
        bit: Value,
        exit: Block,
    ) -> Emitted {
        let clause = &self.plan.clauses(chance)[number as usize];
        let start = clause.apply.ok_or(Unsupported("an action without updates"))?;
        let env = self.candidate(chance, number, registers, bit);
        if !clause.all_ways {
            return self.block(start, env, exit);
        }
        let (context, helpers) = (self.context, self.module.helpers);
        self.call_helper(helpers.begin_ways, &[context]);
        let (mark, done) = (self.mark(), self.b.create_block());
        self.block(start, env, done)?;
        self.b.switch_to_block(done);
        self.undo(mark);
        let taken = self.call_helper(helpers.take_way, &[context]);
        self.require(taken, exit);
        self.give_played();
        Ok(())
    }

    /// The registers of a candidate of a clause.
    fn candidate(&mut self, chance: bool, number: u16, registers: Value, bit: Value) -> Env {
        let clause = &self.plan.clauses(chance)[number as usize];
        let body = &clause.generate;
        let kept = clause.kept as usize;
        let mut env = self.window(kept.max(body.registers as usize), body.sets as usize);
        // candidates are made by another function, which was written before
        let made_by = FunctionKind::Generate { chance, clause: number };
        let known = self.module.kept.get(&made_by).cloned().unwrap_or_default();
        for i in 0..kept {
            let value = self.load_candidate(registers, kept, i);
            let (lo, hi) = known.get(i).copied().flatten().unwrap_or((i64::MIN, i64::MAX));
            self.put(i as Reg, Number { value, lo, hi }, &mut env);
        }
        // the last variable's code comes from the pick
        match self.plan.blocks.line(body.start).last() {
            Some(Op::Segment { dst, base, .. }) => {
                let number = self.element_of(bit, *base);
                self.put(*dst, number, &mut env);
            }
            Some(Op::SegmentImage { from, to, .. }) => {
                let number = self.element_of(bit, to.1);
                let apart = self.number(Operand::Reg(from.0), &env).value;
                self.put(to.0, number, &mut env);
                let value = self.add(number.value, apart);
                let range = self.range_of(from.1);
                self.put(from.0, Number { value, lo: range.0, hi: range.1 }, &mut env);
            }
            _ => {}
        }
        env
    }

    /// A register of the candidate that is played; `kept` is the number of its registers.
    fn load_candidate(&mut self, registers: Value, kept: usize, number: usize) -> Value {
        self.checks.room(registers, registers, kept * 8);
        self.load(Region::Moves, registers, number * 8)
    }
}
