//! The moves of a position as segments: a clause, its registers, and the set of its last variable.
//! Counting moves is counting bits.

use crate::plan::{Code, LISTS, Operand, Reg};

use super::machine::bits;

/// No result, no last register.
const NONE: u32 = u32::MAX;

/// Candidate moves of one clause that differ in one register. Its layout is fixed, because native
/// code writes it: neighbouring narrow fields are written as one word.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Segment<const W: usize> {
    pub(super) set: [u64; W],
    /// The code of index 0.
    pub(super) base: Code,
    pub(super) count: u32,
    /// Where its registers begin.
    pub(super) registers: u32,
    pub(super) result: u32,
    pub(super) clause: u16,
    pub(super) last: Reg,
    /// Not 0 where its candidates have been tried and are legal.
    pub(super) tried: u64,
}

impl<const W: usize> Segment<W> {
    /// Candidates of a clause: one for each element of a set in a register, or a single one.
    pub(super) fn new(
        clause: u16,
        last: Option<(Reg, Code)>,
        set: [u64; W],
        count: u32,
        registers: u32,
    ) -> Segment<W> {
        let (last, base) = last.unwrap_or((Reg::MAX, 0));
        Segment { set, base, count, registers, result: NONE, clause, last, tried: 0 }
    }

    /// The register of the last variable and the code of index 0; `None` for a single move.
    pub(super) fn last(&self) -> Option<(Reg, Code)> {
        (self.last != Reg::MAX).then_some((self.last, self.base))
    }

    /// Where its resulting state begins, for a move that was enumerated whole.
    pub(super) fn result(&self) -> Option<usize> {
        (self.result != NONE).then_some(self.result as usize)
    }

    pub(super) fn tried(&self) -> bool {
        self.tried != 0
    }
}

/// The moves of one position.
#[derive(Debug, Clone)]
pub struct Moves<const W: usize> {
    pub(super) segments: Vec<Segment<W>>,
    pub(super) registers: Vec<Code>,
    pub(super) results: Vec<u64>,
    /// Lists that moves hold: their length, then their items.
    pub(super) lists: Vec<Code>,
    pub(super) chance: bool,
    pub(super) total: u64,
}

impl<const W: usize> Default for Moves<W> {
    fn default() -> Self {
        Moves {
            segments: Vec::new(),
            registers: Vec::new(),
            results: Vec::new(),
            lists: Vec::new(),
            chance: false,
            total: 0,
        }
    }
}

/// One move of a [`Moves`]: a segment, and the bit of its last variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    pub(super) segment: u32,
    pub(super) bit: u32,
}

impl<const W: usize> Moves<W> {
    pub(super) fn clear(&mut self, chance: bool) {
        self.segments.clear();
        self.registers.clear();
        self.results.clear();
        self.lists.clear();
        self.chance = chance;
        self.total = 0;
    }

    /// The move with this number, in order of generation.
    pub(super) fn nth(&self, mut number: u64) -> Option<Pick> {
        for (i, segment) in self.segments.iter().enumerate() {
            let count = u64::from(segment.count);
            if number >= count {
                number -= count;
                continue;
            }
            let segment_number = i as u32;
            if segment.last().is_none() {
                return Some(Pick { segment: segment_number, bit: 0 });
            }
            for (w, word) in segment.set.iter().enumerate() {
                let ones = u64::from(word.count_ones());
                if number < ones {
                    let mut rest = *word;
                    for _ in 0..number {
                        rest &= rest - 1;
                    }
                    let bit = w as u32 * 64 + rest.trailing_zeros();
                    return Some(Pick { segment: segment_number, bit });
                }
                number -= ones;
            }
        }
        None
    }

    pub(super) fn remove(&mut self, pick: Pick) {
        let segment = &mut self.segments[pick.segment as usize];
        if segment.last().is_some() {
            segment.set[pick.bit as usize / 64] &= !(1 << (pick.bit % 64));
        }
        segment.count -= 1;
        self.total -= 1;
    }

    pub(super) fn picks(&self) -> Vec<Pick> {
        let mut picks = Vec::with_capacity(self.total as usize);
        for (i, segment) in self.segments.iter().enumerate() {
            let number = i as u32;
            match segment.last() {
                None if segment.count > 0 => picks.push(Pick { segment: number, bit: 0 }),
                None => {}
                Some(_) => picks
                    .extend(bits(segment.set).map(|bit| Pick { segment: number, bit: bit as u32 })),
            }
        }
        picks
    }
}

/// Lists saved with a move have codes from here on.
pub(super) const SAVED: Code = LISTS + (LISTS >> 1);

/// The value of a move's operand.
pub(super) fn register_of<const W: usize>(moves: &Moves<W>, pick: Pick, x: Operand) -> Code {
    match x {
        Operand::Const(code) => code,
        Operand::Reg(reg) => {
            let segment = &moves.segments[pick.segment as usize];
            match segment.last() {
                Some((last, base)) if last == reg => base + Code::from(pick.bit),
                _ => moves.registers[segment.registers as usize + reg as usize],
            }
        }
    }
}

/// The items of a list that was saved with a move.
pub(super) fn saved_items<const W: usize>(moves: &Moves<W>, code: Code) -> &[Code] {
    let at = (code - SAVED) as usize;
    let len = moves.lists[at] as usize;
    &moves.lists[at + 1..at + 1 + len]
}
