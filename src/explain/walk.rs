//! Walks through the goals of a clause one by one, and records how far it came.
//!
//! A path that holds is recorded with the moment before and after each goal. Where there is none,
//! the paths that failed are compared by their cost: a goal that failed is skipped, as far as no
//! later goal needs a value from it, and the goals after it are tried too. A derived relation may
//! also take the answers that it could have in another position (assuming that tests of the state
//! hold), as if it had failed for each of them. The path with the least cost is the best
//! explanation, and among equals the one that came furthest.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::goals::{Evaluator as _, Terms as _};
use crate::program::{ClauseId, FluentId, Goal, GoalKind, Kind, Term, Value, VariableId};

use super::Teller;
use crate::goals::Environment;
use crate::reference::facts::{Map, Position};
use crate::reference::run::{Answer, Flow, Run, Stop};

/// The state and the values of a clause's variables at one moment.
#[derive(Debug, Clone)]
pub(in crate::explain) struct Moment {
    pub state: Vec<Arc<Map>>,
    pub past: Arc<Vec<Position>>,
    pub turned: bool,
    pub slots: Vec<Option<Value>>,
}

/// A goal that held, with the moments before and after it.
#[derive(Debug, Clone)]
pub(in crate::explain) struct Passed<'r> {
    pub goal: &'r Goal,
    pub before: Moment,
    pub after: Moment,
}

impl Passed<'_> {
    /// Whether it has given a variable its value.
    pub fn gives(&self, v: VariableId) -> bool {
        let at = v.0 as usize;
        self.before.slots[at].is_none() && self.after.slots[at].is_some()
    }
}

/// The best path that failed.
#[derive(Debug, Clone)]
pub(in crate::explain) struct Failure<'r> {
    pub passed: Vec<Rc<Passed<'r>>>,
    pub goal: &'r Goal,
    /// The moments at which the goal failed, where several paths have the same cost.
    pub moments: Vec<Moment>,
    /// The cost of the path: the less, the nearer it came to success.
    pub cost: u32,
    /// How many cases keep the goal from holding.
    pub lacks: u32,
}

/// The most moments that are recorded.
const MOST_MOMENTS: usize = 40;
/// The cost of a failed goal that holds in no position, …
pub const NEVER: u32 = 25;
/// … of one that depends on the position, …
const NOW: u32 = 4;
/// … and of one that was not reached.
const UNREACHED: u32 = 3;
/// The most cases that are counted.
const MOST_CASES: u32 = 99;
/// The most answers of a relation in other positions that are tried.
const MOST_IMAGINED: usize = 64;

/// Decides which paths count as success.
pub(in crate::explain) type Accept<'a, 'r> = &'a dyn Fn(&Run<'r>, &[Rc<Passed<'r>>]) -> bool;

/// Where a value comes from: the clause was asked about it, or has chosen it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Given,
    Chosen,
}

/// What a goal of a move from one site to another asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// The first site alone: whose piece stands there.
    Begin,
    /// The last site alone: whether it is empty.
    End,
    /// How the sites lie to each other.
    Both,
    Other,
}

/// The goal that a path fails with: how many goals held before it, when, at which cost, and what it asks about.
#[derive(Clone)]
struct Failed<'r> {
    passed: usize,
    goal: &'r Goal,
    moment: Moment,
    cost: u32,
    about: About,
    lacks: u32,
}

struct Walker<'a, 'r> {
    accept: Accept<'a, 'r>,
    /// Paths that fail are recorded.
    failing: bool,
    passed: Vec<Rc<Passed<'r>>>,
    failed: Option<Failed<'r>>,
    /// The values of the clause's variables at the beginning.
    given: Vec<Option<Value>>,
    /// Variables that failed goals left unbound.
    missing: Vec<VariableId>,
    cost: u32,
    /// The first goal among those that failed that can never hold.
    never: Option<&'r Goal>,
    best: Option<Failure<'r>>,
    found: bool,
}

impl<'r> Run<'r> {
    pub(in crate::explain) fn moment(&self, slots: &[Option<Value>]) -> Moment {
        Moment {
            state: self.state.clone(),
            past: self.past.clone(),
            turned: self.turned,
            slots: slots.to_vec(),
        }
    }

