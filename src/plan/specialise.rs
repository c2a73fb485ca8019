//! Recursive relations, specialised by what their calls leave no choice of.
//!
//! `walk(A, 3, C) :- walk(A, 2, B), …` recurs by constants: each call gives a constant for an argument that
//! is a constant in every head. For each of them the relation becomes a relation of its own without
//! the argument, and none of these is recursive (partial evaluation; Lloyd and Shepherdson, 1991). A call that leaves
//! the constant open calls each of them in turn. So does one that leaves a number open which the recursion counts, as in
//! `row(D, A, N, C) :- row(D, A, M, B), M < 3, step(D, B, C), N is M + 1`, where it has a few values only, or where the goals around
//! the call leave few of them, as `row(D, A, N, C), N =< 3` does; and one that gives one of a few numbers, as `N in 1..3` does.
//!
//! The same holds of a counter: in `run(A, N) :- N > 1, M is N - 1, next(A, B), run(B, M)` a call with a number gives the recursive
//! call another one, and comes to an end (`staging.rs`). And of what is counted beside such a recursion, as in
//! `row(A, N) :- own(A), next(A, B), run(B, M), N is M + 1`.
//!
//! `path(_, A, B)` with `path(N, A, C) :- path(M, A, B), N is M + 1, …` asks for no counter. The relation without
//! that argument is its projection, since nothing else depends on the counter, and it is a flood where
//! the relation itself needs a table of numbers.
//!
//! The relation as written stays for other calls, and for those whose answers are taken in order:
//! answers of a recursion come in the standard order of all arguments.

use rustc_hash::FxHashSet;

use crate::program::{
    Aggregate, ArithmeticOp, Clause, ClauseId, Expression, Goal, GoalKind, Program, Relation,
    RelationId, Term, Value, Variable, VariableId, reconnect,
};
use crate::types::{Domain, Types};

use super::closures::Rewritten;
use super::recursions::in_any_order;
use super::thresholds::Limits;
use super::{staging, thresholds};

/// The most relations that are added.
const MAX_ADDED: usize = 64;
/// The most values of a number for each of which there is a relation though no call says it.
const MAX_NUMBERS: i64 = 4;

/// The same of a number that calls give.
const MAX_GIVEN: i64 = 8;

/// What a call says of an argument.
#[derive(Debug, Clone, PartialEq)]
enum Slot {
    /// It is an argument of the specialised relation.
    Kept,
    /// The same, and answers in which it is more than this number are not asked for.
    AtMost(i64),
    /// It is this constant.
    Known(Term),
    /// Its value is not asked for.
    Ignored,
}

impl Slot {
    fn is_kept(&self) -> bool {
        matches!(self, Slot::Kept | Slot::AtMost(_))
    }
}

/// A relation that can be specialised: a recursive one, or one that counts on from it.
struct Candidate {
    relation: RelationId,
    /// For each argument, whether it is a constant in every head and every recursive call.
    staged: Vec<bool>,
    /// For each argument, whether it is a number that the recursion may count.
    counted: Vec<bool>,
    /// For each argument, whether only itself depends on its values, which the recursion changes.
    droppable: Vec<bool>,
}

struct Specialise<'a> {
    program: &'a mut Program,
    types: &'a mut Types,
    before: &'a mut Rewritten,
    candidates: Vec<Candidate>,
    made: Vec<(RelationId, Vec<Slot>, RelationId)>,
    /// The clause whose calls are specialised.
    asking: ClauseId,
}

/// Replaces calls of recursive relations by calls of relations that are specialised for them.
pub(super) fn calls(program: &mut Program, types: &mut Types, before: &mut Rewritten) {
    let alone = || program.graph.components.iter().filter(|c| c.len() == 1).map(|c| c[0]);
    let mut candidates: Vec<Candidate> =
        alone().filter_map(|relation| candidate(program, types, relation)).collect();
    let beside: Vec<Candidate> =
        alone().filter_map(|id| counting_on(program, types, id, &candidates)).collect();
    candidates.extend(beside);
    if candidates.is_empty() {
        return;
    }
    let ordered = in_order(program, types);
    let is_recursion = |id: RelationId| {
        program.relation(id).recursive && candidates.iter().any(|c| c.relation == id)
    };
    let asking: Vec<ClauseId> = (0..program.clauses.len() as u32)
        .map(ClauseId)
        .filter(|id| {
            let relation = program.clause(*id).relation;
            !ordered.contains(&relation) && !is_recursion(relation)
        })
        .collect();
    let (made, first) = (Vec::new(), ClauseId(0));
    let mut pass = Specialise { program, types, before, candidates, made, asking: first };
    for id in asking {
        pass.clause(id);
    }
    let mut next = 0;
    while let Some((_, _, added)) = pass.made.get(next) {
        next += 1;
        for id in pass.program.relation(*added).clauses.clone() {
            pass.clause(id);
        }
    }
    if next > 0 {
        reconnect(pass.program);
    }
}

