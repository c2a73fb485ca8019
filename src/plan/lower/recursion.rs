//! Recursion that is gone once the clauses are instructions.
//!
//! A clause that calls its own relation may have become a flood, which is a procedure of another
//! form. What does not come back to itself then needs no table.

use super::super::ops::{Op, Pc, Recursion, is_terminal};
use super::Lowering;

impl Lowering<'_> {
    pub(super) fn settle_recursion(&mut self) {
        let calls: Vec<Vec<u32>> = self
            .compiled
            .iter()
            .map(|procedure| {
                let mut called = Vec::new();
                let mut seen = Vec::new();
                for block in &procedure.blocks {
                    self.calls(block.start, &mut seen, &mut called);
                }
                called
            })
            .collect();
        for number in 0..self.compiled.len() {
            let mut reached = calls[number].clone();
            let mut at = 0;
            while at < reached.len() {
                for next in &calls[reached[at] as usize] {
                    if !reached.contains(next) {
                        reached.push(*next);
                    }
                }
                at += 1;
            }
            let procedure = &mut self.compiled[number];
            if procedure.recursion == Recursion::Tabled && !reached.contains(&(number as u32)) {
                procedure.recursion = Recursion::None;
            }
        }
    }

    /// The procedures that a block calls, those of the blocks inside it included.
    fn calls(&self, start: Pc, seen: &mut Vec<Pc>, called: &mut Vec<u32>) {
        if seen.contains(&start) {
            return;
        }
        seen.push(start);
        for op in &self.code[start as usize..] {
            let inner: &[Pc] = match op {
                Op::GatherCall { procedure, .. }
                | Op::Test { procedure, .. }
                | Op::Call { procedure, .. } => {
                    if !called.contains(procedure) {
                        called.push(*procedure);
                    }
                    &[]
                }
                Op::Gather { body, .. }
                | Op::Exists { body, .. }
                | Op::Once { body }
                | Op::Collect { body, .. } => &[*body],
                Op::If { condition, then, otherwise } => &[*condition, *then, *otherwise],
                Op::ForEach { goal, action, .. } => &[*goal, *action],
                Op::Branch { blocks } => blocks,
                Op::Jump { to } => &[*to],
                _ => &[],
            };
            inner.iter().for_each(|pc| self.calls(*pc, seen, called));
            if is_terminal(op) {
                break;
            }
        }
    }
}
