//! What a computer player is asked, and what it answers.

use std::time::{Duration, Instant};

use crate::engine::State;
use crate::syntax::Term;

use super::Strength;

/// How long the search for a move may take. The limit that is reached first ends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The time; unlimited where `None`.
    pub time: Option<Duration>,
    /// The number of playouts; unlimited where `None`.
    pub playouts: Option<u64>,
}

impl Limits {
    /// When the search begins; without a limit of time the clock is not read, so that it need not exist.
    pub(super) fn started(&self) -> Option<Instant> {
        self.time.map(|_| Instant::now())
    }

    pub(super) fn until(&self, started: Option<Instant>) -> Option<Instant> {
        started?.checked_add(self.time?)
    }

    /// These limits, multiplied by a factor.
    #[must_use]
    pub fn times(self, factor: u32) -> Limits {
        Limits {
            time: self.time.map(|time| time.saturating_mul(factor)),
            playouts: self.playouts.map(|n| n.saturating_mul(u64::from(factor))),
        }
    }

    /// Whether the time is over.
    pub(super) fn is_late(&self, started: Option<Instant>) -> bool {
        self.until(started).is_some_and(|until| Instant::now() >= until)
    }
}

/// The advice of the rule file on a move: an answer of `advice/3`.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The move.
    pub term: Term,
    /// The greater, the more the move is preferred.
    pub priority: i64,
    /// The reason in words.
    pub text: String,
}

/// A chosen move.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub term: Term,
    /// The reason in words.
    pub reason: String,
    /// How many playouts or positions the choice rests on.
    pub playouts: u64,
    /// The moves that are expected, this one first; empty where none were searched.
    pub line: Vec<Term>,
    /// The share of games that the player who moves is expected to win, from 0 to 1.
    pub expected: Option<f64>,
    /// The expected score, in a game for one player.
    pub score: Option<f64>,
}

impl Choice {
    /// A choice without a line.
    pub(super) fn plain(term: Term, reason: String, playouts: u64) -> Choice {
        Choice { term, reason, playouts, line: Vec::new(), expected: None, score: None }
    }
}

/// A kind of computer player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Player {
    /// The one of the others that suits the game.
    #[default]
    Auto,
    /// Principal variation search with an evaluation.
    AlphaBeta,
    /// Monte-Carlo tree search.
    MonteCarlo,
    /// Unbounded best-first minimax with the same evaluation; nested search in a game for one player.
    BestFirst,
    /// Search in which each player seeks the greatest share for himself; nested search in a game for one player.
    MaxN,
    /// Nested search in a game for one player; Monte-Carlo tree search in others.
    Nested,
    /// The move that is worth most one ply later: by the evaluation, or by the score in a game for one
    /// player.
    Greedy,
    /// The move that is worth least one ply later.
    Frugal,
    /// Any move of those that the rules advise most; any legal one where they advise none.
    Advice,
    /// Any legal move.
    Random,
    /// The one that suits the game, at a level of strength.
    Level(Strength),
}

impl Player {
    /// The names of all players but the levels of strength.
    pub const NAMES: [(&str, Player); 10] = [
        ("auto", Player::Auto),
        ("alphabeta", Player::AlphaBeta),
        ("montecarlo", Player::MonteCarlo),
        ("bestfirst", Player::BestFirst),
        ("maxn", Player::MaxN),
        ("nested", Player::Nested),
        ("greedy", Player::Greedy),
        ("frugal", Player::Frugal),
        ("advice", Player::Advice),
        ("random", Player::Random),
    ];

    /// The player of this name.
    pub fn named(name: &str) -> Option<Player> {
        Player::NAMES.iter().find(|(known, _)| *known == name).map(|(_, player)| *player)
    }

    /// Whether the player reads the advice of the rules, and nothing else.
    pub fn is_advised(self) -> bool {
        self == Player::Advice
    }
}

/// The input of the search.
pub struct Request<'a> {
    /// The position.
    pub state: &'a State,
    /// The moves to choose among; all legal ones where it is empty.
    pub among: &'a [Term],
    /// The advice on the moves of this position.
    pub advice: &'a [Advice],
    /// Who plays.
    pub player: Player,
    /// When the search ends.
    pub limits: Limits,
    /// How many threads search; more than one only for alpha-beta search and Monte-Carlo search. With one the answer to a
    /// number of positions is always the same.
    pub threads: usize,
    /// The seed of the playouts.
    pub seed: u64,
    /// Called now and then; where it returns true the search ends with the best move found so far.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Request<'_> {
    /// Whether the move is one to choose among.
    pub(super) fn allows(&self, term: &Term) -> bool {
        self.among.is_empty() || self.among.contains(term)
    }
}
