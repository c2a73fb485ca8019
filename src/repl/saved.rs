//! Saving and loading games.

use std::path::{Path, PathBuf};

use crate::cli::replay;
use crate::record::{self, Trial};
use crate::referee::Stop;
use crate::ui::open;

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
        let saved = match rest {
            "" => record::save_new(&trial, Path::new("")),
            name => record::save(&trial, Path::new(name)),
        };
        let saved = saved.map_err(|error| Stop::Failed(error.to_string()))?;
        prompt.say(format!("saved as {}", saved.path.display()))?;
        match self.opened.rules.edits.is_empty() {
            true => Ok(()),
            false => prompt.say("the rules were changed: `:save-rules FILE` saves them too"),
        }
    }

    /// The record of the game up to the current position.
    fn trial(&self) -> Trial {
        let mut trial = open::trial(&self.opened.rules.request, &self.opened.game, self.seed);
        trial.players = vec!["human".to_string(); self.opened.game.program.players.len()];
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
    let trial = replay::read(&file)?;
    let game = replay::game(&trial, &file, prompt.console)?;
    let opened = Opened { rules: Rules::new(trial.request()), game };
    let begin = Begin::Saved(Box::new(trial), file);
    Ok(After::Open(Box::new(Opening { opened, begin })))
}
