//! Computer players for any game: [`alphabeta`] searches by an [`evaluation`] that [`tune`] fits to games
//! against itself, `montecarlo` by random playouts.

pub mod alphabeta;
pub mod contest;
pub mod evaluation;
mod montecarlo;
pub mod table;
mod tree;
pub mod tune;

use std::time::{Duration, Instant};

use crate::engine::{Candidate, Fault, FaultKind, Look, Random, Session, State, Walk};
use crate::syntax::Term;

use alphabeta::{DECIDED, Line, Search, WIN};
use evaluation::{Evaluation, Reader};
use table::Table;
use tune::Effort;

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
    fn started(&self) -> Option<Instant> {
        self.time.map(|_| Instant::now())
    }

    fn until(&self, started: Option<Instant>) -> Option<Instant> {
        started?.checked_add(self.time?)
    }

    /// Whether the time is over.
    fn is_late(&self, started: Option<Instant>) -> bool {
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
}

impl Choice {
    /// A choice without a line.
    fn plain(term: Term, reason: String, playouts: u64) -> Choice {
        Choice { term, reason, playouts, line: Vec::new(), expected: None }
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
    /// The move that the evaluation likes best.
    Greedy,
    /// Any legal move.
    Random,
}

/// What a player knows of a game, and keeps between moves.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    evaluation: Option<Option<Evaluation>>,
    table: Option<Table>,
    /// Who plays the game best.
    player: Player,
}

impl Memory {
    /// A memory with this evaluation, and who plays the game best with it.
    pub fn with(evaluation: Evaluation, player: Player) -> Memory {
        Memory { evaluation: Some(Some(evaluation)), table: None, player }
    }
}

/// What is spent on the evaluation of a game for which none is known.
const EFFORT: Effort = Effort { rounds: 3, moves: 100_000, deep: 0, seed: 1 };

/// The input of the search.
pub struct Question<'a> {
    /// The position.
    pub state: &'a State,
    /// The advice on the moves of this position.
    pub advice: &'a [Advice],
    /// Who plays.
    pub player: Player,
    /// When the search ends.
    pub limits: Limits,
    /// The seed of the playouts.
    pub seed: u64,
    /// Called now and then; where it returns true the search ends with the best move found so far.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// How much longer than a move the fit may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many positions count as much as a playout.
const POSITIONS: u64 = 50;

/// Chooses a move; `None` where no player is to move.
///
/// # Errors
/// A rule error.
pub fn choose(
    session: &mut Session<'_>,
    memory: &mut Memory,
    question: &Question<'_>,
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
    question: &Question<'_>,
    wanted: usize,
    told: &mut dyn FnMut(Progress),
) -> Result<Vec<Choice>, Fault> {
    let players = session.game().program.players.len();
    let player = match question.player {
        Player::Auto if players < 2 => Player::MonteCarlo,
        Player::Auto if memory.player == Player::MonteCarlo => Player::MonteCarlo,
        Player::Auto => Player::AlphaBeta,
        player => player,
    };
    match player {
        Player::MonteCarlo => return montecarlo::analyse(session, question, wanted),
        Player::Random => return drawn(session, question),
        _ => {}
    }
    let Some(evaluation) = known(session, memory, question.limits)? else {
        return montecarlo::analyse(session, question, wanted);
    };
    // what is learned about the game itself comes before the clock runs
    let started = question.limits.started();
    let mut table = memory.table.take().unwrap_or_default();
    let limits = question.limits;
    let stop = |nodes: u64| {
        limits.is_late(started)
            || limits.playouts.is_some_and(|n| nodes >= n.saturating_mul(POSITIONS))
            || (question.interrupted)()
    };
    let first = first_terms(session, question.state)?;
    session.set_until(limits.until(started));
    let found = {
        let game = session.game();
        let mut walk = session.walk(question.state);
        let deepest = match (player, limits.time, limits.playouts) {
            (Player::Greedy, ..) | (_, None, None) => 1,
            _ => alphabeta::MOST_DEPTH,
        };
        let mut search = Search::new(&mut *walk, game, &evaluation, &mut table, &stop);
        search.wide = wanted;
        let lines = search.run(deepest, &mut |lines, positions| {
            if let Some(best) = lines.first() {
                told(Progress { depth: best.depth, expected: share(best.value), positions });
            }
        });
        (lines, search.nodes)
    };
    session.set_until(None);
    memory.table = Some(table);
    memory.evaluation = Some(Some(evaluation));
    let (lines, nodes) = found;
    let lines = lines?;
    let mut choices = Vec::new();
    for line in lines.iter().take(wanted) {
        let moves = line_of(session, question.state, &line.keys, &first)?;
        choices.extend(choice(line, moves, lines.len(), nodes, question));
    }
    // there may have been no time for a single move
    let Some((_, term)) = first.into_iter().next() else { return Ok(choices) };
    if choices.is_empty() {
        choices.push(Choice::plain(term, "there was no time to think".to_string(), 0));
    }
    Ok(choices)
}

