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
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::{Fault, FaultKind, Game, Session};
use crate::pipeline;

use super::threads::MOST_THREADS;
use super::tree::Tree;
use super::{Choice, Limits, Player, Request};

/// Between the seeds of two threads.
const APART: u64 = 0x9E37_79B9_7F4A_7C15;

/// The game of the random games, where they leave out moves.
pub fn sensible(game: &Game) -> Option<&Game> {
    game.sensible.get_or_init(|| pipeline::sensible(game).map(Arc::new)).as_deref()
}

/// The best moves, the best first; none where no player is to move.
///
/// Further threads grow trees of their own, and what they found of the moves of the position is added up (root
/// parallelisation: Chaslot, Winands, van den Herik 2008).
///
/// # Errors
/// A rule error.
pub fn analyse(
    session: &mut Session<'_>,
    question: &Request<'_>,
    wanted: usize,
) -> Result<Vec<Choice>, Fault> {
    let game = session.game();
    // what random games are played by is made before the clock runs
    let random = sensible(game).map(Session::new);
    let started = question.limits.started();
    let mut tree = Tree::new(session, random, question);
    if !tree.open(session, question)? {
        return Ok(Vec::new());
    }
    let ended = AtomicBool::new(false);
    let others = question.threads.clamp(1, MOST_THREADS) - 1;
    let (state, among, advice) = (question.state, question.among, question.advice);
    let (limits, seed) = (question.limits, question.seed);
    let grown = std::thread::scope(|scope| {
        let grow = |number: u64| {
            let stop = || ended.load(Ordering::Relaxed);
            // the limit of random games is that of the first thread
            let limits = Limits { playouts: Some(u64::MAX), ..limits };
            let seed = seed.wrapping_add(number.wrapping_mul(APART));
            let question = &Request {
                state,
                among,
                advice,
                player: Player::MonteCarlo,
                limits,
                threads: 1,
                seed,
                interrupted: &stop,
            };
            let mut session = Session::new(game);
            let mut tree = Tree::new(&mut session, sensible(game).map(Session::new), question);
            let opened = tree.open(&mut session, question);
            // what goes wrong here goes wrong in the first thread too
            if matches!(opened, Ok(true)) {
                tree.set_until(&mut session, limits.until(started));
                let _ = tree.grow(&mut session, question, started);
            }
            tree.of_moves()
        };
        let handles: Vec<_> =
            (1..=others as u64).map(|number| scope.spawn(move || grow(number))).collect();
        // a single playout may take longer than the time that is left
        tree.set_until(session, limits.until(started));
        let grown = tree.grow(session, question, started);
        ended.store(true, Ordering::Relaxed);
        for handle in handles {
            tree.add_of_moves(&handle.join().unwrap_or_default());
        }
        grown
    });
    tree.set_until(session, None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => tree.best(session, question, wanted),
    }
}
