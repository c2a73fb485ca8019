//! What a position is worth: a linear function of its [features](super::features), fitted to games
//! (logistic regression).

use super::features::{Reader, View};

/// A sum of weights. Whole numbers are added, so that it does not depend on the order.
pub type Sum = i64;

/// The weight 1 in a [`Sum`].
const ONE: f32 = 65_536.0;

/// The weights of a game's features.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    pub(super) reader: Reader,
    /// By output and feature. There is one output with two players, the first player's logarithm of the
    /// odds to win; otherwise one for each player.
    pub(super) weights: Vec<Vec<f32>>,
}

impl Evaluation {
    /// An evaluation that knows nothing.
    pub fn blank(reader: Reader) -> Evaluation {
        let outputs = if reader.players == 2 { 1 } else { reader.players };
        Evaluation { weights: vec![vec![0.0; reader.len]; outputs], reader }
    }

    /// Whether it knows nothing.
    pub fn is_blank(&self) -> bool {
        self.weights.iter().flatten().all(|weight| *weight == 0.0)
    }

    /// An evaluation from weights in hundredths, by output. `None` where they do not fit.
    pub fn from_hundredths(reader: Reader, weights: &[Vec<i32>]) -> Option<Evaluation> {
        let mut evaluation = Evaluation::blank(reader);
        let fits = weights.len() == evaluation.weights.len()
            && weights.iter().all(|w| w.len() == evaluation.reader.len);
        if !fits {
            return None;
        }
        for (own, given) in evaluation.weights.iter_mut().zip(weights) {
            *own = given.iter().map(|w| *w as f32 / 100.0).collect();
        }
        Some(evaluation)
    }

    /// The weights in hundredths, as [`Evaluation::from_hundredths`] takes them.
    pub fn hundredths(&self) -> Vec<Vec<i32>> {
        let rounded = |w: &f32| (w * 100.0).round() as i32;
        self.weights.iter().map(|weights| weights.iter().map(rounded).collect()).collect()
    }

    /// The weights of the cells of a plane, by its first word, in the odds of a player.
    pub fn plane(&self, first: usize, cells: usize, player: usize) -> Option<&[f32]> {
        let output = if self.reader.players == 2 { 0 } else { player };
        let weight = self.reader.plane(first)?;
        self.weights[output].get(weight..weight + cells)
    }

    /// The logarithm of the odds that a player wins.
    pub fn of(&self, view: View<'_>, player: usize) -> f32 {
        let (weights, sign) = self.output(player);
        let mut sum = 0.0;
        self.reader.read(view, |feature, amount| sum += weights[feature] * amount);
        sign * sum
    }

    /// The weights that count for a player, and with which sign.
    fn output(&self, player: usize) -> (&[f32], f32) {
        match self.reader.players {
            2 => (&self.weights[0], if player == 0 { 1.0 } else { -1.0 }),
            _ => (&self.weights[player], 1.0),
        }
    }

    /// What the features of a state are worth to a player, those of the moment left out.
    pub fn sum(&self, words: &[u64], player: usize) -> Sum {
        self.difference(&vec![0; words.len()], words, player)
    }

    /// What a player gains from one state to the other, those of the moment left out: it is the
    /// difference of both [sums](Evaluation::sum).
    pub fn difference(&self, before: &[u64], after: &[u64], player: usize) -> Sum {
        let (weights, sign) = self.output(player);
        let mut sum = 0;
        self.reader.differences(before, after, |feature, amount| {
            sum += (weights[feature] * amount * ONE) as i64;
        });
        if sign < 0.0 { -sum } else { sum }
    }

    /// The logarithm of the odds that a player wins, from the sum of the state and who is to move with how many
    /// moves.
    pub fn from_sum(&self, sum: Sum, turn: usize, choices: [Option<u64>; 2], player: usize) -> f32 {
        let (weights, sign) = self.output(player);
        let mut moment = 0.0;
        self.reader.moment(turn, choices, |feature, amount| moment += weights[feature] * amount);
        sum as f32 / ONE + sign * moment
    }

    /// The weight of the number of moves of the player to move.
    pub fn of_choices(&self, turn: usize, player: usize) -> f32 {
        let (weights, _) = self.output(player);
        weights[self.reader.len - 2 * self.reader.players + turn].abs()
    }
}
