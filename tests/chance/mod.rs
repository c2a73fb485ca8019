//! Random games of the compiled engine follow the law of the reference evaluator's: each legal
//! move is drawn as often as any other, each chance event by its weight, and games end as often
//! in each way and after as many plies.
//!
//! The reference is slow, so its games begin a few plies before the end of one, and where it is
//! slower still the board is small.

use std::collections::{BTreeMap, HashMap};

use libtest_mimic::Failed;
use ludex::engine::{Game, PlayoutOptions, Session, State};
use ludex::reference::{Facts, Reference};
use ludex::syntax::Term;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::statistics::{self, Ended};

/// First moves of the engine for each that there is, but at least so many in all.
const DRAWN: u64 = 12;
const DRAWN_AT_LEAST: u64 = 2_000;
/// Games to their end: by the engine and by the reference, and how far before the end they begin
/// and are stopped.
const GAMES: u64 = 2_000;
const REFERENCE_GAMES: u64 = 120;
const BEFORE: usize = 3;
const PLIES: u64 = 5;
const LONGEST: usize = 1_000;
/// A law stands for a series of so many for each unit of weight.
const LAW: u64 = 1_000_000;

pub fn same_law(game: &Game, reference: &Reference) -> Result<(), Failed> {
    let mut session = Session::new(game);
    let opening = session.opening();
    first_moves(&mut session, reference, &opening, &reference.opening())?;
    let (state, facts) = near_the_end(&mut session, reference)?;
    first_moves(&mut session, reference, &state, &facts)?;
    let mine = statistics::ended(&mut session, &state, GAMES, PLIES)?;
    let theirs = ended_by_reference(game, reference, &facts)?;
    let found = statistics::between(&mine, &theirs);
    match found.ordinary() {
        true => Ok(()),
        false => Err(format!("games end otherwise: {found:?}, {mine:?}, {theirs:?}").into()),
    }
}

/// The positions after one move are drawn as often as the reference's weights say.
fn first_moves(
    session: &mut Session<'_>,
    reference: &Reference,
    state: &State,
    facts: &Facts,
) -> Result<(), Failed> {
    let mut law: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    for (term, weight) in choices(reference, facts)? {
        let next = session.play(state, &term).map_err(|f| format!("{f:?}"))?;
        let next = next.ok_or_else(|| format!("`{term:?}` cannot be played"))?;
        *law.entry(next.words().to_vec()).or_default() += weight * LAW;
    }
    let wanted = DRAWN_AT_LEAST.max(DRAWN * law.len() as u64);
    let mut drawn: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    let mut keep = |state: &State| *drawn.entry(state.words().to_vec()).or_default() += 1;
    let mut options = PlayoutOptions {
        seed: 1,
        max_plies: 1,
        go_on: &mut |counts| counts.games < wanted,
        finished: Some(&mut keep),
        seen: None,
    };
    session.playouts(state, &mut options).map_err(|f| format!("{f:?}"))?;
    let found = statistics::between(&drawn, &law);
    let strange = drawn.keys().filter(|next| !law.contains_key(*next)).count();
    match found.ordinary() && strange == 0 {
        true => Ok(()),
        false => Err(format!("first moves: {found:?}, {strange} unknown to the reference").into()),
    }
}

/// Moves, or chance events, and their weights.
fn choices(reference: &Reference, facts: &Facts) -> Result<Vec<(Term, u64)>, Failed> {
    let moves = reference.legal_moves(facts).map_err(|f| format!("{f:?}"))?;
    if !moves.is_empty() {
        return Ok(moves.into_iter().map(|m| (m, 1)).collect());
    }
    let events = reference.chance_events(facts).map_err(|f| format!("{f:?}"))?;
    Ok(events.into_iter().map(|(m, weight)| (m, weight.max(0) as u64)).collect())
}

/// A position a few plies before the end of a random game.
fn near_the_end(
    session: &mut Session<'_>,
    reference: &Reference,
) -> Result<(State, Facts), Failed> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut line = vec![session.opening()];
    while line.len() < LONGEST {
        let state = line.last().expect("the opening at least");
        if session.outcome(state).map_err(|f| format!("{f:?}"))?.is_some() {
            break;
        }
        let moves = session.legal_moves(state).map_err(|f| format!("{f:?}"))?;
        let chosen = &moves[random.random_range(0..moves.len())].term;
        let next = session.play(state, chosen).map_err(|f| format!("{f:?}"))?;
        line.push(next.ok_or("a legal move cannot be played")?);
    }
    let game = session.game();
    let facts = |state: &State, past: &[Facts]| {
        let all = game.facts(state);
        reference.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), past)
    };
    line.truncate(line.len().saturating_sub(BEFORE).max(1));
    let state = line.pop().expect("the opening at least");
    let past: Vec<Facts> = line.iter().map(|state| facts(state, &[])).collect();
    let facts = facts(&state, &past);
    Ok((state, facts))
}

/// What the reference says of a position: who has won, or where moves with their weights lead.
enum Known {
    Over(usize),
    Open(Vec<(u64, Facts)>),
}

fn ended_by_reference(game: &Game, reference: &Reference, start: &Facts) -> Result<Ended, Failed> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut known: HashMap<Facts, Known> = HashMap::new();
    let mut ended = Ended::new();
    for _ in 0..REFERENCE_GAMES {
        let mut facts = start.clone();
        let mut plies = 0;
        let winners = loop {
            if !known.contains_key(&facts) {
                known.insert(facts.clone(), ask(game, reference, &facts)?);
            }
            let next = match &known[&facts] {
                Known::Over(winners) => break Some(*winners),
                Known::Open(_) if plies == PLIES => break None,
                Known::Open(next) => next,
            };
            let mut drawn = random.random_range(0..next.iter().map(|(w, _)| w).sum::<u64>());
            let chosen = next.iter().find(|(weight, _)| {
                let found = drawn < *weight;
                drawn = drawn.saturating_sub(*weight);
                found
            });
            facts = chosen.expect("the weights add up").1.clone();
            plies += 1;
        };
        *ended.entry((winners, plies)).or_default() += 1;
    }
    Ok(ended)
}

fn ask(game: &Game, reference: &Reference, facts: &Facts) -> Result<Known, Failed> {
    if let Some(outcome) = reference.outcome(facts).map_err(|f| format!("{f:?}"))? {
        let players = game.program.players.iter().enumerate();
        let won = players.filter(|(_, p)| outcome.winners.contains(p)).map(|(i, _)| 1 << i);
        return Ok(Known::Over(won.sum()));
    }
    let next = reference.successors(facts).map_err(|f| format!("{f:?}"))?;
    let events = match game.plan.chance.is_empty() {
        true => Vec::new(),
        false => reference.chance_events(facts).map_err(|f| format!("{f:?}"))?,
    };
    let weight = |mv: &Term| events.iter().find(|(e, _)| e == mv).map_or(1, |(_, w)| *w as u64);
    Ok(Known::Open(next.into_iter().map(|(mv, facts)| (weight(&mv), facts)).collect()))
}
