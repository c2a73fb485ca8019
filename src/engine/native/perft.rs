//! Perft as one native function that calls itself.
//!
//! The segments, registers and lists of a position's candidates follow those of the positions above
//! it, and so does its state. Positions that the function cannot count are counted by the machine,
//! one at a time.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::plan::{Plan, RankGroup, Risk};
use crate::program::FluentId;

use super::super::segments::{Segment, with_width};
use super::context::Context;
use super::function::{Emitted, Function, Region, Unsupported};
use super::module::{BAILED, FunctionKind, ModuleBuilder};
use super::playout::segment;
use super::ranks::ranks_early;

/// The count was interrupted, or ended with a rule error.
pub(in crate::engine) const STOPPED: i64 = -2;

/// The most bytes of its slots, which exist once for each nested position.
const SLOTS: usize = 1 << 12;
/// Steps charged for a position.
const POSITION: i64 = 32;

/// Whether sequences of moves can be counted in native code, which supports neither chance events
/// nor the search for the rule errors of all moves of a position, and leaves calculated ranks to
/// the machine, except for [early](ranks_early) ones of moves that need not be compared.
pub(super) fn has_perft(module: &ModuleBuilder<'_>, plan: &Plan) -> bool {
    let fits = plan.moves.iter().enumerate().all(|(number, clause)| {
        let kind = FunctionKind::Apply { chance: false, clause: number as u16 };
        let native = clause.apply.is_some() && module.size(kind).is_ok();
        !clause.faulty && clause.risk != Risk::Always && (native || clause.branching)
    });
    let repeats = plan.moves.iter().any(|clause| clause.repeats);
    let ranked = |group: &RankGroup| !group.computed || (!repeats && ranks_early(plan, group));
    fits && plan.chance.is_empty() && plan.groups.iter().all(ranked)
}

/// The clauses whose candidates leave a position to the machine: those above others whose moves
/// have to be compared, which may be a rule error.
fn left_clauses(plan: &Plan) -> Vec<u16> {
    let repeats = |clause: &u16| plan.moves[*clause as usize].repeats;
    let groups = plan.groups.iter().enumerate();
    let above = groups
        .filter(|(i, _)| plan.groups[i + 1..].iter().flat_map(|group| &group.clauses).any(repeats));
    above.flat_map(|(_, group)| group.clauses.iter().copied()).collect()
}

