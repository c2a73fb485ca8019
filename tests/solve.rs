//! Exact values: published ones, and the same by methods that share nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ludex::engine::{Fact, Game, Session, State};
use ludex::pipeline;
use ludex::plan::Scope;
use ludex::program::{FluentId, LoadRequest};
use ludex::solve::proof::Stake;
use ludex::solve::{
    Bounds, Identity, Method, Numbering, Probe, Solution, Store, Subject, Task, Trouble, Value,
    Wdl, prove, solve,
};

fn shipped(name: &str, options: &[(&str, &str)]) -> Game {
    let mut request = LoadRequest::shipped(name);
    for (option, value) in options {
        request.options.push((option.to_string(), value.to_string()));
    }
    pipeline::load(&request).unwrap_or_else(|f| panic!("{name}: {f:?}")).game
}

fn from_file(name: &str) -> Game {
    let path = format!("{}/tests/solve/{name}.ludex", env!("CARGO_MANIFEST_DIR"));
    pipeline::load(&LoadRequest::path(&path)).unwrap_or_else(|f| panic!("{name}: {f:?}")).game
}

fn task(start: &State) -> Task<'_> {
    Task {
        start,
        arrangements: false,
        symmetric: true,
        method: Method::Induction,
        memory: 1 << 30,
        threads: 2,
        store: None,
    }
}

