//! Goals, terms and expressions of a clause, with names resolved.

use crate::source::Span;

use super::{FluentId, RelationId, Value};

/// Index into a clause's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// A term of a clause.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// A variable of the clause.
    Variable(VariableId),
    /// A ground term.
    Constant(Value),
    /// A compound that contains a variable; ground compounds are constants.
    Compound(String, Vec<Term>),
    /// A list that contains a variable: its first items and its tail, where `None` is the empty list.
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
    /// A number.
    Integer(i64),
    /// The value of a variable; a rule error where it is not an integer.
    Variable(VariableId),
    /// The value of a map at bound keys; the expression has no value where the map has none.
    Fluent(FluentId, Vec<Term>),
    /// An operation on one or two expressions.
    Operation(ArithmeticOp, Vec<Expression>),
}

impl Expression {
    /// Calls `visit` for each variable, with repetition, from left to right.
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

/// An operation on integers of 60 bits; overflow is a rule error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`.
    Add,
    /// `-` with two arguments.
    Subtract,
    /// `*`.
    Multiply,
    /// `//`: rounds towards zero.
    Divide,
    /// `/`: a rule error where it is not exact.
    DivideExactly,
    /// `mod`: the result has the sign of the divisor.
    Modulo,
    /// `rem`: the result has the sign of the dividend.
    Remainder,
    /// `^` or `**`.
    Power,
    /// `-` with one argument.
    Negate,
    /// `abs`.
    Abs,
    /// `sign`: -1, 0 or 1.
    Sign,
    /// `min`.
    Min,
    /// `max`.
    Max,
}

impl ArithmeticOp {
    /// The operation of this name and number of arguments.
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

    /// The name as rule files write it; `^` for a power.
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

    /// The result; `None` on overflow, division by zero, an inexact `/`, or a negative exponent of
    /// a base other than 1 and -1. Also `None` where the number of arguments is wrong.
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
    /// `<`.
    Less,
    /// `=<`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `=:=`.
    Equal,
    /// `=\=`.
    NotEqual,
}

impl Comparison {
    /// The comparison of this name.
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

    /// The name as rule files write it.
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

    /// The comparison with its sides exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::Equal | Comparison::NotEqual => self,
        }
    }

    /// The comparison that holds where this one does not.
    pub fn denied(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
        }
    }

    /// Whether the comparison holds between two integers.
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

/// What an aggregate computes from the distinct answers of its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// How many distinct values the template has.
    Count,
    /// The sum of the template over the distinct answers of the goal.
    Sum,
    /// The greatest value of the template; no answer where the goal has none.
    Max,
    /// The least value of the template; no answer where the goal has none.
    Min,
    /// The list of the template's values, in order of the answers; static only.
    Findall,
    /// How many groups the distinct values of the template form, where sites beside each other are of one
    /// group. The field is `adjacent/2`.
    Groups(RelationId),
}

impl Aggregate {
    /// The name of the goal.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Count => "count",
            Aggregate::Sum => "sum",
            Aggregate::Max => "max",
            Aggregate::Min => "min",
            Aggregate::Findall => "findall",
            Aggregate::Groups(_) => "connected",
        }
    }
}

/// The built-in goals on lists, atoms and integers.
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
    /// The built-in goal of this name and arity.
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

    /// The name as rule files write it.
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

    /// Whether only static relations, which are evaluated at load, may use it.
    pub fn static_only(self) -> bool {
        !matches!(self, BuiltIn::Member | BuiltIn::Length)
    }
}

/// A goal and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// What it does.
    pub kind: GoalKind,
    /// Its text.
    pub span: Span,
}

/// What a goal does.
#[derive(Debug, Clone, PartialEq)]
pub enum GoalKind {
    /// Always holds.
    True,
    /// Never holds.
    Fail,
    /// A relation of the program: static, derived, fluent or action.
    Call(RelationId, Vec<Term>),
    /// `A, B, …`; no item is itself a conjunction.
    And(Vec<Goal>),
    /// `(A ; B ; …)`: each alternative in turn.
    Or(Vec<Goal>),
    /// `(C -> T ; E)`; without an else part `E` is `Fail`.
    If(Box<Goal>, Box<Goal>, Box<Goal>),
    /// `\+ G`.
    Not(Box<Goal>),
    /// `forall(A, B)`: every answer of `A` satisfies `B`.
    Forall(Box<Goal>, Box<Goal>),
    /// `once(G)`: the first answer only.
    Once(Box<Goal>),
    /// `=` and `==`.
    Unify(Term, Term),
    /// `\=` and `\==`.
    Differ(Term, Term),
    /// A comparison of two integers.
    Compare(Comparison, Expression, Expression),
    /// `T is E`.
    Is(Term, Expression),
    /// `X in Lo..Hi` and `between(Lo, Hi, X)`.
    In(Term, Expression, Expression),
    /// A built-in goal on lists, atoms or integers.
    BuiltIn(BuiltIn, Vec<Term>),
    /// The kind, the template, the goal and the result: `count(T, G, N)`.
    Aggregate(Aggregate, Term, Box<Goal>, Term),
    /// `legal(M)`: a legal move of the position.
    Legal(Term),
    /// `stuck`: there is no legal move.
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
    /// `again`: the same player moves next.
    Again,
    /// `each(G, A)`: runs the action for every answer of the goal.
    Each(Box<Goal>, Box<Goal>),
    /// `after(A, G)`: an answer of `G` in the position that the updates of `A` make, which are then
    /// taken back. The last field has the variables that also occur outside of the goal.
    After(Box<Goal>, Box<Goal>, Vec<VariableId>),
}

