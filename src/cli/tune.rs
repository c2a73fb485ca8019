//! `ludex tune`: fits the evaluation of a game to games of the computer against itself.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::Game;
use crate::record::{self, Weights};
use crate::referee::knowledge::{memory_in, memory_of};
use crate::referee::{Evaluator, Referee, Stop, interrupt};
use crate::search::Player;
use crate::search::evaluation::Evaluation;
use crate::search::features::{Extra, Reader};
use crate::search::tune::{self, Effort, Stops};
use crate::solve::renamings;
use crate::ui::arguments::GameArguments;
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::{open, signals};

use super::series::{Ended, Match, Standing};

/// Fits the weights by which the computer judges positions to games against itself, and shows what they
/// gain.
#[derive(Debug, Args)]
pub struct TuneArguments {
    #[command(flatten)]
    game: GameArguments,

    /// How many moves each round of games may look at, in millions.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    millions: u64,

    /// The rounds in which moves are chosen by a search of two plies.
    #[arg(long, value_name = "N", default_value_t = 4)]
    rounds: u32,

    /// How many games show what the weights gain; 0 shows nothing.
    #[arg(long, value_name = "N", default_value_t = 40)]
    games: u64,

    /// The seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Writes the weights to this file; the computer uses them where it stands beside the rule file as
    /// NAME.weights.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Begins with the weights of this file in place of random playouts; all rounds then search.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Weighs patterns as well: what stands on a few neighbouring sites in a row.
    #[arg(long)]
    patterns: bool,

    /// Weighs what the rules say in `value/2` as well.
    #[arg(long)]
    values: bool,

    /// Trains a network as well: thirty-two units that each see all features, so that a position can be worth more or
    /// less than the sum of its parts.
    #[arg(long)]
    network: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The evaluation to begin with.
fn begun(arguments: &TuneArguments, game: &Game) -> Result<Evaluation, Stop> {
    let known = match &arguments.from {
        Some(file) => memory_in(game, file)?.evaluation().cloned(),
        None => {
            let extra = Extra { patterns: arguments.patterns, values: arguments.values };
            Reader::new(game, extra).map(Evaluation::blank)
        }
    };
    let known = known.ok_or_else(|| {
        Stop::Failed("the states of this game are too large to be weighed".to_string())
    })?;
    if arguments.values && game.plan.value.is_none() {
        return Err(Stop::Usage(format!(
            "the rules of {} define no `value/2`: leave out --values, or write such clauses (`:help value` at a prompt)",
            game.program.title
        )));
    }
    let lacks = |wanted: bool, known: bool, what: &str| match &arguments.from {
        Some(file) if wanted && !known => Err(Stop::Usage(format!(
            "the weights in {} know no {what}: leave out --{what} to go on with them, or --from to begin anew",
            file.display()
        ))),
        _ => Ok(()),
    };
    lacks(arguments.patterns, known.reader().has_patterns(), "patterns")?;
    lacks(arguments.values, known.reader().has_values(), "values")?;
    Ok(known)
}

/// That the weights can be written, before time is spent on them.
fn writable(file: &Path) -> Result<(), Stop> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let why = match fs::metadata(folder) {
        Err(error) => error.to_string(),
        Ok(found) if !found.is_dir() => format!("{} is no folder", folder.display()),
        Ok(found) if found.permissions().readonly() => format!("{} is read-only", folder.display()),
        Ok(_) if file.is_dir() => "it is a folder: name a file".to_string(),
        Ok(_) => return Ok(()),
    };
    Err(Stop::Failed(format!("cannot write {}: {why}", file.display())))
}

pub fn run(arguments: &TuneArguments, console: &Console) -> Result<(), Stop> {
    arguments.write.as_deref().map_or(Ok(()), writable)?;
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    if game.program.players.len() < 2 {
        let title = &game.program.title;
        return Err(Stop::Usage(format!(
            "{title} is a game for one player: its score is its value"
        )));
    }
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let known = begun(arguments, &game)?;
    let effort = Effort {
        rounds: if arguments.from.is_some() { 0 } else { 3 },
        nodes: arguments.millions * 1_000_000,
        deep: arguments.rounds,
        seed: arguments.seed,
        network: arguments.network,
    };
    let reader = known.reader();
    let (shape, patterns, values) = (reader.shape(), reader.has_patterns(), reader.has_values());
    let all = effort.rounds + effort.deep;
    let progress = Progress::new(u64::from(all), "rounds");
    let mut rounds = 0;
    let fitted = tune::fit(
        &mut referee.session,
        known,
        effort,
        &renamings(&game, &interrupt::interrupted),
        Stops::both(&interrupt::interrupted),
        &mut |_, games| {
            rounds += 1;
            progress.step();
            progress.tell(format!("{games} games"));
        },
    );
    drop(progress);
    let fitted = fitted.map_err(|fault| referee.fault(&fault))?;
    let text = |player: &str| {
        let network = fitted.network().map(|network| {
            let (units, outputs) = network.thousandths();
            record::Network { units, outputs }
        });
        let weights = fitted.hundredths();
        let player = player.to_string();
        Weights { shape, player, patterns, values, weights, network }.text()
    };
    if interrupt::interrupted() {
        if let Some(file) = arguments.write.as_ref().filter(|_| rounds > 0) {
            write(file, &text("alphabeta"))?;
            console.line(format!(
                "interrupted: the weights fitted so far are in {}",
                file.display()
            ))?;
        }
        return Err(Stop::Interrupted);
    }
    let rounded = || memory_of(&game, &text("alphabeta"))?.evaluation().cloned();
    let contest = |players: [Player; 2], known: [bool; 2]| -> Result<Standing, Stop> {
        let memory = |known: bool| known.then(rounded).flatten();
        let games = Match { game: &game, players, known: known.map(memory), seed: arguments.seed };
        games.play(arguments.games).map_err(|ended| match ended {
            Ended::Broken(broken) => referee.broken(broken),
            Ended::Stop(stop) => stop,
        })
    };
    let gain = contest([Player::AlphaBeta, Player::AlphaBeta], [true, false])?;
    let kinds = contest([Player::AlphaBeta, Player::MonteCarlo], [true, true])?;
    // the games may have been interrupted before the first one ended
    let worse = kinds.games() > 0 && kinds.share() < 0.5;
    let player = if worse { "montecarlo" } else { "alphabeta" };
    let text = text(player);
    if let Some(file) = &arguments.write {
        write(file, &text)?;
    }
    if arguments.json {
        return console.json(&json!({
            "gain": gain.data("fitted", "before"),
            "players": kinds.data("alphabeta", "montecarlo"),
            "player": player,
        }));
    }
    if arguments.games > 0 {
        console.line(gain.text("alphabeta with these weights", "with those of a moment"))?;
        console.line(kinds.text("alphabeta", "montecarlo"))?;
    }
    if arguments.network && fitted.network().is_none() {
        console.line(
            "no network is kept: it says no more than the sum of the weights about games that it was not \
             trained on; more moves (--millions) may help",
        )?;
    }
    match &arguments.write {
        Some(file) => console.line(format!("the weights are in {}", file.display())),
        None => console.line("the weights are not kept; --write FILE keeps them"),
    }
}

fn write(file: &Path, text: &str) -> Result<(), Stop> {
    record::replace(file, text)
        .map_err(|error| Stop::Failed(format!("cannot write {}: {error}", file.display())))
}
