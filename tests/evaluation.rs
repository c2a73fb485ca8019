//! Evaluations: what a move changes is the difference of what both positions are worth.

use std::cell::Cell;

use ludex::engine::{Candidate, Game, Look, Random, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::search::evaluation::Evaluation;
use ludex::search::features::{Extra, Reader};
use ludex::search::network::{Network, UNITS};
use ludex::search::tune::{self, Effort, Stops};
use ludex::search::view::View;
use ludex::search::{self, Limits, Memory, Player, Wait, contest};
use ludex::solve::renamings;
use ludex::source::Library;

#[test]
fn differences_add_up_in_all_games() {
    let mut moves = 0;
    for file in Library::games() {
        let loaded = pipeline::load(&LoadRequest::shipped(file.name));
        let game = loaded.unwrap_or_else(|_| panic!("{} does not load", file.name)).game;
        for patterns in [false, true] {
            // values of the rules do not add up as differences: they are computed at each position
            let extra = Extra { patterns, values: !patterns };
            moves += differences_add_up(&game, file.name, extra);
        }
    }
    assert!(moves > 3_000, "{moves} moves only");
}

/// Plays a random game and compares what moves change; returns the number of moves.
fn differences_add_up(game: &Game, name: &str, extra: Extra) -> usize {
    let Some(reader) = Reader::new(game, extra) else { return 0 };
    let mut moves = 0;
    let mut random = Random::seeded(11);
    let outputs = if game.program.players.len() == 2 { 1 } else { game.program.players.len() };
    let weights: Vec<Vec<i32>> = (0..outputs)
        .map(|_| (0..reader.len).map(|_| random.below(200) as i32 - 100).collect())
        .collect();
    let mut any = |len: usize| (0..len).map(|_| random.below(2_000) as i32 - 1_000).collect();
    let inputs = Network::inputs(&reader);
    let units: Vec<Vec<i32>> = (0..UNITS).map(|_| any(inputs)).collect();
    let of_units: Vec<Vec<i32>> = (0..outputs).map(|_| any(UNITS)).collect();
    let network = Network::from_thousandths(&reader, &units, &of_units).expect("one that fits");
    assert_eq!(network.thousandths(), (units, of_units), "{name}");
    let linear = Evaluation::from_hundredths(reader, &weights).expect("weights that fit");
    let evaluation = linear.with(Some(network));
    let player = game.program.players.len() - 1;
    let mut session = Session::new(game);
    let opening = session.opening();
    let mut walk = session.walk(&opening);
    let mut sum = evaluation.sums(walk.words(), player);
    let mut list: Vec<Candidate> = Vec::new();
    for _ in 0..60 {
        if matches!(walk.look().expect("no rule error"), Look::Over(_)) {
            break;
        }
        let view = View::of(&mut *walk, evaluation.reader()).expect("no rule error");
        let (odds, moment) = (evaluation.of(view, player), (view.turn, view.choices));
        let summed = evaluation.from_sums(&sum, moment, &view.values, player);
        let near = (odds - summed).abs() < 0.02 + odds.abs() * 1e-3;
        assert!(near, "{name}: {odds} is not {summed}");
        list.clear();
        walk.candidates(&mut list);
        let before = walk.words().to_vec();
        let candidate = list[random.below(list.len() as u64) as usize];
        if !walk.make(candidate).expect("no rule error") {
            continue;
        }
        assert_eq!(walk.words_before(), before, "{name}");
        sum = evaluation.after(&sum, &before, walk.words(), player);
        assert_eq!(sum, evaluation.sums(walk.words(), player), "{name}");
        moves += 1;
    }
    moves
}

/// What positions are worth to the first player after each of the first moves.
fn after_first_moves(game: &Game, evaluation: &Evaluation) -> Vec<(String, f32)> {
    let mut session = Session::new(game);
    let opening = session.opening();
    let mut walk = session.walk(&opening);
    walk.look().expect("no rule error");
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let mut found = Vec::new();
    for candidate in list {
        let name = format!("{:?}", walk.term(candidate));
        assert!(walk.make(candidate).expect("no rule error"), "{name} is legal");
        let view = View::of(&mut *walk, evaluation.reader()).expect("no rule error");
        found.push((name, evaluation.of(view, 0)));
        walk.unmake();
    }
    found
}

#[test]
fn positions_alike_by_symmetry_are_worth_the_same_after_a_fit() {
    let loaded = pipeline::load(&LoadRequest::shipped("reversi"));
    let game = loaded.unwrap_or_else(|_| panic!("it does not load")).game;
    let effort = Effort { rounds: 2, nodes: 3_000, deep: 0, seed: 5, network: false };
    for patterns in [false, true] {
        let extra = Extra { patterns, values: !patterns };
        let blank = Evaluation::blank(Reader::new(&game, extra).expect("a small state"));
        let mut session = Session::new(&game);
        let symmetries = renamings(&game, &|| false);
        let fitted = tune::fit(
            &mut session,
            blank,
            effort,
            &symmetries,
            Stops::both(&|| false),
            &mut |_, _| {},
        );
        let worth = after_first_moves(&game, &fitted.expect("no rule error"));
        assert_eq!(worth.len(), 4, "{worth:?}");
        let near = |of: &(String, f32)| (of.1 - worth[0].1).abs() < 1e-4;
        assert!(worth[0].1 != 0.0 && worth.iter().all(near), "{worth:?}");
    }
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

/// Who interrupts the fit of an evaluation gets what was found so far, and the fit is made again the next time.
#[test]
fn a_fit_that_is_interrupted_is_not_kept() {
    let game = pipeline::load(&LoadRequest::shipped("tic_tac_toe")).expect("it loads").game;
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let found = search::known(&mut session, &mut memory, Wait::unlimited(&|| true));
    assert!(found.expect("no rule error").is_none(), "nothing was seen yet");
    assert!(!memory.is_ready(), "it is fitted the next time");
    let asked = Cell::new(0);
    let later = || asked.replace(asked.get() + 1) > 5_000;
    let found = search::known(&mut session, &mut memory, Wait::unlimited(&later));
    let (_, rough) = found.expect("no rule error").expect("some positions were seen");
    assert!(rough, "what little was seen is not kept");
    let found = search::known(&mut session, &mut memory, Wait::unlimited(&|| false));
    let (_, rough) = found.expect("no rule error").expect("a whole fit");
    assert!(!rough, "a whole fit is kept");
}
