//! Monte-Carlo tree search with the rules' own advice.
//!
//! The tree is grown by UCT (Kocsis, Szepesvári 2006): each round descends to a position that has not
//! been visited, plays it out at random, and counts the result on the way back. Results that are proven
//! are passed up, so a move that wins is found as soon as it is seen, and one that loses is left out.
//! Chance events are drawn by their weights. Where moves place pieces that stay, a move is also
//! judged by the playouts in which it was made later ([`amaf`](super::amaf)). Advice of the rule file is a bonus whose influence
//! decreases with the number of playouts. The choice is determined by the seed and the number of
//! playouts.

use std::sync::Arc;

use crate::engine::{Fault, FaultKind, Game, Session};
use crate::pipeline;

use super::tree::Tree;
use super::{Choice, Request};

/// The game of the random games, where they leave out moves.
pub fn sensible(game: &Game) -> Option<&Game> {
    game.sensible.get_or_init(|| pipeline::sensible(game).map(Arc::new)).as_deref()
}

/// The best moves, the best first; none where no player is to move.
///
/// # Errors
/// A rule error.
pub fn analyse(
    session: &mut Session<'_>,
    question: &Request<'_>,
    wanted: usize,
) -> Result<Vec<Choice>, Fault> {
    // what random games are played by is made before the clock runs
    let random = sensible(session.game()).map(Session::new);
    let started = question.limits.started();
    let mut tree = Tree::new(session, random, question);
    if !tree.open(session, question)? {
        return Ok(Vec::new());
    }
    // a single playout may take longer than the time that is left
    tree.set_until(session, question.limits.until(started));
    let grown = tree.grow(session, question, started);
    tree.set_until(session, None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => tree.best(session, question, wanted),
    }
}
