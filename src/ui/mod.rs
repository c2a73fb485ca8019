//! What the command line and the prompt share of the terminal: input, output, signals, and the
//! arguments that name a game and a position.

pub mod arguments;
pub mod choose;
pub mod console;
pub mod input;
pub mod open;
pub mod progress;
pub mod signals;
pub mod start;
pub mod tables;
