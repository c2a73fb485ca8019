//! Evaluations: what a move changes is the difference of what both positions are worth.

use ludex::engine::{Candidate, Look, Random, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::search::evaluation::Evaluation;
use ludex::search::features::{Reader, View};
use ludex::search::{Limits, Memory, Player, contest};
use ludex::source::Library;

#[test]
fn differences_add_up_in_all_games() {
    let mut moves = 0;
    for file in Library::games() {
        let loaded = pipeline::load(&LoadRequest::shipped(file.name));
        let game = loaded.unwrap_or_else(|_| panic!("{} does not load", file.name)).game;
        let Some(reader) = Reader::new(&game) else { continue };
        let mut random = Random::seeded(11);
        let outputs = if game.program.players.len() == 2 { 1 } else { game.program.players.len() };
        let weights: Vec<Vec<i32>> = (0..outputs)
            .map(|_| (0..reader.len).map(|_| random.below(200) as i32 - 100).collect())
            .collect();
        let evaluation = Evaluation::from_hundredths(reader, &weights).expect("weights that fit");
        let player = game.program.players.len() - 1;
        let mut session = Session::new(&game);
        let opening = session.opening();
        let mut walk = session.walk(&opening);
        let mut sum = evaluation.sum(walk.words(), player);
        let mut list: Vec<Candidate> = Vec::new();
        for _ in 0..60 {
            if matches!(walk.look().expect("no rule error"), Look::Over(_)) {
                break;
            }
            let odds = evaluation.of(View::of(&*walk), player);
            let summed = evaluation.from_sum(sum, walk.turn(), walk.choices(), player);
            let near = (odds - summed).abs() < 0.01 + odds.abs() * 1e-3;
            assert!(near, "{}: {odds} is not {summed}", file.name);
            list.clear();
            walk.candidates(&mut list);
            let before = walk.words().to_vec();
            let candidate = list[random.below(list.len() as u64) as usize];
            if !walk.make(candidate).expect("no rule error") {
                continue;
            }
            assert_eq!(walk.words_before(), before, "{}", file.name);
            sum += evaluation.difference(&before, walk.words(), player);
            assert_eq!(sum, evaluation.sum(walk.words(), player), "{}", file.name);
            moves += 1;
        }
    }
    assert!(moves > 1_500, "{moves} moves only");
}

#[test]
fn chance_events_count_in_what_positions_are_worth() {
    let loaded = pipeline::load(&LoadRequest::shipped("royal_game_of_ur"));
    let game = loaded.unwrap_or_else(|_| panic!("it does not load")).game;
    let side = |player| contest::Side { player, limits: Limits { time: None, playouts: Some(4) } };
    let sides = [side(Player::AlphaBeta), side(Player::Random)];
    let rules = contest::Rules { opening: 2, max_plies: 400, seed: 3 };
    let mut memories = [Memory::default(), Memory::default()];
    let gained: f64 = (0..20)
        .map(|number| {
            let played = contest::play(&game, &sides, &mut memories, &rules, number, &|| false);
            played.expect("no rule error").expect("a game").0
        })
        .sum();
    assert!(gained >= 15.0, "{gained} of 20 against random play");
}
