//! Captures told in words: whose the pieces are that a text names, what is captured, and with what.
//!
//! A phrase is what moves, a word for a capture, what is captured, and what captures it: `white's pawn takes the black man on
//! d5`, `capture the d5 man with the rook`. Other readers know what moves in front of the word, and behind it one name.

use crate::explain::owner;
use crate::program::Value;
use crate::reference::Facts;

use super::Referee;
use super::kind_words::article;
use super::kinds::{held, is_kind, is_of_kind, kinds};
use super::leaps::{LEAPS, OVER};
use super::likeliest::Meant;
use super::naming::Named;
use super::owners::owned;
use super::pieces;
use super::remarks::{is_called, is_taking, says_nothing};
use super::takers::player_called;
use super::values::{is_named_by_moves, site_named};

/// Words between what is captured and the piece that captures it.
const WITH: [&str; 4] = ["with", "from", "using", "by"];

/// Words for the opponent before what is captured.
const THEIRS: [&str; 7] = ["your", "his", "her", "their", "enemy", "opponent", "opposing"];

/// Words for the player to move before what is captured.
const OWN: [&str; 2] = ["my", "own"];

/// Words before the site where a leap ends.
const LANDS: [&str; 3] = ["lands", "land", "landing"];

const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// The most legal moves that are played to know whether one captures a piece of the mover's.
const MOST_PLAYED: usize = 60;

/// What a text says of the capture that it tells.
struct Phrase<'t> {
    /// The words for what moves, without the possessive's ending.
    taker: Vec<&'t str>,
    verb: &'t str,
    taken: Vec<&'t str>,
}

/// What a text says of the piece that is captured.
#[derive(Default)]
struct Taken {
    owner: Option<Value>,
    kind: Option<String>,
    site: Option<Value>,
    /// It is said to be the mover's own.
    own: bool,
}

impl<'t> Phrase<'t> {
    fn of(referee: &Referee<'_>, text: &'t str) -> Option<Phrase<'t>> {
        let words: Vec<&str> = text.split_whitespace().map(|word| bare(referee, word)).collect();
        let verb = words.iter().position(|word| is_taking(word))?;
        let with = |word: &&str| WITH.contains(&word.to_lowercase().as_str());
        let behind = &words[verb + 1..];
        let site = |words: &[&str]| words.iter().any(|word| site_named(referee, word).is_some());
        let kind = |words: &[&str]| words.iter().any(|word| is_kind(referee, &word.to_lowercase()));
        let (taken, with) = match behind.iter().position(with) {
            Some(at) => (&behind[..at], &behind[at + 1..]),
            None => (behind, &[][..]),
        };
        let (taken, with) = match site(taken) && (site(with) || kind(with)) {
            true => (taken, with),
            false => (behind, &[][..]),
        };
        let taker = words[..verb].iter().chain(with).copied().collect();
        let whole = !taken.is_empty() && !text.contains('(');
        whole.then(|| Phrase { taker, verb: words[verb], taken: taken.to_vec() })
    }

    /// What is captured; `None` where a word says anything else.
    fn taken(&self, referee: &Referee<'_>) -> Option<Taken> {
        let mut taken = Taken::default();
        let mut article = false;
        for word in &self.taken {
            let lower = word.to_lowercase();
            if let Some(site) = site_named(referee, word).filter(|_| taken.site.is_none()) {
                taken.site = Some(site);
            } else if ARTICLES.contains(&lower.as_str()) {
                article = true;
            } else if OWN.contains(&lower.as_str()) {
                taken.own = true;
            // behind the site it may be what a piece becomes: `takes d8 queen`
            } else if taken.kind.is_none()
                && is_kind(referee, &lower)
                && (taken.site.is_none() || article)
            {
                taken.kind = Some(lower);
            } else if taken.owner.is_none()
                && taken.kind.is_none()
                && let Some(owner) = player_called(referee, word)
                && !is_named_by_moves(referee, owner)
            {
                taken.owner = Some(owner);
            } else if !says_nothing(&lower) && !THEIRS.contains(&lower.as_str()) {
                return None;
            }
        }
        Some(taken)
    }
}

/// A word without the ending of a possessive, where it names a player.
fn bare<'t>(referee: &Referee<'_>, word: &'t str) -> &'t str {
    let stem = ["'s", "’s", "'", "’"].iter().find_map(|end| word.strip_suffix(end));
    let named = |stem: &&str| {
        player_called(referee, stem).is_some() || THEIRS.contains(&stem.to_lowercase().as_str())
    };
    stem.filter(named).unwrap_or(word)
}

