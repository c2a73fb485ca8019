//! Where each part of the state lies in a flat block of 64-bit words.
//!
//! A map without keys takes one word. A map with keys has its values in packed cells of 8, 16 or 32
//! bits: 0 for undefined, otherwise the value's index plus one. Where it has one key, of a settable
//! universe, and few values, it also has a bit plane for each value and one for "defined". A set over
//! a settable universe is one plane; any other set has cells of one bit. A map or set with several
//! keys may have slices besides its cells: for each combination of the other keys, the planes over
//! one of them.

use crate::datalog::Tables;
use crate::program::{DomainSpec, Fluent, FluentId, FluentShape, Program, Value};

use super::universe::{Code, UniverseId, Universes};

/// Maps with more values than this have planes only where these are small.
const MAX_PLANES: usize = 32;

/// The most words that the planes of more values may take: every copy of the state has them.
const MAX_PLANE_WORDS: usize = 128;

/// The most words that slices over one key may take: every copy of the state has them.
const MAX_SLICES: usize = 128;

/// Keys with fewer codes are gone through one by one.
const MIN_SLICE: usize = 4;

/// The codes that a key or value can have, numbered from index 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The code of index 0, where the codes form a run.
    pub base: Code,
    /// The number of codes.
    pub len: usize,
    /// The codes in order, where they do not form a run; `base` is not used then.
    pub listed: Option<Box<[Code]>>,
    /// The universe with the same indexes, where there is one.
    pub universe: Option<UniverseId>,
}

/// The longest run of numbers that an axis spans to cover a few of them.
const MAX_RUN: usize = 1 << 20;

impl Axis {
    /// The index of a code; `None` where it is not on the axis.
    #[inline]
    pub fn index(&self, code: Code) -> Option<usize> {
        match &self.listed {
            None => {
                let index = code.wrapping_sub(self.base);
                (0..self.len as i64).contains(&index).then_some(index as usize)
            }
            Some(codes) => codes.iter().position(|c| *c == code),
        }
    }

    /// The code of an index below `len`.
    #[inline]
    pub fn code(&self, index: usize) -> Code {
        match &self.listed {
            None => self.base + index as Code,
            Some(codes) => codes[index],
        }
    }

    /// Leaves out the codes of the universe below or above the given ones. Cells of several keys would
    /// otherwise take the product of whole universes, and constants of different kinds may share
    /// one.
    fn narrow(&mut self, codes: impl Iterator<Item = Code> + Clone) {
        let (Some(lo), Some(hi), Some(_)) = (codes.clone().min(), codes.max(), self.universe)
        else {
            return;
        };
        let len = (hi - lo + 1) as usize;
        if len < self.len {
            *self = Axis { base: lo, len, listed: None, universe: None };
        }
    }

    /// These values, in this order.
    pub(super) fn listed(universes: &Universes, values: &[Value]) -> Axis {
        let codes = values.iter().map(|v| universes.code(*v)).collect();
        Axis { base: 0, len: values.len(), listed: Some(codes), universe: None }
    }

    fn of(universes: &Universes, values: &[Value]) -> Axis {
        let integers = values.iter().filter(|v| v.integer().is_some()).count();
        let groups: Vec<UniverseId> =
            values.iter().filter_map(|v| v.constant()).map(|c| universes.of(c)).collect();
        if integers == 0
            && let Some(first) = groups.first()
            && *first != UniverseId::REST
            && groups.iter().all(|g| g == first)
        {
            let universe = universes.get(*first);
            return Axis {
                base: universe.base,
                len: universe.len,
                listed: None,
                universe: Some(*first),
            };
        }
        if groups.is_empty() {
            let numbers = || values.iter().filter_map(|v| v.integer());
            let lo = numbers().min().unwrap_or(0);
            let hi = numbers().max().unwrap_or(-1);
            let len = (hi - lo + 1) as usize;
            // numbers that are far from each other are listed
            if len <= MAX_RUN {
                return Axis { base: lo, len, listed: None, universe: None };
            }
        }
        Axis::listed(universes, values)
    }
}

/// Where the cells of a map lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// A map without keys: the number of its only word.
    Word(u32),
    /// Cells of equal width, in the order of the keys, the last key varying fastest.
    Packed {
        /// The first word.
        first: u32,
        /// The binary logarithm of the number of bits of a cell: 0, 3, 4 or 5.
        shift: u32,
    },
    /// A set over a settable universe has no cells, only its plane.
    None,
}

impl Cells {
    /// The index of a cell's value plus one, 0 where it is undefined, or where there are no cells.
    #[inline]
    pub fn coded(self, words: &[u64], cell: usize) -> usize {
        match self {
            Cells::Word(word) => words[word as usize] as usize,
            Cells::Packed { first, shift } => {
                let per_word = 6 - shift;
                let word = words[first as usize + (cell >> per_word)];
                let at = (cell & ((1 << per_word) - 1)) << shift;
                ((word >> at) & ((1u64 << (1 << shift)) - 1)) as usize
            }
            Cells::None => 0,
        }
    }

