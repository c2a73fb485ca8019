//! Draws one of the candidates and plays it.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use crate::plan::{Op, Reg};

use super::super::segments::{Segment, with_width};
use super::context::Context;
use super::function::{Emitted, Function, Region, Unsupported};
use super::module::FunctionKind;
use super::playout::{DRAW, DRAWN, NO_CANDIDATE, segment};

/// Where a playout continues after a draw.
#[derive(Clone, Copy)]
struct Ways {
    played: Block,
    /// The candidate is not legal, and another is drawn.
    again: Block,
}

impl Function<'_, '_, '_> {
    /// Draws candidates until one can be played.
    pub fn draw(&mut self, played: Block) -> Emitted {
        let again = self.b.create_block();
        self.jump(again);
        self.b.switch_to_block(again);
        let total = self.read_context(offset_of!(Context, total));
        let none = self.compare_with(IntCC::Equal, total, 0);
        self.return_if(none, NO_CANDIDATE);
        let most = self.read_context(offset_of!(Context, most));
        let beyond = self.compare(IntCC::UnsignedGreaterThan, total, most);
        self.bail_if(beyond);
        if !self.plan.chance.is_empty() {
            let chance = self.read_context(offset_of!(Context, chance));
            self.return_if(chance, DRAW);
        }
        let number = self.random_below(total);
        let (segment, number) = self.segment_of(number);
        let bit = self.element_of_segment(segment, number);
        self.play_drawn(segment, bit, Ways { played, again })
    }

    /// A random number as [`Random::below`](super::super::random::Random::below) makes it. The machine
    /// draws where that takes more than one number of the generator.
    fn random_below(&mut self, end: Value) -> Value {
        let next = self.read_context(offset_of!(Context, number));
        let behind = self.read_context(offset_of!(Context, numbers_end));
        let used_up = self.compare(IntCC::UnsignedGreaterThanOrEqual, next, behind);
        self.return_if(used_up, DRAW);
        let number = self.load(Region::Numbers, next, 0);
        let low = self.b.ins().imul(number, end);
        let limit = self.b.ins().ineg(end);
        let biased = self.compare(IntCC::UnsignedGreaterThan, low, limit);
        self.return_if(biased, DRAW);
        let next = self.plus(next, 8);
        self.write_context(offset_of!(Context, number), next);
        self.b.ins().umulhi(number, end)
    }

    /// The segment of the candidate with this number, and the candidate's number in it.
    fn segment_of(&mut self, number: Value) -> (Value, Value) {
        let (at, rest) = (self.new_variable(), self.new_variable());
        let first = self.read_context(offset_of!(Context, segments));
        let end = self.read_context(offset_of!(Context, segments_end));
        self.b.def_var(at, first);
        self.b.def_var(rest, number);
        let (look, next, found) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let (segment, number) = (self.b.use_var(at), self.b.use_var(rest));
        self.check_segment(segment, end);
        let count = self.load_part(segment, segment!(self.count), types::I32);
        let here = self.compare(IntCC::UnsignedLessThan, number, count);
        self.fork(here, found, next);
        self.b.switch_to_block(next);
        let left = self.b.ins().isub(number, count);
        self.b.def_var(rest, left);
        let size = with_width!(self.w, W => size_of::<Segment<W>>());
        let behind = self.plus(segment, size as i64);
        self.b.def_var(at, behind);
        self.jump(look);
        self.b.switch_to_block(found);
        (segment, number)
    }

    /// The bit of the candidate with this number in a segment; 0 where it is the only one.
    fn element_of_segment(&mut self, segment: Value, number: Value) -> Value {
        let bit = self.new_variable();
        let (single, set, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let plan = self.plan;
        let singles = plan.moves.iter().any(|clause| clause.branching)
            || plan.blocks.ops().any(|op| matches!(op, Op::Single));
        if singles {
            let last = self.load_part(segment, segment!(self.last), types::I16);
            let none = self.compare_with(IntCC::Equal, last, i64::from(Reg::MAX));
            self.fork(none, single, set);
        } else {
            self.jump(set);
        }
        self.b.switch_to_block(single);
        let none = self.c(0);
        self.b.def_var(bit, none);
        self.jump(done);
        self.b.switch_to_block(set);
        let (word, number, before) = self.word_with(segment, number);
        let selected = self.select(word, number);
        let selected = self.add(before, selected);
        self.b.def_var(bit, selected);
        self.jump(done);
        self.b.switch_to_block(done);
        self.b.use_var(bit)
    }

    /// The word of a segment's set that contains the set bit with this number, the bit's number in
    /// it, and the number of bits of the words before it.
    fn word_with(&mut self, segment: Value, number: Value) -> (Value, Value, Value) {
        let words = segment!(self.set);
        if self.w == 1 {
            let word = self.load(Region::Moves, segment, words);
            let before = self.c(0);
            return (word, number, before);
        }
        let first = self.read_context(offset_of!(Context, segments));
        let end = self.read_context(offset_of!(Context, segments_end));
        let [at, rest, bits] = [(); 3].map(|()| self.new_variable());
        let none = self.c(0);
        self.b.def_var(at, segment);
        self.b.def_var(rest, number);
        self.b.def_var(bits, none);
        let (look, next, found) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let (address, number, before) =
            (self.b.use_var(at), self.b.use_var(rest), self.b.use_var(bits));
        if self.checks.on {
            self.checks.between(address, first, end);
        }
        let word = self.load(Region::Moves, address, words);
        let ones = self.b.ins().popcnt(word);
        let here = self.compare(IntCC::UnsignedLessThan, number, ones);
        self.fork(here, found, next);
        self.b.switch_to_block(next);
        let left = self.b.ins().isub(number, ones);
        self.b.def_var(rest, left);
        let behind = self.plus(address, 8);
        self.b.def_var(at, behind);
        let more = self.plus(before, 64);
        self.b.def_var(bits, more);
        self.jump(look);
        self.b.switch_to_block(found);
        (word, number, before)
    }

    /// The position of the bit with this number among those that are set, of which there are more:
    /// the byte by sums of bytes (Vigna, "Broadword implementation of rank/select queries", 2008),
    /// the bit in it by halves. Without branches, since none of them could be predicted.
    fn select(&mut self, word: Value, number: Value) -> Value {
        const ONES: i64 = 0x0101_0101_0101_0101;
        let ones = self.c(ONES);
        let half = |f: &mut Self, bits: Value, shift: i64, mask: i64| {
            let mask = f.c(mask);
            let high = f.shift_right(bits, shift);
            (f.and(bits, mask), f.and(high, mask))
        };
        let (_, odd) = half(self, word, 1, 0x5555_5555_5555_5555);
        let pairs = self.b.ins().isub(word, odd);
        let (even, odd) = half(self, pairs, 2, 0x3333_3333_3333_3333);
        let fours = self.add(even, odd);
        let high = self.shift_right(fours, 4);
        let both = self.add(fours, high);
        let mask = self.c(0x0f0f_0f0f_0f0f_0f0f);
        let bytes = self.and(both, mask);
        // in each byte, how many bits are set up to its end
        let sums = self.b.ins().imul(bytes, ones);
        let wanted = self.b.ins().imul(number, ones);
        let tops = self.c(ONES << 7);
        let wanted = self.or(wanted, tops);
        let least = self.b.ins().isub(wanted, sums);
        let least = self.and(least, tops);
        let count = self.b.ins().popcnt(least);
        let mut place = self.shift_left(count, 3);
        let before = self.shift_left(sums, 8);
        let before = self.b.ins().ushr(before, place);
        let byte = self.c(0xff);
        let before = self.and(before, byte);
        let mut number = self.b.ins().isub(number, before);
        let mut rest = self.b.ins().ushr(word, place);
        for half in [4, 2, 1] {
            let mask = self.c((1 << half) - 1);
            let low = self.and(rest, mask);
            let ones = self.b.ins().popcnt(low);
            let above = self.compare(IntCC::UnsignedGreaterThanOrEqual, number, ones);
            let (zero, step) = (self.c(0), self.c(half));
            let left = self.b.ins().isub(number, ones);
            let shifted = self.shift_right(rest, half);
            number = self.b.ins().select(above, left, number);
            rest = self.b.ins().select(above, shifted, rest);
            let step = self.b.ins().select(above, step, zero);
            place = self.add(place, step);
        }
        place
    }

    /// Plays a candidate, where one clause makes the move and it need not be compared with others;
    /// the machine plays the rest.
    fn play_drawn(&mut self, segment: Value, bit: Value, ways: Ways) -> Emitted {
        let native = self.native_clauses(|_| true);
        let alone = |number: &u16| {
            !self.plan.moves[*number as usize].repeats || self.module.alike(*number).is_some()
        };
        let playable: Vec<u16> = native.into_iter().filter(alone).collect();
        let other = self.b.create_block();
        self.by_clause(segment, &playable, other, |f, number| {
            f.play_clause(number, segment, bit, ways, other)
        })?;
        self.b.switch_to_block(other);
        self.write_context(offset_of!(Context, drawn), segment);
        self.write_context(offset_of!(Context, drawn_bit), bit);
        let drawn = self.c(DRAWN);
        self.give_back(drawn);
        Ok(())
    }

    /// Plays a candidate of a clause, or continues at `other`, where the machine plays it.
    fn play_clause(
        &mut self,
        clause: u16,
        segment: Value,
        bit: Value,
        ways: Ways,
        other: Block,
    ) -> Emitted {
        let kind = FunctionKind::Apply { chance: false, clause };
        if self.plan.moves[clause as usize].repeats {
            let alike = self.module.alike(clause).ok_or(Unsupported("moves to be told apart"))?;
            self.refuse_duplicates(alike, segment, bit, other);
        }
        let registers = self.registers_of(segment);
        let (sure, tested) = (self.module.is_sure(kind), self.plan.moves[clause as usize].tested);
        if tested || !sure {
            self.copy_state(true);
        }
        self.remember();
        // other candidates keep theirs
        let lists = self.read_context(offset_of!(Context, lists_len));
        let (refused, left) = (self.b.create_block(), self.b.create_block());
        self.make(clause, registers, bit, [ways.played, refused, left])?;
        if !sure {
            self.b.switch_to_block(left);
            self.put_back(lists);
            self.jump(other);
        }
        self.b.switch_to_block(refused);
        if tested {
            self.put_back(lists);
            self.remove_candidate(segment, bit);
            self.jump(ways.again);
        } else {
            self.jump(ways.played);
        }
        Ok(())
    }
}
