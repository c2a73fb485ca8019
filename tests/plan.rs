//! What the plan proves of clauses: that an action has one way through, that a move has one clause
//! and comes from it once. Each small game is played through, the engine against the reference, so
//! that a proof of something untrue shows.

use ludex::engine::{Game, Session, State};
use ludex::pipeline;
use ludex::plan::{Answer, MoveClause, Op, OpId, Recursion, Rerun, Set, Untabled, print_plan};
use ludex::program::{FluentId, FluentShape, LoadRequest};
use ludex::reference::{Facts, Reference};
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
            (clause.all_ways, "all ways"),
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
fn an_action_with_two_ways_takes_both_or_branches() {
    let overlap = format!(
        "{PITS}
        move(sow(A)) :- stones(A, N), N > 0, stones(A) := 0, sow(A, N, B), stones(B) := 1, N < 3.
        sow(A, N, A) :- N =< 1.
        sow(A, N, C) :- N > 0, next(A, B), stones(B) += 1, M is N - 1, sow(B, M, C)."
    );
    let game = load(&overlap);
    assert!(game.plan.moves[0].all_ways);
    let several = format!(
        "{PITS}
        move(sow(A, B)) :- stones(A, N), N > 0, stones(A) := 0, give(A, B).
        give(A, B) :- stones(B, N), N =< 2, A \\= B, stones(B) += 1."
    );
    // one clause is written into the move, which then has no action but a choice
    assert_eq!(flags(&several), [""]);
    let two = several + " give(A, B) :- stones(B, 3), A \\= B, stones(B) := 0.";
    assert_eq!(flags(&two), ["branching, told apart"]);
}

#[test]
fn an_action_whose_clause_updates_nothing_is_one_way() {
    let rules = |first: &str| {
        format!(
            ":- include \"board/square\" with (width = 3, height = 3).
            :- state at(cell) -> player. :- state won(player) -> 0..99 = 0.
            init(at(a1, a)). init(at(c3, b)).
            move(go(A, B)) :- turn(P), at(A, P), adjacent(A, B), \\+ at(B, P), take(P, B), at(A, Q),
                clear(at(A)), at(B) := Q, \\+ at(b2, b).
            {first}
            take(P, B) :- at(B, Q), opponent(P, Q), won(P) += 1."
        )
    };
    let tested = |first: &str| assert_eq!(flags(&rules(first)), ["tested"]);
    tested("take(_, B) :- \\+ at(B, _).");
    tested("take(P, B) :- \\+ (at(B, Q), opponent(P, Q)).");
    // it holds where the other one does, so that one move has two results
    assert!(load(&rules("take(P, B) :- \\+ at(B, P).")).plan.moves[0].all_ways);
}

#[test]
fn comparisons_of_one_calculation_tell_clauses_apart() {
    let two = |first: &str, second: &str| {
        let rules = format!(
            ":- state n -> 0..9 = 2. :- state m -> 0..9 = 2.
            move(m(K)) :- K in 1..3, m := K, act(K), n(N), N + K < 9.
            act(K) :- {first}, n += 1.
            act(K) :- {second}, n := K."
        );
        !load(&rules).plan.moves[0].all_ways
    };
    assert!(two("n(N), N mod 2 =:= 0", "n mod 2 =\\= 0"));
    assert!(two("n mod 2 =:= 0", "n mod 2 =:= 1"));
    assert!(two("n(N), m(M), N + M < 3", "m(M), n(N), N + M >= 3"));
    assert!(two("3 > n - K", "n(N), N - K >= 3"));
    assert!(two("n mod 4 =\\= 0, n mod 4 =< 1, n mod 4 >= 0", "n mod 4 =\\= 1"));
    assert!(two("n mod 2 =:= m", "n mod 2 =\\= m"));
    assert!(!two("n mod 2 =:= 0", "n mod 3 =\\= 0"));
    assert!(!two("n - m < 3", "m - n >= 3"));
    assert!(!two("n + 1 < 4", "n + 1 >= 3"));
    assert!(!two("n mod 4 =\\= 0", "n mod 4 =\\= 1"));
    assert!(!two("n mod 2 =:= m", "n mod 2 =\\= K"));
    assert!(!two("n mod 2 =:= 0, m := 1", "m mod 2 =\\= 0"));
}

#[test]
fn a_choice_behind_an_each_has_candidates_behind_updates() {
    let branches = |each: &str| {
        let rules = format!(
            ":- include \"board/square\" with (width = 3, height = 3).
            :- state at(cell) -> player. :- state won(player) -> 0..99 = 0.
            init(at(a1, a)). init(at(c3, b)).
            move(go(A, B)) :- turn(P), cell(A), \\+ at(A, _), {each}, at(A) := P, cell(B), \\+ at(B, _), at(B) := P.
            drop(C) :- clear(at(C)).
            drop(C) :- at(C, P), won(P) := 0."
        );
        let clause = &load(&rules).plan.moves[0];
        clause.branching || clause.all_ways
    };
    for one_way in [
        "each(at(C, P), clear(at(C)))",
        "each((at(C, P), adjacent(A, C)), (clear(at(C)), won(P) += 1))",
        "each(adjacent(A, C), at(C) := P), each(at(C, P), clear(at(C)))",
        "each((adjacent(A, C), at(C, Q)), (won(Q, N), M is N + 1, won(P) := M))",
    ] {
        assert!(!branches(one_way), "{one_way}");
    }
    assert!(branches("each(at(C, P), drop(C))"));
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
    assert_eq!(flags(&behind), ["tested"]);
    let inside = format!(
        "{state}
        move(m) :- turn(P), act(P).
        act(P) :- f(P) := 7, g(1).
        act(P) :- f(P, 0), f(P) := 3."
    );
    assert_eq!(flags(&inside), ["all ways, tested"]);
}

#[test]
fn once_and_each_go_back_behind_updates() {
    let rules = ":- state f(player) -> 0..9 = 0. :- state g -> 0..9 = 0.
        move(m) :- turn(P), once(act(P)), g := 2.
        move(n) :- turn(P), once((X in 1..3, f(P) := X, g := X, f(P) > 1)).
        move(o) :- each(player(P), act(P)).
        act(P) :- f(P) := 7, g(1).
        act(P) :- f(P, 0), f(P) := 3.";
    assert!(flags(rules).iter().all(|f| f.starts_with("all ways")));
    let forward = ":- state f(player) -> 0..9 = 0.
        move(n(N)) :- turn(P), N in 1..3, once((X in 1..3, X > N, f(P) := X)).";
    assert!(!flags(forward)[0].contains("all ways"));
}

