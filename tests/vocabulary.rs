//! One vocabulary: what is typed at the prompt and in a game that is played, what is told of wrong words and
//! values, and the help on every word of the rule language.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

fn ludex(folder: &Path, arguments: &[&str], typed: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "80");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("it runs");
    let mut input = process.stdin.take().expect("a pipe");
    // a command may end before it has read everything
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    process.wait_with_output().expect("it ends")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs a command and looks for texts in what it says.
fn says(arguments: &[&str], typed: &str, code: i32, texts: &[&str]) -> String {
    let folder = folder();
    let output = ludex(folder.path(), arguments, typed);
    let told = said(&output);
    // a text may be wrapped
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in texts {
        assert!(flat.contains(text), "{arguments:?} {typed:?} does not say `{text}`:\n{told}");
    }
    assert_eq!(output.status.code(), Some(code), "{arguments:?} {typed:?}:\n{told}");
    told
}

fn saved_games(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".ron")).collect()
}

#[test]
fn commands_need_no_colon() {
    for command in ["play", "repl"] {
        let game = [command, "tic_tac_toe", "--seed", "1"];
        let people: &[&str] = if command == "play" { &["--players", "human,human"] } else { &[] };
        let arguments = [&game[..], people].concat();
        for colon in ["", ":"] {
            let typed = [
                "moves",
                "a1",
                "b2",
                "undo",
                "redo",
                "history",
                "position",
                "why c3",
                "at(b2, o).",
                "goto 1",
                "list win",
                "set turn := x",
                "seed",
                "new",
                "about",
                "quit",
            ];
            let typed: String = typed
                .iter()
                .map(|line| match *line {
                    "a1" | "b2" | "at(b2, o)." => format!("{line}\n"),
                    line => format!("{colon}{line}\n"),
                })
                .collect();
            says(
                &arguments,
                &typed,
                0,
                &[
                    "x to move: 9 moves",
                    "taken back: b2",
                    "2. o: b2",
                    "[\"3/1o1/x2\"",
                    "`c3` is legal",
                    "true.",
                    "three in a row",
                    "win",
                ],
            );
        }
    }
}

#[test]
fn what_is_nearly_a_command_is_told() {
    for (typed, near) in
        [("hlep", "help"), ("resing", "resign"), ("undu", "undo"), ("hist", "history")]
    {
        for command in ["repl", "play"] {
            let told = format!("did you mean the command `{near}`?");
            says(&[command, "tic_tac_toe"], &format!("{typed}\n"), 1, &[&told]);
        }
    }
    says(&[], "opn hex\n", 1, &["did you mean `open`?"]);
    says(&[], "hello\n", 1, &["no game is open"]);
    says(&[], "nine mens morris\n", 1, &["`:open nine_mens_morris` opens this one"]);
    says(&["repl", "tic_tac_toe"], ":hlep\n", 1, &["did you mean `:help`?"]);
}

#[test]
fn a_move_goes_before_a_command_of_its_name() {
    let folder = folder();
    let rules = ":- game \"Words\".\n:- players a, b.\n:- state n -> 0..9 = 0.\n\
        move(seed) :- n < 9, n += 1.\nmove(wait) :- n < 9, n += 1.\ndraw :- ply(6).\n";
    std::fs::write(folder.path().join("words.ludex"), rules).expect("written");
    for command in
        [["repl", "words.ludex", "--seed", "77"], ["play", "words.ludex", "--seed", "77"]]
    {
        let output = ludex(folder.path(), &command, "seed\n:seed\nmoves\n");
        let told = said(&output);
        assert!(told.contains("1. a: seed") && told.contains("77"), "{told}");
    }
}

