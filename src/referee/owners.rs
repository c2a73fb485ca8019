//! Whose the pieces are where moves begin and end.

use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::Term;

use super::Referee;
use super::values::value;

/// Whether what stands where a move begins is the player's whose turn it is.
pub(super) fn begins_own(referee: &Referee<'_>, facts: &Facts, term: &Term) -> bool {
    first_value(referee, term).is_some_and(|site| is_own(referee, facts, site))
}

/// Whether a move from a site ends where a piece of the player's stands whose turn it is.
pub(super) fn ends_on_own(referee: &Referee<'_>, facts: &Facts, term: &Term) -> bool {
    let args = term.functor().map_or(&[][..], |(_, args)| args);
    let last = args.last().filter(|_| args.len() > 1).and_then(|last| value(referee, last));
    last.is_some_and(|site| is_own(referee, facts, site))
}

/// Whether what stands on a site is the player's whose turn it is.
fn is_own(referee: &Referee<'_>, facts: &Facts, site: Value) -> bool {
    let held = referee.rules.contents_fluent().and_then(|fluent| facts.get(fluent, &[site]));
    held.zip(facts.turn()).is_some_and(|(held, turn)| owned(referee, held, turn))
}

/// The first argument of a move.
pub(super) fn first_value(referee: &Referee<'_>, term: &Term) -> Option<Value> {
    value(referee, term.functor()?.1.first()?)
}

/// Whether a piece is any player's.
pub(super) fn has_owner(referee: &Referee<'_>, piece: Value) -> bool {
    referee.game.program.players.iter().any(|player| owned(referee, piece, *player))
}

/// Whether a piece is a player's.
pub(super) fn owned(referee: &Referee<'_>, piece: Value, player: Value) -> bool {
    let args = referee.game.program.values.functor(piece).map(|(_, args)| args);
    piece == player || args.is_some_and(|args| args.contains(&player))
}
