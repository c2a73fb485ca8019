//! Leaves out loops over the elements of sets where only the sets matter.
//!
//! A finite set that is not empty has an element before which no other one of it comes, where the order has no cycles. So a loop over
//! the first elements of a set whose rounds do not use the element is the test that the set is not empty. And the classes of an
//! equivalence, such as the groups of stones, make up the set that they divide: what the elements of each class are related to is
//! what the elements of the whole set are related to.

use super::super::blocks::{BlockId, OpId};
use super::super::ops::{Op, Operand, Set};
use super::super::uses::Effect;
use super::fuse::only;
use super::{Code, Lowering};

impl Lowering<'_> {
    /// Transforms these blocks.
    pub(super) fn spare_elements(&mut self, blocks: &[BlockId]) {
        for block in blocks {
            if let Some((set, body)) = self.loop_over_first(*block) {
                self.ops.blocks.replace_last(*block, [Op::NonEmpty { set, negate: false }]);
                self.ops.blocks.append(*block, body, 1);
            }
            if let Some(all) = self.loop_over_classes(*block) {
                self.ops.blocks.replace_last(*block, [all]);
            }
        }
    }

    /// The set of a loop that ends this block and the body of the loop, where a round begins with the test that no element comes
    /// before its own one, and uses the element for nothing else.
    fn loop_over_first(&self, block: BlockId) -> Option<(Set, BlockId)> {
        let Op::Each { set, base, dst: element, orbit: None, body } =
            self.ops.blocks[block].last()?
        else {
            return None;
        };
        let (first, rest) = self.ops.blocks[*body].split_first()?;
        let Op::Exists { body: earlier, negate: true } = first else { return None };
        let [
            Op::Load { dst, set: one },
            Op::And { dst: both, set: other },
            Op::NonEmpty { set: Set::Reg(asked), negate: false },
            Op::Succeed,
        ] = &self.ops.blocks[*earlier][..]
        else {
            return None;
        };
        let (rows, keys, whole) = match (one, other) {
            (Set::Row { rows, keys }, whole) | (whole, Set::Row { rows, keys }) => {
                (rows, keys, whole)
            }
            _ => return None,
        };
        let compared = dst == both && both == asked && whole == set && *set != Set::Reg(*dst);
        if !compared || keys.len() != 1 || only(keys, *element).is_none() {
            return None;
        }
        let inside = self.ops.blocks.reached(rest);
        let alike = inside.iter().all(|op| match op {
            Op::Return { .. }
            | Op::Segment { .. }
            | Op::SegmentImage { .. }
            | Op::Single
            | Op::Yield { .. }
            | Op::ForEach { .. } => false,
            op => op.uses().effect != Effect::Updates && !op.uses().reads(*element),
        });
        let own = !inside.iter().any(|op| op.uses().reads_set(*dst));
        (alike && own && self.is_order(*rows, *base)).then(|| (set.clone(), *body))
    }

    /// Whether a relation of rows with one key, which is an element of the universe that begins with `base`, has no cycles: by a
    /// depth-first search that skips whole sets of finished elements.
    fn is_order(&self, rows: u32, base: Code) -> bool {
        let rows = &self.made.rows[rows as usize];
        let words = self.universes.words;
        let (mut open, mut done) = (vec![0u64; words], vec![0u64; words]);
        let mut path = Vec::new();
        for start in 0..words * 64 {
            if done[start / 64] >> (start % 64) & 1 == 1 {
                continue;
            }
            path.push(start);
            open[start / 64] |= 1 << (start % 64);
            while let Some(&site) = path.last() {
                let earlier = rows.find(|_| base + site as Code).unwrap_or_default();
                if earlier.iter().zip(&open).any(|(a, b)| a & b != 0) {
                    return false;
                }
                let waiting = earlier.iter().zip(&done).map(|(word, done)| word & !done);
                let next = waiting.enumerate().find(|(_, word)| *word != 0);
                if let Some((at, word)) = next {
                    let other = at * 64 + word.trailing_zeros() as usize;
                    open[at] |= word & word.wrapping_neg();
                    path.push(other);
                } else {
                    path.pop();
                    open[site / 64] &= !(1 << (site % 64));
                    done[site / 64] |= 1 << (site % 64);
                }
            }
        }
        true
    }

    /// What a loop over classes that ends this block gives, said of the set that they divide.
    fn loop_over_classes(&self, block: BlockId) -> Option<Op> {
        let number = self.ops.blocks[block].len().checked_sub(1)? as u32;
        let id = OpId { block, number };
        let Op::Each { set, base, dst: element, orbit: Some(class), body } = self.ops.blocks.op(id)
        else {
            return None;
        };
        let (call, rest) = self.ops.blocks[*body].split_first()?;
        let Op::GatherCall { dst, procedure, inputs } = call else { return None };
        let position = only(inputs, *element)?;
        let (fluent, first) = self.symmetric(*procedure, position)?;
        let divided = dst == class
            && first == *base
            && self.by_values(set, id, fluent)
            && self.begins_anywhere(*procedure, position);
        // the registers that hold the class
        let mut names = vec![*class];
        let mut rest = rest;
        let given = loop {
            (rest, _) = match rest {
                [given] => break given,
                [Op::Load { dst, set: Set::Reg(from) }, rest @ ..] if names.contains(from) => {
                    (rest, names.push(*dst))
                }
                [Op::NonEmpty { set: Set::Reg(asked), negate: false }, rest @ ..]
                    if names.contains(asked) =>
                {
                    (rest, ())
                }
                _ => return None,
            };
        };
        let is_class = |other: &Set| matches!(other, Set::Reg(name) if names.contains(name));
        let other = |(other, _): &(Set, bool)| !other.reads(*element) && !is_class(other);
        let whole = set.clone();
        let made = match given {
            Op::Emit { set } if is_class(set) => Op::Emit { set: whole },
            Op::EmitImage { images, keys, source, filters }
                if is_class(source)
                    && !keys.contains(&Operand::Reg(*element))
                    && filters.iter().all(other) =>
            {
                let (images, keys, filters) = (*images, keys.clone(), filters.clone());
                Op::EmitImage { images, keys, source: whole, filters }
            }
            _ => return None,
        };
        divided.then_some(made)
    }
}
