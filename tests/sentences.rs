//! What is answered about moves that are not legal: `tests/why/` lists moves by families of games, and the
//! sentences that `ludex why` says of them are kept as snapshots, each read and approved.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A position and the moves that are asked about in it.
struct Case {
    arguments: Vec<String>,
    title: String,
    moves: Vec<String>,
}

/// Reads `GAME [option NAME=VALUE] [after MOVES]` with moves below it, indented, one a line.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(mv) = line.strip_prefix("  ") {
            cases.last_mut().expect("a game before its moves").moves.push(mv.to_string());
            continue;
        }
        let (start, after) = line.split_once(" after ").unwrap_or((line, ""));
        let (game, option) = start.split_once(" option ").unwrap_or((start, ""));
        let mut arguments = vec!["why".to_string(), game.to_string()];
        for (name, value) in [("--option", option), ("--after", after)] {
            if !value.is_empty() {
                arguments.extend([name.to_string(), value.to_string()]);
            }
        }
        cases.push(Case { arguments, title: line.to_string(), moves: Vec::new() });
    }
    cases
}

/// All that is said of a move, in one line.
fn said(case: &Case, mv: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(&case.arguments).arg("--").arg(mv).env("NO_COLOR", "1");
    let output = command.output().expect("the program runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    assert!(!text.contains(" is legal"), "{}: {mv} is legal", case.title);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("a list of moves");
    let mut out = String::new();
    for case in cases(&text) {
        out.push_str(&format!("{}\n", case.title));
        for mv in &case.moves {
            let said = said(&case, mv);
            assert!(!said.contains("budget"), "{}: {mv}: {said}", case.title);
            out.push_str(&format!("  {mv}\n      {said}\n"));
        }
    }
    out
}

#[test]
fn every_sentence_about_an_illegal_move_is_the_approved_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/why");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the lists")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "only {} lists", files.len());
    let tables = std::thread::scope(|scope| {
        let tables: Vec<_> = files.iter().map(|file| scope.spawn(|| table(file))).collect();
        tables.into_iter().map(|table| table.join().expect("no panic")).collect::<Vec<_>>()
    });
    let moves: usize = tables.iter().map(|t| t.matches("\n      ").count()).sum();
    assert!(moves >= 300, "only {moves} moves");
    for (file, table) in files.iter().zip(tables) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => folder.as_path(), prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, table);
        });
    }
}
