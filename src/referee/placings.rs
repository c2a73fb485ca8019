//! Texts of moves that place something: a piece from the hand, or what belongs to no player.

use crate::program::Value;
use crate::reference::Facts;
use crate::types::Domain;

use super::Referee;
use super::kinds::{Kind, is_kind, kinds};
use super::owners::has_owner;
use super::plainer::Plainer;
use super::remarks::{without_mover, without_remarks};
use super::values::{site_named, values};

/// Words for placing a piece that is not on the board, and for where it is.
pub(super) const PLACES: [&str; 11] =
    ["place", "places", "put", "puts", "drop", "drops", "set", "sets", "add", "adds", "hand"];

/// What a text means that places a piece from the hand, where moves of a form of their own do that: `place a pawn on e4`,
/// which moves none that is on the board.
pub(super) fn placed(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Plainer> {
    let placing = |word: &str| PLACES.contains(&word.to_lowercase().as_str());
    if !text.split_whitespace().any(placing) {
        return None;
    }
    let plain = without_remarks(referee, text);
    let plain = without_mover(referee, facts, &plain).unwrap_or(plain);
    let mut words = plain.split_whitespace().filter(|word| !placing(word));
    let (kind, site) = (words.next()?.to_lowercase(), words.next()?);
    let whole = words.next().is_none() && is_kind(referee, &kind);
    site_named(referee, site).filter(|_| whole)?;
    let show = |value: &Value| referee.game.program.values.show(*value);
    let drops = |(_, domains): &&(String, Vec<Domain>)| match domains.as_slice() {
        [piece, _] => {
            let names: Vec<String> = values(piece).iter().map(show).collect();
            !names.is_empty() && names.iter().all(|name| is_kind(referee, name))
        }
        _ => false,
    };
    let (form, _) = referee.game.types.moves.iter().find(drops)?;
    Some(Plainer::with(format!("{kind} {site}"), Some(Kind::Form(form.clone()))))
}

/// A text that begins with the name of something on the board that is no player's, and of the forms of move of one site
/// the one that places it: `arrow d7`.
pub(super) fn thing_placed(referee: &Referee<'_>, text: &str) -> Option<Plainer> {
    let (word, site) = text.split_once(char::is_whitespace)?;
    site_named(referee, site)?;
    if !is_thing(referee, word) {
        return None;
    }
    let mut forms = referee.game.types.moves.iter().filter(|(_, domains)| domains.len() == 1);
    let (form, _) = forms.next().filter(|_| forms.next().is_none())?;
    Some(Plainer::with(site.trim(), Some(Kind::Form(form.clone()))))
}

/// Whether a word is the name of something on the board that is no player's where pieces are: `arrow`.
pub(super) fn is_thing(referee: &Referee<'_>, word: &str) -> bool {
    // a rule error in letters is none of what was typed
    let pieces = referee.rules.pieces().unwrap_or_default();
    let show = |piece: Value| referee.game.program.values.show(piece);
    let is_kind = kinds(referee).iter().any(|(_, name)| *name == word);
    let is_it = |piece: Value| show(piece) == word.to_lowercase() && !has_owner(referee, piece);
    !is_kind && pieces.iter().any(|(piece, _)| is_it(*piece))
}
