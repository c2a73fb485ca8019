//! Trains a [network](super::network) on what the linear part of an evaluation leaves unexplained.
//!
//! The cross entropy is made less by gradients of a few samples at a time (Adam: Kingma, Ba 2015). Each time a sample
//! is seen it is turned by one of the symmetries of the game, so that a game need not be learned from all sides.
//! Some games are left out to see when more training would only learn the others by heart.

use crate::engine::Random;

use super::evaluation::Evaluation;
use super::network::{Inputs, Network, UNITS};
use super::orbits::Turned;
use super::regression::{HELD_OUT, Sample, cross_entropy, loss, odds, share};

/// The samples behind one step.
const BATCH: usize = 256;
/// How often all samples are seen, by a network that begins and by one that goes on.
const EPOCHS: [u32; 2] = [30, 12];
/// Training ends after this many epochs without a gain.
const PATIENCE: u32 = 4;
/// The size of the first steps; the last are near 0.
const RATE: f32 = 1e-3;
/// The share of a weight that is lost with each step of rate 1.
const DECAY: f32 = 1e-2;
/// How fast the means of slopes and of their squares forget.
const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
/// The greatest weight of a network that has not seen a sample.
const FIRST: f32 = 0.15;

/// The weights of a layer with the means by which they are changed.
struct Layer {
    weights: Vec<[f32; UNITS]>,
    slopes: Vec<[f32; UNITS]>,
    means: Vec<[f32; UNITS]>,
    squares: Vec<[f32; UNITS]>,
}

impl Layer {
    fn new(weights: Vec<[f32; UNITS]>) -> Layer {
        let none = vec![[0.0; UNITS]; weights.len()];
        Layer { weights, slopes: none.clone(), means: none.clone(), squares: none }
    }

    /// Changes the weights against the slopes, which are forgotten.
    fn step(&mut self, rate: f32, number: i32) {
        let (unbiased, spread) = (1.0 - MEAN.powi(number), 1.0 - SQUARE.powi(number));
        let rows = self.weights.iter_mut().zip(&mut self.slopes);
        for ((weights, slopes), (means, squares)) in
            rows.zip(self.means.iter_mut().zip(&mut self.squares))
        {
            for unit in 0..UNITS {
                let slope = slopes[unit];
                means[unit] = MEAN * means[unit] + (1.0 - MEAN) * slope;
                squares[unit] = SQUARE * squares[unit] + (1.0 - SQUARE) * slope * slope;
                let size = (squares[unit] / spread).sqrt() + 1e-8;
                weights[unit] -= rate * (means[unit] / unbiased / size + DECAY * weights[unit]);
                slopes[unit] = 0.0;
            }
        }
    }
}

/// The evaluation with a network that fits the samples; it begins with the one that it has. Without one where none
/// says more of the games that were left out. `stopped` ends the training early.
pub(super) fn trained(
    evaluation: Evaluation,
    samples: &[Sample],
    symmetries: &[Turned],
    random: &mut Random,
    stopped: &dyn Fn() -> bool,
) -> Evaluation {
    let inputs = Inputs::of(&evaluation.reader);
    let outputs = evaluation.weights.len();
    let (mut seen, held): (Vec<&Sample>, Vec<&Sample>) =
        samples.iter().partition(|sample| sample.game % HELD_OUT != 0);
    let (known, epochs) = match &evaluation.network {
        Some(network) => (network.weights(), EPOCHS[1]),
        None => {
            let mut any = |_| (random.below(2_001) as f32 / 1_000.0 - 1.0) * FIRST;
            let first = (0..inputs.len()).map(|_| std::array::from_fn(&mut any)).collect();
            // outputs of zero leave the linear part as it is
            ((first, vec![[0.0; UNITS]; outputs]), EPOCHS[0])
        }
    };
    let linear = evaluation.with(None);
    let mut training = Training {
        linear: &linear,
        inputs,
        first: Layer::new(known.0),
        last: Layer::new(known.1),
        steps: 0,
    };
    let of_weights = linear.weights.iter().enumerate();
    let without = of_weights.map(|(output, weights)| loss(&held, output, weights)).sum::<f64>();
    let mut best = (without, None);
    let mut since = 0;
    for epoch in 0..epochs {
        random.shuffle(&mut seen);
        let rate = RATE * (1.0 - epoch as f32 / epochs as f32);
        for batch in seen.chunks(BATCH) {
            if stopped() {
                return linear.with(best.1);
            }
            training.batch(batch, symmetries, rate, random);
        }
        let loss = training.loss(&held);
        since += 1;
        if loss < best.0 {
            let (first, last) = (&training.first.weights, &training.last.weights);
            best = (loss, Some(Network::new(inputs, first, last)));
            since = 0;
        }
        if since > PATIENCE {
            break;
        }
    }
    linear.with(best.1)
}

/// A network while it is trained.
struct Training<'a> {
    linear: &'a Evaluation,
    inputs: Inputs,
    first: Layer,
    last: Layer,
    steps: i32,
}