    /// Runs a function at another moment and returns to the current one in any case.
    pub(in crate::explain) fn at<T>(
        &mut self,
        moment: &Moment,
        clause: Option<ClauseId>,
        work: impl FnOnce(&mut Run<'r>, &mut Environment) -> Answer<T>,
    ) -> Answer<T> {
        let state = std::mem::replace(&mut self.state, moment.state.clone());
        let past = std::mem::replace(&mut self.past, moment.past.clone());
        let turned = std::mem::replace(&mut self.turned, moment.turned);
        let (version, undo, nesting) = (self.version, self.undo.len(), self.nesting);
        let fixpoints = self.fixpoints.len();
        self.renew();
        let mut env = Environment::new(clause, 0, moment.slots.len());
        env.slots.clone_from(&moment.slots);
        let result = work(self, &mut env);
        self.undo.truncate(undo);
        self.fixpoints.truncate(fixpoints);
        self.nesting = nesting;
        (self.state, self.past, self.turned) = (state, past, turned);
        self.return_to(version);
        result
    }

    /// A path through the body of a clause that holds, from the moment at which its head was
    /// matched.
    pub(in crate::explain) fn way(
        &mut self,
        clause: Option<ClauseId>,
        goals: &'r [Goal],
        from: &Moment,
        accept: Accept<'_, 'r>,
    ) -> Answer<Option<Vec<Rc<Passed<'r>>>>> {
        let mut walker = Walker::new(accept, false, from);
        let flow = self.at(from, clause, |run, env| step(run, goals, env, &mut walker));
        match flow {
            _ if walker.found => ControlFlow::Continue(Some(walker.passed)),
            ControlFlow::Break(fault) => ControlFlow::Break(fault),
            ControlFlow::Continue(()) => ControlFlow::Continue(None),
        }
    }

