//! Texts that name the kind of the piece that moves, where there is no such piece: `Qf1-b5` where a bishop stands on f1.

use crate::explain::{Cause, Explanation, Reason};
use crate::program::Value;
use crate::reference::Facts;

use super::Referee;
use super::likeliest::Meant;
use super::meant::{made_of, owned, sites_in};
use super::plainer::{Kind, Plainer, TAKES, held, readings};

/// What is said of a text by which the move begins with a piece of a kind, where the first of the sites that it names
/// holds something else.
pub fn another(referee: &Referee<'_>, facts: &Facts, text: &str, plain: &Plainer) -> Option<Meant> {
    let (pieces, kind) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let sites = sites_in(referee, &plain.text);
    let from = *sites.first().filter(|_| sites.len() > 1)?;
    let name = referee.game.program.values.show(from);
    let held = held(referee, facts, &name);
    // the site behind the sign of a capture is not where the move begins
    let lower = text.to_lowercase();
    let before = lower.split(&name).next().unwrap_or_default().trim_end();
    if held.is_some_and(|held| pieces.contains(&held)) || TAKES.iter().any(|t| before.ends_with(t))
    {
        return None;
    }
    let stands = referee.rules.contents_in_words(facts, from)?;
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let reason = match held {
        None => stands,
        Some(_) if stands.contains(" is occupied by ") => {
            format!("{stands}, not by {article} {kind}")
        }
        Some(_) => format!("{stands}, and {article} {kind} is not there"),
    };
    told(referee, text, &plain.text, reason, vec![name])
}

/// What is said of a text by which the move begins with a piece of a kind, where the player has none on the board, or
/// only the one on the site to which it should go.
pub fn absent(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let turn = facts.turn()?;
    let fluent = referee.rules.contents_fluent()?;
    let plain = readings(referee, facts, text).find(|p| matches!(p.kind, Some(Kind::Pieces(_))))?;
    let (pieces, kind) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let own: Vec<Value> = pieces.iter().copied().filter(|p| owned(referee, *p, turn)).collect();
    let sites = sites_in(referee, &plain.text);
    let target = *sites.first().filter(|_| sites.len() == 1)?;
    let there: Vec<&[Value]> =
        facts.iter(fluent).filter(|(_, piece)| own.contains(piece)).map(|(keys, _)| keys).collect();
    let elsewhere = there.iter().any(|keys| **keys != [target]);
    let others = facts.iter(fluent).any(|(_, piece)| owned(referee, piece, turn));
    if own.is_empty() || elsewhere || !others {
        return None;
    }
    let reason = match there.first() {
        None => format!("{} has no {kind} on the board", referee.name(turn)),
        Some(_) if !plain.takes => return None,
        Some(_) => referee.rules.contents_in_words(facts, target)?,
    };
    told(referee, text, &plain.text, reason, Vec::new())
}

/// What is said of a text by which a piece of a kind goes to a site, where such a piece of the player's stands already.
pub fn at_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let turn = facts.turn()?;
    let plain = readings(referee, facts, text).find(|p| names_target(referee, text, p))?;
    let (pieces, _) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let target = *sites_in(referee, &plain.text).first()?;
    let name = referee.game.program.values.show(target);
    let stands = held(referee, facts, &name)?;
    if !pieces.contains(&stands) || !owned(referee, stands, turn) {
        return None;
    }
    let reason = referee.rules.contents_in_words(facts, target)?;
    told(referee, text, &plain.text, reason, Vec::new())
}

/// Whether a text names one site, behind the name of a piece and a dash: that is where the piece goes.
pub fn names_target(referee: &Referee<'_>, text: &str, plain: &Plainer) -> bool {
    let behind = text.trim_start().trim_start_matches(char::is_alphabetic);
    behind.starts_with('-')
        && matches!(plain.kind, Some(Kind::Pieces(_)))
        && sites_in(referee, &plain.text).len() == 1
}

/// An explanation that a move is not legal for a reason; `None` where a text is no move.
fn told(
    referee: &Referee<'_>,
    text: &str,
    plain: &str,
    reason: String,
    blamed: Vec<String>,
) -> Option<Meant> {
    let (_, made) = made_of(referee, plain);
    let term = made.into_iter().next()?;
    let told = Explanation {
        short: format!("`{text}` is not legal: {reason}."),
        cause: Cause::Goal,
        blamed,
        reason: Some(Reason { facts: reason.clone(), whole: reason }),
        ..Explanation::of(text.to_string())
    };
    Some((term, told))
}