fn solved(game: &Game, change: impl Fn(&mut Task<'_>)) -> Solution {
    let start = Session::new(game).opening();
    let mut task = task(&start);
    change(&mut task);
    solve(game, &task, &|| false, &mut |_| {}).expect("solved")
}

fn value(game: &Game) -> Value {
    let start = Session::new(game).opening();
    solved(game, |_| {}).value(&start).expect("the start")
}

#[test]
fn published_values_are_found() {
    let tic_tac_toe = shipped("tic_tac_toe", &[]);
    // 5,478 positions, 765 up to symmetry
    assert_eq!(solved(&tic_tac_toe, |t| t.symmetric = false).tiers.positions(), 5_478);
    assert_eq!(solved(&tic_tac_toe, |_| {}).tiers.positions(), 765);
    // 161,029 positions, of which 53 are their own mirror images: the number of a column only names a move
    let connect_four = shipped("connect_four", &[("columns", "4"), ("rows", "4")]);
    assert_eq!(solved(&connect_four, |_| {}).tiers.positions(), (161_029 + 53) / 2);
    assert_eq!(value(&connect_four), Value::DRAW);
    assert_eq!(value(&tic_tac_toe), Value::DRAW);
    for (name, wanted) in [("mu_torere", Wdl::Draw), ("pong_hau_ki", Wdl::Draw)] {
        assert_eq!(value(&shipped(name, &[])).outcome(), wanted, "{name}");
    }
    let square = [("columns", "4"), ("rows", "4")];
    assert_eq!(value(&shipped("connect_four", &square)).outcome(), Wdl::Draw);
    let hex = [("width", "3"), ("height", "3"), ("swap", "no")];
    assert_eq!(value(&shipped("hex", &hex)).outcome(), Wdl::Win);
    let small = [("width", "4"), ("height", "4")];
    assert_eq!(value(&shipped("reversi", &small)).outcome(), Wdl::Loss);
    assert_eq!(value(&from_file("hexapawn")).outcome(), Wdl::Loss);
    assert_eq!(value(&from_file("dodgem")).outcome(), Wdl::Win);
    assert_eq!(value(&from_file("pegs")), Value::won(13));
}

/// The cells of a position that tell it from others, by their facts.
fn told(game: &Game, state: &State) -> Vec<Fact> {
    let mut facts = game.facts(state);
    facts.retain(|fact| ![FluentId::MOVER, FluentId::PLY].contains(&fact.fluent));
    facts
}

/// The values of all positions by the plainest method there is: a ply more each time, from facts.
fn by_hand(game: &Game) -> BTreeMap<Vec<Fact>, (State, Value)> {
    let mut session = Session::new(game);
    let mut all: BTreeMap<Vec<Fact>, State> = BTreeMap::new();
    let mut rest = vec![session.opening()];
    let mut next: BTreeMap<Vec<Fact>, Vec<Vec<Fact>>> = BTreeMap::new();
    let mut known: BTreeMap<Vec<Fact>, Value> = BTreeMap::new();
    while let Some(state) = rest.pop() {
        let facts = told(game, &state);
        if all.insert(facts.clone(), state.clone()).is_some() {
            continue;
        }
        if let Some(outcome) = session.outcome(&state).expect("an outcome") {
            if outcome.winners.len() == 1 {
                let won = outcome.winners[0] == game.turn(&state);
                known.insert(facts, if won { Value::won(0) } else { Value::lost(0) });
            }
            continue;
        }
        let after = session.successors(&state).expect("moves");
        next.insert(facts, after.iter().map(|(_, state)| told(game, state)).collect());
        rest.extend(after.into_iter().map(|(_, state)| state));
    }
    let turn = |facts: &Vec<Fact>| facts.iter().find(|f| f.fluent == FluentId::TURN).cloned();
    for plies in 1.. {
        let mut found = Vec::new();
        for (facts, after) in &next {
            if known.contains_key(facts) {
                continue;
            }
            let values = after
                .iter()
                .map(|to| known.get(to).map(|value| value.before(turn(to) == turn(facts))));
            let values: Vec<Option<Value>> = values.collect();
            let wins = |v: &Option<Value>| v.is_some_and(|v| v.outcome() == Wdl::Win);
            let loses = |v: &Option<Value>| v.is_some_and(|v| v.outcome() == Wdl::Loss);
            if values.iter().any(wins) {
                found.push((facts.clone(), Value::won(plies)));
            } else if !values.is_empty() && values.iter().all(loses) {
                found.push((facts.clone(), Value::lost(plies)));
            }
        }
        if found.is_empty() {
            break;
        }
        known.extend(found);
    }
    all.into_iter()
        .map(|(facts, state)| {
            let value = known.get(&facts).copied().unwrap_or(Value::DRAW);
            (facts, (state, value))
        })
        .collect()
}

#[test]
fn all_methods_agree_on_all_positions() {
    let games = [
        ("tic_tac_toe", shipped("tic_tac_toe", &[])),
        ("pong_hau_ki", shipped("pong_hau_ki", &[])),
        ("mu_torere", shipped("mu_torere", &[])),
        ("tapatan", shipped("tapatan", &[])),
        ("hexapawn", from_file("hexapawn")),
        ("hexapawn_letters", from_file("hexapawn_letters")),
        ("dodgem", from_file("dodgem")),
        ("twice", from_file("twice")),
    ];
    for (name, game) in &games {
        let wanted = by_hand(game);
        let ways = [
            solved(game, |_| {}),
            solved(game, |task| task.symmetric = false),
            solved(game, |task| task.method = Method::Passes),
            solved(game, |task| task.threads = 1),
        ];
        assert_eq!(ways[1].tiers.positions(), wanted.len() as u64, "{name}");
        for (state, value) in wanted.values() {
            for way in &ways {
                assert_eq!(way.value(state), Some(*value), "{name}: {:?}", game.facts(state));
            }
        }
    }
}

/// What takes a first answer is not the same on a board that is turned.
#[test]
fn the_order_of_answers_has_no_symmetries() {
    for rules in [
        "move(first) :- turn(P), ( lit(D) -> at(D) := P ; true ).",
        "move(first) :- turn(P), once(lit(D)), at(D) := P.",
        "move(first) :- turn(P), some(D), at(D) := P.\nsome(D) :- once(lit(D)).",
        ":- state n -> 0..20 = 0.\n:- state number(cell) -> 0..20 = 0.\n\
         move(first) :- n < 9, each(lit(D), (n += 1, number(D) := n)).",
        ":- state last -> cell.\nmove(first) :- each(lit(D), last := D).",
        ":- state best(cell).\n\
         move(first) :- turn(P), each((lit(D), \\+ at(D, _)), near(D)), at(a1) := P.\n\
         near(D) :- ( adjacent(D, E), best(E) -> true ; set(best(D)) ).",
    ] {
        assert_eq!(turned(rules), 0, "{rules}");
    }
    for rules in [
        "move(first) :- turn(P), each(lit(D), at(D) := P).",
        "move(first) :- turn(P), each(lit(D), light(P, D)).\nlight(P, D) :- at(D) := P, clear(lit(D)).",
        "move(first(D)) :- turn(P), cell(D), ( lit(D) -> at(D) := P ; at(D, Q), Q \\= P -> clear(at(D)) ).",
        ":- state seen -> 0..9 = 0.\nmove(first) :- each((lit(D), \\+ at(D, _)), (seen += 1, clear(lit(D)))).",
        "move(first) :- turn(P), once(lit(_)), each(cell(D), at(D) := P).",
    ] {
        assert!(turned(rules) > 0, "{rules}");
    }
}

/// The number of symmetries of a small game with these rules.
fn turned(rules: &str) -> usize {
    let text = format!(
        "% A square.\n:- players a, b.\n\
         :- include \"board/square\" with (width = 2, height = 2, diagonals = yes).\n\
         :- pieces player.\n:- state lit(cell).\n\
         {rules}\n\
         move(light(C)) :- empty(C), \\+ lit(C), set(lit(C)).\n\
         win(P) :- player(P), count(C, at(C, P), N), N > 2.\ndraw :- ply(6).\n"
    );
    let loaded = pipeline::load(&LoadRequest::text("square", &text));
    let game = loaded.unwrap_or_else(|f| panic!("{rules}: {f:?}")).game;
    ludex::solve::renamings(&game, &|| false).len()
}

#[test]
fn a_search_proves_the_same() {
    let square = [("columns", "4"), ("rows", "4")];
    let small = [("width", "4"), ("height", "4")];
    let games = [
        (shipped("tic_tac_toe", &[]), Stake::Outcome, 0),
        (shipped("connect_four", &square), Stake::Outcome, 0),
        (from_file("hexapawn"), Stake::Outcome, -1),
        // white wins by eight
        (shipped("reversi", &small), Stake::Margin, -8),
    ];
    for (game, stake, wanted) in games {
        let start = Session::new(&game).opening();
        let proven = prove(&game, None, (&start, stake, 1 << 24), &|| false, &mut |_, _, _| {});
        assert_eq!(proven.expect("proven").value, wanted, "{}", game.program.title);
    }
    // a forced win is found long before the other replies are refuted: without proof numbers it took 104,000
    let kalah = shipped("kalah", &[("cups", "4"), ("stones_per_cup", "3")]);
    let start = Session::new(&kalah).opening();
    let proven =
        prove(&kalah, None, (&start, Stake::Outcome, 1 << 24), &|| false, &mut |_, _, _| {})
            .expect("proven");
    assert_eq!(proven.value, 1);
    assert!(proven.positions < 10_000, "{} positions", proven.positions);
    // positions come again
    let circle = shipped("pong_hau_ki", &[]);
    let start = Session::new(&circle).opening();
    let refused =
        prove(&circle, None, (&start, Stake::Outcome, 1 << 20), &|| false, &mut |_, _, _| {});
    assert!(matches!(refused, Err(Trouble::Refused(_))), "{refused:?}");
}

#[test]
fn arrangements_hold_all_positions_of_the_pieces() {
    let game = shipped("pong_hau_ki", &[]);
    // two counters each on five points, and either player to move
    let all = solved(&game, |task| (task.arrangements, task.symmetric) = (true, false));
    assert_eq!(all.tiers.positions(), 10 * 3 * 2);
    // three men each on nine points: none is in hand, in whatever arrangement
    let game = shipped("tapatan", &[]);
    let mut session = Session::new(&game);
    let mut placed = session.opening();
    for _ in 0..6 {
        let after = session.successors(&placed).expect("moves");
        let mut states = after.into_iter().map(|(_, state)| state);
        let open = states.find(|state| session.outcome(state).expect("an outcome").is_none());
        placed = open.expect("a placement that makes no row");
    }
    let mut endgame = task(&placed);
    (endgame.arrangements, endgame.symmetric) = (true, false);
    let all = solve(&game, &endgame, &|| false, &mut |_| {}).expect("solved");
    assert_eq!(all.tiers.positions(), 84 * 20 * 2);
}

fn subject(game: &Game, rules: &str) -> Subject {
    let start = Session::new(game).opening();
    let identity = Identity {
        game: game.program.title.clone(),
        options: Vec::new(),
        rules: rules.to_string(),
    };
    Subject::new(identity, &start.words()[..game.plan.layout.len], false, true)
}

/// How often it is looked at the clock while positions are numbered.
fn looks_before(game: &Game) -> usize {
    let scope = Scope::of(&game.program, &game.tables);
    let start = Session::new(game).opening();
    let words = &start.words()[..game.plan.layout.len];
    let looks = AtomicUsize::new(0);
    let stop = || {
        looks.fetch_add(1, Ordering::SeqCst);
        false
    };
    let mut bounds = Bounds::new(1 << 30, &stop);
    Numbering::new(game, &scope, words, true, &mut bounds).expect("numbered");
    looks.into_inner()
}

/// Solves into a folder, and stops after this number of looks at the clock.
fn kept(game: &Game, folder: &Path, looks: usize) -> Result<Solution, Trouble> {
    let start = Session::new(game).opening();
    let subject = subject(game, "1");
    let store = Store::create(folder, &subject)?;
    let mut task = task(&start);
    (task.threads, task.store) = (1, Some((&store, &subject)));
    let left = AtomicUsize::new(looks);
    let stop =
        || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_err();
    solve(game, &task, &stop, &mut |_| {})
}

#[test]
fn an_interrupted_solution_goes_on() {
    let game = shipped("tapatan", &[]);
    let start = Session::new(&game).opening();
    let wanted = solved(&game, |_| {});
    let folder = tempfile::tempdir().expect("a folder");
    let (mut interruptions, before) = (0, looks_before(&game));
    let solution = loop {
        match kept(&game, folder.path(), before + 24) {
            Ok(solution) => break solution,
            Err(trouble) => assert_eq!(trouble, Trouble::Interrupted),
        }
        interruptions += 1;
        assert!(interruptions < 100, "it does not go on");
    };
    assert!(interruptions > 1);
    assert_eq!(solution.values, wanted.values);
    assert_eq!(solution.value(&start), wanted.value(&start));
    // other rules are refused
    let other = subject(&game, "2");
    let store = Store::create(folder.path(), &other).expect("the folder");
    let refused = store.tiers(&other).expect_err("other rules");
    assert!(refused.to_string().contains("rules that have changed"), "{refused}");
    // what is damaged is told, and so is a file in the place of another one
    let path = |what: &str| folder.path().join(what);
    let probed = || {
        let probe = Probe::open(&game, &subject(&game, "1").identity, folder.path(), &|| false);
        let mut session = Session::new(&game);
        let mut states = vec![start.clone()];
        states.extend(session.successors(&start).expect("moves").into_iter().map(|(_, s)| s));
        let probe = probe.expect("the solution");
        states.iter().map(|state| probe.value(state)).collect::<Result<Vec<_>, _>>()
    };
    let whole = probed().expect("read");
    assert!(whole.iter().all(Option::is_some));
    let mut noticed = 0;
    let mut notices = |bytes: Vec<u8>, name: &str| {
        let kept = std::fs::read(path(name)).expect("a file");
        std::fs::write(path(name), bytes).expect("written");
        match probed() {
            // of a tier that is not asked
            Ok(values) => assert_eq!(values, whole, "{name}"),
            Err(refused) => {
                assert!(refused.to_string().contains("damaged"), "{name}: {refused}");
                noticed += 1;
            }
        }
        std::fs::write(path(name), kept).expect("written");
    };
    for (id, what) in (0..8).flat_map(|id| [(id, "values"), (id, "positions")]) {
        let name = format!("tier-{id:06}.{what}");
        let Ok(bytes) = std::fs::read(path(&name)) else { continue };
        for at in [8, 40, bytes.len() - 1] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            notices(bytes, &name);
        }
        if let Ok(other) = std::fs::read(path(&format!("tier-{:06}.{what}", id + 1))) {
            notices(other, &name);
        }
    }
    assert!(noticed >= 8, "{noticed}");
    std::fs::write(path("tier-000000.values"), "x").expect("written");
    let refused = kept(&game, folder.path(), before + 1_000).expect_err("damaged");
    assert!(refused.to_string().contains("damaged"), "{refused}");
}

