//! What is answered.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::api::{
    Error, Fault, Game, Move, Outcome, Position, Rated, Result, Shown, ShownMove, UnusedClause,
    Value,
};

/// An answer: one JSON object whose field `answer` is the variant's name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// To `hello`.
    Hello {
        /// The version of the program.
        version: &'static str,
        /// The version of the protocol.
        protocol: u32,
    },
    /// To `games`.
    Games {
        /// Their names.
        games: Vec<&'static str>,
    },
    /// To `open`.
    Opened {
        /// The handle, which later requests name as `at`.
        at: u64,
        /// The game.
        game: GameAnswer,
        /// The position.
        position: PositionAnswer,
    },
    /// To `copy`.
    Copied {
        /// The handle of the copy.
        at: u64,
    },
    /// To `close`.
    Closed {},
    /// To `position`.
    Position {
        /// The position.
        position: PositionAnswer,
        /// The position as text, which `open` reads.
        text: String,
        /// The moves and chance events so far.
        history: Vec<MoveAnswer>,
    },
    /// To `moves`.
    Moves {
        /// They are chance events.
        chance: bool,
        /// The moves; none when the game is over.
        moves: Vec<MoveAnswer>,
    },
    /// To `play`, `play_line` and `chance`.
    Played {
        /// What was played; none where `chance` found no chance event due.
        moves: Vec<MoveAnswer>,
        /// The position after it.
        position: PositionAnswer,
    },
    /// To `undo`.
    Undone {
        /// What was taken back; nothing at the first position.
        #[serde(rename = "move")]
        mv: Option<MoveAnswer>,
        /// The position before it.
        position: PositionAnswer,
    },
    /// To `query`.
    Answers {
        /// The variables of each answer with their values.
        answers: Vec<Json>,
        /// These are all.
        whole: bool,
    },
    /// To `why`.
    Why {
        /// The sentences, a line each.
        text: String,
        /// All of it, as `ludex why --json` prints it.
        why: Json,
    },
    /// To `best`.
    Best {
        /// The move; nothing where no player is to move.
        best: Option<MoveAnswer>,
        /// Why, in words.
        reason: String,
        /// How many random games the choice rests on.
        playouts: u64,
    },
    /// To `analyse`.
    Analysis {
        /// The moves, the most played first.
        moves: Vec<RatedAnswer>,
    },
    /// To `check`.
    Checked {
        /// There are no errors.
        ok: bool,
        /// The rules are a part of games.
        part: bool,
        /// Errors and warnings.
        faults: Vec<Json>,
    },
    /// To `perft`.
    Perft {
        /// The length of the sequences.
        depth: u32,
        /// Their number.
        count: u64,
    },
    /// To `cover`.
    Covered {
        /// How many clauses the rules have, those that say nothing of play left out.
        clauses: usize,
        /// How many random games were played.
        games: usize,
        /// How many positions were examined.
        positions: usize,
        /// All was played and examined within the limits.
        complete: bool,
        /// The clauses that never held.
        never: Vec<ClauseAnswer>,
        /// The clauses whose answers an earlier one always had.
        shadowed: Vec<ClauseAnswer>,
    },
    /// To `sample`.
    Sampled {
        /// How many games were played.
        games: u64,
        /// How many had no end within 1,000 moves.
        unfinished: u64,
        /// The length of the shortest, the mean, and the longest.
        length: (u64, f64, u64),
        /// The mean number of legal moves, and the most.
        branching: (f64, usize),
        /// How many games each player has won.
        wins: Vec<(String, u64)>,
        /// How many ended without a winner.
        draws: u64,
    },
    /// To `show`.
    Shown(Box<ShownAnswer>),
    /// To `render`.
    Rendered {
        /// The drawing; nothing where an SVG was asked for and the game has no board.
        picture: Option<String>,
    },
    /// To whatever could not be done.
    Error(Problem),
}

