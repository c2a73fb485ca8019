//! Logistic regression with prior knowledge of which weights resemble each other.
//!
//! A weight is the sum of three parts: what its group shares with that of the other player, what the group
//! has of its own, and what the feature and those that are alike by the symmetries of the game have of their own. Each
//! part has a normal prior, the narrower the finer it is, so few games settle what a piece is worth and many are needed
//! to tell one cell from another. The posterior mode is found by Newton's method with conjugate gradients (Lin, Weng,
//! Keerthi 2008).

use super::evaluation::Evaluation;
use super::features::Reader;
use super::orbits::{Turned, orbits};

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
/// The same for patterns, and for what all of one form have in common.
const PATTERN: [f32; 3] = [0.03, 0.1, 0.3];
/// As how many independent positions those of a game count.
const PER_GAME: f32 = 12.0;
/// One game in this many is left out to judge a fit.
pub(super) const HELD_OUT: u32 = 5;
/// The deviations with which others are compared first.
const FIRST: Scales = Scales { own: 0.2, pattern: 0.1 };
const NEWTON_STEPS: usize = 10;
/// The steps of a fit that begins where another one ended.
const FEW_STEPS: usize = 4;
/// A step is the last if its square is less than this share of the square of what is found.
const SMALL: f64 = 1e-3;
const GRADIENT_STEPS: usize = 25;

/// The deviations that are chosen by what was left out of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scales {
    own: f32,
    pattern: f32,
}

/// Fits evaluations to samples, each beginning where the one before ended.
#[derive(Debug)]
pub(super) struct Fit {
    prior: Prior,
    /// For each output, the parameters that were found last, in units of these deviations.
    last: Vec<Option<(Scales, Vec<f32>)>>,
}

impl Fit {
    /// A fit with a prior.
    pub fn new(prior: Prior) -> Fit {
        Fit { prior, last: Vec::new() }
    }

    /// The evaluation that fits the samples; where `stopped` returns true, as far as it was found.
    pub fn evaluation(
        &mut self,
        reader: Reader,
        samples: &[&Sample],
        stopped: &dyn Fn() -> bool,
    ) -> Evaluation {
        let mut evaluation = Evaluation::blank(reader);
        self.last.resize(evaluation.weights.len(), None);
        for output in 0..evaluation.weights.len() {
            evaluation.weights[output] = self.output(output, samples, stopped);
        }
        evaluation
    }

    fn output(
        &mut self,
        output: usize,
        samples: &[&Sample],
        stopped: &dyn Fn() -> bool,
    ) -> Vec<f32> {
        let (rest, held): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().copied().partition(|sample| sample.game % HELD_OUT != 0);
        let mut last = self.last[output].take();
        let mut judged = |scales: Scales| {
            let problem = Problem::new(&self.prior, &rest, output, scales);
            let found = problem.solve(last.as_ref(), stopped);
            let loss = loss(&held, output, &problem.weights(&found));
            last = Some((scales, found));
            (scales, loss)
        };
        let least = |of: &mut dyn Iterator<Item = (Scales, f64)>| {
            of.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(FIRST, |(scales, _)| scales)
        };
        let mut best = least(&mut OWN.into_iter().map(|own| judged(Scales { own, ..FIRST })));
        if !self.prior.patterns.is_empty() {
            let own = best.own;
            best = least(&mut PATTERN.into_iter().map(|pattern| judged(Scales { own, pattern })));
        }
        let problem = Problem::new(&self.prior, samples, output, best);
        let found = problem.solve(last.as_ref(), stopped);
        let weights = problem.weights(&found);
        self.last[output] = Some((best, found));
        weights
    }
}

