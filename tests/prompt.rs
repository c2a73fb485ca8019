//! The prompt in a real terminal: every command, keys, interruptions, files that change.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use expectrl::process::unix::WaitStatus;
use expectrl::{ControlCode, Eof, Expect, Session};

struct Terminal {
    session: expectrl::session::OsSession,
    /// Everything that was written so far.
    written: String,
}

/// Whether there are colours, and how many columns.
#[derive(Clone, Copy)]
struct Look {
    color: bool,
    columns: u16,
}

const PLAIN: Look = Look { color: false, columns: 80 };

impl Terminal {
    fn new(folder: &Path, arguments: &[&str], look: Look) -> Terminal {
        // the size is there before the program asks for it, and after the terminal's own is set
        let sized =
            format!("read go && stty columns {} rows 50 && exec \"$0\" \"$@\"", look.columns);
        let mut command = Command::new("sh");
        command.args(["-c", &sized, env!("CARGO_BIN_EXE_ludex")]);
        command.args(arguments).current_dir(folder).env("TERM", "xterm");
        command.env("XDG_STATE_HOME", folder.join("state")).env_remove("VISUAL");
        command.env("EDITOR", folder.join("editor"));
        if !look.color {
            command.env("NO_COLOR", "1");
        }
        let mut session = Session::spawn(command).expect("a terminal");
        session.set_expect_timeout(Some(Duration::from_secs(60)));
        session.send("go\n").expect("a line for the shell");
        Terminal { session, written: String::new() }
    }

    fn sees(&mut self, text: &str) -> &mut Terminal {
        match self.session.expect(text) {
            Ok(found) => {
                self.written.push_str(&String::from_utf8_lossy(found.before()));
                self.written.push_str(text);
            }
            Err(error) => panic!("`{text}` does not come: {error}"),
        }
        self
    }

    /// Types at the prompt `asked`, when it has come.
    fn at(&mut self, asked: &str, line: &str) -> &mut Terminal {
        self.sees(asked);
        // a terminal sends a carriage return
        self.session.send(format!("{line}\r").as_str()).expect("typed");
        self
    }

    fn keys(&mut self, keys: &str) -> &mut Terminal {
        // the line before is read first
        std::thread::sleep(Duration::from_millis(100));
        self.session.send(keys).expect("pressed");
        self
    }

    fn presses(&mut self, key: ControlCode) -> &mut Terminal {
        self.session.send(key).expect("pressed");
        self
    }

    fn ends_with(&mut self, code: i32) {
        let found = self.session.expect(Eof).expect("the end");
        self.written.push_str(&String::from_utf8_lossy(found.as_bytes()));
        match self.session.get_process().wait() {
            Ok(WaitStatus::Exited(_, found)) => assert_eq!(found, code),
            other => panic!("{other:?}"),
        }
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

fn open(folder: &Path, game: &str) -> Terminal {
    Terminal::new(folder, &["repl", game, "--seed", "1"], PLAIN)
}

#[test]
fn answers_come_one_by_one() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "?- cell(X).").sees("X = a1").keys(";").sees(";").sees("X = a2").keys(" ");
    t.sees("X = a3").keys("\r").sees(" …").at("x> ", "cell(X), X = b2.").sees("X = b2.");
    t.at("x> ", "?- cell(X).").sees("X = a1").sees("`;` next").keys("a").sees("X = c3.");
    // a key that has no meaning there begins the next entry
    t.at("x> ", "?- cell(X).").sees("X = a1").keys("cell(c2).\r").sees(" …").sees("true.");
    t.at("x> ", "?- \\+ stuck.").sees("true.").at("x> ", "stuck.").sees("false.");
    // one key asks why
    t.sees("x> ").keys("\u{1b}w").sees("`stuck`").at("x> ", ":more").sees("✗");
    t.at("x> ", ":why cell(a1).").sees("holds").at("x> ", ":whynot a1").sees("is legal");
    t.sees("x> ").presses(ControlCode::EndOfTransmission).ends_with(0);
}

#[test]
fn an_entry_goes_on_until_it_is_whole() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "?- line(3, [a1 | T]),").keys("member(b2, T),\r").keys("true.\r");
    t.sees("T = [b2, c3].").at("x> ", "mark(").keys("a1)\r").sees("1. x: a1");
    // an empty line gives up
    t.at("o> ", "?- at(X,").keys("\r").keys("\r").sees("never closed");
    // and so does Ctrl-C
    t.sees("o> ").keys("?- at(X,\r").presses(ControlCode::EndOfText);
    t.at("o> ", "b2").sees("2. o: b2").at("x> ", ":quit").ends_with(0);
}

