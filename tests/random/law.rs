//! Random games of the engine follow the exact law: each move as likely as any other, chance
//! events by their weights. The law is computed with the reference evaluator to a small depth.

use std::collections::BTreeMap;

use ludex::engine::{Game, PlayoutOptions, Session};
use ludex::reference::{Facts, Reference};

use crate::facts::{engine_facts, reference_facts, written};
use crate::report::Find;
use crate::{play, statistics};

const DEPTH: u32 = 3;
/// Positions up to which the law is worked out.
const NODES: usize = 400;
const DRAWN: u64 = 4000;
/// Quantile of the normal distribution that chance exceeds once in some thousand million times.
const NORMAL: f64 = 6.0;

/// What holds in a position, as one text.
type Key = String;

pub fn compare(game: &Game, seed: u64) -> Result<(), Find> {
    let reference = play::reference(game);
    let mut law: BTreeMap<Key, f64> = BTreeMap::new();
    let mut nodes = NODES;
    if !spread(game, &reference, &reference.opening(), DEPTH, 1.0, &mut law, &mut nodes) {
        return Ok(());
    }
    let mut drawn: BTreeMap<Key, u64> = BTreeMap::new();
    let mut session = Session::new(game);
    let opening = session.opening();
    let mut keep = |state: &ludex::engine::State| {
        let key = written(game, &engine_facts(game, state)).join("\n");
        *drawn.entry(key).or_default() += 1;
    };
    let mut options = PlayoutOptions {
        seed,
        max_plies: u64::from(DEPTH),
        go_on: &mut |counts| counts.games < DRAWN,
        finished: Some(&mut keep),
        seen: None,
    };
    if session.playouts(&opening, &mut options).is_err() {
        return Ok(());
    }
    let strange = drawn.keys().filter(|key| !law.contains_key(*key)).count();
    let wanted: BTreeMap<Key, u64> =
        law.into_iter().map(|(key, p)| (key, (p * 1e9) as u64)).collect();
    let found = statistics::between(&drawn, &wanted);
    let n = found.freedom.max(1) as f64;
    let spread = 2.0 / (9.0 * n);
    let limit = n * (1.0 - spread + NORMAL * spread.sqrt()).powi(3) + 1.0;
    if strange > 0 || found.statistic > limit {
        let message = format!("{found:?}, limit {limit:.1}, {strange} unknown to the reference");
        return Err(Find::new("law", message));
    }
    Ok(())
}

/// Adds the share of each position in which a game stops; false where there are too many or a
/// rule error is met.
fn spread(
    game: &Game,
    reference: &Reference,
    facts: &Facts,
    depth: u32,
    share: f64,
    law: &mut BTreeMap<Key, f64>,
    nodes: &mut usize,
) -> bool {
    if *nodes == 0 {
        return false;
    }
    *nodes -= 1;
    let Ok(outcome) = reference.outcome(facts) else { return false };
    if outcome.is_some() || depth == 0 {
        let key = written(game, &reference_facts(game, facts)).join("\n");
        *law.entry(key).or_default() += share;
        return true;
    }
    let (Ok(next), Ok(events)) = (reference.successors(facts), reference.chance_events(facts))
    else {
        return false;
    };
    if next.len() > *nodes {
        return false;
    }
    let weight = |i: usize| {
        let found = events.iter().find(|(e, _)| *e == next[i].0);
        found.map_or(1, |(_, w)| *w) as f64
    };
    let all: f64 = (0..next.len()).map(weight).sum();
    if all <= 0.0 {
        return false;
    }
    (0..next.len()).all(|i| {
        let part = share * weight(i) / all;
        part == 0.0 || spread(game, reference, &next[i].1, depth - 1, part, law, nodes)
    })
}
