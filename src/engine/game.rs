//! A compiled game and its positions.

use std::sync::{Arc, OnceLock};

use crate::datalog::Tables;
use crate::plan::Plan;
use crate::program::{ClauseId, EndKind, FluentId, FluentShape, Program, Value};
use crate::syntax::Term;
use crate::types::Types;

use super::telling::Telling;

/// An immutable game: rules, tables and plan. It is cheap to clone and can be shared between threads.
#[derive(Debug, Clone)]
pub struct Game {
    /// The checked rules.
    pub program: Arc<Program>,
    /// The rows of the static relations.
    pub tables: Arc<Tables>,
    /// The inferred domains of arguments and variables.
    pub types: Arc<Types>,
    /// The compiled clauses.
    pub plan: Arc<Plan>,
    /// The machine code, which is made when it is first needed.
    pub code: super::native::NativeCode,
    /// What a search tells positions apart by, once one has begun.
    pub(super) telling: OnceLock<Telling>,
    /// The game of random games, once one has begun: see [`crate::pipeline::sensible`].
    pub sensible: OnceLock<Option<Arc<Game>>>,
}

impl Game {
    /// A game without machine code so far.
    pub fn new(program: Program, tables: Tables, types: Types, plan: Plan) -> Game {
        Game {
            program: Arc::new(program),
            tables: Arc::new(tables),
            types: Arc::new(types),
            plan: Arc::new(plan),
            code: super::native::NativeCode::default(),
            telling: OnceLock::new(),
            sensible: OnceLock::new(),
        }
    }

    /// What a search tells positions apart by.
    pub(super) fn telling(&self) -> &Telling {
        self.telling.get_or_init(|| Telling::of_search(self))
    }
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
    /// The argument of `move` or `chance`.
    pub term: Term,
    /// It is a chance event.
    pub chance: bool,
    /// For a chance event, its weight; 1 for a move.
    pub weight: i64,
    /// The clause that generates it.
    pub clause: ClauseId,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What the end clause says. `None` where there is no legal move and no clause applies, which is a
    /// draw.
    pub kind: Option<EndKind>,
    /// The end clause, where there is one.
    pub clause: Option<ClauseId>,
    /// The winners in declared order; empty for a draw.
    pub winners: Vec<Value>,
    /// The score of each player in declared order, where the game has scores; `None` for a player without
    /// one.
    pub scores: Option<Vec<Option<i64>>>,
}

/// Who is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToMove {
    /// This player.
    Player(Value),
    /// A chance event is due.
    Nature,
}

/// The value of one fluent at one combination of keys: `at(a1) = x`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The fluent.
    pub fluent: FluentId,
    /// Its keys, in order.
    pub keys: Vec<Value>,
    /// The value of a map; `None` for an element of a set.
    pub value: Option<Value>,
}

impl State {
    /// The words of the layout, then a flag whether the move said who is next, then the incremental hash.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many earlier positions are remembered.
    pub fn remembered(&self) -> usize {
        self.history.len()
    }
}

impl Game {
    /// Everything that holds in a position, by fluent in declared order, then by key. Undefined cells
    /// are left out.
    pub fn facts(&self, state: &State) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (number, fluent) in self.program.fluents.iter().enumerate() {
            let place = &self.plan.layout.places[number];
            for cell in 0..place.size {
                let coded = place.coded(&state.words, cell);
                if coded == 0 {
                    continue;
                }
                let mut rest = cell;
                let mut keys = Vec::new();
                for axis in place.axes().iter().rev() {
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
        let coded = place.coded(&state.words, 0);
        let axis = place.value.as_ref()?;
        (coded > 0).then(|| self.plan.universes.value(axis.code(coded - 1)))
    }

    /// The player whose turn it is, also while a chance event is due.
    pub fn turn(&self, state: &State) -> Value {
        self.single(state, FluentId::TURN)
            .or(self.program.players.first().copied())
            .unwrap_or(Value::Integer(0))
    }

    /// How many moves and chance events have been made.
    pub fn ply(&self, state: &State) -> i64 {
        self.single(state, FluentId::PLY).and_then(Value::integer).unwrap_or(0)
    }
}
