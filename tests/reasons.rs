//! The comment directly above a clause is its rule in words, which explanations quote.

use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::Reference;
use ludex::source::Sources;
use ludex::syntax::read_goal;

/// What is said of a move in the opening of a game with these move clauses.
fn said(moves: &str, asked: &str) -> String {
    let text = format!(
        ":- game \"Test\".\n:- players x, o.\n:- state at({{a, b}}) -> player.\n\n{moves}\n\n\
         move(wait).\n\ndraw :- ply(3).\n"
    );
    let game = pipeline::load(&LoadRequest::text("rules", &text)).expect("it loads").game;
    let rules = Reference::new(game.program.clone(), game.tables.clone());
    let mut sources = Sources::new();
    let file = sources.add("asked", None, asked);
    let mv = read_goal(&sources, file).expect("a move");
    rules.why_move(&rules.opening(), &mv).expect("no rule error").sentences()
}

const BODY: &str = "turn(Me), at(a, Me), at(b) := Me.";

#[test]
fn the_first_sentence_above_a_clause_is_quoted() {
    let rule = "% Who holds a\n% takes b, e.g. at once. It costs nothing.";
    let short = said(&format!("{rule}\nmove(take) :- {BODY}"), "take");
    assert!(
        short.ends_with("The rule: \"Who holds a takes b, e.g. at once.\" (rules:7)."),
        "{short}"
    );
    let short = said("/* Passing is\n * free. */\nmove(pass).\nmove(stay).", "pass");
    assert!(short.starts_with("`pass` is legal: \"Passing is free.\" (rules:7);"), "{short}");
    // clauses without a gap between them share it
    let short = said("% Doing nothing is free.\nmove(pass).\nmove(stay).", "stay");
    assert!(short.starts_with("`stay` is legal: \"Doing nothing is free.\" (rules:7);"), "{short}");
    // what fails below has its own
    let helper = "% Only holders take.\nholds(P) :- at(a, P).\n\n% Taking comes first.\n";
    let short = said(&format!("{helper}move(take) :- turn(Me), holds(Me), at(b) := Me."), "take");
    assert!(short.ends_with("The rule: \"Only holders take.\" (rules:6)."), "{short}");
}

#[test]
fn other_comments_are_not_quoted() {
    for above in [
        "% Parted by a blank line.\n\n",
        "% move(take) :- at(a, x), at(b) := x.\n",
        "% move(M): M can be played.\n",
        "% ---------------\n",
        "",
    ] {
        let short = said(&format!("{above}move(take) :- {BODY}"), "take");
        assert!(!short.contains("The rule"), "{above:?}: {short}");
    }
    // the comment of a directive, and what stands behind a clause
    let short =
        said(&format!("% What is lit.\n:- state lit(player).\nmove(take) :- {BODY}"), "take");
    assert!(!short.contains("The rule"), "{short}");
    let short = said(&format!("move(pass).   % free\n\nmove(take) :- {BODY}"), "take");
    assert!(!short.contains("The rule"), "{short}");
}

/// A clause that the options switch off is no rule of the game, also where another relation asks for the option.
#[test]
fn a_rule_that_the_options_switch_off_is_not_quoted() {
    let quoted = |value: &str, goal: &str, more: &str| {
        let option = format!(":- option flying -> {{yes, no}} = {value}.");
        let rule = format!("{option}\n{more}\n% Men fly.\nmove(take) :- {goal}, {BODY}");
        said(&rule, "take").contains("Men fly.")
    };
    let (direct, derived) = ("option(flying, yes)", "flies");
    for (goal, more) in [
        (direct, ""),
        (derived, "flies :- option(flying, yes).\n"),
        (derived, "flies :- soars.\nsoars :- \\+ option(flying, no).\n"),
    ] {
        assert!(!quoted("no", goal, more), "{goal} by {more}");
        assert!(quoted("yes", goal, more), "{goal} by {more}");
    }
    // what a position tells beside the option is left open
    assert!(quoted("no", derived, "flies :- option(flying, yes).\nflies :- at(a, x).\n"));
}

/// The comment that a file begins with speaks of the file.
#[test]
fn the_head_of_a_file_is_not_quoted() {
    let text = "% A game of two squares.\nmove(pass).\n:- players x, o.\ndraw :- ply(3).\n";
    let game = pipeline::load(&LoadRequest::text("rules", text)).expect("it loads").game;
    let rules = Reference::new(game.program.clone(), game.tables.clone());
    let mut sources = Sources::new();
    let file = sources.add("asked", None, "pass");
    let mv = read_goal(&sources, file).expect("a move");
    let short = rules.why_move(&rules.opening(), &mv).expect("no rule error").sentences();
    assert!(short.starts_with("`pass` is legal, by rules:2;"), "{short}");
}
