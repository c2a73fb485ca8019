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
        if let Ok(Some(begun)) = told {
            prompt.input.begin(begun);
        }
        result.map_err(|error| match error.is_interrupted() {
            true => Stop::Interrupted,
            false => diagnosed(asked.sources, vec![error.into()]),
        })?;
        told.map(|_| ())
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

/// Prints answers. On a terminal each waits for a key if another one follows; through a pipe all are
/// printed at once.
struct Answers<'c> {
    console: &'c Console,
    waits: bool,
    /// How many were printed.
    told: u64,
    /// The answer printed last, which is not ended: whether it is the last one is not known yet.
    open: String,
    /// The user wants no more.
    enough: bool,
    /// The character that was pressed for the next entry.
    begun: Option<char>,
    /// The reason why no more can be printed.
    stop: Option<Stop>,
}

impl Answers<'_> {
    fn new(console: &Console, waits: bool) -> Answers<'_> {
        Answers {
            console,
            waits,
            told: 0,
            open: String::new(),
            enough: false,
            begun: None,
            stop: None,
        }
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
        if self.told > 0 && !self.goes_on()? {
            self.enough = true;
            return Ok(ControlFlow::Break(()));
        }
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
        self.open = fit(&pairs.join(", "), self.console.width().saturating_sub(2), 4);
        self.console.text(&self.open)?;
        if self.waits || self.told.is_power_of_two() {
            self.console.flush()?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Ends the answer printed last, of which it is known now that another one follows. `false` if
    /// that one is not wanted.
    fn goes_on(&mut self) -> Result<bool, Stop> {
        if self.waits {
            match Wish::among_answers(self.console.key(Wish::AMONG_ANSWERS, &self.open)?) {
                Wish::Next => {}
                Wish::All => self.waits = false,
                other => {
                    if let Wish::Entry(begun) = other {
                        self.begun = Some(begun);
                    }
                    self.console.line(" …")?;
                    return Ok(false);
                }
            }
        }
        self.console.line(" ;")?;
        Ok(true)
    }

    /// Prints that there are no more answers, and gives the character that begins the next entry. A
    /// fault that ended the search is reported elsewhere.
    fn end(self, whole: bool) -> Result<Option<char>, Stop> {
        if let Some(stop) = self.stop {
            return Err(stop);
        }
        match (self.enough, self.told) {
            (true, _) => {}
            (false, 1..) => self.console.line(if whole { "." } else { " ;" })?,
            (false, 0) if whole => self.console.line("false.")?,
            (false, 0) => {}
        }
        Ok(self.begun)
    }
}
