//! What the engine runs: tables as bits and indexes, the layout of the state, and the clauses as
//! instructions over registers.
//!
//! `closures.rs` gives transitive closures one recursive call, `universe.rs` numbers the constants,
//! `domains.rs` infers what each variable can be (and finds arguments of another domain),
//! `layout.rs` places the state in words, `rows.rs` and `images.rs` make tables ready, and `lower/`
//! turns clauses into instructions (`ops.rs`), which form a tree of
//! blocks (`blocks.rs`, `uses.rs`). `print.rs` and `tree.rs` show the result.

mod blocks;
pub(crate) mod closures;
mod dead;
pub mod domains;
mod images;
mod layout;
mod lower;
mod opening;
mod ops;
mod print;
mod probes;
mod rows;
mod tree;
pub mod universe;
mod uses;
mod written;

pub use blocks::{BlockId, Blocks, OpId};
pub(crate) use dead::check as check_dead;
pub use images::Images;
pub use layout::{Axis, Cells, Layout, Place, Planes};
pub(crate) use lower::lower;
pub use ops::{
    Answer, Argument, Body, Found, HeadTerm, MoveClause, MovePattern, NoFlood, Op, Operand,
    Operands, PatternArgument, Procedure, Rank, RankGroup, Recursion, Reg, Rerun, Risk, Safe, Set,
    SetReg,
};
pub use print::print_plan;
pub use rows::{Address, Index, KeyRange, Rows, Through};
pub use universe::{CONSTANTS, Code, LISTS, MAX_SET, UniverseId, Universes};
pub use written::{Written, WrittenGoals, WrittenId};

use crate::program::{EndKind, FluentId};
use crate::source::Span;

/// A compiled game.
#[derive(Debug, Clone)]
pub struct Plan {
    pub universes: Universes,
    pub layout: Layout,
    /// Constant sets, `layout.words` words each.
    pub masks: Vec<u64>,
    pub rows: Vec<Rows>,
    pub indexes: Vec<Index>,
    pub images: Vec<Images>,
    /// Constant sets that end clauses look for, by site.
    pub through: Vec<Through>,
    /// The map whose changes between two tests of the end are kept for [`Op::AnyRow`].
    pub watched: Option<FluentId>,
    pub procedures: Vec<Procedure>,
    pub blocks: Blocks,
    /// The goals that the instructions come from.
    pub written: WrittenGoals,
    /// The items of each constant list.
    pub lists: rustc_hash::FxHashMap<Code, Box<[Code]>>,
    pub empty_list: Code,
    /// First item and rest of each constant list that has items, and the other way round.
    pub parts: rustc_hash::FxHashMap<Code, (Code, Code)>,
    pub cons: rustc_hash::FxHashMap<(Code, Code), Code>,
    /// The place of each constant in the standard order of terms, by its code.
    pub order: Vec<u32>,
    /// The constants of the functors that moves have, by name and arguments.
    pub compounds: rustc_hash::FxHashMap<String, rustc_hash::FxHashMap<Box<[Code]>, Code>>,
    /// How constants are written, for messages.
    pub names: rustc_hash::FxHashMap<Code, String>,
    /// Names and numbers of arguments of the moves and chance events.
    pub functors: Vec<(String, usize)>,
    pub patterns: Vec<MovePattern>,
    pub moves: Vec<MoveClause>,
    /// The clauses of `moves`, by rank.
    pub groups: Vec<RankGroup>,
    pub chance: Vec<MoveClause>,
    pub ends: Vec<End>,
    /// `score(P, N)` and `value(P, N)`, with P bound.
    pub score: Option<u32>,
    pub value: Option<u32>,
    /// The players in order.
    pub players: Vec<Code>,
    /// For each coded turn (see [`Axis::index`]; plus one), that of the next player.
    pub next_turn: Vec<usize>,
    /// The places that rule errors name.
    pub sources: Vec<Span>,
    /// The opening position.
    pub opening: Vec<u64>,
    /// The program asks how often a position occurred.
    pub repetition: bool,
}

/// A compiled end clause: register 0 holds the player for `win` and `lose`.
#[derive(Debug, Clone)]
pub struct End {
    pub kind: EndKind,
    pub body: Body,
}
