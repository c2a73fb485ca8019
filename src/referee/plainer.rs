//! Texts of moves that say more than the game's notations do: the number of a move, whose it is, remarks, small words
//! between sites, the kind of the piece that moves, and that it captures.

use std::iter;

use crate::program::{FluentId, Value};
use crate::reference::Facts;
use crate::syntax::Term;

use super::Referee;
use super::captures::says_capture;
use super::chains::sign;
use super::kinds::{Kind, Letters, is_kind, is_letter, kinds, named};
use super::made::made_of;
use super::owners::owned;
use super::pieces::designation;
use super::places::{column, places, spelled};
use super::placings::{placed, thing_placed};
use super::remarks::{TAKES, TURNS, is_taking, says_nothing, without_mover, without_remarks};
use super::synonyms::otherwise_called;
use super::values::{path_of_sites, site_named, value_names, values};

/// The least number of letters of a word that stands for a value of one letter.
const LEAST_WORD: usize = 4;

/// Words for a piece that becomes one of another kind.
pub(super) const BECOMES: [&str; 7] =
    ["becomes", "become", "becoming", "promotes", "promote", "promoting", "promoted"];

/// Words beside the places of a step that leads off.
const BEARING: [&str; 5] = ["bear", "bears", "take", "from", "point"];

/// A text for what was typed.
pub struct Plainer {
    pub text: String,
    /// What the text says of the move beside that; `None` where it says nothing.
    pub kind: Option<Kind>,
    /// It says that the move captures.
    pub takes: bool,
}

impl Plainer {
    pub fn of(text: impl Into<String>) -> Plainer {
        Plainer::with(text, None)
    }

    pub(super) fn with(text: impl Into<String>, kind: Option<Kind>) -> Plainer {
        let text = text.into();
        Plainer { takes: says_capture(&text), text, kind }
    }
}

/// The texts for what was typed, the likeliest first: the text itself, and then without what it says beside the move.
pub fn readings<'a>(
    referee: &'a Referee<'_>,
    facts: &'a Facts,
    text: &'a str,
) -> impl Iterator<Item = Plainer> + 'a {
    let text = spelled(referee, facts, text.trim());
    let takes = says_capture(&text);
    iter::once(Plainer::of(text.clone()))
        .chain(iter::once_with(move || plainer(referee, facts, &text)).flatten())
        .map(move |plain| Plainer { takes, ..plain })
}

/// Other texts for what was typed, the likeliest first.
fn plainer(referee: &Referee<'_>, facts: &Facts, text: &str) -> Vec<Plainer> {
    if let Some(placed) = placed(referee, facts, text) {
        return vec![placed];
    }
    let mut all: Vec<Plainer> = taken(text).map(Plainer::of).into_iter().collect();
    all.extend(in_capitals(referee, text).map(Plainer::of));
    let becoming = becoming(referee, text);
    let plainly = becoming.as_deref().unwrap_or(text);
    if let Some(column) = column_takes(plainly) {
        all.extend(from_column(referee, &column));
        all.push(Plainer::of(column));
    }
    all.extend(becoming.map(Plainer::of));
    all.extend(letter_apart(referee, text).map(Plainer::of));
    all.extend(column(referee, text).map(Plainer::of));
    all.extend(in_brackets(referee, facts, text).map(Plainer::of));
    all.extend(taken_between(referee, text).map(Plainer::of));
    all.extend(steps_joined(referee, text).map(Plainer::of));
    let plain = without_remarks(referee, text);
    if plain != text {
        all.push(Plainer::of(plain.clone()));
    }
    let plain = without_mover(referee, facts, &plain).map_or(plain, |rest| {
        all.push(Plainer::of(rest.clone()));
        rest
    });
    let plain = site_of_taken(referee, facts, text).unwrap_or(plain);
    all.extend(form_first(referee, &plain).map(Plainer::of));
    all.extend(value_last(referee, &plain).map(Plainer::of));
    all.extend(of_form(referee, &plain).map(|(form, rest)| {
        let rest = without_mover(referee, facts, rest).unwrap_or_else(|| rest.to_string());
        Plainer::with(rest, Some(Kind::Form(form)))
    }));
    // `horizontal wall e3`
    let formed = form_first(referee, &plain).or_else(|| Some(plain.clone()));
    all.extend(formed.and_then(|plain| {
        let (form, rest) = of_form(referee, &plain)?;
        Some(Plainer::with(value_last(referee, rest)?, Some(Kind::Form(form))))
    }));
    named(referee, &plain, says_capture(text), &mut all);
    all.extend(from_column(referee, &plain));
    all.extend(without_initial(referee, facts, &plain).map(Plainer::of));
    all.extend(with_initial(referee, &plain).map(Plainer::of));
    all.extend(going_on(referee, facts, &plain).map(Plainer::of));
    all.extend(ends_of_line(referee, &plain).map(Plainer::of));
    all.extend(crossed_otherwise(referee, &plain).map(Plainer::of));
    all.extend(otherwise_called(referee, &plain).map(Plainer::of));
    all.extend(thing_placed(referee, &plain));
    // what turns is no site in a corner
    let turns = text.split_whitespace().any(|word| TURNS.contains(&word.to_lowercase().as_str()));
    all.extend(places(referee, &plain).filter(|_| !turns).map(Plainer::of));
    all
}

