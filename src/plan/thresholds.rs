//! Calls of a recursion that ask for a count of at least so much.
//!
//! `run(A, D, M, N), N >= 5` asks whether a run of five or more begins at A. With `run(A, D, M, 1) :- at(A, M)` and
//! `run(A, D, M, N) :- at(A, M), step(D, A, B), run(B, D, M, K), N is K + 1` each run is the beginning of the longer ones, so
//! it is enough that there is one of five: `run(A, D, M, 5)`, which needs no numbers (`staging.rs`). `max(N, run(A, D, M, N), L),
//! L >= 5` asks the same.
//!
//! Goals that set a limit to a number from above leave few values of a count that begins with a constant.

use rustc_hash::FxHashMap;

use crate::program::{
    Aggregate, ArithmeticOp, Clause, Comparison, Expression, Goal, GoalKind, Program, RelationId,
    Term, Value, VariableId,
};

/// Variables of another clause are numbered from here on while two clauses are compared.
const OTHER: u32 = 1 << 20;
/// So are those for which any value will do.
const ANY: u32 = 1 << 21;

/// The greatest numbers that variables can be where all goals hold.
pub(super) type Limits = FxHashMap<VariableId, i64>;

/// The limits that the comparisons of a conjunction set, beside those of the goals around it.
pub(super) fn at_most(goals: &[Goal], around: &Limits) -> Limits {
    let mut limits = around.clone();
    // a limit of one variable may be that of another one
    for _ in 0..goals.len() {
        let before = limits.clone();
        for goal in goals {
            let Some((v, limit)) = limit(goal, &limits) else { continue };
            limits.entry(v).and_modify(|known| *known = limit.min(*known)).or_insert(limit);
        }
        if limits == before {
            break;
        }
    }
    limits
}

fn limit(goal: &Goal, limits: &Limits) -> Option<(VariableId, i64)> {
    let greatest = |e: &Expression| match e {
        Expression::Integer(n) => Some(*n),
        Expression::Variable(v) => limits.get(v).copied(),
        _ => None,
    };
    match &goal.kind {
        GoalKind::Compare(op, a, b) => {
            let (op, a, b) = match op {
                Comparison::Less | Comparison::LessOrEqual => (*op, a, b),
                _ => (op.mirrored(), b, a),
            };
            let Expression::Variable(v) = a else { return None };
            match op {
                Comparison::Less => Some((*v, greatest(b)?.checked_sub(1)?)),
                Comparison::LessOrEqual => Some((*v, greatest(b)?)),
                _ => None,
            }
        }
        GoalKind::In(Term::Variable(v), _, hi) => Some((*v, greatest(hi)?)),
        _ => None,
    }
}

/// The variable to which a comparison with a constant sets a limit, and the greatest number that it can be.
pub(super) fn constant_limit(goal: &Goal) -> Option<(VariableId, i64)> {
    matches!(goal.kind, GoalKind::Compare(..)).then(|| limit(goal, &Limits::default())).flatten()
}

/// Replaces the first goals of a conjunction that ask for a count of at least so much by a call for the count itself. `counted`
/// tells which arguments of which relations may count; `occurrences` how often each variable of the clause occurs. Returns
/// whether there were any.
pub(super) fn replace_one(
    program: &Program,
    goals: &mut Vec<Goal>,
    occurrences: &[usize],
    counted: &dyn Fn(RelationId, usize) -> bool,
) -> bool {
    let once = |v: VariableId| occurrences[v.0 as usize] == 1;
    for limit in 0..goals.len() {
        let Some((number, least)) = at_least(&goals[limit]) else { continue };
        if occurrences[number.0 as usize] != 2 {
            continue;
        }
        for asked in (0..goals.len()).filter(|at| *at != limit) {
            let (call, own) = match &goals[asked].kind {
                GoalKind::Call(..) => (&goals[asked], number),
                GoalKind::Aggregate(
                    Aggregate::Max,
                    Term::Variable(own),
                    inner,
                    Term::Variable(v),
                ) if *v == number && occurrences[own.0 as usize] == 2 => (&**inner, *own),
                _ => continue,
            };
            let GoalKind::Call(id, args) = &call.kind else { continue };
            let is_number = |term: &Term| *term == Term::Variable(own);
            let Some(at) = args.iter().position(is_number) else { continue };
            let open: Vec<bool> =
                args.iter().map(|t| matches!(t, Term::Variable(v) if once(*v))).collect();
            if !counted(*id, at)
                || lowest(program, *id, at, &open).is_none_or(|lowest| least < lowest)
            {
                continue;
            }
            let mut args = args.clone();
            args[at] = Term::Constant(Value::Integer(least));
            let call = Goal::new(GoalKind::Call(*id, args), call.span);
            let span = goals[asked].span;
            goals[asked] = match &goals[asked].kind {
                GoalKind::Aggregate(..) => {
                    let denied = Goal::new(GoalKind::Not(Box::new(call)), span);
                    Goal::new(GoalKind::Not(Box::new(denied)), span)
                }
                _ => call,
            };
            goals.remove(limit);
            return true;
        }
    }
    false
}

