//! Answers in native code: passed to the caller, or collected without duplicates.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, Value};

use crate::plan::{Code, KeyRange, Operand, Reg};

use super::function::{
    Answers, Base, Collected, Emitted, Env, FRAME, Function, Number, Region, Seen, Unsupported,
};
use super::tables::NONE;

/// The most codes of the collected answers.
const COLLECTED: usize = 1024;
/// The same for a relation that calls itself, each call of which has a room of its own.
const NESTED: usize = 128;
/// The most words of all answers that are collected in one function.
const COLLECTIONS: usize = FRAME / 8 / 8 * 7;
/// The least words that may be left of them for a relation that is not left to the interpreter.
const ENOUGH: usize = 2048;
/// The words of a slot for the answers of a closure.
pub(super) const CLOSED: usize = 4096;
/// The most words of a table with a bit for each possible answer.
const SEEN: usize = 512;
/// The most words of such a table that are cleared without a loop.
const UNROLLED: usize = 32;

impl Function<'_, '_, '_> {
    /// `Return`: an answer goes to the caller.
    pub fn give_answer(&mut self, outs: &[Operand], env: &Env, fail: Block) -> Emitted {
        let given: Vec<Number> = outs.iter().map(|x| self.number(*x, env)).collect();
        let codes: Vec<Value> = given.iter().map(|number| number.value).collect();
        match env.answers {
            Answers::None => return Err(Unsupported("answers that nobody takes")),
            Answers::First(found) => self.jump(found),
            Answers::Collected(collected) => {
                let mut all = vec![self.exactly(0)];
                all.extend(given);
                self.push_answer(collected, &all, fail)?;
                self.jump(fail);
            }
            Answers::Stream => {
                let (next, frame) = self
                    .link
                    .continuation
                    .ok_or(Unsupported("answers without a caller to go on in"))?;
                let mut arguments = vec![self.context, frame];
                arguments.extend(codes);
                self.tell_rounds();
                self.tell_steps();
                self.calls = true;
                let status = self.call_address(next, &arguments);
                self.take_steps();
                let (back, stop) = (self.b.create_block(), self.b.create_block());
                self.fork(status, stop, back);
                self.b.switch_to_block(stop);
                self.b.ins().return_(&[status]);
                self.b.switch_to_block(back);
                self.jump(fail);
            }
        }
        Ok(())
    }

    // distinct answers

    /// Reserves room for answers of `distinct` codes and the template.
    pub fn collected(&mut self, distinct: usize, repeats: bool) -> Emitted<Collected> {
        self.collected_in(COLLECTED, distinct, repeats)
    }

    /// The same, for a relation that calls itself.
    pub fn collected_nested(&mut self, distinct: usize) -> Emitted<Collected> {
        self.collected_in(NESTED, distinct, true)
    }

    /// The room that a caller has reserved with [`Function::collected_nested`].
    pub fn collected_for_caller(&mut self, room: Value, distinct: usize) -> Collected {
        let (base, count) = (self.new_variable(), self.new_variable());
        self.b.def_var(base, room);
        let none = self.c(0);
        self.b.def_var(count, none);
        let base = Base::Caller(base);
        Collected { base, words: NESTED, count, width: distinct + 1, repeats: true, seen: None }
    }

    /// The same, with room for this many words of 64 bits.
    pub fn collected_in(
        &mut self,
        words: usize,
        distinct: usize,
        repeats: bool,
    ) -> Emitted<Collected> {
        let (slot, words) = self.room(words, 2 * (distinct + 1))?;
        let base = Base::Slot(slot);
        let count = self.new_variable();
        let none = self.c(0);
        self.b.def_var(count, none);
        Ok(Collected { base, words, count, width: distinct + 1, repeats, seen: None })
    }

    /// A slot for answers, with this many words or, where others take the function's room, with at
    /// least `least`.
    fn room(&mut self, words: usize, least: usize) -> Emitted<(StackSlot, usize)> {
        if let Some(at) = self.rooms.free.iter().position(|(_, free)| *free >= words) {
            let room = self.rooms.free.swap_remove(at);
            self.rooms.taken.push(room);
            return Ok(room);
        }
        let words = words.min(COLLECTIONS.saturating_sub(self.rooms.collections) / 4 * 3);
        if words < least {
            return Err(Unsupported("too many answers at once"));
        }
        self.rooms.collections += words;
        let room = (self.slot(words), words);
        self.rooms.taken.push(room);
        Ok(room)
    }

    /// Whether there is room for many answers; without it the interpreter is asked for them.
    pub fn has_room(&self) -> bool {
        let free = self.rooms.free.iter().map(|(_, words)| *words).max().unwrap_or(0);
        free.max(COLLECTIONS.saturating_sub(self.rooms.collections)) >= ENOUGH
    }

    /// Makes room again of what code has collected that is not run any more.
    pub fn release(&mut self, taken: usize) {
        self.rooms.free.extend(self.rooms.taken.drain(taken..));
    }

    /// The rooms that are taken, and the tables that are known, before code that collects answers.
    pub fn in_use(&self) -> (usize, usize) {
        (self.rooms.taken.len(), self.rooms.shared.last().map_or(0, Vec::len))
    }

    /// Makes room again of what code has collected since then, unless later code can read a table of it.
    pub fn release_since(&mut self, (taken, tables): (usize, usize)) {
        if self.in_use().1 == tables {
            self.release(taken);
        }
    }

    /// The address of the answers.
    pub fn base_of(&mut self, collected: Collected) -> Value {
        match collected.base {
            Base::Slot(slot) => self.slot_address(slot),
            Base::Frame(variable, _) | Base::Caller(variable) => self.b.use_var(variable),
        }
    }

    /// Records answers by one bit each, where there are few possible ones.
    pub fn with_bits(&mut self, of: Collected, ranges: &[Option<KeyRange>]) -> Collected {
        let Some(ranges) = ranges.iter().copied().collect::<Option<Vec<KeyRange>>>() else {
            return of;
        };
        let all = ranges.iter().try_fold(1usize, |all, range| all.checked_mul(range.len));
        let Some(words) = all.map(|all| all.div_ceil(64)).filter(|words| *words <= SEEN) else {
            return of;
        };
        if !of.repeats || ranges.len() + 1 != of.width {
            return of;
        }
        let Ok((slot, _)) = self.room(words, words) else { return of };
        self.clear(slot, words);
        self.rooms.seen.push(Seen { slot, words, ranges });
        Collected { seen: Some(self.rooms.seen.len() - 1), ..of }
    }

    /// Sets the words of a slot to 0.
    fn clear(&mut self, slot: StackSlot, words: usize) {
        let base = self.slot_address(slot);
        let zero = self.c(0);
        let rounds = words / UNROLLED;
        let rest = words % UNROLLED;
        self.checks.room(base, base, words * 8);
        (0..rest).for_each(|i| self.store(Region::Answers, zero, base, i * 8));
        if rounds == 0 {
            return;
        }
        let at = self.new_variable();
        let first = self.plus(base, rest as i64 * 8);
        self.b.def_var(at, first);
        let (header, done) = (self.b.create_block(), self.b.create_block());
        self.jump(header);
        self.b.switch_to_block(header);
        let here = self.b.use_var(at);
        self.checks.room(here, base, words * 8);
        (0..UNROLLED).for_each(|i| self.store(Region::Answers, zero, here, i * 8));
        let after = self.plus(here, UNROLLED as i64 * 8);
        self.b.def_var(at, after);
        let last = self.plus(base, words as i64 * 8);
        let end = self.compare(IntCC::Equal, after, last);
        self.fork(end, done, header);
        self.b.switch_to_block(done);
    }

    fn seen_address(&mut self, base: Value, word: Value, words: usize) -> Value {
        let bytes = self.times(word, 8);
        let address = self.add(base, bytes);
        self.checks.room(address, base, words * 8);
        address
    }

    /// Continues where the answer is new, and records it.
    fn note_seen(&mut self, seen: usize, codes: &[Number], fail: Block) {
        let Seen { slot, words, ranges } = self.rooms.seen[seen].clone();
        let mut index = self.c(0);
        for (range, code) in ranges.iter().zip(codes) {
            let offset = self.plus(code.value, range.base.wrapping_neg());
            if !code.within(range.base, range.base + range.len as Code - 1) {
                let beyond =
                    self.compare_with(IntCC::UnsignedGreaterThanOrEqual, offset, range.len as i64);
                self.bail_if(beyond);
            }
            let scaled = self.times(index, range.len as i64);
            index = self.add(scaled, offset);
        }
        let word = self.shift_right(index, 6);
        let base = self.slot_address(slot);
        let address = self.seen_address(base, word, words);
        let before = self.load(Region::Answers, address, 0);
        let one = self.c(1);
        let bit = self.b.ins().ishl(one, index);
        let known = self.and(before, bit);
        let known = self.compare_with(IntCC::NotEqual, known, 0);
        self.refuse(known, fail);
        let after = self.or(before, bit);
        self.store(Region::Answers, after, address, 0);
    }

    /// Adds an answer, if it is new.
    pub fn push_answer(&mut self, into: Collected, codes: &[Number], fail: Block) -> Emitted {
        if codes.len() > into.width {
            return Err(Unsupported("answers of another width"));
        }
        // a shorter answer of another branch differs from all longer ones
        let mut codes = codes.to_vec();
        while codes.len() < into.width {
            codes.push(self.exactly(NONE));
        }
        let base = self.base_of(into);
        let stride = into.width as i64 * 8;
        let count = self.b.use_var(into.count);
        if let Some(seen) = into.seen {
            self.note_seen(seen, &codes[1..], fail);
        } else if into.repeats {
            let (zero, push) = (self.c(0), self.b.create_block());
            let (here, header) = self.numbers(zero, into.count, None, push);
            let bytes = self.times(here, stride);
            let address = self.answer_address(into, base, bytes);
            for (i, code) in codes.iter().enumerate().skip(1) {
                let value = self.load(Region::Answers, address, i * 8);
                let same = self.equal(Number { value, ..*code }, *code);
                self.require(same, header);
            }
            self.jump(fail);
            self.b.switch_to_block(push);
        }
        let room = (into.words / into.width) as i64;
        let full = self.compare_with(IntCC::Equal, count, room);
        self.bail_if(full);
        let bytes = self.times(count, stride);
        let address = self.answer_address(into, base, bytes);
        for (i, code) in codes.iter().enumerate() {
            self.store(Region::Answers, code.value, address, i * 8);
        }
        let more = self.plus(count, 1);
        self.b.def_var(into.count, more);
        if let Base::Frame(_, at) = into.base {
            // the caller reads it there
            let frame =
                self.link.frame.ok_or(Unsupported("answers without a caller to go on in"))?;
            self.store(Region::Frames, more, frame, at);
        }
        Ok(())
    }

    /// The address of an answer in its slot.
    pub fn answer_address(&mut self, of: Collected, base: Value, bytes: Value) -> Value {
        let address = self.add(base, bytes);
        self.checks.room(address, base, of.words * 8);
        address
    }

    /// The codes of an answer, by its number.
    pub fn answer_at(&mut self, from: Collected, number: Value) -> Vec<Number> {
        let base = self.base_of(from);
        let bytes = self.times(number, from.width as i64 * 8);
        let address = self.answer_address(from, base, bytes);
        // an answer outside these ranges could not have been recorded
        let ranges = from.seen.map(|seen| self.rooms.seen[seen].ranges.clone());
        (1..from.width)
            .map(|i| {
                let value = self.load(Region::Answers, address, i * 8);
                let (lo, hi) = match &ranges {
                    Some(ranges) => {
                        (ranges[i - 1].base, ranges[i - 1].base + ranges[i - 1].len as Code - 1)
                    }
                    None => (i64::MIN, i64::MAX),
                };
                Number { value, lo, hi }
            })
            .collect()
    }

    /// A loop over answers; the builder is left in its body. Returns its head.
    pub fn each_answer(
        &mut self,
        from: Collected,
        outs: &[Reg],
        env: &mut Env,
        fail: Block,
    ) -> Emitted<Block> {
        if outs.len() >= from.width {
            return Err(Unsupported("answers of another width"));
        }
        let (zero, mark) = (self.c(0), self.mark());
        let (here, header) = self.numbers(zero, from.count, mark, fail);
        let codes = self.answer_at(from, here);
        for (out, code) in outs.iter().zip(codes) {
            self.put(*out, code, env);
        }
        Ok(header)
    }
}
