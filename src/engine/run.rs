//! The instruction loop.
//!
//! A test that fails returns `Back` to the generator around it; a generator runs its body once for
//! each answer. So the nest of loops of a clause is the nest of calls of `run`, and everything
//! between two generators is a plain loop over instructions.

use crate::plan::universe::MAX_INTEGER;
use crate::plan::{Code, LISTS, Op, Operand, Reg};
use crate::program::{Aggregate, ArithmeticOp, FluentId};

use super::fault::FaultKind;
use super::machine::{Continuation, Flow, Machine, Mode, Tuple};

/// The codes of integers.
pub(super) const INTEGERS: std::ops::RangeInclusive<Code> = -MAX_INTEGER..=MAX_INTEGER;

impl<'p, const W: usize> Machine<'p, W> {
    /// Runs a block and what follows it.
    pub(super) fn run(&mut self, block: &'p [Op]) -> Flow {
        let plan = self.plan;
        let mut ops = block.iter();
        while let Some(op) = ops.next() {
            let holds = match op {
                Op::Load { dst, set } => {
                    *self.set_at(*dst) = self.set(set);
                    true
                }
                Op::And { dst, set } => {
                    let other = self.set(set);
                    let mine = self.set_at(*dst);
                    (0..W).for_each(|i| mine[i] &= other[i]);
                    true
                }
                Op::AndNot { dst, set } => {
                    let other = self.set(set);
                    let mine = self.set_at(*dst);
                    (0..W).for_each(|i| mine[i] &= !other[i]);
                    true
                }
                Op::Remove { dst, base, x } => {
                    let index = self.value(*x).wrapping_sub(*base);
                    if (0..(W * 64) as i64).contains(&index) {
                        self.set_at(*dst)[index as usize / 64] &= !(1 << (index % 64));
                    }
                    true
                }
                Op::Gather { dst, body } => {
                    *self.set_at(*dst) = [0; W];
                    let at = self.frames.current.sets + *dst as usize;
                    self.stacks.accumulators.push(at);
                    let flow = self.run(&plan.blocks[*body]);
                    self.stacks.accumulators.pop();
                    if flow == Flow::Stop {
                        return Flow::Stop;
                    }
                    true
                }
                Op::GatherCall { dst, procedure, inputs } => {
                    match self.gather_call(*procedure, inputs) {
                        Some(set) => *self.set_at(*dst) = set,
                        None => return Flow::Stop,
                    }
                    true
                }
                Op::Each { set, base, dst, orbit, body } => {
                    return self.each(self.set(set), *base, *dst, *orbit, &plan.blocks[*body]);
                }
                Op::Rows { index, keys, outs, body } => {
                    return self.rows(*index, keys, outs, &plan.blocks[*body]);
                }
                Op::Integers { dst, lo, hi, body } => {
                    let range = self.value(*lo)..=self.value(*hi);
                    return self.integers(range, *dst, &plan.blocks[*body]);
                }
                Op::Keys { fluent, outs, body } => {
                    return self.keys(*fluent, outs, &plan.blocks[*body]);
                }
                Op::Members { dst, list, body } => {
                    return self.members(*list, *dst, &plan.blocks[*body]);
                }
                Op::Call { procedure, inputs, outs, body } => {
                    return self.call(op, *procedure, inputs, outs, &plan.blocks[*body]);
                }
                Op::Legal { pattern, inputs, outs, body } => {
                    return self.each_legal(*pattern, inputs, outs, &plan.blocks[*body]);
                }
                Op::Copy { dst, x } => {
                    let code = self.value(*x);
                    self.put(*dst, code);
                    true
                }
                Op::Read { dst, fluent, keys } => {
                    let place = plan.layout.place(*fluent);
                    match self.cell(place, keys).map(|cell| self.coded(place, cell)) {
                        Some(coded) if coded > 0 => {
                            let code = place.value.as_ref().map_or(0, |axis| axis.code(coded - 1));
                            self.put(*dst, code);
                            true
                        }
                        _ => false,
                    }
                }
                Op::Find { index, keys, outs } => {
                    let index = &plan.indexes[*index as usize];
                    match index.find(|i| self.value(keys[i])).next() {
                        Some(number) => {
                            for (dst, code) in outs.iter().zip(index.row(number)) {
                                self.put(*dst, *code);
                            }
                            true
                        }
                        None => false,
                    }
                }
                Op::Calculate { dst, op, a, b, source } => {
                    let (a, b) = (self.value(*a), self.value(*b));
                    let unary =
                        matches!(op, ArithmeticOp::Negate | ArithmeticOp::Abs | ArithmeticOp::Sign);
                    let numbers = INTEGERS.contains(&a) && INTEGERS.contains(&b);
                    let result = if unary { op.apply(&[a]) } else { op.apply(&[a, b]) };
                    match result.filter(|n| numbers && INTEGERS.contains(n)) {
                        Some(n) => {
                            self.put(*dst, n);
                            true
                        }
                        None => return self.stop(FaultKind::Arithmetic { source: *source }),
                    }
                }
                Op::Length { dst, list } => match self.items(self.value(*list)) {
                    Some(items) => {
                        self.put(*dst, items.len() as Code);
                        true
                    }
                    None => false,
                },
                Op::MakeList { dst, items, tail } => {
                    self.make_list(*dst, items, *tail);
                    true
                }
                Op::TakeList { list, head, tail } => self.take(self.value(*list), *head, *tail),
                Op::Count { dst, set } => {
                    let count: u32 = self.set(set).iter().map(|w| w.count_ones()).sum();
                    self.put(*dst, Code::from(count));
                    true
                }
                Op::Collect { dst, kind, body, source } => {
                    match self.collect(*kind, &plan.blocks[*body], *source) {
                        Ok(Some(code)) => {
                            self.put(*dst, code);
                            true
                        }
                        Ok(None) => false,
                        Err(()) => return Flow::Stop,
                    }
                }
                Op::In { x, base, set, negate } => {
                    let index = self.value(*x).wrapping_sub(*base);
                    let inside =
                        (0..(W * 64) as i64).contains(&index) && self.contains(set, index as usize);
                    inside != *negate
                }
                Op::NonEmpty { set, negate } => self.set(set).iter().any(|w| *w != 0) != *negate,
                Op::Subset { part, whole, negate } => {
                    let (part, whole) = (self.set(part), self.set(whole));
                    (0..W).all(|i| part[i] & !whole[i] == 0) != *negate
                }
                Op::AnyRow { masks, count, whole, through, guarded, negate } => {
                    let whole = self.set(whole);
                    let rows = (*masks as usize, *count as usize);
                    let found = self.any_row(rows, &whole, *through);
                    self.now.changes.outlived |= found && *guarded;
                    found != *negate
                }
                Op::Holds { fluent, keys, value, negate } => {
                    let place = plan.layout.place(*fluent);
                    let coded = self.cell(place, keys).map_or(0, |cell| self.coded(place, cell));
                    let holds = match value {
                        None => coded > 0,
                        Some(x) => {
                            coded > 0
                                && place.value.as_ref().is_some_and(|axis| {
                                    axis.index(self.value(*x)) == Some(coded - 1)
                                })
                        }
                    };
                    holds != *negate
                }
                Op::Defined { fluent, keys, negate } => {
                    let place = plan.layout.place(*fluent);
                    let defined =
                        self.cell(place, keys).is_some_and(|cell| self.coded(place, cell) > 0);
                    defined != *negate
                }
                Op::Has { index, keys, negate } => {
                    let index = &plan.indexes[*index as usize];
                    index.find(|i| self.value(keys[i])).is_empty() == *negate
                }
                Op::Same { a, b, negate } => self.same(self.value(*a), self.value(*b)) != *negate,
                Op::Compare { op, a, b, source } => {
                    let (a, b) = (self.value(*a), self.value(*b));
                    if !INTEGERS.contains(&a) || !INTEGERS.contains(&b) {
                        return self.stop(FaultKind::Arithmetic { source: *source });
                    }
                    op.holds(a, b)
                }
                Op::Between { x, lo, hi } => {
                    let x = self.value(*x);
                    self.value(*lo) <= x && x <= self.value(*hi)
                }
                Op::InList { x, list } => {
                    let x = self.value(*x);
                    let items = self.items(self.value(*list)).unwrap_or_default();
                    items.iter().any(|item| self.same(*item, x))
                }
                Op::IsEmpty { x } => {
                    self.items(self.value(*x)).is_some_and(|items| items.is_empty())
                }
                Op::Test { procedure, inputs, negate } => match self.test(op, *procedure, inputs) {
                    Some(found) => found != *negate,
                    None => return Flow::Stop,
                },
                Op::Exists { body, negate } => match self.exists(&plan.blocks[*body]) {
                    Some(found) => found != *negate,
                    None => return Flow::Stop,
                },
                Op::Repeated { times, board } => {
                    let times = self.value(*times);
                    self.repeated(times, *board)
                }
                Op::Stuck => match self.stuck() {
                    Some(stuck) => stuck,
                    None => return Flow::Stop,
                },
                Op::SomeLegal { pattern, inputs } => {
                    match self.some_legal(*pattern, &self.inputs(inputs)) {
                        Some(found) => found,
                        None => return Flow::Stop,
                    }
                }
                Op::Probe { number } => {
                    if let Some(probes) = self.probes {
                        probes.pass(*number);
                    }
                    true
                }
                Op::Branch { ways, .. } => {
                    let mark = self.stacks.trail.len();
                    for way in ways {
                        if self.run(&plan.blocks[*way]) == Flow::Stop {
                            return Flow::Stop;
                        }
                        self.undo(mark);
                    }
                    return Flow::Back;
                }
                Op::If { condition, then, otherwise, .. } => {
                    let way = match self.exists(&plan.blocks[*condition]) {
                        Some(true) => then,
                        Some(false) => otherwise,
                        None => return Flow::Stop,
                    };
                    ops = plan.blocks[*way].iter();
                    true
                }
                Op::Once { body } => match self.exists(&plan.blocks[*body]) {
                    Some(found) => found,
                    None => return Flow::Stop,
                },
                Op::Round { body: next } | Op::Continue { rest: next } => {
                    ops = plan.blocks[*next].iter();
                    true
                }
                Op::Assign { fluent, keys, value, source } => {
                    match self.update(*fluent, keys, Some(*value), *source) {
                        Ok(()) => true,
                        Err(flow) => return flow,
                    }
                }
                Op::Clear { fluent, keys, source } => {
                    match self.update(*fluent, keys, None, *source) {
                        Ok(()) => true,
                        Err(flow) => return flow,
                    }
                }
                Op::Set { fluent, keys, on, source } => {
                    let place = plan.layout.place(*fluent);
                    match self.allowed_cell(place, keys) {
                        Some(cell) => self.assign(*fluent, cell, usize::from(*on)),
                        None => return self.outside(*fluent, keys, *source),
                    }
                    true
                }
                Op::Again => {
                    self.set_turned(true);
                    true
                }
                Op::Cut => {
                    let own = self.stacks.continuations.last_mut();
                    if let Some(Continuation::Stream { cut, .. }) = own {
                        *cut = true;
                    }
                    true
                }
                Op::ForEach { goal, registers, action } => {
                    match self.for_each(&plan.blocks[*goal], registers, &plan.blocks[*action]) {
                        Some(done) => done,
                        None => return Flow::Stop,
                    }
                }
                Op::Fail => false,
                Op::Succeed => return Flow::Stop,
                Op::Emit { set } => {
                    let set = self.set(set);
                    self.emit(set);
                    return Flow::Back;
                }
                Op::EmitOne { x, base } => {
                    let index = self.value(*x).wrapping_sub(*base);
                    if (0..(W * 64) as i64).contains(&index) {
                        let mut set = [0; W];
                        set[index as usize / 64] = 1 << (index % 64);
                        self.emit(set);
                    }
                    return Flow::Back;
                }
                Op::EmitImage { images, keys, source, filters } => {
                    self.emit_image(*images, keys, source, filters);
                    return Flow::Back;
                }
                Op::EmitJoint { joints, sets } => {
                    self.emit_joint(*joints, sets);
                    return Flow::Back;
                }
                Op::Yield { template, distinct } => {
                    self.gather_answer(*template, distinct);
                    return Flow::Back;
                }
                Op::Return { outs } => return self.give(outs),
                Op::Segment { set, base, dst } => {
                    let set = self.set(set);
                    return self.segment(Some((*dst, *base)), Reg::MAX, set);
                }
                Op::SegmentImage { images, keys, source, filters, from, to } => {
                    return self.segment_image(*images, keys, source, filters, *from, *to);
                }
                Op::Single => return self.segment(None, Reg::MAX, [0; W]),
                Op::Commit => {
                    return match self.making.mode {
                        Mode::Apply => Flow::Stop,
                        Mode::Branch => self.record(),
                        Mode::Ways => self.keep_way(),
                    };
                }
            };
            if !holds {
                return Flow::Back;
            }
        }
        Flow::Back
    }

