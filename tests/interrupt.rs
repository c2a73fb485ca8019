//! Nothing hangs: whatever the rules do, a command answers signals, keeps its time limits, and stays
//! within the memory that it is given. Real processes, real signals.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Each position asks for some million steps, and each move for as many again.
const SLOW: &str = ":- game \"Slow\".
:- players a, b.
:- state k -> 0..9 = 0.
n(N) :- N in 1..2500.
move(x(A)) :- A in 1..9, busy, k := A.
busy :- k(K), count(p(A, B), (n(A), n(B), A * B * (K + 1) mod 7 =:= 3), N), N > 0.
draw :- ply(100).
";

/// Each position is scored with some million steps.
const SCORES: &str = ":- game \"Scores\".
:- players a, b.
:- state k -> 0..9 = 0.
n(N) :- N in 1..2500.
move(x(A)) :- A in 1..9, k := A.
over :- ply(1).
score(P, S) :- player(P), k(K), count(p(A, B), (n(A), n(B), A * B * (K + 1) mod 7 =:= 3), S).
";

/// The static relations alone take long.
const HEAVY: &str = ":- game \"Heavy\".
:- players a, b.
n(N) :- N in 1..380.
odd(A) :- n(A), count(p(B, C), (n(B), n(C), A * B + C =:= 17), N), N mod 2 =:= 1.
move(pass) :- odd(_).
draw :- ply(3).
";

const OVER: &str = ":- players a, b.
:- state n -> 0..9 = 0.
move(x) :- n += 1.
draw :- ply(0).
";

/// A name that becomes twice as long forty times.
const NAMES: &str = ":- players a, b.
d(0, a).
d(M, L2) :- d(N, L), N < 40, M is N + 1, atom_concat(L, L, L2).
move(x) :- d(40, _).
draw :- ply(3).
";

/// A term that holds itself twice, forty times over.
const SHARED: &str = ":- players a, b.
d(0, a).
d(M, f(X, X)) :- d(N, X), N < 40, M is N + 1.
move(x) :- d(40, _).
draw :- ply(3).
";

/// The same in play: lists of lists.
const SHARED_IN_PLAY: &str = ":- players a, b.
:- state k -> 0..9 = 0.
move(x(L)) :- grow(40, L), k += 1.
grow(0, [a]) :- k(_).
grow(N, [X, X]) :- N in 1..40, M is N - 1, grow(M, X).
draw :- ply(3).
";

/// A clause with some hundred goals.
fn long() -> String {
    let goals: Vec<String> =
        (0..90).map(|i| format!("adjacent(C{i}, C{}), at(C{}, P{i})", i + 1, i + 1)).collect();
    format!(
        ":- players a, b.
:- include \"board/square\" with (width = 15, height = 15).
:- state at(cell) -> player.
move(mark(C0)) :- cell(C0), \\+ at(C0, _), turn(Me), at(C0) := Me, \\+ ({}).
draw :- stuck.
",
        goals.join(", ")
    )
}

