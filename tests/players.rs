//! Players beside those of `tests/search.rs`: chance events cut off without another value, best-first search, max-n, and
//! nested search in games for one player.

mod searching;

use std::path::PathBuf;

use ludex::engine::{
    Candidate, Execution, Game, Look, PlayoutOptions, Playouts, Random, Session, State, Walk,
};
use ludex::pipeline;
use ludex::program::{LoadRequest, Origin};
use ludex::record::Weights;
use ludex::search::alphabeta::{Search, WIN, share};
use ludex::search::evaluation::Evaluation;
use ludex::search::features::{Extra, Reader};
use ludex::search::table::Table;
use ludex::search::{Limits, Memory, Player, Request, choose};
use ludex::source::Library;
use ludex::syntax::print_term;
use searching::{brute, game, of_rules, question};

/// A game that is no part of the library.
fn file(name: &str) -> Game {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/alone").join(name);
    let loaded = pipeline::load(&LoadRequest::new(Origin::Path(path)));
    loaded.unwrap_or_else(|_| panic!("{name} does not load")).game
}

fn weights(game: &Game, path: &str) -> Evaluation {
    let text = Library::weights(path).expect("weights");
    let weights = Weights::parse(text).expect("a file of weights");
    let extra = Extra { patterns: weights.patterns, values: weights.values };
    let reader = Reader::new(game, extra).expect("a state that is not too large");
    Evaluation::from_hundredths(reader, &weights.weights).expect("weights that fit")
}

/// An evaluation that is learned in a moment.
fn learned(game: &Game) -> Evaluation {
    let mut memory = Memory::default();
    let limits = Limits { time: None, playouts: Some(100) };
    let mut session = Session::new(game);
    memory.prepare(&mut session, Player::AlphaBeta, limits).expect("no rule error");
    memory.evaluation().expect("an evaluation").clone()
}

/// The position after a number of random plies, at which a player is to move; `None` where the game ends before.
fn later(session: &mut Session, random: &mut Random, plies: u64) -> Option<State> {
    let mut state = session.opening();
    let mut left = plies;
    loop {
        let next = session.successors(&state).expect("moves");
        let moves = next.first().is_some_and(|(mv, _)| !mv.chance);
        if moves && left == 0 {
            return Some(state);
        }
        left = left.saturating_sub(1);
        let (_, after) = next.get(random.below(next.len().max(1) as u64) as usize)?;
        if session.outcome(after).expect("an outcome").is_some() {
            return None;
        }
        state = after.clone();
    }
}

/// Expectimax without any cut, as the search defines it: events are no plies, a single move is none either, and a
/// line ends before a throw.
struct Plain<'a> {
    evaluation: &'a Evaluation,
    me: usize,
    nodes: u64,
}

impl Plain<'_> {
    fn value(&mut self, walk: &mut dyn Walk, depth: i16) -> i32 {
        self.nodes += 1;
        let ply = walk.depth();
        match walk.look().expect("no rule error") {
            Look::Over(0) => return 0,
            Look::Over(winners) => {
                let end = WIN - ply as i32;
                return if winners >> self.me & 1 == 1 { end } else { -end };
            }
            Look::Chance if depth <= 0 => {
                let sums = self.evaluation.sums(walk.words(), self.me);
                let values = self.evaluation.reader().values(walk).expect("no rule error");
                let moment = (walk.turn(), walk.choices());
                let odds = self.evaluation.from_sums(&sums, moment, &values, self.me);
                return (odds * 100.0).clamp(-5000.0, 5000.0) as i32;
            }
            Look::Chance => return self.mean(walk, depth),
            Look::Moves => assert!(depth > 0, "a line ends before a throw"),
        }
        let mine = walk.turn() == self.me;
        let mut list: Vec<Candidate> = Vec::new();
        walk.candidates(&mut list);
        let next = if list.len() == 1 && ply < 2 * depth as usize { depth } else { depth - 1 };
        let mut best: Option<i32> = None;
        for candidate in list {
            if walk.make(candidate).expect("no rule error") {
                let value = self.value(walk, next);
                walk.unmake();
                let better = best.is_none_or(|best| if mine { value > best } else { value < best });
                best = if better { Some(value) } else { best };
            }
        }
        best.unwrap_or(0)
    }

    fn mean(&mut self, walk: &mut dyn Walk, depth: i16) -> i32 {
        let mut events: Vec<Candidate> = Vec::new();
        walk.candidates(&mut events);
        let (mut sum, mut total, mut values) = (0.0, 0.0, Vec::new());
        for event in events {
            let weight = walk.weight(event).expect("no rule error") as f64;
            if weight > 0.0 && walk.make(event).expect("no rule error") {
                let value = self.value(walk, depth);
                walk.unmake();
                sum += weight * share(value);
                total += weight;
                values.push(value);
            }
        }
        let (worst, best) = (values.iter().min().copied(), values.iter().max().copied());
        match (worst, best) {
            (Some(worst), _) if worst > WIN - 10_000 => worst,
            (_, Some(best)) if best < 10_000 - WIN => best,
            _ => {
                let mean: f64 = sum / total;
                ((mean / (1.0 - mean)).ln() * 100.0).clamp(-5000.0, 5000.0) as i32
            }
        }
    }
}

