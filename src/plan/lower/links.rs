//! The goals of a conjunction that are connected by unbound variables which nothing outside the
//! conjunction needs.

use rustc_hash::FxHashMap;

use super::goals::{G, Var};
use super::order::{BlockState, Want};

/// The variables that link each goal, and the goals that contain each unbound variable. Both are
/// computed once for all goals, because a clause may have some hundred of them.
pub(super) struct Links {
    variables: Vec<Vec<Var>>,
    goals: FxHashMap<Var, Vec<usize>>,
    target: Option<Var>,
}

impl Links {
    /// The target of `want` is not followed.
    pub(super) fn new(goals: &[G], context: &BlockState, want: &Want) -> Links {
        let mut links = Links {
            variables: Vec::with_capacity(goals.len()),
            goals: FxHashMap::default(),
            target: want.target,
        };
        for (i, goal) in goals.iter().enumerate() {
            let mut open = Vec::new();
            goal.each_var(&mut |v| {
                if context.bound[v].is_none() {
                    open.push(v);
                }
            });
            open.sort_unstable();
            open.dedup();
            open.iter().for_each(|v| links.goals.entry(*v).or_default().push(i));
            open.retain(|v| !want.needed.contains(v) && !want.telling.contains(v));
            links.variables.push(open);
        }
        links
    }

    /// The places, in ascending order, of the goals that contain an unbound variable.
    pub(super) fn mentioning(&self, var: Var) -> &[usize] {
        self.goals.get(&var).map_or(&[], Vec::as_slice)
    }

    /// The places of the goals that are linked to one of them by any unbound variables.
    pub(super) fn linked_to(&self, start: usize) -> Vec<usize> {
        let mut found = vec![start];
        loop {
            let before = found.len();
            for goals in self.goals.values() {
                if goals.iter().any(|goal| found.contains(goal)) {
                    found.extend(goals);
                }
            }
            found.sort_unstable();
            found.dedup();
            if found.len() == before {
                return found;
            }
        }
    }

    /// Goals linked by unbound variables that are not needed, without unbound variables that are.
    pub(super) fn test(
        &self,
        goals: &[G],
        context: &BlockState,
        want: &Want,
    ) -> Option<Vec<usize>> {
        self.components().find(|component| is_closed(component, goals, context, want))
    }

    /// The same of goals before a place, where they have unbound variables at all.
    pub(super) fn test_before(
        &self,
        place: usize,
        goals: &[G],
        context: &BlockState,
        want: &Want,
    ) -> Option<Vec<usize>> {
        self.components().find(|component| {
            component.iter().all(|at| *at < place)
                && component.iter().any(|at| !self.variables[*at].is_empty())
                && is_closed(component, goals, context, want)
        })
    }

    /// The same with one of the goals.
    pub(super) fn test_with(
        &self,
        start: usize,
        goals: &[G],
        context: &BlockState,
        want: &Want,
    ) -> Option<Vec<usize>> {
        Some(self.component(start)).filter(|component| is_closed(component, goals, context, want))
    }

    /// The places of the goals by what they are connected with, each goal once.
    pub(super) fn components(&self) -> impl Iterator<Item = Vec<usize>> {
        let mut seen = vec![false; self.variables.len()];
        (0..self.variables.len()).filter_map(move |start| {
            if seen[start] {
                return None;
            }
            let component = self.component(start);
            component.iter().for_each(|place| seen[*place] = true);
            Some(component)
        })
    }

    /// The places, in ascending order, of the goals reached from one of them.
    fn component(&self, start: usize) -> Vec<usize> {
        self.component_for(start, self.target)
    }

    /// The same where another variable is the target.
    pub(super) fn component_for(&self, start: usize, target: Option<Var>) -> Vec<usize> {
        let mut reached = vec![false; self.variables.len()];
        reached[start] = true;
        let mut found = vec![start];
        let mut at = 0;
        while at < found.len() {
            for v in &self.variables[found[at]] {
                if target == Some(*v) {
                    continue;
                }
                for goal in &self.goals[v] {
                    if !std::mem::replace(&mut reached[*goal], true) {
                        found.push(*goal);
                    }
                }
            }
            at += 1;
        }
        found.sort_unstable();
        found
    }
}

/// Whether no goal at these places has an unbound variable that is wanted.
fn is_closed(component: &[usize], goals: &[G], context: &BlockState, want: &Want) -> bool {
    let mut closed = true;
    for place in component {
        goals[*place].each_var(&mut |v| closed &= context.bound[v].is_some() || !want.wants(v));
    }
    closed
}
