//! Texts that name sites and pieces without their names: the middle of the board, its corners, and pieces by the signs
//! by which they are drawn.

use crate::reference::Facts;

use super::Referee;
use super::by_numbers::with_sites_for_numbers;
use super::captures::says_capture;
use super::kinds::{Letters, held, is_of_kind, kinds};
use super::naming::narrow;
use super::neighbours::{beside_site, on_a_side};
use super::owners::owned;
use super::phrases::plain_phrase;
use super::remarks::is_taking;
use super::rows::{counted, with_columns};
use super::strange::range;
use super::synonyms::{in_known_words, number_word};
use super::values::{site_named, sites_in, value_names};

/// What people call the site in the middle of a board.
const MIDDLE: [&str; 4] = ["middle", "centre", "center", "tengen"];

/// What people call the sides of a board, above and below, and left and right.
const UPPER: [(&str, bool); 4] =
    [("top", true), ("upper", true), ("bottom", false), ("lower", false)];
const RIGHT: [(&str, bool); 2] = [("right", true), ("left", false)];

/// Words beside those for sides.
const LINES: [&str; 6] = ["row", "column", "side", "edge", "of", "the"];

/// What people call any piece.
pub(super) const THINGS: [&str; 7] =
    ["man", "piece", "stone", "counter", "checker", "marble", "pawn"];

/// What people call a line of sites from below to above.
const COLUMNS: [&str; 2] = [" column", " file"];

/// A text with plain letters and digits for wide ones, and with the letters of pieces, or else their names, for the
/// signs by which they are drawn: `Nf3` for `♘f3`.
pub(super) fn spelled(referee: &Referee<'_>, facts: &Facts, text: &str) -> String {
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let text: String = text.chars().map(narrow).collect();
    let text = counted(referee, facts, &text).unwrap_or(text);
    let text = in_known_words(referee, &text);
    let text = with_sites_for_numbers(referee, facts, &text).unwrap_or(text);
    let text = parts_joined(referee, facts, &text).unwrap_or(text);
    let text = beside_site(referee, &text).unwrap_or(text);
    let text = on_a_side(referee, facts, &text).unwrap_or(text);
    let text = called_by_place(referee, &text).unwrap_or(text);
    let text = with_columns(referee, facts, &text).unwrap_or(text);
    let text = with_kind(referee, &text).unwrap_or(text);
    let text = plain_phrase(referee, facts, &text).unwrap_or(text);
    if !text.contains(is_sign) {
        return text;
    }
    let letters = Letters::new(referee);
    let styled = !referee.rules.styles().is_empty();
    // a rule error in a glyph is none of what was typed
    let glyph = |piece| referee.rules.glyph(facts, piece).ok();
    let signs: Vec<(String, String)> = kinds(referee)
        .into_iter()
        .filter_map(|(piece, name)| {
            let letter = letters.of(piece).map(str::to_uppercase).filter(|_| styled);
            Some((glyph(piece)?, letter.unwrap_or_else(|| format!("{name} "))))
        })
        .collect();
    let mut spelled = String::new();
    for c in text.chars() {
        let drawn = signs.iter().find(|(sign, _)| is_sign(c) && sign.chars().eq([c]));
        match drawn {
            Some((_, name)) => spelled.push_str(name),
            None => spelled.push(c),
        }
    }
    spelled
}

/// A text with the name of a kind of piece for its letter, where that is its first word: `king to d5` for `K to d5`.
fn with_kind(referee: &Referee<'_>, text: &str) -> Option<String> {
    let (first, rest) = text.split_once(' ')?;
    let mut letters = first.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let column =
        referee.view.board.as_ref()?.sites().any(|(_, site)| site.name.starts_with(letter));
    if letters.next().is_some() || column || !rest.contains(' ') {
        return None;
    }
    let letters = Letters::new(referee);
    let is_its = |piece| letters.of(piece).is_some_and(|own| own.eq_ignore_ascii_case(first));
    let mut kinds: Vec<String> = kinds(referee)
        .into_iter()
        .filter(|(piece, _)| is_its(*piece))
        .map(|(_, name)| name)
        .collect();
    kinds.dedup();
    let [kind] = kinds.as_slice() else { return None };
    Some(format!("{kind} {rest}"))
}

