//! What could not be read, and which names it would have declared: faults that come of a missing
//! declaration are not told where the declaration itself is at fault.

use rustc_hash::FxHashSet;

use crate::diagnostic::nearest;
use crate::source::Span;

use super::directives;

/// A relation that is asked for and not defined.
#[derive(Debug)]
pub(super) struct Missing {
    pub name: String,
    pub arity: usize,
    pub span: Span,
}

/// What the clauses and directives that could not be read may have said.
#[derive(Debug, Default)]
pub(super) struct Unread {
    names: FxHashSet<String>,
    /// Names that were declared, but not taken over into the program.
    refused: FxHashSet<String>,
    /// A directive that names a file: all that the file defines is unknown.
    pub file: bool,
    /// The directive that names the players.
    pub players: bool,
    /// What `redefine` drops, and where: it may not have been defined again.
    pub redefined: Vec<(String, Span)>,
    /// The relations that are asked for and not defined.
    pub missing: Vec<Missing>,
}

impl Unread {
    /// Takes note of a piece of text; several clauses may have run into one.
    pub fn add(&mut self, text: &str) {
        let mut clause = String::new();
        for line in text.lines() {
            if !line.starts_with(|c: char| c.is_whitespace() || c == '%') {
                self.clause(&std::mem::take(&mut clause));
            }
            clause.push_str(line);
            clause.push('\n');
        }
        self.clause(&clause);
    }

    /// A name that was declared, but not taken over into the program.
    pub fn refuse(&mut self, name: &str) {
        self.refused.insert(name.to_string());
    }

    /// Of a directive every word may be what it declares, of a clause the head is.
    fn clause(&mut self, text: &str) {
        let Some(body) = text.trim_start().strip_prefix(":-") else {
            self.names.extend(words(text).next().map(str::to_string));
            return;
        };
        let kind = words(body).next().unwrap_or("");
        let known = nearest(kind, directives::names());
        match known {
            Some("include" | "variant_of") => self.file = true,
            Some("players") => self.players = true,
            // a directive of another language, which may well name a file
            None => self.file |= body.contains('"'),
            _ => {}
        }
        for word in words(body).skip(1) {
            self.names.insert(word.to_string());
            let mut letters = word.chars();
            let small = letters.next().map(|c| c.to_lowercase().chain(letters).collect());
            self.names.extend(small);
        }
    }

    /// Would what could not be read have declared this name?
    pub fn declares(&self, name: &str) -> bool {
        self.names.contains(name) || self.refused.contains(name)
    }

    /// Does a text begin with a name that stands in what could not be read?
    pub fn holds(&self, text: &str) -> bool {
        subject(text).is_some_and(|word| self.names.contains(word))
    }

    /// Does a text hold such a name?
    pub fn named_in(&self, text: &str) -> bool {
        words(text).any(|word| self.declares(word))
    }

    /// Does a text speak of such a name?
    pub fn begins(&self, text: &str) -> bool {
        subject(text).is_some_and(|word| self.declares(word))
    }
}

/// What a text speaks of: the name that it begins with. That of an opening stands behind `init`.
pub(super) fn subject(text: &str) -> Option<&str> {
    words(text).find(|word| *word != "init")
}

/// The names and variables of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(char::is_alphabetic))
}