#[test]
fn cuts_at_chance_events_change_no_value() {
    // with few moves, a search to all depths below the last one costs more than the cuts save
    for (name, deepest, most) in [("royal_game_of_ur", 2, 1.5), ("runners", 2, 0.8)] {
        let shipped = Library::game(name).is_some();
        let game = if shipped { game(name) } else { file(&format!("{name}.ludex")) };
        let evaluation = match shipped {
            true => weights(&game, &format!("games/race/{name}.ludex")),
            false => learned(&game),
        };
        let mut session = Session::new(&game);
        let mut random = Random::seeded(6);
        let (mut plain, mut cut, mut compared) = (0, 0, 0);
        while compared < 30 {
            let plies = 10 + random.below(60);
            let Some(state) = later(&mut session, &mut random, plies) else { continue };
            let mut walk = session.walk(&state);
            let me = walk.turn();
            walk.look().expect("no rule error");
            let mut list: Vec<Candidate> = Vec::new();
            walk.candidates(&mut list);
            if list.len() < 2 {
                continue;
            }
            let mut reference = Plain { evaluation: &evaluation, me, nodes: 0 };
            let mut wanted = i32::MIN;
            for candidate in list {
                if walk.make(candidate).expect("no rule error") {
                    wanted = wanted.max(reference.value(&mut *walk, deepest - 1));
                    walk.unmake();
                    // its candidates are those of the position again
                    walk.look().expect("no rule error");
                }
            }
            let mut table = Table::default();
            let mut search = Search::new(&mut *walk, &game, &evaluation, &mut table, &|_| false);
            let lines = search.run(deepest, &mut |_, _, _| {}).expect("no rule error");
            let value = lines.first().expect("a line").value;
            assert_eq!(value, wanted, "{name}, after {plies} plies");
            plain += reference.nodes;
            cut += search.nodes;
            compared += 1;
        }
        println!("{name}: {cut} positions of {plain}");
        assert!((cut as f64) < most * plain as f64, "{name}: {cut} positions of {plain}");
    }
}

#[test]
#[ignore = "a measurement"]
fn positions_to_a_depth() {
    for (name, deepest) in
        [("royal_game_of_ur", 4), ("royal_game_of_ur", 5), ("backgammon", 2), ("backgammon", 3)]
    {
        let game = game(name);
        let evaluation = weights(&game, &format!("games/race/{name}.ludex"));
        let mut session = Session::new(&game);
        let mut random = Random::seeded(9);
        let (mut nodes, mut seconds, mut done) = (0, 0.0, 0);
        let mut values = Vec::new();
        while done < 8 {
            let Some(state) = later(&mut session, &mut random, 30) else { continue };
            let mut walk = session.walk(&state);
            let mut table = Table::default();
            let mut search = Search::new(&mut *walk, &game, &evaluation, &mut table, &|_| false);
            let started = std::time::Instant::now();
            let lines = search.run(deepest, &mut |_, _, _| {}).expect("no rule error");
            seconds += started.elapsed().as_secs_f64();
            nodes += search.nodes;
            done += 1;
            values.push(lines.first().map(|line| line.value));
        }
        println!("{name} to {deepest}: {nodes} positions, {seconds:.2} s, {values:?}");
    }
}

