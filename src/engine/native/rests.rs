//! The code behind a call of an action, as a function of its own: it is run for each answer, with the
//! caller's registers in a frame in memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{BlockId, Op, Operand, Reg};

use super::calls::ENOUGH;
use super::function::{
    Answers, Base, Collected, Emitted, Env, Function, Number, Region, Succeed, Unsupported, Words,
};
use super::module::{FunctionKind, Rest};

/// Words of a frame before its registers: the function and the frame that its answers go to.
const FRAME_HEAD: usize = 2;
/// Words of a frame behind its registers and sets: where the answers of a goal go, and their number.
const COLLECTS: usize = 2;
impl Function<'_, '_, '_> {
    /// Compiles the code behind a call as a function of its own.
    pub fn rest(&mut self, rest: &Rest, parameters: &[Value]) -> Emitted {
        let frame = parameters[1];
        self.link.frame = Some(frame);
        if let FunctionKind::Generate { chance, clause } = self.kind
            && !self.plan.clauses(chance)[clause as usize].branching
        {
            self.open_candidates();
        }
        let mut env = self.window(rest.registers, rest.sets);
        if let FunctionKind::Action { .. } = self.kind {
            let function = self.load(Region::Frames, frame, 0);
            let outer = self.load(Region::Frames, frame, 8);
            self.link.continuation = Some((function, outer));
            env.answers = Answers::Stream;
        }
        self.reload(frame, &env);
        if let Some((words, width, repeats)) = rest.collects {
            let behind = FRAME_HEAD + rest.registers + rest.sets * self.w;
            let [base, count] = [behind, behind + 1].map(|at| {
                let variable = self.new_variable();
                let value = self.load(Region::Frames, frame, at * 8);
                self.b.def_var(variable, value);
                variable
            });
            let base = Base::Frame(base, (behind + 1) * 8);
            let collected = Collected { base, words, count, width, repeats, seen: None };
            match rest.answers {
                true => env.answers = Answers::Collected(collected),
                false => env.collect = Some(collected),
            }
        }
        if rest.gathers {
            let at = (FRAME_HEAD + rest.registers + rest.sets * self.w + COLLECTS) * 8;
            let set = self.new_set();
            let words = self.words_at(Some(Region::Frames), frame, at);
            self.put_set(set, &words);
            env.emit = Some(set);
            self.link.gathers = Some((set, at));
        }
        for (reg, value) in rest.outs.iter().zip(&parameters[2..]) {
            self.b.def_var(self.registers[env.registers + *reg as usize], *value);
        }
        if rest.enough {
            env.succeed = Succeed::Caller;
        }
        let exit = self.exits.exit;
        self.block(rest.body, env, exit)
    }

    /// Calls an action; what follows becomes another function, unless it only passes the answer on.
    pub fn call_action(
        &mut self,
        procedure: u32,
        inputs: &[Number],
        outs: &[Reg],
        body: BlockId,
        env: &Env,
        fail: Block,
    ) -> Emitted {
        self.module.may_bail = true;
        let kind = FunctionKind::Action { procedure, trailing: self.trailing };
        // nothing is left to do after the call but to pass its answer on, also behind a choice that it ends
        let mut behind = &self.plan.blocks[body][0];
        while let Op::Continue { rest } = behind {
            behind = &self.plan.blocks[*rest][0];
        }
        let hands_on = matches!((behind, env.answers),
            (Op::Return { outs: given }, Answers::Stream)
                if given.len() == outs.len()
                    && given.iter().zip(outs).all(|(x, reg)| *x == Operand::Reg(*reg)));
        // an action that is run forward has at most one answer: its last call of itself is a loop
        if hands_on
            && self.kind == kind
            && let Some((again, given)) = self.link.again.clone()
        {
            for (variable, input) in given.iter().zip(inputs) {
                self.b.def_var(*variable, input.value);
            }
            self.count_round();
            self.jump(again);
            return Ok(());
        }
        if self.trailing && matches!(self.kind, FunctionKind::Generate { .. }) {
            // in most cases there is no way to the first update, and nothing need be stored
            let found = self.b.create_block();
            self.trailing = false;
            self.alternatives(procedure, inputs, fail, |env| env.guard = Some(found))?;
            self.trailing = true;
            self.b.switch_to_block(found);
        }
        let function = self.module.function(kind).ok_or(Unsupported("too many functions"))?;
        let mut arguments = vec![self.context];
        let mut frame = None;
        match self.link.continuation.filter(|_| hands_on) {
            Some((next, outer)) => arguments.extend([next, outer]),
            None => {
                let (registers, sets) = env.size;
                let collects = collecting(env);
                let rest = Rest {
                    body,
                    outs: outs.to_vec(),
                    registers,
                    sets,
                    enough: env.succeed != Succeed::None,
                    collects: collects.map(|c| (c.words, c.width, c.repeats)),
                    answers: env.collect.is_none() && collects.is_some(),
                    gathers: env.emit.is_some() || env.some.is_some(),
                    trailing: self.trailing,
                };
                let next = self
                    .module
                    .rest(self.kind, rest)
                    .ok_or(Unsupported("too many calls of actions inside each other"))?;
                let behind = FRAME_HEAD + registers + sets * self.w;
                let slot = self.slot(behind + COLLECTS + self.w);
                let address = self.slot_address(slot);
                let (outer, outer_frame) = match self.link.continuation {
                    Some(continuation) => continuation,
                    None => (self.c(0), self.c(0)),
                };
                self.store(Region::Frames, outer, address, 0);
                self.store(Region::Frames, outer_frame, address, 8);
                self.spill_to(address, env);
                if let Some(collected) = collects {
                    let base = self.base_of(collected);
                    let count = self.b.use_var(collected.count);
                    self.store(Region::Frames, base, address, behind * 8);
                    self.store(Region::Frames, count, address, (behind + 1) * 8);
                }
                if let Some(words) = self.gathered_so_far(env) {
                    for (i, word) in words.iter().enumerate() {
                        self.store(Region::Frames, *word, address, (behind + COLLECTS + i) * 8);
                    }
                }
                let next = self.address_of(next);
                arguments.extend([next, address]);
                frame = Some(address);
            }
        }
        arguments.extend(inputs.iter().map(|n| n.value));
        self.tell_rounds();
        self.tell_candidates();
        let nested = self.nested();
        let status = self.call(function, &arguments);
        self.take_candidates();
        if let (Some(frame), Some(collected)) = (frame, collecting(env)) {
            let (registers, sets) = env.size;
            let at = (FRAME_HEAD + registers + sets * self.w + 1) * 8;
            let count = self.load(Region::Frames, frame, at);
            self.b.def_var(collected.count, count);
            if let (Base::Frame(_, at), Some(outer)) = (collected.base, self.link.frame) {
                self.store(Region::Frames, count, outer, at);
            }
        }
        let (registers, sets) = env.size;
        let gathered = (FRAME_HEAD + registers + sets * self.w + COLLECTS) * 8;
        let gathered = match frame {
            Some(frame) if env.emit.is_some() || env.some.is_some() => {
                Some(self.words_at(Some(Region::Frames), frame, gathered))
            }
            _ => None,
        };
        if let (Some(words), Some(first), None) = (&gathered, env.emit, env.some) {
            self.put_gathered(first, words);
        }
        let (back, other) = (self.b.create_block(), self.b.create_block());
        self.fork(status, other, back);
        self.b.switch_to_block(other);
        if let (Succeed::To(block), Some(frame)) = (env.succeed, frame) {
            let here = self.compare_with(IntCC::Equal, status, ENOUGH);
            let (enough, others) = (self.b.create_block(), self.b.create_block());
            self.fork(here, enough, others);
            self.b.switch_to_block(enough);
            self.bail_calls(nested);
            self.reload(frame, env);
            self.jump(block);
            self.b.switch_to_block(others);
        }
        if let (Succeed::Caller, Some(own)) = (env.succeed, frame) {
            // the caller of this function reads its own frame
            let target =
                self.link.frame.ok_or(Unsupported("answers without a caller to go on in"))?;
            self.reload(own, env);
            self.spill_to(target, env);
        }
        match self.exits.bail == self.exits.own_bail {
            true => drop(self.b.ins().return_(&[status])),
            false => {
                let left = self.exits.bail;
                self.jump(left);
            }
        }
        self.b.switch_to_block(back);
        if let (Some(words), Some(found)) = (gathered, env.some) {
            let any = self.any(&words);
            self.refuse(any, found);
        }
        self.jump(fail);
        Ok(())
    }

    /// The set that is being gathered, where the code behind a call goes on with it.
    fn gathered_so_far(&mut self, env: &Env) -> Option<Words> {
        match (env.some, env.emit) {
            (Some(_), _) => Some(self.zero()),
            (None, Some(first)) => Some(self.set_at(first)),
            (None, None) => None,
        }
    }

    pub fn spill_to(&mut self, frame: Value, env: &Env) {
        let (registers, sets) = env.size;
        for i in 0..registers {
            let value = self.b.use_var(self.registers[env.registers + i]);
            self.store(Region::Frames, value, frame, (FRAME_HEAD + i) * 8);
        }
        for i in 0..sets * self.w {
            let value = self.b.use_var(self.sets[env.sets + i]);
            self.store(Region::Frames, value, frame, (FRAME_HEAD + registers + i) * 8);
        }
    }

    fn reload(&mut self, frame: Value, env: &Env) {
        let (registers, sets) = env.size;
        for i in 0..registers {
            let value = self.load(Region::Frames, frame, (FRAME_HEAD + i) * 8);
            self.b.def_var(self.registers[env.registers + i], value);
        }
        for i in 0..sets * self.w {
            let value = self.load(Region::Frames, frame, (FRAME_HEAD + registers + i) * 8);
            self.b.def_var(self.sets[env.sets + i], value);
        }
    }
}

/// Where the answers go that the code behind a call finds: those of a goal around it, or else those of the procedure.
fn collecting(env: &Env) -> Option<Collected> {
    env.collect.or(match env.answers {
        Answers::Collected(collected) => Some(collected),
        _ => None,
    })
}
