//! Steps against the budget. Every so many of them the machine looks whether it is interrupted, or
//! late; the count goes on from one question to the next, so that many short questions are
//! interrupted as well as a long one.

use std::cell::Cell;
use std::time::Instant;

use super::fault::FaultKind;
use super::machine::Machine;

/// Steps between two looks at the clock: well below a millisecond of most rules.
const SLICE: u64 = 4096;

/// How much one generation of moves or one question may do.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Answers of generators and calls, items of lists, rounds of floods.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// Moves that one position may have.
    pub moves: u64,
    /// Asked now and then; true breaks the question off with [`FaultKind::Interrupted`].
    pub interrupted: Option<fn() -> bool>,
    /// The question is broken off at this time, as if it was interrupted.
    pub until: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Budget {
        let (steps, depth, moves) = (20_000_000, 600, 1_000_000);
        Budget { steps, depth, moves, interrupted: None, until: None }
    }
}

impl Budget {
    /// Is whoever asks to be answered no more?
    pub(super) fn is_over(&self) -> bool {
        self.interrupted.is_some_and(|interrupted| interrupted())
            || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// What is left of a question's budget. Cells, because values are compared where nothing else
/// changes.
#[derive(Debug)]
pub(super) struct Fuel {
    /// Steps until the next look.
    slice: Cell<u64>,
    /// Steps of the budget behind that.
    reserve: Cell<u64>,
    /// A question within another one spends the budget of that one.
    within: bool,
}

impl Fuel {
    pub fn new() -> Fuel {
        Fuel { slice: Cell::new(SLICE), reserve: Cell::new(0), within: false }
    }

    /// Enters or leaves a question within another one; whether it was within one before.
    pub fn enter(&mut self, within: bool) -> bool {
        std::mem::replace(&mut self.within, within)
    }

    /// Spends many steps at once; what is not there makes the next step fail. True when all are
    /// spent.
    #[inline]
    pub fn drain(&self, steps: u64) -> bool {
        let slice = self.slice.get();
        if slice > steps {
            self.slice.set(slice - steps);
            return false;
        }
        let (over, reserve) = (steps - slice, self.reserve.get());
        // the next step looks
        self.slice.set(0);
        self.reserve.set(reserve.saturating_sub(over));
        over >= reserve
    }

    /// Nothing is left: the next step is a fault.
    pub fn exhaust(&self) {
        self.slice.set(0);
        self.reserve.set(0);
    }
}

impl<const W: usize> Machine<'_, W> {
    /// A new question has the whole budget.
    #[inline]
    pub(super) fn refuel(&mut self) {
        if self.fuel.within {
            return;
        }
        let steps = self.budget.steps;
        let slice = match self.fuel.slice.get() {
            0 => SLICE,
            slice => slice,
        };
        self.fuel.slice.set(slice.min(steps));
        self.fuel.reserve.set(steps.saturating_sub(slice));
    }

    /// Counts a step; true when there have been too many, or the machine is interrupted.
    #[inline]
    pub(super) fn spend(&mut self) -> bool {
        self.spend_many(1)
    }

    /// Counts steps; true when there have been too many, or the machine is interrupted.
    #[inline]
    pub(super) fn spend_many(&mut self, steps: u64) -> bool {
        let slice = self.fuel.slice.get();
        if slice > steps {
            self.fuel.slice.set(slice - steps);
            return false;
        }
        self.look(steps)
    }

    /// A question has come to its end: a fault where it could only do so because nothing was left
    /// to spend.
    #[inline]
    pub(super) fn ended(&mut self) -> Result<(), ()> {
        if self.fuel.slice.get() == 0 && self.fuel.reserve.get() == 0 {
            self.stop(FaultKind::Steps);
            return Err(());
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, steps: u64) -> bool {
        self.fuel.drain(steps);
        if self.budget.is_over() {
            self.stop(FaultKind::Interrupted);
            return true;
        }
        let reserve = self.fuel.reserve.get();
        if reserve == 0 {
            self.stop(FaultKind::Steps);
            return true;
        }
        let slice = reserve.min(SLICE);
        self.fuel.slice.set(slice);
        self.fuel.reserve.set(reserve - slice);
        false
    }

    /// Counts work that is not counted in any question, e.g. a ply of a playout; an error when the
    /// machine is interrupted.
    #[inline]
    pub(super) fn tick(&mut self, steps: u64) -> Result<(), ()> {
        let slice = self.fuel.slice.get();
        if slice > steps {
            self.fuel.slice.set(slice - steps);
            return Ok(());
        }
        self.look_outside()
    }

    #[cold]
    #[inline(never)]
    fn look_outside(&mut self) -> Result<(), ()> {
        self.fuel.slice.set(SLICE);
        match self.budget.is_over() {
            true => {
                self.stop(FaultKind::Interrupted);
                Err(())
            }
            false => Ok(()),
        }
    }
}
