//! Transforms the instructions of a move's tests: loops by the value at a site, and values that are
//! found only when a candidate is played.

use super::super::blocks::BlockId;
use super::super::layout::Axis;
use super::super::ops::{Found, Op, Operand, Reg, Set};
use super::super::universe::CONSTANTS;
use super::{Builder, Code, Lowering};

impl Lowering<'_> {
    /// `Each site of some values' planes, Read its value` becomes a loop over the values around one
    /// over the plane of each: everything that depends on the value is then the same for all sites
    /// of a plane.
    pub(super) fn by_value(&self, prefix: &mut Builder) {
        let mut at = 0;
        while at + 2 < prefix.ops.len() {
            at += 1;
            let [
                Op::Gather { dst: set, body },
                Op::Each { set: Set::Reg(from), base, dst: site, .. },
                Op::Read { dst: value, fluent, keys },
            ] = &prefix.ops[at - 1..at + 2]
            else {
                continue;
            };
            let [Op::Each { set: values, base: first, dst: other, body, .. }] =
                &*self.ops.blocks[*body]
            else {
                continue;
            };
            let [Op::Emit { set: Set::PlaneOf { fluent: gathered, value: of } }] =
                &*self.ops.blocks[*body]
            else {
                continue;
            };
            let used_later = prefix.ops[at + 2..].iter().any(|op| {
                let uses = op.uses();
                // blocks and calls may read any register
                uses.reads_set(*set) || uses.writes_set == Some(*set) || !uses.blocks.is_empty()
            });
            if from != set
                || **keys != [Operand::Reg(*site)]
                || gathered != fluent
                || *of != Operand::Reg(*other)
                || used_later
            {
                continue;
            }
            let (values, first, base) = (values.clone(), *first, *base);
            let (site, value, fluent) = (*site, *value, *fluent);
            let plane = Set::PlaneOf { fluent, value: Operand::Reg(value) };
            let each = |set: Set, base: Code, dst: Reg| Op::Each {
                set,
                base,
                dst,
                orbit: None,
                body: BlockId::OPEN,
            };
            let loops = [each(values, first, value), each(plane, base, site)];
            let mut behind = prefix.split_off(at - 1);
            let goals = (behind.written[1], behind.written[2]);
            let rest = behind.split_off(3);
            let [values, plane] = loops;
            // a loop over the values in the place of the read, over their sites in that of the set
            prefix.push_for(goals.1, values);
            prefix.push_for(goals.0, plane);
            prefix.append(rest);
        }
    }

    /// Moves look-ups that always find one row, for values that nothing else before the choice of the move
    /// needs, after it; a value that is part of the move can be found whenever it is needed. A last loop before
    /// them need not be run then.
    pub(super) fn sink(&self, prefix: &mut Builder, suffix: &mut Builder) -> Vec<Found> {
        let (mut places, mut found): (Vec<usize>, Vec<Found>) = (Vec::new(), Vec::new());
        for (at, op) in prefix.ops.iter().enumerate().rev() {
            let Op::Find { index, keys, outs } = op else { continue };
            let later = prefix.ops[at + 1..].iter().enumerate();
            let used = later
                .filter(|(i, _)| !places.contains(&(at + 1 + i)))
                .any(|(_, op)| outs.iter().any(|out| self.reads_within(op, *out)));
            if used || !self.always_finds(*index, keys, &prefix.ops[..at]) {
                continue;
            }
            places.push(at);
            found.push(Found { index: *index, keys: keys.clone(), outs: outs.clone() });
        }
        found.reverse();
        for at in places {
            let mut find = prefix.split_off(at);
            prefix.append(find.split_off(1));
            let Op::Find { outs, .. } = &find.ops[0] else { continue };
            if suffix.ops.iter().any(|op| outs.iter().any(|out| self.reads_within(op, *out))) {
                find.append(suffix.split_off(0));
                suffix.append(find);
            }
        }
        found
    }

    /// Whether an instruction, or one in the blocks that it runs, reads a register.
    fn reads_within(&self, op: &Op, reg: Reg) -> bool {
        let uses = op.uses();
        let blocks = uses.blocks.iter().map(|inner| inner.block).chain(uses.next);
        let placed = |block: &BlockId| *block != BlockId::OPEN;
        uses.reads(reg)
            || blocks
                .filter(placed)
                .any(|block| self.ops.blocks[block].iter().any(|op| self.reads_within(op, reg)))
    }

    /// Whether an index has a row for all keys that these instructions can give.
    fn always_finds(&self, index: u32, keys: &[Operand], before: &[Op]) -> bool {
        let domains: Option<Vec<Vec<Code>>> =
            keys.iter().map(|key| self.values_of(*key, before)).collect();
        let Some(domains) = domains else { return false };
        if domains.iter().map(Vec::len).product::<usize>() > 1 << 14 {
            return false;
        }
        let index = &self.made.indexes[index as usize];
        let mut key = vec![0; keys.len()];
        self.all_found(&domains, &mut key, 0, &|key| !index.find(|i| key[i]).is_empty())
    }

    fn all_found(
        &self,
        domains: &[Vec<Code>],
        key: &mut [Code],
        at: usize,
        found: &dyn Fn(&[Code]) -> bool,
    ) -> bool {
        if at == domains.len() {
            return found(key);
        }
        domains[at].iter().all(|code| {
            key[at] = *code;
            self.all_found(domains, key, at + 1, found)
        })
    }

    /// All values that an operand may have after these instructions; `None` where they are not
    /// known.
    fn values_of(&self, x: Operand, before: &[Op]) -> Option<Vec<Code>> {
        let reg = match x {
            Operand::Const(code) => return Some(vec![code]),
            Operand::Reg(reg) => reg,
        };
        let at = before.iter().rposition(|op| {
            let uses = op.uses();
            // an inner block may write it too
            uses.writes.contains(&reg) || !uses.blocks.is_empty()
        })?;
        match &before[at] {
            Op::Read { fluent, .. } => {
                let axis: &Axis = self.layout.place(*fluent).value.as_ref()?;
                (axis.len <= 1 << 10).then(|| (0..axis.len).map(|i| axis.code(i)).collect())
            }
            Op::Find { index, outs, .. } | Op::Rows { index, outs, .. } => {
                let column = outs.iter().position(|out| *out == reg)?;
                let index = &self.made.indexes[*index as usize];
                let codes = index.rows.iter().skip(column).step_by(index.width);
                let mut values: Vec<Code> = codes.copied().collect();
                values.sort_unstable();
                values.dedup();
                Some(values)
            }
            Op::Each { set, base, .. } => {
                let Some(words) = self.elements_of(set, &before[..at]) else {
                    // sets of integers may hold more than the keys of the state
                    let all = self.universes.all.iter().find(|u| u.settable && u.base == *base)?;
                    if *base < CONSTANTS {
                        return None;
                    }
                    return Some((0..all.len as Code).map(|i| base + i).collect());
                };
                let held = (0..words.len() * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1);
                Some(held.map(|i| base + i as Code).collect())
            }
            _ => None,
        }
    }

    /// All elements that a set may have.
    fn elements_of(&self, set: &Set, before: &[Op]) -> Option<Vec<u64>> {
        let words = self.universes.words;
        match set {
            Set::Mask(mask) => Some(self.made.masks[*mask as usize * words..][..words].to_vec()),
            Set::Row { rows, .. } => {
                let mut all = vec![0; words];
                let bits = self.made.rows[*rows as usize].bits.chunks_exact(words);
                bits.for_each(|row| all.iter_mut().zip(row).for_each(|(a, b)| *a |= b));
                Some(all)
            }
            Set::Reg(reg) => {
                // the last load, and the instructions that narrowed the set since
                let start = before
                    .iter()
                    .rposition(|op| matches!(op, Op::Load { dst, .. } if dst == reg))?;
                let Op::Load { set, .. } = &before[start] else { return None };
                let mut all = self.elements_of(set, &before[..start])?;
                for op in &before[start + 1..] {
                    match op {
                        Op::And { dst, set } if dst == reg => {
                            if let Some(other) = self.elements_of(set, &before[..start]) {
                                all.iter_mut().zip(&other).for_each(|(a, b)| *a &= b);
                            }
                        }
                        Op::Gather { dst, .. } | Op::GatherCall { dst, .. } if dst == reg => {
                            return None;
                        }
                        _ => {}
                    }
                }
                Some(all)
            }
            _ => None,
        }
    }
}
