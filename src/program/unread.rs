//! Texts that could not be read, and the names that they would have declared: faults that follow
//! from a missing declaration are not reported where the declaration itself is faulty.

use rustc_hash::FxHashSet;

use crate::diagnostic::nearest;
use crate::source::Span;

use super::directives;
use super::pieces;

/// A relation that is called and not defined.
#[derive(Debug)]
pub(super) struct Missing {
    pub name: String,
    pub arity: usize,
    pub span: Span,
}

/// The possible contents of the clauses and directives that could not be read.
#[derive(Debug, Default)]
pub(super) struct Unread {
    names: FxHashSet<String>,
    /// Names that were declared, but not added to the program.
    refused: FxHashSet<String>,
    /// One of them is a directive that names a file, so everything that the file defines is
    /// unknown.
    pub file: bool,
    /// One of them is the directive that names the players.
    pub players: bool,
    /// The names that `redefine` drops, with their places: they may not have been defined again.
    pub redefined: Vec<(String, Span)>,
    /// The relations that are called and not defined.
    pub missing: Vec<Missing>,
}

impl Unread {
    /// Adds a piece of text, which may consist of several clauses.
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

    /// Adds a name that was declared, but not added to the program.
    pub fn refuse(&mut self, name: &str) {
        self.refused.insert(name.to_string());
    }

    /// Adds the names that a clause may declare: the name of its head, or every word of a
    /// directive.
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
            Some("pieces") => pieces::names().for_each(|name| self.refuse(name)),
            // a directive of another language, which may name a file
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

    /// Whether an unreadable text would have declared this name.
    pub fn declares(&self, name: &str) -> bool {
        self.names.contains(name) || self.refused.contains(name)
    }

    /// Whether a text begins with a name that occurs in an unreadable text.
    pub fn holds(&self, text: &str) -> bool {
        subject(text).is_some_and(|word| self.names.contains(word))
    }

    /// Whether a text contains a name that an unreadable text would have declared.
    pub fn named_in(&self, text: &str) -> bool {
        words(text).any(|word| self.declares(word))
    }

    /// Whether a text is about such a name.
    pub fn begins(&self, text: &str) -> bool {
        subject(text).is_some_and(|word| self.declares(word))
    }
}

/// The name that a text is about: the one that it begins with, or the one inside `init`.
pub(super) fn subject(text: &str) -> Option<&str> {
    words(text).find(|word| *word != "init")
}

/// The names and variables of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(char::is_alphabetic))
}