impl Specialise<'_> {
    /// Specialises the calls of a clause.
    fn clause(&mut self, id: ClauseId) {
        self.asking = id;
        let clause = self.program.clause(id);
        let calls_one = |goal: &Goal| match &goal.kind {
            GoalKind::Call(called, _) => self.candidates.iter().any(|c| c.relation == *called),
            _ => false,
        };
        let mut any = false;
        clause.body.walk(&mut |goal| any |= calls_one(goal));
        if !any {
            return;
        }
        let occurrences = clause.occurrences();
        let body = clause.body.clone();
        let mut specialised = body.clone();
        self.goal(&mut specialised, &occurrences, false, &Limits::default());
        if specialised != body {
            if (id.0 as usize) < self.before.written() {
                self.before.keep(self.program, id, &body);
            }
            self.program.clauses[id.0 as usize].body = specialised;
        }
    }

    /// `all` says that every answer counts, over all variables.
    fn goal(&mut self, goal: &mut Goal, occurrences: &[usize], all: bool, limits: &Limits) {
        match &mut goal.kind {
            // the first answer, in the order of answers, and each answer of a generator in turn
            GoalKind::Once(_) => {}
            GoalKind::If(_, then, otherwise) => {
                self.goal(then, occurrences, all, limits);
                self.goal(otherwise, occurrences, all, limits);
            }
            GoalKind::Each(_, action) => self.goal(action, occurrences, all, limits),
            GoalKind::Aggregate(Aggregate::Sum | Aggregate::Findall, _, inner, _) => {
                self.goal(inner, occurrences, true, limits);
            }
            GoalKind::Aggregate(_, _, inner, _) | GoalKind::Not(inner) => {
                self.goal(inner, occurrences, false, limits);
            }
            GoalKind::Forall(a, b) => {
                self.goal(a, occurrences, false, limits);
                self.goal(b, occurrences, false, limits);
            }
            GoalKind::And(goals) => {
                self.thresholds(goals, occurrences, all);
                let limits = thresholds::at_most(goals, limits);
                goals.iter_mut().for_each(|goal| self.goal(goal, occurrences, all, &limits));
                let kept: Vec<bool> = goals.iter().map(|goal| !self.is_kept(goals, goal)).collect();
                let mut kept = kept.into_iter();
                goals.retain(|_| kept.next().unwrap_or(true));
            }
            GoalKind::Or(goals) => {
                goals.iter_mut().for_each(|goal| self.goal(goal, occurrences, all, limits));
            }
            GoalKind::Call(relation, args) => {
                let Some(candidate) = self.candidates.iter().find(|c| c.relation == *relation)
                else {
                    return;
                };
                let slot = |(i, term): (usize, &Term)| match term {
                    Term::Constant(_) if candidate.staged[i] => Slot::Known(term.clone()),
                    Term::Constant(Value::Integer(n))
                        if candidate.counted[i]
                            && staging::ends(self.program, self.types, *relation, i, *n) =>
                    {
                        Slot::Known(term.clone())
                    }
                    Term::Variable(v)
                        if candidate.droppable[i] && !all && occurrences[v.0 as usize] == 1 =>
                    {
                        Slot::Ignored
                    }
                    _ => Slot::Kept,
                };
                let slots: Vec<Slot> = args.iter().enumerate().map(slot).collect();
                let added = match slots.iter().all(|slot| *slot == Slot::Kept) {
                    true => (self.by_constants(*relation))
                        .or_else(|| self.by_numbers(*relation, args, limits)),
                    false => self.relation(*relation, &slots),
                };
                let Some(added) = added else { return };
                *relation = added;
                *args = kept(args, &slots);
            }
            _ => {}
        }
    }

    /// Whether a limit that a goal sets is one that a call of these goals keeps by itself.
    fn is_kept(&self, goals: &[Goal], limit: &Goal) -> bool {
        let Some((v, most)) = thresholds::constant_limit(limit) else { return false };
        goals.iter().any(|goal| {
            let GoalKind::Call(id, args) = &goal.kind else { return false };
            let made = self.made.iter().find(|(.., added)| added == id);
            made.is_some_and(|(_, slots, _)| {
                let within = |slot: &Slot| matches!(slot, Slot::AtMost(n) if *n <= most);
                let mut arguments = slots.iter().zip(args);
                slots.len() == args.len()
                    && arguments.any(|(slot, term)| within(slot) && *term == Term::Variable(v))
            })
        })
    }

    /// Makes calls with a number of those whose number is compared (`thresholds.rs`), where no answer counts for itself.
    fn thresholds(&self, goals: &mut Vec<Goal>, occurrences: &[usize], all: bool) {
        let counted = |id: RelationId, at: usize| {
            self.candidates.iter().any(|c| c.relation == id && c.counted[at])
        };
        if !all {
            while thresholds::replace_one(self.program, goals, occurrences, &counted) {}
        }
    }

    /// The relation for calls that leave open which constants an argument is: it calls the relation for each of them. `None`
    /// where no argument is a constant everywhere.
    fn by_constants(&mut self, relation: RelationId) -> Option<RelationId> {
        let candidate = self.candidates.iter().find(|c| c.relation == relation)?;
        let staged = candidate.staged.clone();
        if !staged.contains(&true) {
            return None;
        }
        let mut heads: Vec<(ClauseId, Vec<Term>)> = Vec::new();
        for id in &self.program.relation(relation).clauses {
            let mut head = self.program.clause(*id).head.clone();
            for (i, term) in head.iter_mut().enumerate().filter(|(i, _)| !staged[*i]) {
                *term = Term::Variable(VariableId(i as u32));
            }
            if !heads.iter().any(|(_, other)| *other == head) {
                heads.push((*id, head));
            }
        }
        let slots = vec![Slot::Kept; self.program.relation(relation).arity];
        self.by_heads(relation, slots, heads)
    }

    /// The same for calls that leave a number open which the recursion counts, where it has few values, or few up to the limit
    /// that other goals set.
    fn by_numbers(
        &mut self,
        relation: RelationId,
        args: &[Term],
        limits: &Limits,
    ) -> Option<RelationId> {
        let candidate = self.candidates.iter().find(|c| c.relation == relation)?;
        let written = self.program.relation(relation);
        let first = *written.clauses.first()?;
        let counted = |i: &usize| candidate.counted[*i];
        let (at, numbers, limited) = (0..written.arity).filter(counted).find_map(|i| {
            let domain = self.types.column(relation, i);
            let (lo, most) = domain.integers.filter(|_| domain.is_number())?;
            let Term::Variable(v) = &args[i] else { return None };
            let (limit, numbers) = match written.needs_bound[i] {
                false => (limits.get(v).copied(), MAX_NUMBERS),
                // the numbers that the goals around the call give
                true => {
                    let given = &self.types.variables[self.asking.0 as usize][v.0 as usize];
                    let (_, most) = given.integers.filter(|_| given.is_number())?;
                    (Some(most), MAX_GIVEN)
                }
            };
            let limit = limit.filter(|limit| *limit < most);
            let hi = limit.unwrap_or(most);
            let least = if limit.is_some() { 0 } else { 1 };
            let few = (least..numbers).contains(&hi.checked_sub(lo)?);
            let end = |n| staging::ends(self.program, self.types, relation, i, n);
            (few && (lo..=hi).all(end)).then_some((i, lo..=hi, limit))
        })?;
        let mut slots = vec![Slot::Kept; written.arity];
        if let Some(limit) = limited {
            slots[at] = Slot::AtMost(limit);
        }
        let heads = numbers.map(|n| {
            let argument = |i: usize| match i == at {
                true => Term::Constant(Value::Integer(n)),
                false => Term::Variable(VariableId(i as u32)),
            };
            (first, (0..written.arity).map(argument).collect())
        });
        let heads = heads.collect();
        self.by_heads(relation, slots, heads)
    }

    /// The relation whose clauses call this one, each with the arguments of one of the heads.
    fn by_heads(
        &mut self,
        relation: RelationId,
        slots: Vec<Slot>,
        heads: Vec<(ClauseId, Vec<Term>)>,
    ) -> Option<RelationId> {
        if let Some(known) = self.added(relation, &slots) {
            return Some(known);
        }
        if self.made.len() + heads.len() >= MAX_ADDED {
            return None;
        }
        let clauses = heads.into_iter().map(|(id, head)| {
            let written = self.program.clause(id);
            let variable = |_| Variable { name: "_".to_string(), span: written.head_span };
            let body = Goal::new(GoalKind::Call(relation, head.clone()), written.span);
            let variables = (0..head.len()).map(variable).collect();
            let clause = Clause { head, body, variables, ..written.clone() };
            (id, clause, self.types.columns[relation.0 as usize].clone())
        });
        let clauses = clauses.collect();
        Some(self.add(relation, slots, clauses))
    }

    /// The relation that was added for calls of this form.
    fn added(&self, relation: RelationId, slots: &[Slot]) -> Option<RelationId> {
        let made = self.made.iter().find(|(r, s, _)| (*r, &**s) == (relation, slots));
        made.map(|(_, _, added)| *added)
    }

    /// The relation for calls of this form; `None` where it has no clause, and where there are too
    /// many.
    fn relation(&mut self, relation: RelationId, slots: &[Slot]) -> Option<RelationId> {
        if let Some(known) = self.added(relation, slots) {
            return Some(known);
        }
        if self.made.len() >= MAX_ADDED {
            return None;
        }
        let mut clauses: Vec<(ClauseId, Clause, Vec<Domain>)> = Vec::new();
        'clause: for id in &self.program.relation(relation).clauses {
            let mut clause = self.program.clause(*id).clone();
            for (i, slot) in slots.iter().enumerate() {
                match slot {
                    Slot::Known(Term::Constant(Value::Integer(n))) => {
                        match staging::staged(self.program, self.types, &clause, i, *n).ok()? {
                            Some(staged) => clause = staged,
                            None => continue 'clause,
                        }
                    }
                    Slot::Known(term) if *term != clause.head[i] => continue 'clause,
                    _ => {}
                }
            }
            for (i, _) in slots.iter().enumerate().filter(|(_, slot)| **slot == Slot::Ignored) {
                let computed = computed_for(&clause, i);
                without(&mut clause, &computed);
            }
            clause.head = kept(&clause.head, slots);
            clauses.push((*id, clause, self.types.variables[id.0 as usize].clone()));
        }
        match clauses.is_empty() {
            true => None,
            false => Some(self.add(relation, slots.to_vec(), clauses)),
        }
    }

    /// Adds a relation for calls of this form, with these clauses, each in the place of one as written and with the domains of
    /// its variables.
    fn add(
        &mut self,
        relation: RelationId,
        slots: Vec<Slot>,
        clauses: Vec<(ClauseId, Clause, Vec<Domain>)>,
    ) -> RelationId {
        let number = RelationId(self.program.relations.len() as u32);
        let first = ClauseId(self.program.clauses.len() as u32);
        let original = self.program.relation(relation);
        let added = Relation {
            name: shown(self.program, original, &slots),
            arity: slots.iter().filter(|slot| slot.is_kept()).count(),
            clauses: (0..clauses.len() as u32).map(|i| ClauseId(first.0 + i)).collect(),
            needs_bound: kept(&original.needs_bound, &slots),
            built_in: true,
            ..original.clone()
        };
        self.before.keep_graph(self.program);
        self.program.relations.push(added);
        self.types.columns.push(kept(&self.types.columns[relation.0 as usize], &slots));
        self.types.raises.push(false);
        for (id, clause, domains) in clauses {
            self.types.variables.push(domains);
            self.program.clauses.push(Clause { relation: number, ..clause });
            self.before.stands_for(id);
        }
        self.made.push((relation, slots, number));
        number
    }
}

