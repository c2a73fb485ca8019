//! Tests of what a map holds anywhere, by the set of all that it holds.
//!
//! Where pieces know their sites, as in `stands(player, piece) -> cell`, the goal `\+ stands(_, _, C)` asks whether `C` is empty. A
//! test for one site after the other would go through the pieces each time; the sites of all pieces, gathered in front of the
//! loops, cost as much as one such test.

use super::super::ops::{Op, Operand, Reg, Set, SetReg};
use super::super::uses::Effect;
use super::forms::mapped;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::{Builder, Lowering, UniverseId};

/// A test that goes through fewer keys than this is made as it is.
const FEW_KEYS: usize = 4;

impl Lowering<'_> {
    /// Emits a test that these goals have a common answer, or none, as a look into a set that is gathered in front of the loops
    /// around the test. False where nothing was emitted.
    pub(super) fn held_test(
        &mut self,
        goals: &[G],
        negate: bool,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> bool {
        let asked = goals.iter().find_map(|goal| self.asked_value(goal, context));
        let looped = out.ops.iter().any(|op| op.is_generator());
        let (Some(asked), true) = (asked, looped) else { return false };
        let asked_alike = alike(goals, asked, context);
        let again = |set: &SetReg| {
            out.ops.iter().any(|op| matches!(op, Op::Gather { dst, .. } if dst == set))
                && !out.ops.iter().any(Op::may_update)
        };
        let mut before = context.held.iter().filter(|(known, _)| *known == asked_alike);
        if let (Some(set), Some(x)) =
            (before.find_map(|(_, set)| again(set).then_some(*set)), context.bound[asked])
        {
            let (base, set) = (self.base_of(asked, vars), Set::Reg(set));
            out.push(Op::In { x, base, set, negate });
            return true;
        }
        let (saved, blocks) = (context.clone(), self.ops.blocks.len());
        if let Some(x) = context.bound[asked]
            && let Some(dst) = self.gather_held(goals, asked, context, vars, out)
        {
            context.held.push((asked_alike, dst));
            let (base, set) = (self.base_of(asked, vars), Set::Reg(dst));
            out.push(Op::In { x, base, set, negate });
            return true;
        }
        context.clone_from(&saved);
        context.bound.resize(vars.all.len(), None);
        context.totals.resize(vars.all.len(), 1);
        self.ops.blocks.truncate(blocks);
        false
    }

    /// The first of the goals that asks whether a map holds a known value at any key.
    pub(super) fn asks_any_key(&self, goals: &[G], context: &BlockState) -> Option<usize> {
        goals.iter().position(|goal| match goal {
            G::Read(_, keys, _) => {
                self.asked_value(goal, context).is_some()
                    && keys.iter().all(|k| context.is_bound(*k) || self.wildcard(*k, context))
            }
            _ => false,
        })
    }

    /// The variable of the value that a goal looks for at the keys of a map, which would be tried one by one.
    fn asked_value(&self, goal: &G, context: &BlockState) -> Option<Var> {
        let G::Read(fluent, keys, Some(Arg::Var(value))) = goal else { return None };
        let place = self.layout.place(*fluent);
        let open = keys.iter().zip(&place.keys).filter(|(key, _)| !context.is_bound(**key));
        let tried: usize = open.map(|(_, axis)| axis.len).product();
        let known = matches!(context.bound[*value], Some(Operand::Reg(_)));
        let bits = place.planes.is_some() || !place.slices.is_empty();
        (known && !bits && tried >= FEW_KEYS).then_some(*value)
    }

    /// Gathers all values of a known variable for which the goals hold, in front of the loops of a block.
    fn gather_held(
        &mut self,
        goals: &[G],
        asked: Var,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<SetReg> {
        let universe = self.settable(asked, vars)?;
        let held = vars.fresh(vars.all[asked].domain.clone());
        context.bound.resize(vars.all.len(), None);
        context.totals.resize(vars.all.len(), 1);
        let mut renamed = Vec::new();
        for goal in goals {
            if !matches!(goal, G::Read(..) | G::Static(..) | G::Functor(..)) {
                return None;
            }
            renamed.push(mapped(goal, &mut |arg| match arg {
                Arg::Var(v) if v == asked => Arg::Var(held),
                other => other,
            })?);
        }
        context.totals[held] = goals.len() + 1;
        self.gather_in_front((renamed, held, universe), context, vars, out)
    }

    /// Gathers all values of an open variable for which the goals hold, in front of the loops of a block; `None` where they
    /// depend on these loops.
    pub(super) fn gather_in_front(
        &mut self,
        (goals, var, universe): (Vec<G>, Var, UniverseId),
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<SetReg> {
        let mut block = self.builder();
        self.gather(goals, var, universe, context, vars, &mut block)?;
        let [gather @ Op::Gather { dst, .. }] = block.ops.as_slice() else { return None };
        let at = self.in_front_of_loops(gather, out)?;
        out.insert(at, gather.clone());
        Some(*dst)
    }

    /// The place before the loops of a block that this instruction does not depend on.
    fn in_front_of_loops(&self, gather: &Op, out: &Builder) -> Option<usize> {
        let all = self.with_inner(gather);
        let depends = |op: &&Op| {
            self.with_inner(op).iter().any(|op| {
                let made = op.uses();
                let read = |reg: &Reg| all.iter().any(|op| op.uses().reads(*reg));
                made.effect == Effect::Updates
                    || made.writes.iter().any(read)
                    || made.writes_set.is_some_and(|s| all.iter().any(|op| op.uses().reads_set(s)))
            })
        };
        let first = out.ops.iter().rposition(|op| depends(&op)).map_or(0, |at| at + 1);
        let looping = out.ops[first..].iter().position(|op| op.is_generator())?;
        Some(first + looping)
    }

    /// An instruction of a block that is being made, and those of the blocks that it runs.
    fn with_inner<'a>(&'a self, op: &'a Op) -> Vec<&'a Op> {
        let mut all = vec![op];
        for inner in op.uses().blocks {
            all.extend(self.ops.blocks.reached(&self.ops.blocks[inner.block]));
        }
        all
    }
}

/// The goals with one name for the value asked for, and one for each value that nothing else asks for.
fn alike(goals: &[G], asked: Var, context: &BlockState) -> Vec<G> {
    let name = |arg| match arg {
        Arg::Var(v) if v == asked => Arg::Var(usize::MAX),
        Arg::Var(v) if context.bound[v].is_none() && context.totals[v] <= 1 => {
            Arg::Var(usize::MAX - 1)
        }
        other => other,
    };
    goals.iter().filter_map(|goal| mapped(goal, &mut |arg| name(arg))).collect()
}
