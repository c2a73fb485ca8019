//! Guided lines for coverage: they steer to clauses that have not held yet.
//!
//! Each line has one such clause as its aim, and prefers positions in which more goals of its body hold. Every
//! other line follows an aim of [`Guide`] instead, since the goals that hold may say little.

use crate::engine::Random;
use crate::program::ClauseId;
use crate::referee::{Position, Referee, Stop};
use crate::reference::{Coverage, RuleError};

use super::lines::Guide;
use super::{Request, Watch, counted, off, own};

/// The most lines for each clause that has not held, and of all.
const LINES: (usize, usize) = (6, 60);
/// The most moves of a line.
const LONGEST: usize = 150;
/// How many moves are compared for a step.
const CONSIDERED: u64 = 5;
/// In a line without a clause as its aim, one position in this many is examined.
const STRIDE: usize = 8;

/// The clauses that are to be reached.
pub fn missing(referee: &Referee<'_>, request: &Request, coverage: &Coverage) -> Vec<ClauseId> {
    let program = &referee.game.program;
    let ids = (0..program.clauses.len()).map(|i| ClauseId(i as u32));
    let wanted = |id: &ClauseId| own(program, *id, request.all) && counted(program, *id);
    let ids = ids.filter(|id| wanted(id) && !coverage.fired(*id) && !off(referee, *id));
    ids.collect()
}

/// Plays lines until the clauses have held, or the goals are used up; returns how many were played.
///
/// # Errors
/// A rule error, or interrupted.
pub fn play(
    referee: &mut Referee<'_>,
    request: &Request,
    most: u64,
    coverage: &mut Coverage,
    watch: Watch<'_>,
) -> Result<usize, Stop> {
    let wanted = missing(referee, request, coverage);
    let all = match wanted.len() {
        0 => 0,
        clauses => (LINES.0 * clauses).clamp(LINES.0 * 2, LINES.1).min(request.playouts),
    };
    let mut played = 0;
    for number in 0..all {
        let left: Vec<ClauseId> =
            wanted.iter().copied().filter(|id| !coverage.fired(*id)).collect();
        if left.is_empty() || coverage.goals > most {
            break;
        }
        let aim = (number % 2 == 0).then(|| left[number / 2 % left.len()]);
        line(referee, request.seed, number, aim, most, coverage)?;
        played += 1;
        watch("guided lines", all as u64);
    }
    Ok(played)
}

fn line(
    referee: &mut Referee<'_>,
    seed: u64,
    number: usize,
    aim: Option<ClauseId>,
    most: u64,
    coverage: &mut Coverage,
) -> Result<(), Stop> {
    // other lines than those of the playouts
    let seed = seed.wrapping_add(1 << 40);
    let mut guide = Guide::new(seed, number / 2 + 1);
    let mut random = Random::for_ply(seed, number as u64);
    let mut position = referee.opening();
    for ply in 1..=LONGEST {
        let outcome = referee.outcome(&position)?;
        let over = outcome.is_some();
        if let Some(outcome) = outcome {
            coverage.ended(outcome.clause);
        }
        if over || ply == LONGEST || (aim.is_none() && ply % STRIDE == 0) {
            examine(referee, &position, coverage)?;
        }
        if over || coverage.goals > most {
            return Ok(());
        }
        let next: Vec<Position> =
            referee.successors(&position)?.into_iter().map(|(_, next)| next).collect();
        let chosen = match aim {
            Some(aim) => nearest(referee, &next, aim, &mut random, coverage)?,
            None => guide.choose(referee, &next)?,
        };
        let Some(at) = chosen else { return Ok(()) };
        position = next[at].clone();
        if let Some(aim) = aim
            && coverage.fired(aim)
        {
            // what the clause leads to may be new as well
            examine(referee, &position, coverage)?;
            return Ok(());
        }
    }
    Ok(())
}

fn examine(
    referee: &Referee<'_>,
    position: &Position,
    coverage: &mut Coverage,
) -> Result<(), Stop> {
    told(referee, referee.rules.cover(&referee.facts(position), coverage))
}

/// Of a few positions drawn by lot, the one that is nearest to the clause.
fn nearest(
    referee: &Referee<'_>,
    next: &[Position],
    aim: ClauseId,
    random: &mut Random,
    coverage: &mut Coverage,
) -> Result<Option<usize>, Stop> {
    let mut best: Option<(usize, usize)> = None;
    for _ in 0..CONSIDERED.min(next.len() as u64) {
        let drawn = random.below(next.len() as u64) as usize;
        let facts = referee.facts(&next[drawn]);
        let near = told(referee, referee.rules.nearness(&facts, aim, coverage))?;
        if best.is_none_or(|(_, most)| near > most) {
            best = Some((drawn, near));
        }
        if coverage.fired(aim) {
            return Ok(Some(drawn));
        }
    }
    Ok(best.map(|(at, _)| at))
}

fn told<T>(referee: &Referee<'_>, result: Result<T, RuleError>) -> Result<T, Stop> {
    result.map_err(|error| referee.stopped(error))
}
