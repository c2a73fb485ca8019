//! Goals about the arguments of a derived relation that hold in every position.
//!
//! In `reaches(A, leaper, B) :- …`, `reaches(A, X, B) :- runs(X, Dir), …` the second argument is
//! the leaper or what runs, whatever the state is.

use std::collections::BTreeSet;

use crate::program::{Kind, RelationId};

use super::goals::{Arg, G, Vars};
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
                    let rows = values.into_iter().map(|code| vec![code]).collect();
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
        let mut all = BTreeSet::new();
        for id in &program.relation(relation).clauses {
            if !self.is_alive(*id) {
                continue;
            }
            let clause = program.clause(*id);
            let (mut vars, mut scope) = (Vars::default(), self.scope(*id));
            let mut goals = Vec::new();
            let arg = self.arg(&mut scope, &clause.head[column], &mut vars, &mut goals);
            goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
            match arg {
                Arg::Const(code) => {
                    all.insert(code);
                }
                Arg::Var(_) => all.extend(self.possible_by(&goals, arg, depth)?),
            }
        }
        Some(all)
    }

    /// The values of a variable that these goals allow.
    fn possible_by(&mut self, goals: &[G], arg: Arg, depth: usize) -> Option<BTreeSet<Code>> {
        let mut left: Option<BTreeSet<Code>> = None;
        for goal in goals {
            let values: BTreeSet<Code> = match goal {
                G::Same(a, Arg::Const(code)) | G::Same(Arg::Const(code), a) if *a == arg => {
                    [*code].into()
                }
                G::Static(..) | G::Functor(..) => {
                    let Some(relation) = self.relation(goal) else { continue };
                    let of = |v| arg == Arg::Var(v);
                    let Some(at) = relation.columns.iter().position(|v| of(*v)) else { continue };
                    relation.rows.iter().map(|row| row[at]).collect()
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
}
