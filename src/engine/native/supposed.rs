//! Hypotheses in native code: the state is restored on every way out.
//!
//! Where updates follow each other without a choice between them, the words of the state that they may
//! write are copied before the first of them, and put back. Otherwise what is made by one choice has to
//! be undone before the next, so the updates are recorded on the trail. The interpreter is asked for
//! hypotheses that ask for the legal moves.

use std::collections::BTreeSet;

use cranelift_codegen::ir::Block;

use crate::plan::{Answer, BlockId, Cells, Op};
use crate::program::FluentId;

use super::super::supposed::asks_moves;
use super::function::{Emitted, Env, Function, Region, Succeed};

/// How the updates of a hypothesis are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// From a copy of the words that they may write.
    Copied,
    /// From the trail.
    Undone,
}

/// The most words that are copied.
const COPIED: usize = 256;

impl Function<'_, '_, '_> {
    /// The native form of a procedure that supposes its updates, where it has one.
    pub fn form_of_hypothesis(&self, procedure: u32) -> Option<Form> {
        let callee = &self.plan.procedures[procedure as usize];
        let calls = |start: BlockId| {
            let mut calls = false;
            self.plan.blocks.each(start, &mut |_, op, _| {
                calls |= op.procedure().is_some_and(|p| self.plan.procedures[p as usize].action);
            });
            calls
        };
        if callee.action || asks_moves(self.plan, procedure) {
            return None;
        }
        let calls = callee.clauses.iter().any(|clause| calls(clause.start));
        let forward = || callee.clauses.iter().all(|c| self.updates_forward(c.start, true));
        if !calls && forward() && self.written_words(procedure).len() <= COPIED {
            return Some(Form::Copied);
        }
        // the code behind a call of an action cannot collect answers
        (!calls || callee.answer == Answer::Test).then_some(Form::Undone)
    }

    /// Whether no choice stands between the updates of a block, and none before them unless
    /// `led`, where each choice leads to all of them.
    fn updates_forward(&self, start: BlockId, led: bool) -> bool {
        let line = self.plan.blocks.line(start);
        let updates: Vec<usize> = (0..line.len()).filter(|i| self.has_updates(line[*i])).collect();
        let (Some(first), Some(last)) = (updates.first(), updates.last()) else { return true };
        let from = if led { *first } else { 0 };
        let chosen = line[from..=*last].iter().any(|op| op.is_generator());
        !chosen
            && updates.iter().all(|i| match line[*i] {
                Op::If { condition, then, otherwise, .. } => {
                    !self.writes(*condition)
                        && self.updates_forward(*then, false)
                        && self.updates_forward(*otherwise, false)
                }
                Op::ForEach { goal, action, .. } => {
                    !self.writes(*goal) && self.updates_forward(*action, false)
                }
                Op::Assign { .. } | Op::Clear { .. } | Op::Set { .. } | Op::Again => true,
                _ => false,
            })
    }

    /// Whether an instruction updates the state, itself or in a block that it runs.
    fn has_updates(&self, op: &Op) -> bool {
        is_update(op) || op.uses().blocks.iter().any(|inner| self.writes(inner.block))
    }

    fn writes(&self, start: BlockId) -> bool {
        let mut writes = false;
        self.plan.blocks.each(start, &mut |_, op, _| writes |= is_update(op));
        writes
    }

    /// The words of the state that a procedure may write.
    fn written_words(&self, procedure: u32) -> BTreeSet<usize> {
        let mut words = BTreeSet::new();
        for clause in &self.plan.procedures[procedure as usize].clauses {
            self.plan.blocks.each(clause.start, &mut |_, op, _| match op {
                Op::Assign { fluent, .. } | Op::Clear { fluent, .. } | Op::Set { fluent, .. } => {
                    self.add_words(*fluent, &mut words);
                }
                Op::Again => drop(words.insert(self.turned_word())),
                _ => {}
            });
        }
        words
    }

    fn add_words(&self, fluent: FluentId, words: &mut BTreeSet<usize>) {
        let place = self.plan.layout.place(fluent);
        match place.cells {
            Cells::Word(word) => drop(words.insert(word as usize)),
            Cells::Packed { first, .. } => {
                words.extend((0..place.cell_words()).map(|i| first as usize + i));
            }
            Cells::None => {}
        }
        if let Some(planes) = place.planes {
            let values = place.value.as_ref().map_or(0, |axis| axis.len);
            words.extend((0..values * self.w).map(|i| planes.first as usize + i));
            words.extend((0..self.w).map(|i| planes.defined as usize + i));
        }
        for slices in &place.slices {
            let len = slices.others * place.slice_planes() * self.w;
            words.extend((0..len).map(|i| slices.first as usize + i));
        }
        if fluent == FluentId::TURN {
            words.insert(self.turned_word());
        }
        if self.plan.repetition && !place.aside {
            words.insert(self.hash_word());
        }
    }

    /// Begins a hypothesis at its first instruction or, where words are copied, at the first that
    /// updates the state. Returns the block to which control returns from there.
    pub fn begin_supposing(&mut self, op: &Op, env: &mut Env, fail: Block) -> Emitted<Block> {
        let Some((procedure, form)) = env.supposes else { return Ok(fail) };
        if form == Form::Undone {
            env.supposes = None;
            self.trailing = true;
            let mark = self.mark();
            return self.bail_by(env, fail, &mut |f| f.undo(mark));
        }
        if !self.has_updates(op) {
            return Ok(fail);
        }
        env.supposes = None;
        let words: Vec<usize> = self.written_words(procedure).into_iter().collect();
        let slot = self.slot(words.len());
        let copy = self.slot_address(slot);
        let state = self.state;
        for (i, word) in words.iter().enumerate() {
            let value = self.load(Region::State, state, word * 8);
            self.store(Region::Frames, value, copy, i * 8);
        }
        self.bail_by(env, fail, &mut |f| {
            let (copy, state) = (f.slot_address(slot), f.state);
            for (i, word) in words.iter().enumerate() {
                let value = f.load(Region::Frames, copy, i * 8);
                f.store(Region::State, value, state, word * 8);
            }
        })
    }

    /// Restores the state on each way out of what follows.
    fn bail_by(
        &mut self,
        env: &mut Env,
        fail: Block,
        restore: &mut dyn FnMut(&mut Self),
    ) -> Emitted<Block> {
        let go_on = self.b.create_block();
        self.jump(go_on);
        let mut restoring = |f: &mut Self, next: Block| {
            let block = f.b.create_block();
            f.b.switch_to_block(block);
            restore(f);
            f.jump(next);
            block
        };
        let left = self.exits.bail;
        self.exits.bail = restoring(self, left);
        self.b.set_cold_block(self.exits.bail);
        if let Succeed::To(found) = env.succeed {
            env.succeed = Succeed::To(restoring(self, found));
        }
        let fail = restoring(self, fail);
        self.b.switch_to_block(go_on);
        Ok(fail)
    }
}

fn is_update(op: &Op) -> bool {
    matches!(op, Op::Assign { .. } | Op::Clear { .. } | Op::Set { .. } | Op::Again)
}
