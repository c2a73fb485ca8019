//! What is answered about moves that are not legal: `tests/why/` lists moves by families of games, and the
//! sentences that `ludex why` says of them are kept as snapshots, each read and approved.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A position and the moves that are asked about in it.
struct Case {
    arguments: Vec<String>,
    title: String,
    moves: Vec<String>,
}

/// Reads `GAME [option NAME=VALUE] [after MOVES]` with moves below it, indented, one a line.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(mv) = line.strip_prefix("  ") {
            cases.last_mut().expect("a game before its moves").moves.push(mv.to_string());
            continue;
        }
        let (start, after) = line.split_once(" after ").unwrap_or((line, ""));
        let (game, option) = start.split_once(" option ").unwrap_or((start, ""));
        let mut arguments = vec!["why".to_string(), game.to_string()];
        for (name, value) in [("--option", option), ("--after", after)] {
            if !value.is_empty() {
                arguments.extend([name.to_string(), value.to_string()]);
            }
        }
        cases.push(Case { arguments, title: line.to_string(), moves: Vec::new() });
    }
    cases
}

/// What the program answers to these arguments and a move.
fn answer(arguments: &[impl AsRef<OsStr>], mv: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).arg("--").arg(mv).env("NO_COLOR", "1");
    let output = command.output().expect("the program runs");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("text")
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is said of the moves of a list, and those of them that are said to be legal.
fn table(file: &Path) -> (String, Vec<String>) {
    let text = std::fs::read_to_string(file).expect("a list of moves");
    let (mut out, mut legal) = (String::new(), Vec::new());
    for case in cases(&text) {
        out.push_str(&format!("{}\n", case.title));
        for mv in &case.moves {
            let said = in_one_line(&answer(&case.arguments, mv));
            assert!(!said.contains("budget"), "{}: {mv}: {said}", case.title);
            if said.contains("` is legal") {
                legal.push(format!("{}: {mv}: {said}", case.title));
            }
            out.push_str(&format!("  {mv}\n      {said}\n"));
        }
    }
    (out, legal)
}

#[test]
fn every_sentence_about_an_illegal_move_is_the_approved_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/why");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the lists")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "only {} lists", files.len());
    let tables = std::thread::scope(|scope| {
        let tables: Vec<_> = files.iter().map(|file| scope.spawn(|| table(file))).collect();
        tables.into_iter().map(|table| table.join().expect("no panic")).collect::<Vec<_>>()
    });
    let moves: usize = tables.iter().map(|(t, _)| t.matches("\n      ").count()).sum();
    assert!(moves >= 1000, "only {moves} moves");
    let legal: Vec<&str> = tables.iter().flat_map(|(_, legal)| legal).map(String::as_str).collect();
    assert!(legal.is_empty(), "legal moves:\n{}", legal.join("\n"));
    for (file, (table, _)) in files.iter().zip(tables) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => folder.as_path(), prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, table);
        });
    }
}

