//! Static relations as the engine reads them: rows of bits, and indexes from keys to rows.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::universe::{Code, UniverseId, Universes};

/// The codes of some columns of a row.
pub type Codes = SmallVec<[Code; 4]>;

/// Some columns of a row.
#[inline]
pub(super) fn picked(row: &[Code], columns: &[usize]) -> Codes {
    let mut codes = Codes::new();
    columns.iter().for_each(|column| codes.push(row[*column]));
    codes
}

/// Dense addressing is used up to this many keys.
const MAX_DENSE: usize = 1 << 18;

/// Up to this many codes are sooner compared with each other than hashed.
const FEW: usize = 16;

/// The interval of codes `base..base + len` that a column can have.
#[derive(Debug, Clone, Copy)]
pub struct KeyRange {
    /// The least code.
    pub base: Code,
    /// The number of codes; 0 for an empty interval.
    pub len: usize,
}

impl KeyRange {
    /// The intervals of the columns of rows, which stand one after the other, `width` codes each.
    pub(super) fn of_columns(width: usize, codes: &[Code]) -> Vec<KeyRange> {
        let column = |first: usize| {
            let (mut lo, mut hi, mut at) = (Code::MAX, Code::MIN, first);
            while let Some(code) = codes.get(at) {
                (lo, hi, at) = (lo.min(*code), hi.max(*code), at + width);
            }
            match lo > hi {
                true => KeyRange { base: 0, len: 0 },
                false => KeyRange { base: lo, len: (hi.abs_diff(lo) as usize).saturating_add(1) },
            }
        };
        (0..width).map(column).collect()
    }

    #[inline]
    fn index(self, code: Code) -> Option<usize> {
        let index = code.wrapping_sub(self.base) as u64;
        (index < self.len as u64).then_some(index as usize)
    }
}

/// Numbers the combinations of keys of a relation, so that rows can be found by them.
#[derive(Debug, Clone)]
pub enum Address {
    /// A number for every combination of codes in these intervals, the last column varying fastest.
    Dense(Vec<KeyRange>),
    /// Numbers for the combinations that occur, where the product of the intervals is too large.
    Hashed(FxHashMap<Codes, u32>),
}

