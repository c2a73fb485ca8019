//! Questions about numbers of the position: `how many men have I?`, `how many seeds are in c2?`, `what is the score?`.

use crate::explain::Explanation;
use crate::program::Value;
use crate::reference::Facts;

use super::asked::{in_small, told};
use super::kinds::{held, is_of_kind, kinds};
use super::owners::{has_owner, owned};
use super::values::sites_in;
use super::{Position, Referee, Stop};

/// How people ask for the score.
const SCORE: [&str; 7] = [
    "what is the score",
    "what's the score",
    "who is winning",
    "who's winning",
    "who is ahead",
    "who leads",
    "what is my score",
];

/// Words of questions about what moves could do, which no number of the position answers.
#[rustfmt::skip]
const OTHERS: [&str; 16] = [
    "can", "may", "could", "should", "must", "will", "take", "takes", "capture", "captures", "make", "makes", "move",
    "moves", "liberties", "plies",
];

/// The least number of letters of a word for what a heading says.
const LEAST: usize = 3;

/// Words that say nothing of what is asked for.
#[rustfmt::skip]
const PLAIN: [&str; 15] = [
    "the", "are", "has", "have", "had", "for", "not", "his", "was", "did", "does", "and", "still", "left", "side",
];

/// Words for a throw of dice.
const THROWS: [&str; 8] = ["throw", "threw", "thrown", "throws", "roll", "rolled", "dice", "die"];

/// What one of two forms of a word has behind the other.
const ENDINGS: [&str; 6] = ["", "s", "n", "ed", "d", "ing"];

/// What stands beside the board and on it, for a question about numbers; `None` where a text asks nothing of the kind.
///
/// # Errors
/// A rule error.
pub fn counted(
    referee: &Referee<'_>,
    position: &Position,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let lower = in_small(text);
    let words: Vec<&str> = lower.split_whitespace().collect();
    let asks = lower.starts_with("how many ") && !words.iter().any(|word| OTHERS.contains(word));
    let facts = referee.facts(position);
    if !asks && !SCORE.contains(&lower.as_str()) {
        let lines = beside_of(referee, &facts, &words)?;
        let short = format!("In this position: {}.", lines.join("; "));
        return Ok((!lines.is_empty()).then(|| told(text, short, true)));
    }
    let short = match sites_in(referee, &lower).into_iter().collect::<Vec<_>>().as_slice() {
        [] => {
            let mut lines = referee.picture(&facts)?.beside;
            lines.extend(on_board(referee, &facts, &words));
            match lines.is_empty() {
                true => return Ok(None),
                false => format!("In this position: {}.", lines.join("; ")),
            }
        }
        [site] => {
            let name = referee.game.program.values.show(*site);
            let Some(Value::Integer(number)) = held(referee, &facts, &name) else {
                return Ok(None);
            };
            format!("There are {number} on {name}.")
        }
        _ => return Ok(None),
    };
    Ok(Some(told(text, short, true)))
}

/// What stands beside the board under a heading with a word of a question for it: `thrown: 2` for `what did I throw?`. None
/// where a text asks for something else.
fn beside_of(referee: &Referee<'_>, facts: &Facts, words: &[&str]) -> Result<Vec<String>, Stop> {
    let asks = words.first().is_some_and(|first| ["what", "what's", "which"].contains(first));
    let can = words.iter().any(|word| ["can", "may", "could"].contains(word));
    if !asks || can || !sites_in(referee, &words.join(" ")).is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = referee.picture(facts)?.beside;
    let players = &referee.game.program.players;
    let is_player = |word: &str| players.iter().any(|player| referee.name(*player) == word);
    let telling = |word: &&&str| !PLAIN.contains(*word) && !is_player(word);
    let asked: Vec<&str> = words.iter().skip(1).filter(telling).copied().collect();
    lines.retain(|line| {
        let heading = line.split_once(':').map_or(line.as_str(), |(heading, _)| heading);
        let mut heading = heading.split([' ', ',']);
        heading.any(|named| asked.iter().any(|word| is_alike(word, named)))
    });
    Ok(lines)
}

/// Whether two words are forms of one, or tell both of a throw: `sow` and `sown`, `rolled` and `dice`.
fn is_alike(word: &str, named: &str) -> bool {
    if THROWS.contains(&word) && THROWS.contains(&named) {
        return true;
    }
    let (short, long) = if word.len() < named.len() { (word, named) } else { (named, word) };
    let ending = long.strip_prefix(short);
    short.len() >= LEAST && ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// How many pieces each player has on the board, of the kind that is asked about; `None` where pieces are no players'.
fn on_board(referee: &Referee<'_>, facts: &Facts, words: &[&str]) -> Option<String> {
    let fluent = referee.rules.contents_fluent()?;
    let pieces: Vec<Value> = facts.iter(fluent).map(|(_, piece)| piece).collect();
    if !pieces.iter().any(|piece| has_owner(referee, *piece)) {
        return None;
    }
    let kinds = kinds(referee);
    let named =
        |kind: &str| words.iter().any(|word| *word == kind || word.strip_suffix('s') == Some(kind));
    let asked = kinds.iter().map(|(_, kind)| kind).find(|kind| named(kind));
    let counts = referee.game.program.players.iter().map(|player| {
        let own = |piece: &&Value| {
            owned(referee, **piece, *player)
                && asked.is_none_or(|kind| is_of_kind(&kinds, **piece, kind))
        };
        format!("{} {}", referee.name(*player), pieces.iter().filter(own).count())
    });
    let counts: Vec<String> = counts.collect();
    let what =
        asked.map_or_else(|| "on the board".to_string(), |kind| format!("{kind} on the board"));
    Some(format!("{what}: {}", counts.join(", ")))
}