/// A text without words that say whose the piece is that is captured, with its site alone where it names that, and with what
/// captures it in front: `pawn e4 takes d5` for `take the black pawn on d5 with the e4 pawn`.
pub(super) fn plain_phrase(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let turn = facts.turn()?;
    if !text.contains(' ') {
        return None;
    }
    if let Some(turned) = turning_over(referee, text) {
        return Some(turned);
    }
    if let Some(over) = landing(referee, text).or_else(|| taking_on_the_way(referee, text)) {
        return Some(over);
    }
    if let Some(rest) = without_passed(referee, text) {
        return Some(plain_phrase(referee, facts, &rest).unwrap_or(rest));
    }
    let Some(phrase) = Phrase::of(referee, text) else {
        // `white's rook to f3`
        let (first, rest) = text.split_once(' ')?;
        let name = bare(referee, first);
        return (name != first).then(|| format!("{name} {rest}"));
    };
    let taken = phrase.taken(referee)?;
    let show = |value: Value| referee.game.program.values.show(value);
    let several = referee.game.program.players.len() > 2;
    let foreign = |owner: &Value| *owner == turn || several;
    let what: Vec<String> = match (&taken.site, &taken.kind, taken.owner) {
        (Some(site), ..) => vec![show(*site)],
        (None, Some(_), Some(owner)) if foreign(&owner) => return None,
        (None, Some(_), None) if taken.own => return None,
        (None, Some(kind), _) => vec![kind.clone()],
        (None, None, Some(owner)) => vec![show(owner)],
        (None, None, None) => return None,
    };
    let mut taker = phrase.taker.clone();
    // the player to move needs no name
    if let [first, _, ..] = taker[..]
        && is_called(&referee.name(turn), first)
        && !is_named_by_moves(referee, turn)
    {
        taker.remove(0);
    }
    taker.retain(|word| !ARTICLES.contains(&word.to_lowercase().as_str()));
    // the kind of a piece stands before its site
    let at = taker.iter().position(|word| site_named(referee, word).is_some());
    if let Some(at) = at
        && taker.get(at + 1).is_some_and(|word| is_kind(referee, &word.to_lowercase()))
    {
        taker.swap(at, at + 1);
    }
    let plain = [taker.join(" "), phrase.verb.to_string(), what.join(" ")].join(" ");
    let plain = plain.trim().to_string();
    (plain != text).then_some(plain)
}

/// A text that says where a capture lands, as a leap over what is captured: `king over d6 to d8` for `king takes d6 and lands on
/// d8`.
fn landing(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "and").collect();
    let lands = |word: &&str| LANDS.contains(&word.to_lowercase().as_str());
    let lands = words.iter().position(lands)?;
    let site = |word: &&str| site_named(referee, word).is_some();
    let end = words[lands + 1..].iter().find(|word| site(word))?;
    let begun = &words[..lands];
    let on = begun.iter().rposition(site)?;
    let before = begun[..on].iter().rposition(|word| {
        let word = word.to_lowercase();
        is_taking(&word) || OVER.contains(&word.as_str()) || LEAPS.contains(&word.as_str())
    })?;
    let taker = begun[..before].iter().filter(|word| {
        let word = word.to_lowercase();
        !ARTICLES.contains(&word.as_str()) && !LEAPS.contains(&word.as_str())
    });
    let taker: Vec<&str> = taker.copied().collect();
    Some(format!("{} over {} to {end}", taker.join(" "), begun[on]).trim().to_string())
}

/// A text that says what a move to a site captures, as a leap over that: `fox over d6 to e5` for `fox to e5 takes d6`.
fn taking_on_the_way(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let site = |word: &&str| site_named(referee, word).is_some();
    let to = words.iter().position(|word| word.eq_ignore_ascii_case("to"))?;
    let [end, rest @ ..] = &words[to + 1..] else { return None };
    let [verb, behind @ ..] = rest else { return None };
    let (taken, before) = behind.split_last()?;
    let plain = before.iter().all(|word| ARTICLES.contains(&word.to_lowercase().as_str()));
    let told = to > 0 && !words[..to].iter().any(site) && is_taking(verb) && plain;
    (told && site(end) && site(taken) && end != taken)
        .then(|| format!("{} over {taken} to {end}", words[..to].join(" ")))
}

