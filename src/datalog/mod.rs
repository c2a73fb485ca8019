//! A small bottom-up evaluator of static relations. It is independent of games.
//!
//! Components of the dependency graph are evaluated dependencies first. A recursive component is
//! evaluated semi-naively (Bancilhon 1986): each round joins what the last round found with
//! everything known, once for each recursive call of each clause. Where a budget is exceeded, a
//! diagnostic names the clause.

mod calls;
mod demand;
mod solve;
mod table;

pub use crate::goals::Row;
pub use demand::Demand;
pub use table::Table;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::program::{
    Budget, Clause, ClauseId, DomainSpec, Kind, Program, RelationId, Value, Values,
};

use solve::{Limit, Solver};

/// The tables of the static relations, as far as they are demanded; empty for relations of another
/// kind. Copies share their tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    tables: Vec<Arc<Table>>,
    demand: Demand,
}

impl Tables {
    /// The rows of a relation that the rules ask for.
    pub fn get(&self, relation: RelationId) -> &Table {
        &self.tables[relation.0 as usize]
    }

    /// The values of a declared domain, in their order. One that depends on the state has none.
    pub fn domain(&self, spec: &DomainSpec) -> Vec<Value> {
        match spec {
            DomainSpec::Values(values) => values.clone(),
            DomainSpec::Range(lo, hi) => (*lo..=*hi).map(Value::Integer).collect(),
            DomainSpec::Relation(id) => self.get(*id).column(0),
        }
    }

    /// Whether any goal of the rules asks for the relation. Where none does, its table is empty.
    pub fn asks(&self, relation: RelationId) -> bool {
        self.demand.asks(relation)
    }

    /// Whether the table has all rows with these values, in the columns where one is given.
    pub fn covers(&self, relation: RelationId, given: &[Option<Value>]) -> bool {
        self.demand.covers(relation, given)
    }

    /// Adds a row to the table of a relation.
    pub fn add(&mut self, relation: RelationId, row: &[Value]) {
        Arc::make_mut(&mut self.tables[relation.0 as usize]).insert(row);
    }

    /// Facts of all tables together.
    pub fn facts(&self) -> usize {
        self.tables.iter().map(|table| table.len()).sum()
    }

    /// The same tables, extended by all rows with these values. New constants are interned in
    /// `values`, which are the program's constants or an extension of them.
    ///
    /// # Errors
    /// See [`evaluate`].
    pub fn covering(
        &self,
        program: &Program,
        values: &mut Values,
        relation: RelationId,
        given: &[Option<Value>],
        budget: Budget,
    ) -> Result<Tables, Vec<Diagnostic>> {
        let wanted = match self.demand.get(relation) {
            Some(known) => demand::hulls(known, &demand::wanted(given)),
            None => demand::wanted(given),
        };
        self.asked(program, values, Demand::asking(program, relation, wanted), budget)
    }

    /// The same tables, extended by the rows that a clause from outside asks for, e.g. a question.
    ///
    /// # Errors
    /// See [`evaluate`].
    pub fn for_clause(
        &self,
        program: &Program,
        values: &mut Values,
        clause: &Clause,
        budget: Budget,
    ) -> Result<Tables, Vec<Diagnostic>> {
        self.asked(program, values, Demand::of_goal(program, clause), budget)
    }

    /// The same tables with all rows of one relation, which may have had none because it was no static one.
    ///
    /// # Errors
    /// See [`evaluate`].
    pub fn with_whole(
        &self,
        program: &Program,
        values: &mut Values,
        relation: RelationId,
        budget: Budget,
    ) -> Result<Tables, Vec<Diagnostic>> {
        let whole = vec![None; program.relation(relation).arity];
        let more = solve(program, values, Demand::asking(program, relation, whole), budget)?;
        let mut tables = self.clone();
        tables.tables.resize_with(program.relations.len(), Arc::default);
        tables.tables[relation.0 as usize] = Arc::clone(&more.tables[relation.0 as usize]);
        tables.demand.take(relation, &more.demand);
        Ok(tables)
    }

    fn asked(
        &self,
        program: &Program,
        values: &mut Values,
        demand: Demand,
        budget: Budget,
    ) -> Result<Tables, Vec<Diagnostic>> {
        let ids = (0..self.tables.len() as u32).map(RelationId);
        let missing: Vec<RelationId> = ids
            .filter(|id| program.relation(*id).kind == Kind::Static)
            .filter(|id| !self.demand.includes(*id, &demand))
            .collect();
        let mut tables = self.clone();
        if missing.is_empty() {
            return Ok(tables);
        }
        let more = solve(program, values, demand, budget)?;
        for id in missing {
            tables.tables[id.0 as usize] = Arc::clone(&more.tables[id.0 as usize]);
            tables.demand.take(id, &more.demand);
        }
        Ok(tables)
    }
}

