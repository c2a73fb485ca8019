//! Captures told by the kinds of pieces alone: `rook takes rook`, `QxP`, `take the queen`.

use crate::explain::owner;
use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::print_term;

use super::Referee;
use super::kind_words::article;
use super::kinds::{Letters, held, is_of_kind, kinds};
use super::likeliest::Meant;
use super::naming::Named;
use super::owners::{has_owner, owned};
use super::pieces;
use super::remarks::{TAKES, is_called, without_remarks};
use super::values::{site_named, sites_in};

/// The most legal moves that are played to see what they take.
const MOST_PLAYED: usize = 60;

/// What a text says of a capture that names no site where it ends.
struct Kinds {
    /// What captures; a player's name stands for his pieces.
    one: Option<String>,
    /// The site on which that stands.
    from: Option<Value>,
    /// What is captured.
    other: Option<String>,
}

/// The kinds of pieces of a text that names nothing else but where one stands, of which that one takes the other: `rook takes
/// rook`, `rook a1 takes rook`; or only what is taken, `take the rook`, or what takes: `rook takes`.
fn kinds_alone(referee: &Referee<'_>, text: &str) -> Option<Kinds> {
    if let Some((one, other)) = by_letters(referee, text) {
        return Some(Kinds { one: Some(one), from: None, other: Some(other) });
    }
    let lower = text.to_lowercase();
    let small = ["the", "a", "my", "his", "her", "your", "on", "from", "at"];
    let mut words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', '!']))
        .filter(|word| !small.contains(word))
        .collect();
    let takes = words.iter().position(|word| TAKES.contains(word));
    let at = words.iter().position(|word| site_named(referee, word).is_some());
    let from = at.filter(|at| takes.is_some_and(|takes| *at < takes));
    let from = from.and_then(|at| site_named(referee, words.remove(at)));
    let (one, takes, other) = match *words.as_slice() {
        [one, takes, other] => (Some(one), takes, Some(other)),
        [one, takes] if TAKES.contains(&takes) => (Some(one), takes, None),
        [takes, other] if takes != "x" => (None, takes, Some(other)),
        _ => return None,
    };
    let kinds = kinds(referee);
    let known = |word: &str| {
        kinds.iter().any(|(_, name)| name == word) || player_called(referee, word).is_some()
    };
    let both = TAKES.contains(&takes) && one.is_none_or(known) && other.is_none_or(known);
    let owned = |word: Option<&str>| word.map(str::to_string);
    both.then(|| Kinds { one: owned(one), from, other: owned(other) })
}

/// The kinds that two letters of pieces with the sign of a capture between them tell: `QxP`.
fn by_letters(referee: &Referee<'_>, text: &str) -> Option<(String, String)> {
    let text = text.trim().trim_end_matches(['+', '#', '!', '?']);
    let (one, other) = text.split_once('x')?;
    let letters = Letters::new(referee);
    let kinds = kinds(referee);
    let kind = |letter: &str| {
        let capital = letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_uppercase());
        let of_letter = |name: &String| {
            let mut alike = kinds.iter().filter(|(_, other)| other == name);
            alike.all(|(piece, _)| {
                letters.of(*piece).is_some_and(|own| own.eq_ignore_ascii_case(letter))
            })
        };
        kinds.iter().map(|(_, name)| name).find(|name| capital && of_letter(name)).cloned()
    };
    Some((kind(one)?, kind(other)?))
}

/// The player who is called by a word.
pub(super) fn player_called(referee: &Referee<'_>, word: &str) -> Option<Value> {
    let mut players = referee.game.program.players.iter();
    players.find(|player| is_called(&referee.name(**player), word)).copied()
}

/// Whether a piece is of a kind, or of the player who is called so.
pub(super) fn is_of(
    referee: &Referee<'_>,
    kinds: &[(Value, String)],
    piece: Value,
    kind: &str,
) -> bool {
    is_of_kind(kinds, piece, kind)
        || player_called(referee, kind).is_some_and(|player| owned(referee, piece, player))
}

/// The number of pieces of a kind on the board, the player's or others'.
fn on_board(
    referee: &Referee<'_>,
    facts: &Facts,
    (turn, kind, own): (Value, &str, bool),
) -> Option<usize> {
    let fluent = referee.rules.contents_fluent()?;
    let kinds = kinds(referee);
    let is =
        |piece: Value| owned(referee, piece, turn) == own && is_of(referee, &kinds, piece, kind);
    Some(facts.iter(fluent).filter(|(_, piece)| is(*piece)).count())
}

