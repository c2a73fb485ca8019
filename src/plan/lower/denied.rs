//! Denied relations of several clauses about the parts of one key.
//!
//! In `\+ at(X, Y, _), \+ clash(X, Y, D)`, where `X` and `Y` are a site, no clause of `clash` may hold. Each of them is denied on
//! its own, as if the writer had put its goals in place of the call: what it says of columns and rows then becomes
//! a set of sites (`patterns.rs`), which a call with two arguments for a site is not.

use super::Lowering;
use super::goals::{Arg, G, Scope, Vars};
use crate::program::{Clause, ClauseId, Goal, GoalKind, Kind, Term, VariableId};

/// The most clauses that are denied in place of a call.
const MAX_CLAUSES: usize = 4;

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
        let relation = program.relation(*id);
        if relation.kind != Kind::Derived
            || relation.recursive
            || relation.chooses
            || relation.supposes
            || self.types.raises[id.0 as usize]
        {
            return None;
        }
        let clauses = relation.clauses.iter().copied();
        let alive: Vec<ClauseId> = clauses.filter(|id| self.is_alive(*id)).collect();
        let around = program.clause(scope.clause);
        if !(2..=MAX_CLAUSES).contains(&alive.len()) || !self.has_parts(around, terms) {
            return None;
        }
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
            bodies.push(self.inline_clause((scope.depth, scope.within), clause, &args, vars)?);
        }
        Some(bodies)
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
