//! `ludex diff`: the shortest line of play to a position in which two sets of rules differ.
//!
//! Both games are played side by side with the compiled engine, breadth first, as long as they
//! allow the same moves and end in the same way. Pairs of positions that have been met before are
//! not examined again, whatever the moves that led to them; a difference that lies only in the
//! rules of repetition may therefore be missed.

use std::collections::BTreeMap;

use clap::Args;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::engine::{Game, Session, State};
use crate::referee::interrupt;
use crate::render::fit;
use crate::syntax::print_term;

use crate::referee::typed;
use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::ui::arguments::{GameArguments, OptionArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::progress::Progress;
use crate::ui::signals;

/// The most moves listed that only one side allows.
const TOLD: usize = 8;

/// Finds the shortest line of play after which two games differ in legal moves or in the outcome.
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
    #[arg(short = 'b', long = "option-b", value_name = "NAME=VALUE", value_parser = crate::ui::arguments::pair)]
    options_b: Vec<(String, String)>,

    /// The greatest number of positions to compare.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: usize,

    /// The greatest number of moves to a position.
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// A difference, in words and as data.
type Differing = (Vec<String>, Value);

/// One side of a position: how the game has ended, or the legal moves by their terms.
struct Side {
    outcome: Option<String>,
    moves: BTreeMap<String, State>,
}

/// A position of both games, and how it was reached.
struct Node {
    states: (State, State),
    /// The previous node, and the move from there.
    from: Option<(usize, String)>,
    depth: usize,
}

/// A difference, and the line that leads to it.
struct Difference {
    /// The moves in the game's notation, and as terms.
    line: (Vec<String>, Vec<String>),
    text: Vec<String>,
    data: Value,
}

/// How a search ended.
struct Found {
    difference: Option<Difference>,
    looked_at: usize,
    /// All positions up to this number of moves were compared.
    depth: usize,
    /// There are no more positions.
    exhausted: bool,
    interrupted: bool,
}

pub fn run(arguments: &DiffArguments, console: &Console) -> Result<(), Stop> {
    let second = arguments.second.as_ref().unwrap_or(&arguments.first);
    let load = |game: &String, options: &[(String, String)]| {
        let options = OptionArguments { options: options.to_vec() };
        open::game(&GameArguments { game: game.clone(), options }.request())
    };
    let (a, b) =
        (load(&arguments.first, &arguments.options_a)?, load(second, &arguments.options_b)?);
    let mut sides = (Referee::new(&a, Evaluator::Compiled), Referee::new(&b, Evaluator::Compiled));
    signals::catch();
    let found = search(&mut sides, arguments)?;
    tell(&found, arguments.json, console)?;
    if found.interrupted { Err(Stop::Interrupted) } else { Ok(()) }
}

fn tell(found: &Found, json: bool, console: &Console) -> Result<(), Stop> {
    if json {
        return console.json(&json!({
            "difference": found.difference.as_ref().map(|d| d.data.clone()),
            "line": found.difference.as_ref().map(|d| d.line.1.clone()),
            "positions": found.looked_at,
            "depth": found.depth,
            "exhausted": found.exhausted,
        }));
    }
    let positions = match found.looked_at {
        1 => "1 position".to_string(),
        n => format!("{n} positions"),
    };
    match &found.difference {
        Some(difference) => {
            let line = match difference.line.0.as_slice() {
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

fn search<'g>(
    sides: &mut (Referee<'g>, Referee<'g>),
    arguments: &DiffArguments,
) -> Result<Found, Stop> {
    let opening = |referee: &mut Referee<'_>| referee.session.opening();
    let mut nodes =
        vec![Node { states: (opening(&mut sides.0), opening(&mut sides.1)), from: None, depth: 0 }];
    let mut seen: FxHashSet<(u64, u64)> = FxHashSet::default();
    let mut at = 0;
    let bar = Progress::new(arguments.positions as u64, "depth 0");
    while at < nodes.len() {
        let depth = nodes[at].depth;
        let deepest = arguments.depth.is_some_and(|most| depth > most);
        let cut_short = |interrupted| Found {
            difference: None,
            looked_at: at,
            depth: depth.saturating_sub(1),
            exhausted: false,
            interrupted,
        };
        let interrupted = interrupt::interrupted();
        if deepest || at >= arguments.positions || interrupted {
            return Ok(cut_short(interrupted));
        }
        if at > 0 && depth > nodes[at - 1].depth {
            bar.tell(format!("depth {depth}"));
        }
        let states = nodes[at].states.clone();
        let (a, b, difference) = match look(sides, &states) {
            // the answer says that the earlier positions were compared
            Err(Stop::Interrupted) => return Ok(cut_short(true)),
            looked => looked?,
        };
        if let Some((text, data)) = difference {
            let line = line(sides, &nodes, at)?;
            let difference = Some(Difference { line, text, data });
            let looked_at = at + 1;
            return Ok(Found {
                difference,
                looked_at,
                depth,
                exhausted: false,
                interrupted: false,
            });
        }
        // positions beyond the limit need not be kept
        if nodes.len() < arguments.positions.saturating_add(1) {
            for ((text, left), (_, right)) in a.moves.into_iter().zip(b.moves) {
                let hash = |session: &mut Session<'_>, state: &State| session.hashes(state).0;
                let key = (hash(&mut sides.0.session, &left), hash(&mut sides.1.session, &right));
                if seen.insert(key) {
                    let from = Some((at, text));
                    nodes.push(Node { states: (left, right), from, depth: depth + 1 });
                }
            }
        }
        at += 1;
        bar.step();
    }
    let depth = nodes.last().map_or(0, |n| n.depth);
    let exhausted = at < arguments.positions;
    Ok(Found { difference: None, looked_at: at, depth, exhausted, interrupted: false })
}

/// The moves that lead to a node, in the game's notation and as terms.
fn line(
    sides: &mut (Referee<'_>, Referee<'_>),
    nodes: &[Node],
    mut at: usize,
) -> Result<(Vec<String>, Vec<String>), Stop> {
    let (mut spoken, mut terms) = (Vec::new(), Vec::new());
    while let Some((before, mv)) = &nodes[at].from {
        spoken.extend(as_written(
            &mut sides.0,
            &nodes[*before].states.0,
            std::slice::from_ref(mv),
        )?);
        terms.push(mv.clone());
        at = *before;
    }
    spoken.reverse();
    terms.reverse();
    Ok((spoken, terms))
}

/// Moves in the game's notation, with the term where the notation is ambiguous.
fn as_written(
    referee: &mut Referee<'_>,
    state: &State,
    terms: &[String],
) -> Result<Vec<String>, Stop> {
    let position = Position::Compiled(state.clone());
    let choices = referee.choices(&position)?;
    let named = typed::names(referee, &position, &choices)?;
    let same = |a: &str| named.iter().filter(|n| n.notation == a).count();
    let wanted = named.iter().filter(|n| terms.contains(&n.text));
    Ok(wanted
        .map(|n| match same(&n.notation) {
            1 => n.notation.clone(),
            _ => format!("{} ({})", n.notation, n.text),
        })
        .collect())
}

/// Compares both sides of a position.
fn look<'g>(
    sides: &mut (Referee<'g>, Referee<'g>),
    states: &(State, State),
) -> Result<(Side, Side, Option<Differing>), Stop> {
    let (a, b) = (side(&mut sides.0, &states.0)?, side(&mut sides.1, &states.1)?);
    let difference = compare(sides, states, &a, &b)?;
    Ok((a, b, difference))
}

fn side(referee: &mut Referee<'_>, state: &State) -> Result<Side, Stop> {
    let position = Position::Compiled(state.clone());
    if let Some(outcome) = referee.outcome(&position)? {
        let mut winners: Vec<String> = outcome.winners.iter().map(|p| referee.name(*p)).collect();
        winners.sort();
        let mut text = match winners.as_slice() {
            [] => "nobody wins".to_string(),
            winners => format!("a win for {}", winners.join(" and ")),
        };
        if let Some(scores) = &outcome.scores {
            let all: Vec<String> =
                scores.iter().map(|s| s.map_or("none".to_string(), |n| n.to_string())).collect();
            text = format!("{text}, score {}", all.join(" : "));
        }
        return Ok(Side { outcome: Some(text), moves: BTreeMap::new() });
    }
    let mut moves = BTreeMap::new();
    for (term, next) in referee.successors(&position)? {
        if let Position::Compiled(next) = next {
            moves.insert(print_term(&term), next);
        }
    }
    Ok(Side { outcome: None, moves })
}

fn compare<'g>(
    sides: &mut (Referee<'g>, Referee<'g>),
    states: &(State, State),
    a: &Side,
    b: &Side,
) -> Result<Option<Differing>, Stop> {
    let turn = |game: &Game, state: &State| game.program.values.show(game.turn(state));
    let turns = (turn(sides.0.game, &states.0), turn(sides.1.game, &states.1));
    let goes_on = |s: &Side, turn: &String| match &s.outcome {
        Some(outcome) => outcome.clone(),
        None => format!("the game goes on, with {turn} to move"),
    };
    let ended = (a.outcome.is_some(), b.outcome.is_some());
    if a.outcome != b.outcome || (ended == (false, false) && turns.0 != turns.1) {
        let (left, right) = (goes_on(a, &turns.0), goes_on(b, &turns.1));
        let text = vec![format!("A: {left}"), format!("B: {right}")];
        return Ok(Some((text, json!({ "kind": "outcome", "a": left, "b": right }))));
    }
    let only = |mine: &Side, other: &Side| -> Vec<String> {
        mine.moves.keys().filter(|m| !other.moves.contains_key(*m)).cloned().collect()
    };
    let (left, right) = (only(a, b), only(b, a));
    if left.is_empty() && right.is_empty() {
        return Ok(None);
    }
    let mut text = Vec::new();
    let both = [("A", &mut sides.0, &states.0, &left), ("B", &mut sides.1, &states.1, &right)];
    for (name, referee, state, moves) in both {
        if !moves.is_empty() {
            let more = moves.len().saturating_sub(TOLD);
            let and = if more > 0 { format!(" and {more} more") } else { String::new() };
            let mut shown = as_written(referee, state, moves)?;
            shown.truncate(TOLD);
            let shown = shown.join(", ");
            text.push(format!("legal in {name} only: {shown}{and}"));
        }
    }
    Ok(Some((text, json!({ "kind": "moves", "only_a": left, "only_b": right }))))
}
