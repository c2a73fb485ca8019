//! Texts of moves that say more than the game's notations do: the number of a move, whose it is, remarks, small words
//! between sites, the kind of the piece that moves, and that it captures.

use std::iter;

use crate::program::{FluentId, Value};
use crate::reference::{Alias, Facts};
use crate::syntax::{Term, TermKind, print_term};

use super::Referee;
use super::captures::says_capture;
use super::meant::{
    made_of, names_site, owned, path_of_sites, site_named, sites_in, value_names, values,
};
use super::pieces::designation;
use super::unread::is_site;

/// Words that say nothing about a move beside its sites.
const WORDS: [&str; 45] = [
    "to",
    "from",
    "on",
    "at",
    "in",
    "the",
    "my",
    "a",
    "move",
    "moves",
    "goes",
    "go",
    "play",
    "plays",
    "place",
    "put",
    "check",
    "mate",
    "checkmate",
    "column",
    "square",
    "point",
    "house",
    "hole",
    "pit",
    "cup",
    "drop",
    "piece",
    "man",
    "pawn",
    "stone",
    "disc",
    "disk",
    "counter",
    "marble",
    "peg",
    "checker",
    "token",
    "mark",
    "line",
    "rotate",
    "turn",
    "hand",
    "over",
    "give",
];
/// Words that say that a move captures.
pub(super) const TAKES: [&str; 5] = ["takes", "take", "captures", "capture", "x"];
/// What follows a capture in passing.
const REMARKS: [&str; 3] = ["e.p.", "e.p", "ep"];

/// The least number of letters of a word that stands for a value of one letter.
const LEAST_WORD: usize = 4;

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

    fn with(text: impl Into<String>, kind: Option<Kind>) -> Plainer {
        let text = text.into();
        Plainer { takes: says_capture(&text), text, kind }
    }
}

/// The moves that a text can mean by what it says beside their sites.
pub enum Kind {
    /// Those that begin on a site where one of these pieces stands.
    Pieces(Vec<Value>),
    /// Those of the form of this name.
    Form(String),
    /// Those that begin on a site whose name begins with this letter.
    Column(char),
}

impl Kind {
    /// Whether a move is one of them.
    pub fn fits(&self, referee: &Referee<'_>, facts: &Facts, mv: &Term) -> bool {
        let first = |term: &Term| match &term.kind {
            TermKind::List(items, None) => items.first().map(print_term),
            _ => Some(print_term(term)),
        };
        let name = mv.functor().and_then(|(_, args)| first(args.first()?));
        let held = |name: &String| held(referee, facts, name);
        match self {
            Kind::Pieces(pieces) => {
                let there = |name: &String| held(name).is_some_and(|held| pieces.contains(&held));
                match names_site(referee, mv) {
                    true => name.as_ref().is_some_and(there),
                    // another name of the move tells where the piece stands: castling as a move of the king
                    false => other_beginnings(referee, facts, mv).any(|name| there(&name)),
                }
            }
            Kind::Form(form) => mv.functor().is_some_and(|(name, _)| name == form),
            Kind::Column(letter) => {
                let own =
                    |piece: Value| facts.turn().is_some_and(|turn| owned(referee, piece, turn));
                name.is_some_and(|name| name.starts_with(*letter) && held(&name).is_some_and(own))
            }
        }
    }

    /// The pieces, and what they are called.
    pub fn pieces(&self, referee: &Referee<'_>) -> Option<(&[Value], String)> {
        let Kind::Pieces(pieces) = self else { return None };
        Some((pieces, kind(referee, *pieces.first()?)?))
    }
}

/// The sites at which the other names of a move begin.
fn other_beginnings<'a>(
    referee: &'a Referee<'_>,
    facts: &Facts,
    mv: &Term,
) -> impl Iterator<Item = String> + 'a {
    // a rule error in a name is none of what was typed
    let names = referee.rules.aliases(facts, std::slice::from_ref(mv)).unwrap_or_default();
    let first = |alias: Alias| sites_in(referee, &alias.text).first().copied();
    let sites = names.into_iter().flatten().filter_map(first);
    sites.map(|site| referee.game.program.values.show(site))
}

