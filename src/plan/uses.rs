//! What each instruction reads and writes, and which blocks it runs. All passes over the plan use
//! this.

use smallvec::SmallVec;

use super::blocks::BlockId;
use super::ops::{Op, Operand, Reg, Set, SetReg};

/// What an instruction does, apart from its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effect {
    /// It reads only.
    #[default]
    Pure,
    /// It may change the state, itself or in a block or procedure that it runs.
    Updates,
    /// It ends its block.
    Ends,
}

/// How often an instruction continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Determinism {
    /// Once.
    Det,
    /// Once or not at all.
    Semidet,
    /// Any number of times.
    Nondet,
}

/// A block that an instruction runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inner {
    pub block: BlockId,
    /// Every answer of it matters, not only the first one, or that there is none.
    pub every: bool,
}

/// What an instruction reads and writes.
#[derive(Debug, Clone, Default)]
pub struct Uses<'a> {
    pub reads: SmallVec<[Operand; 4]>,
    /// The sets that it reads.
    pub sets: SmallVec<[&'a Set; 2]>,
    /// A further set register that it reads: the one that it narrows, or that of an orbit.
    pub narrows: Option<SetReg>,
    pub writes: SmallVec<[Reg; 4]>,
    pub writes_set: Option<SetReg>,
    /// The blocks that it runs, without `next`.
    pub blocks: SmallVec<[Inner; 3]>,
    /// The block in which it continues, where it owns that block.
    pub next: Option<BlockId>,
    /// The block in which it continues, where another instruction owns that block.
    pub joins: Option<BlockId>,
    pub effect: Effect,
}

impl Uses<'_> {
    /// Adds blocks that it runs; `every` says whether every answer of them matters.
    fn runs<const N: usize>(&mut self, every: bool, blocks: [BlockId; N]) {
        self.blocks.extend(blocks.map(|block| Inner { block, every }));
    }

    /// It continues once for each of its answers.
    fn generates(&mut self, body: BlockId) {
        self.next = Some(body);
    }

    /// Whether it reads this register, also as the key of a set.
    pub fn reads(&self, reg: Reg) -> bool {
        let is = |x: &Operand| *x == Operand::Reg(reg);
        self.reads.iter().any(is) || self.sets.iter().any(|set| set.reads(reg))
    }

    /// Whether it reads this set register.
    pub fn reads_set(&self, reg: SetReg) -> bool {
        self.narrows == Some(reg) || self.sets.iter().any(|set| **set == Set::Reg(reg))
    }
}

impl Set {
    /// Whether the set depends on a register.
    pub fn reads(&self, reg: Reg) -> bool {
        match self {
            Set::PlaneOf { value, .. } => *value == Operand::Reg(reg),
            Set::Slice { others, value, .. } => {
                others.contains(&Operand::Reg(reg)) || *value == Some(Operand::Reg(reg))
            }
            Set::Row { keys, .. } => keys.contains(&Operand::Reg(reg)),
            Set::Reg(_) | Set::Mask(_) | Set::Plane(_) => false,
        }
    }
}

