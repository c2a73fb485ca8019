//! Hypothetical goals, made relations of their own before they are lowered.
//!
//! `after(A, G)` becomes a call of a relation of the variables that it shares with the rest of its
//! clause. The one clause of that relation runs A and then G; its caller takes the updates
//! back. So all that is known of calls of derived relations, such as which arguments must be bound,
//! holds of hypotheses too.

use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Kind, Modes, Program, Relation, RelationId, Term, VariableId,
    before_hypotheses, makes_choice, reconnect,
};
use crate::source::Span;
use crate::types::Types;

use super::closures::Rewritten;

/// The name of the relations; no rule file can define it.
const NAME: &str = "after";

/// Replaces each hypothesis of a program by a call.
pub(super) fn lift(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    let has = |clause: &Clause| {
        let mut has = false;
        clause.body.walk_here(&mut |goal| has |= matches!(goal.kind, GoalKind::After(..)));
        has
    };
    let mut lifts = false;
    let mut next = 0;
    while next < program.clauses.len() {
        let id = ClauseId(next as u32);
        next += 1;
        if !has(program.clause(id)) {
            continue;
        }
        let body = program.clause(id).body.clone();
        if next <= before.written() {
            before.keep(program, id, &body);
        }
        let bound = before_hypotheses(program, program.clause(id));
        let lifted = Lift { program, types, before, bound, id }.goal(body);
        program.clauses[id.0 as usize].body = lifted;
        lifts = true;
    }
    if lifts {
        reconnect(program);
    }
}

struct Lift<'a> {
    program: &'a mut Program,
    types: &'a mut Types,
    before: &'a mut Rewritten,
    /// The variables that are bound before each hypothesis, by its place.
    bound: Vec<(Span, Modes)>,
    id: ClauseId,
}

impl Lift<'_> {
    /// The goal without hypotheses.
    fn goal(&mut self, goal: Goal) -> Goal {
        let span = goal.span;
        let kind = match goal.kind {
            GoalKind::After(action, then, shared) => {
                let relation = self.relation(*action, *then, &shared, span);
                GoalKind::Call(relation, shared.into_iter().map(Term::Variable).collect())
            }
            GoalKind::And(goals) => GoalKind::And(self.goals(goals)),
            GoalKind::Or(goals) => GoalKind::Or(self.goals(goals)),
            GoalKind::If(c, t, e) => GoalKind::If(self.boxed(*c), self.boxed(*t), self.boxed(*e)),
            GoalKind::Not(inner) => GoalKind::Not(self.boxed(*inner)),
            GoalKind::Once(inner) => GoalKind::Once(self.boxed(*inner)),
            GoalKind::Forall(a, b) => GoalKind::Forall(self.boxed(*a), self.boxed(*b)),
            GoalKind::Each(a, b) => GoalKind::Each(self.boxed(*a), self.boxed(*b)),
            GoalKind::Aggregate(kind, template, inner, result) => {
                GoalKind::Aggregate(kind, template, self.boxed(*inner), result)
            }
            other => other,
        };
        Goal::new(kind, span)
    }

    fn goals(&mut self, goals: Vec<Goal>) -> Vec<Goal> {
        goals.into_iter().map(|goal| self.goal(goal)).collect()
    }

    fn boxed(&mut self, goal: Goal) -> Box<Goal> {
        Box::new(self.goal(goal))
    }

    /// A relation with one clause: the goals of a hypothesis.
    fn relation(
        &mut self,
        action: Goal,
        then: Goal,
        shared: &[VariableId],
        span: Span,
    ) -> RelationId {
        let program = &mut *self.program;
        let (number, at) = (RelationId(program.relations.len() as u32), self.id.0 as usize);
        let around = program.clauses[at].clone();
        let goals: Vec<Goal> = action.conjuncts().iter().chain(then.conjuncts()).cloned().collect();
        let clause = Clause {
            relation: number,
            head: shared.iter().copied().map(Term::Variable).collect(),
            body: Goal::new(GoalKind::And(goals), span),
            ..around.clone()
        };
        let clause_id = ClauseId(program.clauses.len() as u32);
        let bound = self.bound.iter().find(|(place, _)| *place == span).map(|(_, modes)| modes);
        program.relations.push(Relation {
            name: NAME.to_string(),
            arity: shared.len(),
            kind: Kind::Derived,
            clauses: vec![clause_id],
            stratum: program.relation(around.relation).stratum,
            recursive: false,
            // what is bound before the goal as written, so that it is run with the same values
            needs_bound: shared.iter().map(|v| bound.is_some_and(|b| b.has(*v))).collect(),
            chooses: false,
            supposes: true,
            span,
            built_in: true,
        });
        let chooses = makes_choice(program, &clause);
        program.relations[number.0 as usize].chooses = chooses;
        let domains = &self.types.variables[at];
        let columns = shared.iter().map(|v| domains[v.0 as usize].clone()).collect();
        let raises = self.types.may_raise_in(&clause.body, self.program);
        self.types.columns.push(columns);
        self.types.raises.push(raises);
        self.types.variables.push(domains.clone());
        self.program.clauses.push(clause);
        self.before.stands_for(self.id);
        number
    }
}
