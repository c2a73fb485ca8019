//! What a text says that no move can say: sites that are none, numbers and letters that name nothing, words that
//! the game does not know.

use std::iter;

use indexmap::IndexSet;

use crate::diagnostic::listed;
use crate::explain::owner;
use crate::program::{Fluent, FluentId, GoalKind};
use crate::reference::{Alias, Facts};

use super::meant::{events, is_held, made_of, parted, site_named, sites, sites_in, value_names};
use super::plainer::{is_called, is_kind, kinds_at_end};
use super::shorthand::behind;
use super::typed::{self, FEW, Named, Reading, loose, natural, styled};
use super::{Position, Referee};

/// The most words of a text that are told.
const TOLD: usize = 3;
/// The most moves that are told as what a text may go on to.
const FEW_OPEN: usize = 4;
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

/// What is said of a text that begins with the name of a part of the state, which moves of other names change: it is
/// no move of its own.
pub fn told_of_state(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let program = &referee.game.program;
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let word = word.to_lowercase();
    if referee.rules.move_forms().iter().any(|(form, ..)| *form == word) {
        return None;
    }
    let named = |fluent: &(usize, &Fluent)| fluent.1.name == word;
    let (fluent, _) = program.fluents.iter().enumerate().find(named)?;
    let players = program.players.iter().map(|player| program.values.show(*player));
    if referee.rules.contents_fluent() == Some(FluentId(fluent as u32))
        || players.into_iter().any(|player| is_called(&player, &word))
    {
        return None;
    }
    let moves = program.relation(program.special.moves?);
    let rule = moves.clauses.iter().find_map(|by| {
        let mut changes = false;
        program.clause(*by).body.walk(&mut |goal| {
            changes |= match &goal.kind {
                GoalKind::Assign(id, ..)
                | GoalKind::AssignNumber(id, ..)
                | GoalKind::Set(id, _) => id.0 as usize == fluent,
                _ => false,
            };
        });
        if changes { referee.rules.rule_in_words(facts, *by) } else { None }
    })?;
    Some(format!("`{word}` is no move of its own: {rule}"))
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
fn range(referee: &Referee<'_>) -> Option<(i64, i64)> {
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

/// What is said about the words of a text that no move of the game has; `None` where there are none.
pub fn strange_words(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
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
    let Some(first) = strange.first() else {
        let alone = || among(legal, &others, text).or_else(|| form_of_one(legal, text));
        return several(legal, &others, text).or_else(|| begun(legal, text)).or_else(alone);
    };
    if let Some(kinds) = kinds_at_end(referee, text) {
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
    if let Some(told) = turned(&names, &others, &strange) {
        return Some(told);
    }
    if let Some(told) = by_numbers(&names, &strange, text) {
        return told.or(such);
    }
    let mover = values.show(referee.turn(position));
    let players = &referee.game.program.players;
    if strange.len() == 1 && players.iter().any(|player| is_called(&values.show(*player), first)) {
        return Some(format!("a move does not name the player; it is {} turn", owner(&mover)));
    }
    if let Some(rest) = without_strange(referee, legal, text)
        && let [one] = named_loosely(legal, &rest).as_slice()
    {
        return Some(format!("if {} is meant, write that", one.notation));
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
        let pieces: Vec<String> = strange
            .iter()
            .filter(|word| is_kind(referee, word))
            .map(|w| format!("`{w}`"))
            .collect();
        let such = such.as_ref().map(|such| format!("; {such}")).unwrap_or_default();
        match pieces.as_slice() {
            [] => {}
            [one] => {
                return Some(format!("{one} is a piece: name the site to which it goes{such}"));
            }
            more => {
                let pieces = listed(more, "and");
                return Some(format!("{pieces} are pieces: name the site to which one goes{such}"));
            }
        }
    }
    if let Some(told) = open_without(referee, position, legal, text, first) {
        return Some(told);
    }
    let quoted: Vec<String> =
        strange.iter().take(TOLD).map(|word| format!("`{}`", as_typed(word, text))).collect();
    let are = if quoted.len() == 1 { "is nothing" } else { "are nothing" };
    let told = format!("{} {are} that a move names here", quoted.join(", "));
    Some(such.map_or(told.clone(), |such| format!("{told}; {such}")))
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
fn meanings(
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

/// The advice to write one of a few names; `None` where there is none, or too many.
fn to_write(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [one] => Some(format!("if {one} is meant, write that")),
        few => (few.len() <= FEW_OPEN).then(|| format!("write one of {}", few.join(", "))),
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
fn strange_in(referee: &Referee<'_>, legal: &[Named], text: &str) -> Vec<String> {
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

/// The legal moves that a text names but for signs and blanks.
fn named_loosely<'n>(legal: &'n [Named], text: &str) -> Vec<&'n Named> {
    let bare = |text: &str| words(text).concat();
    let typed = bare(text);
    legal.iter().filter(|n| bare(&n.notation) == typed).collect()
}

/// For each legal move its other names, those in other notations too where there are few moves.
fn other_names(referee: &Referee<'_>, position: &Position, legal: &[Named]) -> Vec<Vec<String>> {
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
    let (first, _) = text.trim().split_once(char::is_whitespace)?;
    let found = typed::read(referee, position, legal, first, Reading::Any).ok()?.ok()?;
    Some(comes_first(found))
}

fn comes_first(found: &Named) -> String {
    format!("one move at a time: {} comes first", found.notation)
}

/// What is said of a text of several words of which only one is a legal move.
fn among(legal: &[Named], others: &[Vec<String>], text: &str) -> Option<String> {
    let words: Vec<String> = text.split_whitespace().map(loose).collect();
    let is_named = |(i, n): &(usize, &Named)| {
        let others = others.get(*i).into_iter().flatten();
        others.chain([&n.notation]).any(|name| words.contains(&loose(name)))
    };
    let mut found = legal.iter().enumerate().filter(is_named);
    let (_, one) = found.next().filter(|_| words.len() > 1 && found.next().is_none())?;
    Some(format!("one move at a time: if {} is meant, write that", one.notation))
}

/// What is said of a text that begins with the name of a form of move, of which there is one legal move.
fn form_of_one(legal: &[Named], text: &str) -> Option<String> {
    let (form, _) = text.split_once(char::is_whitespace)?;
    let is_form = |n: &&Named| n.term.functor().is_some_and(|(name, _)| name == form);
    let mut found = legal.iter().filter(is_form);
    let one = found.next().filter(|_| found.next().is_none())?;
    Some(format!("the only such move now is {}", one.notation))
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

/// What is said of a text that is one of these moves with another behind it, after a blank or the sign of a capture.
fn several(legal: &[Named], others: &[Vec<String>], text: &str) -> Option<String> {
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
    words.next().map(|_| comes_first(found))
}

/// What is said of a text that is the values of one legal move with one more behind them.
fn begun(legal: &[Named], text: &str) -> Option<String> {
    let whole = |n: &&Named| {
        let more = behind(text, &n.text);
        let digits = more.starts_with(|c: char| c.is_ascii_digit());
        !more.is_empty() && more.chars().all(|c| c.is_ascii_digit() == digits)
    };
    let found: Vec<&Named> = legal.iter().filter(whole).collect();
    match found.as_slice() {
        [one] => Some(format!("if {} is meant, write that", one.notation)),
        _ => None,
    }
}

/// What is said of names of sites with the number first: `3d` for `d3`.
fn turned(names: &[String], others: &[Vec<String>], strange: &[String]) -> Option<String> {
    // where moves have names that begin with a number it may be one of those
    if others.iter().flatten().any(|name| name.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let site = |word: &String| {
        let letter = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let name = format!("{letter}{}", &word[..word.len() - letter.len()]);
        (letter.len() == 1 && names.contains(&name)).then(|| format!("`{name}`"))
    };
    let meant: Vec<String> = strange.iter().map(site).collect::<Option<_>>()?;
    Some(format!("the letter of a site comes first: this is {}", listed(&meant, "and")))
}

/// What names of sites, or the numbers of moves, are like.
fn such(referee: &Referee<'_>, names: &[String]) -> Option<String> {
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

/// The letters and numbers of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_string).collect()
}

/// A word in the letters in which it was typed.
fn as_typed<'t>(word: &'t str, text: &'t str) -> &'t str {
    let begins = text.char_indices().map(|(at, _)| at);
    let found = begins.filter_map(|at| text.get(at..at + word.len()));
    found.into_iter().find(|found| found.to_lowercase() == word).unwrap_or(word)
}

/// What is said of a text of numbers alone, where sites have a letter and a number: `2,2` for `b2`. `None` where it is
/// none, and nothing within where the numbers are those of no sites.
fn by_numbers(names: &[String], strange: &[String], text: &str) -> Option<Option<String>> {
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
