//! Removes faults that only follow from another fault: a clause with an unknown goal has unbound
//! variables because of it, a relation with such a clause seems to need its arguments bound, and
//! the names that a missing file defines are unknown.

use crate::diagnostic::Diagnostic;
use crate::program::unread::{self, Unread};
use crate::program::{GoalKind, Program};
use crate::source::Span;

/// Faults that follow from a goal that could not be resolved.
const OF_A_CLAUSE: [&str; 2] = ["unbound-variable", "singleton"];

/// Faults that follow from a file that could not be read.
const OF_A_FILE: [&str; 11] = [
    "unknown-relation",
    "unknown-domain",
    "unknown-option",
    "unknown-redefine",
    "unknown-state",
    "not-a-number",
    "update-target",
    "unknown-parameter",
    "no-players",
    "no-move",
    "no-end",
];

/// Faults that follow from a wrong declaration of the name at the beginning of the marked text.
const OF_A_NAME: [&str; 8] = [
    "unknown-relation",
    "wrong-arity",
    "unknown-domain",
    "unknown-option",
    "unknown-redefine",
    "unknown-state",
    "not-a-number",
    "update-target",
];

/// The same for a name anywhere in the marked text.
const WITH_A_NAME: [&str; 2] = ["state-form", "unknown-parameter"];

/// Removes the consequences from the list.
pub(super) fn drop(program: &Program, unread: &Unread, diagnostics: &mut Vec<Diagnostic>) {
    let clauses: Vec<Span> = program.clauses.iter().map(|c| c.span).collect();
    let clause_of = |d: &Diagnostic| {
        let label = d.labels.first()?.span;
        clauses
            .iter()
            .copied()
            .find(|c| c.file == label.file && c.start <= label.start && label.end <= c.end)
    };
    let broken: Vec<Span> = diagnostics
        .iter()
        .filter(|d| d.is_error() && !OF_A_CLAUSE.contains(&d.code))
        .filter_map(clause_of)
        .collect();
    let relations = relations(program, &broken);
    let lost = diagnostics.iter().any(|d| matches!(d.code, "missing-include" | "include-cycle"));
    let all = diagnostics.clone();
    diagnostics.retain(|d| {
        let of_clause =
            OF_A_CLAUSE.contains(&d.code) && clause_of(d).is_some_and(|c| broken.contains(&c));
        let of_file = (lost || unread.file) && OF_A_FILE.contains(&d.code);
        let of_players = unread.players && d.code == "no-players";
        let of_call = d.code == "unbound-variable" && calls(program, d, &relations);
        !(of_clause || of_call || of_file || of_players || of_name(program, unread, d))
    });
    redefined(program, unread, diagnostics);
    // a cause is always reported
    if !diagnostics.iter().any(Diagnostic::is_error) {
        *diagnostics = all;
    }
}

/// Reports once that a name is redefined and not defined again, in place of a fault for each use.
fn redefined(program: &Program, unread: &Unread, diagnostics: &mut Vec<Diagnostic>) {
    let anew = |name: &String| program.relations.iter().any(|r| r.name == *name);
    for (name, span) in unread.redefined.iter().filter(|(name, _)| !anew(name)) {
        let misses = |d: &Diagnostic| {
            let text = d.labels.first().map_or("", |label| program.sources.text(label.span));
            OF_A_NAME.contains(&d.code)
                && d.code != "unknown-redefine"
                && unread::subject(text) == Some(name)
        };
        let missed: Vec<Diagnostic> = diagnostics.extract_if(.., |d| misses(d)).collect();
        let Some(first) = missed.iter().flat_map(|d| &d.labels).next() else { continue };
        diagnostics.push(
            Diagnostic::error(
                "unknown-relation",
                format!("`{name}` is redefined, but no clause defines it again"),
            )
            .at(*span, "drops what was read before")
            .at(first.span, "is used here")
            .hint("behind the `redefine` write its clauses, or declare it with `:- state`"),
        );
    }
}

/// Whether the diagnostic is about a name that an unreadable text would have declared.
fn of_name(program: &Program, unread: &Unread, d: &Diagnostic) -> bool {
    let text = d.labels.first().map_or("", |label| program.sources.text(label.span));
    OF_A_NAME.contains(&d.code) && unread.begins(text)
        // a `redefine` that could not be read
        || d.code == "duplicate-state" && unread.holds(text)
        || WITH_A_NAME.contains(&d.code) && unread.named_in(text)
}

/// For each relation, whether it has a broken clause, or calls a relation that does.
fn relations(program: &Program, broken: &[Span]) -> Vec<bool> {
    let mut found = vec![false; program.relations.len()];
    for clause in program.clauses.iter().filter(|c| broken.contains(&c.span)) {
        found[clause.relation.0 as usize] = true;
    }
    for component in &program.graph.components {
        let any = component.iter().any(|id| {
            let called = program.graph.calls(*id).any(|(used, _)| found[used.0 as usize]);
            called || found[id.0 as usize]
        });
        component.iter().for_each(|id| found[id.0 as usize] = any);
    }
    found
}

/// Whether the goal that a diagnostic marks is a call of one of these relations.
fn calls(program: &Program, d: &Diagnostic, relations: &[bool]) -> bool {
    let Some(label) = d.labels.first() else { return false };
    let mut found = false;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            if let GoalKind::Call(id, _) = &goal.kind {
                found |= goal.span == label.span && relations[id.0 as usize];
            }
        });
    }
    found
}