/// What a call looks like, for people who read the plan.
fn shown(program: &Program, relation: &Relation, slots: &[Slot]) -> String {
    let arguments: Vec<String> = (slots.iter())
        .map(|slot| match slot {
            Slot::Known(Term::Constant(value)) => program.values.show(*value),
            Slot::Kept => "+".to_string(),
            Slot::AtMost(limit) => format!("=< {limit}"),
            Slot::Known(_) | Slot::Ignored => "_".to_string(),
        })
        .collect();
    format!("{}({})", relation.name, arguments.join(", "))
}

fn kept<T: Clone>(all: &[T], slots: &[Slot]) -> Vec<T> {
    let kept = all.iter().zip(slots).filter(|(_, slot)| slot.is_kept());
    kept.map(|(item, _)| item.clone()).collect()
}

/// A relation that is none of the recursions but counts on from one of them, in a number that can be specialised.
fn counting_on(
    program: &Program,
    types: &Types,
    id: RelationId,
    recursions: &[Candidate],
) -> Option<Candidate> {
    let relation = program.relation(id);
    if relation.recursive || !in_any_order(program, types, id) {
        return None;
    }
    let counts = |clause: &Clause, i: usize| {
        let goals = clause.body.conjuncts();
        goals.iter().any(|goal| match &goal.kind {
            GoalKind::Is(n, expression) if *n == clause.head[i] => {
                let mut from = Vec::new();
                expression.each_variable(&mut |v| from.push(Term::Variable(v)));
                goals.iter().any(|goal| match &goal.kind {
                    GoalKind::Call(called, args) => {
                        let called = recursions.iter().find(|c| c.relation == *called);
                        called.is_some_and(|c| {
                            args.iter().zip(&c.counted).any(|(arg, n)| *n && from.contains(arg))
                        })
                    }
                    _ => false,
                })
            }
            _ => false,
        })
    };
    let clauses: Vec<&Clause> = relation.clauses.iter().map(|c| program.clause(*c)).collect();
    let simple =
        |clause: &&Clause, i: usize| !matches!(clause.head[i], Term::Compound(..) | Term::List(..));
    let counted: Vec<bool> = (0..relation.arity)
        .map(|i| {
            types.column(id, i).is_number()
                && clauses.iter().all(|clause| simple(clause, i))
                && clauses.iter().any(|clause| counts(clause, i))
        })
        .collect();
    let none = vec![false; relation.arity];
    counted.contains(&true).then(|| Candidate {
        relation: id,
        staged: none.clone(),
        counted,
        droppable: none,
    })
}

