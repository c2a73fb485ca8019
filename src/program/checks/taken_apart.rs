//! A move as a value can be compared and passed on, but not taken apart: which forms it may have is said where it is asked for.
//!
//! Wrong: `legal(M), M = take(_)`; `rank(M, 1) :- capture(M).` with `capture(take(_, _)).` Right: `legal(take(_))`,
//! `rank(take(_, _), 1).`

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Goal, GoalKind, Program, RelationId, Term, VariableId};
use crate::source::Span;

/// Arguments of relations, by their place.
type Columns = FxHashSet<(RelationId, usize)>;

/// The arguments that hold moves.
#[derive(Default)]
struct Flow {
    /// Those with which relations are called.
    given: Columns,
    /// Those of their answers.
    answers: Columns,
}

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    let mut flow = Flow::default();
    flow.given.extend([special.rank, special.weight].into_iter().flatten().map(|id| (id, 0)));
    let asked = asked(program);
    let clauses = || {
        let of = |id: &RelationId| program.relation(*id).clauses.iter();
        asked.iter().flat_map(of).map(|id| program.clause(*id))
    };
    loop {
        let before = (flow.given.len(), flow.answers.len());
        clauses().for_each(|clause| follow(program, clause, &mut flow, &mut |_, _| {}));
        if before == (flow.given.len(), flow.answers.len()) {
            break;
        }
    }
    let mut found = Vec::new();
    for clause in clauses() {
        let mut fault = |term: &Term, span: Span| {
            if let Term::Compound(name, args) = term {
                found.push((span, format!("{name}/{}", args.len())));
            }
        };
        follow(program, clause, &mut flow, &mut fault);
        // the forms of ranks and weights stand in their heads
        if [special.rank, special.weight].contains(&Some(clause.relation)) {
            continue;
        }
        for (i, term) in clause.head.iter().enumerate() {
            if flow.given.contains(&(clause.relation, i)) {
                fault(term, clause.head_span);
            }
        }
    }
    diagnostics.extend(found.into_iter().map(|(span, shown)| {
        Diagnostic::error("no-finite-domain", format!("a move is not taken apart by `{shown}`"))
            .at(span, "a form that a move is compared with after it was found")
            .hint("write the form in the head of `rank` or `weight`, or inside `legal(…)`")
    }));
}

/// The relations that are asked while games are played. Notations and texts are read by the reference evaluator.
fn asked(program: &Program) -> Vec<RelationId> {
    let special = &program.special;
    let ends = program.ends.iter().map(|(_, clause)| program.clause(*clause).relation);
    let roots =
        [special.moves, special.chance, special.rank, special.weight, special.score, special.value];
    let mut open: Vec<RelationId> = roots.into_iter().flatten().chain(ends).collect();
    let mut all = Vec::new();
    while let Some(id) = open.pop() {
        if !all.contains(&id) {
            all.push(id);
            open.extend(program.graph.calls(id).map(|(called, _)| called));
        }
    }
    all
}

/// Follows moves through the goals of a clause, in the order in which they are written, and reports the compounds with which they
/// are compared.
fn follow(program: &Program, clause: &Clause, flow: &mut Flow, fault: &mut dyn FnMut(&Term, Span)) {
    let mut moves: Vec<VariableId> = Vec::new();
    for (i, term) in clause.head.iter().enumerate() {
        if let Term::Variable(v) = term
            && flow.given.contains(&(clause.relation, i))
        {
            moves.push(*v);
        }
    }
    clause.body.walk(&mut |goal: &Goal| match &goal.kind {
        GoalKind::Legal(Term::Variable(v)) => moves.push(*v),
        GoalKind::Call(id, args) => {
            for (i, arg) in args.iter().enumerate() {
                match arg {
                    Term::Variable(v) if moves.contains(v) => {
                        flow.given.insert((*id, i));
                    }
                    Term::Variable(v) if flow.answers.contains(&(*id, i)) => moves.push(*v),
                    term if flow.answers.contains(&(*id, i)) => fault(term, goal.span),
                    _ => {}
                }
            }
        }
        GoalKind::Unify(a, b) | GoalKind::Differ(a, b) => {
            for (a, b) in [(a, b), (b, a)] {
                let Term::Variable(v) = a else { continue };
                if !moves.contains(v) {
                    continue;
                }
                match b {
                    Term::Variable(other) if matches!(goal.kind, GoalKind::Unify(..)) => {
                        moves.push(*other);
                    }
                    term => fault(term, goal.span),
                }
            }
        }
        _ => {}
    });
    // what is given is no answer of the relation's own
    for (i, term) in clause.head.iter().enumerate() {
        if let Term::Variable(v) = term
            && moves.contains(v)
            && !program.relation(clause.relation).needs_bound[i]
        {
            flow.answers.insert((clause.relation, i));
        }
    }
}
