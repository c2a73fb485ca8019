//! The engine: an immutable [`Game`], a small [`State`], and a [`Session`] that plays.
//!
//! `machine.rs` holds the registers, sets and the state at work, `fuel.rs` counts steps, `run.rs` the instruction loop and
//! `loops.rs` what repeats in it, `calls.rs` procedures, floods and tables, `segments.rs` the moves
//! of a position, `moves.rs` how they are found, `duplicates.rs` how they are told apart, `nested_query.rs`
//! questions about them within a run, `play.rs` a move and the end; `native/` is machine code for
//! what is run often.
//! Algorithms on top (`perft.rs`, `playout.rs`, the search) are blind to the game.

mod calls;
mod duplicates;
mod fault;
mod fuel;
mod game;
mod history;
mod loops;
mod machine;
mod moves;
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
mod state;
mod tabling;

pub use fault::{Fault, FaultKind};
pub use fuel::Budget;
pub use game::{Fact, Game, Move, Outcome, State, ToMove};
pub use native::{CodeReport, FunctionReport, Lack, NativeCode, NativeRuns, Role};
pub use perft::Perft;
pub use playout::{PlayoutOptions, Playouts};
pub use probes::{Probed, Samples, Tally};
pub use random::Random;
pub use session::{Execution, Session};
