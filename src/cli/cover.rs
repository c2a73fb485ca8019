//! `ludex cover`: which clauses of a rule file never take part in play.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::engine::{Game, Random};
use crate::explain::{Coverage, Facts};
use crate::program::{ClauseId, GoalKind, Kind, Program};
use crate::source::FileId;

use super::arguments::{EngineChoice, GameArguments, OptionArguments};
use super::console::{Console, Stop};
use super::open;
use super::referee::Referee;
use super::signals;

/// No more positions are looked at after so many steps of the evaluator.
const MOST_STEPS: u64 = 40_000_000;
/// So many final positions are looked at in any case.
const ENDS: usize = 20;
/// So many positions are looked at where nothing else is said.
const POSITIONS: usize = 400;
/// A playout is left after so many plies.
const MOST_PLIES: usize = 1000;

/// Plays at random and tells which clauses never held, and which only repeat an earlier one.
///
/// The positions of the file's examples are looked at too.
#[derive(Debug, Args)]
pub struct CoverArguments {
    #[command(flatten)]
    game: GameArguments,

    /// How many random games are played.
    #[arg(long, value_name = "N", default_value_t = 100)]
    playouts: usize,

    /// In how many positions of these games, spread evenly, the clauses are looked at.
    #[arg(long, value_name = "N", default_value_t = POSITIONS)]
    positions: usize,

    /// The games are drawn with it.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The included files too, not the file alone.
    #[arg(long)]
    all: bool,

    /// Prints the source with the clauses marked that never held (`-`) or are shadowed (`=`).
    #[arg(long, conflicts_with = "json")]
    source: bool,

    /// Answers in JSON.
    #[arg(long)]
    json: bool,
}

/// What was found, in file order.
struct Report {
    /// Clauses that never held, and whether an option alone forbids them.
    never: Vec<(ClauseId, bool)>,
    /// A later clause and the earlier one that always had its answers.
    shadowed: Vec<(ClauseId, ClauseId)>,
    looked_at: usize,
    clauses: usize,
}

pub fn run(arguments: &CoverArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    cover(&game, arguments, console)
}

/// The same for a game that is open.
///
/// # Errors
/// A rule error.
pub fn here(game: &Game, playouts: usize, seed: u64, console: &Console) -> Result<(), Stop> {
    let asked = GameArguments { game: String::new(), options: OptionArguments::default() };
    let arguments = CoverArguments {
        game: asked,
        playouts,
        positions: POSITIONS,
        seed,
        all: false,
        source: false,
        json: false,
    };
    cover(game, &arguments, console)
}

fn cover(game: &Game, arguments: &CoverArguments, console: &Console) -> Result<(), Stop> {
    let mut referee = Referee::new(game, EngineChoice::Compiled);
    let mut coverage = Coverage::default();
    let fault = |referee: &Referee<'_>, error| referee.stopped(error);
    referee.rules.cover_static(&mut coverage).map_err(|e| fault(&referee, e))?;
    for example in &game.program.examples {
        let positions = referee.rules.example_positions(&example.goal);
        for facts in positions.map_err(|e| fault(&referee, e))? {
            referee.rules.cover(&facts, &mut coverage).map_err(|e| fault(&referee, e))?;
        }
    }
    let (chosen, total) = sample(&mut referee, arguments, &mut coverage)?;
    for facts in &chosen {
        if coverage.steps > MOST_STEPS {
            break;
        }
        referee.rules.cover(facts, &mut coverage).map_err(|e| fault(&referee, e))?;
    }
    let report = report(&referee, &coverage, arguments.all);
    let program = &game.program;
    if arguments.json {
        return console.json(&data(program, &report, arguments, total));
    }
    if arguments.source {
        return marked(program, &report, arguments.all, console);
    }
    told(program, &report, arguments, total, console)
}

