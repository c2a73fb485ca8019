//! Guided lines of play: games whose moves are not drawn evenly, so that they come where random games
//! rarely do.
//!
//! Each line follows one aim, which decides between a few moves drawn by lot: to take away what is on the
//! board, to leave the next player few moves or many, or to come back to an earlier position. Every fourth
//! move is drawn evenly, so that lines with the same aim differ. Lines with an aim do not end the game as long
//! as they can avoid it.

use rustc_hash::FxHashSet;

use crate::engine::Random;
use crate::referee::{Position, Referee, Stop};

/// The most moves between which an aim decides.
const CONSIDERED: u64 = 12;

/// What a line steers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Nothing: a random game.
    None,
    /// As little as possible on the board.
    Empty,
    /// As few replies as possible.
    Few,
    /// As many replies as possible.
    Many,
    /// A position that has been met before in this line.
    Again,
}

const AIMS: [Aim; 6] = [Aim::None, Aim::Empty, Aim::Few, Aim::None, Aim::Again, Aim::Many];

/// Chooses the moves of one line.
pub struct Guide {
    aim: Aim,
    random: Random,
    /// Positions of this line, by what `repeated_board` compares: one that is met again with another player to move
    /// is worth steering to as well.
    met: FxHashSet<u64>,
}

impl Guide {
    /// The guide of the line of this number.
    pub fn new(seed: u64, number: usize) -> Guide {
        Guide {
            aim: AIMS[number % AIMS.len()],
            random: Random::for_ply(seed, number as u64),
            met: FxHashSet::default(),
        }
    }

    /// The number of the position to go to; `None` where there is none. Only positions of the compiled
    /// engine are compared.
    ///
    /// # Errors
    /// A rule error.
    pub fn choose(
        &mut self,
        referee: &mut Referee<'_>,
        next: &[Position],
    ) -> Result<Option<usize>, Stop> {
        if next.is_empty() {
            return Ok(None);
        }
        let even = self.aim == Aim::None || self.random.below(4) == 0;
        let mut best: Option<(usize, i64)> = None;
        for _ in 0..if even { 1 } else { CONSIDERED.min(next.len() as u64 * 2) } {
            let drawn = self.random.below(next.len() as u64) as usize;
            let worth = if even { 0 } else { self.worth(referee, &next[drawn])? };
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((drawn, worth));
            }
        }
        if let Some((at, _)) = best
            && let Position::Compiled(state) = &next[at]
        {
            self.met.insert(referee.session.hashes(state).0);
        }
        Ok(best.map(|(at, _)| at))
    }

    fn worth(&self, referee: &mut Referee<'_>, position: &Position) -> Result<i64, Stop> {
        let Position::Compiled(state) = position else { return Ok(0) };
        if referee.outcome(position)?.is_some() {
            return Ok(i64::MIN);
        }
        Ok(match self.aim {
            Aim::None => 0,
            Aim::Empty => -(referee.game.facts(state).len() as i64),
            Aim::Few => -(referee.choices(position)?.all.len() as i64),
            Aim::Many => referee.choices(position)?.all.len() as i64,
            Aim::Again => i64::from(self.met.contains(&referee.session.hashes(state).0)),
        })
    }
}
