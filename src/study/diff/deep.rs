//! Random and guided lines, and how a line to a difference is made shorter.

use crate::coverage::lines::Guide;
use crate::engine::State;
use crate::program::Value;
use crate::record::parse_move;
use crate::referee::{Position, Referee, Stop};

use super::sides::{Sides, States, look, openings};
use super::{Request, Work};

/// The most moves of a line.
pub const LONGEST: usize = 400;
/// The most moves that are made to make a line shorter.
const PLIES: usize = 300_000;

/// Plays one line of at most this many moves. Returns the moves to a difference.
///
/// # Errors
/// A rule error, or interrupted.
pub fn play(
    sides: &mut Sides<'_>,
    request: &Request,
    number: usize,
    longest: usize,
    work: &mut Work,
) -> Result<Option<Vec<String>>, Stop> {
    let mut guide = Guide::new(request.seed, number);
    let mut states = openings(sides);
    let mut line = Vec::new();
    let longest = longest.min(request.depth.unwrap_or(LONGEST));
    loop {
        if !work.step()? {
            return Ok(None);
        }
        let (a, mut b, difference) = look(sides, &states)?;
        if difference.is_some() {
            return Ok(Some(line));
        }
        if line.len() >= longest {
            return Ok(None);
        }
        let (terms, next): (Vec<String>, Vec<Position>) =
            a.moves.into_iter().map(|(term, state)| (term, Position::Compiled(state))).unzip();
        let Some(at) = guide.choose(&mut sides.0, &next)? else { return Ok(None) };
        let (Position::Compiled(left), Some(right)) = (&next[at], b.moves.remove(&terms[at]))
        else {
            return Ok(None);
        };
        states = (left.clone(), right);
        line.push(terms[at].clone());
    }
}

/// The position after a move that both sides allow.
///
/// # Errors
/// A rule error, or interrupted.
pub fn step(sides: &mut Sides<'_>, states: &States, term: &str) -> Result<Option<States>, Stop> {
    let Some(mv) = parse_move(term) else { return Ok(None) };
    let left = sides.0.session.play(&states.0, &mv).map_err(|fault| sides.0.fault(&fault))?;
    let right = sides.1.session.play(&states.1, &mv).map_err(|fault| sides.1.fault(&fault))?;
    Ok(left.zip(right))
}

/// A line to a difference, without moves that it does not need.
///
/// Moves are left out in rows and one by one. Those of each player stay in their order and are played when it
/// is his turn, so what one player leaves out need not stand beside what the other does.
///
/// # Errors
/// A rule error. Interrupted, the line as short as it is by then.
pub fn shortened(sides: &mut Sides<'_>, line: Vec<String>) -> Result<Vec<String>, Stop> {
    let mut plies = PLIES;
    let Some(mut best) = owned(sides, &line)? else { return Ok(line) };
    let mut shorter = true;
    while shorter {
        shorter = false;
        for part in parts(best.len()) {
            let mut from = best.len().saturating_sub(part);
            loop {
                let mut attempt = best.clone();
                attempt.drain(from..(from + part).min(best.len()));
                match leads(sides, &attempt, &mut plies) {
                    Err(Stop::Interrupted) => plies = 0,
                    Err(stop) => return Err(stop),
                    Ok(Some(played)) if played.len() < best.len() => {
                        best = played;
                        shorter = true;
                    }
                    Ok(_) => {}
                }
                if plies == 0 {
                    return Ok(best.into_iter().map(|(_, term)| term).collect());
                }
                if from == 0 || best.len() < part {
                    break;
                }
                from = (from - 1).min(best.len() - part);
            }
        }
    }
    Ok(best.into_iter().map(|(_, term)| term).collect())
}

/// How many moves in a row are left out: half of them at first, and down to one.
fn parts(length: usize) -> Vec<usize> {
    let mut parts: Vec<usize> =
        std::iter::successors(Some(length / 2), |n| Some(n / 2)).take_while(|n| *n > 4).collect();
    parts.extend([4, 3, 2, 1]);
    parts.retain(|part| *part <= length);
    parts
}

/// A move and the player who makes it.
type Owned = (Value, String);

/// The moves of a line with their players.
fn owned(sides: &mut Sides<'_>, line: &[String]) -> Result<Option<Vec<Owned>>, Stop> {
    let mut states = openings(sides);
    let mut owned = Vec::with_capacity(line.len());
    for term in line {
        owned.push((sides.0.game.turn(&states.0), term.clone()));
        let Some(next) = step(sides, &states, term)? else { return Ok(None) };
        states = next;
    }
    Ok(Some(owned))
}

/// The moves among these that lead to a difference; `None` where they do not.
fn leads(
    sides: &mut Sides<'_>,
    line: &[Owned],
    plies: &mut usize,
) -> Result<Option<Vec<Owned>>, Stop> {
    let mut states = openings(sides);
    let mut left: Vec<&Owned> = line.iter().collect();
    let mut played = Vec::new();
    loop {
        *plies = plies.saturating_sub(1);
        if *plies == 0 {
            return Ok(None);
        }
        let over = |referee: &mut Referee<'_>, state: &State| {
            Ok::<_, Stop>(referee.outcome(&Position::Compiled(state.clone()))?.is_some())
        };
        match (over(&mut sides.0, &states.0)?, over(&mut sides.1, &states.1)?) {
            (false, false) => {}
            // the same end, perhaps by another winner
            _ => break,
        }
        let turn = sides.0.game.turn(&states.0);
        let Some(at) = left.iter().position(|(player, _)| *player == turn) else { break };
        let next = left.remove(at);
        // one side may allow it
        let Some(after) = step(sides, &states, &next.1)? else { break };
        states = after;
        played.push(next.clone());
    }
    let (_, _, difference) = look(sides, &states)?;
    Ok(difference.map(|_| played))
}
