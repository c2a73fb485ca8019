//! Ludex: board games described as logic programs, played, queried, explained and solved.
//!
//! ```
//! # fn main() -> ludex::Result<()> {
//! use ludex::Game;
//!
//! let game = Game::shipped("nerenchi").option("counters", 11).load()?;
//! let mut at = game.start();
//! at.play("d7")?;
//! for a in at.query("at(P, white), adjacent(P, Q), empty(Q)")? {
//!     println!("{} {}", a["P"], a["Q"]);
//! }
//! println!("{}", at.why("a1")?);
//! # Ok(()) }
//! ```
//!
//! [`Game`] is loaded from the shipped games, a file or a text; [`Position`] is played, asked and taken back. Both are
//! owned, cheap to clone, and may be sent to and shared between threads. Every failure is an [`Error`], which
//! displays the sentence that a person would be told; nothing panics, and no rule file can make a call run for ever:
//! [`Limits`] says how much work it may take. `docs/api.md` shows more, `examples/` has whole programs, and
//! [`ask`] (with the command `ludex rpc`) gives the same answers to programs in other languages, as JSON.
//!
//! # Cargo features
//!
//! - `cli` (default): the command line and the prompt, [`cli::run`].
//! - `serve` (default): the web server, `ludex serve`.
//! - `native` (default): machine code for what is played often. Without it everything is interpreted, and all answers
//!   are the same.
//!
//! # Beneath
//!
//! The stages are folders, and each is printed by `ludex show STAGE`: [`source`], [`syntax`],
//! [`program`], [`datalog`], [`types`], [`plan`], [`engine`]. [`pipeline`] runs them in order. They may change in
//! every version; what stands above does not.

// parts that only the command line, the prompt or machine code ask for
#![cfg_attr(not(all(feature = "cli", feature = "native")), allow(dead_code))]

mod api;
pub mod ask;
pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub(crate) mod coverage;
pub mod datalog;
pub mod diagnostic;
pub mod engine;
pub mod explain;
pub mod goals;
pub mod learn;
pub mod pipeline;
pub mod plan;
pub mod program;
pub mod record;
pub(crate) mod referee;
pub mod reference;
pub mod render;
#[cfg(feature = "repl")]
pub mod repl;
pub mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
pub mod source;
#[cfg(feature = "repl")]
pub(crate) mod study;
pub mod syntax;
pub mod types;
#[cfg(feature = "repl")]
pub(crate) mod ui;

pub use api::{
    Answer, Best, Coverage, Error, Fault, Faults, Game, GameOption, Limits, Loader, Move, Outcome,
    Position, Rated, Report, Result, Sample, Search, Shown, ShownExample, ShownMove, ShownSite,
    UnusedClause, Value, Why, shipped_games,
};
pub use program::Files;

/// The page on the library, whose programs are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/api.md")]
struct ApiPage;
