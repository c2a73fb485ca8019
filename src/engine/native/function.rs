//! A function under construction: its values, its memory, and how it begins and ends.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AliasRegion, AliasRegionData, Block, InstBuilder, MemFlagsData, StackSlot, StackSlotData,
    StackSlotKind, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::{FuncId, Module};
use smallvec::SmallVec;

use crate::plan::{BlockId, Code, KeyRange, Operand, Plan, Reg};
use crate::program::FluentId;

use super::checks::Checks;
use super::closure::Delta;
use super::context::Context;
use super::module::{BAILED, FunctionKind, Job, ModuleBuilder};
use super::supposed::Form;

/// The reason why a part of the plan has no native form.
pub(super) struct Unsupported(pub &'static str);
pub(super) type Emitted<T = ()> = Result<T, Unsupported>;

/// The most bytes of one function's slots on the stack.
pub(super) const FRAME: usize = 1 << 17;
/// A function with more bytes of slots first tests whether the stack has room.
const LEAF: usize = 512;
/// The deepest nesting of blocks, which bounds the recursion of the code generator.
const NESTED: usize = 64;
/// The most instructions of one function, so that compiling it does not delay an interruption too
/// long.
pub(super) const LONGEST: usize = 15_000;

/// The words of a set.
pub(super) type Words = SmallVec<[Value; 2]>;

/// A number, with the range in which it is known to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub value: Value,
    pub lo: i64,
    pub hi: i64,
}

impl Number {
    pub fn constant(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn within(self, lo: i64, hi: i64) -> bool {
        lo <= self.lo && self.hi <= hi
    }
}

/// Kinds of memory that do not overlap.
#[derive(Debug, Clone, Copy)]
pub(super) enum Region {
    State = 0,
    Context = 1,
    Moves = 2,
    Answers = 3,
    Changed = 4,
    /// Slots of functions, which their callees are given.
    Frames = 5,
    Trail = 6,
    Lists = 7,
    /// Random numbers.
    Numbers = 8,
    /// The state before a candidate that is tried.
    Before = 9,
}

/// Where control continues after an answer of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Succeed {
    None,
    To(Block),
    /// The function returns to its caller.
    Caller,
}

/// Where the room for answers is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    Slot(StackSlot),
    /// In another function, at the address in this variable; the count is kept at this place of the
    /// frame that the current function continues.
    Frame(Variable, usize),
    /// In the caller, at the address in this variable; the count is what the function returns.
    Caller(Variable),
}

/// Where distinct answers are collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Collected {
    pub base: Base,
    /// The number of words of the room.
    pub words: usize,
    pub count: Variable,
    /// The number of codes of one answer: the template, then the values that tell it apart.
    pub width: usize,
    /// An answer may come twice.
    pub repeats: bool,
    /// The bits of known answers, where few are possible: an index into [`Rooms::seen`].
    pub seen: Option<usize>,
}

/// The answers of a closure: its procedure, the inputs and where they are collected.
pub(super) type Shared = (u32, Box<[Operand]>, Collected);

/// One bit for each possible answer.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub slot: StackSlot,
    pub words: usize,
    pub ranges: Vec<KeyRange>,
}

/// Where the answers of `Return` go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answers {
    None,
    Collected(Collected),
    /// To the code behind the call.
    Stream,
    /// One is enough.
    First(Block),
}

/// The environment in which a block is compiled.
#[derive(Debug, Clone)]
pub(super) struct Env {
    /// The numbers of its first register and first set in the function.
    pub registers: usize,
    pub sets: usize,
    /// How many registers and sets it has.
    pub size: (usize, usize),
    /// Ranges of registers, by their number in the function.
    pub known: Vec<Option<(i64, i64)>>,
    pub succeed: Succeed,
    /// The first variable of the set that is being gathered.
    pub emit: Option<usize>,
    /// Where to continue once any element has been gathered, if that is enough.
    pub some: Option<Block>,
    pub collect: Option<Collected>,
    pub answers: Answers,
    /// A round of a flood along lines is written: the first set variable of what is reached so far.
    pub ray: Option<usize>,
    /// The answer that a recursive call reads.
    pub delta: Option<Delta>,
    /// Only the way to the first update is compiled, and it continues here.
    pub guard: Option<Block>,
    /// Where control goes if a clause fails behind a cut; none where updates are undone.
    pub cut: Option<Block>,
    /// Where the current way meets others: an index into [`Function::joins`].
    pub join: Option<usize>,
    /// The procedure whose updates are supposed, before the first of them.
    pub supposes: Option<(u32, Form)>,
}

