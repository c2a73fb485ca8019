//! Static relations as the engine reads them: rows of bits, and indexes from keys to rows.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::universe::{Code, UniverseId, Universes};

/// Codes of some columns of a row.
pub type Codes = SmallVec<[Code; 4]>;

/// Dense addressing is used up to this many keys.
const MAX_DENSE: usize = 1 << 18;

/// A run of codes that one key column takes.
#[derive(Debug, Clone, Copy)]
pub struct KeyRange {
    pub base: Code,
    pub len: usize,
}

impl KeyRange {
    pub(super) fn of(codes: impl Iterator<Item = Code>) -> KeyRange {
        let (mut lo, mut hi) = (Code::MAX, Code::MIN);
        for code in codes {
            lo = lo.min(code);
            hi = hi.max(code);
        }
        if lo > hi {
            KeyRange { base: 0, len: 0 }
        } else {
            KeyRange { base: lo, len: hi.wrapping_sub(lo).wrapping_add(1).max(0) as usize }
        }
    }

    #[inline]
    fn index(self, code: Code) -> Option<usize> {
        let index = code.wrapping_sub(self.base) as u64;
        (index < self.len as u64).then_some(index as usize)
    }
}

/// How keys find their rows.
#[derive(Debug, Clone)]
pub enum Address {
    /// One number per combination of keys.
    Dense(Vec<KeyRange>),
    Hashed(FxHashMap<Codes, u32>),
}

impl Address {
    fn of(keys: &[Codes], width: usize) -> Address {
        let ranges: Vec<KeyRange> =
            (0..width).map(|c| KeyRange::of(keys.iter().map(|k| k[c]))).collect();
        let product = ranges.iter().try_fold(1usize, |n, r| n.checked_mul(r.len));
        match product {
            Some(size) if size <= MAX_DENSE => Address::Dense(ranges),
            _ => {
                let mut map = FxHashMap::default();
                for key in keys {
                    let next = map.len() as u32;
                    map.entry(key.clone()).or_insert(next);
                }
                Address::Hashed(map)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Address::Dense(ranges) => ranges.iter().map(|r| r.len).product(),
            Address::Hashed(map) => map.len(),
        }
    }

    /// The combinations of keys with their numbers.
    fn keys(&self) -> Vec<(usize, Vec<Code>)> {
        match self {
            Address::Hashed(map) => map.iter().map(|(k, at)| (*at as usize, k.to_vec())).collect(),
            Address::Dense(ranges) => (0..self.len())
                .map(|at| {
                    let mut rest = at;
                    let mut key: Vec<Code> = Vec::with_capacity(ranges.len());
                    for range in ranges.iter().rev() {
                        key.push(range.base + (rest % range.len) as Code);
                        rest /= range.len;
                    }
                    key.reverse();
                    (at, key)
                })
                .collect(),
        }
    }

    /// The number of a combination of keys; `None` where no row has it.
    #[inline]
    pub fn find(&self, key: impl Fn(usize) -> Code) -> Option<usize> {
        match self {
            Address::Dense(ranges) => {
                if let [range] = ranges.as_slice() {
                    return range.index(key(0));
                }
                let mut at = 0;
                for (i, range) in ranges.iter().enumerate() {
                    at = at * range.len + range.index(key(i))?;
                }
                Some(at)
            }
            Address::Hashed(map) => {
                let width = map.keys().next()?.len();
                let key: Codes = (0..width).map(key).collect();
                map.get(&key).map(|n| *n as usize)
            }
        }
    }
}

/// For each combination of keys, the set of values of one column.
#[derive(Debug, Clone)]
pub struct Rows {
    pub name: String,
    pub address: Address,
    pub universe: UniverseId,
    /// Words of a set.
    pub words: usize,
    /// One set after the other.
    pub bits: Vec<u64>,
    /// Average number of elements, for choosing the order of goals.
    pub average: f64,
}

/// The items, until the work is stopped: a table may have a million rows.
pub(super) fn until<I: Iterator>(
    stopped: &dyn Fn() -> bool,
    items: I,
) -> impl Iterator<Item = I::Item> {
    let seen = |(i, _): &(usize, I::Item)| !i.is_multiple_of(8192) || !stopped();
    items.enumerate().take_while(seen).map(|(_, item)| item)
}

/// The elements of a set of bits, upward.
pub(super) fn elements(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.checked_sub(1)?;
            Some(at * 64 + bit)
        })
    })
}

impl Rows {
    /// From pairs of keys and a value of the settable `universe`.
    pub fn build(
        name: String,
        universes: &Universes,
        universe: UniverseId,
        pairs: &[(Codes, Code)],
        stopped: &dyn Fn() -> bool,
    ) -> Rows {
        let keys: Vec<_> = until(stopped, pairs.iter()).map(|(k, _)| k.clone()).collect();
        let width = keys.first().map_or(0, SmallVec::len);
        let address = Address::of(&keys, width);
        let words = universes.words;
        let mut bits = vec![0u64; address.len().max(1) * words];
        for (key, code) in until(stopped, pairs.iter()) {
            if let (Some(at), Some(index)) =
                (address.find(|i| key[i]), universes.index(universe, *code))
            {
                bits[at * words + index / 64] |= 1 << (index % 64);
            }
        }
        let ones: u64 = bits.iter().map(|w| u64::from(w.count_ones())).sum();
        let used = (bits.chunks(words).filter(|s| s.iter().any(|w| *w != 0)).count()).max(1);
        Rows { name, address, universe, words, bits, average: ones as f64 / used as f64 }
    }

