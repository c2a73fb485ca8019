//! Loops over the rows of a relation that test where each site of a row is.
//!
//! `pair(Me, C) :- at(A, You), at(B, You), at(D, Me), four(C, A, B, D)` as a set of sites `C` is one instruction: the
//! planes of the state are shifted onto `C` for each form that the rows of `four` have.

use super::super::Joints;
use super::super::blocks::BlockId;
use super::super::ops::{Op, Operand, Reg, Set};
use super::{Code, Lowering};

/// A loop is kept where one instruction would shift more words than this.
const MAX_WORK: usize = 384;

/// A test of one site of a row: the register, the set, whether the site must be outside of it, and the code of
/// index 0.
type Test = (Reg, Set, bool, Code);

impl Lowering<'_> {
    /// The replacement for a loop that ends this block: `Each element, its rows, a test of each site, EmitOne`.
    pub(super) fn joint(&mut self, block: BlockId) -> Option<Vec<Op>> {
        let Op::Each { set: source, base, dst, body, orbit: None } =
            self.ops.blocks[block].last()?
        else {
            return None;
        };
        // few elements, such as the squares of a king, have few rows
        let (Set::PlaneOf { .. } | Set::Plane(_)) = source else { return None };
        let [Op::Rows { index, keys, outs, body: tests }] = self.ops.blocks[*body].as_slice()
        else {
            return None;
        };
        if **keys != [Operand::Reg(*dst)] {
            return None;
        }
        let mut parts: Vec<Test> = vec![(*dst, source.clone(), false, *base)];
        let mut ops = self.ops.blocks[*tests].iter();
        let (target, target_base) = loop {
            match ops.next()? {
                Op::EmitOne { x: Operand::Reg(x), base } if outs.contains(x) => break (*x, *base),
                op => {
                    let test = self.test_of_row(op, outs)?;
                    if outs.iter().chain([dst]).any(|reg| test.1.reads(*reg)) {
                        return None;
                    }
                    parts.push(test);
                }
            }
        };
        let index = &self.made.indexes[*index as usize];
        let words = self.universes.words;
        let inside = |code: Code, base: Code| {
            usize::try_from(code.wrapping_sub(base)).ok().filter(|index| *index < words * 64)
        };
        let mut rows: Vec<(usize, Vec<usize>)> = Vec::new();
        'row: for (key, row) in index.pairs() {
            let code_of =
                |reg: Reg| outs.iter().position(|out| *out == reg).map_or(key[0], |at| row[at]);
            let Some(target) = inside(code_of(target), target_base) else { continue };
            let mut sites = Vec::new();
            for (reg, _, negate, base) in &parts {
                match inside(code_of(*reg), *base) {
                    Some(site) => sites.push(site),
                    None if *negate => return None,
                    None => continue 'row,
                }
            }
            rows.push((target, sites));
        }
        let joints = Joints::build(&index.name, words, &rows);
        if joints.forms.len() * parts.len() * words > MAX_WORK {
            return None;
        }
        let sets = parts.into_iter().map(|(_, set, negate, _)| (set, negate)).collect();
        self.made.joints.push(joints);
        Some(vec![Op::EmitJoint { joints: self.made.joints.len() as u32 - 1, sets }])
    }

    /// A test of one of these registers as a set that must contain it, or must not.
    fn test_of_row(&self, op: &Op, outs: &[Reg]) -> Option<Test> {
        let (x, set, negate, base) = match op {
            Op::In { x, set, base, negate } => (*x, set.clone(), *negate, *base),
            Op::Holds { fluent, keys, value, negate } => {
                let place = self.layout.place(*fluent);
                let planes = place.planes?;
                let [x] = **keys else { return None };
                let set = match value {
                    Some(value) => Set::PlaneOf { fluent: *fluent, value: *value },
                    None => Set::Plane(planes.defined),
                };
                (x, set, *negate, place.keys[0].base)
            }
            Op::Defined { fluent, keys, negate } => {
                let place = self.layout.place(*fluent);
                let [x] = **keys else { return None };
                (x, Set::Plane(place.planes?.defined), *negate, place.keys[0].base)
            }
            _ => return None,
        };
        let Operand::Reg(x) = x else { return None };
        outs.contains(&x).then_some((x, set, negate, base))
    }
}
