//! Calls between Rust and native code. This is the only file with `unsafe`.
//!
//! Native code reads and writes the machine's memory through the addresses in a [`Context`]. They
//! are set before each call and stay valid until it returns: a function that native code calls back
//! neither grows nor moves a vector that native code writes. Native code never writes beyond the
//! room given in the context; if the room is too small it bails out.
//! `benches/README.md` reports the speed-up.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;

use cranelift_jit::JITModule;

use crate::plan::{BlockId, Code, OpId, Plan};
use crate::program::ArithmeticOp;

use super::super::machine::{Flow, Machine};
use super::super::perft::Perft;
use super::super::random::{Ahead, Random};
use super::super::segments::{Moves, Pick, Segment, with_width};
use super::arithmetic::NO_NUMBER;
use super::checks::{leaves, violated};
use super::context::{CANARY, Context};
use super::module::{BAILED, Finished, FunctionKind, Helpers, ModuleBuilder};
use super::perft::STOPPED;
use super::playout::{self, Played};
use super::ranks::sums;
use super::report::CodeReport;
use super::runs::{Adopted, Rooms};
use super::tables::NONE;
use super::tables::Tables;

/// The most plies that native code counts: each takes the stack of one function.
const DEEPEST: u32 = 64;
/// The number of positions after which it is decided whether native code is worthwhile for a count.
const MANY: u64 = 1 << 12;

type Entry = unsafe extern "C" fn(*mut Context) -> i64;
type TrialsEntry = unsafe extern "C" fn(*mut Context, u64) -> i64;
pub(super) type SumEntry = TrialsEntry;
type PerftEntry = unsafe extern "C" fn(*mut Context, u64, u64) -> i64;
pub(super) type ApplyEntry = unsafe extern "C" fn(*mut Context, *const Code, u64) -> i64;

/// The machine code of one plan.
pub(in crate::engine) struct Native {
    ends: Entry,
    /// Random moves until the game is over, if all that takes has a native form.
    playout: Option<Entry>,
    /// The candidates of a position.
    moves: Option<Entry>,
    /// Candidates that are tried.
    trials: Option<TrialsEntry>,
    /// Counts sequences of moves.
    perft: Option<PerftEntry>,
    /// By clause: those of moves, then those of chance events.
    pub(super) generate: [Vec<Entry>; 2],
    /// With true for a function that never bails out.
    pub(super) apply: [Vec<Option<(ApplyEntry, bool)>>; 2],
    /// The rank or the weight of a candidate.
    pub(super) numbers: [Vec<Option<ApplyEntry>>; 2],
    /// By procedure, the sum of its numbers for a player.
    pub(super) sums: Vec<(u32, SumEntry)>,
    module: ManuallyDrop<JITModule>,
    /// The number of functions that the code generator's verifier has refused.
    pub flawed: u64,
    pub report: CodeReport,
    /// The tables at addresses in the code.
    _tables: Tables,
}

// SAFETY: the code is mapped for the whole process, and is neither written nor unmapped before
// `drop`. The addresses in it are those of `_tables`, which nothing changes, and of functions of
// this file. All else that it touches is given by the caller's context and stack.
unsafe impl Send for Native {}
unsafe impl Sync for Native {}

// SAFETY: the addresses in it are read by native code only, which is called after `ready_context`
// has set them, by the thread that has the machine by `&mut`. `trail` and `lists` are addresses of
// boxes that the context owns.
unsafe impl Send for Context {}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Native")
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: functions of the module are called through `&'p Native` of a machine only, which
        // borrows the game that owns this code, so none runs now or later. The module is taken out
        // once, here.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
    }
}

