//! Questions about the moves of a position in plain words: `must I capture?`, `where can I play?`, `is this my only move?`.

use crate::diagnostic::listed;
use crate::explain::Explanation;
use crate::program::Value;
use crate::reference::Facts;

use super::asked::{in_small, told};
use super::captures::taking;
use super::follows::{Follows, holds};
use super::kinds::{held, kind, kinds};
use super::leaps::LEAPS;
use super::naming::Named;
use super::plainer::with_capital;
use super::remarks::is_taking;
use super::unread::words;
use super::values::{site_named, sites_in};
use super::{Position, Referee, Stop};

/// The most moves that are listed.
const TOLD: usize = 12;

/// How people ask whether they have to do something.
const MUST: [&str; 10] = [
    "must ",
    "why must ",
    "why do i have to ",
    "why am i forced to ",
    "do i have to ",
    "have i to ",
    "do i need to ",
    "am i forced to ",
    "need i ",
    "should i ",
];

/// How people ask what can be done.
const WHAT: [&str; 3] = ["where ", "which ", "what "];

/// How people ask whether something can be done.
const CAN: [&str; 5] = ["can ", "could ", "may ", "is there ", "are there "];

/// How people ask whether a move wins at once.
const WINS: [&str; 8] = [
    "can i win",
    "can i win now",
    "can i win at once",
    "which move wins",
    "which moves win",
    "is there a winning move",
    "is there a win",
    "do i have a winning move",
];

/// The most legal moves that are played to see which of them win.
const MOST_PLAYED: usize = 120;

/// How people ask whether there is a move.
const ANY: [&str; 10] = [
    "how do i get out",
    "how can i get out",
    "how do i escape",
    "what now",
    "how many moves",
    "do i have a move",
    "do i have any move",
    "can i move at all",
    "am i stuck",
    "am i blocked",
];

/// How people ask whether there are other moves.
const ONLY: [&str; 5] =
    ["why only ", "is this my only ", "is that my only ", "is this the only ", "is that the only "];

/// Words that ask for more than whether there is a capture: `can I decline to capture?`, `must I jump as far as possible?`.
#[rustfmt::skip]
const MORE: [&str; 22] = [
    "decline", "refuse", "avoid", "skip", "without", "not", "don't", "win", "wins", "as", "far", "most", "longest",
    "all", "both", "two", "three", "many", "backward", "backwards", "best", "again",
];

/// How questions begin that are about no single move, where they name no site.
const OPEN: [&str; 9] = ["is", "are", "does", "how", "who", "what", "which", "whose", "when"];

/// Whether a text is a question that names no site and no move.
pub(super) fn is_open_question(referee: &Referee<'_>, text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let mut words = lower.split_whitespace();
    words.next().is_some_and(|word| OPEN.contains(&word))
        && words.next().is_some()
        && sites_in(referee, &lower).is_empty()
}

/// Whether a text asks whether something can be done.
pub(super) fn asks_whether(text: &str) -> bool {
    let lower = in_small(text);
    CAN.iter().any(|words| lower.starts_with(words))
}

/// A text without its articles.
pub(super) fn without_articles(text: &str) -> String {
    let words = text.split_whitespace();
    words.filter(|word| !["a", "an", "the"].contains(word)).collect::<Vec<_>>().join(" ")
}

/// What is said of a question that is not understood.
pub(super) const NOT_UNDERSTOOD: &str = "this question is not understood: ask about a move, or e.g. `where can I play?`, \
    `must I capture?`, `whose turn is it?`";

/// What can be done with a move, as people call it.
const DOES: [&str; 14] = [
    "play", "go", "move", "moves", "place", "put", "do", "drop", "sow", "throw", "enter", "jump",
    "hop", "leap",
];

/// What is asked of the moves of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asks {
    /// Whether a capture is forced.
    Must,
    /// Whether there is a capture.
    Captures,
    /// Which moves there are.
    Moves,
    /// Which moves win at once.
    Wins,
}

impl Asks {
    /// What a text in small letters asks; `None` where it asks nothing of the kind.
    fn of(text: &str) -> Option<Asks> {
        let begins = |all: &[&str]| all.iter().any(|words| text.starts_with(words));
        let all: Vec<&str> = text.split_whitespace().collect();
        let is_capture = |word: &&str| is_taking(word) || LEAPS.contains(word);
        let takes = all.iter().any(is_capture) && !all.iter().any(|word| MORE.contains(word));
        let does = all.iter().any(|word| DOES.contains(word));
        // what would be captured is not told
        let open = all.last().is_some_and(|last| is_capture(last) || *last == "anything");
        match () {
            () if WINS.contains(&text) => Some(Asks::Wins),
            () if begins(&MUST) && takes => Some(Asks::Must),
            () if begins(&CAN) && takes && open => Some(Asks::Captures),
            () if begins(&WHAT) && takes => Some(Asks::Captures),
            () if ["why can't i move", "why can i not move"].contains(&text) => Some(Asks::Moves),
            () if begins(&ONLY) || begins(&ANY) || begins(&WHAT) && does => Some(Asks::Moves),
            () => None,
        }
    }
}

