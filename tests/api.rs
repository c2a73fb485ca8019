//! The library's front door: games and positions as another program uses them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ludex::{Error, Game, Limits, Position, Search, Value};

fn shipped(name: &str) -> Game {
    Game::shipped(name).load().unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn is_shared<T: Clone + Send + Sync + 'static>() {}

#[test]
fn games_and_positions_are_owned_and_can_be_shared() {
    is_shared::<Game>();
    is_shared::<Position>();
    is_shared::<Error>();
    let at = shipped("hex").start();
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let ask = |_| scope.spawn(|| at.moves().expect("moves").len());
        let threads: Vec<_> = (0..4).map(ask).collect();
        threads.into_iter().map(|t| t.join().expect("a thread")).collect()
    });
    assert_eq!(counts, [121; 4]);
}

#[test]
fn the_first_screen_works() {
    let game = Game::shipped("nerenchi").option("counters", 11).load().expect("loads");
    let counters = game.options().into_iter().find(|o| o.name == "counters").expect("an option");
    assert_eq!(counters.value, "11");
    let mut at = game.start();
    at.play("d7").expect("legal");
    let found = at.query("at(P, white), adjacent(P, Q), empty(Q)").expect("a goal");
    assert!(!found.is_empty());
    assert!(found.iter().all(|a| a["P"] == "d7" && a["Q"] != "d7"));
    assert_eq!(found[0]["Nothing"], Value::Unbound);
    assert!(at.why("a1").expect("a reason").holds());
}

#[test]
fn moves_are_written_as_at_the_prompt() {
    let game = shipped("chess");
    for text in ["e2-e4", "e2 e4", "e4", "E2E4", " e2e4 "] {
        let mut at = game.start();
        assert_eq!(at.play(text).expect(text).notation(), "e2-e4", "{text}");
    }
    // every legal move is played by its own value
    for mv in game.start().moves().expect("moves") {
        let mut at = game.start();
        assert_eq!(at.play(&mv).expect("legal"), mv);
    }
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let mut at = shipped("chess").start();
    let before = at.clone();
    let told = at.play("a1-a5").expect_err("illegal");
    assert_eq!(told.kind(), "illegal");
    assert_eq!(told.to_string(), before.why("a1-a5").expect("a reason").to_string());
    at.play_line("d4 d5 Nf3 Nf6").expect("a line");
    let told = at.play("Nd2").expect_err("two knights");
    let Error::Ambiguous { candidates, message } = &told else { panic!("{told:?}") };
    assert_eq!(candidates.len(), 2, "{message}");
    assert!(candidates.iter().all(|mv| message.contains(mv.notation())), "{message}");
    let mut other = at.clone();
    other.play(&candidates[0]).expect("a candidate can be played");
    assert_eq!(at.history().len(), 4);
    for text in ["", "   ", &"x".repeat(5_000)] {
        assert_eq!(at.play(text).expect_err("no move").kind(), "question");
    }
    for text in ["\u{0}", "((((", "🙂", "e9", "a1)", "'", "\"", "foo(", "move(X)"] {
        assert_eq!(at.play(text).expect_err(text).kind(), "illegal", "{text}");
    }
    assert_eq!(at.history().len(), 4);
}

#[test]
fn a_line_is_played_whole_or_not_at_all() {
    let mut at = shipped("tic_tac_toe").start();
    let told = at.play_line("a1 b1 a1").expect_err("a1 is taken");
    assert!(told.to_string().contains("move 3"), "{told}");
    assert!(at.history().is_empty());
    let made = at.play_line("a1 b1 a2 b2 a3").expect("a game");
    assert_eq!(made.len(), 5);
    assert_eq!(at.history(), made);
    let end = at.outcome().expect("no fault").expect("an end");
    assert_eq!(
        (end.winners.as_slice(), end.end.as_deref()),
        (&["x".to_string()][..], Some("three in a row"))
    );
    assert!(at.moves().expect("moves").is_empty());
    let told = at.play("c3").expect_err("over");
    assert!(matches!(told, Error::Over(_)), "{told:?}");
    assert!(told.to_string().starts_with("the game is over: a win for x"));
    assert!(at.best(Search::playouts(5)).expect("no fault").is_none());
    while at.undo().is_some() {}
    assert_eq!(at, at.game().start());
    assert_eq!(at.moves().expect("moves").len(), 9);
}

