//! Questions and claims about what follows a move: `do I win with 2?`, `does b1 capture?`, `what does e4 do?`, `c2 wins`.

use crate::explain::{Cause, Explanation};
use crate::program::Term;

use super::asks::without_articles;
use super::captures::taking;
use super::naming::Named;
use super::reasons::{Answer, explained};
use super::remarks::is_taking;
use super::typed;
use super::{Position, Referee, Stop};

/// How people ask about themselves.
const SELF: [&[&str]; 13] = [
    &["do", "i"],
    &["will", "i"],
    &["would", "i"],
    &["could", "i"],
    &["can", "i"],
    &["shall", "i"],
    &["did", "i"],
    &["do", "we"],
    &["does", "it"],
    &["am", "i"],
    &["what", "do", "i"],
    &["what", "will", "i"],
    &["what", "would", "i"],
];

/// How people ask about a move, before it.
const OF_MOVE: [&[&str]; 10] = [
    &["does"],
    &["do"],
    &["did"],
    &["will"],
    &["would"],
    &["is"],
    &["what", "does"],
    &["what", "will"],
    &["what", "would"],
    &["doesn't"],
];

/// How people ask what happens, before the move.
const WHAT: [&[&str]; 5] = [
    &["what", "happens"],
    &["what", "if"],
    &["what", "about"],
    &["what", "follows"],
    &["and", "if"],
];

/// Words that lead to the move that is asked about.
const LEADS: [&str; 22] = [
    "with", "by", "if", "when", "on", "after", "via", "i", "we", "play", "playing", "go", "move",
    "moving", "do", "place", "put", "the", "now", "at", "then", "using",
];

/// Words for what is won or captured, which say nothing more.
const THINGS: [&str; 14] = [
    "anything",
    "something",
    "the",
    "a",
    "an",
    "game",
    "it",
    "piece",
    "man",
    "stone",
    "stones",
    "seeds",
    "pieces",
    "any",
];

/// Words behind a move that claim that it wins.
const WINNING: [&str; 7] = ["win", "wins", "winning", "won", "mate", "mates", "checkmate"];

/// Words behind a move that claim that it loses.
const LOSING: [&str; 3] = ["lose", "loses", "losing"];

/// What a question or claim says that follows a move.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Follows {
    /// The mover wins.
    Wins,
    /// The mover loses.
    Loses,
    /// Something is captured.
    Captures,
    /// What a prompt of the rules may speak of: `check`, `mill`.
    Told(String),
    /// It is asked what follows.
    Anything,
}

impl Follows {
    /// What these words in small letters behind a move say, `None` where that is no consequence of a move.
    fn of(words: &[String]) -> Option<Follows> {
        let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
        let last = words.last()?;
        Some(match () {
            () if has(&WINNING) => Follows::Wins,
            () if has(&LOSING) => Follows::Loses,
            () if words.iter().any(|word| is_taking(word)) => Follows::Captures,
            () if last == "do" => Follows::Anything,
            () => Follows::Told(last.clone()),
        })
    }
}

/// A question about a move: what it asks, and the words that may name the move.
struct Question {
    follows: Vec<(Follows, std::ops::Range<usize>)>,
}

impl Question {
    /// Reads the words of a text, also in small letters.
    fn of(lower: &[String]) -> Option<Question> {
        let begins =
            |all: &&&[&str]| lower.len() > all.len() && all.iter().zip(lower).all(|(a, b)| a == b);
        let lead = |from: usize| {
            let is_lead =
                |at: &usize| lower.get(*at).is_some_and(|word| LEADS.contains(&word.as_str()));
            (from..).find(|at| !is_lead(at)).unwrap_or(from)
        };
        if let Some(words) = WHAT.iter().find(begins) {
            let at = lead(words.len());
            return Some(Question { follows: vec![(Follows::Anything, at..lower.len())] });
        }
        if let Some(words) = SELF.iter().find(begins) {
            let verb = &lower[words.len()];
            let follows = Follows::of(std::slice::from_ref(verb))?;
            let known = WINNING.contains(&verb.as_str())
                || LOSING.contains(&verb.as_str())
                || is_taking(verb);
            if known {
                let thing =
                    |at: &usize| lower.get(*at).is_some_and(|word| THINGS.contains(&word.as_str()));
                let behind = (words.len() + 1..).find(|at| !thing(at)).unwrap_or(lower.len());
                let at = lead(behind);
                // `can I take b4 with c3` asks about a capture on b4
                let led = at > behind;
                return led.then(|| Question { follows: vec![(follows, at..lower.len())] });
            }
        }
        let words = OF_MOVE.iter().find(begins)?;
        let from = lead(words.len());
        let ends = (from + 1..lower.len()).rev();
        let follows = ends.filter_map(|end| Some((Follows::of(&lower[end..])?, from..end)));
        Some(Question { follows: follows.collect() })
    }
}