impl Function<'_, '_, '_> {
    /// Adds the number of sequences of `depth` moves from the current state to [`Context::leaves`].
    /// The moves of the last ply are made too where `all` is not 0. The caller restores the state,
    /// the candidates and the lists.
    pub fn perft(&mut self, depth: Value, all: Value) -> Emitted {
        let plan = self.plan;
        let left_clauses = left_clauses(plan);
        self.begin_position()?;
        if plan.moves.iter().any(|clause| clause.repeats) {
            self.candidates()?;
            let first = self.read_context(offset_of!(Context, segments));
            let end = self.read_context(offset_of!(Context, segment));
            self.distinct(first, end)?;
            self.each_segment(first, end, |f, segment, next| {
                f.by_clause(segment, &left_clauses, next, |f, _| {
                    let left = f.exits.bail;
                    f.jump(left);
                    Ok(())
                })?;
                f.module.may_bail = true;
                Ok(())
            })?;
        }
        for clause in &plan.moves {
            if clause.risk != Risk::Never {
                let risky = self.is_risky(clause)?;
                self.bail_if(risky);
            }
        }
        let on = self.b.create_block();
        self.write_ends(on)?;
        self.b.switch_to_block(on);
        self.forget_changes();
        self.candidates()?;
        self.tell_steps();
        self.charge(POSITION);

        let (inner, last) = (self.b.create_block(), self.b.create_block());
        let is_last = self.compare_with(IntCC::Equal, depth, 1);
        self.fork(is_last, last, inner);
        self.b.switch_to_block(last);
        self.count_last(all)?;
        self.b.switch_to_block(inner);
        self.count_inner(depth, all)?;
        let small = self.slots <= SLOTS;
        small.then_some(()).ok_or(Unsupported("too much of the stack"))
    }

    /// The steps, the trail and the candidates of a position, and the player to move.
    fn begin_position(&mut self) -> Emitted {
        self.full_steps();
        let slice = self.read_context(offset_of!(Context, slice));
        let (pause, on) = (self.b.create_block(), self.b.create_block());
        let due = self.compare_with(IntCC::SignedLessThanOrEqual, slice, 0);
        self.fork(due, pause, on);
        self.b.switch_to_block(pause);
        let context = self.context;
        let status = self.call_helper(self.module.helpers.pause, &[context]);
        let stopped = self.b.create_block();
        self.fork(status, stopped, on);
        self.b.switch_to_block(stopped);
        self.give_back(status);
        self.b.switch_to_block(on);
        let nodes = self.read_context(offset_of!(Context, nodes));
        let nodes = self.plus(nodes, 1);
        self.write_context(offset_of!(Context, nodes), nodes);
        let first = self.read_context(offset_of!(Context, segment));
        self.write_context(offset_of!(Context, segments), first);
        let none = self.c(0);
        for offset in [
            offset_of!(Context, total),
            offset_of!(Context, chance),
            offset_of!(Context, ready),
            offset_of!(Context, trail_len),
        ] {
            self.write_context(offset, none);
        }
        let turn = self.word_of(FluentId::TURN)?;
        let mover = self.load(Region::State, self.state, turn * 8);
        self.write_context(offset_of!(Context, mover), mover);
        Ok(())
    }

    /// The position's candidates, unless there are more than it may have.
    fn candidates(&mut self) -> Emitted {
        self.candidates_once(|_| Ok(()))?;
        let total = self.read_context(offset_of!(Context, total));
        let most = self.read_context(offset_of!(Context, most));
        let beyond = self.compare(IntCC::UnsignedGreaterThan, total, most);
        self.bail_if(beyond);
        Ok(())
    }

    /// Leaves positions with two candidates that may be the same move.
    fn distinct(&mut self, first: Value, end: Value) -> Emitted {
        let compared = self.plan.moves.iter().zip(0..).filter(|(clause, _)| clause.repeats);
        let compared: Vec<u16> = compared.map(|(_, number)| number).collect();
        let total = self.new_variable();
        let all = compared.len() == self.plan.moves.len();
        let known = if all { self.read_context(offset_of!(Context, total)) } else { self.c(0) };
        self.b.def_var(total, known);
        if !all {
            self.each_segment(first, end, |f, segment, next| {
                f.by_clause(segment, &compared, next, |f, _| {
                    let count = f.load_part(segment, segment!(f.count), types::I32);
                    let before = f.b.use_var(total);
                    let with = f.add(before, count);
                    f.b.def_var(total, with);
                    f.jump(next);
                    Ok(())
                })
            })?;
        }
        let total = self.b.use_var(total);
        let several = self.compare_with(IntCC::UnsignedGreaterThan, total, 1);
        let (compare, done) = (self.b.create_block(), self.b.create_block());
        self.fork(several, compare, done);
        self.b.switch_to_block(compare);
        let context = self.context;
        let status = self.call_helper(self.module.helpers.distinct, &[context]);
        self.bail_on(status);
        self.jump(done);
        self.b.switch_to_block(done);
        Ok(())
    }

    /// Counts the candidates that are legal.
    fn count_last(&mut self, all: Value) -> Emitted {
        let (count, make) = (self.b.create_block(), self.b.create_block());
        if self.plan.moves.iter().any(|clause| clause.tested) {
            self.jump(make);
        } else {
            self.fork(all, make, count);
        }
        self.b.switch_to_block(make);
        let total = self.read_context(offset_of!(Context, total));
        let (try_all, left) = (self.b.create_block(), self.b.create_block());
        self.fork(total, try_all, count);
        self.b.switch_to_block(try_all);
        let slice = self.read_context(offset_of!(Context, slice));
        let cost = self.times(total, POSITION);
        let slice = self.b.ins().isub(slice, cost);
        self.write_context(offset_of!(Context, slice), slice);
        self.copy_state(true);
        self.remember_for_trials();
        let trials =
            self.module.function(FunctionKind::Trials).ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let status = self.call(trials, &[context, all]);
        self.forget_after_trials();
        let leaves = self.compare_with(IntCC::Equal, status, BAILED);
        self.fork(leaves, left, count);
        self.b.switch_to_block(left);
        self.module.may_bail = true;
        let left = self.exits.bail;
        self.jump(left);

        self.b.switch_to_block(count);
        let leaves = self.read_context(offset_of!(Context, leaves));
        let total = self.read_context(offset_of!(Context, total));
        let leaves = self.add(leaves, total);
        self.write_context(offset_of!(Context, leaves), leaves);
        let done = self.c(0);
        self.give_back(done);
        Ok(())
    }

    /// Plays each candidate and counts from there.
    fn count_inner(&mut self, depth: Value, all: Value) -> Emitted {
        let context = self.context;
        let depth = self.plus(depth, -1);
        let perft =
            self.module.function(FunctionKind::Perft).ok_or(Unsupported("too many functions"))?;
        let words = self.plan.opening.len() as i64 + 2;
        let rooms = [
            offset_of!(Context, segments),
            offset_of!(Context, segment),
            offset_of!(Context, kept_count),
            offset_of!(Context, lists_len),
            offset_of!(Context, results_len),
            offset_of!(Context, saved_len),
            offset_of!(Context, before),
            offset_of!(Context, mover),
        ]
        .map(|offset| (offset, self.read_context(offset)));
        let [first, end, ..] = rooms.map(|(_, value)| value);
        let before = self.read_context(offset_of!(Context, before));
        self.copy_state(true);
        self.remember();
        let stop = self.b.create_block();
        let (redo, status) = (self.new_variable(), self.new_variable());
        let clauses: Vec<u16> = (0..self.plan.moves.len() as u16).collect();
        let left = self.b.create_block();
        self.each_segment(first, end, |f, segment, next| {
            f.by_clause(segment, &clauses, left, |f, number| {
                f.each_candidate(segment, end, |f, bit, more| {
                    let again = f.b.create_block();
                    let first_time = f.c(0);
                    f.b.def_var(redo, first_time);
                    f.jump(again);
                    f.b.switch_to_block(again);
                    f.full_steps();
                    let (made, undo) = (f.b.create_block(), f.b.create_block());
                    if f.plan.moves[number as usize].branching {
                        f.call_helper(f.module.helpers.take_result, &[context, segment]);
                        f.jump(made);
                    } else {
                        let registers = f.registers_of(segment);
                        f.make(number, registers, bit, [made, undo, left])?;
                    }

                    f.b.switch_to_block(made);
                    let behind = f.plus(before, words * 8);
                    f.write_context(offset_of!(Context, before), behind);
                    let [count, ask, counted, leave] = [(); 4].map(|()| f.b.create_block());
                    let leaves = f.read_context(offset_of!(Context, leaves));
                    let second = f.b.use_var(redo);
                    f.fork(second, ask, count);
                    f.b.switch_to_block(count);
                    let answer = f.call(perft, &[context, depth, all]);
                    f.b.def_var(status, answer);
                    let is_left = f.compare_with(IntCC::Equal, answer, BAILED);
                    f.fork(is_left, leave, counted);

                    // the machine counts after the same move
                    f.b.switch_to_block(leave);
                    f.write_context(offset_of!(Context, leaves), leaves);
                    for (offset, value) in rooms {
                        f.write_context(offset, value);
                    }
                    f.copy_state(false);
                    let second_time = f.c(1);
                    f.b.def_var(redo, second_time);
                    f.jump(again);
                    f.b.switch_to_block(ask);
                    let answer = f.call_helper(f.module.helpers.count, &[context, depth]);
                    f.b.def_var(status, answer);
                    f.jump(counted);

                    f.b.switch_to_block(counted);
                    for (offset, value) in rooms {
                        f.write_context(offset, value);
                    }
                    let answer = f.b.use_var(status);
                    let stopped = f.compare_with(IntCC::Equal, answer, STOPPED);
                    f.fork(stopped, stop, undo);
                    f.b.switch_to_block(undo);
                    f.copy_state(false);
                    f.jump(more);
                    Ok(())
                })?;
                f.jump(next);
                Ok(())
            })
        })?;
        self.forget();
        let done = self.c(0);
        self.give_back(done);
        self.b.switch_to_block(stop);
        self.forget();
        let stopped = self.c(STOPPED);
        self.give_back(stopped);
        self.b.switch_to_block(left);
        self.forget();
        self.module.may_bail = true;
        let left = self.exits.bail;
        self.jump(left);
        Ok(())
    }
}
