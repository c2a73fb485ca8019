//! Saved games: what is written is read again, and what was cut off, edited or comes from another
//! version is refused with the reason. Nothing that lies on disk is lost.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use ludex::pipeline;
use ludex::record::{FORM, LoadError, SaveError, Trial, load, save, save_new};
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
    fs::write(folder.path().join("tic_tac_toe-1.ron"), "").expect("written");
    let saved = save_new(&trial(), folder.path()).expect("saved");
    assert_eq!(saved.path, folder.path().join("tic_tac_toe-2.ron"));
    assert_eq!(fs::read(folder.path().join("tic_tac_toe-1.ron")).expect("read"), b"");
}

/// `ludex play` of a random game that is saved under this name, after some shell commands.
fn plays(folder: &Path, before: &str, seed: usize) -> Command {
    let play = format!(
        "{before} exec {} play tic_tac_toe --players random,random --seed {seed} --save one.ron",
        env!("CARGO_BIN_EXE_ludex")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &play]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The seeds of all games that lie in a folder.
fn seeds(folder: &Path) -> BTreeSet<u64> {
    let files = fs::read_dir(folder).expect("listed").flatten();
    files.map(|file| load(&file.path()).expect("a saved game").seed).collect()
}

#[cfg(unix)]
#[test]
fn games_that_are_saved_under_one_name_at_once_are_all_there() {
    for round in 0..5 {
        let folder = folder();
        let games: Vec<_> =
            (0..8).map(|i| plays(folder.path(), "", i).spawn().expect("it runs")).collect();
        let mut played = BTreeSet::new();
        for (seed, game) in games.into_iter().enumerate() {
            let output = game.wait_with_output().expect("it ends");
            if output.status.success() {
                played.insert(seed as u64);
                continue;
            }
            // the name was taken before the game began
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("`one.ron` exists"), "{said}");
        }
        assert!(!played.is_empty());
        assert_eq!(seeds(folder.path()), played, "round {round}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_old_file_stays_whole() {
    let folder = folder();
    let path = folder.path().join("one.ron");
    let short = Trial { moves: trial().moves[..1].to_vec(), resigned: None, ..trial() };
    save(&short, &path).expect("saved");
    let before = fs::read(&path).expect("read");
    let resume = format!("trap '' XFSZ; ulimit -f 0; exec {} repl", env!("CARGO_BIN_EXE_ludex"));
    let mut prompt = Command::new("sh");
    prompt.args(["-c", &resume]).current_dir(folder.path());
    prompt.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut prompt = prompt.spawn().expect("it runs");
    let typed = ":open tic_tac_toe\nb2\n:save new.ron\n:quit\n";
    prompt.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
    let output = prompt.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("cannot write `new.ron`"), "{said}");
    assert_eq!(fs::read(&path).expect("read"), before);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("listed").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[cfg(unix)]
#[test]
fn what_a_killed_program_has_left_is_removed_by_the_next() {
    let folder = folder();
    for i in 0..60u64 {
        let mut game = plays(folder.path(), "rm -f one.ron;", i as usize).spawn().expect("it runs");
        std::thread::sleep(Duration::from_micros(2000 + 700 * i));
        game.kill().expect("killed");
        game.wait().expect("it ends");
    }
    // one that was left, and one that a process still writes
    fs::write(folder.path().join(".ludex-left.tmp"), "Ludex(").expect("written");
    let busy = fs::File::create(folder.path().join(".ludex-busy.tmp")).expect("made");
    busy.lock().expect("locked");
    save_new(&trial(), folder.path()).expect("saved");
    let names = fs::read_dir(folder.path()).expect("listed").flatten();
    let names: Vec<_> = names.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    let hidden: Vec<_> = names.iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(hidden, [".ludex-busy.tmp"]);
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

/// A record whose checksum is right is refused where its fields do not fit the game.
#[test]
fn records_that_do_not_fit_the_game_are_refused() {
    let whole = Trial { options: Vec::new(), resigned: None, ..trial() };
    let seats = |words: &[&str]| Trial {
        players: words.iter().map(ToString::to_string).collect(),
        ..whole.clone()
    };
    let resigned = |name: &str| Trial { resigned: Some(name.to_string()), ..whole.clone() };
    let won = ["mark(a1)", "mark(b1)", "mark(a2)", "mark(b2)", "mark(a3)"];
    let won = won.map(String::from).to_vec();
    for (trial, said) in [
        (whole.clone(), ""),
        (resigned("x"), ""),
        (Trial { moves: won.clone(), ..whole.clone() }, ""),
        (seats(&["human", "nobody"]), "`nobody` is none of the seats"),
        (seats(&["human"]), "1 seats for 2 players"),
        (seats(&["human", "human", "random"]), "3 seats for 2 players"),
        (resigned("nobody"), "`nobody` resigned"),
        (Trial { moves: won, ..resigned("x") }, "over before `x` resigned"),
    ] {
        let folder = folder();
        save(&trial, &folder.path().join("one.ron")).expect("saved");
        for words in ["replay one.ron", "play --resume one.ron"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
            command.args(words.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
            let output = command.output().expect("it runs");
            let told = String::from_utf8_lossy(&output.stderr);
            match said {
                "" => assert!(!told.contains("refused"), "{words}: {told}"),
                _ => {
                    assert_eq!(output.status.code(), Some(1), "{words} {said}: {told}");
                    assert!(told.contains("`one.ron` is refused") && told.contains(said), "{told}");
                }
            }
        }
    }
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

/// Runs the program in a folder; its answer, or what it says is wrong.
fn ludex(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("started");
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).expect("text")),
        false => Err(String::from_utf8(output.stderr).expect("text")),
    }
}

#[test]
fn a_game_in_pgn_is_the_same_game() {
    let games: [(&str, &[&str]); 7] = [
        ("tic_tac_toe", &[]),
        ("nine_mens_morris", &["-o", "removal=same_move"]),
        ("english_draughts", &[]),
        ("chess", &[]),
        ("hex", &["-o", "width=5", "-o", "height=5"]),
        ("mancala", &[]),
        ("konane", &["-o", "size=6"]),
    ];
    for (name, options) in games {
        let folder = folder();
        let play = ["play", name, "--players", "random,random", "--seed", "7", "--save", "a.ron"];
        let play: Vec<&str> = play.into_iter().chain(options.iter().copied()).collect();
        ludex(folder.path(), &play).unwrap_or_else(|e| panic!("{name}: {e}"));
        let pgn = ludex(folder.path(), &["export", "a.ron", "--tag", "Event=A \"cup\""]);
        let pgn = pgn.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(pgn.starts_with("[Event \"A \\\"cup\\\"\"]\n[Site \"?\"]\n"), "{pgn}");
        fs::write(folder.path().join("a.pgn"), &pgn).expect("written");
        ludex(folder.path(), &["import", "a.pgn", "b.ron"])
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let [a, b] = ["a.ron", "b.ron"].map(|file| load(&folder.path().join(file)).expect("read"));
        assert!(!a.moves.is_empty());
        assert_eq!(b, Trial { seed: 0, check: b.check.clone(), ..a }, "{pgn}");
        let again = ludex(folder.path(), &["export", "b.ron", "--tag", "Event=A \"cup\""]);
        assert_eq!(again.as_deref(), Ok(pgn.as_str()));
    }
}

/// A number that does not fit is a sign that moves are missing; numbers may be repeated and left out.
#[test]
fn wrong_numbers_of_moves_are_refused() {
    let imported = |name: &str, game: &str, text: &str| {
        let folder = folder();
        fs::write(folder.path().join(name), text).expect("written");
        ludex(folder.path(), &["import", name, "a.ron", "--game", game])?;
        Ok::<_, String>(load(&folder.path().join("a.ron")).expect("read").moves.len())
    };
    for text in
        ["1. e4 e5 2. Nf3", "1. e4 1... e5 {so} 2.Nf3", "e4 e5 Nf3", "1.e4 ... e5 2. Nf3 2... *"]
    {
        assert_eq!(imported("a.pgn", "chess", text), Ok(3), "{text}");
    }
    let given = "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 12\"]\n\n";
    for numbers in
        ["12... Ke7 13. Kd2", "1... Ke7 2. Kd2", "Ke7 13. Kd2", "12... Ke7 13. O-O 13... *"]
    {
        assert_eq!(imported("a.pgn", "chess", &format!("{given}{numbers}")), Ok(2), "{numbers}");
    }
    for (name, game, text, told) in [
        (
            "a.pgn",
            "chess",
            "1. e4 e5\n3. Nf3",
            "line 2: found the move number `3.`, expected `2.` (white to move)",
        ),
        (
            "a.pgn",
            "chess",
            "1... e4",
            "line 1: found the move number `1...`, expected `1.` (white to move)",
        ),
        (
            "a.pgn",
            "chess",
            "1. e4 2. e5",
            "line 1: found the move number `2.`, expected `1...` (black to move)",
        ),
        (
            "a.pgn",
            "chess",
            "1. e4 e5 3. *",
            "line 1: found the move number `3.`, expected `2.` (white to move)",
        ),
        (
            "a.pdn",
            "english_draughts",
            "1. 11-15 23-19\n3. 8-11",
            "line 2: found the move number `3.`, expected `2.` (black to move)",
        ),
        (
            "a.pgn",
            "chess",
            &format!("{given}11... Ke7"),
            "line 3: found the move number `11...`, expected `12...` (black to move)",
        ),
    ] {
        let error = imported(name, game, text).expect_err(text);
        assert!(error.contains(told), "{text}: {error}");
        assert!(error.contains("correct it or leave it out"), "{error}");
    }
}

#[test]
fn a_given_position_and_a_resignation_go_through_pgn() {
    let folder = folder();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let text = format!("[White \"Ann\"]\n[FEN \"{fen}\"]\n\n1. e2-e4 {{first}} e8-e7 0-1\n");
    fs::write(folder.path().join("a.pgn"), text).expect("written");
    let imported = ludex(folder.path(), &["import", "a.pgn", "--game", "chess"]);
    assert_eq!(imported.as_deref(), Ok("saved in `chess-1.ron`: chess, 2 moves\n"));
    let trial = load(&folder.path().join("chess-1.ron")).expect("read");
    assert_eq!((trial.given.as_deref(), trial.resigned.as_deref()), (Some(fen), Some("white")));
    let pgn = ludex(folder.path(), &["export", "chess-1.ron"]).expect("exported");
    assert!(pgn.contains("[Result \"0-1\"]\n"), "{pgn}");
    assert!(pgn.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{pgn}");
    fs::write(folder.path().join("b.pgn"), pgn).expect("written");
    ludex(folder.path(), &["import", "b.pgn"]).expect("imported");
    let again = load(&folder.path().join("chess-2.ron")).expect("read");
    assert_eq!(again, Trial { check: again.check.clone(), ..trial });
}
