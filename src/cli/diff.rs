//! `ludex diff`: a line of play to a position in which two sets of rules differ.

use clap::Args;
use serde_json::json;

use crate::engine::Game;
use crate::program::Program;
use crate::record::Trial;
use crate::referee::{Evaluator, Referee, Stop};
use crate::render::fit;
use crate::study::diff::{Found, LINES, Request, search};
use crate::ui::arguments::{GameArguments, OptionArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::signals;

/// Finds a line of play after which two games differ in legal moves or in the outcome.
///
/// All positions are compared in the order of their distance from the start. Beside them random and guided
/// lines are played, which come to differences far from the start; what they find is shortened.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// A shipped game's name or the path of a rule file.
    #[arg(value_name = "A")]
    first: String,

    /// The other game; by default A, with the options of B.
    #[arg(value_name = "B")]
    second: Option<String>,

    /// Sets an option of A; may be given several times.
    #[arg(short = 'a', long = "option-a", value_name = "NAME=VALUE", value_parser = crate::ui::arguments::pair)]
    options_a: Vec<(String, String)>,

    /// Sets an option of B; may be given several times.
    #[arg(short = 'b', visible_short_alias = 'o', long = "option-b", value_name = "NAME=VALUE", value_parser = crate::ui::arguments::pair)]
    options_b: Vec<(String, String)>,

    /// The greatest number of positions to compare.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: usize,

    /// The greatest number of moves to a position.
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// The number of lines that are played.
    #[arg(long, value_name = "N", default_value_t = LINES)]
    lines: usize,

    /// The seed of the lines.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &DiffArguments, console: &Console) -> Result<(), Stop> {
    let second = arguments.second.as_ref().unwrap_or(&arguments.first);
    let load = |game: &String, options: &[(String, String)]| {
        let options = OptionArguments { options: options.to_vec() };
        open::game(&GameArguments { game: game.clone(), options }.request())
    };
    let (a, b) =
        (load(&arguments.first, &arguments.options_a)?, load(second, &arguments.options_b)?);
    different(&a, &b)?;
    let mut sides = (Referee::new(&a, Evaluator::Compiled), Referee::new(&b, Evaluator::Compiled));
    signals::catch();
    let request = Request {
        positions: arguments.positions,
        depth: arguments.depth,
        lines: arguments.lines,
        seed: arguments.seed,
    };
    let found = search(&mut sides, &request)?;
    tell(&found, arguments.json, console)?;
    if found.interrupted { Err(Stop::Interrupted) } else { Ok(()) }
}

/// Refuses a comparison of a game with itself.
fn different(a: &Game, b: &Game) -> Result<(), Stop> {
    let options = |program: &Program| -> Vec<(String, String)> {
        let all = program.options.values();
        all.map(|option| (option.name.clone(), program.values.show(option.value))).collect()
    };
    let rules = |game: &Game| Trial::rules_of(&game.program.sources);
    if rules(a) != rules(b) || options(&a.program) != options(&b.program) {
        return Ok(());
    }
    let own: Vec<String> = open::options(&a.program);
    let hint = match own.as_slice() {
        [] => "it has no options, so name another game or a changed rule file".to_string(),
        own => format!(
            "set an option of the second one by `-b NAME=VALUE` ({}), or name another game",
            own.join("; ")
        ),
    };
    Err(Stop::Usage(format!("both sides are {} with the same options: {hint}", a.program.title)))
}

fn tell(found: &Found, json: bool, console: &Console) -> Result<(), Stop> {
    if json {
        return console.json(&json!({
            "difference": found.difference.as_ref().map(|d| d.data.clone()),
            "line": found.difference.as_ref().map(|d| d.terms.clone()),
            "positions": found.looked_at,
            "lines": found.lines,
            "depth": found.depth,
            "exhausted": found.exhausted,
        }));
    }
    let mut positions = match found.looked_at {
        1 => "1 position".to_string(),
        n => format!("{n} positions"),
    };
    if found.lines > 0 {
        positions = format!("{positions} and {} lines of play", found.lines);
    }
    match &found.difference {
        Some(difference) => {
            let line = match difference.spoken.as_slice() {
                [] => "they differ at the start:".to_string(),
                line => format!("they differ after {}:", line.join(" ")),
            };
            console.line(fit(&line, console.width(), 2))?;
            for text in &difference.text {
                console.line(fit(&format!("  {text}"), console.width(), 4))?;
            }
            Ok(())
        }
        None => {
            let told = match found.exhausted {
                true => format!("no difference in any of {positions}"),
                false => format!("no difference up to depth {} ({positions})", found.depth),
            };
            console.line(fit(&told, console.width(), 2))
        }
    }
}
