//! The house's own rules: layers point one way, each outside library has one home, no game is
//! named in the source, every file says why it is there and stays readable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// From left to right; a folder may use what stands before it.
const LAYERS: [&[&str]; 11] = [
    &["source"],
    &["diagnostic"],
    &["syntax"],
    &["program"],
    &["datalog"],
    &["board"],
    &["plan"],
    &["engine"],
    &["explain", "pipeline"],
    &["search", "record", "render"],
    &["cli", "repl"],
];

/// What may be used although it stands beside or to the right, with the reason.
const EXCEPTIONS: [(&str, &str); 4] = [
    // an undecided choice is broken by the rule file's advice, which the reference evaluates
    ("search", "explain"),
    // a board is drawn as the rules show it
    ("render", "explain"),
    // the prompt is a command, and shares what commands share
    ("repl", "cli"),
    ("cli", "repl"),
];

/// Each outside library and the folders (or files) under `src/` that may use it.
const HOMES: [(&str, &[&str]); 27] = [
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("comfy_table", &["cli"]),
    ("unicode_width", &["render"]),
    ("console", &["cli"]),
    ("cranelift_codegen", &["engine"]),
    ("cranelift_frontend", &["engine"]),
    ("cranelift_jit", &["engine"]),
    ("cranelift_module", &["engine"]),
    ("cranelift_native", &["engine"]),
    ("include_dir", &["source"]),
    ("indicatif", &["cli"]),
    ("miette", &["diagnostic"]),
    ("notify", &["repl"]),
    ("pest", &["syntax"]),
    ("pest_derive", &["syntax"]),
    ("petgraph", &["program", "plan", "board"]),
    ("rand_xoshiro", &["engine", "search", "cli"]),
    ("rayon", &["cli"]),
    ("ron", &["record"]),
    ("rustix", &["cli"]),
    ("rustyline", &["cli"]),
    ("signal_hook", &["cli"]),
    ("similar", &["repl"]),
    ("stacker", &["datalog", "explain"]),
    ("strsim", &["diagnostic"]),
    ("svg", &["render"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under `src/` with its path from there and its text.
fn sources() -> BTreeMap<String, String> {
    fn walk(dir: &Path, found: &mut BTreeMap<String, String>, root: &Path) {
        for entry in std::fs::read_dir(dir).expect("a folder of src").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found, root);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name =
                    path.strip_prefix(root).expect("under src").to_string_lossy().into_owned();
                found.insert(name, std::fs::read_to_string(&path).expect("a source file"));
            }
        }
    }
    let mut found = BTreeMap::new();
    let root = root().join("src");
    walk(&root, &mut found, &root);
    assert!(found.len() > 30, "the sources are gone");
    found
}

fn folder(path: &str) -> &str {
    path.split('/').next().unwrap_or("").trim_end_matches(".rs")
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

#[test]
fn layers_point_to_the_left() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let here = folder(&path).to_string();
        let Some(mine) = layer(&here) else { continue };
        for (number, line) in text.lines().enumerate() {
            for part in line.split("crate::").skip(1) {
                let used: String =
                    part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(theirs) = layer(&used) else { continue };
                let excepted = EXCEPTIONS.contains(&(here.as_str(), used.as_str()));
                if used != here && theirs >= mine && !excepted && !line.trim().starts_with("//") {
                    wrong.push(format!("{path}:{}: {here} uses {used}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn outside_libraries_stay_at_home() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for (library, homes) in HOMES {
            let uses = text.lines().any(|line| {
                let line = line.trim();
                line.starts_with(&format!("use {library}::"))
                    || line.starts_with(&format!("use {library};"))
                    || (!line.starts_with("//") && line.contains(&format!(" {library}::")))
            });
            if uses && !homes.contains(&folder(&path)) {
                wrong.push(format!("{path} uses {library}, whose home is {}", homes.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where Rust and machine code meet.
const UNSAFE: [&str; 1] = ["engine/native/call.rs"];

#[test]
fn unsafe_code_has_one_home() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let used = text.lines().any(|line| {
            let line = line.trim();
            !line.starts_with("//")
                && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe")
        });
        if used && !UNSAFE.contains(&path.as_str()) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "unsafe code in {}", wrong.join(", "));
}

#[test]
fn no_game_is_named_in_the_source() {
    let mut names: Vec<String> =
        ludex::source::Library::games().iter().map(|g| g.name.to_string()).collect();
    // words of the language of programming that happen to be games
    names.retain(|n| !matches!(n.as_str(), "go" | "lines" | "hex"));
    names.extend(["tic-tac-toe", "mancala", "draughts", "checkers", "knight"].map(String::from));
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        // messages may show how a directive is written
        if path == "program/directives.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let low = line.to_lowercase();
            for name in &names {
                if low.contains(name.as_str()) {
                    wrong.push(format!("{path}:{}: names {name}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_say_why_they_are_there_and_stay_readable() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        if !text.starts_with("//!") {
            wrong.push(format!("{path} does not open with `//!`"));
        }
        if text.lines().count() > 800 {
            wrong.push(format!("{path} has more than 800 lines"));
        }
        if text.contains('\t') {
            wrong.push(format!("{path} has tabs"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_modules_of_the_house_are_all_in_the_order() {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    for line in lib.lines().filter_map(|l| l.strip_prefix("pub mod ")) {
        let name = line.trim_end_matches(';');
        assert!(layer(name).is_some(), "{name} has no place in the order of layers");
    }
}