/// The keys and terms of the moves of a position.
fn first_terms(session: &mut Session<'_>, state: &State) -> Result<Vec<(u64, Term)>, Fault> {
    let mut walk = session.walk(state);
    let mut first = Vec::new();
    if walk.look()? != Look::Moves {
        return Ok(first);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    for candidate in list {
        // a candidate may not be legal
        if walk.make(candidate)? {
            walk.unmake();
            first.push((candidate.key, walk.term(candidate)));
        }
    }
    Ok(first)
}

/// The moves with these keys; the first one alone where the work is interrupted.
fn line_of(
    session: &mut Session<'_>,
    state: &State,
    keys: &[u64],
    first: &[(u64, Term)],
) -> Result<Vec<Term>, Fault> {
    let found = terms(&mut *session.walk(state), keys);
    match found {
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            let known = first.iter().find(|(key, _)| keys.first() == Some(key));
            Ok(known.map(|(_, term)| term.clone()).into_iter().collect())
        }
        found => found,
    }
}

/// How far an analysis is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The plies that were searched.
    pub depth: i16,
    /// The share of games that the player to move is expected to win, from 0 to 1.
    pub expected: f64,
    /// The positions that were searched.
    pub positions: u64,
}

/// The most moves of a line that are told.
const LONGEST_LINE: usize = 12;

/// The moves with these keys, one after the other.
fn terms(walk: &mut dyn Walk, keys: &[u64]) -> Result<Vec<Term>, Fault> {
    let mut terms = Vec::new();
    let mut list: Vec<Candidate> = Vec::new();
    for key in keys.iter().take(LONGEST_LINE) {
        if matches!(walk.look()?, Look::Over(_)) {
            break;
        }
        list.clear();
        walk.candidates(&mut list);
        let Some(candidate) = list.iter().find(|candidate| candidate.key == *key) else { break };
        let term = walk.term(*candidate);
        if !walk.make(*candidate)? {
            break;
        }
        terms.push(term);
    }
    Ok(terms)
}

/// The evaluation of the game, fitted now where none is known; `None` where its states are too large.
fn known(
    session: &mut Session<'_>,
    memory: &mut Memory,
    limits: Limits,
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
    let Some(reader) = Reader::new(&game.plan) else {
        memory.evaluation = Some(None);
        return Ok(None);
    };
    // a game whose moves take long is not worth the wait
    session.set_until(limits.time.and_then(|time| Instant::now().checked_add(time + PATIENCE)));
    let fitted = tune::fit(session, reader, EFFORT, &mut |_, _| {});
    session.set_until(None);
    match fitted {
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            memory.evaluation = Some(None);
            Ok(None)
        }
        fitted => fitted.map(Some),
    }
}

/// Any legal move.
fn drawn(session: &mut Session<'_>, question: &Question<'_>) -> Result<Vec<Choice>, Fault> {
    let mut moves = session.legal_moves(question.state)?;
    if moves.is_empty() || moves[0].chance {
        return Ok(Vec::new());
    }
    let i = Random::seeded(question.seed).below(moves.len() as u64) as usize;
    Ok(vec![Choice::plain(moves.swap_remove(i).term, "drawn at random".to_string(), 0)])
}

/// A line as a choice.
fn choice(
    line: &Line,
    moves: Vec<Term>,
    alternatives: usize,
    nodes: u64,
    question: &Question<'_>,
) -> Option<Choice> {
    let term = moves.first().cloned()?;
    let plies = WIN - line.value.abs();
    let in_plies = match plies {
        1 => "at once".to_string(),
        _ => format!("in {plies} plies"),
    };
    let result = match line.value {
        _ if alternatives == 1 => "the only move".to_string(),
        value if value > DECIDED => format!("wins {in_plies}"),
        value if value < -DECIDED => format!("loses {in_plies}"),
        value => {
            format!("{:.0} %, {} plies deep, {nodes} positions", share(value) * 100.0, line.depth)
        }
    };
    let reason = worded(reason_given(question.advice, &term), Some(result));
    let expected = Some(share(line.value));
    Some(Choice { term, reason, playouts: nodes, line: moves, expected })
}

/// The rules' advice and what the search has found, in words.
fn worded(advice: Option<&str>, result: Option<String>) -> String {
    match (advice, result) {
        // a win is the better reason
        (Some(text), Some(result)) if result.starts_with("wins") => format!("{result}: {text}"),
        (Some(text), Some(result)) => format!("{text}; {result}"),
        (Some(text), None) => text.to_string(),
        (None, Some(result)) => result,
        (None, None) => "no move seems better".to_string(),
    }
}

/// The share of games that are won from a position of this value.
fn share(value: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(value) / 100.0).exp())
}

/// The text of the advice for a move that has the highest priority.
fn reason_given<'a>(advice: &'a [Advice], term: &Term) -> Option<&'a str> {
    let given = advice.iter().filter(|a| a.term == *term);
    given.max_by_key(|a| a.priority).map(|a| a.text.as_str())
}
