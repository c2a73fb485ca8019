//! Sites, letters and numbers of a text that are none here.

use indexmap::IndexSet;

use crate::diagnostic::{distance, listed};
use crate::reference::Facts;

use super::events::events;
use super::kinds::is_letter;
use super::made::made_of;
use super::miss::if_meant;

use super::naming::{Named, loose, natural};
use super::values::{is_held, site_named, sites_in};
use super::{Position, Referee};

/// The most sites that are told as the names of moves.
const FEW_SITES: usize = 12;

/// The words of a text that have the form of a site, a letter and a number, but are none.
pub fn strange_sites(referee: &Referee<'_>, text: &str) -> Vec<String> {
    let Some(board) = &referee.view.board else { return Vec::new() };
    if !board.sites().any(|(_, site)| is_site(&site.name)) {
        return Vec::new();
    }
    // the letter of a piece before a site, or before a number that is none: `R9+1`
    let piece = |word: &str| {
        let mut rest = word.chars();
        let capital = rest.next().is_some_and(char::is_uppercase);
        let numbers =
            |rest: &str| rest.contains(['+', '=', '-']) && !rest.contains(char::is_alphabetic);
        if capital && numbers(rest.as_str()) {
            return String::new();
        }
        let rest = rest.as_str().trim_start_matches('x');
        if capital && is_site(&rest.to_lowercase()) { rest.to_string() } else { word.to_string() }
    };
    let lower = match referee.rules.styles().is_empty() {
        true => text.to_lowercase(),
        false => text.split(' ').map(piece).collect::<Vec<_>>().join(" ").to_lowercase(),
    };
    // between numbers alone an `x` is the sign of a capture and no column
    if lower.starts_with(|c: char| c.is_ascii_digit())
        && !lower.contains(|c: char| c.is_alphabetic() && c != 'x')
    {
        return Vec::new();
    }
    let words = lower.split(|c: char| !c.is_alphanumeric()).flat_map(apart);
    let words = words.map(|word| match word.strip_prefix('x') {
        Some(captured) if is_site(captured) => captured,
        _ => word,
    });
    let strange = words.filter(|word| {
        is_site(word) && !board.sites().any(|(_, site)| site.name.as_str() == *word)
    });
    strange.map(str::to_string).collect::<IndexSet<String>>().into_iter().collect()
}

/// What is said of a text that names columns by the pieces that stand there at first, as old books do: `P-K4`, `N-KB3`.
pub fn columns_of_pieces(referee: &Referee<'_>, text: &str) -> Option<String> {
    if referee.rules.styles().is_empty() {
        return None;
    }
    let text = text.trim();
    let (piece, place) = text.split_once(['-', 'x']).or_else(|| text.split_once(" to "))?;
    let letters = place.trim_end_matches(|c: char| c.is_ascii_digit());
    let pieces = |text: &str| {
        let letter = |c: char| c.is_ascii_uppercase() && is_letter(referee, c.to_ascii_lowercase());
        (1..=2).contains(&text.len()) && text.chars().all(letter)
    };
    let numbered = letters.len() < place.len();
    let board = referee.view.board.as_ref()?;
    let mut sites = board.sites().filter(|(_, site)| is_site(&site.name));
    let (_, first) = sites.next()?;
    let (_, last) = sites.last()?;
    (numbered && pieces(piece) && pieces(letters)).then(|| {
        format!(
            "columns are not named by pieces here: sites have names such as `{}` and `{}`",
            first.name, last.name
        )
    })
}

/// What is wrong with a text of numbers alone, where a move names one number alone; `None` where nothing is.
pub fn strange_numbers(referee: &Referee<'_>, text: &str) -> Option<String> {
    let (least, most) = range(referee)?;
    if text.trim().parse::<i64>().is_ok_and(|number| number < 0) {
        return numbers_told(referee);
    }
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    match numbers.as_slice() {
        _ if text.contains(char::is_alphabetic) => None,
        [one] if (least..=most).contains(one) => None,
        [_] => numbers_told(referee),
        [] => None,
        _ => Some("a move names one number".to_string()),
    }
}

/// Which numbers name moves, where one form of move names one number alone.
pub fn numbers_told(referee: &Referee<'_>) -> Option<String> {
    let (least, most) = range(referee)?;
    Some(format!("a move names a number from {least} to {most}"))
}

