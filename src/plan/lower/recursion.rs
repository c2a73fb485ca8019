//! Recursion that is gone once the clauses are instructions, and what is left of it.
//!
//! A clause that calls its own relation may have become a flood, which is a procedure of another
//! form. What does not come back to itself then needs no table.

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::super::blocks::OpId;
use super::super::ops::{Body, Op, Recursion, Rerun};
use super::Lowering;

/// A procedure that a clause calls, and whether every answer of it matters: not where the first one
/// counts.
struct Called {
    at: OpId,
    procedure: u32,
    every: bool,
}

impl Lowering<'_> {
    pub(super) fn settle_recursion(&mut self) {
        let calls: Vec<Vec<Vec<Called>>> = (self.compiled.iter())
            .map(|procedure| {
                let of_clause = |body: &Body| {
                    let mut called = Vec::new();
                    self.blocks.each(body.start, &mut |at, op, every| {
                        if let Op::GatherCall { procedure, .. }
                        | Op::Test { procedure, .. }
                        | Op::Call { procedure, .. } = op
                        {
                            let every = every && !matches!(op, Op::Test { negate: true, .. });
                            called.push(Called { at, procedure: *procedure, every });
                        }
                    });
                    called
                };
                procedure.clauses.iter().map(of_clause).collect()
            })
            .collect();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = calls.iter().map(|_| graph.add_node(())).collect();
        for (from, clauses) in nodes.iter().zip(&calls) {
            for called in clauses.iter().flatten() {
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
                    } else if all_tabled && inside.iter().all(|c| c.every) {
                        Rerun::NewAnswers(inside.iter().map(|c| c.at).collect())
                    } else {
                        Rerun::AllAnswers
                    }
                };
                let reruns = calls[number].iter().map(rerun).collect();
                self.compiled[number].recursion = match recursive {
                    true => Recursion::Tabled { component, reruns },
                    false => Recursion::None,
                };
            }
        }
    }
}
