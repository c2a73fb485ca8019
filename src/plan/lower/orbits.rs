//! Avoids floods that need not be made again.
//!
//! A flood over a symmetric relation, such as the group of a stone, gives the same set for each of
//! its elements. So a loop whose rounds use their element only for its flood is finished with the
//! whole set after one round. And a flood that was made earlier in the same round is reused.

use rustc_hash::FxHashMap;

use crate::program::FluentId;

use super::super::blocks::{BlockId, Blocks, OpId};
use super::super::ops::{Op, Operand, Recursion, Reg, Set, SetReg};
use super::super::universe::UniverseId;
use super::super::uses::Effect;
use super::fuse::only;
use super::{Code, Lowering};

/// A call that gathers: procedure, inputs and where the set goes.
type Call<'a> = (u32, &'a [Operand], SetReg);

/// What a loop over the elements of floods leaves out.
struct Orbit {
    /// The set register that has the last flood at the end of a round.
    set: SetReg,
    /// Rounds may end before the flood.
    tested: bool,
}

impl Lowering<'_> {
    /// Transforms these blocks.
    pub(super) fn spare_floods(&mut self, blocks: &[BlockId]) {
        let ops: Vec<OpId> = ops_of(&self.ops.blocks, blocks).collect();
        for id in &ops {
            if let Some(forth) = self.forth(self.ops.blocks.op(*id))
                && let Op::GatherCall { procedure, .. } = self.ops.blocks.op_mut(*id)
            {
                *procedure = forth;
            }
        }
        let owners: FxHashMap<BlockId, OpId> = ops
            .iter()
            .flat_map(|id| {
                let inner = self.ops.blocks.op(*id).uses().blocks.into_iter();
                inner.map(|inner| (inner.block, *id))
            })
            .collect();
        for id in &ops {
            if let Some((dst, from)) = self.made_before(*id, &owners) {
                *self.ops.blocks.op_mut(*id) = Op::Load { dst, set: Set::Reg(from) };
            }
        }
        for id in &ops {
            let found = self.orbit_of(self.ops.blocks.op(*id));
            if let Op::Each { orbit, .. } = self.ops.blocks.op_mut(*id) {
                *orbit = found.as_ref().map(|orbit| orbit.set);
            }
            if let Some(Orbit { set: dst, tested: true }) = found {
                // a loop is the last of its block, so the places of other ones stay as they are
                let none = self.mask(UniverseId::REST, std::iter::empty());
                self.ops.blocks.insert(*id, Op::Load { dst, set: Set::Mask(none) });
            }
        }
        // what this adds to a block moves the places of others in it
        let next = |lowering: &Self| {
            let blocks_of = &lowering.ops.blocks;
            ops_of(blocks_of, blocks)
                .find_map(|id| Some((id, lowering.given_orbit(blocks_of.op(id))?)))
        };
        while let Some((id, flood)) = next(self) {
            self.give_orbit(id, flood);
        }
        let next = |lowering: &Self| {
            let blocks_of = &lowering.ops.blocks;
            ops_of(blocks_of, blocks).find_map(|id| Some((id, lowering.first_flood(id)?)))
        };
        while let Some((id, flood)) = next(self) {
            self.go_through_orbits(id, flood);
        }
        self.spare_elements(blocks);
        for number in 0..self.calls.compiled.len() {
            self.share_round(number);
        }
    }

    /// The flood with which each round of a loop begins, where it is one over the sites that hold the same as the element,
    /// which the loop goes through too, and the other instructions of a round depend on the element.
    fn first_flood(&self, id: OpId) -> Option<OpId> {
        let Op::Each { set, base, dst: element, orbit: None, body } = self.ops.blocks.op(id) else {
            return None;
        };
        let mut found = OpId::first(*body);
        let (procedure, inputs, flood) = loop {
            match self.ops.blocks[found.block].get(found.number as usize)? {
                Op::Exists { body, .. } | Op::Gather { body, .. } => found = OpId::first(*body),
                op => break gathers(op)?,
            }
        };
        let position = only(inputs, *element)?;
        let (fluent, first) = self.symmetric(procedure, position)?;
        let inside = self.ops.blocks.reached(&self.ops.blocks[*body]);
        let repeats = inside.iter().all(|op| match op {
            Op::Return { .. }
            | Op::Segment { .. }
            | Op::SegmentImage { .. }
            | Op::Single
            | Op::ForEach { .. } => false,
            op => {
                let uses = op.uses();
                uses.effect != Effect::Updates && !uses.writes.contains(element)
            }
        });
        let writers = inside.iter().filter(|op| op.uses().writes_set == Some(flood)).count();
        let others = inputs.iter().all(|input| match input {
            Operand::Reg(reg) => !inside.iter().any(|op| op.uses().writes.contains(reg)),
            Operand::Const(_) => true,
        });
        let all = self.by_values(set, id, fluent)
            && first == *base
            && self.begins_anywhere(procedure, position);
        (all && repeats && writers == 1 && others).then_some(found)
    }

    /// Whether a loop goes through all or none of the sites that hold the same value of a map.
    pub(super) fn by_values(&self, set: &Set, id: OpId, fluent: FluentId) -> bool {
        let planes = self.layout.place(fluent).planes;
        let plane = |set: &Set| match set {
            Set::PlaneOf { fluent: of, .. } => *of == fluent,
            Set::Plane(word) => planes.is_some_and(|p| (p.first..=p.defined).contains(word)),
            _ => false,
        };
        let Set::Reg(register) = set else { return plane(set) };
        let before = self.ops.blocks[id.block][..id.number as usize].iter().rev();
        for op in before {
            match op {
                Op::Load { dst, set } if dst == register => return plane(set),
                Op::And { dst, set } | Op::AndNot { dst, set } if dst == register && plane(set) => {
                }
                Op::And { dst, .. } | Op::AndNot { dst, .. } if dst == register => return false,
                op if op.uses().writes_set == Some(*register) || op.uses().next.is_some() => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// Whether every site that holds anything is in the flood of this input that begins with it.
    pub(super) fn begins_anywhere(&self, number: u32, position: usize) -> bool {
        let procedure = &self.calls.compiled[number as usize];
        let Recursion::Flood { seeds, .. } = &procedure.recursion else { return false };
        let input = Operand::Reg(position as Reg);
        let mut clauses = procedure.clauses.iter().zip(seeds).filter(|(_, seed)| **seed);
        clauses.any(|(body, _)| {
            let mut held = None;
            self.ops.blocks[body.start].iter().all(|op| match op {
                Op::Defined { keys, negate: false, .. } => **keys == [input],
                Op::Read { dst, keys, .. } => {
                    held = Some(Operand::Reg(*dst));
                    **keys == [input]
                }
                Op::Holds { keys, value, negate: false, .. } => {
                    **keys == [input] && *value == held && held.is_some()
                }
                Op::EmitOne { x, .. } => *x == input,
                _ => false,
            })
        })
    }

    /// Makes the flood once for all of its elements: the loop goes on with one that is in none of the floods before, and a loop
    /// inside of it goes through the flood.
    fn go_through_orbits(&mut self, id: OpId, flood: OpId) {
        let Some((.., orbit)) = gathers(self.ops.blocks.op(flood)) else { return };
        let Op::Each { base, dst, body, orbit: left_out, .. } = self.ops.blocks.op_mut(id) else {
            return;
        };
        *left_out = Some(orbit);
        let (base, dst, outer) = (*base, *dst, *body);
        self.ops.blocks.carry(flood, OpId::first(outer));
        let set = Set::Reg(orbit);
        self.ops.blocks.split(outer, 1, |body| Op::Each { set, base, dst, orbit: None, body });
    }

    /// The flood that equals one queried from its far end, because it is symmetric.
    fn forth(&self, op: &Op) -> Option<u32> {
        let (procedure, ..) = gathers(op)?;
        let mirror = self.calls.mirrors.iter().find(|mirror| mirror.back == procedure)?;
        self.symmetric(mirror.forth, mirror.position).map(|_| mirror.forth)
    }

    /// Removes the instructions with the same effect in each round of a flood from the later
    /// rounds.
    fn share_round(&mut self, number: usize) {
        let Some((start, shared)) = self.same_in_rounds(number) else { return };
        let mut later = None;
        self.ops.blocks.split(start, shared, |body| {
            later = Some(body);
            Op::Round { body }
        });
        if let Recursion::Flood { round, .. } = &mut self.calls.compiled[number].recursion {
            *round = later;
        }
    }

    /// How many instructions at the beginning of a flood's only clause that is not a seed have the
    /// same effect in each round.
    fn same_in_rounds(&self, number: usize) -> Option<(BlockId, usize)> {
        let procedure = &self.calls.compiled[number];
        let Recursion::Flood { seeds, .. } = &procedure.recursion else { return None };
        let mut clauses = procedure.clauses.iter().zip(seeds).filter(|(_, seed)| !**seed);
        let (Some((body, _)), None) = (clauses.next(), clauses.next()) else { return None };
        let fixed = |op: &Op| match op {
            Op::Find { .. }
            | Op::Read { .. }
            | Op::Calculate { .. }
            | Op::Copy { .. }
            | Op::Same { .. }
            | Op::Compare { .. }
            | Op::Defined { .. }
            | Op::Holds { .. }
            | Op::GatherCall { .. } => true,
            Op::In { set, .. } => *set != Set::Reg(0),
            Op::Gather { body, .. } => {
                let inside = self.ops.blocks.reached(&self.ops.blocks[*body]);
                inside.iter().all(|op| !op.uses().reads_set(0))
            }
            _ => false,
        };
        let ops = &self.ops.blocks[body.start];
        let prefix = ops.iter().take_while(|op| fixed(op)).count();
        let rest = self.ops.blocks.reached(&ops[prefix..]);
        let kept = ops[..prefix].iter().all(|op| {
            rest.iter().all(|other| {
                let (fixed, other) = (op.uses(), other.uses());
                fixed.writes_set.is_none_or(|set| other.writes_set != Some(set))
                    && !fixed.writes.iter().any(|reg| other.writes.contains(reg))
            })
        });
        (prefix > 0 && kept).then_some((body.start, prefix))
    }

    /// The set register of the call at this place, and the register that has the set already.
    /// `owners` are the instructions that own the blocks.
    fn made_before(&self, id: OpId, owners: &FxHashMap<BlockId, OpId>) -> Option<(SetReg, SetReg)> {
        let (procedure, inputs, dst) = gathers(self.ops.blocks.op(id))?;
        let mut between: Vec<&Op> = Vec::new();
        let mut at = id;
        let mut before = self.ops.blocks[at.block][..at.number as usize].iter().rev();
        loop {
            let Some(op) = before.next() else {
                // what runs a block once runs it behind what stands before it
                at = *owners.get(&at.block)?;
                let once = matches!(
                    self.ops.blocks.op(at),
                    Op::Exists { .. } | Op::Gather { .. } | Op::Collect { .. }
                );
                if !once {
                    return None;
                }
                before = self.ops.blocks[at.block][..at.number as usize].iter().rev();
                continue;
            };
            let mut first = op;
            if let Op::Exists { body, .. } = op {
                let inside = self.ops.blocks.reached(&self.ops.blocks[*body]);
                first = inside[0];
                between.extend(&inside[1..]);
            } else if op.is_generator() || op.may_update() {
                return None;
            }
            match gathers(first) {
                Some((p, i, from)) if p == procedure && i == inputs => {
                    let kept = between.iter().all(|op| {
                        let uses = op.uses();
                        let writes =
                            |x: &Operand| matches!(x, Operand::Reg(reg) if uses.writes.contains(reg));
                        uses.writes_set != Some(from)
                            && !inputs.iter().any(writes)
                            && uses.effect != Effect::Updates
                    });
                    return kept.then_some((dst, from));
                }
                _ => between.extend([op, first]),
            }
        }
    }

    /// For a loop whose rounds are the same for all elements of a flood, apart from tests of the
    /// element before the flood: one that passes them has the answers of all that do.
    fn orbit_of(&self, op: &Op) -> Option<Orbit> {
        let Op::Each { base, dst: element, body, .. } = op else { return None };
        let floods = |body: BlockId| {
            let inside = self.ops.blocks.reached(&self.ops.blocks[body]);
            inside
                .into_iter()
                .any(|op| gathers(op).is_some_and(|(_, i, _)| only(i, *element).is_some()))
        };
        // before anything else can fail
        let mut first = self.ops.blocks[*body].iter();
        let (mut tests, mut inside): (Vec<&Op>, bool) = (Vec::new(), false);
        let mut reads = false;
        let (procedure, inputs, set) = loop {
            match first.next()? {
                Op::Load { .. } | Op::And { .. } | Op::AndNot { .. } => {}
                Op::Read { .. } | Op::In { .. } => reads = true,
                test @ Op::Exists { body, .. } if !inside && !floods(*body) => {
                    tests.push(test);
                    tests.extend(self.ops.blocks.reached(&self.ops.blocks[*body]));
                }
                test @ (Op::NonEmpty { .. } | Op::Subset { .. } | Op::Holds { .. }) if !inside => {
                    tests.push(test);
                }
                Op::Exists { body, .. } | Op::Gather { body, .. } => {
                    inside = true;
                    first = self.ops.blocks[*body].iter();
                }
                op => break gathers(op)?,
            }
        };
        let position = only(inputs, *element)?;
        let (same_in_all, first_place) = self.symmetric(procedure, position)?;
        if first_place != *base {
            return None;
        }
        let body = self.ops.blocks.reached(&self.ops.blocks[*body]);
        let same = body.iter().all(|op| match *op {
            op if tests.iter().any(|test| std::ptr::eq(*test, op)) => {
                op.uses().effect != Effect::Updates
            }
            op => alike(op, *element, (procedure, inputs), same_in_all),
        });
        let writers = body.iter().filter(|op| op.uses().writes_set == Some(set)).count();
        (same && writers == 1).then_some(Orbit { set, tested: reads || !tests.is_empty() })
    }

    /// The set register of the flood whose elements are all given by a round of this loop, or none of them.
    fn given_orbit(&self, op: &Op) -> Option<SetReg> {
        let Op::Each { set: all, base, dst: element, orbit: None, body } = op else { return None };
        let own = &self.ops.blocks[*body];
        let gives = |op: &Op| matches!(op, Op::EmitOne { x: Operand::Reg(x), base: b } if x == element && b == base);
        if !own.last().is_some_and(gives) {
            return None;
        }
        let mut first = own.iter();
        let (procedure, inputs, set) = loop {
            match first.next()? {
                Op::Load { .. }
                | Op::And { .. }
                | Op::AndNot { .. }
                | Op::Read { .. }
                | Op::In { .. } => {}
                Op::Exists { body, .. } => first = self.ops.blocks[*body].iter(),
                op => break gathers(op)?,
            }
        };
        let (same_in_all, _) = self
            .symmetric(procedure, only(inputs, *element)?)
            .filter(|(_, first)| first == base)?;
        let (_, before) = own.split_last()?;
        let changes = |op: &Op| {
            let uses = op.uses();
            uses.writes.iter().any(|reg| all.reads(*reg))
                || uses.writes_set.is_some_and(|set| *all == Set::Reg(set))
        };
        let same = self
            .ops
            .blocks
            .reached(before)
            .into_iter()
            .all(|op| alike(op, *element, (procedure, inputs), same_in_all) && !changes(op));
        let body = self.ops.blocks.reached(own);
        let writers = body.iter().filter(|op| op.uses().writes_set == Some(set)).count();
        (same && writers == 1).then_some(set)
    }

    /// Makes the rounds of such a loop give all elements of their flood, which have no rounds of their own then.
    fn give_orbit(&mut self, id: OpId, flood: SetReg) {
        let none = Set::Mask(self.mask(UniverseId::REST, std::iter::empty()));
        let Op::Each { set, orbit, body, .. } = self.ops.blocks.op_mut(id) else { return };
        let (all, body) = (set.clone(), *body);
        *orbit = Some(flood);
        let Some(last) = self.ops.blocks[body].last().cloned() else { return };
        let number = self.ops.blocks[body].len() as u32 - 1;
        let written = self.ops.blocks.written(OpId { block: body, number });
        let ways = [Op::Emit { set: Set::Reg(flood) }, last]
            .map(|way| self.ops.blocks.add(vec![way], vec![written]));
        let both = Op::Branch { ways: Box::new(ways), rest: None };
        self.ops.blocks.replace_last(body, [Op::And { dst: flood, set: all }, both]);
        // a round may give its element without a flood
        let nothing = Op::Load { dst: flood, set: none };
        self.ops.blocks.insert(OpId { block: body, number: 0 }, nothing.clone());
        self.ops.blocks.insert(id, nothing);
    }

    /// Whether a procedure is the flood of one of its inputs over the sites with the same value as
    /// it, or with one fixed value, by a symmetric relation. Returns the map with that value, and
    /// the code of the first site.
    pub(super) fn symmetric(&self, number: u32, position: usize) -> Option<(FluentId, i64)> {
        let procedure = &self.calls.compiled[number as usize];
        let Recursion::Flood { seeds, .. } = &procedure.recursion else { return None };
        let input = Operand::Reg(position as Reg);
        let mut found: Option<(FluentId, i64)> = None;
        // a value that does not depend on the site, and that every site has
        let mut common: Option<Value> = None;
        let (mut everywhere, mut by_common) = (true, false);
        let mut seeded = 0;
        for (body, seed) in procedure.clauses.iter().zip(seeds) {
            let mut held: Option<(FluentId, Reg)> = None;
            let mut read: Option<(FluentId, Reg)> = None;
            let mut holds = false;
            for op in &self.ops.blocks[body.start] {
                match op {
                    Op::Defined { fluent, keys, negate: false } if **keys == [input] => {
                        let place = (*fluent, self.first_place(*fluent)?);
                        if *found.get_or_insert(place) != place {
                            return None;
                        }
                    }
                    Op::Read { dst, fluent, keys } if **keys == [input] && held.is_none() => {
                        let place = (*fluent, self.first_place(*fluent)?);
                        if *found.get_or_insert(place) != place {
                            return None;
                        }
                        held = Some((*fluent, *dst));
                    }
                    Op::Read { dst, fluent, keys } if keys.is_empty() && read.is_none() => {
                        read = Some((*fluent, *dst));
                    }
                    // the value that it holds
                    Op::Holds { fluent, keys, value: Some(Operand::Reg(value)), negate: false }
                        if **keys == [input] && held == Some((*fluent, *value)) => {}
                    Op::Holds { fluent, keys, value: Some(value), negate: false }
                        if *seed && **keys == [input] =>
                    {
                        let place = (*fluent, self.first_place(*fluent)?);
                        if *found.get_or_insert(place) != place {
                            return None;
                        }
                        let value = Value::of(*value, read)?;
                        if *common.get_or_insert(value) != value {
                            return None;
                        }
                        holds = true;
                    }
                    Op::In { x: Operand::Reg(x), set: Set::Mask(_), .. }
                        if held.is_some_and(|(_, value)| value == *x) => {}
                    Op::EmitOne { x, base } if *seed && *x == input => {
                        seeded += 1;
                        everywhere &= holds;
                        if found?.1 != *base {
                            return None;
                        }
                        break;
                    }
                    Op::EmitImage { images, keys, source: Set::Reg(0), filters } if !*seed => {
                        let [(Set::PlaneOf { fluent, value }, false)] = &**filters else {
                            return None;
                        };
                        let of_place = held
                            .is_some_and(|(of, reg)| of == *fluent && *value == Operand::Reg(reg));
                        let of_all = common.is_some()
                            && Value::of(*value, read) == common
                            && found.is_some_and(|(of, _)| of == *fluent);
                        if !(of_place || of_all) || !keys.is_empty() {
                            return None;
                        }
                        by_common |= !of_place;
                        if !self.made.images[*images as usize].is_symmetric(self.universes.words) {
                            return None;
                        }
                        break;
                    }
                    _ => return None,
                }
            }
        }
        (seeded > 0 && (everywhere || !by_common)).then_some(found?)
    }

    /// The code of the first site of a map over sites.
    fn first_place(&self, fluent: FluentId) -> Option<i64> {
        let place = self.layout.place(fluent);
        let [axis] = place.keys.as_slice() else { return None };
        place.planes.and(axis.universe).map(|_| axis.base)
    }
}

/// A value that is the same for all sites: a constant, or the value of a map without keys.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Constant(Code),
    Held(FluentId),
}

impl Value {
    /// The value of an operand; `read` is a map without keys and the register that has its value.
    fn of(x: Operand, read: Option<(FluentId, Reg)>) -> Option<Value> {
        match (x, read) {
            (Operand::Const(code), _) => Some(Value::Constant(code)),
            (Operand::Reg(reg), Some((fluent, dst))) if reg == dst => Some(Value::Held(fluent)),
            _ => None,
        }
    }
}

/// The places of all instructions of these blocks.
fn ops_of<'a>(blocks: &'a Blocks, of: &'a [BlockId]) -> impl Iterator<Item = OpId> + 'a {
    of.iter().flat_map(|block| {
        let block = *block;
        (0..blocks[block].len() as u32).map(move |number| OpId { block, number })
    })
}

/// Whether an instruction of a round does the same for all elements of the flood of `element` by this call, whose map
/// `same_in_all` holds one value at all of them.
fn alike(
    op: &Op,
    element: Reg,
    (procedure, inputs): (u32, &[Operand]),
    same_in_all: FluentId,
) -> bool {
    match op {
        op if gathers(op).is_some_and(|(p, i, _)| p == procedure && i == inputs) => true,
        Op::Read { fluent, keys, .. }
            if *fluent == same_in_all && **keys == [Operand::Reg(element)] =>
        {
            true
        }
        Op::Return { .. } | Op::Segment { .. } | Op::SegmentImage { .. } | Op::Single => false,
        op => {
            let uses = op.uses();
            uses.effect != Effect::Updates && !uses.reads(element)
        }
    }
}

fn gathers(op: &Op) -> Option<Call<'_>> {
    match op {
        Op::GatherCall { dst, procedure, inputs } => Some((*procedure, inputs, *dst)),
        _ => None,
    }
}
