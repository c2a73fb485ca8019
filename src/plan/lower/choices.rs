//! Goals that keep the first answer over unbound variables: `once`, conditions, and calls of
//! relations that contain these. Which answer is the first depends on the variables that are bound,
//! so no goal after such a goal may bind its variables before it is run.

use crate::program::RelationId;

use super::control::built_for;
use super::emit::occurrences_in;
use super::goals::{Arg, G, Var, Vars};
use super::links::Links;
use super::order::{BlockState, Status, Want};
use super::procedures::FLOOD;
use super::{Builder, Lowering, NotReady};

impl Lowering<'_> {
    /// The first goal that chooses a value of a variable which occurs in the rest of the clause and
    /// which no goal before it can bind; goals that can are run first.
    pub(super) fn open_choice(
        &self,
        goals: &[G],
        context: &BlockState,
        want: &Want,
    ) -> Option<usize> {
        (0..goals.len()).find(|at| {
            let goal = &goals[*at];
            self.chooses(goal, &|v| {
                context.bound[v].is_none()
                    && (want.wants(v) || context.totals[v] > occurrences_in(goal, v))
                    && !goals[..*at].iter().any(|before| gives(before, v))
            })
        })
    }

    /// Whether a goal keeps the first answer over an open variable.
    pub(super) fn chooses(&self, goal: &G, open: &dyn Fn(Var) -> bool) -> bool {
        let any = |goals: &[G]| goals.iter().any(|g| self.chooses(g, open));
        match goal {
            G::Once(inner) => speaks(inner, open),
            G::If(c, t, e) => speaks(c, open) || any(t) || any(e),
            G::Or(branches) => branches.iter().any(|b| any(b)),
            G::Call(id, args) => {
                self.call_chooses(*id) && args.iter().any(|a| matches!(a, Arg::Var(v) if open(*v)))
            }
            _ => false,
        }
    }

    pub(super) fn call_chooses(&self, id: RelationId) -> bool {
        id != FLOOD && self.program.relation(id).chooses
    }

    /// Emits a test, or the next goal before the choice at `at`, in the order of the text.
    pub(super) fn up_to_choice(
        &mut self,
        at: usize,
        goals: &mut Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        // what is only asked for is no reason to choose again for each of its answers
        if let Some(test) = Links::new(goals, context, want).test_before(at, goals, context, want) {
            return self.component(goals, &test, context, vars, out);
        }
        let statuses = self.statuses(goals, context, vars, want);
        let next = statuses
            .iter()
            .position(|s| *s == Status::CheapTest)
            .or_else(|| built_for(goals, at, context))
            .or_else(|| statuses[..=at].iter().position(|s| *s != Status::Wait))
            .ok_or(NotReady)?;
        let goal = goals.remove(next);
        if !matches!(statuses[next], Status::CheapTest | Status::CostlyTest) {
            self.note_witnesses(&goal, goals, context, want);
        }
        self.goal_ops(&goal, context, vars, want, out)
    }
}

/// Whether a goal binds a variable.
fn gives(goal: &G, v: Var) -> bool {
    let tests = matches!(goal, G::Compare(..) | G::Not(_) | G::Or(_) | G::Aggregate(..));
    !tests && occurrences_in(goal, v) > 0
}

/// Whether one of the goals can bind an open variable. Goals that only test wait for it.
fn speaks(goals: &[G], open: &dyn Fn(Var) -> bool) -> bool {
    let mut found = false;
    let giving = goals.iter().filter(|g| !matches!(g, G::Compare(..) | G::Not(_)));
    giving.for_each(|g| g.each_var(&mut |v| found |= open(v)));
    found
}
