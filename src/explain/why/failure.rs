//! Describes failures: the goal that fails on the path nearest to success, and the facts that make
//! it fail.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::goals::{Aggregates as _, Evaluator as _, Terms as _};
use crate::program::{
    Aggregate, ClauseId, FluentId, Goal, GoalKind, Kind, RelationId, Term, Value, outcome_relation,
};

use super::super::run::{Answer, Stop};
use super::proof::Grounds;
use super::said::{Said, telling, together};
use super::walk::{Failure, Moment, Passed};
use super::words::direct_variables;
use super::{Line, Mark, Teller};
use crate::goals::found;

/// The most facts in one sentence.
const FACTS: usize = 4;
/// A reason longer than this, in letters, is shown without its consequence.
const LONG: usize = 90;

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
    /// It depends on the position; otherwise it could never hold.
    pub state: bool,
    /// The cost of the path to it.
    pub cost: u32,
    /// The goal comes after an update.
    pub after: bool,
    pub line: Line,
    pub about: Vec<Value>,
    /// The innermost clause on the path to the goal that has a rule in words.
    pub rule: Option<ClauseId>,
    /// How many goals of the clause hold before the one that fails.
    pub reached: usize,
    /// The goal asks in which phase the turn is: for a part of the state without keys.
    pub phase: bool,
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
                let mut best: Option<(u32, Failure<'r>)> = None;
                for branch in branches {
                    let failure = self.run.failure(clause, branch.conjuncts(), at)?;
                    if let Some(failure) = failure
                        && best.as_ref().is_none_or(|(cost, _)| failure.cost < *cost)
                    {
                        best = Some((failure.cost, failure));
                    }
                }
                match best {
                    Some((_, failure)) => return self.told(clause, &failure),
                    None => leaf(shown, None, state, Vec::new()),
                }
            }
            GoalKind::If(condition, then, otherwise) => {
                let met = self.run.at(at, clause, |run, env| {
                    let met = run.first(condition, env)?;
                    ControlFlow::Continue(met.then(|| run.moment(&env.slots)))
                })?;
                return match met {
                    Some(moment) => {
                        let because = self.condition(clause, condition, &moment);
                        let why = self.goals_refuted(clause, then.conjuncts(), &moment, shown)?;
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
                            true => because,
                            false => format!("{} ({because})", together(&unmet.facts, FACTS)),
                        };
                        let why = self.goals_refuted(clause, otherwise.conjuncts(), at, shown)?;
                        let tell = |text: &str| format!("{because}, and {text}");
                        let (whole, core) = (tell(&why.whole), tell(&why.core));
                        ControlFlow::Continue(Why { whole, core, facts: Vec::new(), ..why })
                    }
                };
            }
            GoalKind::Not(inner) => {
                let mut grounds = Grounds::default();
                let below = self.first_proof(clause, inner, at, &mut grounds)?;
                let told = self.goal_text(clause, inner, &at.slots);
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
                why.whole = text;
                why.facts = facts;
                why.line.below = below;
                why
            }
            GoalKind::Forall(all, hold) => return self.exception(clause, (all, hold), at, shown),
            GoalKind::After(action, then, _) => {
                return self.hypothesis_refuted(clause, (action, then), at, shown);
            }
            GoalKind::Compare(..) => {
                let (origins, about) = self.run.at(at, clause, |run, env| {
                    Teller::new(run).origins(clause, goal, at, passed, env)
                })?;
                let mut names = at.slots.clone();
                direct_variables(goal).iter().for_each(|v| names[v.0 as usize] = None);
                let mut plain = self.goal_text(clause, goal, &names);
                for v in direct_variables(goal) {
                    if let Some((fluent, keys)) = self.read_into(v, passed) {
                        let name = self.clause(clause).variables[v.0 as usize].name.clone();
                        plain = renamed(&plain, &name, &self.fluent_term(fluent, &keys));
                    }
                }
                let text = match origins.is_empty() {
                    true => format!("`{shown}` does not hold"),
                    false => {
                        format!("{}, but `{plain}` is required", together(&origins, origins.len()))
                    }
                };
                whole(text, shown, state, about)
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
            GoalKind::Differ(..) => {
                leaf(shown, Some("they are the same".to_string()), state, Vec::new())
            }
            GoalKind::Each(all, action) => {
                let failing = self.run.at(at, clause, |run, env| {
                    let mut failing = None;
                    let flow = run.goal(all, env, &mut |run, env| {
                        if run.holds(action, env)? {
                            return ControlFlow::Continue(());
                        }
                        failing = Some(run.moment(&env.slots));
                        ControlFlow::Break(Stop::Enough)
                    });
                    found(flow)?;
                    ControlFlow::Continue(failing)
                })?;
                match failing {
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

    /// The first answer of `all` for which `hold` fails.
    fn exception(
        &mut self,
        clause: Option<ClauseId>,
        (all, hold): (&'r Goal, &'r Goal),
        at: &Moment,
        shown: String,
    ) -> Answer<Why> {
        let broken = self.run.at(at, clause, |run, env| {
            let mut broken = None;
            let flow = run.goal(all, env, &mut |run, env| {
                if run.holds(hold, env)? {
                    return ControlFlow::Continue(());
                }
                broken = Some(run.moment(&env.slots));
                ControlFlow::Break(Stop::Enough)
            });
            found(flow)?;
            ControlFlow::Continue(broken)
        })?;
        let Some(moment) = broken else {
            return ControlFlow::Continue(leaf(shown, None, true, Vec::new()));
        };
        let why = self.refuted(clause, hold, &moment, &[])?;
        let mut line = Line::new(Mark::Fails, shown).noted(why.core.clone());
        line.below = vec![why.line];
        ControlFlow::Continue(Why { line, ..why })
    }

    fn call_refuted(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        (id, args): (RelationId, &'r [Term]),
        shown: &str,
        at: &Moment,
    ) -> Answer<Why> {
        if outcome_relation(id).is_some() {
            return ControlFlow::Continue(leaf(shown.to_string(), None, true, Vec::new()));
        }
        let relation = self.run.program.relation(id);
        match relation.kind {
            Kind::Fluent(fluent) => {
                let (said, about) = self.run.at(at, clause, |run, env| {
                    Teller::new(run).fluent_reason(fluent, args, env, shown)
                })?;
                let possible = self.run.at(at, clause, |run, env| run.readable(goal, env))?;
                let own = ![FluentId::TURN, FluentId::MOVER, FluentId::PLY].contains(&fluent);
                let phase = own && self.run.program.fluent(fluent).keys.is_empty();
                let why = whole(said.to_string(), shown.to_string(), possible, about);
                ControlFlow::Continue(Why { phase, facts: vec![said], ..why })
            }
            Kind::Static => {
                let (text, about) = self.run.at(at, clause, |run, env| {
                    Teller::new(run).static_reason(id, args, env, shown)
                })?;
                let apart = self.sites(&about).len() > 1;
                let why = whole(text, shown.to_string(), false, about);
                ControlFlow::Continue(Why { apart, ..why })
            }
            Kind::Derived | Kind::Action => {
                let given = self.run.at(at, clause, |run, env| {
                    let mut given = Vec::new();
                    for arg in args {
                        given.push(run.value(arg, env)?);
                    }
                    ControlFlow::Continue(given)
                })?;
                self.relation_refuted(id, &given, at, shown)
            }
        }
    }

    /// Why no clause of a relation holds for some values.
    pub fn relation_refuted(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        at: &Moment,
        shown: &str,
    ) -> Answer<Why> {
        let relation = self.run.program.relation(id);
        let call = (id, given.to_vec());
        let about: Vec<Value> = given.iter().flatten().copied().collect();
        if self.above.contains(&call) || !self.room() {
            return ControlFlow::Continue(leaf(shown.to_string(), None, true, about));
        }
        self.above.push(call);
        let result = self.clauses_refuted(id, given, at);
        self.above.pop();
        let (best, lines) = result?;
        let Some(best) = best else {
            let text = format!("`{shown}` does not hold: no clause has such a head");
            let mut why = whole(text, shown.to_string(), false, about);
            why.line.below = lines;
            return ControlFlow::Continue(why);
        };
        let ends = self.sites(&about);
        let (core, facts) = match ends.as_slice() {
            // what no position changes is told by its ends
            [from, to] if !best.state && relation.kind == Kind::Derived => {
                let piece = about.iter().copied().find(|value| self.is_piece(*value));
                (self.no_way(piece, *from, *to), Vec::new())
            }
            [site]
                if !best.state
                    && relation.kind == Kind::Derived
                    && about.iter().filter(|value| *value == site).count() > 1 =>
            {
                let site = self.show(*site);
                (format!("{site} is where it begins and where it ends"), Vec::new())
            }
            _ => (best.core, best.facts),
        };
        let text = match core.ends_with(')') {
            // a goal that must not hold is nearer to the facts than this one
            _ if best.whole.ends_with("must not hold)") => best.whole.clone(),
            _ if core.contains(&format!("`{shown}` does not hold")) => core.clone(),
            // a long reason is shown alone
            _ if core.len() > LONG => core.clone(),
            // so is one that tells its own goal
            true => core.clone(),
            false => format!("{core} (`{shown}` does not hold)"),
        };
        let mut line = Line::new(Mark::Fails, shown).noted(core.clone());
        line.below = lines;
        let about = best.about.into_iter().chain(about).collect();
        ControlFlow::Continue(Why {
            cost: best.cost,
            whole: text,
            core,
            state: best.state,
            after: best.after,
            line,
            about,
            rule: best.rule,
            phase: best.phase,
            reached: 0,
            facts,
            apart: false,
        })
    }

    /// The best reason among all clauses, and a line for each clause.
    pub fn clauses_refuted(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        at: &Moment,
    ) -> Answer<(Option<Why>, Vec<Line>)> {
        let program = self.run.program;
        let mut failures = Vec::new();
        for by in &program.relation(id).clauses {
            let Some(from) = self.entered(*by, given, at) else { continue };
            let body = program.clause(*by).body.conjuncts();
            if let Some(failure) = self.run.failure(Some(*by), body, &from)? {
                failures.push((*by, failure));
            }
        }
        failures.sort_by_key(|(_, f)| (f.cost, usize::MAX - f.passed.len()));
        let mut best: Option<(u32, usize, Why)> = None;
        let mut lines = Vec::new();
        for (by, failure) in &failures {
            let mut why = self.told(Some(*by), failure)?;
            why.after |= failure.passed.iter().any(|p| self.run.changes_state(p.goal));
            why.cost = failure.cost;
            why.reached = failure.passed.len();
            why.rule = why.rule.or_else(|| self.rule(*by).map(|_| *by));
            let mut line = self.clause_line(*by, failure, &why)?;
            if lines.is_empty() {
                line.text = self.written(*by).text;
            }
            lines.push(line);
            // among equals, a reason that depends on the position is better than one that does not
            let better = match &best {
                None => true,
                Some((cost, far, b)) => {
                    *cost == failure.cost && *far <= failure.passed.len() && why.state && !b.state
                }
            };
            if better {
                best = Some((failure.cost, failure.passed.len(), why));
            }
        }
        ControlFlow::Continue((best.map(|(_, _, why)| why), lines))
    }

    /// A clause that fails: the goals that hold, and the one that does not.
    pub fn clause_line(&mut self, by: ClauseId, failure: &Failure<'r>, why: &Why) -> Answer<Line> {
        let clause = self.run.program.clause(by);
        let mut line =
            Line::new(Mark::Clause, head_text(self.run.program.sources.text(clause.span)));
        line.place = Some(self.place(by));
        if self.above.len() < 4 {
            let mut grounds = Grounds::default();
            line.below = self.proofs(Some(by), &failure.passed, &mut grounds)?;
        }
        line.below.push(why.line.clone());
        ControlFlow::Continue(line)
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

/// The first line of a clause.
fn head_text(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim_end();
    match text.lines().count() {
        0 | 1 => first.to_string(),
        _ => format!("{first} …"),
    }
}

/// A reason without details: the goal does not hold, and perhaps why.
fn leaf(shown: String, core: Option<String>, state: bool, about: Vec<Value>) -> Why {
    let whole = match &core {
        Some(core) => format!("`{shown}` does not hold: {core}"),
        None => format!("`{shown}` does not hold"),
    };
    let mut line = Line::new(Mark::Fails, shown);
    line.note.clone_from(&core);
    Why {
        core: core.unwrap_or_else(|| whole.clone()),
        whole,
        state,
        after: false,
        cost: 0,
        line,
        about,
        rule: None,
        phase: false,
        reached: 0,
        facts: Vec::new(),
        apart: false,
    }
}

/// A reason that is a sentence of its own.
fn whole(text: String, shown: String, state: bool, about: Vec<Value>) -> Why {
    let line = Line::new(Mark::Fails, shown).noted(text.clone());
    Why {
        whole: text.clone(),
        core: text,
        state,
        after: false,
        cost: 0,
        line,
        about,
        rule: None,
        phase: false,
        reached: 0,
        facts: Vec::new(),
        apart: false,
    }
}
