//! Recursions, rewritten before types are inferred for the plan.
//!
//! `far(D, N, A, C) :- N > 0, M is N - 1, far(D, M, A, B), step(D, B, C)` has answers for a given number only, so it is no static
//! relation. Where the types bound the number, the answers for all of its values are: they are evaluated here, and goals look
//! them up like those of any other static relation.
//!
//! `slide(X, Y, DX, DY, U, V)` that goes on with the same `DX` and `DY` has answers for those of its first clause, `dir(DX, DY)`,
//! alone. So its other clauses may say that too, which is one flood for each direction in place of one for each pair of
//! numbers.
//!
//! What steps keep is asked of the first site: see `kept.rs`. Calls with constants for all that a recursion needs are looked
//! up: see `known_calls.rs` and `given_calls.rs`.

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Budget, BuiltIn, Clause, ClauseId, Constant, Expression, Goal, GoalKind, Kind, Program,
    RelationId, Term, Value, Values,
};
use crate::types::{self, Domain, Types};

use super::{given_calls, kept, known_calls};

/// The most values that the arguments may have together.
const MAX_GIVEN: i64 = 4_096;
/// The most steps of an evaluation, and the most rows.
pub(super) const MAX_STEPS: u64 = 4_000_000;
pub(super) const MAX_ROWS: usize = 100_000;

/// The program for the plan.
#[derive(Debug)]
pub(crate) struct Recursions {
    /// The program in which these relations are static, or their clauses others.
    pub program: Program,
    /// The tables, those of these relations included.
    pub tables: Tables,
    /// The types of the program.
    pub types: Types,
}

/// The program with such recursions rewritten; `None` where it has none.
pub(crate) fn rewrite(
    program: &Program,
    tables: &Tables,
    types: &Types,
    budget: Budget,
) -> Option<Recursions> {
    let recursive: Vec<RelationId> = (program.graph.components.iter())
        .filter(|component| component.len() == 1)
        .map(|component| component[0])
        .filter(|id| program.relation(*id).recursive && in_any_order(program, types, *id))
        .collect();
    let mut made = None;
    if let Some(decided) = known_calls::Decided::of(program, types) {
        made = known_calls::evaluated(program, tables, &decided, budget);
        let seen = made.as_ref().map_or((program, tables), |(p, t)| (p, t));
        made = given_calls::evaluated(program, seen, (types, &decided), budget).or(made);
    }
    for id in recursive {
        let (seen, known) = made.as_ref().map_or((program, tables), |(p, t)| (p, t));
        if let Some(bounds) = bounds(seen, types, id) {
            made = evaluated(seen, known, id, &bounds, budget).or(made);
            continue;
        }
        let (goals, kept) = (begun_with(seen, id), kept::clauses(seen, id));
        if !goals.is_empty() || !kept.is_empty() {
            let (changed, _) = made.get_or_insert_with(|| (program.clone(), tables.clone()));
            for (id, clause) in kept {
                changed.clauses[id.0 as usize] = clause;
            }
            goals.into_iter().for_each(|(clause, goals)| begin(changed, clause, goals));
        }
    }
    let (mut program, tables) = made?;
    let values = std::mem::take(&mut program.values);
    let (types, values) = types::infer(&program, values, &tables, &|| budget.is_over());
    program.values = values;
    let fits = !types.faults.iter().any(Diagnostic::is_error);
    fits.then_some(Recursions { program, tables, types })
}

/// Whether the goals of a derived relation may be run in any order: none is a rule error or takes a first answer.
pub(super) fn in_any_order(program: &Program, types: &Types, id: RelationId) -> bool {
    let relation = program.relation(id);
    relation.kind == Kind::Derived && !relation.chooses && !types.raises[id.0 as usize]
}