impl Native {
    /// Compiles a plan. `None` if the code generator does not support this machine, or after an
    /// interruption.
    pub fn compile(plan: &Plan, checked: bool, interrupted: &dyn Fn() -> bool) -> Option<Native> {
        let helpers = with_width!(plan.layout.words, W => helpers::<W>());
        // cells are read as bytes of words
        if cfg!(target_endian = "big") {
            return None;
        }
        let mut module = ModuleBuilder::new(plan, helpers, checked)?;
        module.declare_entries()?;
        let Finished { module, tables, functions, sure, empty, flawed, report } =
            module.finish(interrupted)?;
        let at = |kind: FunctionKind| Some(module.get_finalized_function(*functions.get(&kind)?));
        let whole = |kind: FunctionKind| at(kind).filter(|_| !empty.contains(&kind));
        // SAFETY: `at` gives the address of a finished function. `ModuleBuilder::function` declares those of
        // the roles asked for here with one argument, those of `FunctionKind::Trials` and `FunctionKind::Sum` with
        // two, and those of `FunctionKind::Apply`, `FunctionKind::Number` and `FunctionKind::Perft` with three, of 64
        // bits each in the platform's calling convention, and one result of 64 bits; so are the types. The addresses
        // are kept beside the module, which keeps the code.
        let entry = |code| unsafe { std::mem::transmute::<*const u8, Entry>(code) };
        // SAFETY: see above.
        let of_candidate = |code| unsafe { std::mem::transmute::<*const u8, ApplyEntry>(code) };
        // SAFETY: see above.
        let of_word = |code| unsafe { std::mem::transmute::<*const u8, TrialsEntry>(code) };
        // SAFETY: see above.
        let of_words = |code| unsafe { std::mem::transmute::<*const u8, PerftEntry>(code) };
        let ends = entry(at(FunctionKind::Ends { whole: false })?);
        let playout = whole(FunctionKind::Playout).map(entry);
        let moves = whole(FunctionKind::Moves).map(entry);
        let trials = whole(FunctionKind::Trials).map(of_word);
        let perft = whole(FunctionKind::Perft).map(of_words);
        let (mut generate, mut apply) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut numbers = [Vec::new(), Vec::new()];
        for (chance, count) in [(false, plan.moves.len()), (true, plan.chance.len())] {
            for clause in 0..count as u16 {
                let side = usize::from(chance);
                generate[side].push(entry(at(FunctionKind::Generate { chance, clause })?));
                let kind = FunctionKind::Apply { chance, clause };
                apply[side].push(at(kind).map(|code| (of_candidate(code), sure.contains(&kind))));
                numbers[side]
                    .push(whole(FunctionKind::Number { chance, clause }).map(of_candidate));
            }
        }
        let sum = |procedure| Some((procedure, whole(FunctionKind::Sum(procedure)).map(of_word)?));
        let sums = sums(plan).filter_map(sum).collect();
        let module = ManuallyDrop::new(module);
        Some(Native {
            ends,
            playout,
            moves,
            trials,
            perft,
            generate,
            apply,
            numbers,
            sums,
            module,
            flawed,
            report,
            _tables: tables,
        })
    }
}

