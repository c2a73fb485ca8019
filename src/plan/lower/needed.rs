//! What all clauses of a relation need, asked before its answers are.
//!
//! `near(P, C) :- four(P, L), member(C, L)` and `near(P, C) :- four(P, L), member(B, L), adjacent(B, C), at(C, P)` have answers only where
//! there is a row of four at all. So `each((near(P, D), at(D, P)), …)` first asks for one: `\+ \+ four(P, L)`. Most often there is none,
//! and then no stone is looked at.
//!
//! Clauses need the same where the goals of one, but for those about open arguments, are among the goals of each other one by some
//! renaming of their variables (theta-subsumption; Plotkin, "A Note on Inductive Generalization", 1970).

use crate::program::{ClauseId, Kind, RelationId};

use super::conjuncts::test_of;
use super::emit::occurrences_in;
use super::forms::{by_names, rename, without_places};
use super::goals::{Arg, G, Var, Vars};
use super::procedures::FLOOD;
use super::{Lowering, occurrences_among};

/// The most clauses of such a relation, and the most goals of one.
const MAX_CLAUSES: usize = 8;
const MAX_GOALS: usize = 12;

/// The goals of a clause, and for each argument the variable of its head.
struct Body {
    head: Vec<Var>,
    goals: Vec<G>,
    vars: Vars,
}

impl Lowering<'_> {
    /// Adds such tests to what the `each` and the aggregates of a body go through. `fixed` are the variables that the goals
    /// around the body use.
    pub(super) fn ask_needed(&mut self, goals: &mut [G], fixed: &[Var], vars: &mut Vars) {
        if !goals.iter().any(|goal| answers_of(goal).is_some()) {
            return;
        }
        let totals = occurrences_among(goals, fixed, vars);
        for goal in goals {
            let Some(answers) = answers_of(goal) else { continue };
            let outside = |v: Var| totals[v] > occurrences_in(goal, v);
            let tests: Vec<(G, G)> = answers
                .iter()
                .filter_map(|call| {
                    Some((self.needed(call, answers, &outside, vars)?, call.clone()))
                })
                .collect();
            if tests.is_empty() {
                continue;
            }
            let before = goal.clone();
            let (G::Each(answers, ..) | G::Aggregate(_, _, answers, ..)) = goal else { continue };
            for (test, call) in tests {
                self.put_in_place(&test, &call);
                answers.insert(0, test);
            }
            self.put_in_place(&goal.clone(), &before);
        }
    }

    /// The test for a call of which some argument is open that no table narrows.
    fn needed(
        &mut self,
        call: &G,
        among: &[G],
        outside: &dyn Fn(Var) -> bool,
        vars: &mut Vars,
    ) -> Option<G> {
        let G::Call(id, args) = call else { return None };
        let relation = self.program.relation(*id);
        if *id == FLOOD
            || relation.kind != Kind::Derived
            || relation.recursive
            || relation.chooses
            || relation.supposes
            || among.iter().any(|goal| self.raises(goal))
        {
            return None;
        }
        let open = |arg: &Arg| matches!(arg, Arg::Var(v) if !outside(*v));
        let given: Vec<bool> = args.iter().map(|arg| !open(arg)).collect();
        let narrowed = |arg: &Arg| {
            among.iter().any(|goal| match goal {
                G::Read(..) => false,
                other => {
                    other != call && matches!(arg, Arg::Var(v) if occurrences_in(other, *v) > 0)
                }
            })
        };
        if !args.iter().any(open) || args.iter().filter(|arg| open(arg)).any(narrowed) {
            return None;
        }
        let (mut common, head, own) = self.needed_by_all(*id, &given)?;
        let names: Vec<(Var, Arg)> = (head.iter().copied().zip(args.iter().copied()))
            .zip(&given)
            .filter(|(_, given)| **given)
            .map(|(pair, _)| pair)
            .collect();
        // a constant that is given would have to stand in place of a variable
        let mut renamed: Vec<(Var, Var)> = Vec::new();
        for (v, arg) in names {
            match arg {
                Arg::Var(new) => renamed.push((v, new)),
                Arg::Const(_) if common.iter().any(|goal| occurrences_in(goal, v) > 0) => {
                    return None;
                }
                Arg::Const(_) => {}
            }
        }
        for goal in &common {
            goal.each_var(&mut |v| {
                if !renamed.iter().any(|(old, _)| *old == v) {
                    renamed.push((v, vars.fresh(own.all[v].domain.clone())));
                }
            });
        }
        let new = by_names(&renamed);
        common.iter_mut().for_each(|goal| rename(goal, &new));
        Some(test_of(common))
    }

    /// The goals that all clauses of a relation need, by the variables of one of them, and those of its head.
    fn needed_by_all(
        &mut self,
        id: RelationId,
        given: &[bool],
    ) -> Option<(Vec<G>, Vec<Var>, Vars)> {
        let alive = self.alive_clauses(id);
        if !(2..=MAX_CLAUSES).contains(&alive.len()) {
            return None;
        }
        let bodies: Vec<Body> =
            alive.into_iter().map(|id| self.body_of(id)).collect::<Option<_>>()?;
        let found = bodies.iter().position(|body| {
            let own = self.without_open(body, given);
            let searches = own.iter().any(|goal| match goal {
                G::Not(inner) => inner.iter().any(asks_state),
                _ => false,
            });
            searches
                && bodies.iter().all(|other| {
                    let mut names: Vec<(Var, Var)> = (body.head.iter().copied())
                        .zip(other.head.iter().copied())
                        .zip(given)
                        .filter(|(_, given)| **given)
                        .map(|(pair, _)| pair)
                        .collect();
                    are_among(&own, &other.goals, &mut names)
                })
        })?;
        let body = bodies.into_iter().nth(found)?;
        Some((self.without_open(&body, given), body.head, body.vars))
    }

    /// The goals of a clause that are not about the open arguments.
    fn without_open(&self, body: &Body, given: &[bool]) -> Vec<G> {
        let open = |goal: &G| {
            let places = body.head.iter().zip(given);
            places.into_iter().any(|(v, given)| !given && occurrences_in(goal, *v) > 0)
        };
        let laborious =
            |goal: &G| matches!(goal, G::Call(id, _) if self.program.relation(*id).recursive);
        let goals = body.goals.iter();
        goals.filter(|goal| !open(goal) && !laborious(goal)).cloned().collect()
    }

    /// The goals of a clause whose head has different variables.
    fn body_of(&mut self, id: ClauseId) -> Option<Body> {
        let clause = self.program.clause(id);
        let (mut vars, mut scope, mut goals) = (Vars::default(), self.scope(id), Vec::new());
        let mut head = Vec::new();
        for term in &clause.head {
            match self.arg(&mut scope, term, &mut vars, &mut goals) {
                Arg::Var(v) if goals.is_empty() && !head.contains(&v) => head.push(v),
                _ => return None,
            }
        }
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        (goals.len() <= MAX_GOALS).then_some(Body { head, goals, vars })
    }
}

