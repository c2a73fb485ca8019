//! Fits an evaluation by games against itself: first at random, then by the evaluation so far, each
//! round with more knowledge of who wins.

use crate::engine::{Candidate, Fault, Look, Random, Session, State};

use super::alphabeta::Search;
use super::evaluation::{Evaluation, Reader};
use super::table::Table;

/// How much an evaluation is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The rounds of games, of which the first is played at random.
    pub rounds: u32,
    /// The moves that a round may make, those that are looked at and taken back included.
    pub moves: u64,
    /// Further rounds, in which moves are chosen by a search of two plies.
    pub deep: u32,
    /// The seed of the games.
    pub seed: u64,
}

/// A game that is not over after this many plies is a draw.
const MAX_PLIES: usize = 300;
/// The share of moves drawn at random in later rounds, of 100.
const RANDOM_MOVES: u64 = 15;
/// The most positions that an evaluation is fitted to.
const MOST_SAMPLES: usize = 40_000;
/// How often the fit goes through the positions.
const EPOCHS: usize = 12;

/// Who chooses moves in games.
struct Guide<'a> {
    evaluation: &'a Evaluation,
    /// How many plies are searched.
    depth: u32,
}

/// The positions of one game: their features, the player to move, and who won.
struct Sample {
    features: Vec<(u32, f32)>,
    turn: usize,
    /// For each output, from 0 to 1.
    results: Vec<f32>,
}

/// Fits an evaluation.
///
/// # Errors
/// A rule error, or the end of the time.
pub fn fit(
    session: &mut Session<'_>,
    reader: Reader,
    effort: Effort,
    told: &mut dyn FnMut(u32, u64),
) -> Result<Evaluation, Fault> {
    let mut evaluation = Evaluation::blank(reader);
    let mut random = Random::seeded(effort.seed);
    let opening = session.opening();
    let mut samples = Vec::new();
    for round in 0..effort.rounds + effort.deep {
        // what weaker players have shown counts less
        if round > 0 {
            thin(&mut samples, MOST_SAMPLES / 4, &mut random);
        }
        let guide = (round > 0).then_some(Guide {
            evaluation: &evaluation,
            depth: if round < effort.rounds { 1 } else { 2 },
        });
        let games = play(
            session,
            &opening,
            guide,
            effort.moves,
            &mut random,
            &mut samples,
            &evaluation.reader,
        )?;
        told(round, games);
        thin(&mut samples, MOST_SAMPLES, &mut random);
        evaluation = regression(evaluation.reader.clone(), &samples, &mut random);
    }
    Ok(evaluation)
}

/// Keeps so many samples at most.
fn thin(samples: &mut Vec<Sample>, most: usize, random: &mut Random) {
    while samples.len() > most {
        let i = random.below(samples.len() as u64) as usize;
        samples.swap_remove(i);
    }
}

