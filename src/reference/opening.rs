//! `:- position "…"`: an opening that is told as text.

use std::sync::Arc;

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{Fluent, FluentShape, Opening, Program, Value};

use super::Reference;
use super::fault::QueryError;

/// Adds what `:- position` tells to the tables of the openings, as if `init` clauses said it.
///
/// # Errors
/// A text that is no position of the game, and `init` clauses for the part of the state that it tells.
pub fn open(program: &Program, tables: &mut Tables) -> Result<(), Vec<Diagnostic>> {
    let Some(opening) = &program.opening else { return Ok(()) };
    let rules = Reference::new(Arc::new(program.clone()), Arc::new(tables.clone()));
    let told = rules.position_of(&rules.empty, &opening.text, opening.span);
    let facts = told.map_err(|error| match error {
        QueryError::Question(faults) => faults,
        QueryError::Rule(error) => vec![error.into()],
    })?;
    let fields = rules.told_by_fields(&facts, &opening.text).map_err(|e| vec![e.into()])?;
    let told = rules.drawn_fluent().into_iter().chain(fields);
    if let Some(fault) =
        told.into_iter().find_map(|f| told_twice(program, program.fluent(f), opening))
    {
        return Err(vec![fault]);
    }
    for (fluent, (told, empty)) in
        program.fluents.iter().zip(facts.maps.iter().zip(&rules.empty.maps))
    {
        for (keys, value) in told.iter().filter(|(keys, value)| empty.get(*keys) != Some(value)) {
            let value = matches!(fluent.shape, FluentShape::Map { .. }).then_some(*value);
            let row: Vec<Value> = keys.iter().copied().chain(value).collect();
            tables.add(fluent.init, &row);
        }
    }
    Ok(())
}

fn told_twice(program: &Program, fluent: &Fluent, opening: &Opening) -> Option<Diagnostic> {
    let first = program.relation(fluent.init).clauses.first()?;
    let columns = fluent.keys.len() + usize::from(matches!(fluent.shape, FluentShape::Map { .. }));
    let form = match columns {
        0 => fluent.name.clone(),
        _ => format!("{}({})", fluent.name, vec!["_"; columns].join(", ")),
    };
    let text = format!("the opening of `{}` is told twice", fluent.name);
    Some(
        Diagnostic::error("duplicate-opening", text)
            .at(opening.span, "by this position")
            .at(program.clause(*first).span, "and by this clause")
            .hint(format!("drop one of them; a variant writes `:- redefine init({form}).`")),
    )
}