/// The variable that a goal asks to be a number of at least so much.
fn at_least(goal: &Goal) -> Option<(VariableId, i64)> {
    let GoalKind::Compare(op, a, b) = &goal.kind else { return None };
    let (op, v, n) = match (a, b) {
        (Expression::Variable(v), Expression::Integer(n)) => (*op, *v, *n),
        (Expression::Integer(n), Expression::Variable(v)) => (op.mirrored(), *v, *n),
        _ => return None,
    };
    match op {
        Comparison::GreaterOrEqual => Some((v, n)),
        Comparison::Greater => Some((v, n.checked_add(1)?)),
        _ => None,
    }
}

/// The least number of an argument of a recursion of which each answer with a number implies those with the numbers from there
/// up to it, for the same values of all arguments but the open ones.
fn lowest(program: &Program, id: RelationId, at: usize, open: &[bool]) -> Option<i64> {
    let clauses = program.relation(id).clauses.iter().map(|clause| program.clause(*clause));
    let (steps, bases): (Vec<&Clause>, Vec<&Clause>) = clauses.partition(|c| c.calls_of(id) > 0);
    let numbers = bases.iter().map(|clause| match clause.head[at] {
        Term::Constant(Value::Integer(n)) => Some(n),
        _ => None,
    });
    let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
    let lowest = *numbers.first()?;
    if numbers.iter().any(|n| *n != lowest) {
        return None;
    }
    let falls = |step: &&Clause| {
        Step::new(step, id, at)
            .is_some_and(|step| step.passes_all(open) || step.begins(&bases, open))
    };
    steps.iter().all(falls).then_some(lowest)
}

/// A recursive clause whose head has a number that is by one more than that of its recursive call.
struct Step<'c> {
    clause: &'c Clause,
    /// The argument that counts.
    at: usize,
    /// The arguments of the recursive call.
    args: &'c [Term],
    /// The other goals, but for those that speak of the numbers.
    goals: Vec<&'c Goal>,
}

