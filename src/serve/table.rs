//! A game that is being played, or was: its position, who sits where, and what all of them see of it.
//!
//! A change holds `inner` from the first look until all is written to the database and shown, so of two moves
//! at once the second one sees the first.

mod commands;
mod state;
mod time;

pub use commands::STRENGTHS;
pub use state::Played;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;

use crate::api::{Error, Game, Outcome, Position};
use crate::ask::ShownAnswer;

use super::account::Account;
use super::catalogue::limited;
use super::clock::{Clocks, Pace};
use super::failure::{Failure, Outcome as Done};
use super::limits::Owner;
use super::store::{GameRow, Ply, Rules, SeatRow};

/// After this time the replay of a long game lets others have their turn.
const PIECE: Duration = Duration::from_millis(50);

/// What a player may offer to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Draw,
    Undo,
    /// Another game of the same rules with the seats exchanged, when this one is over.
    Rematch,
}

impl Offer {
    pub fn word(self) -> &'static str {
        match self {
            Offer::Draw => "draw",
            Offer::Undo => "undo",
            Offer::Rematch => "rematch",
        }
    }

    pub fn read(word: &str) -> Option<Offer> {
        let all = [Offer::Draw, Offer::Undo, Offer::Rematch];
        all.into_iter().find(|offer| offer.word() == word)
    }
}

/// A game at which people sit.
pub struct Table {
    pub id: i64,
    pub rules: Rules,
    pub title: String,
    /// The names of the players by the rules, in the order of the seats.
    pub players: Vec<String>,
    pub seats: Vec<SeatRow>,
    pub pace: Option<Pace>,
    seed: i64,
    inner: Mutex<Inner>,
    /// What all of them see, newest last.
    shown: watch::Sender<Arc<View>>,
    /// The computer is thinking about its move.
    thinking: AtomicBool,
    /// What ends the game when a clock has run out.
    timer: std::sync::Mutex<Option<AbortHandle>>,
    /// How many look on.
    onlookers: AtomicUsize,
}

struct Inner {
    at: Position,
    /// The number of the next move in the database.
    ply: i64,
    /// Which seats have agreed to what is offered.
    agreed: Vec<usize>,
}

/// What everybody sees of a table.
#[derive(Debug, Clone)]
pub struct View {
    /// The position, for the player to move.
    pub shown: Arc<ShownAnswer>,
    pub history: Arc<Vec<Played>>,
    /// How the game has ended.
    pub result: Option<String>,
    pub offer: Option<(Offer, usize)>,
    /// Who said what.
    pub chat: Arc<Vec<(String, String)>>,
    /// Why the computer has moved so.
    pub reason: Option<String>,
    pub clocks: Option<Clocks>,
    /// The game that these players have begun after this one.
    pub next: Option<i64>,
}

/// What a move has led to.
struct Step {
    at: Position,
    made: Vec<(String, Played)>,
    shown: ShownAnswer,
    result: Option<String>,
}

/// The moves of a recorded game being played again, in pieces between which others have their turn.
pub struct Replay {
    at: Position,
    rules: Rules,
    players: Vec<String>,
    history: Vec<Played>,
    moves: std::vec::IntoIter<Ply>,
}

impl Replay {
    pub fn new(game: &Game, rules: Rules, moves: Vec<Ply>) -> Replay {
        let (at, players) = (game.start(), game.players());
        Replay { at, rules, players, history: Vec::new(), moves: moves.into_iter() }
    }

    pub fn is_done(&self) -> bool {
        self.moves.len() == 0
    }

    /// Plays moves for a while. Runs in a pool.
    ///
    /// # Errors
    /// A move that the rules do not allow, which only happens when the rules of a shipped game have changed; a limit.
    pub fn play_on(mut self) -> Result<Replay, Error> {
        let end = Instant::now() + PIECE;
        for ply in self.moves.by_ref() {
            self.at = limited(&self.at, &self.rules);
            let (_, played) = state::play(&mut self.at, &self.players, &ply.mv)?;
            self.history.push(Played { times: ply.times, ..played });
            if Instant::now() >= end {
                break;
            }
        }
        Ok(self)
    }
}

