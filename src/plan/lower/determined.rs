//! Which variables have one value at most for each combination of values of others: functional dependencies.
//! A state map determines its value by its keys, a table some of its columns by others, a calculation its result.

use super::super::ops::Operand;
use super::Lowering;
use super::emit::occurrences_in;
use super::goals::{Arg, G, Var};
use super::order::{BlockState, Want};
use super::tables::TableRef;

impl Lowering<'_> {
    /// The variables with one value at most in the answers that agree in those of `from`, which are among them.
    pub(super) fn determined_by(
        &mut self,
        goals: &[G],
        from: &[Var],
        context: &BlockState,
    ) -> Vec<Var> {
        let mut known: Vec<Var> = from.to_vec();
        let fixed = |v: Var| matches!(context.bound[v], Some(Operand::Const(_)));
        loop {
            let before = known.len();
            for goal in goals {
                let is_known = |a: &Arg| match a {
                    Arg::Var(v) => known.contains(v) || fixed(*v),
                    Arg::Const(_) => true,
                };
                let gives: Vec<Var> = match goal {
                    G::Read(_, keys, Some(Arg::Var(v))) if keys.iter().all(is_known) => vec![*v],
                    G::Static(id, args) => {
                        self.determined(TableRef::Relation(*id), args, &is_known, context)
                    }
                    G::Functor(at, args) => {
                        self.determined(TableRef::Functor(*at), args, &is_known, context)
                    }
                    G::Is(Arg::Var(v), e, _) => {
                        let mut all = true;
                        G::Is(Arg::Const(0), e.clone(), crate::source::Span::NONE)
                            .each_var(&mut |v| all &= is_known(&Arg::Var(v)));
                        if all { vec![*v] } else { Vec::new() }
                    }
                    G::Aggregate(_, _, _, Arg::Var(result), ..) => {
                        let mut all = true;
                        goal.each_var(&mut |v| {
                            let local = context.totals[v] <= occurrences_in(goal, v);
                            all &= v == *result || local || is_known(&Arg::Var(v));
                        });
                        if all { vec![*result] } else { Vec::new() }
                    }
                    G::Same(Arg::Var(v), b) if is_known(b) => vec![*v],
                    G::Same(a, Arg::Var(v)) if is_known(a) => vec![*v],
                    _ => Vec::new(),
                };
                for v in gives {
                    if !known.contains(&v) {
                        known.push(v);
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
        known
    }

    /// The variables that a generator of the goals may enumerate although no later goal wants them: the wanted and bound
    /// ones determine them, so that no answer comes twice.
    pub(super) fn determined_by_wanted(
        &mut self,
        goals: &[G],
        context: &BlockState,
        want: &Want,
    ) -> Vec<Var> {
        let known = |v: &Var| context.bound[*v].is_some() || want.wants(*v);
        let from: Vec<Var> = (0..context.bound.len()).filter(known).collect();
        self.determined_by(goals, &from, context)
    }

    /// Whether the head's variables determine the other needed ones.
    pub(super) fn determines(
        &mut self,
        goals: &[G],
        head: &[Var],
        needed: &[Var],
        context: &BlockState,
    ) -> bool {
        let known = self.determined_by(goals, head, context);
        let fixed = |v: Var| matches!(context.bound[v], Some(Operand::Const(_)));
        needed.iter().all(|v| known.contains(v) || fixed(*v))
            || self.determined_together(goals, head, needed, &known, context)
    }

    pub(super) fn determined(
        &mut self,
        table: TableRef,
        args: &[Arg],
        known: &dyn Fn(&Arg) -> bool,
        context: &BlockState,
    ) -> Vec<Var> {
        let (mut fixed, mut keys) = (Vec::new(), Vec::new());
        for (column, arg) in args.iter().enumerate() {
            match context.operand(*arg) {
                Some(Operand::Const(code)) => fixed.push((column, code)),
                _ if known(arg) => keys.push(column),
                _ => {}
            }
        }
        let mut gives = Vec::new();
        for (column, arg) in args.iter().enumerate() {
            let Arg::Var(v) = arg else { continue };
            if known(arg) {
                continue;
            }
            let with: Vec<usize> = keys.iter().copied().chain([column]).collect();
            let combinations = self.projected_count(table, fixed.clone(), keys.clone());
            if self.projected_count(table, fixed.clone(), with) == combinations {
                gives.push(*v);
            }
        }
        gives
    }

    /// The same for the join of the static goals that contain the open variables.
    fn determined_together(
        &mut self,
        goals: &[G],
        head: &[Var],
        needed: &[Var],
        known: &[Var],
        context: &BlockState,
    ) -> bool {
        let open: Vec<Var> = needed
            .iter()
            .copied()
            .filter(|v| !known.contains(v) && !matches!(context.bound[*v], Some(Operand::Const(_))))
            .collect();
        let mut rows: Vec<Vec<Option<i64>>> = vec![vec![None; context.bound.len()]];
        let mut rest: Vec<&G> = goals
            .iter()
            .filter(|g| {
                let mut touches = false;
                g.each_var(&mut |v| touches |= open.contains(&v));
                touches && matches!(g, G::Static(..) | G::Functor(..))
            })
            .collect();
        let mut covered = Vec::new();
        while !rest.is_empty() {
            let next = rest
                .iter()
                .position(|g| {
                    let mut joined = false;
                    g.each_var(&mut |v| joined |= covered.contains(&v));
                    joined
                })
                .unwrap_or(0);
            let goal = rest.remove(next);
            goal.each_var(&mut |v| covered.push(v));
            let Some((table, args)) = goal.table() else { continue };
            let facts = self.table_rows(table);
            if rows.len().saturating_mul(facts.iter().len()) > 4_000_000 {
                return false;
            }
            let mut joined = Vec::new();
            for row in &rows {
                'fact: for fact in facts.iter() {
                    let mut new = row.clone();
                    for (arg, code) in args.iter().zip(fact) {
                        let have = match arg {
                            Arg::Const(c) => Some(*c),
                            Arg::Var(v) => match context.bound[*v] {
                                Some(Operand::Const(c)) => Some(c),
                                _ => new[*v],
                            },
                        };
                        match (have, arg) {
                            (Some(c), _) if c != *code => continue 'fact,
                            (None, Arg::Var(v)) => new[*v] = Some(*code),
                            _ => {}
                        }
                    }
                    joined.push(new);
                }
            }
            if joined.len() > 400_000 {
                return false;
            }
            rows = joined;
        }
        if open.iter().any(|v| !covered.contains(v)) {
            return false;
        }
        let mut seen = rustc_hash::FxHashMap::default();
        rows.iter().all(|row| {
            let key: Vec<Option<i64>> = head.iter().chain(known).map(|v| row[*v]).collect();
            let value: Vec<Option<i64>> = open.iter().map(|v| row[*v]).collect();
            *seen.entry(key).or_insert_with(|| value.clone()) == value
        })
    }
}
