//! The computer players: they stand on the rules, find what is there to be found, and answer the same each
//! time.

use std::time::Duration;

use ludex::engine::{Candidate, Game, Look, Random, Session, State};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::record::Weights;
use ludex::search::evaluation::{Evaluation, Reader};
use ludex::search::{Limits, Memory, Player, Question, choose};
use ludex::source::Library;
use ludex::syntax::print_term;

fn game(name: &str) -> Game {
    let loaded = pipeline::load(&LoadRequest::shipped(name));
    loaded.unwrap_or_else(|_| panic!("{name} does not load")).game
}

/// A position after some random moves that is not over.
fn position(session: &mut Session, random: &mut Random, plies: u64) -> State {
    let mut state = session.opening();
    for _ in 0..plies {
        let next = session.successors(&state).expect("moves");
        if next.is_empty() {
            break;
        }
        let (_, after) = &next[random.below(next.len() as u64) as usize];
        if session.outcome(after).expect("an outcome").is_some() {
            break;
        }
        state = after.clone();
    }
    state
}

const OF_ALL_KINDS: [&str; 12] = [
    "chess",
    "english_draughts",
    "nine_mens_morris",
    "kalah",
    "backgammon",
    "go",
    "reversi",
    "kei_yen",
    "shogi",
    "hmaki",
    "pentago",
    "fanorona",
];

#[test]
fn a_walk_makes_and_unmakes_the_legal_moves() {
    for name in OF_ALL_KINDS {
        let game = game(name);
        let mut session = Session::new(&game);
        let mut random = Random::seeded(7);
        for round in 0..12 {
            let state = position(&mut session, &mut random, round * 3);
            let wanted = session.successors(&state).expect("moves");
            let mut walk = session.walk(&state);
            if matches!(walk.look().expect("a look"), Look::Over(_)) {
                continue;
            }
            let mut list: Vec<Candidate> = Vec::new();
            walk.candidates(&mut list);
            let (words, hash) = (walk.words().to_vec(), walk.hash());
            let mut made = Vec::new();
            for candidate in &list {
                let term = walk.term(*candidate);
                if walk.make(*candidate).expect("a move") {
                    made.push((term, walk.state()));
                    walk.unmake();
                }
                assert_eq!(walk.words(), words, "{name}: a move is not taken back");
                assert_eq!(walk.hash(), hash, "{name}: the hash is not taken back");
            }
            let mut keys: Vec<u64> = list.iter().map(|candidate| candidate.key).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), list.len(), "{name}: two moves have one key");
            drop(walk);
            assert_eq!(made.len(), wanted.len(), "{name}: the number of moves");
            for (mv, after) in wanted {
                let same = made.iter().find(|(term, _)| *term == mv.term);
                let (_, state) = same.unwrap_or_else(|| panic!("{name}: a move is missing"));
                assert_eq!(game.facts(state), game.facts(&after), "{name}: another position");
            }
        }
    }
}

fn question<'a>(state: &'a State, player: Player, work: u64) -> Question<'a> {
    Question {
        state,
        advice: &[],
        player,
        limits: Limits { time: None, playouts: Some(work) },
        seed: 1,
        interrupted: &|| false,
    }
}

#[test]
fn a_move_that_wins_at_once_is_played() {
    let mut found = 0;
    for name in ["tic_tac_toe", "connect_four", "breakthrough", "hex", "yavalath", "chess"] {
        let game = game(name);
        let mut session = Session::new(&game);
        let mut memory = Memory::default();
        let mut random = Random::seeded(11);
        for round in 0..40 {
            let state = position(&mut session, &mut random, 8 + round * 3);
            let me = game.turn(&state);
            let mut winning = Vec::new();
            for (mv, after) in session.successors(&state).expect("moves") {
                let outcome = session.outcome(&after).expect("an outcome");
                if outcome.is_some_and(|outcome| outcome.winners == [me]) {
                    winning.push(mv.term);
                }
            }
            if winning.is_empty() {
                continue;
            }
            for player in [Player::AlphaBeta, Player::MonteCarlo] {
                let choice = choose(&mut session, &mut memory, &question(&state, player, 20));
                let choice = choice.expect("no rule error").expect("a move");
                assert!(winning.contains(&choice.term), "{name}: {player:?} misses a win");
                assert!(choice.reason.contains("wins") || winning.len() == 1, "{}", choice.reason);
                found += 1;
            }
        }
    }
    assert!(found > 60, "only {found} positions have a winning move");
}

