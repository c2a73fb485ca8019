//! `ludex games`: the shipped games.

mod card;
mod catalogue;
mod page;

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde_json::{Value, json};

use crate::diagnostic::nearest;
use crate::render::fit;

use crate::referee::Stop;
use crate::ui::console::Console;
use card::Card;

/// Lists the shipped games, or shows the page of one of them.
///
/// `ludex games` lists all games, `ludex games WORD …` those with these words, and `ludex games NAME`, with the
/// name or the title of a game, shows its page: the rules in words, players, options, the board and sources.
#[derive(Debug, Args)]
pub struct GamesArguments {
    /// The name of a game, for its page; or words that must all occur in the name, the title, the rules in
    /// words or the family of a game.
    #[arg(value_name = "NAME_OR_WORD")]
    words: Vec<String>,

    /// Lists only games of this family.
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,

    /// Lists only games for this number of players.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    players: Option<u32>,

    /// Prints JSON: an array of games. The page of a game is an array of one, with the opening board.
    #[arg(long)]
    json: bool,

    /// Prints all games as one page of Markdown, `docs/games.md`.
    #[arg(long, conflicts_with_all = ["words", "family", "players", "json"])]
    markdown: bool,
}

/// The widest lines of text.
const WIDEST: usize = 100;

pub fn run(arguments: &GamesArguments, console: &Console) -> Result<(), Stop> {
    let games = card::all();
    if arguments.markdown {
        return catalogue::print(&games, console);
    }
    if let Some(game) = named(arguments, &games) {
        return match arguments.json {
            true => console.json(&json!([page::data(game)?])),
            false => page::print(game, console),
        };
    }
    let found = search(arguments, &games, console.width().min(WIDEST))?;
    match arguments.json {
        true => console.json(&Value::Array(found.iter().map(|game| game.data()).collect())),
        false => list(&found, console),
    }
}

/// The game whose name is all that is asked for.
fn named<'a>(arguments: &GamesArguments, games: &'a [Card]) -> Option<&'a Card> {
    let filtered = arguments.family.is_some() || arguments.players.is_some();
    match arguments.words.as_slice() {
        [name] if !filtered => games.iter().find(|game| game.is_called(name)),
        _ => None,
    }
}

/// The games that fit.
fn search<'a>(
    arguments: &GamesArguments,
    games: &'a [Card],
    width: usize,
) -> Result<Vec<&'a Card>, Stop> {
    let family = match &arguments.family {
        Some(name) => Some(family(name, games, width)?),
        None => None,
    };
    let wanted = |game: &&Card| {
        family.is_none_or(|family| game.families.iter().any(|f| f == family))
            && arguments.players.is_none_or(|n| game.seats.contains(&(n as usize)))
            && arguments.words.iter().all(|word| game.has(word))
    };
    let found: Vec<&Card> = games.iter().filter(wanted).collect();
    if found.is_empty() {
        return Err(Stop::Usage(nothing(arguments, games, width)));
    }
    Ok(found)
}

/// The families with the numbers of their games.
fn families(games: &[Card]) -> BTreeMap<&str, usize> {
    let mut all = BTreeMap::new();
    for family in games.iter().flat_map(|game| &game.families) {
        *all.entry(family.as_str()).or_default() += 1;
    }
    all
}

fn family<'a>(name: &str, games: &'a [Card], width: usize) -> Result<&'a str, Stop> {
    let all = families(games);
    if let Some(family) = all.keys().find(|family| family.eq_ignore_ascii_case(name)) {
        return Ok(family);
    }
    let near = nearest(&name.to_lowercase(), all.keys().copied());
    let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let known = all.into_keys().collect::<Vec<_>>().join(", ");
    let known = fit(&format!("the families are {known}"), width, 4);
    Err(Stop::Usage(format!("no family is called `{name}`{near}\n{known}")))
}

/// Why no game fits, and what there is.
fn nothing(arguments: &GamesArguments, games: &[Card], width: usize) -> String {
    let words: Vec<String> = arguments.words.iter().map(|word| format!("`{word}`")).collect();
    let mut asked = Vec::new();
    if let Some(family) = &arguments.family {
        asked.push(format!("of the family `{family}`"));
    }
    match arguments.players {
        Some(1) => asked.push("for 1 player".to_string()),
        Some(n) => asked.push(format!("for {n} players")),
        None => {}
    }
    if !words.is_empty() {
        asked.push(format!("with {}", words.join(" and ")));
    }
    let near = match arguments.words.as_slice() {
        [word] => nearest(&word.to_lowercase(), games.iter().map(|game| game.file.name)),
        _ => None,
    };
    let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let families = families(games).into_iter().map(|(name, n)| format!("{name} ({n})"));
    let families = format!("the families are {}", families.collect::<Vec<_>>().join(", "));
    let seats: BTreeSet<usize> = games.iter().flat_map(|game| game.seats.iter().copied()).collect();
    let seats = seats.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let seats = match arguments.players {
        Some(_) => format!("\nthe numbers of players are {seats}"),
        None => String::new(),
    };
    let asked = asked.join(", ");
    format!("there is no game {asked}{near}\n{}{seats}", fit(&families, width, 4))
}

/// Prints the games family by family, each with its first sentence.
fn list(games: &[&Card], console: &Console) -> Result<(), Stop> {
    let width = console.width().min(WIDEST);
    let mut families: BTreeMap<&str, Vec<&Card>> = BTreeMap::new();
    for game in games {
        for family in &game.families {
            families.entry(family).or_default().push(game);
        }
    }
    for (family, members) in &families {
        console.line(console.bold(family))?;
        for game in members {
            let line = format!("  {}  {}, {}", game.file.name, game.title, game.seats());
            // the name is the first word, and no line is broken in it
            let line = fit(&line, width, 6);
            console.line(line.replacen(game.file.name, &console.bold(game.file.name), 1))?;
            console.line(fit(&format!("      {}", game.summary), width, 6))?;
        }
        console.line("")?;
    }
    let count = match games.len() {
        1 => "1 game".to_string(),
        n => format!("{n} games"),
    };
    console.line(fit(&format!("{count}; `ludex games NAME` tells more of one."), width, 0))
}
