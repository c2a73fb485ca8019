//! What is measured against what, and how fast Ludex has to be.

use crate::baseline::BASELINES;
use crate::sides::{Options, Side, sites};

/// The names of a contest between two writings of one game.
macro_rules! pair {
    ($name:literal) => {
        pair!($name, 1.0 / 3.0)
    };
    ($name:literal, $required:expr) => {
        (
            concat!("pairs ", $name),
            concat!("benches/pairs/", $name, ".plain.ludex"),
            concat!("benches/pairs/", $name, ".best.ludex"),
            $required,
        )
    };
}
/// Both sides, and the ratio that is required and aimed at.
#[derive(Clone)]
pub struct Contest {
    pub name: &'static str,
    pub ludex: Side,
    pub other: Side,
    pub required: Option<f64>,
    pub aim: Option<f64>,
    /// The sites of the board, where the other side plays another game.
    pub sites: Option<usize>,
}

impl Contest {
    /// Whether both sides are rule files: writings of one game, or games that are alike.
    pub fn is_pair(&self) -> bool {
        matches!((&self.ludex, &self.other), (Side::Playouts(..), Side::Playouts(..)))
    }

    /// The other side in a word or two.
    pub fn against(&self) -> String {
        match self.other {
            Side::ByHand(name) | Side::PerftByHand(name, ..) if self.name.contains(name) => {
                "by hand".to_string()
            }
            Side::PerftByHand(name, depth, _) => format!("{name} {depth} by hand"),
            Side::ByHand(name) => format!("{name} by hand"),
            Side::Playouts(name, _) if name.ends_with(".best.ludex") => "best writing".to_string(),
            Side::Shakmaty(..) => "shakmaty".to_string(),
            Side::Playouts(..) => "the second one".to_string(),
            Side::Perft(name, ..) => name.to_string(),
        }
    }
}

/// What is required of the games that were written by hand, and aimed at.
const PLAYOUTS: [(&str, f64, f64); 7] = [
    ("tic_tac_toe", 0.35, 0.5),
    ("connect_four", 0.42, 0.5),
    ("breakthrough", 0.15, 0.5),
    ("reversi", 0.20, 0.5),
    ("nerenchi", 0.25, 0.6),
    ("manalath", 0.20, 0.5),
    ("kalah", 0.35, 0.5),
];

/// The unit for the others: plies of this game by hand.
const UNIT: &str = "breakthrough";

/// Name, rule file, options, what is required and aimed at.
type InUnits = (&'static str, &'static str, Options, Option<f64>, Option<f64>);

/// Those in `benches/plain/` are written as one thinks of the rules, without regard to speed.
const IN_UNITS: [InUnits; 22] = [
    ("english_draughts", "english_draughts", &[], Some(0.10), Some(0.2)),
    ("international_draughts", "international_draughts", &[], Some(0.03), Some(0.06)),
    ("chess", "chess", &[], Some(0.03), Some(0.06)),
    ("hex 8x8", "hex", &[("width", "8"), ("height", "8"), ("swap", "no")], None, None),
    ("hex 11x11", "hex", &[("swap", "no")], Some(0.11), Some(0.22)),
    ("hex 19x19", "hex", &[("width", "19"), ("height", "19"), ("swap", "no")], None, None),
    ("hex 32x32", "hex", HEX_32, None, None),
    ("hex 33x33", "hex", HEX_33, None, None),
    ("go 9x9", "go", &[("size", "9")], None, None),
    ("go 19x19", "go", &[("size", "19")], Some(0.01), Some(0.02)),
    ("gomoku", "benches/plain/gomoku.ludex", &[], Some(0.05), Some(0.1)),
    ("gomoku 19", "benches/plain/gomoku.ludex", &[("size", "19")], Some(0.04), Some(0.1)),
    ("gomoku 25", "benches/plain/gomoku.ludex", &[("size", "25")], Some(0.03), Some(0.1)),
    ("havannah 5", "benches/plain/havannah.ludex", &[], Some(0.01), Some(0.05)),
    ("havannah 8", "benches/plain/havannah.ludex", &[("size", "8")], Some(0.005), Some(0.05)),
    ("surakarta", "benches/plain/surakarta.ludex", &[], Some(0.01), Some(0.03)),
    ("pentago first", "benches/plain/pentago_update_first.ludex", &[], Some(0.02), Some(0.07)),
    ("pentago last", "benches/plain/pentago_update_last.ludex", &[], Some(0.02), Some(0.07)),
    ("yavalath", "benches/plain/yavalath.ludex", &[], Some(0.09), Some(0.3)),
    ("amazons, turns", "benches/plain/amazons_turn.ludex", &[], Some(0.003), Some(0.01)),
    ("amazons, plies", "benches/plain/amazons_plies.ludex", &[], Some(0.08), Some(0.15)),
    ("nine_mens_morris", "nine_mens_morris", &[], Some(0.1), Some(0.2)),
];

