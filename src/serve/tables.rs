//! The tables in memory, and who is engaged in which unfinished game.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::Server;
use super::account::{Account, seed};
use super::clock::Pace;
use super::failure::{Failure, Outcome};
use super::limits::Owner;
use super::store::{Change, Rules, SeatRow, Store};
use super::table::{Replay, Table};

/// Above this number of tables, those without spectators and players are put away.
const MOST: usize = 2_000;

type Cell = Arc<OnceCell<Arc<Table>>>;

/// The tables.
pub struct Tables {
    open: Mutex<BTreeMap<i64, Cell>>,
    /// The game against other people in which a person is engaged.
    engaged: Mutex<BTreeMap<i64, i64>>,
}

impl Tables {
    pub async fn new(store: &Store) -> Outcome<Tables> {
        let mut people: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (game, account) in store.unfinished().await? {
            let people = people.entry(game).or_default();
            if !people.contains(&account) {
                people.push(account);
            }
        }
        let shared = people.into_iter().filter(|(_, people)| people.len() > 1);
        let engaged = shared
            .flat_map(|(game, people)| people.into_iter().map(move |account| (account, game)));
        let engaged = Mutex::new(engaged.collect());
        Ok(Tables { open: Mutex::new(BTreeMap::new()), engaged })
    }

    /// The unfinished game against other people in which a person is engaged.
    pub fn engaged(&self, account: i64) -> Option<i64> {
        self.engaged.lock().unwrap_or_else(PoisonError::into_inner).get(&account).copied()
    }

    /// Shows the tables of a person again, for the others see whether he is here.
    pub fn poke(&self, account: i64) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for table in open.values().filter_map(|cell| cell.get()) {
            if table.seats_of(account).next().is_some() && table.people().len() > 1 {
                table.show_again();
            }
        }
    }

    /// A game has ended: its players are free.
    pub fn leave(&self, table: &Table) {
        let mut engaged = self.engaged.lock().unwrap_or_else(PoisonError::into_inner);
        engaged.retain(|_, game| *game != table.id);
    }

    fn cell(&self, id: i64) -> Cell {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST {
            // the map holds the cell, the cell the table; each user holds another one
            open.retain(|_, cell| {
                Arc::strong_count(cell) > 1
                    || cell.get().is_some_and(|table| Arc::strong_count(table) > 1)
            });
        }
        Arc::clone(open.entry(id).or_default())
    }

    fn forget(&self, id: i64) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}

impl Server {
    /// The table of a game, from the database if it is not in memory; `owner` pays for playing its moves again.
    ///
    /// # Errors
    /// There is no such game.
    pub async fn table(self: &Arc<Server>, id: i64, owner: &Owner) -> Outcome<Arc<Table>> {
        let cell = self.tables.cell(id);
        let table = cell.get_or_try_init(|| self.set_up(id, owner)).await;
        match table {
            Ok(table) => {
                let table = Arc::clone(table);
                table.go_on(self);
                Ok(table)
            }
            Err(failure) => {
                drop(cell);
                self.tables.forget(id);
                Err(failure)
            }
        }
    }

    async fn set_up(self: &Arc<Server>, id: i64, owner: &Owner) -> Outcome<Arc<Table>> {
        let Some(mut recorded) = self.store.recorded(id).await? else {
            return Err(Failure::missing(format!("there is no game {id}")));
        };
        let rules = recorded.game.rules.clone();
        let game = self.game(&rules, owner).await?;
        let ended = recorded.game.result.is_some();
        let pool = self.pool(&rules);
        let mut replay = Replay::new(&game, rules.clone(), std::mem::take(&mut recorded.moves));
        while !replay.is_done() {
            replay = pool.run(owner, move || replay.play_on()).await??;
        }
        let set_up = move || Table::set_up(replay, recorded.game, recorded.chat);
        let (table, drawn) = pool.run(owner, set_up).await??;
        let result = table.view().result.clone();
        if !drawn.is_empty() || (!ended && result.is_some()) {
            let change = Change { game: id, moves: drawn, result, ..Change::default() };
            self.store.change(change).await?;
        }
        let table = Arc::new(table);
        table.set_timer(self);
        Ok(table)
    }

    /// Begins a game and engages its players; `challenge` is the one that it comes from.
    ///
    /// # Errors
    /// One of the people is engaged already.
    pub async fn begin(
        &self,
        rules: &Rules,
        title: &str,
        seats: &[SeatRow],
        pace: Option<Pace>,
        challenge: Option<i64>,
    ) -> Outcome<i64> {
        let mut people: Vec<&Account> =
            seats.iter().filter_map(|seat| seat.account.as_ref()).collect();
        people.dedup_by_key(|account| account.id);
        let shared = people.len() > 1;
        if shared {
            // engaged from here on, so that no one begins two games at once
            let mut engaged = self.tables.engaged.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(busy) = people.iter().find(|account| engaged.contains_key(&account.id)) {
                return Err(Failure::conflict(format!("{} is engaged in another game", busy.name)));
            }
            engaged.extend(people.iter().map(|account| (account.id, 0)));
        }
        let begun = match seed() {
            Ok(seed) => self.store.begin_game(rules, title, seats, seed, pace, challenge).await,
            Err(failure) => Err(failure),
        };
        if shared {
            let mut engaged = self.tables.engaged.lock().unwrap_or_else(PoisonError::into_inner);
            for account in people {
                match &begun {
                    Ok(id) => engaged.insert(account.id, *id),
                    Err(_) => engaged.remove(&account.id),
                };
            }
        }
        self.lobby.tick();
        begun
    }
}