/// What stands on the site of this name.
pub(super) fn held(referee: &Referee<'_>, facts: &Facts, name: &str) -> Option<Value> {
    let values = &referee.game.program.values;
    let fluent = referee.rules.contents_fluent()?;
    let mut sites = referee.view.board.as_ref()?.sites().map(|(_, site)| site.value);
    let site = sites.find(|site| values.show(*site) == name)?;
    facts.get(fluent, &[site])
}

/// The texts for what was typed, the likeliest first: the text itself, and then without what it says beside the move.
pub fn readings<'a>(
    referee: &'a Referee<'_>,
    facts: &'a Facts,
    text: &'a str,
) -> impl Iterator<Item = Plainer> + 'a {
    let text = text.trim();
    let takes = says_capture(text);
    iter::once(Plainer::of(text))
        .chain(iter::once_with(move || plainer(referee, facts, text)).flatten())
        .map(move |plain| Plainer { takes, ..plain })
}

/// Other texts for what was typed, the likeliest first.
fn plainer(referee: &Referee<'_>, facts: &Facts, text: &str) -> Vec<Plainer> {
    let mut all: Vec<Plainer> = taken(text).map(Plainer::of).into_iter().collect();
    all.extend(in_capitals(referee, text).map(Plainer::of));
    all.extend(letter_apart(referee, text).map(Plainer::of));
    all.extend(in_brackets(referee, facts, text).map(Plainer::of));
    all.extend(taken_between(referee, text).map(Plainer::of));
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
    named(referee, &plain, says_capture(text), &mut all);
    all.extend(from_column(referee, &plain));
    all.extend(without_initial(referee, facts, &plain).map(Plainer::of));
    all.extend(with_initial(referee, &plain).map(Plainer::of));
    all.extend(going_on(referee, facts, &plain).map(Plainer::of));
    all.extend(ends_of_line(referee, &plain).map(Plainer::of));
    all.extend(with_cross(referee, &plain).map(Plainer::of));
    all
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

/// A text with the sign of a capture before its site, where the letter of a piece and a column or row stand before that:
/// `Nbxd2` for `Nbd2`, since the names of moves have the sign wherever something stands on the site.
fn with_cross(referee: &Referee<'_>, text: &str) -> Option<String> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let from = letters.next().filter(char::is_ascii_alphanumeric)?;
    let site = letters.as_str();
    let whole = is_letter(referee, letter.to_ascii_lowercase());
    (whole && site_named(referee, site).is_some()).then(|| format!("{letter}{from}x{site}"))
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
    let letter = letters.next().filter(char::is_ascii_lowercase)?;
    let rest = letters.as_str();
    if let Some(site) = rest.strip_prefix('x') {
        let whole = site_named(referee, site).is_some();
        return whole.then(|| Plainer::with(format!("x{site}"), Some(Kind::Column(letter))));
    }
    // where another notation has letters for pieces it may be one of those
    let lettered = !referee.rules.styles().is_empty() && is_letter(referee, letter);
    let whole = !lettered && site_named(referee, rest).is_some();
    whole.then(|| Plainer::with(rest, Some(Kind::Column(letter))))
}

/// Whether a kind of piece has this letter, or a name that begins with it.
fn is_letter(referee: &Referee<'_>, letter: char) -> bool {
    // a rule error in letters is none of what was typed
    let pieces = referee.rules.pieces().unwrap_or_default();
    let kinds = kinds(referee);
    let shown = |piece: &Value| {
        let found = pieces.iter().find(|(other, _)| other == piece);
        found.and_then(|(_, shown)| shown.as_ref()).map(|shown| shown.to_lowercase())
    };
    let letter = letter.to_string();
    kinds.iter().any(|(_, name)| {
        let mut alike = kinds.iter().filter(|(_, other)| other == name);
        // letters that differ from player to player are colours
        name.starts_with(&letter) || alike.all(|(piece, _)| shown(piece).as_ref() == Some(&letter))
    })
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

/// Whether a text begins with the name of a player who is not to move.
pub fn names_another(referee: &Referee<'_>, facts: &Facts, text: &str) -> bool {
    let Some((first, _)) = text.trim().split_once(char::is_whitespace) else { return false };
    let players = &referee.game.program.players;
    let mut others = players.iter().filter(|player| facts.turn() != Some(**player));
    others.any(|player| is_called(&referee.name(*player), first))
}

/// A text with the sign of a capture for the word that it begins with: `xd3` for `take d3`.
fn taken(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let takes = first.len() > 1 && TAKES.contains(&first.to_lowercase().as_str());
    (takes && !rest.contains(char::is_whitespace)).then(|| format!("x{rest}"))
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

/// A text without the name of the player to move before or behind it: `white e4`, `goat b2`, `b2 x`.
pub(super) fn without_mover(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let mover = referee.name(facts.turn()?);
    if is_called(&mover, first) {
        return Some(rest.trim().to_string());
    }
    let (rest, last) = text.rsplit_once(char::is_whitespace)?;
    is_called(&mover, last).then(|| rest.trim().to_string())
}

/// Whether a word is a player's name, or one of several that his name tells: `goat` for `goats`.
pub(super) fn is_called(player: &str, word: &str) -> bool {
    let (player, word) = (player.to_lowercase(), word.to_lowercase());
    player == word || player.strip_suffix('s') == Some(&word)
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

/// A text without the number of the move, without remarks, and without the words that say nothing beside sites.
pub fn without_remarks(referee: &Referee<'_>, text: &str) -> String {
    let mut rest = text.trim();
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let dots = number.trim_start_matches('.');
    let numbered = number.len() < rest.len() && dots.len() < number.len();
    let dice = number.strip_prefix(':').filter(|behind| behind.starts_with(' '));
    if let Some(behind) = dice.filter(|_| number.len() < rest.len()).or(numbered.then_some(dots))
        && !behind.trim().is_empty()
    {
        rest = behind.trim();
    }
    rest = rest.trim_end_matches(['!', '?', ' ']);
    for remark in REMARKS {
        let before = rest.strip_suffix(remark);
        let apart = |c: char| c.is_ascii_digit() || c == ' ';
        if let Some(before) = before.filter(|before| before.ends_with(apart)) {
            rest = before.trim_end();
            break;
        }
    }
    let mut rest = without_words(referee, rest);
    // the piece that a piece becomes, in brackets
    if let Some((site, piece)) = rest.strip_suffix(')').and_then(|rest| rest.split_once('('))
        && site.ends_with(|c: char| c.is_ascii_digit())
        && piece.chars().count() == 1
        && piece.chars().all(char::is_alphabetic)
    {
        rest = format!("{site}{piece}");
    }
    rest
}

/// A text without the words that say nothing beside sites, and without the kind of the piece that is captured.
fn without_words(referee: &Referee<'_>, text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let takes = |i: usize| TAKES.contains(&words[i].as_str()) && (i > 0 || words[i] != "x");
    // at the end it is a name, and no article
    let named = |i: usize| words[i] == "a" && i + 1 == words.len();
    let says_nothing = |i: usize| takes(i) || WORDS.contains(&words[i].as_str()) && !named(i);
    if words.len() < 2 || !(0..words.len()).any(says_nothing) {
        return text.to_string();
    }
    let names = value_names(referee);
    let forms = referee.rules.move_forms();
    let kinds: Vec<String> = kinds(referee).into_iter().map(|(_, name)| name).collect();
    let known = |word: &String| {
        names.contains_key(word)
            || kinds.contains(word)
            || forms.iter().any(|(name, _, _)| name == word)
    };
    let mut kept = Vec::new();
    let mut taking = false;
    for (i, word) in text.split_whitespace().enumerate() {
        if says_nothing(i) && !known(&words[i]) {
            taking |= takes(i);
            continue;
        }
        // `rook takes pawn on e5`
        let taken = std::mem::take(&mut taking) && kinds.contains(&words[i]);
        if !taken || i + 1 == words.len() {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// Whether a word is what a piece is called, without whose it is.
pub(super) fn is_kind(referee: &Referee<'_>, word: &str) -> bool {
    kinds(referee).iter().any(|(_, name)| name == word)
}

/// What can stand on a site and has a kind. Where pieces are their players', what is no player's is none that moves: an
/// arrow.
pub(super) fn kinds(referee: &Referee<'_>) -> Vec<(Value, String)> {
    // a rule error in letters is none of what was typed
    let mut pieces = referee.rules.pieces().unwrap_or_default();
    let players = &referee.game.program.players;
    let has_owner = |piece: Value| players.iter().any(|player| owned(referee, piece, *player));
    if pieces.iter().any(|(piece, _)| has_owner(*piece)) {
        pieces.retain(|(piece, _)| has_owner(*piece));
    }
    pieces.iter().filter_map(|(piece, _)| Some((*piece, kind(referee, *piece)?))).collect()
}

/// Kinds of pieces, of which a text names some by the letter or the name with which it ends.
pub(super) struct KindsAtEnd {
    all: Vec<String>,
    pub meant: Vec<String>,
}

impl KindsAtEnd {
    /// Whether a value is one of those kinds, or no kind at all.
    pub fn fit(&self, value: &String) -> bool {
        self.meant.contains(value) || !self.all.contains(value)
    }

    /// The kinds that moves name last.
    pub fn at_end<'n>(&self, moves: impl Iterator<Item = &'n Term>) -> Vec<String> {
        let last = |term: &Term| term.functor().and_then(|(_, args)| args.last()).map(print_term);
        let mut named: Vec<String> =
            moves.filter_map(last).filter(|last| self.all.contains(last)).collect();
        named.sort();
        named.dedup();
        named
    }
}

/// The kinds of pieces whose letter or name stands at the end of a text, behind what is no letter; `None` where it is
/// no piece's.
pub(super) fn kinds_at_end(referee: &Referee<'_>, text: &str) -> Option<KindsAtEnd> {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = text.trim_end_matches(char::is_alphabetic);
    let word = text[before.len()..].to_lowercase();
    if before.is_empty() || word.is_empty() {
        return None;
    }
    // a rule error in letters is none of what was typed
    let pieces = referee.rules.pieces().unwrap_or_default();
    let kinds = kinds(referee);
    let is_it = |(piece, name): &&(Value, String)| {
        let own = pieces.iter().find(|(other, _)| other == piece);
        let letter = own.and_then(|(_, own)| own.as_ref()).map(|own| own.to_lowercase());
        *name == word || letter.as_ref() == Some(&word)
    };
    let mut meant: Vec<String> = kinds.iter().filter(is_it).map(|(_, name)| name.clone()).collect();
    meant.dedup();
    let all = kinds.into_iter().map(|(_, name)| name).collect();
    (!meant.is_empty()).then_some(KindsAtEnd { all, meant })
}

/// Adds what a text means that names the kind of a piece before sites: `rook f3`, `Rb3`, `P*c3`.
fn named(referee: &Referee<'_>, text: &str, takes: bool, all: &mut Vec<Plainer>) {
    // a rule error in letters is none of what was typed
    let pieces = referee.rules.pieces().unwrap_or_default();
    let kinds = kinds(referee);
    let with = |is: &dyn Fn(&str) -> bool| -> Vec<Value> {
        kinds.iter().filter(|(_, name)| is(name)).map(|(piece, _)| *piece).collect()
    };
    let is_sign = |c: char| matches!(c, '-' | ':' | ' ' | '–' | '→') || c == 'x';
    let begins = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, behind) = text.split_at(begins);
    let lower = word.to_lowercase();
    let called = with(&|name| name == lower);
    let letter_of = |piece: Value| {
        let (_, letter) = pieces.iter().find(|(other, _)| *other == piece)?;
        letter.as_ref().map(|letter| letter.to_uppercase())
    };
    if lower.chars().count() > 1 && !called.is_empty() {
        let letter = letter_of(called[0]);
        let rest = behind.trim_start_matches(is_sign).to_string();
        if rest.is_empty() {
            return;
        }
        if let Some(letter) = letter.filter(|_| !referee.rules.styles().is_empty()) {
            let kind = Some(Kind::Pieces(called.clone()));
            let rest = crossed(rest.clone(), takes);
            all.push(Plainer::with(format!("{letter}{rest}"), kind));
        }
        // another sign tells that no piece on the board moves: `rook@f3`
        if rest.starts_with(char::is_alphanumeric) {
            all.push(Plainer::with(crossed(rest, takes), Some(Kind::Pieces(called))));
        }
        return;
    }
    let mut chars = text.chars();
    let Some(first) = chars.next().filter(|c| c.is_ascii_alphabetic()) else { return };
    let rest = chars.as_str();
    let board = referee.view.board.iter();
    let sites = board.flat_map(|board| board.sites());
    let sites_begin: Vec<char> = sites.filter_map(|(_, site)| site.name.chars().next()).collect();
    let dropped = rest.starts_with(['*', '@']);
    if first.is_lowercase() && !dropped && (sites_begin.contains(&first) || is_site(text)) {
        return;
    }
    // a word that begins with the letter of a piece is none
    let file = |c: char| c == 'x' || sites_begin.contains(&c.to_ascii_lowercase());
    let more = &lower[first.len_utf8()..];
    if !more.is_empty() && (behind.starts_with(' ') || !more.chars().all(file)) {
        return;
    }
    let upper = first.to_string().to_uppercase();
    let mut meant: Vec<Value> = kinds
        .iter()
        .filter(|(piece, _)| letter_of(*piece).as_ref() == Some(&upper))
        .map(|(piece, _)| *piece)
        .collect();
    if meant.is_empty() {
        let begin = |name: &str| name.starts_with(first.to_ascii_lowercase());
        meant = with(&begin);
        let names: Vec<String> = meant.iter().filter_map(|piece| kind(referee, *piece)).collect();
        if names.windows(2).any(|two| two[0] != two[1]) {
            return;
        }
    }
    let Some(name) = meant.first().and_then(|piece| kind(referee, *piece)) else { return };
    if dropped {
        all.push(Plainer::of(format!("{name}{rest}")));
        return;
    }
    let rest = rest.trim_start_matches(is_sign);
    if rest.contains(|c: char| c.is_ascii_digit()) {
        all.push(Plainer::with(crossed(rest.to_string(), takes), Some(Kind::Pieces(meant))));
    }
}

/// The site on which a piece captures, with the sign of that: without it another notation may have a step there.
fn crossed(rest: String, takes: bool) -> String {
    let alone = rest.chars().all(char::is_alphanumeric) && !rest.starts_with('x');
    if takes && alone { format!("x{rest}") } else { rest }
}

/// What a piece is, without whose it is: `rook` for `piece(white, rook)`, `man` for `man(black)`.
fn kind(referee: &Referee<'_>, piece: Value) -> Option<String> {
    let program = &referee.game.program;
    let is_player = |value: Value| program.player_index(value).is_some();
    let Some((name, args)) = program.values.functor(piece).filter(|(_, args)| !args.is_empty())
    else {
        return (!is_player(piece)).then(|| program.values.show(piece));
    };
    let others: Vec<Value> = args.iter().copied().filter(|arg| !is_player(*arg)).collect();
    match others.as_slice() {
        [] => Some(name.to_string()),
        [one] => Some(program.values.show(*one)),
        _ => None,
    }
}
