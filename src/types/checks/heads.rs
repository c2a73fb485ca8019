//! Clauses whose heads speak of what there is not, so that the program never asks for them: a rank of no move, an
//! end for no player, a letter of no piece, a field of a position that tells a value outside of its domain.
//!
//! Wrong: `rank(jmup(_), 1).`; `lose(wite) :- stuck.`; `letter(king(wite), "K").`

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{Clause, Constant, FluentId, FluentShape, RelationId, Term, Value};
use crate::types::Domain;

use super::{Checked, holds};

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    players(facts, warnings);
    moves(facts, warnings);
    values(facts, warnings);
    told(facts, warnings);
    letters(facts, warnings);
}

/// The clauses of the game's own file that define one of these relations and are the same under all options.
fn of<'c>(
    facts: &'c Checked<'_>,
    ids: impl IntoIterator<Item = Option<RelationId>>,
) -> impl Iterator<Item = &'c Clause> {
    let ids: Vec<RelationId> = ids.into_iter().flatten().collect();
    facts.clauses().map(|(_, clause)| clause).filter(move |c| ids.contains(&c.relation))
}

fn warn(facts: &Checked<'_>, clause: &Clause, text: String, known: &[String]) -> Diagnostic {
    let d = facts.idle(clause, text);
    let shown = |names: &[String]| {
        let more = if names.len() > 5 { ", …" } else { "" };
        let some: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
        let are = if some.len() == 1 { "is" } else { "are" };
        format!("there {are} `{}`{more}", some.join("`, `"))
    };
    match known.is_empty() {
        true => d.hint("take the clause out"),
        false => d.hint(shown(known)),
    }
}

/// Ends, scores, values and prompts are for players.
fn players(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    let special = &program.special;
    let find = |name: &str| program.find_relation(name, 1);
    let ids = [find("win"), find("lose"), special.score, special.value, special.prompt_to];
    let known: Vec<Value> = program.named_players().collect();
    let names: Vec<String> = known.iter().map(|p| program.values.show(*p)).collect();
    for clause in of(facts, ids) {
        if let Some(Term::Constant(value)) = clause.head.first()
            && !known.contains(value)
        {
            let text = format!("`{}` is no player", program.values.show(*value));
            warnings.push(warn(facts, clause, text, &names));
        }
    }
}

/// Ranks and advice are for moves, weights for chance events.
fn moves(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    let special = &program.special;
    let sorts = [
        ("move", special.moves, [special.rank, special.advice]),
        ("chance event", special.chance, [special.weight, None]),
    ];
    for (what, made, asked) in sorts {
        let clauses = made.map(|id| program.relation(id).clauses.as_slice()).unwrap_or_default();
        let heads = clauses.iter().filter_map(|id| program.clause(*id).head.first());
        let mut forms: Vec<(&str, usize)> =
            heads.filter_map(|head| program.values.form(head)).collect();
        forms.dedup();
        for clause in of(facts, asked) {
            let Some((name, arity)) =
                clause.head.first().and_then(|head| program.values.form(head))
            else {
                continue;
            };
            if forms.contains(&(name, arity)) {
                continue;
            }
            let text = format!("no {what} is `{name}/{arity}`");
            let names: Vec<String> = forms.iter().map(|(n, a)| format!("{n}/{a}")).collect();
            let near = nearest(name, forms.iter().map(|(n, _)| *n));
            let near =
                forms.iter().find(|(n, _)| Some(*n) == near).map(|(n, a)| format!("{n}/{a}"));
            warnings.push(warn(facts, clause, text, &near.map_or(names, |near| vec![near])));
        }
    }
}

