//! The machine that runs plans: registers, sets and the current state, and how they are read and
//! written.
//!
//! It is generic over the number of words of a set, so that every set operation is a fixed, small
//! number of word operations. Nothing is allocated once its stacks have grown.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::plan::{CONSTANTS, Cells, Code, LISTS, Op, Operand, Place, Plan, Reg, Set, SetReg};
use crate::program::FluentId;

use super::changes::Changes;
use super::collector::Collector;
use super::facts::PlanFacts;
use super::fault::Fault;
use super::fuel::Fuel;
use super::history::History;
use super::native::{Context, Native, NativeCode, NativeRuns};
use super::probes::Probes;
use super::segments::{Moves, SEGMENTS};
use super::supposed::Supposed;
use super::weights::KnownWeights;

/// What running a block came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// No (more) answers.
    Back,
    /// An answer was found and is enough, or a fault stopped the run.
    Stop,
}

/// The destination of a procedure's answers.
#[derive(Debug, Clone)]
pub(super) enum Continuation<'p> {
    /// The body of the call, in the caller's frame.
    Stream {
        body: &'p [Op],
        frame: Frame,
        outs: &'p [Reg],
        /// The answers are those of a hypothesis, and are used in the real position.
        supposes: bool,
        /// No later clause of the procedure is tried.
        cut: bool,
    },
    /// The tuples that are being collected.
    Collect,
}

/// The first register and the first set of a clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub registers: usize,
    pub sets: usize,
}

/// The stack heights to restore after a run that was stopped by success.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    frame: Frame,
    top: Frame,
    continuations: usize,
    accumulators: usize,
    collectors: usize,
    depth: usize,
}

/// One answer as codes.
pub(super) type Tuple = SmallVec<[Code; 4]>;

/// What `Commit` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A move is being played: stop.
    Apply,
    /// Moves are being enumerated whole: record the resulting state.
    Branch,
    /// A move is being played that may have several ways: keep the resulting state, and go back to the next one.
    Ways,
}

/// Whether a value may be a list that a move has built.
pub(super) fn builds_lists(plan: &Plan) -> bool {
    // the moves of a position may have lists as arguments
    plan.blocks
        .ops()
        .any(|op| matches!(op, Op::MakeList { .. } | Op::TakeList { .. } | Op::Legal { .. }))
}

/// The stacks of a run, which a nested query lays aside.
#[derive(Debug, Default)]
pub(super) struct Stacks<'p> {
    pub continuations: Vec<Continuation<'p>>,
    /// The sets that are being gathered.
    pub accumulators: Vec<usize>,
    pub collectors: Vec<Collector>,
    /// The words of the state that were written, with their old contents.
    pub trail: Vec<(u32, u64)>,
    /// The arena of lists: heads and tails.
    pub lists: Vec<(Code, Code)>,
    /// The calls that were left, innermost first, since calls were nested too deep: procedures with what was given.
    pub unwound: Vec<(u32, Tuple)>,
    /// The codes of the arena's lists.
    pub conses: FxHashMap<(Code, Code), Code>,
    pub tabling: super::tabling::Tabling,
}

/// The moves of a position, kept for the next question about it.
#[derive(Debug)]
pub(super) struct KnownMoves<const W: usize> {
    pub moves: Box<Moves<W>>,
    /// The position that they belong to.
    pub version: u64,
    /// There is no legal move among them, and they are not chance events.
    pub stuck: bool,
}

/// The machine code of the plan, and what is kept of its runs.
pub(super) struct MachineCode<'p> {
    /// Where machine code comes from once there is enough work.
    pub source: Option<&'p NativeCode>,
    /// How many positions have been generated without it.
    pub runs: u32,
    pub native: Option<&'p Native>,
    /// Each access of machine code to memory is checked.
    pub checked: bool,
    pub counts: NativeRuns,
    pub context: Box<Context>,
    /// By function, how often it bailed out.
    pub bail_outs: Vec<u16>,
    /// The most segments that a run writes.
    pub segments: usize,
}

/// The current position, with the positions before it.
#[derive(Debug)]
pub(super) struct Current<const W: usize> {
    /// The layout's words, then whether the current move has set the turn, then the hash.
    pub state: Vec<u64>,
    /// Native code has changed the state, and not its hash.
    pub hash_stale: bool,
    /// Counts the current states, from 1.
    pub version: u64,
    pub history: History,
    pub changes: Changes<W>,
}