impl<const W: usize> Machine<'_, W> {
    /// Adds the candidates of a clause to `out`. Returns false if the interpreter has to do it.
    pub(in crate::engine) fn native_generate(&mut self, number: u16, chance: bool) -> bool {
        let Some(native) = self.jit.native else { return false };
        let function = 1 + number as usize * 2 + usize::from(chance);
        if !self.trusts(function) {
            return false;
        }
        let (segments, registers) = (self.room.out.segments.len(), self.room.out.registers.len());
        let (results, lists) = (self.room.out.results.len(), self.room.out.lists.len());
        let total = self.room.out.total;
        self.jit.context.clause = u64::from(number);
        self.jit.context.mover = self.making.mover as u64;
        self.open_moves(chance);
        let context = self.ready_context();
        // SAFETY: the function takes a context. `ready_context` and `open_moves` have set all its
        // addresses just now: `out` has room for `jit.segments` segments and their registers, of which
        // the function writes no more, and neither `state` nor `changed` are resized by anything
        // that it calls back. Nothing of this machine is borrowed during the call.
        let status = unsafe { native.generate[usize::from(chance)][number as usize](context) };
        self.look_behind();
        if status != BAILED {
            let _ = self.close_moves();
        }
        self.note(function, status);
        if status != BAILED && self.room.out.total <= self.fuel.budget.answers as u64 {
            self.jit.counts.moves += 1;
            return true;
        }
        self.put_back();
        self.room.out.segments.truncate(segments);
        self.room.out.registers.truncate(registers);
        self.room.out.results.truncate(results);
        self.room.out.lists.truncate(lists);
        self.room.out.total = total;
        false
    }

    /// Generates the chance events or candidates of the position, as [`Machine::next_moves`] does. Returns false if
    /// the machine has to do it clause by clause, with `moves` in any state.
    pub(in crate::engine) fn native_moves(&mut self, moves: &mut Box<Moves<W>>) -> bool {
        let Some(entry) = self.jit.native.and_then(|native| native.moves) else { return false };
        let function = self.trials_function() + 2;
        // errors of moves that are not made are looked for clause by clause
        if self.strict || !self.trusts(function) {
            return false;
        }
        self.clear_stacks();
        moves.clear(false);
        std::mem::swap(&mut self.room.out, moves);
        self.making.chance = false;
        self.making.mover = self.turn_at_work();
        self.jit.context.mover = self.making.mover as u64;
        self.open_moves(false);
        self.room.before.resize(self.now.state.len(), 0);
        self.jit.context.before = self.room.before.as_mut_ptr();
        let context = self.ready_context();
        // SAFETY: as in `native_generate`. `before` is as long as the state, and stays where it is while it gets no
        // longer.
        let status = unsafe { entry(context) };
        self.look_behind();
        if status == BAILED {
            self.put_back();
        } else {
            let _ = self.close_moves();
            self.jit.counts.moves += 1;
        }
        self.note(function, status);
        std::mem::swap(&mut self.room.out, moves);
        status != BAILED && moves.total <= self.fuel.budget.answers as u64
    }

    /// Lets native code append candidates to those of `out`: there is room for `jit.segments` of them,
    /// for the registers that they keep, and for the marks behind both.
    pub(super) fn make_room(&mut self) {
        let most = self.jit.segments;
        let kept = most * self.facts.widest;
        self.room.out.segments.reserve(most + 1);
        self.room.out.registers.reserve(kept + 1);
        let (segments, registers) = (self.room.out.segments.len(), self.room.out.registers.len());
        let c = &mut *self.jit.context;
        c.kept = self.room.out.registers.as_mut_ptr();
        c.kept_count = registers as u64;
        // SAFETY: `segments` and `registers` are the vectors' lengths, and their capacities are at
        // least `most + 1` and `kept + 1` more. So all lie within their allocations.
        unsafe {
            let first = self.room.out.segments.as_mut_ptr();
            c.segments = first.cast();
            c.segment = first.add(segments).cast();
            c.segments_end = first.add(segments + most).cast();
            c.kept_end = c.kept.add(registers + kept);
        }
        if self.jit.checked {
            // SAFETY: there is room for one segment, which is larger than a word, and one register
            // behind both ends.
            unsafe {
                c.segments_end.cast::<u64>().write(CANARY);
                c.kept_end.write(CANARY as Code);
            }
        }
    }

    /// Lets native code continue after a candidate that was recorded among those of nested
    /// positions.
    fn reopen_moves(&mut self) {
        let c = &mut *self.jit.context;
        // SAFETY: `has_room` has seen that there was room for one segment and its registers more, so
        // neither vector was moved, and what is set here lies within them.
        c.segment =
            unsafe { self.room.out.segments.as_mut_ptr().add(self.room.out.segments.len()) }.cast();
        c.kept_count = self.room.out.registers.len() as u64;
        (c.results_len, c.saved_len) =
            (self.room.out.results.len() as u64, self.room.out.lists.len() as u64);
    }

    /// In the checking mode, ends the process if native code wrote beyond its room.
    fn look_behind(&self) {
        if !self.jit.checked {
            return;
        }
        let c = &*self.jit.context;
        let behind = c.segments_end.is_null() || {
            // SAFETY: `make_room` wrote both, and nothing but itself resizes their vectors during a
            // run.
            unsafe {
                c.segments_end.cast::<u64>().read() == CANARY && c.kept_end.read() == CANARY as Code
            }
        };
        if !behind {
            violated("native code wrote behind its room for moves");
        }
        self.look_behind_context();
    }

    /// Extends the vectors by the candidates that native code has written. Returns the registers of
    /// these that were lists, and what native code had in them.
    pub(super) fn close_moves(&mut self) -> Adopted {
        self.take_moves();
        self.adopt_lists()
    }

    /// The same without a look at lists, which stay those of native code.
    fn take_moves(&mut self) {
        let c = &*self.jit.context;
        self.room.out.chance = c.chance != 0;
        // candidates of an earlier ply may have been in the same room
        self.room.out.settled = false;
        // SAFETY: `make_room` set `segment` and `kept_count` to the end of what the vectors hold,
        // which are still the same allocations. Native code moves each on only behind what it has
        // written, whole segments and registers, and not beyond the capacity.
        unsafe {
            let next = c.segment.cast::<Segment<W>>();
            let count = next.offset_from(self.room.out.segments.as_ptr()) as usize;
            debug_assert!(count <= self.room.out.segments.capacity());
            debug_assert!(c.kept_count as usize <= self.room.out.registers.capacity());
            self.room.out.segments.set_len(count);
            self.room.out.registers.set_len(c.kept_count as usize);
        }
        self.room.out.total = c.total;
    }

    /// Plays at most `plies` random moves from the current state, and subtracts the moves made from
    /// `plies`. Candidates for a draw by the machine are in `out`: those of the highest rank that
    /// has any; they may repeat, and those of some clauses still have to be tried. `None` leaves the
    /// next ply to the interpreter.
    pub(in crate::engine) fn native_playout(
        &mut self,
        random: &mut Random<Ahead>,
        plies: &mut u64,
    ) -> Option<Played> {
        let playout = self.jit.native?.playout?;
        if !self.trusts(0) {
            return None;
        }
        self.room.out.clear(false);
        self.clear_lists();
        self.fault = None;
        self.making.chance = false;
        self.open_moves(false);
        self.room.before.resize(self.now.state.len(), 0);
        let (numbers, slice) = (random.numbers().as_ptr_range(), self.fuel.slice());
        let c = &mut *self.jit.context;
        c.plies = *plies;
        c.slice = slice as i64;
        c.before = self.room.before.as_mut_ptr();
        (c.numbers, c.number, c.numbers_end) = (numbers.start, numbers.start, numbers.end);
        c.ply_number = numbers.start;
        let context = self.ready_context();
        // SAFETY: as in `native_generate`; each ply writes its candidates into the same room again.
        // `before` is as long as the state, and stays where it is while it gets no longer.
        // `random` is not used during the call, and numbers are read before their end.
        let status = unsafe { playout(context) };
        self.look_behind();
        let c = &*self.jit.context;
        let next = if status == BAILED { c.ply_number } else { c.number };
        random.take((next as usize - c.numbers as usize) / size_of::<u64>());
        let made = *plies - c.plies;
        *plies = c.plies;
        self.fuel.drain((slice as i64).saturating_sub(c.slice) as u64);
        self.now.changes.take(c.all_changed);
        self.now.version += 1;
        // a draw's candidates have been made too
        let draws = status == playout::DRAW || status == playout::DRAWN;
        self.jit.counts.moves += made + u64::from(draws);
        self.now.hash_stale |= made > 0 && !self.plan.repetition;
        self.making.mover = self.turn_at_work();
        let size = size_of::<Segment<W>>();
        let segment = (c.drawn as usize).wrapping_sub(c.segments as usize) / size;
        let drawn = Pick { segment: segment as u32, bit: c.drawn_bit as u32 };
        self.note(0, status);
        Some(match status {
            playout::NO_CANDIDATE => Played::NoCandidate,
            playout::LAST_PLY => Played::LastPly,
            playout::PAUSE => Played::Pause,
            playout::DRAW | playout::DRAWN => {
                let _ = self.close_moves();
                Played::Draw((status == playout::DRAWN).then_some(drawn))
            }
            status if status > playout::ENDS => {
                Played::Over(((status >> 8) - 1) as usize, (status & 0xff) as u8)
            }
            _ => {
                debug_assert_eq!(status, BAILED);
                self.put_back();
                self.now.changes.all = true;
                return None;
            }
        })
    }

    /// Tries candidates in native code, see [`super::function::Function::trials`]. Segments that are
    /// not marked as tried afterwards are left to the interpreter.
    pub(in crate::engine) fn native_trials(&mut self, moves: &mut Moves<W>, all: bool) {
        let Some(trials) = self.jit.native.and_then(|native| native.trials) else { return };
        let function = self.trials_function();
        if moves.chance || !moves.lists.is_empty() || !self.trusts(function) {
            return;
        }
        self.room.before.clear();
        self.room.before.extend_from_slice(&self.now.state);
        let rooms = Rooms::of(&self.jit.context);
        let (mover, before) = (self.making.mover as u64, self.room.before.as_mut_ptr());
        let c = &mut *self.jit.context;
        (c.trail_len, c.lists_len, c.chance) = (0, 0, 0);
        (c.mover, c.total, c.before) = (mover, moves.total, before);
        let segments = moves.segments.as_mut_ptr_range();
        (c.segments, c.segment) = (segments.start.cast(), segments.end.cast());
        c.segments_end = c.segment;
        let registers = moves.registers.as_mut_ptr_range();
        (c.kept, c.kept_end) = (registers.start, registers.end);
        let context = self.ready_context();
        // SAFETY: the function takes a context and a word. `ready_context` and the lines above have
        // set the addresses that it uses: it reads the registers of the segments of `moves`, writes
        // inside these segments alone, and `before` is as long as the state. Neither is used or
        // resized by anything else during the call.
        let status = unsafe { trials(context, u64::from(all)) };
        self.look_behind_context();
        moves.total = self.jit.context.total;
        rooms.restore(&mut self.jit.context);
        self.note(function, status);
        self.now.version += 1;
        if status == BAILED {
            self.now.state.copy_from_slice(&self.room.before);
            self.fault = None;
        }
    }

    /// The number of sequences of `depth` moves from the current state, which is restored. `None`
    /// leaves the position to the interpreter.
    pub(in crate::engine) fn native_perft(
        &mut self,
        depth: u32,
        work: &mut Perft<'_>,
    ) -> Option<Result<u64, ()>> {
        let perft = self.jit.native.and_then(|native| native.perft)?;
        let function = self.trials_function() + 1;
        if depth > DEEPEST || !self.trusts(function) {
            return None;
        }
        self.room.out.clear(false);
        self.clear_lists();
        self.fault = None;
        self.making.chance = false;
        self.open_moves(false);
        let words = self.now.state.len();
        let left_before = work.left_positions;
        let mut states = vec![0; words * (depth as usize + 1)];
        let (root, below) = states.split_at_mut(words);
        root.copy_from_slice(&self.now.state);
        let slice = self.fuel.slice() as i64;
        let c = &mut *self.jit.context;
        (c.leaves, c.nodes, c.nested) = (0, 0, 1);
        (c.results_len, c.saved_len) = (0, 0);
        (c.before, c.slice) = (below.as_mut_ptr(), slice);
        c.work = (&raw mut *work).cast::<c_void>();
        let context = self.ready_context();
        // positions with updates that may be rule errors are left to the machine
        self.jit.context.drops_lower = u64::from(!self.facts.careful);
        // SAFETY: the function takes a context and two words. `ready_context`, `open_moves` and the
        // lines above have set the addresses that it uses. A position's state is kept in `below`
        // where moves are made of it, which is `depth` times at most, one below the other. `states`
        // is not used during the call, `work` only by `count` and `pause`, one at a time.
        let status = unsafe { perft(context, u64::from(depth), u64::from(work.make_leaves)) };
        self.look_behind();
        let c = &mut *self.jit.context;
        c.nested = 0;
        c.work = std::ptr::null_mut();
        let (leaves, nodes) = (c.leaves, c.nodes);
        self.drain_slice();
        self.now.state.copy_from_slice(&states[..words]);
        self.now.changes.all = true;
        self.now.version += 1;
        self.note(function, status);
        if work.left_positions - left_before > nodes.max(MANY) / 2 {
            self.distrust(function);
        }
        match status {
            BAILED => {
                self.fault = None;
                None
            }
            STOPPED if self.fault.is_some() => Some(Err(())),
            STOPPED => Some(Ok(0)),
            _ => Some(Ok(leaves)),
        }
    }

    /// Calls a function for a candidate, given by its registers and the bit of its last variable.
    pub(super) fn of_candidate(
        &mut self,
        entry: ApplyEntry,
        segment: &Segment<W>,
        chance: bool,
        registers: &[Code],
        bit: u32,
    ) -> i64 {
        let (mover, lists) = (self.making.mover as u64, self.jit.context.lists_len);
        let context = self.ready_context();
        assert_eq!(registers.len(), self.clauses(chance)[segment.clause as usize].kept as usize);
        // SAFETY: the function takes a context, which is ready, registers, as many as the clause
        // keeps, and a bit of the segment's set. It writes no candidates.
        let status = unsafe {
            (*context).mover = mover;
            entry(context, registers.as_ptr(), u64::from(bit))
        };
        self.look_behind_context();
        self.jit.context.lists_len = lists;
        status
    }

    /// Calls a function for a player.
    pub(super) fn of_player(&mut self, entry: SumEntry, player: Code) -> i64 {
        self.jit.context.mover = self.making.mover as u64;
        let context = self.ready_context();
        // SAFETY: the function takes a context, which is ready, and a code. It writes no candidates.
        let status = unsafe { entry(context, player as u64) };
        self.look_behind_context();
        status
    }

    /// The number of the end clause that holds, and the players that it names. The outer `None`
    /// bails out.
    pub(in crate::engine) fn native_ends(&mut self) -> Option<Option<(usize, u8)>> {
        let native = self.jit.native?;
        if !self.trusts(0) {
            return None;
        }
        self.jit.context.makes_moves = 0;
        let context = self.ready_context();
        // SAFETY: the function takes a context, which is ready. It writes no candidates.
        let status = unsafe { (native.ends)(context) };
        self.look_behind_context();
        self.now.changes.take(self.jit.context.all_changed);
        self.note(0, status);
        if status == BAILED {
            self.fault = None;
            return None;
        }
        Some((status != 0).then_some((((status >> 8) - 1) as usize, (status & 0xff) as u8)))
    }
}

