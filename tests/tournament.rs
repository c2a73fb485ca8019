//! Tournaments: the same games whether they are played at once or in pieces, and a sequential test that ends
//! as the strength of the players says.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn tournament(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.arg("tournament").args(words).arg("--json").current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn played(words: &[&str]) -> Value {
    let output = tournament(words).output().expect("it runs");
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {wrong}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{words:?}: {e}"))
}

/// The games in a file of results, in order.
fn games(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let data: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut games = data["games"].as_array().cloned().unwrap_or_default();
    games.sort_by_key(|game| game[0].as_u64());
    games
}

const MATCH: [&str; 5] = ["breakthrough", "--players", "alphabeta,greedy", "--nodes", "400"];

#[test]
fn a_tournament_in_pieces_has_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let [at_once, in_pieces] = ["at-once", "in-pieces"].map(|name| folder.path().join(name));
    let words = |file: &'static str, games: &'static str| -> Vec<String> {
        let file = folder.path().join(file).display().to_string();
        let more = ["--games".to_string(), games.to_string(), "--file".to_string(), file];
        MATCH.iter().map(|word| (*word).to_string()).chain(more).collect()
    };
    let run = |words: Vec<String>| played(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let whole = run(words("at-once", "12"));
    run(words("in-pieces", "3"));
    assert_eq!(games(&in_pieces).len(), 3);
    // the second piece is killed once it has played a game
    let mut killed = tournament(&[]);
    killed.args(words("in-pieces", "12")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = killed.spawn().expect("it runs");
    let started = Instant::now();
    while games(&in_pieces).len() < 4 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    assert!(games(&in_pieces).len() >= 4);
    assert_eq!(run(words("in-pieces", "12")), whole);
    assert_eq!(games(&in_pieces), games(&at_once));
    // results of other players are not continued
    let file = in_pieces.display().to_string();
    let other = ["breakthrough", "--players", "random,greedy", "--nodes", "400", "--file", &file];
    let output = tournament(&other).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("those of another tournament"));
}

#[test]
fn a_sequential_test_ends_as_the_strength_says() {
    let test = |players: &str| {
        let words = ["breakthrough", "--players", players, "--nodes", "100", "--games", "400"];
        played(&[&words[..], &["--sprt", "0,100"]].concat())
    };
    for (players, stronger) in [("greedy,random", true), ("random,greedy", false)] {
        let told = test(players);
        let (games, ratio) = (told["games"].as_u64().expect("games"), &told["sprt"]["ratio"]);
        let ratio = ratio.as_f64().expect("a ratio");
        assert!(games < 100, "{players}: {told}");
        assert!(if stronger { ratio > 2.9 } else { ratio < -2.9 }, "{players}: {told}");
    }
}

/// What the rules say that a position is worth has a weight where one is fitted: in a game of which no sum tells who is
/// ahead, the player that counts it beats the one that does not.
#[test]
fn the_values_of_the_rules_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let names = ["valued.ludex", "plain.ludex", "valued.weights", "plain.weights"];
    let [valued, plain, weights, without] = names.map(path);
    // the smaller of two heaps counts, which no sum over heaps tells
    let rules = ":- game \"Heaps\".
        :- players one, two.
        side(left). side(right).
        :- state heap(player, side) -> 0..40 = 0.
        :- state turns -> 0..40 = 40.
        move(add(S)) :- turns > 0, turn(P), side(S), heap(P, S) += 1, turns -= 1.
        score(P, N) :- heap(P, left, A), heap(P, right, B), N is min(A, B).
        over :- turns(0).
        ";
    let value = "value(P, N) :- score(P, A), opponent(P, Q), score(Q, B), N is 3 * (A - B).\n";
    std::fs::write(&valued, format!("{rules}{value}")).expect("written");
    std::fs::write(&plain, rules).expect("written");
    let tune = |words: &[&str]| {
        let fixed = ["--millions", "1", "--rounds", "1", "--games", "0"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.arg("tune").args(words).args(fixed).output().expect("it runs")
    };
    // before any game is played
    let nowhere = folder.path().join("nowhere").join("weights").display().to_string();
    let refused = tune(&[&plain, "--write", &nowhere]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot write"));
    let refused = tune(&[&plain, "--values"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("define no `value/2`"));
    let fitted = tune(&[&valued, "--values", "--write", &weights]);
    assert!(fitted.status.success(), "{}", String::from_utf8_lossy(&fitted.stderr));
    let text = std::fs::read_to_string(&weights).expect("weights");
    assert!(text.contains("values: true"), "{text}");
    assert!(tune(&[&valued, "--write", &without]).status.success());
    let both = format!("{weights},{without}");
    let words = [&valued, "--players", "alphabeta,alphabeta", "--weights", &both];
    let told =
        played(&[&words[..], &["--nodes", "300", "--opening", "2", "--games", "20"]].concat());
    let [won, lost] = ["won", "lost"].map(|which| told[which].as_u64().expect("a number"));
    assert!(won > 2 * lost, "{told}");
    let refused = tune(&[&plain, "--from", &weights]);
    assert_eq!(refused.status.code(), Some(1), "weights of other features do not fit");
}

/// Weights that go on from weights with patterns have patterns as well, and can be used.
#[test]
fn weights_go_on_with_the_patterns_that_they_began_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second, plain] = ["first", "second", "plain"]
        .map(|name| folder.path().join(format!("{name}.weights")).display().to_string());
    let tune = |words: &[&str]| {
        let fixed = ["tune", "tic_tac_toe", "--millions", "1", "--rounds", "1", "--games", "0"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(fixed).args(words).output().expect("it runs")
    };
    assert!(tune(&["--patterns", "--write", &first]).status.success());
    assert!(tune(&["--from", &first, "--write", &second]).status.success());
    assert!(tune(&["--write", &plain]).status.success());
    let both = format!("{second},{first}");
    let words = ["tic_tac_toe", "--players", "alphabeta,alphabeta", "--weights", &both];
    assert_eq!(played(&[&words[..], &["--nodes", "20", "--games", "2"]].concat())["games"], 2);
    let refused = tune(&["--patterns", "--from", &plain]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("know no patterns"));
}
