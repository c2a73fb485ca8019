//! The opening and the fixed parts of the drawing are evaluated before play: they cannot depend on
//! a position.
//!
//! Wrong: `init(at(C, P)) :- corner(C), turn(P).`

use crate::diagnostic::Diagnostic;
use crate::program::{Kind, Program};

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    let drawn = [special.xy, special.drawn, special.curved, special.look, special.shaded];
    let drawn = drawn.into_iter().chain([special.source, special.family]).flatten();
    let inits = program.fluents.iter().map(|f| f.init);
    for id in inits.chain(drawn) {
        let relation = program.relation(id);
        // one that needs an argument bound has its own fault
        if relation.kind == Kind::Static || relation.needs_bound.contains(&true) {
            continue;
        }
        let what = match relation.name.strip_prefix("init ") {
            Some(fluent) => format!("the opening of `{fluent}`"),
            None => format!("`{}`", relation.name),
        };
        let used =
            program.graph.calls(id).find(|(to, _)| program.relation(*to).kind != Kind::Static);
        let (span, text) = match used {
            Some((to, d)) => (d.span, format!("`{}` does", program.relation(to).indicator())),
            None => (relation.span, "this does".to_string()),
        };
        diagnostics.push(
            Diagnostic::error("not-static", format!("{what} must not depend on the position"))
                .at(span, text)
                .hint("it is evaluated once, before the first move: use static relations alone"),
        );
    }
}
