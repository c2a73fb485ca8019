//! The end clauses and the candidates of a position in native code.

use std::mem::offset_of;

use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;

use crate::program::EndKind;

use super::context::Context;
use super::function::{Emitted, Function, Succeed, Unsupported};
use super::unit::Role;

impl Function<'_, '_, '_> {
    /// Candidates by rank, as the machine makes them; the caller has made room for them.
    pub fn moves(&mut self) -> Emitted {
        let (plan, exit) = (self.plan, self.exit);
        if !plan.chance.is_empty() {
            return Err(Unsupported("chance events"));
        }
        for (i, group) in plan.groups.iter().enumerate() {
            let clauses = || group.clauses.iter().map(|c| &plan.moves[*c as usize]);
            let last = i + 1 == plan.groups.len();
            let mixed = clauses().any(|c| c.branching) && !clauses().all(|c| c.branching);
            if group.computed {
                return Err(Unsupported("ranks that are calculated"));
            }
            if mixed {
                return Err(Unsupported("clauses with one way and with several in one rank"));
            }
            for clause in &group.clauses {
                let role = Role::Generate { chance: false, clause: *clause };
                let function = self.unit.function(role).ok_or(Unsupported("too many functions"))?;
                let number = self.c(i64::from(*clause));
                self.write_context(offset_of!(Context, clause), number);
                let context = self.context;
                let status = self.call(function, &[context]);
                self.leave_on(status);
            }
            if !last {
                if clauses().any(|c| c.tested) {
                    self.keep_from_first_legal();
                }
                let total = self.read_context(offset_of!(Context, total));
                let none = self.compare_with(IntCC::Equal, total, 0);
                self.require(none, exit);
            }
        }
        self.jump(exit);
        Ok(())
    }

    /// `Stuck` in an end clause: the candidates are made once and kept for the next move.
    pub fn stuck(&mut self, fail: Block) -> Emitted {
        let (known, make, settled) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let ready = self.read_context(offset_of!(Context, ready));
        self.fork(ready, known, make);
        self.b.switch_to_block(make);
        let function = self.unit.function(Role::Moves).ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let status = self.call(function, &[context]);
        self.leave_on(status);
        let one = self.c(1);
        self.write_context(offset_of!(Context, ready), one);
        if self.plan.moves.iter().any(|c| c.tested) {
            self.keep_from_first_legal();
        }
        self.jump(known);
        self.b.switch_to_block(known);
        let total = self.read_context(offset_of!(Context, total));
        let none = self.compare_with(IntCC::Equal, total, 0);
        self.fork(none, settled, fail);
        self.b.switch_to_block(settled);
        Ok(())
    }

    /// Takes out the candidates before the first that is legal.
    fn keep_from_first_legal(&mut self) {
        let (helper, context) = (self.unit.helpers.any_legal, self.context);
        let status = self.call_helper(helper, &[context]);
        self.leave_on(status);
    }

    /// The end clauses in order: 0 where none holds, else the clause's number plus one and a bit
    /// for each player that it names, in the lowest byte.
    pub fn ends(&mut self) -> Emitted {
        let (plan, exit) = (self.plan, self.exit);
        for (number, end) in plan.ends.iter().enumerate() {
            let answer = (number as i64 + 1) << 8;
            let next = self.b.create_block();
            match end.kind {
                EndKind::Win | EndKind::Lose => {
                    let players = self.new_variable();
                    let none = self.c(0);
                    self.b.def_var(players, none);
                    for (i, player) in plan.players.iter().enumerate() {
                        let (found, other) = (self.b.create_block(), self.b.create_block());
                        let registers = end.body.registers.max(1) as usize;
                        let mut env = self.window(registers, end.body.sets as usize);
                        self.give(0, *player, &mut env);
                        env.succeed = Succeed::To(found);
                        self.block(end.body.start, env, other)?;
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
                    self.block(end.body.start, env, next)?;
                    self.b.switch_to_block(found);
                    let answer = self.c(answer);
                    self.give_back(answer);
                }
            }
            self.b.switch_to_block(next);
        }
        self.jump(exit);
        Ok(())
    }
}
