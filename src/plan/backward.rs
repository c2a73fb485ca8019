//! Recursions along lines, gone through from the end of which something is asked.
//!
//! `closed(A, D, P) :- run(A, D, B, P), step(D, B, C), at(C, P)` asks for the sites `A` from which a run leads to a site `B` behind which
//! a piece stands. With `run(A, D, C, P) :- run(A, D, B, P), step(D, B, C), other(C, P)` that is a flood for each `B`. The sites of which a
//! run leads on to such an end are one flood for all of them, `back(D, B, P)`: it begins with the sites of the goals about the end, and
//! each of its rounds is a step of the run taken back. What the first clause of the run says of `A` and one of these sites does the
//! rest. Where the goals are about the argument that a run passes on, the new relation is the run with these goals in its first clause
//! (Naughton, Ramakrishnan, Sagiv and Ullman, "Efficient Evaluation of Right-, Left-, and Multi-Linear Rules", 1989).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Kind, Program, Relation, RelationId, Term, Variable,
    VariableId, reconnect, rename_goal, rename_term,
};
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::heads;
use super::lines::{Ask, Line, asked, gives, is_given, line, range};
use super::specialise::in_order;
use super::unfolding::in_place;

/// The name of the relations; no rule file can define it.
const NAME: &str = "back";

/// The most relations that are added.
const MAX_ADDED: usize = 32;

/// How far callers of callers are looked through for the value of an argument.
const MAX_CALLERS: usize = 3;

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

impl<'a> Backward<'a> {
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
        self.before.keep_graph(self.program);
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

    /// The first call in a clause that can be replaced, and the way to its conjunction.
    fn ask(&self, id: ClauseId) -> Option<(Ask<'a>, Vec<usize>)> {
        let clause = self.program.clause(id);
        if self.types.may_raise_in(&clause.body, self.program) {
            return None;
        }
        let lines: &'a [Line] = self.lines;
        let called: Vec<&'a Line> =
            lines.iter().filter(|line| clause.calls_of(line.relation) > 0).collect();
        if called.is_empty() {
            return None;
        }
        conjunctions(&clause.body).into_iter().find_map(|path| {
            let within = part(clause, &path)?;
            called.iter().find_map(|line| {
                let ask = self.ask_within(id, &within, line)?;
                let known = |v: &VariableId| !path.is_empty() || self.is_given(clause, *v);
                ask.others.iter().all(known).then(|| (ask, path.clone()))
            })
        })
    }

