//! `ludex tournament`: games between two computer players.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::engine::{Game, Session};
use crate::referee::{Evaluator, Referee, Stop, interrupt, memory};
use crate::search::contest::{self, Broken, Rules, Side};
use crate::search::evaluation::Evaluation;
use crate::search::{Limits, Memory, Player, Strength};
use crate::study::results;
use crate::study::statistics::{Estimate, elo, elo_told};
use crate::ui::arguments::{GameArguments, limits, seconds, strength};
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::{open, signals};

/// Lets two computer players play against each other, each opening twice with the sides exchanged.
#[derive(Debug, Args)]
pub struct TournamentArguments {
    #[command(flatten)]
    game: GameArguments,

    /// The two players.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "A,B",
        default_values = ["auto", "random"]
    )]
    players: Vec<Kind>,

    /// How many games to play.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,

    /// The time for a move, in seconds.
    #[arg(long, value_name = "S", default_value = "0.1", value_parser = seconds)]
    time: f64,

    /// Searches N positions for each move in place of a time; the games are then the same on any machine. A
    /// random game counts as fifty positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// The levels of strength of the two players, from 1 to 10, in place of their kinds.
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        value_parser = strength,
        conflicts_with_all = ["players", "time", "nodes"]
    )]
    strength: Vec<Strength>,

    /// Draws the first N plies of each opening at random.
    #[arg(long, value_name = "N", default_value_t = 2)]
    opening: u32,

    /// A game that is not over after N plies is drawn.
    #[arg(long, value_name = "N", default_value_t = 400)]
    max_plies: u32,

    /// The seed of openings and players.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How many games are played at a time; by default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Keeps the results in this file, and goes on with those that are there.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// A kind of player by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The one that suits the game.
    Auto,
    /// Principal variation search.
    Alphabeta,
    /// Monte-Carlo tree search.
    Montecarlo,
    /// The move that is worth most one ply later.
    Greedy,
    /// The move that is worth least one ply later.
    Frugal,
    /// What the rule file advises, and any legal move where it advises nothing.
    Advice,
    /// Any legal move.
    Random,
}

impl Kind {
    pub fn player(self) -> Player {
        match self {
            Kind::Auto => Player::Auto,
            Kind::Alphabeta => Player::AlphaBeta,
            Kind::Montecarlo => Player::MonteCarlo,
            Kind::Greedy => Player::Greedy,
            Kind::Frugal => Player::Frugal,
            Kind::Advice => Player::Advice,
            Kind::Random => Player::Random,
        }
    }

    pub fn word(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
    }
}

/// What the file of results says that they belong to.
const KIND: &str = "tournament";

/// By number of the game: what the first player gained, and the plies.
type Results = BTreeMap<u64, (f64, u32)>;

pub fn run(arguments: &TournamentArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    if game.program.players.len() < 2 {
        let title = &game.program.title;
        return Err(Stop::Usage(format!("{title} is a game for one player")));
    }
    let contestants = contestants(arguments)?;
    signals::catch();
    let sides = [contestants[0].1, contestants[1].1];
    let identity = identity(arguments, &game);
    let mut results = match &arguments.file {
        Some(file) => resumed(file, &identity)?,
        None => Results::new(),
    };
    let referee = Referee::new(&game, Evaluator::Compiled);
    let mut known = memory(&game);
    {
        let mut session = Session::new(&game);
        for side in &sides {
            let ready = known.prepare(&mut session, side.player, side.limits);
            ready.map_err(|fault| referee.fault(&fault))?;
        }
    }
    let played = Series {
        game: &game,
        sides,
        rules: Rules {
            opening: arguments.opening,
            max_plies: arguments.max_plies,
            seed: arguments.seed,
        },
        threads: arguments.threads,
        memories: &|| [known.clone(), known.clone()],
    }
    .play(arguments.games, &mut results);
    if let Some(file) = &arguments.file {
        keep(file, &identity, &results)?;
    }
    if let Err(broken) = played {
        let stop = referee.broken(broken);
        if !matches!(stop, Stop::Interrupted) {
            return Err(stop);
        }
    }
    let told = Standing::of(&results);
    let [a, b] = contestants.map(|(name, _)| name);
    if arguments.json {
        console.json(&told.data(&a, &b))?;
    } else {
        console.line(told.text(&a, &b))?;
    }
    match interrupt::interrupted() {
        true => Err(Stop::Interrupted),
        false => Ok(()),
    }
}