macro_rules! helpers {
    ($($name:ident),*) => {
        Helpers { $($name: $name::<W> as *const () as usize),* }
    };
}

fn helpers<const W: usize>() -> Helpers {
    helpers! {
        any_legal, possible, highest, repeated, record, begin_ways, keep_way, take_way, undo, image, check, distinct, take_result, pause, count,
        remember, forget, power, equal_lists, constant_list, ask
    }
}

// SAFETY of all that follows: native code calls them with the context and the machine that it was
// called with (`Context::machine`), which `ready_context` has set to the machine that called it. That
// machine waits in `native_*`, which uses nothing of it before the call has returned, so the
// reference that is made here is the only one in use. The code of a plan is made with the helpers of
// the plan's own `W`. Other pointers are addresses of slots of the function that calls, as large as
// said below.

unsafe extern "C" fn any_legal<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.sift(|machine, moves| machine.any_legal(moves).map(i64::from))
}

unsafe extern "C" fn possible<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.sift(|machine, moves| machine.keep_possible(moves).map(|()| 0))
}

unsafe extern "C" fn highest<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    let group = &machine.plan.groups[machine.jit.context.group as usize];
    if machine.all_are_kept(group) {
        return 0;
    }
    machine.sift(|machine, moves| machine.keep_best(group, moves).map(|()| 0))
}