/// The probability that these logarithms of odds stand for.
pub(super) fn share(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// The logarithm of the odds of features by their weights.
pub(super) fn odds(features: &[(u32, f32)], weights: &[f32]) -> f32 {
    features.iter().map(|(feature, amount)| weights[*feature as usize] * amount).sum()
}

/// The cross entropy of what is expected and what came true.
pub(super) fn cross_entropy(odds: f32, target: f32) -> f64 {
    let odds = f64::from(odds);
    // ln(1 + e^x) without overflow
    let log = odds.max(0.0) + (-odds.abs()).exp().ln_1p();
    log - f64::from(target) * odds
}

/// The mean cross entropy of an output.
pub(super) fn loss(samples: &[&Sample], output: usize, weights: &[f32]) -> f64 {
    let of =
        |sample: &&Sample| cross_entropy(odds(&sample.features, weights), sample.targets[output]);
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// What is thought of the weights before a game is seen: each is the sum of parts, some of which several have in
/// common.
#[derive(Debug)]
pub(super) struct Prior {
    /// For each weight, its group.
    groups: Vec<u32>,
    /// For each group, the part that it has in common with that of the other player, with a sign; for those of patterns
    /// with all that are alike by symmetry.
    shared: Vec<(u32, f32)>,
    shared_count: usize,
    /// For each weight, its own part, which those that are alike by symmetry have in common, with a sign.
    own: Vec<(u32, f32)>,
    own_count: usize,
    /// The groups of patterns.
    patterns: std::ops::Range<usize>,
}

impl Prior {
    /// The prior of a game's features; those that are alike by these symmetries have one weight.
    pub fn new(reader: &Reader, symmetries: &[Turned]) -> Prior {
        let (features, groups) = orbits(reader, symmetries);
        let mut firsts: Vec<Option<u32>> = vec![None; groups.count];
        let shared = |group: usize| {
            let (orbit, sign) = groups.of[group];
            let own = reader.shared[group];
            let first = *firsts[orbit as usize].get_or_insert(own.0);
            if reader.patterns.contains(&group) { (first, sign) } else { own }
        };
        Prior {
            groups: reader.groups.clone(),
            shared: (0..reader.shared.len()).map(shared).collect(),
            shared_count: reader.shared_count,
            own: features.of,
            own_count: features.count,
            patterns: reader.patterns.clone(),
        }
    }
}

/// A fit: parameters are the parts of the weights in units of their deviations.
struct Problem<'a> {
    prior: &'a Prior,
    samples: &'a [&'a Sample],
    output: usize,
    scales: Scales,
    /// How much a sample counts.
    scale: f32,
}

