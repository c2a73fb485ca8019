//! Upper bounds on the sets of floods.
//!
//! That a site is not in a flood most often follows from the board alone: it is not on that line.
//! So the sets that a flood would reach if nothing stopped it are computed once, for each
//! combination of its static inputs, and a site is tested against them first.

use rustc_hash::FxHashMap;

use crate::plan::{
    Address, Body, Code, KeyRange, Op, Operand, Plan, Procedure, Recursion, Reg, Set, SetReg,
};

/// The most words of the bounds of one procedure.
const ROOM: usize = 1 << 15;

/// The most rounds of all floods of one procedure, so that they take no longer than the rest of its
/// code.
const ROUNDS: usize = 1 << 13;

/// The greatest sets of a flood, by some of its inputs.
pub(super) struct Bounds {
    pub address: Address,
    /// The numbers of the inputs that are keys.
    pub keys: Vec<usize>,
    pub bits: Vec<u64>,
}

type Bits = Vec<u64>;

/// A clause that is run with statically known values.
struct Run<'p> {
    plan: &'p Plan,
    registers: FxHashMap<Reg, Code>,
    sets: FxHashMap<SetReg, Bits>,
}

/// The bounds of a flood; `None` where they would not help.
pub(super) fn bounds(plan: &Plan, procedure: &Procedure) -> Option<Bounds> {
    let Recursion::Flood { seeds, .. } = &procedure.recursion else { return None };
    let inputs = procedure.arguments.iter().filter(|a| **a == crate::plan::Argument::Input).count();
    let mut ranges: Vec<Option<KeyRange>> = vec![None; inputs];
    for clause in &procedure.clauses {
        note_ranges(plan, clause, &mut ranges)?;
    }
    let keys: Vec<usize> = (0..inputs).filter(|i| ranges[*i].is_some()).collect();
    let ranges: Vec<KeyRange> = ranges.into_iter().flatten().collect();
    let total = ranges.iter().try_fold(1usize, |n, r| n.checked_mul(r.len))?;
    if keys.is_empty() || total * plan.layout.words > ROOM {
        return None;
    }
    let mut bits = Vec::with_capacity((total + 1) * plan.layout.words);
    let mut rounds = ROUNDS;
    for number in 0..total {
        let mut rest = number;
        let mut registers = FxHashMap::default();
        for (key, range) in keys.iter().zip(&ranges).rev() {
            registers.insert(*key as Reg, range.base + (rest % range.len) as Code);
            rest /= range.len;
        }
        bits.extend(reached(plan, procedure, seeds, &registers, &mut rounds)?);
    }
    // other keys may have any answers
    bits.extend(std::iter::repeat_n(u64::MAX, plan.layout.words));
    Some(Bounds { address: Address::Dense(ranges), keys, bits })
}

/// Finds the inputs that are keys of static tables, and their ranges.
fn note_ranges(plan: &Plan, clause: &Body, ranges: &mut [Option<KeyRange>]) -> Option<()> {
    let mut note = |address: &Address, keys: &[Operand]| {
        let Address::Dense(all) = address else { return None };
        for (range, key) in all.iter().zip(keys) {
            if let Operand::Reg(reg) = key
                && let Some(known) = ranges.get_mut(*reg as usize)
            {
                let wider = known.is_none_or(|k| range.base < k.base || range.len > k.len);
                if wider {
                    *known = Some(*range);
                }
            }
        }
        Some(())
    };
    for op in plan.blocks.line(clause.start) {
        match op {
            Op::Find { index, keys, .. } => note(&plan.indexes[*index as usize].address, keys)?,
            Op::EmitImage { images, keys, .. } => {
                note(plan.images[*images as usize].address(), keys)?;
            }
            Op::Emit { set: Set::Row { rows, keys } }
            | Op::Load { set: Set::Row { rows, keys }, .. } => {
                note(&plan.rows[*rows as usize].address, keys)?;
            }
            _ => {}
        }
    }
    Some(())
}

