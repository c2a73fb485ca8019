//! The data that native code and the machine share.

use std::ffi::c_void;

use crate::plan::{Code, LISTS, MAX_SET};

use super::super::machine::Machine;

/// The most cells of the lists of one run, each a head and a tail.
const LIST_ROOM: usize = 1 << 13;
/// The most words that one run may record on the trail, each with its number and old content.
const TRAIL_ROOM: usize = 1 << 13;

/// Steps of one call. Native code does not check for interruptions, so longer work is left to the
/// interpreter, which does.
pub(super) const STEPS: u64 = 1 << 21;
/// The depth of nested calls of native functions. The interpreter's limit is larger.
const DEPTH: u64 = 2_000;
/// Bytes of stack for one run of native code, at least and at most: a quarter of what is left, because native code
/// runs inside native code at most twice (`ask`, `any_legal`). A function that calls others or has large slots does
/// not begin beyond them, and the last function takes no more than [`super::function::FRAME`] and the values of its
/// instructions.
const STACK: std::ops::RangeInclusive<u64> = 1 << 18..=1 << 23;
/// Bytes of the stack between a local variable of [`Machine::ready_context`] and the frames of
/// native code, at most.
const ABOVE: u64 = 1 << 10;
/// Follows each area that native code writes to; the checking mode verifies that it is unchanged.
pub(super) const CANARY: u64 = 0x1D0_2026_C0DE_B4DD;

/// The parts of the machine that native code uses. Addresses are valid during one run.
#[repr(C)]
pub(in crate::engine) struct Context {
    /// The words of the current state.
    pub state: *mut u64,
    pub state_words: u64,
    pub machine: *mut c_void,
    /// The next segment to be written, and where the room for them ends.
    pub segment: *mut u8,
    pub segments_end: *mut u8,
    /// The beginning of the room for segments, for the checking mode.
    pub segments: *mut u8,
    /// Where the registers of segments are kept, where the room for them ends, and how many are.
    pub kept: *mut Code,
    pub kept_end: *mut Code,
    pub kept_count: u64,
    /// The number of candidates that were written.
    pub total: u64,
    /// Not 0 where the candidates are chance events.
    pub chance: u64,
    /// Not 0 where the position's candidates have been made.
    pub ready: u64,
    /// The keys of the watched map that were written; 1 where anything may have been, and 2 where a
    /// row was found and the game may have gone on.
    pub changed: *mut u64,
    pub all_changed: u64,
    /// The clause whose moves are enumerated.
    pub clause: u64,
    /// The group of clauses whose highest rank is wanted.
    pub group: u64,
    /// Not 0 where candidates below the highest rank need not be looked at for rule errors.
    pub drops_lower: u64,
    /// Not 0 while candidates below [`Context::best_rank`], the highest so far, are not recorded.
    pub ranks: u64,
    pub best_rank: i64,
    /// [`Context::kept_count`] before the first of the candidates whose ranks are compared.
    pub first_kept: u64,
    /// The player who makes the current move: the coded turn before it.
    pub mover: u64,
    /// How many answers of generators, rounds of floods and calls are still allowed.
    pub steps: u64,
    pub depth: u64,
    /// The initial values of both at a ply or position.
    pub all_steps: u64,
    pub all_depth: u64,
    /// The lowest address of the stack that calls may use.
    pub stack_end: u64,
    /// The upper end of the code's stack, for the checking mode.
    pub entry: u64,
    /// How many rounds of loops that stand for nested calls are still allowed.
    pub rounds: u64,
    /// How many plies a playout may still make.
    pub plies: u64,
    /// How many steps of a playout are left until the machine tests the time.
    pub slice: i64,
    /// The most candidates of a position.
    pub most: u64,
    /// The number of sequences of moves that were counted, and of positions on the way.
    pub leaves: u64,
    pub nodes: u64,
    /// Not 0 where the candidates of the positions above precede those of the current one.
    pub nested: u64,
    /// Not 0 where the current function has room for the candidates of the position.
    pub makes_moves: u64,
    /// The current [`Perft`](crate::engine::perft::Perft).
    pub work: *mut c_void,
    /// Random numbers: where they begin, the next to be taken, the next one when the ply began, and where they end.
    pub numbers: *const u64,
    pub number: *const u64,
    pub ply_number: *const u64,
    pub numbers_end: *const u64,
    /// Room for the words of the state while a candidate is tried.
    pub before: *mut u64,
    /// The segment of the candidate that was drawn, and its bit.
    pub drawn: *const u8,
    pub drawn_bit: u64,
    pub trail: *mut [u64; 2],
    pub trail_len: u64,
    pub lists: *mut [Code; 2],
    pub lists_len: u64,
    /// The numbers of words of the resulting states of recorded candidates, and of the lists in
    /// them.
    pub results_len: u64,
    pub saved_len: u64,
    /// The set that a function returned.
    pub answer: [u64; MAX_SET / 64],
    trail_memory: Box<[[u64; 2]]>,
    lists_memory: Box<[[Code; 2]]>,
}

impl Context {
    /// The room for the trail and for lists, as native code must observe it.
    pub const TRAIL_ROOM: usize = TRAIL_ROOM;
    pub const LIST_ROOM: usize = LIST_ROOM;
    /// Bytes that native code may read and write.
    pub const SHARED: usize = std::mem::offset_of!(Context, trail_memory);

