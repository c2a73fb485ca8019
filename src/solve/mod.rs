//! Exact values: what a game comes to if both players play as well as can be, and in how many plies.
//!
//! Positions are numbered by a `codec`, those that are alike by `symmetry` as one. `tiers` finds
//! the positions that can be reached; groups of tiers are then solved from the last to the first, by
//! `induction`, or by `passes` where the moves of a group do not fit the memory. A [`Store`] keeps
//! the values.
//!
//! `proof` finds the value of one position by search, where there are more than can be stored.
//!
//! A position that comes again is no nearer to its end, so neither player gains by it: repetition counts
//! as a draw, whatever the number of times that the rules ask for.

mod bounds;
pub mod codec;
mod crew;
mod expand;
mod induction;
mod passes;
pub mod proof;
mod set;
mod store;
mod symmetry;
mod tiers;
mod value;

pub use bounds::Bounds;
pub use codec::TierKey;
pub use crew::Trouble;
pub use expand::Numbering;
pub use store::{Identity, Reader, Store, Subject};
pub use tiers::{Roots, Tiers};
pub use value::{Value, Wdl};

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::diagnostic::listed;
use crate::engine::{Game, Session, State};
use crate::plan::Scope;
use crate::program::{EndKind, FluentId, Program};
use crate::search::evaluation::Evaluation;
use crate::search::orbits::Renaming;

use crew::Crew;
use induction::Values;
use proof::{Proven, Stake};
use tiers::{Search, TierId};

/// The memory for the search for symmetries, in bytes.
const SYMMETRY_MEMORY: u64 = 1 << 30;

/// The symmetries of a game; none where it has chance events or too many rows, or where `stop` returns true.
pub fn renamings(game: &Game, stop: &dyn Fn() -> bool) -> Vec<Box<Renaming>> {
    let scope = Scope::of(&game.program, &game.tables);
    let opening = Session::new(game).opening();
    let start = &opening.words()[..game.plan.layout.len];
    let mut bounds = Bounds::new(SYMMETRY_MEMORY, stop);
    let Ok(numbering) = Numbering::new(game, &scope, start, true, &mut bounds) else {
        return Vec::new();
    };
    let codec = Arc::new(numbering.codec);
    numbering
        .symmetries
        .into_iter()
        .map(|symmetry| {
            let (codec, to) = (codec.clone(), symmetry.inverse());
            let renaming = move |fluent: FluentId, cell: usize, coded: usize| {
                let field = codec.fields.iter().find(|field| field.fluent == fluent)?;
                let at = field.cells.binary_search(&(cell as u32)).ok()?;
                let image = to[field.first + at] as usize;
                let value = symmetry.value(image, coded as codec::Cell) as usize;
                Some((field.cells[image - field.first] as usize, value))
            };
            Box::new(renaming) as Box<Renaming>
        })
        .collect()
}

/// How positions are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Backward induction, and passes where its memory does not suffice.
    #[default]
    Induction,
    /// Value iteration.
    Passes,
}

/// What is to be solved.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The position from which others are reached.
    pub start: &'a State,
    /// Also solves all other arrangements of the same pieces.
    pub arrangements: bool,
    /// Positions that are alike by symmetry are solved once.
    pub symmetric: bool,
    /// How.
    pub method: Method,
    /// The most bytes that all of it may take: the numbering, the positions, their values, and the moves of a group. What
    /// each thread needs to make moves, a few megabytes, comes to it.
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
    /// Where values are kept, and of what they are values.
    pub store: Option<(&'a Store, &'a Subject)>,
}

/// Proves the value of one position by search; `memory` bytes hold what is proven.
///
/// # Errors
/// A rule error, an interruption, or a game in which positions come again.
pub fn prove(
    game: &Game,
    evaluation: Option<&Evaluation>,
    (start, stake, memory): (&State, Stake, u64),
    stop: &dyn Fn() -> bool,
    told: &mut dyn FnMut(u64, i32, i32),
) -> Result<Proven, Trouble> {
    refusal(game)?;
    if stake == Stake::Outcome {
        scored_alone(game)?;
    }
    let scope = Scope::of(&game.program, &game.tables);
    let words = &start.words()[..game.plan.layout.len];
    let mut bounds = Bounds::new(memory, stop);
    let numbering = Numbering::new(game, &scope, words, true, &mut bounds)?;
    proof::prove(game, &numbering, evaluation, (words, stake, bounds.left()), stop, told)
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Positions found, and those of them whose moves are known.
    Found(u64, u64),
    /// Positions solved, of all.
    Solved(u64, u64),
}

