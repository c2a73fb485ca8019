//! The weights of chance events.
//!
//! Those that are the same in every position are calculated once for each event of a playout's machine: a throw of
//! dice is drawn by weight as often as a move is made, and each draw needs the weights of all throws.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::plan::Code;

use super::machine::Machine;
use super::segments::{Moves, Pick, SAVED};

/// The events of one clause with the same registers, by the bit of the last variable.
type ByBit = Vec<Option<i64>>;

/// Weights that are the same in every position, by clause and registers.
#[derive(Debug, Default)]
pub(super) struct KnownWeights(Vec<FxHashMap<SmallVec<[Code; 4]>, ByBit>>);

impl KnownWeights {
    fn get(&self, clause: u16, registers: &[Code], bit: u32) -> Option<i64> {
        *self.0.get(clause as usize)?.get(registers)?.get(bit as usize)?
    }

    fn add(&mut self, clause: u16, registers: &[Code], bit: u32, weight: i64) {
        // what a list in a register is differs from position to position
        if registers.iter().any(|code| *code >= SAVED) {
            return;
        }
        let clauses = self.0.len().max(clause as usize + 1);
        self.0.resize_with(clauses, FxHashMap::default);
        let by_bit = self.0[clause as usize].entry(registers.into()).or_default();
        by_bit.resize(by_bit.len().max(bit as usize + 1), None);
        by_bit[bit as usize] = Some(weight);
    }
}

impl<const W: usize> Machine<'_, W> {
    /// The weight of a chance event; 0 where the rules give less.
    pub(super) fn weight(&mut self, moves: &Moves<W>, pick: Pick) -> Result<i64, ()> {
        let segment = &moves.segments[pick.segment as usize];
        let clause = &self.clauses(moves.chance)[segment.clause as usize];
        let Some(procedure) = clause.weight else { return Ok(1) };
        let registers = &moves.registers[segment.registers as usize..][..clause.kept as usize];
        // where rule errors are looked for, each weight is calculated
        let alike = clause.weighs_alike && !self.strict;
        if alike && let Some(weight) = self.weights.get(segment.clause, registers, pick.bit) {
            return Ok(weight);
        }
        let weight = self.number(procedure, "weight", moves, pick, clause)?.unwrap_or(1).max(0);
        if alike {
            self.weights.add(segment.clause, registers, pick.bit, weight);
        }
        Ok(weight)
    }
}
