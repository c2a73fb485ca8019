//! The instructions of calls and aggregates, and helpers that several goals share.

use crate::program::{Aggregate, Comparison, FluentId, Kind, RelationId};
use crate::source::Span;

use super::super::blocks::BlockId;
use super::super::ops::{Answer, Argument, MovePattern, Op, Operand, PatternArgument, Reg, Set};
use super::conjuncts::each_open;
use super::goals::{Arg, G, Var, Vars};
use super::order::{BlockState, UNBOUND, Want};
use super::procedures::FLOOD;
use super::{Builder, Lowering, NotReady, UniverseId};

impl Lowering<'_> {
    pub(super) fn aggregate(
        &mut self,
        (kind, template, body, of_goal): (Aggregate, Arg, &[G], &[Var]),
        span: Span,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<Operand, NotReady> {
        if kind == Aggregate::Count
            && let Arg::Var(v) = template
            && context.bound[v].is_none()
            && let Some(universe) = self.settable(v, vars)
            && let Some(set) = self.gather_or_fold(body.to_vec(), v, universe, context, vars, out)
        {
            let dst = context.register();
            out.push(Op::Count { dst, set });
            return Ok(Operand::Reg(dst));
        }
        let mut inner = context.clone();
        let mut block = self.builder();
        let mut needed: Vec<Var> = Vec::new();
        if let Arg::Var(v) = template {
            needed.push(v);
        }
        // the values that tell answers apart, besides the template
        let mut told = needed.clone();
        for goal in body {
            each_open(goal, context, &mut |v| {
                if context.bound[v].is_none() && of_goal.contains(&v) && !told.contains(&v) {
                    told.push(v);
                }
            });
        }
        told.iter().for_each(|v| inner.totals[*v] += 1);
        let telling = told.iter().copied().filter(|v| !needed.contains(v)).collect();
        let want = Want { needed, telling, sensitive: true, ..Want::default() };
        self.conjunction(body.to_vec(), &mut inner, vars, &want, &mut block)?;
        let template = inner.operand(template).ok_or(NotReady)?;
        if kind != Aggregate::Count && self.types.may_raise.contains(&span) {
            self.must_be_number(template, span, &mut block);
        }
        let distinct = match kind == Aggregate::Sum || !of_goal.is_empty() {
            true => {
                told.iter().map(|v| inner.bound[*v].unwrap_or(Operand::Const(UNBOUND))).collect()
            }
            false => Box::new([template]) as Box<[Operand]>,
        };
        block.push(Op::Yield { template, distinct });
        context.absorb(&inner);
        let body = self.place(block);
        let dst = context.register();
        let source = self.source(span);
        out.push(Op::Collect { dst, kind, body, source });
        Ok(Operand::Reg(dst))
    }

    /// The set of a variable by goals of which it is the only open one.
    pub(super) fn gather_or_fold(
        &mut self,
        goals: Vec<G>,
        var: Var,
        universe: UniverseId,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        // the occurrence in the template is not a use of the variable outside
        let direct = goals.iter().all(|g| {
            let mut only = true;
            g.each_var(&mut |v| only &= v == var || context.bound[v].is_some());
            only
        });
        if direct && let Some(set) = self.fold_all(&goals, var, context, vars, out) {
            return Some(set);
        }
        self.gather(goals, var, universe, context, vars, out)
    }

    pub(super) fn call_ops(
        &mut self,
        id: RelationId,
        args: &[Arg],
        ordered: bool,
        context: &mut BlockState,
        vars: &Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        if id == FLOOD {
            let Arg::Var(v) = args[0] else { return Err(NotReady) };
            let x = context.operand(args[0]).ok_or(NotReady)?;
            let base = self.base_of(v, vars);
            out.push(Op::In { x, base, set: Set::Reg(0), negate: false });
            return Ok(());
        }
        let action = self.program.relation(id).kind == Kind::Action;
        // all answers are computed where one may be a rule error
        let raises = !action && self.types.raises[id.0 as usize];
        let known: Vec<bool> = args.iter().map(|arg| context.is_bound(*arg)).collect();
        // one answer has no order
        let ordered = ordered && (action || raises || !self.has_one_answer_with(id, &known));
        // the standard order is that of all arguments
        let whole = ordered && self.program.relation(id).recursive;
        let needs = self.program.relation(id).needs_bound.clone();
        let (mut arguments, mut inputs, mut outs) = (Vec::new(), Vec::new(), Vec::new());
        let mut again = Vec::new();
        if !action
            && !known.contains(&false)
            && let Some((inputs, x, base, procedure)) = self.flood_test(id, args, context)
        {
            let dst = context.set();
            out.push(Op::GatherCall { dst, procedure, inputs });
            out.push(Op::In { x, base, set: Set::Reg(dst), negate: false });
            return Ok(());
        }
        let compared = self.compared_afterwards(id, &known);
        for ((arg, needed), compared) in args.iter().zip(needs).zip(compared) {
            match context.operand(*arg) {
                Some(_) if compared => {
                    arguments.push(Argument::Output);
                    outs.push(*arg);
                }
                Some(x) => {
                    arguments.push(Argument::Input);
                    inputs.push(x);
                }
                None if needed => return Err(NotReady),
                None if self.wildcard(*arg, context)
                    && !raises
                    && !whole
                    && !self.is_filling(id, arguments.len()) =>
                {
                    arguments.push(Argument::Ignored);
                }
                None => {
                    arguments.push(Argument::Output);
                    outs.push(*arg);
                }
            }
        }
        if arguments.contains(&Argument::Ignored) && self.asks_for_all(id, &arguments, ordered) {
            // the answers that an earlier clause has collected are used here as well, but several
            // of them may be the same here
            context.repeats = true;
            let asked = |argument: &mut Argument| {
                if *argument == Argument::Ignored {
                    *argument = Argument::Output;
                }
            };
            arguments.iter_mut().for_each(asked);
            let out = |(arg, argument): (&Arg, &Argument)| {
                (*argument == Argument::Output).then_some(*arg)
            };
            outs = args.iter().zip(&arguments).filter_map(out).collect();
        }
        let inputs = inputs.into_boxed_slice();
        if outs.is_empty() && !action {
            let procedure = self.procedure(id, &arguments, None, false);
            out.push(Op::Test { procedure, inputs, negate: false });
            return Ok(());
        }
        // answers that are passed on one by one are not compared
        context.repeats |= ordered && !action;
        let procedure = self.procedure(id, &arguments, None, ordered);
        let mut registers = Vec::new();
        for arg in &outs {
            let dst = context.register();
            registers.push(dst);
            match (context.operand(*arg), arg) {
                (Some(first), _) => again.push((first, dst)),
                (None, Arg::Var(v)) => context.bound[*v] = Some(Operand::Reg(dst)),
                (None, Arg::Const(_)) => {}
            }
        }
        debug_assert!(action || self.calls.reserved[procedure as usize].answer == Answer::Tuples);
        let outs = registers.into_boxed_slice();
        out.push(Op::Call { procedure, inputs, outs, body: BlockId::OPEN });
        for (a, dst) in again {
            out.push(Op::Same { a, b: Operand::Reg(dst), negate: false });
        }
        Ok(())
    }

    /// Whether an earlier clause of the relation being compiled has asked for all rows of a table
    /// of this relation.
    fn asks_for_all(&self, id: RelationId, arguments: &[Argument], ordered: bool) -> bool {
        let all: Vec<Argument> = (arguments.iter())
            .map(|a| if *a == Argument::Ignored { Argument::Output } else { *a })
            .collect();
        let known = self.calls.numbers.get(&(id, all, None, ordered));
        self.program.relation(id).recursive && known.is_some_and(|p| self.calls.asked.contains(p))
    }

    /// Whether the table for which a clause is compiled has this argument of its relation. A
    /// recursive call that does not ask for it reads the same table.
    fn is_filling(&self, id: RelationId, argument: usize) -> bool {
        let filled = self.calls.tabled.as_ref().filter(|(relation, _)| *relation == id);
        filled.is_some_and(|(_, arguments)| arguments[argument] == Argument::Output)
    }

    /// Emits a test that is a rule error where a value is not a number, and holds otherwise.
    pub(super) fn must_be_number(&mut self, x: Operand, span: Span, out: &mut Builder) {
        if self.types.may_raise.contains(&span) {
            let source = self.source(span);
            out.push(Op::Compare { op: Comparison::Equal, a: x, b: x, source });
        }
    }

    /// The codes of a key in the order of its declared domain.
    pub(super) fn declared_order(&self, fluent: FluentId, key: usize) -> Box<[i64]> {
        let spec = &self.program.fluent(fluent).keys[key];
        let values = self.tables.domain(spec);
        values.into_iter().map(|value| self.universes.code(value)).collect()
    }

    /// Whether the declared order of a key is that of its codes.
    pub(super) fn keys_ascend(&self, fluent: FluentId, key: usize) -> bool {
        self.declared_order(fluent, key).is_sorted_by(|code, next| code < next)
    }

    /// Emits the query for the legal moves of a form.
    pub(super) fn legal(
        &mut self,
        functor: Option<u32>,
        arguments: Vec<PatternArgument>,
        inputs: Vec<Operand>,
        outs: Vec<Reg>,
        out: &mut Builder,
    ) {
        let inputs = inputs.into();
        let pattern = self.made.patterns.len() as u32;
        self.made.patterns.push(MovePattern { functor, arguments });
        out.push(match outs.is_empty() {
            true => Op::SomeLegal { pattern, inputs },
            false => {
                Op::Legal { pattern, inputs, outs: outs.into_boxed_slice(), body: BlockId::OPEN }
            }
        });
    }

    pub(super) fn move_functor(&mut self, name: &str, arity: usize) -> u32 {
        let at = self.made.move_functors.iter().position(|(n, a)| n == name && *a == arity);
        at.unwrap_or_else(|| {
            self.made.move_functors.push((name.to_string(), arity));
            self.made.move_functors.len() - 1
        }) as u32
    }
}
