//! Moves as segments: generated, tried, ranked and told apart.
//!
//! A segment is a clause, its registers, and the set of its last variable: counting moves is
//! counting bits. Candidates of clauses that test after an update are tried on the state when
//! somebody needs to know.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::plan::{
    Code, HeadTerm, LISTS, MoveClause, Operand, PatternArgument, Rank, RankGroup, Reg,
};

use crate::program::FluentId;

use super::fault::FaultKind;
use super::machine::{Collector, Continuation, Flow, Machine, Mode, Tuple, bits};

/// Candidate moves of one clause that differ in one register.
#[derive(Debug, Clone)]
pub struct Segment<const W: usize> {
    pub(super) clause: u16,
    /// The register of the last variable and the code of index 0; `None` for a single move.
    pub(super) last: Option<(Reg, Code)>,
    pub(super) set: [u64; W],
    pub(super) count: u32,
    /// Where its registers begin.
    pub(super) registers: u32,
    /// Where its resulting state begins, for a move that was enumerated whole.
    pub(super) result: Option<u32>,
    /// Its candidates have been tried and are legal.
    pub(super) tried: bool,
}

/// The moves of one position.
#[derive(Debug, Clone)]
pub struct Moves<const W: usize> {
    pub(super) segments: Vec<Segment<W>>,
    pub(super) registers: Vec<Code>,
    pub(super) results: Vec<u64>,
    /// Lists that moves hold: their length, then their items.
    pub(super) lists: Vec<Code>,
    pub(super) chance: bool,
    pub(super) total: u64,
}

impl<const W: usize> Default for Moves<W> {
    fn default() -> Self {
        Moves {
            segments: Vec::new(),
            registers: Vec::new(),
            results: Vec::new(),
            lists: Vec::new(),
            chance: false,
            total: 0,
        }
    }
}

/// One move of a [`Moves`]: a segment, and the bit of its last variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    pub(super) segment: u32,
    pub(super) bit: u32,
}

impl<const W: usize> Moves<W> {
    fn clear(&mut self, chance: bool) {
        self.segments.clear();
        self.registers.clear();
        self.results.clear();
        self.lists.clear();
        self.chance = chance;
        self.total = 0;
    }

    /// The move with this number, in order of generation.
    pub(super) fn nth(&self, mut number: u64) -> Option<Pick> {
        for (i, segment) in self.segments.iter().enumerate() {
            let count = u64::from(segment.count);
            if number >= count {
                number -= count;
                continue;
            }
            let segment_number = i as u32;
            if segment.last.is_none() {
                return Some(Pick { segment: segment_number, bit: 0 });
            }
            for (w, word) in segment.set.iter().enumerate() {
                let ones = u64::from(word.count_ones());
                if number < ones {
                    let mut rest = *word;
                    for _ in 0..number {
                        rest &= rest - 1;
                    }
                    let bit = w as u32 * 64 + rest.trailing_zeros();
                    return Some(Pick { segment: segment_number, bit });
                }
                number -= ones;
            }
        }
        None
    }

    pub(super) fn remove(&mut self, pick: Pick) {
        let segment = &mut self.segments[pick.segment as usize];
        if segment.last.is_some() {
            segment.set[pick.bit as usize / 64] &= !(1 << (pick.bit % 64));
        }
        segment.count -= 1;
        self.total -= 1;
    }

    pub(super) fn picks(&self) -> Vec<Pick> {
        let mut picks = Vec::with_capacity(self.total as usize);
        for (i, segment) in self.segments.iter().enumerate() {
            let number = i as u32;
            match segment.last {
                None if segment.count > 0 => picks.push(Pick { segment: number, bit: 0 }),
                None => {}
                Some(_) => picks
                    .extend(bits(segment.set).map(|bit| Pick { segment: number, bit: bit as u32 })),
            }
        }
        picks
    }
}

/// Lists saved with a move have codes from here on.
pub(super) const SAVED: Code = LISTS + (LISTS >> 1);

