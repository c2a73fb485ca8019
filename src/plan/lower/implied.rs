//! Goals about the arguments of a derived relation that hold in every position.
//!
//! In `reaches(A, leaper, B) :- …`, `reaches(A, X, B) :- runs(X, Dir), …` the second argument is
//! the leaper or what runs, whatever the state is.

use std::collections::BTreeSet;

use crate::program::{ClauseId, Kind, RelationId};

use super::goals::{Arg, G, Var, Vars};
use super::joins::{Relation, join};
use super::tables::TableRef;
use super::{Code, Lowering};

/// The depth of nested relations that are examined.
const MAX_DEPTH: usize = 3;

impl Lowering<'_> {
    /// Goals that hold wherever the calls among these do.
    pub(super) fn implied(&mut self, goals: &[G]) -> Vec<G> {
        let mut found = Vec::new();
        for goal in goals {
            let G::Call(relation, args) = goal else { continue };
            for (column, arg) in args.iter().enumerate() {
                if let Some(values) = self.possible(*relation, column, MAX_DEPTH) {
                    let rows = values.into_iter().map(|code| [code]);
                    let name = format!("{} {column}", self.program.relation(*relation).name);
                    found.push(G::Functor(self.joined_table(&name, 1, rows), vec![*arg]));
                }
            }
        }
        found
    }

    /// The values that an argument can have; `None` where that is not known.
    fn possible(
        &mut self,
        relation: RelationId,
        column: usize,
        depth: usize,
    ) -> Option<BTreeSet<Code>> {
        let program = self.program;
        if depth == 0 || program.relation(relation).kind != Kind::Derived {
            return None;
        }
        let key = (relation, column, depth);
        if let Some(known) = self.known.possible.get(&key) {
            return known.clone();
        }
        let alive = self.alive_clauses(relation);
        let of_each: Option<Vec<BTreeSet<Code>>> =
            alive.into_iter().map(|id| self.possible_in(id, column, depth)).collect();
        let found: Option<BTreeSet<Code>> = of_each.map(|all| all.into_iter().flatten().collect());
        self.known.possible.insert(key, found.clone());
        found
    }

    /// The values that an argument of one clause can have.
    fn possible_in(&mut self, id: ClauseId, column: usize, depth: usize) -> Option<BTreeSet<Code>> {
        let clause = self.program.clause(id);
        let (mut vars, mut scope) = (Vars::default(), self.scope(id));
        let mut goals = Vec::new();
        let arg = self.arg(&mut scope, &clause.head[column], &mut vars, &mut goals);
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        match arg {
            Arg::Const(code) => Some([code].into()),
            Arg::Var(_) => self.possible_by(&goals, arg, depth),
        }
    }

    /// The values of a variable that these goals allow.
    fn possible_by(&mut self, goals: &[G], arg: Arg, depth: usize) -> Option<BTreeSet<Code>> {
        let mut left = self.possible_by_statics(goals, arg);
        for goal in goals {
            let values: BTreeSet<Code> = match goal {
                G::Same(a, Arg::Const(code)) | G::Same(Arg::Const(code), a) if *a == arg => {
                    [*code].into()
                }
                G::Call(relation, args) => {
                    let Some(at) = args.iter().position(|a| *a == arg) else { continue };
                    let Some(values) = self.possible(*relation, at, depth - 1) else { continue };
                    values
                }
                _ => continue,
            };
            left = Some(match left {
                Some(left) => left.intersection(&values).copied().collect(),
                None => values,
            });
        }
        left
    }

    /// The values that the join of the static goals leaves for a variable.
    fn possible_by_statics(&self, goals: &[G], arg: Arg) -> Option<BTreeSet<Code>> {
        let Arg::Var(v) = arg else { return None };
        let mut rest: Vec<Relation> = goals.iter().filter_map(|g| self.relation(g)).collect();
        let first = rest.iter().position(|relation| relation.columns.contains(&v))?;
        let mut all = rest.swap_remove(first);
        let shared = |all: &Relation, rest: &[Relation]| {
            rest.iter().position(|r| r.columns.iter().any(|v| all.columns.contains(v)))
        };
        while let Some(next) = shared(&all, &rest) {
            let next = rest.swap_remove(next);
            let asked = |of: Var, rest: &[Relation]| {
                of == v || rest.iter().any(|relation| relation.columns.contains(&of))
            };
            let next = next.project(|of| all.columns.contains(&of) || asked(of, &rest));
            // without one that makes too many rows there are more values, not fewer
            if let Some(joined) = join(&all, &next) {
                all = joined.project(|of| asked(of, &rest));
            }
        }
        let values = all.project(|other| other == v);
        Some(values.rows.into_iter().map(|row| row[0]).collect())
    }

    /// Adds what calls imply of variables that a part of the state gives, where that leaves at most
    /// half of their values: so most are refused before the call. A call that may be a rule error is
    /// asked for the others too, as it may be one before it fails.
    pub(super) fn add_implied(&mut self, goals: &mut Vec<G>) {
        if goals.iter().any(|goal| self.raises(goal)) {
            return;
        }
        let mut added = Vec::new();
        for goal in self.implied(goals) {
            let G::Functor(table, args) = &goal else { continue };
            let [Arg::Var(v)] = args[..] else { continue };
            let values = self.table_rows(TableRef::Functor(*table)).iter().count();
            let keys = goals.iter().find_map(|g| match g {
                G::Read(fluent, keys, _) if keys[..] == [Arg::Var(v)] => {
                    Some(self.layout.place(*fluent).size)
                }
                _ => None,
            });
            if keys.is_some_and(|keys| values * 2 <= keys) {
                added.push(goal);
            }
        }
        goals.append(&mut added);
    }
}
