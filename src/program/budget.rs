//! How much work one evaluation may take.

use std::time::Instant;

/// Limits on the work of one evaluation, beyond which it is assumed not to end. What a step is depends
/// on the evaluator: a goal tried, an answer of a generator, an item of a list.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Steps.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// What is kept: rows of static relations, the moves of a position, answers of recursive relations.
    pub answers: usize,
    /// Rows of a static recursion whose calls make a list or a compound longer each time
    /// ([`Program::growing`](super::Program::growing)).
    pub growing: usize,
    /// Called now and then; where it returns true the evaluation ends.
    pub interrupted: Option<fn() -> bool>,
    /// The time at which the evaluation ends as if it were interrupted.
    pub until: Option<Instant>,
}

impl Budget {
    /// For the static relations of a program.
    pub const STATIC: Budget = Budget::of(60_000_000, 5_000, 2_000_000);
    /// For a question of the compiled engine: the moves of a position, its outcome, its scores.
    pub const PLAY: Budget = Budget::of(20_000_000, 10_000, 1_000_000);
    /// For a question of the reference evaluator.
    pub const REFERENCE: Budget = Budget::of(50_000_000, 30_000, 1_000_000);

    const fn of(steps: u64, depth: usize, answers: usize) -> Budget {
        Budget { steps, depth, answers, growing: answers, interrupted: None, until: None }
    }

    /// The same limits, with a function that ends the evaluation where it returns true.
    #[must_use]
    pub fn interrupted_by(self, interrupted: fn() -> bool) -> Budget {
        Budget { interrupted: Some(interrupted), ..self }
    }

    /// Whether the evaluation is interrupted or its time is over.
    pub fn is_over(&self) -> bool {
        self.interrupted.is_some_and(|interrupted| interrupted())
            || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