/// Why a request was not done; the open games are as they were.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The kind: those of [`Error::kind`]; `json` (no JSON object), `version` (another version), `ask` (no such
    /// request, or its fields are wrong), `handle` (no such open game), `full` (too many are open).
    pub kind: &'static str,
    /// What is wrong, in words; several lines where there are several faults.
    pub message: String,
    /// The faults of rules or of a question, with their places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Json>,
    /// The moves that an ambiguous text can mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<MoveAnswer>,
}

impl Problem {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Problem {
        let message = message.into();
        Problem { kind, message, faults: Vec::new(), candidates: Vec::new() }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let candidates = match &error {
            Error::Ambiguous { candidates, .. } => candidates.iter().map(MoveAnswer::of).collect(),
            _ => Vec::new(),
        };
        Problem {
            kind: error.kind(),
            message: error.to_string(),
            faults: error.faults().iter().map(fault).collect(),
            candidates,
        }
    }
}

/// A game.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GameAnswer {
    /// The title.
    pub title: String,
    /// The rules in words.
    pub about: Option<String>,
    /// The players in the order of turns.
    pub players: Vec<String>,
    /// The options.
    pub options: Vec<OptionAnswer>,
    /// What the checker warns of.
    pub warnings: Vec<Json>,
}

impl GameAnswer {
    pub(super) fn of(game: &Game) -> GameAnswer {
        let options = game.options().into_iter().map(|option| OptionAnswer {
            name: option.name,
            value: option.value,
            default: option.default,
            values: option.values,
            range: option.range,
        });
        GameAnswer {
            title: game.title().to_string(),
            about: game.about().map(str::to_string),
            players: game.players(),
            options: options.collect(),
            warnings: game.warnings().iter().map(fault).collect(),
        }
    }
}

/// An option of a game, see [`GameOption`](crate::GameOption).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OptionAnswer {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The value where none is given.
    pub default: String,
    /// The values that it may have; empty where it has a range.
    pub values: Vec<String>,
    /// The least and the greatest number that it may be.
    pub range: Option<(i64, i64)>,
}

/// A position in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PositionAnswer {
    /// The player whose turn it is.
    pub turn: String,
    /// How many moves and chance events there were.
    pub ply: u64,
    /// A chance event is due and not a move.
    pub chance: bool,
    /// How the game ended; nothing while it goes on.
    pub over: Option<OverAnswer>,
}

impl PositionAnswer {
    pub(super) fn of(at: &Position) -> Result<PositionAnswer> {
        let over = at.outcome()?.map(OverAnswer::of);
        let chance = over.is_none() && at.is_chance()?;
        Ok(PositionAnswer { turn: at.turn(), ply: at.ply(), chance, over })
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OverAnswer {
    /// The winners; none for a draw.
    pub winners: Vec<String>,
    /// The name of the end, where the rules give one.
    pub end: Option<String>,
    /// The scores in the order of turns, where the game has scores.
    pub scores: Option<Vec<Option<i64>>>,
    /// The result in words.
    pub text: String,
}

impl OverAnswer {
    fn of(outcome: Outcome) -> OverAnswer {
        let Outcome { winners, end, scores, text } = outcome;
        OverAnswer { winners, end, scores, text }
    }
}

/// A move or chance event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MoveAnswer {
    /// The move as a term, which means this move alone.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the game's notation.
    pub notation: String,
    /// The weight of a chance event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<i64>,
}

impl MoveAnswer {
    pub(super) fn of(mv: &Move) -> MoveAnswer {
        MoveAnswer {
            mv: mv.term().to_string(),
            notation: mv.notation().to_string(),
            weight: mv.is_chance().then(|| mv.weight()),
        }
    }
}

/// A position as a page shows it, see [`Shown`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShownAnswer {
    /// The position.
    pub position: PositionAnswer,
    /// The board as SVG; nothing where the game has no board.
    pub svg: Option<String>,
    /// The position drawn in text, where there is no SVG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The sites in the order of the rules.
    pub sites: Vec<SiteAnswer>,
    /// What stands beside the board, a line each.
    pub beside: Vec<String>,
    /// The legal moves, or the chance events where one is due.
    pub moves: Vec<TouchAnswer>,
    /// What the rules tell the player to move.
    pub prompt: Vec<String>,
    /// What the rules tell other players.
    pub told: Vec<ToldAnswer>,
}