/// A text with the sign of its steps for the words between their places: `8/5` for `8 to 5`, and `6/off` for
/// `bear off 6`; and with a place's name for its first letter: `bar/20` for `B/20`.
pub(super) fn steps_joined(referee: &Referee<'_>, text: &str) -> Option<String> {
    let sign = sign(referee)?;
    let names = value_names(referee);
    let is_place = |word: &str| names.contains_key(word.trim_end_matches(['*', ',']));
    let players = &referee.game.program.players;
    let is_player = |name: &str| players.iter().any(|player| referee.name(*player) == name);
    let place = |word: &str| -> String {
        let begins = |name: &&String| {
            word.len() == 1
                && name.starts_with(word)
                && name.chars().all(char::is_alphabetic)
                && !is_player(name)
        };
        let mut whole = names.keys().filter(begins);
        match whole.next().filter(|_| !is_place(word) && whole.next().is_none()) {
            Some(name) => name.clone(),
            None => word.to_string(),
        }
    };
    let lower = text.to_lowercase().replace(" to ", &sign);
    let words: Vec<&str> =
        lower.split_whitespace().filter(|word| !BEARING.contains(word)).collect();
    // the place that ends a step, before the one where it begins
    if let [off, from] = *words.as_slice()
        && words.len() < lower.split_whitespace().count()
        && is_place(off)
        && off.chars().all(char::is_alphabetic)
        && is_place(from)
    {
        return Some(format!("{from}{sign}{off}"));
    }
    let step = |word: &&str| {
        let places: Vec<String> = word.split(sign.as_str()).map(place).collect();
        (places.len() > 1 && places.iter().all(|name| is_place(name))).then(|| places.join(&sign))
    };
    // a word that is neither a step nor says nothing is another event or move: `24/23 6+5`
    let is_step = |word: &&&str| word.contains(&sign);
    if words.iter().any(|word| !is_step(&word) && *word != "and" && !says_nothing(word)) {
        return None;
    }
    let steps: Vec<String> = words.iter().filter(is_step).map(step).collect::<Option<_>>()?;
    let joined = steps.join(" ");
    (!steps.is_empty() && joined != text).then_some(joined)
}

/// A text whose first letter, that of a piece, stands apart from a site, which may have blanks in it too: `Nf3` for `N f 3`.
fn letter_apart(referee: &Referee<'_>, text: &str) -> Option<String> {
    let (letter, rest) = text.split_once(char::is_whitespace)?;
    let site: String = rest.split_whitespace().collect();
    let mut letters = letter.chars();
    let first = letters.next().filter(char::is_ascii_uppercase)?;
    let of_piece = letters.next().is_none() && is_letter(referee, first.to_ascii_lowercase());
    (of_piece && site_named(referee, &site).is_some()).then(|| format!("{letter}{site}"))
}

/// What stands in brackets behind the letter of the player to move, as in the records of the Smart Game Format: `pd` for
/// `B[pd]`.
fn in_brackets(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let (letter, rest) = text.trim_start_matches(';').split_once('[')?;
    let inside = rest.strip_suffix(']')?;
    let mover = referee.name(facts.turn()?);
    let his = letter.chars().count() == 1 && mover.starts_with(&letter.to_lowercase());
    his.then(|| inside.to_string())
}

