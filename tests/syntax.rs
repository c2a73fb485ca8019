//! The reader, the printer and the reports, through the public face only.
//!
//! What is printed reads back to the same terms; no text makes the reader panic, overflow or take
//! long; and each common slip gets the words that mend it.

use std::time::{Duration, Instant};

use ludex::diagnostic::{Diagnostic, Diagnostics, Severity, render, render_all, to_json};
use ludex::source::{Library, Sources, Span};
use ludex::syntax::{
    Clause, MAX_INTEGER, OperatorTable, ReadError, Syntax, Term, TermKind, print_clause,
    print_term, read_file, read_goal, read_terms,
};
use proptest::prelude::*;

fn file(text: &str) -> (Sources, Syntax, Diagnostics) {
    let mut sources = Sources::new();
    let id = sources.add("test.ludex", None, text);
    let (syntax, faults) = read_file(&sources, id);
    (sources, syntax, faults)
}

fn goal(text: &str) -> Result<Term, ReadError> {
    let mut sources = Sources::new();
    let id = sources.add("prompt", None, text);
    read_goal(&sources, id)
}

fn terms(text: &str) -> Result<Vec<String>, ReadError> {
    let mut sources = Sources::new();
    let id = sources.add("moves", None, text);
    read_terms(&sources, id).map(|terms| terms.iter().map(print_term).collect())
}

