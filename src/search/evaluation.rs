//! What a position is worth: a linear function of its [features](super::features), fitted to games
//! (logistic regression), and what a [network](super::network) adds to it, where there is one.

use super::features::Reader;
use super::network::{Hidden, Network, UNITS};
use super::view::{Values, View};

/// What the features of a state are worth to a player, those of the moment left out. Whole numbers are added, so that
/// it does not depend on the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    linear: i64,
    hidden: Hidden,
}

impl Sums {
    /// The sums of a state without features.
    pub const NONE: Sums = Sums { linear: 0, hidden: [0; UNITS] };
}

/// The weight 1 in the linear part of [`Sums`].
const ONE: f32 = 65_536.0;

/// The weights of a game's features.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    pub(super) reader: Reader,
    /// By output and feature. There is one output with two players, the first player's logarithm of the
    /// odds to win; otherwise one for each player.
    pub(super) weights: Vec<Vec<f32>>,
    /// What is added to the outputs.
    pub(super) network: Option<Network>,
}

impl Evaluation {
    /// An evaluation that knows nothing.
    pub fn blank(reader: Reader) -> Evaluation {
        let outputs = if reader.players == 2 { 1 } else { reader.players };
        Evaluation { weights: vec![vec![0.0; reader.len]; outputs], network: None, reader }
    }

    /// What it reads of a position.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether it knows nothing.
    pub fn is_blank(&self) -> bool {
        self.network.is_none() && self.weights.iter().flatten().all(|weight| *weight == 0.0)
    }

    /// The same with what a network adds.
    pub fn with(self, network: Option<Network>) -> Evaluation {
        Evaluation { network, ..self }
    }

    /// The network, if there is one.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
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
        let (output, sign) = self.output(player);
        let (mut sum, mut hidden) = (0.0, Sums::NONE.hidden);
        self.reader.read(view, |feature, amount| {
            sum += self.weights[output][feature] * amount;
            if let Some(network) = &self.network {
                network.add(&mut hidden, feature, amount);
            }
        });
        sign * (sum + self.added(&hidden, view.turn, output))
    }

    /// The output that counts for a player, and with which sign.
    fn output(&self, player: usize) -> (usize, f32) {
        match self.reader.players {
            2 => (0, if player == 0 { 1.0 } else { -1.0 }),
            _ => (player, 1.0),
        }
    }

    /// What the network adds to an output.
    #[inline]
    fn added(&self, hidden: &Hidden, turn: usize, output: usize) -> f32 {
        self.network.as_ref().map_or(0.0, |network| network.value(hidden, turn, output))
    }

    /// What the features of a state are worth to a player.
    pub fn sums(&self, words: &[u64], player: usize) -> Sums {
        self.after(&Sums::NONE, &vec![0; words.len()], words, player)
    }

    /// The same for the state that a move leads to, from the sums of the state before.
    #[inline]
    pub fn after(&self, sums: &Sums, before: &[u64], after: &[u64], player: usize) -> Sums {
        let (output, sign) = self.output(player);
        let weights = &self.weights[output];
        let (mut linear, mut hidden) = (0, sums.hidden);
        let mut add = |feature: usize, amount: f32| {
            linear += (weights[feature] * amount * ONE) as i64;
        };
        match &self.network {
            None => self.reader.differences(before, after, add),
            Some(network) => self.reader.differences(before, after, |feature, amount| {
                add(feature, amount);
                network.add(&mut hidden, feature, amount);
            }),
        }
        Sums { linear: sums.linear + if sign < 0.0 { -linear } else { linear }, hidden }
    }

    /// The logarithm of the odds that a player wins, from the sums of the state for him, who is to move with how
    /// many moves, and the values of the rules.
    pub fn from_sums(
        &self,
        sums: &Sums,
        (turn, choices): (usize, [Option<u64>; 2]),
        values: &Values,
        player: usize,
    ) -> f32 {
        let (output, sign) = self.output(player);
        let weights = &self.weights[output];
        let mut moment = self.added(&sums.hidden, turn, output);
        let tell = |feature: usize, amount| moment += weights[feature] * amount;
        self.reader.moment(turn, choices, values, tell);
        sums.linear as f32 / ONE + sign * moment
    }

    /// The weight of the number of moves of the player to move.
    pub fn of_choices(&self, turn: usize, player: usize) -> f32 {
        let (output, _) = self.output(player);
        self.weights[output][self.reader.len - 2 * self.reader.players + turn].abs()
    }
}
