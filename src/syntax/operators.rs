//! The operator table: ISO Prolog's operators and those of `grammar/operators.pl`.
//!
//! The table is data: the file read here is also loaded by Prolog systems that run rule files. It is
//! itself read with the ISO table. Rule files cannot add operators. There are no postfix operators,
//! neither in ISO Prolog nor in Ludex.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::source::Sources;

use super::reader::read_with;
use super::{Clause, Term, TermKind};

/// The text of `grammar/operators.pl`.
pub(super) const OPERATORS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/grammar/operators.pl"));

/// Whether an operator is infix or prefix, and on which side it associates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixity {
    /// Infix, not associative: `a = b`.
    Xfx,
    /// Infix, right-associative: `a, b, c`.
    Xfy,
    /// Infix, left-associative: `a - b - c`.
    Yfx,
    /// Prefix, may be repeated: `\+ \+ a`.
    Fy,
    /// Prefix, not repeated: `:- a`.
    Fx,
}

impl Fixity {
    fn named(name: &str) -> Option<Fixity> {
        Some(match name {
            "xfx" => Fixity::Xfx,
            "xfy" => Fixity::Xfy,
            "yfx" => Fixity::Yfx,
            "fy" => Fixity::Fy,
            "fx" => Fixity::Fx,
            _ => return None,
        })
    }

    /// Whether the operator precedes its only operand.
    pub fn is_prefix(self) -> bool {
        matches!(self, Fixity::Fy | Fixity::Fx)
    }
}

/// An operator; a lower priority binds tighter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    /// From 1 to 1200.
    pub priority: u16,
    /// Infix or prefix, and how it associates.
    pub fixity: Fixity,
}

impl Operator {
    /// The highest priority that a term on its left may have.
    pub fn left_max(self) -> u16 {
        if self.fixity == Fixity::Yfx { self.priority } else { self.priority - 1 }
    }

    /// The highest priority that a term on its right may have.
    pub fn right_max(self) -> u16 {
        if matches!(self.fixity, Fixity::Xfy | Fixity::Fy) {
            self.priority
        } else {
            self.priority - 1
        }
    }
}

/// All operators, by name. A name may be a prefix and an infix operator.
#[derive(Debug, Clone, Default)]
pub struct OperatorTable {
    prefix: HashMap<String, Operator>,
    infix: HashMap<String, Operator>,
}

static LUDEX: LazyLock<OperatorTable> = LazyLock::new(|| {
    let mut sources = Sources::new();
    let file = sources.add("grammar/operators.pl", None, OPERATORS);
    let mut table = OperatorTable::iso();
    let (syntax, faults) = read_with(&table, &sources, file);
    debug_assert!(faults.is_empty(), "grammar/operators.pl: {faults:?}");
    for clause in &syntax.clauses {
        let added = table.declare(clause);
        debug_assert!(added.is_some(), "grammar/operators.pl: {clause:?}");
    }
    table
});

/// The operators of ISO 13211-1, with the prefix `+` of its second corrigendum.
const ISO: &[(u16, Fixity, &str)] = &[
    (1200, Fixity::Xfx, ":- -->"),
    (1200, Fixity::Fx, ":- ?-"),
    (1100, Fixity::Xfy, ";"),
    (1050, Fixity::Xfy, "->"),
    (1000, Fixity::Xfy, ","),
    (900, Fixity::Fy, "\\+"),
    (700, Fixity::Xfx, "= \\= == \\== @< @=< @> @>= =.. is =:= =\\= < =< > >="),
    (500, Fixity::Yfx, "+ - /\\ \\/"),
    (400, Fixity::Yfx, "* / // rem mod div << >>"),
    (200, Fixity::Xfx, "**"),
    (200, Fixity::Xfy, "^"),
    (200, Fixity::Fy, "- + \\"),
];

impl OperatorTable {
    /// The table that rule files are read with.
    pub fn ludex() -> &'static OperatorTable {
        &LUDEX
    }

    /// The operators of ISO Prolog alone.
    pub fn iso() -> OperatorTable {
        let mut table = OperatorTable::default();
        for (priority, fixity, names) in ISO {
            for name in names.split(' ') {
                table.add(name, Operator { priority: *priority, fixity: *fixity });
            }
        }
        table
    }

    /// The prefix operator of this name.
    pub fn prefix(&self, name: &str) -> Option<Operator> {
        self.prefix.get(name).copied()
    }

    /// The names of directives: the prefix operators that take a whole statement.
    pub fn directives(&self) -> impl Iterator<Item = &str> {
        let statements = self.prefix.iter().filter(|(_, operator)| operator.priority == 1150);
        statements.map(|(name, _)| name.as_str())
    }

    /// The infix operator of this name.
    pub fn infix(&self, name: &str) -> Option<Operator> {
        self.infix.get(name).copied()
    }

    /// Whether the name is an operator of any kind.
    pub fn contains(&self, name: &str) -> bool {
        self.prefix.contains_key(name) || self.infix.contains_key(name)
    }

    fn add(&mut self, name: &str, operator: Operator) {
        let side = if operator.fixity.is_prefix() { &mut self.prefix } else { &mut self.infix };
        side.insert(name.to_string(), operator);
    }

    /// Adds the operators of `:- op(Priority, Fixity, NameOrNames).`; `None` where the clause is not one.
    fn declare(&mut self, clause: &Clause) -> Option<()> {
        let [priority, fixity, names] = clause.body.as_ref()?.args_of("op", 3)? else {
            return None;
        };
        let TermKind::Integer(priority @ 1..=1200) = priority.kind else { return None };
        let operator = Operator {
            priority: u16::try_from(priority).ok()?,
            fixity: Fixity::named(atom(fixity)?)?,
        };
        match &names.kind {
            TermKind::List(items, None) => {
                for item in items {
                    self.add(atom(item)?, operator);
                }
            }
            _ => self.add(atom(names)?, operator),
        }
        Some(())
    }
}

fn atom(term: &Term) -> Option<&str> {
    term.functor().filter(|(_, args)| args.is_empty()).map(|(name, _)| name)
}