unsafe extern "C" fn repeated<const W: usize>(machine: *mut c_void, times: i64, board: i64) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &*machine.cast::<Machine<'_, W>>() };
    i64::from(machine.repeated(times, board != 0))
}

unsafe extern "C" fn distinct<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    if machine.may_repeat() { BAILED } else { 0 }
}

unsafe extern "C" fn take_result<const W: usize>(context: *mut Context, segment: *const u8) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    // SAFETY: native code gives the address of a segment that it has read just before.
    let result = unsafe { (*segment.cast::<Segment<W>>()).result as usize };
    let len = machine.now.state.len();
    machine.now.state.copy_from_slice(&machine.room.out.results[result..result + len]);
    machine.jit.context.all_changed |= 1;
    0
}

unsafe extern "C" fn pause<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    // SAFETY: `native_perft` has set `work` to what it was called with, for the time of the call, and
    // uses nothing of it meanwhile.
    let work = unsafe { &mut *machine.jit.context.work.cast::<Perft<'_>>() };
    if machine.goes_on(work) { 0 } else { STOPPED }
}

unsafe extern "C" fn count<const W: usize>(context: *mut Context, depth: i64) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    // SAFETY: as in `pause`. What counts further down is given this reference.
    let work = unsafe { &mut *machine.jit.context.work.cast::<Perft<'_>>() };
    match machine.count_left(depth as u32, work) {
        Some(leaves) => {
            machine.jit.context.leaves += leaves;
            0
        }
        None => STOPPED,
    }
}

