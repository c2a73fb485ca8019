//! `:why` and `:whynot`: the proof, or the goal that fails; first in short, unfolded by `more`.

use crate::diagnostic::Diagnostic;
use crate::explain::{Cause, Explanation};
use crate::referee::Stop;
use crate::referee::naming::Named;
use crate::referee::reasons::{answer, explain, meant, refusal, unfolded};
use crate::referee::remarks::asks_why;
use crate::reference::{Facts, QueryError};
use crate::syntax::Term;

use super::prompt::{Prompt, failed, fault, in_short};
use super::query::diagnosed;
use super::sitting::Sitting;

/// The longest sentence that refuses a move, in characters.
const LONGEST: usize = 500;

/// An explanation that can be unfolded.
pub struct Told {
    explanation: Explanation,
    /// The depth to which it has been unfolded.
    depth: usize,
}

impl Sitting<'_> {
    /// `:why` and `:whynot`: both explain the actual result, whichever was expected.
    ///
    /// # Errors
    /// The text is neither a move nor a goal; or a rule error.
    pub fn why(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let facts = self.facts();
        let rest = match rest {
            "" => self.asked.clone().unwrap_or_else(|| "over".to_string()),
            // a question in words that begins with the name of the command
            rest if asks_why(rest) => format!("why {rest}"),
            rest => rest.to_string(),
        };
        // an entry with a full stop is not a move
        let question = rest.ends_with('.').then(|| rest.clone());
        let explanation = match question {
            Some(text) => self.why_answered(&text, &facts)?,
            None => {
                let position = self.position().clone();
                explain(&mut self.referee, &position, &facts, &rest)?
            }
        };
        for line in answer(&self.referee, &facts, &explanation)? {
            prompt.say(line)?;
        }
        if prompt.is_terminal() && !explanation.lines.is_empty() {
            prompt.say("`:more` tells more")?;
        }
        self.told = Some(Told { explanation, depth: 0 });
        Ok(())
    }

    /// Why a question was answered as it was.
    fn why_answered(&self, text: &str, facts: &Facts) -> Result<Explanation, Stop> {
        let asked = self.understand(text)?;
        self.referee.rules.why_goal(facts, &asked.term).map_err(|error| match error {
            QueryError::Rule(error) => self.referee.stopped(error),
            QueryError::Question(faults) => diagnosed(asked.sources, faults),
        })
    }

    /// `more`: one level deeper each time, with the board at first.
    ///
    /// # Errors
    /// There is nothing to unfold.
    pub fn more(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let facts = self.facts();
        let Some(told) = &mut self.told else {
            return Err(failed("nothing was explained yet", "ask by `:why` or `:whynot`"));
        };
        if told.depth >= told.explanation.depth() {
            return prompt.say("that is all");
        }
        told.depth += 1;
        if told.depth == 1 && !told.explanation.sites.is_empty() {
            let width = prompt.console.width();
            let board = self.referee.marked(&facts, &told.explanation.sites, width)?;
            prompt.console.text(board)?;
        }
        prompt.console.text(unfolded(&told.explanation, told.depth, prompt.console.width()))
    }

    /// Why a move that was typed is not legal; `None` where the text is no move at all.
    ///
    /// # Errors
    /// A rule error.
    pub fn objection(&mut self, legal: &[Named], text: &str) -> Result<Option<Explanation>, Stop> {
        refusal(&self.referee, self.position(), &self.facts(), legal, text)
    }

    /// The move that a text means, legal or not; `None` where the text is no move at all.
    ///
    /// # Errors
    /// It can mean several legal moves; or a rule error.
    pub fn move_meant(&self, legal: &[Named], text: &str) -> Result<Option<Term>, Stop> {
        let meant = meant(&self.referee, self.position(), &self.facts(), legal, text)?;
        Ok(meant.map(|(term, _)| term))
    }

    /// Refuses a move with the reason, which `more` unfolds.
    ///
    /// # Errors
    /// Always: that the move is not legal.
    pub fn refuse(&mut self, explanation: Explanation) -> Stop {
        let mut sentences = match answer(&self.referee, &self.facts(), &explanation) {
            Ok(sentences) => sentences.into_iter(),
            Err(stop) => return stop,
        };
        let first = in_short(&sentences.next().unwrap_or_default(), LONGEST);
        let mut refused = Diagnostic::error("illegal-move", first.trim_end_matches('.'));
        refused.hints = sentences.collect();
        if explanation.cause != Cause::Form {
            refused = refused.hint("`:more` shows why");
        }
        self.told = Some(Told { explanation, depth: 0 });
        fault(refused)
    }
}
