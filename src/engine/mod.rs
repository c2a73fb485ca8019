//! The engine: an immutable [`Game`], a small [`State`], and a [`Session`] that plays.
//!
//! `machine.rs` holds the registers, sets and the state at work, `run.rs` the instruction loop,
//! `calls.rs` procedures, floods and tables, `moves.rs` segments, `play.rs` a move and the end.
//! Algorithms on top (`perft.rs`, `playout.rs`, the search) are blind to the game.

mod calls;
mod fault;
mod game;
mod machine;
mod moves;
mod perft;
mod play;
mod playout;
mod random;
mod run;
mod session;
mod state;

pub use fault::{Fault, FaultKind};
pub use game::{Fact, Game, Move, Outcome, State, ToMove};
pub use machine::Budget;
pub use perft::Perft;
pub use playout::{PlayoutOptions, Playouts};
pub use random::Random;
pub use session::Session;
