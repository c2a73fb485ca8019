//! Computer players for any game: [`alphabeta`] searches by an [`evaluation`] that [`tune`] fits to games
//! against itself, `montecarlo` by random playouts, and `nested` by games that are played again and again.

mod advisor;
pub mod alphabeta;
mod amaf;
pub mod contest;
mod difference;
pub mod evaluation;
mod exchange;
pub mod features;
mod lines;
mod memory;
mod montecarlo;
mod nested;
pub mod network;
pub mod orbits;
mod patterns;
mod ply;
mod question;
mod regression;
mod selfplay;
mod strength;
pub mod table;
mod threads;
mod training;
mod tree;
pub mod tune;
pub mod view;

pub use advisor::{Advisor, advice};
pub use lines::Progress;
pub use memory::{Memory, known};
pub use question::{Advice, Choice, Limits, Player, Request};
pub use strength::Strength;

use crate::engine::{Fault, FaultKind, Random, Session, State};

use alphabeta::{Line, Search, share};
use evaluation::Evaluation;
use lines::{choice, first_terms, line_of, reason_given, worded};
use memory::needs_evaluation;
use table::Table;
use threads::{Helper, MOST_THREADS};
use view::{View, scaled};

/// How many positions count as much as a playout.
pub const POSITIONS: u64 = 50;

/// The purpose of the draw whether a level of strength plays at random.
const SLIP: u64 = 0x51;

/// Chooses a move; `None` where no player is to move.
///
/// # Errors
/// A rule error.
pub fn choose(
    session: &mut Session<'_>,
    memory: &mut Memory,
    question: &Request<'_>,
) -> Result<Option<Choice>, Fault> {
    Ok(analyse(session, memory, question, 1, &mut |_| {})?.into_iter().next())
}

