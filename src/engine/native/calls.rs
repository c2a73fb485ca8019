//! How native functions begin, and how they call each other.
//!
//! Short relations are inlined. An action may have several answers, each with its updates, so it is
//! passed the function that continues with them: the code behind the call, with the caller's
//! registers in a frame in memory.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Value};

use crate::plan::{
    Answer, BlockId, Body, CONSTANTS, Code, Op, Operand, Procedure, Recursion, Reg, SetReg,
};

use super::context::Context;
use super::function::{
    Answers, Collected, Emitted, Env, Function, Number, Region, Succeed, Unsupported,
};
use super::module::{BAILED, FunctionKind};

/// The status of a test that holds, or of a move that was made.
pub(in crate::engine) const FOUND: i64 = 1;
/// The status where an answer after a call was enough; its registers are in the frame.
pub(super) const ENOUGH: i64 = 2;

/// The most instructions of a relation that is inlined.
const SHORT: usize = 8;

/// The first set variables of what a round of a flood reaches, and of all that is reached.
pub(super) struct Rounds {
    pub into: usize,
    pub whole: usize,
}

impl Function<'_, '_, '_> {
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
        let clauses = if chance { &self.plan.chance } else { &self.plan.moves };
        let clause = &clauses[clause as usize];
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
        let clauses = if chance { &self.plan.chance } else { &self.plan.moves };
        let clause = &clauses[number as usize];
        let start = clause.apply.ok_or(Unsupported("an action without updates"))?;
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
        self.block(start, env, exit)
    }

    /// A register of the candidate that is played; `kept` is the number of its registers.
    fn load_candidate(&mut self, registers: Value, kept: usize, number: usize) -> Value {
        self.checks.room(registers, registers, kept * 8);
        self.load(Region::Moves, registers, number * 8)
    }

    /// Counts a call against the budget and its depth.
    fn count_call(&mut self) {
        self.step();
        self.count_down(offset_of!(Context, depth));
        // answers of actions are nested calls
        self.calls = true;
    }

    /// Counts a call of a relation that calls itself as a step. Its depth is bounded by the stack.
    fn count_own_call(&mut self, procedure: u32) {
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
    fn range_of(&self, base: Code) -> (Code, Code) {
        let room = self.w * 64;
        let constants = self.plan.universes.all.iter().find(|u| u.base == base && u.len > 0);
        let len = constants.filter(|_| base >= CONSTANTS).map_or(room, |u| u.len.min(room)) as i64;
        (base, base + len - 1)
    }

    fn inputs(&mut self, values: &[Value]) -> Vec<Number> {
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
    fn note_beginning(&mut self, callee: &Procedure, clause: &Body, given: usize) {
        self.begins_with = match self.plan.blocks.line(clause.start).first() {
            Some(Op::Call { inputs, body, .. }) if !callee.action => {
                inputs.iter().all(|x| is_given(x, given)).then_some(*body)
            }
            _ => None,
        };
    }

    /// Whether a procedure has few instructions, those of inner blocks included.
    fn is_short(&self, procedure: u32) -> bool {
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
        let status = self.call_with(function, &inputs);
        self.bail_on(status);
        let found = self.compare_with(IntCC::NotEqual, status, 0);
        self.test(found, negate, fail);
        Ok(())
    }

    fn call_with(&mut self, function: cranelift_module::FuncId, inputs: &[Number]) -> Value {
        let mut arguments = vec![self.context];
        arguments.extend(inputs.iter().map(|n| n.value));
        self.call(function, &arguments)
    }

    /// Bails out where a callee did.
    pub fn bail_on(&mut self, status: Value) {
        let left = self.compare_with(IntCC::Equal, status, BAILED);
        self.bail_if(left);
    }

    /// The set that a procedure's clauses emit.
    pub fn gather_call(
        &mut self,
        procedure: u32,
        inputs: &[Operand],
        env: &Env,
    ) -> Emitted<Vec<Value>> {
        let same = |(called, given, _): &&(u32, Box<[Operand]>, usize)| {
            *called == procedure && **given == *inputs
        };
        if let Some((.., set)) = self.rooms.gathered.iter().find(same) {
            return Ok(self.set_at(*set).to_vec());
        }
        let inputs: Vec<Number> = inputs.iter().map(|x| self.number(*x, env)).collect();
        if self.is_short(procedure) {
            return self.gather_inline(procedure, &inputs);
        }
        let function = self
            .module
            .function(FunctionKind::Gather(procedure))
            .ok_or(Unsupported("too many functions"))?;
        let status = self.call_with(function, &inputs);
        self.bail_on(status);
        Ok((0..self.w).map(|i| self.read_context(offset_of!(Context, answer) + i * 8)).collect())
    }

    fn gather_inline(&mut self, procedure: u32, inputs: &[Number]) -> Emitted<Vec<Value>> {
        let plan = self.plan;
        let callee = &plan.procedures[procedure as usize];
        if callee.answer != Answer::Set {
            return Err(Unsupported("a set from a relation of tuples"));
        }
        let into = self.new_set();
        let nothing = self.zero();
        self.put_set(into, &nothing);
        let seeds = match &callee.recursion {
            Recursion::Flood { seeds, .. } => Some(seeds),
            _ if callee.is_plain() => None,
            _ => return Err(Unsupported("recursion that is tabled")),
        };
        self.rooms.shared.push(Vec::new());
        let around = std::mem::take(&mut self.rooms.gathered);
        let mut gathered = Vec::new();
        for (i, clause) in callee.clauses.iter().enumerate() {
            if seeds.is_none_or(|s| s[i]) {
                let next = self.b.create_block();
                let mut env = self.enter(clause, inputs);
                env.emit = Some(into);
                self.note_beginning(callee, clause, inputs.len());
                gathered.push(self.gathered_by(clause, inputs.len(), env.sets));
                self.block(clause.start, env, next)?;
                self.b.switch_to_block(next);
            }
        }
        self.rooms.shared.pop();
        self.rooms.gathered = around;
        // a round follows an answer of a seed, which has gathered these, if it is the only one
        let gathered = if gathered.len() == 1 { gathered.remove(0) } else { Vec::new() };
        let Some(seeds) = seeds else { return Ok(self.set_at(into).to_vec()) };
        let (whole, delta) = (self.new_set(), self.new_set());
        let first = self.set_at(into);
        self.put_set(whole, &first);
        self.put_set(delta, &first);
        let (begin, done) = (self.b.create_block(), self.b.create_block());
        let some = self.any(&first);
        self.fork(some, begin, done);
        self.b.switch_to_block(begin);
        let mut rounds: Vec<(BlockId, Env)> = Vec::new();
        for (clause, _) in callee.clauses.iter().zip(seeds).filter(|(_, seed)| !**seed) {
            let env = Env { emit: Some(into), ..self.enter(clause, inputs) };
            rounds.push((clause.start, env));
        }
        if let [(start, env)] = rounds.as_slice()
            && self.is_ray(*start)
        {
            let around = std::mem::replace(&mut self.rooms.gathered, gathered);
            self.rays(*start, env, Rounds { into, whole })?;
            self.rooms.gathered = around;
            self.jump(done);
            self.b.switch_to_block(done);
            return Ok(self.set_at(whole).to_vec());
        }
        if let (Recursion::Flood { round: Some(round), .. }, [(start, env)]) =
            (&callee.recursion, rounds.as_mut_slice())
        {
            // the first round does more than the others
            let first = vec![(*start, env.clone())];
            *start = *round;
            let around = std::mem::replace(&mut self.rooms.gathered, gathered);
            self.round(&first, into, whole, delta)?;
            self.rooms.gathered = around;
        }
        let (header, body) = (self.b.create_block(), self.b.create_block());
        self.jump(header);
        self.b.switch_to_block(header);
        let fresh = self.set_at(delta);
        let some = self.any(&fresh);
        self.fork(some, body, done);
        self.b.switch_to_block(body);
        self.step();
        self.round(&rounds, into, whole, delta)?;
        self.jump(header);
        self.b.switch_to_block(done);
        Ok(self.set_at(whole).to_vec())
    }

    /// The sets that a clause gathers by calls on its inputs alone before it has an answer, and that
    /// nothing in it changes: the calls, and the first set variable of each.
    fn gathered_by(
        &self,
        clause: &Body,
        given: usize,
        sets: usize,
    ) -> Vec<(u32, Box<[Operand]>, usize)> {
        let ops = &self.plan.blocks[clause.start];
        let written = |set: SetReg| {
            let all = self.plan.blocks.reached(ops);
            all.iter().filter(|op| op.uses().writes_set == Some(set)).count()
        };
        let before = ops.iter().take_while(|op| op.uses().blocks.is_empty() && !op.is_generator());
        let call = |op: &Op| match op {
            Op::GatherCall { dst, procedure, inputs }
                if inputs.iter().all(|x| is_given(x, given)) && written(*dst) == 1 =>
            {
                Some((*procedure, inputs.clone(), sets + *dst as usize * self.w))
            }
            _ => None,
        };
        before.filter_map(call).collect()
    }

    /// One round of a flood: the elements that follow from those of the last round.
    fn round(
        &mut self,
        blocks: &[(BlockId, Env)],
        into: usize,
        whole: usize,
        delta: usize,
    ) -> Emitted {
        let nothing = self.zero();
        self.put_set(into, &nothing);
        for (start, env) in blocks {
            let next = self.b.create_block();
            let fresh = self.set_at(delta);
            self.put_set(env.sets, &fresh);
            self.block(*start, env.clone(), next)?;
            self.b.switch_to_block(next);
        }
        for i in 0..self.w {
            let found = self.b.use_var(self.sets[into + i]);
            let known = self.b.use_var(self.sets[whole + i]);
            let fresh = self.and_not(found, known);
            let all = self.or(known, fresh);
            self.b.def_var(self.sets[delta + i], fresh);
            self.b.def_var(self.sets[whole + i], all);
        }
        Ok(())
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
                let collected = self.collected_nested(outs.len())?;
                let function = (self.module.function(FunctionKind::Tuples(procedure)))
                    .ok_or(Unsupported("too many functions"))?;
                let mut arguments = vec![self.context, self.base_of(collected)];
                arguments.extend(inputs.iter().map(|n| n.value));
                let count = self.call(function, &arguments);
                self.bail_on(count);
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
fn is_given(x: &Operand, inputs: usize) -> bool {
    match x {
        Operand::Reg(reg) => (*reg as usize) < inputs,
        _ => true,
    }
}
