//! Fits an evaluation by games of a search against itself.
//!
//! The first round values random positions by random playouts; each later one chooses moves by the evaluation
//! of the round before. There a position is labelled by the result of its game and by what the search thought of
//! the positions behind it (temporal differences: Sutton 1988; with a search: Baxter, Tridgell, Weaver 2000),
//! and it is read where captures have come to an end, so what a piece is worth is not mixed with who
//! is about to take it.

use crate::engine::{
    Candidate, Fault, FaultKind, Look, PlayoutOptions, Playouts, Random, Session, State, Walk,
};

use super::evaluation::Evaluation;
use super::features::Reader;
use super::orbits::{Renaming, turned};
use super::regression::{Fit, HELD_OUT, Prior, Sample};
use super::selfplay::{MAX_PLIES, Play};
use super::training::trained;
use super::view::{LEAD, View};

/// How much an evaluation is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The rounds of random playouts, then of games in which moves are chosen by a search of one ply.
    pub rounds: u32,
    /// The positions that are searched in a round.
    pub nodes: u64,
    /// Further rounds, in which moves are chosen by a search of two plies.
    pub deep: u32,
    /// The seed of the games.
    pub seed: u64,
    /// Whether a network is trained as well.
    pub network: bool,
}

/// What ends a fit: where one of these returns true.
#[derive(Clone, Copy)]
pub struct Stops<'a> {
    /// The games that it is made of.
    pub games: &'a dyn Fn() -> bool,
    /// The calculation.
    pub fit: &'a dyn Fn() -> bool,
}