#[test]
fn best_first_search_proves_small_games() {
    let game = game("tic_tac_toe");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut random = Random::seeded(3);
    for round in 0..40 {
        let Some(state) = later(&mut session, &mut random, 2 + round % 5) else { continue };
        let best = brute(&mut session, &state);
        let asked = question(&state, Player::BestFirst, 3000);
        let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
        let choice = choice.expect("a move");
        let after = session.play(&state, &choice.term).expect("no error").expect("legal");
        let (value, reason) = (-brute(&mut session, &after), choice.reason);
        assert_eq!(value, best, "{reason}");
        if !reason.contains("the only move") {
            assert_eq!(reason.contains("wins"), best == 1, "{reason}");
            assert_eq!(reason.contains("loses"), best == -1, "{reason}");
        }
    }
}

#[test]
fn a_player_without_limits_answers() {
    for name in ["breakthrough", "backgammon"] {
        let game = game(name);
        let mut session = Session::new(&game);
        let state = later(&mut session, &mut Random::seeded(1), 3).expect("a position");
        for player in [Player::AlphaBeta, Player::BestFirst, Player::MaxN, Player::MonteCarlo] {
            let limits = Limits { time: None, playouts: None };
            let asked = Request { limits, ..question(&state, player, 1) };
            let choice = choose(&mut session, &mut Memory::default(), &asked);
            assert!(choice.expect("no rule error").is_some(), "{name}: {player:?}");
        }
    }
}

/// A game of three that ends for certain.
const THREE: &str = "% The player who takes the last counter wins.\n\
    :- players a, b, c.\n:- state left -> 0..12 = 12.\n\
    move(take(N)) :- member(N, [1, 2]), left >= N, left -= N.\n\
    win(P) :- left =:= 0, previous(P).\n\
    previous(c) :- turn(a).\nprevious(a) :- turn(b).\nprevious(b) :- turn(c).\n";

#[test]
fn max_n_takes_a_win_and_plays_for_itself() {
    let game = of_rules(THREE);
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut state = session.opening();
    let mut plies = 0;
    while session.outcome(&state).expect("an outcome").is_none() {
        let asked = question(&state, Player::MaxN, 500);
        let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
        let choice = choice.expect("a move");
        // the last move of all wins at once
        let after = session.play(&state, &choice.term).expect("no error").expect("legal");
        let over = session.outcome(&after).expect("an outcome").is_some();
        assert_eq!(
            over,
            choice.reason == "wins at once" || choice.reason == "the only move" && over
        );
        state = after;
        plies += 1;
    }
    assert!((6..=12).contains(&plies), "{plies} plies");
}

/// The score at the end of a game that a player has played from a position on.
fn scored(session: &mut Session, mut state: State, player: Player, playouts: u64) -> i64 {
    let mut memory = Memory::default();
    loop {
        if let Some(outcome) = session.outcome(&state).expect("an outcome") {
            let scores = outcome.scores.expect("a score");
            return scores[0].expect("a score");
        }
        let asked = question(&state, player, playouts);
        let choice = choose(session, &mut memory, &asked).expect("no rule error").expect("a move");
        state = session.play(&state, &choice.term).expect("no error").expect("a legal move");
    }
}

#[test]
fn nested_search_clears_more_than_monte_carlo() {
    let game = file("peg_solitaire.ludex");
    let mut session = Session::new(&game);
    let state = session.opening();
    let nested = scored(&mut session, state.clone(), Player::Nested, 200);
    let searched = scored(&mut session, state, Player::MonteCarlo, 200);
    println!("pegs taken: {nested} and {searched}");
    assert!(nested >= 29 && nested >= searched, "{nested} and {searched} of 31 pegs are taken");
}

