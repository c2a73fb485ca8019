//! The instructions that clauses compile to.
//!
//! A block is a sequence of instructions (`blocks.rs`). Registers hold codes; set registers hold
//! one bit per index of a universe. A generator (`Each`, `Rows`, `Integers`, `Keys`, `Members`,
//! `Call`, `Legal`) is the last instruction of its block and runs its body once for each of its
//! answers. A test that fails returns control to the enclosing generator. A clause is therefore a
//! nest of loops, and the innermost loop is not run at all where its set can be passed on whole
//! (`Segment`, `Emit`). `Branch` and `If` end their block too: each of their ways ends in
//! `Continue`, which continues in the block where they meet.

use crate::program::{Aggregate, ArithmeticOp, ClauseId, Comparison, FluentId};

use super::blocks::{BlockId, OpId};
use super::rows::KeyRange;
use super::universe::Code;
use super::written::WrittenId;

/// Number of a register in the current frame, counted from 0. A register holds one [`Code`].
pub type Reg = u16;

/// Number of a set register in the current frame, counted from 0. A set register holds one bit per
/// index of a universe.
pub type SetReg = u16;

/// A value that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    /// The code in a register.
    Reg(Reg),
    /// A code known when the clause was compiled.
    Const(Code),
}

/// A set that an instruction reads, [`super::Layout::words`] words wide.
#[derive(Debug, Clone, PartialEq)]
pub enum Set {
    /// The contents of a set register.
    Reg(SetReg),
    /// A constant set: the number of a set in [`super::Plan::masks`].
    Mask(u32),
    /// A plane of the state, by its first word.
    Plane(u32),
    /// The plane of a value of a map: the keys at which the map has this value. Empty where the
    /// value is outside the map's axis.
    PlaneOf {
        /// A map with planes.
        fluent: FluentId,
        /// The value whose plane is read.
        value: Operand,
    },
    /// The slice of a map or set with several keys: the values of one key at which it has this value,
    /// or any value. Empty where the value or one of the other keys is outside its axis.
    Slice {
        /// A map or set with slices.
        fluent: FluentId,
        /// The number of the slices among those of the map or set.
        slices: usize,
        /// One operand for each of the other keys, in their order.
        others: Box<[Operand]>,
        /// The value; `None` for all defined keys.
        value: Option<Operand>,
    },
    /// The set of a combination of keys in [`super::Plan::rows`]; empty where the keys have none.
    Row {
        /// Index into [`super::Plan::rows`].
        rows: u32,
        /// One operand per key column.
        keys: Box<[Operand]>,
    },
}

/// A list of operands: keys, the inputs of a call, or the values of an answer.
pub type Operands = Box<[Operand]>;

/// One instruction.
///
/// These fields mean the same in every instruction:
///
/// - `dst`, `outs`: the registers written; for a row of an index, its other columns.
/// - `base`: the code of index 0 of the set.
/// - `fluent`, `keys`: a map or set of the state, and one operand for each of its keys.
/// - `index`, `images`, `keys`: an index into [`super::Plan::indexes`] or [`super::Plan::images`], and one
///   operand for each of its key columns.
/// - `procedure`, `inputs`: an index into [`super::Plan::procedures`], and the values of its
///   [`Argument::Input`]s in order.
/// - `pattern`: an index into [`super::Plan::patterns`].
/// - `body`: the block run once for each answer of a generator, or whose answers are wanted.
/// - `negate`: the test is inverted.
/// - `source`: the place that a rule error names, an index into [`super::Plan::sources`].
/// - `filters`: sets that must contain an element or, where the flag is set, must not.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields that many instructions share are described once")]
pub enum Op {
    // sets
    /// Copies a set into a set register.
    Load { dst: SetReg, set: Set },
    /// Intersects a set register with a set.
    And { dst: SetReg, set: Set },
    /// Removes the elements of a set from a set register.
    AndNot { dst: SetReg, set: Set },
    /// Removes one element from a set register; does nothing where the code is outside the universe.
    Remove { dst: SetReg, base: Code, x: Operand },
    /// The union of the sets that a block emits.
    Gather {
        dst: SetReg,
        /// The block, whose ways end in `Emit`, `EmitOne`, `EmitImage` or `EmitJoint`.
        body: BlockId,
    },
    /// The union of the sets that a procedure's clauses emit; it answers with [`Answer::Set`].
    GatherCall { dst: SetReg, procedure: u32, inputs: Operands },

