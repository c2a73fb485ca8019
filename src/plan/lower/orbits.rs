//! Floods that need not be made again.
//!
//! A flood over a symmetric relation, such as the group of a stone, gives the same set for each of
//! its elements. So a loop whose rounds do nothing with their element but ask for its flood has
//! done with the whole set after one round. And a flood that was made before in the same round is
//! taken from where it is.

use crate::program::FluentId;

use super::super::ops::{Op, Operand, Pc, Recursion, Reg, Set, SetReg, is_terminal};
use super::Lowering;
use super::emit::{is_generator, may_update};
use super::fuse::{only, reads_set};

/// A call that gathers: procedure, inputs and where the set goes.
type Call<'a> = (u32, &'a [Operand], SetReg);

impl Lowering<'_> {
    /// Goes over the finished code. Places of instructions stay as they are.
    pub(super) fn spare_floods(&mut self) {
        for at in 0..self.code.len() {
            if let Some((dst, from)) = self.made_before(at) {
                self.code[at] = Op::Load { dst, set: Set::Reg(from) };
            }
        }
        for at in 0..self.code.len() {
            let found = self.orbit_of(at);
            if let Op::Each { orbit, .. } = &mut self.code[at] {
                *orbit = found;
            }
        }
        for number in 0..self.compiled.len() {
            let found = self.goes_on_at(number);
            if let Recursion::Flood { again, .. } = &mut self.compiled[number].recursion {
                *again = found;
            }
        }
    }

    /// Where the rounds of a flood begin to differ.
    fn goes_on_at(&self, number: usize) -> Option<Pc> {
        let procedure = &self.compiled[number];
        let Recursion::Flood { seeds, .. } = &procedure.recursion else { return None };
        let mut blocks = procedure.blocks.iter().zip(seeds).filter(|(_, seed)| !**seed);
        let (Some((block, _)), None) = (blocks.next(), blocks.next()) else { return None };
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
            _ => false,
        };
        let ops = &self.code[block.start as usize..];
        let prefix = ops.iter().take_while(|op| fixed(op)).count();
        let mut rest = Vec::new();
        self.reachable(block.start + prefix as Pc, &mut rest);
        let kept = ops[..prefix].iter().all(|op| {
            rest.iter().all(|place| {
                let other = &self.code[*place];
                written_set(op).is_none_or(|set| written_set(other) != Some(set))
                    && !written(op).iter().any(|reg| writes(other, Operand::Reg(*reg)))
            })
        });
        (prefix > 0 && kept).then_some(block.start + prefix as Pc)
    }

    /// The set of the call at this place, and the register that holds it already.
    fn made_before(&self, at: usize) -> Option<(SetReg, SetReg)> {
        let (procedure, inputs, dst) = gathers(&self.code[at])?;
        let mut between: Vec<usize> = Vec::new();
        for place in (0..at).rev() {
            let op = &self.code[place];
            if is_terminal(op) || self.is_jumped_to(place + 1) {
                return None;
            }
            let mut inside = Vec::new();
            let mut first = place;
            if let Op::Exists { body, .. } = op {
                first = *body as usize;
                self.reachable(*body, &mut inside);
                inside.retain(|i| *i != first);
            } else if is_generator(op) || may_update(op) {
                return None;
            }
            between.extend(inside);
            match gathers(&self.code[first]) {
                Some((p, i, from)) if p == procedure && i == inputs => {
                    let kept = between.iter().all(|i| {
                        let op = &self.code[*i];
                        written_set(op) != Some(from)
                            && !inputs.iter().any(|x| writes(op, *x))
                            && !may_update(op)
                    });
                    return kept.then_some((dst, from));
                }
                _ => between.extend([place, first]),
            }
        }
        None
    }

    /// For a loop whose rounds are the same for all elements of a flood: the set register that
    /// holds it at the end of a round.
    fn orbit_of(&self, at: usize) -> Option<SetReg> {
        let Op::Each { base, dst: element, .. } = &self.code[at] else { return None };
        // before anything can fail
        let mut first = at + 1;
        let (procedure, inputs, set) = loop {
            match &self.code[first] {
                Op::Load { .. } | Op::And { .. } | Op::AndNot { .. } => first += 1,
                Op::Exists { body, .. } => first = *body as usize,
                op => break gathers(op)?,
            }
        };
        let position = only(inputs, *element)?;
        if self.symmetric(procedure, position)? != *base {
            return None;
        }
        let mut body = Vec::new();
        self.reachable(at as Pc + 1, &mut body);
        let same = body.iter().all(|place| match &self.code[*place] {
            op if gathers(op).is_some_and(|(p, i, _)| p == procedure && i == inputs) => true,
            op => asks(op, *element) == Some(false),
        });
        let writers = body.iter().filter(|i| written_set(&self.code[**i]) == Some(set)).count();
        (same && writers == 1).then_some(set)
    }

    /// Is a procedure the flood of one of its inputs over the places that hold the same as it, and
    /// can each place be reached from where it leads? The code of the first place.
    fn symmetric(&self, number: u32, position: usize) -> Option<i64> {
        let procedure = &self.compiled[number as usize];
        let Recursion::Flood { seeds, .. } = &procedure.recursion else { return None };
        let input = Operand::Reg(position as Reg);
        let mut found: Option<(FluentId, i64)> = None;
        let mut seeded = 0;
        for (block, seed) in procedure.blocks.iter().zip(seeds) {
            let mut held: Option<(FluentId, Reg)> = None;
            for op in &self.code[block.start as usize..] {
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
                    Op::In { x: Operand::Reg(x), set: Set::Mask(_), .. }
                        if held.is_some_and(|(_, value)| value == *x) => {}
                    Op::EmitOne { x, base } if *seed && *x == input => {
                        seeded += 1;
                        if found?.1 != *base {
                            return None;
                        }
                        break;
                    }
                    Op::EmitImage { images, keys, source: Set::Reg(0), filters } if !*seed => {
                        let (fluent, value) = held?;
                        let of_value = Set::PlaneOf { fluent, value: Operand::Reg(value) };
                        let alone = matches!(&**filters, [(set, false)] if *set == of_value);
                        if !alone || !keys.is_empty() {
                            return None;
                        }
                        if !self.images[*images as usize].is_symmetric(self.universes.words) {
                            return None;
                        }
                        break;
                    }
                    _ => return None,
                }
            }
        }
        (seeded > 0).then_some(found?.1)
    }

    /// The code of the first place of a map over places.
    fn first_place(&self, fluent: FluentId) -> Option<i64> {
        let place = self.layout.place(fluent);
        let [axis] = place.keys.as_slice() else { return None };
        place.planes.and(axis.universe).map(|_| axis.base)
    }

    /// The places of all instructions that a run from this one may come to.
    fn reachable(&self, start: Pc, found: &mut Vec<usize>) {
        let mut next = vec![start];
        while let Some(pc) = next.pop() {
            for place in pc as usize..self.code.len() {
                if found.contains(&place) {
                    break;
                }
                found.push(place);
                match &self.code[place] {
                    Op::Gather { body, .. }
                    | Op::Collect { body, .. }
                    | Op::Exists { body, .. }
                    | Op::Once { body } => next.push(*body),
                    Op::Branch { blocks } => next.extend(blocks.iter()),
                    Op::If { condition, then, otherwise } => {
                        next.extend([*condition, *then, *otherwise]);
                    }
                    Op::ForEach { goal, action, .. } => next.extend([*goal, *action]),
                    Op::Jump { to } => next.push(*to),
                    _ => {}
                }
                if is_terminal(&self.code[place]) {
                    break;
                }
            }
        }
    }
}

