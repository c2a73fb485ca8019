//! A value that a fluent never has, or a key outside its domain.
//!
//! Wrong: `win(P) :- at(a9, P).` on a board without `a9`; `move(put(C)) :- member(C, [a1, a9]),
//! at(C) := x.`

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{
    BuiltIn, Clause, ClauseId, FluentId, FluentShape, Goal, GoalKind, Kind, Term, Value,
};
use crate::types::Domain;

use super::{Checked, holds};

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    for (id, clause) in facts.own_clauses() {
        let optional = facts.optional.clause(facts.program, clause);
        clause.body.walk(&mut |goal| {
            let (fluent, terms, update) = match &goal.kind {
                GoalKind::Call(relation, args) => match facts.program.relation(*relation).kind {
                    Kind::Fluent(fluent) => (fluent, args.iter().collect::<Vec<_>>(), false),
                    _ => return,
                },
                GoalKind::Assign(fluent, keys, value) => {
                    (*fluent, keys.iter().chain([value]).collect(), true)
                }
                GoalKind::AssignNumber(fluent, keys, _)
                | GoalKind::Clear(fluent, keys)
                | GoalKind::Set(fluent, keys) => (*fluent, keys.iter().collect(), true),
                _ => return,
            };
            if !facts.fixed(fluent) {
                return;
            }
            for (place, term) in terms.into_iter().enumerate() {
                // options may change the values of a variable, not a constant
                if optional && !matches!(term, Term::Constant(_)) {
                    continue;
                }
                if let Some(value) = outside(facts, (id, clause), fluent, place, term, update) {
                    warnings.push(warning(facts, goal, fluent, place, value, update));
                    return;
                }
                if !update
                    && !optional
                    && let Some(value) = never_put(facts, goal, fluent, place, term)
                {
                    warnings.push(value);
                    return;
                }
            }
        });
    }
}

/// A certain value of a term that is outside the domain of its place.
fn outside(
    facts: &Checked<'_>,
    (id, clause): (ClauseId, &Clause),
    fluent: FluentId,
    place: usize,
    term: &Term,
    update: bool,
) -> Option<Value> {
    let declared = facts.types.fluent(fluent).get(place)?;
    match term {
        Term::Constant(value) => (!holds(declared, *value)).then_some(*value),
        Term::Variable(v) if update && is_listed(clause, term) => {
            let domain = facts.types.variable(id, *v);
            if domain.top || domain.lists || domain.moves || domain.integers.is_some() {
                return None;
            }
            domain.constants.iter().map(Value::Constant).find(|value| !holds(declared, *value))
        }
        _ => None,
    }
}

/// Warns of a value in the domain of a map that no clause assigns.
fn never_put(
    facts: &Checked<'_>,
    goal: &Goal,
    fluent: FluentId,
    place: usize,
    term: &Term,
) -> Option<Diagnostic> {
    let program = facts.program;
    let declared = program.fluent(fluent);
    let Term::Constant(value) = term else { return None };
    let FluentShape::Map { initial, .. } = &declared.shape else { return None };
    if place < declared.keys.len() || fluent.0 < 3 || facts.optional.relation(declared.init) {
        return None;
    }
    // a position as text may give any value
    if program.opening.is_some() {
        return None;
    }
    // the values that `init` and updates assign; `None` where they are not known
    let mut given = Some(Domain::of(*initial));
    for (number, clause) in program.clauses.iter().enumerate() {
        let id = ClauseId(number as u32);
        let mut add = |term: &Term| match term {
            Term::Constant(value) => drop(given.as_mut().map(|g| g.join(&Domain::of([*value])))),
            Term::Variable(v) if !facts.types.variable(id, *v).top => {
                given.as_mut().map(|g| g.join(facts.types.variable(id, *v)));
            }
            _ => given = None,
        };
        if clause.relation == declared.init {
            clause.head.last().into_iter().for_each(&mut add);
        }
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Assign(other, _, value) if *other == fluent => add(value),
            GoalKind::AssignNumber(other, ..) if *other == fluent => {
                add(&Term::List(Vec::new(), None))
            }
            _ => {}
        });
    }
    if holds(&given?, *value) {
        return None;
    }
    let (name, shown) = (&declared.name, program.values.show(*value));
    let message = format!("`{name}` never holds `{shown}`");
    Some(
        Diagnostic::warning("outside-domain", message)
            .at(goal.span, "this never holds")
            .at(declared.span, "no update and no `init` gives it this value")
            .hint("give it this value somewhere, or take the goal out"),
    )
}

/// Whether a variable takes each item of a list and is then used only to read the state.
fn is_listed(clause: &Clause, variable: &Term) -> bool {
    let mut listed = false;
    let mut tested = false;
    for goal in clause.body.conjuncts() {
        let mut speaks = false;
        goal.each_variable(&mut |v| speaks |= Term::Variable(v) == *variable);
        match &goal.kind {
            _ if !speaks || goal.is_update() => {}
            GoalKind::BuiltIn(BuiltIn::Member, args) if args[0] == *variable => listed = true,
            GoalKind::Not(inner) => tested |= !matches!(inner.kind, GoalKind::Call(..)),
            _ => tested = true,
        }
    }
    listed && !tested
}

fn warning(
    facts: &Checked<'_>,
    goal: &Goal,
    fluent: FluentId,
    place: usize,
    value: Value,
    update: bool,
) -> Diagnostic {
    let program = facts.program;
    let declared = program.fluent(fluent);
    let (name, shown) = (&declared.name, program.values.show(value));
    let domain = &facts.types.fluent(fluent)[place];
    let what = if place < declared.keys.len() { "key" } else { "value" };
    let message = format!("`{shown}` is no {what} of `{name}`");
    let d = match update {
        true => Diagnostic::warning("value-outside-domain", message)
            .at(goal.span, "this update is a rule error with it"),
        false => Diagnostic::warning("outside-domain", message).at(goal.span, "this never holds"),
    };
    let names: Vec<String> =
        domain.constants.iter().map(|id| program.values.show(Value::Constant(id))).collect();
    let d = d.at(declared.span, "declared here");
    match (nearest(&shown, names.iter().map(String::as_str)), domain.integers) {
        (Some(near), _) => d.hint(format!("did you mean `{near}`?")),
        (None, Some((lo, hi))) if names.is_empty() => d.hint(format!("it takes {lo}..{hi}")),
        _ => {
            let more = if names.len() > 5 { ", …" } else { "" };
            let some: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
            d.hint(format!("it takes `{}`{more}", some.join("`, `")))
        }
    }
}
