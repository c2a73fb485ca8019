//! Clauses that can never fire: one of their static goals has no answer, whatever the position.
//!
//! Clauses that depend on an option are left out, since they are meant to drop out.
//!
//! Wrong: `move(place(C)) :- corner(C), side(north, C), at(C) := x.` where no side is `north`.

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{GoalKind, Kind, Optional, Program, RelationId, Term, Value};
use crate::source::FileId;

/// Warnings for clauses that can never fire.
pub fn check_dead(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let optional = Optional::of(program);
    let mut warnings = Vec::new();
    // included files serve other games as well
    for clause in program.clauses.iter().filter(|c| c.span.file == FileId(0)) {
        for goal in clause.body.conjuncts() {
            let fault = match &goal.kind {
                GoalKind::Fail => Some(("this goal never holds".to_string(), None)),
                GoalKind::Call(id, args)
                    if program.relation(*id).kind == Kind::Static
                        && program.relation(*id).name != "option"
                        && !optional.relation(*id) =>
                {
                    unanswered(program, tables, *id, args)
                }
                _ => None,
            };
            let Some((text, near)) = fault else { continue };
            let d = Diagnostic::warning("never-fires", "this clause can never fire")
                .at(goal.span, text)
                .at(clause.head_span, "so this never holds by this clause");
            warnings.push(match near {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("correct the goal, or take the clause out"),
            });
            break;
        }
    }
    warnings
}

type Fault = (String, Option<String>);

/// Why a call of a static relation has no answer: no facts, or none with these constants.
fn unanswered(program: &Program, tables: &Tables, id: RelationId, args: &[Term]) -> Option<Fault> {
    let table = tables.get(id);
    let name = &program.relation(id).name;
    if !tables.asks(id) {
        // the clause calls it only under another option
        return None;
    }
    if table.is_empty() {
        return Some((format!("`{name}` has no answer at all"), None));
    }
    let constants: Vec<(usize, Value)> = args
        .iter()
        .enumerate()
        .filter_map(|(i, t)| match t {
            Term::Constant(value) => Some((i, *value)),
            _ => None,
        })
        .collect();
    if constants.is_empty() || table.rows().any(|row| constants.iter().all(|(i, v)| row[*i] == *v))
    {
        return None;
    }
    let shown: Vec<String> = constants.iter().map(|(_, v)| program.values.show(*v)).collect();
    let near = constants.iter().find_map(|(i, value)| {
        let known: Vec<String> = table.column(*i).iter().map(|v| program.values.show(*v)).collect();
        let text = program.values.show(*value);
        if known.contains(&text) {
            return None;
        }
        nearest(&text, known.iter().map(String::as_str)).map(str::to_string)
    });
    Some((format!("`{name}` has no answer with `{}`", shown.join("`, `")), near))
}
