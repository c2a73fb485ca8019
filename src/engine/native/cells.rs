//! The state in native code: cells, their planes, the hash, and the end of a move.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{Axis, Cells, Operand, Place};
use crate::program::FluentId;

use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Region, Unsupported};

impl Function<'_, '_, '_> {
    /// The index of a code on an axis, and whether the code is not on the axis. A constant that is
    /// not has the index -1.
    pub fn axis_index(&mut self, axis: &Axis, code: Number) -> Emitted<(Number, Option<Value>)> {
        let len = axis.len as i64;
        if let Some(n) = code.constant() {
            return Ok(match axis.index(n) {
                Some(index) => (self.exactly(index as i64), None),
                None => {
                    let always = self.c(0);
                    let outside = self.compare_with(IntCC::Equal, always, 0);
                    (self.exactly(-1), Some(outside))
                }
            });
        }
        if let Some(codes) = &axis.listed {
            if codes.len() > 16 {
                return Err(Unsupported(
                    "a domain of more than 16 listed values that are no neighbours",
                ));
            }
            let mut index = self.c(-1);
            for (i, code_at) in codes.iter().enumerate() {
                let same = self.compare_with(IntCC::Equal, code.value, *code_at);
                let here = self.c(i as i64);
                index = self.b.ins().select(same, here, index);
            }
            let outside = self.compare_with(IntCC::SignedLessThan, index, 0);
            return Ok((Number { value: index, lo: 0, hi: len - 1 }, Some(outside)));
        }
        let value = self.plus(code.value, axis.base.wrapping_neg());
        if code.within(axis.base, axis.base + len - 1) {
            let (lo, hi) = (code.lo - axis.base, code.hi - axis.base);
            return Ok((Number { value, lo, hi }, None));
        }
        let outside = self.compare_with(IntCC::UnsignedGreaterThanOrEqual, value, len);
        Ok((Number { value, lo: 0, hi: len - 1 }, Some(outside)))
    }

    /// The number of a map's cell, and whether a key is outside its domain.
    pub fn cell(
        &mut self,
        place: &Place,
        keys: &[Operand],
        env: &Env,
    ) -> Emitted<(Number, Option<Value>)> {
        let mut cell = self.exactly(0);
        let mut outside: Option<Value> = None;
        let mut never = false;
        for ((_, axis), key) in place.axes_of(keys.len()).zip(keys) {
            let key = self.number(*key, env);
            let (index, beyond) = self.axis_index(axis, key)?;
            never |= index.constant().is_some_and(|i| i < 0);
            outside = self.either(outside, beyond);
            cell = self.digit(cell, axis.len as i64, index);
        }
        // a constant key outside its domain: no cell will be read
        if never {
            cell = self.exactly(0);
        }
        Ok((cell, outside))
    }

    /// Whether one of two conditions holds; one that is not there never does.
    pub fn either(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.or(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// A number, or 0 where it is `outside` of what may be read. A constant is always valid.
    pub fn zero_where(&mut self, outside: Option<Value>, number: Number) -> Number {
        match outside {
            Some(outside) if number.constant().is_none() => {
                let zero = self.c(0);
                Number { value: self.b.ins().select(outside, zero, number.value), ..number }
            }
            _ => number,
        }
    }

    /// `number + by`.
    fn more_by(&mut self, number: Number, by: i64) -> Number {
        match number.constant() {
            Some(n) => self.exactly(n + by),
            None => {
                let value = self.plus(number.value, by);
                Number { value, lo: number.lo + by, hi: number.hi + by }
            }
        }
    }

    /// `number * len + digit`.
    pub fn digit(&mut self, number: Number, len: i64, digit: Number) -> Number {
        match (number.constant(), digit.constant()) {
            (Some(n), Some(d)) => self.exactly(n * len + d),
            (Some(0), None) => digit,
            _ => {
                let scaled = self.times(number.value, len);
                let value = self.add(scaled, digit.value);
                Number {
                    value,
                    lo: number.lo.saturating_mul(len).saturating_add(digit.lo),
                    hi: number.hi.saturating_mul(len).saturating_add(digit.hi),
                }
            }
        }
    }

    /// The content of a cell: the value's index plus one, 0 for none; for a set 1 or 0.
    pub fn coded(&mut self, place: &Place, cell: Number) -> Emitted<Value> {
        let state = self.state;
        match place.cells {
            Cells::Word(word) => Ok(self.load(Region::State, state, word as usize * 8)),
            Cells::Packed { first, shift: 0 } => {
                let word = self.bit_word(first as usize, cell);
                Ok(self.bit_of(word, cell))
            }
            Cells::Packed { first, shift } => {
                let (address, offset) = self.packed(first, shift, cell);
                Ok(self.load_narrow(shift, address, offset))
            }
            Cells::None => {
                let planes = place.planes.ok_or(Unsupported("a set without keys in bits"))?;
                let word = self.plane_word(planes.defined as usize, cell);
                Ok(self.bit_of(word, cell))
            }
        }
    }

    /// A cell of one bit in the word at an address.
    fn bit_of(&mut self, (address, offset): (Value, usize), cell: Number) -> Value {
        let word = self.load(Region::State, address, offset);
        let moved = self.b.ins().ushr(word, cell.value);
        let one = self.c(1);
        self.and(moved, one)
    }

    /// The address of a packed cell. The cells of a word are in the order of little-endian bytes.
    fn packed(&mut self, first: u32, shift: u32, cell: Number) -> (Value, usize) {
        let bytes = 1i64 << (shift - 3);
        let first = first as usize * 8;
        match cell.constant() {
            Some(n) => (self.state, first + (n * bytes) as usize),
            None => {
                let at = self.times(cell.value, bytes);
                (self.add(self.state, at), first)
            }
        }
    }

    /// The address of the word of a plane that contains a cell.
    fn plane_word(&mut self, plane: usize, cell: Number) -> (Value, usize) {
        match self.w {
            1 => (self.state, plane * 8),
            _ => self.bit_word(plane, cell),
        }
    }

    /// The address of the word that contains a cell of one bit, in words of the state from `plane`.
    fn bit_word(&mut self, plane: usize, cell: Number) -> (Value, usize) {
        match cell.constant() {
            Some(n) => (self.state, (plane + (n >> 6) as usize) * 8),
            None => {
                let word = self.shift_right(cell.value, 6);
                let bytes = self.times(word, 8);
                (self.add(self.state, bytes), plane * 8)
            }
        }
    }

    /// Continues where the keys are in their domains, and bails out otherwise.
    fn allowed(&mut self, place: &Place, keys: &[Operand], env: &Env) -> Emitted<Number> {
        let (cell, outside) = self.cell(place, keys, env)?;
        if let Some(outside) = outside {
            self.bail_if(outside);
        }
        if let Some(allowed) = &place.allowed_keys {
            self.bail_unless_allowed(allowed, cell);
        }
        Ok(cell)
    }

    fn bail_unless_allowed(&mut self, allowed: &[bool], index: Number) {
        if (index.lo..=index.hi).all(|i| allowed.get(i as usize).copied().unwrap_or(false)) {
            return;
        }
        let mut words = vec![0u64; allowed.len().div_ceil(64)];
        allowed
            .iter()
            .enumerate()
            .filter(|(_, a)| **a)
            .for_each(|(i, _)| words[i / 64] |= 1 << (i % 64));
        let word = if words.len() == 1 {
            self.c(words[0] as i64)
        } else {
            let memory = self.module.tables.keep(words);
            let at = self.shift_right(index.value, 6);
            let address = self.row_address(memory, at, 1);
            self.load_table(address, 0)
        };
        let moved = self.b.ins().ushr(word, index.value);
        let one = self.c(1);
        let bit = self.and(moved, one);
        let forbidden = self.compare_with(IntCC::Equal, bit, 0);
        self.bail_if(forbidden);
    }

    /// `Read`: the value of a map, or failure where it has none.
    pub fn read(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        env: &Env,
        fail: Block,
    ) -> Emitted<Number> {
        let place = self.plan.layout.place(fluent);
        let (cell, outside) = self.cell(place, keys, env)?;
        if let Some(outside) = outside {
            self.refuse(outside, fail);
        }
        let coded = self.coded(place, cell)?;
        // the ranges of values, and with them the limits of tables, rely on this test
        let undefined = self.compare_with(IntCC::Equal, coded, 0);
        self.refuse(undefined, fail);
        self.value_of(place, coded)
    }

    /// The player to move, or the first player where no player is to move.
    pub fn turn_or_first(&mut self) -> Emitted<Number> {
        let place = self.plan.layout.place(FluentId::TURN);
        let cell = self.exactly(0);
        let coded = self.coded(place, cell)?;
        let one = self.c(1);
        let coded = self.b.ins().umax(coded, one);
        self.value_of(place, coded)
    }

    /// The value of a cell that is not undefined.
    fn value_of(&mut self, place: &Place, coded: Value) -> Emitted<Number> {
        let Some(axis) = &place.value else { return Ok(self.exactly(0)) };
        match &axis.listed {
            None => {
                let value = self.plus(coded, axis.base - 1);
                Ok(Number { value, lo: axis.base, hi: axis.base + axis.len as i64 - 1 })
            }
            Some(codes) => {
                let words: Vec<u64> =
                    std::iter::once(0).chain(codes.iter().map(|c| *c as u64)).collect();
                let memory = self.module.tables.keep(words);
                let address = self.row_address(memory, coded, 1);
                let value = self.load_table(address, 0);
                let lo = codes.iter().copied().min().unwrap_or(0);
                let hi = codes.iter().copied().max().unwrap_or(0);
                Ok(Number { value, lo, hi })
            }
        }
    }

    /// `Holds`: whether a map has this value at these keys, or any value where `value` is `None`.
    pub fn holds(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        value: Option<Operand>,
        env: &Env,
    ) -> Emitted<Value> {
        let place = self.plan.layout.place(fluent);
        let (cell, outside) = self.cell(place, keys, env)?;
        // an invalid cell is not read: it could be beyond the state
        let safe = self.zero_where(outside, cell);
        let coded = self.coded(place, safe)?;
        let mut held = match value {
            None => self.compare_with(IntCC::NotEqual, coded, 0),
            Some(x) => {
                let axis = place.value.as_ref().ok_or(Unsupported("a value without a domain"))?;
                let code = self.number(x, env);
                let (index, beyond) = self.axis_index(axis, code)?;
                let wanted = self.plus(index.value, 1);
                let same = self.compare(IntCC::Equal, coded, wanted);
                match beyond {
                    Some(beyond) => {
                        let defined = self.compare_with(IntCC::NotEqual, coded, 0);
                        let inside = self.b.ins().bxor_imm_u(beyond, 1);
                        let both = self.and(same, inside);
                        self.and(both, defined)
                    }
                    None => same,
                }
            }
        };
        if let Some(outside) = outside {
            let inside = self.b.ins().bxor_imm_u(outside, 1);
            held = self.and(held, inside);
        }
        Ok(held)
    }

    /// `Assign` and `Clear`.
    pub fn update(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        value: Option<Operand>,
        env: &Env,
    ) -> Emitted {
        let place = self.plan.layout.place(fluent);
        let cell = self.allowed(place, keys, env)?;
        let coded = match value {
            None => self.exactly(place.initial.map_or(0, |i| i as i64 + 1)),
            Some(x) => {
                let axis = place.value.as_ref().ok_or(Unsupported("a value without a domain"))?;
                let code = self.number(x, env);
                let (index, beyond) = self.axis_index(axis, code)?;
                if let Some(beyond) = beyond {
                    self.bail_if(beyond);
                }
                if let Some(allowed) = &place.allowed_values {
                    self.bail_unless_allowed(allowed, index);
                }
                self.more_by(index, 1)
            }
        };
        if fluent == FluentId::TURN {
            let one = self.c(1);
            self.write_word(self.turned_word(), one);
        }
        self.assign(fluent, keys, cell, coded, env)
    }

    /// `Set`.
    pub fn update_set(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        on: bool,
        env: &Env,
    ) -> Emitted {
        let place = self.plan.layout.place(fluent);
        let cell = self.allowed(place, keys, env)?;
        let coded = self.exactly(i64::from(on));
        self.assign(fluent, keys, cell, coded, env)
    }

    /// Writes the word of the state with this number.
    pub fn write_word(&mut self, word: usize, new: Value) {
        let state = self.state;
        let number = self.c(word as i64);
        self.trail(number, state, word * 8);
        self.store(Region::State, new, state, word * 8);
    }

    /// Records a word before it is written.
    fn trail(&mut self, number: Value, address: Value, offset: usize) {
        if !self.trailing {
            return;
        }
        let len = self.read_context(offset_of!(Context, trail_len));
        let full = self.compare_with(
            IntCC::UnsignedGreaterThanOrEqual,
            len,
            Context::TRAIL_ROOM as i64 - 1,
        );
        self.bail_if(full);
        let trail = self.read_context(offset_of!(Context, trail));
        let bytes = self.times(len, 16);
        let at = self.add(trail, bytes);
        let old = self.load(Region::State, address, offset);
        self.store(Region::Trail, number, at, 0);
        self.store(Region::Trail, old, at, 8);
        let more = self.plus(len, 1);
        self.write_context(offset_of!(Context, trail_len), more);
    }

    /// Changes one word of a plane by a bit.
    fn change_plane(&mut self, plane: Value, first: usize, cell: Number, bit: Value, set: bool) {
        // `plane` counts words from `first`
        let word = match cell.constant() {
            _ if cell.within(0, 63) => plane,
            Some(n) => self.plus(plane, n >> 6),
            None => {
                let word = self.shift_right(cell.value, 6);
                self.add(plane, word)
            }
        };
        let bytes = self.times(word, 8);
        let address = self.add(self.state, bytes);
        let number = self.plus(word, first as i64);
        self.trail(number, address, first * 8);
        let before = self.load(Region::State, address, first * 8);
        let after = if set { self.or(before, bit) } else { self.and_not(before, bit) };
        self.store(Region::State, after, address, first * 8);
    }

    /// Changes the planes of a cell's old and new value, of `width` words each, and that of the defined
    /// keys, at this number of a bit. `first` is the first word of the first value's plane and of that of the
    /// defined keys.
    fn change_planes(
        &mut self,
        place: &Place,
        first: (usize, usize),
        width: i64,
        at: Number,
        (before, coded): (Value, Number),
    ) {
        let one = self.c(1);
        let bit = self.b.ins().ishl(one, at.value);
        if place.value.is_some() {
            let (clear, go_on) = (self.b.create_block(), self.b.create_block());
            self.fork(before, clear, go_on);
            self.b.switch_to_block(clear);
            let index = self.plus(before, -1);
            let plane = self.times(index, width);
            self.change_plane(plane, first.0, at, bit, false);
            self.jump(go_on);
            self.b.switch_to_block(go_on);
            if coded.hi > 0 {
                let index = self.plus(coded.value, -1);
                let plane = self.times(index, width);
                self.change_plane(plane, first.0, at, bit, true);
            }
        }
        let none = self.c(0);
        self.change_plane(none, first.1, at, bit, coded.lo > 0);
    }

    /// Writes a cell, its planes and the hash. The keys are in their domains.
    fn assign(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        cell: Number,
        coded: Number,
        env: &Env,
    ) -> Emitted {
        let place = self.plan.layout.place(fluent);
        let before = self.coded(place, cell)?;
        let state = self.state;
        match place.cells {
            Cells::Word(word) => self.write_word(word as usize, coded.value),
            Cells::Packed { first, shift } => {
                if self.trailing {
                    let per_word = i64::from(6 - shift);
                    let word = self.shift_right(cell.value, per_word);
                    let bytes = self.times(word, 8);
                    let address = self.add(state, bytes);
                    let number = self.plus(word, i64::from(first));
                    self.trail(number, address, first as usize * 8);
                }
                if shift == 0 {
                    let (address, offset) = self.bit_word(first as usize, cell);
                    let word = self.load(Region::State, address, offset);
                    let one = self.c(1);
                    let bit = self.b.ins().ishl(one, cell.value);
                    let held = self.b.ins().ishl(coded.value, cell.value);
                    let others = self.and_not(word, bit);
                    let after = self.or(others, held);
                    self.store(Region::State, after, address, offset);
                } else {
                    let (address, offset) = self.packed(first, shift, cell);
                    self.store_narrow(shift, coded.value, address, offset);
                }
            }
            Cells::None => {}
        }
        if let Some(planes) = place.planes {
            if self.plan.watched == Some(fluent) {
                let one = self.c(1);
                let bit = self.b.ins().ishl(one, cell.value);
                let changed = self.read_context(offset_of!(Context, changed));
                let (word, offset) = match cell.constant() {
                    _ if self.w == 1 => (changed, 0),
                    Some(n) => (changed, (n >> 6) as usize * 8),
                    None => {
                        let word = self.shift_right(cell.value, 6);
                        let bytes = self.times(word, 8);
                        (self.add(changed, bytes), 0)
                    }
                };
                let old = self.load(Region::Changed, word, offset);
                let new = self.or(old, bit);
                self.store(Region::Changed, new, word, offset);
            }
            let first = (planes.first as usize, planes.defined as usize);
            self.change_planes(place, first, self.w as i64, cell, (before, coded));
        }
        for slices in &place.slices {
            let (mut other, mut index) = (self.exactly(0), self.exactly(0));
            for ((of, axis), key) in place.axes_of(keys.len()).zip(keys) {
                let key = self.number(*key, env);
                let (at, _) = self.axis_index(axis, key)?;
                let part = if of == slices.key { &mut index } else { &mut other };
                *part = self.digit(*part, axis.len as i64, at);
            }
            let width = slices.others * self.w;
            let index = self.more_by(index, slices.shift as i64);
            let bits = self.digit(other, self.w as i64 * 64, index);
            let first = slices.first as usize;
            let defined = first + (place.slice_planes() - 1) * width;
            self.change_planes(place, (first, defined), width as i64, bits, (before, coded));
        }
        if self.plan.repetition && !place.aside {
            let slot = self.plus(cell.value, place.slot as i64);
            let old = self.key(slot, before);
            let new = match coded.constant() {
                Some(0) => self.c(0),
                _ => self.key(slot, coded.value),
            };
            let word = self.hash_word();
            let hash = self.load(Region::State, state, word * 8);
            let hash = self.b.ins().bxor(hash, old);
            let hash = self.b.ins().bxor(hash, new);
            self.write_word(word, hash);
        }
        Ok(())
    }

    /// The hash of a cell's content, as [`key`](super::super::machine::key) makes it.
    fn key(&mut self, slot: Value, coded: Value) -> Value {
        let factor = self.c(0x9E37_79B9_7F4A_7C15_u64 as i64);
        let scaled = self.b.ins().imul(slot, factor);
        let high = self.shift_left(coded, 40);
        let both = self.or(high, coded);
        let mut z = self.add(scaled, both);
        for (shift, factor) in [(30, 0xBF58_476D_1CE4_E5B9_u64), (27, 0x94D0_49BB_1331_11EB)] {
            let moved = self.shift_right(z, shift);
            z = self.b.ins().bxor(z, moved);
            let factor = self.c(factor as i64);
            z = self.b.ins().imul(z, factor);
        }
        let moved = self.shift_right(z, 31);
        z = self.b.ins().bxor(z, moved);
        let zero = self.c(0);
        self.b.ins().select(coded, z, zero)
    }

    /// The updates at the end of every move: the ply, the mover and the turn.
    pub fn finish_move(&mut self, chance: bool) -> Emitted {
        let (turn, mover, ply) = (
            self.word_of(FluentId::TURN)?,
            self.word_of(FluentId::MOVER)?,
            self.word_of(FluentId::PLY)?,
        );
        let state = self.state;
        let plies = self.load(Region::State, state, ply * 8);
        let plies = self.plus(plies, 1);
        self.store(Region::State, plies, state, ply * 8);
        let turned = self.load(Region::State, state, self.turned_word() * 8);
        let zero = self.c(0);
        self.store(Region::State, zero, state, self.turned_word() * 8);
        if chance {
            return Ok(());
        }
        let moved = self.load(Region::Context, self.context, offset_of!(Context, mover));
        self.store(Region::State, moved, state, mover * 8);
        let now = self.load(Region::State, state, turn * 8);
        let words: Vec<u64> = self.plan.next_turn.iter().map(|t| *t as u64).collect();
        let memory = self.module.tables.keep(words);
        let address = self.row_address(memory, now, 1);
        let next = self.load_table(address, 0);
        let next = self.b.ins().select(turned, now, next);
        self.store(Region::State, next, state, turn * 8);
        Ok(())
    }
}
