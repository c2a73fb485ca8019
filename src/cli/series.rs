//! Games between two computer players, several at a time, and what they say of the strength of the players.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::engine::Game;
use crate::referee::{Stop, interrupt};
use crate::search::contest::{self, Broken, Rules, Side};
use crate::search::evaluation::Evaluation;
use crate::search::{Limits, Memory, Player};
use crate::study::statistics::{Estimate, elo, elo_told};
use crate::ui::progress::Progress;

/// By number of the game: what the first player gained, and the plies.
pub type Results = BTreeMap<u64, (f64, u32)>;

/// Why a series ended before its last game.
pub enum Ended {
    /// A game was not played to its end.
    Broken(Broken),
    /// The results could not be kept.
    Stop(Stop),
}

/// Games between two players, several at a time.
pub struct Series<'a> {
    pub game: &'a Game,
    pub sides: [Side; 2],
    pub rules: Rules,
    pub threads: Option<u16>,
    /// Ends the series once one of two differences of strength is much less likely than the other.
    pub test: Option<Test>,
    /// Called with all results after each game; its error ends the series.
    pub kept: &'a (dyn Fn(&Results) -> Result<(), Stop> + Sync),
    /// What the players know before the first game.
    pub memories: &'a (dyn Fn() -> [Memory; 2] + Sync),
}

impl Series<'_> {
    /// Plays the games below this number that have no result yet.
    pub fn play(&self, games: u64, results: &mut Results) -> Result<(), Ended> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
        let threads = self.threads.unwrap_or(cores);
        if self.test.is_some_and(|test| test.decided(results)) {
            return Ok(());
        }
        let left: Vec<u64> = (0..games).filter(|n| !results.contains_key(n)).collect();
        let progress = Progress::new(left.len() as u64, "games");
        let next = AtomicU64::new(0);
        let shared = Mutex::new((results, None));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let work = || {
                    loop {
                        let Some(number) = left.get(next.fetch_add(1, Ordering::SeqCst) as usize)
                        else {
                            return;
                        };
                        // what was learned in other games must not count, or the order of games would
                        let mut memories = (self.memories)();
                        let played = contest::play(
                            self.game,
                            &self.sides,
                            &mut memories,
                            &self.rules,
                            *number,
                            &interrupt::interrupted,
                        );
                        let mut shared =
                            shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        match played {
                            Ok(Some(result)) => {
                                shared.0.insert(*number, result);
                                progress.step();
                                progress.tell(Standing::of(shared.0).short());
                                if let Err(stop) = (self.kept)(shared.0) {
                                    shared.1.get_or_insert(Ended::Stop(stop));
                                }
                                let decided = self.test.is_some_and(|test| test.decided(shared.0));
                                if decided || shared.1.is_some() {
                                    next.store(u64::MAX / 2, Ordering::SeqCst);
                                    return;
                                }
                            }
                            Ok(None) => return,
                            Err(fault) => {
                                shared.1.get_or_insert(Ended::Broken(fault));
                                next.store(u64::MAX / 2, Ordering::SeqCst);
                                return;
                            }
                        }
                    }
                };
                scope.spawn(work);
            }
        });
        match shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1 {
            Some(ended) => Err(ended),
            None => Ok(()),
        }
    }
}

/// Games between two players of which each may have an evaluation of its own.
pub struct Match<'a> {
    pub game: &'a Game,
    pub players: [Player; 2],
    /// What each knows; `None` for what it finds out in a moment.
    pub known: [Option<Evaluation>; 2],
    pub seed: u64,
}

impl Match<'_> {
    /// Plays this number of games, at 50 ms a move.
    pub fn play(&self, games: u64) -> Result<Standing, Ended> {
        let limits = Limits { time: Some(Duration::from_millis(50)), playouts: None };
        let memory = |i: usize| match &self.known[i] {
            Some(evaluation) => Memory::with(evaluation.clone(), Player::AlphaBeta),
            None => Memory::default(),
        };
        let mut results = Results::new();
        Series {
            game: self.game,
            sides: self.players.map(|player| Side { player, limits }),
            rules: Rules { opening: 2, max_plies: 1000, seed: self.seed },
            threads: None,
            test: None,
            kept: &|_| Ok(()),
            memories: &|| [memory(0), memory(1)],
        }
        .play(games, &mut results)?;
        Ok(Standing::of(&results))
    }
}

