//! The instructions that clauses compile to.
//!
//! A block is a sequence of instructions (`blocks.rs`). Registers hold codes, set registers hold
//! one bit per index of a universe. A generator (`Each`, `Rows`, `Integers`, `Members`, `Call`,
//! `Legal`) is the last instruction of its block and runs its body once for each of its answers; a
//! test that fails gives control back to the generator around it. So a clause is a nest of loops,
//! and the last loop is not run at all where its set can be handed on whole (`Segment`, `Emit`).
//! `Branch` and `If` end their block too: each of their ways ends in `Continue`, which goes on in
//! the block where they meet.

use crate::program::{Aggregate, ArithmeticOp, ClauseId, Comparison, FluentId};

use super::blocks::{BlockId, OpId};
use super::rows::KeyRange;
use super::universe::Code;

/// A register of the current frame.
pub type Reg = u16;

/// A set register of the current frame.
pub type SetReg = u16;

/// Something that has a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    Reg(Reg),
    Const(Code),
}

/// Something that has a set.
#[derive(Debug, Clone, PartialEq)]
pub enum Set {
    Reg(SetReg),
    /// A constant set: index into [`super::Plan::masks`].
    Mask(u32),
    /// A plane of the state, by its first word.
    Plane(u32),
    /// The plane of a value of a map.
    PlaneOf {
        fluent: FluentId,
        value: Operand,
    },
    /// A row of [`super::Plan::rows`].
    Row {
        rows: u32,
        keys: Box<[Operand]>,
    },
}

/// Where the answers of an action or relation go.
pub type Operands = Box<[Operand]>;