impl Table {
    /// Sets a recorded game up whose moves have been played again, and draws the chance events that are due. Runs in a pool.
    ///
    /// # Errors
    /// A rule error, or a limit.
    pub fn set_up(
        replay: Replay,
        row: GameRow,
        chat: Vec<(String, String)>,
    ) -> Result<(Table, Vec<Ply>), Error> {
        let Replay { at, players, mut history, .. } = replay;
        let GameRow { id, rules, title, seed, pace, result, offer, next, seats } = row;
        let (mut at, played) = (limited(&at, &rules), history.len());
        // an ended game stays as it was recorded
        let mut drawn = Vec::new();
        if result.is_none() {
            let events = state::draw_events(&mut at, seed)?;
            for ((mv, played), ply) in events.into_iter().zip(played as i64..) {
                drawn.push(Ply { ply, mv, times: None });
                history.push(played);
            }
        }
        let shown = ShownAnswer::of(&at)?;
        let offer =
            offer.and_then(|(word, by)| Some((Offer::read(&word)?, usize::try_from(by).ok()?)));
        let clocks = pace.map(|pace| Clocks::new(pace, seats.iter().map(|seat| seat.left)));
        let view = View {
            shown: Arc::new(shown),
            history: Arc::new(history),
            result: result.or(at.outcome()?.map(|outcome| told(&outcome, players.len()))),
            offer,
            chat: Arc::new(chat),
            reason: None,
            clocks,
            next,
        };
        let ply = (played + drawn.len()) as i64;
        let inner = Inner { at, ply, agreed: Vec::new() };
        let table = Table {
            id,
            rules,
            title,
            players,
            seats,
            pace,
            seed,
            inner: Mutex::new(inner),
            shown: watch::Sender::new(Arc::new(view)),
            thinking: AtomicBool::new(false),
            timer: std::sync::Mutex::new(None),
            onlookers: AtomicUsize::new(0),
        };
        table.start_clock();
        Ok((table, drawn))
    }

    /// What everybody sees now.
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.shown.borrow())
    }

    /// Tells of each change.
    pub fn watch(&self) -> watch::Receiver<Arc<View>> {
        self.shown.subscribe()
    }

    /// The seats of a person; several where he plays against himself.
    pub fn seats_of(&self, account: i64) -> impl Iterator<Item = usize> + '_ {
        let own = move |seat: &SeatRow| seat.account.as_ref().is_some_and(|own| own.id == account);
        self.seats.iter().enumerate().filter(move |(_, seat)| own(seat)).map(|(number, _)| number)
    }

    /// The people at the table, each once.
    pub fn people(&self) -> Vec<&Account> {
        let mut people: Vec<&Account> = Vec::new();
        for account in self.seats.iter().filter_map(|seat| seat.account.as_ref()) {
            if !people.iter().any(|other| other.id == account.id) {
                people.push(account);
            }
        }
        people
    }

    /// The seat whose turn it is; `None` when the game is over.
    pub fn to_move(&self, view: &View) -> Option<usize> {
        if view.result.is_some() {
            return None;
        }
        self.players.iter().position(|player| *player == view.shown.position.turn)
    }

    /// The name of a seat's player with who plays him.
    pub fn who(&self, seat: usize) -> String {
        let player = self.players.get(seat).map_or("", String::as_str);
        match self.seats.get(seat).and_then(|seat| seat.account.as_ref()) {
            Some(account) => format!("{} ({player})", account.name),
            None => format!("the computer ({player})"),
        }
    }

    /// Who pays for what the server does at the table by itself.
    pub fn owner(&self) -> Owner {
        Owner::Account(self.people().first().map_or(0, |account| account.id))
    }

    /// The position after some of the moves, for a reader who looks back.
    ///
    /// # Errors
    /// There were fewer moves.
    pub async fn at(&self, ply: usize) -> Done<Position> {
        let (mut at, last) = {
            let inner = self.inner.lock().await;
            (inner.at.clone(), self.view().history.len())
        };
        if ply > last {
            return Err(Failure::missing(format!(
                "the game has {last} moves, and no position {ply}"
            )));
        }
        for _ in ply..last {
            at.undo();
        }
        Ok(at)
    }

    /// How many look on who do not play.
    pub fn onlookers(&self) -> usize {
        self.onlookers.load(Ordering::Relaxed)
    }

    /// Tells all of the table again, though the game has not changed.
    pub fn show_again(&self) {
        self.shown.send_modify(|_| ());
    }

    fn show(&self, view: View) {
        self.shown.send_replace(Arc::new(view));
    }
}

/// A spectator; dropped when he closes the page.
pub struct Onlooker(Arc<Table>);

impl Onlooker {
    pub fn new(table: &Arc<Table>) -> Onlooker {
        table.onlookers.fetch_add(1, Ordering::Relaxed);
        table.show_again();
        Onlooker(Arc::clone(table))
    }
}

impl Drop for Onlooker {
    fn drop(&mut self) {
        self.0.onlookers.fetch_sub(1, Ordering::Relaxed);
        self.0.show_again();
    }
}

/// How a game has ended, in words for players.
fn told(outcome: &Outcome, players: usize) -> String {
    let how = match outcome.winners.as_slice() {
        [] if players == 1 => None,
        [] => Some("a draw".to_string()),
        winners => Some(format!("a win for {}", winners.join(" and "))),
    };
    let mut text = match (how, &outcome.end) {
        (Some(how), Some(end)) => format!("{how}: {end}"),
        (Some(how), None) => how,
        (None, Some(end)) => end.clone(),
        (None, None) => "finished".to_string(),
    };
    if let Some(scores) = &outcome.scores {
        let known: Vec<String> = scores.iter().flatten().map(i64::to_string).collect();
        if !known.is_empty() {
            text.push_str(&format!(" (score {})", known.join(" to ")));
        }
    }
    text
}
