//! Describes failures of relations: why no clause of one holds, and why a part of the state is not as it must be.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::goals::{Environment, Evaluator as _, Terms as _};
use crate::program::{
    ClauseId, Expression, FluentId, Goal, GoalKind, Kind, Program, RelationId, Term, Value,
    outcome_relation,
};

use super::failure::{Why, leaf, whole};
use super::proof::Grounds;
use super::said::Said;
use super::walk::{Failure, Moment, NEVER};
use super::{Line, Mark, Teller};
use crate::reference::run::{Answer, Run};

/// Whether a goal asks a static relation.
fn asks_static(program: &Program, goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::Call(id, _)
        if program.relations.get(id.0 as usize).is_some_and(|r| r.kind == Kind::Static))
}

/// A reason longer than this, in letters, is shown without its consequence.
const LONG: usize = 90;

impl<'r> Teller<'_, 'r> {
    pub fn call_refuted(
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
                let possible_keys = self.run.program.fluent(fluent).keys.len();
                let phase = self.is_phase(fluent, &about)
                    && about.len() == possible_keys
                    && (fluent == FluentId::PLY && self.prompts_count_moves()
                        || fluent != FluentId::PLY
                            && !self.run.at(at, clause, |run, env| asks_number(run, args, env))?);
                let why = whole(said.to_string(), shown.to_string(), possible, about);
                ControlFlow::Continue(Why { phase, facts: vec![said], ..why })
            }
            Kind::Static => {
                let (text, about) = self.run.at(at, clause, |run, env| {
                    Teller::new(run).static_reason(id, args, env, shown)
                })?;
                let apart = self.sites(&about).len() > 1;
                let special = self.run.program.special;
                let next = apart && [special.step, special.adjacent].contains(&Some(id));
                let given = self.given(args, clause, at)?;
                let rule = self.static_rule(id, &given, at);
                let why = whole(text, shown.to_string(), false, about);
                ControlFlow::Continue(Why { apart, next, rule, ..why })
            }
            Kind::Derived | Kind::Action => {
                let given = self.given(args, clause, at)?;
                let told = self.without_numbers(clause, args, &given);
                self.relation_refuted(id, &given, at, (shown, &told))
            }
        }
    }

    /// The values of the arguments of a call; `None` for those that are open.
    fn given(
        &mut self,
        args: &'r [Term],
        clause: Option<ClauseId>,
        at: &Moment,
    ) -> Answer<Vec<Option<Value>>> {
        self.run.at(at, clause, |run, env| {
            let mut given = Vec::new();
            for arg in args {
                given.push(run.value(arg, env)?);
            }
            ControlFlow::Continue(given)
        })
    }

    /// The clause of a static relation that is about these values, where it has a rule in words and other clauses are about
    /// others.
    fn static_rule(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        at: &Moment,
    ) -> Option<ClauseId> {
        let program = self.run.program;
        let clauses = &program.relation(id).clauses;
        let mut about = clauses.clone();
        about.retain(|by| {
            !matches!(program.clause(*by).body.kind, GoalKind::True)
                && self.entered(*by, given, at).is_some()
        });
        if about.len() == clauses.len() {
            return None;
        }
        let rules: FxHashSet<String> = about.iter().filter_map(|by| self.rule(*by)).collect();
        let first = *about.first()?;
        (rules.len() == 1 && self.rule(first).is_some()).then_some(first)
    }

    /// Whether a clause has a goal, before the first update that it makes itself, which fails because it asks for another
    /// phase of the turn.
    pub fn asks_phase(&mut self, by: ClauseId, from: Moment) -> Answer<bool> {
        let mut moment = from;
        let mut missing = Vec::new();
        let mut failed = false;
        for goal in self.run.program.clause(by).body.conjuncts() {
            if goal.is_update() {
                break;
            }
            let (mut open, mut lost) = (Vec::new(), false);
            goal.each_variable(&mut |v| {
                lost |= missing.contains(&v);
                open.extend(Some(v).filter(|v| moment.slots[v.0 as usize].is_none()));
            });
            // what a goal that failed would have given is not known
            if lost {
                missing.extend(open);
                continue;
            }
            // behind a goal that failed a rule error is none of the move
            let met = self.run.at(&moment, Some(by), |run, env| {
                let met = run.first(goal, env)?;
                ControlFlow::Continue(met.then(|| run.moment(&env.slots)))
            });
            match met {
                ControlFlow::Continue(Some(met)) => moment = met,
                ControlFlow::Continue(None) => {
                    if self.refuted(Some(by), goal, &moment, &[])?.phase {
                        return ControlFlow::Continue(true);
                    }
                    missing.extend(open);
                    failed = true;
                }
                ControlFlow::Break(_) if failed => break,
                ControlFlow::Break(stop) => return ControlFlow::Break(stop),
            }
        }
        ControlFlow::Continue(false)
    }

    /// Whether a prompt tells what the number of moves made so far asks for.
    fn prompts_count_moves(&self) -> bool {
        let program = self.run.program;
        let prompt = program.special.prompt.map(|id| &program.relation(id).clauses);
        prompt.into_iter().flatten().any(|by| {
            let mut counts = false;
            program.clause(*by).body.walk(&mut |goal| {
                counts |= matches!(&goal.kind, GoalKind::Call(id, _)
                    if program.relations.get(id.0 as usize)
                        .is_some_and(|r| r.kind == Kind::Fluent(FluentId::PLY)));
                counts |= goal.expressions().iter().any(
                    |e| matches!(e, Expression::Fluent(fluent, _) if *fluent == FluentId::PLY),
                );
            });
            counts
        })
    }

    /// Why no clause of a relation holds for some values.
    pub fn relation_refuted(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        at: &Moment,
        (shown, told): (&str, &[Option<Value>]),
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
        let words = self.run.at(at, None, |run, _| {
            ControlFlow::Continue(Teller::new(run).denied(&relation.name, given))
        })?;
        let worded = words.is_some();
        // a way of several steps is told by its ends, one of a single step by how these lie to each other
        let next = best.next && !worded && !relation.recursive && self.sites(&best.about) == ends;
        // where several clauses lead further, that one site does not lie in the direction of one of them says too little
        let next = next
            && match ends.as_slice() {
                [from, to] if lines.len() > 1 => best.core == self.beside(&[], *from, *to),
                _ => true,
            };
        let contrast = best.contrast && !worded;
        let another = match best.state || worded {
            true => None,
            false => self.another_number((id, given, told), &ends, at)?,
        };
        let (told, another) = match another {
            Some(text) => (given, Some(text)),
            None => (told, None),
        };
        let mut in_the_way = None;
        if let [from, to] = ends.as_slice()
            && relation.recursive
            && another.is_none()
            && !worded
            && (!best.state || self.sites_told(&best.facts) == [*to])
        {
            in_the_way = self.in_the_way(id, given, (*from, *to), at)?;
        }
        let (core, facts) = match ends.as_slice() {
            _ if let Some(said) = words => (said.to_string(), vec![said]),
            _ if let Some(text) = another => (text, Vec::new()),
            _ if let Some(said) = in_the_way => (said.to_string(), vec![said]),
            // what no position changes is told by its ends
            [from, to] if !best.state && !next && relation.kind == Kind::Derived => {
                let piece = about.iter().copied().find(|value| self.is_piece(*value));
                let away = self.not_that_way(&best.about, *from, *to);
                (away.unwrap_or_else(|| self.no_way(piece, *from, *to)), Vec::new())
            }
            [site]
                if !best.state
                    && relation.kind == Kind::Derived
                    && about.iter().filter(|value| *value == site).count() > 1 =>
            {
                let site = self.show(*site);
                (format!("it would end where it begins, on {site}"), Vec::new())
            }
            [from, to] => {
                let text = self.over_nothing(&best, *from, *to);
                (text.unwrap_or(best.core), best.facts)
            }
            _ => (best.core, best.facts),
        };
        let asked = self.asked(&relation.name, told).unwrap_or_else(|| shown.to_string());
        let text = match core.ends_with(')') {
            _ if worded => format!("{core} (`{asked}` does not hold)"),
            // a goal that must not hold is nearer to the facts than this one
            _ if best.whole.ends_with("must not hold)") => best.whole.clone(),
            _ if core.contains(&format!("`{shown}` does not hold")) => core.clone(),
            // a long reason is shown alone
            _ if core.len() > LONG => core.clone(),
            // so is one that tells its own goal
            true => core.clone(),
            false => format!("{core} (`{asked}` does not hold)"),
        };
        let mut line = Line::new(Mark::Fails, shown).noted(core.clone());
        line.below = lines;
        let about = best.about.into_iter().chain(about).collect();
        ControlFlow::Continue(Why {
            cost: best.cost,
            after: best.after,
            takes: best.takes,
            rule: best.rule,
            phase: best.phase,
            facts,
            next,
            steps: best.steps,
            contrast,
            ..Why::new(text, core, best.state, about, line)
        })
    }

    /// That something stands on the way from one site to another, where a way of several steps already ends there.
    fn in_the_way(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        (from, to): (Value, Value),
        at: &Moment,
    ) -> Answer<Option<Said>> {
        let Some(site) = self.first_between(from, to) else { return ControlFlow::Continue(None) };
        let put = |arg: &Option<Value>| if *arg == Some(to) { Some(site) } else { *arg };
        let nearer: Vec<Option<Value>> = given.iter().map(put).collect();
        let (why, _) = self.clauses_refuted(id, &nearer, at)?;
        let name = self.show(site);
        ControlFlow::Continue(why.filter(|why| why.state).and_then(|why| {
            let stands =
                |fact: &Said| matches!(fact, Said::Of(of, what) if *of == name && what != "empty");
            why.facts.into_iter().find(stands)
        }))
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
                failures.push((*by, failure, from));
            }
        }
        // a clause for another case tells less than one that fails for these values, and of clauses that hold in no
        // position the one that is about these values in particular
        let other_case = |failure: &Failure<'r>, from: &Moment| {
            let mut given = false;
            failure.goal.each_variable(&mut |v| given |= from.slots[v.0 as usize].is_some());
            matches!(failure.goal.kind, GoalKind::Not(_)) && !given && failure.cost < NEVER
        };
        let cases = program.relation(id).kind == Kind::Derived
            && !self.sites(&given.iter().flatten().copied().collect::<Vec<_>>()).is_empty();
        let mut keyed = Vec::new();
        for (by, f, from) in failures {
            let named: usize = program.clause(by).head.iter().map(constants).sum();
            let other = cases && other_case(&f, &from);
            // a clause for another piece tells nothing of the one of the mover that stands there
            let piece = self
                .run
                .at(&f.moments[0], Some(by), |run, env| run.holds_other_of_mover(f.goal, env))?;
            let (cost, named) = (f.cost, usize::MAX - named);
            let key = (other, cost.min(NEVER), piece, named, cost, usize::MAX - f.passed.len());
            keyed.push((key, (by, f, from)));
        }
        keyed.sort_by_key(|(key, _)| *key);
        let failures: Vec<_> = keyed.into_iter().map(|(_, failure)| failure).collect();
        let values: Vec<Value> = given.iter().flatten().copied().collect();
        let ends: Vec<String> = self.sites(&values).iter().map(|site| self.show(*site)).collect();
        let on_nothing = |why: &Why| {
            matches!((why.facts.as_slice(), ends.as_slice()),
            ([Said::Of(site, what)], [_, to]) if site == to && what == "empty")
        };
        let in_the_way = |why: &Why| {
            matches!((why.facts.as_slice(), ends.first()),
            ([Said::Of(site, what)], Some(from)) if site != from && what.starts_with("occupied by "))
        };
        let mut best: Option<(u32, usize, Why)> = None;
        let mut lines = Vec::new();
        let mut steps = false;
        for (by, failure, from) in &failures {
            let mut why = self.told(Some(*by), failure)?;
            why.after |= failure.passed.iter().any(|p| self.run.changes_state(p.goal))
                && !self.was_so(*by, failure, from, &why)?;
            why.takes = self.takes(from, &failure.moments[0]);
            why.cost = failure.cost;
            why.reached = failure.passed.len();
            // what a static relation says goes behind the rule of the clause that asks it
            let own = self.rule(*by).map(|_| *by);
            let asked = why.rule;
            why.rule = match asks_static(program, failure.goal) {
                true => own.or(asked),
                false => asked.or(own),
            };
            steps |= why.next || why.steps;
            let mut line = self.clause_line(*by, failure, &why)?;
            if lines.is_empty() {
                line.text = self.written(*by).text;
            }
            lines.push(line);
            // among equals, a reason that depends on the position is better than one that does not, and what stands in
            // the way better than that nothing is at its end
            let due = self.due && self.above.is_empty();
            let better = match &best {
                None => true,
                // of clauses for the several phases of a turn one that asks for this one is about the move
                Some((_, _, b)) if due && b.phase != why.phase => b.phase,
                Some((cost, far, b)) => {
                    let further = *far <= failure.passed.len() && why.state && !b.state;
                    let nearer = on_nothing(b) && in_the_way(&why);
                    let worded = cases && why.worded && !b.worded;
                    *cost == failure.cost && (further || nearer || worded)
                }
            };
            if better {
                best = Some((failure.cost, failure.passed.len(), why));
            }
        }
        ControlFlow::Continue((best.map(|(_, _, why)| Why { steps, ..why }), lines))
    }

    /// Whether less of what is not the mover's is on the board at a moment than at an earlier one.
    fn takes(&self, from: &Moment, to: &Moment) -> bool {
        let Some(fluent) = self.run.reference.contents_fluent() else { return false };
        let at = fluent.0 as usize;
        let mover = from.state[FluentId::TURN.0 as usize].values().next().copied();
        let others = |moment: &Moment| {
            let held = moment.state[at].values();
            held.filter(|held| !self.parts(**held).iter().any(|part| Some(*part) == mover)).count()
        };
        others(to) < others(from)
    }

    /// Whether the goal that fails behind updates fails before them already, for the same reason.
    fn was_so(
        &mut self,
        by: ClauseId,
        failure: &Failure<'r>,
        from: &Moment,
        why: &Why,
    ) -> Answer<bool> {
        let slots = failure.moments[0].slots.clone();
        let before = Moment { slots, ..from.clone() };
        let goal = failure.goal;
        let holds = self.run.at(&before, Some(by), |run, env| run.holds(goal, env))?;
        // before the move the position is among those that have occurred
        let mut repeats = false;
        goal.walk(&mut |g| {
            repeats |= matches!(g.kind, GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_));
        });
        if holds || repeats || goal.is_update() {
            return ControlFlow::Continue(false);
        }
        let sites = self.sites_told(&why.facts);
        let facts = match self.run.reference.drawn_fluent() {
            Some(fluent) if !why.facts.is_empty() => self.run.at(&before, Some(by), |run, _| {
                let mut teller = Teller::new(run);
                let facts: Vec<Said> =
                    sites.iter().map(|site| teller.said(fluent, &[*site])).collect();
                ControlFlow::Continue(why.facts.iter().all(|fact| facts.contains(fact)))
            })?,
            _ => false,
        };
        let was = Teller::new(self.run).refuted(Some(by), goal, &before, &[])?;
        ControlFlow::Continue(facts || was.core == why.core)
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

/// Whether the value that is asked for is a number other than 0: how far a throw must lead, and not the part of a turn.
fn asks_number(run: &mut Run<'_>, args: &[Term], env: &mut Environment) -> Answer<bool> {
    let wanted = match args.last() {
        Some(wanted) => run.value(wanted, env)?,
        None => None,
    };
    ControlFlow::Continue(matches!(wanted, Some(Value::Integer(number)) if number != 0))
}

/// How many constants a pattern has.
fn constants(pattern: &Term) -> usize {
    match pattern {
        Term::Constant(_) => 1,
        Term::Variable(_) => 0,
        Term::Compound(_, args) => args.iter().map(constants).sum(),
        Term::List(items, tail) => items.iter().chain(tail.as_deref()).map(constants).sum(),
    }
}

/// The first line of a clause.
fn head_text(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim_end();
    match text.lines().count() {
        0 | 1 => first.to_string(),
        _ => format!("{first} …"),
    }
}
