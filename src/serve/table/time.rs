//! The clocks of a table: they start and stop with the turns, and the server ends a game whose time has run out.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::super::Server;
use super::super::failure::{Outcome, log};
use super::{Table, View};

impl Table {
    /// Starts the clock of the player to move, in the view of a game that is set up.
    pub(super) fn start_clock(&self) {
        self.shown.send_modify(|view| {
            let mut started = (**view).clone();
            self.run_clock(&mut started);
            *view = Arc::new(started);
        });
    }

    /// Starts the clock of the player to move, from his second turn on.
    pub(super) fn run_clock(&self, view: &mut View) {
        let Some(seat) = self.to_move(view) else { return };
        if !view.history.iter().any(|played| played.seat == Some(seat)) {
            return;
        }
        if let Some(clocks) = &mut view.clocks {
            clocks.start(seat);
        }
    }

    /// Waits for the running clock to run out. It is called whenever another view is shown.
    pub fn set_timer(self: &Arc<Self>, server: &Arc<Server>) {
        let view = self.view();
        let due = view.clocks.as_ref().filter(|_| view.result.is_none()).and_then(|c| c.due());
        let mut timer = self.timer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = timer.take() {
            old.abort();
        }
        let Some(due) = due else { return };
        let (table, server) = (Arc::clone(self), Arc::clone(server));
        let waiting = tokio::spawn(async move {
            // the clock counts whole milliseconds
            tokio::time::sleep_until((due + Duration::from_millis(1)).into()).await;
            while let Err(failure) = table.run_out(&server).await {
                log(&format!("the time of game {}: {}", table.id, failure.sentence));
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        *timer = Some(waiting.abort_handle());
    }

    /// Ends the game if the time of the player to move has run out.
    async fn run_out(&self, server: &Server) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        match self.out_of_time(&self.view()) {
            Some(seat) => {
                self.end(server, &mut inner, self.lost(seat, "has run out of time")).await
            }
            None => Ok(()),
        }
    }

    /// The seat whose time has run out in a game that goes on.
    pub(super) fn out_of_time(&self, view: &View) -> Option<usize> {
        view.clocks.as_ref().filter(|_| view.result.is_none())?.out()
    }
}
