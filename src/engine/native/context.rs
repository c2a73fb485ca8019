//! What native code and the machine share.

use std::ffi::c_void;

use crate::plan::Code;

/// Codes that the lists of one run may take, in pairs of head and tail.
const LIST_ROOM: usize = 1 << 13;
/// Words that one run may write before they are put back, in pairs of number and old content.
const TRAIL_ROOM: usize = 1 << 13;

/// Where native code finds the machine's parts. Addresses are valid during one run.
#[repr(C)]
pub(in crate::engine) struct Context {
    /// The words of the state at work.
    pub state: *mut u64,
    pub machine: *mut c_void,
    /// The next segment to be written, and where the room for them ends.
    pub segment: *mut u8,
    pub segments_end: *mut u8,
    /// Where the registers of segments are kept, and how many are.
    pub kept: *mut Code,
    pub kept_count: u64,
    /// Candidates that were written.
    pub total: u64,
    /// Not 0 where moves were enumerated whole, which the machine keeps itself.
    pub recorded: u64,
    /// Not 0 where the position's candidates have been made.
    pub ready: u64,
    /// The keys of the watched map that were written, and whether anything may have been.
    pub changed: *mut u64,
    pub all_changed: u64,
    /// The clause whose moves are enumerated.
    pub clause: u64,
    /// Who makes the move at work: the coded turn before it.
    pub mover: u64,
    /// Answers of generators, rounds of floods and calls that there may still be.
    pub steps: u64,
    pub depth: u64,
    /// Calls leave the stack below this address alone.
    pub stack_end: u64,
    /// Rounds of loops that stand for calls inside calls.
    pub rounds: u64,
    pub trail: *mut [u64; 2],
    pub trail_len: u64,
    pub lists: *mut [Code; 2],
    pub lists_len: u64,
    /// The set that a function answered.
    pub answer: [u64; 16],
    trail_memory: Box<[[u64; 2]]>,
    lists_memory: Box<[[Code; 2]]>,
}

impl Context {
    /// The room for the trail and for lists, as native code must observe it.
    pub const TRAIL_ROOM: usize = TRAIL_ROOM;
    pub const LIST_ROOM: usize = LIST_ROOM;

    pub fn new() -> Box<Context> {
        let mut context = Box::new(Context {
            state: std::ptr::null_mut(),
            machine: std::ptr::null_mut(),
            segment: std::ptr::null_mut(),
            segments_end: std::ptr::null_mut(),
            kept: std::ptr::null_mut(),
            kept_count: 0,
            total: 0,
            recorded: 0,
            ready: 0,
            changed: std::ptr::null_mut(),
            all_changed: 1,
            clause: 0,
            mover: 0,
            steps: 0,
            depth: 0,
            stack_end: 0,
            rounds: 0,
            trail: std::ptr::null_mut(),
            trail_len: 0,
            lists: std::ptr::null_mut(),
            lists_len: 0,
            answer: [0; 16],
            trail_memory: vec![[0; 2]; TRAIL_ROOM].into_boxed_slice(),
            lists_memory: vec![[0; 2]; LIST_ROOM].into_boxed_slice(),
        });
        context.trail = context.trail_memory.as_mut_ptr();
        context.lists = context.lists_memory.as_mut_ptr();
        context
    }

    /// The lists of the run at work.
    pub fn lists(&self) -> &[[Code; 2]] {
        &self.lists_memory[..self.lists_len as usize]
    }

    /// The words that the run at work has written, with their old contents.
    pub fn written(&self, from: usize) -> &[[u64; 2]] {
        &self.trail_memory[from..self.trail_len as usize]
    }
}
