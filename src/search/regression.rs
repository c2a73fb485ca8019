//! Logistic regression with prior knowledge of which weights resemble each other.
//!
//! A weight is the sum of three parts: what its group shares with that of the other player, what the group
//! has of its own, and what the feature has of its own. Each part has a normal prior, the narrower the
//! finer it is, so few games settle what a piece is worth and many are needed to tell one cell from
//! another. The posterior mode is found by Newton's method with conjugate gradients (Lin, Weng, Keerthi
//! 2008).

use super::evaluation::Evaluation;
use super::features::Reader;

/// A position with what it is thought to be worth.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub features: Box<[(u32, f32)]>,
    /// For each output, from 0 to 1.
    pub targets: Box<[f32]>,
    /// The number of its game.
    pub game: u32,
}

/// The deviation of the prior of shared weights.
const SHARED: f32 = 3.0;
/// The same for groups.
const GROUP: f32 = 0.5;
/// The same for single features: what fits games best that were not fitted is taken.
const OWN: [f32; 3] = [0.06, 0.2, 0.6];
/// As how many independent positions those of a game count.
const PER_GAME: f32 = 12.0;
/// One game in this many is left out to judge a fit.
const HELD_OUT: u32 = 5;
const NEWTON_STEPS: usize = 10;
const GRADIENT_STEPS: usize = 25;

/// Fits an evaluation to the samples.
pub(super) fn fit(reader: Reader, samples: &[Sample]) -> Evaluation {
    let mut evaluation = Evaluation::blank(reader);
    for output in 0..evaluation.weights.len() {
        let (rest, held): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.game % HELD_OUT != 0);
        let judged = |own: f32| {
            let weights = Problem::new(&evaluation.reader, &rest, output, own).solve();
            (own, loss(&held, output, &weights))
        };
        let best = OWN.map(judged).into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let own = best.map_or(OWN[0], |(own, _)| own);
        let all: Vec<&Sample> = samples.iter().collect();
        evaluation.weights[output] = Problem::new(&evaluation.reader, &all, output, own).solve();
    }
    evaluation
}

fn share(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

fn odds(sample: &Sample, weights: &[f32]) -> f32 {
    sample.features.iter().map(|(feature, amount)| weights[*feature as usize] * amount).sum()
}

/// The mean cross entropy.
fn loss(samples: &[&Sample], output: usize, weights: &[f32]) -> f64 {
    let of = |sample: &&Sample| {
        let odds = f64::from(odds(sample, weights));
        // ln(1 + e^x) without overflow
        let log = odds.max(0.0) + (-odds.abs()).exp().ln_1p();
        log - f64::from(sample.targets[output]) * odds
    };
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// A fit: parameters are the parts of the weights in units of their deviations.
struct Problem<'a> {
    reader: &'a Reader,
    samples: &'a [&'a Sample],
    output: usize,
    own: f32,
    /// How much a sample counts.
    scale: f32,
}

impl<'a> Problem<'a> {
    fn new(reader: &'a Reader, samples: &'a [&'a Sample], output: usize, own: f32) -> Self {
        let mut games: Vec<u32> = samples.iter().map(|sample| sample.game).collect();
        games.dedup();
        let scale = (PER_GAME * games.len() as f32 / samples.len().max(1) as f32).min(1.0);
        Problem { reader, samples, output, own, scale }
    }

    fn len(&self) -> usize {
        self.reader.shared_count + self.reader.shared.len() + self.reader.len
    }

    /// The weights that parameters stand for.
    fn weights(&self, parameters: &[f32]) -> Vec<f32> {
        let (shared, rest) = parameters.split_at(self.reader.shared_count);
        let (groups, own) = rest.split_at(self.reader.shared.len());
        let common: Vec<f32> = groups
            .iter()
            .zip(&self.reader.shared)
            .map(|(group, (of, sign))| GROUP * group + SHARED * sign * shared[*of as usize])
            .collect();
        let of_groups = self.reader.groups.iter().map(|group| common[*group as usize]);
        of_groups.zip(own).map(|(common, own)| common + self.own * own).collect()
    }

    /// The transpose of [`Problem::weights`]: from slopes by weight to slopes by parameter.
    fn slopes(&self, by_weight: &[f32]) -> Vec<f32> {
        let mut slopes = vec![0.0; self.len()];
        let (shared, rest) = slopes.split_at_mut(self.reader.shared_count);
        let (groups, own) = rest.split_at_mut(self.reader.shared.len());
        for ((slope, group), own) in by_weight.iter().zip(&self.reader.groups).zip(own) {
            let (of, sign) = self.reader.shared[*group as usize];
            *own = self.own * slope;
            groups[*group as usize] += GROUP * slope;
            shared[of as usize] += SHARED * sign * slope;
        }
        slopes
    }

    /// Sums what each sample adds to the slopes: a factor of its features.
    fn gathered(&self, factor: impl Fn(usize, &Sample) -> f32) -> Vec<f32> {
        let mut sums = vec![0f32; self.reader.len];
        for (i, sample) in self.samples.iter().enumerate() {
            let factor = factor(i, sample) * self.scale;
            for (feature, amount) in &sample.features {
                sums[*feature as usize] += factor * amount;
            }
        }
        sums
    }

    /// The weights at the mode.
    fn solve(&self) -> Vec<f32> {
        let mut at = vec![0f32; self.len()];
        for _ in 0..NEWTON_STEPS {
            let weights = self.weights(&at);
            let shares: Vec<f32> =
                self.samples.iter().map(|sample| share(odds(sample, &weights))).collect();
            let error = |i: usize, sample: &Sample| shares[i] - sample.targets[self.output];
            let mut slopes = self.slopes(&self.gathered(error));
            slopes.iter_mut().zip(&at).for_each(|(slope, at)| *slope = -*slope - at);
            let curvature = |direction: &[f32]| {
                let along = self.weights(direction);
                let factor = |i: usize, sample: &Sample| {
                    shares[i] * (1.0 - shares[i]) * odds(sample, &along)
                };
                let mut image = self.slopes(&self.gathered(factor));
                image.iter_mut().zip(direction).for_each(|(image, own)| *image += own);
                image
            };
            let step = conjugate_gradients(&slopes, curvature);
            at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
            if dot(&step, &step) < 1e-4 {
                break;
            }
        }
        self.weights(&at)
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Solves a positive definite system, given by what it makes of a vector.
fn conjugate_gradients(wanted: &[f32], image: impl Fn(&[f32]) -> Vec<f32>) -> Vec<f32> {
    let mut found = vec![0f32; wanted.len()];
    let mut rest = wanted.to_vec();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = size * 1e-4;
    for _ in 0..GRADIENT_STEPS {
        if size <= enough {
            break;
        }
        let moved = image(&direction);
        let step = (size / dot(&direction, &moved)) as f32;
        for i in 0..found.len() {
            found[i] += step * direction[i];
            rest[i] -= step * moved[i];
        }
        let next = dot(&rest, &rest);
        let turn = (next / size) as f32;
        direction.iter_mut().zip(&rest).for_each(|(own, rest)| *own = rest + turn * *own);
        size = next;
    }
    found
}
