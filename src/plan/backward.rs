//! Recursions along lines, gone through from the end of which something is asked.
//!
//! `closed(A, D, P) :- run(A, D, B, P), step(D, B, C), at(C, P)` asks for the sites `A` from which a run leads to a site `B` behind which
//! a piece stands. With `run(A, D, C, P) :- run(A, D, B, P), step(D, B, C), other(C, P)` that is a flood for each `B`. The sites of which a
//! run leads on to such an end are one flood for all of them, `back(D, B, P)`: it begins with the sites of the goals about the end, and
//! each of its rounds is a step of the run taken back. What the first clause of the run says of `A` and one of these sites does the
//! rest (Naughton, Ramakrishnan, Sagiv and Ullman, "Efficient Evaluation of Right-, Left-, and Multi-Linear Rules", 1989).

use rustc_hash::FxHashSet;

use crate::program::{
    Clause, ClauseId, Expression, Goal, GoalKind, Kind, Program, Relation, RelationId, Term,
    VariableId, reconnect,
};
use crate::source::Span;
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::heads;
use super::specialise::in_order;
use super::unfolding::in_place;

/// The name of the relations; no rule file can define it.
const NAME: &str = "back";

/// The most relations that are added.
const MAX_ADDED: usize = 32;

/// A recursion that goes on along lines.
struct Line {
    relation: RelationId,
    base: ClauseId,
    steps: Vec<ClauseId>,
    /// The argument that a step changes.
    moving: usize,
    /// The arguments that it passes on without a look at them.
    passed: Vec<usize>,
}

/// The call of such a recursion in a clause.
struct Ask<'a> {
    line: &'a Line,
    /// The clause, with variables for the arguments of the call, and their domains.
    clause: Clause,
    domains: Vec<Domain>,
    /// The place of the call.
    at: usize,
    /// The argument that is found from the end.
    from: usize,
    /// The places of the goals about the end.
    about: Vec<usize>,
    /// Goals that give numbers to arguments that these only calculate with.
    ranges: Vec<Goal>,
}

/// Replaces calls of recursions whose end other goals are about. Relations whose answers are taken in order keep their clauses; calls
/// for which the order does not matter are calls of copies.
pub(super) fn recursions(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    let alone = program.graph.components.iter().filter(|c| c.len() == 1).map(|c| c[0]);
    let lines: Vec<Line> = alone.filter_map(|id| line(program, types, id)).collect();
    if lines.is_empty() {
        return;
    }
    let ordered = in_order(program, types);
    let mut held: Vec<ClauseId> =
        program.relations.iter().flat_map(|r| r.clauses.clone()).collect();
    held.retain(|id| !ordered.contains(&program.clause(*id).relation));
    let mut pass = Backward { program, types, before, lines: &lines, added: 0 };
    pass.copy(&held, &ordered);
    for id in held {
        pass.in_clause(id);
    }
    if pass.added > 0 {
        reconnect(program);
    }
}

struct Backward<'a> {
    program: &'a mut Program,
    types: &'a mut Types,
    before: &'a mut Rewritten,
    lines: &'a [Line],
    added: usize,
}

