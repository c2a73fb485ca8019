//! Where each part of the state lies in a flat block of 64-bit words.
//!
//! A map without keys takes one word. A map with keys has its values in packed cells (8, 16 or 32
//! bits, 0 for undefined, otherwise the value's index plus one); where its one key's universe is
//! settable and its values are few, it has a bit plane per value as well, and one for "defined".
//! A set over a settable universe is one plane; any other set has cells of one bit.

use crate::datalog::Tables;
use crate::program::{DomainSpec, Fluent, FluentId, FluentShape, Program, Value};

use super::universe::{Code, UniverseId, Universes, domain_values};

/// Maps with more values than this have no planes.
const MAX_PLANES: usize = 32;

/// The codes that a key or value can take, with the index of each.
#[derive(Debug, Clone)]
pub struct Axis {
    pub base: Code,
    pub len: usize,
    /// The codes in order, where they are no run; then `base` is not used.
    pub listed: Option<Box<[Code]>>,
    /// The universe whose indexes these are.
    pub universe: Option<UniverseId>,
}

/// The longest run of numbers that an axis takes for a few of them.
const MAX_RUN: usize = 1 << 20;

impl Axis {
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

    #[inline]
    pub fn code(&self, index: usize) -> Code {
        match &self.listed {
            None => self.base + index as Code,
            Some(codes) => codes[index],
        }
    }

    /// Leaves the codes of the universe out that are below or above those given. Cells of several
    /// keys would otherwise take the product of whole universes, and constants of different kinds
    /// may share one.
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
        let codes = values.iter().map(|v| universes.code(*v)).collect();
        Axis { base: 0, len: values.len(), listed: Some(codes), universe: None }
    }
}

/// Where the cells of a map lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// One word.
    Word(u32),
    /// `first` word, and log2 of the bits of a cell.
    Packed { first: u32, shift: u32 },
    /// A set over a settable universe has its plane only.
    None,
}

impl Cells {
    /// The lowest bit of each cell of a word that holds something.
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

/// The bit planes of a map or set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// The first word of the plane of value 0; the others follow.
    pub first: u32,
    /// The first word of the plane of defined keys; the set's own plane for a set.
    pub defined: u32,
}

/// One fluent's place in the state.
#[derive(Debug, Clone)]
pub struct Place {
    pub name: String,
    pub keys: Vec<Axis>,
    /// Number of cells: the product of the keys' lengths.
    pub size: usize,
    pub value: Option<Axis>,
    pub cells: Cells,
    pub planes: Option<Planes>,
    /// Index of the initial value of a total map.
    pub initial: Option<usize>,
    /// Indexes that may be assigned, where not every index of the axis may.
    pub allowed_values: Option<Vec<bool>>,
    pub allowed_keys: Option<Vec<bool>>,
    /// Left out of the position's hash.
    pub aside: bool,
    /// Number of its first cell among all cells, for hashing.
    pub slot: u64,
}

impl Place {
    /// The words of its packed cells.
    pub fn cell_words(&self) -> usize {
        match self.cells {
            Cells::Packed { shift, .. } => (self.size << shift).div_ceil(64),
            Cells::Word(_) | Cells::None => 0,
        }
    }
}

/// The places of all fluents.
#[derive(Debug, Clone)]
pub struct Layout {
    pub places: Vec<Place>,
    /// Words of a state.
    pub len: usize,
    /// Words of a plane.
    pub words: usize,
}

impl Layout {
    #[inline]
    pub fn place(&self, fluent: FluentId) -> &Place {
        &self.places[fluent.0 as usize]
    }
}

/// The most words a state may take.
pub const MAX_STATE: usize = 1 << 20;

/// Lays out the state; `Err` names the fluent with which it becomes too large.
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
        if settable && (is_set || values <= MAX_PLANES) {
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
        places.push(place);
        if next > MAX_STATE {
            return Err(FluentId(number as u32));
        }
    }
    Ok(Layout { places, len: next, words })
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
        let values = domain_values(tables, spec);
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
    // an axis may have more indexes than the domain has keys
    let sparse = allowed.iter().flatten().any(|declared| !declared);
    let allowed_keys = (sparse && size <= MAX_STATE * 8).then(|| combinations(&allowed));
    let (mut value, mut initial, mut allowed_values) = (None, None, None);
    if let FluentShape::Map { value: spec, initial: first, .. } = &fluent.shape {
        let axis = match spec {
            DomainSpec::Range(lo, hi) => {
                Axis { base: *lo, len: (hi - lo + 1).max(0) as usize, listed: None, universe: None }
            }
            other => {
                let values = domain_values(tables, other);
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
    // whose turn it is has its own key in the comparison of positions
    let aside = fluent.aside || number == FluentId::TURN.0 as usize;
    let name = program.fluents[number].name.clone();
    Place {
        name,
        keys,
        size,
        value,
        cells: Cells::None,
        planes: None,
        initial,
        allowed_values,
        allowed_keys,
        aside,
        slot: 0,
    }
}

/// For each combination of indexes, the last one fastest: does the domain have it?
fn combinations(allowed: &[Vec<bool>]) -> Vec<bool> {
    allowed.iter().fold(vec![true], |all, axis| {
        all.iter().flat_map(|before| axis.iter().map(move |own| *before && *own)).collect()
    })
}
