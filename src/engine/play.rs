//! Playing a move, and the end of the game.

use crate::plan::{Body, Code, LISTS, Operand, Reg};
use crate::program::{EndKind, FluentId};

use super::fault::FaultKind;
use super::machine::{Flow, Machine, Mode, Tuple};
use super::run::INTEGERS;
use super::segments::{Moves, Pick};

/// The end clause that held, and the players that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndHit {
    /// The kind of end; `None` for a position without a legal move to which no clause applies.
    pub kind: Option<EndKind>,
    /// The index of the clause in the plan's ends.
    pub number: usize,
    /// One bit per player: set for those that the clause names.
    pub players: u8,
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Plays a candidate on the current state, of which a copy is in `before` where `saved`. False
    /// where it is not legal; the state is then invalid, and the caller restores it.
    pub(super) fn apply(&mut self, moves: &Moves<W>, pick: Pick, saved: bool) -> Result<bool, ()> {
        self.now.version += 1;
        let segment = &moves.segments[pick.segment as usize];
        if let Some(at) = segment.result() {
            let len = self.now.state.len();
            self.now.state.copy_from_slice(&moves.results[at..at + len]);
            self.note_replaced();
            return Ok(true);
        }
        let clause = &self.clauses(moves.chance)[segment.clause as usize];
        self.making.chance = moves.chance;
        self.making.clause = segment.clause;
        let kept = segment.registers as usize..segment.registers as usize + clause.kept as usize;
        let registers = &moves.registers[kept];
        let plain = moves.lists.is_empty() || registers.iter().all(|code| *code < LISTS);
        let made = match plain {
            true => self.native_apply(segment, moves.chance, registers, pick.bit, saved),
            false => self.with_native_lists(moves, registers).and_then(|registers| {
                self.native_apply(segment, moves.chance, &registers, pick.bit, saved)
            }),
        };
        if let Some(made) = made {
            return Ok(made);
        }
        self.frames.top = self.frames.floor;
        self.enter(clause.generate.registers, clause.generate.sets);
        let (from, kept) = (segment.registers as usize, clause.kept as usize);
        let base = self.frames.current.registers;
        for i in 0..kept {
            self.frames.registers[base + i] = self.revive(moves, moves.registers[from + i]);
        }
        if let Some((reg, code)) = segment.last() {
            let code = code + Code::from(pick.bit);
            self.put(reg, code);
            if segment.origin != Reg::MAX {
                let origin = self.reg(segment.origin) + code;
                self.put(segment.origin, origin);
            }
        }
        let (depth, trail) = (self.frames.depth, self.stacks.trail.len());
        let trailing = self.trailing;
        self.making.mode = Mode::Apply;
        if clause.all_ways {
            (self.making.mode, self.trailing) = (Mode::Ways, true);
            self.begin_ways();
        }
        let flow = match clause.apply {
            Some(apply) => self.run(self.block(apply)),
            None => Flow::Stop,
        };
        self.trailing = trailing;
        self.leave_plan();
        // the end of the move is reached inside its calls
        self.frames.depth = depth;
        if self.fault.is_some() {
            return Err(());
        }
        self.ended()?;
        if clause.all_ways {
            self.undo(trail);
            if self.room.way.differs {
                let clause = clause.clause;
                return self.ambiguous(moves, pick, (clause, clause));
            }
            return Ok(self.take_way());
        }
        if flow == Flow::Back {
            return Ok(false);
        }
        self.stacks.continuations.clear();
        self.finish_move();
        Ok(true)
    }

    /// Forgets the ways of an earlier move.
    pub(super) fn begin_ways(&mut self) {
        self.room.way.state.clear();
        self.room.way.differs = false;
    }

    /// Keeps the state at the end of a way of the move that is played, or notes that it is another one than that of an
    /// earlier way, and goes back, as a later way may be another rule error. Updates are recorded on the trail.
    pub(super) fn keep_way(&mut self) -> Flow {
        let trail = self.stacks.trail.len();
        self.finish_move();
        let (state, way) = (&self.now.state, &mut self.room.way);
        // without the hash, which may be out of date
        let content = state.len() - 1;
        if way.state.is_empty() {
            way.state.extend_from_slice(state);
        } else if way.state[..content] != state[..content] {
            way.differs = true;
        }
        self.undo(trail);
        if self.spend() { Flow::Stop } else { Flow::Back }
    }

    /// Goes to the state to which all ways of a move lead; false where there is none.
    pub(super) fn take_way(&mut self) -> bool {
        let way = &self.room.way;
        if way.state.is_empty() {
            return false;
        }
        self.now.state.copy_from_slice(&way.state);
        self.note_replaced();
        true
    }

    /// Notes that the state has been replaced by one that was kept.
    fn note_replaced(&mut self) {
        self.now.changes.all = true;
        // native code may have recorded it
        self.now.hash_stale |= self.jit.native.is_some() && !self.plan.repetition;
    }

    /// The updates at the end of every move: the ply, the mover and the turn.
    pub(super) fn finish_move(&mut self) {
        let layout = &self.plan.layout;
        let turn = self.coded(layout.place(FluentId::TURN), 0);
        let ply = self.coded(layout.place(FluentId::PLY), 0);
        self.assign_aside(FluentId::PLY, ply + 1);
        let turned = self.turned();
        self.set_turned(false);
        if self.making.chance {
            return;
        }
        self.assign_aside(FluentId::MOVER, self.making.mover);
        if !turned {
            self.assign(FluentId::TURN, 0, self.plan.next_turn[turn]);
        }
    }

    /// Records the current position and plays a candidate on it; false where it is not legal.
    pub(super) fn play(&mut self, moves: &Moves<W>, pick: Pick) -> Result<bool, ()> {
        self.play_kept(moves, pick, false)
    }

    /// The same; a copy of the current state is in `before` where `kept`.
    pub(super) fn play_kept(
        &mut self,
        moves: &Moves<W>,
        pick: Pick,
        kept: bool,
    ) -> Result<bool, ()> {
        self.refuel();
        self.remember();
        self.making.mover = self.turn_at_work();
        self.apply(moves, pick, kept)
    }

    /// Adds the current position to the history, where the rules ask for repetitions.
    #[inline]
    pub(super) fn remember(&mut self) {
        if self.plan.repetition {
            let (whole, board) = (self.position_hash(), self.hash());
            self.now.history.push(whole, board);
        }
    }

    /// Undoes [`Machine::remember`].
    pub(super) fn forget(&mut self) {
        if self.plan.repetition {
            self.now.history.pop();
        }
    }

    /// The first end clause that holds. Whether there is a legal move is not examined.
    pub(super) fn end(&mut self) -> Result<Option<EndHit>, ()> {
        let plan = self.plan;
        if let Some(hit) = self.native_ends() {
            if hit.is_none() {
                self.now.changes.forget();
            }
            return Ok(hit.map(|(number, players)| self.hit(number, players)));
        }
        for (number, end) in plan.ends.iter().enumerate() {
            let mut players = 0u8;
            match end.kind {
                EndKind::Win | EndKind::Lose => {
                    for (i, player) in plan.players.iter().enumerate() {
                        if self.holds(&end.body, Some(*player))? {
                            players |= 1 << i;
                        }
                    }
                }
                EndKind::Draw | EndKind::Over => {
                    if self.holds(&end.body, None)? {
                        return Ok(Some(EndHit { kind: Some(end.kind), number, players: 0 }));
                    }
                }
            }
            if players != 0 {
                return Ok(Some(EndHit { kind: Some(end.kind), number, players }));
            }
        }
        self.now.changes.forget();
        Ok(None)
    }

    pub(super) fn hit(&self, number: usize, players: u8) -> EndHit {
        EndHit { kind: Some(self.plan.ends[number].kind), number, players }
    }

    /// How the game has ended in the current state, which includes positions without a legal move.
    pub(super) fn finished(&mut self) -> Result<Option<EndHit>, ()> {
        if let Some(hit) = self.end()? {
            return Ok(Some(hit));
        }
        match self.stuck() {
            None => Err(()),
            Some(false) => Ok(None),
            Some(true) => Ok(Some(EndHit { kind: None, number: self.plan.ends.len(), players: 0 })),
        }
    }

    /// One bit per player: set for the winners.
    pub(super) fn winners(&mut self, hit: EndHit) -> Result<u8, ()> {
        let all = ((1u16 << self.plan.players.len()) - 1) as u8;
        Ok(match (hit.kind, self.plan.score) {
            (Some(EndKind::Win), _) => hit.players,
            (Some(EndKind::Lose), _) => all & !hit.players,
            (Some(EndKind::Over), Some(score)) if all > 1 => {
                let scores = self.numbers(score, "score")?;
                let top = scores.iter().flatten().max();
                let best: u8 = scores
                    .iter()
                    .enumerate()
                    .filter(|(_, s)| s.is_some() && s.as_ref() == top)
                    .map(|(i, _)| 1 << i)
                    .sum();
                if best.count_ones() == 1 { best } else { 0 }
            }
            _ => 0,
        })
    }

    fn holds(&mut self, body: &Body, player: Option<Code>) -> Result<bool, ()> {
        self.refuel();
        self.frames.top = self.frames.floor;
        self.enter(body.registers.max(1), body.sets);
        if let Some(player) = player {
            self.put(0, player);
        }
        let flow = self.run(self.block(body.start));
        self.leave_plan();
        self.stacks.continuations.clear();
        self.stacks.accumulators.clear();
        self.stacks.collectors.clear();
        if self.fault.is_some() {
            return Err(());
        }
        self.ended()?;
        Ok(flow == Flow::Stop)
    }

    /// All answers of a procedure for these inputs, outside any block.
    pub(super) fn ask(&mut self, procedure: u32, inputs: &[Operand]) -> Result<Vec<Tuple>, ()> {
        self.frames.top = self.frames.floor;
        self.enter(1, 0);
        let given: Tuple = inputs.iter().map(|x| self.value(*x)).collect();
        self.refuel();
        let answers = self.tuples(procedure, &given, None).ok_or(())?;
        self.leave_plan();
        self.ended()?;
        Ok(answers)
    }

    /// The numbers that are a procedure's answers; a fault where one is not a number.
    pub(super) fn all_numbers(
        &mut self,
        relation: &'static str,
        answers: &[Tuple],
    ) -> Result<Vec<i64>, ()> {
        let numbers: Vec<Code> = answers.iter().filter_map(|t| t.first().copied()).collect();
        match numbers.iter().find(|code| !INTEGERS.contains(code)) {
            None => Ok(numbers),
            Some(code) => {
                let shown = self.show(*code);
                self.stop(FaultKind::NoNumber { relation, shown });
                Err(())
            }
        }
    }

    /// For each player the sum of the answers of `score(P, N)` or `value(P, N)`, if there are any.
    pub(super) fn numbers(
        &mut self,
        procedure: u32,
        relation: &'static str,
    ) -> Result<Vec<Option<i64>>, ()> {
        let players = self.plan.players.clone();
        let mut all = Vec::new();
        for player in players {
            if let Some(sum) = self.native_sum(procedure, player) {
                all.push(sum);
                continue;
            }
            let answers = self.ask(procedure, &[Operand::Const(player)])?;
            let numbers = self.all_numbers(relation, &answers)?;
            let sum = || numbers.iter().fold(0i64, |sum, n| sum.saturating_add(*n));
            all.push((!numbers.is_empty()).then(sum));
        }
        Ok(all)
    }
}
