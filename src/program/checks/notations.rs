//! The clauses that say how moves, positions and games are written: a notation has a name, and what they speak
//! of are moves, parts of the state, formats and options that there are.
//!
//! Wrong: `notation(Style, mark(C), [C]).`; `notation(marc(C), [C]).` where the moves are `mark(C)`.

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{Clause, Constant, Program, RelationId, Term, Value};
use crate::source::FileId;

/// The formats in which games are exchanged with other programs.
const RECORD_FORMATS: [&str; 4] = ["pgn", "pdn", "sgf", "moves"];

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    if program.part {
        return;
    }
    let special = &program.special;
    let mut styles: Vec<&str> = Vec::new();
    for clause in clauses(program, special.style) {
        match style(program, clause) {
            Some(name) => styles.push(name),
            None => diagnostics.push(unnamed(clause)),
        }
    }
    for clause in clauses(program, special.suffix) {
        match style(program, clause) {
            None => diagnostics.push(unnamed(clause)),
            Some(name) if styles.contains(&name) => {}
            Some(name) => {
                let text = format!("there is no notation called `{name}`");
                let d = Diagnostic::error("notation-form", text)
                    .at(clause.head_span, "nothing is written with this suffix");
                diagnostics.push(match nearest(name, styles.iter().copied()) {
                    Some(near) => d.hint(format!("did you mean `{near}`?")),
                    None => d.hint(format!("write clauses of `notation({name}, Move, Parts)`")),
                });
            }
        }
    }
    forms(program, diagnostics);
    empty(program, diagnostics);
    records(program, &styles, diagnostics);
    facts(program, diagnostics);
}

fn clauses(program: &Program, id: Option<RelationId>) -> impl Iterator<Item = &Clause> {
    let ids = id.map(|id| program.relation(id).clauses.as_slice()).unwrap_or_default();
    ids.iter().map(|id| program.clause(*id))
}

/// The name of the notation that a clause describes.
fn style<'p>(program: &'p Program, clause: &Clause) -> Option<&'p str> {
    name(program, clause.head.first()?)
}