impl Env {
    /// The same environment for an inner block, with another destination of its answers.
    pub fn inner(&self, succeed: Succeed) -> Env {
        Env {
            succeed,
            guard: None,
            cut: None,
            some: None,
            join: None,
            supposes: None,
            ..self.clone()
        }
    }
}

/// Where several ways of a block meet.
pub(super) struct Join {
    pub block: Block,
    pub resume: Variable,
    /// The blocks to which control returns, one for each way that arrives here.
    pub fails: Vec<Block>,
}

/// How a function is joined to those that call it, and to itself.
#[derive(Default)]
pub(super) struct Link {
    /// Where answers of an action go: function and frame.
    pub continuation: Option<(Value, Value)>,
    /// The beginning of an action that is run forward, with its inputs, for calls of itself.
    pub again: Option<(Block, Vec<Variable>)>,
    /// How many rounds of loops that stand for calls are left.
    pub rounds: Option<Variable>,
    /// The frame that this function continues.
    pub frame: Option<Value>,
    /// The set that it gathers for its caller, and the place in that frame where it is kept.
    pub gathers: Option<(usize, usize)>,
}

/// Room for collected answers, and the answers that have been collected.
#[derive(Default)]
pub(super) struct Rooms {
    /// Words for the answers that the function collects.
    pub collections: usize,
    /// The rooms that are in use, and those that are not any more.
    pub taken: Vec<(StackSlot, usize)>,
    pub free: Vec<(StackSlot, usize)>,
    /// Tables of known answers.
    pub seen: Vec<Seen>,
    /// The answers of closures that later clauses of the same relation can read: for each relation
    /// being compiled, the innermost last.
    pub shared: Vec<Vec<Shared>>,
    /// Sets that have been gathered before a flood's first round: the call's procedure and inputs,
    /// and the first set variable.
    pub gathered: Vec<(u32, Box<[Operand]>, usize)>,
}

/// The blocks in which a function begins and ends.
pub(super) struct Exits {
    /// Where its work begins, after the test of the stack.
    body: Block,
    pub exit: Block,
    /// Where it bails out, from the current hypothesis and from outside of any.
    pub bail: Block,
    pub own_bail: Block,
}

pub(super) struct Function<'f, 'u, 'p> {
    pub b: FunctionBuilder<'f>,
    pub module: &'u mut ModuleBuilder<'p>,
    pub plan: &'p Plan,
    /// Words of a set.
    pub w: usize,
    pub kind: FunctionKind,
    pub context: Value,
    pub state: Value,
    pub trailing: bool,
    pub registers: Vec<Variable>,
    pub sets: Vec<Variable>,
    pub joins: Vec<Join>,
    pub steps: Variable,
    /// Steps have been counted.
    pub stepped: bool,
    pub link: Link,
    pub segment: Option<(Variable, Variable, Variable)>,
    /// Where a playout continues after an inlined move.
    pub played: Option<Block>,
    pub rooms: Rooms,
    /// How many copies of the current code are made for different constants.
    pub copies: usize,
    /// The body of the call that each way through the relation's clauses begins with.
    pub begins_with: Option<BlockId>,
    pub exits: Exits,
    /// It calls other functions.
    pub calls: bool,
    /// Bytes of its slots.
    pub slots: usize,
    /// The current nesting of blocks.
    nested: usize,
    pub checks: Checks,
    regions: [AliasRegion; 10],
}