/// Evaluates the static relations of the program as far as the demand goes. New constants are
/// interned in its values.
///
/// # Errors
/// A diagnostic that names the clause: a budget is used up, arithmetic has no result, or a goal
/// that needs bound values met an unbound one. None where it was interrupted.
pub fn evaluate(
    program: &mut Program,
    demand: Demand,
    budget: Budget,
) -> Result<Tables, Vec<Diagnostic>> {
    let mut values = std::mem::take(&mut program.values);
    values.intern_rests();
    let mut tables = solve(program, &mut values, demand, budget);
    if let Ok(Tables { tables: made, demand }) = &tables {
        // an empty relation is most likely a mistake, and its other rows show which one
        let empty = |id: &RelationId| {
            let bounded = demand.asks(*id) && !demand.is_whole(*id);
            bounded && program.relation(*id).kind == Kind::Static && made[id.0 as usize].is_empty()
        };
        let ids = (0..made.len() as u32).map(RelationId);
        let empty: Vec<RelationId> = ids.filter(empty).collect();
        if !empty.is_empty() {
            let demand = demand.clone().and_whole(program, &empty);
            tables = solve(program, &mut values, demand, budget);
        }
    }
    program.values = values;
    tables
}

fn solve(
    program: &Program,
    values: &mut Values,
    demand: Demand,
    budget: Budget,
) -> Result<Tables, Vec<Diagnostic>> {
    let mut solver = Solver::new(program, values, &demand, budget);
    for component in &program.graph.components {
        let asked: Vec<RelationId> = component
            .iter()
            .copied()
            .filter(|id| program.relation(*id).kind == Kind::Static && demand.asks(*id))
            .collect();
        if let Err(limit) = component_fixpoint(&mut solver, program, &asked) {
            return Err(report(program, &limit).into_iter().collect());
        }
    }
    let mut tables = std::mem::take(&mut solver.tables);
    drop(solver);
    tables.iter_mut().for_each(Table::freeze);
    Ok(Tables { tables: tables.into_iter().map(Arc::new).collect(), demand })
}

fn component_fixpoint(
    solver: &mut Solver<'_>,
    program: &Program,
    component: &[RelationId],
) -> Result<(), Limit> {
    let clauses: Vec<ClauseId> =
        component.iter().flat_map(|id| program.relation(*id).clauses.iter().copied()).collect();
    let recursive = |id: ClauseId| {
        program
            .graph
            .calls(program.clause(id).relation)
            .any(|(to, d)| d.clause == id && component.contains(&to))
    };
    for id in clauses.iter().filter(|id| !recursive(**id)) {
        solver.clause(*id, None)?;
    }
    let loops: Vec<ClauseId> = clauses.into_iter().filter(|id| recursive(*id)).collect();
    if loops.is_empty() {
        return Ok(());
    }
    let lengths = |solver: &Solver<'_>| -> Vec<usize> {
        component.iter().map(|id| solver.tables[id.0 as usize].len()).collect()
    };
    let mut from = lengths(solver);
    // a branch without a recursive call has answers before there is any row to go on from
    for id in &loops {
        solver.clause(*id, None)?;
    }
    loop {
        let to = lengths(solver);
        if from == to {
            component.iter().for_each(|id| solver.sort(*id));
            return Ok(());
        }
        solver.delta =
            component.iter().zip(from.iter().zip(&to)).map(|(id, (a, b))| (*id, *a..*b)).collect();
        for id in &loops {
            for occurrence in 0..solver.occurrences(*id) {
                solver.clause(*id, Some(occurrence))?;
            }
        }
        from = to;
    }
}

fn report(program: &Program, limit: &Limit) -> Option<Diagnostic> {
    let clause = program.clause(limit.clause());
    let relation = program.relation(clause.relation);
    let name = relation.indicator();
    Some(match limit {
        Limit::Interrupted { .. } => return None,
        Limit::Budget { .. } if !relation.recursive => Diagnostic::error(
            "static-budget",
            format!("`{name}` has too many answers to be kept"),
        )
        .at(clause.span, "stopped here")
        .hint("ask for fewer combinations: put the goals that compare before the last ones that give values"),
        Limit::Budget { facts, .. } => Diagnostic::error(
            "static-budget",
            format!("the evaluation of `{name}` does not seem to end"),
        )
        .at(clause.span, format!("stopped here, with {facts} facts"))
        .hint("bound what grows in it: a number, e.g. `N =< 10`, a list or a compound"),
        Limit::Depth { .. } | Limit::Again { .. } => {
            Diagnostic::error("static-budget", format!("`{name}` calls itself without end"))
                .at(clause.span, "stopped here")
                .hint("a recursive relation needs a clause that ends the recursion")
        }
        Limit::Arithmetic { span, text, .. } if is_name(text) => {
            Diagnostic::error("arithmetic", format!("`{text}` is no number"))
                .at(*span, "calculated here, at load")
                .hint("calculate with numbers only: take a goal before it that gives one")
        }
        Limit::Arithmetic { span, text, .. } => Diagnostic::error(
            "arithmetic",
            format!("`{text}` has no value"),
        )
        .at(*span, "calculated here, at load")
        .hint("numbers have 60 bits; `/` must be exact (`//` rounds), and nothing is divided by 0"),
        Limit::Unbound { span, text, .. } => {
            Diagnostic::error("unbound-variable", format!("a value is missing in `{text}`"))
                .at(*span, "not bound when this goal is reached")
                .hint("put a goal before it that gives the value")
        }
    })
}

/// Whether the text is a name or compound, and no number or calculation.
fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && !text.contains([' ', '('])
}
