//! Recursions whose steps lead from one site to the next, and the goals that calls of them make about their end.

use crate::program::{
    Clause, ClauseId, Expression, FluentShape, Goal, GoalKind, Kind, Program, RelationId, Term,
    VariableId,
};
use crate::source::Span;
use crate::types::{Domain, Types};

use super::recursions::in_any_order;

/// A value that goals about an end may have, for each of which there is a flood of its own.
const MAX_VALUES: usize = 8;

/// A recursion that goes on from site to site.
pub(super) struct Line {
    pub relation: RelationId,
    pub base: ClauseId,
    pub steps: Vec<ClauseId>,
    /// The argument that a step changes.
    pub moving: usize,
    /// The arguments that it passes on without a look at them.
    pub passed: Vec<usize>,
}

/// The call of such a recursion in a conjunction of a clause, and the goals about one end of it.
pub(super) struct Ask<'a> {
    pub line: &'a Line,
    /// The conjunction as a clause, with variables for the arguments of the call, and their domains. Its head has the variables that
    /// occur elsewhere.
    pub clause: Clause,
    pub domains: Vec<Domain>,
    /// The place of the call.
    pub at: usize,
    /// The argument that a step passes on.
    pub passed: usize,
    /// The goals are about the argument that a step changes, and not about the other one.
    pub of_moving: bool,
    /// The places of the goals about the end.
    pub about: Vec<usize>,
    /// Goals that give numbers to arguments that these only calculate with.
    pub ranges: Vec<Goal>,
    /// Variables of these goals that occur elsewhere, of few values each.
    pub others: Vec<VariableId>,
}

/// The recursion with one clause that begins and steps that change one argument only.
pub(super) fn line(program: &Program, types: &Types, id: RelationId) -> Option<Line> {
    let relation = program.relation(id);
    let open = !relation.needs_bound.contains(&true);
    if !open || !relation.recursive || !in_any_order(program, types, id) {
        return None;
    }
    let (steps, begins): (Vec<ClauseId>, Vec<ClauseId>) =
        relation.clauses.iter().partition(|clause| program.clause(**clause).calls_of(id) > 0);
    let [base] = begins[..] else { return None };
    let mut moving: Option<usize> = None;
    let mut passed: Vec<usize> = (0..relation.arity).collect();
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
    }
    let moving = moving?;
    (!passed.is_empty()).then_some(Line { relation: id, base, steps, moving, passed })
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

/// The goals about one end of a recursion that is called at this place, where they say nothing of the other end: of the argument
/// that a step changes, which they give all arguments but the other end values with, or of the one that it passes on.
pub(super) fn asked<'a>(
    program: &Program,
    (clause, domains): (&Clause, &[Domain]),
    line: &'a Line,
    at: usize,
    (passed, of_moving): (usize, bool),
) -> Option<Ask<'a>> {
    let goals = clause.body.conjuncts();
    let GoalKind::Call(_, args) = &goals[at].kind else { return None };
    let (end, source) = match of_moving {
        true => (&args[line.moving], &args[passed]),
        false => (&args[passed], &args[line.moving]),
    };
    let (Term::Variable(end), Term::Variable(source), true) = (end, source, distinct(args)) else {
        return None;
    };
    let mut given = Vec::new();
    args.iter().for_each(|term| term.each_variable(&mut |v| given.push(v)));
    let mut of_head = Vec::new();
    clause.head.iter().for_each(|term| term.each_variable(&mut |v| of_head.push(v)));
    if of_head.contains(end) {
        return None;
    }
    let about = connected(goals, at, *end, &[given.as_slice(), of_head.as_slice()].concat());
    let last = *about.last()?;
    // what a map holds is one site, from which the recursion itself floods
    if !of_moving && about.iter().any(|i| holds(program, &goals[*i], *end)) {
        return None;
    }
    if !goals[..=last.max(at)].iter().all(|goal| is_simple(program, goal)) {
        return None;
    }
    let gives = |v: VariableId| about.iter().any(|i| gives(&goals[*i], v));
    let mut others: Vec<VariableId> = Vec::new();
    let mut apart = true;
    for i in &about {
        goals[*i].each_variable(&mut |v| {
            apart &= v != *source;
            if of_head.contains(&v) && !given.contains(&v) && !others.contains(&v) {
                others.push(v);
            }
        });
    }
    let few = |v: &VariableId| gives(*v) && has_few_values(&domains[v.0 as usize]);
    if !apart || !others.iter().all(few) {
        return None;
    }
    let mut ranges = Vec::new();
    for column in (0..args.len()).filter(|c| of_moving && *c != passed) {
        let Term::Variable(v) = &args[column] else { return None };
        if !gives(*v) {
            ranges.push(range(&domains[v.0 as usize], *v, goals[at].span)?);
        }
    }
    let (clause, domains) = (clause.clone(), domains.to_vec());
    Some(Ask { line, clause, domains, at, passed, of_moving, about, ranges, others })
}

