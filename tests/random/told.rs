//! Positions as text: what is printed is read again as the same position.

use ludex::reference::{Facts, QueryError};
use ludex::source::{Sources, Span};
use ludex::syntax::{Term, TermKind, print_term, read_goal};

use crate::facts::difference;
use crate::play::{Stop, Table};
use crate::report::Report;

impl Table<'_> {
    /// Prints a position and reads it again, in the ways that the file allows.
    pub fn told(&mut self, facts: &Facts, report: &mut Report) -> Result<(), Stop> {
        // a clause of the file's may raise a rule error, as any other
        let Ok(Some(text)) = self.reference.position_text(facts) else { return Ok(()) };
        let feature = if text.starts_with('[') { "told: text and updates" } else { "told: text" };
        if !report.features.iter().any(|known| known == feature) {
            report.features.push(feature.to_string());
        }
        let Some(term) = term(&text) else {
            return Err(self.find("position: no term", text));
        };
        let read = match self.reference.given(&term) {
            Ok(read) => read,
            Err(QueryError::Question(faults)) => {
                let fault = faults.first().map(|fault| format!("{fault:?}")).unwrap_or_default();
                return Err(self.find("position: refused", format!("{text}: {fault}")));
            }
            Err(_) => return Ok(()),
        };
        let updates = |facts: &Facts| -> Vec<String> {
            let mut all: Vec<String> =
                self.reference.updates(facts).iter().map(print_term).collect();
            all.sort();
            all
        };
        let (before, after) = (updates(facts), updates(&read));
        match before == after {
            true => Ok(()),
            false => {
                let shown = difference(&before, &after);
                Err(self.find("position: another", format!("{text}: {shown}")))
            }
        }
    }
}

/// The term of a position: a text, or a list that begins with one.
fn term(text: &str) -> Option<Term> {
    if !text.starts_with('[') {
        return Some(Term::new(TermKind::Text(text.to_string()), Span::NONE));
    }
    let mut sources = Sources::new();
    let file = sources.add("position", None, text);
    read_goal(&sources, file).ok()
}
