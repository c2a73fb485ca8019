//! Goals, terms and expressions of a clause, with names resolved.

use crate::source::Span;

use super::{FluentId, RelationId, Value};

/// Index into a clause's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// A term of a clause.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    Variable(VariableId),
    Constant(Value),
    /// Has a variable somewhere below; ground compounds are constants.
    Compound(String, Vec<Term>),
    /// Has a variable somewhere below; `None` as tail is the empty list.
    List(Vec<Term>, Option<Box<Term>>),
}

impl Term {
    /// Calls `visit` for each variable, with repetition, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Term::Variable(v) => visit(*v),
            Term::Constant(_) => {}
            Term::Compound(_, args) => args.iter().for_each(|a| a.each_variable(visit)),
            Term::List(items, tail) => {
                items.iter().for_each(|a| a.each_variable(visit));
                if let Some(tail) = tail {
                    tail.each_variable(visit);
                }
            }
        }
    }
}

/// An arithmetic expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    Integer(i64),
    Variable(VariableId),
    /// The value of a map at bound keys; no value where the map has none.
    Fluent(FluentId, Vec<Term>),
    Operation(ArithmeticOp, Vec<Expression>),
}

impl Expression {
    pub fn each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Expression::Integer(_) => {}
            Expression::Variable(v) => visit(*v),
            Expression::Fluent(_, keys) => keys.iter().for_each(|k| k.each_variable(visit)),
            Expression::Operation(_, args) => args.iter().for_each(|a| a.each_variable(visit)),
        }
    }
}

pub use crate::syntax::MAX_INTEGER;

/// Arithmetic on integers of 60 bits; overflow is a rule error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    /// `//`: towards zero.
    Divide,
    /// `/`: a rule error where it is not exact.
    DivideExactly,
    /// `mod`: the sign of the divisor.
    Modulo,
    /// `rem`: the sign of the dividend.
    Remainder,
    Power,
    Negate,
    Abs,
    Sign,
    Min,
    Max,
}

impl ArithmeticOp {
    /// The operation that a name and number of arguments mean.
    pub fn named(name: &str, arity: usize) -> Option<ArithmeticOp> {
        Some(match (name, arity) {
            ("+", 2) => ArithmeticOp::Add,
            ("-", 2) => ArithmeticOp::Subtract,
            ("*", 2) => ArithmeticOp::Multiply,
            ("//", 2) => ArithmeticOp::Divide,
            ("/", 2) => ArithmeticOp::DivideExactly,
            ("mod", 2) => ArithmeticOp::Modulo,
            ("rem", 2) => ArithmeticOp::Remainder,
            ("^" | "**", 2) => ArithmeticOp::Power,
            ("-", 1) => ArithmeticOp::Negate,
            ("abs", 1) => ArithmeticOp::Abs,
            ("sign", 1) => ArithmeticOp::Sign,
            ("min", 2) => ArithmeticOp::Min,
            ("max", 2) => ArithmeticOp::Max,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract | ArithmeticOp::Negate => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "//",
            ArithmeticOp::DivideExactly => "/",
            ArithmeticOp::Modulo => "mod",
            ArithmeticOp::Remainder => "rem",
            ArithmeticOp::Power => "^",
            ArithmeticOp::Abs => "abs",
            ArithmeticOp::Sign => "sign",
            ArithmeticOp::Min => "min",
            ArithmeticOp::Max => "max",
        }
    }

    /// The result; `None` on overflow, division by zero, an inexact `/` or a negative exponent of
    /// what is neither 1 nor -1.
    pub fn apply(self, args: &[i64]) -> Option<i64> {
        self.exact(args).filter(|n| (-MAX_INTEGER..=MAX_INTEGER).contains(n))
    }

    fn exact(self, args: &[i64]) -> Option<i64> {
        match (self, args) {
            (ArithmeticOp::Add, [a, b]) => a.checked_add(*b),
            (ArithmeticOp::Subtract, [a, b]) => a.checked_sub(*b),
            (ArithmeticOp::Multiply, [a, b]) => a.checked_mul(*b),
            (ArithmeticOp::Divide, [a, b]) => a.checked_div(*b),
            (ArithmeticOp::DivideExactly, [a, b]) => {
                a.checked_rem(*b).filter(|r| *r == 0).and_then(|_| a.checked_div(*b))
            }
            (ArithmeticOp::Modulo, [a, b]) => {
                let r = a.checked_rem(*b)?;
                Some(if r != 0 && (r < 0) != (*b < 0) { r + b } else { r })
            }
            (ArithmeticOp::Remainder, [a, b]) => a.checked_rem(*b),
            (ArithmeticOp::Power, [1, _]) => Some(1),
            (ArithmeticOp::Power, [-1, b]) => Some(if b % 2 == 0 { 1 } else { -1 }),
            (ArithmeticOp::Power, [0, b]) if *b > 0 => Some(0),
            (ArithmeticOp::Power, [a, b]) => a.checked_pow(u32::try_from(*b).ok()?),
            (ArithmeticOp::Negate, [a]) => a.checked_neg(),
            (ArithmeticOp::Abs, [a]) => a.checked_abs(),
            (ArithmeticOp::Sign, [a]) => Some(a.signum()),
            (ArithmeticOp::Min, [a, b]) => Some(*a.min(b)),
            (ArithmeticOp::Max, [a, b]) => Some(*a.max(b)),
            _ => None,
        }
    }
}

/// A comparison of two integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    pub fn named(name: &str) -> Option<Comparison> {
        Some(match name {
            "<" => Comparison::Less,
            "=<" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            "=:=" => Comparison::Equal,
            "=\\=" => Comparison::NotEqual,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "=<",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Equal => "=:=",
            Comparison::NotEqual => "=\\=",
        }
    }

    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }
    }
}

