//! `ludex solve`: the exact value of a position, and of all that follow from it.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::referee::{Evaluator, Position, Referee, Stop, interrupt, knowledge};
use crate::search::{self, Wait};
use crate::solve::proof::Stake;
use crate::solve::{self, Method, Progress as Work, Solution, Store, Subject, Task, Value, Wdl};
use crate::ui::arguments::{GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::{open, signals, solutions, start, tables};

/// Finds what a game comes to if both players play as well as can be, with the value of each position
/// that can be reached.
///
/// Works for games of one or two players without chance whose positions can all be stored. A position that
/// comes again counts as a draw.
#[derive(Debug, Args)]
pub struct SolveArguments {
    #[command(flatten)]
    game: GameArguments,

    #[command(flatten)]
    start: StartArguments,

    /// Also solves all other arrangements of the same pieces, whether or not they can be reached.
    #[arg(long)]
    arrangements: bool,

    /// Solves each position by itself, also where others are alike by symmetry.
    #[arg(long)]
    no_symmetry: bool,

    /// How values are found.
    #[arg(long, value_enum, default_value = "induction")]
    method: MethodChoice,

    /// Finds by how many points the game is won, rather than whether; for searches.
    #[arg(long)]
    margin: bool,

    /// The most memory that it takes, in megabytes; each thread takes a few more to make moves.
    #[arg(long, value_name = "MB", default_value_t = 4_096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,

    /// How many threads work; as many as there are cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Keeps the values in this folder, rather than in the state folder of the user, where all commands find
    /// them. A solution that was interrupted goes on there, and several processes with the same folder
    /// share the work.
    #[arg(long, value_name = "DIR", visible_alias = "jobs")]
    store: Option<PathBuf>,

    /// Keeps nothing.
    #[arg(long, conflicts_with = "store")]
    no_store: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// A [`Method`] on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodChoice {
    /// Backward from the ends of games; passes where the moves do not fit the memory.
    Induction,
    /// Passes over all positions, each a ply further; slower, and needs less memory.
    Passes,
    /// A search for the value of the one position, where there are too many to store.
    Search,
}

impl SolveArguments {
    fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or(cores, usize::from)
    }
}

/// That each option applies to the method.
fn applicable(arguments: &SolveArguments) -> Result<(), Stop> {
    if arguments.method != MethodChoice::Search {
        return match arguments.margin {
            true => Err(Stop::Usage(
                "--margin is found by a search: add --method search, or leave it out".to_string(),
            )),
            false => Ok(()),
        };
    }
    let given = [
        ("--arrangements", arguments.arrangements),
        ("--no-symmetry", arguments.no_symmetry),
        ("--threads", arguments.threads.is_some()),
        ("--store", arguments.store.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Stop::Usage(format!(
            "{option} does not apply to --method search, which looks at one position in one thread and keeps nothing: \
             leave it out"
        ))),
        None => Ok(()),
    }
}

pub fn run(arguments: &SolveArguments, console: &Console) -> Result<(), Stop> {
    applicable(arguments)?;
    let game = open::game(&arguments.game.request())?;
    signals::catch();
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let position = start::position(&mut referee, &arguments.start)?;
    let method = match arguments.method {
        MethodChoice::Induction => Method::Induction,
        MethodChoice::Passes => Method::Passes,
        MethodChoice::Search => return proven(arguments, &mut referee, &position, console),
    };
    let Position::Compiled(state) = &position else { return Ok(()) };
    let subject = Subject::new(
        solutions::identity(&game),
        &state.words()[..game.plan.layout.len],
        arguments.arrangements,
        !arguments.no_symmetry,
    );
    let folder = match &arguments.store {
        _ if arguments.no_store => None,
        Some(folder) => Some(folder.clone()),
        None => solutions::folder(&subject),
    };
    let store = folder.as_deref().map(|folder| Store::create(folder, &subject)).transpose();
    let store = store.map_err(|trouble| referee.unsolved(trouble))?;
    let task = Task {
        start: state,
        arrangements: arguments.arrangements,
        symmetric: !arguments.no_symmetry,
        method,
        memory: arguments.memory << 20,
        threads: arguments.threads(),
        store: store.as_ref().map(|store| (store, &subject)),
    };
    let started = Instant::now();
    let progress = Progress::spinner("finding positions");
    let solved = solve::solve(&game, &task, &interrupt::interrupted, &mut |work| {
        let seconds = started.elapsed().as_secs_f64().max(1e-3);
        progress.tell(match work {
            Work::Found(found, expanded) => {
                let speed = expanded as f64 / seconds;
                format!("{found} positions found, {expanded} expanded, {speed:.0} a second")
            }
            Work::Solved(done, all) => format!("{done} of {all} positions solved"),
        });
    });
    drop(progress);
    let solution = solved.map_err(|trouble| referee.unsolved(trouble))?;
    let seconds = started.elapsed().as_secs_f64();
    let value = solution.value(state).unwrap_or(Value::DRAW);
    let moves = moves(&mut referee, &position, &solution)?;
    let counts = Counts::of(&solution);
    if arguments.json {
        return console.json(&json!({
            "game": game.program.title,
            "to_move": referee.name(referee.turn(&position)),
            "value": value.to_string(),
            "positions": counts.positions,
            "symmetries": solution.numbering.symmetries.len() + 1,
            "wins": counts.wins, "draws": counts.draws, "losses": counts.losses,
            "longest": counts.longest,
            "tiers": solution.tiers.all.len(),
            "groups": solution.groups,
            "seconds": seconds,
            "bytes": solution.bytes(),
            "store": folder,
            "moves": moves.iter().map(|(mv, value)| json!({ "move": mv, "value": value.to_string() })).collect::<Vec<_>>(),
        }));
    }
    let turn = referee.name(referee.turn(&position));
    console.line(format!("{}, {turn} to move: {value}", game.program.title))?;
    console.line(counts.text(&solution, seconds))?;
    if let Some(folder) = &folder {
        console.line(format!("kept in {}", folder.display()))?;
    }
    let rows: Vec<Vec<String>> =
        moves.iter().map(|(mv, value)| vec![mv.clone(), value.to_string()]).collect();
    console.text(tables::plain(&rows, &[], console.width()))
}