/// A game with these rules, and two players.
fn of_rules(rules: &str) -> Game {
    let text = format!("% Rules.\n:- players x, o.\n:- state n -> 0..40000 = 0.\n{rules}");
    let loaded = pipeline::load(&LoadRequest::text("rules", &text));
    loaded.unwrap_or_else(|f| panic!("{rules}: {f:?}")).game
}

/// A draw by repetition that takes positions for the same of which one is won and the other lost.
#[test]
fn positions_that_only_repetition_takes_for_the_same_have_no_value() {
    for (apart, rules) in [
        (
            "turn",
            "move(pass) :- n(0), turn(x).\nmove(bad) :- n(0), turn(x), n := 1.\n\
             move(kill) :- n(0), turn(o), n := 1.\nwin(o) :- n(1).\ndraw :- repeated_board(2).\n",
        ),
        (
            "ply",
            "move(up) :- n(0), n := 1.\nmove(down) :- n(1), n := 0.\n\
             win(x) :- ply(N), N >= 10.\ndraw :- repeated(2).\n",
        ),
        (
            "clock",
            ":- state clock -> 0..12 = 0.\n:- aside clock.\n\
             move(up) :- n(0), n := 1, clock += 1.\nmove(down) :- n(1), n := 0, clock += 1.\n\
             win(x) :- clock(N), N >= 10.\ndraw :- twice.\ntwice :- repeated(2).\n",
        ),
        (
            "mover",
            "move(p) :- n(0), again.\nmove(q) :- n(0), mover(x), n := 1.\n\
             win(x) :- n(1).\ndraw :- repeated(2).\n",
        ),
    ] {
        let game = of_rules(rules);
        let start = Session::new(&game).opening();
        let refused = solve(&game, &task(&start), &|| false, &mut |_| {}).expect_err(rules);
        assert!(refused.to_string().contains(&format!("look at `{apart}`")), "{apart}: {refused}");
    }
    // a limit of plies hurries the winner alone
    let game = of_rules(
        "move(up) :- n < 3, n += 1.\nmove(down) :- n > 0, n -= 1.\n\
         win(x) :- n(3).\ndraw :- ply(60).\ndraw :- repeated(3).\n",
    );
    assert_eq!(value(&game).outcome(), Wdl::Draw);
}

