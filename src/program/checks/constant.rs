//! The opening and the fixed parts of the drawing are evaluated before play: they cannot depend on
//! a position.
//!
//! Wrong: `init(at(C, P)) :- corner(C), turn(P).`

use crate::diagnostic::Diagnostic;
use crate::program::{Kind, Program, Relation};

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
        if let Kind::Fluent(_) = relation.kind {
            diagnostics.push(named_as_state(relation));
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

/// The diagnostic for a part of the state with the name of a relation that the interpreter asks before play.
fn named_as_state(relation: &Relation) -> Diagnostic {
    let name = &relation.name;
    let says = match (name.as_str(), relation.arity) {
        ("drawn", 2) => "`drawn(A, B)` says between which sites the picture draws lines",
        ("drawn", _) => "`drawn(A, B, C)` says between which sites the picture draws curves",
        ("xy", _) => "`xy(Site, X, Y)` says where a site lies in the picture",
        ("look", _) => "`look(Name)` says how the picture draws the board",
        ("shaded", _) => "`shaded(Site)` says which sites the picture draws darker",
        ("source", _) => "`source(Text)` says where the rules come from",
        _ => "`family(Name)` says to which family the game belongs",
    };
    Diagnostic::error("not-static", format!("no part of the state can have the name `{name}`"))
        .at(relation.span, "declared as state here")
        .hint(format!("{says}, the same in every position: choose another name for the state"))
}
