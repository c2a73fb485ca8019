//! What players do at a table: move, resign, offer, answer, take back, speak. Each is in the database before anybody is
//! told of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::http::StatusCode;

use crate::api::{Position, Search};
use crate::ask::ShownAnswer;

use super::super::Server;
use super::super::account::Account;
use super::super::catalogue::limited;
use super::super::clock::Clocks;
use super::super::failure::{Failure, Outcome, log};
use super::super::limits::Owner;
use super::super::store::{Change, Ply};
use super::{Offer, Played, Step, Table, View};

/// The longest message, in characters, and the most of them in a game.
const LONGEST_MESSAGE: usize = 300;
const MOST_MESSAGES: usize = 500;
/// The most moves of a game.
const MOST_MOVES: usize = 5_000;
/// How long the others have to be away before a game may be left.
pub const AWAY: Duration = Duration::from_secs(5 * 60);
/// The levels of the computer, and the longest time for a move, in seconds.
pub const STRENGTHS: std::ops::RangeInclusive<i64> = 1..=10;
const LONGEST: f64 = 3.0;

/// For how many more moves the computer keeps time, and the shortest search, in seconds.
const MOVES_TO_GO: f64 = 30.0;
const SHORTEST: f64 = 0.02;

/// The part of the time that the server has left for a person which the computer takes for one of its moves at the most.
const SHARE: f64 = 0.1;

/// How the computer searches at a strength, from 1, with some milliseconds left on its clock and some seconds of work.
fn search(strength: i64, seed: i64, ply: usize, left: Option<i64>, work: f64) -> Search {
    let share = left.map_or(LONGEST, |left| left as f64 / 1000.0 / MOVES_TO_GO);
    let seconds = LONGEST.min(share).min(work * SHARE).max(SHORTEST);
    let seed = seed.unsigned_abs().wrapping_add(ply as u64);
    let level = u8::try_from(strength).unwrap_or(u8::MAX);
    Search::time(Duration::from_secs_f64(seconds)).strength(level).seed(seed)
}

impl Table {
    /// The seat of a person who plays here.
    fn seat_of(&self, account: &Account) -> Outcome<usize> {
        self.seats_of(account.id)
            .next()
            .ok_or_else(|| Failure::forbidden("you look on: only those who play may do this"))
    }

    fn going(view: &View) -> Outcome<()> {
        match &view.result {
            Some(result) => Err(Failure::conflict(format!("the game is over: {result}"))),
            None => Ok(()),
        }
    }

