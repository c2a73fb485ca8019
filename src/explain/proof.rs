//! Describes proofs, goal by goal, with the proof of each goal below it.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::diagnostic::listed;
use crate::goals::{Evaluator as _, Terms as _};
use crate::program::{
    Aggregate, ClauseId, FluentId, FluentShape, Goal, GoalKind, Kind, RelationId, Term, Value,
    outcome_relation,
};

use super::said::Said;
use super::walk::{Moment, Passed};
use super::{Line, Mark, Teller};
use crate::goals::Environment;
use crate::goals::{found, locals};
use crate::reference::run::{Answer, Run, Stop};

/// The most instances of a `forall` that are shown.
const INSTANCES: usize = 12;

/// The most counted sites whose contents are told.
const COUNTED: usize = 8;

/// The most pieces of which a sentence says why they cannot move.
const STUCK: usize = 2;

/// The facts of the state that a proof rests on, and the values that it is about.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    pub facts: Vec<Said>,
    pub about: Vec<Value>,
}

impl Grounds {
    fn fact(&mut self, fact: Said) {
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }
}

/// The value of a variable or constant; `None` for other terms.
fn plain(term: &Term, slots: &[Option<Value>]) -> Option<Value> {
    match term {
        Term::Constant(value) => Some(*value),
        Term::Variable(v) => slots[v.0 as usize],
        _ => None,
    }
}

