//! Words in place of which games have others: ordinals, sides, and what people call moves without a site.

use super::Referee;
use super::headings::HEADINGS;
use super::kinds::is_kind;
use super::placings::PLACES;
use super::takers::player_called;
use super::values::value_names;

/// What people call the upper and the lower side of a board, and how it is called in names of moves.
const SIDES: [(&str, &str); 2] = [("upper", "top"), ("lower", "bottom")];

/// Numbers in words, and as ordinals.
const NUMBERS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const ORDINALS: [&str; 9] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];

/// Moves that name no site, and what else people call them.
const CALLED: [(&str, &[&str]); 3] = [
    (
        "stop",
        &[
            "done",
            "i'm done",
            "i am done",
            "finish",
            "finished",
            "i finish",
            "end",
            "end turn",
            "end my turn",
            "end the turn",
            "that's all",
            "enough",
            "pass",
            "no more",
        ],
    ),
    (
        "pass",
        &[
            "skip",
            "skips",
            "pass turn",
            "skip turn",
            "skip my turn",
            "pass my turn",
            "skip a turn",
            "don't move",
            "do not move",
            "do nothing",
            "no move",
        ],
    ),
    (
        "swap",
        &[
            "pie",
            "pie rule",
            "switch",
            "switch sides",
            "swap sides",
            "change sides",
            "swap colours",
            "mirror",
            "take over",
            "take over the first stone",
            "take over his stone",
            "take his stone",
            "take your stone",
            "steal it",
            "steal the stone",
            "steal his stone",
        ],
    ),
];

/// The number that a word or digits tell.
pub(super) fn number_word(word: &str) -> Option<i64> {
    let at = NUMBERS.iter().position(|number| *number == word);
    at.and_then(|at| i64::try_from(at + 1).ok()).or_else(|| word.parse().ok())
}

/// Spellings with a hyphen or a blank, each with the spelling as one word.
const JOINED: [(&str, &str); 4] = [
    ("anti-clockwise", "anticlockwise"),
    ("anti clockwise", "anticlockwise"),
    ("counter-clockwise", "counterclockwise"),
    ("counter clockwise", "counterclockwise"),
];

/// A text with the game's own names for the other words that its rule file gives to them.
pub(super) fn in_own_names(referee: &Referee<'_>, text: &str) -> String {
    let others = referee.rules.other_words();
    // a term has the names of the rules
    if others.is_empty() || text.contains('(') {
        return text.to_string();
    }
    let mut told = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let end = end.max(if end == 0 { first.len_utf8() } else { 0 });
        let (word, behind) = rest.split_at(end);
        let lower = word.to_lowercase();
        let other = others.iter().find(|(other, _)| other.to_lowercase() == lower);
        told.push_str(other.map_or(word, |(_, own)| own));
        rest = behind;
    }
    told
}

/// A text with the names that the game has for words that it does not know: other words for names, ordinals and sides.
pub(super) fn in_known_words(referee: &Referee<'_>, text: &str) -> String {
    let mut text = in_own_names(referee, text);
    for (apart, joined) in JOINED {
        if text.to_lowercase().contains(apart) {
            text = text.to_lowercase().replace(apart, joined);
        }
    }
    let text = headings_apart(&text);
    let text = text.as_str();
    // a word alone may be how a rule file writes a move
    if !text.contains(' ') {
        return text.to_string();
    }
    let words: Vec<&str> = text.split(' ').collect();
    // which of several pieces is meant nothing tells: `second hound`
    let counts_piece = |at: usize| {
        ordinal(&words[at].to_lowercase()).is_some()
            && words.get(at + 1).is_some_and(|next| {
                is_kind(referee, &next.to_lowercase()) || player_called(referee, next).is_some()
            })
    };
    let told: Vec<String> = (0..words.len())
        .filter(|at| !counts_piece(*at))
        .map(|at| known_word(referee, words[at]).unwrap_or_else(|| words[at].to_string()))
        .collect();
    told.join(" ")
}

/// A text with two words for the ways that one joins by a hyphen: `up left` for `up-left`.
fn headings_apart(text: &str) -> String {
    let is_heading = |word: &str| HEADINGS.iter().any(|(name, _)| *name == word.to_lowercase());
    let apart = |word: &str| match word.split_once('-') {
        Some((one, other)) if is_heading(one) && is_heading(other) => format!("{one} {other}"),
        _ => word.to_string(),
    };
    text.split(' ').map(apart).collect::<Vec<_>>().join(" ")
}

/// The word that a game has for one that it does not know; `None` where it knows it, or has none.
fn known_word(referee: &Referee<'_>, word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let side = SIDES.iter().find(|(name, _)| *name == lower).map(|(_, side)| side.to_string());
    let number = ordinal(&lower);
    let form = placing_form(referee, &lower);
    if side.is_none() && number.is_none() && form.is_none() {
        return None;
    }
    let forms = referee.rules.move_forms();
    let known = value_names(referee).contains_key(&lower)
        || is_kind(referee, &lower)
        || forms.iter().any(|(name, ..)| *name == lower)
        || player_called(referee, &lower).is_some();
    side.or(number).or(form).filter(|_| !known)
}

/// The name of the form of move that places something, for another word for that: `place` for `drop`.
fn placing_form(referee: &Referee<'_>, word: &str) -> Option<String> {
    if !PLACES.contains(&word) {
        return None;
    }
    let forms = referee.rules.move_forms();
    let mut placing =
        forms.iter().filter(|(name, arity, _)| *arity > 0 && PLACES.contains(&name.as_str()));
    let (form, ..) = placing.next().filter(|_| placing.next().is_none())?;
    Some(form.clone())
}

/// The digits of an ordinal: `3` for `third` and `3rd`.
pub(super) fn ordinal(word: &str) -> Option<String> {
    if let Some(at) = ORDINALS.iter().position(|ordinal| *ordinal == word) {
        return Some((at + 1).to_string());
    }
    let digits = word.trim_end_matches(char::is_alphabetic);
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    (whole && ["st", "nd", "rd", "th"].contains(&&word[digits.len()..])).then(|| digits.to_string())
}

/// What a move without a site is called by which a text calls otherwise: `pass` for `skip my turn`.
pub(super) fn called(text: &str) -> Option<&'static str> {
    // a game may have the one and not the other
    let is_name = CALLED.iter().any(|(name, _)| *name == text);
    called_otherwise(text).next().filter(|_| !is_name)
}

fn called_otherwise(text: &str) -> impl Iterator<Item = &'static str> {
    CALLED.iter().filter(move |(_, others)| others.contains(&text)).map(|(name, _)| *name)
}

/// The name of a move of no arguments, for another one by which people call it.
pub(super) fn otherwise_called(referee: &Referee<'_>, text: &str) -> Option<String> {
    let forms = referee.rules.move_forms();
    let has = |name: &str| forms.iter().any(|(form, arity, _)| form == name && *arity == 0);
    called_otherwise(&text.to_lowercase()).find(|name| has(name)).map(str::to_string)
}
