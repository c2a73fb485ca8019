//! Recursions that change several arguments, followed from those that are given.
//!
//! `leads(A, B, D) :- at(B, T), way(T, B, C), C \= A, leads(B, C, D)` as a table has the pairs `A`, `B` that lead to each `D`, where most
//! questions are about one pair. The pairs to which that one leads are few: `ahead(A, B, A, B)`, and
//! `ahead(A, B, V, W) :- ahead(A, B, U, V), next(U, V, V, W)` with the step of the recursion as `next`. What the clauses that are not
//! recursive say of one of them is the answer. That is a right-linear recursion made left-linear (Naughton, Ramakrishnan, Sagiv and
//! Ullman, "Efficient Evaluation of Right-, Left-, and Multi-Linear Rules", 1989).

use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Program, Relation, RelationId, Term, Variable, VariableId,
    reconnect,
};
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::lines::{gives, mentions};
use super::recursions::in_any_order;

/// The names of the relations; no rule file can define them. That which a call of the recursion becomes has its name.
const AHEAD: &str = "ahead";
const NEXT: &str = "next";
const BEGINS: &str = "begins";

/// The relations that follow a recursion from what is given.
#[derive(Debug)]
pub(super) struct Ahead {
    /// The recursion.
    pub of: RelationId,
    /// What a call of it becomes where `given` are known.
    pub asked: RelationId,
    /// One step: the arguments that it looks at, those that it changes, and what these become.
    pub next: RelationId,
    /// The arguments that have to be known.
    pub given: Vec<usize>,
    /// Those that a step changes.
    pub changed: Vec<usize>,
}

/// A recursion whose steps change several arguments.
struct Walk {
    relation: RelationId,
    begins: Vec<ClauseId>,
    steps: Vec<ClauseId>,
    /// The arguments that a step looks at and passes on.
    looked_at: Vec<usize>,
    changed: Vec<usize>,
}

/// Adds the relations that follow recursions from what is given. Which calls become calls of them is decided when these are lowered.
pub(super) fn recursions(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    let alone = program.graph.components.iter().filter(|c| c.len() == 1).map(|c| c[0]);
    let walks: Vec<Walk> = alone.filter_map(|id| walk(program, types, id)).collect();
    if walks.is_empty() {
        return;
    }
    before.keep_graph(program);
    for walk in walks {
        let ahead = Build { program, types, before }.relations(&walk);
        before.goes_ahead(ahead);
    }
    reconnect(program);
}

fn walk(program: &Program, types: &Types, id: RelationId) -> Option<Walk> {
    let relation = program.relation(id);
    if !relation.recursive || relation.supposes || !in_any_order(program, types, id) {
        return None;
    }
    let (steps, begins): (Vec<ClauseId>, Vec<ClauseId>) =
        relation.clauses.iter().partition(|clause| program.clause(**clause).calls_of(id) > 0);
    let mut changed = vec![false; relation.arity];
    let mut looked_at = vec![false; relation.arity];
    for step in &steps {
        let clause = program.clause(*step);
        let args = own_call(clause)?;
        let plain = |term: &Term| matches!(term, Term::Variable(_) | Term::Constant(_));
        if clause.calls_of(id) != 1 || !clause.head.iter().chain(args).all(plain) {
            return None;
        }
        let occurrences = clause.occurrences();
        for column in 0..relation.arity {
            match &clause.head[column] {
                Term::Variable(v) if args[column] == clause.head[column] => {
                    looked_at[column] |= occurrences[v.0 as usize] > 2;
                }
                _ => changed[column] = true,
            }
        }
    }
    let columns = |of: &[bool]| (0..relation.arity).filter(|c| of[*c]).collect::<Vec<usize>>();
    let few = |column: &usize| {
        let Domain { top, integers, lists, moves, .. } = types.column(id, *column);
        !(*top || integers.is_some() || *lists || *moves)
    };
    (0..relation.arity).for_each(|column| looked_at[column] &= !changed[column]);
    let walk = Walk {
        relation: id,
        begins,
        steps,
        looked_at: columns(&looked_at),
        changed: columns(&changed),
    };
    let several = walk.changed.len() > 1 && walk.changed.iter().all(few);
    let makes = |step: &ClauseId| makes_next(program, program.clause(*step), &walk);
    (several && !walk.begins.is_empty() && walk.steps.iter().all(makes)).then_some(walk)
}

