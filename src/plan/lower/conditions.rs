//! The goals of a clause before its first update, as far as they tell it from another one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::forms::{rename, stateless};
use super::goals::{Arg, G, Var, Vars};
use super::occurrences;

/// The most goals that a clause's conditions are divided into.
const MAX_GOALS: usize = 64;

/// What must hold before a clause's first update.
#[derive(Debug, Clone)]
pub(super) struct Conditions {
    /// The head's arguments; `None` for one that is neither a variable nor a constant.
    pub(super) head: Vec<Option<Arg>>,
    goals: Vec<G>,
    /// How often each variable occurs in the whole clause.
    pub(super) totals: Vec<usize>,
}

impl Conditions {
    /// The facts of a clause with the goals `before` its first update and the goals `after`;
    /// `head_vars` are the variables of its head.
    pub(super) fn new(
        head: Vec<Option<Arg>>,
        goals: &[G],
        others: &[G],
        head_vars: &[Var],
        vars: &Vars,
    ) -> Conditions {
        let mut totals = occurrences(goals, vars);
        totals.iter_mut().zip(occurrences(others, vars)).for_each(|(n, more)| *n += more);
        head_vars.iter().for_each(|v| totals[*v] += 1);
        let mut open: Vec<G> = goals.iter().rev().cloned().collect();
        let mut goals = Vec::new();
        while let Some(goal) = open.pop() {
            let room = goals.len() + open.len() < MAX_GOALS;
            match (divided(&goal, &mut totals), goal) {
                (Some(ways), _) if room => open.extend(ways),
                // its first answer is an answer
                (None, G::Once(inner)) if room => open.extend(inner.into_iter().rev()),
                (_, goal) => goals.push(goal),
            }
        }
        Conditions { head, goals, totals }
    }

    /// What must hold.
    pub(super) fn goals(&self) -> &[G] {
        &self.goals
    }

    /// The facts with further goals that follow from them.
    pub(super) fn with(mut self, implied: Vec<G>) -> Conditions {
        self.goals.extend(implied);
        self
    }

    /// The facts without the goals that read the state.
    pub(super) fn stateless(&self) -> Conditions {
        let goals = self.goals.iter().filter(|g| stateless(g)).cloned().collect();
        Conditions { goals, ..self.clone() }
    }
}

/// A negation of a disjunction as a negation of each of its branches, with local variables of its
/// own.
fn divided(goal: &G, totals: &mut Vec<usize>) -> Option<Vec<G>> {
    let G::Not(inner) = goal else { return None };
    let (place, branches) = inner.iter().enumerate().find_map(|(place, goal)| match goal {
        G::Or(branches) => Some((place, branches)),
        _ => None,
    })?;
    let local = locals(goal, totals);
    let mut ways = Vec::new();
    for branch in branches {
        let (before, after) = (&inner[..place], &inner[place + 1..]);
        let mut way = G::Not([before, branch.as_slice(), after].concat());
        let mut renamed: FxHashMap<Var, Var> = FxHashMap::default();
        way.each_var(&mut |v| {
            if local.contains(&v) {
                let new = *renamed.entry(v).or_insert_with(|| {
                    totals.push(0);
                    totals.len() - 1
                });
                totals[new] += 1;
            }
        });
        rename(&mut way, &|v| renamed.get(&v).copied().unwrap_or(v));
        ways.push(way);
    }
    Some(ways)
}

/// The variables that occur in one goal only, by how often each occurs in the whole.
pub(super) fn locals(goal: &G, totals: &[usize]) -> FxHashSet<Var> {
    let mut inside: FxHashMap<Var, usize> = FxHashMap::default();
    goal.each_var(&mut |v| *inside.entry(v).or_default() += 1);
    inside.retain(|v, count| *count == totals[*v]);
    inside.into_keys().collect()
}
