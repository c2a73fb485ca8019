//! Counts steps against the budget. After each slice of [`SLICE`] steps the machine checks for an
//! interruption and for the end of its time. The slice carries over from one question to the next,
//! so that a long series of short questions is interrupted as reliably as one long question.

use std::cell::Cell;

use crate::program::Budget;

use super::fault::FaultKind;
use super::machine::Machine;

/// Steps between two checks. Reading the clock costs more than a step, and with most rules a slice
/// takes well below a millisecond.
const SLICE: u64 = 4096;

/// The rest of a question's budget. The counters are cells because comparing values spends steps
/// where the machine is borrowed shared.
#[derive(Debug)]
pub(super) struct Fuel {
    /// Steps until the next check.
    slice: Cell<u64>,
    /// Steps of the budget beyond the slice.
    reserve: Cell<u64>,
    /// The question was asked by another one and spends its budget.
    within: bool,
    /// The budget of each question.
    pub budget: Budget,
    /// Questions are asked as if nothing interrupted them.
    pub undisturbed: bool,
}

impl Fuel {
    pub fn new() -> Fuel {
        Fuel {
            slice: Cell::new(SLICE),
            reserve: Cell::new(0),
            within: false,
            budget: Budget::PLAY,
            undisturbed: false,
        }
    }

    /// The budget that holds now.
    pub fn current(&self) -> Budget {
        let interrupted = self.budget.interrupted.filter(|_| !self.undisturbed);
        Budget { interrupted, ..self.budget }
    }

    /// Sets whether the machine works on a question within another one, and returns the old value.
    pub fn enter(&mut self, within: bool) -> bool {
        std::mem::replace(&mut self.within, within)
    }

    /// Steps until the next check.
    pub fn slice(&self) -> u64 {
        self.slice.get()
    }

    /// Spends steps without a check, and returns true when the whole budget is spent. The next call
    /// of [`Machine::spend`] then fails.
    #[inline]
    pub fn drain(&self, steps: u64) -> bool {
        let slice = self.slice.get();
        if slice > steps {
            self.slice.set(slice - steps);
            return false;
        }
        let (over, reserve) = (steps - slice, self.reserve.get());
        // the check is left to the next step
        self.slice.set(0);
        self.reserve.set(reserve.saturating_sub(over));
        over >= reserve
    }

    /// Spends the whole budget, so that the next step is a fault.
    pub fn exhaust(&self) {
        self.slice.set(0);
        self.reserve.set(0);
    }
}

impl<const W: usize> Machine<'_, W> {
    /// Gives a new question the whole budget, unless it was asked by another one.
    #[inline]
    pub(super) fn refuel(&mut self) {
        if self.fuel.within {
            return;
        }
        let steps = self.fuel.budget.steps;
        // A used-up slice is not renewed here: its check is still due. Short questions could
        // otherwise skip every check.
        let slice = self.fuel.slice.get().min(steps);
        self.fuel.slice.set(slice);
        self.fuel.reserve.set(steps - slice);
    }

    /// Counts a step. Returns true when the budget is spent or the machine is interrupted.
    #[inline]
    pub(super) fn spend(&mut self) -> bool {
        self.spend_many(1)
    }

    /// Counts steps. Returns true when the budget is spent or the machine is interrupted.
    #[inline]
    pub(super) fn spend_many(&mut self, steps: u64) -> bool {
        let slice = self.fuel.slice.get();
        if slice > steps {
            self.fuel.slice.set(slice - steps);
            return false;
        }
        self.check(steps)
    }

    /// Called at the end of a question. A question that ended because its budget was spent, and not
    /// by an answer, is a fault.
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
    fn check(&mut self, steps: u64) -> bool {
        self.fuel.drain(steps);
        self.count_slice();
        if self.fuel.current().is_over() {
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

    /// Counts work outside of questions, such as the plies of a playout.
    ///
    /// # Errors
    /// When the machine is interrupted.
    #[inline]
    pub(super) fn tick(&mut self, steps: u64) -> Result<(), ()> {
        let slice = self.fuel.slice.get();
        if slice > steps {
            self.fuel.slice.set(slice - steps);
            return Ok(());
        }
        self.check_outside()
    }

    #[cold]
    #[inline(never)]
    fn check_outside(&mut self) -> Result<(), ()> {
        self.count_slice();
        if self.fuel.current().is_over() {
            // Native code drops the fault when it bails out, so the next
            // step has to check again.
            self.fuel.slice.set(0);
            self.stop(FaultKind::Interrupted);
            return Err(());
        }
        self.fuel.slice.set(SLICE);
        Ok(())
    }
}
