//! Random playouts as one native function: the end clauses, the candidates, the draw among them and
//! the move, ply after ply.
//!
//! The function returns where the game is over, and where the machine has to step in: to draw where
//! a candidate may have to be tried or compared with others, and to test the time.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use crate::plan::MoveClause;
use crate::program::FluentId;

use super::super::segments::{Pick, Segment, with_width};
use super::super::supposed::reads_history;
use super::calls::FOUND;
use super::context::Context;
use super::function::{Emitted, Function, Region, Unsupported};
use super::module::{BAILED, FunctionKind};

// Results of a playout.

/// No end clause holds and there is no candidate.
pub(in crate::engine) const NO_CANDIDATE: i64 = 1;
/// The machine draws a candidate and plays it.
pub(in crate::engine) const DRAW: i64 = 2;
/// A candidate has been drawn, and the machine plays it.
pub(in crate::engine) const DRAWN: i64 = 3;
/// All plies that it may make have been made.
pub(in crate::engine) const LAST_PLY: i64 = 4;
/// The machine tests the time.
pub(in crate::engine) const PAUSE: i64 = 5;
/// Results of the end clauses are greater than this.
pub(in crate::engine) const ENDS: i64 = 255;

/// Steps charged for a ply, in addition to those of its loops.
pub(in crate::engine) const PLY: u64 = 4;

/// Steps charged for a candidate that was tried and is not legal.
const TRIAL: i64 = 32;

/// Why a playout came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Played {
    /// An end clause holds: its number, and a bit for each player that it names.
    Over(usize, u8),
    NoCandidate,
    /// The machine plays the candidate, or draws one.
    Draw(Option<Pick>),
    /// All plies have been made.
    LastPly,
    /// The time has to be tested.
    Pause,
}

/// The most instructions of a function that is inlined into the playout.
const SHORT: usize = 400;
/// The most bytes of the slots of a function that is inlined into one that calls itself.
const FEW_SLOTS: usize = 256;
/// The most words of a state that is copied without a loop.
const FEW_WORDS: usize = 24;

/// The offset of a part of a segment.
macro_rules! segment {
    ($self:ident.$field:ident) => {
        with_width!($self.w, W => offset_of!(Segment<W>, $field))
    };
}
pub(super) use segment;

