//! Answers in native code: passed to the caller, or collected without duplicates.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, Value};

use crate::plan::{Code, KeyRange, Operand, Reg};

use super::function::{
    Answers, Collected, Emitted, Env, FRAME, Function, Number, Region, Seen, Unsupported,
};

/// The most codes of the collected answers.
const COLLECTED: usize = 1024;
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
                let (next, frame) =
                    self.continuation.ok_or(Unsupported("answers without a caller to go on in"))?;
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

    /// The same, with room for this many words of 64 bits.
    pub fn collected_in(
        &mut self,
        words: usize,
        distinct: usize,
        repeats: bool,
    ) -> Emitted<Collected> {
        self.collections += words;
        if self.collections * 8 > FRAME {
            return Err(Unsupported("too many answers at once"));
        }
        let slot = self.slot(words);
        let count = self.new_variable();
        let none = self.c(0);
        self.b.def_var(count, none);
        Ok(Collected { slot, words, count, width: distinct + 1, repeats, seen: None })
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
        let room = (self.collections + words) * 8 <= FRAME;
        if !of.repeats || ranges.len() + 1 != of.width || !room {
            return of;
        }
        self.collections += words;
        let slot = self.slot(words);
        self.clear(slot, words);
        self.seen.push(Seen { slot, words, ranges });
        Collected { seen: Some(self.seen.len() - 1), ..of }
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
        let Seen { slot, words, ranges } = self.seen[seen].clone();
        let mut index = self.c(0);
        for (range, code) in ranges.iter().zip(codes) {
            let offset = self.plus(code.value, range.base.wrapping_neg());
            if !code.within(range.base, range.base + range.len as Code - 1) {
                let beyond =
                    self.compare_with(IntCC::UnsignedGreaterThanOrEqual, offset, range.len as i64);
                self.leave_if(beyond);
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
        if codes.len() != into.width {
            return Err(Unsupported("answers of another width"));
        }
        let base = self.slot_address(into.slot);
        let stride = into.width as i64 * 8;
        let count = self.b.use_var(into.count);
        if let Some(seen) = into.seen {
            self.note_seen(seen, &codes[1..], fail);
        } else if into.repeats {
            let at = self.new_variable();
            let zero = self.c(0);
            self.b.def_var(at, zero);
            let (header, look, push) =
                (self.b.create_block(), self.b.create_block(), self.b.create_block());
            self.jump(header);
            self.b.switch_to_block(header);
            let here = self.b.use_var(at);
            let end = self.compare(IntCC::Equal, here, count);
            self.fork(end, push, look);
            self.b.switch_to_block(look);
            let after = self.plus(here, 1);
            self.b.def_var(at, after);
            let bytes = self.times(here, stride);
            let address = self.answer_address(into, base, bytes);
            for (i, code) in codes.iter().enumerate().skip(1) {
                let other = self.load(Region::Answers, address, i * 8);
                let same = self.compare(IntCC::Equal, other, code.value);
                self.leave_if_lists(same, code.value, other, code.hi);
                self.require(same, header);
            }
            self.jump(fail);
            self.b.switch_to_block(push);
        }
        let room = (into.words / into.width) as i64;
        let full = self.compare_with(IntCC::Equal, count, room);
        self.leave_if(full);
        let bytes = self.times(count, stride);
        let address = self.answer_address(into, base, bytes);
        for (i, code) in codes.iter().enumerate() {
            self.store(Region::Answers, code.value, address, i * 8);
        }
        let more = self.plus(count, 1);
        self.b.def_var(into.count, more);
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
        let base = self.slot_address(from.slot);
        let bytes = self.times(number, from.width as i64 * 8);
        let address = self.answer_address(from, base, bytes);
        // an answer outside these ranges could not have been recorded
        let ranges = from.seen.map(|seen| self.seen[seen].ranges.clone());
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
        let at = self.new_variable();
        let zero = self.c(0);
        self.b.def_var(at, zero);
        let mark = self.mark();
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        let here = self.b.use_var(at);
        let count = self.b.use_var(from.count);
        let end = self.compare(IntCC::Equal, here, count);
        self.refuse(end, fail);
        let after = self.plus(here, 1);
        self.b.def_var(at, after);
        let codes = self.answer_at(from, here);
        for (out, code) in outs.iter().zip(codes) {
            self.put(*out, code, env);
        }
        Ok(header)
    }
}