    // generators
    /// Every element of a set, ascending. The set is read once, before the first round.
    Each {
        set: Set,
        base: Code,
        dst: Reg,
        /// A set register that holds, at the end of a round, the elements whose rounds would have the
        /// same effect; these are skipped.
        orbit: Option<SetReg>,
        body: BlockId,
    },
    /// Every row of an index that has the given keys.
    Rows { index: u32, keys: Operands, outs: Box<[Reg]>, body: BlockId },
    /// Every integer from `lo` to `hi`, both inclusive, ascending.
    Integers {
        dst: Reg,
        /// The least integer.
        lo: Operand,
        /// The greatest integer; there is no answer where it is below `lo`.
        hi: Operand,
        body: BlockId,
    },
    /// Every combination of keys for which a map has a value, or that a set contains. The fluent has
    /// packed cells.
    Keys { fluent: FluentId, outs: Box<[Reg]>, body: BlockId },
    /// The distinct items of a list, in order of first occurrence. A value that is not a list has none.
    Members { dst: Reg, list: Operand, body: BlockId },
    /// The answers of a procedure: a relation, or an action with its updates. It answers with
    /// [`Answer::Tuples`].
    Call {
        procedure: u32,
        inputs: Operands,
        /// The registers that hold its [`Argument::Output`]s, in order.
        outs: Box<[Reg]>,
        body: BlockId,
    },
    /// The legal moves of the position that match a pattern with these inputs, each combination of
    /// outputs once and in the standard order of terms. There are none while a chance event is due.
    Legal { pattern: u32, inputs: Operands, outs: Box<[Reg]>, body: BlockId },

    // values; an instruction that has no value fails
    /// Copies a value into a register.
    Copy { dst: Reg, x: Operand },
    /// The value of a map at bound keys. Fails where the map has none, or a key is outside its domain.
    Read { dst: Reg, fluent: FluentId, keys: Operands },
    /// The row of a functional index. Fails where the keys have none.
    Find { index: u32, keys: Operands, outs: Box<[Reg]> },
    /// Arithmetic on integers. An operand that is not an integer, a result out of range and a
    /// division that has no result are rule errors.
    Calculate {
        dst: Reg,
        op: ArithmeticOp,
        a: Operand,
        /// The second operand; an integer that is not used where the operation is unary.
        b: Operand,
        source: u32,
    },
    /// The number of items of a list. Fails where the value is not a list.
    Length { dst: Reg, list: Operand },
    /// Builds a list from its items and a tail.
    MakeList {
        dst: Reg,
        /// The first items.
        items: Operands,
        /// The list that follows them; the empty list where `None`.
        tail: Option<Operand>,
    },
    /// Splits a list into its head and tail. Fails where it is empty or the value is not a list.
    TakeList {
        list: Operand,
        /// The register that holds the first item.
        head: Reg,
        /// The register that holds the list of the other items.
        tail: Reg,
    },
    /// The number of elements of a set.
    Count { dst: Reg, set: Set },
    /// Aggregates the templates of the distinct answers that a block yields. `max` and `min` fail
    /// where there is no answer; a sum out of range is a rule error.
    Collect {
        dst: Reg,
        /// The aggregate; never `findall`, which cannot be used in play, nor `connected`, which is
        /// relations here.
        kind: Aggregate,
        /// The block, whose ways end in `Yield`.
        body: BlockId,
        source: u32,
    },

