//! Why a turn does not go on after a move to a site: the rules keep the turn on a condition, which fails there.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::goals::Terms as _;
use crate::program::{ClauseId, Goal, GoalKind, Kind, Term as Pattern, Value, VariableId};
use crate::syntax::Term;

use super::failure::Why;
use super::moves::MoveQuestion;
use super::walk::{Failure, Moment, Passed};
use super::{Explanation, Reason, Teller, bound_effort};
use crate::reference::facts::Facts;
use crate::reference::fault::RuleError;
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

/// How many actions may call one another down to the condition.
const DEEPEST: usize = 3;

/// A condition under which the same player goes on, and the moment at which it is asked.
struct Condition<'r> {
    clause: ClauseId,
    goal: &'r Goal,
    at: Moment,
}

impl Reference {
    /// Why a legal move that ends the turn does not go on to a site; `None` where no condition that fails could let it.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_not_on(
        &self,
        facts: &Facts,
        mv: &Term,
        site: Value,
    ) -> Result<Option<Explanation>, RuleError> {
        let mut run = Run::new(self, facts);
        let choices = settle(run.choices())?;
        let Some(value) = run.values.from_term(mv) else { return Ok(None) };
        let Some(by) = choices.all.iter().find(|s| s.mv == value).map(|s| s.clause) else {
            return Ok(None);
        };
        bound_effort(&mut run);
        let mut question = MoveQuestion {
            reference: self,
            facts,
            subject: self.notation(facts, mv)?,
            term: String::new(),
            choices,
            teller: Teller::new(&mut run),
        };
        let start = question.start();
        let teller = &mut question.teller;
        let Some((why, asked)) = settle(teller.not_on(by, value, &start, site))? else {
            return Ok(None);
        };
        let rule = asked.and_then(|asked| teller.quoted(asked)).or_else(|| teller.quoted(by));
        let ends = format!("{} ends the turn", question.subject);
        let reason = match why {
            Some(why) => Reason {
                facts: format!("{ends}, as {}", why.core),
                whole: format!("{ends}, as {}", why.whole),
            },
            None => Reason { facts: ends.clone(), whole: ends },
        };
        Ok(Some(Explanation { rule, reason: Some(reason), ..Explanation::of(question.subject) }))
    }

    /// Whether a move that passes others on its way may have gone on past more of them, so that a path of several such
    /// leaps is one move with its ends: a relation that calls itself leads from its first site to its last one, and depends
    /// on the position.
    pub fn is_of_leaps(&self, mv: &Term) -> bool {
        let (Some(relation), Some((name, args))) = (self.program.special.moves, mv.functor())
        else {
            return false;
        };
        let of_form = |by: &&ClauseId| match self.program.clause(**by).head.first() {
            Some(Pattern::Compound(form, given)) => form == name && given.len() == args.len(),
            _ => false,
        };
        self.program.relation(relation).clauses.iter().filter(of_form).any(|by| {
            let clause = self.program.clause(*by);
            let Some(Pattern::Compound(_, given)) = clause.head.first() else { return false };
            let (Some(first), Some(last)) = (given.first(), given.last()) else { return false };
            clause.body.conjuncts().iter().any(|goal| match &goal.kind {
                GoalKind::Call(id, args) => {
                    let relation = self.program.relation(*id);
                    let leads = first != last && args.contains(first) && args.contains(last);
                    leads && relation.recursive && relation.kind == Kind::Derived
                }
                _ => false,
            })
        })
    }
}