/// The arguments of the one call that a clause has of its own relation among its goals.
fn own_call(clause: &Clause) -> Option<&[Term]> {
    let mut calls = clause.body.conjuncts().iter().filter_map(|goal| match &goal.kind {
        GoalKind::Call(called, args) if *called == clause.relation => Some(args.as_slice()),
        _ => None,
    });
    calls.next().filter(|_| calls.next().is_none())
}

/// Whether the goals of a step tell all that it goes on with, without the recursive call.
fn makes_next(program: &Program, step: &Clause, walk: &Walk) -> bool {
    let goals: Vec<&Goal> =
        step.body.conjuncts().iter().filter(|g| !calls(g, step.relation)).collect();
    let simple = |goal: &&Goal| match &goal.kind {
        GoalKind::Call(id, _) => {
            let relation = program.relation(*id);
            !relation.supposes && !relation.needs_bound.contains(&true)
        }
        GoalKind::Not(_) | GoalKind::Differ(..) | GoalKind::Compare(..) | GoalKind::Unify(..) => {
            true
        }
        _ => false,
    };
    let given = |v: VariableId| {
        let mut columns = walk.looked_at.iter().chain(&walk.changed);
        columns.any(|c| step.head[*c] == Term::Variable(v)) || goals.iter().any(|g| gives(g, v))
    };
    let Some(args) = own_call(step) else { return false };
    let of_call = |v: VariableId| args.contains(&Term::Variable(v));
    // a variable of one goal only is its own, as in a negation
    let needed = |v: VariableId| of_call(v) || goals.iter().filter(|g| mentions(g, v)).count() > 1;
    let variables = (0..step.variables.len() as u32).map(VariableId);
    let mut of_step = variables.filter(|v| {
        let passed = (0..args.len()).any(|c| {
            !walk.looked_at.contains(&c)
                && !walk.changed.contains(&c)
                && args[c] == Term::Variable(*v)
        });
        !passed && needed(*v)
    });
    goals.iter().all(simple) && of_step.all(given)
}

fn calls(goal: &Goal, id: RelationId) -> bool {
    matches!(&goal.kind, GoalKind::Call(called, _) if *called == id)
}

struct Build<'a> {
    program: &'a mut Program,
    types: &'a mut Types,
    before: &'a mut Rewritten,
}

