//! `ludex learn`: exercises, judged by comparing the learner's rules with a hidden reference.

mod desk;
mod prompt;
mod tell;

use std::path::PathBuf;

use clap::Args;

use crate::learn::{Exercise, Progress, Settings, Unjudged, Unreadable, Verdict, judge};
use crate::program::LoadRequest;
use crate::referee::interrupt;
use crate::ui::state_file;

use crate::referee::Stop;
use crate::ui::console::Console;
use crate::ui::signals;
use desk::Desk;

/// Exercises in writing rules, from a single fact to whole games.
///
/// Without an exercise they are listed with what is solved. `ludex learn NAME` tells the task and writes
/// the file to work on, `ludex learn NAME --check` judges it, and `ludex learn NAME --hint` helps.
#[derive(Debug, Args)]
pub struct LearnArguments {
    /// An exercise: its number or its name.
    #[arg(value_name = "EXERCISE")]
    exercise: Option<String>,

    /// Judges a file, by default the one that was written for the exercise; `-` is the standard input.
    #[arg(long, value_name = "FILE", num_args = 0..=1, group = "task")]
    check: Option<Option<PathBuf>>,

    /// Tells the next hint.
    #[arg(long, group = "task")]
    hint: bool,

    /// Shows the reference of an exercise that is solved, or whose hints have all been told.
    #[arg(long, group = "task")]
    solution: bool,

    /// Tells what each learner has done, for a teacher, from the files of a class or one's own.
    #[arg(long, value_name = "FILE", num_args = 0.., group = "task")]
    summary: Option<Vec<PathBuf>>,

    /// Checks the exercises themselves: each reference must be right, and what the learner begins with
    /// must not be.
    #[arg(long, group = "task")]
    verify: bool,

    /// The folder with the exercises, in place of those that are built in.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,

    /// The folder in which the learner's files are written.
    #[arg(long, value_name = "FOLDER", default_value = "ludex-learn")]
    dir: PathBuf,

    /// The learner's name; by default the user's.
    #[arg(long, value_name = "NAME")]
    learner: Option<String>,

    /// The file that keeps what is solved.
    #[arg(long, value_name = "FILE")]
    progress: Vec<PathBuf>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &LearnArguments, console: &Console) -> Result<(), Stop> {
    signals::catch();
    let exercises = match &arguments.from {
        Some(folder) => Exercise::folder(folder),
        None => Exercise::shipped(),
    };
    let exercises = exercises.map_err(|Unreadable { sources, diagnostics }| Stop::Diagnosed {
        sources,
        diagnostics,
        code: 1,
    })?;
    if arguments.verify {
        return verify(&exercises, arguments.json, console);
    }
    let read = |file: &PathBuf| Progress::read(file).map_err(|e| Stop::Failed(e.to_string()));
    if let Some(named) = &arguments.summary {
        let mut progress = Progress::default();
        for file in summarised(named, arguments)? {
            progress.join(read(&file)?);
        }
        return tell::summary(&exercises, &progress, arguments, console);
    }
    let file = progress_file(arguments)?;
    let mut desk = Desk {
        exercises,
        progress: read(&file)?,
        file,
        learner: arguments.learner.clone().unwrap_or_else(user),
        folder: arguments.dir.clone(),
        flags: flags(arguments),
        json: arguments.json,
        console,
        asked: None,
    };
    let (named, checked) = named(arguments, &desk);
    let Some(name) = named else {
        if arguments.hint || arguments.solution || arguments.check.is_some() {
            return Err(Stop::Usage("name an exercise; `ludex learn` lists them".to_string()));
        }
        desk.list()?;
        return match prompt::possible() && !arguments.json {
            true => prompt::run(&mut desk, None),
            false => Ok(()),
        };
    };
    let at = desk.find(&name)?;
    if let Some(file) = checked {
        let right = desk.check(at, file.as_deref())?;
        return if right { Ok(()) } else { Err(Stop::Told(1)) };
    }
    if arguments.hint {
        return desk.hint(at);
    }
    if arguments.solution {
        return desk.solution(at);
    }
    desk.begin(at)?;
    if prompt::possible() && !arguments.json { prompt::run(&mut desk, Some(at)) } else { Ok(()) }
}

/// The exercise that is meant, and the file to be judged where one is. `--check NAME` names an exercise,
/// too.
fn named(arguments: &LearnArguments, desk: &Desk<'_>) -> (Option<String>, Option<Option<PathBuf>>) {
    match (&arguments.exercise, &arguments.check) {
        (None, Some(Some(file))) => {
            let name = file.display().to_string();
            match desk.find(&name) {
                Ok(_) => (Some(name), Some(None)),
                Err(_) => (None, Some(Some(file.clone()))),
            }
        }
        (exercise, check) => (exercise.clone(), check.clone()),
    }
}