/// One instruction.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    // sets
    Load {
        dst: SetReg,
        set: Set,
    },
    And {
        dst: SetReg,
        set: Set,
    },
    AndNot {
        dst: SetReg,
        set: Set,
    },
    /// Takes one element away.
    Remove {
        dst: SetReg,
        base: Code,
        x: Operand,
    },
    /// The union of what the block emits.
    Gather {
        dst: SetReg,
        body: BlockId,
    },
    /// The union of what a procedure's clauses emit.
    GatherCall {
        dst: SetReg,
        procedure: u32,
        inputs: Operands,
    },

    // generators
    /// Every element of a set.
    Each {
        set: Set,
        base: Code,
        dst: Reg,
        /// Holds elements, at the end of a round, whose rounds would do the same again: they are
        /// left out.
        orbit: Option<SetReg>,
        body: BlockId,
    },
    /// Every row of an index for the keys.
    Rows {
        index: u32,
        keys: Operands,
        outs: Box<[Reg]>,
        body: BlockId,
    },
    Integers {
        dst: Reg,
        lo: Operand,
        hi: Operand,
        body: BlockId,
    },
    /// Every combination of keys for which a map or set of several keys holds something.
    Keys {
        fluent: FluentId,
        outs: Box<[Reg]>,
        body: BlockId,
    },
    /// The distinct items of a list.
    Members {
        dst: Reg,
        list: Operand,
        body: BlockId,
    },
    /// The answers of a procedure: a relation, or an action with its updates.
    Call {
        procedure: u32,
        inputs: Operands,
        outs: Box<[Reg]>,
        body: BlockId,
    },
    /// The legal moves of the position that have this form.
    Legal {
        pattern: u32,
        outs: Box<[Reg]>,
        body: BlockId,
    },

    // values; those that have none fail
    Copy {
        dst: Reg,
        x: Operand,
    },
    /// The value of a map at bound keys.
    Read {
        dst: Reg,
        fluent: FluentId,
        keys: Operands,
    },
    /// The row of a functional index.
    Find {
        index: u32,
        keys: Operands,
        outs: Box<[Reg]>,
    },
    Calculate {
        dst: Reg,
        op: ArithmeticOp,
        a: Operand,
        b: Operand,
        source: u32,
    },
    Length {
        dst: Reg,
        list: Operand,
    },
    MakeList {
        dst: Reg,
        items: Operands,
        tail: Option<Operand>,
    },
    /// Head and tail of a list that is not empty.
    TakeList {
        list: Operand,
        head: Reg,
        tail: Reg,
    },
    Count {
        dst: Reg,
        set: Set,
    },
    Collect {
        dst: Reg,
        kind: Aggregate,
        body: BlockId,
        source: u32,
    },

    // tests
    In {
        x: Operand,
        base: Code,
        set: Set,
        negate: bool,
    },
    NonEmpty {
        set: Set,
        negate: bool,
    },
    /// Every element of the first is one of the second.
    Subset {
        part: Set,
        whole: Set,
        negate: bool,
    },
    /// One of `count` constant sets, the first of number `masks`, is a subset of `whole`.
    AnyRow {
        masks: u32,
        count: u32,
        whole: Set,
        /// In an end clause: the rows by the sites they hold, in [`super::Plan::through`]. Then
        /// only those need a look that hold a site which has changed since the last test.
        through: Option<u32>,
        negate: bool,
    },
    /// A map has this value at these keys; a set has the keys where `value` is `None`.
    Holds {
        fluent: FluentId,
        keys: Operands,
        value: Option<Operand>,
        negate: bool,
    },
    /// A map has any value at these keys.
    Defined {
        fluent: FluentId,
        keys: Operands,
        negate: bool,
    },
    /// An index has a row for these keys.
    Has {
        index: u32,
        keys: Operands,
        negate: bool,
    },
    Same {
        a: Operand,
        b: Operand,
        negate: bool,
    },
    Compare {
        op: Comparison,
        a: Operand,
        b: Operand,
        source: u32,
    },
    Between {
        x: Operand,
        lo: Operand,
        hi: Operand,
    },
    InList {
        x: Operand,
        list: Operand,
    },
    IsEmpty {
        x: Operand,
    },
    /// A procedure has an answer.
    Test {
        procedure: u32,
        inputs: Operands,
        negate: bool,
    },
    /// The block has an answer; the bindings of the first are not kept.
    Exists {
        body: BlockId,
        negate: bool,
    },
    /// Some legal move of the position has this form.
    SomeLegal {
        pattern: u32,
    },
    /// `repeated(N)`, `repeated_board(N)`.
    Repeated {
        times: Operand,
        board: bool,
    },
    Stuck,

    // control
    /// Counts a run of the instruction behind it. Only a plan that is profiled has probes.
    Probe {
        number: u32,
    },
    /// Each way in turn. Those that end in `Continue` meet in `rest`.
    Branch {
        ways: Box<[BlockId]>,
        rest: Option<BlockId>,
    },
    /// Runs the condition, keeps its first answer and goes on in `then`, or else in `otherwise`;
    /// these meet in `rest`.
    If {
        condition: BlockId,
        then: BlockId,
        otherwise: BlockId,
        rest: BlockId,
    },
    /// Keeps the first answer of the block, updates included.
    Once {
        body: BlockId,
    },
    /// What each round of a flood does. The instructions before it are run in the first round only:
    /// they do the same in each, and their registers keep what they wrote.
    Round {
        body: BlockId,
    },

    // updates
    Assign {
        fluent: FluentId,
        keys: Operands,
        value: Operand,
        source: u32,
    },
    Clear {
        fluent: FluentId,
        keys: Operands,
        source: u32,
    },
    Set {
        fluent: FluentId,
        keys: Operands,
        on: bool,
        source: u32,
    },
    Again,
    /// All answers of `goal` (it yields them), then `action` with the yielded registers for each.
    ForEach {
        goal: BlockId,
        registers: Box<[Reg]>,
        action: BlockId,
    },

    // terminals
    Fail,
    /// The end of a way: goes on where the ways of the innermost `Branch` or `If` around it meet.
    Continue {
        rest: BlockId,
    },
    /// The block has an answer.
    Succeed,
    /// Adds a set to what is gathered.
    Emit {
        set: Set,
    },
    EmitOne {
        x: Operand,
        base: Code,
    },
    /// Adds what the elements of a set are related to, as far as it lies in each of the filters
    /// (or outside, where the filter is negated).
    EmitImage {
        /// Index into [`super::Plan::images`].
        images: u32,
        keys: Operands,
        source: Set,
        filters: Box<[(Set, bool)]>,
    },
    /// Hands one answer to `Collect` or `ForEach`: the template, then what makes it distinct.
    Yield {
        template: Operand,
        distinct: Operands,
    },
    /// Gives an answer to the caller of the procedure.
    Return {
        outs: Operands,
    },
    /// Candidate moves: one for each element of the set, in register `dst`.
    Segment {
        set: Set,
        base: Code,
        dst: Reg,
    },
    /// Candidate moves: one for each element of the image of a set, shift by shift, so that where
    /// an element comes from follows from what it is. Registers with the code of index 0: that of
    /// the element of `source`, and that of the element of the image.
    SegmentImage {
        images: u32,
        keys: Operands,
        source: Set,
        filters: Box<[(Set, bool)]>,
        from: (Reg, Code),
        to: (Reg, Code),
    },
    /// One candidate move.
    Single,
    /// The end of a move's clause.
    Commit,
}