/// The best moves, the best first; none where no player is to move. `told` hears of the depth, the
/// value and the positions searched, as far as the player counts them.
///
/// # Errors
/// A rule error.
pub fn analyse(
    session: &mut Session<'_>,
    memory: &mut Memory,
    question: &Request<'_>,
    wanted: usize,
    told: &mut dyn FnMut(Progress),
) -> Result<Vec<Choice>, Fault> {
    let players = session.game().program.players.len();
    if let Player::Level(strength) = question.player {
        if Random::for_ply(question.seed, SLIP).below(100) < strength.slips() {
            return drawn(session, question);
        }
        let limits = strength.limits(question.limits);
        let question = Request { player: Player::Auto, limits, ..*question };
        return analyse(session, memory, &question, wanted, told);
    }
    let player = memory.actual(question.player, session)?;
    let evaluation = match needs_evaluation(player, session.game()) {
        true => known(session, memory, question.limits, question.interrupted)?,
        false => None,
    };
    let evaluation = match (player, evaluation) {
        (Player::Random, _) => return drawn(session, question),
        (Player::Advice, _) => return ply::advised(session, question),
        (Player::Greedy | Player::Frugal, evaluation) => {
            let least = player == Player::Frugal;
            let found = ply::analyse(session, evaluation.as_ref(), question, wanted, least);
            if evaluation.is_some() {
                memory.evaluation = Some(evaluation);
            }
            return found;
        }
        (Player::AlphaBeta | Player::BestFirst | Player::MaxN, Some(evaluation)) => evaluation,
        (Player::Nested, _) => {
            match nested::analyse(session, &mut memory.course, question, wanted)? {
                Some(choices) => return Ok(choices),
                // where chance events lie ahead, a game cannot be played again
                None => return montecarlo::analyse(session, question, wanted),
            }
        }
        _ => {
            return montecarlo::analyse(session, question, wanted);
        }
    };
    // what is learned about the game itself comes before the clock runs
    let started = question.limits.started();
    let mut table = memory.table.take().unwrap_or_default();
    table.begin();
    let helpers = match player {
        Player::AlphaBeta => question.threads.clamp(1, MOST_THREADS) - 1,
        _ => 0,
    };
    if helpers > 0 {
        table.share();
    }
    let limits = question.limits;
    let stop = |nodes: u64| {
        limits.is_late(started)
            || limits.playouts.is_some_and(|n| nodes >= n.saturating_mul(POSITIONS))
            || (question.interrupted)()
    };
    let first = first_terms(session, question)?;
    session.set_until(limits.until(started));
    let drawn = value_of_draws(session, &evaluation, question.state)?;
    let found = {
        let game = session.game();
        let shared = if helpers > 0 { table.clone() } else { Table::default() };
        let mut walk = session.walk(question.state);
        let deepest = match (limits.time, limits.playouts) {
            (None, None) => 1,
            _ => alphabeta::MOST_DEPTH,
        };
        let mut search = Search::new(&mut *walk, game, &evaluation, &mut table, &stop);
        search.wide = wanted;
        search.drawn = drawn;
        if !question.among.is_empty() {
            search.only = Some(first.iter().map(|(key, _)| *key).collect());
        }
        let told = &mut |lines: &[Line], positions| {
            if let Some(best) = lines.first() {
                let term = first.iter().find(|(key, _)| *key == best.keys[0]);
                told(Progress {
                    best: term.map(|(_, term)| term.clone()),
                    depth: best.depth,
                    expected: share(best.value),
                    positions,
                });
            }
        };
        let lines = match player {
            Player::BestFirst => search.best_first(deepest, told),
            Player::MaxN => search.max_n(deepest, told),
            _ => {
                let only = search.only.clone();
                let helper = Helper { question, evaluation: &evaluation, drawn, only, deepest };
                let search = &mut search;
                helper.with(game, &shared, helpers, limits.until(started), || {
                    search.run(deepest, told)
                })
            }
        };
        (lines, search.nodes)
    };
    session.set_until(None);
    table.unshare();
    let (mut lines, nodes) = found;
    for line in lines.iter_mut().flatten().take(wanted) {
        match alphabeta::lengthen(&mut *session.walk(question.state), &table, line) {
            // the line is then as long as it was found
            Err(fault) if fault.kind == FaultKind::Interrupted => break,
            longer => longer?,
        }
    }
    memory.table = Some(table);
    memory.evaluation = Some(Some(evaluation));
    let lines = lines?;
    let mut choices = Vec::new();
    for line in lines.iter().take(wanted) {
        let moves = line_of(session, question.state, &line.keys, &first)?;
        // half the points are what a draw brings, whatever it was worth to the search
        let value = if line.value == drawn { 0 } else { line.value };
        let line = Line { value, ..line.clone() };
        choices.extend(choice(&line, moves, (lines.len(), players), nodes, question));
    }
    // there may have been no time for a single move
    let Some((_, term)) = first.into_iter().next() else { return Ok(choices) };
    if choices.is_empty() {
        choices.push(Choice::plain(term, "there was no time to think".to_string(), 0));
    }
    Ok(choices)
}

/// The value of an opening in which a side has little hope: 38 % of the points.
const LITTLE_HOPE: i32 = -50;

/// What a draw is worth to the player to move: no more than the opening, where that is worth little. The
/// evaluation comes of weak play, and a side that it thinks little of from the beginning would take the first draw.
fn value_of_draws(
    session: &mut Session<'_>,
    evaluation: &Evaluation,
    state: &State,
) -> Result<i32, Fault> {
    if session.game().program.players.len() != 2 {
        return Ok(0);
    }
    let opening = session.opening();
    let values = match evaluation.reader.has_values() {
        true => session.values(&opening)?,
        false => Vec::new(),
    };
    let turn = session.walk(&opening).turn();
    let player = session.walk(state).turn();
    let (words, values) = (opening.words(), scaled(&values));
    let view = View { words, turn, choices: [None, None], values };
    Ok(match (evaluation.of(view, player) * 100.0).max(-500.0) as i32 {
        value if value < LITTLE_HOPE => value,
        _ => 0,
    })
}

/// Any legal move.
fn drawn(session: &mut Session<'_>, question: &Request<'_>) -> Result<Vec<Choice>, Fault> {
    let mut moves = session.legal_moves(question.state)?;
    if moves.first().is_none_or(|first| first.chance) {
        return Ok(Vec::new());
    }
    moves.retain(|mv| question.allows(&mv.term));
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    let i = Random::seeded(question.seed).below(moves.len() as u64) as usize;
    Ok(vec![Choice::plain(moves.swap_remove(i).term, "drawn at random".to_string(), 0)])
}
