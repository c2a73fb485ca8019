//! The checker: one check per file, each with an example of the mistake in its documentation.
//!
//! These checks need the program alone. Those that also need the tables of the static relations
//! (domains, clauses that can never fire) are in `types/`.

pub(super) mod after;
mod boards;
mod consequences;
mod constant;
mod equals;
mod looks;
mod notations;
mod singleton;
mod strata;
mod structure;
mod taken_apart;
mod updates;

use crate::diagnostic::Diagnostic;

pub(crate) use updates::acts;

use super::{Checked, LoadRequest, Program, Read, kinds, load, modes, resolve};

/// Reads, resolves and checks a game.
pub fn check(request: &LoadRequest) -> Checked {
    check_read(load(request))
}

/// Resolves and checks a game as read. The result has every fault that can be found without
/// evaluation, and the program if none of them is an error.
pub fn check_read(mut read: Read) -> Checked {
    let mut request_faults = std::mem::take(&mut read.request_faults);
    let unreadable = read.sources.iter().next().is_none();
    if unreadable {
        return Checked {
            program: None,
            sources: read.sources,
            diagnostics: Vec::new(),
            request_faults,
        };
    }
    let broken = read.diagnostics.iter().any(Diagnostic::is_error);
    let (mut program, mut diagnostics, unread) = resolve::resolve(read);
    kinds::classify(&mut program);
    diagnostics.extend(modes::infer(&mut program));
    run(&program, broken, &mut diagnostics);
    consequences::drop(&program, &unread, &mut diagnostics);
    boards::tell(&program, &unread.missing, &mut diagnostics);
    diagnostics.sort_by_key(|d| d.labels.first().map(|l| (l.span.file, l.span.start)));
    // a clause that lets several goals down is told once
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    diagnostics.dedup_by(|a, b| *a == *b || (place(a), &a.message) == (place(b), &b.message));
    let sources = program.sources.clone();
    let right = request_faults.is_empty() && !diagnostics.iter().any(Diagnostic::is_error);
    request_faults.dedup();
    Checked { program: right.then_some(program), sources, diagnostics, request_faults }
}

fn run(program: &Program, broken: bool, diagnostics: &mut Vec<Diagnostic>) {
    singleton::check(program, diagnostics);
    strata::check(program, diagnostics);
    updates::check(program, diagnostics);
    after::check(program, diagnostics);
    constant::check(program, diagnostics);
    taken_apart::check(program, diagnostics);
    equals::check(program, diagnostics);
    if !broken {
        structure::check(program, diagnostics);
        notations::check(program, diagnostics);
        looks::check(program, diagnostics);
    }
}
