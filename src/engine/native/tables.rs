//! Static tables in the form that native code reads: with a further row for all keys that have
//! none, so that no read needs a branch.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::plan::{Address, Code, Images, Index, Plan, Rows};

use super::bounds::{Bounds, bounds};

/// The result of an index for a key without a row.
pub(super) const NONE: Code = Code::MIN;

/// Tables at fixed addresses.
#[derive(Default)]
pub(super) struct Tables {
    memory: Vec<Box<[u64]>>,
    /// Bytes of each table by its address.
    bytes: FxHashMap<i64, usize>,
    /// Descriptions of the accesses in the code, for the checking mode.
    sites: Vec<Arc<String>>,
    rows: FxHashMap<u32, i64>,
    firsts: FxHashMap<u32, Firsts>,
    runs: FxHashMap<u32, Runs>,
    images: FxHashMap<u32, Shifts>,
    bounds: FxHashMap<u32, Option<(Bounds, i64)>>,
    lists: Option<ConstantLists>,
}

/// The constant lists, each by its code less `first`; the row `count` is for values that are none.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConstantLists {
    pub first: Code,
    pub count: i64,
    /// For each list its head and its tail, `NONE` where it has none.
    pub parts: i64,
    /// For each list the place of its first item in `items`, `NONE` for no list.
    pub starts: i64,
    /// The items of all lists, with a `NONE` behind each list.
    pub items: i64,
}

/// The first row of each key of an index: `width` codes, or at least one.
#[derive(Clone)]
pub(super) struct Firsts {
    pub address: i64,
    /// Every key has a row.
    pub full: bool,
    /// The least and the greatest code of each column.
    pub ranges: Vec<(Code, Code)>,
}

/// The shifts of a relation by key: for each shift its mask, then its distance.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shifts {
    /// One for each key, perhaps with an empty mask.
    Single(i64),
    /// Several for each key: the addresses of the table of their beginnings, and of all shifts.
    Several { starts: i64, shifts: i64 },
}

/// All rows of an index by key.
#[derive(Clone)]
pub(super) struct Runs {
    /// The address of the table of the first rows of the keys, with one entry more than there are
    /// keys.
    pub starts: i64,
    pub codes: i64,
    pub ranges: Vec<(Code, Code)>,
}

/// How many combinations of keys an address space has.
pub(super) fn keys(address: &Address) -> usize {
    match address {
        Address::Dense(ranges) => ranges.iter().map(|r| r.len).product(),
        Address::Hashed(map) => map.len(),
    }
}

impl Tables {
    pub fn keep(&mut self, words: Vec<u64>) -> i64 {
        let words = words.into_boxed_slice();
        let address = words.as_ptr() as i64;
        self.bytes.insert(address, words.len() * 8);
        self.memory.push(words);
        address
    }

    /// Bytes of the table at an address.
    pub fn bytes(&self, address: i64) -> usize {
        self.bytes.get(&address).copied().unwrap_or(0)
    }

    /// Stores the description of a place in the code; returns its address.
    pub fn site(&mut self, site: String) -> i64 {
        let site = Arc::new(site);
        let address = Arc::as_ptr(&site) as i64;
        self.sites.push(site);
        address
    }

    /// The bounds of a flood: their keys, the inputs that are keys, and the address of the sets.
    pub fn bounds(&mut self, number: u32, plan: &Plan) -> Option<(Address, Vec<usize>, i64)> {
        if !self.bounds.contains_key(&number) {
            let made = bounds(plan, &plan.procedures[number as usize]);
            let kept = made.map(|made| {
                let address = self.keep(made.bits.clone());
                (made, address)
            });
            self.bounds.insert(number, kept);
        }
        let (made, address) = self.bounds.get(&number)?.as_ref()?;
        Some((made.address.clone(), made.keys.clone(), *address))
    }

