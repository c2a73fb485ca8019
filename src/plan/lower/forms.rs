//! Goals compared and rebuilt by their arguments.
//!
//! Where goals are compared or rebuilt, only those that relate their arguments are supported: no updates,
//! choices or aggregates.

use crate::source::Span;

use super::goals::{Arg, Expr, G, Var, Vars};

/// A goal without its arguments and as if it were written nowhere, and its arguments.
pub(super) fn form(goal: &G) -> Option<(G, Vec<Arg>)> {
    let mut args = Vec::new();
    let form = mapped(goal, &mut |arg| {
        args.push(arg);
        Arg::Const(0)
    })?;
    Some((without_places(form), args))
}

/// The arguments of a goal of this form.
pub(super) fn form_of_other(goal: &G, wanted: &G) -> Option<Vec<Arg>> {
    if std::mem::discriminant(goal) != std::mem::discriminant(wanted) {
        return None;
    }
    form(goal).filter(|(found, _)| found == wanted).map(|(_, args)| args)
}

/// The argument, with its variable's number increased.
pub(super) fn shifted(arg: Arg, by: usize) -> Arg {
    match arg {
        Arg::Var(v) => Arg::Var(v + by),
        constant @ Arg::Const(_) => constant,
    }
}

/// The goal with other arguments; `None` for one that is not supported.
pub(super) fn mapped(goal: &G, map: &mut dyn FnMut(Arg) -> Arg) -> Option<G> {
    fn all(args: &[Arg], map: &mut dyn FnMut(Arg) -> Arg) -> Vec<Arg> {
        args.iter().map(|a| map(*a)).collect()
    }
    fn expr(e: &Expr, map: &mut dyn FnMut(Arg) -> Arg) -> Expr {
        match e {
            Expr::Arg(a) => Expr::Arg(map(*a)),
            Expr::Read(fluent, keys) => Expr::Read(*fluent, all(keys, map)),
            Expr::Op(op, args) => Expr::Op(*op, args.iter().map(|e| expr(e, map)).collect()),
        }
    }
    Some(match goal {
        G::Fail => G::Fail,
        G::Static(id, args) => G::Static(*id, all(args, map)),
        G::Functor(at, args) => G::Functor(*at, all(args, map)),
        G::Call(id, args) => G::Call(*id, all(args, map)),
        G::Read(fluent, keys, value) => G::Read(*fluent, all(keys, map), value.map(&mut *map)),
        G::Same(a, b) => G::Same(map(*a), map(*b)),
        G::Member(x, list) => G::Member(map(*x), map(*list)),
        G::Length(list, n) => G::Length(map(*list), map(*n)),
        G::Compare(op, a, b, span) => G::Compare(*op, expr(a, map), expr(b, map), *span),
        G::Is(x, e, span) => G::Is(map(*x), expr(e, map), *span),
        G::In(x, lo, hi, span) => G::In(map(*x), expr(lo, map), expr(hi, map), *span),
        G::List(whole, items, tail) => G::List(map(*whole), all(items, map), tail.map(&mut *map)),
        // a negation without one of its parts would be stronger than the clause
        G::Not(inner) => G::Not(inner.iter().map(|g| mapped(g, map)).collect::<Option<Vec<G>>>()?),
        _ => return None,
    })
}

/// The goal, which updates nothing, as if it were written nowhere: equal to one that asks the same elsewhere.
pub(super) fn without_places(mut goal: G) -> G {
    let inside = |goals: &mut Vec<G>| {
        *goals = std::mem::take(goals).into_iter().map(without_places).collect();
    };
    match &mut goal {
        G::Compare(.., span) | G::Is(.., span) | G::In(.., span) | G::Repeated(.., span) => {
            *span = Span::NONE;
        }
        G::Not(inner) | G::Once(inner) => inside(inner),
        G::Or(branches) => branches.iter_mut().for_each(inside),
        G::If(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(inside);
        }
        G::Aggregate(_, _, inner, _, span, _) => {
            *span = Span::NONE;
            inside(inner);
        }
        _ => {}
    }
    goal
}

