//! `ludex show tokens`: the size of the rules in tokens.

use serde_json::{Value, json};

use crate::program::{FileRole, FileSize, Program, sizes};

use crate::referee::Stop;
use crate::ui::console::Console;
use crate::ui::tables;

/// Shows the files of a game with their sizes, and the sums.
///
/// # Errors
/// Where it cannot be written.
pub fn show(program: &Program, as_json: bool, console: &Console) -> Result<(), Stop> {
    let files = sizes(&program.sources);
    let name = |file: &FileSize| program.sources.get(file.file).map_or("", |f| &f.name).to_string();
    if as_json {
        let each = |f: &FileSize| json!({ "file": name(f), "part": part(f), "tokens": f.tokens });
        let each: Vec<Value> = files.iter().map(each).collect();
        let all: usize = files.iter().map(|f| f.tokens).sum();
        return console.json(&json!({ "files": each, "all": all }));
    }
    let mut rows: Vec<Vec<String>> =
        files.iter().map(|f| vec![f.tokens.to_string(), part(f).to_string(), name(f)]).collect();
    if files.len() > 1 {
        let all: usize = files.iter().map(|f| f.tokens).sum();
        rows.push(vec![all.to_string(), "all".to_string(), format!("{} files", files.len())]);
    }
    console.text(tables::plain(&rows, &[0], console.width()))
}

/// What the file is to the game, in a word.
fn part(file: &FileSize) -> &'static str {
    match file.role {
        FileRole::Own => "own",
        FileRole::Base => "base",
        FileRole::Included => "included",
    }
}