#[test]
fn nested_search_plays_at_least_as_well_as_it_has_told() {
    let game = game("hmaki");
    let mut session = Session::new(&game);
    let mut random = Random::seeded(2);
    let mut state = later(&mut session, &mut random, 96).expect("a board that is full");
    let mut memory = Memory::default();
    let mut told = 0.0;
    while session.outcome(&state).expect("an outcome").is_none() {
        let asked = question(&state, Player::Nested, 20);
        let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
        let choice = choice.expect("a move");
        let score = choice.score.expect("a score");
        assert!(score >= told, "{score} after {told}");
        told = score;
        state = session.play(&state, &choice.term).expect("no error").expect("a legal move");
    }
    let outcome = session.outcome(&state).expect("an outcome").expect("an end");
    let last = outcome.scores.expect("scores")[0].expect("a score");
    assert!(last as f64 >= told, "{last} after {told}");
}

#[test]
fn several_threads_find_what_one_does() {
    let mut found = 0;
    for name in ["connect_four", "breakthrough", "chess"] {
        let game = game(name);
        let mut session = Session::new(&game);
        let mut memory = Memory::default();
        let mut random = Random::seeded(11);
        for round in 0..30 {
            let Some(state) = later(&mut session, &mut random, 8 + round * 2) else { continue };
            let ask = |threads: usize, session: &mut Session, memory: &mut Memory| {
                let asked = Request { threads, ..question(&state, Player::AlphaBeta, 20) };
                let choice = choose(session, memory, &asked).expect("no rule error");
                choice.expect("a move").reason
            };
            let alone = ask(1, &mut session, &mut memory);
            memory.forget();
            let together = ask(2, &mut session, &mut memory);
            if alone == "wins at once" {
                assert_eq!(together, alone, "{name}");
                found += 1;
            }
        }
    }
    assert!(found > 3, "only {found} positions have a winning move");
}

#[test]
fn trees_of_several_threads_are_added_up() {
    let game = game("hex");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut random = Random::seeded(5);
    let (mut alone, mut together) = (0, 0);
    for round in 0..6 {
        let Some(state) = later(&mut session, &mut random, 70 + round * 6) else { continue };
        let ask = |threads: usize, session: &mut Session, memory: &mut Memory| {
            let asked = Request { threads, ..question(&state, Player::MonteCarlo, 3_000) };
            choose(session, memory, &asked).expect("no rule error").expect("a move")
        };
        let one = ask(1, &mut session, &mut memory);
        let two = ask(2, &mut session, &mut memory);
        if one.reason == "wins at once" {
            assert_eq!(two.reason, one.reason);
        } else if one.expected != Some(1.0) && one.expected != Some(0.0) {
            // the limit is that of the first thread
            assert_eq!(one.playouts, 3_000);
            (alone, together) = (alone + one.playouts, together + two.playouts);
        }
    }
    assert!(
        alone > 0 && together > alone,
        "{together} random games of two threads, {alone} of one"
    );
}

/// A game of four cells in a row, in which the advice speaks against two of them.
const ROW: &str = ":- game \"Row\".\n:- players a, b.\n:- state at(1..4) -> player.\n\
    move(mark(C)) :- C in 1..4, \\+ at(C, _), turn(P), at(C) := P.\n\
    win(P) :- at(4, P), mover(P).\ndraw :- ply(4).\n";
const AGAINST: &str =
    "advice(mark(C), -1, \"it is far from the edge\") :- bad(C).\nbad(1).\nbad(C) :- C is 2 + 1.\n";

fn written(rules: &str) -> Game {
    pipeline::load(&LoadRequest::text("row", rules)).unwrap_or_else(|f| panic!("{f:?}")).game
}

/// The plies of each cell, and the counts, of random games.
fn random_games(game: &Game, execution: Execution) -> Playouts {
    let mut session = Session::with(game, execution);
    let opening = session.opening();
    let mut options = PlayoutOptions {
        seed: 7,
        max_plies: 10,
        go_on: &mut |counts| counts.games < 200,
        finished: None,
        seen: None,
    };
    session.playouts(&opening, &mut options).expect("no rule error")
}

