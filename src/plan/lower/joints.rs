//! Loops over the rows of a relation that test where each site of a row is.
//!
//! `pair(Me, C) :- at(A, You), at(B, You), at(D, Me), four(C, A, B, D)` as a set of sites `C` is one instruction: the
//! planes of the state are shifted onto `C` for each form that the rows of `four` have.

use super::super::blocks::BlockId;
use super::super::ops::{Op, Operand, Reg, Set};
use super::super::rows::{KeyRange, elements};
use super::super::{Images, Index, Joints};
use super::fuse::Test;
use super::{Code, Lowering};

/// A loop is kept where one instruction would shift more words than this.
const MAX_WORK: usize = 384;

/// The same for a loop over elements that may be few, such as those that are new in a round of a flood.
const MAX_WORK_OF_FEW: usize = 64;

/// The sets of a joint, each with whether its element must be outside of it.
type Sets = Vec<(Set, bool)>;

/// A row of a joint: the target, and the site for each of the sets.
type Sites = (usize, Vec<usize>);

/// Rows of two elements are sooner gone through than sets of more words shifted.
const MAX_WORDS: usize = 2;

impl Lowering<'_> {
    /// The replacement for a loop over rows of two elements that ends this block: `its rows, a test of the first, tests of the
    /// second, EmitOne` is the image of the set of the first test.
    pub(super) fn image_of_rows(&mut self, block: BlockId) -> Option<Vec<Op>> {
        let Op::Rows { index, keys, outs, body } = self.ops.blocks[block].last()? else {
            return None;
        };
        let [Op::EmitOne { x: Operand::Reg(to), base: target_base }, tests @ ..] =
            &self.ops.blocks[*body].iter().rev().collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let from = outs.iter().copied().find(|reg| reg != to)?;
        if keys.len() > 1
            || outs.len() != 2
            || !outs.contains(to)
            || self.universes.words > MAX_WORDS
        {
            return None;
        }
        let mut source: Option<(Set, Code)> = None;
        let mut filters = Vec::new();
        for op in tests {
            let Test { reg, set, negate, base } = self.test_of_element(op)?;
            if outs.iter().any(|out| set.reads(*out)) {
                return None;
            }
            match reg {
                _ if reg == *to && base == *target_base => filters.push((set, negate)),
                _ if reg == from && !negate && source.is_none() => source = Some((set, base)),
                _ => return None,
            }
        }
        let (source, source_base) = source?;
        let index = &self.made.indexes[*index as usize];
        let at = |reg| outs.iter().position(|out| *out == reg);
        let (first, second) = (at(from)?, at(*to)?);
        let triples: Vec<(Vec<Code>, usize, usize)> = (index.pairs())
            .filter_map(|(key, row)| {
                Some((
                    key,
                    self.index_within(row[first], source_base)?,
                    self.index_within(row[second], *target_base)?,
                ))
            })
            .collect();
        let codes: Vec<Code> = triples.iter().flat_map(|(key, ..)| key.iter().copied()).collect();
        let ranges = KeyRange::of_columns(keys.len(), &codes);
        let built = Images::build(&index.name, self.universes.words, ranges, &triples)?;
        let (keys, filters) = (keys.clone(), filters.into());
        self.made.images.push(built);
        let images = self.made.images.len() as u32 - 1;
        Some(vec![Op::EmitImage { images, keys, source, filters }])
    }

    /// The replacement for a loop that ends this block: `Each element, its rows or its only row, a test of each site, EmitOne`, or
    /// `Each element, EmitImage`.
    pub(super) fn joint(&mut self, block: BlockId) -> Option<Vec<Op>> {
        let Op::Each { set: source, base, dst, body, orbit: None } =
            self.ops.blocks[block].last()?
        else {
            return None;
        };
        let whole = Test { reg: *dst, set: source.clone(), negate: false, base: *base };
        let (name, parts, rows, most) = match self.ops.blocks[*body].as_slice() {
            [Op::EmitImage { images, keys, source, filters }] => {
                let images = &self.made.images[*images as usize];
                let (parts, rows) = self.rows_of_image(whole, images, keys, (source, filters))?;
                (images.name.clone(), parts, rows, MAX_WORK_OF_FEW)
            }
            ops => {
                let (index, keys, outs, tests) = match ops {
                    [Op::Rows { index, keys, outs, body }] => {
                        (index, keys, outs, &self.ops.blocks[*body][..])
                    }
                    [Op::Find { index, keys, outs }, tests @ ..] if outs.len() > 1 => {
                        (index, keys, outs, tests)
                    }
                    _ => return None,
                };
                // few elements, such as the squares of a king, have few rows
                let many = matches!(source, Set::PlaneOf { .. } | Set::Plane(_));
                if !many || **keys != [Operand::Reg(*dst)] {
                    return None;
                }
                let index = &self.made.indexes[*index as usize];
                let (parts, rows) = self.rows_of_sites(whole, index, outs, tests)?;
                (index.name.clone(), parts, rows, MAX_WORK)
            }
        };
        let words = self.universes.words;
        let joints = Joints::build(&name, words, &rows);
        if joints.forms.len() * parts.len() * words > most {
            return None;
        }
        self.made.joints.push(joints);
        Some(vec![Op::EmitJoint { joints: self.made.joints.len() as u32 - 1, sets: parts.into() }])
    }

    /// The sets of a loop over elements and the rows of each, and the rows: the target, and the site in each set.
    fn rows_of_sites(
        &self,
        whole: Test,
        index: &Index,
        outs: &[Reg],
        tests: &[Op],
    ) -> Option<(Sets, Vec<Sites>)> {
        let dst = whole.reg;
        let mut parts = vec![whole];
        let mut ops = tests.iter();
        let (target, target_base) = loop {
            match ops.next()? {
                Op::EmitOne { x: Operand::Reg(x), base } if outs.contains(x) => break (*x, *base),
                op => {
                    let test = self.test_of_element(op)?;
                    let reads = outs.iter().chain([&dst]).any(|reg| test.set.reads(*reg));
                    if reads || !outs.contains(&test.reg) {
                        return None;
                    }
                    parts.push(test);
                }
            }
        };
        let mut rows: Vec<Sites> = Vec::new();
        'row: for (key, row) in index.pairs() {
            let code_of =
                |reg: Reg| outs.iter().position(|out| *out == reg).map_or(key[0], |at| row[at]);
            let Some(target) = self.index_within(code_of(target), target_base) else { continue };
            let mut sites = Vec::new();
            for Test { reg, negate, base, .. } in &parts {
                match self.index_within(code_of(*reg), *base) {
                    Some(site) => sites.push(site),
                    None if *negate => return None,
                    None => continue 'row,
                }
            }
            rows.push((target, sites));
        }
        Some((parts.into_iter().map(|part| (part.set, part.negate)).collect(), rows))
    }

    /// The same for a loop over elements each of which leads a set on in its own way, as a stone does the stones beside it that it
    /// jumps over.
    fn rows_of_image(
        &self,
        whole: Test,
        images: &Images,
        keys: &[Operand],
        (source, filters): (&Set, &[(Set, bool)]),
    ) -> Option<(Sets, Vec<Sites>)> {
        let all = filters.iter().map(|(set, _)| set).chain([source]);
        if *keys != [Operand::Reg(whole.reg)] || all.into_iter().any(|set| set.reads(whole.reg)) {
            return None;
        }
        let mut rows: Vec<Sites> = Vec::new();
        for element in 0..self.universes.words * 64 {
            let Some(at) = images.find(|_| whole.base + element as Code) else { continue };
            for (shift, mask) in images.shifts(at) {
                for site in elements(mask) {
                    let target = (site as i64 + i64::from(shift)) as usize;
                    let filtered = vec![target; filters.len()];
                    rows.push((target, [vec![element, site], filtered].concat()));
                }
            }
        }
        let sets = [(whole.set, false), (source.clone(), false)].into_iter();
        Some((sets.chain(filters.iter().cloned()).collect(), rows))
    }

    /// The place of a code in sets that begin with another one.
    fn index_within(&self, code: Code, base: Code) -> Option<usize> {
        let index = usize::try_from(code.wrapping_sub(base)).ok();
        index.filter(|index| *index < self.universes.words * 64)
    }
}
