//! `ludex replay`: a saved game, shown and verified move by move.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::render::{Scene, animated, to_svg};

use crate::referee::{Last, Position, Referee, Stop};
use crate::ui::arguments::EngineChoice;
use crate::ui::console::Console;
use crate::ui::saved::{self, Step, game, opening, read, steps};

/// Shows a saved game and verifies it move by move.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// The saved game.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Draws the board after every move.
    #[arg(long)]
    boards: bool,

    /// The implementation that applies the rules.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineChoice,

    /// Draws every position as an SVG picture into this folder, which is made if need be.
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    svg: Option<PathBuf>,

    /// Draws the whole game as one animated SVG picture.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    animated: Option<PathBuf>,

    /// How long each position of the animated picture is seen, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = pace, requires = "animated")]
    pace: f64,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// A time for which a position is seen.
fn pace(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.05..=60.0).contains(&seconds) => Ok(seconds),
        _ => Err("write a number of seconds from 0.05 to 60".to_string()),
    }
}

pub fn run(arguments: &ReplayArguments, console: &Console) -> Result<(), Stop> {
    let trial = read(&arguments.file)?;
    let game = game(&trial, &arguments.file, console)?;
    let mut referee = Referee::new(&game, arguments.engine.into());
    let steps = steps(&mut referee, &trial, &arguments.file)?;
    let first = opening(&mut referee, &trial)?;
    let last = steps.last().map_or_else(|| first.clone(), |step| step.position.clone());
    let outcome = referee.outcome(&last)?;
    let result = match (&outcome, &trial.resigned) {
        (Some(outcome), _) => referee.result(outcome),
        (None, Some(player)) => format!("{player} resigned"),
        (None, None) => "the game goes on".to_string(),
    };
    if arguments.json {
        let moves: Vec<Value> = steps
            .iter()
            .zip(&trial.moves)
            .map(|(s, text)| json!({ "move": text, "notation": s.notation, "player": s.player }))
            .collect();
        return console.json(&json!({
            "game": game.program.title,
            "options": trial.options.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "seed": trial.seed,
            "players": trial.players,
            "moves": moves,
            "result": result,
            "end": outcome.as_ref().and_then(|o| referee.end_name(o)),
            "verified": true,
        }));
    }
    if arguments.svg.is_some() || arguments.animated.is_some() {
        let scenes = scenes(&referee, &first, &steps, &result)?;
        return pictures(arguments, &referee, &scenes, console);
    }
    let options: Vec<String> = trial.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let options =
        if options.is_empty() { String::new() } else { format!(", {}", options.join(", ")) };
    console.line(format!("{}{options}, seed {}", game.program.title, trial.seed))?;
    for (i, step) in steps.iter().enumerate() {
        let who = step.player.as_deref().unwrap_or("chance");
        console.line(format!("{}. {who}: {}", i + 1, step.notation))?;
        if arguments.boards && i + 1 < steps.len() {
            let last = saved::last(&first, &steps[..=i]);
            console.text(referee.drawn_after(&step.position, last.as_ref(), console.width())?)?;
        }
    }
    let before = saved::last(&first, &steps);
    console.text(referee.drawn_after(&last, before.as_ref(), console.width())?)?;
    console.line(result)?;
    let moves = if steps.len() == 1 { "move" } else { "moves" };
    console.line(format!("{} {moves}, all legal", steps.len()))
}

/// The positions of a game as pictures, each with the move that led to it; the last one with the result.
fn scenes(
    referee: &Referee<'_>,
    first: &Position,
    steps: &[Step],
    result: &str,
) -> Result<Vec<Scene>, Stop> {
    let mut scenes =
        vec![Scene { picture: referee.picture(&referee.facts(first))?, caption: String::new() }];
    for (i, step) in steps.iter().enumerate() {
        let before = i.checked_sub(1).map_or(first, |i| &steps[i].position);
        let picture = referee.picture_after(&step.position, &Last { before, mv: &step.term })?;
        let who = step.player.as_deref().unwrap_or("chance");
        let caption = format!("{}. {who}: {}", i + 1, step.notation);
        scenes.push(Scene { picture, caption });
    }
    if let Some(last) = scenes.last_mut() {
        let told = result.lines().next().unwrap_or_default();
        last.caption = format!("{} {told}", last.caption).trim().to_string();
    }
    Ok(scenes)
}

/// Writes the pictures of a game.
fn pictures(
    arguments: &ReplayArguments,
    referee: &Referee<'_>,
    scenes: &[Scene],
    console: &Console,
) -> Result<(), Stop> {
    let title = &referee.game.program.title;
    let Some(board) = &referee.view.board else {
        return Err(Stop::Failed(format!("{title} has no board: no relation `xy/3` places sites")));
    };
    if let Some(folder) = &arguments.svg {
        let failed = |path: &Path, error| {
            Stop::Failed(format!("cannot write `{}`: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let digits = scenes.len().to_string().len().max(3);
        let paths = (0..scenes.len()).map(|i| folder.join(format!("{i:0digits$}.svg")));
        let paths: Vec<PathBuf> = paths.collect();
        if let Some(path) = paths.iter().find(|path| path.exists()) {
            let text = format!("`{}` exists; give another folder", path.display());
            return Err(Stop::Failed(text));
        }
        for (path, scene) in paths.iter().zip(scenes) {
            std::fs::write(path, to_svg(board, scene, title))
                .map_err(|error| failed(path, error))?;
        }
        console.line(format!("{} pictures in {}", scenes.len(), folder.display()))?;
    }
    if let Some(path) = &arguments.animated {
        let text = animated(board, scenes, title, arguments.pace);
        let failed = |error| Stop::Failed(format!("cannot write `{}`: {error}", path.display()));
        std::fs::write(path, text).map_err(failed)?;
        console.line(format!("{} positions in {}", scenes.len(), path.display()))?;
    }
    Ok(())
}
