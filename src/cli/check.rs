//! `ludex check`: the faults of rule files.

use clap::Args;
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, to_json};
use crate::pipeline::{self, Failure};
use crate::program::{LoadRequest, Origin};
use crate::source::Sources;

use crate::referee::Stop;
use crate::ui::arguments::OptionArguments;
use crate::ui::console::Console;

/// Checks rule files and reports their errors and warnings.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Rule files, or names of shipped games.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    #[command(flatten)]
    options: OptionArguments,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The result for one file.
struct Report {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The file is a part of games, not a game.
    part: bool,
    /// The faults are those of the request, not of the file.
    request: bool,
}

pub fn run(arguments: &CheckArguments, console: &Console) -> Result<(), Stop> {
    let mut wrong = 0;
    let mut asked_wrong = false;
    let mut all = Vec::new();
    for file in &arguments.files {
        let report = check(file, &arguments.options);
        let bad = report.diagnostics.iter().any(Diagnostic::is_error);
        wrong += usize::from(bad);
        asked_wrong |= report.request;
        if arguments.json {
            let list = report.diagnostics.iter().map(|d| to_json(&report.sources, d));
            let list: Vec<Value> = list.collect();
            all.push(json!({ "file": file, "ok": !bad, "part": report.part, "diagnostics": list }));
        } else {
            console.text(console.diagnosed(&report.sources, &report.diagnostics, true))?;
            if !bad {
                let part = if report.part { " (a part that games include)" } else { "" };
                console.line(format!("{file}: no errors{part}"))?;
            }
        }
    }
    if arguments.json {
        console.json(&json!(all))?;
    } else if arguments.files.len() > 1 {
        console.line(format!("{} files, {wrong} with errors", arguments.files.len()))?;
    }
    match (wrong, asked_wrong) {
        (0, _) => Ok(()),
        (_, true) => Err(Stop::Told(2)),
        _ => Err(Stop::Told(1)),
    }
}

fn check(file: &str, options: &OptionArguments) -> Report {
    let request =
        LoadRequest { options: options.options.clone(), ..LoadRequest::new(Origin::of(file)) };
    match pipeline::load(&request) {
        Ok(loaded) => Report {
            sources: loaded.game.program.sources.clone(),
            diagnostics: loaded.warnings,
            part: false,
            request: false,
        },
        Err(Failure { sources, mut diagnostics, request_faults, .. }) => {
            let request = !diagnostics.iter().any(Diagnostic::is_error);
            diagnostics.extend(request_faults);
            let before = diagnostics.len();
            diagnostics.retain(|d| d.code != "not-a-game");
            Report { sources, part: diagnostics.len() < before, diagnostics, request }
        }
    }
}
