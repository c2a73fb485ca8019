//! A computer player: Monte-Carlo tree search with the rules' own advice.
//!
//! A move that wins at once is played, and one that lets the next player win at once is avoided
//! where there is another. Otherwise the tree is grown by UCT (Kocsis, Szepesvári 2006): each round
//! descends to a position that has not been visited, plays it out at random, and counts the result on
//! the way back. Chance events are drawn by their weights. Advice of the rule file is a bonus whose
//! influence decreases with the number of playouts. The choice is determined by the seed and the
//! number of playouts.

mod tree;

use std::time::{Duration, Instant};

use crate::engine::{Fault, FaultKind, Move, Outcome, Session, State};
use crate::program::Value;
use crate::syntax::Term;

use tree::Tree;

/// How long the search for a move may take. The limit that is reached first ends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The time; unlimited where `None`.
    pub time: Option<Duration>,
    /// The number of playouts; unlimited where `None`.
    pub playouts: Option<u64>,
}

impl Limits {
    /// When the search begins; without a limit of time the clock is not read, so that it need not exist.
    fn started(&self) -> Option<Instant> {
        self.time.map(|_| Instant::now())
    }

    fn until(&self, started: Option<Instant>) -> Option<Instant> {
        started?.checked_add(self.time?)
    }
}

/// The advice of the rule file on a move: an answer of `advice/3`.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The move.
    pub term: Term,
    /// The greater, the more the move is preferred.
    pub priority: i64,
    /// The reason in words.
    pub text: String,
}

/// A chosen move.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub term: Term,
    /// The reason in words.
    pub reason: String,
    /// How many playouts the choice rests on.
    pub playouts: u64,
}

/// The input of the search.
pub struct Question<'a> {
    /// The position.
    pub state: &'a State,
    /// The advice on the moves of this position.
    pub advice: &'a [Advice],
    /// When the search ends.
    pub limits: Limits,
    /// The seed of the playouts.
    pub seed: u64,
    /// Called now and then; where it returns true the search ends with the best move found so far.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// How many replies are tried to see whether the next player could win at once: the first number for each
/// playout that is allowed, and at most the second number.
const REPLIES: (u64, u64) = (40, 20_000);

/// Chooses a move; `None` where no player is to move.
///
/// # Errors
/// A rule error.
pub fn choose(session: &mut Session<'_>, question: &Question<'_>) -> Result<Option<Choice>, Fault> {
    let started = question.limits.started();
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
    // a single playout may take longer than the time that is left
    session.set_until(question.limits.until(started));
    let grown = tree.grow(session, question, started);
    session.set_until(None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => Ok(tree.best(question.advice)),
    }
}

/// What the search found of a move.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// The move.
    pub term: Term,
    /// How many playouts began with it.
    pub playouts: u64,
    /// The mean result for the player to move, from 0 to 1; in a game for one the mean score. `None` without
    /// playouts.
    pub mean: Option<f64>,
}

/// Rates all moves of a player, the most played first; none where no player is to move.
///
/// # Errors
/// A rule error.
pub fn rate(session: &mut Session<'_>, question: &Question<'_>) -> Result<Vec<Rated>, Fault> {
    let started = question.limits.started();
    let me = session.game().turn(question.state);
    let next = session.successors(question.state)?;
    if next.first().is_none_or(|(first, _)| first.chance) {
        return Ok(Vec::new());
    }
    let mut outcomes = Vec::with_capacity(next.len());
    for (_, state) in &next {
        outcomes.push(session.outcome(state)?);
    }
    let all = vec![true; next.len()];
    let mut tree = Tree::new(session, me, next, outcomes, &all, question)?;
    session.set_until(question.limits.until(started));
    let grown = tree.grow(session, question, started);
    session.set_until(None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => Ok(tree.rated()),
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

/// For each move, whether the next player cannot win at once after it. Where the next player can after
/// every move, all count as safe, and so do moves that there is no time to examine.
fn safe_moves(
    session: &mut Session<'_>,
    me: Value,
    next: &[(Move, State)],
    outcomes: &[Option<Outcome>],
    question: &Question<'_>,
    started: Option<Instant>,
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
        let late = half.zip(started).is_some_and(|(half, started)| started.elapsed() > half);
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