/// How a procedure answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Whether there is an answer.
    Test,
    /// The set of values of one argument.
    Set,
    /// Tuples, one after the other; actions answer like this too.
    Tuples,
}

/// What an argument is to a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    Input,
    Output,
    /// The argument whose set is wanted.
    Target,
    /// Its value does not matter.
    Ignored,
}

/// A relation or action compiled for one way of calling it.
#[derive(Debug, Clone)]
pub struct Procedure {
    pub name: String,
    pub answer: Answer,
    pub arguments: Vec<Argument>,
    /// Inputs arrive in the first registers of each.
    pub clauses: Vec<Body>,
    pub recursion: Recursion,
    /// Answers may come twice and must be told apart by the caller.
    pub repeats: bool,
    /// Its answers are handed on one by one, updates of the state included.
    pub action: bool,
    /// Its answers come in the standard order of terms.
    pub sorted: bool,
    /// For each output: the codes that it may have, where they are one interval.
    pub ranges: Vec<Option<KeyRange>>,
}

impl Procedure {
    /// How many arguments a call gives.
    pub fn inputs(&self) -> usize {
        self.arguments.iter().filter(|a| **a == Argument::Input).count()
    }
}

/// How a procedure that calls itself is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Recursion {
    None,
    /// Actions: plain recursion.
    Plain,
    /// A set that grows until it does not: the clauses marked as seeds run once, the others read
    /// the set in set register 0 (semi-naively: what the last round added).
    Flood {
        seeds: Vec<bool>,
        /// The body of the [`Op::Round`] of the one clause that is no seed: later rounds run it alone.
        round: Option<BlockId>,
    },
    /// A table per combination of inputs, evaluated to a fixpoint together with those of the
    /// procedures of its component: those that it calls and that call it.
    Tabled {
        component: u32,
        /// For each clause.
        reruns: Box<[Rerun]>,
        because: NoFlood,
    },
}

/// Why a recursive relation is a table and no flood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFlood {
    /// It calls itself by way of other relations.
    Together,
    /// Some goal of it may be a rule error.
    Raises,
    /// It keeps a first answer.
    Chooses,
    /// A clause calls it more than once, or inside of another goal.
    Twice,
    /// The recursion changes these arguments, counted from 0.
    Changes(Vec<usize>),
    /// The argument that the recursion changes is no element of a set.
    NoSet(usize),
    /// It was asked without some arguments that the recursion passes on as they are.
    Open,
}

/// What a clause of a tabled procedure does where tables of its component have grown.
#[derive(Debug, Clone, PartialEq)]
pub enum Rerun {
    /// Nothing: it reads none of them.
    Never,
    /// It runs once for each of these calls, which reads the answers that it has not seen yet,
    /// while the others read all.
    NewAnswers(Box<[OpId]>),
    /// It reads all answers again.
    AllAnswers,
}

/// A compiled clause.
#[derive(Debug, Clone)]
pub struct Body {
    pub clause: ClauseId,
    pub start: BlockId,
    pub registers: u16,
    pub sets: u16,
}

/// A compiled move or chance clause.
#[derive(Debug, Clone)]
pub struct MoveClause {
    pub clause: ClauseId,
    /// The functor of its move term: index into [`super::Plan::functors`].
    pub functor: u32,
    /// Runs the tests before the first update and ends in `Segment` or `Single`; for a branching
    /// clause the whole clause, ending in `Commit`.
    pub generate: Body,
    /// The updates and what follows; `None` for a branching clause.
    pub apply: Option<BlockId>,
    /// Registers that `apply` and the move term need: the first so many.
    pub kept: u16,
    /// Tests stand after updates: a candidate must be tried.
    pub tested: bool,
    /// Where an update may leave its domain, which is a rule error: a candidate that is listed or
    /// counted is played first.
    pub risk: Risk,
    /// A goal before the first update may be a rule error.
    pub faulty: bool,
    /// Several moves may come from one candidate: each is carried with its resulting state.
    pub branching: bool,
    /// To generate candidates updates are made, and undone.
    pub updates: bool,
    /// Two answers of this clause, or of it and another, may be the same move.
    pub repeats: bool,
    /// The move term's arguments.
    pub head: Vec<HeadTerm>,
    /// Registers that are found from others when they are needed.
    pub found: Vec<Found>,
    /// The rank of its moves.
    pub rank: Rank,
    /// For a chance event: blocks that give its weight.
    pub weight: Option<u32>,
}

