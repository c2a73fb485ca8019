//! Monte-Carlo tree search with the rules' own advice.
//!
//! The tree is grown by UCT (Kocsis, Szepesvári 2006): each round descends to a position that has not
//! been visited, plays it out at random, and counts the result on the way back. Results that are proven
//! are passed up, so a move that wins is found as soon as it is seen, and one that loses is left out.
//! Chance events are drawn by their weights. Where moves place pieces that stay, a move is also
//! judged by the playouts in which it was made later ([`amaf`](super::amaf)). Advice of the rule file is a bonus whose influence
//! decreases with the number of playouts. The choice is determined by the seed and the number of
//! playouts.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::engine::{Fault, FaultKind, Game, Session};
use crate::pipeline;

use super::threads::MOST_THREADS;
use super::tree::Tree;
use super::{Choice, Limits, Listener, Player, Request, settle, unsettle};

/// Between the seeds of two threads.
const APART: u64 = 0x9E37_79B9_7F4A_7C15;

/// The game of the random games, where they leave out moves.
pub fn sensible(game: &Game) -> Option<&Game> {
    game.sensible.get_or_init(|| pipeline::sensible(game).map(Arc::new)).as_deref()
}

/// The best moves, the best first; none where no player is to move. The search began at `started`.
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
    started: Option<Instant>,
    listener: &mut Listener<'_>,
) -> Result<Vec<Choice>, Fault> {
    let game = session.game();
    let Some(mut tree) = opened(session, question)? else { return Ok(Vec::new()) };
    let ended = AtomicBool::new(false);
    let others = question.threads.clamp(1, MOST_THREADS) - 1;
    let (state, among, advice) = (question.state, question.among, question.advice);
    let (limits, seed) = (question.limits, question.seed);
    let grow_another = |number: u64| {
        let stop = || ended.load(Ordering::Relaxed);
        let question = Request {
            state,
            among,
            advice,
            player: Player::MonteCarlo,
            // the limit of random games is that of the first thread
            limits: Limits { playouts: Some(u64::MAX), ..limits },
            threads: 1,
            seed: seed.wrapping_add(number.wrapping_mul(APART)),
            interrupted: &stop,
        };
        let mut session = Session::new(game);
        let Some(mut tree) = opened(&mut session, &question)? else { return Ok(None) };
        let nobody = &mut |_: &Tree<'_>, _: &mut Session<'_>| {};
        grow(&mut tree, &mut session, &question, started, nobody)?;
        Ok(Some(tree.of_moves()))
    };
    std::thread::scope(|scope| {
        let grow_another = &grow_another;
        let handles: Vec<_> =
            (1..=others as u64).map(|number| scope.spawn(move || grow_another(number))).collect();
        let told = &mut |tree: &Tree<'_>, session: &mut Session<'_>| {
            listener.tell(|| tree.progress(session, question, wanted));
        };
        let mut grown = grow(&mut tree, session, question, started, told);
        ended.store(true, Ordering::Relaxed);
        for handle in handles {
            match handle.join().unwrap_or_else(|panic| resume_unwind(panic)) {
                Ok(found) => found.iter().for_each(|found| tree.add_of_moves(found)),
                Err(fault) => grown = grown.and(Err(fault)),
            }
        }
        grown
    })?;
    // what was found is told whatever has ended the search
    settle(session, started.is_some() || (question.interrupted)());
    let best = tree.best(session, question, wanted);
    unsettle(session);
    tree.discard();
    best
}

/// A tree of the position and its moves; `None` where there is no move.
fn opened<'g>(
    session: &mut Session<'g>,
    question: &Request<'_>,
) -> Result<Option<Tree<'g>>, Fault> {
    let random = sensible(session.game()).map(Session::new);
    // who has interrupted what came before hears of a move still
    if (question.interrupted)() {
        settle(session, true);
    }
    let mut tree = Tree::new(session, random, question);
    let open = tree.open(session, question);
    unsettle(session);
    Ok(open?.then_some(tree))
}

/// Runs playouts until a limit is reached. A single one may take longer than the time that is left, so it is interrupted.
fn grow(
    tree: &mut Tree<'_>,
    session: &mut Session<'_>,
    question: &Request<'_>,
    started: Option<Instant>,
    told: &mut dyn FnMut(&Tree<'_>, &mut Session<'_>),
) -> Result<(), Fault> {
    tree.set_until(session, question.limits.until(started));
    let grown = tree.grow(session, question, started, told);
    tree.set_until(session, None);
    match grown {
        Err(fault) if fault.kind != FaultKind::Interrupted => Err(fault),
        _ => Ok(()),
    }
}
