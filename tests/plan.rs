//! What the plan proves of clauses: that an action has one way through, that a move has one clause
//! and comes from it once. Each small game is played through, the engine against the reference, so
//! that a proof of something untrue shows.

use ludex::engine::{Game, Session, State};
use ludex::explain::{Facts, Reference};
use ludex::pipeline;
use ludex::plan::MoveClause;
use ludex::program::{FluentId, FluentShape, LoadRequest};
use ludex::syntax::print_term;

fn load(rules: &str) -> Game {
    let text = format!(":- game \"Test\".\n:- players a, b.\n{rules}\ndraw :- ply(3).\n");
    pipeline::load(&LoadRequest::text("test", &text)).unwrap_or_else(|f| panic!("{f:?}")).game
}

/// Plays all moves of all positions, and gives the flags of each clause.
fn flags(rules: &str) -> Vec<String> {
    let game = load(rules);
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    let mut session = Session::new(&game);
    let (state, facts) = (session.opening(), reference.opening());
    compare(&game, &reference, &mut session, &state, &facts, 3);
    let shown = |clause: &MoveClause| {
        let all = [
            (clause.branching, "branching"),
            (clause.tested, "tested"),
            (clause.repeats, "told apart"),
        ];
        let set: Vec<&str> = all.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        set.join(", ")
    };
    game.plan.moves.iter().chain(&game.plan.chance).map(shown).collect()
}

fn compare(
    game: &Game,
    reference: &Reference,
    session: &mut Session,
    state: &State,
    facts: &Facts,
    depth: u32,
) {
    assert_eq!(of_engine(game, state), of_reference(game, facts));
    if depth == 0 || session.outcome(state).expect("no fault").is_some() {
        return;
    }
    let moves = session.legal_moves(state).expect("no fault");
    let mut mine: Vec<String> = moves.iter().map(|m| print_term(&m.term)).collect();
    let mut theirs = reference.legal_moves(facts).expect("no fault");
    if theirs.is_empty() {
        let events = reference.chance_events(facts).expect("no fault");
        theirs = events.into_iter().map(|(term, _)| term).collect();
    }
    let mut theirs: Vec<String> = theirs.iter().map(print_term).collect();
    mine.sort();
    theirs.sort();
    assert_eq!(mine, theirs);
    for made in &moves {
        let next = session.play(state, &made.term).expect("no fault").expect("a legal move");
        let theirs = reference.play(facts, &made.term).expect("no fault").expect("a legal move");
        compare(game, reference, session, &next, &theirs, depth - 1);
    }
}

fn of_engine(game: &Game, state: &State) -> Vec<String> {
    let values = &game.program.values;
    let mut all: Vec<String> = game
        .facts(state)
        .iter()
        .map(|f| {
            let value = f.value.map_or_else(String::new, |v| values.show(v));
            format!("{}({}) = {value}", f.fluent.0, values.show_all(&f.keys))
        })
        .collect();
    all.sort();
    all
}

fn of_reference(game: &Game, facts: &Facts) -> Vec<String> {
    let values = &game.program.values;
    let mut all = Vec::new();
    for (number, fluent) in game.program.fluents.iter().enumerate() {
        for (keys, value) in facts.iter(FluentId(number as u32)) {
            let value = match fluent.shape {
                FluentShape::Set => String::new(),
                FluentShape::Map { .. } => values.show(value),
            };
            all.push(format!("{number}({}) = {value}", values.show_all(keys)));
        }
    }
    all.sort();
    all
}

const PITS: &str = "
pit(N) :- N in 0..5.
next(A, B) :- pit(A), B is (A + 1) mod 6.
:- state stones(pit) -> 0..12 = 2.
";

#[test]
fn an_action_whose_clauses_exclude_each_other_does_not_branch() {
    let rules = format!(
        "{PITS}
        move(sow(A)) :- stones(A, N), N > 0, stones(A) := 0, sow(A, N, B), stones(B) := 1.
        sow(A, 0, A).
        sow(A, N, C) :- N > 0, next(A, B), stones(B) += 1, M is N - 1, sow(B, M, C)."
    );
    assert_eq!(flags(&rules), ["tested"]);
}

#[test]
fn an_action_with_two_ways_branches() {
    let overlap = format!(
        "{PITS}
        move(sow(A)) :- stones(A, N), N > 0, stones(A) := 0, sow(A, N, B), stones(B) := 1, N < 3.
        sow(A, N, A) :- N =< 1.
        sow(A, N, C) :- N > 0, next(A, B), stones(B) += 1, M is N - 1, sow(B, M, C)."
    );
    let game = load(&overlap);
    assert!(game.plan.moves[0].branching);
    let several = format!(
        "{PITS}
        move(sow(A, B)) :- stones(A, N), N > 0, stones(A) := 0, give(A, B).
        give(A, B) :- stones(B, N), N =< 2, A \\= B, stones(B) += 1."
    );
    assert_eq!(flags(&several), ["branching, told apart"]);
}