/// Whether static relations, and others that are known, alone decide about the answers of a relation.
pub(super) fn is_fixed(
    program: &Program,
    id: RelationId,
    known: impl Fn(RelationId) -> bool,
) -> bool {
    let is_known = |called| known(called) || program.relation(called).kind == Kind::Static;
    let mut fixed = program.graph.calls(id).all(|(called, _)| is_known(called));
    for clause in &program.relation(id).clauses {
        program.clause(*clause).body.walk(&mut |goal| {
            fixed &= !goal.looks_around() && !matches!(goal.kind, GoalKind::After(..));
        });
    }
    fixed
}

/// What bounds the values of the arguments that a recursion needs, where nothing else than static relations decides about its
/// answers.
fn bounds(program: &Program, types: &Types, id: RelationId) -> Option<Vec<Option<Bound>>> {
    let relation = program.relation(id);
    let columns = &types.columns[id.0 as usize];
    let finite = |domain: &Domain| !domain.top && !domain.lists && !domain.moves;
    if !relation.needs_bound.contains(&true)
        || !columns.iter().all(finite)
        || !is_fixed(program, id, |called| called == id)
    {
        return None;
    }
    let needed = relation.needs_bound.iter().zip(columns);
    let bounds: Vec<Option<Bound>> =
        needed.map(|(needed, domain)| needed.then(|| Bound::of(domain))).collect();
    let all = bounds.iter().flatten().try_fold(1i64, |n, bound| n.checked_mul(bound.values()?))?;
    (1..=MAX_GIVEN).contains(&all).then_some(bounds)
}

/// The values that an argument can be given.
struct Bound {
    integers: Option<(i64, i64)>,
    constants: Vec<Value>,
}

impl Bound {
    fn of(domain: &Domain) -> Bound {
        let constants = domain.constants.iter().map(Value::Constant).collect();
        Bound { integers: domain.integers, constants }
    }

    /// How many there are; `None` for more than there are numbers.
    fn values(&self) -> Option<i64> {
        let numbers = self.integers.map_or(Some(0), |(lo, hi)| hi.checked_sub(lo)?.checked_add(1));
        numbers?.checked_add(self.constants.len() as i64)
    }

    /// The goal that gives the values to a term.
    fn goal(&self, term: &Term, at: &Clause, values: &mut Values) -> Goal {
        let kind = match self.integers {
            Some((lo, hi)) if self.constants.is_empty() => {
                GoalKind::In(term.clone(), Expression::Integer(lo), Expression::Integer(hi))
            }
            numbers => {
                let numbers = numbers.into_iter().flat_map(|(lo, hi)| lo..=hi).map(Value::Integer);
                let all = self.constants.iter().copied().chain(numbers).collect();
                let list = values.intern(Constant::List(all));
                GoalKind::BuiltIn(BuiltIn::Member, vec![term.clone(), Term::Constant(list)])
            }
        };
        Goal::new(kind, at.head_span)
    }
}

/// The program in which a recursion is static, and its rows; `None` where the evaluation fails or takes too long.
fn evaluated(
    program: &Program,
    tables: &Tables,
    id: RelationId,
    bounds: &[Option<Bound>],
    budget: Budget,
) -> Option<(Program, Tables)> {
    let mut made = program.clone();
    let mut values = std::mem::take(&mut made.values);
    for clause in made.relation(id).clauses.clone() {
        let written = made.clause(clause);
        let mut goals = Vec::new();
        for (term, bound) in written.head.iter().zip(bounds) {
            match (term, bound) {
                (Term::Compound(..) | Term::List(..), Some(_)) => return None,
                (Term::Variable(_), Some(bound)) => {
                    goals.push(bound.goal(term, written, &mut values));
                }
                _ => {}
            }
        }
        begin(&mut made, clause, goals);
    }
    let relation = &mut made.relations[id.0 as usize];
    relation.kind = Kind::Static;
    relation.needs_bound.fill(false);
    let budget = Budget { steps: MAX_STEPS, answers: MAX_ROWS, ..budget };
    let tables = tables.with_whole(&made, &mut values, id, budget).ok()?;
    made.values = values;
    Some((made, tables))
}

