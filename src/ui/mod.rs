//! What the command line and the prompt share of the terminal: input, output, signals, and the
//! arguments that name a game and a position.

pub mod arguments;
pub mod choose;
pub mod console;
pub mod input;
pub mod open;
pub mod progress;
pub mod saved;
pub mod seats;
pub mod signals;
pub mod solutions;
pub mod start;
pub mod state_file;
pub mod tables;
pub mod thinking;
