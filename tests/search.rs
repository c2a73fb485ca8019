//! The computer players: they stand on the rules, find what is there to be found, and answer the same each
//! time.

mod searching;

use std::time::Duration;

use ludex::engine::{Candidate, Look, Random, Session, State};
use ludex::pipeline;
use ludex::program::{LoadRequest, Origin};
use ludex::record::Weights;
use ludex::search::evaluation::Evaluation;
use ludex::search::features::{Extra, Reader};
use ludex::search::view::scaled;
use ludex::search::{
    Advisor, Limits, Listener, Memory, Player, Request, Strength, choose, contest,
};
use ludex::source::Library;
use ludex::syntax::print_term;
use searching::{brute, forced, game, of_rules, question};

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
fn decisions_within_few_plies_are_those_of_plain_minimax() {
    let mut decided = 0;
    for (name, plies) in [
        ("tic_tac_toe", 4),
        ("connect_four", 4),
        ("breakthrough", 3),
        ("picaria", 4),
        ("three_mens_morris", 4),
        ("chess", 2),
        ("english_draughts", 4),
        ("yavalath", 2),
        ("kalah", 3),
    ] {
        let game = game(name);
        let mut session = Session::new(&game);
        let mut memory = Memory::default();
        let mut random = Random::seeded(17);
        for round in 0..8 {
            let state = position(&mut session, &mut random, 6 + round * 6);
            if session.outcome(&state).expect("an outcome").is_some() {
                continue;
            }
            let wanted = forced(&mut session, &state, plies);
            let asked = question(&state, Player::AlphaBeta, 600);
            let choice = choose(&mut session, &mut memory, &asked);
            let reason = choice.expect("no rule error").expect("a move").reason;
            let told = i32::from(reason.contains("wins")) - i32::from(reason.contains("loses"));
            let facts = game.facts(&state);
            if wanted != 0 && !reason.contains("the only move") {
                assert_eq!(told, wanted, "{name}: {reason} in {facts:?}");
                decided += 1;
            }
            let words = reason.split_whitespace().rev().nth(1);
            let within = match reason.ends_with("at once") {
                true => Some(1),
                false => words.and_then(|word| word.parse::<u32>().ok()),
            };
            if let Some(within) = within.filter(|within| told != 0 && *within <= plies) {
                let value = forced(&mut session, &state, within);
                assert_eq!(told, value, "{name}: {reason} in {facts:?}");
            }
        }
    }
    assert!(decided > 8, "only {decided} positions are decided");
}

