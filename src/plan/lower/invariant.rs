//! Sets that are gathered alike in all rounds of a loop, gathered in front of it.
//!
//! In `frozen(A) :- at(A, piece(P, K)), stronger(L, K), at(B, piece(Q, L)), adjacent(A, B), \+ friend_beside(A)` the pieces beside
//! friends are the same for all kinds: the loop over these need not find them again.

use super::super::blocks::{BlockId, OpId};
use super::super::ops::{Op, Operand, Recursion, Reg, Set};
use super::goals::{Arg, G, Vars};
use super::order::BlockState;
use super::procedures::FLOOD;
use super::single::MOST_CLAUSES;
use super::{Builder, Lowering, occurrences};

/// The rows of a loop of which some are expected to come to a test behind others.
const MANY_ROWS: f64 = 32.0;
/// How many calls of procedures within one another are looked through.
const MAX_CALLS: usize = 3;

impl Lowering<'_> {
    /// The bodies of the few clauses of a relation that is asked in a loop, where they make a flood of what is known in front of
    /// it: as a procedure it would make that in each of the rounds.
    pub(super) fn flooding_ways(
        &mut self,
        goal: &G,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &Builder,
    ) -> Option<Vec<Vec<G>>> {
        let G::Call(id, args) = goal else { return None };
        let few = *id != FLOOD && self.program.relation(*id).clauses.len() <= MOST_CLAUSES;
        let looping = out.ops.iter().position(Op::is_generator)?;
        if !few || !self.is_simple(*id) {
            return None;
        }
        let (outer, mut all) = (vars.all.len(), vars.clone());
        let ways = self.bodies_of(*id, args, &mut all)?;
        let changes: Vec<Reg> = out.ops[looping..].iter().flat_map(|op| op.uses().writes).collect();
        let same = |arg: &Arg| match (arg, context.operand(*arg)) {
            (Arg::Var(v), _) if *v >= outer => true,
            (_, Some(Operand::Reg(reg))) => !changes.contains(&reg),
            (_, known) => known.is_some(),
        };
        let known = |arg: &Arg| !matches!(arg, Arg::Var(v) if *v >= outer);
        // what the flood begins with is passed on by its rounds
        let floods = |goal: &G| {
            let G::Call(called, args) = goal else { return false };
            let passed = || (0..args.len()).filter(|i| self.passed_on(*called, *i));
            *called != FLOOD
                && self.program.relation(*called).recursive
                && passed().all(|i| same(&args[i]))
                && passed().any(|i| known(&args[i]))
        };
        if !ways.iter().flatten().any(floods) {
            return None;
        }
        let inside = occurrences(&[G::Or(ways.clone())], &all);
        context.totals.resize(outer, 1);
        context.totals.extend_from_slice(inside.get(outer..).unwrap_or_default());
        context.bound.resize(all.all.len(), None);
        *vars = all;
        Some(ways)
    }

    /// Moves what the rounds of loops gather alike to the block of the loop. `blocks` has inner blocks before those around them.
    pub(super) fn gather_once(&mut self, blocks: &[BlockId]) {
        for block in blocks {
            while let Some(at) = self.gathered_alike(*block) {
                let number = self.ops.blocks[*block].len() as u32 - 1;
                self.ops.blocks.carry(at, OpId { block: *block, number });
            }
        }
    }

    /// An instruction at the beginning of the rounds of the loop that ends this block, which has the same effect in each of them.
    fn gathered_alike(&self, block: BlockId) -> Option<OpId> {
        let looping = self.ops.blocks[block].last()?;
        let (body, whole) = match looping {
            Op::Each { set, body, .. } => (*body, matches!(set, Set::Mask(_))),
            Op::Rows { index, keys, body, .. } => {
                let many = self.made.indexes[*index as usize].average() >= MANY_ROWS;
                (*body, keys.is_empty() || many)
            }
            Op::Keys { body, .. } => (*body, true),
            Op::Integers { body, .. } | Op::Members { body, .. } => (*body, false),
            // an action goes on with each answer before it finds the next one
            Op::Call { procedure, body, .. } => {
                let called = &self.calls.compiled[*procedure as usize];
                if called.action {
                    return None;
                }
                (*body, called.recursion != Recursion::None)
            }
            _ => return None,
        };
        let round = self.ops.blocks.reached(&self.ops.blocks[body]);
        if round.iter().any(|op| self.updates(op)) {
            return None;
        }
        self.alike_within(body, whole, looping, &round)
    }

    /// The same in a block that is run once in each round. In some loops, a round that may end before the instruction does not
    /// matter.
    fn alike_within(
        &self,
        block: BlockId,
        whole: bool,
        looping: &Op,
        round: &[&Op],
    ) -> Option<OpId> {
        for (number, op) in (0..).zip(&self.ops.blocks[block]) {
            if let Op::Gather { .. } | Op::GatherCall { .. } = op
                && self.is_alike(op, looping, round)
            {
                return Some(OpId { block, number });
            }
            if let Op::Gather { body, .. } | Op::Exists { body, .. } = op
                && let Some(found) = self.alike_within(*body, whole, looping, round)
            {
                return Some(found);
            }
            if let Op::Branch { ways, .. } = op
                && let Some(found) =
                    ways.iter().find_map(|way| self.alike_within(*way, whole, looping, round))
            {
                return Some(found);
            }
            // of a round that may end before it, there should be many
            let goes_on = matches!(
                op,
                Op::Load { .. }
                    | Op::And { .. }
                    | Op::AndNot { .. }
                    | Op::Read { .. }
                    | Op::Gather { .. }
                    | Op::GatherCall { .. }
            );
            if !goes_on && !whole {
                return None;
            }
        }
        None
    }

    fn is_alike(&self, gather: &Op, looping: &Op, round: &[&Op]) -> bool {
        let mut inside = vec![gather];
        if let Op::Gather { body, .. } = gather {
            inside.extend(self.ops.blocks.reached(&self.ops.blocks[*body]));
        }
        if !inside.iter().all(|op| self.is_quiet(op, MAX_CALLS)) {
            return false;
        }
        let within = |op: &&Op| inside.iter().any(|other| std::ptr::eq(*other, *op));
        let others = round.iter().copied().filter(|op| !within(op)).chain([looping]);
        let outside: Vec<&Op> = others.collect();
        let apart = |from: &[&Op], to: &[&Op]| {
            from.iter().all(|op| {
                let made = op.uses();
                to.iter().all(|other| {
                    let other = other.uses();
                    let reg = |reg: &Reg| other.reads(*reg) || other.writes.contains(reg);
                    !made.writes.iter().any(reg)
                        && made.writes_set.is_none_or(|set| {
                            let result = std::ptr::eq(*op, gather);
                            other.writes_set != Some(set) && (result || !other.reads_set(set))
                        })
                })
            })
        };
        apart(&inside, &outside) && apart(&outside, &inside)
    }

    /// Whether the state may be another one behind an instruction.
    pub(super) fn updates(&self, op: &Op) -> bool {
        match op {
            Op::Call { procedure, .. } => self.calls.compiled[*procedure as usize].action,
            op => op.may_update(),
        }
    }

    /// Whether an instruction only looks at the position, and is no rule error.
    fn is_quiet(&self, op: &Op, calls: usize) -> bool {
        match op {
            Op::GatherCall { procedure, .. } => {
                let called = &self.calls.compiled[*procedure as usize];
                match called.recursion {
                    Recursion::Flood { .. } => true,
                    Recursion::None if calls > 0 => called.clauses.iter().all(|clause| {
                        let all = self.ops.blocks.reached(&self.ops.blocks[clause.start]);
                        all.iter().all(|op| self.is_quiet(op, calls - 1))
                    }),
                    _ => false,
                }
            }
            // calculated bounds may be no numbers
            Op::Integers { lo, hi, .. } => {
                matches!((lo, hi), (Operand::Const(_), Operand::Const(_)))
            }
            Op::Load { .. }
            | Op::And { .. }
            | Op::AndNot { .. }
            | Op::Remove { .. }
            | Op::Count { .. }
            | Op::Copy { .. }
            | Op::Has { .. }
            | Op::Gather { .. }
            | Op::Branch { .. }
            | Op::Each { .. }
            | Op::Rows { .. }
            | Op::Keys { .. }
            | Op::Read { .. }
            | Op::Find { .. }
            | Op::Same { .. }
            | Op::In { .. }
            | Op::Holds { .. }
            | Op::Defined { .. }
            | Op::Exists { .. }
            | Op::NonEmpty { .. }
            | Op::Subset { .. }
            | Op::Emit { .. }
            | Op::EmitOne { .. }
            | Op::EmitImage { .. }
            | Op::EmitJoint { .. }
            | Op::Succeed => true,
            _ => false,
        }
    }
}