    fn ask_within(&self, id: ClauseId, within: &Clause, line: &'a Line) -> Option<Ask<'a>> {
        let columns = &self.types.columns[line.relation.0 as usize];
        let mut domains = self.types.variables[id.0 as usize].clone();
        let clause = heads::flattened(within, line.relation, columns, &mut domains);
        let calls = |goal: &Goal| matches!(&goal.kind, GoalKind::Call(called, _) if *called == line.relation);
        let goals = clause.body.conjuncts();
        let mut places = (0..goals.len()).filter(|at| calls(&goals[*at]));
        places.find_map(|at| {
            let ends = [true, false].into_iter();
            let mut ends =
                ends.flat_map(|of_moving| line.passed.iter().map(move |p| (*p, of_moving)));
            ends.find_map(|end| asked(self.program, (&clause, &domains), line, at, end))
        })
    }

    /// Whether all callers of a clause are likely to have a value for this variable.
    fn is_given(&self, clause: &Clause, v: VariableId) -> bool {
        let column = clause.head.iter().position(|term| *term == Term::Variable(v));
        column.is_some_and(|column| is_given(self.program, clause.relation, column, MAX_CALLERS))
    }

    fn in_clause(&mut self, id: ClauseId) {
        if self.lines.iter().any(|l| l.relation == self.program.clause(id).relation) {
            return;
        }
        while self.added < MAX_ADDED
            && let Some((ask, path)) = self.ask(id)
            && let Some(made) = self.replaced(id, ask)
        {
            let (goal, variables, domains) = made;
            let body = with_part(&self.program.clause(id).body, &path, goal);
            self.types.variables[id.0 as usize] = domains;
            // what is kept of the clause tells how many variables it had
            self.set_body(id, body);
            self.program.clauses[id.0 as usize].variables = variables;
            self.added += 1;
        }
    }

    /// The conjunction with the call of a new relation in place of that of a recursion and the goals about its end, with the variables
    /// of the clause and their domains.
    fn replaced(
        &mut self,
        id: ClauseId,
        ask: Ask<'_>,
    ) -> Option<(Goal, Vec<Variable>, Vec<Domain>)> {
        let Ask { line, mut clause, mut domains, at, passed, of_moving, about, ranges, others } =
            ask;
        let (base, steps) = (line.base, &line.steps);
        let columns: Vec<usize> =
            (0..self.program.relation(line.relation).arity).filter(|c| *c != passed).collect();
        let goals = clause.body.conjuncts().to_vec();
        let GoalKind::Call(_, args) = &goals[at].kind else { return None };
        let back = RelationId(self.program.relations.len() as u32);
        let made = Made { columns: &columns, back };
        let with: Vec<Term> = others.iter().copied().map(Term::Variable).collect();
        let of_others: Vec<Domain> = others.iter().map(|v| domains[v.0 as usize].clone()).collect();

        let mut first = Clause { relation: back, head: made.args(args, &with), ..clause.clone() };
        let mut ends: Vec<Goal> = about.iter().map(|at| goals[*at].clone()).chain(ranges).collect();
        let mut begun = domains.clone();
        let changed = if of_moving { &mut clause.variables } else { &mut first.variables };
        let (own, fresh) = in_place(&goals[at], self.program.clause(base), changed);
        let of_base = &self.types.variables[base.0 as usize];
        let of_fresh = fresh.iter().map(|v| of_base[v.0 as usize].clone());
        let (own, same) = met(own, &args[passed], &args[line.moving]);
        let none = FxHashMap::default();
        let own_names = if of_moving { &same } else { &none };
        let args: Vec<Term> = args.iter().map(|term| renamed(term, own_names)).collect();
        first.head.iter_mut().for_each(|term| rename_term(term, &same));
        ends.iter_mut().for_each(|goal| rename_goal(goal, &same));
        let mut all = Vec::new();
        match of_moving {
            true => {
                domains.extend(of_fresh);
                all.extend(own);
            }
            false => {
                begun.extend(of_fresh);
                ends.splice(0..0, own);
            }
        }
        all.push(made.call(&args, &with, &goals[at]));
        first.body = Goal::new(GoalKind::And(ends), goals[at].span);
        let stepped: Option<Vec<Clause>> = (steps.iter())
            .map(|id| {
                let mut step = self.program.clause(*id).clone();
                let with: Vec<Term> = (of_others.iter())
                    .map(|_| {
                        step.variables.push(Variable { name: "_".to_string(), span: step.span });
                        Term::Variable(VariableId(step.variables.len() as u32 - 1))
                    })
                    .collect();
                match of_moving {
                    true => self.taken_back(*id, step, (line, &made), &with),
                    false => Some(taken_on(step, line, &made, &with)),
                }
            })
            .collect();
        let mut clauses = vec![(id, first, begun)];
        for (step, made) in steps.iter().zip(stepped?) {
            let mut domains = self.types.variables[step.0 as usize].clone();
            domains.extend(of_others.iter().cloned());
            clauses.push((*step, Clause { relation: back, ..made }, domains));
        }
        let clauses: Vec<ClauseId> = clauses
            .into_iter()
            .map(|(of, made, domains)| self.add_clause(of, made, domains))
            .collect();
        let arity = columns.len() + others.len();
        let relation = Relation {
            name: NAME.to_string(),
            arity,
            clauses,
            needs_bound: vec![false; arity],
            built_in: true,
            ..self.program.relation(line.relation).clone()
        };
        self.before.keep_graph(self.program);
        self.program.relations.push(relation);
        let of_line = &self.types.columns[line.relation.0 as usize];
        let types = columns.iter().map(|c| of_line[*c].clone()).chain(of_others).collect();
        self.types.columns.push(types);
        self.types.raises.push(false);

        let kept = |i: &usize| *i != at && !about.contains(i);
        let before = (0..at).filter(kept).map(|i| goals[i].clone());
        let behind = (at..goals.len()).filter(kept).map(|i| goals[i].clone());
        let all: Vec<Goal> = before.chain(all).chain(behind).collect();
        Some((Goal::new(GoalKind::And(all), clause.body.span), clause.variables, domains))
    }

    /// A step of a recursion taken back: from what it leads to, to what it goes on from.
    fn taken_back(
        &self,
        id: ClauseId,
        mut step: Clause,
        (line, made): (&Line, &Made<'_>),
        with: &[Term],
    ) -> Option<Clause> {
        let mut all = Vec::new();
        let mut from = None;
        for goal in step.body.conjuncts() {
            match &goal.kind {
                GoalKind::Call(called, args) if *called == line.relation => {
                    all.push(made.call(&step.head, with, goal));
                    from = Some(args[line.moving].clone());
                }
                _ => all.push(goal.clone()),
            }
        }
        let Some(Term::Variable(v)) = from else { return None };
        if !all.iter().any(|goal| gives(goal, v)) {
            all.push(range(self.types.variable(id, v), v, step.head_span)?);
        }
        step.head[line.moving] = Term::Variable(v);
        step.head = made.args(&step.head, with);
        step.body = Goal::new(GoalKind::And(all), step.body.span);
        Some(step)
    }
}

/// The goals of a first clause that begins where it ends, `A = B`, without this goal, and the argument that is passed on as the name
/// of the other one.
fn met(
    goals: Vec<Goal>,
    passed: &Term,
    moving: &Term,
) -> (Vec<Goal>, FxHashMap<VariableId, VariableId>) {
    let mut same = FxHashMap::default();
    let mut all = Vec::new();
    for goal in goals {
        match &goal.kind {
            GoalKind::Unify(a, b)
                if [(a, b), (b, a)].contains(&(passed, moving))
                    && let (Term::Variable(from), Term::Variable(to)) = (moving, passed) =>
            {
                same.insert(*from, *to);
            }
            _ => all.push(goal),
        }
    }
    all.iter_mut().for_each(|goal| rename_goal(goal, &same));
    (all, same)
}

fn renamed(term: &Term, names: &FxHashMap<VariableId, VariableId>) -> Term {
    let mut made = term.clone();
    rename_term(&mut made, names);
    made
}

/// How the calls of a new relation come from those of a recursion.
struct Made<'a> {
    /// The arguments that stay.
    columns: &'a [usize],
    back: RelationId,
}

impl Made<'_> {
    fn args(&self, args: &[Term], with: &[Term]) -> Vec<Term> {
        self.columns.iter().map(|c| args[*c].clone()).chain(with.iter().cloned()).collect()
    }

