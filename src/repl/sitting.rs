//! An open game: its position, its history, and the handling of entries.

use std::path::PathBuf;

use crate::engine::Random;
use crate::referee::drawn_for;
use crate::referee::miss::Miss;
use crate::referee::naming::Named;
use crate::referee::typed::{self, Reading};
use crate::referee::values::sites_in;
use crate::referee::{Choices, Position, Referee, Stop};
use crate::reference::Facts;
use crate::syntax::Term;
use crate::ui::seats::{self, Seat};
use crate::ui::{signals, solutions, start};

use super::assistant::Helper;
use super::commands::{After, Command};
use super::entry::Entry;
use super::help;
use super::prompt::Prompt;
use super::rules::Opened;
use super::switch::Begin;
use super::watch::Watch;
use super::why::Told;
use crate::referee::naming;

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
    /// Who plays for each player in order.
    pub seats: Vec<Seat>,
    /// The player who has resigned in the current position.
    pub resigned: Option<String>,
    /// Where the game is saved, once that is known.
    pub file: Option<PathBuf>,
    /// The moves that are in the file, and who resigned there.
    pub kept: Option<(Vec<String>, Option<String>)>,
    /// A person has made a move, or only the computer plays.
    pub touched: bool,
    /// The last question (with its full stop) or refused move, for `:why`.
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
        seats: Option<Vec<Seat>>,
        file: Option<PathBuf>,
        prompt: &mut Prompt<'_>,
    ) -> Result<Sitting<'g>, Stop> {
        let mut referee = Referee::new(&opened.game, prompt.evaluator);
        referee.values = solutions::known(&opened.game);
        let players = seats::players(&opened.game);
        let seats = seats.filter(|seats| seats.len() == players.len());
        let taken = if prompt.plays { vec![Seat::Human] } else { vec![Seat::Human; players.len()] };
        let position = referee.opening();
        let facts = referee.facts(&position);
        let mut sitting = Sitting {
            opened,
            referee,
            seed: 0,
            opening: (position, facts),
            steps: Vec::new(),
            at: 0,
            seats: seats.map_or_else(|| seats::fill(&taken, &players), Ok)?,
            resigned: None,
            file,
            kept: None,
            touched: false,
            asked: None,
            told: None,
        };
        let saved = matches!(begin, Begin::Saved(..));
        match sitting.begin(begin, prompt) {
            Ok(()) => {}
            // a game that is played is not lost
            Err(stop) if prompt.plays && (saved || sitting.has_no_person()) => {
                sitting.leave(prompt)?;
                return Err(stop);
            }
            // questions can be asked even about a game whose opening is a rule error
            Err(stop) => prompt.report(stop)?,
        }
        Ok(sitting)
    }

    /// Reads and runs entries until the game is left.
    ///
    /// # Errors
    /// When nobody listens any more.
    pub fn run(&mut self, prompt: &mut Prompt<'_>) -> Result<After, Stop> {
        // no person can type anything
        let after = match prompt.plays && self.has_no_person() && self.ended()?.is_some() {
            true => Ok(After::Leave),
            false => self.entries(prompt),
        };
        if !matches!(&after, Ok(After::Open(opening)) if opening.is_carried()) {
            self.leave(prompt)?;
        }
        after
    }

    fn entries(&mut self, prompt: &mut Prompt<'_>) -> Result<After, Stop> {
        let mut watch = Watch::new(self.opened, prompt);
        loop {
            self.save_at_end(prompt);
            let (asked, helper) = self.prompt_line(prompt);
            let Some(entry) = prompt.entry(&asked, helper)? else { return Ok(After::Leave) };
            if let Some(opened) = watch.changed(prompt)? {
                prompt.again = Some(entry);
                return Ok(self.switch(opened));
            }
            match self.answer(entry, prompt) {
                Ok(After::Stay) => {}
                Ok(after) => return Ok(after),
                Err(Stop::Interrupted) if signals::ending().is_some() => {
                    return Err(Stop::Interrupted);
                }
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
            Entry::Mark => match self.asked.is_some() || self.ended()?.is_some() {
                true => self.why("", prompt)?,
                false => help::show(prompt, "")?,
            },
            Entry::Question(text) => match self.sentence(&text)? {
                Some(sentence) => self.play(&sentence, prompt)?,
                None => self.question(&text, prompt)?,
            },
            Entry::Move(text) => match Command::bare(&text) {
                Some((command, rest)) if !self.is_move(&text, Reading::Exact)? => {
                    let rest = rest.to_string();
                    return match self.obey(command, &rest, prompt) {
                        // `place a stone at d4`, and what is said of it where that is no legal move
                        Err(Stop::Diagnosed { .. } | Stop::Failed(_))
                            if !rest.is_empty()
                                && (self.is_move(&text, Reading::Any)?
                                    || is_sentence(command, &rest)) =>
                        {
                            self.play(&text, prompt).map(|()| After::Stay)
                        }
                        after => after,
                    };
                }
                _ => self.play(&text, prompt)?,
            },
        }
        Ok(After::Stay)
    }

    /// A text that ends with a full stop without it, where it is a move and no question: `I pass.`
    fn sentence(&mut self, text: &str) -> Result<Option<String>, Stop> {
        let plain = text.trim().trim_end_matches('.').trim_end();
        let asks = text.trim_start().len() < text.len() || self.understand(text).is_ok();
        if asks || plain.is_empty() {
            return Ok(None);
        }
        // of a site that no goal has around it, it is said why it is no move
        let of_sites = !plain.contains('(') && !sites_in(&self.referee, plain).is_empty();
        let is_move = of_sites || self.is_move(plain, Reading::Any)?;
        Ok(is_move.then(|| plain.to_string()))
    }

    /// Whether a text names a legal move, as far from its name as `reading` allows.
    fn is_move(&mut self, text: &str, reading: Reading) -> Result<bool, Stop> {
        let (_, _, named) = self.choices()?;
        let read = typed::read(&self.referee, self.position(), &named, text, reading)?;
        Ok(matches!(read, Ok(_) | Err(Miss::Ambiguous(_))))
    }

    fn prompt_line(&mut self, prompt: &Prompt<'_>) -> (String, Helper) {
        if !prompt.draws() {
            return (String::new(), Helper::lobby());
        }
        let position = self.position().clone();
        let turn = self.referee.name(self.referee.turn(&position));
        // a rule error is reported when a question is asked, not at every prompt
        let outcome = self.ended().ok().flatten();
        let choices = match outcome {
            Some(_) => Choices::default(),
            None => self.referee.choices(&position).unwrap_or_default(),
        };
        let named = naming::names(&self.referee, &position, &choices).unwrap_or_default();
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

    /// The result, and the choices with their names; there are none when the game is over.
    ///
    /// # Errors
    /// A rule error.
    pub fn choices(&mut self) -> Result<(Option<String>, Choices, Vec<Named>), Stop> {
        let position = self.position().clone();
        let outcome = self.ended()?;
        let choices = match outcome {
            Some(_) => Choices::default(),
            None => self.referee.choices(&position)?,
        };
        let named = naming::names(&self.referee, &position, &choices)?;
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
        self.resigned = None;
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
            if self.ended()?.is_some() {
                return Ok(events);
            }
            let choices = self.referee.choices(&position)?;
            if !choices.chance {
                return Ok(events);
            }
            if events.len() >= start::MOST_EVENTS {
                return Err(start::endless());
            }
            let event = Referee::draw(&choices, &mut self.lots(0))?;
            self.make(&event, true)?;
            events.extend(self.steps.last().map(|step| step.notation.clone()));
        }
    }
}

/// Whether what is typed behind the name of a command is a part of a sentence about a move: it has a small word, or the
/// command takes nothing behind it.
fn is_sentence(command: Command, rest: &str) -> bool {
    let small = |word: &str| {
        ["a", "an", "the", "my", "on", "at", "to", "in", "from"]
            .contains(&word.to_lowercase().as_str())
    };
    command.takes.is_empty() || rest.split_whitespace().any(small)
}