impl ShownAnswer {
    /// What is shown of a position.
    ///
    /// # Errors
    /// A rule error, or a limit.
    pub fn of(at: &Position) -> Result<ShownAnswer> {
        let position = PositionAnswer::of(at)?;
        let Shown { svg, text, sites, beside, moves, prompt, told } = at.shown()?;
        let sites = sites.into_iter().map(|site| SiteAnswer {
            name: site.name,
            x: site.x,
            y: site.y,
            holds: site.holds,
        });
        let told = told.into_iter().map(|(player, text)| ToldAnswer { player, text });
        Ok(ShownAnswer {
            position,
            svg,
            text,
            sites: sites.collect(),
            beside,
            moves: moves.iter().map(TouchAnswer::of).collect(),
            prompt,
            told: told.collect(),
        })
    }
}

/// A site, see [`ShownSite`](crate::ShownSite).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SiteAnswer {
    /// Its name.
    pub name: String,
    /// The middle in the coordinates of the SVG, from the left.
    pub x: f64,
    /// The same from the top.
    pub y: f64,
    /// What stands on it in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
}

/// A clause that takes no part in play, see [`UnusedClause`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClauseAnswer {
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end: usize,
    /// Its head.
    pub head: String,
    /// An option rules it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// The line of the earlier clause that has its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<usize>,
}

impl ClauseAnswer {
    pub(super) fn of(clause: &UnusedClause) -> ClauseAnswer {
        let UnusedClause { lines: (line, end), head, off, by } = clause.clone();
        ClauseAnswer { line, end, head, off, by }
    }
}

/// A move and its sites, see [`ShownMove`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TouchAnswer {
    /// The move.
    #[serde(flatten)]
    pub mv: MoveAnswer,
    /// The numbers of its sites: touched one after the other they are the move.
    pub sites: Vec<usize>,
    /// Any one of the sites stands for the move.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub any: bool,
}

impl TouchAnswer {
    fn of(shown: &ShownMove) -> TouchAnswer {
        TouchAnswer { mv: MoveAnswer::of(&shown.mv), sites: shown.sites.clone(), any: shown.any }
    }
}

/// What the rules tell a player who is not to move.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToldAnswer {
    /// The player.
    pub player: String,
    /// The text.
    pub text: String,
}

/// What a move is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RatedAnswer {
    /// The move.
    #[serde(flatten)]
    pub mv: MoveAnswer,
    /// How many positions or random games the search has seen.
    pub work: u64,
    /// The expected result, see [`Rated::mean`].
    pub mean: Option<f64>,
    /// The moves that are expected, this one first, as terms.
    pub line: Vec<String>,
}

impl RatedAnswer {
    pub(super) fn of(rated: &Rated) -> RatedAnswer {
        RatedAnswer {
            mv: MoveAnswer::of(&rated.mv),
            work: rated.work,
            mean: rated.mean,
            line: rated.line.clone(),
        }
    }
}

pub(super) fn fault(fault: &Fault) -> Json {
    json!({
        "code": fault.code,
        "severity": if fault.is_error { "error" } else { "warning" },
        "message": fault.message,
        "file": fault.file,
        "line": fault.place.map(|(line, _)| line),
        "column": fault.place.map(|(_, column)| column),
        "label": fault.label,
        "hints": fault.hints,
    })
}

/// A value: a number, a string, `null` where it is unbound, an array for a list, and
/// `{"functor": NAME, "args": […]}` for a compound.
pub(super) fn value(value: &Value) -> Json {
    match value {
        Value::Unbound => Json::Null,
        Value::Integer(number) => json!(number),
        Value::Name(text) | Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(self::value).collect(),
        Value::Compound(name, args) => {
            json!({ "functor": name, "args": args.iter().map(self::value).collect::<Vec<_>>() })
        }
    }
}
