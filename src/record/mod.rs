//! Played games on disk: the only types that are serialised.
//!
//! A trial is a RON file with the version of its format, the game with its options and seed, and
//! the moves as terms. Its last field is a checksum over all the others, so a file that was cut off or
//! changed is refused, with the reason. Commands that load one also replay its moves.
//! Saving writes a new file beside the old one and renames it.

mod disk;
mod form;
mod numbering;
mod pgn;
mod sgf;

mod weights;

pub use disk::{SaveError, Saved, replace, save, save_new, tidy};
#[cfg(feature = "cli")]
pub(crate) use form::plain;
pub use form::{FORM, LoadError, Trial, load};
pub use numbering::{Count, Number};
pub use pgn::{Pgn, RESULTS, is_word, read_pgn};
pub use sgf::{Node, is_property, read_sgf, sgf_text};
pub use weights::{Network, Weights};

use crate::program::{LoadRequest, Origin};
use crate::source::Sources;
use crate::syntax::{Term, print_term, read_goal};

/// A text that is no record of a game in the expected format: the line, counted from 1, and what is wrong
/// there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl Trial {
    /// The request that loads the game with its options.
    pub fn request(&self) -> LoadRequest {
        let origin = match &self.path {
            Some(path) => Origin::Path(path.clone()),
            None => Origin::Shipped(self.game.clone()),
        };
        LoadRequest { options: self.options.clone(), ..LoadRequest::new(origin) }
    }

    /// The moves as terms.
    ///
    /// # Errors
    /// The number, counted from 1, and the text of the first move that is not a term.
    pub fn terms(&self) -> Result<Vec<Term>, (usize, String)> {
        let read = |(i, text): (usize, &String)| match parse_move(text) {
            Some(term) => Ok(term),
            None => Err((i + 1, text.clone())),
        };
        self.moves.iter().enumerate().map(read).collect()
    }

    /// Appends a move.
    pub fn push(&mut self, mv: &Term) {
        self.moves.push(print_term(mv));
    }
}

/// Parses a move; `None` where the text is not a term.
pub fn parse_move(text: &str) -> Option<Term> {
    let mut sources = Sources::new();
    let file = sources.add("move", None, text);
    read_goal(&sources, file).ok()
}
