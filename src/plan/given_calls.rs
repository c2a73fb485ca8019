//! Calls to which static relations give all that they need.
//!
//! `subset(L, M)` needs a list. In `neighbours(C, L), subset(L, M), length(M, 3)` a static relation gives it, so these goals together
//! are a static relation of `C` and `M`. It is evaluated at load, and the goals look it up, as they do where a constant is given
//! (`known_calls.rs`).

use rustc_hash::FxHashSet;

use crate::datalog::Tables;
use crate::program::{
    Aggregate, Budget, BuiltIn, Clause, Expression, Goal, GoalKind, Kind, Program, RelationId,
    Term, VariableId,
};
use crate::types::Types;

use super::known_calls::{Decided, MAX_CALLS, add};

/// The program with such goals as static relations, and its tables; `None` where it has none. `seen` is the program with its
/// tables, in which calls with constants are calls of static relations already.
pub(super) fn evaluated(
    program: &Program,
    (seen, tables): (&Program, &Tables),
    (types, decided): (&Types, &Decided),
    budget: Budget,
) -> Option<(Program, Tables)> {
    let mut made: Option<(Program, Tables)> = None;
    let (mut tried, mut found) = (0, 0);
    for (at, clause) in seen.clauses.iter().enumerate().take(program.clauses.len()) {
        if !decided.applies(program, clause) {
            continue;
        }
        let (fixed, occurrences) = (&decided.fixed, clause.occurrences());
        let given = Given { program, types, fixed, occurrences };
        let mut body = clause.body.clone();
        each_conjunction(&mut body, &mut |goals| {
            while tried < MAX_CALLS
                && let Some(island) = given.island(goals)
            {
                tried += 1;
                let of = |inside: bool| -> Vec<Goal> {
                    let chosen = goals.iter().enumerate();
                    let chosen = chosen.filter(|(i, _)| island.places.contains(i) == inside);
                    chosen.map(|(_, goal)| goal.clone()).collect()
                };
                let (asked, mut rest, span) = (of(true), of(false), goals[island.place].span);
                let head: Vec<Term> = island.told.iter().copied().map(Term::Variable).collect();
                let joined = Clause {
                    head: head.clone(),
                    body: Goal::new(GoalKind::And(asked), span),
                    ..clause.clone()
                };
                let (made, tables) = made.get_or_insert_with(|| (seen.clone(), tables.clone()));
                let Some(id) = add(made, tables, island.call, joined, budget) else { return };
                found += 1;
                let first = *island.places.iter().min().unwrap_or(&0);
                rest.insert(first, Goal::new(GoalKind::Call(id, head), span));
                *goals = rest;
            }
        });
        if let Some((made, _)) = &mut made {
            made.clauses[at].body = body;
        }
    }
    made.filter(|_| found > 0)
}

/// Calls `visit` for the conjunctions of a clause of which it matters only that they have an answer, or which one.
fn each_conjunction(goal: &mut Goal, visit: &mut dyn FnMut(&mut Vec<Goal>)) {
    match &mut goal.kind {
        GoalKind::And(goals) => {
            visit(goals);
            goals.iter_mut().for_each(|goal| each_conjunction(goal, visit));
        }
        GoalKind::If(_, then, otherwise) => {
            each_conjunction(then, visit);
            each_conjunction(otherwise, visit);
        }
        GoalKind::Each(_, action) => each_conjunction(action, visit),
        // what is counted or added up is told apart by all variables
        GoalKind::Once(_) | GoalKind::Aggregate(..) | GoalKind::After(..) => {}
        _ => goal.children_mut().into_iter().for_each(|goal| each_conjunction(goal, visit)),
    }
}

/// Goals that are a static relation together.
struct Island {
    /// Their places in the conjunction.
    places: FxHashSet<usize>,
    /// The place of the call to which the others give what it needs, and its relation.
    place: usize,
    call: RelationId,
    /// Their variables that occur elsewhere, too.
    told: Vec<VariableId>,
}

struct Given<'a> {
    program: &'a Program,
    types: &'a Types,
    /// For each relation, whether static relations decide about its answers, though it needs arguments.
    fixed: &'a [bool],
    /// How often each variable occurs in the clause.
    occurrences: Vec<usize>,
}