impl<'f, 'u, 'p> Function<'f, 'u, 'p> {
    /// Compiles the function of a job; the builder is in its first block.
    pub fn emit(
        mut b: FunctionBuilder<'f>,
        module: &'u mut ModuleBuilder<'p>,
        job: &Job,
    ) -> Emitted {
        let entry = b.current_block().ok_or(Unsupported("no first block"))?;
        let parameters: Vec<Value> = b.block_params(entry).to_vec();
        let names = [
            "state", "context", "moves", "answers", "changed", "frames", "trail", "lists",
            "numbers", "before",
        ];
        let mut number = 0;
        let regions = names.map(|name| {
            number += 1;
            b.func.dfg.alias_regions.insert(AliasRegionData {
                user_id: number,
                description: std::borrow::Cow::Borrowed(name),
            })
        });
        let (bail, exit, body) = (b.create_block(), b.create_block(), b.create_block());
        // the first block is written last
        b.func.layout.append_block(entry);
        b.switch_to_block(body);
        let steps = b.declare_var(types::I64);
        let plan = module.plan;
        let w = plan.layout.words;
        let trailing = match job.kind {
            _ if job.rest.is_some() => job.rest.as_ref().is_some_and(|rest| rest.trailing),
            FunctionKind::Generate { chance, clause } => {
                let clauses = if chance { &plan.chance } else { &plan.moves };
                clauses[clause as usize].updates
            }
            FunctionKind::Action { trailing, .. } => trailing,
            _ => false,
        };
        let context = parameters[0];
        let checks = Checks::new(module.checked);
        let mut f = Function {
            b,
            module,
            plan,
            w,
            kind: job.kind,
            context,
            state: context,
            trailing,
            registers: Vec::new(),
            sets: Vec::new(),
            joins: Vec::new(),
            steps,
            stepped: false,
            link: Link::default(),
            segment: None,
            played: None,
            rooms: Rooms::default(),
            copies: 1,
            begins_with: None,
            exits: Exits { body, exit, bail, own_bail: bail },
            calls: false,
            slots: 0,
            nested: 0,
            checks,
            regions,
        };
        f.state = f.read_context(offset_of!(Context, state));
        let budget = f.read_context(offset_of!(Context, steps));
        f.b.def_var(steps, budget);
        f.b.set_cold_block(bail);
        match &job.rest {
            Some(rest) => f.rest(rest, &parameters)?,
            None => f.begin(&parameters)?,
        }
        f.within_bounds()?;
        f.module.slots = f.slots;
        f.finish(entry);
        Ok(())
    }

    /// Fails where the function has become too large.
    pub fn within_bounds(&self) -> Emitted {
        // calls of the checking mode are not counted
        let longest = if self.checks.on { LONGEST * 10 } else { LONGEST };
        let small = self.slots <= FRAME
            && self.b.func.dfg.num_insts() <= longest
            && self.registers.len() + self.sets.len() <= LONGEST * 4;
        small.then_some(()).ok_or(Unsupported("too many instructions"))
    }

    /// Enters a block of instructions inside another.
    pub fn deeper(&mut self) -> Emitted {
        self.nested += 1;
        if self.nested > NESTED {
            return Err(Unsupported("blocks too deep inside each other"));
        }
        self.within_bounds()
    }

    /// Leaves a block that was entered.
    pub fn shallower(&mut self) {
        self.nested -= 1;
    }

    fn finish(mut self, entry: Block) {
        self.b.switch_to_block(self.exits.bail);
        let left = self.c(BAILED);
        self.b.ins().return_(&[left]);
        self.b.switch_to_block(self.exits.exit);
        self.tell_candidates();
        let back = self.c(0);
        self.give_back(back);
        self.b.switch_to_block(entry);
        if self.calls || self.slots > LEAF {
            self.module.may_bail = true;
            let here = self.b.ins().get_stack_pointer(types::I64);
            let end = self.read_context(offset_of!(Context, stack_end));
            let beyond = self.compare(IntCC::UnsignedLessThan, here, end);
            let (left, body) = (self.exits.bail, self.exits.body);
            self.fork(beyond, left, body);
        } else {
            let body = self.exits.body;
            self.jump(body);
        }
        self.b.seal_all_blocks();
        self.b.finalize(self.module.jit.target_config());
    }