#[test]
fn random_games_are_seen_on_their_way() {
    let game = pipeline::load(&LoadRequest::shipped("tic_tac_toe")).expect("a shipped game").game;
    for by in [Execution::Interpreted, Execution::Native] {
        let mut session = Session::with(&game, by);
        let opening = session.opening();
        let mut play = |every: Option<u64>| {
            let mut seen = 0;
            let mut see = |words: &[u64]| {
                assert_eq!(words.len(), opening.words().len());
                seen += 1;
            };
            let mut options = PlayoutOptions {
                seed: 3,
                max_plies: 100,
                go_on: &mut |counts| counts.games < 100,
                finished: None,
                seen: every.map(|every| (every, &mut see as &mut dyn FnMut(&[u64]))),
            };
            let counts = session.playouts(&opening, &mut options).expect("no rule error");
            (counts, seen)
        };
        let (alone, _) = play(None);
        let (watched, seen) = play(Some(1));
        assert_eq!(alone, watched);
        // not the last position of each
        assert_eq!(seen, alone.plies - alone.games);
        assert_eq!(play(Some(9)), (alone, 0));
    }
}

#[test]
fn random_games_leave_out_what_the_advice_speaks_against() {
    let game = written(&format!("{ROW}{AGAINST}"));
    let sensible = pipeline::sensible(&game).expect("advice against moves");
    let all = [Execution::Interpreted, Execution::Native].map(|by| random_games(&sensible, by));
    assert_eq!(all[0], all[1]);
    // of 2 and 4 one is marked first, so the game is over after two plies
    assert_eq!(all[0].plies, all[0].won[1] + 2 * all[0].won[2]);
    assert_eq!(all[0].won[0], 0);
    assert!(all[0].won[1] > 60 && all[0].won[2] > 60, "{:?}", all[0].won);
    // the game itself has its other moves
    assert!(random_games(&game, Execution::Native).plies > all[0].plies + 100);
    // where nothing else is left, they are made
    let none = written(&format!("{ROW}advice(mark(_), -1, \"no\")."));
    let forced = pipeline::sensible(&none).expect("advice against moves");
    let by = Execution::Native;
    assert!(random_games(&forced, by).plies > 300);
}

#[test]
fn random_games_make_the_moves_that_the_advice_speaks_against_least() {
    let advice = "advice(mark(4), -2, \"it ends the game\").\nadvice(mark(C), -1, \"early\") :- C in 1..3.\n";
    let game = written(&format!("{ROW}{advice}"));
    let sensible = pipeline::sensible(&game).expect("advice against moves");
    for by in [Execution::Interpreted, Execution::Native] {
        let games = random_games(&sensible, by);
        assert_eq!(games.plies, 4 * games.games);
        assert_eq!(games.won[2], games.games);
    }
}

#[test]
fn only_games_whose_moves_are_all_equal_have_other_random_games() {
    let none = [
        ROW.to_string(),
        format!("{ROW}advice(mark(4), 1, \"it wins\")."),
        format!("{ROW}{AGAINST}rank(mark(C), C)."),
        format!("{ROW}{AGAINST}draw :- legal(mark(4)), ply(7)."),
    ];
    for rules in none {
        assert!(pipeline::sensible(&written(&rules)).is_none(), "{rules}");
    }
    let go = pipeline::load(&LoadRequest::shipped("go")).expect("a shipped game").game;
    assert!(pipeline::sensible(&go).is_some());
}

#[test]
fn a_move_that_wins_is_found_although_the_advice_speaks_against_it() {
    let game = written(&format!("{ROW}advice(mark(4), -1, \"leave it\")."));
    let mut session = Session::new(&game);
    let opening = session.opening();
    let asked = question(&opening, Player::MonteCarlo, 50);
    let found = choose(&mut session, &mut Memory::default(), &asked).expect("no rule error");
    assert_eq!(print_term(&found.expect("a move").term), "mark(4)");
}
