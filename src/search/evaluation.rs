//! What a position is worth: a linear function of its [features](super::features), fitted to games
//! (logistic regression).

use super::features::{Reader, View};

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
        let (output, sign) = match self.reader.players {
            2 => (0, if player == 0 { 1.0 } else { -1.0 }),
            _ => (player, 1.0),
        };
        let weights = &self.weights[output];
        let mut sum = 0.0;
        self.reader.read(view, |feature, amount| sum += weights[feature] * amount);
        sign * sum
    }
}
