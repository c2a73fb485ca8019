//! Sets of what goals give for a variable: by a block that emits them, or by a procedure.

use super::super::blocks::BlockId;
use super::super::ops::{Argument, Op, Operand, Set};
use super::goals::{Arg, G, Var, Vars};
use super::order::{BlockState, TargetForm, Want};
use super::{Builder, Lowering, UniverseId};
use crate::plan::universe::CONSTANTS;
use crate::program::RelationId;

/// The most floods that are made for the values of arguments that do not matter in a call.
const ROUNDS: f64 = 64.0;

impl Lowering<'_> {
    /// The union of the sets that goals emit for a variable.
    pub(super) fn gather(
        &mut self,
        goals: Vec<G>,
        var: Var,
        universe: UniverseId,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        if let [goal @ G::Call(id, args)] = goals.as_slice()
            && !self.supposes(goal)
        {
            let args = args.clone();
            return self.gather_call((*id, &args), var, universe, context, vars, out);
        }
        let placed = self.ops.blocks.len();
        let mut inner = context.clone();
        let mut ways = Vec::new();
        let branches = match goals.as_slice() {
            [G::Or(branches)] => branches.clone(),
            _ => vec![goals],
        };
        let want =
            Want { needed: Vec::new(), target: Some(var), sensitive: false, ..Want::default() };
        for branch in branches {
            let mut state = context.clone();
            state.absorb(&inner);
            state.nesting += 1;
            let mut block = self.builder();
            let outcome = self.conjunction(branch, &mut state, vars, &want, &mut block);
            match outcome {
                Ok(TargetForm::Set(set)) => block.push(Op::Emit { set }),
                Ok(TargetForm::Bound) if state.bound[var].is_some() => {
                    let x = state.bound[var].unwrap_or(Operand::Const(CONSTANTS));
                    let base = self.universes.get(universe).base;
                    block.push(Op::EmitOne { x, base });
                }
                _ => {
                    self.ops.blocks.truncate(placed);
                    return None;
                }
            }
            inner.absorb(&state);
            ways.push(self.place(block));
        }
        context.absorb(&inner);
        let dst = context.set();
        let body = match ways.as_slice() {
            [only] => *only,
            _ => {
                let ways = ways.into_boxed_slice();
                self.ops.blocks.add(vec![Op::Branch { ways, rest: None }], vec![self.ops.at])
            }
        };
        out.push(Op::Gather { dst, body });
        Some(Set::Reg(dst))
    }

    fn gather_call(
        &mut self,
        (id, args): (RelationId, &[Arg]),
        var: Var,
        universe: UniverseId,
        context: &mut BlockState,
        vars: &Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        if id == super::procedures::FLOOD {
            return None;
        }
        let mut arguments = Vec::new();
        let mut inputs = Vec::new();
        let needs = self.program.relation(id).needs_bound.clone();
        for (arg, needed) in args.iter().zip(needs) {
            if *arg == Arg::Var(var) {
                if needed || arguments.contains(&Argument::Target) {
                    return None;
                }
                arguments.push(Argument::Target);
            } else if let Some(operand) = context.operand(*arg) {
                arguments.push(Argument::Input);
                inputs.push(operand);
            } else if self.wildcard(*arg, context) && !needed {
                arguments.push(Argument::Ignored);
            } else {
                return None;
            }
        }
        if !arguments.contains(&Argument::Target) {
            return None;
        }
        let at_once = self.is_set_at_once(id, &arguments);
        if !at_once && let Some(followed) = self.followed(id, args, context) {
            let procedure = self.procedure(followed, &arguments, Some(universe), false);
            let dst = context.set();
            out.push(Op::GatherCall { dst, procedure, inputs: inputs.into_boxed_slice() });
            return Some(Set::Reg(dst));
        }
        if !at_once {
            return self.gather_floods((id, args), &arguments, universe, context, vars, out);
        }
        let procedure = self.procedure(id, &arguments, Some(universe), false);
        let dst = context.set();
        out.push(Op::GatherCall { dst, procedure, inputs: inputs.into_boxed_slice() });
        Some(Set::Reg(dst))
    }

    /// Whether the target of such a call can be computed without a table.
    fn is_set_at_once(&self, id: RelationId, arguments: &[Argument]) -> bool {
        !self.program.relation(id).recursive
            || self.floods(id, arguments)
            || self.inverts(id, arguments).is_some()
            // one that depends on no value is made once for all elements that would be tested otherwise
            || !arguments.contains(&Argument::Input) && self.begins_with_seeds(id, arguments)
    }

    /// The union of the floods for all values of the arguments that do not matter, if these are few.
    fn gather_floods(
        &mut self,
        (id, args): (RelationId, &[Arg]),
        arguments: &[Argument],
        universe: UniverseId,
        context: &mut BlockState,
        vars: &Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        let given: Vec<Argument> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Ignored => Argument::Input,
                other => *other,
            })
            .collect();
        if !self.is_set_at_once(id, &given) {
            return None;
        }
        let (mut block, mut inputs, mut rounds) = (self.builder(), Vec::new(), 1.0);
        let mut inside = context.clone();
        let ignored = |arg: &Arg| {
            let mut places = args.iter().zip(arguments);
            places.any(|(other, argument)| other == arg && *argument == Argument::Ignored)
        };
        for table in self.passed_tables(&[G::Call(id, args.to_vec())], context) {
            let Some((table, given)) = table.table() else { continue };
            let is_known = |arg: &Arg| inside.is_bound(*arg);
            if !given.iter().all(|arg| is_known(arg) || ignored(arg)) {
                continue;
            }
            rounds *= self.rows_for(table, given, &is_known);
            for arg in given {
                if let Arg::Var(v) = arg {
                    inside.totals[*v] += 1;
                }
            }
            self.table_ops(table, given, &mut inside, vars, &mut block).ok()?;
        }
        for (column, (arg, argument)) in args.iter().zip(arguments).enumerate() {
            match argument {
                Argument::Target => {}
                Argument::Ignored if !inside.is_bound(*arg) => {
                    let all = self.universe_of(&self.domains.columns[id.0 as usize][column])?;
                    let all = self.universes.get(all);
                    let (lo, hi) = (all.base, all.base + all.len as i64 - 1);
                    rounds *= all.len as f64;
                    let dst = inside.register();
                    let (lo, hi) = (Operand::Const(lo), Operand::Const(hi));
                    block.push(Op::Integers { dst, lo, hi, body: BlockId::OPEN });
                    inputs.push(Operand::Reg(dst));
                }
                _ => inputs.push(inside.operand(*arg)?),
            }
        }
        if !(1.0..=ROUNDS).contains(&rounds) {
            return None;
        }
        context.absorb(&inside);
        let procedure = self.procedure(id, &given, Some(universe), false);
        let (inner, dst) = (context.set(), context.set());
        block.push(Op::GatherCall { dst: inner, procedure, inputs: inputs.into_boxed_slice() });
        block.push(Op::Emit { set: Set::Reg(inner) });
        let body = self.place(block);
        out.push(Op::Gather { dst, body });
        Some(Set::Reg(dst))
    }
}
