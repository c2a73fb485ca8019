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

fn written(folder: &std::path::Path, name: &str, text: &str) -> LoadRequest {
    let path = folder.join(format!("{name}.ludex"));
    std::fs::write(&path, text).expect("written");
    LoadRequest::path(path)
}

/// The values of a program's options, by name.
fn options(program: &Program) -> Vec<(String, String, bool)> {
    let shown =
        |o: &ludex::program::GameOption| (o.name.clone(), program.values.show(o.value), o.fixed);
    program.options.values().map(shown).collect()
}

fn value(program: &Program, name: &str) -> (String, bool) {
    let found = options(program).into_iter().find(|(n, ..)| n == name);
    found.map_or_else(|| panic!("no option {name}"), |(_, value, fixed)| (value, fixed))
}

/// A variant gives values to what its base fixes, to the base's options and to those of the files
/// that the base includes; the outermost variant goes first.
#[test]
fn parameters_of_a_base() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let folder = folder.path();
    let base = ":- game \"Base\".\n:- players a, b.\n:- option depth -> 1..9 = 2.\n\
        :- option shape -> {round, square} = round.\n\
        :- include \"board/square\" with (width = 10, height = 3 * option(depth)).\n\
        :- state at(cell) -> player.\n\
        move(take(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\ndraw :- stuck.\n\
        :- example \"of the base\", count(C, cell(C), 60).\n:- perft 1 = 60.\n";
    written(folder, "base", base);
    let variant = ":- variant_of \"base\" with (width = 5, depth = 1, diagonals = no).\n";
    let loaded = pipeline::load(&written(folder, "variant", variant)).expect("it loads");
    let program = &loaded.game.program;
    assert_eq!(value(program, "width"), ("5".to_string(), true));
    assert_eq!(value(program, "depth"), ("1".to_string(), true));
    assert_eq!(value(program, "height"), ("3".to_string(), true));
    assert_eq!(value(program, "diagonals"), ("no".to_string(), true));
    assert_eq!(value(program, "shape"), ("round".to_string(), false));
    let cells = program.sites().next().expect("cells");
    assert_eq!(loaded.game.tables.get(cells).len(), 15);
    assert!(program.examples.is_empty() && program.perfts.is_empty());

    let outer = ":- option wide -> 2..4 = 2.\n\
        :- variant_of \"variant\" with (width = 2 * option(wide), shape = square).\n";
    let request = written(folder, "outer", outer);
    let loaded = pipeline::load(&request).expect("it loads");
    assert_eq!(value(&loaded.game.program, "width"), ("4".to_string(), true));
    assert_eq!(value(&loaded.game.program, "depth"), ("1".to_string(), true));
    assert_eq!(value(&loaded.game.program, "shape"), ("square".to_string(), true));
    let set = pipeline::load(&request.clone().with_option("wide", "4")).expect("it loads");
    assert_eq!(value(&set.game.program, "width"), ("8".to_string(), true));
    let faults = pipeline::load(&request.with_option("shape", "round")).expect_err("fixed");
    assert_eq!(faults.request_faults[0].message, "the option `shape` is fixed");
}

/// An expression in an `include` is worked out for the options that are set; values that make no
/// game are refused as those of the option.
#[test]
fn parameters_are_calculated() {
    let text = ":- players a, b.\n:- option columns -> 1..40 = 2.\n\
        :- include \"board/square\" with (width = 2 * option(columns) + 1, height = max(1, 4 - 2)).\n\
        :- state at(cell) -> player.\n:- state left -> 0..option(columns) * 2 = option(columns) - 1.\n\
        move(take(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\ndraw :- stuck.\n\
        draw :- left(0).\n";
    let width = |request: &LoadRequest| {
        let loaded = pipeline::load(request).map_err(|f| f.request_faults)?;
        Ok::<_, Vec<_>>(value(&loaded.game.program, "width").0)
    };
    let request = LoadRequest::text("calculated", text);
    assert_eq!(width(&request).expect("it loads"), "5");
    assert_eq!(width(&request.clone().with_option("columns", "7")).expect("it loads"), "15");
    let faults = width(&request.with_option("columns", "30")).expect_err("too wide");
    assert_eq!(
        faults[0].message,
        "the option `columns = 30` cannot be: the parameter `width` cannot be `61`"
    );
}