    #[inline]
    pub(super) fn emit(&mut self, set: [u64; W]) {
        if let Some(at) = self.stacks.accumulators.last() {
            let into = &mut self.frames.sets[*at];
            (0..W).for_each(|i| into[i] |= set[i]);
        }
    }

    /// Runs a block to its first answer; the bindings stay. `None` on a fault.
    pub(super) fn exists(&mut self, body: &'p [Op]) -> Option<bool> {
        let mark = self.mark();
        let found = self.run(body) == Flow::Stop;
        if self.fault.is_some() {
            return None;
        }
        if found {
            self.restore(mark);
        }
        Some(found)
    }

    /// The distinct answers of a block that yields.
    pub(super) fn answers(&mut self, goal: &'p [Op]) -> Option<Vec<Tuple>> {
        self.stacks.collectors.push(super::collector::Collector::default());
        let flow = self.run(goal);
        let collector = self.stacks.collectors.pop()?;
        if flow == Flow::Stop { None } else { Some(collector.tuples) }
    }

    #[inline(never)]
    fn collect(
        &mut self,
        kind: Aggregate,
        body: &'p [Op],
        source: u32,
    ) -> Result<Option<Code>, ()> {
        self.stacks.collectors.push(super::collector::Collector::default());
        let flow = self.run(body);
        let Some(collector) = self.stacks.collectors.pop() else { return Err(()) };
        if flow == Flow::Stop {
            return Err(());
        }
        let numbers = collector.templates.iter().copied();
        let result = match kind {
            Aggregate::Count => Some(collector.templates.len() as Code),
            Aggregate::Max => numbers.max(),
            Aggregate::Min => numbers.min(),
            Aggregate::Sum | Aggregate::Findall | Aggregate::Groups(_) => {
                match numbers.into_iter().try_fold(0i64, i64::checked_add) {
                    Some(sum) if INTEGERS.contains(&sum) => Some(sum),
                    _ => {
                        self.stop(FaultKind::Arithmetic { source });
                        return Err(());
                    }
                }
            }
        };
        Ok(result)
    }

