//! Tests of the meaning of goals, on games of a few lines.

use std::sync::Arc;

use super::*;
use crate::datalog::{self, Demand};
use crate::program::{self, Budget, LoadRequest};
use crate::source::Sources;
use crate::syntax::read_goal;

const BOARD: &str = "
:- game \"Test\".
:- players x, o.
cell(a). cell(b). cell(c).
next(a, b). next(b, c). next(c, a).
:- state at(cell) -> player.
:- state n -> 0..3 = 0.
:- state seen(cell).
win(P) :- at(c, P).
";

fn game(rules: &str) -> Reference {
    let checked = program::check(&LoadRequest::text("test", &format!("{BOARD}{rules}")));
    let mut program = checked.program.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let demand = Demand::of(&program);
    let tables = datalog::evaluate(&mut program, demand, Budget::STATIC).expect("tables");
    Reference::new(Arc::new(program), Arc::new(tables))
}

fn term(text: &str) -> Term {
    let mut sources = Sources::new();
    let id = sources.add("goal", None, text);
    read_goal(&sources, id).expect("a goal")
}

fn moves(rules: &str) -> Vec<String> {
    let game = game(rules);
    let moves = game.legal_moves(&game.opening()).expect("no rule error");
    moves.iter().map(print_term).collect()
}

fn fault(rules: &str) -> String {
    let game = game(rules);
    let error = game.legal_moves(&game.opening()).expect_err("a rule error");
    error.diagnostic().code.to_string()
}

fn after(rules: &str, mv: &str, goal: &str) -> Vec<Bindings> {
    let game = game(rules);
    let facts = game.play(&game.opening(), &term(mv)).expect("no rule error").expect("legal");
    game.query(&facts, &term(goal)).expect("a right question")
}

fn holds(example: &str) -> ExampleResult {
    let game = game("move(m(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.");
    game.run_example(&term(example), &|_| Err(Vec::new())).expect("a right example")
}

#[test]
fn a_test_after_an_update_sees_it_and_undoes_the_move() {
    let rules = "move(m(C)) :- cell(C), turn(Me), at(C) := Me, \\+ at(b, Me).";
    assert_eq!(moves(rules), ["m(a)", "m(c)"]);
    assert_eq!(after(rules, "m(a)", "at(C, x)").len(), 1);
}

#[test]
fn each_collects_its_answers_before_it_acts() {
    let rules = "init(at(a, x)). move(m) :- each((at(C, x), next(C, D)), at(D) := x).";
    assert_eq!(after(rules, "m", "at(C, x)").len(), 2);
    let fails = "move(m(C)) :- cell(C), each(next(C, D), (D \\= b, set(seen(D)))).";
    assert_eq!(moves(fails), ["m(b)", "m(c)"]);
}

#[test]
fn once_keeps_the_updates_of_its_first_answer() {
    let rules = "move(m) :- once((cell(C), C \\= a, at(C) := x)).";
    assert_eq!(after(rules, "m", "at(b, x), \\+ at(c, _)").len(), 1);
}

#[test]
fn the_turn_passes_unless_the_move_says_otherwise() {
    assert_eq!(after("move(m).", "m", "turn(o), mover(x), ply(1)").len(), 1);
    assert_eq!(after("move(m) :- again.", "m", "turn(x)").len(), 1);
    assert_eq!(after("move(m) :- turn := o, turn(o), turn := x.", "m", "turn(x)").len(), 1);
}

#[test]
fn recursion_is_a_least_fixpoint_even_around_a_cycle() {
    let rules = "
        way(C, D) :- open(C, D).
        way(C, E) :- way(C, D), way(D, E).
        open(C, D) :- next(C, D), \\+ at(D, _).
        move(m(C)) :- cell(C), way(C, C), at(C) := x, \\+ way(C, C).";
    assert_eq!(moves(rules), ["m(a)", "m(b)", "m(c)"]);
}

#[test]
fn the_highest_rank_alone_is_legal() {
    let rules =
        "move(m(C)) :- cell(C), at(C) := x. rank(m(a), -1). rank(m(c), -1). rank(m(b), -2).";
    assert_eq!(moves(rules), ["m(a)", "m(c)"]);
}

