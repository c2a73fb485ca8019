//! What commands and the prompt find out about rules by playing: coverage, profiles, comparisons, and the functions
//! of the machine code.

pub mod code;
pub mod cover;
pub mod diff;
pub mod lines;
pub mod profile;