/// The answer to a question about the legal moves of a position; `None` where a text asks nothing of the kind, or where it is not
/// known which moves capture.
///
/// # Errors
/// A rule error.
pub fn answered(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let lower = &in_small(text);
    let Some(asks) = Asks::of(lower) else { return Ok(None) };
    // where a site is told that a question is not about, it is about a move
    let sites = sites_in(referee, lower);
    let site = site_named(referee, lower);
    let facts = &referee.facts(position);
    let told = |short: String| told(text, short, true);
    match (asks, sites.first()) {
        _ if sites.len() > 1 => return Ok(None),
        (Asks::Wins, _) => return Ok(wins(referee, position, legal)?.map(told)),
        (Asks::Must, Some(site)) => {
            return Ok(must_with(referee, facts, legal, *site)?.map(told));
        }
        _ => {}
    }
    let said = words(lower);
    let first = |n: &Named| sites_in(referee, &n.text).first().copied();
    let name = |n: &Named| first(n).map(|site| referee.game.program.values.show(site));
    let is_said = |n: &Named| {
        let piece = name(n).and_then(|name| held(referee, facts, &name));
        piece.and_then(|piece| kind(referee, piece)).is_some_and(|kind| said.contains(&kind))
    };
    let all: Vec<&Named> = match site {
        Some(site) => legal.iter().filter(|n| first(n) == Some(site)).collect(),
        None if legal.iter().any(is_said) => legal.iter().filter(|n| is_said(n)).collect(),
        None => legal.iter().collect(),
    };
    let kinds = kinds(referee);
    let named = kinds.iter().find(|(_, kind)| said.contains(kind));
    let (all, of) = match (site, named) {
        (Some(site), _) => (all, format!(" from {}", referee.game.program.values.show(site))),
        // the kind of which no piece can move
        (None, Some((_, kind))) if !legal.iter().any(is_said) => {
            (Vec::new(), format!(" of the {kind}"))
        }
        (None, Some((_, kind))) => (all, format!(" of the {kind}")),
        (None, None) => (all, String::new()),
    };
    let short = if asks == Asks::Moves {
        match all.as_slice() {
            [] => format!("There is no legal move{of}."),
            [one] => answer(lower, format!("The only legal move{of} is {}.", one.notation)),
            several => {
                let names = names_of(several);
                answer(lower, format!("The {} legal moves{of} are {names}.", several.len()))
            }
        }
    } else {
        let Some(taking) = taking(referee, facts, &all)? else { return Ok(None) };
        // a leap need not capture
        if taking.is_empty() && !said.iter().any(|word| is_taking(word)) {
            return Ok(None);
        }
        let capture = match taking.as_slice() {
            [] => format!("no legal move{of} captures anything now"),
            [one] => format!("the only legal move{of} that captures is {}", one.notation),
            several => format!("the legal moves{of} that capture are {}", names_of(several)),
        };
        match (asks, taking.len()) {
            (Asks::Must, n) if n > 0 && n == all.len() => {
                format!("Yes: {capture}, and there are no others.")
            }
            (Asks::Must, _) => format!("No: {capture}."),
            _ if WHAT.iter().any(|words| lower.starts_with(words)) => {
                format!("{}.", with_capital(&capture))
            }
            (_, 0) => format!("No: {capture}."),
            _ => format!("Yes: {capture}."),
        }
    };
    Ok(Some(told(short)))
}

/// What is said of the legal moves, with an answer to whether there are any.
fn answer(text: &str, moves: String) -> String {
    let small = || moves.replacen("The", "the", 1);
    match () {
        () if text.starts_with("am i ") => format!("No: {}", small()),
        () if text.starts_with("do i have a") => format!("Yes: {}", small()),
        () => moves,
    }
}

/// Which legal moves win at once; `None` where there are too many to play them.
fn wins(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
) -> Result<Option<String>, Stop> {
    if legal.len() > MOST_PLAYED {
        return Ok(None);
    }
    let mut winning = Vec::new();
    for one in legal {
        if holds(referee, position, one, &Follows::Wins)? == Some(true) {
            winning.push(one);
        }
    }
    Ok(Some(match winning.as_slice() {
        [] => "No legal move wins at once.".to_string(),
        [one] => format!("{} wins at once.", one.notation),
        several => format!("{} win at once.", names_of(several)),
    }))
}

/// Whether a capture from a site is forced; `None` where no legal move from there captures.
fn must_with(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    site: Value,
) -> Result<Option<String>, Stop> {
    let begins = |n: &&Named| sites_in(referee, &n.text).first() == Some(&site);
    let (own, others): (Vec<&Named>, Vec<&Named>) = legal.iter().partition(begins);
    let Some(taking) = taking(referee, facts, &own)? else { return Ok(None) };
    let name = referee.game.program.values.show(site);
    Ok(match (taking.len() == own.len(), others.as_slice(), own.as_slice()) {
        _ if taking.is_empty() => None,
        (true, [], [one]) => Some(format!("Yes: {} is the only legal move.", one.notation)),
        (true, [], _) => {
            Some(format!("Yes: all legal moves capture from {name}: {}.", names_of(&own)))
        }
        (_, [], _) => Some(format!("No: not all legal moves from {name} capture.")),
        (_, [other, ..], _) => Some(format!("No: {} is legal, too.", other.notation)),
    })
}

/// The names of moves in words; of many the first ones, and how many more there are.
pub(super) fn names_of(moves: &[&Named]) -> String {
    let mut names: Vec<String> = moves.iter().take(TOLD).map(|n| n.notation.clone()).collect();
    if moves.len() > TOLD {
        names.push(format!("{} more", moves.len() - TOLD));
    }
    listed(&names, "and")
}