    #[inline(never)]
    fn take(&mut self, list: Code, head: u16, tail: u16) -> bool {
        if list >= LISTS {
            let (first, rest) = self.stacks.lists[(list - LISTS) as usize];
            self.put(head, first);
            self.put(tail, rest);
            return true;
        }
        let Some((first, rest)) = self.plan.parts.get(&list) else { return false };
        self.put(head, *first);
        self.put(tail, *rest);
        true
    }

    fn allowed_cell(&self, place: &crate::plan::Place, keys: &[Operand]) -> Option<usize> {
        let cell = self.cell(place, keys)?;
        match &place.allowed_keys {
            Some(allowed) if !allowed[cell] => None,
            _ => Some(cell),
        }
    }

    #[inline(never)]
    fn update(
        &mut self,
        fluent: FluentId,
        keys: &[Operand],
        value: Option<Operand>,
        source: u32,
    ) -> Result<(), Flow> {
        let place = self.plan.layout.place(fluent);
        let Some(cell) = self.allowed_cell(place, keys) else {
            return Err(self.outside(fluent, keys, source));
        };
        let coded = match value {
            None => place.initial.map_or(0, |i| i + 1),
            Some(x) => {
                let code = self.value(x);
                let index = place.value.as_ref().and_then(|axis| axis.index(code));
                let allowed = |i: &usize| place.allowed_values.as_ref().is_none_or(|a| a[*i]);
                match index.filter(allowed) {
                    Some(index) => index + 1,
                    None => {
                        let (fluent, shown) = (place.name.clone(), self.show(code));
                        let kind = FaultKind::Domain { source, fluent, shown, key: false };
                        return Err(self.stop(kind));
                    }
                }
            }
        };
        if fluent == FluentId::TURN {
            self.set_turned(true);
        }
        self.assign(fluent, cell, coded);
        Ok(())
    }