    /// The best path through the body of a clause that fails; `None` where one holds.
    pub(in crate::explain) fn failure(
        &mut self,
        clause: Option<ClauseId>,
        goals: &'r [Goal],
        from: &Moment,
    ) -> Answer<Option<Failure<'r>>> {
        let mut walker = Walker::new(&|_, _| true, true, from);
        let flow = self.at(from, clause, |run, env| step(run, goals, env, &mut walker));
        if walker.found {
            return ControlFlow::Continue(None);
        }
        if let ControlFlow::Break(Stop::Fault(error)) = flow {
            // a result in case the limit on steps is reached, or skipping finds no path
            walker.record(0);
            if walker.best.is_none() {
                return ControlFlow::Break(Stop::Fault(error));
            }
        }
        ControlFlow::Continue(walker.best)
    }

    /// The answers that a goal on a derived relation could have in another position.
    fn imagined(&mut self, goal: &Goal, env: &Environment) -> Vec<Vec<Option<Value>>> {
        let derived = matches!(&goal.kind, GoalKind::Call(id, _)
            if self.program.relations.get(id.0 as usize).is_some_and(|r| r.kind == Kind::Derived));
        if !derived || self.relaxed {
            return Vec::new();
        }
        let mut answers: Vec<Vec<Option<Value>>> = Vec::new();
        let here = self.moment(&env.slots);
        self.relaxed = true;
        // a fault on this path is no fault of the rules: the path is dropped
        let _ = self.at(&here, env.clause, |run, env| {
            run.goal(goal, env, &mut |_, env| {
                if !answers.contains(&env.slots) {
                    answers.push(env.slots.clone());
                }
                match answers.len() < MOST_IMAGINED {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(Stop::Enough),
                }
            })
        });
        self.relaxed = false;
        answers
    }

    /// The map of what stands where, and the site that a goal asks about, where it asks what stands on one.
    fn contents_asked<'g>(&self, goal: &'g Goal) -> Option<(FluentId, &'g Term)> {
        let GoalKind::Call(id, args) = &goal.kind else { return None };
        let Kind::Fluent(fluent) = self.program.relations.get(id.0 as usize)?.kind else {
            return None;
        };
        let [site, _] = args.as_slice() else { return None };
        (self.reference.drawn_fluent() == Some(fluent)).then_some((fluent, site))
    }

    /// Whether a goal asks for a piece on a site where another one stands. What stands there is given, and rules
    /// for other pieces are no nearer to its moves for that.
    fn holds_another(&mut self, goal: &Goal, env: &Environment) -> Answer<bool> {
        let Some((fluent, site)) = self.contents_asked(goal) else {
            return ControlFlow::Continue(false);
        };
        let Some(site) = self.value(site, env)? else { return ControlFlow::Continue(false) };
        ControlFlow::Continue(matches!(self.read(fluent, &[site]), Some(Value::Constant(_))))
    }

    /// Whether a goal asks for a piece on a site where the player to move has another one.
    pub(in crate::explain) fn holds_other_of_mover(
        &mut self,
        goal: &Goal,
        env: &Environment,
    ) -> Answer<bool> {
        let Some((fluent, site)) = self.contents_asked(goal) else {
            return ControlFlow::Continue(false);
        };
        if !self.holds_another(goal, env)? {
            return ControlFlow::Continue(false);
        }
        let site = self.value(site, env)?;
        let stands = site.and_then(|site| self.read(fluent, &[site]));
        let turn = self.read(FluentId::TURN, &[]);
        let args = stands.and_then(|piece| self.values.functor(piece)).map(|(_, args)| args);
        let own = turn.zip(args).is_some_and(|(turn, args)| args.contains(&turn));
        ControlFlow::Continue(own)
    }

    /// How far an action that cannot be made is from being made; 0 for other goals.
    fn lacked(&mut self, goal: &'r Goal, env: &Environment) -> Answer<u32> {
        let GoalKind::Call(id, args) = &goal.kind else { return ControlFlow::Continue(0) };
        let relation = self.program.relations.get(id.0 as usize);
        let Some(relation) = relation.filter(|r| r.kind == Kind::Action) else {
            return ControlFlow::Continue(0);
        };
        let here = self.moment(&env.slots);
        let mut given = Vec::new();
        for arg in args {
            given.push(self.value(arg, env)?);
        }
        let mut least: Option<u32> = None;
        for by in &relation.clauses {
            let Some(from) = Teller::new(self).entered(*by, &given, &here) else { continue };
            let body = self.program.clause(*by).body.conjuncts();
            if let Some(failure) = self.failure(Some(*by), body, &from)? {
                least = Some(least.map_or(failure.cost, |cost| cost.min(failure.cost)));
            }
        }
        // besides what the call itself counts for
        ControlFlow::Continue(least.map_or(NEVER, |cost| cost.saturating_sub(NOW)))
    }

    /// The cases that keep a goal from holding at a moment: those in which a `forall` is broken, or that a denied goal has.
    /// Where another piece stands on a site that is asked about, a case counts twice.
    fn lacks(&mut self, goal: &'r Goal, moment: &Moment, clause: Option<ClauseId>) -> Answer<u32> {
        let (all, hold) = match &goal.kind {
            GoalKind::Forall(all, hold) => (&**all, Some(&**hold)),
            GoalKind::Not(inner) => (&**inner, None),
            _ => return ControlFlow::Continue(1),
        };
        self.at(moment, clause, |run, env| {
            let mut cases = 0;
            let flow = run.goal(all, env, &mut |run, env| {
                let broken = match hold {
                    Some(hold) => !run.holds(hold, env)?,
                    None => true,
                };
                if broken {
                    let taken = hold.is_some_and(|hold| run.contents_asked(hold).is_some());
                    cases += match hold {
                        Some(hold) if taken => 1 + u32::from(run.holds_another(hold, env)?),
                        _ => 1,
                    };
                }
                match cases < MOST_CASES {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(Stop::Enough),
                }
            });
            // a rule error in a further case is none of this reason
            let _ = flow;
            ControlFlow::Continue(cases.max(1))
        })
    }

    /// The sites that a goal which fails asks about; of an action, the goal of its nearest clause that fails.
    fn asked(&mut self, goal: &'r Goal, moment: &Moment) -> Answer<Vec<Value>> {
        if let GoalKind::Call(id, args) = &goal.kind
            && let Some(relation) = self.program.relations.get(id.0 as usize)
            && relation.kind == Kind::Action
        {
            let given = self.at(moment, None, |run, env| {
                let mut given = Vec::new();
                for arg in args {
                    given.push(run.value(arg, env)?);
                }
                ControlFlow::Continue(given)
            })?;
            let mut nearest: Option<Failure<'r>> = None;
            for by in &relation.clauses {
                let Some(from) = Teller::new(self).entered(*by, &given, moment) else { continue };
                let body = self.program.clause(*by).body.conjuncts();
                if let Some(failure) = self.failure(Some(*by), body, &from)?
                    && nearest.as_ref().is_none_or(|best| failure.cost < best.cost)
                {
                    nearest = Some(failure);
                }
            }
            let Some(failure) = nearest else { return ControlFlow::Continue(Vec::new()) };
            return self.asked(failure.goal, &failure.moments[0]);
        }
        let mut sites = Vec::new();
        goal.each_variable(&mut |v| {
            sites.extend(moment.slots[v.0 as usize].filter(|value| self.is_site(*value)));
        });
        ControlFlow::Continue(sites)
    }

    /// Whether a value is a site of the board.
    fn is_site(&self, value: Value) -> bool {
        let Some(xy) = self.program.special.xy else { return false };
        self.reference.lookup.tables.get(xy).column(0).contains(&value)
    }

    /// Whether a goal asks for something on a site where nothing stands.
    fn asks_of_nothing(&self, goal: &Goal, moment: &Moment) -> bool {
        let Some((fluent, site)) = self.contents_asked(goal) else { return false };
        let site = match site {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => moment.slots[v.0 as usize],
            _ => None,
        };
        site.is_some_and(|site| self.is_site(site) && self.read(fluent, &[site]).is_none())
    }

    /// Whether a goal asks for a way of several steps.
    fn is_way(&self, goal: &Goal) -> bool {
        matches!(&goal.kind, GoalKind::Call(id, _)
            if self.program.relations.get(id.0 as usize).is_some_and(|r| r.recursive))
    }

    /// Whether the goal updates the state.
    pub(in crate::explain) fn changes_state(&self, goal: &Goal) -> bool {
        let mut changes = false;
        goal.walk_here(&mut |g| {
            changes |= g.is_update()
                || matches!(&g.kind, GoalKind::Call(id, _)
                    if self.program.relations.get(id.0 as usize)
                        .is_some_and(|r| r.kind == Kind::Action));
        });
        changes
    }
}

