//! Every diagnostic code has a page, every page a code, and the examples of a page are what they
//! are said to be: the wrong one gives the code, and the right one does not.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use ludex::diagnostic::Diagnostic;
use ludex::pipeline;
use ludex::program::{LoadRequest, Origin};
use ludex::reference::{QueryError, Reference};
use ludex::source::Page;

/// Pages without examples: no input brings these codes about as far as is known, or only a game
/// that is played to its end, or an answer to an exercise.
const WITHOUT: [&str; 4] = ["internal", "open-gap", "unordered", "uncovered-end"];

/// What examples that are a part of a game are added to.
const GAME: &str = ":- game \"Small\".\n:- players x, o.\n\
    :- include \"board/square\" with (width = 3, height = 3).\n\
    :- state at(cell) -> player.\n\
    move(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\n\
    draw :- stuck.\n";

/// The codes that the source gives to its diagnostics.
fn codes(dir: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(dir).expect("a folder of src").flatten() {
        let path = entry.path();
        if path.is_dir() {
            codes(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            for maker in ["Diagnostic::error(", "Diagnostic::warning(", "Fault::new("] {
                for after in text.split(maker).skip(1) {
                    if let Some(code) = after.trim_start().strip_prefix('"') {
                        found.insert(code.split('"').next().unwrap_or_default().to_string());
                    }
                }
            }
        }
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut used = BTreeSet::new();
    codes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    assert!(used.len() > 50, "the codes are gone");
    let pages: BTreeSet<String> = Page::all().iter().map(|p| p.code.to_string()).collect();
    let missing: Vec<_> = used.difference(&pages).collect();
    let idle: Vec<_> = pages.difference(&used).collect();
    assert!(missing.is_empty() && idle.is_empty(), "no page: {missing:?}, no code: {idle:?}");
}

#[test]
fn the_examples_are_what_they_are_said_to_be() {
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).expect("the crate's folder");
    let mut wrong = Vec::new();
    for page in Page::all() {
        let blocks = blocks(page.text);
        match blocks.as_slice() {
            [(kind, bad), (_, good)] => {
                let (bad, good) = (given(kind, bad), given(kind, good));
                if !bad.contains(&page.code.to_string()) {
                    wrong.push(format!("{}: the wrong example gives {bad:?}", page.code));
                }
                if !good.is_empty() {
                    wrong.push(format!("{}: the right example gives {good:?}", page.code));
                }
            }
            [] if WITHOUT.contains(&page.code) => {}
            _ => wrong.push(format!("{}: expected two examples", page.code)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The blocks of a page with their kinds.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let inside = text.split("```").skip(1).step_by(2);
    inside.filter_map(|block| block.split_once('\n')).collect()
}

/// The codes that an example brings about.
fn given(kind: &str, text: &str) -> Vec<String> {
    match kind {
        "console" => text.lines().flat_map(command).collect(),
        "ludex" => played(text),
        _ => played(&format!("{GAME}{text}")),
    }
}

fn command(line: &str) -> Vec<String> {
    let line = line.strip_prefix("$ ludex ").expect("a command");
    let quoted: Vec<&str> = line.split('"').collect();
    let words = quoted.iter().enumerate().flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect::<Vec<_>>(),
        _ => vec![*part],
    });
    let run = Command::new(env!("CARGO_BIN_EXE_ludex")).args(words).output().expect("it runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    said.lines().next().map(str::to_string).into_iter().collect()
}

/// Loads a game, looks for the moves of its opening, and runs its examples.
fn played(text: &str) -> Vec<String> {
    let origin = Origin::Text { name: "example".to_string(), text: text.to_string() };
    let shown = |all: &[Diagnostic]| all.iter().map(|d| d.code.to_string()).collect::<Vec<_>>();
    let loaded = match pipeline::load(&LoadRequest::new(origin)) {
        Ok(loaded) => loaded,
        Err(f) => return shown(&[f.diagnostics, f.request_faults].concat()),
    };
    let mut codes = shown(&loaded.warnings);
    let program = loaded.game.program.clone();
    let rules = Reference::new(program.clone(), loaded.game.tables.clone());
    let nowhere = |_: &[(String, String)]| Err(Vec::new());
    let mut faults: Vec<QueryError> = Vec::new();
    faults.extend(rules.legal_moves(&rules.opening()).err().map(QueryError::from));
    for example in &program.examples {
        faults.extend(rules.run_example(&example.goal, &nowhere).err());
    }
    for line in &program.perfts {
        faults.extend(rules.run_perft(&line.subject, &nowhere).err());
    }
    for fault in faults {
        codes.extend(shown(&fault.into_diagnostics()));
    }
    codes
}
