//! An open game: its position, its history, and the handling of entries.

use crate::engine::{Outcome, Random};
use crate::explain::Facts;
use crate::referee::drawn_for;
use crate::referee::typed::{self, Named};
use crate::referee::{Choices, Evaluator, Position, Referee, Stop};
use crate::syntax::Term;

use super::assistant::Helper;
use super::commands::{After, Command};
use super::entry::Entry;
use super::prompt::Prompt;
use super::rules::Opened;
use super::switch::Begin;
use super::watch::Watch;
use super::why::Told;

/// The number of consecutive chance events after which they are assumed never to end.
const MOST_EVENTS: usize = 100_000;

/// How a position was reached.
#[derive(Debug, Clone)]
pub enum Made {
    /// By a move of this player, or by a chance event (`None`).
    Move(Term, Option<String>),
    /// It was set up.
    SetUp,
}

/// A position, and how it was reached.
#[derive(Debug, Clone)]
pub struct Step {
    pub made: Made,
    /// The move in the game's notation.
    pub notation: String,
    pub position: Position,
    /// The position as facts, without earlier positions.
    pub facts: Facts,
}

/// A game at the prompt.
pub struct Sitting<'g> {
    pub opened: &'g Opened,
    pub referee: Referee<'g>,
    pub seed: u64,
    pub opening: (Position, Facts),
    /// All steps; those from `at` on have been taken back.
    pub steps: Vec<Step>,
    /// How many steps lead to the current position.
    pub at: usize,
    /// The last question, for `:why`.
    pub asked: Option<String>,
    /// The last explanation, for `:more`.
    pub told: Option<Told>,
}

