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
mod listener;
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
pub use listener::{Listener, Progress};
pub use memory::{Memory, Wait, known};
pub use question::{Advice, Choice, Limits, Player, Request};
pub use strength::Strength;

use std::time::{Duration, Instant};

use crate::engine::{Fault, FaultKind, Random, Session, State, Walk};
use crate::syntax::Term;

use alphabeta::{Line, Search};
use evaluation::Evaluation;
use lines::{choice, first_terms, line_of, reason_given, terms, worded};
use memory::needs_evaluation;
use table::Table;
use threads::{Helper, MOST_THREADS};
use view::{View, scaled};

/// How many positions count as much as a playout.
pub const POSITIONS: u64 = 50;

/// The most time that it takes to tell what a search has found when its own time is over.
const TELLING: Duration = Duration::from_millis(20);

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
    Ok(analyse(session, memory, question, 1, &mut Listener::default())?.into_iter().next())
}

/// The best moves, the best first; none where no player is to move. The listener hears of those that a player which
/// searches has found so far.
///
/// # Errors
/// A rule error.
pub fn analyse(
    session: &mut Session<'_>,
    memory: &mut Memory,
    question: &Request<'_>,
    wanted: usize,
    listener: &mut Listener<'_>,
) -> Result<Vec<Choice>, Fault> {
    if let Player::Level(strength) = question.player {
        if Random::for_ply(question.seed, SLIP).below(100) < strength.slips() {
            return drawn(session, question);
        }
        let limits = strength.limits(question.limits);
        let question = Request { player: Player::Auto, limits, ..*question };
        return analyse(session, memory, &question, wanted, listener);
    }
    let player = memory.actual(question.player, session)?;
    let started = question.limits.started();
    let known = match needs_evaluation(player, session.game()) {
        true => known(session, memory, Wait::of(question, started))?,
        false => None,
    };
    let (evaluation, rough) = known.map_or((None, false), |(known, rough)| (Some(known), rough));
    let evaluation = match (player, evaluation) {
        (Player::Random, _) => return drawn(session, question),
        (Player::Advice, _) => return ply::advised(session, question),
        (Player::Greedy | Player::Frugal, evaluation) => {
            let least = player == Player::Frugal;
            let found = ply::analyse(session, evaluation.as_ref(), question, wanted, least);
            if evaluation.is_some() && !rough {
                memory.evaluation = Some(evaluation);
            }
            return found;
        }
        (Player::AlphaBeta | Player::BestFirst | Player::MaxN, Some(evaluation)) => evaluation,
        (Player::Nested, _) => {
            match nested::analyse(session, &mut memory.course, question, wanted, listener)? {
                Some(choices) => return Ok(choices),
                // where chance events lie ahead, a game cannot be played again
                None => {
                    return montecarlo::analyse(session, question, wanted, started, listener);
                }
            }
        }
        _ => {
            return montecarlo::analyse(session, question, wanted, started, listener);
        }
    };
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
    // who has interrupted the fit hears of a move still
    if (question.interrupted)() {
        settle(session, true);
    }
    let first = first_terms(session, question);
    let drawn = value_of_draws(session, &evaluation, question.state);
    unsettle(session);
    let (first, drawn) = (first?, drawn?);
    session.set_until(limits.until(started));
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
        let players = game.program.players.len();
        let told = &mut |walk: &mut dyn Walk, lines: &[Line], work| {
            listener.tell(|| {
                let mut choices = Vec::new();
                for line in lines.iter().take(wanted) {
                    let moves = terms(walk, &line.keys);
                    walk.rewind();
                    let line = without_draw(line, drawn);
                    // the time may be over
                    choices.extend(choice(
                        &line,
                        moves.ok()?,
                        (lines.len(), players),
                        work,
                        question,
                    ));
                }
                Some(Progress { choices, work, unit: "positions" })
            });
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
    table.unshare();
    // what was found is told whatever has ended the search
    settle(session, started.is_some() || (question.interrupted)());
    let (lines, nodes) = found;
    let lines = match lines {
        Err(fault) if fault.kind == FaultKind::Interrupted => Ok(Vec::new()),
        lines => lines,
    };
    let found = Found { nodes, drawn, first };
    let choices = lines.and_then(|lines| match lines.is_empty() {
        // there was no time for a single move, but one ply takes next to none
        true => ply::analyse(session, Some(&evaluation), question, wanted, false),
        false => found.choices(session, question, lines, &table, wanted),
    });
    let choices = match choices {
        Err(fault) if fault.kind == FaultKind::Interrupted => Ok(found.unthought()),
        choices => choices,
    };
    unsettle(session);
    memory.table = Some(table);
    if !rough {
        memory.evaluation = Some(Some(evaluation));
    }
    choices
}

/// From now on the session answers short questions about what was found, whatever has interrupted the search; where it is
/// `hurried`, for a moment only.
fn settle(session: &mut Session<'_>, hurried: bool) {
    let until = hurried.then(Instant::now).and_then(|now| now.checked_add(TELLING));
    session.set_until(until);
    session.set_undisturbed(true);
}

/// Ends what [`settle`] has begun.
fn unsettle(session: &mut Session<'_>) {
    session.set_undisturbed(false);
    session.set_until(None);
}

/// What a search has found beside its lines.
struct Found {
    /// The positions that were searched.
    nodes: u64,
    /// What a draw was worth.
    drawn: i32,
    /// The keys and terms of the moves to choose among.
    first: Vec<(u64, Term)>,
}

impl Found {
    /// The moves that are wanted, each with its line, which is made longer by what the table knows.
    fn choices(
        &self,
        session: &mut Session<'_>,
        question: &Request<'_>,
        mut lines: Vec<Line>,
        table: &Table,
        wanted: usize,
    ) -> Result<Vec<Choice>, Fault> {
        let players = session.game().program.players.len();
        for line in lines.iter_mut().take(wanted) {
            match alphabeta::lengthen(&mut *session.walk(question.state), table, line) {
                // the line is then as long as it was found
                Err(fault) if fault.kind == FaultKind::Interrupted => break,
                longer => longer?,
            }
        }
        let mut choices = Vec::new();
        for line in lines.iter().take(wanted) {
            let moves = line_of(session, question.state, &line.keys, &self.first)?;
            let line = without_draw(line, self.drawn);
            choices.extend(choice(&line, moves, (lines.len(), players), self.nodes, question));
        }
        // who asks for a move is given one
        Ok(if choices.is_empty() { self.unthought() } else { choices })
    }

    /// The first move, where there is no time to look at any.
    fn unthought(&self) -> Vec<Choice> {
        let told = "there was no time to think".to_string();
        let first = self.first.first();
        first.map(|(_, term)| Choice::plain(term.clone(), told, 0)).into_iter().collect()
    }
}

/// A line of which a draw brings half the points, whatever it was worth to the search.
fn without_draw(line: &Line, drawn: i32) -> Line {
    let value = if line.value == drawn { 0 } else { line.value };
    Line { value, ..line.clone() }
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
