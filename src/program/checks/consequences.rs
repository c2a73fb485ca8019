//! Faults that only follow from another fault are not told: a clause with an unknown goal has
//! unbound variables because of it, a relation with such a clause seems to need its arguments, and
//! what a missing file would define is unknown.

use crate::diagnostic::Diagnostic;
use crate::program::{GoalKind, Program};
use crate::source::Span;

/// What follows from a goal that could not be understood.
const OF_A_CLAUSE: [&str; 2] = ["unbound-variable", "singleton"];

/// What may be defined in a file that could not be read.
const OF_A_FILE: [&str; 8] = [
    "unknown-relation",
    "unknown-domain",
    "unknown-state",
    "update-target",
    "unknown-parameter",
    "no-players",
    "no-move",
    "no-end",
];

/// Takes the consequences out of the list.
pub(super) fn drop(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
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
    let unread = diagnostics.iter().any(|d| matches!(d.code, "missing-include" | "include-cycle"));
    let unparsed = diagnostics.iter().any(|d| d.code.starts_with("syntax"));
    diagnostics.retain(|d| {
        let of_clause =
            OF_A_CLAUSE.contains(&d.code) && clause_of(d).is_some_and(|c| broken.contains(&c));
        let of_file = unread && OF_A_FILE.contains(&d.code);
        let of_syntax = unparsed && d.code == "unknown-relation" && begins_a_line(program, d);
        let of_call = d.code == "unbound-variable" && calls(program, d, &relations);
        !(of_clause || of_call || of_file || of_syntax)
    });
}

/// For each relation: does it have a broken clause, or call one that does?
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

/// Is the goal that a diagnostic marks a call of one of these relations?
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

/// Does some line of the same file begin with the name that the diagnostic speaks of? Then it is
/// most likely defined in a clause that could not be read.
fn begins_a_line(program: &Program, d: &Diagnostic) -> bool {
    let Some(label) = d.labels.first() else { return false };
    let text = program.sources.text(label.span);
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let Some(file) = program.sources.get(label.span.file) else { return false };
    !name.is_empty() && file.text.lines().any(|line| line.starts_with(&name))
}