/// The move or chance event whose clause is being run.
#[derive(Debug)]
pub(super) struct Making {
    /// The player who makes it: the coded turn before it.
    pub mover: usize,
    pub clause: u16,
    pub chance: bool,
    pub mode: Mode,
}

/// The registers and sets of the calls that are being run, each call with a frame of them.
#[derive(Debug)]
pub(super) struct Frames<const W: usize> {
    pub registers: Vec<Code>,
    pub sets: Vec<[u64; W]>,
    pub current: Frame,
    /// The first free register and set.
    pub top: Frame,
    /// The first frame of the current question, above those of its caller.
    pub floor: Frame,
    /// How many calls there are inside each other.
    pub depth: usize,
}

/// Where the ways of a move lead.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The state after the first; empty before it.
    pub state: Vec<u64>,
    /// Another one leads elsewhere.
    pub differs: bool,
}

/// Room that is kept from one question to the next, so that none allocates.
#[derive(Debug)]
pub(super) struct Room<const W: usize> {
    /// The moves that are being generated.
    pub out: Box<Moves<W>>,
    // boxed, to be swapped cheaply
    #[allow(clippy::vec_box)]
    pub spare: Vec<Box<Moves<W>>>,
    /// Hashes of moves, while duplicates are searched for.
    pub duplicates: Vec<u64>,
    /// The state before the move that is tried, or that native code makes.
    pub before: Vec<u64>,
    /// The states before the moves of a tree.
    pub saved: Vec<Vec<u64>>,
    /// The ways of the move that is played.
    pub way: Way,
}

/// Runs the plan of one game; a set of it has at most `W` words.
pub struct Machine<'p, const W: usize> {
    pub(super) plan: &'p Plan,
    pub(super) facts: PlanFacts<W>,
    pub(super) now: Current<W>,
    pub(super) making: Making,
    pub(super) frames: Frames<W>,
    pub(super) stacks: Stacks<'p>,
    /// Updates are recorded on the trail.
    pub(super) trailing: bool,
    /// The hypotheses that are being run, the innermost last.
    pub(super) suppositions: Vec<Supposed<W>>,
    pub(super) room: Room<W>,
    pub(super) cached: KnownMoves<W>,
    pub(super) weights: KnownWeights,
    pub(super) fuel: Fuel,
    pub(super) fault: Option<Box<Fault>>,
    /// Every rule error of a position is reported, also those of moves that are not needed;
    /// playouts report only those of the moves that they draw.
    pub(super) strict: bool,
    /// Where the runs of a probed plan are counted.
    pub(super) probes: Option<&'p Probes>,
    pub(super) jit: MachineCode<'p>,
}

/// The most items of lists that one question may make, and that the moves of one position may
/// contain.
pub(super) const MOST_ITEMS: usize = 1 << 23;

/// The steps of the budget that a new list costs.
const LIST: u64 = 16;

/// The number of positions after which machine code is made.
const TIER_UP: u32 = 400;
/// The number of positions that a slice of steps counts for, since few positions may be as much
/// work as many.
const PER_SLICE: u32 = 8;

/// The largest set, in words, for which the machine's size is that of the plan's sets.
const SMALL: usize = 6;

