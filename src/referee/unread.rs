//! What a text says that no move can say: sites that are none, numbers and letters that name nothing, words that
//! the game does not know.

use std::iter;

use indexmap::IndexSet;

use crate::diagnostic::listed;
use crate::explain::turn_of;
use crate::program::Value;

use super::headings::none_headed;
use super::kind_words::{kinds_alone, lettered, not_in_hand, of_letter, pieces_alone};
use super::kinds::{is_kind, kinds_at_end};
use super::made::made_of;
use super::miss::{if_meant, is_foreign};
use super::naming::{Named, loose};
use super::places::is_place;
use super::plainer::BECOMES;
use super::remarks::{TAKES, is_called, says_nothing};
use super::several::{among, begun, form_of_one, named_loosely, other_names, several};
use super::strange::{by_numbers, numbers_told, such, turned};
use super::typed::{self, Reading};
use super::values::{parted, site_named, sites, sites_in, value_names};
use super::{Position, Referee};

/// The most words of a text that are told.
const TOLD: usize = 3;
/// The most moves that are told as what a text may go on to.
const FEW_OPEN: usize = 4;

/// What is said about the words of a text that no move of the game has; `None` where there are none.
pub fn strange_words(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    if let Some(told) = none_headed(referee, &referee.facts(position), legal, text) {
        return Some(told);
    }
    if let Some(told) = not_in_hand(referee, text) {
        return Some(told);
    }
    let others = other_names(referee, position, legal);
    let text = &joined(referee, text);
    let mut strange = strange_in(referee, legal, text);
    let names_value = |word: &str| !parted(word, &value_names(referee)).0.is_empty();
    if text.split_whitespace().all(names_value)
        && let Some(told) = several(legal, &others, text)
    {
        return Some(told);
    }
    let known = |name: &String| iter::once(loose(name)).chain(words(name));
    let mut known: IndexSet<String> = others.iter().flatten().flat_map(known).collect();
    // words of moves that are not legal now
    let (_, made) = made_of(referee, "");
    let forms = referee.rules.aliases(&referee.facts(position), &made).unwrap_or_default();
    let named = forms.iter().flatten().flat_map(|alias| words(&alias.text));
    known.extend(named.filter(|word| word.chars().all(char::is_alphabetic)));
    strange.retain(|word| !known.contains(word));
    // a second move behind a whole one, which need not be one that is legal now
    let second = text.split_whitespace().nth(1);
    if second.is_some_and(|word| word.contains(|c: char| c.is_ascii_digit()))
        && let Some(told) = several(legal, &others, text)
    {
        return Some(told);
    }
    // the name of a piece says something, though not enough
    let kinds: Vec<String> =
        words(text).into_iter().filter(|word| is_kind(referee, word)).collect();
    if !sites_in(referee, text).is_empty() && strange.iter().any(|word| !kinds.contains(word)) {
        strange.retain(|word| !kinds.contains(word));
    }
    let Some(first) = &strange.first().cloned() else {
        if let Some(told) = kinds_alone(referee, text, &kinds) {
            return Some(told);
        }
        let alone = || among(legal, &others, text).or_else(|| form_of_one(legal, text));
        return several(legal, &others, text).or_else(|| begun(legal, text)).or_else(alone);
    };
    if let Some(kinds) = kinds_at_end(referee, text).filter(|_| becomes(referee, text)) {
        let mut named = kinds.at_end(legal.iter().map(|n| &n.term));
        if named.is_empty() {
            named = kinds.at_end(made_of(referee, &sites_of(referee, text)).1.iter());
        }
        if !named.is_empty() && !kinds.meant.iter().any(|kind| named.contains(kind)) {
            let (named, meant) = (listed(&named, "or"), listed(&kinds.meant, "or"));
            return Some(format!("a move here ends with {named}, not with {meant}"));
        }
    }
    let values = &referee.game.program.values;
    let all = sites(referee);
    let names: Vec<String> = all.iter().map(|site| values.show(*site)).collect();
    let known = value_names(referee);
    let named = legal.iter().any(|n| parted(&n.text, &known).0.iter().any(|v| all.contains(v)));
    let such = such(referee, if named { &names } else { &[] });
    if let Some(told) = turned(&names, &others, &strange, text.split_whitespace().count() == 1) {
        return Some(told);
    }
    if let Some(told) = by_numbers(&names, &strange, text) {
        return told.or(such);
    }
    let mover = values.show(referee.turn(position));
    let players = &referee.game.program.players;
    let begins = words(text).iter().find(|word| *word != "the") == Some(first);
    let called = |player: &Value| is_called(&values.show(*player), first);
    if strange.len() == 1 && begins && players.iter().any(called) {
        return Some(format!(
            "a move does not name the player; it is {} turn",
            turn_of(&referee.game.program, &mover)
        ));
    }
    // that it is the mover who moves is true, if not needed
    if strange.iter().any(|word| !is_called(&mover, word)) {
        strange.retain(|word| !is_called(&mover, word));
    }
    if let Some(rest) = without_strange(referee, legal, text)
        && let [one] = named_loosely(legal, &rest).as_slice()
    {
        let told = names_nothing(&strange, text);
        return Some(format!("{told}: {}", if_meant(&one.notation)));
    }
    // an unknown word between sites that are joined by another sign
    if !strange.iter().any(|word| is_place(word))
        && let Some(rest) = without_strange(referee, legal, text)
        && (sites_in(referee, &rest).len() > 1
            || site_named(referee, &rest).is_some()
                && text.to_lowercase().split(' ').any(|w| w == rest))
        && let [one] = meanings(referee, position, legal, &rest).as_slice()
    {
        return Some(format!("{}: {}", names_nothing(&strange, text), if_meant(one)));
    }
    let without_cross =
        text.strip_suffix('x').filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    if let Some(rest) = without_cross
        && let Some(told) = to_write(&meanings(referee, position, legal, rest))
    {
        return Some(told);
    }
    if let Some(told) = few_that_begin(legal, text) {
        return Some(told);
    }
    if let Some(told) = but_for_one(referee, position, legal, text, &strange) {
        return Some(told);
    }
    let number = text.contains(|c: char| c.is_ascii_digit());
    if sites_in(referee, text).is_empty() && !names.is_empty() && !number {
        let mut pieces = words(text);
        pieces.retain(|word| is_kind(referee, word));
        if let Some(told) = pieces_alone(referee, &pieces, such.as_deref()) {
            return Some(told);
        }
    }
    // the letter or the name of a piece is something, though no move is written so
    let kinds = lettered(referee, text);
    if let [word] = strange.as_slice()
        && sites_in(referee, text).is_empty()
        && let Some(told) = of_letter(&kinds, word, text)
    {
        return Some(told);
    }
    strange.retain(|word| !kinds.iter().any(|(letter, _)| letter == word));
    if strange.is_empty() {
        return None;
    }
    if let Some(told) = open_without(referee, position, legal, text, first) {
        return Some(told);
    }
    // a text in another notation is near to the moves that are told in it
    let foreign = |c: &char| is_foreign(*c);
    if text.chars().any(|c| foreign(&c) && others.iter().flatten().any(|name| name.contains(c))) {
        return None;
    }
    // words that tell where something lies, words beside moves, and those of what is asked for say something, though not enough
    let written = how_written(referee, position, legal);
    let asked = words(written.as_deref().unwrap_or_default());
    let vague = |word: &String| {
        is_place(word)
            || says_nothing(word)
            || TAKES.contains(&word.as_str())
            || asked.contains(word)
    };
    let all = words(text);
    if all.iter().any(vague) && strange.iter().all(vague) && sites_in(referee, text).is_empty() {
        let told = format!("`{}` alone does not say which move is meant", text.trim());
        return Some(written.map_or(told.clone(), |such| format!("{told}; {such}")));
    }
    if !strange.iter().all(vague) {
        strange.retain(|word| !vague(word));
    }
    let told = names_nothing(&strange, text);
    let such = match number || !sites_in(referee, text).is_empty() {
        true => such,
        false => written.or(such),
    };
    Some(such.map_or(told.clone(), |such| format!("{told}; {such}")))
}

