//! `ludex bench`: uniform random playouts, measured.

use std::time::{Duration, Instant};

use clap::Args;
use indexmap::IndexMap;
use serde_json::json;

use crate::engine::{Outcome, PlayoutOptions, Playouts, Random};
use crate::render::fit;

use crate::referee::{Position, Referee, Stop};
use crate::study::code;
use crate::ui::arguments::{EngineChoice, GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::signals;
use crate::ui::start;
use crate::ui::tables;

/// Plays random games on one thread and measures speed, length and outcomes.
#[derive(Debug, Args)]
pub struct BenchArguments {
    #[command(flatten)]
    game: GameArguments,

    /// How long to play, in seconds; up to a quarter of the time is spent on measures and scores.
    #[arg(long, value_name = "S", default_value_t = 3.0, allow_negative_numbers = true)]
    seconds: f64,

    /// Stops a game that is not over after N plies.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_plies: u64,

    /// The seed of the random games; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    start: StartArguments,

    /// The implementation that applies the rules.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineChoice,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The most final positions from which measures and scores are taken.
const SAMPLES: usize = 200;
/// The divisor for the share of the time that measures and scores may take.
const SAMPLE_SHARE: u32 = 4;
const SAMPLE_TIME: Duration = Duration::from_millis(50);

/// Figures summed over final positions: the sum, and in how many positions there was a value.
type Sums = IndexMap<String, (i64, u64)>;

pub fn run(arguments: &BenchArguments, console: &Console) -> Result<(), Stop> {
    if !(arguments.seconds.is_finite() && (0.0..=86_400.0).contains(&arguments.seconds)) {
        return Err(Stop::Usage("--seconds takes a number from 0 to 86400".to_string()));
    }
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    let mut referee = Referee::new(&game, arguments.engine.into());
    let position = start::position(&mut referee, &arguments.start)?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let special = &referee.game.program.special;
    let has_figures = special.measure.is_some() || special.score.is_some();
    let sampled = has_figures.then(|| SAMPLE_TIME.max(time / SAMPLE_SHARE));
    // the first playouts make the machine code, whose time counts
    let started = Instant::now();
    referee.set_until(Some(started + time.saturating_sub(sampled.unwrap_or_default())));
    let counts = match &position {
        Position::Compiled(state) => {
            // the budget ends them, perhaps within a ply
            let mut options = PlayoutOptions {
                seed: arguments.seed,
                max_plies: arguments.max_plies,
                go_on: &mut |_| true,
                finished: None,
                seen: None,
            };
            let counts = referee.session.playouts(state, &mut options);
            counts.map_err(|fault| referee.fault(&fault))?
        }
        Position::Plain(_) => plain(&mut referee, &position, arguments, &mut |_| true)?,
    };
    let elapsed = started.elapsed().as_secs_f64();
    let sums = match sampled {
        Some(time) => sample(&mut referee, &position, arguments, time)?,
        None => Sums::new(),
    };
    if counts.ends.last().is_some_and(|games| *games > 0) {
        console.warn(&game.program.sources, referee.uncovered());
    }
    if arguments.json {
        console.json(&data(&referee, &counts, elapsed, &sums))
    } else {
        console.text(text(&referee, &counts, elapsed, &sums, console))
    }
}

/// Random games by the reference evaluator, until the time is over or `finished`, which is called
/// with the final positions, returns false.
fn plain(
    referee: &mut Referee<'_>,
    start: &Position,
    arguments: &BenchArguments,
    finished: &mut dyn FnMut(Position) -> bool,
) -> Result<Playouts, Stop> {
    let program = referee.game.program.clone();
    let mut random = Random::seeded(arguments.seed);
    let mut counts = Playouts {
        won: vec![0; 1 << program.players.len()],
        ends: vec![0; program.ends.len() + 1],
        ..Playouts::default()
    };
    loop {
        let (position, plies, outcome) = match game(referee, start, arguments, &mut random) {
            Ok(played) => played,
            Err(Stop::Interrupted) => return Ok(counts),
            Err(stop) => return Err(stop),
        };
        counts.games += 1;
        counts.plies += plies;
        match outcome {
            None => counts.unfinished += 1,
            Some(outcome) => {
                let won = program.players.iter().enumerate();
                let won = won.filter(|(_, p)| outcome.winners.contains(p)).map(|(i, _)| 1 << i);
                counts.won[won.sum::<usize>()] += 1;
                let end = program.ends.iter().position(|(_, id)| Some(*id) == outcome.clause);
                counts.ends[end.unwrap_or(program.ends.len())] += 1;
            }
        }
        if !finished(position) {
            return Ok(counts);
        }
    }
}

/// A random game: its final position, its plies and its outcome. Interrupted when the time is over.
fn game(
    referee: &mut Referee<'_>,
    start: &Position,
    arguments: &BenchArguments,
    random: &mut Random,
) -> Result<(Position, u64, Option<Outcome>), Stop> {
    let mut position = start.clone();
    let mut plies = 0;
    loop {
        if referee.is_over() {
            return Err(Stop::Interrupted);
        }
        let outcome = referee.outcome(&position)?;
        if outcome.is_some() || plies >= arguments.max_plies {
            return Ok((position, plies, outcome));
        }
        let choices = referee.choices(&position)?;
        let next = referee.play(&position, &Referee::draw(&choices, random)?)?;
        let Some(next) = next else { return Ok((position, plies, None)) };
        position = next;
        plies += 1;
    }
}

/// The measures and scores of the final positions of the first games, as many as there is time for.
fn sample(
    referee: &mut Referee<'_>,
    start: &Position,
    arguments: &BenchArguments,
    time: Duration,
) -> Result<Sums, Stop> {
    let mut sums = Sums::new();
    let started = Instant::now();
    // half of the time is spent on playing
    referee.set_until(Some(started + time / 2));
    let mut finals = Vec::new();
    match start {
        Position::Compiled(state) => {
            let mut keep =
                |state: &crate::engine::State| finals.push(Position::Compiled(state.clone()));
            let mut options = PlayoutOptions {
                seed: arguments.seed,
                max_plies: arguments.max_plies,
                go_on: &mut |counts| counts.games < SAMPLES as u64,
                finished: Some(&mut keep),
                seen: None,
            };
            let played = referee.session.playouts(state, &mut options);
            played.map_err(|fault| referee.fault(&fault))?;
        }
        Position::Plain(_) => {
            let mut keep = |position| {
                finals.push(position);
                finals.len() < SAMPLES
            };
            plain(referee, start, arguments, &mut keep)?;
        }
    }
    referee.set_until(Some(started + time));
    for position in finals {
        match figures(referee, &position) {
            Ok(figures) => {
                for (name, n) in figures {
                    let sum = sums.entry(name).or_default();
                    sum.0 = sum.0.saturating_add(n);
                    sum.1 += 1;
                }
            }
            Err(Stop::Interrupted) => break,
            Err(stop) => return Err(stop),
        }
    }
    Ok(sums)
}

/// The measures and scores of a position. Interrupted when the time is over.
fn figures(referee: &Referee<'_>, position: &Position) -> Result<Vec<(String, i64)>, Stop> {
    if referee.is_over() {
        return Err(Stop::Interrupted);
    }
    let facts = referee.facts(position);
    let mut all = referee.rules.measures(&facts).map_err(|e| referee.stopped(e))?;
    let scores = referee.rules.scores(&facts).map_err(|e| referee.stopped(e))?;
    for (player, score) in referee.game.program.players.iter().zip(scores.iter().flatten()) {
        if let Some(score) = score {
            all.push((format!("score of {}", referee.name(*player)), *score));
        }
    }
    Ok(all)
}

/// The outcomes and how often each occurred.
fn outcomes(referee: &Referee<'_>, counts: &Playouts) -> Vec<(String, u64)> {
    let players = &referee.game.program.players;
    let alone = players.len() == 1;
    let mut all = Vec::new();
    for (bits, games) in counts.won.iter().enumerate().skip(1) {
        if *games > 0 {
            let names: Vec<String> = (0..players.len())
                .filter(|i| bits >> i & 1 == 1)
                .map(|i| referee.name(players[i]))
                .collect();
            all.push((format!("{} won", names.join(", ")), *games));
        }
    }
    let drawn = counts.won.first().copied().unwrap_or(0);
    all.push((if alone { "over" } else { "drawn" }.to_string(), drawn));
    all.push(("unfinished".to_string(), counts.unfinished));
    all.retain(|(_, games)| *games > 0);
    all
}

/// The end clauses and how often each ended a game.
fn ends(referee: &Referee<'_>, counts: &Playouts) -> Vec<(String, u64)> {
    let program = &referee.game.program;
    let mut all = Vec::new();
    for ((kind, id), games) in program.ends.iter().zip(&counts.ends) {
        let name = program.end_name(*id).map(|name| format!(" \"{name}\"")).unwrap_or_default();
        let kind = kind.name();
        let place = program.sources.place(program.clause(*id).span);
        all.push((format!("{kind}{name}, {place}"), *games));
    }
    let uncovered = counts.ends.last().copied().unwrap_or(0);
    all.push(("no legal move, covered by no clause".to_string(), uncovered));
    all.retain(|(_, games)| *games > 0);
    all
}

fn share(games: u64, of: u64) -> f64 {
    100.0 * games as f64 / of.max(1) as f64
}

fn text(
    referee: &Referee<'_>,
    counts: &Playouts,
    elapsed: f64,
    sums: &Sums,
    console: &Console,
) -> String {
    let row = |name: &str, value: String| vec![name.to_string(), value];
    let rate = |n: u64| format!("{:.0}", n as f64 / elapsed.max(1e-9));
    let mut rows = vec![
        row("playouts", counts.games.to_string()),
        row("seconds", format!("{elapsed:.2}")),
        row("playouts/s", rate(counts.games)),
        row("plies/s", rate(counts.plies)),
        row("plies/playout", format!("{:.2}", counts.plies as f64 / counts.games.max(1) as f64)),
    ];
    for (name, games) in outcomes(referee, counts) {
        rows.push(row(&name, format!("{:.2} %", share(games, counts.games))));
    }
    for (name, games) in ends(referee, counts) {
        rows.push(row(&name, format!("{:.2} %", share(games, counts.games))));
    }
    for (name, (sum, count)) in sums {
        rows.push(row(name, format!("{:.2}", *sum as f64 / (*count).max(1) as f64)));
    }
    let table = tables::plain(&rows, &[1], console.width());
    let none = match counts.games {
        0 => {
            fit(
                "no game came to its end in this time: `--seconds` gives more, `--max-plies` breaks games off",
                console.width(),
                2,
            ) + "\n"
        }
        _ => String::new(),
    };
    let given_up = match referee.session.native_runs().given_up {
        0 => String::new(),
        n => fit(&code::given_up(n), console.width(), 2) + "\n",
    };
    format!("{}\n{table}{none}{given_up}", referee.game.program.title)
}

fn data(referee: &Referee<'_>, counts: &Playouts, elapsed: f64, sums: &Sums) -> serde_json::Value {
    let shares = |all: Vec<(String, u64)>| -> serde_json::Map<String, serde_json::Value> {
        all.into_iter().map(|(n, games)| (n, json!(share(games, counts.games)))).collect()
    };
    let mean = |(sum, count): &(i64, u64)| json!(*sum as f64 / (*count).max(1) as f64);
    let measures: serde_json::Map<_, _> =
        sums.iter().map(|(name, sum)| (name.clone(), mean(sum))).collect();
    json!({
        "game": referee.game.program.title,
        "playouts": counts.games,
        "plies": counts.plies,
        "seconds": elapsed,
        "playouts_per_second": counts.games as f64 / elapsed.max(1e-9),
        "plies_per_second": counts.plies as f64 / elapsed.max(1e-9),
        "plies_per_playout": counts.plies as f64 / counts.games.max(1) as f64,
        "outcomes": shares(outcomes(referee, counts)),
        "ends": shares(ends(referee, counts)),
        "measures": measures,
        "functions_given_up": referee.session.native_runs().given_up,
    })
}
