//! Recursion that is gone once the clauses are instructions, and what is left of it.
//!
//! A clause that calls its own relation may have become a flood, which is a procedure of another
//! form. What does not come back to itself then needs no table.

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::super::ops::{Op, Pc, Recursion, Rerun};
use super::Lowering;

/// A procedure that a block calls, and whether every answer of it matters: not where the first one
/// counts.
struct Called {
    at: Pc,
    procedure: u32,
    each: bool,
}

impl Lowering<'_> {
    pub(super) fn settle_recursion(&mut self) {
        let calls: Vec<Vec<Vec<Called>>> = (self.compiled.iter())
            .map(|procedure| {
                let of_block = |block: &super::super::ops::Block| {
                    let mut called = Vec::new();
                    self.calls(block.start, true, &mut Vec::new(), &mut called);
                    called
                };
                procedure.blocks.iter().map(of_block).collect()
            })
            .collect();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = calls.iter().map(|_| graph.add_node(())).collect();
        for (from, blocks) in nodes.iter().zip(&calls) {
            for called in blocks.iter().flatten() {
                graph.update_edge(*from, nodes[called.procedure as usize], ());
            }
        }
        for (component, members) in (0..).zip(tarjan_scc(&graph)) {
            let recursive = members.len() > 1 || graph.contains_edge(members[0], members[0]);
            let members: Vec<usize> = members.into_iter().map(|node| node.index()).collect();
            let tabled = |number: &usize| {
                matches!(self.compiled[*number].recursion, Recursion::Tabled { .. })
            };
            let all_tabled = members.iter().all(tabled);
            for number in members.iter().filter(|n| tabled(n)).copied().collect::<Vec<_>>() {
                let rerun = |called: &Vec<Called>| {
                    let inside: Vec<&Called> = (called.iter())
                        .filter(|c| members.contains(&(c.procedure as usize)))
                        .collect();
                    if inside.is_empty() {
                        Rerun::Never
                    } else if all_tabled && inside.iter().all(|c| c.each) {
                        Rerun::NewAnswers(inside.iter().map(|c| c.at).collect())
                    } else {
                        Rerun::AllAnswers
                    }
                };
                let blocks = calls[number].iter().map(rerun).collect();
                self.compiled[number].recursion = match recursive {
                    true => Recursion::Tabled { component, blocks },
                    false => Recursion::None,
                };
            }
        }
    }

    /// The calls of a block, those of the blocks inside it included.
    fn calls(&self, start: Pc, each: bool, seen: &mut Vec<Pc>, called: &mut Vec<Called>) {
        if seen.contains(&start) {
            return;
        }
        seen.push(start);
        for (at, op) in (start..).zip(&self.code[start as usize..]) {
            let mut first: &[Pc] = &[];
            let inner: &[Pc] = match op {
                Op::GatherCall { procedure, .. }
                | Op::Test { procedure, .. }
                | Op::Call { procedure, .. } => {
                    let negated = matches!(op, Op::Test { negate: true, .. });
                    called.push(Called { at, procedure: *procedure, each: each && !negated });
                    &[]
                }
                Op::Gather { body, .. } | Op::Exists { body, negate: false } => &[*body],
                Op::Once { body } | Op::Exists { body, .. } | Op::Collect { body, .. } => {
                    first = std::slice::from_ref(body);
                    &[]
                }
                Op::If { condition, then, otherwise } => {
                    first = std::slice::from_ref(condition);
                    &[*then, *otherwise]
                }
                Op::ForEach { goal, action, .. } => &[*goal, *action],
                Op::Branch { blocks } => blocks,
                Op::Jump { to } => &[*to],
                _ => &[],
            };
            first.iter().for_each(|pc| self.calls(*pc, false, seen, called));
            inner.iter().for_each(|pc| self.calls(*pc, each, seen, called));
            if op.is_terminal() {
                break;
            }
        }
    }
}
