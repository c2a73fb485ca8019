//! The start of a sitting: a new game, a record, or a game carried over to other rules.
//!
//! When the rules change, the game continues in the same position if it fits the new rules, with
//! its moves if they are still legal. Otherwise the moves are played again from the first position
//! as far as they are legal.

use std::path::PathBuf;

use crate::record::Trial;
use crate::referee::Stop;
use crate::syntax::Term;
use crate::ui::seats::{self, Seat};
use crate::ui::{saved, start};

use super::commands::After;
use super::play::tell_events;
use super::prompt::Prompt;
use super::rules::Opened;
use super::sitting::{Made, Sitting};

/// A game to open, and how it starts.
pub struct Opening {
    pub opened: Opened,
    pub begin: Begin,
    /// Who plays; by default people, or one person against the computer.
    pub seats: Option<Vec<Seat>>,
    /// Where the game is saved.
    pub file: Option<PathBuf>,
}

/// How a game starts.
pub enum Begin {
    Fresh,
    Saved(Box<Trial>, PathBuf),
    Carried(Carried),
}

/// A game without its rules.
pub struct Carried {
    /// The first position, where it was set up.
    start: Option<String>,
    moves: Vec<Term>,
    /// The current position.
    position: String,
    seed: u64,
    asked: Option<String>,
    resigned: Option<String>,
    kept: Option<(Vec<String>, Option<String>)>,
    touched: bool,
}

impl Opening {
    pub fn fresh(opened: Opened) -> Opening {
        Opening { opened, begin: Begin::Fresh, seats: None, file: None }
    }

    /// Whether the same game goes on.
    pub fn is_carried(&self) -> bool {
        matches!(self.begin, Begin::Carried(_))
    }

    /// Whether only the computer plays.
    pub fn has_no_person(&self) -> bool {
        self.seats.as_ref().is_some_and(|seats| !seats.contains(&Seat::Human))
    }

    /// The name of the game, and who plays.
    pub fn title(&self) -> String {
        let program = &self.opened.game.program;
        let Some(seats) = &self.seats else { return program.title.clone() };
        let players = program.players.iter().map(|player| program.values.show(*player));
        format!("{}: {}", program.title, seats::listed(players, seats))
    }
}

impl Sitting<'_> {
    /// The part of the game to carry over to new rules.
    pub fn carried(&self) -> Carried {
        let from = self.beginning();
        let start = from.checked_sub(1).map(|at| self.updates_text(&self.steps[at].facts));
        let moves = self.steps[from..self.at].iter().filter_map(|step| match &step.made {
            Made::Move(term, _) => Some(term.clone()),
            Made::SetUp => None,
        });
        Carried {
            start,
            moves: moves.collect(),
            position: self.updates_text(&self.facts()),
            seed: self.seed,
            asked: self.asked.clone(),
            resigned: self.resigned.clone(),
            kept: self.kept.clone(),
            touched: self.touched,
        }
    }

    /// Continues with rules that have changed.
    pub fn switch(&self, opened: Opened) -> After {
        After::Open(Box::new(Opening {
            opened,
            begin: Begin::Carried(self.carried()),
            seats: Some(self.seats.clone()),
            file: self.file.clone(),
        }))
    }

    /// Starts the game.
    ///
    /// # Errors
    /// A rule error, or a record that does not fit.
    pub fn begin(&mut self, begin: Begin, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        match begin {
            Begin::Fresh => {
                self.seed = prompt.fresh_seed();
                if prompt.plays && self.has_no_person() {
                    self.board(prompt)?;
                }
                let events = self.draw_events()?;
                tell_events(&events, prompt)?;
                if prompt.draws() { self.go_on(prompt) } else { Ok(()) }
            }
            Begin::Saved(trial, file) => {
                self.seed = trial.seed;
                self.resume(&trial, &file)?;
                if prompt.plays {
                    let moves = if self.at == 1 { "move" } else { "moves" };
                    prompt.say(format!("{} {moves} were played before", self.at))?;
                }
                self.kept = Some((trial.moves.clone(), trial.resigned.clone()));
                self.resigned = trial.resigned.clone();
                self.file.get_or_insert(file);
                self.go_on(prompt)
            }
            Begin::Carried(carried) => self.carry(carried, prompt),
        }
    }

    fn resume(&mut self, trial: &Trial, file: &std::path::Path) -> Result<(), Stop> {
        let steps = saved::steps(&mut self.referee, trial, file)?;
        if trial.given.is_some() {
            let start = saved::opening(&mut self.referee, trial)?;
            self.push(Made::SetUp, "the saved beginning".to_string(), start);
        }
        for step in steps {
            self.push(Made::Move(step.term, step.player), step.notation, step.position);
        }
        Ok(())
    }

    fn carry(&mut self, carried: Carried, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        self.seed = carried.seed;
        self.asked = carried.asked;
        (self.kept, self.touched) = (carried.kept, carried.touched);
        if carried.start.is_none() && carried.moves.is_empty() {
            let events = self.draw_events()?;
            tell_events(&events, prompt)?;
        } else {
            let stopped = self.replay(carried.start.as_deref(), &carried.moves)?;
            let same = self.updates_text(&self.facts()) == carried.position;
            if stopped.is_some() || !same {
                self.carry_position(&carried.position, stopped, prompt)?;
            }
        }
        self.resigned = carried.resigned;
        Ok(())
    }

    /// Plays moves from the first position. Returns the number of the first that is not legal, and
    /// why.
    fn replay(
        &mut self,
        start: Option<&str>,
        moves: &[Term],
    ) -> Result<Option<(usize, String)>, Stop> {
        if let Some(text) = start {
            let Ok(facts) = start::given(&self.referee, "position", text) else {
                return Ok(Some((0, "the new rules do not know its first position".to_string())));
            };
            let position = self.referee.position(&facts)?;
            self.push(Made::SetUp, "as before".to_string(), position);
        }
        for (i, term) in moves.iter().enumerate() {
            let position = self.position().clone();
            let shown = crate::syntax::print_term(term);
            if self.referee.outcome(&position)?.is_some() {
                return Ok(Some((i, format!("the game is over before move {}, `{shown}`", i + 1))));
            }
            let choices = self.referee.choices(&position)?;
            if self.referee.play(&position, term)?.is_none() {
                return Ok(Some((i, format!("move {}, `{shown}`, is not legal", i + 1))));
            }
            self.make(term, choices.chance)?;
        }
        Ok(None)
    }

    /// For moves that do not lead to the position: sets it up if it fits the rules; otherwise the
    /// game continues where the moves end.
    fn carry_position(
        &mut self,
        position: &str,
        stopped: Option<(usize, String)>,
        prompt: &Prompt<'_>,
    ) -> Result<(), Stop> {
        let known = start::given(&self.referee, "position", position);
        if let Ok(facts) = known
            && let Ok(position) = self.referee.position(&facts)
        {
            self.steps.clear();
            self.at = 0;
            self.push(Made::SetUp, "the position under the rules before".to_string(), position);
            return prompt.say(match stopped {
                Some((_, why)) => {
                    format!("the game goes on in the same position, without its moves: by the new rules {why}")
                }
                None => "the game goes on in the same position, without its moves: by the new rules \
                         they lead to another one"
                    .to_string(),
            });
        }
        match stopped {
            Some((played, why)) => prompt.say(format!(
                "the new rules do not know the position; played again from the beginning, \
                 {played} of the moves are legal: {why}"
            )),
            None => prompt.say(
                "the new rules do not know the position; played again from the beginning, \
                 all moves are legal",
            ),
        }
    }
}
