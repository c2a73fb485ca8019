//! Ranks of moves and weights of chance events.
//!
//! The rank of a move that is enumerated whole is computed where the move ends, if it depends on the
//! move alone. Such a move is legal, so no move of a lower rank is: candidates behind it need not be
//! recorded, and those before it are dropped. Where its rank is above the fixed ranks of the other
//! clauses, these need not be run at all.
//!
//! Other ranks, and weights, are computed for one candidate at a time, as the machine asks for them; values and
//! scores for one player at a time.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::plan::{
    Answer, Argument, HeadTerm, MoveClause, Op, Operand, Plan, Rank, RankGroup, Recursion, Reg,
};

use super::super::run::INTEGERS;
use super::context::Context;
use super::function::{Emitted, Env, Function, Number};

/// The words of a slot for the ranks of one move.
const RANKS: usize = 64;

/// Whether the ranks of a group with calculated ranks are computed where the moves end: each of
/// them is a function of the move alone, and the moves are enumerated whole.
pub(super) fn ranks_early(plan: &Plan, group: &RankGroup) -> bool {
    let asks = |op: &Op| matches!(op, Op::Legal { .. } | Op::SomeLegal { .. } | Op::Stuck);
    let early = |number: &u16| {
        let clause = &plan.moves[*number as usize];
        let nested = plan.blocks.may_run(clause.generate.start, &plan.procedures, asks);
        !nested
            && match clause.rank {
                Rank::Fixed(_) => true,
                Rank::Computed(procedure) => is_early(plan, clause, procedure),
            }
    };
    group.computed && !group.faulty && group.clauses.iter().all(early)
}

fn is_early(plan: &Plan, clause: &MoveClause, procedure: u32) -> bool {
    let gives_number = gives_number(plan, clause, procedure);
    let procedure = &plan.procedures[procedure as usize];
    let states = |op: &Op| {
        !matches!(
            op,
            Op::Copy { .. }
                | Op::Length { .. }
                | Op::TakeList { .. }
                | Op::MakeList { .. }
                | Op::IsEmpty { .. }
                | Op::Calculate { .. }
                | Op::Compare { .. }
                | Op::Same { .. }
                | Op::Return { .. }
        )
    };
    clause.branching
        && gives_number
        && procedure.recursion == Recursion::None
        && clause.head.iter().all(|term| is_made(term, &|_| true))
        && procedure
            .clauses
            .iter()
            .all(|clause| !plan.blocks.may_run(clause.start, &plan.procedures, states))
}

/// The procedure that native code computes the rank of a clause's candidates with, one by one, or the weight of its
/// chance events: where their arguments can be made of what a candidate keeps.
pub(super) fn numbering(plan: &Plan, chance: bool, number: u16) -> Option<u32> {
    let clause = &plan.clauses(chance)[number as usize];
    let procedure = match (chance, clause.rank) {
        (true, _) => clause.weight?,
        (false, Rank::Computed(procedure)) => procedure,
        (false, Rank::Fixed(_)) => return None,
    };
    let of_pick = |reg: Reg| match plan.blocks.line(clause.generate.start).last() {
        Some(Op::Segment { dst, .. }) => reg == *dst,
        Some(Op::SegmentImage { from, to, .. }) => reg == from.0 || reg == to.0,
        _ => false,
    };
    let is_kept = |reg: Reg| {
        let found = clause.found.iter().any(|found| found.outs.contains(&reg));
        !found && (reg < clause.kept || of_pick(reg))
    };
    let made = clause.head.iter().all(|term| is_made(term, &is_kept));
    (made && gives_number(plan, clause, procedure)).then_some(procedure)
}

/// The procedures that give numbers for a player, and which native code adds up: `value/2` and `score/2`.
pub(super) fn sums(plan: &Plan) -> impl Iterator<Item = u32> {
    let all = [plan.value, plan.score].into_iter().flatten();
    all.filter(|procedure| answers_with_number(plan, 1, *procedure))
}

/// Whether a procedure answers a move's arguments, and nothing else, with a value.
fn gives_number(plan: &Plan, clause: &MoveClause, procedure: u32) -> bool {
    answers_with_number(plan, clause.head.len(), procedure)
}

/// Whether a procedure has this number of arguments before its only output.
fn answers_with_number(plan: &Plan, arguments: usize, procedure: u32) -> bool {
    let procedure = &plan.procedures[procedure as usize];
    procedure.arguments.len() == arguments + 1
        && procedure.answer == Answer::Tuples
        && procedure.outs() == 1
        && !procedure.supposes
}