/// Whether a goal is independent of the state.
pub(super) fn stateless(goal: &G) -> bool {
    fn fixed(e: &Expr) -> bool {
        match e {
            Expr::Arg(_) => true,
            Expr::Read(..) => false,
            Expr::Op(_, args) => args.iter().all(fixed),
        }
    }
    match goal {
        G::Fail | G::Static(..) | G::Functor(..) | G::Same(..) | G::List(..) => true,
        G::Compare(_, a, b, _) => fixed(a) && fixed(b),
        G::Is(_, e, _) => fixed(e),
        G::In(_, lo, hi, _) => fixed(lo) && fixed(hi),
        G::Not(inner) => inner.iter().all(stateless),
        _ => false,
    }
}

/// The new name of a variable, which is the old one where no other is given.
pub(super) fn by_names(names: &[(Var, Var)]) -> impl Fn(Var) -> Var {
    |v| names.iter().find(|(old, _)| *old == v).map_or(v, |(_, new)| *new)
}

/// Gives the variables of any goal, and of the goals inside of it, other names.
pub(super) fn rename(goal: &mut G, new: &dyn Fn(Var) -> Var) {
    let of = |arg: &mut Arg| {
        if let Arg::Var(v) = arg {
            *v = new(*v);
        }
    };
    let inside = |goals: &mut Vec<G>| goals.iter_mut().for_each(|goal| rename(goal, new));
    match goal {
        G::Fail | G::Stuck | G::Again | G::Cut | G::Legal(None) => {}
        G::Static(_, args)
        | G::Functor(_, args)
        | G::Call(_, args)
        | G::Clear(_, args, _)
        | G::Set(_, args, _)
        | G::Legal(Some((_, args))) => args.iter_mut().for_each(of),
        G::Read(_, keys, value) => keys.iter_mut().chain(value).for_each(of),
        G::Not(inner) | G::Once(inner) => inside(inner),
        G::Or(branches) => branches.iter_mut().for_each(inside),
        G::If(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(inside)
        }
        G::Same(a, b) | G::Member(a, b) | G::Length(a, b) => [a, b].into_iter().for_each(of),
        G::Compare(_, a, b, _) => [a, b].into_iter().for_each(|e| rename_in(e, new)),
        G::Is(x, e, _) => {
            of(x);
            rename_in(e, new);
        }
        G::In(x, lo, hi, _) => {
            of(x);
            [lo, hi].into_iter().for_each(|e| rename_in(e, new));
        }
        G::List(whole, items, tail) => {
            std::iter::once(whole).chain(items).chain(tail).for_each(of);
        }
        G::Aggregate(_, template, inner, result, _, told) => {
            [template, result].into_iter().for_each(of);
            inside(inner);
            told.iter_mut().for_each(|v| *v = new(*v));
        }
        G::LegalMove(n) | G::Repeated(n, ..) => of(n),
        G::Assign(_, keys, value, _) => keys.iter_mut().chain([value]).for_each(of),
        G::AssignNumber(_, keys, e, _) => {
            keys.iter_mut().for_each(of);
            rename_in(e, new);
        }
        G::Each(answers, action, told) => {
            [answers, action].into_iter().for_each(inside);
            told.iter_mut().for_each(|v| *v = new(*v));
        }
    }
}

/// Gives variables of goals names that no other goal has.
pub(super) fn rename_apart(goals: &mut [G], renames: &dyn Fn(Var) -> bool, vars: &mut Vars) {
    let mut names: Vec<(Var, Var)> = Vec::new();
    for goal in goals.iter() {
        goal.each_var(&mut |v| {
            if renames(v) && names.iter().all(|(old, _)| *old != v) {
                names.push((v, vars.fresh(vars.all[v].domain.clone())));
            }
        });
    }
    goals.iter_mut().for_each(|goal| rename(goal, &by_names(&names)));
}

fn rename_in(e: &mut Expr, new: &dyn Fn(Var) -> Var) {
    match e {
        Expr::Arg(Arg::Var(v)) => *v = new(*v),
        Expr::Arg(Arg::Const(_)) => {}
        Expr::Read(_, keys) => {
            for key in keys {
                if let Arg::Var(v) = key {
                    *v = new(*v);
                }
            }
        }
        Expr::Op(_, inner) => inner.iter_mut().for_each(|e| rename_in(e, new)),
    }
}
