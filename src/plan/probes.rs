//! A plan with a probe before each instruction, for the profile of a game.
//!
//! Probes are instructions themselves, so a plan without them runs as if there were none. The
//! number of answers of an instruction is the number of runs of the next one.

use super::blocks::{Blocks, OpId};
use super::ops::{Op, Recursion, Rerun};
use super::{Plan, WrittenId};

impl Plan {
    /// The same plan with probes, and for each probe the instruction of this plan that follows it.
    pub fn probed(&self) -> (Plan, Vec<OpId>) {
        let mut plan = self.clone();
        let probes: Vec<OpId> = self.blocks.ids().collect();
        plan.blocks = self.blocks.probed();
        for procedure in &mut plan.procedures {
            let Recursion::Tabled { reruns, .. } = &mut procedure.recursion else { continue };
            for rerun in reruns {
                if let Rerun::NewAnswers(calls) = rerun {
                    calls.iter_mut().for_each(|id| *id = behind_probe(*id));
                }
            }
        }
        (plan, probes)
    }
}

/// The place of an instruction in a plan with probes.
fn behind_probe(id: OpId) -> OpId {
    OpId { number: 2 * id.number + 1, ..id }
}

impl Blocks {
    fn probed(&self) -> Blocks {
        let mut probed = Blocks::default();
        let mut numbers = 0..;
        for (ops, written) in self.each_block() {
            let mut both: Vec<Op> = Vec::with_capacity(2 * ops.len());
            let mut goals: Vec<WrittenId> = Vec::with_capacity(2 * ops.len());
            for ((op, goal), number) in ops.iter().zip(written).zip(&mut numbers) {
                both.extend([Op::Probe { number }, op.clone()]);
                goals.extend([*goal; 2]);
            }
            probed.add(both, goals);
        }
        probed
    }
}
