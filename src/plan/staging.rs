//! Clauses of a recursion for a known value of one argument, which counts the steps (partial evaluation; Jones, Gomard and
//! Sestoft, "Partial Evaluation and Automatic Program Generation", 1993): what follows from the value is calculated, and a
//! clause whose tests fail is left out.

use rustc_hash::FxHashMap;

use crate::program::{
    ArithmeticOp, BuiltIn, Clause, Constant, Expression, Goal, GoalKind, Program, RelationId, Term,
    Value, VariableId,
};

use crate::types::Types;

use super::specialise::{each_call, without};

/// The most values that a counter may have.
const MAX_STEPS: usize = 32;

type Known = FxHashMap<VariableId, i64>;

/// A clause that cannot be specialised.
pub(super) struct Open;

/// Whether a recursion comes to an end from this value of an argument, and gives its recursive calls known values.
pub(super) fn ends(
    program: &Program,
    types: &Types,
    id: RelationId,
    argument: usize,
    value: i64,
) -> bool {
    let clauses = &program.relation(id).clauses;
    let (mut values, mut next, mut down) = (vec![value], 0, None);
    while let Some(value) = values.get(next).copied() {
        next += 1;
        for clause in clauses {
            let clause = program.clause(*clause);
            let Ok(clause) = staged(program, types, clause, argument, value) else {
                return false;
            };
            let Some(clause) = clause else { continue };
            let mut counts = true;
            each_call(&clause.body, id, &mut |args| match args[argument] {
                Term::Constant(Value::Integer(n)) => {
                    counts &= n != value && *down.get_or_insert(n < value) == (n < value);
                    if !values.contains(&n) {
                        values.push(n);
                    }
                }
                _ => counts = false,
            });
            if !counts || values.len() > MAX_STEPS {
                return false;
            }
        }
    }
    true
}

/// A clause for this value of an argument of its head; `None` where it does not hold then.
///
/// # Errors
/// Where what follows from the value cannot be calculated.
pub(super) fn staged(
    program: &Program,
    types: &Types,
    clause: &Clause,
    argument: usize,
    value: i64,
) -> Result<Option<Clause>, Open> {
    let mut known = Known::default();
    match &clause.head[argument] {
        Term::Constant(Value::Integer(n)) if *n != value => return Ok(None),
        Term::Constant(Value::Integer(_)) => return Ok(Some(clause.clone())),
        Term::Variable(v) => known.insert(*v, value),
        _ => return Err(Open),
    };
    let goals = clause.body.conjuncts();
    let mut done: Vec<usize> = Vec::new();
    loop {
        let before = done.len();
        for (at, goal) in goals.iter().enumerate() {
            if done.contains(&at) {
                continue;
            }
            match said(program, goal, &mut known)? {
                Some(true) => done.push(at),
                Some(false) => return Ok(None),
                None => {}
            }
        }
        if done.len() == before {
            break;
        }
    }
    let mut made = clause.clone();
    without(&mut made, &done);
    for (_, term) in made.head.iter_mut().enumerate().filter(|(i, _)| *i != argument) {
        replace(term, &known)?;
    }
    replace_in(&mut made.body, &known)?;
    // no answer has a value that does not belong to the argument's domain
    let has_answers = |goal: &Goal| match &goal.kind {
        GoalKind::Call(id, args) if *id == clause.relation => match args[argument] {
            Term::Constant(Value::Integer(n)) => {
                let domain = types.column(*id, argument);
                domain.top || domain.integers.is_some_and(|(lo, hi)| lo <= n && n <= hi)
            }
            _ => true,
        },
        _ => true,
    };
    Ok(made.body.conjuncts().iter().all(has_answers).then_some(made))
}

