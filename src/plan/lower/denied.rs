//! Denied relations of several clauses about the parts of one key.
//!
//! In `\+ at(X, Y, _), \+ clash(X, Y, D)`, where `X` and `Y` are a site, no clause of `clash` may hold. Each of them is denied on
//! its own, as if the writer had put its goals in place of the call: what it says of columns and rows then becomes
//! a set of sites (`patterns.rs`), which a call with two arguments for a site is not. So is `\+ blocked(C)` where each clause of
//! `blocked` says what stands on the site.

use super::emit::occurrences_in;
use super::goals::{Arg, G, Scope, Var, Vars};
use super::procedures::Flooding;
use super::{Code, Lowering, occurrences};
use crate::program::{Clause, Goal, GoalKind, Kind, Term, VariableId};

/// The most clauses that are denied in place of a call.
const MAX_CLAUSES: usize = 4;
/// The most goals about what a place holds.
const MAX_GOALS: usize = 3;
/// The most values that are denied one by one.
const MAX_VALUES: usize = 4;

impl Lowering<'_> {
    /// The bodies that are denied in place of a goal, each on its own.
    pub(super) fn denied_apart(
        &mut self,
        scope: &mut Scope,
        goal: &Goal,
        vars: &mut Vars,
    ) -> Option<Vec<Vec<G>>> {
        let GoalKind::Call(id, terms) = &goal.kind else { return None };
        let program = self.program;
        if !self.is_simple(*id) {
            return None;
        }
        let alive = self.alive_clauses(*id);
        let around = program.clause(scope.clause);
        if !(2..=MAX_CLAUSES).contains(&alive.len()) {
            return None;
        }
        let parts = self.has_parts(around, terms);
        let of_body = |term: &Term| match term {
            Term::Constant(_) => Some(false),
            Term::Variable(v) => denied_only(around, goal, *v),
            Term::Compound(..) | Term::List(..) => None,
        };
        let own: Vec<bool> = terms.iter().map(of_body).collect::<Option<_>>()?;
        let mut bodies = Vec::new();
        for clause in alive {
            let mut args = Vec::new();
            for (term, own) in terms.iter().zip(&own) {
                args.push(match term {
                    Term::Variable(v) if *own => {
                        let domain = self.domains.variable(scope.clause, *v).clone();
                        Arg::Var(vars.fresh(domain))
                    }
                    Term::Variable(v) => self.var(scope, *v, vars),
                    Term::Constant(value) => Arg::Const(self.universes.code(*value)),
                    Term::Compound(..) | Term::List(..) => return None,
                });
            }
            let body = self.inline_clause((scope.depth, scope.within), clause, &args, vars)?;
            if !parts && !self.is_of_one_place(&body, &args) {
                return None;
            }
            bodies.push(body);
        }
        Some(bodies)
    }

    /// Replaces what the round of a flood denies of the value at a site, `\+ (at(C, X), queen(X, _))`, by the
    /// denial of each of the few values that there are: these are sets, so a round moves all sites at once.
    /// `outside` are the variables that the clause's head uses.
    pub(super) fn deny_values(
        &mut self,
        flooding: Flooding,
        goals: &mut Vec<G>,
        outside: &[Var],
        vars: &Vars,
    ) {
        if flooding == Flooding::No {
            return;
        }
        let mut totals = occurrences(goals, vars);
        outside.iter().for_each(|v| totals[*v] += 1);
        let mut all = Vec::new();
        for goal in goals.drain(..) {
            match self.denied_values(&goal, &totals) {
                Some(denied) => {
                    denied.iter().for_each(|each| self.put_in_place(each, &goal));
                    all.extend(denied);
                }
                None => all.push(goal),
            }
        }
        *goals = all;
    }

    fn denied_values(&self, goal: &G, totals: &[usize]) -> Option<Vec<G>> {
        let G::Not(inner) = goal else { return None };
        let [G::Read(fluent, keys, Some(Arg::Var(value))), test] = inner.as_slice() else {
            return None;
        };
        let (_, args) = test.table()?;
        let local = |v: Var| totals[v] <= occurrences_in(goal, v);
        let alone = args.iter().all(|arg| match arg {
            Arg::Var(v) => v == value || local(*v) && occurrences_in(goal, *v) == 1,
            Arg::Const(_) => true,
        });
        let [key] = keys.as_slice() else { return None };
        // of any site, it is one test and no set
        let any_key = matches!(key, Arg::Var(v) if local(*v));
        if !alone || !local(*value) || any_key {
            return None;
        }
        self.layout.place(*fluent).planes?;
        let values = self.table_values(test, *value)?;
        let denied =
            |code: &Code| G::Not(vec![G::Read(*fluent, keys.clone(), Some(Arg::Const(*code)))]);
        (values.len() <= MAX_VALUES).then(|| values.iter().map(denied).collect())
    }

    /// Whether goals read what one place holds, of which there are sets and whose keys are among these arguments, and ask static
    /// relations about it.
    fn is_of_one_place(&self, body: &[G], args: &[Arg]) -> bool {
        let mut reads = body.iter().filter_map(|goal| match goal {
            G::Read(fluent, keys, _) => Some((fluent, keys)),
            _ => None,
        });
        let (Some((fluent, keys)), None) = (reads.next(), reads.next()) else { return false };
        let given = |key: &Arg| args.contains(key) || matches!(key, Arg::Const(_));
        self.layout.place(*fluent).planes.is_some()
            && keys.iter().all(given)
            && body.len() <= MAX_GOALS
            && body.iter().all(|goal| matches!(goal, G::Read(..)) || goal.table().is_some())
    }

    /// Whether several of these arguments are parts of one key of the state in a clause.
    fn has_parts(&self, clause: &Clause, terms: &[Term]) -> bool {
        let is_part = |part: &Term| matches!(part, Term::Variable(_)) && terms.contains(part);
        let parted = |key: &Term| match key {
            Term::Compound(_, parts) => parts.iter().filter(|part| is_part(part)).count() > 1,
            _ => false,
        };
        let mut found = false;
        clause.body.walk(&mut |goal| {
            if let GoalKind::Call(id, args) = &goal.kind
                && let Kind::Fluent(fluent) = self.program.relation(*id).kind
            {
                let keys = self.program.fluent(fluent).keys.len();
                found |= args[..keys].iter().any(parted);
            }
        });
        found
    }
}

/// Whether a variable of a denied goal occurs there only, once; `None` where it is not known that goals of the clause give it
/// a value otherwise.
fn denied_only(clause: &Clause, denied: &Goal, v: VariableId) -> Option<bool> {
    let (mut all, mut inside, mut given) = (0, 0, false);
    clause.head.iter().for_each(|term| {
        term.each_variable(&mut |w| {
            all += usize::from(v == w);
            given |= v == w;
        });
    });
    clause.body.each_variable(&mut |w| all += usize::from(v == w));
    denied.each_variable(&mut |w| inside += usize::from(v == w));
    for goal in clause.body.conjuncts() {
        if matches!(goal.kind, GoalKind::Call(..) | GoalKind::BuiltIn(..) | GoalKind::In(..)) {
            goal.each_variable(&mut |w| given |= v == w);
        }
    }
    match all == inside {
        true => (inside == 1).then_some(true),
        false => given.then_some(false),
    }
}
