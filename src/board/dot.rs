//! A board as a Graphviz graph, with every site at its place (for `neato -n`).

use std::fmt::Write;

use indexmap::IndexMap;
use petgraph::visit::EdgeRef;

use super::{Board, SiteId};

/// Points per unit of the board's coordinates.
const SCALE: i64 = 60;

/// Prints the board as a graph: a line between sites that are neighbours of each other, an arrow
/// otherwise.
pub fn to_dot(board: &Board, title: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(title));
    let _ = writeln!(out, "  node [shape=circle, fixedsize=true, width=0.5, fontsize=11];");
    for (_, site) in board.sites() {
        let _ = writeln!(
            out,
            "  {} [pos=\"{},{}!\"];",
            quoted(&site.name),
            site.x.saturating_mul(SCALE),
            site.y.saturating_mul(SCALE)
        );
    }
    let mut edges: IndexMap<(SiteId, SiteId), Vec<&str>> = IndexMap::new();
    for edge in board.graph.edge_references() {
        let names = edges.entry((edge.source(), edge.target())).or_default();
        names.extend(edge.weight().as_deref());
    }
    for ((a, b), names) in &edges {
        let back = edges.get(&(*b, *a));
        if back.is_some() && b < a {
            continue;
        }
        let mut label = names.join(", ");
        if let Some(back) = back
            && !back.is_empty()
        {
            label = format!("{label} / {}", back.join(", "));
        }
        let both = if back.is_some() { ", dir=none" } else { "" };
        let _ = writeln!(
            out,
            "  {} -> {} [tooltip={}{both}];",
            quoted(&board.site(*a).name),
            quoted(&board.site(*b).name),
            quoted(&label)
        );
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
