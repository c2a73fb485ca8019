//! Relations whose clauses differ only in what tables say, as one clause.
//!
//! `joined(A, B, P) :- line(e(A, B), P)` and `joined(A, B, P) :- line(e(B, A), P)` both ask for the player of one line. So
//! they are `line(L, P)` with a table that has `L`, `A` and `B` for either.

use crate::program::{ClauseId, GoalKind, Kind, RelationId};

use super::Lowering;
use super::emit::occurrences_in;
use super::forms::form;
use super::goals::{Arg, G, Var, Vars};
use super::joins::{MAX_COLUMNS, Relation, join};
use super::single::MOST_CLAUSES;

/// The goals of a clause, those about tables apart.
struct Parted {
    tables: Relation,
    rest: Vec<G>,
}

impl Lowering<'_> {
    /// The goals of one clause in place of all of a relation's, for a call with these arguments; `None` where the clauses
    /// differ in more than what tables say.
    pub(super) fn merged(
        &mut self,
        id: RelationId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        if !self.is_mergeable(id) {
            return None;
        }
        let (outer, mut all) = (vars.all.len(), vars.clone());
        let mut parted = Vec::new();
        for body in self.bodies_of(id, args, &mut all)? {
            parted.push(self.parted(body)?);
        }
        let (first, others) = parted.split_first()?;
        let is_local = |v: Var| v >= outer;
        let kept = |v: Var| !is_local(v) || first.rest.iter().any(|g| occurrences_in(g, v) > 0);
        let mut union = first.tables.clone().project(kept);
        for other in others {
            let names = renaming(&first.rest, &other.rest, &is_local)?;
            let columns = other.tables.columns.iter().map(|v| match is_local(*v) {
                true => names.iter().find(|(_, theirs)| theirs == v).map_or(*v, |(own, _)| *own),
                false => *v,
            });
            let renamed = Relation { columns: columns.collect(), rows: other.tables.rows.clone() };
            let added = in_order(renamed.project(kept), &union.columns)?;
            for (own, theirs) in names {
                if all.all[own].domain != all.all[theirs].domain {
                    return None;
                }
            }
            union.rows.extend(added.rows);
        }
        let union = union.distinct();
        if !(1..=MAX_COLUMNS).contains(&union.columns.len()) {
            return None;
        }
        let name = self.program.relation(id).name.clone();
        let table = self.joined_table(&name, union.columns.len(), union.rows);
        let mut goals = vec![G::Functor(table, union.columns.into_iter().map(Arg::Var).collect())];
        goals.extend(first.rest.iter().cloned());
        *vars = all;
        Some(goals)
    }

    /// Whether a relation has a few clauses that only look into tables and the state, and all of them as often into the state.
    fn is_mergeable(&self, id: RelationId) -> bool {
        // the clauses as one have the same answers in another order
        if self.calls.ordered.contains(&id) {
            return false;
        }
        let relation = self.program.relation(id);
        let simple = self.is_simple(id) && (2..=MOST_CLAUSES).contains(&relation.clauses.len());
        let reads = |id: &ClauseId| -> Option<usize> {
            let mut reads = 0;
            for goal in self.program.clause(*id).body.conjuncts() {
                let GoalKind::Call(called, _) = &goal.kind else { return None };
                match self.program.relation(*called).kind {
                    Kind::Static => {}
                    Kind::Fluent(_) => reads += 1,
                    _ => return None,
                }
            }
            Some(reads)
        };
        simple
            && reads(&relation.clauses[0]).is_some_and(|n| {
                n > 0
                    && relation.clauses.iter().all(|id| self.is_alive(*id) && reads(id) == Some(n))
            })
    }

    /// The goals of a body, with its tables joined; `None` where these have too many rows.
    fn parted(&self, body: Vec<G>) -> Option<Parted> {
        let mut tables = Relation { columns: Vec::new(), rows: vec![Default::default()] };
        let mut rest = Vec::new();
        for goal in body {
            let table = match &goal {
                G::Same(Arg::Var(v), Arg::Const(code)) | G::Same(Arg::Const(code), Arg::Var(v)) => {
                    Some(Relation { columns: vec![*v], rows: vec![[*code].into_iter().collect()] })
                }
                goal => self.relation(goal),
            };
            match table {
                Some(table) => tables = join(&tables, &table)?,
                None => rest.push(goal),
            }
        }
        Some(Parted { tables, rest })
    }
}

/// By which local variables of the first goals those of the others have to be called to be the same goals.
fn renaming(ours: &[G], theirs: &[G], is_local: &dyn Fn(Var) -> bool) -> Option<Vec<(Var, Var)>> {
    let mut names: Vec<(Var, Var)> = Vec::new();
    if ours.len() != theirs.len() {
        return None;
    }
    for (own, other) in ours.iter().zip(theirs) {
        let ((own, own_args), (other, other_args)) = (form(own)?, form(other)?);
        if own != other || own_args.len() != other_args.len() {
            return None;
        }
        for pair in own_args.into_iter().zip(other_args) {
            match pair {
                (Arg::Var(a), Arg::Var(b)) if is_local(a) && is_local(b) => {
                    let apart = |(x, y): &(Var, Var)| (*x == a) != (*y == b);
                    if names.iter().any(apart) {
                        return None;
                    }
                    names.push((a, b));
                }
                (a, b) if a == b => {}
                _ => return None,
            }
        }
    }
    Some(names)
}

/// A relation with its columns in this order; `None` where it has others.
fn in_order(relation: Relation, columns: &[Var]) -> Option<Relation> {
    let places: Vec<usize> = (columns.iter())
        .map(|v| relation.columns.iter().position(|column| column == v))
        .collect::<Option<_>>()?;
    if relation.columns.len() != columns.len() {
        return None;
    }
    let rows = relation.rows.iter().map(|row| places.iter().map(|at| row[*at]).collect());
    Some(Relation { columns: columns.to_vec(), rows: rows.collect() })
}
