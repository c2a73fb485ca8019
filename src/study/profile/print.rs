//! A profile as text and as JSON.

use serde_json::{Value, json};

use crate::engine::Game;
use crate::plan::WrittenId;
use crate::referee::Stop;
use crate::render::fit;
use crate::ui::console::Console;

use super::forms::{Form, head, on_one_line};
use super::tree::{ClauseProfile, Goal, Tree};
use super::why::{Finding, findings, interpreted};

/// The number of clauses that are shown without `--all`, and the least share of each.
const CLAUSES: usize = 20;
const LEAST_CLAUSE: f64 = 0.5;
/// The least share of a goal, in hundredths, for which the goals inside it are shown.
const LEAST_INSIDE: f64 = 1.0;
/// The most forms of a goal that are shown.
const FORMS: usize = 2;
/// The columns before a goal.
const COLUMNS: usize = 25;
/// On a narrower terminal, lines that do not fit are indented less.
const NARROW: usize = 60;

/// Writes a profile; `all` clauses, or the most expensive ones.
///
/// # Errors
/// Where it cannot be written.
pub fn text(tree: &Tree<'_>, all: bool, console: &Console) -> Result<(), Stop> {
    let (width, measured) = (console.width(), tree.measured);
    for line in [speed(tree), counted(tree)] {
        console.line(fit(&line, width, 2))?;
    }
    for (function, reason) in interpreted(tree.game) {
        console.line(fit(&format!("no machine code for {function}: {reason}"), width, 2))?;
    }
    if measured.plies() == 0 && measured.played.games > 0 {
        return console.line("the game is over where it begins: no move was made");
    }
    if measured.samples == 0 {
        return console.line("nothing was measured in this time");
    }
    console.line("")?;
    console.line(console.bold(&format!("{:>6} {:>7} {:>7}  goal", "share", "tried", "answers")))?;
    let (first, rest) = tree.clauses.split_at(shown(tree, all));
    for clause in first {
        clause_text(tree, clause, all, console)?;
    }
    let samples: u64 = rest.iter().map(|clause| clause.samples).sum();
    if !rest.is_empty() {
        let text = format!("{} other clauses, see `--all`", rest.len());
        console.line(row(&share(tree, samples), "", "", &text, 0, width))?;
    }
    let text = "the engine itself, around the clauses";
    console.line(row(&share(tree, measured.outside), "", "", text, 0, width))?;
    console.line("")?;
    for finding in findings(tree) {
        console.line(fit(&sentence(&finding), width, 2))?;
    }
    Ok(())
}

/// How many clauses are shown.
fn shown(tree: &Tree<'_>, all: bool) -> usize {
    let costly = |clause: &&ClauseProfile| tree.share(clause.samples) >= LEAST_CLAUSE;
    match all {
        true => tree.clauses.len(),
        false => tree.clauses.iter().take_while(costly).count().min(CLAUSES),
    }
}

fn speed(tree: &Tree<'_>) -> String {
    let rate = |rate: Option<f64>| rate.map_or("not measured".to_string(), |n| format!("{n:.0}"));
    let measured = tree.measured;
    format!(
        "{}: plies a second: {} as machine code, {} interpreted",
        tree.game.program.title,
        rate(measured.native),
        rate(measured.interpreted)
    )
}

fn counted(tree: &Tree<'_>) -> String {
    let measured = tree.measured;
    let (plies, games) = (measured.plies(), measured.played.games);
    format!(
        "measured: {plies} plies of random games, {games} of them played to their end, interpreted \
         in {:.2} s; time by {} samples",
        measured.elapsed.as_secs_f64(),
        measured.samples
    )
}

fn clause_text(
    tree: &Tree<'_>,
    clause: &ClauseProfile,
    all: bool,
    console: &Console,
) -> Result<(), Stop> {
    let (program, width) = (&tree.game.program, console.width());
    let place = program.sources.place(program.clause(clause.id).span);
    let text = format!("{place}: {}", head(program, clause.id));
    let line = row(&share(tree, clause.samples), "", "", &text, 0, width);
    console.line(console.bold(&line))?;
    let own = tree.goals.get(&clause.root).map_or(0, |goal| goal.own);
    for (number, way) in clause.ways.iter().enumerate() {
        // the time of the clause's own instructions is not split by way
        let own = if number == 0 { share(tree, own) } else { String::new() };
        let (tried, answers) = (count(way.tried), count(way.answers));
        console.line(row(&own, &tried, &answers, &format!("({})", way.name), 1, width))?;
    }
    goals_text(tree, clause.root, (1, all), console)
}

fn goals_text(
    tree: &Tree<'_>,
    around: WrittenId,
    (depth, all): (usize, bool),
    console: &Console,
) -> Result<(), Stop> {
    let (program, width) = (&tree.game.program, console.width());
    for (id, goal) in inside(tree, around) {
        let Some(written) = tree.game.plan.written.get(id) else { continue };
        let line = program.sources.line_column(written.span).0;
        let text = on_one_line(program.sources.text(written.span));
        let text = format!("{line} {text}  -- {}", form(goal));
        let answers = goal.answers.map_or("-".to_string(), count);
        let share = share(tree, goal.samples);
        console.line(row(&share, &count(goal.tried), &answers, &text, depth, width))?;
        if all || tree.share(goal.samples) >= LEAST_INSIDE {
            goals_text(tree, id, (depth + 1, all), console)?;
        }
    }
    Ok(())
}