/// Whether the last word of a text, or its last letter, stands behind a site and what says that a piece becomes another one.
fn becomes(referee: &Referee<'_>, text: &str) -> bool {
    let words = words(text);
    let before = words[..words.len().saturating_sub(1)].iter().rev();
    let behind = before.take_while(|word| sites_in(referee, word).is_empty());
    behind.into_iter().all(|word| {
        ["to", "a", "an", "into", "and"].contains(&word.as_str())
            || BECOMES.contains(&word.as_str())
    })
}

/// That some words of a text name nothing.
fn names_nothing(strange: &[String], text: &str) -> String {
    let quoted: Vec<String> =
        strange.iter().take(TOLD).map(|word| format!("`{}`", as_typed(word, text))).collect();
    let are = if quoted.len() == 1 { "is nothing" } else { "are nothing" };
    format!("{} {are} that a move names here", quoted.join(", "))
}

/// What the turn asks for, and how moves are written: a legal one of each form.
pub(super) fn how_written(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
) -> Option<String> {
    if let Some(told) = numbers_told(referee) {
        return Some(told);
    }
    let mut forms = IndexSet::new();
    let first = legal.iter().filter(|n| forms.insert(n.term.form()));
    let names: Vec<String> = first.take(TOLD).map(|n| format!("`{}`", n.notation)).collect();
    let written = match names.as_slice() {
        [] => return None,
        [one] => format!("a move is written as {one}"),
        several => format!("moves are written as {}", listed(several, "or")),
    };
    // a rule error in a prompt is none of what was typed
    let prompts = referee.rules.prompts(&referee.facts(position)).ok();
    Some(match prompts.as_ref().map(|prompts| prompts.to_mover.as_slice()) {
        Some([prompt]) => format!("{prompt}; {written}"),
        _ => written,
    })
}

