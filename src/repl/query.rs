//! Questions: their answers one by one, as in a Prolog system.

use std::ops::ControlFlow;

use crate::diagnostic::Diagnostic;
use crate::referee::Stop;
use crate::referee::questions::understand;
use crate::reference::{Bindings, Observer};
use crate::render::fit;
use crate::source::Sources;
use crate::syntax::print_term;
use crate::ui::console::Console;

pub use crate::referee::questions::Asked;

use super::keys::Wish;
use super::prompt::Prompt;
use super::sitting::Sitting;
use super::trace::Spy;

impl Sitting<'_> {
    /// Answers a question.
    ///
    /// # Errors
    /// A fault of the question, or a rule error.
    pub fn question(&mut self, text: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        let asked = self.understand(text)?;
        self.asked = Some(format!("{}.", text.trim().trim_end_matches('.')));
        let facts = self.facts();
        let mut answers = Answers::new(prompt.console, prompt.is_terminal());
        let mut spy = Spy::new(prompt, &self.opened.game.program);
        let observer: Option<&mut dyn Observer> = if spy.is_idle() { None } else { Some(&mut spy) };
        let result = self
            .referee
            .rules
            .each_answer(&facts, &asked.question, observer, &mut |b| answers.receive(&b));
        let told = answers.end(result.is_ok());
        result.map_err(|error| match error.is_interrupted() {
            true => Stop::Interrupted,
            false => diagnosed(asked.sources, vec![error.into()]),
        })?;
        told
    }

    /// Reads and resolves a question, and checks it as a rule file is checked.
    ///
    /// # Errors
    /// A fault of the question.
    pub fn understand(&self, text: &str) -> Result<Asked, Stop> {
        understand(&self.referee, text)
    }
}

/// Faults of an entry.
pub fn diagnosed(sources: Sources, diagnostics: Vec<Diagnostic>) -> Stop {
    Stop::Diagnosed { sources, diagnostics, code: 1 }
}

/// Prints answers: on a terminal each waits for a key, through a pipe all are printed at once.
struct Answers<'c> {
    console: &'c Console,
    waits: bool,
    /// How many were printed.
    told: u64,
    /// The user wants no more.
    enough: bool,
    /// The reason why no more can be printed.
    stop: Option<Stop>,
}

impl Answers<'_> {
    fn new(console: &Console, waits: bool) -> Answers<'_> {
        Answers { console, waits, told: 0, enough: false, stop: None }
    }

    fn receive(&mut self, bindings: &Bindings) -> ControlFlow<()> {
        match self.tell(bindings) {
            Ok(flow) => flow,
            Err(stop) => {
                self.stop = Some(stop);
                ControlFlow::Break(())
            }
        }
    }

    fn tell(&mut self, bindings: &Bindings) -> Result<ControlFlow<()>, Stop> {
        self.told += 1;
        if bindings.is_empty() {
            self.enough = true;
            self.console.line("true.")?;
            return Ok(ControlFlow::Break(()));
        }
        let pairs: Vec<String> = bindings
            .iter()
            .map(|(name, value)| format!("{name} = {}", print_term(value)))
            .collect();
        let text = pairs.join(", ");
        if !self.waits {
            // the end of an answer is printed when it is known whether another one follows
            self.console.text(if self.told > 1 { " ;\n" } else { "" })?;
            self.console.text(fit(&text, self.console.width().saturating_sub(2), 4))?;
            if self.told.is_power_of_two() {
                self.console.flush()?;
            }
            return Ok(ControlFlow::Continue(()));
        }
        self.console.text(fit(&text, self.console.width().saturating_sub(2), 4))?;
        match Wish::among_answers(self.console.key()?) {
            Wish::Next => self.console.line(" ;")?,
            Wish::All => {
                self.console.line(" ;")?;
                self.waits = false;
                self.told = 0;
            }
            _ => {
                self.console.line(".")?;
                self.enough = true;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints that there are no more answers. A fault that ended the search is reported elsewhere.
    fn end(self, whole: bool) -> Result<(), Stop> {
        if let Some(stop) = self.stop {
            return Err(stop);
        }
        match (self.enough, self.waits, self.told) {
            (true, ..) => Ok(()),
            (false, false, 1..) => self.console.line(if whole { "." } else { " ;" }),
            _ if whole => self.console.line("false."),
            _ => Ok(()),
        }
    }
}
