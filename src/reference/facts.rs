//! Positions as maps: for each fluent, its values by their keys.
//!
//! Maps are shared until they are changed, so copying a position is cheap. Constants that a move
//! builds never occur here: the state has values of declared domains only.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::program::{FluentId, Program, Value};

/// The content of one fluent; the value of an element of a set is [`IN_SET`].
pub type Map = BTreeMap<Vec<Value>, Value>;

/// The value of the keys that belong to a set.
pub const IN_SET: Value = Value::Integer(0);

/// A position, with the positions before it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Facts {
    pub(crate) maps: Vec<Arc<Map>>,
    pub(crate) past: Arc<Vec<Position>>,
}

/// The part of a position that is compared when the rules ask whether it has occurred before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) turn: Option<Value>,
    /// Every fluent but `turn` and those declared to be left aside.
    pub(crate) board: Vec<Arc<Map>>,
}

impl Position {
    pub(crate) fn of(program: &Program, maps: &[Arc<Map>]) -> Position {
        let turn = FluentId::TURN.0 as usize;
        let compared = program.fluents.iter().zip(maps).enumerate();
        Position {
            turn: maps.get(turn).and_then(|map| map.get(&[][..])).copied(),
            board: compared
                .filter(|(i, (fluent, _))| *i != turn && !fluent.aside)
                .map(|(_, (_, map))| map.clone())
                .collect(),
        }
    }
}

impl Facts {
    /// The value for these keys: for a set, [`IN_SET`] where they belong to it.
    pub fn get(&self, fluent: FluentId, keys: &[Value]) -> Option<Value> {
        self.maps.get(fluent.0 as usize).and_then(|map| map.get(keys).copied())
    }

    /// Writes or (with `None`) removes a value, unchecked.
    pub fn set(&mut self, fluent: FluentId, keys: &[Value], value: Option<Value>) {
        let Some(map) = self.maps.get_mut(fluent.0 as usize) else { return };
        let map = Arc::make_mut(map);
        match value {
            Some(value) => map.insert(keys.to_vec(), value),
            None => map.remove(keys),
        };
    }

    /// Keys and values of a fluent, in the order of the keys.
    pub fn iter(&self, fluent: FluentId) -> impl Iterator<Item = (&[Value], Value)> {
        let map = self.maps.get(fluent.0 as usize);
        map.into_iter().flat_map(|m| m.iter().map(|(keys, value)| (keys.as_slice(), *value)))
    }

    /// The player whose turn it is, also while a chance event is due.
    pub fn turn(&self) -> Option<Value> {
        self.get(FluentId::TURN, &[])
    }

    /// The player who made the last move, if there was one.
    pub fn mover(&self) -> Option<Value> {
        self.get(FluentId::MOVER, &[])
    }

    /// How many moves and chance events have been made.
    pub fn ply(&self) -> i64 {
        self.get(FluentId::PLY, &[]).and_then(Value::integer).unwrap_or(0)
    }

    /// How many earlier positions are remembered.
    pub fn remembered(&self) -> usize {
        self.past.len()
    }

    /// The same facts, without earlier positions.
    #[must_use]
    pub fn without_past(&self) -> Facts {
        Facts { maps: self.maps.clone(), past: Arc::default() }
    }
}
