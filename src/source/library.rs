//! The rule files that are built into the binary, and the drawings of pieces.

use include_dir::{Dir, DirEntry, include_dir};

static GAMES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/games");

static REPORTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/docs/reports");

static FIGURES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/figures");

/// The folder of the boards.
const BOARDS: &str = "board";
/// The folder of the relations that several games share.
const WORDS: &str = "lib";

/// A rule file that ships with the program.
#[derive(Debug, Clone, Copy)]
pub struct ShippedFile {
    /// The name on the command line: the file's stem, e.g. `hex`.
    pub name: &'static str,
    /// The family: the folder under `games/`, e.g. `connection` or `board`.
    pub family: &'static str,
    /// The path under `games/`, e.g. `connection/hex.ludex`.
    pub path: &'static str,
    /// The whole text.
    pub text: &'static str,
}

/// The shipped rule files.
pub struct Library;

impl Library {
    /// Every shipped rule file, boards included, ordered by path.
    pub fn files() -> Vec<ShippedFile> {
        let mut found = Vec::new();
        collect(&GAMES, &mut found);
        found.sort_by_key(|f| f.path);
        found
    }

    /// The shipped games, without the files that are only parts of games.
    pub fn games() -> Vec<ShippedFile> {
        let is_part = |file: &ShippedFile| file.family == BOARDS || file.family == WORDS;
        Library::files().into_iter().filter(|file| !is_part(file)).collect()
    }

    /// The shipped boards, ordered by path.
    pub fn boards() -> Vec<ShippedFile> {
        Library::files().into_iter().filter(|f| f.family == BOARDS).collect()
    }

    /// The drawing of this name, as SVG: paths around the origin.
    pub fn figure(name: &str) -> Option<&'static str> {
        FIGURES.get_file(format!("{name}.svg"))?.contents_utf8()
    }

    /// The report on a shipped game, a page of HTML.
    pub fn report(name: &str) -> Option<&'static str> {
        REPORTS.get_file(format!("{name}.html"))?.contents_utf8()
    }

    /// The text of the weights beside a shipped rule file, whose name is `games/FAMILY/NAME.ludex`.
    pub fn weights(file: &str) -> Option<&'static str> {
        let path = file.strip_prefix("games/")?.strip_suffix(".ludex")?;
        GAMES.get_file(format!("{path}.weights"))?.contents_utf8()
    }

    /// The game of this name.
    pub fn game(name: &str) -> Option<ShippedFile> {
        Library::games().into_iter().find(|f| f.name == name)
    }

    /// The file at a path under `games/`, with or without the extension, e.g. `board/square`.
    pub fn at(path: &str) -> Option<ShippedFile> {
        let wanted = path.strip_suffix(".ludex").unwrap_or(path);
        Library::files().into_iter().find(|f| f.path.strip_suffix(".ludex") == Some(wanted))
    }
}

fn collect(dir: &'static Dir<'static>, found: &mut Vec<ShippedFile>) {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, found),
            DirEntry::File(file) => {
                let path = file.path();
                let (Some(text), Some(whole), Some(stem)) = (
                    file.contents_utf8(),
                    path.to_str(),
                    path.file_stem().and_then(|s| s.to_str()),
                ) else {
                    continue;
                };
                if path.extension().is_some_and(|e| e == "ludex") {
                    let family = path.parent().and_then(|p| p.to_str()).unwrap_or("");
                    found.push(ShippedFile { name: stem, family, path: whole, text });
                }
            }
        }
    }
}
