//! The two sides of a contest: a program that plays random games, or counts the sequences of moves,
//! for a while, and says how fast it was.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ludex::board::Board;
use ludex::engine::{Game, Perft, PlayoutOptions, Session, State};
use ludex::pipeline;
use ludex::program::LoadRequest;
use shakmaty::{Chess, Position as _};

use crate::baseline::{BASELINES, Baseline, Random};

/// A game that is not over after so many plies is stopped.
const MAX_PLIES: u64 = 1_000;

/// Options of a rule file: name and value.
pub type Options = &'static [(&'static str, &'static str)];

/// Who plays, before anything is loaded.
#[derive(Clone)]
pub enum Side {
    /// Random games by the rule file.
    Playouts(&'static str, Options),
    /// Random games by hand.
    ByHand(&'static str),
    /// Sequences of moves by the rule file: the depth, and how many there are.
    Perft(&'static str, Options, u32, u64),
    PerftByHand(&'static str, u32, u64),
    /// Sequences of chess moves by the crate `shakmaty`.
    Shakmaty(u32, u64),
}

/// A side that is loaded, and can be asked for its speed again and again.
pub struct Ready(Box<dyn FnMut(Duration) -> Result<f64, String>>);

impl Ready {
    /// Plies or leaves a second, over so long.
    ///
    /// # Errors
    /// A rule error, or a wrong number of leaves.
    pub fn speed(&mut self, time: Duration) -> Result<f64, String> {
        (self.0)(time)
    }
}

impl Side {
    /// # Errors
    /// The rule file cannot be loaded.
    pub fn ready(&self) -> Result<Ready, String> {
        Ok(Ready(match *self {
            Side::Playouts(rules, options) => {
                let (mut session, opening) = open(rules, options)?;
                let mut seed = 0;
                Box::new(move |time| {
                    seed += 1;
                    playouts(&mut session, &opening, seed, time)
                })
            }
            Side::ByHand(name) => {
                let by_hand = by_hand(name)?;
                let mut random = Random::seeded(1);
                Box::new(move |time| Ok(playouts_by_hand(by_hand, &mut random, time)))
            }
            Side::Perft(rules, options, depth, leaves) => {
                let (mut session, opening) = open(rules, options)?;
                Box::new(move |time| {
                    counted(rules, depth, leaves, time, &mut || {
                        let mut work = Perft::new(&|| false);
                        work.make_leaves = true;
                        let counted = session.perft(&opening, depth, &mut work);
                        counted.map_err(|fault| format!("{rules}: {fault:?}"))
                    })
                })
            }
            Side::PerftByHand(name, depth, leaves) => {
                let by_hand = by_hand(name)?;
                Box::new(move |time| {
                    counted(name, depth, leaves, time, &mut || Ok((by_hand.perft)(depth)))
                })
            }
            Side::Shakmaty(depth, leaves) => Box::new(move |time| {
                let start = Chess::default();
                counted("shakmaty", depth, leaves, time, &mut || Ok(perft(&start, depth)))
            }),
        }))
    }
}

fn load(rules: &str, options: Options) -> Result<Game, String> {
    let mut request = match rules.ends_with(".ludex") {
        true => LoadRequest::path(format!("{}/{rules}", env!("CARGO_MANIFEST_DIR"))),
        false => LoadRequest::shipped(rules),
    };
    for (name, value) in options {
        request = request.with_option(name, value);
    }
    match pipeline::load(&request) {
        Ok(loaded) => Ok(loaded.game),
        Err(failure) => {
            let faults = failure.diagnostics.iter().chain(&failure.request_faults);
            let told: Vec<&str> = faults.map(|d| d.message.as_str()).collect();
            Err(format!("{rules} cannot be loaded: {}", told.join("; ")))
        }
    }
}

/// A session that lasts as long as the process.
fn open(rules: &str, options: Options) -> Result<(Session<'static>, State), String> {
    let mut session = Session::new(Box::leak(Box::new(load(rules, options)?)));
    let opening = session.opening();
    Ok((session, opening))
}

/// How many sites the board has.
///
/// # Errors
/// The rule file cannot be loaded, or has no board.
pub fn sites(rules: &str, options: Options) -> Result<usize, String> {
    let game = load(rules, options)?;
    let board = Board::new(&game.program, &game.tables);
    board.map(|board| board.len()).ok_or_else(|| format!("{rules} has no board"))
}

fn by_hand(name: &str) -> Result<&'static Baseline, String> {
    let found = BASELINES.iter().find(|b| b.name == name);
    found.ok_or_else(|| format!("{name} was not written by hand"))
}

fn playouts(
    session: &mut Session<'_>,
    opening: &State,
    seed: u64,
    time: Duration,
) -> Result<f64, String> {
    let started = Instant::now();
    let mut looked = 0;
    let mut options = PlayoutOptions {
        seed,
        max_plies: MAX_PLIES,
        go_on: &mut |counts| {
            // games that are over at the opening would go on for ever
            if counts.plies == 0 {
                return false;
            }
            // the clock is dear where games are short
            if counts.plies < looked + 500 {
                return true;
            }
            looked = counts.plies;
            started.elapsed() < time
        },
        finished: None,
        seen: None,
    };
    let counts = session.playouts(opening, &mut options).map_err(|fault| format!("{fault:?}"))?;
    if counts.plies == 0 {
        return Err("the game is over before its first move".to_string());
    }
    Ok(counts.plies as f64 / started.elapsed().as_secs_f64())
}

fn playouts_by_hand(by_hand: &Baseline, random: &mut Random, time: Duration) -> f64 {
    let started = Instant::now();
    let mut plies = 0;
    loop {
        for _ in 0..64 {
            let played = (by_hand.playout)(random, MAX_PLIES);
            black_box(played.winners);
            plies += played.plies;
        }
        if started.elapsed() >= time {
            return plies as f64 / started.elapsed().as_secs_f64();
        }
    }
}

/// Counts again and again, once at least; every count must be right.
fn counted(
    name: &str,
    depth: u32,
    leaves: u64,
    time: Duration,
    count: &mut dyn FnMut() -> Result<u64, String>,
) -> Result<f64, String> {
    let started = Instant::now();
    let mut all = 0;
    loop {
        let found = count()?;
        if found != leaves {
            return Err(format!("{name}: perft {depth} is {found}, and not {leaves}"));
        }
        all += found;
        if started.elapsed() >= time {
            return Ok(all as f64 / started.elapsed().as_secs_f64());
        }
    }
}

/// Makes the last move of each sequence too.
fn perft(position: &Chess, depth: u32) -> u64 {
    if depth == 0 {
        black_box(position);
        return 1;
    }
    let mut leaves = 0;
    for mv in &position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(*mv);
        leaves += perft(&next, depth - 1);
    }
    leaves
}