#[test]
fn a_chance_event_that_fails_behind_its_update_is_none() {
    let rules = ":- state f -> 0..9 = 0. :- state due.
        init(due).
        chance(r(N)) :- due, N in 1..3, f := N, clear(due), f < 3.
        move(m) :- set(due).";
    assert_eq!(flags(rules)[1], "tested");
    let weighted = ":- state f -> 0..9 = 0. :- state due.
        init(due).
        chance(r(N)) :- due, N in 1..3, f := N, clear(due), ply(P), f < 3 - P.
        weight(r(N), N) :- N in 1..3.
        move(m) :- set(due).";
    assert_eq!(flags(weighted)[1], "tested");
    // nobody waits for events of which none can happen
    let none = ":- state f -> 0..9 = 0.
        chance(r(N)) :- N in 1..3, f := N, f > 3.
        move(m) :- f := 4.";
    assert_eq!(flags(none)[1], "tested");
}

#[test]
fn what_cannot_fail_is_not_tested() {
    let rules = ":- include \"board/square\" with (width = 3, height = 1).
        :- state at(cell) -> player. :- state f(player) -> 0..99 = 0.
        move(m(C)) :- turn(P), cell(C), count(D, at(D, P), N), f(P) += N, each(at(D, P), clear(at(D))),
            ( at(C, _) -> true ; at(C) := P ).";
    assert_eq!(flags(rules), [""]);
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
    let twice = "r(1, 1, 4). r(2, 2, 4). r(2, 3, 5). :- state f -> 0..9 = 0.
        move(m(Y)) :- r(X, X, Y), f := Y.";
    flags(twice);
    let either = ":- state f -> 0..9 = 0. move(m(X)) :- ( X = 1 ; X in 1..2 ), f := X.";
    assert_eq!(flags(either), ["told apart"]);
}

/// How many loops of the plan leave out what one round has done for others, those without a loop inside that goes through
/// these others.
fn orbits(rules: &str) -> usize {
    loops_over_orbits(rules, false)
}

/// How many loops of the plan make a flood once for all of its elements, and go through them in a loop inside.
fn shared_floods(rules: &str) -> usize {
    loops_over_orbits(rules, true)
}

fn loops_over_orbits(rules: &str, inside: bool) -> usize {
    flags(rules);
    let blocks = &load(rules).plan.blocks;
    let counts = |op: &&Op| match op {
        Op::Each { orbit: Some(orbit), body, .. } => {
            let goes_through =
                |op: &Op| matches!(op, Op::Each { set: Set::Reg(set), .. } if set == orbit);
            blocks[*body].iter().any(goes_through) == inside
        }
        _ => false,
    };
    blocks.ops().filter(counts).count()
}

#[test]
fn a_flood_is_made_once_for_all_its_elements_where_it_is_theirs_too() {
    let rules = |step: &str, test: &str| {
        format!(
            ":- include \"board/square\" with (width = 3, height = 3, diagonals = yes).
            :- state at(cell) -> player. :- state mark(cell) -> 0..3 = 0.
            init(at(a1, a)). init(at(a2, a)). init(at(c1, a)). init(at(c3, b)). init(mark(a2, 1)).
            group(C, C) :- at(C, _).
            group(C, E) :- group(C, D), {step}, at(C, P), at(E, P).
            move(put(C)) :- cell(C), \\+ at(C, _), turn(P), at(C) := P.
            win(P) :- mover(P), at(C, P), count(D, group(C, D), N), {test}."
        )
    };
    assert_eq!(orbits(&rules("adjacent(D, E)", "N =:= 4")), 1);
    assert_eq!(orbits(&rules("adjacent(D, E)", "N =:= 3, xy(C, 2, _)")), 1);
    // a way there is no way back
    assert_eq!(orbits(&rules("step(n, D, E)", "N =:= 2")), 0);
    // something else is asked of the element
    let asked = rules("adjacent(D, E)", "mark(C, M), N =:= 2 + M");
    assert_eq!((orbits(&asked), shared_floods(&asked)), (0, 1));
    // the flood leaves the places that hold the same
    assert_eq!(orbits(&rules("adjacent(D, E), xy(E, X, _), X > 1", "N =:= 2")), 0);
}

/// Where something is asked of each element besides, a loop goes through the elements of a flood that is made once.
#[test]
fn a_flood_is_made_once_for_all_its_elements_that_ask_for_more() {
    let rules = |group: &str, test: &str| {
        format!(
            ":- include \"board/square\" with (width = 3, height = 3, diagonals = yes).
            :- state at(cell) -> player.
            init(at(a1, a)). init(at(a2, a)). init(at(c1, a)). init(at(c3, b)).
            {group}
            earlier(A, B) :- xy(A, X, Y), xy(B, U, V), 10 * Y + X < 10 * V + U.
            first(A) :- \\+ (group(A, B), earlier(B, A)).
            move(put(C)) :- cell(C), \\+ at(C, _), turn(P), at(C) := P.
            win(P) :- mover(P), {test}."
        )
    };
    let same =
        "group(A, A) :- at(A, _). group(A, C) :- group(A, B), adjacent(B, C), at(A, P), at(C, P).";
    assert_eq!(shared_floods(&rules(same, "count(A, (at(A, P), first(A)), 2)")), 1);
    let twice = "sum(N, (at(A, P), count(B, group(A, B), N), first(A)), 3)";
    assert_eq!(shared_floods(&rules(same, twice)), 1);
    // a site may be in no flood, its own included
    let of_one = "group(A, A) :- at(A, a). group(A, C) :- group(A, B), adjacent(B, C), at(C, a).";
    assert_eq!(shared_floods(&rules(of_one, "count(A, (at(A, P), first(A)), 2)")), 0);
    // the loop goes through some of the sites that hold the same
    assert_eq!(shared_floods(&rules(same, "count(A, (at(A, P), edge(A), first(A)), 2)")), 0);
}

#[test]
fn a_flood_is_not_taken_for_another() {
    let rules = ":- include \"board/square\" with (width = 3, height = 3).
        :- state at(cell) -> player.
        init(at(a1, a)). init(at(a2, a)). init(at(a3, b)).
        group(C, C) :- at(C, _).
        group(C, E) :- group(C, D), adjacent(D, E), at(C, P), at(E, P).
        free(C) :- group(C, D), adjacent(D, E), cell(E), \\+ at(E, _).
        caught(C, You, E) :- adjacent(C, D), at(D, You), \\+ free(D), group(D, E).
        move(put(C)) :-
            cell(C), \\+ at(C, _), turn(P), opponent(P, You), at(C) := P,
            each(caught(C, You, E), clear(at(E))), ( free(C) -> true ; each(group(C, D), clear(at(D))) ).";
    assert_eq!(orbits(rules), 1);
    let game = load(rules);
    let taken = |op: &Op| matches!(op, Op::Load { set: Set::Reg(_), .. });
    assert_eq!(game.plan.blocks.ops().filter(|op| taken(op)).count(), 1);
}

