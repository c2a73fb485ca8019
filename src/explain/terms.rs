//! The bindings of a clause's variables, and the values of terms and expressions under them.

use std::ops::ControlFlow;

use crate::program::{ArithmeticOp, ClauseId, Expression, Term, Value, VariableId};
use crate::source::Span;

use super::run::{Answer, Run, Stop};

/// The deepest nesting of compounds.
const MAX_DEPTH: u32 = 200;

/// The bindings of one clause's variables, and the order in which they were made.
#[derive(Debug)]
pub(super) struct Environment {
    /// The clause; `None` for the question.
    pub clause: Option<ClauseId>,
    /// The number of nested calls that lead to the clause.
    pub depth: usize,
    pub slots: Vec<Option<Value>>,
    trail: Vec<VariableId>,
}

impl Environment {
    pub fn new(clause: Option<ClauseId>, depth: usize, variables: usize) -> Environment {
        Environment { clause, depth, slots: vec![None; variables], trail: Vec::new() }
    }

    pub fn get(&self, variable: VariableId) -> Option<Value> {
        self.slots[variable.0 as usize]
    }

    pub fn bind(&mut self, variable: VariableId, value: Value) {
        self.slots[variable.0 as usize] = Some(value);
        self.trail.push(variable);
    }

    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes the bindings made since the mark.
    pub fn undo(&mut self, mark: usize) {
        for variable in self.trail.drain(mark..) {
            self.slots[variable.0 as usize] = None;
        }
    }
}

impl Run<'_> {
    /// Binds the variables of `term` so that it becomes `value`. Where that is not possible some
    /// may be bound nevertheless; the caller undoes them.
    pub(super) fn matches(&mut self, term: &Term, value: Value, env: &mut Environment) -> bool {
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
                let items = match self.values.functor(value) {
                    Some((functor, items)) if functor == name => items.to_vec(),
                    _ => return false,
                };
                items.len() == args.len()
                    && args.iter().zip(items).all(|(t, v)| self.matches(t, v, env))
            }
            Term::List(items, tail) => {
                let Some(all) = self.values.items(value).map(<[Value]>::to_vec) else {
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
                    Some(tail) => {
                        let rest = self.values.list(back);
                        self.matches(tail, rest, env)
                    }
                }
            }
        }
    }

    /// The value of a term; `None` where a variable is unbound.
    pub(super) fn value(&mut self, term: &Term, env: &Environment) -> Answer<Option<Value>> {
        ControlFlow::Continue(match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => env.get(*v),
            Term::Compound(name, args) => {
                let Some(items) = self.all_values(args, env)? else {
                    return ControlFlow::Continue(None);
                };
                let made = self.values.compound(name, &items);
                Some(self.sized(made, items.len(), env)?)
            }
            Term::List(items, tail) => {
                let Some(mut all) = self.all_values(items, env)? else {
                    return ControlFlow::Continue(None);
                };
                if let Some(tail) = tail {
                    let tail = self.value(tail, env)?;
                    let Some(rest) = tail.and_then(|t| self.values.items(t)) else {
                        return ControlFlow::Continue(None);
                    };
                    all.extend_from_slice(rest);
                }
                let made = self.values.list(&all);
                Some(self.sized(made, all.len(), env)?)
            }
        })
    }

    fn all_values(&mut self, terms: &[Term], env: &Environment) -> Answer<Option<Vec<Value>>> {
        let mut items = Vec::with_capacity(terms.len());
        for term in terms {
            match self.value(term, env)? {
                Some(value) => items.push(value),
                None => return ControlFlow::Continue(None),
            }
        }
        ControlFlow::Continue(Some(items))
    }

    /// Counts the steps for a compound or list that was made, more than for a goal, since it takes
    /// memory.
    fn sized(&mut self, made: Value, size: usize, env: &Environment) -> Answer<Value> {
        self.spend(4 * size as u64, env)?;
        if self.values.depth(made) > MAX_DEPTH {
            return ControlFlow::Break(self.too_deep(env));
        }
        ControlFlow::Continue(made)
    }

    /// The value of a term that must have one.
    pub(super) fn need(&mut self, term: &Term, env: &Environment, span: Span) -> Answer<Value> {
        match self.value(term, env)? {
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(self.unbound(span, env)),
        }
    }

    /// The values of keys that must have one.
    pub(super) fn needed(
        &mut self,
        terms: &[Term],
        env: &Environment,
        span: Span,
    ) -> Answer<Vec<Value>> {
        let mut values = Vec::with_capacity(terms.len());
        for term in terms {
            values.push(self.need(term, env, span)?);
        }
        ControlFlow::Continue(values)
    }

    /// The value of an expression; `None` where it reads a map that has no value.
    pub(super) fn number(
        &mut self,
        expression: &Expression,
        env: &Environment,
        span: Span,
    ) -> Answer<Option<i64>> {
        let value = match expression {
            Expression::Integer(n) => return ControlFlow::Continue(Some(*n)),
            Expression::Variable(v) => match env.get(*v) {
                Some(value) => value,
                None => return ControlFlow::Break(self.unbound(span, env)),
            },
            Expression::Fluent(fluent, keys) => {
                let keys = self.needed(keys, env, span)?;
                match self.read_one(*fluent, &keys) {
                    Some(value) => value,
                    None => return ControlFlow::Continue(None),
                }
            }
            Expression::Operation(op, args) => {
                let mut numbers = Vec::with_capacity(args.len());
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

    fn no_result(&self, op: ArithmeticOp, args: &[i64], span: Span, env: &Environment) -> Stop {
        let shown: Vec<String> = args.iter().map(i64::to_string).collect();
        let text = match shown.as_slice() {
            [a, b] => format!("{a} {} {b}", op.name()),
            other => format!("{}({})", op.name(), other.join(", ")),
        };
        self.arithmetic(&text, span, env)
    }

    pub(super) fn no_number(&self, value: Value, span: Span, env: &Environment) -> Stop {
        self.arithmetic(&self.values.show(value), span, env)
    }
}
