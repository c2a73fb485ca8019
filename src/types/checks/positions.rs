//! Clauses for fields and items of positions as text that no position is written with, or none can be read with.
//!
//! Wrong: `position_field(100, "w", turn(white)).`; `position_field(4, nmber, quiet).`;
//! `position_field(1, "to move", turn(white)).`

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Constant, Fluent, FluentId, FluentShape, Program, Term, Value};

use super::Checked;

/// The names that stand in a field in place of a text, for a number that the state holds.
const NUMBER: &str = "number";
const ROUND: &str = "round";

/// Why a text cannot be read back, and what to do.
pub(super) type Unreadable = (String, &'static str);

/// The fault of a field's text, where it has one with any fact.
pub(super) fn field_fault(text: &str) -> Option<Unreadable> {
    let fault = ("blanks separate the fields", "give a text without blanks, such as \"w\"");
    text.contains(char::is_whitespace).then(|| (fault.0.to_string(), fault.1))
}

/// The fault of an item's text, where it has one with any fact.
pub(super) fn item_fault(text: &str) -> Option<Unreadable> {
    let fault = ("blanks around an item are skipped", "give a text without blanks at its ends");
    let around = text.trim() != text && !text.is_empty();
    lead_fault(text).or_else(|| around.then(|| (fault.0.to_string(), fault.1)))
}

/// The fault of the text before items.
fn lead_fault(text: &str) -> Option<Unreadable> {
    let fault = ("`:` separates fields, `,` items", "give a text without `:` and `,`");
    text.contains([':', ',']).then(|| (fault.0.to_string(), fault.1))
}

/// The text alone is read as the absence of a field or item.
pub(super) fn tells_nothing() -> Unreadable {
    let why = "a field or item of this text alone tells nothing".to_string();
    (why, "give a text that is not empty and not `-`, such as \"w\"")
}

/// Whether a part of the state has this last argument where a position tells nothing of it.
pub(super) fn holds_untold(program: &Program, name: &str, last: Option<Value>) -> bool {
    let Some(at) = program.fluents.iter().position(|fluent| fluent.name == name) else {
        return true;
    };
    match (&program.fluents[at].shape, last) {
        (FluentShape::Set, _) => false,
        (FluentShape::Map { initial, .. }, Some(value)) => {
            let own = match FluentId(at as u32) {
                FluentId::TURN => program.players.first().copied(),
                FluentId::PLY => Some(Value::Integer(0)),
                _ => *initial,
            };
            own == Some(value)
        }
        _ => true,
    }
}

/// The highest number of a field behind the board.
const LAST_FIELD: i64 = 99;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let special = &facts.program.special;
    for (_, clause) in facts.clauses() {
        let relation = Some(clause.relation);
        if relation == special.position_field {
            warnings.extend(field(facts, clause));
        } else if relation == special.position_item {
            warnings.extend(item(facts, clause));
        }
    }
}

/// A clause of `position_field(N, Text, Fact)`.
fn field(facts: &Checked<'_>, clause: &Clause) -> Option<Diagnostic> {
    let [number, text, fact] = clause.head.as_slice() else { return None };
    if let Some(wrong) = not_in(number, 0, LAST_FIELD) {
        let shown = facts.program.values.show(wrong);
        return Some(facts.idle(clause, format!("`{shown}` is no number of a field")).hint(
            format!(
                "number the fields behind the board from 1 to {LAST_FIELD}; field 0 stands in brackets"
            ),
        ));
    }
    let name = word(facts, text);
    if name == Some(ROUND) {
        return None;
    }
    let bare = bare(facts, fact);
    if name == Some(NUMBER) {
        let Some((id, held)) = bare.filter(|(_, fluent)| single(fluent)) else {
            let text = "`number` writes what a map without keys holds";
            return Some(
                facts
                    .idle(clause, text.to_string())
                    .hint("name such a map: `position_field(4, number, quiet)`"),
            );
        };
        let others = facts.types.fluent(id).iter().any(|domain| !domain.constants.is_empty());
        return others.then(|| {
            let name = &held.name;
            Diagnostic::warning("position-form", format!("`{name}` holds what is no number"))
                .at(clause.head_span, "so a position with this field cannot be read back")
                .hint(format!("write a clause for each value in place of `number`: `{name}(a1)`"))
        });
    }
    unread(facts, clause, bare, bare.is_some_and(|(_, fluent)| single(fluent))).or_else(|| {
        let text = name?;
        if let Some(fault) = field_fault(text) {
            return Some(unreadable(clause, text, fault));
        }
        (text.is_empty() || text == "-").then(|| nothing(facts, clause, text, fact)).flatten()
    })
}

