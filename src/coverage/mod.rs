//! Coverage: which clauses of the rules never take part in play.
//!
//! `play.rs` plays random games and chooses positions, and `guided.rs` then plays lines that steer to clauses that have not
//! held; `lines.rs` guides those that have no clause as their aim.

mod guided;
pub mod lines;
mod play;

use crate::engine::Game;
use crate::program::{ClauseId, GoalKind, Kind, Program};
use crate::referee::{Referee, Stop, interrupt};
use crate::reference::{Coverage, Facts, RuleError};
use crate::source::FileId;

/// The most plies of all games together.
pub const ALL_PLIES: usize = 20_000;

/// The default number of goals to try, in millions.
pub const GOALS: u64 = 10;
/// The default number of positions to examine.
pub const POSITIONS: usize = 400;

/// The goals that guided lines may try at least.
const GUIDED: u64 = 2_000_000;

/// Called after each step with what is counted and how many of it there are.
pub type Watch<'a> = &'a dyn Fn(&'static str, u64);

/// What is to be played.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The number of games.
    pub playouts: usize,
    /// The number of their positions to examine.
    pub positions: usize,
    /// The most goals to try, in millions.
    pub goals: u64,
    /// The seed of the games.
    pub seed: u64,
    /// Whether the clauses of included files count too.
    pub all: bool,
}

impl Request {
    /// A number of games, everything else by default.
    pub fn of(playouts: usize, seed: u64) -> Request {
        Request { playouts, positions: POSITIONS, goals: GOALS, seed, all: false }
    }
}

/// The results, in file order.
pub struct Report {
    /// The clauses that never held, and whether an option of the game rules them out.
    pub never: Vec<(ClauseId, bool)>,
    /// Pairs of a later clause and the earlier one that always had its answers.
    pub shadowed: Vec<(ClauseId, ClauseId)>,
    /// How many positions were examined.
    pub looked_at: usize,
    /// How many clauses count.
    pub clauses: usize,
    /// The random games.
    pub played: Played,
    /// How many guided lines were played.
    pub lines: usize,
    /// How many positions of the games and of the examples were to be examined.
    pub chosen: usize,
    /// How many of these were.
    pub examined: usize,
    /// Why they were not all examined.
    pub cut: Option<Cut>,
}

impl Report {
    /// Whether all games were played and all positions examined.
    pub fn complete(&self, request: &Request) -> bool {
        self.cut.is_none() && self.played.playouts == request.playouts
    }
}

/// The games that were played.
#[derive(Default)]
pub struct Played {
    /// How many.
    pub playouts: usize,
    /// All positions of these games.
    pub positions: usize,
    /// The positions to examine.
    chosen: Vec<Facts>,
}

/// Why the work ended early.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The limit on the number of goals was reached.
    Work,
    /// The time is over.
    Time,
    /// Interrupted from outside.
    Interrupted,
}

/// Plays and examines; the time of the referee ends it early, with what was found so far.
///
/// # Errors
/// A rule error.
pub fn find(
    referee: &mut Referee<'_>,
    request: &Request,
    watch: Watch<'_>,
) -> Result<Report, Stop> {
    let mut coverage = Coverage::default();
    let played = play::sample(referee, request, &mut coverage, watch)?;
    let mut positions = 0;
    let mut lines = 0;
    let most = request.goals.saturating_mul(1_000_000);
    let limits = (most / 5 * 3, watch);
    let examined = match look(referee, &played.chosen, &mut positions, limits, &mut coverage) {
        Ok(done) => Ok(done),
        Err(error) if error.is_interrupted() => Err(Stop::Interrupted),
        Err(error) => return Err(referee.stopped(error)),
    };
    let seen = coverage.positions;
    // clauses that only a few guided positions reach are not compared with earlier ones
    let reached = guided::missing(referee, request, &coverage);
    // the guided lines may take as many goals again
    let most = most.min(coverage.goals.saturating_mul(2).max(GUIDED));
    let guided = examined.and_then(|done| {
        lines = guided::play(referee, request, most, &mut coverage, watch)?;
        Ok(done)
    });
    let cut = match guided {
        Ok(done) => (!done).then_some(Cut::Work),
        Err(Stop::Interrupted) => Some(match interrupt::interrupted() {
            true => Cut::Interrupted,
            false => Cut::Time,
        }),
        Err(stop) => return Err(stop),
    };
    let mut report =
        report(referee, &coverage, request.all, (played, lines, (seen, positions), cut));
    report.shadowed.retain(|(later, _)| !reached.contains(later));
    Ok(report)
}

