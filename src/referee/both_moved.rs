//! Texts that name two pieces of the player's as the ends of a move, where a legal move moves them both: castling told as the
//! king's move to the place of the rook.

use crate::explain::{Cause, Explanation};
use crate::program::Value;
use crate::reference::Facts;

use super::naming::Named;
use super::owners::owned;
use super::values::sites_in;
use super::{Referee, Stop};

/// The most legal moves that are played to know whether one moves both.
const MOST_PLAYED: usize = 200;

/// The explanation of a move that is not legal with a legal one behind it that moves both of the pieces that stand where it
/// begins and ends.
///
/// # Errors
/// A rule error.
pub(super) fn with_both_moved(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
    told: Explanation,
) -> Result<Explanation, Stop> {
    let sites: Vec<Value> = sites_in(referee, text).into_iter().collect();
    let refused = !told.holds && told.cause == Cause::Goal && legal.len() <= MOST_PLAYED;
    let ([from, to], Some(fluent), Some(turn)) =
        (sites.as_slice(), referee.rules.contents_fluent(), facts.turn())
    else {
        return Ok(told);
    };
    let own = |site: &Value| facts.get(fluent, &[*site]).is_some_and(|p| owned(referee, p, turn));
    if !refused || !own(from) || !own(to) {
        return Ok(told);
    }
    for one in legal {
        let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
        let Some(next) = next else { continue };
        let moved = |site: &Value| next.get(fluent, &[*site]) != facts.get(fluent, &[*site]);
        let pieces = |facts: &Facts| facts.iter(fluent).count();
        if moved(from) && moved(to) && pieces(&next) == pieces(facts) {
            let short = format!("{} `{}` is legal, and moves both.", told.short, one.notation);
            return Ok(Explanation { short, ..told });
        }
    }
    Ok(told)
}