    /// The lowest bit of each cell of a word that is not 0.
    #[inline]
    pub fn held(word: u64, shift: u32) -> u64 {
        let (mut any, mut bits) = (word, 1 << shift);
        while bits > 1 {
            bits /= 2;
            any |= any >> bits;
        }
        any & Cells::lowest(shift)
    }

    /// The lowest bit of each cell of a word.
    pub fn lowest(shift: u32) -> u64 {
        u64::MAX / ((1 << (1 << shift)) - 1)
    }
}

/// The bit planes of a map or set: one bit per key, in [`Layout::words`] words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// The first word of the plane of value 0; the others follow.
    pub first: u32,
    /// The first word of the plane of defined keys; for a set, its only plane.
    pub defined: u32,
}

/// The planes of a map or set with several keys over one of them, `key`, for each combination of the
/// other keys: one bit per element of `universe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slices {
    /// The first word of the first combination's plane of value 0. The planes of the other
    /// combinations follow, then those of the other values, then those of the defined keys; a set
    /// has only the last.
    pub first: u32,
    /// The number of the key whose values the sets contain.
    pub key: usize,
    /// The universe of the sets.
    pub universe: UniverseId,
    /// The index in the universe of the key's index 0.
    pub shift: usize,
    /// How many combinations of the other keys there are.
    pub others: usize,
}

/// The keys of a fluent as the rule file declares them, some of which are one key of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The axis of each key.
    pub axes: Box<[Axis]>,
    /// The key of the plan that stands for several of them.
    pub site: usize,
}

/// One fluent's place in the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The name of the fluent.
    pub name: String,
    /// The axis of each key.
    pub keys: Vec<Axis>,
    /// The axes of the keys as the rule file declares them, where some of them are one key of the plan. The cells are
    /// numbered alike by both.
    pub declared: Option<Declared>,
    /// The number of cells: the product of the lengths of the keys' axes.
    pub size: usize,
    /// The axis of a map's values; `None` for a set.
    pub value: Option<Axis>,
    /// Where the values lie.
    pub cells: Cells,
    /// Where the bit planes lie, if there are any.
    pub planes: Option<Planes>,
    /// Where the slices lie, at most once for each key.
    pub slices: Vec<Slices>,
    /// The index of the initial value, where the map is declared with one.
    pub initial: Option<usize>,
    /// For each index of `value`, whether it may be assigned; `None` where all may.
    pub allowed_values: Option<Vec<bool>>,
    /// For each cell, whether its keys belong to the domain; `None` where all do.
    pub allowed_keys: Option<Vec<bool>>,
    /// The fluent is left out of the position's hash.
    pub aside: bool,
    /// The number of its first cell among the cells of all fluents, for hashing.
    pub slot: u64,
}

impl Place {
    /// The axes of the keys as the rule file declares them.
    pub fn axes(&self) -> &[Axis] {
        self.declared.as_ref().map_or(&self.keys, |declared| &declared.axes[..])
    }

    /// The axes for a number of keys, which are those of the plan or those that the rule file declares, each with the
    /// key of the plan that it belongs to.
    #[inline]
    pub fn axes_of(&self, keys: usize) -> impl Iterator<Item = (usize, &Axis)> {
        let (axes, site) = match &self.declared {
            Some(declared) if keys != self.keys.len() => (&declared.axes[..], declared.site),
            _ => (&self.keys[..], 0),
        };
        let more = axes.len() - self.keys.len();
        axes.iter()
            .enumerate()
            .map(move |(at, axis)| (at.min(site).max(at.saturating_sub(more)), axis))
    }

    /// The index of a cell's value plus one, 0 where it is undefined; for a set 1 or 0.
    #[inline]
    pub fn coded(&self, words: &[u64], cell: usize) -> usize {
        match (self.cells, self.planes) {
            (Cells::None, Some(planes)) => {
                (words[planes.defined as usize + cell / 64] >> (cell % 64) & 1) as usize
            }
            (cells, _) => cells.coded(words, cell),
        }
    }

    /// The number of planes of each slice: one for each value and one for the defined keys.
    pub fn slice_planes(&self) -> usize {
        self.value.as_ref().map_or(0, |axis| axis.len) + 1
    }

    /// The combination of the other keys of a cell, and the index of its key in the slice.
    fn slice_of(&self, slices: &Slices, cell: usize) -> (usize, usize) {
        let after: usize = self.keys[slices.key + 1..].iter().map(|key| key.len).product();
        let len = self.keys[slices.key].len;
        (cell / (after * len) * after + cell % after, cell / after % len + slices.shift)
    }

