//! Floods along lines, without a loop.
//!
//! A round of such a flood moves what is new by one shift: a rook's way in one direction, the
//! enclosed discs of a row. Everything that is reached then comes of as many steps as the length of
//! the longest line has binary digits (Kogge and Stone, "A parallel algorithm for the efficient
//! solution of a general class of recurrence equations", 1973, on sets of bits), where a loop would
//! end after a number of rounds that no branch predictor can know.

use cranelift_codegen::ir::Value;

use crate::plan::{BlockId, Images, Op, Operand, Set, SetReg};

use super::calls::Rounds;
use super::function::{Emitted, Env, Function, Words};
use super::shifts::MOST_WORDS;
use super::tables::Shifts;

/// The shift of a step, and its multiples.
#[derive(Clone, Copy)]
enum By {
    Known(i32),
    Found(Value),
}

impl Function<'_, '_, '_> {
    /// Does a round, whose new elements are in the clause's set register 0, give what one shift
    /// makes of those that lie in sets that no round changes?
    pub fn is_ray(&self, start: BlockId) -> bool {
        let mut derived: Vec<SetReg> = vec![0];
        let mut ops = self.plan.blocks[start].iter();
        let is =
            |set: &Set, derived: &[SetReg]| matches!(set, Set::Reg(reg) if derived.contains(reg));
        while let Some(op) = ops.next() {
            match op {
                Op::Round { body } => ops = self.plan.blocks[*body].iter(),
                Op::Load { dst, set } => {
                    let follows = is(set, &derived);
                    derived.retain(|known| known != dst);
                    if follows {
                        derived.push(*dst);
                    }
                }
                Op::And { set, .. } | Op::AndNot { set, .. } => {
                    if is(set, &derived) {
                        return false;
                    }
                }
                // what is empty for all elements is so for each
                Op::NonEmpty { .. } => {}
                Op::EmitImage { images, source, filters, .. } => {
                    return is(source, &derived)
                        && !filters.iter().any(|(set, _)| is(set, &derived))
                        && self.longest(&self.plan.images[*images as usize]).is_some();
                }
                _ => {
                    let uses = op.uses();
                    let reads = uses.sets.iter().any(|set| is(set, &derived));
                    let writes = uses.writes_set.or(uses.narrows);
                    if reads
                        || writes.is_some_and(|set| derived.contains(&set))
                        || !uses.blocks.is_empty()
                        || uses.next.is_some()
                        || op.is_generator()
                    {
                        return false;
                    }
                }
            }
        }
        false
    }

    /// The steps of the longest line of a relation that has at most one shift for each key.
    fn longest(&self, images: &Images) -> Option<u32> {
        if self.w > MOST_WORDS {
            return None;
        }
        let mut longest = 1;
        for key in 0..images.keys() {
            let mut shifts = images.shifts(key);
            let Some((shift, mask)) = shifts.next() else { continue };
            if shifts.next().is_some() {
                return None;
            }
            let mut all = [0; MOST_WORDS];
            all.iter_mut().zip(mask).for_each(|(word, mask)| *word = *mask);
            let (mut rest, mut steps) = (all, 0);
            while rest != [0; MOST_WORDS] {
                steps += 1;
                if steps > 64 * MOST_WORDS as u32 {
                    return None;
                }
                rest = Images::moved(&rest, shift, &all);
                (0..MOST_WORDS).for_each(|i| rest[i] &= all[i]);
            }
            longest = longest.max(steps);
        }
        Some(longest)
    }

    /// The rounds of a flood that [`Self::is_ray`]: adds to `rounds.whole` all that they reach.
    pub fn rays(&mut self, start: BlockId, env: &Env, rounds: Rounds) -> Emitted {
        let Rounds { into, whole } = rounds;
        // the round is written for every element, to know which of them it passes
        let every: Words = (0..self.w).map(|_| self.c(-1)).collect();
        self.put_set(env.sets, &every);
        let nothing = self.zero();
        self.put_set(into, &nothing);
        let next = self.b.create_block();
        self.block(start, Env { ray: Some(whole), ..env.clone() }, next)?;
        self.b.switch_to_block(next);
        for i in 0..self.w {
            let found = self.b.use_var(self.sets[into + i]);
            let known = self.b.use_var(self.sets[whole + i]);
            let all = self.or(known, found);
            self.b.def_var(self.sets[whole + i], all);
        }
        Ok(())
    }

    /// What comes of the elements `first` by steps from elements of `from` to those of `onto`.
    pub fn ray(
        &mut self,
        number: u32,
        keys: &[Operand],
        [first, from, onto]: [&[Value]; 3],
        env: &Env,
    ) -> Emitted<Words> {
        let images = &self.plan.images[number as usize];
        let longest = self.longest(images).unwrap_or(1);
        let at = self.address(images.address(), keys, env)?;
        let (moving, by): (Words, By) = match at.constant() {
            Some(n) => {
                let shift = (n as usize) < images.keys();
                let Some((shift, mask)) = shift.then(|| images.shifts(n as usize).next()).flatten()
                else {
                    return Ok(self.zero());
                };
                let mask = mask.iter().map(|word| self.c(*word as i64)).collect();
                (mask, By::Known(shift))
            }
            None => {
                let (Shifts::Single(memory) | Shifts::Several { shifts: memory, .. }) =
                    self.module.tables.shifts(number, images, self.w);
                let address = self.row_address(memory, at.value, self.w + 1);
                let mask = self.words_at(None, address, 0);
                (mask, By::Found(self.load_table(address, self.w * 8)))
            }
        };
        let landing = self.moved(&moving, by, 0);
        let both = self.both(from, onto);
        let mut passes = self.both(&both, &landing);
        let mut reached = self.both(first, from);
        let doublings = u32::BITS - (longest - 1).leading_zeros();
        for power in 0..doublings {
            let more = self.moved(&reached, by, power);
            for i in 0..self.w {
                let more = self.and(more[i], passes[i]);
                reached[i] = self.or(reached[i], more);
            }
            if power + 1 < doublings {
                let longer = self.moved(&passes, by, power);
                passes = self.both(&passes, &longer);
            }
        }
        let last = self.both(&reached, &moving);
        let last = self.moved(&last, by, 0);
        Ok(self.both(&last, onto))
    }

    fn both(&mut self, a: &[Value], b: &[Value]) -> Words {
        a.iter().zip(b).map(|(a, b)| self.and(*a, *b)).collect()
    }

    /// A set moved by a power of two of steps. What would leave the set is of no use afterwards.
    fn moved(&mut self, set: &[Value], by: By, power: u32) -> Words {
        match by {
            By::Known(shift) => {
                let words = self.shifted(set, &[u64::MAX; MOST_WORDS][..self.w], shift << power);
                words.into_iter().map(|word| word.unwrap_or_else(|| self.c(0))).collect()
            }
            By::Found(shift) => {
                let shift = self.shift_left(shift, i64::from(power));
                self.rotated(set, shift)
            }
        }
    }
}
