//! Steps of a game, and what a viewer is told of a table as JSON.

use std::sync::Arc;

use serde::Serialize;

use crate::api::{Error, Position};
use crate::ask::ShownAnswer;

use super::super::failure::sentence;
use super::super::lobby::Lobby;
use super::{Step, Table, View, told};

/// The most chance events in a row.
const MOST_EVENTS: usize = 100;

/// A move or chance event that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Played {
    /// In the game's notation.
    pub notation: String,
    /// The seat that has moved; nothing for a chance event.
    pub seat: Option<usize>,
    /// What the players had left when its turn began, in a game with clocks.
    #[serde(skip)]
    pub times: Option<String>,
}

/// Plays a move, and returns it as a term too.
pub fn play(at: &mut Position, players: &[String], text: &str) -> Result<(String, Played), Error> {
    let turn = at.turn();
    let made = at.play(text)?;
    let seat = players.iter().position(|player| *player == turn).filter(|_| !made.is_chance());
    Ok((
        made.term().to_string(),
        Played { notation: made.notation().to_string(), seat, times: None },
    ))
}

/// Draws the chance events that are due.
pub fn draw_events(at: &mut Position, seed: i64) -> Result<Vec<(String, Played)>, Error> {
    let mut drawn = Vec::new();
    while drawn.len() < MOST_EVENTS {
        let Some(made) = at.draw_chance(seed.unsigned_abs())? else { break };
        let played = Played { notation: made.notation().to_string(), seat: None, times: None };
        drawn.push((made.term().to_string(), played));
    }
    Ok(drawn)
}

impl Step {
    /// A player's move, and the chance events behind it. Runs in a pool.
    pub fn take(
        mut at: Position,
        players: &[String],
        seed: i64,
        text: &str,
    ) -> Result<Step, Error> {
        // a chance event is drawn by the server alone
        if at.is_chance()? {
            draw_events(&mut at, seed)?;
        }
        let mut made = vec![play(&mut at, players, text)?];
        made.extend(draw_events(&mut at, seed)?);
        let shown = ShownAnswer::of(&at)?;
        let result = at.outcome()?.map(|outcome| told(&outcome, players.len()));
        Ok(Step { at, made, shown, result })
    }
}

/// How many moves two histories have in common at the beginning.
fn common(before: &[Played], now: &[Played]) -> usize {
    before.iter().zip(now).take_while(|(before, now)| before == now).count()
}

/// A seat as a viewer sees it.
#[derive(Serialize)]
struct SeatState<'a> {
    player: &'a str,
    who: &'a str,
    /// It is the computer's.
    computer: bool,
    /// It is the viewer's own.
    you: bool,
    /// The person at this seat has the page open.
    here: bool,
    to_move: bool,
    /// What is left of the time, in milliseconds, in a game with clocks.
    left: Option<i64>,
    /// The clock runs.
    runs: bool,
}

/// All that a page shows of a table to one viewer.
#[derive(Serialize)]
struct State<'a> {
    seats: Vec<SeatState<'a>>,
    /// The viewer is to move.
    mine: bool,
    /// The number of moves; a move is sent with it, so that it is not played in another position.
    ply: usize,
    result: &'a Option<String>,
    /// What the viewer is told.
    told: Vec<String>,
    /// The position; nothing where it is the one that was told before.
    shown: Option<&'a ShownAnswer>,
    /// How many of the moves were told before, and those behind them.
    from: usize,
    history: &'a [super::Played],
    /// What is offered, by whom, and whether the viewer is to answer or has offered it.
    offer: Option<(&'static str, String, &'static str)>,
    /// How many messages were told before, and those behind them.
    said: usize,
    chat: &'a [(String, String)],
    reason: &'a Option<String>,
    /// The game that these players have begun after this one.
    next: Option<i64>,
    /// How many look on.
    onlookers: usize,
}

impl Table {
    /// What a viewer sees, as JSON; of the moves, the messages and the position only what is new since the view that the
    /// viewer was told `before`.
    pub fn state(
        &self,
        view: &View,
        before: Option<&View>,
        viewer: Option<i64>,
        lobby: &Lobby,
    ) -> String {
        let own: Vec<usize> = viewer.map_or_else(Vec::new, |id| self.seats_of(id).collect());
        let to_move = self.to_move(view);
        let seats = self.seats.iter().enumerate().map(|(number, seat)| SeatState {
            player: self.players.get(number).map_or("", String::as_str),
            who: seat.account.as_ref().map_or("computer", |account| &account.name),
            computer: seat.account.is_none(),
            you: own.contains(&number),
            here: seat.account.as_ref().is_none_or(|account| lobby.is_here(account.id)),
            to_move: to_move == Some(number),
            left: view.clocks.as_ref().map(|clocks| clocks.left(number)),
            runs: view.clocks.as_ref().is_some_and(|clocks| clocks.runs(number)),
        });
        let mine = to_move.is_some_and(|seat| own.contains(&seat));
        let quiet;
        let shown = match mine {
            true => &*view.shown,
            false => {
                quiet = ShownAnswer { moves: Vec::new(), ..(*view.shown).clone() };
                &quiet
            }
        };
        let offer = view.offer.map(|(offer, by)| {
            let role = match own.contains(&by) {
                true => "own",
                false if own.is_empty() => "other",
                false => "answer",
            };
            (offer.word(), self.who(by), role)
        });
        let shown = match before {
            Some(before) if Arc::ptr_eq(&before.shown, &view.shown) => None,
            _ => Some(shown),
        };
        let from = before.map_or(0, |before| common(&before.history, &view.history));
        let said = before.map_or(0, |before| before.chat.len().min(view.chat.len()));
        let state = State {
            seats: seats.collect(),
            mine,
            ply: view.history.len(),
            result: &view.result,
            told: self.told_to(view, &own),
            shown,
            from,
            history: &view.history[from..],
            offer,
            said,
            chat: &view.chat[said..],
            reason: &view.reason,
            next: view.next,
            onlookers: self.onlookers(),
        };
        serde_json::to_string(&state).unwrap_or_else(|_| "{}".to_string())
    }

    /// What the rules and the server tell a person at these seats; a spectator sits at none.
    pub fn told_to(&self, view: &View, own: &[usize]) -> Vec<String> {
        if let Some(result) = &view.result {
            return vec![format!("The game is over: {result}.")];
        }
        let Some(seat) = self.to_move(view) else { return Vec::new() };
        let shown = &view.shown;
        let mine = own.contains(&seat);
        let lead = if mine {
            "It is your turn".to_string()
        } else {
            format!("{} is to move", self.who(seat))
        };
        let mut told = vec![match mine && !shown.prompt.is_empty() {
            true => format!("{lead}: {}.", shown.prompt.join("; ")),
            false => format!("{lead}."),
        }];
        for line in &shown.told {
            let for_me = own.iter().any(|own| self.players.get(*own) == Some(&line.player));
            if for_me && !mine {
                told.push(sentence(&line.text));
            } else if own.is_empty() {
                told.push(sentence(&format!("{}: {}", line.player, line.text)));
            }
        }
        told
    }
}
