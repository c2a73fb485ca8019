//! The messages about unbound variables. They distinguish variables that no goal binds from those
//! that only some branches of a `;` bind.

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::modes::Need;
use super::{
    Clause, ClauseId, DomainSpec, Expression, FluentId, Goal, GoalKind, Kind, Program, RelationId,
    Term, Variable, VariableId,
};

/// The relations of the sites of boards.
const SITES: [&str; 3] = ["cell", "point", "pit"];

/// The longest goal that a hint quotes, in bytes.
const LONGEST: usize = 60;

/// How far the origins of a column are followed.
const DEEPEST: usize = 4;

/// The fault of a goal that needs the value of a variable that is not bound yet, and why it does.
pub(super) fn in_goal(
    program: &Program,
    clause: &Clause,
    variable: VariableId,
    user: &str,
    span: Span,
    need: Option<Need>,
) -> Diagnostic {
    let open = match &need {
        Some(Need::Open(id, open)) => Some((program.clause(*id), *open)),
        _ => None,
    };
    let d = match open.filter(|(clause, open)| is_single(clause, *open)) {
        // what is wrong is the other clause
        Some((given, open)) => {
            let relation = &program.relation(given.relation).name;
            let name = &clause.variables[variable.0 as usize].name;
            let asked = format!("so `{name}` gets no value here");
            return in_head(program, given, open, relation).at(span, asked);
        }
        None => without_value(program, clause, variable, user, span),
    };
    match (need, open) {
        (Some(Need::Goal(span, text)), _) => d.at(span, text),
        (_, Some((clause, open))) => {
            d.at(clause.variables[open.0 as usize].span, "nothing gives it a value here")
        }
        _ => d,
    }
}

/// Whether a variable has a name and stands nowhere else in its clause.
fn is_single(clause: &Clause, variable: VariableId) -> bool {
    let named = !clause.variables[variable.0 as usize].name.starts_with('_');
    named && clause.occurrences().get(variable.0 as usize) == Some(&1)
}

fn without_value(
    program: &Program,
    clause: &Clause,
    variable: VariableId,
    user: &str,
    span: Span,
) -> Diagnostic {
    let Variable { name, span: first } = &clause.variables[variable.0 as usize];
    // the name of an anonymous variable is nowhere in the file
    let anonymous = first.end - first.start == "_".len() as u32;
    let anonymous = anonymous && name.starts_with('_');
    let name = if anonymous { "_" } else { name };
    let message = format!("`{name}` has no value yet where {user} needs it");
    let d = Diagnostic::error("unbound-variable", message)
        .at(span, format!("`{name}` is not bound before this goal"));
    if anonymous {
        let taken = |name: &str| clause.variables.iter().any(|other| other.name == name);
        let free = ["X", "Y", "Z", "Other"].into_iter().find(|name| !taken(name)).unwrap_or("New");
        return d.hint(format!(
            "write a variable in place of `_`, and put a goal before it that says what it may be{}",
            such_as(program, clause, variable, free)
        ));
    }
    match half_bound(clause, variable).filter(|branches| branches.start < span.start) {
        Some(branches) => in_branches(d, name, branches),
        None if let Some(goal) = gives_behind(program, clause, variable, span) => {
            d.hint(format!("put it behind `{goal}`, which says what `{name}` may be"))
        }
        None => d.hint(format!(
            "put a goal before it that says what `{name}` may be{}",
            such_as(program, clause, variable, name)
        )),
    }
}

/// The text of the first goal behind a place that gives the variable a value, if it is short.
fn gives_behind<'p>(
    program: &'p Program,
    clause: &Clause,
    variable: VariableId,
    span: Span,
) -> Option<&'p str> {
    let gives = |goal: &&Goal| {
        let GoalKind::Call(id, args) = &goal.kind else { return false };
        let relation = program.relation(*id);
        let open = |(arg, needed): (&Term, &bool)| *arg == Term::Variable(variable) && !needed;
        relation.kind != Kind::Action && args.iter().zip(&relation.needs_bound).any(open)
    };
    let goals = clause.body.conjuncts();
    let at = goals.iter().position(|goal| goal.span == span)?;
    let text = program.sources.text(goals[at + 1..].iter().find(gives)?.span);
    // a text that is not a file's has none
    ((1..=LONGEST).contains(&text.len()) && !text.contains('\n')).then_some(text)
}

/// The fault of a call with a pattern of a relation that makes a choice. It is the same for each
/// variable.
pub(super) fn in_pattern(relation: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "open-pattern",
        format!("`{relation}` chooses an answer before it compares it with a pattern"),
    )
    .at(span, "a pattern with a variable that has no value yet")
    .hint(format!(
        "ask `{relation}` for a variable and compare it behind, `X = …`, or give the pattern's \
         variables their values before"
    ))
}