#[test]
fn lines_typed_ahead_are_not_lost() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "a1\rb2\rc3\r").sees("3. x: c3");
    // and neither are those behind Ctrl-C
    t.at("o> ", "?- at(X,\r\u{3}b1\r:quit").sees("4. o: b1").ends_with(0);
}

#[test]
fn a_terminal_made_narrow_gets_narrow_answers() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", ":help").sees("lists all pages");
    let wide = t.written.lines().map(|line| line.chars().count()).max();
    assert!(wide.is_some_and(|columns| columns > 40), "{wide:?}");
    t.session.get_process_mut().set_window_size(40, 50).expect("a size");
    t.written.clear();
    // drawn anew for the new size
    t.sees("x> ").keys(":help\r").sees("leaves, as");
    let typed = |line: &&str| !line.contains("> ");
    let wide: Vec<&str> =
        t.written.lines().filter(typed).filter(|line| line.chars().count() > 41).collect();
    assert!(wide.is_empty(), "{wide:?}");
}

#[test]
fn a_question_is_interrupted_and_not_the_prompt() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "?- X in 0..3000, Y in 0..30000, X + Y < 0.");
    std::thread::sleep(Duration::from_millis(400));
    let pressed = Instant::now();
    t.presses(ControlCode::EndOfText).sees("interrupted");
    assert!(pressed.elapsed() < Duration::from_millis(500), "{:?}", pressed.elapsed());
    t.at("x> ", "a1").sees("1. x: a1").at("o> ", ":quit").ends_with(0);
}

#[test]
fn loading_is_interrupted_and_not_the_prompt() {
    let folder = folder();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/games/alignment/tic_tac_toe.ludex");
    let rules = std::fs::read_to_string(shipped).expect("the rules");
    let slow = "endless(X) :- X in 0..30000, Y in 0..30000, X + Y < 0.\n";
    std::fs::write(folder.path().join("slow.ludex"), rules + slow).expect("written");
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", ":open slow.ludex");
    std::thread::sleep(Duration::from_millis(300));
    let pressed = Instant::now();
    t.presses(ControlCode::EndOfText).sees("interrupted");
    assert!(pressed.elapsed() < Duration::from_millis(500), "{:?}", pressed.elapsed());
    t.at("x> ", "a1").sees("1. x: a1").at("o> ", ":quit").ends_with(0);
}

#[test]
fn a_comparison_that_is_interrupted_tells_how_far_it_came() {
    let folder = folder();
    // the same game in other words
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/games/merels/nerenchi.ludex");
    let rules = std::fs::read_to_string(shipped).expect("the rules");
    std::fs::write(folder.path().join("same.ludex"), rules + "% the end\n").expect("written");
    let arguments = ["diff", "nerenchi", "same.ludex", "--positions", "10000000"];
    let mut t = Terminal::new(folder.path(), &arguments, PLAIN);
    t.sees("lines ").presses(ControlCode::EndOfText);
    t.sees("no difference up to depth ").sees("interrupted").ends_with(130);
}

#[test]
fn entries_are_kept_between_sessions() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "?- corner(b2).").sees("false.").at("x> ", ":quit").ends_with(0);
    let mut t = open(folder.path(), "tic_tac_toe");
    // the arrow key goes up by two entries
    t.sees("x> ").keys("\u{1b}[A\u{1b}[A\r").sees("corner(b2)").sees("false.");
    t.at("x> ", ":quit").ends_with(0);
    // where nothing can be kept nothing fails
    let file = folder.path().join("state");
    std::fs::remove_dir_all(&file).expect("removed");
    std::fs::write(&file, "in the way").expect("written");
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "a1").at("o> ", ":quit").ends_with(0);
}

#[test]
fn words_are_completed_and_hinted() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.sees("x> ").keys(":hist\t\r").sees(":history").sees("no move was made");
    t.sees("x> ").keys("?- corn\ta1).\r").sees("true.");
    t.sees("x> ").keys("?- at(").sees("cell, player)").keys("a1, x).\r").sees("false.");
    t.sees("x> ").keys("mark(c3\t\r").sees("1. x: c3").at("o> ", ":quit").ends_with(0);
}

