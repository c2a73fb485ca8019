//! Sites told by their number in the player's row, `third house`, `cup number one`, `my rightmost pit`;
//! and those of pieces told by the column where they stand: `man f takes e4`, `the d-pawn`.

use crate::program::Value;
use crate::reference::Facts;

use super::Referee;
use super::kinds::{held, is_of_kind, kinds};
use super::owners::owned;
use super::synonyms::{number_word, ordinal};
use super::values::{value_names, values};

/// What people call sites that lie in a row and are counted.
const HOUSES: [&str; 8] = ["house", "houses", "hole", "holes", "pit", "pits", "cup", "cups"];

/// The most rows of a board whose sites are counted: of more, each player has several.
const ROWS: usize = 2;

/// A text with the names of the sites that it tells so; where the other player is to move, only if it tells from which side, as
/// he may count his row from either one. `None` where it tells none.
pub(super) fn counted(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().map(|w| w.trim_end_matches(',')).collect();
    let at = words.iter().position(|word| HOUSES.contains(word))?;
    if let Some(told) = holding(referee, facts, &words, at) {
        return Some(told);
    }
    // `from the left` tells from which side the row is counted
    let side = words[at + 1..]
        .first_chunk::<3>()
        .filter(|[from, the, _]| *from == "from" && *the == "the");
    let side = side.map(|[_, _, side]| *side).filter(|side| ["left", "right"].contains(side));
    let (mut row, is_first) = own_row(referee, facts)?;
    if side.is_none() && !is_first {
        return None;
    }
    if side == Some("right") {
        row.reverse();
    }
    let end = if side.is_some() { at + 3 } else { at };
    let nth = |number: i64| row.get(usize::try_from(number).ok()?.checked_sub(1)?);
    let number = |at: usize| words.get(at).and_then(|word| number_word(word));
    let told_before = |word: &str| match word.trim_end_matches("most") {
        "left" | "first" => row.first(),
        "right" | "last" => row.last(),
        _ => ordinal(word).and_then(|number| nth(number.parse().ok()?)),
    };
    let before =
        at.checked_sub(1).and_then(|before| told_before(words[before]).map(|s| (before, s)));
    let (from, to, site) = match before {
        Some((from, site)) => (from, end, site),
        None => {
            let to = if words.get(at + 1) == Some(&"number") { at + 2 } else { at + 1 };
            (at, to, nth(number(to)?)?)
        }
    };
    let told = words[..from].iter().copied().chain([site.as_str()]);
    Some(told.chain(words[to + 1..].iter().copied()).collect::<Vec<_>>().join(" "))
}

/// A text with the name of the only site that holds as much as it says: `c3` for `the hole with five seeds`.
fn holding(referee: &Referee<'_>, facts: &Facts, words: &[&str], at: usize) -> Option<String> {
    let number = match words.get(at + 1..at + 3)? {
        ["with", number] => number_word(number)?,
        _ => return None,
    };
    let fluent = referee.rules.contents_fluent()?;
    let mut sites = facts
        .iter(fluent)
        .filter(|(keys, held)| keys.len() == 1 && *held == Value::Integer(number));
    let (keys, _) = sites.next().filter(|_| sites.next().is_none())?;
    let site = referee.game.program.values.show(keys[0]);
    let things = usize::from(words.get(at + 3).is_some_and(|word| word.ends_with('s')));
    let told = words[..at].iter().copied().chain([site.as_str()]);
    Some(told.chain(words[at + 3 + things..].iter().copied()).collect::<Vec<_>>().join(" "))
}

/// The names of the sites that moves name in the row of the player to move, from left to right, the lowest row for the first of
/// two players and the highest for the other, and whether he is the first; `None` where moves name numbers, or where the rows
/// are more.
fn own_row(referee: &Referee<'_>, facts: &Facts) -> Option<(Vec<String>, bool)> {
    let players = &referee.game.program.players;
    let is_first = facts.turn().as_ref() == players.first();
    if players.len() != 2 {
        return None;
    }
    let forms = referee.game.types.moves.iter();
    let named: Vec<Value> =
        forms.filter_map(|(_, domains)| domains.first()).flat_map(values).collect();
    let board = referee.view.board.as_ref()?;
    let mut sites: Vec<_> =
        board.sites().map(|(_, site)| site).filter(|site| named.contains(&site.value)).collect();
    let mut rows: Vec<i64> = sites.iter().map(|site| site.y).collect();
    rows.sort_unstable();
    rows.dedup();
    let numbers = value_names(referee).keys().any(|name| name.parse::<i64>().is_ok());
    if rows.is_empty() || rows.len() > ROWS || numbers {
        return None;
    }
    let row = if is_first { rows[0] } else { rows[rows.len() - 1] };
    sites.retain(|site| site.y == row);
    sites.sort_by_key(|site| site.x);
    Some((sites.iter().map(|site| site.name.to_string()).collect(), is_first))
}

/// A text with the site of the player's only piece of a kind in a column, where it tells the piece so: `man f6 takes e4` for
/// `man f takes e4`, `pawn d7` for `the d-pawn`.
pub(super) fn with_columns(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    // most texts have no letter that stands alone
    if !words.iter().any(|word| word.len() == 1 || word.contains('-')) {
        return None;
    }
    let kinds = kinds(referee);
    let is_kind = |word: &str| kinds.iter().any(|(_, name)| name == word);
    let letter = |word: &str| {
        let mut letters = word.chars();
        letters.next().filter(|c| letters.next().is_none() && c.is_ascii_lowercase())
    };
    let kind = |word: &str| Some(word.to_lowercase()).filter(|word| is_kind(word));
    for (at, word) in words.iter().enumerate() {
        let behind = words.get(at + 1).copied().unwrap_or_default();
        let (kind, column, to) = match word.split_once('-') {
            Some((column, name)) => (kind(name), letter(column), at + 1),
            None => (kind(word), letter(behind), at + 2),
        };
        // `a` behind a piece may be an article: `promotes the pawn a queen`
        let article = words.get(to).is_some_and(|next| is_kind(next));
        let Some((kind, column)) = kind.zip(column).filter(|_| !article) else { continue };
        let site = only_in_column(referee, facts, (&kinds, &kind), column)?;
        let (before, behind) = (&words[..at], &words[to..]);
        let told = before.iter().copied().chain([kind.as_str(), &site]);
        return Some(told.chain(behind.iter().copied()).collect::<Vec<_>>().join(" "));
    }
    None
}

/// The site of the only piece of a kind that the player to move has in a column.
fn only_in_column(
    referee: &Referee<'_>,
    facts: &Facts,
    (kinds, kind): (&[(Value, String)], &str),
    column: char,
) -> Option<String> {
    let turn = facts.turn()?;
    let board = referee.view.board.as_ref()?;
    let names = board.sites().map(|(_, site)| site.name.as_str());
    let mut there = names.filter(|name| name.starts_with(column)).filter(|name| {
        let piece = held(referee, facts, name);
        piece.is_some_and(|piece| owned(referee, piece, turn) && is_of_kind(kinds, piece, kind))
    });
    there.next().filter(|_| there.next().is_none()).map(str::to_string)
}
