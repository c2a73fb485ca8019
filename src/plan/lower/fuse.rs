//! Instructions that do the work of several.
//!
//! What a block asks most often is put into one instruction: a test in place of a block that holds
//! nothing else, and the search for a constant set that is whole, such as a line of one player's
//! pieces, in place of a loop.

use crate::program::FluentId;

use super::super::ops::{Op, Operand, Pc, Reg, Set};
use super::super::{End, Through};
use super::{Code, Lowering};

impl Lowering<'_> {
    /// Goes over the finished code. Places of instructions stay as they are.
    pub(super) fn fuse(&mut self, ends: &[End]) {
        for at in 0..self.code.len() {
            self.any_row(at, ends);
        }
        for at in 0..self.code.len() {
            if let Some(op) = self.test_alone(at) {
                self.code[at] = op;
            }
        }
    }

    /// `Each row, row within a set, Succeed` at this place becomes one test.
    fn any_row(&mut self, at: usize, ends: &[End]) {
        let [
            first,
            Op::Subset { part: Set::Row { rows, keys }, whole, negate: false },
            Op::Succeed,
        ] = &self.code[at..(at + 3).min(self.code.len())]
        else {
            return;
        };
        let Some((dst, codes)) = self.enumerated(first) else { return };
        if **keys != [Operand::Reg(dst)] || reads(whole, dst) || self.is_jumped_to(at + 1) {
            return;
        }
        let (rows, whole) = (*rows as usize, whole.clone());
        let words = self.universes.words;
        let mut sets: Vec<u64> = Vec::new();
        for code in codes {
            match self.rows[rows].find(|_| code) {
                Some(set) if set.iter().any(|w| *w != 0) => sets.extend_from_slice(set),
                // an empty set is in every set
                _ => return,
            }
        }
        let fluent = match whole {
            Set::PlaneOf { fluent, .. } => Some(fluent),
            Set::Plane(first) => self.plane_of(first),
            _ => None,
        };
        let start = at as Pc;
        let ending = ends.iter().any(|end| end.block.start == start);
        let watched = fluent.filter(|f| ending && *self.watched.get_or_insert(*f) == *f);
        let through = watched.map(|_| {
            self.through.push(Through::build(words, &sets));
            self.through.len() as u32 - 1
        });
        let masks = (self.masks.len() / words) as u32;
        let count = (sets.len() / words) as u32;
        self.masks.extend(sets);
        self.code[at] = Op::AnyRow { masks, count, whole, through, negate: false };
        self.code[at + 1] = Op::Succeed;
    }

    /// The register and the values of a loop over constants.
    fn enumerated(&self, op: &Op) -> Option<(Reg, Vec<Code>)> {
        match op {
            Op::Each { set: Set::Mask(mask), base, dst } => {
                let words = self.universes.words;
                let mask = &self.masks[*mask as usize * words..][..words];
                let bits = (0..words * 64).filter(|i| mask[i / 64] >> (i % 64) & 1 == 1);
                Some((*dst, bits.map(|i| base + i as Code).collect()))
            }
            Op::Rows { index, keys, outs } if keys.is_empty() && outs.len() == 1 => {
                let index = &self.indexes[*index as usize];
                let rows = index.find(|_| 0);
                Some((outs[0], rows.map(|number| index.row(number)[0]).collect()))
            }
            _ => None,
        }
    }

    fn plane_of(&self, first: u32) -> Option<FluentId> {
        let within = |place: &super::super::Place| {
            let Some(planes) = place.planes else { return false };
            (planes.first..=planes.defined).contains(&first)
        };
        let at = self.layout.places.iter().position(within)?;
        Some(FluentId(at as u32))
    }

    fn is_jumped_to(&self, at: usize) -> bool {
        self.code.iter().any(|op| match op {
            Op::Jump { to } => *to as usize == at,
            Op::If { then, otherwise, .. } => *then as usize == at || *otherwise as usize == at,
            _ => false,
        })
    }

    /// `Exists` of a block that is a single test, as that test.
    fn test_alone(&self, at: usize) -> Option<Op> {
        let Op::Exists { body, negate: outer } = &self.code[at] else { return None };
        let [test, Op::Succeed] = self.code.get(*body as usize..*body as usize + 2)? else {
            return None;
        };
        let mut op = test.clone();
        match &mut op {
            Op::In { negate, .. }
            | Op::NonEmpty { negate, .. }
            | Op::Subset { negate, .. }
            | Op::AnyRow { negate, .. }
            | Op::Holds { negate, .. }
            | Op::Defined { negate, .. }
            | Op::Has { negate, .. }
            | Op::Same { negate, .. }
            | Op::Test { negate, .. } => *negate ^= *outer,
            Op::Each { set, .. } => op = Op::NonEmpty { set: set.clone(), negate: *outer },
            _ => return None,
        }
        Some(op)
    }
}

fn reads(set: &Set, reg: Reg) -> bool {
    match set {
        Set::PlaneOf { value, .. } => *value == Operand::Reg(reg),
        Set::Row { keys, .. } => keys.contains(&Operand::Reg(reg)),
        Set::Reg(_) | Set::Mask(_) | Set::Plane(_) => false,
    }
}