/// A clause of `position_item(Name, N, Lead, Text, Fact)`.
fn item(facts: &Checked<'_>, clause: &Clause) -> Option<Diagnostic> {
    let [_, number, lead, text, fact] = clause.head.as_slice() else { return None };
    if let Some(wrong) = not_in(number, i64::MIN, i64::MAX) {
        let shown = facts.program.values.show(wrong);
        return Some(
            facts
                .idle(clause, format!("`{shown}` is no number of a field"))
                .hint("number the fields in their order: 1, 2, 3"),
        );
    }
    unread(facts, clause, bare(facts, fact), false).or_else(|| {
        if let Some(lead) = word(facts, lead)
            && let Some(fault) = lead_fault(lead)
        {
            return Some(unreadable(clause, lead, fault));
        }
        let text = word(facts, text)?;
        if let Some(fault) = item_fault(text) {
            return Some(unreadable(clause, text, fault));
        }
        text.is_empty().then(|| nothing(facts, clause, text, fact)).flatten()
    })
}

/// The constant in the place of a number, where it is none of these.
fn not_in(term: &Term, least: i64, most: i64) -> Option<Value> {
    match term {
        Term::Constant(Value::Integer(n)) if (least..=most).contains(n) => None,
        Term::Constant(value) => Some(*value),
        _ => None,
    }
}

/// The text that a constant is written as.
fn word<'f>(facts: &'f Checked<'_>, term: &Term) -> Option<&'f str> {
    let Term::Constant(Value::Constant(id)) = term else { return None };
    match facts.program.values.get(*id) {
        Constant::Text(text) => Some(text),
        Constant::Atom(name) => Some(name),
        _ => None,
    }
}

/// The part of the state that a name without arguments stands for.
fn bare<'f>(facts: &'f Checked<'_>, fact: &Term) -> Option<(FluentId, &'f Fluent)> {
    let name = word(facts, fact)?;
    let at = facts.program.fluents.iter().position(|fluent| fluent.name == name)?;
    Some((FluentId(at as u32), &facts.program.fluents[at]))
}

/// Whether a fluent is a map without keys.
fn single(fluent: &Fluent) -> bool {
    fluent.keys.is_empty() && matches!(fluent.shape, FluentShape::Map { .. })
}

/// A fact without the keys and the value that it should tell.
fn unread(
    facts: &Checked<'_>,
    clause: &Clause,
    bare: Option<(FluentId, &Fluent)>,
    numbers: bool,
) -> Option<Diagnostic> {
    let (_, fluent) = bare?;
    if fluent.keys.is_empty() && matches!(fluent.shape, FluentShape::Set) {
        return None;
    }
    let name = &fluent.name;
    let d = facts.idle(clause, format!("`{name}` alone tells no key and no value"));
    Some(match numbers {
        true => d.hint(format!(
            "write its arguments, or `number` in place of the text for the number that a map holds: \
             `position_field(4, number, {name})`"
        )),
        false => d.hint("write its arguments, a value last: `at(C, white)`"),
    })
}

/// A text that is read as nothing, for a fact that does not hold where a position tells nothing.
fn nothing(facts: &Checked<'_>, clause: &Clause, text: &str, fact: &Term) -> Option<Diagnostic> {
    let (name, args) = facts.program.values.parts(fact)?;
    let last = match args.last() {
        Some(Term::Constant(value)) => Some(*value),
        _ => None,
    };
    let holds = holds_untold(facts.program, name, last);
    (!holds).then(|| unreadable(clause, text, tells_nothing()))
}

pub(super) fn unreadable(clause: &Clause, text: &str, (why, hint): Unreadable) -> Diagnostic {
    Diagnostic::warning("position-form", format!("`\"{text}\"` cannot be read back"))
        .at(clause.head_span, why)
        .hint(hint)
}
