//! Longer questions: the computer's move, what each move is worth, how many games there are.

use std::time::Duration;

use crate::engine::Perft;
use crate::referee::{self, Referee};
use crate::search::{self, Listener, Strength};
use crate::syntax::print_term;

use super::position::{Move, Position, by_rules};
use super::{Error, Result};

/// The greatest depth of [`Position::perft`].
const DEEPEST: u32 = 100;

/// How long a search may take. The limit that is reached first ends it. By a number of playouts the answer is the same
/// each time; by time it need not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    time: Option<Duration>,
    playouts: Option<u64>,
    seed: u64,
    player: search::Player,
}

impl Search {
    /// Ends the search after this time.
    pub fn time(time: Duration) -> Search {
        Search { time: Some(time), playouts: None, seed: 0, player: search::Player::Auto }
    }

    /// Ends the search after this number of random games.
    pub fn playouts(playouts: u64) -> Search {
        Search { time: None, playouts: Some(playouts), seed: 0, player: search::Player::Auto }
    }

    /// Ends it after this time too.
    #[must_use]
    pub fn within(self, time: Duration) -> Search {
        Search { time: Some(time), ..self }
    }

    /// The seed of the random games; 0 where none is given.
    #[must_use]
    pub fn seed(self, seed: u64) -> Search {
        Search { seed, ..self }
    }

    /// Plays at a level of strength, from 1 to 10 (the nearest of these), within the limits: a weaker one searches less, and
    /// now and then makes any move.
    #[must_use]
    pub fn strength(self, level: u8) -> Search {
        let level = level.clamp(*Strength::RANGE.start(), *Strength::RANGE.end());
        let player = Strength::new(level).map_or(search::Player::Auto, search::Player::Level);
        Search { player, ..self }
    }

    /// Plays as one of [`Search::players`]; `None` where no player has the name. Without this, or [`Search::strength`], the
    /// player that suits the game plays, `auto`.
    #[must_use]
    pub fn player(self, name: &str) -> Option<Search> {
        Some(Search { player: search::Player::named(name)?, ..self })
    }

    /// The names of the computer players.
    pub fn players() -> impl Iterator<Item = &'static str> {
        search::Player::NAMES.iter().map(|(name, _)| *name)
    }

    fn limits(self, most: Option<Duration>) -> search::Limits {
        let time = match (self.time, most) {
            (Some(time), Some(most)) => Some(time.min(most)),
            (time, most) => time.or(most),
        };
        search::Limits { time, playouts: self.playouts }
    }
}

/// The move that a search has chosen.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Best {
    /// The move.
    pub mv: Move,
    /// Why it was chosen, in words.
    pub reason: String,
    /// How many random games or positions the choice rests on; 0 where it needed none.
    pub playouts: u64,
}

/// What a search found of a move.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Rated {
    /// The move.
    pub mv: Move,
    /// How many positions or random games the search has seen.
    pub work: u64,
    /// The expected result for the player to move: from 0 (lost) to 1 (won), a draw being a half. `None` in a game for
    /// one, and where nothing is known of the move.
    pub mean: Option<f64>,
    /// The moves that are expected, this one first, as terms.
    pub line: Vec<String>,
}

impl Position {
    /// The computer's choice of a move; `None` where no player is to move. A limit of time on the position bounds the
    /// search, which then answers with the best move found so far.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// use ludex::Search;
    /// let mut at = ludex::Game::shipped("tic_tac_toe").load()?.start();
    /// at.play_line("a1 b1 a2 b2")?;
    /// let best = at.best(Search::playouts(200).seed(1))?.expect("the game goes on");
    /// assert_eq!(best.mv.notation(), "a3");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn best(&self, search: Search) -> Result<Option<Best>> {
        let limits = search.limits(self.game().limits().left());
        self.game().thinking(limits, |referee| self.best_by(referee, search))
    }

    fn best_by(&self, referee: &mut Referee<'_>, search: Search) -> Result<Option<Best>> {
        let until = self.game().limits().until();
        let (_, choices, named) = self.choices(referee)?;
        let most = until.map(|until| until.saturating_duration_since(std::time::Instant::now()));
        let limits = search.limits(most);
        let thought = referee::Thought { player: search.player, limits, seed: search.seed };
        let found = referee.analyse(self.raw(), &choices, thought, 1, &mut Listener::default());
        let chosen = found.map_err(by_rules)?.into_iter().next();
        Ok(chosen.and_then(|chosen| {
            let mv = Position::move_of(&named, &chosen.term)?;
            Some(Best { mv, reason: chosen.reason, playouts: chosen.playouts })
        }))
    }

    /// What each legal move is worth by the computer's judgement, the best first; empty where no player is to move.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn analyse(&self, search: Search) -> Result<Vec<Rated>> {
        let limits = search.limits(self.game().limits().left());
        self.game().thinking(limits, |referee| self.analyse_by(referee, search))
    }

    fn analyse_by(&self, referee: &mut Referee<'_>, search: Search) -> Result<Vec<Rated>> {
        let until = self.game().limits().until();
        let (_, choices, named) = self.choices(referee)?;
        if choices.chance || choices.all.is_empty() {
            return Ok(Vec::new());
        }
        let most = until.map(|until| until.saturating_duration_since(std::time::Instant::now()));
        let thought = referee::Thought {
            player: search.player,
            limits: search.limits(most),
            seed: search.seed,
        };
        let all = choices.all.len();
        let rated = referee.analyse(self.raw(), &choices, thought, all, &mut Listener::default());
        let rated = rated.map_err(by_rules)?.into_iter().filter_map(|rated| {
            let mv = Position::move_of(&named, &rated.term)?;
            let line = rated.line.iter().map(print_term).collect();
            Some(Rated { mv, work: rated.playouts, mean: rated.expected, line })
        });
        Ok(rated.collect())
    }

    /// The number of sequences of exactly `depth` moves and chance events, at most 100; finished games are not
    /// extended.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let at = ludex::Game::shipped("chess").load()?.start();
    /// assert_eq!(at.perft(3)?, 8902);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Question`] for a greater depth; [`Error::Rules`], and [`Error::Limit`] when the time is over.
    pub fn perft(&self, depth: u32) -> Result<u64> {
        if depth > DEEPEST {
            return Err(Error::question(format!("a depth is a number from 0 to {DEEPEST}")));
        }
        let until = self.game().limits().until();
        let mut referee = self.game().referee_until(until);
        let referee::Position::Compiled(state) = self.raw() else { return Ok(0) };
        let over = || until.is_some_and(|until| std::time::Instant::now() >= until);
        let mut work = Perft::new(&over);
        let counted = referee.session.perft(state, depth, &mut work);
        if work.stopped {
            return Err(Error::Limit("the time is over".to_string()));
        }
        counted.map_err(|fault| by_rules(referee.fault(&fault)))
    }
}