fn printed(text: &str) -> String {
    match goal(text) {
        Ok(term) => print_term(&term),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// The term with all operators written as plain functors.
fn canonical(term: &Term) -> String {
    let row = |items: &[Term]| items.iter().map(canonical).collect::<Vec<_>>().join(",");
    match &term.kind {
        TermKind::Compound(name, args) => format!("{name}({})", row(args)),
        TermKind::List(items, None) => format!("[{}]", row(items)),
        TermKind::List(items, Some(tail)) => format!("[{}|{}]", row(items), canonical(tail)),
        TermKind::Integer(value) => value.to_string(),
        TermKind::Atom(name) | TermKind::Variable(name) => name.clone(),
        TermKind::Anonymous => "_".to_string(),
        TermKind::Text(text) => format!("{text:?}"),
    }
}

fn read_as(text: &str, expected: &str) {
    match goal(text) {
        Ok(term) => assert_eq!(canonical(&term), expected, "{text}"),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

#[test]
fn operators_group_as_in_prolog() {
    read_as("a, b, c", ",(a,,(b,c))");
    read_as("a - b - c", "-(-(a,b),c)");
    read_as("1 + 2 * 3 - 4", "-(+(1,*(2,3)),4)");
    read_as("( a -> b ; c )", ";(->(a,b),c)");
    read_as("\\+ a, b", ",(\\+(a),b)");
    read_as("\\+ a = b", "\\+(=(a,b))");
    read_as("\\+ (a, b)", "\\+(,(a,b))");
    read_as("X in 1..N", "in(X,..(1,N))");
    read_as("at(P) := N + 1, turn += 2", ",(:=(at(P),+(N,1)),+=(turn,2))");
    read_as("- a ^ 2", "-(^(a,2))");
    read_as("2 ^ 3 ^ 4", "^(2,^(3,4))");
    read_as("[a, b|T]", "[a,b|T]");
    read_as("[a|[b, c]]", "[a,b,c]");
    read_as("{a, b}", "{}(,(a,b))");
    read_as("f(:-, +, [-])", "f(:-,+,[-])");
    read_as("- = X", "=(-,X)");
    read_as("X = option", "=(X,option)");
    read_as("option(a, state)", "option(a,state)");
}

#[test]
fn signs_and_numbers() {
    read_as("-1", "-1");
    read_as("- 1", "-(1)");
    read_as("a - 1", "-(a,1)");
    read_as("a -1", "-(a,1)");
    read_as("[-1, - 1]", "[-1,-(1)]");
    read_as("- - 1", "-(-(1))");
    read_as("-(1)", "-(1)");
    read_as("1 - -1", "-(1,-1)");
    read_as("0'a + 0x1F + 0b11 + 0o17 + 0''' + 0'\\n", "+(+(+(+(+(97,31),3),15),39),10)");
    read_as("-576460752303423487", "-576460752303423487");
    assert!(matches!(goal("576460752303423488"), Err(ReadError::Wrong(_))));
}

#[test]
fn names_and_texts() {
    read_as("'hello world'", "hello world");
    read_as("'don''t'", "don't");
    read_as("\"a\\n\\\"b\\\" \\x25CB\\ \"\"\"", "\"a\\n\\\"b\\\" ○ \\\"\"");
    read_as("f(_, _X, X)", "f(_,_X,X)");
    read_as("größe(Übung, 日本)", "größe(Übung,日本)");
    assert_eq!(goal("_").map(|t| t.kind), Ok(TermKind::Anonymous));
    assert_eq!(goal("_Foo").map(|t| t.kind), Ok(TermKind::Variable("_Foo".to_string())));
    assert_eq!(goal("'[]'").map(|t| t.kind), Ok(TermKind::Atom("[]".to_string())));
    assert_eq!(goal("[ ]").map(|t| t.kind), Ok(TermKind::List(Vec::new(), None)));
}

#[test]
fn terms_print_as_people_write_them() {
    for text in [
        "X in 1..8",
        "hand(Me) -= 1",
        "at(P) := man(Me), clear(at(Q))",
        "(a -> b ; c)",
        "\\+ at(C, _)",
        "forall((member(D, L), D \\= C), at(D, P))",
        "X1 is X + DX * -2",
        "BX =:= -DX",
        "-(1)",
        "-((a, b))",
        "\\+ (a, b)",
        "-(1 + 2) * -X",
        "(-) = X",
        "f(-, [+|T])",
        "state at(point) -> {white, black} = white",
        "include \"board/square\" with (width = 3, height = 3)",
        "redefine hand/1, owed/0",
        "'Hello'('it\\'s', \"a\\\"b\\\\\", [])",
        "','(a, b, c)",
    ] {
        let expected = if text.starts_with("(a ->") { "a -> b ; c" } else { text };
        assert_eq!(printed(text), expected);
    }
}

#[test]
fn spans_cover_what_was_written() {
    let text = "  at(P) := man(Me)";
    let mut sources = Sources::new();
    let id = sources.add("prompt", None, text);
    let term = read_goal(&sources, id).expect("reads");
    assert_eq!(sources.text(term.span), "at(P) := man(Me)");
    let args = term.args_of(":=", 2).expect("an update");
    assert_eq!(sources.text(args[1].span), "man(Me)");
}

#[test]
fn clauses_facts_and_directives() {
    let text = "\u{FEFF}% a comment\n:- game \"G\".\nfact(a). /* b */ draw :- stuck.% end\n";
    let (sources, syntax, faults) = file(text);
    assert_eq!(faults, Vec::new());
    let shapes: Vec<_> =
        syntax.clauses.iter().map(|c| (c.head.is_some(), c.body.is_some())).collect();
    assert_eq!(shapes, [(false, true), (true, false), (true, true)]);
    assert_eq!(sources.text(syntax.clauses[2].span), "draw :- stuck.");
}

#[test]
fn long_clauses_are_broken_into_lines() {
    let text = "move(jump(P, Q)) :- mine(P), turn(Me), step(Dir, P, Over), at(Over, Piece), \
                ( owner(Piece, Me) -> again, owed := yes, clear(at(Over)), clear(at(P)), x(y) ; \
                opponent(Me, You), owner(Piece, You), owed := no ), at(Q) := Me.";
    let (_, syntax, faults) = file(text);
    assert_eq!(faults, Vec::new());
    insta::assert_snapshot!(print_clause(&syntax.clauses[0]), @r"
    move(jump(P, Q)) :-
        mine(P),
        turn(Me),
        step(Dir, P, Over),
        at(Over, Piece),
        (   owner(Piece, Me)
        ->  again,
            owed := yes,
            clear(at(Over)),
            clear(at(P)),
            x(y)
        ;   opponent(Me, You),
            owner(Piece, You),
            owed := no
        ),
        at(Q) := Me.
    ");
}

#[test]
fn shipped_files_survive_printing() {
    for shipped in Library::files() {
        let (sources, first, faults) = file(shipped.text);
        assert!(faults.is_empty(), "{}", render_all(&sources, &faults, false, 100));
        let text: Vec<String> = first.clauses.iter().map(print_clause).collect();
        let (sources, second, faults) = file(&text.join("\n"));
        assert!(faults.is_empty(), "{}", render_all(&sources, &faults, false, 100));
        assert_same(&first.clauses, &second.clauses);
    }
}

fn assert_same(first: &[Clause], second: &[Clause]) {
    assert_eq!(first.len(), second.len());
    for (a, b) in first.iter().zip(second) {
        assert_eq!((&a.head, &a.body), (&b.head, &b.body), "{}", print_clause(a));
    }
}

#[test]
fn goals_at_a_prompt() {
    assert_eq!(printed("cell(C), turn(Me)."), "cell(C), turn(Me)");
    assert_eq!(printed("a :- b."), "a :- b");
    for text in ["cell(", "cell(C),", "[a", "f(\"abc", "a /* b", "a :- b", "X = ", "\\+", "f((a"] {
        assert!(matches!(goal(text), Err(ReadError::Incomplete(_))), "{text}: {:?}", goal(text));
    }
    for text in ["", "  % nothing", "cell)", "a. b.", "X != 1", "f(a,)", "f(\"abc\n)", "a b", "."] {
        assert!(matches!(goal(text), Err(ReadError::Wrong(_))), "{text}: {:?}", goal(text));
    }
}

#[test]
fn moves_on_a_command_line() {
    let two = Ok(vec!["place(a1)".to_string(), "place(b2)".to_string()]);
    for text in [
        "place(a1) place(b2)",
        "place(a1), place(b2)",
        "[place(a1), place(b2)]",
        "place(a1)\nplace(b2)\n",
        "place(a1). place(b2).",
    ] {
        assert_eq!(terms(text), two, "{text}");
    }
    assert_eq!(terms("e2-e4 e7-e5"), Ok(vec!["e2 - e4".to_string(), "e7 - e5".to_string()]));
    assert_eq!(terms(""), Ok(Vec::new()));
    assert!(matches!(terms("place(a1"), Err(ReadError::Incomplete(_))));
    assert!(matches!(terms("place (a1)"), Err(ReadError::Wrong(_))));
    assert!(matches!(terms("a <= b"), Err(ReadError::Wrong(_))));
}

// ------------------------------------------------------------------ faults

/// Code, message and hints, one fault after the other.
fn told(text: &str) -> String {
    let (sources, _, faults) = file(text);
    let lines = faults.iter().map(|d| {
        let place = d.labels.first().map_or(Span::NONE, |l| l.span);
        let (line, column) = sources.line_column(place);
        format!("{line}:{column} {}: {} / {}", d.code, d.message, d.hints.join(" / "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_slip_gets_its_words() {
    let slips = [
        "a :- X != 3.",
        "a :- X <= 3.",
        "a :- b && c.",
        "a :- b || c.",
        "a :- X =:=-Y.",
        "a :- b(X) c(X).",
        "a :- b, , c.",
        "a :- b, .",
        "a :- .",
        "a :- b :- c.",
        "a :- X = Y = Z.",
        "a :- 1 < X =< 5.",
        "a :- X = \\+ b.",
        "a(b :- c).",
        "a(b, ).",
        "a().",
        "a (b).",
        "Place(a1).",
        "a(b].",
        "a(b.",
        "a(b)).",
        "a([b|c|d]).",
        "a(b|c).",
        "a :- b(\"c.",
        "a('b).",
        "a(\"\\q\").",
        "a :- “b”.",
        "a :- b.c.",
        "a(1.5).",
        "a(3x).",
        "a, b.",
        "a :- not b.",
        "a :- b ;(c, d).",
        "/* a",
        "a",
    ];
    let all: Vec<String> = slips.iter().map(|text| format!("{text}\n    {}", told(text))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn all_faults_of_a_file_are_told_and_the_rest_is_read() {
    let text = "\
:- players x, o
:- include \"board/square\".
move(mark(C)) :- cell(C) turn(Me)

win(P) :- line(3, L), forall(member(C, L), at(C, P).
lose(P) :- win(Q),
draw :- stuck.
prompt(\"mark a cell) :- true.
glyph(x, \"x\").
";
    insta::assert_snapshot!(told(text));
    let (_, syntax, _) = file(text);
    let read: Vec<String> = syntax.clauses.iter().map(print_clause).collect();
    assert_eq!(
        read,
        [":- players x, o.", ":- include \"board/square\".", "draw :- stuck.", "glyph(x, \"x\")."]
    );
}

#[test]
fn a_report_shows_the_line_and_what_to_write() {
    let (sources, _, mut faults) = file("draw :- stuck.\nwin(P) :- X <= 3, at(_, P).\n");
    faults[0] = faults[0].clone().hint("a second hint");
    faults.push(Diagnostic::warning("no-draw", "nothing says when the game is a draw"));
    insta::assert_snapshot!(render_all(&sources, &faults, false, 80));
    assert!(!render(&sources, &faults[0], false, 80).contains('\u{1b}'));
    assert!(render(&sources, &faults[0], true, 80).contains('\u{1b}'));
}

#[test]
fn a_report_may_speak_of_several_files_or_of_none() {
    let mut sources = Sources::new();
    let one = sources.add("one.ludex", None, "cell(a).\n");
    let two = sources.add("two.ludex", None, "cell(b).\n");
    let fault = Diagnostic::error("twice", "`cell/1` is defined twice")
        .at(Span::new(two, 0, 4), "here")
        .at(Span::new(one, 0, 4), "and here")
        .at(Span::NONE, "and nowhere");
    let text = render(&sources, &fault, false, 80);
    assert!(text.contains("one.ludex") && text.contains("two.ludex"), "{text}");
    let json = to_json(&sources, &fault);
    assert_eq!(json["file"], "two.ludex");
    assert_eq!((json["line"].as_u64(), json["end_column"].as_u64()), (Some(1), Some(5)));
    assert_eq!(json["labels"][2]["line"], serde_json::Value::Null);
    assert_eq!(json["severity"], "error");
    assert_eq!(fault.severity, Severity::Error);
    let outside = Diagnostic::error("x", "y").at(Span::new(one, 500, 900), "past the end");
    assert!(render(&sources, &outside, false, 80).contains('y'));
}

// ------------------------------------------------------------------ hostile texts

fn quickly(name: &str, text: &str) -> Diagnostics {
    let begin = Instant::now();
    let (sources, _, faults) = file(text);
    let _ = render_all(&sources, &faults, false, 80);
    let _ = (goal(text), terms(text));
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(10), "{name} took {took:?}");
    faults
}

#[test]
fn hostile_texts_are_answered() {
    let n = 100_000;
    for (name, text) in [
        ("brackets", "(".repeat(n)),
        ("closed brackets", format!("{}a{}.", "(".repeat(n), ")".repeat(n))),
        ("lists", format!("{}a{}.", "[".repeat(n), "]".repeat(n))),
        ("calls", format!("{}a{}.", "f(".repeat(n), ")".repeat(n))),
        ("goals", format!("a :- {}b.", "b, ".repeat(n))),
        ("sums", format!("a :- X is {}1.", "1 + ".repeat(n))),
        ("powers", format!("a :- X is {}1.", "1 ^ ".repeat(n))),
        ("signs", format!("a({}1).", "- ".repeat(n))),
        ("negations", format!("a :- {}b.", "\\+ ".repeat(n))),
        ("quotes", "\"".repeat(n + 1)),
        ("apostrophes", "'a\n".repeat(n)),
        ("comments", "/*".repeat(n)),
        ("no stops", "foo\n".repeat(n)),
        ("open everywhere", "foo(\n".repeat(n)),
        ("stops", ". ".repeat(n)),
        ("names", "a ".repeat(n)),
        ("junk", "\u{0}".repeat(n)),
        ("one long name", format!("{}(", "a".repeat(n))),
        ("full stops", ".".repeat(n)),
        ("spaces", " ".repeat(n)),
    ] {
        let faults = quickly(name, &text);
        assert!(!faults.is_empty() || name == "spaces", "{name}");
        assert!(faults.len() <= 51, "{name}");
    }
    let long_list = format!("a([{}b]).", "b, ".repeat(n));
    assert_eq!(quickly("long list", &long_list), Vec::new());
}

/// What is allowed must also be safe to copy, compare, print and drop on a small stack.
#[test]
fn terms_at_the_limits_are_safe() {
    let deep = format!("a :- {}b.", "b, ".repeat(900));
    let nested = format!("a({}b{}).", "[".repeat(200), "]".repeat(200));
    for text in [deep, nested] {
        let (_, syntax, faults) = file(&text);
        assert_eq!(faults, Vec::new());
        let clause = syntax.clauses[0].clone();
        let (_, again, faults) = file(&print_clause(&clause));
        assert_eq!(faults, Vec::new());
        assert_same(&syntax.clauses, &again.clauses);
    }
}

// ------------------------------------------------------------------ properties

fn name() -> impl Strategy<Value = String> {
    const OPERATORS: &[&str] = &[
        ":-", "?-", "-->", ";", "->", ",", "\\+", "=", "\\=", "is", "<", "=..", "+", "-", "*", "/",
        "//", "mod", "**", "^", "\\", ":=", "+=", "-=", "in", "..", "with", "state", "option",
        "example", "!", "[]", "{}", "|", ".", "/*", "%", "<=", "&&", "", "'", "_a", "A", "日本",
        "a.", "\u{301}x", "ªb", "ǅ", "٣",
    ];
    prop_oneof![
        4 => "[a-z][a-zA-Z0-9_]{0,4}",
        4 => prop::sample::select(OPERATORS).prop_map(str::to_string),
        1 => "[-+*/\\\\^<>=~:.?@#&$]{1,3}",
        1 => any::<String>(),
    ]
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        "[A-Z_][a-zA-Z0-9_]{1,3}".prop_map(TermKind::Variable),
        Just(TermKind::Anonymous),
        name().prop_map(TermKind::Atom),
        prop_oneof![-MAX_INTEGER..=MAX_INTEGER, -3i64..3].prop_map(TermKind::Integer),
        any::<String>().prop_map(TermKind::Text),
    ]
    .prop_map(|kind| Term::new(kind, Span::NONE));
    leaf.prop_recursive(6, 40, 4, |inner| {
        let call = (name(), prop::collection::vec(inner.clone(), 1..4))
            .prop_map(|(name, args)| TermKind::Compound(name, args));
        let list = (prop::collection::vec(inner.clone(), 0..4), prop::option::of(inner)).prop_map(
            |(items, tail)| {
                // A list as the rest of a list is one list.
                let tail = tail.filter(|t| !matches!(t.kind, TermKind::List(..)));
                let tail = tail.filter(|_| !items.is_empty()).map(Box::new);
                TermKind::List(items, tail)
            },
        );
        prop_oneof![3 => call, 1 => list].prop_map(|kind| Term::new(kind, Span::NONE))
    })
}

fn token() -> impl Strategy<Value = String> {
    const TOKENS: &[&str] = &[
        "a", "f(", "X", "_", "(", ")", "[", "]", "{", "}", ",", "|", ":-", ".", ". ", ".\n", "\n",
        " ", "-", "1", "0'", "\\+", "=", "\"", "'", "\\", "%", "/*", "*/", ";", "->", "!", "state",
        "X(", "..", "é", "○", "1.5", "0x",
    ];
    prop::sample::select(TOKENS).prop_map(str::to_string)
}

proptest! {
    // `PROPTEST_CASES=20000 cargo test --test syntax` looks longer.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_terms_read_back(term in term()) {
        // A whole clause is read at a prompt only with its full stop.
        let text = format!("{} .", print_term(&term));
        match goal(&text) {
            Ok(read) => prop_assert_eq!(&read, &term, "{}", text),
            Err(error) => prop_assert!(false, "{}: {:?}", text, error),
        }
    }

    #[test]
    fn printed_clauses_read_back(head in term(), body in term()) {
        let head = Term::new(TermKind::Compound("h".to_string(), vec![head]), Span::NONE);
        let clauses = [
            Clause { head: Some(head.clone()), body: None, span: Span::NONE },
            Clause { head: Some(head), body: Some(body.clone()), span: Span::NONE },
            Clause { head: None, body: Some(body), span: Span::NONE },
        ];
        let text: Vec<String> = clauses.iter().map(print_clause).collect();
        let (_, syntax, faults) = file(&text.join("\n"));
        prop_assert!(faults.is_empty(), "{}\n{:?}", text.join("\n"), faults);
        prop_assert_eq!(syntax.clauses.len(), 3);
        for (read, clause) in syntax.clauses.iter().zip(&clauses) {
            prop_assert_eq!((&read.head, &read.body), (&clause.head, &clause.body));
        }
    }

    #[test]
    fn no_text_is_too_strange(tokens in prop::collection::vec(token(), 0..40)) {
        let text = tokens.concat();
        let (sources, syntax, faults) = file(&text);
        let _ = render_all(&sources, &faults, false, 60);
        let _ = (goal(&text), terms(&text));
        // What was read without a fault is printed and read as the same.
        if faults.is_empty() {
            let printed: Vec<String> = syntax.clauses.iter().map(print_clause).collect();
            let (_, again, faults) = file(&printed.join("\n"));
            prop_assert!(faults.is_empty(), "{}\n{}\n{:?}", text, printed.join("\n"), faults);
            for (a, b) in syntax.clauses.iter().zip(&again.clauses) {
                prop_assert_eq!((&a.head, &a.body), (&b.head, &b.body));
            }
        }
    }

    #[test]
    fn any_characters_are_answered(text in any::<String>()) {
        let (sources, _, faults) = file(&text);
        let _ = render_all(&sources, &faults, true, 60);
    }
}

#[test]
fn the_table_holds_the_operators_of_the_language() {
    let table = OperatorTable::ludex();
    for (name, priority) in [("with", 1100), (":=", 990), ("in", 700), ("+=", 700), ("..", 690)] {
        assert_eq!(table.infix(name).map(|o| o.priority), Some(priority), "{name}");
    }
    assert_eq!(table.prefix("state").map(|o| o.priority), Some(1150));
    assert!(!OperatorTable::iso().contains("state"));
}
