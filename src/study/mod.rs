//! What commands and the prompt find out about rules by playing: coverage, profiles, comparisons, reports, reviews of
//! saved games, and the functions of the machine code.

pub mod code;
pub mod cover;
pub mod diff;
pub mod profile;
pub mod report;
pub mod results;
pub mod review;
pub mod statistics;
