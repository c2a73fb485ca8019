//! How much work one call may take.

use std::time::{Duration, Instant};

use crate::program::Budget;

/// How much work one call may take, beyond which it ends with [`Error::Limit`](crate::Error::Limit).
///
/// Every call has limits, so no rule file can make one run forever: without any of these it may take 20 million
/// steps of the compiled engine per position, 50 million of the evaluator that answers questions, and 60 million to
/// load, each some seconds at the most. What a step is depends on the evaluator: a goal tried, an answer, an item of a list.
///
/// ```
/// use std::time::Duration;
/// let limits = ludex::Limits::default().time(Duration::from_secs(2)).steps(1_000_000);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    time: Option<Duration>,
    deadline: Option<Instant>,
    steps: Option<u64>,
    answers: Option<usize>,
}

impl Limits {
    /// Ends each call after this time. Without it the clock is never read.
    #[must_use]
    pub fn time(self, time: Duration) -> Limits {
        Limits { time: Some(time), ..self }
    }

    /// Ends every call at this moment, whenever it begins: several calls share what is left.
    #[must_use]
    pub fn deadline(self, deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline), ..self }
    }

    /// The most steps for each question that a call asks of the rules. It may be lower than the limits above, but not
    /// higher.
    #[must_use]
    pub fn steps(self, steps: u64) -> Limits {
        Limits { steps: Some(steps), ..self }
    }

    /// The most that is kept in memory at a time: rows of a relation, moves of a position, answers. At most 1
    /// million, and 2 million to load.
    #[must_use]
    pub fn answers(self, answers: usize) -> Limits {
        Limits { answers: Some(answers), ..self }
    }

    /// When a call that begins now has to end.
    pub(super) fn until(self) -> Option<Instant> {
        let own = self.time.and_then(|time| Instant::now().checked_add(time));
        own.into_iter().chain(self.deadline).min()
    }

    /// How long a call that begins now may take.
    pub(super) fn left(self) -> Option<Duration> {
        self.until().map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// A budget within these limits.
    pub(super) fn on(self, budget: Budget, until: Option<Instant>) -> Budget {
        Budget {
            steps: self.steps.map_or(budget.steps, |steps| steps.min(budget.steps)),
            answers: self.answers.map_or(budget.answers, |answers| answers.min(budget.answers)),
            until,
            ..budget
        }
    }
}
