//! `cargo bench --bench ratio`: Ludex beside programs written by hand, in one process and in turn,
//! so that both have the same machine at the same time.
//!
//! A line of the table is a share of the other program's speed: the median over the rounds of
//! plies (or perft leaves) a second of Ludex by those of the program. The last table is kept in
//! `benches/README.md`; `--check` compares with it, `--write` replaces it.

#[path = "../baseline/mod.rs"]
mod baseline;
mod contests;
mod kept;
mod sides;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::json;

use contests::{Contest, contests};

/// Measures Ludex against programs written by hand.
#[derive(Debug, Parser)]
#[command(name = "ratio")]
struct Arguments {
    /// Only the contests whose name contains one of these.
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// How long each side plays in a round.
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds: f64,

    /// How often both sides play; the median counts.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Fails where a ratio is below 0.6 of that in benches/README.md, beyond what the machine explains.
    #[arg(long)]
    check: bool,

    /// Puts the table into benches/README.md.
    #[arg(long, conflicts_with_all = ["names", "check"])]
    write: bool,

    /// Answers in JSON.
    #[arg(long)]
    json: bool,

    /// Says that cargo runs a benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What was measured in one contest: medians over the rounds, speeds in plies or leaves a second.
struct Measured {
    contest: Contest,
    other: f64,
    ludex: f64,
    ratio: f64,
}

impl Measured {
    /// The ratio for a board of 64 sites, where the work of a ply is in proportion to the sites.
    fn per_site(&self) -> Option<f64> {
        self.contest.sites.map(|sites| self.ratio * sites as f64 / 64.0)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seconds = arguments.seconds.is_finite() && (0.0..=3600.0).contains(&arguments.seconds);
    if !seconds {
        eprintln!("--seconds takes a number from 0 to 3600");
        return ExitCode::from(2);
    }
    let chosen = match choose(&arguments.names) {
        Ok(chosen) => chosen,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments, chosen) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The contests with one of these in their names; all where none is given.
fn choose(names: &[String]) -> Result<Vec<Contest>, String> {
    let mut chosen = contests();
    let all: Vec<&str> = chosen.iter().map(|c| c.name).collect();
    if let Some(unknown) = names.iter().find(|n| !all.iter().any(|c| c.contains(n.as_str()))) {
        return Err(format!(
            "no contest has `{unknown}` in its name; there are {}",
            all.join(", ")
        ));
    }
    chosen.retain(|c| names.is_empty() || names.iter().any(|n| c.name.contains(n.as_str())));
    Ok(chosen)
}

/// False where a contest has become slower.
fn run(arguments: &Arguments, chosen: Vec<Contest>) -> Result<bool, String> {
    // read before the work, so that a missing table is told at once
    let before = if arguments.check { Some(kept::ratios()?) } else { None };
    let shown = std::io::stderr().is_terminal();
    let mut all = Vec::new();
    for contest in chosen {
        if shown {
            eprintln!("{} …", contest.name);
        }
        all.push(measure(contest, arguments)?);
    }
    let mut slower = Vec::new();
    if let Some(kept) = before {
        let machine = kept::machine_share(&all, &kept);
        for measured in all.iter_mut().filter(|m| kept::is_slower(m, &kept, machine)) {
            // something else may have had the machine: it is slower only if it is so twice
            *measured = measure(measured.contest.clone(), arguments)?;
        }
        slower = kept::slower(&all, &kept, machine);
    }
    print(&all, &slower, arguments.json);
    if arguments.write {
        kept::write(&table(&all, None))?;
    }
    Ok(slower.is_empty())
}

fn measure(contest: Contest, arguments: &Arguments) -> Result<Measured, String> {
    let time = Duration::from_secs_f64(arguments.seconds);
    let (mut other, mut ludex) = (contest.other.ready()?, contest.ludex.ready()?);
    let (mut others, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..arguments.rounds {
        let (theirs, mine) = (other.speed(time)?, ludex.speed(time)?);
        others.push(theirs);
        ours.push(mine);
        ratios.push(mine / theirs);
    }
    let (other, ludex, ratio) = (median(others), median(ours), median(ratios));
    Ok(Measured { contest, other, ludex, ratio })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        (values[middle - 1] + values[middle]) / 2.0
    } else {
        values[middle]
    }
}

fn print(all: &[Measured], slower: &[String], as_json: bool) {
    if as_json {
        let contests: Vec<_> = all
            .iter()
            .map(|m| {
                json!({
                    "name": m.contest.name, "against": m.contest.against(), "other": m.other,
                    "ludex": m.ludex, "ratio": m.ratio, "required": m.contest.required,
                    "aim": m.contest.aim, "sites": m.contest.sites, "per_site": m.per_site(),
                })
            })
            .collect();
        println!(
            "{}",
            json!({ "machine": kept::machine(), "contests": contests, "slower": slower })
        );
    } else {
        let width = Table::new().width().unwrap_or(u16::MAX);
        println!("{}", table(all, Some(width)));
    }
    for line in slower {
        eprintln!("{line}");
    }
}

/// A table in Markdown; speeds are in millions a second.
fn table(all: &[Measured], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header([
        "contest",
        "against",
        "M/s",
        "Ludex M/s",
        "ratio",
        "required",
        "aim",
        "per site",
    ]);
    let share = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.3}"));
    for m in all {
        table.add_row([
            m.contest.name.to_string(),
            m.contest.against(),
            format!("{:.3}", m.other / 1e6),
            format!("{:.3}", m.ludex / 1e6),
            kept::ratio(m.ratio),
            share(m.contest.required),
            share(m.contest.aim),
            m.per_site().map_or(String::new(), kept::ratio),
        ]);
    }
    table.column_iter_mut().skip(2).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table.to_string()
}