#[test]
fn the_same_question_has_the_same_answer() {
    for name in ["breakthrough", "backgammon", "nerenchi"] {
        let game = game(name);
        let all = [
            Player::AlphaBeta,
            Player::MonteCarlo,
            Player::BestFirst,
            Player::MaxN,
            Player::Greedy,
            Player::Random,
        ];
        for player in all {
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
        for player in [Player::AlphaBeta, Player::MonteCarlo, Player::BestFirst, Player::MaxN] {
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
fn a_stop_is_heard_in_all_games() {
    let mut slowest = (Duration::ZERO, String::new());
    for file in Library::games() {
        let game = game(file.name);
        let mut session = Session::new(&game);
        let state = position(&mut session, &mut Random::seeded(5), 12);
        for player in [Player::AlphaBeta, Player::MonteCarlo, Player::BestFirst, Player::Auto] {
            let started = std::time::Instant::now();
            let stops = Duration::from_millis(50);
            let asked = Request {
                interrupted: &|| started.elapsed() > stops,
                ..question(&state, player, u64::MAX)
            };
            // nothing is known yet, so what is learned of the game is interrupted too
            choose(&mut session, &mut Memory::default(), &asked).expect("no rule error");
            let late = started.elapsed().saturating_sub(stops);
            if late > slowest.0 {
                slowest = (late, format!("{} by {player:?}", file.name));
            }
        }
    }
    println!("at the latest after {:?}: {}", slowest.0, slowest.1);
    // on an idle machine it is a tenth of a second
    assert!(slowest.0 < Duration::from_millis(1000), "{slowest:?}");
}

#[test]
fn no_search_makes_an_illegal_move() {
    // the share of an ordinary run; LUDEX_TRIES=1000000 makes the whole count
    let tries = std::env::var("LUDEX_TRIES").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000u64);
    let games = Library::games();
    let each = tries.div_ceil(games.len() as u64);
    let players = [
        Player::AlphaBeta,
        Player::MonteCarlo,
        Player::BestFirst,
        Player::MaxN,
        Player::Greedy,
        Player::Frugal,
        Player::Auto,
    ];
    let mut made = 0;
    for file in games {
        let game = game(file.name);
        let mut session = Session::new(&game);
        // it is the moves that count, so that nothing is learned before
        let blank = Reader::new(&game, Extra::default()).map(Evaluation::blank);
        let mut memory =
            blank.map_or(Memory::of(Player::MonteCarlo), |e| Memory::with(e, Player::AlphaBeta));
        let mut random = Random::seeded(23);
        let (mut state, mut plies, mut tried) = (session.opening(), 0, 0);
        while tried < each {
            let next = session.successors(&state).expect("moves");
            let over = session.outcome(&state).expect("an outcome").is_some();
            if next.is_empty() || over || plies == 200 {
                (state, plies) = (session.opening(), 0);
                continue;
            }
            if !next[0].0.chance {
                let player = players[tried as usize % players.len()];
                let mut asked = question(&state, player, 1 + random.below(3));
                asked.seed = random.number();
                let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
                let choice =
                    choice.unwrap_or_else(|| panic!("{}: {player:?} has no move", file.name));
                let legal = next.iter().any(|(mv, _)| mv.term == choice.term);
                let move_ = print_term(&choice.term);
                assert!(legal, "{}: {player:?} plays {move_}", file.name);
                tried += 1;
            }
            state = next[random.below(next.len() as u64) as usize].1.clone();
            plies += 1;
        }
        made += tried;
    }
    println!("{made} moves, all legal");
}

#[test]
fn shipped_weights_fit_their_games() {
    let mut found = 0;
    for file in Library::games() {
        let Some(text) = Library::weights(&format!("games/{}", file.path)) else { continue };
        let weights =
            Weights::parse(text).unwrap_or_else(|| panic!("{} has no weights", file.name));
        let game = game(file.name);
        let extra = Extra { patterns: weights.patterns, values: weights.values };
        let reader = Reader::new(&game, extra).expect("a state that is not too large");
        assert_eq!(reader.shape(), weights.shape, "{}: weights of another game", file.name);
        let evaluation = Evaluation::from_hundredths(reader, &weights.weights);
        let evaluation = evaluation.unwrap_or_else(|| panic!("{}: wrong weights", file.name));
        assert_eq!(evaluation.hundredths(), weights.weights);
        assert_eq!(weights.text(), text, "{}: written in another form", file.name);
        found += 1;
    }
    assert!(found > 10, "the weights are gone");
}

#[test]
fn a_loss_against_players_who_join_is_told_as_such() {
    let rules = "% The others can block the first player for ever.\n\
        :- players a, b, c.\n:- state left -> 0..9 = 3.\n\
        move(take(N)) :- member(N, [1, 2]), left >= N, left -= N.\n\
        lose(P) :- left =:= 0, turn(P).\n";
    let game = of_rules(rules);
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let state = session.opening();
    let choice = choose(&mut session, &mut memory, &question(&state, Player::AlphaBeta, 100));
    let reason = choice.expect("no rule error").expect("a move").reason;
    let alone = reason.starts_with("loses") && !reason.ends_with("if all others play together");
    assert!(!alone, "{reason}");
    assert!(reason.contains("plies") || reason.contains("at once"), "{reason}");
}

#[test]
fn what_another_player_may_choose_is_not_proven() {
    let rules = "% After `go`, b wins with a by `left`, and with c by `right`.\n\
        :- players a, b, c.\n:- state s -> 0..9 = 0.\n\
        move(go) :- s(0), s := 1.\nmove(stay) :- s(0), s := 4.\n\
        move(left) :- s(1), s := 2.\nmove(right) :- s(1), s := 3.\n\
        lose(c) :- s(2).\nlose(a) :- s(3).\ndraw :- s(4).\n";
    let game = of_rules(rules);
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let state = session.opening();
    let asked = question(&state, Player::MonteCarlo, 2_000);
    let choice = choose(&mut session, &mut memory, &asked).expect("no rule error");
    let reason = choice.expect("a move").reason;
    assert!(!reason.starts_with("wins") && !reason.starts_with("loses"), "{reason}");
}

#[test]
fn what_both_win_is_a_draw() {
    let rules = "% After `both`, both win.\n:- players x, o.\n:- state s -> 0..2 = 0.\n\
        move(both) :- s(0), s := 1.\nmove(alone) :- s(0), s := 2.\n\
        win(P) :- player(P), s(1).\nwin(x) :- s(2).\n";
    let game = of_rules(rules);
    let mut session = Session::new(&game);
    let state = session.opening();
    for player in [Player::MonteCarlo, Player::AlphaBeta, Player::BestFirst, Player::MaxN] {
        let asked = question(&state, player, 500);
        let choice = choose(&mut session, &mut Memory::default(), &asked).expect("no rule error");
        let choice = choice.expect("a move");
        assert_eq!(ludex::syntax::print_term(&choice.term), "alone", "{player:?}");
    }
    let among = [session.successors(&state).expect("moves")[0].0.term.clone()];
    let mut asked = question(&state, Player::MonteCarlo, 500);
    asked.among = &among;
    let both = choose(&mut session, &mut Memory::default(), &asked).expect("no rule error");
    assert_eq!(both.expect("a move").expected, Some(0.5));
}

/// A position in which a player is to move: chance events are drawn.
fn after_chance(session: &mut Session, random: &mut Random) -> State {
    let mut state = session.opening();
    loop {
        let next = session.successors(&state).expect("events");
        if next.first().is_none_or(|(mv, _)| !mv.chance) {
            return state;
        }
        state = next[random.below(next.len() as u64) as usize].1.clone();
    }
}

#[test]
fn the_greedy_player_takes_the_highest_score_and_the_frugal_one_the_lowest() {
    let game = game("hmaki");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut random = Random::seeded(4);
    for _ in 0..5 {
        let state = after_chance(&mut session, &mut random);
        let mut size = |term: &ludex::syntax::Term| {
            let after = session.play(&state, term).expect("no error").expect("a legal move");
            let wanted = "squares";
            let fluent = game.program.fluents.iter().position(|f| f.name == wanted);
            let facts = game.facts(&after);
            let own = |fact: &&ludex::engine::Fact| Some(fact.fluent.0 as usize) == fluent;
            facts.iter().find(own).and_then(|fact| fact.value?.integer()).expect("a number")
        };
        let mut sizes = Vec::new();
        for mv in Session::new(&game).legal_moves(&state).expect("moves") {
            sizes.push(size(&mv.term));
        }
        let mut chosen = |player: Player| {
            let choice =
                choose(&mut Session::new(&game), &mut memory, &question(&state, player, 1));
            size(&choice.expect("no rule error").expect("a move").term)
        };
        assert_eq!(Some(chosen(Player::Greedy)), sizes.iter().max().copied());
        assert_eq!(Some(chosen(Player::Frugal)), sizes.iter().min().copied());
    }
}

#[test]
fn the_greedy_player_goes_by_the_values_of_the_rules() {
    let game = game("chinese_checkers");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let mut state = session.opening();
    for seed in 0..6 {
        let mover = session.walk(&state).turn();
        let mut gain = |term: &ludex::syntax::Term| {
            let after = session.play(&state, term).expect("no error").expect("a legal move");
            let values = session.walk(&after).values().expect("no rule error");
            values[mover].expect("a value") - values[1 - mover].expect("a value")
        };
        let moves = Session::new(&game).legal_moves(&state).expect("moves");
        let most = moves.iter().map(|mv| gain(&mv.term)).max();
        let asked = question(&state, Player::Greedy, seed);
        let choice = choose(&mut Session::new(&game), &mut memory, &asked);
        let choice = choice.expect("no rule error").expect("a move").term;
        assert_eq!(Some(gain(&choice)), most);
        state = session.play(&state, &choice).expect("no error").expect("a legal move");
    }
}

/// Random games of Chinese Checkers hardly ever end, so the values of the rule file are all there is to learn from.
#[test]
fn values_of_the_rules_are_learned_where_random_games_tell_nothing() {
    let game = game("chinese_checkers");
    let mut session = Session::new(&game);
    let mut memory = Memory::default();
    let limits = Limits { time: None, playouts: Some(10) };
    memory.prepare(&mut session, Player::AlphaBeta, limits).expect("no rule error");
    let evaluation = memory.evaluation().expect("an evaluation").clone();
    let mut random = Random::seeded(5);
    let mut compared = 0;
    for _ in 0..10 {
        let state = position(&mut session, &mut random, 60);
        let player = session.walk(&state).turn();
        let mut of = |state: &State| {
            let values = session.values(state).expect("values");
            let sums = evaluation.sums(state.words(), player);
            let odds = evaluation.from_sums(&sums, (player, [None; 2]), &scaled(&values), player);
            (values[player].expect("a value"), odds)
        };
        let (value, odds) = of(&state);
        for (_, after) in Session::new(&game).successors(&state).expect("moves") {
            let (value_after, odds_after) = of(&after);
            if value_after != value {
                assert_eq!(value_after > value, odds_after > odds, "by {}", value_after - value);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared} moves");
}

#[test]
fn a_search_may_be_confined_to_some_moves() {
    for name in ["breakthrough", "hex", "hmaki"] {
        let game = game(name);
        let mut session = Session::new(&game);
        let state = after_chance(&mut session, &mut Random::seeded(2));
        let moves = session.legal_moves(&state).expect("moves");
        let some: Vec<_> = moves.iter().map(|mv| mv.term.clone()).rev().take(2).collect();
        for player in [Player::Auto, Player::AlphaBeta, Player::MonteCarlo, Player::Greedy] {
            if name == "hmaki" && player == Player::AlphaBeta {
                continue;
            }
            let asked = Request { among: &some, ..question(&state, player, 20) };
            let found = ludex::search::analyse(
                &mut session,
                &mut Memory::default(),
                &asked,
                9,
                &mut Listener::default(),
            );
            let found = found.expect("no rule error");
            assert_eq!(found.len(), 2, "{name}: {player:?}");
            assert!(found.iter().all(|choice| some.contains(&choice.term)), "{name}: {player:?}");
        }
    }
}

#[test]
fn the_advised_player_follows_the_file() {
    let game = game("tic_tac_toe");
    let advisor = Advisor::new(&game);
    let mut session = Session::new(&game);
    let mut random = Random::seeded(8);
    let mut followed = 0;
    for round in 0..30 {
        let state = position(&mut session, &mut random, 1 + round % 6);
        let moves = session.legal_moves(&state).expect("moves");
        let terms: Vec<_> = moves.into_iter().map(|mv| mv.term).collect();
        let advice = advisor.on(&state, &terms).expect("advice");
        let asked = Request { advice: &advice, ..question(&state, Player::Advice, 1) };
        let choice = choose(&mut session, &mut Memory::default(), &asked).expect("no rule error");
        let choice = choice.expect("a move");
        let most = advice.iter().map(|advice| advice.priority).max();
        match most {
            Some(most) => {
                let own = advice.iter().filter(|advice| advice.term == choice.term);
                assert_eq!(own.map(|advice| advice.priority).max(), Some(most));
                followed += 1;
            }
            None => assert!(terms.contains(&choice.term)),
        }
    }
    assert!(followed > 10, "the file gives advice in {followed} positions only");
}

#[test]
fn a_higher_level_of_strength_plays_better() {
    let game = game("connect_four");
    let none = Limits { time: None, playouts: None };
    let side = |level: u8| contest::Side {
        player: Player::Level(Strength::new(level).expect("a level")),
        limits: none,
    };
    assert!(Strength::new(0).is_none() && Strength::new(11).is_none());
    let mut known = Memory::default();
    known.prepare(&mut Session::new(&game), Player::Auto, none).expect("no rule error");
    let rules = contest::Rules { opening: 2, max_plies: 100, seed: 1 };
    for (strong, weak) in [(4, 1), (7, 4)] {
        let sides = [side(strong), side(weak)];
        let mut gained = 0.0;
        for number in 0..20 {
            let mut memories = [known.clone(), known.clone()];
            let played = contest::play(&game, &sides, &mut memories, &rules, number, &|| false);
            gained += played.expect("no rule error").expect("a whole game").0;
        }
        assert!(gained >= 14.0, "level {strong} gains {gained} of 20 against level {weak}");
    }
}

/// What decides who wins tells positions apart, also where it is left out of the comparison of positions; what only
/// decides whether the game is drawn does not.
#[test]
fn positions_that_differ_in_what_decides_are_told_apart() {
    let rules = |end: &str| {
        format!(
            ":- game \"Clock\".\n:- players a, b.\n:- state n -> 0..9 = 0.\n:- state clock -> 0..99 = 0.\n\
             :- aside clock.\nmove(wait) :- clock += 1.\nmove(rest) :- clock += 2.\nmove(add) :- n < 9, n += 1.\n\
             {end}win(a) :- n(9).\n"
        )
    };
    let ends = ["win(b) :- clock(C), C >= 50.\n", "draw :- clock(C), C >= 50.\n"];
    let differs = ends.map(|end| {
        let file = tempfile::Builder::new().suffix(".ludex").tempfile().expect("a file");
        std::fs::write(file.path(), rules(end)).expect("a file");
        let request = LoadRequest::new(Origin::Path(file.path().to_path_buf()));
        let game = pipeline::load(&request).unwrap_or_else(|_| panic!("it does not load")).game;
        let mut session = Session::new(&game);
        let opening = session.opening();
        let hashes: Vec<u64> = (session.successors(&opening).expect("moves").iter())
            .filter(|(mv, _)| print_term(&mv.term) != "add")
            .map(|(_, state)| session.walk(state).hash())
            .collect();
        assert_eq!(hashes.len(), 2);
        hashes[0] != hashes[1]
    });
    assert_eq!(differs, [true, false]);
}