/// The two players with their names.
fn contestants(arguments: &TournamentArguments) -> Result<[(String, Side); 2], Stop> {
    let limits = limits(arguments.nodes, arguments.time);
    let level = |strength: &Strength| {
        let name = format!("level {}", strength.level());
        let limits = Limits { time: None, playouts: None };
        (name, Side { player: Player::Level(*strength), limits })
    };
    let kind = |kind: &Kind| (kind.word(), Side { player: kind.player(), limits });
    match (arguments.strength.as_slice(), arguments.players.as_slice()) {
        ([a, b], _) => Ok([level(a), level(b)]),
        ([], [a, b]) => Ok([kind(a), kind(b)]),
        ([], _) => Err(Stop::Usage("--players takes two players, such as auto,random".to_string())),
        _ => Err(Stop::Usage("--strength takes two levels, such as 5,4".to_string())),
    }
}

/// What the results of a file must have been played with.
fn identity(arguments: &TournamentArguments, game: &Game) -> Value {
    json!({
        "game": game.program.title,
        "options": arguments.game.options.options,
        "players": arguments.players.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "time": arguments.nodes.is_none().then_some(arguments.time),
        "nodes": arguments.nodes,
        "strength": arguments.strength.iter().map(|level| level.level()).collect::<Vec<_>>(),
        "opening": arguments.opening,
        "max_plies": arguments.max_plies,
        "seed": arguments.seed,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn resumed(file: &Path, identity: &Value) -> Result<Results, Stop> {
    results::read(file, (KIND, identity), |entry| {
        Some((entry[0].as_u64()?, (entry[1].as_f64()?, u32::try_from(entry[2].as_u64()?).ok()?)))
    })
}

fn keep(file: &Path, identity: &Value, kept: &Results) -> Result<(), Stop> {
    let games = kept.iter().map(|(number, (gain, plies))| json!([number, gain, plies]));
    results::write(file, (KIND, identity), games)
}

/// Games between two players, several at a time.
struct Series<'a> {
    game: &'a Game,
    sides: [Side; 2],
    rules: Rules,
    threads: Option<u16>,
    /// What the players know before the first game.
    memories: &'a (dyn Fn() -> [Memory; 2] + Sync),
}

impl Series<'_> {
    /// Plays the games below this number that have no result yet.
    fn play(&self, games: u64, results: &mut Results) -> Result<(), Broken> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
        let threads = self.threads.unwrap_or(cores);
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
                            }
                            Ok(None) => return,
                            Err(fault) => {
                                shared.1.get_or_insert(fault);
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
            Some(fault) => Err(fault),
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
    pub fn play(&self, games: u64) -> Result<Standing, Broken> {
        let limits = Limits { time: Some(Duration::from_millis(50)), playouts: None };
        let memory = |i: usize| match &self.known[i] {
            Some(evaluation) => Memory::with(evaluation.clone(), Player::Auto),
            None => Memory::default(),
        };
        let mut results = Results::new();
        Series {
            game: self.game,
            sides: self.players.map(|player| Side { player, limits }),
            rules: Rules { opening: 2, max_plies: 300, seed: self.seed },
            threads: None,
            memories: &|| [memory(0), memory(1)],
        }
        .play(games, &mut results)?;
        Ok(Standing::of(&results))
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
    fn of(results: &Results) -> Standing {
        let count = |of: f64| results.values().filter(|(gain, _)| *gain == of).count() as u64;
        Standing {
            games: results.len() as u64,
            won: count(1.0),
            drawn: count(0.5),
            lost: count(0.0),
            plies: results.values().map(|(_, plies)| u64::from(*plies)).sum(),
        }
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
            "{a} against {b}: {} won, {} drawn, {} lost of {} ({mean:.0} plies on the mean)\n\
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
