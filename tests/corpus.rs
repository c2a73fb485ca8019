//! Every shipped game, under every value of its options, through every evaluator.
//!
//! Seeded random games are played with the compiled engine, and at each position the plain
//! reference evaluator must agree: legal moves or chance events with their weights, the outcome,
//! and every fact of the position after the move. Along the way: a position is not changed by
//! what is played from it, the incremental hash equals the one made anew, a position rebuilt from
//! its facts is the same, and every rule file printed and read again gives the same terms.
//! Random games of both also follow the same law (`chance`).

mod agreement;
mod chance;
mod statistics;

use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use ludex::engine::{Execution, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::Reference;
use ludex::source::{Library, Sources};
use ludex::syntax::{print_clause, read_file};

/// Random games for each way of setting the options.
const SEEDS: u64 = 2;
/// Plies of a random game that are compared.
const PLIES: usize = 60;
/// A slow game is left after so long, and after half of it where options are set.
const PATIENCE: Duration = Duration::from_secs(4);
/// Boards on which the reference plays whole games in a second or two: game, option, value.
const SMALL: [(&str, &str, &str); 1] = [("go", "size", "5")];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for file in Library::files() {
        trials.push(Trial::test(format!("reprint {}", file.path), move || {
            reprint(file.path, file.text)
        }));
    }
    for file in Library::games() {
        let name = file.name;
        trials.push(Trial::test(format!("chance {name}"), move || random_games(name)));
        for options in agreement::variants(&LoadRequest::shipped(name)) {
            let shown: Vec<String> = options.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let title = format!("{name} {}", shown.join(" "));
            trials.push(Trial::test(title.trim().to_string(), move || agree(name, &options)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn reprint(path: &str, text: &str) -> Result<(), Failed> {
    let mut sources = Sources::new();
    let first = sources.add(path, None, text);
    let (syntax, faults) = read_file(&sources, first);
    if !faults.is_empty() {
        return Err(format!("{path} has syntax errors").into());
    }
    let printed: Vec<String> = syntax.clauses.iter().map(print_clause).collect();
    let second = sources.add("printed", None, &printed.join("\n"));
    let (again, faults) = read_file(&sources, second);
    if !faults.is_empty() || again.clauses.len() != syntax.clauses.len() {
        return Err(format!("{path} does not read back").into());
    }
    for (a, b) in syntax.clauses.iter().zip(&again.clauses) {
        if a.head != b.head || a.body != b.body {
            return Err(
                format!("{path}: `{}` reads back as another clause", print_clause(a)).into()
            );
        }
    }
    Ok(())
}

fn agree(name: &str, options: &[(String, String)]) -> Result<(), Failed> {
    let mut request = LoadRequest::shipped(name);
    request.options = options.to_vec();
    let Some(game) = agreement::load(&request)? else { return Ok(()) };
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    let patience = if options.is_empty() { PATIENCE } else { PATIENCE / 2 };
    for seed in 0..SEEDS {
        // machine code has no part in a single game, if it is not asked for
        let execution = if seed == 0 { Execution::Adaptive } else { Execution::Native };
        let mut session = Session::with(&game, execution);
        agreement::random_game(&mut session, &reference, seed, PLIES, patience)?;
    }
    Ok(())
}

fn random_games(name: &str) -> Result<(), Failed> {
    let mut request = LoadRequest::shipped(name);
    for (_, option, value) in SMALL.iter().filter(|(of, ..)| *of == name) {
        request = request.with_option(option, value);
    }
    let game = pipeline::load(&request).map_err(|f| format!("{f:?}"))?.game;
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    chance::same_law(&game, &reference)
}