/// Proves the value of a position by search.
fn proven(
    arguments: &SolveArguments,
    referee: &mut Referee<'_>,
    position: &Position,
    console: &Console,
) -> Result<(), Stop> {
    let Position::Compiled(state) = position else { return Ok(()) };
    let mut memory = knowledge::memory(referee.game);
    let wait = Wait::unlimited(&interrupt::interrupted);
    let evaluation = search::known(&mut referee.session, &mut memory, wait);
    let evaluation = evaluation.map_err(|fault| referee.fault(&fault))?.map(|(known, _)| known);
    let stake = if arguments.margin { Stake::Margin } else { Stake::Outcome };
    let task = (state, stake, arguments.memory << 20);
    let progress = Progress::spinner("searching");
    let started = Instant::now();
    let stop = || {
        progress.tell(format!("searching, {:.0} s", started.elapsed().as_secs_f64()));
        interrupt::interrupted()
    };
    let proven = solve::prove(
        referee.game,
        evaluation.as_ref(),
        task,
        &stop,
        &mut |positions, low, high| {
            progress.tell(format!("{positions} positions: between {low} and {high}"));
        },
    );
    drop(progress);
    let proven = proven.map_err(|trouble| referee.unsolved(trouble))?;
    let seconds = started.elapsed().as_secs_f64();
    let alone = referee.game.program.players.len() == 1;
    let best = match &proven.best {
        Some(mv) => Some(referee.notation(&referee.facts(position), mv)?),
        None => None,
    };
    let turn = referee.name(referee.turn(position));
    let value = worth(stake, proven.value, alone);
    if arguments.json {
        return console.json(&json!({
            "game": referee.game.program.title,
            "to_move": turn,
            "value": value,
            "best": best,
            "positions": proven.positions,
            "seconds": seconds,
        }));
    }
    let by = best.map_or(String::new(), |mv| format!(" by {mv}"));
    console.line(format!("{}, {turn} to move: {value}{by}", referee.game.program.title))?;
    let speed = proven.positions as f64 / seconds.max(1e-3);
    let positions = proven.positions;
    console.line(format!("{positions} positions, {seconds:.2} s, {speed:.0} positions a second"))
}

/// A proven value in words.
fn worth(stake: Stake, value: i32, alone: bool) -> String {
    if alone && stake == Stake::Margin {
        return format!("the greatest score is {value}");
    }
    match (stake, value) {
        (_, 0) => "draw".to_string(),
        (Stake::Outcome, n) => (if n > 0 { "wins" } else { "loses" }).to_string(),
        (Stake::Margin, n) => {
            let points = if n.abs() == 1 { "point" } else { "points" };
            match n > 0 {
                true => format!("wins with {n} {points} more"),
                false => format!("loses with {} {points} less", -n),
            }
        }
    }
}

/// The moves of a position in the game's notation with what each comes to, the best first.
fn moves(
    referee: &mut Referee<'_>,
    position: &Position,
    solution: &Solution,
) -> Result<Vec<(String, Value)>, Stop> {
    if referee.outcome(position)?.is_some() {
        return Ok(Vec::new());
    }
    let facts = referee.facts(position);
    let mut rows = Vec::new();
    for (mv, next) in referee.successors(position)? {
        let Position::Compiled(state) = &next else { continue };
        let same = referee.turn(&next) == referee.turn(position);
        if let Some(value) = solution.value(state) {
            rows.push((referee.notation(&facts, &mv)?, value.before(same)));
        }
    }
    rows.sort_by_key(|(_, value)| -value.rank());
    Ok(rows)
}

/// What there is among the positions of a solution.
struct Counts {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: u16,
}

impl Counts {
    fn of(solution: &Solution) -> Counts {
        let mut counts = Counts { positions: 0, wins: 0, draws: 0, losses: 0, longest: 0 };
        for value in solution.values.iter().flatten() {
            counts.positions += 1;
            counts.longest = counts.longest.max(value.plies());
            match value.outcome() {
                Wdl::Win => counts.wins += 1,
                Wdl::Draw => counts.draws += 1,
                Wdl::Loss => counts.losses += 1,
            }
        }
        counts
    }

    fn text(&self, solution: &Solution, seconds: f64) -> String {
        let Counts { positions, wins, draws, losses, longest } = self;
        let symmetries = match solution.numbering.symmetries.len() {
            0 => String::new(),
            n => format!(" up to {} symmetries", n + 1),
        };
        let speed = *positions as f64 / seconds.max(1e-3);
        let bytes = solution.bytes() as f64 / *positions as f64;
        format!(
            "{positions} positions{symmetries}: {wins} won, {draws} drawn, {losses} lost for the player to \
             move; the longest win takes {longest} plies\n\
             {} tiers in {} groups, {seconds:.2} s, {speed:.0} positions a second, {bytes:.1} bytes a position",
            solution.tiers.all.len(),
            solution.groups,
        )
    }
}
