//! `ludex test`: the examples and perft lines of rule files.

use std::sync::Arc;

use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use crate::diagnostic::{Diagnostic, in_brief};
use crate::engine::Game;
use crate::pipeline;
use crate::program::{Budget, Example, LoadRequest, Origin, PerftLine};
use crate::referee::interrupt;
use crate::referee::questions;
use crate::reference::{ExampleResult, Reference};
use crate::source::Library;
use crate::syntax::{Term, TermKind, print_term};

use super::perft;
use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::ui::arguments::{EngineChoice, OptionArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::signals;

/// Runs the examples and perft lines of rule files.
///
/// Examples are answered by the reference evaluator. Perft lines are counted by the compiled
/// engine, short ones by both.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// Rule files, or names of shipped games; by default all shipped games.
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    options: OptionArguments,

    /// The implementation that counts perft lines; by default the compiled engine, and both for
    /// short lines.
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Perft lines with at most this count are counted by both implementations.
const SHORT: u64 = 2_500;
/// The stack of a thread, in bytes: the reference evaluator recurses deeply.
const STACK: usize = 256 << 20;

/// A rule file and the games loaded from it.
struct File {
    name: String,
    request: LoadRequest,
    game: Game,
}

/// One thing to test.
enum Job<'f> {
    Example(&'f File, &'f Example),
    Perft(&'f File, &'f PerftLine),
}

/// The result of a test.
struct Verdict {
    file: String,
    place: String,
    what: String,
    /// Why it failed.
    failure: Option<String>,
}

pub fn run(arguments: &TestArguments, console: &Console) -> Result<(), Stop> {
    signals::catch();
    let names: Vec<String> = match arguments.files.is_empty() {
        true => Library::games().iter().map(|g| g.name.to_string()).collect(),
        false => arguments.files.clone(),
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let pool = pool.map_err(|e| Stop::Failed(format!("cannot start threads: {e}")))?;
    let loaded: Vec<Result<File, Stop>> = pool.install(|| {
        let load = |name: &String| {
            let options = arguments.options.options.clone();
            let request = LoadRequest { options, ..LoadRequest::new(Origin::of(name)) };
            let game = open::game(&request)?;
            Ok(File { name: name.clone(), request, game })
        };
        names.par_iter().map(load).collect()
    });
    let mut files = Vec::new();
    let mut unloaded = 0;
    let mut usage = false;
    for result in loaded {
        match result {
            Ok(file) => files.push(file),
            Err(stop) => {
                unloaded += 1;
                usage |= console.report(stop) == 2;
            }
        }
    }
    let jobs: Vec<Job<'_>> = files
        .iter()
        .flat_map(|file| {
            let program = &file.game.program;
            let examples = program.examples.iter().map(move |e| Job::Example(file, e));
            examples.chain(program.perfts.iter().map(move |p| Job::Perft(file, p)))
        })
        .collect();
    let verdicts: Vec<Verdict> = pool.install(|| {
        jobs.par_iter().map(|job| verdict(job, arguments.engine.map(Into::into))).collect()
    });
    if interrupt::interrupted() {
        return Err(Stop::Interrupted);
    }
    let failed = verdicts.iter().filter(|v| v.failure.is_some()).count();
    let passed = verdicts.len() - failed;
    if arguments.json {
        let list: Vec<_> = verdicts
            .iter()
            .map(|v| {
                json!({
                    "file": v.file, "place": v.place, "what": v.what,
                    "passed": v.failure.is_none(), "failure": v.failure,
                })
            })
            .collect();
        console.json(&json!({
            "passed": passed, "failed": failed, "not_loaded": unloaded, "tests": list
        }))?;
    } else {
        report(&files, &verdicts, console)?;
        let unloaded = match unloaded {
            0 => String::new(),
            1 => ", 1 file not loaded".to_string(),
            n => format!(", {n} files not loaded"),
        };
        console.line(format!("{passed} passed, {failed} failed{unloaded}"))?;
    }
    match (failed, unloaded) {
        (0, 0) => Ok(()),
        (0, _) if usage => Err(Stop::Told(2)),
        _ => Err(Stop::Told(1)),
    }
}

fn report(files: &[File], verdicts: &[Verdict], console: &Console) -> Result<(), Stop> {
    for file in files {
        let own = || verdicts.iter().filter(|v| v.file == file.name);
        let failures: Vec<&Verdict> = own().filter(|v| v.failure.is_some()).collect();
        let count = own().count();
        console.line(match (count, failures.len()) {
            (0, _) => format!("{}: no examples and no perft lines", file.name),
            (_, 0) => format!("{}: {count} passed", file.name),
            (_, failed) => format!("{}: {} passed, {failed} failed", file.name, count - failed),
        })?;
        for v in failures {
            let why = v.failure.as_deref().unwrap_or_default();
            console.line(format!("  {}: {}", v.place, v.what))?;
            for line in why.lines() {
                console.line(format!("    {line}"))?;
            }
        }
    }
    Ok(())
}

/// Loads the same game with other values of some options.
fn reload(file: &File, settings: &[(String, String)]) -> Result<Game, Vec<Diagnostic>> {
    let mut request = file.request.clone();
    request.options.extend(settings.iter().cloned());
    match pipeline::load(&request) {
        Ok(loaded) => Ok(loaded.game),
        Err(failure) => {
            let mut all = failure.diagnostics;
            all.extend(failure.request_faults);
            all.retain(Diagnostic::is_error);
            Err(all)
        }
    }
}

fn reference(game: &Game) -> Reference {
    let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables));
    let game = game.clone();
    rules.judged_by(move |question| {
        questions::wrong_domains(&game.program, &game, question, Budget::STATIC)
    })
}