    pub fn new() -> Box<Context> {
        let mut context = Box::new(Context {
            state: std::ptr::null_mut(),
            state_words: 0,
            machine: std::ptr::null_mut(),
            segment: std::ptr::null_mut(),
            segments_end: std::ptr::null_mut(),
            segments: std::ptr::null_mut(),
            kept: std::ptr::null_mut(),
            kept_end: std::ptr::null_mut(),
            kept_count: 0,
            total: 0,
            chance: 0,
            ready: 0,
            changed: std::ptr::null_mut(),
            all_changed: 1,
            clause: 0,
            group: 0,
            drops_lower: 0,
            ranks: 0,
            best_rank: 0,
            first_kept: 0,
            mover: 0,
            steps: 0,
            depth: 0,
            all_steps: 0,
            all_depth: 0,
            leaves: 0,
            nodes: 0,
            nested: 0,
            makes_moves: 0,
            work: std::ptr::null_mut(),
            stack_end: 0,
            entry: 0,
            rounds: 0,
            plies: 0,
            slice: 0,
            most: 0,
            numbers: std::ptr::null(),
            number: std::ptr::null(),
            ply_number: std::ptr::null(),
            numbers_end: std::ptr::null(),
            before: std::ptr::null_mut(),
            drawn: std::ptr::null(),
            drawn_bit: 0,
            trail: std::ptr::null_mut(),
            trail_len: 0,
            lists: std::ptr::null_mut(),
            lists_len: 0,
            results_len: 0,
            saved_len: 0,
            answer: [0; MAX_SET / 64],
            trail_memory: vec![[0; 2]; TRAIL_ROOM + 1].into_boxed_slice(),
            lists_memory: vec![[0; 2]; LIST_ROOM + 1].into_boxed_slice(),
        });
        context.trail_memory[TRAIL_ROOM] = [CANARY, CANARY];
        context.lists_memory[LIST_ROOM] = [CANARY as Code, CANARY as Code];
        context.trail = context.trail_memory.as_mut_ptr();
        context.lists = context.lists_memory.as_mut_ptr();
        context
    }

    /// Whether nothing was written beyond the areas for the trail and for lists.
    pub fn is_whole(&self) -> bool {
        self.trail_memory[TRAIL_ROOM] == [CANARY, CANARY]
            && self.lists_memory[LIST_ROOM] == [CANARY as Code, CANARY as Code]
            && self.trail_len as usize <= TRAIL_ROOM
            && self.lists_len as usize <= LIST_ROOM
    }

    /// The lists of the current run.
    pub fn lists(&self) -> &[[Code; 2]] {
        &self.lists_memory[..self.lists_len as usize]
    }

    /// Restores the lists of the current run, and adds others behind them. False where there is no room.
    pub fn put_lists(&mut self, before: &[[Code; 2]], more: &[(Code, Code)]) -> bool {
        let len = before.len() + more.len();
        if len > LIST_ROOM {
            return false;
        }
        self.lists_memory[..before.len()].copy_from_slice(before);
        for (cell, (head, tail)) in self.lists_memory[before.len()..].iter_mut().zip(more) {
            *cell = [*head, *tail];
        }
        self.lists_len = len as u64;
        true
    }

    /// A list of a head and a tail. `None` where there is no room.
    pub fn cons(&mut self, head: Code, tail: Code) -> Option<Code> {
        let at = self.lists_len as usize;
        *self.lists_memory[..LIST_ROOM].get_mut(at)? = [head, tail];
        self.lists_len += 1;
        Some(LISTS + at as Code)
    }

    /// The words that the current run has written, with their old contents.
    pub fn written(&self, from: usize) -> &[[u64; 2]] {
        &self.trail_memory[from..self.trail_len as usize]
    }
}

impl<const W: usize> Machine<'_, W> {
    /// Points the context at this machine.
    pub(in crate::engine) fn ready_context(&mut self) -> *mut Context {
        let machine: *mut Self = self;
        let context = &mut *self.jit.context;
        context.state = self.now.state.as_mut_ptr();
        context.state_words = self.now.state.len() as u64;
        context.machine = machine.cast::<c_void>();
        context.changed = self.now.changes.keys.as_mut_ptr();
        context.all_changed = self.now.changes.coded();
        context.steps = self.fuel.budget.steps.min(STEPS);
        context.depth = DEPTH.min(self.fuel.budget.depth as u64);
        (context.all_steps, context.all_depth) = (context.steps, context.depth);
        context.most = self.fuel.budget.answers as u64;
        context.drops_lower = u64::from(!self.strict);
        context.ranks = 0;
        let here = &raw const machine as u64;
        let left = stacker::remaining_stack().map_or(0, |left| left as u64);
        context.stack_end = here.saturating_sub((left / 4).clamp(*STACK.start(), *STACK.end()));
        context.entry = here.saturating_add(ABOVE);
        // below the interpreter's limit, because native code does not count calls of relations
        context.rounds = (self.fuel.budget.depth as u64).saturating_sub(2 * DEPTH).max(1);
        context
    }
}
