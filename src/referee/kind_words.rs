//! What is said of texts that name kinds of pieces, and that are no moves.

use indexmap::IndexSet;

use crate::diagnostic::listed;
use crate::program::Value;

use super::Referee;
use super::kinds::{Letters, is_kind, kinds};
use super::shorthand::has_drop;
use super::strange::such;
use super::unread::{as_typed, words};
use super::values::{most_sites, sites, values};

/// What is said of a text of the names of pieces alone.
pub(super) fn kinds_alone(referee: &Referee<'_>, text: &str, kinds: &[String]) -> Option<String> {
    let names: Vec<String> =
        sites(referee).iter().map(|site| referee.game.program.values.show(*site)).collect();
    let whole = kinds.len() == words(text).len() && !names.is_empty();
    pieces_alone(referee, kinds, such(referee, &names).as_deref()).filter(|_| whole)
}

/// That words are the names of pieces, with what names of sites are like; `None` where there are no such words.
pub(super) fn pieces_alone(
    referee: &Referee<'_>,
    kinds: &[String],
    such: Option<&str>,
) -> Option<String> {
    let pieces: IndexSet<String> = kinds.iter().map(|word| format!("`{word}`")).collect();
    let pieces: Vec<String> = pieces.into_iter().collect();
    let (are, one) = match pieces.len() {
        0 => return None,
        1 => ("is a piece", "it"),
        _ => ("are pieces", "one"),
    };
    let such = such.map(|such| format!("; {such}")).unwrap_or_default();
    // where a move names one site, nothing goes from one to another
    let told = match most_sites(referee) {
        Some(1) => "name a site".to_string(),
        _ => format!("name the site to which {one} goes"),
    };
    Some(format!("{} {are}: {told}{such}", listed(&pieces, "and")))
}

/// The letters of pieces in a text, and the kinds of these.
pub(super) fn lettered(referee: &Referee<'_>, text: &str) -> Vec<(String, String)> {
    if referee.rules.styles().is_empty() {
        return Vec::new();
    }
    let shown = Letters::new(referee);
    let of_letter = |letter: char| {
        let is_it = |piece| {
            shown.of(piece).is_some_and(|own| own.eq_ignore_ascii_case(&letter.to_string()))
        };
        let kind = kinds(referee).into_iter().find(|(piece, _)| is_it(*piece));
        kind.map(|(_, kind)| (letter.to_lowercase().to_string(), kind))
    };
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let capital = |part: &str| part.chars().next().filter(char::is_ascii_uppercase);
    parts.filter_map(capital).filter_map(of_letter).collect()
}

/// What is said of a text that is the letter of a piece alone.
pub(super) fn of_letter(letters: &[(String, String)], word: &str, text: &str) -> Option<String> {
    let (_, kind) = letters.iter().find(|(letter, _)| letter == word)?;
    let kind = article(kind);
    Some(format!("`{}` is {kind}: name the site to which it goes", as_typed(word, text)))
}

/// What is said of a text that drops a piece of a kind of which no move drops one: the kinds that moves drop.
pub(super) fn not_in_hand(referee: &Referee<'_>, text: &str) -> Option<String> {
    if !has_drop(text) {
        return None;
    }
    let named = words(text).into_iter().find(|word| is_kind(referee, word));
    let by_letter = || lettered(referee, text).into_iter().next().map(|(_, kind)| kind);
    let kind = named.or_else(by_letter)?;
    let show = |value: &Value| referee.game.program.values.show(*value);
    let domains = referee.game.types.moves.iter().filter_map(|(_, domains)| domains.first());
    let mut named = domains.map(|domain| values(domain).iter().map(show).collect::<Vec<_>>());
    let dropped =
        named.find(|names| !names.is_empty() && names.iter().all(|n| is_kind(referee, n)))?;
    let told = || format!("{} is not dropped, only {}", article(&kind), listed(&dropped, "and"));
    (!dropped.contains(&kind)).then(told)
}

/// A noun with its article.
pub(super) fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}