#[test]
fn a_game_is_saved_only_if_something_was_played() {
    for (game, typed, files) in [
        ("tic_tac_toe", "", 0),
        ("tic_tac_toe", "moves\nquit\n", 0),
        // nature has moved, and perhaps the computer
        ("backgammon", "moves\n", 0),
        ("tic_tac_toe", "a1\n", 1),
        ("tic_tac_toe", "a1\nundo\n", 0),
        ("tic_tac_toe", "a1\nquit\n", 1),
    ] {
        let folder = folder();
        let arguments = ["play", game, "--nodes", "250", "--seed", "2"];
        let output = ludex(folder.path(), &arguments, typed);
        assert_eq!(saved_games(folder.path()).len(), files, "{game} {typed}: {}", said(&output));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
    // and neither is one that is only resumed
    let folder = folder();
    let begun = ["play", "tic_tac_toe", "--nodes", "250", "--save", "one.ron"];
    ludex(folder.path(), &begun, "a1\n");
    let before = std::fs::read(folder.path().join("one.ron")).expect("saved");
    let output = ludex(folder.path(), &["play", "--resume", "one.ron"], "board\n");
    assert!(said(&output).contains("nothing was played"), "{}", said(&output));
    assert_eq!(std::fs::read(folder.path().join("one.ron")).expect("still there"), before);
    assert_eq!(saved_games(folder.path()), ["one.ron"]);
    // the prompt saves what it is told to
    ludex(folder.path(), &["repl", "tic_tac_toe"], "a1\n");
    assert_eq!(saved_games(folder.path()), ["one.ron"]);
}

#[test]
fn who_resigns_is_asked_and_the_winner_is_told() {
    let arguments = ["play", "tic_tac_toe", "--players", "human,human"];
    says(
        &arguments,
        "a1\nresign\nno\nb1\nresign\nyes\n",
        0,
        &[
            "resign as o? (yes or no) no the game goes on",
            "2. o: b1",
            "resigned by x: a win for o",
            "over>",
        ],
    );
    // nobody is there to ask
    says(&arguments, "a1\nresign\n", 0, &["resigned by o: a win for x"]);
    says(&arguments, "resign\nundo\na1\n", 0, &["taken back: the resignation", "1. x: a1"]);
    says(
        &arguments,
        "a1\nb1\na2\nb2\na3\nc3\n",
        1,
        &["a win for x: three in a row", "the game is over"],
    );
}

#[test]
fn the_computer_takes_seats_at_the_prompt() {
    let typed =
        "players\nplayers human,computer\na1\nplayers fish\nplayers random,random,random\nplay\n";
    let told = says(
        &["repl", "tic_tac_toe", "--seed", "3"],
        typed,
        1,
        &[
            "x (human), o (human)",
            "2. o:",
            "`fish` is none of the seats `human`, `computer` and `random`",
            "players names 3, the game has 2 players: x, o",
            "3. x:",
            "4. o:",
        ],
    );
    assert!(!told.contains("5. x"), "{told}");
}

#[test]
fn a_question_mark_asks_why_or_for_help() {
    says(&["repl", "tic_tac_toe"], "?\n", 0, &["plays a move"]);
    says(&["repl", "tic_tac_toe"], "corner(b2).\n?\n", 0, &["`corner(b2)` does not hold"]);
    says(&["repl", "tic_tac_toe"], "a1\na1\n?\n", 1, &["`a1` is not legal"]);
    says(&["repl", "tic_tac_toe"], "? win\n", 0, &["The end"]);
    says(&[], "?\nhelp\nhelp win\n", 0, &["plays a move", "The end"]);
}

/// The directives and operators of the grammar, the built-in goals, and the relations that mean something.
fn words() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read =
        |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of the sources");
    let mut words = Vec::new();
    let grammar = read("grammar/operators.pl");
    for line in grammar.split(":- op(").skip(1) {
        let names = line.split_once("fx, ").map(|(_, names)| names).expect("names of operators");
        let names = names.split(").").next().unwrap_or_default();
        words.extend(
            names
                .trim_matches(['[', ']'])
                .split(',')
                .map(|n| n.trim_matches([' ', '\n', '[', ']']).to_string()),
        );
    }
    let resolve = read("src/program/resolve.rs");
    let reserved = resolve.split("const RESERVED").nth(1).expect("the built-in goals");
    let reserved = reserved.split("];").next().unwrap_or_default();
    words.extend(
        reserved
            .split("(\"")
            .skip(1)
            .map(|w| w.split('"').next().unwrap_or_default().replace("\\\\", "\\")),
    );
    // refused, with the advice what to write instead
    words.retain(|word| !["not", "!"].contains(&word.as_str()));
    words.extend(
        [
            "move",
            "chance",
            "weight",
            "rank",
            "win",
            "lose",
            "draw",
            "over",
            "score",
            "value",
            "advice",
            "measure",
            "prompt",
            "status",
            "glyph",
            "figure",
            "look",
            "shows",
            "letter",
            "notation",
            "alias",
            "says",
            "suffix",
            "source",
            "family",
            "turn",
            "mover",
            "ply",
            "player",
            "old",
            "legal",
            "empty",
            "mine",
            "theirs",
            "owner",
            "piece",
            "worth",
            "position_field",
            ":=",
            "+=",
            "-=",
            "..",
            "abs",
            "mod",
            "//",
            "^",
            "board/square",
        ]
        .map(String::from),
    );
    words
}