/// Whether a move's argument has a native form where these registers are known.
fn is_made(term: &HeadTerm, is_known: &dyn Fn(Reg) -> bool) -> bool {
    match term {
        HeadTerm::Operand(Operand::Const(_)) => true,
        HeadTerm::Operand(Operand::Reg(reg)) => is_known(*reg),
        HeadTerm::List(items, tail) => {
            items.iter().chain(tail.as_deref()).all(|part| is_made(part, is_known))
        }
        HeadTerm::Compound(..) => false,
    }
}

impl Function<'_, '_, '_> {
    /// The candidates of a group with [early ranks](ranks_early). Those of clauses with calculated
    /// ranks are made first; continues at `done` where no others are needed, and otherwise behind
    /// the candidates of all clauses, whose ranks must still be compared.
    pub fn best_candidates(&mut self, group: &RankGroup, done: Block) -> Emitted {
        let plan = self.plan;
        let rank = |clause: &u16| plan.moves[*clause as usize].rank;
        let mut fixed: Vec<i64> = (group.clauses.iter().map(rank))
            .filter_map(|rank| match rank {
                Rank::Fixed(rank) => Some(rank),
                Rank::Computed(_) => None,
            })
            .collect();
        fixed.sort_unstable();
        fixed.dedup();
        let computed = || group.clauses.iter().filter(|c| matches!(rank(c), Rank::Computed(_)));
        let known = self.new_variable();
        let no = self.c(0);
        self.b.def_var(known, no);
        let [early, none, some, again, all] = [(); 5].map(|()| self.b.create_block());
        let drops = self.read_context(offset_of!(Context, drops_lower));
        self.fork(drops, early, all);
        self.b.switch_to_block(early);
        let (one, least) = (self.c(1), self.c(i64::MIN));
        self.write_context(offset_of!(Context, best_rank), least);
        let kept = self.read_context(offset_of!(Context, kept_count));
        self.write_context(offset_of!(Context, first_kept), kept);
        self.write_context(offset_of!(Context, ranks), one);
        for clause in computed() {
            self.write_candidates(false, *clause)?;
        }
        let no = self.c(0);
        self.write_context(offset_of!(Context, ranks), no);
        let total = self.read_context(offset_of!(Context, total));
        self.fork(total, some, none);
        self.b.switch_to_block(some);
        match fixed.last() {
            Some(highest) => {
                let best = self.read_context(offset_of!(Context, best_rank));
                let above = self.compare_with(IntCC::SignedGreaterThan, best, *highest);
                self.fork(above, done, again);
            }
            None => self.jump(done),
        }
        self.b.switch_to_block(again);
        self.drop_candidates();
        self.jump(all);
        self.b.switch_to_block(none);
        let yes = self.c(1);
        self.b.def_var(known, yes);
        self.jump(all);

        self.b.switch_to_block(all);
        for clause in &group.clauses {
            let next = self.b.create_block();
            if let Rank::Computed(_) = rank(clause) {
                let make = self.b.create_block();
                let has_none = self.b.use_var(known);
                self.fork(has_none, next, make);
                self.b.switch_to_block(make);
            }
            self.write_candidates(false, *clause)?;
            self.jump(next);
            self.b.switch_to_block(next);
        }
        if fixed.len() <= 1 {
            let same = self.b.use_var(known);
            self.refuse(same, done);
        }
        Ok(())
    }

    /// Continues where a move that has been made whole may be of the highest rank; the candidates
    /// of lower ranks are dropped.
    pub fn compare_rank(&mut self, clause: &MoveClause, env: &Env, fail: Block) -> Emitted {
        let Rank::Computed(procedure) = clause.rank else { return Ok(()) };
        if !is_early(self.plan, clause, procedure) {
            return Ok(());
        }
        let (ranks, record) = (self.b.create_block(), self.b.create_block());
        let wanted = self.read_context(offset_of!(Context, ranks));
        self.fork(wanted, ranks, record);
        self.b.switch_to_block(ranks);
        let rank = self.rank(procedure, clause, env)?;
        let best = self.read_context(offset_of!(Context, best_rank));
        let lower = self.compare(IntCC::SignedLessThan, rank, best);
        self.refuse(lower, fail);
        let (better, same) = (self.b.create_block(), self.compare(IntCC::Equal, rank, best));
        self.fork(same, record, better);
        self.b.switch_to_block(better);
        self.write_context(offset_of!(Context, best_rank), rank);
        self.drop_candidates();
        self.jump(record);
        self.b.switch_to_block(record);
        Ok(())
    }

    /// Drops the candidates of the position.
    fn drop_candidates(&mut self) {
        let first = self.read_context(offset_of!(Context, segments));
        self.write_context(offset_of!(Context, segment), first);
        let kept = self.read_context(offset_of!(Context, first_kept));
        self.write_context(offset_of!(Context, kept_count), kept);
        let none = self.c(0);
        self.write_context(offset_of!(Context, total), none);
    }

    /// The greatest number that a procedure gives for a move; 0 where it gives none.
    fn rank(&mut self, procedure: u32, clause: &MoveClause, env: &Env) -> Emitted<Value> {
        let (greatest, none) = self.greatest(procedure, clause, env)?;
        let zero = self.c(0);
        Ok(self.b.ins().select(none, zero, greatest))
    }

    /// The greatest number that a procedure gives for a move, and whether it gives none.
    pub fn greatest(
        &mut self,
        procedure: u32,
        clause: &MoveClause,
        env: &Env,
    ) -> Emitted<(Value, Value)> {
        let arguments = &self.plan.procedures[procedure as usize].arguments;
        let lists = self.read_context(offset_of!(Context, lists_len));
        let mut inputs = Vec::new();
        for (term, argument) in clause.head.iter().zip(arguments) {
            if *argument == Argument::Input {
                inputs.push(self.argument(term, env));
            }
        }
        let (highest, count) =
            self.folded((procedure, &inputs), false, i64::MIN, |function, x, y| {
                function.b.ins().smax(x, y)
            })?;
        // the lists of the arguments are not part of the move
        self.write_context(offset_of!(Context, lists_len), lists);
        let none = self.compare_with(IntCC::Equal, count, 0);
        Ok((highest, none))
    }

    /// The sum of the numbers that a procedure gives for a player, and whether it gives none.
    pub fn sum(&mut self, procedure: u32, player: Value) -> Emitted<(Value, Value)> {
        let inputs = self.inputs(&[player]);
        // equal answers of two clauses are one
        let (sum, count) = self.folded((procedure, &inputs), true, 0, |function, x, y| {
            let sum = function.add(x, y);
            function.bail_unless_number(sum);
            sum
        })?;
        let none = self.compare_with(IntCC::Equal, count, 0);
        Ok((sum, none))
    }

    /// The numbers that a procedure gives for some inputs, joined to one, and how many there are; `each_once` where equal
    /// ones must be joined once.
    fn folded(
        &mut self,
        (procedure, inputs): (u32, &[Number]),
        each_once: bool,
        first: i64,
        join: impl Fn(&mut Self, Value, Value) -> Value,
    ) -> Emitted<(Value, Value)> {
        let taken = self.rooms.taken.len();
        let collected = self.collected_in(RANKS, 1, each_once)?;
        self.collect_answers(procedure, inputs, collected)?;
        let (first, from) = (self.c(first), self.c(0));
        let (all, end) = (self.variable_of(first), self.b.create_block());
        let (here, header) = self.numbers(from, collected.count, None, end);
        let number = self.answer_at(collected, here)[0].value;
        self.bail_unless_number(number);
        let before = self.b.use_var(all);
        let joined = join(self, number, before);
        self.b.def_var(all, joined);
        self.jump(header);
        self.b.switch_to_block(end);
        self.release(taken);
        Ok((self.b.use_var(all), self.b.use_var(collected.count)))
    }

    /// What is not a number is a rule error, of which the interpreter tells.
    fn bail_unless_number(&mut self, code: Value) {
        let above = self.plus(code, -INTEGERS.start());
        let len = INTEGERS.end() - INTEGERS.start();
        let other = self.compare_with(IntCC::UnsignedGreaterThan, above, len);
        self.bail_if(other);
    }

    fn argument(&mut self, term: &HeadTerm, env: &Env) -> Number {
        match term {
            HeadTerm::Operand(x) => self.number(*x, env),
            HeadTerm::List(items, tail) => {
                let items: Vec<Value> =
                    items.iter().map(|item| self.argument(item, env).value).collect();
                let tail = tail.as_ref().map(|tail| self.argument(tail, env).value);
                self.list(&items, tail)
            }
            // `ranks_early` leaves these to the machine
            HeadTerm::Compound(..) => self.exactly(0),
        }
    }
}
