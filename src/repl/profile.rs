//! `:profile`: where the time goes in moves from this position; `:cover`: clauses that are never
//! used.

use std::time::Duration;

use crate::coverage;
use crate::referee::Position;
use crate::referee::Stop;
use crate::study::cover::{self, Request};
use crate::study::profile;

use super::play::number;
use super::prompt::Prompt;
use super::sitting::Sitting;

/// The longest random game that is profiled, in moves.
const LONGEST: usize = 1000;
/// How long a profile takes.
const TIME: Duration = Duration::from_secs(1);

/// The default and the greatest number of playouts of `:cover`.
const PLAYOUTS: usize = 100;
const MOST_PLAYOUTS: usize = 100_000;

impl Sitting<'_> {
    /// `:profile [N]`: profiles the moves of this position, or N moves of random games from here,
    /// repeatedly for some time. The position is not changed.
    ///
    /// # Errors
    /// A rule error.
    pub fn profile(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        let moves = match rest {
            "" => 1,
            rest => number(rest, "how many moves", 1, LONGEST)?,
        };
        let from = match self.position() {
            Position::Compiled(state) => state.clone(),
            Position::Plain(_) => return Ok(()),
        };
        profile::from_here(&self.referee, &from, (moves as u64, self.seed), TIME, prompt.console)
    }

    /// `:cover [N]`: lists the clauses that never hold in N playouts with the current rules.
    ///
    /// # Errors
    /// A rule error.
    pub fn cover(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let playouts = match rest {
            "" => PLAYOUTS,
            rest => number(rest, "how many playouts", 1, MOST_PLAYOUTS)?,
        };
        let games = coverage::Request::of(playouts, self.seed);
        let request = Request { games, seconds: None, source: false, json: false };
        cover::cover(&self.opened.game, &request, prompt.console)
    }
}