impl Function<'_, '_, '_> {
    /// Plays random moves until the game is over or the machine has to step in.
    pub fn playout(&mut self) -> Emitted {
        let turn = self.word_of(FluentId::TURN)?;
        let ply = self.b.create_block();
        self.jump(ply);
        self.b.switch_to_block(ply);
        let slice = self.read_context(offset_of!(Context, slice));
        let due = self.compare_with(IntCC::SignedLessThanOrEqual, slice, 0);
        self.return_if(due, PAUSE);
        self.full_steps();
        self.no_candidates();
        let none = self.c(0);
        for offset in [
            offset_of!(Context, trail_len),
            offset_of!(Context, lists_len),
            offset_of!(Context, ready),
        ] {
            self.write_context(offset, none);
        }
        let mover = self.load(Region::State, self.state, turn * 8);
        self.write_context(offset_of!(Context, mover), mover);
        // a ply that is left to the interpreter draws the same numbers again
        let number = self.read_context(offset_of!(Context, number));
        self.write_context(offset_of!(Context, ply_number), number);

        let on = self.b.create_block();
        self.write_ends(on)?;
        self.b.switch_to_block(on);
        self.forget_changes();
        let plies = self.read_context(offset_of!(Context, plies));
        let none = self.compare_with(IntCC::Equal, plies, 0);
        self.return_if(none, LAST_PLY);

        let (make, made) = (self.b.create_block(), self.b.create_block());
        let ready = self.read_context(offset_of!(Context, ready));
        self.fork(ready, made, make);
        self.b.switch_to_block(make);
        self.moves(made)?;
        self.b.switch_to_block(made);

        let played = self.b.create_block();
        self.draw(played)?;
        self.b.switch_to_block(played);
        let plies = self.plus(plies, -1);
        self.write_context(offset_of!(Context, plies), plies);
        self.tell_steps();
        self.charge(PLY as i64);
        self.jump(ply);
        Ok(())
    }

    /// Gives the next ply or position the steps and the calls that it may take.
    pub fn full_steps(&mut self) {
        for (from, to) in [
            (offset_of!(Context, all_steps), offset_of!(Context, steps)),
            (offset_of!(Context, all_depth), offset_of!(Context, depth)),
        ] {
            let value = self.read_context(from);
            self.write_context(to, value);
        }
        self.take_steps();
    }

    /// Charges the slice for the steps since [`Self::full_steps`], and for `more`.
    pub fn charge(&mut self, more: i64) {
        let all = self.read_context(offset_of!(Context, all_steps));
        let left = self.read_context(offset_of!(Context, steps));
        let spent = self.b.ins().isub(all, left);
        let spent = self.plus(spent, more);
        let slice = self.read_context(offset_of!(Context, slice));
        let slice = self.b.ins().isub(slice, spent);
        self.write_context(offset_of!(Context, slice), slice);
    }

    pub fn return_if(&mut self, condition: Value, status: i64) {
        let (back, on) = (self.b.create_block(), self.b.create_block());
        self.fork(condition, back, on);
        self.b.switch_to_block(back);
        let status = self.c(status);
        self.give_back(status);
        self.b.switch_to_block(on);
    }

    /// The end clauses; continues where none holds.
    pub fn write_ends(&mut self, none: Block) -> Emitted {
        let kind = FunctionKind::Ends { whole: true };
        if self.inlines(kind)? {
            return self.as_kind(kind, |f| f.ends(none));
        }
        let function = self.module.function(kind).ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let status = self.call(function, &[context]);
        let back = self.b.create_block();
        self.fork(status, back, none);
        self.b.switch_to_block(back);
        self.give_back(status);
        Ok(())
    }

    /// The candidates of a clause.
    pub fn write_candidates(&mut self, chance: bool, clause: u16) -> Emitted {
        let kind = FunctionKind::Generate { chance, clause };
        let MoveClause { updates, generate, .. } = &self.plan.clauses(chance)[clause as usize];
        let repeats = reads_history(self.plan, generate.start);
        if self.kind == FunctionKind::Playout && !updates && !repeats && self.inlines(kind)? {
            let done = self.b.create_block();
            self.as_kind(kind, |f| f.generate(chance, clause, done))?;
            self.b.switch_to_block(done);
            self.tell_candidates();
            self.segment = None;
            return Ok(());
        }
        let function = self.module.function(kind).ok_or(Unsupported("too many functions"))?;
        let number = self.c(i64::from(clause));
        self.write_context(offset_of!(Context, clause), number);
        let context = self.context;
        // the machine, too, adds the position to the history while it makes candidates
        if repeats {
            self.remember();
        }
        let status = self.call(function, &[context]);
        if repeats {
            self.forget();
        }
        self.bail_on(status);
        Ok(())
    }

    /// Whether a function is written into its caller. A count calls itself, so it must not take much of
    /// the stack.
    fn inlines(&self, kind: FunctionKind) -> Emitted<bool> {
        // its updates are recorded, those of its caller are not
        if let FunctionKind::Apply { chance, clause } = kind
            && self.plan.clauses(chance)[clause as usize].all_ways
        {
            return Ok(false);
        }
        let (instructions, slots) = self.module.size(kind)?;
        Ok(instructions <= SHORT && (self.kind != FunctionKind::Perft || slots <= FEW_SLOTS))
    }

    /// Compiles a part of a function of another kind.
    fn as_kind(&mut self, kind: FunctionKind, write: impl FnOnce(&mut Self) -> Emitted) -> Emitted {
        let own = std::mem::replace(&mut self.kind, kind);
        write(self)?;
        self.kind = own;
        Ok(())
    }

    /// Records that no end clause holds, and nothing has changed since.
    pub fn forget_changes(&mut self) {
        let none = self.c(0);
        if self.plan.watched.is_some() {
            let changed = self.read_context(offset_of!(Context, changed));
            for i in 0..self.w {
                self.store(Region::Changed, none, changed, i * 8);
            }
        }
        let all = self.read_context(offset_of!(Context, all_changed));
        let outlived = self.b.ins().band_imm_u(all, 2);
        self.write_context(offset_of!(Context, all_changed), outlived);
    }

    /// The address of the registers of a segment's candidates.
    pub fn registers_of(&mut self, segment: Value) -> Value {
        let memory = self.read_context(offset_of!(Context, kept));
        let at = self.load_part(segment, segment!(self.registers), types::I32);
        let bytes = self.times(at, 8);
        self.add(memory, bytes)
    }

    /// Plays a candidate, and continues where it is played, where it is not legal, and where the
    /// interpreter has to play it. The last does not occur for a function that is sure.
    pub fn make(
        &mut self,
        clause: u16,
        registers: Value,
        bit: Value,
        [made, refused, left]: [Block; 3],
    ) -> Emitted {
        let kind = FunctionKind::Apply { chance: false, clause };
        let sure = self.module.is_sure(kind);
        if sure && self.inlines(kind)? {
            self.played = Some(made);
            self.as_kind(kind, |f| f.apply(false, clause, registers, bit, refused))?;
            self.played = None;
            return Ok(());
        }
        let function = self.module.function(kind).ok_or(Unsupported("too many functions"))?;
        let context = self.context;
        let status = self.call(function, &[context, registers, bit]);
        let not = self.b.create_block();
        let played = self.compare_with(IntCC::Equal, status, FOUND);
        self.fork(played, made, not);
        self.b.switch_to_block(not);
        match sure {
            true => self.jump(refused),
            false => {
                let leaves = self.compare_with(IntCC::Equal, status, BAILED);
                self.fork(leaves, left, refused);
            }
        }
        Ok(())
    }

    /// Remembers the position among those before it, where the rules ask for repetitions.
    pub fn remember(&mut self) {
        if self.plan.repetition {
            let machine = self.read_context(offset_of!(Context, machine));
            self.call_helper(self.module.helpers.remember, &[machine]);
        }
    }

    /// Remembers the position while candidates are made and undone, where one of them may ask for it.
    pub fn remember_for_trials(&mut self) {
        if self.module.trials_read_history {
            self.remember();
        }
    }

    /// Undoes [`Self::remember_for_trials`].
    pub fn forget_after_trials(&mut self) {
        if self.module.trials_read_history {
            self.forget();
        }
    }

    /// Undoes [`Self::remember`].
    pub fn forget(&mut self) {
        if self.plan.repetition {
            let machine = self.read_context(offset_of!(Context, machine));
            self.call_helper(self.module.helpers.forget, &[machine]);
        }
    }

    /// Undoes a candidate that has been tried.
    pub fn put_back(&mut self, lists: Value) {
        self.undo_candidate(lists);
        self.forget();
        let slice = self.read_context(offset_of!(Context, slice));
        let slice = self.plus(slice, -TRIAL);
        self.write_context(offset_of!(Context, slice), slice);
    }

    /// Copies the state to the copy that is kept while a candidate is tried, or back.
    pub fn copy_state(&mut self, keep: bool) {
        let words = self.plan.opening.len() + 2;
        let kept = self.read_context(offset_of!(Context, before));
        let ends = [(Region::State, self.state), (Region::Before, kept)];
        let [from, to] = if keep { ends } else { [ends[1], ends[0]] };
        if words <= FEW_WORDS {
            for at in 0..words {
                let word = self.load(from.0, from.1, at * 8);
                self.store(to.0, word, to.1, at * 8);
            }
            return;
        }
        let at = self.new_variable();
        let none = self.c(0);
        self.b.def_var(at, none);
        let (copy, done) = (self.b.create_block(), self.b.create_block());
        self.jump(copy);
        self.b.switch_to_block(copy);
        let offset = self.b.use_var(at);
        let (source, target) = (self.add(from.1, offset), self.add(to.1, offset));
        let word = self.load(from.0, source, 0);
        self.store(to.0, word, target, 0);
        let next = self.plus(offset, 8);
        self.b.def_var(at, next);
        let more = self.compare_with(IntCC::UnsignedLessThan, next, words as i64 * 8);
        self.fork(more, copy, done);
        self.b.switch_to_block(done);
    }

    /// Removes a candidate.
    pub fn remove_candidate(&mut self, segment: Value, bit: Value) {
        let first = self.read_context(offset_of!(Context, segments));
        let end = self.read_context(offset_of!(Context, segments_end));
        let word = self.shift_right(bit, 6);
        let bytes = self.times(word, 8);
        let address = self.add(segment, bytes);
        if self.checks.on {
            self.checks.between(address, first, end);
        }
        let one = self.c(1);
        let mask = self.b.ins().ishl(one, bit);
        let set = self.load(Region::Moves, address, segment!(self.set));
        let set = self.and_not(set, mask);
        self.store(Region::Moves, set, address, segment!(self.set));
        let offset = segment!(self.count);
        let count = self.load_part(segment, offset, types::I32);
        let count = self.plus(count, -1);
        self.store_part(offset, count, segment);
        let total = self.read_context(offset_of!(Context, total));
        let total = self.plus(total, -1);
        self.write_context(offset_of!(Context, total), total);
    }

    /// Continues where no earlier candidate can be the same move: it is in the first segment, which
    /// has none of the bits in its row of the table.
    pub fn refuse_duplicates(&mut self, alike: i64, segment: Value, bit: Value, other: Block) {
        let first = self.read_context(offset_of!(Context, segments));
        let behind = self.compare(IntCC::NotEqual, segment, first);
        self.refuse(behind, other);
        let row = self.row_address(alike, bit, self.w);
        for i in 0..self.w {
            let alike = self.load_table(row, i * 8);
            let set = self.load(Region::Moves, segment, segment!(self.set) + i * 8);
            let duplicates = self.and(alike, set);
            self.refuse(duplicates, other);
        }
    }

    /// Stores a part of a segment that has 32 bits.
    pub fn store_part(&mut self, offset: usize, value: Value, segment: Value) {
        self.check(Region::Moves, segment, offset, 4);
        let flags = self.flags(Region::Moves);
        self.b.ins().istore32(flags, value, segment, offset as i32);
    }

    /// A narrow part of a segment.
    pub fn load_part(&mut self, segment: Value, offset: usize, kind: types::Type) -> Value {
        let bytes = i64::from(kind.bytes());
        self.check(Region::Moves, segment, offset, bytes);
        let flags = self.flags(Region::Moves);
        let part = self.b.ins().load(kind, flags, segment, offset as i32);
        self.b.ins().uextend(types::I64, part)
    }
}
