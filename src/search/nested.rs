//! Nested search for games of one player (nested rollout policy adaptation: Rosin 2011).
//!
//! Games are played out by a policy: each move has a weight, and is drawn with a probability that grows with it. An inner
//! series of games raises the weights of the best game that it has found; an outer one raises those of the best game
//! found so far after each inner series, and starts over after a fixed number of them. The best game of all is kept from
//! move to move, so the final score is never below one that was found.

use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::engine::{Candidate, Fault, FaultKind, Look, Random, Session, Walk};
use crate::syntax::Term;

use super::{Choice, Listener, Progress, Request, reason_given, worded};

/// How many games an inner series has.
const INNER: u32 = 60;
/// The number of inner series after which the outer one starts over.
const OUTER: u32 = 60;
/// How much a weight is raised.
const RATE: f32 = 0.5;
/// The number of plies after which a game is stopped.
const MAX_PLIES: usize = 2_000;
/// How many moves that might have been chosen a game keeps; from there on it teaches nothing.
const MOST_CHOICES: usize = 1 << 18;
/// The most weights of a policy.
const MOST_WEIGHTS: usize = 1 << 18;

/// By key of a move, the logarithm of how likely it is.
type Policy = FxHashMap<u64, f32>;

/// A game that was played out.
#[derive(Debug, Clone, Default)]
struct Played {
    score: f64,
    /// The keys of its moves.
    keys: Vec<u64>,
    /// Ply after ply, the keys of the moves to choose among; those that turned out not to be legal are left out.
    choices: Vec<u64>,
    /// By ply, where its choices end, and which one was made.
    plies: Vec<(u32, u32)>,
}

impl Played {
    /// What is left of the game behind its first move.
    fn rest(&self) -> Played {
        let from = self.plies.first().map_or(0, |(end, _)| *end);
        Played {
            score: self.score,
            keys: self.keys[1.min(self.keys.len())..].to_vec(),
            choices: self.choices[from as usize..].to_vec(),
            plies: self.plies.iter().skip(1).map(|(end, at)| (end - from, at - from)).collect(),
        }
    }
}

/// What is kept between moves: the best game that is known from a position on.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// The hash of the position.
    hash: u64,
    best: Played,
}

/// Why a game was not played out.
enum Broken {
    Fault(Fault),
    /// A chance event is due: what was played cannot be played again.
    Chance,
    /// The search is to end.
    Stop,
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Broken {
        match fault.kind {
            FaultKind::Interrupted => Broken::Stop,
            _ => Broken::Fault(fault),
        }
    }
}

/// Plays games out from one position.
struct Player<'a> {
    walk: Box<dyn Walk + 'a>,
    random: Random,
    /// The keys of the first moves to choose among.
    first: Vec<u64>,
    stop: &'a dyn Fn() -> bool,
    list: Vec<Candidate>,
    weights: Vec<f32>,
}

impl Player<'_> {
    /// Plays a game out by a policy.
    fn play(&mut self, policy: &Policy) -> Result<Played, Broken> {
        let played = self.played(policy);
        self.walk.rewind();
        played
    }

    fn played(&mut self, policy: &Policy) -> Result<Played, Broken> {
        let mut played = Played::default();
        let mut winners = 0;
        for ply in 0..MAX_PLIES {
            if (self.stop)() {
                return Err(Broken::Stop);
            }
            match self.walk.look()? {
                Look::Over(all) => {
                    winners = all;
                    break;
                }
                Look::Chance => return Err(Broken::Chance),
                Look::Moves => {}
            }
            let mut list = std::mem::take(&mut self.list);
            list.clear();
            self.walk.candidates(&mut list);
            if ply == 0 {
                list.retain(|candidate| self.first.contains(&candidate.key));
            }
            let made = self.draw(policy, &mut list, &mut played);
            self.list = list;
            if !made? {
                break;
            }
        }
        played.score = score(&mut *self.walk, winners)?;
        Ok(played)
    }

    /// Draws a move and makes it; false where none is legal.
    fn draw(
        &mut self,
        policy: &Policy,
        list: &mut Vec<Candidate>,
        played: &mut Played,
    ) -> Result<bool, Broken> {
        let from = played.choices.len();
        let teaches = from + list.len() <= MOST_CHOICES && played.plies.len() == played.keys.len();
        self.weights.clear();
        self.weights.extend(list.iter().map(|c| policy.get(&c.key).copied().unwrap_or(0.0)));
        let most = self.weights.iter().copied().fold(f32::MIN, f32::max);
        self.weights.iter_mut().for_each(|weight| *weight = (*weight - most).exp());
        while !list.is_empty() {
            let sum: f32 = self.weights.iter().sum();
            let mut left = self.random.below(1 << 24) as f32 / (1 << 24) as f32 * sum;
            let mut at = list.len() - 1;
            for (i, weight) in self.weights.iter().enumerate() {
                left -= weight;
                if left < 0.0 {
                    at = i;
                    break;
                }
            }
            if self.walk.make(list[at])? {
                if teaches {
                    played.choices.extend(list.iter().map(|candidate| candidate.key));
                    played.plies.push((played.choices.len() as u32, (from + at) as u32));
                }
                played.keys.push(list[at].key);
                return Ok(true);
            }
            list.swap_remove(at);
            self.weights.swap_remove(at);
        }
        Ok(false)
    }
}

