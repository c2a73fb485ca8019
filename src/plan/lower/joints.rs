//! Loops over the rows of a relation that test where each site of a row is.
//!
//! `pair(Me, C) :- at(A, You), at(B, You), at(D, Me), four(C, A, B, D)` as a set of sites `C` is one instruction: the
//! planes of the state are shifted onto `C` for each form that the rows of `four` have.

use super::super::Joints;
use super::super::blocks::BlockId;
use super::super::ops::{Op, Operand, Reg, Set};
use super::fuse::Test;
use super::{Code, Lowering};

/// A loop is kept where one instruction would shift more words than this.
const MAX_WORK: usize = 384;

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
        let whole = Test { reg: *dst, set: source.clone(), negate: false, base: *base };
        let mut parts = vec![whole];
        let mut ops = self.ops.blocks[*tests].iter();
        let (target, target_base) = loop {
            match ops.next()? {
                Op::EmitOne { x: Operand::Reg(x), base } if outs.contains(x) => break (*x, *base),
                op => {
                    let test = self.test_of_element(op)?;
                    let reads = outs.iter().chain([dst]).any(|reg| test.set.reads(*reg));
                    if reads || !outs.contains(&test.reg) {
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
            for Test { reg, negate, base, .. } in &parts {
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
        let sets = parts.into_iter().map(|part| (part.set, part.negate)).collect();
        self.made.joints.push(joints);
        Some(vec![Op::EmitJoint { joints: self.made.joints.len() as u32 - 1, sets }])
    }
}