    /// Each combination of keys with each index in its set.
    pub(super) fn pairs(&self) -> Vec<(Vec<Code>, usize)> {
        let mut pairs = Vec::new();
        for (at, key) in self.address.keys() {
            let bits = &self.bits[at * self.words..(at + 1) * self.words];
            pairs.extend(elements(bits).map(|i| (key.clone(), i)));
        }
        pairs
    }

    /// The set of a combination of keys, as words.
    #[inline]
    pub fn find(&self, key: impl Fn(usize) -> Code) -> Option<&[u64]> {
        let at = self.address.find(key)?;
        self.bits.get(at * self.words..(at + 1) * self.words)
    }
}

/// Constant sets by the sites that they hold.
#[derive(Debug, Clone)]
pub struct Through {
    /// The sets of site n begin at set number `starts[n]`.
    starts: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

impl Through {
    /// From sets of `words` words each.
    pub fn build(words: usize, sets: &[u64]) -> Through {
        let mut through: Vec<Vec<&[u64]>> = vec![Vec::new(); words * 64];
        for set in sets.chunks_exact(words) {
            elements(set).for_each(|site| through[site].push(set));
        }
        let (mut starts, mut bits) = (vec![0], Vec::new());
        for sets in through {
            sets.iter().for_each(|set| bits.extend_from_slice(set));
            starts.push((bits.len() / words) as u32);
        }
        Through { starts, words, bits }
    }

    /// Where the sets of each site begin, and the sets.
    pub fn parts(&self) -> (&[u32], &[u64]) {
        (&self.starts, &self.bits)
    }

    /// The sets that hold a site, one after the other.
    #[inline]
    pub fn at(&self, site: usize) -> &[u64] {
        let (from, to) = (self.starts[site] as usize, self.starts[site + 1] as usize);
        &self.bits[from * self.words..to * self.words]
    }
}

/// For each combination of keys, the rows of the other columns.
#[derive(Debug, Clone)]
pub struct Index {
    pub name: String,
    pub address: Address,
    /// Row numbers from `starts[n]` to `starts[n + 1]` belong to key number n.
    pub starts: Vec<u32>,
    /// The other columns, row after row.
    pub rows: Vec<Code>,
    /// Columns of a row.
    pub width: usize,
    /// No key has more than one row.
    pub functional: bool,
}

impl Index {
    pub fn build(
        name: String,
        width: usize,
        pairs: &[(Codes, Codes)],
        stopped: &dyn Fn() -> bool,
    ) -> Index {
        let keys: Vec<_> = until(stopped, pairs.iter()).map(|(k, _)| k.clone()).collect();
        let key_width = keys.first().map_or(0, SmallVec::len);
        let address = Address::of(&keys, key_width);
        let mut groups: Vec<Vec<&Codes>> = vec![Vec::new(); address.len().max(1)];
        let mut seen = rustc_hash::FxHashSet::default();
        for (key, row) in until(stopped, pairs.iter()) {
            if let Some(at) = address.find(|i| key[i])
                && seen.insert((at, row))
            {
                groups[at].push(row);
            }
        }
        let mut starts = vec![0u32];
        let mut rows = Vec::new();
        let mut functional = true;
        let mut count = 0u32;
        for group in groups {
            functional &= group.len() <= 1;
            count += group.len() as u32;
            group.iter().for_each(|row| rows.extend_from_slice(row));
            starts.push(count);
        }
        Index { name, address, starts, rows, width, functional }
    }

    /// Each combination of keys with each of its rows.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Vec<Code>, &[Code])> {
        self.address.keys().into_iter().flat_map(move |(at, key)| {
            let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
            (from..to).map(move |number| (key.clone(), self.row(number)))
        })
    }

    /// The numbers of the rows of a combination of keys.
    #[inline]
    pub fn find(&self, key: impl Fn(usize) -> Code) -> std::ops::Range<usize> {
        match self.address.find(key) {
            Some(at) => match (self.starts.get(at), self.starts.get(at + 1)) {
                (Some(a), Some(b)) => *a as usize..*b as usize,
                _ => 0..0,
            },
            None => 0..0,
        }
    }

    /// One row.
    #[inline]
    pub fn row(&self, number: usize) -> &[Code] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// The least and the greatest code of a column; `None` where there are no rows.
    pub fn range(&self, column: usize) -> Option<(Code, Code)> {
        let codes = || self.rows.iter().skip(column).step_by(self.width.max(1)).copied();
        Some((codes().min()?, codes().max()?))
    }

    /// Rows per key on average, for choosing the order of goals.
    pub fn average(&self) -> f64 {
        let used = self.starts.windows(2).filter(|w| w[0] < w[1]).count().max(1);
        f64::from(*self.starts.last().unwrap_or(&0)) / used as f64
    }
}
