//! Counts and samples of a plan that is being run, for the profile of a game.
//!
//! The interpreter runs a plan that has a probe before each instruction. A probe counts, which is
//! exact, and records its own number. Time is sampled: a second thread reads that number every
//! [`PERIOD`], and the time between two probes is attributed to the first one. Reading a clock at each
//! probe would cost several times as much as most instructions, and make them look alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::plan::OpId;

use super::game::Game;
use super::machine::Machine;
use super::session::Session;

/// The time between two samples. It is not a multiple of the periods of usual periodic events.
const PERIOD: Duration = Duration::from_micros(170);

/// No instruction is being run.
const OUTSIDE: u32 = u32::MAX;

/// The counters that probes write to.
#[derive(Debug)]
pub(super) struct Probes {
    runs: Box<[AtomicU64]>,
    at: AtomicU32,
}

impl Probes {
    fn new(count: usize) -> Probes {
        Probes { runs: (0..count).map(|_| AtomicU64::new(0)).collect(), at: OUTSIDE.into() }
    }

    /// The probe that was passed last.
    pub(super) fn at(&self) -> u32 {
        self.at.load(Relaxed)
    }

    /// Attributes what follows to the instruction behind this probe again.
    pub(super) fn go_back_to(&self, at: u32) {
        self.at.store(at, Relaxed);
    }

    /// Passes a probe. Only one thread does so, so the addition need not be atomic.
    #[inline]
    pub(super) fn pass(&self, number: u32) {
        self.at.store(number, Relaxed);
        let runs = &self.runs[number as usize];
        runs.store(runs.load(Relaxed) + 1, Relaxed);
    }
}

impl<const W: usize> Machine<'_, W> {
    /// Attributes what follows to no instruction.
    #[inline]
    pub(super) fn leave_plan(&self) {
        if let Some(probes) = self.probes {
            probes.at.store(OUTSIDE, Relaxed);
        }
    }
}

/// A game whose plan has probes.
#[derive(Debug)]
pub struct Probed {
    game: Game,
    probes: Probes,
    /// For each probe, the instruction of the plan without probes.
    ops: Vec<OpId>,
}

/// The measurements of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How often the instruction was run.
    pub runs: u64,
    /// How many samples were taken while it ran.
    pub samples: u64,
}

impl Probed {
    /// Adds probes to the plan of a game.
    pub fn new(game: &Game) -> Probed {
        let (plan, ops) = game.plan.probed();
        let game = Game { plan: Arc::new(plan), ..game.clone() };
        Probed { game, probes: Probes::new(ops.len()), ops }
    }

    /// A session that interprets the plan with its probes. It takes and returns positions of the game itself.
    pub fn session(&self) -> Session<'_> {
        Session::probed(&self.game, &self.probes)
    }

    /// Takes samples while `work` runs the session, and adds them to `samples`.
    pub fn sampled<T>(&self, samples: &mut Samples, work: impl FnOnce() -> T) -> T {
        /// Ends the thread also where `work` panics.
        struct AtEnd<'a>(&'a AtomicBool);
        impl Drop for AtEnd<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
        samples.taken.resize(self.ops.len(), 0);
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Relaxed) {
                    std::thread::sleep(PERIOD);
                    let at = self.probes.at.load(Relaxed);
                    match samples.taken.get_mut(at as usize) {
                        Some(taken) => *taken += 1,
                        None => samples.outside += 1,
                    }
                }
            });
            let _at_end = AtEnd(&ended);
            work()
        })
    }

    /// The measurements of each instruction of the plan without probes.
    pub fn tallies(&self, samples: &Samples) -> impl Iterator<Item = (OpId, Tally)> {
        self.ops.iter().enumerate().map(|(number, id)| {
            let runs = self.probes.runs[number].load(Relaxed);
            (*id, Tally { runs, samples: samples.taken.get(number).copied().unwrap_or(0) })
        })
    }
}

/// Samples by the instruction that ran when they were taken.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// By probe.
    taken: Vec<u64>,
    /// Samples taken outside the instructions of the plan, in the engine itself.
    pub outside: u64,
}
