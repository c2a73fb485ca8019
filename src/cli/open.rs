//! Loading a game for a command.

use crate::diagnostic::Diagnostic;
use crate::engine::Game;
use crate::pipeline::{self, Failure};
use crate::program::LoadRequest;

use super::console::Stop;

/// Loads a game. Warnings are left to `ludex check`.
///
/// # Errors
/// What is wrong with the rule file, or with the request.
pub fn game(request: &LoadRequest) -> Result<Game, Stop> {
    match pipeline::load(request) {
        Ok(loaded) => Ok(loaded.game),
        Err(failure) => Err(stop(failure)),
    }
}

/// A failure as the reason to stop: the rule file's faults, or else those of the request.
pub fn stop(failure: Failure) -> Stop {
    let Failure { sources, diagnostics, request_faults } = failure;
    if diagnostics.iter().any(Diagnostic::is_error) {
        Stop::Diagnosed { sources, diagnostics, code: 1 }
    } else {
        Stop::Diagnosed { sources, diagnostics: request_faults, code: 2 }
    }
}
