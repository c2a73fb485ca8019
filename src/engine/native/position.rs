//! The end clauses and the candidates of a position in native code.

use std::mem::offset_of;

use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;

use crate::program::EndKind;

use super::context::Context;
use super::function::{Emitted, Function, Succeed, Unsupported};
use super::module::FunctionKind;
use super::ranks::ranks_early;

impl Function<'_, '_, '_> {
    /// The candidates of the highest rank, as the machine generates them; the caller has made room
    /// for them.
    pub fn moves(&mut self, done: Block) -> Emitted {
        let plan = self.plan;
        if !plan.chance.is_empty() {
            self.chance_events(done)?;
        }
        for (i, group) in plan.groups.iter().enumerate() {
            if ranks_early(plan, group) {
                self.best_candidates(group, done)?;
            } else {
                for clause in &group.clauses {
                    self.write_candidates(false, *clause)?;
                }
            }
            let last = i + 1 == plan.groups.len();
            if group.computed {
                let number = self.c(i as i64);
                self.write_context(offset_of!(Context, group), number);
                self.sift(self.module.helpers.highest);
            } else if !last {
                if group.clauses.iter().any(|c| plan.moves[*c as usize].tested) {
                    self.find_legal()?;
                }
                let total = self.read_context(offset_of!(Context, total));
                let none = self.compare_with(IntCC::Equal, total, 0);
                self.require(none, done);
            }
        }
        self.jump(done);
        Ok(())
    }

    /// The chance events; continues at `done` where any is possible.
    fn chance_events(&mut self, done: Block) -> Emitted {
        let chance = self.c(1);
        self.write_context(offset_of!(Context, chance), chance);
        for clause in 0..self.plan.chance.len() as u16 {
            self.write_candidates(true, clause)?;
        }
        let (some, none) = (self.b.create_block(), self.b.create_block());
        let total = self.read_context(offset_of!(Context, total));
        self.fork(total, some, none);
        self.b.switch_to_block(some);
        self.sift(self.module.helpers.possible);
        let total = self.read_context(offset_of!(Context, total));
        self.fork(total, done, none);
        self.b.switch_to_block(none);
        self.no_candidates();
        Ok(())
    }

    /// Resets the numbers of written candidates.
    pub fn no_candidates(&mut self) {
        let first = self.read_context(offset_of!(Context, segments));
        self.write_context(offset_of!(Context, segment), first);
        let none = self.c(0);
        for offset in [
            offset_of!(Context, kept_count),
            offset_of!(Context, total),
            offset_of!(Context, chance),
        ] {
            self.write_context(offset, none);
        }
    }

    /// `Stuck` in an end clause: the candidates are made once and kept for the next move.
    pub fn stuck(&mut self, fail: Block) -> Emitted {
        let tested = self.plan.moves.iter().any(|clause| clause.tested);
        self.candidates_once(|f| if tested { f.find_legal() } else { Ok(()) })?;
        let total = self.read_context(offset_of!(Context, total));
        let none = self.compare_with(IntCC::Equal, total, 0);
        self.require(none, fail);
        Ok(())
    }

    /// Generates the candidates, and does what follows, unless they have been generated before.
    pub fn candidates_once(&mut self, then: impl FnOnce(&mut Self) -> Emitted) -> Emitted {
        let (make, made) = (self.b.create_block(), self.b.create_block());
        let ready = self.read_context(offset_of!(Context, ready));
        self.fork(ready, made, make);
        self.b.switch_to_block(make);
        let function =
            self.module.function(FunctionKind::Moves).ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let status = self.call(function, &[context]);
        self.bail_on(status);
        let one = self.c(1);
        self.write_context(offset_of!(Context, ready), one);
        then(self)?;
        self.jump(made);
        self.b.switch_to_block(made);
        Ok(())
    }

    /// Removes candidates until one is legal; by machine code, where all clauses have a native
    /// form.
    fn find_legal(&mut self) -> Emitted {
        let tested = self.plan.moves.iter().filter(|clause| clause.tested).count();
        if self.native_clauses(|clause| clause.tested).len() < tested {
            self.sift(self.module.helpers.any_legal);
            return Ok(());
        }
        let function = self.module.function(FunctionKind::AnyLegal);
        let function = function.ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let (search, done) = (self.b.create_block(), self.b.create_block());
        // no player is stuck where there are chance events
        let chance = self.read_context(offset_of!(Context, chance));
        self.fork(chance, done, search);
        self.b.switch_to_block(search);
        let status = self.call(function, &[context]);
        self.bail_on(status);
        self.jump(done);
        self.b.switch_to_block(done);
        Ok(())
    }

    /// Lets the machine remove candidates.
    fn sift(&mut self, helper: usize) {
        let context = self.context;
        let status = self.call_helper(helper, &[context]);
        self.bail_on(status);
    }

    /// The end clauses in order: 0 where none holds, otherwise the clause's number plus one, and in
    /// the lowest byte one bit for each player that it names. Continues at `none` where none holds.
    pub fn ends(&mut self, none: Block) -> Emitted {
        let plan = self.plan;
        for (number, end) in plan.ends.iter().enumerate() {
            let answer = (number as i64 + 1) << 8;
            let next = self.b.create_block();
            match end.kind {
                EndKind::Win | EndKind::Lose => {
                    let players = self.new_variable();
                    let nobody = self.c(0);
                    self.b.def_var(players, nobody);
                    for (i, player) in plan.players.iter().enumerate() {
                        let (found, other) = (self.b.create_block(), self.b.create_block());
                        let registers = end.body.registers.max(1) as usize;
                        let mut env = self.window(registers, end.body.sets as usize);
                        self.give(0, *player, &mut env);
                        env.succeed = Succeed::To(found);
                        let taken = self.rooms.taken.len();
                        self.block(end.body.start, env, other)?;
                        self.release(taken);
                        self.b.switch_to_block(found);
                        let before = self.b.use_var(players);
                        let bit = self.c(1 << i);
                        let both = self.or(before, bit);
                        self.b.def_var(players, both);
                        self.jump(other);
                        self.b.switch_to_block(other);
                    }
                    let named = self.b.use_var(players);
                    let hit = self.b.create_block();
                    self.fork(named, hit, next);
                    self.b.switch_to_block(hit);
                    let answer = self.c(answer);
                    let answer = self.or(answer, named);
                    self.give_back(answer);
                }
                EndKind::Draw | EndKind::Over => {
                    let found = self.b.create_block();
                    let mut env =
                        self.window(end.body.registers.max(1) as usize, end.body.sets as usize);
                    env.succeed = Succeed::To(found);
                    let taken = self.rooms.taken.len();
                    self.block(end.body.start, env, next)?;
                    self.release(taken);
                    self.b.switch_to_block(found);
                    let answer = self.c(answer);
                    self.give_back(answer);
                }
            }
            self.b.switch_to_block(next);
        }
        self.jump(none);
        Ok(())
    }
}
