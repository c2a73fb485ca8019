//! Random games of the engine, compared with the reference evaluator position by position, and the
//! games that they are played with.

use std::time::{Duration, Instant};

use ludex::engine::{Fact, Game, Session, State};
use ludex::pipeline;
use ludex::program::{FluentId, FluentShape, LoadRequest, OptionDomain, Origin};
use ludex::reference::{Facts, Reference};
use ludex::syntax::print_term;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Positions that are compared even where the time is over.
const AT_LEAST: usize = 6;

/// Values of options that the rules refuse, with the code of what they say.
const REFUSED: [(&str, &str, &str, &str); 1] = [("breakthrough", "height", "3", "option-value")];

/// The game; `None` where it is refused as it should be.
pub fn load(request: &LoadRequest) -> Result<Option<Game>, String> {
    let expected = REFUSED.iter().find(|(game, option, value, _)| {
        matches!(&request.origin, Origin::Shipped(name) if name == game)
            && request.options.iter().any(|(n, v)| n == option && v == value)
    });
    match (pipeline::load(request), expected) {
        (Ok(loaded), None) => Ok(Some(loaded.game)),
        (Ok(_), Some((.., code))) => Err(format!("it is not refused by `{code}`")),
        (Err(failure), expected) => {
            let all = failure.diagnostics.iter().chain(&failure.request_faults);
            let codes: Vec<&str> = all.filter(|d| d.is_error()).map(|d| d.code).collect();
            match expected {
                Some((.., code)) if codes == [*code] => Ok(None),
                _ => Err(format!("it does not load: {failure:?}")),
            }
        }
    }
}

/// The defaults, and each other value of each option alone (of a range: its ends).
pub fn variants(request: &LoadRequest) -> Vec<Vec<(String, String)>> {
    let mut all = vec![Vec::new()];
    let Ok(checked) = pipeline::check(request) else { return all };
    for option in checked.program.options.values().filter(|o| !o.fixed) {
        let values: Vec<String> = match &option.domain {
            OptionDomain::Values(values) => values
                .iter()
                .filter(|v| **v != option.value)
                .map(|v| checked.program.values.show(*v))
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

/// Plays one random game of so many plies at most: at each position both have the same facts,
/// outcome and moves.
pub fn random_game(
    session: &mut Session,
    reference: &Reference,
    seed: u64,
    plies: usize,
    patience: Duration,
) -> Result<(), String> {
    let game = session.game();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = session.opening();
    let mut facts = reference.opening();
    let started = Instant::now();
    let mut line: Vec<String> = Vec::new();
    for ply in 0..plies {
        if ply >= AT_LEAST && started.elapsed() > patience {
            return Ok(());
        }
        let at = || format!("seed {seed}, after [{}]", line.join(", "));
        compare_facts(game, &state, &facts).map_err(|e| format!("{}: {e}", at()))?;
        let (hash, full) = session.hashes(&state);
        if hash != full {
            return Err(format!("{}: incremental hash {hash:x}, full hash {full:x}", at()));
        }
        let rebuilt = session.build(&game.facts(&state)).map_err(|f| format!("{}: {f:?}", at()))?;
        if rebuilt.words() != state.words() {
            return Err(format!("{}: a position rebuilt from its facts differs", at()));
        }
        let mine = session.outcome(&state).map_err(|f| format!("{}: {f:?}", at()))?;
        let theirs = reference.outcome(&facts).map_err(|f| format!("{}: {f:?}", at()))?;
        let shown = |kind, winners: &Vec<_>, scores: &Option<Vec<_>>, clause| {
            format!("{kind:?} {winners:?} {scores:?} {clause:?}")
        };
        let mine = mine.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause));
        let theirs = theirs.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause));
        if mine != theirs {
            return Err(format!("{}: outcome {mine:?}, by the reference {theirs:?}", at()));
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
            return Err(format!("{}: too many {extra:?}, missing {missing:?}", at()));
        }
        let chosen = &moves[rng.random_range(0..moves.len())].term;
        let next = session.play(&state, chosen).map_err(|f| format!("{}: {f:?}", at()))?;
        let next_facts = reference.play(&facts, chosen).map_err(|f| format!("{}: {f:?}", at()))?;
        let (Some(next), Some(next_facts)) = (next, next_facts) else {
            return Err(format!("{}: `{}` cannot be played", at(), print_term(chosen)));
        };
        if state != before {
            return Err(format!("{}: playing changed the position before", at()));
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
        let id = FluentId(number as u32);
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
