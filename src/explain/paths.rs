//! Why a clause fails: the goal to tell where several paths through it come equally far.

use std::ops::ControlFlow;

use crate::diagnostic::listed;
use crate::goals::Terms as _;
use crate::program::{ClauseId, Goal, GoalKind, Kind, Term, Value, VariableId};

use super::failure::Why;
use super::said::{Said, together};
use super::walk::{Failure, Moment};
use super::{Line, Mark, Teller};
use crate::reference::run::Answer;

/// The most facts in one sentence.
const FACTS: usize = 4;
/// The values of a choice are listed where they take no more letters than this.
const LONG: usize = 45;
/// The most paths with equal cost that are examined one by one.
const ALIKE: usize = 8;

impl<'r> Teller<'_, 'r> {
    /// Why a clause fails on its best path, chosen among the paths of least cost.
    pub fn told(&mut self, clause: Option<ClauseId>, failure: &Failure<'r>) -> Answer<Why> {
        let goal = failure.goal;
        let mut variables: Vec<VariableId> = Vec::new();
        goal.each_variable(&mut |v| {
            if !variables.contains(&v) {
                variables.push(v);
            }
        });
        let mut rows: Vec<Vec<Option<Value>>> = Vec::new();
        let mut apart: Vec<&Moment> = Vec::new();
        for moment in &failure.moments {
            let row: Vec<_> = variables.iter().map(|v| moment.slots[v.0 as usize]).collect();
            if !rows.contains(&row) {
                rows.push(row);
                apart.push(moment);
            }
        }
        let mut whys = Vec::new();
        for moment in apart.iter().take(ALIKE) {
            whys.push(self.refuted(clause, goal, moment, &failure.passed)?);
        }
        let varying: Vec<usize> =
            (0..variables.len()).filter(|i| rows.iter().any(|r| r[*i] != rows[0][*i])).collect();
        let alone = whys.len() == 1 || varying.is_empty();
        // where only one path fails because of the position, that is the one that was meant
        let by_position: Vec<usize> = (0..whys.len()).filter(|i| whys[*i].state).collect();
        if alone || (by_position.len() == 1 && apart.len() <= ALIKE) {
            let why = whys.swap_remove(*by_position.first().unwrap_or(&0));
            return self.with_reading(clause, failure, &variables, why);
        }
        let mut slots = failure.moments[0].slots.clone();
        for i in &varying {
            slots[variables[*i].0 as usize] = None;
        }
        let shown = self.goal_in_general(clause, goal, &slots);
        let name = |i: &usize| self.clause(clause).variables[variables[*i].0 as usize].name.clone();
        let names: Vec<String> = varying.iter().map(name).collect();
        let is_site =
            |i: &usize| rows.iter().all(|r| r[*i].is_some_and(|v| self.site(&[v]).is_some()));
        let what = match (clause, varying.iter().all(is_site)) {
            (None, _) => format!("choice of {}", listed(&names, "and")),
            (Some(_), true) if varying.len() == 1 => "site".to_string(),
            (Some(_), true) => "choice of sites".to_string(),
            (Some(_), false) => "choice".to_string(),
        };
        let cases = format!("no {what} is one (`{shown}` does not hold)");
        let mut next = None;
        let text = match (varying.as_slice(), names.as_slice()) {
            ([one], [name]) if rows.len() <= ALIKE => {
                let all: Vec<Value> = rows.iter().filter_map(|r| r[*one]).collect();
                let values: Vec<String> = all.iter().map(|v| self.show(*v)).collect();
                let values = listed(&values, "or");
                let calculated = self.calculated(clause, goal, &apart)?;
                let stepped = self.stepped(goal, &slots, &all);
                let from = self.none_leads(goal, &slots, &all);
                match (stepped, from.or(calculated)) {
                    (Some((text, ends)), _) => {
                        next = Some(ends);
                        text
                    }
                    (None, Some(text)) => text,
                    (None, None) if values.len() <= LONG => match clause {
                        None => format!("`{shown}` does not hold for {name} = {values}"),
                        Some(_) if matches!(goal.kind, GoalKind::Compare(..)) => {
                            format!("{name} is {values}, but `{shown}` is required")
                        }
                        Some(_) => match self.standing_on(&all) {
                            Some(stands) => format!("{stands} (`{shown}` does not hold)"),
                            None => format!("{values} is none (`{shown}` does not hold)"),
                        },
                    },
                    (None, None) => cases,
                }
            }
            _ => cases,
        };
        // the choices that fail in every position are no reason
        let states: Vec<&Why> = whys.iter().filter(|why| why.state).collect();
        // many paths that all fail for one reason have that reason
        let same = whys.iter().all(|why| why.state && why.core == whys[0].core);
        // a choice that is told without facts is farther from holding than one that lacks a fact
        let told = (apart.len() <= ALIKE || same) && states.iter().any(|why| !why.facts.is_empty());
        let facts: Vec<Said> = match told {
            true => states.iter().flat_map(|why| why.facts.clone()).collect(),
            false => Vec::new(),
        };
        // and so have choices that make no difference
        let text = match whys.first() {
            Some(first)
                if !first.core.contains('`') && whys.iter().all(|w| w.core == first.core) =>
            {
                first.core.clone()
            }
            _ => text,
        };
        let (text, core) = match facts.is_empty() {
            true => (text.clone(), text),
            false => {
                let core = together(&facts, FACTS);
                (format!("{core} (`{shown}` does not hold)"), core)
            }
        };
        let about: Vec<Value> = varying
            .iter()
            .flat_map(|i| rows.iter().filter_map(|r| r[*i]).take(ALIKE).collect::<Vec<_>>())
            .collect();
        let about = next.into_iter().flatten().chain(about).collect();
        let line = Line::new(Mark::Fails, shown)
            .noted(core.clone())
            .over(whys.iter().map(|w| w.line.clone()).collect());
        let state = whys.iter().any(|w| w.state);
        let next = next.is_some();
        ControlFlow::Continue(Why { facts, next, ..Why::new(text, core, state, about, line) })
    }

    /// What each choice comes to, of a calculation that gives none of them the result asked for: `1 + -1 is 0 and
    /// 1 + 1 is 2, not 3`.
    fn calculated(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        choices: &[&Moment],
    ) -> Answer<Option<String>> {
        let GoalKind::Is(given, number) = &goal.kind else { return ControlFlow::Continue(None) };
        let mut results = Vec::new();
        let mut asked: Vec<Value> = Vec::new();
        for at in choices {
            let values = self.run.at(at, clause, |run, env| {
                let result = run.number(number, env, goal.span)?;
                let given = run.value(given, env)?;
                ControlFlow::Continue(result.zip(given))
            })?;
            let Some((result, given)) = values else { return ControlFlow::Continue(None) };
            results
                .push(format!("{} is {result}", self.expression_text(clause, number, &at.slots)));
            asked.push(given);
        }
        let same = asked.iter().all(|given| *given == asked[0]);
        let text =
            same.then(|| format!("{}, not {}", listed(&results, "and"), self.show(asked[0])));
        ControlFlow::Continue(text)
    }

    /// What stands on several sites; `None` where no map says that, or where some are no sites.
    fn standing_on(&mut self, all: &[Value]) -> Option<String> {
        let fluent = self.run.reference.drawn_fluent()?;
        let sites = all.iter().all(|value| self.site(&[*value]).is_some());
        let facts: Vec<Said> = match sites {
            true => all.iter().map(|site| self.said(fluent, &[*site])).collect(),
            false => return None,
        };
        Some(together(&facts, FACTS))
    }

    /// That no step in some directions leads from one site to another.
    fn stepped(
        &mut self,
        goal: &Goal,
        slots: &[Option<Value>],
        directions: &[Value],
    ) -> Option<(String, [Value; 2])> {
        let GoalKind::Call(id, args) = &goal.kind else { return None };
        let [Term::Variable(way), from, to] = args.as_slice() else { return None };
        let known = |term: &Term| match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => slots[v.0 as usize],
            _ => None,
        };
        let step = self.run.program.special.step == Some(*id);
        let open = slots[way.0 as usize].is_none();
        let (from, to) = (known(from)?, known(to)?);
        (step && open).then(|| (self.beside(directions, from, to), [from, to]))
    }

    /// That no step leads from one of several sites to another one, or no way from one to any of several.
    fn none_leads(&self, goal: &Goal, slots: &[Option<Value>], all: &[Value]) -> Option<String> {
        let GoalKind::Call(id, args) = &goal.kind else { return None };
        let [one, two] = args.as_slice() else { return None };
        let known = |term: &Term| match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => slots[v.0 as usize],
            _ => None,
        };
        let relation = self.run.program.relations.get(id.0 as usize)?;
        let site = known(one).or(known(two)).and_then(|value| self.site(&[value]))?;
        let others: Vec<String> = all.iter().map(|v| self.site(&[*v])).collect::<Option<_>>()?;
        let others = listed(&others, "or");
        if self.run.program.special.adjacent == Some(*id) {
            return Some(format!("{site} is not next to {others}"));
        }
        let way = relation.recursive && known(one).is_some();
        way.then(|| format!("no `{}` leads from {site} to {others}", relation.name))
    }

    /// A reason that holds in every position, with what was read from the state before: the piece
    /// that cannot move in this way, and not the kind of movement alone.
    fn with_reading(
        &mut self,
        clause: Option<ClauseId>,
        failure: &Failure<'r>,
        variables: &[VariableId],
        why: Why,
    ) -> Answer<Why> {
        let fixed = matches!(&failure.goal.kind, GoalKind::Call(id, _)
            if self.run.program.relations.get(id.0 as usize).is_some_and(|r| r.kind == Kind::Static));
        let reads = failure.passed.iter().rev().find_map(|p| {
            let GoalKind::Call(id, args) = &p.goal.kind else { return None };
            let Kind::Fluent(fluent) = self.run.program.relations.get(id.0 as usize)?.kind else {
                return None;
            };
            let keys = self.run.program.fluent(fluent).keys.len();
            (keys > 0 && variables.iter().any(|v| p.gives(*v))).then_some((
                p.clone(),
                fluent,
                &args[..keys],
            ))
        });
        let Some((passed, fluent, keys)) = reads.filter(|_| fixed) else {
            return ControlFlow::Continue(why);
        };
        let (id, args) = match &failure.goal.kind {
            GoalKind::Call(id, args) => (*id, args.as_slice()),
            _ => return ControlFlow::Continue(why),
        };
        let at = failure.moments[0].clone();
        let whose = self.run.at(&at, clause, |run, env| {
            let mut values = Vec::new();
            for arg in args {
                values.extend(run.value(arg, env)?);
            }
            ControlFlow::Continue(Teller::new(run).of_another(id, &values))
        })?;
        let fact = self.run.at(&passed.after, clause, |run, env| {
            let mut known = Vec::new();
            for key in keys {
                known.extend(run.value(key, env)?);
            }
            ControlFlow::Continue(Teller::new(run).fact(fluent, &known))
        })?;
        let tell = |text: &str| match &whose {
            // a piece that is named by its player tells whose it is
            Some(_) if fact.contains("'s ") || fact.contains("' ") => fact.clone(),
            _ => format!("{fact}, and {text}"),
        };
        let (whole, core) = (tell(&why.whole), tell(&why.core));
        ControlFlow::Continue(Why { whole, core, facts: Vec::new(), state: true, ..why })
    }
}
