//! The board as a graph: the sites, their neighbours, and where they are drawn.
//!
//! It comes from relations of the rule file: `xy/3` lists the sites and their places, `step/3` or
//! `adjacent/2` their neighbours, `drawn/2` the lines between them, and `drawn/3` curves. `look/1` and `shaded/1` say how it
//! is drawn.

mod dot;

pub use dot::to_dot;

use indexmap::IndexMap;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxBuildHasher;

use crate::datalog::Tables;
use crate::program::{Kind, Program, RelationId, Value};

/// Index into a board's sites, in the order of `xy/3`.
pub type SiteId = NodeIndex<u32>;

/// A site of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The first argument of `xy/3`.
    pub value: Value,
    /// The value as rule files write it.
    pub name: String,
    /// The horizontal coordinate, which grows to the right.
    pub x: i64,
    /// The vertical coordinate, which grows upwards.
    pub y: i64,
}

/// How a board is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Sites are areas side by side.
    Cells,
    /// Sites are round hollows side by side.
    Pits,
    /// Sites are not seen themselves, only what is on them.
    Bare,
    /// Sites are points, and lines are drawn between them.
    Points,
}

/// The sites of a game and their neighbours.
#[derive(Debug, Clone)]
pub struct Board {
    /// The sites, with an edge from each to its neighbours. The weight of an edge is the direction of
    /// `step/3`; `None` for an edge of `adjacent/2`.
    pub graph: DiGraph<Site, Option<String>>,
    /// The pairs of sites between which lines are drawn, each once, the lower id first, in order.
    pub drawn: Vec<(SiteId, SiteId)>,
    /// The curves that are drawn in a picture: each runs the longer way from the first site to the second round
    /// the third.
    pub curves: Vec<[SiteId; 3]>,
    /// How the board is drawn.
    pub style: Style,
    /// Which sites are drawn darker in a picture, in the order of the sites.
    pub shaded: Vec<bool>,
    /// Which sites are drawn darker where nothing else parts them: `shaded`, or every second one of a grid.
    pub parted: Vec<bool>,
    ids: IndexMap<Value, SiteId, FxBuildHasher>,
}

impl Board {
    /// The board of a program; `None` where `xy/3` gives no site a place.
    pub fn new(program: &Program, tables: &Tables) -> Option<Board> {
        let special = &program.special;
        let rows = |id: Option<RelationId>| {
            let id = id.filter(|id| program.relation(*id).kind == Kind::Static);
            id.map(|id| tables.get(id).rows().map(|row| row.to_vec()).collect::<Vec<_>>())
        };
        let mut graph = DiGraph::new();
        let mut ids: IndexMap<Value, SiteId, FxBuildHasher> = IndexMap::default();
        for row in rows(special.xy)? {
            if let [value, Value::Integer(x), Value::Integer(y)] = row[..]
                && !ids.contains_key(&value)
            {
                let name = program.values.show(value);
                ids.insert(value, graph.add_node(Site { value, name, x, y }));
            }
        }
        if ids.is_empty() {
            return None;
        }
        let steps = rows(special.step).unwrap_or_default();
        for row in &steps {
            if let [direction, a, b] = row[..]
                && let (Some(a), Some(b)) = (ids.get(&a), ids.get(&b))
            {
                graph.add_edge(*a, *b, Some(program.values.show(direction)));
            }
        }
        let pairs = |rows: Option<Vec<Vec<Value>>>| -> Option<Vec<(SiteId, SiteId)>> {
            Some(rows?.iter().filter_map(|r| Some((*ids.get(&r[0])?, *ids.get(&r[1])?))).collect())
        };
        let adjacent = pairs(rows(special.adjacent));
        if graph.edge_count() == 0 {
            for (a, b) in adjacent.iter().flatten() {
                graph.add_edge(*a, *b, None);
            }
        }
        let lines = pairs(rows(special.drawn)).or(adjacent);
        let mut drawn: Vec<(SiteId, SiteId)> = match lines {
            Some(lines) => lines,
            None => graph.edge_references().map(|e| (e.source(), e.target())).collect(),
        };
        drawn.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        drawn.retain(|(a, b)| a != b);
        drawn.sort_unstable();
        drawn.dedup();
        let curves = rows(special.curved).unwrap_or_default();
        let curves = curves.iter().filter_map(|row| {
            let sites: Vec<SiteId> = row.iter().filter_map(|v| ids.get(v).copied()).collect();
            <[SiteId; 3]>::try_from(sites).ok()
        });
        let curves = curves.collect();
        let look = rows(special.look).unwrap_or_default();
        let look = look.first().map(|row| program.values.show(row[0]));
        let style = match look.as_deref() {
            Some("points") => Style::Points,
            Some("checkered" | "squares") => Style::Cells,
            Some("bare") => Style::Bare,
            _ => style(program, tables, &ids),
        };
        let shaded = match rows(special.shaded) {
            Some(rows) => {
                let dark: Vec<SiteId> =
                    rows.iter().filter_map(|r| ids.get(&r[0]).copied()).collect();
                graph.node_indices().map(|id| dark.contains(&id)).collect()
            }
            None if look.as_deref() == Some("checkered") => checkered(&graph),
            None => vec![false; graph.node_count()],
        };
        let parted = match style {
            Style::Cells if !shaded.contains(&true) => checkered(&graph),
            _ => shaded.clone(),
        };
        Some(Board { graph, drawn, curves, style, shaded, parted, ids })
    }

    /// The sites in order of their ids.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.graph.node_indices().zip(self.graph.node_weights())
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there are no sites; never true for a board made by [`Board::new`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The site with this id.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.graph[id]
    }

    /// The site with this value.
    pub fn find(&self, value: Value) -> Option<SiteId> {
        self.ids.get(&value).copied()
    }

    /// The neighbours of a site, each once, in the order of their ids.
    pub fn neighbours(&self, id: SiteId) -> Vec<SiteId> {
        let mut found: Vec<SiteId> = self.graph.neighbors(id).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Every second site of a grid of squares, the one at the lower left among them; none of another board.
fn checkered(graph: &DiGraph<Site, Option<String>>) -> Vec<bool> {
    let sites = || graph.node_weights();
    let (x, y) = (sites().map(|s| s.x).min().unwrap_or(0), sites().map(|s| s.y).min().unwrap_or(0));
    let parity = |site: &Site| site.x.wrapping_sub(x).wrapping_add(site.y.wrapping_sub(y)) % 2;
    // where every site has the same parity, the rows are shifted by half a site
    let grid = sites().any(|site| parity(site) != 0);
    sites().map(|site| grid && parity(site) == 0).collect()
}

/// The style of a board: points with lines between them where its sites are those of `point/1`, areas
/// where they are those of `cell/1`, hollows where they are those of `pit/1`, and otherwise points where the rules define `drawn/2`.
fn style(
    program: &Program,
    tables: &Tables,
    ids: &IndexMap<Value, SiteId, FxBuildHasher>,
) -> Style {
    let covers = |name: &str| {
        program.find_relation(name, 1).is_some_and(|id| {
            program.relation(id).kind == Kind::Static
                && tables.get(id).column(0).iter().filter(|v| ids.contains_key(*v)).count() * 2
                    > ids.len()
        })
    };
    let areas = covers("cell") || covers("pit");
    if covers("pit") && !covers("cell") {
        return Style::Pits;
    }
    if covers("point") || (!areas && program.special.drawn.is_some()) {
        Style::Points
    } else {
        Style::Cells
    }
}
