//! Calls whose answers are gathered into a set.

use std::mem::offset_of;

use cranelift_codegen::ir::Value;

use crate::plan::{Answer, BlockId, Body, Op, Operand, Recursion, SetReg};

use super::calls::{Rounds, is_given};
use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Unsupported};
use super::module::FunctionKind;

impl Function<'_, '_, '_> {
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

    pub fn gather_inline(&mut self, procedure: u32, inputs: &[Number]) -> Emitted<Vec<Value>> {
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
}
