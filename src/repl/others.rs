//! The players that no person plays: their moves, their seats, and the computer's choice.
//!
//! Ctrl-C ends a thought of the computer: the best move that it has found so far is played. Where only
//! the computer plays it ends the game.

use std::time::Duration;

use crate::referee::{Stop, Thought, interrupt};
use crate::search::{Choice, Limits, Listener, Player};
use crate::syntax::Term;
use crate::ui::seats::{self, Seat};
use crate::ui::{signals, tables, thinking};

use super::play::tell_events;
use super::prompt::Prompt;
use super::sitting::Sitting;

/// The longest time for a move, in seconds.
const LONGEST: f64 = 3600.0;
/// A thought that may take longer than this, or more playouts, is announced.
const LONG: Duration = Duration::from_secs(2);
const MANY: u64 = 5_000;
/// How long a question for candidates takes where no time is set.
const THOUGHT: Duration = Duration::from_secs(1);
/// How many moves `:best` tells beside the best one.
const OTHERS: usize = 2;
/// How many moves `:analyse` tells.
const LINES: usize = 5;
/// The expected share of games of a move that is proven to win.
const PROVEN: f64 = 0.999_999;

/// A move that the computer considers, and the line that it expects in the game's notation.
type Candidate = (Choice, Vec<String>);

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
        let thought = Thought { player: prompt.player, limits, seed: 0 };
        Ok(self.candidates(thought, 1, prompt)?.into_iter().next())
    }

    /// The best moves of the player to move, the best first; none where there is no move.
    fn candidates(
        &mut self,
        thought: Thought,
        wanted: usize,
        prompt: &Prompt<'_>,
    ) -> Result<Vec<Choice>, Stop> {
        let position = self.position().clone();
        let choices = self.referee.choices(&position)?;
        let slow = match (thought.limits.time, thought.limits.playouts, thought.player) {
            (_, _, Player::Level(_)) => false,
            (Some(time), ..) => time > LONG,
            (None, playouts, _) => playouts.is_none_or(|playouts| playouts > MANY),
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
        let thought = Thought { seed: self.lots(2).number(), ..thought };
        self.referee.threads = prompt.threads;
        let game = &self.opened.game;
        let mut think = |listener: &mut Listener<'_>| {
            self.referee.analyse(&position, &choices, thought, wanted, listener)
        };
        let found = match wanted > 1 && prompt.is_terminal() {
            true => thinking::shown(game, &position, think)?,
            false => think(&mut Listener::default())?,
        };
        if interrupt::interrupted() {
            if signals::ending().is_some() || self.has_no_person() {
                return Err(Stop::Interrupted);
            }
            signals::clear();
            if prompt.is_terminal() {
                // the terminal has shown the key in this line
                prompt.say("\nthe thought was stopped")?;
            }
        }
        Ok(found)
    }

    /// How long to think about the position, by the argument of a command.
    fn thought(&self, command: &str, rest: &str, prompt: &Prompt<'_>) -> Result<Thought, Stop> {
        let limits = match rest {
            "" if prompt.limits.time.is_none() && prompt.limits.playouts.is_none() => {
                Limits { time: Some(THOUGHT), playouts: None }
            }
            "" => prompt.limits,
            rest => match rest.parse::<f64>() {
                Ok(s) if s > 0.0 && s <= LONGEST => {
                    Limits { time: Some(Duration::from_secs_f64(s)), playouts: None }
                }
                _ => {
                    return Err(Stop::Failed(format!(
                        "`{command}` takes seconds, more than 0 and at most 3600"
                    )));
                }
            },
        };
        Ok(Thought { player: Player::Auto, limits, seed: 0 })
    }

    /// `:best [SECONDS]`
    ///
    /// # Errors
    /// A rule error.
    pub fn best(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let thought = self.thought("best", rest, prompt)?;
        let Some(found) = self.looked_at(thought, OTHERS + 1, prompt)? else { return Ok(()) };
        for (number, (choice, line)) in found.iter().enumerate() {
            let word = if number == 0 { "best" } else { "or" };
            let rest = line[1..].join(" ");
            let expected =
                if rest.is_empty() { String::new() } else { format!("; expected: {rest}") };
            prompt.say(format!("{word}: {} ({}){expected}", line[0], choice.reason))?;
            // beside a proven win nothing else was searched as far
            if choice.expected.is_some_and(|share| share > PROVEN) {
                break;
            }
        }
        Ok(())
    }

    /// `:analyse [SECONDS]`
    ///
    /// # Errors
    /// A rule error.
    pub fn analyse(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let thought = self.thought("analyse", rest, prompt)?;
        let Some(found) = self.looked_at(thought, LINES, prompt)? else { return Ok(()) };
        let row = |(choice, line): &Candidate| {
            vec![line[0].clone(), choice.reason.clone(), line[1..].join(" ")]
        };
        let rows: Vec<Vec<String>> = found.iter().map(row).collect();
        prompt.console.text(tables::plain(&rows, &[], prompt.console.width()))
    }

    /// The best moves, each with the line that is expected; `None`, and a word on it, where nobody is to
    /// move.
    fn looked_at(
        &mut self,
        thought: Thought,
        wanted: usize,
        prompt: &Prompt<'_>,
    ) -> Result<Option<Vec<Candidate>>, Stop> {
        if let Some(result) = self.ended()? {
            prompt.say(format!("the game is over: {result}"))?;
            return Ok(None);
        }
        let found = self.candidates(thought, wanted, prompt)?;
        if found.is_empty() {
            prompt.say("no player is to move")?;
            return Ok(None);
        }
        let position = self.position().clone();
        let mut lines = Vec::with_capacity(found.len());
        for choice in found {
            let line = self.referee.expected_line(&position, &choice)?;
            lines.push((choice, line));
        }
        Ok(Some(lines))
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
