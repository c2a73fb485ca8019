//! What each instruction reads and writes, and which blocks it runs. No pass over the code finds
//! this out by itself.

use smallvec::SmallVec;

use super::Plan;
use super::ops::{Op, Operand, Pc, Reg, Set, SetReg};

/// What an instruction does, apart from its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It asks.
    Pure,
    /// It may change the state, itself or in a block or procedure that it runs.
    Updates,
    /// It ends its block and hands something on.
    Ends,
}

/// What an instruction reads and writes.
#[derive(Debug, Clone)]
pub struct Uses<'a> {
    pub reads: SmallVec<[Operand; 4]>,
    /// The sets that it reads.
    pub sets: SmallVec<[&'a Set; 2]>,
    /// A set register that it reads besides: the one that it takes elements from, or that of an orbit.
    pub narrows: Option<SetReg>,
    pub writes: SmallVec<[Reg; 4]>,
    pub writes_set: Option<SetReg>,
    /// The blocks that it runs.
    pub blocks: SmallVec<[Pc; 3]>,
    pub effect: Effect,
    /// It may have several answers, and what stands behind it runs for each.
    pub generates: bool,
}

impl Uses<'_> {
    fn new() -> Self {
        Uses {
            reads: SmallVec::new(),
            sets: SmallVec::new(),
            narrows: None,
            writes: SmallVec::new(),
            writes_set: None,
            blocks: SmallVec::new(),
            effect: Effect::Pure,
            generates: false,
        }
    }

    /// Does it read this register, also as the key of a set?
    pub fn reads(&self, reg: Reg) -> bool {
        let is = |x: &Operand| *x == Operand::Reg(reg);
        self.reads.iter().any(is) || self.sets.iter().any(|set| set.reads(reg))
    }

    /// Does it read this set register?
    pub fn reads_set(&self, reg: SetReg) -> bool {
        self.narrows == Some(reg) || self.sets.iter().any(|set| **set == Set::Reg(reg))
    }
}

impl Plan {
    /// Calls `visit` for each instruction from here to the end of its block, and for those of the
    /// blocks inside; what stands behind a jump is left out.
    pub fn each_op(&self, start: Pc, visit: &mut dyn FnMut(&Op)) {
        for op in &self.code[start as usize..] {
            visit(op);
            if op.is_terminal() {
                return;
            }
            op.uses().blocks.iter().for_each(|block| self.each_op(*block, visit));
        }
    }
}

impl Set {
    /// Does the set depend on a register?
    pub fn reads(&self, reg: Reg) -> bool {
        match self {
            Set::PlaneOf { value, .. } => *value == Operand::Reg(reg),
            Set::Row { keys, .. } => keys.contains(&Operand::Reg(reg)),
            Set::Reg(_) | Set::Mask(_) | Set::Plane(_) => false,
        }
    }
}

