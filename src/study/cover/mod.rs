//! Coverage: which clauses of the rules never take part in play, for `ludex cover` and `:cover`.
//!
//! `play.rs` plays the games and chooses positions, `guided.rs` then plays lines that steer to clauses
//! that have not held, and `print.rs` tells the result.

mod guided;
mod play;
mod print;

use std::time::{Duration, Instant};

use crate::engine::Game;
use crate::explain::{Coverage, Facts, RuleError};
use crate::program::{ClauseId, GoalKind, Kind, Program};
use crate::referee::{Evaluator, Referee, Stop, interrupt};
use crate::source::FileId;
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::signals;

/// The default number of goals to try, in millions.
pub const GOALS: u64 = 10;
/// The default number of positions to examine.
pub const POSITIONS: usize = 400;

/// The goals that guided lines may try at least.
const GUIDED: u64 = 2_000_000;

/// What is to be played and told.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The number of games.
    pub playouts: usize,
    /// The number of their positions to examine.
    pub positions: usize,
    /// The most goals to try, in millions.
    pub goals: u64,
    /// The most time, in seconds.
    pub seconds: Option<f64>,
    pub seed: u64,
    /// Whether the clauses of included files count too.
    pub all: bool,
    /// Print the source with marks.
    pub source: bool,
    pub json: bool,
}

impl Request {
    /// So many games, everything else by default.
    pub fn of(playouts: usize, seed: u64) -> Request {
        Request {
            playouts,
            positions: POSITIONS,
            goals: GOALS,
            seconds: None,
            seed,
            all: false,
            source: false,
            json: false,
        }
    }
}

/// The results, in file order.
struct Report {
    /// The clauses that never held, and whether an option of the game rules them out.
    never: Vec<(ClauseId, bool)>,
    /// Pairs of a later clause and the earlier one that always had its answers.
    shadowed: Vec<(ClauseId, ClauseId)>,
    looked_at: usize,
    clauses: usize,
    played: Played,
    /// How many guided lines were played.
    lines: usize,
    /// How many positions were to be examined.
    chosen: usize,
    /// Why they were not all examined.
    cut: Option<Cut>,
}

impl Report {
    /// Whether all games were played and all positions examined.
    fn complete(&self, request: &Request) -> bool {
        self.cut.is_none() && self.played.playouts == request.playouts
    }
}

/// The games that were played.
#[derive(Default)]
struct Played {
    playouts: usize,
    /// All positions of these games.
    positions: usize,
    /// The positions to examine.
    chosen: Vec<Facts>,
}

/// Why the work ended early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The limit on the number of goals was reached.
    Work,
    Time,
    Interrupted,
}

/// Plays, examines and prints the coverage of a game.
///
/// # Errors
/// A rule error, or an interruption.
pub fn cover(game: &Game, request: &Request, console: &Console) -> Result<(), Stop> {
    signals::catch();
    let mut referee = Referee::new(game, Evaluator::Compiled);
    referee.set_until(request.seconds.map(|s| Instant::now() + Duration::from_secs_f64(s)));
    let mut coverage = Coverage::default();
    let played = play::sample(&mut referee, request, &mut coverage)?;
    let mut positions = 0;
    let mut lines = 0;
    let most = request.goals.saturating_mul(1_000_000);
    let examined = match look(&referee, &played.chosen, &mut positions, most / 5 * 3, &mut coverage)
    {
        Ok(done) => Ok(done),
        Err(error) if error.is_interrupted() => Err(Stop::Interrupted),
        Err(error) => return Err(referee.stopped(error)),
    };
    // clauses that only a few guided positions reach are not compared with earlier ones
    let reached = guided::missing(&referee, request, &coverage);
    // the guided lines may take as many goals again
    let most = most.min(coverage.goals.saturating_mul(2).max(GUIDED));
    let guided = examined.and_then(|done| {
        lines = guided::play(&mut referee, request, most, &mut coverage)?;
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
    let mut report = report(&referee, &coverage, request.all, (played, lines, positions, cut));
    report.shadowed.retain(|(later, _)| !reached.contains(later));
    let program = &game.program;
    if request.json {
        console.json(&print::data(program, &report, request))?;
    } else if request.source {
        print::marked(program, &report, request.all, console)?;
    } else {
        print::told(program, &report, request, console)?;
    }
    if cut == Some(Cut::Interrupted) { Err(Stop::Interrupted) } else { Ok(()) }
}

/// Examines the static relations, the positions of the examples and those of the games, and counts
/// the positions. False where the limit on the number of goals left some of them out.
fn look(
    referee: &Referee<'_>,
    chosen: &[Facts],
    positions: &mut usize,
    most: u64,
    coverage: &mut Coverage,
) -> Result<bool, RuleError> {
    *positions = chosen.len();
    referee.rules.cover_static(coverage)?;
    let mut examples = Vec::new();
    for example in &referee.game.program.examples {
        examples.extend(referee.rules.example_positions(&example.goal)?);
    }
    *positions += examples.len();
    let bar = Progress::new(*positions as u64, "positions");
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
        bar.step();
    }
    Ok(true)
}

fn report(
    referee: &Referee<'_>,
    coverage: &Coverage,
    all: bool,
    (played, lines, chosen, cut): (Played, usize, usize, Option<Cut>),
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
    Report { never, shadowed, looked_at, clauses, played, lines, chosen, cut }
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
