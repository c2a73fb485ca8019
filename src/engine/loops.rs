//! The instructions that continue several times, or that need space on the stack.
//!
//! They are functions of their own because the instruction loop calls itself for each loop of a
//! clause, and must be cheap to call.

use smallvec::SmallVec;

use crate::plan::{Cells, Code, Images, Op, Operand, Reg, Set, SetReg};
use crate::program::FluentId;

use super::bits::bits;
use super::machine::{Flow, Machine, Tuple};

impl<'p, const W: usize> Machine<'p, W> {
    /// Whether a set contains one of these constant sets. With `through` only those are examined
    /// that contain a site which has changed since none of them was contained.
    #[inline(never)]
    pub(super) fn any_row(
        &self,
        (first, count): (usize, usize),
        whole: &[u64; W],
        through: Option<u32>,
    ) -> bool {
        let words = self.words();
        let within = |row: &[u64]| (0..words).all(|i| row[i] & !whole[i] == 0);
        match through {
            Some(through) if !self.now.changes.all && !self.now.changes.outlived => {
                let rows = &self.plan.through[through as usize];
                let mut fresh = self.now.changes.keys;
                (0..W).for_each(|i| fresh[i] &= whole[i]);
                bits(fresh).any(|site| rows.at(site).chunks_exact(words).any(within))
            }
            _ => self.plan.masks[first * words..(first + count) * words]
                .chunks_exact(words)
                .any(within),
        }
    }

    /// Intersects a set with the filters, or with their complements where they are negated.
    fn filter(&self, image: &mut [u64; W], filters: &[(Set, bool)]) {
        for (filter, negate) in filters {
            let filter = self.set(filter);
            let flip = if *negate { u64::MAX } else { 0 };
            (0..W).for_each(|i| image[i] &= filter[i] ^ flip);
        }
    }

    #[inline(never)]
    pub(super) fn emit_image(
        &mut self,
        images: u32,
        keys: &[Operand],
        source: &Set,
        filters: &[(Set, bool)],
    ) {
        let mut image =
            self.plan.images[images as usize].of(&self.set(source), |i| self.value(keys[i]));
        self.filter(&mut image, filters);
        self.emit(image);
    }

    #[inline(never)]
    pub(super) fn emit_joint(&mut self, joints: u32, sets: &[(Set, bool)]) {
        let sets: SmallVec<[([u64; W], u64); 4]> = sets
            .iter()
            .map(|(set, negate)| (self.set(set), if *negate { u64::MAX } else { 0 }))
            .collect();
        let mut all = [0; W];
        for form in &self.plan.joints[joints as usize].forms {
            let mut targets = [0; W];
            targets.iter_mut().zip(&form.targets).for_each(|(to, word)| *to = *word);
            for ((set, flip), shift) in sets.iter().zip(&form.shifts) {
                let moved = Images::moved(set, *shift, &[u64::MAX; W]);
                (0..W).for_each(|i| targets[i] &= moved[i] ^ flip);
            }
            (0..W).for_each(|i| all[i] |= targets[i]);
        }
        self.emit(all);
    }

