//! Compiles the functions of one plan to machine code.
//!
//! Functions are declared when they are first called, and defined one after the other. An instruction
//! without a native form turns its function into one that bails out.

use std::collections::{BTreeSet, VecDeque};

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, verify_function};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::{BlockId, OpId, Plan, Reg};

use super::super::duplicates::alike;
use super::super::machine::builds_lists;
use super::super::segments::with_width;
use super::super::supposed::trials_read_history;
use super::function::{Emitted, Function, Unsupported};
use super::perft::has_perft;
use super::ranks::{numbering, sums};
pub use super::report::FunctionKind;
use super::report::{CodeReport, FunctionReport, Lack};
use super::tables::Tables;

/// The result of a function whose work the interpreter has to do.
pub(in crate::engine) const BAILED: i64 = -1;

/// The most functions that continue after calls of actions.
const RESTS: usize = 1000;
/// The most instructions of all functions of a plan; functions beyond are left to the interpreter.
const TOTAL: usize = 2_000_000;

/// The address space for the code of one plan, in bytes.
const CODE_ROOM: usize = 1 << 24;

/// The addresses of the functions that native code calls.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Helpers {
    pub any_legal: usize,
    pub possible: usize,
    pub highest: usize,
    pub repeated: usize,
    pub record: usize,
    pub begin_ways: usize,
    pub keep_way: usize,
    pub take_way: usize,
    pub undo: usize,
    pub image: usize,
    pub check: usize,
    pub distinct: usize,
    pub take_result: usize,
    pub pause: usize,
    pub count: usize,
    pub remember: usize,
    pub forget: usize,
    pub power: usize,
    pub equal_lists: usize,
    pub constant_list: usize,
    pub ask: usize,
}

/// The code behind a call of an action, which is run for each answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Rest {
    pub body: BlockId,
    pub outs: Vec<Reg>,
    pub registers: usize,
    pub sets: usize,
    /// One answer is enough; control then returns to the caller.
    pub enough: bool,
    /// The answers of a goal go to the caller: the words of their room, the codes of an answer, and
    /// whether one may come twice.
    pub collects: Option<(usize, usize, bool)>,
    /// These are the answers of the procedure itself.
    pub answers: bool,
    /// A set is gathered for the caller.
    pub gathers: bool,
    /// Updates are recorded on the trail.
    pub trailing: bool,
}

pub(super) struct Job {
    pub function: FuncId,
    pub kind: FunctionKind,
    pub rest: Option<Rest>,
}

/// A finished module: its code, the tables that it refers to, and its functions.
pub(super) struct Finished {
    pub module: JITModule,
    pub tables: Tables,
    pub functions: FxHashMap<FunctionKind, FuncId>,
    /// Functions that never bail out.
    pub sure: FxHashSet<FunctionKind>,
    /// Functions that always do so.
    pub empty: FxHashSet<FunctionKind>,
    /// How many functions the verifier of the code generator has refused.
    pub flawed: u64,
    pub report: CodeReport,
}

/// The module being made.
pub(super) struct ModuleBuilder<'p> {
    pub plan: &'p Plan,
    pub helpers: Helpers,
    pub jit: JITModule,
    pub tables: Tables,
    /// Each access to memory is checked.
    pub checked: bool,
    /// A value may be a list that a move has built.
    pub builds_lists: bool,
    /// A move that is tried may ask for the positions before.
    pub trials_read_history: bool,
    declared: FxHashMap<FunctionKind, FuncId>,
    rests: FxHashMap<(FunctionKind, Rest), FuncId>,
    jobs: VecDeque<Job>,
    count: usize,
    /// The ranges of the registers that the candidates of a clause keep.
    pub kept: FxHashMap<FunctionKind, Vec<Option<(i64, i64)>>>,
    /// The current function may bail out.
    pub may_bail: bool,
    /// The functions that never do so, and those that always do.
    sure: FxHashSet<FunctionKind>,
    empty: FxHashSet<FunctionKind>,
    flawed: u64,
    /// By clause of moves, see [`ModuleBuilder::alike`].
    alike: Option<Vec<Option<i64>>>,
    /// How many instructions and bytes of slots each function has that does its work.
    sizes: FxHashMap<FunctionKind, (usize, usize)>,
    /// The bytes of the slots of the function that was made last.
    pub slots: usize,
    /// How many instructions all functions have.
    written: usize,
    /// The instruction of the plan that is being compiled, and those compiled in this function so far.
    pub at: Option<OpId>,
    pub reached: BTreeSet<OpId>,
    /// The instructions of this function whose answers the interpreter gives.
    pub asks: BTreeSet<OpId>,
    report: CodeReport,
}

