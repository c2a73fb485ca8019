//! Arguments that several commands share.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::program::{LoadRequest, Origin};
use crate::referee::Evaluator;
use crate::search::{Limits, POSITIONS, Strength};

/// The game and its options.
#[derive(Debug, Clone, Args)]
pub struct GameArguments {
    /// A shipped game's name (see `ludex games`), or the path of a rule file: it contains a `/` or
    /// ends in `.ludex`.
    #[arg(value_name = "GAME")]
    pub game: String,

    #[command(flatten)]
    pub options: OptionArguments,
}

/// The options of a game.
#[derive(Debug, Clone, Default, Args)]
pub struct OptionArguments {
    /// Sets an option of the game; may be given several times.
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE", value_parser = pair)]
    pub options: Vec<(String, String)>,
}

/// The implementation that applies the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum EngineChoice {
    /// The compiled engine.
    #[default]
    Compiled,
    /// The compiled engine without machine code, for comparison.
    Interpreted,
    /// The reference evaluator, slow and simple.
    Reference,
}

impl From<EngineChoice> for Evaluator {
    fn from(choice: EngineChoice) -> Evaluator {
        match choice {
            EngineChoice::Compiled => Evaluator::Compiled,
            EngineChoice::Interpreted => Evaluator::Interpreted,
            EngineChoice::Reference => Evaluator::Reference,
        }
    }
}

/// The position to start from.
#[derive(Debug, Clone, Default, Args)]
pub struct StartArguments {
    /// Plays these moves first, in the game's notation or as terms, separated by spaces.
    #[arg(long, value_name = "MOVES")]
    pub after: Option<String>,

    /// Starts from this position: the board as text, e.g. `x../.o./...`, or a list of updates, e.g.
    /// `[at(a1) := white, turn := black]`.
    #[arg(long, visible_alias = "position", value_name = "POSITION")]
    pub given: Option<String>,
}

/// `NAME=VALUE` as its two parts.
///
/// # Errors
/// A message that says what to write instead.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("write NAME=VALUE".to_string()),
    }
}

/// A time in seconds, of at most a day.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("write a number of seconds from 0 to 86400".to_string()),
    }
}

/// The limits of a thought: a number of positions, or else a time in seconds.
pub fn limits(nodes: Option<u64>, seconds: f64) -> Limits {
    match nodes {
        Some(nodes) => Limits { time: None, playouts: Some(nodes.div_ceil(POSITIONS)) },
        None => Limits { time: Some(Duration::from_secs_f64(seconds)), playouts: None },
    }
}

/// A level of strength.
///
/// # Errors
/// A message that says what to write instead.
pub fn strength(text: &str) -> Result<Strength, String> {
    let level = text.parse().ok().and_then(Strength::new);
    level.ok_or_else(|| "write a level from 1, the weakest, to 10".to_string())
}

impl GameArguments {
    pub fn request(&self) -> LoadRequest {
        LoadRequest {
            options: self.options.options.clone(),
            ..LoadRequest::new(Origin::of(&self.game))
        }
    }
}
