//! Texts of a legal move and more: the next move (`d4 then castle`), or what is said of the first (`c6 flips b6`).

use crate::explain::Explanation;
use crate::program::{FluentId, Value};
use crate::reference::Facts;

use super::follows::judged;
use super::naming::Named;
use super::remarks::says_nothing;
use super::spoken_of::speak_of;
use super::typed::{self, Reading};
use super::unread::{self, strange_in};
use super::values::{site_named, sites_in};
use super::wording::is_form_word;
use super::{Position, Referee, Stop};

/// Words for what a move changes on a site.
#[rustfmt::skip]
const CHANGES: [&str; 12] = [
    "flips", "flipping", "turns", "turning", "hits", "hitting", "kills", "killing", "takes", "taking", "captures",
    "capturing",
];

/// Words for what a piece does that has moved, which are not judged; so are words in `-ing` behind a comma.
#[rustfmt::skip]
const DOES: [&str; 31] = [
    "is", "attacks", "threatens", "defends", "protects", "blocks", "forks", "pins", "guards", "saves", "traps", "frees",
    "ends", "closes", "opens", "escapes", "makes", "making", "joins", "encloses", "goes", "stops", "shuts", "hops",
    "jumps", "leaps", "passes", "loses", "gives", "leaves", "wins",
];

/// What a text says behind a move.
enum More<'t> {
    /// Another move.
    Move,
    /// That something changes on this site.
    Change(&'t str),
    /// What is not judged, as it was said.
    Said(String),
}

/// The words of a text before the first that joins something to a move, and what that is.
fn parted<'t>(words: &'t [&str]) -> Option<(&'t [&'t str], More<'t>)> {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is = |all: &[&str], word: &str| all.contains(&plain(word).as_str());
    let joins = |at: &usize| {
        let behind = words[at - 1].ends_with(',') && plain(words[*at]).ends_with("ing");
        behind || is(&["then"], words[*at]) || is(&CHANGES, words[*at]) || is(&DOES, words[*at])
    };
    let at = (1..words.len().saturating_sub(1)).find(joins)?;
    let before = match words[..at].split_last() {
        Some((last, before)) if is(&["and"], last) => before,
        _ => &words[..at],
    };
    let more = match words[at] {
        word if is(&["then"], word) => More::Move,
        // what is changed is a site, or a piece that is not looked at
        word if is(&CHANGES, word)
            && words[words.len() - 1].contains(|c: char| c.is_ascii_digit()) =>
        {
            More::Change(words[words.len() - 1])
        }
        _ => More::Said(words[at..].join(" ")),
    };
    (!before.is_empty()).then_some((before, more))
}

/// The first word of a text and the words behind it, where no move has these and the rules speak of them: `c4 mill`.
fn with_words<'t>(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    words: &'t [&str],
) -> Option<(&'t [&'t str], More<'t>)> {
    let (first, rest) = words.split_first_chunk::<1>()?;
    let said = rest.join(" ");
    let strange = strange_in(referee, legal, &said);
    let of_no_move = |word: &String| strange.contains(word) && !is_form_word(referee, word);
    let all = unread::words(&said);
    let plain = !all.is_empty()
        && all.iter().all(|word| of_no_move(word) || says_nothing(word))
        && all.iter().any(of_no_move)
        && sites_in(referee, &said).is_empty()
        && speak_of(referee, facts, &said);
    plain.then_some((first.as_slice(), More::Said(said)))
}

/// What is said of a text that tells a legal move and more; `None` for other texts.
///
/// # Errors
/// A rule error.
pub fn move_and_more(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let facts = referee.facts(position);
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((first, more)) = parted(&words).or_else(|| with_words(referee, &facts, legal, &words))
    else {
        return Ok(None);
    };
    let alone = first.len() == 1;
    let first = first.join(" ");
    let first = first.trim_end_matches([',', ';', '.']);
    // less than a whole move may be the piece that captures: `Nf3 takes e5`
    let reading = match &more {
        More::Change(_) => Reading::Exact,
        More::Said(_) if alone => Reading::Exact,
        More::Move | More::Said(_) => Reading::Any,
    };
    let Ok(found) = typed::read(referee, position, legal, first, reading)? else { return Ok(None) };
    let told = referee.rules.why_move(&facts, &found.term).map_err(|e| referee.stopped(e))?;
    let Some(next) = referee.play(position, &found.term)? else { return Ok(None) };
    // a word alone behind a move claims nothing of it
    if matches!(&more, More::Said(said) if said.contains(' ')) {
        let found = found.clone();
        if let Some(told) = judged(referee, position, &found, text, &told)? {
            return Ok(Some(told));
        }
    }
    let is_legal = told.short.trim_end_matches('.');
    let short = match more {
        More::Said(said) => format!(
            "{is_legal}. `{}` is no part of the move.",
            said.trim_end_matches(['.', '!', '?'])
        ),
        More::Change(site) => {
            let Some(site) = site_named(referee, site.trim_end_matches(['.', '!', '?'])) else {
                return Ok(None);
            };
            match stays(referee, (&facts, &referee.facts(&next)), site) {
                true => {
                    let site = referee.game.program.values.show(site);
                    format!("{is_legal}. It changes nothing on {site}.")
                }
                false => told.short.clone(),
            }
        }
        More::Move => format!("{is_legal}. One move at a time."),
    };
    Ok(Some(Explanation { short, ..told }))
}

/// Whether the same is said of a site in both positions.
fn stays(referee: &Referee<'_>, (before, after): (&Facts, &Facts), site: Value) -> bool {
    let said = |facts: &Facts| -> Vec<(FluentId, Vec<Value>, Value)> {
        let fluents = (0..referee.game.program.fluents.len() as u32).map(FluentId);
        fluents
            .flat_map(|fluent| facts.iter(fluent).map(move |(keys, value)| (fluent, keys, value)))
            .filter(|(_, keys, _)| keys.contains(&site))
            .map(|(fluent, keys, value)| (fluent, keys.to_vec(), value))
            .collect()
    };
    said(before) == said(after)
}
