//! Moves as people type them, in one of the game's notations or as terms.

use crate::diagnostic::{Diagnostic, distance};
use crate::record::parse_move;
use crate::reference::{Alias, Facts, distinct};
use crate::syntax::{Term, print_term};

use crate::referee::Stop;
use crate::referee::captures::{of_kinds, says_capture, takes_nothing};
use crate::referee::chains::Chains;
use crate::referee::meant::{by_style, greatest, is_chance, site_named, sites_in, written};
use crate::referee::pieces::names_target;
use crate::referee::plainer::{Kind, Plainer, kinds_at_end, readings};
use crate::referee::shorthand::{
    Likeness, divides_otherwise, has_drop, likeness, likeness_of_term,
};
use crate::referee::wording::named_by_words;
use crate::referee::{Choices, Position, Referee};

/// How many legal moves are suggested in place of a wrong one.
const TOLD: usize = 5;
/// How many moves that a text can mean are told.
const TOLD_MEANINGS: usize = 8;

/// Of more moves than this no other notations are compared with what was typed.
pub const FEW: usize = 200;

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

/// How far a text may be from a move's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// A notation of the game, an alias or the term; capitals and blanks do not matter.
    Exact,
    /// Also with other separators, and with its steps in another order.
    Whole,
    /// Also a part of it, where only one move has that.
    Any,
}

/// Why a typed move is not played.
#[derive(Debug, Clone, PartialEq)]
pub enum Miss {
    /// No legal move has this name; the closest ones.
    Unknown(Vec<String>),
    /// Several legal moves have this name.
    Ambiguous(Vec<Named>),
    /// The text is the first site of these moves, or one on their way.
    Unfinished(Vec<Named>),
    /// The text says that this move captures, and it does not.
    NoCapture(Named),
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
            Miss::Ambiguous(_) => {
                let meanings = self.meanings();
                let numbered = |text: &str| text.contains(|c: char| c.is_ascii_digit());
                // a text without a site leaves many moves open, of which none is nearer than another
                let nowhere = meanings.len() > TOLD_MEANINGS
                    && !numbered(typed)
                    && meanings.iter().all(|name| numbered(name));
                let open = if nowhere { "name the site too: " } else { "" };
                Diagnostic::error("ambiguous-notation", format!("`{typed}` can mean several moves"))
                    .hint(format!("{open}write one of {}", listed(&meanings)))
            }
            Miss::NoCapture(one) => {
                let text = format!("`{typed}` is no legal move: {} captures nothing", one.notation);
                Diagnostic::error("illegal-move", text)
                    .hint(format!("if {} is meant, write that", one.notation))
            }
            Miss::Unfinished(_) => {
                let d = Diagnostic::error("illegal-move", format!("`{typed}` is no legal move"));
                match self.meanings().as_slice() {
                    [one] => d.hint(format!("if {one} is meant, write that")),
                    more => d.hint(format!("write one of {}", listed(more))),
                }
            }
        }
    }

    /// The moves that can be meant, each by a name that no other of them has.
    pub fn meanings(&self) -> Vec<&str> {
        let moves = match self {
            Miss::Ambiguous(moves) | Miss::Unfinished(moves) => moves.as_slice(),
            Miss::NoCapture(one) => std::slice::from_ref(one),
            Miss::Unknown(_) => &[],
        };
        let alone = |name: &str| moves.iter().filter(|n| n.notation == name).count() == 1;
        let names = moves.iter().map(|n| if alone(&n.notation) { &n.notation } else { &n.text });
        names.map(String::as_str).collect()
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

/// The choice that a text means, however it is written.
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn find<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
) -> Result<Result<&'n Named, Miss>, Stop> {
    read(referee, position, named, typed, Reading::Any)
}

