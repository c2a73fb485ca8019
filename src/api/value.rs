//! Values of the rules, and the answers to goals.

use std::fmt;
use std::ops::Index;

use crate::syntax::{Term, TermKind, print_term};

/// A value of the rules: what a variable of a goal is bound to. Displayed as the rules write it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// The variable has no value in this answer, or the goal has no such variable. Displayed as `_`.
    Unbound,
    /// A whole number.
    Integer(i64),
    /// A name, such as a site's, a player's or a piece's.
    Name(String),
    /// A text in double quotes, without them.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// `name(arguments)`, such as a piece with its owner; there is at least one argument.
    Compound(String, Vec<Value>),
}

impl Value {
    pub(super) fn of(term: &Term) -> Value {
        match &term.kind {
            TermKind::Variable(_) | TermKind::Anonymous => Value::Unbound,
            TermKind::Atom(name) => Value::Name(name.clone()),
            TermKind::Integer(number) => Value::Integer(*number),
            TermKind::Text(text) => Value::Text(text.clone()),
            TermKind::Compound(name, args) => {
                Value::Compound(name.clone(), args.iter().map(Value::of).collect())
            }
            TermKind::List(items, _) => Value::List(items.iter().map(Value::of).collect()),
        }
    }

    fn term(&self) -> Term {
        let kind = match self {
            Value::Unbound => TermKind::Anonymous,
            Value::Integer(number) => TermKind::Integer(*number),
            Value::Name(name) => TermKind::Atom(name.clone()),
            Value::Text(text) => TermKind::Text(text.clone()),
            Value::List(items) => TermKind::List(items.iter().map(Value::term).collect(), None),
            Value::Compound(name, args) => {
                TermKind::Compound(name.clone(), args.iter().map(Value::term).collect())
            }
        };
        Term::new(kind, crate::source::Span::NONE)
    }

    /// The number, where it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The name or text, where it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Name(text) | Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_term(&self.term()))
    }
}

/// A name or text equals a string of the same letters.
impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<i64> for Value {
    fn eq(&self, other: &i64) -> bool {
        self.as_integer() == Some(*other)
    }
}

/// One answer to a goal: its variables with their values, in the order of their first use. Variables whose
/// names begin with `_` are left out. A goal without variables that holds has one answer, which is empty.
///
/// `answer["P"]` is [`Value::Unbound`] where the goal has no variable `P`. Displayed as the prompt does:
/// `P = a1, Q = b1`, or `true`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer(pub(super) Vec<(String, Value)>);

impl Answer {
    /// The value of a variable; `None` where the goal has no such variable, or the answer leaves it open.
    pub fn get(&self, variable: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == variable).map(|(_, value)| value)
    }

    /// The variables with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Index<&str> for Answer {
    type Output = Value;

    fn index(&self, variable: &str) -> &Value {
        self.get(variable).unwrap_or(&Value::Unbound)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("true");
        }
        let pairs: Vec<String> = self.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        f.write_str(&pairs.join(", "))
    }
}