    // tests
    /// A value is an element of a set.
    In { x: Operand, base: Code, set: Set, negate: bool },
    /// A set has an element.
    NonEmpty { set: Set, negate: bool },
    /// Every element of the first set is one of the second.
    Subset { part: Set, whole: Set, negate: bool },
    /// One of `count` consecutive constant sets is a subset of `whole`.
    AnyRow {
        /// The number of the first of the constant sets in [`super::Plan::masks`].
        masks: u32,
        count: u32,
        /// The set that must contain one of them.
        whole: Set,
        /// In an end clause: the index into [`super::Plan::through`] of the same sets, ordered by the
        /// sites they hold. Only sets that hold a site changed since the last test are then examined.
        through: Option<u32>,
        /// The game may go on where one is contained, because other tests follow.
        guarded: bool,
        negate: bool,
    },
    /// A map has a given value at given keys, or a set contains them.
    Holds {
        fluent: FluentId,
        keys: Operands,
        /// The value; `None` for a set.
        value: Option<Operand>,
        negate: bool,
    },
    /// A map has any value at given keys.
    Defined { fluent: FluentId, keys: Operands, negate: bool },
    /// An index has a row for given keys.
    Has { index: u32, keys: Operands, negate: bool },
    /// Two values are equal; lists are compared item by item.
    Same { a: Operand, b: Operand, negate: bool },
    /// Compares two integers. An operand that is not an integer is a rule error.
    Compare { op: Comparison, a: Operand, b: Operand, source: u32 },
    /// An integer lies in a range.
    Between {
        x: Operand,
        /// The least integer of the range.
        lo: Operand,
        /// The greatest integer of the range.
        hi: Operand,
    },
    /// A value is an item of a list. Fails where the second value is not a list.
    InList { x: Operand, list: Operand },
    /// A value is the empty list.
    IsEmpty { x: Operand },
    /// A procedure has an answer; it answers with [`Answer::Test`].
    Test { procedure: u32, inputs: Operands, negate: bool },
    /// A block has an answer. The bindings of its first answer are not used afterwards.
    Exists {
        /// The block, whose ways end in `Succeed`.
        body: BlockId,
        negate: bool,
    },
    /// Some legal move of the position matches a pattern with these inputs.
    SomeLegal { pattern: u32, inputs: Operands },
    /// The position, or its board alone, has occurred a number of times: `repeated(N)` and
    /// `repeated_board(N)`.
    Repeated {
        /// The least number of occurrences, the current one included.
        times: Operand,
        /// The player to move is not compared.
        board: bool,
    },
    /// The player to move has no legal move, and no chance event is possible.
    Stuck,

    // control
    /// Counts a run of the next instruction. Only a plan that is being profiled has probes.
    Probe {
        /// The number of the probe, counted from 0.
        number: u32,
    },
    /// Runs each way in turn. The ways that end in `Continue` meet in `rest`.
    Branch {
        ways: Box<[BlockId]>,
        /// The block in which the ways meet; `None` where no way arrives there.
        rest: Option<BlockId>,
    },
    /// Runs a condition, keeps its first answer and continues in `then`; continues in `otherwise`
    /// where there is none.
    If {
        condition: BlockId,
        /// The way taken where the condition has an answer.
        then: BlockId,
        /// The way taken where it has none.
        otherwise: BlockId,
        /// The block in which the two ways meet.
        rest: BlockId,
    },
    /// Keeps the first answer of a block, updates included. Fails where there is none.
    Once {
        /// The block, whose ways end in `Succeed`.
        body: BlockId,
    },
    /// The part of a flood's clause that is run in each round. The instructions before it are run in
    /// the first round only: their effect is the same in each, and their registers are kept.
    Round { body: BlockId },

