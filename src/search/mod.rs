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
mod montecarlo;
mod nested;
pub mod orbits;
mod patterns;
mod ply;
mod regression;
mod strength;
pub mod table;
mod tree;
pub mod tune;

pub use advisor::{Advisor, advice};
pub use strength::Strength;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Candidate, Fault, FaultKind, Game, Look, Random, Session, State, Walk};
use crate::syntax::{Term, print_term};

use alphabeta::{DECIDED, Line, Search, WIN, share};
use evaluation::Evaluation;
use features::{Reader, View};
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
    /// The expected score, in a game for one player.
    pub score: Option<f64>,
}

impl Choice {
    /// A choice without a line.
    fn plain(term: Term, reason: String, playouts: u64) -> Choice {
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
    /// Whether the player reads the advice of the rules, and nothing else.
    pub fn is_advised(self) -> bool {
        self == Player::Advice
    }
}

/// What a player knows of a game, and keeps between moves.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    evaluation: Option<Option<Evaluation>>,
    table: Option<Table>,
    /// The best game that nested search knows.
    course: Option<nested::Course>,
    /// Who plays the game best; [`Player::Auto`] where it is not known.
    player: Player,
    /// The same as far as the rules tell it.
    guess: Option<Player>,
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
    fn actual(&mut self, player: Player, session: &mut Session<'_>) -> Result<Player, Fault> {
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
        && !Reader::new(game, false).is_some_and(|reader| reader.has_rows());
    match blind && amaf::begins_with_placements(session)? {
        true => Ok(Player::MonteCarlo),
        false => Ok(Player::AlphaBeta),
    }
}

/// Whether a player values positions by an evaluation.
fn needs_evaluation(player: Player, game: &Game) -> bool {
    match player {
        Player::AlphaBeta | Player::BestFirst | Player::MaxN => true,
        Player::Greedy | Player::Frugal => game.program.players.len() > 1,
        _ => false,
    }
}

/// What is spent on the evaluation of a game for which none is known.
const EFFORT: Effort = Effort { rounds: 4, nodes: 60_000, deep: 0, seed: 1 };

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
    /// How many threads search; more than one only for alpha-beta search. With one the answer to a number of
    /// positions is always the same.
    pub threads: usize,
    /// The seed of the playouts.
    pub seed: u64,
    /// Called now and then; where it returns true the search ends with the best move found so far.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Request<'_> {
    /// Whether the move is one to choose among.
    fn allows(&self, term: &Term) -> bool {
        self.among.is_empty() || self.among.contains(term)
    }
}

/// How much longer than a move the fit may take.
const PATIENCE: Duration = Duration::from_secs(2);
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
    let drawn = value_of_draws(session, &evaluation, question.state);
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

/// The most threads of a search.
const MOST_THREADS: usize = 64;

/// What further threads search: the same position with the same table, so that each finds what the others have found
/// (lazy SMP).
struct Helper<'a> {
    question: &'a Request<'a>,
    evaluation: &'a Evaluation,
    drawn: i32,
    only: Option<Vec<u64>>,
    deepest: i16,
}

impl Helper<'_> {
    /// Runs `search` beside `helpers` threads, which are stopped when it returns.
    fn with<R>(
        self,
        game: &Game,
        table: &Table,
        helpers: usize,
        until: Option<Instant>,
        search: impl FnOnce() -> R,
    ) -> R {
        if helpers == 0 {
            return search();
        }
        let ended = AtomicBool::new(false);
        let (state, evaluation, drawn, deepest) =
            (self.question.state, self.evaluation, self.drawn, self.deepest);
        let (only, ended) = (&self.only, &ended);
        std::thread::scope(|scope| {
            for number in 0..helpers {
                let mut table = table.clone();
                scope.spawn(move || {
                    let mut session = Session::new(game);
                    session.set_until(until);
                    let mut walk = session.walk(state);
                    let stop = |_| ended.load(Ordering::Relaxed);
                    let mut search = Search::new(&mut *walk, game, evaluation, &mut table, &stop);
                    search.drawn = drawn;
                    search.only.clone_from(only);
                    // threads that go the same way find nothing for each other
                    search.shallowest = 1 + (number % 2) as i16;
                    // what goes wrong here goes wrong in the first thread too
                    let _ = search.run(deepest, &mut |_, _| {});
                });
            }
            let found = search();
            ended.store(true, Ordering::Relaxed);
            found
        })
    }
}

