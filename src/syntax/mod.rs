//! Rule files as terms and clauses, with the place of each.
//!
//! The reader (`reader.rs`, the only user of pest) makes them, the printer (`printer.rs`) writes
//! them back as text that reads to the same terms.

mod operators;
mod printer;
mod reader;

pub use operators::{Fixity, Operator, OperatorTable};
pub use printer::{print_clause, print_term};
pub use reader::{ReadError, read_file, read_goal, read_terms};

use crate::source::{FileId, Span};

/// Largest magnitude of an integer, at load and in play: 60 bits, sign included.
pub const MAX_INTEGER: i64 = (1 << 59) - 1;

/// A Prolog term with its place. Lists are their own kind, so that no functor name is special.
#[derive(Debug, Clone)]
pub struct Term {
    pub kind: TermKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TermKind {
    /// A named variable; `_` is [`TermKind::Anonymous`].
    Variable(String),
    Anonymous,
    Atom(String),
    Integer(i64),
    /// Text in double quotes.
    Text(String),
    /// `name(args…)`, an operator's term included: `a := b` is `:=`(a, b). Never zero arguments.
    /// `{a, b}` is `{}`(','(a, b)).
    Compound(String, Vec<Term>),
    /// `[a, b | tail]`; the empty list has no items and no tail.
    List(Vec<Term>, Option<Box<Term>>),
}

/// Terms are equal when they read the same, wherever they stand.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.kind == other.kind
    }
}

impl Term {
    pub fn new(kind: TermKind, span: Span) -> Term {
        Term { kind, span }
    }

    /// Name and arguments of an atom or a compound.
    pub fn functor(&self) -> Option<(&str, &[Term])> {
        match &self.kind {
            TermKind::Atom(name) => Some((name, &[])),
            TermKind::Compound(name, args) => Some((name, args)),
            _ => None,
        }
    }

    /// The arguments, where this is a compound or an atom of that name and arity.
    pub fn args_of(&self, name: &str, arity: usize) -> Option<&[Term]> {
        self.functor().filter(|(n, a)| *n == name && a.len() == arity).map(|(_, a)| a)
    }

    /// The items of a nest of one right-associative operator: `a, b, c` gives three.
    pub fn flatten(&self, operator: &str) -> Vec<&Term> {
        let mut items = Vec::new();
        let mut rest = self;
        while let Some([left, right]) = rest.args_of(operator, 2) {
            items.push(left);
            rest = right;
        }
        items.push(rest);
        items
    }
}

/// `head :- body.`, a fact `head.`, or a directive `:- body.`
#[derive(Debug, Clone)]
pub struct Clause {
    pub head: Option<Term>,
    pub body: Option<Term>,
    /// From the first character to the full stop.
    pub span: Span,
}

/// One file as read, in order.
#[derive(Debug, Clone)]
pub struct Syntax {
    pub file: FileId,
    pub clauses: Vec<Clause>,
    /// Where there are clauses that could not be read, or not without a fault.
    pub unread: Vec<Span>,
}
