//! Work on many positions, by several threads; its results come in order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use crate::engine::{Fault, FaultKind, Game, Session};

use super::expand::{Expander, Numbering};

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Trouble {
    /// A rule error was met.
    #[error("a rule error")]
    Fault(Fault),
    /// The work was interrupted; what was found so far is kept.
    #[error("interrupted")]
    Interrupted,
    /// The game, or this position of it, has no such solution.
    #[error("{0}")]
    Refused(String),
    /// It takes more memory than may be taken, in words.
    #[error("{0}; --memory allows more")]
    Large(String),
    /// A file could not be read or written, or is not what it should be.
    #[error("{0}")]
    Disk(String),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        match fault.kind {
            FaultKind::Interrupted => Trouble::Interrupted,
            _ => Trouble::Fault(fault),
        }
    }
}

/// The positions of a piece of work.
const PIECE: usize = 1_024;
/// Pieces of finished work that wait for their turn, for each thread.
const WAITING: usize = 4;

/// Threads that expand positions.
pub struct Crew<'s> {
    game: &'s Game,
    numbering: &'s Numbering,
    threads: usize,
    stop: &'s (dyn Fn() -> bool + Sync),
    own: Expander<'s>,
}

/// A piece of work: the positions of a range.
type Work<'w, T> = dyn Fn(&mut Expander<'_>, Range<usize>) -> Result<T, Trouble> + Sync + 'w;

impl<'s> Crew<'s> {
    /// A crew of this number of threads; where `stop` returns true the work ends.
    pub fn new(
        session: &'s mut Session<'_>,
        game: &'s Game,
        numbering: &'s Numbering,
        threads: usize,
        stop: &'s (dyn Fn() -> bool + Sync),
    ) -> Crew<'s> {
        let opening = session.opening();
        let own = Expander::new(session.walk(&opening), numbering, stop);
        Crew { game, numbering, threads, stop, own }
    }

    /// The numbering of the positions.
    pub fn numbering(&self) -> &'s Numbering {
        self.numbering
    }

    /// Works on the positions `0..len` and hands over what comes of each piece, in order.
    ///
    /// # Errors
    /// A rule error, an interruption, or what `take` returns.
    pub fn run<T: Send>(
        &mut self,
        len: usize,
        work: &Work<'_, T>,
        take: &mut dyn FnMut(Range<usize>, T) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let pieces = len.div_ceil(PIECE);
        let range = |piece: usize| piece * PIECE..((piece + 1) * PIECE).min(len);
        let threads = self.threads.min(pieces);
        if threads <= 1 {
            for piece in 0..pieces {
                if (self.stop)() {
                    return Err(Trouble::Interrupted);
                }
                take(range(piece), work(&mut self.own, range(piece))?)?;
            }
            return Ok(());
        }
        let (next, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (sender, receiver) = sync_channel(threads * WAITING);
        let (game, numbering, stop) = (self.game, self.numbering, self.stop);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next, stopped) = (sender.clone(), &next, &stopped);
                scope.spawn(move || {
                    let mut session = Session::new(game);
                    let opening = session.opening();
                    let mut expander = Expander::new(session.walk(&opening), numbering, stop);
                    loop {
                        let piece = next.fetch_add(1, Ordering::Relaxed);
                        if piece >= pieces || stopped.load(Ordering::Relaxed) > 0 {
                            break;
                        }
                        let result = match stop() {
                            true => Err(Trouble::Interrupted),
                            false => work(&mut expander, range(piece)),
                        };
                        let failed = result.is_err();
                        if sender.send((piece, result)).is_err() || failed {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let (mut waiting, mut due) = (BTreeMap::new(), 0);
            let mut outcome = Ok(());
            for (piece, result) in receiver {
                waiting.insert(piece, result);
                while let Some(result) = waiting.remove(&due) {
                    if outcome.is_ok() {
                        outcome = result.and_then(|value| take(range(due), value));
                    }
                    if outcome.is_err() {
                        stopped.store(1, Ordering::Relaxed);
                    }
                    due += 1;
                }
            }
            // a piece before the one that failed may never have been finished
            let failed = waiting.into_values().find_map(Result::err);
            outcome.and(failed.map_or(Ok(()), Err))
        })
    }
}