impl<'p, const W: usize> Machine<'p, W> {
    pub fn new(plan: &'p Plan) -> Machine<'p, W> {
        debug_assert!(plan.layout.words <= W);
        let jit = MachineCode {
            source: None,
            runs: 0,
            native: None,
            checked: false,
            counts: NativeRuns::default(),
            context: Context::new(),
            bail_outs: Vec::new(),
            segments: *SEGMENTS.start(),
        };
        let mut machine = Machine {
            plan,
            facts: PlanFacts::of(plan),
            now: Current {
                state: plan.opening.clone(),
                hash_stale: false,
                version: 1,
                history: History::new(),
                changes: Changes::new(),
            },
            making: Making { mover: 0, clause: 0, chance: false, mode: Mode::Apply },
            frames: Frames {
                registers: vec![0; 256],
                sets: vec![[0; W]; 64],
                current: Frame::default(),
                top: Frame::default(),
                floor: Frame::default(),
                depth: 0,
            },
            stacks: Stacks::default(),
            trailing: false,
            suppositions: Vec::new(),
            room: Room {
                out: Box::default(),
                spare: Vec::new(),
                duplicates: Vec::new(),
                before: Vec::new(),
                saved: Vec::new(),
                way: Way::default(),
            },
            cached: KnownMoves { moves: Box::default(), version: 0, stuck: false },
            weights: KnownWeights::default(),
            fuel: Fuel::new(),
            fault: None,
            strict: true,
            probes: None,
            jit,
        };
        machine.now.state.extend([0, 0]);
        let hash = machine.full_hash();
        machine.set_hash(hash);
        machine
    }

    /// Makes a state from a machine of the same plan the current one.
    pub fn load(&mut self, words: &[u64], history: &[(u64, u64)]) {
        // this panics for a state of another plan: machine code relies on the length
        self.now.state.copy_from_slice(words);
        self.now.history.set(history);
        self.now.version += 1;
        (self.now.changes.all, self.now.changes.outlived) = (true, false);
        self.now.hash_stale = false;
        self.clear();
    }

    /// Makes the words of a layout the current state, without a history.
    pub(super) fn stand(&mut self, words: &[u64]) {
        let len = self.now.state.len() - 2;
        self.now.state[..len].copy_from_slice(words);
        self.now.state[len] = 0;
        self.now.history.set(&[]);
        self.now.version += 1;
        (self.now.changes.all, self.now.changes.outlived) = (true, false);
        self.now.hash_stale = true;
        self.clear();
    }

    /// Enables machine code, which is used once there is enough work.
    pub(super) fn use_code(&mut self, code: &'p NativeCode, at_once: bool, checked: bool) {
        self.jit.source = Some(code);
        self.jit.checked = checked;
        if at_once {
            self.jit.runs = TIER_UP - 1;
            self.tier_up();
        }
    }

    /// The coded turn.
    #[inline]
    pub(super) fn turn_at_work(&self) -> usize {
        match self.facts.turn_word {
            Some(word) => self.now.state[word] as usize,
            None => self.coded(self.plan.layout.place(FluentId::TURN), 0),
        }
    }

    /// Counts a slice of steps; the next generation of moves may then make machine code.
    pub(super) fn count_slice(&mut self) {
        if self.jit.runs < TIER_UP {
            self.jit.runs = (self.jit.runs + PER_SLICE).min(TIER_UP - 1);
        }
    }

    /// Counts a generation of moves.
    #[inline]
    pub(super) fn tier_up(&mut self) {
        if self.jit.runs < TIER_UP {
            self.jit.runs += 1;
            if self.jit.runs == TIER_UP {
                let (budget, checked) = (self.fuel.current(), self.jit.checked);
                let over = || budget.is_over();
                self.jit.native =
                    self.jit.source.and_then(|code| code.get(self.plan, checked, &over));
                self.jit.counts.flawed = self.jit.native.map_or(0, |native| native.flawed);
            }
        }
    }

    /// Recomputes the hash of the current state where it is stale.
    pub(super) fn freshen_hash(&mut self) {
        if std::mem::take(&mut self.now.hash_stale) {
            let hash = self.full_hash();
            self.set_hash(hash);
        }
    }

    /// Clears what an interrupted run left behind.
    pub(super) fn clear(&mut self) {
        self.frames.current = Frame::default();
        self.frames.top = Frame::default();
        self.frames.floor = Frame::default();
        self.suppositions.clear();
        self.clear_stacks();
    }

    /// Clears an earlier run, without its frames.
    pub(super) fn clear_stacks(&mut self) {
        self.empty_stacks();
        self.trailing = false;
        self.refuel();
        self.frames.depth = 0;
        self.fault = None;
    }

    pub(super) fn empty_stacks(&mut self) {
        self.stacks.continuations.clear();
        self.stacks.accumulators.clear();
        self.stacks.collectors.clear();
        self.stacks.trail.clear();
        self.clear_lists();
        self.stacks.tabling.clear();
    }

    pub(super) fn clear_lists(&mut self) {
        if !self.stacks.lists.is_empty() {
            self.stacks.lists.clear();
            self.stacks.conses.clear();
            // answers may hold lists
            self.stacks.tabling.clear();
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            frame: self.frames.current,
            top: self.frames.top,
            continuations: self.stacks.continuations.len(),
            accumulators: self.stacks.accumulators.len(),
            collectors: self.stacks.collectors.len(),
            depth: self.frames.depth,
        }
    }

    pub(super) fn restore(&mut self, mark: Mark) {
        self.frames.current = mark.frame;
        self.frames.top = mark.top;
        self.stacks.continuations.truncate(mark.continuations);
        self.stacks.accumulators.truncate(mark.accumulators);
        self.stacks.collectors.truncate(mark.collectors);
        self.frames.depth = mark.depth;
    }

    /// Puts a clause's frame on top of the stacks.
    pub(super) fn enter(&mut self, registers: u16, sets: u16) {
        self.frames.current = self.frames.top;
        self.frames.top.registers += registers as usize;
        self.frames.top.sets += sets as usize;
        if self.frames.top.registers > self.frames.registers.len() {
            self.frames.registers.resize(self.frames.top.registers * 2, 0);
        }
        if self.frames.top.sets > self.frames.sets.len() {
            self.frames.sets.resize(self.frames.top.sets * 2, [0; W]);
        }
    }

    #[inline]
    pub(super) fn reg(&self, reg: Reg) -> Code {
        self.frames.registers[self.frames.current.registers + reg as usize]
    }

    #[inline]
    pub(super) fn put(&mut self, reg: Reg, code: Code) {
        let at = self.frames.current.registers + reg as usize;
        self.frames.registers[at] = code;
    }

    #[inline]
    pub(super) fn value(&self, x: Operand) -> Code {
        match x {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(code) => code,
        }
    }

    #[inline]
    pub(super) fn set_at(&mut self, reg: SetReg) -> &mut [u64; W] {
        let at = self.frames.current.sets + reg as usize;
        &mut self.frames.sets[at]
    }

    /// The number of words of a set in the plan and in the state: `W` where that is small, so that
    /// the number is a constant.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        if W <= SMALL { W } else { self.plan.layout.words }
    }

