//! Ludex: board games described as logic programs, played, queried, explained and solved.
//!
//! The stages are folders, and each is printed by `ludex show STAGE`: [`source`], [`syntax`],
//! [`program`], [`datalog`], [`types`], [`plan`], [`engine`]. [`pipeline`] runs them in order.

pub mod board;
pub mod cli;
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
pub mod render;
pub mod repl;
pub mod search;
pub mod source;
pub(crate) mod study;
pub mod syntax;
pub mod types;
pub(crate) mod ui;
