//! Clauses that can never fire: one of their static goals has no answer, whatever the position, or
//! one goal denies another.
//!
//! Clauses that depend on an option are left out, since they are meant to drop out.
//!
//! Wrong: `move(place(C)) :- corner(C), side(north, C), at(C) := x.` where no side is `north`, and
//! `move(put(C)) :- cell(C), \\+ stone(C), stone(C).` where `set(stone(C))` is meant.

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{
    Clause, Fluent, FluentShape, Goal, GoalKind, Kind, Optional, Program, RelationId, Term, Value,
    acts,
};
use crate::source::FileId;

/// Warnings for clauses that can never fire.
pub fn check_dead(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let optional = Optional::of(program);
    let mut warnings = Vec::new();
    // included files serve other games as well
    for clause in program.clauses.iter().filter(|c| c.span.file == FileId(0)) {
        warnings.extend(contradiction(program, clause));
        for goal in clause.body.conjuncts() {
            let fault = match &goal.kind {
                GoalKind::Fail => Some(("this goal never holds".to_string(), None)),
                GoalKind::Call(id, args)
                    if program.relation(*id).kind == Kind::Static
                        && program.relation(*id).name != "option"
                        && !optional.relation(*id) =>
                {
                    unanswered(program, tables, *id, args)
                }
                _ => None,
            };
            let Some((text, near)) = fault else { continue };
            let d = Diagnostic::warning("never-fires", "this clause can never fire")
                .at(goal.span, text)
                .at(clause.head_span, "so this never holds by this clause");
            warnings.push(match near {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("correct the goal, or take the clause out"),
            });
            break;
        }
    }
    warnings
}

/// A goal that another one before it denies, or that denies another one, with no update between.
fn contradiction(program: &Program, clause: &Clause) -> Option<Diagnostic> {
    let goals = clause.body.conjuncts();
    let totals = clause.occurrences();
    let single = |term: &Term| matches!(term, Term::Variable(v) if totals[v.0 as usize] == 1);
    let denies = |negation: &Goal, goal: &Goal| match (&negation.kind, &goal.kind) {
        (GoalKind::Not(inner), GoalKind::Call(id, args)) => match &inner.kind {
            GoalKind::Call(denied, all) if denied == id => {
                all.iter().zip(args).all(|(all, arg)| all == arg || single(all))
            }
            _ => false,
        },
        _ => false,
    };
    let may_change = |goal: &Goal| {
        let mut changes = false;
        goal.walk(&mut |goal| changes |= acts(program, goal));
        changes
    };
    for (i, goal) in goals.iter().enumerate() {
        let since = goals[..i].iter().rposition(may_change).map_or(0, |at| at + 1);
        let mut before = goals[since..i].iter();
        let Some(other) = before.find(|other| denies(other, goal) || denies(goal, other)) else {
            continue;
        };
        let hint = match &goal.kind {
            GoalKind::Call(id, _) => asks_only(program, *id),
            _ => None,
        };
        let hint =
            hint.unwrap_or_else(|| "correct one of the goals, or take the clause out".to_string());
        return Some(
            Diagnostic::warning("never-fires", "this clause can never fire")
                .at(goal.span, "this contradicts a goal before it")
                .at(other.span, "the other goal")
                .hint(hint),
        );
    }
    None
}

/// What to write where a goal about the state was meant as an update.
fn asks_only(program: &Program, id: RelationId) -> Option<String> {
    let Kind::Fluent(fluent) = program.relation(id).kind else { return None };
    let Fluent { name, keys, shape, .. } = program.fluent(fluent);
    let at = if keys.is_empty() { name.clone() } else { format!("{name}(…)") };
    Some(match shape {
        FluentShape::Set => format!("`{at}` only asks: write `set({at})` to add it"),
        FluentShape::Map { .. } => format!("`{name}` only asks here: write `{at} := …` to set it"),
    })
}

type Fault = (String, Option<String>);

/// Why a call of a static relation has no answer: no facts, or none with these constants.
fn unanswered(program: &Program, tables: &Tables, id: RelationId, args: &[Term]) -> Option<Fault> {
    let table = tables.get(id);
    let name = &program.relation(id).name;
    if !tables.asks(id) {
        // the clause calls it only under another option
        return None;
    }
    if table.is_empty() {
        return Some((format!("`{name}` has no answer at all"), None));
    }
    let constants: Vec<(usize, Value)> = args
        .iter()
        .enumerate()
        .filter_map(|(i, t)| match t {
            Term::Constant(value) => Some((i, *value)),
            _ => None,
        })
        .collect();
    if constants.is_empty() || table.rows().any(|row| constants.iter().all(|(i, v)| row[*i] == *v))
    {
        return None;
    }
    let shown: Vec<String> = constants.iter().map(|(_, v)| program.values.show(*v)).collect();
    let near = constants.iter().find_map(|(i, value)| {
        let known: Vec<String> = table.column(*i).iter().map(|v| program.values.show(*v)).collect();
        let text = program.values.show(*value);
        if known.contains(&text) {
            return None;
        }
        nearest(&text, known.iter().map(String::as_str)).map(str::to_string)
    });
    Some((format!("`{name}` has no answer with `{}`", shown.join("`, `")), near))
}
