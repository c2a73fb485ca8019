//! The games written by hand (`benches/baseline`) have the rules of the rule files: the same
//! positions after each move of random games, as many sequences of moves, and playouts that are as
//! long and end as often in the same way.

#[path = "../benches/baseline/mod.rs"]
mod baseline;
mod statistics;

use std::collections::BTreeMap;

use baseline::{BASELINES, Baseline, Position, Random, Step};
use ludex::engine::{Game, Outcome, Perft, Session, State};
use ludex::pipeline;
use ludex::program::LoadRequest;
use statistics::Ended;

/// Random games of the engine, and of the game by hand.
const GAMES: u64 = 1_500;
const GAMES_BY_HAND: u64 = 30_000;
const MAX_PLIES: u64 = 1_000;
/// Games that are compared move by move.
const COMPARED: u64 = 8;
/// Sequences of moves are counted to a depth at which there are not more.
const SEQUENCES: u64 = 130_000;

fn game(by_hand: &Baseline) -> Game {
    let mut request = LoadRequest::shipped(by_hand.rules);
    for (name, value) in by_hand.options {
        request = request.with_option(name, value);
    }
    pipeline::load(&request).unwrap_or_else(|f| panic!("{}: {f:?}", by_hand.name)).game
}

/// Random games, and the plies of each, in which the writings of a pair are compared.
const PAIR_GAMES: u64 = 3;
const PAIR_PLIES: u64 = 90;

/// The two writings of each game in `benches/pairs/`: its name, the best one, the plain one.
fn pairs() -> Vec<(String, Game, Game)> {
    let folder = format!("{}/benches/pairs", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .expect("the pairs are there")
        .map(|file| file.expect("readable").path().display().to_string())
        .collect();
    files.sort();
    let pair = |files: &[String]| {
        let [best, plain] = files else { panic!("no pair: {files:?}") };
        let name = best.strip_suffix(".best.ludex").expect("the best writing");
        assert_eq!(Some(name), plain.strip_suffix(".plain.ludex"));
        let load = |path: &String| {
            let loaded = pipeline::load(&LoadRequest::path(path));
            loaded.unwrap_or_else(|f| panic!("{path}: {f:?}")).game
        };
        (name.to_string(), load(best), load(plain))
    };
    files.chunks(2).map(pair).collect()
}

/// Both have the same moves and outcomes along random games, and as many sequences of one and of
/// two moves.
#[test]
fn both_writings_of_a_pair_are_one_game() {
    let pairs = pairs();
    assert_eq!(pairs.len(), 58);
    for (name, best, plain) in &pairs {
        let (mut best, mut plain) = (Session::new(best), Session::new(plain));
        for seed in 0..PAIR_GAMES {
            let mut random = Random::seeded(seed);
            let (mut here, mut there) = (best.opening(), plain.opening());
            for ply in 0..PAIR_PLIES {
                let ended = |session: &mut Session<'_>, state: &State| {
                    let outcome = session.outcome(state).expect("no rule error");
                    outcome.map(|outcome| winners(session.game(), &outcome))
                };
                let over = ended(&mut best, &here);
                assert_eq!(over, ended(&mut plain, &there), "{name}: the outcome at ply {ply}");
                assert!(ply > 0 || over.is_none(), "{name}: over before its first move");
                if over.is_some() {
                    break;
                }
                if ply % 30 == 0 {
                    for depth in [1, 2] {
                        let count = |session: &mut Session<'_>, state: &State| {
                            let mut work = Perft::new(&|| false);
                            session.perft(state, depth, &mut work).expect("no rule error")
                        };
                        let counts = (count(&mut best, &here), count(&mut plain, &there));
                        assert_eq!(counts.0, counts.1, "{name}: perft {depth} at ply {ply}");
                    }
                }
                let moves = |session: &mut Session<'_>, state: &State| {
                    let all = session.legal_moves(state).expect("no rule error");
                    let mut all: Vec<_> = all
                        .into_iter()
                        .map(|m| (ludex::syntax::print_term(&m.term), m.term))
                        .collect();
                    all.sort_by(|a, b| a.0.cmp(&b.0));
                    all
                };
                let (mine, theirs) = (moves(&mut best, &here), moves(&mut plain, &there));
                let texts = |all: &[(String, _)]| -> Vec<String> {
                    all.iter().map(|(text, _)| text.clone()).collect()
                };
                assert_eq!(texts(&mine), texts(&theirs), "{name}: the moves at ply {ply}");
                let (_, drawn) = &mine[random.below(mine.len() as u32) as usize];
                let play = |session: &mut Session<'_>, state: &State| {
                    session.play(state, drawn).expect("no rule error").expect("a legal move")
                };
                (here, there) = (play(&mut best, &here), play(&mut plain, &there));
            }
        }
    }
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