    /// The words that change with a cell's slices, and the bit: that of each coded value other than 0,
    /// and that of the defined keys.
    #[inline]
    pub fn slice_words(
        &self,
        slices: &Slices,
        cell: usize,
        words: usize,
    ) -> (impl Fn(usize) -> usize + use<>, usize, u64) {
        let (other, index) = self.slice_of(slices, cell);
        let (first, others) = (slices.first as usize + other * words + index / 64, slices.others);
        let of_value = move |coded: usize| first + (coded - 1) * others * words;
        let defined = first + (self.slice_planes() - 1) * others * words;
        (of_value, defined, 1 << (index % 64))
    }

    /// How many words its packed cells take; 0 where it has none.
    pub fn cell_words(&self) -> usize {
        match self.cells {
            Cells::Packed { shift, .. } => (self.size << shift).div_ceil(64),
            Cells::Word(_) | Cells::None => 0,
        }
    }
}

/// The places of all fluents.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// By [`FluentId`].
    pub places: Vec<Place>,
    /// How many words a state has, without its hash.
    pub len: usize,
    /// How many words a set or plane has: those of [`Universes::words`].
    pub words: usize,
}

impl Layout {
    /// The place of a fluent.
    #[inline]
    pub fn place(&self, fluent: FluentId) -> &Place {
        &self.places[fluent.0 as usize]
    }

    /// Writes a cell and its planes: the value's index plus one, or 0.
    pub fn put(&self, place: &Place, cell: usize, coded: usize, words: &mut [u64]) {
        match place.cells {
            Cells::Word(word) => words[word as usize] = coded as u64,
            Cells::Packed { first, shift } => {
                let per_word = 6 - shift;
                let word = first as usize + (cell >> per_word);
                let at = (cell & ((1 << per_word) - 1)) << shift;
                let mask = ((1u64 << (1 << shift)) - 1) << at;
                words[word] = (words[word] & !mask) | ((coded as u64) << at);
            }
            Cells::None => {}
        }
        if let Some(planes) = place.planes {
            let (word, bit) = (cell / 64, 1u64 << (cell % 64));
            let values = place.value.as_ref().map_or(0, |axis| axis.len);
            for value in 0..values {
                words[planes.first as usize + value * self.words + word] &= !bit;
            }
            words[planes.defined as usize + word] &= !bit;
            if coded > 0 {
                if values > 0 {
                    words[planes.first as usize + (coded - 1) * self.words + word] |= bit;
                }
                words[planes.defined as usize + word] |= bit;
            }
        }
        for slices in &place.slices {
            let (of_value, defined, bit) = place.slice_words(slices, cell, self.words);
            for value in 1..place.slice_planes() {
                words[of_value(value)] &= !bit;
            }
            words[defined] &= !bit;
            if coded > 0 {
                if place.value.is_some() {
                    words[of_value(coded)] |= bit;
                }
                words[defined] |= bit;
            }
        }
    }
}

/// The most words a state may take.
pub const MAX_STATE: usize = 1 << 20;

/// Lays out the state.
///
/// # Errors
/// The fluent with which the state exceeds [`MAX_STATE`].
pub fn build(
    program: &Program,
    tables: &Tables,
    universes: &Universes,
) -> Result<Layout, FluentId> {
    let words = universes.words;
    let mut places = Vec::new();
    let mut next = 0usize;
    let mut slot = 0u64;
    for (number, fluent) in program.fluents.iter().enumerate() {
        let mut place = place(program, tables, universes, fluent, number);
        if place.size > MAX_STATE * 8 {
            return Err(FluentId(number as u32));
        }
        let settable = place.keys.len() == 1
            && universes.get(place.keys[0].universe.unwrap_or(UniverseId::REST)).settable;
        let values = place.value.as_ref().map_or(1, |v| v.len);
        let is_set = place.value.is_none();
        place.slot = slot;
        slot += place.size as u64;
        if settable && (is_set || values <= most_planes(fluent, place.size, words)) {
            let planes = if is_set { 1 } else { values + 1 };
            let first = next as u32;
            let defined = if is_set { first } else { first + (values * words) as u32 };
            place.planes = Some(Planes { first, defined });
            next += planes * words;
        }
        place.cells = if is_set && place.planes.is_some() {
            Cells::None
        } else if place.keys.is_empty() {
            next += 1;
            Cells::Word(next as u32 - 1)
        } else {
            let shift = match values {
                _ if is_set => 0,
                0..=254 => 3,
                255..=65534 => 4,
                _ => 5,
            };
            let first = next as u32;
            next += (place.size << shift).div_ceil(64);
            Cells::Packed { first, shift }
        };
        for key in 0..place.keys.len() {
            if let Some(slices) = slices(&place, key, fluent, universes, next) {
                next += slices.others * place.slice_planes() * words;
                place.slices.push(slices);
            }
        }
        places.push(place);
        if next > MAX_STATE {
            return Err(FluentId(number as u32));
        }
    }
    Ok(Layout { places, len: next, words })
}