fn reached(
    plan: &Plan,
    procedure: &Procedure,
    seeds: &[bool],
    registers: &FxHashMap<Reg, Code>,
    rounds: &mut usize,
) -> Option<Bits> {
    let words = plan.layout.words;
    let run = |clause: &Body, delta: Option<&Bits>| {
        let mut sets = FxHashMap::default();
        if let Some(delta) = delta {
            sets.insert(0, delta.clone());
        }
        Run { plan, registers: registers.clone(), sets }.clause(clause)
    };
    let mut whole = vec![0; words];
    for (clause, _) in procedure.clauses.iter().zip(seeds).filter(|(_, seed)| **seed) {
        let found = run(clause, None)?;
        whole.iter_mut().zip(&found).for_each(|(a, b)| *a |= b);
    }
    let mut delta = whole.clone();
    while delta.iter().any(|w| *w != 0) {
        *rounds = rounds.checked_sub(1)?;
        let mut found = vec![0; words];
        for (clause, _) in procedure.clauses.iter().zip(seeds).filter(|(_, seed)| !**seed) {
            let more = run(clause, Some(&delta))?;
            found.iter_mut().zip(&more).for_each(|(a, b)| *a |= b);
        }
        for i in 0..words {
            delta[i] = found[i] & !whole[i];
            whole[i] |= delta[i];
        }
    }
    Some(whole)
}

impl Run<'_> {
    fn code(&self, x: &Operand) -> Option<Code> {
        match x {
            Operand::Const(code) => Some(*code),
            Operand::Reg(reg) => self.registers.get(reg).copied(),
        }
    }

    fn codes(&self, keys: &[Operand]) -> Option<Vec<Code>> {
        keys.iter().map(|k| self.code(k)).collect()
    }

    /// A set, if it is known without the state.
    fn set(&self, set: &Set) -> Option<Bits> {
        let words = self.plan.layout.words;
        match set {
            Set::Reg(reg) => self.sets.get(reg).cloned(),
            Set::Mask(mask) => {
                Some(self.plan.masks[*mask as usize * words..(*mask as usize + 1) * words].to_vec())
            }
            Set::Row { rows, keys } => {
                let keys = self.codes(keys)?;
                let found = self.plan.rows[*rows as usize].find(|i| keys[i]);
                Some(found.map_or_else(|| vec![0; words], <[u64]>::to_vec))
            }
            _ => None,
        }
    }

    /// A set that includes what the clause emits in any state; `None` where it is not known.
    fn clause(mut self, clause: &Body) -> Option<Bits> {
        let words = self.plan.layout.words;
        for op in self.plan.blocks.line(clause.start) {
            match op {
                Op::Find { index, keys, outs } => {
                    if let Some(keys) = self.codes(keys) {
                        let index = &self.plan.indexes[*index as usize];
                        let Some(row) = index.find(|i| keys[i]).next() else {
                            return Some(vec![0; words]);
                        };
                        for (out, code) in outs.iter().zip(index.row(row)) {
                            self.registers.insert(*out, *code);
                        }
                    }
                }
                Op::Load { dst, set } => {
                    let all = self.set(set).unwrap_or_else(|| vec![u64::MAX; words]);
                    self.sets.insert(*dst, all);
                }
                Op::And { dst, set } => {
                    if let (Some(other), Some(mine)) = (self.set(set), self.sets.get_mut(dst)) {
                        mine.iter_mut().zip(&other).for_each(|(a, b)| *a &= b);
                    }
                }
                Op::AndNot { dst, set } => {
                    if let (Some(other), Some(mine)) = (self.set(set), self.sets.get_mut(dst)) {
                        mine.iter_mut().zip(&other).for_each(|(a, b)| *a &= !b);
                    }
                }
                Op::In { .. }
                | Op::Has { .. }
                | Op::Holds { .. }
                | Op::Defined { .. }
                | Op::NonEmpty { .. }
                | Op::Same { .. }
                | Op::Read { .. }
                | Op::Round { .. } => {}
                Op::Emit { set } => return self.set(set),
                Op::EmitOne { x, base } => {
                    let index = self.code(x)?.wrapping_sub(*base);
                    let mut one = vec![0; words];
                    if let Some(word) = one.get_mut(usize::try_from(index).ok()? / 64) {
                        *word = 1 << (index % 64);
                    }
                    return Some(one);
                }
                Op::EmitImage { images, keys, source, .. } => {
                    let images = &self.plan.images[*images as usize];
                    let (keys, source) = (self.codes(keys)?, self.set(source)?);
                    return Some(images.of_words(&source, |i| keys[i]));
                }
                _ => return None,
            }
        }
        None
    }
}