#[test]
fn the_game_is_played_and_set_up() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", ":play b2")
        .sees("1. x: b2")
        .sees("2  ·  x  ·")
        .at("o> ", ":board")
        .sees("2  ·  x  ·");
    t.at("o> ", "b2").sees("b2 is occupied by x").at("o> ", ":undo").sees("taken back: b2");
    t.at("x> ", ":redo").sees("1. x: b2").at("o> ", ":random 2").sees("3. x:");
    t.at("o> ", ":goto 1").sees("o to move").at("o> ", ":place x a1").sees("1  x  ·  ·");
    t.at("o> ", ":set turn := x").sees("x to move").at("x> ", "c3").sees("a win for x");
    t.at("over> ", "a2")
        .sees("the game is over")
        .at("over> ", ":save one.ron")
        .sees("saved as one.ron");
    t.at("over> ", ":new").at("x> ", ":load one.ron").sees("a win for x").at("over> ", ":undo");
    t.at("x> ", ":position")
        .sees("/1x1/x2\", ")
        .at("x> ", ":best 0.1")
        .sees("best: c3 (wins at once");
    t.at("x> ", ":clear a1").sees("1  ·  ·  ·").at("x> ", ":seed").sees("1").at("x> ", ":quit");
    t.ends_with(0);
    // what was set up is in the file too
    Terminal::new(folder.path(), &["replay", "one.ron"], PLAIN)
        .sees("1 move, all legal")
        .ends_with(0);
}

#[test]
fn nature_is_seen_at_work() {
    let folder = folder();
    let rules = format!("{}/tests/rules/pig.ludex", env!("CARGO_MANIFEST_DIR"));
    let mut t = open(folder.path(), &rules);
    t.at("a> ", "throw").sees("1. a: throw").sees("chance: roll(").sees("> ").keys(":goto 1\r");
    t.at("chance> ", ":moves")
        .sees("chance: 6 events")
        .at("chance> ", "roll(6)")
        .sees("2. chance: roll(6)");
    t.at("a> ", ":option goal=20")
        .at("a> ", ":option")
        .sees("goal = 20")
        .at("a> ", ":quit")
        .ends_with(0);
}

#[test]
fn a_trace_waits_for_keys() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", ":trace a1").sees("call   cell(C)").keys("\r").sees("exit   cell(C)").keys("\r");
    t.sees("call   \\+ at(C").keys("s").sees("exit   \\+ at(C").keys("a").sees("1  x  ·  ·");
    t.sees("mark(a1) is legal").at("x> ", ":trace b1").sees("call").keys("q");
    t.at("x> ", ":spy turn/1")
        .sees("turn/1 is spied")
        .at("x> ", ":trace b1")
        .sees("call")
        .keys("l");
    t.sees("call   turn(Me)").keys("q").at("x> ", ":profile 3").sees("share").sees("move(mark(C))");
    t.at("x> ", ":spy tern/1").sees("did you mean `turn/1`?").at("x> ", ":quit").ends_with(0);
}

#[test]
fn a_move_is_traced_in_every_notation() {
    let folder = folder();
    let mut t = open(folder.path(), "chess");
    for (typed, told) in [
        ("Nf3", "go(g1, f3) is legal"),
        ("e2e4", "go(e2, e4) is legal"),
        ("Nd4", "go(g1, d4) is not legal"),
        ("e2e5", "go(e2, e5) is not legal"),
    ] {
        t.at("white> ", &format!(":trace {typed}")).sees("call").keys("a").sees(told);
    }
    t.at("white> ", ":trace e2z9").sees("`z9` is not on the board");
    t.at("white> ", ":quit").ends_with(0);
}

/// Makes `path` a program that does this.
fn program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("written");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, executable).expect("made executable");
}