/// What is made of all answers of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// How many distinct values the template takes.
    Count,
    /// The template's sum over the distinct answers of the goal.
    Sum,
    Max,
    Min,
    /// The list of the template's values, in order of the answers; static only.
    Findall,
}

/// Goals on lists, atoms and integers that are built in and are not control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// `member(X, L)`.
    Member,
    /// `length(L, N)`.
    Length,
    /// `append(A, B, C)`; static only.
    Append,
    /// `nth(N, L, X)`, counted from 1; static only.
    Nth,
    /// `atom_concat(A, B, C)`; static only.
    AtomConcat,
    /// `coordinate(X, Y, Name)`; static only.
    Coordinate,
}

impl BuiltIn {
    pub fn named(name: &str, arity: usize) -> Option<BuiltIn> {
        Some(match (name, arity) {
            ("member", 2) => BuiltIn::Member,
            ("length", 2) => BuiltIn::Length,
            ("append", 3) => BuiltIn::Append,
            ("nth", 3) => BuiltIn::Nth,
            ("atom_concat", 3) => BuiltIn::AtomConcat,
            ("coordinate", 3) => BuiltIn::Coordinate,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            BuiltIn::Member => "member",
            BuiltIn::Length => "length",
            BuiltIn::Append => "append",
            BuiltIn::Nth => "nth",
            BuiltIn::AtomConcat => "atom_concat",
            BuiltIn::Coordinate => "coordinate",
        }
    }

    /// Only for relations that are evaluated at load.
    pub fn static_only(self) -> bool {
        !matches!(self, BuiltIn::Member | BuiltIn::Length)
    }
}

/// A goal with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    pub kind: GoalKind,
    pub span: Span,
}

/// What a goal does.
#[derive(Debug, Clone, PartialEq)]
pub enum GoalKind {
    True,
    Fail,
    /// A relation of the program: static, derived, fluent or action.
    Call(RelationId, Vec<Term>),
    /// Never nested directly in another conjunction.
    And(Vec<Goal>),
    Or(Vec<Goal>),
    /// `(c -> t ; e)`; without an else part `e` is `Fail`.
    If(Box<Goal>, Box<Goal>, Box<Goal>),
    Not(Box<Goal>),
    Forall(Box<Goal>, Box<Goal>),
    Once(Box<Goal>),
    /// `=` and `==`.
    Unify(Term, Term),
    /// `\=` and `\==`.
    Differ(Term, Term),
    Compare(Comparison, Expression, Expression),
    Is(Term, Expression),
    /// `X in Lo..Hi` and `between(Lo, Hi, X)`.
    In(Term, Expression, Expression),
    BuiltIn(BuiltIn, Vec<Term>),
    /// Template, goal, result.
    Aggregate(Aggregate, Term, Box<Goal>, Term),
    Legal(Term),
    Stuck,
    /// `repeated(N)`.
    Repeated(Term),
    /// `repeated_board(N)`.
    RepeatedBoard(Term),
    /// `at(P) := X` for a map whose values are not all integers.
    Assign(FluentId, Vec<Term>, Term),
    /// `hand(P) := N + 1`, `+=` and `-=` (made into a sum) for an integer map.
    AssignNumber(FluentId, Vec<Term>, Expression),
    /// `clear(at(P))`.
    Clear(FluentId, Vec<Term>),
    /// `set(ko(P))`.
    Set(FluentId, Vec<Term>),
    /// `again`.
    Again,
    /// Goal, action.
    Each(Box<Goal>, Box<Goal>),
}