    /// Plays a move that a player has clicked or typed; `ply` is the number of moves that he saw.
    pub async fn play(
        self: Arc<Self>,
        server: Arc<Server>,
        account: Account,
        text: String,
        ply: usize,
    ) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        let view = self.view();
        let own = self.seat_of(&account)?;
        Self::going(&view)?;
        let turn = self.to_move(&view);
        if !turn.is_some_and(|seat| self.seats_of(account.id).any(|own| own == seat)) {
            let who = turn.map_or_else(String::new, |seat| self.who(seat));
            let player = self.players.get(own).map_or("", String::as_str);
            return Err(Failure::conflict(format!(
                "it is not your turn: you play {player}, and {who} is to move"
            )));
        }
        if self.out_of_time(&view).is_some() {
            return Err(Failure::conflict("your time has run out"));
        }
        if ply != view.history.len() {
            return Err(Failure::conflict("the position has changed meanwhile: look at it again"));
        }
        if view.history.len() >= MOST_MOVES {
            return Err(Failure::conflict(format!(
                "the game has had {MOST_MOVES} moves: agree on a draw, or resign"
            )));
        }
        let owner = Owner::Account(account.id);
        let step = self.step(&server, &owner, inner.at.clone(), text).await?;
        self.take(&server, &mut inner, step, None).await?;
        drop(inner);
        self.go_on(&server);
        Ok(())
    }

    /// What a move leads to.
    async fn step(
        &self,
        server: &Server,
        owner: &Owner,
        at: Position,
        text: String,
    ) -> Outcome<Step> {
        let (rules, players, seed) = (self.rules.clone(), self.players.clone(), self.seed);
        let step = move || Step::take(limited(&at, &rules), &players, seed, &text);
        Ok(server.pool(&self.rules).run(owner, step).await??)
    }

    /// Writes a step to the database, then shows it.
    async fn take(
        self: &Arc<Self>,
        server: &Arc<Server>,
        inner: &mut super::Inner,
        step: Step,
        reason: Option<String>,
    ) -> Outcome<()> {
        let Step { at, made, shown, result } = step;
        let mut view = (*self.view()).clone();
        let times = view.clocks.as_ref().map(Clocks::kept);
        let ply = |(ply, (mv, _)): (i64, &(String, Played))| {
            let (mv, times) = (mv.clone(), times.clone());
            Ply { ply, mv, times }
        };
        let moves: Vec<Ply> = (inner.ply..).zip(&made).map(ply).collect();
        let played = made.into_iter().map(|(_, played)| Played { times: times.clone(), ..played });
        Arc::make_mut(&mut view.history).extend(played);
        view.shown = Arc::new(shown);
        let offered = view.offer.take().is_some();
        view.reason = reason;
        view.result = result;
        let next = self.to_move(&view);
        let left = view.clocks.as_mut().and_then(|clocks| clocks.pass(next));
        let (game, result, played) = (self.id, view.result.clone(), moves.len() as i64);
        server.store.change(Change { game, moves, offered, result, left }).await?;
        self.run_clock(&mut view);
        inner.at = at;
        inner.ply += played;
        inner.agreed.clear();
        if view.result.is_some() {
            server.tables.leave(self);
            server.lobby.tick();
        }
        self.show(view);
        self.set_timer(server);
        Ok(())
    }

    /// Lets the computer move, as long as it is its turn.
    pub fn go_on(self: &Arc<Self>, server: &Arc<Server>) {
        let computers_turn = |view: &View| {
            let seat = self.to_move(view)?;
            self.seats.get(seat).filter(|row| row.account.is_none()).map(|row| row.strength)
        };
        if computers_turn(&self.view()).is_none() || self.thinking.swap(true, Ordering::SeqCst) {
            return;
        }
        let (table, server) = (Arc::clone(self), Arc::clone(server));
        tokio::spawn(async move {
            while let Err(failure) = table.think(&server).await {
                log(&format!("the computer's move in game {}: {}", table.id, failure.sentence));
                // the time of the people here is spent, or the server has too much to do: it is told once more when they move
                let later = failure.status == StatusCode::TOO_MANY_REQUESTS;
                if failure.status.is_client_error() && !later {
                    break;
                }
                tokio::time::sleep(Duration::from_secs(if later { 5 } else { 1 })).await;
            }
            table.thinking.store(false, Ordering::SeqCst);
            // another move may have been made in between
            if table.view().result.is_none()
                && table.seats.iter().any(|seat| seat.account.is_some())
            {
                table.go_on_if_due(&server);
            }
        });
    }

    fn go_on_if_due(self: &Arc<Self>, server: &Arc<Server>) {
        let view = self.view();
        let due = self.to_move(&view).and_then(|seat| self.seats.get(seat));
        let stuck = view.shown.moves.is_empty();
        if due.is_some_and(|seat| seat.account.is_none()) && !stuck {
            self.go_on(server);
        }
    }

    /// The computer's moves until it is a person's turn.
    async fn think(self: &Arc<Self>, server: &Arc<Server>) -> Outcome<()> {
        loop {
            let view = self.view();
            let row = self.to_move(&view).and_then(|seat| self.seats.get(seat));
            let Some(row) = row.filter(|row| row.account.is_none()) else { return Ok(()) };
            let (ply, owner) = (view.history.len(), self.owner());
            if ply >= MOST_MOVES {
                return Err(Failure::conflict(format!("the game has had {MOST_MOVES} moves")));
            }
            let seat = self.to_move(&view).unwrap_or(0);
            let left = view.clocks.as_ref().map(|clocks| clocks.left(seat));
            let work = server.slow.left(&owner).unwrap_or(f64::INFINITY);
            let search = search(row.strength, self.seed, ply, left, work);
            let (at, rules) = (self.inner.lock().await.at.clone(), self.rules.clone());
            let think = move || limited(&at, &rules).best(search);
            let best = server.slow.run(&owner, think).await??;
            let Some(best) = best else {
                return Err(Failure::conflict("there is no move to choose"));
            };
            let mut inner = self.inner.lock().await;
            let now = self.view();
            if now.result.is_some() || self.out_of_time(&now).is_some() || now.history.len() != ply
            {
                continue;
            }
            let text = best.mv.term().to_string();
            let step = self.step(server, &owner, inner.at.clone(), text).await?;
            self.take(server, &mut inner, step, Some(best.reason)).await?;
        }
    }

    /// Ends the game for a reason that is not in the rules.
    pub(super) async fn end(
        &self,
        server: &Server,
        inner: &mut super::Inner,
        result: String,
    ) -> Outcome<()> {
        let mut view = View { result: Some(result), offer: None, ..(*self.view()).clone() };
        let left = view.clocks.as_mut().and_then(|clocks| clocks.stop());
        let (game, result) = (self.id, view.result.clone());
        server.store.change(Change { game, result, left, ..Change::default() }).await?;
        inner.agreed.clear();
        server.tables.leave(self);
        server.lobby.tick();
        self.show(view);
        Ok(())
    }

    pub async fn resign(self: Arc<Self>, server: Arc<Server>, account: Account) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        let seat = self.seat_of(&account)?;
        Self::going(&self.view())?;
        let result = match self.players.len() {
            1 => "given up".to_string(),
            _ => self.lost(seat, "has resigned"),
        };
        self.end(&server, &mut inner, result).await
    }

    /// How a game ends that a seat has lost for a reason that is not in the rules.
    pub(super) fn lost(&self, seat: usize, why: &str) -> String {
        let player = |seat: usize| self.players.get(seat).map_or("", String::as_str);
        match self.players.len() {
            2 => format!("a win for {}: {} {why}", player(1 - seat.min(1)), player(seat)),
            _ => format!("{} {why}", player(seat)),
        }
    }

    /// Leaves a game whose other players have been away for long.
    pub async fn abandon(self: Arc<Self>, server: Arc<Server>, account: Account) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        self.seat_of(&account)?;
        Self::going(&self.view())?;
        let mut others = self.people();
        others.retain(|other| other.id != account.id);
        let text = match others.is_empty() {
            true => "broken off",
            false => "broken off, as the others are away",
        };
        for other in others {
            if !server.lobby.away_for(other.id, AWAY) {
                return Err(Failure::conflict(format!(
                    "{} was here within the last {} minutes: offer a draw, or resign",
                    other.name,
                    AWAY.as_secs() / 60
                )));
            }
        }
        self.end(&server, &mut inner, text.to_string()).await
    }

    /// Offers a draw, asks to take the last move back, or for another game when this one is over. Without other people to
    /// agree it is done at once.
    pub async fn offer(
        self: Arc<Self>,
        server: Arc<Server>,
        account: Account,
        offer: Offer,
    ) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        let seat = self.seat_of(&account)?;
        let view = self.view();
        match (offer, &view.result, view.next) {
            (Offer::Rematch, None, _) => {
                return Err(Failure::conflict(
                    "this game goes on: another one comes when it is over",
                ));
            }
            (Offer::Rematch, _, Some(next)) => {
                return Err(Failure::conflict(format!("the next game is game {next} already")));
            }
            (Offer::Rematch, ..) => {}
            (Offer::Draw | Offer::Undo, ..) => Self::going(&view)?,
        }
        if view.offer.is_some() {
            return Err(Failure::conflict("there is an offer already: answer it first"));
        }
        if offer == Offer::Undo {
            self.last_of(&view, seat)?;
        }
        if self.people().len() == 1 {
            return match offer {
                Offer::Undo => self.undo(&server, &mut inner, seat).await,
                Offer::Draw => Err(Failure::conflict("the computer plays on: it takes no draw")),
                Offer::Rematch => self.again(&server).await,
            };
        }
        server.store.set_offer(self.id, Some((offer.word(), seat as i64))).await?;
        inner.agreed.clear();
        self.show(View { offer: Some((offer, seat)), ..(*view).clone() });
        Ok(())
    }

    /// Accepts what is offered, declines it, or withdraws one's own offer.
    pub async fn answer(
        self: Arc<Self>,
        server: Arc<Server>,
        account: Account,
        accepts: bool,
    ) -> Outcome<()> {
        let mut inner = self.inner.lock().await;
        let seat = self.seat_of(&account)?;
        let view = self.view();
        let Some((offer, by)) = view.offer else {
            return Err(Failure::conflict("nothing is offered, or no longer"));
        };
        if !accepts {
            server.store.set_offer(self.id, None).await?;
            self.show(View { offer: None, ..(*view).clone() });
            return Ok(());
        }
        if self.seats_of(account.id).any(|own| own == by) {
            return Err(Failure::conflict("the others are to answer your offer"));
        }
        inner.agreed.push(seat);
        let all = self.people().into_iter().all(|person| {
            self.seats_of(person.id).any(|own| own == by || inner.agreed.contains(&own))
        });
        if !all {
            return Ok(());
        }
        match offer {
            Offer::Draw => self.end(&server, &mut inner, "a draw by agreement".to_string()).await,
            Offer::Undo => self.undo(&server, &mut inner, by).await,
            Offer::Rematch => self.again(&server).await,
        }
    }

    /// Begins another game of the same rules; each player sits one seat further.
    async fn again(&self, server: &Server) -> Outcome<()> {
        let mut seats = self.seats.clone();
        seats.iter_mut().for_each(|seat| seat.left = None);
        seats.rotate_left(1);
        let next = server.begin(&self.rules, &self.title, &seats, self.pace, None).await?;
        server.store.set_next(self.id, next).await?;
        self.show(View { offer: None, next: Some(next), ..(*self.view()).clone() });
        Ok(())
    }

    /// The number of the last move of a seat.
    fn last_of(&self, view: &View, seat: usize) -> Outcome<usize> {
        let own = |account: &Option<Account>| account.as_ref().map(|account| account.id);
        let person = own(&self.seats[seat].account);
        let mine = |seat: Option<usize>| {
            seat.and_then(|seat| self.seats.get(seat))
                .is_some_and(|row| own(&row.account) == person)
        };
        view.history.iter().rposition(|played| mine(played.seat)).ok_or_else(|| {
            Failure::conflict("you have not moved yet: there is nothing to take back")
        })
    }

    /// Takes moves back, the last one of a seat included.
    async fn undo(
        self: &Arc<Self>,
        server: &Arc<Server>,
        inner: &mut super::Inner,
        seat: usize,
    ) -> Outcome<()> {
        let view = self.view();
        let from = self.last_of(&view, seat)?;
        let (mut at, count) = (inner.at.clone(), view.history.len() - from);
        (0..count).for_each(|_| drop(at.undo()));
        let (then, rules) = (at.clone(), self.rules.clone());
        let show = move || ShownAnswer::of(&limited(&then, &rules));
        let shown = server.pool(&self.rules).run(&self.owner(), show).await??;
        let mut view = View { offer: None, reason: None, ..(*view).clone() };
        // the time that the moves took is given back
        let times = view.history.get(from).and_then(|played| played.times.clone());
        let left = match (&mut view.clocks, times) {
            (Some(clocks), Some(times)) => clocks.restore(&times).to_vec(),
            (Some(clocks), None) => {
                clocks.stop();
                Vec::new()
            }
            (None, _) => Vec::new(),
        };
        server.store.remove_moves(self.id, from as i64, &left).await?;
        inner.at = at;
        inner.ply = from as i64;
        inner.agreed.clear();
        Arc::make_mut(&mut view.history).truncate(from);
        view.shown = Arc::new(shown);
        self.run_clock(&mut view);
        self.show(view);
        self.set_timer(server);
        Ok(())
    }

    /// Says something to the others.
    pub async fn say(
        self: Arc<Self>,
        server: Arc<Server>,
        account: Account,
        text: String,
    ) -> Outcome<()> {
        let _inner = self.inner.lock().await;
        self.seat_of(&account)?;
        let view = self.view();
        let text = text.trim();
        if text.is_empty() || text.chars().count() > LONGEST_MESSAGE {
            let sentence = format!("a message has 1 to {LONGEST_MESSAGE} characters");
            return Err(Failure::wrong(sentence));
        }
        if view.chat.len() >= MOST_MESSAGES {
            let sentence =
                format!("all of the {MOST_MESSAGES} messages of a game have been written");
            return Err(Failure::conflict(sentence));
        }
        server.store.say(self.id, view.chat.len() as i64, account.id, text).await?;
        let mut view = (*view).clone();
        Arc::make_mut(&mut view.chat).push((account.name, text.to_string()));
        self.show(view);
        Ok(())
    }
}