/// The legal moves by which a piece of one kind takes one of another kind, where a text names nothing else; `None` where
/// it names more.
pub fn of_kinds<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let Kinds { one, from, other } = kinds_alone(referee, &without_number(referee, text))?;
    let kinds = kinds(referee);
    let turn = facts.turn()?;
    let there = other.as_ref().and_then(|kind| on_board(referee, facts, (turn, kind, false)));
    // where a piece is taken beside the way of the one that takes it
    let removes = |n: &Named, other: &str| {
        let next = referee.rules.play(facts, &n.term).ok().flatten();
        let left = next.and_then(|next| on_board(referee, &next, (turn, other, false)));
        left.zip(there).is_some_and(|(left, there)| left < there)
    };
    let few = named.len() <= MOST_PLAYED;
    let fits = |n: &&Named| {
        let sites = sites_in(referee, &print_term(&n.term));
        let show = |site: &Value| referee.game.program.values.show(*site);
        let (first, last) = (sites.first().map(show), sites.last().map(show));
        let at = |name: Option<String>| name.and_then(|name| held(referee, facts, &name));
        let begins = |kind: &String| {
            at(first.clone()).is_some_and(|piece| is_of(referee, &kinds, piece, kind))
        };
        let elsewhere = from.is_some_and(|from| sites.first() != Some(&from));
        // what is placed takes by what it does
        if let (1, None, Some(other)) = (sites.len(), &one, &other) {
            return few && from.is_none() && removes(n, other);
        }
        if sites.len() < 2 || elsewhere || !one.as_ref().is_none_or(begins) {
            return false;
        }
        match (at(last), &other) {
            (Some(taken), other) => {
                let is_other = |kind: &String| is_of(referee, &kinds, taken, kind);
                other.as_ref().is_none_or(is_other) && !owned(referee, taken, turn)
            }
            (None, Some(other)) => few && removes(n, other),
            (None, None) => false,
        }
    };
    let mut found: Vec<&Named> = named.iter().filter(fits).collect();
    // a sign at the end tells forms of move apart
    let signed = |n: &&Named| n.notation.ends_with('+');
    if text.trim_end().ends_with('+') && found.iter().any(signed) {
        found.retain(signed);
    }
    Some(found)
}

/// A text without the number of the move, unless words that say nothing are part of it.
fn without_number(referee: &Referee<'_>, text: &str) -> String {
    let numbered = text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if numbered { without_remarks(referee, text) } else { text.trim().to_string() }
}

/// What is said of a text by which a piece of one kind takes one of another kind, where no legal move does that.
pub fn none_of_kinds(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Option<Meant> {
    let none = of_kinds(referee, facts, legal, text)?.is_empty();
    let Kinds { one, from, other } = kinds_alone(referee, text).filter(|_| none)?;
    let turn = facts.turn()?;
    let player = referee.name(turn);
    // where pieces do not tell whose they are, nothing is known of what a player has
    let fluent = referee.rules.contents_fluent()?;
    let owners = facts.iter(fluent).any(|(_, piece)| has_owner(referee, piece));
    if one.is_some() && !owners {
        return None;
    }
    // whose turn it is says more than what the pieces of another player cannot take
    let others = |word: &String| player_called(referee, word).is_some_and(|named| named != turn);
    if one.as_ref().is_some_and(others) {
        return None;
    }
    let Some(other) = other else {
        let reason = match from {
            Some(from) => {
                let name = referee.game.program.values.show(from);
                held(referee, facts, &name).filter(|piece| owned(referee, *piece, turn))?;
                format!("no legal move from {name} captures anything")
            }
            None => format!("no {} of {} can take anything", one?, owner(&player)),
        };
        return pieces::told(referee, text, "", reason, Vec::new());
    };
    let there = on_board(referee, facts, (turn, &other, false))?;
    let kinds = kinds(referee);
    let taken = match player_called(referee, &other) {
        Some(named) => format!("a piece of {}", owner(&referee.name(named))),
        None => article(&other),
    };
    if let Some(from) = from {
        let name = referee.game.program.values.show(from);
        let piece = held(referee, facts, &name).filter(|piece| owned(referee, *piece, turn))?;
        let is_it = one.as_ref().is_none_or(|kind| is_of(referee, &kinds, piece, kind));
        let reason = format!("no legal move from {name} captures {taken}");
        return pieces::told(referee, text, "", reason, Vec::new()).filter(|_| is_it);
    }
    let fewer = |n: &Named| {
        let from = sites_in(referee, &n.text).first().map(|s| referee.game.program.values.show(*s));
        let piece = from.and_then(|from| held(referee, facts, &from));
        let begins = |kind: &String| piece.is_some_and(|p| is_of(referee, &kinds, p, kind));
        if !one.as_ref().is_none_or(begins) {
            return false;
        }
        let next = referee.rules.play(facts, &n.term).ok().flatten();
        let left = next.and_then(|next| on_board(referee, &next, (turn, &other, false)));
        left.is_none_or(|left| left < there)
    };
    let unknown = there == 0 && !owners && player_called(referee, &other).is_some();
    if unknown || legal.iter().any(fewer) {
        return None;
    }
    let absent = match player_called(referee, &other) {
        Some(_) => format!("no piece of {} is on the board", owner(&other)),
        None => format!("there is no {other} of the opponent's on the board"),
    };
    let Some(one) = one else {
        let reason = match there {
            0 => absent,
            _ => format!("no piece of {} can take {taken}", owner(&player)),
        };
        return pieces::told(referee, text, "", reason, Vec::new());
    };
    let taker = match player_called(referee, &one) {
        Some(_) => format!("no piece of {}", owner(&player)),
        None => format!("no {one} of {}", owner(&player)),
    };
    let reason = match (on_board(referee, facts, (turn, &one, true))?, there) {
        (0, _) => format!("{player} has no {one} on the board"),
        (_, 0) => absent,
        // one move alone is meant, which has a reason of its own
        (1, 1) if sole(referee, facts, text) => return None,
        _ => format!("{taker} can take {taken}"),
    };
    pieces::told(referee, text, "", reason, Vec::new())
}

/// Whether a text names pieces by words, of which another reading tells the sites.
fn sole(referee: &Referee<'_>, facts: &Facts, text: &str) -> bool {
    by_letters(referee, text).is_none()
        && super::plainer::readings(referee, facts, text)
            .any(|plain| !sites_in(referee, &plain.text).is_empty())
}