/// Whether a goal that fails behind another one is told before it: whose piece moves goes before how the sites lie, and
/// that before what stands on the last one.
fn before_it(first: &Failed<'_>, about: About, cost: u32) -> bool {
    match (first.about, about) {
        (About::Both | About::End, About::Begin) => true,
        (About::End, About::Both) => cost >= NEVER && first.cost < NEVER,
        _ => false,
    }
}

/// Whether all variables of a goal are variables of another one.
fn within(goal: &Goal, other: &Goal) -> bool {
    let mut known = Vec::new();
    other.each_variable(&mut |v| known.push(v));
    let mut all = true;
    goal.each_variable(&mut |v| all &= known.contains(&v));
    all
}

/// Tries the goals from here on, on every path.
fn step<'r>(
    run: &mut Run<'r>,
    goals: &'r [Goal],
    env: &mut Environment,
    walker: &mut Walker<'_, 'r>,
) -> Flow {
    let Some((goal, rest)) = goals.split_first() else {
        if walker.failed.is_some() {
            walker.record(0);
        } else if (walker.accept)(run, &walker.passed) {
            walker.found = true;
            return ControlFlow::Break(Stop::Enough);
        }
        return ControlFlow::Continue(());
    };
    if walker.hopeless() {
        return ControlFlow::Continue(());
    }
    if walker.failed.is_some() {
        let mut needs = false;
        goal.each_variable(&mut |v| needs |= walker.missing.contains(&v));
        if run.changes_state(goal) {
            // an action that could not be made either is one reason more
            let action = matches!(goal.kind, GoalKind::Call(..));
            let here = run.moment(&env.slots);
            let made =
                |run: &mut Run<'r>| run.at(&here, env.clause, |run, env| run.holds(goal, env));
            let fails = action && !needs && matches!(made(run), ControlFlow::Continue(false));
            let cost = if fails { NOW + run.lacked(goal, env)? } else { 0 };
            let about = if fails { walker.about(run, goal, &here)? } else { About::Other };
            let before = walker.failed.clone();
            if walker.failed.as_ref().is_some_and(|first| before_it(first, about, cost)) {
                let passed = walker.passed.len();
                walker.failed = Some(Failed { passed, goal, moment: here, cost, about, lacks: 1 });
            }
            walker.record(cost);
            walker.failed = before;
            return ControlFlow::Continue(());
        }
        if needs {
            walker.record(UNREACHED * goals.len() as u32);
            return ControlFlow::Continue(());
        }
    }
    let before = run.moment(&env.slots);
    let mut answers: Vec<Vec<Option<Value>>> = Vec::new();
    let mut answered = false;
    run.goal(goal, env, &mut |run, env| {
        answered = true;
        if walker.failing && answers.len() < MOST_IMAGINED {
            answers.push(env.slots.clone());
        }
        let after = run.moment(&env.slots);
        walker.passed.push(Rc::new(Passed { goal, before: before.clone(), after }));
        step(run, rest, env, walker)?;
        walker.passed.pop();
        ControlFlow::Continue(())
    })?;
    if !walker.failing {
        return ControlFlow::Continue(());
    }
    // the goal is skipped, with the answers that it could have, and those after it are tried
    let imagined = run.imagined(goal, env);
    let possible = !imagined.is_empty();
    for answer in imagined {
        if answers.contains(&answer) {
            continue;
        }
        let mark = env.mark();
        for (v, value) in answer.iter().enumerate() {
            if let (None, Some(value)) = (env.slots[v], value) {
                env.bind(VariableId(v as u32), *value);
            }
        }
        let here = run.moment(&env.slots);
        let about = walker.about(run, goal, &here)?;
        let told = walker.tells(run, (goal, &here), NOW, about);
        let at = Failed { passed: 0, goal, moment: here, cost: NOW, about, lacks: 1 };
        walker.skip(at, told, |walker| step(run, rest, env, walker))?;
        env.undo(mark);
    }
    if answered || possible {
        return ControlFlow::Continue(());
    }
    let missing = walker.missing.len();
    goal.each_variable(&mut |v| {
        if env.get(v).is_none() {
            walker.missing.push(v);
        }
    });
    let derived = matches!(&goal.kind, GoalKind::Call(id, _)
        if run.program.relations.get(id.0 as usize).is_some_and(|r| r.kind == Kind::Derived));
    let possible = !derived && run.depends_on_state(goal) && run.readable(goal, env)?;
    let cost = match possible && !run.holds_another(goal, env)? {
        true => NOW + run.lacked(goal, env)?,
        false => NEVER,
    };
    let about = walker.about(run, goal, &before)?;
    let told = walker.tells(run, (goal, &before), cost, about);
    let lacks = if told { run.lacks(goal, &before, env.clause)? } else { 1 };
    let at = Failed { passed: 0, goal, moment: before, cost, about, lacks };
    walker.skip(at, told, |walker| step(run, rest, env, walker))?;
    walker.missing.truncate(missing);
    ControlFlow::Continue(())
}

