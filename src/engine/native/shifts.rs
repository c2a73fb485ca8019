//! Images of sets: rows of a relation, and shifts of whole sets.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{Operand, Set};

use super::context::Context;
use super::function::{Emitted, Env, Function, Region, Unsupported, Words};
use super::tables::Shifts;

/// The most words of a set that is moved by a number that is not known yet.
pub const MOST_WORDS: usize = 4;

impl Function<'_, '_, '_> {
    /// Everything that some element of a set is related to.
    pub fn image(
        &mut self,
        number: u32,
        keys: &[Operand],
        source: &[Value],
        env: &Env,
    ) -> Emitted<Words> {
        let images = &self.plan.images[number as usize];
        let at = self.address(images.address(), keys, env)?;
        if let Some(n) = at.constant() {
            let mut image = self.zero();
            if (n as usize) < images.keys() {
                for (shift, mask) in images.shifts(n as usize) {
                    let moved = self.shifted(source, mask, shift);
                    for (i, word) in moved.iter().enumerate() {
                        if let Some(word) = word {
                            image[i] = self.or(image[i], *word);
                        }
                    }
                }
            }
            return Ok(image);
        }
        if self.w > MOST_WORDS {
            return Ok(self.image_by_helper(number, at.value, source));
        }
        Ok(match self.module.tables.shifts(number, images, self.w) {
            Shifts::Single(memory) => self.shifted_by(memory, at.value, source),
            Shifts::Several { starts, shifts } => {
                let address = self.row_address(starts, at.value, 1);
                let (from, to) = (self.load_table(address, 0), self.load_table(address, 8));
                self.all_shifted(shifts, from, to, source)
            }
        })
    }

    /// The same of large sets, through memory and by the plan's own tables.
    fn image_by_helper(&mut self, number: u32, key: Value, source: &[Value]) -> Words {
        let slot = self.slot(self.w * 2);
        let base = self.slot_address(slot);
        for (i, word) in source.iter().enumerate() {
            self.store(Region::Frames, *word, base, i * 8);
        }
        let machine = self.read_context(offset_of!(Context, machine));
        let number = self.c(i64::from(number));
        let into = self.plus(base, self.w as i64 * 8);
        let helper = self.module.helpers.image;
        self.call_helper(helper, &[machine, number, key, base, into]);
        (0..self.w).map(|i| self.load(Region::Frames, into, i * 8)).collect()
    }

    /// The targets of the rows whose sites are in these sets, or outside of those that are negated.
    pub fn joint(&mut self, number: u32, sets: &[(Set, bool)], env: &Env) -> Emitted<Words> {
        let sets: Vec<(Words, bool)> = sets
            .iter()
            .map(|(set, negate)| Ok((self.set(set, env)?, *negate)))
            .collect::<Emitted<_>>()?;
        let mut all = self.zero();
        let whole = vec![u64::MAX; self.w];
        for form in &self.plan.joints[number as usize].forms {
            let mut targets: Vec<Option<Value>> = Vec::new();
            for word in &form.targets {
                targets.push((*word != 0).then(|| self.c(*word as i64)));
            }
            for ((set, negate), shift) in sets.iter().zip(&form.shifts) {
                let moved = self.shifted(set, &whole, *shift);
                for (target, moved) in targets.iter_mut().zip(moved) {
                    *target = match (*target, moved, negate) {
                        (Some(target), Some(moved), false) => Some(self.and(target, moved)),
                        (Some(target), Some(moved), true) => Some(self.and_not(target, moved)),
                        (target, None, true) => target,
                        _ => None,
                    };
                }
            }
            for (word, target) in all.iter_mut().zip(targets) {
                if let Some(target) = target {
                    *word = self.or(*word, target);
                }
            }
        }
        Ok(all)
    }

    /// A set masked and moved by a row of a table of shifts.
    fn shifted_by(&mut self, memory: i64, row: Value, source: &[Value]) -> Words {
        let address = self.row_address(memory, row, self.w + 1);
        let masks = self.words_at(None, address, 0);
        let shift = self.load_table(address, self.w * 8);
        let masked: Words = source.iter().zip(&masks).map(|(a, b)| self.and(*a, *b)).collect();
        self.rotated(&masked, shift)
    }

    /// A set moved by each shift of a relation in turn. The builder is left in the loop over the
    /// shifts; returns the moved set, the shift, and the head of the loop.
    pub fn shifted_in_turn(
        &mut self,
        number: u32,
        keys: &[Operand],
        source: &[Value],
        env: &Env,
        fail: Block,
    ) -> Emitted<(Words, Value, Block)> {
        if self.w > MOST_WORDS {
            return Err(Unsupported("shifts of sets of more than four words"));
        }
        let images = &self.plan.images[number as usize];
        let at = self.address(images.address(), keys, env)?;
        let stride = self.w + 1;
        match self.module.tables.shifts(number, images, self.w) {
            Shifts::Single(memory) => {
                let row = self.row_address(memory, at.value, stride);
                let shift = self.load_table(row, self.w * 8);
                Ok((self.shifted_by(memory, at.value, source), shift, fail))
            }
            Shifts::Several { starts, shifts } => {
                let address = self.row_address(starts, at.value, 1);
                let (from, to) = (self.load_table(address, 0), self.load_table(address, 8));
                let to = self.variable_of(to);
                let (here, header) = self.numbers(from, to, None, fail);
                let row = self.row_address(shifts, here, stride);
                let shift = self.load_table(row, self.w * 8);
                Ok((self.shifted_by(shifts, here, source), shift, header))
            }
        }
    }

    /// The union of a set moved by each of several rows.
    fn all_shifted(&mut self, memory: i64, from: Value, to: Value, source: &[Value]) -> Words {
        let image = self.new_set();
        let nothing = self.zero();
        self.put_set(image, &nothing);
        let (to, done) = (self.variable_of(to), self.b.create_block());
        let (here, header) = self.numbers(from, to, None, done);
        let moved = self.shifted_by(memory, here, source);
        let before = self.set_at(image);
        let both: Words = before.iter().zip(&moved).map(|(a, b)| self.or(*a, *b)).collect();
        self.put_set(image, &both);
        self.jump(header);
        self.b.switch_to_block(done);
        self.set_at(image)
    }

    /// A set moved by a fixed number of indexes; words that stay empty are left out.
    pub fn shifted(&mut self, source: &[Value], mask: &[u64], shift: i32) -> Vec<Option<Value>> {
        let masked: Vec<Option<Value>> = mask
            .iter()
            .zip(source)
            .map(|(mask, word)| match *mask {
                0 => None,
                u64::MAX => Some(*word),
                mask => {
                    let mask = self.c(mask as i64);
                    Some(self.and(*word, mask))
                }
            })
            .collect();
        let mut moved: Vec<Option<Value>> = vec![None; self.w];
        let by = shift.unsigned_abs() as usize;
        let (words, bits) = (by / 64, (by % 64) as i64);
        let mut put = |f: &mut Self, at: usize, word: Value| {
            moved[at] = Some(match moved[at] {
                Some(before) => f.or(before, word),
                None => word,
            });
        };
        for (i, word) in masked.iter().enumerate() {
            let Some(word) = *word else { continue };
            if shift >= 0 {
                if i + words < self.w {
                    let low = if bits > 0 { self.shift_left(word, bits) } else { word };
                    put(self, i + words, low);
                }
                if bits > 0 && i + words + 1 < self.w {
                    let high = self.shift_right(word, 64 - bits);
                    put(self, i + words + 1, high);
                }
            } else {
                if i >= words {
                    let high = if bits > 0 { self.shift_right(word, bits) } else { word };
                    put(self, i - words, high);
                }
                if bits > 0 && i > words {
                    let low = self.shift_left(word, 64 - bits);
                    put(self, i - words - 1, low);
                }
            }
        }
        moved
    }

    /// A set of some words moved by a number known only at run time. No element leaves the
    /// set, so a rotation of one or two words is enough.
    pub fn rotated(&mut self, words: &[Value], shift: Value) -> Words {
        if words.len() > 2 {
            return self.moved_in_memory(words, shift);
        }
        if words.len() == 1 {
            return Words::from_slice(&[self.b.ins().rotl(words[0], shift)]);
        }
        let (mut low, mut high) = (words[0], words[1]);
        // by a multiple of 64: the words change places; then within both
        let sixty_four = self.c(64);
        let odd = self.and(shift, sixty_four);
        let swap = self.compare_with(IntCC::NotEqual, odd, 0);
        let swapped = self.b.ins().select(swap, high, low);
        high = self.b.ins().select(swap, low, high);
        low = swapped;
        let a = self.b.ins().rotl(low, shift);
        let b = self.b.ins().rotl(high, shift);
        let one = self.c(1);
        let power = self.b.ins().ishl(one, shift);
        let mask = self.plus(power, -1);
        // the bits that crossed into the other word
        let difference = self.b.ins().bxor(a, b);
        let crossed = self.and(difference, mask);
        Words::from_slice(&[self.b.ins().bxor(a, crossed), self.b.ins().bxor(b, crossed)])
    }

    /// The same of more words: each is made of two that are read from among them, or from the empty ones on both sides.
    fn moved_in_memory(&mut self, words: &[Value], shift: Value) -> Words {
        let w = self.w as i64;
        let slot = match self.moving {
            Some(slot) => slot,
            None => self.slot(3 * self.w + 1),
        };
        self.moving = Some(slot);
        let base = self.slot_address(slot);
        let empty = self.c(0);
        for at in 0..3 * self.w + 1 {
            let word = at.checked_sub(self.w + 1).and_then(|i| words.get(i)).copied();
            self.store(Region::Frames, word.unwrap_or(empty), base, at * 8);
        }
        // how far in words, at most as far as the empty ones go
        let far = self.b.ins().sshr_imm_s(shift, 6);
        let (least, most) = (self.c(-w), self.c(w));
        let far = self.b.ins().smax(far, least);
        let far = self.b.ins().smin(far, most);
        let back = self.b.ins().ineg(far);
        let bytes = self.shift_left(back, 3);
        let from = self.b.ins().iadd(base, bytes);
        let bits = self.b.ins().band_imm_s(shift, 63);
        let others = self.b.ins().bxor_imm_s(bits, 63);
        (0..self.w)
            .map(|i| {
                let low = self.load(Region::Frames, from, (i + self.w + 1) * 8);
                let before = self.load(Region::Frames, from, (i + self.w) * 8);
                let low = self.b.ins().ishl(low, bits);
                let before = self.shift_right(before, 1);
                let before = self.b.ins().ushr(before, others);
                self.or(low, before)
            })
            .collect()
    }
}
