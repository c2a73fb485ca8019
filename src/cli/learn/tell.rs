//! Lists, verdicts and summaries in words and as JSON.

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, to_json};
use crate::learn::{Difference, Exercise, Progress, Verdict};
use crate::render::fit;
use crate::source::Sources;

use super::LearnArguments;
use super::desk::Desk;
use crate::referee::Stop;
use crate::ui::console::Console;
use crate::ui::tables;

/// `1 position`, `12 positions`.
pub fn positions(count: usize) -> String {
    if count == 1 {
        "1 position compared".to_string()
    } else {
        format!("{count} positions compared")
    }
}

/// The lines of a text with those that belong together joined. Indented lines and the items of a list stand
/// for themselves.
pub fn paragraphs(text: &str) -> Vec<String> {
    let stands_alone = |line: &str| line.is_empty() || line.starts_with(' ');
    let mut all: Vec<String> = Vec::new();
    for line in text.lines() {
        match all.last_mut() {
            Some(last) if !stands_alone(line) && !stands_alone(last) && !line.starts_with("- ") => {
                last.push(' ');
                last.push_str(line);
            }
            _ => all.push(line.to_string()),
        }
    }
    all
}

/// The word for a verdict that progress and JSON use; empty where the rules are right.
pub fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Right { .. } => "",
        Verdict::Open(..) => "open",
        Verdict::Unloaded(_) => "unloaded",
        Verdict::Differs { difference, .. } => difference.kind,
        Verdict::Unfinished { .. } => "unfinished",
    }
}