/// A text with the sign of a capture before its site, or without it, where the letter of a piece and a column or row stand
/// before that: `Nbxd2` for `Nbd2` and the other way round, since the names of moves have the sign where something stands on
/// the site, and only there.
fn crossed_otherwise(referee: &Referee<'_>, text: &str) -> Option<String> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let from = letters.next().filter(char::is_ascii_alphanumeric)?;
    let (cross, site) = match letters.as_str().strip_prefix('x') {
        Some(site) => ("", site),
        None => ("x", letters.as_str()),
    };
    let whole = is_letter(referee, letter.to_ascii_lowercase());
    (whole && site_named(referee, site).is_some()).then(|| format!("{letter}{from}{cross}{site}"))
}

/// The ends of a path of more sites than any move names, where the others lie on the straight line between them:
/// `a1-e1` for `a1-c1-e1`.
fn ends_of_line(referee: &Referee<'_>, text: &str) -> Option<String> {
    let (names, sign) = path_of_sites(referee, text)?;
    let board = referee.view.board.as_ref()?;
    let place = |name: &String| {
        let is_it = |value: Value| referee.game.program.values.show(value) == *name;
        board.sites().find(|(_, site)| is_it(site.value)).map(|(_, site)| (site.x, site.y))
    };
    let path: Vec<_> = names.iter().map(place).collect::<Option<_>>()?;
    let ((x, y), (right, up)) = (path.first()?, path.last()?);
    let (across, along) = (right - x, up - y);
    let length = across * across + along * along;
    // how far each site lies on the line; none beside it
    let far: Option<Vec<_>> = path
        .iter()
        .map(|(a, b)| {
            let (a, b) = (a - x, b - y);
            (a * along == b * across).then_some(a * across + b * along)
        })
        .collect();
    let onward = far?.windows(2).all(|two| two[0] < two[1] && two[1] <= length);
    onward.then(|| format!("{}{sign}{}", names[0], names[names.len() - 1]))
}

/// A text whose letters have another form in notations: `O-O` for `0-0`, and `C2=5` for `c2=5` where pieces have letters.
fn in_capitals(referee: &Referee<'_>, text: &str) -> Option<String> {
    let zeros = text.chars().filter(|c| *c == '0').count();
    if zeros > 1 && text.chars().all(|c| c == '0' || c == '-') {
        return Some(text.replace('0', "O"));
    }
    let capital = with_capital(text);
    let named = !referee.rules.styles().is_empty() && designation(&capital).is_some();
    (named && capital != text).then_some(capital)
}

/// A text with a capital as its first letter.
pub(super) fn with_capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The sites of a text that joins a name which ends with a letter to another one by the sign of a capture: `apex-b4` for
/// `apexxb4`.
fn taken_between(referee: &Referee<'_>, text: &str) -> Option<String> {
    let mut signs = text.match_indices('x').filter(|(at, _)| *at > 0);
    signs.find_map(|(at, _)| {
        let (from, to) = (&text[..at], &text[at + 1..]);
        let letter = from.ends_with(|c: char| c.is_alphabetic());
        let sites = letter && site_named(referee, from).and(site_named(referee, to)).is_some();
        sites.then(|| format!("{from}-{to}"))
    })
}

/// What a text means that is a capture from a column: `bxc3`; or a move from it: `bc3`.
fn from_column(referee: &Referee<'_>, text: &str) -> Option<Plainer> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    // a capital is a piece's where pieces have letters
    if letter.is_ascii_uppercase() && is_letter(referee, letter.to_ascii_lowercase()) {
        return None;
    }
    let (letter, rest) = (letter.to_ascii_lowercase(), letters.as_str());
    if let Some(site) = rest.strip_prefix('x') {
        let whole = site_named(referee, site).is_some();
        return whole.then(|| Plainer::with(format!("x{site}"), Some(Kind::Column(letter))));
    }
    // where another notation has letters for pieces it may be one of those
    let lettered = !referee.rules.styles().is_empty() && is_letter(referee, letter);
    let whole = !lettered && site_named(referee, rest).is_some();
    whole.then(|| Plainer::with(rest, Some(Kind::Column(letter))))
}