impl<'a, 'r> Walker<'a, 'r> {
    fn new(accept: Accept<'a, 'r>, failing: bool, from: &Moment) -> Walker<'a, 'r> {
        Walker {
            accept,
            failing,
            passed: Vec::new(),
            failed: None,
            given: from.slots.clone(),
            missing: Vec::new(),
            cost: 0,
            never: None,
            best: None,
            found: false,
        }
    }

    /// Continues as if a goal that failed had held; `told`: the path fails with this one.
    fn skip(
        &mut self,
        at: Failed<'r>,
        told: bool,
        go_on: impl FnOnce(&mut Walker<'a, 'r>) -> Flow,
    ) -> Flow {
        let (goal, cost) = (at.goal, at.cost);
        let before = (self.cost, self.never, self.failed.clone());
        if cost >= NEVER {
            // a goal about the same that can never hold either is no second reason
            let same = self.never.is_some_and(|first| within(goal, first));
            self.cost += if same { 0 } else { cost };
            self.never = self.never.or(Some(goal));
        } else {
            self.cost += cost;
        }
        if told {
            self.failed = Some(Failed { passed: self.passed.len(), ..at });
        }
        go_on(self)?;
        (self.cost, self.never, self.failed) = before;
        ControlFlow::Continue(())
    }