    #[inline(never)]
    pub(super) fn segment_image(
        &mut self,
        images: u32,
        keys: &[Operand],
        source: &Set,
        filters: &[(Set, bool)],
        (from, from_base): (Reg, Code),
        (to, to_base): (Reg, Code),
    ) -> Flow {
        let images = &self.plan.images[images as usize];
        let Some(at) = images.find(|i| self.value(keys[i])) else { return Flow::Back };
        let source = self.set(source);
        for (shift, mask) in images.shifts(at) {
            let mut image = Images::moved(&source, shift, mask);
            self.filter(&mut image, filters);
            self.put(from, from_base - to_base - Code::from(shift));
            if self.segment(Some((to, to_base)), from, image) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn each(
        &mut self,
        set: [u64; W],
        base: Code,
        dst: Reg,
        orbit: Option<SetReg>,
        body: &'p [Op],
    ) -> Flow {
        let mark = self.stacks.trail.len();
        let mut rounds = bits(set);
        while let Some(index) = rounds.next() {
            if self.spend() {
                return Flow::Stop;
            }
            self.put(dst, base + index as Code);
            if self.run(body) == Flow::Stop {
                return Flow::Stop;
            }
            self.undo(mark);
            if let Some(orbit) = orbit {
                rounds.leave_out(self.set_at(orbit));
            }
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn rows(
        &mut self,
        index: u32,
        keys: &[Operand],
        outs: &[Reg],
        body: &'p [Op],
    ) -> Flow {
        let index = &self.plan.indexes[index as usize];
        let mark = self.stacks.trail.len();
        for number in index.find(|i| self.value(keys[i])) {
            if self.spend() {
                return Flow::Stop;
            }
            for (dst, code) in outs.iter().zip(index.row(number)) {
                self.put(*dst, *code);
            }
            if self.run(body) == Flow::Stop {
                return Flow::Stop;
            }
            self.undo(mark);
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn integers(
        &mut self,
        range: std::ops::RangeInclusive<Code>,
        dst: Reg,
        body: &'p [Op],
    ) -> Flow {
        let mark = self.stacks.trail.len();
        for n in range {
            if self.spend() {
                return Flow::Stop;
            }
            self.put(dst, n);
            if self.run(body) == Flow::Stop {
                return Flow::Stop;
            }
            self.undo(mark);
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn keys(&mut self, fluent: FluentId, outs: &[Reg], body: &'p [Op]) -> Flow {
        let place = self.plan.layout.place(fluent);
        let Cells::Packed { first, shift } = place.cells else { return Flow::Back };
        let mark = self.stacks.trail.len();
        for word in 0..place.cell_words() {
            let mut rest = Cells::held(self.now.state[first as usize + word], shift);
            while rest != 0 {
                if self.spend() {
                    return Flow::Stop;
                }
                let mut cell = (word << (6 - shift)) + (rest.trailing_zeros() as usize >> shift);
                rest &= rest - 1;
                for (axis, out) in place.keys.iter().zip(outs).rev() {
                    self.put(*out, axis.code(cell % axis.len));
                    cell /= axis.len;
                }
                if self.run(body) == Flow::Stop {
                    return Flow::Stop;
                }
                self.undo(mark);
            }
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn members(&mut self, list: Operand, dst: Reg, body: &'p [Op]) -> Flow {
        let items = self.items(self.value(list)).unwrap_or_default();
        let mark = self.stacks.trail.len();
        for (i, item) in items.iter().enumerate() {
            if items[..i].contains(item) {
                continue;
            }
            if self.spend() {
                return Flow::Stop;
            }
            self.put(dst, *item);
            if self.run(body) == Flow::Stop {
                return Flow::Stop;
            }
            self.undo(mark);
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn each_legal(
        &mut self,
        pattern: u32,
        inputs: &[Operand],
        outs: &[Reg],
        body: &'p [Op],
    ) -> Flow {
        let given = self.inputs(inputs);
        let Some(answers) = self.legal_answers(pattern, &given) else { return Flow::Stop };
        for answer in answers {
            for (dst, code) in outs.iter().zip(&answer) {
                self.put(*dst, *code);
            }
            if self.run(body) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Back
    }

    #[inline(never)]
    pub(super) fn make_list(&mut self, dst: Reg, items: &[Operand], tail: Option<Operand>) {
        let mut list = tail.map_or(self.plan.empty_list, |tail| self.value(tail));
        for item in items.iter().rev() {
            let head = self.value(*item);
            list = self.cons(head, list);
        }
        self.put(dst, list);
    }

    /// Runs an action for all answers of a goal; false where it fails, `None` on a fault.
    #[inline(never)]
    pub(super) fn for_each(
        &mut self,
        goal: &'p [Op],
        registers: &[Reg],
        action: &'p [Op],
    ) -> Option<bool> {
        for tuple in self.answers(goal)? {
            for (reg, code) in registers.iter().zip(&tuple) {
                self.put(*reg, *code);
            }
            if !self.exists(action)? {
                return Some(false);
            }
        }
        Some(true)
    }

    #[inline(never)]
    pub(super) fn gather_answer(&mut self, template: Operand, distinct: &[Operand]) {
        let template = self.value(template);
        let tuple: Tuple = distinct.iter().map(|x| self.value(*x)).collect();
        // stored answers take memory
        self.fuel.drain(4);
        if let Some(collector) = self.stacks.collectors.last_mut() {
            collector.add(template, tuple);
        }
    }
}