/// Whether and by which arguments a relation can be specialised.
fn candidate(program: &Program, types: &Types, id: RelationId) -> Option<Candidate> {
    let relation = program.relation(id);
    if !relation.recursive || !in_any_order(program, types, id) {
        return None;
    }
    let clauses: Vec<&Clause> = relation.clauses.iter().map(|c| program.clause(*c)).collect();
    let everywhere = |i: usize, holds: &dyn Fn(&Term) -> bool| {
        clauses.iter().all(|clause| {
            let mut all = holds(&clause.head[i]);
            each_call(&clause.body, id, &mut |args| all &= holds(&args[i]));
            all
        })
    };
    let staged: Vec<bool> = (0..relation.arity)
        .map(|i| everywhere(i, &|term| matches!(term, Term::Constant(_))))
        .collect();
    let droppable: Vec<bool> = (0..relation.arity)
        .map(|i| {
            // of a direction or a site there are few: the flood for each of them costs less
            !relation.needs_bound[i]
                && types.column(id, i).is_number()
                && clauses.iter().all(|clause| drops(clause, id, i))
                && clauses.iter().any(|clause| changes(clause, id, i))
        })
        .collect();
    let counted: Vec<bool> = (0..relation.arity)
        .map(|i| {
            let simple =
                |clause: &&Clause| !matches!(clause.head[i], Term::Compound(..) | Term::List(..));
            types.column(id, i).is_number()
                && clauses.iter().all(simple)
                && clauses.iter().any(|clause| changes(clause, id, i))
        })
        .collect();
    let any = [&staged, &counted, &droppable].into_iter().any(|all| all.contains(&true));
    any.then_some(Candidate { relation: id, staged, counted, droppable })
}