impl Address {
    /// Numbers the given keys, which stand one after the other, `width` codes each.
    fn of(width: usize, keys: &[Code]) -> Address {
        if width == 0 {
            return Address::Dense(Vec::new());
        }
        let ranges = KeyRange::of_columns(width, keys);
        match combinations(&ranges) {
            Some(size) if size <= MAX_DENSE => Address::Dense(ranges),
            _ => {
                let mut map = FxHashMap::default();
                for key in keys.chunks_exact(width) {
                    let next = map.len() as u32;
                    map.entry(Codes::from_slice(key)).or_insert(next);
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

    /// The number of a combination of keys, of which `key` gives each column. `None` where no row has it;
    /// a dense address may also number a combination that has no row.
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

/// The number of combinations of codes in these intervals; `None` where it is too large.
fn combinations(ranges: &[KeyRange]) -> Option<usize> {
    ranges.iter().try_fold(1, |n: usize, range| n.checked_mul(range.len))
}

/// Of `len` rows of `width` codes each, which stand one after the other, the numbers of those that no earlier one equals.
pub(super) fn firsts(width: usize, len: usize, codes: &[Code]) -> Vec<usize> {
    if width == 0 || len == 0 {
        return (0..len.min(1)).collect();
    }
    let ranges = KeyRange::of_columns(width, codes);
    match combinations(&ranges) {
        Some(size) if size <= MAX_DENSE.min(len.saturating_mul(256)) => {
            let (mut met, mut firsts) = (vec![0u64; size.div_ceil(64)], Vec::new());
            for (number, row) in codes.chunks_exact(width).enumerate() {
                let mut at = 0;
                for (i, code) in row.iter().enumerate() {
                    at = at * ranges[i].len + code.abs_diff(ranges[i].base) as usize;
                }
                if met[at / 64] >> (at % 64) & 1 == 0 {
                    met[at / 64] |= 1 << (at % 64);
                    firsts.push(number);
                }
            }
            firsts
        }
        _ => {
            let mut met: FxHashSet<&[Code]> = FxHashSet::default();
            (0..len).filter(|n| met.insert(&codes[n * width..(n + 1) * width])).collect()
        }
    }
}

/// For each combination of keys, the set of values of one column.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The relation's name, for `ludex show plan`.
    pub name: String,
    /// The numbers of the combinations of keys.
    pub address: Address,
    /// The settable universe of the values.
    pub universe: UniverseId,
    /// How many words a set has.
    pub words: usize,
    /// One set for each number of `address`, one after the other.
    pub bits: Vec<u64>,
    /// The average number of elements of the sets that are not empty, for choosing the order of goals.
    pub average: f64,
}

/// The items until the work is stopped, which is tested now and then: a table may have a million rows.
pub(super) fn until<I: Iterator>(
    stopped: &dyn Fn() -> bool,
    items: I,
) -> impl Iterator<Item = I::Item> {
    let seen = |(i, _): &(usize, I::Item)| !i.is_multiple_of(8192) || !stopped();
    items.enumerate().take_while(seen).map(|(_, item)| item)
}

/// The elements of a set of bits, ascending.
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
    /// Builds the sets of a column of values of the settable `universe`, for the columns that are `keys`. `None` where the
    /// sets would take more than `most` words.
    pub fn build<'r>(
        name: String,
        universes: &Universes,
        (columns, target): (&[usize], usize),
        universe: UniverseId,
        rows: impl Iterator<Item = &'r [Code]>,
        most: usize,
    ) -> Option<Rows> {
        let (mut keys, mut codes, width) = (Vec::new(), Vec::new(), columns.len());
        for row in rows {
            columns.iter().for_each(|c| keys.push(row[*c]));
            codes.push(row[target]);
        }
        let address = Address::of(if codes.is_empty() { 0 } else { width }, &keys);
        let words = universes.words;
        let size = address.len().max(1) * words;
        if size > most {
            return None;
        }
        let mut bits = vec![0u64; size];
        for (number, code) in codes.into_iter().enumerate() {
            if let (Some(at), Some(index)) =
                (address.find(|i| keys[number * width + i]), universes.index(universe, code))
            {
                bits[at * words + index / 64] |= 1 << (index % 64);
            }
        }
        let ones: u64 = bits.iter().map(|w| u64::from(w.count_ones())).sum();
        let used = (bits.chunks(words).filter(|s| s.iter().any(|w| *w != 0)).count()).max(1);
        let average = ones as f64 / used as f64;
        Some(Rows { name, address, universe, words, bits, average })
    }

    /// Each combination of keys, with each index in its set.
    pub(super) fn pairs(&self) -> Vec<(Vec<Code>, usize)> {
        let mut pairs = Vec::new();
        for (at, key) in self.address.keys() {
            let bits = &self.bits[at * self.words..(at + 1) * self.words];
            pairs.extend(elements(bits).map(|i| (key.clone(), i)));
        }
        pairs
    }

    /// The set of a combination of keys, `words` words long; `None` where no row has the keys.
    #[inline]
    pub fn find(&self, key: impl Fn(usize) -> Code) -> Option<&[u64]> {
        let at = self.address.find(key)?;
        self.bits.get(at * self.words..(at + 1) * self.words)
    }
}

/// Constant sets by the sites that they contain.
#[derive(Debug, Clone)]
pub struct Through {
    /// The sets of site n are those numbered from `starts[n]` to `starts[n + 1]`.
    starts: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

impl Through {
    /// Builds the table from sets of `words` words each, one after the other.
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

    /// The number of the first set of each site (and of the end), and the words of all sets.
    pub fn parts(&self) -> (&[u32], &[u64]) {
        (&self.starts, &self.bits)
    }

    /// The words of the sets that contain a site, one set after the other.
    #[inline]
    pub fn at(&self, site: usize) -> &[u64] {
        let (from, to) = (self.starts[site] as usize, self.starts[site + 1] as usize);
        &self.bits[from * self.words..to * self.words]
    }
}

/// For each combination of keys, the rows of the other columns.
#[derive(Debug, Clone)]
pub struct Index {
    /// The relation's name, for `ludex show plan`.
    pub name: String,
    /// The numbers of the combinations of keys.
    pub address: Address,
    /// The rows of key number n are those numbered from `starts[n]` to `starts[n + 1]`.
    pub starts: Vec<u32>,
    /// The other columns, row after row, `width` codes each.
    pub rows: Vec<Code>,
    /// How many columns a row has, those of the keys not counted.
    pub width: usize,
    /// No combination of keys has more than one row.
    pub functional: bool,
}

impl Index {
    /// Builds the index from the columns of rows that are keys to the columns `outs`. What comes twice for the same keys is
    /// kept once; where the rows are `distinct` in these columns, nothing does.
    pub fn build<'r>(
        name: String,
        (columns, outs): (&[usize], &[usize]),
        rows: impl Iterator<Item = &'r [Code]>,
        distinct: bool,
    ) -> Index {
        let (mut keys, mut others, mut len) = (Vec::new(), Vec::new(), 0);
        for row in rows {
            columns.iter().for_each(|c| keys.push(row[*c]));
            outs.iter().for_each(|c| others.push(row[*c]));
            len += 1;
        }
        let (parts, width) = (columns.len(), outs.len());
        let address = Address::of(if len == 0 { 0 } else { parts }, &keys);
        let places: Vec<Option<usize>> =
            (0..len).map(|number| address.find(|i| keys[number * parts + i])).collect();
        let placed = || {
            let rows = (0..len).map(|number| &others[number * width..(number + 1) * width]);
            places.iter().zip(rows).filter_map(|(at, row)| Some(((*at)?, row)))
        };
        let mut ends = vec![0usize; address.len().max(1)];
        placed().for_each(|(at, _)| ends[at] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut all = vec![0; total * width];
        for (at, row) in placed() {
            all[ends[at] * width..(ends[at] + 1) * width].copy_from_slice(row);
            ends[at] += 1;
        }
        // each row of a key once, in order of discovery
        let (mut starts, mut rows, mut functional) = (vec![0u32], Vec::new(), true);
        let (mut from, mut count) = (0, 0);
        let mut seen: FxHashSet<&[Code]> = FxHashSet::default();
        for end in ends {
            if end == from {
                starts.push(count);
                continue;
            }
            let same = &all[from * width..end * width];
            let new = match end - from {
                len if len == 1 || distinct => {
                    rows.extend_from_slice(same);
                    len
                }
                len if width == 1 && len <= FEW => {
                    let begin = rows.len();
                    for code in same {
                        if !rows[begin..].contains(code) {
                            rows.push(*code);
                        }
                    }
                    rows.len() - begin
                }
                len => {
                    seen.clear();
                    for row in (0..len).map(|n| &same[n * width..(n + 1) * width]) {
                        if seen.insert(row) {
                            rows.extend_from_slice(row);
                        }
                    }
                    seen.len()
                }
            };
            functional &= new <= 1;
            count += new as u32;
            starts.push(count);
            from = end;
        }
        Index { name, address, starts, rows, width, functional }
    }

    /// Each combination of keys, with each of its rows.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Vec<Code>, &[Code])> {
        self.address.keys().into_iter().flat_map(move |(at, key)| {
            let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
            (from..to).map(move |number| (key.clone(), self.row(number)))
        })
    }

    /// The numbers of the rows of a combination of keys, of which `key` gives each column.
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

    /// The row with this number.
    #[inline]
    pub fn row(&self, number: usize) -> &[Code] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// The least and the greatest code of a column, counted without the keys; `None` where there are no
    /// rows.
    pub fn range(&self, column: usize) -> Option<(Code, Code)> {
        let codes = || self.rows.iter().skip(column).step_by(self.width.max(1)).copied();
        Some((codes().min()?, codes().max()?))
    }

    /// The average number of rows of the keys that have any, for choosing the order of goals.
    pub fn average(&self) -> f64 {
        let used = self.starts.windows(2).filter(|w| w[0] < w[1]).count().max(1);
        f64::from(*self.starts.last().unwrap_or(&0)) / used as f64
    }
}
