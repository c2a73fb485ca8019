//! Loads a game for a command, and starts its record.

use crate::diagnostic::Diagnostic;
use crate::engine::Game;
use crate::pipeline::{self, Failure};
use crate::program::{LoadRequest, OptionDomain, Origin, Program};
use crate::record::{FORM, Trial};
use crate::referee::interrupt;

use crate::referee::Stop;

/// Loads a game. Warnings are not reported; `ludex check` does that.
///
/// # Errors
/// The faults of the rule file or of the request.
pub fn game(request: &LoadRequest) -> Result<Game, Stop> {
    // where Ctrl-C is caught, e.g. at the prompt, it interrupts loading too
    let request = LoadRequest {
        budget: request.budget.interrupted_by(interrupt::interrupted),
        ..request.clone()
    };
    match pipeline::load(&request) {
        Ok(loaded) => Ok(loaded.game),
        Err(failure) => Err(stop(failure)),
    }
}

/// A failure as the reason to stop: the rule file's faults, or else those of the request.
pub fn stop(failure: Failure) -> Stop {
    let Failure { sources, diagnostics, request_faults, interrupted } = failure;
    if interrupted {
        Stop::Interrupted
    } else if diagnostics.iter().any(Diagnostic::is_error) {
        Stop::Diagnosed { sources, diagnostics, code: 1 }
    } else {
        Stop::Diagnosed { sources, diagnostics: request_faults, code: 2 }
    }
}

/// The record of a new game.
pub fn trial(request: &LoadRequest, game: &Game, seed: u64) -> Trial {
    let (name, path) = match &request.origin {
        Origin::Path(path) => {
            let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
            (stem.unwrap_or_default(), Some(path.canonicalize().unwrap_or_else(|_| path.clone())))
        }
        Origin::Shipped(name) | Origin::Text { name, .. } => (name.clone(), None),
    };
    Trial {
        version: FORM,
        game: name,
        path,
        rules: Trial::rules_of(&game.program.sources),
        options: request.options.clone(),
        seed,
        players: Vec::new(),
        given: None,
        moves: Vec::new(),
        resigned: None,
        check: String::new(),
    }
}

/// The options of a game, each with its value and what it may be.
pub fn options(program: &Program) -> Vec<String> {
    let own = program.options.values().filter(|option| !option.fixed);
    own.map(|option| {
        let values = match &option.domain {
            OptionDomain::Values(values) => program.values.show_all(values),
            OptionDomain::Range(lo, hi) => format!("{lo}..{hi}"),
        };
        format!("{} = {}  (of {values})", option.name, program.values.show(option.value))
    })
    .collect()
}