/// The first clause may update and then fail: the second must find the state as it was.
#[test]
fn what_fails_behind_an_update_does_not_lead_to_another_clause() {
    let state = ":- state f(player) -> 0..9 = 0. :- state g -> 0..9 = 0.";
    let one = ":- state f(player) -> 0..9 = 0. :- state g -> 0..9 = 0.
        move(m) :- turn(P), act(P), g += 1.
        act(P) :- f(P, 0), f(P) := 1.
        act(P) :- f(P, 1), f(P) := 2.";
    assert_eq!(flags(one), ["tested"]);
    let behind = format!(
        "{state}
        move(m(N)) :- turn(P), N in 1..2, act(P), f(P, N).
        act(P) :- f(P, 0), f(P) := 1.
        act(P) :- f(P, 1), f(P) := 2."
    );
    assert_eq!(flags(&behind), ["branching, told apart"]);
    let inside = format!(
        "{state}
        move(m) :- turn(P), act(P).
        act(P) :- f(P) := 7, g(1).
        act(P) :- f(P, 0), f(P) := 3."
    );
    assert_eq!(flags(&inside), ["branching, told apart"]);
}

#[test]
fn once_and_each_go_back_behind_updates() {
    let rules = ":- state f(player) -> 0..9 = 0. :- state g -> 0..9 = 0.
        move(m) :- turn(P), once(act(P)), g := 2.
        move(n) :- turn(P), once((X in 1..3, f(P) := X, g := X, f(P) > 1)).
        move(o) :- each(player(P), act(P)).
        act(P) :- f(P) := 7, g(1).
        act(P) :- f(P, 0), f(P) := 3.";
    assert!(flags(rules).iter().all(|f| f.starts_with("branching")));
    let forward = ":- state f(player) -> 0..9 = 0.
        move(n(N)) :- turn(P), N in 1..3, once((X in 1..3, X > N, f(P) := X)).";
    assert!(!flags(forward)[0].contains("branching"));
}

#[test]
fn a_chance_event_that_fails_behind_its_update_is_none() {
    let rules = ":- state f -> 0..9 = 0. :- state due.
        init(due).
        chance(r(N)) :- due, N in 1..3, f := N, clear(due), f < 3.
        move(m) :- set(due).";
    assert_eq!(flags(rules)[1], "tested");
}

/// Many calls in one move are not deep.
#[test]
fn depth_is_counted_by_call_inside_call() {
    let rules = "spot(N) :- N in 1..1000.
        :- state f(spot) -> 0..9 = 0.
        move(m) :- each(spot(C), put(C, 2)), put(1, 3).
        put(_, 0).
        put(C, N) :- N > 0, f(C) := N, M is N - 1, put(C, M).";
    flags(rules);
}

#[test]
fn two_ways_to_one_move_are_told_apart() {
    let board = ":- include \"board/square\" with (width = 3, height = 3, diagonals = yes).
        :- state at(cell) -> player.
        init(at(b1, a)). init(at(b3, b)).";
    let disjoint = format!(
        "{board}
        move(step(A, B)) :- turn(P), at(A, P), step(n, A, B), \\+ at(B, _), at(B) := P.
        move(step(A, B)) :- turn(P), at(A, P), diagonal(D), step(D, A, B), \\+ at(B, P), at(B) := P."
    );
    assert_eq!(flags(&disjoint), ["", ""]);
    let touching = format!(
        "{board}
        move(step(A, B)) :- turn(P), at(A, P), step(n, A, B), \\+ at(B, _), at(B) := P.
        move(step(A, B)) :- turn(P), at(A, P), direction(D), step(D, A, B), \\+ at(B, P), at(B) := P."
    );
    assert_eq!(flags(&touching), ["told apart", "told apart"]);
    let number = |first: &str, second: &str| {
        flags(&format!(
            ":- state n -> 0..9 = 2.
            move(m(X)) :- n {first}, X in 1..2, n += X.
            move(m(X)) :- n {second}, X in 1..2, n += X."
        ))
    };
    assert_eq!(number("=< 2", "> 2"), ["", ""]);
    assert_eq!(number("=< 3", "> 2"), ["told apart", "told apart"]);
    let asked = |second: &str| {
        flags(&format!(
            ":- state n(player) -> 0..9 = 2.
            full(P, Q) :- n(P, N), n(Q, M), N + M > 5.
            move(m(P)) :- player(P), player(Q), P \\= Q, full(P, Q), n(P) := 0.
            move(m(P)) :- {second}, n(P) := 3."
        ))
    };
    assert_eq!(asked("player(P), opponent(P, Q), \\+ full(P, Q), P \\= Q")[0], "told apart");
    assert_eq!(asked("player(P), \\+ full(P, _)"), ["", ""]);
}

#[test]
fn several_ways_through_one_clause_are_told_apart() {
    let heaps = "heap(1). heap(2). :- state left(heap) -> 0..7 = 3.";
    let determined = format!("{heaps} move(take(H, N)) :- left(H, M), N in 1..M, left(H) -= N.");
    assert_eq!(flags(&determined), [""]);
    let open = format!(
        "{heaps} :- state total -> 0..20 = 0. move(take(N)) :- left(_, M), N in 1..M, total += N."
    );
    flags(&open);
    let either = ":- state f -> 0..9 = 0. move(m(X)) :- ( X = 1 ; X in 1..2 ), f := X.";
    assert_eq!(flags(either), ["told apart"]);
}