/// What is the same in every round of a flood is done in the first.
#[test]
fn the_rounds_of_a_flood_share_what_is_fixed() {
    let rules = ":- include \"board/square\" with (width = 5, height = 2, diagonals = yes).
        :- state at(cell) -> player.
        init(at(b1, b)). init(at(c1, b)). init(at(d1, a)). init(at(a2, b)).
        caught(P, Dir, D) :- opponent(P, You), at(D, You), step(Dir, D, E), at(E, P).
        caught(P, Dir, D) :- opponent(P, You), at(D, You), step(Dir, D, E), caught(P, Dir, E).
        turned(P, Dir, C, D) :- step(Dir, C, D), caught(P, Dir, D).
        turned(P, Dir, C, E) :- turned(P, Dir, C, D), step(Dir, D, E), caught(P, Dir, E).
        move(put(C)) :- turn(P), cell(C), \\+ at(C, _), each((direction(Dir), turned(P, Dir, C, D)), at(D) := P),
            at(C) := P.";
    flags(rules);
    let game = load(rules);
    let shared = game
        .plan
        .procedures
        .iter()
        .filter(|p| matches!(p.recursion, Recursion::Flood { round: Some(_), .. }));
    assert_eq!(shared.count(), 2);
}

/// Both clauses give some move, and it is listed once: what looks like a contradiction is none.
#[test]
fn what_is_no_contradiction_is_none() {
    let both = |first: &str, second: &str| {
        let rules = format!(
            "spot(N) :- N in 1..4. edge(1, 2). edge(2, 3). edge(2, 4). edge(3, 1). edge(4, 4).
            :- state f(spot) -> 0..9 = 0. :- state at(spot) -> player. :- state last -> 0..9 = 0.
            init(f(1, 3)). init(f(2, 1)). init(at(2, a)). init(at(4, b)).
            far(X, Y) :- spot(X), spot(Y), f(X) > f(Y).
            far(X, Y) :- edge(X, Y).
            move(go(X, Y)) :- spot(X), spot(Y), {first}, last := X.
            move(go(X, Y)) :- spot(X), spot(Y), {second}, last := X."
        );
        flags(&rules)
    };
    let apart = ["told apart", "told apart"];
    let alone = ["", ""];
    // other cells, other orders, other columns, other variables
    assert_eq!(both("f(X) < 2", "f(Y) > 2"), apart);
    assert_eq!(both("f(X) < 2", "f(X) >= 2"), alone);
    assert_eq!(both("f(X) =< f(Y)", "f(X) >= f(Y)"), apart);
    assert_eq!(both("f(X) < f(Y)", "f(Y) =< f(X)"), alone);
    assert_eq!(both("X < Y", "Y < X"), alone);
    assert_eq!(both("edge(X, Y)", "edge(Y, X)"), apart);
    assert_eq!(both("edge(X, Y), X \\= Y", "X = Y"), alone);
    assert_eq!(both("\\+ (edge(X, Z), at(Z, _))", "edge(X, Z), at(Y, _), f(Z, 0)"), apart);
    assert_eq!(both("\\+ (edge(X, Z), at(Z, _))", "edge(X, Y), at(Y, b)"), alone);
    assert_eq!(both("\\+ at(X, a)", "\\+ at(X, b)"), apart);
    assert_eq!(both("\\+ at(X, a)", "at(X, _)"), apart);
    assert_eq!(both("at(X, a)", "\\+ at(X, _)"), alone);
    assert_eq!(both("\\+ far(X, Y)", "far(Y, X)"), apart);
    assert_eq!(both("\\+ far(X, Y)", "far(X, Y)"), alone);
    assert_eq!(both("\\+ (at(X, P), \\+ at(Y, P))", "at(X, P), \\+ at(Y, P)"), alone);
    assert_eq!(both("\\+ (at(X, P), \\+ at(Y, P))", "at(X, _), player(Q), \\+ at(Y, Q)"), apart);
}

/// Sets hold the keys of the state; a number that is none must not be lost where one is gathered.
#[test]
fn numbers_that_are_no_keys_are_not_lost_from_sets() {
    let rules = "pit(N) :- N in 1..9.
        :- state f(pit) -> -10..90 = -7.
        move(value(S)) :- turn(P), pit(A), f(A, S), P = a, f(1) := 80.
        move(least(S)) :- turn(P), min(N, (pit(A), f(A, N)), S), P = b, f(2) := 70.";
    flags(rules);
}

#[test]
fn any_line_of_a_large_board_is_one_instruction() {
    let rules = ":- include \"board/square\" with (width = 15, height = 15).
        :- state at(cell) -> player.
        move(mark(C)) :- turn(Me), cell(C), \\+ at(C, _), at(C) := Me.
        win(P) :- line(5, L), forall(member(C, L), at(C, P)).";
    // what tests before it say of the player does not matter
    let guarded = rules.replace("win(P) :- ", "win(P) :- player(P), ");
    for rules in [rules, &guarded] {
        let blocks = &load(rules).plan.blocks;
        assert!(blocks.ops().any(|op| matches!(op, Op::AnyRow { through: Some(_), .. })));
    }
}

#[test]
fn a_recursion_asked_from_its_far_end_is_a_flood() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state at(cell) -> player.
        linked(P, P) :- at(P, _).
        linked(P, C) :- linked(P, B), adjacent(B, C), at(C, _).
        reached(D, P) :- side(D, Q), linked(Q, P).
        move(mark(C)) :- turn(Me), cell(C), \\+ at(C, _), at(C) := Me.
        win(P) :- mover(P), cell(C), count(D, reached(D, C), N), N > 2.";
    flags(rules);
    let recursion: Vec<_> =
        load(rules).plan.procedures.iter().map(|p| p.recursion.clone()).collect();
    assert!(recursion.iter().any(|r| matches!(r, Recursion::Flood { .. })), "{recursion:?}");
    assert!(!recursion.iter().any(|r| matches!(r, Recursion::Tabled { .. })), "{recursion:?}");
}

