//! Texts of several moves, or of a move and more.

use crate::reference::{Alias, Facts};
use crate::syntax::print_term;

use super::miss::{FEW, if_meant};
use super::naming::{Named, loose, styled};
use super::remarks::{is_taking, without_remarks};
use super::shorthand::behind;
use super::typed::{self, Reading};
use super::unread::words;
use super::values::{is_held, site_named};
use super::{Position, Referee, Stop};

/// The legal moves that a text names but for signs and blanks.
pub(super) fn named_loosely<'n>(legal: &'n [Named], text: &str) -> Vec<&'n Named> {
    let bare = |text: &str| words(text).concat();
    let typed = bare(text);
    legal.iter().filter(|n| bare(&n.notation) == typed).collect()
}

/// For each legal move its other names, those in other notations too where there are few moves.
pub(super) fn other_names(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
) -> Vec<Vec<String>> {
    let moves: Vec<_> = legal.iter().map(|n| n.term.clone()).collect();
    let aliases = referee.rules.aliases(&referee.facts(position), &moves).unwrap_or_default();
    let texts = |forms: Vec<Alias>| forms.into_iter().map(|alias| alias.text).collect();
    let mut names: Vec<Vec<String>> = aliases.into_iter().map(texts).collect();
    for style in referee.rules.styles().iter().filter(|_| legal.len() <= FEW) {
        let styled = styled(referee, position, legal, style).unwrap_or_default();
        names.iter_mut().zip(styled).for_each(|(names, texts)| names.extend(texts));
    }
    names
}

