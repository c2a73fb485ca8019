//! The state in native code: cells, their planes, the hash, and the end of a move.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{Axis, Cells, Operand, Place};
use crate::program::FluentId;

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
    pub fn more_by(&mut self, number: Number, by: i64) -> Number {
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
    pub fn packed(&mut self, first: u32, shift: u32, cell: Number) -> (Value, usize) {
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
    pub fn bit_word(&mut self, plane: usize, cell: Number) -> (Value, usize) {
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
    pub fn allowed(&mut self, place: &Place, keys: &[Operand], env: &Env) -> Emitted<Number> {
        let (cell, outside) = self.cell(place, keys, env)?;
        if let Some(outside) = outside {
            self.bail_if(outside);
        }
        if let Some(allowed) = &place.allowed_keys {
            self.bail_unless_allowed(allowed, cell);
        }
        Ok(cell)
    }

    pub fn bail_unless_allowed(&mut self, allowed: &[bool], index: Number) {
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
}