#[test]
fn wrong_games_options_and_rules_are_told() {
    let kind = |e: ludex::Result<Game>| e.expect_err("wrong").kind();
    assert_eq!(kind(Game::shipped("chss").load()), "request");
    let told = Game::shipped("chss").load().expect_err("wrong").to_string();
    assert!(told.contains("did you mean `chess`?"), "{told}");
    assert_eq!(kind(Game::shipped("hex").option("siez", 3).load()), "request");
    assert_eq!(kind(Game::shipped("hex").option("width", "big").load()), "request");
    assert_eq!(kind(Game::path("/nowhere/at/all.ludex").load()), "request");
    let wrong = Game::text("mine.ludex", "win(P) :- nothing(P).").load().expect_err("wrong");
    let Error::Rules(faults) = &wrong else { panic!("{wrong:?}") };
    let fault = faults.iter().find(|f| f.code == "unknown-relation").expect("the error");
    assert_eq!((fault.is_error, fault.place), (true, Some((1, 11))), "{faults}");
    assert!(wrong.to_string().contains("mine.ludex:1:11: "), "{wrong}");
    assert_eq!(kind(Game::text("empty", "").load()), "rules");
    let source: &dyn std::error::Error = &wrong;
    assert!(!source.to_string().is_empty());
}

#[test]
fn rules_from_memory_see_no_disk() {
    let own = format!("{}/games/board/square.ludex", env!("CARGO_MANIFEST_DIR"));
    for path in [own.as_str(), "Cargo.toml", "../door/Cargo.toml", "/etc/passwd"] {
        let rules = format!(":- include \"{path}\".\n:- players a.\n");
        let told = Game::text("mine.ludex", rules).load().expect_err(path).to_string();
        assert!(told.contains("there is no file"), "{path}: {told}");
    }
    let rules = ":- include \"board/square\" with (width = 2, height = 2).
        :- include \"mine/ends\".\n:- players a, b.\n:- state at(cell) -> player.
        move(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.";
    let files = BTreeMap::from([("mine/ends.ludex".to_string(), "draw :- stuck.".to_string())]);
    let game = Game::text("mine.ludex", rules).files(files).load().expect("loads");
    let mut at = game.start();
    at.play_line("a1 a2 b1 b2").expect("a line");
    assert_eq!(at.outcome().expect("no fault").map(|end| end.winners.len()), Some(0));
    assert_eq!(at.perft(0).expect("a count"), 1);
    assert_eq!(game.start().perft(4).expect("a count"), 24);
}

#[test]
fn limits_end_every_call() {
    let endless =
        ":- players a.\n:- state n -> 0..1 = 0.\nwide(X) :- between(1, 100000000, X), X < 0.
        move(go) :- n =:= 0, wide(_), n := 1.\ndraw :- stuck.";
    let started = Instant::now();
    let limits = Limits::default().time(Duration::from_millis(300));
    match Game::text("mine.ludex", endless).limits(limits).load() {
        Ok(game) => assert_eq!(game.start().moves().expect_err("endless").kind(), "limit"),
        Err(error) => assert_eq!(error.kind(), "limit", "{error}"),
    }
    let at = shipped("chess").with_limits(limits).start();
    assert_eq!(at.perft(12).expect_err("too many").kind(), "limit");
    assert_eq!(
        at.query("between(1, 1000000, X), between(1, 1000000, Y), X + Y < 0")
            .expect_err("long")
            .kind(),
        "limit"
    );
    // a search is bounded by the limit, and answers
    assert!(at.best(Search::time(Duration::from_secs(1000))).expect("no fault").is_some());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let few = at.with_limits(Limits::default().steps(50));
    assert_eq!(few.moves().expect_err("too few steps").kind(), "limit");
    let few = at.with_limits(Limits::default().answers(3));
    assert_eq!(few.moves().expect_err("too many moves").kind(), "limit");
    assert_eq!(at.perft(101).expect_err("too deep").kind(), "question");
}

#[test]
fn chance_events_are_drawn_by_a_seed() {
    let game = shipped("backgammon");
    let roll = |seed: u64| {
        let mut at = game.start();
        let mut drawn = Vec::new();
        while let Some(event) = at.draw_chance(seed).expect("no fault") {
            assert!(event.is_chance());
            drawn.push(event.notation().to_string());
        }
        drawn
    };
    assert!(game.start().is_chance().expect("no fault"));
    assert!(!roll(1).is_empty());
    assert_eq!(roll(1), roll(1));
    assert!((2..40).any(|seed| roll(seed) != roll(1)));
    let mut at = shipped("hex").start();
    assert!(at.draw_chance(1).expect("no fault").is_none());
}

#[test]
fn positions_are_read_as_they_are_written() {
    for name in ["chess", "hex", "oware", "tic_tac_toe"] {
        let game = shipped(name);
        let mut at = game.start();
        for _ in 0..5 {
            let moves = at.moves().expect("moves");
            at.play(&moves[moves.len() / 2]).expect("legal");
        }
        let text = at.text().expect("a text");
        let again = game.position(&text).unwrap_or_else(|e| panic!("{name}: {text}: {e}"));
        assert_eq!(again.text().expect("a text"), text, "{name}");
        let moves: Vec<_> = at.moves().expect("moves");
        assert_eq!(again.moves().expect("moves"), moves, "{name}");
    }
    assert_eq!(shipped("chess").position("nonsense").expect_err("wrong").kind(), "question");
}

#[test]
fn positions_are_drawn_and_rated() {
    let mut at = shipped("tic_tac_toe").start();
    at.play_line("a1 b1 a2 b2").expect("a line");
    assert!(at.draw(80).expect("a drawing").contains('x'));
    assert!(!at.draw(40).expect("a drawing").contains('\u{1b}'));
    assert!(at.svg().expect("no fault").expect("a board").starts_with("<svg"));
    let best = at.best(Search::playouts(300).seed(3)).expect("no fault").expect("a move");
    assert_eq!(best.mv.notation(), "a3");
    let rated = at.analyse(Search::playouts(300).seed(3)).expect("no fault");
    assert_eq!(rated.len(), 5);
    assert_eq!((rated[0].mv.notation(), rated[0].mean), ("a3", Some(1.0)));
    let again = at.analyse(Search::playouts(300).seed(3)).expect("no fault");
    assert_eq!(rated, again);
}

#[test]
fn questions_see_earlier_positions_and_long_games_end() {
    // knights go out and back: the same position for the third time
    let mut at = shipped("chess").start();
    for _ in 0..2 {
        at.play_line("Nf3 Nf6 Ng1 Ng8").expect("a line");
    }
    assert_eq!(at.ply(), 8);
    // a long past is dropped without recursion
    let rules = ":- players a, b.\n:- state n -> 0..1 = 0.\nmove(go) :- n := 1 - n.\nwin(P) :- player(P), n =:= 5.";
    let game = Game::text("mine.ludex", rules).load().expect("loads");
    let mut at = game.start();
    for _ in 0..20_000 {
        at.play("go").expect("legal");
    }
    let past = at.clone();
    drop(at);
    assert_eq!(past.ply(), 20_000);
    drop(past);
}

#[test]
fn a_clone_is_cheap_and_goes_its_own_way() {
    let mut at = shipped("chess").start();
    at.play_line("e4 e5 Nf3").expect("a line");
    let started = Instant::now();
    let clones: Vec<Position> = (0..100_000).map(|_| at.clone()).collect();
    assert!(started.elapsed() < Duration::from_secs(1));
    let mut one = clones[0].clone();
    one.undo();
    one.play("Bc4").expect("legal");
    assert_eq!(at.history().last().map(|mv| mv.notation()), Some("g1-f3"));
    assert_ne!(one, at);
}
