//! The position from which a command starts: the opening or a given position, and moves from there.

pub use crate::referee::line::{MOST_EVENTS, Track, changed, endless, given};

use crate::referee::line::play_line;
use crate::referee::{Position, Referee, Stop};
use crate::ui::arguments::StartArguments;

/// The position that the arguments describe.
///
/// # Errors
/// A wrong position or move, or a rule error.
pub fn position(referee: &mut Referee<'_>, start: &StartArguments) -> Result<Position, Stop> {
    Ok(track(referee, start)?.position)
}

/// The positions from the start to the one that the arguments describe, oldest first.
///
/// # Errors
/// A wrong position or move, or a rule error.
pub fn line(
    referee: &mut Referee<'_>,
    start: &StartArguments,
) -> Result<(Vec<Position>, Position), Stop> {
    let track = track(referee, start)?;
    Ok((track.moves.into_iter().map(|past| past.before).collect(), track.position))
}

/// The moves that the arguments describe, and the position after them.
///
/// # Errors
/// A wrong position or move, or a rule error.
pub fn track(referee: &mut Referee<'_>, start: &StartArguments) -> Result<Track, Stop> {
    track_by(referee, start, None)
}

/// The same, with the chance events that are due drawn by a seed.
///
/// # Errors
/// A wrong position or move, or a rule error.
pub fn track_by(
    referee: &mut Referee<'_>,
    start: &StartArguments,
    seed: Option<u64>,
) -> Result<Track, Stop> {
    let position = match &start.given {
        Some(text) => {
            let facts = given(referee, "--given", text)?;
            referee.position(&facts)?
        }
        None => referee.opening(),
    };
    match &start.after {
        Some(line) => play_line(referee, position, line, seed),
        None if seed.is_some() => play_line(referee, position, "", seed),
        None => Ok(Track { moves: Vec::new(), position }),
    }
}