    // updates
    /// Gives a map a value. A key or value outside its domain is a rule error.
    Assign { fluent: FluentId, keys: Operands, value: Operand, source: u32 },
    /// Gives a map its initial value again, or none where it is not declared with one. A key outside its
    /// domain is a rule error.
    Clear { fluent: FluentId, keys: Operands, source: u32 },
    /// Adds an element to a set, or removes it. A key outside its domain is a rule error.
    Set {
        fluent: FluentId,
        keys: Operands,
        /// Whether the element is added.
        on: bool,
        source: u32,
    },
    /// Keeps the turn with the player who is moving.
    Again,
    /// Runs an action for each answer of a goal, all of which are found first. Fails where the action
    /// fails for one of them.
    ForEach {
        /// The block of the goal, whose ways end in `Yield`.
        goal: BlockId,
        /// The registers that hold the `distinct` values of an answer while the action runs.
        registers: Box<[Reg]>,
        /// The block of the action, of which the first answer is kept.
        action: BlockId,
    },

    // terminals
    /// Returns control to the enclosing generator.
    Fail,
    /// The end of a way: continues where the ways of the innermost enclosing `Branch` or `If` meet.
    Continue {
        /// The block in which the ways meet.
        rest: BlockId,
    },
    /// The block has an answer.
    Succeed,
    /// Adds a set to the union being gathered.
    Emit { set: Set },
    /// Adds one element to the union being gathered; does nothing where it is outside the universe.
    EmitOne { x: Operand, base: Code },
    /// Adds to the union being gathered what the elements of a set are related to, as far as it passes
    /// the filters.
    EmitImage {
        images: u32,
        keys: Operands,
        /// The set whose image is taken.
        source: Set,
        filters: Box<[(Set, bool)]>,
    },
    /// Adds to the union being gathered the targets of the rows whose sites are in these sets, each in its
    /// own, or outside of those that are negated.
    EmitJoint { joints: u32, sets: Box<[(Set, bool)]> },
    /// Passes one answer to the enclosing `Collect` or `ForEach`.
    Yield {
        /// The value to aggregate; not used by `ForEach`.
        template: Operand,
        /// The values by which answers are told apart.
        distinct: Operands,
    },
    /// Passes one answer to the caller of the procedure.
    Return {
        /// The values of the [`Argument::Output`]s, in order.
        outs: Operands,
    },
    /// Candidate moves: one for each element of a set.
    Segment { set: Set, base: Code, dst: Reg },
    /// Candidate moves: one for each element of the image of a set, shift by shift, so that the
    /// origin of an element follows from the element.
    SegmentImage {
        images: u32,
        keys: Operands,
        /// The set whose image is taken.
        source: Set,
        filters: Box<[(Set, bool)]>,
        /// The register that holds the element of `source`, and the code of index 0 there.
        from: (Reg, Code),
        /// The register that holds the element of the image, and the code of index 0 there.
        to: (Reg, Code),
    },
    /// From here on no later clause of the action is tried: they exclude each other by the state,
    /// which this clause is about to change.
    Cut,
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
    /// Tuples, one after the other. Actions answer in this form too.
    Tuples,
}

/// The role of an argument in a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    /// Its value is given by the caller.
    Input,
    /// Its values are wanted, as part of a tuple.
    Output,
    /// The one argument whose set of values is wanted.
    Target,
    /// Its value does not matter.
    Ignored,
}

/// A relation or action compiled for one way of calling it.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// Name and arity of the relation, as `name/2`.
    pub name: String,
    /// How it answers.
    pub answer: Answer,
    /// The role of each argument. For ranks and weights the arguments of the move take the place of the
    /// first one.
    pub arguments: Vec<Argument>,
    /// The clauses in the order of the rule file. Inputs arrive in the first registers of each.
    pub clauses: Vec<Body>,
    /// How calls of itself are evaluated.
    pub recursion: Recursion,
    /// Answers may come twice and must be told apart by the caller.
    pub repeats: bool,
    /// Its answers are passed on one by one, updates of the state included.
    pub action: bool,
    /// Its updates are taken back before an answer is passed on.
    pub supposes: bool,
    /// Its answers come in the standard order of terms.
    pub sorted: bool,
    /// An answer may hold a list.
    pub lists: bool,
    /// For each output: the codes that it may have, where they form one interval.
    pub ranges: Vec<Option<KeyRange>>,
}