impl Op {
    /// What the instruction reads and writes.
    pub fn uses(&self) -> Uses<'_> {
        let mut uses = Uses::new();
        match self {
            Op::Load { dst, set } => {
                uses.sets.push(set);
                uses.writes_set = Some(*dst);
            }
            Op::And { dst, set } | Op::AndNot { dst, set } => {
                uses.sets.push(set);
                uses.narrows = Some(*dst);
                uses.writes_set = Some(*dst);
            }
            Op::Remove { dst, x, .. } => {
                uses.reads.push(*x);
                uses.narrows = Some(*dst);
                uses.writes_set = Some(*dst);
            }
            Op::Gather { dst, body } => {
                uses.writes_set = Some(*dst);
                uses.blocks.push(*body);
            }
            Op::GatherCall { dst, inputs, .. } => {
                uses.reads.extend(inputs.iter().copied());
                uses.writes_set = Some(*dst);
            }
            Op::Each { set, dst, orbit, .. } => {
                uses.sets.push(set);
                uses.narrows = *orbit;
                uses.writes.push(*dst);
                uses.generates = true;
            }
            Op::Rows { keys, outs, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.writes.extend(outs.iter().copied());
                uses.generates = true;
            }
            Op::Integers { dst, lo, hi } => {
                uses.reads.extend([*lo, *hi]);
                uses.writes.push(*dst);
                uses.generates = true;
            }
            Op::Members { dst, list } => {
                uses.reads.push(*list);
                uses.writes.push(*dst);
                uses.generates = true;
            }
            Op::Branch { blocks } => {
                uses.blocks.extend(blocks.iter().copied());
                uses.generates = true;
            }
            Op::Call { inputs, outs, .. } => {
                uses.reads.extend(inputs.iter().copied());
                uses.writes.extend(outs.iter().copied());
                uses.effect = Effect::Updates;
                uses.generates = true;
            }
            Op::Legal { outs, .. } => {
                uses.writes.extend(outs.iter().copied());
                uses.generates = !outs.is_empty();
            }
            Op::Copy { dst, x } => {
                uses.reads.push(*x);
                uses.writes.push(*dst);
            }
            Op::Read { dst, keys, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.writes.push(*dst);
            }
            Op::Find { keys, outs, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.writes.extend(outs.iter().copied());
            }
            Op::Calculate { dst, a, b, .. } => {
                uses.reads.extend([*a, *b]);
                uses.writes.push(*dst);
            }
            Op::Length { dst, list } => {
                uses.reads.push(*list);
                uses.writes.push(*dst);
            }
            Op::MakeList { dst, items, tail } => {
                uses.reads.extend(items.iter().chain(tail).copied());
                uses.writes.push(*dst);
            }
            Op::TakeList { list, head, tail } => {
                uses.reads.push(*list);
                uses.writes.extend([*head, *tail]);
            }
            Op::Count { dst, set } => {
                uses.sets.push(set);
                uses.writes.push(*dst);
            }
            Op::Collect { dst, body, .. } => {
                uses.writes.push(*dst);
                uses.blocks.push(*body);
            }
            Op::In { x, set, .. } => {
                uses.reads.push(*x);
                uses.sets.push(set);
            }
            Op::NonEmpty { set, .. } => uses.sets.push(set),
            Op::Subset { part, whole, .. } => uses.sets.extend([part, whole]),
            Op::AnyRow { whole, .. } => uses.sets.push(whole),
            Op::Holds { keys, value, .. } => uses.reads.extend(keys.iter().chain(value).copied()),
            Op::Defined { keys, .. } | Op::Has { keys, .. } => {
                uses.reads.extend(keys.iter().copied());
            }
            Op::Same { a, b, .. } | Op::Compare { a, b, .. } => uses.reads.extend([*a, *b]),
            Op::Between { x, lo, hi } => uses.reads.extend([*x, *lo, *hi]),
            Op::InList { x, list } => uses.reads.extend([*x, *list]),
            Op::IsEmpty { x } => uses.reads.push(*x),
            Op::Test { inputs, .. } => uses.reads.extend(inputs.iter().copied()),
            Op::Exists { body, .. } => uses.blocks.push(*body),
            Op::Repeated { times, .. } => uses.reads.push(*times),
            Op::Stuck => {}
            Op::If { condition, then, otherwise } => {
                uses.blocks.extend([*condition, *then, *otherwise]);
                uses.effect = Effect::Updates;
            }
            Op::Once { body } => {
                uses.blocks.push(*body);
                uses.effect = Effect::Updates;
            }
            Op::Jump { to } => {
                uses.blocks.push(*to);
                uses.effect = Effect::Ends;
            }
            Op::Assign { keys, value, .. } => {
                uses.reads.extend(keys.iter().chain([value]).copied());
                uses.effect = Effect::Updates;
            }
            Op::Clear { keys, .. } | Op::Set { keys, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.effect = Effect::Updates;
            }
            Op::Again => uses.effect = Effect::Updates,
            Op::ForEach { goal, registers, action } => {
                uses.writes.extend(registers.iter().copied());
                uses.blocks.extend([*goal, *action]);
                uses.effect = Effect::Updates;
            }
            Op::Fail | Op::Succeed | Op::Single | Op::Commit => uses.effect = Effect::Ends,
            Op::Emit { set } => {
                uses.sets.push(set);
                uses.effect = Effect::Ends;
            }
            Op::EmitOne { x, .. } => {
                uses.reads.push(*x);
                uses.effect = Effect::Ends;
            }
            Op::EmitImage { keys, source, filters, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.sets.push(source);
                uses.sets.extend(filters.iter().map(|(set, _)| set));
                uses.effect = Effect::Ends;
            }
            Op::Yield { template, distinct } => {
                uses.reads.push(*template);
                uses.reads.extend(distinct.iter().copied());
                uses.effect = Effect::Ends;
            }
            Op::Return { outs } => {
                uses.reads.extend(outs.iter().copied());
                uses.effect = Effect::Ends;
            }
            Op::Segment { set, dst, .. } => {
                uses.sets.push(set);
                uses.writes.push(*dst);
                uses.effect = Effect::Ends;
            }
            Op::SegmentImage { keys, source, filters, from, to, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.sets.push(source);
                uses.sets.extend(filters.iter().map(|(set, _)| set));
                uses.writes.extend([from.0, to.0]);
                uses.effect = Effect::Ends;
            }
        }
        uses
    }

    /// Does a block end here?
    pub fn is_terminal(&self) -> bool {
        self.uses().effect == Effect::Ends
    }

    /// May what stands behind the instruction run several times?
    pub fn is_generator(&self) -> bool {
        self.uses().generates
    }

    /// May an instruction change the state?
    pub fn may_update(&self) -> bool {
        self.uses().effect == Effect::Updates
    }
}
