//! The games written by hand (`benches/baseline`) have the rules of the rule files: as many
//! sequences of moves, and random games that are as long and end as often in the same way.

#[path = "../benches/baseline/mod.rs"]
mod baseline;
mod statistics;

use std::collections::BTreeMap;

use baseline::{BASELINES, Baseline, Random};
use ludex::engine::{Game, Perft, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use statistics::Ended;

/// Random games of the engine, and of the game by hand.
const GAMES: u64 = 3_000;
const GAMES_BY_HAND: u64 = 30_000;
const MAX_PLIES: u64 = 1_000;
/// Sequences of moves are counted to a depth at which there are not more.
const SEQUENCES: u64 = 130_000;

fn game(by_hand: &Baseline) -> Game {
    let mut request = LoadRequest::shipped(by_hand.rules);
    for (name, value) in by_hand.options {
        request = request.with_option(name, value);
    }
    pipeline::load(&request).unwrap_or_else(|f| panic!("{}: {f:?}", by_hand.name)).game
}

fn ended_by_hand(by_hand: &Baseline) -> Ended {
    let mut random = Random::seeded(1);
    let mut ended = Ended::new();
    for _ in 0..GAMES_BY_HAND {
        let played = (by_hand.playout)(&mut random, MAX_PLIES);
        *ended.entry((played.winners, played.plies)).or_default() += 1;
    }
    ended
}

/// The counts by a part of the key.
fn by<K: Ord>(ended: &Ended, part: impl Fn(&(Option<usize>, u64)) -> K) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for (key, games) in ended {
        *counts.entry(part(key)).or_default() += games;
    }
    counts
}

/// The mean of the plies, and the square of its standard error.
fn mean(ended: &Ended) -> (f64, f64) {
    let games = ended.values().sum::<u64>() as f64;
    let moment = |power: i32| -> f64 {
        let sum = ended.iter().map(|((_, n), games)| (*n as f64).powi(power) * *games as f64);
        sum.sum::<f64>() / games
    };
    (moment(1), (moment(2) - moment(1).powi(2)) / games)
}

#[test]
fn as_many_sequences_of_moves() {
    for by_hand in &BASELINES {
        let game = game(by_hand);
        let mut session = Session::new(&game);
        let opening = session.opening();
        for depth in 1.. {
            let expected = (by_hand.perft)(depth);
            if expected > SEQUENCES {
                break;
            }
            let mut work = Perft::new(&|| false);
            let found = session.perft(&opening, depth, &mut work).expect("no rule error");
            assert_eq!(expected, found, "{}: perft {depth}", by_hand.name);
        }
    }
}

#[test]
fn random_games_end_alike() {
    for by_hand in &BASELINES {
        let name = by_hand.name;
        let game = game(by_hand);
        let mut session = Session::new(&game);
        let opening = session.opening();
        let one = ended_by_hand(by_hand);
        let other = statistics::ended(&mut session, &opening, GAMES, MAX_PLIES).expect(name);
        let shares = (by(&one, |key| key.0), by(&other, |key| key.0));
        let winners = statistics::between(&shares.0, &shares.1);
        assert!(winners.ordinary(), "{name}: other winners, {winners:?}: {shares:?}");
        let plies = statistics::between(&by(&one, |key| key.1), &by(&other, |key| key.1));
        assert!(plies.ordinary(), "{name}: other lengths, {plies:?}");
        let ((a, error_a), (b, error_b)) = (mean(&one), mean(&other));
        let error = (error_a + error_b).sqrt();
        assert!((a - b).abs() < 3.3 * error, "{name}: {a} plies by hand, not {b}");
    }
}
