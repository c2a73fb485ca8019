//! What a page shows of a position: the board with its sites, the moves by the sites that are touched, and what the
//! rules tell the players.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::referee::Referee;
use crate::render::{self, Picture, Scene, to_svg};

use super::position::{Move, Position, by_rules};
use super::{Result, Value};

/// More moves without a site of their own than this are not tried for what they change.
const MOST_TRIED: usize = 200;

/// A position as a page shows it, from [`Position::shown`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shown {
    /// The board as SVG, with the last move; `None` where the rules give no site a place.
    pub svg: Option<String>,
    /// The position drawn in text, where there is no SVG.
    pub text: Option<String>,
    /// The sites in the order of the rules.
    pub sites: Vec<ShownSite>,
    /// What stands beside the board: hands, phases, counts; a line each.
    pub beside: Vec<String>,
    /// The legal moves, or the chance events where one is due.
    pub moves: Vec<ShownMove>,
    /// What the rules tell the player to move.
    pub prompt: Vec<String>,
    /// What the rules tell other players, each with the player's name.
    pub told: Vec<(String, String)>,
}

/// A site of the board.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShownSite {
    /// Its name, as moves and goals write it.
    pub name: String,
    /// The middle in the coordinates of the SVG, from the left.
    pub x: f64,
    /// The same from the top.
    pub y: f64,
    /// What stands on it in words; `None` where it is empty.
    pub holds: Option<String>,
}

/// A move, and how it is made by touching the board.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShownMove {
    /// The move.
    pub mv: Move,
    /// The numbers of its sites: touched one after the other they are the move.
    pub sites: Vec<usize>,
    /// The move names no site of the board; `sites` are those that it changes, in no order, and any of them may stand for
    /// it.
    pub any: bool,
}

impl Position {
    /// All that a page needs to show the position and to let a person move by touching sites.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let mut at = ludex::Game::shipped("tic_tac_toe").load()?.start();
    /// at.play("b2")?;
    /// let shown = at.shown()?;
    /// let middle = shown.sites.iter().find(|site| site.name == "b2").expect("a site");
    /// assert_eq!(middle.holds.as_deref(), Some("x"));
    /// assert_eq!(shown.moves.len(), 8);
    /// assert_eq!(shown.moves[0].sites.len(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rules`](crate::Error::Rules) and [`Error::Limit`](crate::Error::Limit).
    pub fn shown(&self) -> Result<Shown> {
        let mut referee = self.game().referee();
        let (over, choices, named) = self.choices(&mut referee)?;
        let picture = self.picture(&referee)?;
        let view = Arc::clone(&referee.view);
        let board = view.board.as_ref();
        let sites: Vec<ShownSite> = board.map_or_else(Vec::new, |board| {
            let places = render::places_in_svg(board);
            let holds = picture.pieces.iter().map(|piece| piece.as_ref().map(|p| p.name.clone()));
            let all = board.sites().zip(places).zip(holds);
            all.map(|(((_, site), (x, y)), holds)| ShownSite {
                name: site.name.clone(),
                x,
                y,
                holds,
            })
            .collect()
        });
        let numbers: BTreeMap<&str, usize> =
            sites.iter().enumerate().map(|(i, site)| (site.name.as_str(), i)).collect();
        let mut moves: Vec<ShownMove> = Vec::new();
        for named in &named {
            let mv = Move::of(named, choices.chance);
            let mut touched = Vec::new();
            gather(&numbers, &mv.value(), &mut touched);
            moves.push(ShownMove { mv, sites: touched, any: false });
        }
        // rules may number the sites of a move from the mover's side: then its first one is not where anything changes
        if let Some(sample) = moves.iter().find(|mv| mv.sites.len() > 1).filter(|_| !choices.chance)
            && !self.changed_by(&mut referee, &picture, &sample.mv)?.contains(&sample.sites[0])
        {
            moves.iter_mut().filter(|mv| mv.sites.len() > 1).for_each(|mv| mv.sites.clear());
        }
        let silent = moves.iter().filter(|mv| mv.sites.is_empty()).count();
        if !choices.chance && silent <= MOST_TRIED {
            for mv in moves.iter_mut().filter(|mv| mv.sites.is_empty()) {
                mv.sites = self.changed_by(&mut referee, &picture, &mv.mv)?;
                mv.any = true;
            }
        }
        // the facts of all earlier positions take long to gather
        let prompts = match over.is_none() && referee.rules.has_prompts() {
            true => {
                let told = referee.rules.prompts(&self.facts(&referee));
                told.map_err(|e| by_rules(referee.stopped(e)))?
            }
            false => crate::reference::Prompts::default(),
        };
        let told = prompts.to_others.into_iter();
        let beside = picture.beside.clone();
        let (svg, text) = match board {
            Some(board) => {
                let bare = Picture { beside: Vec::new(), ..picture };
                let scene = Scene { picture: bare, caption: String::new() };
                (Some(to_svg(board, &scene, self.game().title())), None)
            }
            None => (None, Some(view.text(&Picture { bare: true, ..picture }, 80))),
        };
        Ok(Shown {
            svg,
            text,
            sites,
            beside,
            moves,
            prompt: prompts.to_mover,
            told: told.map(|(player, text)| (referee.name(player), text)).collect(),
        })
    }

    /// The sites that look otherwise after a move.
    fn changed_by(
        &self,
        referee: &mut Referee<'_>,
        now: &Picture,
        mv: &Move,
    ) -> Result<Vec<usize>> {
        let Some(next) = referee.play(self.raw(), &mv.term).map_err(by_rules)? else {
            return Ok(Vec::new());
        };
        let then = referee.texts(&next).map_err(by_rules)?;
        let pairs = now.shown.iter().zip(&then).enumerate();
        Ok(pairs.filter(|(_, (a, b))| a != b).map(|(i, _)| i).collect())
    }
}

/// The sites that a value names, in its order.
fn gather(numbers: &BTreeMap<&str, usize>, value: &Value, found: &mut Vec<usize>) {
    if let Some(number) = numbers.get(value.to_string().as_str()) {
        found.push(*number);
        return;
    }
    match value {
        Value::Compound(_, items) | Value::List(items) => {
            items.iter().for_each(|item| gather(numbers, item, found));
        }
        _ => {}
    }
}
