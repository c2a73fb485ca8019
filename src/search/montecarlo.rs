//! Monte-Carlo tree search with the rules' own advice.
//!
//! A move that wins at once is played, and one that lets the next player win at once is avoided
//! where there is another. Otherwise the tree is grown by UCT (Kocsis, Szepesvári 2006): each round
//! descends to a position that has not been visited, plays it out at random, and counts the result on
//! the way back. Chance events are drawn by their weights. Advice of the rule file is a bonus whose
//! influence decreases with the number of playouts. The choice is determined by the seed and the
//! number of playouts.

use std::time::Instant;

use crate::engine::{Fault, FaultKind, Move, Outcome, Session, State};
use crate::program::Value;

use super::tree::Tree;
use super::{Choice, Question, reason_given};

/// How many replies are tried to see whether the next player could win at once: the first number for each
/// playout that is allowed, and at most the second number.
const REPLIES: (u64, u64) = (40, 20_000);

/// Chooses a move; `None` where no player is to move.
///
/// # Errors
/// A rule error.
pub fn choose(session: &mut Session<'_>, question: &Question<'_>) -> Result<Option<Choice>, Fault> {
    let started = Instant::now();
    let me = session.game().turn(question.state);
    let next = session.successors(question.state)?;
    let Some((first, _)) = next.first() else { return Ok(None) };
    if first.chance {
        return Ok(None);
    }
    if next.len() == 1 {
        let term = first.term.clone();
        return Ok(Some(Choice::plain(term, "the only move".to_string(), 0)));
    }
    let mut outcomes = Vec::with_capacity(next.len());
    for (mv, state) in &next {
        let outcome = session.outcome(state)?;
        if outcome.as_ref().is_some_and(|o| wins(o, me)) {
            let reason = match reason_given(question.advice, &mv.term) {
                Some(text) => format!("wins at once: {text}"),
                None => "wins at once".to_string(),
            };
            return Ok(Some(Choice::plain(mv.term.clone(), reason, 0)));
        }
        outcomes.push(outcome);
    }
    let safe = safe_moves(session, me, &next, &outcomes, question, started)?;
    let mut tree = Tree::new(session, me, next, outcomes, &safe, question)?;
    // a single playout may take longer than the time that is left
    session.set_until(question.limits.time.map(|time| started + time));
    let grown = tree.grow(session, question, started);
    session.set_until(None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => Ok(tree.best(question.advice)),
    }
}

fn wins(outcome: &Outcome, player: Value) -> bool {
    outcome.winners.contains(&player)
}

/// For each move, whether the next player cannot win at once after it. Where the next player can after
/// every move, all count as safe, and so do moves that there is no time to examine.
fn safe_moves(
    session: &mut Session<'_>,
    me: Value,
    next: &[(Move, State)],
    outcomes: &[Option<Outcome>],
    question: &Question<'_>,
    started: Instant,
) -> Result<Vec<bool>, Fault> {
    let mut safe = vec![true; next.len()];
    let half = question.limits.time.map(|t| t / 2);
    let most = question.limits.playouts.map_or(REPLIES.1, |n| n.saturating_mul(REPLIES.0));
    let most = most.min(REPLIES.1);
    let mut replies = 0;
    for (i, (_, state)) in next.iter().enumerate() {
        if let Some(outcome) = &outcomes[i] {
            safe[i] = outcome.winners.is_empty();
            continue;
        }
        let you = session.game().turn(state);
        let late = half.is_some_and(|half| started.elapsed() > half);
        if late || replies > most || (question.interrupted)() {
            break;
        }
        if you == me {
            continue;
        }
        for (reply, after) in session.successors(state)? {
            replies += 1;
            if reply.chance {
                break;
            }
            if session.outcome(&after)?.is_some_and(|o| wins(&o, you) && !wins(&o, me)) {
                safe[i] = false;
                break;
            }
        }
    }
    if !safe.contains(&true) {
        safe.fill(true);
    }
    Ok(safe)
}