/// The values of all positions that can be reached.
#[derive(Debug)]
pub struct Solution {
    /// How positions are numbered.
    pub numbering: Numbering,
    /// The positions.
    pub tiers: Tiers,
    /// By tier, the value of each position.
    pub values: Vec<Vec<Value>>,
    /// The groups of tiers, in the order in which they were solved.
    pub groups: usize,
}

/// Whether and why a game cannot be solved.
///
/// # Errors
/// The reason.
pub fn refusal(game: &Game) -> Result<(), Trouble> {
    let program = &game.program;
    let refused = |text: String| Err(Trouble::Refused(text));
    if program.players.len() > 2 {
        let count = program.players.len();
        return refused(format!(
            "a game of {count} players has no value that all of them can hold to"
        ));
    }
    let ends = |kind: EndKind| program.ends.iter().any(|(of, _)| *of == kind);
    if program.players.len() == 1
        && ends(EndKind::Lose)
        && (ends(EndKind::Draw) || ends(EndKind::Over))
    {
        return refused(
            "one player can lose here and end the game without losing, which are not told apart"
                .to_string(),
        );
    }
    if Scope::of(program, &game.tables).remembers {
        return refused(
            "earlier positions decide which moves are legal or who wins, so a position alone has no value"
                .to_string(),
        );
    }
    Ok(())
}

/// Refuses a game with a draw by repetition that takes positions for the same of which one may be won and the other lost.
fn repeated_apart(game: &Game, scope: &Scope) -> Result<(), Trouble> {
    let program = &game.program;
    let (whole, board) = scope.repeats;
    let ignored = |fluent: &FluentId| match *fluent {
        FluentId::TURN => board,
        FluentId::MOVER => board || Scope::tells_mover(program, &game.tables),
        FluentId::PLY => true,
        other => program.fluent(other).aside,
    };
    let mut apart: Vec<FluentId> = match whole || board {
        true => Scope::decisive(program, &game.tables).into_iter().filter(ignored).collect(),
        false => Vec::new(),
    };
    if board {
        apart.push(FluentId::TURN);
    }
    apart.sort_unstable();
    apart.dedup();
    let names: Vec<String> =
        apart.iter().map(|fluent| format!("`{}`", program.fluent(*fluent).name)).collect();
    match names.as_slice() {
        [] => Ok(()),
        _ => Err(Trouble::Refused(format!(
            "the draw by repetition does not look at {}, which decides here who wins, so a position alone has no value: \
             `--method search` finds the value of one position",
            listed(&names, "and")
        ))),
    }
}

/// Refuses a game for one player that ends with a score: it is neither won nor lost.
fn scored_alone(game: &Game) -> Result<(), Trouble> {
    let program = &game.program;
    let scored = program.players.len() == 1
        && program.special.score.is_some_and(|id| !program.relation(id).clauses.is_empty());
    match scored {
        true => Err(Trouble::Refused(
            "a game for one player with a score is neither won nor lost: `--method search --margin` finds the greatest score"
                .to_string(),
        )),
        false => Ok(()),
    }
}

/// Whether a finished game that is not won is lost, as in games for one player that the rules end by a loss.
fn is_lost_alone(program: &Program) -> bool {
    program.players.len() == 1 && program.ends.iter().any(|(kind, _)| *kind == EndKind::Lose)
}