/// The choice that a text means as it is written, or else without what it says beside the move: see [`readings`].
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn read<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
    reading: Reading,
) -> Result<Result<&'n Named, Miss>, Stop> {
    let facts = referee.facts(position);
    let mut unknown = None;
    // `rook takes rook`
    if reading == Reading::Any
        && let Some(of_kinds) = of_kinds(referee, &facts, named, typed)
        && let Some(answer) = one(of_kinds.into_iter())
    {
        return Ok(answer);
    }
    for plain in readings(referee, &facts, typed) {
        let to_target = names_target(referee, typed, &plain);
        let Plainer { text, kind, takes } = plain;
        let of_piece = kind.as_ref().is_some_and(|kind| kind.pieces(referee).is_some());
        // less than a whole move may name a piece in every other way
        if matches!(kind, Some(Kind::Column(_)))
            && text.starts_with('x')
            && !referee.rules.styles().is_empty()
            || unknown.is_some() && reading == Reading::Exact
            || kind.is_some() && reading != Reading::Any
        {
            continue;
        }
        let found = match &kind {
            None => read_as_written(referee, position, named, &text, reading)?,
            Some(kind) => {
                let begun = named.iter().filter(|n| kind.fits(referee, &facts, &n.term));
                let begun: Vec<Named> = begun.cloned().collect();
                let found = read_as_written(referee, position, &begun, &text, reading)?;
                let own = |one: &Named| named.iter().find(|n| n.term == one.term);
                found.and_then(|one| own(one).ok_or_else(|| Miss::Unknown(Vec::new())))
            }
        };
        match found {
            Err(miss @ Miss::Unknown(_)) => drop(unknown.get_or_insert(miss)),
            // the site behind the name of a piece that captures is where it goes
            Err(Miss::Unfinished(begun))
                if (takes || to_target)
                    && of_piece
                    && begun.iter().all(|n| begins_on(referee, n, &text)) =>
            {
                unknown.get_or_insert(Miss::Unknown(Vec::new()));
            }
            // nothing is captured by a drop
            Ok(one) if takes && has_drop(&one.notation) && !has_drop(typed) => {
                unknown.get_or_insert(Miss::Unknown(Vec::new()));
            }
            Ok(one) if says_capture(typed) && takes_nothing(referee, &facts, one)? => {
                let whole = read_as_written(referee, position, named, typed, Reading::Exact)?;
                return Ok(match whole {
                    Ok(_) => Ok(one),
                    Err(_) => Err(Miss::NoCapture(one.clone())),
                });
            }
            found => return Ok(found),
        }
    }
    Ok(Err(unknown.unwrap_or_else(|| Miss::Unknown(Vec::new()))))
}

/// Whether a move begins on the last site that a text names.
fn begins_on(referee: &Referee<'_>, one: &Named, text: &str) -> bool {
    let last = sites_in(referee, text).last().map(|site| referee.game.program.values.show(*site));
    let begins = one.term.functor().and_then(|(_, args)| args.first().map(print_term));
    begins.is_some() && begins == last
}

