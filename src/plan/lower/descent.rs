//! Recursion along a line: an argument goes from each value to at most one other, and never comes
//! back, as from site to site in one direction, or as a number that is counted to a bound. Such a
//! recursion ends without a table, and what it is asked for one value is no more than the rest of the line.

use rustc_hash::FxHashMap;

use crate::program::{
    ArithmeticOp, Clause, ClauseId, Comparison, Expression, Goal, GoalKind, Kind, RelationId, Term,
    Value, VariableId,
};

use super::Lowering;

/// The recursion of a relation along lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Descent {
    /// The argument that goes along a line.
    pub column: usize,
    /// The other arguments that choose the line, such as a direction that the recursion passes on.
    pub chosen_by: Vec<usize>,
}

impl Lowering<'_> {
    /// For each relation its recursion along lines, if that is how it recurs.
    pub(super) fn descents(&self) -> Vec<Option<Descent>> {
        let program = self.program;
        (0..program.relations.len()).map(|id| self.descent(RelationId(id as u32))).collect()
    }

    fn descent(&self, id: RelationId) -> Option<Descent> {
        let relation = self.program.relation(id);
        if !relation.recursive
            || relation.kind != Kind::Derived
            || relation.chooses
            || self.types.raises[id.0 as usize]
            || !self.program.graph.is_alone(id)
            // two ways on from each site could be as many as two to the power of the length
            || relation.clauses.iter().filter(|by| self.recursive_calls(**by, id) > 0).count() > 1
        {
            return None;
        }
        (0..relation.arity).find_map(|column| {
            let mut chosen_by = Vec::new();
            for by in &relation.clauses {
                chosen_by.extend(self.descends_by(*by, id, column)?);
            }
            chosen_by.sort_unstable();
            chosen_by.dedup();
            Some(Descent { column, chosen_by })
        })
    }

    /// The arguments that choose the line along which an argument goes by a clause; `None` where it
    /// does not go along one.
    fn descends_by(&self, by: ClauseId, id: RelationId, column: usize) -> Option<Vec<usize>> {
        let clause = self.program.clause(by);
        let goals = clause.body.conjuncts();
        let calls = self.recursive_calls(by, id);
        let own = goals.iter().find_map(|goal| match &goal.kind {
            GoalKind::Call(called, args) if *called == id => Some(args),
            _ => None,
        });
        let (1, Some(args)) = (calls, own) else { return (calls == 0).then(Vec::new) };
        let (Term::Variable(from), Term::Variable(to)) = (&clause.head[column], &args[column])
        else {
            return None;
        };
        let passed = |v: &VariableId| {
            (0..clause.head.len())
                .find(|i| clause.head[*i] == Term::Variable(*v) && self.passed_on(id, *i))
        };
        let by_table = goals.iter().find_map(|goal| match &goal.kind {
            GoalKind::Call(table, terms) => {
                let relation = self.program.relations.get(table.0 as usize)?;
                let fixed = relation.kind == Kind::Static;
                fixed.then(|| self.line(*table, terms, [*from, *to], &passed))?
            }
            _ => None,
        });
        by_table.or_else(|| self.counted(clause, id, [*from, *to]))
    }

    /// The arguments besides a number that a clause needs in order to have one way on, where it counts the number to a
    /// bound.
    fn counted(
        &self,
        clause: &Clause,
        id: RelationId,
        [from, to]: [VariableId; 2],
    ) -> Option<Vec<usize>> {
        let goals = clause.body.conjuncts();
        let counter =
            |e: &Expression| matches!(e, Expression::Variable(v) if [from, to].contains(v));
        let is_from = |e: &Expression| *e == Expression::Variable(from);
        let constant = |e: &Expression| matches!(e, Expression::Integer(_));
        // whether the number is kept above or below a constant
        let bounded = |above: bool| {
            goals.iter().any(|goal| match &goal.kind {
                GoalKind::Compare(op, a, b) => {
                    let greater = matches!(op, Comparison::Greater | Comparison::GreaterOrEqual);
                    let less = matches!(op, Comparison::Less | Comparison::LessOrEqual);
                    let (more, fewer) = if above { (greater, less) } else { (less, greater) };
                    more && counter(a) && constant(b) || fewer && constant(a) && counter(b)
                }
                GoalKind::In(Term::Variable(v), lo, hi) => {
                    [from, to].contains(v) && constant(if above { lo } else { hi })
                }
                _ => false,
            })
        };
        let counting = goals.iter().any(|goal| match &goal.kind {
            GoalKind::Is(Term::Variable(v), Expression::Operation(op, args)) if *v == to => {
                match (op, &args[..]) {
                    (ArithmeticOp::Subtract, [n, Expression::Integer(step)]) => {
                        is_from(n) && *step > 0 && bounded(true)
                    }
                    (ArithmeticOp::Add, [n, Expression::Integer(step)])
                    | (ArithmeticOp::Add, [Expression::Integer(step), n]) => {
                        is_from(n) && *step > 0 && bounded(false)
                    }
                    _ => false,
                }
            }
            _ => false,
        });
        if !counting {
            return None;
        }
        // what is changed, and what is passed on and asked for on the way, such as a direction
        let counts = clause.occurrences();
        let asked = |term: &Term| matches!(term, Term::Variable(v) if counts[v.0 as usize] > 2);
        let given: Vec<usize> = (0..clause.head.len())
            .filter(|i| !self.passed_on(id, *i) || asked(&clause.head[*i]))
            .collect();
        let mut known: Vec<VariableId> = Vec::new();
        for i in &given {
            clause.head[*i].each_variable(&mut |v| known.push(v));
        }
        goals.iter().all(|goal| self.answers_once(goal, id, &mut known)).then(|| {
            given.into_iter().filter(|i| clause.head[*i] != Term::Variable(from)).collect()
        })
    }

    /// Whether a goal has at most one answer for known variables; adds those that it gives.
    fn answers_once(&self, goal: &Goal, id: RelationId, known: &mut Vec<VariableId>) -> bool {
        let given = |term: &Term, known: &[VariableId]| {
            let mut all = true;
            term.each_variable(&mut |v| all &= known.contains(&v));
            all
        };
        let one = match &goal.kind {
            GoalKind::Compare(..) | GoalKind::Not(_) | GoalKind::Is(..) => true,
            GoalKind::In(Term::Variable(v), ..) => known.contains(v),
            GoalKind::Call(called, _) if *called == id => true,
            GoalKind::Call(called, args) => match self.program.relation(*called).kind {
                Kind::Static => {
                    let keys: Vec<usize> =
                        (0..args.len()).filter(|i| given(&args[*i], known)).collect();
                    let mut seen = FxHashMap::default();
                    self.tables.get(*called).rows().all(|row| {
                        let key: Vec<Value> = keys.iter().map(|i| row[*i]).collect();
                        *seen.entry(key).or_insert_with(|| row.clone()) == row
                    })
                }
                Kind::Fluent(fluent) => {
                    let keys = self.program.fluent(fluent).keys.len();
                    args[..keys].iter().all(|key| given(key, known))
                }
                _ => args.iter().all(|arg| given(arg, known)),
            },
            _ => false,
        };
        goal.each_variable(&mut |v| known.push(v));
        one
    }

    /// Whether a goal on a static relation leads from each value of a variable to at most one of
    /// another, and never back, for given constants and values of what the recursion passes on:
    /// the arguments that have these values.
    fn line(
        &self,
        table: RelationId,
        terms: &[Term],
        [from, to]: [VariableId; 2],
        passed: &dyn Fn(&VariableId) -> Option<usize>,
    ) -> Option<Vec<usize>> {
        let at = |v: VariableId| terms.iter().position(|term| *term == Term::Variable(v));
        let (from, to) = (at(from)?, at(to)?);
        if from == to {
            return None;
        }
        let mut chosen_by = Vec::new();
        for (_, term) in terms.iter().enumerate().filter(|(i, _)| *i != from && *i != to) {
            match term {
                Term::Constant(_) => {}
                Term::Variable(v) => chosen_by.push(passed(v)?),
                _ => return None,
            }
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
                return None;
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
        next.keys().all(ends).then_some(chosen_by)
    }
}
