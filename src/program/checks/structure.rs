//! Every game needs a `move` clause and a way to end, and the heads that the interpreter reads must
//! have the right form.

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{Goal, GoalKind, Kind, Program, Term};
use crate::source::Span;

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    if program.part {
        return;
    }
    let whole = program.sources.iter().next().map_or(Span::NONE, |(id, file)| {
        Span::new(id, 0, file.text.lines().next().map_or(0, str::len))
    });
    match program.special.moves {
        None => diagnostics.push(no_move(program, whole)),
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
            let clauses = relation.clauses.iter().map(|id| program.clause(*id));
            let Some((clause, update)) =
                clauses.filter_map(|clause| Some((clause, update(program, &clause.body)?))).next()
            else {
                continue;
            };
            diagnostics.push(
                Diagnostic::error("misplaced-update", format!("`{name}` may not change the state"))
                    .at(update, "this changes it")
                    .at(clause.head_span, "a clause that is only asked, never played")
                    .hint("updates belong into `move` and `chance` clauses"),
            );
        }
    }
}

/// The first goal that changes the state, itself or by what it calls.
fn update(program: &Program, body: &Goal) -> Option<Span> {
    let mut found = None;
    body.walk(&mut |goal| {
        let acts = match &goal.kind {
            GoalKind::Call(id, _) => program.relation(*id).kind == Kind::Action,
            _ => goal.is_update(),
        };
        if acts && found.is_none() {
            found = Some(goal.span);
        }
    });
    found
}

/// The fault of a game without `move/1`.
fn no_move(program: &Program, whole: Span) -> Diagnostic {
    let d = Diagnostic::error("no-move", "the file has no `move` clause");
    let other = program.relations.iter().find(|r| r.name == "move" && !r.clauses.is_empty());
    if let Some(other) = other {
        return d
            .at(program.clause(other.clauses[0]).head_span, format!("`{}`", other.indicator()))
            .hint(
                "a move is the one argument of `move`, as in `move(place(C)) :- …`; `turn(Me)` asks \
                 who is to move",
            );
    }
    let d = d.at(whole, "nobody could ever move");
    let names = program.relations.iter().map(|r| r.name.as_str());
    match nearest("move", names.filter(|n| *n != "mover")) {
        Some(near) => d.hint(format!("there is `{near}`; moves are clauses of `move/1`")),
        None => d.hint("write one, e.g. `move(place(C)) :- cell(C), turn(Me), at(C) := Me.`"),
    }
}
