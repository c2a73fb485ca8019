//! Moves told by the kind of the piece that moves alone: `king moves`, `the rook goes`.

use crate::explain::owner;
use crate::reference::Facts;
use crate::syntax::print_term;

use super::Referee;
use super::kinds::{held, is_kind, is_of_kind, kinds};
use super::likeliest::Meant;
use super::naming::Named;
use super::pieces;
use super::placings::PLACES;
use super::remarks::{is_taking, says_nothing};
use super::values::{most_sites, site_named};

/// Words beside the piece that say that it moves.
const BESIDE: [&str; 5] = ["i", "with", "block", "blocks", "by"];

/// Whether a word says something else of a piece than that it moves: `drop queen`, `king me`.
fn is_other(word: &str) -> bool {
    is_taking(word) || PLACES.contains(&word) || word == "me"
}

/// What is said of a text that names nothing but a piece which moves, where no legal move is one of such a piece.
pub(super) fn none_moves(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    text: &str,
) -> Option<Meant> {
    let (kind, _) = of_mover(referee, facts, named, text).filter(|(_, moves)| moves.is_empty())?;
    let reason = format!("no {kind} of {} can move", owner(&referee.name(facts.turn()?)));
    pieces::told(referee, text, "", reason, Vec::new())
}

/// The kind of piece that a text names, where it names nothing else but that it moves.
fn mover(referee: &Referee<'_>, text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let mut kind = None;
    for word in lower.split_whitespace().map(|word| word.trim_end_matches(['.', '!', '?'])) {
        if is_kind(referee, word) && site_named(referee, word).is_none() {
            kind.replace(word.to_string()).is_none().then_some(())?;
        } else if is_other(word) || !says_nothing(word) && !BESIDE.contains(&word) {
            return None;
        }
    }
    kind
}

/// The kind of piece that a text names alone, and the legal moves of its pieces; `None` where it says something else, or where
/// moves do not lead from site to site.
pub(super) fn of_mover<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<(String, Vec<&'n Named>)> {
    let most = most_sites(referee)?;
    let kind = mover(referee, text)?;
    let kinds = kinds(referee);
    let of_kind = |n: &&Named| {
        let from = n.term.functor().and_then(|(_, args)| args.first()).map(print_term);
        let piece = from.as_ref().and_then(|from| held(referee, facts, from));
        // a drop names the kind
        let dropped = from.as_ref() == Some(&kind);
        dropped || piece.is_some_and(|piece| is_of_kind(&kinds, piece, &kind))
    };
    let moves: Vec<&Named> = named.iter().filter(of_kind).collect();
    // a word alone may be a value that moves name, and what is only placed goes nowhere
    let alone = text.split_whitespace().count() < 2 && moves.len() != 1;
    (!alone && (most > 1 || !moves.is_empty())).then_some((kind, moves))
}