    /// The sets by key, with an empty set after the last.
    pub fn rows(&mut self, number: u32, rows: &Rows) -> i64 {
        if let Some(address) = self.rows.get(&number) {
            return *address;
        }
        let mut words = rows.bits.clone();
        words.extend(std::iter::repeat_n(0, rows.words));
        let address = self.keep(words);
        self.rows.insert(number, address);
        address
    }

    pub fn constant_lists(&mut self, plan: &Plan) -> ConstantLists {
        if let Some(lists) = self.lists {
            return lists;
        }
        let codes = || plan.lists.keys().copied();
        let first = codes().min().unwrap_or(plan.empty_list);
        let count = codes().max().unwrap_or(first) - first + 1;
        let none = NONE as u64;
        let mut parts = Vec::new();
        let (mut starts, mut items) = (Vec::new(), Vec::new());
        for code in first..=first + count {
            let (head, tail) = plan.parts.get(&code).copied().unwrap_or((NONE, NONE));
            parts.extend([head as u64, tail as u64]);
            match plan.lists.get(&code) {
                Some(list) => {
                    starts.push(items.len() as u64);
                    items.extend(list.iter().map(|item| *item as u64));
                    items.push(none);
                }
                None => starts.push(none),
            }
        }
        let [parts, starts, items] = [parts, starts, items].map(|words| self.keep(words));
        let lists = ConstantLists { first, count, parts, starts, items };
        self.lists = Some(lists);
        lists
    }

    pub fn firsts(&mut self, number: u32, index: &Index, keys: usize) -> Firsts {
        if let Some(firsts) = self.firsts.get(&number) {
            return firsts.clone();
        }
        let width = index.width.max(1);
        let mut words = vec![NONE as u64; (keys + 1) * width];
        let mut full = true;
        for key in 0..keys {
            let (Some(from), Some(to)) = (index.starts.get(key), index.starts.get(key + 1)) else {
                full = false;
                continue;
            };
            if from == to {
                full = false;
            } else if index.width == 0 {
                words[key] = 0;
            } else {
                let row = index.row(*from as usize);
                row.iter().enumerate().for_each(|(i, c)| words[key * width + i] = *c as u64);
            }
        }
        let firsts = Firsts { address: self.keep(words), full, ranges: ranges(index) };
        self.firsts.insert(number, firsts.clone());
        firsts
    }

    pub fn runs(&mut self, number: u32, index: &Index, keys: usize) -> Runs {
        if let Some(runs) = self.runs.get(&number) {
            return runs.clone();
        }
        let last = index.starts.last().copied().unwrap_or(0);
        let starts: Vec<u64> = (0..keys + 2)
            .map(|k| u64::from(index.starts.get(k).copied().unwrap_or(last)))
            .collect();
        let codes: Vec<u64> = index.rows.iter().map(|c| *c as u64).collect();
        let runs =
            Runs { starts: self.keep(starts), codes: self.keep(codes), ranges: ranges(index) };
        self.runs.insert(number, runs.clone());
        runs
    }

    pub fn shifts(&mut self, number: u32, images: &Images, words: usize) -> Shifts {
        if let Some(known) = self.images.get(&number) {
            return *known;
        }
        let keys = images.keys();
        let mut starts = vec![0];
        let mut table = Vec::new();
        let single = (0..keys).all(|k| images.shifts(k).len() <= 1);
        for key in 0..=keys {
            let before = table.len();
            if key < keys {
                for (shift, mask) in images.shifts(key) {
                    table.extend_from_slice(mask);
                    table.push(i64::from(shift) as u64);
                }
            }
            if single && table.len() == before {
                table.extend(std::iter::repeat_n(0, words + 1));
            }
            starts.push((table.len() / (words + 1)) as u64);
        }
        let shifts = self.keep(table);
        let made = match single {
            true => Shifts::Single(shifts),
            false => Shifts::Several { starts: self.keep(starts), shifts },
        };
        self.images.insert(number, made);
        made
    }
}

fn ranges(index: &Index) -> Vec<(Code, Code)> {
    (0..index.width).map(|column| index.range(column).unwrap_or((0, 0))).collect()
}
