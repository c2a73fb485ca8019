//! Resolves the operators in a row of items.
//!
//! Operator precedence with explicit stacks, so that a long row costs no call stack: operands and
//! operators wait on two stacks; an infix operator first takes in everything on its left that
//! binds tighter. Only brackets recurse, and these are bounded. A prefix operator without an
//! operand is an atom, as in `[+, -]` or `- = X`.

use crate::source::{FileId, Span};

use super::super::{MAX_INTEGER, Operator, OperatorTable, Term, TermKind};
use super::clauses::{Chunk, column_if_first};
use super::faults::{self, Fault};
use super::{Argument, Item, ItemKind, MAX_DEPTH, quoted};

/// The highest priority of a term, and of an argument.
const ANY: u16 = 1200;
const ARGUMENT: u16 = 999;

pub(super) struct Climber<'a> {
    pub(super) text: &'a str,
    pub(super) file: FileId,
    pub(super) table: &'a OperatorTable,
    /// How far the clause is indented.
    pub(super) margin: usize,
    /// Where the clause ends, its full stop left out; and whether it has one.
    pub(super) end: usize,
    pub(super) stopped: bool,
}

/// Where a row of items stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    max: u16,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: Within,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// A whole clause or goal.
    Clause,
    /// One of several terms in a row.
    Row,
    Argument,
    Brackets,
}

/// A term with its depth.
#[derive(Debug)]
struct Built {
    term: Term,
    depth: u32,
}

/// An operator that waits for its right side.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) name: String,
    pub(super) operator: Operator,
    pub(super) span: Span,
}

enum Step {
    Prefix(Pending),
    /// With the number of items it took.
    Operand(Built, usize),
}