    #[inline(always)]
    fn words_at(&self, words: &[u64], at: usize) -> [u64; W] {
        let mut set = [0; W];
        set[..self.words()].copy_from_slice(&words[at..at + self.words()]);
        set
    }

    /// The elements of a set.
    #[inline(always)]
    pub(super) fn set(&self, set: &Set) -> [u64; W] {
        match set {
            Set::Reg(reg) => self.frames.sets[self.frames.current.sets + *reg as usize],
            Set::Mask(mask) => self.words_at(&self.plan.masks, *mask as usize * self.words()),
            Set::Plane(first) => self.words_at(&self.now.state, *first as usize),
            Set::PlaneOf { fluent, value } => {
                let place = self.plan.layout.place(*fluent);
                let code = self.value(*value);
                match (place.planes, place.value.as_ref().and_then(|axis| axis.index(code))) {
                    (Some(planes), Some(index)) => {
                        self.words_at(&self.now.state, planes.first as usize + index * self.words())
                    }
                    _ => [0; W],
                }
            }
            Set::Slice { fluent, slices, others, value } => {
                match self.slice(*fluent, *slices, others, *value) {
                    Some(at) => self.words_at(&self.now.state, at),
                    None => [0; W],
                }
            }
            Set::Row { rows, keys } => {
                match self.plan.rows[*rows as usize].find(|i| self.value(keys[i])) {
                    Some(words) => self.words_at(words, 0),
                    None => [0; W],
                }
            }
        }
    }

    /// The first word of a slice; `None` where a value is outside its axis.
    fn slice(
        &self,
        fluent: FluentId,
        slices: usize,
        others: &[Operand],
        value: Option<Operand>,
    ) -> Option<usize> {
        let place = self.plan.layout.place(fluent);
        let slices = place.slices.get(slices)?;
        let axes = place.keys.iter().enumerate().filter(|(i, _)| *i != slices.key);
        let mut other = 0;
        for ((_, axis), key) in axes.zip(others) {
            other = other * axis.len + axis.index(self.value(*key))?;
        }
        let plane = match value {
            Some(value) => place.value.as_ref()?.index(self.value(value))?,
            None => place.slice_planes() - 1,
        };
        Some(slices.first as usize + (plane * slices.others + other) * self.words())
    }