/// Plays the games; some of their positions, and how many there were.
fn sample(
    referee: &mut Referee<'_>,
    arguments: &CoverArguments,
    coverage: &mut Coverage,
) -> Result<(Vec<Facts>, usize), Stop> {
    let bar = console_bar(arguments.playouts);
    let mut ends = Vec::new();
    // of all positions, one in `stride` is kept; the stride doubles when too many are
    let most = arguments.positions.max(1);
    let (mut kept, mut stride, mut total): (Vec<(usize, Facts)>, usize, usize) = (Vec::new(), 1, 0);
    for number in 0..arguments.playouts {
        if signals::interrupted() {
            return Err(Stop::Interrupted);
        }
        let mut random = Random::for_ply(arguments.seed, number as u64);
        let mut position = referee.opening();
        for _ in 0..MOST_PLIES {
            let over = match referee.outcome(&position)? {
                Some(outcome) => {
                    coverage.ended(outcome.clause);
                    true
                }
                None => false,
            };
            if total % stride == 0 {
                kept.push((total, referee.facts(&position)));
            }
            total += 1;
            if kept.len() > 2 * most {
                stride *= 2;
                kept.retain(|(at, _)| at % stride == 0);
            }
            if over {
                if ends.len() < ENDS {
                    ends.push(referee.facts(&position));
                }
                break;
            }
            let choices = referee.choices(&position)?;
            let weights: Vec<i64> = choices.all.iter().map(|(_, weight)| *weight).collect();
            let Some(drawn) = random.weighted(&weights) else { break };
            match referee.play(&position, &choices.all[drawn].0)? {
                Some(next) => position = next,
                None => break,
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let step = kept.len().div_ceil(most).max(1);
    let mut chosen: Vec<Facts> = kept.into_iter().step_by(step).map(|(_, facts)| facts).collect();
    // should the work become too much, those that are left out are spread as well
    let mut random = Random::seeded(arguments.seed);
    for at in (1..chosen.len()).rev() {
        chosen.swap(at, random.below(at as u64 + 1) as usize);
    }
    chosen.splice(0..0, ends);
    Ok((chosen, total))
}

fn console_bar(playouts: usize) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(playouts as u64);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn report(referee: &Referee<'_>, coverage: &Coverage, all: bool) -> Report {
    let program = &referee.game.program;
    let own = |id: ClauseId| all || program.clause(id).span.file == FileId(0);
    let ids: Vec<ClauseId> = (0..program.clauses.len())
        .map(|i| ClauseId(i as u32))
        .filter(|id| own(*id) && counted(program, *id))
        .collect();
    let never =
        ids.iter().filter(|id| !coverage.fired(**id)).map(|id| (*id, off(referee, *id))).collect();
    let shadowed = coverage.shadowed().into_iter().filter(|(later, _)| own(*later)).collect();
    Report { never, shadowed, looked_at: coverage.positions, clauses: ids.len() }
}

/// Clauses that only speak to people (sources, families) are not asked in play.
fn counted(program: &Program, id: ClauseId) -> bool {
    let relation = program.clause(id).relation;
    let special = &program.special;
    ![special.source, special.family].contains(&Some(relation))
        && !program.relation(relation).name.starts_with("init ")
}

/// Does an option that is set otherwise forbid the clause?
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

fn head(program: &Program, id: ClauseId) -> String {
    let clause = program.clause(id);
    program.sources.text(clause.head_span).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told(
    program: &Program,
    report: &Report,
    arguments: &CoverArguments,
    total: usize,
    console: &Console,
) -> Result<(), Stop> {
    let seen = report.clauses - report.never.len();
    console.line(format!(
        "{seen} of {} clauses held: {} playouts with {total} positions, {} positions looked at",
        report.clauses, arguments.playouts, report.looked_at
    ))?;
    if !report.never.is_empty() {
        console.line("")?;
        console.line("never held:")?;
        for (id, off) in &report.never {
            let why = if *off { "  (off by an option)" } else { "" };
            let place = program.sources.place(program.clause(*id).span);
            console.line(format!("  {place}: {}{why}", head(program, *id)))?;
        }
    }
    if !report.shadowed.is_empty() {
        console.line("")?;
        console.line("shadowed, as an earlier clause had all their answers:")?;
        for (later, earlier) in &report.shadowed {
            let place = program.sources.place(program.clause(*later).span);
            let by = program.sources.place(program.clause(*earlier).span);
            console.line(format!("  {place}: {}  by {by}", head(program, *later)))?;
        }
    }
    Ok(())
}

fn data(
    program: &Program,
    report: &Report,
    arguments: &CoverArguments,
    total: usize,
) -> serde_json::Value {
    let clause = |id: ClauseId| {
        let clause = program.clause(id);
        let (line, _) = program.sources.line_column(clause.span);
        let file = program.sources.get(clause.span.file).map(|f| f.name.clone());
        json!({ "file": file, "line": line, "head": head(program, id) })
    };
    let never = report.never.iter().map(|(id, off)| {
        let mut value = clause(*id);
        value["off_by_option"] = json!(off);
        value
    });
    let shadowed = report
        .shadowed
        .iter()
        .map(|(later, earlier)| json!({ "clause": clause(*later), "by": clause(*earlier) }));
    json!({
        "playouts": arguments.playouts,
        "seed": arguments.seed,
        "positions": total,
        "looked_at": report.looked_at,
        "clauses": report.clauses,
        "never": never.collect::<Vec<_>>(),
        "shadowed": shadowed.collect::<Vec<_>>(),
    })
}

/// The source, each line of a clause behind its mark.
fn marked(program: &Program, report: &Report, all: bool, console: &Console) -> Result<(), Stop> {
    for (file, source) in program.sources.iter().filter(|(id, _)| all || *id == FileId(0)) {
        if all {
            console.line(format!("==> {} <==", source.name))?;
        }
        let mut marks = vec![' '; source.text.lines().count()];
        let mut mark = |id: ClauseId, sign: char| {
            let span = program.clause(id).span;
            if span.file == file {
                let (from, _) = program.sources.line_column(span);
                let lines = program.sources.text(span).lines().count();
                marks.iter_mut().skip(from - 1).take(lines).for_each(|m| *m = sign);
            }
        };
        report.shadowed.iter().for_each(|(later, _)| mark(*later, '='));
        report.never.iter().for_each(|(id, _)| mark(*id, '-'));
        for (line, mark) in source.text.lines().zip(&marks) {
            let text = format!("{mark} {line}");
            console.line(if *mark == ' ' { text } else { console.bold(&text) })?;
        }
    }
    Ok(())
}
