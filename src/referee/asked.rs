//! Questions in plain words, of all kinds: about the position, numbers, what follows a move, the moves of a piece, and the legal
//! moves.

use crate::explain::{Cause, Explanation};

use super::asks::answered;
use super::counts::counted;
use super::follows::what_follows;
use super::movable::can_move;
use super::naming::Named;
use super::standing::of_position;
use super::{Position, Referee, Stop};

/// The answer to a question in plain words; `None` where a text asks nothing that is understood. `over`: the game has ended.
///
/// # Errors
/// A rule error.
pub fn asked(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    over: bool,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    if let Some(told) = about_position(referee, position, text)? {
        return Ok(Some(told));
    }
    if let Some(told) = what_follows(referee, position, legal, text)? {
        return Ok(Some(told));
    }
    let facts = referee.facts(position);
    if let Some(told) = can_move(referee, (position, &facts), legal, text)? {
        return Ok(Some(told));
    }
    if over { Ok(None) } else { answered(referee, position, legal, text) }
}

/// The answer to a question that is about no move: also where chance comes first.
///
/// # Errors
/// A rule error.
pub fn about_position(
    referee: &mut Referee<'_>,
    position: &Position,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    match of_position(referee, position, text)? {
        Some(told) => Ok(Some(told)),
        None => counted(referee, position, text),
    }
}

/// The words of a question in small letters, without the signs at its end.
pub(super) fn in_small(text: &str) -> String {
    text.trim().trim_end_matches(['?', '.', '!']).trim_end().to_lowercase()
}

/// An answer that no goal of the rules gives.
pub(super) fn told(text: &str, short: String, holds: bool) -> Explanation {
    let told = Explanation::of(text.trim().to_string());
    Explanation { holds, cause: Cause::Proof, short, ..told }
}
