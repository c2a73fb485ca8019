//! The part of an evaluation that is more than a sum over features: one layer of hidden units. Each unit adds up
//! weights of the features that a position has, and what is above zero counts for the outputs. The sums follow the
//! moves of a search as differences (efficiently updatable networks: Nasu 2018).

use super::features::Reader;

/// The number of hidden units.
pub const UNITS: usize = 32;

/// What each unit has added up, in units of 1 / 65536: whole numbers, so that it does not depend on the order.
pub type Hidden = [i32; UNITS];

/// The weight 1 in a [`Hidden`].
const ONE: f32 = 65_536.0;
/// The weight 1 as it is kept in files.
const KEPT: f32 = 1_000.0;

/// One layer of hidden units between the features and the outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// By feature of the state, without patterns, the weights of the units.
    features: Vec<Hidden>,
    /// By player, the weights of the units where it is his turn.
    turns: Vec<Hidden>,
    /// By output, the weights of the units.
    outputs: Vec<[f32; UNITS]>,
}

/// The inputs of a network: the features of the state, but patterns, of which there are too many, and behind them for each
/// player that it is his turn. The numbers of moves are known too late.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inputs {
    /// The features up to this one are inputs of the same number.
    plain: usize,
    /// The feature that says that it is the first player's turn.
    turn: usize,
    players: usize,
}

impl Inputs {
    pub fn of(reader: &Reader) -> Inputs {
        let turn = reader.len - 3 * reader.players;
        Inputs { plain: reader.plain, turn, players: reader.players }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.plain + self.players
    }

    /// The input that a feature is, if it is one.
    pub fn input(self, feature: usize) -> Option<usize> {
        match feature {
            _ if feature < self.plain => Some(feature),
            _ if feature < self.turn => None,
            _ => {
                let player = feature - self.turn;
                (player < self.players).then_some(self.plain + player)
            }
        }
    }
}

impl Network {
    /// A network with these weights, by [input](Inputs) and by output.
    pub(super) fn new(
        inputs: Inputs,
        weights: &[[f32; UNITS]],
        outputs: &[[f32; UNITS]],
    ) -> Network {
        let whole = |weights: &[f32; UNITS]| weights.map(|weight| (weight * ONE) as i32);
        let scaled = |weights: &[f32; UNITS]| weights.map(|weight| weight / ONE);
        let (features, turns) = weights.split_at(inputs.plain);
        Network {
            features: features.iter().map(whole).collect(),
            turns: turns.iter().map(whole).collect(),
            outputs: outputs.iter().map(scaled).collect(),
        }
    }

    /// The weights by input and by output, as [`Network::new`] takes them.
    pub(super) fn weights(&self) -> (Vec<[f32; UNITS]>, Vec<[f32; UNITS]>) {
        let inputs = self.features.iter().chain(&self.turns);
        let inputs = inputs.map(|weights| weights.map(|weight| weight as f32 / ONE));
        let outputs = self.outputs.iter().map(|weights| weights.map(|weight| weight * ONE));
        (inputs.collect(), outputs.collect())
    }

    /// How many inputs a network has for the features of a game.
    pub fn inputs(reader: &Reader) -> usize {
        Inputs::of(reader).len()
    }

    /// A network for the features of a game from weights in thousandths: by unit those of the inputs, and by output those
    /// of the units. `None` where they do not fit.
    pub fn from_thousandths(
        reader: &Reader,
        units: &[Vec<i32>],
        outputs: &[Vec<i32>],
    ) -> Option<Network> {
        let inputs = Inputs::of(reader);
        let expected = if reader.players == 2 { 1 } else { reader.players };
        let fits = units.len() == UNITS
            && units.iter().all(|unit| unit.len() == inputs.len())
            && outputs.len() == expected
            && outputs.iter().all(|output| output.len() == UNITS);
        if !fits {
            return None;
        }
        let input = |input: usize| std::array::from_fn(|unit| units[unit][input] as f32 / KEPT);
        let output = |of: &Vec<i32>| std::array::from_fn(|unit| of[unit] as f32 / KEPT);
        let outputs: Vec<_> = outputs.iter().map(output).collect();
        let weights: Vec<_> = (0..inputs.len()).map(input).collect();
        Some(Network::new(inputs, &weights, &outputs))
    }

    /// The weights in thousandths, as [`Network::from_thousandths`] takes them.
    pub fn thousandths(&self) -> (Vec<Vec<i32>>, Vec<Vec<i32>>) {
        let (inputs, outputs) = self.weights();
        let kept = |weight: f32| (weight * KEPT).round() as i32;
        let unit = |unit: usize| inputs.iter().map(|weights| kept(weights[unit])).collect();
        let output = |weights: &[f32; UNITS]| weights.iter().map(|weight| kept(*weight)).collect();
        ((0..UNITS).map(unit).collect(), outputs.iter().map(output).collect())
    }

    /// Adds a feature to what the units have added up, if it is one of the state without patterns.
    #[inline]
    pub(super) fn add(&self, hidden: &mut Hidden, feature: usize, amount: f32) {
        let Some(weights) = self.features.get(feature) else { return };
        match amount {
            1.0 => hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight),
            -1.0 => hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum -= weight),
            _ => hidden
                .iter_mut()
                .zip(weights)
                .for_each(|(sum, weight)| *sum += (*weight as f32 * amount) as i32),
        }
    }

    /// What the units add to an output, in logarithms of odds.
    #[inline]
    pub(super) fn value(&self, hidden: &Hidden, turn: usize, output: usize) -> f32 {
        /// As many sums are independent of one another.
        const LANES: usize = 8;
        let own = &self.turns[turn];
        let weights = &self.outputs[output];
        let mut sums = [0.0f32; LANES];
        let parts = hidden.chunks_exact(LANES).zip(own.chunks_exact(LANES));
        for ((hidden, own), weights) in parts.zip(weights.chunks_exact(LANES)) {
            let units = hidden.iter().zip(own).zip(weights);
            for (sum, ((hidden, own), weight)) in sums.iter_mut().zip(units) {
                *sum += (hidden + own).max(0) as f32 * weight;
            }
        }
        sums.iter().sum()
    }
}
