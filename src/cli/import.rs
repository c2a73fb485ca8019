//! `ludex import`: games in the form of other programs, saved as games of this one.

use std::path::PathBuf;

use clap::Args;

use crate::engine::Game;
use crate::program::LoadRequest;
use crate::record::{Pgn, RESULTS, Saved, Trial, plain, read_pgn, save, save_new};

use super::arguments::{EngineChoice, OptionArguments, origin, pair};
use super::console::{Console, Stop};
use super::play::seats::Seat;
use super::referee::{Position, Referee};
use super::{export, open, start, typed};

/// Reads games in PGN and saves each, so that `ludex replay` and `ludex play --resume` can go on with it.
///
/// The tag `Game` names the game and `Options` its options, as `ludex export` writes them; `--game` is for
/// files without. Moves are in the game's own notation or terms. All games are checked before any is saved.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// The PGN file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to save the game in; without it a free name in this folder, `GAME-1.ron`.
    #[arg(value_name = "SAVED")]
    saved: Option<PathBuf>,

    /// The game that was played: a shipped game's name, or the path of a rule file.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    #[command(flatten)]
    options: OptionArguments,
}

/// The most bytes of a PGN file.
const MAX_FILE: u64 = 16 << 20;

pub fn run(arguments: &ImportArguments, console: &Console) -> Result<(), Stop> {
    let name = arguments.file.display().to_string();
    let games = read_pgn(&text(arguments)?)
        .map_err(|fault| Stop::Failed(format!("`{name}` is not PGN: {fault}")))?;
    if games.is_empty() {
        return Err(Stop::Failed(format!("`{name}` has no game in it")));
    }
    if arguments.saved.is_some() && games.len() > 1 {
        let text = format!("`{name}` has {} games: leave out the file to save in", games.len());
        return Err(Stop::Usage(text));
    }
    let several = games.len() > 1;
    let place = |i: usize| match several {
        true => format!("`{name}`, game {}: ", i + 1),
        false => format!("`{name}`: "),
    };
    let mut trials = Vec::new();
    for (i, pgn) in games.iter().enumerate() {
        trials.push(trial(pgn, arguments, &place(i), console)?);
    }
    for trial in &trials {
        let saved = match &arguments.saved {
            Some(path) => save(trial, path),
            None => save_new(trial, std::path::Path::new("")),
        };
        let Saved { path } = saved.map_err(|error| Stop::Failed(error.to_string()))?;
        let moves = trial.moves.len();
        let moves = if moves == 1 { "1 move".to_string() } else { format!("{moves} moves") };
        console.line(format!("saved in `{}`: {}, {moves}", path.display(), trial.game))?;
    }
    Ok(())
}

fn text(arguments: &ImportArguments) -> Result<String, Stop> {
    let name = arguments.file.display();
    let unreadable = |reason: String| Stop::Usage(format!("cannot read `{name}`: {reason}"));
    let meta = std::fs::metadata(&arguments.file).map_err(|e| unreadable(plain(&e)))?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        let what = if meta.is_file() { "it is larger than 16 MiB" } else { "it is not a file" };
        return Err(unreadable(what.to_string()));
    }
    let bytes = std::fs::read(&arguments.file).map_err(|e| unreadable(plain(&e)))?;
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_string()))
}