/// A form drops the clauses that are of it and no others, and what is said anew stands in their
/// place.
#[test]
fn clauses_of_a_form_are_redefined() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let folder = folder.path();
    let base = ":- game \"Base\".\n:- players a, b.\n:- state n -> 0..9 = 0.\n\
        init(n(1)).\nmove(add(1)) :- n += 1.\nmove(add(2)) :- n += 2.\nmove(both(N, N)) :- N in 1..1.\n\
        move(both(1, 2)).\nmove(list([])).\nmove(list([1, 2])).\nmove(pass).\ndraw :- ply(3).\n";
    written(folder, "base", base);
    let heads = |redefined: &str, clauses: &str| -> Vec<String> {
        let text = format!(":- variant_of \"base\".\n:- redefine {redefined}.\n{clauses}\n");
        let loaded = pipeline::load(&written(folder, "variant", &text))
            .unwrap_or_else(|f| panic!("{redefined}: {:?}", f.diagnostics));
        let program = &loaded.game.program;
        let moves = program.clauses.iter().filter(|c| Some(c.relation) == program.special.moves);
        let text = moves.map(|c| program.sources.text(c.head_span));
        text.map(|head| head.trim_start_matches("move").trim_matches(['(', ')']).to_string())
            .collect()
    };
    let rest = ["both(N, N", "both(1, 2", "list([]", "list([1, 2]", "pass"];
    let but = |dropped: &[&str], with: &[&str]| -> Vec<String> {
        let all = with.iter().chain(rest.iter().filter(|r| !dropped.contains(r)));
        all.map(ToString::to_string).collect()
    };
    assert_eq!(heads("move(add(1))", "move(other).\nmove(add(1)) :- n := 5."), {
        let mut all = but(&[], &["add(1", "add(2"]);
        all.push("other".to_string());
        all
    });
    assert_eq!(heads("move(add(_))", "move(add(3)) :- n := 3."), but(&[], &["add(3"]));
    assert_eq!(heads("move(both(X, X))", ""), but(&["both(N, N"], &["add(1", "add(2"]));
    assert_eq!(heads("move(both(1, _))", ""), but(&["both(1, 2"], &["add(1", "add(2"]));
    assert_eq!(heads("move(list([_|_]))", ""), but(&["list([1, 2]"], &["add(1", "add(2"]));
    assert_eq!(heads("move(list(_)), move(pass)", ""), {
        but(&["list([1, 2]", "list([]", "pass"], &["add(1", "add(2"])
    });
    // the opening alone
    assert_eq!(heads("init(n(_))", "init(n(7))."), but(&[], &["add(1", "add(2"]));
}

/// A variant declares an option of its base again with fewer values or others: clauses of the base that ask for one that
/// is gone drop out, and its own clauses say what a new one means. A part of games takes its own values only.
#[test]
fn a_variant_changes_the_values_of_an_option() {
    let base = ":- game \"Base\".\n:- players a, b.\n:- option step -> {one, two} = one.\n\
        :- state n -> 0..99 = 0.\n\
        move(add) :- option(step, one), n < 9, n += 1.\nmove(add) :- option(step, two), n < 9, n += 2.\n\
        over :- n >= 9.\nscore(P, N) :- player(P), n(N).\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.ludex");
    std::fs::write(&path, base).expect("written");
    let checked = |text: &str| {
        let variant = folder.path().join("variant.ludex");
        std::fs::write(&variant, format!(":- variant_of \"base\".\n{text}")).expect("written");
        pipeline::load(&LoadRequest::path(&variant))
    };
    let plies = |text: &str| {
        let game = checked(text).unwrap_or_else(|f| panic!("{text}: {:?}", f.diagnostics)).game;
        let mut session = Session::new(&game);
        let mut state = session.opening();
        let mut plies = 0;
        while session.outcome(&state).expect("no rule error").is_none() {
            state = session.successors(&state).expect("no rule error").remove(0).1;
            plies += 1;
        }
        plies
    };
    assert_eq!(plies(""), 9);
    assert_eq!(plies(":- option step -> {two} = two.\n"), 5);
    let three = "move(add) :- option(step, three), n < 9, n += 3.\n";
    assert_eq!(plies(&format!(":- option step -> {{one, three}} = three.\n{three}")), 3);
    let told = |text: &str| {
        let faults = checked(text).expect_err(text).diagnostics;
        faults.iter().map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    let four =
        ":- option step -> {one, three} = three.\nmove(add) :- option(step, four), n += 4.\n";
    assert_eq!(told(four), ["the option `step` is never `four`"]);
    let part = ":- include \"board/square\".\n:- option width -> 2..99 = 60.\n";
    assert_eq!(told(part), ["the option `width` cannot be `60`"]);
}
