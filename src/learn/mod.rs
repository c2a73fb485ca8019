//! Exercises: a task, what the learner is given, the reference that he does not see, and hints.
//!
//! `exercise.rs` reads an exercise from a file with marked sections, and `entries.rs` what it says is to
//! be compared. `judge.rs` plays the learner's rules and the reference side by side, breadth first as
//! `ludex diff` does, up to the first position in which they differ; `side.rs` is one of the two, and
//! `differing.rs` tells what differs. `fill.rs` puts a typed clause in the place of a gap, and
//! `progress.rs` keeps what each learner has solved.

mod differing;
mod entries;
mod exercise;
mod fill;
mod judge;
mod progress;
mod side;

pub use differing::Difference;
pub use entries::{Compare, Part};
pub use exercise::{Exercise, Unreadable};
pub use fill::{Filled, fill};
pub use judge::{Settings, Unjudged, Verdict, judge};
pub use progress::{Progress, ProgressError, Record};