fn gathers(op: &Op) -> Option<Call<'_>> {
    match op {
        Op::GatherCall { dst, procedure, inputs } => Some((*procedure, inputs, *dst)),
        _ => None,
    }
}

fn written_set(op: &Op) -> Option<SetReg> {
    match op {
        Op::Load { dst, .. }
        | Op::And { dst, .. }
        | Op::AndNot { dst, .. }
        | Op::Remove { dst, .. }
        | Op::Gather { dst, .. }
        | Op::GatherCall { dst, .. } => Some(*dst),
        _ => None,
    }
}

/// May an instruction write the register of an operand?
fn writes(op: &Op, x: Operand) -> bool {
    matches!(x, Operand::Reg(reg) if written(op).contains(&reg))
}

/// The registers that an instruction writes.
fn written(op: &Op) -> Vec<Reg> {
    match op {
        Op::Each { dst, .. }
        | Op::Integers { dst, .. }
        | Op::Members { dst, .. }
        | Op::Copy { dst, .. }
        | Op::Read { dst, .. }
        | Op::Calculate { dst, .. }
        | Op::Length { dst, .. }
        | Op::MakeList { dst, .. }
        | Op::Count { dst, .. }
        | Op::Collect { dst, .. } => vec![*dst],
        Op::TakeList { head, tail, .. } => vec![*head, *tail],
        Op::Rows { outs, .. }
        | Op::Find { outs, .. }
        | Op::Legal { outs, .. }
        | Op::Call { outs, .. } => outs.to_vec(),
        _ => Vec::new(),
    }
}

/// Does an instruction read a register? `None` for one that does more than ask.
fn asks(op: &Op, reg: Reg) -> Option<bool> {
    let is = |x: &Operand| *x == Operand::Reg(reg);
    let any = |all: &[Operand]| all.iter().any(is);
    Some(match op {
        Op::Load { set, .. }
        | Op::And { set, .. }
        | Op::AndNot { set, .. }
        | Op::Each { set, .. }
        | Op::Count { set, .. }
        | Op::NonEmpty { set, .. }
        | Op::Emit { set } => reads_set(set, reg),
        Op::GatherCall { inputs: all, .. }
        | Op::Test { inputs: all, .. }
        | Op::Rows { keys: all, .. }
        | Op::Find { keys: all, .. }
        | Op::Has { keys: all, .. }
        | Op::Read { keys: all, .. }
        | Op::Defined { keys: all, .. } => any(all),
        Op::Holds { keys, value, .. } => any(keys) || value.iter().any(is),
        Op::Remove { x, .. } | Op::Copy { x, .. } | Op::EmitOne { x, .. } => is(x),
        Op::Calculate { a, b, .. } | Op::Same { a, b, .. } | Op::Compare { a, b, .. } => {
            is(a) || is(b)
        }
        Op::Integers { lo, hi, .. } => is(lo) || is(hi),
        Op::Between { x, lo, hi } => is(x) || is(lo) || is(hi),
        Op::In { x, set, .. } => is(x) || reads_set(set, reg),
        Op::Subset { part, whole, .. } => reads_set(part, reg) || reads_set(whole, reg),
        Op::AnyRow { whole, .. } => reads_set(whole, reg),
        Op::EmitImage { keys, source, filters, .. } => {
            any(keys) || reads_set(source, reg) || filters.iter().any(|(s, _)| reads_set(s, reg))
        }
        Op::Yield { template, distinct } => is(template) || any(distinct),
        Op::Gather { .. }
        | Op::Collect { .. }
        | Op::Exists { .. }
        | Op::Branch { .. }
        | Op::If { .. }
        | Op::Jump { .. }
        | Op::Fail
        | Op::Succeed => false,
        _ => return None,
    })
}
