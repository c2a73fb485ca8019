//! A variable that occurs once in its clause is most often a typing error.
//!
//! Wrong: `move(place(C)) :- cell(P), empty(C).` Right: use it twice, or call it `_P` or `_`.

use crate::diagnostic::Diagnostic;
use crate::program::{GoalKind, Program, VariableId};
use crate::source::Span;

/// Warns of each, except where an error is told of it.
pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let told = |diagnostics: &[Diagnostic], span: Span| {
        let mut unbound = diagnostics.iter().filter(|d| d.code == "unbound-variable");
        unbound.any(|d| d.labels.first().is_some_and(|label| label.span == span))
    };
    for clause in &program.clauses {
        let mut counts = vec![0usize; clause.variables.len()];
        let mut count = |v: VariableId| counts[v.0 as usize] += 1;
        clause.head.iter().for_each(|t| t.each_variable(&mut count));
        clause.body.each_variable(&mut count);
        for (variable, count) in clause.variables.iter().zip(counts) {
            // a variable in several branches has an id for each
            let alone = clause.variables.iter().filter(|v| v.name == variable.name).count() == 1;
            let single = count == 1 && alone && !variable.name.starts_with('_');
            if single && !told(diagnostics, variable.span) {
                let name = &variable.name;
                let hint = match clause.body.kind {
                    GoalKind::True => {
                        let small = name.to_lowercase();
                        format!(
                            "if a name is meant, write `{small}`; if it does not matter, `_` or `_{name}`"
                        )
                    }
                    _ => format!("if it does not matter, write `_` or `_{name}`"),
                };
                diagnostics.push(
                    Diagnostic::warning(
                        "singleton",
                        format!("`{name}` occurs only once in its clause"),
                    )
                    .at(variable.span, "used nowhere else")
                    .hint(hint),
                );
            }
        }
    }
}
