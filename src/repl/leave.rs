//! How a game ends: by its rules, when a player resigns, or when it is left and saved.

use std::path::Path;

use crate::record::{self, SaveError, Trial};
use crate::referee::Stop;
use crate::ui::signals;

use super::prompt::Prompt;
use super::sitting::Sitting;

impl Sitting<'_> {
    /// How the game has ended, in words; `None` while it goes on.
    ///
    /// # Errors
    /// A rule error.
    pub fn ended(&mut self) -> Result<Option<String>, Stop> {
        let position = self.position().clone();
        if let Some(outcome) = self.referee.outcome(&position)? {
            return Ok(Some(self.referee.result(&outcome)));
        }
        let Some(name) = &self.resigned else { return Ok(None) };
        let players = self.opened.game.program.players.iter().map(|p| self.referee.name(*p));
        let others: Vec<String> = players.filter(|player| player != name).collect();
        Ok(Some(match others.as_slice() {
            [] => format!("resigned by {name}"),
            // no verb, since a player's name may be plural
            _ => format!("resigned by {name}: a win for {}", others.join(" and ")),
        }))
    }

    /// `:resign`
    ///
    /// # Errors
    /// The game is over, or a rule error.
    pub fn resign(&mut self, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        if let Some(result) = self.ended()? {
            return Err(Stop::Failed(format!("the game is over: {result}")));
        }
        let name = self.referee.name(self.referee.turn(self.position()));
        if !prompt.agrees(&format!("resign as {name}?"))? {
            return prompt.say("the game goes on");
        }
        self.resigned = Some(name);
        self.touched = true;
        if let Some(result) = self.ended()? {
            prompt.say(prompt.console.bold(&result))?;
        }
        self.keep_finished(prompt)
    }

    /// Saves a game that is over in the file that was named for it.
    ///
    /// # Errors
    /// Where it cannot be saved.
    pub fn keep_finished(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        match prompt.plays && self.touched && self.file.is_some() && !self.is_kept() {
            true => self.keep(prompt),
            false => Ok(()),
        }
    }

    /// Leaves the game. One that is played, and not over, is saved if something was played.
    ///
    /// # Errors
    /// Where it cannot be saved, or a rule error.
    pub fn leave(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if !prompt.plays {
            return Ok(());
        }
        if signals::ending().is_some() {
            signals::work_at_end();
            return Ok(());
        }
        signals::at_end(None);
        // a fault of the rules must not lose the game
        if matches!(self.ended(), Ok(Some(_))) {
            return self.keep_finished(prompt);
        }
        if !self.touched || self.trial().moves.is_empty() {
            return prompt.say("nothing was played, so nothing is saved");
        }
        if !self.is_kept() {
            self.keep(prompt)?;
        }
        match &self.file {
            Some(file) => prompt.say(format!("go on with: ludex play --resume {}", file.display())),
            None => Ok(()),
        }
    }

    fn keep(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        signals::at_end(None);
        let trial = self.trial();
        // the name may be taken by now: a new name loses nothing
        let saved = save_somewhere(&trial, self.file.as_deref());
        let saved = saved.map_err(|error| Stop::Failed(error.to_string()))?;
        self.remember_kept(&trial, &saved.path);
        prompt.console.line(format!("saved as {}", saved.path.display()))
    }

    /// Notes what a file holds now.
    pub fn remember_kept(&mut self, trial: &Trial, path: &Path) {
        self.kept = Some((trial.moves.clone(), trial.resigned.clone()));
        self.file = Some(path.to_path_buf());
    }

    /// Whether the game is in its file as it stands.
    fn is_kept(&self) -> bool {
        let trial = self.trial();
        self.kept == Some((trial.moves, trial.resigned))
    }

    /// Makes sure that the game is saved if a signal ends the program while it waits.
    pub fn save_at_end(&mut self, prompt: &Prompt<'_>) {
        let over = matches!(self.ended(), Ok(Some(_)));
        let unsaved = prompt.plays && self.touched && !self.is_kept();
        let (trial, file) = (self.trial(), self.file.clone());
        signals::at_end(
            (unsaved && (!over || file.is_some()))
                .then(|| Box::new(move || drop(save_somewhere(&trial, file.as_deref()))) as Box<_>),
        );
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
