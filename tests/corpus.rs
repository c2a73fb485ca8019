//! Every shipped game, under every value of its options, through every evaluator.
//!
//! Seeded random games are played with the compiled engine, and at each position the plain
//! reference evaluator must agree: legal moves or chance events with their weights, the outcome,
//! and every fact of the position after the move. Along the way: a position is not changed by
//! what is played from it, the incremental hash equals the one made anew, a position rebuilt from
//! its facts is the same, and every rule file printed and read again gives the same terms.
//! Random games of both also follow the same law (`chance`).

mod chance;
mod statistics;

use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use ludex::engine::{Fact, Game, Session, State};
use ludex::explain::{Facts, Reference};
use ludex::pipeline;
use ludex::program::{FluentShape, LoadRequest, OptionDomain};
use ludex::source::{Library, Sources};
use ludex::syntax::{print_clause, print_term, read_file};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random games for each way of setting the options.
const SEEDS: u64 = 2;
/// Plies of a random game that are compared.
const PLIES: usize = 60;
/// A slow game is left after so long, but not before a few positions were compared.
const PATIENCE: Duration = Duration::from_secs(4);
const AT_LEAST: usize = 6;
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
        for options in variants(name) {
            let shown: Vec<String> = options.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let title = format!("{name} {}", shown.join(" "));
            trials.push(Trial::test(title.trim().to_string(), move || agree(name, &options)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The defaults, and each other value of each option alone (of a range: its ends).
fn variants(name: &str) -> Vec<Vec<(String, String)>> {
    let mut all = vec![Vec::new()];
    let Ok(grounded) = pipeline::ground(&LoadRequest::shipped(name)) else { return all };
    for option in grounded.program.options.values().filter(|o| !o.fixed) {
        let values: Vec<String> = match &option.domain {
            OptionDomain::Values(values) => values
                .iter()
                .filter(|v| **v != option.value)
                .map(|v| grounded.program.values.show(*v))
                .collect(),
            OptionDomain::Range(lo, hi) => {
                let mut ends = vec![(*lo).max(3).min(*hi), (*hi).min(9).max(*lo)];
                ends.dedup();
                ends.iter().map(i64::to_string).collect()
            }
        };
        all.extend(values.into_iter().map(|v| vec![(option.name.clone(), v)]));
    }
    all
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
    let game = match pipeline::load(&request) {
        Ok(loaded) => loaded.game,
        // a board that is too small for the game may say so, but must not panic
        Err(failure) if !failure.diagnostics.is_empty() && !options.is_empty() => return Ok(()),
        Err(failure) => return Err(format!("{failure:?}").into()),
    };
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    for seed in 0..SEEDS {
        random_game(&game, &reference, seed)?;
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

fn random_game(game: &Game, reference: &Reference, seed: u64) -> Result<(), Failed> {
    let mut session = Session::new(game);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = session.opening();
    let mut facts = reference.opening();
    let started = Instant::now();
    let mut line: Vec<String> = Vec::new();
    for ply in 0..PLIES {
        if ply >= AT_LEAST && started.elapsed() > PATIENCE {
            return Ok(());
        }
        let at = || format!("seed {seed}, after [{}]", line.join(", "));
        compare_facts(game, &state, &facts).map_err(|e| format!("{}: {e}", at()))?;
        let (hash, full) = session.hashes(&state);
        if hash != full {
            return Err(format!("{}: incremental hash {hash:x}, full hash {full:x}", at()).into());
        }
        let rebuilt = session.build(&game.facts(&state)).map_err(|f| format!("{}: {f:?}", at()))?;
        if rebuilt.words() != state.words() {
            return Err(format!("{}: a position rebuilt from its facts differs", at()).into());
        }
        let mine = session.outcome(&state).map_err(|f| format!("{}: {f:?}", at()))?;
        let theirs = reference.outcome(&facts).map_err(|f| format!("{}: {f:?}", at()))?;
        let shown = |kind, winners: &Vec<_>, scores: &Option<Vec<_>>, clause| {
            format!("{kind:?} {winners:?} {scores:?} {clause:?}")
        };
        let mine = mine.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause));
        let theirs = theirs.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause));
        if mine != theirs {
            return Err(format!("{}: outcome {mine:?}, by the reference {theirs:?}", at()).into());
        }
        if mine.is_some() {
            return Ok(());
        }
        let before = state.clone();
        let moves = session.legal_moves(&state).map_err(|f| format!("{}: {f:?}", at()))?;
        let mut mine: Vec<(String, i64)> =
            moves.iter().map(|m| (print_term(&m.term), m.weight)).collect();
        mine.sort();
        let mut theirs: Vec<(String, i64)> = reference
            .legal_moves(&facts)
            .map_err(|f| format!("{}: {f:?}", at()))?
            .iter()
            .map(|m| (print_term(m), 1))
            .collect();
        if theirs.is_empty() {
            let events = reference.chance_events(&facts).map_err(|f| format!("{}: {f:?}", at()))?;
            theirs = events.iter().map(|(m, w)| (print_term(m), *w)).collect();
        }
        theirs.sort();
        if mine != theirs {
            let extra: Vec<_> = mine.iter().filter(|m| !theirs.contains(m)).collect();
            let missing: Vec<_> = theirs.iter().filter(|m| !mine.contains(m)).collect();
            return Err(format!("{}: too many {extra:?}, missing {missing:?}", at()).into());
        }
        let chosen = &moves[rng.random_range(0..moves.len())].term;
        let next = session.play(&state, chosen).map_err(|f| format!("{}: {f:?}", at()))?;
        let next_facts = reference.play(&facts, chosen).map_err(|f| format!("{}: {f:?}", at()))?;
        let (Some(next), Some(next_facts)) = (next, next_facts) else {
            return Err(format!("{}: `{}` cannot be played", at(), print_term(chosen)).into());
        };
        if state != before {
            return Err(format!("{}: playing changed the position before", at()).into());
        }
        line.push(print_term(chosen));
        (state, facts) = (next, next_facts);
    }
    Ok(())
}

/// Both positions hold the same.
fn compare_facts(game: &Game, state: &State, facts: &Facts) -> Result<(), String> {
    let mut mine = game.facts(state);
    let mut theirs = Vec::new();
    for (number, fluent) in game.program.fluents.iter().enumerate() {
        let id = ludex::program::FluentId(number as u32);
        for (keys, value) in facts.iter(id) {
            let value = match fluent.shape {
                FluentShape::Set => None,
                FluentShape::Map { .. } => Some(value),
            };
            theirs.push(Fact { fluent: id, keys: keys.to_vec(), value });
        }
    }
    mine.sort();
    theirs.sort();
    if mine == theirs {
        return Ok(());
    }
    let show = |fact: &Fact| {
        let name = &game.program.fluents[fact.fluent.0 as usize].name;
        let values = &game.program.values;
        format!(
            "{name}({}) = {:?}",
            values.show_all(&fact.keys),
            fact.value.map(|v| values.show(v))
        )
    };
    let extra: Vec<String> = mine.iter().filter(|f| !theirs.contains(f)).map(show).collect();
    let missing: Vec<String> = theirs.iter().filter(|f| !mine.contains(f)).map(show).collect();
    Err(format!("the position has too much {extra:?}, misses {missing:?}"))
}
