//! Saving and loading games.

use std::path::{Path, PathBuf};

use crate::record::{self, Trial};
use crate::referee::Stop;
use crate::ui::{open, saved};

use super::commands::After;
use super::prompt::Prompt;
use super::rules::{Opened, Rules};
use super::sitting::{Made, Sitting};
use super::switch::{Begin, Opening};

impl Sitting<'_> {
    /// `:save [FILE]`
    ///
    /// # Errors
    /// Where it cannot be saved.
    pub fn save(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let trial = self.trial();
        let named = if rest.is_empty() { self.file.clone() } else { Some(PathBuf::from(rest)) };
        let saved = match named {
            None => record::save_new(&trial, Path::new("")),
            Some(name) => record::save(&trial, &name),
        };
        let saved = saved.map_err(|error| Stop::Failed(error.to_string()))?;
        self.remember_kept(&trial, &saved.path);
        prompt.say(format!("saved as {}", saved.path.display()))?;
        match self.opened.rules.edits.is_empty() {
            true => Ok(()),
            false => prompt.say("the rules were changed: `:save-rules FILE` saves them too"),
        }
    }

    /// The record of the game up to the current position.
    pub fn trial(&self) -> Trial {
        let mut trial = open::trial(&self.opened.rules.request, &self.opened.game, self.seed);
        trial.players = self.seats.iter().map(|seat| seat.word().to_string()).collect();
        trial.resigned = self.resigned.clone();
        let from = self.beginning();
        trial.given = from.checked_sub(1).map(|at| self.updates_text(&self.steps[at].facts));
        for step in &self.steps[from..self.at] {
            if let Made::Move(term, _) = &step.made {
                trial.push(term);
            }
        }
        trial
    }
}

/// `:load FILE`
///
/// # Errors
/// The reason why the file cannot be used, or faults of the rules.
pub fn load(prompt: &Prompt<'_>, rest: &str) -> Result<After, Stop> {
    if rest.is_empty() {
        return Err(Stop::Failed(
            "say which: `:load FILE`; a game is opened by `:open`".to_string(),
        ));
    }
    let file = PathBuf::from(rest);
    let trial = saved::read(&file)?;
    let game = saved::game(&trial, &file, prompt.console)?;
    let opened = Opened { rules: Rules::new(trial.request()), game };
    let seats = match prompt.plays {
        true => Some(saved::seats(&trial, &opened.game, &file)?),
        false => None,
    };
    let begin = Begin::Saved(Box::new(trial), file);
    Ok(After::Open(Box::new(Opening { opened, begin, seats, file: None })))
}
