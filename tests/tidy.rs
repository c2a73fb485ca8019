//! The house's own rules: layers point one way, each outside library has one home, no game is
//! named in the source, every file says why it is there and stays readable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// From left to right; a folder may use what stands before it. The reference evaluator stands before
/// the plan, and never sees it.
const LAYERS: [&[&str]; 22] = [
    &["source"],
    &["diagnostic"],
    &["syntax"],
    &["program"],
    &["goals"],
    &["datalog"],
    &["board", "reference", "types"],
    &["explain", "plan"],
    &["engine"],
    &["pipeline"],
    &["search", "record", "render"],
    &["solve"],
    &["learn"],
    &["referee"],
    &["coverage"],
    &["api"],
    &["ask"],
    &["serve"],
    &["ui"],
    &["study"],
    &["repl"],
    &["cli"],
];

/// What may be used although it stands beside or to the right.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// What may not be used although it stands to the left: the two evaluators share nothing that the
/// one could take from the other.
const APART: [(&str, &str); 4] =
    [("plan", "reference"), ("plan", "explain"), ("engine", "reference"), ("engine", "explain")];

/// Each outside library and the one folder or file under `src/` that uses it, or the folders
/// separated by a bar. A leading `::` tells a library from a module of that name.
const HOMES: [(&str, &str); 46] = [
    ("anstyle", "render/paint.rs"),
    ("argon2", "serve/account.rs"),
    ("askama", "serve/pages"),
    ("axum", "serve"),
    ("clap", "cli|ui"),
    ("clap_complete", "cli/completions.rs"),
    ("clap_mangen", "cli/man.rs"),
    ("comfy_table", "ui/tables.rs"),
    ("::console", "ui/console.rs"),
    ("cranelift_codegen", "engine/native"),
    ("cranelift_frontend", "engine/native"),
    ("cranelift_jit", "engine/native"),
    ("cranelift_module", "engine/native"),
    ("cranelift_native", "engine/native"),
    ("futures_util", "serve/pages|serve/router.rs"),
    ("getrandom", "serve/account.rs"),
    ("hyper", "serve/listen.rs"),
    ("hyper_util", "serve/listen.rs"),
    ("include_dir", "source"),
    ("indicatif", "ui/progress.rs"),
    ("miette", "diagnostic/report.rs"),
    ("minijinja", "study/report/page.rs"),
    ("notify", "repl/watch.rs"),
    ("pest", "syntax"),
    ("pest_derive", "syntax"),
    ("rand", "engine/random.rs"),
    ("rand_xoshiro", "engine/random.rs"),
    ("rayon", "cli/test.rs"),
    ("ron", "record|solve"),
    ("rust_stemmers", "referee/spoken_of.rs"),
    ("rustix", "serve/pool.rs|ui/signals.rs"),
    ("rustyline", "ui/input.rs"),
    ("serde", "ask|record|serve|solve"),
    ("sha2", "serve/account.rs"),
    ("signal_hook", "ui/signals.rs"),
    ("similar", "repl"),
    ("sqlx", "serve/store|serve/failure.rs"),
    ("strsim", "diagnostic"),
    ("svg", "render"),
    ("tempfile", "record/disk.rs|solve/store"),
    ("thiserror", "api|record|solve"),
    ("tokio", "serve"),
    ("tower", "serve/listen.rs"),
    ("tower_http", "serve/router.rs"),
    ("unicode_normalization", "serve/account.rs"),
    ("unicode_width", "render/width.rs"),
];

/// Libraries that stand for a part of the standard library: collections, graphs, JSON values and
/// room on the stack are used wherever they are needed.
const COMMON: [&str; 6] =
    ["indexmap", "petgraph", "rustc_hash", "serde_json", "smallvec", "stacker"];

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
                assert!(!part.starts_with('{'), "{path}:{}: one `use` a folder", number + 1);
                let used: String =
                    part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(theirs) = layer(&used) else { continue };
                let pair = (here.as_str(), used.as_str());
                let wrong_way = theirs >= mine && !EXCEPTIONS.contains(&pair);
                let apart = APART.contains(&pair);
                if used != here && (wrong_way || apart) && !line.trim().starts_with("//") {
                    wrong.push(format!("{path}:{}: {here} uses {used}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Does a line of code use a library?
fn uses(line: &str, library: &str) -> bool {
    let line = line.trim();
    if line.starts_with("//") {
        return false;
    }
    let begins = |at: usize| {
        let before = line[..at].trim_end_matches("::");
        let path = before.len() == at && before.ends_with(':');
        !path && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
    };
    let names = [format!("{library}::"), format!("{library};")];
    names.iter().any(|name| line.match_indices(name.as_str()).any(|(at, _)| begins(at)))
}

#[test]
fn each_outside_library_has_one_home() {
    let mut wrong = Vec::new();
    let mut idle: Vec<&str> = HOMES.iter().map(|(library, _)| *library).collect();
    for (path, text) in sources() {
        for (library, home) in HOMES {
            if text.lines().any(|line| uses(line, library)) {
                idle.retain(|other| *other != library);
                if !home.split('|').any(|home| path.starts_with(home)) {
                    wrong.push(format!("{path} uses {library}, whose home is {home}"));
                }
            }
        }
    }
    wrong.extend(idle.iter().map(|library| format!("{library} is not used")));
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let from = manifest.split("[dependencies]").nth(1).expect("dependencies");
    for line in from.lines().skip(1).take_while(|line| !line.starts_with("[dev-dependencies]")) {
        let Some((name, _)) = line.split_once(" = ") else { continue };
        let name = name.replace('-', "_");
        let known = HOMES.iter().any(|(library, _)| library.trim_start_matches(':') == name);
        if !known && !COMMON.contains(&name.as_str()) {
            wrong.push(format!("{name} has no home"));
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
                && line
                    .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                    .any(|w| w == "unsafe")
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
    names.retain(|n| !matches!(n.as_str(), "go" | "lines" | "hex" | "y" | "atomic"));
    names.extend(["tic-tac-toe", "mancala", "draughts", "checkers", "knight"].map(String::from));
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        // messages may show how a directive is written
        if path == "program/directives.rs" {
            continue;
        }
        // programs in the documentation of the front door load a shipped game
        let door = path == "lib.rs" || path.starts_with("api/") || path.starts_with("ask/");
        let mut program = false;
        for (number, line) in text.lines().enumerate() {
            let comment = ["//! ", "/// "].iter().find_map(|mark| line.trim().strip_prefix(mark));
            if comment.is_some_and(|comment| comment.starts_with("```")) {
                program = !program;
            }
            if door && program && comment.is_some() {
                continue;
            }
            let low = line.to_lowercase();
            for name in &names {
                if has_word(&low, name) {
                    wrong.push(format!("{path}:{}: names {name}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Does a word, perhaps of several parts, stand in a line on its own?
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let around = [line[..at].chars().next_back(), line[at + word.len()..].chars().next()];
        around.iter().flatten().all(|c| !c.is_alphanumeric())
    })
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
