//! The formats in which games are exchanged with other programs, and what the rules say of them.

use std::path::Path;

use clap::ValueEnum;

use crate::reference::RecordTag;

use crate::referee::Referee;
use crate::referee::Stop;

/// A format of game records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tags in brackets, moves with their numbers, and the result.
    Pgn,
    /// The same under the name of another family of games.
    Pdn,
    /// A tree of nodes with properties.
    Sgf,
    /// The moves alone, one after the other, a game in a line.
    Moves,
}

impl Format {
    pub fn word(self) -> &'static str {
        match self {
            Format::Pgn => "pgn",
            Format::Pdn => "pdn",
            Format::Sgf => "sgf",
            Format::Moves => "moves",
        }
    }

    /// As it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pgn => "PGN",
            Format::Pdn => "PDN",
            Format::Sgf => "SGF",
            Format::Moves => "a line of moves",
        }
    }

    /// The format that the end of a file's name tells.
    pub fn of(path: &Path) -> Option<Format> {
        let end = path.extension()?.to_str()?.to_lowercase();
        let all = [Format::Pgn, Format::Pdn, Format::Sgf, Format::Moves];
        all.into_iter().find(|format| format.word() == end)
    }
}

/// How the rules want a game to be written in a format.
#[derive(Debug, Clone)]
pub struct Layout {
    pub format: Format,
    /// The notation of the moves; `None` for the game's own.
    pub style: Option<String>,
    pub tags: Vec<(String, RecordTag)>,
}

impl Layout {
    /// The layout for a format; without one, for the first that the rules name.
    ///
    /// # Errors
    /// The rules do not say how games are written in this format; a rule error.
    pub fn new(referee: &Referee<'_>, format: Option<Format>) -> Result<Layout, Stop> {
        let records = referee.rules.records().map_err(|error| referee.stopped(error))?;
        let first = || {
            let named = records.iter().map(|(format, _)| Format::from_str(format, false));
            named.flatten().next().unwrap_or(Format::Pgn)
        };
        let format = format.unwrap_or_else(first);
        let style = records.into_iter().find(|(known, _)| known == format.word());
        let style = style.map(|(_, style)| style);
        if style.is_none() && format != Format::Pgn {
            let (title, word) = (&referee.game.program.title, format.word());
            let text = format!(
                "the rules of {title} do not say how a game is written as {}: a clause \
                 `record({word}, Notation)` does",
                format.name()
            );
            return Err(Stop::Failed(text));
        }
        let tags = referee.rules.record_tags(format.word()).map_err(|e| referee.stopped(e))?;
        Ok(Layout { format, style, tags })
    }

    /// The index of the player of a tag, such as `White`.
    pub fn player(&self, referee: &Referee<'_>, name: &str) -> Option<usize> {
        let player = self.tags.iter().find_map(|(tag, content)| match content {
            RecordTag::Player(player) if tag == name => Some(*player),
            _ => None,
        })?;
        referee.game.program.player_index(player)
    }

    /// The indices of the players of the tags `White` and `Black`; the first who moves is white where the rules do
    /// not say.
    pub fn colours(&self, referee: &Referee<'_>) -> [usize; 2] {
        match self.player(referee, "White") {
            Some(1) => [1, 0],
            _ => [0, 1],
        }
    }

    /// The property of the moves of a player.
    pub fn property(&self, referee: &Referee<'_>, index: usize) -> Option<&str> {
        let player = referee.game.program.players.get(index)?;
        let of = |(_, content): &&(String, RecordTag)| *content == RecordTag::Moves(*player);
        self.tags.iter().find(of).map(|(name, _)| name.as_str())
    }
}

/// A number divided by another, as a decimal fraction.
pub fn divided(value: i64, by: i64) -> String {
    match value % by {
        0 => (value / by).to_string(),
        _ => format!("{}", value as f64 / by as f64),
    }
}

/// The integer that a decimal fraction is of another number; `None` where it is none.
pub fn multiplied(text: &str, by: i64) -> Option<i64> {
    let value = text.trim().parse::<f64>().ok()? * by as f64;
    let whole = value.round();
    ((value - whole).abs() < 1e-6 && whole.abs() < 1e12).then_some(whole as i64)
}
