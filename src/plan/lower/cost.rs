//! What a block is expected to cost.
//!
//! The unit is about one machine operation on a word. Loops run as often as tables, planes and sets have elements on the
//! average, tests let a part of what comes to them through. The figures compare ways to lower the same goals; they
//! say little about the time that a clause takes.

use rustc_hash::FxHashMap;

use crate::program::{Kind, RelationId};

use super::super::blocks::BlockId;
use super::super::ops::{Answer, Argument, Op, Operand, Recursion, Set, SetReg, Untabled};
use super::super::uses::Determinism;
use super::Lowering;
use super::procedures::Reserved;

/// The part of what comes to a test that it lets through.
const LET_THROUGH: f64 = 0.5;
/// What an answer of a generator costs besides its body, and a row of an index.
const ANSWER: f64 = 1.0;
const ROW: f64 = 2.0;
/// The least part of a set that another one leaves.
const LEAST_LEFT: f64 = 0.1;
/// A call, the answers of one of which nothing is known, and the legal moves of a position.
const CALL: f64 = 12.0;
const CALLED: f64 = 8.0;
const MOVES: f64 = 60.0;
/// What a table costs, and each answer in it.
const TABLE: f64 = 400.0;
const TABLED: f64 = 60.0;
/// The rounds of a recursion, and the tables of one that fills others of its kind.
const ROUNDS: f64 = 4.0;
const OTHERS: f64 = 16.0;
/// The part of a map's keys that have a value.
const FILLED: f64 = 0.5;
/// The largest part of all elements that a set is expected to have.
const MOST_OF_ALL: f64 = 0.75;
/// The items of a list.
const ITEMS: f64 = 4.0;
/// The shifts beyond which the elements of a set are moved one by one.
const MAX_SHIFTS: f64 = 12.0;

/// What a block is expected to do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Expected {
    pub cost: f64,
    /// How often its end is reached, or how many elements the sets have that it emits.
    pub answers: f64,
}

/// A relation and how it is called: its arguments, its answer, and the argument from which it floods backwards.
pub(super) type Called = (RelationId, Vec<Argument>, Answer, Option<usize>);

/// The sizes of the set registers, as far as they are known.
type Sizes = FxHashMap<SetReg, f64>;

