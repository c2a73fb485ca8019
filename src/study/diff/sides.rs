//! The two sides of a position: their ends, their moves, and how they differ.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::engine::{Game, State};
use crate::referee::naming;
use crate::referee::{Position, Referee, Stop};
use crate::syntax::print_term;

/// Both games, side by side.
pub type Sides<'g> = (Referee<'g>, Referee<'g>);
/// The same position in both.
pub type States = (State, State);

/// The most moves listed that only one side allows.
const TOLD: usize = 8;

/// A difference, in words and as data.
pub type Differing = (Vec<String>, Value);

/// One side of a position: how the game has ended, or the legal moves by their terms.
pub struct Side {
    pub outcome: Option<String>,
    pub moves: BTreeMap<String, State>,
}

/// The positions in which both games begin.
pub fn openings(sides: &mut Sides<'_>) -> States {
    (sides.0.session.opening(), sides.1.session.opening())
}

/// Moves in the game's notation, with the term where the notation is ambiguous.
pub fn as_written(
    referee: &mut Referee<'_>,
    state: &State,
    terms: &[String],
) -> Result<Vec<String>, Stop> {
    let position = Position::Compiled(state.clone());
    let choices = referee.choices(&position)?;
    let named = naming::names(referee, &position, &choices)?;
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
pub fn look<'g>(
    sides: &mut Sides<'g>,
    states: &States,
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
    sides: &mut Sides<'g>,
    states: &States,
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