#[test]
fn a_win_of_more_plies_than_a_value_holds_is_refused() {
    let game = of_rules("move(go) :- n < 40000, n += 1.\nwin(x) :- n(40000).\n");
    let start = Session::new(&game).opening();
    let refused = solve(&game, &task(&start), &|| false, &mut |_| {}).expect_err("long");
    assert!(refused.to_string().contains("more than 32765 plies"), "{refused}");
}

/// Of more symmetries than are used, those that are used are a group: all that follows has a value.
#[test]
fn many_symmetries_leave_no_move_out() {
    let game = of_rules(
        "s(a). s(b). s(c). s(d). s(e). s(f).\n:- state at(s) -> player.\n\
         init(at(a, x)).\ninit(at(b, o)).\ninit(at(f, o)).\n\
         move(put(C)) :- turn(Me), s(C), \\+ at(C, _), at(C) := Me.\n\
         move(flip(C)) :- turn(Me), opponent(Me, You), s(C), at(C, You), n < 3, n += 1, at(C) := Me.\n\
         win(P) :- player(P), count(L, at(L, P), 4).\nwin(P) :- turn(P), stuck.\n",
    );
    let (alike, all) = (solved(&game, |_| {}), solved(&game, |task| task.symmetric = false));
    let mut session = Session::new(&game);
    let mut states = vec![session.opening()];
    for _ in 0..3 {
        let last = states.clone();
        for state in last {
            if session.outcome(&state).expect("an outcome").is_none() {
                let after = session.successors(&state).expect("moves");
                states.extend(after.into_iter().map(|(_, state)| state));
            }
        }
    }
    assert!(alike.tiers.positions() < all.tiers.positions());
    for state in &states {
        assert!(all.value(state).is_some());
        assert_eq!(alike.value(state), all.value(state));
    }
}

