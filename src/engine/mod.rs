//! The engine: an immutable [`Game`], a small [`State`], and a [`Session`] that plays.
//!
//! `machine.rs` has the registers, the sets and the current state, `fuel.rs` counts steps, `run.rs` is the
//! instruction loop and `loops.rs` its generators, `calls.rs` has procedures and floods, `tabling.rs`
//! tables, `segments.rs` the moves of a position. `moves.rs` generates moves, `duplicates.rs` finds equal
//! ones, `nested_query.rs` answers questions about them within a run, and `play.rs` plays a move and tests
//! for the end, for which `changes.rs` knows what has changed. `native/` is machine code for plans that are run often.
//! The algorithms on top (`perft.rs`, `playout.rs`, the search) know nothing of particular games.

mod bits;
mod calls;
mod changes;
mod collector;
mod duplicates;
mod facts;
mod fault;
mod fuel;
mod game;
mod history;
mod loops;
mod machine;
mod moves;
#[cfg_attr(not(feature = "native"), path = "absent.rs")]
mod native;
mod nested_query;
mod perft;
mod play;
mod playout;
mod probes;
mod random;
mod run;
mod segments;
mod session;
mod supposed;
mod tabling;
mod telling;
mod walk;
mod weights;

pub use crate::program::Budget;
pub use fault::{Fault, FaultKind};
pub use game::{Fact, Game, Move, Outcome, State, ToMove};
pub use native::{CodeReport, FunctionKind, FunctionReport, Lack, NativeCode, NativeRuns};
pub use perft::Perft;
pub use playout::{PlayoutOptions, Playouts};
pub use probes::{Probed, Samples, Tally};
pub use random::Random;
pub use session::{Execution, Session};
pub use telling::Telling;
pub use walk::{Candidate, Look, Walk, Wanted, drawn_if_shared};
