//! What can come of the goals behind an update: failure, or a rule error.

use crate::program::{ArithmeticOp, FluentId, FluentShape, Kind};

use super::super::layout::Axis;
use super::goals::{Arg, Expr, G, Vars};
use super::{Code, Lowering};

impl Lowering<'_> {
    /// Can a goal behind an update fail?
    pub(super) fn may_fail(&self, goal: &G) -> bool {
        match goal {
            G::Assign(..) | G::Clear(..) | G::Set(..) | G::Again => false,
            G::AssignNumber(_, _, e, _) => self.may_be_undefined(e),
            G::If(_, t, e) => t.iter().chain(e).any(|g| self.may_fail(g)),
            G::Each(_, action) => action.iter().any(|g| self.may_fail(g)),
            G::Once(inner) => inner.iter().any(|g| self.may_fail(g)),
            G::Read(fluent, _, Some(Arg::Var(_))) => {
                !self.is_total(*fluent) || *fluent != FluentId::TURN
            }
            _ => true,
        }
    }

    /// Has a map a value for each of its keys?
    pub(super) fn is_total(&self, fluent: FluentId) -> bool {
        fluent == FluentId::TURN
            || fluent == FluentId::PLY
            || matches!(
                self.program.fluent(fluent).shape,
                FluentShape::Map { initial: Some(_), .. }
            )
    }

    fn may_be_undefined(&self, e: &Expr) -> bool {
        match e {
            Expr::Arg(_) => false,
            Expr::Read(fluent, _) => !self.is_total(*fluent),
            Expr::Op(_, args) => args.iter().any(|a| self.may_be_undefined(a)),
        }
    }

    /// Does a goal read maps that have a value for each key for such keys only?
    pub(super) fn reads_fit(&self, goal: &G, vars: &Vars) -> bool {
        let all = |goals: &[G]| goals.iter().all(|g| self.reads_fit(g, vars));
        let expr = |e: &Expr| self.keys_of_expr_fit(e, vars);
        match goal {
            G::Read(fluent, keys, _) => {
                !self.is_total(*fluent) || self.keys_fit(*fluent, keys, vars)
            }
            G::Compare(_, a, b, _) | G::In(_, a, b, _) => expr(a) && expr(b),
            G::Is(_, e, _) | G::AssignNumber(_, _, e, _) => expr(e),
            G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, _, _) => all(inner),
            G::Or(branches) => branches.iter().all(|b| all(b)),
            G::If(c, t, e) => all(c) && all(t) && all(e),
            G::Each(a, b) => all(a) && all(b),
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

    /// Are these always keys of the map?
    fn keys_fit(&self, fluent: FluentId, keys: &[Arg], vars: &Vars) -> bool {
        let place = self.layout.place(fluent);
        place.allowed_keys.is_none()
            && place.keys.iter().zip(keys).all(|(axis, key)| fits(axis, *key, vars))
    }

    /// Can an update write what its map cannot hold? Only playing the move tells then.
    pub(super) fn may_fault(&self, goal: &G, vars: &Vars) -> bool {
        let keys_fit = |fluent: &FluentId, keys: &[Arg]| self.keys_fit(*fluent, keys, vars);
        match goal {
            G::Assign(fluent, keys, value, _) => {
                let place = self.layout.place(*fluent);
                let fits = place.allowed_values.is_none()
                    && place.value.as_ref().is_some_and(|axis| fits(axis, *value, vars));
                !fits || !keys_fit(fluent, keys)
            }
            G::AssignNumber(fluent, keys, e, _) => {
                let place = self.layout.place(*fluent);
                let within = |axis: &Axis| {
                    axis.listed.is_none()
                        && self.interval(e, vars).is_some_and(|(lo, hi)| {
                            axis.base <= lo && hi < axis.base + axis.len as Code
                        })
                };
                let fits =
                    place.allowed_values.is_none() && place.value.as_ref().is_some_and(within);
                !fits || !keys_fit(fluent, keys)
            }
            G::Clear(fluent, keys, _) | G::Set(fluent, keys, _) => !keys_fit(fluent, keys),
            G::If(_, t, e) => t.iter().chain(e).any(|g| self.may_fault(g, vars)),
            G::Each(_, action) | G::Once(action) => action.iter().any(|g| self.may_fault(g, vars)),
            G::Call(relation, _) => self.program.relation(*relation).kind == Kind::Action,
            _ => false,
        }
    }

    /// The integers that an expression can give; `None` where that is not known.
    fn interval(&self, e: &Expr, vars: &Vars) -> Option<(i64, i64)> {
        match e {
            Expr::Arg(Arg::Const(code)) => Some((*code, *code)),
            Expr::Arg(Arg::Var(v)) => {
                let domain = &vars.all[*v].domain;
                if domain.top { None } else { domain.integers }
            }
            Expr::Read(fluent, _) => {
                let axis = self.layout.place(*fluent).value.as_ref()?;
                axis.listed.is_none().then(|| (axis.base, axis.base + axis.len as Code - 1))
            }
            Expr::Op(op, args) => {
                let all: Option<Vec<_>> = args.iter().map(|a| self.interval(a, vars)).collect();
                match (op, all?.as_slice()) {
                    (ArithmeticOp::Add, [a, b]) => {
                        Some((a.0.saturating_add(b.0), a.1.saturating_add(b.1)))
                    }
                    (ArithmeticOp::Subtract, [a, b]) => {
                        Some((a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)))
                    }
                    (ArithmeticOp::Min, [a, b]) => Some((a.0.min(b.0), a.1.min(b.1))),
                    (ArithmeticOp::Max, [a, b]) => Some((a.0.max(b.0), a.1.max(b.1))),
                    (ArithmeticOp::Modulo, [_, b]) if b.0 > 0 => Some((0, b.1 - 1)),
                    _ => None,
                }
            }
        }
    }
}

/// Is every value of an argument on the axis?
fn fits(axis: &Axis, arg: Arg, vars: &Vars) -> bool {
    match arg {
        Arg::Const(code) => axis.index(code).is_some(),
        Arg::Var(v) => {
            let domain = &vars.all[v].domain;
            match (axis.universe, domain.integers) {
                (Some(universe), None) => domain.universe() == Some(universe),
                (None, Some((lo, hi))) => {
                    domain.universe().is_some()
                        && axis.listed.is_none()
                        && axis.base <= lo
                        && hi < axis.base + axis.len as Code
                }
                _ => false,
            }
        }
    }
}
