//! A clause that a variant redefines keeps its place in the base.

use ludex::engine::Session;
use ludex::pipeline;
use ludex::program::{EndKind, LoadRequest, Program};

fn load(text: &str) -> ludex::engine::Game {
    let request = LoadRequest::text("variant", text);
    pipeline::load(&request).unwrap_or_else(|f| panic!("{:?}", f.diagnostics)).game
}

fn ends(program: &Program) -> Vec<EndKind> {
    program.ends.iter().map(|(kind, _)| *kind).collect()
}

#[test]
fn ends_keep_their_order() {
    let row = "three(P) :- line(3, L), forall(member(C, L), at(C, P)).";
    for (redefined, expected) in [
        ("win/1", vec![EndKind::Win, EndKind::Win, EndKind::Draw]),
        ("win/1, draw/0", vec![EndKind::Win, EndKind::Win, EndKind::Draw]),
        ("draw/0, win/1", vec![EndKind::Win, EndKind::Win, EndKind::Draw]),
    ] {
        let draw = if redefined.contains("draw") { "draw :- stuck." } else { "" };
        let text = format!(
            ":- variant_of \"tic_tac_toe\".\n:- redefine {redefined}.\n{row}\n{draw}\n\
             win(P) :- three(P), ply(N), N > 8.\nwin(P) :- three(P).\n"
        );
        let game = load(&text);
        assert_eq!(ends(&game.program), expected, "{redefined}");
        // a row on the last square wins
        let mut session = Session::new(&game);
        let mut state = session.opening();
        for cell in ["a1", "b1", "a2", "b2", "b3", "c2", "c1", "c3", "a3"] {
            let moves = session.successors(&state).expect("no rule error");
            let shown = format!("mark({cell})");
            let next = moves.into_iter().find(|(m, _)| ludex::syntax::print_term(&m.term) == shown);
            state = next.expect("a legal move").1;
        }
        let outcome = session.outcome(&state).expect("no rule error").expect("it is over");
        assert_eq!(outcome.kind, Some(EndKind::Win), "{redefined}");
    }
}

/// What the base does not say stands behind what it says.
#[test]
fn new_ends_come_last() {
    let game = load(":- variant_of \"tic_tac_toe\".\nlose(P) :- turn(P), ply(7).\n");
    assert_eq!(ends(&game.program), [EndKind::Win, EndKind::Draw, EndKind::Lose]);
}

/// Moves too: their clauses are in the order of the base.
#[test]
fn moves_and_state_keep_their_order() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let base = ":- game \"Base\".\n:- players a, b.\n:- state n -> 0..9 = 0.\n:- state m -> 0..9 = 0.\n\
        first(1).\nmove(x(N)) :- first(N), n := N, m := N.\nlater(2).\ndraw :- ply(3).\n";
    std::fs::write(folder.path().join("base.ludex"), base).expect("written");
    let middle = ":- variant_of \"base\".\n:- redefine n/0, first/1.\n:- state n -> 0..5 = 0.\n\
        first(3).\nfirst(4).\n";
    std::fs::write(folder.path().join("middle.ludex"), middle).expect("written");
    let last = ":- variant_of \"middle\".\n:- redefine first/1.\nfirst(5).\n";
    let path = folder.path().join("last.ludex");
    std::fs::write(&path, last).expect("written");
    let loaded = pipeline::load(&LoadRequest::path(&path)).expect("it loads");
    let program = &loaded.game.program;
    let state: Vec<&str> = program.fluents.iter().skip(3).map(|f| f.name.as_str()).collect();
    assert_eq!(state, ["n", "m"]);
    let texts: Vec<&str> = program.clauses.iter().map(|c| program.sources.text(c.span)).collect();
    let place = |text: &str| texts.iter().position(|t| t.starts_with(text));
    assert!(place("first(5)") < place("move(") && place("move(") < place("later("), "{texts:?}");
}
