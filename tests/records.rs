//! Saved games: what is written is read again, and what was cut off, edited or comes from another
//! version is refused with the reason. Nothing that lies on disk is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ludex::pipeline;
use ludex::record::{FORM, LoadError, SaveError, Trial, free_name, load, save};
use proptest::prelude::*;

/// A folder of this test's own; it goes with the test.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

fn trial() -> Trial {
    let moves = ["mark(b2)", "mark(a1)", "mark(c3)"];
    Trial {
        version: FORM,
        game: "tic_tac_toe".to_string(),
        path: None,
        rules: "0123".to_string(),
        options: vec![("name".to_string(), "a \"quoted\" value\n".to_string())],
        seed: u64::MAX,
        players: vec!["human".to_string(), "computer".to_string()],
        given: None,
        moves: moves.map(String::from).to_vec(),
        resigned: Some("x".to_string()),
        check: String::new(),
    }
}

/// The text of a saved game.
fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let folder = folder();
        let path = folder.path().join("game.ron");
        save(&trial(), &path).expect("saved");
        fs::read_to_string(path).expect("read")
    })
}

fn write(folder: &Path, text: &[u8]) -> PathBuf {
    let path = folder.join("changed.ron");
    fs::write(&path, text).expect("written");
    path
}

#[test]
fn what_is_saved_is_loaded() {
    let folder = folder();
    let path = folder.path().join("game.ron");
    save(&trial(), &path).expect("saved");
    let loaded = load(&path).expect("loaded");
    assert_eq!(Trial { check: String::new(), ..loaded.clone() }, trial());
    assert_eq!(loaded.terms().expect("terms").len(), 3);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("listed").flatten().collect();
    assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
}

#[test]
fn a_longer_game_replaces_its_beginning_and_nothing_else() {
    let folder = folder();
    let path = folder.path().join("game.ron");
    let mut game = Trial { resigned: None, ..trial() };
    save(&game, &path).expect("saved");
    game.moves.push("mark(c1)".to_string());
    save(&game, &path).expect("the same game goes on");
    let mut shorter = game.clone();
    shorter.moves.truncate(2);
    assert!(matches!(save(&shorter, &path), Err(SaveError::Occupied { .. })));
    let other = Trial { seed: 1, ..game.clone() };
    assert!(matches!(save(&other, &path), Err(SaveError::Occupied { .. })));
    assert_eq!(load(&path).expect("still there").moves, game.moves);
    let letter = folder.path().join("letter.txt");
    fs::write(&letter, "Dear reader").expect("written");
    assert!(matches!(save(&game, &letter), Err(SaveError::Occupied { .. })));
    assert_eq!(fs::read_to_string(&letter).expect("read"), "Dear reader");
    let nowhere = folder.path().join("no/such/folder/game.ron");
    assert!(matches!(save(&game, &nowhere), Err(SaveError::Unwritable { .. })));
}

#[test]
fn free_names_are_not_taken() {
    let folder = folder();
    assert_eq!(free_name(folder.path(), "go"), folder.path().join("go-1.ron"));
    fs::write(folder.path().join("go-1.ron"), "").expect("written");
    assert_eq!(free_name(folder.path(), "go"), folder.path().join("go-2.ron"));
}

#[test]
fn every_truncation_is_refused() {
    let folder = folder();
    for end in 0..text().trim_end().len() {
        let path = write(folder.path(), &text().as_bytes()[..end]);
        let error = load(&path).expect_err("a part is not the whole");
        assert!(matches!(error, LoadError::Malformed { .. }), "{end}: {error}");
    }
}

#[test]
fn edits_are_refused() {
    let folder = folder();
    let edits =
        [("b2", "b3"), ("computer", "human"), ("0123", "0124"), ("Some(\"x\")", "Some(\"o\")")];
    for (from, to) in edits {
        assert!(text().contains(from), "{from}");
        let path = write(folder.path(), text().replacen(from, to, 1).as_bytes());
        assert!(matches!(load(&path), Err(LoadError::Changed { .. })), "{from}");
    }
}

#[test]
fn other_versions_are_refused_by_name() {
    let folder = folder();
    let other = text().replace("version: 1,", "version: 7, hours: [1, 2],");
    let path = write(folder.path(), other.as_bytes());
    match load(&path) {
        Err(LoadError::Version { found: 7, expected: FORM, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_request_of_a_trial_loads_its_game() {
    let trial = Trial { options: Vec::new(), ..trial() };
    let loaded = pipeline::load(&trial.request()).expect("a shipped game");
    assert_eq!(loaded.game.program.title, "Tic-tac-toe");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A mutated file is refused or reads to the same game; it never panics.
    #[test]
    fn mutated_files_are_refused(
        cuts in prop::collection::vec((0.0f64..1.0, 0usize..12, any::<u8>(), 0u8..4), 1..4)
    ) {
        let mut bytes = text().as_bytes().to_vec();
        for (place, length, byte, how) in cuts {
            let at = (place * bytes.len() as f64) as usize;
            let end = (at + length).min(bytes.len());
            match how {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.insert(at, byte),
                2 => if let Some(old) = bytes.get_mut(at) { *old = byte },
                _ => { let copy = bytes[at..end].to_vec(); bytes.splice(at..at, copy); }
            }
        }
        let folder = folder();
        let path = write(folder.path(), &bytes);
        if let Ok(read) = load(&path) {
            // blanks and the like may be changed without changing the game
            prop_assert_eq!(Trial { check: String::new(), ..read }, trial());
        }
    }

    /// Anything at all can be looked at.
    #[test]
    fn strange_files_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = folder();
        let path = write(folder.path(), &bytes);
        prop_assert!(load(&path).is_err());
    }

    /// Deeply nested text does not exhaust the stack.
    #[test]
    fn deep_files_are_refused(depth in 1usize..100_000, open in prop::sample::select(vec!["(", "[", "{", "Some("])) {
        let folder = folder();
        let path = write(folder.path(), open.repeat(depth).as_bytes());
        prop_assert!(load(&path).is_err());
    }
}