impl Goal {
    pub fn new(kind: GoalKind, span: Span) -> Goal {
        Goal { kind, span }
    }

    /// The goals of a conjunction; one for any other goal.
    pub fn conjuncts(&self) -> &[Goal] {
        match &self.kind {
            GoalKind::And(goals) => goals,
            GoalKind::True => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// The goals directly below this one.
    pub fn children(&self) -> Vec<&Goal> {
        match &self.kind {
            GoalKind::And(goals) | GoalKind::Or(goals) => goals.iter().collect(),
            GoalKind::If(c, t, e) => vec![c, t, e],
            GoalKind::Forall(a, b) | GoalKind::Each(a, b) => vec![a, b],
            GoalKind::Not(g) | GoalKind::Once(g) | GoalKind::Aggregate(_, _, g, _) => vec![g],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for this goal and all below it, outer before inner, left to right.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Goal)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The terms that stand directly in this goal, not those of its inner goals.
    pub fn terms(&self) -> Vec<&Term> {
        match &self.kind {
            GoalKind::Call(_, args) | GoalKind::BuiltIn(_, args) => args.iter().collect(),
            GoalKind::Unify(a, b) | GoalKind::Differ(a, b) => vec![a, b],
            GoalKind::Is(t, _) | GoalKind::In(t, _, _) => vec![t],
            GoalKind::Aggregate(_, template, _, result) => vec![template, result],
            GoalKind::Legal(t) | GoalKind::Repeated(t) | GoalKind::RepeatedBoard(t) => vec![t],
            GoalKind::Assign(_, keys, value) => keys.iter().chain([value]).collect(),
            GoalKind::AssignNumber(_, keys, _)
            | GoalKind::Clear(_, keys)
            | GoalKind::Set(_, keys) => keys.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions that stand directly in this goal.
    pub fn expressions(&self) -> Vec<&Expression> {
        match &self.kind {
            GoalKind::Compare(_, a, b) | GoalKind::In(_, a, b) => vec![a, b],
            GoalKind::Is(_, e) | GoalKind::AssignNumber(_, _, e) => vec![e],
            _ => Vec::new(),
        }
    }

    pub(super) fn children_mut(&mut self) -> Vec<&mut Goal> {
        match &mut self.kind {
            GoalKind::And(goals) | GoalKind::Or(goals) => goals.iter_mut().collect(),
            GoalKind::If(c, t, e) => vec![c, t, e],
            GoalKind::Forall(a, b) | GoalKind::Each(a, b) => vec![a, b],
            GoalKind::Not(g) | GoalKind::Once(g) | GoalKind::Aggregate(_, _, g, _) => vec![g],
            _ => Vec::new(),
        }
    }

    pub(super) fn terms_mut(&mut self) -> Vec<&mut Term> {
        match &mut self.kind {
            GoalKind::Call(_, args) | GoalKind::BuiltIn(_, args) => args.iter_mut().collect(),
            GoalKind::Unify(a, b) | GoalKind::Differ(a, b) => vec![a, b],
            GoalKind::Is(t, _) | GoalKind::In(t, _, _) => vec![t],
            GoalKind::Aggregate(_, template, _, result) => vec![template, result],
            GoalKind::Legal(t) | GoalKind::Repeated(t) | GoalKind::RepeatedBoard(t) => vec![t],
            GoalKind::Assign(_, keys, value) => keys.iter_mut().chain([value]).collect(),
            GoalKind::AssignNumber(_, keys, _)
            | GoalKind::Clear(_, keys)
            | GoalKind::Set(_, keys) => keys.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            GoalKind::Compare(_, a, b) | GoalKind::In(_, a, b) => vec![a, b],
            GoalKind::Is(_, e) | GoalKind::AssignNumber(_, _, e) => vec![e],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for each variable of this goal and all below it, with repetition.
    pub fn each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        for term in self.terms() {
            term.each_variable(visit);
        }
        for expression in self.expressions() {
            expression.each_variable(visit);
        }
        for child in self.children() {
            child.each_variable(visit);
        }
    }

    /// Is this goal itself an update of the state?
    pub fn is_update(&self) -> bool {
        matches!(
            self.kind,
            GoalKind::Assign(..)
                | GoalKind::AssignNumber(..)
                | GoalKind::Clear(..)
                | GoalKind::Set(..)
                | GoalKind::Again
                | GoalKind::Each(..)
        )
    }
}
