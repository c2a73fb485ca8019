//! The moves of a position as segments: a clause, its registers, and the set of its last variable.
//! Counting moves is counting bits.

use crate::plan::{Code, LISTS, Operand, Reg};

use super::bits::bits;

/// The most segments that one run of machine code writes: at first, and after runs that bailed out.
pub(super) const SEGMENTS: std::ops::RangeInclusive<usize> = 1 << 9..=1 << 14;

/// Stands for a missing result.
const NONE: u32 = u32::MAX;

/// Candidate moves of one clause that differ in one register. The layout is fixed, because native
/// code writes it: adjacent narrow fields are written as one word.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Segment<const W: usize> {
    pub(super) set: [u64; W],
    /// The code of index 0.
    pub(super) base: Code,
    pub(super) count: u32,
    /// The index of its first register in [`Moves::registers`].
    pub(super) registers: u32,
    pub(super) result: u32,
    pub(super) clause: u16,
    pub(super) last: Reg,
    /// Not 0 where its candidates have been tried and are legal.
    pub(super) tried: u32,
    /// A register whose stored value is the distance from the last variable's code to its own code.
    pub(super) origin: Reg,
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
        let origin = Reg::MAX;
        Segment { set, base, count, registers, result: NONE, clause, last, tried: 0, origin }
    }

    /// The register of the last variable and the code of index 0; `None` for a single move.
    pub(super) fn last(&self) -> Option<(Reg, Code)> {
        (self.last != Reg::MAX).then_some((self.last, self.base))
    }

    /// The index of its resulting state in [`Moves::results`], for a move that was enumerated
    /// whole.
    pub(super) fn result(&self) -> Option<usize> {
        (self.result != NONE).then_some(self.result as usize)
    }

    pub(super) fn tried(&self) -> bool {
        self.tried != 0
    }

    /// Its candidates, if this is its number among the segments.
    pub(super) fn picks(&self, number: u32) -> impl Iterator<Item = Pick> + use<W> {
        let (single, set) = match self.last() {
            None => ((self.count > 0).then_some(0), [0; W]),
            Some(_) => (None, self.set),
        };
        let several = bits(set).map(|bit| bit as u32);
        single.into_iter().chain(several).map(move |bit| Pick { segment: number, bit })
    }
}

/// Evaluates an expression with the constant `$width`: the number of words of a machine's sets,
/// given that of the plan's sets.
macro_rules! with_width {
    ($words:expr, $width:ident => $body:expr) => {
        match $words {
            1 => with_width!(1, $width, $body),
            2 => with_width!(2, $width, $body),
            3 => with_width!(3, $width, $body),
            4 => with_width!(4, $width, $body),
            5..=6 => with_width!(6, $width, $body),
            7..=16 => with_width!(16, $width, $body),
            17..=32 => with_width!(32, $width, $body),
            _ => with_width!(64, $width, $body),
        }
    };
    ($n:literal, $width:ident, $body:expr) => {{
        const $width: usize = $n;
        $body
    }};
}
pub(super) use with_width;

/// The moves of one position.
#[derive(Debug, Clone)]
pub struct Moves<const W: usize> {
    pub(super) segments: Vec<Segment<W>>,
    pub(super) registers: Vec<Code>,
    pub(super) results: Vec<u64>,
    /// The lists in moves: for each its length, then its items.
    pub(super) lists: Vec<Code>,
    pub(super) chance: bool,
    pub(super) total: u64,
    /// Each move occurs once.
    pub(super) settled: bool,
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
            settled: false,
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
        self.settled = false;
    }

    /// The move with this number, in order of generation.
    #[inline]
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
                // the last word need not be counted
                let ones = if w + 1 == W { count } else { u64::from(word.count_ones()) };
                if number < ones {
                    let bit = w as u32 * 64 + select(*word, number as u32);
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

    /// Removes all candidates of a segment.
    pub(super) fn remove_all(&mut self, number: u32) {
        let segment = &mut self.segments[number as usize];
        self.total -= u64::from(segment.count);
        (segment.set, segment.count) = ([0; W], 0);
    }

    pub(super) fn picks(&self) -> Vec<Pick> {
        let mut picks = Vec::with_capacity(self.total as usize);
        for (i, segment) in self.segments.iter().enumerate() {
            picks.extend(segment.picks(i as u32));
        }
        picks
    }
}

/// The position of the bit with this number among those that are set, of which there are more
/// (Vigna, "Broadword implementation of rank/select queries", 2008).
#[inline]
fn select(word: u64, number: u32) -> u32 {
    if number < 8 {
        let mut rest = word;
        for _ in 0..number {
            rest &= rest - 1;
        }
        return rest.trailing_zeros();
    }
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // in each byte, how many bits are set up to its end
    let sums = bytes.wrapping_mul(ONES);
    let wanted = u64::from(number) * ONES;
    let before = ((wanted | ONES << 7) - sums) & (ONES << 7);
    let place = before.count_ones() * 8;
    let inside = u64::from(number) - ((sums << 8) >> place & 0xff);
    let mut rest = word >> place;
    for _ in 0..inside {
        rest &= rest - 1;
    }
    place + rest.trailing_zeros()
}

/// The least code of a list that was saved with a move.
pub(super) const SAVED: Code = LISTS + (LISTS >> 1);

/// The value of a move's operand.
pub(super) fn register_of<const W: usize>(moves: &Moves<W>, pick: Pick, x: Operand) -> Code {
    let reg = match x {
        Operand::Const(code) => return code,
        Operand::Reg(reg) => reg,
    };
    let segment = &moves.segments[pick.segment as usize];
    let last = segment.base + Code::from(pick.bit);
    if segment.last == reg {
        return last;
    }
    let kept = moves.registers[segment.registers as usize + reg as usize];
    if segment.origin == reg { kept + last } else { kept }
}

/// The items of a list that was saved with a move.
pub(super) fn saved_items<const W: usize>(moves: &Moves<W>, code: Code) -> &[Code] {
    let at = (code - SAVED) as usize;
    let len = moves.lists[at] as usize;
    &moves.lists[at + 1..at + 1 + len]
}
