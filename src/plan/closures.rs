//! Transitive closures, made linear before they are lowered, and what is rewritten besides.
//!
//! `path(A, C) :- path(A, B), path(B, C)` has the same meaning as `path(A, C) :- path(A, B),
//! step(B, C)`: the least transitive relation that contains the steps is the closure of the steps
//! (Abiteboul, Hull and Vianu, "Foundations of Databases", 1995, chapter 12). With two recursive
//! calls it takes a table and a join of the table with itself; with one, a flood.

use crate::datalog::Tables;
use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Graph, Program, RelationId, Term, Variable, VariableId,
};
use crate::types::{Domain, Types};

use super::ahead::{self, Ahead};
use super::recursions::in_any_order;
use super::{
    alternatives, backward, connections, heads, hypotheses, redundant, specialise, unfolding,
};

/// The clauses before the rewriting, which are restored once the program is lowered.
#[derive(Debug)]
pub(crate) struct Rewritten {
    clauses: usize,
    /// For each clause that was added, the recursive clause that it replaces.
    stands_for: Vec<ClauseId>,
    relations: Vec<(RelationId, Vec<ClauseId>)>,
    /// The bodies that were replaced, with the number of variables of their clauses.
    bodies: Vec<(ClauseId, Goal, usize)>,
    /// The clauses whose compounds got variables, as they were.
    whole: Vec<(ClauseId, Clause)>,
    /// The graph, where it changes, and for each relation before its stratum and whether it was recursive.
    graph: Option<(Graph, Vec<(usize, bool)>)>,
    /// The relations that follow recursions from what is given.
    aheads: Vec<Ahead>,
}

/// The columns of a relation that its recursive clause joins.
#[derive(Debug, Clone, Copy)]
struct Columns {
    from: usize,
    to: usize,
}

/// Gives each transitive closure clauses of one recursive call each. Explanations need the clauses
/// as they are written: see [`Rewritten::undo`].
pub(crate) fn rewrite(program: &mut Program, tables: &Tables, types: &mut Types) -> Rewritten {
    let mut before = Rewritten {
        clauses: program.clauses.len(),
        stands_for: Vec::new(),
        relations: Vec::new(),
        bodies: Vec::new(),
        whole: Vec::new(),
        graph: None,
        aheads: Vec::new(),
    };
    redundant::leave_out(program, tables, types, &mut before);
    connections::lift(program, tables, types, &mut before);
    hypotheses::lift(program, types, &mut before);
    alternatives::split(program, tables, types, &mut before);
    heads::flatten(program, types, &mut before);
    specialise::calls(program, types, &mut before);
    unfolding::recursions(program, types, &mut before);
    backward::recursions(program, types, &mut before);
    let alone: Vec<RelationId> =
        program.graph.components.iter().filter(|c| c.len() == 1).map(|c| c[0]).collect();
    for id in alone {
        let Some((recursive, columns)) = closure(program, types, id) else { continue };
        let clauses = program.relation(id).clauses.clone();
        let mut linear = Vec::new();
        for step in clauses.iter().filter(|c| **c != recursive) {
            linear.push(*step);
            let Some((mut clause, domains)) = with_step(program, types, id, *step, columns) else {
                continue;
            };
            let written = program.clause(recursive);
            (clause.span, clause.head_span) = (written.span, written.head_span);
            linear.push(ClauseId(program.clauses.len() as u32));
            before.stands_for(recursive);
            program.clauses.push(clause);
            types.variables.push(domains);
        }
        before.replace(program, id, linear);
    }
    ahead::recursions(program, types, &mut before);
    before
}

impl Rewritten {
    /// The number of clauses of the rule file.
    pub(super) fn written(&self) -> usize {
        self.clauses
    }

    /// Keeps the body of a clause that is replaced, and what [`Rewritten::keep_graph`] keeps.
    pub(super) fn keep(&mut self, program: &Program, id: ClauseId, body: &Goal) {
        self.bodies.push((id, body.clone(), program.clause(id).variables.len()));
        self.keep_graph(program);
    }

    /// Gives a relation other clauses.
    pub(super) fn replace(
        &mut self,
        program: &mut Program,
        id: RelationId,
        clauses: Vec<ClauseId>,
    ) {
        let own = &mut program.relations[id.0 as usize].clauses;
        self.relations.push((id, std::mem::replace(own, clauses)));
    }

    /// Keeps the graph, and the number of relations, before they change.
    pub(super) fn keep_graph(&mut self, program: &Program) {
        let strata = || program.relations.iter().map(|r| (r.stratum, r.recursive)).collect();
        self.graph.get_or_insert_with(|| (program.graph.clone(), strata()));
    }

    /// Keeps a clause whose compounds get variables.
    pub(super) fn flatten(&mut self, id: ClauseId, clause: Clause) {
        self.whole.push((id, clause));
    }

    /// A clause before its compounds got variables.
    pub(super) fn before_flat(&self, id: ClauseId) -> Option<&Clause> {
        self.whole.iter().find(|(flat, _)| *flat == id).map(|(_, clause)| clause)
    }

    /// Notes the clause in place of which one was added.
    pub(super) fn stands_for(&mut self, id: ClauseId) {
        let written = self.as_written(id);
        self.stands_for.push(written);
    }