/// What is said of a text with several words that no move has, where it would name moves without one of them: which word that
/// is, and these moves.
fn but_for_one(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
    strange: &[String],
) -> Option<String> {
    let without = |word: &String| {
        let word = as_typed(word, text);
        let at = text.rfind(word)?;
        let rest = format!("{}{}", &text[..at], &text[at + word.len()..]);
        let rest = rest.trim().trim_end_matches(['=', '/', '(', ' ']);
        let told = to_write(&meanings(referee, position, legal, rest))?;
        Some(format!("`{word}` is nothing that a move names here: {told}"))
    };
    strange.iter().rev().filter(|_| strange.len() > 1).find_map(without)
}

/// What is said of a text with which the names of a few legal moves begin: which these are.
fn few_that_begin(legal: &[Named], text: &str) -> Option<String> {
    let typed = loose(text);
    let begun = legal.iter().filter(|n| loose(&n.notation).starts_with(&typed));
    to_write(&begun.map(|n| n.notation.clone()).collect::<Vec<_>>())
}

/// The names of the legal moves that a text may mean.
pub(super) fn meanings(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Vec<String> {
    match typed::read(referee, position, legal, text, Reading::Any) {
        Ok(Ok(one)) => vec![one.notation.clone()],
        Ok(Err(miss)) => miss.meanings().into_iter().map(String::from).collect(),
        Err(_) => Vec::new(),
    }
}

/// What is said of a text whose sites name moves, but with another sign between them.
pub(super) fn by_other_sign(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    let is_sign = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && *c != '-';
    // a sign that the move has not, behind it
    if let Some(last) = text.chars().next_back().filter(is_sign)
        && let Some(told) =
            to_write(&meanings(referee, position, legal, text.trim_end_matches(last)))
    {
        return Some(format!("`{last}` is nothing that this move has: {told}"));
    }
    let sign = text.chars().find(is_sign)?;
    let plain = text.replace(sign, "-");
    let told = to_write(&meanings(referee, position, legal, &plain))?;
    Some(format!("`{sign}` is nothing that a move names here: {told}"))
}

/// The beginning of the advice to write one of a few names.
pub(super) const TO_WRITE: &str = "write one of ";

/// The advice to write one of a few names; `None` where there is none, or too many.
pub(super) fn to_write(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [one] => Some(if_meant(one)),
        few => (few.len() <= FEW_OPEN).then(|| format!("{TO_WRITE}{}", few.join(", "))),
    }
}