/// The file that keeps what is solved.
fn progress_file(arguments: &LearnArguments) -> Result<PathBuf, Stop> {
    match arguments.progress.as_slice() {
        [] => state_file::learned().ok_or_else(|| {
            Stop::Failed(
                "there is no home folder to keep what is solved: name a file by `--progress FILE`"
                    .to_string(),
            )
        }),
        [file] => Ok(file.clone()),
        _ => {
            let text = "one file keeps what is solved; `--summary FILE…` takes several";
            Err(Stop::Usage(text.to_string()))
        }
    }
}

/// The files that a summary tells of. One that is named must be there.
fn summarised(named: &[PathBuf], arguments: &LearnArguments) -> Result<Vec<PathBuf>, Stop> {
    if let Some(other) = &arguments.exercise {
        return Err(Stop::Usage(format!(
            "a summary is of all exercises: `{other}` is not looked at; files stand behind `--summary`"
        )));
    }
    let files: Vec<PathBuf> = arguments.progress.iter().chain(named).cloned().collect();
    if files.is_empty() {
        return progress_file(arguments).map(|file| vec![file]);
    }
    match files.iter().find(|file| !file.exists()) {
        Some(missing) => Err(Stop::Failed(format!("there is no file `{}`", missing.display()))),
        None => Ok(files),
    }
}

/// The arguments that a further command needs to speak of the same exercises, files and learner.
fn flags(arguments: &LearnArguments) -> String {
    let mut flags = String::new();
    let mut add = |flag: &str, value: &str| {
        let quote = if value.contains(char::is_whitespace) { "'" } else { "" };
        flags.push_str(&format!(" --{flag} {quote}{value}{quote}"));
    };
    if let Some(from) = &arguments.from {
        add("from", &from.display().to_string());
    }
    if arguments.dir.as_os_str() != "ludex-learn" {
        add("dir", &arguments.dir.display().to_string());
    }
    if let Some(learner) = &arguments.learner {
        add("learner", learner);
    }
    for file in &arguments.progress {
        add("progress", &file.display().to_string());
    }
    flags
}

/// The user's name.
fn user() -> String {
    let named =
        ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    named
        .map(|name| name.trim().to_string())
        .find(|name| !name.is_empty())
        .unwrap_or("learner".into())
}

fn settings(console: &Console) -> Settings {
    let width = console.width();
    Settings { width, interrupted: interrupt::interrupted, ..Settings::default() }
}

/// Why nothing can be said of a learner's rules, as the reason to stop.
fn unjudged(unjudged: Unjudged) -> Stop {
    match unjudged {
        Unjudged::Interrupted => Stop::Interrupted,
        Unjudged::Exercise(sources, diagnostics) => {
            Stop::Diagnosed { sources, diagnostics, code: 1 }
        }
    }
}

/// Judges the reference of each exercise, and what its learner begins with.
fn verify(exercises: &[Exercise], json: bool, console: &Console) -> Result<(), Stop> {
    let settings = settings(console);
    let mut wrong = 0;
    let mut all = Vec::new();
    for exercise in exercises {
        let (mut faults, positions) = match verified(exercise, &settings) {
            Ok(found) => found,
            Err(Unjudged::Interrupted) => return Err(Stop::Interrupted),
            Err(Unjudged::Exercise(sources, diagnostics)) => {
                console.report(Stop::Diagnosed { sources, diagnostics, code: 1 });
                (vec!["the reference has errors".to_string()], 0)
            }
        };
        if exercise.hints.is_empty() {
            faults.push("there is no hint".to_string());
        }
        wrong += usize::from(!faults.is_empty());
        if json {
            all.push(serde_json::json!({
                "exercise": exercise.name, "ok": faults.is_empty(), "positions": positions,
                "faults": faults,
            }));
            continue;
        }
        let verdict = match faults.as_slice() {
            [] => format!("right, {}", tell::positions(positions)),
            faults => faults.join("; "),
        };
        console.line(format!("{}: {verdict}", exercise.name))?;
    }
    if json {
        console.json(&serde_json::json!(all))?;
    }
    if wrong == 0 { Ok(()) } else { Err(Stop::Told(1)) }
}

/// What is wrong with an exercise, and how many positions were compared.
fn verified(exercise: &Exercise, settings: &Settings) -> Result<(Vec<String>, usize), Unjudged> {
    let (mut faults, mut positions) = (Vec::new(), 0);
    match judge(exercise, &exercise.reference(), settings)? {
        Verdict::Right { positions: compared, .. } => positions = compared,
        Verdict::Unfinished { .. } => {
            faults.push("the comparison takes too long: lower `depth` or `positions`".to_string());
        }
        _ => faults.push("the reference is not found right by itself".to_string()),
    }
    let start = LoadRequest { text: Some(exercise.file(1)), ..exercise.reference() };
    if let Verdict::Right { .. } = judge(exercise, &start, settings)? {
        faults.push("what the learner begins with is right already".to_string());
    }
    Ok((faults, positions))
}