/// The answer to a question about what follows a move; `None` where a text asks nothing of the kind.
///
/// # Errors
/// A rule error.
pub fn what_follows(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let words: Vec<&str> =
        text.trim().trim_end_matches(['?', '.', '!']).split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let Some(question) = Question::of(&lower) else { return Ok(None) };
    for (follows, place) in &question.follows {
        let name = words[place.clone()].join(" ");
        // an article is no move, whatever else it is the name of
        if without_articles(&name).is_empty() {
            continue;
        }
        let Ok(found) = typed::find(referee, position, legal, &name)? else { continue };
        let found = found.clone();
        let facts = referee.facts(position);
        let told =
            referee.rules.why_move(&facts, &found.term).map_err(|error| referee.stopped(error))?;
        let yes = holds(referee, position, &found, follows)?;
        let short = match yes {
            Some(true) => format!("Yes: {}", told.short),
            Some(false) => format!("No, though {}", told.short),
            None => told.short.clone(),
        };
        return Ok(Some(Explanation { short, ..told }));
    }
    // a move that is not legal
    let Some((_, place)) =
        question.follows.iter().find(|(follows, _)| !matches!(follows, Follows::Told(_)))
    else {
        return Ok(None);
    };
    let name = words[place.clone()].join(" ");
    let facts = referee.facts(position);
    Ok(match explained(referee, position, &facts, &name) {
        Ok(Answer::Told(told)) if told.cause != Cause::Form => Some(told),
        Err(Stop::Interrupted) => return Err(Stop::Interrupted),
        _ => None,
    })
}

/// Adds to the explanation of a legal move that what a text claims of it does not follow: `c2 wins`, `Ng5+`.
///
/// # Errors
/// A rule error.
pub fn with_claim(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
    told: Explanation,
) -> Result<Explanation, Stop> {
    let trimmed = text.trim();
    if !told.holds || legal.iter().any(|n| n.notation == trimmed) {
        return Ok(told);
    }
    let Some(found) = legal.iter().find(|n| n.notation == told.subject) else { return Ok(told) };
    let found = found.clone();
    Ok(judged(referee, position, &found, text, &told)?.unwrap_or(told))
}

/// The explanation of a legal move with whether what a text claims of it at its end follows; `None` where it claims nothing that is
/// known.
///
/// # Errors
/// A rule error.
pub(super) fn judged(
    referee: &mut Referee<'_>,
    position: &Position,
    found: &Named,
    text: &str,
    told: &Explanation,
) -> Result<Option<Explanation>, Stop> {
    let trimmed = text.trim();
    let last = trimmed.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    let follows = match () {
        () if trimmed.ends_with('#') => Follows::Wins,
        () if trimmed.ends_with('+') => Follows::Told("check".to_string()),
        () if WINNING.contains(&last) => Follows::Wins,
        () if ["check", "mill"].contains(&last) => Follows::Told(last.to_string()),
        () => return Ok(None),
    };
    Ok(match holds(referee, position, found, &follows)? {
        Some(false) => {
            let denied = match &follows {
                Follows::Told(what) => format!("it makes no {what}"),
                _ => "it does not win".to_string(),
            };
            let denied = denied.replace("makes no check", "gives no check");
            let short = format!("{}; {denied}.", told.short.trim_end_matches('.'));
            Some(Explanation { short, ..told.clone() })
        }
        Some(true) => Some(told.clone()),
        None => None,
    })
}

/// Whether something follows a legal move; `None` where that is not known.
pub(super) fn holds(
    referee: &mut Referee<'_>,
    position: &Position,
    mv: &Named,
    follows: &Follows,
) -> Result<Option<bool>, Stop> {
    let facts = referee.facts(position);
    let Some(next) = referee.play(position, &mv.term)? else { return Ok(None) };
    let turn = referee.turn(position);
    Ok(match follows {
        Follows::Wins => {
            let outcome = referee.outcome(&next)?;
            Some(outcome.is_some_and(|outcome| outcome.winners.contains(&turn)))
        }
        Follows::Loses => {
            let outcome = referee.outcome(&next)?;
            Some(outcome.is_some_and(|outcome| {
                !outcome.winners.is_empty() && !outcome.winners.contains(&turn)
            }))
        }
        Follows::Captures => taking(referee, &facts, &[mv])?.map(|found| !found.is_empty()),
        Follows::Told(word) if is_told(referee, word) => {
            let after = referee.facts(&next);
            let prompts = referee.rules.prompts(&after).map_err(|error| referee.stopped(error))?;
            let says =
                |text: &String| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == word);
            Some(
                prompts.to_mover.iter().any(says)
                    || prompts.to_others.iter().any(|(_, text)| says(text)),
            )
        }
        Follows::Told(_) | Follows::Anything => None,
    })
}

/// Whether a prompt of the rules speaks of this.
pub(super) fn is_told(referee: &Referee<'_>, word: &str) -> bool {
    let program = &referee.game.program;
    let special = &program.special;
    let columns = [(special.prompt, 0), (special.prompt_to, 1)];
    columns.into_iter().filter_map(|(id, column)| Some((id?, column))).any(|(id, column)| {
        program.relation(id).clauses.iter().any(|clause| {
            let text = match program.clause(*clause).head.get(column) {
                Some(Term::Constant(value)) => program.values.show(*value),
                _ => return false,
            };
            text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word)
        })
    })
}