impl<'g> Sitting<'g> {
    /// Starts a new game, resumes a record, or carries a game over to new rules.
    ///
    /// # Errors
    /// A rule error, or a record that does not fit the rules.
    pub fn open(
        opened: &'g Opened,
        begin: Begin,
        prompt: &mut Prompt<'_>,
    ) -> Result<Sitting<'g>, Stop> {
        let mut referee = Referee::new(&opened.game, Evaluator::Compiled);
        let position = referee.opening();
        let facts = referee.facts(&position);
        let mut sitting = Sitting {
            opened,
            referee,
            seed: 0,
            opening: (position, facts),
            steps: Vec::new(),
            at: 0,
            asked: None,
            told: None,
        };
        // questions can be asked even about a game whose opening is a rule error
        if let Err(stop) = sitting.begin(begin, prompt) {
            prompt.report(stop)?;
        }
        Ok(sitting)
    }

    /// Reads and runs entries until the game is left.
    ///
    /// # Errors
    /// When nobody listens any more.
    pub fn run(&mut self, prompt: &mut Prompt<'_>) -> Result<After, Stop> {
        let mut watch = Watch::new(self.opened, prompt);
        loop {
            let (asked, helper) = self.prompt_line(prompt);
            let Some(entry) = prompt.entry(&asked, helper)? else { return Ok(After::Leave) };
            if let Some(opened) = watch.changed(prompt)? {
                prompt.again = Some(entry);
                return Ok(self.switch(opened));
            }
            match self.answer(entry, prompt) {
                Ok(After::Stay) => {}
                Ok(after) => return Ok(after),
                Err(stop) => prompt.report(stop)?,
            }
            // the entry may have been an editor
            if let Some(opened) = watch.changed(prompt)? {
                return Ok(self.switch(opened));
            }
        }
    }

    /// Runs an entry.
    ///
    /// # Errors
    /// Faults of the entry or of the rules.
    pub fn answer(&mut self, entry: Entry, prompt: &mut Prompt<'_>) -> Result<After, Stop> {
        match entry {
            Entry::Nothing => {}
            Entry::Command(word, rest) => {
                return self.obey(Command::find(&word)?, &rest, prompt);
            }
            Entry::Question(text) => self.question(&text, prompt)?,
            Entry::Move(text) => self.play(&text, prompt)?,
        }
        Ok(After::Stay)
    }

    fn prompt_line(&mut self, prompt: &Prompt<'_>) -> (String, Helper) {
        if !prompt.is_terminal() {
            return (String::new(), Helper::lobby());
        }
        let position = self.position().clone();
        let turn = self.referee.name(self.referee.turn(&position));
        // a rule error is reported when a question is asked, not at every prompt
        let outcome = self.referee.outcome(&position).ok().flatten();
        let choices = match outcome {
            Some(_) => Choices::default(),
            None => self.referee.choices(&position).unwrap_or_default(),
        };
        let named = typed::names(&self.referee, &position, &choices).unwrap_or_default();
        let word = match (&outcome, choices.chance) {
            (Some(_), _) => "over",
            (None, true) => "chance",
            (None, false) => &turn,
        };
        (format!("{word}> "), Helper::new(self, &named))
    }

    pub fn position(&self) -> &Position {
        match self.at {
            0 => &self.opening.0,
            at => &self.steps[at - 1].position,
        }
    }

    /// The position with earlier positions, for the reference evaluator.
    pub fn facts(&self) -> Facts {
        let from = self.beginning();
        let before = |at: usize| match at {
            0 => self.opening.1.clone(),
            at => self.steps[at - 1].facts.clone(),
        };
        let past: Vec<Facts> = (from..self.at).map(before).collect();
        self.referee.rules.with_past(&before(self.at), &past)
    }

    /// How many steps lead to the last position that was set up; 0 where none was.
    pub fn beginning(&self) -> usize {
        let set_up = |step: &Step| matches!(step.made, Made::SetUp);
        self.steps[..self.at].iter().rposition(set_up).map_or(0, |at| at + 1)
    }

    /// The outcome, and the choices with their names; there are none when the game is over.
    ///
    /// # Errors
    /// A rule error.
    pub fn choices(&mut self) -> Result<(Option<Outcome>, Choices, Vec<Named>), Stop> {
        let position = self.position().clone();
        let outcome = self.referee.outcome(&position)?;
        let choices = match outcome {
            Some(_) => Choices::default(),
            None => self.referee.choices(&position)?,
        };
        let named = typed::names(&self.referee, &position, &choices)?;
        Ok((outcome, choices, named))
    }

    /// The random generator for this position. Different purposes have independent generators.
    pub fn lots(&self, purpose: u64) -> Random {
        drawn_for(self.seed, self.referee.ply(self.position()), purpose)
    }

    /// Plays a legal move or chance event. Steps that were taken back are dropped.
    ///
    /// # Errors
    /// A rule error.
    pub fn make(&mut self, term: &Term, chance: bool) -> Result<(), Stop> {
        let position = self.position().clone();
        let facts = self.referee.facts(&position);
        let player = (!chance).then(|| self.referee.name(self.referee.turn(&position)));
        let notation = self.referee.notation(&facts, term)?;
        let Some(next) = self.referee.play(&position, term)? else {
            return Err(Stop::Failed(format!("`{notation}` cannot be played")));
        };
        self.push(Made::Move(term.clone(), player), notation, next);
        Ok(())
    }

    /// Adds a step after the current position.
    pub fn push(&mut self, made: Made, notation: String, position: Position) {
        let facts = self.referee.facts(&position);
        self.steps.truncate(self.at);
        self.steps.push(Step { made, notation, position, facts });
        self.at += 1;
    }

    /// Draws chance events until a player is to move; returns their notations.
    ///
    /// # Errors
    /// A rule error, or no event that can be drawn.
    pub fn draw_events(&mut self) -> Result<Vec<String>, Stop> {
        let mut events = Vec::new();
        loop {
            let position = self.position().clone();
            if crate::referee::interrupt::interrupted() {
                return Err(Stop::Interrupted);
            }
            if self.referee.outcome(&position)?.is_some() {
                return Ok(events);
            }
            let choices = self.referee.choices(&position)?;
            if !choices.chance {
                return Ok(events);
            }
            if events.len() >= MOST_EVENTS {
                let text = format!("nature has moved {MOST_EVENTS} times and does not stop");
                return Err(Stop::Failed(text));
            }
            let event = Referee::draw(&choices, &mut self.lots(0))?;
            self.make(&event, true)?;
            events.extend(self.steps.last().map(|step| step.notation.clone()));
        }
    }
}