/// The value of an opening in which a side has little hope: 38 % of the points.
const LITTLE_HOPE: i32 = -50;

/// What a draw is worth to the player to move: no more than the opening, where that is worth little. The
/// evaluation comes of weak play, and a side that it thinks little of from the beginning would take the first draw.
fn value_of_draws(session: &mut Session<'_>, evaluation: &Evaluation, state: &State) -> i32 {
    if session.game().program.players.len() != 2 {
        return 0;
    }
    let opening = session.opening();
    let turn = session.walk(&opening).turn();
    let player = session.walk(state).turn();
    let view = View { words: opening.words(), turn, choices: [None, None] };
    match (evaluation.of(view, player) * 100.0).max(-500.0) as i32 {
        value if value < LITTLE_HOPE => value,
        _ => 0,
    }
}

/// The keys and terms of the moves to choose among.
fn first_terms(
    session: &mut Session<'_>,
    question: &Request<'_>,
) -> Result<Vec<(u64, Term)>, Fault> {
    let mut walk = session.walk(question.state);
    let mut first = Vec::new();
    if walk.look()? != Look::Moves {
        return Ok(first);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    for candidate in list {
        let term = walk.term(candidate);
        // a candidate may not be legal
        if question.allows(&term) && walk.make(candidate)? {
            walk.unmake();
            first.push((candidate.key, term));
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
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The best move so far.
    pub best: Option<Term>,
    /// The plies that were searched.
    pub depth: i16,
    /// The share of games that the player to move is expected to win, from 0 to 1.
    pub expected: f64,
    /// The positions that were searched.
    pub positions: u64,
}

impl Progress {
    /// In words, after so much time.
    pub fn told(&self, elapsed: Duration) -> String {
        let speed = self.positions as f64 / elapsed.as_secs_f64().max(1e-3);
        let best = self.best.as_ref().map_or(String::new(), |best| print_term(best) + ", ");
        format!(
            "{} plies deep: {best}{:.0} %, {} positions, {speed:.0} a second",
            self.depth,
            self.expected * 100.0,
            self.positions,
        )
    }
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
    let Some(reader) = Reader::new(game, false) else {
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

/// A line as a choice.
fn choice(
    line: &Line,
    moves: Vec<Term>,
    (alternatives, players): (usize, usize),
    nodes: u64,
    question: &Request<'_>,
) -> Option<Choice> {
    let term = moves.first().cloned()?;
    let plies = WIN - line.value.abs();
    let in_plies = match plies {
        1 => "at once".to_string(),
        _ => format!("in {plies} plies"),
    };
    let result = match line.value {
        _ if alternatives == 1 && question.among.is_empty() => "the only move".to_string(),
        value if value > DECIDED => format!("wins {in_plies}"),
        // the search takes all others to play against the one who asks
        value if value < -DECIDED && players > 2 => {
            format!("loses {in_plies} if all others play together")
        }
        value if value < -DECIDED => format!("loses {in_plies}"),
        value => {
            format!("{:.0} %, {} plies deep, {nodes} positions", share(value) * 100.0, line.depth)
        }
    };
    let reason = worded(reason_given(question.advice, &term), Some(result));
    let expected = Some(share(line.value));
    Some(Choice { term, reason, playouts: nodes, line: moves, expected, score: None })
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

/// The text of the advice for a move that has the highest priority.
fn reason_given<'a>(advice: &'a [Advice], term: &Term) -> Option<&'a str> {
    let given = advice.iter().filter(|a| a.term == *term);
    given.max_by_key(|a| a.priority).map(|a| a.text.as_str())
}
