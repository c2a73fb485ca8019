//! Calls that give a relation all that it needs as constants.
//!
//! `subset(L, M)`, which takes the list L apart, has answers for a given list only, so it is no static relation. Where a goal
//! gives the list, as `subset([1, 2, 3], M)` does, and static relations alone decide about the answers, these are evaluated
//! at load: they are the rows of a static relation of the other arguments, and the goal looks them up.
//!
//! Where static relations give the list, see `given_calls.rs`. Goals whose answers are taken in order are left as they are
//! (`specialise.rs`).

use rustc_hash::FxHashSet;

use crate::datalog::Tables;
use crate::program::{
    Aggregate, Budget, Clause, ClauseId, Goal, GoalKind, Kind, Program, Relation, RelationId, Term,
    Variable, VariableId, reconnect,
};
use crate::types::Types;

use super::recursions::{MAX_ROWS, MAX_STEPS, in_any_order, is_fixed};
use super::specialise::in_order;

/// The most such relations.
pub(super) const MAX_CALLS: usize = 16;

/// A call: its relation, and each argument as a constant or as the number of the variable among those of the call.
type Known = (RelationId, Vec<Term>);

/// The recursions about which static relations decide, and the clauses that may look up their answers.
pub(super) struct Decided {
    /// For each relation, whether it is such a recursion.
    pub fixed: Vec<bool>,
    /// The relations whose answers are taken in order.
    ordered: FxHashSet<RelationId>,
}

impl Decided {
    /// Those of a program; `None` where it has none.
    pub fn of(program: &Program, types: &Types) -> Option<Decided> {
        let fixed = fixed(program, types);
        let any = fixed.contains(&true);
        any.then(|| Decided { fixed, ordered: in_order(program, types) })
    }

    /// Whether goals of a clause may be looked up: it is evaluated in play, and the order of its answers tells nothing.
    pub fn applies(&self, program: &Program, clause: &Clause) -> bool {
        let kind = program.relation(clause.relation).kind;
        matches!(kind, Kind::Derived | Kind::Action) && !self.ordered.contains(&clause.relation)
    }
}

/// The program with the answers of such calls as static relations, and its tables; `None` where it has no such call.
pub(super) fn evaluated(
    program: &Program,
    tables: &Tables,
    decided: &Decided,
    budget: Budget,
) -> Option<(Program, Tables)> {
    let mut asking: Vec<usize> = (0..program.clauses.len()).collect();
    asking.retain(|at| {
        let clause = &program.clauses[*at];
        let mut asks = false;
        clause.body.walk(&mut |goal| asks |= call_in(goal, program, &decided.fixed).is_some());
        asks && decided.applies(program, clause)
    });
    if asking.is_empty() {
        return None;
    }
    let (mut made, mut tables) = (program.clone(), tables.clone());
    let mut known: Vec<(Known, Option<RelationId>)> = Vec::new();
    for at in asking {
        let mut body = program.clauses[at].body.clone();
        each_call(&mut body, &mut |goal| {
            let Some((call, open)) = call_in(goal, program, &decided.fixed) else { return };
            let found = known.iter().find(|(other, _)| *other == call).map(|(_, id)| *id);
            let id = found.unwrap_or_else(|| {
                let id = (known.len() < MAX_CALLS)
                    .then(|| {
                        let asked = answers_to(&call, goal);
                        add(&mut made, &mut tables, call.0, asked, budget)
                    })
                    .flatten();
                known.push((call, id));
                id
            });
            if let Some(id) = id {
                goal.kind = GoalKind::Call(id, open);
            }
        });
        made.clauses[at].body = body;
    }
    known.iter().any(|(_, id)| id.is_some()).then_some((made, tables))
}

/// For each relation, whether it is a recursion that nothing else than static relations and others of this kind decides about.
fn fixed(program: &Program, types: &Types) -> Vec<bool> {
    let mut fixed = vec![false; program.relations.len()];
    for component in &program.graph.components {
        let known = |called| component.contains(&called) || fixed[called.0 as usize];
        let all = component.iter().all(|id| {
            !program.relation(*id).built_in
                && in_any_order(program, types, *id)
                && is_fixed(program, *id, known)
        });
        component.iter().for_each(|id| fixed[id.0 as usize] = all);
    }
    for (id, relation) in program.relations.iter().enumerate() {
        fixed[id] &= relation.recursive && relation.needs_bound.contains(&true);
    }
    fixed
}

/// Calls `visit` for each call whose answers are not taken in order.
fn each_call(goal: &mut Goal, visit: &mut dyn FnMut(&mut Goal)) {
    match &mut goal.kind {
        GoalKind::Call(..) => visit(goal),
        GoalKind::Once(_) | GoalKind::Aggregate(Aggregate::Findall, ..) => {}
        GoalKind::If(_, then, otherwise) => {
            each_call(then, visit);
            each_call(otherwise, visit);
        }
        GoalKind::Each(_, action) => each_call(action, visit),
        _ => goal.children_mut().into_iter().for_each(|goal| each_call(goal, visit)),
    }
}

/// The call of such a relation that a goal is, and its other arguments: different variables.
fn call_in(goal: &Goal, program: &Program, fixed: &[bool]) -> Option<(Known, Vec<Term>)> {
    let GoalKind::Call(id, args) = &goal.kind else { return None };
    if !fixed[id.0 as usize] {
        return None;
    }
    let (mut known, mut open) = (Vec::new(), Vec::new());
    for (arg, needed) in args.iter().zip(&program.relation(*id).needs_bound) {
        match arg {
            Term::Constant(_) => known.push(arg.clone()),
            Term::Variable(_) if !needed && !open.contains(arg) => {
                known.push(Term::Variable(VariableId(open.len() as u32)));
                open.push(arg.clone());
            }
            _ => return None,
        }
    }
    Some(((*id, known), open))
}

/// The clause of the answers to a call.
fn answers_to((id, args): &Known, goal: &Goal) -> Clause {
    let open: Vec<Term> =
        args.iter().filter(|arg| matches!(arg, Term::Variable(_))).cloned().collect();
    let variable = |n: usize| Variable { name: format!("_{n}"), span: goal.span };
    Clause {
        relation: *id,
        variables: (0..open.len()).map(variable).collect(),
        head: open,
        body: Goal::new(GoalKind::Call(*id, args.clone()), goal.span),
        span: goal.span,
        head_span: goal.span,
        end_name: None,
        rank: 0,
    }
}

/// Adds a static relation of one clause, which is called as another one in messages; `None` where its evaluation fails or takes
/// too long.
pub(super) fn add(
    program: &mut Program,
    tables: &mut Tables,
    named_as: RelationId,
    clause: Clause,
    budget: Budget,
) -> Option<RelationId> {
    let (number, by) =
        (RelationId(program.relations.len() as u32), ClauseId(program.clauses.len() as u32));
    let added = Relation {
        arity: clause.head.len(),
        kind: Kind::Static,
        clauses: vec![by],
        recursive: false,
        needs_bound: vec![false; clause.head.len()],
        built_in: true,
        ..program.relation(named_as).clone()
    };
    program.clauses.push(Clause { relation: number, ..clause });
    program.relations.push(added);
    reconnect(program);
    let mut values = program.values.clone();
    let budget = Budget { steps: MAX_STEPS, answers: MAX_ROWS, ..budget };
    let Ok(found) = tables.with_whole(program, &mut values, number, budget) else {
        program.relations.pop();
        program.clauses.pop();
        reconnect(program);
        return None;
    };
    (*tables, program.values) = (found, values);
    Some(number)
}