    /// Whether a goal that fails now is the one to tell. Of several on a path the first is; but what a site would
    /// have to be that the clause has chosen by itself is no reason where a later goal can never hold, or asks
    /// about sites that were given.
    fn tells(
        &self,
        run: &Run<'r>,
        (goal, moment): (&'r Goal, &Moment),
        cost: u32,
        about: About,
    ) -> bool {
        let Some(first) = &self.failed else { return true };
        if before_it(first, about, cost) {
            return true;
        }
        let asked = self.sites(run, first.goal, &first.moment);
        if first.cost >= NEVER || !asked.contains(&Of::Chosen) {
            return false;
        }
        // a way that goes on from a given site ends before what lies behind it
        if cost < NEVER && asked.contains(&Of::Given) && run.is_way(first.goal) {
            return false;
        }
        // a way past something is none where nothing stands there, blocked or not
        if cost < NEVER && run.asks_of_nothing(goal, moment) {
            return true;
        }
        let sites = self.sites(run, goal, moment);
        cost >= NEVER || sites.contains(&Of::Given) && !sites.contains(&Of::Chosen)
    }

    /// What a goal that fails asks of the sites that the clause was asked about; of an action, what its own goal asks.
    fn about(&self, run: &mut Run<'r>, goal: &'r Goal, moment: &Moment) -> Answer<About> {
        let given = self.given.iter().flatten().filter(|value| run.is_site(**value));
        let given: Vec<Value> = given.copied().collect();
        let [begin, ends @ ..] = given.as_slice() else {
            return ControlFlow::Continue(About::Other);
        };
        if ends.is_empty() || ends.contains(begin) {
            return ControlFlow::Continue(About::Other);
        }
        let asked = run.asked(goal, moment)?;
        let begins = asked.contains(begin);
        ControlFlow::Continue(match asked.iter().any(|site| ends.contains(site)) {
            _ if asked.iter().any(|site| !given.contains(site)) => About::Other,
            true if begins => About::Both,
            true => About::End,
            false if begins => About::Begin,
            false => About::Other,
        })
    }

    /// Where the sites that a goal asks about come from.
    fn sites(&self, run: &Run<'r>, goal: &Goal, moment: &Moment) -> Vec<Of> {
        let mut sites = Vec::new();
        goal.each_variable(&mut |v| {
            let at = v.0 as usize;
            let of = if self.given[at].is_some() { Of::Given } else { Of::Chosen };
            if moment.slots[at].is_some_and(|value| run.is_site(value)) {
                sites.push(of);
            }
        });
        sites
    }

    /// Whether this path already costs more than the best one.
    fn hopeless(&self) -> bool {
        self.best.as_ref().is_some_and(|best| self.cost > best.cost)
    }

    /// Compares the current path with the best one so far.
    fn record(&mut self, unreached: u32) {
        let Some(Failed { passed: at, goal, moment, lacks, .. }) = &self.failed else { return };
        let (cost, lacks) = (self.cost + unreached, *lacks);
        if let Some(best) = &mut self.best {
            let (here, there) =
                ((cost, usize::MAX - at), (best.cost, usize::MAX - best.passed.len()));
            let same = here == there && std::ptr::eq(best.goal, *goal);
            // of several that lack as much to be so of all, one is told
            let one = matches!(goal.kind, GoalKind::Forall(..));
            if same && !one && lacks == best.lacks && best.moments.len() < MOST_MOMENTS {
                best.moments.push(moment.clone());
            }
            if here > there || here == there && !(same && lacks < best.lacks) {
                return;
            }
        }
        let passed = self.passed[..*at].to_vec();
        self.best = Some(Failure { passed, goal, moments: vec![moment.clone()], cost, lacks });
    }
}