#[test]
fn every_word_of_the_language_has_its_page() {
    let words = words();
    assert!(words.len() > 80, "{words:?}");
    let typed: String = words.iter().map(|word| format!("help rules {word}\n")).collect();
    let folder = folder();
    let told = said(&ludex(folder.path(), &["repl"], &typed));
    let missing: Vec<&str> =
        told.lines().filter(|line| line.contains("there is no page")).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    says(
        &["repl", "tic_tac_toe"],
        "help win\n",
        0,
        &["The end", "the first that holds ends the game"],
    );
    says(&["repl", "tic_tac_toe"], "help forall\n", 0, &["Goals", "whenever G holds, H does"]);
    says(&["play", "tic_tac_toe"], "help \\+\n", 0, &["`\\+ G`", "G has no answer"]);
    says(&["play", "tic_tac_toe"], "help hint\n", 0, &["what the computer would play"]);
    says(&["repl"], "help frobnicate\n", 1, &["there is no page for `frobnicate`"]);
    says(&["repl"], "help forrall\n", 1, &["did you mean `:help forall`?"]);
}

#[test]
fn help_fits_a_narrow_terminal() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.arg("repl").current_dir(folder.path()).env("COLUMNS", "40").stdin(Stdio::piped());
    let mut process = command.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = process.stdin.take().expect("a pipe");
    input.write_all(b"help\nhelp resign\nhelp topics\nhelp stuck\n").expect("typed");
    drop(input);
    let told = said(&process.wait_with_output().expect("it ends"));
    // examples stand as they are
    let wide: Vec<&str> =
        told.lines().filter(|line| !line.starts_with("  ") && line.chars().count() > 40).collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

#[test]
fn differences_far_from_the_start_are_found_soon() {
    for (arguments, texts) in [
        (["nerenchi", "nerenchi", "-o", "counters=11"], "legal in A only"),
        (["nine_mens_morris", "nine_mens_morris", "-b", "flying=no"], "legal in A only"),
        (["oware", "oware", "-b", "grand_slam=captures"], "they differ after"),
        // the number of repetitions counts as well
        (["nine_mens_morris", "nine_mens_morris", "-b", "repetition=allowed"], "A: nobody wins"),
    ] {
        let started = Instant::now();
        let arguments = [&["diff"], &arguments[..]].concat();
        says(&arguments, "", 0, &["they differ after", texts]);
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{arguments:?}: {:?}",
            started.elapsed()
        );
    }
}

/// Positions that differ in who is to move, in a part that is no part of the comparison of positions, or in the
/// number of moves only are told apart.
#[test]
fn differences_behind_positions_that_look_alike_are_found() {
    let file = |body: &str| {
        format!(
            ":- game \"Waits\".\n:- players a, b.\n:- state stones -> 0..9 = 0.\n:- state waits -> 0..9 = 0.\n\
             :- aside waits.\nmove(put) :- turn(a), stones < 4, stones += 1.\n{body}"
        )
    };
    let wait = "move(wait) :- turn(b), waits += 1.\n";
    for (a, b, line) in [
        // a wait changes the turn only, for what the comparison of positions looks at
        (
            file(&format!("{wait}win(a) :- stones(4).\n")),
            file(&format!("{wait}win(a) :- stones(3).\n")),
            "put wait put wait put",
        ),
        (
            file("move(wait) :- turn(P), (P = b ; stones(4)), waits += 1.\nwin(b) :- waits(6).\n"),
            file("move(wait) :- turn(P), (P = b ; stones(4)), waits += 1.\nwin(b) :- waits(7).\n"),
            "put wait put wait put wait put wait wait wait",
        ),
        (
            file("move(wait) :- turn(P), (P = b ; stones(4)).\nwin(b) :- ply(11).\n"),
            file("move(wait) :- turn(P), (P = b ; stones(4)).\nwin(b) :- ply(12).\n"),
            "put wait put wait put wait put wait wait wait wait",
        ),
    ] {
        let folder = folder();
        for (name, text) in [("a.ludex", a), ("b.ludex", b)] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        // one line of play at most, so that the search of all positions has to find it
        let output = ludex(folder.path(), &["diff", "a.ludex", "b.ludex", "--lines", "1"], "");
        let told = said(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(&format!("they differ after {line}:")), "{told}");
    }
}

