//! What does not change while a plan is run, worked out beforehand.

use crate::plan::{Cells, Operand, Plan, Reg, Risk};
use crate::program::FluentId;

use super::duplicates::{Plain, alike, head_registers, plain_heads};
use super::machine::builds_lists;
use super::supposed::{asks_moves, tables_read_history};

/// What the machine knows of its plan before it runs it.
#[derive(Debug)]
pub(super) struct PlanFacts<const W: usize> {
    /// The most registers that a move keeps.
    pub widest: usize,
    pub heads: Vec<Option<Plain<Operand>>>,
    /// By clause: its moves may come twice.
    pub told_apart: Vec<bool>,
    /// By clause and index of a candidate, those of its segment that are the same move.
    pub alike: Vec<Option<Vec<[u64; W]>>>,
    pub head_registers: Vec<Vec<Reg>>,
    /// Listing the moves may be a rule error in any position.
    pub careful: bool,
    /// By procedure: it supposes updates and may ask for the legal moves then.
    pub asks_moves: Vec<bool>,
    /// By procedure: no other table takes part in the evaluation of its tables.
    pub closures: Vec<bool>,
    /// Tables hold answers of one history of the game only.
    pub tables_read_history: bool,
    /// The word of the state that holds the turn.
    pub turn_word: Option<usize>,
}

impl<const W: usize> PlanFacts<W> {
    pub fn of(plan: &Plan) -> PlanFacts<W> {
        let clauses = || plan.moves.iter().chain(&plan.chance);
        PlanFacts {
            widest: clauses().map(|c| c.kept as usize).max().unwrap_or(0),
            heads: plain_heads(&plan.moves, builds_lists(plan)),
            told_apart: plan.moves.iter().map(|c| c.repeats).collect(),
            alike: alike(plan),
            head_registers: head_registers(&plan.moves),
            careful: clauses().any(|c| c.faulty || c.risk == Risk::Always || c.repeats),
            asks_moves: (0..plan.procedures.len() as u32).map(|p| asks_moves(plan, p)).collect(),
            closures: plan.procedures.iter().map(|p| plan.closure(p).is_some()).collect(),
            tables_read_history: tables_read_history(plan),
            turn_word: match plan.layout.place(FluentId::TURN).cells {
                Cells::Word(word) => Some(word as usize),
                _ => None,
            },
        }
    }
}