/// When the updates of a clause may be a rule error.
#[derive(Debug, Clone, PartialEq)]
pub enum Risk {
    Never,
    /// Not where each of these maps holds a value of its range.
    Outside(Vec<Safe>),
    Always,
}

/// Values of a map without keys for which no update is a rule error, as they stand in the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Safe {
    pub fluent: FluentId,
    pub from: u64,
    pub to: u64,
}

impl MoveClause {
    /// May some goal of it be a rule error, in some position?
    pub fn may_raise(&self) -> bool {
        self.faulty || self.risk != Risk::Never
    }
}

/// The only row of an index for these keys, whose codes some registers have.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub index: u32,
    pub keys: Operands,
    pub outs: Box<[Reg]>,
}

/// How the rank of a move is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rank {
    /// The same for all moves of the clause.
    Fixed(i64),
    /// By a procedure whose inputs are the move's arguments.
    Computed(u32),
}

/// Clauses whose moves are asked for together: those of one fixed rank, or all where some rank is
/// computed.
#[derive(Debug, Clone)]
pub struct RankGroup {
    /// Indexes into [`super::Plan::moves`].
    pub clauses: Vec<u16>,
    /// The highest rank must be found move by move.
    pub computed: bool,
    /// Finding it may be a rule error.
    pub faulty: bool,
}

impl RankGroup {
    /// The clauses by rank, the highest first; `faulty` where calculating one may be a rule error.
    pub fn of(moves: &[MoveClause], faulty: bool) -> Vec<RankGroup> {
        let group = |clauses: Vec<u16>, computed: bool| {
            let faulty = computed && faulty;
            RankGroup { clauses, computed, faulty }
        };
        let mut ranks: Vec<i64> = Vec::new();
        for clause in moves {
            match clause.rank {
                Rank::Fixed(rank) => ranks.push(rank),
                Rank::Computed(_) => return vec![group((0..moves.len() as u16).collect(), true)],
            }
        }
        let mut order = ranks.clone();
        order.sort_unstable_by(|a, b| b.cmp(a));
        order.dedup();
        let of_rank =
            |rank| (0..ranks.len() as u16).filter(|i| ranks[*i as usize] == rank).collect();
        order.into_iter().map(|rank| group(of_rank(rank), false)).collect()
    }
}

/// How a move's argument is made from registers.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadTerm {
    Operand(Operand),
    List(Vec<HeadTerm>, Option<Box<HeadTerm>>),
    Compound(String, Vec<HeadTerm>),
}

impl HeadTerm {
    /// Adds the names of the compounds that stand in the term.
    pub fn functors(&self, into: &mut Vec<String>) {
        match self {
            HeadTerm::Operand(_) => {}
            HeadTerm::List(items, tail) => {
                items.iter().for_each(|term| term.functors(into));
                tail.iter().for_each(|term| term.functors(into));
            }
            HeadTerm::Compound(name, items) => {
                into.push(name.clone());
                items.iter().for_each(|term| term.functors(into));
            }
        }
    }

    /// Adds the registers that stand in the term.
    pub fn registers(&self, into: &mut Vec<Reg>) {
        match self {
            HeadTerm::Operand(Operand::Reg(reg)) => into.push(*reg),
            HeadTerm::Operand(Operand::Const(_)) => {}
            HeadTerm::List(items, tail) => {
                items.iter().for_each(|term| term.registers(into));
                tail.iter().for_each(|term| term.registers(into));
            }
            HeadTerm::Compound(_, items) => items.iter().for_each(|term| term.registers(into)),
        }
    }
}

/// A form of move that `legal(M)` asks for.
#[derive(Debug, Clone)]
pub struct MovePattern {
    /// Index into [`super::Plan::functors`]; `None` for any move.
    pub functor: Option<u32>,
    pub arguments: Vec<PatternArgument>,
}

/// An argument of a [`MovePattern`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PatternArgument {
    Equal(Operand),
    /// The number of the output that takes it.
    Out(usize),
    Any,
}

impl Op {
    /// The name of the instruction, without what it works on.
    pub fn name(&self) -> String {
        let shown = format!("{self:?}");
        shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_string()
    }
}