/// The most values of which a map with this many keys has planes. Numbers are compared rather than looked for, and few keys are
/// gone through, so more values have none there.
fn most_planes(fluent: &Fluent, keys: usize, words: usize) -> usize {
    match &fluent.shape {
        FluentShape::Map { value: DomainSpec::Range(..), .. } => MAX_PLANES,
        _ if keys < MAX_PLANES => MAX_PLANES.max(2 * keys),
        _ => MAX_PLANES.max((MAX_PLANE_WORDS / words).saturating_sub(1)),
    }
}

/// The slices of a map or set with several keys over one of them, where the planes of all
/// combinations are small. Numbers are compared rather than looked for, so a map to a range of them
/// has none.
fn slices(
    place: &Place,
    key: usize,
    fluent: &Fluent,
    universes: &Universes,
    first: usize,
) -> Option<Slices> {
    let axis = &place.keys[key];
    let numbers = matches!(&fluent.shape, FluentShape::Map { value: DomainSpec::Range(..), .. });
    if place.keys.len() < 2 || numbers || axis.listed.is_some() || axis.len < MIN_SLICE {
        return None;
    }
    let universe = universes.settable_of((axis.base, axis.base + axis.len as Code - 1))?;
    let others = place.size / axis.len;
    let shift = (axis.base - universes.get(universe).base) as usize;
    let fits = others * place.slice_planes() * universes.words <= MAX_SLICES;
    fits.then_some(Slices { first: first as u32, key, universe, shift, others })
}

fn place(
    program: &Program,
    tables: &Tables,
    universes: &Universes,
    fluent: &Fluent,
    number: usize,
) -> Place {
    let mut keys = Vec::new();
    let mut allowed: Vec<Vec<bool>> = Vec::new();
    for spec in &fluent.keys {
        let values = tables.domain(spec);
        let mut axis = Axis::of(universes, &values);
        if axis.universe.is_none() && axis.listed.is_none() && fluent.keys.len() == 1 {
            let integers = universes.get(UniverseId::INTEGERS);
            if integers.settable {
                axis = Axis {
                    base: integers.base,
                    len: integers.len,
                    listed: None,
                    universe: Some(UniverseId::INTEGERS),
                };
            }
        }
        if fluent.keys.len() > 1 {
            axis.narrow(values.iter().map(|value| universes.code(*value)));
        }
        let mut declared = vec![false; axis.len];
        for value in &values {
            if let Some(index) = axis.index(universes.code(*value)) {
                declared[index] = true;
            }
        }
        allowed.push(declared);
        keys.push(axis);
    }
    let size = keys.iter().fold(1usize, |size, key| size.saturating_mul(key.len));
    // an axis may have indexes that are not keys of the domain
    let sparse = allowed.iter().flatten().any(|declared| !declared);
    let allowed_keys = (sparse && size <= MAX_STATE * 8).then(|| combinations(&allowed));
    let (mut value, mut initial, mut allowed_values) = (None, None, None);
    if let FluentShape::Map { value: spec, initial: first, .. } = &fluent.shape {
        let axis = match spec {
            DomainSpec::Range(lo, hi) => {
                Axis { base: *lo, len: (hi - lo + 1).max(0) as usize, listed: None, universe: None }
            }
            other => {
                let values = tables.domain(other);
                let axis = Axis::of(universes, &values);
                if values.len() < axis.len {
                    let mut allowed = vec![false; axis.len];
                    for value in &values {
                        if let Some(index) = axis.index(universes.code(*value)) {
                            allowed[index] = true;
                        }
                    }
                    allowed_values = Some(allowed);
                }
                axis
            }
        };
        initial = first.and_then(|v| axis.index(universes.code(v)));
        value = Some(axis);
    }
    // the turn has its own key in the comparison of positions
    let aside = fluent.aside || number == FluentId::TURN.0 as usize;
    let name = program.fluents[number].name.clone();
    Place {
        name,
        keys,
        declared: None,
        size,
        value,
        cells: Cells::None,
        planes: None,
        slices: Vec::new(),
        initial,
        allowed_values,
        allowed_keys,
        aside,
        slot: 0,
    }
}

/// Whether the domain has each combination of indexes, the last index varying fastest.
fn combinations(allowed: &[Vec<bool>]) -> Vec<bool> {
    allowed.iter().fold(vec![true], |all, axis| {
        all.iter().flat_map(|before| axis.iter().map(move |own| *before && *own)).collect()
    })
}