#[test]
fn several_share_the_work() {
    let game = shipped("tapatan", &[]);
    let wanted = solved(&game, |_| {});
    let folder = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        let all: Vec<_> =
            (0..4).map(|_| scope.spawn(|| kept(&game, folder.path(), 100_000))).collect();
        for one in all {
            assert_eq!(one.join().expect("no panic").expect("solved").values, wanted.values);
        }
    });
}

#[test]
fn games_without_exact_values_are_refused() {
    let seats = [("seats", "3")];
    for (name, options, wanted) in [
        ("backgammon", &[][..], "chance"),
        ("kei_yen", &[], "earlier positions"),
        ("chinese_checkers", &seats, "players"),
    ] {
        let game = shipped(name, options);
        let start = Session::new(&game).opening();
        let refused = solve(&game, &task(&start), &|| false, &mut |_| {}).expect_err(name);
        assert!(refused.to_string().contains(wanted), "{name}: {refused}");
    }
}

#[test]
fn the_numbering_of_a_large_game_is_bounded() {
    // the rows that say what touches what are many
    let game = shipped("hex", &[("width", "19"), ("height", "19")]);
    let start = Session::new(&game).opening();
    let attempt = |memory: u64, stop: &(dyn Fn() -> bool + Sync)| {
        let mut task = task(&start);
        task.memory = memory;
        let solved = solve(&game, &task, stop, &mut |_| {}).map(|_| ()).expect_err("too large");
        let proven = prove(&game, None, (&start, Stake::Outcome, memory), &stop, &mut |_, _, _| {});
        assert_eq!(proven.map(|_| ()), Err(solved.clone()));
        solved
    };
    let refused = attempt(1 << 20, &|| false);
    assert!(refused.to_string().contains("takes more than 1 MB"), "{refused}");
    // how long it goes on after it was told to stop, with an allowance for machines that are busy
    for milliseconds in [0, 5, 50, 150] {
        let until = Instant::now() + Duration::from_millis(milliseconds);
        let asked = AtomicUsize::new(0);
        let late = || {
            asked.fetch_add(1, Ordering::Relaxed);
            Instant::now() >= until
        };
        let mut task = task(&start);
        task.memory = 1 << 30;
        let solved = solve(&game, &task, &late, &mut |_| {}).map(|_| ());
        assert_eq!(solved, Err(Trouble::Interrupted));
        let after = until.elapsed();
        assert!(after < Duration::from_millis(100), "{after:?} after {milliseconds} ms");
        assert!(asked.into_inner() > 0);
    }
}

