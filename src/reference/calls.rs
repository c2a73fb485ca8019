//! Calls: the answers of a relation.
//!
//! Static relations are looked up in their tables and fluents in the state; the clauses of derived
//! relations and actions are run. A derived relation is a set: each answer comes once. An action is
//! not: each way through it is an answer.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::datalog::Row;
use crate::goals::{Evaluator as _, Terms as _};
use crate::program::{ClauseId, FluentId, FluentShape, Kind, RelationId, Value};
use crate::program::{EndKind, outcome_relation};

use super::run::{Flow, Run, Stop, with_stack};
use crate::goals::Environment;

/// How many values of a domain are tried where the position does not matter.
const IMAGINED: usize = 64;

/// What is done with each row of a relation.
pub(crate) type Take<'n, 'r> = &'n mut dyn FnMut(&mut Run<'r>, &Row) -> Flow;

impl<'r> Run<'r> {
    /// The rows of a relation that have the given values.
    pub(crate) fn rows(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        if let Some((kind, named)) = outcome_relation(relation) {
            return self.outcome_rows(kind, named, take);
        }
        match self.program.relation(relation).kind {
            Kind::Static => self.table_rows(relation, given, caller, take),
            Kind::Fluent(fluent) => self.fluent_rows(fluent, given, caller, take),
            Kind::Derived if self.each_player(relation) && given[0].is_none() => {
                for player in self.program.players.clone() {
                    let mut given = given.to_vec();
                    given[0] = Some(player);
                    self.derived_rows(relation, &given, caller, take)?;
                }
                ControlFlow::Continue(())
            }
            Kind::Derived => self.derived_rows(relation, given, caller, take),
            Kind::Action => {
                for id in &self.program.relation(relation).clauses {
                    self.clause(*id, given, caller, take)?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Whether a relation is queried for each player in turn, as `win(P)`, `lose(P)`, `score(P, N)`
    /// and `value(P, N)` are.
    fn each_player(&self, id: RelationId) -> bool {
        let relation = self.program.relation(id);
        let special = &self.program.special;
        let ends = relation.arity == 1 && matches!(relation.name.as_str(), "win" | "lose");
        ends || special.score == Some(id) || special.value == Some(id)
    }

    /// The rows of a question about the outcome; with the name of the end where `named`.
    fn outcome_rows(&mut self, kind: EndKind, named: bool, take: Take<'_, 'r>) -> Flow {
        let Some(outcome) = self.outcome()? else { return ControlFlow::Continue(()) };
        let name = outcome.clause.and_then(|id| self.program.clause(id).end_name);
        if named && name.is_none() {
            return ControlFlow::Continue(());
        }
        let name = name.filter(|_| named);
        let draw = outcome.is_draw(self.program.players.len());
        let players = match kind {
            EndKind::Win => outcome.winners,
            EndKind::Lose => outcome.losers,
            EndKind::Draw if !draw => return ControlFlow::Continue(()),
            EndKind::Draw | EndKind::Over => return take(self, &name.into_iter().collect()),
        };
        for player in players {
            take(self, &[player].into_iter().chain(name).collect())?;
        }
        ControlFlow::Continue(())
    }

    fn table_rows(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let lookup = self.lookup(relation, given)?;
        let table = lookup.tables.get(relation);
        if let Some(row) = given.iter().copied().collect::<Option<Row>>() {
            return if table.contains(&row) { take(self, &row) } else { ControlFlow::Continue(()) };
        }
        for number in lookup.rows(relation, given) {
            self.spend(1, caller)?;
            take(self, &table.row(number as usize))?;
        }
        ControlFlow::Continue(())
    }

    fn fluent_rows(
        &mut self,
        fluent: FluentId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let set = matches!(self.program.fluent(fluent).shape, FluentShape::Set);
        let keys = if set { given } else { &given[..given.len() - 1] };
        let row = |keys: &[Value], value: Value| {
            let mut row = Row::from_slice(keys);
            if !set {
                row.push(value);
            }
            row
        };
        // the goals behind may update the state, so this iterates over a copy
        let map = self.state[fluent.0 as usize].clone();
        if let Some(keys) = keys.iter().copied().collect::<Option<Vec<Value>>>() {
            if self.relaxed && self.reference.domain(fluent).wrong_key(&keys).is_none() {
                // it may have any value in another position
                for value in self.reference.domain(fluent).values().take(IMAGINED) {
                    self.spend(1, caller)?;
                    take(self, &row(&keys, value))?;
                }
                return ControlFlow::Continue(());
            }
            return match map.get(&keys) {
                Some(value) => take(self, &row(&keys, *value)),
                None => ControlFlow::Continue(()),
            };
        }
        let fits =
            |at: &[Value]| keys.iter().zip(at).all(|(given, key)| given.is_none_or(|k| k == *key));
        let mut found: Vec<(&Vec<Value>, &Value)> = Vec::new();
        for entry in map.iter() {
            self.spend(1, caller)?;
            if fits(entry.0) {
                found.push(entry);
            }
        }
        self.reference.domain(fluent).sort(&mut found);
        for (at, value) in found {
            take(self, &row(at, *value))?;
        }
        ControlFlow::Continue(())
    }

    fn derived_rows(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let program = self.program;
        if program.relation(relation).recursive {
            return self.tabled_rows(relation, given, caller, take);
        }
        let one = given.iter().all(Option::is_some);
        let mut seen: FxHashSet<Row> = FxHashSet::default();
        let mut done = false;
        for id in &program.relation(relation).clauses {
            let flow = self.clause(*id, given, caller, &mut |run, row| {
                if !seen.insert(row.clone()) {
                    return ControlFlow::Continue(());
                }
                run.room(seen.len(), caller)?;
                take(run, row)?;
                // there is no second answer where all arguments are given
                done = one;
                if done { ControlFlow::Break(Stop::Enough) } else { ControlFlow::Continue(()) }
            });
            if done && matches!(flow, ControlFlow::Break(Stop::Enough)) {
                return ControlFlow::Continue(());
            }
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Runs a clause whose head has the given values.
    pub(crate) fn clause(
        &mut self,
        id: ClauseId,
        given: &[Option<Value>],
        caller: &Environment,
        take: Take<'_, 'r>,
    ) -> Flow {
        let clause = self.program.clause(id);
        let mut env = Environment::new(Some(id), caller.depth + 1, clause.variables.len());
        for (term, value) in clause.head.iter().zip(given) {
            if let Some(value) = value
                && !self.matches(term, *value, &mut env)
            {
                return ControlFlow::Continue(());
            }
        }
        let flow = self.nested(caller, |run| {
            run.goal(&clause.body, &mut env, &mut |run, env| {
                let mut row = Row::new();
                for term in &clause.head {
                    row.push(run.need(term, env, clause.head_span)?);
                }
                // each answer of a recursion is passed through all of its calls
                with_stack(|| take(run, &row))
            })
        });
        match flow {
            ControlFlow::Break(stop) if self.unwound.is_some() => {
                ControlFlow::Break(self.unwind(stop, id, given))
            }
            flow => flow,
        }
    }
}
