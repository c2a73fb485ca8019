//! A plain player: Monte-Carlo tree search with the rules' own advice.
//!
//! A move that wins at once is played, and one that lets the next player win at once is avoided
//! where there is another. Otherwise the tree is grown by UCT (Kocsis, Szepesvári 2006): each round
//! goes down to a position that was not looked at, plays it out at random, and counts the result on
//! the way back. Chance events are drawn by their weights. Advice of the rule file is a head start
//! that playouts wear away. For a seed and a number of playouts the choice is always the same.

mod tree;

use std::time::{Duration, Instant};

use crate::engine::{Fault, FaultKind, Move, Outcome, Session, State};
use crate::program::Value;
use crate::syntax::Term;

use tree::Tree;

/// How long a move is thought about: what is reached first counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    pub time: Option<Duration>,
    pub playouts: Option<u64>,
}

/// What the rule file says of a move: its priority and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    pub term: Term,
    pub priority: i64,
    pub text: String,
}

/// A chosen move.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub term: Term,
    /// Why, in words.
    pub reason: String,
    pub playouts: u64,
}

/// What is asked of the search.
pub struct Question<'a> {
    pub state: &'a State,
    pub advice: &'a [Advice],
    pub limits: Limits,
    pub seed: u64,
    /// Asked now and then; true ends the search, which then answers with what it has.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Replies that are tried to see whether the next player could win at once: so many for each playout
/// that is allowed, and no more than the second number.
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
        return Ok(Some(Choice { term, reason: "the only move".to_string(), playouts: 0 }));
    }
    let mut outcomes = Vec::with_capacity(next.len());
    for (mv, state) in &next {
        let outcome = session.outcome(state)?;
        if outcome.as_ref().is_some_and(|o| wins(o, me)) {
            let reason = match reason_given(question.advice, &mv.term) {
                Some(text) => format!("wins at once: {text}"),
                None => "wins at once".to_string(),
            };
            return Ok(Some(Choice { term: mv.term.clone(), reason, playouts: 0 }));
        }
        outcomes.push(outcome);
    }
    let safe = safe_moves(session, me, &next, &outcomes, question, started)?;
    let mut tree = Tree::new(session, me, next, outcomes, &safe, question)?;
    // a game that is being played out may take longer than there is time
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

/// The text of the advice for a move that has the highest priority.
fn reason_given<'a>(advice: &'a [Advice], term: &Term) -> Option<&'a str> {
    let given = advice.iter().filter(|a| a.term == *term);
    given.max_by_key(|a| a.priority).map(|a| a.text.as_str())
}

/// For each move, whether it leaves no win at once to the next player. Where every move does, or
/// where there is too much to look at, all count as safe.
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
