//! Ends with a name: both evaluators tell it, and questions may ask for it; ends without one beside
//! them are as before.

use ludex::engine::Session;
use ludex::pipeline;
use ludex::program::{LoadRequest, print_program};
use ludex::reference::{ExampleResult, Reference};
use ludex::syntax::print_term;

const RULES: &str = ":- game \"Rows\".\n:- players x, o.\n\
    :- include \"board/square\" with (width = 3, height = 3).\n\
    :- state at(cell) -> player.\n\
    move(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\n\
    win(P, \"a row of three\") :- line(3, L), forall(member(C, L), at(C, P)).\n\
    win(P) :- player(P), forall(corner(C), at(C, P)).\n\
    draw(\"a full board\") :- stuck.\n";

/// The name of the end after some marks, by the engine.
fn end_after(rules: &str, marks: &[&str]) -> Option<Option<String>> {
    let game = pipeline::load(&LoadRequest::text("rows", rules)).expect("it loads").game;
    let mut session = Session::new(&game);
    let mut state = session.opening();
    for mark in marks {
        let next = session.successors(&state).expect("no rule error");
        let shown = format!("mark({mark})");
        state = next.into_iter().find(|(m, _)| print_term(&m.term) == shown).expect("legal").1;
    }
    let outcome = session.outcome(&state).expect("no rule error")?;
    Some(outcome.clause.and_then(|id| game.program.end_name(id)).map(str::to_string))
}

#[test]
fn the_engine_tells_the_name() {
    let row = Some(Some("a row of three".to_string()));
    assert_eq!(end_after(RULES, &["a1", "b1", "a2", "b2", "a3"]), row);
    assert_eq!(end_after(RULES, &["a1", "b1", "a3", "b2", "c1", "a2", "c3"]), Some(None));
    let full = ["b2", "a1", "a2", "c2", "c1", "a3", "b3", "b1", "c3"];
    assert_eq!(end_after(RULES, &full), Some(Some("a full board".to_string())));
    assert_eq!(end_after(RULES, &["a1"]), None);
    // both kinds of clauses are of one relation
    let none = format!(
        "{RULES}value(P, 1) :- player(P), win(P).\nrank(mark(_), 1) :- \\+ (player(P), win(P)).\n"
    );
    assert_eq!(end_after(&none, &["a1", "b1", "a2", "b2", "a3"]), row);
}

#[test]
fn questions_ask_for_the_outcome() {
    let game = pipeline::load(&LoadRequest::text("rows", RULES)).expect("it loads").game;
    let rules = Reference::new(game.program.clone(), game.tables.clone());
    let nowhere = |_: &[(String, String)]| Err(Vec::new());
    for (goal, expected) in [
        ("after([mark(a1), mark(b1), mark(a2), mark(b2), mark(a3)], win(x))", true),
        (
            "after([mark(a1), mark(b1), mark(a2), mark(b2), mark(a3)], win(x, \"a row of three\"))",
            true,
        ),
        (
            "after([mark(a1), mark(b1), mark(a2), mark(b2), mark(a3)], win(_, \"a full board\"))",
            false,
        ),
        ("after([mark(a1), mark(b1), mark(a2), mark(b2), mark(a3)], (lose(o, N), over(N)))", true),
        ("after([mark(a1), mark(b1), mark(a2), mark(b2), mark(a3)], draw)", false),
        // no clause defines `over` or `lose`
        ("(over ; lose(_) ; win(_) ; draw)", false),
        // an end without a name has none
        (
            "after([mark(a1), mark(b1), mark(a3), mark(b2), mark(c1), mark(a2), mark(c3)], win(x))",
            true,
        ),
        (
            "after([mark(a1), mark(b1), mark(a3), mark(b2), mark(c1), mark(a2), mark(c3)], over(_))",
            false,
        ),
    ] {
        let text = format!("{RULES}:- example \"asked\", {goal}.\n");
        let game = pipeline::load(&LoadRequest::text("rows", &text)).expect("it loads").game;
        let holds = match rules.run_example(&game.program.examples[0].goal, &nowhere) {
            Ok(ExampleResult::Holds) => true,
            Ok(_) => false,
            Err(fault) => panic!("{goal}: {fault:?}"),
        };
        assert_eq!(holds, expected, "{goal}");
    }
}

#[test]
fn the_program_is_printed_with_names() {
    let game = pipeline::load(&LoadRequest::text("rows", RULES)).expect("it loads").game;
    let text = print_program(&game.program);
    for head in ["win(P, \"a row of three\") :-", "win(P) :-", "draw(\"a full board\") :-"] {
        assert!(text.contains(head), "{head} in\n{text}");
    }
}

#[test]
fn where_all_lose_it_is_a_draw() {
    let rules = ":- game \"Both\".\n:- players x, o.\n:- state n -> 0..9 = 0.\n\
        move(add) :- n += 1.\nlose(_) :- ply(1).\n";
    let game = pipeline::load(&LoadRequest::text("both", rules)).expect("it loads").game;
    let rules = Reference::new(game.program.clone(), game.tables.clone());
    let nowhere = |_: &[(String, String)]| Err(Vec::new());
    let goal = "after([add], (over, draw, \\+ win(_), lose(x), lose(o)))";
    let mut sources = ludex::source::Sources::new();
    let file = sources.add("goal", None, goal);
    let goal = ludex::syntax::read_goal(&sources, file).expect("a goal");
    assert_eq!(rules.run_example(&goal, &nowhere).expect("no fault"), ExampleResult::Holds);
}
