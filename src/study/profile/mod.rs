//! `ludex profile` and `:profile`: where the time of a game's plan goes, by clause and goal of the rule file.
//!
//! `measure.rs` plays and counts, `tree.rs` attributes the counts to clauses and goals, `forms.rs`
//! names the forms in which the plan implements them, `why.rs` says in sentences what is slow, and
//! `print.rs` prints the profile.

mod forms;
mod measure;
mod print;
mod tree;
mod why;

use std::time::Duration;

use crate::engine::State;
use crate::referee::{Referee, Stop};
use crate::ui::console::Console;

pub use measure::Request;
use measure::measure;
use tree::Tree;

/// Prints what a run measured.
///
/// # Errors
/// A rule error.
pub fn profile(
    referee: &Referee<'_>,
    request: &Request<'_>,
    (all, json): (bool, bool),
    console: &Console,
) -> Result<(), Stop> {
    let measured = measure(referee.game, request).map_err(|fault| referee.fault(&fault))?;
    let tree = Tree::new(referee.game, &measured);
    match json {
        true => print::data(&tree, all, console),
        false => print::text(&tree, all, console),
    }
}

/// The profile of random moves from a position, at most `plies` of them at a time.
///
/// # Errors
/// A rule error.
pub fn from_here(
    referee: &Referee<'_>,
    from: &State,
    (plies, seed): (u64, u64),
    time: Duration,
    console: &Console,
) -> Result<(), Stop> {
    let request = Request { from, seed, max_plies: plies, playouts: None, time };
    profile(referee, &request, (false, false), console)
}