/// The lines of a clause in its file, from 1.
pub fn lines_of(game: &Game, id: ClauseId) -> (usize, usize) {
    let (sources, span) = (&game.program.sources, game.program.clause(id).span);
    let (from, _) = sources.line_column(span);
    (from, from + sources.text(span).lines().count().max(1) - 1)
}

/// The head of a clause as it is written, on one line.
pub fn head(program: &Program, id: ClauseId) -> String {
    let clause = program.clause(id);
    program.sources.text(clause.head_span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Examines the static relations, the positions of the examples and those of the games, and counts
/// the positions. False where the limit on the number of goals left some of them out.
fn look(
    referee: &Referee<'_>,
    chosen: &[Facts],
    positions: &mut usize,
    (most, watch): (u64, Watch<'_>),
    coverage: &mut Coverage,
) -> Result<bool, RuleError> {
    *positions = chosen.len();
    referee.rules.cover_static(coverage)?;
    let mut examples = Vec::new();
    for example in &referee.game.program.examples {
        examples.extend(referee.rules.example_positions(&example.goal)?);
    }
    *positions += examples.len();
    // both in turn, since the limit may be reached before the end
    let mut played = chosen.iter();
    let mut mixed = Vec::new();
    for facts in &examples {
        mixed.push(facts);
        mixed.extend(played.next());
    }
    for facts in mixed.into_iter().chain(played) {
        if coverage.goals > most {
            return Ok(false);
        }
        referee.rules.cover(facts, coverage)?;
        watch("positions", *positions as u64);
    }
    Ok(true)
}

fn report(
    referee: &Referee<'_>,
    coverage: &Coverage,
    all: bool,
    (played, lines, (examined, chosen), cut): (Played, usize, (usize, usize), Option<Cut>),
) -> Report {
    let program = &referee.game.program;
    let own = |id: ClauseId| own(program, id, all);
    let ids: Vec<ClauseId> = (0..program.clauses.len())
        .map(|i| ClauseId(i as u32))
        .filter(|id| own(*id) && counted(program, *id))
        .collect();
    let never =
        ids.iter().filter(|id| !coverage.fired(**id)).map(|id| (*id, off(referee, *id))).collect();
    let shadowed = coverage.shadowed().into_iter().filter(|(later, _)| own(*later)).collect();
    let (looked_at, clauses) = (coverage.positions, ids.len());
    Report { never, shadowed, looked_at, clauses, played, lines, chosen, examined, cut }
}

/// Whether a clause is one of the game's own file, or all are asked for.
fn own(program: &Program, id: ClauseId, all: bool) -> bool {
    all || program.clause(id).span.file == FileId(0)
}

/// Whether a clause counts: those of relations such as `source/1` and `family/1` are not used in
/// play.
fn counted(program: &Program, id: ClauseId) -> bool {
    let relation = program.clause(id).relation;
    let special = &program.special;
    ![special.source, special.family].contains(&Some(relation))
        && !program.relation(relation).name.starts_with("init ")
}

/// Whether the clause is ruled out by an option that has another value.
fn off(referee: &Referee<'_>, id: ClauseId) -> bool {
    let program = &referee.game.program;
    program.clause(id).body.conjuncts().iter().any(|goal| {
        let GoalKind::Call(relation, args) = &goal.kind else { return false };
        let option = program.relation(*relation);
        let values: Option<crate::datalog::Row> = args
            .iter()
            .map(|a| match a {
                crate::program::Term::Constant(value) => Some(*value),
                _ => None,
            })
            .collect();
        option.kind == Kind::Static
            && option.built_in
            && option.name == "option"
            && values.is_some_and(|row| !referee.game.tables.get(*relation).contains(&row))
    })
}
