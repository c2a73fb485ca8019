//! The names of legal moves, in the game's own notation and in others.

use crate::reference::distinct;
use crate::syntax::{Term, print_term};

use super::{Choices, Position, Referee, Stop};

/// Chinese numerals from zero to nine.
const NUMERALS: &str = "〇一二三四五六七八九";

/// How far the wide forms of letters, digits and signs are behind the plain ones.
const WIDE: u32 = 0xfee0;

/// A move or chance event, with the texts by which it can be typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    pub term: Term,
    pub weight: i64,
    /// The term as text.
    pub text: String,
    /// The move in the game's notation.
    pub notation: String,
}

/// All choices with their names, in natural order.
///
/// # Errors
/// A rule error.
pub fn names(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
) -> Result<Vec<Named>, Stop> {
    let facts = referee.facts(position);
    let mut named = Vec::with_capacity(choices.all.len());
    for (term, weight) in &choices.all {
        let notation = referee.notation(&facts, term)?;
        let text = print_term(term);
        named.push(Named { term: term.clone(), weight: *weight, text, notation });
    }
    named.sort_by_cached_key(|n| (natural(&n.notation), n.text.clone()));
    Ok(named)
}

/// A part of a text for sorting: numbers by their value, before letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Number(u128),
    Other(char),
}

/// A key by which `a2` comes before `a10`.
pub fn natural(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut number: Option<u128> = None;
    for c in text.chars() {
        match c.to_digit(10) {
            Some(digit) => {
                let before = number.unwrap_or(0);
                number = Some(before.saturating_mul(10).saturating_add(u128::from(digit)));
            }
            None => {
                parts.extend(number.take().map(Part::Number));
                parts.push(Part::Other(c));
            }
        }
    }
    parts.extend(number.map(Part::Number));
    parts
}

/// The names of all choices in another notation, in natural order. A move without a text in it keeps its own.
///
/// # Errors
/// A rule error.
pub fn names_in(
    referee: &mut Referee<'_>,
    position: &Position,
    choices: &Choices,
    style: &str,
) -> Result<Vec<Named>, Stop> {
    let mut named = names(referee, position, choices)?;
    let texts = styled(referee, position, &named, style)?;
    for (i, text) in distinct(&texts).into_iter().enumerate() {
        if let Some(text) = text {
            let suffix = suffix(referee, position, &named[i].term, style)?;
            named[i].notation = format!("{text}{suffix}");
        }
    }
    named.sort_by_cached_key(|n| (natural(&n.notation), n.text.clone()));
    Ok(named)
}

/// A legal move in another notation; `None` where it has no text in it that means this move alone.
///
/// # Errors
/// A rule error.
pub fn name_in(
    referee: &mut Referee<'_>,
    position: &Position,
    mv: &Term,
    style: &str,
) -> Result<Option<String>, Stop> {
    let choices = referee.choices(position)?;
    let named = names(referee, position, &choices)?;
    let texts = styled(referee, position, &named, style)?;
    let Some(at) = named.iter().position(|n| n.term == *mv) else { return Ok(None) };
    let Some(text) = distinct(&texts)[at] else { return Ok(None) };
    if texts.iter().filter(|own| own.iter().any(|other| other == text)).count() > 1 {
        return Ok(None);
    }
    Ok(Some(format!("{text}{}", suffix(referee, position, mv, style)?)))
}

/// What a notation adds to a move, by the position after it.
fn suffix(
    referee: &mut Referee<'_>,
    position: &Position,
    mv: &Term,
    style: &str,
) -> Result<String, Stop> {
    if referee.game.program.special.suffix.is_none() {
        return Ok(String::new());
    }
    let Some(next) = referee.play(position, mv)? else { return Ok(String::new()) };
    let suffix = referee.rules.suffix(&referee.facts(&next), style);
    suffix.map_err(|error| referee.stopped(error))
}

/// Whether clauses describe a notation of this name.
///
/// # Errors
/// They do not.
pub fn known_style(referee: &Referee<'_>, style: &str) -> Result<(), Stop> {
    let styles = referee.rules.styles();
    if styles.iter().any(|known| known == style) {
        return Ok(());
    }
    let title = &referee.game.program.title;
    let known: Vec<String> = styles.iter().map(|style| format!("`{style}`")).collect();
    let told = match known.as_slice() {
        [] => "it has none but its own: `notation(NAME, Move, Parts)` describes one".to_string(),
        known => format!("it has {}", known.join(", ")),
    };
    Err(Stop::Usage(format!("{title} has no notation called `{style}`: {told}")))
}

/// For each choice, its texts in another notation.
///
/// # Errors
/// A rule error.
pub fn styled(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    style: &str,
) -> Result<Vec<Vec<String>>, Stop> {
    let moves: Vec<Term> = named.iter().map(|n| n.term.clone()).collect();
    let texts = referee.rules.styled(&referee.facts(position), &moves, style);
    texts.map_err(|error| referee.stopped(error))
}

/// A notation in a normal form that ignores insignificant differences.
pub fn loose(text: &str) -> String {
    let told = text.chars().map(folded).filter(|c| !c.is_whitespace());
    told.flat_map(char::to_lowercase).collect()
}

/// A character by its plain form: `7` for the wide `７` of East Asian keyboards.
pub(super) fn narrow(c: char) -> char {
    let wide = ('\u{ff01}'..='\u{ff5e}').contains(&c);
    wide.then(|| char::from_u32(u32::from(c) - WIDE)).flatten().unwrap_or(c)
}

/// A character by its plain form, a numeral by its digit: `7` for `七` and `７`.
pub(super) fn folded(c: char) -> char {
    let mut numbers = ('0'..='9').zip(NUMERALS.chars());
    numbers.find(|(_, numeral)| *numeral == c).map_or_else(|| narrow(c), |(digit, _)| digit)
}

#[cfg(test)]
mod tests {
    use super::{loose, natural};

    #[test]
    fn numbers_are_sorted_by_value() {
        assert!(natural("a2") < natural("a10"));
        assert!(natural("a10") < natural("b1"));
    }

    #[test]
    fn numerals_and_wide_digits_are_digits() {
        assert_eq!(loose("７六歩"), loose("76歩"));
        assert_eq!(loose("炮二平五"), loose("炮2平5"));
        assert_eq!(loose("Ｅ４ "), "e4");
    }
}
