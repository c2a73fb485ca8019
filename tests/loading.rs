//! Static relations are evaluated as far as the rules ask for them, and what is asked for later is
//! answered as if all had been.

use std::fs;

use ludex::datalog::Demand;
use ludex::engine::Game;
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::{QueryError, Reference};
use ludex::source::{Library, Sources};
use ludex::syntax::{Term, print_term, read_goal};

/// A game of stones on a square, with what ends it.
fn stones(size: u32, end: &str) -> String {
    format!(
        ":- game \"Stones\".
:- players black, white.
:- option row_length -> 3..9 = 5.
:- include \"board/square\" with (width = {size}, height = {size}, diagonals = yes).
:- state at(cell) -> player.
move(place(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.
draw :- stuck.
{end}
"
    )
}

fn load(request: &LoadRequest) -> Game {
    pipeline::load(request).unwrap_or_else(|f| panic!("{:?}", f.diagnostics)).game
}

fn game(text: &str) -> Game {
    load(&LoadRequest::text("test", text))
}

fn goal(text: &str) -> Term {
    let mut sources = Sources::new();
    let id = sources.add("goal", None, text);
    read_goal(&sources, id).expect("a goal")
}

fn ask(game: &Game, question: &str) -> Result<Vec<String>, QueryError> {
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    let answers = reference.query(&reference.opening(), &goal(question))?;
    let shown = |(name, value): &(String, Term)| format!("{name} = {}", print_term(value));
    let shown = |answer: &Vec<_>| answer.iter().map(shown).collect::<Vec<_>>().join(", ");
    Ok(answers.iter().map(shown).collect())
}

/// Facts of the tables and constants of a game stay below these numbers.
fn stays_below(request: &LoadRequest, facts: usize, constants: usize) {
    let game = load(request);
    let (found, named) = (game.tables.facts(), game.program.values.len());
    assert!(found < facts, "{:?}: {found} facts", request.origin);
    assert!(named < constants, "{:?}: {named} constants", request.origin);
}

/// A game of so few facts and constants loads within 50 ms.
#[test]
fn every_shipped_game_loads_at_once() {
    for file in Library::games() {
        stays_below(&LoadRequest::shipped(file.name), 32_000, 6_000);
    }
}

/// A board of 52 x 52 has 240,000 lines of 4 million sites, and 9,600 lines of five.
#[test]
fn a_large_board_makes_only_the_lines_that_are_asked_for() {
    let large =
        |request: LoadRequest| request.with_option("width", "52").with_option("height", "52");
    stays_below(&large(LoadRequest::shipped("hex")), 60_000, 4_000);
    stays_below(&large(LoadRequest::shipped("reversi")), 100_000, 4_000);
    stays_below(&large(LoadRequest::shipped("breakthrough")), 100_000, 4_000);
    let five = "forall(member(C, L), at(C, P))";
    let ends = [
        format!("win(P) :- line(5, L), {five}."),
        format!("win(P) :- option(row_length, N), line(N, L), {five}."),
        format!("five(L) :- option(row_length, N), line(N, L).\nwin(P) :- five(L), {five}."),
        format!("in_row(P, N) :- line(N, L), {five}.\nwin(P) :- in_row(P, 5)."),
        format!("win(P) :- N in 3..5, line(N, L), {five}."),
        format!("win(P) :- line(5, L), {five}.\nlose(P) :- line(4, L), {five}."),
        format!(
            "win(P) :- option(row_length, 7), line(N, L), {five}.\nlose(P) :- line(3, L), {five}."
        ),
        // a relation of the game's own file
        format!(
            "run(1, D, A, [A]) :- direction(D), cell(A).
             run(N, D, A, [A|L]) :- step(D, A, B), run(M, D, B, L), N is M + 1.
             win(P) :- run(3, n, _, L), {five}."
        ),
    ];
    for end in ends {
        stays_below(&LoadRequest::text("stones", &stones(52, &end)), 200_000, 120_000);
    }
}

/// Each question is answered from the tables of what the rules ask for as from all tables.
#[test]
fn what_the_rules_do_not_ask_for_is_answered_too() {
    let text = stones(9, "win(P) :- line(5, L), forall(member(C, L), at(C, P)).");
    let asked = game(&text);
    let checked = pipeline::check(&LoadRequest::text("test", &text)).expect("it is right");
    let grounded = checked.ground(Demand::everything).expect("it is grounded");
    let whole = grounded.infer().expect("it has types").plan().expect("it loads").game().game;
    assert!(asked.tables.facts() < whole.tables.facts());
    let questions = [
        "line(5, L), member(a1, L)",
        "line(7, L), member(a1, L)",
        "line(N, L), member(a1, L)",
        "line(N, [a1, b2, c3])",
        "N in 2..9, count(L, line(N, L), K)",
        "line(4, L), line(5, M), member(a1, L), member(a1, M)",
        "\\+ line(12, _)",
        "forall(line(6, L), length(L, 6))",
        "corner(C)",
        "corner(C), side(S, C)",
        "opposite(n, D)",
        "row_of(N, ne, f6, L)",
        "findall(D, opposite(D, s), L)",
    ];
    for question in questions {
        let found = ask(&asked, question).map_err(QueryError::into_diagnostics);
        let all = ask(&whole, question).map_err(QueryError::into_diagnostics);
        assert_eq!(found, all, "{question}");
    }
    assert_eq!(ask(&asked, "count(L, line(9, L), N)").expect("an answer"), ["N = 20"]);
}

/// Why a goal of a static relation does not hold: what it holds for instead, among all answers.
#[test]
fn an_explanation_looks_at_all_answers() {
    let text = stones(
        5,
        "far(A, B, N) :- xy(A, X, Y), xy(B, V, W), N is abs(X - V) + abs(Y - W).
         win(P) :- far(A, B, 8), at(A, P), at(B, P).",
    );
    let game = game(&text);
    let reference = Reference::new(game.program.clone(), game.tables.clone());
    let told = |text: &str| {
        let why = reference.why_goal(&reference.opening(), &goal(text)).expect("an explanation");
        format!("{why:?}")
    };
    assert!(told("far(a1, b1, 8)").contains("only for 1"), "{}", told("far(a1, b1, 8)"));
    assert!(told("line(5, [a1, b1])").contains("line(5, [a1, b1])"));
}

/// What does not end is told where it is asked for: in play at load, elsewhere by the question.
#[test]
fn what_does_not_end_is_told_when_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = ":- option top -> 1..9 = 3.\nup(0).\nup(N) :- up(M), N is M + 1.\n";
    fs::write(folder.path().join("numbers.ludex"), endless).expect("written");
    let path = folder.path().join("game.ludex");
    let load = |rules: &str| {
        let text = format!(":- include \"numbers\".\n{}", stones(5, rules));
        fs::write(&path, text).expect("written");
        pipeline::load(&LoadRequest::path(&path))
    };
    let failure = load("win(P) :- up(N), N > 3, ply(N), mover(P).").expect_err("it is asked for");
    assert!(failure.diagnostics.iter().any(|d| d.code == "static-budget"), "{failure:?}");
    let own = load("count_up(N) :- up(N).").expect_err("it is checked");
    assert!(own.diagnostics.iter().any(|d| d.code == "static-budget"), "{own:?}");
    // up to 3 is all that is asked for
    let game = load("win(P) :- up(3), mover(P).").expect("it loads").game;
    assert_eq!(ask(&game, "up(2)").expect("an answer").len(), 1);
    for rules in ["win(P) :- up(3), mover(P).", "win(P) :- ply(9), mover(P)."] {
        let game = load(rules).expect("it loads").game;
        let QueryError::Rule(fault) = ask(&game, "up(N)").expect_err("without end") else {
            panic!("the question is right")
        };
        assert_eq!(fault.diagnostic().code, "static-budget");
    }
    let part = pipeline::load(&LoadRequest::path(folder.path().join("numbers.ludex")));
    let part = part.expect_err("a part is evaluated whole");
    assert!(part.diagnostics.iter().any(|d| d.code == "static-budget"), "{part:?}");
}

/// A goal that no row fits is most likely a slip: the message names what there is.
#[test]
fn a_slip_in_a_number_is_told_as_before() {
    let warnings = |end: &str| {
        let request = LoadRequest::text("test", &stones(5, end));
        let loaded = pipeline::load(&request).unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
        loaded.warnings
    };
    let found = warnings("win(P) :- line(15, L), forall(member(C, L), at(C, P)).");
    let [warning] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(warning.code, "never-fires");
    assert!(format!("{warning:?}").contains("has no answer with `15`"), "{warning:?}");
    // nothing is said of what the options leave out
    let found = warnings("win(P) :- option(row_length, 7), corner(C), at(C, P).");
    assert!(found.is_empty(), "{found:?}");
}