impl Training<'_> {
    /// Makes a step against the slopes of some samples.
    fn batch(
        &mut self,
        samples: &[&Sample],
        symmetries: &[Turned],
        rate: f32,
        random: &mut Random,
    ) {
        let mut features = Vec::new();
        for sample in samples {
            let drawn = random.below(symmetries.len() as u64 + 1) as usize;
            let turned = symmetries.get(drawn);
            features.clear();
            features.extend(sample.features.iter().map(|(feature, amount)| {
                let image = turned.map_or(*feature, |turned| turned.features[*feature as usize]);
                (image, *amount)
            }));
            let exchanged = turned.is_some_and(|turned| turned.sign < 0.0);
            let target = |output: usize| match exchanged {
                true => 1.0 - sample.targets[output],
                false => sample.targets[output],
            };
            self.learn(&features, &target, samples.len() as f32);
        }
        self.steps += 1;
        self.first.step(rate, self.steps);
        self.last.step(rate, self.steps);
    }

    /// Adds the slopes of one sample of a batch of `count`.
    fn learn(&mut self, features: &[(u32, f32)], target: &dyn Fn(usize) -> f32, count: f32) {
        let hidden = self.hidden(features);
        let mut back = [0.0; UNITS];
        for output in 0..self.last.weights.len() {
            let error = share(self.odds(features, &hidden, output)) - target(output);
            let weights = &self.last.weights[output];
            let slopes = &mut self.last.slopes[output];
            for unit in 0..UNITS {
                if hidden[unit] > 0.0 {
                    slopes[unit] += error * hidden[unit] / count;
                    back[unit] += error * weights[unit] / count;
                }
            }
        }
        for (feature, amount) in features {
            let Some(input) = self.inputs.input(*feature as usize) else { continue };
            let slopes = &mut self.first.slopes[input];
            slopes.iter_mut().zip(back).for_each(|(slope, back)| *slope += back * amount);
        }
    }

    /// What each unit adds up.
    fn hidden(&self, features: &[(u32, f32)]) -> [f32; UNITS] {
        let mut hidden = [0.0; UNITS];
        for (feature, amount) in features {
            let Some(input) = self.inputs.input(*feature as usize) else { continue };
            let weights = &self.first.weights[input];
            hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * amount);
        }
        hidden
    }

    /// The logarithm of the odds of an output.
    fn odds(&self, features: &[(u32, f32)], hidden: &[f32; UNITS], output: usize) -> f32 {
        let added = hidden.iter().zip(&self.last.weights[output]);
        odds(features, &self.linear.weights[output])
            + added.map(|(sum, weight)| sum.max(0.0) * weight).sum::<f32>()
    }

    /// The mean cross entropy of samples, summed over the outputs.
    fn loss(&self, samples: &[&Sample]) -> f64 {
        let of = |sample: &&Sample| {
            let hidden = self.hidden(&sample.features);
            let odds = |output: usize| self.odds(&sample.features, &hidden, output);
            let targets = sample.targets.iter().enumerate();
            targets.map(|(output, target)| cross_entropy(odds(output), *target)).sum::<f64>()
        };
        samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline;
    use crate::program::LoadRequest;
    use crate::search::features::{Extra, Reader};

    /// Samples in which the sum over two cells tells nothing, but whether one of them alone is held tells all.
    fn one_of_two(cells: [u32; 2], count: u32) -> Vec<Sample> {
        (0..count)
            .map(|game| {
                let held = [game & 1 == 1, game >> 1 & 1 == 1];
                let features = cells.into_iter().zip(held).filter(|(_, held)| *held);
                Sample {
                    features: features.map(|(cell, _)| (cell, 1.0)).collect(),
                    targets: [if held[0] != held[1] { 0.9 } else { 0.1 }].into(),
                    game,
                }
            })
            .collect()
    }

    fn blank() -> Evaluation {
        let rules = ":- game \"Placing\".
            :- players black, white.
            :- include \"board/square\" with (width = 3, height = 3).
            :- pieces player.
            move(put(C)) :- turn(P), empty(C), at(C) := P.
            draw :- stuck.";
        let loaded = pipeline::load(&LoadRequest::text("placing", rules));
        let game = loaded.unwrap_or_else(|_| panic!("it does not load")).game;
        Evaluation::blank(Reader::new(&game, Extra::default()).expect("a small state"))
    }

    #[test]
    fn a_network_learns_what_no_sum_tells() {
        let samples = one_of_two([0, 4], 20_000);
        let mut random = Random::seeded(3);
        let trained = trained(blank(), &samples, &[], &mut random, &|| false);
        let network = trained.network.as_ref().expect("a network");
        let (inputs, outputs) = network.weights();
        for sample in &samples[..4] {
            let hidden = |unit: usize| {
                let sums = sample.features.iter().map(|(cell, _)| inputs[*cell as usize][unit]);
                sums.sum::<f32>().max(0.0) * outputs[0][unit]
            };
            let expected = share((0..UNITS).map(hidden).sum());
            // with no feature at all, no unit has a sum
            let target = if sample.features.is_empty() { 0.5 } else { sample.targets[0] };
            assert!((expected - target).abs() < 0.1, "{expected} for {target}");
        }
    }

    #[test]
    fn no_network_is_kept_where_it_tells_nothing() {
        let mut samples = one_of_two([0, 4], 2_000);
        let mut random = Random::seeded(4);
        for sample in &mut samples {
            sample.targets = [0.5].into();
        }
        let known = blank();
        assert_eq!(trained(known.clone(), &samples, &[], &mut random, &|| false), known);
    }
}
