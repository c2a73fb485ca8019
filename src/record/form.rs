//! The format of a saved game, and how it is read: the only user of ron and serde.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The version of the format that this program writes and reads.
pub const FORM: u32 = 1;

/// The most bytes that a saved game may have; larger files are not read.
const MAX_FILE: u64 = 16 << 20;

/// A game as it was played, finished or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Ludex")]
pub struct Trial {
    /// The version of the format: [`FORM`] in every file that is accepted.
    pub version: u32,
    /// The name of a shipped game, or the stem of the rule file at `path`.
    pub game: String,
    /// The absolute path of the rule file; `None` for a shipped game.
    pub path: Option<PathBuf>,
    /// A digest of the rule files when the game was saved, to notice changes ([`Trial::rules_of`]).
    pub rules: String,
    /// The options that were set, as `(name, value)`.
    pub options: Vec<(String, String)>,
    /// The seed of chance events and of the computer's choices.
    pub seed: u64,
    /// For each player in order, who moves: `human`, `computer` or `random`.
    pub players: Vec<String>,
    /// The position in which the game began, as a list of updates; `None` for the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// Moves and chance events as terms, in order.
    pub moves: Vec<String>,
    /// The player who resigned.
    pub resigned: Option<String>,
    /// A digest of all the other fields.
    pub check: String,
}

/// Why a saved game was not loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read from the disk, or is too large.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// The I/O error in words.
        reason: String,
    },
    /// The text is not a saved game.
    #[error("`{path}` is not a saved game, or only a part of one: {reason}")]
    Malformed {
        /// The path as given.
        path: String,
        /// What the parser reports, with line and column.
        reason: String,
    },
    /// The format has another version.
    #[error(
        "`{path}` is a saved game of version {found}, and this program reads version {expected}"
    )]
    Version {
        /// The path as given.
        path: String,
        /// The version in the file.
        found: u32,
        /// [`FORM`].
        expected: u32,
    },
    /// The checksum does not match the other fields.
    #[error("`{path}` was changed or damaged after it was saved: its checksum does not fit")]
    Changed {
        /// The path as given.
        path: String,
    },
}

/// The version alone, to recognise files of another version.
#[derive(Debug, Deserialize)]
#[serde(rename = "Ludex")]
struct Version {
    version: u32,
}

/// Reads a saved game and verifies its checksum. The moves are not checked.
///
/// # Errors
/// See [`LoadError`].
pub fn load(path: &Path) -> Result<Trial, LoadError> {
    let text = read(path)?;
    parse(&text, &path.display().to_string())
}

fn read(path: &Path) -> Result<String, LoadError> {
    let shown = path.display().to_string();
    let unreadable = |reason: String| LoadError::Unreadable { path: shown.clone(), reason };
    let meta = std::fs::metadata(path).map_err(|e| unreadable(plain(&e)))?;
    if !meta.is_file() {
        return Err(unreadable("it is not a file".to_string()));
    }
    if meta.len() > MAX_FILE {
        return Err(unreadable("it is too large to be a saved game".to_string()));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(plain(&e)))?;
    String::from_utf8(bytes)
        .map_err(|_| LoadError::Malformed { path: shown, reason: "it is not text".to_string() })
}

/// An I/O error without the operating system's number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_string(),
        _ => error.to_string(),
    }
}

/// Parses a saved game; `shown` is the file's name in messages.
pub(super) fn parse(text: &str, shown: &str) -> Result<Trial, LoadError> {
    let path = shown.to_string();
    let options = ron::Options::default().with_recursion_limit(16);
    if let Ok(Version { version }) = options.from_str(text)
        && version != FORM
    {
        return Err(LoadError::Version { path, found: version, expected: FORM });
    }
    let trial: Trial = match options.from_str(text) {
        Ok(trial) => trial,
        Err(_) if !text.trim_end().ends_with(')') => {
            return Err(LoadError::Malformed { path, reason: "it breaks off".to_string() });
        }
        Err(e) => return Err(LoadError::Malformed { path, reason: describe(&e) }),
    };
    if trial.check != trial.digest() {
        return Err(LoadError::Changed { path });
    }
    Ok(trial)
}

fn describe(error: &ron::error::SpannedError) -> String {
    let place = error.span.start;
    let code = error.code.to_string();
    let mut text = code.trim_end_matches('.').to_string();
    if let Some(first) = text.get(..1).map(str::to_lowercase) {
        text.replace_range(..1, &first);
    }
    format!("line {}, column {}: {text}", place.line, place.col)
}

impl Trial {
    /// The contents of the file, with the current version and checksum.
    pub(super) fn text(&self) -> Result<String, String> {
        let mut sealed = self.clone();
        sealed.version = FORM;
        sealed.check = sealed.digest();
        let pretty = ron::ser::PrettyConfig::new().struct_names(true).compact_arrays(true);
        let pretty = pretty.separate_tuple_members(false);
        match ron::ser::to_string_pretty(&sealed, pretty) {
            Ok(text) => Ok(text + "\n"),
            Err(e) => Err(e.to_string()),
        }
    }

    /// A digest of all fields but `check`.
    fn digest(&self) -> String {
        let mut text = String::new();
        let mut field = |name: &str, value: &str| {
            // lengths keep the fields apart
            let _ = writeln!(text, "{name} {} {value}", value.len());
        };
        field("version", &self.version.to_string());
        field("game", &self.game);
        if let Some(path) = &self.path {
            field("path", &path.to_string_lossy());
        }
        field("rules", &self.rules);
        for (name, value) in &self.options {
            field("option", name);
            field("value", value);
        }
        field("seed", &self.seed.to_string());
        self.players.iter().for_each(|player| field("player", player));
        if let Some(given) = &self.given {
            field("given", given);
        }
        self.moves.iter().for_each(|mv| field("move", mv));
        if let Some(player) = &self.resigned {
            field("resigned", player);
        }
        digest(&[&text])
    }
}

/// A digest of texts: 64-bit FNV-1a, once from each end. It detects accidents, not forgeries.
pub(super) fn digest(texts: &[&str]) -> String {
    const PRIME: u64 = 0x100_0000_01b3;
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = || texts.iter().flat_map(|t| t.bytes().chain([0]));
    let there = bytes().fold(BASIS, step);
    let back = texts.iter().rev().flat_map(|t| t.bytes().rev().chain([0])).fold(BASIS, step);
    format!("{there:016x}{back:016x}")
}
