//! Further threads of a search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::engine::{Game, Session};

use super::Request;
use super::alphabeta::Search;
use super::evaluation::Evaluation;
use super::table::Table;

/// The most threads of a search.
pub(super) const MOST_THREADS: usize = 64;

/// What further threads search: the same position with the same table, so that each finds what the others have found
/// (lazy SMP).
pub(super) struct Helper<'a> {
    pub question: &'a Request<'a>,
    pub evaluation: &'a Evaluation,
    pub drawn: i32,
    pub only: Option<Vec<u64>>,
    pub deepest: i16,
}

impl Helper<'_> {
    /// Runs `search` beside `helpers` threads, which are stopped when it returns.
    pub fn with<R>(
        self,
        game: &Game,
        table: &Table,
        helpers: usize,
        until: Option<Instant>,
        search: impl FnOnce() -> R,
    ) -> R {
        if helpers == 0 {
            return search();
        }
        let ended = AtomicBool::new(false);
        let (state, evaluation, drawn, deepest) =
            (self.question.state, self.evaluation, self.drawn, self.deepest);
        let (only, ended) = (&self.only, &ended);
        std::thread::scope(|scope| {
            for number in 0..helpers {
                let mut table = table.clone();
                scope.spawn(move || {
                    let mut session = Session::new(game);
                    session.set_until(until);
                    let mut walk = session.walk(state);
                    let stop = |_| ended.load(Ordering::Relaxed);
                    let mut search = Search::new(&mut *walk, game, evaluation, &mut table, &stop);
                    search.drawn = drawn;
                    search.only.clone_from(only);
                    // threads that go the same way find nothing for each other
                    search.shallowest = 1 + (number % 2) as i16;
                    // what goes wrong here goes wrong in the first thread too
                    let _ = search.run(deepest, &mut |_, _, _| {});
                });
            }
            let found = search();
            ended.store(true, Ordering::Relaxed);
            found
        })
    }
}