    /// Whether index `i` is in a set. Reads one word only.
    #[inline]
    pub(super) fn contains(&self, set: &Set, i: usize) -> bool {
        let (word, bit) = (i / 64, 1u64 << (i % 64));
        let words = match set {
            Set::Reg(reg) => self.frames.sets[self.frames.current.sets + *reg as usize][word],
            Set::Mask(mask) => self.plan.masks[*mask as usize * self.words() + word],
            Set::Plane(first) => self.now.state[*first as usize + word],
            other => self.set(other)[word],
        };
        words & bit != 0
    }

    /// The number of a map's cell; `None` where a key is outside its axis.
    #[inline]
    pub(super) fn cell(&self, place: &Place, keys: &[Operand]) -> Option<usize> {
        let mut cell = 0;
        for ((_, axis), key) in place.axes_of(keys.len()).zip(keys) {
            cell = cell * axis.len + axis.index(self.value(*key))?;
        }
        Some(cell)
    }

    /// The index of a map's value plus one, 0 where it has none; for a set 1 or 0.
    #[inline]
    pub(super) fn coded(&self, place: &Place, cell: usize) -> usize {
        place.coded(&self.now.state, cell)
    }

    #[inline]
    fn write(&mut self, word: usize, new: u64) {
        if self.trailing {
            self.stacks.trail.push((word as u32, self.now.state[word]));
        }
        self.now.state[word] = new;
    }

    /// Restores the state at a length of the trail.
    #[inline]
    pub(super) fn undo(&mut self, mark: usize) {
        while self.stacks.trail.len() > mark {
            if let Some((word, old)) = self.stacks.trail.pop() {
                self.now.state[word as usize] = old;
            }
        }
    }

    /// Writes a cell, its planes and the hash. `coded` is the value's index plus one, or 0.
    #[inline]
    pub(super) fn assign(&mut self, fluent: FluentId, cell: usize, coded: usize) {
        let plan = self.plan;
        let place = plan.layout.place(fluent);
        let before = self.coded(place, cell);
        if before == coded {
            return;
        }
        match place.cells {
            Cells::Word(word) => self.write(word as usize, coded as u64),
            Cells::Packed { first, shift } => {
                let per_word = 6 - shift;
                let word = first as usize + (cell >> per_word);
                let at = (cell & ((1 << per_word) - 1)) << shift;
                let mask = ((1u64 << (1 << shift)) - 1) << at;
                self.write(word, (self.now.state[word] & !mask) | ((coded as u64) << at));
            }
            Cells::None => {}
        }
        if let Some(planes) = place.planes {
            let (word, bit) = (cell / 64, 1u64 << (cell % 64));
            if plan.watched == Some(fluent) {
                self.now.changes.keys[word] |= bit;
            }
            if place.value.is_some() {
                if before > 0 {
                    let at = planes.first as usize + (before - 1) * self.words() + word;
                    self.write(at, self.now.state[at] & !bit);
                }
                if coded > 0 {
                    let at = planes.first as usize + (coded - 1) * self.words() + word;
                    self.write(at, self.now.state[at] | bit);
                }
            }
            if (before > 0) != (coded > 0) {
                let at = planes.defined as usize + word;
                self.write(at, self.now.state[at] ^ bit);
            }
        }
        for slices in &place.slices {
            let (of_value, defined, bit) = place.slice_words(slices, cell, self.words());
            if place.value.is_some() {
                for coded in [before, coded].into_iter().filter(|coded| *coded > 0) {
                    let at = of_value(coded);
                    self.write(at, self.now.state[at] ^ bit);
                }
            }
            if (before > 0) != (coded > 0) {
                self.write(defined, self.now.state[defined] ^ bit);
            }
        }
        if !place.aside {
            let slot = place.slot + cell as u64;
            let at = self.now.state.len() - 1;
            self.write(at, self.now.state[at] ^ key(slot, before) ^ key(slot, coded));
        }
    }

    /// Whether the current move has set the turn.
    pub(super) fn turned(&self) -> bool {
        self.now.state[self.now.state.len() - 2] != 0
    }

    pub(super) fn set_turned(&mut self, turned: bool) {
        let at = self.now.state.len() - 2;
        if self.now.state[at] != u64::from(turned) {
            self.write(at, u64::from(turned));
        }
    }

    /// Writes a map without keys that is not part of the hash.
    #[inline]
    pub(super) fn assign_aside(&mut self, fluent: FluentId, coded: usize) {
        match self.plan.layout.place(fluent).cells {
            Cells::Word(word) => self.write(word as usize, coded as u64),
            _ => self.assign(fluent, 0, coded),
        }
    }

