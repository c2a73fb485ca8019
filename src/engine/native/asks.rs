//! What machine code asks the interpreter for: the answers of recursion that is tabled, of hypotheses
//! without a form of their own (`supposed.rs`), and the legal moves. None changes the state.

use cranelift_codegen::ir::{Block, Value};

use crate::plan::{Code, LISTS, Op, OpId, Operand};

use super::super::machine::{Machine, Tuple};
use super::answers::CLOSED;
use super::function::{Collected, Emitted, Env, Function, Region, Unsupported};
use super::runs::Rooms;

/// The operands of an instruction whose values the interpreter is given.
fn given(op: &Op) -> &[Operand] {
    match op {
        Op::Call { inputs, .. }
        | Op::Test { inputs, .. }
        | Op::Legal { inputs, .. }
        | Op::SomeLegal { inputs, .. } => inputs,
        _ => &[],
    }
}

impl Function<'_, '_, '_> {
    /// The answers of the instruction that is being compiled, each of `outs` codes.
    pub fn ask(&mut self, outs: usize, env: &Env) -> Emitted<Collected> {
        let collected = self.room_for_asked(outs)?;
        let count = self.ask_into(collected, env)?;
        self.b.def_var(collected.count, count);
        Ok(collected)
    }

    /// Room for the answers of an instruction, each of `outs` codes.
    pub fn room_for_asked(&mut self, outs: usize) -> Emitted<Collected> {
        self.collected_in(most_asked(outs), outs, false)
    }

    /// Asks for the answers of the instruction that is being compiled; returns their number.
    pub fn ask_into(&mut self, collected: Collected, env: &Env) -> Emitted<Value> {
        let id = self.module.at.ok_or(Unsupported("a question of no instruction"))?;
        let plan = self.plan;
        // the candidates that `stuck` asks for are made by machine code again
        if !matches!(plan.blocks.op(id), Op::Stuck) {
            self.module.asks.insert(id);
        }
        let given = given(plan.blocks.op(id));
        let inputs = self.slot(given.len());
        let inputs = self.slot_address(inputs);
        for (i, x) in given.iter().enumerate() {
            let value = self.number(*x, env).value;
            self.store(Region::Frames, value, inputs, i * 8);
        }
        let answers = self.base_of(collected);
        let op = self.c(i64::from(id.block.0) << 32 | i64::from(id.number));
        let room = self.c(collected.words.min(most_asked(collected.width - 1)) as i64);
        self.calls = true;
        let context = self.context;
        let count =
            self.call_helper(self.module.helpers.ask, &[context, op, inputs, answers, room]);
        self.bail_on(count);
        Ok(count)
    }
}

/// The most words of the answers of an instruction, each of `outs` codes; one without codes comes once.
fn most_asked(outs: usize) -> usize {
    if outs == 0 { 2 } else { CLOSED }
}

impl Function<'_, '_, '_> {
    /// `Stuck` where the candidates of the position have no room.
    pub fn ask_stuck(&mut self, env: &Env, fail: Block) -> Emitted {
        let answers = self.ask(0, env)?;
        let stuck = self.b.use_var(answers.count);
        self.require(stuck, fail);
        Ok(())
    }
}

impl<const W: usize> Machine<'_, W> {
    /// How many inputs an instruction is asked with, and how many codes an answer has.
    pub(super) fn sizes_of_question(&self, id: OpId) -> (usize, usize) {
        let op = self.plan.blocks.op(id);
        let outs = match op {
            Op::Call { outs, .. } | Op::Legal { outs, .. } => outs.len(),
            _ => 0,
        };
        (given(op).len(), outs)
    }

    /// Writes the answers of an instruction for these inputs, each behind one word that is not used.
    /// Returns their number, `None` where the interpreter has to do the work of machine code.
    pub(super) fn answer(&mut self, id: OpId, given: &[Code], into: &mut [Code]) -> Option<usize> {
        let op = self.plan.blocks.op(id);
        let c = &self.jit.context;
        // the moves of a question would lie where candidates and the trail are
        let makes_moves = matches!(op, Op::Legal { .. } | Op::SomeLegal { .. } | Op::Stuck)
            || op.procedure().is_some_and(|p| self.facts.asks_moves[p as usize]);
        if makes_moves && (c.nested != 0 || c.trail_len != 0) {
            return None;
        }
        if given.iter().any(|code| *code >= LISTS + c.lists_len as Code) {
            return None;
        }
        let answers = self.inside_code(|machine| machine.answers_of(op, given))??;
        let (_, outs) = self.sizes_of_question(id);
        if answers.len() * (outs + 1) > into.len() {
            return None;
        }
        for (answer, room) in answers.iter().zip(into.chunks_exact_mut(outs + 1)) {
            room[1..].copy_from_slice(answer);
        }
        Some(answers.len())
    }

    fn answers_of(&mut self, op: &Op, given: &[Code]) -> Option<Vec<Tuple>> {
        let given: Tuple = given.iter().map(|code| self.known(*code)).collect();
        let found = |found: bool| if found { vec![Tuple::new()] } else { Vec::new() };
        match op {
            Op::Call { procedure, .. } => {
                let mut answers = self.tuples(*procedure, &given, None)?;
                if self.plan.procedures[*procedure as usize].sorted {
                    self.sort(&mut answers);
                }
                Some(answers)
            }
            Op::Test { procedure, .. } => {
                self.tuples(*procedure, &given, None).map(|answers| found(!answers.is_empty()))
            }
            Op::Stuck => self.stuck().map(found),
            Op::Legal { pattern, .. } => self.legal_answers(*pattern, &given),
            Op::SomeLegal { pattern, .. } => {
                self.legal_answers(*pattern, &given).map(|answers| found(!answers.is_empty()))
            }
            _ => None,
        }
    }

    /// A value that is equal to another one exactly if its code is.
    fn known(&mut self, code: Code) -> Code {
        match self.items(code) {
            Some(items) if code >= LISTS => {
                let items: Tuple = items.iter().map(|item| self.known(*item)).collect();
                self.list_of(&items)
            }
            _ => code,
        }
    }

    /// Runs the interpreter in the midst of machine code, with the lists of both. `None` where these
    /// do not fit.
    fn inside_code<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.refuel();
        let rooms = Rooms::of(&self.jit.context);
        let mark = self.mark();
        let (mover, all_changed) = (self.making.mover, self.now.changes.all);
        let own = (std::mem::take(&mut self.stacks.lists), std::mem::take(&mut self.stacks.conses));
        let c = &self.jit.context;
        let lists = c.lists().to_vec();
        // tables hold answers of one arena of lists, and may of one history
        if !own.0.is_empty() || !lists.is_empty() || self.facts.tables_read_history {
            self.stacks.tabling.clear();
        }
        self.making.mover = c.mover as usize;
        self.now.changes.take(c.all_changed);
        for (code, [head, tail]) in (LISTS..).zip(&lists) {
            self.stacks.lists.push((*head, *tail));
            self.stacks.conses.entry((*head, *tail)).or_insert(code);
        }
        let answer = ask(self);
        self.restore(mark);
        rooms.restore(&mut self.jit.context);
        (self.making.mover, self.now.changes.all) = (mover, all_changed);
        let fits = self.jit.context.put_lists(&lists, &self.stacks.lists[lists.len()..]);
        if !self.stacks.lists.is_empty() {
            self.stacks.tabling.clear();
        }
        (self.stacks.lists, self.stacks.conses) = own;
        fits.then_some(answer)
    }
}