impl Procedure {
    /// Whether calls can be run as they are written: without a table, and without taking them for the
    /// rounds of a flood.
    pub fn is_plain(&self) -> bool {
        match self.recursion {
            Recursion::None => true,
            Recursion::Tabled { untabled, .. } => untabled != Untabled::Never && !self.supposes,
            Recursion::Plain | Recursion::Flood { .. } => false,
        }
    }

    /// How many values a call passes.
    pub fn inputs(&self) -> usize {
        self.arguments.iter().filter(|a| **a == Argument::Input).count()
    }

    /// How many values an answer has.
    pub fn outs(&self) -> usize {
        self.arguments.iter().filter(|a| **a == Argument::Output).count()
    }
}

/// How a procedure that calls itself is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Recursion {
    /// It does not call itself.
    None,
    /// Actions: plain recursion.
    Plain,
    /// A set that grows until nothing is added: the clauses marked as seeds run once, the others read
    /// the set in set register 0 (semi-naively: what the last round added).
    Flood {
        /// For each clause, whether it is a seed: it contains no recursive call.
        seeds: Vec<bool>,
        /// The body of the [`Op::Round`] of the only clause that is not a seed; later rounds run this
        /// body alone.
        round: Option<BlockId>,
    },
    /// A table per combination of inputs, evaluated to a fixpoint together with the tables of the
    /// other procedures in its component: those that it calls and that call it.
    Tabled {
        /// The number of the component; procedures that call each other have the same.
        component: u32,
        /// For each clause.
        reruns: Box<[Rerun]>,
        /// Why it is not a flood.
        because: NoFlood,
        /// Whether machine code runs its calls as they are written.
        untabled: Untabled,
    },
}

/// Whether the calls of a recursion may be evaluated as they are written, without a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untabled {
    /// Calls may come back to themselves.
    Never,
    /// Each answer is a list made of another, so a table saves only what ways without an answer cost; or a call leads to
    /// one other most often. There may be many all the same: machine code gives up after some steps.
    Tried,
    /// They end, as an input that is a list becomes shorter or longer with each, or one goes along a line, or as a path
    /// that does not come back to itself.
    Ends,
}

/// Why a recursive relation is a table and not a flood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFlood {
    /// It calls itself by way of other relations.
    Together,
    /// One of its goals may be a rule error.
    Raises,
    /// It keeps a first answer.
    Chooses,
    /// A clause calls it more than once, or inside another goal.
    Twice,
    /// The recursion changes these arguments, counted from 0.
    Changes(Vec<usize>),
    /// The argument that the recursion changes is not an element of a set.
    NoSet(usize),
    /// It was called without some arguments that the recursion passes on unchanged.
    Open,
}

/// What a clause of a tabled procedure does when tables of its component have grown.
#[derive(Debug, Clone, PartialEq)]
pub enum Rerun {
    /// Nothing: it reads none of them.
    Never,
    /// It runs once for each of these calls. That call reads the answers that it has not read yet;
    /// the other calls read all.
    NewAnswers(Box<[OpId]>),
    /// It reads all answers again.
    AllAnswers,
}

/// A compiled clause.
#[derive(Debug, Clone)]
pub struct Body {
    /// The clause of the program.
    pub clause: ClauseId,
    /// The block in which it begins.
    pub start: BlockId,
    /// How many registers its frame has.
    pub registers: u16,
    /// How many set registers its frame has.
    pub sets: u16,
}