impl<'a> Stops<'a> {
    /// The same for both.
    pub fn both(stopped: &'a dyn Fn() -> bool) -> Stops<'a> {
        Stops { games: stopped, fit: stopped }
    }
}

/// The most plies at the beginning that are drawn at random.
const MOST_OPENING: u64 = 24;
/// The most positions that an evaluation is fitted to.
const MOST_SAMPLES: usize = 150_000;
/// The factor by which more of them are kept to train a network.
const FOR_NETWORK: usize = 5;
/// The fewest positions that an evaluation is fitted to where there is no time for more.
const FEW_SAMPLES: usize = 200;
/// The random playouts that label a position in the first round.
const PLAYOUTS: u64 = 8;
/// After this many random games it is known whether they tell anything: where fewer than one in
/// [`DECISIVE`] is won and the rules define values, no more are played.
const ENOUGH_GAMES: u64 = 6 * PLAYOUTS;
const DECISIVE: u64 = 2;
/// The most random moves between two positions of one game that are labelled by their values.
const SPACING: u64 = 8;
/// A random game that is not over after this many plies is given up.
const MAX_PLAYOUT: u64 = 1_000;
/// As how many plies of random playouts a searched position counts.
const PLAYOUT_PLIES: u64 = 3;

/// Fits an evaluation, beginning with `known`, or with random playouts where it is blank. One weight is learned for all
/// features that are alike by the given symmetries. `told` hears of each
/// round with the number of its games. What was fitted when it is stopped is the result, if a round has come to its end.
///
/// # Errors
/// A rule error, or the end of the games in the first round with few positions seen.
pub fn fit(
    session: &mut Session<'_>,
    known: Evaluation,
    effort: Effort,
    symmetries: &[Box<Renaming>],
    Stops { games: stopped, fit }: Stops<'_>,
    told: &mut dyn FnMut(u32, u64),
) -> Result<Evaluation, Fault> {
    let mut random = Random::seeded(effort.seed);
    let opening = session.opening();
    let most_drawn = drawn_plies(session, &opening, effort.seed)?;
    let mut evaluation = known;
    let turned = turned(&evaluation.reader, &session.game().plan, symmetries);
    let mut regression = Fit::new(Prior::new(&evaluation.reader, &turned));
    let most = MOST_SAMPLES * if effort.network { FOR_NETWORK } else { 1 };
    let mut samples: Vec<Sample> = Vec::new();
    let mut games = 0u32;
    let fresh = evaluation.is_blank();
    if fresh {
        let patience = effort.nodes.saturating_mul(PLAYOUT_PLIES);
        let reader = &evaluation.reader;
        let seen = rough(session, reader, patience, &mut random, (&mut samples, stopped));
        let late = seen.is_err() && samples.len() >= FEW_SAMPLES;
        match seen {
            Err(fault) if fault.kind == FaultKind::Interrupted && late => {}
            seen => seen?,
        }
        told(0, samples.len() as u64);
        let reader = evaluation.reader.clone();
        evaluation = regression.evaluation(reader, &every(&samples, 1), fit);
        if late {
            return Ok(evaluation);
        }
    }
    // until it is known how often dice are thrown, they are where there are any
    let (mut throws, mut plies) = (u64::from(!session.game().plan.chance.is_empty()), 0);
    for round in u32::from(fresh)..effort.rounds + effort.deep {
        // what weaker players have shown counts less
        thin(&mut samples, most / 4, &mut random);
        let depth = if round < effort.rounds { 1 } else { 2 };
        let thrown = throws * 4 > plies;
        let (mut nodes, before) = (0, games);
        while nodes < effort.nodes {
            let mut play = Play {
                evaluation: &evaluation,
                depth,
                opening: random.below(most_drawn + 1),
                noise: random.number() | 1,
                stopped,
                most: effort.nodes,
                number: games + most as u32,
                thrown,
                throws: 0,
                plies: 0,
            };
            let played = play.game(session, &opening, &mut random, &mut samples);
            (throws, plies) = (throws + play.throws, plies + play.plies);
            match played {
                Ok(searched) => nodes += searched,
                Err(fault) if fault.kind == FaultKind::Interrupted => return Ok(evaluation),
                Err(fault) => return Err(fault),
            }
            games += 1;
        }
        told(round, u64::from(games - before));
        thin(&mut samples, most, &mut random);
        let some = every(&samples, samples.len().div_ceil(MOST_SAMPLES));
        let network = evaluation.network.take();
        let reader = evaluation.reader.clone();
        evaluation = regression.evaluation(reader, &some, fit).with(network);
        if effort.network {
            evaluation = trained(evaluation, &samples, &turned, &mut random, fit);
        }
    }
    Ok(evaluation)
}

/// How many plies of a game may be drawn at random, so that games differ without being decided by it.
fn drawn_plies(session: &mut Session<'_>, opening: &State, seed: u64) -> Result<u64, Fault> {
    let counts = session.playouts(
        opening,
        &mut PlayoutOptions {
            seed,
            max_plies: MAX_PLIES as u64,
            go_on: &mut |counts| counts.games < 20,
            finished: None,
            seen: None,
        },
    )?;
    Ok((counts.plies / counts.games.max(1) / 4).min(MOST_OPENING))
}

/// Positions of random games, labelled by random playouts of this many plies in all.
fn rough(
    session: &mut Session<'_>,
    reader: &Reader,
    plies: u64,
    random: &mut Random,
    (samples, stopped): (&mut Vec<Sample>, &dyn Fn() -> bool),
) -> Result<(), Fault> {
    let outputs = if reader.players == 2 { 1 } else { reader.players };
    let (mut made, mut length) = (0, MAX_PLIES as u64);
    let opening = session.opening();
    let mut list: Vec<Candidate> = Vec::new();
    let valued = session.game().plan.value.is_some();
    let (mut played, mut decided) = (0, 0);
    let (mut state, mut walked) = (opening.clone(), 0);
    while made < plies && samples.len() < MOST_SAMPLES {
        go_on(stopped)?;
        let aimless = valued && played >= ENOUGH_GAMES && decided * DECISIVE < played;
        let features;
        // values are those of the position alone, so one game has many to show
        let (from, steps) = match aimless && walked < length {
            true => (&state, random.below(SPACING) + 1),
            false => {
                walked = 0;
                (&opening, random.below(length))
            }
        };
        walked += steps;
        state = {
            let mut walk = session.walk(from);
            for _ in 0..steps {
                let look = walk.look()?;
                list.clear();
                walk.candidates(&mut list);
                if matches!(look, Look::Over(_)) || !drawn(&mut *walk, look, &mut list, random)? {
                    break;
                }
                made += 1;
            }
            if walk.look()? != Look::Moves {
                made += 1;
                walked = length;
                continue;
            }
            features = reader.list(View::of(&mut *walk, reader)?);
            walk.state()
        };
        let counts = match aimless {
            true => Playouts::default(),
            false => session.playouts(
                &state,
                &mut PlayoutOptions {
                    seed: random.number(),
                    max_plies: MAX_PLAYOUT,
                    go_on: &mut |counts| counts.games < PLAYOUTS && !stopped(),
                    finished: None,
                    seen: None,
                },
            )?,
        };
        let (games, won) = (counts.games.max(1), counts.won.iter().skip(1).sum::<u64>());
        (played, decided) = (played + counts.games, decided + won);
        // games without a winner are judged by the values that the rules define, if any
        let leads = match valued && won < games {
            true => leads(&session.values(&state)?, reader.players),
            false => vec![0.0; reader.players],
        };
        made += counts.plies + 1;
        if !aimless {
            length = (length + 2 * counts.plies / games).div_ceil(2).max(4);
        }
        let gained = |player: usize| {
            let by_winners = counts.won.iter().enumerate().skip(1);
            let own = by_winners.filter(|(winners, _)| winners >> player & 1 == 1);
            let shares = own.map(|(winners, n)| *n as f32 / winners.count_ones() as f32);
            let open = games.saturating_sub(won) as f32;
            (shares.sum::<f32>() + open * (0.5 + leads[player])) / games as f32
        };
        samples.push(Sample {
            features,
            targets: (0..outputs).map(gained).collect(),
            game: samples.len() as u32,
        });
    }
    Ok(())
}

/// How far each player leads by these values, from -0.5 to 0.5.
pub(super) fn leads(values: &[Option<i64>], players: usize) -> Vec<f32> {
    let lead = |player: usize| {
        let others = values.iter().enumerate().filter(|(other, _)| *other != player);
        let best = others.filter_map(|(_, value)| *value).max();
        match (values.get(player), best) {
            (Some(Some(own)), Some(best)) => 0.5 * ((own - best) as f32 / LEAD).tanh(),
            _ => 0.0,
        }
    };
    (0..players).map(lead).collect()
}

/// An interruption where the fit is to stop.
pub(super) fn go_on(stopped: &dyn Fn() -> bool) -> Result<(), Fault> {
    match stopped() {
        true => Err(Fault { kind: FaultKind::Interrupted, clause: 0, chance: false }),
        false => Ok(()),
    }
}

/// Makes a move or chance event at random; false where there is none.
pub(super) fn drawn(
    walk: &mut dyn Walk,
    look: Look,
    list: &mut Vec<Candidate>,
    random: &mut Random,
) -> Result<bool, Fault> {
    if look == Look::Chance {
        let mut weights = Vec::with_capacity(list.len());
        for candidate in &*list {
            weights.push(walk.weight(*candidate)?);
        }
        return match random.weighted(&weights) {
            Some(i) => walk.make(list[i]),
            None => Ok(false),
        };
    }
    while !list.is_empty() {
        let i = random.below(list.len() as u64) as usize;
        if walk.make(list.swap_remove(i))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Keeps this many samples at most; those of one game stay together.
fn thin(samples: &mut Vec<Sample>, most: usize, random: &mut Random) {
    if samples.len() > most {
        let (share, all) = (most as u64, samples.len() as u64);
        samples.retain(|_| random.below(all) < share);
    }
}

/// The samples of one game in `share`.
fn every(samples: &[Sample], share: usize) -> Vec<&Sample> {
    let chosen = |sample: &&Sample| {
        // the games that are left out of fits are a share of those, too
        ((sample.game / HELD_OUT) as usize).is_multiple_of(share.max(1))
    };
    samples.iter().filter(chosen).collect()
}