/// A text with the site of the piece of another player whose kind it names at its end, if that player has only one:
/// `bishop e8` for `bishop takes king`.
fn site_of_taken(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let (rest, taken) = text.trim_end().rsplit_once(char::is_whitespace)?;
    let (rest, takes) = rest.trim_end().rsplit_once(char::is_whitespace)?;
    let turn = facts.turn()?;
    if !TAKES.contains(&takes.to_lowercase().as_str()) {
        return None;
    }
    let of_kind = kinds(referee).into_iter().filter(|(_, name)| *name == taken.to_lowercase());
    let theirs: Vec<Value> =
        of_kind.map(|(piece, _)| piece).filter(|piece| !owned(referee, *piece, turn)).collect();
    let fluent = referee.rules.contents_fluent()?;
    let mut there = facts.iter(fluent).filter(|(_, piece)| theirs.contains(piece));
    let (keys, _) = there.next().filter(|_| there.next().is_none())?;
    let [site] = keys else { return None };
    Some(format!("{} {}", rest.trim_end(), referee.game.program.values.show(*site)))
}

/// A site behind the first letter of the mover's name, where his pieces are called as he is: `c3` for `Fc3` of the fox.
fn without_initial(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let named = referee.name(facts.turn()?).starts_with(letter.to_ascii_lowercase());
    let rest = letters.as_str();
    let whole = named && kinds(referee).is_empty() && site_named(referee, rest).is_some();
    whole.then(|| rest.to_string())
}

/// A text without the site from which the move that is due goes on, where a sign is between them: `/d7` of `d5/d7` where
/// a part of the state says that it is d5.
pub fn going_on(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let at = text.find(|c: char| !c.is_alphanumeric())?;
    let (site, rest) = text.split_at(at);
    let site = site_named(referee, site)?;
    let sign = rest.chars().next().filter(|c| !c.is_whitespace() && !"-:.,(".contains(*c))?;
    let behind = site_named(referee, &rest[sign.len_utf8()..]);
    let fluents = referee.game.program.fluents.iter().enumerate();
    let mut alone = fluents.filter(|(_, fluent)| fluent.keys.is_empty());
    let known = alone.any(|(id, _)| facts.get(FluentId(id as u32), &[]) == Some(site));
    let begun = known.then_some(rest).filter(|_| behind.is_some())?;
    // moves that begin with the sign
    let (_, made) = made_of(referee, &begun[sign.len_utf8()..]);
    let signed = |term: &Term| {
        let notation = referee.notation(facts, term);
        notation.is_ok_and(|notation| notation == begun)
    };
    made.iter().any(signed).then(|| begun.to_string())
}

/// A text with a sign for the words by which a piece becomes one of another kind: `b7-b8=queen` for
/// `b7-b8 becomes a queen`.
fn becoming(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| BECOMES.contains(&word.to_lowercase().as_str()))?;
    let small = |word: &&&str| !["to", "into", "a", "an"].contains(*word);
    let mut behind = words[at + 1..].iter().filter(small);
    let before = words[..at].strip_suffix(&["and"]).unwrap_or(&words[..at]);
    let (kind, before) = match before.is_empty() {
        true => becoming_on(referee, &words)?,
        false => {
            let kind = behind.next()?.to_lowercase();
            behind.next().is_none().then(|| (kind, before.join(" ")))?
        }
    };
    if !is_kind(referee, &kind) {
        return None;
    }
    // as notations write it, where there are others
    let letters = Letters::new(referee);
    let piece = kinds(referee).into_iter().find(|(_, name)| *name == kind).map(|(piece, _)| piece);
    let letter = piece.and_then(|piece| letters.of(piece)).map(str::to_uppercase);
    let kind = letter.filter(|_| !referee.rules.styles().is_empty()).unwrap_or(kind);
    Some(format!("{}={kind}", before.trim_end_matches(',')))
}

/// The kind that a piece becomes, and the site: `promote the pawn to a queen on a8`, `promote a8 to a queen`.
fn becoming_on(referee: &Referee<'_>, words: &[&str]) -> Option<(String, String)> {
    let mut sites = words.iter().filter(|word| site_named(referee, word).is_some());
    let site = sites.next().filter(|_| sites.next().is_none())?;
    let to = words.iter().position(|word| ["to", "into"].contains(word))?;
    let mut behind = words[to + 1..].iter().filter(|word| !["a", "an", "the"].contains(*word));
    Some((behind.next()?.to_lowercase(), site.to_string()))
}

