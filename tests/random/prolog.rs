//! SWI-Prolog as the third opinion on a random rule file: the same legal moves, outcome and rule
//! errors along a random game. One process is asked about one file after the other.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ludex::engine::{Game, Session, State};
use ludex::program::EndKind;
use ludex::source::Sources;
use ludex::syntax::{Term, TermKind, print_term, read_goal};

use crate::generate::Dice;
use crate::report::Find;

const PLIES: usize = 8;

pub struct Prolog {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Prolog {
    fn start() -> std::io::Result<Prolog> {
        let program = format!("{}/tests/prolog/ludex.pl", env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("swipl")
            .args(["--stack-limit=512m", &program, "--", "serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Prolog { child, input, output: BufReader::new(output) })
    }

    fn ask(&mut self, question: &str) -> Option<Term> {
        writeln!(self.input, "{question}.").ok()?;
        let mut text = String::new();
        self.output.read_line(&mut text).ok()?;
        let mut sources = Sources::new();
        let file = sources.add("answer", None, &text);
        read_goal(&sources, file).ok()
    }
}

impl Drop for Prolog {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// May Prolog be asked? `redefine` keeps the place of what it replaces, and `/` must be exact:
/// the meta-interpreter knows neither.
pub fn within(features: &[String]) -> bool {
    !features.iter().any(|f| f == "redefine/1" || f == "//2")
}

/// What one side says of a position: the moves and the outcome, or the code of a rule error.
#[derive(Debug, PartialEq)]
enum Said {
    Position(Vec<String>, String),
    Error(String),
}

/// Compares along a random game. False where Prolog cannot say: the file is not within its
/// subset, or takes it too long.
pub fn compare(
    prolog: &mut Option<Prolog>,
    game: &Game,
    path: &Path,
    seed: u64,
) -> Result<bool, Find> {
    if prolog.is_none() {
        let started = Prolog::start();
        *prolog = Some(started.map_err(|e| Find::new("prolog: not installed", e.to_string()))?);
    }
    let Some(server) = prolog.as_mut() else { return Ok(false) };
    let loaded = server.ask(&format!("load('{}')", path.display()));
    let Some(loaded) = loaded else {
        *prolog = None;
        return Ok(false);
    };
    if loaded.args_of("loaded", 0).is_none() {
        return match cannot_tell(&loaded) {
            true => Ok(false),
            false => Err(Find::new("prolog: does not load", print_term(&loaded))),
        };
    }
    let mut session = Session::new(game);
    let mut state = session.opening();
    let mut dice = Dice::new(seed);
    let mut line: Vec<String> = Vec::new();
    for _ in 0..PLIES {
        let Some(answer) = server.ask(&format!("moves([{}])", line.join(", "))) else {
            *prolog = None;
            return Ok(false);
        };
        let Some(theirs) = said(&answer)? else { return Ok(!line.is_empty()) };
        let (mine, moves) = engine(&mut session, &state);
        // Prolog does not look at weights
        if mine == Said::Error("no-weight".to_string()) {
            break;
        }
        // which of the errors of several moves is raised is not laid down
        if let (Said::Error(_), Said::Error(_)) = (&mine, &theirs) {
            break;
        }
        if mine != theirs {
            let class = match (&mine, &theirs) {
                (Said::Position(_, a), Said::Position(_, b)) if a != b => "outcome".to_string(),
                (Said::Position(..), Said::Position(..)) => "moves".to_string(),
                (Said::Error(code), _) => format!("{code} of engine only"),
                (_, Said::Error(code)) => format!("{code} of Prolog only"),
            };
            let line = line.join(", ");
            let message = format!("after [{line}]: engine {mine:?}, Prolog {theirs:?}");
            return Err(Find::new(format!("prolog: {class}"), message));
        }
        let ongoing = matches!(&mine, Said::Position(_, outcome) if outcome == "ongoing");
        if !ongoing || moves.is_empty() {
            break;
        }
        let chosen = &moves[dice.below(moves.len())];
        line.push(print_term(chosen));
        match session.play(&state, chosen) {
            Ok(Some(next)) => state = next,
            _ => break,
        }
    }
    Ok(true)
}

/// Is an answer an error that says nothing of the rules: too long, or too large?
fn cannot_tell(answer: &Term) -> bool {
    let Some([reason]) = answer.args_of("error", 1) else { return false };
    ["time", "resource_error"].iter().any(|kind| {
        let text = print_term(reason);
        let text = text.trim_matches('\'');
        text == *kind || text.starts_with(&format!("{kind}("))
    })
}

/// What Prolog says; `None` where it cannot tell.
fn said(answer: &Term) -> Result<Option<Said>, Find> {
    let unknown = || Find::new("prolog: no answer", print_term(answer));
    if let Some([reason]) = answer.args_of("error", 1) {
        if cannot_tell(answer) {
            return Ok(None);
        }
        let known = ["value_outside_domain", "ambiguous_move", "arithmetic"];
        let code = known.iter().find(|code| reason.args_of(code, 0).is_some());
        let code = code.ok_or_else(unknown)?;
        return Ok(Some(Said::Error(code.replace('_', "-"))));
    }
    let Some([moves, outcome]) = answer.args_of("answer", 2) else { return Err(unknown()) };
    let TermKind::List(items, _) = &moves.kind else { return Err(unknown()) };
    let mut shown: Vec<String> = items.iter().map(print_term).collect();
    shown.sort();
    let outcome = match outcome.args_of("wins", 1) {
        Some([Term { kind: TermKind::List(winners, _), .. }]) => {
            let mut winners: Vec<String> = winners.iter().map(print_term).collect();
            winners.sort();
            if winners.is_empty() { "draw".to_string() } else { format!("wins {winners:?}") }
        }
        _ => print_term(outcome),
    };
    Ok(Some(Said::Position(shown, outcome)))
}

/// What the engine says, and the moves that may be played.
fn engine(session: &mut Session<'_>, state: &State) -> (Said, Vec<Term>) {
    let game = session.game();
    let code = |fault: ludex::engine::Fault| {
        let code = fault.diagnostic(&game.plan, &game.program).code;
        (Said::Error(code.to_string()), Vec::new())
    };
    let outcome = match session.outcome(state) {
        Ok(outcome) => outcome,
        Err(fault) => return code(fault),
    };
    let outcome = match outcome {
        None => "ongoing".to_string(),
        Some(o) if o.kind == Some(EndKind::Over) && game.program.players.len() == 1 => {
            let scores: Vec<String> =
                o.scores.unwrap_or_default().iter().flatten().map(i64::to_string).collect();
            format!("over([{}])", scores.join(", "))
        }
        Some(o) if o.winners.is_empty() => "draw".to_string(),
        Some(o) => {
            let mut winners: Vec<String> =
                o.winners.iter().map(|w| game.program.values.show(*w)).collect();
            winners.sort();
            format!("wins {winners:?}")
        }
    };
    if outcome != "ongoing" {
        return (Said::Position(Vec::new(), outcome), Vec::new());
    }
    match session.legal_moves(state) {
        Ok(moves) => {
            let mut shown: Vec<String> = moves.iter().map(|m| print_term(&m.term)).collect();
            shown.sort();
            let playable = moves.into_iter().filter(|m| m.weight > 0).map(|m| m.term);
            (Said::Position(shown, outcome), playable.collect())
        }
        Err(fault) => code(fault),
    }
}