/// Games of `benches/pairs/`, each written as one thinks of its rules and in the best way that
/// was found: the names of the contest and of both rule files, and the share of the best one's speed that is required.
const PAIRS: [(&str, &str, &str, f64); 52] = [
    pair!("animals"),
    pair!("apart"),
    pair!("armies"),
    pair!("ataxx"),
    pair!("atari_go"),
    pair!("beams"),
    pair!("chess", 0.9),
    pair!("chains"),
    pair!("conditions"),
    pair!("connect6"),
    pair!("crossings"),
    pair!("domineering"),
    pair!("duels"),
    pair!("entries"),
    pair!("epaminondas"),
    pair!("eyes"),
    pair!("fewest"),
    pair!("fives"),
    pair!("focus"),
    pair!("growing"),
    pair!("halma"),
    pair!("hasami_shogi"),
    pair!("kicks"),
    pair!("latrunculi"),
    pair!("marbles"),
    pair!("morabaraba"),
    pair!("nearest"),
    pair!("numbers"),
    pair!("order_and_chaos"),
    pair!("paths"),
    pair!("pente"),
    pair!("phalanxes"),
    pair!("polyominoes"),
    pair!("pushes"),
    pair!("relays"),
    pair!("reversi"),
    pair!("riders"),
    pair!("runs"),
    pair!("sands"),
    pair!("shapes"),
    pair!("sides"),
    pair!("sights"),
    pair!("sizes"),
    pair!("slides"),
    pair!("slimetrail"),
    pair!("spills"),
    pair!("stacks"),
    pair!("strides"),
    pair!("tracks"),
    pair!("units"),
    pair!("vanishing"),
    pair!("walkers"),
];

/// Two games whose speeds may differ by a factor of 1.2.
const ALIKE: [(&str, Side, Side); 2] = [
    (
        "pentago first to last",
        Side::Playouts("benches/plain/pentago_update_first.ludex", &[]),
        Side::Playouts("benches/plain/pentago_update_last.ludex", &[]),
    ),
    ("hex 33 to hex 32", Side::Playouts("hex", HEX_33), Side::Playouts("hex", HEX_32)),
];
const HEX_32: Options = &[("width", "32"), ("height", "32"), ("swap", "no")];
const HEX_33: Options = &[("width", "33"), ("height", "33"), ("swap", "no")];

/// Sequences of moves: name, rule file, depth, how many there are, what is required.
const PERFT: [(&str, &str, u32, u64, Option<f64>); 4] = [
    ("perft tic_tac_toe 9", "tic_tac_toe", 9, 127_872, Some(0.15)),
    ("perft connect_four 6", "connect_four", 6, 117_649, None),
    ("perft breakthrough 4", "breakthrough", 4, 256_036, None),
    ("perft reversi 6", "reversi", 6, 8_200, None),
];
const UNIT_PERFT: Side = Side::PerftByHand("breakthrough", 4, 256_036);

/// Everything that is measured.
pub fn contests() -> Vec<Contest> {
    let mut all = Vec::new();
    for by_hand in &BASELINES {
        let name = by_hand.name;
        let set = PLAYOUTS.iter().find(|(of, ..)| *of == name);
        let (ludex, other) =
            (Side::Playouts(by_hand.rules, by_hand.options), Side::ByHand(by_hand.name));
        let (required, aim) = (set.map(|(_, r, _)| *r), set.map(|(.., a)| *a));
        all.push(Contest { name, ludex, other, required, aim, sites: None });
    }
    for (name, rules, options, required, aim) in IN_UNITS {
        let (ludex, other) = (Side::Playouts(rules, options), Side::ByHand(UNIT));
        let sites = sites(rules, options).ok();
        all.push(Contest { name, ludex, other, required, aim, sites });
    }
    for (name, plain, best, required) in PAIRS {
        let (ludex, other) = (Side::Playouts(plain, &[]), Side::Playouts(best, &[]));
        all.push(Contest { name, ludex, other, required: Some(required), aim: None, sites: None });
    }
    for (name, ludex, other) in ALIKE {
        let required = Some(1.0 / 1.2);
        all.push(Contest { name, ludex, other, required, aim: None, sites: None });
    }
    all.push(Contest {
        name: "perft chess 4",
        ludex: Side::Perft("chess", &[], 4, 197_281),
        other: Side::Shakmaty(4, 197_281),
        required: Some(0.08),
        aim: Some(0.3),
        sites: None,
    });
    for (name, rules, depth, leaves, required) in PERFT {
        let ludex = Side::Perft(rules, &[], depth, leaves);
        let other = Side::PerftByHand(rules, depth, leaves);
        let aim = required.map(|_| 0.3);
        all.push(Contest { name, ludex, other, required, aim, sites: None });
    }
    all.push(Contest {
        name: "perft english_draughts 7",
        ludex: Side::Perft("english_draughts", &[], 7, 179_740),
        other: UNIT_PERFT,
        required: Some(0.05),
        aim: Some(0.3),
        sites: None,
    });
    // a count within 3 s is required, and within 1 s aimed at
    all.push(Contest {
        name: "perft quoridor 3",
        ludex: Side::Perft("benches/plain/quoridor.ludex", &[], 3, 2_062_264),
        other: UNIT_PERFT,
        required: Some(0.002),
        aim: Some(0.006),
        sites: None,
    });
    all
}
