//! What a computer player knows of a game, and keeps between moves.

use std::time::{Duration, Instant};

use crate::engine::{Fault, FaultKind, Game, Session};

use super::evaluation::Evaluation;
use super::features::{Extra, Reader};
use super::montecarlo::sensible;
use super::table::Table;
use super::tune::{self, Effort};
use super::{Limits, Player, amaf, nested};

/// What is spent on the evaluation of a game for which none is known.
const EFFORT: Effort = Effort { rounds: 4, nodes: 60_000, deep: 0, seed: 1, network: false };
/// How much longer than a move the fit may take.
const PATIENCE: Duration = Duration::from_secs(2);

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
            && let Some(evaluation) = known(session, self, limits, &|| false)?
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

/// The evaluation of the game, fitted now where none is known; `None` where its states are too large, its moves take
/// too long, or `stopped` returns true.
///
/// # Errors
/// A rule error.
pub fn known(
    session: &mut Session<'_>,
    memory: &mut Memory,
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Evaluation>, Fault> {
    match memory.evaluation.take() {
        Some(Some(known)) => return Ok(Some(known)),
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
    // a game whose moves take long is not worth the wait
    session.set_until(limits.time.and_then(|time| Instant::now().checked_add(time + PATIENCE)));
    let fitted =
        tune::fit(session, Evaluation::blank(reader), EFFORT, &[], stopped, &mut |_, _| {});
    session.set_until(None);
    match fitted {
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            // who did not wait may wait the next time
            memory.evaluation = if stopped() { None } else { Some(None) };
            Ok(None)
        }
        fitted => fitted.map(Some),
    }
}