impl Lowering<'_> {
    /// What one run of a block is expected to cost.
    pub(super) fn expected_cost(&mut self, block: BlockId) -> Expected {
        self.run_cost(block, &mut Sizes::default())
    }

    fn run_cost(&mut self, block: BlockId, sizes: &mut Sizes) -> Expected {
        let words = self.universes.words as f64;
        let (mut runs, mut cost) = (1.0, 0.0);
        for op in &self.ops.blocks[block].clone() {
            match op {
                Op::Load { dst, set } => {
                    cost += runs * words / 2.0;
                    sizes.insert(*dst, self.size_of(set, sizes));
                }
                Op::And { dst, set } | Op::AndNot { dst, set } => {
                    cost += runs * words / 2.0;
                    let before = sizes.get(dst).copied().unwrap_or(self.most_elements());
                    let part = self.part_of(set, before, sizes);
                    let left = if matches!(op, Op::And { .. }) { part } else { 1.0 - part };
                    sizes.insert(*dst, before * left.max(LEAST_LEFT));
                }
                Op::Gather { dst, body } => {
                    let inner = self.run_cost(*body, &mut sizes.clone());
                    cost += runs * (words / 2.0 + inner.cost);
                    sizes.insert(*dst, inner.answers.min(self.most_elements() * MOST_OF_ALL));
                }
                Op::GatherCall { dst, procedure, .. } => {
                    let (called, answers) = self.call_cost(*procedure);
                    cost += runs * words * called;
                    sizes.insert(*dst, answers);
                }
                Op::Each { set, body, .. } => {
                    let elements = self.size_of(set, sizes);
                    if let Some((shifts, image)) = self.shifted(op) {
                        let image = image * elements.min(self.most_elements() / 2.0);
                        cost += runs * (2.0 + 2.0 * shifts) * words;
                        let answers = image.min(self.most_elements() * MOST_OF_ALL);
                        return Expected { cost, answers: runs * answers };
                    }
                    return self.looped(*body, elements, ANSWER, runs, cost, sizes);
                }
                Op::Rows { index, body, .. } => {
                    let rows = self.made.indexes[*index as usize].average();
                    return self.looped(*body, rows, ROW, runs, cost, sizes);
                }
                Op::Integers { lo, hi, body, .. } => {
                    let count = match (lo, hi) {
                        (Operand::Const(lo), Operand::Const(hi)) => (hi - lo + 1).max(0) as f64,
                        _ => CALLED,
                    };
                    return self.looped(*body, count, ANSWER, runs, cost, sizes);
                }
                Op::Keys { fluent, body, .. } => {
                    let place = self.layout.place(*fluent);
                    let filled = if place.initial.is_some() { 1.0 } else { FILLED };
                    let keys = place.size as f64 * filled;
                    return self.looped(*body, keys, ROW, runs, cost, sizes);
                }
                Op::Members { body, .. } => {
                    return self.looped(*body, ITEMS, ROW, runs, cost, sizes);
                }
                Op::Call { procedure, body, .. } => {
                    let (called, answers) = self.call_cost(*procedure);
                    cost += runs * called;
                    return self.looped(*body, answers, ROW, runs, cost, sizes);
                }
                Op::Legal { body, .. } => {
                    cost += runs * MOVES;
                    return self.looped(*body, CALLED, ROW, runs, cost, sizes);
                }
                Op::Branch { ways, rest } => {
                    let mut answers = 0.0;
                    for way in ways {
                        let inner = self.run_cost(*way, &mut sizes.clone());
                        (cost, answers) = (cost + runs * inner.cost, answers + inner.answers);
                    }
                    let Some(rest) = rest else {
                        return Expected { cost, answers: runs * answers };
                    };
                    let inner = self.run_cost(*rest, sizes);
                    cost += runs * answers * inner.cost;
                    return Expected { cost, answers: runs * answers * inner.answers };
                }
                Op::If { condition, then, otherwise, rest } => {
                    let ways = [then, otherwise].map(|way| self.run_cost(*way, &mut sizes.clone()));
                    let answers = (ways[0].answers + ways[1].answers) * LET_THROUGH;
                    let tested = self.run_cost(*condition, &mut sizes.clone()).cost;
                    cost += runs * (tested + (ways[0].cost + ways[1].cost) * LET_THROUGH);
                    let inner = self.run_cost(*rest, sizes);
                    cost += runs * answers * inner.cost;
                    return Expected { cost, answers: runs * answers * inner.answers };
                }
                Op::Exists { body, .. } => {
                    let inner = self.run_cost(*body, &mut sizes.clone());
                    // the first answer is enough
                    cost += runs * (1.0 + inner.cost / inner.answers.clamp(1.0, 4.0));
                    runs *= LET_THROUGH;
                }
                Op::Once { body } | Op::Collect { body, .. } | Op::Round { body } => {
                    cost += runs * (1.0 + self.run_cost(*body, &mut sizes.clone()).cost);
                }
                Op::ForEach { goal, action, .. } => {
                    let inner = self.run_cost(*goal, &mut sizes.clone());
                    let action = self.run_cost(*action, &mut sizes.clone());
                    cost += runs * (inner.cost + inner.answers * action.cost);
                }
                Op::Test { procedure, negate, .. } => {
                    cost += runs * self.call_cost(*procedure).0;
                    let part = self.part_let_through(*procedure);
                    runs *= if *negate { 1.0 - part } else { part };
                }
                Op::SomeLegal { .. } | Op::Stuck => cost += runs * MOVES,
                Op::AnyRow { count, .. } => {
                    cost += runs * f64::from(*count) * words / 2.0;
                    runs *= LET_THROUGH;
                }
                Op::NonEmpty { .. } | Op::Subset { .. } | Op::Count { .. } => {
                    cost += runs * words;
                    runs *= if matches!(op, Op::Count { .. }) { 1.0 } else { LET_THROUGH };
                }
                Op::Emit { set } => {
                    let answers = runs * self.size_of(set, sizes);
                    return Expected { cost: cost + runs * words, answers };
                }
                Op::Holds { fluent, value: Some(_), .. } => {
                    cost += runs;
                    let values = self.layout.place(*fluent).value.as_ref().map_or(1, |v| v.len);
                    runs *= (1.0 / values.max(1) as f64).max(LEAST_LEFT);
                }
                Op::In { set, base, negate, .. } => {
                    cost += runs;
                    let all = self
                        .universes
                        .starting_at(*base)
                        .map_or(self.most_elements(), |u| u.len as f64);
                    let part = match set {
                        Set::Mask(_) | Set::Row { .. } => self.size_of(set, sizes) / all.max(1.0),
                        _ => self.size_of(set, sizes) / self.most_elements(),
                    };
                    let part = part.min(1.0);
                    runs *= if *negate { 1.0 - part } else { part }.max(LEAST_LEFT);
                }
                Op::Find { .. } | Op::Read { .. } | Op::Calculate { .. } | Op::Copy { .. } => {
                    cost += runs;
                }
                op if op.is_terminal() => break,
                _ => {
                    cost += runs;
                    if op.determinism() != Determinism::Det {
                        runs *= LET_THROUGH;
                    }
                }
            }
        }
        Expected { cost, answers: runs }
    }

    /// What a block is expected to cost that ends in a loop.
    fn looped(
        &mut self,
        body: BlockId,
        rounds: f64,
        each: f64,
        runs: f64,
        cost: f64,
        sizes: &mut Sizes,
    ) -> Expected {
        let inner = self.run_cost(body, sizes);
        Expected {
            cost: cost + runs * (1.0 + rounds * (each + inner.cost)),
            answers: runs * rounds * inner.answers,
        }
    }

    /// The shifts of a loop that becomes an image of its whole set (`fuse.rs`), and the elements of the image for each of
    /// the set's.
    fn shifted(&self, op: &Op) -> Option<(f64, f64)> {
        let Op::Each { dst, body, .. } = op else { return None };
        let is_element = |x: &Operand| *x == Operand::Reg(*dst);
        let (mut row, mut out, mut narrowed) = (None, None, 1.0);
        for op in &self.ops.blocks[*body] {
            match op {
                Op::Load { set, .. } | Op::And { set, .. } | Op::Emit { set } => match set {
                    Set::Row { rows, keys } if keys.iter().any(is_element) => {
                        if row.replace(self.made.rows[*rows as usize].average).is_some() {
                            return None;
                        }
                    }
                    Set::Reg(_) if matches!(op, Op::Emit { .. }) => {}
                    set if set.reads(*dst) => return None,
                    _ => narrowed *= LET_THROUGH,
                },
                Op::AndNot { set, .. } if !set.reads(*dst) => narrowed *= LET_THROUGH,
                Op::Find { keys, outs, .. } if row.is_none() && keys.iter().any(is_element) => {
                    (row, out) = (Some(1.0), outs.first().copied());
                    if outs.len() > 1 {
                        return None;
                    }
                }
                Op::EmitOne { .. } if out.is_some() => {}
                test => match self.test_of_element(test) {
                    Some(tested) if Some(tested.reg) == out && !tested.set.reads(*dst) => {
                        narrowed *= LET_THROUGH;
                    }
                    _ => return None,
                },
            }
        }
        let average = row?;
        (average <= MAX_SHIFTS).then_some((average.ceil(), average * narrowed))
    }

    /// The part of what comes to the test of a call that it lets through: the answers that there are for one of its
    /// arguments where the others are given, of all values of that argument.
    fn part_let_through(&mut self, procedure: u32) -> f64 {
        let Some(reserved) = self.calls.reserved.get(procedure as usize) else {
            return LET_THROUGH;
        };
        let (id, count) = (reserved.relation, reserved.arguments.len());
        if self.program.relation(id).kind != Kind::Derived {
            return LET_THROUGH;
        }
        let input: Vec<bool> =
            reserved.arguments.iter().map(|argument| *argument == Argument::Input).collect();
        let mut part = LET_THROUGH;
        for open in (0..count).filter(|i| input[*i]) {
            let domain = self.domains.columns[id.0 as usize][open].clone();
            let Some(universe) = self.settable_of(&domain) else { continue };
            let all = self.universes.get(universe).len as f64;
            let given = (0..count).map(|i| input[i] && i != open).collect();
            part = part.min(self.expected((id, given, vec![open])) / all.max(1.0));
        }
        part.max(LEAST_LEFT)
    }

    /// What a call costs, and how many answers it has.
    fn call_cost(&mut self, procedure: u32) -> (f64, f64) {
        let Some(reserved) = self.calls.reserved.get(procedure as usize).cloned() else {
            return (CALL, CALLED);
        };
        let program = self.program;
        if program.relation(reserved.relation).kind != Kind::Derived {
            return (CALL + CALLED, CALLED);
        }
        let key =
            (reserved.relation, reserved.arguments.clone(), reserved.answer, reserved.backwards);
        if let Some(known) = self.known.called.get(&key) {
            return *known;
        }
        // for its calls of itself, which read what has been found so far
        self.known.called.insert(key.clone(), (ROW, 1.0));
        let made = self.compiled_cost(procedure, &reserved);
        self.known.called.insert(key, made);
        made
    }

    /// What a call of a procedure costs by its instructions, which are made for that and taken back.
    fn compiled_cost(&mut self, number: u32, reserved: &Reserved) -> (f64, f64) {
        let before = self.before();
        let tabled = self.calls.tabled.take();
        let asked = std::mem::take(&mut self.calls.asked);
        let (places, at) = (std::mem::take(&mut self.ops.places), self.ops.at);
        let procedure = self.compile(reserved);
        let (mut first, mut next, mut answers, mut others): (f64, f64, f64, bool) =
            (0.0, 0.0, 0.0, false);
        for body in &procedure.clauses {
            let mut own = false;
            self.ops.blocks.each(body.start, &mut |_, op, _| {
                let calls = op.procedure() == Some(number);
                own |= calls || op.uses().reads_set(0) && reserved.answer == Answer::Set;
                // with other inputs it fills other tables
                let given = op.uses().reads;
                let same = (0..).zip(&given).all(|(i, x)| *x == Operand::Reg(i));
                others |= calls && !same;
            });
            // a round of a flood goes through what the one before has found
            let mut sizes = Sizes::default();
            if reserved.answer == Answer::Set {
                sizes.insert(0, answers.min(self.most_elements() / 4.0).max(1.0));
            }
            let expected = self.run_cost(body.start, &mut sizes);
            match own && procedure.recursion != Recursion::None {
                true => next += expected.cost,
                false => (first, answers) = (first + expected.cost, answers + expected.answers),
            }
        }
        self.take_back(&before);
        (self.calls.tabled, self.calls.asked) = (tabled, asked);
        (self.ops.places, self.ops.at) = (places, at);
        let most = self.most_elements();
        let answers = answers.min(most * most);
        let rounds = CALL + first + ROUNDS * next;
        match procedure.recursion {
            Recursion::None | Recursion::Plain => (CALL + first, answers),
            Recursion::Flood { .. } => (rounds, (answers * ROUNDS).min(most / 2.0)),
            // what goes along a line or down a list needs no table
            Recursion::Tabled { untabled: Untabled::Ends, .. } => (rounds, answers * ROUNDS),
            Recursion::Tabled { .. } => {
                let found = answers.max(1.0) * ROUNDS;
                let filled = TABLE + first + found * (TABLED + next);
                (if others { filled * OTHERS } else { filled }, found)
            }
        }
    }

    /// The elements of the largest universe of which there are sets.
    fn most_elements(&self) -> f64 {
        self.universes.largest_set() as f64
    }

    /// The part of the elements of another set, of which there are `others`, that a set is expected to contain.
    fn part_of(&self, set: &Set, others: f64, sizes: &Sizes) -> f64 {
        let size = self.size_of(set, sizes);
        match set {
            // what is constant is most often what a domain says, or known in other ways too
            Set::Mask(_) => (size / others.max(1.0)).min(1.0),
            Set::Row { rows, .. } => {
                let universe = self.universes.get(self.made.rows[*rows as usize].universe);
                (size / universe.len.max(1) as f64).min(1.0)
            }
            _ => (size / self.most_elements()).min(1.0),
        }
    }

    fn size_of(&self, set: &Set, sizes: &Sizes) -> f64 {
        let most = self.most_elements();
        match set {
            Set::Reg(register) => sizes.get(register).copied().unwrap_or(most / 4.0),
            Set::Row { rows, .. } => self.made.rows[*rows as usize].average,
            Set::Mask(mask) => self.mask_size(*mask),
            Set::PlaneOf { fluent, .. } => {
                let values = self.layout.place(*fluent).value.as_ref().map_or(1, |v| v.len);
                most * FILLED / values.max(1) as f64
            }
            Set::Slice { fluent, value: Some(_), .. } => {
                most / self.layout.place(*fluent).slice_planes() as f64
            }
            Set::Plane(_) | Set::Slice { .. } => most * FILLED,
        }
    }
}
