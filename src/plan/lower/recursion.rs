//! Recursion that is gone once the clauses are instructions.
//!
//! A clause that calls its own relation may have become a flood, which is a procedure of another
//! form. What does not come back to itself then needs no table.

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

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
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = calls.iter().map(|_| graph.add_node(())).collect();
        for (from, called) in nodes.iter().zip(&calls) {
            for to in called {
                graph.update_edge(*from, nodes[*to as usize], ());
            }
        }
        for (component, members) in (0..).zip(tarjan_scc(&graph)) {
            let recursive = members.len() > 1 || graph.contains_edge(members[0], members[0]);
            for number in members.into_iter().map(|node| node.index()) {
                let recursion = &mut self.compiled[number].recursion;
                if matches!(recursion, Recursion::Tabled { .. }) {
                    *recursion = match recursive {
                        true => Recursion::Tabled { component },
                        false => Recursion::None,
                    };
                }
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
