//! Profiles are true: every sample has a place, counts are exact, and what is named slow is slow.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn profile(game: &str, more: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(["profile", game, "--json", "--all"]).args(more);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{game}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{game}: {e}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn share(value: &Value) -> f64 {
    value["share"].as_f64().expect("a share")
}

/// Calls `visit` for each goal of a clause or goal.
fn each_goal(of: &Value, visit: &mut dyn FnMut(&Value)) {
    for goal in list(of, "goals") {
        visit(goal);
        each_goal(goal, visit);
    }
}

/// The names of the rule files in a folder and those inside it.
fn games(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true if !path.ends_with("board") && !path.ends_with("lib") => games(&path, found),
            true => {}
            false if path.extension().is_none_or(|e| e != "ludex") => {}
            false => found.push(path.to_string_lossy().into_owned()),
        }
    }
}

#[test]
fn every_game_has_a_profile_whose_shares_come_to_the_whole() {
    let mut all = Vec::new();
    games(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games"), &mut all);
    assert!(all.len() >= 19, "{all:?}");
    for game in all {
        let profile = profile(&game, &["--seconds", "0.3"]);
        let outside = profile["outside"].as_f64().expect("a share");
        let sum = list(&profile, "clauses").iter().map(share).sum::<f64>() + outside;
        assert!((sum - 100.0).abs() < 0.01, "{game}: the shares come to {sum}");
        assert!(profile["plies"].as_u64() > Some(0), "{game}: {profile}");
        for clause in list(&profile, "clauses") {
            let inside: f64 = list(clause, "goals").iter().map(share).sum();
            assert!(inside <= share(clause) + 0.01, "{game}: {clause}");
            each_goal(clause, &mut |goal| {
                let inside: f64 = list(goal, "goals").iter().map(share).sum();
                assert!(inside <= share(goal) + 0.01, "{game}: {goal}");
                assert!(goal["line"].as_u64() > Some(0), "{game}: {goal}");
            });
        }
    }
}

/// Everything that was counted, in an order of its own.
fn counts(profile: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for clause in list(profile, "clauses") {
        let place = format!("{} {}", clause["file"], clause["line"]);
        all.push(format!("{place} {}", clause["ways"]));
        each_goal(clause, &mut |goal| {
            let (text, tried) = (&goal["goal"], &goal["tried"]);
            all.push(format!("{place} {text} {tried} {} {}", goal["answers"], goal["form"]));
        });
    }
    all.sort();
    all
}

#[test]
fn counts_are_exact() {
    let more = ["--playouts", "30", "--seed", "7"];
    let first = profile("chess", &more);
    assert_eq!(counts(&first), counts(&profile("chess", &more)));
    assert_eq!(first["playouts"], 30);
    // what a game comes to in all its plies is known
    let profile = profile("tic_tac_toe", &more);
    let plies = profile["plies"].as_u64().expect("a count");
    let moves = list(&profile, "clauses").iter().find(|c| c["head"] == "move(mark(C))");
    let moves = moves.expect("the clause of the moves");
    let played = list(moves, "ways").iter().find(|way| way["as"] == "play").expect("played");
    assert_eq!((&played["tried"], &played["answers"]), (&plies.into(), &plies.into()));
    let mut updates = Vec::new();
    each_goal(moves, &mut |goal| {
        if goal["form"] == serde_json::json!(["update"]) {
            updates.push(goal["tried"].as_u64());
        }
    });
    assert_eq!(updates, [Some(plies)]);
}

#[test]
fn what_is_named_slow_is_slow() {
    let game = "tests/cli/profile.in/winding.ludex";
    let slow = profile(game, &["--seconds", "1.5"]);
    let first = &list(&slow, "findings")[0];
    assert!(share(first) > 80.0, "{first}");
    let text = first["text"].as_str().expect("a sentence");
    assert!(text.contains("`winds/3`") && text.contains("winding.ludex:10"), "{text}");
    assert!(text.contains("a table, as the recursion changes `E` and `C`"), "{text}");
    // the same rules without the relation are as many times as fast as its share promises
    let path = format!("{}/{game}", env!("CARGO_MANIFEST_DIR"));
    let rules = std::fs::read_to_string(path).expect("the rules");
    let without = rules.replace("winds(A, _, C)", "cell(C)");
    assert_ne!(rules, without);
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("without.ludex");
    std::fs::write(&other, without).expect("written");
    let fast = profile(&other.to_string_lossy(), &["--seconds", "1.5"]);
    let speed = |of: &Value| of["plies_per_second"]["interpreted"].as_f64().expect("a speed");
    let promised = 1.0 / (1.0 - share(first) / 100.0);
    let times = speed(&fast) / speed(&slow);
    assert!(times > promised.min(10.0) / 3.0, "{times} times as fast, {promised} promised");
}

/// What is called slow is called so at the line where it is asked for, wherever the planner puts it.
#[test]
fn a_slow_goal_keeps_its_place_where_it_is_moved() {
    let rules = "\
:- game \"Places\".
:- players a, b.
:- include \"board/square\" with (width = 5, height = 5, diagonals = no).
:- pieces player.
:- state last -> cell.
winds(A, D, B) :- step(D, A, B), \\+ at(B, _).
winds(A, E, C) :- winds(A, D, B), step(E, B, C), E \\= D, \\+ at(C, _).
quiet(A) :- cell(A).
slow(A) :- winds(A, _, C), side(s, C).
near(A, B) :-
    QUIET1(A),
    adjacent(A, B).
safe(A) :- forall(adjacent(A, B), (at(B, _) ; QUIET2(B))).
busy(A, N) :- count(B, (adjacent(A, B), QUIET3(B)), N).
move(put(C)) :-
    turn(Me), empty(C), last := C,
    QUIET4(C),
    at(C) := Me.
move(two(C, D)) :-
    turn(Me), empty(C), at(C) := Me,
    near(C, D), empty(D),
    at(D) := Me.
move(safely(C)) :- empty(C), safe(C), turn(Me), at(C) := Me.
move(busily(C)) :- empty(C), busy(C, N), N > 1, turn(Me), at(C) := Me.
move(away(A, B)) :-
    mine(A),
    ( ply(N), N < 4, adjacent(A, B)
    ; adjacent(A, B), QUIET5(B) ),
    empty(B), go(A, B).
move(all(C)) :-
    empty(C), turn(Me), at(C) := Me,
    each((adjacent(C, B), theirs(B), QUIET6(B)), clear(at(B))).
move(chosen(C)) :- empty(C), turn(Me), ( QUIET7(C) -> at(C) := Me ; last := C, clear(last), at(C) := Me ).
draw :- stuck.
draw :- ply(N), \\+ (corner(A), empty(A), QUIET8(A)), N > 20.
draw :- ply(40).
";
    let folder = tempfile::tempdir().expect("a folder");
    for number in 1..=8 {
        let mark = format!("QUIET{number}");
        let line = 1 + rules.lines().position(|line| line.contains(&mark)).expect("its line");
        let mut text = rules.replace(&mark, "slow");
        for other in 1..=8 {
            text = text.replace(&format!("QUIET{other}"), "quiet");
        }
        let path = folder.path().join(format!("places{number}.ludex"));
        std::fs::write(&path, text).expect("written");
        let found = profile(&path.to_string_lossy(), &["--seconds", "0.6"]);
        let mut asking = Vec::new();
        for clause in list(&found, "clauses") {
            each_goal(clause, &mut |goal| {
                let called = goal["goal"].as_str().is_some_and(|text| text.starts_with("slow("));
                let own = list(goal, "goals").iter().any(|inside| inside["line"] == 9);
                if called && (own || goal["tried"].as_u64() > Some(0)) {
                    asking.push(goal["line"].as_u64());
                }
            });
        }
        assert!(asking.iter().all(|at| *at == Some(line as u64)), "{number}: {line} {asking:?}");
        assert!(!asking.is_empty(), "{number}: {found}");
    }
}
