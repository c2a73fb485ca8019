//! Arithmetic in native code. What is a rule error is left to the interpreter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::plan::universe::MAX_INTEGER;
use crate::program::ArithmeticOp;

use super::function::{Function, Number};

/// The result of the helper [`power`](super::module::Helpers::power) where there is none.
pub(super) const NO_NUMBER: i64 = i64::MIN;

/// The least and the greatest of the products of two ranges.
fn products(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    (*ends.iter().min().unwrap_or(&0), *ends.iter().max().unwrap_or(&0))
}

impl Function<'_, '_, '_> {
    /// Bails out where a value is no integer of the language.
    pub fn bail_unless_integer(&mut self, x: Number) {
        if x.within(-MAX_INTEGER, MAX_INTEGER) {
            return;
        }
        let moved = self.plus(x.value, MAX_INTEGER);
        let beyond = self.compare_with(IntCC::UnsignedGreaterThan, moved, 2 * MAX_INTEGER);
        self.bail_if(beyond);
    }

    /// The result of an operation; a unary one reads `a` alone.
    pub fn calculate(&mut self, op: ArithmeticOp, a: Number, b: Number) -> Number {
        let unary = matches!(op, ArithmeticOp::Negate | ArithmeticOp::Abs | ArithmeticOp::Sign);
        if let (Some(x), Some(y)) = (a.constant(), b.constant())
            && a.within(-MAX_INTEGER, MAX_INTEGER)
            && b.within(-MAX_INTEGER, MAX_INTEGER)
            && let Some(n) = if unary { op.apply(&[x]) } else { op.apply(&[x, y]) }
            && (-MAX_INTEGER..=MAX_INTEGER).contains(&n)
        {
            return self.exactly(n);
        }
        self.bail_unless_integer(a);
        if !unary {
            self.bail_unless_integer(b);
        }
        let clip = |n: i64| n.clamp(-MAX_INTEGER, MAX_INTEGER);
        let (al, ah, bl, bh) = (clip(a.lo), clip(a.hi), clip(b.lo), clip(b.hi));
        let (value, lo, hi) = match op {
            ArithmeticOp::Add => (self.add(a.value, b.value), al + bl, ah + bh),
            ArithmeticOp::Subtract => (self.b.ins().isub(a.value, b.value), al - bh, ah - bl),
            ArithmeticOp::Negate => (self.b.ins().ineg(a.value), -ah, -al),
            ArithmeticOp::Min => (self.b.ins().smin(a.value, b.value), al.min(bl), ah.min(bh)),
            ArithmeticOp::Max => (self.b.ins().smax(a.value, b.value), al.max(bl), ah.max(bh)),
            ArithmeticOp::Abs => (self.b.ins().iabs(a.value), 0, al.abs().max(ah.abs())),
            ArithmeticOp::Sign => {
                let (one, less) = (self.c(1), self.c(-1));
                let below = self.b.ins().smin(a.value, one);
                (self.b.ins().smax(below, less), -1, 1)
            }
            ArithmeticOp::Multiply => {
                let (lo, hi) = products((al, ah), (bl, bh));
                (self.b.ins().imul(a.value, b.value), lo, hi)
            }
            ArithmeticOp::Modulo if bl == bh && bl > 0 && al >= 0 => {
                (self.b.ins().urem(a.value, b.value), 0, bl - 1)
            }
            ArithmeticOp::Divide if bl == bh && bl > 0 && al >= 0 => {
                (self.b.ins().udiv(a.value, b.value), al / bl, ah / bl)
            }
            ArithmeticOp::Modulo if bl == bh && bl > 0 => {
                let rest = self.b.ins().srem(a.value, b.value);
                let sign = self.b.ins().sshr_imm_s(rest, 63);
                let more = self.and(b.value, sign);
                (self.add(rest, more), 0, bl - 1)
            }
            ArithmeticOp::Divide if bl == bh && bl > 0 => {
                (self.b.ins().sdiv(a.value, b.value), al / bl, ah / bl)
            }
            ArithmeticOp::Remainder if bl == bh && bl > 0 => {
                let (lo, hi) = (al.clamp(1 - bl, 0), ah.clamp(0, bl - 1));
                (self.b.ins().srem(a.value, b.value), lo, hi)
            }
            ArithmeticOp::Divide
            | ArithmeticOp::DivideExactly
            | ArithmeticOp::Modulo
            | ArithmeticOp::Remainder => {
                let nothing = self.compare_with(IntCC::Equal, b.value, 0);
                self.bail_if(nothing);
                let most = match op {
                    ArithmeticOp::Divide | ArithmeticOp::DivideExactly => al.abs().max(ah.abs()),
                    _ => bl.abs().max(bh.abs()),
                };
                (self.divide(op, a.value, b.value), -most, most)
            }
            ArithmeticOp::Power => {
                let power = self.call_helper(self.module.helpers.power, &[a.value, b.value]);
                let none = self.compare_with(IntCC::Equal, power, NO_NUMBER);
                self.bail_if(none);
                (power, -MAX_INTEGER, MAX_INTEGER)
            }
        };
        self.bail_unless_integer(Number { value, lo, hi });
        Number { value, lo: clip(lo), hi: clip(hi) }
    }

    /// A quotient or a rest; the divisor is not 0.
    fn divide(&mut self, op: ArithmeticOp, a: Value, b: Value) -> Value {
        if op == ArithmeticOp::Divide {
            return self.b.ins().sdiv(a, b);
        }
        let rest = self.b.ins().srem(a, b);
        match op {
            ArithmeticOp::DivideExactly => {
                self.bail_if(rest);
                self.b.ins().sdiv(a, b)
            }
            ArithmeticOp::Modulo => {
                // a rest that is not 0 takes the sign of the divisor
                let zero = self.c(0);
                let signs = self.b.ins().bxor(rest, b);
                let differ = self.compare_with(IntCC::SignedLessThan, signs, 0);
                let more = self.b.ins().select(differ, b, zero);
                let more = self.b.ins().select(rest, more, zero);
                self.add(rest, more)
            }
            _ => rest,
        }
    }
}
