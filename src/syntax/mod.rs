//! Rule files as terms and clauses, with the place of each.
//!
//! The reader (`reader.rs`, the only user of pest) parses text into terms; the printer (`printer.rs`)
//! writes them as text that parses to the same terms.

mod comments;
mod operators;
mod printer;
mod reader;

pub use comments::{comment_above, first_sentence, is_code, opening_comment, sentences};
pub use operators::{Fixity, Operator, OperatorTable};
pub use printer::{print_clause, print_term};
pub use reader::{ReadError, read_file, read_goal, read_terms, tokens};

use crate::source::{FileId, Span};

/// The largest magnitude of an integer, at load and in play: 60 bits, sign included.
pub const MAX_INTEGER: i64 = (1 << 59) - 1;

/// A Prolog term and its place. Lists are a kind of their own, so that no functor name is special.
#[derive(Debug, Clone)]
pub struct Term {
    /// What the term is.
    pub kind: TermKind,
    /// Its text.
    pub span: Span,
}

/// The kinds of terms, with their parts.
#[derive(Debug, Clone, PartialEq)]
pub enum TermKind {
    /// A named variable; `_` is [`TermKind::Anonymous`].
    Variable(String),
    /// The anonymous variable, `_`.
    Anonymous,
    /// A name without arguments, without its quotes.
    Atom(String),
    /// An integer of at most [`MAX_INTEGER`] in magnitude.
    Integer(i64),
    /// A text in double quotes, without them.
    Text(String),
    /// `name(args…)` with at least one argument. Terms with operators are compounds: `a := b` is
    /// `:=`(a, b), and `{a, b}` is `{}`(','(a, b)).
    Compound(String, Vec<Term>),
    /// `[a, b | tail]`; the empty list has no items and no tail.
    List(Vec<Term>, Option<Box<Term>>),
}

/// Two terms are equal where their kinds are, whatever their places.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.kind == other.kind
    }
}

impl Term {
    /// A term of this kind at this place.
    pub fn new(kind: TermKind, span: Span) -> Term {
        Term { kind, span }
    }

    /// The name and the arguments of an atom or a compound.
    pub fn functor(&self) -> Option<(&str, &[Term])> {
        match &self.kind {
            TermKind::Atom(name) => Some((name, &[])),
            TermKind::Compound(name, args) => Some((name, args)),
            _ => None,
        }
    }

    /// The name and the number of arguments of an atom or a compound.
    pub fn form(&self) -> Option<(&str, usize)> {
        self.functor().map(|(name, args)| (name, args.len()))
    }

    /// The arguments, where this is a compound or an atom of the given name and arity.
    pub fn args_of(&self, name: &str, arity: usize) -> Option<&[Term]> {
        self.functor().filter(|(n, a)| *n == name && a.len() == arity).map(|(_, a)| a)
    }

    /// Gives it and all its parts another place.
    pub fn put_at(&mut self, span: Span) {
        self.span = span;
        match &mut self.kind {
            TermKind::Compound(_, args) => args.iter_mut().for_each(|arg| arg.put_at(span)),
            TermKind::List(items, tail) => {
                items.iter_mut().chain(tail.as_deref_mut()).for_each(|item| item.put_at(span));
            }
            TermKind::Variable(_)
            | TermKind::Anonymous
            | TermKind::Atom(_)
            | TermKind::Integer(_)
            | TermKind::Text(_) => {}
        }
    }

    /// Whether it contains a named variable.
    pub fn has_variable(&self, name: &str) -> bool {
        match &self.kind {
            TermKind::Variable(own) => own == name,
            TermKind::Compound(_, args) => args.iter().any(|a| a.has_variable(name)),
            TermKind::List(items, tail) => {
                let tail = tail.as_deref();
                items.iter().chain(tail).any(|item| item.has_variable(name))
            }
            TermKind::Anonymous | TermKind::Atom(_) | TermKind::Integer(_) | TermKind::Text(_) => {
                false
            }
        }
    }

    /// The operands of nested terms of one right-associative operator: `a, b, c` gives three.
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
    /// The head; `None` for a directive.
    pub head: Option<Term>,
    /// The body; `None` for a fact.
    pub body: Option<Term>,
    /// From the first character to the full stop.
    pub span: Span,
}

/// One file as parsed.
#[derive(Debug, Clone)]
pub struct Syntax {
    /// The file.
    pub file: FileId,
    /// Its clauses and directives, in order.
    pub clauses: Vec<Clause>,
    /// The clauses that could not be read, or only with a fault.
    pub unread: Vec<Span>,
}
