//! A function under construction: its values, its memory, and how it begins and ends.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AliasRegion, AliasRegionData, Block, InstBuilder, StackSlot, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::Module;
use smallvec::SmallVec;

use crate::plan::{BlockId, Code, KeyRange, Operand, Plan, Reg};
use crate::program::{Aggregate, FluentId};

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

/// An aggregate that needs no record of its answers, because one that comes twice makes no difference, or none does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running {
    pub kind: Aggregate,
    pub result: Variable,
    /// Whether there is an answer, for those that fail where there is none.
    pub some: Variable,
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
    /// The aggregate to which answers are added as they come.
    pub running: Option<Running>,
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
    /// The slot in which sets of more than two words are moved.
    pub moving: Option<StackSlot>,
    /// The current nesting of blocks.
    nested: usize,
    pub checks: Checks,
    pub regions: [AliasRegion; 10],
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
                plan.clauses(chance)[clause as usize].updates
            }
            FunctionKind::Apply { chance, clause } => {
                plan.clauses(chance)[clause as usize].all_ways
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
            moving: None,
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
            running: None,
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
