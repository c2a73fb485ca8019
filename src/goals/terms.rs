//! The values of terms and expressions under bindings. These are methods of [`Evaluator`], in a trait of
//! their own that every evaluator has.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::program::{ArithmeticOp, Expression, Term, Value};
use crate::source::Span;

use super::{Answer, Environment, Evaluator, Row, Stop};

/// The deepest nesting of compounds.
const MAX_DEPTH: u32 = 200;

/// Terms and expressions.
pub trait Terms: Evaluator {
    /// Binds the variables of `term` so that it becomes `value`. Where that is not possible some
    /// may be bound nevertheless; the caller undoes them.
    fn matches(&mut self, term: &Term, value: Value, env: &mut Environment) -> bool {
        match term {
            Term::Constant(constant) => *constant == value,
            Term::Variable(v) => match env.get(*v) {
                Some(bound) => bound == value,
                None => {
                    env.bind(*v, value);
                    true
                }
            },
            Term::Compound(name, args) => {
                let items = match self.values().functor(value) {
                    Some((functor, items)) if functor == name => Row::from_slice(items),
                    _ => return false,
                };
                items.len() == args.len()
                    && args.iter().zip(items).all(|(t, v)| self.matches(t, v, env))
            }
            Term::List(items, tail) => {
                let Some(all) = self.values().items(value).map(Row::from_slice) else {
                    return false;
                };
                if all.len() < items.len() {
                    return false;
                }
                let (front, back) = all.split_at(items.len());
                if !items.iter().zip(front).all(|(t, v)| self.matches(t, *v, env)) {
                    return false;
                }
                match tail {
                    None => back.is_empty(),
                    Some(tail) => match self.rest(back) {
                        Some(rest) => self.matches(tail, rest, env),
                        None => false,
                    },
                }
            }
        }
    }

    /// The value of a term; `None` where a variable is unbound.
    ///
    /// # Errors
    /// A budget that is spent.
    fn value(&mut self, term: &Term, env: &Environment) -> Answer<Option<Value>, Self::Fault> {
        ControlFlow::Continue(match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => env.get(*v),
            Term::Compound(name, args) => {
                let Some(items) = self.all_values(args, env)? else {
                    return ControlFlow::Continue(None);
                };
                self.spend(Self::ITEM * items.len() as u64, env)?;
                let made = self.values_mut().compound(name, &items);
                if self.values().depth(made) > MAX_DEPTH {
                    return ControlFlow::Break(self.too_deep(env));
                }
                Some(made)
            }
            Term::List(items, tail) => {
                let Some(mut all) = self.all_values(items, env)? else {
                    return ControlFlow::Continue(None);
                };
                if let Some(tail) = tail {
                    let tail = self.value(tail, env)?;
                    let Some(rest) = tail.and_then(|t| self.values().items(t)) else {
                        return ControlFlow::Continue(None);
                    };
                    all.extend_from_slice(rest);
                }
                self.spend(Self::ITEM * all.len() as u64, env)?;
                let made = self.list(&all);
                if self.values().depth(made) > MAX_DEPTH {
                    return ControlFlow::Break(self.too_deep(env));
                }
                Some(made)
            }
        })
    }

    /// The values of terms; `None` where a variable is unbound.
    ///
    /// # Errors
    /// A budget that is spent.
    fn all_values(
        &mut self,
        terms: &[Term],
        env: &Environment,
    ) -> Answer<Option<SmallVec<[Value; 8]>>, Self::Fault> {
        let mut items = SmallVec::new();
        for term in terms {
            match self.value(term, env)? {
                Some(value) => items.push(value),
                None => return ControlFlow::Continue(None),
            }
        }
        ControlFlow::Continue(Some(items))
    }

    /// The value of a term that must have one.
    ///
    /// # Errors
    /// Where it has none, or a budget is spent.
    fn need(&mut self, term: &Term, env: &Environment, span: Span) -> Answer<Value, Self::Fault> {
        match self.value(term, env)? {
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(self.unbound(span, env)),
        }
    }

    /// The values of terms that must have one.
    ///
    /// # Errors
    /// As for [`Self::need`].
    fn needed(
        &mut self,
        terms: &[Term],
        env: &Environment,
        span: Span,
    ) -> Answer<Vec<Value>, Self::Fault> {
        let mut values = Vec::with_capacity(terms.len());
        for term in terms {
            values.push(self.need(term, env, span)?);
        }
        ControlFlow::Continue(values)
    }

    /// The value of an expression; `None` where it reads a map that has no value.
    ///
    /// # Errors
    /// Where it calculates with what is no number, or has no result.
    fn number(
        &mut self,
        expression: &Expression,
        env: &Environment,
        span: Span,
    ) -> Answer<Option<i64>, Self::Fault> {
        let value = match expression {
            Expression::Integer(n) => return ControlFlow::Continue(Some(*n)),
            Expression::Variable(v) => match env.get(*v) {
                Some(value) => value,
                None => return ControlFlow::Break(self.unbound(span, env)),
            },
            Expression::Fluent(fluent, keys) => {
                let keys = self.needed(keys, env, span)?;
                match self.read(*fluent, &keys) {
                    Some(value) => value,
                    None => return ControlFlow::Continue(None),
                }
            }
            Expression::Operation(op, args) => {
                let mut numbers: SmallVec<[i64; 2]> = SmallVec::new();
                for arg in args {
                    match self.number(arg, env, span)? {
                        Some(n) => numbers.push(n),
                        None => return ControlFlow::Continue(None),
                    }
                }
                return match op.apply(&numbers) {
                    Some(n) => ControlFlow::Continue(Some(n)),
                    None => ControlFlow::Break(self.no_result(*op, &numbers, span, env)),
                };
            }
        };
        match value {
            Value::Integer(n) => ControlFlow::Continue(Some(n)),
            Value::Constant(_) => ControlFlow::Break(self.no_number(value, span, env)),
        }
    }

    /// The fault of a calculation that has no result.
    fn no_result(
        &self,
        op: ArithmeticOp,
        args: &[i64],
        span: Span,
        env: &Environment,
    ) -> Stop<Self::Fault> {
        let shown: Vec<String> = args.iter().map(i64::to_string).collect();
        let text = match shown.as_slice() {
            [a, b] => format!("{a} {} {b}", op.name()),
            other => format!("{}({})", op.name(), other.join(", ")),
        };
        self.arithmetic(&text, span, env)
    }

    /// The fault of a calculation with what is no number.
    fn no_number(&self, value: Value, span: Span, env: &Environment) -> Stop<Self::Fault> {
        self.arithmetic(&self.values().show(value), span, env)
    }
}

impl<E: Evaluator> Terms for E {}
