//! Writes terms and clauses as text that reads back to equal ones.
//!
//! Operators get parentheses only where the priorities require them, and atoms get quotes only
//! where the grammar requires them. Clauses are laid out with their goals indented by four, and
//! lines of at most [`WIDTH`] characters where that is possible.

use super::reader::is_bare;
use super::{Clause, Operator, OperatorTable, Term, TermKind};

/// The longest line, where it can be broken.
const WIDTH: usize = 100;
const INDENT: usize = 4;
/// The priorities of a whole term, a clause's parts, goals with commas, and one goal or argument.
const ANY: u16 = 1200;
const PART: u16 = 1199;
const BODY: u16 = 1000;
const ARGUMENT: u16 = 999;

/// The text of a term, on one line.
pub fn print_term(term: &Term) -> String {
    let mut printer = Printer::new();
    printer.term(term, ANY, false);
    printer.out
}

/// The text of a clause with its full stop; longer clauses take several lines.
pub fn print_clause(clause: &Clause) -> String {
    let mut printer = Printer::new();
    match (&clause.head, &clause.body) {
        (Some(head), None) => printer.term(head, PART, false),
        (Some(head), Some(body)) => {
            printer.term(head, PART, true);
            printer.out.push_str(" :-");
            let flat = flat(body, BODY);
            if printer.column() + 1 + flat.chars().count() < WIDTH {
                printer.out.push(' ');
                printer.out.push_str(&flat);
            } else {
                printer.line(INDENT);
                printer.goals(body, INDENT);
            }
        }
        (None, Some(body)) => {
            printer.out.push_str(":- ");
            printer.directive(body);
        }
        (None, None) => {}
    }
    if printer.out.ends_with(is_symbol) {
        printer.out.push(' ');
    }
    printer.out.push('.');
    printer.out
}

struct Printer {
    out: String,
    table: &'static OperatorTable,
}

impl Printer {
    fn new() -> Printer {
        Printer { out: String::new(), table: OperatorTable::ludex() }
    }

    /// Writes a term whose priority may be at most `max`; `operand` says whether it is an operand.
    fn term(&mut self, term: &Term, max: u16, operand: bool) {
        match &term.kind {
            TermKind::Variable(name) => self.out.push_str(name),
            TermKind::Anonymous => self.out.push('_'),
            TermKind::Integer(value) => self.out.push_str(&value.to_string()),
            TermKind::Text(text) => quote(text, '"', &mut self.out),
            TermKind::Atom(name) => self.operator_atom(name, max, operand),
            TermKind::List(items, tail) => self.list(items, tail.as_deref()),
            TermKind::Compound(name, args) => match args.as_slice() {
                [inner] if name == "{}" => {
                    self.out.push('{');
                    self.term(inner, ANY, false);
                    self.out.push('}');
                }
                [left, right] if self.table.infix(name).is_some() => {
                    if let Some(operator) = self.table.infix(name) {
                        self.bracketed(operator.priority > max, |p| {
                            p.infix(name, operator, left, right);
                        });
                    }
                }
                [inner] => match self.table.prefix(name) {
                    Some(operator) if prefixed(name, operator, inner, max) => {
                        self.bracketed(operator.priority > max, |p| {
                            p.prefix(name, operator, inner);
                        });
                    }
                    _ => self.call(name, args),
                },
                _ => self.call(name, args),
            },
        }
    }

    fn bracketed(&mut self, brackets: bool, write: impl FnOnce(&mut Printer)) {
        if brackets {
            self.out.push('(');
        }
        write(self);
        if brackets {
            self.out.push(')');
        }
    }

    fn infix(&mut self, name: &str, operator: Operator, left: &Term, right: &Term) {
        self.term(left, operator.left_max(), true);
        let tight = matches!(name, ".." | "/" | "^") && is_plain(left) && is_plain(right);
        match name {
            "," => self.out.push_str(", "),
            _ if tight => self.out.push_str(name),
            _ => {
                self.out.push(' ');
                self.atom(name);
                self.out.push(' ');
            }
        }
        // `"board" with (width = 3, height = 3)` needs no parentheses, but is easier to read with
        // them.
        let is_word = name.starts_with(|c: char| c.is_alphabetic());
        let max = if is_word { ARGUMENT } else { ANY };
        self.term(right, operator.right_max().min(max), true);
    }

    fn prefix(&mut self, name: &str, operator: Operator, inner: &Term) {
        self.atom(name);
        if name != "-" || !is_plain(inner) {
            self.out.push(' ');
        }
        self.term(inner, operator.right_max(), true);
    }

