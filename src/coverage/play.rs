//! The games that are played for coverage, and the choice of their positions.

use crate::engine::Random;
use crate::referee::{Referee, Stop};
use crate::reference::{Coverage, Facts};

use super::{Played, Request, Watch};

/// How many final positions are always examined.
const ENDS: usize = 20;
/// The number of plies after which a playout is abandoned.
const MOST_PLIES: usize = 1000;

/// Plays the games and chooses some of their positions.
pub fn sample(
    referee: &mut Referee<'_>,
    request: &Request,
    coverage: &mut Coverage,
    watch: Watch<'_>,
) -> Result<Played, Stop> {
    let mut kept = Kept { most: request.positions.max(1), stride: 1, all: Vec::new() };
    let mut ends = Vec::new();
    let mut played = Played::default();
    for number in 0..request.playouts {
        let mut random = Random::for_ply(request.seed, number as u64);
        match game(referee, &mut random, &mut played, &mut kept, coverage) {
            Ok(Some(end)) if ends.len() < ENDS => ends.push(end),
            Ok(_) => {}
            Err(Stop::Interrupted) => break,
            Err(stop) => return Err(stop),
        }
        if played.positions >= super::ALL_PLIES {
            break;
        }
        played.playouts += 1;
        watch("playouts", request.playouts as u64);
    }
    Ok(chosen(played, kept.all, ends, request))
}

/// One in `stride` of all positions; `stride` doubles when too many are kept.
struct Kept {
    most: usize,
    stride: usize,
    all: Vec<(usize, Facts)>,
}

impl Kept {
    fn add(&mut self, number: usize, facts: impl FnOnce() -> Facts) {
        if number.is_multiple_of(self.stride) {
            self.all.push((number, facts()));
        }
        if self.all.len() > 2 * self.most {
            self.stride *= 2;
            let stride = self.stride;
            self.all.retain(|(at, _)| at % stride == 0);
        }
    }
}

/// Plays a random game; returns its final position where the game was finished.
fn game(
    referee: &mut Referee<'_>,
    random: &mut Random,
    played: &mut Played,
    kept: &mut Kept,
    coverage: &mut Coverage,
) -> Result<Option<Facts>, Stop> {
    let mut position = referee.opening();
    for _ in 0..MOST_PLIES {
        if referee.is_over() {
            return Err(Stop::Interrupted);
        }
        if played.positions >= super::ALL_PLIES {
            break;
        }
        let outcome = referee.outcome(&position)?;
        kept.add(played.positions, || referee.facts(&position));
        played.positions += 1;
        if let Some(outcome) = outcome {
            coverage.ended(outcome.clause);
            return Ok(Some(referee.facts(&position)));
        }
        let choices = referee.choices(&position)?;
        let drawn = Referee::draw(&choices, random)?;
        match referee.play(&position, &drawn)? {
            Some(next) => position = next,
            None => break,
        }
    }
    Ok(None)
}

/// The final positions and the wanted number of others, in an order in which any first few are
/// spread evenly over the games.
fn chosen(
    played: Played,
    kept: Vec<(usize, Facts)>,
    ends: Vec<Facts>,
    request: &Request,
) -> Played {
    let step = kept.len().div_ceil(request.positions.max(1)).max(1);
    let mut chosen: Vec<Facts> = kept.into_iter().step_by(step).map(|(_, facts)| facts).collect();
    let mut random = Random::seeded(request.seed);
    for at in (1..chosen.len()).rev() {
        chosen.swap(at, random.below(at as u64 + 1) as usize);
    }
    // every other one, since they are few and may be the largest
    let mut ends = ends.into_iter();
    let mut mixed = Vec::new();
    for facts in chosen {
        mixed.extend(ends.next());
        mixed.push(facts);
    }
    Played { chosen: mixed.into_iter().chain(ends).collect(), ..played }
}