impl Backward<'_> {
    /// Gives the callers of relations whose answers are taken in order elsewhere copies that can be changed.
    fn copy(&mut self, callers: &[ClauseId], ordered: &FxHashSet<RelationId>) {
        let mut copies: Vec<(RelationId, RelationId)> = Vec::new();
        for caller in callers {
            let body = self.program.clause(*caller).body.clone();
            let mut called = Vec::new();
            body.walk(&mut |goal| {
                if let GoalKind::Call(id, _) = &goal.kind {
                    called.push(*id);
                }
            });
            for id in called {
                let relation = self.program.relation(id);
                let plain = relation.kind == Kind::Derived && !relation.recursive;
                if !plain || !ordered.contains(&id) || copies.iter().any(|(of, _)| *of == id) {
                    continue;
                }
                let asks = |id: &ClauseId| self.ask(*id).is_some();
                if relation.clauses.iter().any(asks) {
                    let copy = self.copied(id);
                    copies.push((id, copy));
                }
            }
            let mut changed = body.clone();
            redirect(&mut changed, &copies);
            if changed != body {
                self.set_body(*caller, changed);
            }
        }
        for (_, copy) in copies {
            for id in self.program.relation(copy).clauses.clone() {
                self.in_clause(id);
            }
        }
    }

    fn copied(&mut self, id: RelationId) -> RelationId {
        let copy = RelationId(self.program.relations.len() as u32);
        let mut clauses = Vec::new();
        for own in self.program.relation(id).clauses.clone() {
            let clause = Clause { relation: copy, ..self.program.clause(own).clone() };
            let domains = self.types.variables[own.0 as usize].clone();
            clauses.push(self.add_clause(own, clause, domains));
        }
        let relation = Relation { clauses, ..self.program.relation(id).clone() };
        self.program.relations.push(relation);
        self.types.columns.push(self.types.columns[id.0 as usize].clone());
        self.types.raises.push(self.types.raises[id.0 as usize]);
        copy
    }

    fn add_clause(&mut self, like: ClauseId, clause: Clause, domains: Vec<Domain>) -> ClauseId {
        self.before.stands_for(like);
        self.types.variables.push(domains);
        self.program.clauses.push(clause);
        ClauseId(self.program.clauses.len() as u32 - 1)
    }

    fn set_body(&mut self, id: ClauseId, body: Goal) {
        if (id.0 as usize) < self.before.written() {
            let written = self.program.clause(id).body.clone();
            self.before.keep(self.program, id, &written);
        }
        self.program.clauses[id.0 as usize].body = body;
    }

    /// The first call in a clause that can be replaced.
    fn ask(&self, id: ClauseId) -> Option<Ask<'_>> {
        let clause = self.program.clause(id);
        if self.types.may_raise_in(&clause.body, self.program) {
            return None;
        }
        let called = self.lines.iter().filter(|line| clause.calls_of(line.relation) > 0);
        called.into_iter().find_map(|line| {
            let columns = &self.types.columns[line.relation.0 as usize];
            let mut domains = self.types.variables[id.0 as usize].clone();
            let clause = heads::flattened(clause, line.relation, columns, &mut domains);
            let calls = |goal: &Goal| matches!(&goal.kind, GoalKind::Call(called, _) if *called == line.relation);
            let goals = clause.body.conjuncts().iter();
            let places: Vec<usize> =
                goals.enumerate().filter(|(_, goal)| calls(goal)).map(|(at, _)| at).collect();
            places.into_iter().find_map(|at| {
                line.passed.iter().find_map(|from| {
                    asked(self.program, (&clause, &domains), line, (at, *from))
                })
            })
        })
    }

    fn in_clause(&mut self, id: ClauseId) {
        if self.added >= MAX_ADDED
            || self.lines.iter().any(|l| l.relation == self.program.clause(id).relation)
        {
            return;
        }
        let Some(Ask { line, mut clause, mut domains, at, from, about, ranges }) = self.ask(id)
        else {
            return;
        };
        let (base, steps, moving) = (line.base, line.steps.clone(), line.moving);
        let columns: Vec<usize> =
            (0..self.program.relation(line.relation).arity).filter(|c| *c != from).collect();
        let like = line.relation;
        let goals = clause.body.conjuncts().to_vec();
        let GoalKind::Call(_, args) = &goals[at].kind else { return };
        let kept = |args: &[Term]| columns.iter().map(|c| args[*c].clone()).collect::<Vec<Term>>();
        let back = RelationId(self.program.relations.len() as u32);
        let call = |args: Vec<Term>, of: &Goal| Goal::new(GoalKind::Call(back, args), of.span);

        let ends = about.iter().map(|at| goals[*at].clone()).chain(ranges).collect();
        let first = Clause {
            relation: back,
            head: kept(args),
            body: Goal::new(GoalKind::And(ends), goals[at].span),
            ..clause.clone()
        };
        let made: Option<Vec<Clause>> = (steps.iter())
            .map(|step| taken_back(self.program, self.types, *step, (like, moving), &call, &kept))
            .collect();
        let Some(made) = made else { return };
        let mut clauses = vec![self.add_clause(id, first, domains.clone())];
        for (step, made) in steps.into_iter().zip(made) {
            let domains = self.types.variables[step.0 as usize].clone();
            clauses.push(self.add_clause(step, Clause { relation: back, ..made }, domains));
        }
        let written = self.program.relation(like);
        let relation = Relation {
            name: NAME.to_string(),
            arity: columns.len(),
            clauses,
            needs_bound: vec![false; columns.len()],
            built_in: true,
            ..written.clone()
        };
        self.program.relations.push(relation);
        let all = &self.types.columns[like.0 as usize];
        let all = columns.iter().map(|c| all[*c].clone()).collect();
        self.types.columns.push(all);
        self.types.raises.push(false);

        let (own, fresh) = in_place(&goals[at], self.program.clause(base), &mut clause.variables);
        let of_base = &self.types.variables[base.0 as usize];
        domains.extend(fresh.iter().map(|v| of_base[v.0 as usize].clone()));
        self.types.variables[id.0 as usize] = domains;
        let mut all = Vec::new();
        for (i, goal) in goals.iter().enumerate() {
            if i == at {
                all.extend(own.iter().cloned());
                all.push(call(kept(args), goal));
            } else if !about.contains(&i) {
                all.push(goal.clone());
            }
        }
        // what is kept of the clause tells how many variables it had
        self.set_body(id, Goal::new(GoalKind::And(all), clause.body.span));
        self.program.clauses[id.0 as usize].variables = clause.variables;
        self.added += 1;
    }
}

