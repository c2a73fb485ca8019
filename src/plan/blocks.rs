//! The blocks of a plan: a tree of sequences of instructions.
//!
//! An instruction that loops, branches, negates, gathers or calls owns the blocks that it runs;
//! [`Op::uses`] lists them. So every block but the first of a clause is owned by one instruction.
//! Only the end of a way of `Branch` or `If` names a block that it does not own: the one in which
//! the ways meet.

use std::ops::Index;

use rustc_hash::FxHashSet;

use super::ops::{Op, Procedure};
use super::uses::Inner;
use super::written::WrittenId;

/// Index into [`Blocks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Stands for the block that follows an instruction while that block is being written.
    pub(super) const OPEN: BlockId = BlockId(u32::MAX);
}

/// The place of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct OpId {
    /// Its block.
    pub block: BlockId,
    /// Its number in the block, counted from 0.
    pub number: u32,
}

impl OpId {
    /// The first instruction of a block.
    pub fn first(block: BlockId) -> OpId {
        OpId { block, number: 0 }
    }
}

/// All blocks of a plan.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    ops: Vec<Vec<Op>>,
    /// For each instruction, the goal of the rule file that it comes from.
    written: Vec<Vec<WrittenId>>,
}

impl Index<BlockId> for Blocks {
    type Output = Vec<Op>;

    fn index(&self, id: BlockId) -> &Vec<Op> {
        &self.ops[id.0 as usize]
    }
}

impl Blocks {
    /// The instruction at a place.
    ///
    /// # Panics
    /// Where there is none.
    pub fn op(&self, id: OpId) -> &Op {
        &self[id.block][id.number as usize]
    }

    /// The goal of the rule file that an instruction comes from.
    pub fn written(&self, id: OpId) -> WrittenId {
        self.written[id.block.0 as usize][id.number as usize]
    }