    /// The incremental hash of the position without the player to move.
    pub fn hash(&self) -> u64 {
        self.now.state[self.now.state.len() - 1]
    }

    fn set_hash(&mut self, hash: u64) {
        let at = self.now.state.len() - 1;
        self.now.state[at] = hash;
    }

    /// The hash with the player to move.
    pub fn position_hash(&self) -> u64 {
        let turn = self.coded(self.plan.layout.place(FluentId::TURN), 0);
        self.hash() ^ key(u64::MAX, turn)
    }

    /// The hash computed from the whole state; equals [`Machine::hash`].
    pub fn full_hash(&self) -> u64 {
        let mut hash = 0;
        for place in self.plan.layout.places.iter().filter(|p| !p.aside) {
            for cell in 0..place.size {
                hash ^= key(place.slot + cell as u64, self.coded(place, cell));
            }
        }
        hash
    }

    /// The items of a list; `None` where the code is not a list.
    pub(super) fn items(&self, list: Code) -> Option<Tuple> {
        let mut items = Tuple::new();
        let mut at = list;
        while at >= LISTS {
            let (head, tail) = self.stacks.lists[(at - LISTS) as usize];
            items.push(head);
            at = tail;
        }
        if at != self.plan.empty_list {
            items.extend_from_slice(self.plan.lists.get(&at)?);
        }
        self.fuel.drain(items.len() as u64 / 8);
        Some(items)
    }

    /// Whether two values are equal. Lists that a move built are compared item by item.
    pub(super) fn same(&self, a: Code, b: Code) -> bool {
        if a == b || (a < LISTS && b < LISTS) {
            return a == b;
        }
        // lists that share parts are compared part by part, which may take exponential time
        if self.fuel.drain(1) {
            return false;
        }
        match (self.items(a), self.items(b)) {
            (Some(x), Some(y)) => {
                x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| self.same(*x, *y))
            }
            _ => false,
        }
    }

    /// Puts answers into the standard order of terms, from the left.
    pub(super) fn sort(&self, answers: &mut [Tuple]) {
        answers.sort_by(|a, b| {
            let pairs = a.iter().zip(b).map(|(x, y)| self.compare(*x, *y));
            pairs.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
    }

    /// The standard order of two values.
    fn compare(&self, a: Code, b: Code) -> Ordering {
        if let (Some(x), Some(y)) = (self.items(a), self.items(b)) {
            let pairs = x.iter().zip(&y).map(|(v, w)| self.compare(*v, *w));
            let unequal = pairs.into_iter().find(|order| order.is_ne());
            return unequal.unwrap_or_else(|| x.len().cmp(&y.len()));
        }
        let constant = |code: Code| (CONSTANTS..LISTS).contains(&code);
        let place = |code: Code| match self.plan.order.get((code - CONSTANTS) as usize) {
            Some(place) if constant(code) => (1, i64::from(*place)),
            _ if code >= LISTS => (2, code),
            _ => (0, code),
        };
        place(a).cmp(&place(b))
    }

    /// A list of these items in the arena.
    pub(super) fn list_of(&mut self, items: &[Code]) -> Code {
        let empty = self.plan.empty_list;
        items.iter().rev().fold(empty, |tail, item| self.cons(*item, tail))
    }

    /// The list of a head and a tail: a constant where there is one, and otherwise in the move's
    /// arena, which holds each list once.
    pub(super) fn cons(&mut self, head: Code, tail: Code) -> Code {
        if let Some(code) = self.plan.cons.get(&(head, tail)) {
            return *code;
        }
        if self.stacks.lists.len() >= MOST_ITEMS {
            self.fuel.exhaust();
            return tail;
        }
        let next = LISTS + self.stacks.lists.len() as Code;
        let code = *self.stacks.conses.entry((head, tail)).or_insert(next);
        if code == next {
            self.stacks.lists.push((head, tail));
            // memory takes longer than a step, and a recursion that builds lists without end is told sooner
            self.fuel.drain(LIST);
        }
        code
    }
}

/// The hash of a cell's content; an undefined cell has none.
#[inline]
pub(super) fn key(slot: u64, coded: usize) -> u64 {
    if coded == 0 {
        return 0;
    }
    // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    let mut z =
        slot.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add((coded as u64) << 40 | coded as u64);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