/// A sequential test of two differences of strength: the generalised ratio of likelihoods, by the mean and
/// the variance of pairs of games with one opening, against the bounds of Wald (1945) for errors of 5 %.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// The two differences, in Elo.
    pub elo: [f64; 2],
}

impl Test {
    /// The logarithm of the ratio at which one difference is taken to be the true one.
    const BOUND: f64 = 2.944;

    /// The logarithm of how much more likely the second difference makes the results than the first.
    pub fn ratio(self, results: &Results) -> f64 {
        let pairs: Vec<f64> = results
            .iter()
            .filter(|(number, _)| *number % 2 == 0)
            .filter_map(|(number, (gain, _))| Some((gain + results.get(&(number + 1))?.0) / 2.0))
            .collect();
        let n = pairs.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = pairs.iter().sum::<f64>() / n;
        // results that are all the same say nothing of the variance
        let squares: f64 = pairs.iter().map(|pair| (pair - mean).powi(2)).sum();
        let variance = (squares / n).max(0.25 / n);
        let [low, high] = self.elo.map(|elo| 1.0 / (1.0 + 10f64.powf(-elo / 400.0)));
        (high - low) * (2.0 * mean - low - high) * n / (2.0 * variance)
    }

    fn decided(self, results: &Results) -> bool {
        self.ratio(results).abs() >= Test::BOUND
    }

    /// What the results say.
    pub fn text(self, results: &Results) -> String {
        let ratio = self.ratio(results);
        let [low, high] = self.elo;
        match ratio {
            _ if ratio >= Test::BOUND => format!("the difference is {high} Elo rather than {low}"),
            _ if ratio <= -Test::BOUND => format!("the difference is {low} Elo rather than {high}"),
            _ => format!(
                "whether the difference is {low} or {high} Elo is open: logarithm of the ratio \
                 {ratio:.2}, decided at {:.2}",
                Test::BOUND
            ),
        }
    }
}

/// The results so far.
pub struct Standing {
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    plies: u64,
}

impl Standing {
    pub fn of(results: &Results) -> Standing {
        let count = |of: f64| results.values().filter(|(gain, _)| *gain == of).count() as u64;
        Standing {
            games: results.len() as u64,
            won: count(1.0),
            drawn: count(0.5),
            lost: count(0.0),
            plies: results.values().map(|(_, plies)| u64::from(*plies)).sum(),
        }
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    pub fn share(&self) -> f64 {
        self.estimate().value
    }

    /// The share of points with its interval.
    fn estimate(&self) -> Estimate {
        Estimate::share(self.won as f64 + self.drawn as f64 / 2.0, self.games)
    }

    fn short(&self) -> String {
        format!("+{} ={} -{}", self.won, self.drawn, self.lost)
    }

    pub fn text(&self, a: &str, b: &str) -> String {
        if self.games == 0 {
            return "no game was played".to_string();
        }
        let Estimate { value, low, high } = self.estimate();
        let told = |share: f64| elo_told(elo(share));
        let mean = self.plies as f64 / self.games as f64;
        format!(
            "{a} against {b}: {} won, {} drawn, {} lost of {} ({mean:.0} plies on the mean after the opening)\n\
             {:.1} % of the points, with 95 % between {:.1} and {:.1}; Elo {} ({} to {})",
            self.won,
            self.drawn,
            self.lost,
            self.games,
            value * 100.0,
            low * 100.0,
            high * 100.0,
            told(value),
            told(low),
            told(high),
        )
    }

    pub fn data(&self, a: &str, b: &str) -> Value {
        let Estimate { low, high, .. } = self.estimate();
        json!({
            "players": [a, b],
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "share": self.share(),
            "interval": [low, high],
            "plies": self.plies,
        })
    }
}