impl<'p, const W: usize> Machine<'p, W> {
    pub(super) fn clauses(&self, chance: bool) -> &'p [MoveClause] {
        if chance { &self.plan.chance } else { &self.plan.moves }
    }

    /// The terminal instruction of a clause's generator.
    pub(super) fn segment(&mut self, last: Option<(Reg, Code)>, set: [u64; W]) -> Flow {
        let count: u32 = match last {
            None => 1,
            Some(_) => set.iter().map(|w| w.count_ones()).sum(),
        };
        if count == 0 {
            return Flow::Back;
        }
        let registers = self.keep_registers();
        let clause = self.clause;
        self.out.segments.push(Segment {
            clause,
            last,
            set,
            count,
            registers,
            result: None,
            tried: false,
        });
        self.out.total += u64::from(count);
        if self.out.total > self.budget.moves {
            return self.stop(FaultKind::Moves);
        }
        Flow::Back
    }

    /// The end of a move that is enumerated whole: its resulting state is kept.
    pub(super) fn record(&mut self) -> Flow {
        let registers = self.keep_registers();
        let trail = self.trail.len();
        self.finish_move();
        let result = self.out.results.len() as u32;
        self.out.results.extend_from_slice(&self.state);
        self.undo(trail);
        let clause = self.clause;
        self.out.segments.push(Segment {
            clause,
            last: None,
            set: [0; W],
            count: 1,
            registers,
            result: Some(result),
            tried: true,
        });
        self.out.total += 1;
        if self.out.total > self.budget.moves || self.out.results.len() > 1 << 27 {
            return self.stop(FaultKind::Moves);
        }
        Flow::Back
    }

    /// Copies the registers that the move needs later; where they begin.
    fn keep_registers(&mut self) -> u32 {
        let kept = self.clauses(self.chance)[self.clause as usize].kept as usize;
        let registers = self.out.registers.len() as u32;
        let from = self.frame.registers;
        for i in 0..kept {
            // the arena of lists does not outlive the generation
            let code = self.registers[from + i];
            let code = if code >= LISTS { self.save_list(code) } else { code };
            self.out.registers.push(code);
        }
        registers
    }

    fn save_list(&mut self, list: Code) -> Code {
        let items = self.items(list).unwrap_or_default();
        let saved: Tuple =
            items.iter().map(|c| if *c >= LISTS { self.save_list(*c) } else { *c }).collect();
        let at = self.out.lists.len() as Code;
        self.out.lists.push(saved.len() as Code);
        self.out.lists.extend_from_slice(&saved);
        SAVED + at
    }

    /// Generates the candidates of some clauses into `moves`.
    fn generate(
        &mut self,
        group: &[u16],
        chance: bool,
        moves: &mut Box<Moves<W>>,
    ) -> Result<(), ()> {
        self.clear_stacks();
        moves.clear(chance);
        // a test after an update compares with the position that the move starts from
        self.remember();
        self.mover = self.coded(self.plan.layout.place(FluentId::TURN), 0);
        std::mem::swap(&mut self.out, moves);
        self.chance = chance;
        let mut fine = true;
        for number in group {
            let clause = &self.clauses(chance)[*number as usize];
            self.clause = *number;
            self.top = self.floor;
            self.enter(clause.generate.registers, clause.generate.sets);
            // a kept register that this path does not write must not hold a list of long ago
            let from = self.frame.registers;
            self.registers[from..from + clause.kept as usize].fill(0);
            let mark = self.trail.len();
            self.trailing = clause.branching;
            self.mode = Mode::Branch;
            let flow = self.run(clause.generate.start);
            self.undo(mark);
            self.trailing = false;
            if flow == Flow::Stop {
                fine = false;
                break;
            }
        }
        self.mode = Mode::Apply;
        self.forget();
        std::mem::swap(&mut self.out, moves);
        if fine { Ok(()) } else { Err(()) }
    }

    /// The chance events that are possible. All of them are legal.
    pub(super) fn chance_events(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        let count = self.plan.chance.len();
        if count == 0 {
            moves.clear(true);
            return Ok(());
        }
        let group: SmallVec<[u16; 8]> = (0..count as u16).collect();
        self.generate(&group, true, moves)?;
        self.settle(moves)
    }

    /// Candidates for the player to move, of the highest rank that has any. They are legal but for
    /// the tests after updates, unless ranks or repetitions made it necessary to try them.
    pub(super) fn candidates(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        let groups: &'p [RankGroup] = &self.plan.groups;
        for (i, group) in groups.iter().enumerate() {
            self.generate(&group.clauses, false, moves)?;
            if group.computed || group.repeats {
                self.settle(moves)?;
            }
            if group.computed {
                self.keep_highest(moves)?;
            } else if i + 1 < groups.len() && !self.any_legal(moves)? {
                continue;
            }
            if moves.total > 0 || i + 1 == groups.len() {
                return Ok(());
            }
        }
        moves.clear(false);
        Ok(())
    }

    /// The legal moves of the position, or its chance events.
    pub(super) fn legal(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        self.chance_events(moves)?;
        if moves.total == 0 {
            self.candidates(moves)?;
            self.keep_legal(moves)?;
        }
        Ok(())
    }

    /// Tries candidates until one is legal; those that are not are taken out.
    fn any_legal(&mut self, moves: &mut Moves<W>) -> Result<bool, ()> {
        let clauses = self.clauses(moves.chance);
        for number in 0..moves.segments.len() {
            loop {
                let segment = &moves.segments[number];
                if segment.count == 0 {
                    break;
                }
                if segment.tried || !clauses[segment.clause as usize].tested {
                    return Ok(true);
                }
                let bit = match segment.last {
                    None => 0,
                    Some(_) => bits(segment.set).next().unwrap_or(0) as u32,
                };
                let pick = Pick { segment: number as u32, bit };
                if self.survives(moves, pick)? {
                    return Ok(true);
                }
                moves.remove(pick);
            }
        }
        Ok(false)
    }

    /// Takes out the candidates that are not legal.
    pub(super) fn keep_legal(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        for i in 0..moves.segments.len() {
            let segment = &moves.segments[i];
            let clause = &self.clauses(moves.chance)[segment.clause as usize];
            if !(clause.tested || clause.risky) || segment.tried {
                continue;
            }
            let picks: SmallVec<[Pick; 64]> = match segment.last {
                None if segment.count == 0 => SmallVec::new(),
                None => SmallVec::from_slice(&[Pick { segment: i as u32, bit: 0 }]),
                Some(_) => {
                    bits(segment.set).map(|b| Pick { segment: i as u32, bit: b as u32 }).collect()
                }
            };
            for pick in picks {
                if !self.survives(moves, pick)? {
                    moves.remove(pick);
                }
            }
            moves.segments[i].tried = true;
        }
        Ok(())
    }

    /// Can this candidate be played to its end? The state is put back.
    fn survives(&mut self, moves: &Moves<W>, pick: Pick) -> Result<bool, ()> {
        let mut saved = std::mem::take(&mut self.scratch);
        saved.clear();
        saved.extend_from_slice(&self.state);
        let legal = self.play(moves, pick);
        self.forget();
        self.state.copy_from_slice(&saved);
        self.scratch = saved;
        legal
    }

    /// Legal moves only, each once. Two ways to one move must reach one state.
    fn settle(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        let chance = moves.chance;
        if !self.has_twins(moves) {
            return Ok(());
        }
        self.keep_legal(moves)?;
        let mut seen: FxHashMap<Tuple, Pick> = FxHashMap::default();
        for pick in moves.picks() {
            let clause =
                &self.clauses(chance)[moves.segments[pick.segment as usize].clause as usize];
            let key = self.key_of(moves, pick, clause);
            let Some(first) = seen.get(&key).copied() else {
                seen.insert(key, pick);
                continue;
            };
            let (a, b) = (self.resulting(moves, first)?, self.resulting(moves, pick)?);
            if a != b {
                let clauses = self.clauses(chance);
                let of =
                    |p: Pick| clauses[moves.segments[p.segment as usize].clause as usize].clause;
                let (first, other) = (of(first), of(pick));
                let shown = self.show_move(moves, pick);
                self.stop(FaultKind::Ambiguous { shown, first, other });
                return Err(());
            }
            moves.remove(pick);
        }
        Ok(())
    }

    /// May two candidates be one move? Compares hashes of their terms.
    fn has_twins(&mut self, moves: &Moves<W>) -> bool {
        let clauses = self.clauses(moves.chance);
        if !moves.segments.iter().any(|s| clauses[s.clause as usize].repeats) {
            return false;
        }
        let mut seen = std::mem::take(&mut self.twins);
        let size = (2 * moves.total as usize).next_power_of_two();
        seen.clear();
        seen.resize(size, 0);
        let mut insert = |hash: u64| {
            let hash = hash | 1;
            let mut at = (hash >> 32) as usize & (size - 1);
            while seen[at] != 0 && seen[at] != hash {
                at = (at + 1) & (size - 1);
            }
            std::mem::replace(&mut seen[at], hash) == hash
        };
        let mut found = false;
        for (number, segment) in moves.segments.iter().enumerate() {
            let clause = &clauses[segment.clause as usize];
            if !clause.repeats || found {
                continue;
            }
            let pick = |bit: usize| Pick { segment: number as u32, bit: bit as u32 };
            let mut insert = |pick: Pick| insert(self.term_hash(moves, pick, clause));
            found = match segment.last {
                None => segment.count > 0 && insert(pick(0)),
                Some(_) => bits(segment.set).any(|bit| insert(pick(bit))),
            };
        }
        self.twins = seen;
        found
    }

    /// A hash of a move's term.
    fn term_hash(&self, moves: &Moves<W>, pick: Pick, clause: &MoveClause) -> u64 {
        let mut hash = FxHasher::default();
        hash.write_u32(clause.functor);
        for term in &clause.head {
            match term {
                HeadTerm::Operand(x) => match register_of(moves, pick, *x) {
                    // a constant list and one that was built may be the same
                    code if code >= LISTS || self.plan.lists.contains_key(&code) => {
                        let mut key = Tuple::new();
                        self.flatten_code(moves, code, &mut key);
                        key.iter().for_each(|code| hash.write_i64(*code));
                    }
                    code => hash.write_i64(code),
                },
                other => {
                    let mut key = Tuple::new();
                    self.flatten(moves, pick, other, &mut key);
                    key.iter().for_each(|code| hash.write_i64(*code));
                }
            }
        }
        hash.finish()
    }

    fn resulting(&mut self, moves: &Moves<W>, pick: Pick) -> Result<Vec<u64>, ()> {
        let saved = self.state.clone();
        let fine = self.play(moves, pick);
        self.forget();
        let result = std::mem::replace(&mut self.state, saved);
        fine.map(|_| result)
    }

    fn keep_highest(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        self.keep_legal(moves)?;
        let picks = moves.picks();
        let mut ranks = Vec::with_capacity(picks.len());
        for pick in &picks {
            let clause = &self.plan.moves[moves.segments[pick.segment as usize].clause as usize];
            ranks.push(match clause.rank {
                Rank::Fixed(rank) => rank,
                Rank::Computed(procedure) => {
                    self.number(procedure, moves, *pick, clause)?.unwrap_or(0)
                }
            });
        }
        if let Some(best) = ranks.iter().max().copied() {
            for (pick, rank) in picks.iter().zip(&ranks) {
                if *rank < best {
                    moves.remove(*pick);
                }
            }
        }
        Ok(())
    }

    /// The greatest number that a procedure gives for a move's arguments.
    pub(super) fn number(
        &mut self,
        procedure: u32,
        moves: &Moves<W>,
        pick: Pick,
        clause: &MoveClause,
    ) -> Result<Option<i64>, ()> {
        let args: Vec<Operand> =
            clause.head.iter().map(|t| Operand::Const(self.argument(moves, pick, t))).collect();
        let answers = self.ask(procedure, &args)?;
        Ok(answers.iter().filter_map(|t| t.first().copied()).max())
    }

    /// An argument of a move as a code; its lists are put into the arena.
    fn argument(&mut self, moves: &Moves<W>, pick: Pick, term: &HeadTerm) -> Code {
        match term {
            HeadTerm::Operand(x) => {
                let code = register_of(moves, pick, *x);
                self.revive(moves, code)
            }
            HeadTerm::List(items, tail) => {
                let mut list = match tail {
                    Some(tail) => self.argument(moves, pick, tail),
                    None => self.plan.empty_list,
                };
                for item in items.iter().rev() {
                    let head = self.argument(moves, pick, item);
                    list = self.cons(head, list);
                }
                list
            }
            HeadTerm::Compound(..) => 0,
        }
    }

    pub(super) fn revive(&mut self, moves: &Moves<W>, code: Code) -> Code {
        if code < SAVED {
            return code;
        }
        let mut list = self.plan.empty_list;
        for item in saved_items(moves, code).iter().rev() {
            let head = self.revive(moves, *item);
            list = self.cons(head, list);
        }
        list
    }

    /// What makes a move term: its functor and all its arguments, flat.
    fn key_of(&self, moves: &Moves<W>, pick: Pick, clause: &MoveClause) -> Tuple {
        let mut key = Tuple::new();
        key.push(Code::from(clause.functor));
        for term in &clause.head {
            self.flatten(moves, pick, term, &mut key);
        }
        key
    }

    fn flatten(&self, moves: &Moves<W>, pick: Pick, term: &HeadTerm, key: &mut Tuple) {
        match term {
            HeadTerm::Operand(x) => self.flatten_code(moves, register_of(moves, pick, *x), key),
            HeadTerm::List(items, tail) => {
                key.push(LISTS);
                items.iter().for_each(|t| self.flatten(moves, pick, t, key));
                if let Some(tail) = tail {
                    let mut rest = Tuple::new();
                    self.flatten(moves, pick, tail, &mut rest);
                    // a list's items without its own brackets
                    let inner = if rest.len() >= 2 { &rest[1..rest.len() - 1] } else { &rest[..] };
                    key.extend_from_slice(inner);
                }
                key.push(LISTS + 1);
            }
            HeadTerm::Compound(_, args) => {
                key.push(LISTS + 2);
                args.iter().for_each(|t| self.flatten(moves, pick, t, key));
                key.push(LISTS + 1);
            }
        }
    }

    fn flatten_code(&self, moves: &Moves<W>, code: Code, key: &mut Tuple) {
        let items: Option<Tuple> = if code >= SAVED {
            Some(saved_items(moves, code).iter().copied().collect())
        } else {
            self.items(code)
        };
        match items {
            Some(items) => {
                key.push(LISTS);
                items.iter().for_each(|c| self.flatten_code(moves, *c, key));
                key.push(LISTS + 1);
            }
            None => key.push(code),
        }
    }

    /// Is the player to move without a legal move, and nature without an event?
    pub(super) fn stuck(&mut self) -> Option<bool> {
        let stuck = self.aside(|machine, moves| {
            machine.chance_events(moves)?;
            if moves.total > 0 {
                return Ok(false);
            }
            machine.candidates(moves)?;
            Ok(!machine.any_legal(moves)?)
        });
        // whoever plays on from this position need not generate its moves again
        if let Some(moves) = self.spare.pop() {
            let before = std::mem::replace(&mut self.ready, moves);
            self.spare.push(before);
            self.ready_for = self.version;
        }
        stuck
    }

    /// The candidates or chance events of the position at work.
    pub(super) fn next_moves(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        if self.ready_for == self.version {
            std::mem::swap(moves, &mut self.ready);
            self.ready_for = 0;
            return Ok(());
        }
        self.chance_events(moves)?;
        if moves.total == 0 {
            self.candidates(moves)?;
        }
        Ok(())
    }

    /// A move as text, for messages.
    fn show_move(&self, moves: &Moves<W>, pick: Pick) -> String {
        let clause =
            &self.clauses(moves.chance)[moves.segments[pick.segment as usize].clause as usize];
        let (name, _) = &self.plan.functors[clause.functor as usize];
        let args: Vec<String> =
            clause.head.iter().map(|t| self.show_argument(moves, pick, t)).collect();
        if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) }
    }

    fn show_argument(&self, moves: &Moves<W>, pick: Pick, term: &HeadTerm) -> String {
        let show_all =
            |codes: &[Code]| codes.iter().map(|c| self.show(*c)).collect::<Vec<_>>().join(", ");
        match term {
            HeadTerm::Operand(x) => match register_of(moves, pick, *x) {
                code if code >= SAVED => format!("[{}]", show_all(saved_items(moves, code))),
                code => self.show(code),
            },
            HeadTerm::List(items, tail) => {
                let mut parts: Vec<String> =
                    items.iter().map(|t| self.show_argument(moves, pick, t)).collect();
                if let Some(tail) = tail {
                    let rest = self.show_argument(moves, pick, tail);
                    let inner = rest.trim_start_matches('[').trim_end_matches(']');
                    if !inner.is_empty() {
                        parts.push(inner.to_string());
                    }
                }
                format!("[{}]", parts.join(", "))
            }
            HeadTerm::Compound(name, args) => {
                let args: Vec<String> =
                    args.iter().map(|t| self.show_argument(moves, pick, t)).collect();
                format!("{name}({})", args.join(", "))
            }
        }
    }

    fn is_busy(&self) -> bool {
        !(self.continuations.is_empty()
            && self.accumulators.is_empty()
            && self.collectors.is_empty()
            && self.lists.is_empty()
            && self.trail.is_empty()
            && self.tabling.is_empty())
    }

    /// Runs a question about the moves in the midst of another run.
    fn aside<T>(
        &mut self,
        ask: impl FnOnce(&mut Self, &mut Box<Moves<W>>) -> Result<T, ()>,
    ) -> Option<T> {
        let mut moves = self.spare.pop().unwrap_or_default();
        let floor = std::mem::replace(&mut self.floor, self.top);
        // most often nothing is at work that the question could disturb
        let stacks = self.is_busy().then(|| Stacks {
            continuations: std::mem::take(&mut self.continuations),
            accumulators: std::mem::take(&mut self.accumulators),
            collectors: std::mem::take(&mut self.collectors),
            lists: std::mem::take(&mut self.lists),
            tabling: std::mem::take(&mut self.tabling),
            trail: std::mem::take(&mut self.trail),
        });
        let (frame, top, steps, depth) = (self.frame, self.top, self.steps, self.depth);
        let (clause, chance, mode) = (self.clause, self.chance, self.mode);
        let result = ask(self, &mut moves);
        self.floor = floor;
        match stacks {
            Some(stacks) => {
                self.continuations = stacks.continuations;
                self.accumulators = stacks.accumulators;
                self.collectors = stacks.collectors;
                self.lists = stacks.lists;
                self.tabling = stacks.tabling;
                self.trail = stacks.trail;
            }
            None => self.empty_stacks(),
        }
        (self.frame, self.top, self.steps, self.depth) = (frame, top, steps, depth);
        if result.is_ok() {
            (self.clause, self.chance) = (clause, chance);
        }
        self.mode = mode;
        self.spare.push(moves);
        result.ok()
    }

    /// Is some legal move of this form? `None` on a fault.
    pub(super) fn some_legal(&mut self, pattern: u32) -> Option<bool> {
        self.legal_answers(pattern).map(|answers| !answers.is_empty())
    }

    /// The outputs of a pattern for each legal move that it matches.
    pub(super) fn legal_answers(&mut self, pattern: u32) -> Option<Vec<Tuple>> {
        let pattern = self.plan.patterns[pattern as usize].clone();
        // the pattern's operands are read in the frame that asks
        let wanted: Vec<Option<Code>> = pattern
            .arguments
            .iter()
            .map(|a| match a {
                PatternArgument::Equal(x) => Some(self.value(*x)),
                _ => None,
            })
            .collect();
        let (mut answers, lists) = self.aside(|machine, moves| {
            machine.legal(moves)?;
            let mut answers = Vec::new();
            let mut lists = Vec::new();
            if moves.chance {
                return Ok((answers, lists));
            }
            for pick in moves.picks() {
                let clause =
                    &machine.plan.moves[moves.segments[pick.segment as usize].clause as usize];
                if pattern.functor.is_some_and(|f| f != clause.functor) {
                    continue;
                }
                let mut answer: Tuple = Tuple::new();
                let mut fits = true;
                for (i, argument) in pattern.arguments.iter().enumerate() {
                    let code = machine.argument(moves, pick, &clause.head[i]);
                    match argument {
                        PatternArgument::Equal(_) => {
                            fits &= wanted[i].is_some_and(|w| machine.same(w, code));
                        }
                        PatternArgument::Out(_) => {
                            if code >= LISTS {
                                lists.push((answers.len(), answer.len(), machine.items(code)));
                            }
                            answer.push(code);
                        }
                        PatternArgument::Any => {}
                    }
                }
                if fits && !answers.contains(&answer) {
                    answers.push(answer);
                } else {
                    lists.retain(|(number, ..)| *number < answers.len());
                }
            }
            Ok((answers, lists))
        })?;
        // the arena of lists was another one there
        for (number, column, items) in lists {
            let items = items.unwrap_or_default();
            answers[number][column] = self.list_of(&items);
        }
        Some(answers)
    }

    /// A list of these items in the arena.
    fn list_of(&mut self, items: &[Code]) -> Code {
        let empty = self.plan.empty_list;
        items.iter().rev().fold(empty, |tail, item| self.cons(*item, tail))
    }
}

/// What is at work while a question is asked aside.
struct Stacks<'p> {
    continuations: Vec<Continuation<'p>>,
    accumulators: Vec<usize>,
    collectors: Vec<Collector>,
    lists: Vec<(Code, Code)>,
    tabling: super::calls::Tabling,
    trail: Vec<(u32, u64)>,
}

/// The value of a move's operand.
pub(super) fn register_of<const W: usize>(moves: &Moves<W>, pick: Pick, x: Operand) -> Code {
    match x {
        Operand::Const(code) => code,
        Operand::Reg(reg) => {
            let segment = &moves.segments[pick.segment as usize];
            match segment.last {
                Some((last, base)) if last == reg => base + Code::from(pick.bit),
                _ => moves.registers[segment.registers as usize + reg as usize],
            }
        }
    }
}

/// The items of a list that was saved with a move.
pub(super) fn saved_items<const W: usize>(moves: &Moves<W>, code: Code) -> &[Code] {
    let at = (code - SAVED) as usize;
    let len = moves.lists[at] as usize;
    &moves.lists[at + 1..at + 1 + len]
}
