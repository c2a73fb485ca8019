//! Setting up positions, and positions as one line of text.

use crate::referee::Stop;
use crate::referee::line::words;
use crate::reference::Facts;
use crate::syntax::print_term;
use crate::ui::start;

use super::prompt::Prompt;
use super::sitting::{Made, Sitting};

/// How much of a change the history shows, in columns.
const TOLD: usize = 60;

impl Sitting<'_> {
    /// `:set UPDATES`: changes the position.
    ///
    /// # Errors
    /// Faults of the updates.
    pub fn set(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            let text =
                "say what to change, as rules write it: `:set at(a1) := white, turn := black`";
            return Err(Stop::Failed(text.to_string()));
        }
        let text = rest.trim_end_matches('.');
        let facts = self.referee.facts(self.position());
        let changed = start::changed(&self.referee, &facts, ":set", text)?;
        self.set_up(&changed, text, prompt)
    }

    /// `:place VALUE SITE …`
    ///
    /// # Errors
    /// There is no map over sites, or the value or sites are wrong.
    pub fn place(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let map = self.map_of_sites()?;
        let words = words(rest);
        let Some((value, sites)) = words.split_first().filter(|(_, sites)| !sites.is_empty())
        else {
            let text = "say what and where: `:place VALUE SITE …`";
            return Err(Stop::Failed(text.to_string()));
        };
        let updates: Vec<String> =
            sites.iter().map(|site| format!("{map}({site}) := {value}")).collect();
        self.set(&updates.join(", "), prompt)
    }

    /// `:clear SITE …`
    ///
    /// # Errors
    /// There is no map over sites, or the sites are wrong.
    pub fn clear(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let map = self.map_of_sites()?;
        let sites = words(rest);
        if sites.is_empty() {
            return Err(Stop::Failed("say where: `:clear SITE …`".to_string()));
        }
        let updates: Vec<String> =
            sites.iter().map(|site| format!("clear({map}({site}))")).collect();
        self.set(&updates.join(", "), prompt)
    }

    fn map_of_sites(&self) -> Result<&str, Stop> {
        match self.referee.rules.drawn_fluent() {
            Some(fluent) => Ok(&self.opened.game.program.fluent(fluent).name),
            None => Err(Stop::Failed(
                "this game has no map of sites: `:set` changes any part of the state".to_string(),
            )),
        }
    }

    /// `:position`: prints the position as text, or sets up the position of a text.
    ///
    /// # Errors
    /// Faults of the text.
    pub fn position_text(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            let facts = self.facts();
            // one line, however narrow the terminal is, so that it can be copied
            return prompt.console.line(self.referee.position_text(&facts)?);
        }
        let facts = start::given(&self.referee, ":position", rest.trim_end_matches('.'))?;
        self.set_up(&facts, rest, prompt)
    }

    /// A position as a list of updates of the empty position.
    pub fn updates_text(&self, facts: &Facts) -> String {
        let rules = &self.referee.rules;
        let updates = rules.updates(facts).into_iter().chain(rules.kept(facts));
        let updates: Vec<String> = updates.map(|update| print_term(&update)).collect();
        format!("[{}]", updates.join(", "))
    }

    fn set_up(&mut self, facts: &Facts, text: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let position = self.referee.position(facts)?;
        let text = text.trim_start_matches('[').trim_end_matches(']');
        let mut told: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if told.chars().count() > TOLD {
            told = told.chars().take(TOLD - 1).chain(['…']).collect();
        }
        self.push(Made::SetUp, told, position);
        self.arrive(prompt)
    }
}
