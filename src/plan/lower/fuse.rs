//! Instructions that do the work of several.
//!
//! Three forms of block become one instruction: the search for a constant set within another set,
//! such as a line of one player's pieces; a block that is only a test; and a loop that maps the
//! elements of a set by a static relation.

use crate::program::{EndKind, FluentId};

use super::super::blocks::{BlockId, OpId};
use super::super::ops::{Op, Operand, Reg, Set};
use super::super::rows::KeyRange;
use super::super::{End, Images, Through};
use super::order::with_sign;
use super::{Code, Lowering};

/// Candidate moves are generated element by element where the relation has more shifts than this.
const MAX_MOVE_SHIFTS: usize = 8;

/// A test that does not depend on the state.
fn is_fixed(op: &Op) -> bool {
    matches!(
        op,
        Op::In { set: Set::Mask(_) | Set::Row { .. }, .. } | Op::Has { .. } | Op::Same { .. }
    )
}

impl Lowering<'_> {
    /// Transforms all blocks that can be reached from these, and drops the others.
    pub(super) fn fuse(&mut self, starts: &[BlockId], ends: &[End]) {
        let blocks = self.ops.blocks.inner_first(starts);
        for block in &blocks {
            self.any_row(*block, ends);
        }
        for block in &blocks {
            for number in 0..self.ops.blocks[*block].len() as u32 {
                let id = OpId { block: *block, number };
                if let Some(op) = self.test_alone(self.ops.blocks.op(id)) {
                    *self.ops.blocks.op_mut(id) = op;
                }
            }
        }
        for block in &blocks {
            if (self.stopped)() {
                return;
            }
            let made = self.image(*block).or_else(|| self.joint(*block));
            if let Some(made) = made.or_else(|| self.image_of_rows(*block)) {
                self.ops.blocks.replace_last(*block, made);
            }
        }
        let blocks = self.ops.blocks.inner_first(starts);
        self.ops.blocks.retain(&blocks);
        self.gather_once(&blocks);
        self.spare_floods(&blocks);
    }

    /// A loop that ends this block, `Each row, row within a set, Succeed`, becomes one test. Where more
    /// is tested, in an end clause, the test is made before all that the state decides: it is cheap
    /// as long as it looks at changed sites only, for which it has to be made each time.
    fn any_row(&mut self, block: BlockId, ends: &[End]) {
        let ops = &self.ops.blocks[block];
        let Some((dst, codes, body)) = ops.last().and_then(|op| self.enumerated(op)) else {
            return;
        };
        let inside = self.ops.blocks[body].as_slice();
        let contained = |op: &Op| match op {
            Op::Subset { part: Set::Row { rows, keys }, whole, negate: false }
                if **keys == [Operand::Reg(dst)] && !whole.reads(dst) =>
            {
                Some((*rows as usize, whole.clone()))
            }
            _ => None,
        };
        let Some((rows, whole)) = inside.iter().find_map(contained) else { return };
        let alone = matches!(inside, [Op::Subset { .. }, Op::Succeed]);
        let words = self.universes.words;
        let mut sets: Vec<u64> = Vec::new();
        for code in codes {
            match self.made.rows[rows].find(|_| code) {
                Some(set) if set.iter().any(|w| *w != 0) => sets.extend_from_slice(set),
                // an empty set is in every set
                _ => return,
            }
        }
        let fluent = match whole {
            Set::PlaneOf { fluent, .. } => Some(fluent),
            Set::Plane(first) => self.plane_of(first),
            _ => None,
        };
        // the results of the first tests do not change during a game; a player is in register 0
        let first = ops.iter().take_while(|op| is_fixed(op)).count();
        let fixed = first + 1 == ops.len();
        let end = ends.iter().find(|end| end.body.start == block);
        let asked = end.is_some_and(|end| matches!(end.kind, EndKind::Win | EndKind::Lose));
        let given = match &whole {
            Set::PlaneOf { value: Operand::Reg(reg), .. } => asked && *reg == 0,
            _ => true,
        };
        let ending = end.is_some() && (fixed || given);
        let watched = fluent.filter(|f| ending && *self.made.watched.get_or_insert(*f) == *f);
        if !alone && watched.is_none() {
            return;
        }
        let through = watched.map(|_| {
            self.made.through.push(Through::build(words, &sets));
            self.made.through.len() as u32 - 1
        });
        let masks = (self.made.masks.len() / words) as u32;
        let count = (sets.len() / words) as u32;
        self.made.masks.extend(sets);
        let guarded = through.is_some() && !(alone && fixed);
        let test = Op::AnyRow { masks, count, whole, through, guarded, negate: false };
        if !guarded {
            self.ops.blocks.replace_last(block, [test, Op::Succeed]);
            return;
        }
        if alone {
            self.ops.blocks.replace_last(block, [Op::Succeed]);
        }
        self.ops.blocks.insert(OpId { block, number: first as u32 }, test);
    }

    /// The register, the values and the body of a loop over constants.
    fn enumerated(&self, op: &Op) -> Option<(Reg, Vec<Code>, BlockId)> {
        match op {
            Op::Each { set: Set::Mask(mask), base, dst, body, .. } => {
                let words = self.universes.words;
                let mask = &self.made.masks[*mask as usize * words..][..words];
                let bits = (0..words * 64).filter(|i| mask[i / 64] >> (i % 64) & 1 == 1);
                Some((*dst, bits.map(|i| base + i as Code).collect(), *body))
            }
            Op::Rows { index, keys, outs, body } if outs.len() == 1 => {
                let index = &self.made.indexes[*index as usize];
                let constant = |key: &Operand| match key {
                    Operand::Const(code) => Some(*code),
                    Operand::Reg(_) => None,
                };
                let keys = keys.iter().map(constant).collect::<Option<Vec<Code>>>()?;
                let rows = index.find(|i| keys[i]);
                Some((outs[0], rows.map(|number| index.row(number)[0]).collect(), *body))
            }
            _ => None,
        }
    }

    /// The replacement for a loop that ends this block: for `Each element, its row, filters, Emit`
    /// the image of the whole set, and likewise for `Each element, what it leads to, tests,
    /// EmitOne`, and where these end in candidate moves. Floods that are the same for all elements
    /// are made before it.
    fn image(&mut self, block: BlockId) -> Option<Vec<Op>> {
        let Op::Each { set: source, base: source_base, dst, body, .. } =
            self.ops.blocks[block].last()?
        else {
            return None;
        };
        let (source, source_base, dst) = (source.clone(), *source_base, *dst);
        let mut filters: Vec<(Set, bool)> = Vec::new();
        let mut made: Vec<Op> = Vec::new();
        // the register of the targets of candidate moves, with the code of index 0
        let mut to: Option<(Reg, Code)> = None;
        let mut ops = self.ops.blocks[*body].iter();
        let (keys, position, pairs, name) = match ops.next()? {
            Op::Load { dst: set, set: first } => {
                let mut all: Vec<(&Set, bool)> = vec![(first, false)];
                loop {
                    match ops.next()? {
                        Op::And { dst, set: filter } if dst == set => all.push((filter, false)),
                        Op::AndNot { dst, set: filter } if dst == set => all.push((filter, true)),
                        Op::Emit { set: Set::Reg(emitted) } if emitted == set => break,
                        Op::Segment { set: Set::Reg(last), base, dst } if last == set => {
                            to = Some((*dst, *base));
                            break;
                        }
                        _ => return None,
                    }
                }
                let row = all.iter().position(|(part, negate)| {
                    !negate && matches!(part, Set::Row { keys, .. } if keys.contains(&Operand::Reg(dst)))
                })?;
                let (Set::Row { rows, keys }, _) = all.remove(row) else { return None };
                if all.iter().any(|(part, _)| part.reads(dst) || **part == Set::Reg(*set)) {
                    return None;
                }
                filters.extend(all.into_iter().map(|(part, negate)| (part.clone(), negate)));
                let position = only(keys, dst)?;
                let rows = &self.made.rows[*rows as usize];
                (keys.clone(), position, rows.pairs(), rows.name.clone())
            }
            Op::Emit { set: Set::Row { rows, keys } } => {
                let position = only(keys, dst)?;
                let rows = &self.made.rows[*rows as usize];
                (keys.clone(), position, rows.pairs(), rows.name.clone())
            }
            Op::Find { index, keys, outs } => {
                let [out] = **outs else { return None };
                let target_base = loop {
                    match ops.next()? {
                        Op::EmitOne { x, base } if *x == Operand::Reg(out) => break *base,
                        Op::Single => {
                            let column = self.made.indexes[*index as usize].range(0)?;
                            let base = self.universes.base_of(column)?;
                            to = Some((out, base));
                            break base;
                        }
                        op @ Op::GatherCall { inputs, .. } => {
                            if [dst, out].iter().any(|reg| inputs.contains(&Operand::Reg(*reg))) {
                                return None;
                            }
                            made.push(op.clone());
                        }
                        op => filters.push(self.filter(op, out, dst)?),
                    }
                };
                let position = only(keys, dst)?;
                let index = &self.made.indexes[*index as usize];
                let inside = 0..(self.universes.words * 64) as Code;
                let pairs: Vec<(Vec<Code>, usize)> = index
                    .pairs()
                    .filter(|(_, row)| inside.contains(&(row[0] - target_base)))
                    .map(|(key, row)| (key, (row[0] - target_base) as usize))
                    .collect();
                (keys.clone(), position, pairs, index.name.clone())
            }
            _ => return None,
        };
        let mut others = keys.to_vec();
        others.remove(position);
        let mut triples = Vec::new();
        for (mut key, target) in pairs {
            let source = key.remove(position) - source_base;
            if (0..(self.universes.words * 64) as Code).contains(&source) {
                triples.push((key, source as usize, target));
            }
        }
        let codes: Vec<Code> = triples.iter().flat_map(|(key, ..)| key.iter().copied()).collect();
        let ranges = KeyRange::of_columns(others.len(), &codes);
        let built = Images::build(&name, self.universes.words, ranges, &triples)?;
        let (images, keys, filters) =
            (self.made.images.len() as u32, others.into(), filters.into());
        made.push(match to {
            None => Op::EmitImage { images, keys, source, filters },
            Some(to) => {
                let many = (0..built.keys()).any(|n| built.shifts(n).len() > MAX_MOVE_SHIFTS);
                if many || self.universes.words > 2 {
                    return None;
                }
                let from = (dst, source_base);
                Op::SegmentImage { images, keys, source, filters, from, to }
            }
        });
        self.made.images.push(built);
        Some(made)
    }

    /// A test of this register as a set that must contain it, or must not.
    fn filter(&self, op: &Op, x: Reg, source: Reg) -> Option<(Set, bool)> {
        let Test { reg, set, negate, .. } = self.test_of_element(op)?;
        (reg == x && !set.reads(x) && !set.reads(source)).then_some((set, negate))
    }

    /// A test of a register as a set that must contain it, or must not.
    pub(super) fn test_of_element(&self, op: &Op) -> Option<Test> {
        let (x, set, negate, base) = match op {
            Op::In { x, set, base, negate } => (*x, set.clone(), *negate, *base),
            Op::Holds { fluent, keys, value, negate } => {
                let place = self.layout.place(*fluent);
                let planes = place.planes?;
                let [x] = **keys else { return None };
                let set = match value {
                    Some(value) => Set::PlaneOf { fluent: *fluent, value: *value },
                    None => Set::Plane(planes.defined),
                };
                (x, set, *negate, place.keys[0].base)
            }
            Op::Defined { fluent, keys, negate } => {
                let place = self.layout.place(*fluent);
                let [x] = **keys else { return None };
                (x, Set::Plane(place.planes?.defined), *negate, place.keys[0].base)
            }
            _ => return None,
        };
        let Operand::Reg(reg) = x else { return None };
        Some(Test { reg, set, negate, base })
    }

    fn plane_of(&self, first: u32) -> Option<FluentId> {
        let within = |place: &super::super::Place| {
            let Some(planes) = place.planes else { return false };
            (planes.first..=planes.defined).contains(&first)
        };
        let at = self.layout.places.iter().position(within)?;
        Some(FluentId(at as u32))
    }

    /// `Exists` of a block that is a single test, as that test.
    fn test_alone(&self, op: &Op) -> Option<Op> {
        let Op::Exists { body, negate: outer } = op else { return None };
        match self.ops.blocks[*body].as_slice() {
            [Op::Each { set, body, .. }] if self.ops.blocks[*body] == [Op::Succeed] => {
                Some(Op::NonEmpty { set: set.clone(), negate: *outer })
            }
            [test, Op::Succeed] => with_sign(test.clone(), *outer),
            _ => None,
        }
    }
}

/// A test of a register: the set, whether the element must be outside of it, and the code of index 0.
pub(super) struct Test {
    pub reg: Reg,
    pub set: Set,
    pub negate: bool,
    pub base: Code,
}

/// The only place of a register among operands.
pub(super) fn only(keys: &[Operand], reg: Reg) -> Option<usize> {
    let mut places = (0..keys.len()).filter(|i| keys[*i] == Operand::Reg(reg));
    match (places.next(), places.next()) {
        (Some(place), None) => Some(place),
        _ => None,
    }
}
