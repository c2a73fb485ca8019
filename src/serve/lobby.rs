//! Who is here: those who have a page open, and those who had one a moment ago.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::Server;
use super::account::Account;

/// Who has closed a page is here for this time still: perhaps he only goes to another one.
const LINGER: Duration = Duration::from_secs(8);

/// A person who is or was here.
#[derive(Debug, Clone)]
struct Here {
    account: Account,
    /// How many pages are open.
    pages: usize,
    /// When the last page was opened or closed.
    since: Instant,
}

/// Who is here.
pub struct Lobby {
    people: Mutex<BTreeMap<i64, Here>>,
    changes: watch::Sender<u64>,
    started: Instant,
}

impl Lobby {
    pub fn new() -> Lobby {
        let people = Mutex::new(BTreeMap::new());
        Lobby { people, changes: watch::Sender::new(0), started: Instant::now() }
    }

    /// Tells the pages that watch that people or challenges have changed.
    pub fn tick(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The people who are here, by their numbers.
    pub fn here(&self) -> Vec<Account> {
        let people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.values().filter(|here| here.is_here()).map(|here| here.account.clone()).collect()
    }

    pub fn is_here(&self, account: i64) -> bool {
        let people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.get(&account).is_some_and(Here::is_here)
    }

    /// Whether a person has been away for this long; the time before the server started is not known.
    pub fn away_for(&self, account: i64, time: Duration) -> bool {
        let people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        match people.get(&account) {
            Some(here) => here.pages == 0 && here.since.elapsed() >= time,
            None => self.started.elapsed() >= time,
        }
    }

    /// Changes how many pages a person has open, and returns whether he has come or gone.
    fn change(&self, account: &Account, change: impl FnOnce(&mut Here)) -> bool {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        let here = Here { account: account.clone(), pages: 0, since: Instant::now() };
        let known = people.contains_key(&account.id);
        let here = people.entry(account.id).or_insert(here);
        let before = known && here.is_here();
        change(here);
        here.since = Instant::now();
        before != here.is_here()
    }
}

impl Here {
    fn is_here(&self) -> bool {
        self.pages > 0 || self.since.elapsed() < LINGER
    }
}

impl Server {
    /// Tells the lobby and the tables of a person that he has come or gone.
    fn tell_presence(&self, account: &Account) {
        self.lobby.tick();
        self.tables.poke(account.id);
    }
}

/// A page that a person has open; dropped when it is closed.
pub struct Presence {
    server: Arc<Server>,
    account: Account,
}

impl Presence {
    pub fn new(server: &Arc<Server>, account: &Account) -> Presence {
        if server.lobby.change(account, |here| here.pages += 1) {
            server.tell_presence(account);
        }
        Presence { server: Arc::clone(server), account: account.clone() }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.server.lobby.change(&self.account, |here| here.pages = here.pages.saturating_sub(1));
        // the others learn of it when he has not come back
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (server, account) = (Arc::clone(&self.server), self.account.clone());
            runtime.spawn(async move {
                tokio::time::sleep(LINGER + Duration::from_millis(100)).await;
                if !server.lobby.is_here(account.id) {
                    server.tell_presence(&account);
                }
            });
        }
    }
}
