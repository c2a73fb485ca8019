//! Reports and reviews: the same on any number of threads, resumed where they were stopped, and true in
//! games whose figures are known.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn ludex(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(words).env("COLUMNS", "100").current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().expect("it runs")
}

fn said(words: &[&str]) -> String {
    let output = ludex(words);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {wrong}");
    String::from_utf8(output.stdout).expect("text")
}

fn data(words: &[&str]) -> Value {
    serde_json::from_str(&said(words)).unwrap_or_else(|e| panic!("{words:?}: {e}"))
}

const SMALL: [&str; 8] = ["--games", "20", "--computer", "4", "--nodes", "100", "--doublings", "2"];

fn report<'a>(game: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["report", game][..], &SMALL, more].concat()
}

fn number(value: &Value) -> f64 {
    value["value"].as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn a_report_does_not_depend_on_threads() {
    for game in ["tic_tac_toe", "kalah", "hmaki"] {
        let one = data(&report(game, &["--json", "--threads", "1"]));
        let three = data(&report(game, &["--json", "--threads", "3"]));
        assert_eq!(one, three, "{game}");
        let other = data(&report(game, &["--json", "--seed", "2"]));
        assert_ne!(one, other, "{game}: another seed plays other games");
    }
}

/// The first player is the one who makes the first move, even where another player is named first.
#[test]
fn the_first_player_is_who_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("begins.ludex");
    let rules = "% The second player begins and wins.\n:- players x, o.\n:- state n -> 0..9 = 0.\n\
        init(turn(o)).\nmove(add(K)) :- K in 1..2, n < 4, n += K.\nwin(o) :- n >= 4.\n";
    std::fs::write(&path, rules).expect("written");
    let told = data(&report(&path.display().to_string(), &["--json"]));
    for series in told["games"][0]["series"].as_array().expect("series") {
        assert_eq!(number(&series["first_player"]), 1.0);
        assert_eq!(number(&series["first_moves"][0]["share"]), 1.0);
    }
}

#[test]
fn figures_of_a_known_game_are_right() {
    let told = data(&[
        "report",
        "tic_tac_toe",
        "--json",
        "--games",
        "4000",
        "--computer",
        "20",
        "--pairs",
        "4",
        "--nodes",
        "2000",
    ]);
    let random = &told["games"][0]["series"][0];
    // of random games x wins 58.49 %, o 28.81 %, and 12.70 % are drawn
    for (name, share) in [("x wins", 0.5849), ("o wins", 0.2881), ("drawn", 0.1270)] {
        let all = random["outcomes"].as_array().expect("outcomes");
        let found = all.iter().find(|entry| entry["name"] == name).expect("an outcome");
        assert!((number(&found["share"]) - share).abs() < 0.03, "{name}: {found}");
    }
    let opening = random["branching"]["by_ply"][0][1].as_f64();
    assert_eq!(opening, Some(9.0), "nine moves at first");
    assert_eq!(random["length"]["least"].as_f64(), Some(5.0));
    assert_eq!(random["length"]["most"].as_f64(), Some(9.0));
    let shares: f64 =
        random["ends"].as_array().expect("ends").iter().map(|e| number(&e["share"])).sum();
    assert!((shares - 1.0).abs() < 1e-6, "every game has one end");
    assert_eq!(random["first_moves"].as_array().map(Vec::len), Some(9));
    assert_eq!(random["first_moves"][0]["move"], "b2", "the middle is best");
    // every first move holds the draw, but a random second one may lose
    let computer = &told["games"][0]["series"][1];
    assert!(number(&computer["forced"]) > 0.0);
}

#[test]
fn strategies_for_one_player_play_the_same_starts() {
    let told = data(&["report", "hmaki", "--json", "--games", "30", "--nodes", "100"]);
    let series = told["games"][0]["series"].as_array().expect("series");
    assert_eq!(series.len(), 5);
    let comparisons = told["games"][0]["comparisons"].as_array().expect("comparisons");
    assert_eq!(comparisons.len(), 10);
    assert!(comparisons.iter().all(|pair| pair["starts"] == 3));
    let greedy = comparisons.iter().find(|p| p["a"] == "frugal" && p["b"] == "greedy");
    assert!(greedy.is_some());
    let figures = series[0]["figures"].as_array().expect("figures");
    let names: Vec<&str> = figures.iter().filter_map(|f| f["name"].as_str()).collect();
    assert_eq!(names, ["score", "tiles left", "sum of squares"]);
}