/// The fault of a variable of the head that the body does not bind.
pub(super) fn in_head(
    program: &Program,
    clause: &Clause,
    variable: VariableId,
    relation: &str,
) -> Diagnostic {
    let variable_of = &clause.variables[variable.0 as usize];
    let name = &variable_of.name;
    if let Some(branches) = half_bound(clause, variable) {
        let message = format!("`{name}` in the head of `{relation}` is not always bound");
        let d = Diagnostic::error("unbound-variable", message)
            .at(variable_of.span, "needs a value in every branch");
        return in_branches(d, name, branches);
    }
    let message = format!("`{name}` in the head of `{relation}` is never bound");
    let d = Diagnostic::error("unbound-variable", message);
    if clause.body.kind == GoalKind::True {
        let d = d.at(variable_of.span, "a variable, which a fact gives no value");
        let goal = |name: &str| {
            giver(program, clause, variable, name)
                .map_or_else(String::new, |goal| format!(", `:- {goal}.`"))
        };
        if name.starts_with('_') {
            return d.hint(format!(
                "write a value, or a variable and a goal that gives it one{}",
                goal("X")
            ));
        }
        let mut small = name.chars();
        let first = small.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
        let goal = goal(name);
        let otherwise =
            if goal.is_empty() { String::new() } else { format!("; otherwise add a goal{goal}") };
        return d.hint(format!(
            "if a name is meant, write `{first}{}`: names begin with a small letter{otherwise}",
            small.as_str(),
        ));
    }
    d.at(variable_of.span, "no goal of the body gives it a value").hint(format!(
        "add a goal that says what `{name}` may be{}",
        such_as(program, clause, variable, name)
    ))
}

/// The end of a hint: an example of a goal that would bind the variable, where there is one.
fn such_as(program: &Program, clause: &Clause, variable: VariableId, name: &str) -> String {
    let goal = giver(program, clause, variable, name);
    goal.map_or_else(String::new, |goal| format!(", e.g. `{goal}`"))
}

/// A goal that would bind the variable: by the fluent of which it is a key or value, or as one of
/// the board's sites. `None` where neither tells and there is no relation of sites.
fn giver(program: &Program, clause: &Clause, variable: VariableId, name: &str) -> Option<String> {
    let player = program.find_relation("player", 1);
    Some(match declared(program, clause, variable) {
        Some(DomainSpec::Relation(id))
            if player == Some(*id) && program.special.moves == Some(clause.relation) =>
        {
            format!("turn({name})")
        }
        Some(DomainSpec::Relation(id)) => format!("{}({name})", program.relation(*id).name),
        Some(DomainSpec::Range(lo, hi)) => format!("{name} in {lo}..{hi}"),
        Some(DomainSpec::Values(values)) => {
            let shown: Vec<String> = values.iter().map(|v| program.values.show(*v)).collect();
            format!("member({name}, [{}])", shown.join(", "))
        }
        None if counts(program, clause, variable) => format!("{name} in 1..8"),
        None => format!("{}({name})", like(program, clause, variable)?),
    })
}

/// Whether the variable's value is a number: one is calculated or compared with it where its goals lead.
fn counts(program: &Program, clause: &Clause, variable: VariableId) -> bool {
    let mut taken = FxHashSet::default();
    columns(&clause.body, variable, &mut |column| origins(program, column, 0, &mut taken));
    calculates(clause, variable)
        || taken.iter().any(|(relation, argument)| {
            let clauses = &program.relation(*relation).clauses;
            clauses.iter().filter_map(|id| clause_of(program, *id)).any(|clause| {
                matches!(clause.head.get(*argument), Some(Term::Variable(v)) if calculates(clause, *v))
            })
        })
}

/// Whether the variable stands in an expression of the clause.
fn calculates(clause: &Clause, variable: VariableId) -> bool {
    let mut found = false;
    clause.body.walk(&mut |goal| {
        let expressions = goal.expressions();
        expressions.iter().for_each(|e| e.each_variable(&mut |v| found |= v == variable));
    });
    found
}

/// A column of a relation: one of its arguments.
type Column = (RelationId, usize);