pub(super) fn each_call(body: &Goal, relation: RelationId, visit: &mut impl FnMut(&[Term])) {
    body.walk(&mut |goal| {
        if let GoalKind::Call(called, args) = &goal.kind
            && *called == relation
        {
            visit(args);
        }
    });
}

/// Whether a recursive call gives another value for an argument than the head has.
fn changes(clause: &Clause, relation: RelationId, argument: usize) -> bool {
    let mut changes = false;
    each_call(&clause.body, relation, &mut |args| {
        changes |= args[argument] != clause.head[argument]
    });
    changes
}

/// Whether a clause without this argument of its head asks its recursive calls for the argument no
/// more.
fn drops(clause: &Clause, relation: RelationId, argument: usize) -> bool {
    let mut rest = clause.clone();
    let computed = computed_for(clause, argument);
    without(&mut rest, &computed);
    rest.head.remove(argument);
    let occurrences = rest.occurrences();
    let mut drops = true;
    each_call(&rest.body, relation, &mut |args| {
        drops &= matches!(args[argument], Term::Variable(v) if occurrences[v.0 as usize] == 1);
    });
    drops
}

/// The goals of a clause that compute this argument of the head and nothing else, and have a value
/// for all numbers.
fn computed_for(clause: &Clause, argument: usize) -> Vec<usize> {
    let goals = clause.body.conjuncts();
    let mut computed: Vec<usize> = Vec::new();
    loop {
        let others = |v: VariableId| {
            let mut uses = 0;
            let mut count = |other: VariableId| uses += usize::from(other == v);
            for (i, term) in clause.head.iter().enumerate() {
                if i != argument {
                    term.each_variable(&mut count);
                }
            }
            for (i, goal) in goals.iter().enumerate() {
                if !computed.contains(&i) {
                    goal.each_variable(&mut count);
                }
            }
            uses
        };
        let next = (0..goals.len()).find(|i| match &goals[*i].kind {
            GoalKind::Is(Term::Variable(v), expression) => {
                !computed.contains(i) && others(*v) == 1 && always(expression)
            }
            _ => false,
        });
        match next {
            Some(i) => computed.push(i),
            None => return computed,
        }
    }
}

