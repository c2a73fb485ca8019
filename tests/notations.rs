//! Moves, positions and games in the customary notations, checked against other programs: python-chess,
//! Fairy-Stockfish, pydraughts and sgfmill read what is exported, and write what is imported.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use ludex::record::load;

/// A folder of a test's own; it goes with the test.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// Runs the program in a folder; its answer, or what it says is wrong.
fn ludex(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

/// Runs the program, which succeeds.
fn right(folder: &Path, arguments: &[&str]) -> String {
    ludex(folder, arguments).unwrap_or_else(|e| panic!("{arguments:?}: {e}"))
}

/// Runs a script under `tests/python/` with the packages that `tests/run` installs.
fn python(folder: &Path, script: &str, arguments: &[&str], input: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut child = Command::new(format!("{root}/target/python/bin/python"))
        .arg(format!("{root}/tests/python/{script}"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python packages must be installed: `bash tests/run` does it");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{script} {arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The position at the end of a saved game.
fn last_position(folder: &Path, file: &str, more: &[&str]) -> String {
    let trial = load(&folder.join(file)).expect("a saved game");
    let moves = trial.moves.join(" ");
    let mut arguments = vec!["show", "position", trial.game.as_str(), "--after", &moves];
    if let Some(given) = &trial.given {
        arguments.extend(["--position", given]);
    }
    let options: Vec<String> = trial.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
    options.iter().for_each(|option| arguments.extend(["-o", option]));
    arguments.extend(more);
    right(folder, &arguments).trim().to_string()
}

/// Plays a random game and saves it.
fn random_game(folder: &Path, game: &str, seed: usize, file: &str, more: &[&str]) {
    let seed = seed.to_string();
    let mut arguments = vec!["play", game, "--players", "random,random", "--seed", &seed];
    arguments.extend(["--save", file]);
    arguments.extend(more);
    right(folder, &arguments);
}

#[test]
fn chess_games_of_another_program_are_read() {
    let folder = folder();
    let wanted = python(folder.path(), "chess_games.py", &["random", "7", "12", "games.pgn"], "");
    right(folder.path(), &["import", "games.pgn", "--game", "chess"]);
    for (i, fen) in wanted.lines().enumerate() {
        assert_eq!(last_position(folder.path(), &format!("chess-{}.ron", i + 1), &[]), fen);
    }
}

#[test]
fn another_program_reads_our_chess_games() {
    let folder = folder();
    let fen = "4k3/P6p/8/2pP4/8/8/6PP/R3K2R w KQ c6 0 12";
    for seed in 0..6 {
        random_game(folder.path(), "chess", seed, &format!("{seed}.ron"), &[]);
        let pgn = right(folder.path(), &["export", &format!("{seed}.ron")]);
        fs::write(folder.path().join("one.pgn"), &pgn).expect("written");
        let read = python(folder.path(), "chess_games.py", &["read", "one.pgn"], "");
        let (last, san) = read.split_once('\n').expect("two lines");
        assert_eq!(last_position(folder.path(), &format!("{seed}.ron"), &[]), last);
        // check marks and all
        let moves = pgn.split("\n\n").nth(1).expect("moves").split_whitespace();
        let words: Vec<&str> = moves.filter(|w| !w.ends_with('.') && !w.contains("1/2")).collect();
        let words = words.strip_suffix(&["1-0"]).or(words.strip_suffix(&["0-1"])).unwrap_or(&words);
        assert_eq!(words.join(" "), san.trim(), "{pgn}");
        right(folder.path(), &["import", "one.pgn", &format!("again-{seed}.ron")]);
        let [a, b] = [format!("{seed}.ron"), format!("again-{seed}.ron")]
            .map(|file| load(&folder.path().join(file)).expect("read").moves);
        assert_eq!(a, b);
    }
    let text =
        format!("[FEN \"{fen}\"]\n\n12. dxc6 {{en passant}} Kf8 13. O-O+ Kg7 14. a8=N h5 *\n");
    fs::write(folder.path().join("given.pgn"), text).expect("written");
    right(folder.path(), &["import", "given.pgn", "given.ron", "--game", "chess"]);
    let pgn = right(folder.path(), &["export", "given.ron"]);
    assert!(pgn.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{pgn}");
    fs::write(folder.path().join("again.pgn"), &pgn).expect("written");
    let read = python(folder.path(), "chess_games.py", &["read", "again.pgn"], "");
    let (last, san) = read.split_once('\n').expect("two lines");
    assert_eq!(san.trim(), "dxc6 Kf8 O-O+ Kg7 a8=N h5");
    assert_eq!(last_position(folder.path(), "given.ron", &[]), last);
}

#[test]
fn another_program_reads_games_of_the_variants() {
    let folder = folder();
    for game in ["atomic", "crazyhouse", "chess960"] {
        for seed in 0..3 {
            let saved = format!("{game}-{seed}.ron");
            random_game(folder.path(), game, seed, &saved, &[]);
            let pgn = right(folder.path(), &["export", &saved]);
            fs::write(folder.path().join("one.pgn"), &pgn).expect("written");
            let read = python(folder.path(), "chess_games.py", &["read", "one.pgn"], "");
            let last = last_position(folder.path(), &saved, &[]);
            assert_eq!(last, read.lines().next().expect("a position"), "{pgn}");
            let again = format!("again-{saved}");
            right(folder.path(), &["import", "one.pgn", &again]);
            assert_eq!(last_position(folder.path(), &again, &[]), last, "{pgn}");
            let moves = pgn.split("\n\n").nth(1).expect("moves").split_whitespace();
            let results = ["1-0", "0-1", "1/2-1/2"];
            let words = moves.filter(|w| !w.ends_with('.') && !results.contains(w));
            assert_eq!(words.collect::<Vec<_>>().join(" "), read.lines().last().expect("moves"));
        }
    }
}

#[test]
fn legal_moves_have_the_names_that_another_program_gives_them() {
    let folder = folder();
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        // column, row and square where several pieces may go to one square
        "4k3/8/8/2N3N1/8/2N3N1/8/4K3 w - - 0 1",
        "7k/8/8/Q6Q/8/8/8/Q3K3 w - - 3 40",
        // a pinned piece does not count
        "4k3/8/8/8/1b6/2N3N1/8/4K3 w - - 0 1",
        // promotions with check and mate, captures among them
        "1r3kn1/2P4P/5K2/8/8/8/8/8 w - - 0 60",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "8/8/8/8/8/5k2/4p3/4K2R b K - 0 1",
    ];
    let wanted = python(folder.path(), "chess_games.py", &["san"], &(fens.join("\n") + "\n"));
    for (fen, wanted) in fens.iter().zip(wanted.lines()) {
        for engine in ["compiled", "reference"] {
            let moves =
                ["moves", "chess", "--notation", "san", "--position", fen, "--engine", engine];
            let told = right(folder.path(), &moves);
            let mut names: Vec<&str> =
                told.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
            names.sort_unstable();
            assert_eq!(names.join(" "), wanted, "{fen}");
        }
        assert_eq!(
            right(folder.path(), &["show", "position", "chess", "--position", fen]).trim(),
            *fen
        );
    }
}

/// The legal moves in a notation, in order.
fn named(folder: &Path, game: &str, style: &str, position: &str) -> String {
    let arguments = ["moves", game, "--notation", style, "--position", position];
    let told = right(folder, &arguments);
    let mut names: Vec<&str> =
        told.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    names.join(" ")
}

#[test]
fn positions_of_variants_are_read_and_written() {
    let folder = folder();
    for variant in ["crazyhouse", "chess960"] {
        let arguments = ["positions", variant, "11", "30"];
        let told = python(folder.path(), "chess_games.py", &arguments, "");
        for line in told.lines() {
            let [ours, theirs, moves] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not a position: {line}");
            };
            for fen in [ours, theirs] {
                let show = ["show", "position", variant, "--position", fen];
                assert_eq!(right(folder.path(), &show).trim(), ours, "{fen}");
            }
            if !moves.is_empty() {
                assert_eq!(named(folder.path(), variant, "san", theirs), moves, "{theirs}");
            }
        }
    }
    for (game, fen, said) in [
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[PQP] w", "`P` tells something a second time"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[PX] w", "the field in brackets: what is `X`?"),
        ("chess", "4k3/8/8/8/8/8/8/4K3[P] w", "nothing stands in brackets here"),
        ("chess", "4k3/8/8/8/8/8/8/Q~3K3 w", "what is `~3K3`?"),
        ("chess960", "4k3/8/8/8/8/8/8/4K3 w K", "field 2: what is `K`?"),
    ] {
        let told = ludex(folder.path(), &["show", "position", game, "--position", fen]);
        let told = told.expect_err("wrong");
        assert!(told.contains(said), "{fen}: {told}");
    }
}

#[test]
fn makruk_has_the_notation_of_chess() {
    let folder = folder();
    let fens = [
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        // pawns that become a met, by a step and by captures
        "4k3/8/3p1p2/4P3/8/8/8/4K3 w - - 0 1",
        // column, row and square where several pieces may go to one square
        "4k3/8/8/2N3N1/8/2N3N1/8/4K3 w - - 0 1",
        "4k3/8/2S5/8/2S1S3/8/8/M3K2R w - - 0 1",
        // check and mate
        "7k/8/6K1/8/8/8/8/RR6 w - - 0 1",
    ];
    let wanted =
        python(folder.path(), "fairy_games.py", &["san", "makruk"], &(fens.join("\n") + "\n"));
    for (fen, wanted) in fens.iter().zip(wanted.lines()) {
        let board: Vec<&str> = fen.split_whitespace().take(2).collect();
        assert_eq!(named(folder.path(), "makruk", "san", &board.join(" ")), wanted, "{fen}");
    }
    let position = |file: &str| {
        let last = last_position(folder.path(), file, &[]);
        // the counts of moves behind the text are the rules' own
        let last = last.strip_prefix("[\"").unwrap_or(&last);
        last.split('"').next().unwrap_or_default().to_string()
    };
    let arguments = ["random", "makruk", "5", "6", "games.pgn"];
    let wanted = python(folder.path(), "fairy_games.py", &arguments, "");
    right(folder.path(), &["import", "games.pgn", "--game", "makruk"]);
    for (i, wanted) in wanted.lines().enumerate() {
        assert_eq!(position(&format!("makruk-{}.ron", i + 1)), wanted);
    }
    for seed in 0..2 {
        random_game(folder.path(), "makruk", seed, &format!("{seed}.ron"), &[]);
        let pgn = right(folder.path(), &["export", &format!("{seed}.ron")]);
        fs::write(folder.path().join("one.pgn"), &pgn).expect("written");
        let read = python(folder.path(), "fairy_games.py", &["read", "makruk", "one.pgn"], "");
        assert_eq!(position(&format!("{seed}.ron")), read.trim(), "{pgn}");
    }
}

/// A position of PDN with the squares in order.
fn sorted(fen: &str) -> (String, BTreeSet<String>) {
    let mut fields = fen.trim().split(':');
    let turn = fields.next().unwrap_or_default().to_string();
    let squares = fields.flat_map(|field| {
        let (colour, squares) = field.split_at(1.min(field.len()));
        squares.split(',').filter(|s| !s.is_empty()).map(move |s| format!("{colour} {s}"))
    });
    (turn, squares.collect())
}

/// A game, its name there, and how positions are told there.
const DRAUGHTS: [(&str, &str, &str); 5] = [
    ("international_draughts", "standard", "pdn"),
    ("english_draughts", "english", "pdn"),
    ("brazilian_draughts", "brazilian", "pdn"),
    ("russian_draughts", "russian", "pdn"),
    ("turkish_draughts", "turkish", "squares"),
];

#[test]
fn draughts_games_of_another_program_are_read() {
    for (game, variant, form) in DRAUGHTS {
        let folder = folder();
        let arguments = ["random", variant, "3", "6", "games.pdn"];
        let wanted = python(folder.path(), "draughts_games.py", &arguments, "");
        right(folder.path(), &["import", "games.pdn", "--game", game]);
        for (i, fen) in wanted.lines().enumerate() {
            let saved = format!("{game}-{}.ron", i + 1);
            let last = last_position(folder.path(), &saved, &["--notation", form]);
            assert_eq!(sorted(&last), sorted(fen), "{game} {i}");
        }
    }
}

#[test]
fn another_program_reads_our_draughts_games() {
    for (game, variant, form) in DRAUGHTS {
        let folder = folder();
        for seed in 0..3 {
            random_game(folder.path(), game, seed, &format!("{seed}.ron"), &[]);
            let pdn = right(folder.path(), &["export", &format!("{seed}.ron")]);
            fs::write(folder.path().join("one.pdn"), &pdn).expect("written");
            let read =
                python(folder.path(), "draughts_games.py", &["read", variant, "one.pdn"], "");
            let last = last_position(folder.path(), &format!("{seed}.ron"), &["--notation", form]);
            assert_eq!(sorted(&last), sorted(&read), "{pdn}");
            right(folder.path(), &["import", "one.pdn", &format!("again-{seed}.ron")]);
            let [a, b] = [format!("{seed}.ron"), format!("again-{seed}.ron")]
                .map(|file| load(&folder.path().join(file)).expect("read").moves);
            assert_eq!(a, b, "{pdn}");
        }
    }
}

#[test]
fn positions_of_draughts_are_read_as_lists() {
    let folder = folder();
    let show = |game: &str, fen: &str| {
        let arguments = ["show", "position", game, "--position", fen, "--notation", "pdn"];
        ludex(folder.path(), &arguments)
    };
    let same = |game: &str, fen: &str, wanted: &str| {
        assert_eq!(show(game, fen).as_deref(), Ok(format!("{wanted}\n").as_str()));
    };
    let game = "international_draughts";
    same(game, "B:W31-35,K50:BK1,6", "B:W31,32,33,34,35,K50:B6,K1");
    // the sides in any order, with a full stop
    same(game, "W:B1,2:WK46.", "W:WK46:B1,2");
    same("russian_draughts", "W:Wa1,Kc1:Bh8", "W:WKc1,a1:Bh8");
    same("english_draughts", "B:W32:B1", "B:W32:B1");
    // squares by name where they are told by number
    same("turkish_draughts", "B:Wa1,Kc2:Bh8", "B:W1,K11:B64");
    same("turkish_draughts", "B:W1-3,K11:B64", "B:W1,2,3,K11:B64");
    for (fen, said) in [
        ("W:W51:B1", "what is `51` in `W51`?"),
        ("W:W31:W32", "no field is left for `W32`"),
        ("W:W31", "there is no field that begins with `B`"),
        ("X:W31:B1", "what is `X` in `X`?"),
        ("W:W31,31:B1", "names something a second time"),
    ] {
        let told = show(game, fen).expect_err("wrong");
        assert!(told.contains(said), "{fen}: {told}");
    }
}

#[test]
fn go_games_go_through_sgf() {
    let folder = folder();
    for (size, seed) in [("9", "1"), ("5", "2"), ("19", "3")] {
        let stones = python(folder.path(), "go_games.py", &["random", size, seed, "one.sgf"], "");
        let _ = fs::remove_file(folder.path().join("one.ron"));
        right(folder.path(), &["import", "one.sgf", "one.ron", "--game", "go"]);
        let trial = load(&folder.path().join("one.ron")).expect("read");
        let options = [("size", size), ("komi", "13")].map(|(n, v)| (n.to_string(), v.to_string()));
        assert_eq!(trial.options, options);
        let sgf = right(folder.path(), &["export", "one.ron"]);
        fs::write(folder.path().join("two.sgf"), &sgf).expect("written");
        let read = python(folder.path(), "go_games.py", &["read", "two.sgf"], "");
        assert_eq!(read, format!("{size} 6.5\n{stones}"), "{sgf}");
        // what the rules say of the stones, too
        let json = ["moves", "go", "-o", &format!("size={size}"), "--json", "--after"];
        let moves = trial.moves.join(" ");
        let json = right(folder.path(), &[&json[..], &[moves.as_str()]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let sites = json["sites"].as_object().expect("sites");
        let mut ours: Vec<String> = sites
            .iter()
            .map(|(site, shown)| format!("{site}{}", if shown == "●" { "b" } else { "w" }))
            .collect();
        ours.sort_unstable();
        let mut theirs: Vec<&str> = stones.split_whitespace().collect();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
    }
    let sgf = "(;GM[1]SZ[9]KM[7.5]RE[B+R];B[gc]C[a comment];W[];B[cc](;W[gg])(;W[cg]))";
    fs::write(folder.path().join("three.sgf"), sgf).expect("written");
    right(folder.path(), &["import", "three.sgf", "three.ron", "--game", "go"]);
    let trial = load(&folder.path().join("three.ron")).expect("read");
    assert_eq!(trial.moves, ["place(g7)", "pass", "place(c7)", "place(g3)"]);
    assert_eq!(trial.resigned.as_deref(), Some("white"));
    for (sgf, said) in [
        ("(;GM[2]SZ[9];B[aa])", "the tag `GM` is `2`, and for this game it is `1`"),
        (
            "(;SZ[9]AB[aa]AE[bb];W[cc])",
            "the property `AE` sets up a position, which the rules do not",
        ),
        ("(;SZ[9];B[cc]AW[aa])", "the property `AW` sets up a position, which is read before the"),
        ("(;SZ[9]AB[zz];W[cc])", "what is `zz` in `ABzz`?"),
        ("(;SZ[9];W[cc])", "`cc` is not black's, whose turn it is"),
        ("(;SZ[9];B[cc];W[cc])", "move 2: `cc` is no legal move"),
        ("(;SZ[9]KM[7.3];B[cc])", "the tag `KM` is `7.3`"),
    ] {
        fs::write(folder.path().join("wrong.sgf"), sgf).expect("written");
        let told =
            ludex(folder.path(), &["import", "wrong.sgf", "--game", "go"]).expect_err("wrong");
        assert!(told.contains(said), "{sgf}: {told}");
    }
}

#[test]
fn stones_that_are_set_up_go_through_sgf() {
    let folder = folder();
    let go = |arguments: &[&str]| python(folder.path(), "go_games.py", arguments, "");
    for seed in ["1", "2", "3", "4"] {
        let stones = go(&["set-up", "9", seed, "one.sgf"]);
        let _ = fs::remove_file(folder.path().join("one.ron"));
        right(folder.path(), &["import", "one.sgf", "one.ron", "--game", "go"]);
        let sgf = right(folder.path(), &["export", "one.ron"]);
        assert!(sgf.contains("AB["), "{sgf}");
        fs::write(folder.path().join("two.sgf"), &sgf).expect("written");
        assert_eq!(go(&["read", "two.sgf"]), format!("9 6.5\n{stones}"), "{sgf}");
    }
    // a rectangle of points, and the turn of who makes the first move or of whom a property names
    for (sgf, given, begins) in [
        ("(;SZ[9]AB[aa:bb]HA[4];W[cc])", "ABaa,ab,ba,bb:AW:PLW", "white"),
        ("(;SZ[9];AB[aa][bb]AW[cc]PL[W])", "ABaa,bb:AWcc:PLW", "white"),
        ("(;SZ[9]AW[cc];B[aa])", "AB:AWcc:PLB", "black"),
    ] {
        fs::write(folder.path().join("three.sgf"), sgf).expect("written");
        let _ = fs::remove_file(folder.path().join("three.ron"));
        right(folder.path(), &["import", "three.sgf", "three.ron", "--game", "go"]);
        let trial = load(&folder.path().join("three.ron")).expect("read");
        assert_eq!(trial.given.as_deref(), Some(given), "{sgf}");
        let moves = ["moves", "go", "-o", "size=9", "--position", given];
        let told = right(folder.path(), &moves);
        assert!(told.starts_with(&format!("{begins} to move")), "{sgf}: {told}");
    }
}

#[test]
fn places_have_the_names_that_the_sources_give_them() {
    let folder = folder();
    for (game, options, own, theirs) in [
        ("nerenchi", "", "a7 g1 d7", "0 4 1"),
        ("kei_yen", "", "a3-a2 b2-b3", "a(0,2)-a(0,1) a(1,1)-a(1,2)"),
        ("kei_yen", "", "a3xc1", "a(0,2)xa(2,0)"),
        ("manalath", "", "a0=orange i4=purple j9=orange", "a1w i1b j5w"),
        ("manalath", "long_side=5", "i4=orange e7=purple c6=orange", "i1w e8b c7w"),
        ("mancala", "", "c1 a1 d2 a2", "{1,3} {1,1} {2,3} {2,6}"),
        (
            "lines",
            "",
            "1=red 2=red 3=red +a9 +i1 +e5 1=red 2=red 3=red a9-i9 +a9",
            "1=red 2=red 3=red +{1,1} +{9,9} +{5,5} 1=red 2=red 3=red {1,1}-{1,9} +{1,1}",
        ),
    ] {
        let told = |moves: &str| {
            let mut arguments = vec!["show", "position", game, "--after", moves];
            if !options.is_empty() {
                arguments.extend(["-o", options]);
            }
            right(folder.path(), &arguments)
        };
        assert_eq!(told(own), told(theirs), "{game}");
    }
    let given = ["--position", "[filled := 96, at(a1) := red, at(b1) := blue, at(c1) := blue]"];
    let told = |tile: &str| {
        let mut arguments = vec!["show", "position", "hmaki", "--after", tile];
        arguments.extend(given);
        right(folder.path(), &arguments)
    };
    assert_eq!(told("b1"), told("{8,3}"));
}

#[test]
fn othello_is_told_in_a_line() {
    let folder = folder();
    for seed in 0..4 {
        random_game(folder.path(), "reversi", seed, &format!("{seed}.ron"), &[]);
        let line = right(folder.path(), &["export", &format!("{seed}.ron")]);
        assert!(line.trim().chars().all(char::is_alphanumeric), "{line}");
        fs::write(folder.path().join("one.moves"), &line).expect("written");
        let again = format!("again-{seed}.ron");
        right(folder.path(), &["import", "one.moves", &again, "--game", "reversi"]);
        let [a, b] = [format!("{seed}.ron"), again]
            .map(|file| load(&folder.path().join(file)).expect("read").moves);
        assert_eq!(a, b);
    }
    fs::write(folder.path().join("two.moves"), "F5d6C3\nf5 d6 c4\n").expect("written");
    right(folder.path(), &["import", "two.moves", "--game", "reversi"]);
    let moves = |n: usize| {
        load(&folder.path().join(format!("reversi-{n}.ron"))).expect("read").moves.join(" ")
    };
    assert_eq!(moves(1), "place(f5) place(d6) place(c3)");
    assert_eq!(moves(2), "place(f5) place(d6) place(c4)");
    fs::write(folder.path().join("wrong.moves"), "f5d6a1").expect("written");
    let told = ludex(folder.path(), &["import", "wrong.moves", "--game", "reversi"]);
    assert!(told.expect_err("wrong").contains("move 3, at `a1`: no legal move begins so"));
}