impl<'a> Problem<'a> {
    fn new(
        prior: &'a Prior,
        samples: &'a [&'a Sample],
        output: usize,
        scales: Scales,
    ) -> Problem<'a> {
        let mut games: Vec<u32> = samples.iter().map(|sample| sample.game).collect();
        games.dedup();
        let scale = (PER_GAME * games.len() as f32 / samples.len().max(1) as f32).min(1.0);
        Problem { prior, samples, output, scales, scale }
    }

    fn len(&self) -> usize {
        self.prior.shared_count + self.prior.shared.len() + self.prior.own_count
    }

    /// For a group, the deviations of what it shares, of its own part, and of those of its weights.
    fn deviations(&self, group: usize) -> (f32, f32, f32) {
        match self.prior.patterns.contains(&group) {
            true => (self.scales.pattern, 0.0, self.scales.pattern),
            false => (SHARED, GROUP, self.scales.own),
        }
    }

    /// The weights that parameters stand for.
    fn weights(&self, parameters: &[f32]) -> Vec<f32> {
        let (shared, rest) = parameters.split_at(self.prior.shared_count);
        let (groups, own) = rest.split_at(self.prior.shared.len());
        let common: Vec<(f32, f32)> = (0..groups.len())
            .map(|group| {
                let (of, sign) = self.prior.shared[group];
                let (wide, middle, narrow) = self.deviations(group);
                (middle * groups[group] + wide * sign * shared[of as usize], narrow)
            })
            .collect();
        let weight = |(group, (of, sign)): (&u32, &(u32, f32))| {
            let (common, narrow) = common[*group as usize];
            common + narrow * sign * own[*of as usize]
        };
        self.prior.groups.iter().zip(&self.prior.own).map(weight).collect()
    }

    /// The transpose of [`Problem::weights`]: from slopes by weight to slopes by parameter.
    fn slopes(&self, by_weight: &[f32]) -> Vec<f32> {
        let mut slopes = vec![0.0; self.len()];
        let (shared, rest) = slopes.split_at_mut(self.prior.shared_count);
        let (groups, own) = rest.split_at_mut(self.prior.shared.len());
        for ((slope, group), (of, sign)) in
            by_weight.iter().zip(&self.prior.groups).zip(&self.prior.own)
        {
            let (_, _, narrow) = self.deviations(*group as usize);
            own[*of as usize] += narrow * sign * slope;
            groups[*group as usize] += slope;
        }
        for (group, slope) in groups.iter_mut().enumerate() {
            let (of, sign) = self.prior.shared[group];
            let (wide, middle, _) = self.deviations(group);
            shared[of as usize] += wide * sign * *slope;
            *slope *= middle;
        }
        slopes
    }

    /// Sums what each sample adds to the slopes: a factor of its features.
    fn gathered(&self, factor: impl Fn(usize, &Sample) -> f32) -> Vec<f32> {
        let mut sums = vec![0f32; self.prior.own.len()];
        for (i, sample) in self.samples.iter().enumerate() {
            let factor = factor(i, sample) * self.scale;
            for (feature, amount) in &sample.features {
                sums[*feature as usize] += factor * amount;
            }
        }
        sums
    }

    /// The parameters at the mode, or near it if it is sought from other ones.
    fn solve(&self, from: Option<&(Scales, Vec<f32>)>, stopped: &dyn Fn() -> bool) -> Vec<f32> {
        let mut at = match from {
            None => vec![0f32; self.len()],
            Some((scales, from)) => self.rescaled(*scales, from),
        };
        for _ in 0..if from.is_some() { FEW_STEPS } else { NEWTON_STEPS } {
            let weights = self.weights(&at);
            let shares: Vec<f32> =
                self.samples.iter().map(|sample| share(odds(&sample.features, &weights))).collect();
            let error = |i: usize, sample: &Sample| shares[i] - sample.targets[self.output];
            let mut slopes = self.slopes(&self.gathered(error));
            slopes.iter_mut().zip(&at).for_each(|(slope, at)| *slope = -*slope - at);
            let curvature = |direction: &[f32]| {
                let along = self.weights(direction);
                let factor = |i: usize, sample: &Sample| {
                    shares[i] * (1.0 - shares[i]) * odds(&sample.features, &along)
                };
                let mut image = self.slopes(&self.gathered(factor));
                image.iter_mut().zip(direction).for_each(|(image, own)| *image += own);
                image
            };
            let step = conjugate_gradients(&slopes, curvature, stopped);
            at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
            if stopped() || dot(&step, &step) < SMALL * dot(&at, &at) {
                break;
            }
        }
        at
    }

    /// Parameters in units of other deviations.
    fn rescaled(&self, scales: Scales, from: &[f32]) -> Vec<f32> {
        let own = scales.own / self.scales.own;
        let pattern = scales.pattern / self.scales.pattern;
        let mut factors = vec![1.0; from.len()];
        for group in self.prior.patterns.clone() {
            factors[self.prior.shared[group].0 as usize] = pattern;
        }
        let first = self.prior.shared_count + self.prior.shared.len();
        for (group, (of, _)) in self.prior.groups.iter().zip(&self.prior.own) {
            let of_pattern = self.prior.patterns.contains(&(*group as usize));
            factors[first + *of as usize] = if of_pattern { pattern } else { own };
        }
        from.iter().zip(factors).map(|(from, factor)| from * factor).collect()
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Solves a positive definite system, given by what it makes of a vector.
fn conjugate_gradients(
    wanted: &[f32],
    image: impl Fn(&[f32]) -> Vec<f32>,
    stopped: &dyn Fn() -> bool,
) -> Vec<f32> {
    let mut found = vec![0f32; wanted.len()];
    let mut rest = wanted.to_vec();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = size * 1e-4;
    for _ in 0..GRADIENT_STEPS {
        if size <= enough || stopped() {
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