/// A compiled move or chance clause.
#[derive(Debug, Clone)]
pub struct MoveClause {
    /// The clause of the program.
    pub clause: ClauseId,
    /// The functor of its move term: index into [`super::Plan::functors`].
    pub functor: u32,
    /// Runs the tests before the first update and ends in `Segment` or `Single`; for a branching
    /// clause the whole clause, ending in `Commit`.
    pub generate: Body,
    /// The updates and what follows; `None` for a branching clause.
    pub apply: Option<BlockId>,
    /// How many registers `apply` and the move term need: the first ones of the frame.
    pub kept: u16,
    /// Tests follow updates: a candidate must be tried.
    pub tested: bool,
    /// Where an update may leave its domain, which is a rule error: a candidate that is listed or
    /// counted is played first.
    pub risk: Risk,
    /// A goal before the first update may be a rule error.
    pub faulty: bool,
    /// Several moves may come from one candidate: each is kept with its resulting state.
    pub branching: bool,
    /// `apply` may have several ways, which must all lead to one state: where the candidate is played, all are taken and
    /// compared.
    pub all_ways: bool,
    /// Why that is: a goal behind the first update that may have several answers.
    pub several: Option<WrittenId>,
    /// Updates are made, and undone, to generate candidates.
    pub updates: bool,
    /// Two answers of this clause, or of it and another, may be the same move.
    pub repeats: bool,
    /// The move term's arguments.
    pub head: Vec<HeadTerm>,
    /// Registers that are computed from others when they are needed.
    pub found: Vec<Found>,
    /// The rank of its moves.
    pub rank: Rank,
    /// For a chance event: the procedure that gives its weight, an index into
    /// [`super::Plan::procedures`]. `None` where every event weighs 1.
    pub weight: Option<u32>,
    /// The weight of an event is the same in every position.
    pub weighs_alike: bool,
}

/// When the updates of a clause may be a rule error.
#[derive(Debug, Clone, PartialEq)]
pub enum Risk {
    /// In no position.
    Never,
    /// In positions where one of these maps has a value outside its range.
    Outside(Vec<Safe>),
    /// Perhaps in every position.
    Always,
}

/// The values of a map without keys for which no update is a rule error, coded as in the state: an
/// index plus one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Safe {
    /// The map.
    pub fluent: FluentId,
    /// The least coded value.
    pub from: u64,
    /// The greatest coded value.
    pub to: u64,
}

impl MoveClause {
    /// Whether one of its goals may be a rule error in some position.
    pub fn may_raise(&self) -> bool {
        self.faulty || self.risk != Risk::Never
    }
}

/// The only row of an index for these keys, whose codes some registers have.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Index into [`super::Plan::indexes`]; the index is functional.
    pub index: u32,
    /// One operand per key column.
    pub keys: Operands,
    /// The registers that hold the other columns.
    pub outs: Box<[Reg]>,
}

/// How the rank of a move is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rank {
    /// The same for all moves of the clause.
    Fixed(i64),
    /// By a procedure, an index into [`super::Plan::procedures`], whose inputs are the move's
    /// arguments.
    Computed(u32),
}

/// Clauses whose moves are generated together: those of one fixed rank, or all of them where some rank
/// is computed.
#[derive(Debug, Clone)]
pub struct RankGroup {
    /// Indexes into [`super::Plan::moves`].
    pub clauses: Vec<u16>,
    /// The highest rank must be found move by move.
    pub computed: bool,
    /// Computing a rank may be a rule error.
    pub faulty: bool,
}

impl RankGroup {
    /// Groups the clauses by rank, the highest first. `faulty` says that computing a rank may be a
    /// rule error.
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
    /// A constant or the value of a register.
    Operand(Operand),
    /// A list of items, and the list that follows them, where there is one.
    List(Vec<HeadTerm>, Option<Box<HeadTerm>>),
    /// A compound of this name and these arguments.
    Compound(String, Vec<HeadTerm>),
}

impl HeadTerm {
    /// Adds the names of the compounds in the term.
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

    /// Adds the registers that the term reads.
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
    /// One for each argument of the move; the move itself is the only one for any move.
    pub arguments: Vec<PatternArgument>,
}

/// An argument of a [`MovePattern`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PatternArgument {
    /// It must be equal to the input with this number.
    Equal(usize),
    /// It is an output, with this number among the outputs.
    Out(usize),
    /// It may be anything.
    Any,
}

impl Op {
    /// The name of the instruction, without its operands.
    pub fn name(&self) -> String {
        let shown = format!("{self:?}");
        shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_string()
    }
}