#[test]
fn rules_change_while_playing() {
    let folder = folder();
    let file = folder.path().join("my.ludex");
    let mut t = open(folder.path(), "tic_tac_toe");
    // a shipped game is copied; the editor adds a rule
    program(&folder.path().join("editor"), "echo 'draw :- ply(4).' >> \"$1\"");
    t.at("x> ", "a1").at("o> ", ":edit").sees("a shipped game is no file");
    t.at("o> ", ":edit my").sees("saved as my.ludex").at("o> ", "b2").at("x> ", "c3");
    t.at("o> ", "a2").sees("a draw").at("over> ", ":undo");
    // the file changes while a line is typed
    let rules = std::fs::read_to_string(&file).expect("the rules");
    t.sees("o> ").keys("b");
    std::fs::write(&file, format!("{rules}win(P) :- at(P, x.\n")).expect("written");
    t.sees("my.ludex has changed; the game goes on by the rules before").sees("syntax");
    t.keys("1\r").sees("4. o: b1").sees("a draw").at("over> ", ":undo").sees("o> ");
    std::fs::write(&file, rules.replace("draw :- ply(4).", "")).expect("written");
    t.sees("my.ludex has changed and is right").keys("b1\r").sees("4. o: b1").sees("x> ");
    // a board of another size
    std::fs::write(&file, rules.replace("height = 3", "height = 2")).expect("written");
    t.sees("has changed and is right")
        .keys(":history\r")
        .sees("from the beginning")
        .sees("mark(c3)")
        .at("x> ", ":quit")
        .ends_with(0);
}

#[test]
fn experiments_are_made_and_saved() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "b2")
        .at("o> ", ":assert win(P) :- at(b2, P), ply(2).")
        .sees("the rules are changed");
    t.at("o> ", "a1")
        .sees("a win for x")
        .at("over> ", ":diff")
        .sees("+win(P) :- at(b2, P), ply(2).");
    t.at("over> ", ":save-rules mine.ludex").sees("saved as mine.ludex");
    t.at("over> ", ":retract win(Q) :- at(b2, Q), ply(2).")
        .at("x> ", ":diff")
        .sees("those of the file");
    t.at("x> ", ":retract corner/1").at("x> ", "corner(a1).").sees("there is no relation");
    t.at("x> ", ":assert win(P) :- at(P).").sees("wrong-arity").at("x> ", ":open mine.ludex");
    t.at("x> ", ":list win")
        .sees("mine.ludex:")
        .at("x> ", ":diff tic_tac_toe mine.ludex")
        .sees("they differ after")
        .at("x> ", ":cover 5")
        .sees("clauses held")
        .at("x> ", ":explain wrong-arity")
        .at("x> ", ":quit")
        .ends_with(0);
}

#[test]
fn help_is_there_at_every_width() {
    for (color, columns) in [(false, 80), (true, 80), (false, 40), (true, 40)] {
        let folder = folder();
        let mut t = Terminal::new(folder.path(), &[], Look { color, columns });
        t.sees("no game is open").sees("ludex>").keys(":help undo\r").sees(":undo, :redo, :goto");
        t.sees("ludex>").keys(":help rank\r").sees("highest rank").sees("ludex>");
        t.keys(":moves\r").sees("no game is open").sees("ludex>").keys(":open tic_tac_toe\r");
        t.sees("x to move").sees("x>").keys("a1\r").sees("o to move").sees("o>");
        t.presses(ControlCode::EndOfTransmission).ends_with(0);
    }
}

/// A text without what steers the terminal, and the colours that were in it.
fn plain(text: &str) -> (String, Vec<String>) {
    let (mut out, mut colors) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let sequence = &rest[at + 2..];
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).expect("a whole sequence");
        if sequence[end..].starts_with('m') {
            colors.push(sequence[..end].to_string());
        }
        rest = &sequence[end + 1..];
    }
    out.push_str(rest);
    (out, colors)
}

/// Asks for all that is long.
fn long_answers(look: Look) -> String {
    let folder = folder();
    let mut t = Terminal::new(folder.path(), &["repl", "nerenchi", "--seed", "1"], look);
    t.sees("white to move").keys("d6\r").sees("black to move").keys(":why d6\r");
    t.sees("is not legal: ").sees("`:more`").keys(":more\r").sees("[○]").sees("move(place");
    t.keys(":more\r").sees("✗").sees("occupied by white").keys(":moves\r").sees("23 moves");
    t.keys(":history\r").sees("1. white");
    t.keys(":why place(a1)\r").sees("is legal").sees("`:more`").keys(":more\r").sees("✓");
    t.keys(":trace a1\r").sees("call").keys("a").sees("is legal");
    t.keys(":cover 2\r").sees("clauses held").sees("never held");
    t.keys(":diff tic_tac_toe kei_yen\r").sees("they differ");
    t.keys("d6\r").sees("illegal-move").keys(":quit\r").ends_with(0);
    t.written
}

