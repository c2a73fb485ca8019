//! What a computer player knows of a game, and keeps between moves.

use std::time::{Duration, Instant};

use crate::engine::{Fault, FaultKind, Game, Session};

use super::evaluation::Evaluation;
use super::features::{Extra, Reader};
use super::montecarlo::sensible;
use super::table::Table;
use super::tune::{self, Effort, Stops};
use super::{Limits, POSITIONS, Player, Request, amaf, nested};

/// What is spent on the evaluation of a game for which none is known.
const EFFORT: Effort = Effort { rounds: 4, nodes: 60_000, deep: 0, seed: 1, network: false };
/// How much longer than a move the fit may take where it is made before a game.
const PATIENCE: Duration = Duration::from_secs(2);
/// The share of the time of a move that the fit may take where that is asked for at once, and of this the share of the games
/// that it is made of.
const SHARE: f64 = 0.5;
const GAMES: f64 = 0.7;
/// A fit that had this time is kept, if it was not finished.
const KEPT: Duration = Duration::from_millis(500);
/// With a limit of positions in place of a time the fit searches this number of positions in each round beside that limit.
const LEAST_NODES: u64 = 4_000;

/// What a player knows of a game, and keeps between moves.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    pub(super) evaluation: Option<Option<Evaluation>>,
    pub(super) table: Option<Table>,
    /// The best game that nested search knows.
    pub(super) course: Option<nested::Course>,
    /// Who plays the game best; [`Player::Auto`] where it is not known.
    pub(super) player: Player,
    /// The same as far as the rules tell it.
    pub(super) guess: Option<Player>,
}

impl Memory {
    /// A memory with this evaluation, and who plays the game best with it.
    pub fn with(evaluation: Evaluation, player: Player) -> Memory {
        Memory { evaluation: Some(Some(evaluation)), player, ..Memory::default() }
    }

    /// A memory without an evaluation, and who plays the game best.
    pub fn of(player: Player) -> Memory {
        Memory { player, ..Memory::default() }
    }

    /// The evaluation, where one is known.
    pub fn evaluation(&self) -> Option<&Evaluation> {
        self.evaluation.as_ref().and_then(Option::as_ref)
    }

    /// Whether it is known how positions of the game are valued, or that they cannot be.
    pub fn is_ready(&self) -> bool {
        self.evaluation.is_some()
    }

    /// Forgets what was learned of positions, not of the game.
    pub fn forget(&mut self) {
        self.table = None;
        self.course = None;
    }

    /// Finds out what a player has to know of a game before the first move, within the time of a move
    /// and some patience.
    ///
    /// # Errors
    /// A rule error.
    pub fn prepare(
        &mut self,
        session: &mut Session<'_>,
        player: Player,
        limits: Limits,
    ) -> Result<(), Fault> {
        let player = self.actual(player, session)?;
        if needs_evaluation(player, session.game())
            && let Some((evaluation, _)) = known(session, self, Wait::before(limits))?
        {
            self.evaluation = Some(Some(evaluation));
        }
        Ok(())
    }

    /// The player that [`Player::Auto`] stands for.
    pub(super) fn actual(
        &mut self,
        player: Player,
        session: &mut Session<'_>,
    ) -> Result<Player, Fault> {
        let alone = session.game().program.players.len() < 2;
        match player {
            Player::BestFirst | Player::MaxN if alone => return Ok(Player::Nested),
            Player::Nested if !alone => return Ok(Player::MonteCarlo),
            Player::Auto | Player::Level(_) if alone => return Ok(Player::Nested),
            Player::Auto | Player::Level(_) => {}
            player => return Ok(player),
        }
        if self.player != Player::Auto {
            return Ok(self.player);
        }
        let guess = match self.guess {
            Some(guess) => guess,
            None => guess(session)?,
        };
        self.guess = Some(guess);
        Ok(guess)
    }
}