impl Goal {
    /// A goal of this kind at this place.
    pub fn new(kind: GoalKind, span: Span) -> Goal {
        Goal { kind, span }
    }

    /// The goals of a conjunction: none for `True`, and one for any other goal.
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
            GoalKind::Forall(a, b) | GoalKind::Each(a, b) | GoalKind::After(a, b, _) => vec![a, b],
            GoalKind::Not(g) | GoalKind::Once(g) | GoalKind::Aggregate(_, _, g, _) => vec![g],
            _ => Vec::new(),
        }
    }

    /// Whether the goal itself depends on more than what relations say of the position: the moves, or earlier positions.
    pub fn looks_around(&self) -> bool {
        use GoalKind::{Legal, Repeated, RepeatedBoard, Stuck};
        matches!(self.kind, Legal(_) | Stuck | Repeated(_) | RepeatedBoard(_))
    }

    /// Calls `visit` for this goal and all goals inside it, outer before inner, left to right.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Goal)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The terms of this goal itself, without those of inner goals and expressions.
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

    /// The map or set that this goal itself updates, and its keys.
    pub fn updated(&self) -> Option<(FluentId, &[Term])> {
        match &self.kind {
            GoalKind::Assign(fluent, keys, _)
            | GoalKind::AssignNumber(fluent, keys, _)
            | GoalKind::Clear(fluent, keys)
            | GoalKind::Set(fluent, keys) => Some((*fluent, keys)),
            _ => None,
        }
    }

    /// The expressions of this goal itself, without those of inner goals.
    pub fn expressions(&self) -> Vec<&Expression> {
        match &self.kind {
            GoalKind::Compare(_, a, b) | GoalKind::In(_, a, b) => vec![a, b],
            GoalKind::Is(_, e) | GoalKind::AssignNumber(_, _, e) => vec![e],
            _ => Vec::new(),
        }
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Goal> {
        match &mut self.kind {
            GoalKind::And(goals) | GoalKind::Or(goals) => goals.iter_mut().collect(),
            GoalKind::If(c, t, e) => vec![c, t, e],
            GoalKind::Forall(a, b) | GoalKind::Each(a, b) | GoalKind::After(a, b, _) => vec![a, b],
            GoalKind::Not(g) | GoalKind::Once(g) | GoalKind::Aggregate(_, _, g, _) => vec![g],
            _ => Vec::new(),
        }
    }

    pub(crate) fn terms_mut(&mut self) -> Vec<&mut Term> {
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

    pub(crate) fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            GoalKind::Compare(_, a, b) | GoalKind::In(_, a, b) => vec![a, b],
            GoalKind::Is(_, e) | GoalKind::AssignNumber(_, _, e) => vec![e],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for each variable of this goal and all goals inside it, with repetition.
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

    /// Calls `visit` for each variable that tells answers of this goal apart, with repetition: the
    /// variables of an `after` that occur nowhere else do not.
    pub fn each_told(&self, visit: &mut impl FnMut(VariableId)) {
        if let GoalKind::After(_, _, shared) = &self.kind {
            return shared.iter().for_each(|v| visit(*v));
        }
        self.terms().iter().for_each(|term| term.each_variable(visit));
        self.expressions().iter().for_each(|expression| expression.each_variable(visit));
        self.children().iter().for_each(|child| child.each_told(visit));
    }

    /// Calls `visit` for this goal and the goals inside it that are run in the same position: not
    /// for those inside of an `after`.
    pub fn walk_here<'a>(&'a self, visit: &mut impl FnMut(&'a Goal)) {
        visit(self);
        if !matches!(self.kind, GoalKind::After(..)) {
            self.children().into_iter().for_each(|child| child.walk_here(visit));
        }
    }

    /// Whether this goal is itself an update of the state; calls of actions are not.
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
