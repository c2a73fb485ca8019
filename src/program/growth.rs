//! Recursions whose calls make a list or a compound longer each time, so that the answers of all arguments need
//! not end: `points([C|L], N) :- value(C, V), points(L, M), N is M + V`.

use super::{Clause, GoalKind, Kind, Program, RelationId, Term, modes};

impl Program {
    /// The arguments of static recursions, by number, that a clause makes of what it asks a call of the same
    /// recursion for.
    pub fn growing(&self) -> Vec<(RelationId, usize)> {
        let clauses = self.clauses.iter().filter(|clause| {
            let relation = self.relation(clause.relation);
            relation.recursive && relation.kind == Kind::Static
        });
        let mut growing: Vec<(RelationId, usize)> = clauses
            .flat_map(|clause| self.made_of_calls(clause).map(|column| (clause.relation, column)))
            .collect();
        growing.sort_unstable();
        growing.dedup();
        growing
    }

    fn made_of_calls<'p>(&self, clause: &'p Clause) -> impl Iterator<Item = usize> + use<'p> {
        let component = self.graph.component_of(clause.relation);
        let mut asked = Vec::new();
        clause.body.walk(&mut |goal| {
            if let GoalKind::Call(called, arguments) = &goal.kind
                && component.contains(called)
            {
                arguments.iter().for_each(|a| a.each_variable(&mut |v| asked.push(v)));
            }
        });
        let made = move |term: &Term| {
            let mut of_call = false;
            term.each_variable(&mut |v| of_call |= asked.contains(&v));
            of_call && !matches!(term, Term::Variable(_))
        };
        clause.head.iter().enumerate().filter(move |(_, term)| made(term)).map(|(column, _)| column)
    }

    /// The same program in which callers bind these arguments, so that the recursions are evaluated call by
    /// call. `None` where there are no such arguments, or where a call leaves one open; what nothing asks for is
    /// evaluated whole, so that its faults are told.
    #[must_use]
    pub fn on_demand(&self) -> Option<Program> {
        let growing = self.growing();
        let asked = |(relation, _): &(RelationId, usize)| {
            let component = self.graph.component_of(*relation);
            let ids = (0..self.relations.len() as u32).map(RelationId);
            ids.filter(|from| !component.contains(from))
                .any(|from| self.graph.calls(from).any(|(to, _)| component.contains(&to)))
        };
        if growing.is_empty() || !growing.iter().all(asked) {
            return None;
        }
        let mut program = self.clone();
        for (relation, column) in growing {
            program.relations[relation.0 as usize].needs_bound[column] = true;
        }
        modes::infer(&mut program).is_empty().then_some(program)
    }
}
