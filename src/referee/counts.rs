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
    if !asks && !SCORE.contains(&lower.as_str()) {
        return Ok(None);
    }
    let facts = referee.facts(position);
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