/// The choice that a text means: its own notation or term; an alias or a notation that has another name; its
/// notation but for blanks, capitals and small letters; its steps as chains; and then in the ways of [`likeness`].
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn read_as_written<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
    reading: Reading,
) -> Result<Result<&'n Named, Miss>, Stop> {
    let typed = typed.trim();
    if let Some(answer) = one(named.iter().filter(|n| n.notation == typed)) {
        return Ok(answer);
    }
    let term = parse_move(typed);
    if let Some(term) = &term
        && let Some(found) = named.iter().find(|n| n.term == *term)
    {
        return Ok(Ok(found));
    }
    let moves: Vec<Term> = named.iter().map(|n| n.term.clone()).collect();
    let facts = referee.facts(position);
    let aliases = referee.rules.aliases(&facts, &moves).map_err(|error| referee.stopped(error))?;
    let mut other: Vec<bool> = aliases
        .iter()
        .map(|forms| forms.iter().any(|a| a.text == typed || a.term.is_some() && a.term == term))
        .collect();
    for style in referee.rules.styles() {
        let fitting = fitting(referee, position, named, &style, typed)?;
        other.iter_mut().zip(fitting).for_each(|(other, fits)| *other |= fits);
    }
    let found = named.iter().zip(&other).filter(|(_, other)| **other).map(|(n, _)| n);
    if let Some(answer) = one(found) {
        return alike(referee, position, answer, named);
    }
    let plain = loose(typed);
    let same = |(n, forms): &(&Named, &Vec<Alias>)| {
        loose(&n.notation) == plain || forms.iter().any(|alias| loose(&alias.text) == plain)
    };
    let found = named.iter().zip(&aliases).filter(same).map(|(n, _)| n);
    if let Some(answer) = one(found) {
        return Ok(answer);
    }
    let unknown = || Ok(Err(Miss::Unknown(closest(referee, position, named, None, typed)?)));
    if reading == Reading::Exact {
        return unknown();
    }
    // steps that one piece makes with one link, and such as leave out places
    let chains = Chains::of(referee, typed);
    let (whole, part) = chains.as_ref().map(|chains| chains.named(named)).unwrap_or_default();
    if let Some(answer) = one(whole.into_iter()) {
        return alike(referee, position, answer, named);
    }
    let begun = || {
        let several = |_| Miss::Unfinished(part.iter().copied().cloned().collect());
        one(part.iter().copied())
            .filter(|_| reading == Reading::Any)
            .map(|one| one.map_err(several))
    };
    // what is no list of single steps has no other meaning
    if chains.as_ref().is_some_and(|chains| chains.is_short) {
        return begun().map_or_else(unknown, Ok);
    }
    // the exact name of a move that is not legal names a legal one only by the same sites, and not where a sign
    // tells one form of move from another
    let exact = written(referee, &facts, typed)?;
    // a form of move that has no legal one now was not meant where the text is the end of another
    let due = exact.iter().any(|term| named.iter().any(|n| n.term.form() == term.form()));
    let exact = !exact.is_empty();
    if exact && has_sign(typed) {
        return unknown();
    }
    let ways = ways(referee, position, named, &aliases, typed)?;
    let in_way =
        |way| named.iter().zip(&ways).filter(move |(_, w)| **w == Some(way)).map(|(n, _)| n);
    let found = one(in_way(Likeness::Same)).or_else(|| one(in_way(Likeness::Reordered)));
    // digits that two moves could have are not read as those of the one that is legal
    let unclear = |found: &Result<&Named, Miss>| {
        let unclear = |n: &&Named| divides_otherwise(typed, &n.notation, || greatest(referee));
        found.as_ref().ok().copied().filter(unclear).cloned()
    };
    let ends = || in_way(Likeness::Part).next().is_some();
    let begins = || !is_chance(referee, named) && in_way(Likeness::Hint).next().is_some();
    if found.is_some() || exact && (due || !ends() && !begins()) || reading == Reading::Whole {
        return match found.as_ref().and_then(unclear) {
            Some(one) => Ok(Err(Miss::Unfinished(vec![one]))),
            None => found.map_or_else(unknown, |found| alike(referee, position, found, named)),
        };
    }
    if let Some(answer) = one(in_way(Likeness::Part)) {
        if names_barred(referee, &facts, named, typed)? {
            return unknown();
        }
        return match unclear(&answer) {
            Some(one) => Ok(Err(Miss::Unfinished(vec![one]))),
            None => alike(referee, position, answer, named),
        };
    }
    if let Some(answer) = begun() {
        return Ok(answer);
    }
    let is_site = |word: &str| site_named(referee, word).is_some();
    if let Some(answer) = one(named_by_words(named, &aliases, typed, is_site).into_iter()) {
        return alike(referee, position, answer, named);
    }
    let begun: Vec<Named> = in_way(Likeness::Hint).cloned().collect();
    if begun.is_empty() { unknown() } else { Ok(Err(Miss::Unfinished(begun))) }
}

/// Whether a text that is one site is in another notation the whole name of a move that something in this position
/// forbids: a pawn's, which is no other piece's.
fn names_barred(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    typed: &str,
) -> Result<bool, Stop> {
    if site_named(referee, typed).is_none() {
        return Ok(false);
    }
    for mv in by_style(referee, facts, typed)? {
        let told = referee.rules.why_move(facts, &mv).map_err(|error| referee.stopped(error))?;
        if named.iter().all(|n| n.term != mv) && !told.is_impossible() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Names in a row, the first few of many.
fn listed(names: &[&str]) -> String {
    match names.len().saturating_sub(TOLD_MEANINGS) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..TOLD_MEANINGS].join(", ")),
    }
}

