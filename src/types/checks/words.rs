//! Other words for names of the game: the name is one of a player, a piece, a site or another value of the state or of
//! moves, and the word is letters alone and no such name.
//!
//! Wrong: `alias(genral, king).`; `alias(general, chariot).`

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{OtherWord, Value};
use crate::source::FileId;
use crate::types::Domain;

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let others = facts.program.other_words(&facts.program.values);
    if others.is_empty() {
        return;
    }
    let names = names(facts);
    for OtherWord { clause, name: own, word } in others {
        if clause.head_span.file != FileId(0) {
            continue;
        }
        let warn = |text: String, label: &str| {
            Diagnostic::warning("notation-form", text).at(clause.head_span, label)
        };
        let d = if !names.contains(own) {
            let d = warn(
                format!("`{own}` is no name of a player, a piece or another value"),
                "what is typed for it would mean nothing",
            );
            match nearest(own, names.iter().map(String::as_str)) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("write first the game's own name: `alias(general, king)`"),
            }
        } else if names.contains(word) {
            warn(format!("`{word}` is a name of this game itself"), "so it never means another one")
                .hint("write behind the game's own name a word that it does not have")
        } else if word.is_empty() || !word.chars().all(char::is_alphabetic) {
            warn(format!("`{word}` is no word"), "a word is letters alone")
                .hint("another notation of a move is a list: `alias(go(A, B), [A, \"~\", B])`")
        } else {
            continue;
        };
        warnings.push(d);
    }
}

/// The names of players, of forms of moves, of the values of the state and of moves, and of the parts of these.
fn names(facts: &Checked<'_>) -> BTreeSet<String> {
    let program = facts.program;
    let mut names = BTreeSet::new();
    program.named_players().for_each(|player| add(facts, player, &mut names));
    let moves = facts.types.moves.iter().flat_map(|(_, domains)| domains);
    let state = facts.types.fluents.iter().flatten();
    names.extend(facts.types.moves.iter().map(|(form, _)| form.clone()));
    let all: Vec<&Domain> = moves.chain(state).chain([&facts.types.items]).collect();
    for domain in all {
        domain.constants.iter().for_each(|id| add(facts, Value::Constant(id), &mut names));
    }
    names
}

fn add(facts: &Checked<'_>, value: Value, names: &mut BTreeSet<String>) {
    let values = &facts.program.values;
    match values.functor(value) {
        Some((name, args)) if !args.is_empty() => {
            names.insert(name.to_string());
            args.iter().for_each(|arg| add(facts, *arg, names));
        }
        _ => {
            names.insert(values.show(value));
        }
    }
}