    /// An instruction, to be changed; its replacement comes from the same goal.
    pub(super) fn op_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.block.0 as usize][id.number as usize]
    }

    /// All instructions.
    pub fn ops(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().flatten()
    }

    /// The places of all instructions.
    pub fn ids(&self) -> impl Iterator<Item = OpId> {
        (0..).map(BlockId).zip(&self.ops).flat_map(|(block, ops)| {
            (0..ops.len() as u32).map(move |number| OpId { block, number })
        })
    }

    /// The instructions of each block, with the goals that they come from.
    pub(super) fn each_block(&self) -> impl Iterator<Item = (&[Op], &[WrittenId])> {
        self.ops.iter().map(Vec::as_slice).zip(self.written.iter().map(Vec::as_slice))
    }

    pub(super) fn add(&mut self, ops: Vec<Op>, written: Vec<WrittenId>) -> BlockId {
        let block = BlockId(self.ops.len() as u32);
        self.ops.push(Vec::new());
        self.written.push(Vec::new());
        self.fill(block, ops, written);
        block
    }

    /// Writes a block: its instructions and the goals that they come from.
    pub(super) fn fill(&mut self, block: BlockId, ops: Vec<Op>, written: Vec<WrittenId>) {
        debug_assert_eq!(ops.len(), written.len());
        self.ops[block.0 as usize] = ops;
        self.written[block.0 as usize] = written;
    }

    /// Puts an instruction before another one, from the goal of the block's last one.
    pub(super) fn insert(&mut self, before: OpId, op: Op) {
        let (block, at) = (before.block.0 as usize, before.number as usize);
        let goal = self.written[block].last().copied().unwrap_or(WrittenId::NONE);
        self.ops[block].insert(at, op);
        self.written[block].insert(at, goal);
    }

    /// Takes an instruction out of its block and puts it before another one, in another block.
    pub(super) fn carry(&mut self, from: OpId, before: OpId) {
        let (block, at) = (from.block.0 as usize, from.number as usize);
        let (op, written) = (self.ops[block].remove(at), self.written[block].remove(at));
        let (block, at) = (before.block.0 as usize, before.number as usize);
        self.ops[block].insert(at, op);
        self.written[block].insert(at, written);
    }

    /// Replaces the last instruction of a block by others, which come from the same goal.
    pub(super) fn replace_last(&mut self, block: BlockId, ops: impl IntoIterator<Item = Op>) {
        let (all, written) = (&mut self.ops[block.0 as usize], &mut self.written[block.0 as usize]);
        all.pop();
        all.extend(ops);
        let goal = written.last().copied().unwrap_or(WrittenId::NONE);
        written.resize(all.len(), goal);
    }

    /// Moves the instructions of another block from `at` on to the end of a block; those before it are dropped.
    pub(super) fn append(&mut self, block: BlockId, from: BlockId, at: usize) {
        let ops = std::mem::take(&mut self.ops[from.0 as usize]);
        let written = std::mem::take(&mut self.written[from.0 as usize]);
        self.ops[block.0 as usize].extend(ops.into_iter().skip(at));
        self.written[block.0 as usize].extend(written.into_iter().skip(at));
    }

    /// Moves the instructions of a block from `at` on to a new block, and ends the first block with
    /// an instruction that owns the new one.
    pub(super) fn split(&mut self, block: BlockId, at: usize, end: impl FnOnce(BlockId) -> Op) {
        let ops = self.ops[block.0 as usize].split_off(at);
        let written = self.written[block.0 as usize].split_off(at);
        let goal = written.first().copied().unwrap_or(WrittenId::NONE);
        let rest = self.add(ops, written);
        self.ops[block.0 as usize].push(end(rest));
        self.written[block.0 as usize].push(goal);
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.ops.truncate(len);
        self.written.truncate(len);
    }

    /// Empties all blocks but these.
    pub(super) fn retain(&mut self, kept: &[BlockId]) {
        let kept: FxHashSet<BlockId> = kept.iter().copied().collect();
        for number in (0..self.ops.len()).filter(|n| !kept.contains(&BlockId(*n as u32))) {
            self.ops[number] = Vec::new();
            self.written[number] = Vec::new();
        }
    }

    /// The instructions of a block and of the blocks that follow it: those that run one after the other
    /// as long as none fails, without those of inner blocks.
    pub fn line(&self, start: BlockId) -> Vec<&Op> {
        let mut line = Vec::new();
        let mut next = Some(start);
        while let Some(block) = next {
            line.extend(&self[block]);
            next = self[block].last().and_then(|op| op.uses().next);
        }
        line
    }

    /// Calls `visit` for each instruction of a block, of the blocks that follow it and of inner blocks.
    /// The last argument says whether every answer matters there, and not only the first one or the
    /// lack of any.
    pub fn each(&self, start: BlockId, visit: &mut dyn FnMut(OpId, &Op, bool)) {
        self.each_inside(Inner { block: start, every: true }, visit);
    }

    fn each_inside(&self, inside: Inner, visit: &mut dyn FnMut(OpId, &Op, bool)) {
        let mut next = Some(inside.block);
        while let Some(block) = next.take() {
            for (number, op) in (0..).zip(&self[block]) {
                visit(OpId { block, number }, op, inside.every);
                let uses = op.uses();
                for Inner { block, every } in uses.blocks {
                    self.each_inside(Inner { block, every: every && inside.every }, visit);
                }
                next = uses.next;
            }
        }
    }

    /// All instructions that a run of the given ones may reach, each once, those behind the meeting
    /// point of the surrounding ways included.
    pub fn reached<'a>(&'a self, ops: &'a [Op]) -> Vec<&'a Op> {
        let (mut found, mut seen, mut waiting) = (Vec::new(), FxHashSet::default(), vec![ops]);
        while let Some(ops) = waiting.pop() {
            for op in ops {
                found.push(op);
                let uses = op.uses();
                let all =
                    uses.blocks.iter().map(|inner| inner.block).chain(uses.next).chain(uses.joins);
                waiting.extend(
                    all.filter(|block| seen.insert(*block)).map(|block| self[block].as_slice()),
                );
            }
        }
        found
    }

    /// Whether a run from a block may reach such an instruction, that of procedures included.
    pub fn may_run(
        &self,
        start: BlockId,
        procedures: &[Procedure],
        wanted: impl Fn(&Op) -> bool,
    ) -> bool {
        let mut called = FxHashSet::default();
        let mut waiting = vec![start];
        while let Some(block) = waiting.pop() {
            for op in self.reached(&self[block]) {
                if wanted(op) {
                    return true;
                }
                if let Some(procedure) = op.procedure()
                    && called.insert(procedure)
                {
                    let clauses = &procedures[procedure as usize].clauses;
                    waiting.extend(clauses.iter().map(|clause| clause.start));
                }
            }
        }
        false
    }

    /// The blocks that a run from the given ones may reach, each after the blocks that it owns.
    pub(super) fn inner_first(&self, starts: &[BlockId]) -> Vec<BlockId> {
        let mut found = Vec::new();
        starts.iter().for_each(|start| self.add_inner_first(*start, &mut found));
        found
    }

    fn add_inner_first(&self, start: BlockId, found: &mut Vec<BlockId>) {
        let mut line = vec![start];
        while let Some(next) = line.last().and_then(|block| self[*block].last()?.uses().next) {
            line.push(next);
        }
        for block in line.into_iter().rev() {
            for op in &self[block] {
                op.uses().blocks.iter().for_each(|inner| self.add_inner_first(inner.block, found));
            }
            found.push(block);
        }
    }
}