impl Build<'_> {
    fn relations(&mut self, walk: &Walk) -> Ahead {
        let arity = self.program.relation(walk.relation).arity;
        let given = [walk.looked_at.as_slice(), &walk.changed].concat();
        let both = [given.as_slice(), &walk.changed].concat();
        let inputs: Vec<bool> = (0..both.len()).map(|at| at < given.len()).collect();
        let next = self.relation(walk, NEXT, &both, inputs.clone());
        let ahead = self.relation(walk, AHEAD, &both, inputs);
        let all: Vec<usize> = (0..arity).collect();
        let needs = self.program.relation(walk.relation).needs_bound.clone();
        let begins = self.relation(walk, BEGINS, &all, needs.clone());
        let needs = (0..arity).map(|c| needs[c] || given.contains(&c)).collect();
        let name = self.program.relation(walk.relation).name.clone();
        let asked = self.relation(walk, &name, &all, needs);

        for id in &walk.steps {
            let mut step = self.program.clause(*id).clone();
            let args = own_call(&step).map(<[Term]>::to_vec).unwrap_or_default();
            let goals = step.body.conjuncts().iter().filter(|goal| !calls(goal, walk.relation));
            step.body = Goal::new(GoalKind::And(goals.cloned().collect()), step.body.span);
            let from = given.iter().map(|c| step.head[*c].clone());
            step.head = from.chain(walk.changed.iter().map(|c| args[*c].clone())).collect();
            let domains = self.types.variables[id.0 as usize].clone();
            self.clause(next, *id, step, domains);
        }
        for id in &walk.begins {
            let clause = self.program.clause(*id).clone();
            let domains = self.types.variables[id.0 as usize].clone();
            self.clause(begins, *id, clause, domains);
        }
        let terms = |from: usize, count: usize| -> Vec<Term> {
            (from..from + count).map(|v| Term::Variable(VariableId(v as u32))).collect()
        };
        let (kept, moving) = (walk.looked_at.len(), walk.changed.len());
        let call = |id, args: &[&[Term]]| GoalKind::Call(id, args.concat());
        // ahead(K, C, C), and ahead(K, C, E) :- ahead(K, C, D), next(K, D, E)
        let step = walk.steps[0];
        let (k, c) = (terms(0, kept), terms(kept, moving));
        let here = [k.as_slice(), &c, &c].concat();
        self.made((ahead, step), here, &given, Vec::new());
        let (d, e) = (terms(kept + moving, moving), terms(kept + 2 * moving, moving));
        let columns = [both.as_slice(), &walk.changed].concat();
        let goals = vec![call(ahead, &[&k, &c, &d]), call(next, &[&k, &d, &e])];
        self.made((ahead, step), [k, c, e].concat(), &columns, goals);
        // leads(A) :- ahead(K, C, D), begins(A with D in place of C)
        let (head, d) = (terms(0, arity), terms(arity, moving));
        let mut behind = head.clone();
        walk.changed.iter().zip(&d).for_each(|(c, term)| behind[*c] = term.clone());
        let from: Vec<Term> = given.iter().map(|c| head[*c].clone()).collect();
        let goals = vec![call(ahead, &[&from, &d]), call(begins, &[&behind])];
        let columns = [all.as_slice(), &walk.changed].concat();
        self.made((asked, walk.begins[0]), head, &columns, goals);
        let (given, changed) = (given, walk.changed.clone());
        Ahead { of: walk.relation, asked, next, given, changed }
    }

    /// A relation without clauses, with arguments like these of the recursion.
    fn relation(
        &mut self,
        walk: &Walk,
        name: &str,
        columns: &[usize],
        needs_bound: Vec<bool>,
    ) -> RelationId {
        let id = RelationId(self.program.relations.len() as u32);
        let like = self.program.relation(walk.relation).clone();
        let (name, arity, clauses) = (name.to_string(), columns.len(), Vec::new());
        let made = Relation {
            name,
            arity,
            clauses,
            needs_bound,
            recursive: false,
            built_in: true,
            ..like
        };
        self.program.relations.push(made);
        let of_walk = &self.types.columns[walk.relation.0 as usize];
        let types = columns.iter().map(|c| of_walk[*c].clone()).collect();
        self.types.columns.push(types);
        self.types.raises.push(false);
        id
    }

    /// Adds a clause whose variables have the domains of these arguments of the recursion.
    fn made(
        &mut self,
        (relation, like): (RelationId, ClauseId),
        head: Vec<Term>,
        columns: &[usize],
        goals: Vec<GoalKind>,
    ) {
        let written = self.program.clause(like).clone();
        let span = written.head_span;
        let name = || Variable { name: "_".to_string(), span };
        let variables = columns.iter().map(|_| name()).collect();
        let body = match goals.is_empty() {
            true => GoalKind::True,
            false => {
                let call = written.body.conjuncts().iter().find(|g| calls(g, written.relation));
                let span = call.map_or(span, |goal| goal.span);
                GoalKind::And(goals.into_iter().map(|goal| Goal::new(goal, span)).collect())
            }
        };
        let body = Goal::new(body, written.body.span);
        let of_walk = &self.types.columns[written.relation.0 as usize];
        let domains = columns.iter().map(|c| of_walk[*c].clone()).collect();
        self.clause(relation, like, Clause { head, body, variables, ..written }, domains);
    }

    fn clause(&mut self, relation: RelationId, like: ClauseId, made: Clause, domains: Vec<Domain>) {
        self.before.stands_for(like);
        self.types.variables.push(domains);
        let id = ClauseId(self.program.clauses.len() as u32);
        self.program.clauses.push(Clause { relation, ..made });
        self.program.relations[relation.0 as usize].clauses.push(id);
    }
}