    #[inline(never)]
    fn outside(&mut self, fluent: FluentId, keys: &[Operand], source: u32) -> Flow {
        let shown: Vec<String> = keys.iter().map(|k| self.show(self.value(*k))).collect();
        let fluent = self.plan.layout.place(fluent).name.clone();
        self.stop(FaultKind::Domain { source, fluent, shown: shown.join(", "), key: true })
    }

    /// A code as text, for messages.
    pub(super) fn show(&self, code: Code) -> String {
        match self.items(code) {
            Some(items) => {
                let items: Vec<String> = items.iter().map(|c| self.show(*c)).collect();
                format!("[{}]", items.join(", "))
            }
            None if code < LISTS => {
                self.plan.names.get(&code).cloned().unwrap_or_else(|| code.to_string())
            }
            None => code.to_string(),
        }
    }

    /// Whether the current position has occurred at least `times` times, now included.
    pub(super) fn repeated(&self, times: Code, board: bool) -> bool {
        self.now.history.repeats((self.position_hash(), self.hash()), board, times)
    }

    /// Passes an answer to the caller of the running procedure.
    #[inline(never)]
    fn give(&mut self, outs: &'p [Operand]) -> Flow {
        let tuple: Tuple = outs.iter().map(|x| self.value(*x)).collect();
        match self.stacks.continuations.pop() {
            Some(Continuation::Stream { body, frame, outs, supposes, cut }) => {
                let here = self.frames.current;
                self.frames.current = frame;
                let left = supposes.then(|| self.leave_supposing());
                let mark = self.stacks.trail.len();
                for (dst, code) in outs.iter().zip(&tuple) {
                    self.put(*dst, *code);
                }
                // each answer of a recursion is passed through all of its calls
                let depth = self.stacks.continuations.len();
                if self.at_depth(depth, |machine| machine.run(body)) == Flow::Stop {
                    return Flow::Stop;
                }
                self.frames.current = here;
                if let Some(left) = left {
                    self.undo(mark);
                    self.suppose_again(&left);
                }
                self.stacks.continuations.push(Continuation::Stream {
                    body,
                    frame,
                    outs,
                    supposes,
                    cut,
                });
                Flow::Back
            }
            Some(Continuation::Collect) => {
                // stored answers take memory
                self.fuel.drain(4);
                if let Some(collector) = self.stacks.collectors.last_mut() {
                    collector.add(0, tuple);
                }
                self.stacks.continuations.push(Continuation::Collect);
                Flow::Back
            }
            None => Flow::Back,
        }
    }
}
