//! Words that no move has, beside a move that the rest of a text names: `c3 withdraws to b2`, `tenuki at g7`.
//!
//! Such a word may say that another move is meant, or none: `not d5`, `defend e4`. So it is passed over only where the rest
//! names a whole move, and not where it is one of the words that people use of a site to which nothing goes.

use crate::program::Value;

use super::events::is_chance;
use super::kinds::is_kind;
use super::leaps::OVER;
use super::naming::Named;
use super::places::is_place;
use super::remarks::{TAKES, says_nothing};
use super::synonyms::number_word;
use super::takers::player_called;
use super::typed::{Reading, read};
use super::unread::{strange_in, words};
use super::values::{site_named, sites_in};
use super::wording::{forms_named, has_form, is_form_word};
use super::{Position, Referee, Stop};

/// Words that deny a move, or tell of a site to which it does not go.
#[rustfmt::skip]
const OTHERWISE: [&str; 56] = [
    "not", "no", "never", "don", "dont", "doesn", "doesnt", "won", "wont", "cannot", "can", "cant", "instead", "except",
    "without", "avoid", "unless", "if", "or", "but", "rather", "than", "what", "why", "when", "before", "after", "later",
    "attack", "attacks", "attacking", "defend", "defends", "defending", "protect", "protects", "protecting", "guard",
    "guards", "guarding", "cover", "covers", "covering", "threaten", "threatens", "threatening", "pin", "pins", "fork",
    "forks", "support", "supports", "watch", "watches", "eye", "eyes",
];

/// Words before the site where a move ends.
const TO: [&str; 3] = ["to", "onto", "into"];
/// Words before the site of a move that names one.
const AT: [&str; 6] = ["to", "onto", "into", "at", "on", "in"];

/// Words that join the name of a form of move to the rest of a text.
const JOINS: [&str; 3] = ["and", "by", "with"];

/// The only legal move that a text names beside words which no move has, or by a word for its form; `None` where there is
/// none, or where such a word may mean something else.
///
/// # Errors
/// A rule error.
pub(super) fn beside<'n>(
    referee: &Referee<'_>,
    position: &Position,
    legal: &'n [Named],
    text: &str,
) -> Result<Option<&'n Named>, Stop> {
    if is_chance(referee, legal) || text.contains('(') {
        return Ok(None);
    }
    if let Some(found) = of_form(referee, position, legal, text)? {
        return Ok(Some(found));
    }
    // of no legal move of the form that a text names
    if !forms_named(referee, text).is_empty() {
        return Ok(None);
    }
    let strange = strange_in(referee, legal, text);
    let known = |word: &String| {
        says_nothing(word) || TAKES.contains(&word.as_str()) || is_kind(referee, word)
    };
    let plain = |word: &String| {
        word.len() > 2
            && !known(word)
            && word.chars().all(char::is_alphabetic)
            && !OTHERWISE.contains(&word.as_str())
            && number_word(word).is_none()
            && !is_place(word)
            && player_called(referee, word).is_none()
    };
    let unclear = |word: &String| !known(word) && !plain(word);
    let denied = words(text)
        .iter()
        .map(String::as_str)
        .any(|word| OTHERWISE.contains(&word) || OVER.contains(&word));
    if denied || strange.iter().any(unclear) || !strange.iter().any(plain) {
        return Ok(None);
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let says = |word: &&str| !strange.iter().any(|other| plain(other) && *other == bare(word));
    let all: Vec<&str> = text.split_whitespace().collect();
    let rest: Vec<&str> = all.iter().copied().filter(says).collect();
    // a word that is joined to others by signs stays
    if rest.len() == all.len() {
        return Ok(None);
    }
    let Ok(one) = read(referee, position, legal, &rest.join(" "), Reading::Any)? else {
        return Ok(None);
    };
    Ok(names_whole(referee, one, text).then_some(one))
}

/// Whether a text names the sites of a move in their order, or the one to which it goes, behind a word for that.
fn names_whole(referee: &Referee<'_>, one: &Named, text: &str) -> bool {
    let own: Vec<Value> = sites_in(referee, &one.text).into_iter().collect();
    let told: Vec<Value> = sites_in(referee, text).into_iter().collect();
    if own.len() > 1 && told == own {
        return true;
    }
    let before = if own.len() == 1 { &AT[..] } else { &TO[..] };
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let ends = |two: &[&str]| {
        before.contains(&two[0]) && site_named(referee, two[1]) == own.last().copied()
    };
    told.len() == 1 && !own.is_empty() && words.windows(2).any(ends)
}

/// The only legal move of a form that a text names by a word beside what else it says: `c3 withdraws to b2`, `bishop takes
/// bishop and promotes`.
fn of_form<'n>(
    referee: &Referee<'_>,
    position: &Position,
    legal: &'n [Named],
    text: &str,
) -> Result<Option<&'n Named>, Stop> {
    let forms = forms_named(referee, text);
    let of_form = legal.iter().filter(|n| has_form(&n.term, &forms));
    let of_form: Vec<Named> = of_form.cloned().collect();
    if of_form.is_empty() {
        return Ok(None);
    }
    let lower = text.to_lowercase();
    let mut rest: Vec<&str> = Vec::new();
    for word in lower.split_whitespace() {
        if is_form_word(referee, word.trim_end_matches([',', '.', '!'])) {
            if rest.last().is_some_and(|last| JOINS.contains(last)) {
                rest.pop();
            }
        } else {
            rest.push(word);
        }
    }
    let rest = rest.join(" ");
    if sites_in(referee, &rest).is_empty()
        && !words(&rest).iter().any(|word| is_kind(referee, word))
    {
        return Ok(None);
    }
    let Ok(one) = read(referee, position, &of_form, &rest, Reading::Any)? else { return Ok(None) };
    Ok(legal.iter().find(|n| n.term == one.term))
}