    fn call(&mut self, name: &str, args: &[Term]) {
        match name {
            "{}" => self.out.push_str("'{}'"),
            _ => self.atom(name),
        }
        self.out.push('(');
        self.arguments(args);
        self.out.push(')');
    }

    fn list(&mut self, items: &[Term], tail: Option<&Term>) {
        self.out.push('[');
        self.arguments(items);
        if let Some(tail) = tail {
            self.out.push('|');
            self.term(tail, ARGUMENT, false);
        }
        self.out.push(']');
    }

    fn arguments(&mut self, args: &[Term]) {
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.term(arg, ARGUMENT, false);
        }
    }

    /// An atom; one that is an operator gets parentheses where it could be taken for one.
    fn operator_atom(&mut self, name: &str, max: u16, operand: bool) {
        let priority = [self.table.prefix(name), self.table.infix(name)]
            .iter()
            .flatten()
            .map(|operator| operator.priority)
            .max();
        let never_bare = matches!(name, ":-" | "?-" | "-->" | "\\+");
        let brackets =
            name != "," && priority.is_some_and(|priority| operand || never_bare || priority > max);
        self.bracketed(brackets, |p| p.atom(name));
    }

    fn atom(&mut self, name: &str) {
        let ascii = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if ascii || name == "{}" || is_bare(name) {
            self.out.push_str(name);
        } else {
            quote(name, '\'', &mut self.out);
        }
    }

    // -------------------------------------------------------------- layout

    fn column(&self) -> usize {
        self.out.rsplit('\n').next().unwrap_or("").chars().count()
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// The goals of a body, one per line.
    fn goals(&mut self, body: &Term, indent: usize) {
        for (i, goal) in body.flatten(",").into_iter().enumerate() {
            if i > 0 {
                self.out.push(',');
                self.line(indent);
            }
            let text = flat(goal, ARGUMENT);
            let too_long = indent + text.chars().count() >= WIDTH;
            let branches = goal.args_of(";", 2).or_else(|| goal.args_of("->", 2)).is_some();
            if too_long && branches {
                self.branches(goal, indent);
            } else {
                self.out.push_str(&text);
            }
        }
    }

    /// `(   a ->  b ;   c )` with each part on a line of its own.
    fn branches(&mut self, goal: &Term, indent: usize) {
        self.out.push_str("(   ");
        for (i, branch) in goal.flatten(";").into_iter().enumerate() {
            if i > 0 {
                self.line(indent);
                self.out.push_str(";   ");
            }
            for (j, part) in branch.flatten("->").into_iter().enumerate() {
                if j > 0 {
                    self.line(indent);
                    self.out.push_str("->  ");
                }
                self.goals(part, indent + INDENT);
            }
        }
        self.line(indent);
        self.out.push(')');
    }

    fn directive(&mut self, body: &Term) {
        let text = flat(body, PART);
        if let TermKind::Compound(name, args) = &body.kind
            && let [inner] = args.as_slice()
            && self.column() + text.chars().count() >= WIDTH
            && self
                .table
                .prefix(name)
                .is_some_and(|operator| operator.right_max() > BODY && operator.priority <= PART)
        {
            self.atom(name);
            self.out.push(' ');
            if inner.args_of(",", 2).is_some() {
                self.goals(inner, INDENT);
            } else {
                self.term(inner, PART - 50, true);
            }
        } else {
            self.out.push_str(&text);
        }
    }
}

fn flat(term: &Term, max: u16) -> String {
    let mut printer = Printer::new();
    printer.term(term, max, true);
    printer.out
}

/// Whether a prefix operator is written as one. `-(1)` would become the number -1, and
/// `option(X)` reads better than `(option X)`.
fn prefixed(name: &str, operator: Operator, inner: &Term, max: u16) -> bool {
    if matches!(name, "-" | "+") {
        return match &inner.kind {
            TermKind::Integer(_) => false,
            TermKind::Compound(functor, args) => {
                args.len() != 2 || OperatorTable::ludex().infix(functor).is_none()
            }
            _ => true,
        };
    }
    operator.priority <= max || !name.starts_with(|c: char| c.is_alphabetic())
}

/// Terms that may touch a symbol on either side.
fn is_plain(term: &Term) -> bool {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Anonymous => true,
        TermKind::Integer(value) => *value >= 0,
        TermKind::Atom(name) | TermKind::Compound(name, _) => {
            !OperatorTable::ludex().contains(name)
                && name.starts_with(|c: char| c.is_ascii_lowercase())
        }
        TermKind::Text(_) | TermKind::List(..) => false,
    }
}

fn is_symbol(c: char) -> bool {
    "+-*/\\^<>=~:.?@#&$".contains(c)
}

fn quote(text: &str, quote: char, out: &mut String) {
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push_str(&format!("\\x{:x}\\", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
}