fn verdict(job: &Job<'_>, engine: Option<Evaluator>) -> Verdict {
    let (file, span, what) = match job {
        Job::Example(file, example) => {
            (file, example.span, format!("example \"{}\"", example.text))
        }
        Job::Perft(file, line) => {
            (file, line.span, format!("perft {} = {}", print_term(&line.subject), line.count))
        }
    };
    let place = file.game.program.sources.place(span);
    let failure = if interrupt::interrupted() {
        Some("interrupted".to_string())
    } else {
        match job {
            Job::Example(file, example) => check_example(file, example),
            Job::Perft(file, line) => check_perft(file, line, engine),
        }
    };
    Verdict { file: file.name.clone(), place, what, failure }
}

/// The reason why an example fails; `None` where it holds.
fn check_example(file: &File, example: &Example) -> Option<String> {
    let reload = |settings: &[(String, String)]| reload(file, settings).map(|g| reference(&g));
    match reference(&file.game).run_example(&example.goal, &reload) {
        Ok(ExampleResult::Holds) => None,
        Ok(ExampleResult::Fails(text)) => Some(text),
        Err(error) => Some(in_brief(&file.game.program.sources, &error.into_diagnostics())),
    }
}

/// The reason why a perft line fails; `None` where its count is right.
fn check_perft(file: &File, line: &PerftLine, engine: Option<Evaluator>) -> Option<String> {
    let engines = match engine {
        Some(engine) => vec![engine],
        None if line.count <= SHORT => vec![Evaluator::Compiled, Evaluator::Reference],
        None => vec![Evaluator::Compiled],
    };
    for engine in engines {
        let name = match engine {
            Evaluator::Compiled => "the compiled engine",
            Evaluator::Interpreted => "the compiled engine without machine code",
            Evaluator::Reference => "the reference evaluator",
        };
        match count(file, &line.subject, engine) {
            Ok(count) if count == line.count => {}
            Ok(count) => return Some(format!("{name} counts {count}")),
            Err(why) => return Some(format!("{name}: {why}")),
        }
    }
    None
}

/// A step towards the position from which a perft line counts.
enum Lead<'t> {
    Given(&'t Term),
    After(&'t Term),
}

/// The count for a perft line's subject: a depth, perhaps inside `options`, `given` and `after`.
fn count(file: &File, subject: &Term, engine: Evaluator) -> Result<u64, String> {
    let mut settings = Vec::new();
    let mut leads = Vec::new();
    let mut inner = subject;
    let depth = loop {
        if let TermKind::Integer(depth) = inner.kind
            && let Ok(depth) = u32::try_from(depth)
        {
            break depth;
        }
        if let Some([options, rest]) = inner.args_of("options", 2) {
            for option in options.flatten(",") {
                let Some([name, value]) = option.args_of("=", 2) else {
                    return Err(format!("`{}` sets no option", print_term(option)));
                };
                settings.push((print_term(name), print_term(value)));
            }
            inner = rest;
        } else if let Some([list, rest]) = inner.args_of("given", 2) {
            leads.push(Lead::Given(list));
            inner = rest;
        } else if let Some([moves, rest]) = inner.args_of("after", 2) {
            leads.push(Lead::After(moves));
            inner = rest;
        } else {
            return Err(format!("`{}` is no depth", print_term(inner)));
        }
    };
    let other = match settings.is_empty() {
        true => None,
        false => {
            let sources = &file.game.program.sources;
            Some(reload(file, &settings).map_err(|all| in_brief(sources, &all))?)
        }
    };
    let game = other.as_ref().unwrap_or(&file.game);
    let mut referee = Referee::new(game, engine);
    let start = position(&mut referee, &leads)?;
    perft::count(&mut referee, &start, depth, true).map_err(|stop| told(&stop))
}

fn position(referee: &mut Referee<'_>, leads: &[Lead<'_>]) -> Result<Position, String> {
    let mut position = referee.opening();
    for lead in leads {
        position = match lead {
            Lead::Given(updates) => {
                let given = referee.rules.given(updates);
                let sources = &referee.game.program.sources;
                let facts = given.map_err(|error| in_brief(sources, &error.into_diagnostics()))?;
                referee.position(&facts).map_err(|stop| told(&stop))?
            }
            Lead::After(moves) => after(referee, position, moves)?,
        };
    }
    Ok(position)
}

fn after(
    referee: &mut Referee<'_>,
    mut position: Position,
    moves: &Term,
) -> Result<Position, String> {
    let TermKind::List(moves, None) = &moves.kind else {
        return Err(format!("`after` needs a list of moves, not `{}`", print_term(moves)));
    };
    for mv in moves {
        let next = referee.play(&position, mv).map_err(|stop| told(&stop))?;
        position = next.ok_or_else(|| format!("`{}` is not legal", print_term(mv)))?;
    }
    Ok(position)
}

/// A reason to stop in a few words.
fn told(stop: &Stop) -> String {
    match stop {
        Stop::Usage(text) | Stop::Failed(text) => text.clone(),
        Stop::Diagnosed { sources, diagnostics, .. } => in_brief(sources, diagnostics),
        Stop::Interrupted => "interrupted".to_string(),
        Stop::Closed | Stop::Told(_) => String::new(),
    }
}