/// A text with a site as one word, whose letter is no article: `on a7` for `on a 7`; with the sign of a step behind the letter
/// of a piece and its site: `Rh1-h3` for `Rh1 to h3`; and without the kind of what is captured, behind its site: `Nxe5` for
/// `Nxe5 pawn`.
fn parts_joined(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let mut words: Vec<String> = text.split(' ').map(str::to_string).collect();
    let site = |word: &str| site_named(referee, word).is_some();
    let mut at = 0;
    while at + 1 < words.len() {
        let joined = format!("{}{}", words[at], words[at + 1]);
        let number = words[at + 1].chars().all(|c| c.is_ascii_digit());
        let end = words.get(at + 2).is_none_or(|next| !site(next));
        if words[at].eq_ignore_ascii_case("a") && number && end && site(&joined) {
            words.splice(at..at + 2, [joined]);
        } else if let [from, to, end] = &words[at..words.len().min(at + 3)]
            && to == "to"
            && site(end)
            && from.chars().next().is_some_and(|c| c.is_ascii_uppercase())
            && from.get(1..).is_some_and(|from| site(from) && !site(&words[at]))
        {
            let step = format!("{from}-{end}");
            words.splice(at..at + 3, [step]);
        }
        at += 1;
    }
    if let [.., before, last] = words.as_slice()
        && let Some(site) = sites_in(referee, before).last()
        && says_capture(text)
        && let Some(turn) = facts.turn()
        && let Some(piece) = held(referee, facts, &referee.game.program.values.show(*site))
        && !owned(referee, piece, turn)
        && is_of_kind(&kinds(referee), piece, &last.to_lowercase())
    {
        words.pop();
    }
    // what is captured, or what moves, behind a whole move: `e4xd5 captures pawn`, `b1-c2 gold`
    if let [before @ .., last] = words.as_slice()
        && let [from, to] = *sites_in(referee, &before.join(" ")).into_iter().collect::<Vec<_>>()
        && let kinds = kinds(referee)
        && kinds.iter().any(|(_, name)| *name == last.to_lowercase())
    {
        let show = |site| referee.game.program.values.show(site);
        let is_kind = |site| {
            held(referee, facts, &show(site))
                .is_some_and(|piece| is_of_kind(&kinds, piece, &last.to_lowercase()))
        };
        let taking = before.last().is_some_and(|word| is_taking(word));
        if taking && is_kind(to) {
            words.truncate(before.len() - 1);
        } else if !taking && is_kind(from) && before.len() < 2 {
            words.pop();
        }
    }
    let told = words.join(" ");
    (told != text).then_some(told)
}

/// A text with the site in place of a piece that it calls by where it lies: `b2 to the left` for `middle man to the left`.
fn called_by_place(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let thing = words.iter().position(|word| THINGS.contains(&word.to_lowercase().as_str()))?;
    let (before, behind) = (&words[..thing], &words[thing + 1..]);
    if !before.iter().all(|word| *word == "the" || is_place(&word.to_lowercase())) {
        return None;
    }
    let site = places(referee, &before.join(" "))?;
    let site = site.strip_prefix("the ").unwrap_or(&site);
    site_named(referee, site)?;
    Some([&[site], behind].concat().join(" "))
}

/// A text with the names of the sites that it calls the middle or a corner of the board; `None` where it calls none so.
pub(super) fn places(referee: &Referee<'_>, text: &str) -> Option<String> {
    let known = value_names(referee);
    let lower = text.to_lowercase();
    // words, and what stands between them
    let mut parts: Vec<String> = Vec::new();
    for c in lower.chars() {
        match parts.last_mut() {
            Some(last) if last.chars().all(|l| l.is_alphanumeric() == c.is_alphanumeric()) => {
                last.push(c);
            }
            _ => parts.push(c.to_string()),
        }
    }
    let mut named = false;
    let mut at = 0;
    let mut told: Vec<String> = Vec::new();
    while at < parts.len() {
        let word = &parts[at];
        let (sides, end) = sides_from(&parts, at);
        let known = sides.iter().any(|side| known.contains_key(side.as_str()));
        let site = site_between(referee, &sides).filter(|_| !known);
        match site {
            Some(site) => {
                named = true;
                told.push(site);
                at = end;
            }
            None => {
                told.push(word.clone());
                at += 1;
            }
        }
    }
    named.then(|| told.concat())
}

