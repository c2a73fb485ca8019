//! Machine code against the interpreter: every shipped game under every value of its options, and
//! small games of many mechanisms (`tests/native`, `tests/rules`) or written without regard to speed
//! (`benches/plain`).
//!
//! Both must give the same playouts with the same final positions, the same move counts, and at
//! the positions of random games the same moves with their results, outcomes, values and faults.
//! The small games are compared with the reference evaluator too. Machine code is run once more with
//! a check of each access to memory, which ends the process where one goes astray; and no function
//! may be refused by the code generator's verifier. `large` writes rule files that are too
//! large or too deep for machine code.

mod agreement;
mod large;

use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use ludex::engine::{
    Candidate, Execution, Fault, Game, Look, NativeRuns, Perft, PlayoutOptions, Playouts, Session,
    State,
};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::Reference;
use ludex::source::Library;
use ludex::syntax::print_term;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Playouts of a game, fewer where they take longer than [`PATIENCE`].
const GAMES: u64 = 30;
const MAX_PLIES: u64 = 150;
/// Time for the playouts, and for the positions, of one game.
const PATIENCE: Duration = Duration::from_millis(150);
/// Playouts with checks of memory.
const CHECKED: u64 = 5;
/// Positions of a random game that are compared.
const POSITIONS: usize = 40;
/// Depths of perft go on to this many nodes.
const NODES: u64 = 3000;

