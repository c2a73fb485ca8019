//! A position as people see it: the board in text or as SVG, and the rest of the state in words.
//!
//! What stands where comes from the rule file (`shows/2`, `glyph/2`), and so does the place of
//! every site (`xy/3`, `drawn/2`); nothing here knows a board.

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

/// How a game's positions are shown.
#[derive(Debug, Clone)]
pub struct View {
    /// `None` where the rules give no site a place.
    pub board: Option<Board>,
    lists: lists::Lists,
}

/// What is to be seen of one position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// What stands at each site, in the order of the board's sites.
    pub shown: Vec<Option<String>>,
    /// Which sites are to be marked, in the same order; those beyond its end are not.
    pub marked: Vec<bool>,
    /// The state that is not on the board.
    pub beside: Vec<Entry>,
}

/// A fluent that is not on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// Keys and value as rule files write them; the value of a set's member is empty.
    pub items: Vec<(Vec<String>, String)>,
}

impl View {
    pub fn new(game: &Game) -> View {
        let board = Board::new(&game.program, &game.tables);
        let lists = lists::Lists::new(&game.program, &game.tables, board.as_ref());
        View { board, lists }
    }

    /// What is to be seen of a position.
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

    /// Marks sites in a picture; values that are no sites are left out.
    pub fn mark(&self, picture: &mut Picture, sites: &[Value]) {
        let Some(board) = &self.board else { return };
        picture.marked.resize(board.len(), false);
        for id in sites.iter().filter_map(|site| board.find(*site)) {
            picture.marked[id.index()] = true;
        }
    }

    /// A picture as lines of text, at most `width` columns wide where that can be done.
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
