//! Positions as text: what is printed is read again as the same position, for every shipped game,
//! and chess is written as another program writes it.

use ludex::engine::{Game, Session, State};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::{Facts, Reference};
use ludex::source::{Library, Sources, Span};
use ludex::syntax::{Term, TermKind, print_term, read_goal};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position as _};

const PLIES: usize = 80;

fn load(name: &str) -> Game {
    pipeline::load(&LoadRequest::shipped(name)).unwrap_or_else(|e| panic!("{name}: {e:?}")).game
}

fn reference(game: &Game) -> Reference {
    Reference::new(game.program.clone(), game.tables.clone())
}

/// The term of a position: a text, or a list that begins with one.
fn term(text: &str) -> Term {
    if !text.starts_with('[') {
        return Term::new(TermKind::Text(text.to_string()), Span::NONE);
    }
    let mut sources = Sources::new();
    let file = sources.add("position", None, text);
    read_goal(&sources, file).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The whole state as updates.
fn whole(rules: &Reference, facts: &Facts) -> Vec<String> {
    rules.updates(facts).iter().map(print_term).collect()
}

fn facts(game: &Game, rules: &Reference, state: &State) -> Facts {
    let entries = game.facts(state).into_iter().map(|fact| (fact.fluent, fact.keys, fact.value));
    rules.position(entries, &[])
}

/// Hands on the positions of a random game.
fn random_game(game: &Game, seed: u64, mut each: impl FnMut(&State)) {
    let mut session = Session::new(game);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = session.opening();
    for _ in 0..PLIES {
        each(&state);
        if session.outcome(&state).expect("no rule error").is_some() {
            return;
        }
        let moves = session.legal_moves(&state).expect("no rule error");
        let chosen = &moves[rng.random_range(0..moves.len())].term;
        state = session.play(&state, chosen).expect("no rule error").expect("a legal move");
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let mut written = 0;
    for file in Library::games() {
        let game = load(file.name);
        let rules = reference(&game);
        random_game(&game, 7, |state| {
            let facts = facts(&game, &rules, state);
            let Some(text) = rules.position_text(&facts).expect("no rule error") else { return };
            let read = rules
                .given(&term(&text))
                .unwrap_or_else(|e| panic!("{}: {text}: {e:?}", file.name));
            assert_eq!(whole(&rules, &read), whole(&rules, &facts), "{}: {text}", file.name);
            written += 1;
        });
    }
    assert!(written > 300, "{written} positions have a text");
}

#[test]
fn chess_is_written_as_other_programs_write_it() {
    let game = load("chess");
    let rules = reference(&game);
    for seed in 0..20 {
        let mut session = Session::new(&game);
        random_game(&game, seed, |state| {
            let ours = rules.position_text(&facts(&game, &rules, state)).expect("no rule error");
            let ours = ours.expect("a text");
            let fen: Fen = ours.parse().unwrap_or_else(|e| panic!("{ours}: {e}"));
            let theirs: Chess =
                fen.into_position(shakmaty::CastlingMode::Standard).expect("a position");
            let again = Fen::from_position(&theirs, EnPassantMode::PseudoLegal).to_string();
            assert_eq!(ours, again, "seed {seed}");
            if session.outcome(state).expect("no rule error").is_none() {
                let count = session.legal_moves(state).expect("no rule error").len();
                assert_eq!(count, theirs.legal_moves().len(), "{ours}");
            }
        });
    }
}

#[test]
fn a_picture_is_a_position() {
    let game = load("tic_tac_toe");
    let rules = reference(&game);
    let picture = "
        x . o
        . x .
        o . .";
    let read = rules.given(&term(picture)).expect("a position");
    let line = rules.given(&term("x.o/1x1/o2")).expect("a position");
    assert_eq!(whole(&rules, &read), whole(&rules, &line));
    let rows = rules.given(&term(r#"["x . o", ". x .", "o . ."]"#)).expect("a position");
    assert_eq!(whole(&rules, &read), whole(&rules, &rows));
    let listed = term("[at(a1) := o, at(a3) := x, at(b2) := x, at(c3) := o]");
    let listed = rules.given(&listed).expect("a position");
    assert_eq!(whole(&rules, &read), whole(&rules, &listed));
}

#[test]
fn what_is_wrong_with_a_text_is_told() {
    let game = load("tic_tac_toe");
    let rules = reference(&game);
    let told = |text: &str| match rules.given(&term(text)) {
        Ok(_) => panic!("`{text}` is read"),
        Err(error) => {
            let all = error.into_diagnostics();
            all[0].labels.iter().map(|label| label.text.clone()).collect::<String>()
        }
    };
    assert_eq!(told("x.o/1x1"), "the board has 3 rows, the text 2");
    assert_eq!(told("x.o/1x2/3"), "row 2 from the top has 3 sites, the text 4");
    assert_eq!(told("x.o/1q1/3"), "row 2 from the top: what is `q1`?");
    assert_eq!(
        told("x.o/3/99999999999999999999"),
        "row 3 from the top: what is `99999999999999999999`?"
    );
    assert_eq!(told("x.o/3/3 x"), "there is no field for `x`");
    assert_eq!(told(""), "the board has 3 rows, the text 1");
}

/// What a field means may depend on the board, and its terms may be ones that no clause of play builds.
#[test]
fn an_opening_has_fields_that_depend_on_the_board() {
    let text = ":- game \"Fields\".\n:- players white, black.\n\
        :- include \"board/square\" with (width = 3, height = 2).\n:- pieces player.\n\
        :- state marked(player, cell).\n:- position \"w1b/3 3\".\n\
        position_field(1, X, marked(P, C)) :- at(C, P), xy(C, X, _).\n\
        move(put(C)) :- empty(C), turn(Me), at(C) := Me.\ndraw :- stuck.\n\
        :- example \"as told\", (marked(black, c2), \\+ marked(white, _)).\n";
    let game = pipeline::load(&LoadRequest::text("fields", text)).expect("a game").game;
    let rules = reference(&game);
    let opening = facts(&game, &rules, &Session::new(&game).opening());
    assert_eq!(rules.position_text(&opening).expect("no rule error").as_deref(), Some("w1b/3 3"));
}

/// Texts that depend on the position are looked at when one is printed: what would be read as another position is an
/// error that names the clause.
#[test]
fn a_text_that_cannot_be_read_back_is_an_error() {
    let text = |clauses: &str| {
        format!(
            ":- game \"Texts\".\n:- players x, o.\n\
             :- include \"board/square\" with (width = 3, height = 2).\n:- pieces player.\n\
             :- state closed(cell).\n:- state held(player) -> 0..3 = 0.\n\
             init(at(a1, x)). init(at(b2, o)). init(closed(a2)). init(closed(c1)). init(held(x, 2)).\n\
             letter(x, \"x\"). letter(o, \"o\").\n{clauses}\n\
             move(put(C)) :- empty(C), \\+ closed(C), turn(Me), at(C) := Me, set(closed(C)), held(Me) := 1.\n\
             draw :- stuck.\n"
        )
    };
    let printed = |clauses: &str| {
        let game = pipeline::load(&LoadRequest::text("texts", &text(clauses)));
        let game = game.unwrap_or_else(|e| panic!("{clauses}: {e:?}")).game;
        let rules = reference(&game);
        let opening = facts(&game, &rules, &Session::new(&game).opening());
        rules.position_text(&opening).map_err(|error| {
            let told = error.diagnostic();
            let label = &told.labels[0];
            let clause = game.program.sources.text(label.span);
            (told.message.clone(), label.text.clone(), clause.to_string())
        })
    };
    let told = |clauses: &str, fact: &str, why: &str| {
        let (message, label, clause) = printed(clauses).expect_err(clauses);
        assert!(message.ends_with(&format!("cannot be read back as `{fact}`")), "{message}");
        assert!(label.contains(why), "{label}");
        assert!(clause.starts_with("position_") && clauses.contains(&clause), "{clause}");
    };
    // the text contains what separates fields
    told(
        "position_field(1, T, closed(C)) :- closed(C), called(C, T). called(a2, \"a 2\"). called(c1, \"c1\").",
        "closed(a2)",
        "blanks separate",
    );
    told("position_field(0, \"h 2\", held(P, 2)) :- held(P, 2).", "held(x, 2)", "blanks separate");
    // it is empty, or stands for nothing
    told(
        "position_field(1, T, held(P, N)) :- held(P, N), word(N, T). word(2, \"\"). word(0, \"-\").",
        "held(x, 2)",
        "",
    );
    told("position_field(1, \"-\", held(P, 2)) :- held(P, 2).", "held(x, 2)", "tells nothing");
    // it is another fact's, or begins as another does
    told(
        "position_field(1, X, closed(C)) :- row(C, X). row(a2, \"r\"). row(c1, \"r\").",
        "closed(c1)",
        "taken",
    );
    told(
        "position_field(1, X, closed(C)) :- empty(C), row(C, X).\n\
         row(a2, \"r\"). row(c1, \"s\"). row(c2, \"rs\"). row(b1, \"t\").",
        "closed(a2)",
        "taken",
    );
    // only the board is known when it is read
    told(
        "position_field(1, C, closed(C)) :- closed(C).",
        "closed(a2)",
        "more than what stands on the board",
    );
    let right = "position_field(1, C, closed(C)) :- cell(C). position_field(2, \"n\", held(x, 2)).";
    assert_eq!(printed(right).expect("no fault").as_deref(), Some("1o1/x2 a2c1 n"));
}
