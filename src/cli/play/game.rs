//! A game in progress: its turns, its messages, and how it is left.

use std::path::{Path, PathBuf};

use crate::engine::Random;
use crate::explain::Prompts;
use crate::record::{self, SaveError, Trial};
use crate::referee::interrupt;
use crate::render::fit;
use crate::search::{Choice, Limits};
use crate::syntax::Term;

use super::super::replay::{Step, last};
use super::person::Turn;
use super::seats::Seat;
use crate::referee::drawn_for;
use crate::referee::{Choices, Position, Referee, Stop};
use crate::ui::console::Console;
use crate::ui::input::Input;
use crate::ui::signals;

/// The most consecutive chance events that are shown one by one.
const TOLD: usize = 8;

/// A game in progress.
pub struct Going<'g> {
    pub referee: Referee<'g>,
    pub console: &'g Console,
    pub trial: Trial,
    pub steps: Vec<Step>,
    pub opening: Position,
    pub seats: Vec<Seat>,
    pub limits: Limits,
    pub input: Input,
    /// The file in which the game is saved, once there is one.
    pub file: Option<PathBuf>,
    /// How many moves the last save had.
    pub saved: Option<usize>,
    /// Chance events that have not been shown yet.
    pub events: Vec<String>,
}

impl Going<'_> {
    /// Plays until the game is over or left.
    pub fn play(&mut self) -> Result<(), Stop> {
        match self.rounds() {
            Ok(()) => Ok(()),
            Err(Stop::Interrupted) => self.leave(),
            Err(Stop::Closed) => Err(Stop::Closed),
            Err(stop) => {
                // a fault of the rules must not lose the game
                self.leave()?;
                Err(stop)
            }
        }
    }

    fn rounds(&mut self) -> Result<(), Stop> {
        self.introduce()?;
        loop {
            self.save_at_end();
            if interrupt::interrupted() {
                return Err(Stop::Interrupted);
            }
            let position = self.position().clone();
            if self.over(&position)? {
                return Ok(());
            }
            let choices = self.referee.choices(&position)?;
            if choices.chance {
                self.chance(&position, &choices)?;
                continue;
            }
            self.tell_events()?;
            if self.seat(&position) != Seat::Human {
                self.tell_others(&self.prompts(&position)?)?;
            }
            match self.seat(&position) {
                Seat::Human => match self.person(&position, &choices)? {
                    Turn::Over => {}
                    Turn::Resigned => return self.resigned(),
                    Turn::Left => return self.leave(),
                },
                Seat::Random => {
                    let mut random = self.random(&position, 1);
                    let drawn = random.below(choices.all.len() as u64) as usize;
                    let term = choices.all[drawn].0.clone();
                    self.make(&position, &term, "at random")?;
                }
                Seat::Computer => {
                    let Some(choice) = self.choose(&position, &choices)? else {
                        return Err(Stop::Interrupted);
                    };
                    if interrupt::interrupted() {
                        return Err(Stop::Interrupted);
                    }
                    self.make(&position, &choice.term, &choice.reason)?;
                }
            }
        }
    }

    pub fn position(&self) -> &Position {
        self.steps.last().map_or(&self.opening, |step| &step.position)
    }

    /// A position drawn in text, with the sites of the last player's move.
    pub fn drawn(&self, position: &Position) -> Result<String, Stop> {
        let last = last(&self.opening, &self.steps);
        self.referee.drawn_after(position, last.as_ref(), self.console.width())
    }

    fn introduce(&self) -> Result<(), Stop> {
        let program = &self.referee.game.program;
        let seats: Vec<String> = program
            .players
            .iter()
            .zip(&self.seats)
            .map(|(player, seat)| format!("{} ({})", self.referee.name(*player), seat.word()))
            .collect();
        let console = self.console;
        console.line(format!("{}: {}", console.bold(&program.title), seats.join(", ")))?;
        if self.seats.contains(&Seat::Human) {
            console.line("`help` lists what can be typed")?;
        } else {
            console.line(self.referee.drawn(self.position(), console.width())?)?;
        }
        if !self.steps.is_empty() {
            let moves = if self.steps.len() == 1 { "move" } else { "moves" };
            console.line(format!("{} {moves} were played before", self.steps.len()))?;
        }
        console.flush()
    }

    fn seat(&self, position: &Position) -> Seat {
        let turn = self.referee.turn(position);
        let player = self.referee.game.program.player_index(turn);
        player.and_then(|i| self.seats.get(i)).copied().unwrap_or(Seat::Human)
    }

    pub fn prompts(&self, position: &Position) -> Result<Prompts, Stop> {
        let facts = self.referee.facts(position);
        self.referee.rules.prompts(&facts).map_err(|error| self.referee.stopped(error))
    }

    /// Shows the people who are not to move what the rules tell them.
    pub fn tell_others(&self, prompts: &Prompts) -> Result<(), Stop> {
        for (player, text) in &prompts.to_others {
            let index = self.referee.game.program.player_index(*player);
            if index.is_some_and(|i| self.seats.get(i) == Some(&Seat::Human)) {
                let told = format!("{}: {text}", self.referee.name(*player));
                self.console.line(fit(&told, self.console.width(), 4))?;
            }
        }
        Ok(())
    }

    fn random(&self, position: &Position, purpose: u64) -> Random {
        drawn_for(self.trial.seed, self.referee.ply(position), purpose)
    }

    fn chance(&mut self, position: &Position, choices: &Choices) -> Result<(), Stop> {
        let term = Referee::draw(choices, &mut self.random(position, 0))?;
        let notation = self.commit(position, &term)?;
        self.events.push(notation);
        Ok(())
    }

    fn tell_events(&mut self) -> Result<(), Stop> {
        let events = std::mem::take(&mut self.events);
        match events.as_slice() {
            [] => Ok(()),
            few if few.len() <= TOLD => self.console.line(format!("chance: {}", few.join(", "))),
            many => {
                let last = &many[many.len() - 1];
                self.console.line(format!("chance: {} events, the last {last}", many.len()))
            }
        }
    }

    /// Plays a move and adds it to the record; returns its notation.
    pub fn commit(&mut self, position: &Position, term: &Term) -> Result<String, Stop> {
        let chance = self.referee.choices(position)?.chance;
        let player = (!chance).then(|| self.referee.name(self.referee.turn(position)));
        let notation = self.referee.notation(&self.referee.facts(position), term)?;
        let Some(next) = self.referee.play(position, term)? else {
            return Err(Stop::Failed(format!("`{notation}` cannot be played")));
        };
        self.trial.push(term);
        self.steps.push(Step {
            term: term.clone(),
            notation: notation.clone(),
            player,
            position: next,
        });
        Ok(notation)
    }

    /// Plays and shows a move of the computer.
    fn make(&mut self, position: &Position, term: &Term, reason: &str) -> Result<(), Stop> {
        let player = self.referee.name(self.referee.turn(position));
        let notation = self.commit(position, term)?;
        let console = self.console;
        console.line(format!("{player} plays {} ({reason})", console.bold(&notation)))?;
        console.flush()
    }

    /// The computer's choice; `None` where there is no move.
    pub fn choose(
        &mut self,
        position: &Position,
        choices: &Choices,
    ) -> Result<Option<Choice>, Stop> {
        let seed = self.random(position, 2).number();
        self.referee.choose(position, choices, self.limits, seed)
    }

    /// Shows the result if the game is over.
    fn over(&mut self, position: &Position) -> Result<bool, Stop> {
        let outcome = self.referee.outcome(position)?;
        let uncovered = outcome.as_ref().is_some_and(|o| o.clause.is_none());
        let result = match (outcome, self.trial.resigned.clone()) {
            (Some(outcome), _) => self.referee.result(&outcome),
            (None, Some(player)) => format!("{player} has resigned"),
            (None, None) => return Ok(false),
        };
        self.tell_events()?;
        self.console.line("")?;
        self.console.text(self.drawn(position)?)?;
        self.console.line(self.console.bold(&result))?;
        if uncovered {
            self.console.warn(&self.referee.game.program.sources, self.referee.uncovered());
        }
        self.keep()?;
        Ok(true)
    }

    fn resigned(&mut self) -> Result<(), Stop> {
        let turn = self.referee.turn(self.position());
        let name = self.referee.name(turn);
        let players = self.referee.game.program.players.iter().filter(|p| **p != turn);
        let others: Vec<String> = players.map(|p| self.referee.name(*p)).collect();
        self.trial.resigned = Some(name.clone());
        let result = match others.as_slice() {
            [] => format!("resigned by {name}"),
            // no verb, since a player's name may be plural
            _ => format!("resigned by {name}: a win for {}", others.join(" and ")),
        };
        self.console.line(self.console.bold(&result))?;
        self.keep()
    }

    /// Saves a finished game if a file was named for it.
    fn keep(&mut self) -> Result<(), Stop> {
        match self.file.clone() {
            Some(file) => {
                signals::at_end(None);
                // the name may be taken by now: a new name loses nothing
                let saved = save_somewhere(&self.trial, Some(&file)).map(|saved| saved.path);
                self.say_saved(saved, false)
            }
            None => Ok(()),
        }
    }

    /// Leaves an unfinished game: saves it and shows where.
    fn leave(&mut self) -> Result<(), Stop> {
        if self.steps.is_empty() {
            return self.console.line("no move was made, so nothing is saved");
        }
        signals::at_end(None);
        let saved = save_somewhere(&self.trial, self.file.as_deref()).map(|saved| saved.path);
        self.say_saved(saved, true)
    }

    /// Saves under the given name, or under a free one.
    pub fn save(&mut self, path: Option<&Path>) -> Result<PathBuf, SaveError> {
        let saved = match path {
            Some(path) => record::save(&self.trial, path)?,
            None => record::save_new(&self.trial, Path::new(""))?,
        };
        self.saved = Some(self.trial.moves.len());
        Ok(saved.path)
    }

    /// Makes sure that the game is saved if a signal ends the program while it waits.
    pub fn save_at_end(&self) {
        let (trial, file) = (self.trial.clone(), self.file.clone());
        let unsaved = !self.steps.is_empty() && self.saved != Some(self.trial.moves.len());
        signals::at_end(
            unsaved
                .then(|| Box::new(move || drop(save_somewhere(&trial, file.as_deref()))) as Box<_>),
        );
    }

    fn say_saved(&self, saved: Result<PathBuf, SaveError>, go_on: bool) -> Result<(), Stop> {
        match saved {
            Ok(path) => {
                let path = path.display();
                self.console.line(format!("saved as {path}"))?;
                match go_on {
                    true => self.console.line(format!("go on with: ludex play --resume {path}")),
                    false => Ok(()),
                }
            }
            Err(error) => Err(Stop::Failed(error.to_string())),
        }
    }
}

/// Saves a game that is left: in its file or else under a new name, so that nothing is lost.
fn save_somewhere(trial: &Trial, file: Option<&Path>) -> Result<record::Saved, SaveError> {
    let named = file.map(|file| record::save(trial, file));
    match named {
        Some(Ok(saved)) => Ok(saved),
        _ => record::save_new(trial, Path::new(""))
            .or_else(|_| record::save_new(trial, &std::env::temp_dir())),
    }
}