/// The exercises with what the learner has done.
///
/// # Errors
/// Where it cannot be written.
pub fn list(desk: &Desk<'_>) -> Result<(), Stop> {
    let rows = desk.exercises.iter().enumerate().map(|(i, e)| {
        let record = desk.progress.of(&desk.learner, &e.name);
        let mark = match (record.solved, record.attempts + record.hints) {
            (true, _) => "✓",
            (false, 0) => "",
            (false, _) => "…",
        };
        vec![
            mark.to_string(),
            (i + 1).to_string(),
            e.name.clone(),
            e.title.clone(),
            e.topic.clone(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    desk.console.text(tables::plain(&rows, &[1], desk.console.width()))
}

/// A verdict in words. `file` is the one that was judged, where there is one.
///
/// # Errors
/// Where it cannot be written.
pub fn verdict(
    desk: &Desk<'_>,
    at: usize,
    verdict: &Verdict,
    file: Option<&str>,
) -> Result<(), Stop> {
    let console = desk.console;
    let wrong = |text: &str| console.line(console.red(&fit(text, console.width(), 2)));
    match verdict {
        Verdict::Right { positions: count, warnings } => {
            remarks(warnings, console)?;
            let text = format!("right: {}", positions(*count));
            console.line(console.green(&text))
        }
        Verdict::Open(sources, fault) => {
            console.text(console.diagnosed(sources, std::slice::from_ref(fault), true))?;
            wrong("not yet: something is still to be filled in")
        }
        Verdict::Unloaded(failure) => {
            let mut all = failure.diagnostics.clone();
            all.extend(failure.request_faults.clone());
            console.text(console.diagnosed(&failure.sources, &all, true))?;
            wrong("not yet: the rules have errors, so they cannot be compared")
        }
        Verdict::Differs { difference, warnings } => {
            remarks(warnings, console)?;
            wrong(&format!(
                "not yet: your rules differ from the exercise's {}",
                difference.place()
            ))?;
            told(difference, console)?;
            match asked(difference, file).and_then(|words| command(&words)) {
                Some(command) => console.line(format!("ask: {command}")),
                None => Ok(()),
            }
        }
        Verdict::Unfinished { positions: count } => {
            let text = format!(
                "not yet: the time was over before everything was compared ({}, no difference); are \
                 the rules of `{}` simpler than yours?",
                positions(*count),
                desk.exercises[at].name
            );
            wrong(&text)
        }
    }
}

/// The warnings of the checker.
fn remarks(
    (sources, warnings): &(Sources, Vec<Diagnostic>),
    console: &Console,
) -> Result<(), Stop> {
    match warnings.is_empty() {
        true => Ok(()),
        false => console.text(console.diagnosed(sources, warnings, true)),
    }
}

fn told(difference: &Difference, console: &Console) -> Result<(), Stop> {
    if !difference.drawn.is_empty() {
        match &difference.yours {
            None => console.line(&difference.drawn)?,
            Some(yours) => {
                console.line("by your rules:")?;
                console.line(yours)?;
                console.line("by the exercise:")?;
                console.line(&difference.drawn)?;
            }
        }
    }
    let moving = ["moves", "answers", "error", "time"].contains(&difference.kind);
    if let Some(turn) = difference.turn.as_ref().filter(|_| moving) {
        console.line(format!("{turn} to move"))?;
    }
    for line in &difference.told {
        console.line(fit(&format!("  {line}"), console.width(), 4))?;
    }
    if let Some((sources, fault)) = &difference.fault {
        console.text(console.diagnosed(sources, std::slice::from_ref(fault), true))?;
    }
    Ok(())
}

/// The words of the command that tells why a move that only one side allows is legal or not by the learner's rules, or why the
/// game is over by them or not.
pub fn asked(difference: &Difference, file: Option<&str>) -> Option<Vec<String>> {
    let what = match (&difference.mv, difference.kind) {
        (Some(mv), _) => mv.as_str(),
        (None, "outcome") => "over",
        _ => return None,
    };
    let mut words =
        vec!["ludex".to_string(), "why".to_string(), file?.to_string(), what.to_string()];
    for (name, value) in &difference.options {
        words.extend(["-o".to_string(), format!("{name}={value}")]);
    }
    if let Some(given) = &difference.given {
        words.extend(["--given".to_string(), given.clone()]);
    }
    if !difference.line.is_empty() {
        words.extend(["--after".to_string(), difference.line.join(" ")]);
    }
    Some(words)
}

/// A command as it is typed in a shell; `None` where a word would need more than quotes.
fn command(words: &[String]) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "-_./=~".contains(c);
    let quoted = |word: &String| match word.chars().all(plain) {
        true => Some(word.clone()),
        false => (!word.contains('\'')).then(|| format!("'{word}'")),
    };
    Some(words.iter().map(quoted).collect::<Option<Vec<String>>>()?.join(" "))
}

/// A verdict as data.
pub fn verdict_json(exercise: &Exercise, verdict: &Verdict) -> Value {
    let faults = |sources: &Sources, all: &[Diagnostic]| -> Vec<Value> {
        all.iter().map(|d| to_json(sources, d)).collect()
    };
    let (count, difference, diagnostics) = match verdict {
        Verdict::Right { positions, warnings } => {
            (Some(*positions), None, faults(&warnings.0, &warnings.1))
        }
        Verdict::Open(sources, fault) => (None, None, faults(sources, std::slice::from_ref(fault))),
        Verdict::Unloaded(failure) => {
            let all: Vec<Diagnostic> =
                failure.diagnostics.iter().chain(&failure.request_faults).cloned().collect();
            (None, None, faults(&failure.sources, &all))
        }
        Verdict::Differs { difference, warnings } => {
            (None, Some(difference.to_json()), faults(&warnings.0, &warnings.1))
        }
        Verdict::Unfinished { positions } => (Some(*positions), None, Vec::new()),
    };
    json!({
        "exercise": exercise.name, "right": kind(verdict).is_empty(), "kind": kind(verdict),
        "positions": count, "difference": difference, "diagnostics": diagnostics,
    })
}

/// What each learner has done, or the one that is named.
///
/// # Errors
/// Where it cannot be written, and where nothing is known of the learner who is named.
pub fn summary(
    exercises: &[Exercise],
    progress: &Progress,
    arguments: &LearnArguments,
    console: &Console,
) -> Result<(), Stop> {
    let wanted = |name: &str| arguments.learner.as_deref().is_none_or(|only| only == name);
    let learners: Vec<&str> = progress.learners().filter(|name| wanted(name)).collect();
    if let (Some(name), true) = (&arguments.learner, learners.is_empty()) {
        let known: Vec<&str> = progress.learners().collect();
        let known = if known.is_empty() { "nobody".to_string() } else { known.join(", ") };
        return Err(Stop::Failed(format!(
            "nothing is known of a learner `{name}`: the file knows {known}"
        )));
    }
    let mut all = Vec::new();
    let mut rows =
        vec![["learner", "solved", "tried", "attempts", "hints"].map(String::from).to_vec()];
    for learner in learners {
        let (mut solved, mut tried, mut attempts, mut hints) = (0, 0, 0, 0);
        let mut each = Vec::new();
        for (i, exercise) in exercises.iter().enumerate() {
            let record = progress.of(learner, &exercise.name);
            solved += usize::from(record.solved);
            tried += usize::from(record.attempts > 0);
            attempts += record.attempts;
            hints += record.hints;
            let mut entry = record.to_json();
            entry["number"] = json!(i + 1);
            entry["name"] = json!(exercise.name);
            each.push(entry);
        }
        let count = exercises.len();
        rows.push(vec![
            learner.to_string(),
            format!("{solved} of {count}"),
            tried.to_string(),
            attempts.to_string(),
            hints.to_string(),
        ]);
        all.push(json!({
            "learner": learner, "solved": solved, "of": count, "attempts": attempts, "hints": hints,
            "exercises": each,
        }));
    }
    if arguments.json {
        return console.json(&json!({ "learners": all }));
    }
    if all.is_empty() {
        return console.line("nobody has tried an exercise yet");
    }
    console.text(tables::plain(&rows, &[1, 2, 3, 4], console.width()))
}