/// For each choice, the closest way in which a text names it.
fn ways(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    aliases: &[Vec<Alias>],
    typed: &str,
) -> Result<Vec<Option<Likeness>>, Stop> {
    let mut ways = Vec::with_capacity(named.len());
    let width = referee.rules.contents_width();
    let styles = referee.rules.styles();
    // a sign at the end tells forms of move apart, unless it is a remark or what follows from the move
    let last = typed.trim_end().chars().next_back();
    let follows = |sign: char| {
        let ends = |suffix: &String| suffix.ends_with(sign);
        styles.iter().flat_map(|style| referee.rules.suffixes(style)).any(|suffix| ends(&suffix))
    };
    let last = last.filter(|c| !c.is_alphanumeric() && !"!?.,;:*".contains(*c) && !follows(*c));
    let ends_alike = |text: &str| last.is_none_or(|sign| text.ends_with(sign));
    for (n, aliases) in named.iter().zip(aliases) {
        let texts = aliases.iter().map(|alias| &alias.text).chain([&n.notation]);
        // `wall e5` for `wall(e5, h)` and `wall(e5, v)`
        let form = n.text.split_once('(').map(|(form, _)| form);
        let of_form = form.is_some_and(|form| typed.split_whitespace().next() == Some(form));
        let term = likeness(typed, &n.text, width)
            .filter(|way| *way == Likeness::Same || of_form && *way == Likeness::Part);
        let term = term
            .or_else(|| likeness_of_term(typed, &n.text))
            .filter(|_| typed.contains('(') || ends_alike(&n.notation));
        let texts = texts.filter(|text| ends_alike(text));
        ways.push(texts.filter_map(|text| likeness(typed, text, width)).chain(term).min());
    }
    // of a move and the one with the sign as well, that one is named
    let same = |way: &Option<Likeness>| *way == Some(Likeness::Same);
    let named_so = |(way, n): (&Option<Likeness>, &Named)| same(way) && ends_alike(&n.notation);
    if last.is_some() && ways.iter().zip(named).any(named_so) {
        let others = ways.iter_mut().zip(named).filter(|(_, n)| !ends_alike(&n.notation));
        others.for_each(|(way, _)| *way = way.filter(|way| *way != Likeness::Same));
    }
    // what begins as a site does is one: `bc4` may be a capture from the column b, and `Bc4` the move of a bishop
    let first = typed.chars().next();
    let begins = |text: &str| text.chars().next() == first;
    let board = referee.view.board.as_ref();
    let is_site = board.is_some_and(|board| board.sites().any(|(_, site)| begins(&site.name)));
    let capital = first.is_some_and(char::is_uppercase);
    // a step to a site is no capture on it
    let crossed = typed.starts_with('x');
    for style in &styles {
        let styled = styled(referee, position, named, style)?;
        let same = is_site || capital && styled.iter().flatten().any(|text| begins(text));
        for (way, texts) in ways.iter_mut().zip(styled) {
            let meant = texts.iter().filter(|text| {
                (!same || begins(text)) && ends_alike(text) && (!crossed || text.contains('x'))
            });
            let best = meant.filter_map(|text| likeness(typed, text, width)).min();
            *way = way.iter().copied().chain(best).min();
        }
    }
    // the letter of a piece at the end is no beginning of another one's name
    if let Some(kinds) = kinds_at_end(referee, typed) {
        for (way, n) in ways.iter_mut().zip(named) {
            let last = n.term.functor().and_then(|(_, args)| args.last()).map(print_term);
            *way = way.filter(|_| last.is_none_or(|last| kinds.fit(&last)));
        }
    }
    Ok(ways)
}

/// The choice with this name in one notation; `None` where there is none.
///
/// # Errors
/// A rule error. Within: there are several.
pub fn find_in<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    style: &str,
    typed: &str,
) -> Result<Option<Result<&'n Named, Miss>>, Stop> {
    let fitting = fitting(referee, position, named, style, typed.trim())?;
    Ok(one(named.iter().zip(fitting).filter(|(_, fits)| *fits).map(|(n, _)| n)))
}

/// For each choice, whether a text names it in one notation.
fn fitting(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    style: &str,
    typed: &str,
) -> Result<Vec<bool>, Stop> {
    // a suffix follows from the move, so it may be missing
    let suffixes = referee.rules.suffixes(style);
    let bare = suffixes.iter().find_map(|suffix| typed.strip_suffix(suffix.as_str()));
    let texts = styled(referee, position, named, style)?;
    let fits = |text: &String| text == typed || Some(text.as_str()) == bare;
    Ok(texts.iter().map(|own| own.iter().any(fits)).collect())
}

