//! The opening position: initial values, then the facts of the `init` clauses.

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{FluentId, FluentShape, Program, Value};

use super::Plan;
use super::layout::Place;

/// Builds the opening position as the words of a state.
///
/// # Errors
/// An `init` clause that gives a value outside its domain, or two values for one key.
pub(super) fn build(
    plan: &Plan,
    program: &Program,
    tables: &Tables,
) -> Result<Vec<u64>, Vec<Diagnostic>> {
    let mut words = vec![0u64; plan.layout.len];
    let mut faults = Vec::new();
    for place in &plan.layout.places {
        if let Some(initial) = place.initial {
            for cell in 0..place.size {
                let allowed = place.allowed_keys.as_ref().is_none_or(|a| a[cell]);
                if allowed {
                    plan.layout.put(place, cell, initial + 1, &mut words);
                }
            }
        }
    }
    if let Some(first) = plan.players.first() {
        let turn = plan.layout.place(FluentId::TURN);
        let coded = turn.value.as_ref().and_then(|a| a.index(*first)).map_or(0, |i| i + 1);
        plan.layout.put(turn, 0, coded, &mut words);
        plan.layout.put(plan.layout.place(FluentId::PLY), 0, 1, &mut words);
    }
    for (number, fluent) in program.fluents.iter().enumerate() {
        let id = FluentId(number as u32);
        let place = plan.layout.place(id);
        let mut given: rustc_hash::FxHashMap<usize, Value> = rustc_hash::FxHashMap::default();
        for row in tables.get(fluent.init).rows() {
            let (keys, value) = match fluent.shape {
                FluentShape::Set => (row.as_slice(), None),
                FluentShape::Map { .. } => {
                    let (value, keys) = row.split_last().unwrap_or((&Value::Integer(0), &[]));
                    (keys, Some(*value))
                }
            };
            let cell = cell_of(plan, place, keys);
            let index = match (value, &place.value) {
                (Some(value), Some(axis)) => plan
                    .universes
                    .try_code(value)
                    .and_then(|code| axis.index(code))
                    .filter(|i| place.allowed_values.as_ref().is_none_or(|a| a[*i])),
                _ => Some(0),
            };
            let shown = program.values.show_all(&row);
            match (cell, index) {
                (Some(cell), Some(index)) => {
                    let before = value.and_then(|v| given.insert(cell, v));
                    if let (Some(before), Some(value)) = (before, value)
                        && before != value
                    {
                        faults.push(
                            Diagnostic::error(
                                "opening",
                                format!("the opening gives `{}` two values", fluent.name),
                            )
                            .at(
                                init_span(program, id),
                                format!(
                                    "`{}` and `{}` for the same keys ({shown})",
                                    program.values.show(before),
                                    program.values.show(value)
                                ),
                            )
                            .hint("a map holds at most one value for each key"),
                        );
                    }
                    plan.layout.put(place, cell, index + 1, &mut words);
                }
                _ => {
                    let text = format!("the opening does not fit `{}`", fluent.name);
                    let d = Diagnostic::error("opening", text)
                        .at(
                            init_span(program, id),
                            format!("`{}({shown})` is outside of its domain", fluent.name),
                        )
                        .at(fluent.span, "declared here");
                    let absent = row.iter().find(|v| program.absent.contains(v));
                    faults.push(match absent.map(|v| program.values.show(*v)) {
                        Some(name) => d.hint(format!(
                            "`{name}` does not play with so few players: let the clause ask who \
                             does, by `player(P)`"
                        )),
                        None => d,
                    });
                }
            }
        }
    }
    faults.truncate(5);
    if faults.is_empty() { Ok(words) } else { Err(faults) }
}

fn init_span(program: &Program, fluent: FluentId) -> crate::source::Span {
    let init = program.relation(program.fluent(fluent).init);
    init.clauses.first().map_or(program.fluent(fluent).span, |c| program.clause(*c).span)
}

/// The number of a cell, where every key belongs to its domain.
fn cell_of(plan: &Plan, place: &Place, keys: &[Value]) -> Option<usize> {
    let mut cell = 0;
    for (axis, key) in place.axes().iter().zip(keys) {
        let index = axis.index(plan.universes.try_code(*key)?)?;
        cell = cell * axis.len + index;
    }
    place.allowed_keys.as_ref().is_none_or(|a| a[cell]).then_some(cell)
}
