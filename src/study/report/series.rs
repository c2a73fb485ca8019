//! The games of a report: which there are, played on all cores, kept in a file and resumed.
//!
//! Every game depends on the seed, its series and its number alone, so it does not matter which thread
//! plays it, nor whether it was played before an interruption.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::{Budget, Game, Session};
use crate::referee::{Stop, interrupt};
use crate::search::contest::{self, Broken, Rules, Side};
use crate::search::{Limits, Memory, POSITIONS, Player};
use crate::study::results;
use crate::ui::progress::Progress;

use super::Request;
use super::play::{Record, Setup, Table};

/// What the file of results says that they belong to.
const KIND: &str = "report";
/// How often the file of results is written.
const PACE: Duration = Duration::from_secs(5);

/// A kind of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// By random moves.
    Random,
    /// By the computer on all sides.
    Computer,
    /// Between the computer and itself with twice the positions: the number of doublings before.
    Doubling(u32),
    /// By one strategy, in a game for one player.
    Strategy(u32),
}

/// The strategies that are compared in a game for one player.
pub const STRATEGIES: [(&str, &str, Player); 5] = [
    ("random", "any legal move", Player::Random),
    ("greedy", "the move with the highest score one ply later", Player::Greedy),
    ("frugal", "the move with the lowest score one ply later", Player::Frugal),
    ("search", "Monte-Carlo tree search", Player::MonteCarlo),
    ("nested", "nested search", Player::Nested),
];

/// The result of a game.
#[derive(Debug, Clone, PartialEq)]
pub enum Played {
    Game(Record),
    /// What the stronger side gained, and the plies.
    Pair(f64, u32),
}

/// All results so far.
pub type Results = BTreeMap<(Series, u64), Played>;

impl Series {
    fn code(self) -> (u32, u32) {
        match self {
            Series::Random => (0, 0),
            Series::Computer => (1, 0),
            Series::Doubling(n) => (2, n),
            Series::Strategy(n) => (3, n),
        }
    }

    fn decoded(kind: u64, n: u32) -> Option<Series> {
        match kind {
            0 => Some(Series::Random),
            1 => Some(Series::Computer),
            2 => Some(Series::Doubling(n)),
            3 => Some(Series::Strategy(n)),
            _ => None,
        }
    }
}

/// The series of a report with the number of games of each, the quick ones first.
pub fn plan(game: &Game, request: &Request) -> Vec<(Series, u64)> {
    if game.program.players.len() == 1 {
        let strategies = 0..STRATEGIES.len() as u32;
        return strategies.map(|n| (Series::Strategy(n), request.starts)).collect();
    }
    let mut all = vec![(Series::Random, request.games), (Series::Computer, request.played)];
    all.extend((0..request.doublings).map(|n| (Series::Doubling(n), request.pairs * 2)));
    all
}

/// The positions that the weaker side of a doubling searches, the last of which reaches `nodes` with the
/// stronger one.
pub fn positions(request: &Request, doubling: u32) -> u64 {
    let halvings = request.doublings.saturating_sub(doubling);
    (request.nodes >> halvings.min(63)).max(1)
}

/// The games of one game, and where they are kept.
pub struct Games {
    pub results: Arc<Mutex<Results>>,
    file: Option<PathBuf>,
    identity: Value,
}

impl Games {
    /// With the results of the file, if there is one.
    ///
    /// # Errors
    /// A file that cannot be read, or is one of other games.
    pub fn resumed(file: Option<&Path>, identity: Value) -> Result<Games, Stop> {
        let results = match file {
            Some(file) => read(file, &identity)?,
            None => Results::new(),
        };
        let file = file.map(Path::to_path_buf);
        Ok(Games { results: Arc::new(Mutex::new(results)), file, identity })
    }

    /// What keeps the results, also where a signal ends the process.
    pub fn keeper(&self) -> impl Fn() -> Result<(), Stop> + Send + Sync + use<> {
        let (results, file) = (Arc::clone(&self.results), self.file.clone());
        let identity = self.identity.clone();
        move || match &file {
            Some(file) => write(file, &identity, &locked(&results)),
            None => Ok(()),
        }
    }

