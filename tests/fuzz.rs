//! Mutated rule files: whatever is in a file, loading it ends, soon and without a panic; and if it
//! loads, so do the first plies of a random game.
//!
//! The seeds are the shipped rule files and the rejected ones. `LUDEX_FUZZ_SECONDS` says how long
//! to go on (2 by default); `LUDEX_FUZZ_SEED` where to begin, to repeat a run. An input that fails
//! is written to the system's temporary folder, whose name the failure tells.

use std::time::{Duration, Instant};

use ludex::engine::{PlayoutOptions, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::source::Library;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// No input may take longer, however slow the machine.
const LIMIT: Duration = Duration::from_secs(60);

const TOKENS: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    "|",
    ":-",
    "\\+",
    "->",
    ";",
    ":=",
    "+=",
    "-=",
    "=",
    "\\=",
    "..",
    "in",
    "is",
    "<",
    ">",
    "_",
    "X",
    "P",
    "0",
    "1",
    "-1",
    "99999999999",
    "\"",
    "'",
    "forall",
    "count",
    "each",
    "again",
    "turn",
    "cell",
    "at",
    "\u{e9}",
];

fn seeds() -> Vec<String> {
    let mut all: Vec<String> = Library::files().iter().map(|f| f.text.to_string()).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rejects");
    for entry in std::fs::read_dir(folder).expect("tests/rejects").flatten() {
        if entry.path().extension().is_some_and(|e| e == "ludex") {
            all.push(std::fs::read_to_string(entry.path()).expect("a seed"));
        }
    }
    all.sort();
    all
}

/// A few random changes: characters, tokens, lines, and pieces of another file.
fn mutate(text: &str, other: &str, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut text = text.to_string();
    for _ in 0..rng.random_range(1..5) {
        let mut cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        cuts.push(text.len());
        let at = cuts[rng.random_range(0..cuts.len())];
        let to = cuts[rng.random_range(0..cuts.len())];
        let (lo, hi) = (at.min(to), at.max(to).min(at.min(to) + 200));
        let hi = *cuts.iter().rev().find(|c| **c <= hi).unwrap_or(&lo);
        match rng.random_range(0..7) {
            0 => text.insert_str(at, TOKENS[rng.random_range(0..TOKENS.len())]),
            1 => text.replace_range(lo..hi, ""),
            2 => {
                let piece = text[lo..hi].to_string();
                text.insert_str(at, &piece);
            }
            3 => {
                let lines: Vec<&str> = other.lines().collect();
                let line = lines[rng.random_range(0..lines.len())].to_string();
                let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
                text.insert_str(end, &format!("{line}\n"));
            }
            4 => {
                let mut lines: Vec<&str> = text.lines().collect();
                if lines.len() > 1 {
                    let (a, b) =
                        (rng.random_range(0..lines.len()), rng.random_range(0..lines.len()));
                    lines.swap(a, b);
                }
                text = lines.join("\n");
            }
            5 => {
                // one name for another
                let words: Vec<&str> = text
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .filter(|w| !w.is_empty())
                    .collect();
                if !words.is_empty() {
                    let a = words[rng.random_range(0..words.len())].to_string();
                    let b = words[rng.random_range(0..words.len())].to_string();
                    if let Some(i) = text[at..].find(&a) {
                        text.replace_range(at + i..at + i + a.len(), &b);
                    }
                }
            }
            _ => text.truncate(hi),
        }
    }
    text
}

fn load_and_play(text: &str) {
    let request = LoadRequest::text("mutated.ludex", text);
    let Ok(loaded) = pipeline::load(&request) else { return };
    let mut session = Session::new(&loaded.game);
    let opening = session.opening();
    let mut games = 0;
    let mut go_on = |_: &_| {
        games += 1;
        games < 2
    };
    let mut options =
        PlayoutOptions { seed: 1, max_plies: 30, go_on: &mut go_on, finished: None, seen: None };
    // a rule error is an answer as good as any
    let _ = session.playouts(&opening, &mut options);
}

#[test]
fn mutated_rule_files_neither_panic_nor_hang() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
    };
    let seconds = number("LUDEX_FUZZ_SECONDS", 2);
    let first = number("LUDEX_FUZZ_SEED", 0);
    let seeds = seeds();
    let started = Instant::now();
    let mut count = 0u64;
    while started.elapsed() < Duration::from_secs(seconds) || count < 50 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(first + count);
        let text = &seeds[rng.random_range(0..seeds.len())];
        let other = &seeds[rng.random_range(0..seeds.len())];
        let mutated = mutate(text, other, &mut rng);
        let saved = std::env::temp_dir().join(format!("ludex-fuzz-{}.ludex", first + count));
        let began = Instant::now();
        let run = std::thread::Builder::new().stack_size(8 << 20).spawn({
            let mutated = mutated.clone();
            move || load_and_play(&mutated)
        });
        let outcome = run.expect("a thread").join();
        if outcome.is_err() || began.elapsed() > LIMIT {
            std::fs::write(&saved, &mutated).expect("the input is kept");
            panic!(
                "seed {}: {:?}; the input is {}",
                first + count,
                began.elapsed(),
                saved.display()
            );
        }
        count += 1;
    }
    println!("{count} mutated files");
}
