//! State that nothing updates is constant, and state that nothing reads is not needed.
//!
//! Wrong: `:- state turns -> 0..9 = 0.` with `turns += 1` in the moves and no goal that asks for it.

use crate::diagnostic::Diagnostic;
use crate::program::{Expression, Fluent, FluentId, FluentShape, GoalKind, Kind, Program};
use crate::source::FileId;
use crate::syntax;

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    if program.part {
        return;
    }
    let mut updated = vec![false; program.fluents.len()];
    let mut read = vec![false; program.fluents.len()];
    let mut compared = false;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            match &goal.kind {
                GoalKind::Call(id, _) => {
                    if let Kind::Fluent(fluent) = program.relation(*id).kind {
                        read[fluent.0 as usize] = true;
                    }
                }
                GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_) => compared = true,
                _ => {}
            }
            if let Some((fluent, _)) = goal.updated() {
                updated[fluent.0 as usize] = true;
            }
            // reading a map to increment it does not count
            let own = match &goal.kind {
                GoalKind::AssignNumber(fluent, ..) => Some(*fluent),
                _ => None,
            };
            goal.expressions().into_iter().for_each(|e| reads(e, own, &mut read));
        });
    }
    for example in &program.examples {
        asked(program, &example.goal, &mut read);
    }
    // the values at the sites are drawn
    let drawn = program.fluents.iter().position(|f| f.keys.len() == 1 && f.name != "turn");
    for (number, fluent) in program.fluents.iter().enumerate().skip(3) {
        if fluent.span.file != FileId(0) {
            continue;
        }
        if !updated[number] && !varies(facts, FluentId(number as u32)) {
            warnings.push(
                Diagnostic::warning("unchanged-state", format!("`{}` never changes", fluent.name))
                    .at(fluent.span, "no clause updates it")
                    .hint(match fluent.keys.is_empty() {
                        true => "update it in a move, or write its value where it is asked for",
                        false => "update it in a move, or make it a relation of facts",
                    }),
            );
        } else if !read[number] && Some(number) != drawn && (fluent.aside || !compared) {
            warnings.push(
                Diagnostic::warning("unread-state", format!("`{}` is never read", fluent.name))
                    .at(fluent.span, "no goal asks for it")
                    .hint("ask for it in a clause, or take it out with its updates"),
            );
        }
    }
}

/// Whether options may change its content in the opening.
fn varies(facts: &Checked<'_>, id: FluentId) -> bool {
    let fluent: &Fluent = facts.program.fluent(id);
    let text = facts.program.sources.text(fluent.span);
    let initial = matches!(fluent.shape, FluentShape::Map { initial: Some(_), .. });
    facts.optional.relation(fluent.init) || initial && text.contains("option(")
}

fn reads(e: &Expression, own: Option<FluentId>, read: &mut [bool]) {
    match e {
        Expression::Fluent(fluent, _) if Some(*fluent) != own => read[fluent.0 as usize] = true,
        Expression::Operation(_, args) => args.iter().for_each(|a| reads(a, own, read)),
        _ => {}
    }
}

/// Marks the fluents that an example mentions.
fn asked(program: &Program, term: &syntax::Term, read: &mut [bool]) {
    if let Some((name, args)) = term.functor() {
        for (number, fluent) in program.fluents.iter().enumerate() {
            read[number] |= fluent.name == name;
        }
        args.iter().for_each(|t| asked(program, t, read));
    }
    if let syntax::TermKind::List(items, _) = &term.kind {
        items.iter().for_each(|t| asked(program, t, read));
    }
}