fn name<'p>(program: &'p Program, term: &Term) -> Option<&'p str> {
    match term {
        Term::Constant(Value::Constant(id)) => match program.values.get(*id) {
            Constant::Atom(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn unnamed(clause: &Clause) -> Diagnostic {
    Diagnostic::error("notation-form", "a notation must have a name")
        .at(clause.head_span, "the first argument is no name")
        .hint("write e.g. `notation(numbers, step(A, B), [N, \"-\", M]) :- …`")
}

/// Warns of clauses of the game's own file that speak of a move that no clause makes.
fn forms(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    let made = [special.moves, special.chance].into_iter().flat_map(|id| clauses(program, id));
    let made: Vec<(&str, usize)> =
        made.filter_map(|c| program.values.form(c.head.first()?)).collect();
    // a file without moves is told that
    if made.is_empty() {
        return;
    }
    let words = program.other_words(&program.values);
    for (id, column) in [(special.notation, 0), (special.style, 1), (special.alias, 0)] {
        for clause in clauses(program, id).filter(|c| c.head_span.file == FileId(0)) {
            let Some(term) = clause.head.get(column) else { continue };
            let Some((name, arity)) = program.values.form(term).filter(|form| !made.contains(form))
            else {
                continue;
            };
            // another word for a name, which the domains tell
            if words.iter().any(|other| std::ptr::eq(other.clause, clause)) {
                continue;
            }
            let d = Diagnostic::warning("notation-form", format!("no move is `{name}/{arity}`"))
                .at(clause.head_span, "this clause is never asked for");
            let names = made.iter().map(|(name, _)| *name);
            diagnostics.push(match nearest(name, names.filter(|n| *n != name)) {
                Some(near) => d.hint(format!("there is `{near}`")),
                None => d.hint("write the move as in the head of its `move` clause"),
            });
        }
    }
}

/// Warns of moves that the game's own notation writes as nothing.
fn empty(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for clause in clauses(program, program.special.notation) {
        let nothing = match clause.head.get(1) {
            Some(Term::Constant(value)) => {
                match value.constant().map(|id| program.values.get(id)) {
                    Some(Constant::Text(text)) => text.trim().is_empty(),
                    Some(Constant::List(items)) => items.is_empty(),
                    _ => false,
                }
            }
            _ => false,
        };
        if nothing && clause.head_span.file == FileId(0) {
            diagnostics.push(
                Diagnostic::warning("notation-form", "this move is written as nothing")
                    .at(clause.head_span, "nobody can see or type it")
                    .hint("give it a text, such as `\"pass\"`"),
            );
        }
    }
}

/// The formats of records, their notations and the options of their tags.
fn records(program: &Program, styles: &[&str], diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    let mut wrong = |clause: &Clause, text: String, hint: String| {
        let d = Diagnostic::error("notation-form", text).at(clause.head_span, "asked for here");
        diagnostics.push(d.hint(hint));
    };
    for (i, id) in [special.record, special.record_tag].into_iter().enumerate() {
        for clause in clauses(program, id) {
            let Some(format) = style(program, clause).filter(|name| RECORD_FORMATS.contains(name))
            else {
                let known = RECORD_FORMATS.map(|name| format!("`{name}`")).join(", ");
                let text = "there is no such format of games".to_string();
                wrong(clause, text, format!("the formats are {known}"));
                continue;
            };
            let named = clause.head.get(1).and_then(|term| name(program, term));
            if i == 0 && named.is_none_or(|name| !styles.contains(&name)) {
                let text = "there is no notation of this name".to_string();
                let hint = format!(
                    "write `record({format}, Name)`, where `notation(Name, Move, Parts)` describes it"
                );
                wrong(clause, text, hint);
            }
            if i == 1 && !is_tag(program, clause) {
                let text = "this is no tag of a game".to_string();
                let hint = format!(
                    "write `record_tag({format}, \"Name\", \"text\")`, or `option(name)`, \
                     `player(P)` or `moves(P)` in place of the second text"
                );
                wrong(clause, text, hint);
            }
            if let Some(name) = option(program, clause)
                && !program.options.contains_key(name)
            {
                let text = format!("there is no option called `{name}`");
                let hint = match nearest(name, program.options.keys().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("declare it: `:- option {name} -> 1..9 = 3.`"),
                };
                wrong(clause, text, hint);
            }
        }
    }
}

/// Whether the name of a tag is a text, and its value one of those that there are.
fn is_tag(program: &Program, clause: &Clause) -> bool {
    let text = |term: &Term| match term {
        Term::Constant(Value::Constant(id)) => match program.values.get(*id) {
            Constant::Text(text) => Some(&**text),
            _ => None,
        },
        // what its goals find
        _ => matches!(term, Term::Variable(_)).then_some("?"),
    };
    let [_, tag, value] = clause.head.as_slice() else { return true };
    let seat = |player: Option<&Term>| match player {
        Some(Term::Constant(value)) => program.named_players().any(|player| player == *value),
        _ => true,
    };
    let value = match program.values.parts(value) {
        Some(("option", args)) if matches!(args.len(), 1 | 2) => true,
        Some(("player" | "moves", args)) if args.len() == 1 => seat(args.first()),
        _ => text(value).is_some(),
    };
    text(tag).is_some_and(|tag| !tag.is_empty()) && value
}

/// The option of a tag.
fn option<'p>(program: &'p Program, clause: &Clause) -> Option<&'p str> {
    match clause.head.get(2)? {
        Term::Compound(functor, arguments) if functor == "option" => {
            name(program, arguments.first()?)
        }
        Term::Constant(value) => match program.values.functor(*value)? {
            ("option", [first, ..]) => name(program, &Term::Constant(*first)),
            _ => None,
        },
        _ => None,
    }
}

/// What fields, marks and items of positions tell must be a part of the state.
fn facts(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    let positions =
        [(special.position_field, 2), (special.position_mark, 2), (special.position_item, 4)];
    for (id, column) in positions {
        for clause in clauses(program, id) {
            let Some(term) = clause.head.get(column) else { continue };
            let Some((name, arity)) = program.values.form(term) else { continue };
            let known = |f: &crate::program::Fluent| {
                f.name == name && (arity == 0 || program.relation(f.relation).arity == arity)
            };
            if program.fluents.iter().any(known) {
                continue;
            }
            let text = format!("`{name}` is not a part of the state");
            let d = Diagnostic::error("unknown-state", text)
                .at(clause.head_span, "nothing of this name and number of arguments is declared");
            let names = program.fluents.iter().map(|f| f.name.as_str());
            diagnostics.push(match nearest(name, names) {
                Some(near) => d.hint(format!("`{near}` is; a value stands last: `at(C, white)`")),
                None => d.hint("declare it with `:- state`; a value stands last: `at(C, white)`"),
            });
        }
    }
}
