//! Reports: games of a rule file, played at random and by the computer, and what they tell of it, for
//! `ludex report`.
//!
//! `series.rs` says which games are played and plays them on all cores, `play.rs` plays and records one of
//! them, `measures.rs` makes numbers of the records, `sections.rs` makes tables and charts of the numbers,
//! `verdict.rs` compares two games, and `page.rs` puts all of it on a page.

mod measures;
mod page;
mod play;
mod sections;
mod series;
mod verdict;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::engine::Game;
use crate::record;
use crate::referee::{Evaluator, Referee, Stop, memory};
use crate::search::Player;
use crate::ui::signals;

#[cfg(feature = "cli")]
pub use page::rows;

use series::{Games, locked};

/// What is to be played and told.
#[derive(Debug, Clone)]
pub struct Request {
    /// The number of random games.
    pub games: u64,
    /// The number of games of the computer.
    pub played: u64,
    /// The number of pairs of games for each doubling of thought.
    pub pairs: u64,
    /// How often the positions are doubled.
    pub doublings: u32,
    /// In a game for one player, the number of starts.
    pub starts: u64,
    /// The positions that the computer searches for a move.
    pub nodes: u64,
    pub player: Player,
    /// What the player is called.
    pub player_name: String,
    /// How many plies of the computer's games are drawn at random.
    pub opening: u32,
    pub max_plies: u32,
    pub seed: u64,
    pub threads: u16,
    /// Where the results are kept.
    pub file: Option<PathBuf>,
    /// Where the page is written.
    pub output: Option<PathBuf>,
    /// What the page says of how it was made.
    pub command: String,
}

/// A game with the options that were set.
pub struct Side {
    pub game: Game,
    pub set: Vec<(String, String)>,
}

/// Plays the games and writes the page. Returns the numbers, and whether all games were played.
///
/// # Errors
/// A rule error, or a file that cannot be read or written.
pub fn report(sides: &[Side], request: &Request) -> Result<(Value, bool), Stop> {
    signals::catch();
    let all: Vec<Games> = sides
        .iter()
        .enumerate()
        .map(|(i, side)| Games::resumed(file(request, i).as_deref(), identity(side, request)))
        .collect::<Result<_, Stop>>()?;
    let known: Arc<Vec<(Game, Vec<String>)>> =
        Arc::new(sides.iter().map(|side| (side.game.clone(), set(side))).collect());
    let finish = {
        let results: Vec<_> = all.iter().map(|games| Arc::clone(&games.results)).collect();
        let keepers: Vec<_> = all.iter().map(Games::keeper).collect();
        let request = request.clone();
        move || -> Result<Value, Stop> {
            for keep in &keepers {
                keep()?;
            }
            let numbers = known.iter().zip(&results).map(|((game, set), results)| {
                let mut data = measures::all(game, &request, &locked(results));
                data["set"] = json!(set);
                data
            });
            let data = whole(numbers.collect(), &request);
            if let Some(output) = &request.output {
                record::replace(output, &page::html(&data)?).map_err(|error| {
                    Stop::Failed(format!("cannot write {}: {error}", output.display()))
                })?;
            }
            Ok(data)
        }
    };
    // a signal ends the process soon, with a page of what there is
    let finish = Arc::new(finish);
    let last = Arc::clone(&finish);
    signals::at_end(Some(Box::new(move || drop(last()))));
    let mut complete = true;
    for (side, games) in sides.iter().zip(&all) {
        let referee = Referee::new(&side.game, Evaluator::Compiled);
        let stopped = |broken| referee.broken(broken);
        match games.play(&side.game, request, &memory(&side.game), stopped) {
            Ok(whole) => complete &= whole,
            Err(stop) => {
                signals::at_end(None);
                return Err(stop);
            }
        }
    }
    let data = finish()?;
    signals::at_end(None);
    Ok((data, complete))
}

fn set(side: &Side) -> Vec<String> {
    side.set.iter().map(|(name, value)| format!("{name} = {value}")).collect()
}

/// The file of a side's results: that of the second one has another ending.
fn file(request: &Request, side: usize) -> Option<PathBuf> {
    let file = request.file.clone()?;
    Some(match side {
        0 => file,
        _ => {
            let mut name = file.into_os_string();
            name.push(".b");
            name.into()
        }
    })
}

/// All numbers: of one game, or of two and their comparison.
fn whole(games: Vec<Value>, request: &Request) -> Value {
    let title = |game: &Value| game["game"].as_str().unwrap_or_default().to_string();
    let names: Vec<String> = games.iter().map(title).collect();
    let comparison = match games.as_slice() {
        [a, b] => Some(verdict::compare(a, b)),
        _ => None,
    };
    let heading = match (&comparison, names.as_slice()) {
        (Some(comparison), _) => {
            let name = |i: usize| comparison["names"][i].as_str().unwrap_or_default().to_string();
            format!("{} and {}", name(0), name(1))
        }
        (None, [one, ..]) => one.clone(),
        (None, []) => String::new(),
    };
    json!({
        "title": heading,
        "command": request.command,
        "games": games,
        "comparison": comparison,
    })
}

/// What the games depend on beside the rules.
fn settings(request: &Request) -> Value {
    json!({
        "games": request.games,
        "played": request.played,
        "pairs": request.pairs,
        "doublings": request.doublings,
        "starts": request.starts,
        "positions": request.nodes,
        "player": request.player_name,
        "opening": request.opening,
        "max_plies": request.max_plies,
        "seed": request.seed,
    })
}

/// What the results of a file must have been played with. The numbers of games may differ.
fn identity(side: &Side, request: &Request) -> Value {
    let mut settings = settings(request);
    for name in ["games", "played", "pairs", "starts"] {
        settings[name] = Value::Null;
    }
    json!({
        "game": side.game.program.title,
        "rules": record::Trial::rules_of(&side.game.program.sources),
        "options": side.set,
        "settings": settings,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