/// Rules that look at earlier positions may differ in lines that were not played.
#[test]
fn games_that_remember_are_never_compared_in_all_positions() {
    let file = |times: usize| {
        format!(
            ":- game \"Back and forth\".\n:- players a, b.\n:- state at(1..3) -> player.\n\
             init(at(1, a)).\nmove(go(N)) :- at(M, P), N in 1..3, N - M =< 1, M - N =< 1, N \\= M, \
             clear(at(M)), at(N) := P.\ndraw :- repeated({times}).\n"
        )
    };
    let folder = folder();
    for (name, times) in [("a.ludex", 400), ("b.ludex", 500)] {
        std::fs::write(folder.path().join(name), file(times)).expect("a file");
    }
    let output = ludex(folder.path(), &["diff", "a.ludex", "b.ludex", "--lines", "2"], "");
    let told = said(&output);
    assert!(told.contains("no difference up to depth"), "{told}");
}

#[test]
fn functions_that_give_up_are_told() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native/many.ludex");
    let text = "bailed out too often in random games";
    says(&["bench", file, "--seconds", "1"], "", 0, &[text]);
    says(&["show", "code", file], "", 0, &[text]);
    let told = says(&["show", "code", "tic_tac_toe"], "", 0, &["0 of them interpreted"]);
    assert!(!told.contains("bailed out"), "{told}");
}

#[test]
fn a_line_to_a_difference_leads_there_and_is_short() {
    let folder = folder();
    let arguments = ["diff", "nerenchi", "-b", "counters=11", "--json"];
    let told = said(&ludex(folder.path(), &arguments, ""));
    let data: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let line: Vec<&str> =
        data["line"].as_array().expect("a line").iter().filter_map(|m| m.as_str()).collect();
    assert!(line.len() <= 30, "{line:?}");
    let only = data["difference"]["only_a"][0].as_str().expect("a move that A alone allows");
    let whole = format!("{} {only}", line.join(" "));
    let after = |option: &str, moves: &str| {
        let arguments = ["moves", "nerenchi", "-o", option, "--after", moves];
        ludex(folder.path(), &arguments, "").status.code()
    };
    assert_eq!(after("counters=12", &whole), Some(0));
    assert_eq!(after("counters=11", &line.join(" ")), Some(0));
    assert_ne!(after("counters=11", &whole), Some(0));
    // the same seed finds the same line
    assert_eq!(told, said(&ludex(folder.path(), &arguments, "")));
}

#[test]
fn a_game_is_not_compared_with_itself() {
    for arguments in [
        &["diff", "tic_tac_toe"][..],
        &["diff", "nerenchi", "nerenchi"],
        &["diff", "nerenchi", "-a", "counters=11", "-b", "counters=11"],
        &["diff", "nerenchi", "-b", "counters=12"],
    ] {
        says(arguments, "", 2, &["the same options", "-b NAME=VALUE"]);
    }
    says(&["repl", "nerenchi"], "diff nerenchi nerenchi\n", 1, &["the same options"]);
}

#[test]
fn guided_lines_reach_clauses_that_random_games_do_not() {
    let folder = folder();
    // seven moves of one kind in a row, which random games do not make
    let rules = ":- game \"Far\".\n:- players one.\n:- state at -> 0..9 = 0.\n\
        move(on) :- at < 9, at += 1.\nmove(back(N)) :- N in 1..4, at := 0.\n\
        far :- at > 0, at > 1, at > 2, at > 3, at > 4, at > 5, at > 6.\n\
        over :- far.\nover :- ply(60).\nscore(one, N) :- at(N).\n";
    std::fs::write(folder.path().join("far.ludex"), rules).expect("written");
    let told = said(&ludex(folder.path(), &["cover", "far.ludex"], ""));
    assert!(told.contains("guided line") && !told.contains("never held"), "{told}");
}

#[test]
fn moves_are_listed_by_a_seed_as_at_the_prompt() {
    let folder = folder();
    let listed = said(&ludex(folder.path(), &["moves", "backgammon", "--seed", "5"], ""));
    let prompt = said(&ludex(folder.path(), &["repl", "backgammon", "--seed", "5"], "moves\n"));
    let first = listed.lines().next().expect("a line");
    assert!(first.contains("to move") && prompt.contains(first), "{listed}\n{prompt}");
    let mv = listed.lines().nth(1).expect("a move").split_whitespace().next().expect("a word");
    let after = ["moves", "backgammon", "--seed", "5", "--after", mv];
    let listed = said(&ludex(folder.path(), &after, ""));
    let typed = format!("{mv}\nmoves\n");
    let prompt = said(&ludex(folder.path(), &["repl", "backgammon", "--seed", "5"], &typed));
    let first = listed.lines().next().expect("a line");
    assert!(first.contains("to move") && prompt.contains(first), "{listed}\n{prompt}");
}

