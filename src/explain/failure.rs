//! Describes failures: the goal that fails on the path nearest to success, and the facts that make
//! it fail.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::goals::{Aggregates as _, Evaluator as _, Terms as _};
use crate::program::{
    Aggregate, ClauseId, Comparison, Expression, FluentId, Goal, GoalKind, Kind, Value,
};

use super::proof::Grounds;
use super::said::{Said, telling, together};
use super::walk::{Failure, Moment, Passed};
use super::words::direct_variables;
use super::{Line, Mark, Teller};
use crate::goals::found;
use crate::reference::run::{Answer, Stop};

/// The most facts in one sentence.
const FACTS: usize = 4;

/// Why a goal fails.
#[derive(Debug)]
pub(super) struct Why {
    /// The goal that fails, and why: `mine(c3)` does not hold: at(c3) is white.
    pub whole: String,
    /// Only the facts that make it fail.
    pub core: String,
    /// The same facts one by one; empty where the core is no such list.
    pub facts: Vec<Said>,
    /// The goal asks how two sites lie to each other.
    pub apart: bool,
    /// It asks that two values be different.
    pub same: bool,
    /// It asks whether they are next to each other.
    pub next: bool,
    /// It is a negated goal that the rules have words for.
    pub worded: bool,
    /// A clause beside it leads from one site to the next only.
    pub steps: bool,
    /// The core says what there is, but what is required.
    pub contrast: bool,
    /// It depends on the position; otherwise it could never hold.
    pub state: bool,
    /// The cost of the path to it.
    pub cost: u32,
    /// The goal comes after an update.
    pub after: bool,
    /// Less of what is not the mover's is on the board there than before.
    pub takes: bool,
    pub line: Line,
    pub about: Vec<Value>,
    /// The innermost clause on the path to the goal that has a rule in words.
    pub rule: Option<ClauseId>,
    /// How many goals of the clause hold before the one that fails.
    pub reached: usize,
    /// The goal asks in which phase the turn is: for a part of the state without keys.
    pub phase: bool,
}

impl Why {
    /// A reason of which nothing is known but its text.
    pub fn new(whole: String, core: String, state: bool, about: Vec<Value>, line: Line) -> Why {
        Why {
            whole,
            core,
            facts: Vec::new(),
            apart: false,
            same: false,
            next: false,
            worded: false,
            steps: false,
            contrast: false,
            state,
            cost: 0,
            after: false,
            takes: false,
            line,
            about,
            rule: None,
            reached: 0,
            phase: false,
        }
    }
}