/// The goals inside another one.
fn inside<'a>(
    tree: &'a Tree<'_>,
    around: WrittenId,
) -> impl Iterator<Item = (WrittenId, &'a Goal)> {
    let all = tree.goals.get(&around).map_or(&[][..], |goal| &goal.inside);
    all.iter().filter_map(|id| Some((*id, tree.goals.get(id)?)))
}

/// The form in which the plan implements a goal. An inlined call, or a negation that became a test
/// of the goal inside it, has no instructions of its own. A goal without any instructions is
/// implemented together with another one, or decided before play.
fn form(goal: &Goal) -> String {
    let names: Vec<&str> = goal.forms.iter().take(FORMS).map(|form| form.name()).collect();
    match (names.is_empty(), goal.inside.is_empty()) {
        (false, _) => names.join(", "),
        (true, false) => "in place".to_string(),
        (true, true) => "joined".to_string(),
    }
}

/// A line of the table.
fn row(share: &str, tried: &str, answers: &str, text: &str, depth: usize, width: usize) -> String {
    let mut line = format!("{share:>6} {tried:>7} {answers:>7}  ");
    line.push_str(&"  ".repeat(depth));
    line.push_str(text);
    let indent = if width < NARROW { 4 } else { COLUMNS + 2 * depth + 2 };
    fit(&line, width, indent.min(width / 2))
}

fn share(tree: &Tree<'_>, samples: u64) -> String {
    format!("{:.1} %", tree.share(samples))
}

/// A count in at most five characters, with three significant digits.
fn count(n: u64) -> String {
    if n < 10_000 {
        return n.to_string();
    }
    let (mut rest, mut units) = (n as f64 / 1000.0, "kMGTPE".chars());
    let mut unit = units.next().unwrap_or('k');
    while rest >= 999.5
        && let Some(next) = units.next()
    {
        (rest, unit) = (rest / 1000.0, next);
    }
    match rest {
        0.0..9.995 => format!("{rest:.2}{unit}"),
        9.995..99.95 => format!("{rest:.1}{unit}"),
        _ => format!("{rest:.0}{unit}"),
    }
}

fn sentence(finding: &Finding) -> String {
    let see = finding.see.map_or(String::new(), |see| format!(" See {see}."));
    format!("{}{see}", finding.text)
}

/// Writes a profile as JSON.
///
/// # Errors
/// Where it cannot be written.
pub fn data(tree: &Tree<'_>, all: bool, console: &Console) -> Result<(), Stop> {
    let measured = tree.measured;
    let shown = shown(tree, all);
    let clauses: Vec<Value> = (tree.clauses[..shown].iter())
        .map(|clause| {
            let ways = clause
                .ways
                .iter()
                .map(|way| json!({ "as": way.name, "tried": way.tried, "answers": way.answers }));
            let mut value = place(tree.game, clause.root);
            value["head"] = json!(head(&tree.game.program, clause.id));
            value["share"] = json!(tree.share(clause.samples));
            value["ways"] = json!(ways.collect::<Vec<_>>());
            value["goals"] = json!(goals_data(tree, clause.root));
            value
        })
        .collect();
    let told: Vec<Value> = (findings(tree).iter())
        .map(|finding| json!({ "share": finding.share, "text": finding.text, "see": finding.see }))
        .collect();
    let left: Vec<Value> = (interpreted(tree.game).iter())
        .map(|(function, reason)| json!({ "function": function, "reason": reason }))
        .collect();
    console.json(&json!({
        "game": tree.game.program.title,
        "plies_per_second": { "native": measured.native, "interpreted": measured.interpreted },
        "seconds": measured.elapsed.as_secs_f64(),
        "playouts": measured.played.games,
        "plies": measured.plies(),
        "samples": measured.samples,
        "outside": tree.share(measured.outside),
        "clauses": clauses,
        "clauses_left_out": tree.clauses.len() - shown,
        "findings": told,
        "interpreted": left,
    }))
}

fn goals_data(tree: &Tree<'_>, around: WrittenId) -> Vec<Value> {
    inside(tree, around)
        .map(|(id, goal)| {
            let forms: Vec<&str> = goal.forms.iter().copied().map(Form::name).collect();
            let mut value = place(tree.game, id);
            let span = tree.game.plan.written.get(id).map(|written| written.span);
            let text = span.map(|span| on_one_line(tree.game.program.sources.text(span)));
            value["goal"] = json!(text);
            value["share"] = json!(tree.share(goal.samples));
            value["tried"] = json!(goal.tried);
            value["answers"] = json!(goal.answers);
            value["form"] = json!(forms);
            value["goals"] = json!(goals_data(tree, id));
            value
        })
        .collect()
}

/// The file and line of a goal.
fn place(game: &Game, id: WrittenId) -> Value {
    let sources = &game.program.sources;
    let span = game.plan.written.get(id).map(|written| written.span);
    let file = span.and_then(|span| sources.get(span.file)).map(|file| file.name.clone());
    json!({ "file": file, "line": span.map(|span| sources.line_column(span).0) })
}
