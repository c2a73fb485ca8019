//! Games in a real terminal: typed at the prompt, interrupted, saved and resumed.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use expectrl::process::unix::WaitStatus;
use expectrl::{ControlCode, Eof, Expect, Regex, Session};

struct Terminal {
    session: expectrl::session::OsSession,
}

impl Terminal {
    fn new(folder: &Path, arguments: &[&str]) -> Terminal {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(arguments).current_dir(folder).env("TERM", "xterm").env("NO_COLOR", "1");
        command.env("XDG_STATE_HOME", folder.join("state"));
        let mut session = Session::spawn(command).expect("a terminal");
        session.set_expect_timeout(Some(Duration::from_secs(60)));
        Terminal { session }
    }

    fn sees(&mut self, text: &str) -> &mut Terminal {
        if let Err(error) = self.session.expect(text) {
            panic!("`{text}` does not come: {error}");
        }
        self
    }

    fn types(&mut self, line: &str) -> &mut Terminal {
        // a terminal sends a carriage return
        self.session.send(format!("{line}\r").as_str()).expect("typed");
        self
    }

    fn presses(&mut self, key: ControlCode) -> &mut Terminal {
        self.session.send(key).expect("pressed");
        self
    }

    fn ends_with(&mut self, code: i32) {
        self.session.expect(Eof).expect("the end");
        match self.session.get_process().wait() {
            Ok(WaitStatus::Exited(_, found)) => assert_eq!(found, code),
            other => panic!("{other:?}"),
        }
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

#[test]
fn a_game_is_played_left_and_resumed() {
    let folder = folder();
    let arguments = ["play", "nerenchi", "--nodes", "500", "--seed", "7"];
    let mut game = Terminal::new(folder.path(), &arguments);
    game.sees("Nerenchi: white (human), black (computer)").sees("white to move: place a counter");
    game.sees("white> ").types("z9").sees("`z9` is not on the board");
    game.types("a1").sees("1. white: a1").sees("2. black: ").sees("white to move").sees("white> ");
    game.types("undo").sees("taken back: a1").sees("white> ");
    game.types("hint").sees("best: ").sees("white> ");
    game.types("moves").sees("a1  a4  a7").sees("white> ");
    game.types("d7").sees("2. black: ").sees("white> ");
    game.types("save mine.ron").sees("saved as mine.ron").sees("white> ");
    // Ctrl-C drops what was typed
    game.session.send("quit").expect("typed");
    game.presses(ControlCode::EndOfText).sees("`quit` or Ctrl-D leaves").sees("white> ");
    game.types(":quit").sees("ludex play --resume mine.ron").ends_with(0);

    let mut again = Terminal::new(folder.path(), &["play", "--resume", "mine.ron"]);
    again.sees("2 moves were played before").sees("white> ");
    again.presses(ControlCode::EndOfTransmission);
    again.sees("nothing was played, so nothing is saved").ends_with(0);
    Terminal::new(folder.path(), &["replay", "mine.ron"]).sees("2 moves, all legal").ends_with(0);
}

#[test]
fn a_board_has_colours_and_the_last_move_stands_out() {
    let folder = folder();
    let arguments = ["play", "tic_tac_toe", "--players", "human,human"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).current_dir(folder.path()).env("TERM", "xterm").env_remove("NO_COLOR");
    let mut session = Session::spawn(command).expect("a terminal");
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let mut game = Terminal { session };
    // a shaded square, and one that is not
    game.sees("\u{1b}[48;5;137m").sees("\u{1b}[48;5;180m").sees("x> ").types("b2");
    game.sees("\u{1b}[48;5;185m").sees("o> ").types("quit");
    game.sees("saved as tic_tac_toe-1.ron").ends_with(0);
}

#[test]
fn a_game_comes_to_its_end() {
    let folder = folder();
    let mut game =
        Terminal::new(folder.path(), &["play", "tic_tac_toe", "--players", "human,human"]);
    for (prompt, mv) in [("x> ", "a1"), ("o> ", "b1"), ("x> ", "a2"), ("o> ", "b2"), ("x> ", "a3")]
    {
        game.sees(prompt).types(mv);
    }
    game.sees("a win for x: three in a row (win, games/alignment/tic_tac_toe.ludex:");
    game.sees("`new` starts a new game").sees("over> ").types("why").sees("three in a row");
    game.sees("over> ").types("quit").ends_with(0);
    let files = std::fs::read_dir(folder.path()).expect("listed").flatten();
    assert!(!files.into_iter().any(|file| file.path().extension().is_some_and(|e| e == "ron")));
}

#[test]
fn resigning_is_asked_for() {
    let folder = folder();
    let arguments = ["play", "tic_tac_toe", "--nodes", "250", "--seed", "1"];
    let mut game = Terminal::new(folder.path(), &arguments);
    game.sees("x> ").types("b2").sees("2. o: ").sees("x> ").types("resign");
    game.sees("resign as x? (yes or no)").types("no").sees("the game goes on").sees("x> ");
    game.types(":resign").sees("(yes or no)").types("yes").sees("resigned by x: a win for o");
    game.sees("over> ").presses(ControlCode::EndOfTransmission).ends_with(0);
}

#[test]
fn a_thought_is_stopped_and_the_best_move_so_far_is_played() {
    let folder = folder();
    let arguments = ["play", "nerenchi", "--time", "600", "--seed", "1"];
    let mut game = Terminal::new(folder.path(), &arguments);
    game.sees("white> ").types("b2").sees("black thinks; Ctrl-C ends the thought");
    std::thread::sleep(Duration::from_millis(700));
    game.presses(ControlCode::EndOfText);
    game.sees("the thought was stopped")
        .sees("2. black: ")
        .sees("white to move")
        .sees("white> ")
        .types("best");
    game.sees("white thinks");
    std::thread::sleep(Duration::from_millis(500));
    game.presses(ControlCode::EndOfText)
        .sees("the thought was stopped")
        .sees("best: ")
        .sees("white> ")
        .types("quit");
    game.sees("saved as nerenchi-1.ron").ends_with(0);
    let saved = ludex::record::load(&folder.path().join("nerenchi-1.ron")).expect("saved");
    assert_eq!(saved.moves.len(), 2);
}

#[test]
fn a_game_of_computers_alone_is_left_by_ctrl_c() {
    let folder = folder();
    let arguments = ["play", "nerenchi", "--players", "computer,computer", "--time", "600"];
    let mut game = Terminal::new(folder.path(), &arguments);
    game.sees("white thinks; Ctrl-C leaves the game");
    std::thread::sleep(Duration::from_millis(500));
    game.presses(ControlCode::EndOfText).sees("nothing was played").ends_with(130);
}

#[test]
fn taking_back_and_leaving_does_not_overwrite_the_longer_game() {
    let folder = folder();
    let arguments = ["play", "tic_tac_toe", "--players", "human,human", "--save", "long.ron"];
    let mut game = Terminal::new(folder.path(), &arguments);
    for (prompt, mv) in [("x> ", "a1"), ("o> ", "b1"), ("x> ", "a2"), ("o> ", "save")] {
        game.sees(prompt).types(mv);
    }
    game.sees("saved as long.ron").sees("o> ").types("undo").sees("x> ").types("c3");
    game.sees("o> ").types("quit").sees("saved as tic_tac_toe-1.ron").ends_with(0);
    let long = ludex::record::load(&folder.path().join("long.ron")).expect("still whole");
    assert_eq!(long.moves, ["mark(a1)", "mark(b1)", "mark(a2)"]);
}

/// Asks the program from outside to end; how long that takes.
fn ends_from_outside(terminal: &mut Terminal) -> Duration {
    let id = terminal.session.get_process().pid().to_string();
    let sent = Instant::now();
    Command::new("kill").args(["-TERM", &id]).status().expect("sent");
    let end = terminal.session.expect(Eof).expect("the end");
    let time = sent.elapsed();
    // the cursor is shown and pasting is as before
    let written = String::from_utf8_lossy(end.as_bytes()).into_owned();
    assert!(written.contains("\u{1b}[?2004l\u{1b}[?25h"), "{written:?}");
    match terminal.session.get_process().wait() {
        Ok(WaitStatus::Exited(_, found)) => assert_eq!(found, 143),
        other => panic!("{other:?}"),
    }
    time
}

#[test]
fn a_waiting_prompt_can_be_ended_from_outside() {
    let folder = folder();
    let arguments = ["play", "tic_tac_toe", "--players", "human,human"];
    let mut game = Terminal::new(folder.path(), &arguments);
    game.sees("x> ").types("b2").sees("o> ");
    let time = ends_from_outside(&mut game);
    assert!(time < Duration::from_secs(1), "{time:?}");
    let saved = ludex::record::load(&folder.path().join("tic_tac_toe-1.ron")).expect("saved");
    assert_eq!(saved.moves, ["mark(b2)"]);

    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(["repl", "tic_tac_toe"]).current_dir(folder.path());
    command.env("TERM", "xterm").env("NO_COLOR", "1").env("XDG_STATE_HOME", folder.path());
    let mut session = Session::spawn(command).expect("a terminal");
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let mut prompt = Terminal { session };
    prompt.sees("x> ").types("b2").sees("o> ");
    let time = ends_from_outside(&mut prompt);
    assert!(time < Duration::from_secs(1), "{time:?}");
    let history = std::fs::read_to_string(folder.path().join("ludex/history")).expect("kept");
    assert!(history.contains("b2"), "{history}");
}

#[test]
fn counting_can_be_interrupted() {
    let folder = folder();
    let mut count = Terminal::new(folder.path(), &["perft", "nerenchi", "12"]);
    count.sees("1 24").sees("2 552");
    std::thread::sleep(Duration::from_millis(300));
    count.presses(ControlCode::EndOfText);
    count.sees("interrupted").ends_with(130);
}

/// Lines that are wrong and right, hints, and the way from one exercise to the next.
#[test]
fn exercises_are_solved_at_their_prompt() {
    let folder = folder();
    let mut learn = Terminal::new(folder.path(), &["learn", "fact"]);
    learn.sees("1. A fact").sees("lamp(hall).").sees("fact> ");
    learn.types("check").sees("not yet").sees("light(attic)").sees("fact> ");
    learn.types("hint").sees("hint 1 of 2").sees("fact> ");
    learn.types("hint").sees("hint 2 of 2").sees("fact> ");
    learn.types("chekc").sees("write a command").sees("fact> ");
    learn.types("next nowhere").sees("error").sees("fact> ");
    learn.types("lamp(stairs).").sees("added to").sees("fact> ");
    learn.types("lamp(attic)").sees("write a command").sees("fact> ");
    learn.types("lamp(attic).").sees("added to").sees("fact> ");
    learn.types("check").sees("right").sees("positions compared").sees("fact> ");
    learn.types("next").sees("2. Facts about pairs").sees("pairs> ");
    learn
        .presses(ControlCode::EndOfText)
        .types("task")
        .sees("2. Facts about pairs")
        .sees("pairs> ");
    learn.types("list").sees("✓").sees("pairs> ");
    learn.types("quit").ends_with(0);
    let written = folder.path().join("ludex-learn/fact.ludex");
    let written = std::fs::read_to_string(written).expect("the learner's file");
    assert!(written.ends_with("lamp(stairs).\nlamp(attic).\n"), "{written}");

    // what is solved is kept: the next one is where it goes on
    let mut again = Terminal::new(folder.path(), &["learn"]);
    again.sees("✓").sees("learn> ").types("check").sees("`next` begins `pairs`").sees("learn> ");
    again.types("next").sees("2. Facts about pairs").sees("pairs> ");
    // a clause takes the place of a gap
    again.types("door(kitchen, garden).").sees("in place of `____`").sees("pairs> ");
    again.types("door(garden, hall).").sees("added to").sees("pairs> ");
    again.types("ludex learn pairs --check").sees("right").sees("pairs> ");
    again.types("3").sees("query> ").types(":solution").sees("have been told").sees("query> ");
    again.presses(ControlCode::EndOfTransmission).ends_with(0);
}

#[test]
fn an_analysis_tells_its_lines_while_it_runs() {
    let folder = folder();
    // by positions, by random games, and by games that are played again and again
    let lines = [
        ("breakthrough", r"[a-h]\d[-x][a-h]\d +\d+ %, \d+ plies deep, \d+ positions +[a-h]\d"),
        ("amazons", r"[a-j]\d+-[a-j]\d+ +\d+ %, \d+ of \d+ playouts +/[a-j]"),
        ("hmaki", r"[a-o]\d+ +score \d+, best of \d+ games +[a-o]\d"),
    ];
    for (game, line) in lines {
        let mut terminal =
            Terminal::new(folder.path(), &["analyse", game, "--time", "2", "--seed", "3"]);
        terminal.sees(" a second");
        let found = terminal.session.expect(Regex(line));
        assert!(found.is_ok(), "{game}: no line is shown");
        terminal.sees(" to move, ").ends_with(0);
    }
}
