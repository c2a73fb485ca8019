//! The state beside the board, where the rules have no `status/1`: hands, phases, counts.

use std::fmt;

use crate::board::{Board, Style};
use crate::datalog::Tables;
use crate::program::{FluentId, FluentShape, Kind, Program, RelationId};
use crate::reference::{Facts, Reference};

/// A fluent that is not on the board.
struct Entry {
    /// The name of the fluent.
    name: String,
    /// The keys and the value as rule files write them; the value is empty for an element of a set.
    items: Vec<(Vec<String>, String)>,
}

/// Which fluents are listed beside the board.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    listed: Vec<FluentId>,
    /// What a picture draws between sites, and text cannot.
    between: Vec<FluentId>,
    /// Nothing is left out, as where there is no board to see.
    whole: bool,
}

impl Lists {
    pub fn new(program: &Program, tables: &Tables, board: Option<&Board>) -> Lists {
        // what is drawn between areas, text shows too
        let areas = board.is_some_and(|board| board.style == Style::Cells);
        let joins = program.special.between.map_or_else(Vec::new, |id| reached(program, id));
        let shown = program.special.shows.map(|shows| reached(program, shows));
        let keyed_by_sites = |fluent: FluentId| {
            board.is_some_and(|board| {
                program.fluent(fluent).keys.iter().any(|key| {
                    let values = tables.domain(key);
                    !values.is_empty() && values.iter().all(|v| board.find(*v).is_some())
                })
            })
        };
        let mut drawn = false;
        let (mut listed, mut between) = (Vec::new(), Vec::new());
        for number in 0..program.fluents.len() {
            let id = FluentId(number as u32);
            // what is no part of a position is there for the rules alone
            let own = [FluentId::TURN, FluentId::MOVER, FluentId::PLY].contains(&id);
            if own || program.fluent(id).aside {
                continue;
            }
            let fluent = program.fluent(id);
            let on_board = match &shown {
                Some(shown) => !fluent.keys.is_empty() && shown.contains(&id),
                None => {
                    let map = matches!(fluent.shape, FluentShape::Map { .. });
                    let drawable = map && fluent.keys.len() == 1 && keyed_by_sites(id);
                    let first = drawable && !drawn;
                    drawn |= drawable;
                    first
                }
            };
            match !fluent.keys.is_empty() && joins.contains(&id) {
                _ if on_board => {}
                true if areas => {}
                true => between.push(id),
                false => listed.push(id),
            }
        }
        Lists { listed, between, whole: board.is_none() }
    }

    pub fn whole(self) -> Lists {
        Lists { whole: true, ..self }
    }

    /// The fluents, a line each; beside a board without what is as it was declared.
    pub fn lines(&self, rules: &Reference, facts: &Facts) -> Vec<String> {
        told(&self.listed, self.whole, rules, facts)
    }

    /// What only pictures draw, likewise.
    pub fn between(&self, rules: &Reference, facts: &Facts) -> Vec<String> {
        told(&self.between, false, rules, facts)
    }
}

fn told(listed: &[FluentId], whole: bool, rules: &Reference, facts: &Facts) -> Vec<String> {
    let (program, values) = (rules.program(), rules.values());
    let mut lines = Vec::new();
    for id in listed {
        let fluent = program.fluent(*id);
        let initial = match &fluent.shape {
            FluentShape::Map { initial, .. } => *initial,
            FluentShape::Set => None,
        };
        let items: Vec<(Vec<String>, String)> = facts
            .iter(*id)
            .filter(|(_, value)| whole || initial != Some(*value))
            .map(|(keys, value)| {
                let value = match fluent.shape {
                    FluentShape::Set => String::new(),
                    FluentShape::Map { .. } => values.show(value),
                };
                (keys.iter().map(|k| values.show(*k)).collect(), value)
            })
            .collect();
        if !items.is_empty() {
            lines.push(Entry { name: fluent.name.clone(), items }.to_string());
        }
    }
    lines
}

/// The fluents that a relation's clauses read, by themselves or through other relations.
fn reached(program: &Program, from: RelationId) -> Vec<FluentId> {
    let mut seen = vec![from];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(relation) = seen.get(at).copied() {
        at += 1;
        if let Kind::Fluent(fluent) = program.relation(relation).kind {
            found.push(fluent);
        }
        for (to, _) in program.graph.calls(relation) {
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
    }
    found
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name)?;
        for (i, (keys, value)) in self.items.iter().enumerate() {
            let words: Vec<&str> = keys.iter().chain([value]).map(String::as_str).collect();
            let text = words.join(" ").trim().to_string();
            let text = if text.is_empty() { "yes".to_string() } else { text };
            write!(f, "{} {text}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