#[test]
fn a_report_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.json");
    let file = file.to_str().expect("a path");
    let few = [
        "report",
        "kalah",
        "--games",
        "10",
        "--computer",
        "2",
        "--pairs",
        "1",
        "--nodes",
        "100",
        "--doublings",
        "2",
    ];
    said(&[&few[..], &["--file", file]].concat());
    let kept = std::fs::read_to_string(file).expect("the results");
    let whole = data(&report("kalah", &["--json", "--file", file]));
    assert!(std::fs::read_to_string(file).expect("the results").len() > kept.len());
    assert_eq!(whole, data(&report("kalah", &["--json"])), "as if it had never been stopped");
    let other = ludex(&report("kalah", &["--seed", "9", "--file", file]));
    let wrong = String::from_utf8_lossy(&other.stderr);
    assert!(!other.status.success() && wrong.contains("another report"), "{wrong}");
    std::fs::write(file, "{}").expect("a file");
    let other = ludex(&report("kalah", &["--file", file]));
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn pages_need_no_network_and_are_the_same_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |name: &str, words: &[&str]| {
        let path = folder.path().join(name);
        let words = [words, &["--output", path.to_str().expect("a path")]].concat();
        said(&words);
        std::fs::read_to_string(path).expect("a page")
    };
    for game in ["breakthrough", "hmaki"] {
        let one = page("one.html", &report(game, &[]));
        assert_eq!(one, page("two.html", &report(game, &[])), "{game}");
        assert!(one.len() < 150_000, "{game}: {} bytes", one.len());
        let bare = one.replace("http://www.w3.org/2000/svg", "");
        assert!(!bare.contains("http") && !bare.contains("<script"), "{game}: it asks the network");
        assert!(one.contains("prefers-color-scheme: dark") && one.contains("<svg"), "{game}");
        assert!(!one.contains("NaN") && !one.contains("inf"), "{game}: {one}");
    }
    let two = page("both.html", &report("tic_tac_toe", &["connect_four"]));
    assert!(two.contains("Compared with Tic-tac-toe, Connect Four"), "a verdict");
}

#[test]
fn variants_are_compared() {
    let words = report("tic_tac_toe", &["--json", "-b", "diagonals=no"]);
    let told = data(&words);
    let comparison = &told["comparison"];
    assert_eq!(comparison["names"][1], "Tic-tac-toe with diagonals = no");
    let rows = comparison["rows"].as_array().expect("rows");
    let length =
        rows.iter().find(|row| row["series"] == "random" && row["name"] == "length in plies");
    let by = &length.expect("lengths")["difference"];
    assert!(by["low"].as_f64() < by["value"].as_f64(), "{by}");
    let wrong = ludex(&["report", "hmaki", "kalah"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn each_shipped_game_has_a_page_that_is_small_and_names_its_command() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reports");
    for game in ludex::source::Library::games() {
        let name = format!("{}.html", game.name);
        let text = std::fs::read_to_string(folder.join(&name)).expect(&name);
        assert!(text.len() < 150_000, "{name}: {} bytes", text.len());
        assert!(text.contains(&format!("<code>ludex report {}", game.name)), "{name}");
    }
}

#[test]
fn a_review_finds_the_blunder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.ron");
    let path = file.to_str().expect("a path");
    let mut play = Command::new(env!("CARGO_BIN_EXE_ludex"));
    play.args(["repl", "tic_tac_toe"]).stdin(std::process::Stdio::piped());
    let mut running = play.stdout(std::process::Stdio::null()).spawn().expect("it runs");
    // o does not stop the row of x, which x does not complete either
    let typed = format!("a1\nb2\na2\nc3\nb3\nb1\n:save {path}\n");
    std::io::Write::write_all(&mut running.stdin.take().expect("a pipe"), typed.as_bytes())
        .expect("typed");
    assert!(running.wait().expect("an end").success());
    let told = data(&["review", path, "--json", "--nodes", "5000"]);
    let moves = told["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 6, "{told}");
    assert_eq!(moves[3]["mark"], "blunder", "{}", moves[3]);
    assert_eq!(moves[4]["mark"], "blunder", "{}", moves[4]);
    assert_eq!(moves[4]["line"][0], "a3");
    let accuracy = |i: usize| told["players"][i]["accuracy"].as_f64().expect("an accuracy");
    assert!(accuracy(0) < 90.0 && accuracy(1) < 90.0, "{told}");
    assert_eq!(told, data(&["review", path, "--json", "--nodes", "5000"]));
    let text = said(&["review", path]);
    assert!(text.contains("4. o: c3??") && text.contains("better a3"), "{text}");
}