/// A text with the sign of a capture for the word between a column and a site: `bxc8` for `b takes c8`.
fn column_takes(text: &str) -> Option<String> {
    let (column, rest) = text.split_once(' ')?;
    let (takes, rest) = rest.split_once(' ')?;
    let letter = column.len() == 1 && column.starts_with(|c: char| c.is_ascii_lowercase());
    let whole = letter && TAKES.contains(&takes.to_lowercase().as_str());
    (whole && !rest.contains(' ')).then(|| format!("{column}x{rest}"))
}

/// A text with the sign of a capture for the word that it begins with: `xd3` for `take d3`.
fn taken(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    (is_taking(first) && !rest.contains(char::is_whitespace)).then(|| format!("x{rest}"))
}

/// A text with the letter of a value for the word at its end that begins with it: `d5 h` for `d5 horizontal`.
fn with_initial(referee: &Referee<'_>, text: &str) -> Option<String> {
    let (rest, word) = text.rsplit_once(char::is_whitespace)?;
    let letter = word.chars().next()?.to_lowercase().to_string();
    let show = |value: &Value| referee.game.program.values.show(*value);
    let last = referee.game.types.moves.iter().filter_map(|(_, domains)| domains.last());
    let mut named = last.flat_map(values).map(|value| show(&value));
    let whole = word.chars().all(char::is_alphabetic)
        && word.chars().count() >= LEAST_WORD
        && !value_names(referee).contains_key(&word.to_lowercase());
    (whole && named.any(|name| name == letter)).then(|| format!("{rest} {letter}"))
}

/// A text with the value that it begins with behind its site, where moves have it there: `e3 h` for `he3` and
/// `horizontal e3`. The kind of a piece before a site tells what goes there, and not what it becomes.
fn value_last(referee: &Referee<'_>, text: &str) -> Option<String> {
    let show = |value: &Value| referee.game.program.values.show(*value);
    let last = referee.game.types.moves.iter().filter(|(_, domains)| domains.len() > 1);
    let last = last.filter_map(|(_, domains)| domains.last()).flat_map(values);
    let names: Vec<String> = last.map(|value| show(&value)).collect();
    let is_word = |name: &String| {
        name.chars().all(char::is_alphabetic)
            && site_named(referee, name).is_none()
            && !is_kind(referee, name)
    };
    let lower = text.to_lowercase();
    let mut found = names.iter().filter(|name| is_word(name)).filter_map(|name| {
        let rest = lower.strip_prefix(name.as_str())?.trim_start();
        site_named(referee, rest).map(|_| format!("{rest} {name}"))
    });
    found.next().or_else(|| {
        let (word, rest) = lower.split_once(char::is_whitespace)?;
        site_named(referee, rest.trim())?;
        let letter = word.chars().next().filter(|_| word.chars().count() >= LEAST_WORD)?;
        let letter = letter.to_string();
        let whole = word.chars().all(char::is_alphabetic) && names.contains(&letter);
        (whole && is_word(&letter)).then(|| format!("{} {letter}", rest.trim()))
    })
}

/// The form of move whose name a text begins with, and what is behind it: `drop d`, `drops d`.
fn of_form<'t>(referee: &Referee<'_>, text: &'t str) -> Option<(String, &'t str)> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let forms = referee.rules.move_forms();
    let is_it = |name: &str| first.strip_prefix(name).is_some_and(|end| ["", "s"].contains(&end));
    let (form, ..) = forms.iter().find(|(name, arity, _)| *arity > 0 && is_it(name))?;
    Some((form.clone(), rest.trim()))
}

/// A text with the name of a form of move before all others: `drop pawn e4` for `pawn drop e4`.
fn form_first(referee: &Referee<'_>, text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let forms = referee.rules.move_forms();
    let is_form = |word: &&str| forms.iter().any(|(name, arity, _)| name == word && *arity > 0);
    let at = words.iter().position(is_form).filter(|at| *at > 0)?;
    let form = words.remove(at);
    words.insert(0, form);
    Some(words.join(" "))
}

/// A text without the name of a form of move before it.
pub(super) fn without_form<'t>(referee: &Referee<'_>, text: &'t str) -> &'t str {
    of_form(referee, text).map_or(text, |(_, rest)| rest)
}