/// The first of several moves that all lead to the same position; otherwise the answer as it is.
fn alike<'n>(
    referee: &Referee<'_>,
    position: &Position,
    answer: Result<&'n Named, Miss>,
    named: &'n [Named],
) -> Result<Result<&'n Named, Miss>, Stop> {
    let Err(Miss::Ambiguous(several)) = &answer else { return Ok(answer) };
    let facts = referee.facts(position);
    let mut ends = Vec::new();
    for one in several.iter().take(TOLD_MEANINGS) {
        let next = referee.rules.play(&facts, &one.term);
        ends.push(next.map_err(|error| referee.stopped(error))?);
    }
    let same =
        several.len() <= TOLD_MEANINGS && ends.iter().all(|end| end.is_some() && *end == ends[0]);
    let first = named.iter().find(|n| same && n.term == several[0].term);
    Ok(first.map_or(answer, Ok))
}

/// Whether a text has a sign by which forms of moves are told apart: `xa1` is another move than `a1`.
pub fn has_sign(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let takes = |(i, c): (usize, &char)| {
        let beside = |at: Option<usize>| at.and_then(|at| letters.get(at));
        *c == 'x'
            && beside(i.checked_sub(1)).is_none_or(|c| !c.is_alphabetic())
            && beside(Some(i + 1)).is_some_and(|c| c.is_alphanumeric())
    };
    letters.iter().enumerate().any(takes)
        || letters.iter().any(|c| !(c.is_alphanumeric() || c.is_whitespace() || *c == '-'))
}

/// The only choice of some; `None` where there is none.
fn one<'n>(found: impl Iterator<Item = &'n Named>) -> Option<Result<&'n Named, Miss>> {
    let found: Vec<&Named> = found.collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(Ok(*one)),
        more => Some(Err(Miss::Ambiguous(more.iter().map(|n| (*n).clone()).collect()))),
    }
}

/// A notation in a normal form that ignores insignificant differences.
pub fn loose(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The names of the legal moves most similar to what was typed, in a notation or, without one, the game's own.
///
/// # Errors
/// A rule error.
pub fn closest(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    style: Option<&str>,
    typed: &str,
) -> Result<Vec<String>, Stop> {
    let mut all = match style {
        None => near(referee, position, named, typed)?,
        Some(style) => {
            let texts = styled(referee, position, named, style)?;
            let texts = distinct(&texts).into_iter().flatten();
            // a pass that is written as an empty text cannot be shown
            let seen = texts.filter(|text| !text.is_empty());
            seen.map(|text| (distance(typed, text), text.to_string())).collect()
        }
    };
    all.sort_by_cached_key(|(distance, name)| (*distance, natural(name)));
    all.dedup();
    Ok(all.into_iter().take(TOLD).map(|(_, name)| name).collect())
}

/// How far each move's names are from what was typed, with the game's own name; of a term with the term, if that is
/// nearer.
fn near(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    typed: &str,
) -> Result<Vec<(usize, String)>, Stop> {
    let plain = loose(typed);
    let is_term = typed.contains('(');
    let own = named.iter().map(|n| {
        let notation = distance(&plain, &loose(&n.notation));
        let text = if is_term { distance(&plain, &loose(&n.text)) } else { usize::MAX };
        if text < notation { (text, n.text.clone()) } else { (notation, n.notation.clone()) }
    });
    let mut all: Vec<(usize, String)> = own.collect();
    if named.len() > FEW {
        return Ok(all);
    }
    // what names no site is in another notation, in which its likes are told
    let number = typed.contains(|c: char| c.is_ascii_digit());
    let signed = typed.starts_with(char::is_uppercase) && typed.contains(['=', '+', '.']);
    let other = (signed || sites_in(referee, typed).is_empty()) && number && !is_term;
    for style in referee.rules.styles() {
        let styled = styled(referee, position, named, &style)?;
        for ((near, name), (n, texts)) in all.iter_mut().zip(named.iter().zip(styled)) {
            let least = texts.iter().map(|text| (distance(typed, text), text)).min();
            if let Some((least, text)) = least.filter(|(least, _)| least < near) {
                let own = &n.notation;
                (*near, *name) = (
                    least,
                    if other && !text.is_empty() { format!("{text} ({own})") } else { own.clone() },
                );
            }
        }
    }
    Ok(all)
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