impl<'r> Teller<'_, 'r> {
    /// Why a goal fails at a moment; `passed` are the goals before it.
    pub fn refuted(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        at: &Moment,
        passed: &[Rc<Passed<'r>>],
    ) -> Answer<Why> {
        let shown = self.goal_text(clause, goal, &at.slots);
        let state = self.run.depends_on_state(goal);
        if !self.room() {
            return ControlFlow::Continue(leaf(shown, None, state, Vec::new()));
        }
        ControlFlow::Continue(match &goal.kind {
            GoalKind::Call(id, args) => {
                return self.call_refuted(clause, goal, (*id, args), &shown, at);
            }
            GoalKind::And(_) | GoalKind::Once(_) => {
                let inner = if let GoalKind::Once(inner) = &goal.kind { inner } else { goal };
                return self.goals_refuted(clause, inner.conjuncts(), at, shown);
            }
            GoalKind::Or(branches) => {
                let mut best: Vec<Failure<'r>> = Vec::new();
                for branch in branches {
                    let failure = self.run.failure(clause, branch.conjuncts(), at)?;
                    let cost = best.first().map_or(u32::MAX, |first| first.cost);
                    if let Some(failure) = failure.filter(|failure| failure.cost <= cost) {
                        best.retain(|other| other.cost == failure.cost);
                        best.push(failure);
                    }
                }
                let mut all = Vec::new();
                for failure in &best {
                    all.push(self.told(clause, failure)?);
                }
                return ControlFlow::Continue(match all.len() {
                    0 => leaf(shown, None, state, Vec::new()),
                    1 => all.remove(0),
                    _ => self.neither(all, shown),
                });
            }
            GoalKind::If(condition, then, otherwise) => {
                let met = self.run.at(at, clause, |run, env| {
                    let met = run.first(condition, env)?;
                    ControlFlow::Continue(met.then(|| run.moment(&env.slots)))
                })?;
                return match met {
                    Some(moment) => {
                        let why = self.goals_refuted(clause, then.conjuncts(), &moment, shown)?;
                        // a condition without which the goal would not hold either decides nothing
                        let decides = !why.state
                            || self.run.failure(clause, otherwise.conjuncts(), at)?.is_none();
                        let because = match decides {
                            true => self.condition(clause, condition, &moment),
                            false => None,
                        };
                        let tell = |text: &str| match &because {
                            Some(condition) => format!("as `{condition}` holds, {text}"),
                            None => text.to_string(),
                        };
                        let (whole, core) = (tell(&why.whole), tell(&why.core));
                        ControlFlow::Continue(Why { whole, core, facts: Vec::new(), ..why })
                    }
                    None if otherwise.kind == GoalKind::Fail => {
                        self.refuted(clause, condition, at, passed)
                    }
                    None => {
                        let because = self.goal_text(clause, condition, &at.slots);
                        let because = format!("`{because}` does not hold");
                        let unmet = self.refuted(clause, condition, at, &[])?;
                        let because = match unmet.facts.is_empty() {
                            true if !unmet.core.contains('`') => unmet.core.clone(),
                            true => because,
                            false => format!("{} ({because})", together(&unmet.facts, FACTS)),
                        };
                        let why = self.goals_refuted(clause, otherwise.conjuncts(), at, shown)?;
                        // where nothing but the condition could help, what it allows is what was meant
                        if !why.state
                            && let Some(meant) = self.meant(clause, (condition, then), at)?
                        {
                            return ControlFlow::Continue(meant);
                        }
                        // what no position changes follows from the condition
                        let tell = |text: &str| match why.state || unmet.facts.is_empty() {
                            true => format!("{because}, and {text}"),
                            false => because.clone(),
                        };
                        let (whole, core) = (tell(&why.whole), tell(&why.core));
                        ControlFlow::Continue(Why { whole, core, facts: Vec::new(), ..why })
                    }
                };
            }
            GoalKind::Not(inner) => {
                let mut grounds = Grounds::default();
                let (met, below) = self.first_proof(clause, inner, at, &mut grounds)?;
                let slots = met.as_ref().map_or(&at.slots, |met| &met.slots);
                let told = self.goal_text(clause, inner, slots);
                let facts = match telling(grounds.facts.clone()) {
                    others if others.is_empty() => grounds.facts,
                    others => others,
                };
                let read = matches!(&inner.kind, GoalKind::Call(id, _)
                    if self.run.program.relations.get(id.0 as usize)
                        .is_some_and(|r| matches!(r.kind, Kind::Fluent(_))));
                let repeated =
                    matches!(inner.kind, GoalKind::RepeatedBoard(_) | GoalKind::Repeated(_));
                let core = match facts.is_empty() {
                    _ if repeated => "the same position has been there before".to_string(),
                    true => format!("`{told}` holds"),
                    false => together(&facts, FACTS),
                };
                let text = match facts.is_empty() {
                    _ if read || repeated => core.clone(),
                    true => format!("{core}, which it must not"),
                    false => format!("{core} (`{told}` must not hold)"),
                };
                let mut why = whole(core, shown, state, grounds.about);
                why.phase = match &inner.kind {
                    GoalKind::Call(id, _) if read => {
                        let keys = why.about.clone();
                        let relation = self.run.program.relation(*id).kind;
                        matches!(relation, Kind::Fluent(f) if self.is_phase(f, &keys))
                    }
                    _ => false,
                };
                why.whole = text;
                why.worded = matches!(facts.as_slice(), [Said::Other(_)]);
                why.facts = facts;
                why.line.below = below;
                why
            }
            GoalKind::Forall(all, hold) => return self.exception(clause, (all, hold), at, shown),
            GoalKind::After(action, then, _) => {
                return self.hypothesis_refuted(clause, (action, then), at, shown);
            }
            GoalKind::Compare(comparison, one, two) => {
                let origins = self.run.at(at, clause, |run, env| {
                    Teller::new(run).origins(clause, goal, at, passed, env)
                })?;
                let direct = direct_variables(goal);
                let read = direct.iter().any(|v| self.read_into(*v, passed).is_some());
                let mut names = at.slots.clone();
                let told = direct.iter().filter(|v| !self.by_option(**v, passed));
                told.for_each(|v| names[v.0 as usize] = None);
                let mut plain = self.goal_text(clause, goal, &names);
                for v in direct {
                    if let Some((fluent, keys)) = self.read_into(v, passed) {
                        let name = self.clause(clause).variables[v.0 as usize].name.clone();
                        plain = renamed(&plain, &name, &self.fluent_term(fluent, &keys));
                    }
                }
                // a comparison that stands for another goal, as two do for `N in 1..6`, is told as that is written
                let written = self.run.program.sources.text(goal.span);
                if clause.is_some() && !written.contains(comparison.name()) {
                    plain = written.split_whitespace().collect::<Vec<_>>().join(" ");
                }
                let told = together(&origins.facts, origins.facts.len());
                let text = match origins.facts.is_empty() {
                    true => format!("`{shown}` does not hold"),
                    false if origins.worded => told,
                    false => match self.allowed_after(*comparison, (one, two), passed) {
                        Some(when) => format!("{told}, and it is allowed {when}"),
                        None => match self.asked_of_count(*comparison, (one, two), passed) {
                            Some(asked) => format!("{told}, but {asked}"),
                            None => format!("{told}, but `{plain}` is required"),
                        },
                    },
                };
                let why = whole(text, shown, state || read, origins.about);
                let phase = origins.phase && !origins.facts.is_empty();
                let contrast = !origins.facts.is_empty() && !origins.worded;
                let facts = if origins.worded { origins.facts } else { Vec::new() };
                Why { phase, contrast, facts, ..why }
            }
            GoalKind::Is(given, number) => {
                let values = self.run.at(at, clause, |run, env| {
                    let result = run.number(number, env, goal.span)?;
                    let given = run.value(given, env)?;
                    ControlFlow::Continue(result.zip(given))
                })?;
                match values {
                    Some((result, given)) => {
                        let calculated = self.expression_text(clause, number, &at.slots);
                        let given = self.show(given);
                        let text = match calculated == result.to_string() {
                            true => format!("{result} is not {given}"),
                            false => format!("{calculated} is {result}, not {given}"),
                        };
                        whole(text, shown, state, Vec::new())
                    }
                    None => leaf(shown, None, state, Vec::new()),
                }
            }
            GoalKind::Aggregate(kind, template, inner, _) => {
                let value = self.run.at(at, clause, |run, env| {
                    run.aggregate(*kind, template, inner, goal.span, env)
                })?;
                let what = match (kind, value) {
                    (_, None) => "there is none".to_string(),
                    (Aggregate::Groups(_), Some(Value::Integer(0))) => {
                        "there is no such site".to_string()
                    }
                    (Aggregate::Groups(_), Some(n)) => {
                        format!("its sites form {} groups", self.show(n))
                    }
                    (Aggregate::Count, Some(n)) => format!("there are {}", self.show(n)),
                    (_, Some(n)) => format!("it is {}", self.show(n)),
                };
                leaf(shown, Some(what), state, Vec::new())
            }
            GoalKind::Stuck => {
                let text = self.run.at(at, clause, |run, _| Teller::new(run).some_move())?;
                let mut why = whole(text.clone(), shown.clone(), true, Vec::new());
                why.whole = format!("{text} (`{shown}` does not hold)");
                why
            }
            GoalKind::Legal(_) => {
                let text = format!("`{shown}` does not hold: there is no such legal move");
                whole(text, shown, true, Vec::new())
            }
            GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_) => {
                let board = matches!(goal.kind, GoalKind::RepeatedBoard(_));
                let times = self
                    .run
                    .at(at, clause, |run, _| ControlFlow::Continue(run.occurrences(board)))?;
                let times = match times {
                    1 => "once".to_string(),
                    2 => "twice".to_string(),
                    n => format!("{n} times"),
                };
                leaf(shown, Some(format!("the position has occurred {times}")), true, Vec::new())
            }
            GoalKind::Unify(one, two) => {
                let values = self.run.at(at, clause, |run, env| {
                    ControlFlow::Continue(run.value(one, env)?.zip(run.value(two, env)?))
                })?;
                let named = values.filter(|(one, two)| {
                    self.site(&[*one]).is_some() && self.site(&[*two]).is_some()
                });
                match named {
                    Some((one, two)) => {
                        let text = format!(
                            "it would have to be {}, not {}",
                            self.show(two),
                            self.show(one)
                        );
                        whole(text, shown, state, vec![one, two])
                    }
                    None => leaf(shown, None, state, Vec::new()),
                }
            }
            GoalKind::Differ(..) => {
                let why = leaf(shown, Some("they are the same".to_string()), state, Vec::new());
                Why { same: true, ..why }
            }
            GoalKind::Each(all, action) => {
                match self.exceptions(clause, (all, action), at, 1)?.pop() {
                    Some(moment) => return self.refuted(clause, action, &moment, &[]),
                    None => leaf(shown, None, true, Vec::new()),
                }
            }
            _ if goal.is_update() => {
                let text = "it calculates with something that has no value".to_string();
                leaf(shown, Some(text), true, Vec::new())
            }
            _ => leaf(shown, None, state, Vec::new()),
        })
    }

    /// When a move is allowed by a comparison of the number of moves made with a number: `ply > 2`.
    fn allowed_after(
        &self,
        comparison: Comparison,
        (made, number): (&Expression, &Expression),
        passed: &[Rc<Passed<'r>>],
    ) -> Option<String> {
        let counts = match made {
            Expression::Fluent(fluent, _) => *fluent == FluentId::PLY,
            Expression::Variable(v) => {
                self.read_into(*v, passed).is_some_and(|(fluent, _)| fluent == FluentId::PLY)
            }
            _ => false,
        };
        let Expression::Integer(number) = number else { return None };
        let (number, how) = match comparison {
            _ if !counts => return None,
            Comparison::Greater => (number + 1, " at the earliest"),
            Comparison::GreaterOrEqual => (*number, " at the earliest"),
            Comparison::Less => (number - 1, " at the latest"),
            Comparison::LessOrEqual => (*number, " at the latest"),
            Comparison::Equal => (*number, " only"),
            Comparison::NotEqual => return None,
        };
        let moves = if number == 1 { "move" } else { "moves" };
        Some(format!("after {number} {moves}{how}"))
    }

    /// That none of several goals holds of which one would be enough, and that fail alike; the first alone where some of
    /// them are told as goals.
    fn neither(&self, mut all: Vec<Why>, shown: String) -> Why {
        if all.iter().any(|why| why.core.contains('`')) {
            return all.remove(0);
        }
        let said = |why: &Why| match why.core.split_once(" is ") {
            Some((subject, what)) if !subject.contains(' ') => {
                vec![Said::Of(subject.to_string(), what.to_string())]
            }
            _ => vec![Said::Other(why.core.clone())],
        };
        let facts: Vec<Said> = all
            .iter()
            .flat_map(|why| if why.facts.is_empty() { said(why) } else { why.facts.clone() })
            .collect();
        let core = together(&facts, FACTS);
        let mut first = all.remove(0);
        first.about.extend(all.iter().flat_map(|why| why.about.clone()));
        first.facts = if first.facts.is_empty() { Vec::new() } else { facts };
        first.whole = format!("{core} (`{shown}` does not hold)");
        first.line = Line::new(Mark::Fails, shown)
            .noted(core.clone())
            .over(std::iter::once(first.line).chain(all.into_iter().map(|why| why.line)).collect());
        Why { core, ..first }
    }

    /// Why the goals behind a condition that does not hold fail too, because of the position: of a path of leaps that is
    /// at its end, the next leap that it names. `None` where they need values that the condition gives, or do not fail.
    fn meant(
        &mut self,
        clause: Option<ClauseId>,
        (condition, then): (&'r Goal, &'r Goal),
        at: &Moment,
    ) -> Answer<Option<Why>> {
        let mut given = Vec::new();
        condition.each_variable(&mut |v| given.push(v));
        given.retain(|v| at.slots[v.0 as usize].is_none());
        let mut needed = false;
        then.each_variable(&mut |v| needed |= given.contains(&v));
        if needed {
            return ControlFlow::Continue(None);
        }
        let Some(failure) = self.run.failure(clause, then.conjuncts(), at)? else {
            return ControlFlow::Continue(None);
        };
        let why = self.told(clause, &failure)?;
        ControlFlow::Continue(why.state.then_some(why))
    }

    /// The goals of a condition that held, as far as they depend on the position.
    fn condition(
        &self,
        clause: Option<ClauseId>,
        condition: &'r Goal,
        met: &Moment,
    ) -> Option<String> {
        let told = condition.conjuncts().iter().filter(|g| self.run.depends_on_state(g));
        let texts: Vec<String> = told.map(|g| self.goal_text(clause, g, &met.slots)).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Why a conjunction fails, on its best path.
    fn goals_refuted(
        &mut self,
        clause: Option<ClauseId>,
        goals: &'r [Goal],
        at: &Moment,
        shown: String,
    ) -> Answer<Why> {
        match self.run.failure(clause, goals, at)? {
            Some(failure) => self.told(clause, &failure),
            None => ControlFlow::Continue(leaf(shown, None, true, Vec::new())),
        }
    }

    /// Why a hypothesis fails: its updates cannot be made, or the goal fails behind them.
    fn hypothesis_refuted(
        &mut self,
        clause: Option<ClauseId>,
        (action, then): (&'r Goal, &'r Goal),
        at: &Moment,
        shown: String,
    ) -> Answer<Why> {
        let behind = self.run.at(at, clause, |run, env| {
            let mut behind = None;
            let flow = run.goal(action, env, &mut |run, env| {
                behind = Some(run.moment(&env.slots));
                ControlFlow::Break(Stop::Enough)
            });
            found(flow)?;
            ControlFlow::Continue(behind)
        })?;
        let (why, core, mut below) = match behind {
            None => {
                let why = self.refuted(clause, action, at, &[])?;
                let told = self.goal_text(clause, action, &at.slots);
                let core = format!("`{told}` cannot be made: {}", why.core);
                (why, core, Vec::new())
            }
            Some(behind) => {
                let why = self.refuted(clause, then, &behind, &[])?;
                let told = self.goal_text(clause, action, &behind.slots);
                let core = format!("after `{told}`, {}", why.core);
                let below = self.proof(clause, action, at, &behind, &mut Grounds::default())?;
                (why, core, below)
            }
        };
        below.push(why.line);
        let line = Line::new(Mark::Fails, shown).noted(core.clone()).over(below);
        let facts = Vec::new();
        ControlFlow::Continue(Why { whole: core.clone(), core, facts, line, after: false, ..why })
    }

    /// The moments of the first answers of `all` for which `hold` fails, `most` at most.
    fn exceptions(
        &mut self,
        clause: Option<ClauseId>,
        (all, hold): (&'r Goal, &'r Goal),
        at: &Moment,
        most: usize,
    ) -> Answer<Vec<Moment>> {
        self.run.at(at, clause, |run, env| {
            let mut broken = Vec::new();
            let flow = run.goal(all, env, &mut |run, env| {
                if !run.holds(hold, env)? {
                    broken.push(run.moment(&env.slots));
                }
                match broken.len() < most {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(Stop::Enough),
                }
            });
            match flow {
                // a rule error in a further case is none of this reason
                ControlFlow::Break(Stop::Fault(_)) if !broken.is_empty() => {}
                flow => {
                    found(flow)?;
                }
            }
            ControlFlow::Continue(broken)
        })
    }

    /// The answers of `all` for which `hold` fails: all of them where each lacks a fact.
    fn exception(
        &mut self,
        clause: Option<ClauseId>,
        (all, hold): (&'r Goal, &'r Goal),
        at: &Moment,
        shown: String,
    ) -> Answer<Why> {
        let moments = self.exceptions(clause, (all, hold), at, FACTS + 1)?;
        let Some((first, others)) = moments.split_first() else {
            return ControlFlow::Continue(leaf(shown, None, true, Vec::new()));
        };
        let mut why = self.refuted(clause, hold, first, &[])?;
        let mut below = vec![why.line.clone()];
        let (mut facts, mut about) = (why.facts.clone(), why.about.clone());
        for moment in others {
            let other = self.refuted(clause, hold, moment, &[])?;
            if facts.is_empty() || other.facts.is_empty() {
                facts.clear();
                break;
            }
            facts.extend(other.facts);
            about.extend(other.about);
            below.push(other.line);
        }
        if !others.is_empty() && !facts.is_empty() {
            let core = together(&facts, FACTS);
            let whole = format!("{core} (`{shown}` does not hold)");
            why = Why { whole, core, facts, about, ..why };
        } else {
            below.truncate(1);
        }
        let mut line = Line::new(Mark::Fails, shown).noted(why.core.clone());
        line.below = below;
        ControlFlow::Continue(Why { line, ..why })
    }
}

/// A text with another name for a variable.
fn renamed(text: &str, variable: &str, name: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(variable) {
        let (before, found) = rest.split_at(at);
        let after = &found[variable.len()..];
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let alone = !before.ends_with(part) && !after.starts_with(part);
        out.push_str(before);
        out.push_str(if alone { name } else { variable });
        rest = after;
    }
    out + rest
}

/// A reason without details: the goal does not hold, and perhaps why.
pub(super) fn leaf(shown: String, core: Option<String>, state: bool, about: Vec<Value>) -> Why {
    let whole = match &core {
        Some(core) => format!("`{shown}` does not hold: {core}"),
        None => format!("`{shown}` does not hold"),
    };
    let mut line = Line::new(Mark::Fails, shown);
    line.note.clone_from(&core);
    let core = core.unwrap_or_else(|| whole.clone());
    Why::new(whole, core, state, about, line)
}

/// A reason that is a sentence of its own.
pub(super) fn whole(text: String, shown: String, state: bool, about: Vec<Value>) -> Why {
    let line = Line::new(Mark::Fails, shown).noted(text.clone());
    Why::new(text.clone(), text, state, about, line)
}