unsafe extern "C" fn remember<const W: usize>(machine: *mut c_void) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *machine.cast::<Machine<'_, W>>() };
    machine.remember();
    0
}

unsafe extern "C" fn forget<const W: usize>(machine: *mut c_void) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *machine.cast::<Machine<'_, W>>() };
    machine.forget();
    0
}

unsafe extern "C" fn power<const W: usize>(base: i64, exponent: i64) -> i64 {
    ArithmeticOp::Power.apply(&[base, exponent]).unwrap_or(NO_NUMBER)
}

unsafe extern "C" fn equal_lists<const W: usize>(context: *mut Context, a: Code, b: Code) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.equal_lists(a, b).map_or(-1, i64::from)
}

unsafe extern "C" fn constant_list<const W: usize>(
    context: *mut Context,
    head: Code,
    tail: Code,
) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &*(*context).machine.cast::<Machine<'_, W>>() };
    machine.plan.cons.get(&(head, tail)).copied().unwrap_or(NONE)
}

unsafe extern "C" fn ask<const W: usize>(
    context: *mut Context,
    op: i64,
    given: *const Code,
    answers: *mut Code,
    room: u64,
) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    let id = OpId { block: BlockId((op >> 32) as u32), number: op as u32 };
    let (inputs, _) = machine.sizes_of_question(id);
    // SAFETY: `Function::ask` gives a slot of as many words as the instruction has inputs, which it
    // has written, and one of `room` words, which has been written only in part, by this function.
    let (given, answers) = unsafe {
        answers.write_bytes(0, room as usize);
        (
            std::slice::from_raw_parts(given, inputs),
            std::slice::from_raw_parts_mut(answers, room as usize),
        )
    };
    machine.answer(id, given, answers).map_or(BAILED, |count| count as i64)
}

