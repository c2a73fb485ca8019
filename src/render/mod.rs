//! Positions drawn: the board as text or SVG, and the rest of the state in words.
//!
//! The contents of the sites come from the rule file (`shows/2`, `glyph/2`), and so do their places
//! (`xy/3`, `drawn/2`). No board is known here.

mod canvas;
mod labels;
mod lists;
mod svg;
mod text;
mod width;

pub use svg::to_svg;
pub use text::draw;
pub use width::{display_width, fit, fit_with_place};

use crate::board::Board;
use crate::engine::Game;
use crate::explain::{Facts, Reference, RuleError};
use crate::program::Value;

/// How a game's positions are drawn.
#[derive(Debug, Clone)]
pub struct View {
    /// The board; `None` where the rules give no site a place.
    pub board: Option<Board>,
    lists: lists::Lists,
}

/// One position, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The text drawn at each site, in the order of the board's sites; `None` for an empty one.
    pub shown: Vec<Option<String>>,
    /// Which sites are marked, in the same order; sites beyond its end are not.
    pub marked: Vec<bool>,
    /// The part of the state that is not on the board.
    pub beside: Vec<Entry>,
}

/// A fluent that is not on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the fluent.
    pub name: String,
    /// The keys and the value as rule files write them; the value is empty for an element of a set.
    pub items: Vec<(Vec<String>, String)>,
}

impl View {
    /// Finds the board of a game, and the fluents that are not on it.
    pub fn new(game: &Game) -> View {
        let board = Board::new(&game.program, &game.tables);
        let lists = lists::Lists::new(&game.program, &game.tables, board.as_ref());
        View { board, lists }
    }

    /// The picture of a position, without marks.
    ///
    /// # Errors
    /// A rule error in `shows/2` or `glyph/2`.
    pub fn picture(&self, rules: &Reference, facts: &Facts) -> Result<Picture, RuleError> {
        let mut shown = Vec::new();
        if let Some(board) = &self.board {
            for (_, site) in board.sites() {
                shown.push(rules.shown(facts, site.value)?);
            }
        }
        Ok(Picture { shown, marked: Vec::new(), beside: self.lists.entries(rules, facts) })
    }

    /// Marks sites in a picture; values that are not sites are ignored.
    pub fn mark(&self, picture: &mut Picture, sites: &[Value]) {
        let Some(board) = &self.board else { return };
        picture.marked.resize(board.len(), false);
        for id in sites.iter().filter_map(|site| board.find(*site)) {
            picture.marked[id.index()] = true;
        }
    }

    /// A picture as lines of text, at most `width` columns wide as far as that is possible.
    pub fn text(&self, picture: &Picture, width: usize) -> String {
        let mut out = String::new();
        if let Some(board) = &self.board {
            out.push_str(&text::draw(board, picture, width));
        }
        for entry in &picture.beside {
            out.push_str(&fit(&entry.to_string(), width, 4));
            out.push('\n');
        }
        out
    }
}
