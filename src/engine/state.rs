//! Positions from facts and facts from positions.

use crate::plan::{Cells, Place, Plan};

/// The content of a cell: the value's index plus one, 0 for undefined; for a set 1 or 0.
pub(super) fn coded(plan: &Plan, place: &Place, words: &[u64], cell: usize) -> usize {
    match place.cells {
        Cells::Word(word) => words[word as usize] as usize,
        Cells::Packed { first, shift } => {
            let per_word = 6 - shift;
            let word = words[first as usize + (cell >> per_word)];
            let at = (cell & ((1 << per_word) - 1)) << shift;
            ((word >> at) & ((1u64 << (1 << shift)) - 1)) as usize
        }
        Cells::None => {
            let _ = plan;
            place.planes.map_or(0, |planes| {
                (words[planes.defined as usize + cell / 64] >> (cell % 64) & 1) as usize
            })
        }
    }
}
