//! Recursion along a line: an argument goes from each value to at most one other, and never comes
//! back, as from site to site in one direction. Such a recursion ends without a table, and what it
//! is asked for one value is no more than the rest of the line.

use rustc_hash::FxHashMap;

use crate::program::{ClauseId, GoalKind, Kind, RelationId, Term, Value, VariableId};

use super::Lowering;

impl Lowering<'_> {
    /// For each relation the argument that goes along a line in its recursion, if one does.
    pub(super) fn descents(&self) -> Vec<Option<usize>> {
        let program = self.program;
        (0..program.relations.len()).map(|id| self.descent(RelationId(id as u32))).collect()
    }

    fn descent(&self, id: RelationId) -> Option<usize> {
        let relation = self.program.relation(id);
        if !relation.recursive
            || relation.kind != Kind::Derived
            || relation.chooses
            || self.types.raises[id.0 as usize]
            || !self.program.graph.is_alone(id)
        {
            return None;
        }
        (0..relation.arity)
            .find(|column| relation.clauses.iter().all(|by| self.descends_by(*by, id, *column)))
    }

    fn descends_by(&self, by: ClauseId, id: RelationId, column: usize) -> bool {
        let clause = self.program.clause(by);
        let goals = clause.body.conjuncts();
        let calls = self.recursive_calls(by, id);
        let own = goals.iter().find_map(|goal| match &goal.kind {
            GoalKind::Call(called, args) if *called == id => Some(args),
            _ => None,
        });
        let (1, Some(args)) = (calls, own) else { return calls == 0 };
        let (Term::Variable(from), Term::Variable(to)) = (&clause.head[column], &args[column])
        else {
            return false;
        };
        let passed = |v: &VariableId| {
            let is =
                |(i, term): (usize, &Term)| *term == Term::Variable(*v) && self.passed_on(id, i);
            clause.head.iter().enumerate().any(is)
        };
        goals.iter().any(|goal| match &goal.kind {
            GoalKind::Call(table, terms) => {
                self.program.relations.get(table.0 as usize).is_some_and(|r| r.kind == Kind::Static)
                    && self.is_line(*table, terms, [*from, *to], &passed)
            }
            _ => false,
        })
    }

    /// Whether a goal on a static relation leads from each value of a variable to at most one of
    /// another, and never back, for given constants and values of what the recursion passes on.
    fn is_line(
        &self,
        table: RelationId,
        terms: &[Term],
        [from, to]: [VariableId; 2],
        passed: &dyn Fn(&VariableId) -> bool,
    ) -> bool {
        let at = |v: VariableId| terms.iter().position(|term| *term == Term::Variable(v));
        let (Some(from), Some(to)) = (at(from), at(to)) else { return false };
        let known = |(i, term): (usize, &Term)| match term {
            Term::Constant(_) => true,
            Term::Variable(v) => i == from || i == to || passed(v),
            _ => false,
        };
        if from == to || !terms.iter().enumerate().all(known) {
            return false;
        }
        let mut next: FxHashMap<(Vec<Value>, Value), Value> = FxHashMap::default();
        for row in self.tables.get(table).rows() {
            let fits = |(term, value): (&Term, Value)| match term {
                Term::Constant(constant) => *constant == value,
                _ => true,
            };
            if !terms.iter().zip(row.iter().copied()).all(fits) {
                continue;
            }
            let keys =
                (0..terms.len()).filter(|i| *i != from && *i != to).map(|i| row[i]).collect();
            if next.insert((keys, row[from]), row[to]).is_some_and(|before| before != row[to]) {
                return false;
            }
        }
        let ends = |(keys, start): &(Vec<Value>, Value)| {
            let mut here = (keys.clone(), *start);
            for _ in 0..=next.len() {
                match next.get(&here) {
                    Some(value) => here.1 = *value,
                    None => return true,
                }
            }
            false
        };
        next.keys().all(ends)
    }
}