/// The value of a position for the player to move by plain search of everything: 1, 0 or -1.
fn brute(session: &mut Session, state: &State) -> i32 {
    let me = session.game().turn(state);
    if let Some(outcome) = session.outcome(state).expect("an outcome") {
        return match outcome.winners.as_slice() {
            [] => 0,
            [winner] if *winner == me => 1,
            _ => -1,
        };
    }
    let next = session.successors(state).expect("moves");
    let values = next.into_iter().map(|(_, after)| {
        let same = session.game().turn(&after) == me;
        let value = brute(session, &after);
        if same { value } else { -value }
    });
    values.max().unwrap_or(0)
}

#[test]
fn small_games_are_played_as_a_search_of_everything_says() {
    let game = game("tic_tac_toe");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut random = Random::seeded(3);
    for round in 0..60 {
        let state = position(&mut session, &mut random, 2 + round % 5);
        let best = brute(&mut session, &state);
        for player in [Player::AlphaBeta, Player::MonteCarlo] {
            let choice = choose(&mut session, &mut memory, &question(&state, player, 3000));
            let choice = choice.expect("no rule error").expect("a move");
            let after = session.play(&state, &choice.term).expect("no error").expect("legal");
            let value = -brute(&mut session, &after);
            let (move_, facts) = (print_term(&choice.term), game.facts(&state));
            assert_eq!(value, best, "{player:?} plays {move_}: {} in {facts:?}", choice.reason);
        }
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    for name in ["breakthrough", "backgammon", "nerenchi"] {
        let game = game(name);
        for player in [Player::AlphaBeta, Player::MonteCarlo, Player::Greedy, Player::Random] {
            let answer = || {
                let mut session = Session::new(&game);
                let mut random = Random::seeded(5);
                let state = position(&mut session, &mut random, 7);
                let mut memory = Memory::default();
                let asked = question(&state, player, 60);
                let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
                choice.inspect(|choice| {
                    let legal = session.play(&state, &choice.term).expect("no rule error");
                    assert!(legal.is_some(), "{name}: {player:?} makes an illegal move");
                })
            };
            assert_eq!(answer(), answer(), "{name}: {player:?}");
        }
    }
}

#[test]
fn thinking_ends_in_time() {
    for name in ["go", "shogi", "amazons", "chinese_checkers"] {
        let game = game(name);
        let mut session = Session::new(&game);
        let state = session.opening();
        let mut memory = Memory::default();
        for player in [Player::AlphaBeta, Player::MonteCarlo] {
            let mut asked = question(&state, player, 1);
            // what is learned of the game itself is not counted
            choose(&mut session, &mut memory, &asked).expect("no rule error");
            asked.limits = Limits { time: Some(Duration::from_millis(150)), playouts: None };
            let started = std::time::Instant::now();
            let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
            assert!(choice.is_some(), "{name}: {player:?} has no move");
            let taken = started.elapsed();
            assert!(taken < Duration::from_millis(1500), "{name}: {player:?} took {taken:?}");
        }
    }
}

#[test]
fn shipped_weights_fit_their_games() {
    let mut found = 0;
    for file in Library::games() {
        let Some(text) = Library::weights(&format!("games/{}", file.path)) else { continue };
        let weights =
            Weights::parse(text).unwrap_or_else(|| panic!("{} has no weights", file.name));
        let game = game(file.name);
        let reader = Reader::new(&game.plan).expect("a state that is not too large");
        assert_eq!(reader.shape(), weights.shape, "{}: weights of another game", file.name);
        let evaluation = Evaluation::from_hundredths(reader, &weights.weights);
        let evaluation = evaluation.unwrap_or_else(|| panic!("{}: wrong weights", file.name));
        assert_eq!(evaluation.hundredths(), weights.weights);
        assert_eq!(weights.text(), text, "{}: written in another form", file.name);
        found += 1;
    }
    assert!(found > 10, "the weights are gone");
}
