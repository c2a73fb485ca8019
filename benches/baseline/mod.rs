//! Games written by hand: what a programmer gets who writes one game, in one afternoon, as a
//! program of its own. The engine's speed is told in shares of theirs.
//!
//! A game is a [`Position`] that lists its moves, as a set of bits or in an array, and plays one by its
//! number. Playouts and perft are written once, over that, and are compiled anew for each game; so
//! the rules whose speed is measured are the rules whose moves are counted.

use std::hint::black_box;

pub mod breakthrough;
pub mod connect_four;
pub mod kalah;
pub mod manalath;
pub mod nerenchi;
pub mod reversi;
pub mod tic_tac_toe;

/// Who won: a bit for each player, none for a draw. The same as the index of the engine's counts.
pub type Winners = usize;

/// What came of playing a candidate.
pub enum Step {
    /// The game goes on.
    On,
    Over(Winners),
    /// It was no legal move, and the position is as it was.
    Illegal,
}

/// A position of one game. Positions that are over are never asked for their moves.
pub trait Position: Copy {
    /// Candidates: sets of bits or a [`List`], quick to count and to draw from.
    type Moves: Copy;

    fn opening() -> Self;
    fn candidates(&self) -> Self::Moves;
    fn count(moves: &Self::Moves) -> u32;

    /// Plays a candidate by its number, which is below the count.
    fn play(&mut self, moves: &Self::Moves, number: u32) -> Step;

    /// Who has won when nothing can be played.
    fn stuck(&self) -> Winners;

    /// What stands where, in the rule file's names: of a piece its player, of stones how many; and
    /// under `turn` whose turn it is.
    #[allow(dead_code, reason = "only the tests look")]
    fn contents(&self) -> Vec<(String, usize)>;

    /// The candidates that are legal, where [`Position::play`] may find out that some are not.
    fn legal(&self, moves: &Self::Moves) -> Self::Moves {
        *moves
    }
}

/// What a playout came to.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    pub plies: u64,
    /// `None` for a game that was stopped before its end.
    pub winners: Option<Winners>,
}

/// Plays uniformly drawn moves from the opening to the end, but at most `max_plies`.
pub fn playout<P: Position>(random: &mut Random, max_plies: u64) -> Played {
    let mut position = P::opening();
    let mut plies = 0;
    while plies < max_plies {
        let mut moves = position.candidates();
        let step = loop {
            let count = P::count(&moves);
            if count == 0 {
                break Step::Over(position.stuck());
            }
            match position.play(&moves, random.below(count)) {
                // to draw among the legal ones now leaves the draw uniform
                Step::Illegal => moves = position.legal(&moves),
                step => {
                    plies += 1;
                    break step;
                }
            }
        };
        if let Step::Over(winners) = step {
            return Played { plies, winners: Some(winners) };
        }
    }
    Played { plies, winners: None }
}

/// The number of sequences of exactly `depth` moves; every move is made, the last one too.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let moves = position.legal(&position.candidates());
    let mut total = 0;
    for number in 0..P::count(&moves) {
        let mut next = *position;
        match next.play(&moves, number) {
            Step::On if depth > 1 => total += perft(&next, depth - 1),
            Step::On | Step::Over(_) if depth == 1 => {
                // or the compiler would leave the last move out
                black_box(&next);
                total += 1;
            }
            _ => {}
        }
    }
    total
}

/// A game of this folder, and the rule file whose rules it has.
pub struct Baseline {
    pub name: &'static str,
    /// The shipped rule file.
    pub rules: &'static str,
    /// Its options.
    pub options: &'static [(&'static str, &'static str)],
    pub playout: fn(&mut Random, u64) -> Played,
    /// The number of sequences of so many moves from the opening.
    pub perft: fn(u32) -> u64,
}

/// The games in the order in which they are told.
pub const BASELINES: [Baseline; 7] = [
    baseline::<tic_tac_toe::TicTacToe>("tic_tac_toe", "tic_tac_toe", &[]),
    baseline::<connect_four::ConnectFour>("connect_four", "connect_four", &[]),
    baseline::<breakthrough::Breakthrough>("breakthrough", "breakthrough", &[]),
    baseline::<reversi::Reversi>("reversi", "reversi", &[]),
    baseline::<nerenchi::Nerenchi>("nerenchi", "nerenchi", &[]),
    baseline::<manalath::Manalath>(
        "manalath",
        "manalath",
        &[("long_side", "5"), ("supply", "unlimited")],
    ),
    baseline::<kalah::Kalah>("kalah", "mancala", &[("capture", "if_opposite_has_stones")]),
];

const fn baseline<P: Position>(
    name: &'static str,
    rules: &'static str,
    options: &'static [(&'static str, &'static str)],
) -> Baseline {
    Baseline {
        name,
        rules,
        options,
        playout: playout::<P>,
        perft: |depth| perft(&P::opening(), depth),
    }
}

/// A quick generator (wyrand by Wang Yi); good enough for playouts, and part of what is measured.
pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below `end`. Its share of the 32 bits is uneven by less than one in a million.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let wide = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        let drawn = (wide >> 64) as u64 ^ wide as u64;
        (((drawn >> 32) * u64::from(end)) >> 32) as u32
    }
}

/// The contents of a board with a set of bits for each player.
pub fn pieces(sets: [u64; 2], turn: usize, name: impl Fn(usize) -> String) -> Vec<(String, usize)> {
    let mut all = vec![("turn".to_string(), turn)];
    for (player, set) in sets.into_iter().enumerate() {
        let bits = (0..64).filter(|bit| set >> bit & 1 == 1);
        all.extend(bits.map(|bit| (name(bit), player)));
    }
    all
}

/// A site by its column from 0 and its number, such as `a1`.
pub fn site(column: usize, number: usize) -> String {
    format!("{}{number}", char::from(b'a' + column as u8))
}

/// Moves in an array: so many of its items.
#[derive(Clone, Copy)]
pub struct List<T, const N: usize> {
    items: [T; N],
    count: usize,
}

impl<T: Copy + Default, const N: usize> List<T, N> {
    #[inline]
    pub fn new() -> List<T, N> {
        List { items: [T::default(); N], count: 0 }
    }

    #[inline]
    pub fn add(&mut self, item: T) {
        self.items[self.count] = item;
        self.count += 1;
    }

    /// Adds without a branch, which would often be guessed wrong.
    #[inline]
    pub fn add_if(&mut self, wanted: bool, item: T) {
        self.items[self.count] = item;
        self.count += usize::from(wanted);
    }

    #[inline]
    pub fn count(&self) -> u32 {
        self.count as u32
    }

    #[inline]
    pub fn get(&self, number: u32) -> T {
        self.items[number as usize]
    }
}

/// The `n`th bit that is set, from 0, alone.
#[inline]
pub fn nth(mut set: u64, n: u32) -> u64 {
    for _ in 0..n {
        set &= set - 1;
    }
    set & set.wrapping_neg()
}
