//! Saved games: reading a file, loading its game, and playing its moves again.

use std::path::Path;

use crate::engine::Game;
use crate::record::{self, LoadError, Trial};
use crate::referee::{Last, Position, Referee, Stop};
use crate::syntax::Term;

use super::console::Console;
use super::seats::{self, Seat};
use super::{open, start};

/// A move of a saved game, with the resulting position.
pub struct Step {
    pub term: Term,
    pub notation: String,
    /// The player who made it; `None` for a chance event.
    pub player: Option<String>,
    pub position: Position,
}

/// The last move of a player among steps that begin in a position.
pub fn last<'a>(opening: &'a Position, steps: &'a [Step]) -> Option<Last<'a>> {
    let i = steps.iter().rposition(|step| step.player.is_some())?;
    let before = i.checked_sub(1).map_or(opening, |i| &steps[i].position);
    Some(Last { before, mv: &steps[i].term })
}

/// Reads a saved game.
///
/// # Errors
/// The reason why it cannot be used.
pub fn read(path: &Path) -> Result<Trial, Stop> {
    record::load(path).map_err(|error| match error {
        LoadError::Unreadable { .. } => Stop::Usage(error.to_string()),
        _ => Stop::Failed(error.to_string()),
    })
}

/// Loads the game of a trial; from the folder of the saved file where the recorded path is gone.
///
/// # Errors
/// The faults of the rule file or the request.
pub fn game(trial: &Trial, saved: &Path, console: &Console) -> Result<Game, Stop> {
    let mut request = trial.request();
    if let Some(path) = &trial.path
        && !path.exists()
        && let (Some(folder), Some(name)) = (saved.parent(), path.file_name())
        && folder.join(name).exists()
    {
        request.origin = crate::program::Origin::Path(folder.join(name));
    }
    let game = match open::game(&request) {
        // a missing game is not a fault of the command line here
        Err(Stop::Diagnosed { sources, diagnostics, .. }) => {
            return Err(Stop::Diagnosed { sources, diagnostics, code: 1 });
        }
        other => other?,
    };
    if Trial::rules_of(&game.program.sources) != trial.rules {
        console.note("warning: the rules have changed since the game was saved");
    }
    seats(trial, &game, saved)?;
    let names = game.program.players.iter().map(|p| game.program.values.show(*p));
    let names: Vec<String> = names.collect();
    match &trial.resigned {
        Some(name) if !names.contains(name) => {
            let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let text = format!("`{name}` resigned, and the players are {}", shown.join(", "));
            Err(refused(saved, text))
        }
        _ => Ok(game),
    }
}

/// The seats of a saved game, one for each player.
///
/// # Errors
/// Seats that are unknown or do not fit the players.
pub fn seats(trial: &Trial, game: &Game, saved: &Path) -> Result<Vec<Seat>, Stop> {
    let seats = seats::read(&trial.players, game.program.players.len());
    seats.map_err(|text| refused(saved, text))
}

fn refused(file: &Path, text: impl std::fmt::Display) -> Stop {
    Stop::Failed(format!("`{}` is refused: {text}", file.display()))
}

/// The position in which a trial begins.
///
/// # Errors
/// A position that does not fit the rules.
pub fn opening(referee: &mut Referee<'_>, trial: &Trial) -> Result<Position, Stop> {
    match &trial.given {
        Some(text) => {
            let facts = start::given(referee, "the saved position", text)?;
            referee.position(&facts)
        }
        None => Ok(referee.opening()),
    }
}

/// Plays the moves of a trial from its first position.
///
/// # Errors
/// The first move that is not legal, or a rule error.
pub fn steps(referee: &mut Referee<'_>, trial: &Trial, file: &Path) -> Result<Vec<Step>, Stop> {
    let refused = |text: String| refused(file, text);
    let terms = trial
        .terms()
        .map_err(|(number, text)| refused(format!("move {number}, `{text}`, is no term")))?;
    let mut position = opening(referee, trial)?;
    let mut steps: Vec<Step> = Vec::with_capacity(terms.len());
    for (i, term) in terms.into_iter().enumerate() {
        let shown = &trial.moves[i];
        if referee.outcome(&position)?.is_some() {
            return Err(refused(format!("the game is over before move {}, `{shown}`", i + 1)));
        }
        let chance = referee.choices(&position)?.chance;
        let player = (!chance).then(|| referee.name(referee.turn(&position)));
        let Some((term, next)) = referee.play_form(&position, &term)? else {
            return Err(refused(format!("move {}, `{shown}`, is not legal", i + 1)));
        };
        let notation = referee.notation(&referee.facts(&position), &term)?;
        position = next;
        steps.push(Step { term, notation, player, position: position.clone() });
    }
    if let Some(name) = &trial.resigned
        && referee.outcome(&position)?.is_some()
    {
        return Err(refused(format!("the game was over before `{name}` resigned")));
    }
    Ok(steps)
}
