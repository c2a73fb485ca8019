//! Goals that keep the first answer over variables without a value: `once`, conditions, and calls
//! of relations that come down to these. Which answer is the first depends on what has a value, so
//! no goal behind such a goal may give its variables their values before it is run.

use crate::program::{Clause, Goal, GoalKind, Kind, Program, Term, VariableId};

use super::emit::occurrences_in;
use super::goals::{Arg, G, Var, Vars};
use super::order::{Context, Status, Want};
use super::{Builder, Lowering, NotReady};

impl Lowering<'_> {
    /// The first goal that chooses a value of a variable that the rest of the clause speaks of.
    pub(super) fn open_choice(&self, goals: &[G], context: &Context, want: &Want) -> Option<usize> {
        goals.iter().position(|goal| {
            self.chooses(goal, &|v| {
                context.bound[v].is_none()
                    && (want.wants(v) || context.totals[v] > occurrences_in(goal, v))
            })
        })
    }

    /// Does a goal keep the first answer over an open variable?
    pub(super) fn chooses(&self, goal: &G, open: &dyn Fn(Var) -> bool) -> bool {
        let any = |goals: &[G]| goals.iter().any(|g| self.chooses(g, open));
        match goal {
            G::Once(inner) => speaks(inner, open),
            G::If(c, t, e) => speaks(c, open) || any(t) || any(e),
            G::Or(branches) => branches.iter().any(|b| any(b)),
            G::Call(id, args) => {
                self.choosing.get(id.0 as usize).is_some_and(|chooses| *chooses)
                    && args.iter().any(|a| matches!(a, Arg::Var(v) if open(*v)))
            }
            _ => false,
        }
    }

    /// Writes a test, or the next goal on the way to the choice at `at`, in the order of the text.
    pub(super) fn up_to_choice(
        &mut self,
        at: usize,
        goals: &mut Vec<G>,
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let statuses: Vec<Status> =
            (0..goals.len()).map(|i| self.status(&goals[i], i == 0, context, vars, want)).collect();
        let next = statuses
            .iter()
            .position(|s| *s == Status::CheapTest)
            .or_else(|| statuses[..=at].iter().position(|s| *s != Status::Wait))
            .ok_or(NotReady)?;
        let goal = goals.remove(next);
        if !matches!(statuses[next], Status::CheapTest | Status::CostlyTest) {
            self.note_witnesses(&goal, goals, context, want);
        }
        self.goal_ops(&goal, context, vars, want, out)
    }
}

fn speaks(goals: &[G], open: &dyn Fn(Var) -> bool) -> bool {
    let mut found = false;
    goals.iter().for_each(|g| g.each_var(&mut |v| found |= open(v)));
    found
}

/// For each relation: does a clause keep the first answer over an argument that its caller may
/// leave without a value? Recursive relations are worked out as a whole.
pub(super) fn choosing(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.relations.len()];
    for id in program.graph.components.iter().flatten() {
        let relation = program.relation(*id);
        found[id.0 as usize] = relation.kind == Kind::Derived
            && !relation.recursive
            && relation.clauses.iter().any(|c| in_clause(program, program.clause(*c), &found));
    }
    found
}

fn in_clause(program: &Program, clause: &Clause, found: &[bool]) -> bool {
    let needs = &program.relation(clause.relation).needs_bound;
    let mut open = Vec::new();
    for (term, needed) in clause.head.iter().zip(needs) {
        term.each_variable(&mut |v| {
            if !needed {
                open.push(v);
            }
        });
    }
    clause.body.conjuncts().iter().any(|goal| {
        let chooses = in_goal(goal, &open, found);
        let mut close = |v: VariableId| open.retain(|other| *other != v);
        match &goal.kind {
            GoalKind::Aggregate(_, _, _, result) => result.each_variable(&mut close),
            GoalKind::Call(..) | GoalKind::Unify(..) | GoalKind::Is(..) | GoalKind::In(..) => {
                goal.each_variable(&mut close);
            }
            _ => {}
        }
        chooses
    })
}

fn in_goal(goal: &Goal, open: &[VariableId], found: &[bool]) -> bool {
    let within = |goal: &Goal| {
        let mut within = false;
        goal.each_variable(&mut |v| within |= open.contains(&v));
        within
    };
    match &goal.kind {
        GoalKind::Once(inner) => within(inner),
        GoalKind::If(c, t, e) => within(c) || in_goal(t, open, found) || in_goal(e, open, found),
        GoalKind::And(goals) | GoalKind::Or(goals) => goals.iter().any(|g| in_goal(g, open, found)),
        GoalKind::Call(id, args) => {
            let given = |term: &Term| {
                let mut given = false;
                term.each_variable(&mut |v| given |= open.contains(&v));
                given
            };
            found[id.0 as usize] && args.iter().any(given)
        }
        _ => false,
    }
}
