//! Calls of procedures: plain, as sets, as floods, and tabled.
//!
//! A flood grows the set of a recursive relation semi-naively: the recursive clauses see only what
//! the last round added. Any other recursion of relations is tabled, see `tabling.rs`.

use crate::plan::{Answer, Argument, BlockId, Body, Code, Op, Operand, Procedure, Recursion, Reg};
use crate::program::{UNWOUND, call_text};

use super::collector::Collector;
use super::fault::{Fault, FaultKind};
use super::machine::{Continuation, Flow, Frame, Machine, Tuple};

/// The number of calls inside calls between two checks of the stack.
const CHECKED: usize = 16;
/// The stack is extended where fewer bytes than this are left.
const RED_ZONE: usize = 256 << 10;
/// The number of bytes by which the stack is extended.
const STACK: usize = 4 << 20;

impl<'p, const W: usize> Machine<'p, W> {
    /// Counts a nested call; true where the nesting is too deep or a budget is spent.
    fn descend(&mut self) -> bool {
        self.frames.depth += 1;
        if self.frames.depth > self.fuel.budget.depth {
            self.stop(FaultKind::Depth { call: None, comes_back: false });
            return true;
        }
        self.spend()
    }

    pub(super) fn inputs(&self, inputs: &[Operand]) -> Tuple {
        inputs.iter().map(|x| self.value(*x)).collect()
    }