/// What is said of a text that is one legal move after the other.
pub fn several_moves(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    if let Some(told) = several(legal, &other_names(referee, position, legal), text) {
        return Some(told);
    }
    let (first, rest) = text.trim().split_once(char::is_whitespace)?;
    if !rest.contains(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let found = typed::read(referee, position, legal, first, Reading::Any).ok()?.ok()?;
    (!is_word(first, found, rest)).then(|| comes_first(found))
}

/// Whether the letters that one notation has for a move are a word in front of the letters and digits of another one: `ko at e3`.
fn is_word(first: &str, found: &Named, rest: &str) -> bool {
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    !digits(first) && digits(&found.notation) && digits(rest)
}

fn comes_first(found: &Named) -> String {
    format!("one move at a time: {} comes first", found.notation)
}

/// What is said of a text of several words of which only one is a legal move.
pub(super) fn among(legal: &[Named], others: &[Vec<String>], text: &str) -> Option<String> {
    let words: Vec<String> = text.split_whitespace().map(loose).collect();
    let is_named = |(i, n): &(usize, &Named)| {
        let others = others.get(*i).into_iter().flatten();
        others.chain([&n.notation]).any(|name| words.contains(&loose(name)))
    };
    let mut found = legal.iter().enumerate().filter(is_named);
    let (_, one) = found.next().filter(|_| words.len() > 1 && found.next().is_none())?;
    let signs = |word: &&str| !word.contains(|c: char| c.is_alphanumeric());
    if let Some(sign) = text.split_whitespace().find(signs) {
        let name = &one.notation;
        return Some(format!("`{sign}` is nothing that a move names here: {}", if_meant(name)));
    }
    let more = words.iter().any(|word| {
        word.contains(|c: char| c.is_ascii_digit()) && !loose(&one.notation).contains(word.as_str())
    });
    let name = &one.notation;
    Some(match more {
        true => format!("one move at a time: {}", if_meant(name)),
        false => if_meant(name),
    })
}

/// What is said of a text that begins with the name of a form of move, of which there is one legal move.
pub(super) fn form_of_one(legal: &[Named], text: &str) -> Option<String> {
    let (form, _) = text.split_once(char::is_whitespace)?;
    let is_form = |n: &&Named| n.term.functor().is_some_and(|(name, _)| name == form);
    let mut found = legal.iter().filter(is_form);
    let one = found.next().filter(|_| found.next().is_none())?;
    Some(format!("the only such move now is {}", one.notation))
}

/// What is said of a text that is one of these moves with another behind it, after a blank or the sign of a capture.
pub(super) fn several(legal: &[Named], others: &[Vec<String>], text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let cross = first.rfind('x').filter(|at| *at > 1 && first.matches('x').count() > 1);
    let first = match cross {
        Some(at) if !words.clone().any(|_| true) => {
            words = first[at + 1..].split_whitespace();
            loose(&first[..at])
        }
        // what follows from a move is no part of its name
        _ => loose(first.trim_end_matches(['+', '#', '!', '?'])),
    };
    let is_named = |(i, n): &(usize, &Named)| {
        let others = others.get(*i).into_iter().flatten();
        others.chain([&n.notation]).any(|name| loose(name) == first)
    };
    let (_, found) = legal.iter().enumerate().find(is_named)?;
    if words.clone().any(|word| is_word(&first, found, word)) {
        return None;
    }
    let another = words.next().filter(|word| word.contains(|c: char| c.is_alphanumeric()));
    let numbers = !first.contains(char::is_alphabetic) && loose(&found.notation) != first;
    another.map(|_| match numbers {
        true => format!("one move at a time: {first} ({}) comes first", found.notation),
        false => comes_first(found),
    })
}

/// What is said of a text that is the values of one legal move with one more behind them.
pub(super) fn begun(legal: &[Named], text: &str) -> Option<String> {
    let whole = |n: &&Named| {
        let more = behind(text, &n.text);
        let digits = more.starts_with(|c: char| c.is_ascii_digit());
        !more.is_empty() && more.chars().all(|c| c.is_ascii_digit() == digits)
    };
    let found: Vec<&Named> = legal.iter().filter(whole).collect();
    match found.as_slice() {
        [one] => Some(if_meant(&one.notation)),
        _ => None,
    }
}

/// Whether a text is one move after the other: its first word is a legal move. If that is a site alone, the move does not
/// begin there, and nothing stands there that the other words could move.
pub(super) fn are_several(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    text: &str,
) -> Result<bool, Stop> {
    // what captures, and what is captured
    if text.split_whitespace().any(is_taking) {
        return Ok(false);
    }
    let text = without_remarks(referee, text);
    let Some((first, _)) = text.split_once(' ') else { return Ok(false) };
    let Ok(found) = typed::read(referee, position, legal, first, Reading::Exact)? else {
        return Ok(false);
    };
    let Some(site) = site_named(referee, first) else { return Ok(true) };
    let begins = found.term.functor().and_then(|(_, args)| args.first().map(print_term));
    let elsewhere = begins.is_some_and(|begins| begins != first.to_lowercase());
    Ok(elsewhere && !is_held(referee, facts, &[site]))
}

/// What is said of a text of two moves joined by a word, of which the first is legal: that it comes first.
pub(super) fn joined_moves(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    let words: Vec<(usize, &str)> = {
        let begins = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        text.split_whitespace().map(|word| (begins(word), word)).collect()
    };
    let joins = |word: &str| ["and", "then", "&", "+"].contains(&word.to_lowercase().as_str());
    let is_move = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    words.iter().skip(1).find_map(|(at, word)| {
        let first = text[..*at].trim_end_matches([',', ';', ' ']);
        let second = if joins(word) { &text[at + word.len()..] } else { &text[*at..] };
        // without a joining word both must be moves as they are written
        let reading = if joins(word) { Reading::Any } else { Reading::Whole };
        let found = typed::read(referee, position, legal, first, reading).ok()?.ok()?;
        let second_text = second.trim();
        let second = typed::read(referee, position, legal, second_text, Reading::Any);
        let told = second_text.contains(|c: char| c.is_ascii_digit());
        let also = joins(word) && told || matches!(second, Ok(Ok(_)));
        let is_word = is_word(first, found, second_text);
        (also && is_move(first) && !is_word).then(|| comes_first(found))
    })
}
