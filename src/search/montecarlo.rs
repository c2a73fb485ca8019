//! Monte-Carlo tree search with the rules' own advice.
//!
//! The tree is grown by UCT (Kocsis, Szepesvári 2006): each round descends to a position that has not
//! been visited, plays it out at random, and counts the result on the way back. Results that are proven
//! are passed up, so a move that wins is found as soon as it is seen, and one that loses is left out.
//! Chance events are drawn by their weights. Where moves place pieces that stay, a move is also
//! judged by the playouts in which it was made later ([`amaf`](super::amaf)). Advice of the rule file is a bonus whose influence
//! decreases with the number of playouts. The choice is determined by the seed and the number of
//! playouts.

use crate::engine::{Fault, FaultKind, Session};

use super::tree::Tree;
use super::{Choice, Request};

/// The best moves, the best first; none where no player is to move.
///
/// # Errors
/// A rule error.
pub fn analyse(
    session: &mut Session<'_>,
    question: &Request<'_>,
    wanted: usize,
) -> Result<Vec<Choice>, Fault> {
    let started = question.limits.started();
    let mut tree = Tree::new(session, question);
    if !tree.open(session, question)? {
        return Ok(Vec::new());
    }
    // a single playout may take longer than the time that is left
    session.set_until(question.limits.until(started));
    let grown = tree.grow(session, question, started);
    session.set_until(None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => tree.best(session, question, wanted),
    }
}
