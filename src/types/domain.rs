//! The lattice of domains: a set of constants, an interval of integers, lists, moves.

use crate::program::{ConstantId, Value};

/// The interval of all integers, both ends inclusive.
pub const ALL: (i64, i64) = (-crate::program::MAX_INTEGER, crate::program::MAX_INTEGER);

/// A set of constants, as bits by their ids. The last word is never 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Constants {
    words: Vec<u64>,
}

impl Constants {
    /// Adds a constant.
    pub fn insert(&mut self, id: ConstantId) {
        let at = id.0 as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (id.0 % 64);
    }

    /// Whether a constant belongs to the set.
    pub fn contains(&self, id: ConstantId) -> bool {
        self.words.get(id.0 as usize / 64).is_some_and(|w| w >> (id.0 % 64) & 1 == 1)
    }

    /// Whether the set has no elements.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many elements the set has.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The constants in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = ConstantId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some(ConstantId(at as u32 * 64 + bit))
            })
        })
    }

    /// Adds the elements of another set; true where some were new.
    pub fn join(&mut self, other: &Constants) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut news = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            news |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        news
    }

    /// The intersection with another set.
    pub fn meet(&self, other: &Constants) -> Constants {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        let mut met = Constants { words };
        while met.words.last() == Some(&0) {
            met.words.pop();
        }
        met
    }
}

impl FromIterator<ConstantId> for Constants {
    fn from_iter<I: IntoIterator<Item = ConstantId>>(ids: I) -> Constants {
        let mut set = Constants::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

/// The values that an argument or a variable can have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Domain {
    /// Anything: nothing is known. The other fields are not used then.
    pub top: bool,
    /// Integers from `.0` to `.1`, both inclusive.
    pub integers: Option<(i64, i64)>,
    /// Not every integer of that interval belongs to the domain.
    pub gaps: bool,
    /// These constants.
    pub constants: Constants,
    /// All lists with items of [`Domain::items`], those that a move builds included.
    pub lists: bool,
    /// The items of these lists; `None`: those of all lists. Lists among them are lists of any items, so that domains
    /// have an end.
    pub items: Option<Box<Domain>>,
    /// All moves and chance events as values, and compounds in them that contain lists. They can be
    /// compared, but not taken apart.
    pub moves: bool,
}

/// The constants that belong to the domains of all lists and of all moves.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    /// The constants that are lists.
    pub lists: Constants,
    /// The constants that have the form of a move or chance event.
    pub moves: Constants,
}

impl Domain {
    /// Any value.
    pub fn top() -> Domain {
        Domain { top: true, ..Domain::default() }
    }

    /// All moves, and compounds in them that contain lists.
    pub fn opaque() -> Domain {
        Domain { moves: true, ..Domain::default() }
    }

    /// All lists with these items; `None`: with the items of any list.
    pub fn lists(items: Option<Domain>) -> Domain {
        let items = items.filter(|items| !items.top);
        let items = items.map(|items| Box::new(Domain { items: None, ..items }));
        Domain { lists: true, items, ..Domain::default() }
    }

    /// The integers from `lo` to `hi`, both inclusive; empty where `hi` is less.
    pub fn range(lo: i64, hi: i64) -> Domain {
        Domain { integers: (lo <= hi).then_some((lo, hi)), ..Domain::default() }
    }

    /// All integers.
    pub fn numbers() -> Domain {
        Domain::range(ALL.0, ALL.1)
    }

    /// The least domain with these values.
    pub fn of(values: impl IntoIterator<Item = Value>) -> Domain {
        let mut out = Domain::default();
        let mut numbers = rustc_hash::FxHashSet::default();
        for value in values {
            match value {
                Value::Integer(n) => {
                    numbers.insert(n);
                    let (lo, hi) = out.integers.unwrap_or((n, n));
                    out.integers = Some((lo.min(n), hi.max(n)));
                }
                Value::Constant(id) => out.constants.insert(id),
            }
        }
        out.gaps = out.integers.is_some_and(|(lo, hi)| hi - lo >= numbers.len() as i64);
        out
    }

    /// Whether no value belongs to the domain.
    pub fn is_empty(&self) -> bool {
        !self.top
            && self.integers.is_none()
            && self.constants.is_empty()
            && !self.lists
            && !self.moves
    }

    /// Whether every value is an integer; true for the empty domain.
    pub fn is_number(&self) -> bool {
        !self.top && self.constants.is_empty() && !self.lists && !self.moves
    }

    /// Whether all values are sure to belong to a domain of numbers and constants.
    pub fn is_within(&self, other: &Domain) -> bool {
        let numbers = self.integers.is_none_or(|(lo, hi)| {
            !other.gaps && other.integers.is_some_and(|(least, most)| least <= lo && hi <= most)
        });
        let known = !(self.top || self.lists || self.moves || other.top);
        known && numbers && self.constants.meet(&other.constants) == self.constants
    }

    /// Adds the values of another domain; true where the domain has grown.
    pub fn join(&mut self, other: &Domain) -> bool {
        let integers = match (self.integers, other.integers) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (a, b) => a.or(b),
        };
        let items = match (&self.items, &other.items) {
            (Some(a), Some(b)) => {
                let mut both = a.clone();
                both.join(b);
                Some(both)
            }
            (a, b) => match (self.lists, other.lists) {
                (true, true) => None,
                (true, false) => a.clone(),
                (false, _) => b.clone(),
            },
        };
        let flags = (other.top && !self.top)
            || (other.lists && !self.lists)
            || (other.moves && !self.moves)
            || integers != self.integers
            || items != self.items;
        self.top |= other.top;
        self.gaps |= other.gaps;
        self.lists |= other.lists;
        self.moves |= other.moves;
        self.integers = integers;
        self.items = items;
        self.constants.join(&other.constants) | flags
    }

    /// A domain that contains the values common to both.
    pub fn meet(&self, other: &Domain, forms: &Forms) -> Domain {
        if self.top {
            return other.clone();
        }
        if other.top {
            return self.clone();
        }
        let integers = match (self.integers, other.integers) {
            (Some((a, b)), Some((c, d))) if a.max(c) <= b.min(d) => Some((a.max(c), b.min(d))),
            _ => None,
        };
        let mut constants = self.constants.meet(&other.constants);
        for (a, b) in [(self, other), (other, self)] {
            if a.lists {
                constants.join(&b.constants.meet(&forms.lists));
            }
            if a.moves {
                constants.join(&b.constants.meet(&forms.moves));
            }
        }
        let lists = self.lists && other.lists;
        let items = match (&self.items, &other.items) {
            _ if !lists => None,
            (Some(a), Some(b)) => Some(Box::new(a.meet(b, forms))),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let (gaps, moves) = (self.gaps || other.gaps, self.moves && other.moves);
        Domain { top: false, integers, gaps, constants, lists, items, moves }
    }
}
