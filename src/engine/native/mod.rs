//! Machine code for plans, for games that are played long enough.
//!
//! A block of instructions is a nest of loops over sets and rows, so it is compiled to just that:
//! registers and the words of sets become values in machine registers, procedures that are short
//! are written into their callers, and what is known when the plan is made (a player, a row, a
//! shift of a whole set) becomes a constant. Whatever is rare is left to the interpreter, which
//! then does the same work from the start: a rule error, a list too long, an instruction without
//! a native form. So both always give the same answers.
//!
//! `module.rs` has the functions under construction, `function.rs` one of them, `emit.rs` what functions are made of and
//! `entries.rs` how they begin. `control.rs`, `loops.rs`, `candidates.rs`, `calls.rs`, `gathers.rs`, `rests.rs`,
//! `answers.rs`, `closure.rs`, `values.rs`, `aggregates.rs`, `arithmetic.rs`, `lists.rs`, `sets.rs`, `shifts.rs`,
//! `rays.rs`, `cells.rs` and `updates.rs` compile its instructions, and `asks.rs` those that the interpreter answers;
//! `position.rs` the ends and candidates, `playout.rs` and `draws.rs` whole playouts, `trials.rs` the trials of
//! candidates, and `perft.rs` the count of sequences of moves. `ways.rs` follows the tests of an action
//! for a whole set, `tables.rs` and `bounds.rs` make the data that the code reads, `checks.rs` emits the
//! checks of [`Execution::Checked`](super::Execution), `context.rs` is the data shared by code and
//! machine, `call.rs` has the calls between them and `runs.rs` what the machine keeps of them, and `report.rs` says which functions are machine code.

mod aggregates;
mod answers;
mod arithmetic;
mod asks;
mod bounds;
mod call;
mod calls;
mod candidates;
mod cells;
mod checks;
mod closure;
mod context;
mod control;
mod draws;
mod emit;
mod entries;
mod function;
mod gathers;
mod lists;
mod loops;
mod module;
mod perft;
mod playout;
mod position;
mod ranks;
mod rays;
mod report;
mod rests;
mod runs;
mod sets;
mod shifts;
mod single;
mod supposed;
mod tables;
mod trials;
mod updates;
mod values;
mod ways;

use std::sync::{Arc, OnceLock};

use crate::plan::Plan;

/// Bytes of the stack for the code generator.
const ROOM: usize = 2 << 20;

pub(super) use call::Native;
pub(super) use context::Context;
pub(super) use playout::{PLY, Played};
pub use report::{CodeReport, FunctionKind, FunctionReport, Lack, NativeRuns};

/// The machine code of a game, made when it is first asked for, with and without checks of each
/// access to memory.
#[derive(Debug, Clone, Default)]
pub struct NativeCode(Arc<[OnceLock<Option<Native>>; 2]>);

impl NativeCode {
    /// What became of each function. `None` where this machine has no code generator, or where
    /// `interrupted` says so.
    pub fn report(&self, plan: &Plan, interrupted: &dyn Fn() -> bool) -> Option<&CodeReport> {
        let made = self.0.iter().find_map(|code| code.get()?.as_ref());
        made.or_else(|| self.get(plan, false, interrupted)).map(|native| &native.report)
    }

    /// `None` where this machine has no code generator.
    /// Where `interrupted` says so the code is not made now; the next call starts over.
    pub(super) fn get(
        &self,
        plan: &Plan,
        checked: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<&Native> {
        let code = &self.0[usize::from(checked)];
        if code.get().is_none() {
            // the code generator calls itself for blocks inside blocks
            let made =
                stacker::maybe_grow(ROOM, ROOM * 2, || Native::compile(plan, checked, interrupted));
            if made.is_none() && interrupted() {
                return None;
            }
            // another thread may have been faster
            let _ = code.set(made);
        }
        code.get()?.as_ref()
    }
}
