//! Disjunctions, conditionals, updates and the order of goals that have updates among them.

use super::super::ops::{Op, Operand, Reg};
use super::super::universe::CONSTANTS;
use super::emit::occurrences_in;
use super::goals::{G, Var, Vars};
use super::order::{Context, Outcome, Want, each_open};
use super::procedures::FLOOD;
use super::{Builder, Lowering, NotReady};
use crate::program::Kind;

/// Where the ways through a disjunction or a conditional meet, and the registers that hold what
/// each of them binds.
struct Join {
    registers: Vec<(Var, Reg)>,
    label: u32,
}

impl Join {
    /// Writes the instruction that chooses a way; behind it the variables are bound.
    fn end(self, choice: Op, context: &mut Context, out: &mut Builder) {
        for (v, reg) in self.registers {
            context.bound[v] = Some(Operand::Reg(reg));
        }
        out.push(choice);
        out.labels.push((self.label, out.ops.len()));
    }
}

impl Lowering<'_> {
    pub(super) fn or_ops(
        &mut self,
        goal: &G,
        branches: &[Vec<G>],
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        if shared.is_empty() && !branches.iter().flatten().any(|g| self.acts(g)) {
            return self.choice_test(branches, context, vars, out);
        }
        // two branches may give the same values
        context.repeats |= want.sensitive;
        let join = self.join(&shared, context);
        let mut starts = Vec::new();
        for branch in branches {
            let start = self.branch(branch, &join, context, vars, want)?;
            starts.push(start);
        }
        join.end(Op::Branch { blocks: starts.into_boxed_slice() }, context, out);
        Ok(())
    }

    fn join(&mut self, shared: &[Var], context: &mut Context) -> Join {
        let registers = shared.iter().map(|v| (*v, context.register())).collect();
        Join { registers, label: self.label() }
    }

    /// A disjunction of tests: any branch that has an answer will do.
    fn choice_test(
        &mut self,
        branches: &[Vec<G>],
        context: &mut Context,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut starts = Vec::new();
        let want = Want { needed: Vec::new(), target: None, sensitive: false };
        for branch in branches {
            let mut inner = context.clone();
            let mut block = Builder::default();
            self.conjunction(branch.clone(), &mut inner, vars, &want, &mut block)?;
            block.push(Op::Succeed);
            context.absorb(&inner);
            starts.push(self.place(block));
        }
        let mut fork = Builder::default();
        fork.push(Op::Branch { blocks: starts.into_boxed_slice() });
        let body = self.place(fork);
        out.push(Op::Exists { body, negate: false });
        Ok(())
    }

    /// The unbound variables that a goal must leave bound.
    fn shared(&self, goal: &G, context: &Context, want: &Want) -> Vec<Var> {
        let mut shared = Vec::new();
        goal.each_var(&mut |v| {
            let outside = context.totals[v] > occurrences_in(goal, v)
                || want.needed.contains(&v)
                || want.target == Some(v);
            if context.bound[v].is_none() && outside && !shared.contains(&v) {
                shared.push(v);
            }
        });
        shared
    }

    /// One way through a disjunction or a conditional, ending in a jump to where they meet.
    fn branch(
        &mut self,
        goals: &[G],
        join: &Join,
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
    ) -> Result<u32, NotReady> {
        let mut inner = context.clone();
        let mut block = Builder::default();
        let needed = join.registers.iter().map(|(v, _)| *v).collect();
        let wanted = Want { needed, target: None, sensitive: want.sensitive };
        self.sequence(goals, &mut inner, vars, &wanted, &mut block)?;
        for (v, dst) in &join.registers {
            let x = inner.bound[*v].unwrap_or(Operand::Const(CONSTANTS));
            block.push(Op::Copy { dst: *dst, x });
        }
        block.push(Op::Jump { to: join.label });
        context.absorb(&inner);
        Ok(self.place(block))
    }

    pub(super) fn if_ops(
        &mut self,
        goal: &G,
        (condition, then, otherwise): (&[G], &[G], &[G]),
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        let join = self.join(&shared, context);
        let mut inner = context.clone();
        let mut block = Builder::default();
        // what the condition binds and the branch uses
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
        let wanted = Want { needed, target: None, sensitive: false };
        self.conjunction(condition.to_vec(), &mut inner, vars, &wanted, &mut block)?;
        block.push(Op::Succeed);
        let condition = self.place(block);
        let then = self.branch(then, &join, &mut inner, vars, want)?;
        context.absorb(&inner);
        let otherwise = self.branch(otherwise, &join, context, vars, want)?;
        join.end(Op::If { condition, then, otherwise }, context, out);
        Ok(())
    }

    pub(super) fn once_ops(
        &mut self,
        goal: &G,
        inner_goals: &[G],
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let shared = self.shared(goal, context, want);
        if shared.is_empty() && !inner_goals.iter().any(|g| self.acts(g)) {
            return self.exists(inner_goals.to_vec(), context, vars, false, out);
        }
        let mut inner = context.clone();
        let mut block = Builder::default();
        let wanted = Want { needed: shared.clone(), target: None, sensitive: false };
        self.sequence(inner_goals, &mut inner, vars, &wanted, &mut block)?;
        block.push(Op::Succeed);
        context.absorb(&inner);
        for v in shared {
            context.bound[v] = inner.bound[v];
        }
        let body = self.place(block);
        out.push(Op::Once { body });
        Ok(())
    }

    /// Goals with updates among them: the tests between two updates are ordered, the updates stay.
    pub(super) fn sequence(
        &mut self,
        goals: &[G],
        context: &mut Context,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut at = 0;
        while at < goals.len() {
            if self.acts(&goals[at]) {
                self.goal_ops(&goals[at], context, vars, want, out)?;
                at += 1;
                continue;
            }
            let end = (at..goals.len()).find(|i| self.acts(&goals[*i])).unwrap_or(goals.len());
            let mut needed = want.needed.clone();
            for goal in &goals[end..] {
                goal.each_var(&mut |v| needed.push(v));
            }
            let run = goals[at..end].to_vec();
            let mut inside = Vec::new();
            run.iter().for_each(|g| g.each_var(&mut |v| inside.push(v)));
            needed.retain(|v| {
                inside.contains(v) && context.bound.get(*v).is_none_or(Option::is_none)
            });
            needed.sort_unstable();
            needed.dedup();
            let wanted = Want { needed, target: None, sensitive: want.sensitive };
            match self.conjunction(run, context, vars, &wanted, out)? {
                Outcome::Bound => {}
                Outcome::Set(_) => return Err(NotReady),
            }
            at = end;
        }
        if want.needed.iter().all(|v| context.bound.get(*v).is_some_and(Option::is_some)) {
            Ok(())
        } else {
            Err(NotReady)
        }
    }

    /// Does a goal update the state, itself or inside?
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
        context: &mut Context,
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
            G::Each(all, action) => self.for_each(all, action, context, vars, out)?,
            _ => return Err(NotReady),
        }
        Ok(())
    }

    fn for_each(
        &mut self,
        all: &[G],
        action: &[G],
        context: &mut Context,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut used = Vec::new();
        action.iter().for_each(|g| g.each_var(&mut |v| used.push(v)));
        let mut needed: Vec<Var> = Vec::new();
        for goal in all {
            each_open(goal, context, &mut |v| {
                if context.bound[v].is_none() && used.contains(&v) && !needed.contains(&v) {
                    needed.push(v);
                }
            });
        }
        let mut inner = context.clone();
        let mut block = Builder::default();
        let want = Want { needed: needed.clone(), target: None, sensitive: true };
        self.conjunction(all.to_vec(), &mut inner, vars, &want, &mut block)?;
        let distinct: Box<[Operand]> = needed.iter().filter_map(|v| inner.bound[*v]).collect();
        block.push(Op::Yield { template: Operand::Const(0), distinct: distinct.clone() });
        let goal = self.place(block);
        // the answers are put back into registers of their own before each action
        let registers: Vec<Reg> = needed.iter().map(|_| inner.register()).collect();
        for (v, reg) in needed.iter().zip(&registers) {
            inner.bound[*v] = Some(Operand::Reg(*reg));
        }
        let mut block = Builder::default();
        let want = Want { needed: Vec::new(), target: None, sensitive: false };
        self.sequence(action, &mut inner, vars, &want, &mut block)?;
        block.push(Op::Succeed);
        let action = self.place(block);
        context.absorb(&inner);
        out.push(Op::ForEach { goal, registers: registers.into_boxed_slice(), action });
        Ok(())
    }
}
