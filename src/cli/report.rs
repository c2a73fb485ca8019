//! `ludex report`: what a game is like, from many games.

use std::path::PathBuf;

use clap::Args;

use crate::referee::Stop;
use crate::render::fit;
use crate::study::report::{self, Request, Side};
use crate::ui::arguments::{GameArguments, OptionArguments};
use crate::ui::console::Console;
use crate::ui::{open, tables};

use super::tournament::Kind;

/// Plays many games, at random and by the computer, and tells what the game is like; two games or variants
/// are compared.
///
/// The result is the same on any machine and with any number of threads. Ctrl-C ends the games and keeps what
/// there is.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// A shipped game's name or the path of a rule file.
    #[arg(value_name = "A")]
    first: String,

    /// A game to compare it with; A itself where only options of B are given.
    #[arg(value_name = "B")]
    second: Option<String>,

    /// Sets an option of A; may be given several times.
    #[arg(short = 'a', visible_short_alias = 'o', long = "option-a", value_name = "NAME=VALUE", value_parser = crate::ui::arguments::pair)]
    options_a: Vec<(String, String)>,

    /// Sets an option of B; may be given several times.
    #[arg(short = 'b', long = "option-b", value_name = "NAME=VALUE", value_parser = crate::ui::arguments::pair)]
    options_b: Vec<(String, String)>,

    /// The number of random games; in a game for one player, a tenth as many starts are played by each
    /// strategy, and otherwise a tenth as many games by the computer.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,

    /// The number of games of the computer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    computer: Option<u64>,

    /// The number of pairs of games for each doubling of thought; by default a quarter of the computer's games.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pairs: Option<u64>,

    /// How often thought is doubled.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=12))]
    doublings: u32,

    /// The positions that the computer searches for a move; a random game counts as fifty. By default 2000, and
    /// 10000 in a game for one player.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Who plays for the computer.
    #[arg(long, value_enum, default_value = "auto")]
    player: Kind,

    /// Draws the first N plies of the computer's games at random.
    #[arg(long, value_name = "N", default_value_t = 2)]
    opening: u32,

    /// Stops a game that is not over after N plies.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: u32,

    /// The seed of all games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How many games are played at a time; by default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Keeps the results in this file, and goes on with those that are there; those of B in FILE.b.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Writes the page to this file.
    #[arg(long, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The positions for a move, and those in a game for one player.
const NODES: u64 = 2_000;
const NODES_ALONE: u64 = 10_000;

pub fn run(arguments: &ReportArguments, console: &Console) -> Result<(), Stop> {
    let side = |game: &String, options: &[(String, String)]| -> Result<Side, Stop> {
        let set = OptionArguments { options: options.to_vec() };
        let request = GameArguments { game: game.clone(), options: set }.request();
        Ok(Side { game: open::game(&request)?, set: options.to_vec() })
    };
    let mut sides = vec![side(&arguments.first, &arguments.options_a)?];
    match &arguments.second {
        Some(second) => sides.push(side(second, &arguments.options_b)?),
        None if !arguments.options_b.is_empty() => {
            sides.push(side(&arguments.first, &arguments.options_b)?);
        }
        None => {}
    }
    let alone = |side: &Side| side.game.program.players.len() == 1;
    if let [a, b] = sides.as_slice()
        && alone(a) != alone(b)
    {
        let text = "a game for one player and one for several have nothing to compare";
        return Err(Stop::Usage(format!("{text}; name two of a kind")));
    }
    sides.iter().try_for_each(|side| arguments.player.fits(&side.game))?;
    let computer = arguments.computer.unwrap_or(arguments.games.div_ceil(10));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
    let request = Request {
        games: arguments.games,
        played: computer,
        pairs: arguments.pairs.unwrap_or(computer.div_ceil(4)),
        doublings: arguments.doublings,
        starts: computer,
        nodes: arguments.nodes.unwrap_or(if alone(&sides[0]) { NODES_ALONE } else { NODES }),
        player: arguments.player.player(),
        player_name: arguments.player.word(),
        opening: arguments.opening,
        max_plies: arguments.max_plies,
        seed: arguments.seed,
        threads: arguments.threads.unwrap_or(cores),
        file: arguments.file.clone(),
        output: arguments.output.clone(),
        command: command(arguments),
    };
    let (data, complete) = report::report(&sides, &request)?;
    if arguments.json {
        console.json(&data)?;
    } else {
        let rows = report::rows(&data);
        console.line(data["title"].as_str().unwrap_or_default())?;
        console.text(tables::plain(&rows, &[], console.width()))?;
        if let Some(verdict) = data["comparison"]["verdict"].as_str() {
            console.line(fit(verdict, console.width(), 2))?;
        }
        if let Some(output) = &arguments.output {
            console.line(format!("the page is in {}", output.display()))?;
        }
    }
    if complete { Ok(()) } else { Err(Stop::Interrupted) }
}

/// The command that makes the same page, without what does not matter for it.
fn command(arguments: &ReportArguments) -> String {
    let mut words = vec!["ludex report".to_string(), arguments.first.clone()];
    words.extend(arguments.second.clone());
    let option = |sign: &str, (name, value): &(String, String)| format!("{sign} {name}={value}");
    words.extend(arguments.options_a.iter().map(|pair| option("-a", pair)));
    words.extend(arguments.options_b.iter().map(|pair| option("-b", pair)));
    let mut number = |name: &str, value: Option<u64>, usual: u64| {
        if let Some(value) = value.filter(|value| *value != usual) {
            words.push(format!("--{name} {value}"));
        }
    };
    number("games", Some(arguments.games), 1000);
    number("computer", arguments.computer, u64::MAX);
    number("pairs", arguments.pairs, u64::MAX);
    number("doublings", Some(arguments.doublings.into()), 3);
    number("nodes", arguments.nodes, u64::MAX);
    number("opening", Some(arguments.opening.into()), 2);
    number("max-plies", Some(arguments.max_plies.into()), 500);
    number("seed", Some(arguments.seed), 1);
    if arguments.player != Kind::Auto {
        words.push(format!("--player {}", arguments.player.word()));
    }
    words.join(" ")
}