impl<'a> Climber<'a> {
    pub(super) fn new(
        text: &'a str,
        file: FileId,
        table: &'a OperatorTable,
        chunk: &Chunk,
    ) -> Climber<'a> {
        let margin = column_if_first(text, chunk.start).unwrap_or(0);
        Climber { text, file, table, margin, end: chunk.end, stopped: chunk.stop.is_some() }
    }

    /// The one term that all items make up.
    pub(super) fn phrase(&self, items: &[Item]) -> Result<Term, Fault> {
        let start = items.first().map_or(self.end, |i| i.start);
        let frame = Frame { max: ANY, start, end: self.end, place: Within::Clause };
        self.whole(items, frame).map(|built| built.term)
    }

    /// The terms of a row, with or without commas between them.
    pub(super) fn row(&self, items: &[Item], terms: &mut Vec<Term>) -> Result<(), Fault> {
        let start = items.first().map_or(self.end, |i| i.start);
        let frame = Frame { max: ARGUMENT, start, end: self.end, place: Within::Row };
        let mut at = 0;
        while at < items.len() {
            let (built, next) = self.climb(items, at, frame)?;
            terms.push(built.term);
            at = next;
            match items.get(at).map(|i| &i.kind) {
                Some(ItemKind::Comma) => at += 1,
                Some(ItemKind::Group(_) | ItemKind::Bar) => {
                    return Err(self.juxtaposed(items, at, frame, None));
                }
                Some(ItemKind::Atom(name, false)) if !faults::is_word(name) => {
                    return Err(self.juxtaposed(items, at, frame, None));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn whole(&self, items: &[Item], frame: Frame) -> Result<Built, Fault> {
        let (built, next) = self.climb(items, 0, frame)?;
        if next < items.len() {
            return Err(self.juxtaposed(items, next, frame, Some(built.term)));
        }
        Ok(built)
    }

    /// Reads one term from `at` on; returns the index of the first item that is no longer part.
    fn climb(&self, items: &[Item], at: usize, frame: Frame) -> Result<(Built, usize), Fault> {
        let mut at = at;
        let mut operands: Vec<Built> = Vec::new();
        let mut waiting: Vec<Pending> = Vec::new();
        loop {
            match self.operand(items, at, frame, waiting.last())? {
                Step::Prefix(pending) => {
                    let max = waiting.last().map_or(frame.max, |top| top.operator.right_max());
                    if pending.operator.priority > max {
                        return Err(self.clash(items, at, waiting.last(), &pending, frame));
                    }
                    waiting.push(pending);
                    at += 1;
                    continue;
                }
                Step::Operand(built, taken) => {
                    operands.push(built);
                    at += taken;
                }
            }
            let Some(pending) = items.get(at).and_then(|item| self.infix(item)) else { break };
            if frame.place == Within::Row && pending.name == "," {
                break;
            }
            if frame.place == Within::Clause && self.begins_directive(items, at, &pending) {
                self.reduce(&mut operands, &mut waiting, 0)?;
                let parsed = operands.pop().map(|built| built.term);
                return Err(self.missing_stop(items, at, parsed));
            }
            let remain = waiting_above(&waiting, pending.operator);
            self.reduce(&mut operands, &mut waiting, remain)?;
            let max = waiting.last().map_or(frame.max, |top| top.operator.right_max());
            if pending.operator.priority > max {
                return Err(self.clash(items, at, waiting.last(), &pending, frame));
            }
            waiting.push(pending);
            at += 1;
        }
        self.reduce(&mut operands, &mut waiting, 0)?;
        match operands.pop() {
            Some(built) => Ok((built, at)),
            None => Err(self.empty(frame)),
        }
    }

    /// Applies the waiting operators down to a number that remains.
    fn reduce(
        &self,
        operands: &mut Vec<Built>,
        waiting: &mut Vec<Pending>,
        remain: usize,
    ) -> Result<(), Fault> {
        while waiting.len() > remain {
            let (Some(pending), Some(right)) = (waiting.pop(), operands.pop()) else { break };
            let mut depth = right.depth;
            let mut span = pending.span.to(right.term.span);
            let mut args = Vec::with_capacity(2);
            if !pending.operator.fixity.is_prefix() {
                let Some(left) = operands.pop() else { break };
                depth = depth.max(left.depth);
                span = span.to(left.term.span);
                args.push(left.term);
            }
            args.push(right.term);
            let term = Term::new(TermKind::Compound(pending.name, args), span);
            operands.push(self.deeper(term, depth, pending.span)?);
        }
        Ok(())
    }

    fn deeper(&self, term: Term, depth: u32, at: Span) -> Result<Built, Fault> {
        if depth >= MAX_DEPTH {
            return Err(faults::too_deep(at));
        }
        Ok(Built { term, depth: depth + 1 })
    }

    pub(super) fn infix(&self, item: &Item) -> Option<Pending> {
        let name = match &item.kind {
            ItemKind::Comma => ",",
            // A comma in quotes is no operator.
            ItemKind::Atom(name, _) if name != "," => name,
            _ => return None,
        };
        let operator = self.table.infix(name)?;
        Some(Pending { name: name.to_string(), operator, span: self.span(item) })
    }

    /// A term without operators around it, or a prefix operator that has its operand after it.
    fn operand(
        &self,
        items: &[Item],
        at: usize,
        frame: Frame,
        before: Option<&Pending>,
    ) -> Result<Step, Fault> {
        let Some(item) = items.get(at) else {
            return Err(match before {
                Some(operator) => self.nothing_after(operator, frame),
                None => self.empty(frame),
            });
        };
        let span = self.span(item);
        let next = items.get(at + 1);
        let mut taken = 1;
        let leaf = |kind| Ok(Built { term: Term::new(kind, span), depth: 1 });
        let built = match &item.kind {
            ItemKind::Atom(name, quoted) => {
                if let Some(negative) = self.negative(name, *quoted, item, next)? {
                    taken = 2;
                    Ok(negative)
                } else if let Some(operator) = self.applied_prefix(name, items, at, frame)? {
                    return Ok(Step::Prefix(Pending { name: name.clone(), operator, span }));
                } else if self.infix(item).is_some()
                    && self.table.prefix(name).is_none()
                    && next.is_some_and(|n| self.infix(n).is_none())
                {
                    return Err(self.nothing_before(items, at, before));
                } else {
                    leaf(TermKind::Atom(name.clone()))
                }
            }
            ItemKind::Variable(name) if name == "_" => leaf(TermKind::Anonymous),
            ItemKind::Variable(name) => leaf(TermKind::Variable(name.clone())),
            ItemKind::Integer(value) => match i64::try_from(*value) {
                Ok(value) if value <= MAX_INTEGER => leaf(TermKind::Integer(value)),
                _ => Err(quoted::too_large(span)),
            },
            ItemKind::Text(text) => leaf(TermKind::Text(text.clone())),
            ItemKind::Float => Err(faults::float(self.text, span)),
            ItemKind::Call(name, arguments) => self.call(name, arguments, item),
            ItemKind::WildCall => Err(faults::variable_name(self.text, span)),
            ItemKind::List(arguments) => self.list(arguments, span),
            ItemKind::Group(inner) => {
                self.whole(inner, brackets(item)).map(|built| Built {
                    // The brackets belong to what a report underlines.
                    term: Term::new(built.term.kind, span),
                    depth: built.depth,
                })
            }
            ItemKind::Braces(inner) => {
                let built = self.whole(inner, brackets(item))?;
                let term = Term::new(TermKind::Compound("{}".to_string(), vec![built.term]), span);
                self.deeper(term, built.depth, span)
            }
            ItemKind::Comma | ItemKind::Bar => Err(self.nothing_before(items, at, before)),
        }?;
        Ok(Step::Operand(built, taken))
    }

    /// `-1`, where nothing stands between sign and digits.
    fn negative(
        &self,
        name: &str,
        quoted: bool,
        sign: &Item,
        next: Option<&Item>,
    ) -> Result<Option<Built>, Fault> {
        let Some(Item { kind: ItemKind::Integer(size), start, end }) = next else {
            return Ok(None);
        };
        if quoted || name != "-" || *start != sign.end {
            return Ok(None);
        }
        let span = Span::new(self.file, sign.start, *end);
        let value = 0i64
            .checked_sub_unsigned(*size)
            .filter(|value| *value >= -MAX_INTEGER)
            .ok_or_else(|| quoted::too_large(span))?;
        Ok(Some(Built { term: Term::new(TermKind::Integer(value), span), depth: 1 }))
    }

    /// The prefix operator of this name, if here it is one and not an atom.
    fn applied_prefix(
        &self,
        name: &str,
        items: &[Item],
        at: usize,
        frame: Frame,
    ) -> Result<Option<Operator>, Fault> {
        let Some(operator) = self.table.prefix(name) else { return Ok(None) };
        // An atom of this kind is of no use where a goal stands.
        let wants_goal = matches!(name, ":-" | "?-" | "\\+")
            && matches!(frame.place, Within::Clause | Within::Brackets)
            && (frame.place == Within::Clause || at > 0);
        let span = self.span(&items[at]);
        let fault = |climber: &Climber<'_>| {
            let pending = Pending { name: name.to_string(), operator, span };
            match items.get(at + 1) {
                Some(_) => climber.nothing_before(items, at + 1, Some(&pending)),
                None => climber.nothing_after(&pending, frame),
            }
        };
        let is_atom = match items.get(at + 1) {
            None => true,
            Some(Item { kind: ItemKind::Comma | ItemKind::Bar, .. }) => true,
            Some(item @ Item { kind: ItemKind::Atom(next, _), .. })
                if self.infix(item).is_some() =>
            {
                // Both infix and prefix, as in `- - 1`: the second is the operand, if it can be.
                self.table.prefix(next).is_none_or(|p| p.priority > operator.right_max())
            }
            Some(_) => false,
        };
        let useless = match items.get(at + 1).map(|item| &item.kind) {
            None | Some(ItemKind::Comma) => true,
            Some(ItemKind::Atom(next, _)) => next == ":-",
            Some(_) => false,
        };
        if is_atom && wants_goal && useless {
            return Err(fault(self));
        }
        Ok((!is_atom).then_some(operator))
    }

    fn call(&self, name: &str, arguments: &[Argument], item: &Item) -> Result<Built, Fault> {
        let span = self.span(item);
        if let [Argument { items, .. }] = arguments
            && items.is_empty()
        {
            return Err(faults::no_arguments(self.text, span));
        }
        let mut args = Vec::with_capacity(arguments.len());
        let mut depth = 0;
        for argument in arguments {
            if argument.after_bar {
                return Err(self.misplaced_bar(argument, false));
            }
            let built = self.argument(argument)?;
            depth = depth.max(built.depth);
            args.push(built.term);
        }
        self.deeper(Term::new(TermKind::Compound(name.to_string(), args), span), depth, span)
    }

    /// A list; `[a|[b, c]]` is `[a, b, c]`.
    fn list(&self, arguments: &[Argument], span: Span) -> Result<Built, Fault> {
        let mut items = Vec::with_capacity(arguments.len());
        let mut tail = None;
        let mut depth = 0;
        for (i, argument) in arguments.iter().enumerate() {
            if argument.after_bar && i + 1 < arguments.len() {
                return Err(self.misplaced_bar(argument, true));
            }
            let built = self.argument(argument)?;
            depth = depth.max(built.depth);
            match built.term.kind {
                TermKind::List(more, rest) if argument.after_bar => {
                    items.extend(more);
                    tail = rest;
                }
                _ if argument.after_bar => tail = Some(Box::new(built.term)),
                _ => items.push(built.term),
            }
        }
        self.deeper(Term::new(TermKind::List(items, tail), span), depth, span)
    }

    fn argument(&self, argument: &Argument) -> Result<Built, Fault> {
        let Argument { items, start, end, .. } = argument;
        let frame = Frame { max: ARGUMENT, start: *start, end: *end, place: Within::Argument };
        self.whole(items, frame)
    }

    /// Whether an infix `:-` at the margin is really the beginning of a directive.
    fn begins_directive(&self, items: &[Item], at: usize, pending: &Pending) -> bool {
        let Some(Item { kind: ItemKind::Atom(name, _), .. }) = items.get(at + 1) else {
            return false;
        };
        let declares = |p: Operator| p.priority > 1000 && p.priority < ANY;
        pending.name == ":-"
            && self.table.prefix(name).is_some_and(declares)
            && self.at_margin(&items[at])
    }

    /// Whether an item stands where a clause would begin.
    pub(super) fn at_margin(&self, item: &Item) -> bool {
        column_if_first(self.text, item.start).is_some_and(|column| column <= self.margin)
    }

    pub(super) fn span(&self, item: &Item) -> Span {
        Span::new(self.file, item.start, item.end)
    }
}

fn brackets(item: &Item) -> Frame {
    Frame { max: ANY, start: item.start + 1, end: item.end - 1, place: Within::Brackets }
}

/// How many of the waiting operators bind less tightly than the left side of this one allows.
fn waiting_above(waiting: &[Pending], operator: Operator) -> usize {
    let tighter = waiting.iter().rev().take_while(|p| p.operator.priority <= operator.left_max());
    waiting.len() - tighter.count()
}
