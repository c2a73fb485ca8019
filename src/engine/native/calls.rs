//! How native functions begin, and how they call each other.
//!
//! Short relations are inlined. An action may have several answers, each with its updates, so it is
//! passed the function that continues with them: the code behind the call, with the caller's
//! registers in a frame in memory.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{
    Answer, BlockId, Body, CONSTANTS, Code, Op, Operand, Procedure, Recursion, Reg, Untabled,
};

use super::context::Context;
use super::function::{Answers, Collected, Emitted, Env, Function, Number, Succeed, Unsupported};
use super::module::{BAILED, FunctionKind};

/// The status of a test that holds, or of a move that was made.
pub(in crate::engine) const FOUND: i64 = 1;
/// The status where an answer after a call was enough; its registers are in the frame.
pub(super) const ENOUGH: i64 = 2;

/// The most instructions of a relation that is inlined.
const SHORT: usize = 8;

/// The most steps in which a recursion is tried as it is written. The interpreter's table for as many costs much more, so
/// that trying is cheap.
const TRIED: i64 = 8_192;

/// The first set variables of what a round of a flood reaches, and of all that is reached.
pub(super) struct Rounds {
    pub into: usize,
    pub whole: usize,
}

impl Function<'_, '_, '_> {
    /// Counts a call against the budget and its depth.
    pub fn count_call(&mut self) {
        self.step();
        self.count_down(offset_of!(Context, depth));
        // answers of actions are nested calls
        self.calls = true;
    }

    /// Counts a call of a relation that calls itself as a step. Its depth is bounded by the stack.
    pub fn count_own_call(&mut self, procedure: u32) {
        if self.plan.procedures[procedure as usize].recursion != Recursion::None {
            self.step();
        }
    }

    /// Bails out where a budget is spent.
    fn count_down(&mut self, budget: usize) {
        let left = self.read_context(budget);
        let rest = self.plus(left, -1);
        self.write_context(budget, rest);
        let none = self.compare_with(IntCC::Equal, rest, 0);
        self.bail_if(none);
    }

    /// Counts a round of a loop that stands for nested calls.
    pub fn count_round(&mut self) {
        let Some(rounds) = self.link.rounds else { return };
        let left = self.b.use_var(rounds);
        let rest = self.plus(left, -1);
        self.b.def_var(rounds, rest);
        let none = self.compare_with(IntCC::Equal, rest, 0);
        self.bail_if(none);
    }

    /// Stores the count of rounds for callees.
    pub fn tell_rounds(&mut self) {
        if let Some(rounds) = self.link.rounds {
            let left = self.b.use_var(rounds);
            self.write_context(offset_of!(Context, rounds), left);
        }
    }

    /// How deep calls are nested.
    pub fn nested(&mut self) -> [Value; 2] {
        let depth = self.read_context(offset_of!(Context, depth));
        [depth, self.read_context(offset_of!(Context, rounds))]
    }

    /// Restores the nesting of calls.
    pub fn bail_calls(&mut self, before: [Value; 2]) {
        self.write_context(offset_of!(Context, depth), before[0]);
        self.write_context(offset_of!(Context, rounds), before[1]);
    }

    /// The code of an element of a set, with the range of its universe.
    pub fn element_of(&mut self, index: Value, base: Code) -> Number {
        let (lo, hi) = self.range_of(base);
        Number { value: self.plus(index, base), lo, hi }
    }

    /// The range of codes in sets whose index 0 has this code. A set of integers may have more
    /// elements than the keys of the state.
    pub fn range_of(&self, base: Code) -> (Code, Code) {
        let room = self.w * 64;
        let constants = self.plan.universes.all.iter().find(|u| u.base == base && u.len > 0);
        let len = constants.filter(|_| base >= CONSTANTS).map_or(room, |u| u.len.min(room)) as i64;
        (base, base + len - 1)
    }

    pub fn inputs(&mut self, values: &[Value]) -> Vec<Number> {
        values.iter().map(|v| Number { value: *v, lo: i64::MIN, hi: i64::MAX }).collect()
    }

    /// A window for a clause of a procedure, with its inputs in the first registers.
    pub fn enter(&mut self, clause: &Body, inputs: &[Number]) -> Env {
        let registers = (clause.registers as usize).max(inputs.len());
        let mut env = self.window(registers, clause.sets as usize);
        for (i, input) in inputs.iter().enumerate() {
            self.put(i as Reg, *input, &mut env);
        }
        env
    }

    /// Compiles the clauses of a procedure one after the other.
    pub fn alternatives(
        &mut self,
        procedure: u32,
        inputs: &[Number],
        fail: Block,
        prepare: impl Fn(&mut Env),
    ) -> Emitted {
        let plan = self.plan;
        let callee = &plan.procedures[procedure as usize];
        self.rooms.shared.push(Vec::new());
        let around = std::mem::take(&mut self.rooms.gathered);
        let taken = self.rooms.taken.len();
        for clause in &callee.clauses {
            let next = self.b.create_block();
            let mut env = self.enter(clause, inputs);
            env.supposes = match callee.supposes {
                true => self.form_of_hypothesis(procedure).map(|form| (procedure, form)),
                false => None,
            };
            env.cut = (!self.trailing).then_some(fail);
            prepare(&mut env);
            self.note_beginning(callee, clause, inputs.len());
            self.block(clause.start, env, next)?;
            self.b.switch_to_block(next);
        }
        self.rooms.shared.pop();
        self.rooms.gathered = around;
        self.release(taken);
        self.jump(fail);
        Ok(())
    }

    /// Records the call that a clause begins with, if it depends on the inputs alone: all ways run
    /// it, and the clauses that follow find the same answers. An action may have changed the state
    /// in between.
    pub fn note_beginning(&mut self, callee: &Procedure, clause: &Body, given: usize) {
        self.begins_with = match self.plan.blocks.line(clause.start).first() {
            Some(Op::Call { inputs, body, .. }) if !callee.action => {
                inputs.iter().all(|x| is_given(x, given)).then_some(*body)
            }
            _ => None,
        };
    }

    /// Whether a procedure has few instructions, those of inner blocks included.
    pub fn is_short(&self, procedure: u32) -> bool {
        self.rest_of_procedure(procedure, SHORT).is_some()
    }

    /// The rest of `room` after the instructions of a procedure; `None` where it is too small.
    fn rest_of_procedure(&self, procedure: u32, room: usize) -> Option<usize> {
        let clauses = &self.plan.procedures[procedure as usize].clauses;
        clauses.iter().try_fold(room, |room, clause| self.rest_of_block(clause.start, room))
    }

    fn rest_of_block(&self, start: BlockId, mut room: usize) -> Option<usize> {
        for op in self.plan.blocks.line(start) {
            // a round is a place rather than an instruction
            room = room.checked_sub(usize::from(!matches!(op, Op::Round { .. })))?;
            if let Op::GatherCall { procedure, .. }
            | Op::Test { procedure, .. }
            | Op::Call { procedure, .. } = op
            {
                let recursion = &self.plan.procedures[*procedure as usize].recursion;
                if *recursion != Recursion::None
                    || self.plan.procedures[*procedure as usize].supposes
                {
                    return None;
                }
                room = self.rest_of_procedure(*procedure, room)?;
            }
            for inner in op.uses().blocks {
                room = self.rest_of_block(inner.block, room)?;
            }
        }
        Some(room)
    }

    /// Tests whether a procedure has an answer.
    pub fn test_procedure(
        &mut self,
        procedure: u32,
        inputs: &[Operand],
        negate: bool,
        env: &Env,
        fail: Block,
    ) -> Emitted {
        let callee = &self.plan.procedures[procedure as usize];
        let asks = callee.supposes && self.form_of_hypothesis(procedure).is_none();
        if !callee.is_plain() || asks {
            let answers = self.ask(0, env)?;
            let found = self.b.use_var(answers.count);
            self.test(found, negate, fail);
            return Ok(());
        }
        let inputs: Vec<Number> = inputs.iter().map(|x| self.number(*x, env)).collect();
        if self.is_short(procedure) {
            let (found, none) = (self.b.create_block(), self.b.create_block());
            self.alternatives(procedure, &inputs, none, |env| env.succeed = Succeed::To(found))?;
            self.go_on(found, none, negate, fail);
            return Ok(());
        }
        let function = self
            .module
            .function(FunctionKind::Test(procedure))
            .ok_or(Unsupported("too many functions"))?;
        let mut arguments = vec![self.context];
        arguments.extend(inputs.iter().map(|n| n.value));
        let status = self.try_plain(procedure, function, &arguments, |f| {
            let answers = f.ask(0, env)?;
            Ok(f.b.use_var(answers.count))
        })?;
        let found = self.compare_with(IntCC::NotEqual, status, 0);
        self.test(found, negate, fail);
        Ok(())
    }

    pub fn call_with(&mut self, function: cranelift_module::FuncId, inputs: &[Number]) -> Value {
        let mut arguments = vec![self.context];
        arguments.extend(inputs.iter().map(|n| n.value));
        self.call(function, &arguments)
    }

    /// Whether this function is one of the relation that the procedure calls itself by.
    fn is_within(&self, procedure: u32) -> bool {
        let (FunctionKind::Test(own) | FunctionKind::Tuples(own)) = self.kind else { return false };
        let component = |number: u32| match self.plan.procedures[number as usize].recursion {
            Recursion::Tabled { component, .. } => Some(component),
            _ => None,
        };
        component(own).is_some() && component(own) == component(procedure)
    }

    /// Whether the interpreter is asked for the answers of a procedure where it takes too many calls of itself as it is written.
    fn may_be_asked(&self, procedure: u32) -> bool {
        let recursion = &self.plan.procedures[procedure as usize].recursion;
        matches!(recursion, Recursion::Tabled { untabled: Untabled::Tried, .. })
            && !self.is_within(procedure)
    }

    /// Calls the function of a procedure. Of one that is only tried as it is written, `ask` gets what it would have returned
    /// from the interpreter, which remembers the answers of each call.
    fn try_plain(
        &mut self,
        procedure: u32,
        function: cranelift_module::FuncId,
        arguments: &[Value],
        ask: impl FnOnce(&mut Self) -> Emitted<Value>,
    ) -> Emitted<Value> {
        if !self.may_be_asked(procedure) {
            let status = self.call(function, arguments);
            self.bail_on(status);
            return Ok(status);
        }
        let before = self.b.use_var(self.steps);
        let most = self.c(TRIED);
        let given = self.b.ins().smin(before, most);
        let left_out = self.b.ins().isub(before, given);
        self.stepped = true;
        self.b.def_var(self.steps, given);
        let status = self.call(function, arguments);
        let result = self.new_variable();
        self.b.def_var(result, status);
        let bailed = self.compare_with(IntCC::Equal, status, BAILED);
        let (ended, left, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(left);
        self.fork(bailed, left, ended);
        self.b.switch_to_block(ended);
        let rest = self.b.use_var(self.steps);
        let all = self.add(left_out, rest);
        self.b.def_var(self.steps, all);
        self.jump(done);
        self.b.switch_to_block(left);
        self.b.def_var(self.steps, left_out);
        self.step();
        let asked = ask(self)?;
        self.b.def_var(result, asked);
        self.jump(done);
        self.b.switch_to_block(done);
        Ok(self.b.use_var(result))
    }

    /// Bails out where a callee did.
    pub fn bail_on(&mut self, status: Value) {
        let left = self.compare_with(IntCC::Equal, status, BAILED);
        self.bail_if(left);
    }

    /// Calls a relation or an action. The builder is left in the loop over the answers, whose head
    /// is returned; `None` where the body of the call became another function.
    pub fn call_procedure(
        &mut self,
        procedure: u32,
        given: &[Operand],
        outs: &[Reg],
        body: BlockId,
        env: &mut Env,
        fail: Block,
    ) -> Emitted<Option<Block>> {
        if let Some(delta) = env.delta.clone().filter(|delta| delta.body == body) {
            let codes = delta.codes.unwrap_or_else(|| {
                // what follows is never run
                self.jump(fail);
                let never = self.b.create_block();
                self.b.switch_to_block(never);
                outs.iter().map(|_| self.exactly(0)).collect()
            });
            for (out, code) in outs.iter().zip(codes) {
                self.put(*out, code, env);
            }
            return Ok(Some(fail));
        }
        let callee = &self.plan.procedures[procedure as usize];
        if callee.supposes && !(self.has_room() && self.form_of_hypothesis(procedure).is_some()) {
            let answers = self.ask(outs.len(), env)?;
            return Ok(Some(self.each_answer(answers, outs, env, fail)?));
        }
        let inputs: Vec<Number> = given.iter().map(|x| self.number(*x, env)).collect();
        if callee.action {
            self.call_action(procedure, &inputs, outs, body, env, fail)?;
            return Ok(None);
        }
        let room = self.has_room();
        if let Some(calls) = self.plan.closure(callee).filter(|_| room) {
            let shared = self.begins_with.take() == Some(body);
            let collected = match shared.then(|| self.shared_answers(procedure, given)).flatten() {
                Some(collected) => collected,
                None => {
                    self.rooms.shared.push(Vec::new());
                    let around = std::mem::take(&mut self.rooms.gathered);
                    let collected = self.close(procedure, &calls, &inputs, outs.len())?;
                    self.rooms.shared.pop();
                    self.rooms.gathered = around;
                    if let (true, Some(tables)) = (shared, self.rooms.shared.last_mut()) {
                        tables.push((procedure, given.into(), collected));
                    }
                    collected
                }
            };
            let header = self.each_answer(collected, outs, env, fail)?;
            return Ok(Some(header));
        }
        // the interpreter sorts answers too
        if !callee.is_plain() || callee.sorted || !room {
            let answers = self.ask(outs.len(), env)?;
            return Ok(Some(self.each_answer(answers, outs, env, fail)?));
        }
        let collected = match callee.recursion {
            Recursion::None => {
                let repeats = callee.repeats || callee.clauses.len() > 1;
                let collected = self.collected(outs.len(), repeats)?;
                let collected = self.with_bits(collected, &callee.ranges);
                self.collect_answers(procedure, &inputs, collected)?;
                collected
            }
            _ => {
                let collected = match self.may_be_asked(procedure) {
                    true => self.room_for_asked(outs.len())?,
                    false => self.collected_nested(outs.len())?,
                };
                let function = (self.module.function(FunctionKind::Tuples(procedure)))
                    .ok_or(Unsupported("too many functions"))?;
                let mut arguments = vec![self.context, self.base_of(collected)];
                arguments.extend(inputs.iter().map(|n| n.value));
                let lists = self.read_context(offset_of!(Context, lists_len));
                let count = self.try_plain(procedure, function, &arguments, |f| {
                    f.write_context(offset_of!(Context, lists_len), lists);
                    f.ask_into(collected, env)
                })?;
                if !callee.lists {
                    // those that it has built are not asked for any more
                    self.write_context(offset_of!(Context, lists_len), lists);
                }
                self.b.def_var(collected.count, count);
                collected
            }
        };
        let header = self.each_answer(collected, outs, env, fail)?;
        Ok(Some(header))
    }

    /// Collects the answers of the clauses of a procedure.
    pub fn collect_answers(
        &mut self,
        procedure: u32,
        inputs: &[Number],
        collected: Collected,
    ) -> Emitted {
        let filled = self.b.create_block();
        match self.plan.procedures[procedure as usize].answer {
            Answer::Test => {
                let found = self.b.create_block();
                self.alternatives(procedure, inputs, filled, |env| {
                    env.succeed = Succeed::To(found);
                })?;
                self.b.switch_to_block(found);
                let nothing = self.exactly(0);
                self.push_answer(collected, &[nothing], filled)?;
                self.jump(filled);
            }
            Answer::Tuples => self.alternatives(procedure, inputs, filled, |env| {
                env.answers = Answers::Collected(collected);
            })?,
            Answer::Set => return Err(Unsupported("a set where tuples are wanted")),
        }
        self.b.switch_to_block(filled);
        Ok(())
    }

    /// The answers of a closure that an earlier clause of the same relation has collected.
    fn shared_answers(&self, procedure: u32, given: &[Operand]) -> Option<Collected> {
        let tables = self.rooms.shared.last()?;
        let same = tables.iter().find(|(p, inputs, _)| *p == procedure && **inputs == *given);
        same.map(|(_, _, collected)| *collected)
    }
}

/// Whether this is a constant or one of the inputs, which no clause changes.
pub(super) fn is_given(x: &Operand, inputs: usize) -> bool {
    match x {
        Operand::Reg(reg) => (*reg as usize) < inputs,
        _ => true,
    }
}