/// What is said of a text with a word that no move has, where the rest is the beginning of a few moves: which these are.
fn open_without(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
    word: &str,
) -> Option<String> {
    let rest = without_strange(referee, legal, text)?;
    let rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
    let site = site_named(referee, rest).is_some();
    let meant = meanings(referee, position, legal, rest);
    let told = to_write(&meant).filter(|_| site && meant.len() > 1)?;
    Some(format!("`{}` is nothing that a move names here: {told}", as_typed(word, text)))
}

/// The names of the sites in a text.
fn sites_of(referee: &Referee<'_>, text: &str) -> String {
    let values = &referee.game.program.values;
    let sites: Vec<String> =
        sites_in(referee, text).iter().map(|site| values.show(*site)).collect();
    sites.join(" ")
}

/// The words of a text that are no names, and that no move and no legal move's text has.
pub(super) fn strange_in(referee: &Referee<'_>, legal: &[Named], text: &str) -> Vec<String> {
    let (_, rest) = parted(text, &value_names(referee));
    let mut strange = words(&rest.into_iter().collect::<String>());
    let forms = referee.game.types.moves.iter().map(|(name, _)| name.as_str());
    let written = legal.iter().flat_map(|n| [n.notation.as_str(), n.text.as_str()]);
    let known: IndexSet<String> = written.chain(forms).flat_map(words).collect();
    let lower = text.to_lowercase();
    // the sign of a capture
    let takes = lower.split_once('x').is_some_and(|(before, after)| {
        !before.trim().is_empty() && after.starts_with(|c: char| c.is_alphanumeric())
    });
    strange.retain(|word| !known.contains(word) && (word != "x" || !takes));
    strange
}

/// A text without its strange words; `None` where it has none, or nothing is left.
pub fn without_strange(referee: &Referee<'_>, legal: &[Named], text: &str) -> Option<String> {
    let strange = strange_in(referee, legal, text);
    let (_, rest) = parted(text, &value_names(referee));
    let mut left: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut at = 0;
    for word in rest.split(|c| *c == ' ') {
        if strange.contains(&word.iter().collect()) {
            left[at..at + word.len()].fill(' ');
        }
        at += word.len() + 1;
    }
    let left: String = left.into_iter().collect();
    let left = left.split_whitespace().collect::<Vec<_>>().join(" ");
    (!strange.is_empty() && left.contains(|c: char| c.is_alphanumeric())).then_some(left)
}

/// A text in which the letter and the number of a site are one word: `f6` for `f 6`.
fn joined(referee: &Referee<'_>, text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let number = word.chars().all(|c| c.is_ascii_digit());
        match words.last_mut() {
            Some(last) if number && site_named(referee, &format!("{last}{word}")).is_some() => {
                last.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    words.join(" ")
}

/// The letters and numbers of a text, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_string).collect()
}

/// A word in the letters in which it was typed.
pub(super) fn as_typed<'t>(word: &'t str, text: &'t str) -> &'t str {
    let begins = text.char_indices().map(|(at, _)| at);
    let found = begins.filter_map(|at| text.get(at..at + word.len()));
    found.into_iter().find(|found| found.to_lowercase() == word).unwrap_or(word)
}