    /// Stores the numbers of written candidates in the context.
    pub fn tell_candidates(&mut self) {
        let Some((segment, kept, total)) = self.segment else { return };
        for (variable, offset) in [
            (segment, offset_of!(Context, segment)),
            (kept, offset_of!(Context, kept_count)),
            (total, offset_of!(Context, total)),
        ] {
            let value = self.b.use_var(variable);
            self.write_context(offset, value);
        }
    }

    /// Goes on with the candidates that the context tells.
    pub fn take_candidates(&mut self) {
        let Some((segment, kept, total)) = self.segment else { return };
        for (variable, offset) in [
            (segment, offset_of!(Context, segment)),
            (kept, offset_of!(Context, kept_count)),
            (total, offset_of!(Context, total)),
        ] {
            let value = self.read_context(offset);
            self.b.def_var(variable, value);
        }
    }

    /// Begins to make candidates behind those that the context tells.
    pub fn open_candidates(&mut self) {
        let [segment, kept, total] = [(); 3].map(|()| self.new_variable());
        self.segment = Some((segment, kept, total));
        self.take_candidates();
    }

    /// A fresh environment with room for registers and sets.
    pub fn window(&mut self, registers: usize, sets: usize) -> Env {
        let env = Env {
            registers: self.registers.len(),
            sets: self.sets.len(),
            size: (registers, sets),
            known: vec![None; self.registers.len() + registers],
            succeed: Succeed::None,
            emit: None,
            some: None,
            collect: None,
            answers: Answers::None,
            guard: None,
            cut: None,
            join: None,
            supposes: None,
            ray: None,
            delta: None,
        };
        for _ in 0..registers {
            let variable = self.b.declare_var(types::I64);
            self.registers.push(variable);
        }
        for _ in 0..sets * self.w {
            let variable = self.b.declare_var(types::I64);
            self.sets.push(variable);
        }
        env
    }

    /// A new set of variables; returns the number of its first word.
    pub fn new_set(&mut self) -> usize {
        let first = self.sets.len();
        for _ in 0..self.w {
            let variable = self.b.declare_var(types::I64);
            self.sets.push(variable);
        }
        first
    }

    pub fn new_variable(&mut self) -> Variable {
        self.b.declare_var(types::I64)
    }

    // values

    pub fn c(&mut self, n: i64) -> Value {
        self.b.ins().iconst(types::I64, n)
    }

    pub fn exactly(&mut self, n: i64) -> Number {
        Number { value: self.c(n), lo: n, hi: n }
    }

    pub fn number(&mut self, x: Operand, env: &Env) -> Number {
        match x {
            Operand::Const(code) => self.exactly(code),
            Operand::Reg(reg) => {
                let at = env.registers + reg as usize;
                match env.known.get(at).copied().flatten() {
                    Some((lo, hi)) if lo == hi => self.exactly(lo),
                    known => {
                        let (lo, hi) = known.unwrap_or((i64::MIN, i64::MAX));
                        Number { value: self.b.use_var(self.registers[at]), lo, hi }
                    }
                }
            }
        }
    }