fn begin(program: &mut Program, clause: ClauseId, mut goals: Vec<Goal>) {
    let body = &mut program.clauses[clause.0 as usize].body;
    goals.extend(body.conjuncts().iter().cloned());
    *body = Goal::new(GoalKind::And(goals), body.span);
}

/// A static relation of arguments that a recursion passes on as they are, and these arguments: places in its head, or constants.
type Begins = (RelationId, Vec<Result<usize, Value>>);

/// What the clauses of a recursion that do not go on say of several arguments that the others pass on, for the clauses that do
/// not say it.
fn begun_with(program: &Program, id: RelationId) -> Vec<(ClauseId, Vec<Goal>)> {
    let clauses = &program.relation(id).clauses;
    let (going, begins): (Vec<ClauseId>, Vec<ClauseId>) =
        clauses.iter().partition(|clause| goes_on(program.clause(**clause), id));
    let Some(first) = begins.first() else { return Vec::new() };
    let passed =
        |places: &[usize]| going.iter().all(|clause| passes(program.clause(*clause), id, places));
    let single: Vec<usize> = (0..program.relation(id).arity).filter(|at| passed(&[*at])).collect();
    let goals_of = |clause: &Clause| -> Vec<Begins> {
        let goals = clause.body.conjuncts().iter();
        let goals = goals.filter_map(|goal| begins_with(program, clause, goal, &single));
        goals.filter(|(_, places)| passed(&columns(places))).collect()
    };
    let mut common = goals_of(program.clause(*first));
    for clause in &begins[1..] {
        let others = goals_of(program.clause(*clause));
        common.retain(|goal| others.contains(goal));
    }
    let mut found = Vec::new();
    for clause in &going {
        let written = program.clause(*clause);
        let said = goals_of(written);
        let missing = common.iter().filter(|goal| !said.contains(goal));
        let goals: Vec<Goal> = missing
            .map(|(relation, args)| {
                let term = |arg: &Result<usize, Value>| match arg {
                    Ok(at) => written.head[*at].clone(),
                    Err(value) => Term::Constant(*value),
                };
                let args = args.iter().map(term).collect();
                Goal::new(GoalKind::Call(*relation, args), written.head_span)
            })
            .collect();
        if !goals.is_empty() {
            found.push((*clause, goals));
        }
    }
    found
}

/// Whether a clause goes on from one answer with the same values of all these arguments.
fn passes(clause: &Clause, id: RelationId, places: &[usize]) -> bool {
    clause.body.conjuncts().iter().any(|goal| match &goal.kind {
        GoalKind::Call(called, args) => {
            *called == id && places.iter().all(|at| args[*at] == clause.head[*at])
        }
        _ => false,
    })
}

/// The arguments of the head among these, each once.
fn columns(places: &[Result<usize, Value>]) -> Vec<usize> {
    let mut columns: Vec<usize> = places.iter().filter_map(|place| place.ok()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn begins_with(
    program: &Program,
    clause: &Clause,
    goal: &Goal,
    passed: &[usize],
) -> Option<Begins> {
    let GoalKind::Call(relation, args) = &goal.kind else { return None };
    if program.relation(*relation).kind != Kind::Static {
        return None;
    }
    let place = |term: &Term| match term {
        Term::Constant(value) => Some(Err(*value)),
        Term::Variable(_) => passed.iter().copied().find(|at| clause.head[*at] == *term).map(Ok),
        _ => None,
    };
    let places: Vec<Result<usize, Value>> = args.iter().map(place).collect::<Option<_>>()?;
    // a single argument has its values from the types
    (columns(&places).len() > 1).then_some((*relation, places))
}

/// Whether a clause asks for its own relation.
pub(super) fn goes_on(clause: &Clause, id: RelationId) -> bool {
    clause.calls_of(id) > 0
}
