//! Updates of the state, and what undoes them.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::plan::{Cells, Operand, Place};
use crate::program::FluentId;

use super::context::Context;
use super::function::{Emitted, Env, Function, Number, Region, Unsupported};

impl Function<'_, '_, '_> {
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
