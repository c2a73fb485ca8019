//! A game that is ready to be played, and its positions.

use std::sync::Arc;

use crate::datalog::Tables;
use crate::plan::Plan;
use crate::program::{ClauseId, EndKind, FluentId, FluentShape, Program, Value};
use crate::syntax::Term;
use crate::types::Types;

/// An immutable game: rules, tables and plan. Cheap to clone, shared between threads.
#[derive(Debug, Clone)]
pub struct Game {
    pub program: Arc<Program>,
    pub tables: Arc<Tables>,
    /// What the rules' arguments and variables can be.
    pub types: Arc<Types>,
    pub plan: Arc<Plan>,
    /// Made when it is first needed.
    pub code: super::native::NativeCode,
}

/// A position: the packed state, and the hashes of the positions before it where the rules ask for
/// repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub(super) words: Box<[u64]>,
    pub(super) history: Vec<(u64, u64)>,
}

/// A move or chance event of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// As the rule file's `move` or `chance` clause writes it.
    pub term: Term,
    pub chance: bool,
    /// For a chance event, its weight; 1 for a move.
    pub weight: i64,
    /// The clause that gives it.
    pub clause: ClauseId,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// `None`: nobody could move and no clause says what that means; a draw.
    pub kind: Option<EndKind>,
    /// The clause that ended it.
    pub clause: Option<ClauseId>,
    /// In declared order; empty for a draw.
    pub winners: Vec<Value>,
    /// By player, where the game has scores.
    pub scores: Option<Vec<Option<i64>>>,
}

/// Who is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToMove {
    Player(Value),
    /// A chance event is due.
    Nature,
}

/// A part of the state with keys and value: `at(a1) = x`. A set's value is `None`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub fluent: FluentId,
    pub keys: Vec<Value>,
    pub value: Option<Value>,
}

impl State {
    /// The packed words, the incremental hash last.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many positions before this one are remembered.
    pub fn remembered(&self) -> usize {
        self.history.len()
    }
}

impl Game {
    /// Everything that holds in a position, in the order of declaration and keys; what is
    /// undefined is left out.
    pub fn facts(&self, state: &State) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (number, fluent) in self.program.fluents.iter().enumerate() {
            let place = &self.plan.layout.places[number];
            for cell in 0..place.size {
                let coded = super::state::coded(&self.plan, place, &state.words, cell);
                if coded == 0 {
                    continue;
                }
                let mut rest = cell;
                let mut keys = Vec::new();
                for axis in place.keys.iter().rev() {
                    keys.push(self.plan.universes.value(axis.code(rest % axis.len)));
                    rest /= axis.len;
                }
                keys.reverse();
                let value = match fluent.shape {
                    FluentShape::Set => None,
                    FluentShape::Map { .. } => {
                        place.value.as_ref().map(|a| self.plan.universes.value(a.code(coded - 1)))
                    }
                };
                facts.push(Fact { fluent: FluentId(number as u32), keys, value });
            }
        }
        facts
    }

    /// The value of a map without keys.
    fn single(&self, state: &State, fluent: FluentId) -> Option<Value> {
        let place = self.plan.layout.place(fluent);
        let coded = super::state::coded(&self.plan, place, &state.words, 0);
        let axis = place.value.as_ref()?;
        (coded > 0).then(|| self.plan.universes.value(axis.code(coded - 1)))
    }

    /// The player whose turn it is (also while nature is to move).
    pub fn turn(&self, state: &State) -> Value {
        self.single(state, FluentId::TURN)
            .or(self.program.players.first().copied())
            .unwrap_or(Value::Integer(0))
    }

    /// How many moves and chance events were made.
    pub fn ply(&self, state: &State) -> i64 {
        self.single(state, FluentId::PLY).and_then(Value::integer).unwrap_or(0)
    }
}