/// The score of the only player where the rules tell one, or else the value of the position; 1 for a game that is won.
fn score(walk: &mut dyn Walk, winners: u8) -> Result<f64, Fault> {
    let first = |numbers: Vec<Option<i64>>| numbers.into_iter().next().flatten();
    if let Some(score) = first(walk.scores()?) {
        return Ok(score as f64);
    }
    let value = first(walk.values()?);
    Ok(value.unwrap_or(i64::from(winners & 1)) as f64)
}

/// Raises the weights of the moves of a game, and lowers those of the moves beside them.
fn adapt(policy: &mut Policy, game: &Played) {
    if policy.len() > MOST_WEIGHTS {
        policy.clear();
    }
    let mut from = 0;
    let mut changes: Vec<(u64, f32)> = Vec::new();
    for (end, chosen) in &game.plies {
        let choices = &game.choices[from..*end as usize];
        let weights = choices.iter().map(|key| policy.get(key).copied().unwrap_or(0.0));
        let most = weights.clone().fold(f32::MIN, f32::max);
        let sum: f32 = weights.clone().map(|weight| (weight - most).exp()).sum();
        for (key, weight) in choices.iter().zip(weights) {
            changes.push((*key, -RATE * (weight - most).exp() / sum));
        }
        changes.push((game.choices[*chosen as usize], RATE));
        from = *end as usize;
    }
    for (key, change) in changes {
        *policy.entry(key).or_insert(0.0) += change;
    }
}

/// The best game of each first move, by its key.
type Best = FxHashMap<u64, Played>;

/// The best moves, the best first; `None` where a chance event lies ahead, so that no game can be played again.
///
/// # Errors
/// A rule error.
pub(super) fn analyse(
    session: &mut Session<'_>,
    kept: &mut Option<Course>,
    question: &Request<'_>,
    wanted: usize,
    listener: &mut Listener<'_>,
) -> Result<Option<Vec<Choice>>, Fault> {
    let started = question.limits.started();
    let first = super::first_terms(session, question)?;
    if first.is_empty() {
        return Ok(Some(Vec::new()));
    }
    session.set_until(question.limits.until(started));
    let told = &mut |walk: &mut dyn Walk, best: &Best, work| {
        listener.tell(|| {
            let mut choices = Vec::new();
            for best in in_order(best, &first, None).into_iter().take(wanted) {
                let line = super::terms(walk, &best.keys);
                walk.rewind();
                choices.extend(choice(best, line.ok()?, work, &first, question));
            }
            Some(Progress { choices, work, unit: "games" })
        });
    };
    let grown = grow(session, kept, question, started, &first, told);
    session.set_until(None);
    let Some((found, games)) = grown? else { return Ok(None) };
    let mut choices = Vec::new();
    for best in found.iter().take(wanted) {
        let line = super::line_of(session, question.state, &best.keys, &first)?;
        choices.extend(choice(best, line, games, &first, question));
    }
    if choices.is_empty() {
        let text = "there was no time to think".to_string();
        choices.extend(
            first.into_iter().take(1).map(|(_, term)| Choice::plain(term, text.clone(), 0)),
        );
    }
    *kept = None;
    if let Some(best) = found.into_iter().next() {
        let mut walk = session.walk(question.state);
        if let Some(hash) = follow(&mut *walk, &best.keys)? {
            *kept = Some(Course { hash, best: best.rest() });
        }
    }
    Ok(Some(choices))
}