/// What the state forbids is gathered before the first round, and each round moves whole sets.
#[test]
fn a_flood_over_forbidden_steps_moves_whole_sets() {
    let rules = ":- include \"board/square\" with (width = 4, height = 3, diagonals = no).
        :- state at(cell) -> player.
        :- state wall(cell, lie).
        lie(h). lie(v).
        init(at(a1, a)).
        cuts(S, h, S, B) :- step(n, S, B).
        cuts(S, v, S, B) :- step(e, S, B).
        blocked(A, B) :- cuts(S, O, A, B), wall(S, O).
        blocked(A, B) :- cuts(S, O, B, A), wall(S, O).
        reaches(A, A) :- cell(A).
        reaches(A, C) :- reaches(A, B), step(_, B, C), \\+ blocked(B, C), \\+ at(C, _).
        move(go(A, B)) :- turn(Me), at(A, Me), reaches(A, B), clear(at(A)), at(B) := Me.
        move(wall(S, O)) :- cell(S), lie(O), \\+ wall(S, O), set(wall(S, O)).";
    flags(rules);
    let game = load(rules);
    let round = game.plan.procedures.iter().find_map(|p| match &p.recursion {
        Recursion::Flood { round, .. } => *round,
        _ => None,
    });
    let round = &game.plan.blocks[round.expect("what is gathered before the rounds")];
    let ops = game.plan.blocks.reached(round);
    assert_eq!(ops.iter().filter(|op| matches!(op, Op::EmitImage { .. })).count(), 4, "{ops:?}");
    let loops = |op: &&Op| matches!(op, Op::Each { .. } | Op::Rows { .. } | Op::Keys { .. });
    assert!(!ops.iter().any(loops), "{ops:?}");
    // and only walls that stand are looked at
    let standing = |op: &Op| matches!(op, Op::EmitImage { source: Set::Slice { .. }, .. });
    assert!(game.plan.blocks.ops().any(standing));
}

/// Pairs of columns and rows are sites, whether they are keys or compounds, and calculated steps lead from one set
/// of them to another.
#[test]
fn columns_and_rows_are_sites() {
    let pairs = "n(1). n(2). n(3). n(4). n(5).
        :- state on(n, n) -> player.
        init(on(X, 1, a)) :- n(X).
        up(a, 1). up(b, -1).
        move(step(X, Y, U, V)) :- turn(P), on(X, Y, P), up(P, D), V is Y + D, n(V),
            member(S, [-1, 1]), U is X + S, n(U), \\+ on(U, V, P), clear(on(X, Y)), on(U, V) := P.
        move(step(X, Y, X, V)) :- turn(P), on(X, Y, P), up(P, D), V is Y + D, n(V),
            \\+ on(X, V, _), clear(on(X, Y)), on(X, V) := P.
        win(P) :- on(_, 5, P), mover(P).";
    let compounds = pairs
        .replace("on(n, n)", "on(site)")
        .replace(":- state", "site(c(X, Y)) :- n(X), n(Y).\n:- state")
        .replace("on(X, Y", "on(c(X, Y)")
        .replace("on(X, 1", "on(c(X, 1)")
        .replace("on(X, V", "on(c(X, V)")
        .replace("on(U, V", "on(c(U, V)")
        .replace("on(_, 5", "on(c(_, 5)");
    let letters = pairs
        .replace("on(n, n)", "on(letter, n)")
        .replace("init(on(X, 1, a)) :- n(X)", "init(on(X, 1, a)) :- letter(X)")
        .replace(":- state", "letter(p). letter(q). letter(r). next(p, q). next(q, r). next(r, q). next(q, p).\n:- state")
        .replace("member(S, [-1, 1]), U is X + S, n(U)", "next(X, U)");
    for rules in [pairs, &compounds, &letters] {
        // the second kind of step never has the target of the first
        assert!(flags(rules).iter().all(|flag| flag.is_empty()), "{rules}");
        let game = load(rules);
        let ops: Vec<&Op> = game.plan.blocks.ops().collect();
        let image = |op: &&&Op| matches!(op, Op::SegmentImage { source: Set::PlaneOf { .. }, .. });
        assert!(ops.iter().filter(image).count() >= 2, "{ops:?}");
        let slow = |op: &&Op| matches!(op, Op::Keys { .. } | Op::Integers { .. } | Op::Rows { .. });
        assert!(!ops.iter().any(slow), "{ops:?}");
    }
}

/// A recursion that is called with a number and counts it down needs no table, and a `forall` over a few numbers no
/// loop.
#[test]
fn counters_that_are_known_are_no_loops() {
    let board = "n(X) :- between(1, 5, X).
        :- state on(n, n) -> player.
        d(1, 0). d(0, 1).
        move(put(X, Y)) :- turn(P), n(X), n(Y), \\+ on(X, Y, _), on(X, Y) := P.\n";
    let counted = "run(P, X, Y, DX, DY, 1) :- on(X, Y, P), d(DX, DY).
        run(P, X, Y, DX, DY, N) :- N in 2..4, M is N - 1, on(X, Y, P), d(DX, DY), U is X + DX, V is Y + DY,
            run(P, U, V, DX, DY, M).
        win(P) :- run(P, _, _, _, _, 4).";
    let all = "win(P) :- d(DX, DY), on(X, Y, P),
            forall(between(1, 3, N), (U is X + N * DX, V is Y + N * DY, on(U, V, P))).";
    for rules in [counted, all] {
        let game = load(&format!("{board}{rules}"));
        assert!(game.plan.procedures.iter().all(|p| p.recursion == Recursion::None), "{rules}");
        let ops: Vec<&Op> = game.plan.blocks.ops().collect();
        let slow =
            |op: &&Op| matches!(op, Op::Integers { .. } | Op::Exists { .. } | Op::Calculate { .. });
        assert!(!ops.iter().any(slow), "{ops:?}");
    }
    // but a call without the number is as it is written
    let open = "\ndraw :- run(_, _, _, _, _, N), N > 2.";
    assert!(!load(&format!("{board}{counted}{open}")).plan.procedures.is_empty());
}