/// The least and the greatest number that moves name, where one form of move names one number alone.
pub(super) fn range(referee: &Referee<'_>) -> Option<(i64, i64)> {
    // the numbers of chance are none that a player names
    let events = events(referee);
    let forms = referee.game.types.moves.iter();
    let forms = forms.filter(|(name, domains)| !events.contains(&(name.clone(), domains.len())));
    let mut ranges = forms.filter_map(|(_, domains)| match domains.as_slice() {
        [only] if only.constants.is_empty() && !only.lists => only.integers,
        _ => None,
    });
    ranges.next().filter(|_| ranges.next().is_none())
}

/// What a single letter or a number says that is no name of a move, where others are; `None` where it may be one.
pub fn strange_name(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let text = loose(text);
    let is_letter =
        |text: &str| text.len() == 1 && text.starts_with(|c: char| c.is_ascii_lowercase());
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    if !is_letter(&text) && !is_number(&text) {
        return None;
    }
    let what = if is_letter(&text) { "letters" } else { "numbers" };
    let (_, made) = made_of(referee, "");
    let aliases = referee.rules.aliases(facts, &made).ok()?;
    let mut names: Vec<String> =
        aliases.into_iter().flatten().map(|form| loose(&form.text)).collect();
    names.retain(|name| if is_letter(&text) { is_letter(name) } else { is_number(name) });
    names.sort_by_key(|name| (name.len(), name.clone()));
    let (first, last) = (names.first()?, names.last()?);
    (!names.contains(&text)).then(|| format!("the {what} that name a move are {first} to {last}"))
}

/// What is said of a text of several numbers, of which some are those of no sites where moves have names of numbers: `33-34`.
pub fn strange_squares(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let numbers = |text: &str| -> Option<Vec<u32>> {
        let plain = text.chars().all(|c| c.is_ascii_digit() || "-x: ".contains(c));
        let parts: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
        let all = parts.iter().map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>();
        all.filter(|all| plain && all.len() > 1)
    };
    let typed = numbers(text.trim())?;
    let (_, made) = made_of(referee, "");
    let mut names = Vec::new();
    for style in referee.rules.styles() {
        // a rule error in a notation is none of what was typed
        names.extend(referee.rules.styled(facts, &made, &style).unwrap_or_default());
    }
    let known: IndexSet<u32> =
        names.iter().flatten().filter_map(|name| numbers(name)).flatten().collect();
    let (least, most) = (known.iter().min()?, known.iter().max()?);
    let strange: IndexSet<u32> =
        typed.into_iter().filter(|number| !(least..=most).contains(&number)).collect();
    let strange: Vec<String> = strange.iter().map(|number| format!("`{number}`")).collect();
    let are = if strange.len() == 1 { "is no number" } else { "are no numbers" };
    (!strange.is_empty()).then(|| {
        format!("{} {are} of a site here: they go from {least} to {most}", listed(&strange, "and"))
    })
}

/// What is said of a text that joins two sites, where moves have such names and none has this one: which of them begin so.
pub fn begun_alike(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let at = text.find(|c: char| !c.is_alphanumeric())?;
    let site = site_named(referee, &text[..at])?;
    let site = referee.game.program.values.show(site);
    let (_, made) = made_of(referee, "");
    // a rule error in a name is none of what was typed
    let aliases = referee.rules.aliases(facts, &made).unwrap_or_default();
    let joined = |name: &String| {
        name.strip_prefix(&site)
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
    };
    let mut names: Vec<String> =
        aliases.into_iter().flatten().map(|alias| alias.text).filter(joined).collect();
    names.sort_by_cached_key(|name| natural(name));
    names.dedup();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("the only name of a move that begins with {site} is {one}")),
        several if several.len() > FEW_SITES => None,
        several => Some(format!(
            "the names of moves that begin with {site} are {}",
            listed(several, "and")
        )),
    }
}

/// Whether a text without a site or a number is not like the name of any legal move.
pub fn names_none(referee: &Referee<'_>, legal: &[Named], text: &str) -> bool {
    let plain = loose(text);
    let far = |n: &Named| {
        let name = loose(&n.notation);
        distance(&plain, &name) + 1 >= plain.chars().count().max(name.chars().count())
    };
    !plain.contains(|c: char| c.is_ascii_digit())
        && sites_in(referee, text).is_empty()
        && legal.iter().all(far)
}

