//! The checker: one check per file, each with an example of the mistake in its documentation.
//!
//! These checks need the program alone. Those that also need the tables of the static relations
//! (domains, clauses that can never fire) are in `plan/`.

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
mod updates;

use crate::diagnostic::Diagnostic;

use super::{Checked, LoadRequest, Program, kinds, load, modes, resolve};

/// Reads, resolves and checks a game. The result has every fault that can be found without
/// evaluation, and the program if none of them is an error.
pub fn check(request: &LoadRequest) -> Checked {
    let mut loaded = load(request);
    let mut request_faults = std::mem::take(&mut loaded.request_faults);
    let unreadable = loaded.sources.iter().next().is_none();
    if unreadable {
        return Checked {
            program: None,
            sources: loaded.sources,
            diagnostics: Vec::new(),
            request_faults,
        };
    }
    let broken = loaded.diagnostics.iter().any(Diagnostic::is_error);
    let (mut program, mut diagnostics, unread) = resolve::resolve(loaded);
    kinds::classify(&mut program);
    diagnostics.extend(modes::infer(&mut program));
    run(&program, broken, &mut diagnostics);
    consequences::drop(&program, &unread, &mut diagnostics);
    boards::tell(&program, &unread.missing, &mut diagnostics);
    diagnostics.sort_by_key(|d| d.labels.first().map(|l| (l.span.file, l.span.start)));
    diagnostics.dedup();
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
    equals::check(program, diagnostics);
    if !broken {
        structure::check(program, diagnostics);
        notations::check(program, diagnostics);
        looks::check(program, diagnostics);
    }
}