impl<'c> Step<'c> {
    fn new(clause: &'c Clause, id: RelationId, at: usize) -> Option<Step<'c>> {
        let (mut args, mut goals, mut counts) = (None, Vec::new(), false);
        if clause.calls_of(id) != 1 {
            return None;
        }
        let all = clause.body.conjuncts();
        for goal in all {
            match &goal.kind {
                GoalKind::Call(called, given) if *called == id => args = Some(&given[..]),
                _ => goals.push(goal),
            }
        }
        let args = args?;
        let (Term::Variable(more), Term::Variable(less)) = (&clause.head[at], &args[at]) else {
            return None;
        };
        let numbers = [*more, *less];
        let speaks = |goal: &Goal| {
            let mut speaks = false;
            goal.each_variable(&mut |v| speaks |= numbers.contains(&v));
            speaks
        };
        for goal in goals.iter().filter(|goal| speaks(goal)) {
            match &goal.kind {
                GoalKind::Is(Term::Variable(v), e) if *v == *more && is_sum(e, *less, 1) => {
                    counts = true;
                }
                GoalKind::Is(Term::Variable(v), e) if *v == *less && is_sum(e, *more, -1) => {
                    counts = true;
                }
                // what holds of a number holds of smaller ones
                GoalKind::Compare(
                    Comparison::Less | Comparison::LessOrEqual,
                    Expression::Variable(_),
                    Expression::Integer(_),
                ) => {}
                _ => return None,
            }
        }
        goals.retain(|goal| !speaks(goal));
        let others = || {
            let head = clause.head.iter().enumerate().filter(|(i, _)| *i != at);
            head.chain(args.iter().enumerate().filter(|(i, _)| *i != at)).map(|(_, term)| term)
        };
        let simple = others().all(|term| match term {
            Term::Variable(v) => !numbers.contains(v),
            Term::Constant(_) => true,
            _ => false,
        });
        (counts && simple && more != less).then_some(Step { clause, at, args, goals })
    }

    /// Whether the recursive call has the arguments of the head, but for the number and what is open: it is the answer
    /// with one less.
    fn passes_all(&self, open: &[bool]) -> bool {
        (0..self.args.len()).all(|i| i == self.at || open[i] || self.args[i] == self.clause.head[i])
    }

    /// Whether the clauses that do not recur have an answer wherever this one has one.
    fn begins(&self, bases: &[&Clause], open: &[bool]) -> bool {
        let occurrences = self.clause.occurrences();
        // what is open is that of the recursive call, which no goal looks at
        let handed_on = (0..self.args.len()).filter(|i| *i != self.at && open[*i]).all(|i| {
            self.args[i] == self.clause.head[i]
                && matches!(self.args[i], Term::Variable(v) if occurrences[v.0 as usize] == 2)
        });
        handed_on
            && bases.iter().all(|before| {
                let known = self.known(before);
                bases.iter().any(|base| self.follows(base, open, &known))
            })
    }

    /// The goals that hold where the answer of the recursive call comes from this clause.
    fn known(&self, before: &Clause) -> Vec<GoalKind> {
        let mut known: Vec<GoalKind> = self.goals.iter().map(|goal| goal.kind.clone()).collect();
        let given = |v: VariableId| {
            let at = before.head.iter().position(|term| *term == Term::Variable(v));
            at.map_or(Term::Variable(VariableId(OTHER + v.0)), |at| self.args[at].clone())
        };
        known.extend(before.body.conjuncts().iter().filter_map(|goal| renamed(goal, &given)));
        known
    }

    /// Whether a clause that does not recur has an answer with the arguments of the head, by what is known.
    fn follows(&self, base: &Clause, open: &[bool], known: &[GoalKind]) -> bool {
        let mut terms: Vec<(VariableId, Term)> = Vec::new();
        for (i, term) in base.head.iter().enumerate().filter(|(i, _)| *i != self.at) {
            let here = match open[i] {
                true => Term::Variable(VariableId(ANY + OTHER + i as u32)),
                false => self.clause.head[i].clone(),
            };
            match term {
                Term::Variable(v) => match terms.iter().find(|(other, _)| other == v) {
                    Some((_, other)) if *other != here => return false,
                    Some(_) => {}
                    None => terms.push((*v, here)),
                },
                Term::Constant(_) if *term == here || open[i] => {}
                _ => return false,
            }
        }
        let given = |v: VariableId| {
            let found = terms.iter().find(|(other, _)| *other == v);
            found.map_or(Term::Variable(VariableId(ANY + v.0)), |(_, term)| term.clone())
        };
        let goals: Option<Vec<GoalKind>> =
            base.body.conjuncts().iter().map(|goal| renamed(goal, &given)).collect();
        goals.is_some_and(|goals| implied(&goals, known, &mut Vec::new()))
    }
}

/// Whether an expression is the variable and this number.
fn is_sum(e: &Expression, v: VariableId, n: i64) -> bool {
    let Expression::Operation(op, args) = e else { return false };
    match (op, &args[..]) {
        (ArithmeticOp::Add, [Expression::Variable(a), Expression::Integer(b)])
        | (ArithmeticOp::Add, [Expression::Integer(b), Expression::Variable(a)]) => {
            *a == v && *b == n
        }
        (ArithmeticOp::Subtract, [Expression::Variable(a), Expression::Integer(b)]) => {
            *a == v && b.checked_neg() == Some(n)
        }
        _ => false,
    }
}

/// A call with other terms for its variables; `None` for other goals.
fn renamed(goal: &Goal, given: &dyn Fn(VariableId) -> Term) -> Option<GoalKind> {
    let GoalKind::Call(id, args) = &goal.kind else { return None };
    let term = |term: &Term| match term {
        Term::Variable(v) => Some(given(*v)),
        Term::Constant(_) => Some(term.clone()),
        _ => None,
    };
    Some(GoalKind::Call(*id, args.iter().map(term).collect::<Option<_>>()?))
}

/// Whether there are values of the variables from [`ANY`] on for which all goals are among what is known.
fn implied(goals: &[GoalKind], known: &[GoalKind], taken: &mut Vec<(VariableId, Term)>) -> bool {
    let Some((GoalKind::Call(id, args), rest)) = goals.split_first() else {
        return goals.is_empty();
    };
    for other in known {
        let GoalKind::Call(called, given) = other else { continue };
        let before = taken.len();
        let fits = called == id
            && args.iter().zip(given).all(|(arg, given)| match arg {
                Term::Variable(v) if v.0 >= ANY => {
                    match taken.iter().find(|(other, _)| other == v) {
                        Some((_, term)) => term == given,
                        None => {
                            taken.push((*v, given.clone()));
                            true
                        }
                    }
                }
                _ => arg == given,
            });
        if fits && implied(rest, known, taken) {
            return true;
        }
        taken.truncate(before);
    }
    false
}
