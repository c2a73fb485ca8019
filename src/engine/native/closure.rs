//! Recursive relations all of whose calls read the table that they fill, as two loops.
//!
//! The clauses without recursion give the first answers. Each round then runs every other clause for
//! each answer of the round before (semi-naive evaluation, as in `engine/tabling.rs`, and in the same
//! order).

use cranelift_codegen::ir::condcodes::IntCC;

use crate::plan::{BlockId, OwnCall};

use super::answers::CLOSED;
use super::function::{Answers, Collected, Emitted, Function, Number};

/// The answer that a recursive call of a closure's clause reads.
#[derive(Debug, Clone)]
pub(super) struct Delta {
    /// The body of the call.
    pub body: BlockId,
    /// `None` where there is no answer yet.
    pub codes: Option<Vec<Number>>,
}

impl Function<'_, '_, '_> {
    /// Collects the answers of a closure for these inputs.
    pub fn close(
        &mut self,
        procedure: u32,
        calls: &[Option<OwnCall>],
        inputs: &[Number],
        outs: usize,
    ) -> Emitted<Collected> {
        let plan = self.plan;
        let clauses = &plan.procedures[procedure as usize].clauses;
        let collected = self.collected_in(CLOSED, outs, true)?;
        let collected = self.with_bits(collected, &plan.procedures[procedure as usize].ranges);
        let taken = self.rooms.taken.len();
        let first = |call: &Option<OwnCall>| call.is_none_or(|call| !call.needed);
        for (clause, call) in clauses.iter().zip(calls).filter(|(_, call)| first(call)) {
            let next = self.b.create_block();
            let mut env = self.enter(clause, inputs);
            env.answers = Answers::Collected(collected);
            env.delta = call.map(|call| Delta { body: call.body, codes: None });
            self.block(clause.start, env, next)?;
            self.b.switch_to_block(next);
        }
        let (from, to) = (self.new_variable(), self.new_variable());
        let zero = self.c(0);
        self.b.def_var(from, zero);
        let (round, grows, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.jump(round);
        self.b.switch_to_block(round);
        let (first, end) = (self.b.use_var(from), self.b.use_var(collected.count));
        self.b.def_var(to, end);
        let none = self.compare(IntCC::Equal, first, end);
        self.fork(none, done, grows);
        self.b.switch_to_block(grows);
        for (clause, call) in clauses.iter().zip(calls) {
            let Some(call) = call else { continue };
            let (first, next) = (self.b.use_var(from), self.b.create_block());
            let (here, header) = self.numbers(first, to, None, next);
            self.step();
            let codes = self.answer_at(collected, here);
            let mut env = self.enter(clause, inputs);
            env.answers = Answers::Collected(collected);
            env.delta = Some(Delta { body: call.body, codes: Some(codes) });
            self.block(clause.start, env, header)?;
            self.b.switch_to_block(next);
        }
        let end = self.b.use_var(to);
        self.b.def_var(from, end);
        self.jump(round);
        self.b.switch_to_block(done);
        self.release(taken);
        Ok(collected)
    }
}