/// Plays games until so many moves have been made; returns the number of games.
fn play(
    session: &mut Session<'_>,
    opening: &State,
    guide: Option<Guide<'_>>,
    moves: u64,
    random: &mut Random,
    samples: &mut Vec<Sample>,
    reader: &Reader,
) -> Result<u64, Fault> {
    let mut made = 0;
    let mut games = 0;
    let mut candidates: Vec<Candidate> = Vec::new();
    let outputs = if reader.players == 2 { 1 } else { reader.players };
    let mut table = Table::default();
    while made < moves {
        let mut state = opening.clone();
        let first = samples.len();
        let mut winners = 0u8;
        for ply in 0..MAX_PLIES {
            let game = session.game();
            let mut walk = session.walk(&state);
            let look = walk.look()?;
            if let Look::Over(won) = look {
                winners = won;
                break;
            }
            candidates.clear();
            walk.candidates(&mut candidates);
            // the opening is varied more
            let draws = guide.is_none() || ply < 4 || random.below(100) < RANDOM_MOVES;
            let mut chosen = None;
            if look == Look::Chance {
                let mut weights = Vec::with_capacity(candidates.len());
                for candidate in &candidates {
                    weights.push(walk.weight(*candidate)?);
                }
                chosen = random.weighted(&weights);
            } else if let (Some(Guide { evaluation, depth: 2 }), false) = (&guide, draws) {
                let mut search =
                    Search::new(&mut *walk, game, evaluation, &mut table, &|nodes| nodes > 20_000);
                let lines = search.run(2, &mut |_, _| {})?;
                made += search.nodes;
                let best = lines.first().map(|line| line.keys[0]);
                chosen = candidates.iter().position(|candidate| Some(candidate.key) == best);
            } else if let (Some(Guide { evaluation, .. }), false) = (&guide, draws) {
                let me = walk.turn();
                let mut best = f32::NEG_INFINITY;
                for (i, candidate) in candidates.iter().enumerate() {
                    made += 1;
                    if !walk.make(*candidate)? {
                        continue;
                    }
                    // equal moves are drawn among
                    let noise = random.below(1000) as f32 * 1e-4;
                    let worth = evaluation.of(walk.words(), walk.turn(), me) + noise;
                    walk.unmake();
                    if worth > best {
                        best = worth;
                        chosen = Some(i);
                    }
                }
            }
            let mut played = false;
            if let Some(i) = chosen {
                played = walk.make(candidates[i])?;
            }
            while !played && !candidates.is_empty() && look == Look::Moves {
                let i = random.below(candidates.len() as u64) as usize;
                let candidate = candidates.swap_remove(i);
                played = walk.make(candidate)?;
            }
            made += 1;
            if !played {
                break;
            }
            let mut features = Vec::new();
            reader.read(walk.words(), |feature, amount| features.push((feature as u32, amount)));
            samples.push(Sample { features, turn: walk.turn(), results: Vec::new() });
            state = walk.state();
        }
        let result = |player: usize| match winners {
            0 => 0.5,
            won if won >> player & 1 == 1 => 1.0 / won.count_ones() as f32,
            _ => 0.0,
        };
        let results: Vec<f32> = (0..outputs).map(result).collect();
        samples[first..].iter_mut().for_each(|sample| sample.results.clone_from(&results));
        games += 1;
    }
    Ok(games)
}

/// Logistic regression by stochastic gradient descent with a rate for each weight (AdaGrad: Duchi,
/// Hazan, Singer 2011). A weight is the sum of what its group has in common and of its own part,
/// which is held small.
fn regression(reader: Reader, samples: &[Sample], random: &mut Random) -> Evaluation {
    const COMMON_RATE: f32 = 0.1;
    const OWN_RATE: f32 = 0.04;
    const OWN_DECAY: f32 = 2e-4;
    let mut evaluation = Evaluation::blank(reader);
    let reader = &evaluation.reader;
    for output in 0..evaluation.weights.len() {
        let mut common = vec![0f32; reader.group_count];
        let mut common_seen = vec![1e-3f32; reader.group_count];
        let mut own = vec![0f32; reader.len];
        let mut own_seen = vec![1e-3f32; reader.len];
        let mut turns = vec![0f32; reader.players];
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        for _ in 0..EPOCHS {
            for i in (1..order.len()).rev() {
                order.swap(i, random.below(i as u64 + 1) as usize);
            }
            for i in &order {
                let sample = &samples[*i as usize];
                let mut sum = turns[sample.turn];
                for (feature, amount) in &sample.features {
                    let feature = *feature as usize;
                    sum += (own[feature] + common[reader.groups[feature] as usize]) * amount;
                }
                let error = sample.results[output] - 1.0 / (1.0 + (-sum).exp());
                turns[sample.turn] += 0.002 * error;
                for (feature, amount) in &sample.features {
                    let feature = *feature as usize;
                    let group = reader.groups[feature] as usize;
                    let slope = error * amount;
                    common_seen[group] += slope * slope;
                    common[group] += COMMON_RATE * slope / common_seen[group].sqrt();
                    let slope = slope - OWN_DECAY * own[feature];
                    own_seen[feature] += slope * slope;
                    own[feature] += OWN_RATE * slope / own_seen[feature].sqrt();
                }
            }
        }
        let weights = &mut evaluation.weights[output];
        for (feature, weight) in weights.iter_mut().enumerate() {
            *weight = own[feature] + common[reader.groups[feature] as usize];
        }
        evaluation.turns[output] = turns;
    }
    evaluation
}