/// The goals whose answers are all gone through.
fn answers_of(goal: &G) -> Option<&[G]> {
    match goal {
        G::Each(answers, ..) | G::Aggregate(_, _, answers, ..) => Some(answers),
        _ => None,
    }
}

/// Whether a goal asks for a part of the state, itself or inside.
fn asks_state(goal: &G) -> bool {
    match goal {
        G::Read(..) => true,
        G::Not(inner) => inner.iter().any(asks_state),
        _ => false,
    }
}

/// Whether all goals are among others by some names of their variables, which go on from those that are known.
fn are_among(goals: &[G], others: &[G], names: &mut Vec<(Var, Var)>) -> bool {
    let Some((goal, rest)) = goals.split_first() else { return true };
    others.iter().any(|other| {
        let before = names.len();
        let found = is_other(goal, other, names) && are_among(rest, others, names);
        if !found {
            names.truncate(before);
        }
        found
    })
}

/// Whether two goals are the same by some names of their variables.
fn is_other(goal: &G, other: &G, names: &mut Vec<(Var, Var)>) -> bool {
    let form = |goal: &G| {
        let mut form = without_places(goal.clone());
        rename(&mut form, &|_| 0);
        form
    };
    if form(goal) != form(other) {
        return false;
    }
    let variables = |goal: &G| {
        let mut all = Vec::new();
        goal.each_var(&mut |v| all.push(v));
        all
    };
    variables(goal).into_iter().zip(variables(other)).all(|(v, new)| {
        match names.iter().find(|(known, _)| *known == v) {
            Some((_, named)) => *named == new,
            None => {
                names.push((v, new));
                true
            }
        }
    })
}
