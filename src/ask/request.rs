//! What can be asked.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A request: one JSON object whose field `ask` is the variant's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Request {
    /// The versions of the program and of this protocol.
    Hello {},
    /// The names of the shipped games.
    Games {},
    /// Opens a game. Exactly one of `game` and `rules` is given.
    Open {
        /// The name of a shipped game.
        #[serde(default)]
        game: Option<String>,
        /// The text of a rule file.
        #[serde(default)]
        rules: Option<String>,
        /// The options of the game.
        #[serde(default)]
        options: BTreeMap<String, Setting>,
        /// What `rules` may include, beside the shipped files.
        #[serde(default)]
        files: BTreeMap<String, String>,
        /// The position to begin with, as text; the game's first one without it.
        #[serde(default)]
        position: Option<String>,
        /// Moves to play first, separated by blanks.
        #[serde(default)]
        moves: Option<String>,
    },
    /// Opens a second game at the position of one that is open, with its past.
    Copy {
        /// The open game.
        at: u64,
    },
    /// Forgets an open game.
    Close {
        /// The open game.
        at: u64,
    },
    /// The position: whose turn, how it ended, its text, the moves so far.
    Position {
        /// The open game.
        at: u64,
    },
    /// The legal moves or chance events.
    Moves {
        /// The open game.
        at: u64,
    },
    /// Plays a move or chance event.
    Play {
        /// The open game.
        at: u64,
        /// The move, as at the prompt.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Plays moves one after the other: all of them or none.
    PlayLine {
        /// The open game.
        at: u64,
        /// The moves, separated by blanks.
        moves: String,
    },
    /// Draws a chance event, where one is due, and plays it.
    Chance {
        /// The open game.
        at: u64,
        /// The seed; the draw follows from it and the number of moves so far.
        #[serde(default)]
        seed: u64,
    },
    /// Takes the last move or chance event back.
    Undo {
        /// The open game.
        at: u64,
    },
    /// The answers of a goal.
    Query {
        /// The open game.
        at: u64,
        /// The goal, without a full stop.
        goal: String,
        /// The most answers, 1 to 10,000.
        #[serde(default = "most_answers")]
        most: usize,
    },
    /// Why a move is legal or not, or a goal holds or not.
    #[serde(alias = "why_not")]
    Why {
        /// The open game.
        at: u64,
        /// The move or goal, or `over`.
        what: String,
    },
    /// The computer's move.
    Best {
        /// The open game.
        at: u64,
        /// The longest time in seconds.
        #[serde(default)]
        seconds: Option<f64>,
        /// The number of random games.
        #[serde(default)]
        playouts: Option<u64>,
        /// The seed of the random games.
        #[serde(default)]
        seed: u64,
        /// Who thinks, by name; the player that suits the game where neither this nor `strength` is given.
        #[serde(default)]
        player: Option<String>,
        /// The level of strength, 1 to 10.
        #[serde(default)]
        strength: Option<u8>,
    },
    /// What each move is worth by random games.
    Analyse {
        /// The open game.
        at: u64,
        /// The longest time in seconds.
        #[serde(default)]
        seconds: Option<f64>,
        /// The number of random games.
        #[serde(default)]
        playouts: Option<u64>,
        /// The seed of the random games.
        #[serde(default)]
        seed: u64,
        /// Who thinks, by name; the player that suits the game where neither this nor `strength` is given.
        #[serde(default)]
        player: Option<String>,
        /// The level of strength, 1 to 10.
        #[serde(default)]
        strength: Option<u8>,
    },
    /// What the checker says of rules. Exactly one of `game` and `rules` is given.
    Check {
        /// The name of a shipped game.
        #[serde(default)]
        game: Option<String>,
        /// The text of a rule file.
        #[serde(default)]
        rules: Option<String>,
        /// The options of the game.
        #[serde(default)]
        options: BTreeMap<String, Setting>,
        /// What `rules` may include, beside the shipped files.
        #[serde(default)]
        files: BTreeMap<String, String>,
    },
    /// The number of sequences of moves.
    Perft {
        /// The open game.
        at: u64,
        /// Their length, 0 to 100.
        depth: u32,
    },
    /// Which clauses of the rules take part in play.
    Cover {
        /// The open game.
        at: u64,
        /// The number of random games, 1 to 10,000.
        #[serde(default = "usual_games")]
        games: u64,
        /// The seed of the games.
        #[serde(default)]
        seed: u64,
    },
    /// What random games from the first position are like.
    Sample {
        /// The open game.
        at: u64,
        /// The number of games, 1 to 10,000.
        #[serde(default = "usual_games")]
        games: u64,
        /// The seed of the games.
        #[serde(default)]
        seed: u64,
    },
    /// All that a page needs to show the position and to let a person move by touching sites.
    Show {
        /// The open game.
        at: u64,
    },
    /// The position drawn.
    Render {
        /// The open game.
        at: u64,
        /// How.
        #[serde(default)]
        format: Format,
        /// The width of a text in columns, 10 to 1,000.
        #[serde(default = "usual_width")]
        width: usize,
    },
}

fn most_answers() -> usize {
    1_000
}

fn usual_games() -> u64 {
    100
}

fn usual_width() -> usize {
    80
}

/// The rules that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules<'a> {
    /// The name of a shipped game.
    pub game: Option<&'a str>,
    /// The text of a rule file.
    pub rules: Option<&'a str>,
    /// The options of the game.
    pub options: &'a BTreeMap<String, Setting>,
    /// What the text may include.
    pub files: &'a BTreeMap<String, String>,
}

/// The value of an option: a number or a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "the value of an option is a whole number or a name")]
pub enum Setting {
    /// A number.
    Number(i64),
    /// A name, or anything as the rules write it.
    Name(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Number(number) => write!(f, "{number}"),
            Setting::Name(name) => f.write_str(name),
        }
    }
}

/// How a position is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// As lines of text, without colours.
    #[default]
    Text,
    /// As SVG.
    Svg,
}
