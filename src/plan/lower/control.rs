//! Disjunctions, conditionals, updates and the order of goals that have updates among them.

use super::super::blocks::BlockId;
use super::super::ops::{Op, Operand, Reg};
use super::conjuncts::each_open;
use super::effects::Fluents;
use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::order::{BlockState, TargetForm, UNBOUND, Want};
use super::procedures::FLOOD;
use super::{Builder, Lowering, NotReady};
use crate::program::{ArithmeticOp, FluentId, Kind};

/// The most values of the outer one of two loops that an `each` is split into.
const MAX_ROUNDS: i64 = 16;

/// Where the ways through a disjunction or a conditional meet, and the registers that hold what
/// each of them binds.
struct Join {
    registers: Vec<(Var, Reg)>,
    rest: BlockId,
}

impl Join {
    /// Emits the instruction that chooses a way; after it the variables are bound.
    fn end(self, choice: Op, context: &mut BlockState, out: &mut Builder) {
        for (v, reg) in self.registers {
            context.bound[v] = Some(Operand::Reg(reg));
        }
        out.push(choice);
    }
}

impl Lowering<'_> {
    pub(super) fn or_ops(
        &mut self,
        goal: &G,
        branches: &[Vec<G>],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        // every way is tried where one may be a rule error
        let tests = !branches.iter().flatten().any(|g| self.acts(g) || self.raises(g));
        if shared.is_empty() && tests {
            return self.choice_test(branches, context, vars, want, out);
        }
        // two branches may give the same values
        context.repeats |= want.sensitive;
        let join = self.join(&shared, context);
        let mut ways = Vec::new();
        for branch in branches {
            ways.push(self.branch(branch, &join, context, vars, want)?);
        }
        let rest = Some(join.rest);
        join.end(Op::Branch { ways: ways.into_boxed_slice(), rest }, context, out);
        Ok(())
    }

    fn join(&mut self, shared: &[Var], context: &mut BlockState) -> Join {
        let registers = shared.iter().map(|v| (*v, context.register())).collect();
        Join { registers, rest: self.ops.blocks.add(Vec::new(), Vec::new()) }
    }

    /// A disjunction of tests: it holds where any branch has an answer.
    pub(super) fn choice_test(
        &mut self,
        branches: &[Vec<G>],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut ways = Vec::new();
        let want = Want { ordered: want.ordered, ..Want::default() };
        for branch in branches {
            let mut inner = context.clone();
            let mut block = self.builder();
            self.conjunction(branch.clone(), &mut inner, vars, &want, &mut block)?;
            block.push(Op::Succeed);
            context.absorb(&inner);
            ways.push(self.place(block));
        }
        let branch = Op::Branch { ways: ways.into_boxed_slice(), rest: None };
        let body = self.ops.blocks.add(vec![branch], vec![self.ops.at]);
        out.push(Op::Exists { body, negate: false });
        Ok(())
    }

    /// The unbound variables that a goal must leave bound.
    fn shared(&self, goal: &G, context: &BlockState, want: &Want) -> Vec<Var> {
        let mut shared = Vec::new();
        goal.each_var(&mut |v| {
            let outside = context.totals[v] > occurrences_in(goal, v) || want.wants(v);
            if context.bound[v].is_none() && outside && !shared.contains(&v) {
                shared.push(v);
            }
        });
        shared
    }

    /// One way through a disjunction or a conditional.
    fn branch(
        &mut self,
        goals: &[G],
        join: &Join,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
    ) -> Result<BlockId, NotReady> {
        let mut inner = context.clone();
        let mut block = self.builder();
        let stands = |v: Var| goals.iter().any(|goal| occurrences_in(goal, v) > 0);
        let joined = join.registers.iter().map(|(v, _)| *v);
        let (telling, needed) =
            joined.partition(|v| want.telling.contains(v) && !want.needed.contains(v));
        let wanted = Want {
            needed,
            telling,
            sensitive: want.sensitive,
            compared: want.compared,
            ordered: want.ordered,
            target: None,
        };
        self.sequence(goals, &mut inner, vars, &wanted, &mut block)?;
        for (v, dst) in &join.registers {
            if inner.bound[*v].is_none() && stands(*v) {
                return Err(NotReady);
            }
            let x = inner.bound[*v].unwrap_or(Operand::Const(UNBOUND));
            block.push(Op::Copy { dst: *dst, x });
        }
        block.push(Op::Continue { rest: join.rest });
        context.absorb(&inner);
        Ok(self.place(block))
    }

    pub(super) fn if_ops(
        &mut self,
        goal: &G,
        (condition, then, otherwise): (&[G], &[G], &[G]),
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        let join = self.join(&shared, context);
        let mut inner = context.clone();
        // the variables that the condition binds and the branch uses
        let mut used = Vec::new();
        then.iter().for_each(|g| g.each_var(&mut |v| used.push(v)));
        let mut needed: Vec<Var> = Vec::new();
        condition.iter().for_each(|g| {
            each_open(g, context, &mut |v| {
                let wanted = used.contains(&v) || shared.contains(&v);
                if context.bound[v].is_none() && wanted && !needed.contains(&v) {
                    needed.push(v);
                }
            });
        });
        let block = self.first_answer(condition, needed, &mut inner, vars, want)?;
        let condition = self.place(block);
        let then = self.branch(then, &join, &mut inner, vars, want)?;
        context.absorb(&inner);
        let otherwise = self.branch(otherwise, &join, context, vars, want)?;
        let rest = join.rest;
        join.end(Op::If { condition, then, otherwise, rest }, context, out);
        Ok(())
    }

    pub(super) fn once_ops(
        &mut self,
        goal: &G,
        inner_goals: &[G],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        if shared.is_empty() && !inner_goals.iter().any(|g| self.acts(g)) {
            return self.exists(inner_goals.to_vec(), context, vars, false, out);
        }
        let mut inner = context.clone();
        let needed = shared.clone();
        let block = self.first_answer(inner_goals, needed, &mut inner, vars, want)?;
        context.absorb(&inner);
        for v in shared {
            context.bound[v] = inner.bound[v];
        }
        let body = self.place(block);
        out.push(Op::Once { body });
        Ok(())
    }

    /// Goals of which only the first answer matters. Where there may be several, and the goals
    /// after them depend on which one it is, they are run in the order of the text.
    fn first_answer(
        &mut self,
        goals: &[G],
        needed: Vec<Var>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
    ) -> Result<Builder, NotReady> {
        let acts = goals.iter().any(|goal| self.acts(goal));
        let seen = acts || !needed.is_empty();
        let (saved, blocks) = (context.clone(), self.ops.blocks.len());
        // of a test only whether it has an answer matters
        let mut wanted = Want { needed, ordered: want.ordered && seen, ..Want::default() };
        loop {
            let mut block = self.builder();
            self.sequence(goals, context, vars, &wanted, &mut block)?;
            if wanted.ordered || !self.may_answer_twice(&block.ops) {
                block.push(Op::Succeed);
                return Ok(block);
            }
            self.ops.blocks.truncate(blocks);
            context.clone_from(&saved);
            context.bound.resize(vars.all.len(), None);
            if !seen {
                // sets and images tell more often whether there is an answer than which
                let mut block = self.builder();
                self.exists(goals.to_vec(), context, vars, false, &mut block)?;
                block.push(Op::Succeed);
                return Ok(block);
            }
            wanted.ordered = true;
        }
    }

    /// Whether these instructions may have more than one answer, where some of them call relations that have one.
    fn may_answer_twice(&mut self, ops: &[Op]) -> bool {
        let called = |op: &Op| match op {
            Op::Call { procedure, .. } => Some(*procedure),
            _ => None,
        };
        if !self.answers_twice(ops.iter()) {
            return false;
        }
        let mut single: Vec<u32> = ops.iter().filter_map(called).collect();
        single.retain(|procedure| self.gives_one_answer(*procedure as usize));
        let others = ops.iter().filter(|op| called(op).is_none_or(|n| !single.contains(&n)));
        self.answers_twice(others)
    }

    /// Whether these instructions may have more than one answer.
    pub(super) fn answers_twice<'a>(&self, mut ops: impl Iterator<Item = &'a Op>) -> bool {
        ops.any(|op| match op {
            Op::If { then, otherwise, .. } => [then, otherwise]
                .into_iter()
                .any(|way| self.answers_twice(self.ops.blocks.line(*way).into_iter())),
            other => other.is_generator(),
        })
    }

    /// Goals with updates among them: the tests between two updates are reordered, the updates are
    /// not.
    pub(super) fn sequence(
        &mut self,
        goals: &[G],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut at = 0;
        while at < goals.len() {
            if self.acts(&goals[at]) {
                // the goal that builds a compound or list for an argument comes after the goal
                // itself
                let patterns = goals[at + 1..].iter().take_while(|g| is_pattern(g)).count();
                let mut behind = Vec::new();
                for goal in &goals[at + 1..=at + patterns] {
                    match is_built(goal, &goals[at], context) {
                        true => self.goal_ops(goal, context, vars, want, out)?,
                        false => behind.push(goal.clone()),
                    }
                }
                self.goal_ops(&goals[at], context, vars, want, out)?;
                at += 1;
                if behind.len() < patterns {
                    let mut rest = behind;
                    rest.extend_from_slice(&goals[at + patterns..]);
                    return self.sequence(&rest, context, vars, want, out);
                }
                continue;
            }
            let end = (at..goals.len()).find(|i| self.acts(&goals[*i])).unwrap_or(goals.len());
            let mut needed = want.needed.clone();
            for goal in &goals[end..] {
                goal.each_var(&mut |v| needed.push(v));
            }
            needed.extend(&want.telling);
            let later = |v: Var| {
                want.needed.contains(&v)
                    || goals[end..].iter().any(|goal| occurrences_in(goal, v) > 0)
            };
            let run = goals[at..end].to_vec();
            let mut inside = Vec::new();
            run.iter().for_each(|g| g.each_var(&mut |v| inside.push(v)));
            needed.retain(|v| {
                inside.contains(v) && context.bound.get(*v).is_none_or(Option::is_none)
            });
            needed.sort_unstable();
            needed.dedup();
            let (telling, needed) =
                needed.into_iter().partition(|v| want.telling.contains(v) && !later(*v));
            let wanted = Want {
                needed,
                telling,
                sensitive: want.sensitive,
                compared: want.compared,
                ordered: want.ordered,
                target: None,
            };
            match self.conjunction(run, context, vars, &wanted, out)? {
                TargetForm::Bound => {}
                TargetForm::Set(_) => return Err(NotReady),
            }
            at = end;
        }
        if want.needed.iter().all(|v| context.bound.get(*v).is_some_and(Option::is_some)) {
            Ok(())
        } else {
            Err(NotReady)
        }
    }

    /// Whether a goal updates the state, itself or inside.
    pub(super) fn acts(&self, goal: &G) -> bool {
        match goal {
            G::Call(id, _) if *id != FLOOD => self.program.relation(*id).kind == Kind::Action,
            G::Or(branches) => branches.iter().flatten().any(|g| self.acts(g)),
            G::If(c, t, e) => c.iter().chain(t).chain(e).any(|g| self.acts(g)),
            G::Once(inner) => inner.iter().any(|g| self.acts(g)),
            other => other.is_update(),
        }
    }

    pub(super) fn update_ops(
        &mut self,
        goal: &G,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        match goal {
            G::Assign(fluent, keys, value, span) => {
                let keys = self.operands(keys, context)?;
                let value = context.operand(*value).ok_or(NotReady)?;
                let source = self.source(*span);
                out.push(Op::Assign { fluent: *fluent, keys, value, source });
            }
            G::AssignNumber(fluent, keys, e, span) => {
                let value = self.expression(e, *span, context, out)?;
                let keys = self.operands(keys, context)?;
                let source = self.source(*span);
                out.push(Op::Assign { fluent: *fluent, keys, value, source });
            }
            G::Clear(fluent, keys, span) => {
                let keys = self.operands(keys, context)?;
                let source = self.source(*span);
                let set = self.layout.place(*fluent).value.is_none();
                out.push(match set {
                    true => Op::Set { fluent: *fluent, keys, on: false, source },
                    false => Op::Clear { fluent: *fluent, keys, source },
                });
            }
            G::Set(fluent, keys, span) => {
                let keys = self.operands(keys, context)?;
                let source = self.source(*span);
                out.push(Op::Set { fluent: *fluent, keys, on: true, source });
            }
            G::Again => out.push(Op::Again),
            G::Cut => out.push(Op::Cut),
            G::Each(all, action, told) => {
                // its answers come once each, and give the clause no values
                let (repeats, witnesses) = (context.repeats, context.witnesses.clone());
                self.for_each(all, action, told, context, vars, out)?;
                (context.repeats, context.witnesses) = (repeats, witnesses);
            }
            _ => return Err(NotReady),
        }
        Ok(())
    }

    fn for_each(
        &mut self,
        all: &[G],
        action: &[G],
        told: &[Var],
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut used = Vec::new();
        action.iter().for_each(|g| g.each_var(&mut |v| used.push(v)));
        // the action is run for each answer over all variables of the goal
        let mut open: Vec<Var> = Vec::new();
        for goal in all {
            each_open(goal, context, &mut |v| {
                if context.bound[v].is_none() && told.contains(&v) && !open.contains(&v) {
                    open.push(v);
                }
            });
        }
        // an update that is made twice is made once
        let idempotent = self.repeats_harmlessly(action, &open);
        if idempotent {
            open.retain(|v| used.contains(v));
        }
        let ordered = !self.commutes(action, &open);
        if !ordered && let Some((at, v)) = self.outer_loop(all, action, &open, context) {
            let mut all = all.to_vec();
            let outer = vec![all.remove(at)];
            let told = told.iter().copied().filter(|other| *other != v).collect();
            let inner = vec![G::Each(all, action.to_vec(), told)];
            return self.for_each(&outer, &inner, &[v], context, vars, out);
        }
        let mut inner = context.clone();
        let mut block = self.builder();
        let set = match open[..] {
            [v] if idempotent && !ordered => {
                let universe = self.settable(v, vars);
                universe.and_then(|u| self.gather_or_fold(all.to_vec(), v, u, context, vars, out))
            }
            _ => None,
        };
        let distinct: Box<[Operand]> = match set {
            Some(set) => {
                inner = context.clone();
                let dst = inner.register();
                let base = self.base_of(open[0], vars);
                block.push(Op::Each { set, base, dst, orbit: None, body: BlockId::OPEN });
                Box::new([Operand::Reg(dst)])
            }
            None => {
                open.iter().for_each(|v| inner.totals[*v] += 1);
                let (needed, telling) = open.iter().copied().partition(|v| used.contains(v));
                let want = Want { needed, telling, sensitive: true, ordered, ..Want::default() };
                self.conjunction(all.to_vec(), &mut inner, vars, &want, &mut block)?;
                open.iter().map(|v| inner.bound[*v].unwrap_or(Operand::Const(UNBOUND))).collect()
            }
        };
        let needed = open;
        block.push(Op::Yield { template: Operand::Const(0), distinct });
        let goal = self.place(block);
        // the answers are copied into registers of their own before each action
        let registers: Vec<Reg> = needed.iter().map(|_| inner.register()).collect();
        for (v, reg) in needed.iter().zip(&registers) {
            inner.bound[*v] = Some(Operand::Reg(*reg));
        }
        let mut block = self.builder();
        let want = Want { needed: Vec::new(), target: None, sensitive: false, ..Want::default() };
        self.sequence(action, &mut inner, vars, &want, &mut block)?;
        block.push(Op::Succeed);
        let action = self.place(block);
        context.absorb(&inner);
        out.push(Op::ForEach { goal, registers: registers.into_boxed_slice(), action });
        Ok(())
    }

    /// A goal that gives few values to one of the variables that tell the answers of an `each` apart, where the others
    /// can be found for one value after the other, although the action has been run for those before: in
    /// `each((player(P), cell(C)), mark(P, C) := 0)` the cells of a player are a set.
    fn outer_loop(
        &self,
        all: &[G],
        action: &[G],
        open: &[Var],
        context: &BlockState,
    ) -> Option<(usize, Var)> {
        let (mut reads, mut writes) = (Fluents::default(), Fluents::default());
        all.iter().for_each(|goal| self.add_reads(goal, &mut reads));
        action.iter().for_each(|goal| self.add_writes(goal, &mut writes));
        let faulty = all.iter().any(|goal| self.raises(goal));
        if open.len() < 2 || faulty || reads.meets(&writes) {
            return None;
        }
        let few = |goal: &G| {
            let mut vars: Vec<Var> = Vec::new();
            goal.each_var(&mut |v| vars.extend(context.bound[v].is_none().then_some(v)));
            let [v] = vars[..] else { return None };
            let values = match goal {
                G::In(_, Expr::Arg(Arg::Const(lo)), Expr::Arg(Arg::Const(hi)), _) => hi - lo + 1,
                goal => self.table_values(goal, v)?.len() as i64,
            };
            (open.contains(&v) && values <= MAX_ROUNDS).then_some(v)
        };
        all.iter().enumerate().find_map(|(at, goal)| Some((at, few(goal)?)))
    }

    /// Whether the result of these updates is the same where an answer comes twice.
    pub(super) fn repeats_harmlessly(&self, action: &[G], answers: &[Var]) -> bool {
        let counts = |goal: &G| matches!(goal, G::AssignNumber(..));
        self.commutes(action, answers) && !action.iter().any(counts)
    }

    /// Whether the result of these updates is the same for any order of the answers: each part of the state changes in one way
    /// only, and what is read is the same for all answers.
    pub(super) fn commutes(&self, action: &[G], answers: &[Var]) -> bool {
        let fixed = |arg: &Arg| !matches!(arg, Arg::Var(v) if answers.contains(v));
        let mut changes: Vec<(FluentId, Change)> = Vec::new();
        let mut alike = |fluent: FluentId, change: Change| {
            let known = changes.iter().find(|(of, _)| *of == fluent);
            let alike = known.is_none_or(|(_, other)| *other == change);
            changes.push((fluent, change));
            alike
        };
        let in_any_order = action.iter().all(|goal| match goal {
            G::Set(fluent, ..) => alike(*fluent, Change::Set),
            G::Clear(fluent, ..) => alike(*fluent, Change::Clear),
            G::Assign(fluent, _, value, _) => {
                fixed(value) && alike(*fluent, Change::Assign(*value))
            }
            // it only grows, or only shrinks
            G::AssignNumber(fluent, keys, Expr::Op(op, args), _) => {
                let own = Expr::Read(*fluent, keys.clone());
                let [of, Expr::Arg(Arg::Const(by))] = args.as_slice() else { return false };
                let more = match op {
                    ArithmeticOp::Add => *by >= 0,
                    ArithmeticOp::Subtract => *by < 0,
                    _ => return false,
                };
                let change = if more { Change::Grow } else { Change::Shrink };
                *of == own && alike(*fluent, change)
            }
            G::Read(_, keys, _) => keys.is_empty(),
            G::Again => true,
            _ => false,
        });
        let changed = |read: &FluentId| changes.iter().any(|(fluent, _)| fluent == read);
        in_any_order
            && !action.iter().any(|goal| matches!(goal, G::Read(fluent, ..) if changed(fluent)))
    }
}

/// How an update changes a part of the state.
#[derive(PartialEq)]
enum Change {
    Set,
    Clear,
    Assign(Arg),
    Grow,
    Shrink,
}

/// Whether a goal relates a compound or list to its parts.
fn is_pattern(goal: &G) -> bool {
    matches!(goal, G::Functor(..) | G::List(..))
}

/// The place of the first pattern that comes after a goal and builds an argument of it.
pub(super) fn built_for(goals: &[G], at: usize, context: &BlockState) -> Option<usize> {
    (at + 1..goals.len()).find(|i| is_built(&goals[*i], &goals[at], context))
}

/// Whether this is the pattern of an argument of the goal whose parts are known.
fn is_built(pattern: &G, goal: &G, context: &BlockState) -> bool {
    let (whole, parts): (Arg, Vec<Arg>) = match pattern {
        G::Functor(_, args) => (args[0], args[1..].to_vec()),
        G::List(whole, items, tail) => (*whole, items.iter().chain(tail).copied().collect()),
        _ => return false,
    };
    let Arg::Var(v) = whole else { return false };
    occurrences_in(goal, v) > 0
        && !context.is_bound(whole)
        && parts.iter().all(|part| context.is_bound(*part))
}