/// The places of the goals, other than the one at `at`, that are linked to this variable by others which are not `outside`.
fn connected(goals: &[Goal], at: usize, end: VariableId, outside: &[VariableId]) -> Vec<usize> {
    let mut linking = vec![end];
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
    about
}

fn has_few_values(domain: &Domain) -> bool {
    let numbers = domain.integers.map_or(0, |(lo, hi)| hi.abs_diff(lo) as usize + 1);
    !domain.top
        && !domain.lists
        && !domain.moves
        && domain.constants.len().saturating_add(numbers) <= MAX_VALUES
}

/// Whether a goal asks for this variable as the value of a map.
fn holds(program: &Program, goal: &Goal, v: VariableId) -> bool {
    let GoalKind::Call(id, args) = &goal.kind else { return false };
    let Kind::Fluent(fluent) = program.relation(*id).kind else { return false };
    matches!(program.fluent(fluent).shape, FluentShape::Map { .. })
        && args.last() == Some(&Term::Variable(v))
}

/// Whether all calls of a relation are likely to have a value for this argument: it is a constant, or a variable of another goal,
/// or their callers have one.
pub(super) fn is_given(program: &Program, id: RelationId, column: usize, depth: usize) -> bool {
    let mut called = false;
    for clause in program.relations.iter().flat_map(|relation| &relation.clauses) {
        let clause = program.clause(*clause);
        if clause.relation == id || clause.calls_of(id) == 0 {
            continue;
        }
        let mut asked: Vec<Term> = Vec::new();
        let mut met: Vec<VariableId> = Vec::new();
        clause.body.walk(&mut |goal| {
            match &goal.kind {
                GoalKind::Call(called, args) if *called == id => asked.push(args[column].clone()),
                // its result is known behind it, its template in it only
                GoalKind::Aggregate(..) => {}
                _ => {
                    goal.terms().iter().for_each(|t| t.each_variable(&mut |v| met.push(v)));
                    goal.expressions().iter().for_each(|e| e.each_variable(&mut |v| met.push(v)));
                }
            }
        });
        called = true;
        let of_head = |v: &VariableId| {
            let column = clause.head.iter().position(|term| *term == Term::Variable(*v));
            column.is_some_and(|c| depth > 0 && is_given(program, clause.relation, c, depth - 1))
        };
        let given = |term: &Term| match term {
            Term::Variable(v) => met.contains(v) || of_head(v),
            _ => true,
        };
        if !asked.iter().all(given) {
            return false;
        }
    }
    called || program.ends.iter().any(|(_, end)| program.clause(*end).relation == id)
}

/// The goal that gives a variable the numbers of its domain.
pub(super) fn range(domain: &Domain, v: VariableId, span: Span) -> Option<Goal> {
    let (lo, hi) = domain.integers.filter(|_| domain.is_number())?;
    let (lo, hi) = (Expression::Integer(lo), Expression::Integer(hi));
    Some(Goal::new(GoalKind::In(Term::Variable(v), lo, hi), span))
}

pub(super) fn mentions(goal: &Goal, v: VariableId) -> bool {
    let mut found = false;
    goal.each_variable(&mut |other| found |= other == v);
    found
}

/// Whether a goal has a value for this variable.
pub(super) fn gives(goal: &Goal, v: VariableId) -> bool {
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