impl<'r> Teller<'_, 'r> {
    /// The lines of all goals on a path that holds.
    pub fn proofs(
        &mut self,
        clause: Option<ClauseId>,
        way: &[Rc<Passed<'r>>],
        grounds: &mut Grounds,
    ) -> Answer<Vec<Line>> {
        let mut lines = Vec::new();
        for passed in way {
            lines.extend(self.proof(
                clause,
                passed.goal,
                &passed.before,
                &passed.after,
                grounds,
            )?);
        }
        ControlFlow::Continue(lines)
    }

    /// The lines of one goal.
    pub fn proof(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        before: &Moment,
        after: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Vec<Line>> {
        let text = self.goal_text(clause, goal, &after.slots);
        if !self.room() {
            return ControlFlow::Continue(Vec::new());
        }
        let line = match &goal.kind {
            GoalKind::True => return ControlFlow::Continue(Vec::new()),
            GoalKind::And(goals) | GoalKind::Or(goals) => {
                let branches: Vec<&'r [Goal]> = match &goal.kind {
                    GoalKind::And(_) => vec![goals.as_slice()],
                    _ => goals.iter().map(Goal::conjuncts).collect(),
                };
                for branch in branches {
                    if let Some(way) = self.way(clause, branch, before, after)? {
                        return self.proofs(clause, &way, grounds);
                    }
                }
                Line::new(Mark::Holds, text)
            }
            GoalKind::Once(inner) => {
                return match self.way(clause, inner.conjuncts(), before, after)? {
                    Some(way) => self.proofs(clause, &way, grounds),
                    None => ControlFlow::Continue(vec![Line::new(Mark::Holds, text)]),
                };
            }
            GoalKind::If(condition, then, otherwise) => {
                return self.branch(clause, (condition, then, otherwise), before, after, grounds);
            }
            GoalKind::Not(inner) => {
                let line = Line::new(Mark::Holds, text);
                match self.above.len() < 3 {
                    true => {
                        let why = self.refuted(clause, inner, before, &[])?;
                        let below = why.line.below;
                        if why.state {
                            grounds.about.extend(why.about);
                            // a goal as written is no fact
                            if self.above.is_empty() && !why.core.contains('`') {
                                grounds.fact(Said::Other(why.core.clone()));
                            }
                            line.noted(why.core).over(below)
                        } else {
                            line
                        }
                    }
                    false => line,
                }
            }
            GoalKind::After(action, then, _) => {
                let line = Line::new(Mark::Holds, text);
                match self.supposed(clause, (action, then), before, after)? {
                    Some((behind, end)) => {
                        // what holds there is no fact of this position
                        let mut there = Grounds::default();
                        let mut below = self.proof(clause, action, before, &behind, &mut there)?;
                        below.extend(self.proof(clause, then, &behind, &end, &mut there)?);
                        grounds.about.extend(there.about);
                        line.over(below)
                    }
                    None => line,
                }
            }
            GoalKind::Call(id, args) => {
                return self.call_proof(clause, (*id, args), text, before, after, grounds);
            }
            GoalKind::Compare(..) | GoalKind::Is(..) => {
                let line = Line::new(Mark::Holds, text);
                let origins = self.run.at(before, clause, |run, env| {
                    Teller::new(run).origins(clause, goal, &no_values(before), &[], env)
                })?;
                let facts = origins.facts;
                grounds.about.extend(origins.about);
                facts.iter().for_each(|fact| grounds.fact(fact.clone()));
                let shown: Vec<String> = facts.iter().map(Said::to_string).collect();
                if facts.is_empty() { line } else { line.noted(shown.join(", ")) }
            }
            GoalKind::Forall(all, hold) => {
                let below = self.instances(clause, (all, hold), before, grounds)?;
                Line::new(Mark::Holds, text).noted(times(below.len())).over(below)
            }
            GoalKind::Each(all, _) => {
                let unbound = self
                    .run
                    .at(before, clause, |_, env| ControlFlow::Continue(locals(all, env)))?;
                let mut count = 0usize;
                self.run.at(before, clause, |run, env| {
                    let mut seen = Vec::new();
                    run.goal(all, env, &mut |_, env| {
                        let answer: Vec<_> = unbound.iter().map(|v| env.get(*v)).collect();
                        if !seen.contains(&answer) {
                            seen.push(answer);
                            count += 1;
                        }
                        ControlFlow::Continue(())
                    })
                })?;
                Line::new(Mark::Updates, text).noted(times(count))
            }
            GoalKind::AssignNumber(fluent, keys, _) | GoalKind::Assign(fluent, keys, _) => {
                let line = Line::new(Mark::Updates, text);
                let values: Option<Vec<Value>> =
                    keys.iter().map(|k| plain(k, &before.slots)).collect();
                grounds.about.extend(values.iter().flatten());
                match (values, &goal.kind) {
                    (Some(keys), GoalKind::AssignNumber(..)) => {
                        let fact = self.run.at(after, clause, |run, _| {
                            ControlFlow::Continue(Teller::new(run).fact(*fluent, &keys))
                        })?;
                        line.noted(fact)
                    }
                    _ => line,
                }
            }
            GoalKind::Stuck => {
                let turn = self.run.at(before, clause, |run, _| {
                    ControlFlow::Continue(run.read(FluentId::TURN, &[]))
                })?;
                let mut below = Vec::new();
                if let Some(player) = turn {
                    let reasons = self.stuck_pieces(player, before)?;
                    let who = self.show(player);
                    grounds.fact(Said::Other(match reasons.is_empty() {
                        true => format!("{who} cannot move"),
                        false => {
                            let some: Vec<String> =
                                reasons.iter().take(STUCK).map(|line| line.text.clone()).collect();
                            format!("{who} cannot move ({})", some.join("; "))
                        }
                    }));
                    below = reasons;
                }
                Line::new(Mark::Holds, text).over(below)
            }
            GoalKind::Aggregate(Aggregate::Count, template, inner, number) => {
                let told = self.run.at(after, clause, |run, env| {
                    let number = run.value(number, env)?;
                    Teller::new(run).placed(inner, number, env)
                })?;
                match told {
                    Some(told) => grounds.fact(Said::Other(told)),
                    None => {
                        let counted = self.counted(clause, (template, inner), before)?;
                        grounds.about.extend(counted.about);
                        counted.facts.into_iter().for_each(|fact| grounds.fact(fact));
                    }
                }
                Line::new(Mark::Holds, text)
            }
            GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_) => {
                let board = matches!(goal.kind, GoalKind::RepeatedBoard(_));
                let plies = self
                    .run
                    .at(before, clause, |run, _| ControlFlow::Continue(run.same_before(board)))?;
                let after: Vec<String> = plies
                    .iter()
                    .map(|ply| match ply {
                        0 => "at the beginning".to_string(),
                        1 => "after one move".to_string(),
                        n => format!("after {n} moves"),
                    })
                    .collect();
                if !after.is_empty() {
                    let after = listed(&after, "and");
                    grounds
                        .fact(Said::Other(format!("the position was there {after}, and is again")));
                }
                Line::new(Mark::Holds, text)
            }
            GoalKind::Aggregate(Aggregate::Groups(_), ..) => {
                grounds.fact(Said::Other(format!("the sites of `{text}` form one group")));
                Line::new(Mark::Holds, text)
            }
            _ if goal.is_update() => Line::new(Mark::Updates, text),
            _ => Line::new(Mark::Holds, text),
        };
        ControlFlow::Continue(vec![line])
    }

    /// What stands on the sites that a goal counts, where they are few.
    fn counted(
        &mut self,
        clause: Option<ClauseId>,
        (template, inner): (&'r Term, &'r Goal),
        at: &Moment,
    ) -> Answer<Grounds> {
        let mut values: Vec<Value> = Vec::new();
        self.run.at(at, clause, |run, env| {
            run.goal(inner, env, &mut |run, env| {
                let value = run.value(template, env)?;
                values.extend(value.filter(|value| !values.contains(value)));
                ControlFlow::Continue(())
            })
        })?;
        let mut counted = Grounds::default();
        let sites = self.sites(&values) == values && values.len() <= COUNTED;
        if let Some(fluent) = self.run.reference.drawn_fluent().filter(|_| sites) {
            counted.facts = self.run.at(at, clause, |run, _| {
                let mut teller = Teller::new(run);
                ControlFlow::Continue(values.iter().map(|v| teller.said(fluent, &[*v])).collect())
            })?;
            counted.about = values;
        }
        ControlFlow::Continue(counted)
    }

    /// The moments behind the updates of a hypothesis and behind the goal that holds there, for the
    /// answer that led to `after`.
    fn supposed(
        &mut self,
        clause: Option<ClauseId>,
        (action, then): (&'r Goal, &'r Goal),
        before: &Moment,
        after: &Moment,
    ) -> Answer<Option<(Moment, Moment)>> {
        self.run.at(before, clause, |run, env| {
            let mut met = None;
            let flow = run.goal(action, env, &mut |run, env| {
                let behind = run.moment(&env.slots);
                run.goal(then, env, &mut |run, env| {
                    if env.slots != after.slots {
                        return ControlFlow::Continue(());
                    }
                    met = Some((behind.clone(), run.moment(&env.slots)));
                    ControlFlow::Break(Stop::Enough)
                })
            });
            found(flow)?;
            ControlFlow::Continue(met)
        })
    }

    /// The lines for each answer of a goal, unless there are too many.
    fn instances(
        &mut self,
        clause: Option<ClauseId>,
        (all, hold): (&'r Goal, &'r Goal),
        at: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Vec<Line>> {
        let moments = self.run.at(at, clause, |run, env| {
            let mut moments: Vec<Moment> = Vec::new();
            run.goal(all, env, &mut |run, env| {
                if moments.len() < INSTANCES && moments.iter().all(|m| m.slots != env.slots) {
                    moments.push(run.moment(&env.slots));
                }
                ControlFlow::Continue(())
            })?;
            ControlFlow::Continue(moments)
        })?;
        let mut lines = Vec::new();
        for moment in &moments {
            lines.extend(self.first_proof(clause, hold, moment, grounds)?.1);
        }
        ControlFlow::Continue(lines)
    }

    /// A path through goals from one moment to another.
    fn way(
        &mut self,
        clause: Option<ClauseId>,
        goals: &'r [Goal],
        before: &Moment,
        after: &Moment,
    ) -> Answer<Option<Vec<Rc<Passed<'r>>>>> {
        let accept = |run: &Run<'r>, way: &[Rc<Passed<'r>>]| {
            run.state == after.state && way.last().is_none_or(|p| p.after.slots == after.slots)
        };
        self.run.way(clause, goals, before, &accept)
    }

    fn branch(
        &mut self,
        clause: Option<ClauseId>,
        (condition, then, otherwise): (&'r Goal, &'r Goal, &'r Goal),
        before: &Moment,
        after: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Vec<Line>> {
        let met = self.run.at(before, clause, |run, env| {
            let met = run.first(condition, env)?;
            ControlFlow::Continue(met.then(|| run.moment(&env.slots)))
        })?;
        let mut lines = Vec::new();
        let taken = match &met {
            Some(moment) => {
                lines = self.proof(clause, condition, before, moment, grounds)?;
                (then, moment)
            }
            None => {
                let why = self.refuted(clause, condition, before, &[])?;
                lines.push(why.line);
                (otherwise, before)
            }
        };
        if let Some(way) = self.way(clause, taken.0.conjuncts(), taken.1, after)? {
            lines.extend(self.proofs(clause, &way, grounds)?);
        }
        ControlFlow::Continue(lines)
    }

    fn call_proof(
        &mut self,
        clause: Option<ClauseId>,
        (id, args): (RelationId, &'r [Term]),
        text: String,
        before: &Moment,
        after: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Vec<Line>> {
        let line = Line::new(Mark::Holds, text);
        if outcome_relation(id).is_some() {
            return ControlFlow::Continue(vec![line]);
        }
        let mut given = Vec::new();
        let mut ended = Environment::new(clause, 0, after.slots.len());
        ended.slots.clone_from(&after.slots);
        for arg in args {
            given.push(self.run.value(arg, &ended)?);
        }
        let relation = self.run.program.relation(id);
        let known: Option<Vec<Value>> = given.iter().copied().collect();
        let words = match (relation.kind, known) {
            (Kind::Static | Kind::Derived, Some(known)) => {
                self.run.at(before, clause, |run, _| {
                    ControlFlow::Continue(Teller::new(run).worded(true, &relation.name, &known))
                })?
            }
            _ => None,
        };
        if let Some(said) = words {
            // the words of a relation tell what its facts do
            let mut inner = Grounds::default();
            let proof = match relation.kind {
                Kind::Static => None,
                _ => self.relation_proof(id, &given, before, after, &mut inner)?,
            };
            grounds.about.extend(given.iter().flatten().chain(&inner.about));
            let mut line = line.noted(said.to_string());
            grounds.fact(said);
            if let Some((by, below)) = proof {
                line = line.over(below);
                line.place = Some(self.place(by));
            }
            return ControlFlow::Continue(vec![line]);
        }
        let line = match relation.kind {
            Kind::Static => line,
            Kind::Fluent(fluent) => {
                let set = matches!(self.run.program.fluent(fluent).shape, FluentShape::Set);
                let keys = if set { &given[..] } else { &given[..given.len() - 1] };
                let known: Vec<Value> = keys.iter().flatten().copied().collect();
                if known.len() == keys.len() {
                    let fact = self.run.at(before, clause, |run, _| {
                        ControlFlow::Continue(Teller::new(run).said(fluent, &known))
                    })?;
                    grounds.fact(fact);
                }
                grounds.about.extend(known);
                line
            }
            Kind::Derived | Kind::Action => {
                let Some((by, below)) = self.relation_proof(id, &given, before, after, grounds)?
                else {
                    return ControlFlow::Continue(vec![line]);
                };
                let mut line = line.over(below);
                line.place = Some(self.place(by));
                line
            }
        };
        ControlFlow::Continue(vec![line])
    }

    /// The clause of a relation that leads from one moment to another, and the lines of its goals.
    pub fn relation_proof(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        before: &Moment,
        after: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Option<(ClauseId, Vec<Line>)>> {
        let call = (id, given.to_vec());
        if self.above.contains(&call) || !self.room() {
            return ControlFlow::Continue(None);
        }
        self.above.push(call);
        let result = self.clause_proof(id, given, before, after, grounds);
        self.above.pop();
        result
    }

    fn clause_proof(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        before: &Moment,
        after: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<Option<(ClauseId, Vec<Line>)>> {
        let program = self.run.program;
        for by in &program.relation(id).clauses {
            let Some(from) = self.entered(*by, given, before) else { continue };
            let above = &self.above;
            // the proof of a recursive relation must not rest on the same call
            let accept = |run: &Run<'r>, way: &[Rc<Passed<'r>>]| {
                run.state == after.state
                    && !way.iter().any(|p| match &p.goal.kind {
                        GoalKind::Call(called, args) if program.relation(*called).recursive => {
                            let row: Vec<_> =
                                args.iter().map(|a| plain(a, &p.after.slots)).collect();
                            above.iter().any(|(r, g)| r == called && *g == row)
                        }
                        _ => false,
                    })
            };
            let body = program.clause(*by).body.conjuncts();
            if let Some(way) = self.run.way(Some(*by), body, &from, &accept)? {
                let lines = self.proofs(Some(*by), &way, grounds)?;
                return ControlFlow::Continue(Some((*by, lines)));
            }
        }
        ControlFlow::Continue(None)
    }

    /// The moment after a clause's head was matched with the given values; `None` where it does not
    /// match.
    pub fn entered(
        &mut self,
        id: ClauseId,
        given: &[Option<Value>],
        before: &Moment,
    ) -> Option<Moment> {
        let clause = self.run.program.clause(id);
        let mut env = Environment::new(Some(id), 0, clause.variables.len());
        for (term, value) in clause.head.iter().zip(given) {
            if let Some(value) = value
                && !self.run.matches(term, *value, &mut env)
            {
                return None;
            }
        }
        Some(Moment { slots: env.slots, ..before.clone() })
    }

    /// The proof of a goal's first answer, as facts, and the moment behind it; none where it has no answer.
    pub fn first_proof(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        at: &Moment,
        grounds: &mut Grounds,
    ) -> Answer<(Option<Moment>, Vec<Line>)> {
        let found = self.run.at(at, clause, |run, env| {
            let mut after = None;
            let flow = run.goal(goal, env, &mut |run, env| {
                after = Some(run.moment(&env.slots));
                ControlFlow::Break(Stop::Enough)
            });
            match flow {
                ControlFlow::Break(Stop::Fault(error)) => ControlFlow::Break(Stop::Fault(error)),
                _ => ControlFlow::Continue(after),
            }
        })?;
        let lines = match &found {
            Some(after) => self.proof(clause, goal, at, after, grounds)?,
            None => Vec::new(),
        };
        ControlFlow::Continue((found, lines))
    }
}

/// The same moment without bindings, to describe the state only.
fn no_values(moment: &Moment) -> Moment {
    Moment { slots: vec![None; moment.slots.len()], ..moment.clone() }
}

fn times(count: usize) -> String {
    match count {
        0 => "for nothing: there is no answer".to_string(),
        1 => "for one answer".to_string(),
        n => format!("for {n} answers"),
    }
}