/// Solves a game from a position.
///
/// # Errors
/// See [`Trouble`].
pub fn solve(
    game: &Game,
    task: &Task<'_>,
    stop: &(dyn Fn() -> bool + Sync),
    told: &mut dyn FnMut(Progress),
) -> Result<Solution, Trouble> {
    refusal(game)?;
    scored_alone(game)?;
    let scope = Scope::of(&game.program, &game.tables);
    repeated_apart(game, &scope)?;
    let words = &task.start.words()[..game.plan.layout.len];
    let mut bounds = Bounds::new(task.memory, stop);
    let numbering = Numbering::new(game, &scope, words, task.symmetric, &mut bounds)?;
    let mut session = Session::new(game);
    let (tiers, values, groups) = {
        let mut crew = Crew::new(&mut session, game, &numbering, task.threads, stop);
        let (key, rank) = numbering.number(words);
        let roots = match task.arrangements {
            true => Roots::Tier(key),
            false => Roots::Position(key, rank),
        };
        let tiers = found(&mut crew, &roots, task, bounds.left(), stop, told)?;
        let groups = tiers.order();
        // the positions, and in the end the value of each
        let room = bounds.left().checked_sub(tiers.bytes() + tiers.positions() * VALUE);
        let room = room.ok_or_else(|| too_large(&tiers, task.memory))?;
        let values = vec![Vec::new(); tiers.all.len()];
        let mut work = Work { tiers: &tiers, values, solved: 0, room };
        while !work.round(&mut crew, &groups, task, told)? {
            // other processes have the rest
            wait(stop)?;
        }
        work.load(task, &(0..tiers.all.len() as TierId).collect::<Vec<_>>())?;
        let values = work.values;
        (tiers, values, groups.len())
    };
    Ok(Solution { numbering, tiers, values, groups })
}

/// The bytes of a value.
const VALUE: u64 = size_of::<Value>() as u64;

/// Why a game is not solved whose positions are known.
fn too_large(tiers: &Tiers, memory: u64) -> Trouble {
    let (positions, limit) = (tiers.positions(), memory >> 20);
    Trouble::Large(format!(
        "the values of {positions} positions need more than {limit} MB of memory"
    ))
}

/// Why a game is not solved that takes more plies than a value holds.
fn too_long() -> Trouble {
    let most = Value::MOST_PLIES - 1;
    Trouble::Refused(format!("a win takes more than {most} plies, which values do not hold"))
}

/// How long to wait for other processes before looking again.
const PATIENCE: Duration = Duration::from_millis(100);

fn wait(stop: &(dyn Fn() -> bool + Sync)) -> Result<(), Trouble> {
    std::thread::sleep(PATIENCE);
    match stop() {
        true => Err(Trouble::Interrupted),
        false => Ok(()),
    }
}

/// The positions: those that are kept, or found now, by this process or by another one.
fn found(
    crew: &mut Crew<'_>,
    roots: &Roots,
    task: &Task<'_>,
    memory: u64,
    stop: &(dyn Fn() -> bool + Sync),
    told: &mut dyn FnMut(Progress),
) -> Result<Tiers, Trouble> {
    let mut told = |search: &Search| told(Progress::Found(search.found, search.expanded));
    let Some((store, subject)) = task.store else {
        return Search::run(crew, roots, memory, None, &mut told);
    };
    loop {
        if let Some(tiers) = store.tiers(subject)? {
            return Ok(tiers);
        }
        if let Some(_claim) = store.claim("search")? {
            // it may have been finished in between
            if let Some(tiers) = store.tiers(subject)? {
                return Ok(tiers);
            }
            let tiers = Search::run(crew, roots, memory, Some(store), &mut told)?;
            store.keep_tiers(subject, &tiers)?;
            return Ok(tiers);
        }
        wait(stop)?;
    }
}

/// The groups of tiers while they are being solved.
struct Work<'t> {
    tiers: &'t Tiers,
    values: Values,
    /// The positions solved so far, with those of other processes.
    solved: u64,
    /// The bytes in which a group is solved.
    room: u64,
}

