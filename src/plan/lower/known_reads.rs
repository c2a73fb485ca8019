//! A map is read once where its value is known without it: of two reads with the same keys, between which nothing
//! updates the map, the second only compares values. `mine(A), at(A, X)` then needs no lookup for X, which is the
//! player to move. Where several reads give values of which other goals say something, as in `mine(A), at(A, soldier(_))`, that is
//! said of one value.
//!
//! Whose turn it is, is read in front of the negations that ask for it, so that what they say is known to be the same for all that
//! they are asked for: `forall(member(C, L), mine(C))` is then a test of a set.

use crate::program::FluentId;

use super::emit::occurrences_in;
use super::forms::rename;
use super::goals::{Arg, G, Var, Vars};
use super::{Lowering, occurrences_among};

/// Whose turn it is, read outside of negations.
#[derive(Default)]
struct Turn {
    outside: Option<Var>,
    /// No goal in front of the negations reads it.
    is_new: bool,
    /// The variables that have it within negations and nowhere else.
    within: Vec<Var>,
}

impl Turn {
    /// The variable that has it outside; `v` has it within.
    fn variable(&mut self, v: Var, vars: &mut Vars) -> Var {
        *self.outside.get_or_insert_with(|| {
            self.is_new = true;
            vars.fresh(vars.all[v].domain.clone())
        })
    }
}

impl Lowering<'_> {
    /// Reads in front of a conjunction whose turn it is, where negations in it, before the first update, ask for that. `fixed` are
    /// the variables that the goals around it use.
    pub(super) fn turn_in_front(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &mut Vars) {
        let split = goals.iter().position(|goal| self.acts(goal)).unwrap_or(goals.len());
        let totals = occurrences_among(goals, fixed, vars);
        let mut turn = Turn::default();
        for goal in &mut goals[..split] {
            turn.outside = turn.outside.or(turn_of(goal));
            let old = goal.clone();
            let G::Not(inner) = goal else { continue };
            if !self.turn_outside(inner, &totals, &mut turn, vars) {
                continue;
            }
            let outside = turn.outside;
            rename(goal, &|v| outside.filter(|_| turn.within.contains(&v)).unwrap_or(v));
            self.put_in_place(goal, &old);
        }
        if let (Some(v), true) = (turn.outside, turn.is_new) {
            goals.insert(0, G::Read(FluentId::TURN, Vec::new(), Some(Arg::Var(v))));
        }
    }

    /// Takes out what reads within whose turn it is, or compares it with the variable outside where the one within has a value
    /// elsewhere; whether anything does. `totals` are the occurrences of each variable in all goals.
    fn turn_outside(
        &mut self,
        goals: &mut Vec<G>,
        totals: &[usize],
        turn: &mut Turn,
        vars: &mut Vars,
    ) -> bool {
        let mut any = false;
        // what the goals around a negation say of a variable is not said of the player to move
        let all = goals.clone();
        let local = |v: Var| {
            let here: usize = all.iter().map(|goal| occurrences_in(goal, v)).sum();
            totals.get(v) == Some(&here)
        };
        let mut at = 0;
        while at < goals.len() {
            let old = goals[at].clone();
            if let Some(v) = turn_of(&old) {
                any = true;
                let outside = turn.variable(v, vars);
                if local(v) && goals.len() > 1 {
                    turn.within.push(v);
                    goals.remove(at);
                    continue;
                }
                goals[at] = G::Same(Arg::Var(outside), Arg::Var(v));
                self.put_in_place(&goals[at].clone(), &old);
            } else if let G::Not(inner) = &mut goals[at]
                && self.turn_outside(inner, totals, turn, vars)
            {
                any = true;
                self.put_in_place(&goals[at].clone(), &old);
            }
            at += 1;
        }
        any
    }

    /// Replaces reads of a conjunction that repeat an earlier one. `fixed` are the variables that the goals around it use.
    pub(super) fn reuse_reads(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &Vars) {
        let mut totals = occurrences_among(goals, fixed, vars);
        let mut known: Vec<(FluentId, Vec<Arg>, Arg)> = Vec::new();
        let mut given: Vec<Arg> = Vec::new();
        let mut at = 0;
        while at < goals.len() {
            let goal = &mut goals[at];
            at += 1;
            if let G::Read(fluent, keys, Some(value)) = goal {
                let first = known.iter().find(|(f, k, _)| f == fluent && k == keys);
                match first.map(|(.., value)| *value) {
                    Some(first) if matches!(first, Arg::Const(_)) || given.contains(&first) => {
                        *goal = G::Same(first, *value);
                    }
                    // one value, of which several goals say something
                    Some(Arg::Var(first))
                        if let Arg::Var(v) = *value
                            && !fixed.contains(&v)
                            && first != v
                            && totals[v].min(totals[first]) > 1 =>
                    {
                        at -= 1;
                        goals.remove(at);
                        totals[first] += totals[v];
                        self.rename_all(goals, &|other| if other == v { first } else { other });
                        // what was read before may have had that value too
                        let renamed = |arg: &mut Arg| {
                            if *arg == Arg::Var(v) {
                                *arg = Arg::Var(first);
                            }
                        };
                        for (_, keys, value) in &mut known {
                            keys.iter_mut().chain([value]).for_each(renamed);
                        }
                        given.iter_mut().for_each(renamed);
                        continue;
                    }
                    Some(_) => {}
                    None => known.push((*fluent, keys.clone(), *value)),
                }
                if let G::Read(_, keys, Some(value)) = goal
                    && keys.is_empty()
                {
                    given.push(*value);
                }
                continue;
            }
            match goal {
                G::Assign(fluent, ..)
                | G::AssignNumber(fluent, ..)
                | G::Clear(fluent, ..)
                | G::Set(fluent, ..) => known.retain(|(read, ..)| read != fluent),
                goal if self.acts(goal) => known.clear(),
                _ => {}
            }
        }
    }
}

/// The variable to which a goal gives whose turn it is.
fn turn_of(goal: &G) -> Option<Var> {
    match goal {
        G::Read(FluentId::TURN, _, Some(Arg::Var(v))) => Some(*v),
        _ => None,
    }
}