/// The game of a PGN text as a saved game. `place` begins the messages about it.
fn trial(
    pgn: &Pgn,
    arguments: &ImportArguments,
    place: &str,
    console: &Console,
) -> Result<Trial, Stop> {
    let Some(name) = arguments.game.as_deref().or(pgn.tag("Game")) else {
        let text = format!("{place}there is no tag `Game`; name the game by `--game NAME`");
        return Err(Stop::Usage(text));
    };
    let mut request = LoadRequest::new(origin(name));
    for option in pgn.tag("Options").iter().flat_map(|all| all.split(',')) {
        let wrong = |text| Stop::Failed(format!("{place}the tag `Options`: {text}"));
        request.options.push(pair(option).map_err(wrong)?);
    }
    request.options.extend(arguments.options.options.iter().cloned());
    let game = open::game(&request)?;
    if game.program.players.len() != 2 {
        let players = game.program.players.len();
        let text = format!("{place}PGN is for two players, and the game `{name}` has {players}");
        return Err(Stop::Failed(text));
    }
    let mut trial = open::trial(&request, &game, 0);
    trial.players = [pgn.tag("White"), pgn.tag("Black")].map(seat).to_vec();
    trial.given = pgn.tag("FEN").map(String::from);
    let mut referee = Referee::new(&game, EngineChoice::Compiled);
    let last = play(&mut referee, &mut trial, pgn, place)?;
    finish(&mut referee, &game, &mut trial, &last, pgn, place, console)?;
    Ok(trial)
}

/// The seat of a player: the name of a person, or the word for a seat.
fn seat(name: Option<&str>) -> String {
    let all = [Seat::Human, Seat::Computer, Seat::Random].map(Seat::word);
    let found = all.into_iter().find(|word| Some(*word) == name);
    found.unwrap_or(Seat::Human.word()).to_string()
}

/// Plays the moves, which are added to the record, and returns the last position.
fn play(
    referee: &mut Referee<'_>,
    trial: &mut Trial,
    pgn: &Pgn,
    place: &str,
) -> Result<Position, Stop> {
    let mut position = match &trial.given {
        Some(text) => {
            let facts = start::given(referee, "the tag FEN", text).map_err(of_file)?;
            referee.position(&facts)?
        }
        None => referee.opening(),
    };
    for (i, (_, mv)) in pgn.moves.iter().enumerate() {
        let fault = |what: String| Stop::Failed(format!("{place}move {}: {what}", i + 1));
        if referee.outcome(&position)?.is_some() {
            return Err(fault(format!("the game is over before `{mv}`")));
        }
        let choices = referee.choices(&position)?;
        if choices.chance {
            return Err(fault("a chance event is due, which PGN cannot tell".to_string()));
        }
        let named = typed::names(referee, &position, &choices)?;
        // other programs mark check and mate
        let plain = mv.trim_end_matches(['+', '#']);
        let found =
            typed::find(&named, mv).or_else(|miss| typed::find(&named, plain).map_err(|_| miss));
        let found = found.map_err(|miss| {
            let told = miss.diagnostic(mv);
            let hints = told.hints.join("; ");
            fault(format!("{}; {hints}", told.message))
        })?;
        let Some(next) = referee.play(&position, &found.term)? else {
            return Err(fault(format!("`{mv}` cannot be played")));
        };
        trial.push(&found.term);
        position = next;
    }
    Ok(position)
}

/// A fault of the position in the file, rather than of the command line.
fn of_file(stop: Stop) -> Stop {
    match stop {
        Stop::Diagnosed { sources, diagnostics, .. } => {
            Stop::Diagnosed { sources, diagnostics, code: 1 }
        }
        other => other,
    }
}

/// Compares the result with the rules; one who lost in a game that goes on has resigned.
fn finish(
    referee: &mut Referee<'_>,
    game: &Game,
    trial: &mut Trial,
    last: &Position,
    pgn: &Pgn,
    place: &str,
    console: &Console,
) -> Result<(), Stop> {
    let [one, zero, draw, open] = RESULTS;
    let result = pgn.result.as_str();
    let players: Vec<String> = game.program.players.iter().map(|p| referee.name(*p)).collect();
    let outcome = referee.outcome(last)?;
    if outcome.is_some() {
        let ruled = export::result(referee, outcome.as_ref(), trial);
        if result != ruled && result != open {
            console
                .note(format!("warning: {place}the result is {result}, and by the rules {ruled}"));
        }
        return Ok(());
    }
    if result == one {
        trial.resigned = players.last().cloned();
    } else if result == zero {
        trial.resigned = players.first().cloned();
    } else if result == draw {
        console.note(format!("warning: {place}the draw was agreed on; the saved game goes on"));
    }
    Ok(())
}
