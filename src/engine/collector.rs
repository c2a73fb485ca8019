//! The answers of a goal that is run to its end.

use crate::plan::Code;

use super::machine::Tuple;

/// The distinct answers of a goal that is run to its end.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pub templates: Vec<Code>,
    pub tuples: Vec<Tuple>,
    seen: rustc_hash::FxHashSet<Tuple>,
    /// Answers that come twice are kept twice, as where they are passed on one by one.
    repeats: bool,
}

impl Collector {
    pub(super) fn repeating(repeats: bool) -> Collector {
        Collector { repeats, ..Collector::default() }
    }

    pub(super) fn add(&mut self, template: Code, tuple: Tuple) {
        if self.repeats {
            // nothing is compared
        } else if self.tuples.len() < 12 {
            if self.tuples.contains(&tuple) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen.extend(self.tuples.iter().cloned());
            }
            if !self.seen.insert(tuple.clone()) {
                return;
            }
        }
        self.templates.push(template);
        self.tuples.push(tuple);
    }
}