    /// Notes the relations that follow a recursion from what is given.
    pub(super) fn goes_ahead(&mut self, ahead: Ahead) {
        self.aheads.push(ahead);
    }

    /// The relations that follow a recursion from what is given.
    pub(super) fn ahead(&self, id: RelationId) -> Option<&Ahead> {
        self.aheads.iter().find(|ahead| ahead.of == id)
    }

    /// The clause of the rule file that a clause replaces.
    pub(super) fn as_written(&self, id: ClauseId) -> ClauseId {
        let added = (id.0 as usize).checked_sub(self.clauses);
        added.and_then(|added| self.stands_for.get(added)).copied().unwrap_or(id)
    }

    pub(crate) fn undo(self, program: &mut Program) {
        program.clauses.truncate(self.clauses);
        for (id, clauses) in self.relations.into_iter().rev() {
            program.relations[id.0 as usize].clauses = clauses;
        }
        for (id, body, variables) in self.bodies.into_iter().rev() {
            let clause = &mut program.clauses[id.0 as usize];
            clause.body = body;
            clause.variables.truncate(variables);
        }
        for (id, clause) in self.whole {
            if let Some(flat) = program.clauses.get_mut(id.0 as usize) {
                *flat = clause;
            }
        }
        if let Some((graph, strata)) = self.graph {
            program.graph = graph;
            program.relations.truncate(strata.len());
            for (relation, kept) in program.relations.iter_mut().zip(strata) {
                (relation.stratum, relation.recursive) = kept;
            }
        }
    }
}

/// The recursive clause of a transitive closure.
fn closure(program: &Program, types: &Types, id: RelationId) -> Option<(ClauseId, Columns)> {
    let relation = program.relation(id);
    let open = !relation.needs_bound.contains(&true);
    if !open || !relation.recursive || !in_any_order(program, types, id) {
        return None;
    }
    let recursive = |clause: &&ClauseId| program.clause(**clause).calls_of(id) > 0;
    let mut recursive = relation.clauses.iter().filter(recursive);
    let (Some(clause), None) = (recursive.next(), recursive.next()) else { return None };
    Some((*clause, joined(program.clause(*clause), id)?))
}

/// The columns that a clause joins, where it does nothing else.
fn joined(clause: &Clause, id: RelationId) -> Option<Columns> {
    let [first, second] = clause.body.conjuncts() else { return None };
    let (GoalKind::Call(a, first), GoalKind::Call(b, second)) = (&first.kind, &second.kind) else {
        return None;
    };
    let head = &clause.head;
    let distinct =
        |at: usize| matches!(head[at], Term::Variable(_)) && !head[..at].contains(&head[at]);
    if (*a, *b) != (id, id) || !(0..head.len()).all(distinct) {
        return None;
    }
    [(first, second), (second, first)].into_iter().find_map(|(left, right)| {
        let other = |call: &[Term]| {
            let mut others = (0..head.len()).filter(|at| call[*at] != head[*at]);
            let only = others.next()?;
            others.next().is_none().then_some(only)
        };
        let (to, from) = (other(left)?, other(right)?);
        let between = &left[to];
        let is_variable = matches!(between, Term::Variable(_));
        (is_variable && *between == right[from] && !head.contains(between))
            .then_some(Columns { from, to })
    })
}

/// The clause that goes one step further: `path(S, C) :- path(S, B), step(B, C)` of the clause
/// `path(B, C) :- step(B, C)`, with the domains of its variables. `None` for a step from a site to
/// itself, and for one that never holds.
fn with_step(
    program: &Program,
    types: &Types,
    id: RelationId,
    step: ClauseId,
    columns: Columns,
) -> Option<(Clause, Vec<Domain>)> {
    let mut clause = program.clause(step).clone();
    let mut domains = types.variables[step.0 as usize].clone();
    let stays = clause.head[columns.from] == clause.head[columns.to];
    let mut never = false;
    let mut look = |variable: VariableId| never |= domains[variable.0 as usize].is_empty();
    clause.head.iter().for_each(|term| term.each_variable(&mut look));
    if stays || never {
        return None;
    }
    let span = clause.head_span;
    let mut goals = Vec::new();
    // a flood needs variables in its columns
    let mut fresh = |clause: &mut Clause, column: usize, name: &str| {
        clause.variables.push(Variable { name: name.to_string(), span });
        domains.push(types.column(id, column).clone());
        Term::Variable(VariableId(clause.variables.len() as u32 - 1))
    };
    for column in [columns.from, columns.to] {
        let term = clause.head[column].clone();
        if !matches!(term, Term::Variable(_)) {
            clause.head[column] = fresh(&mut clause, column, "_");
            goals.push(Goal::new(GoalKind::Unify(clause.head[column].clone(), term), span));
        }
    }
    let mut call = clause.head.clone();
    clause.head[columns.from] = fresh(&mut clause, columns.from, "_");
    call[columns.to] = call[columns.from].clone();
    call[columns.from] = clause.head[columns.from].clone();
    goals.insert(0, Goal::new(GoalKind::Call(id, call), span));
    goals.extend(clause.body.conjuncts().iter().cloned());
    clause.body = Goal::new(GoalKind::And(goals), clause.body.span);
    Some((clause, domains))
}
