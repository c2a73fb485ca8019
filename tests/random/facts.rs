//! What positions and lists of moves hold, and where two of them differ.

use ludex::engine::{Fact, Game, State};
use ludex::program::{FluentId, FluentShape};
use ludex::reference::Facts;

pub fn engine_facts(game: &Game, state: &State) -> Vec<Fact> {
    let mut facts = game.facts(state);
    facts.sort();
    facts
}

pub fn reference_facts(game: &Game, facts: &Facts) -> Vec<Fact> {
    let mut all = Vec::new();
    for (number, fluent) in game.program.fluents.iter().enumerate() {
        let id = FluentId(number as u32);
        for (keys, value) in facts.iter(id) {
            let value = match fluent.shape {
                FluentShape::Set => None,
                FluentShape::Map { .. } => Some(value),
            };
            all.push(Fact { fluent: id, keys: keys.to_vec(), value });
        }
    }
    all.sort();
    all
}

pub fn written(game: &Game, facts: &[Fact]) -> Vec<String> {
    let values = &game.program.values;
    let show = |fact: &Fact| {
        let name = &game.program.fluents[fact.fluent.0 as usize].name;
        let value = fact.value.map(|v| values.show(v)).unwrap_or_default();
        format!("{name}({}) {value}", values.show_all(&fact.keys))
    };
    facts.iter().map(show).collect()
}

/// What one list has and the other has not, with multiplicity.
pub fn difference(mine: &[String], theirs: &[String]) -> String {
    let extra = |a: &[String], b: &[String]| {
        let mut left = b.to_vec();
        let mut extra = Vec::new();
        for item in a {
            match left.iter().position(|other| other == item) {
                Some(at) => drop(left.swap_remove(at)),
                None => extra.push(item.clone()),
            }
        }
        extra
    };
    format!("too much {:?}, missing {:?}", extra(mine, theirs), extra(theirs, mine))
}

/// Is it moves too many, too few, twice, or other weights?
pub fn moves_class(mine: &[(String, i64)], theirs: &[(String, i64)]) -> String {
    let has = |all: &[(String, i64)], term: &str| all.iter().any(|(t, _)| t == term);
    let extra = mine.iter().any(|(t, _)| !has(theirs, t));
    let missing = theirs.iter().any(|(t, _)| !has(mine, t));
    let what = match (extra, missing) {
        (true, true) => "other",
        (true, false) => "extra",
        (false, true) => "missing",
        (false, false) if mine.len() != theirs.len() => "repeated",
        (false, false) => "weights",
    };
    format!("moves: {what}")
}
