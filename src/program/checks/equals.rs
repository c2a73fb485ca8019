//! `=` and `\=` compare terms: they neither read the state nor update it. Nor does `is`, which gives a
//! variable the value of an expression.
//!
//! Wrong: `move(mark(C)) :- cell(C), turn(Me), at(C) = Me.` Right: `at(C) := Me` or `at(C, Me)`.

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Fluent, FluentShape, Goal, GoalKind, Program, Term};

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut terms = None;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            if let GoalKind::Is(x, _) = &goal.kind
                && map(program, x).is_some()
            {
                diagnostics.push(calculated(program, goal));
            }
            let (GoalKind::Unify(a, b) | GoalKind::Differ(a, b)) = &goal.kind else { return };
            for (side, other) in [(a, b), (b, a)] {
                let Some((fluent, form)) = map(program, side) else { continue };
                // where values have the same form, the comparison may be meant
                let terms = terms.get_or_insert_with(|| forms(program));
                if !terms.contains(&form) {
                    diagnostics.push(fault(program, fluent, goal, sure(program, clause, other)));
                    return;
                }
            }
        });
    }
}

type Form = (String, usize);

/// The map whose reads have the form of this term.
fn map<'p>(program: &'p Program, term: &Term) -> Option<(&'p Fluent, Form)> {
    let form = form(program, term)?;
    let of = |f: &&Fluent| f.name == form.0 && f.keys.len() == form.1;
    let fluent = program.fluents.iter().find(of)?;
    matches!(fluent.shape, FluentShape::Map { .. }).then_some((fluent, form))
}

fn form(program: &Program, term: &Term) -> Option<Form> {
    let (name, arity) = program.values.form(term)?;
    Some((name.to_string(), arity))
}

/// The forms of all terms but the operands of `=`, and of the declared values.
fn forms(program: &Program) -> FxHashSet<Form> {
    let mut found = FxHashSet::default();
    for clause in &program.clauses {
        clause.head.iter().for_each(|t| add(program, t, &mut found));
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Unify(a, b) | GoalKind::Differ(a, b) => [a, b].into_iter().for_each(|t| {
                if let Term::Compound(_, args) = t {
                    args.iter().for_each(|t| add(program, t, &mut found));
                }
            }),
            _ => goal.terms().into_iter().for_each(|t| add(program, t, &mut found)),
        });
    }
    for fluent in &program.fluents {
        for spec in fluent.domains() {
            if let crate::program::DomainSpec::Values(values) = spec {
                values.iter().for_each(|v| add(program, &Term::Constant(*v), &mut found));
            }
        }
    }
    found
}

fn add(program: &Program, term: &Term, found: &mut FxHashSet<Form>) {
    found.extend(form(program, term));
    match term {
        Term::Compound(_, args) => args.iter().for_each(|t| add(program, t, found)),
        Term::List(items, tail) => {
            let all = items.iter().chain(tail.as_deref());
            all.for_each(|t| add(program, t, found));
        }
        Term::Constant(value) => {
            let inner = program.values.functor(*value).map(|(_, args)| args);
            for value in inner.into_iter().chain(program.values.items(*value)).flatten() {
                add(program, &Term::Constant(*value), found);
            }
        }
        Term::Variable(_) => {}
    }
}

/// Whether the other side is certainly a value: a constant, or a variable that occurs in another
/// goal.
fn sure(program: &Program, clause: &Clause, other: &Term) -> bool {
    match other {
        Term::Constant(_) => true,
        Term::Variable(v) => {
            let mut found = false;
            clause.body.walk(&mut |goal| {
                if let GoalKind::Call(id, args) = &goal.kind {
                    let given = &program.relation(*id).needs_bound;
                    let here = |(t, needed): (&Term, &bool)| *t == Term::Variable(*v) && !needed;
                    found |= args.iter().zip(given).any(here);
                }
            });
            found
        }
        _ => false,
    }
}

fn fault(program: &Program, fluent: &Fluent, goal: &Goal, sure: bool) -> Diagnostic {
    let text = program.sources.text(goal.span);
    let differs = matches!(goal.kind, GoalKind::Differ(..));
    let written = ["\\==", "==", "\\=", "="].into_iter().find(|sign| text.contains(sign));
    let sign = written.unwrap_or("=");
    let (left, right) = text.split_once(sign).unwrap_or((text, ""));
    let (left, right) = (left.trim(), right.trim_start_matches('=').trim());
    let (read, value) = match left.starts_with(fluent.name.as_str()) {
        true => (left, right),
        false => (right, left),
    };
    let asked_for = |read: &str, value: &str| match read.strip_suffix(')') {
        Some(keys) => format!("{keys}, {value})"),
        None => format!("{read}({value})"),
    };
    // two parts of the state have the same value, or not, if one is that of the other
    let both = read == left && value.starts_with(fluent.name.as_str());
    let asked = match both {
        true => format!(
            "{}, {}",
            asked_for(read, "V"),
            asked_for(value, if differs { "W" } else { "V" })
        ),
        false => asked_for(read, value),
    };
    let message = format!("`{sign}` does not look at the state: `{read}` is only a term here");
    let d = match sure {
        true => Diagnostic::error("equals-state", message),
        false => Diagnostic::warning("equals-state", message),
    };
    d.at(goal.span, "compares terms").hint(match differs {
        true if both => format!("`{asked}, V \\= W` asks whether the values differ"),
        false if both => format!("`{asked}` asks whether the values are the same"),
        true => format!("`\\+ {asked}` asks whether the value is another"),
        false => format!("`{asked}` asks whether the value is this; `{read} := {value}` sets it"),
    })
}

/// The fault of a calculation whose result is compared with a term in the form of a fluent: no
/// number is equal to it.
fn calculated(program: &Program, goal: &Goal) -> Diagnostic {
    let text = program.sources.text(goal.span);
    let (left, right) = text.split_once(" is ").unwrap_or((text, "N"));
    let (left, right) = (left.trim(), right.trim());
    let message = format!("`is` does not look at the state: `{left}` is only a term here");
    Diagnostic::error("equals-state", message)
        .at(goal.span, "no number is equal to this term")
        .hint(format!("`{left} := {right}` sets it; `{left} =:= {right}` compares it"))
}