unsafe extern "C" fn record<const W: usize>(context: *mut Context, registers: *const Code) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.take_making();
    let nested = machine.jit.context.nested != 0;
    if nested && !machine.has_room() {
        return BAILED;
    }
    machine.take_moves();
    machine.clear_lists();
    machine
        .stacks
        .lists
        .extend(machine.jit.context.lists().iter().map(|[head, tail]| (*head, *tail)));
    let kept = machine.clauses(machine.making.chance)[machine.making.clause as usize].kept as usize;
    let from = machine.frames.current.registers;
    // SAFETY: `Function::commit` gives a slot of as many words as the clause keeps, and has set
    // them; a slot has one word at least. `clause` and `chance` are those that the function was
    // called for.
    let registers = unsafe { std::slice::from_raw_parts(registers, kept) };
    if machine.frames.registers.len() < from + kept {
        machine.frames.registers.resize(from + kept, 0);
    }
    machine.frames.registers[from..from + kept].copy_from_slice(registers);
    let (trailing, trail) =
        (std::mem::replace(&mut machine.trailing, true), machine.stacks.trail.len());
    let flow = machine.record();
    machine.undo(trail);
    machine.trailing = trailing;
    machine.jit.context.total = machine.room.out.total;
    if nested {
        machine.reopen_moves()
    } else {
        machine.make_room()
    }
    if flow == Flow::Back { 0 } else { BAILED }
}

