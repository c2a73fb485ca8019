//! The run that a profile describes: random moves by the interpreted plan with its probes, and
//! then, for comparison, without them.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::engine::{
    Budget, Execution, Fault, Game, PlayoutOptions, Playouts, Probed, Samples, Session, State,
    Tally,
};
use crate::plan::OpId;
use crate::referee::interrupt;

/// What a profile plays, and for how long.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The position in which the random games begin.
    pub from: &'a State,
    pub seed: u64,
    /// The number of plies after which a game is stopped.
    pub max_plies: u64,
    /// The number of games after which the run ends, if its time is not over earlier.
    pub playouts: Option<u64>,
    pub time: Duration,
}

/// The measurements.
#[derive(Debug)]
pub struct Measured {
    pub played: Playouts,
    pub elapsed: Duration,
    /// The counts of each instruction.
    pub tallies: FxHashMap<OpId, Tally>,
    /// All samples, and those outside instructions.
    pub samples: u64,
    pub outside: u64,
    /// Plies per second without probes: as machine code, and interpreted. `None` where not
    /// measured.
    pub native: Option<f64>,
    pub interpreted: Option<f64>,
}

impl Measured {
    /// The plies that were played, those of an unfinished game included.
    pub fn plies(&self) -> u64 {
        plies(&self.played)
    }
}

fn plies(played: &Playouts) -> u64 {
    played.plies + played.broken_off
}

/// The divisor for the share of the time in which the speed without probes is measured, for each
/// way to run the plan.
const SPEED_SHARE: u32 = 6;

/// Plays and counts. After Ctrl-C the counts so far are returned.
///
/// # Errors
/// A rule error.
pub fn measure(game: &Game, request: &Request<'_>) -> Result<Measured, Fault> {
    let probed = Probed::new(game);
    let mut samples = Samples::default();
    let mut session = probed.session();
    let speed_time = request.time / SPEED_SHARE;
    let started = Instant::now();
    let played = probed
        .sampled(&mut samples, || play(&mut session, request, request.time - 2 * speed_time))?;
    let elapsed = started.elapsed();
    let tallies: FxHashMap<OpId, Tally> = probed.tallies(&samples).collect();
    let taken: u64 = tallies.values().map(|tally| tally.samples).sum();
    let (mut native, mut interpreted) = (None, None);
    if !interrupt::interrupted() {
        interpreted = speed(game, Execution::Interpreted, request, speed_time)?;
    }
    // the code is made before the clock starts
    if game.code.report(&game.plan, &interrupt::interrupted).is_some() && !interrupt::interrupted()
    {
        native = speed(game, Execution::Native, request, speed_time)?;
    }
    let (samples, outside) = (taken + samples.outside, samples.outside);
    Ok(Measured { played, elapsed, tallies, samples, outside, native, interpreted })
}

/// Plies per second.
fn speed(
    game: &Game,
    execution: Execution,
    request: &Request<'_>,
    time: Duration,
) -> Result<Option<f64>, Fault> {
    let mut session = Session::with(game, execution);
    let request = Request { playouts: None, ..request.clone() };
    let started = Instant::now();
    let played = play(&mut session, &request, time)?;
    let elapsed = started.elapsed().as_secs_f64();
    Ok((plies(&played) > 0).then(|| plies(&played) as f64 / elapsed.max(1e-9)))
}

fn play(
    session: &mut Session<'_>,
    request: &Request<'_>,
    time: Duration,
) -> Result<Playouts, Fault> {
    session.set_budget(Budget {
        interrupted: Some(interrupt::interrupted),
        until: Some(Instant::now() + time),
        ..Budget::PLAY
    });
    let most = request.playouts.unwrap_or(u64::MAX);
    let mut options = PlayoutOptions {
        seed: request.seed,
        max_plies: request.max_plies,
        go_on: &mut |played| played.games < most,
        finished: None,
        seen: None,
    };
    session.playouts(request.from, &mut options)
}
