//! The coverage as text, as a marked source, and as JSON.

use serde_json::json;

use crate::coverage::{ALL_PLIES, Cut, Report, Request, head};
use crate::program::{ClauseId, Program};
use crate::referee::Stop;
use crate::render::fit;
use crate::source::FileId;
use crate::ui::console::Console;

pub fn told(
    program: &Program,
    report: &Report,
    request: &Request,
    console: &Console,
) -> Result<(), Stop> {
    let width = console.width();
    let seen = report.clauses - report.never.len();
    let (playouts, positions) = (report.played.playouts, report.played.positions);
    let lines = match report.lines {
        0 => String::new(),
        1 => " and 1 guided line".to_string(),
        n => format!(" and {n} guided lines"),
    };
    let held = format!(
        "{seen} of {} clauses held: {playouts} playouts with {positions} positions{lines}, {} \
         positions looked at",
        report.clauses, report.looked_at
    );
    console.line(fit(&held, width, 2))?;
    let why = match report.cut {
        Some(Cut::Interrupted) => Some("interrupted".to_string()),
        _ if report.complete(request) => None,
        Some(Cut::Time) => Some("cut short by `--seconds`".to_string()),
        Some(Cut::Work) => Some(format!("cut short by `--goals {}`", request.goals)),
        None => Some(format!("cut short after {ALL_PLIES} plies")),
    };
    if let Some(why) = why {
        let (asked, chosen) = (request.playouts, report.chosen);
        let cut = format!(
            "{why}: {playouts} of {asked} playouts and {} of {chosen} positions",
            report.examined
        );
        console.line(fit(&cut, width, 2))?;
    }
    // nothing was examined, so there is nothing to report
    if report.looked_at == 0 && report.cut.is_some() {
        return Ok(());
    }
    let so_far = if report.complete(request) { "" } else { " so far" };
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

pub fn data(program: &Program, report: &Report, request: &Request) -> serde_json::Value {
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
        "seed": request.seed,
        "positions": report.played.positions,
        "guided_lines": report.lines,
        "looked_at": report.looked_at,
        "clauses": report.clauses,
        "complete": report.complete(request),
        "never": never.collect::<Vec<_>>(),
        "shadowed": shadowed.collect::<Vec<_>>(),
    })
}

/// The source, with a mark in front of each line of a clause.
pub fn marked(
    program: &Program,
    report: &Report,
    all: bool,
    console: &Console,
) -> Result<(), Stop> {
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
