//! Counts and samples of a plan that is being run, for the profile of a game.
//!
//! The interpreter runs a plan that has a probe before each instruction. A probe counts, which is
//! exact, and notes where the run is. Time is sampled: a second thread reads that note every
//! [`PERIOD`], and the time between two probes belongs to the first one. Reading a clock at each
//! probe would cost several times what most instructions cost, and make them look alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::plan::OpId;

use super::game::Game;
use super::machine::Machine;
use super::session::Session;

/// The time between two samples. It is no multiple of what a computer does at regular times.
const PERIOD: Duration = Duration::from_micros(170);

/// No instruction is being run.
const OUTSIDE: u32 = u32::MAX;

/// What probes write to.
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

    /// What follows belongs to the instruction behind this probe again.
    pub(super) fn go_back_to(&self, at: u32) {
        self.at.store(at, Relaxed);
    }

    /// Passes a probe. One thread does so: there is no need to add in one step.
    #[inline]
    pub(super) fn pass(&self, number: u32) {
        self.at.store(number, Relaxed);
        let runs = &self.runs[number as usize];
        runs.store(runs.load(Relaxed) + 1, Relaxed);
    }
}

impl<const W: usize> Machine<'_, W> {
    /// What follows belongs to no instruction.
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
    /// The instruction of the plan without probes, by probe.
    ops: Vec<OpId>,
}

/// The number of times an instruction was run, and the number of samples taken while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub runs: u64,
    pub samples: u64,
}

impl Probed {
    pub fn new(game: &Game) -> Probed {
        let (plan, ops) = game.plan.probed();
        let game = Game { plan: Arc::new(plan), ..game.clone() };
        Probed { game, probes: Probes::new(ops.len()), ops }
    }

    /// A session that interprets the plan with its probes. Positions of the game are positions of it.
    pub fn session(&self) -> Session<'_> {
        Session::probed(&self.game, &self.probes)
    }

    /// Takes samples while `work` runs the session, and adds what they say to `samples`.
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

    /// What was counted of each instruction of the plan without probes.
    pub fn tallies(&self, samples: &Samples) -> impl Iterator<Item = (OpId, Tally)> {
        self.ops.iter().enumerate().map(|(number, id)| {
            let runs = self.probes.runs[number].load(Relaxed);
            (*id, Tally { runs, samples: samples.taken.get(number).copied().unwrap_or(0) })
        })
    }
}

/// The instructions that ran when samples were taken.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// By probe.
    taken: Vec<u64>,
    /// No instruction of the plan, but what the engine does around it.
    pub outside: u64,
}