/// Some hundred clauses over one large table.
fn many() -> String {
    let clauses = (0..400).map(|i| {
        format!(
            "r{i}(A, C) :- at(A, P), adjacent(A, B), \\+ at(B, P), adjacent(B, C), at(C, Q), opponent(P, Q).
move(m{i}(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me, \\+ r{i}(C, _),
  count(X, r{i}(X, C), N), N < {i} + 3.
"
        )
    });
    let clauses: String = clauses.collect();
    format!(
        ":- players a, b.
:- include \"board/square\" with (width = 19, height = 19).
:- state at(cell) -> player.
draw :- stuck.
{clauses}"
    )
}

/// Each game has one ply, and all of them spend the same number of steps.
const EQUAL: &str = ":- players white, black.
:- state at({a, b}) -> player.
c(a). c(b).
lose(P) :- stuck, turn(P).
move(go(Q)) :- c(Q), \\+ at(Q, _), turn(Me), at(Q) := Me, count(X, h(X), N), N < 2.
h(f(A)) :- at(A, _).
";

const WEIGHTS: &str = ":- players a, b.
chance(x(A)) :- ply(0), A in 1..3.
weight(x(A), 0) :- A in 1..3.
move(y).
draw :- ply(3).
";

const RANKS: &str = ":- players a, b.
kind(low). kind(high).
:- state k -> 0..9 = 0.
move(go(K)) :- kind(K), k += 1.
rank(go(K), K) :- k(_).
draw :- ply(3).
";

const ENGINES: [&str; 3] = ["compiled", "interpreted", "reference"];

struct Rules(tempfile::TempDir);

impl Rules {
    fn new() -> Rules {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        for (name, text) in [
            ("slow", SLOW),
            ("scores", SCORES),
            ("heavy", HEAVY),
            ("over", OVER),
            ("names", NAMES),
            ("shared", SHARED),
            ("shared_in_play", SHARED_IN_PLAY),
            ("weights", WEIGHTS),
            ("ranks", RANKS),
            ("equal", EQUAL),
            ("long", &long()),
            ("many", &many()),
        ] {
            fs::write(folder.path().join(format!("{name}.ludex")), text).expect("written");
        }
        Rules(folder)
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(words.split_whitespace()).current_dir(self.folder());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command that must end soon.
    fn run(&self, words: &str, within: Duration) -> Output {
        let started = Instant::now();
        let output = ended(self.command(words).spawn().expect("it runs"), within)
            .unwrap_or_else(|| panic!("`ludex {words}` does not end within {within:?}"));
        assert!(started.elapsed() < within, "`ludex {words}` took {:?}", started.elapsed());
        output
    }
}

/// The output of a process that ends in time; it is killed where it does not.
fn ended(mut process: Child, within: Duration) -> Option<Output> {
    let started = Instant::now();
    while process.try_wait().expect("it can be waited for").is_none() {
        if started.elapsed() > within {
            process.kill().expect("killed");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    process.wait_with_output().ok()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The time for an answer to a signal. The machine may run other tests at the same time, so the
/// best of three trials counts.
const ANSWER: Duration = Duration::from_millis(100);
const TRIALS: usize = 3;

/// The shortest of some times, none of which is looked at after one that is short enough.
fn best(trial: impl Fn() -> Duration) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..TRIALS {
        best = best.min(trial());
        if best <= ANSWER {
            break;
        }
    }
    best
}

fn signal(process: &Child, name: &str) {
    let id = process.id().to_string();
    Command::new("kill").args([name, &id]).status().expect("sent");
}

#[test]
fn every_command_answers_signals() {
    let rules = Rules::new();
    let mut late = Vec::new();
    for words in [
        "bench slow.ludex --seconds 60",
        "bench slow.ludex --seconds 60 --engine reference",
        "bench over.ludex --seconds 60",
        "bench equal.ludex --seconds 60",
        "bench tic_tac_toe --max-plies 0 --seconds 60",
        "perft slow.ludex 9",
        "perft slow.ludex 9 --engine reference",
        "moves slow.ludex --after x(1)",
        "why slow.ludex x(1)",
        "cover slow.ludex",
        "check heavy.ludex",
        "bench heavy.ludex",
        "perft hex 9 -o width=20",
        "bench many.ludex --seconds 60",
        "profile slow.ludex --seconds 60",
        "profile tic_tac_toe --seconds 60",
    ] {
        for name in ["-INT", "-TERM"] {
            let time = best(|| {
                let process = rules.command(words).spawn().expect("it runs");
                std::thread::sleep(Duration::from_millis(400));
                let sent = Instant::now();
                signal(&process, name);
                ended(process, Duration::from_secs(2));
                sent.elapsed()
            });
            if time > ANSWER {
                late.push(format!("`{words}` {name}: {time:?}"));
            }
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// The time from SIGINT to the answer to the next line.
fn at_prompt(rules: &Rules, line: &str) -> Duration {
    use std::io::{BufRead, BufReader, Write};
    let mut command = rules.command("repl tic_tac_toe");
    let mut prompt = command.stdin(Stdio::piped()).spawn().expect("it runs");
    let mut input = prompt.stdin.take().expect("a pipe");
    let output = BufReader::new(prompt.stdout.take().expect("a pipe"));
    let mut answers = output.lines().map_while(Result::ok);
    let mut until = |answer: &str| answers.any(|line| line.contains(answer));
    writeln!(input, ":list draw").expect("typed");
    assert!(until("draw"), "the prompt answers");
    writeln!(input, "{line}").expect("typed");
    std::thread::sleep(Duration::from_millis(600));
    let sent = Instant::now();
    signal(&prompt, "-INT");
    writeln!(input, "X = heard.").expect("typed");
    // on a busy machine the signal may come before the line is read, and ends the prompt
    let time = if until("heard") { sent.elapsed() } else { Duration::MAX };
    prompt.kill().expect("killed");
    prompt.wait().expect("it ends");
    time
}

#[test]
fn the_prompt_answers_ctrl_c_while_it_loads_and_searches() {
    let rules = Rules::new();
    let mut late = Vec::new();
    for line in [
        ":open heavy.ludex",
        ":open long.ludex",
        ":open many.ludex",
        ":cover 100000",
        ":diff hex go",
        ":profile 1000",
    ] {
        let time = best(|| at_prompt(&rules, line));
        if time > ANSWER {
            late.push(format!("`{line}`: {time:?}"));
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

#[test]
fn clauses_of_some_hundred_goals_are_loaded_soon() {
    let rules = Rules::new();
    for game in ["long.ludex", "many.ludex"] {
        let output = rules.run(&format!("check {game}"), Duration::from_secs(30));
        assert_eq!(output.status.code(), Some(0), "{game}: {}", said(&output));
    }
}

#[test]
fn time_limits_are_kept_within_a_ply() {
    let rules = Rules::new();
    for engine in ENGINES {
        let words = format!("bench slow.ludex --seconds 0.2 --engine {engine}");
        rules.run(&words, Duration::from_millis(1500));
        rules.run("profile slow.ludex --seconds 0.2", Duration::from_millis(1500));
        // measures and scores of the games are taken within the time, too
        let words = format!("bench scores.ludex --seconds 0.4 --engine {engine}");
        let output = rules.run(&words, Duration::from_millis(1500));
        assert!(said(&output).contains("playouts"), "{}", said(&output));
    }
    // whether the checks of the clock fell into native code alone depended on the moment of the
    // compilation
    for _ in 0..4 {
        rules.run("bench equal.ludex --seconds 0.3", Duration::from_secs(5));
    }
}

#[test]
fn a_profile_tells_what_it_measured_before_ctrl_c() {
    let rules = Rules::new();
    for (game, clause) in [("slow.ludex", "busy"), ("tic_tac_toe", "move(mark(C))")] {
        let words = format!("profile {game} --seconds 60");
        let process = rules.command(&words).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(600));
        signal(&process, "-INT");
        let output = ended(process, Duration::from_secs(2)).expect("it ends");
        let text = said(&output);
        assert!(text.contains(clause), "{game}: {text}");
        assert!(text.contains("not measured as machine code"), "{game}: {text}");
    }
}

#[test]
fn games_without_plies_come_to_an_end() {
    let rules = Rules::new();
    for engine in ENGINES {
        for game in ["over.ludex", "tic_tac_toe --max-plies 0"] {
            let output =
                rules.run(&format!("profile {game} --seconds 0.2"), Duration::from_secs(3));
            assert!(said(&output).contains("no move was made"), "{}", said(&output));
            let words = format!("bench {game} --seconds 0.2 --engine {engine}");
            let output = rules.run(&words, Duration::from_secs(3));
            assert!(said(&output).contains("plies/playout"), "{}", said(&output));
        }
    }
    let output = rules.run("perft over.ludex 10000", Duration::from_secs(3));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 0\n");
    let output = rules.run("perft over.ludex 10001", Duration::from_secs(3));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn weights_and_ranks_are_told_of_by_every_engine() {
    let rules = Rules::new();
    for engine in ENGINES {
        for command in ["bench", "moves"] {
            let ask = |game: &str| {
                let output = rules
                    .run(&format!("{command} {game} --engine {engine}"), Duration::from_secs(9));
                assert_eq!(output.status.code(), Some(1), "{command} {game} {engine}");
                said(&output)
            };
            let told = ask("weights.ludex");
            assert!(told.contains("no event has a weight above 0"), "{engine}: {told}");
            let told = ask("ranks.ludex");
            assert!(told.contains("`low` is no number"), "{engine}: {told}");
        }
    }
}

/// Runs a command with four gigabytes of addresses.
fn confined(rules: &Rules, words: &str) -> Output {
    let line = format!("ulimit -v 4194304; exec {} {words}", env!("CARGO_BIN_EXE_ludex"));
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(rules.folder()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let process = command.spawn().expect("it runs");
    ended(process, Duration::from_secs(60)).expect("it ends")
}

#[test]
fn names_and_shared_terms_stay_within_the_memory() {
    let rules = Rules::new();
    for game in ["names.ludex", "shared.ludex"] {
        let output = confined(&rules, &format!("check {game}"));
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("static-budget"), "{}", said(&output));
    }
    for engine in ENGINES {
        let output = confined(&rules, &format!("moves shared_in_play.ludex --engine {engine}"));
        assert_eq!(output.status.code(), Some(1), "{engine}: {}", said(&output));
        assert!(said(&output).contains("play-budget"), "{engine}: {}", said(&output));
    }
}
