//! What the machine keeps of runs of native code: how often a function has bailed out, the time it
//! has taken, and the rooms that a run inside another one overwrites.

use smallvec::SmallVec;

use crate::plan::{Code, LISTS, RankGroup};

use super::super::machine::{Flow, Machine, Tuple};
use super::super::perft::Perft;
use super::super::segments::{Moves, SEGMENTS, Segment};
use super::checks::violated;
use super::context::{Context, STEPS};
use super::module::BAILED;
use super::report::NativeRuns;

/// A function whose counter of abandoned runs reaches this is not called any more.
const PATIENCE: u16 = 1 << 10;
/// The most items that a comparison of two lists looks at.
const MOST_COMPARED: usize = 1 << 12;

/// The fields of a context that native code inside native code overwrites: the room for candidates,
/// the positions in it, the limits of the stack, and the budgets and the situation of the run.
pub(super) struct Rooms {
    segments: [*mut u8; 3],
    kept: [*mut Code; 2],
    counts: [u64; 5],
    stack: [u64; 2],
    run: [u64; 13],
    best_rank: i64,
    before: *mut u64,
}

impl Rooms {
    pub fn of(c: &Context) -> Rooms {
        Rooms {
            segments: [c.segments, c.segment, c.segments_end],
            kept: [c.kept, c.kept_end],
            counts: [c.kept_count, c.trail_len, c.lists_len, c.chance, c.clause],
            stack: [c.stack_end, c.entry],
            run: [
                c.total,
                c.all_changed,
                c.mover,
                c.ready,
                c.steps,
                c.depth,
                c.all_steps,
                c.all_depth,
                c.rounds,
                c.makes_moves,
                c.drops_lower,
                c.ranks,
                c.first_kept,
            ],
            best_rank: c.best_rank,
            before: c.before,
        }
    }

    pub fn restore(self, c: &mut Context) {
        [c.segments, c.segment, c.segments_end] = self.segments;
        [c.kept, c.kept_end] = self.kept;
        [c.kept_count, c.trail_len, c.lists_len, c.chance, c.clause] = self.counts;
        [c.stack_end, c.entry] = self.stack;
        [
            c.total,
            c.all_changed,
            c.mover,
            c.ready,
            c.steps,
            c.depth,
            c.all_steps,
            c.all_depth,
            c.rounds,
            c.makes_moves,
            c.drops_lower,
            c.ranks,
            c.first_kept,
        ] = self.run;
        c.best_rank = self.best_rank;
        c.before = self.before;
    }
}

/// Registers of candidates, by their place, and the lists that native code had in them.
pub(in crate::engine) type Adopted = SmallVec<[(usize, Code); 4]>;

