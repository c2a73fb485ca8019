//! The constants of a program, each stored once.
//!
//! A `Value` is an integer or the index of an interned constant, so values are cheap to compare and
//! copy. Compounds and lists are interned bottom-up (hash-consing).

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::source::Span;
use crate::syntax::{Term as SyntaxTerm, TermKind, print_term};

use super::Term;

/// The functor of a list in the standard order of terms.
const LIST: &str = "[|]";

/// A ground term: an integer, or an interned constant of [`Values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// An integer of at most 60 bits.
    Integer(i64),
    /// An atom, text, compound or list.
    Constant(ConstantId),
}

impl Value {
    /// The number, where the value is an integer.
    pub fn integer(self) -> Option<i64> {
        match self {
            Value::Integer(n) => Some(n),
            Value::Constant(_) => None,
        }
    }

    /// The constant, where the value is not an integer.
    pub fn constant(self) -> Option<ConstantId> {
        match self {
            Value::Integer(_) => None,
            Value::Constant(id) => Some(id),
        }
    }
}

/// Index of a constant in [`Values`], in order of first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantId(pub u32);

/// An interned constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A name without arguments.
    Atom(Box<str>),
    /// A text in double quotes, without them.
    Text(Box<str>),
    /// A name and at least one argument.
    Compound(Box<str>, Box<[Value]>),
    /// The items of a list, which may be empty.
    List(Box<[Value]>),
}

/// A constant whose parts lie elsewhere, so that looking one up builds none. It is hashed as the constant is: the variants are
/// the same, in the same order.
#[derive(Clone, Copy, Hash)]
enum Borrowed<'a> {
    Atom(&'a str),
    Text(&'a str),
    Compound(&'a str, &'a [Value]),
    List(&'a [Value]),
}

impl Borrowed<'_> {
    fn owned(self) -> Constant {
        match self {
            Borrowed::Atom(name) => Constant::Atom(name.into()),
            Borrowed::Text(text) => Constant::Text(text.into()),
            Borrowed::Compound(name, args) => Constant::Compound(name.into(), args.into()),
            Borrowed::List(items) => Constant::List(items.into()),
        }
    }
}

impl indexmap::Equivalent<Constant> for Borrowed<'_> {
    fn equivalent(&self, other: &Constant) -> bool {
        match (self, other) {
            (Borrowed::Atom(a), Constant::Atom(b)) | (Borrowed::Text(a), Constant::Text(b)) => {
                **a == **b
            }
            (Borrowed::Compound(a, x), Constant::Compound(b, y)) => **a == **b && **x == **y,
            (Borrowed::List(a), Constant::List(b)) => **a == **b,
            _ => false,
        }
    }
}

/// The interner: every constant of a program has one id, given in order of first use.
#[derive(Debug, Clone, Default)]
pub struct Values {
    /// The constants of another interner, which are not changed; their ids come first.
    base: Option<Arc<Values>>,
    /// How many constants the base has.
    shared: usize,
    constants: IndexSet<Constant, FxBuildHasher>,
    /// The nesting depth of each constant: 1 for an atom.
    depths: Vec<u32>,
    /// How many parts each constant has, shared parts counted each time: 1 for an atom.
    sizes: Vec<u32>,
    /// The approximate number of bytes of all constants.
    bytes: usize,
    /// Some constant has more than [`MOST_PARTS`] parts.
    too_large: bool,
}

/// The most memory that the constants of a program may take, in bytes.
const MOST_BYTES: usize = 256 << 20;
/// The most parts of one value, shared parts counted each time.
const MOST_PARTS: u32 = 1 << 17;
/// A value with more parts is shortened where it is shown.
const SHOWN_PARTS: u32 = 400;

impl Values {
    /// An interner without constants.
    pub fn new() -> Values {
        Values::default()
    }

    /// An interner that begins with the constants of another one, without copying them.
    pub fn over(base: Arc<Values>) -> Values {
        Values { shared: base.len(), base: Some(base), ..Values::default() }
    }