#[test]
fn wrong_values_are_told_with_the_right_ones() {
    for (arguments, texts) in [
        (&["moves", "nerenchi", "-o", "counters=99"][..], &["`11`, `12`"][..]),
        (
            &["moves", "nerenchi", "-o", "conters=11"],
            &["did you mean `counters`?", "its options are counters"],
        ),
        (&["moves", "chess", "--notation", "xyz"], &["`san`"]),
        (&["play", "tic_tac_toe", "--players", "human,human,human"], &["2 players: x, o"]),
        (&["play", "tic_tac_toe", "--players", "fish"], &["human, computer, random"]),
        (&["--color", "blue", "games"], &["auto, always, never"]),
        (&["moves", "tic_tac_toe", "--given", "at(a1) := red"], &["it takes x, o"]),
        (&["moves", "tic_tac_toe", "--given", "at(z9) := x"], &["it takes a1, a2, a3"]),
        (&["moves", "shogi", "--given", "in_hand(black, pawn) := 1"], &["did you mean `hand`?"]),
        (&["moves", "tic_tac_toe", "--given", "cells(a1) := x"], &["the state is `turn` and `at`"]),
        (&["moves", "kei_yen", "--given", "kei(a3)"], &["write `set(kei(a3))`"]),
        (&["moves", "tic_tac_toe", "--given", "at(a1, x)"], &["write `at(a1) := x`"]),
    ] {
        says(arguments, "", 2, texts);
    }
    for (typed, text) in [
        (":option diagonals=7", "`yes`, `no`"),
        (":option foo", "the options are diagonals"),
        (":option foo=1", "its options are diagonals"),
        (":place red a1", "it takes x, o"),
        (":players fish", "`human`, `computer` and `random`"),
    ] {
        says(&["repl", "tic_tac_toe"], &format!("{typed}\n"), 1, &[text]);
    }
}

/// The code with which a signal ends a prompt that waits or works.
#[cfg(unix)]
#[test]
fn signals_end_a_prompt_with_their_code() {
    for (name, code) in [("-TERM", 143), ("-HUP", 129)] {
        for (arguments, typed, files) in [
            (&["play", "tic_tac_toe", "--nodes", "250"][..], "a1\n", 1),
            (&["play", "tic_tac_toe", "--time", "600"], "a1\n", 1),
            (&["play", "tic_tac_toe"], "", 0),
            (&["repl", "tic_tac_toe"], "a1\n", 0),
            (&[], "", 0),
        ] {
            let folder = folder();
            let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
            command.args(arguments).current_dir(folder.path()).stdin(Stdio::piped());
            let mut process = command.stdout(Stdio::piped()).spawn().expect("it runs");
            let mut input = process.stdin.take().expect("a pipe");
            input.write_all(typed.as_bytes()).expect("typed");
            std::thread::sleep(Duration::from_millis(1000));
            Command::new("kill").args([name, &process.id().to_string()]).status().expect("sent");
            let ended = process.wait().expect("it ends");
            assert_eq!(ended.code(), Some(code), "{arguments:?} {name}");
            assert_eq!(saved_games(folder.path()).len(), files, "{arguments:?} {name}");
        }
    }
}

#[test]
fn the_moves_from_a_site_are_listed_and_several_moves_taken_back() {
    let arguments = ["play", "breakthrough", "--players", "human,human"];
    let told = says(
        &arguments,
        "moves b2\na2a3\nh7h6\nundo 2\na2b3\nundo two\nmoves b5\n",
        1,
        &[
            "white to move: 3 moves",
            "taken back: a2-a3, h7-h6",
            "1. white: a2-b3",
            "`:undo` takes a number of moves, not `two`",
            "no legal move names `b5`",
        ],
    );
    assert!(told.contains("b2-c3") && !told.contains("c2-c3"), "{told}");
}

#[test]
fn a_question_mark_behind_a_mistyped_command_tells_no_older_move() {
    let arguments = ["play", "breakthrough", "--players", "human,human"];
    let told = says(&arguments, "a2a5\nundoo\n?\n", 1, &["did you mean the command `undo`"]);
    assert_eq!(told.matches("a5 is not next to a2").count(), 1, "{told}");
}