/// A text that turns a piece over, as a capture: `capture d5` for `turn over d5`.
fn turning_over(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (turned, taken) = match &lower[..] {
        [turn, over, ..] if over == "over" && ["turn", "turns"].contains(&turn.as_str()) => {
            (2, words.last()?)
        }
        [flip, ..] if ["flip", "flips"].contains(&flip.as_str()) => (1, words.last()?),
        _ => return None,
    };
    let is_form = referee.rules.move_forms().iter().any(|(form, ..)| lower[0].starts_with(form));
    (words.len() > turned && !is_form && site_named(referee, taken).is_some())
        .then(|| format!("capture {}", words[turned..].join(" ")))
}

/// A text without the piece that it names as passed, and not by its site: `tiger leaps to e5` for `tiger leaps over the goat
/// to e5`.
fn without_passed(referee: &Referee<'_>, text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_over = |word: &&str| OVER.contains(&word.to_lowercase().as_str());
    let over = words.iter().position(is_over)?;
    let article = words.get(over + 1).is_some_and(|word| ARTICLES.contains(word));
    let piece = over + 1 + usize::from(article);
    let name = words.get(piece)?;
    let named = is_kind(referee, &name.to_lowercase()) || player_called(referee, name).is_some();
    let site = |at: usize| words.get(at).is_some_and(|word| site_named(referee, word).is_some());
    let apart = words.get(piece + 1).is_some_and(|next| ["on", "at"].contains(next));
    let elsewhere = words.iter().any(|word| site_named(referee, word).is_some());
    if !elsewhere || !named || site(piece + 1) || apart {
        return None;
    }
    words.drain(over..=piece);
    Some(words.join(" "))
}

/// What is said of a text that names what stands on the site where it captures, where something else stands there; or that
/// captures a piece of the player's own, where no legal move does that.
pub(super) fn mistaken(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Option<Meant> {
    let turn = facts.turn()?;
    let phrase = Phrase::of(referee, text)?;
    let taken = phrase.taken(referee)?;
    let Some(site) = taken.site else {
        let own = taken.own || taken.owner == Some(turn);
        let (kind, whose) = (taken.kind?, owner(&referee.name(turn)));
        let kept = own && legal.len() <= MOST_PLAYED && keep_own(referee, facts, legal);
        let reason = format!("no legal move captures {} of {whose}", article(&kind));
        return pieces::told(referee, text, "", reason, Vec::new()).filter(|_| kept);
    };
    let name = referee.game.program.values.show(site);
    let stands = held(referee, facts, &name)?;
    if phrase.taker.is_empty()
        && owned(referee, stands, turn)
        && legal.len() <= MOST_PLAYED
        && keep_own(referee, facts, legal)
    {
        let told = referee.rules.contents_in_words(facts, site)?;
        let reason = format!("{told}, and no legal move captures a piece of the player's own");
        return pieces::told(referee, text, "", reason, vec![name]);
    }
    let others = taken.owner.filter(|owner| !owned(referee, stands, *owner));
    let kinds = kinds(referee);
    let is_other = |kind: &String| {
        kinds.iter().any(|(piece, _)| *piece == stands) && !is_of_kind(&kinds, stands, kind)
    };
    let kind = taken.kind.filter(is_other);
    let told = referee.rules.contents_in_words(facts, site)?;
    let reason = match (others, kind) {
        (None, None) => return None,
        (Some(owner), _) => format!("{told}, not by {}", referee.name(owner)),
        (None, Some(kind)) => format!("{told}, not by {}", article(&kind)),
    };
    pieces::told(referee, text, "", reason, vec![name])
}

/// Whether the player to move has as many pieces on the board after each legal move as before, or more.
fn keep_own(referee: &Referee<'_>, facts: &Facts, legal: &[Named]) -> bool {
    let (Some(turn), Some(fluent)) = (facts.turn(), referee.rules.contents_fluent()) else {
        return false;
    };
    let count =
        |facts: &Facts| facts.iter(fluent).filter(|(_, p)| owned(referee, *p, turn)).count();
    let before = count(facts);
    legal.iter().all(|one| {
        let next = referee.rules.play(facts, &one.term).ok().flatten();
        next.is_some_and(|next| count(&next) >= before)
    })
}
