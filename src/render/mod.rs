//! Positions drawn: the board as text or SVG, and the rest of the state in words.
//!
//! The contents of the sites come from the rule file (`shows/2`, `glyph/2`, `figure/2`), and so do their
//! places (`xy/3`, `drawn/2`) and what stands below (`status/1`). No board is known here.

mod canvas;
mod chart;
mod labels;
mod layout;
mod lists;
mod paint;
mod pieces;
mod svg;
mod text;
mod width;

pub use chart::{Bar, Curve, bars, histogram, lines};
pub use paint::Tint;
pub use pieces::Piece;
pub use svg::{Scene, animated, places_in_svg, to_svg};
pub use text::draw;
pub use width::{display_width, fit, fit_code, fit_with_place};

use crate::board::{Board, SiteId};
use crate::engine::Game;
use crate::program::Value;
use crate::reference::{Facts, Reference, RuleError, Sight};
use crate::syntax::Term;

/// How a game's positions are drawn.
#[derive(Debug, Clone)]
pub struct View {
    /// The board; `None` where the rules give no site a place.
    pub board: Option<Board>,
    lists: lists::Lists,
    owners: pieces::Owners,
}

/// One position, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The text drawn at each site, in the order of the board's sites; `None` for an empty one.
    pub shown: Vec<Option<String>>,
    /// How they are drawn, in the same order.
    pub pieces: Vec<Option<Piece>>,
    /// Which sites are marked, in the same order; sites beyond its end are not.
    pub marked: Vec<bool>,
    /// Which sites are those of the last move, likewise.
    pub last: Vec<bool>,
    /// What is drawn between sites.
    pub between: Vec<Between>,
    /// There may be something between sites.
    pub spaced: bool,
    /// What the players are to know of the state beside the board, a line each.
    pub beside: Vec<String>,
    /// What is drawn between sites in words, for text, which cannot draw it.
    pub between_words: Vec<String>,
    /// It is drawn without colours.
    pub bare: bool,
}

/// Something drawn between two sites: the border of areas, or a line from point to point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Between {
    /// One of the sites.
    pub from: SiteId,
    /// The other one.
    pub to: SiteId,
    /// Its colour.
    pub tint: Option<Tint>,
}

impl View {
    /// Finds the board of a game, and the fluents that are not on it.
    pub fn new(game: &Game) -> View {
        let board = Board::new(&game.program, &game.tables);
        let lists = lists::Lists::new(&game.program, &game.tables, board.as_ref());
        let owners = pieces::Owners::new(&game.program, &game.tables);
        View { board, lists, owners }
    }

    /// Shows all of the state, also what is as it was declared.
    #[must_use]
    pub fn whole(mut self) -> View {
        self.lists = self.lists.whole();
        self
    }

    /// The picture of a position, without marks.
    ///
    /// # Errors
    /// A rule error in `shows/2`, `glyph/2`, `figure/2` or `status/1`.
    pub fn picture(&self, rules: &Reference, facts: &Facts) -> Result<Picture, RuleError> {
        let mut picture = Picture::default();
        for sight in self.sights(rules, facts)? {
            picture.pieces.push(sight.as_ref().map(|sight| self.owners.piece(sight)));
            picture.shown.push(sight.map(|sight| sight.text));
        }
        picture.spaced = rules.program().special.between.is_some();
        for (from, to, sight) in rules.between(facts)? {
            let find = |site: Value| self.board.as_ref()?.find(site);
            if let (Some(from), Some(to)) = (find(from), find(to)) {
                let tint = self.owners.piece(&sight).tint;
                picture.between.push(Between { from, to, tint });
            }
        }
        picture.beside = match rules.status(facts)? {
            Some(told) => told,
            None => self.lists.lines(rules, facts),
        };
        picture.between_words = self.lists.between(rules, facts);
        Ok(picture)
    }

    fn sights(&self, rules: &Reference, facts: &Facts) -> Result<Vec<Option<Sight>>, RuleError> {
        rules.sights(facts, self.board.iter().flat_map(Board::sites).map(|(_, site)| site.value))
    }

    /// The text drawn at each site, as [`Picture::shown`] has it, without the rest of the picture.
    ///
    /// # Errors
    /// A rule error in `shows/2`, `glyph/2` or `figure/2`.
    pub fn texts(
        &self,
        rules: &Reference,
        facts: &Facts,
    ) -> Result<Vec<Option<String>>, RuleError> {
        let sights = self.sights(rules, facts)?;
        Ok(sights.into_iter().map(|sight| sight.map(|sight| sight.text)).collect())
    }

    /// Marks sites in a picture; values that are not sites are ignored.
    pub fn mark(&self, picture: &mut Picture, sites: &[Value]) {
        let Some(board) = &self.board else { return };
        picture.marked.resize(board.len(), false);
        for id in sites.iter().filter_map(|site| board.find(*site)) {
            picture.marked[id.index()] = true;
        }
    }

    /// Marks the sites of the last move, which led from a position with these texts at its sites.
    pub fn mark_last(&self, picture: &mut Picture, mv: &Term, before: &[Option<String>]) {
        let Some(board) = &self.board else { return };
        let names: Vec<&str> = board.sites().map(|(_, site)| site.name.as_str()).collect();
        picture.last = pieces::changed(&names, mv, before, &picture.shown);
    }

    /// A picture as lines of text, at most `width` columns wide as far as that is possible,
    /// with its colours unless it is bare.
    pub fn text(&self, picture: &Picture, width: usize) -> String {
        let mut out = String::new();
        if let Some(board) = &self.board {
            out.push_str(&text::draw(board, picture, width));
        }
        for line in picture.between_words.iter().chain(&picture.beside) {
            out.push_str(&fit(line, width, 4));
            out.push('\n');
        }
        out
    }
}
