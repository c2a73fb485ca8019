//! Native code for one candidate or one player at a time, as the machine asks for it.

use smallvec::SmallVec;

use crate::plan::Code;

use super::super::machine::Machine;
use super::super::segments::{Moves, Pick, SAVED, Segment, saved_items};
use super::calls::FOUND;
use super::module::BAILED;

impl<const W: usize> Machine<'_, W> {
    /// Plays a candidate, given by its registers and the bit of its last variable. If `kept`, a copy
    /// of the state is already in `before`. `None` restores the state and leaves the work to the
    /// interpreter.
    pub(in crate::engine) fn native_apply(
        &mut self,
        segment: &Segment<W>,
        chance: bool,
        registers: &[Code],
        bit: u32,
        kept: bool,
    ) -> Option<bool> {
        let number = segment.clause;
        let native = self.jit.native?;
        let (apply, sure) = native.apply[usize::from(chance)][number as usize]?;
        let function = 1
            + (native.generate[0].len() + native.generate[1].len()) * 2
            + number as usize * 2
            + usize::from(chance);
        if !sure {
            if !self.trusts(function) {
                return None;
            }
            if !kept {
                self.room.before.clear();
                self.room.before.extend_from_slice(&self.now.state);
            }
        }
        let status = self.of_candidate(apply, segment, chance, registers, bit);
        if !sure {
            self.note(function, status);
        }
        if status == BAILED {
            self.now.state.copy_from_slice(&self.room.before);
            self.fault = None;
        }
        self.now.hash_stale |= status != BAILED && !self.plan.repetition;
        (status != BAILED).then_some(status == FOUND)
    }

    /// The greatest number that the relation for ranks or weights gives for a candidate; `None` within where it gives
    /// none. The outer `None` leaves it to the interpreter.
    pub(in crate::engine) fn native_number(
        &mut self,
        moves: &Moves<W>,
        pick: Pick,
    ) -> Option<Option<i64>> {
        let native = self.jit.native?;
        let (segment, chance) = (&moves.segments[pick.segment as usize], moves.chance);
        let number = native.numbers[usize::from(chance)][segment.clause as usize]?;
        let function =
            self.trials_function() + 3 + segment.clause as usize * 2 + usize::from(chance);
        // it does not look for all rule errors
        let faulty = || chance || self.plan.groups.iter().any(|group| group.faulty);
        if !self.trusts(function) || (self.strict && faulty()) {
            return None;
        }
        let kept = self.clauses(chance)[segment.clause as usize].kept as usize;
        let registers = &moves.registers[segment.registers as usize..][..kept];
        let registers = self.with_native_lists(moves, registers)?;
        let status = self.of_candidate(number, segment, chance, &registers, pick.bit);
        self.number_given(function, status)
    }

    /// The number that a function has given, if there is one; the outer `None` where it has bailed out.
    fn number_given(&mut self, function: usize, status: i64) -> Option<Option<i64>> {
        self.note(function, status);
        match status {
            BAILED => {
                self.fault = None;
                None
            }
            FOUND => Some(Some(self.jit.context.answer[0] as i64)),
            _ => Some(None),
        }
    }

    /// The registers that a candidate keeps, with its lists where native code reads them. `None`
    /// where there is no room for these.
    pub(in crate::engine) fn with_native_lists(
        &mut self,
        moves: &Moves<W>,
        registers: &[Code],
    ) -> Option<SmallVec<[Code; 16]>> {
        self.jit.context.lists_len = 0;
        registers.iter().map(|code| self.native_list(moves, *code)).collect()
    }

    fn native_list(&mut self, moves: &Moves<W>, code: Code) -> Option<Code> {
        if code < SAVED {
            return Some(code);
        }
        let mut list = self.plan.empty_list;
        for item in saved_items(moves, code).iter().rev() {
            let head = self.native_list(moves, *item)?;
            list = self.jit.context.cons(head, list)?;
        }
        Some(list)
    }

    /// The sum of the numbers that a procedure gives for a player; `None` within where it gives none. The outer `None`
    /// leaves it to the interpreter.
    pub(in crate::engine) fn native_sum(
        &mut self,
        procedure: u32,
        player: Code,
    ) -> Option<Option<i64>> {
        let native = self.jit.native?;
        let at = native.sums.iter().position(|(of, _)| *of == procedure)?;
        let function = self.sums_function() + at;
        // it does not look for all rule errors
        if self.strict || !self.trusts(function) {
            return None;
        }
        self.jit.context.lists_len = 0;
        let status = self.of_player(native.sums[at].1, player);
        self.number_given(function, status)
    }
}