    pub fn put(&mut self, reg: Reg, number: Number, env: &mut Env) {
        let at = env.registers + reg as usize;
        self.b.def_var(self.registers[at], number.value);
        if env.known.len() <= at {
            env.known.resize(at + 1, None);
        }
        let known = number.lo != i64::MIN || number.hi != i64::MAX;
        env.known[at] = known.then_some((number.lo, number.hi));
    }

    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().iadd(a, b)
    }

    pub fn plus(&mut self, a: Value, n: i64) -> Value {
        if n == 0 {
            return a;
        }
        let n = self.c(n);
        self.b.ins().iadd(a, n)
    }

    pub fn times(&mut self, a: Value, n: i64) -> Value {
        match n {
            1 => a,
            n if n > 0 && n & (n - 1) == 0 => {
                let shift = self.c(i64::from(n.trailing_zeros()));
                self.b.ins().ishl(a, shift)
            }
            _ => {
                let n = self.c(n);
                self.b.ins().imul(a, n)
            }
        }
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().band(a, b)
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    pub fn and_not(&mut self, a: Value, b: Value) -> Value {
        let b = self.b.ins().bnot(b);
        self.b.ins().band(a, b)
    }

    pub fn shift_left(&mut self, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().ishl(a, n)
    }

    pub fn shift_right(&mut self, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().ushr(a, n)
    }

    pub fn compare(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.b.ins().icmp(cc, a, b)
    }

    pub fn compare_with(&mut self, cc: IntCC, a: Value, n: i64) -> Value {
        let n = self.c(n);
        self.b.ins().icmp(cc, a, n)
    }

    // flow

    pub fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    pub fn fork(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.b.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Continues where the condition holds.
    pub fn require(&mut self, condition: Value, fail: Block) {
        let next = self.b.create_block();
        self.fork(condition, next, fail);
        self.b.switch_to_block(next);
    }

    /// Continues where the condition does not hold.
    pub fn refuse(&mut self, condition: Value, fail: Block) {
        let next = self.b.create_block();
        self.fork(condition, fail, next);
        self.b.switch_to_block(next);
    }

    /// Continues where the condition holds or, where `negate`, does not hold.
    pub fn test(&mut self, condition: Value, negate: bool, fail: Block) {
        if negate { self.refuse(condition, fail) } else { self.require(condition, fail) }
    }

    /// Continues after a search with an answer, or without.
    pub fn go_on(&mut self, found: Block, none: Block, negate: bool, fail: Block) {
        let (next, other) = if negate { (none, found) } else { (found, none) };
        self.b.switch_to_block(other);
        self.jump(fail);
        self.b.switch_to_block(next);
    }

    /// Leaves the work to the interpreter where the condition holds.
    pub fn bail_if(&mut self, condition: Value) {
        self.module.may_bail = true;
        let left = self.exits.bail;
        self.refuse(condition, left);
    }

    /// Returns to the caller, with the count of steps.
    pub fn give_back(&mut self, status: Value) {
        self.tell_steps();
        self.b.ins().return_(&[status]);
    }

    /// Stores the count of steps for callees and callers.
    pub fn tell_steps(&mut self) {
        // most functions have no loops
        if self.stepped {
            let left = self.b.use_var(self.steps);
            self.write_context(offset_of!(Context, steps), left);
        }
    }

    /// Loads the count of steps after a call.
    pub fn take_steps(&mut self) {
        let left = self.read_context(offset_of!(Context, steps));
        self.b.def_var(self.steps, left);
    }

    /// Counts a step of a loop.
    pub fn step(&mut self) {
        self.stepped = true;
        let steps = self.b.use_var(self.steps);
        let rest = self.plus(steps, -1);
        self.b.def_var(self.steps, rest);
        let none = self.compare_with(IntCC::SignedLessThanOrEqual, rest, 0);
        self.bail_if(none);
    }

    // memory

    pub fn flags(&self, region: Region) -> MemFlagsData {
        MemFlagsData::trusted().with_alias_region(Some(self.regions[region as usize]))
    }

    /// The flags of a read from a static table. It must not be moved before the tests in front of
    /// it, which exclude addresses outside the table.
    pub fn table_flags() -> MemFlagsData {
        MemFlagsData::trusted().with_readonly()
    }

    pub fn load(&mut self, region: Region, address: Value, offset: usize) -> Value {
        self.check(region, address, offset, 8);
        self.load_unchecked(region, address, offset)
    }

    pub fn load_unchecked(&mut self, region: Region, address: Value, offset: usize) -> Value {
        let flags = self.flags(region);
        self.b.ins().load(types::I64, flags, address, offset as i32)
    }

    pub fn store(&mut self, region: Region, value: Value, address: Value, offset: usize) {
        self.check(region, address, offset, 8);
        let flags = self.flags(region);
        self.b.ins().store(flags, value, address, offset as i32);
    }

    /// Reads a cell of 8, 16 or 32 bits.
    pub fn load_narrow(&mut self, shift: u32, address: Value, offset: usize) -> Value {
        self.check(Region::State, address, offset, 1 << (shift - 3));
        let flags = self.flags(Region::State);
        match shift {
            3 => self.b.ins().uload8(types::I64, flags, address, offset as i32),
            4 => self.b.ins().uload16(types::I64, flags, address, offset as i32),
            _ => self.b.ins().uload32(flags, address, offset as i32),
        }
    }

    pub fn store_narrow(&mut self, shift: u32, value: Value, address: Value, offset: usize) {
        self.check(Region::State, address, offset, 1 << (shift - 3));
        let flags = self.flags(Region::State);
        match shift {
            3 => self.b.ins().istore8(flags, value, address, offset as i32),
            4 => self.b.ins().istore16(flags, value, address, offset as i32),
            _ => self.b.ins().istore32(flags, value, address, offset as i32),
        };
    }

    /// Reads a word of a static table, at an offset from an address of [`Function::row_address`].
    pub fn load_table(&mut self, address: Value, offset: usize) -> Value {
        self.check_table(address, offset);
        self.b.ins().load(types::I64, Self::table_flags(), address, offset as i32)
    }

    pub fn read_context(&mut self, offset: usize) -> Value {
        self.load(Region::Context, self.context, offset)
    }

    pub fn write_context(&mut self, offset: usize, value: Value) {
        self.store(Region::Context, value, self.context, offset);
    }

    pub fn slot(&mut self, words: usize) -> StackSlot {
        let bytes = words.max(1) * 8;
        self.slots += bytes;
        // a function with larger slots is abandoned
        let size = bytes.min(FRAME) as u32;
        self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3))
    }

    pub fn slot_address(&mut self, slot: StackSlot) -> Value {
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    // calls

    pub fn call(&mut self, function: FuncId, arguments: &[Value]) -> Value {
        let function = self.module.jit.declare_func_in_func(function, self.b.func);
        self.calls = true;
        self.tell_steps();
        let call = self.b.ins().call(function, arguments);
        self.take_steps();
        self.b.inst_results(call)[0]
    }

    pub fn call_address(&mut self, address: Value, arguments: &[Value]) -> Value {
        let signature = self.module.signature(arguments.len());
        let signature = self.b.import_signature(signature);
        let call = self.b.ins().call_indirect(signature, address, arguments);
        self.b.inst_results(call)[0]
    }

    pub fn call_helper(&mut self, helper: usize, arguments: &[Value]) -> Value {
        let address = self.c(helper as i64);
        self.call_address(address, arguments)
    }

    pub fn address_of(&mut self, function: FuncId) -> Value {
        let function = self.module.jit.declare_func_in_func(function, self.b.func);
        self.b.ins().func_addr(types::I64, function)
    }

    /// The word of a map without keys.
    pub fn word_of(&self, fluent: FluentId) -> Emitted<usize> {
        match self.plan.layout.place(fluent).cells {
            crate::plan::Cells::Word(word) => Ok(word as usize),
            _ => Err(Unsupported("a part of the state that is no word")),
        }
    }

    /// The last but one word of the state says whether the move set the turn, the last is the hash.
    pub fn turned_word(&self) -> usize {
        self.plan.layout.len
    }

    pub fn hash_word(&self) -> usize {
        self.plan.layout.len + 1
    }

    /// Registers with known values at the start of a function.
    pub fn give(&mut self, reg: Reg, code: Code, env: &mut Env) {
        let number = self.exactly(code);
        self.put(reg, number, env);
    }
}