    /// How many constants there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.shared + self.constants.len()
    }

    /// Whether there are no constants.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of the constant with this index among those not in the base.
    #[inline]
    fn own(&self, index: usize) -> Value {
        Value::Constant(ConstantId((self.shared + index) as u32))
    }

    /// All constants in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (ConstantId, &Constant)> {
        (0..self.len()).map(|i| ConstantId(i as u32)).map(|id| (id, self.get(id)))
    }

    /// The value of a constant, which is added where it is new. Its parts must be values of this interner.
    pub fn intern(&mut self, constant: Constant) -> Value {
        if let Some(known) = self.base.as_ref().and_then(|base| base.find(&constant)) {
            return known;
        }
        let (index, new) = self.constants.insert_full(constant);
        if new {
            self.measure(index);
        }
        self.own(index)
    }

    /// The same for a constant that is built only where it is new.
    fn intern_parts(&mut self, parts: Borrowed<'_>) -> Value {
        self.find_parts(parts).unwrap_or_else(|| self.intern(parts.owned()))
    }

    fn find_parts(&self, parts: Borrowed<'_>) -> Option<Value> {
        if let Some(known) = self.base.as_ref().and_then(|base| base.find_parts(parts)) {
            return Some(known);
        }
        self.constants.get_index_of(&parts).map(|index| self.own(index))
    }

    /// Records the depth and the size of the constant that was added last.
    fn measure(&mut self, index: usize) {
        let (letters, items): (usize, &[Value]) = match &self.constants[index] {
            Constant::Atom(text) | Constant::Text(text) => (text.len(), &[]),
            Constant::Compound(name, items) => (name.len(), items),
            Constant::List(items) => (0, items),
        };
        let depth = items.iter().map(|v| self.depth(*v)).max().unwrap_or(0);
        let size = items.iter().fold(1, |sum: u32, v| sum.saturating_add(self.size(*v)));
        self.bytes += 64 + letters + size_of_val(items);
        self.too_large |= size > MOST_PARTS;
        self.depths.push(depth + 1);
        self.sizes.push(size);
    }

    /// The nesting depth of a value: 0 for an integer, 1 for an atom, 2 for `f(a)`.
    pub fn depth(&self, value: Value) -> u32 {
        let Some(id) = value.constant() else { return 0 };
        match &self.base {
            Some(base) if (id.0 as usize) < self.shared => base.depth(value),
            _ => self.depths[id.0 as usize - self.shared],
        }
    }

    /// How many parts a value has, shared parts counted each time; 1 for an integer or an atom.
    pub fn size(&self, value: Value) -> u32 {
        let Some(id) = value.constant() else { return 1 };
        match &self.base {
            Some(base) if (id.0 as usize) < self.shared => base.size(value),
            _ => self.sizes[id.0 as usize - self.shared],
        }
    }

    /// Whether the constants take too much memory, or one of them has too many parts.
    #[inline]
    pub fn are_too_many(&self) -> bool {
        self.too_large || self.bytes > MOST_BYTES
    }

    /// The value of an atom.
    pub fn atom(&mut self, name: &str) -> Value {
        self.intern_parts(Borrowed::Atom(name))
    }

    /// The value of a text.
    pub fn text(&mut self, text: &str) -> Value {
        self.intern_parts(Borrowed::Text(text))
    }

    /// The value of a compound; of an atom where `args` is empty.
    pub fn compound(&mut self, name: &str, args: &[Value]) -> Value {
        if args.is_empty() {
            return self.atom(name);
        }
        self.intern_parts(Borrowed::Compound(name, args))
    }

    /// The value of a list.
    pub fn list(&mut self, items: &[Value]) -> Value {
        self.intern_parts(Borrowed::List(items))
    }

    /// The value of a list. All its tails are interned too, so that taking it apart adds no constant.
    pub fn list_and_rests(&mut self, items: &[Value]) -> Value {
        for start in 1..=items.len() {
            // a tail that is known has its own tails
            if self.are_too_many() || self.find_list(&items[start..]).is_some() {
                break;
            }
            self.list(&items[start..]);
        }
        self.list(items)
    }

    /// Interns all tails of every list.
    pub fn intern_rests(&mut self) {
        for id in 0..self.len() {
            if let Constant::List(items) = self.get(ConstantId(id as u32))
                && let [_, rest @ ..] = &**items
                && self.find_list(rest).is_none()
            {
                let items = items.clone();
                self.list_and_rests(&items);
            }
        }
    }

    /// The constant with this id.
    #[inline]
    pub fn get(&self, id: ConstantId) -> &Constant {
        match &self.base {
            Some(base) if (id.0 as usize) < self.shared => base.get(id),
            _ => &self.constants[id.0 as usize - self.shared],
        }
    }

    /// The value of a constant, where it is known.
    pub fn find(&self, constant: &Constant) -> Option<Value> {
        if let Some(known) = self.base.as_ref().and_then(|base| base.find(constant)) {
            return Some(known);
        }
        self.constants.get_index_of(constant).map(|index| self.own(index))
    }

    /// The value of an atom, where it is known.
    pub fn find_atom(&self, name: &str) -> Option<Value> {
        self.find_parts(Borrowed::Atom(name))
    }

    /// The value of a list, where it is known.
    pub fn find_list(&self, items: &[Value]) -> Option<Value> {
        self.find_parts(Borrowed::List(items))
    }

    /// The items, where the value is a list.
    #[inline]
    pub fn items(&self, value: Value) -> Option<&[Value]> {
        match self.get(value.constant()?) {
            Constant::List(items) => Some(items),
            _ => None,
        }
    }

    /// The name and the arguments, where the value is an atom or a compound.
    #[inline]
    pub fn functor(&self, value: Value) -> Option<(&str, &[Value])> {
        match self.get(value.constant()?) {
            Constant::Atom(name) => Some((name, &[])),
            Constant::Compound(name, args) => Some((name, args)),
            _ => None,
        }
    }

    /// The name and the number of arguments of a term; `None` where it is a variable, a number, a text or a list.
    pub fn form<'t>(&'t self, term: &'t Term) -> Option<(&'t str, usize)> {
        match term {
            Term::Compound(name, args) => Some((name, args.len())),
            Term::Constant(value) => self.functor(*value).map(|(name, args)| (name, args.len())),
            _ => None,
        }
    }

    /// The name and the arguments of a term; `None` as for [`Values::form`].
    pub fn parts<'t>(&'t self, term: &'t Term) -> Option<(&'t str, Vec<Term>)> {
        match term {
            Term::Compound(name, args) => Some((name, args.clone())),
            Term::Constant(value) => {
                let (name, args) = self.functor(*value)?;
                Some((name, args.iter().map(|value| Term::Constant(*value)).collect()))
            }
            _ => None,
        }
    }

    /// The standard order of terms: numbers, texts, atoms, compounds. Compounds are ordered by their
    /// number of arguments, then by name, then by their arguments from the left. A list is the compound
    /// of its first item and its tail.
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        let (Some(x), Some(y)) = (a.constant(), b.constant()) else {
            return match (a, b) {
                (Value::Integer(m), Value::Integer(n)) => m.cmp(&n),
                (Value::Integer(_), _) => Ordering::Less,
                _ => Ordering::Greater,
            };
        };
        if x == y {
            return Ordering::Equal;
        }
        let (x, y) = (self.get(x), self.get(y));
        let rank = |constant: &Constant| match constant {
            Constant::Text(_) => 0,
            Constant::Atom(_) => 1,
            Constant::List(items) if items.is_empty() => 1,
            Constant::Compound(..) | Constant::List(_) => 2,
        };
        fn parts(constant: &Constant) -> (usize, &str) {
            match constant {
                Constant::Compound(name, args) => (args.len(), &**name),
                _ => (2, LIST),
            }
        }
        rank(x).cmp(&rank(y)).then_with(|| match (x, y) {
            (Constant::Text(a), Constant::Text(b)) | (Constant::Atom(a), Constant::Atom(b)) => {
                a.cmp(b)
            }
            (Constant::Atom(a), Constant::List(_)) => a.as_ref().cmp("[]"),
            (Constant::List(_), Constant::Atom(b)) => "[]".cmp(b),
            (Constant::List(a), Constant::List(b)) => {
                // a list that ends first has the empty list where the other has a compound
                self.compare_rows(a, b).then_with(|| a.len().cmp(&b.len()))
            }
            (Constant::Compound(_, a), Constant::Compound(_, b)) => {
                parts(x).cmp(&parts(y)).then_with(|| self.compare_rows(a, b))
            }
            _ => parts(x).cmp(&parts(y)),
        })
    }

    /// The standard order of rows of values, from the left.
    pub fn compare_rows(&self, a: &[Value], b: &[Value]) -> Ordering {
        // equal values are most often one value, and need no look at what they are
        let different = (0..a.len().min(b.len())).find(|i| a[*i] != b[*i]);
        different.map_or(Ordering::Equal, |i| self.compare(a[i], b[i]))
    }

    /// All constants in the standard order of terms.
    pub fn in_order(&self) -> Vec<Value> {
        let is_built = |constant: &Constant| match constant {
            Constant::Atom(_) | Constant::Text(_) => false,
            Constant::Compound(..) => true,
            Constant::List(items) => !items.is_empty(),
        };
        let (mut built, mut all): (Vec<_>, Vec<_>) =
            self.iter().partition(|(_, constant)| is_built(constant));
        all.sort_by(|(a, _), (b, _)| self.compare(Value::Constant(*a), Value::Constant(*b)));
        // most lists are of names, whose order is known now
        let mut places: Vec<Option<usize>> = vec![None; self.len()];
        all.iter().enumerate().for_each(|(place, (id, _))| places[id.0 as usize] = Some(place));
        let place = |value: Value| places[value.constant()?.0 as usize];
        built.sort_by(|(a, x), (b, y)| {
            if let (Constant::List(x), Constant::List(y)) = (x, y)
                && let Some(i) = (0..x.len().min(y.len())).find(|i| x[*i] != y[*i])
                && let (Some(x), Some(y)) = (place(x[i]), place(y[i]))
            {
                return x.cmp(&y);
            }
            self.compare(Value::Constant(*a), Value::Constant(*b))
        });
        all.into_iter().chain(built).map(|(id, _)| Value::Constant(id)).collect()
    }

    /// Interns a ground term; `None` where it has a variable, or a tail that is not a list.
    pub fn from_term(&mut self, term: &SyntaxTerm) -> Option<Value> {
        Some(match &term.kind {
            TermKind::Variable(_) | TermKind::Anonymous => return None,
            TermKind::Integer(n) => Value::Integer(*n),
            TermKind::Atom(name) => self.atom(name),
            TermKind::Text(text) => self.text(text),
            TermKind::Compound(name, args) => {
                let args: Option<Vec<Value>> = args.iter().map(|a| self.from_term(a)).collect();
                self.compound(name, &args?)
            }
            TermKind::List(items, tail) => {
                let items: Option<Vec<Value>> = items.iter().map(|a| self.from_term(a)).collect();
                let mut items = items?;
                if let Some(tail) = tail {
                    let tail = self.from_term(tail)?;
                    items.extend_from_slice(self.items(tail)?);
                }
                self.list(&items)
            }
        })
    }

    /// The value as a term without a place in a file.
    pub fn to_term(&self, value: Value) -> SyntaxTerm {
        let kind = match value {
            Value::Integer(n) => TermKind::Integer(n),
            Value::Constant(id) => match self.get(id) {
                Constant::Atom(name) => TermKind::Atom(name.to_string()),
                Constant::Text(text) => TermKind::Text(text.to_string()),
                Constant::Compound(name, args) => TermKind::Compound(
                    name.to_string(),
                    args.iter().map(|a| self.to_term(*a)).collect(),
                ),
                Constant::List(items) => {
                    TermKind::List(items.iter().map(|a| self.to_term(*a)).collect(), None)
                }
            },
        };
        SyntaxTerm::new(kind, Span::NONE)
    }

    /// The value as rule files write it. A large value is cut short, with `…` for what is left
    /// out.
    pub fn show(&self, value: Value) -> String {
        if self.size(value) <= SHOWN_PARTS {
            return print_term(&self.to_term(value));
        }
        print_term(&self.beginning(value, &mut SHOWN_PARTS.clone()))
    }

    /// The first parts of a value, with `…` for the others.
    fn beginning(&self, value: Value, parts: &mut u32) -> SyntaxTerm {
        let atom = |name: &str| SyntaxTerm::new(TermKind::Atom(name.to_string()), Span::NONE);
        let Some(constant) = value.constant().map(|id| self.get(id)) else {
            *parts = parts.saturating_sub(1);
            return self.to_term(value);
        };
        let mut some = |items: &[Value]| {
            let mut shown = Vec::new();
            for item in items {
                if *parts == 0 {
                    shown.push(atom("…"));
                    break;
                }
                shown.push(self.beginning(*item, parts));
            }
            shown
        };
        let kind = match constant {
            Constant::Atom(_) | Constant::Text(_) => {
                *parts = parts.saturating_sub(1);
                return self.to_term(value);
            }
            Constant::Compound(name, args) => TermKind::Compound(name.to_string(), some(args)),
            Constant::List(items) => TermKind::List(some(items), None),
        };
        SyntaxTerm::new(kind, Span::NONE)
    }

    /// Several values as [`Values::show`] writes them, separated by `, `.
    pub fn show_all(&self, values: &[Value]) -> String {
        let mut text = String::new();
        for (i, value) in values.iter().enumerate() {
            let _ = write!(text, "{}{}", if i == 0 { "" } else { ", " }, self.show(*value));
        }
        text
    }
}
