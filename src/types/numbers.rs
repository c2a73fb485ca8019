//! Intervals of expressions, and whether an expression may have no value.

use crate::program::{ArithmeticOp as Op, Comparison, Expression};

use super::domain::{ALL, Domain};
use super::infer::{Held, Inference, Walk};

/// What small additions cannot leave: a question has far too few steps to count as far as this from
/// the numbers that rules are written with, and as far again to the greatest number.
pub(super) const COUNTED: i64 = 1 << 57;

/// The greatest small addition.
const SMALL: i64 = 1 << 20;

/// An interval, and whether calculating it may be a rule error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub lo: i64,
    pub hi: i64,
    pub raises: bool,
}

impl Range {
    fn of(domain: &Domain) -> Range {
        let (lo, hi) = domain.integers.unwrap_or(ALL);
        Range { lo, hi, raises: !domain.is_number() }
    }

    /// Cuts an interval to the range of numbers; a cut may be a rule error.
    fn clamped(lo: i128, hi: i128, raises: bool) -> Range {
        let (least, most) = (i128::from(ALL.0), i128::from(ALL.1));
        Range {
            lo: lo.clamp(least, most) as i64,
            hi: hi.clamp(least, most) as i64,
            raises: raises || lo < least || hi > most,
        }
    }
}

impl Inference<'_> {
    /// The interval of an expression, given the domains of its variables and the bounds on maps.
    pub(super) fn range(&self, e: &Expression, variables: &[Domain], held: &[Held]) -> Range {
        match e {
            Expression::Integer(n) => Range { lo: *n, hi: *n, raises: false },
            Expression::Variable(v) => Range::of(&variables[v.0 as usize]),
            Expression::Fluent(fluent, keys) => match self.types.fluent(*fluent).last() {
                Some(value) => {
                    let mut range = Range::of(value);
                    for held in held.iter().filter(|h| h.fluent == *fluent && h.keys == *keys) {
                        let same = held.same.map(|v| Range::of(&variables[v.0 as usize]));
                        let (lo, hi) = same.map_or(ALL, |same| (same.lo, same.hi));
                        range.lo = range.lo.max(held.lo).max(lo);
                        range.hi = range.hi.min(held.hi).min(hi);
                    }
                    range
                }
                None => Range { lo: ALL.0, hi: ALL.1, raises: true },
            },
            Expression::Operation(op, args) => {
                let args: Vec<Range> =
                    args.iter().map(|a| self.range(a, variables, held)).collect();
                operation(*op, &args)
            }
        }
    }

    /// Narrows a variable or a map on one side of a comparison that holds.
    pub(super) fn compared(
        &self,
        op: Comparison,
        (a, b): (&Expression, &Expression),
        walk: &mut Walk<'_, '_>,
    ) {
        for (side, op, other) in [(a, op, b), (b, op.mirrored(), a)] {
            let other = self.range(other, &walk.seen, &walk.held);
            let (lo, hi) = bounds(op, &other);
            match side {
                Expression::Variable(v) => {
                    walk.narrow(*v, &Domain::range(lo, hi), &self.types.forms);
                }
                Expression::Fluent(fluent, keys) => {
                    let keys = keys.clone();
                    walk.held.push(Held { fluent: *fluent, keys, lo, hi, same: None });
                }
                _ => {}
            }
        }
    }
}

/// The numbers that compare so with one of a range.
pub(super) fn bounds(op: Comparison, other: &Range) -> (i64, i64) {
    match op {
        Comparison::Less => (ALL.0, other.hi.saturating_sub(1)),
        Comparison::LessOrEqual => (ALL.0, other.hi),
        Comparison::Greater => (other.lo.saturating_add(1), ALL.1),
        Comparison::GreaterOrEqual => (other.lo, ALL.1),
        Comparison::Equal => (other.lo, other.hi),
        Comparison::NotEqual => ALL,
    }
}

/// The interval of a sum or difference, from which a recursion that counts does not grow on for ever.
fn counted((a, b): (&Range, &Range), lo: i128, hi: i128, raises: bool) -> Range {
    let within = |range: &Range, most: i64| -most <= range.lo && range.hi <= most;
    let counts = |a: &Range, b: &Range| within(a, COUNTED) && within(b, SMALL);
    let most = i128::from(COUNTED);
    match counts(a, b) || counts(b, a) {
        true => Range::clamped(lo.max(-most), hi.min(most), raises),
        false => Range::clamped(lo, hi, raises),
    }
}

fn operation(op: Op, args: &[Range]) -> Range {
    let raises = args.iter().any(|a| a.raises);
    let wide = |n: i64| i128::from(n);
    let most = |a: &Range| wide(a.lo).abs().max(wide(a.hi).abs());
    match (op, args) {
        (Op::Add, [a, b]) => {
            counted((a, b), wide(a.lo) + wide(b.lo), wide(a.hi) + wide(b.hi), raises)
        }
        (Op::Subtract, [a, b]) => {
            counted((a, b), wide(a.lo) - wide(b.hi), wide(a.hi) - wide(b.lo), raises)
        }
        (Op::Multiply, [a, b]) => {
            let corners = [a.lo, a.hi].map(|x| [b.lo, b.hi].map(|y| wide(x) * wide(y)));
            let all = corners.concat();
            let least = all.iter().copied().min().unwrap_or(0);
            Range::clamped(least, all.iter().copied().max().unwrap_or(0), raises)
        }
        (Op::Divide | Op::DivideExactly | Op::Remainder, [a, b]) => {
            let zero = b.lo <= 0 && 0 <= b.hi;
            let inexact = op == Op::DivideExactly;
            Range::clamped(-most(a), most(a), raises || zero || inexact)
        }
        (Op::Modulo, [_, b]) => {
            let zero = b.lo <= 0 && 0 <= b.hi;
            let lo = if b.lo < 0 { wide(b.lo) + 1 } else { 0 };
            let hi = if b.hi > 0 { wide(b.hi) - 1 } else { 0 };
            Range::clamped(lo, hi, raises || zero)
        }
        (Op::Power, [a, b]) => {
            let exponent = u32::try_from(b.hi.clamp(0, 64)).unwrap_or(64);
            let bound = most(a).max(1).checked_pow(exponent).unwrap_or(i128::MAX / 2);
            Range::clamped(-bound, bound, raises || b.lo < 0 || b.hi > 64)
        }
        (Op::Negate, [a]) => Range::clamped(-wide(a.hi), -wide(a.lo), raises),
        (Op::Abs, [a]) => Range::clamped(0, most(a), raises),
        (Op::Sign, [_]) => Range { lo: -1, hi: 1, raises },
        (Op::Min, [a, b]) => Range { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi), raises },
        (Op::Max, [a, b]) => Range { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi), raises },
        _ => Range { lo: ALL.0, hi: ALL.1, raises: true },
    }
}
