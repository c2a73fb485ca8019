//! What the engine runs: tables as bits and indexes, the layout of the state, and the clauses as
//! instructions over registers.
//!
//! `recursions.rs` (with `kept.rs`) makes tables of recursions that count and floods of others, `sites.rs` makes sites of
//! pairs of columns and rows, `connections.rs` and `hypotheses.rs` make relations of each `connected` and `after`, `heads.rs`
//! takes compounds out of recursive heads, `specialise.rs` (with `staging.rs`) makes relations for calls with constants and
//! without counters (`thresholds.rs` where these are compared), `unfolding.rs` makes one recursion of relations that call each other in turn, `backward.rs` (with `lines.rs`) floods from the ends of recursions of which something is asked, `closures.rs` gives
//! transitive closures one recursive call, `universe.rs` numbers the constants, `domains.rs` infers the values of each
//! variable (and checks the declared domains), `layout.rs` places the state in words, `rows.rs`, `images.rs` and `joints.rs` prepare the tables, `scope.rs` finds what the rules of play look at, and `lower/` turns clauses into
//! instructions (`ops.rs`), which form a tree of blocks (`blocks.rs`, `uses.rs`). `print.rs` and
//! `tree.rs` show the result, `own_calls.rs` tells which of its recursive relations are closures.

mod ahead;
mod alternatives;
mod backward;
mod blocks;
pub(crate) mod closures;
mod connections;
pub mod domains;
mod first_answers;
mod given_calls;
mod heads;
mod hypotheses;
mod images;
mod joints;
mod kept;
mod known_calls;
mod layout;
mod lines;
mod lower;
mod opening;
mod ops;
mod own_calls;
mod print;
mod probes;
pub(crate) mod recursions;
mod redundant;
mod rows;
mod scope;
pub(crate) mod sensible;
pub(crate) mod sites;
mod specialise;
mod staging;
mod thresholds;
mod tree;
mod unfolding;
pub mod universe;
mod uses;
mod written;

pub use blocks::{BlockId, Blocks, OpId};
pub use images::Images;
pub use joints::Joints;
pub use layout::{Axis, Cells, Layout, Place, Planes, Slices};
pub(crate) use lower::lower;
pub use ops::{
    Answer, Argument, Body, Found, HeadTerm, MoveClause, MovePattern, NoFlood, Op, Operand,
    Operands, PatternArgument, Procedure, Rank, RankGroup, Recursion, Reg, Rerun, Risk, Safe, Set,
    SetReg, Untabled,
};
pub use own_calls::OwnCall;
pub use print::print_plan;
pub use rows::{Address, Index, KeyRange, Rows, Through};
pub use scope::Scope;
pub use universe::{CONSTANTS, Code, LISTS, MAX_SET, UniverseId, Universes};
pub use written::{Written, WrittenGoals, WrittenId};

use crate::program::{EndKind, FluentId};
use crate::source::Span;

/// A compiled game.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The codes of the constants.
    pub universes: Universes,
    /// The place of each fluent in a state.
    pub layout: Layout,
    /// Constant sets, one after the other, `layout.words` words each.
    pub masks: Vec<u64>,
    /// Static relations as sets: for given keys, the values of one column.
    pub rows: Vec<Rows>,
    /// Static relations as rows: for given keys, the other columns.
    pub indexes: Vec<Index>,
    /// Static relations as shifts, which map a whole set at once.
    pub images: Vec<Images>,
    /// Static relations as shifts of several sets at once.
    pub joints: Vec<Joints>,
    /// Constant sets that end clauses look for, by site.
    pub through: Vec<Through>,
    /// The map whose changed keys are recorded between two tests of the end, for [`Op::AnyRow`].
    pub watched: Option<FluentId>,
    /// The relations and actions, each once for each way of calling it.
    pub procedures: Vec<Procedure>,
    /// The instructions of all clauses.
    pub blocks: Blocks,
    /// The goals that the instructions come from.
    pub written: WrittenGoals,
    /// The items of each constant list.
    pub lists: rustc_hash::FxHashMap<Code, Box<[Code]>>,
    /// The code of the empty list; one below [`CONSTANTS`] where the program has no such constant.
    pub empty_list: Code,
    /// The first item and the rest of each constant list that is not empty, where the rest is a
    /// constant too.
    pub parts: rustc_hash::FxHashMap<Code, (Code, Code)>,
    /// The inverse of `parts`: the constant list of a first item and a rest.
    pub cons: rustc_hash::FxHashMap<(Code, Code), Code>,
    /// The place of each constant in the standard order of terms, indexed by its code less [`CONSTANTS`].
    pub order: Vec<u32>,
    /// The constants that moves and their arguments can be: by name, then by the codes of the arguments.
    pub compounds: rustc_hash::FxHashMap<String, rustc_hash::FxHashMap<Box<[Code]>, Code>>,
    /// The text of each constant in messages; texts and lists are left out.
    pub names: rustc_hash::FxHashMap<Code, String>,
    /// The names and arities of the moves and chance events.
    pub functors: Vec<(String, usize)>,
    /// The forms of move that `legal(M)` goals ask for.
    pub patterns: Vec<MovePattern>,
    /// The clauses of `move`, in the order of the rule file.
    pub moves: Vec<MoveClause>,
    /// The clauses of `moves`, by rank.
    pub groups: Vec<RankGroup>,
    /// The clauses of `chance`, in the order of the rule file.
    pub chance: Vec<MoveClause>,
    /// The clauses that end the game, in the order of the rule file.
    pub ends: Vec<End>,
    /// The procedure for `score(P, N)` with P bound: an index into `procedures`.
    pub score: Option<u32>,
    /// The procedure for `value(P, N)` with P bound: an index into `procedures`.
    pub value: Option<u32>,
    /// The players in the order of their turns.
    pub players: Vec<Code>,
    /// For each coded turn, the coded turn of the next player. A turn is coded as the player's
    /// [`Axis::index`] plus one; 0 is unused.
    pub next_turn: Vec<usize>,
    /// The places in the rule file that rule errors name.
    pub sources: Vec<Span>,
    /// For each of them, whether its goal may be a rule error where goals are run as written.
    pub may_raise: Vec<bool>,
    /// The opening position: the words of a state without its hash.
    pub opening: Vec<u64>,
    /// The program asks how often a position has occurred, so positions have to be remembered.
    pub repetition: bool,
}

impl Plan {
    /// The clauses of chance events, or those of moves.
    pub fn clauses(&self, chance: bool) -> &[MoveClause] {
        if chance { &self.chance } else { &self.moves }
    }
}

/// A compiled end clause. For `win` and `lose`, register 0 holds the player.
#[derive(Debug, Clone)]
pub struct End {
    /// What the clause says about the end.
    pub kind: EndKind,
    /// The clause; it ends in [`Op::Succeed`].
    pub body: Body,
}