/// Whether an expression has a value for all numbers, but for an overflow, which is excluded where it
/// is no rule error.
fn always(expression: &Expression) -> bool {
    match expression {
        Expression::Integer(_) | Expression::Variable(_) => true,
        Expression::Fluent(..) => false,
        Expression::Operation(op, args) => {
            let total = matches!(
                op,
                ArithmeticOp::Add
                    | ArithmeticOp::Subtract
                    | ArithmeticOp::Multiply
                    | ArithmeticOp::Negate
                    | ArithmeticOp::Abs
                    | ArithmeticOp::Sign
                    | ArithmeticOp::Min
                    | ArithmeticOp::Max
            );
            total && args.iter().all(always)
        }
    }
}

/// Takes goals out of a clause's body.
pub(super) fn without(clause: &mut Clause, goals: &[usize]) {
    if goals.is_empty() {
        return;
    }
    let all = clause.body.conjuncts().iter().enumerate();
    let rest = all.filter(|(i, _)| !goals.contains(i)).map(|(_, goal)| goal.clone()).collect();
    clause.body = Goal::new(GoalKind::And(rest), clause.body.span);
}

/// The relations whose answers may be asked for in their order: those below a `once`, a condition or
/// an `each`, and below goals among which one may be a rule error, but for those of whole moves.
pub(super) fn in_order(program: &Program, types: &Types) -> FxHashSet<RelationId> {
    in_order_where(program, types, &|_| true)
}

/// The same, where an `each` of a clause counts only if `matters` says so.
pub(super) fn in_order_where(
    program: &Program,
    types: &Types,
    matters: &dyn Fn(&Clause) -> bool,
) -> FxHashSet<RelationId> {
    let mut open: Vec<RelationId> = Vec::new();
    let special = [program.special.moves, program.special.chance];
    for clause in &program.clauses {
        let occurrences = clause.occurrences();
        clause.body.walk(&mut |goal| {
            let chosen = match &goal.kind {
                GoalKind::Once(chosen) | GoalKind::If(chosen, ..) => chosen,
                GoalKind::Each(chosen, _) if matters(clause) => chosen,
                _ => return,
            };
            chosen_among(chosen, &occurrences, &mut open);
        });
        if types.may_raise_in(&clause.body, program) && !special.contains(&Some(clause.relation)) {
            open.push(clause.relation);
            called(&clause.body, &mut open);
        }
        if program.relation(clause.relation).supposes {
            open.push(clause.relation);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = open.pop() {
        // what asks for the legal moves does not ask in which order their clauses find them
        if !special.contains(&Some(id)) && found.insert(id) {
            open.extend(program.graph.calls(id).map(|(called, _)| called));
        }
    }
    found
}

/// The relations among whose answers a `once` or condition chooses: none of those that are counted or denied, and none of
/// which it asks for no value.
fn chosen_among(goal: &Goal, occurrences: &[usize], into: &mut Vec<RelationId>) {
    match &goal.kind {
        GoalKind::Not(_) | GoalKind::Forall(..) => {}
        GoalKind::Aggregate(kind, ..) if *kind != Aggregate::Findall => {}
        GoalKind::Call(id, args) => {
            let mut asked = false;
            for arg in args {
                arg.each_variable(&mut |v| asked |= occurrences[v.0 as usize] > 1);
            }
            if asked {
                into.push(*id);
            }
        }
        _ => {
            for child in goal.children() {
                chosen_among(child, occurrences, into);
            }
        }
    }
}

fn called(goal: &Goal, into: &mut Vec<RelationId>) {
    goal.walk(&mut |goal| {
        if let GoalKind::Call(id, _) = &goal.kind {
            into.push(*id);
        }
    });
}