    /// The instructions of a block.
    pub(super) fn block(&self, id: BlockId) -> &'p [Op] {
        &self.plan.blocks[id]
    }

    /// Runs what is called at this depth. Calls inside calls recurse, so the stack is extended where it is short.
    fn called<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.at_depth(self.frames.depth, run)
    }

    /// The same for what recurses once at each of these depths.
    pub(super) fn at_depth<T>(&mut self, depth: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        match depth.is_multiple_of(CHECKED) {
            true => stacker::maybe_grow(RED_ZONE, STACK, || run(self)),
            false => run(self),
        }
    }

    fn enter_clause(&mut self, clause: &Body, inputs: &[Code]) {
        self.enter(clause.registers.max(inputs.len() as u16), clause.sets);
        for (i, code) in inputs.iter().enumerate() {
            self.put(i as Reg, *code);
        }
    }

    /// Runs a block of the caller for each answer of a procedure that an instruction calls.
    pub(super) fn call(
        &mut self,
        op: &Op,
        number: u32,
        inputs: &[Operand],
        outs: &'p [Reg],
        body: &'p [Op],
    ) -> Flow {
        let procedure: &'p Procedure = &self.plan.procedures[number as usize];
        let given = self.inputs(inputs);
        let (frame, top) = (self.frames.current, self.frames.top);
        if !procedure.action {
            let Some(mut answers) = self.tuples(number, &given, Some(op)) else {
                return Flow::Stop;
            };
            if procedure.sorted {
                self.sort(&mut answers);
            }
            let mark = self.stacks.trail.len();
            for answer in answers {
                if self.spend() {
                    return Flow::Stop;
                }
                for (dst, code) in outs.iter().zip(&answer) {
                    self.put(*dst, *code);
                }
                if self.run(body) == Flow::Stop {
                    return Flow::Stop;
                }
                self.undo(mark);
            }
            return Flow::Back;
        }
        if self.descend() {
            return Flow::Stop;
        }
        let supposes = procedure.supposes;
        self.stacks.continuations.push(Continuation::Stream {
            body,
            frame,
            outs,
            supposes,
            cut: false,
        });
        let flow = self.supposing(supposes, |machine| {
            let mark = machine.stacks.trail.len();
            for clause in &procedure.clauses {
                machine.enter_clause(clause, &given);
                if machine.called(|m| m.run(m.block(clause.start))) == Flow::Stop {
                    return Flow::Stop;
                }
                machine.undo(mark);
                machine.frames.current = frame;
                machine.frames.top = top;
                let own = machine.stacks.continuations.last();
                if matches!(own, Some(Continuation::Stream { cut: true, .. })) {
                    break;
                }
            }
            Flow::Back
        });
        if flow == Flow::Stop {
            self.unwind(number, given);
            return Flow::Stop;
        }
        self.stacks.continuations.pop();
        self.frames.depth -= 1;
        Flow::Back
    }

    /// Notes a call that was left because calls are nested too deep, and whether one further in was the same.
    #[cold]
    fn unwind(&mut self, number: u32, given: Tuple) {
        let Some(Fault { kind: FaultKind::Depth { call, comes_back: false }, .. }) =
            self.fault.as_deref()
        else {
            return;
        };
        let first = call.is_none();
        if first {
            self.stacks.unwound.clear();
        }
        let known = self.stacks.unwound.iter().any(|(n, args)| *n == number && *args == given);
        if first || known {
            let procedure = &self.plan.procedures[number as usize];
            let mut inputs = given.iter();
            let shown = procedure.arguments.iter().map(|argument| match argument {
                Argument::Input => inputs.next().map_or("_".to_string(), |code| self.show(*code)),
                _ => "_".to_string(),
            });
            let shown: Vec<String> = shown.collect();
            let name = procedure.name.split('/').next().unwrap_or_default();
            let call = call_text(name, &shown);
            if let Some(fault) = &mut self.fault {
                fault.kind = FaultKind::Depth { call: Some((number, call)), comes_back: known };
            }
        }
        if self.stacks.unwound.len() < UNWOUND {
            self.stacks.unwound.push((number, given));
        }
    }

    /// All distinct answers of a relation, for the calling instruction.
    pub(super) fn tuples(
        &mut self,
        number: u32,
        given: &Tuple,
        asks: Option<&Op>,
    ) -> Option<Vec<Tuple>> {
        let procedure = &self.plan.procedures[number as usize];
        match procedure.recursion {
            Recursion::Tabled { component, .. } => self.tabled(number, given, component, asks),
            _ => {
                let clauses = (0..procedure.clauses.len()).map(|clause| (clause, ()));
                self.supposing(procedure.supposes, |machine| {
                    machine.evaluate(procedure, given, clauses, |_, ()| ())
                })
            }
        }
    }

    /// The distinct answers of these runs of clauses; `begin` is called before each.
    pub(super) fn evaluate<R>(
        &mut self,
        procedure: &'p Procedure,
        given: &Tuple,
        runs: impl Iterator<Item = (usize, R)>,
        begin: impl Fn(&mut Self, R),
    ) -> Option<Vec<Tuple>> {
        if self.descend() {
            return None;
        }
        let (frame, top) = (self.frames.current, self.frames.top);
        self.stacks.collectors.push(Collector::repeating(procedure.action));
        self.stacks.continuations.push(Continuation::Collect);
        for (number, run) in runs {
            let clause = &procedure.clauses[number];
            begin(self, run);
            self.enter_clause(clause, given);
            let flow = match procedure.answer {
                Answer::Test => match self.called(|m| m.exists(m.block(clause.start))) {
                    None => return None,
                    Some(found) => {
                        if found && let Some(collector) = self.stacks.collectors.last_mut() {
                            collector.add(0, Tuple::new());
                        }
                        Flow::Back
                    }
                },
                _ => self.called(|m| m.run(m.block(clause.start))),
            };
            if flow == Flow::Stop {
                return None;
            }
            self.frames.current = frame;
            self.frames.top = top;
        }
        self.stacks.continuations.pop();
        self.frames.depth -= 1;
        Some(self.stacks.collectors.pop()?.tuples)
    }

    /// Whether a procedure has an answer. `None` on a fault.
    pub(super) fn test(&mut self, op: &Op, number: u32, inputs: &[Operand]) -> Option<bool> {
        let procedure = &self.plan.procedures[number as usize];
        let given = self.inputs(inputs);
        if procedure.recursion != Recursion::None {
            return self.tuples(number, &given, Some(op)).map(|answers| !answers.is_empty());
        }
        if self.descend() {
            return None;
        }
        let found =
            self.supposing(procedure.supposes, |machine| machine.any_clause(procedure, &given))?;
        self.frames.depth -= 1;
        Some(found)
    }

    /// Whether a clause of a procedure has an answer. `None` on a fault.
    fn any_clause(&mut self, procedure: &'p Procedure, given: &[Code]) -> Option<bool> {
        let (frame, top) = (self.frames.current, self.frames.top);
        let mut found = false;
        for clause in &procedure.clauses {
            self.enter_clause(clause, given);
            found = self.called(|m| m.exists(m.block(clause.start)))?;
            self.frames.current = frame;
            self.frames.top = top;
            if found {
                break;
            }
        }
        Some(found)
    }

    /// The set that a procedure's clauses emit. `None` on a fault.
    pub(super) fn gather_call(&mut self, number: u32, inputs: &[Operand]) -> Option<[u64; W]> {
        let procedure = &self.plan.procedures[number as usize];
        let given = self.inputs(inputs);
        if self.descend() {
            return None;
        }
        let (frame, top) = (self.frames.current, self.frames.top);
        // a set register of its own, below the frames of the blocks
        let into = self.frames.top.sets;
        self.frames.top.sets += 1;
        if self.frames.top.sets > self.frames.sets.len() {
            self.frames.sets.resize(self.frames.top.sets * 2, [0; W]);
        }
        self.frames.sets[into] = [0; W];
        self.stacks.accumulators.push(into);
        let base = self.frames.top;
        let set = match &procedure.recursion {
            Recursion::Flood { seeds, round } => {
                self.flood(procedure, seeds, *round, &given, into, base)?
            }
            _ => {
                for clause in &procedure.clauses {
                    self.enter_clause(clause, &given);
                    if self.called(|m| m.run(m.block(clause.start))) == Flow::Stop {
                        return None;
                    }
                    self.frames.top = base;
                }
                self.frames.sets[into]
            }
        };
        self.stacks.accumulators.pop();
        self.frames.current = frame;
        self.frames.top = top;
        self.frames.depth -= 1;
        Some(set)
    }

    fn flood(
        &mut self,
        procedure: &'p Procedure,
        seeds: &[bool],
        round: Option<BlockId>,
        given: &[Code],
        into: usize,
        base: Frame,
    ) -> Option<[u64; W]> {
        for (clause, seed) in procedure.clauses.iter().zip(seeds) {
            if *seed {
                self.enter_clause(clause, given);
                if self.run(self.block(clause.start)) == Flow::Stop {
                    return None;
                }
                self.frames.top = base;
            }
        }
        let mut whole = self.frames.sets[into];
        let mut delta = whole;
        let mut first = true;
        while delta.iter().any(|w| *w != 0) {
            if self.spend() {
                return None;
            }
            self.frames.sets[into] = [0; W];
            for (clause, seed) in procedure.clauses.iter().zip(seeds) {
                if !*seed {
                    self.enter_clause(clause, given);
                    *self.set_at(0) = delta;
                    let start = round.filter(|_| !first).unwrap_or(clause.start);
                    if self.run(self.block(start)) == Flow::Stop {
                        return None;
                    }
                    self.frames.top = base;
                }
            }
            first = false;
            for i in 0..W {
                delta[i] = self.frames.sets[into][i] & !whole[i];
                whole[i] |= delta[i];
            }
        }
        Some(whole)
    }
}