fn ludex(home: &Path, words: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"));
    let output = command.args(words).env("XDG_STATE_HOME", home).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    text + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn values_that_are_kept_are_used_everywhere() {
    let home = tempfile::tempdir().expect("a folder");
    let asked = ludex(home.path(), &["probe", "tapatan"]);
    assert!(asked.contains("no values of this game are kept"), "{asked}");
    let solved = ludex(home.path(), &["solve", "tapatan"]);
    assert!(solved.contains("Tapatan, white to move: wins in 9 plies"), "{solved}");
    let asked = ludex(home.path(), &["probe", "tapatan", "--after", "b2 a1"]);
    assert!(asked.contains("white to move: wins in 7 plies"), "{asked}");
    let analysed = ludex(home.path(), &["analyse", "tapatan", "--lines", "2"]);
    assert!(analysed.contains("wins in 9 plies, the only move that wins"), "{analysed}");
    // another option is another game
    let other = ludex(home.path(), &["probe", "three_mens_morris"]);
    assert!(other.contains("no values"), "{other}");
    // a line ends where the game does, also where the position can be reached in another way and the game goes on
    let path = home.path().join("line.ludex");
    let rules = "% To five.\n:- players x, o.\n:- state n -> 0..5 = 0.\n\
        move(add(K)) :- K in 1..2, n + K =< 5, n += K.\nwin(x) :- n(2), turn(o).\ndraw :- n(5).\n";
    std::fs::write(&path, rules).expect("written");
    let file = path.display().to_string();
    ludex(home.path(), &["solve", &file]);
    let analysed = ludex(home.path(), &["analyse", &file, "--json"]);
    let best: serde_json::Value =
        serde_json::from_str(analysed.lines().last().unwrap_or_default()).expect("JSON");
    let first = &best["moves"][0];
    assert_eq!(first["line"].as_array().map(Vec::len), Some(1), "{analysed}");
}

/// The most memory that a search for the value of a game took at any moment, in kilobytes, with what it has found.
#[cfg(target_os = "linux")]
fn peak(home: &Path, game: &[&str], memory: &str) -> (u64, serde_json::Value) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.arg("solve").args(game).args(["--method", "search", "--json", "--memory", memory]);
    command.env("XDG_STATE_HOME", home).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut most = 0;
    while child.try_wait().expect("its state").is_none() {
        let told = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = |text: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
        };
        most = most.max(told.ok().as_deref().and_then(line).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("it ends");
    (most, serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_search_keeps_to_its_memory() {
    let home = tempfile::tempdir().expect("a folder");
    let board = ["connect_four", "-o", "columns=5", "-o", "rows=4"];
    let (least, _) = peak(home.path(), &["connect_four", "-o", "columns=4", "-o", "rows=4"], "1");
    let (little, found) = peak(home.path(), &board, "2");
    assert_eq!(found["value"], "draw");
    assert!(little < least + 5_000, "{little} kB, without a search {least} kB");
    // it would take more
    let (much, found) = peak(home.path(), &board, "64");
    assert_eq!(found["value"], "draw");
    assert!(much > little, "{much} kB and {little} kB");
}

/// `ludex solve` with a folder that others may use as well.
fn process(home: &Path, store: &Path) -> std::process::Child {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(["solve", "connect_four", "-o", "columns=4", "-o", "rows=4", "--no-symmetry"]);
    command.args(["--json", "--store"]).arg(store).env("XDG_STATE_HOME", home);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::null()).spawn().expect("it runs")
}

/// What a process has found, without the time that it took.
fn told_by(child: std::process::Child) -> Vec<serde_json::Value> {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    ["value", "positions", "wins", "draws", "losses", "moves"].map(|key| told[key].clone()).into()
}

#[test]
fn processes_that_are_killed_leave_what_others_go_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let [alone, killed, shared] = ["alone", "killed", "shared"].map(|n| folder.path().join(n));
    let wanted = told_by(process(folder.path(), &alone));
    assert_eq!(wanted[..2], [serde_json::json!("draw"), serde_json::json!(161_029)]);
    // each is given a little more time than the one before, so that they die at all stages
    for moment in 1..=12 {
        let mut child = process(folder.path(), &killed);
        std::thread::sleep(std::time::Duration::from_millis(30 * moment));
        child.kill().expect("killed");
        child.wait().expect("it has ended");
    }
    assert_eq!(told_by(process(folder.path(), &killed)), wanted);
    let both = [(); 2].map(|()| process(folder.path(), &shared));
    both.into_iter().for_each(|child| assert_eq!(told_by(child), wanted));
}

/// What the only player has not won is lost where the rules say so, and no draw; a score is neither won nor lost.
#[test]
fn games_for_one_player_are_won_or_lost() {
    let rules = ":- players solo.\n:- state n -> 0..9 = 0.\n\
                 move(add(K)) :- K in 1..3, N is n + K, N =< 9, n := N.\n";
    let load = |ends: &str| {
        let request = LoadRequest::text("adding", &format!("{rules}{ends}\n"));
        pipeline::load(&request).unwrap_or_else(|f| panic!("{f:?}")).game
    };
    let game = load("win(solo) :- n =:= 7.\nlose(solo) :- n > 7.");
    assert_eq!(value(&game).outcome(), Wdl::Win);
    let solution = solved(&game, |task| task.symmetric = false);
    let values: Vec<Wdl> = solution.values.iter().flatten().map(|value| value.outcome()).collect();
    assert_eq!(values.iter().filter(|value| **value == Wdl::Loss).count(), 2, "8 and 9 are lost");
    let lost = load("lose(solo) :- n > 6.");
    assert_eq!(value(&lost).outcome(), Wdl::Loss);
    let scored = load("over :- n > 6.\nscore(solo, N) :- n(N).");
    let start = Session::new(&scored).opening();
    let refused = solve(&scored, &task(&start), &|| false, &mut |_| {});
    assert!(matches!(refused, Err(Trouble::Refused(text)) if text.contains("--margin")));
    let proven =
        prove(&scored, None, (&start, Stake::Margin, 1 << 24), &|| false, &mut |_, _, _| {});
    assert_eq!(proven.expect("proven").value, 9);
}

/// An option that the chosen method does not use is refused, and not passed over.
#[test]
fn options_of_other_methods_are_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let told = ludex(home.path(), &["solve", "tapatan", "--margin"]);
    assert!(told.contains("add --method search"), "{told}");
    let store = home.path().join("store").display().to_string();
    let told = ludex(home.path(), &["solve", "tapatan", "--method", "search", "--store", &store]);
    assert!(told.contains("--store does not apply"), "{told}");
}
