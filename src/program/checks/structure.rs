//! Every game needs a `move` clause and a way to end, and the heads that the interpreter reads must
//! have the right form.

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{Kind, Program, Term};
use crate::source::Span;

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    if program.part {
        return;
    }
    let whole = program.sources.iter().next().map_or(Span::NONE, |(id, file)| {
        Span::new(id, 0, file.text.lines().next().map_or(0, str::len))
    });
    match program.special.moves {
        None => {
            let names: Vec<&str> = program.relations.iter().map(|r| r.name.as_str()).collect();
            let d = Diagnostic::error("no-move", "the file has no `move` clause")
                .at(whole, "nobody could ever move");
            diagnostics.push(
                match nearest("move", names.iter().copied().filter(|n| *n != "mover")) {
                    Some(near) => {
                        d.hint(format!("there is `{near}`; moves are clauses of `move/1`"))
                    }
                    None => d.hint(
                        "write one, e.g. `move(place(C)) :- cell(C), turn(Me), at(C) := Me.`",
                    ),
                },
            );
        }
        Some(id) => {
            for clause in &program.relation(id).clauses {
                let clause = program.clause(*clause);
                let named = match &clause.head[0] {
                    Term::Compound(..) => true,
                    Term::Constant(value) => program.values.functor(*value).is_some(),
                    _ => false,
                };
                if !named {
                    diagnostics.push(
                        Diagnostic::error("move-form", "a move must have a name")
                            .at(clause.head_span, "expected a name with arguments")
                            .hint("write `move(slide(P, Q)) :- …` or `move(pass) :- …`"),
                    );
                }
            }
        }
    }
    if program.ends.is_empty() {
        diagnostics.push(
            Diagnostic::error("no-end", "the file has no clause that ends the game")
                .at(whole, "neither `win/1`, `lose/1`, `draw/0` nor `over/0` is defined")
                .hint("write one, e.g. `lose(P) :- stuck, turn(P).`"),
        );
    }
    let special = &program.special;
    if let Some(over) = program.find_relation("over", 0)
        && special.score.is_none()
    {
        diagnostics.push(
            Diagnostic::error("no-score", "the game ends with `over`, but there is no `score/2`")
                .at(program.relation(over).span, "the score decides then")
                .hint("write `score(P, N) :- …`, or end the game with `win`, `lose` or `draw`"),
        );
    }
    for (name, id) in [
        ("rank", special.rank),
        ("weight", special.weight),
        ("score", special.score),
        ("value", special.value),
        ("notation", special.notation),
        ("notation", special.style),
        ("suffix", special.suffix),
        ("status", special.status),
        ("status", special.status_item),
        ("alias", special.alias),
        ("says", special.says),
        ("win", program.find_relation("win", 1)),
        ("lose", program.find_relation("lose", 1)),
        ("draw", program.find_relation("draw", 0)),
        ("over", program.find_relation("over", 0)),
    ] {
        let Some(id) = id else { continue };
        let relation = program.relation(id);
        if relation.kind == Kind::Action {
            let clause = program.clause(relation.clauses[0]);
            diagnostics.push(
                Diagnostic::error("misplaced-update", format!("`{name}` may not change the state"))
                    .at(clause.head_span, "its clauses are only asked, never played")
                    .hint("updates belong into `move` and `chance` clauses"),
            );
        }
    }
}