/// The relation of one argument whose values are those that the variable's goals take: the board's sites, its
/// directions, or another one; the sites where no goal tells.
fn like<'p>(program: &'p Program, clause: &Clause, variable: VariableId) -> Option<&'p str> {
    let mut taken = FxHashSet::default();
    columns(&clause.body, variable, &mut |column| origins(program, column, 0, &mut taken));
    let sites = SITES.iter().filter_map(|site| program.find_relation(site, 1));
    let others = program.relations.iter().enumerate().map(|(i, _)| RelationId(i as u32));
    let is_projection = |id: &RelationId| {
        let relation = program.relation(*id);
        let [only] = relation.clauses.as_slice() else { return false };
        let body = clause_of(program, *only).map(|clause| &clause.body.kind);
        relation.arity == 1 && matches!(body, Some(GoalKind::Call(..)))
    };
    let gives = |id: &RelationId| {
        let mut own = FxHashSet::default();
        origins(program, (*id, 0), 0, &mut own);
        !own.is_disjoint(&taken)
    };
    let found = sites.chain(others.filter(is_projection)).find(gives);
    let known = || SITES.iter().find_map(|site| program.find_relation(site, 1));
    found.or_else(known).map(|id| program.relation(id).name.as_str())
}

/// The columns in which the variable stands in calls of the goal.
fn columns(goal: &Goal, variable: VariableId, found: &mut impl FnMut(Column)) {
    goal.walk(&mut |goal| {
        let GoalKind::Call(id, args) = &goal.kind else { return };
        let here = args.iter().enumerate().filter(|(_, arg)| **arg == Term::Variable(variable));
        here.for_each(|(i, _)| found((*id, i)));
    });
}

/// The clause; `None` while a question is read, which sees none.
fn clause_of(program: &Program, id: ClauseId) -> Option<&Clause> {
    program.clauses.get(id.0 as usize)
}

/// The column, and those from which its clauses take their values.
fn origins(program: &Program, column: Column, depth: usize, found: &mut FxHashSet<Column>) {
    if depth > DEEPEST || !found.insert(column) {
        return;
    }
    for id in &program.relation(column.0).clauses {
        let Some(clause) = clause_of(program, *id) else { return };
        if let Some(Term::Variable(v)) = clause.head.get(column.1) {
            columns(&clause.body, *v, &mut |next| origins(program, next, depth + 1, found));
        }
    }
}

/// The declared domain of a fluent's key or value where the variable occurs.
fn declared<'p>(
    program: &'p Program,
    clause: &Clause,
    variable: VariableId,
) -> Option<&'p DomainSpec> {
    let mut found = None;
    let mut look = |fluent: FluentId, terms: &[Term]| {
        let fluent = program.fluent(fluent);
        let mut here =
            terms.iter().zip(fluent.domains()).filter(|(t, _)| **t == Term::Variable(variable));
        found = found.or(here.next().map(|(_, spec)| spec));
    };
    clause.body.walk(&mut |goal| {
        match &goal.kind {
            GoalKind::Call(id, args) => {
                if let Kind::Fluent(fluent) = program.relation(*id).kind {
                    look(fluent, args);
                }
            }
            GoalKind::Assign(fluent, keys, value) => {
                look(*fluent, &[keys.as_slice(), std::slice::from_ref(value)].concat());
            }
            _ => {
                if let Some((fluent, keys)) = goal.updated() {
                    look(fluent, keys);
                }
            }
        }
        goal.expressions().into_iter().for_each(|e| read(e, &mut look));
    });
    found
}

/// The maps that an expression reads, with their keys.
fn read(e: &Expression, look: &mut impl FnMut(FluentId, &[Term])) {
    match e {
        Expression::Fluent(fluent, keys) => look(*fluent, keys),
        Expression::Operation(_, args) => args.iter().for_each(|a| read(a, look)),
        Expression::Integer(_) | Expression::Variable(_) => {}
    }
}

fn in_branches(d: Diagnostic, name: &str, branches: Span) -> Diagnostic {
    d.at(branches, format!("only some of these branches give `{name}` a value"))
        .hint(format!("give `{name}` a value in each branch, or in a goal before them"))
}

/// The first goal with branches, some of which contain the variable and others do not, while goals around it contain it too.
pub fn half_bound(clause: &Clause, variable: VariableId) -> Option<Span> {
    let all = clause.occurrences().get(variable.0 as usize).copied().unwrap_or_default();
    let has_all = |goal: &Goal| {
        let mut inside = 0;
        goal.each_variable(&mut |v| inside += usize::from(v == variable));
        inside >= all
    };
    let speaks = |goal: &Goal| {
        let mut found = false;
        goal.each_variable(&mut |v| found |= v == variable);
        found
    };
    let mut found = None;
    clause.body.walk(&mut |goal| {
        let branches: Vec<bool> = match &goal.kind {
            GoalKind::Or(branches) => branches.iter().map(speaks).collect(),
            GoalKind::If(c, t, e) if e.kind != GoalKind::Fail => {
                vec![speaks(c) || speaks(t), speaks(e)]
            }
            _ => return,
        };
        if branches.contains(&true) && branches.contains(&false) && !has_all(goal) {
            found = found.or(Some(goal.span));
        }
    });
    found
}