/// Who plays a game best of which nothing is known but its rules.
fn guess(session: &mut Session<'_>) -> Result<Player, Fault> {
    let game = session.game();
    // a mean over all chance events leaves few plies to look ahead
    if !game.plan.chance.is_empty() {
        return Ok(Player::MonteCarlo);
    }
    // where pieces are placed and nothing says what they are worth, an evaluation sees little, and random games
    // tell what it is to have a piece somewhere
    let blind = game.program.players.len() == 2
        && game.plan.value.is_none()
        && !Reader::new(game, Extra::default()).is_some_and(|reader| reader.has_rows());
    // random games tell most where the rules say what they leave out
    match amaf::begins_with_placements(session)? && (blind || sensible(game).is_some()) {
        true => Ok(Player::MonteCarlo),
        false => Ok(Player::AlphaBeta),
    }
}

/// Whether a player values positions by an evaluation.
pub(super) fn needs_evaluation(player: Player, game: &Game) -> bool {
    match player {
        Player::AlphaBeta | Player::BestFirst | Player::MaxN => true,
        Player::Greedy | Player::Frugal => {
            game.program.players.len() > 1 && game.plan.value.is_none()
        }
        _ => false,
    }
}

/// How long a fit may take.
pub struct Wait<'a> {
    /// When it begins, and how long it may take; `None` without a limit.
    time: Option<(Instant, Duration)>,
    /// The positions that it searches in a round.
    nodes: u64,
    interrupted: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    /// The wait of a move that is asked for.
    pub(super) fn of(question: &Request<'a>, started: Option<Instant>) -> Wait<'a> {
        let limits = question.limits;
        let time = started.zip(limits.time.map(|time| time.mul_f64(SHARE)));
        let searched = limits.playouts.filter(|_| limits.time.is_none());
        let most = searched.map_or(u64::MAX, |n| n.saturating_mul(POSITIONS));
        let nodes = EFFORT.nodes.min(most.saturating_add(LEAST_NODES));
        Wait { time, nodes, interrupted: question.interrupted }
    }

    /// No limit but an interruption.
    pub fn unlimited(interrupted: &'a dyn Fn() -> bool) -> Wait<'a> {
        Wait { time: None, nodes: EFFORT.nodes, interrupted }
    }

    /// The wait before a game.
    fn before(limits: Limits) -> Wait<'static> {
        let time = limits.time.map(|time| (Instant::now(), time.saturating_add(PATIENCE)));
        Wait { time, nodes: EFFORT.nodes, interrupted: &|| false }
    }

    /// When a share of the time is over.
    fn until(&self, share: f64) -> Option<Instant> {
        self.time.and_then(|(started, time)| started.checked_add(time.mul_f64(share)))
    }
}

/// The evaluation of the game, fitted now where none is known, and whether there was little time for that, so that it is not
/// to be kept; `None` where its states are too large, its moves take too long, or the fit is interrupted.
///
/// # Errors
/// A rule error.
pub fn known(
    session: &mut Session<'_>,
    memory: &mut Memory,
    wait: Wait<'_>,
) -> Result<Option<(Evaluation, bool)>, Fault> {
    match memory.evaluation.take() {
        Some(Some(known)) => return Ok(Some((known, false))),
        Some(None) => {
            memory.evaluation = Some(None);
            return Ok(None);
        }
        None => {}
    }
    let game = session.game();
    // who has written down what a position is worth wants it to count
    let extra = Extra { values: true, ..Extra::default() };
    let Some(reader) = Reader::new(game, extra) else {
        memory.evaluation = Some(None);
        return Ok(None);
    };
    let (games, all) = (wait.until(GAMES), wait.until(1.0));
    let late = |until: Option<Instant>| until.is_some_and(|until| Instant::now() >= until);
    session.set_until(games);
    let stops = Stops {
        games: &|| late(games) || (wait.interrupted)(),
        fit: &|| late(all) || (wait.interrupted)(),
    };
    let effort = Effort { nodes: wait.nodes, ..EFFORT };
    let fitted = tune::fit(session, Evaluation::blank(reader), effort, &[], stops, &mut |_, _| {});
    session.set_until(None);
    // who did not wait long may wait the next time
    let short = wait.time.is_some_and(|(_, time)| time < KEPT) || (wait.interrupted)();
    match fitted {
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            // a game whose moves take long is not worth the wait
            memory.evaluation = if short { None } else { Some(None) };
            Ok(None)
        }
        fitted => Ok(Some((fitted?, short && (stops.games)()))),
    }
}
