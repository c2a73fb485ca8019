//! Moves as people type them, in the game's notation or as terms.

use crate::diagnostic::{Diagnostic, distance};
use crate::record::parse_move;
use crate::syntax::{Term, print_term};

use super::console::Stop;
use super::referee::{Choices, Position, Referee};

/// How many legal moves are suggested in place of a wrong one.
const TOLD: usize = 5;

/// A move or chance event, with the texts by which it can be typed.
#[derive(Debug, Clone)]
pub struct Named {
    pub term: Term,
    pub weight: i64,
    /// The term as text.
    pub text: String,
    /// The move in the game's notation.
    pub notation: String,
}

/// Why a typed move is not played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// No legal move has this name; the closest ones.
    Unknown(Vec<String>),
    /// Several legal moves have this name; their terms.
    Ambiguous(Vec<String>),
}

impl Miss {
    /// The diagnostic for what was typed.
    pub fn diagnostic(&self, typed: &str) -> Diagnostic {
        match self {
            Miss::Unknown(closest) => {
                let d = Diagnostic::error("illegal-move", format!("`{typed}` is no legal move"));
                match closest.as_slice() {
                    [] => d.hint("there is no legal move"),
                    [one] => d.hint(format!("the closest legal move is {one}")),
                    more => d.hint(format!("the closest legal moves are {}", more.join(", "))),
                }
            }
            Miss::Ambiguous(terms) => {
                Diagnostic::error("ambiguous-notation", format!("`{typed}` can mean several moves"))
                    .hint(format!("write one of {}", terms.join(", ")))
            }
        }
    }
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

/// The choice with this name.
///
/// # Errors
/// There is no such choice, or there are several.
pub fn find<'n>(named: &'n [Named], typed: &str) -> Result<&'n Named, Miss> {
    let typed = typed.trim();
    let exact: Vec<&Named> = named.iter().filter(|n| n.notation == typed).collect();
    let one = |found: &[&'n Named]| match found {
        [] => None,
        [one] => Some(Ok(*one)),
        more => Some(Err(Miss::Ambiguous(more.iter().take(8).map(|n| n.text.clone()).collect()))),
    };
    if let Some(answer) = one(&exact) {
        return answer;
    }
    if let Some(term) = parse_move(typed)
        && let Some(found) = named.iter().find(|n| n.term == term)
    {
        return Ok(found);
    }
    let plain = loose(typed);
    let alike: Vec<&Named> = named.iter().filter(|n| loose(&n.notation) == plain).collect();
    if let Some(answer) = one(&alike) {
        return answer;
    }
    Err(Miss::Unknown(closest(named, typed)))
}

/// A notation in a normal form that ignores insignificant differences.
fn loose(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The names of the legal moves most similar to what was typed.
fn closest(named: &[Named], typed: &str) -> Vec<String> {
    let typed = loose(typed);
    let mut all: Vec<(usize, &str)> = named
        .iter()
        .map(|n| {
            let notation = distance(&typed, &loose(&n.notation));
            let text = distance(&typed, &loose(&n.text));
            if text < notation { (text, n.text.as_str()) } else { (notation, n.notation.as_str()) }
        })
        .collect();
    all.sort_by_key(|(distance, _)| *distance);
    all.into_iter().take(TOLD).map(|(_, name)| name.to_string()).collect()
}

/// Splits a line of moves into words. Spaces inside brackets and quotes do not separate words, and
/// a pair of brackets around the whole line is dropped.
pub fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
        Some(inner) if balanced(inner) => inner,
        _ => line,
    };
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0i32;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        let apart = quote.is_none() && depth <= 0 && (c.is_whitespace() || c == ',');
        if !apart {
            word.push(c);
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::{natural, words};

    #[test]
    fn lines_are_parted_into_moves() {
        assert_eq!(words("a1 b2,  c3"), ["a1", "b2", "c3"]);
        assert_eq!(words("place(a1, b2) x"), ["place(a1, b2)", "x"]);
        assert_eq!(words("[place(a), place(b)]"), ["place(a)", "place(b)"]);
        assert_eq!(words("[a, b] [c]"), ["[a, b]", "[c]"]);
        assert!(words("  ").is_empty());
    }

    #[test]
    fn numbers_are_sorted_by_value() {
        assert!(natural("a2") < natural("a10"));
        assert!(natural("a10") < natural("b1"));
    }
}