/// An update that may leave the board is looked for by column and row, everything else by the site.
#[test]
fn updates_that_may_leave_the_board_leave_the_others_their_sites() {
    let rules = "n(X) :- between(1, 5, X).
        :- state stone(n, n) -> player.
        dir(1, 0). dir(0, 1). dir(1, 1). dir(1, -1). dir(-1, 0). dir(0, -1). dir(-1, -1). dir(-1, 1).
        caught(P, X, Y, DX, DY) :- dir(DX, DY), opponent(P, Q), A is X + DX, B is Y + DY, stone(A, B, Q),
            C is X + 2 * DX, D is Y + 2 * DY, stone(C, D, P).
        move(put(X, Y)) :- turn(P), n(X), n(Y), \\+ stone(X, Y, _), stone(X, Y) := P,
            each(caught(P, X, Y, DX, DY), (A is X + DX, B is Y + DY, clear(stone(A, B)))).
        win(P) :- stone(X, Y, P), dir(DX, DY),
            forall(between(1, 2, N), (A is X + N * DX, B is Y + N * DY, stone(A, B, P))), mover(P).";
    flags(rules);
    let game = load(rules);
    let by_keys = |op: &Op| matches!(op, Op::Clear { keys, .. } if keys.len() == 2);
    assert!(game.plan.blocks.ops().any(by_keys));
    let by_site = |op: &Op| matches!(op, Op::Assign { keys, .. } if keys.len() == 1);
    assert!(game.plan.blocks.ops().any(by_site));
    let image = |op: &Op| matches!(op, Op::EmitImage { .. } | Op::SegmentImage { .. });
    assert!(game.plan.blocks.ops().any(image) || !game.plan.images.is_empty());
}

/// A line of squares, by columns and rows, from one square on: the squares that it leads to are sites as well, and
/// the recursion is a flood backwards for each direction.
#[test]
fn squares_along_a_line_of_columns_and_rows_are_a_flood() {
    let rules = "n(X) :- between(1, 4, X).
        :- state rook(n, n) -> player.
        init(rook(1, 1, a)). init(rook(4, 4, b)).
        dir(1, 0). dir(-1, 0). dir(0, 1). dir(0, -1).
        slide(X, Y, DX, DY, U, V) :-
            dir(DX, DY), n(X), n(Y), U is X + DX, V is Y + DY, n(U), n(V).
        slide(X, Y, DX, DY, U, V) :-
            dir(DX, DY), n(X), n(Y), A is X + DX, B is Y + DY, n(A), n(B), \\+ rook(A, B, _),
            slide(A, B, DX, DY, U, V).
        move(go(X, Y, U, V)) :- turn(P), rook(X, Y, P), slide(X, Y, _, _, U, V),
            \\+ rook(U, V, P), clear(rook(X, Y)), rook(U, V) := P.";
    assert_eq!(flags(rules), [""]);
    let game = load(rules);
    let floods = |p: &&ludex::plan::Procedure| matches!(p.recursion, Recursion::Flood { .. });
    assert_eq!(game.plan.procedures.iter().filter(floods).count(), 1);
    let tabled = |p: &ludex::plan::Procedure| matches!(p.recursion, Recursion::Tabled { .. });
    assert!(!game.plan.procedures.iter().any(tabled));
    let slow = |op: &Op| matches!(op, Op::Calculate { .. } | Op::Keys { .. });
    assert!(!game.plan.blocks.ops().any(slow));
}

/// Updates whose result is the same in any order are made for the elements of a set.
#[test]
fn updates_in_any_order_are_made_for_a_set() {
    let rules = "n(X) :- between(1, 4, X).
        :- state disc(n, n) -> player.
        init(disc(2, 2, a)). init(disc(3, 2, b)).
        beside(X, Y, U, Y) :- n(X), n(Y), U is X + 1, n(U).
        beside(X, Y, X, V) :- n(X), n(Y), V is Y + 1, n(V).
        move(put(X, Y)) :- turn(P), n(X), n(Y), \\+ disc(X, Y, _),
            each((beside(X, Y, U, V), disc(U, V, Q), opponent(P, Q)), disc(U, V) := P),
            disc(X, Y) := P.";
    assert_eq!(flags(rules), [""]);
    let blocks = load(rules).plan.blocks.clone();
    let answers = |goal: ludex::plan::BlockId| matches!(&blocks[goal][..], [Op::Each { .. }]);
    let sets = |op: &Op| matches!(op, Op::ForEach { goal, .. } if answers(*goal));
    assert!(blocks.ops().any(sets));
    // what is counted is counted for each answer
    let counts = "kind(k). kind(l). kind(m).
        :- state n -> 0..9 = 0.
        move(count(X)) :- member(X, [1, 2]), each(kind(_), n += 1).";
    flags(counts);
}

/// A number that is counted to a bound ends a recursion, which then needs no table, and leaves one answer, so that a
/// move need not be played to find its ways.
#[test]
fn a_number_counted_to_a_bound_has_one_way() {
    let down = format!(
        "{PITS}
        last(0, A, A).
        last(N, A, C) :- N > 0, next(A, B), stones(B, _), M is N - 1, last(M, B, C).
        move(sow(A)) :- stones(A, N), N > 0, stones(A) := 0, last(N, A, B), stones(B) := 1."
    );
    let up = down.replace("last(0, A, A)", "last(12, A, A)").replace(
        "N > 0, next(A, B), stones(B, _), M is N - 1",
        "N < 12, next(A, B), stones(B, _), M is N + 1",
    );
    let either = format!(
        "{PITS}
        way(a, A, B) :- next(A, B).
        way(b, A, B) :- next(B, A).
        last(_, 0, A, A).
        last(P, N, A, C) :- N > 0, way(P, A, B), stones(B, _), M is N - 1, last(P, M, B, C).
        move(sow(A)) :- turn(P), stones(A, N), N > 0, stones(A) := 0, last(P, N, A, B), stones(B) := 1."
    );
    let descends = |p: &&ludex::plan::Procedure| {
        matches!(p.recursion, Recursion::Tabled { untabled: Untabled::Ends, .. })
    };
    for rules in [&down, &up, &either] {
        assert!(
            flags(rules)
                .iter()
                .all(|flag| !flag.contains("branching") && !flag.contains("all ways")),
            "{rules}"
        );
        assert_eq!(load(rules).plan.procedures.iter().filter(descends).count(), 1, "{rules}");
    }
    // without a bound it is a path, as it has one way on; with two it is a table
    let path = down.replace("N > 0, next(A, B)", "next(A, B), N =\\= 0");
    assert_eq!(load(&path).plan.procedures.iter().filter(descends).count(), 1, "{path}");
    let wide = down.replace("next(A, B), stones", "pit(B), stones");
    assert_eq!(load(&wide).plan.procedures.iter().filter(descends).count(), 0, "{wide}");
    // where the state decides nothing, it is evaluated at load
    let fixed = down.replace(" stones(B, _),", "");
    assert!(
        flags(&fixed).iter().all(|flag| !flag.contains("branching") && !flag.contains("all ways")),
        "{fixed}"
    );
    assert_eq!(load(&fixed).plan.procedures.len(), 0, "{fixed}");
}