/// The words from a place on that tell where something lies, with small words between them, and where they end.
fn sides_from(parts: &[String], from: usize) -> (Vec<String>, usize) {
    let mut sides: Vec<String> = Vec::new();
    let mut end = from;
    for (at, word) in parts.iter().enumerate().skip(from) {
        let is_word = word.starts_with(char::is_alphanumeric);
        let apart = !is_word && !word.chars().all(|c| c.is_whitespace() || c == '-');
        let full = sides.iter().filter(|side| *side != "corner").count() > 1;
        if apart || full && word != "corner" && is_place(word) {
            break;
        }
        if is_word && is_place(word) {
            sides.push(word.clone());
            end = at + 1;
        } else if sides.is_empty() || is_word && !LINES.contains(&word.as_str()) {
            break;
        } else if is_word && word != "of" && word != "the" {
            end = at + 1;
        }
    }
    (sides, end)
}

/// The name of the site that lies where these words tell: in the middle of the board, in a corner between two sides, or
/// in the middle of one side.
fn site_between(referee: &Referee<'_>, sides: &[String]) -> Option<String> {
    let is_middle = |side: &String| MIDDLE.contains(&side.as_str());
    let corner = sides.iter().any(|side| side == "corner");
    let sides: Vec<&String> = sides.iter().filter(|side| *side != "corner").collect();
    match sides.as_slice() {
        [one] if is_middle(one) && !corner => middle(referee),
        [one, other] if is_middle(one) != is_middle(other) && !corner => {
            let side = if is_middle(one) { other } else { one };
            edge(referee, side)
        }
        [one, other] => self::corner(referee, one, other),
        [one] if corner => only_corner(referee, one),
        _ => None,
    }
}

/// The name of the site in the middle of a side of the board.
fn edge(referee: &Referee<'_>, side: &str) -> Option<String> {
    let ((left, low), (far, high)) = extent(referee)?;
    let (x, y) = match (among(&UPPER, side), among(&RIGHT, side)) {
        (Some(upper), _) => (left.checked_add(far)?, 2 * if upper { high } else { low }),
        (_, Some(right)) => (2 * if right { far } else { left }, low.checked_add(high)?),
        _ => return None,
    };
    site_at(referee, |across, along| (2 * across, 2 * along) == (x, y))
}

/// Whether a side is the far one of two that lie opposite; `None` where it is none of them.
fn among(sides: &[(&str, bool)], side: &str) -> Option<bool> {
    sides.iter().find(|(name, _)| *name == side).map(|(_, far)| *far)
}

/// Whether a word tells where on a board something lies.
pub(super) fn is_place(word: &str) -> bool {
    let side = |(name, _): &(&str, bool)| *name == word;
    word == "corner" || MIDDLE.contains(&word) || UPPER.iter().chain(&RIGHT).any(side)
}

/// Words before a side that tell the column farthest to it.
const FARTHEST: [&str; 2] = ["far ", "all the way "];

/// Words before and behind those for a column.
#[rustfmt::skip]
const COLUMN_WORDS: [&str; 19] = [
    "please", "i", "drop", "drops", "play", "plays", "put", "in", "into", "to", "the", "a", "my", "disc", "disk", "piece",
    "counter", "stone", "it",
];

/// The number of a column that a text tells by the side on which it is, where moves name a number: `left column`.
pub(super) fn column(referee: &Referee<'_>, text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(' ').collect();
    let names = |word: &&str| !COLUMN_WORDS.contains(word);
    let (begins, ends) = (words.iter().position(names)?, words.iter().rposition(names)?);
    let lower = words[begins..=ends].join(" ");
    let side = COLUMNS.iter().find_map(|column| lower.strip_suffix(column));
    let (least, most) = range(referee)?;
    let named =
        COLUMNS.iter().find_map(|column| lower.strip_prefix(&format!("{} ", column.trim())));
    if let Some(number) = named.or(side).and_then(|word| number_word(word.trim())) {
        return (least..=most).contains(&number).then(|| number.to_string());
    }
    let side = side.or_else(|| MIDDLE.contains(&lower.as_str()).then_some(lower.as_str()));
    let side = match side {
        Some(side) => side.trim(),
        None => FARTHEST.iter().find_map(|most| lower.strip_prefix(most))?,
    };
    let side = side.strip_prefix("the ").unwrap_or(side);
    let side = side.strip_prefix("far ").unwrap_or(side);
    let number = match side.trim_end_matches("most") {
        "left" | "first" => least,
        "right" | "last" => most,
        middle if MIDDLE.contains(&middle) && (least + most) % 2 == 0 => (least + most) / 2,
        _ => return None,
    };
    Some(number.to_string())
}

