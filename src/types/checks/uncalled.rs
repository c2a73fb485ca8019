//! A relation that nothing calls: most often a typing error in its name, or a move written without
//! `move(…)`.
//!
//! Wrong: `wins(P) :- line(3, L), forall(member(C, L), at(C, P)).` where `win(P)` is meant.

use crate::diagnostic::{Diagnostic, distance, nearest};
use crate::program::{DomainSpec, GoalKind, Kind, Program, Relation, RelationId};
use crate::source::FileId;
use crate::syntax::{Term, TermKind};

use super::Checked;

/// The relations that the interpreter itself queries, with their arities.
const ASKED: [(&str, usize); 42] = [
    ("move", 1),
    ("chance", 1),
    ("weight", 2),
    ("rank", 2),
    ("win", 1),
    ("lose", 1),
    ("draw", 0),
    ("over", 0),
    ("score", 2),
    ("value", 2),
    ("init", 1),
    ("glyph", 2),
    ("figure", 2),
    ("look", 1),
    ("shaded", 1),
    ("status", 1),
    ("status", 2),
    ("shows", 2),
    ("shows", 3),
    ("letter", 2),
    ("position_field", 3),
    ("position_item", 5),
    ("position_mark", 3),
    ("notation", 2),
    ("notation", 3),
    ("suffix", 2),
    ("alias", 2),
    ("says", 2),
    ("record", 2),
    ("record_tag", 3),
    ("prompt", 1),
    ("prompt", 2),
    ("advice", 3),
    ("measure", 2),
    ("source", 1),
    ("family", 1),
    ("xy", 3),
    ("drawn", 2),
    ("drawn", 3),
    ("cell", 1),
    ("point", 1),
    ("pit", 1),
];

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    let program = facts.program;
    if program.part {
        return;
    }
    let used = used(program);
    for (relation, used) in program.relations.iter().zip(used) {
        let Some(first) = relation.clauses.first().map(|id| program.clause(*id)) else { continue };
        let asked = ASKED.contains(&(relation.name.as_str(), relation.arity));
        // included files serve other games as well
        if used || asked || relation.built_in || relation.span.file != FileId(0) {
            continue;
        }
        let d = Diagnostic::warning(
            "unused-relation",
            format!("`{}` is never used", relation.indicator()),
        )
        .at(first.head_span, "no goal asks for it");
        warnings.push(d.hint(advice(relation, program.sources.text(first.head_span))));
    }
}

fn advice(relation: &Relation, head: &str) -> String {
    if relation.name == "win" && relation.arity == 0 {
        return "say who wins, e.g. `win(P) :- turn(P), …`; only `lose` may leave out the player to move"
            .to_string();
    }
    if let Some(near) = meant(relation) {
        return format!("did you mean `{near}`?");
    }
    match relation.kind {
        Kind::Action => format!("if it is a move, write `move({head}) :- …`, else call it in one"),
        _ => "ask for it in a clause, or take it out".to_string(),
    }
}

/// A relation with a special meaning that has nearly the same name, or the same name and another
/// arity.
fn meant(relation: &Relation) -> Option<String> {
    let near = nearest(&relation.name, ASKED.iter().map(|(name, _)| *name))?;
    let (name, arity) = ASKED.iter().find(|(name, _)| *name == near)?;
    let same = distance(name, &relation.name) == 0 || *arity == relation.arity;
    same.then(|| format!("{name}/{arity}"))
}

/// For each relation, whether another one, a declaration or an example mentions it.
fn used(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.relations.len()];
    let mut mark = |id: RelationId| used[id.0 as usize] = true;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Call(id, _) if *id != clause.relation => mark(*id),
            _ => {}
        });
    }
    for fluent in &program.fluents {
        mark(fluent.relation);
        mark(fluent.init);
        for spec in fluent.domains() {
            if let DomainSpec::Relation(id) = spec {
                mark(*id);
            }
        }
    }
    for example in &program.examples {
        named(program, &example.goal, &mut mark);
    }
    used
}

/// The relations that the goal of an example names.
fn named(program: &Program, term: &Term, mark: &mut impl FnMut(RelationId)) {
    if let Some((name, args)) = term.functor() {
        program.find_relation(name, args.len()).into_iter().for_each(&mut *mark);
        args.iter().for_each(|t| named(program, t, mark));
    }
    if let TermKind::List(items, _) = &term.kind {
        items.iter().for_each(|t| named(program, t, mark));
    }
}
