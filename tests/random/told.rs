//! Positions as text: what is printed is read again as the same position.

use ludex::reference::{Facts, Lists, QueryError, lists_text};
use ludex::source::{Sources, Span};
use ludex::syntax::{Term, TermKind, print_term, read_goal};

use crate::facts::difference;
use crate::play::{Stop, Table};
use crate::report::Report;

impl Table<'_> {
    /// Prints a position and reads it again, in the ways that the file allows.
    pub fn told(&mut self, facts: &Facts, report: &mut Report) -> Result<(), Stop> {
        self.listed(facts, report)?;
        // a clause of the file's may raise a rule error, as any other
        let Ok(Some(text)) = self.reference.position_text(facts) else { return Ok(()) };
        let feature = if text.starts_with('[') { "told: text and updates" } else { "told: text" };
        if !report.features.iter().any(|known| known == feature) {
            report.features.push(feature.to_string());
        }
        let Some(term) = term(&text) else {
            return Err(self.find("position: no term", text));
        };
        match self.read(&text, &term)? {
            Some(read) => self.same_position(facts, &read, &text),
            None => Ok(()),
        }
    }

    /// The position that a text tells; `None` where a clause raises a rule error.
    fn read(&self, text: &str, term: &Term) -> Result<Option<Facts>, Stop> {
        match self.reference.given(term) {
            Ok(read) => Ok(Some(read)),
            Err(QueryError::Question(faults)) => {
                let fault = faults.first().map(|fault| format!("{fault:?}")).unwrap_or_default();
                Err(self.find("position: refused", format!("{text}: {fault}")))
            }
            Err(_) => Ok(None),
        }
    }

    fn same_position(&self, facts: &Facts, read: &Facts, text: &str) -> Result<(), Stop> {
        let updates = |facts: &Facts| -> Vec<String> {
            let mut all: Vec<String> =
                self.reference.updates(facts).iter().map(print_term).collect();
            all.sort();
            all
        };
        let (before, after) = (updates(facts), updates(read));
        match before == after {
            true => Ok(()),
            false => {
                let shown = difference(&before, &after);
                Err(self.find("position: another", format!("{text}: {shown}")))
            }
        }
    }

    /// Writes a position as lists and reads it again, also with ranges in the places of numbers. Lists that do not
    /// tell all of it are the same lists again.
    fn listed(&mut self, facts: &Facts, report: &mut Report) -> Result<(), Stop> {
        let Ok(Some((lists, whole))) = self.reference.listed(facts, LIST) else { return Ok(()) };
        let feature = match whole {
            true => "told: lists",
            false => "told: lists of a part",
        };
        if !report.features.iter().any(|known| known == feature) {
            report.features.push(feature.to_string());
        }
        for text in [lists_text(&lists), lists_text(&ranges(&lists))] {
            let term = Term::new(TermKind::Text(text.clone()), Span::NONE);
            let Some(read) = self.read(&text, &term)? else { continue };
            if whole {
                self.same_position(facts, &read, &text)?;
            }
            match self.reference.listed(&read, LIST) {
                Ok(Some((again, _))) if again == lists => {}
                other => {
                    let shown = format!("{text}: {other:?}");
                    return Err(self.find("lists: others", shown));
                }
            }
        }
        Ok(())
    }
}

/// The name of the form that the generator describes.
const LIST: &str = "list";

/// Lists with ranges in the places of numbers that follow each other.
fn ranges(lists: &Lists) -> Lists {
    let number = |item: &String| item.parse::<u64>().ok();
    let short = |items: &[String]| {
        let mut short: Vec<String> = Vec::new();
        for run in
            items.chunk_by(|a, b| number(a).map(|n| n + 1) == number(b) && number(a).is_some())
        {
            match run {
                [first, .., last] => short.push(format!("{first}-{last}")),
                one => short.extend_from_slice(one),
            }
        }
        short
    };
    lists.iter().map(|(lead, items)| (lead.clone(), short(items))).collect()
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