#[test]
fn chance_comes_before_the_players() {
    let game = game(
        "
        move(m(C)) :- cell(C), at(C) := x.
        chance(e(C)) :- n(0), cell(C), n := 1.
        weight(e(a), 3).",
    );
    let start = game.opening();
    assert!(game.legal_moves(&start).expect("moves").is_empty());
    let events = game.chance_events(&start).expect("events");
    assert_eq!(events.iter().map(|(_, w)| *w).collect::<Vec<_>>(), [3, 1, 1]);
    let next = game.play(&start, &events[0].0).expect("no rule error").expect("possible");
    assert_eq!((next.ply(), next.mover(), next.turn()), (1, None, start.turn()));
    assert_eq!(game.perft(&start, 2).expect("a count"), 9);
}

#[test]
fn rule_errors_have_their_codes() {
    assert_eq!(fault("move(m) :- n := 3, n += 1."), "value-outside-domain");
    assert_eq!(fault("move(m) :- n(N), M is 1 // N, n := M."), "arithmetic");
    assert_eq!(fault("move(m) :- cell(C), at(C) := x."), "ambiguous-move");
    assert_eq!(fault("move(m) :- go(a). go(C) :- set(seen(C)), go(C)."), "play-budget");
    assert_eq!(
        fault("move(m) :- f(1, M), n := M. f(N, M) :- ply(_), K is N + 1, f(K, M)."),
        "play-budget"
    );
}

#[test]
fn long_and_deep_questions_are_answered() {
    let game = game("move(m).");
    let asked = |text: String| game.query(&game.opening(), &term(&text)).expect("right").len();
    assert_eq!(asked(vec!["cell(a)"; 900].join(", ")), 1);
    assert_eq!(asked(format!("{}cell(a)", "\\+ ".repeat(600))), 1);
    assert_eq!(asked(format!("N is {}", vec!["1"; 900].join(" + "))), 1);
}

#[test]
fn examples_speak_of_the_outcome() {
    assert_eq!(holds("after([m(c)], (win(x), lose(o), over, \\+ draw))"), ExampleResult::Holds);
    assert_eq!(holds("after([m(a), m(b)], (\\+ over, count(P, win(P), 0)))"), ExampleResult::Holds);
    assert_eq!(holds("given([at(a) := o, turn := o], legal(m(b)))"), ExampleResult::Holds);
    assert_eq!(holds("at(a, _)"), ExampleResult::Fails("it does not hold".to_string()));
    assert_eq!(
        holds("after([m(a), m(a)], true)"),
        ExampleResult::Fails("move 2, `m(a)`, is not legal".to_string())
    );
}

#[test]
fn a_position_is_made_by_the_updates_it_is_written_as() {
    let game = game("init(at(a, x)). init(seen(b)). move(m) :- n += 1, clear(at(a)), at(c) := o.");
    let start = game.opening();
    let next = game.play(&start, &term("m")).expect("no rule error").expect("legal");
    for facts in [start, next] {
        let updates = Term::new(
            crate::syntax::TermKind::List(game.updates(&facts), None),
            crate::source::Span::NONE,
        );
        let made = game.given(&updates).expect("a right position");
        for fluent in (0..game.program().fluents.len() as u32).map(FluentId) {
            let kept = fluent == FluentId::MOVER || fluent == FluentId::PLY;
            assert!(kept || made.iter(fluent).eq(facts.iter(fluent)));
        }
    }
}

#[test]
fn an_observer_hears_of_every_goal() {
    #[derive(Default)]
    struct Heard(Vec<String>);
    impl Observer for Heard {
        fn enter(&mut self, trace: &Trace<'_>) {
            self.0.push(format!("enter {}", trace.depth));
        }
        fn answer(&mut self, trace: &Trace<'_>) {
            let bound = trace.bindings.iter().flatten().count();
            self.0.push(format!("answer {bound}"));
        }
        fn fail(&mut self, _: &Trace<'_>) {
            self.0.push("fail".to_string());
        }
    }
    let game = game("init(at(b, x)). move(m). mine(C) :- at(C, x).");
    let mut heard = Heard::default();
    let answers = game.query_observed(&game.opening(), &term("mine(C)"), &mut heard);
    assert_eq!(answers.expect("a right question").len(), 1);
    assert_eq!(heard.0, ["enter 0", "enter 1", "answer 1", "answer 1", "fail", "fail"]);
}

#[test]
fn clauses_of_a_large_relation_are_compared_with_few_others() {
    let game = game(&format!("{} init(at(b, x)). move(m).", "same(a). ".repeat(3000)));
    let mut coverage = Coverage::default();
    game.cover_static(&mut coverage).expect("no rule error");
    let shadowed = coverage.shadowed();
    assert_eq!(shadowed.len(), 2999);
    assert!(shadowed.iter().all(|(_, earlier)| *earlier == shadowed[0].1));
}