/// Letters are for values of the state, sites for what the board has.
fn values(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    let special = &program.special;
    let all = || (0..program.fluents.len()).map(|i| FluentId(i as u32));
    if all().any(|id| !facts.fixed(id)) {
        return;
    }
    let mut kept = Domain::default();
    for id in all() {
        for domain in facts.types.fluent(id) {
            kept.join(domain);
        }
    }
    let value = |clause: &Clause, term: Option<&Term>, kept: &Domain, what: &str| match term {
        Some(Term::Constant(value)) if !holds(kept, *value) => {
            let shown = program.values.show(*value);
            let names = kept.constants.iter().map(|id| program.values.show(Value::Constant(id)));
            let names: Vec<String> = names.collect();
            let near = nearest(&shown, names.iter().map(String::as_str));
            let near: Vec<String> = near.into_iter().map(str::to_string).collect();
            Some(warn(facts, clause, format!("`{shown}` is no {what}"), &near))
        }
        _ => None,
    };
    for clause in of(facts, [special.letter]) {
        warnings.extend(value(clause, clause.head.first(), &kept, "value of the state"));
    }
    // what is drawn between sites, or instead of a value, is no part of the state
    if special.shows.is_none() && special.between.is_none() {
        for clause in of(facts, [special.glyph, special.figure]) {
            let players = Domain::of(program.named_players());
            let mut drawn = kept.clone();
            drawn.join(&players);
            warnings.extend(value(clause, clause.head.first(), &drawn, "value of the state"));
        }
    }
    let Some(xy) = special.xy.filter(|xy| !facts.optional.relation(*xy)) else { return };
    let sites = facts.types.column(xy, 0);
    for clause in of(facts, [special.shaded, special.shows, special.position_mark]) {
        warnings.extend(value(clause, clause.head.first(), sites, "site of the board"));
    }
}

/// Fields, marks and items of positions tell values and keys of the declared domains.
fn told(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    let special = &program.special;
    let columns =
        [(special.position_field, 2), (special.position_mark, 2), (special.position_item, 4)];
    for (id, column) in columns {
        for clause in of(facts, [id]) {
            let Some((name, args)) =
                clause.head.get(column).and_then(|fact| program.values.parts(fact))
            else {
                continue;
            };
            let fluent = program.fluents.iter().position(|f| {
                let value = usize::from(matches!(f.shape, FluentShape::Map { .. }));
                f.name == name && f.keys.len() + value == args.len()
            });
            let Some(fluent) = fluent.map(|i| FluentId(i as u32)).filter(|id| facts.fixed(*id))
            else {
                continue;
            };
            let domains = facts.types.fluent(fluent);
            let wrong = args.iter().zip(domains).find_map(|(arg, domain)| match arg {
                Term::Constant(value) if !holds(domain, *value) => Some(*value),
                _ => None,
            });
            if let Some(value) = wrong {
                let shown = program.values.show(value);
                let text = format!("`{shown}` is no key or value of `{name}`");
                warnings.push(warn(facts, clause, text, &[]));
            }
        }
    }
}

/// A letter is a text that cannot be taken for anything else in a position, and stands for one value.
fn letters(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    let mut known: Vec<(String, &Clause)> = Vec::new();
    for clause in of(facts, [program.special.letter]) {
        let [Term::Constant(_), Term::Constant(Value::Constant(letter))] = clause.head.as_slice()
        else {
            continue;
        };
        let Constant::Text(letter) = program.values.get(*letter) else { continue };
        let taken = |c: char| c.is_whitespace() || c.is_ascii_digit() || "./,:[]·".contains(c);
        if letter.is_empty() || &**letter == "-" || letter.contains(taken) {
            warnings.push(
                Diagnostic::warning("position-form", format!("`\"{letter}\"` is no letter"))
                    .at(clause.head_span, "a position with it cannot be read")
                    .hint(
                        "write a text without blanks, digits, `.`, `/`, `,`, `:` and brackets, such \
                         as \"K\"",
                    ),
            );
        }
        match known
            .iter()
            .find(|(text, first)| **text == **letter && first.head[0] != clause.head[0])
        {
            Some((_, first)) => warnings.push(
                Diagnostic::warning(
                    "position-form",
                    format!("`\"{letter}\"` stands for two values"),
                )
                .at(clause.head_span, "here for the second, which is never read")
                .at(first.head_span, "here for the first")
                .hint("give each value a letter of its own"),
            ),
            None => known.push((letter.to_string(), clause)),
        }
    }
}