/// What known values make of a goal; `None` where it depends on others.
fn said(program: &Program, goal: &Goal, known: &mut Known) -> Result<Option<bool>, Open> {
    let of = |term: &Term| match term {
        Term::Variable(v) => known.get(v).copied(),
        Term::Constant(value) => value.integer(),
        _ => None,
    };
    let all = |e: &Expression| {
        let mut all = true;
        e.each_variable(&mut |v| all &= known.contains_key(&v));
        all && plain(e)
    };
    Ok(match &goal.kind {
        GoalKind::Is(term, e) if all(e) => {
            let n = number(e, known).ok_or(Open)?;
            match (term, of(term)) {
                (_, Some(other)) => Some(other == n),
                (Term::Variable(v), None) => {
                    known.insert(*v, n);
                    Some(true)
                }
                _ => None,
            }
        }
        // what the result is known of is known as well
        GoalKind::Is(term, e) if let Some((v, n)) = solved(e, of(term), known) => {
            known.insert(v, n);
            Some(true)
        }
        GoalKind::Compare(op, a, b) if all(a) && all(b) => {
            Some(op.holds(number(a, known).ok_or(Open)?, number(b, known).ok_or(Open)?))
        }
        GoalKind::In(term, lo, hi) if all(lo) && all(hi) => match of(term) {
            Some(n) => {
                let (lo, hi) = (number(lo, known).ok_or(Open)?, number(hi, known).ok_or(Open)?);
                Some(lo <= n && n <= hi)
            }
            None => None,
        },
        GoalKind::BuiltIn(BuiltIn::Member, args) => match &args[..] {
            [x, Term::Constant(Value::Constant(list))] => {
                let Constant::List(items) = program.values.get(*list) else { return Err(Open) };
                of(x).map(|n| items.contains(&Value::Integer(n)))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The only open variable of a sum or difference with this result, and its value.
fn solved(e: &Expression, result: Option<i64>, known: &Known) -> Option<(VariableId, i64)> {
    let Expression::Operation(op, inner) = e else { return None };
    let [a, b] = &inner[..] else { return None };
    let open = |e: &Expression| match e {
        Expression::Variable(v) if !known.contains_key(v) => Some(*v),
        _ => None,
    };
    let (result, left, right) = (result?, number(a, known), number(b, known));
    match (op, open(a), open(b)) {
        (ArithmeticOp::Add, Some(v), None) => Some((v, result.checked_sub(right?)?)),
        (ArithmeticOp::Add, None, Some(v)) => Some((v, result.checked_sub(left?)?)),
        (ArithmeticOp::Subtract, Some(v), None) => Some((v, result.checked_add(right?)?)),
        (ArithmeticOp::Subtract, None, Some(v)) => Some((v, left?.checked_sub(result)?)),
        _ => None,
    }
}

fn plain(e: &Expression) -> bool {
    match e {
        Expression::Integer(_) | Expression::Variable(_) => true,
        Expression::Fluent(..) => false,
        Expression::Operation(_, inner) => inner.iter().all(plain),
    }
}

fn number(e: &Expression, known: &Known) -> Option<i64> {
    match e {
        Expression::Integer(n) => Some(*n),
        Expression::Variable(v) => known.get(v).copied(),
        Expression::Fluent(..) => None,
        Expression::Operation(op, inner) => {
            let inner: Option<Vec<i64>> = inner.iter().map(|e| number(e, known)).collect();
            op.apply(&inner?)
        }
    }
}

fn replace(term: &mut Term, known: &Known) -> Result<(), Open> {
    match term {
        Term::Variable(v) => {
            if let Some(n) = known.get(v) {
                *term = Term::Constant(Value::Integer(*n));
            }
            Ok(())
        }
        Term::Constant(_) => Ok(()),
        // without variables it would have to be a constant
        Term::Compound(..) | Term::List(..) => {
            let mut mentioned = false;
            term.each_variable(&mut |v| mentioned |= known.contains_key(&v));
            if mentioned { Err(Open) } else { Ok(()) }
        }
    }
}

fn replace_in(goal: &mut Goal, known: &Known) -> Result<(), Open> {
    if matches!(goal.kind, GoalKind::Aggregate(..) | GoalKind::After(..)) {
        let mut mentioned = false;
        goal.each_variable(&mut |v| mentioned |= known.contains_key(&v));
        return if mentioned { Err(Open) } else { Ok(()) };
    }
    goal.terms_mut().into_iter().try_for_each(|term| replace(term, known))?;
    goal.expressions_mut().into_iter().try_for_each(|e| replace_number(e, known))?;
    goal.children_mut().into_iter().try_for_each(|child| replace_in(child, known))
}

fn replace_number(e: &mut Expression, known: &Known) -> Result<(), Open> {
    match e {
        Expression::Integer(_) => Ok(()),
        Expression::Variable(v) => {
            if let Some(n) = known.get(v) {
                *e = Expression::Integer(*n);
            }
            Ok(())
        }
        Expression::Fluent(_, keys) => keys.iter_mut().try_for_each(|key| replace(key, known)),
        Expression::Operation(_, inner) => {
            inner.iter_mut().try_for_each(|e| replace_number(e, known))
        }
    }
}
