//! What can come of the goals behind an update: failure, or a rule error.

use crate::program::{ArithmeticOp, FluentId, FluentShape};
use crate::source::Span;

use super::super::layout::{Axis, Cells};
use super::super::ops::{Risk, Safe};
use super::effects::Fluents;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::procedures::FLOOD;
use super::{Code, Lowering};

impl Lowering<'_> {
    /// Whether a goal may be a rule error.
    pub(super) fn raises(&self, goal: &G) -> bool {
        let here = |span: &Span| self.types.may_raise.contains(span);
        let any = |goals: &[G]| goals.iter().any(|g| self.raises(g));
        match goal {
            G::Compare(.., span) | G::Is(.., span) | G::In(.., span) | G::Repeated(.., span) => {
                here(span)
            }
            G::Assign(.., span)
            | G::AssignNumber(.., span)
            | G::Clear(.., span)
            | G::Set(.., span) => here(span),
            G::Aggregate(_, _, inner, _, span, _) => here(span) || any(inner),
            G::Call(id, _) if *id == FLOOD => false,
            G::Call(id, _) => self.types.raises[id.0 as usize],
            // two ways to one move that lead to different positions are a rule error
            G::Legal(_) | G::LegalMove(_) | G::Stuck => true,
            G::Not(inner) | G::Once(inner) => any(inner),
            G::Or(branches) => branches.iter().any(|b| any(b)),
            G::If(c, t, e) => any(c) || any(t) || any(e),
            G::Each(a, b, _) => any(a) || any(b),
            G::Fail
            | G::Static(..)
            | G::Functor(..)
            | G::Read(..)
            | G::Same(..)
            | G::Member(..)
            | G::Length(..)
            | G::List(..)
            | G::Again
            | G::Cut => false,
        }
    }

    /// When goals after the updates `made` may be a rule error.
    pub(super) fn risk(&self, goals: &[G], made: &[G]) -> Risk {
        let mut written = Fluents::default();
        made.iter().for_each(|goal| self.add_writes(goal, &mut written));
        let mut safe = Vec::new();
        match self.safe_for(goals, written, &mut safe) {
            None => Risk::Always,
            Some(()) if safe.is_empty() => Risk::Never,
            Some(()) => Risk::Outside(safe),
        }
    }

    /// Adds the values, of the maps that the goals increment or decrement, for which they are not a
    /// rule error. `None` where that depends on anything else.
    fn safe_for(&self, goals: &[G], mut written: Fluents, safe: &mut Vec<Safe>) -> Option<()> {
        for goal in goals {
            match goal {
                _ if !self.raises(goal) => {}
                G::AssignNumber(fluent, keys, e, _) if keys.is_empty() => {
                    let mut own = Fluents::default();
                    self.add_writes(goal, &mut own);
                    if own.meets(&written) {
                        return None;
                    }
                    safe.push(self.safe_step(*fluent, e)?);
                }
                G::Once(inner) => self.safe_for(inner, written.clone(), safe)?,
                G::If(condition, then, otherwise) => {
                    if condition.iter().any(|g| self.raises(g)) {
                        return None;
                    }
                    self.safe_for(then, written.clone(), safe)?;
                    self.safe_for(otherwise, written.clone(), safe)?;
                }
                _ => return None,
            }
            self.add_writes(goal, &mut written);
        }
        Some(())
    }

    /// The values of a map without keys for which `map + n` is one of its values too.
    fn safe_step(&self, fluent: FluentId, e: &Expr) -> Option<Safe> {
        let own = Expr::Read(fluent, Vec::new());
        let step = match e {
            Expr::Op(ArithmeticOp::Add, args) => match args.as_slice() {
                [read, Expr::Arg(Arg::Const(n))] | [Expr::Arg(Arg::Const(n)), read]
                    if *read == own =>
                {
                    *n
                }
                _ => return None,
            },
            Expr::Op(ArithmeticOp::Subtract, args) => match args.as_slice() {
                [read, Expr::Arg(Arg::Const(n))] if *read == own => n.checked_neg()?,
                _ => return None,
            },
            _ => return None,
        };
        let place = self.layout.place(fluent);
        let axis = place.value.as_ref()?;
        let is_run = axis.universe.is_none() && axis.listed.is_none() && self.is_total(fluent);
        if !is_run || place.allowed_values.is_some() || !matches!(place.cells, Cells::Word(_)) {
            return None;
        }
        let len = axis.len as i64;
        let (from, to) = (1.max(1 - step), len.min(len - step));
        (from <= to).then_some(Safe { fluent, from: from as u64, to: to as u64 })
    }

    /// Whether a goal after an update can fail. `known` are the variables that are bound before it.
    pub(super) fn may_fail(&self, goal: &G, known: &[Var], vars: &Vars) -> bool {
        match goal {
            G::Assign(..) | G::Clear(..) | G::Set(..) | G::Again | G::Cut => false,
            G::AssignNumber(_, _, e, _) => self.may_be_undefined(e, vars),
            G::If(_, t, e) => [t, e].into_iter().any(|goals| {
                let mut known = known.to_vec();
                goals.iter().any(|goal| {
                    let fails = self.may_fail(goal, &known, vars);
                    goal.each_var(&mut |v| known.push(v));
                    fails
                })
            }),
            G::Each(_, action, _) => action.iter().any(|g| self.may_fail(g, known, vars)),
            G::Once(inner) => inner.iter().any(|g| self.may_fail(g, known, vars)),
            G::Read(FluentId::TURN, _, Some(Arg::Var(v))) | G::Same(Arg::Var(v), _) => {
                known.contains(v)
            }
            G::Is(Arg::Var(v), e, _) => known.contains(v) || self.may_be_undefined(e, vars),
            _ => true,
        }
    }

    /// Whether a map has a value for each of its keys.
    pub(super) fn is_total(&self, fluent: FluentId) -> bool {
        fluent == FluentId::TURN
            || fluent == FluentId::PLY
            || matches!(
                self.program.fluent(fluent).shape,
                FluentShape::Map { initial: Some(_), .. }
            )
    }

    fn may_be_undefined(&self, e: &Expr, vars: &Vars) -> bool {
        match e {
            Expr::Arg(_) => false,
            Expr::Read(fluent, keys) => {
                !self.is_total(*fluent) || !self.keys_fit(*fluent, keys, vars)
            }
            Expr::Op(_, args) => args.iter().any(|a| self.may_be_undefined(a, vars)),
        }
    }

    /// Whether a goal reads total maps only for keys of their domains.
    pub(super) fn reads_fit(&self, goal: &G, vars: &Vars) -> bool {
        let all = |goals: &[G]| goals.iter().all(|g| self.reads_fit(g, vars));
        let expr = |e: &Expr| self.keys_of_expr_fit(e, vars);
        match goal {
            G::Read(fluent, keys, _) => {
                !self.is_total(*fluent) || self.keys_fit(*fluent, keys, vars)
            }
            G::Compare(_, a, b, _) | G::In(_, a, b, _) => expr(a) && expr(b),
            G::Is(_, e, _) | G::AssignNumber(_, _, e, _) => expr(e),
            G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => all(inner),
            G::Or(branches) => branches.iter().all(|b| all(b)),
            G::If(c, t, e) => all(c) && all(t) && all(e),
            G::Each(a, b, _) => all(a) && all(b),
            _ => true,
        }
    }

    fn keys_of_expr_fit(&self, e: &Expr, vars: &Vars) -> bool {
        match e {
            Expr::Arg(_) => true,
            Expr::Read(fluent, keys) => {
                !self.is_total(*fluent) || self.keys_fit(*fluent, keys, vars)
            }
            Expr::Op(_, args) => args.iter().all(|e| self.keys_of_expr_fit(e, vars)),
        }
    }

    /// Whether these are always keys of the map.
    pub(super) fn keys_fit(&self, fluent: FluentId, keys: &[Arg], vars: &Vars) -> bool {
        let place = self.layout.place(fluent);
        place.allowed_keys.is_none()
            && place.keys.iter().zip(keys).all(|(axis, key)| fits(axis, *key, vars))
    }
}

/// Whether every value of an argument is on the axis.
fn fits(axis: &Axis, arg: Arg, vars: &Vars) -> bool {
    let v = match arg {
        Arg::Const(code) => return axis.index(code).is_some(),
        Arg::Var(v) => v,
    };
    let domain = &vars.all[v].domain;
    let Some(universe) = domain.universe() else { return false };
    match domain.integers {
        None => axis.universe == Some(universe),
        Some((lo, hi)) => {
            axis.universe.is_none_or(|of| of == universe)
                && axis.listed.is_none()
                && axis.base <= lo
                && hi < axis.base + axis.len as Code
        }
    }
}