/// A step of a recursion taken back: from what it leads to, to what it goes on from.
fn taken_back(
    program: &Program,
    types: &Types,
    id: ClauseId,
    (of, moving): (RelationId, usize),
    call: &dyn Fn(Vec<Term>, &Goal) -> Goal,
    kept: &dyn Fn(&[Term]) -> Vec<Term>,
) -> Option<Clause> {
    let mut made = program.clause(id).clone();
    let goals = made.body.conjuncts().to_vec();
    let mut all = Vec::new();
    let mut from = None;
    for goal in &goals {
        match &goal.kind {
            GoalKind::Call(called, args) if *called == of => {
                all.push(call(kept(&made.head), goal));
                from = Some(args[moving].clone());
            }
            _ => all.push(goal.clone()),
        }
    }
    let Some(Term::Variable(v)) = from else { return None };
    if !all.iter().any(|goal| gives(goal, v)) {
        all.push(range(types.variable(id, v), v, made.head_span)?);
    }
    made.head[moving] = Term::Variable(v);
    made.head = kept(&made.head);
    made.body = Goal::new(GoalKind::And(all), made.body.span);
    Some(made)
}

/// The recursion with one clause that begins and steps that change one argument only.
fn line(program: &Program, types: &Types, id: RelationId) -> Option<Line> {
    let relation = program.relation(id);
    let plain = relation.kind == Kind::Derived
        && relation.recursive
        && !relation.chooses
        && !relation.needs_bound.contains(&true)
        && !types.raises[id.0 as usize];
    if !plain {
        return None;
    }
    let (steps, begins): (Vec<ClauseId>, Vec<ClauseId>) =
        relation.clauses.iter().partition(|clause| program.clause(**clause).calls_of(id) > 0);
    let [base] = begins[..] else { return None };
    let mut moving: Option<usize> = None;
    let mut passed: Vec<usize> = (0..relation.arity).collect();
    let mut led = false;
    for step in &steps {
        let clause = program.clause(*step);
        let calls = clause.body.conjuncts().iter().filter_map(|goal| match &goal.kind {
            GoalKind::Call(called, args) if *called == id => Some(args),
            _ => None,
        });
        let calls: Vec<&Vec<Term>> = calls.collect();
        let [args] = calls[..] else { return None };
        let occurrences = clause.occurrences();
        let changed: Vec<usize> =
            (0..relation.arity).filter(|c| args[*c] != clause.head[*c]).collect();
        let [changed] = changed[..] else { return None };
        let (Term::Variable(_), true) = (&args[changed], moving.is_none_or(|m| m == changed))
        else {
            return None;
        };
        if clause.calls_of(id) != 1 || !distinct(&clause.head) {
            return None;
        }
        moving = Some(changed);
        let times = |c: usize| match &clause.head[c] {
            Term::Variable(v) => occurrences[v.0 as usize],
            _ => 0,
        };
        passed.retain(|c| *c != changed && times(*c) == 2);
        led |= is_led(program, clause, &args[changed], changed);
    }
    let moving = moving?;
    (led && !passed.is_empty() && distinct(&program.clause(base).head)).then_some(Line {
        relation: id,
        base,
        steps,
        moving,
        passed,
    })
}

/// Whether static goals that lead from one site to the next name another argument of the head too, such as a direction.
fn is_led(program: &Program, clause: &Clause, from: &Term, moving: usize) -> bool {
    let (Term::Variable(from), Term::Variable(to)) = (from, &clause.head[moving]) else {
        return false;
    };
    let is_fixed = |goal: &&Goal| match &goal.kind {
        GoalKind::Call(id, _) => program.relation(*id).kind == Kind::Static,
        kind => matches!(kind, GoalKind::Is(..) | GoalKind::Unify(..)),
    };
    let fixed: Vec<&Goal> = clause.body.conjuncts().iter().filter(is_fixed).collect();
    let heads = |v: VariableId| clause.head.contains(&Term::Variable(v));
    let mut reached = vec![*from];
    let mut at = 0;
    while at < reached.len() {
        let from = reached[at];
        for goal in fixed.iter().filter(|goal| mentions(goal, from)) {
            goal.each_variable(&mut |v| {
                if !reached.contains(&v) && (v == *to || !heads(v)) {
                    reached.push(v);
                }
            });
        }
        at += 1;
    }
    let met = fixed.iter().filter(|goal| reached.iter().any(|v| v != to && mentions(goal, *v)));
    let mut named = false;
    for goal in met {
        goal.each_variable(&mut |v| named |= v != *to && heads(v));
    }
    named && reached.contains(to)
}

