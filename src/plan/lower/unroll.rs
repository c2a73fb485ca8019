//! `forall` over a few constants as one goal for each of them.
//!
//! `forall(between(1, 4, N), (…, at(B, P)))` asks for the same as its goal for 1, for 2, for 3 and for 4. These can be
//! evaluated on whole sets, which a loop over the numbers inside of a negation cannot. So it is with
//! `forall(member(D, [n, e]), (step(D, A, B), at(B, P)))`, where a table leads on from what stands around it.

use super::forms::mapped;
use super::goals::{Arg, Expr, G, Var, Vars, constants_in};
use super::{Code, Lowering, occurrences_among};

/// The most constants.
const MAX_CONSTANTS: usize = 8;
/// The most goals for each of them.
const MAX_GOALS: usize = 8;

/// The values that a `forall` goes through.
struct Few {
    var: Var,
    values: Vec<Arg>,
    /// They are written in the goal.
    listed: bool,
    /// The variables that only serve to tell them.
    named: Vec<Var>,
}

impl Lowering<'_> {
    /// Replaces each `\+ (enumerate(N), \+ goals)` of a body, and of the goals inside of it, where that is possible.
    /// `fixed` are the variables that the goals around these use.
    pub(super) fn unroll(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &mut Vars) {
        if !goals.iter().any(has_forall) {
            return;
        }
        let totals = occurrences_among(goals, fixed, vars);
        self.unroll_within(goals, &totals, vars);
    }

    fn unroll_within(&mut self, goals: &mut Vec<G>, totals: &[usize], vars: &mut Vars) {
        let mut acts = false;
        for mut goal in std::mem::take(goals) {
            // behind an update a choice is more than a test
            acts |= self.acts(&goal);
            if !acts && let Some(unrolled) = self.unrolled(&goal, totals, vars) {
                unrolled.iter().for_each(|made| self.put_in_place(made, &goal));
                goals.extend(unrolled);
                continue;
            }
            let before = goal.clone();
            let mut inside = |part: &mut Vec<G>| self.unroll_within(part, totals, vars);
            match &mut goal {
                G::Not(inner) | G::Aggregate(_, _, inner, ..) => inside(inner),
                G::Or(branches) => branches.iter_mut().for_each(inside),
                _ => {}
            }
            if goal != before {
                self.put_in_place(&goal, &before);
            }
            goals.push(goal);
        }
    }

    /// The goals for all constants.
    fn unrolled(&self, goal: &G, totals: &[usize], vars: &mut Vars) -> Option<Vec<G>> {
        let G::Not(all) = goal else { return None };
        let [among @ .., G::Not(inner)] = &all[..] else { return None };
        let few = self.few(among)?;
        let plain = |goal: &G| match goal {
            G::Not(denied) => denied.iter().all(is_plain),
            goal => is_plain(goal),
        };
        if inner.len() > MAX_GOALS || !inner.iter().all(plain) || self.raises(goal) {
            return None;
        }
        // what only the negation has is another value for each constant
        let mut inside = vec![0; totals.len()];
        goal.each_var(&mut |v| inside[v] += 1);
        let own = |v: Var| inside[v] == totals[v];
        if few.named.iter().any(|v| !own(*v)) {
            return None;
        }
        let calculates = inner.iter().any(|goal| matches!(goal, G::Is(..)));
        let led = self.led(inner, &few, &own)?;
        // a list of what other goals give would be made for each of their answers
        let given = few.values.iter().any(|value| matches!(value, Arg::Var(_)));
        if !(led || given || calculates && few.listed) {
            return None;
        }
        let mut made = Vec::new();
        for value in few.values {
            let mut names: Vec<(Var, Var)> = Vec::new();
            for goal in inner {
                let renamed = mapped(goal, &mut |arg| match arg {
                    Arg::Var(v) if v == few.var => value,
                    Arg::Var(v) if own(v) => {
                        let known = names.iter().find(|(old, _)| *old == v).map(|(_, new)| *new);
                        Arg::Var(known.unwrap_or_else(|| {
                            let new = vars.fresh(vars.all[v].domain.clone());
                            names.push((v, new));
                            new
                        }))
                    }
                    other => other,
                });
                made.push(renamed?);
            }
        }
        Some(made)
    }

    /// Whether a table leads from what other goals have to a value for each constant. `None` where some variable of the goals
    /// may have several values for a constant: each of them would be an answer of its own.
    fn led(&self, inner: &[G], few: &Few, own: &dyn Fn(Var) -> bool) -> Option<bool> {
        let mut open: Vec<Var> = Vec::new();
        for goal in inner.iter().filter(|goal| !matches!(goal, G::Not(_))) {
            goal.each_var(&mut |v| {
                if own(v) && v != few.var && !open.contains(&v) {
                    open.push(v);
                }
            });
        }
        let mut led = false;
        while !open.is_empty() {
            let found = inner.iter().find_map(|goal| {
                let given = self.given_by(goal, &open, few)?;
                let from_outside = goal.table().is_some_and(|(_, args)| {
                    args.iter().any(|arg| matches!(arg, Arg::Var(v) if !own(*v)))
                });
                Some((given, from_outside && self.pattern(goal).is_none()))
            });
            let (given, leads) = found?;
            open.retain(|v| *v != given);
            led |= leads;
        }
        Some(led)
    }

    /// The one of the open variables of which a goal has one value for each constant, where it has no other one.
    fn given_by(&self, goal: &G, open: &[Var], few: &Few) -> Option<Var> {
        let mut met: Vec<Var> = Vec::new();
        goal.each_var(&mut |v| {
            if open.contains(&v) && !met.contains(&v) {
                met.push(v);
            }
        });
        if let Some((_, whole, args)) = self.pattern(goal)
            && met.contains(&whole)
        {
            return (!args.contains(&Arg::Var(whole))).then_some(whole).filter(|_| met.len() == 1);
        }
        let [v] = met[..] else { return None };
        match goal {
            G::Is(Arg::Var(x), e, _) => (*x == v && !e.has(v)).then_some(v),
            G::Read(_, keys, Some(Arg::Var(x))) => {
                (*x == v && !keys.contains(&Arg::Var(v))).then_some(v)
            }
            G::Same(a, b) => (a != b).then_some(v),
            _ => {
                let (table, args) = goal.table()?;
                let column = args.iter().position(|arg| *arg == Arg::Var(v))?;
                let one = few.values.iter().all(|value| {
                    let (mut fixed, mut keys) = (Vec::new(), Vec::new());
                    for (i, arg) in args.iter().enumerate() {
                        let given = if *arg == Arg::Var(few.var) { value } else { arg };
                        match given {
                            Arg::Const(code) => fixed.push((i, *code)),
                            Arg::Var(other) if *other != v => keys.push(i),
                            Arg::Var(_) => {}
                        }
                    }
                    let with: Vec<usize> = keys.iter().copied().chain([column]).collect();
                    self.projected_count(table, fixed.clone(), keys)
                        == self.projected_count(table, fixed, with)
                });
                one.then_some(v)
            }
        }
    }

    /// A variable and the few values that goals give it.
    fn few(&self, goals: &[G]) -> Option<Few> {
        let consts = |codes: Vec<Code>| codes.into_iter().map(Arg::Const).collect::<Vec<Arg>>();
        let (var, values, listed, more) = match goals {
            [G::In(Arg::Var(v), Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _)] => {
                let len = usize::try_from(hi.checked_sub(*lo)?).ok()?;
                (*v, consts((len < MAX_CONSTANTS).then(|| (*lo..=*hi).collect())?), true, None)
            }
            [G::Member(Arg::Var(v), Arg::Const(list))] => {
                (*v, consts(self.items_of(*list)?), true, None)
            }
            [G::Member(Arg::Var(v), Arg::Var(list)), G::List(Arg::Var(whole), items, None)]
            | [G::List(Arg::Var(whole), items, None), G::Member(Arg::Var(v), Arg::Var(list))]
                if whole == list && v != whole =>
            {
                (*v, items.clone(), true, Some(*whole))
            }
            [goal] => {
                let (table, args) = goal.table()?;
                let mut open = args.iter().filter_map(|arg| match arg {
                    Arg::Var(v) => Some(*v),
                    Arg::Const(_) => None,
                });
                let (v, None) = (open.next()?, open.next()) else { return None };
                let column = args.iter().position(|arg| *arg == Arg::Var(v))?;
                let fixed = constants_in(args);
                if self.projected_count(table, fixed.clone(), vec![column]) > MAX_CONSTANTS {
                    return None;
                }
                let rows = self.projected(table, &fixed, &[column]);
                (v, consts(rows.iter().map(|row| row[0]).collect()), false, None)
            }
            _ => return None,
        };
        let named = more.into_iter().chain([var]).collect();
        (values.len() <= MAX_CONSTANTS).then_some(Few { var, values, listed, named })
    }
}

fn is_plain(goal: &G) -> bool {
    matches!(
        goal,
        G::Static(..) | G::Functor(..) | G::Read(..) | G::Same(..) | G::Is(..) | G::Compare(..)
    )
}

fn has_forall(goal: &G) -> bool {
    match goal {
        G::Not(inner) => matches!(inner.last(), Some(G::Not(_))) || inner.iter().any(has_forall),
        G::Aggregate(_, _, inner, ..) => inner.iter().any(has_forall),
        G::Or(branches) => branches.iter().flatten().any(has_forall),
        _ => false,
    }
}
