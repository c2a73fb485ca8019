//! The library's front door: [`Game`] and [`Position`] own what they need, read moves and goals as the prompt
//! does, and answer with its sentences.
//!
//! `game.rs` loads, `position.rs` plays and asks, `asked.rs` has the longer questions, `shown.rs` what a page shows, `studied.rs` what
//! playing tells of the rules;
//! `error.rs`, `value.rs`, `limits.rs` and `why.rs` are what they take and give.

mod asked;
mod error;
#[cfg(feature = "serve")]
mod exact;
mod examples;
mod game;
mod limits;
mod position;
mod shown;
mod studied;
mod value;
mod why;

pub use asked::{Best, Rated, Search};
pub use error::{Error, Fault, Faults};
#[cfg(feature = "serve")]
pub(crate) use exact::{Exact, TIME as SOLVING_TIME, Unsolved};
pub use examples::ShownExample;
pub use game::{Game, GameOption, Loader, Report, shipped_games};
pub use limits::Limits;
pub use position::{Move, Outcome, Position};
pub use shown::{Shown, ShownMove, ShownSite};
pub use studied::{Coverage, Sample, UnusedClause};
pub use value::{Answer, Value};
pub use why::Why;

/// A result of this library.
pub type Result<T> = std::result::Result<T, Error>;