unsafe extern "C" fn begin_ways<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.begin_ways();
    0
}

unsafe extern "C" fn keep_way<const W: usize>(context: *mut Context, chance: i64) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.keep_native_way(chance != 0)
}

unsafe extern "C" fn take_way<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &mut *(*context).machine.cast::<Machine<'_, W>>() };
    machine.take_native_way()
}

unsafe extern "C" fn undo<const W: usize>(context: *mut Context, mark: u64) -> i64 {
    // SAFETY: see above.
    let context = unsafe { &mut *context };
    for [word, old] in context.written(mark as usize).iter().rev() {
        assert!(*word < context.state_words, "a word of the state");
        // SAFETY: `state` is the address of `state_words` words, and nothing else refers to them now.
        unsafe { *context.state.add(*word as usize) = *old };
    }
    context.trail_len = mark;
    0
}

unsafe extern "C" fn image<const W: usize>(
    machine: *mut c_void,
    number: i64,
    at: i64,
    source: *const u64,
    into: *mut u64,
) -> i64 {
    // SAFETY: see above.
    let machine = unsafe { &*machine.cast::<Machine<'_, W>>() };
    let images = &machine.plan.images[number as usize];
    let words = machine.words();
    // SAFETY: `Function::image` gives a slot of two sets, `source` its first half, which it has
    // written, and `into` its second.
    let (source, into) = unsafe {
        (std::slice::from_raw_parts(source, words), std::slice::from_raw_parts_mut(into, words))
    };
    let mut set = [0; W];
    set[..words].copy_from_slice(source);
    let image =
        if (at as usize) < images.keys() { images.of_key(&set, at as usize) } else { [0; W] };
    into.copy_from_slice(&image[..words]);
    0
}

/// Ends the process if a memory access is outside its object.
unsafe extern "C" fn check<const W: usize>(
    address: u64,
    bytes: u64,
    first: u64,
    end: u64,
    site: *const String,
) -> i64 {
    if leaves(address, bytes, first, end) {
        // SAFETY: `Function::call_check` gives the address of a text that the code's tables keep.
        let site = unsafe { &*site };
        violated(&format!("{bytes} bytes at {address:#x}, not in {first:#x}..{end:#x}: {site}"));
    }
    0
}
