//! The goals of a clause before its first update, as far as they tell it from another one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::forms::{rename, stateless};
use super::goals::{Arg, Expr, G, Var, Vars};
use super::occurrences;

/// The most goals that a clause's conditions are divided into.
const MAX_GOALS: usize = 64;

/// What must hold before a clause's first update.
#[derive(Debug, Clone)]
pub(super) struct Conditions {
    /// The head's arguments; `None` for one that is neither a variable nor a constant.
    pub(super) head: Vec<Option<Arg>>,
    goals: Vec<G>,
    /// What is asked for its first answer only, with the variables to which that gives values.
    firsts: Vec<(Vec<G>, Vec<Var>)>,
    /// How often each variable occurs in the whole clause.
    pub(super) totals: Vec<usize>,
    /// The clause updates something.
    pub(super) acts: bool,
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
        let (mut goals, mut firsts) = (Vec::new(), Vec::new());
        while let Some(goal) = open.pop() {
            let room = goals.len() + open.len() < MAX_GOALS;
            match (divided(&goal, &mut totals), goal) {
                (Some(ways), _) if room => open.extend(ways),
                // its first answer is an answer
                (None, G::Once(inner)) if room => {
                    let mut known = head_vars.to_vec();
                    goals.iter().for_each(|goal: &G| goal.each_var(&mut |v| known.push(v)));
                    let mut given = Vec::new();
                    let mut note = |v| given.extend((!known.contains(&v)).then_some(v));
                    inner.iter().for_each(|goal| goal.each_var(&mut note));
                    firsts.push((inner.clone(), given));
                    open.extend(inner.into_iter().rev());
                }
                (_, goal) => goals.push(goal),
            }
        }
        Conditions { head, goals, firsts, totals, acts: false }
    }

    /// What must hold.
    pub(super) fn goals(&self) -> &[G] {
        &self.goals
    }

    /// What is asked for its first answer only, with the variables to which that gives values.
    pub(super) fn firsts(&self) -> &[(Vec<G>, Vec<Var>)] {
        &self.firsts
    }

    /// The variables that negations compare with variables of their own, as `S` in `\+ (worth(T, U), U < S)`.
    pub(super) fn compared(&self) -> Vec<Var> {
        let mut compared = Vec::new();
        for goal in &self.goals {
            let G::Not(inner) = goal else { continue };
            let own = locals(goal, &self.totals);
            for goal in inner {
                let G::Compare(_, Expr::Arg(Arg::Var(a)), Expr::Arg(Arg::Var(b)), _) = goal else {
                    continue;
                };
                let outside = match (own.contains(a), own.contains(b)) {
                    (true, false) => *b,
                    (false, true) => *a,
                    _ => continue,
                };
                if !compared.contains(&outside) {
                    compared.push(outside);
                }
            }
        }
        compared
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