impl<'r> Teller<'_, 'r> {
    /// Why the condition under which a piece that has moved goes on fails for a site; of a condition that asks of no other site than
    /// the one where the piece is now, only that it fails, with the clause that asks it.
    fn not_on(
        &mut self,
        by: ClauseId,
        value: Value,
        start: &Moment,
        site: Value,
    ) -> Answer<Option<(Option<Why>, Option<ClauseId>)>> {
        let parts = self.parts(value);
        let Some(stands) = self.sites(&parts).last().copied() else {
            return ControlFlow::Continue(None);
        };
        let Some(asked) = self.asked_on(by, &[Some(value)], start, (stands, DEEPEST))? else {
            return ControlFlow::Continue(None);
        };
        let goals = asked.goal.conjuncts();
        // the site is one that the position decides on
        let mut open: Vec<VariableId> = Vec::new();
        for goal in goals.iter().filter(|goal| self.run.depends_on_state(goal)) {
            goal.each_variable(&mut |v| {
                if asked.at.slots[v.0 as usize].is_none() && !open.contains(&v) {
                    open.push(v);
                }
            });
        }
        let mut best: Option<Failure<'r>> = None;
        for v in &open {
            let mut at = asked.at.clone();
            at.slots[v.0 as usize] = Some(site);
            let Some(failure) = self.run.failure(Some(asked.clause), goals, &at)? else {
                continue;
            };
            let mut names = false;
            failure.goal.each_variable(&mut |of| names |= of == *v);
            // of a condition that fails for another reason the site is none, and a way ends on its last one
            if names && best.as_ref().is_none_or(|best| failure.cost <= best.cost) {
                best = Some(failure);
            }
        }
        if let Some(failure) = best {
            let why = self.told(Some(asked.clause), &failure)?;
            return ControlFlow::Continue(Some((Some(why), None)));
        }
        let failure = self.run.failure(Some(asked.clause), goals, &asked.at)?;
        let fails =
            failure.filter(|failure| open.is_empty() && self.run.depends_on_state(failure.goal));
        ControlFlow::Continue(fails.map(|_| (None, Some(asked.clause))))
    }

    /// The condition that a clause asks, or an action that it calls, before the same player goes on.
    fn asked_on(
        &mut self,
        by: ClauseId,
        given: &[Option<Value>],
        at: &Moment,
        of: (Value, usize),
    ) -> Answer<Option<Condition<'r>>> {
        let Some(from) = self.entered(by, given, at) else {
            return ControlFlow::Continue(None);
        };
        let body = self.run.program.clause(by).body.conjuncts();
        let Some(way) = self.run.way(Some(by), body, &from, &|_, _| true)? else {
            return ControlFlow::Continue(None);
        };
        for passed in &way {
            if let Some(found) = self.asked_by(by, passed, of)? {
                return ControlFlow::Continue(Some(found));
            }
        }
        ControlFlow::Continue(None)
    }

    /// The same of one goal of the clause.
    fn asked_by(
        &mut self,
        by: ClauseId,
        passed: &Rc<Passed<'r>>,
        (stands, depth): (Value, usize),
    ) -> Answer<Option<Condition<'r>>> {
        let at = passed.before.clone();
        match &passed.goal.kind {
            GoalKind::If(condition, then, _) if goes_on(then, stands, &at) => {
                ControlFlow::Continue(Some(Condition { clause: by, goal: condition, at }))
            }
            GoalKind::Call(id, args) if depth > 0 => {
                let relation = self.run.program.relation(*id);
                if relation.kind != Kind::Action {
                    return ControlFlow::Continue(None);
                }
                let given = self.run.at(&at, Some(by), |run, env| {
                    let mut given = Vec::new();
                    for arg in args {
                        given.push(run.value(arg, env)?);
                    }
                    ControlFlow::Continue(given)
                })?;
                for called in &relation.clauses {
                    if let Some(found) = self.asked_on(*called, &given, &at, (stands, depth - 1))? {
                        return ControlFlow::Continue(Some(found));
                    }
                }
                ControlFlow::Continue(None)
            }
            _ => ControlFlow::Continue(None),
        }
    }
}

/// Whether a goal keeps the turn with the player, whose piece goes on from a site: it remembers that.
fn goes_on(goal: &Goal, stands: Value, at: &Moment) -> bool {
    let (mut again, mut from) = (false, false);
    goal.walk(&mut |goal| {
        again |= goal.kind == GoalKind::Again;
        if goal.is_update() {
            goal.each_variable(&mut |v| from |= at.slots[v.0 as usize] == Some(stands));
        }
    });
    again && from
}
