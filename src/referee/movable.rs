//! Questions about the moves of one piece: `why can't a1 move?`, `can the tiger on d5 move?`, `move d5`.

use crate::explain::{Explanation, turn_of};
use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::asked::{in_small, told};
use super::asks::names_of;
use super::kinds::{held, is_kind, kind};
use super::meant::Illegal;
use super::naming::Named;
use super::nearest::best;
use super::owners::owned;
use super::values::{is_held, site_named, sites, sites_in};
use super::{Position, Referee, Stop};

/// The most moves from one site that are asked about.
const MOST_BEGUN: usize = 40;

/// Words around what is asked about.
const PLAIN: [&str; 16] = [
    "why", "the", "my", "a", "on", "at", "piece", "man", "stone", "counter", "of", "all", "it",
    "i", "from", "still",
];

/// Words that say that something can move or not.
const CAN: [&str; 8] = ["can", "can't", "cannot", "not", "could", "couldn't", "may", "is"];

/// Words that say so behind it.
const MOVES: [&str; 9] =
    ["move", "go", "anywhere", "stuck", "blocked", "trapped", "immobile", "moved", "be"];

/// Those of them that say that it cannot.
const STUCK: [&str; 4] = ["stuck", "blocked", "trapped", "immobile"];

/// Whether the rules draw a piece of the player's who is to move on a site, where no map says what stands there.
fn draws_own(referee: &Referee<'_>, facts: &Facts, site: Value) -> Result<bool, Stop> {
    if referee.rules.contents_fluent().is_some_and(|fluent| facts.get(fluent, &[site]).is_some()) {
        return Ok(false);
    }
    let sights = referee.rules.sights(facts, std::iter::once(site));
    let mut sights = sights.map_err(|error| referee.stopped(error))?;
    let drawn = sights.pop().flatten().map(|sight| sight.value);
    let mover = facts.turn().map(|turn| referee.name(turn));
    Ok(drawn.zip(mover).is_some_and(|(drawn, mover)| {
        let args = drawn.functor().map_or(&[][..], |(_, args)| args);
        std::iter::once(&drawn).chain(args).any(|part| print_term(part) == mover)
    }))
}

/// The answer to a question whether a piece can move; `None` where a text asks nothing of the kind, or not of a piece of the
/// player to move.
///
/// # Errors
/// A rule error.
pub fn can_move(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let lower = in_small(text);
    let words: Vec<&str> = lower.split_whitespace().collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(word));
    let asks = has(&CAN) && has(&MOVES);
    let imperative =
        words.first().is_some_and(|word| ["move", "trapped", "blocked", "stuck"].contains(word));
    let known = |word: &str| {
        [&PLAIN[..], &CAN, &MOVES].iter().any(|all| all.contains(&word))
            || is_kind(referee, word)
            || site_named(referee, word).is_some()
    };
    if !(asks || imperative) || legal.is_empty() || !words.iter().all(|word| known(word)) {
        return Ok(None);
    }
    let Some(turn) = facts.turn() else { return Ok(None) };
    let show = |site: Value| referee.game.program.values.show(site);
    let own = |site: &Value| {
        let piece = held(referee, facts, &show(*site))?;
        owned(referee, piece, turn).then_some(piece)
    };
    // an empty site may be the place of a move that puts something there
    let leads = |site: &Value| {
        let begins = |n: &Named| sites_in(referee, &n.text).first() == Some(site);
        legal.iter().any(begins)
    };
    let is_empty = |site: &Value| {
        referee.rules.contents_fluent().is_some()
            && !is_held(referee, facts, &[*site])
            && !leads(site)
    };
    let of_kind = |site: &Value| {
        let name = own(site).and_then(|piece| kind(referee, piece));
        name.is_some_and(|name| words.contains(&name.as_str()))
    };
    let named: Vec<Value> = sites_in(referee, &lower).into_iter().collect();
    let all: Vec<Value> = match named.as_slice() {
        [one] if own(one).is_some() || draws_own(referee, facts, *one)? => vec![*one],
        [one] if asks && is_empty(one) => {
            let short = format!("{} is empty: nothing stands there that could move.", show(*one));
            return Ok(Some(told(text, short, false)));
        }
        // whether an opponent's piece can move is not known: he is not to move
        [one] if asks && own(one).is_none() && is_held(referee, facts, &[*one]) && !leads(one) => {
            let Some(stands) = referee.rules.contents_in_words(facts, *one) else {
                return Ok(None);
            };
            let whose = turn_of(&referee.game.program, &referee.name(turn));
            let short = format!("No: {stands}, and it is {whose} turn.");
            return Ok(Some(told(text, short, false)));
        }
        [] if asks => sites(referee).into_iter().filter(of_kind).collect(),
        _ => return Ok(None),
    };
    let begins =
        |n: &&Named| sites_in(referee, &n.text).first().is_some_and(|first| all.contains(first));
    let moves: Vec<&Named> = legal.iter().filter(begins).collect();
    if all.is_empty() || imperative && !moves.is_empty() {
        return Ok(None);
    }
    if !moves.is_empty() {
        let denied = has(&["why", "can't", "cannot", "not", "couldn't"]);
        let yes = match denied {
            true => "It can",
            false if has(&STUCK) => "No",
            false => "Yes",
        };
        let are = if moves.len() == 1 { "the only such move is" } else { "such moves are" };
        let short = format!("{yes}: {are} {}.", names_of(&moves));
        return Ok(Some(told(text, short, true)));
    }
    for site in &all {
        let name = show(*site);
        let illegal = Illegal::new(referee, position, legal, &name, None)?;
        let mut begun: Vec<Term> = illegal.begun(&name).take(MOST_BEGUN).cloned().collect();
        // where a piece stands already, what it could go to was asked, and not what is put there
        let leads = |term: &Term| sites_in(referee, &print_term(term)).len() > 1;
        if begun.iter().any(leads) {
            begun.retain(leads);
        }
        let Some((_, told)) = best(referee, facts, &begun, None)? else { continue };
        let short = format!("{name} cannot move: {}", told.short);
        return Ok(Some(Explanation { short, ..told }));
    }
    Ok(None)
}