/// The plan names clauses of the rule file, also for a flood backwards of a relation without its counter.
#[test]
fn clauses_of_a_plan_are_those_of_the_file() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state man(cell).
        :- state ball -> cell = b2.
        over(Dir, A, 1, C) :- step(Dir, A, B), man(B), step(Dir, B, C), \\+ man(C).
        over(Dir, A, N, C) :- step(Dir, A, B), man(B), over(Dir, B, M, C), N is M + 1.
        move(put(C)) :- cell(C), \\+ man(C), \\+ ball(C), set(man(C)).
        move(jump(C)) :- ball(A), over(_, A, L, C), clear(man(a1)), ball := C.";
    let game = load(rules);
    let floods = |p: &ludex::plan::Procedure| matches!(p.recursion, Recursion::Flood { .. });
    assert!(game.plan.procedures.iter().any(floods));
    for body in game.plan.procedures.iter().flat_map(|procedure| &procedure.clauses) {
        assert!((body.clause.0 as usize) < game.program.clauses.len(), "{:?}", body.clause);
    }
}

/// A test of one site asks first what every answer of the flood passes.
#[test]
fn a_flood_is_not_made_where_a_cheaper_test_says_no() {
    let rules = ":- include \"board/square\" with (width = 4, height = 3).
        :- state at(cell) -> player.
        init(at(b2, a)). init(at(b1, b)).
        caught(P, Dir, D) :- opponent(P, You), at(D, You), step(Dir, D, E), at(E, P).
        caught(P, Dir, D) :- opponent(P, You), at(D, You), step(Dir, D, E), caught(P, Dir, E).
        move(put(C)) :- turn(Me), cell(C), \\+ at(C, _), caught(Me, s, b2), at(C) := Me.
        move(pass) :- turn(Me), \\+ caught(Me, s, b2).
        lose(P) :- stuck, turn(P).";
    flags(rules);
    let game = load(rules);
    let blocks = &game.plan.blocks;
    let mut calls = blocks.ids().filter(|id| matches!(blocks.op(*id), Op::GatherCall { .. }));
    let guarded = calls.any(|id| {
        let before = &blocks[id.block][..id.number as usize];
        before.iter().any(|op| matches!(op, Op::Holds { .. }))
    });
    assert!(guarded);
}

/// Where only static links lead to the wanted set, what they begin at is found as a set first.
#[test]
fn a_test_is_made_on_whole_sets_before_links_are_followed() {
    let rules = ":- include \"board/square\" with (width = 5, height = 5).
        :- state at(cell) -> player.
        ring :- at(C, P), mover(P), \\+ edge(C), forall(adjacent(C, D), (mover(Q), at(D, Q))).
        move(put(C)) :- turn(Me), cell(C), \\+ at(C, _), at(C) := Me.
        win(P) :- mover(P), ring.";
    flags(rules);
    let game = load(rules);
    let blocks = &game.plan.blocks;
    assert!(blocks.ops().any(|op| matches!(op, Op::EmitImage { .. })));
    assert!(!blocks.ops().any(|op| matches!(op, Op::Rows { .. })));
}

#[test]
fn recursion_along_a_line_needs_no_table_whatever_it_hands_back() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state at(cell) -> player.
        chain(P, _, A, 1, A) :- at(A, P).
        chain(P, Dir, A, N, Z) :- at(A, P), step(Dir, A, B), chain(P, Dir, B, M, Z), N is M + 1.
        move(go(A)) :- turn(Me), at(A, Me), direction(Dir), chain(Me, Dir, A, N, Z), N > 1, step(Dir, Z, B),
            \\+ at(B, _), at(B) := Me.";
    let plan = load(rules).plan;
    let tables = plan.procedures.iter().filter_map(|p| match p.recursion {
        Recursion::Tabled { untabled, .. } => Some(untabled),
        _ => None,
    });
    assert_eq!(tables.collect::<Vec<Untabled>>(), [Untabled::Ends]);
    // two ways on from each site could be too many to follow one by one
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state at(cell) -> player.
        way(A, 1) :- at(A, _).
        way(A, N) :- step(n, A, B), way(B, M), N is M + 1.
        way(A, N) :- step(e, A, B), way(B, M), N is M + 1.
        move(go(A)) :- turn(Me), at(A, Me), way(A, 3), clear(at(A)).";
    let plan = load(rules).plan;
    let descends = |p: &ludex::plan::Procedure| {
        matches!(p.recursion, Recursion::Tabled { untabled: Untabled::Ends, .. })
    };
    assert!(!plan.procedures.iter().any(descends));
}

#[test]
fn recursion_that_builds_lists_is_tried_as_it_is_written() {
    // which lists there are is asked as a test, for which none is made
    let rules = "tile(N) :- N in 1..9.
        :- state shut(tile).
        parts(0, _, []).
        parts(N, Least, [T|L]) :-
            N > 0, T in Least..9, T =< N, \\+ shut(T), M is N - T, Next is T + 1, parts(M, Next, L).
        move(close(L)) :- parts(12, 1, L), each(member(T, L), set(shut(T))).
        move(stop) :- \\+ parts(12, 1, _).";
    let plan = load(rules).plan;
    let tried = |p: &&ludex::plan::Procedure| {
        matches!(p.recursion, Recursion::Tabled { untabled: Untabled::Tried, .. })
    };
    assert_eq!(plan.procedures.iter().filter(tried).count(), 2);
    let tests = plan.procedures.iter().filter(|p| p.answer == Answer::Test);
    for test in tests {
        for clause in &test.clauses {
            plan.blocks.each(clause.start, &mut |_, op, _| {
                assert!(!matches!(op, Op::MakeList { .. } | Op::Call { .. }), "{op:?}");
            });
        }
    }
}

#[test]
fn a_goal_that_repeats_the_domain_of_a_recursion_is_left_out() {
    let rules = |first: &str| {
        format!(
            ":- include \"board/square\" with (width = 4, height = 4).
            :- state at(cell) -> player.
            run(D, A, B) :- step(D, A, B), at(B, _).
            run(D, A, C) :- run(D, A, B), step(D, B, C), at(C, _).
            turns(A, B) :- {first}run(D, A, B).
            move(put(A)) :- cell(A), \\+ at(A, _), turns(A, _), turn(P), each(turns(A, B), at(B) := P), at(A) := P."
        )
    };
    let plan = |first: &str| {
        let game = load(&rules(first));
        print_plan(&game.plan, &game.program)
    };
    // the clauses begin at other columns
    assert_eq!(plan("direction(D), "), plan(""));
    // the first answers in the order of directions are others
    let first = rules("direction(D), ")
        .replace("each(turns(A, B), at(B) := P)", "once(turns(A, B)), at(B) := P");
    let game = load(&first);
    assert!(print_plan(&game.plan, &game.program).contains("in {n, e, "));
}