impl<'p> ModuleBuilder<'p> {
    /// A module without functions. `None` where there is no code generator for this processor.
    pub fn new(plan: &'p Plan, helpers: Helpers, checked: bool) -> Option<ModuleBuilder<'p>> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            // each function is verified once, by `define`
            ("enable_verifier", "false"),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.memory_provider(Box::new(ArenaMemoryProvider::new_with_size(CODE_ROOM).ok()?));
        Some(ModuleBuilder {
            builds_lists: builds_lists(plan),
            trials_read_history: trials_read_history(plan),
            plan,
            helpers,
            jit: JITModule::new(builder),
            tables: Tables::default(),
            checked,
            declared: FxHashMap::default(),
            rests: FxHashMap::default(),
            jobs: VecDeque::new(),
            count: 0,
            kept: FxHashMap::default(),
            may_bail: false,
            sure: FxHashSet::default(),
            empty: FxHashSet::default(),
            flawed: 0,
            sizes: FxHashMap::default(),
            slots: 0,
            alike: None,
            written: 0,
            at: None,
            reached: BTreeSet::new(),
            asks: BTreeSet::new(),
            report: CodeReport::default(),
        })
    }

    /// The signature of a function with this many arguments. Arguments and results have 64 bits.
    pub fn signature(&self, arguments: usize) -> Signature {
        let mut signature = self.jit.make_signature();
        signature.params.extend((0..arguments).map(|_| AbiParam::new(types::I64)));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    /// How many arguments a function takes; the first is the context.
    fn arguments(&self, kind: FunctionKind) -> usize {
        let inputs = |procedure: u32| self.plan.procedures[procedure as usize].inputs();
        match kind {
            FunctionKind::Ends { .. }
            | FunctionKind::Moves
            | FunctionKind::Generate { .. }
            | FunctionKind::Playout => 1,
            FunctionKind::AnyLegal => 1,
            FunctionKind::Trials | FunctionKind::Sum(_) => 2,
            FunctionKind::Apply { .. } | FunctionKind::Number { .. } | FunctionKind::Perft => 3,
            FunctionKind::Test(procedure) | FunctionKind::Gather(procedure) => {
                1 + inputs(procedure)
            }
            FunctionKind::Tuples(procedure) => 2 + inputs(procedure),
            FunctionKind::Action { procedure, .. } => 3 + inputs(procedure),
        }
    }

    /// Declares the functions that the machine calls, what they consist of first.
    pub fn declare_entries(&mut self) -> Option<()> {
        let plan = self.plan;
        for (chance, clauses) in [(false, &plan.moves), (true, &plan.chance)] {
            for (number, body) in clauses.iter().enumerate() {
                let clause = number as u16;
                self.function(FunctionKind::Generate { chance, clause })?;
                if body.apply.is_some() {
                    self.function(FunctionKind::Apply { chance, clause })?;
                }
                if numbering(plan, chance, clause).is_some() {
                    self.function(FunctionKind::Number { chance, clause })?;
                }
            }
        }
        for procedure in sums(plan) {
            self.function(FunctionKind::Sum(procedure))?;
        }
        self.function(FunctionKind::Ends { whole: false })?;
        self.function(FunctionKind::Ends { whole: true })?;
        self.function(FunctionKind::Playout)?;
        self.function(FunctionKind::Moves)?;
        self.function(FunctionKind::Trials).map(|_| ())
    }

    fn declare(&mut self, arguments: usize) -> Option<FuncId> {
        self.count += 1;
        let signature = self.signature(arguments);
        let name = format!("f{}", self.count);
        self.jit.declare_function(&name, Linkage::Local, &signature).ok()
    }

    /// The function for a kind; a new one is declared and defined later.
    pub fn function(&mut self, kind: FunctionKind) -> Option<FuncId> {
        if let Some(function) = self.declared.get(&kind) {
            return Some(*function);
        }
        let function = self.declare(self.arguments(kind))?;
        self.declared.insert(kind, function);
        self.jobs.push_back(Job { function, kind, rest: None });
        Some(function)
    }

    /// How many instructions and bytes of slots an already defined function has.
    pub fn size(&self, kind: FunctionKind) -> Emitted<(usize, usize)> {
        let size = self.sizes.get(&kind).copied();
        size.ok_or(Unsupported("a part that is left to the interpreter"))
    }

    /// For a clause whose candidates within a segment can be compared by their bits: the address of a
    /// table that has, for each bit, the set of earlier bits that are the same move.
    pub fn alike(&mut self, clause: u16) -> Option<i64> {
        let words = self.plan.layout.words;
        if self.alike.is_none() {
            let flat = with_width!(words, W => {
                let earlier = |bit: usize, set: &[u64; W]| -> Vec<u64> {
                    let below = |i: usize| match bit / 64 {
                        word if i < word => u64::MAX,
                        word if i == word => (1 << (bit % 64)) - 1,
                        _ => 0,
                    };
                    (0..words).map(|i| set[i] & below(i)).collect()
                };
                let of_clause = |sets: Vec<[u64; W]>| -> Vec<u64> {
                    let rows = sets.iter().take(words * 64).enumerate();
                    rows.flat_map(|(bit, set)| earlier(bit, set)).collect()
                };
                alike::<W>(self.plan).into_iter().map(|sets| sets.map(of_clause)).collect::<Vec<_>>()
            });
            let kept = flat.into_iter().map(|words| words.map(|words| self.tables.keep(words)));
            self.alike = Some(kept.collect());
        }
        *self.alike.as_ref()?.get(clause as usize)?
    }

    /// Whether an already defined function never bails out.
    pub fn is_sure(&self, kind: FunctionKind) -> bool {
        self.sure.contains(&kind)
    }

    /// The function for the code behind a call in a function of this kind. `None` where there are too many.
    pub fn rest(&mut self, kind: FunctionKind, rest: Rest) -> Option<FuncId> {
        let key = (kind, rest);
        if let Some(function) = self.rests.get(&key) {
            return Some(*function);
        }
        if self.rests.len() >= RESTS {
            return None;
        }
        let function = self.declare(2 + key.1.outs.len())?;
        self.jobs.push_back(Job { function, kind, rest: Some(key.1.clone()) });
        self.rests.insert(key, function);
        Some(function)
    }

    /// Defines all functions that were declared. `None` where the code generator fails, or where
    /// `interrupted` returns true.
    pub fn finish(mut self, interrupted: &dyn Fn() -> bool) -> Option<Finished> {
        let mut context = self.jit.make_context();
        let mut perft = false;
        while let Some(job) = self.next_job(&mut perft) {
            if interrupted() {
                return None;
            }
            (self.at, self.reached) = (None, BTreeSet::new());
            self.asks.clear();
            let made = match self.written > TOTAL {
                true => Err(Unsupported("more instructions than a plan may have")),
                false => self.define(&mut context, &job, true)?,
            };
            let lacks = made.err().map(|Unsupported(reason)| Lack { reason, at: self.at });
            if lacks.is_some() {
                // candidates are made by the interpreter, which knows nothing of ranges
                self.kept.remove(&job.kind);
                let _ = self.define(&mut context, &job, false)?;
            } else {
                self.report.forms.append(&mut self.reached);
            }
            let (kind, continues) = (job.kind, job.rest.is_some());
            let asks = std::mem::take(&mut self.asks).into_iter().collect();
            self.report.functions.push(FunctionReport { kind, continues, lacks, asks });
        }
        self.jit.finalize_definitions().ok()?;
        let ModuleBuilder {
            jit: module,
            tables,
            declared: functions,
            sure,
            empty,
            flawed,
            report,
            ..
        } = self;
        Some(Finished { module, tables, functions, sure, empty, flawed, report })
    }

    /// The next function to define. Perft is requested last, since whether it can be defined
    /// depends on the others.
    fn next_job(&mut self, perft: &mut bool) -> Option<Job> {
        if self.jobs.is_empty() && !std::mem::replace(perft, true) && has_perft(self, self.plan) {
            self.function(FunctionKind::Perft)?;
        }
        self.jobs.pop_front()
    }

    /// Makes a function: all that it should do, or else one that leaves it to the interpreter.
    /// `None` where not even that can be made.
    fn define(&mut self, context: &mut Context, job: &Job, whole: bool) -> Option<Emitted> {
        let arguments = match &job.rest {
            Some(rest) => 2 + rest.outs.len(),
            None => self.arguments(job.kind),
        };
        self.jit.clear_context(context);
        context.func.signature = self.signature(arguments);
        context.func.name = UserFuncName::user(0, job.function.as_u32());
        let mut building = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut context.func, &mut building);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        self.may_bail = !whole;
        if whole {
            if let Err(unsupported) = Function::emit(b, self, job) {
                return Some(Err(unsupported));
            }
        } else {
            self.empty.insert(job.kind);
            let left = b.ins().iconst(types::I64, BAILED);
            b.ins().return_(&[left]);
            b.seal_all_blocks();
            b.finalize(self.jit.target_config());
        }
        if let Err(errors) = verify_function(&context.func, self.jit.isa()) {
            self.flawed += 1;
            debug_assert!(false, "{:?} does not verify: {errors}", job.kind);
            return whole.then_some(Err(Unsupported("a mistake of the code generator")));
        }
        self.written += context.func.dfg.num_insts();
        if self.jit.define_function(job.function, context).is_err() {
            // too large, perhaps
            return whole.then_some(Err(Unsupported("too large for the code generator")));
        }
        if job.rest.is_none() {
            if whole {
                self.sizes.insert(job.kind, (context.func.dfg.num_insts(), self.slots));
            }
            if !self.may_bail {
                self.sure.insert(job.kind);
            }
        }
        Some(Ok(()))
    }
}
