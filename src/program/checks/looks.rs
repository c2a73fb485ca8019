//! The looks of boards that there are.
//!
//! Wrong: `look(dots).`

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{Constant, Kind, Program, Term, Value};

/// The names that `look/1` may have.
const LOOKS: [&str; 4] = ["squares", "checkered", "points", "bare"];

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let Some(relation) = program.special.look.map(|id| program.relation(id)) else { return };
    if relation.kind != Kind::Static {
        return;
    }
    for clause in relation.clauses.iter().map(|id| program.clause(*id)) {
        let found = match clause.head.first() {
            Some(Term::Constant(Value::Constant(id))) => match program.values.get(*id) {
                Constant::Atom(name) => name,
                _ => "",
            },
            // a name that its goals find
            Some(Term::Variable(_)) => continue,
            _ => "",
        };
        if LOOKS.contains(&found) {
            continue;
        }
        let all = LOOKS.map(|look| format!("`{look}`")).join(", ");
        let d = Diagnostic::error("look-form", "a board has no such look")
            .at(clause.head_span, format!("the looks are {all}"));
        diagnostics.push(match nearest(found, LOOKS) {
            Some(near) => d.hint(format!("did you mean `{near}`?")),
            None => d.hint("write for instance `look(checkered).`"),
        });
    }
}