/// Moves as people write them, with the position before and the move in the game's notation.
static WRITTEN: [(&str, &str, &str, &str); 275] = [
    ("connect_four", "", "drop it in the middle column", "4"),
    (
        "english_draughts",
        "g3-h4 h6-g5 a3-b4 b6-a5 b2-a3 d6-c5 b4-d6 e7-c5 c3-d4 g7-h6 d4-b6 a7-c5 c1-b2 d8-e7 f2-g3 e7-d6 e3-f4 g5-e3-c1 g1-f2 c5-d4 a3-b4 a5-c3 f2-e3 d4-f2 b2-d4 f2-g1 e1-d2 c1-e3-c5 h4-g5 f6-h4-f2 a1-b2",
        "move the white king backwards to b6",
        "c5-b6",
    ),
    ("demala_diviyan_keliya", "", "d4 one down please", "d4-d3"),
    ("pong_hau_ki", "", "red counter on the right goes down to the center", "ne-middle"),
    ("y", "", "center", "e5"),
    ("hex", "", "top right corner", "k1"),
    ("hus", "c1 f4 h2 b3 e2 b4 g1 c4 g2", "the hole with five seeds", "c3"),
    ("mancala", "b1 e2 a1 c2 a1 f2 e1 d2 d1", "c2 (8 stones)", "c2"),
    ("gomoku", "", "c4, that wins", "c4"),
    ("chess", "", "g1-f3 knight", "g1-f3"),
    ("chess", "e2-e4 d7-d5", "e4xd5 captures pawn", "e4-d5"),
    ("crazyhouse", "e2-e4 e7-e5", "K to e2", "e1-e2"),
    (
        "lines",
        "1=cyan 2=red 3=yellow +a9 +d7 +b8 1=blue 2=cyan 3=green",
        "ball at d7 three steps down",
        "d7-d4",
    ),
    ("quarto", "", "hand over the tall dark square flat piece", "dtqf"),
    ("konane", "a1 b1 a3-a1", "c2 jumps left over b2", "c2-a2"),
    ("reversi", "d3 c3 e6 d2 d1 f6 f5", "turn over d5", "d6"),
    ("xiangqi", "b3-e3", "the left horse to c8", "b10-c8"),
    ("chess", "e4 e5", "the right knight to f3", "g1-f3"),
    ("reversi", "d3", "left of the black disc on d3", "c3"),
    ("gomoku", "h8", "left of h8", "g8"),
    ("gomoku", "h8", "above h8", "h9"),
    ("tic_tac_toe", "", "above b2", "b3"),
    ("connect_four", "", "drop a disc in the middle column", "4"),
    ("fanorona", "", "d3-e3 away", "d3<e3"),
    ("amazons", "d1-d7", "shooting g7", "/g7"),
    ("chess", "", "knight b1 travels to c3", "b1-c3"),
    ("nerenchi", "a1 d7 a4 d6 g1", "counter on a 7", "a7"),
    ("nerenchi", "a1 d7 a4 d6 g1", "block at d5", "d5"),
    ("achi", "b2 a1 a3 c1 b1 b3 c2 a2", "centre man to the top right", "b2-c3"),
    ("fanorona", "", "d3 to e3 by approach", "d3>e3"),
    ("chess", "e4 a6 e5 d5", "exd6 en passant", "e5-d6"),
    ("chess", "e4 d5", "exd5 pawn", "e4-d5"),
    ("chess", "", "Nb1 to c3", "b1-c3"),
    ("breakthrough", "", "d2 up-left", "d2-c3"),
    ("english_draughts", "", "c3 north-east", "c3-d4"),
    ("shogi", "P-7f P-3d", "bishop takes bishop and promotes", "b2-h8+"),
    ("go", "", "tenuki at g7", "g7"),
    ("connect_four", "", "I'd like the fifth column, please", "5"),
    ("chess", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6", "d-pawn takes c6", "d7-c6"),
    ("chess", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3", "knight f takes e4", "f6-e4"),
    ("chess", "e4 e5 d4 Bb4+", "king moves", "e1-e2"),
    ("connect_four", "", "column six please", "6"),
    ("connect_four", "", "drop in the last column", "7"),
    ("mancala", "", "my rightmost cup", "f1"),
    ("mancala", "c1 f1", "second cup from the left", "b2"),
    ("oware", "c1 f2 f1 d2", "capture f2", "b1"),
    ("y", "g6 f5 e7", "top corner", "a13"),
    ("y", "g6 f5 e7", "left corner", "a1"),
    ("bagh_chal", "b1", "tiger takes b1", "a1xc1"),
    ("demala_diviyan_keliya", "c4-c3 c2", "leopard takes c2", "c3-c1"),
    ("kei_yen", "", "a3 takes b4", "a3xc5"),
    ("alquerque", "d3-c3 b3xd3", "take d3", "e3-c3"),
    ("russian_draughts", "c3-b4 b6-a5 b4-c5", "take the man on c5", "d6-b4"),
    ("russian_draughts", "c3-b4 b6-a5 b4-c5", "d6 takes c5 lands b4", "d6-b4"),
    ("konane", "d4", "take off d3", "d3"),
    ("hex", "f6 g5", "e6 (bridge)", "e6"),
    ("pachisi", "2 +j7 3", "enter", "+n10"),
    ("pachisi", "3", "enter", "+j6"),
    ("shogi", "c3-c4", "c7-c6=", "c7-c6"),
    (
        "chess",
        "a2-a4 b7-b5 a4xb5 a7-a6 b5xa6 b8-c6 a6-a7 a8-b8",
        "promote the pawn to a queen on a8",
        "a7-a8=queen",
    ),
    ("quarto", "", "give the tall dark round flat one", "dtrf"),
    ("aadu_puli_attam", "e4 c4-c3 f3 apex-c4", "place a goat on the top", "apex"),
    ("amazons", "d1-d7", "arrow d1", "/d1"),
    ("quoridor", "", "up", "e2"),
    ("chess", "", "pawn e2 forward two", "e2-e4"),
    ("connect_four", "", "I drop my disc in the 4th column", "4"),
    ("connect_four", "", "left column", "1"),
    ("connect_four", "", "the middle column", "4"),
    ("gomoku", "", "I put a stone on h8.", "h8"),
    ("quarto", "dsqf", "I place it at B2", "b2"),
    ("tic_tac_toe", "b2", "O in the top right corner please", "c3"),
    ("pentago", "a1", "twist the upper right quarter to the left", "ne<"),
    ("chess", "", "my knight jumps to f3", "g1-f3"),
    ("chess", "e4 d5", "my pawn takes his pawn", "e4-d5"),
    ("quoridor", "", "I go forward", "e2"),
    ("chess", "", "pawn e2 two squares forward", "e2-e4"),
    ("minixiangqi", "", "soldier d2 forward", "d2-d3"),
    ("amazons", "d1-d4", "arrow to g7", "/g7"),
    ("turkish_draughts", "", "a3 forward", "a3-a4"),
    ("turkish_draughts", "a3-a4", "a6 forward", "a6-a5"),
    ("quoridor", "", "forward", "e2"),
    ("quoridor", "e2", "forward", "e8"),
    ("quoridor", "e2", "down", "e8"),
    ("quoridor", "", "pawn left", "d1"),
    ("havannah", "h8", "pie", "swap"),
    ("hex", "f6", "switch sides", "swap"),
    ("twixt", "l12", "swap sides", "swap"),
    ("chinese_checkers", "", "red marble g3 jumps to g5", "g3-g5"),
    ("mancala", "", "the third pit", "c1"),
    ("go", "", "I pass.", "pass"),
    ("tic_tac_toe", "", "middle", "b2"),
    ("tic_tac_toe", "", "bottom right", "c1"),
    ("go", "d4 q16 c3", "tengen", "j10"),
    ("chess", "", "♘f3", "g1-f3"),
    ("chess", "", "N-f3", "g1-f3"),
    ("chess", "e4 d5", "pawn takes", "e4-d5"),
    ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5", "castles short", "O-O"),
    ("shogi", "", "▲７六歩", "c3-c4"),
    ("shogi", "", "76歩", "c3-c4"),
    ("xiangqi", "", "炮2平5", "h3-e3"),
    ("go", "", "tengen", "j10"),
    ("tic_tac_toe", "", "top left", "a3"),
    ("pong_hau_ki", "", "top left to centre", "nw-middle"),
    ("mu_torere", "", "k1-center", "k1-putahi"),
    (
        "international_draughts",
        "d4-e5 c7-b6 j4-i5 e7-d6 e5-c7-a5 g7-f6 i3-j4 f6-e5 f4-d6 b8-c7 d6-b8",
        "6-17",
        "a9-c7",
    ),
    ("quoridor", "", "he3", "e3h"),
    ("quoridor", "", "horizontal e3", "e3h"),
    ("pentago", "c3", "clockwise nw", "nw>"),
    ("pentago", "c3", "left nw", "nw<"),
    ("quarto", "", "dark tall round hollow", "dtrh"),
    ("chess", "e4 d5", "pawn takes pawn", "e4-d5"),
    ("connect_four", "4", "drop a", "1"),
    ("connect_four", "", "drop d", "4"),
    ("aadu_puli_attam", "", "goat b2", "b2"),
    ("aadu_puli_attam", "", "place goat b2", "b2"),
    ("tic_tac_toe", "", "b2 x", "b2"),
    ("amazons", "d1-d5", "d5/d7", "/d7"),
    ("pentago", "d4", "rotate top left clockwise", "nw>"),
    ("pentago", "d4", "bottom right left", "se<"),
    ("quoridor", "", "wall d5 horizontal", "d5h"),
    ("quoridor", "", "d5 vertical", "d5v"),
    ("quoridor", "", "pawn to e2", "e2"),
    ("dots_and_boxes", "", "line a1 a3", "a2"),
    ("international_draughts", "32-28 19-23", "28-19", "e5-g7"),
    ("international_draughts", "32-28 19-23", "2819", "e5-g7"),
    ("international_draughts", "32-28 19-23", "28:19", "e5-g7"),
    ("bagh_chal", "b1", "a1-c1", "a1xc1"),
    ("chess", "e4 e5 Nf3 Nc6 Bb5 a6", "e1g1", "O-O"),
    ("chess", "e4 e5 Nf3 Nc6 Bb5 a6", "e1-g1", "O-O"),
    ("chess", "e4 e5 Nf3 Nc6 Bb5 a6", "Ke1-g1", "O-O"),
    ("konane", "e5 e6 g5-e5 g6-e6 g3-g5", "g8-g6-g4", "g8-g4"),
    ("konane", "e5 e6 g5-e5 g6-e6 g3-g5", "g8xg6xg4", "g8-g4"),
    ("chess", "e4 d5", "ed", "e4-d5"),
    ("chess", "e4 d5", "exd", "e4-d5"),
    ("chess960", "position 518 e4 e5 Nf3 Nc6 Bb5 a6", "e1h1", "O-O"),
    ("shogi", "", "P-7f", "c3-c4"),
    ("shogi", "", "K5h", "e1-e2"),
    ("shogi", "", "S-4h", "g1-f2"),
    ("shogi", "P-7f P-3d", "Bx2b+", "b2-h8+"),
    ("nine_mens_morris", "a1 g1 a4 g4 a7", "g1", "xg1"),
    ("fanorona", "", "e2-e3", "e2>e3"),
    ("backgammon", "3:1", "8/4", "8/5-5/4"),
    ("backgammon", "3:1", "24/20", "24/21-21/20"),
    ("backgammon", "3:1", "8/5/4", "8/5-5/4"),
    ("backgammon", "3:1", "6/5 8/5", "8/5-6/5"),
    ("oware", "", "c", "c1"),
    ("oware", "", "3", "c1"),
    ("oware", "f1", "1", "f2"),
    ("oware", "f1", "a", "a2"),
    ("kalah", "", "6", "f1"),
    ("makruk", "", "d1c2", "d1-c2"),
    ("amazons", "", "d1 d5", "d1-d5"),
    ("breakthrough", "", "a2b3", "a2-b3"),
    ("clobber", "", "a1-a2", "a1xa2"),
    ("english_draughts", "", "11-16", "c3-b4"),
    ("connect_four", "", "d", "4"),
    ("quoridor", "", "E2", "e2"),
    ("reversi", "d3", "C3", "c3"),
    ("lines_of_action", "", "c1c3", "c1-c3"),
    ("tablut", "", "a4d4", "a4-d4"),
    ("xiangqi", "", "h3h10", "h3-h10"),
    ("pentago", "c3", "nw left", "nw<"),
    ("manalath", "", "orange a0", "a0=orange"),
    ("olinda_keliya", "", "a1 clockwise", "a1<"),
    ("shogi", "P-7f P-3d", "Bx2b=", "b2-h8"),
    ("shogi", "P-7f P-3d", "B2b+", "b2-h8+"),
    ("crazyhouse", "e4 d5 exd5 Qxd5", "P*e4", "pawn@e4"),
    ("tests/cases/floors.ludex", "", "a1 1 b", "go(a, 1, 1, b)"),
    ("chess", "e4 e6 e5 d5", "exd6 e.p.", "e5-d6"),
    ("chess", "e4 e6 e5 d5", "exd6ep", "e5-d6"),
    ("chess", "e4 e6 e5 d5", "xd6", "e5-d6"),
    ("chess", "e4 e6 e5 d5", "pawn takes d6", "e5-d6"),
    ("chess", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5", "bxa8(Q)", "b7-a8=queen"),
    ("chess", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5", "xa8=Q", "b7-a8=queen"),
    ("chess", "", "Pd4", "d2-d4"),
    ("chess", "", "P-d4", "d2-d4"),
    ("chess", "", "knight f3", "g1-f3"),
    ("chess", "", "knight from g1 to f3", "g1-f3"),
    ("chess", "", "nf3", "g1-f3"),
    ("chess", "", "1. e4", "e2-e4"),
    ("chess", "", "Nf3?!", "g1-f3"),
    ("chess", "", "N f 3", "g1-f3"),
    ("go", "", "B[pd]", "p16"),
    ("go", "", ";B[pd]", "p16"),
    ("english_draughts", "", "man a3 b4", "a3-b4"),
    ("xiangqi", "", "horse b1 c3", "b1-c3"),
    ("xiangqi", "", "Hc3", "b1-c3"),
    ("xiangqi", "", "Ch3-e3", "h3-e3"),
    ("minishogi", "", "Kb2", "a1-b2"),
    ("shogi", "", "pawn 7f", "c3-c4"),
    ("shogi", "", "rook to 5h", "h2-e2"),
    ("backgammon", "3:1", "24/21/20", "24/21-21/20"),
    ("backgammon", "3:1", "8/5*/4", "8/5-5/4"),
    ("backgammon", "3:1", "31: 8/5* 6/5*", "8/5-6/5"),
    ("backgammon", "3:1 8/5-6/5 4+4", "6/2(4)", "6/2-6/2-6/2-6/2"),
    ("backgammon", "3:1 8/5-6/5 4+4", "13/5(2)", "13/9-13/9-9/5-9/5"),
    ("xiangqi", "", "C2=5", "h3-e3"),
    ("xiangqi", "C2=5", "H8+7", "h10-g8"),
    ("xiangqi", "", "E3+5", "g1-e3"),
    ("xiangqi", "", "P3+1", "g4-g5"),
    ("shogi", "", "P-76", "c3-c4"),
    ("shogi", "", "2726", "h3-h4"),
    ("shogi", "", "Silver 3h", "g1-g2"),
    ("chess", "", "white e4", "e2-e4"),
    ("chess", "", "move e2 to e4", "e2-e4"),
    ("chess", "", "play e4", "e2-e4"),
    ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5", "knight takes pawn on e5", "f3-e5"),
    ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5", "bishop takes f7", "c4-f7"),
    ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5", "castle kingside", "O-O"),
    ("crazyhouse", "e4 d5 exd5 Qxd5", "pawn drop e4", "pawn@e4"),
    ("crazyhouse", "e4 d5 exd5 Qxd5", "drop pawn on e4", "pawn@e4"),
    ("connect_four", "", "column 4", "4"),
    ("gomoku", "", "black h8", "h8"),
    ("tic_tac_toe", "", "X b2", "b2"),
    ("oware", "", "house 3", "c1"),
    ("kei_yen", "", "kei a3 takes c1", "a3xc1"),
    ("fox_and_hounds", "", "d2", "e1-d2"),
    ("fox_and_hounds", "", "fox e1 d2", "e1-d2"),
    ("nine_mens_morris", "a1 g1 a4 g4 a7", "take g1", "xg1"),
    ("fanorona", "", "d3 e3 withdraw", "d3<e3"),
    ("quoridor", "", "wall e3 h", "e3h"),
    ("bagh_chal", "b2", "tiger a1 takes c3", "a1xc3"),
    ("russian_draughts", "", "gh4", "g3-h4"),
    ("brazilian_draughts", "", "ab4", "a3-b4"),
    ("fox_and_hounds", "", "Fd2", "e1-d2"),
    ("shogi", "c3c4 g7g6 b2xh8+ i9i8", "b*e5", "bishop*e5"),
    ("crazyhouse", "e4 d5 exd5 Qxd5", "p@e4", "pawn@e4"),
    ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5", "castles kingside", "O-O"),
    ("chess", "e4 e5 Qg4 Qg5", "queen takes queen", "g4-g5"),
    ("english_draughts", "c3-d4 b6-c5", "take the man", "d4-b6"),
    ("amazons", "", "d1-d7/d9", "d1-d7"),
    ("pentago", "", "a1 nw left", "a1"),
    ("xiangqi", "", "knight h1 jumps g3", "h1-g3"),
    ("xiangqi", "", "pawn c4 forward", "c4-c5"),
    ("xiangqi", "", "guard d1 e2", "d1-e2"),
    ("makruk", "", "rook a1 to a2", "a1-a2"),
    ("amazons", "", "Qd1-d4", "d1-d4"),
    ("chess", "", "horse to f3", "g1-f3"),
    ("quoridor", "", "fence horizontal at c2", "c2h"),
    ("kei_yen", "", "tiger a3 leaps to c1", "a3xc1"),
    ("reversi", "", "dark to d3", "d3"),
    ("english_draughts", "c3-d4 b6-c5", "d4 jumps c5", "d4-b6"),
    ("english_draughts", "c3-d4 b6-c5", "d4 over c5 to b6", "d4-b6"),
    ("english_draughts", "c3-d4 b6-c5", "man takes man", "d4-b6"),
    ("bagh_chal", "b1", "tiger leaps over b1", "a1xc1"),
    ("chess", "e4 d5", "e takes d5", "e4-d5"),
    ("chess", "e4 d5", "PxP", "e4-d5"),
    ("chess", "e4 d5", "pawn eats pawn", "e4-d5"),
    ("chess", "e4 e6 e5 d5", "take en passant", "e5-d6"),
    ("chess", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5", "b takes c8 and becomes a knight", "b7-c8=knight"),
    ("chess", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5", "bxa8 promoting to a rook", "b7-a8=rook"),
    ("crazyhouse", "e4 d5 exd5 Qxd5", "place a pawn on d3", "pawn@d3"),
    ("havannah", "", "White: h8", "h8"),
    ("tapatan", "b1 b3 a1 b2 c3", "black: a2", "a2"),
    ("hex", "f6", "put mine on H5", "h5"),
    ("nine_mens_morris", "", "new man to g1", "g1"),
    ("tablut", "", "a4 across to d4", "a4-d4"),
    ("fox_and_hounds", "", "fox up and left", "e1-d2"),
    ("quoridor", "", "pawn north", "e2"),
    ("tic_tac_toe", "", "top row middle", "b3"),
    ("tic_tac_toe", "", "middle of the left side", "a2"),
    ("connect_four", "", "far left", "1"),
    ("pentago", "c3", "lower left quadrant anti-clockwise", "sw<"),
    ("quarto", "", "you get the dark tall round hollow", "dtrh"),
    ("backgammon", "3:1", "3-1: 8/5, 6/5", "8/5-6/5"),
    ("russian_draughts", "", "CB4", "c3-b4"),
    ("shogi", "P-7f P-3d", "▲２二角不成", "b2-h8"),
    ("fox_and_hounds", "", "E1 -> F2", "e1-f2"),
    ("international_draughts", "32-28 19-23", "28 takes 23", "e5-g7"),
    ("international_draughts", "32-28 19-23", "jump over 23", "e5-g7"),
    ("international_draughts", "32-28 19-23", "take the man on 23", "e5-g7"),
    ("kei_yen", "", "kei over b4", "a3xc5"),
    ("kei_yen", "", "tiger leaps over b4", "a3xc5"),
    ("bagh_chal", "b1", "tigers leap over b1", "a1xc1"),
    ("backgammon", "3:1", "roll 3-1: 8/5 6/5", "8/5-6/5"),
];

#[test]
fn moves_are_read_as_people_write_them() {
    for (game, after, typed, notation) in WRITTEN {
        let text = answer(&["why", game, "--after", after], typed);
        let legal = format!("`{notation}` is legal");
        assert!(text.starts_with(&legal), "{game} after {after}: {typed}: {text}");
    }
}

/// The same, in given positions.
#[test]
fn moves_in_given_positions_are_read_as_people_write_them() {
    for (game, given, typed, notation) in [
        (
            "brazilian_draughts",
            "[at(c3) := man(white), at(g1) := man(white), at(d4) := man(black), at(f6) := man(black)]",
            "c3 takes d4 and f6",
            "c3-e5-g7",
        ),
        (
            "turkish_draughts",
            "[at(d4) := man(white), at(d5) := man(black), at(d7) := man(black), at(a7) := man(black)]",
            "d4xd5xd7",
            "d4-d6-d8",
        ),
        (
            "alquerque",
            "[at(a1) := white, at(e3) := white, at(d4) := black, at(b4) := black]",
            "e3 takes d4 then b4",
            "e3-c5-a3",
        ),
        (
            "surakarta",
            r#"["○○○●○1/○○○1○○/3●○1/●5/●○1●●1/●●●●●●", mover := white, ply := 24]"#,
            "d4 takes c6 round the loop",
            "d4xc6",
        ),
        (
            "six_mens_morris",
            r#"["●2/○○○/3●/1○○/●●1", turn := black, hand(white) := 0, hand(black) := 0, mover := white, ply := 26]"#,
            "top left man right",
            "a5-c5",
        ),
    ] {
        let text = answer(&["why", game, "--given", given], typed);
        let legal = format!("`{notation}` is legal");
        assert!(text.starts_with(&legal), "{game} in {given}: {typed}: {text}");
    }
}

/// A word that denies a move, or that tells of a site to which nothing goes, is not passed over.
#[test]
fn what_denies_a_move_is_none() {
    for (game, after, typed) in [
        ("go", "", "never at g7"),
        ("go", "", "don't play at g7"),
        ("nerenchi", "a1 d7", "anything but at d5"),
        ("chess", "", "protect e4"),
        ("chess", "", "e2 defends e4"),
        ("chess", "e4 d5", "attacking d5 with e4"),
        ("chess", "e4 e5", "whatever Nf3 threatens"),
    ] {
        let text = answer(&["why", game, "--after", after], typed);
        assert!(!text.contains("` is legal"), "{game} after {after}: {typed}: {text}");
    }
}

/// A text that fits several legal moves with different results is never one of them.
#[test]
fn what_fits_several_moves_lists_them() {
    for (game, after, typed, candidates) in [
        ("shogi", "", "G-5h", "d1-e2, f1-e2"),
        ("manalath", "", "d4", "d4=orange, d4=purple"),
        ("chess", "Nf3 a6 d3 a5", "Nd2", "b1-d2, f3-d2"),
        ("international_draughts", "", "28", "d4-e5, f4-e5"),
        ("english_draughts", "", "15", "c3-d4, e3-d4"),
        ("quoridor", "", "wall e5", "e5h, e5v"),
        ("quoridor", "", "fence e5", "e5h, e5v"),
        ("english_draughts", "", "man c3 ahead", "c3-b4, c3-d4"),
        ("xiangqi", "", "cannon e3", "b3-e3, h3-e3"),
        ("chess", "e4 d5 exd5 c6 dxc6 a6 cxb7 a5", "bxa8", "b7-a8=bishop, b7-a8=knight"),
    ] {
        let text = answer(&["why", game, "--after", after], typed);
        assert!(text.contains(candidates), "{game} after {after}: {typed}: {text}");
        assert!(!text.contains("` is legal"), "{game} after {after}: {typed}: {text}");
    }
}

/// Questions about the moves of a position are answered, and those about one move as that move.
#[test]
fn questions_are_answered() {
    for (game, after, typed, told) in [
        ("alquerque", "", "must I capture?", "No: no legal move captures anything now."),
        (
            "english_draughts",
            "c3-d4 f6-e5",
            "do I have to jump?",
            "Yes: the only legal move that captures is d4-f6",
        ),
        ("konane", "d4 d5", "which stones can jump?", "captur"),
        ("tic_tac_toe", "b2 a1 c3", "where can I play?", "The 6 legal moves are"),
        ("kalah", "", "which pits can I play?", "The 6 legal moves are a1, b1, c1, d1, e1 and f1."),
        ("connect_four", "", "how many moves do I have?", "The 7 legal moves are"),
        ("bagh_chal", "c5 a5-b5", "can the tiger on b5 capture?", "captures anything now"),
        (
            "quoridor",
            "e1h h3h",
            "why can't I go to e2?",
            "`e2` is not legal: there is a wall at e1h",
        ),
        ("quoridor", "e1h h3h", "go to e2", "`e2` is not legal: there is a wall at e1h"),
        ("tic_tac_toe", "b2", "why is b2 forbidden?", "`b2` is not legal: b2 is occupied by x"),
        ("chess", "", "why can't the knight go to b3?", "is not legal: "),
        ("gomoku", "j8", "move j8 to j9", "nothing that stands on the board is moved in this game"),
        ("gomoku", "j8", "capture j8", "nothing is taken off the board in this game"),
        (
            "connect_four",
            "",
            "col 3",
            "`col` is nothing that a move names here: if 3 is meant, that is legal.",
        ),
        ("reversi", "", "4d", "if d4 is meant, `d4` is not legal: d4 is occupied by white"),
        ("nine_mens_morris", "a1 d1 a4 d2", "a7xd1", "`xd1` is legal"),
        ("tablut", "", "a4-a3-b3", "one move a turn, and after a4-a3 it is the swedes' turn"),
    ] {
        let text = in_one_line(&answer(&["why", game, "--after", after], typed));
        assert!(text.contains(told), "{game} after {after}: {typed}: {text}");
    }
}

const ORANGE: &str = "a3=orange b3=orange c3=orange e3=orange f3=orange g3=orange";

/// A text that tells where a site lies, what is passed, what turns, what is shot or what is dropped is no move to the site
/// that it names.
#[test]
fn no_text_is_read_as_another_move_than_it_tells() {
    for (game, after, typed, told) in [
        (
            "fox_and_hounds",
            "e1-f2 b8-a7 f2-g3 a7-b6",
            "fox g3 jumps over h4",
            "h4 is empty, so nothing stands there to leap over",
        ),
        ("bagh_chal", "c5 a5-b5", "tiger b5 jumps over c5", "goats"),
        ("chess", "", "rook a1 over a2 to a3", "a2 is occupied"),
        ("pentago", "", "rotate top left", "not legal now: place a marble"),
        ("pentago", "", "turn a6", "`turn` is nothing"),
        ("tic_tac_toe", "", "near b2", "`near` is nothing"),
        ("chess", "e4 e5", "queen to h5 and take f7", "one move at a time"),
        ("tic_tac_toe", "", "not b2", "`not` is nothing"),
        ("amazons", "d1-d4", "d1 shoots to d9", "/d9 is meant, that is legal"),
        ("amazons", "d1-d4", "arrow a4 b5", "such a move is written as `/"),
        ("amazons", "", "d1-d9 / d10", "After d1-d9, `/d10` is not legal: d10 is occupied"),
        ("crazyhouse", "e4 d5 exd5 Qxd5 Nc3 Qd8", "place pawn on h8", "`pawn@h8` is not legal"),
        ("crazyhouse", "", "drop a pawn on e3", "no pawn in hand"),
        ("minishogi", "", "bishop drop c3", "no bishop in hand"),
        ("minishogi", "", "Rxe3", "captures nothing"),
        ("bagh_chal", "b1", "a1xb1", "If the capture on b1 is meant, a1xc1 is that move"),
        ("tic_tac_toe", "b2 a1 b1 a2", "x in a2", "`a2` is not legal: a2 is occupied by o"),
        ("english_draughts", "", "8h", "if h8 is meant, `h8` is not legal: h8 is occupied"),
        ("manalath", ORANGE, "orange at d3", "`d3=orange` is not legal: the group would have 7"),
        ("manalath", ORANGE, "put an orange stone on d3", "the group would have 7"),
        ("international_draughts", "32-28 19-23", "king takes 23", "white has no king"),
    ] {
        let text = in_one_line(&answer(&["why", game, "--after", after], typed));
        assert!(text.contains(told), "{game} after {after}: {typed}: {text}");
        assert!(!text.contains("` is legal"), "{game} after {after}: {typed}: {text}");
    }
}

/// A text that says more than the move does is not that move: what would be captured is not there.
#[test]
fn a_capture_of_nothing_is_refused_with_the_move_that_may_be_meant() {
    for (game, after, typed, notation) in [
        ("chess", "", "knight captures f3", "g1-f3"),
        ("chess", "", "Nxf3", "g1-f3"),
        ("chess", "", "Ngxf3", "g1-f3"),
        ("chess", "d4 d5", "Nbxd2", "b1-d2"),
        ("chess", "e4 e5", "Kxe2", "e1-e2"),
        ("chess", "", "e2xe4", "e2-e4"),
        ("breakthrough", "", "b2xc3", "b2-c3"),
        ("lines_of_action", "", "b1xb3", "b1-b3"),
        ("amazons", "", "d1xd7", "d1-d7"),
    ] {
        let text = in_one_line(&answer(&["why", game, "--after", after], typed));
        let told = format!("{notation} captures nothing help: if {notation} is meant, write that");
        assert!(text.contains(&told), "{game} after {after}: {typed}: {text}");
    }
}

/// Questions about what follows a move, about the position and about what a piece can do, and claims of what a move does.
#[test]
fn questions_and_claims_are_answered() {
    let row = "b2 a3 c1 a1 a2";
    let over = "b2 a1 b1 c1 b3";
    let closed = "c5 a1 d2 d4 c4 b3 e5 e3 a5 xa1 a1 e1 c2 d2-d3 b3-b2 e1-c1 e3-e1 d3-d2 e1-e3 a5-a3 b2-b3 d2-d3";
    for (game, after, typed, told) in [
        ("tic_tac_toe", row, "do I win if I play c2?", "No, though `c2` is legal"),
        (
            "tic_tac_toe",
            "b2 c2 a3",
            "over",
            "for x (games/alignment/tic_tac_toe.ludex:15), but c1 is empty",
        ),
        ("tic_tac_toe", "", "win(z)", "`z` is no player: the players are x and o"),
        (
            "tablut",
            "",
            "can the king on e5 move?",
            "No: e5 is occupied by the king, and it is the muscovites' turn",
        ),
        ("nine_mens_morris", "", "can I fly?", "A player who is down to three men flies"),
        ("konane", "e5", "remove d4", "d4 lies aslant of e5"),
        ("konane", "d4 d5", "jump a1 c3", "a1 and c3 are not in one row or column"),
        ("tic_tac_toe", "b2 a1 b1 c1", "does b3 win?", "Yes: `b3` is legal"),
        ("tic_tac_toe", row, "c2 wins", "it does not win"),
        ("tic_tac_toe", over, "who won?", "The game is over: a win for x"),
        ("tic_tac_toe", over, "what now?", "The game is over: a win for x"),
        ("tic_tac_toe", row, "is the game over?", "The game goes on: it is o's turn"),
        ("tic_tac_toe", row, "erase the x", "no legal move captures anything now"),
        ("chess", "", "what does e4 do?", "`e2-e4` is legal"),
        ("chess", "", "d4 then castle", "`d2-d4` is legal"),
        ("chess", "", "d4 and then castle", "it is black's turn. One move at a time."),
        ("chess", "", "Nf3, attacking e5", "`g1-f3` is legal"),
        ("reversi", "", "d3 flips d5", "It changes nothing on d5."),
        ("reversi", "", "d3 flips d4", "`d3` is legal"),
        ("tic_tac_toe", "", "a1 blocks b2", "`a1` is legal"),
        ("alquerque", "", "c2-c3, attacking b3", "`c2-c3` is legal"),
        (
            "oware",
            "",
            "is a grand slam allowed?",
            "would leave nothing to the opponent, takes nothing",
        ),
        ("oware", "", "must I feed the opponent?", "An opponent without seeds must be given some"),
        ("six_mens_morris", "", "can I fly?", "does not fly, unless the option says so"),
        ("turkish_draughts", "", "can men move diagonally?", "not back and not aslant"),
        ("chess", "", "how does the bishop move?", "a bishop aslant"),
        ("chess", "", "what is the meaning of life?", "this question is not understood"),
        ("lines_of_action", "", "can I jump over enemy pieces?", "not over the opponent's"),
        ("nine_mens_morris", "a1 d1 a4 d2", "a7 mill", "`mill` is no part of the move."),
        ("nine_mens_morris", "a1 d1 a4 d2", "a7 makes a mill", "it is still white's turn"),
        ("backgammon", "", "how many pips do I have?", "pips to go: white 167"),
        ("chess", "", "can my king capture?", "no legal move of the king captures anything now"),
        ("chess", "e4 d5", "which moves capture?", "The only legal move that captures is e4-d5."),
        ("chess", "e4 d5", "can I decline to capture?", "The rules say: "),
        ("amazons", "", "is the amazon on d1 trapped?", "No: such moves are"),
        ("chinese_checkers", "", "why can't m9 move?", "m9 is empty: nothing stands there"),
        ("fox_and_hounds", "", "does the fox escape?", "this question is not understood"),
        ("nine_mens_morris", "a1 d1", "how many men in hand?", "men in hand: white 8, black 8"),
        ("six_mens_morris", "a1", "how many men have I?", "on the board: white 1, black 0"),
        (
            "chess",
            "e4 d5 e4-d5",
            "how many pawns do I have?",
            "pawn on the board: white 8, black 7",
        ),
        ("oware", "a1", "how many seeds are in b1?", "There are 5 on b1"),
        ("oware", "", "what is the score?", "captured: south 0, north 0"),
        ("tic_tac_toe", "b2 a1 b1 c1", "can I win?", "b3 wins at once"),
        ("tic_tac_toe", "b2 a1 b1", "which move wins?", "No legal move wins at once"),
        (
            "english_draughts",
            "c3-d4 f6-e5",
            "must I take with d4?",
            "Yes: d4-f6 is the only legal move",
        ),
        ("english_draughts", "c3-d4 f6-e5", "is there anything to take?", "that captures is d4-f6"),
        ("pong_hau_ki", "", "am I blocked?", "No: the"),
        ("minixiangqi", "", "horse c1 takes", "no legal move from c1 captures anything"),
        ("chess", "e4 e5 Nf3 d6 Bb5", "am I in check?", "Yes: you are in check"),
        ("chess", "e4 e5", "am I in check?", "No; it is white's turn"),
        ("chess", "e4 e5", "Nf3+", "it gives no check"),
        ("chess", "", "why can't my rook move?", "a1 cannot move: `a1-a2` is not legal"),
        ("chess", "", "can the knight on b1 move?", "Yes: such moves are b1-a3 and b1-c3"),
        ("six_mens_morris", closed, "why can't a1 move?", "a1 cannot move: `a1-a3` is not legal"),
        ("go", "", "whose turn is it?", "It is black's turn"),
        ("oware", "", "why not a2?", "`a2` would be north's move"),
        ("shogi", "c3-c4 g7-g6 b2-h8+ g9-h8", "bishop*h8", "h8 is occupied by white's silver"),
    ] {
        let text = in_one_line(&answer(&["why", game, "--after", after], typed));
        assert!(text.contains(told), "{game} after {after}: {typed}: {text}");
    }
}

/// Sentences about moves in given positions, or behind some moves: the position, what is typed, and what is told.
static REASONS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "kei_yen",
        "--after",
        "",
        "a3xc5xa3",
        "a3xc5 ends the turn, as b4 has been leaped over in this turn",
    ),
    (
        "konane",
        "--after",
        "e5 d5 g5-e5 f7-f5 e5-g5 d3-d5 d6-d4 f3-f5 d8-d6 b3-d3",
        "c1-c3-e3",
        "`c1-c3-e3` is not legal: c1 and e3 are not in one row or column",
    ),
    (
        "fanorona",
        "--after",
        "",
        "d2>e3-e4",
        "d2>e3 ends the turn. The rule: \"The turn goes on as long",
    ),
    ("kei_yen", "--after", "", "a3-a2-a1", "one move a turn, and after a3-a2 it is yen's turn"),
    (
        "lau_kata_kati",
        "--after",
        "e3-d4 c5-e3 f2-d4 d5-c5 d4-e3 d6-d5 c3-d4 e5-c3",
        "b2xd6",
        "`b2-d4-d6` is legal",
    ),
    (
        "english_draughts",
        "--given",
        "[at(c3) := man(black), at(b4) := man(white), at(d4) := man(white), at(b6) := man(white), at(d6) := man(white), at(h8) := man(white)]",
        "c3xc7",
        "write one of c3-a5-c7, c3-e5-c7",
    ),
    (
        "chess",
        "--given",
        "4k3/8/8/8/8/5n2/8/r3K2R w K - 0 1",
        "O-O",
        "e1 is attacked by the rook on a1 and the knight on f3",
    ),
    (
        "chess",
        "--given",
        "8/8/8/KPp4r/8/8/8/7k w - c6 0 1",
        "bxc6",
        "attacked by the rook on h5 (`in_check(white)` must not hold). The rule:",
    ),
    (
        "shogi",
        "--given",
        "4k4/9/N8/9/9/9/9/9/4K4 b -",
        "Na7-b9",
        "`a7-b9` is not legal: the knight must be promoted on b9, as it could not move on from there. The move is written `a7-b9+`.",
    ),
    (
        "nerenchi",
        "--after",
        "place(a1) place(c4) place(a4) place(g1) place(d5) place(e4) place(b4) place(f6) place(b2) place(c3) place(g4) place(g7) place(f2) place(e5) place(d3) place(d6) place(d7) place(b6) place(a7) place(d1) place(e3) place(d2) slide(f2, f4) slide(c4, c5) slide(b4, c4) slide(d2, f2) remove(b2) slide(c4, b4) slide(d3, d2) slide(b4, c4)",
        "a1",
        "`a1` is not legal now: a1 is occupied by white; move a counter along a line.",
    ),
    (
        "royal_game_of_ur",
        "--given",
        "[set(on(white, 14)), thrown := 1]",
        "g1 off",
        "`g1-` is legal",
    ),
    (
        "royal_game_of_ur",
        "--given",
        "[set(on(white, 5)), set(on(white, 7)), thrown := 2]",
        "why can't a2 move?",
        "a2 cannot move: `a2-c2` is not legal: c2 is occupied by white",
    ),
    (
        "brazilian_draughts",
        "--after",
        "c3-b4 b6-a5 g3-h4",
        "a5xd2",
        "b4 is occupied by white's man and c3 is empty",
    ),
    (
        "lau_kata_kati",
        "--after",
        "e3-d4 c5-e3 f2-d4 d5-c5 d4-e3 d6-d5 c3-d4 e5-c3",
        "b2-d4-f6",
        "`b2-d4-f6` is not legal: nothing stands on e5 between d4 and f6",
    ),
    ("chess", "--after", "", "Nf3 is checkmate", "then it is black's turn; it does not win"),
    ("chess", "--after", "f3 e5 g4", "Qh4 is mate", "the game is over: a win for black: checkmate"),
    ("chess", "--after", "e4 e5 Nf3 Nc6 Bc4 Bc5", "e1-h1", "`O-O` is legal, and moves both."),
    ("pachisi", "--after", "4", "what did I throw?", "In this position: thrown: 4."),
    (
        "shogi",
        "--after",
        "c3-c4 g7-g6 b2xh8+ g9xh8",
        "what do I have in hand?",
        "black has in hand: bishop 1",
    ),
    ("quarto", "--after", "dtrf", "which piece must I place?", "to be placed: dtrf"),
];

/// The reason is the one that the rules give, whatever the form of the text.
#[test]
fn reasons_are_those_of_the_rules() {
    for (game, how, position, typed, told) in REASONS {
        let text = in_one_line(&answer(&["why", game, how, position], typed));
        assert!(text.contains(told), "{game} {how} {position}: {typed}: {text}");
    }
}