#[test]
fn the_clause_of_a_table_begins_with_what_is_new_in_it() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state at(cell) -> player.
        rides(A, D, A) :- direction(D), at(A, _).
        rides(A, D, C) :- rides(A, D, B), step(D, B, C), \\+ at(C, _).
        rides(A, E, C) :- rides(A, D, B), opposite(D, E), step(E, B, C), at(C, _).
        move(go(A, B)) :- turn(Me), at(A, Me), rides(A, D, B), \\+ step(D, B, _), \\+ at(B, _),
            clear(at(A)), at(B) := Me.";
    flags(rules);
    let plan = load(rules).plan;
    let tabled = plan.procedures.iter().find_map(|p| match &p.recursion {
        Recursion::Tabled { reruns, .. } => Some((p, reruns.clone())),
        _ => None,
    });
    let (procedure, reruns) = tabled.expect("a table");
    for (clause, rerun) in procedure.clauses.iter().zip(&reruns).skip(1) {
        assert_eq!(*rerun, Rerun::NewAnswers(Box::new([OpId::first(clause.start)])));
    }
    // and is machine code
    let game = load(rules);
    let report = game.code.report(&game.plan, &|| false).expect("a code generator");
    assert_eq!(report.left().count(), 0, "{:?}", report.functions);
}

#[test]
fn a_choice_behind_an_update_is_made_before_it_where_it_reads_nothing_of_it() {
    let rules = |body: &str| {
        format!(
            ":- include \"board/square\" with (width = 2, height = 2).
            :- state at(cell) -> player. :- state spin -> 0..9 = 0.
            move(put(C, S)) :- turn(Me), cell(C), \\+ at(C, _), {body}.
            draw :- ply(N), N >= 5."
        )
    };
    let updates = |rules: &str| {
        flags(rules);
        let clause = load(rules).plan.moves[0].clone();
        assert!(!clause.branching && !clause.all_ways);
        clause.updates
    };
    assert!(!updates(&rules("at(C) := Me, S in 1..3, spin := S")));
    assert!(!updates(&rules("at(C) := Me, member(S, [4, 5]), S > 4, spin := S")));
    assert!(!updates(&rules("at(C) := Me, spin(N), N < 9, S in N..9, spin := S")));
    // the number of neighbours is another one before
    let after = "at(C) := Me, count(D, (adjacent(C, D), at(D, _)), N), S in 0..N, spin := S";
    assert!(updates(&rules(after)));
    assert!(updates(&rules("spin := 3, spin(N), S in 0..N, at(C) := Me")));
}

#[test]
fn a_choice_that_must_stay_behind_an_update_is_a_set_of_candidates() {
    let rules = |last: &str| {
        format!(
            ":- include \"board/square\" with (width = 3, height = 3).
            :- state at(cell) -> player. :- state spin -> 0..9 = 0.
            init(at(a1, a)). init(at(c3, b)).
            slide(A, B) :- slide(_, A, B).
            slide(D, A, B) :- step(D, A, B), \\+ at(B, _).
            slide(D, A, C) :- slide(D, A, B), step(D, B, C), \\+ at(C, _).
            move(go(A, B, C)) :-
                turn(Me), at(A, Me), slide(A, B), clear(at(A)), at(B) := Me, slide(B, C), {last}.
            lose(P) :- turn(P), stuck."
        )
    };
    let plan = |last: &str| {
        let rules = rules(last);
        assert_eq!(flags(&rules), [if last.contains("spin") { "tested" } else { "" }]);
        load(&rules).plan
    };
    let ends_in_set = |last: &str| {
        let plan = plan(last);
        let line = plan.blocks.line(plan.moves[0].generate.start);
        plan.moves[0].updates && matches!(line.last(), Some(Op::Segment { .. }))
    };
    // the flood in each direction is gathered, though the direction does not matter
    assert!(ends_in_set("at(C) := Me"));
    assert!(ends_in_set("at(C) := Me, spin += 1, count(X, at(X, Me), N), N > spin"));
}

#[test]
fn a_clause_of_which_options_leave_nothing_is_no_clause_of_the_plan() {
    let rules = ":- option jumps -> {yes, no} = no. :- state n -> 0..9 = 0.
        move(step) :- n(M), M < 9, n += 1.
        move(jump(K)) :- option(jumps, yes), n(M), M < 8, n += 2, K in 1..2.";
    flags(rules);
    assert_eq!(load(rules).plan.moves.len(), 1);
}

#[test]
fn a_symmetric_flood_is_made_once_in_either_direction() {
    let rules = ":- include \"board/square\" with (width = 3, height = 3).
        :- state at(cell) -> player.
        linked(A, A) :- mover(P), at(A, P).
        linked(A, C) :- linked(A, B), adjacent(B, C), mover(P), at(C, P).
        move(mark(C)) :- turn(Me), cell(C), \\+ at(C, _), at(C) := Me.
        touches(C, S) :- side(S, A), linked(A, C).
        win(P) :- mover(P), cell(C), count(S, touches(C, S), N), N >= 3.";
    assert_eq!(orbits(rules), 1);
    // a place that the mover does not hold leads on, and is not led to
    let one_way = rules.replace(
        "linked(A, A) :- mover(P), at(A, P).",
        "linked(A, A) :- mover(P), at(A, P). linked(A, A) :- at(A, _).",
    );
    assert_eq!(orbits(&one_way), 0);
}

#[test]
fn a_large_board_has_sets_of_as_many_words_as_it_needs() {
    let rules = ":- include \"board/square\" with (width = 35, height = 33).
        :- state at(cell) -> player.
        move(mark(C)) :- turn(Me), cell(C), \\+ at(C, _), at(C) := Me.
        draw :- ply(N), N >= 3.";
    let plan = load(rules).plan;
    assert_eq!(plan.layout.words, 19);
    assert!(plan.blocks.ops().any(|op| matches!(op, Op::Segment { .. })));
}

#[test]
fn what_an_element_says_of_others_is_read_for_one_after_the_other() {
    let rules = ":- include \"board/square\" with (width = 8, height = 8).
        :- state top(cell) -> player.
        :- state height(cell) -> 0..9 = 1.
        far(A, N, B) :- cell(A), cell(B), xy(A, X, Y), xy(B, V, Y), N is abs(X - V).
        shut(A) :- cell(A), \\+ (step(_, A, B), \\+ top(B, _)).
        move(mark(C)) :- turn(Me), cell(C), \\+ top(C, _), top(C) := Me, height(C) += 1.
        draw :- \\+ (player(P), top(A, P), height(A, N), far(A, N, B), top(B, _), \\+ shut(A)).";
    let plan = load(rules).plan;
    assert!(!plan.blocks.ops().any(|op| matches!(op, Op::Rows { .. })));
}

