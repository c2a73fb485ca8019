//! `ludex cover`: which clauses of a rule file never take part in play.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::engine::{Game, Random};
use crate::explain::{Coverage, Facts, RuleError};
use crate::program::{ClauseId, GoalKind, Kind, Program};
use crate::referee::interrupt;
use crate::render::fit;
use crate::source::FileId;

use crate::referee::{Evaluator, Referee, Stop};
use crate::ui::arguments::{GameArguments, OptionArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::progress::Progress;
use crate::ui::signals;

/// The default number of goals to try, in millions.
const GOALS: u64 = 10;
/// The most plies of all games together.
const ALL_PLIES: usize = 20_000;
/// How many final positions are always examined.
const ENDS: usize = 20;
/// The default number of positions to examine.
const POSITIONS: usize = 400;
/// The number of plies after which a playout is abandoned.
const MOST_PLIES: usize = 1000;

/// Plays at random and lists the clauses that never held, and those that only repeat an earlier
/// one.
///
/// The positions of the file's examples are examined too.
#[derive(Debug, Args)]
pub struct CoverArguments {
    #[command(flatten)]
    game: GameArguments,

    /// The number of random games.
    #[arg(long, value_name = "N", default_value_t = 100)]
    playouts: usize,

    /// The number of positions of these games, spread evenly, in which the clauses are examined.
    #[arg(long, value_name = "N", default_value_t = POSITIONS)]
    positions: usize,

    /// Stops after N million goals and prints what was found so far.
    #[arg(long, value_name = "N", default_value_t = GOALS)]
    goals: u64,

    /// Stops after S seconds and prints what was found so far, which depends on the machine.
    #[arg(long, value_name = "S", value_parser = crate::ui::arguments::seconds)]
    seconds: Option<f64>,

    /// The seed of the random games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Lists the clauses of included files too.
    #[arg(long)]
    all: bool,

    /// Prints the source with the clauses marked that never held (`-`) or are shadowed (`=`).
    #[arg(long, conflicts_with = "json")]
    source: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
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
    /// How many positions were to be examined.
    chosen: usize,
    /// Why they were not all examined.
    cut: Option<Cut>,
}

impl Report {
    /// Whether all games were played and all positions examined.
    fn complete(&self, arguments: &CoverArguments) -> bool {
        self.cut.is_none() && self.played.playouts == arguments.playouts
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

pub fn run(arguments: &CoverArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    cover(&game, arguments, console)
}

/// Prints the coverage of a game that is already loaded.
///
/// # Errors
/// A rule error.
pub fn here(game: &Game, playouts: usize, seed: u64, console: &Console) -> Result<(), Stop> {
    let asked = GameArguments { game: String::new(), options: OptionArguments::default() };
    let arguments = CoverArguments {
        game: asked,
        playouts,
        positions: POSITIONS,
        goals: GOALS,
        seconds: None,
        seed,
        all: false,
        source: false,
        json: false,
    };
    cover(game, &arguments, console)
}

fn cover(game: &Game, arguments: &CoverArguments, console: &Console) -> Result<(), Stop> {
    signals::catch();
    let mut referee = Referee::new(game, Evaluator::Compiled);
    referee.set_until(arguments.seconds.map(|s| Instant::now() + Duration::from_secs_f64(s)));
    let mut coverage = Coverage::default();
    let played = sample(&mut referee, arguments, &mut coverage)?;
    let mut positions = 0;
    let most = arguments.goals.saturating_mul(1_000_000);
    let cut = match look(&referee, &played.chosen, &mut positions, most, &mut coverage) {
        Ok(done) => (!done).then_some(Cut::Work),
        Err(error) if error.is_interrupted() => Some(match interrupt::interrupted() {
            true => Cut::Interrupted,
            false => Cut::Time,
        }),
        Err(error) => return Err(referee.stopped(error)),
    };
    let report = report(&referee, &coverage, arguments.all, (played, positions, cut));
    let program = &game.program;
    if arguments.json {
        console.json(&data(program, &report, arguments))?;
    } else if arguments.source {
        marked(program, &report, arguments.all, console)?;
    } else {
        told(program, &report, arguments, console)?;
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

/// Plays the games and chooses some of their positions.
fn sample(
    referee: &mut Referee<'_>,
    arguments: &CoverArguments,
    coverage: &mut Coverage,
) -> Result<Played, Stop> {
    let bar = Progress::new(arguments.playouts as u64, "playouts");
    let mut kept = Kept { most: arguments.positions.max(1), stride: 1, all: Vec::new() };
    let mut ends = Vec::new();
    let mut played = Played::default();
    for number in 0..arguments.playouts {
        let mut random = Random::for_ply(arguments.seed, number as u64);
        match game(referee, &mut random, &mut played, &mut kept, coverage) {
            Ok(Some(end)) if ends.len() < ENDS => ends.push(end),
            Ok(_) => {}
            Err(Stop::Interrupted) => break,
            Err(stop) => return Err(stop),
        }
        if played.positions >= ALL_PLIES {
            break;
        }
        played.playouts += 1;
        bar.step();
    }
    Ok(chosen(played, kept.all, ends, arguments))
}

/// One in `stride` of all positions; `stride` doubles when too many are kept.
struct Kept {
    most: usize,
    stride: usize,
    all: Vec<(usize, Facts)>,
}

impl Kept {
    fn add(&mut self, number: usize, facts: impl FnOnce() -> Facts) {
        if number.is_multiple_of(self.stride) {
            self.all.push((number, facts()));
        }
        if self.all.len() > 2 * self.most {
            self.stride *= 2;
            let stride = self.stride;
            self.all.retain(|(at, _)| at % stride == 0);
        }
    }
}

/// Plays a random game; returns its final position where the game was finished.
fn game(
    referee: &mut Referee<'_>,
    random: &mut Random,
    played: &mut Played,
    kept: &mut Kept,
    coverage: &mut Coverage,
) -> Result<Option<Facts>, Stop> {
    let mut position = referee.opening();
    for _ in 0..MOST_PLIES {
        if referee.is_over() {
            return Err(Stop::Interrupted);
        }
        if played.positions >= ALL_PLIES {
            break;
        }
        let outcome = referee.outcome(&position)?;
        kept.add(played.positions, || referee.facts(&position));
        played.positions += 1;
        if let Some(outcome) = outcome {
            coverage.ended(outcome.clause);
            return Ok(Some(referee.facts(&position)));
        }
        let choices = referee.choices(&position)?;
        let drawn = Referee::draw(&choices, random)?;
        match referee.play(&position, &drawn)? {
            Some(next) => position = next,
            None => break,
        }
    }
    Ok(None)
}

/// The final positions and the wanted number of others, in an order in which any first few are
/// spread evenly over the games.
fn chosen(
    played: Played,
    kept: Vec<(usize, Facts)>,
    ends: Vec<Facts>,
    arguments: &CoverArguments,
) -> Played {
    let step = kept.len().div_ceil(arguments.positions.max(1)).max(1);
    let mut chosen: Vec<Facts> = kept.into_iter().step_by(step).map(|(_, facts)| facts).collect();
    let mut random = Random::seeded(arguments.seed);
    for at in (1..chosen.len()).rev() {
        chosen.swap(at, random.below(at as u64 + 1) as usize);
    }
    // every other one, since they are few and may be the largest
    let mut ends = ends.into_iter();
    let mut mixed = Vec::new();
    for facts in chosen {
        mixed.extend(ends.next());
        mixed.push(facts);
    }
    Played { chosen: mixed.into_iter().chain(ends).collect(), ..played }
}

fn report(
    referee: &Referee<'_>,
    coverage: &Coverage,
    all: bool,
    (played, chosen, cut): (Played, usize, Option<Cut>),
) -> Report {
    let program = &referee.game.program;
    let own = |id: ClauseId| all || program.clause(id).span.file == FileId(0);
    let ids: Vec<ClauseId> = (0..program.clauses.len())
        .map(|i| ClauseId(i as u32))
        .filter(|id| own(*id) && counted(program, *id))
        .collect();
    let never =
        ids.iter().filter(|id| !coverage.fired(**id)).map(|id| (*id, off(referee, *id))).collect();
    let shadowed = coverage.shadowed().into_iter().filter(|(later, _)| own(*later)).collect();
    let (looked_at, clauses) = (coverage.positions, ids.len());
    Report { never, shadowed, looked_at, clauses, played, chosen, cut }
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

fn head(program: &Program, id: ClauseId) -> String {
    let clause = program.clause(id);
    program.sources.text(clause.head_span).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told(
    program: &Program,
    report: &Report,
    arguments: &CoverArguments,
    console: &Console,
) -> Result<(), Stop> {
    let width = console.width();
    let seen = report.clauses - report.never.len();
    let (playouts, positions) = (report.played.playouts, report.played.positions);
    let held = format!(
        "{seen} of {} clauses held: {playouts} playouts with {positions} positions, {} positions \
         looked at",
        report.clauses, report.looked_at
    );
    console.line(fit(&held, width, 2))?;
    let why = match report.cut {
        Some(Cut::Interrupted) => Some("interrupted".to_string()),
        _ if report.complete(arguments) => None,
        Some(Cut::Time) => Some("cut short by `--seconds`".to_string()),
        Some(Cut::Work) => Some(format!("cut short by `--goals {}`", arguments.goals)),
        None => Some(format!("cut short after {ALL_PLIES} plies")),
    };
    if let Some(why) = why {
        let (asked, chosen) = (arguments.playouts, report.chosen);
        let cut = format!(
            "{why}: {playouts} of {asked} playouts and {} of {chosen} positions",
            report.looked_at
        );
        console.line(fit(&cut, width, 2))?;
    }
    // nothing was examined, so there is nothing to report
    if report.looked_at == 0 && report.cut.is_some() {
        return Ok(());
    }
    let so_far = if report.complete(arguments) { "" } else { " so far" };
    if !report.never.is_empty() {
        console.line("")?;
        console.line(format!("never held{so_far}:"))?;
        for (id, off) in &report.never {
            let why = if *off { " (off by an option)" } else { "" };
            let place = program.sources.place(program.clause(*id).span);
            console.line(fit(&format!("  {place}: {}{why}", head(program, *id)), width, 4))?;
        }
    }
    if !report.shadowed.is_empty() {
        console.line("")?;
        let why = format!("shadowed{so_far}, as an earlier clause had all their answers:");
        console.line(fit(&why, width, 2))?;
        for (later, earlier) in &report.shadowed {
            let place = program.sources.place(program.clause(*later).span);
            let by = program.sources.place(program.clause(*earlier).span);
            let told = format!("  {place}: {}, by {by}", head(program, *later));
            console.line(fit(&told, width, 4))?;
        }
    }
    Ok(())
}

fn data(program: &Program, report: &Report, arguments: &CoverArguments) -> serde_json::Value {
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
        "playouts": report.played.playouts,
        "seed": arguments.seed,
        "positions": report.played.positions,
        "looked_at": report.looked_at,
        "clauses": report.clauses,
        "complete": report.complete(arguments),
        "never": never.collect::<Vec<_>>(),
        "shadowed": shadowed.collect::<Vec<_>>(),
    })
}

/// The source, with a mark in front of each line of a clause.
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