/// What is said of a text that is a site, where moves are named by some sites and not by that one.
pub fn strange_site(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    let facts = referee.facts(position);
    let site = site_named(referee, text).filter(|site| !is_held(referee, &facts, &[*site]))?;
    let moves: Vec<_> = legal.iter().map(|n| n.term.clone()).collect();
    let forms = referee.rules.aliases(&facts, &moves).unwrap_or_default();
    let mut names: Vec<String> = forms.into_iter().flatten().map(|form| form.text).collect();
    names.retain(|name| site_named(referee, name).is_some_and(|other| other != site));
    names.sort_by_cached_key(|name| natural(name));
    match names.as_slice() {
        several if several.len() > FEW_SITES => None,
        [] => None,
        [one] => Some(format!("the only site that names a move now is {one}")),
        several => Some(format!("the sites that name a move now are {}", listed(several, "and"))),
    }
}

/// The pieces of a word that begin with a letter after a digit: `e2`, `e9` of `e2e9`.
fn apart(word: &str) -> Vec<&str> {
    let mut begins = vec![0];
    let mut before = ' ';
    for (i, c) in word.char_indices() {
        if before.is_ascii_digit() && c.is_alphabetic() {
            begins.push(i);
        }
        before = c;
    }
    begins.push(word.len());
    begins.windows(2).map(|ends| &word[ends[0]..ends[1]]).collect()
}

/// Whether a word has the form of a site: a letter and a number.
pub(super) fn is_site(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    word.len() == digits.len() + 1
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
}

/// What is said of names of sites with the number first: `3d` for `d3`. A text may be one `alone`.
pub(super) fn turned(
    names: &[String],
    others: &[Vec<String>],
    strange: &[String],
    alone: bool,
) -> Option<String> {
    // where moves have names that begin with a number and a letter it may be one of those
    let begins = |name: &String| {
        let behind = name.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < name.len() && behind.starts_with(|c: char| c.is_alphabetic() && c != 'x')
    };
    if others.iter().flatten().any(begins) {
        return None;
    }
    let site = |word: &String| {
        let letter = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let name = format!("{letter}{}", &word[..word.len() - letter.len()]);
        (letter.len() == 1 && names.contains(&name)).then_some(name)
    };
    let meant: Vec<String> = strange.iter().map(site).collect::<Option<_>>()?;
    Some(match (meant.as_slice(), alone) {
        ([one], true) => format!("the letter of a site comes first: {}", if_meant(one)),
        _ => {
            let quoted: Vec<String> = meant.iter().map(|name| format!("`{name}`")).collect();
            format!("the letter of a site comes first: this is {}", listed(&quoted, "and"))
        }
    })
}

/// What names of sites, or the numbers of moves, are like.
pub(super) fn such(referee: &Referee<'_>, names: &[String]) -> Option<String> {
    if let Some(told) = numbers_told(referee) {
        return Some(told);
    }
    let mut plain: Vec<&String> = names.iter().filter(|name| is_site(name)).collect();
    plain.sort_by_cached_key(|name| natural(name));
    match (plain.first(), plain.last()) {
        (Some(least), Some(most)) if least != most => {
            Some(format!("sites have names such as `{least}` and `{most}`"))
        }
        _ => None,
    }
}

/// What is said of a text of numbers alone, where sites have a letter and a number: `2,2` for `b2`. `None` where it is
/// none, and nothing within where the numbers are those of no sites.
pub(super) fn by_numbers(
    names: &[String],
    strange: &[String],
    text: &str,
) -> Option<Option<String>> {
    if text.contains(char::is_alphabetic) || !names.iter().any(|name| is_site(name)) {
        return None;
    }
    let numbers: Vec<u32> = strange.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let site = |pair: &[u32]| {
        let &[column, row] = pair else { return None };
        let letter = char::from_u32('a' as u32 + column.checked_sub(1).filter(|n| *n < 26)?)?;
        let name = format!("{letter}{row}");
        names.contains(&name).then(|| format!("`{name}`"))
    };
    let meant: Option<Vec<String>> = numbers.chunks(2).map(site).collect();
    Some(meant.map(|meant| {
        let meant = meant.join(" and ");
        format!("columns have letters: with the first number for the column this is {meant}")
    }))
}
