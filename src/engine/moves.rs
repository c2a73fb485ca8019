//! Generates, tries and ranks moves.
//!
//! Candidates of clauses that test after an update are tried on the state when their legality is
//! needed.

use smallvec::SmallVec;

use crate::plan::{
    CONSTANTS, Code, HeadTerm, LISTS, MoveClause, Operand, Rank, RankGroup, Reg, Risk,
};
use crate::program::FluentId;

use super::bits::bits;
use super::fault::FaultKind;
use super::machine::{Flow, MOST_ITEMS, Machine, Mode, Tuple};
use super::segments::{Moves, Pick, SAVED, Segment, register_of, saved_items};

/// The code of functor 0 in lists that stand for compounds; further functors have lesser codes.
const FUNCTORS: Code = -(CONSTANTS + (1 << 20));

impl<'p, const W: usize> Machine<'p, W> {
    pub(super) fn clauses(&self, chance: bool) -> &'p [MoveClause] {
        self.plan.clauses(chance)
    }

    /// The terminal instruction of a clause's generator. The register `origin` follows from the
    /// last one.
    pub(super) fn segment(
        &mut self,
        last: Option<(Reg, Code)>,
        origin: Reg,
        set: [u64; W],
    ) -> Flow {
        let count: u32 = match last {
            None => 1,
            Some(_) => set.iter().map(|w| w.count_ones()).sum(),
        };
        if count == 0 {
            return Flow::Back;
        }
        let registers = self.keep_registers();
        let clause = self.making.clause;
        let made = Segment::new(clause, last, set, count, registers);
        self.room.out.segments.push(Segment { origin, ..made });
        self.room.out.total += u64::from(count);
        if self.room.out.total > self.fuel.budget.answers as u64 {
            return self.stop(FaultKind::Moves);
        }
        if self.spend() {
            return Flow::Stop;
        }
        Flow::Back
    }

    /// The end of a move that is enumerated whole: its resulting state is stored.
    pub(super) fn record(&mut self) -> Flow {
        let registers = self.keep_registers();
        let trail = self.stacks.trail.len();
        self.finish_move();
        let result = self.room.out.results.len() as u32;
        self.room.out.results.extend_from_slice(&self.now.state);
        self.undo(trail);
        let clause = self.making.clause;
        let made = Segment::new(clause, None, [0; W], 1, registers);
        self.room.out.segments.push(Segment { result, tried: 1, ..made });
        self.room.out.total += 1;
        if self.room.out.total > self.fuel.budget.answers as u64
            || self.room.out.results.len() > 1 << 27
        {
            return self.stop(FaultKind::Moves);
        }
        if self.spend() {
            return Flow::Stop;
        }
        Flow::Back
    }

    /// Copies the registers that the move needs later; returns the index of the first.
    fn keep_registers(&mut self) -> u32 {
        let kept = self.clauses(self.making.chance)[self.making.clause as usize].kept as usize;
        let registers = self.room.out.registers.len() as u32;
        let from = self.frames.current.registers;
        for i in 0..kept {
            // the arena of lists does not outlive the generation
            let code = self.frames.registers[from + i];
            let code = if code >= LISTS { self.save_list(code) } else { code };
            self.room.out.registers.push(code);
        }
        registers
    }

    pub(super) fn save_list(&mut self, list: Code) -> Code {
        // tested before its parts, since lists that share parts may have very many
        if self.room.out.lists.len() >= MOST_ITEMS || self.fuel.drain(16) {
            self.fuel.exhaust();
            return self.plan.empty_list;
        }
        let mut saved = self.items(list).unwrap_or_default();
        for item in saved.iter_mut().filter(|item| **item >= LISTS) {
            *item = self.save_list(*item);
        }
        let at = self.room.out.lists.len() as Code;
        self.room.out.lists.push(saved.len() as Code);
        self.room.out.lists.extend_from_slice(&saved);
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
        self.tier_up();
        moves.clear(chance);
        // a test after an update compares with the position that the move starts from
        self.remember();
        self.making.mover = self.coded(self.plan.layout.place(FluentId::TURN), 0);
        std::mem::swap(&mut self.room.out, moves);
        self.making.chance = chance;
        let mut fine = true;
        for number in group {
            let clause = &self.clauses(chance)[*number as usize];
            self.making.clause = *number;
            if !clause.branching && self.native_generate(*number, chance) {
                continue;
            }
            self.frames.top = self.frames.floor;
            self.enter(clause.generate.registers, clause.generate.sets);
            if clause.branching && self.native_generate(*number, chance) {
                continue;
            }
            // a kept register that this path does not write must not have an old list, nor one of
            // machine code that has bailed out
            let from = self.frames.current.registers;
            self.frames.registers[from..from + clause.kept as usize].fill(0);
            let mark = self.stacks.trail.len();
            self.trailing = clause.updates;
            self.making.mode = Mode::Branch;
            let flow = self.run(self.block(clause.generate.start));
            self.leave_plan();
            self.undo(mark);
            self.trailing = false;
            if flow == Flow::Stop {
                fine = false;
                break;
            }
        }
        self.making.mode = Mode::Apply;
        self.forget();
        std::mem::swap(&mut self.room.out, moves);
        fine = fine && self.ended().is_ok();
        if fine { Ok(()) } else { Err(()) }
    }

    /// The possible chance events: none where none of them can be played to its end. They are legal
    /// except for tests after updates.
    pub(super) fn chance_events(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        let count = self.plan.chance.len();
        if count == 0 {
            moves.clear(true);
            return Ok(());
        }
        let group: SmallVec<[u16; 8]> = (0..count as u16).collect();
        self.generate(&group, true, moves)?;
        self.keep_possible(moves)
    }

    /// Removes chance events that are not possible.
    pub(super) fn keep_possible(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        self.settle(moves)?;
        let weighted = self.plan.chance.iter().any(|clause| clause.weight.is_some());
        let risky = self.strict && self.plan.chance.iter().any(|clause| self.is_risky(clause));
        if risky || self.chance_is_tested() {
            // a draw by weight must know them all
            if risky || weighted {
                self.keep_legal(moves)?;
            } else {
                self.any_legal(moves)?;
            }
        }
        if weighted { self.some_weight(moves) } else { Ok(()) }
    }

    /// A fault where there are events and none has a weight above 0. Where rule errors are looked for, all weights
    /// are evaluated, since any of them may be one.
    fn some_weight(&mut self, moves: &Moves<W>) -> Result<(), ()> {
        let picks = moves.picks();
        let mut possible = picks.is_empty();
        for pick in &picks {
            possible |= self.weight(moves, *pick)? > 0;
            if possible && !self.strict {
                break;
            }
        }
        if possible {
            return Ok(());
        }
        self.making.clause = moves.segments[picks[0].segment as usize].clause;
        self.making.chance = true;
        self.stop(FaultKind::Weightless);
        Err(())
    }

    fn chance_is_tested(&self) -> bool {
        self.plan.chance.iter().any(|clause| clause.tested)
    }

    /// Candidates for the player to move, of the highest rank that has any. They are legal except
    /// for tests after updates, unless ranks made it necessary to try them, and may come twice.
    pub(super) fn candidates(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        let groups: &'p [RankGroup] = &self.plan.groups;
        for (i, group) in groups.iter().enumerate() {
            self.generate(&group.clauses, false, moves)?;
            if group.computed {
                self.keep_best(group, moves)?;
            } else if i + 1 < groups.len() && !self.any_legal(moves)? {
                continue;
            }
            if moves.total > 0 || i + 1 == groups.len() {
                return self.look_at_lower(&groups[i + 1..]);
            }
        }
        moves.clear(false);
        Ok(())
    }

    /// Looks for rule errors of moves of lower ranks, which may be rule errors although they are
    /// not legal.
    fn look_at_lower(&mut self, groups: &[RankGroup]) -> Result<(), ()> {
        if !self.strict {
            return Ok(());
        }
        for group in groups {
            let clauses = || group.clauses.iter().map(|c| &self.plan.moves[*c as usize]);
            if !clauses().any(|c| c.faulty || self.is_risky(c) || c.repeats) {
                continue;
            }
            let mut moves = self.room.spare.pop().unwrap_or_default();
            let looked = self.generate(&group.clauses, false, &mut moves).and_then(|()| {
                self.settle(&mut moves)?;
                self.keep_legal(&mut moves)
            });
            self.room.spare.push(moves);
            looked?;
        }
        Ok(())
    }

    /// The legal moves of the position, or its chance events.
    pub(super) fn legal(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        self.chance_events(moves)?;
        if moves.total == 0 {
            self.candidates(moves)?;
            self.settle(moves)?;
            self.keep_legal(moves)?;
        } else if self.chance_is_tested() {
            self.keep_legal(moves)?;
        }
        Ok(())
    }

    /// Whether the updates of a clause may be a rule error in the current position.
    pub(super) fn is_risky(&self, clause: &MoveClause) -> bool {
        match &clause.risk {
            _ if clause.all_ways => true,
            Risk::Never => false,
            Risk::Outside(safe) => !safe.iter().all(|safe| {
                let coded = self.coded(self.plan.layout.place(safe.fluent), 0) as u64;
                (safe.from..=safe.to).contains(&coded)
            }),
            Risk::Always => true,
        }
    }

    /// Whether listing the moves of the current position may be a rule error.
    pub(super) fn is_careful(&self) -> bool {
        let risky = |clauses: &[MoveClause]| clauses.iter().any(|clause| self.is_risky(clause));
        self.facts.careful || risky(&self.plan.moves) || risky(&self.plan.chance)
    }

    /// Tries candidates until one is legal; those that are not are removed.
    pub(super) fn any_legal(&mut self, moves: &mut Moves<W>) -> Result<bool, ()> {
        let clauses = self.clauses(moves.chance);
        for number in 0..moves.segments.len() {
            loop {
                let segment = &moves.segments[number];
                if segment.count == 0 {
                    break;
                }
                if segment.tried() || !clauses[segment.clause as usize].tested {
                    return Ok(true);
                }
                let bit = match segment.last() {
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

    /// Removes the candidates that are not legal.
    pub(super) fn keep_legal(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        self.try_candidates(moves, false)
    }

    /// Removes the candidates that are not legal. Those of clauses that refuse none and cannot be a
    /// rule error are made and undone as well where `all`.
    pub(super) fn try_candidates(&mut self, moves: &mut Moves<W>, all: bool) -> Result<(), ()> {
        let clauses = self.clauses(moves.chance);
        // evaluated before the trials, which change the position
        let risky: SmallVec<[bool; 16]> = clauses.iter().map(|c| self.is_risky(c)).collect();
        let wanted = |segment: &Segment<W>| {
            let clause = &clauses[segment.clause as usize];
            !segment.tried() && (all || clause.tested || risky[segment.clause as usize])
        };
        if !moves.segments.iter().any(wanted) {
            return Ok(());
        }
        self.tick(32 * moves.total)?;
        self.refuel();
        self.remember();
        self.making.mover = self.turn_at_work();
        self.native_trials(moves, all);
        self.forget();
        for i in 0..moves.segments.len() {
            let segment = &moves.segments[i];
            if !wanted(segment) {
                continue;
            }
            for pick in segment.picks(i as u32) {
                if !self.survives(moves, pick)? {
                    moves.remove(pick);
                }
            }
            moves.segments[i].tried = 1;
        }
        Ok(())
    }

    /// Whether this candidate can be played to its end. The state is restored.
    fn survives(&mut self, moves: &Moves<W>, pick: Pick) -> Result<bool, ()> {
        self.trial(moves, pick, false)
    }

    /// Plays a candidate that may not be legal. The state is restored where it is not legal, or
    /// where not `keep`.
    pub(super) fn trial(&mut self, moves: &Moves<W>, pick: Pick, keep: bool) -> Result<bool, ()> {
        self.tick(32)?;
        self.room.before.clear();
        self.room.before.extend_from_slice(&self.now.state);
        let legal = self.play_kept(moves, pick, true);
        if !(keep && legal == Ok(true)) {
            self.forget();
            self.now.state.copy_from_slice(&self.room.before);
        }
        legal
    }

    /// Removes the candidates of a group with calculated ranks that are not of the highest rank.
    pub(super) fn keep_best(&mut self, group: &RankGroup, moves: &mut Moves<W>) -> Result<(), ()> {
        let mut clauses = group.clauses.iter().map(|c| &self.plan.moves[*c as usize]);
        if self.strict && (self.is_careful() || group.faulty) {
            self.settle(moves)?;
            self.keep_legal(moves)?;
        } else if group.faulty && !clauses.any(|clause| self.is_risky(clause)) {
            // a candidate that is not legal has no rank
            self.keep_legal(moves)?;
        }
        self.keep_highest(group, moves)
    }

    /// Whether [`Machine::keep_best`] would keep all of these candidates, which is known without their ranks.
    pub(super) fn keeps_all(&self, group: &RankGroup, segments: &[Segment<W>]) -> bool {
        let faults = group.faulty || (self.strict && self.is_careful());
        !faults && self.have_one_rank(group, segments)
    }

    /// Whether no candidate can have a higher rank than another. A rank that may be a rule error has to be
    /// computed even where there is a single one.
    fn have_one_rank(&self, group: &RankGroup, segments: &[Segment<W>]) -> bool {
        let mut fixed = None;
        let same =
            segments.iter().all(|segment| match self.plan.moves[segment.clause as usize].rank {
                Rank::Fixed(rank) => *fixed.get_or_insert(rank) == rank,
                Rank::Computed(_) => false,
            });
        let count = || segments.iter().map(|segment| segment.count).sum::<u32>();
        same || (!group.faulty && count() <= 1)
    }

    fn keep_highest(&mut self, group: &RankGroup, moves: &mut Moves<W>) -> Result<(), ()> {
        let plan = self.plan;
        if self.have_one_rank(group, &moves.segments) {
            return Ok(());
        }
        // candidates of a fixed rank need not be told apart
        let mut ranks: SmallVec<[(i64, u32, Option<Pick>); 16]> = SmallVec::new();
        for number in 0..moves.segments.len() as u32 {
            let segment = &moves.segments[number as usize];
            let clause = &plan.moves[segment.clause as usize];
            match clause.rank {
                Rank::Fixed(_) if segment.count == 0 => {}
                Rank::Fixed(rank) => ranks.push((rank, number, None)),
                Rank::Computed(procedure) => {
                    for pick in segment.picks(number) {
                        let rank = self.number(procedure, "rank", moves, pick, clause)?;
                        ranks.push((rank.unwrap_or(0), number, Some(pick)));
                    }
                }
            }
        }
        let mut best = ranks.iter().map(|(rank, ..)| *rank).max();
        while let Some(highest) = best {
            let mut found = false;
            for (_, number, pick) in ranks.iter().filter(|(rank, ..)| *rank == highest) {
                let segment = &moves.segments[*number as usize];
                let tested = plan.moves[segment.clause as usize].tested && !segment.tried();
                if found || !tested {
                    found = true;
                    continue;
                }
                let all = segment.picks(*number).filter(|one| pick.is_none_or(|pick| pick == *one));
                for pick in all {
                    found = found || self.survives(moves, pick)?;
                    if !found {
                        moves.remove(pick);
                    }
                }
            }
            if found {
                for (_, number, pick) in ranks.iter().filter(|(rank, ..)| *rank < highest) {
                    match pick {
                        Some(pick) => moves.remove(*pick),
                        None => moves.remove_all(*number),
                    }
                }
                break;
            }
            best = ranks.iter().map(|(rank, ..)| *rank).filter(|rank| *rank < highest).max();
        }
        Ok(())
    }

    /// The greatest number that a procedure gives for a move's arguments.
    pub(super) fn number(
        &mut self,
        procedure: u32,
        relation: &'static str,
        moves: &Moves<W>,
        pick: Pick,
        clause: &MoveClause,
    ) -> Result<Option<i64>, ()> {
        if let Some(number) = self.native_number(moves, pick) {
            self.tick(4)?;
            return Ok(number);
        }
        let mut args: SmallVec<[Operand; 8]> =
            clause.head.iter().map(|t| Operand::Const(self.argument(moves, pick, t))).collect();
        if self.plan.procedures[procedure as usize].arguments.len() > args.len() + 1 {
            args.push(Operand::Const(self.whole(moves, pick, clause)));
        }
        let answers = self.ask(procedure, &args)?;
        Ok(self.all_numbers(relation, &answers)?.into_iter().max())
    }

    /// The value of a move's operand.
    pub(super) fn operand_of(&self, moves: &Moves<W>, pick: Pick, x: Operand) -> Code {
        let Operand::Reg(reg) = x else { return register_of(moves, pick, x) };
        let number = moves.segments[pick.segment as usize].clause as usize;
        for found in &self.clauses(moves.chance)[number].found {
            if let Some(column) = found.outs.iter().position(|out| *out == reg) {
                let index = &self.plan.indexes[found.index as usize];
                let row = index.find(|i| self.operand_of(moves, pick, found.keys[i])).next();
                return row.map_or(0, |row| index.row(row)[column]);
            }
        }
        register_of(moves, pick, x)
    }

    /// An argument of a move as a code; its lists are added to the arena.
    pub(super) fn argument(&mut self, moves: &Moves<W>, pick: Pick, term: &HeadTerm) -> Code {
        match term {
            HeadTerm::Operand(x) => {
                let code = self.operand_of(moves, pick, *x);
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
            HeadTerm::Compound(name, args) => {
                let args: Tuple = args.iter().map(|arg| self.argument(moves, pick, arg)).collect();
                self.compound(name, &args)
            }
        }
    }

    /// A move as a value.
    pub(super) fn whole(&mut self, moves: &Moves<W>, pick: Pick, clause: &MoveClause) -> Code {
        let args: Tuple = clause.head.iter().map(|t| self.argument(moves, pick, t)).collect();
        let (name, _) = &self.plan.functors[clause.functor as usize];
        self.compound(name, &args)
    }

    /// A compound as a value: a constant where there is one, and otherwise a list that begins with
    /// the code of the functor.
    fn compound(&mut self, name: &str, args: &[Code]) -> Code {
        let known = self.plan.compounds.get(name);
        if let Some(code) = known.and_then(|all| all.get(args)) {
            return *code;
        }
        let mut names: Vec<&String> = self.plan.compounds.keys().collect();
        names.sort_unstable();
        let number = names.iter().position(|n| *n == name).unwrap_or(names.len());
        let mut items: Tuple = SmallVec::from_slice(&[FUNCTORS - number as Code]);
        items.extend_from_slice(args);
        self.list_of(&items)
    }

    pub(super) fn revive(&mut self, moves: &Moves<W>, code: Code) -> Code {
        if code < SAVED {
            return code;
        }
        let items: Tuple =
            saved_items(moves, code).iter().map(|item| self.revive(moves, *item)).collect();
        self.list_of(&items)
    }

    /// The candidates or chance events of the current position; candidates may come twice.
    pub(super) fn next_moves(&mut self, moves: &mut Box<Moves<W>>) -> Result<(), ()> {
        if self.cached.version == self.now.version {
            std::mem::swap(moves, &mut self.cached.moves);
            self.cached.version = 0;
            return Ok(());
        }
        if self.native_moves(moves) {
            return self.ended();
        }
        if !self.plan.chance.is_empty() {
            self.chance_events(moves)?;
            if moves.total > 0 {
                return Ok(());
            }
        }
        self.candidates(moves)
    }
}
