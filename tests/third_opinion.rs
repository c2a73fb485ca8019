//! SWI-Prolog as the third opinion: random games, and at each position the short meta-interpreter
//! under `tests/prolog/` must give the same legal moves and the same outcome.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ludex::engine::{Session, State};
use ludex::pipeline;
use ludex::program::{EndKind, LoadRequest};
use ludex::source::Library;
use ludex::syntax::{Term, TermKind, print_term, read_goal};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A Prolog process that answers for one game.
struct Prolog {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Prolog {
    fn start(path: &str, options: &[&str]) -> Prolog {
        let root = env!("CARGO_MANIFEST_DIR");
        let mut child = Command::new("swipl")
            .args([
                &format!("{root}/tests/prolog/ludex.pl"),
                "--",
                "serve",
                &format!("{root}/games/{path}"),
            ])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("swipl must be installed: `bash tests/run` does it");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Prolog { child, input, output }
    }

    /// The legal moves, sorted, and the outcome after a line of moves.
    fn ask(&mut self, line: &[String]) -> (Vec<String>, String) {
        writeln!(self.input, "moves([{}]).", line.join(", ")).expect("Prolog listens");
        let mut text = String::new();
        self.output.read_line(&mut text).expect("Prolog answers");
        let mut sources = ludex::source::Sources::new();
        let file = sources.add("answer", None, &text);
        let term = read_goal(&sources, file).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let Some([moves, outcome]) = term.args_of("answer", 2) else {
            panic!("not an answer: {text}")
        };
        let TermKind::List(items, _) = &moves.kind else { panic!("no list: {text}") };
        let mut shown: Vec<String> = items.iter().map(print_term).collect();
        shown.sort();
        (shown, print_term(outcome))
    }
}

impl Drop for Prolog {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn compare(name: &str, options: &[(&str, &str)], games: u64, plies: usize) {
    let file = Library::game(name).expect("a shipped game");
    let mut request = LoadRequest::shipped(name);
    for (option, value) in options {
        request = request.with_option(option, value);
    }
    let game = pipeline::load(&request).expect("the game loads").game;
    let shown: Vec<String> = options.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    let mut prolog = Prolog::start(file.path, &shown);
    let mut session = Session::new(&game);
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed + 1000);
        let mut state = session.opening();
        let mut line: Vec<String> = Vec::new();
        for _ in 0..plies {
            let (theirs, outcome) = prolog.ask(&line);
            let mine = outcome_text(&mut session, &state);
            assert_eq!(mine, outcome, "{name}: outcome after [{}]", line.join(", "));
            if mine != "ongoing" {
                break;
            }
            let moves = session.legal_moves(&state).expect("moves");
            let mut shown: Vec<String> = moves.iter().map(|m| print_term(&m.term)).collect();
            shown.sort();
            assert_eq!(shown, theirs, "{name}: legal moves after [{}]", line.join(", "));
            let chosen: &Term = &moves[rng.random_range(0..moves.len())].term;
            line.push(print_term(chosen));
            state = session.play(&state, chosen).expect("no rule error").expect("a legal move");
        }
    }
}

fn outcome_text(session: &mut Session<'_>, state: &State) -> String {
    let game = session.game();
    match session.outcome(state).expect("no rule error") {
        None => "ongoing".to_string(),
        Some(o) if o.kind == Some(EndKind::Over) && game.program.players.len() == 1 => {
            let scores: Vec<String> =
                o.scores.unwrap_or_default().iter().flatten().map(i64::to_string).collect();
            format!("over([{}])", scores.join(", "))
        }
        Some(o) if o.winners.is_empty() => "draw".to_string(),
        Some(o) => format!("wins([{}])", game.program.values.show_all(&o.winners)),
    }
}

#[test]
fn tic_tac_toe() {
    compare("tic_tac_toe", &[], 8, 20);
}

#[test]
fn nerenchi() {
    compare("nerenchi", &[], 2, 40);
}

#[test]
fn manalath() {
    compare("manalath", &[], 2, 16);
}

#[test]
fn nine_mens_morris() {
    compare("nine_mens_morris", &[], 1, 40);
    compare("nine_mens_morris", &[("removal", "same_move")], 1, 30);
}

#[test]
fn english_draughts() {
    compare("english_draughts", &[], 2, 40);
}

#[test]
fn mancala() {
    compare("mancala", &[], 2, 60);
    compare("mancala", &[("capture", "if_opposite_has_stones")], 2, 60);
}

#[test]
fn reversi() {
    compare("reversi", &[], 1, 20);
}

#[test]
fn a_game_of_chance() {
    compare("lines", &[], 1, 12);
}