/// Who has won, and what stands where.
type Seen = (Option<usize>, Vec<(String, usize)>);

fn seen(over: Option<usize>, mut contents: Vec<(String, usize)>) -> Seen {
    // whose turn it is does not matter at the end
    contents.retain(|(name, _)| over.is_none() || name != "turn");
    contents.sort();
    (over, contents)
}

fn winners(game: &Game, outcome: &Outcome) -> usize {
    let players = game.program.players.iter().enumerate();
    players.filter(|(_, p)| outcome.winners.contains(p)).map(|(i, _)| 1 << i).sum()
}

/// A position of the engine as [`Position::contents`] tells it.
fn contents(game: &Game, state: &State) -> Vec<(String, usize)> {
    let (values, players) = (&game.program.values, &game.program.players);
    let number = |value| players.iter().position(|p| *p == value);
    let mut all = vec![("turn".to_string(), number(game.turn(state)).expect("a player"))];
    for fact in game.facts(state) {
        let name = &game.program.fluents[fact.fluent.0 as usize].name;
        if let ("at" | "seeds", [site], Some(value)) = (name.as_str(), &fact.keys[..], fact.value) {
            let stones = || value.integer().and_then(|n| usize::try_from(n).ok());
            all.push((values.show(*site), number(value).or_else(stones).expect("a value")));
        }
    }
    all
}

/// Plays random games by hand and with the engine; after each move that there is both must see the
/// same.
fn compare<P: Position>(name: &str) {
    let game = game(BASELINES.iter().find(|b| b.name == name).expect(name));
    let mut session = Session::new(&game);
    let mut random = Random::seeded(7);
    for _ in 0..COMPARED {
        let (mut by_hand, mut state) = (P::opening(), session.opening());
        assert_eq!(seen(None, by_hand.contents()), seen(None, contents(&game, &state)), "{name}");
        for ply in 0..MAX_PLIES {
            let moves = by_hand.legal(&by_hand.candidates());
            let mut mine: Vec<(Seen, P)> = Vec::new();
            for number in 0..P::count(&moves) {
                let mut next = by_hand;
                let over = match next.play(&moves, number) {
                    Step::On => {
                        let open = P::count(&next.legal(&next.candidates())) > 0;
                        if open { None } else { Some(next.stuck()) }
                    }
                    Step::Over(winners) => Some(winners),
                    Step::Illegal => panic!("{name}, ply {ply}: an illegal move"),
                };
                mine.push((seen(over, next.contents()), next));
            }
            let mut theirs: Vec<(Seen, State)> = Vec::new();
            for (_, next) in session.successors(&state).expect("no rule error") {
                let outcome = session.outcome(&next).expect("no rule error");
                let over = outcome.map(|outcome| winners(&game, &outcome));
                theirs.push((seen(over, contents(&game, &next)), next));
            }
            mine.sort_by(|a, b| a.0.cmp(&b.0));
            theirs.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(
                mine.len(),
                theirs.len(),
                "{name}, ply {ply}: moves by hand and of the engine"
            );
            for (one, other) in mine.iter().zip(&theirs) {
                assert_eq!(one.0, other.0, "{name}, ply {ply}");
            }
            let drawn = random.below(mine.len() as u32) as usize;
            if mine[drawn].0.0.is_some() {
                break;
            }
            (by_hand, state) = (mine[drawn].1, theirs[drawn].1.clone());
        }
    }
}

#[test]
fn the_same_positions_after_each_move() {
    compare::<baseline::tic_tac_toe::TicTacToe>("tic_tac_toe");
    compare::<baseline::connect_four::ConnectFour>("connect_four");
    compare::<baseline::breakthrough::Breakthrough>("breakthrough");
    compare::<baseline::reversi::Reversi>("reversi");
    compare::<baseline::nerenchi::Nerenchi>("nerenchi");
    compare::<baseline::manalath::Manalath>("manalath");
    compare::<baseline::kalah::Kalah>("kalah");
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