/// The name of the site in the corner of the board between two sides, where one lies there.
fn corner(referee: &Referee<'_>, one: &str, other: &str) -> Option<String> {
    let of = |sides| among(sides, one).or_else(|| among(sides, other));
    let (upper, right) = (of(&UPPER)?, of(&RIGHT)?);
    let ((left, low), (far, high)) = extent(referee)?;
    let row = if upper { high } else { low };
    let at = (if right { far } else { left }, row);
    if let Some(site) = site_at(referee, |x, y| (x, y) == at) {
        return Some(site);
    }
    // of a board whose rows do not begin below each other, the end of the row
    let board = referee.view.board.as_ref()?;
    let columns: Vec<i64> =
        board.sites().filter(|(_, site)| site.y == row).map(|(_, site)| site.x).collect();
    let end = if right { columns.iter().max() } else { columns.iter().min() };
    site_at(referee, |x, y| columns.len() > 1 && Some(&x) == end && y == row)
}

/// The name of the only site that lies farthest to a side of the board.
fn only_corner(referee: &Referee<'_>, side: &str) -> Option<String> {
    let ((left, low), (far, high)) = extent(referee)?;
    let lies = |x: i64, y: i64| match (among(&UPPER, side), among(&RIGHT, side)) {
        (Some(upper), _) => y == if upper { high } else { low },
        (_, Some(right)) => x == if right { far } else { left },
        _ => false,
    };
    let board = referee.view.board.as_ref()?;
    let there = board.sites().filter(|(_, site)| lies(site.x, site.y)).count();
    site_at(referee, lies).filter(|_| there == 1)
}

/// The name of the site in the middle of the board, where one lies there.
fn middle(referee: &Referee<'_>) -> Option<String> {
    // of a triangle, where its sites lie on the mean
    let places = || referee.view.board.iter().flat_map(|b| b.sites()).map(|(_, s)| (s.x, s.y));
    let (count, across, along) =
        places().fold((0, 0, 0), |(n, x, y), (u, v)| (n + 1, x + u, y + v));
    if let Some(mean) = site_at(referee, |x, y| (count * x, count * y) == (across, along)) {
        return Some(mean);
    }
    let ((left, low), (far, high)) = extent(referee)?;
    let twice = (left.checked_add(far)?, low.checked_add(high)?);
    site_at(referee, |x, y| (2 * x, 2 * y) == twice)
}

/// The least and the greatest columns and rows of the sites of the board.
fn extent(referee: &Referee<'_>) -> Option<((i64, i64), (i64, i64))> {
    let mut places = referee.view.board.as_ref()?.sites().map(|(_, site)| (site.x, site.y));
    let first = places.next()?;
    Some(places.fold((first, first), |((left, low), (far, high)), (x, y)| {
        ((left.min(x), low.min(y)), (far.max(x), high.max(y)))
    }))
}

/// Where the site of this name is drawn.
pub(super) fn place_of(referee: &Referee<'_>, name: &str) -> Option<(i64, i64)> {
    let mut sites = referee.view.board.as_ref()?.sites();
    sites.find(|(_, site)| site.name.as_str() == name).map(|(_, site)| (site.x, site.y))
}

/// The name of the first site whose place is wanted.
pub(super) fn site_at(referee: &Referee<'_>, wanted: impl Fn(i64, i64) -> bool) -> Option<String> {
    let mut sites = referee.view.board.as_ref()?.sites().map(|(_, site)| site);
    sites.find(|site| wanted(site.x, site.y)).map(|site| site.name.to_string())
}
