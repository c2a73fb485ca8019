//! The players that no person plays: their moves, their seats, and the computer's choice.
//!
//! Ctrl-C ends a thought of the computer: the best move that it has found so far is played. Where nobody
//! but the computer plays it ends the game.

use std::time::Duration;

use crate::referee::{Stop, interrupt};
use crate::search::{Choice, Limits};
use crate::syntax::Term;
use crate::ui::seats::{self, Seat};
use crate::ui::signals;

use super::play::tell_events;
use super::prompt::Prompt;
use super::sitting::Sitting;

/// The longest time for a move, in seconds.
const LONGEST: f64 = 3600.0;
/// A thought that may take longer than this, or more playouts, is announced.
const LONG: Duration = Duration::from_secs(2);
const MANY: u64 = 5_000;

impl Sitting<'_> {
    /// Makes chance events and the moves of players that no person plays, until it is a person's turn or
    /// the game is over, and shows the position.
    ///
    /// # Errors
    /// A rule error, or an interruption.
    pub fn go_on(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        loop {
            let events = self.draw_events()?;
            tell_events(&events, prompt)?;
            if self.ended()?.is_some() {
                break;
            }
            if interrupt::interrupted() {
                return Err(Stop::Interrupted);
            }
            self.touched |= self.has_no_person();
            self.save_at_end(prompt);
            let made = match self.seat() {
                Seat::Human => false,
                Seat::Random => {
                    let drawn = self.drawn()?;
                    self.make_and_tell(drawn, "at random", prompt)?
                }
                Seat::Computer => {
                    let chosen = self.think(prompt.limits, prompt)?;
                    let reason = chosen.as_ref().map_or(String::new(), |c| c.reason.clone());
                    self.make_and_tell(chosen.map(|c| c.term), &reason, prompt)?
                }
            };
            if !made {
                break;
            }
        }
        self.arrive(prompt)
    }

    /// A legal move, drawn by lot; `None` where there is none.
    ///
    /// # Errors
    /// A rule error.
    pub fn drawn(&mut self) -> Result<Option<Term>, Stop> {
        let choices = self.referee.choices(&self.position().clone())?;
        if choices.all.is_empty() {
            return Ok(None);
        }
        let drawn = self.lots(1).below(choices.all.len() as u64) as usize;
        Ok(Some(choices.all[drawn].0.clone()))
    }

    fn make_and_tell(
        &mut self,
        term: Option<Term>,
        reason: &str,
        prompt: &Prompt<'_>,
    ) -> Result<bool, Stop> {
        let Some(term) = term else { return Ok(false) };
        self.make(&term, false)?;
        self.tell_last(Some(reason), prompt)?;
        prompt.console.flush()?;
        Ok(true)
    }

    /// The computer's choice for the player to move; `None` where there is no move.
    fn think(&mut self, limits: Limits, prompt: &Prompt<'_>) -> Result<Option<Choice>, Stop> {
        let position = self.position().clone();
        let choices = self.referee.choices(&position)?;
        let slow = match (limits.time, limits.playouts) {
            (Some(time), _) => time > LONG,
            (None, playouts) => playouts.is_none_or(|playouts| playouts > MANY),
        };
        let long = slow && choices.all.len() > 1;
        if long && prompt.is_terminal() {
            let player = self.referee.name(self.referee.turn(&position));
            let end = match self.has_no_person() && prompt.plays {
                true => "Ctrl-C leaves the game",
                false => "Ctrl-C ends the thought with the best move so far",
            };
            prompt.say(format!("{player} thinks; {end}"))?;
            prompt.console.flush()?;
        }
        let seed = self.lots(2).number();
        let choice = self.referee.choose(&position, &choices, limits, seed)?;
        if interrupt::interrupted() {
            if signals::ending().is_some() || self.has_no_person() {
                return Err(Stop::Interrupted);
            }
            signals::clear();
        }
        Ok(choice)
    }

    /// `:best [SECONDS]`
    ///
    /// # Errors
    /// A rule error.
    pub fn best(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let limits = match rest {
            "" => prompt.limits,
            rest => match rest.parse::<f64>() {
                Ok(s) if s > 0.0 && s <= LONGEST => {
                    Limits { time: Some(Duration::from_secs_f64(s)), playouts: None }
                }
                _ => return Err(Stop::Failed("`best` takes seconds from 0 to 3600".to_string())),
            },
        };
        let (over, _, named) = self.choices()?;
        if let Some(result) = over {
            return prompt.say(format!("the game is over: {result}"));
        }
        match self.think(limits, prompt)? {
            Some(choice) => {
                let name = named.iter().find(|n| n.term == choice.term);
                let name = name.map_or("", |n| n.notation.as_str());
                prompt.say(format!("best: {name} ({})", choice.reason))
            }
            None => prompt.say("no player is to move"),
        }
    }

    /// `:play` without a move: plays the computer's choice for the player to move.
    ///
    /// # Errors
    /// A rule error.
    pub fn play_best(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if let Some(result) = self.ended()? {
            return prompt.say(format!("the game is over: {result}"));
        }
        if let Some(choice) = self.think(prompt.limits, prompt)? {
            self.touched = true;
            self.make_and_tell(Some(choice.term), &choice.reason, prompt)?;
        }
        self.go_on(prompt)
    }

    /// `:players [SEATS]`
    ///
    /// # Errors
    /// Words that name no seat, or more seats than players.
    pub fn players(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let players = seats::players(&self.opened.game);
        if rest.is_empty() {
            return prompt.say(seats::listed(players.into_iter(), &self.seats));
        }
        let given = seats::parse(rest).map_err(Stop::Failed)?;
        self.seats = seats::fill(&given, &players).map_err(|stop| match stop {
            Stop::Usage(text) => Stop::Failed(text.trim_start_matches("--").to_string()),
            stop => stop,
        })?;
        self.go_on(prompt)
    }

    /// Who plays for the player to move.
    pub fn seat(&self) -> Seat {
        let turn = self.referee.turn(self.position());
        let index = self.opened.game.program.player_index(turn);
        index.and_then(|i| self.seats.get(i)).copied().unwrap_or(Seat::Human)
    }

    pub fn has_no_person(&self) -> bool {
        !self.seats.contains(&Seat::Human)
    }

    /// Whether a person plays for the player of this name.
    pub fn is_person(&self, name: &str) -> bool {
        let players = self.opened.game.program.players.iter().zip(&self.seats);
        let mut same = players.filter(|(player, _)| self.referee.name(**player) == name);
        same.next().is_none_or(|(_, seat)| *seat == Seat::Human)
    }
}
