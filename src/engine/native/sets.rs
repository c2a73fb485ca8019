//! Sets in native code: each word is a value.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::plan::{Address, Axis, Code, Operand, Set, SetReg};
use crate::program::FluentId;

use super::function::{Emitted, Env, Function, Number, Region, Unsupported, Words};
use super::tables::{self};

impl Function<'_, '_, '_> {
    pub fn zero(&mut self) -> Words {
        (0..self.w).map(|_| self.c(0)).collect()
    }

    pub fn set_at(&mut self, first: usize) -> Words {
        (first..first + self.w).map(|i| self.b.use_var(self.sets[i])).collect()
    }

    pub fn put_set(&mut self, first: usize, words: &[Value]) {
        for (i, word) in words.iter().enumerate() {
            self.b.def_var(self.sets[first + i], *word);
        }
    }

    pub fn first_of(&self, set: SetReg, env: &Env) -> usize {
        env.sets + set as usize * self.w
    }

    /// The words of a set in memory.
    pub fn words_at(&mut self, region: Option<Region>, address: Value, offset: usize) -> Words {
        (0..self.w)
            .map(|i| match region {
                Some(region) => self.load(region, address, offset + i * 8),
                None => self.load_table(address, offset + i * 8),
            })
            .collect()
    }

    pub fn mask(&mut self, number: u32) -> Words {
        let first = number as usize * self.w;
        (0..self.w).map(|i| self.c(self.plan.masks[first + i] as i64)).collect()
    }

    pub fn set(&mut self, set: &Set, env: &Env) -> Emitted<Words> {
        Ok(match set {
            Set::Reg(reg) => self.set_at(self.first_of(*reg, env)),
            Set::Mask(mask) => self.mask(*mask),
            Set::Plane(first) => {
                let state = self.state;
                self.words_at(Some(Region::State), state, *first as usize * 8)
            }
            Set::PlaneOf { fluent, value } => {
                let place = self.plan.layout.place(*fluent);
                let (Some(planes), Some(axis)) = (place.planes, place.value.as_ref()) else {
                    return Ok(self.zero());
                };
                let code = self.number(*value, env);
                let (index, outside) = self.axis_index(axis, code)?;
                if index.constant().is_some_and(|n| n < 0) {
                    return Ok(self.zero());
                }
                self.state_set(planes.first, index, outside)
            }
            Set::Slice { fluent, slices, others, value } => {
                return self.slice(*fluent, *slices, others, *value, env);
            }
            Set::Row { rows, keys } => {
                let table = &self.plan.rows[*rows as usize];
                let at = self.address(&table.address, keys, env)?;
                let memory = self.module.tables.rows(*rows, table);
                match at.constant() {
                    Some(n) => {
                        let first = n as usize * self.w;
                        (0..self.w)
                            .map(|i| self.c(table.bits.get(first + i).copied().unwrap_or(0) as i64))
                            .collect()
                    }
                    None => {
                        let address = self.row_address(memory, at.value, self.w);
                        self.words_at(None, address, 0)
                    }
                }
            }
        })
    }

    /// A slice of a map or set with several keys.
    fn slice(
        &mut self,
        fluent: FluentId,
        slices: usize,
        others: &[Operand],
        value: Option<Operand>,
        env: &Env,
    ) -> Emitted<Words> {
        let place = self.plan.layout.place(fluent);
        let slices =
            place.slices.get(slices).ok_or(Unsupported("a slice of a map without slices"))?;
        let axes = place.keys.iter().enumerate().filter(|(i, _)| *i != slices.key);
        let mut parts: Vec<(&Axis, Operand)> = Vec::new();
        let mut plane = place.slice_planes() as i64 - 1;
        if let Some(value) = value {
            plane = 0;
            parts.push((
                place.value.as_ref().ok_or(Unsupported("a value without a domain"))?,
                value,
            ));
        }
        parts.extend(axes.map(|(_, axis)| axis).zip(others.iter().copied()));
        let (mut at, mut outside) = (self.exactly(plane), None);
        for (axis, operand) in parts {
            let code = self.number(operand, env);
            let (index, beyond) = self.axis_index(axis, code)?;
            if index.constant().is_some_and(|i| i < 0) {
                return Ok(self.zero());
            }
            outside = self.either(outside, beyond);
            at = self.digit(at, axis.len as i64, index);
        }
        Ok(self.state_set(slices.first, at, outside))
    }

    /// The set with this number among those that follow each other in the state from a word on; empty where the number
    /// is `outside` of them.
    fn state_set(&mut self, first: u32, number: Number, outside: Option<Value>) -> Words {
        let state = self.state;
        let bytes = self.w as i64 * 8;
        let offset = first as usize * 8;
        // in the place of a set outside, the first one is read and not used
        let safe = self.zero_where(outside, number);
        let mut words = match safe.constant() {
            Some(n) => self.words_at(Some(Region::State), state, offset + (n * bytes) as usize),
            None => {
                let moved = self.times(safe.value, bytes);
                let address = self.add(state, moved);
                self.words_at(Some(Region::State), address, offset)
            }
        };
        if let Some(outside) = outside {
            let zero = self.c(0);
            for word in &mut words {
                *word = self.b.ins().select(outside, zero, *word);
            }
        }
        words
    }

    pub fn row_address(&mut self, memory: i64, row: Value, words: usize) -> Value {
        let bytes = self.times(row, words as i64 * 8);
        let base = self.c(memory);
        let address = self.add(base, bytes);
        self.checks.table(address, memory);
        address
    }

    /// The number of a combination of keys: one more than the last where no row has it.
    pub fn address(&mut self, address: &Address, keys: &[Operand], env: &Env) -> Emitted<Number> {
        let ranges = match address {
            Address::Dense(ranges) => ranges,
            Address::Hashed(map) => return Ok(self.search(map, keys, env)),
        };
        let total: i64 = ranges.iter().map(|r| r.len as i64).product();
        let mut at = self.exactly(0);
        let mut outside: Option<Value> = None;
        for (range, key) in ranges.iter().zip(keys) {
            let (lo, hi) = (range.base, range.base + range.len as i64 - 1);
            let key = self.number(*key, env);
            self.bail_if_list(key);
            if key.hi < lo || hi < key.lo {
                return Ok(self.exactly(total));
            }
            let index = match key.constant() {
                Some(n) => self.exactly(n - lo),
                None => {
                    let value = self.plus(key.value, -lo);
                    if !key.within(lo, hi) {
                        let beyond = self.compare_with(
                            IntCC::UnsignedGreaterThanOrEqual,
                            value,
                            range.len as i64,
                        );
                        outside = Some(match outside {
                            Some(outside) => self.or(outside, beyond),
                            None => beyond,
                        });
                    }
                    Number { value, lo: 0, hi: range.len as i64 - 1 }
                }
            };
            at = match (at.constant(), index.constant()) {
                (Some(a), Some(i)) => self.exactly(a * range.len as i64 + i),
                _ => {
                    let scaled = self.times(at.value, range.len as i64);
                    let value = match at.constant() {
                        Some(0) => index.value,
                        _ => self.add(scaled, index.value),
                    };
                    Number { value, lo: 0, hi: total - 1 }
                }
            };
        }
        if let Some(outside) = outside {
            let none = self.c(total);
            let value = self.b.ins().select(outside, none, at.value);
            return Ok(Number { value, lo: 0, hi: total });
        }
        Ok(at)
    }

    /// The same for keys that are far apart: a binary search.
    fn search(
        &mut self,
        map: &FxHashMap<SmallVec<[Code; 4]>, u32>,
        keys: &[Operand],
        env: &Env,
    ) -> Number {
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_unstable();
        let width = keys.len() + 1;
        let words = entries.iter().flat_map(|(codes, number)| {
            codes.iter().map(|code| *code as u64).chain([u64::from(**number)])
        });
        let table = self.module.tables.keep(words.collect());
        let wanted: Vec<Value> = keys
            .iter()
            .map(|key| {
                let key = self.number(*key, env);
                self.bail_if_list(key);
                key.value
            })
            .collect();
        let total = map.len() as i64;
        let [lo, hi, number] = [0, total, total].map(|value| {
            let variable = self.new_variable();
            let value = self.c(value);
            self.b.def_var(variable, value);
            variable
        });
        let [look, probe, above, below, done] = [(); 5].map(|()| self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let (from, to) = (self.b.use_var(lo), self.b.use_var(hi));
        let some = self.compare(IntCC::SignedLessThan, from, to);
        self.fork(some, probe, done);
        self.b.switch_to_block(probe);
        let sum = self.add(from, to);
        let middle = self.shift_right(sum, 1);
        let row = self.row_address(table, middle, width);
        for (i, key) in wanted.iter().enumerate() {
            let code = self.load_table(row, i * 8);
            let less = self.compare(IntCC::SignedLessThan, code, *key);
            self.refuse(less, above);
            let greater = self.compare(IntCC::SignedGreaterThan, code, *key);
            self.refuse(greater, below);
        }
        let found = self.load_table(row, wanted.len() * 8);
        self.b.def_var(number, found);
        self.jump(done);
        self.b.switch_to_block(above);
        let next = self.plus(middle, 1);
        self.b.def_var(lo, next);
        self.jump(look);
        self.b.switch_to_block(below);
        self.b.def_var(hi, middle);
        self.jump(look);
        self.b.switch_to_block(done);
        Number { value: self.b.use_var(number), lo: 0, hi: total }
    }

    pub fn any(&mut self, words: &[Value]) -> Value {
        let all = words.iter().skip(1).fold(words[0], |a, b| self.b.ins().bor(a, *b));
        self.compare_with(IntCC::NotEqual, all, 0)
    }

    /// Bits of `part` outside `whole`: not 0 where there are any.
    pub fn sticks_out(&mut self, part: &[Value], whole: &[Value]) -> Value {
        let rest: Words = part.iter().zip(whole).map(|(a, b)| self.and_not(*a, *b)).collect();
        self.any(&rest)
    }

    pub fn count(&mut self, words: &[Value]) -> Value {
        let ones: Vec<Value> = words.iter().map(|w| self.b.ins().popcnt(*w)).collect();
        ones.iter().skip(1).fold(ones[0], |a, b| self.b.ins().iadd(a, *b))
    }

    /// The index of a code in a set's universe, and whether it is beyond all sets.
    pub fn index_in_set(&mut self, x: Number, base: Code) -> (Number, Option<Value>) {
        let size = self.w as i64 * 64;
        if let Some(n) = x.constant() {
            let index = n.wrapping_sub(base);
            let number = self.exactly(index);
            let beyond = !(0..size).contains(&index);
            let outside = beyond.then(|| self.compare_with(IntCC::Equal, number.value, index));
            return (number, outside);
        }
        let value = self.plus(x.value, base.wrapping_neg());
        if x.within(base, base + size - 1) {
            return (Number { value, lo: x.lo - base, hi: x.hi - base }, None);
        }
        let outside = self.compare_with(IntCC::UnsignedGreaterThanOrEqual, value, size);
        (Number { value, lo: 0, hi: size - 1 }, Some(outside))
    }

    /// A word with the bit of an index, if the index is within the word of this number.
    pub fn bit_in(&mut self, index: Number, word: usize) -> Value {
        if let Some(n) = index.constant() {
            return self.c(if n >> 6 == word as i64 { 1 << (n & 63) } else { 0 });
        }
        let one = self.c(1);
        let bit = self.b.ins().ishl(one, index.value);
        if self.w == 1 {
            return bit;
        }
        let at = self.shift_right(index.value, 6);
        let here = self.compare_with(IntCC::Equal, at, word as i64);
        let zero = self.c(0);
        self.b.ins().select(here, bit, zero)
    }

    /// Whether an index is in a set.
    pub fn contains(&mut self, set: &Set, index: Number, env: &Env) -> Emitted<Value> {
        let words = self.set(set, env)?;
        Ok(self.holds_bit(&words, index))
    }

    pub fn holds_bit(&mut self, words: &[Value], index: Number) -> Value {
        let word = match (self.w, index.constant()) {
            (1, _) => words[0],
            (_, Some(n)) => words[(n >> 6) as usize % self.w],
            _ => {
                let at = self.shift_right(index.value, 6);
                let mut word = words[0];
                for (i, other) in words.iter().enumerate().skip(1) {
                    let here = self.compare_with(IntCC::Equal, at, i as i64);
                    word = self.b.ins().select(here, *other, word);
                }
                word
            }
        };
        let moved = self.b.ins().ushr(word, index.value);
        let one = self.c(1);
        let bit = self.and(moved, one);
        self.compare_with(IntCC::NotEqual, bit, 0)
    }

    /// Intersects a set with the filters, or with their complements where they are negated.
    pub fn filter(&mut self, words: &mut [Value], filters: &[(Set, bool)], env: &Env) -> Emitted {
        for (filter, negate) in filters {
            let filter = self.set(filter, env)?;
            for (word, other) in words.iter_mut().zip(&filter) {
                *word = match negate {
                    true => self.and_not(*word, *other),
                    false => self.and(*word, *other),
                };
            }
        }
        Ok(())
    }

    /// Adds to the union being gathered.
    pub fn gather_words(&mut self, words: &[Value], env: &Env) -> Emitted {
        if let Some(found) = env.some {
            let any = self.any(words);
            self.refuse(any, found);
            return Ok(());
        }
        let first = env.emit.ok_or(Unsupported("a set that nobody gathers"))?;
        let before = self.set_at(first);
        let all: Words = before.iter().zip(words).map(|(a, b)| self.or(*a, *b)).collect();
        self.put_gathered(first, &all);
        Ok(())
    }

    /// Stores a set that is being gathered, for the caller too where it gathers it.
    pub fn put_gathered(&mut self, first: usize, words: &[Value]) {
        self.put_set(first, words);
        if let (Some((set, at)), Some(frame)) = (self.link.gathers, self.link.frame)
            && set == first
        {
            for (i, word) in words.iter().enumerate() {
                self.store(Region::Frames, *word, frame, at + i * 8);
            }
        }
    }

    /// A loop over the elements of a set: the builder is left where an element has been removed
    /// from the variables `rest`, and its index is returned. `done` follows the last element.
    pub fn next_element(&mut self, rest: &[cranelift_frontend::Variable], done: Block) -> Value {
        let found = self.b.create_block();
        let index = self.b.append_block_param(found, types::I64);
        for (i, variable) in rest.iter().enumerate() {
            let word = self.b.use_var(*variable);
            let some = self.b.create_block();
            let next = if i + 1 == rest.len() { done } else { self.b.create_block() };
            let full = self.compare_with(IntCC::NotEqual, word, 0);
            self.fork(full, some, next);
            self.b.switch_to_block(some);
            let bit = self.b.ins().ctz(word);
            let less = self.plus(word, -1);
            let without = self.and(word, less);
            self.b.def_var(*variable, without);
            let at = self.plus(bit, i as i64 * 64);
            self.b.ins().jump(found, &[at.into()]);
            if i + 1 < rest.len() {
                self.b.switch_to_block(next);
            }
        }
        self.b.switch_to_block(found);
        index
    }

    /// The number of keys of an index.
    pub fn index_keys(&self, index: u32) -> usize {
        tables::keys(&self.plan.indexes[index as usize].address)
    }
}