/// The clauses of an action that exclude each other by the state it changes have one answer, also where they fail behind
/// an update or the move does.
#[test]
fn clauses_that_exclude_each_other_by_the_state_are_one_way() {
    let push = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- state at(cell) -> player.
        move(push(C, D)) :- turn(P), side(S, C), opposite(S, D), shove(D, C, P), \\+ at(C, b).
        shove(D, C, P) :- at(C, Q), at(C) := P, step(D, C, B), shove(D, B, Q).
        shove(_, C, P) :- \\+ at(C, _), at(C) := P.";
    let slide = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- state at(cell) -> player. :- state kept(cell).
        init(at(a1, a)). init(at(c1, a)). init(at(b3, b)).
        move(slide(D, A)) :- at(A, P), orthogonal(D), go(D, A, P).
        go(D, A, P) :- step(D, A, B), \\+ at(B, _), clear(at(A)), at(B) := P, go(D, B, P).
        go(D, A, P) :- step(D, A, B), at(B, P), \\+ kept(B), clear(at(A)), set(kept(B)).
        go(D, A, P) :- \\+ (step(D, A, B), (\\+ at(B, _) ; at(B, P), \\+ kept(B))).";
    let halves = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- state at(cell) -> player. :- state last -> cell.
        init(at(b2, a)). init(at(c3, b)). init(at(c2, b)).
        half(a, C) :- xy(C, _, Y), Y =< 2.
        half(b, C) :- xy(C, _, Y), Y > 2.
        move(go(A, B)) :- turn(P), at(A, _), adjacent(A, B), into(P, A, B).
        into(_, A, B) :- \\+ at(B, _), clear(at(A)), last := B.
        into(P, A, B) :- half(Q, B), Q \\= P, at(B, _), clear(at(B)), last := A.
        into(P, A, B) :- half(P, B), at(B, _), clear(at(A)), last := A.";
    // a number that is no number of a range
    let ranges = ":- include \"board/square\" with (width = 3, height = 3, diagonals = no).
        :- state n(cell) -> 0..3 = 1.
        move(add(C)) :- cell(C), n(C) < 3, n(C) += 1, end(C).
        end(C) :- n(C, 1), n(C) := 2.
        end(C) :- n(C, N), N in 2..3, n(C) := 0.";
    for rules in [push, slide, halves, ranges] {
        assert!(
            flags(rules)
                .iter()
                .all(|flag| !flag.contains("branching") && !flag.contains("all ways")),
            "{rules}"
        );
    }
    // one that may be a rule error is tried like the others
    let error = push
        .replace("move(", ":- state k -> 0..3 = 1. move(")
        .replace("at(C, Q), at(C) := P", "at(C, Q), k(K), 1 < 8 // K, at(C) := P");
    // nothing says that these exclude each other
    let open = push.replace("\\+ at(C, _), at(C) := P", "at(C) := P");
    for rules in [&error, &open] {
        assert!(flags(rules).iter().any(|flag| flag.contains("all ways")), "{rules}");
    }
}

/// The sites of the rows that pass a test are those of the rows: it is made once for each row.
#[test]
fn items_of_lists_that_pass_a_test_are_added_as_sets() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4).
        :- state at(cell) -> player.
        three(P, L) :- line(3, L), forall(member(C, L), at(C, P)).
        in_three(P, C) :- three(P, L), member(C, L).
        move(put(C)) :- cell(C), \\+ at(C, _), turn(P), at(C) := P, each(in_three(P, D), clear(at(D))).";
    let plan = load(rules).plan;
    assert!(plan.blocks.ops().any(|op| matches!(op, Op::Emit { .. })));
    assert!(plan.indexes.iter().all(|index| !index.name.contains("member")));
}

/// What is said of the end of a recursion is where its flood begins, also where the steps name no direction: one flood for each
/// player, in front of the loop over the sites.
#[test]
fn goals_about_the_end_of_a_recursion_begin_its_flood() {
    let board = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- pieces player.
        move(put(C)) :- turn(P), empty(C), opponent(P, Q),
            \\+ (region(C, B), adjacent(B, D), at(D, Q)), at(C) := P.
        region(A, A) :- empty(A).";
    let left = "region(A, C) :- region(A, B), adjacent(B, C), empty(C).";
    let right = "region(A, C) :- empty(A), adjacent(A, B), empty(B), region(B, C).";
    for step in [left, right] {
        let rules = format!("{board}\n{step}");
        assert_eq!(flags(&rules), [""]);
        let game = load(&rules);
        let floods = |p: &&ludex::plan::Procedure| matches!(p.recursion, Recursion::Flood { .. });
        assert_eq!(game.plan.procedures.iter().filter(floods).count(), 1);
        assert!(!game.plan.blocks.ops().any(|op| matches!(op, Op::Each { .. } | Op::Rows { .. })));
    }
}

/// A flood over the sites between two others moves the whole set and the set of those between at once.
#[test]
fn a_flood_over_sites_between_is_no_loop() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- pieces player.
        way(P, A) :- player(P), A = a1.
        way(P, C) :- way(P, A), orthogonal(D), step(D, A, B), at(B, P), step(D, B, C).
        move(put(C)) :- turn(P), empty(C), \\+ way(P, C), at(C) := P.";
    assert_eq!(flags(rules), [""]);
    let game = load(rules);
    assert!(game.plan.blocks.ops().any(|op| matches!(op, Op::EmitJoint { .. })));
    assert!(!game.plan.blocks.ops().any(|op| matches!(op, Op::Each { .. })));
}

/// Tables whose values are only compared are one table of the other arguments.
#[test]
fn tables_whose_values_are_compared_are_one() {
    let rules = ":- include \"board/square\" with (width = 4, height = 4, diagonals = no).
        :- pieces player.
        number(C, N) :- xy(C, X, Y), N is 4 * Y + X.
        move(put(C)) :- turn(P), empty(C),
            \\+ (at(D, P), number(C, N), number(D, M), M < N), at(C) := P.";
    assert_eq!(flags(rules), [""]);
    let game = load(rules);
    let slow = |op: &Op| matches!(op, Op::Compare { .. } | Op::Rows { .. } | Op::Find { .. });
    assert!(!game.plan.blocks.ops().any(slow));
}