impl Op {
    /// What the instruction reads and writes.
    pub fn uses(&self) -> Uses<'_> {
        let mut uses = Uses::default();
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
                uses.runs(true, [*body]);
            }
            Op::GatherCall { dst, inputs, .. } => {
                uses.reads.extend(inputs.iter().copied());
                uses.writes_set = Some(*dst);
            }
            Op::Each { set, dst, orbit, body, .. } => {
                uses.sets.push(set);
                uses.narrows = *orbit;
                uses.writes.push(*dst);
                uses.generates(*body);
            }
            Op::Rows { keys, outs, body, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.writes.extend(outs.iter().copied());
                uses.generates(*body);
            }
            Op::Integers { dst, lo, hi, body } => {
                uses.reads.extend([*lo, *hi]);
                uses.writes.push(*dst);
                uses.generates(*body);
            }
            Op::Keys { outs, body, .. } => {
                uses.writes.extend(outs.iter().copied());
                uses.generates(*body);
            }
            Op::Members { dst, list, body } => {
                uses.reads.push(*list);
                uses.writes.push(*dst);
                uses.generates(*body);
            }
            Op::Call { inputs, outs, body, .. } => {
                uses.reads.extend(inputs.iter().copied());
                uses.writes.extend(outs.iter().copied());
                uses.effect = Effect::Updates;
                uses.generates(*body);
            }
            Op::Legal { inputs, outs, body, .. } => {
                uses.reads.extend(inputs.iter().copied());
                uses.writes.extend(outs.iter().copied());
                uses.generates(*body);
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
                uses.runs(false, [*body]);
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
            Op::Test { inputs, .. } | Op::SomeLegal { inputs, .. } => {
                uses.reads.extend(inputs.iter().copied());
            }
            Op::Exists { body, negate } => uses.runs(!negate, [*body]),
            Op::Repeated { times, .. } => uses.reads.push(*times),
            Op::Stuck | Op::Probe { .. } => {}
            Op::Branch { ways, rest } => {
                uses.blocks.extend(ways.iter().map(|way| Inner { block: *way, every: true }));
                uses.next = *rest;
            }
            Op::If { condition, then, otherwise, rest } => {
                uses.runs(false, [*condition]);
                uses.runs(true, [*then, *otherwise]);
                uses.next = Some(*rest);
                uses.effect = Effect::Updates;
            }
            Op::Once { body } => {
                uses.runs(false, [*body]);
                uses.effect = Effect::Updates;
            }
            Op::Round { body } => uses.next = Some(*body),
            Op::Assign { keys, value, .. } => {
                uses.reads.extend(keys.iter().chain([value]).copied());
                uses.effect = Effect::Updates;
            }
            Op::Clear { keys, .. } | Op::Set { keys, .. } => {
                uses.reads.extend(keys.iter().copied());
                uses.effect = Effect::Updates;
            }
            Op::Again | Op::Cut => uses.effect = Effect::Updates,
            Op::ForEach { goal, registers, action } => {
                uses.writes.extend(registers.iter().copied());
                uses.runs(true, [*goal, *action]);
                uses.effect = Effect::Updates;
            }
            Op::Fail | Op::Succeed | Op::Single | Op::Commit => uses.effect = Effect::Ends,
            Op::Continue { rest } => {
                uses.joins = Some(*rest);
                uses.effect = Effect::Ends;
            }
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
            Op::EmitJoint { sets, .. } => {
                uses.sets.extend(sets.iter().map(|(set, _)| set));
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

    /// The block in which it continues, to be set.
    pub(super) fn next_mut(&mut self) -> Option<&mut BlockId> {
        match self {
            Op::Each { body, .. }
            | Op::Rows { body, .. }
            | Op::Integers { body, .. }
            | Op::Keys { body, .. }
            | Op::Members { body, .. }
            | Op::Call { body, .. }
            | Op::Legal { body, .. }
            | Op::Round { body } => Some(body),
            Op::Branch { rest, .. } => rest.as_mut(),
            Op::If { rest, .. } => Some(rest),
            _ => None,
        }
    }

    /// Whether nothing runs after it.
    pub fn is_terminal(&self) -> bool {
        self.uses().effect == Effect::Ends
    }

    /// The relation or action that it calls.
    pub fn procedure(&self) -> Option<u32> {
        match self {
            Op::GatherCall { procedure, .. }
            | Op::Test { procedure, .. }
            | Op::Call { procedure, .. } => Some(*procedure),
            _ => None,
        }
    }

    /// How often it continues, in the words of Mercury (Somogyi, Henderson and Conway, "The execution
    /// algorithm of Mercury", 1996).
    pub fn determinism(&self) -> Determinism {
        match self {
            Op::Each { .. }
            | Op::Rows { .. }
            | Op::Integers { .. }
            | Op::Keys { .. }
            | Op::Members { .. }
            | Op::Call { .. }
            | Op::Legal { .. }
            | Op::Branch { .. } => Determinism::Nondet,
            Op::Load { .. }
            | Op::And { .. }
            | Op::AndNot { .. }
            | Op::Remove { .. }
            | Op::Gather { .. }
            | Op::GatherCall { .. }
            | Op::Copy { .. }
            | Op::Calculate { .. }
            | Op::MakeList { .. }
            | Op::Count { .. }
            | Op::Assign { .. }
            | Op::Clear { .. }
            | Op::Set { .. }
            | Op::Again
            | Op::Cut
            | Op::Probe { .. }
            | Op::Round { .. }
            | Op::Continue { .. } => Determinism::Det,
            _ => Determinism::Semidet,
        }
    }

    /// Whether it may continue several times.
    pub fn is_generator(&self) -> bool {
        self.determinism() == Determinism::Nondet
    }

    /// Whether it may change the state.
    pub fn may_update(&self) -> bool {
        self.uses().effect == Effect::Updates
    }
}
