//! `ludex tournament`: games between two computer players.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::engine::{Game, Session};
use crate::referee::knowledge::memory_in;
use crate::referee::{Evaluator, Referee, Stop, interrupt, memory};
use crate::search::contest::{Rules, Side};
use crate::search::{Limits, Memory, Player, Strength};
use crate::study::results;
use crate::ui::arguments::{GameArguments, limits, seconds, strength};
use crate::ui::console::Console;
use crate::ui::{open, signals, solutions};

use super::series::{Ended, Results, Series, Standing, Test};

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
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_plies: u32,

    /// The seed of openings and players.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How many games are played at a time; by default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// The weights of the two players, from files that `ludex tune` has written, in place of those beside the
    /// rule file.
    #[arg(long, value_name = "FILE,FILE", value_delimiter = ',')]
    weights: Vec<PathBuf>,

    /// Ends once a difference of A Elo is much less likely than one of B, or B than A (errors of 5 %), such
    /// as 0,20.
    #[arg(long, value_name = "A,B", value_delimiter = ',', allow_negative_numbers = true)]
    sprt: Vec<f64>,

    /// Keeps the results in this file after each game, and goes on with those that are there.
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
    /// Unbounded best-first minimax.
    Bestfirst,
    /// Search in which each of several players seeks the greatest share for himself.
    Maxn,
    /// Nested search, in games for one player.
    Nested,
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
            Kind::Bestfirst => Player::BestFirst,
            Kind::Maxn => Player::MaxN,
            Kind::Nested => Player::Nested,
            Kind::Greedy => Player::Greedy,
            Kind::Frugal => Player::Frugal,
            Kind::Advice => Player::Advice,
            Kind::Random => Player::Random,
        }
    }

    /// Refuses a player that does not play this game.
    ///
    /// # Errors
    /// One for a single player in a game for several.
    pub fn fits(self, game: &Game) -> Result<(), Stop> {
        let players = game.program.players.len();
        match self {
            Kind::Nested if players > 1 => {
                let title = &game.program.title;
                Err(Stop::Usage(format!(
                    "`nested` plays games for one player, and {title} has {players}; use `auto`, `alphabeta` or \
                     `montecarlo`"
                )))
            }
            _ => Ok(()),
        }
    }

    pub fn word(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
    }
}

/// What the file of results says that they belong to.
const KIND: &str = "tournament";

pub fn run(arguments: &TournamentArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    if game.program.players.len() < 2 {
        let title = &game.program.title;
        return Err(Stop::Usage(format!("{title} is a game for one player")));
    }
    let contestants = contestants(arguments)?;
    arguments.players.iter().try_for_each(|kind| kind.fits(&game))?;
    signals::catch();
    let sides = [contestants[0].1, contestants[1].1];
    let identity = identity(arguments, &game);
    let mut results = match &arguments.file {
        Some(file) => resumed(file, &identity)?,
        None => Results::new(),
    };
    let referee = Referee::new(&game, Evaluator::Compiled);
    let test = test(arguments)?;
    let mut known = memories(arguments, &game)?;
    let mut session = Session::new(&game);
    for (memory, side) in known.iter_mut().zip(&sides) {
        let ready = memory.prepare(&mut session, side.player, side.limits);
        ready.map_err(|fault| referee.fault(&fault))?;
    }
    let kept = |results: &Results| match &arguments.file {
        Some(file) => keep(file, &identity, results),
        None => Ok(()),
    };
    let played = Series {
        game: &game,
        sides,
        rules: Rules {
            opening: arguments.opening,
            max_plies: arguments.max_plies,
            seed: arguments.seed,
        },
        threads: arguments.threads,
        test,
        kept: &kept,
        memories: &|| known.clone(),
    }
    .play(arguments.games, &mut results);
    if let Err(ended) = played {
        let stop = match ended {
            Ended::Broken(broken) => referee.broken(broken),
            Ended::Stop(stop) => stop,
        };
        if !matches!(stop, Stop::Interrupted) {
            return Err(stop);
        }
    }
    let told = Standing::of(&results);
    let [a, b] = contestants.map(|(name, _)| name);
    if arguments.json {
        let mut data = told.data(&a, &b);
        if let Some(test) = test {
            data["sprt"] = json!({ "elo": test.elo, "ratio": test.ratio(&results) });
        }
        console.json(&data)?;
    } else {
        console.line(told.text(&a, &b))?;
        if let Some(test) = test {
            console.line(test.text(&results))?;
        }
    }
    match interrupt::interrupted() {
        true => Err(Stop::Interrupted),
        false => Ok(()),
    }
}

/// What each of the players knows of the game.
fn memories(arguments: &TournamentArguments, game: &Game) -> Result<[Memory; 2], Stop> {
    match arguments.weights.as_slice() {
        [] => Ok([memory(game), memory(game)]),
        [a, b] => Ok([memory_in(game, a)?, memory_in(game, b)?]),
        _ => Err(Stop::Usage("--weights takes two files, such as a.weights,b.weights".to_string())),
    }
}

/// The sequential test that ends the games.
fn test(arguments: &TournamentArguments) -> Result<Option<Test>, Stop> {
    match arguments.sprt.as_slice() {
        [] => Ok(None),
        [a, b] if a < b => Ok(Some(Test { elo: [*a, *b] })),
        _ => Err(Stop::Usage(
            "--sprt takes two differences in Elo, the lesser first, such as 0,20".to_string(),
        )),
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
        "rules": solutions::identity(game).digest(),
        "options": arguments.game.options.options,
        "players": arguments.players.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "time": arguments.nodes.is_none().then_some(arguments.time),
        "nodes": arguments.nodes,
        "strength": arguments.strength.iter().map(|level| level.level()).collect::<Vec<_>>(),
        "opening": arguments.opening,
        "max_plies": arguments.max_plies,
        "seed": arguments.seed,
        "weights": arguments.weights,
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