type Options = Vec<(String, String)>;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add =
        |name: &str, request: LoadRequest, variants: Vec<Options>, test: fn(&LoadRequest) -> _| {
            for options in variants {
                let shown: Vec<String> = options.iter().map(|(n, v)| format!("{n}={v}")).collect();
                let title = format!("{name} {}", shown.join(" "));
                let mut request = request.clone();
                request.options = options;
                trials.push(Trial::test(title.trim().to_string(), move || test(&request)));
            }
        };
    for file in Library::games() {
        let request = LoadRequest::shipped(file.name);
        let variants = agreement::variants(&request);
        add(file.name, request, variants, shipped);
    }
    for folder in ["tests/native", "tests/rules", "benches/plain"] {
        let path = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(path).expect("a folder of rule files");
        let mut paths: Vec<_> = files.filter_map(|e| e.ok().map(|e| e.path())).collect();
        paths.sort();
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
            let request = LoadRequest::path(&path);
            let variants = match folder {
                "tests/native" => agreement::variants(&request),
                // the reference would take too long on the whole board
                "benches/plain" if name == "quoridor" => {
                    let option = |name: &str| (name.to_string(), "3".to_string());
                    vec![vec![option("size"), option("walls")]]
                }
                _ => vec![Vec::new()],
            };
            add(&name, request, variants, small);
        }
    }
    for (name, text) in large::files() {
        trials.push(Trial::test(name, move || large(&text)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Rules that machine code is not made of whole: they are played as fast as they may be, refused
/// with a diagnostic, or exceed a budget, but the process goes on.
fn large(text: &str) -> Result<(), Failed> {
    let Ok(loaded) = pipeline::load(&LoadRequest::text("large", text)) else { return Ok(()) };
    Ok(compare(&loaded.game)?)
}

fn shipped(request: &LoadRequest) -> Result<(), Failed> {
    match agreement::load(request)? {
        Some(game) => {
            whole(&game)?;
            Ok(compare(&game)?)
        }
        None => Ok(()),
    }
}

/// All of a game is machine code.
fn whole(game: &Game) -> Result<(), String> {
    let report = game.code.report(&game.plan, &|| false).ok_or("no code generator")?;
    match report.left().next() {
        Some((function, lack)) => {
            Err(format!("{:?} is interpreted: {}", function.kind, lack.text(&game.plan)))
        }
        None => Ok(()),
    }
}

fn small(request: &LoadRequest) -> Result<(), Failed> {
    let game = pipeline::load(request).map_err(|f| format!("{:?}", f.diagnostics))?.game;
    whole(&game)?;
    compare(&game)?;
    let faulty = game.program.title.contains("(faulty)");
    if !faulty {
        let reference = Reference::new(game.program.clone(), game.tables.clone());
        for seed in 0..4 {
            let mut session = Session::with(&game, Execution::Native);
            agreement::random_game(&mut session, &reference, seed, POSITIONS, PATIENCE)?;
        }
    }
    Ok(())
}

fn compare(game: &Game) -> Result<(), String> {
    let mut plain = Session::with(game, Execution::Interpreted);
    let mut native = Session::with(game, Execution::Native);
    let mut adaptive = Session::with(game, Execution::Adaptive);
    let opening = plain.opening();
    let (wanted, games) = playouts(&mut plain, &opening, PATIENCE, GAMES);
    equal("playouts", &playouts(&mut native, &opening, Duration::MAX, games).0, &wanted)?;
    equal(
        "playouts, machine code later",
        &playouts(&mut adaptive, &opening, Duration::MAX, games).0,
        &wanted,
    )?;
    let mut checked = Session::with(game, Execution::Checked);
    let games = games.min(CHECKED);
    let same = playouts(&mut checked, &opening, Duration::MAX, games).0;
    let again = playouts(&mut plain, &opening, Duration::MAX, games).0;
    equal("playouts, with checks of memory", &same, &again)?;
    let runs = native.native_runs();
    if runs.flawed + checked.native_runs().flawed > 0 {
        return Err(format!("machine code does not verify: {runs:?}"));
    }
    let moved = wanted.0.as_ref().is_ok_and(|counts| counts.plies > 0);
    let interpreted = game.program.title.contains("(interpreted)");
    if moved && !interpreted && runs.moves == 0 {
        return Err(format!("machine code has not run: {runs:?}"));
    }
    if moved && interpreted && runs.moves > 0 {
        return Err(format!("the game's title says that it is interpreted: {runs:?}"));
    }
    if game.program.title.contains("(no bail-outs)") && runs.bail_outs > 0 {
        return Err(format!("machine code hands work back: {runs:?}"));
    }
    equal("runs of the interpreter", &plain.native_runs(), &NativeRuns::default())?;
    let started = Instant::now();
    for seed in 0..2 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = opening.clone();
        for ply in 0..POSITIONS {
            let at = |what: &str| format!("{what} at ply {ply} of game {seed}");
            let wanted = plain.outcome(&state);
            equal(&at("outcome"), &native.outcome(&state), &wanted)?;
            equal(&at("outcome, checked"), &checked.outcome(&state), &wanted)?;
            equal(&at("values"), &native.values(&state), &plain.values(&state))?;
            if wanted.is_ok() {
                // a walk does not look for all rule errors, so that machine code may answer
                let mut walk = native.walk(&state);
                let (values, scores) = (walk.values(), walk.scores());
                let mut walk = plain.walk(&state);
                equal(&at("values on a walk"), &values, &walk.values())?;
                equal(&at("scores on a walk"), &scores, &walk.scores())?;
            }
            if wanted.is_ok() {
                // a move that is found again has the key that it had
                let found = keys(&mut native, &state);
                equal(&at("keys of moves"), &found, &keys(&mut plain, &state))?;
            }
            equal(&at("moves"), &native.legal_moves(&state), &plain.legal_moves(&state))?;
            if wanted.is_err() {
                break;
            }
            let successors = plain.successors(&state);
            equal(&at("successors"), &native.successors(&state), &successors)?;
            equal(&at("hashes"), &native.hashes(&state), &plain.hashes(&state))?;
            equal(&at("successors, checked"), &checked.successors(&state), &successors)?;
            if ply % 8 == 0 {
                counts(&mut native, &mut plain, &state).map_err(|e| at(&e))?;
            }
            match (wanted, successors) {
                (Ok(None), Ok(next)) if !next.is_empty() => {
                    for (mv, after) in &next {
                        let (hash, full) = native.hashes(after);
                        equal(&at(&format!("hash after {mv:?}")), &hash, &full)?;
                    }
                    state = next[rng.random_range(0..next.len())].1.clone();
                }
                _ => break,
            }
            if started.elapsed() > PATIENCE {
                break;
            }
        }
    }
    Ok(())
}

/// The candidates of a position with their keys; `None` where no player is to move.
fn keys(session: &mut Session, state: &State) -> Option<Vec<(String, u64)>> {
    let mut walk = session.walk(state);
    if walk.look() != Ok(Look::Moves) {
        return None;
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let mut keys: Vec<(String, u64)> =
        list.iter().map(|one| (print_term(&walk.term(*one)), one.key)).collect();
    keys.sort_unstable();
    Some(keys)
}

type Played = (Result<Playouts, Fault>, Vec<State>);

/// So many random games at most, with their final positions; and how many there were.
fn playouts(session: &mut Session, from: &State, patience: Duration, games: u64) -> (Played, u64) {
    let started = Instant::now();
    let mut last = Vec::new();
    let mut played = 0;
    let result = session.playouts(
        from,
        &mut PlayoutOptions {
            seed: 1,
            max_plies: MAX_PLIES,
            go_on: &mut |so_far| {
                played = so_far.games;
                so_far.games < games && started.elapsed() < patience
            },
            finished: Some(&mut |state| last.push(state.clone())),
            seen: None,
        },
    );
    ((result, last), played)
}

/// Move counts, with the last moves made and with them counted only.
fn counts(native: &mut Session, plain: &mut Session, state: &State) -> Result<(), String> {
    let count = |session: &mut Session, depth, make_leaves| {
        let mut work = Perft::new(&|| false);
        work.make_leaves = make_leaves;
        session.perft(state, depth, &mut work)
    };
    let mut width = 1;
    for depth in 1..=3 {
        let wanted = count(plain, depth, false);
        equal(&format!("perft {depth}"), &count(native, depth, false), &wanted)?;
        let Ok(nodes) = wanted else { return Ok(()) };
        if nodes > NODES * 10 {
            return Ok(());
        }
        let made = count(plain, depth, true);
        equal(&format!("perft {depth}, leaves made"), &count(native, depth, true), &made)?;
        width = nodes / width.max(1);
        if nodes * width > NODES {
            return Ok(());
        }
        width = nodes;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, native: &T, plain: &T) -> Result<(), String> {
    if native == plain {
        return Ok(());
    }
    let short = |value: &T| -> String { format!("{value:?}").chars().take(600).collect() };
    Err(format!("{what}: native {}\ninterpreted {}", short(native), short(plain)))
}
