//! `ludex export`: a saved game in the form of other programs.

use std::path::PathBuf;

use clap::Args;

use crate::engine::Outcome;
use crate::record::{Pgn, RESULTS, Trial, is_word};
use crate::render::fit;

use super::arguments::{EngineChoice, pair};
use super::console::{Console, Stop};
use super::referee::{Position, Referee};
use super::replay::{self, Step};
use super::typed;

/// Prints a saved game as PGN.
///
/// PGN is a text of tags, moves in the game's own notation, and the result. It fits games of two players
/// without chance events, where each move is one word. `ludex import` reads it again.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The saved game.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Sets a tag, e.g. `Event`, `Site`, `Date`, `Round`, `White` or `Black`; may be given several times.
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = pair)]
    tags: Vec<(String, String)>,
}

/// The tags that every PGN file has, in their order, with the values for what is not known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tags that follow from the game.
pub const OWN: [&str; 5] = ["Result", "Game", "Options", "SetUp", "FEN"];

/// The longest lines of moves.
const WIDTH: usize = 79;

pub fn run(arguments: &ExportArguments, console: &Console) -> Result<(), Stop> {
    if let Some((name, _)) = arguments.tags.iter().find(|(name, _)| !is_free(name)) {
        let text =
            format!("the tag `{name}` cannot be set: it follows from the game, or is no name");
        return Err(Stop::Usage(text));
    }
    let trial = replay::read(&arguments.file)?;
    let game = replay::game(&trial, &arguments.file, console)?;
    let mut referee = Referee::new(&game, EngineChoice::Compiled);
    if game.program.players.len() != 2 {
        let players = game.program.players.len();
        return Err(unfit(format!("it is written for two players, and this game has {players}")));
    }
    let steps = replay::steps(&mut referee, &trial, &arguments.file)?;
    let opening = replay::opening(&mut referee, &trial)?;
    let mut pgn = Pgn::default();
    for (i, step) in steps.iter().enumerate() {
        let before = if i == 0 { &opening } else { &steps[i - 1].position };
        pgn.moves.push(word(&mut referee, before, step, i + 1)?);
    }
    let last = steps.last().map_or(&opening, |step| &step.position);
    let outcome = referee.outcome(last)?;
    pgn.result = result(&referee, outcome.as_ref(), &trial).to_string();
    pgn.tags = tags(&referee, &trial, &opening, &pgn.result)?;
    for (name, value) in &arguments.tags {
        match pgn.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => pgn.tags.push((name.clone(), value.clone())),
        }
    }
    let (tags, moves) = pgn.text();
    console.text(tags)?;
    console.line("")?;
    console.line(fit(&moves, WIDTH, 0))
}

fn is_free(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !OWN.contains(&name)
}

fn unfit(reason: impl std::fmt::Display) -> Stop {
    Stop::Failed(format!("the game cannot be written as PGN: {reason}"))
}

/// A move as a word, with the index of its player.
fn word(
    referee: &mut Referee<'_>,
    before: &Position,
    step: &Step,
    number: usize,
) -> Result<(usize, String), Stop> {
    let players = &referee.game.program.players;
    let player = players.iter().position(|p| Some(referee.name(*p)) == step.player);
    let Some(player) = player else {
        return Err(unfit(format!("move {number}, `{}`, is a chance event", step.notation)));
    };
    if !is_word(&step.notation) {
        return Err(unfit(format!("move {number}, `{}`, is not one word of PGN", step.notation)));
    }
    let choices = referee.choices(before)?;
    let named = typed::names(referee, before, &choices)?;
    if named.iter().filter(|other| other.notation == step.notation).count() > 1 {
        return Err(unfit(format!("move {number}, `{}`, can mean several moves", step.notation)));
    }
    Ok((player, step.notation.clone()))
}

/// The result in the words of PGN, where the first player is white.
pub fn result(referee: &Referee<'_>, outcome: Option<&Outcome>, trial: &Trial) -> &'static str {
    let [one, zero, draw, open] = RESULTS;
    let players = &referee.game.program.players;
    match (outcome, &trial.resigned) {
        (Some(outcome), _) => match outcome.winners.as_slice() {
            [winner] if players.first() == Some(winner) => one,
            [_] => zero,
            _ => draw,
        },
        (None, Some(name)) if players.first().map(|p| referee.name(*p)).as_ref() == Some(name) => {
            zero
        }
        (None, Some(_)) => one,
        (None, None) => open,
    }
}

fn tags(
    referee: &Referee<'_>,
    trial: &Trial,
    opening: &Position,
    result: &str,
) -> Result<Vec<(String, String)>, Stop> {
    let mut tags = ROSTER.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
    for (index, value) in [(4, trial.players.first()), (5, trial.players.get(1))] {
        if let Some(value) = value {
            tags[index].1.clone_from(value);
        }
    }
    tags[6].1 = result.to_string();
    let game = trial.path.as_ref().map_or(trial.game.clone(), |path| path.display().to_string());
    tags.push(("Game".to_string(), game));
    if !trial.options.is_empty() {
        let options = trial.options.iter().map(|(name, value)| format!("{name}={value}"));
        tags.push(("Options".to_string(), options.collect::<Vec<_>>().join(", ")));
    }
    if let Some(given) = &trial.given {
        let text = referee.rules.position_text(&referee.facts(opening));
        let text = text.map_err(|error| referee.stopped(error))?;
        tags.push(("SetUp".to_string(), "1".to_string()));
        tags.push(("FEN".to_string(), text.unwrap_or_else(|| given.clone())));
    }
    Ok(tags)
}