    /// Plays the games that have no result yet. Whether all are played.
    ///
    /// # Errors
    /// A rule error, or a file that cannot be written.
    pub fn play(
        &self,
        game: &Game,
        request: &Request,
        known: &Memory,
        stopped: impl Fn(Broken) -> Stop,
    ) -> Result<bool, Stop> {
        let known = {
            let _told = Progress::spinner("learning what positions are worth");
            prepared(game, request, known).map_err(&stopped)?
        };
        let left: Vec<(Series, u64)> = {
            let results = locked(&self.results);
            let all = plan(game, request).into_iter();
            let all = all.flat_map(|(series, games)| (0..games).map(move |n| (series, n)));
            all.filter(|key| !results.contains_key(key)).collect()
        };
        let progress = Progress::new(left.len() as u64, game.program.title.clone());
        let (next, broken) = (AtomicUsize::new(0), Mutex::new(None));
        let keep = self.keeper();
        let mut kept = Ok(());
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..request.threads.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let mut table = Table::new(game);
                        while let Some(key) = left.get(next.fetch_add(1, Ordering::SeqCst)) {
                            match one(&mut table, game, request, &known, *key) {
                                Ok(Some(result)) => {
                                    locked(&self.results).insert(*key, result);
                                    progress.step();
                                }
                                Ok(None) => break,
                                Err(fault) => {
                                    locked(&broken).get_or_insert(fault);
                                    next.store(usize::MAX / 2, Ordering::SeqCst);
                                }
                            }
                        }
                    })
                })
                .collect();
            let mut last = Instant::now();
            while !workers.iter().all(|worker| worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(5));
                if last.elapsed() >= PACE && kept.is_ok() {
                    kept = keep();
                    last = Instant::now();
                }
            }
        });
        kept?;
        keep()?;
        match broken.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(fault) if !interrupt::interrupted() => Err(stopped(fault)),
            _ => Ok(!interrupt::interrupted()),
        }
    }
}

/// What the players have to know, found out once for all games.
fn prepared(game: &Game, request: &Request, known: &Memory) -> Result<Memory, Broken> {
    let mut known = known.clone();
    let mut session = Session::new(game);
    session.set_budget(Budget::PLAY.interrupted_by(interrupt::interrupted));
    if game.program.players.len() > 1 && request.played + request.pairs > 0 {
        known.prepare(&mut session, request.player, limits(request.nodes))?;
    }
    Ok(known)
}

fn limits(nodes: u64) -> Limits {
    Limits { time: None, playouts: Some(nodes.div_ceil(POSITIONS)) }
}

/// Plays one game; `None` where it is interrupted.
fn one(
    table: &mut Table<'_>,
    game: &Game,
    request: &Request,
    known: &Memory,
    (series, number): (Series, u64),
) -> Result<Option<Played>, Broken> {
    let mut memory = known.clone();
    let setup = |player: Player, opening: u32| Setup {
        player,
        limits: limits(request.nodes),
        opening,
        max_plies: request.max_plies,
        seed: request.seed,
    };
    let setup = match series {
        Series::Random => setup(Player::Random, 0),
        Series::Computer => setup(request.player, request.opening),
        Series::Strategy(n) => setup(STRATEGIES[n as usize % STRATEGIES.len()].2, 0),
        Series::Doubling(n) => {
            let fewer = positions(request, n);
            let side = |nodes: u64| Side { player: request.player, limits: limits(nodes) };
            let rules = Rules {
                opening: request.opening,
                max_plies: request.max_plies,
                seed: request.seed ^ u64::from(n + 1) << 40,
            };
            let mut memories = [memory.clone(), memory];
            let sides = [side(fewer * 2), side(fewer)];
            let played = contest::play(
                game,
                &sides,
                &mut memories,
                &rules,
                number,
                &interrupt::interrupted,
            )?;
            return Ok(played.map(|(gain, plies)| Played::Pair(gain, plies)));
        }
    };
    Ok(table.play(&setup, number, &mut memory)?.map(Played::Game))
}

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(file: &Path, identity: &Value, kept: &Results) -> Result<(), Stop> {
    let games = kept.iter().map(|((series, number), result)| {
        let (kind, n) = series.code();
        match result {
            Played::Game(record) => json!([kind, n, number, record.data()]),
            Played::Pair(gain, plies) => json!([kind, n, number, gain, plies]),
        }
    });
    results::write(file, (KIND, identity), games)
}

fn read(file: &Path, identity: &Value) -> Result<Results, Stop> {
    results::read(file, (KIND, identity), |entry| {
        let n = u32::try_from(entry[1].as_u64()?).ok()?;
        let series = Series::decoded(entry[0].as_u64()?, n)?;
        let result = match series {
            Series::Doubling(_) => {
                Played::Pair(entry[3].as_f64()?, u32::try_from(entry[4].as_u64()?).ok()?)
            }
            _ => Played::Game(Record::read(&entry[3])?),
        };
        Some(((series, entry[2].as_u64()?), result))
    })
}