#[test]
fn answers_fit_a_narrow_terminal() {
    let written = long_answers(Look { color: false, columns: 40 });
    let (text, colors) = plain(&written);
    assert_eq!(colors, Vec::<String>::new(), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    // what stands before a carriage return is drawn over: progress, and lines that are typed
    let last = text.lines().map(|line| line.rsplit('\r').next().unwrap_or(line));
    let answers = last.filter(|line| !line.contains("> "));
    let wide: Vec<&str> =
        answers.map(str::trim_end).filter(|line| line.chars().count() > 40).collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

#[test]
fn colours_end_where_they_should() {
    let written = long_answers(Look { color: true, columns: 80 });
    assert!(written.contains("\u{1b}[1m"), "{written}");
    let mut color = String::from("0");
    for line in written.lines() {
        let (text, colors) = plain(line);
        assert!(!text.contains(['\u{1b}']) && !text.contains("[0m"), "{text:?}");
        // no colour runs from an answer into the next prompt
        assert!(!text.contains("> ") || color == "0", "{text}: {color}");
        color = colors.last().unwrap_or(&color).clone();
    }
    assert_eq!(color, "0");
}

#[test]
fn sentences_are_moves_before_they_are_questions_or_commands() {
    let folder = folder();
    let mut t = open(folder.path(), "gomoku");
    t.at("black> ", "I put a stone on h8.").sees("1. black: h8");
    t.at("white> ", "place a stone at H9").sees("2. white: h9");
    t.at("black> ", "place black a1").at("black> ", "white stone on a2").sees("not white's");
    t.at("black> ", "A3.").sees("black: a3");
    // what is said of a site is said of a sentence too, and of words that are commands
    t.at("white> ", "A3.").sees("a3 is occupied by black");
    t.at("white> ", "move a1 to a2").sees("is moved in this game");
    t.at("white> ", "set b3").sees("white: b3").at("black> ", "new stone at c3").sees("black: c3");
    t.at("white> ", "place it at c3").sees("c3 is occupied by black");
    t.at("white> ", ":quit").ends_with(0);
}

#[test]
fn two_moves_of_one_turn_are_played_together() {
    let folder = folder();
    let mut t = open(folder.path(), "amazons");
    t.at("white> ", "d1-d4/d7").sees("1. white: d1-d4").sees("2. white: /d7");
    t.at("black> ", "d10-d8(f6)").sees("3. black: d10-d8").sees("4. black: /f6");
    // a word may tell the second
    t.at("white> ", "amazon g1 to g5 and shoots g9").sees("5. white: g1-g5").sees("6. white: /g9");
    t.at("black> ", "a7-a8 arrow a9").sees("7. black: a7-a8").sees("8. black: /a9");
    t.at("white> ", "g5-g6 / g9").sees("After g5-g6, `/g9` is not legal");
    // the turn goes to the other player after the first
    t.at("white> ", ":open chess").at("white> ", "e4 e5").sees("one move at a time");
    // one site after the other is a way, and no two moves
    t.at("white> ", ":open hmaki").at("> ", "a1-b1").sees("a move names one site");
    t.at("> ", ":quit").ends_with(0);
}

#[test]
fn the_site_of_the_last_move_need_not_be_named_again() {
    let folder = folder();
    let mut t = open(folder.path(), "shogi");
    for (asked, mv) in [("black> ", "７六歩"), ("white> ", "３四歩"), ("black> ", "２二角成")]
    {
        t.at(asked, mv);
    }
    t.at("white> ", "同銀").sees("4. white: g9-h8").at("black> ", ":quit").ends_with(0);
}

#[test]
fn questions_in_words_are_answered_also_behind_the_name_of_a_command_and_at_the_end() {
    let folder = folder();
    let mut t = open(folder.path(), "tic_tac_toe");
    t.at("x> ", "why can't I a1?").sees("`a1` is legal");
    for (asked, typed) in
        [("x> ", "a1"), ("o> ", "a2"), ("x> ", "b1"), ("o> ", "b2"), ("x> ", "c1")]
    {
        t.at(asked, typed);
    }
    t.at("over> ", "who won?").sees("The game is over: a win for x");
    t.at("over> ", "why did I lose?").sees("The game is over: a win for x");
    t.at("over> ", "c3").sees("the game is over").sees(":undo");
    t.at("over> ", ":quit").ends_with(0);
}
