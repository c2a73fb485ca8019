//! The features of a position as the difference to those of the position before, since a move changes few
//! cells: only words that differ are looked at.

use crate::plan::Cells;

use super::features::{FEW, Part, ROW_AMOUNT, Reader, number, tell_number};

/// The most sets of cells that [`touched`] tells apart.
pub(super) const MOST_SETS: usize = 2_048;

impl Reader {
    /// Calls `tell` with each feature of the state that is gone and each that is new, and how much of it: less than
    /// 0 for what is gone. Features of who is to move and of the numbers of moves are left out. Amounts of rows are
    /// told one row at a time, so that sums of differences do not depend on the way.
    #[inline]
    pub fn differences(&self, before: &[u64], after: &[u64], mut tell: impl FnMut(usize, f32)) {
        for part in &self.parts {
            match part {
                Part::Plane { first, words, weight } => {
                    bits_that_differ(before, after, *first, *words, *weight, &mut tell);
                }
                Part::Bits { first, size, weight } => {
                    bits_that_differ(before, after, *first, size.div_ceil(64), *weight, &mut tell);
                }
                Part::Numbers { cells, size, base, scale, weight, few } => {
                    cells_that_differ(before, after, *cells, *size, |cell, old, new| {
                        let at = (weight + cell, few + cell * FEW);
                        tell_number(number(*base, old), *scale, -1.0, at, &mut tell);
                        tell_number(number(*base, new), *scale, 1.0, at, &mut tell);
                    });
                }
                Part::Values { cells, size, values, weight } => {
                    cells_that_differ(before, after, *cells, *size, |cell, old, new| {
                        if old > 0 {
                            tell(weight + cell * values + old - 1, -1.0);
                        }
                        if new > 0 {
                            tell(weight + cell * values + new - 1, 1.0);
                        }
                    });
                }
                Part::Patterns { windows, weight } => {
                    windows.differences(before, after, |at, amount| tell(weight + at, amount));
                }
                Part::Rows { planes, defined, words, rows, weight } => {
                    let held =
                        |state: &[u64], row: &[u64]| held_by_one(state, row, planes, *defined);
                    touched(before, after, planes, *words, &self.touching, |row| {
                        let row = &rows[row];
                        if let Some(at) = held(before, row) {
                            tell(weight + at, -ROW_AMOUNT);
                        }
                        if let Some(at) = held(after, row) {
                            tell(weight + at, ROW_AMOUNT);
                        }
                    });
                }
            }
        }
    }

    /// Whether the second state has fewer pieces of some kind than the first: elements of a plane.
    #[inline]
    pub fn loses(&self, before: &[u64], after: &[u64]) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Plane { first, words, .. } => {
                let mut more = 0i32;
                for word in *first..first + words {
                    let (gone, come) = (before[word] & !after[word], after[word] & !before[word]);
                    // in most cases nothing has changed, or a piece has moved within the word
                    let moved = gone.is_power_of_two() && come.is_power_of_two();
                    if gone | come != 0 && !moved {
                        more += come.count_ones() as i32 - gone.count_ones() as i32;
                    }
                }
                more < 0
            }
            _ => false,
        })
    }
}

/// Calls `tell` once with each of several sets of cells in which a cell of one of the planes differs; `touching` has, by
/// cell, the numbers of the sets that it is in, of [`MOST_SETS`] at most.
#[inline]
pub(super) fn touched(
    before: &[u64],
    after: &[u64],
    planes: &[usize],
    words: usize,
    touching: &[Vec<u16>],
    mut tell: impl FnMut(usize),
) {
    let mut seen = [0u64; MOST_SETS / 64];
    for word in 0..words {
        let differs = |plane: &usize| before[plane + word] ^ after[plane + word];
        let mut changed = planes.iter().map(differs).fold(0, |all, bits| all | bits);
        while changed != 0 {
            let cell = word * 64 + changed.trailing_zeros() as usize;
            changed &= changed - 1;
            for set in touching.get(cell).into_iter().flatten() {
                let set = usize::from(*set);
                if seen[set / 64] >> (set % 64) & 1 == 0 {
                    seen[set / 64] |= 1 << (set % 64);
                    tell(set);
                }
            }
        }
    }
}

/// The index of the weight of a row that pieces of one value alone hold.
#[inline]
pub(super) fn held_by_one(
    state: &[u64],
    row: &[u64],
    planes: &[usize],
    defined: usize,
) -> Option<usize> {
    let held = |w: usize| row[w] & state[defined + w];
    if (0..row.len()).all(|w| held(w) == 0) {
        return None;
    }
    for (value, plane) in planes.iter().enumerate() {
        let own = |w: usize| row[w] & state[plane + w];
        if (0..row.len()).all(|w| own(w) == held(w)) {
            let count: u32 = (0..row.len()).map(|w| own(w).count_ones()).sum();
            return Some(value * super::features::LONGEST_ROW + count as usize - 1);
        }
        if (0..row.len()).any(|w| own(w) != 0) {
            return None;
        }
    }
    None
}

/// Calls `tell` with the bits that are set in one state only.
#[inline]
fn bits_that_differ(
    before: &[u64],
    after: &[u64],
    first: usize,
    words: usize,
    weight: usize,
    tell: &mut impl FnMut(usize, f32),
) {
    for word in 0..words {
        let (old, new) = (before[first + word], after[first + word]);
        let mut changed = old ^ new;
        while changed != 0 {
            let bit = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let amount = if new >> bit & 1 == 1 { 1.0 } else { -1.0 };
            tell(weight + word * 64 + bit, amount);
        }
    }
}

/// Calls `tell` with the cells whose values differ, and both values.
#[inline]
fn cells_that_differ(
    before: &[u64],
    after: &[u64],
    cells: Cells,
    size: usize,
    mut tell: impl FnMut(usize, usize, usize),
) {
    let mut look = |cell: usize| {
        let (old, new) = (cells.coded(before, cell), cells.coded(after, cell));
        if old != new {
            tell(cell, old, new);
        }
    };
    let Cells::Packed { first, shift } = cells else {
        (0..size).for_each(look);
        return;
    };
    let per_word = 1usize << (6 - shift);
    for word in 0..size.div_ceil(per_word) {
        let mut changed = before[first as usize + word] ^ after[first as usize + word];
        while changed != 0 {
            let within = changed.trailing_zeros() as usize >> shift;
            let cell = word * per_word + within;
            if cell < size {
                look(cell);
            }
            // the other bits of the cell
            let next = (within + 1) << shift;
            changed = if next < 64 { changed >> next << next } else { 0 };
        }
    }
}
