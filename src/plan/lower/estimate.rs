//! The number of answers that a call of a derived relation is expected to have.
//!
//! A clause's goals are followed from the given arguments to the wanted one, by the averages of the
//! static tables and the sizes of the state's planes. Where a recursion goes on from one element to
//! at most one other, as along a row of sites, it is short; elsewhere it spreads.

use crate::program::{ClauseId, Kind, RelationId};

use super::Lowering;
use super::goals::{Arg, G, Var, Vars};
use super::order::{BlockState, UNBOUND};
use super::tables::TableRef;

/// The elements of a recursion along a line, and of one that spreads, by those that it begins with.
const ALONG: f64 = 4.0;
const SPREADING: f64 = 16.0;

/// The part of the answers that a test is expected to leave.
const LEFT_BY_TEST: f64 = 0.5;

/// A relation, which of its arguments are given, and the wanted ones.
pub(super) type Asked = (RelationId, Vec<bool>, Vec<usize>);

impl Lowering<'_> {
    /// The answers expected for the only open argument of a call; `None` for other calls.
    pub(super) fn expected_of(&mut self, goal: &G, var: Var, context: &BlockState) -> Option<f64> {
        let G::Call(id, args) = goal else { return None };
        if self.program.relations.get(id.0 as usize)?.kind != Kind::Derived {
            return None;
        }
        let target = args.iter().position(|arg| *arg == Arg::Var(var))?;
        let others = || args.iter().enumerate().filter(|(i, _)| *i != target);
        let closed = |arg: &Arg| context.is_bound(*arg) || self.wildcard(*arg, context);
        if !others().all(|(_, arg)| closed(arg)) {
            return None;
        }
        let given = args.iter().map(|arg| context.is_bound(*arg)).collect();
        Some(self.expected((*id, given, vec![target])))
    }

    /// The answers expected of a call that asks for a table of several open arguments; `None` for
    /// other goals.
    pub(super) fn expected_rows(
        &mut self,
        goal: &G,
        goals: &[G],
        context: &BlockState,
    ) -> Option<f64> {
        let G::Call(id, args) = goal else { return None };
        let open: Vec<usize> = (0..args.len())
            .filter(|i| !context.is_bound(args[*i]) && !self.wildcard(args[*i], context))
            .collect();
        if open.len() < 2 || !self.fills_table(*id, args, context) {
            return None;
        }
        // a table for each value of what is passed on is smaller, where the state gives the values
        let kept = |at: &usize| {
            let gives = |goal: &G| matches!(goal, G::Read(_, keys, _) if keys.contains(&args[*at]));
            self.passed_on(*id, *at) && goals.iter().any(gives)
        };
        if open.iter().any(kept) {
            return None;
        }
        Some(self.expected_answers(*id, args, context))
    }

    /// The answers expected of a call, for the arguments that are open in it.
    pub(super) fn expected_answers(
        &mut self,
        id: RelationId,
        args: &[Arg],
        context: &BlockState,
    ) -> f64 {
        let open = (0..args.len())
            .filter(|i| !context.is_bound(args[*i]) && !self.wildcard(args[*i], context))
            .collect();
        let given = args.iter().map(|arg| context.is_bound(*arg)).collect();
        self.expected((id, given, open))
    }

    /// The answers expected of a call.
    pub(super) fn expected(&mut self, asked: Asked) -> f64 {
        if let Some(known) = self.known.expected.get(&asked) {
            return *known;
        }
        let (id, given, targets) = &asked;
        let most: f64 = (targets.iter())
            .map(|target| {
                let universe = self.universe_of(&self.domains.columns[id.0 as usize][*target]);
                universe.map_or(64, |u| self.universes.get(u).len) as f64
            })
            .product();
        // for the calls of this relation from those that it calls
        self.known.expected.insert(asked.clone(), most / 2.0);
        let program = self.program;
        let (mut first, mut next): (f64, f64) = (0.0, 0.0);
        for clause in &program.relation(*id).clauses {
            if !self.is_alive(*clause) {
                continue;
            }
            let answers = self.expected_by(*clause, *id, given, targets);
            match self.recursive_calls(*clause, *id) {
                0 => first += answers,
                _ => next = next.max(answers),
            }
        }
        let rounds = match program.relation(*id).recursive {
            false => 1.0,
            true if next <= 1.0 => ALONG,
            true => SPREADING,
        };
        let expected = (first * rounds).min(most / 2.0);
        self.known.expected.insert(asked, expected);
        expected
    }

    /// The answers expected of one clause, and for a recursive one those for each answer of its
    /// recursive call.
    fn expected_by(
        &mut self,
        id: ClauseId,
        of: RelationId,
        given: &[bool],
        targets: &[usize],
    ) -> f64 {
        let clause = self.program.clause(id);
        let (mut vars, mut scope, mut goals) = (Vars::default(), self.scope(id), Vec::new());
        let terms = clause.head.iter();
        let head: Vec<Arg> =
            terms.map(|term| self.arg(&mut scope, term, &mut vars, &mut goals)).collect();
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        let mut known: Vec<Var> = Vec::new();
        let given = head.iter().zip(given).filter(|(_, given)| **given);
        known.extend(given.filter_map(|(arg, _)| var_of(*arg)));
        goals.retain(|goal| match goal {
            G::Call(called, args) if *called == of => {
                known.extend(args.iter().filter_map(|arg| var_of(*arg)));
                false
            }
            _ => true,
        });
        let mut answers = 1.0;
        loop {
            goals.retain(|goal| {
                let mut closed = true;
                goal.each_var(&mut |v| closed &= known.contains(&v));
                if closed {
                    answers *= LEFT_BY_TEST;
                }
                !closed
            });
            let found = |at: &usize| var_of(head[*at]).is_none_or(|v| known.contains(&v));
            if targets.iter().all(found) {
                return answers;
            }
            let steps: Vec<f64> = goals.iter().map(|goal| self.step(goal, &known, &vars)).collect();
            let all = steps.iter().enumerate();
            match all.filter(|(_, s)| s.is_finite()).min_by(|a, b| a.1.total_cmp(b.1)) {
                Some((at, step)) => {
                    answers *= step;
                    goals.remove(at).each_var(&mut |v| known.push(v));
                }
                None => return f64::INFINITY,
            }
        }
    }

    /// The answers expected of one goal; infinitely many where nothing is known of it.
    fn step(&mut self, goal: &G, known: &[Var], vars: &Vars) -> f64 {
        let is_known = |arg: &Arg| var_of(*arg).is_none_or(|v| known.contains(&v));
        match goal {
            G::Static(id, args) => self.rows_for(TableRef::Relation(*id), args, &is_known),
            G::Functor(at, args) => self.rows_for(TableRef::Functor(*at), args, &is_known),
            G::Read(fluent, keys, value) => {
                let place = self.layout.place(*fluent);
                let open = keys.iter().zip(&place.keys).filter(|(key, _)| !is_known(key));
                let size: usize = open.map(|(_, axis)| axis.len).product();
                let values = place.value.as_ref().map_or(1, |value| value.len);
                match value.as_ref().is_some_and(is_known) && size > 1 {
                    true => size as f64 / (values + 1) as f64,
                    false => size as f64,
                }
            }
            G::Call(id, args) => {
                let given: Vec<bool> = args.iter().map(is_known).collect();
                let mut open = (0..args.len()).filter(|i| !given[*i]);
                match (open.next(), open.next()) {
                    (Some(target), None) if self.program.relation(*id).kind == Kind::Derived => {
                        self.expected((*id, given, vec![target]))
                    }
                    _ => f64::INFINITY,
                }
            }
            G::Same(a, b) if is_known(a) || is_known(b) => 1.0,
            G::Is(_, e, _) => {
                let mut ready = true;
                e.each_var(&mut |v| ready &= known.contains(&v));
                if ready { 1.0 } else { f64::INFINITY }
            }
            G::List(whole, ..) if is_known(whole) => 1.0,
            G::Member(_, list) if is_known(list) => 4.0,
            G::In(x, ..) => match self.universe_of(&vars.all[var_of(*x).unwrap_or(0)].domain) {
                Some(universe) => self.universes.get(universe).len as f64 / 2.0,
                None => f64::INFINITY,
            },
            _ => f64::INFINITY,
        }
    }

    /// The average rows of a table for the known arguments.
    pub(super) fn rows_for(
        &mut self,
        table: TableRef,
        args: &[Arg],
        is_known: &dyn Fn(&Arg) -> bool,
    ) -> f64 {
        let constants = args.iter().enumerate().filter_map(|(i, arg)| match arg {
            Arg::Const(code) if *code != UNBOUND => Some((i, *code)),
            _ => None,
        });
        let fixed: Vec<(usize, super::Code)> = constants.collect();
        let keys = (0..args.len()).filter(|i| is_known(&args[*i])).collect();
        let groups = self.projected_count(table, fixed.clone(), keys);
        let rows = self.projected_count(table, fixed, (0..args.len()).collect());
        rows as f64 / groups.max(1) as f64
    }
}

fn var_of(arg: Arg) -> Option<Var> {
    match arg {
        Arg::Var(v) => Some(v),
        Arg::Const(_) => None,
    }
}
