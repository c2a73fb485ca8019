//! Texts that name a site by one beside it, and a piece by the side on which it stands: `left of h8`, `the left horse to c8`.

use crate::reference::Facts;

use super::Referee;
use super::kinds::{is_kind, is_of_kind, kinds};
use super::owners::owned;
use super::places::{THINGS, place_of, site_at};
use super::remarks::is_called;
use super::takers::player_called;
use super::values::site_named;

/// Words that say where a site lies beside another one, with the columns and rows from that to it.
const SIDES: [(&str, i64, i64); 6] = [
    ("left", -1, 0),
    ("right", 1, 0),
    ("above", 0, 1),
    ("below", 0, -1),
    ("under", 0, -1),
    ("beneath", 0, -1),
];

/// Words before those for a side.
const BEFORE: [&str; 4] = ["the", "just", "directly", "immediately"];

/// Words before what is called by its side.
const ARTICLES: [&str; 3] = ["the", "my", "a"];

/// Words between those for a side and the site.
const BETWEEN: [&str; 9] = ["the", "a", "my", "piece", "stone", "disc", "man", "on", "at"];

/// A text with the name of the site that it calls by the one beside it: `g8` for `left of h8`. `None` where it calls none so.
pub(super) fn beside_site(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (last, words) = words.split_last()?;
    site_named(referee, last)?;
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let of = |at: usize| lower.get(at + 1).is_some_and(|next| next == "of");
    let side = |at: usize| {
        let (name, x, y) = SIDES.into_iter().find(|(name, ..)| *name == lower[at])?;
        (of(at) == ["left", "right"].contains(&name)).then_some((x, y))
    };
    let (at, (dx, dy)) = (0..lower.len()).find_map(|at| Some((at, side(at)?)))?;
    let behind = &lower[at + 1 + usize::from(of(at))..];
    let plain = |word: &String| {
        BETWEEN.contains(&word.as_str())
            || is_kind(referee, word)
            || player_called(referee, word).is_some()
    };
    if !behind.iter().all(plain) {
        return None;
    }
    let before = (0..at).rev().find(|i| !BEFORE.contains(&lower[*i].as_str()));
    let site = neighbour(referee, last, (dx, dy))?;
    let begun = &words[..before.map_or(0, |at| at + 1)];
    Some([begun, &[site.as_str()]].concat().join(" "))
}

/// The nearest site from this one in a direction along its row or column.
fn neighbour(referee: &Referee<'_>, name: &str, (dx, dy): (i64, i64)) -> Option<String> {
    let site = site_named(referee, name)?;
    let (x, y) = place_of(referee, &referee.game.program.values.show(site))?;
    let board = referee.view.board.as_ref()?;
    let along = |(u, v): (i64, i64)| ((u - x) * dx + (v - y) * dy, (u - x) * dy + (v - y) * dx);
    let places = board.sites().map(|(_, site)| (site.x, site.y));
    let ahead = places.filter(|place| matches!(along(*place), (steps, 0) if steps > 0));
    let nearest = ahead.min_by_key(|place| along(*place).0)?;
    site_at(referee, |u, v| (u, v) == nearest)
}

/// A text with the site of the piece that it calls by the side on which it stands, for the first player, who sees the board as
/// it is drawn: `horse b1 to c3` for `the left horse to c3`. For others the side may be either, so that it is left out.
pub(super) fn on_a_side(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let turn = facts.turn()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let (right, kind, rest) = piece_on_a_side(referee, &referee.name(turn), &words)?;
    let fluent = referee.rules.contents_fluent()?;
    let all = kinds(referee);
    let fits = |piece| kind.as_ref().is_none_or(|kind| is_of_kind(&all, piece, kind));
    let own = facts
        .iter(fluent)
        .filter(|(keys, piece)| keys.len() == 1 && owned(referee, *piece, turn) && fits(*piece));
    let sites = own.map(|(keys, _)| referee.game.program.values.show(keys[0]));
    let mut placed: Vec<(i64, String)> =
        sites.filter_map(|name| Some((place_of(referee, &name)?.0, name))).collect();
    placed.sort();
    let found = if right { placed.last() } else { placed.first() };
    let (farthest, name) = found?;
    let alone = placed.iter().filter(|(x, _)| x == farthest).count() == 1;
    let first = referee.game.program.players.first() == Some(&turn);
    match first {
        true if !alone => None,
        true => Some([kind.as_slice(), std::slice::from_ref(name), &rest].concat().join(" ")),
        false => kind.map(|kind| [&[kind], rest.as_slice()].concat().join(" ")),
    }
}

/// Whether a text begins with a piece on the right or the left, the kind of that piece, and the words behind it: `the left horse`,
/// `my rightmost stone`, `the left red one`, `red counter on the right`.
fn piece_on_a_side(
    referee: &Referee<'_>,
    mover: &str,
    words: &[&str],
) -> Option<(bool, Option<String>, Vec<String>)> {
    let side = |word: &str| match word.trim_end_matches("most") {
        "left" => Some(false),
        "right" => Some(true),
        _ => None,
    };
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_thing = |word: &String| THINGS.contains(&word.as_str()) || word == "one";
    let (mut right, mut at) = (None, 0);
    let kind = loop {
        let word = lower.get(at)?;
        at += 1;
        if let Some(told) = side(word).filter(|_| right.is_none()) {
            right = Some(told);
        } else if is_kind(referee, word) && !is_thing(word) {
            // `red counter` where the pieces are those of the players
            at += usize::from(lower.get(at).is_some_and(is_thing));
            break Some(word.clone());
        } else if is_thing(word) {
            break is_kind(referee, word).then(|| word.clone());
        } else if !ARTICLES.contains(&word.as_str()) && !is_called(mover, word) {
            return None;
        }
    };
    if right.is_none()
        && let [on, the, told, ..] = &lower[at..]
        && ["on", "at", "to"].contains(&on.as_str())
        && the == "the"
    {
        right = side(told);
        at += 3;
        at += usize::from(lower.get(at).is_some_and(|word| word == "side"));
    }
    let rest: Vec<String> = words[at..].iter().map(|word| word.to_string()).collect();
    Some((right.filter(|_| !rest.is_empty())?, kind, rest))
}