impl Work<'_> {
    /// Whether the values of a tier are known, here or on disk.
    fn knows(&self, task: &Task<'_>, id: TierId) -> bool {
        !self.values[id as usize].is_empty() || task.store.is_some_and(|(s, _)| s.has_values(id))
    }

    /// Reads the values of tiers that are known on disk.
    fn load(&mut self, task: &Task<'_>, ids: &[TierId]) -> Result<(), Trouble> {
        for id in ids {
            let own = &mut self.values[*id as usize];
            if let (true, Some((store, _))) = (own.is_empty(), task.store) {
                *own = store.values(*id)?.unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Solves the groups that no other process has claimed and whose successors are known; returns whether all
    /// are solved.
    fn round(
        &mut self,
        crew: &mut Crew<'_>,
        groups: &[Vec<TierId>],
        task: &Task<'_>,
        told: &mut dyn FnMut(Progress),
    ) -> Result<bool, Trouble> {
        let (tiers, mut all_known) = (self.tiers, true);
        let all = tiers.positions();
        for (number, group) in groups.iter().enumerate() {
            if group.iter().all(|id| self.knows(task, *id)) {
                continue;
            }
            let leads_to = group.iter().flat_map(|id| &tiers.all[*id as usize].leads_to);
            let needed: Vec<TierId> =
                leads_to.copied().filter(|id| group.binary_search(id).is_err()).collect();
            let claim = match task.store {
                _ if !needed.iter().all(|id| self.knows(task, *id)) => None,
                None => Some(None),
                Some((store, _)) => store.claim(&format!("group-{number:06}"))?.map(Some),
            };
            let Some(_claim) = claim else {
                all_known = false;
                continue;
            };
            if group.iter().all(|id| self.knows(task, *id)) {
                continue;
            }
            self.load(task, &needed)?;
            let (values, solved) = (&mut self.values, &mut self.solved);
            let mut step = |positions: u64| {
                *solved += positions;
                told(Progress::Solved((*solved).min(all), all));
            };
            let done = task.method == Method::Induction
                && induction::solve(crew, tiers, group, values, self.room, &mut step)?;
            if !done {
                let len: u64 =
                    group.iter().map(|id| tiers.all[*id as usize].ranks.len() as u64).sum();
                if len * passes::POSITION > self.room {
                    return Err(too_large(tiers, task.memory));
                }
                passes::solve(crew, tiers, group, values, &mut step)?;
            }
            let longest =
                group.iter().flat_map(|id| &values[*id as usize]).map(|v| v.plies()).max();
            if longest == Some(Value::MOST_PLIES) {
                return Err(too_long());
            }
            if let Some((store, _)) = task.store {
                for id in group {
                    store.keep_values(*id, &self.values[*id as usize])?;
                }
            }
        }
        Ok(all_known)
    }
}

impl Solution {
    /// The value of a position for the player to move; `None` where it cannot be reached.
    pub fn value(&self, state: &State) -> Option<Value> {
        let (key, rank) = self.numbering.number(state.words());
        let id = self.tiers.id(&key)? as usize;
        let number = self.tiers.all[id].ranks.number(rank)?;
        self.values[id].get(number).copied()
    }

    /// The bytes that the positions and their values take.
    pub fn bytes(&self) -> u64 {
        self.tiers.bytes() + self.tiers.positions() * VALUE
    }
}

/// The bytes that the numbering of a solution on disk may take.
const PROBE: u64 = 1 << 30;

/// A solution on disk, which is asked for positions of its game.
#[derive(Debug)]
pub struct Probe {
    numbering: Numbering,
    reader: Reader,
}

impl Probe {
    /// Opens the solution of a game in a folder; the work ends soon after `stop` returns true.
    ///
    /// # Errors
    /// A folder without a solution of it, or an interruption.
    pub fn open(
        game: &Game,
        identity: &Identity,
        folder: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Probe, Trouble> {
        let reader = Reader::open(folder)?;
        reader.matches(identity)?;
        let scope = Scope::of(&game.program, &game.tables);
        let subject = &reader.subject;
        let mut bounds = Bounds::new(PROBE, stop);
        let numbering =
            Numbering::new(game, &scope, &subject.start, subject.symmetric, &mut bounds)?;
        Ok(Probe { numbering, reader })
    }

    /// The value of a position for the player to move; `None` where it is not in the solution.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn value(&self, state: &State) -> Result<Option<Value>, Trouble> {
        let (key, rank) = self.numbering.number(state.words());
        self.reader.value(&key, rank)
    }
}