impl Given<'_> {
    /// The first call of a conjunction that other goals give all that it needs, with these and those that only test what they
    /// find.
    fn island(&self, goals: &[Goal]) -> Option<Island> {
        (0..goals.len()).find_map(|place| {
            let (call, needed) = self.needed(&goals[place])?;
            let gives = |goal: &Goal| self.is_static(goal) && !variables(goal).is_disjoint(&needed);
            let mut places: FxHashSet<usize> =
                (0..goals.len()).filter(|i| gives(&goals[*i])).collect();
            let mut known: FxHashSet<VariableId> =
                places.iter().flat_map(|i| variables(&goals[*i])).collect();
            if needed.is_empty() || !needed.is_subset(&known) {
                return None;
            }
            known.extend(variables(&goals[place]));
            places.insert(place);
            while let Some(next) =
                (0..goals.len()).find(|i| !places.contains(i) && self.follows(&goals[*i], &known))
            {
                known.extend(variables(&goals[next]));
                places.insert(next);
            }
            let told = self.told(goals, &places);
            let raises = |i: &usize| self.raises(&goals[*i]);
            (!told.is_empty() && !places.iter().any(raises)).then_some(Island {
                places,
                place,
                call,
                told,
            })
        })
    }

    /// The relation of a call and the variables that it needs, where static relations decide about its answers.
    fn needed(&self, goal: &Goal) -> Option<(RelationId, FxHashSet<VariableId>)> {
        let GoalKind::Call(id, args) = &goal.kind else { return None };
        if !*self.fixed.get(id.0 as usize)? {
            return None;
        }
        let needs = &self.program.relation(*id).needs_bound;
        let mut needed = FxHashSet::default();
        for (arg, _) in args.iter().zip(needs).filter(|(_, needed)| **needed) {
            arg.each_variable(&mut |v| {
                needed.insert(v);
            });
        }
        Some((*id, needed))
    }

    fn is_static(&self, goal: &Goal) -> bool {
        self.is_added(goal)
            || matches!(goal.kind, GoalKind::Call(id, _) if self.program.relation(id).kind == Kind::Static)
    }

    /// Whether a goal calls a static relation that has been made of others.
    fn is_added(&self, goal: &Goal) -> bool {
        matches!(goal.kind, GoalKind::Call(id, _) if id.0 as usize >= self.fixed.len())
    }

    /// Whether a goal may be a rule error: none that looks up what has been made is.
    fn raises(&self, goal: &Goal) -> bool {
        let inner = goal.children();
        match inner.is_empty() {
            true => !self.is_added(goal) && self.types.may_raise_in(goal, self.program),
            false => {
                self.types.may_raise.contains(&goal.span)
                    || inner.into_iter().any(|goal| self.raises(goal))
            }
        }
    }

    /// Whether what is known decides about the answers of a goal, without the position.
    fn follows(&self, goal: &Goal, known: &FxHashSet<VariableId>) -> bool {
        let is_known = |term: &Term| {
            let mut all = true;
            term.each_variable(&mut |v| all &= known.contains(&v));
            all
        };
        match &goal.kind {
            _ if looks_at_position(goal) => false,
            GoalKind::Call(..) => {
                let needs = self.needed(goal);
                needs.is_some_and(|(_, needed)| needed.is_subset(known))
                    || self.is_static(goal) && variables(goal).is_subset(known)
            }
            GoalKind::BuiltIn(BuiltIn::Length, args) => is_known(&args[0]),
            GoalKind::Is(_, value) => {
                let mut all = true;
                value.each_variable(&mut |v| all &= known.contains(&v));
                all
            }
            GoalKind::Compare(..)
            | GoalKind::Differ(..)
            | GoalKind::BuiltIn(BuiltIn::Member, _) => variables(goal).is_subset(known),
            GoalKind::Not(inner) => self.is_decided(inner) && self.is_subset_here(goal, known),
            GoalKind::Forall(all, hold) => {
                self.is_decided(all) && self.is_decided(hold) && self.is_subset_here(goal, known)
            }
            _ => false,
        }
    }

    /// Whether the variables of a goal that occur elsewhere, too, are known.
    fn is_subset_here(&self, goal: &Goal, known: &FxHashSet<VariableId>) -> bool {
        let mut inside = vec![0; self.occurrences.len()];
        goal.each_variable(&mut |v| inside[v.0 as usize] += 1);
        let shared = |v: &VariableId| inside[v.0 as usize] < self.occurrences[v.0 as usize];
        variables(goal).iter().filter(|v| shared(v)).all(|v| known.contains(v))
    }

    /// Whether a goal has nothing but static relations, calls of relations that these decide about, and tests.
    fn is_decided(&self, goal: &Goal) -> bool {
        let mut decided = true;
        goal.walk(&mut |goal| {
            decided &= !looks_at_position(goal);
            decided &= match &goal.kind {
                GoalKind::Call(..) => self.is_static(goal) || self.needed(goal).is_some(),
                GoalKind::True
                | GoalKind::Fail
                | GoalKind::And(_)
                | GoalKind::Or(_)
                | GoalKind::Not(_)
                | GoalKind::Forall(..)
                | GoalKind::Unify(..)
                | GoalKind::Differ(..)
                | GoalKind::Compare(..)
                | GoalKind::Is(..)
                | GoalKind::In(..)
                | GoalKind::BuiltIn(..) => true,
                GoalKind::Aggregate(kind, ..) => *kind != Aggregate::Findall,
                _ => false,
            };
        });
        decided
    }

    /// The variables of some goals that occur elsewhere in the clause, too.
    fn told(&self, goals: &[Goal], places: &FxHashSet<usize>) -> Vec<VariableId> {
        let mut inside = vec![0; self.occurrences.len()];
        for place in places {
            goals[*place].each_variable(&mut |v| inside[v.0 as usize] += 1);
        }
        let told = (0..self.occurrences.len())
            .filter(|v| inside[*v] > 0 && inside[*v] < self.occurrences[*v]);
        told.map(|v| VariableId(v as u32)).collect()
    }
}

/// Whether an expression of a goal has a part of the state.
fn looks_at_position(goal: &Goal) -> bool {
    fn has_fluent(expression: &Expression) -> bool {
        match expression {
            Expression::Fluent(..) => true,
            Expression::Operation(_, args) => args.iter().any(has_fluent),
            Expression::Integer(_) | Expression::Variable(_) => false,
        }
    }
    goal.expressions().into_iter().any(has_fluent)
}

/// The variables of a goal.
fn variables(goal: &Goal) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    goal.each_variable(&mut |v| {
        found.insert(v);
    });
    found
}
