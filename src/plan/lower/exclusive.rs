//! Move clauses of which at most one can give a certain move.
//!
//! Two clauses exclude each other when they ask for values of the same place that do not fit, as
//! in `at(P, king)` and `at(P, rook)`, or when one asks for what the other denies. Places are
//! compared by their position in the move: `P` is the same in both when it is the same argument.

use rustc_hash::FxHashMap;

use crate::program::{Clause, ClauseId, FluentId, Goal, GoalKind, Kind, Program, Term, VariableId};

/// A term with the clause's variables replaced by what they are in the move.
#[derive(Debug, Clone, PartialEq)]
enum Canonical {
    /// Argument number of the move.
    Argument(usize),
    Mover,
    Constant(crate::program::Value),
    Compound(String, Vec<Canonical>),
    Unknown,
}

/// Does at most one of the two give a certain move?
pub(super) fn clauses(program: &Program, a: ClauseId, b: ClauseId) -> bool {
    let (a, b) = (tests(program, program.clause(a)), tests(program, program.clause(b)));
    a.iter().any(|x| b.iter().any(|y| excludes(x, y)))
}

struct Test {
    positive: bool,
    relation: crate::program::RelationId,
    fluent: Option<FluentId>,
    args: Vec<Canonical>,
}

fn excludes(a: &Test, b: &Test) -> bool {
    if a.relation != b.relation {
        return false;
    }
    if a.positive != b.positive {
        return a.args == b.args && !a.args.iter().any(has_unknown);
    }
    let Some((value, keys)) = a.args.split_last().filter(|_| a.fluent.is_some() && a.positive)
    else {
        return false;
    };
    let Some((other, other_keys)) = b.args.split_last() else { return false };
    keys == other_keys && !keys.iter().any(has_unknown) && apart(value, other)
}

fn has_unknown(term: &Canonical) -> bool {
    match term {
        Canonical::Unknown => true,
        Canonical::Compound(_, args) => args.iter().any(has_unknown),
        _ => false,
    }
}

/// Can the two never be the same value?
fn apart(a: &Canonical, b: &Canonical) -> bool {
    match (a, b) {
        (Canonical::Constant(a), Canonical::Constant(b)) => a != b,
        (Canonical::Compound(n, x), Canonical::Compound(m, y)) => {
            n != m || x.len() != y.len() || x.iter().zip(y).any(|(a, b)| apart(a, b))
        }
        (Canonical::Constant(_), Canonical::Compound(..))
        | (Canonical::Compound(..), Canonical::Constant(_)) => true,
        _ => false,
    }
}

/// The tests at the top of a clause's body that stand before its first update.
fn tests(program: &Program, clause: &Clause) -> Vec<Test> {
    let mut names: FxHashMap<VariableId, Canonical> = FxHashMap::default();
    if let Term::Compound(_, args) = &clause.head[0] {
        for (i, arg) in args.iter().enumerate() {
            if let Term::Variable(v) = arg {
                names.insert(*v, Canonical::Argument(i));
            }
        }
    }
    let mut found = Vec::new();
    for goal in clause.body.conjuncts() {
        let (positive, call) = match &goal.kind {
            GoalKind::Not(inner) => (false, &inner.kind),
            kind => (true, kind),
        };
        let GoalKind::Call(relation, args) = call else {
            if updates(program, goal) {
                break;
            }
            continue;
        };
        let kind = program.relation(*relation).kind;
        if kind == Kind::Action {
            break;
        }
        if let (Kind::Fluent(FluentId::TURN), [Term::Variable(v)]) = (kind, args.as_slice()) {
            names.insert(*v, Canonical::Mover);
        }
        let fluent = match kind {
            Kind::Fluent(f) => Some(f),
            _ => None,
        };
        let set = fluent
            .is_some_and(|f| matches!(program.fluent(f).shape, crate::program::FluentShape::Set));
        found.push(Test {
            positive,
            relation: *relation,
            fluent: fluent.filter(|_| !set),
            args: args.iter().map(|t| canonical(t, &names)).collect(),
        });
    }
    found
}

fn updates(program: &Program, goal: &Goal) -> bool {
    let mut found = false;
    goal.walk(&mut |g| {
        found |= g.is_update()
            || matches!(&g.kind, GoalKind::Call(r, _) if program.relation(*r).kind == Kind::Action);
    });
    found
}

fn canonical(term: &Term, names: &FxHashMap<VariableId, Canonical>) -> Canonical {
    match term {
        Term::Variable(v) => names.get(v).cloned().unwrap_or(Canonical::Unknown),
        Term::Constant(value) => Canonical::Constant(*value),
        Term::Compound(name, args) => {
            Canonical::Compound(name.clone(), args.iter().map(|a| canonical(a, names)).collect())
        }
        Term::List(..) => Canonical::Unknown,
    }
}
