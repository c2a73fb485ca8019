//! In place of `native/` where machine code is left out: there never is any, and the interpreter does all of the
//! work.

#[path = "native/report.rs"]
mod report;

use crate::plan::{Code, Plan};

use super::machine::Machine;
use super::perft::Perft;
use super::random::{Ahead, Random};
use super::segments::{Moves, Pick, Segment};

pub use report::{CodeReport, FunctionKind, FunctionReport, Lack, NativeRuns};

/// Steps charged for a ply of a playout.
pub(super) const PLY: u64 = 4;

/// The machine code of a game: none.
#[derive(Debug, Clone, Default)]
pub struct NativeCode(());

/// Never made.
pub(super) struct Native {
    pub flawed: u64,
}

/// The data that machine code would share with the machine.
pub(super) struct Context;

impl Context {
    pub fn new() -> Box<Context> {
        Box::new(Context)
    }
}

/// Why a playout of machine code came back.
pub(super) enum Played {
    Over(usize, u8),
    NoCandidate,
    Draw(Option<Pick>),
    LastPly,
    Pause,
}

impl NativeCode {
    /// `None`: there is no machine code.
    pub fn report(&self, _: &Plan, _: &dyn Fn() -> bool) -> Option<&CodeReport> {
        None
    }

    pub(super) fn get(&self, _: &Plan, _: bool, _: &dyn Fn() -> bool) -> Option<&Native> {
        None
    }
}

impl<const W: usize> Machine<'_, W> {
    pub(super) fn native_steps(&self) -> u64 {
        0
    }

    pub(super) fn native_counts(&self) -> NativeRuns {
        NativeRuns::default()
    }

    pub(super) fn native_generate(&mut self, _: u16, _: bool) -> bool {
        false
    }

    pub(super) fn native_moves(&mut self, _: &mut Box<Moves<W>>) -> bool {
        false
    }

    pub(super) fn native_trials(&mut self, _: &mut Moves<W>, _: bool) {}

    pub(super) fn native_perft(&mut self, _: u32, _: &mut Perft<'_>) -> Option<Result<u64, ()>> {
        None
    }

    pub(super) fn native_playout(&mut self, _: &mut Random<Ahead>, _: &mut u64) -> Option<Played> {
        None
    }

    pub(super) fn native_apply(
        &mut self,
        _: &Segment<W>,
        _: bool,
        _: &[Code],
        _: u32,
        _: bool,
    ) -> Option<bool> {
        None
    }

    pub(super) fn native_number(&mut self, _: &Moves<W>, _: Pick) -> Option<Option<i64>> {
        None
    }

    pub(super) fn native_sum(&mut self, _: u32, _: Code) -> Option<Option<i64>> {
        None
    }

    pub(super) fn with_native_lists(&mut self, _: &Moves<W>, _: &[Code]) -> Option<Vec<Code>> {
        None
    }

    pub(super) fn native_ends(&mut self) -> Option<Option<(usize, u8)>> {
        None
    }
}