/// Whether terms are variables, each another one.
fn distinct(terms: &[Term]) -> bool {
    let mut seen: Vec<VariableId> = Vec::new();
    terms.iter().all(|term| match term {
        Term::Variable(v) if !seen.contains(v) => {
            seen.push(*v);
            true
        }
        _ => false,
    })
}

/// The goals about the end of a recursion that is called at this place, where they say nothing of the argument `from` and
/// give all others values.
fn asked<'a>(
    program: &Program,
    (clause, domains): (&Clause, &[Domain]),
    line: &'a Line,
    (at, from): (usize, usize),
) -> Option<Ask<'a>> {
    let goals = clause.body.conjuncts();
    let GoalKind::Call(_, args) = &goals[at].kind else { return None };
    let (Term::Variable(end), true) = (&args[line.moving], distinct(args)) else { return None };
    let mut given = Vec::new();
    args.iter().for_each(|term| term.each_variable(&mut |v| given.push(v)));
    let mut outside = given.clone();
    clause.head.iter().for_each(|term| term.each_variable(&mut |v| outside.push(v)));
    let of_head = |v: VariableId| {
        let mut found = false;
        clause.head.iter().for_each(|term| term.each_variable(&mut |other| found |= other == v));
        found
    };
    if of_head(*end) {
        return None;
    }
    // from goal to goal by the end and by variables of these goals alone
    let mut linking = vec![*end];
    let mut about: Vec<usize> = Vec::new();
    while let Some(v) = linking.pop() {
        for (i, goal) in goals.iter().enumerate() {
            if i == at || about.contains(&i) || !mentions(goal, v) {
                continue;
            }
            about.push(i);
            goal.each_variable(&mut |v| {
                if !outside.contains(&v) {
                    linking.push(v);
                }
            });
        }
    }
    about.sort_unstable();
    let last = *about.last()?;
    let simple = goals[..=last.max(at)].iter().all(|goal| is_simple(program, goal));
    let needed = (0..args.len()).filter(|c| *c != from);
    let Term::Variable(source) = &args[from] else { return None };
    let mut apart = true;
    for i in &about {
        goals[*i]
            .each_variable(&mut |v| apart &= v != *source && (given.contains(&v) || !of_head(v)));
    }
    if !simple || !apart {
        return None;
    }
    let mut ranges = Vec::new();
    for column in needed {
        let Term::Variable(v) = &args[column] else { return None };
        if !about.iter().any(|i| gives(&goals[*i], *v)) {
            ranges.push(range(&domains[v.0 as usize], *v, goals[at].span)?);
        }
    }
    let (clause, domains) = (clause.clone(), domains.to_vec());
    Some(Ask { line, clause, domains, at, from, about, ranges })
}

/// The goal that gives a variable the numbers of its domain.
fn range(domain: &Domain, v: VariableId, span: Span) -> Option<Goal> {
    let (lo, hi) = domain.integers.filter(|_| domain.is_number())?;
    let (lo, hi) = (Expression::Integer(lo), Expression::Integer(hi));
    Some(Goal::new(GoalKind::In(Term::Variable(v), lo, hi), span))
}

fn mentions(goal: &Goal, v: VariableId) -> bool {
    let mut found = false;
    goal.each_variable(&mut |other| found |= other == v);
    found
}

/// Whether a goal has a value for this variable.
fn gives(goal: &Goal, v: VariableId) -> bool {
    match &goal.kind {
        GoalKind::Call(_, args) => args.contains(&Term::Variable(v)),
        GoalKind::Unify(whole, Term::Compound(..)) => *whole == Term::Variable(v),
        _ => false,
    }
}

/// Whether a goal only looks at the position, without a choice.
fn is_simple(program: &Program, goal: &Goal) -> bool {
    match &goal.kind {
        GoalKind::Call(id, _) => {
            let relation = program.relation(*id);
            relation.kind != Kind::Action
                && !relation.chooses
                && !relation.supposes
                && !relation.needs_bound.contains(&true)
        }
        GoalKind::Not(inner) => inner.conjuncts().iter().all(|goal| is_simple(program, goal)),
        GoalKind::Differ(..)
        | GoalKind::Compare(..)
        | GoalKind::Is(..)
        | GoalKind::Unify(..)
        | GoalKind::In(..) => true,
        _ => false,
    }
}

/// Replaces calls for which the order of answers does not matter.
fn redirect(goal: &mut Goal, to: &[(RelationId, RelationId)]) {
    match &mut goal.kind {
        GoalKind::Once(_) => {}
        GoalKind::If(_, then, otherwise) => {
            redirect(then, to);
            redirect(otherwise, to);
        }
        GoalKind::Each(_, action) => redirect(action, to),
        GoalKind::Call(id, _) => {
            if let Some((_, copy)) = to.iter().find(|(of, _)| of == id) {
                *id = *copy;
            }
        }
        _ => goal.children_mut().into_iter().for_each(|inner| redirect(inner, to)),
    }
}
