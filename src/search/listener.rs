//! What a search has found, told while it goes on.

use std::time::{Duration, Instant};

use super::Choice;

/// The least time between two reports.
const BETWEEN: Duration = Duration::from_millis(100);

/// How far an analysis is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The best moves so far, the best first.
    pub choices: Vec<Choice>,
    /// How many positions, playouts or games the choices rest on.
    pub work: u64,
    /// What the work is counted in, in the plural.
    pub unit: &'static str,
}

impl Progress {
    /// The amount of work and its speed in words, after so much time.
    pub fn told(&self, elapsed: Duration) -> String {
        let speed = self.work as f64 / elapsed.as_secs_f64().max(1e-3);
        format!("{} {}, {speed:.0} a second", self.work, self.unit)
    }
}

/// Hears of an analysis while it goes on, ten times a second at most.
#[derive(Default)]
pub struct Listener<'a> {
    hears: Option<&'a mut dyn FnMut(Progress)>,
    last: Option<Instant>,
}

impl<'a> Listener<'a> {
    /// A listener that passes on what it hears.
    pub fn new(hears: &'a mut dyn FnMut(Progress)) -> Listener<'a> {
        Listener { hears: Some(hears), last: None }
    }

    /// Tells the listener what `found` returns, where it is time for a report. Nothing is told where that is `None`.
    pub(super) fn tell(&mut self, found: impl FnOnce() -> Option<Progress>) {
        let Some(hears) = &mut self.hears else { return };
        if self.last.is_some_and(|last| last.elapsed() < BETWEEN) {
            return;
        }
        if let Some(progress) = found() {
            hears(progress);
        }
        self.last = Some(Instant::now());
    }
}
