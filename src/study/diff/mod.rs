//! A line of play to a position in which two sets of rules differ, for `ludex diff` and `:diff`.
//!
//! Both games are played side by side with the compiled engine as long as they allow the same moves and end
//! in the same way: breadth first (`breadth.rs`), which gives the shortest line, and along random and guided
//! lines (`deep.rs`), which come far from the start. A line that ends in a difference is made shorter.
//! Breadth first, a pair of positions that has been met before is not examined again, whatever the moves
//! that led to it; differences in the rules of repetition are found by lines, which remember their earlier
//! positions.

mod breadth;
mod deep;
mod sides;

use serde_json::Value;

use crate::referee::{Stop, interrupt};
use crate::ui::progress::Progress;

use breadth::Breadth;
use sides::{Sides, as_written, openings};

/// The default number of lines.
pub const LINES: usize = 600;

/// The share of the positions that are compared breadth first before lines are played, and the share that
/// is compared when they are over at the latest, as divisors.
const FIRST: usize = 40;
const MIDDLE: usize = 2;
/// How many times as many positions are compared for a shorter line, when one is found, and how many more.
const AGAIN: usize = 2;
const AGAIN_AT_LEAST: usize = 2_000;

/// What is to be compared.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The most positions.
    pub positions: usize,
    /// The most moves to a position.
    pub depth: Option<usize>,
    /// The number of lines.
    pub lines: usize,
    pub seed: u64,
}

/// A difference, and the line that leads to it.
pub struct Difference {
    /// The moves in the game's notation, and as terms.
    pub spoken: Vec<String>,
    pub terms: Vec<String>,
    pub text: Vec<String>,
    pub data: Value,
}

/// How a search ended.
pub struct Found {
    pub difference: Option<Difference>,
    pub looked_at: usize,
    /// How many lines were played.
    pub lines: usize,
    /// All positions up to this number of moves were compared.
    pub depth: usize,
    /// There are no more positions, and none differs from itself after other moves.
    pub exhausted: bool,
    pub interrupted: bool,
    /// The positions are freed when the answer has been told, since that may take long.
    _positions: Breadth,
}

/// How many positions were compared, and how many may be.
struct Work {
    looked_at: usize,
    most: usize,
    bar: Progress,
}

impl Work {
    /// Counts a position; false where no more may be compared.
    ///
    /// # Errors
    /// Interrupted.
    fn step(&mut self) -> Result<bool, Stop> {
        if interrupt::interrupted() {
            return Err(Stop::Interrupted);
        }
        let more = self.looked_at < self.most;
        if more {
            self.looked_at += 1;
            self.bar.step();
        }
        Ok(more)
    }
}

/// Compares two games.
///
/// # Errors
/// A rule error. What was compared before an interruption is told.
pub fn search(sides: &mut Sides<'_>, request: &Request) -> Result<Found, Stop> {
    let bar = Progress::new(request.positions as u64, "depth 0");
    let mut work = Work { looked_at: 0, most: 0, bar };
    let mut breadth = Breadth::new(sides, request.depth, request.positions.saturating_add(1));
    let mut lines = 0;
    let line = match turns(sides, request, &mut work, &mut breadth, &mut lines) {
        Err(Stop::Interrupted) => None,
        other => other?,
    };
    let difference = match line {
        Some(terms) => Some(difference(sides, terms)?),
        None => None,
    };
    Ok(Found {
        depth: match &difference {
            Some(difference) => difference.terms.len(),
            None => breadth.depth(),
        },
        exhausted: difference.is_none() && breadth.is_exhausted() && !remembers(sides),
        difference,
        looked_at: work.looked_at,
        lines,
        interrupted: interrupt::interrupted(),
        _positions: breadth,
    })
}

/// Both ways in turn; the moves to a difference.
fn turns(
    sides: &mut Sides<'_>,
    request: &Request,
    work: &mut Work,
    breadth: &mut Breadth,
    lines: &mut usize,
) -> Result<Option<Vec<String>>, Stop> {
    work.most = (request.positions / FIRST).clamp(1000, 5000).min(request.positions);
    if let Some(line) = breadth.search(sides, work)? {
        return Ok(Some(line));
    }
    if !breadth.is_over() || remembers(sides) {
        work.most = work.looked_at + (request.positions - work.looked_at) / MIDDLE;
        work.bar.tell("lines");
        let mut shortest: Option<Vec<String>> = None;
        while *lines < request.lines && work.looked_at < work.most {
            // a line that is found later has to be shorter
            let longest = shortest.as_ref().map_or(deep::LONGEST, |line| line.len() - 1);
            *lines += 1;
            if let Some(line) = deep::play(sides, request, *lines - 1, longest, work)? {
                if shortest.is_none() {
                    work.most = work.most.min(work.looked_at * AGAIN + AGAIN_AT_LEAST);
                }
                shortest = Some(line);
            }
        }
        if let Some(line) = shortest {
            return Ok(Some(deep::shortened(sides, line)?));
        }
    }
    work.most = request.positions;
    breadth.search(sides, work)
}

/// Whether the rules look at earlier positions.
fn remembers(sides: &Sides<'_>) -> bool {
    sides.0.game.plan.repetition || sides.1.game.plan.repetition
}

/// The difference after some moves.
fn difference(sides: &mut Sides<'_>, terms: Vec<String>) -> Result<Difference, Stop> {
    let mut states = openings(sides);
    let mut spoken = Vec::new();
    for term in &terms {
        spoken.extend(as_written(&mut sides.0, &states.0, std::slice::from_ref(term))?);
        let Some(next) = deep::step(sides, &states, term)? else { break };
        states = next;
    }
    let (_, _, differing) = sides::look(sides, &states)?;
    let (text, data) = differing.unwrap_or_default();
    Ok(Difference { spoken, terms, text, data })
}