impl<const W: usize> Machine<'_, W> {
    /// The number of steps of the last run.
    #[inline]
    pub(in crate::engine) fn native_steps(&self) -> u64 {
        STEPS.saturating_sub(self.jit.context.steps) & (STEPS - 1)
    }

    /// False for a function that has bailed out too often.
    pub(super) fn trusts(&self, function: usize) -> bool {
        self.jit.bail_outs.get(function).is_none_or(|n| *n < PATIENCE)
    }

    /// A function that is not called any more.
    pub(super) fn distrust(&mut self, function: usize) {
        self.jit.bail_outs.resize(self.jit.bail_outs.len().max(function + 1), 0);
        self.jit.bail_outs[function] = PATIENCE;
    }

    #[inline]
    pub(super) fn note(&mut self, function: usize, status: i64) {
        if status == BAILED || self.jit.bail_outs.get(function).is_some_and(|n| *n > 0) {
            self.note_bail_out(function, status);
        }
    }

    #[cold]
    pub(super) fn note_bail_out(&mut self, function: usize, status: i64) {
        if self.jit.bail_outs.len() <= function {
            self.jit.bail_outs.resize(function + 1, 0);
        }
        if status == BAILED {
            self.jit.counts.bail_outs += 1;
            // the candidates may have been too many
            self.jit.segments = (2 * self.jit.segments).min(*SEGMENTS.end());
            self.jit.bail_outs[function] = self.jit.bail_outs[function].saturating_add(8);
        } else {
            self.jit.bail_outs[function] = self.jit.bail_outs[function].saturating_sub(1);
        }
    }

    /// Whether two candidates of the current position may be the same move, where those of the
    /// positions above precede them.
    pub(super) fn may_repeat(&mut self) -> bool {
        let saved = self.room.out.lists.len();
        let adopted = self.close_moves();
        let first = self.first_segment();
        // a box that is there already, since this is asked in many positions
        let empty = self.room.spare.pop().unwrap_or_default();
        let out = std::mem::replace(&mut self.room.out, empty);
        let repeats = self.has_duplicates(&out, first);
        self.room.spare.push(std::mem::replace(&mut self.room.out, out));
        self.hand_back(&adopted, saved);
        repeats
    }

    /// The place of the current position's first candidates, behind those of the positions above.
    pub(super) fn first_segment(&self) -> usize {
        let first = self.jit.context.segments as usize;
        (first - self.room.out.segments.as_ptr() as usize) / size_of::<Segment<W>>()
    }

    /// The number of that function among those that may leave their work.
    pub(super) fn trials_function(&self) -> usize {
        1 + (self.plan.moves.len() + self.plan.chance.len()) * 4
    }

    /// The number of the first function for a player.
    pub(super) fn sums_function(&self) -> usize {
        self.trials_function() + 3 + (self.plan.moves.len() + self.plan.chance.len()) * 2
    }

    /// Subtracts from the fuel what native code has charged to its slice.
    pub(super) fn drain_slice(&mut self) {
        let charged = (self.fuel.slice() as i64).saturating_sub(self.jit.context.slice);
        self.fuel.drain(charged.max(0) as u64);
    }

    /// Tests the time during a count, which continues if true.
    pub(super) fn goes_on(&mut self, work: &mut Perft<'_>) -> bool {
        self.drain_slice();
        self.refuel();
        work.stopped |= (work.interrupted)();
        let goes_on = self.tick(1).is_ok() && !work.stopped;
        self.jit.context.slice = self.fuel.slice() as i64;
        goes_on
    }

    /// Counts from a position from which native code has bailed out. `None` where the count ends here.
    pub(super) fn count_left(&mut self, depth: u32, work: &mut Perft<'_>) -> Option<u64> {
        work.left_positions += 1;
        self.drain_slice();
        self.refuel();
        self.now.version += 1;
        let c = &mut *self.jit.context;
        self.now.changes.take(c.all_changed);
        let rooms = Rooms::of(c);
        let lists = c.lists().to_vec();
        let (leaves, nodes) = (c.leaves, c.nodes);
        let (results, saved) = (c.results_len, c.saved_len);
        let asked = std::mem::replace(&mut c.work, std::ptr::null_mut());
        c.nested = 0;
        let out = std::mem::take(&mut self.room.out);
        let counted = self.count_position(depth, work);
        self.room.out = out;
        self.ready_context();
        let c = &mut *self.jit.context;
        let all_changed = c.all_changed;
        rooms.restore(c);
        c.put_lists(&lists, &[]);
        c.all_changed = all_changed;
        (c.leaves, c.nodes) = (leaves, nodes);
        (c.results_len, c.saved_len) = (results, saved);
        (c.work, c.nested) = (asked, 1);
        c.slice = self.fuel.slice() as i64;
        counted.ok().filter(|_| !work.stopped)
    }

    /// Whether a choice by rank keeps all candidates of the current position.
    pub(super) fn all_are_kept(&mut self, group: &RankGroup) -> bool {
        let saved = self.room.out.lists.len();
        let adopted = self.close_moves();
        let all = self.keeps_all(group, &self.room.out.segments[self.first_segment()..]);
        self.hand_back(&adopted, saved);
        all
    }

    /// Takes candidates out of those that native code has written.
    pub(super) fn sift(
        &mut self,
        sift: impl FnOnce(&mut Self, &mut Moves<W>) -> Result<i64, ()>,
    ) -> i64 {
        if self.jit.context.nested != 0 {
            return BAILED;
        }
        self.refuel();
        let saved = self.room.out.lists.len();
        let adopted = self.close_moves();
        let rooms = Rooms::of(&self.jit.context);
        let lists = self.jit.context.lists().to_vec();
        let mut moves = std::mem::take(&mut self.room.out);
        let sifted = sift(self, &mut moves);
        self.room.out = moves;
        // trying a candidate may have generated others by native code, in other rooms
        rooms.restore(&mut self.jit.context);
        self.jit.context.put_lists(&lists, &[]);
        self.hand_back(&adopted, saved);
        // the candidates stay in place, but those that were removed are not counted any more
        self.jit.context.total = self.room.out.total;
        sifted.unwrap_or(BAILED)
    }

    /// What has become of the runs so far.
    pub(in crate::engine) fn native_counts(&self) -> NativeRuns {
        let given_up = self.jit.bail_outs.iter().filter(|n| **n >= PATIENCE).count() as u64;
        NativeRuns { given_up, ..self.jit.counts }
    }

    /// Whether two values of native code are equal, lists item by item; `None` where that is left to the interpreter.
    pub(super) fn equal_lists(&self, a: Code, b: Code) -> Option<bool> {
        let mut pairs: SmallVec<[(Code, Code); 16]> = SmallVec::from_slice(&[(a, b)]);
        let mut compared = 0;
        while let Some((a, b)) = pairs.pop() {
            if a == b {
                continue;
            }
            if a < LISTS && b < LISTS {
                return Some(false);
            }
            let (Some(x), Some(y)) = (self.native_items(a)?, self.native_items(b)?) else {
                return Some(false);
            };
            if x.len() != y.len() {
                return Some(false);
            }
            // lists that share parts are compared part by part, which may take exponential time
            compared += x.len();
            if compared > MOST_COMPARED {
                return None;
            }
            pairs.extend(x.into_iter().zip(y));
        }
        Some(true)
    }

    /// The items of a list of native code; no items for another value, and `None` for a list that it does not know.
    fn native_items(&self, list: Code) -> Option<Option<Tuple>> {
        let mut items = Tuple::new();
        let mut at = list;
        while at >= LISTS {
            let [head, tail] = *self.jit.context.lists().get((at - LISTS) as usize)?;
            items.push(head);
            at = tail;
        }
        let last = if at == self.plan.empty_list {
            Some(&[][..])
        } else {
            self.plan.lists.get(&at).map(|l| &l[..])
        };
        Some(last.map(|last| {
            items.extend_from_slice(last);
            items
        }))
    }

    /// Saves the lists that native code has left in the registers of the current position's
    /// candidates: its own room for lists is used again in the next position.
    pub(super) fn adopt_lists(&mut self) -> Adopted {
        let mut adopted = Adopted::new();
        let made = LISTS..LISTS + self.jit.context.lists().len() as Code;
        let first = self.room.out.segments.get(self.first_segment());
        let Some(first) = first.filter(|_| !made.is_empty()) else { return adopted };
        for at in first.registers as usize..self.room.out.registers.len() {
            let code = self.room.out.registers[at];
            if !made.contains(&code) {
                continue;
            }
            if adopted.is_empty() {
                self.clear_lists();
                let cells = self.jit.context.lists().iter().map(|[head, tail]| (*head, *tail));
                self.stacks.lists.extend(cells);
            }
            adopted.push((at, code));
            self.room.out.registers[at] = self.save_list(code);
        }
        if !adopted.is_empty() {
            self.clear_lists();
        }
        adopted
    }

    /// Gives candidates that native code continues with the lists back that it had in them; `saved`
    /// is how much room saved lists had before.
    fn hand_back(&mut self, adopted: &Adopted, saved: usize) {
        for (at, code) in adopted {
            self.room.out.registers[*at] = *code;
        }
        if !adopted.is_empty() {
            self.room.out.lists.truncate(saved);
        }
    }

    /// Takes over from native code whose move is being made, and by which clause.
    pub(super) fn take_making(&mut self) {
        let c = &*self.jit.context;
        self.making.clause = c.clause as u16;
        self.making.chance = c.chance != 0;
        self.making.mover = c.mover as usize;
    }

    /// Keeps the state at the end of a way of the move that native code plays. [`BAILED`] leaves the move to the machine,
    /// which tells where two ways differ.
    pub(super) fn keep_native_way(&mut self, chance: bool) -> i64 {
        self.making.mover = self.jit.context.mover as usize;
        self.making.chance = chance;
        let trailing = std::mem::replace(&mut self.trailing, true);
        let flow = self.keep_way();
        self.trailing = trailing;
        if flow == Flow::Back && !self.room.way.differs { 0 } else { BAILED }
    }

    /// Goes to the state to which all ways of a move lead; 0 where there is none.
    pub(super) fn take_native_way(&mut self) -> i64 {
        let taken = self.take_way();
        self.jit.context.all_changed |= u64::from(taken);
        i64::from(taken)
    }

    /// Undoes the writes of native code to the state.
    pub(super) fn put_back(&mut self) {
        for [word, old] in self.jit.context.written(0).iter().rev() {
            self.now.state[*word as usize] = *old;
        }
        self.fault = None;
    }

    /// Drops the results and lists of finished positions. Whether there is room for a further
    /// candidate of the current clause.
    pub(super) fn has_room(&mut self) -> bool {
        let c = &*self.jit.context;
        self.room.out.results.truncate(c.results_len as usize);
        self.room.out.lists.truncate(c.saved_len as usize);
        let kept = self.plan.moves[self.making.clause as usize].kept as usize;
        let room = (c.kept_end as usize - c.kept as usize) / size_of::<Code>();
        c.segment < c.segments_end && c.kept_count as usize + kept <= room
    }

    /// Begins a run of native code that appends candidates to those of `out`.
    pub(super) fn open_moves(&mut self, chance: bool) {
        let c = &mut *self.jit.context;
        c.trail_len = 0;
        c.lists_len = 0;
        c.chance = u64::from(chance);
        c.total = self.room.out.total;
        c.makes_moves = 1;
        self.make_room();
    }

    /// The same for the rooms in the context, of which functions that write no candidates have the
    /// use as well.
    pub(super) fn look_behind_context(&self) {
        if self.jit.checked && !self.jit.context.is_whole() {
            violated("native code wrote behind one of its rooms");
        }
    }
}