    fn call(&self, args: &[Term], with: &[Term], of: &Goal) -> Goal {
        Goal::new(GoalKind::Call(self.back, self.args(args, with)), of.span)
    }
}

/// A step of a recursion without the argument that it passes on.
fn taken_on(mut step: Clause, line: &Line, made: &Made<'_>, with: &[Term]) -> Clause {
    let all = step.body.conjuncts().iter().map(|goal| match &goal.kind {
        GoalKind::Call(called, args) if *called == line.relation => made.call(args, with, goal),
        _ => goal.clone(),
    });
    step.body = Goal::new(GoalKind::And(all.collect()), step.body.span);
    step.head = made.args(&step.head, with);
    step
}

/// The ways to the conjunctions of a goal, its own and those of its negations: at each negation its place.
fn conjunctions(goal: &Goal) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for (at, goal) in goal.conjuncts().iter().enumerate() {
        if let GoalKind::Not(inner) = &goal.kind {
            all.extend(conjunctions(inner).into_iter().map(|path| [&[at], &path[..]].concat()));
        }
    }
    all
}

/// A conjunction of a clause as a clause of its own. Its head has the variables of the goals around it.
fn part(clause: &Clause, path: &[usize]) -> Option<Clause> {
    let mut made = clause.clone();
    for at in path {
        let GoalKind::Not(inner) = &made.body.conjuncts()[*at].kind else { return None };
        let inner = (**inner).clone();
        let mut around = Vec::new();
        for (other, goal) in made.body.conjuncts().iter().enumerate() {
            if other != *at {
                goal.each_variable(&mut |v| around.push(Term::Variable(v)));
            }
        }
        made.head.extend(around);
        made.body = inner;
    }
    Some(made)
}

/// The goal with another conjunction in the place to which this way leads.
fn with_part(goal: &Goal, path: &[usize], part: Goal) -> Goal {
    let [at, rest @ ..] = path else { return part };
    let mut goals = goal.conjuncts().to_vec();
    if let GoalKind::Not(inner) = &mut goals[*at].kind {
        **inner = with_part(inner, rest, part);
    }
    match &goal.kind {
        GoalKind::And(_) => Goal::new(GoalKind::And(goals), goal.span),
        _ => goals.remove(0),
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