/// The first move of a game with these moves as a choice.
fn choice(
    game: &Played,
    line: Vec<Term>,
    games: u64,
    first: &[(u64, Term)],
    question: &Request<'_>,
) -> Option<Choice> {
    let term = line.first().cloned()?;
    let result = match first.len() {
        1 if question.among.is_empty() => "the only move".to_string(),
        _ => format!("score {:.0}, best of {games} games", game.score),
    };
    let reason = worded(reason_given(question.advice, &term), Some(result));
    Some(Choice { term, reason, playouts: games, line, expected: None, score: Some(game.score) })
}

/// The hash of the position behind the first of these moves.
fn follow(walk: &mut dyn Walk, keys: &[u64]) -> Result<Option<u64>, Fault> {
    if walk.look()? != Look::Moves {
        return Ok(None);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let Some(next) = list.iter().find(|c| Some(&c.key) == keys.first()) else { return Ok(None) };
    Ok(walk.make(*next)?.then(|| walk.hash()))
}

/// The best game by first move, the best one first, and how many games were played; `None` where a chance event is due in
/// one of them.
fn grow(
    session: &mut Session<'_>,
    kept: &mut Option<Course>,
    question: &Request<'_>,
    started: Option<Instant>,
    first: &[(u64, Term)],
    told: &mut dyn FnMut(&mut dyn Walk, &Best, u64),
) -> Result<Option<(Vec<Played>, u64)>, Fault> {
    let limits = question.limits;
    let stop = || limits.is_late(started) || (question.interrupted)();
    let mut player = Player {
        walk: session.walk(question.state),
        random: Random::seeded(question.seed),
        first: first.iter().map(|(key, _)| *key).collect(),
        stop: &stop,
        list: Vec::new(),
        weights: Vec::new(),
    };
    let mut best = Best::default();
    let hash = player.walk.hash();
    let known = kept.take().filter(|course| course.hash == hash).map(|course| course.best);
    if let Some(known) = known.filter(|known| !known.keys.is_empty()) {
        best.insert(known.keys[0], known);
    }
    let mut top = best.values().next().cloned();
    let most = match (limits.playouts, limits.time) {
        (Some(most), _) => most,
        (None, Some(_)) => u64::MAX,
        (None, None) => 1,
    };
    let alone = first.len() == 1 && question.among.is_empty();
    let (mut games, mut series) = (0, 0);
    let mut outer = Policy::default();
    let mut ended = alone && top.is_some();
    while !ended {
        let mut inner = outer.clone();
        let mut own: Option<Played> = None;
        for _ in 0..INNER {
            if games >= most || alone && games > 0 {
                ended = true;
                break;
            }
            let played = match player.play(&inner) {
                Ok(played) => played,
                Err(Broken::Chance) => return Ok(None),
                Err(Broken::Fault(fault)) => return Err(fault),
                Err(Broken::Stop) => {
                    ended = true;
                    break;
                }
            };
            games += 1;
            let Some(key) = played.keys.first() else { break };
            if best.get(key).is_none_or(|best| played.score > best.score) {
                best.insert(*key, played.clone());
            }
            if own.as_ref().is_none_or(|own| played.score >= own.score) {
                own = Some(played);
            }
            if let Some(own) = &own {
                adapt(&mut inner, own);
            }
            told(&mut *player.walk, &best, games);
        }
        let Some(own) = own else { break };
        if top.as_ref().is_none_or(|top| own.score > top.score) {
            top = Some(own);
        }
        series += 1;
        if series % OUTER == 0 {
            outer.clear();
        } else if let Some(top) = &top {
            adapt(&mut outer, top);
        }
    }
    // of equal ones the one that was kept: it comes with the game in which it was found
    let kept = top.and_then(|top| top.keys.first().copied());
    Ok(Some((in_order(&best, first, kept).into_iter().cloned().collect(), games)))
}

/// The best games of the first moves, the best one first, of equal ones that with the first move `kept`.
fn in_order<'b>(best: &'b Best, first: &[(u64, Term)], kept: Option<u64>) -> Vec<&'b Played> {
    let mut found: Vec<&Played> = first.iter().filter_map(|(key, _)| best.get(key)).collect();
    found.sort_by(|a, b| {
        let own = |game: &Played| game.keys.first().copied() == kept;
        b.score.total_cmp(&a.score).then(own(b).cmp(&own(a)))
    });
    found
}
